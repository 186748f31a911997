/*
 * Reads a message of any protocol from standard input, and prints it in another
 * protocol and each lost member.
 *
 *   cc translate.c $(pkg-config --cflags --libs libparley) -o translate
 *   ./translate vcp < message.json
 */

#include <stdio.h>

#include <parley.h>


static char  text[1 << 20];


int
main(int argc, char **argv)
{
    size_t           len;
    unsigned         i;
    parley_made     *made;
    parley_failure   err;
    parley_library  *library;
    parley_message  *message;

    if (argc != 2) {
        fprintf(stderr, "usage: translate PROTOCOL < MESSAGE\n");
        return 2;
    }

    len = fread(text, 1, sizeof(text), stdin);

    /* The protocol is detected, and its schema validates the message. */

    if (parley_library_new(&library, &err) != 0
        || parley_message_new(library, NULL, text, len, &message, &err) != 0
        || parley_message_translate(message, argv[1], NULL, &made, &err) != 0)
    {
        fprintf(stderr, "%s %s: %s\n", err.word, err.field, err.text);
        return 1;
    }

    printf("%s: %s\n", parley_message_get(message, PARLEY_FIELD_PROTOCOL).data,
           parley_message_get(message, PARLEY_FIELD_INTENT).data);
    printf("%s: %s\n", argv[1], parley_made_text(made).data);

    for (i = 0; parley_made_lost(made, i).data != NULL; i++) {
        printf("lost: %s\n", parley_made_lost(made, i).data);
    }

    parley_made_free(made);
    parley_message_free(message);
    parley_library_free(library);

    return 0;
}
