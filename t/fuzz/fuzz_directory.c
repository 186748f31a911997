/*
 * Identities.  Accepted ones are consistent: each name leads to its principal,
 * and each chain of parents ends.
 */

#include <stdlib.h>

#include "auth/parley_directory.h"
#include "gate/settings/parley_identities.h"
#include "t/fuzz/parley_fuzz.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
consistent(const parley_directory_t *dir)
{
    size_t                     i, n, steps;
    unsigned                   space;
    const parley_principal_t  *all, *p;

    n = parley_directory_principals(dir, &all);

    for (i = 0; i < n; i++) {
        check(parley_directory_by_sub(dir, all[i].sub) == &all[i]);

        for (space = 0; space < PARLEY_NAMESPACE_COUNT; space++) {
            if (all[i].names[space].len != 0) {
                check(parley_namespace_name_is((parley_namespace_t) space,
                                               all[i].names[space]));
                check(parley_directory_by_name(dir,
                                               (parley_namespace_t) space,
                                               all[i].names[space])
                      == &all[i]);
            }
        }

        steps = 0;

        for (p = &all[i]; p != NULL; p = p->above) {
            check(++steps <= n);
        }

        check((all[i].above != NULL) == (all[i].parent.len != 0));
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_arena_t       arena;
    parley_error_t       err;
    parley_directory_t  *dir;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_directory_parse(&arena, parley_str_make(data, size),
                               parley_identities_party, &dir, &err)
        == 0)
    {
        consistent(dir);

    } else {
        check(dir == NULL);
        check(err.code != PARLEY_E_NONE);
    }

    parley_directory_free(dir);
    parley_arena_reset(&arena);

    return 0;
}
