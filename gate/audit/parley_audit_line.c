/* The members of lines about messages. */

#include <string.h>

#include "gate/audit/parley_audit_parts.h"
#include "core/parley_hex.h"
#include "core/parley_utf8.h"


static int parley_audit_member(parley_buf_t *b, const char *name,
    parley_str_t value);
static void parley_audit_code(parley_buf_t *b, parley_code_t code);
static void parley_audit_unicode(parley_buf_t *b, uint32_t cp);
static void parley_audit_unit(parley_buf_t *b, uint32_t unit);


int
parley_audit_verdict(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_verdict_t *v, uint64_t *ret)
{
    int           cut;
    char          hex[2 * PARLEY_SHA256_LEN + 1];
    parley_buf_t  b;

    parley_audit_open(a, &b, arena, "verdict");

    *ret = a->head.seq + 1;

    if (v->connection != 0) {
        parley_buf_lit(&b, ",\"connection\":");
        parley_buf_int(&b, (int64_t) v->connection);
    }

    cut = parley_audit_member(&b, "remote", v->remote);
    cut |= parley_audit_member(&b, "location", v->location);
    cut |= parley_audit_member(&b, "principal", v->principal);
    cut |= parley_audit_member(&b, "surface", v->surface);
    cut |= parley_audit_member(&b, "protocol", v->protocol);
    cut |= parley_audit_member(&b, "upstream", v->upstream);
    cut |= parley_audit_member(&b, "type", v->type);
    cut |= parley_audit_member(&b, "intent", v->intent);
    cut |= parley_audit_member(&b, "from", v->from);
    cut |= parley_audit_member(&b, "to", v->to);
    cut |= parley_audit_member(&b, "id", v->id);
    cut |= parley_audit_member(&b, "correlation", v->correlation);
    cut |= parley_audit_member(&b, "answers", v->answers);
    cut |= parley_audit_member(&b, "in_vain", v->in_vain);
    cut |= parley_audit_member(&b, "verdict", v->verdict);
    cut |= parley_audit_member(&b, "step", v->step);
    parley_audit_code(&b, v->code);

    if (v->digest != NULL) {
        parley_hex(v->digest, PARLEY_SHA256_LEN, hex);
        parley_buf_lit(&b, ",\"digest\":\"");
        parley_buf_put(&b, hex, 2 * PARLEY_SHA256_LEN);
        parley_buf_octet(&b, '"');
    }

    if (v->payload.len > 0) {
        parley_buf_lit(&b, ",\"payload\":");
        (void) parley_audit_string(&b, v->payload, v->payload.len);
    }

    if (cut) {
        parley_buf_lit(&b, ",\"cut\":true");
    }

    return parley_audit_close(a, &b);
}


int
parley_audit_outcome(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_outcome_t *o)
{
    int           cut;
    parley_buf_t  b;

    parley_audit_open(a, &b, arena, "outcome");
    parley_buf_lit(&b, ",\"of\":");
    parley_buf_int(&b, (int64_t) o->of);

    cut = parley_audit_member(&b, "id", o->id);
    cut |= parley_audit_member(&b, "outcome", o->outcome);
    cut |= parley_audit_member(&b, "settled", o->settled);
    parley_audit_code(&b, o->code);

    if (o->status != 0) {
        parley_buf_lit(&b, ",\"status\":");
        parley_buf_int(&b, o->status);
    }

    cut |= parley_audit_member(&b, "failure", o->failure);
    cut |= parley_audit_member(&b, "responder", o->responder);

    if (o->left) {
        parley_buf_lit(&b, ",\"left\":true");
    }

    if (cut) {
        parley_buf_lit(&b, ",\"cut\":true");
    }

    return parley_audit_close(a, &b);
}


int
parley_audit_delivery(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_delivery_t *d)
{
    int           cut;
    parley_buf_t  b;

    parley_audit_open(a, &b, arena, d->deadline ? "deadline" : "delivery");

    cut = parley_audit_member(&b, "id", d->id);
    cut |= parley_audit_member(&b, "principal", d->principal);
    cut |= parley_audit_member(&b, "recipient", d->recipient);
    cut |= parley_audit_member(&b, "outcome", d->outcome);
    cut |= parley_audit_member(&b, "why", d->why);

    parley_buf_lit(&b, ",\"attempts\":");
    parley_buf_int(&b, d->attempts);

    if (cut) {
        parley_buf_lit(&b, ",\"cut\":true");
    }

    return parley_audit_close(a, &b);
}


int
parley_audit_chat(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_chat_t *c)
{
    int           cut;
    parley_buf_t  b;

    parley_audit_open(a, &b, arena, "chat");

    cut = parley_audit_member(&b, "what", parley_str_c(c->what));
    cut |= parley_audit_member(&b, "id", c->id);
    cut |= parley_audit_member(&b, "actor", c->actor);
    cut |= parley_audit_member(&b, "reader", c->reader);
    cut |= parley_audit_member(&b, "row", c->row);
    cut |= parley_audit_member(&b, "policy", c->policy);
    cut |= parley_audit_member(&b, "mode", c->mode);
    cut |= parley_audit_member(&b, "disposition", c->disposition);

    if (cut) {
        parley_buf_lit(&b, ",\"cut\":true");
    }

    return parley_audit_close(a, &b);
}


int
parley_audit_gateway(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_gateway_t *g)
{
    int           cut;
    parley_buf_t  b;

    parley_audit_open(a, &b, arena, "gateway");

    cut = parley_audit_member(&b, "host", g->host);
    cut |= parley_audit_member(&b, "node", g->node);
    cut |= parley_audit_member(&b, "outcome", g->outcome);

    if (cut) {
        parley_buf_lit(&b, ",\"cut\":true");
    }

    return parley_audit_close(a, &b);
}


int
parley_audit_moq(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_moq_t *l)
{
    int           cut;
    parley_buf_t  b;

    parley_audit_open(a, &b, arena, l->track ? "track" : "session");

    parley_buf_lit(&b, ",\"connection\":");
    parley_buf_int(&b, (int64_t) l->connection);

    cut = parley_audit_member(&b, "remote", l->remote);
    cut |= parley_audit_member(&b, "location", l->location);
    cut |= parley_audit_member(&b, "principal", l->principal);
    cut |= parley_audit_member(&b, l->track ? "track" : "session", l->name);
    cut |= parley_audit_member(&b, "agent", l->agent);

    if (l->track) {
        cut |= parley_audit_member(&b, "role", l->publishes
                                               ? PARLEY_STR("publisher")
                                               : PARLEY_STR("subscriber"));
    }

    cut |= parley_audit_member(&b, "outcome", l->outcome);
    cut |= parley_audit_member(&b, "why", l->why);

    if (cut) {
        parley_buf_lit(&b, ",\"cut\":true");
    }

    return parley_audit_close(a, &b);
}


int
parley_audit_may(parley_audit_t *a, parley_code_t code)
{
    int64_t                now, seconds;
    parley_audit_flood_t  *f = &a->flood;

    now = a->env.now(a->env.ctx);

    if (now < f->filled) {
        f->filled = now;
    }

    seconds = (now - f->filled) / 1000;

    if (seconds > 0) {
        f->filled += seconds * 1000;
        f->tokens = seconds >= PARLEY_AUDIT_BURST - (int64_t) f->tokens
                    ? PARLEY_AUDIT_BURST : f->tokens + (uint32_t) seconds;
    }

    if (f->tokens > 0) {
        f->tokens--;
        return 1;
    }

    if (f->count == 0) {
        f->since = now;
    }

    f->count++;
    f->counts[code < PARLEY_E_COUNT ? code : PARLEY_E_NONE]++;

    return 0;
}


int
parley_audit_suppressed(parley_audit_t *a, parley_arena_t *arena)
{
    unsigned               i, n;
    parley_buf_t           b;
    parley_audit_flood_t  *f = &a->flood;

    if (f->count == 0) {
        return 0;
    }

    parley_audit_open(a, &b, arena, "suppressed");
    parley_buf_lit(&b, ",\"since\":");
    parley_audit_put_time(&b, f->since);
    parley_buf_lit(&b, ",\"count\":");
    parley_buf_int(&b, (int64_t) f->count);
    parley_buf_lit(&b, ",\"codes\":{");

    for (i = PARLEY_E_NONE + 1, n = 0; i < PARLEY_E_COUNT; i++) {

        if (f->counts[i] == 0) {
            continue;
        }

        if (n++ > 0) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_octet(&b, '"');
        parley_buf_str(&b, parley_error_info((parley_code_t) i)->word);
        parley_buf_lit(&b, "\":");
        parley_buf_int(&b, (int64_t) f->counts[i]);
    }

    parley_buf_octet(&b, '}');

    if (parley_audit_close(a, &b) != 0) {
        return -1;
    }

    f->count = 0;
    memset(f->counts, 0, sizeof(f->counts));

    return 0;
}


/* Returns whether the value was cut; an empty one has no member. */

static int
parley_audit_member(parley_buf_t *b, const char *name, parley_str_t value)
{
    if (value.len == 0) {
        return 0;
    }

    parley_buf_lit(b, ",\"");
    parley_buf_str(b, parley_str_c(name));
    parley_buf_lit(b, "\":");

    return parley_audit_string(b, value, PARLEY_AUDIT_TEXT_MAX);
}


static void
parley_audit_code(parley_buf_t *b, parley_code_t code)
{
    if (code != PARLEY_E_NONE) {
        (void) parley_audit_member(b, "code", parley_error_info(code)->word);
    }
}


int
parley_audit_string(parley_buf_t *b, parley_str_t s, size_t max)
{
    size_t          n;
    const uint8_t  *p, *end, *last;

    p = s.data;
    end = p + s.len;
    last = s.len > max ? p + max : end;

    parley_buf_octet(b, '"');

    while (p < last) {

        if (*p >= 0x20 && *p < 0x7F) {

            if (*p == '"' || *p == '\\') {
                parley_buf_octet(b, '\\');
            }

            parley_buf_octet(b, *p++);
            continue;
        }

        if (*p < 0x80) {
            parley_audit_unit(b, *p++);
            continue;
        }

        n = parley_utf8_len(p, end);

        if (n == 0) {
            parley_audit_unit(b, 0xFFFD);
            p++;
            continue;
        }

        if ((size_t) (last - p) < n) {
            break;
        }

        parley_audit_unicode(b, parley_utf8_get(p, n));
        p += n;
    }

    parley_buf_octet(b, '"');

    return last < end;
}


static void
parley_audit_unicode(parley_buf_t *b, uint32_t cp)
{
    if (parley_utf8_is_noncharacter(cp)) {
        parley_audit_unit(b, 0xFFFD);
        return;
    }

    if (cp < 0x10000) {
        parley_audit_unit(b, cp);
        return;
    }

    parley_audit_unit(b, 0xD800 + ((cp - 0x10000) >> 10));
    parley_audit_unit(b, 0xDC00 + ((cp - 0x10000) & 0x3FF));
}


static void
parley_audit_unit(parley_buf_t *b, uint32_t unit)
{
    char     hex[5];
    uint8_t  octets[2];

    octets[0] = (uint8_t) (unit >> 8);
    octets[1] = (uint8_t) unit;

    parley_hex(octets, 2, hex);
    parley_buf_lit(b, "\\u");
    parley_buf_put(b, hex, 4);
}
