/* The effects of an answer of a service on the caller, the log and the state */

#ifndef PARLEY_ANSWERED_H
#define PARLEY_ANSWERED_H

#include "translate/parley_codec_types.h"
#include "core/parley_str.h"
#include "gate/correlation/parley_verdict.h"


/* result of an answer, an event, or the end of a stream */
typedef struct parley_answered_s {
    parley_settle_t       settle;       /* settlement so far */

    /*
     * For the caller.  If replies is not set for an event, the caller gets
     * nothing; reply.why is then the reason for the log if its protocol cannot
     * express the event.  If ends is set, the reply is the last one.
     */
    parley_reply_t        reply;
    parley_str_t          traceparent;  /* traceparent of the answer (AEE-12);
                                           empty: none */
    unsigned              copied:1;     /* reply.body is a copy of the service's
                                           octets, and reply.status is its
                                           status */
    unsigned              replies:1;
    unsigned              ends:1;
    unsigned              over:1;       /* anything that comes later is
                                           dropped */
    unsigned              unsure:1;     /* end of a stream: it may be cut before
                                           a final answer */

    /* for the log and the state */
    parley_answer_kind_t  kind;
    parley_act_t          act;          /* act of an answer of kind MESSAGE */
    parley_str_t          code;         /* code of a failure or refusal, may be
                                           empty */
    unsigned              final:1;      /* final answer to the question */
    unsigned              closes:1;     /* no further responder may answer */
    unsigned              takes:1;      /* takes the responder's slot of a
                                           question to several */
    unsigned              late:1;       /* dropped: it came after the last
                                           answer */
    parley_encoded_t      message;      /* acknowledgment as a message in the
                                           caller's protocol (VCP 6.2), of which
                                           reply is only a copy; empty: none, or
                                           reply is the message */
    unsigned              published:1; /* after settlement: a subscriber gets
                                           the message, now or later */
    unsigned              unpublished:1;       /* after settlement: no room for
                                                   the message, so that only
                                                   the reply has it */
    parley_str_t          principal;    /* responder of a final answer, see
                                           parley_responder_expected() */
    parley_str_t          session;
} parley_answered_t;


#endif /* PARLEY_ANSWERED_H */
