/*
 * The gate: what a gateway does with one message, from its arrival to what
 * the upstream gets, as one table of steps in one order.  Whoever drives it
 * (the module from nginx's phases, "parley explain" from the command line, a
 * test directly) is its adapter, and brings what the gate has not: the octets
 * of a body, keys, the state and its clock.
 *
 * What a step refuses with is in *err.  A step that refuses leaves no trace
 * of the later ones.
 */

#ifndef PARLEY_GATE_H
#define PARLEY_GATE_H

#include "gate/party/parley_account.h"
#include "gate/settings/parley_arguments.h"
#include "state/parley_ask.h"
#include "gate/party/parley_bearer.h"
#include "translate/parley_check.h"
#include "gate/correlation/parley_correlation.h"
#include "translate/parley_engine.h"
#include "gate/admission/parley_reservation.h"
#include "http/parley_events.h"
#include "gate/correlation/parley_exchange.h"
#include "gate/settings/parley_gate_conf.h"
#include "gate/message/parley_gate_env.h"
#include "translate/parley_intents.h"
#include "auth/parley_policy.h"
#include "gate/correlation/parley_seal.h"
#include "gate/settings/parley_step.h"
#include "gate/admission/parley_suspension.h"
#include "auth/parley_ticket.h"
#include "auth/parley_token_cache.h"
#include "gate/correlation/parley_upstream_error.h"
#include "gate/correlation/parley_verdict.h"
#include "gate/party/parley_who.h"
#include "gate/admission/parley_window.h"


/* what is asked of keys that a parent adds */
typedef enum {
    PARLEY_KEYS_LIST = 0,       /* GET */
    PARLEY_KEYS_ADD,            /* POST */
    PARLEY_KEYS_DROP            /* DELETE */
} parley_keys_call_t;


/*
 * Milliseconds that an answer is awaited where the message sets no deadline
 * and nobody else ends it: one of events, one whose client has left.
 */
#define PARLEY_AWAIT_MS  600000


/* of what is declared, and of what carries it out (ACH-29) */
#define PARLEY_INTENT_DECLARE  "channel.intent_declare"
#define PARLEY_INTENT_FLUSH    "channel.flush_executed"


struct parley_settings_http_s;  /* parley_settings.h */
struct parley_settings_s;
struct parley_publication_s;    /* parley_publication.h */
struct parley_gate_mcp_s;       /* parley_gate_mcp.h */


/*
 * One message on its way.  What stands first the adapter sets before the
 * first step, and keeps as long as the gate.
 */
struct parley_gate_s {
    const parley_gate_env_t   *env;
    void                      *ctx;         /* the adapter's */
    const parley_engine_t     *engine;
    parley_arena_t            *arena;
    parley_error_t            *err;
    parley_who_t              *who;
    parley_json_t             *doc;
    parley_msg_t              *msg;
    parley_json_t             *rewritten;   /* gets the document of REWRITE */
    parley_loss_t             *loss;
    parley_ask_t               ask;         /* parley_ask_init() */
    parley_token_cache_t      *tokens;      /* NULL: none */
    parley_str_t               address;     /* the octets of the client's, as
                                               far as they tell clients apart */
    parley_account_places_t   *failing;     /* keys of failures; NULL: none are
                                               kept */
    parley_str_t               uri;         /* of the request: its path,
                                               decoded */
    parley_str_t               raw_query;   /* the query, without "?", with the
                                               token that may be in it */
    parley_str_t               supplied_token;  /* that came in no request;
                                               empty: one is looked for
                                               there */
    uint64_t                   seed;        /* of parley_json_read(), prints */
    unsigned                   tls:1;       /* it came over TLS 1.2 or later */
    unsigned                   local:1;     /* over a Unix socket: it does not
                                               leave the machine */
    unsigned                   upgradable:1;    /* over HTTP/1.1: its connection
                                               may become a WebSocket */
    unsigned                   framed:1;    /* a message by a WebSocket that is
                                               open, where parley_websocket
                                               stands */
    unsigned                   timed_out:1; /* set once the time for an answer
                                               is over */

    /* of directives, by parley_gate_configure() */
    const struct parley_settings_http_s  *http;
    const struct parley_settings_s       *s;
    const parley_gate_conf_t  *conf;
    parley_plan_t              plan;        /* steps that are taken */
    const parley_intents_t    *intents;     /* NULL: none */
    const parley_str_t        *self;        /* the gateway's names, by
                                               protocol */
    const parley_jwk_t        *key;         /* signs what is sent; NULL: none */
    int64_t                    window;      /* ms that its id is known */
    int64_t                    retain;      /* messages are retained; 0: not */
    int64_t                    replay;      /* first answers are kept; 0: not */

    /* set by the adapter's BODY */
    parley_str_t               path;        /* of the request, decoded, where a
                                               name may stand in it; empty: it
                                               is the location itself */
    parley_str_t               query;       /* without "?" */
    parley_str_t               body;
    int64_t                    now_ms;

    /* the gate's own, up to the end: parley_gate_init() clears it; first what
       the adapter reads */
    parley_encode_opts_t       opts;
    parley_encoded_t           sent;        /* what the upstream gets */
    parley_reply_t             reply;       /* ANSWERED */
    const struct parley_stream_request_s  *opening; /* the same: a stream; NULL:
                                               none */
    const struct parley_stream_request_s  *held; /* of a request that may be
                                               held */
    struct parley_gate_mcp_s  *mcp;         /* a call where parley_mcp stands;
                                               NULL: none (yet) */
    struct parley_gate_erase_s  *erasing;   /* what a DELETE has done so far;
                                               NULL: nothing */
    parley_first_t             first;       /* of a duplicate (GW-19) */
    int64_t                    wait;        /* ms until it may come again; 0:
                                               that is of no use */
    parley_verdict_t           verdict;     /* as it is now */

    /* the gate's own */
    parley_str_t               to;          /* whom a message is for that
                                               names nobody; empty: nobody */
    parley_str_t               response_scope;  /* that the answers of a query
                                               go to; empty: its sender */
    const parley_principal_t  *reader;      /* the principal whose log a stream
                                               has; NULL: not listed, or the
                                               gate is not a stream's */
    parley_correlation_t       correlation; /* what it refers to */
    parley_arrival_t           place;       /* that it came to */
    parley_token_entry_t      *token;       /* of tokens, held; NULL: none */
    parley_account_kept_t     *kept;        /* of whom the token is of; NULL:
                                               there is none */
    parley_str_t               given[PARLEY_BINDING_SESSIONS];
                                            /* sessions that the service gave
                                               with its answer; empty: none */
    unsigned                   gives;       /* 1 << index of each header that
                                               gave one */
    parley_str_t               shown;       /* the token that was looked at;
                                               empty: none yet */
    parley_ticket_t            ticket;      /* that it stood in; its nonce is
                                               empty: in none */
    const parley_jwt_rules_t  *rules;       /* that the token was judged by */
    const parley_certificate_t  *certificate;   /* that is asked for here;
                                               NULL: none */
    const parley_principal_t  *holder;      /* whose it is; NULL: nobody's */
    uint8_t                    account[PARLEY_KEY_LEN];
    parley_str_t               account_sub; /* whose that is, if accounted */
    parley_reservation_t       entrance;
    parley_asked_t             asked;       /* what may refer to it */
    parley_asked_t             before;      /* the same where it was sent
                                               before it continued */
    parley_record_id_t         retained_as;     /* if it is retained */
    parley_supervision_t       means;       /* by its intent, from REFERENCE
                                               on */
    const char                *in_vain;     /* why a message of the parent to a
                                               suspended child resumes it not;
                                               NULL: it is no such message */
    parley_seal_t              seal;
    parley_exchange_t         *exchange;    /* NULL: nothing came yet */
    const parley_gate_conf_t  *entry;       /* of where it was accepted, once
                                               it continues elsewhere; else
                                               NULL */
    parley_error_t            *stale;       /* why it is too old; NULL: it is
                                               not */
    parley_step_t              at;          /* the step that comes next; ANSWER:
                                               it went on, or may */
    parley_step_result_t       result;      /* while ending */
    parley_settle_t            settle;      /* what has become of its id */
    parley_proto_t             proto;       /* NONE: not known (yet) */
    parley_keys_call_t         keys_call;   /* where parley_keys stands */
    parley_str_t               serves;      /* what is asked for there, or of
                                               parley_control, for the audit
                                               log; empty: a message */
    parley_str_t               serves_whom; /* and about whom, once read */
    const parley_policy_rule_t  *rule;      /* that decided, or nearly; NULL:
                                               none */
    const parley_glob_t       *lacks;       /* the scope of a token that
                                               POLICY asks for; else NULL */
    unsigned                   doc_read:1;  /* the body is JSON */
    unsigned                   msg_read:1;  /* msg is filled, perhaps in
                                               part */
    unsigned                   proven:1;    /* SIGNATURE passed */
    unsigned                   edited:1;    /* msg is of *rewritten */
    unsigned                   unframed:1;  /* published, and not a frame:
                                               sent is the message itself */
    unsigned                   names_recipient:1;   /* the message, or what
                                               stands beside it, does */
    unsigned                   addressed:1; /* whom it is for stands beside
                                               the body alone */
    unsigned                   uncounted:1; /* no room for its limit */
    unsigned                   ending:1;    /* the steps have come to result,
                                               which is being settled */
    unsigned                   unproven:1;  /* by a failed proof */
    unsigned                   renewed:1;   /* PROOF verified its token, which
                                               the cache did not have */
    unsigned                   rises:1;     /* it goes up unless somebody
                                               acknowledges it, whatever the
                                               service says */
    unsigned                   late:1;      /* another answer came before
                                               what was settled (SEC-08) */
    unsigned                   forgotten:1; /* the window did not keep the id of
                                               what was taken */
    unsigned                   verdict_known:1;     /* of where it is */
    unsigned                   verdict_reported:1;  /* env->verdict was told */
    unsigned                   went_on:1;   /* once at least */
    unsigned                   outcome_reported:1;  /* env->outcome was told */
    unsigned                   recorded:1;  /* env->record was asked */
    unsigned                   unwritten:1; /* refused, as it could not be */
    unsigned                   accounted:1;
    unsigned                   erases:1;    /* DELETE, where parley_stream or
                                               parley_control stands */
    unsigned                   issues:1;    /* POST there, a ticket is asked
                                               for */
    unsigned                   upgrade:1;   /* refused: no WebSocket is asked
                                               for, or another version */
    unsigned                   holds:1;     /* ANSWERED, and reply is for when
                                               what it is held for does not
                                               come; REFUSED: a call of MCP
                                               that came before, the same */
    unsigned                   retained:1;  /* before it was published */
    unsigned                   hold_known:1;    /* env->hold was asked, and */
    unsigned                   hold_begun:1;    /* it was held */
    unsigned                   published:1; /* and to so many: */
    int64_t                    emitted;

    /* not cleared: set before they are read */
    parley_arguments_t         arguments;   /* what they decided */
    parley_suspensions_t       resumes;     /* that it ends */
    parley_lift_t              lifts[PARLEY_SUSPENSIONS_MAX];
};


/*
 * For the log, where a proof did not hold: what the certificate and the token
 * say of themselves, bounded and percent-encoded; of a token its key and
 * issuer, never whom it is for: `, certificate "CN=a", SHA-256 "4f...", key
 * "k1", issuer "https://a"`.  Empty: no proof failed, or it says nothing.
 * Returns 0, or -1: no memory.
 */
int parley_gate_claimed(parley_gate_t *g, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Sets what directives say, of the gateway and of the block that the message
 * came to, which is settled and verified: both outlive the gate; and who but
 * for what is found out.  parley_gate_init() sets the gate's own.
 */
void parley_gate_configure(parley_gate_t *g,
    const struct parley_settings_http_s *http,
    const struct parley_settings_s *s);
void parley_gate_init(parley_gate_t *g);

/*
 * The steps that can have anything to do for messages of a location, which is
 * settled and verified: the others come to NONE, whatever the message is.  It
 * is s->plan, where an adapter keeps it for all messages of the location.
 */
parley_plan_t parley_gate_plan(const struct parley_settings_http_s *http,
    const struct parley_settings_s *s);

/*
 * What a message that is made gets from directives, and of the request.
 * Returns 0, or -1: FAILED.
 */
int parley_gate_options(parley_gate_t *g, parley_encode_opts_t *ret)
    __attribute__((warn_unused_result));

/* Whether there are keys that tokens are verified with, where there have to be
   (AEE-22). */
int parley_gate_has_keys(parley_gate_t *g);

/*
 * SEC-16: whether what proved the message is revoked by now.  The steps ask it,
 * and parley_gate_answered(); an adapter asks about what is open and says
 * nothing.  Returns 0, or -1 with
 * g->err: token-invalid, where a token or a certificate proved it; key-unknown,
 * where a signature did; policy-refused, where nothing did; capacity.
 */
int parley_gate_revoked(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* What parley_gate_revoked() asks about, which lives as long as the request.
   Returns 0, or -1: no memory. */
int parley_gate_bearer(parley_gate_t *g, parley_bearer_t *ret)
    __attribute__((warn_unused_result));

/* When the token or the certificate expires that the message came with, in
   milliseconds of the wall clock; INT64_MAX: never, or it came with none. */
int64_t parley_gate_expires(const parley_gate_t *g);

/*
 * Takes the steps from g->at on, up to the first that does not let the
 * message go on, or to the end: PASSED.  After WAIT it is called again, once
 * what the step waits for is there: what the adapter's own step said, or
 * g->ask.resume; a call too many does no harm.  What the message took is
 * settled by then: given back where it is refused.  clock: of the state.
 */
parley_step_result_t parley_gate_run(parley_gate_t *g, int64_t clock)
    __attribute__((warn_unused_result));

/*
 * The state takes too long for the step that waits for it: the next run, or the
 * next call of what follows here, has no answer.  A message is refused with
 * capacity; an answer goes on.
 */
void parley_gate_deadline_end(parley_gate_t *g);

/* The adapter refuses the message for a reason of its own, with g->err. */
void parley_gate_refuse(parley_gate_t *g);

/*
 * The request is over, whatever came of the message: what it took and nothing
 * has settled is given back, and nobody waits for that.  What was not told of
 * it yet is.
 */
void parley_gate_leave(parley_gate_t *g, int64_t clock);

/*
 * Headers of the answer in which the service gives the caller a session, in
 * lower case; ends with an empty one.  NULL: none.  The adapter tells the gate
 * of each header number i; id lives as long as the gate.  The session becomes
 * the caller's when the answer is settled.  Returns 0, or -1: the answer gives
 * several sessions by this header, of which clients and services may read
 * another one, PARLEY_UPSTREAM_ERROR_SESSIONS.
 */
const parley_str_t *parley_gate_sessions(const parley_gate_t *g);
int parley_gate_session_given(parley_gate_t *g, size_t i, parley_str_t id)
    __attribute__((warn_unused_result));

/*
 * What comes back for a message that was sent on, as parley_exchange.h has it.
 * They return 0 and *ret, which parley_gate_answered() settles; or -1 with
 * g->err, and parley_gate_unanswered() does.  A whole answer:
 */
int parley_gate_answer(parley_gate_t *g, const parley_response_t *response,
    parley_answered_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reads on in the events that answer the message, as parley_events_read().  A
 * client of MCP gets neither ids, since no later request resumes the response,
 * nor names, since it reads events without one only.  After -1 nothing more is
 * read.
 */
int parley_gate_events(parley_gate_t *g, parley_events_t *events,
    parley_str_t *in, parley_event_t *ret)
    __attribute__((warn_unused_result));

/* An event that has data; *ret is in the arena. */
int parley_gate_event(parley_gate_t *g, parley_arena_t *arena,
    parley_str_t data, parley_answered_t *ret)
    __attribute__((warn_unused_result));

/* The end of the events, as it was seen. */
typedef struct {
    unsigned  broken:1;         /* the service did not end them */
    unsigned  open:1;           /* their end is that of the connection: it may
                                   have been cut */
} parley_ending_t;

/*
 * Reads the end of the events.  Returns 1, *event and *ret: the data of the
 * last event is whole, although no blank line ended it.  The event is settled
 * like any other, and the function is called again.  Returns 0 and *ret: there
 * was no more.  Returns -1: the answer is not whole, or does not consist of
 * events; the message may come again.
 */
int parley_gate_ended(parley_gate_t *g, parley_arena_t *arena,
    parley_events_t *events, const parley_ending_t *how,
    parley_event_t *event, parley_answered_t *ret)
    __attribute__((warn_unused_result));

/* Returns whether each answer to the caller is a response of JSON-RPC. */
int parley_gate_responds(const parley_gate_t *g);

/* parley_exchange_is_single() of the message */
int parley_gate_is_single(const parley_gate_t *g);

/*
 * What the adapter sees of an answer that keeps it from being one, and the
 * status that it has, or 0: sets g->err, unless it is set, and whether the
 * service took the message.  parley_gate_unanswered() follows.
 */
void parley_gate_upstream_error(parley_gate_t *g, parley_upstream_error_t what,
    int status);

/*
 * HUB-07: what answers the message was published, and is told in the answer to
 * the request that is held: *ret, in the gate's arena.  Returns 0, or -1 with
 * *err: it cannot be told so.
 */
int parley_gate_held(parley_gate_t *g,
    const struct parley_publication_s *p, parley_reply_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The same of a request that is held for more than one message (ACH-27):
 * octets of events come, in whatever pieces.  Returns 1: it is answered now; 0:
 * when its time is over.
 */
int parley_gate_collect(parley_gate_t *g, parley_str_t octets);

/*
 * The worker leaves before the time of the call is over.  Returns -1 with the
 * error of a query; or 0: what was collected is the result.
 */
int parley_gate_uncollected(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Its answer, in the gate's arena, without what came where the caller is
   revoked by now: 0 and *ret, or -1: no memory. */
int parley_gate_collected(parley_gate_t *g, parley_reply_t *ret)
    __attribute__((warn_unused_result));

/* The milliseconds that the service has (AEE-29); -1: nobody says. */
int64_t parley_gate_deadline(const parley_gate_t *g);

/*
 * What came of an answer becomes of the message: its id is taken or given back,
 * the question is closed, what may be asked for later is kept.  answered->late
 * is set where another answer came first.  Returns 0; PARLEY_WAIT: it is called
 * again; or -1 with g->err: nothing of it is said to whoever asked, who is
 * revoked by now (SEC-16), or whose message had its answer, or answered what
 * had one, before (SEC-08); and parley_gate_unanswered() follows.
 */
int parley_gate_answered(parley_gate_t *g, parley_answered_t *answered,
    int64_t clock)
    __attribute__((warn_unused_result));

/*
 * The same of no answer, or none that is of use, with g->err; reply is what the
 * sender is told, or NULL: that is not known here.
 */
int parley_gate_unanswered(parley_gate_t *g, const parley_reply_t *reply,
    int64_t clock)
    __attribute__((warn_unused_result));

/*
 * GW-24: the message, which passed, continues at another location, from the
 * form in which it was accepted.  What was asked once (proof, age, admission)
 * is not asked again; policy, rewriting and translation are s's, and what
 * the location of its entry redacts stays away.  parley_gate_run() follows;
 * nothing of that is spared in a dry run.
 */
void parley_gate_resume(parley_gate_t *g, const struct parley_settings_s *s);

/*
 * Whether a body of so many octets may be taken: 0, or -1 and *g->err.  The
 * adapter's BODY asks before it reads one.
 */
int parley_gate_size(parley_gate_t *g, uint64_t octets)
    __attribute__((warn_unused_result));

/* How the message came, and what is asked where it came to. */
void parley_gate_arrived(const parley_gate_t *g, parley_transport_t *ret);

/* Whom the message is for, also where only what it answers says it. */
parley_str_t parley_gate_to(const parley_gate_t *g);

/*
 * Whether the rules let the caller send such a message of another form and
 * intent.
 */
int parley_gate_may(const parley_gate_t *g, parley_str_t form,
    parley_str_t intent);

/* The caps of the location and of the sender together. */
void parley_gate_caps(const parley_gate_t *g, parley_caps_t *ret);

/*
 * The step METHOD for an adapter that has one: whether a protocol accepted
 * here takes a message by it.
 */
parley_step_result_t parley_gate_method(parley_gate_t *g, parley_str_t method);

/*
 * Whether a refusal is what a client that asks with this method counts on: one
 * of MCP looks for a stream where there is none (MCP-02).
 */
int parley_gate_is_foreseen(const parley_gate_t *g, parley_str_t method);

/* The methods that it takes messages by, as the header Allow has them.
   Returns 0, or -1: no memory. */
int parley_gate_methods(const parley_gate_t *g, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Fills what a refusal of the message says but for random, backoff_ms and
 * first, which the adapter knows.  Returns the protocol that it is said in:
 * before a message is read that is known only where one is accepted; else
 * NONE.
 */
parley_proto_t parley_gate_refusal(parley_gate_t *g, parley_refusal_t *ret);

/* Writes it: parley_refuse(), but for who calls by MCP. */
int parley_gate_refused(parley_gate_t *g, parley_proto_t proto,
    const parley_refusal_t *refusal, parley_reply_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_GATE_H */
