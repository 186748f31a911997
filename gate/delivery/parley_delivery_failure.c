/*
 * The report of an undelivered critical escalation or emergency to the parent
 * of its sender (VCP 5.2, 6).  The report is an AEE event of the gateway with
 * the intent of an escalation for a person, so that a VCP reader gets one:
 *
 *  {"v": "1", "id": ..., "type": "event", "from": "service.parley",
 *   "to": "agent.parent", "intent": "vcp.escalation", "payload":
 *   {"severity": "warning", "reason": "undelivered: critical escalation ...",
 *    "context": ..., "requires_ack": false}}
 *
 * A parent without a name in AEE gets it in a protocol in which it has one: a
 * name that only the syntax gives in AEE does not identify the parent
 * (parley_agent_resolve()).
 *
 * The end of the job and the report are one verb of the state.  The report goes
 * to the parent's log and URL; not to the URL if the delivery to the parent
 * itself failed.  A parent without a URL gets it on its next connection.
 */

#include <string.h>

#include "gate/party/parley_address.h"
#include "translate/parley_severity.h"
#include "core/parley_buf.h"
#include "gate/delivery/parley_delivery.h"
#include "gate/delivery/parley_delivery_route.h"
#include "gate/delivery/parley_publish_to.h"
#include "gate/settings/parley_settings.h"
#include "gate/correlation/parley_seal.h"
#include "translate/parley_engine.h"


#define PARLEY_DELIVERY_FAILURE_SIZE   1024  /* initial octets of the text */
#define PARLEY_DELIVERY_FAILURE_NAMED  256  /* octets of a name that are
                                               reported */


/* data of a report */
typedef struct {
    const parley_render_t     *d;
    const parley_state_t      *state;
    const parley_delivery_t   *delivery;
    const char                *why;
    int64_t                    now_ms;
    parley_arena_t            *arena;
    parley_msg_t               msg;     /* message that was not delivered */
    parley_severity_t          alarm;   /* severity of the message */
    const parley_principal_t  *parent;
    parley_str_t               from;    /* names in AEE */
    parley_str_t               to;
    parley_str_t               id;
    parley_proto_t             proto;   /* protocol of the report */
    parley_str_t               own;     /* parent's name in proto */
} parley_delivery_failure_t;


static int parley_delivery_failure_parties(parley_delivery_failure_t *u);
static int parley_delivery_failure_text(parley_delivery_failure_t *u,
    parley_str_t *ret);
static int parley_delivery_failure_reason(parley_delivery_failure_t *u,
    parley_str_t *ret);
static int parley_delivery_failure_made(parley_delivery_failure_t *u,
    parley_str_t *text);
static int parley_delivery_failure_resolve(void *ctx, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);
static int parley_delivery_failure_append(parley_delivery_failure_t *u,
    parley_str_t text, parley_append_t *ret);


void
parley_delivery_tells(const parley_render_t *d, const parley_state_t *state,
    const parley_delivery_t *delivery, const char *why, int64_t now_ms,
    parley_arena_t *arena, const parley_append_t **ret)
{
    parley_str_t               text;
    parley_append_t           *append;
    parley_delivery_failure_t  u;

    *ret = NULL;

    if ((delivery->kind != PARLEY_SUBJECT_DELIVER
         && delivery->kind != PARLEY_SUBJECT_AWAIT)
        || delivery->publication.message.len == 0
        || d->http->directory == NULL)
    {
        return;
    }

    memset(&u, 0, sizeof(parley_delivery_failure_t));

    u.d = d;
    u.state = state;
    u.delivery = delivery;
    u.why = why;
    u.now_ms = now_ms;
    u.arena = arena;

    append = parley_arena_calloc(arena, sizeof(parley_append_t));

    if (append != NULL && parley_delivery_failure_parties(&u) == 0
        && parley_delivery_failure_text(&u, &text) == 0
        && parley_delivery_failure_made(&u, &text) == 0
        && parley_delivery_failure_append(&u, text, append) == 0)
    {
        *ret = append;
    }
}


static int
parley_delivery_failure_parties(parley_delivery_failure_t *u)
{
    parley_who_t               who;
    parley_json_t              doc;
    parley_error_t             err;
    const parley_principal_t  *sender;

    parley_error_clear(&err);

    sender = parley_directory_by_sub(u->d->http->directory,
                                     u->delivery->publication.sender);

    if (sender == NULL || sender->above == NULL
        || !parley_address_has(sender->above)
        || parley_render_message(u->d, &u->delivery->publication, u->arena,
                                 &u->msg, &doc, &err)
           != 0)
    {
        return -1;
    }

    u->alarm = parley_severity_of(&u->msg, 1);

    if (!parley_severity_escalates(u->alarm)) {
        return -1;
    }

    u->msg.doc = NULL;
    u->parent = sender->above;

    memset(&who, 0, sizeof(parley_who_t));

    who.directory = u->d->http->directory;
    who.principal = u->parent;
    parley_who_about(&who, u->arena, &u->msg);

    u->from = u->d->http->self_names[PARLEY_PROTO_CANONICAL];
    u->to = parley_who_name(&who, PARLEY_PROTO_CANONICAL);

    u->proto = u->parent->names[PARLEY_NAMESPACE_AEE].len > 0
               ? PARLEY_PROTO_CANONICAL
               : parley_delivery_protocol(u->parent, PARLEY_PROTO_CANONICAL);
    u->own = parley_who_name(&who, u->proto);

    return u->from.len > 0 && u->to.len > 0 && u->own.len > 0
           && parley_msg_derive(u->arena, &u->msg, 7, u->msg.id,
                                u->delivery->sub, &u->id)
              == 0 ? 0 : -1;
}


static int
parley_delivery_failure_text(parley_delivery_failure_t *u, parley_str_t *ret)
{
    parley_str_t              reason, context;
    parley_own_event_t        event;
    const parley_settings_t  *s;

    s = u->d->http->listens[PARLEY_PROTO_WARNINGS];
    context = s != NULL && s->context.text.len > 0 ? s->context.text
                                                   : PARLEY_STR("undelivered");

    event.id = u->id;
    event.from = u->from;
    event.to = u->to;
    event.now_ms = u->now_ms;

    return parley_delivery_failure_reason(u, &reason) == 0
           && parley_codecs[PARLEY_PROTO_WARNINGS]
                  ->warning(u->arena, reason, context, &event)
              == 0
           && parley_codecs[PARLEY_PROTO_CANONICAL]
                  ->event(u->arena, &event, ret)
              == 0 ? 0 : -1;
}


static int
parley_delivery_failure_reason(parley_delivery_failure_t *u, parley_str_t *ret)
{
    size_t        i;
    parley_buf_t  b;
    parley_str_t  said;

    const parley_str_t  parts[] = {
        PARLEY_STR("undelivered: "), parley_severity_name(u->alarm),
        PARLEY_STR(" "), u->msg.id, PARLEY_STR(" of "), u->msg.sender,
        PARLEY_STR(" to "), u->msg.recipient, PARLEY_STR(": "),
        parley_str_c(u->why)
    };

    parley_buf_init(&b, u->arena, PARLEY_DELIVERY_FAILURE_SIZE);

    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        said = parts[i];

        if (said.len > PARLEY_DELIVERY_FAILURE_NAMED) {
            said.len = PARLEY_DELIVERY_FAILURE_NAMED;

            while (said.len > 0 && (said.data[said.len] & 0xC0) == 0x80) {
                said.len--;
            }
        }

        parley_buf_put(&b, said.data, said.len);
    }

    return parley_buf_done(&b, ret);
}


static int
parley_delivery_failure_made(parley_delivery_failure_t *u, parley_str_t *text)
{
    parley_msg_t          msg;
    parley_json_t         doc;
    parley_loss_t         loss;
    parley_seal_t         seal;
    parley_error_t        err;
    parley_encoded_t      made;
    parley_encode_opts_t  opts;

    if (u->proto == PARLEY_PROTO_CANONICAL) {
        return 0;
    }

    memset(&msg, 0, sizeof(parley_msg_t));
    memset(&made, 0, sizeof(parley_encoded_t));
    memset(&opts, 0, sizeof(parley_encode_opts_t));

    seal.arena = u->arena;
    seal.key = u->d->http->signing;

    parley_error_clear(&err);
    parley_seal_opts(&seal, &opts);
    parley_loss_init(&loss, u->arena);
    parley_deliver_opts(u->d->http, u->proto, &opts);

    opts.resolve = parley_delivery_failure_resolve;
    opts.resolve_ctx = u;

    if (parley_json_read(&doc, u->arena, &parley_json_limits_default,
                         u->d->seed, *text, &err)
        != 0
        || parley_decode(u->d->engine, u->arena, PARLEY_PROTO_CANONICAL, &doc,
                         0, &msg, &err)
           != 0
        || parley_encode(u->d->engine, u->arena, u->proto, &msg, &opts, &made,
                         &loss, &err)
           != 0
        || (made.id.len == 0
            && parley_encode_id(u->d->engine, u->arena, u->proto, &msg, &made,
                                &err)
               != 0))
    {
        return -1;
    }

    *text = made.body;

    u->id = made.id;
    u->from = u->d->http->self_names[u->proto];
    u->to = u->own;

    return 0;
}


static int
parley_delivery_failure_resolve(void *ctx, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret)
{
    const parley_delivery_failure_t  *u = ctx;

    if (from != PARLEY_PROTO_CANONICAL || to != u->proto
        || !parley_str_eq(name, u->to))
    {
        return 0;
    }

    *ret = u->own;

    return 1;
}


/* A parent with a stream and a URL may get the report twice, with the same
   id. */

static int
parley_delivery_failure_append(parley_delivery_failure_t *u, parley_str_t text,
    parley_append_t *ret)
{
    parley_publish_to_t   notify;
    parley_publication_t  p;

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&notify, 0, sizeof(parley_publish_to_t));

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = u->proto;
    p.from = u->from;
    p.to = u->to;
    p.id = u->id;
    p.ms = u->now_ms;
    p.message = text;

    notify.http = u->d->http;
    notify.state = u->state;
    notify.publication = &p;
    notify.to = u->parent;
    notify.sender = u->from;
    notify.kind = parley_str_eq(u->parent->sub, u->delivery->sub)
                  ? PARLEY_SUBJECT_NONE : PARLEY_SUBJECT_NOTICE;
    notify.awaits = PARLEY_SUBJECT_AWAIT_NOTICE;

    return parley_publish_to(&notify, u->arena, ret);
}
