#include "gate/settings/parley_challenge.h"
#include "core/parley_buf.h"
#include "auth/parley_glob.h"


static void parley_challenge_text(parley_buf_t *b, parley_str_t text);
static void parley_challenge_scope(parley_buf_t *b,
    const parley_glob_t *lacks);


int
parley_realm_vet(parley_str_t realm)
{
    size_t  i;

    for (i = 0; i < realm.len; i++) {
        if (realm.data[i] < 0x20 || realm.data[i] > 0x7E
            || realm.data[i] == '"' || realm.data[i] == '\\')
        {
            return -1;
        }
    }

    return realm.len > 0 ? 0 : -1;
}


int
parley_realm_vet_metadata(parley_str_t url)
{
    return parley_realm_vet(url) == 0
           && memchr(url.data, ' ', url.len) == NULL
           && (parley_str_begins(url, "https://")
               || parley_str_begins(url, "http://"))
           ? 0 : -1;
}


int
parley_challenge(parley_arena_t *arena, const parley_realm_t *realm,
    const parley_error_t *err, const parley_glob_t *lacks, parley_str_t *ret)
{
    int           scope;
    parley_buf_t  b;

    *ret = parley_str_none;

    scope = err->code == PARLEY_E_SCOPE_UNAUTHORISED && lacks != NULL;

    if (!scope && parley_error_info(err->code)->http != 401) {
        return 0;
    }

    parley_buf_init(&b, arena, 256);

    parley_buf_lit(&b, "Bearer realm=\"");
    parley_buf_str(&b, realm->realm);
    parley_buf_octet(&b, '"');

    /* RFC 6750, section 3.1: a request without a token gets no error code */

    if (err->code != PARLEY_E_TOKEN_MISSING) {

        if (scope) {
            parley_buf_lit(&b, ", error=\"insufficient_scope\"");
            parley_challenge_scope(&b, lacks);

        } else {
            parley_buf_lit(&b, ", error=\"invalid_token\"");
        }

        if (err->text[0] != '\0') {
            parley_buf_lit(&b, ", error_description=\"");
            parley_challenge_text(&b, parley_str_c(err->text));
            parley_buf_octet(&b, '"');
        }
    }

    if (realm->metadata.len > 0) {
        parley_buf_lit(&b, ", resource_metadata=\"");
        parley_buf_str(&b, realm->metadata);
        parley_buf_octet(&b, '"');
    }

    return parley_buf_done(&b, ret);
}


/*
 * Replaces characters that neither an error_description nor a scope may have.
 */

static void
parley_challenge_text(parley_buf_t *b, parley_str_t text)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (c == '"' || c == '\\') {
            c = '\'';

        } else if (c < 0x20 || c > 0x7E) {
            c = '?';
        }

        parley_buf_octet(b, c);
    }
}


static void
parley_challenge_scope(parley_buf_t *b, const parley_glob_t *lacks)
{
    size_t  i;

    for (i = 0; i < lacks->n; i++) {

        if ((lacks->starred & (1u << i)) == 0) {
            parley_buf_lit(b, ", scope=\"");
            parley_challenge_text(b, lacks->choices[i]);
            parley_buf_octet(b, '"');
            return;
        }
    }
}
