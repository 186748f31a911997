/*
 * The gate of one message: a table of steps in one order, from the arrival of
 * the message to the octets that the upstream gets.  The code that runs the
 * gate is its adapter: the module in nginx's phases, "parley explain", or a
 * test.  The adapter provides the octets of a body, keys, the state and its
 * clock.
 *
 * A step that refuses sets *err.  Later steps do not run.
 */

#ifndef PARLEY_GATE_H
#define PARLEY_GATE_H

#include "gate/admission/parley_gate_admission.h"
#include "gate/correlation/parley_gate_answer.h"
#include "gate/correlation/parley_upstream_error.h"
#include "gate/message/parley_gate_env.h"
#include "gate/message/parley_gate_parts.h"
#include "gate/party/parley_gate_proof.h"
#include "gate/party/parley_who.h"
#include "gate/settings/parley_arguments.h"
#include "gate/settings/parley_gate_conf.h"
#include "state/parley_ask.h"
#include "translate/parley_codec_types.h"


/*
 * Milliseconds that the gateway waits for an answer if neither the message nor
 * anything else limits the time: an answer of events, or any answer after the
 * client has left.
 */
#define PARLEY_AWAIT_MS  600000


/* intents that declare an action, and that carry it out (ACH-29) */
#define PARLEY_INTENT_DECLARE  "channel.intent_declare"
#define PARLEY_INTENT_FLUSH    "channel.flush_executed"


struct parley_loss_s;           /* parley_loss.h */
struct parley_answered_s;       /* parley_answered.h */
struct parley_response_s;       /* parley_exchange.h */
struct parley_bearer_s;         /* parley_bearer.h */
struct parley_event_s;          /* parley_events.h */
struct parley_events_s;
struct parley_publication_s;    /* parley_publication.h */
struct parley_settings_http_s;  /* parley_settings.h */
struct parley_settings_s;
struct parley_transport_s;      /* parley_check.h */
struct parley_gate_mcp_s;       /* parley_gate_mcp.h */


/*
 * One message at the gate.  Each part has the members of one concern, and is
 * declared by the room of that concern; the order of the members means nothing.
 *
 * The adapter sets the members up to in, before the first step, and keeps their
 * data as long as the gate.  parley_gate_configure() sets conf.
 * parley_gate_init() clears the others, except arguments and suspend, which
 * steps set before they read them.
 */
struct parley_gate_s {
    const parley_gate_env_t   *env;
    void                      *ctx;         /* the adapter's context */
    const parley_engine_t     *engine;
    parley_arena_t            *arena;
    parley_error_t            *err;
    parley_who_t              *who;
    parley_json_t             *doc;
    parley_msg_t              *msg;
    parley_json_t             *rewritten;   /* document that the step REWRITE
                                               fills */
    struct parley_loss_s      *loss;
    parley_ask_t               ask;         /* set by parley_ask_init() */
    parley_gate_in_t           in;          /* request */

    parley_gate_directives_t   conf;        /* directives */

    parley_gate_out_t          out;         /* for the upstream, or for
                                               the caller */
    parley_gate_report_t       report;      /* verdict */
    parley_gate_where_t        where;       /* progress through the steps */
    parley_gate_read_t         read;        /* facts about the message */
    parley_gate_proof_t        proof;       /* proof of the caller */
    parley_gate_admission_t    admit;       /* its id, and records about it */
    parley_gate_publish_t      publish;     /* publication */
    parley_gate_serve_t        serve;       /* request without a message */
    parley_gate_answer_t       answer;      /* answer of the service */

    parley_arguments_t         arguments;   /* values decided by the
                                               arguments */
    parley_gate_suspend_t      suspend;     /* suspensions to end */
};


/*
 * Writes for the log which certificate and token failed as a proof, bounded and
 * percent-encoded: `, certificate "CN=a", SHA-256 "4f...", key "k1", issuer
 * "https://a"`.  The text has the key and the issuer of a token, never its
 * subject.  *ret is empty if no proof failed or the proof has none of these.
 * Returns 0, or -1: no memory.
 */
int parley_gate_claimed(parley_gate_t *g, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Sets the members that come from directives, and prepares g->who for g->msg.
 * http and s are verified and outlive the gate.  The caller then clears the
 * gate's own members with parley_gate_init().
 */
void parley_gate_configure(parley_gate_t *g,
    const struct parley_settings_http_s *http,
    const struct parley_settings_s *s);
void parley_gate_init(parley_gate_t *g);

/*
 * Stores the constants of each message in verified settings: the plan, and the
 * rate if no other limit applies.  Optional: it makes requests faster.
 */
void parley_gate_plan_prepare(const struct parley_settings_http_s *http,
    struct parley_settings_s *s);

/*
 * Returns the steps that can have an effect at a location with verified
 * settings.  Each other step would return NONE for every message.  Returns
 * s->plan if the adapter has stored the plan there.
 */
parley_plan_t parley_gate_plan(const struct parley_settings_http_s *http,
    const struct parley_settings_s *s);

/*
 * Fills the options of a generated message, from directives and from the
 * request.  Returns 0, or -1: FAILED.
 */
int parley_gate_message_options(parley_gate_t *g, parley_encode_opts_t *ret)
    __attribute__((warn_unused_result));

/*
 * Returns whether the request has a token and must wait for keys, as none are
 * loaded yet.  env->keys has then made it wait.
 */
int parley_gate_awaits_keys(parley_gate_t *g);

/* Returns whether keys that verify tokens are available, or not configured
   (AEE-22). */
int parley_gate_has_keys(parley_gate_t *g);

/*
 * Checks that the proof of the message is not revoked (SEC-16).  The steps and
 * parley_gate_answered() call it; an adapter calls it for an open connection.
 * Returns 0, or -1 with g->err: token-invalid for a token or a certificate,
 * key-unknown for a signature, policy-refused without a proof, capacity.
 */
int parley_gate_revocation_is_hit(const parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Fills the facts that parley_gate_revocation_is_hit() checks.  They live as
   long as the request.  Returns 0, or -1: no memory. */
int parley_gate_revocation_bearer(const parley_gate_t *g,
    struct parley_bearer_s *ret)
    __attribute__((warn_unused_result));

/*
 * Returns when the token or the certificate of the message expires, in
 * milliseconds of the wall clock.  INT64_MAX: never, or the message has
 * neither.
 */
int64_t parley_gate_message_expires(const parley_gate_t *g);

/*
 * Runs the steps from g->where.at on, until a step stops the message or all
 * have passed: PASSED.  clock is that of the state.
 *
 * After WAIT the caller runs it again as soon as the adapter's own step or
 * g->ask.resume tells it to; an additional call is harmless.  A message that is
 * refused has freed its id and its slots when this function returns.
 */
parley_step_result_t parley_gate_run(parley_gate_t *g, int64_t clock)
    __attribute__((warn_unused_result));

/*
 * Runs the steps up to PROOF, for a request whose g->who is needed before its
 * phase.  Reports a refusal only in parley_gate_run().  Returns 0, or
 * PARLEY_WAIT: a step would have to wait, and runs again in parley_gate_run().
 */
int parley_gate_run_proof(parley_gate_t *g, int64_t clock);

/* Returns whether the step PROOF passed, so that g->who is proven. */
int parley_gate_run_has_proof(const parley_gate_t *g);

/*
 * Ends the wait for the state: the next call of parley_gate_run(),
 * parley_gate_answered() or parley_gate_unanswered() does not get an answer of
 * the state.  A message that still runs through the steps is refused with
 * capacity, unless it is already published.  An answer continues.
 */
void parley_gate_end_deadline(parley_gate_t *g);

/* Refuses the message with g->err, which the adapter has set. */
void parley_gate_verdict_refuse(parley_gate_t *g);

/*
 * Ends the request: frees the id and slots that are not settled, without
 * waiting for the state.  Reports the verdict and the outcome if they are not
 * yet reported.
 */
void parley_gate_leave(parley_gate_t *g, int64_t clock);

/*
 * Returns the names, in lower case, of the response headers in which the
 * service gives the caller a session.  The list ends with an empty name.  NULL:
 * none.
 *
 * The adapter calls parley_gate_session_given() for each such header: i is its
 * index, id lives as long as the gate.  The caller owns the session as soon as
 * the answer is settled.  Returns 0, or -1 if the header has several values, or
 * octets outside visible ASCII, so that clients and services may read different
 * sessions:
 * PARLEY_UPSTREAM_ERROR_SESSIONS.
 */
const parley_str_t *parley_gate_sessions(const parley_gate_t *g);
int parley_gate_session_given(parley_gate_t *g, size_t i, parley_str_t id)
    __attribute__((warn_unused_result));

/*
 * Reads the whole answer to a forwarded message, as parley_exchange_answer().
 * Returns 0 and *ret, which the caller passes to parley_gate_answered(); or -1
 * with g->err, and the caller calls parley_gate_unanswered().  The same rule
 * applies to parley_gate_event() and parley_gate_ended().
 */
int parley_gate_answer(parley_gate_t *g,
    const struct parley_response_s *response, struct parley_answered_s *ret)
    __attribute__((warn_unused_result));

/*
 * Reads the next event of the answer, as parley_events_read().  Removes ids
 * from events for a client of MCP, because no later request resumes the
 * response, and names, because the client ignores named events.  After -1 the
 * answer must not be read further.
 */
int parley_gate_events(parley_gate_t *g, struct parley_events_s *events,
    parley_str_t *in, struct parley_event_s *ret)
    __attribute__((warn_unused_result));

/* Reads the data of an event; *ret is in the arena. */
int parley_gate_event(parley_gate_t *g, parley_arena_t *arena,
    parley_str_t data, struct parley_answered_s *ret)
    __attribute__((warn_unused_result));

/* how the adapter saw the events end */
typedef struct {
    unsigned  broken:1;         /* the service did not end them properly */
    unsigned  open:1;           /* only the end of the connection ends them, so
                                   they may be cut */
} parley_ending_t;

/*
 * Reads the end of the events.  Returns 1, *event and *ret if the data of the
 * last event is whole without a final blank line: the caller settles this event
 * like any other and calls again.  Returns 0 and *ret after the last event.
 * Returns -1 if the answer is not whole or does not consist of events; the
 * message may be sent again.
 */
int parley_gate_ended(parley_gate_t *g, parley_arena_t *arena,
    struct parley_events_s *events, const parley_ending_t *how,
    struct parley_event_s *event, struct parley_answered_s *ret)
    __attribute__((warn_unused_result));

/*
 * An open stream of a service keeps its session bound to the caller.
 * parley_gate_relayed_has_session() returns whether the request names a session
 * that is bound.  parley_gate_relayed_renew() must then be called more often
 * than once in half an hour.  It returns 0; PARLEY_WAIT: call again; or -1 with
 * g->err: the session no longer belongs to the caller.
 */
int parley_gate_relayed_has_session(const parley_gate_t *g);
int parley_gate_relayed_renew(parley_gate_t *g, int64_t clock)
    __attribute__((warn_unused_result));

/* Returns whether g->err is an error of the event alone, so that a client that
   resumes the stream should not get this event again. */
int parley_gate_relayed_skips(const parley_gate_t *g);

/*
 * Returns whether a text of a service's WebSocket is an answer to the message
 * of this gate, which was forwarded; or -1: no memory.  doc is the text, read
 * by parley_json_read() with g->conf.gate->limits and g->in.seed.
 * parley_gate_event() then checks the text.
 */
int parley_gate_socket_is_answer(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc)
    __attribute__((warn_unused_result));

/* Returns whether the service may answer the message by a text of its
   WebSocket. */
int parley_gate_socket_is_answerable(const parley_gate_t *g);

/* Returns whether each answer to the caller is a response of JSON-RPC. */
int parley_gate_message_responds(const parley_gate_t *g);

/* Returns parley_exchange_is_single() for the message. */
int parley_gate_exchange_is_single(const parley_gate_t *g);

/*
 * Sets g->err, unless it is set, for an unusable answer, and whether the
 * service took the message.  status is that of the answer, or 0.  The caller
 * then calls parley_gate_unanswered().
 */
void parley_gate_upstream_error(parley_gate_t *g, parley_upstream_error_t what,
    int status);

/*
 * Translates publication p, the answer to the held request, into its response
 * (HUB-07).  *ret is in the gate's arena.  Returns 0, or -1 with *err if the
 * protocol cannot express the answer.
 */
int parley_gate_await_held(parley_gate_t *g,
    const struct parley_publication_s *p, parley_reply_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Collects messages for a held call of MCP (ACH-27).  octets are the next part
 * of its events, cut anywhere.  Returns 1 if the call is answered now, or 0 if
 * more messages may come.
 */
int parley_gate_collect(parley_gate_t *g, parley_str_t octets);

/*
 * Ends a held call of MCP early because the worker exits.  Returns 0 if the
 * collected messages are the result, or -1 with the error of a query.
 */
int parley_gate_collect_none(parley_gate_t *g)
    __attribute__((warn_unused_result));

/*
 * Writes the result of a held call of MCP, in the gate's arena.  Omits the
 * collected messages if the caller's proof is revoked.  Returns 0 and *ret, or
 * -1: no memory.
 */
int parley_gate_collect_reply(parley_gate_t *g, parley_reply_t *ret)
    __attribute__((warn_unused_result));

/* Returns the milliseconds that the service has to answer (AEE-29); -1:
   unlimited. */
int64_t parley_gate_message_deadline(const parley_gate_t *g);

/*
 * Settles the message after an answer: takes or frees its id, closes the
 * question, and keeps the reply and the message if configured.  answered->late
 * is set if another answer came first.
 *
 * Returns 0; PARLEY_WAIT: call again; or -1 with g->err: the caller of the
 * request gets none of this answer, because its proof is revoked (SEC-16), or
 * another answer came first (SEC-08).  After -1 the adapter calls
 * parley_gate_unanswered().
 */
int parley_gate_answered(parley_gate_t *g, struct parley_answered_s *answered,
    int64_t clock)
    __attribute__((warn_unused_result));

/*
 * Settles the message without a usable answer; g->err has the reason.  reply is
 * the response to the sender, or NULL if unknown.  Returns 0 or PARLEY_WAIT:
 * call again.
 */
int parley_gate_unanswered(parley_gate_t *g, const parley_reply_t *reply,
    int64_t clock)
    __attribute__((warn_unused_result));

/*
 * Moves a message that passed to another location with settings s, in the form
 * in which it was accepted (GW-24).  Proof, age and admission are not repeated.
 * Policy, rewriting and translation are those of s.  Members that the first
 * location redacts stay removed.  The caller then calls parley_gate_run().  The
 * new location refuses messages even if it has a dry run.
 */
void parley_gate_resume(parley_gate_t *g, const struct parley_settings_s *s);

/*
 * Checks the size of a body before the adapter's step BODY reads it.  Returns
 * 0, or -1 with *g->err.
 */
int parley_gate_size(parley_gate_t *g, uint64_t octets)
    __attribute__((warn_unused_result));

/* Fills how the message arrived, and which proofs the location requires. */
void parley_gate_message_arrived(const parley_gate_t *g,
    struct parley_transport_s *ret);

/* Returns the recipient of the message, or of the question that it answers. */
parley_str_t parley_gate_message_to(const parley_gate_t *g);

/* Returns whether the first rule that matches denies this form and intent, also
   if memory is exhausted.  What no rule matches is not denied. */
int parley_gate_rules_forbid(const parley_gate_t *g, parley_str_t form,
    parley_str_t intent);

/*
 * Returns whether the rules allow the caller to send this message with another
 * form and intent.
 */
int parley_gate_may(const parley_gate_t *g, parley_str_t form,
    parley_str_t intent);

/* Fills the caps of the location combined with those of the sender. */
void parley_gate_message_caps(const parley_gate_t *g, parley_caps_t *ret);

/*
 * Runs the step METHOD: checks that a protocol of the location takes messages
 * by this method.
 */
parley_step_result_t parley_gate_method(parley_gate_t *g, parley_str_t method);

/*
 * Returns whether a client expects this refusal.  The log has no warning then.
 * A client of MCP uses GET to look for a stream (MCP-02).  If several agents
 * claim an event, the claims of all but one are refused (C2A-18).
 */
int parley_gate_submit_is_foreseen(const parley_gate_t *g, parley_str_t method);

/* Returns the methods of the location, as a value of the header Allow.  Returns
   0, or -1: no memory. */
int parley_gate_methods(const parley_gate_t *g, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Fills the facts of a refusal, except random, backoff_ms and first, which the
 * adapter knows.  Returns the protocol of the refusal.  Before the message is
 * read, this is the accepted protocol if there is only one, else NONE.
 */
parley_proto_t parley_gate_refusal(parley_gate_t *g, parley_refusal_t *ret);

/* Writes a refusal as parley_refuse(), or as a response of MCP at a parley_mcp
   location. */
int parley_gate_collect_refused(parley_gate_t *g, parley_proto_t proto,
    const parley_refusal_t *refusal, parley_reply_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_GATE_H */
