#include <string.h>

#include "gate/party/parley_bearer.h"
#include "auth/parley_revocation.h"
#include "gate/settings/parley_settings.h"


static int parley_bearer_caller(const parley_revocations_t *list,
    const parley_bearer_t *b, parley_error_t *err);
static int parley_bearer_sender(const parley_revocations_t *list,
    const parley_bearer_t *b, parley_error_t *err);
static void parley_bearer_texts(parley_bearer_t *b, parley_str_t **ret);


#define PARLEY_BEARER_TEXTS  8


int
parley_bearer_revoked(const parley_settings_http_t *http,
    const parley_bearer_t *b, parley_error_t *err)
{
    const parley_revocations_t  *list;

    if (http->revocations == NULL) {
        return 0;
    }

    if (http->revocations->lost) {
        return parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                                "the revocations cannot be read");
    }

    list = http->revocations->list;

    if (parley_revocations_count(list) == 0 || b->sub.len == 0) {
        return 0;
    }

    if (parley_revocations_principal(list, b->author)) {
        return parley_error_set(err, PARLEY_E_POLICY_REFUSED, NULL,
                                "the author is revoked");
    }

    if (b->caller) {

        if (parley_bearer_caller(list, b, err) != 0) {
            return -1;
        }

        if (!b->sig) {
            return 0;
        }
    }

    return parley_bearer_sender(list, b, err);
}


/* Checks a caller with a token or a certificate. */

static int
parley_bearer_caller(const parley_revocations_t *list,
    const parley_bearer_t *b, parley_error_t *err)
{
    const char  *why;

    why = parley_revocations_principal(list, b->sub)
          ? "the principal is revoked" : NULL;

    if (why == NULL && b->token) {
        why = parley_revocations_principal(list, b->actor)
              ? "the actor of the token is revoked"
              : parley_revocations_token_key(list, b->key_issuer, b->kid)
              ? "the key of the token is revoked"
              : parley_revocations_token(list, b->iss, b->jti)
              ? "the token is revoked" : NULL;
    }

    return why == NULL ? 0
           : parley_error_set(err, PARLEY_E_TOKEN_INVALID, NULL, "%s", why);
}


/* Checks a sender that signed, or that is trusted without a proof. */

static int
parley_bearer_sender(const parley_revocations_t *list,
    const parley_bearer_t *b, parley_error_t *err)
{
    if (parley_revocations_principal(list, b->sub)) {
        return parley_error_set(err, b->sig ? PARLEY_E_KEY_UNKNOWN
                                            : PARLEY_E_POLICY_REFUSED, NULL,
                                "the sender is revoked");
    }

    return b->sig && parley_revocations_message_key(list, b->sub, b->sig_kid)
           ? parley_error_set(err, PARLEY_E_KEY_UNKNOWN, NULL,
                              "the sender's key is revoked")
           : 0;
}


parley_bearer_t *
parley_bearer_copy(const parley_mem_t *mem, const parley_bearer_t *b)
{
    size_t            len;
    uint8_t          *p;
    unsigned          i;
    parley_str_t     *texts[PARLEY_BEARER_TEXTS];
    parley_bearer_t  *ret, from = *b;

    parley_bearer_texts(&from, texts);

    len = sizeof(parley_bearer_t);

    for (i = 0; i < PARLEY_BEARER_TEXTS; i++) {
        len += texts[i]->len;
    }

    ret = mem->alloc(mem->ctx, len);

    if (ret == NULL) {
        return NULL;
    }

    *ret = from;
    p = (uint8_t *) (ret + 1);

    parley_bearer_texts(ret, texts);

    for (i = 0; i < PARLEY_BEARER_TEXTS; i++) {

        if (texts[i]->len > 0) {
            memcpy(p, texts[i]->data, texts[i]->len);
        }

        texts[i]->data = p;
        p += texts[i]->len;
    }

    return ret;
}


static void
parley_bearer_texts(parley_bearer_t *b, parley_str_t **ret)
{
    ret[0] = &b->sub;
    ret[1] = &b->actor;
    ret[2] = &b->key_issuer;
    ret[3] = &b->kid;
    ret[4] = &b->iss;
    ret[5] = &b->jti;
    ret[6] = &b->sig_kid;
    ret[7] = &b->author;
}
