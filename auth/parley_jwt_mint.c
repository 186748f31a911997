#include <sodium.h>

#include "core/parley_base64.h"
#include "core/parley_buf.h"
#include "auth/parley_jws.h"
#include "auth/parley_jwt.h"


static int
parley_jwt_put(parley_buf_t *b, parley_arena_t *arena, parley_str_t octets)
{
    char  *text;

    text = (char *) parley_arena_octets(arena,
                                        PARLEY_BASE64_ENCODED(octets.len));
    if (text == NULL) {
        return -1;
    }

    parley_buf_put(b, text, parley_base64url_encode(octets, text));

    return 0;
}


int
parley_jwt_mint(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_arena_t *arena, parley_str_t typ, parley_str_t claims,
    parley_str_t *ret, parley_error_t *err)
{
    size_t        len;
    uint8_t       sig[PARLEY_JWS_SIGNATURE_MAX];
    parley_buf_t  b;
    parley_str_t  header, part;

    *ret = parley_str_none;

    parley_buf_init(&b, arena, 0);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("alg"), parley_alg_get(alg)->name);

    if (jwk->kid.len != 0) {
        parley_buf_member(&b, PARLEY_STR("kid"), jwk->kid);
    }

    parley_buf_member(&b, PARLEY_STR("typ"), typ);
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &header) != 0) {
        return parley_error_memory(err);
    }

    parley_buf_init(&b, arena, claims.len * 2 + 512);

    if (parley_jwt_put(&b, arena, header) != 0) {
        return parley_error_memory(err);
    }

    parley_buf_octet(&b, '.');

    if (parley_jwt_put(&b, arena, claims) != 0 || b.failed) {
        return parley_error_memory(err);
    }

    part = parley_str_make(b.data, b.len);

    if (parley_jws_sign(jwk, alg, part, sig, &len, err) != 0) {
        return -1;
    }

    parley_buf_octet(&b, '.');

    if (parley_jwt_put(&b, arena, parley_str_make(sig, len)) != 0
        || parley_buf_done(&b, ret) != 0)
    {
        *ret = parley_str_none;
        return parley_error_memory(err);
    }

    return 0;
}
