/* --help: prints the tables that the command line is read with. */

#include <stdio.h>
#include <string.h>

#include "tools/parley_tool.h"


#define PARLEY_HELP_COLUMN  28


static void tool_help_option(const parley_option_t *option);


void
tool_help_commands(void)
{
    size_t  i;

    fputs("Usage: parley COMMAND [options] [FILE...]\n"
          "\n"
          "Detects, validates, translates, signs and verifies messages of "
          "agent protocols,\n"
          "with the code of the nginx module ngx_http_parley_module.\n"
          "\n"
          "Commands:\n", stdout);

    for (i = 0; parley_commands[i] != NULL; i++) {
        printf("  %-16s%s\n", parley_commands[i]->name,
               parley_commands[i]->summary);
    }

    fputs("\n\"parley COMMAND --help\" describes a command.  A FILE of \"-\", "
          "or none, is\nstandard input.\n\nExit status: 0, success; 1, an "
          "invalid message, signature or token; 2, a wrong\ncommand line, "
          "or a file that cannot be read or written.\n\nparley --version "
          "prints the version, parley -V also the versions of "
          "its\nlibraries.\n",
          stdout);
}


int
tool_help_group(const char *first)
{
    size_t  i, len;
    int     any;

    any = 0;
    len = strlen(first);

    for (i = 0; parley_commands[i] != NULL; i++) {

        if (strncmp(parley_commands[i]->name, first, len) != 0
            || parley_commands[i]->name[len] != ' ')
        {
            continue;
        }

        if (!any) {
            printf("Usage: parley %s COMMAND [options]\n\nCommands:\n", first);
            any = 1;
        }

        printf("  %-16s%s\n", parley_commands[i]->name,
               parley_commands[i]->summary);
    }

    if (any) {
        printf("\n\"parley %s COMMAND --help\" describes each.\n", first);
    }

    return any;
}


void
tool_help_command(const parley_command_t *command)
{
    const parley_option_t  *option;

    printf("Usage: parley %s [options]%s%s\n\n%s.\n", command->name,
           command->operands[0] != '\0' ? " " : "", command->operands,
           command->summary);

    if (command->text != NULL) {
        printf("\n%s", command->text);
    }

    fputs("\nOptions:\n", stdout);

    for (option = command->options; option->name != NULL; option++) {
        tool_help_option(option);
    }

    tool_help_option(&parley_option_help);
}


static void
tool_help_option(const parley_option_t *option)
{
    int          n;
    size_t       len;
    const char  *line;

    if (option->letter != 0) {
        n = printf("  -%c, --%s", option->letter, option->name);

    } else {
        n = printf("      --%s", option->name);
    }

    if (option->argument != NULL) {
        n += printf(" %s", option->argument);
    }

    if (n >= PARLEY_HELP_COLUMN) {
        fputc('\n', stdout);
        n = 0;
    }

    for (line = option->help; *line != '\0'; line += len) {
        len = strcspn(line, "\n");
        printf("%*s%.*s\n", PARLEY_HELP_COLUMN - n, "", (int) len, line);

        if (line[len] == '\n') {
            len++;
        }

        n = 0;
    }
}
