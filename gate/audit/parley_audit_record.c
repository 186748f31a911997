#include <string.h>

#include "gate/audit/parley_audit_record.h"
#include "core/parley_jcs.h"
#include "auth/parley_signature.h"
#include "core/parley_time.h"


static int parley_audit_record_text(const parley_json_t *doc, uint32_t obj,
    parley_str_t name, parley_str_t *ret);
static int parley_audit_record_number(const parley_json_t *doc, uint32_t obj,
    parley_str_t name, uint64_t *ret);
static int parley_audit_record_digest(const parley_json_t *doc, uint32_t obj,
    parley_str_t name, uint8_t ret[PARLEY_SHA256_LEN]);
static int parley_audit_record_digit(uint8_t c);


int
parley_audit_record_read(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_audit_record_t *ret)
{
    parley_str_t          chain, time;
    parley_error_t        err;
    parley_json_limits_t  limits;

    memset(ret, 0, sizeof(parley_audit_record_t));

    if (!parley_str_begins(text, PARLEY_AUDIT_BEGINS)) {
        return -1;
    }

    limits = parley_json_limits_default;
    limits.octets = text.len;
    limits.string = text.len > UINT32_MAX ? UINT32_MAX : (uint32_t) text.len;

    if (parley_json_read(&ret->doc, arena, &limits, seed, text, &err) != 0
        || parley_audit_record_text(&ret->doc, 0, PARLEY_STR("chain"), &chain)
           != 0
        || parley_audit_name_parse(chain, &ret->chain) != 0
        || parley_audit_record_number(&ret->doc, 0, PARLEY_STR("seq"),
                                      &ret->seq)
           != 0
        || ret->seq == 0
        || parley_audit_record_digest(&ret->doc, 0, PARLEY_STR("prev"),
                                      ret->prev)
           != 0
        || parley_audit_record_text(&ret->doc, 0, PARLEY_STR("time"), &time)
           != 0
        || parley_time_parse(time, &ret->time) != 0
        || parley_audit_record_text(&ret->doc, 0, PARLEY_STR("event"),
                                    &ret->event)
           != 0)
    {
        return -1;
    }

    if (parley_json_get(&ret->doc, 0, PARLEY_STR("lost")) != PARLEY_JSON_NONE
        && parley_audit_record_number(&ret->doc, 0, PARLEY_STR("lost"),
                                      &ret->lost)
           != 0)
    {
        return -1;
    }

    return parley_sha256(text, ret->hash);
}


int
parley_audit_record_head(const parley_json_t *doc, uint32_t node,
    parley_audit_head_t *ret)
{
    parley_str_t  chain;

    return (parley_audit_record_text(doc, node, PARLEY_STR("chain"), &chain)
            != 0
            || parley_audit_name_parse(chain, &ret->name) != 0
            || parley_audit_record_number(doc, node, PARLEY_STR("seq"),
                                          &ret->seq)
               != 0
            || ret->seq == 0
            || parley_audit_record_digest(doc, node, PARLEY_STR("hash"),
                                          ret->hash)
               != 0)
           ? -1 : 0;
}


int
parley_audit_record_begins(parley_str_t text)
{
    size_t  n;

    n = sizeof(PARLEY_AUDIT_BEGINS) - 1;

    return memcmp(text.data, PARLEY_AUDIT_BEGINS, text.len < n ? text.len : n)
           == 0;
}


int
parley_audit_record_verify(const parley_audit_record_t *r,
    const parley_jwks_t *keys, parley_arena_t *arena, const char **ret_why)
{
    uint32_t        node;
    parley_buf_t    b;
    parley_str_t    sig, alg, kid, octets;
    parley_error_t  err;

    node = parley_json_get(&r->doc, 0, PARLEY_STR("sig"));

    if (node == PARLEY_JSON_NONE) {
        *ret_why = "the checkpoint is not signed";
        return -1;
    }

    kid = parley_str_none;

    if (parley_json_string(&r->doc, node, &sig) != 0
        || parley_audit_record_text(&r->doc, 0, PARLEY_STR("alg"), &alg) != 0
        || (parley_json_get(&r->doc, 0, PARLEY_STR("kid")) != PARLEY_JSON_NONE
            && parley_audit_record_text(&r->doc, 0, PARLEY_STR("kid"), &kid)
               != 0)
        || r->doc.inexact != PARLEY_JSON_NONE)
    {
        *ret_why = "the signature of the checkpoint is malformed";
        return -1;
    }

    parley_buf_init(&b, arena, r->doc.input.len);
    parley_jcs_write(&b, (parley_json_ref_t) { &r->doc, 0 },
                     PARLEY_STR("sig"));

    if (parley_buf_done(&b, &octets) != 0) {
        *ret_why = "out of memory";
        return -1;
    }

    if (parley_signature_verify(keys, alg, kid, octets, sig, 0, NULL, &err)
        != 0)
    {
        *ret_why = err.code == PARLEY_E_KEY_UNKNOWN
                   ? "the checkpoint is signed with a key that was not given"
                   : "the signature of the checkpoint does not verify";
        return -1;
    }

    return 0;
}


static int
parley_audit_record_text(const parley_json_t *doc, uint32_t obj,
    parley_str_t name, parley_str_t *ret)
{
    uint32_t  node;

    node = parley_json_get(doc, obj, name);

    return node == PARLEY_JSON_NONE ? -1 : parley_json_string(doc, node, ret);
}


static int
parley_audit_record_number(const parley_json_t *doc, uint32_t obj,
    parley_str_t name, uint64_t *ret)
{
    int64_t   n;
    uint32_t  node;

    node = parley_json_get(doc, obj, name);

    if (node == PARLEY_JSON_NONE || parley_json_integer(doc, node, &n) != 0
        || n < 0)
    {
        return -1;
    }

    *ret = (uint64_t) n;

    return 0;
}


static int
parley_audit_record_digest(const parley_json_t *doc, uint32_t obj,
    parley_str_t name, uint8_t ret[PARLEY_SHA256_LEN])
{
    int           high, low;
    size_t        i;
    parley_str_t  s;

    if (parley_audit_record_text(doc, obj, name, &s) != 0
        || s.len != 2 * PARLEY_SHA256_LEN)
    {
        return -1;
    }

    for (i = 0; i < PARLEY_SHA256_LEN; i++) {
        high = parley_audit_record_digit(s.data[2 * i]);
        low = parley_audit_record_digit(s.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return -1;
        }

        ret[i] = (uint8_t) (high << 4 | low);
    }

    return 0;
}


static int
parley_audit_record_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
