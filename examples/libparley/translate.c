/*
 * Reads a message from standard input, verifies its signature where keys are
 * given, and prints it in another protocol, one line for each member that is
 * lost after it.
 *
 *     cc translate.c $(pkg-config --cflags --libs libparley) -o translate
 *     ./translate vcp [keys.json] < message.json
 */

#include <stdio.h>

#include <parley.h>


static char  text[1 << 20], jwks[1 << 16];


static int
fail(const char *what, const parley_failure *err)
{
    fprintf(stderr, "%s: %s %s %s\n", what, err->word, err->field, err->text);

    return 1;
}


int
main(int argc, char **argv)
{
    int               status = 1;
    FILE             *file;
    size_t            len;
    unsigned          i;
    parley_made      *made = NULL;
    parley_keys      *keys = NULL;
    parley_failure    err;
    parley_library   *library = NULL;
    parley_message   *message = NULL;

    if (argc < 2) {
        fprintf(stderr, "usage: translate PROTOCOL [KEYS] < MESSAGE\n");
        return 2;
    }

    len = fread(text, 1, sizeof(text), stdin);

    if (parley_library_new(&library, &err) != 0
        || parley_message_new(library, NULL, text, len, &message, &err) != 0)
    {
        status = fail("message", &err);
        goto done;
    }

    if (argc > 2 && (file = fopen(argv[2], "r")) != NULL) {
        len = fread(jwks, 1, sizeof(jwks), file);
        fclose(file);

        if (parley_keys_new(library, jwks, len, &keys, &err) != 0
            || parley_message_verify(message, keys, &err) != 0)
        {
            status = fail("signature", &err);
            goto done;
        }
    }

    if (parley_message_translate(message, argv[1], NULL, &made, &err) != 0) {
        status = fail("translation", &err);
        goto done;
    }

    printf("%s\n", parley_made_text(made).data);

    for (i = 0; parley_made_lost(made, i).data != NULL; i++) {
        printf("lost %s\n", parley_made_lost(made, i).data);
    }

    status = 0;

done:

    parley_made_free(made);
    parley_message_free(message);
    parley_keys_free(keys);
    parley_library_free(library);

    return status;
}
