/*
 * A protocol's binding to HTTP: what a request and an answer have beside the
 * message, as constants that its codec brings.  gate/ and the adapters ask it
 * and know no protocol.
 */

#ifndef PARLEY_BINDING_H
#define PARLEY_BINDING_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_BINDING_HEADERS   4  /* of a request, at most */
#define PARLEY_BINDING_SESSIONS  2  /* headers that name a session, at most */


/* an HTTP answer for the caller */
typedef struct {
    int           status;
    parley_str_t  content_type;
    parley_str_t  body;             /* may be empty */
    parley_str_t  id;               /* of the message that body is, where it
                                       can be fetched by that; empty: none */
    parley_str_t  message;          /* the upstream's answer in the caller's
                                       protocol, where that is delivered on
                                       the caller's stream and not in body;
                                       empty: none */
    const char   *why;              /* for the log, why an upstream's answer is
                                       in neither; NULL: it is */
} parley_reply_t;


/*
 * What a protocol needs to know where the gateway answers a message by
 * itself.
 */
typedef struct {
    parley_proto_t  speak;      /* of the service behind it */

    /* whether the caller might send a message of this form and intent */
    int           (*may)(void *ctx, parley_str_t form, parley_str_t intent);
    void           *ctx;
} parley_local_t;


typedef struct {
    const parley_str_t  *methods;       /* that bring a message; ends with an
                                           empty one */
    parley_str_t         media_type;    /* with charset where it has one */

    /*
     * Headers of a request that decide something, in lower case; ends with an
     * empty one.  NULL: none.  Submissions and refusals have their values in
     * the same order.
     */
    const parley_str_t  *reads;

    /*
     * Headers of an answer that are of its protocol, in lower case: they go
     * no further where the answer is replaced.  Ends with an empty one; NULL:
     * none.
     */
    const parley_str_t  *sets;

    /*
     * Headers in which a service gives a session, and its client names one, in
     * lower case; ends with an empty one.  NULL: none.
     */
    const parley_str_t  *sessions;

    parley_str_t         greeting;      /* the intent that a client of a
                                           WebSocket should begin with; empty:
                                           with any */

    unsigned             scoped:1;      /* the argument scope says for whom a
                                           message is */
    unsigned             addressed:1;   /* the argument recipient does */
    unsigned             responds:1;    /* a final answer is a response, also
                                           in a stream: never a message */
    unsigned             looks:1;       /* its clients look with GET for a
                                           stream whenever they connect; where
                                           there is none 405 says so */
    unsigned             single:1;      /* an answer is one JSON object, never
                                           a stream of events */

    /*
     * The gateway's own answer to what is between it and the caller.  Returns
     * 1 and *ret; 0: it is not, and goes on; -1 with *err: nobody behind the
     * gateway can answer it.  NULL: none is.
     */
    int                (*local)(parley_arena_t *arena, const parley_msg_t *m,
                           const parley_local_t *local, parley_reply_t *ret,
                           parley_error_t *err);

    /*
     * Whether a proven caller needs no rule that allows such a message, to a
     * service that speaks speak: it opens or keeps a connection, or is
     * answered by what the rules allow.  NULL: every message needs one.
     */
    int                (*unruled)(const parley_msg_t *m,
                           parley_proto_t speak);
} parley_binding_t;


/* a binding's only method, where it is POST */
extern const parley_str_t  parley_binding_post[];


/*
 * Asks for a header of the request by its name in lower case.  Returns 1 and
 * *ret, which is not NULL in data, or 0: it is not there.
 */
typedef int (*parley_binding_header_pt)(void *ctx, parley_str_t name,
    parley_str_t *ret);


/* Whether one of the protocols in the set takes a message by that method. */
int parley_binding_takes(parley_proto_set_t set, parley_str_t method);

/* Whether clients of one of the protocols in the set look for a stream. */
int parley_binding_looks(parley_proto_set_t set);

/* The methods of the set, as the header Allow lists them: "GET, POST".
   Returns 0, or -1: no memory. */
int parley_binding_methods(parley_arena_t *arena, parley_proto_set_t set,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/* The member sessions of a protocol's binding; of NONE NULL. */
const parley_str_t *parley_binding_sessions(parley_proto_t proto);

/*
 * The values of the headers that the protocol reads, none where it is NONE;
 * what is not there has no data.  get may be NULL.
 */
void parley_binding_read(parley_proto_t proto, parley_binding_header_pt get,
    void *ctx, parley_str_t ret[PARLEY_BINDING_HEADERS]);


#endif /* PARLEY_BINDING_H */
