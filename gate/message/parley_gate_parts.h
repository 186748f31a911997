/*
 * Parts of parley_gate_t: the request, the message, the output of the gate, and
 * the progress.  The other parts are declared by rooms below.
 */

#ifndef PARLEY_GATE_PARTS_H
#define PARLEY_GATE_PARTS_H

#include "gate/admission/parley_window.h"
#include "gate/correlation/parley_correlation.h"
#include "gate/correlation/parley_verdict.h"
#include "gate/settings/parley_gate_conf.h"
#include "gate/settings/parley_step.h"
#include "translate/parley_codec_types.h"


struct parley_account_places_s; /* parley_account.h */
struct parley_glob_s;           /* parley_glob.h */
struct parley_policy_rule_s;    /* parley_policy.h */
struct parley_token_cache_s;    /* parley_token_cache.h */
struct parley_stream_request_s;         /* parley_stream_request.h */
struct parley_gate_mcp_s;               /* parley_gate_mcp.h */
struct parley_gate_erase_s;             /* parley_gate_erase.c */


/* the request; set by the adapter */
typedef struct {
    struct parley_token_cache_s  *tokens;   /* cache; NULL: none */
    parley_str_t              address;      /* octets of the client's address
                                               that distinguish clients */
    struct parley_account_places_s  *failing;   /* keys of limits of failed
                                                   proofs; NULL: not cached */
    struct parley_account_places_s  *authors;   /* keys of authors of surfaces;
                                                   NULL: not cached */
    parley_str_t              method;       /* method of the request */
    parley_str_t              uri;          /* decoded path of the request */
    parley_str_t              raw_query;    /* query without "?", which may
                                               include the token */
    parley_str_t              supplied_token;   /* token from outside the
                                                   request; empty: the request
                                                   has the token */
    parley_str_t              dialled;      /* sub of the principal whose
                                               WebSocket the gateway opened;
                                               empty: none */
    uint64_t                  seed;         /* for parley_json_read() and
                                               fingerprints */

    /* set by the adapter's step BODY */
    parley_str_t              path;         /* decoded path of the request if it
                                               may contain a name; empty: it is
                                               the location itself */
    parley_str_t              query;        /* without "?" */
    parley_str_t              body;
    int64_t                   now_ms;

    unsigned                  tls:1;        /* received over TLS 1.2 or later */
    unsigned                  local:1;      /* received over a Unix socket, so
                                               it did not leave the machine */
    unsigned                  upgradable:1; /* received over HTTP/1.1: the
                                               connection may become a
                                               WebSocket */
    unsigned                  encoded:1;    /* the path of a relayed request is
                                               not uri, octet by octet */
    unsigned                  framed:1;     /* received by an open WebSocket
                                               (parley_websocket) */
    unsigned                  timed_out:1;  /* the time for an answer is
                                               over */
    unsigned                  inner:1;      /* a request of the adapter itself
                                               for a connection of MoQ, see
                                               gate/link/parley_link.h */
} parley_gate_in_t;


/* the message, as the steps have read it */
typedef struct {
    parley_proto_t        proto;            /* NONE: not known yet */
    parley_str_t          to;               /* recipient of a message that does
                                               not name one; empty: none */
    parley_arrival_t      place;            /* place where the message
                                               arrived */
    parley_correlation_t  correlation;      /* message that this one refers
                                               to */
    parley_supervision_t  supervision;      /* meaning of the intent, set by
                                               REFERENCE */
    unsigned              doc_read:1;       /* the body is JSON */
    unsigned              msg_read:1;       /* msg is filled, at least in
                                               part */
    unsigned              edited:1;         /* msg comes from *rewritten */
    unsigned              names_recipient:1;    /* the body, a header or the
                                                   query names a recipient or a
                                                   scope */
    unsigned              addressed:1;      /* only a header or the query names
                                               the recipient */
} parley_gate_read_t;


typedef struct {
    parley_encode_opts_t  opts;
    parley_str_t          path;             /* decoded path for the service;
                                               empty: as it came */
    parley_encoded_t      sent;             /* message for the upstream */
    parley_reply_t        reply;            /* if the result is ANSWERED */
    struct parley_chat_refused_s  *refused; /* facts of a refusal of a host of
                                               chat; NULL: none */
    struct parley_host_other_s  *other;     /* call at a host of chat that
                                               answers a message of another
                                               protocol; NULL: none */
    parley_str_t          session;          /* id of the session that the reply
                                               begins, for Mcp-Session-Id;
                                               empty: none */
} parley_gate_out_t;


typedef struct {
    const struct parley_stream_request_s  *held;    /* subscription of a request
                                                       that may be held; NULL:
                                                       none */
    parley_str_t        response_scope;     /* scope for the answers to a query;
                                               empty: they go to its sender */
    parley_record_id_t  retained_as;        /* record of the retained message,
                                               if retained is set */
    int64_t             emitted;            /* recipients, if published is
                                               set */
    unsigned            published:1;
    unsigned            retained:1;         /* retained before publication */
    unsigned            unframed:1;         /* published without a frame: sent
                                               is the original message */
    unsigned            escalates:1;        /* escalates unless acknowledged,
                                               even if the service accepts it */
    unsigned            holds:1;            /* ANSWERED, or REFUSED for a
                                               repeated call of MCP: reply is
                                               the answer if the awaited one
                                               does not come */
    unsigned            hold_known:1;       /* env->hold has decided */
    unsigned            hold_begun:1;       /* env->hold holds the request */
} parley_gate_publish_t;


/* request for the keys that a parent adds */
typedef enum {
    PARLEY_KEYS_LIST = 0,       /* GET */
    PARLEY_KEYS_ADD,            /* POST */
    PARLEY_KEYS_DROP            /* DELETE */
} parley_keys_call_t;


/* a request without a message */
typedef struct {
    const struct parley_stream_request_s  *opening; /* stream to open if the
                                                       result is ANSWERED; NULL:
                                                       none */
    const parley_principal_t    *reader;    /* principal that owns the log of a
                                               stream; NULL: not listed, or the
                                               gate opens no stream */
    struct parley_gate_mcp_s    *mcp;       /* call at a parley_mcp location;
                                               NULL: none */
    struct parley_gate_erase_s  *erasing;   /* progress of a DELETE; NULL: not
                                               begun */
    parley_str_t                 stream_of; /* address of the owner of a
                                               service's stream; empty: a group,
                                               or not named */
    parley_str_t                 named;     /* the name in in.path, as the path
                                               has it; empty: none */
    parley_keys_call_t           keys_call; /* request at a parley_keys
                                               location */
    parley_str_t                 request;   /* request without a message, for
                                               the audit log; empty: a
                                               message */
    parley_str_t                 about;     /* principal that this request is
                                               about, once read */
    unsigned                     erases:1;  /* DELETE at a parley_stream or
                                               parley_control location, or of a
                                               session of a service */
    unsigned                     relays:1;  /* a request without a message that
                                               the service answers */
    unsigned                     in_session:1;  /* the request names a session
                                               of the caller */
    unsigned                     opens:1;   /* GET at a host: opens the stream
                                               of a mailbox */
    unsigned                     socket:1;  /* relays: the request opens a
                                               WebSocket of the service */
    unsigned                     issues:1;  /* POST at a parley_stream location
                                               asks for a ticket */
    unsigned                     upgrade:1; /* refused: no WebSocket handshake,
                                               or another version */
} parley_gate_serve_t;


/* for the adapter, the audit log and the counters, which read each once */
typedef struct {
    parley_verdict_t             verdict;   /* current verdict */
    int64_t                      wait;      /* ms until the message may be sent
                                               again; 0: a new try is useless */
    const struct parley_policy_rule_s  *rule;   /* rule that decided or missed
                                                   nearest; NULL: none */
    const struct parley_glob_s  *lacks;         /* scope that POLICY requires of
                                                   a token that lacks it; else
                                                   NULL */
    struct parley_noted_s       *noted;     /* steps of events of chat; NULL:
                                               none */
    unsigned                     verdict_reported:1;    /* env->verdict was
                                                           called */
    unsigned                     forwarded:1;   /* forwarded at least once */
    unsigned                     outcome_reported:1;    /* env->outcome was
                                                           called */
    unsigned                     recorded:1;    /* env->record was called */
    unsigned                     unwritten:1;   /* refused because the audit log
                                                   cannot be written */
} parley_gate_report_t;


typedef enum {
    /*
     * Steps run, or wait, from where.at on.  where.result means nothing.  If
     * the request ends now, its verdict is OTHER.
     */
    PARLEY_GATE_STEPS = 0,

    /*
     * The steps have ended with where.result.  The id is being settled, so the
     * gate may wait for the state.  No step runs again at this location.
     */
    PARLEY_GATE_ENDING,

    /*
     * The id is settled, or kept for an answer, and the verdict is known for
     * this location.  parley_gate_resume() starts with STEPS again.
     */
    PARLEY_GATE_DECIDED
} parley_gate_state_t;


typedef struct {
    parley_gate_state_t        state;
    parley_step_t              at;          /* next step; ANSWER: the message
                                               was forwarded, or may be */
    parley_step_result_t       result;      /* not valid in the state STEPS */
    parley_step_result_t       early;       /* result of parley_gate_run_proof()
                                               that stops the request; PASSED:
                                               none */
    parley_step_t              early_step;  /* the step of early */
    parley_settle_t            settle;      /* settlement of the message's id */
    const parley_gate_conf_t  *entry;       /* settings of the location that
                                               accepted the message, if it
                                               continues elsewhere; else NULL */
    unsigned                   begun:1;     /* parley_gate_run() was called, or
                                               the request is refused */
    unsigned                   may_not_wait:1;  /* in parley_gate_run_proof():
                                                   no step may wait */
} parley_gate_where_t;


#endif /* PARLEY_GATE_PARTS_H */
