/* Messages to the user at the terminal. */

#include <stdarg.h>
#include <stdio.h>

#include "tools/parley_tool.h"


/* octets of the path of a file, and its line */
#define PARLEY_SAY_PATH  4200


void
tool_say(const char *fmt, ...)
{
    va_list  args;

    fputs("parley: ", stderr);

    va_start(args, fmt);
    tool_show_args(stderr, fmt, args);
    va_end(args);

    fputc('\n', stderr);
}


int
tool_say_usage(const parley_tool_t *tool, const char *fmt, ...)
{
    va_list  args;

    fputs("parley: ", stderr);

    va_start(args, fmt);
    tool_show_args(stderr, fmt, args);
    va_end(args);

    fprintf(stderr, "\nTry \"parley %s --help\".\n", tool->command->name);

    return PARLEY_EXIT_USAGE;
}


void
tool_say_error_in(const char *path, parley_str_t text,
    const parley_error_t *err)
{
    char            source[PARLEY_SAY_PATH], place[PARLEY_PLACE_MAX];
    parley_error_t  told;

    if (err->offset == PARLEY_NO_OFFSET) {
        tool_say_error(path, err);
        return;
    }

    told = *err;
    told.offset = PARLEY_NO_OFFSET;

    (void) snprintf(source, sizeof(source), "%s: %s", path,
                    parley_error_place(err, text, place));
    tool_say_error(source, &told);
}


void
tool_say_error(const char *source, const parley_error_t *err)
{
    const parley_error_info_t  *info;

    info = parley_error_info(err->code);

    tool_show_format(stderr, "parley: %s: %.*s", source,
                     (int) info->word.len, (const char *) info->word.data);

    if (err->field[0] != '\0') {
        tool_show_format(stderr, " %s", err->field);
    }

    if (err->text[0] != '\0') {
        tool_show_format(stderr, ": %s", err->text);
    }

    if (err->offset != PARLEY_NO_OFFSET) {
        fprintf(stderr, " (at octet %zu)", err->offset);
    }

    fputc('\n', stderr);
}
