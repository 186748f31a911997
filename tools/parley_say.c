/* Messages to the person at the terminal. */

#include <stdarg.h>
#include <stdio.h>

#include "parley_tool.h"


void
parley_say(const char *fmt, ...)
{
    va_list  args;

    fputs("parley: ", stderr);

    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);

    fputc('\n', stderr);
}


int
parley_say_usage(const parley_tool_t *tool, const char *fmt, ...)
{
    va_list  args;

    fputs("parley: ", stderr);

    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);

    fprintf(stderr, "\nTry \"parley %s --help\".\n", tool->command->name);

    return PARLEY_EXIT_USAGE;
}


void
parley_say_error(const char *source, const parley_error_t *err)
{
    const parley_error_info_t  *info;

    info = parley_error_info(err->code);

    fprintf(stderr, "parley: %s: %.*s", source, (int) info->word.len,
            (const char *) info->word.data);

    if (err->field[0] != '\0') {
        fprintf(stderr, " %s", err->field);
    }

    if (err->text[0] != '\0') {
        fprintf(stderr, ": %s", err->text);
    }

    if (err->offset != PARLEY_NO_OFFSET) {
        fprintf(stderr, " (at octet %zu)", err->offset);
    }

    fputc('\n', stderr);
}
