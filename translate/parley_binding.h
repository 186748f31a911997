/*
 * A protocol's binding to HTTP: the parts of a request and an answer outside
 * the message, as constants of the codec.  gate/ and the adapters use the
 * binding, and do not depend on a protocol.
 */

#ifndef PARLEY_BINDING_H
#define PARLEY_BINDING_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_BINDING_HEADERS   4  /* maximum headers of a request */
#define PARLEY_BINDING_SESSIONS  2  /* maximum headers that name a session */


/* HTTP answer for the caller */
typedef struct {
    int           status;
    parley_str_t  content_type;
    parley_str_t  body;             /* may be empty */
    parley_str_t  id;               /* id of the message in body, if it can be
                                       fetched by this id; empty: none */
    parley_str_t  message;          /* the upstream's answer in the caller's
                                       protocol, if the caller receives it on
                                       its stream, not in body; empty: none */
    const char   *why;              /* for the log: reason why neither has the
                                       upstream's answer; NULL: one has it */
} parley_reply_t;


/* Context of a message that the gateway answers itself. */
typedef struct {
    parley_proto_t  speak;      /* protocol of the service behind the gateway */

    /* Returns whether the caller may send a message of this form and intent. */
    int           (*may)(void *ctx, parley_str_t form, parley_str_t intent);
    void           *ctx;

    unsigned        published:1;    /* messages are published, and no service
                                       gets them */
} parley_local_t;


typedef struct {
    const parley_str_t  *methods;       /* methods of requests with a message;
                                           an empty one ends the list */
    /*
     * Methods of requests without a message that a service answers: GET for its
     * event stream, DELETE of a session.  An empty one ends the list.  NULL:
     * none.
     */
    const parley_str_t  *relays;

    parley_str_t         media_type;    /* with charset if the protocol has
                                           one */

    /*
     * Headers of a request that the protocol uses, in lower case; an empty one
     * ends the list.  NULL: none.  Submissions and refusals have the values in
     * this order.
     */
    const parley_str_t  *reads;

    /*
     * Headers of an answer that belong to the protocol, in lower case.  They
     * are removed if the answer is replaced.  An empty one ends the list.
     * NULL: none.
     */
    const parley_str_t  *sets;

    /*
     * Headers with which a service assigns a session and its client names it,
     * in lower case; an empty one ends the list.  NULL: none.
     */
    const parley_str_t  *sessions;

    parley_str_t         greeting;      /* intent with which a client of a
                                           WebSocket should begin; empty: any */

    unsigned             scoped:1;      /* the argument scope names the
                                           recipients of a message */
    unsigned             addressed:1;   /* the argument recipient names the
                                           recipient */
    unsigned             responds:1;    /* a final answer is a response, also in
                                           a stream: never a message */
    unsigned             looks:1;       /* clients send GET for a stream when
                                           they connect; 405 says that it is
                                           missing */
    unsigned             single:1;      /* an answer is one JSON object, never a
                                           stream of events */

    /*
     * Answers a message that is only for the gateway.  Returns 1 and *ret; 0 if
     * the message must be forwarded; -1 with *err filled if no service behind
     * the gateway can answer it.  NULL: messages are never for the gateway.
     */
    int                (*local)(parley_arena_t *arena, const parley_msg_t *m,
                           const parley_local_t *local, parley_reply_t *ret,
                           parley_error_t *err);

    /*
     * Returns whether a proven caller may send m to a service that speaks the
     * protocol speak without a rule.  This is so if m opens or keeps a
     * connection, or if its answer contains only allowed messages.  NULL: every
     * message needs a rule.
     */
    int                (*unruled)(const parley_msg_t *m,
                           parley_proto_t speak);
} parley_binding_t;


/* list of methods with POST alone */
extern const parley_str_t  parley_binding_post[];


/*
 * Finds a header of the request by its name in lower case.  Returns 1 and *ret,
 * with data that is not NULL, or 0 if the header is missing.
 */
typedef int (*parley_binding_header_pt)(void *ctx, parley_str_t name,
    parley_str_t *ret);


/* Returns whether a protocol in the set takes a message by this method. */
int parley_binding_takes(parley_proto_set_t set, parley_str_t method);

/* Returns whether clients of a protocol in the set look for a stream. */
int parley_binding_looks(parley_proto_set_t set);

/*
 * Lists the methods of the set, and then those of more, for the header Allow:
 * "POST, GET".  An empty method ends more; NULL: none.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_binding_methods(parley_arena_t *arena, parley_proto_set_t set,
    const parley_str_t *more, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Returns the member sessions of a protocol's binding; NULL for
 * PARLEY_PROTO_NONE.
 */
const parley_str_t *parley_binding_sessions(parley_proto_t proto);

/*
 * Reads the headers that the protocol uses; a missing one has no data.
 * PARLEY_PROTO_NONE uses none.  get may be NULL.
 */
void parley_binding_read(parley_proto_t proto, parley_binding_header_pt get,
    void *ctx, parley_str_t ret[PARLEY_BINDING_HEADERS]);


#endif /* PARLEY_BINDING_H */
