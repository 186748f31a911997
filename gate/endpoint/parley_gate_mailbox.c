/*
 * Opens the stream of a conversation (?conversation=slack/T123/C123) or of the
 * caller's mailbox, by GET at a host of chat.  One
 * mailbox has one stream: that of the newest session.  The roster has it under
 * one name, so a later GET ends the earlier stream.
 */

#include <string.h>

#include "core/parley_hex.h"
#include "gate/host/parley_attention.h"
#include "gate/host/parley_host.h"
#include "gate/host/parley_host_digest.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/message/parley_stream_request.h"
#include "gate/party/parley_address.h"
#include "gate/settings/parley_settings.h"
#include "state/parley_log.h"


#define PARLEY_MAILBOX_CARDS  64

/* begin of a card; the age of the session follows, in hexadecimal digits that
   are greater for a newer session */
#define PARLEY_MAILBOX_CARD   "{\"protocol\":\"c2a\",\"issued\":\""
#define PARLEY_MAILBOX_AGE    16


static int parley_gate_mailbox_open(parley_gate_t *g,
    const parley_chat_session_t *session, parley_stream_request_t *o);
static int parley_gate_mailbox_conversation(parley_gate_t *g,
    parley_stream_request_t *o);
static int parley_gate_mailbox_card(parley_gate_t *g,
    const parley_chat_session_t *session, parley_str_t *ret);
static int parley_gate_mailbox_newest(parley_gate_t *g,
    const parley_subscription_t *s);
static int parley_gate_mailbox_late(parley_gate_t *g, const char *text);


parley_step_result_t
parley_gate_mailbox(parley_gate_t *g)
{
    int                       rc;
    parley_chat_session_t     session;
    parley_stream_request_t  *o;

    rc = parley_gate_stream_request(g, &o);

    if (rc == 0) {
        rc = parley_host_session(g, &session);
    }

    if (rc == 0) {
        rc = o->conversation.len > 0
             ? parley_gate_mailbox_conversation(g, o)
             : parley_gate_mailbox_open(g, &session, o);
    }

    if (rc != 0) {
        return parley_step_result(rc);
    }

    g->serve.opening = o;

    return PARLEY_RESULT_ANSWERED;
}


static int
parley_gate_mailbox_open(parley_gate_t *g,
    const parley_chat_session_t *session, parley_stream_request_t *o)
{
    int                      rc;
    parley_subscription_t   *s;

    s = &o->subscription;

    if (!s->owns || !parley_attention_has_mailbox(g->who->principal)) {
        return parley_error_set(g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "the caller has no mailbox at this path");
    }

    if (!session->chat) {
        return parley_gate_mailbox_late(g, "a session without C2A's version "
                                        "or \"delivery\":{\"ack\":true} in "
                                        "initialize has no stream");
    }

    o->session = PARLEY_STR(PARLEY_HOST_SESSION);
    s->session = o->session;
    o->reader.modes = session->modes;
    o->reader.interrupt = session->interrupt;

    if (parley_gate_mailbox_card(g, session, &s->card) != 0) {
        return parley_error_memory(g->err);
    }

    rc = parley_gate_mailbox_newest(g, s);

    if (rc == 0) {
        rc = parley_host_hide(g, &o->reader.hidden);
    }

    if (rc == 0) {
        rc = parley_host_digest_begin(g, session);
    }

    if (rc != 0) {
        return rc;
    }

    s->lost = 0;
    s->told = 0;

    return parley_host_begin_after(g, s->log, g->who->principal->sub,
                                   &s->from);
}


/*
 * Opens the stream of a conversation: after Last-Event-ID, else after the
 * newest event.  The place is found before the permission is checked, so the
 * stream has each later removal of the caller.
 */

static int
parley_gate_mailbox_conversation(parley_gate_t *g, parley_stream_request_t *o)
{
    parley_place_t           from;
    parley_subscription_t   *s;

    s = &o->subscription;
    from = s->from;

    o->reader.mailbox = NULL;
    o->reader.conversation = g->who->principal;
    o->reader.removed = parley_arena_calloc(g->arena, 1);

    if (o->reader.removed == NULL) {
        return parley_error_memory(g->err);
    }

    s->owns = 0;

    return parley_host_begin_reading(g, o->conversation, o->log,
                                     from.epoch == 0 && !s->lost ? &s->from
                                                                 : &from);
}


static int
parley_gate_mailbox_card(parley_gate_t *g,
    const parley_chat_session_t *session, parley_str_t *ret)
{
    int           i;
    uint8_t       age[PARLEY_MAILBOX_AGE], text[2 * PARLEY_MAILBOX_AGE];
    parley_buf_t  b;

    for (i = 0; i < 8; i++) {
        age[i] = (uint8_t) ((uint64_t) session->issued_ms >> (56 - 8 * i));
        age[8 + i] = session->random[i];
    }

    (void) parley_hex_write(text, age, sizeof(age));

    parley_buf_init(&b, g->arena, 0);
    parley_buf_lit(&b, PARLEY_MAILBOX_CARD);
    parley_buf_str(&b, parley_str_make(text, sizeof(text)));
    parley_buf_lit(&b, "\"}");

    return parley_buf_done(&b, ret);
}


/* Refuses a session that is older than that of the open stream. */

static int
parley_gate_mailbox_newest(parley_gate_t *g, const parley_subscription_t *s)
{
    int                    i, rc;
    uint32_t               at;
    parley_str_t           address;
    parley_roster_page_t   page;

    at = 0;
    rc = parley_address_of(g->arena, g->who->principal, &address) == 0
         ? parley_gate_publish_roster(g, address, PARLEY_MAILBOX_CARDS, &at,
                                      &page)
         : -1;

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0 || page.n < 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    for (i = 0; i < page.n; i++) {
        if (parley_str_is(page.list[i].session, PARLEY_HOST_SESSION)
            && page.list[i].card.len == s->card.len
            && memcmp(page.list[i].card.data, s->card.data, s->card.len) > 0)
        {
            return parley_gate_mailbox_late(g, "a newer session has the stream "
                                            "of this mailbox");
        }
    }

    return 0;
}


/* A client of MCP takes 405 for "no stream here", and uses tools. */

static int
parley_gate_mailbox_late(parley_gate_t *g, const char *text)
{
    return parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL, "%s",
                            text);
}
