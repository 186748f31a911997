/*
 * Checks a message that a service sends without being asked, and writes it in
 * the client's protocol: an event of an event stream of the service (GW-33), or
 * a text of its WebSocket.
 */

#include <string.h>

#include "gate/party/parley_address.h"
#include "translate/parley_engine.h"
#include "gate/message/parley_gate_steps.h"
#include "translate/parley_intents.h"
#include "gate/settings/parley_reserved.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_name.h"


/* the message, and its parties */
typedef struct {
    parley_msg_t  msg;
    parley_who_t  who;
} parley_unasked_read_t;


static int parley_unasked_read(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc, parley_unasked_read_t *ret);
static int parley_unasked_sender(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m);
static int parley_unasked_recipient(parley_gate_t *g,
    parley_unasked_read_t *m);
static int parley_unasked_principal(parley_gate_t *g, parley_unasked_read_t *m);
static int parley_unasked_translate(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m, parley_encoded_t *ret);
static int parley_unasked_correlate(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m, parley_correlation_t *ret);
static int parley_unasked_is_callers(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m);
static int parley_unasked_is_answer(const parley_msg_t *m);
static int parley_unasked_submit(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m);
static int parley_unasked_encode(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m, const parley_msg_t *answering,
    parley_encoded_t *ret);
static int parley_unasked_failed(parley_gate_t *g);


int
parley_gate_unasked(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc, parley_str_t data, parley_encoded_t *ret)
{
    int                    rc;
    parley_correlation_t   r;
    parley_unasked_read_t  m;

    memset(ret, 0, sizeof(parley_encoded_t));

    if (parley_unasked_read(g, arena, doc, &m) != 0) {
        return parley_unasked_failed(g);
    }

    if (g->read.proto == g->conf.gate->speak) {
        ret->copied = 1;
        ret->body = data;
        ret->id = m.msg.id;

        rc = g->serve.socket && parley_unasked_is_answer(&m.msg)
             ? parley_unasked_correlate(g, arena, &m, &r) : 0;

    } else {
        rc = parley_unasked_translate(g, arena, &m, ret);
    }

    return rc == -1 ? parley_unasked_failed(g) : rc;
}


/* Decodes a message and checks its parties, and the payload by its intent. */

static int
parley_unasked_read(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc, parley_unasked_read_t *ret)
{
    parley_msg_t          *m;
    const parley_codec_t  *codec;

    m = &ret->msg;
    codec = parley_codecs[g->conf.gate->speak];

    memset(&ret->who, 0, sizeof(parley_who_t));

    if (parley_decode(g->engine, arena, codec->proto, doc, 0, m, g->err)
        != 0
        || (!g->conf.gate->any_case && m->id.len > 0 && codec->spelling != NULL
            && codec->spelling(doc, g->err) != 0))
    {
        return -1;
    }

    ret->who.directory = g->conf.http->directory;
    parley_who_about(&ret->who, arena, m);

    if (parley_unasked_sender(g, arena, ret) != 0
        || parley_unasked_recipient(g, ret) != 0)
    {
        return -1;
    }

    return parley_intents_check(g->conf.intents, arena, m, g->err);
}


/* Refuses the gateway's own name as the sender (SEC-08). */

static int
parley_unasked_sender(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m)
{
    int  rc;

    rc = m->msg.sender.len > 0
         ? parley_reserved_like(arena, m->msg.wire, m->msg.sender, g->conf.self)
         : 0;

    return rc == 0 ? 0
           : rc < 0 ? parley_error_memory(g->err)
           : parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID,
                              parley_at(&m->msg, PARLEY_MSG_SENDER).pointer,
                              "an event must not have the gateway's name as "
                              "its sender");
}


/* Refuses a message between two other parties than the owner of the stream. */

static int
parley_unasked_recipient(parley_gate_t *g, parley_unasked_read_t *m)
{
    int           rc;
    parley_str_t  address, reader;

    reader = g->serve.stream_of;

    if (reader.len == 0 || m->msg.recipient.len == 0
        || parley_name_is_group(m->msg.wire, m->msg.recipient))
    {
        return 0;
    }

    rc = parley_address_reader(&m->who, m->msg.wire, m->msg.recipient,
                               &address);

    if (rc == 0 && !parley_str_eq(address, reader)) {
        rc = parley_address_sender(&m->who, &address);

        if (rc == 1 || (rc == 0 && !parley_str_eq(address, reader))) {
            return parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID,
                                    parley_at(&m->msg,
                                              PARLEY_MSG_RECIPIENT).pointer,
                                    "an event must be to the owner of the "
                                    "stream, or from it");
        }
    }

    return rc < 0 ? parley_error_memory(g->err) : 0;
}


/*
 * Translates a message.  An answer needs its question, as if the service had
 * sent it in a request of its own.  The question stays open, because a client
 * that resumes the stream may get the answer again.
 */

static int
parley_unasked_translate(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m, parley_encoded_t *ret)
{
    int                   rc;
    parley_correlation_t  r;

    if (parley_unasked_submit(g, arena, m) != 0) {
        return -1;
    }

    rc = parley_unasked_correlate(g, arena, m, &r);

    if (rc != 0) {
        return rc;
    }

    if (parley_unasked_encode(g, arena, m, r.answering, ret) != 0) {
        return -1;
    }

    return parley_correlation_check(&r, g->engine, g->conf.intents, ret,
                                    g->err);
}


/*
 * Finds the question of a message.  An answer on a WebSocket needs one that is
 * open, of the caller, between these parties (SEC-08).  An event stream may
 * repeat the answer to a closed question.
 */

static int
parley_unasked_correlate(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m, parley_correlation_t *ret)
{
    int  rc;

    memset(ret, 0, sizeof(parley_correlation_t));

    ret->arena = arena;
    ret->ask = &g->ask;
    ret->msg = &m->msg;
    ret->who = &m->who;
    ret->speak = g->read.proto;

    if (parley_unasked_principal(g, m) != 0) {
        return -1;
    }

    rc = parley_correlation_find(ret, g->err);

    if (rc != 0 || !g->serve.socket || !parley_unasked_is_answer(&m->msg)) {
        return rc;
    }

    rc = ret->question != NULL ? parley_unasked_is_callers(g, arena, m) : 0;

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(g->err) : 0;
    }

    return parley_msg_misrefers(&m->msg, PARLEY_E_REPLY_UNMATCHED,
                                "the answer of the service names a message "
                                "that does not wait for it", g->err);
}


/* Returns whether a message is to the caller, or to a group; -1: no memory. */

static int
parley_unasked_is_callers(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m)
{
    int           rc;
    parley_str_t  own, address;

    if (m->msg.recipient.len == 0 || g->who->principal == NULL) {
        return 1;
    }

    rc = parley_address_of(arena, g->who->principal, &own);

    if (rc != 0) {
        return rc;
    }

    rc = parley_address_reader(&m->who, m->msg.wire, m->msg.recipient,
                               &address);

    return rc != 0 ? rc : parley_str_eq(address, own);
}


/* Returns whether a message names the question that it answers. */

static int
parley_unasked_is_answer(const parley_msg_t *m)
{
    return m->reply_to.len > 0
           && (m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE
               || m->act == PARLEY_ACT_PROGRESS);
}


/* Finds the listed principal of the sender, if there is one. */

static int
parley_unasked_principal(parley_gate_t *g, parley_unasked_read_t *m)
{
    int           rc;
    parley_str_t  address;

    if (m->msg.sender.len == 0) {
        return 0;
    }

    rc = parley_address_sender(&m->who, &address);

    if (rc == 0) {
        m->who.principal = parley_address_owner(g->conf.http->directory,
                                                address);
    }

    return rc < 0 ? parley_error_memory(g->err) : 0;
}


/* Adds the facts that a message does not contain. */

static int
parley_unasked_submit(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m)
{
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(parley_submission_t));

    submission.sender = m->msg.sender;
    submission.recipient = m->msg.recipient;
    submission.ms = g->env->now(g);

    return parley_submit(arena, &m->msg, &submission, g->err);
}


static int
parley_unasked_encode(parley_gate_t *g, parley_arena_t *arena,
    parley_unasked_read_t *m, const parley_msg_t *answering,
    parley_encoded_t *ret)
{
    int                   rc;
    parley_loss_t         lost;
    parley_seal_t         seal;
    parley_encode_opts_t  opts;

    opts = g->out.opts;

    /* the caller was verified, not the sender of this message */

    opts.principal = parley_str_none;
    opts.sig_alg = parley_str_none;
    opts.sig_kid = parley_str_none;
    opts.trace_id = parley_str_none;
    opts.span_id = parley_str_none;
    opts.redact = NULL;
    opts.nredact = 0;
    opts.answering = answering;
    opts.self = g->conf.self[PARLEY_PROTO_CANONICAL];
    opts.now_ms = g->env->now(g);

    seal.arena = arena;
    seal.key = g->conf.key;

    parley_who_opts(&m->who, &opts);
    parley_seal_opts(&seal, &opts);
    parley_loss_init(&lost, arena);
    parley_loss_turn(&lost);

    rc = parley_encode(g->engine, arena, g->read.proto, &m->msg, &opts, ret,
                       &lost, g->err);

    parley_loss_keep(g->loss, &lost);

    return rc;
}


/* Keeps the code of an error only if the service is not its cause. */

static int
parley_unasked_failed(parley_gate_t *g)
{
    if (g->err->code != PARLEY_E_CAPACITY
        && !(g->err->code == PARLEY_E_REPLY_UNMATCHED && g->serve.socket)
        && g->err->code != PARLEY_E_TRANSLATION_UNSUPPORTED
        && g->err->code != PARLEY_E_IDENTITY_UNMAPPABLE)
    {
        g->err->code = PARLEY_E_UPSTREAM_INVALID;
    }

    return -1;
}
