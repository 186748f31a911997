#include <string.h>

#include "auth/parley_revocation.h"
#include "core/parley_id.h"
#include "gate/correlation/parley_seal.h"
#include "gate/delivery/parley_dial.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_job_subject.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"


/* doublings of the shortest pause, and the longest pause without its random
   part */
#define PARLEY_DIAL_DOUBLE  5
#define PARLEY_DIAL_BASE    20000


/* the greeting of a peer */
typedef struct {
    const parley_principal_t  *to;
    parley_proto_t             proto;
    parley_str_t               name;    /* AEE name of the peer */
} parley_dial_greeting_t;


static int parley_dial_greeting_text(const parley_render_t *d,
    parley_dial_greeting_t *greeting, const uint8_t random[16], int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret, parley_error_t *err);
static int parley_dial_resolve(void *ctx, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


int
parley_dial_job(parley_arena_t *arena, const parley_state_t *state,
    parley_str_t sub, parley_job_t *ret)
{
    parley_str_t  parts[2];

    memset(ret, 0, sizeof(parley_job_t));

    parts[0] = PARLEY_STR("dial");
    parts[1] = sub;

    parley_state_key(state, PARLEY_KIND_LANE, parts, 2, ret->lane);

    ret->lasts = INT64_MAX;
    ret->class = PARLEY_JOB_LASTING;
    ret->sole = 1;

    return parley_job_subject_write(arena, PARLEY_SUBJECT_DIAL, sub,
                                    &ret->text);
}


const char *
parley_dial_begin(const parley_settings_http_t *http, parley_str_t sub,
    const parley_principal_t **ret_to, parley_url_t *ret_url)
{
    *ret_to = http->directory != NULL
              ? parley_directory_by_sub(http->directory, sub) : NULL;

    if (*ret_to == NULL || http->dials == NULL
        || parley_url_parse((*ret_to)->deliver, ret_url) != NULL
        || !ret_url->dials
        || !parley_hosts_have(http->deliver_hosts, ret_url->host,
                              ret_url->port))
    {
        *ret_to = NULL;
        return "the identities have no allowed wss URL for it now";
    }

    return parley_revocations_principal(parley_settings_revocations(http), sub)
           ? "it is revoked" : NULL;
}


int
parley_dial_greeting(const parley_render_t *d, const parley_principal_t *to,
    const uint8_t random[16], int64_t now_ms, parley_arena_t *arena,
    parley_str_t *ret, parley_error_t *err)
{
    parley_msg_t            msg;
    parley_json_t           doc;
    parley_loss_t           loss;
    parley_seal_t           seal;
    parley_encoded_t        made;
    parley_encode_opts_t    opts;
    parley_dial_greeting_t  greeting;

    memset(&msg, 0, sizeof(parley_msg_t));
    memset(&made, 0, sizeof(parley_encoded_t));
    memset(&opts, 0, sizeof(parley_encode_opts_t));

    parley_error_clear(err);

    greeting.to = to;
    greeting.proto = d->http->dials->stream->proto;

    if (parley_dial_greeting_text(d, &greeting, random, now_ms, arena, ret, err)
        != 0)
    {
        return -1;
    }

    seal.arena = arena;
    seal.key = d->http->signing;

    parley_seal_opts(&seal, &opts);
    parley_loss_init(&loss, arena);
    parley_deliver_opts(d->http, greeting.proto, &opts);

    opts.resolve = parley_dial_resolve;
    opts.resolve_ctx = &greeting;

    if (parley_json_read(&doc, arena, &parley_json_limits_default, d->seed,
                         *ret, err)
        != 0
        || parley_decode(d->engine, arena, PARLEY_PROTO_CANONICAL, &doc, 0,
                         &msg, err)
           != 0
        || parley_encode(d->engine, arena, greeting.proto, &msg, &opts, &made,
                         &loss, err)
           != 0)
    {
        return -1;
    }

    *ret = made.body;

    return 0;
}


/* Writes the greeting as an AEE event. */

static int
parley_dial_greeting_text(const parley_render_t *d,
    parley_dial_greeting_t *greeting, const uint8_t random[16], int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret, parley_error_t *err)
{
    char                      id[PARLEY_UUID_LEN + 1];
    parley_buf_t              b;
    parley_who_t              who;
    parley_msg_t              msg;
    parley_str_t              fields[2];
    parley_own_event_t        event;
    const parley_settings_t  *s;

    memset(&who, 0, sizeof(parley_who_t));
    memset(&msg, 0, sizeof(parley_msg_t));

    who.directory = d->http->directory;
    who.principal = greeting->to;
    parley_who_about(&who, arena, &msg);

    greeting->name = parley_who_name(&who, PARLEY_PROTO_CANONICAL);

    if (greeting->name.len == 0) {
        return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                                "the peer's name has no equivalent in AEE");
    }

    fields[0] = greeting->to->sub;
    fields[1] = parley_str_make(random, 16);

    if (parley_uuid_derive(7, now_ms, fields, 2, id) != 0) {
        return parley_error_memory(err);
    }

    s = d->http->dials;

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, "{\"context\":");
    parley_buf_json_string(&b, s->context.text);
    parley_buf_lit(&b, ",\"constitution_ref\":");
    parley_buf_json_string(&b, s->constitution.text);
    parley_buf_octet(&b, '}');

    event.id = parley_str_make((const uint8_t *) id, PARLEY_UUID_LEN);
    event.from = d->http->self_names[PARLEY_PROTO_CANONICAL];
    event.to = greeting->name;
    event.now_ms = now_ms;
    event.intent = parley_codecs[greeting->proto]->binding->greeting;

    return parley_buf_done(&b, &event.payload) == 0
           && parley_codecs[PARLEY_PROTO_CANONICAL]->event(arena, &event, ret)
              == 0 ? 0 : parley_error_memory(err);
}


static int
parley_dial_resolve(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    const parley_dial_greeting_t  *greeting = ctx;

    if (from != PARLEY_PROTO_CANONICAL || to != greeting->proto
        || !parley_str_eq(name, greeting->name))
    {
        return 0;
    }

    *ret = greeting->to->names[to];

    return 1;
}


uint32_t
parley_dial_delay(unsigned n, uint32_t random)
{
    uint32_t  base;

    base = n > PARLEY_DIAL_DOUBLE ? PARLEY_DIAL_BASE
           : (uint32_t) PARLEY_DIAL_MIN << (n > 0 ? n - 1 : 0);

    return base + random % (base / 2 + 1);
}


int
parley_dial_receipt(parley_proto_t proto, parley_str_t text,
    const parley_json_limits_t *limits, uint64_t seed, parley_arena_t *arena,
    parley_receipt_t *ret)
{
    parley_json_t   doc;
    parley_error_t  err;

    memset(ret, 0, sizeof(parley_receipt_t));

    return parley_codecs[proto]->receipt != NULL
           && parley_json_read(&doc, arena, limits, seed, text, &err) == 0
           && parley_codecs[proto]->receipt(&doc, ret);
}
