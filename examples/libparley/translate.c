/*
 * Prints a message from standard input in another protocol, then each member
 * that is lost; with keys its signature is verified first.  Where something
 * fails, what was made is left to the end of the program.
 *
 *     cc translate.c $(pkg-config --cflags --libs libparley) -o translate
 *     ./translate vcp [keys.json] < message.json
 */

#include <stdio.h>
#include <stdlib.h>

#include <parley.h>


static char  text[1 << 20];


static int
run(parley_library *library, char **argv, parley_failure *err)
{
    FILE            *file;
    size_t           len;
    unsigned         i;
    parley_keys     *keys;
    parley_made     *made;
    parley_message  *message;

    len = fread(text, 1, sizeof(text), stdin);

    if (parley_message_new(library, NULL, text, len, &message, err) != 0) {
        return 1;
    }

    if (argv[2] != NULL) {
        file = fopen(argv[2], "r");

        if (file == NULL) {
            perror(argv[2]);
            exit(1);
        }

        len = fread(text, 1, sizeof(text), file);

        if (parley_keys_new(library, text, len, &keys, err) != 0
            || parley_message_verify(message, keys, err) != 0)
        {
            return 1;
        }
    }

    if (parley_message_translate(message, argv[1], NULL, &made, err) != 0) {
        return 1;
    }

    printf("%s\n", parley_made_text(made).data);

    for (i = 0; parley_made_lost(made, i).data != NULL; i++) {
        printf("lost %s\n", parley_made_lost(made, i).data);
    }

    parley_made_free(made);
    parley_message_free(message);

    return 0;
}


int
main(int argc, char **argv)
{
    parley_failure   err;
    parley_library  *library;

    if (argc < 2) {
        fprintf(stderr, "usage: translate PROTOCOL [KEYS] < MESSAGE\n");
        return 2;
    }

    if (parley_library_new(&library, &err) == 0
        && run(library, argv, &err) == 0)
    {
        parley_library_free(library);
        return 0;
    }

    fprintf(stderr, "%s %s: %s\n", err.word, err.field, err.text);

    return 1;
}
