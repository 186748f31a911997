/* parley: the command line tool on libparley. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/parley_tool.h"


static const parley_command_t *tool_main_find(int argc, char **argv,
    int *ret_words);
static int tool_main_is_help(const char *word);
static int tool_main_unknown(int argc, char **argv);
static parley_str_t tool_main_suggest(parley_str_t word);
static int tool_main_run(const parley_command_t *command, int argc,
    char **argv);


/* in the order of the help */
const parley_command_t *const  parley_commands[] = {
    &parley_cmd_detect,
    &parley_cmd_validate,
    &parley_cmd_translate,
    &parley_cmd_explain,
    &parley_cmd_attention,
    &parley_cmd_canon,
    &parley_cmd_sign,
    &parley_cmd_verify,
    &parley_cmd_keygen,
    &parley_cmd_jwks,
    &parley_cmd_keys_store,
    &parley_cmd_store_acl,
    &parley_cmd_token_mint,
    &parley_cmd_token_inspect,
    &parley_cmd_token_verify,
    &parley_cmd_frame_encode,
    &parley_cmd_frame_decode,
    &parley_cmd_moq_decode,
    &parley_cmd_moq_encode,
    &parley_cmd_audit_verify,
    &parley_cmd_hold_list,
    &parley_cmd_hold_lift,
    &parley_cmd_uuid,
    NULL
};


int
main(int argc, char **argv)
{
    int                      words, status;
    const parley_command_t  *command;

    argc--;
    argv++;

    if (argc == 0) {
        fputs("parley: no command\nTry \"parley --help\".\n", stderr);
        return PARLEY_EXIT_USAGE;
    }

    if (strcmp(argv[0], "--version") == 0 && argc == 1) {
        tool_version();
        return tool_output_finish();
    }

    if (strcmp(argv[0], "-V") == 0 && argc == 1) {
        tool_version_all();
        return tool_output_finish();
    }

    if (argc == 1 && (strcmp(argv[0], "help") == 0
                      || tool_main_is_help(argv[0])))
    {
        tool_help_commands();
        return tool_output_finish();
    }

    /* "token --help", "help token" */

    if (argc == 2
        && ((tool_main_is_help(argv[1]) && tool_help_group(argv[0]))
            || (strcmp(argv[0], "help") == 0 && tool_help_group(argv[1]))))
    {
        return tool_output_finish();
    }

    if (strcmp(argv[0], "help") == 0) {
        command = tool_main_find(argc - 1, argv + 1, &words);

        if (command == NULL || words != argc - 1) {
            return tool_main_unknown(argc - 1, argv + 1);
        }

        tool_help_command(command);
        return tool_output_finish();
    }

    command = tool_main_find(argc, argv, &words);

    if (command == NULL) {
        return tool_main_unknown(argc, argv);
    }

    status = tool_main_run(command, argc - words, argv + words);

    if (tool_output_finish() != 0) {
        return PARLEY_EXIT_USAGE;
    }

    return status;
}


static int
tool_main_is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}


/*
 * Returns the command that the first words name, and the number of its words.
 */
static const parley_command_t *
tool_main_find(int argc, char **argv, int *ret_words)
{
    size_t       i, len;
    const char  *name, *rest;

    for (i = 0; parley_commands[i] != NULL; i++) {
        name = parley_commands[i]->name;
        rest = strchr(name, ' ');
        len = (rest != NULL) ? (size_t) (rest - name) : strlen(name);

        if (strlen(argv[0]) != len || memcmp(argv[0], name, len) != 0) {
            continue;
        }

        if (rest == NULL) {
            *ret_words = 1;
            return parley_commands[i];
        }

        if (argc > 1 && strcmp(argv[1], rest + 1) == 0) {
            *ret_words = 2;
            return parley_commands[i];
        }
    }

    return NULL;
}


static int
tool_main_unknown(int argc, char **argv)
{
    size_t         i, len;
    const char    *separator;
    parley_str_t   meant;

    len = strlen(argv[0]);
    separator = ": ";

    fprintf(stderr, "parley: ");

    for (i = 0; parley_commands[i] != NULL; i++) {
        if (strncmp(parley_commands[i]->name, argv[0], len) == 0
            && parley_commands[i]->name[len] == ' ')
        {
            if (*separator == ':') {
                tool_show_format(stderr, "\"%s\" needs one more word",
                                 argv[0]);
            }

            fprintf(stderr, "%s%s", separator,
                    parley_commands[i]->name + len + 1);
            separator = ", ";
        }
    }

    if (*separator == ':') {
        tool_show_format(stderr, "unknown command \"%s\"", argv[0]);

        meant = tool_main_suggest(parley_str_c(argv[0]));

        if (meant.len > 0) {
            fprintf(stderr, "; did you mean \"%.*s\"?", (int) meant.len,
                    (const char *) meant.data);
        }

    } else if (argc > 1 && argv[1][0] != '-') {
        tool_show_format(stderr, ", not \"%s\"", argv[1]);
    }

    fputs("\nTry \"parley --help\".\n", stderr);

    return PARLEY_EXIT_USAGE;
}


/* Suggests a command, or the second word of one: "mint" is "token mint". */

static parley_str_t
tool_main_suggest(parley_str_t word)
{
    size_t             i;
    parley_str_t       name, first;
    const uint8_t     *space;
    parley_suggest_t   s;

    tool_suggest_init(&s, word);

    for (i = 0; parley_commands[i] != NULL; i++) {
        name = parley_str_c(parley_commands[i]->name);
        space = memchr(name.data, ' ', name.len);

        if (space == NULL) {
            tool_suggest_try(&s, name, name);
            continue;
        }

        first = parley_str_make(name.data, (size_t) (space - name.data));

        tool_suggest_try(&s, first, first);
        tool_suggest_try(&s, parley_str_from(name, first.len + 1), name);
    }

    return s.best;
}


static int
tool_main_run(const parley_command_t *command, int argc, char **argv)
{
    int            status;
    parley_tool_t  tool;

    memset(&tool, 0, sizeof(tool));

    tool.command = command;
    tool.limits = parley_json_limits_default;
    tool_host_random(&tool.seed, sizeof(tool.seed));
    parley_arena_init(&tool.arena, &parley_mem_libc, 0);

    /* each word is at most one option or one operand */
    tool.given = calloc((size_t) argc + 1, sizeof(parley_given_t));
    tool.operands = calloc((size_t) argc + 1, sizeof(char *));

    if (tool.given == NULL || tool.operands == NULL) {
        tool_say("out of memory");
        status = PARLEY_EXIT_USAGE;

    } else if (tool_options_read(&tool, argc, argv) != 0) {
        status = PARLEY_EXIT_USAGE;

    } else if (tool_option(&tool, "help") != NULL) {
        tool_help_command(command);
        status = PARLEY_EXIT_OK;

    } else {
        status = command->run(&tool);
    }

    parley_arena_reset(&tool.arena);
    free(tool.given);
    free(tool.operands);

    return status;
}
