/*
 * The command line, read strictly: no abbreviations, no option with one value
 * twice, and no operand that the command does not take.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gate/settings/parley_directive.h"
#include "core/parley_time.h"
#include "tools/parley_tool.h"


#define PARLEY_OPTION_TIME_MAX  253402300799    /* the end of the year 9999 */


static const parley_option_t *tool_option_find(
    const parley_command_t *command, const char *word, size_t len);
static const parley_option_t *tool_option_letter(
    const parley_command_t *command, char letter);
static int tool_options_word(parley_tool_t *tool, int argc, char **argv,
    int *i);
static void tool_options_unknown(const parley_tool_t *tool,
    parley_str_t word);
static int tool_options_take(parley_tool_t *tool,
    const parley_option_t *option, const char *value);
static int tool_option_seconds(const char *value, int64_t *ret);
static int tool_options_limit(parley_tool_t *tool, const char *text);


/* option of every command */
const parley_option_t  parley_option_help = {
    "help", 'h', NULL, "this text", 0
};


int
tool_options_read(parley_tool_t *tool, int argc, char **argv)
{
    int                      i, words;
    size_t                   n;
    const char              *limit;
    const parley_command_t  *command = tool->command;

    words = 1;

    for (i = 0; i < argc; i++) {

        if (words && strcmp(argv[i], "--") == 0) {
            words = 0;
            continue;
        }

        if (!words || argv[i][0] != '-' || argv[i][1] == '\0') {
            tool->operands[tool->noperands++] = argv[i];
            continue;
        }

        if (tool_options_word(tool, argc, argv, &i) != 0) {
            return -1;
        }
    }

    if (tool_option(tool, "help") != NULL) {
        return 0;
    }

    if (tool->noperands < (size_t) command->min) {
        tool_say_usage(tool, "%s is missing", command->operands);
        return -1;
    }

    if (command->max >= 0 && tool->noperands > (size_t) command->max) {
        tool_say_usage(tool, "unexpected \"%s\"",
                       tool->operands[command->max]);
        return -1;
    }

    tool->json = tool_option(tool, "json") != NULL;
    tool->lines = tool_option(tool, "lines") != NULL;

    n = 0;

    while ((limit = tool_option_next(tool, "limit", &n)) != NULL) {
        if (tool_options_limit(tool, limit) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Reads one word that begins with '-', and the next word if it is the value. */
static int
tool_options_word(parley_tool_t *tool, int argc, char **argv, int *i)
{
    size_t                  len;
    const char             *word, *value;
    const parley_option_t  *option;

    word = argv[*i];
    value = NULL;

    if (word[1] == '-') {
        len = strcspn(word + 2, "=");
        option = tool_option_find(tool->command, word + 2, len);

        if (word[2 + len] == '=') {
            value = word + 2 + len + 1;
        }

        len += 2;

    } else {
        option = tool_option_letter(tool->command, word[1]);
        len = strlen(word);

        if (len > 2) {
            option = NULL;
        }
    }

    if (option == NULL) {
        tool_options_unknown(tool, parley_str_make(word, len));
        return -1;
    }

    if (option->argument == NULL) {

        if (value != NULL) {
            tool_say_usage(tool, "--%s takes no value", option->name);
            return -1;
        }

        return tool_options_take(tool, option, "");
    }

    if (value == NULL) {

        if (*i + 1 == argc) {
            tool_say_usage(tool, "--%s needs a value: --%s %s",
                           option->name, option->name, option->argument);
            return -1;
        }

        value = argv[++*i];
    }

    return tool_options_take(tool, option, value);
}


static void
tool_options_unknown(const parley_tool_t *tool, parley_str_t word)
{
    parley_str_t            name;
    parley_suggest_t        s;
    const parley_option_t  *option;

    /* "-token" is "--token" */

    name = word;

    while (name.len > 0 && *name.data == '-') {
        name = parley_str_from(name, 1);
    }

    tool_suggest_init(&s, name);

    for (option = tool->command->options; option->name != NULL; option++) {
        tool_suggest_try(&s, parley_str_c(option->name),
                         parley_str_c(option->name));
    }

    tool_say_usage(tool, "unknown option \"%.*s\"%s%.*s%s",
                   (int) word.len, (const char *) word.data,
                   s.best.len > 0 ? "; did you mean \"--" : "",
                   (int) s.best.len, (const char *) s.best.data,
                   s.best.len > 0 ? "\"?" : "");
}


static int
tool_options_take(parley_tool_t *tool, const parley_option_t *option,
    const char *value)
{
    if (!option->multiple && tool_option(tool, option->name) != NULL) {
        tool_say_usage(tool, "--%s is given twice", option->name);
        return -1;
    }

    tool->given[tool->ngiven].option = option;
    tool->given[tool->ngiven].value = value;
    tool->ngiven++;

    return 0;
}


static const parley_option_t *
tool_option_find(const parley_command_t *command, const char *word,
    size_t len)
{
    const parley_option_t  *option;

    for (option = command->options; option->name != NULL; option++) {
        if (strlen(option->name) == len
            && memcmp(option->name, word, len) == 0)
        {
            return option;
        }
    }

    return (len == 4 && memcmp(word, "help", 4) == 0) ? &parley_option_help
                                                      : NULL;
}


static const parley_option_t *
tool_option_letter(const parley_command_t *command, char letter)
{
    const parley_option_t  *option;

    for (option = command->options; option->name != NULL; option++) {
        if (option->letter == letter) {
            return option;
        }
    }

    return (letter == 'h') ? &parley_option_help : NULL;
}


const char *
tool_option(const parley_tool_t *tool, const char *name)
{
    size_t  i = 0;

    return tool_option_next(tool, name, &i);
}


const char *
tool_option_next(const parley_tool_t *tool, const char *name, size_t *i)
{
    const parley_given_t  *given;

    while (*i < tool->ngiven) {
        given = &tool->given[(*i)++];

        if (strcmp(given->option->name, name) == 0) {
            return given->value;
        }
    }

    return NULL;
}


int
tool_option_integer(const char *name, const char *value, int64_t min,
    int64_t max, int64_t *ret)
{
    char       *end;
    long long   n;

    errno = 0;
    n = strtoll(value, &end, 10);

    if (end == value || *end != '\0' || errno != 0 || *value == ' '
        || n < min || n > max)
    {
        tool_say("--%s: \"%s\" is not a whole number from %lld to %lld", name,
                 value, (long long) min, (long long) max);
        return -1;
    }

    *ret = n;

    return 0;
}


/* Reads a time as directives have it (parley_setting_time()), in seconds. */
static int
tool_option_seconds(const char *value, int64_t *ret)
{
    int64_t  ms;

    if (parley_setting_time(parley_str_c(value), &ms) != 0 || ms % 1000 != 0) {
        return -1;
    }

    *ret = ms / 1000;

    return 0;
}


int
tool_option_duration(const char *name, const char *value, int64_t min,
    int64_t max, int64_t *ret)
{
    int      minus;
    int64_t  n;

    minus = *value == '-';

    if (tool_option_seconds(value + minus, &n) != 0
        || (minus ? -n : n) < min || n > max)
    {
        tool_say("--%s: \"%s\" is not a time from %lld to %lld seconds, such "
                 "as 90, 30s, 5m or 1h30m", name, value,
                 (long long) min, (long long) max);
        return -1;
    }

    *ret = minus ? -n : n;

    return 0;
}


int
tool_option_time(const char *name, const char *value, int64_t now_ms,
    int64_t *ret_ms)
{
    char     *end;
    int64_t   n;

    if (parley_time_parse(parley_str_c(value), ret_ms) == 0) {
        return 0;
    }

    if ((*value == '+' || *value == '-')
        && tool_option_seconds(value + 1, &n) == 0)
    {
        *ret_ms = *value == '+' ? now_ms + n * 1000 : now_ms - n * 1000;
        return 0;
    }

    errno = 0;
    n = strtoll(value, &end, 10);

    if (*value < '0' || *value > '9' || *end != '\0' || errno != 0
        || n > PARLEY_OPTION_TIME_MAX)
    {
        tool_say("--%s: \"%s\" is not a time: seconds since 1970, an "
                 "RFC 3339 timestamp, or a time from now such as +1h or -30s",
                 name, value);
        return -1;
    }

    *ret_ms = n * 1000;

    return 0;
}


int
tool_option_proto(const parley_tool_t *tool, const char *name,
    parley_proto_t *ret)
{
    const char  *value;

    *ret = PARLEY_PROTO_NONE;

    value = tool_option(tool, name);
    if (value == NULL) {
        return 0;
    }

    *ret = parley_proto_find(parley_str_c(value));

    if (*ret != PARLEY_PROTO_NONE) {
        return 0;
    }

    tool_say_usage(tool, "--%s: unknown protocol \"%s\"; there are "
                   PARLEY_PROTOCOLS(PARLEY_PROTOCOL_WORD, " ", " "), name,
                   value);
    return -1;
}


int
tool_option_required(const parley_tool_t *tool, const char *name,
    const char **ret)
{
    *ret = tool_option(tool, name);

    if (*ret == NULL) {
        tool_say_usage(tool, "--%s is missing", name);
        return -1;
    }

    return 0;
}


static int
tool_options_limit(parley_tool_t *tool, const char *text)
{
    char       *end;
    size_t      len;
    unsigned    octets;
    long long   n;

    len = strcspn(text, "=");
    octets = (len == 4 && memcmp(text, "body", 4) == 0)
             || (len == 6 && memcmp(text, "string", 6) == 0);

    errno = 0;
    n = (text[len] == '=' && text[len + 1] >= '0' && text[len + 1] <= '9')
        ? strtoll(text + len + 1, &end, 10) : 0;

    if (n > 0 && octets && (*end == 'k' || *end == 'm') && n <= 1 << 20) {
        n <<= (*end == 'k') ? 10 : 20;
        end++;
    }

    if (n <= 0 || errno != 0 || *end != '\0' || n > 0x7FFFFFFF) {
        tool_say_usage(tool, "--limit: \"%s\" is not NAME=N", text);
        return -1;
    }

    if (octets && *text == 'b') {
        tool->limits.octets = (size_t) n;

    } else if (octets) {
        tool->limits.string = (uint32_t) n;

    } else if (len == 5 && memcmp(text, "depth", 5) == 0) {
        tool->limits.depth = (uint32_t) n;

    } else if (len == 7 && memcmp(text, "members", 7) == 0) {
        tool->limits.members = (uint32_t) n;

    } else {
        tool_say_usage(tool, "--limit: unknown limit \"%.*s\"; there are "
                       "body, string, depth, members", (int) len, text);
        return -1;
    }

    return 0;
}
