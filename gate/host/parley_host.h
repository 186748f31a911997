/*
 * The host of chat (parley_host): it accepts the events of surfaces, decides
 * about each reader (parley_attention.h), and puts them into mailboxes.  A
 * mailbox is the log of its owner's handle.  The words are those of the
 * protocol (parley_chat.h).
 *
 * An event is stored once, in the log of its conversation and in each mailbox,
 * in one append.  Its publication has "views": the rows of its readers.
 * parley_host_view() writes the event for one reader by them.
 */

#ifndef PARLEY_HOST_H
#define PARLEY_HOST_H

#include "gate/delivery/parley_render.h"
#include "gate/message/parley_gate.h"
#include "gate/message/parley_reader.h"
#include "translate/parley_chat.h"


/*
 * Writes the view of an event for one reader, now_ms of the wall clock.  *ret
 * is in the arena.  Returns 0; 1: the reader does not get the event, or its
 * protocol is another one; or -1: no memory.
 */
int parley_host_view(const parley_render_t *d, const parley_publication_t *p,
    const parley_reader_t *reader, parley_proto_t to, int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret)
    __attribute__((warn_unused_result));


/*
 * As parley_host_view(), for a publication without views, a message of another
 * protocol.  text is its form in the protocol "to", as parley_deliver() writes
 * it.  *ret is text if this is not an event.  Returns 0; 1: the event is not
 * offered; or -1: no memory.
 */
int parley_host_view_other(const parley_render_t *d,
    const parley_publication_t *p, parley_str_t text,
    const parley_reader_t *reader, parley_proto_t to, int64_t now_ms,
    parley_arena_t *arena, parley_str_t *ret)
    __attribute__((warn_unused_result));


/*
 * As parley_host_view(), for the URL of a principal, which has all modes.
 * Returns 1 also if the event has ended for the principal: its message was
 * deleted or edited.
 */
int parley_host_url_view(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    int64_t now_ms, parley_arena_t *arena, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* name of the stream of a mailbox in the roster */
#define PARLEY_HOST_SESSION  "mailbox"

/* a conversation of a source */
typedef struct {
    parley_str_t  source;           /* "slack.T123", a parley_surface_name() */
    parley_str_t  id;
} parley_host_conversation_t;

#define PARLEY_HOST_HIDDEN  16

/* conversations that the owner of a mailbox may not read: the events that came
   until a time are not written, unless they are addressed to the owner */
typedef struct parley_host_hidden_s {
    parley_host_conversation_t  list[PARLEY_HOST_HIDDEN];
    unsigned                    n;
    unsigned                    all:1;      /* each conversation */
    int64_t                     ms;
} parley_host_hidden_t;

/*
 * Finds the events after the cursor of the caller's mailbox for which the
 * caller has lost the permission.  *ret is in the arena, or NULL without such
 * events.  Returns 0, PARLEY_WAIT, or -1 with g->err.
 */
int parley_host_hide(parley_gate_t *g, const parley_host_hidden_t **ret)
    __attribute__((warn_unused_result));

/*
 * Finds the log of a conversation, given as slack/T123/C123, and its newest
 * place.  ret->epoch 0: the log is empty.  Returns 0; PARLEY_WAIT; or -1 with
 * g->err: scope-unauthorised, if the caller may not read it.
 */
int parley_host_begin_reading(parley_gate_t *g, parley_str_t conversation,
    uint8_t log[PARLEY_KEY_LEN], parley_place_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reads the session that the request names in Mcp-Session-Id.  Without a name
 * the caller has all modes except digest, and no hard interrupt; such a session
 * is the newest.  Returns 0, or -1 with g->err: session-unknown.
 */
int parley_host_session(parley_gate_t *g, parley_chat_session_t *ret)
    __attribute__((warn_unused_result));

/*
 * Finds the place in a mailbox after which its stream begins: the cursor, up to
 * which its owner has acknowledged events, else before the first record of the
 * log.  ret->epoch 0: the log is empty.  Returns 0, PARLEY_WAIT, or -1 with
 * g->err.
 */
int parley_host_begin_after(parley_gate_t *g, const uint8_t *log,
    parley_str_t sub, parley_place_t *ret)
    __attribute__((warn_unused_result));

/* Returns whether a publication ends the wait of a call of chat, which
   g->publish.held holds.  Allocates nothing. */
int parley_host_wakes(const parley_gate_t *g, const parley_publication_t *p);


#endif /* PARLEY_HOST_H */
