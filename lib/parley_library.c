/* The library object, and functions that all of its parts share. */

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "lib/parley_lib.h"


/* numbers of parley.h */
static const parley_err  parley_lib_errs[] = {
#define X(sym, word, http, retry)  [PARLEY_E_##sym] = PARLEY_ERR_##sym,
    PARLEY_ERROR_LIST(X)
#undef X
};


const char *
parley_version(void)
{
    return PARLEY_VERSION;
}


const char *
parley_protocol(unsigned i)
{
    return i < PARLEY_PROTO_COUNT
           ? (const char *) parley_proto_name((parley_proto_t) i).data : NULL;
}


int
parley_library_new(parley_library **ret, parley_failure *err)
{
    parley_error_t   error;
    parley_library  *library;

    *ret = NULL;

    library = calloc(1, sizeof(parley_library));

    if (library == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    if (getrandom(&library->seed, sizeof(library->seed), 0)
        != sizeof(library->seed))
    {
        free(library);
        (void) parley_error_set(&error, PARLEY_E_CAPACITY, NULL,
                                "no random numbers");
        return parley_lib_fail(&error, err);
    }

    library->engine = parley_engine_create(&parley_mem_libc, &error);

    if (library->engine == NULL) {
        free(library);
        return parley_lib_fail(&error, err);
    }

    *ret = library;

    return 0;
}


void
parley_library_free(parley_library *library)
{
    if (library != NULL) {
        parley_engine_destroy(library->engine);
        free(library);
    }
}


int64_t
parley_lib_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}


parley_text
parley_lib_text(parley_arena_t *arena, parley_str_t s)
{
    parley_text   text;
    parley_str_t  copy;

    text.data = "";
    text.len = 0;

    if (s.len > 0 && parley_arena_str(arena, s, &copy) == 0) {
        text.data = (const char *) copy.data;
        text.len = copy.len;
    }

    return text;
}


int
parley_lib_fail(const parley_error_t *error, parley_failure *err)
{
    if (err == NULL) {
        return -1;
    }

    err->code = parley_lib_errs[error->code];
    err->word = (const char *) parley_error_info(error->code)->word.data;
    err->offset = error->offset;

    _Static_assert(sizeof(err->field) == sizeof(error->field)
                   && sizeof(err->text) == sizeof(error->text),
                   "the members of both errors have equal sizes");

    memcpy(err->field, error->field, sizeof(err->field));
    memcpy(err->text, error->text, sizeof(err->text));

    return -1;
}


parley_made *
parley_lib_made_new(void)
{
    parley_made  *made;

    made = calloc(1, sizeof(parley_made));

    if (made != NULL) {
        parley_arena_init(&made->arena, &parley_mem_libc, 0);
        parley_loss_init(&made->loss, &made->arena);
    }

    return made;
}


int
parley_lib_made(parley_made *made, parley_str_t text, parley_made **ret,
    parley_failure *err)
{
    uint32_t        i;
    parley_error_t  error;

    /*
     * The pointers of lost members may be spans of the message, which may be
     * freed first.
     */

    for (i = 0; i < made->loss.nitems; i++) {
        if (parley_arena_str(&made->arena, made->loss.items[i],
                             &made->loss.items[i])
            != 0)
        {
            made->loss.failed = 1;
        }
    }

    if (made->loss.failed
        || parley_arena_str(&made->arena, text, &made->text) != 0)
    {
        parley_made_free(made);
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    *ret = made;

    return 0;
}


parley_text
parley_made_text(const parley_made *made)
{
    return (parley_text) { (const char *) made->text.data, made->text.len };
}


parley_text
parley_made_lost(const parley_made *made, unsigned i)
{
    if (i >= made->loss.nitems) {
        return (parley_text) { NULL, 0 };
    }

    return (parley_text) {
        (const char *) made->loss.items[i].data, made->loss.items[i].len
    };
}


void
parley_made_free(parley_made *made)
{
    if (made != NULL) {
        parley_arena_reset(&made->arena);
        free(made);
    }
}
