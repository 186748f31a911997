/* The steps of the gate, and the functions that they share.  Private to the
   gate. */

#ifndef PARLEY_GATE_STEPS_H
#define PARLEY_GATE_STEPS_H

#include "translate/channel/parley_channel_scope.h"
#include "gate/message/parley_gate.h"
#include "gate/party/parley_account.h"
#include "hub/parley_stream.h"
#include "gate/admission/parley_window.h"


struct parley_append_s;         /* parley_log.h */
struct parley_appended_s;
struct parley_roster_page_s;
struct parley_certificate_s;    /* parley_certificate.h */
struct parley_reader_s;         /* parley_reader.h */
struct parley_replay_s;         /* parley_replay.h */
struct parley_retain_s;         /* parley_retain.h */


/* milliseconds after which a message that found no room may be sent again */
#define PARLEY_GATE_NO_ROOM  1000

/* milliseconds after which a message may be sent again if the state did not
   answer in time */
#define PARLEY_GATE_OVERDUE  1000


/* parley_gate_keys.c */

parley_step_result_t parley_gate_keys(parley_gate_t *g);
parley_step_result_t parley_gate_keys_method(parley_gate_t *g,
    parley_str_t method);

/* methods of parley_keys, and of parley_host; see parley_gate_methods() */
#define PARLEY_KEYS_METHODS  "GET, POST, DELETE"
#define PARLEY_HOST_METHODS  "GET, POST"

/* parley_gate_control.c: parley_control */

parley_step_result_t parley_gate_control(parley_gate_t *g);
parley_step_result_t parley_gate_control_method(parley_gate_t *g,
    parley_str_t method);

#define PARLEY_CONTROL_METHODS  "GET, DELETE"

/* parley_gate_relay.c: GET and DELETE that an existing service answers */

/* Returns the methods of such requests here.  An empty one ends the list. */
const parley_str_t *parley_gate_relay_methods(const parley_gate_t *g);

/* Returns whether the request is one, and then prepares the gate for it. */
int parley_gate_relay_is_known(parley_gate_t *g, parley_str_t method);
parley_step_result_t parley_gate_relay(parley_gate_t *g);

/* parley_gate_socket.c: WebSockets of an existing service */

/*
 * Returns the protocol in which a client gets messages that it did not ask for:
 * that of the service if it is accepted, else the only accepted one.  NONE: the
 * service's messages pass in neither.
 */
parley_proto_t parley_gate_relay_proto(const parley_gate_t *g);

/*
 * _asked() returns whether the request opens one, and then sets g->read.proto.
 * _handshake() returns 0, or -1 with g->err.
 */
int parley_gate_socket_asked(parley_gate_t *g, parley_str_t method);
int parley_gate_socket_handshake(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* parley_gate_relayed.c: as parley_gate_answer(), _event() and _answered(), for
   such a request */

int parley_gate_relayed(parley_gate_t *g,
    const struct parley_response_s *response, struct parley_answered_s *ret)
    __attribute__((warn_unused_result));
int parley_gate_relayed_event(parley_gate_t *g, parley_arena_t *arena,
    parley_str_t data, struct parley_answered_s *ret)
    __attribute__((warn_unused_result));
int parley_gate_relayed_settles(parley_gate_t *g,
    struct parley_answered_s *answered, int64_t clock)
    __attribute__((warn_unused_result));

/* parley_gate_unasked.c */

/*
 * Checks a message that the service sends without being asked, and writes it in
 * g->read.proto, the client's protocol.  doc is the message in the service's
 * protocol, read by parley_json_read() with g->conf.gate->limits, and data its
 * octets.  The message is checked as an answer is: the schema, names,
 * parley_intents; and it must not have the gateway's name as its sender.  If
 * g->serve.stream_of is not empty, the message must be to this owner of the
 * stream, or from it.  If the message is translated and names a question of the
 * client, it must belong to this question; the question stays open.  On a
 * WebSocket, also an answer that is not translated must name an open question,
 * else the error is reply-unmatched.
 *
 * Reads conf, in.seed and who->directory of the gate, and for a translation
 * g->out.opts, filled by parley_gate_message_options(), and g->ask.  Adds
 * losses to g->loss.  Returns 0 and *ret in the arena or in data; PARLEY_WAIT:
 * call again with equal arguments, in the same step of g->ask; or -1 with
 * g->err, which names the member at fault: upstream-invalid;
 * translation-unsupported or identity-unmappable, if the client's protocol
 * cannot express it; capacity.
 */
int parley_gate_unasked(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc, parley_str_t data, parley_encoded_t *ret)
    __attribute__((warn_unused_result));

/* parley_gate_stream.c: parley_stream */

parley_step_result_t parley_gate_stream(parley_gate_t *g);
parley_step_result_t parley_gate_stream_method(parley_gate_t *g,
    parley_str_t method);

/* methods of a stream with tickets, and without */
#define PARLEY_TICKET_METHODS  "GET, POST, DELETE"
#define PARLEY_STREAM_METHODS  "GET, DELETE"

/* methods of a WebSocket with tickets, and without */
#define PARLEY_WEBSOCKET_TICKET_METHODS  "GET, POST"
#define PARLEY_WEBSOCKET_METHODS         "GET"

/* Fills *ret with the stream to open.  Returns 0, or -1 with g->err. */
int parley_gate_stream_request(parley_gate_t *g,
    struct parley_stream_request_s **ret);

/* parley_gate_ticket.c: POST at a parley_stream location, and the use of the
   ticket (GW-02) */

parley_step_result_t parley_gate_ticket(parley_gate_t *g);

/* Finds the token of the ticket in the request.  Leaves *ret unchanged without
   a ticket.  Returns 0, or -1: token-invalid, token-expired. */
int parley_gate_ticket_token(parley_gate_t *g, parley_str_t *ret);

/* Marks the ticket as used, so that it opens only one stream.  Returns 0,
   PARLEY_WAIT, or -1: token-invalid, capacity. */
int parley_gate_ticket_use(parley_gate_t *g);

/* parley_gate_erase.c: DELETE at a parley_stream location (ACH-28) */

parley_step_result_t parley_gate_erase(parley_gate_t *g);

/* parley_gate_roster.c: parley_roster */

parley_step_result_t parley_gate_roster(parley_gate_t *g);
parley_step_result_t parley_gate_roster_method(parley_gate_t *g,
    parley_str_t method);

/* parley_gate_roster_page.c */

/*
 * Reads a page of the sessions that listen to an address, about max of them,
 * from *at on.  *at is 0 before the first page, and again after the last.
 * Returns 0, PARLEY_WAIT, or -1: capacity.
 */
int parley_gate_publish_roster(parley_gate_t *g, parley_str_t address,
    size_t max, uint32_t *at, struct parley_roster_page_s *ret);

/* parley_gate_named.c */

/* Checks the method of a request about a name, which is answered in a protocol.
   Allows GET, and DELETE if may_erase is set. */
parley_step_result_t parley_gate_named_method(parley_gate_t *g,
    parley_proto_t proto, parley_str_t method, int may_erase);

#define PARLEY_NAMED_METHODS  "GET"

/*
 * Checks the caller as parley_gate_serving(), reads its arguments as
 * parley_gate_serving_asks(), and finds the address of the name in the path.
 * The name belongs to the caller, or a rule with this type allows it.  type
 * empty: every name is allowed.  Returns 0, or -1 as these functions, and with
 * policy-refused (no TLS), field-invalid, identity-unmappable,
 * scope-unauthorised.
 */
int parley_gate_named(parley_gate_t *g, parley_arguments_t *asked,
    parley_str_t type, parley_str_t *ret, int *own);

/* Names the author as the sender, if a surface delivers the message. */
static inline void
parley_gate_author(const parley_gate_t *g)
{
    if (g->who->surface != NULL) {
        g->msg->sender = g->who->author;
    }
}

/* Appends the name that parley_gate_named() found, as the member "handle" or
   "name". */
void parley_gate_named_tell(const parley_gate_t *g, parley_buf_t *b,
    parley_str_t address);

/* parley_gate_serve.c */

parley_step_result_t parley_gate_serve(parley_gate_t *g);

/* Checks the request method of the endpoint configured here.  The block must
   have one. */
parley_step_result_t parley_gate_serve_method(parley_gate_t *g,
    parley_str_t method);

/* parley_gate_methods.c */

/* Returns the request methods of the endpoint configured here, as a list. */
parley_str_t parley_gate_serve_methods(const parley_gate_t *g);

/* Returns whether tickets can open a stream at this location. */
int parley_gate_ticket_is_on(const parley_gate_t *g);

/* parley_gate_serving.c */

/*
 * Checks that the caller is proven and not revoked, and that the request did
 * not come over plain HTTP.  Returns 0, or -1 with g->err.
 */
int parley_gate_is_served(parley_gate_t *g);

/*
 * Checks that the caller is proven and not revoked.  himself: the words for a
 * caller that no actor may replace, such as "the parent"; NULL: an actor may.
 * Returns 0, or -1 with g->err.
 */
int parley_gate_serving(parley_gate_t *g, const char *himself);

/* Answers with the JSON text in b.  Returns 0, or -1: no memory. */
int parley_gate_serving_json(parley_gate_t *g, parley_buf_t *b);

/* Reads the arguments that ret names, from the query or from a call of MCP, as
   parley_arguments_read(). */
int parley_gate_serving_asks(parley_gate_t *g, parley_arguments_t *ret);

/* parley_gate_publish.c */

parley_step_result_t parley_gate_publish(parley_gate_t *g);

/*
 * Ends PUBLISH if the state did not settle the id in time.  Returns 0 if the
 * message is published, so that it is answered; or -1 if it is not, or without
 * memory.
 */
int parley_gate_publish_deadline(parley_gate_t *g);

/* parley_gate_publication.c */

/*
 * Fills the publication of the message; its spans belong to the gate.  *scope
 * is the scope of the recipients, or empty if the message names none.  Returns
 * 0, or -1 with g->err.
 */
int parley_gate_publish_message(parley_gate_t *g,
    struct parley_publication_s *ret, parley_str_t *scope);

/* parley_gate_scope.c */

/*
 * Reads the scope of a publication.  A message that cannot be a frame has the
 * scope of its recipient.  The handle in *ret is an address (parley_address.h),
 * or the handle of an organisation.  Returns 0, or -1: field-invalid,
 * identity-unmappable, capacity.
 */
int parley_gate_scope(parley_gate_t *g, parley_str_t text,
    parley_channel_scope_t *ret);

/* parley_gate_severity.c */

/*
 * Returns the severity of an escalation, in the protocol of the message or in
 * the service's.  NONE: the message is an acknowledgment, or not an escalation.
 */
parley_severity_t parley_gate_severity(const parley_gate_t *g);

/* Returns whether the message reports a problem to the parent of its sender,
   which makes it an escalation in its own protocol. */
int parley_gate_severity_reports(const parley_gate_t *g);

/* Returns whether the message is critical or an emergency.  Such a message goes
   to the principals above its recipient until one acknowledges it (VCP-24). */
int parley_gate_severity_escalates(const parley_gate_t *g);


/* parley_gate_deadline.c: the deadline of a message without an answer */

/*
 * Returns whether the sender is informed if its deadline passes without an
 * answer (AEE-29).  False for an escalation, which goes to the next principal.
 */
int parley_gate_publish_times_out(const parley_gate_t *g);

/* Returns the protocols of the principals that the message may escalate to.
   They answer in these protocols. */
parley_proto_set_t parley_gate_escalate_protocols(const parley_gate_t *g);

/* Adds the deadline job of the message to an append.  Returns 0, or -1:
   capacity. */
int parley_gate_publish_deadlines(parley_gate_t *g,
    struct parley_append_s *append);

/* The step ESCALATE. */
parley_step_result_t parley_gate_escalate(parley_gate_t *g);

/* Starts the deadline of a task that the service took and will answer with
   another message.  Returns 0 or PARLEY_WAIT. */
int parley_gate_await(parley_gate_t *g);

/* parley_gate_readers.c: HUB-06 */

/* protocols in which a publication can be delivered, as far as tried */
typedef struct {
    const struct parley_publication_s  *publication;
    int8_t                       says[PARLEY_PROTO_COUNT];  /* 1: can be
                                                               encoded; -1:
                                                               cannot; 0: not
                                                               tried yet */
    parley_error_t               why;   /* error of the first that cannot */
    size_t                       urls;  /* number of URLs with a protocol that
                                           can express it */
} parley_gate_readers_t;

/*
 * Checks, before a publication is appended, that the protocol of at least one
 * recipient can express it.  A publication without recipients passes.  urls[]
 * counts the URLs by protocol.  Fills *ret.  Returns 0, PARLEY_WAIT, or -1 with
 * g->err: the error of an encoding, or capacity.
 */
int parley_gate_readers(parley_gate_t *g,
    const struct parley_publication_s *p, const struct parley_append_s *append,
    const size_t urls[PARLEY_PROTO_COUNT],
    parley_gate_readers_t *ret);

/* Returns whether a publication may be for streams of other protocols. */
int parley_gate_readers_are_many(const parley_gate_t *g,
    parley_proto_t proto);

/* Returns how many of the counted recipients of an append have a protocol that
   can express the publication (ACH-19). */
int64_t parley_gate_readers_told(parley_gate_t *g, parley_gate_readers_t *reach,
    const struct parley_appended_s *appended);

/* parley_gate_declared.c: ACH-29 */

/* Counts a declared intent, if parley_submit limits their number.  Returns 0,
   PARLEY_WAIT, or -1: rate-limited, capacity. */
int parley_gate_declare(parley_gate_t *g);

/* Clears the count of declared intents if the message is a flush_executed.
   Returns 0 or PARLEY_WAIT. */
int parley_gate_declare_flush(parley_gate_t *g);

/* parley_gate_response.c */

/*
 * Fills g->publish.response_scope with the scope that a query names for its
 * answers.  Returns 0, or -1: field-invalid, scope-unimplemented,
 * scope-unauthorised, policy-refused.
 */
int parley_gate_response(parley_gate_t *g);

/* parley_gate_publish.c: returns whether the rules about recipients let the
   message go to the principal that a scope names first */
int parley_gate_publish_may_read(const parley_gate_t *g,
    const parley_channel_scope_t *scope);

/* parley_gate_await_reply.c: HUB-07 */

/* stream of a held request: it writes nothing to a connection, and is never
   behind */
extern const parley_stream_t  parley_gate_called_stream;

/*
 * Checks, before a message is appended, that its answer can come back: by a
 * held request, or by a stream of its sender.  Returns 1 if the request is
 * held, 0, PARLEY_WAIT, or -1: translation-unsupported, capacity.
 */
int parley_gate_await_reply(parley_gate_t *g);

/* Returns whether the owner of an address has its own stream: 1, 0,
   PARLEY_WAIT, or -1: capacity. */
int parley_gate_await_listens(parley_gate_t *g, parley_str_t address);

/*
 * Holds a repeated call of MCP if it is a query, to collect its previous and
 * new answers.  Keeps g->err.  Returns 1 if the call is held, 0, PARLEY_WAIT,
 * or -1: no memory.
 */
int parley_gate_await_reply_again(parley_gate_t *g);

/* parley_gate_form.c */

/* Encodes the message as its subscribers in a protocol receive it.  Returns 0,
   or another value if the protocol cannot express it, or without memory. */
int parley_gate_publish_form(parley_gate_t *g, parley_proto_t to,
    parley_encoded_t *ret);

/*
 * Records the ids that the message has in the protocols of subscribers, and in
 * speaks, so that answers in these protocols find it.  Returns 0 or
 * PARLEY_WAIT.
 */
int parley_gate_publish_keep_alias(parley_gate_t *g, parley_proto_set_t speaks);

/* parley_gate_read.c */

parley_step_result_t parley_gate_protocol(parley_gate_t *g);
parley_step_result_t parley_gate_schema(parley_gate_t *g);
parley_step_result_t parley_gate_payload(const parley_gate_t *g);
parley_step_result_t parley_gate_arguments(parley_gate_t *g);
parley_step_result_t parley_gate_age(parley_gate_t *g);

/* parley_gate_sender.c */

parley_step_result_t parley_gate_transport(const parley_gate_t *g);
parley_step_result_t parley_gate_sender(const parley_gate_t *g);
parley_step_result_t parley_gate_signature(parley_gate_t *g);

/*
 * Returns REFUSED after a failed proof, with g->err.  Removes the claimed
 * identity, so that logs and variables do not have it.
 */
parley_step_result_t parley_gate_disproved(const parley_gate_t *g);

/* parley_gate_certificate.c */

parley_step_result_t parley_gate_proof(parley_gate_t *g);

/* Returns whether the caller's proof was verified before: 1, 0 or
   PARLEY_WAIT. */
int parley_gate_proof_known(parley_gate_t *g);

/* Fills *ret with the certificate of the connection, as env->certificate. */
int parley_gate_shown(parley_gate_t *g,
    const struct parley_certificate_s **ret);

/* parley_gate_revocation.c */

parley_step_result_t parley_gate_revocation(const parley_gate_t *g);

/* parley_gate_token.c */

parley_step_result_t parley_gate_token(parley_gate_t *g);

/*
 * Checks whether the token of the request was verified before, by this worker
 * or another one.  Returns PASSED; WAIT; NONE if the request has no token and a
 * certificate is enough; else another result.  Sets no error.
 */
parley_step_result_t parley_gate_token_known(parley_gate_t *g);

/*
 * Records that the token was verified, if there is a limit of failed proofs
 * (SEC-23).  Returns 0 or PARLEY_WAIT.
 */
int parley_gate_token_record(parley_gate_t *g);

/* Releases the token's entry of the cache. */
void parley_gate_token_release(parley_gate_t *g);

/* parley_gate_origin.c */

/* Checks that the page that sent the request may use its cookie or certificate.
   Returns 0, or -1: policy-refused. */
int parley_gate_origin(parley_gate_t *g);

/* parley_gate_rate.c */

parley_step_result_t parley_gate_failures(parley_gate_t *g);
parley_step_result_t parley_gate_rate(parley_gate_t *g);
parley_step_result_t parley_gate_sender_rate(parley_gate_t *g);

/*
 * Counts a failed proof; g->err has its error.  Returns 0 or PARLEY_WAIT.
 */
int parley_gate_failed(parley_gate_t *g);

/*
 * Counts a message that ends before its admission at other nodes, by the limits
 * in g->proof.limits.  Returns 0 or PARLEY_WAIT.
 */
int parley_gate_rate_tell(parley_gate_t *g);

/* parley_gate_verdict.c */

/* Reports the verdict after the last step, when the id is settled. */
void parley_gate_verdict_conclude(parley_gate_t *g);

/*
 * Writes the verdict to the audit log before it takes effect.  Only the first
 * call writes.  Returns PASSED, REFUSED with g->err, or NONE if nothing is
 * written.
 */
parley_step_result_t parley_gate_verdict_record(parley_gate_t *g);
parley_step_result_t parley_gate_verdict_record_as(parley_gate_t *g,
    parley_verdict_t verdict);

/* Reports the settlement of the id.  Only the first call has an effect. */
void parley_gate_verdict_settles(parley_gate_t *g, parley_settle_t settle);

/* Reports the outcome of a forwarded message.  Only the first call has an
   effect. */
void parley_gate_report_outcome(parley_gate_t *g, parley_outcome_kind_t kind,
    const struct parley_answered_s *answer);

/* Reports the verdict and the outcome at the end of the request, if they are
   not yet reported. */
void parley_gate_report_rest(parley_gate_t *g);

/* parley_gate_session.c */

parley_step_result_t parley_gate_session(parley_gate_t *g);

/* Records the caller as the owner of the sessions that the service gave with
   its answer.  Returns 0 or PARLEY_WAIT. */
int parley_gate_sessions_given(parley_gate_t *g);

/* Removes the records of the sessions that the request names.  Returns 0 or
   PARLEY_WAIT. */
int parley_gate_sessions_end(parley_gate_t *g);

/* parley_gate_submit.c */

parley_step_result_t parley_gate_submission(parley_gate_t *g);

/* parley_gate_message.c */

parley_step_result_t parley_gate_message_json(parley_gate_t *g);

/* Returns the exchange for the answers to a message that was sent in the
   protocol speak.  The first call allocates it.  NULL: no memory. */
struct parley_exchange_s *parley_gate_message_exchange(parley_gate_t *g,
    parley_proto_t speak, const parley_encoded_t *sent);

/* Reads the token in the argument g->conf.gate->token; empty: the query has
   none.  Returns 0, or -1: field-invalid. */
int parley_gate_message_token(parley_gate_t *g, parley_str_t *ret);

/* Fills the arguments of parley_question_keep() for the encoded message. */
void parley_gate_message_asking(parley_gate_t *g, parley_asking_t *ret);

/* Reports the result of a step to the adapter. */
static inline void
parley_gate_report_step(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result)
{
    if (g->env->step_done != NULL) {
        g->env->step_done(g, step, result);
    }
}


/* Fills g->proof.account, the account that the message is counted to. */
void parley_gate_message_account(parley_gate_t *g);

/* Makes the key of the account of sub or, if it is empty, of the address. */
void parley_gate_message_key(const parley_gate_t *g, parley_str_t sub,
    uint8_t out[PARLEY_KEY_LEN]);

/* Returns whether the message is a task for the gateway itself. */
int parley_gate_is_self(const parley_gate_t *g);

/* Fills the arguments of parley_replay_keep(). */
void parley_gate_message_replay(const parley_gate_t *g,
    struct parley_replay_s *ret);

/* parley_host.c */

parley_step_result_t parley_gate_host(parley_gate_t *g);

/* parley_gate_mailbox.c */

/* Opens the stream of the caller's mailbox. */
parley_step_result_t parley_gate_mailbox(parley_gate_t *g);

/* parley_gate_admit.c */

parley_step_result_t parley_gate_reference(parley_gate_t *g);
parley_step_result_t parley_gate_admit(parley_gate_t *g);
parley_step_result_t parley_gate_admit_keep(parley_gate_t *g);

/*
 * Returns the cached keys of the account of sub, or NULL: of the principal of
 * the token, or of the author of a message that a surface delivers.
 */
static inline parley_account_kept_t *
parley_gate_kept(const parley_gate_t *g, parley_str_t sub)
{
    if (g->proof.kept != NULL && parley_str_eq(g->proof.kept->sub, sub)) {
        return g->proof.kept;
    }

    return g->who->surface != NULL && g->in.authors != NULL && sub.len > 0
           ? parley_account_place(g->in.authors, sub) : NULL;
}

/*
 * Frees the id of the message and removes its records, unless it was accepted.
 * Returns 0, PARLEY_WAIT or -1.
 */
int parley_gate_undo(parley_gate_t *g);

/* parley_gate_actors.c */

/* Checks that no actor of the token is suspended.  Returns 0, PARLEY_WAIT, or
   -1: agent-suspended, capacity. */
int parley_gate_actor_all_pass(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* As parley_gate_actor_all_pass(), and also checks the caller's principal. */
int parley_gate_actor_passes(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Returns whether the subject of the token uses it itself.  An actor without a
   sub is an instrument of the subject, and does not count. */
int parley_gate_actor_is_caller(const parley_gate_t *g);

/* parley_gate_suspend.c */

/* Returns whether the message passes although its sender is suspended. */
int parley_gate_suspend_is_free(const parley_gate_t *g);

parley_step_result_t parley_gate_suspend(parley_gate_t *g);

/* parley_gate_local.c */

parley_step_result_t parley_gate_local(parley_gate_t *g);
parley_step_result_t parley_gate_refute(parley_gate_t *g);

/* parley_gate_taken.c */

/*
 * Marks the id of the message as accepted.  first is the reply to the sender,
 * or NULL if not yet known.  closes: no further answer is awaited.  Returns 0,
 * PARLEY_WAIT or -1.
 */
int parley_gate_taken(parley_gate_t *g, const parley_reply_t *first,
    int closes);

/* Keeps the first reply to the message for its next try (GW-19).  Returns 0 or
   PARLEY_WAIT. */
int parley_gate_keep_first(parley_gate_t *g, const parley_reply_t *first);

/* Retains the message before it is published, if configured.  The record ends
   unless the message is accepted.  Returns 0 or PARLEY_WAIT. */
int parley_gate_keep_before(parley_gate_t *g);

/* Drops the deadline job of a task after its final answer was accepted. */
void parley_gate_taken_in_time(parley_gate_t *g);

/* Fills the arguments of parley_retain(), except for the message. */
void parley_gate_taken_retain(parley_gate_t *g, struct parley_retain_s *ret);

/* parley_gate_translate.c */

parley_step_result_t parley_gate_translate(parley_gate_t *g);

/* parley_gate_rewrite.c */

parley_step_result_t parley_gate_rewrite(parley_gate_t *g);
parley_step_result_t parley_gate_loss(const parley_gate_t *g);

/* parley_gate_policy.c */

parley_step_result_t parley_gate_policy(parley_gate_t *g);
parley_step_result_t parley_gate_direction(const parley_gate_t *g);

/* parley_gate_rules.c */

/*
 * Applies the rules about the caller alone to a request that needs no rule of
 * its own (SEC-24).  Returns 0, or -1: policy-refused, scope-unauthorised.
 */
int parley_gate_rules_caller(parley_gate_t *g);

/*
 * Checks a request without a message by all rules.  Returns 0, or -1:
 * policy-refused, scope-unauthorised.
 */
int parley_gate_rules_check_caller(parley_gate_t *g);

/* Returns whether a rule with this type lets the caller ask about another
   principal's name, g->read.to, or about the gateway if g->read.to is empty. */
int parley_gate_may_ask(const parley_gate_t *g, parley_str_t type);

/*
 * Checks the message, its sender and its recipient by the rules.  Returns 1 if
 * allowed; 0 with *g->err and g->report.rule, the rule that decided, or NULL;
 * or -1: no memory.
 */
int parley_gate_rules_check(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Sets g->report.lacks, the scope that a token lacks, for the challenge
   (SEC-19). */
void parley_gate_rules_lacks(parley_gate_t *g);

/*
 * Returns whether the rules about recipients would let the message go to a
 * scope in place of its recipient.  reader: a member of the organisation of the
 * scope, or NULL.
 */
int parley_gate_may_address(const parley_gate_t *g, parley_str_t text,
    const parley_channel_scope_t *scope, const parley_principal_t *reader);

/*
 * Returns whether a rule with type=subscribe lets a principal, the caller or
 * another one, read the group of this name (bus.x).
 */
int parley_gate_may_subscribe(const parley_gate_t *g,
    const parley_principal_t *reader, parley_str_t name);

/* Returns whether the rules about recipients let the message go to a reader,
   which is one member of its recipient (GW-37). */
int parley_gate_may_reach(const parley_gate_t *g,
    const parley_principal_t *reader);

/* Returns whether a rule denies anything. */
int parley_gate_rules_denies(const parley_gate_t *g);

/* Makes the reader of a stream that the caller opens. */
void parley_gate_rules_reader(const parley_gate_t *g,
    struct parley_reader_s *ret);


/* Returns whether the message is forwarded unchanged, even if it is refused. */

static inline int
parley_gate_is_dry(const parley_gate_t *g)
{
    return g->conf.gate->dry != PARLEY_DRY_OFF && g->where.entry == NULL;
}


/* Returns the settings of the location that accepted the message. */

static inline const parley_gate_conf_t *
parley_gate_entry(const parley_gate_t *g)
{
    return g->where.entry != NULL ? g->where.entry : g->conf.gate;
}


static inline parley_step_result_t
parley_step_result(int rc)
{
    return rc == 0 ? PARLEY_RESULT_PASSED
           : rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT : PARLEY_RESULT_REFUSED;
}


#endif /* PARLEY_GATE_STEPS_H */
