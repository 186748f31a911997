/* Finds the principal that lists a certificate. */

#include <stdio.h>

#include "auth/parley_certificate.h"
#include "auth/parley_directory_index.h"
#include "auth/parley_directory_instrument.h"


/* Returns the slot of the name, or the free one where it belongs. */

static uint32_t *
parley_directory_certificate_slot(const parley_directory_t *dir,
    const parley_certificate_name_t *name)
{
    uint32_t                          i;
    uint32_t                         *slot;
    const parley_certificate_name_t  *there;

    for (i = parley_directory_hash(name->text) + name->kind; ; i++) {
        slot = &dir->certificates[i & dir->certificates_mask];

        if (*slot == 0) {
            return slot;
        }

        there = dir->listed[*slot - 1].name;

        if (there->kind == name->kind && parley_str_eq(there->text, name->text))
        {
            return slot;
        }
    }
}


static int
parley_directory_list(parley_directory_t *dir, size_t at, size_t index,
    parley_error_t *err)
{
    char                              pointer[PARLEY_POINTER_MAX];
    uint32_t                         *slot;
    const parley_principal_t         *p = &dir->principals[at];
    const parley_certificate_name_t  *name = &p->certificates[index];

    slot = parley_directory_certificate_slot(dir, name);

    if (*slot != 0) {
        (void) snprintf(pointer, sizeof(pointer),
                        "/principals/%zu/certificates/%zu", at, index);

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "the certificate is also that of "
                                "/principals/%zu",
                                (size_t) (dir->listed[*slot - 1].principal
                                          - dir->principals));
    }

    dir->listed[dir->nlisted].name = name;
    dir->listed[dir->nlisted].principal = p;
    dir->nlisted++;

    *slot = (uint32_t) dir->nlisted;

    return 0;
}


int
parley_directory_certificates_index(parley_directory_t *dir,
    parley_arena_t *arena, parley_error_t *err)
{
    size_t  i, k, n, size;

    n = 0;

    for (i = 0; i < dir->nprincipals; i++) {
        n += dir->principals[i].ncertificates;
    }

    if (n == 0) {
        return 0;
    }

    for (size = 16; size < 2 * n; size *= 2) { /* void */ }

    dir->listed = parley_arena_alloc(arena,
                                     n * sizeof(parley_directory_listed_t));
    dir->certificates = parley_arena_calloc(arena, size * sizeof(uint32_t));
    dir->certificates_mask = (uint32_t) size - 1;

    if (dir->listed == NULL || dir->certificates == NULL
        || size > UINT32_MAX)
    {
        return parley_error_memory(err);
    }

    for (i = 0; i < dir->nprincipals; i++) {
        for (k = 0; k < dir->principals[i].ncertificates; k++) {
            if (parley_directory_list(dir, i, k, err) != 0) {
                return -1;
            }
        }
    }

    return 0;
}


int
parley_directory_has_certificates(const parley_directory_t *dir)
{
    return dir->nlisted > 0;
}


int
parley_directory_by_certificate(const parley_directory_t *dir,
    const parley_certificate_t *certificate, const parley_principal_t **ret,
    const parley_principal_t **ret_other)
{
    size_t                     i;
    uint32_t                   slot;
    const parley_principal_t  *p;

    *ret = NULL;
    *ret_other = NULL;

    if (dir->nlisted == 0) {
        return 0;
    }

    for (i = 0; i < certificate->nnames; i++) {
        slot = *parley_directory_certificate_slot(dir, &certificate->names[i]);

        if (slot == 0) {
            continue;
        }

        p = dir->listed[slot - 1].principal;

        if (*ret != NULL && *ret != p) {
            *ret_other = p;
            return -1;
        }

        *ret = p;
    }

    return 0;
}
