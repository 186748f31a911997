/* The gate's own steps; private to it. */

#ifndef PARLEY_GATE_STEPS_H
#define PARLEY_GATE_STEPS_H

#include "translate/channel/parley_channel_scope.h"
#include "gate/message/parley_gate.h"
#include "hub/parley_hub.h"
#include "gate/admission/parley_replay.h"
#include "gate/admission/parley_window.h"


/* milliseconds after which a message may come again that found no room */
#define PARLEY_GATE_NO_ROOM  1000

/* milliseconds after which a message may come again if the state gave no
   answer in time */
#define PARLEY_GATE_OVERDUE  1000


/* parley_gate_keys.c */

parley_step_result_t parley_gate_keys(parley_gate_t *g);
parley_step_result_t parley_gate_keys_method(parley_gate_t *g,
    parley_str_t method);

/* methods of a parley_keys location, see parley_gate_methods() */
#define PARLEY_KEYS_METHODS  "GET, POST, DELETE"

/* parley_gate_control.c: parley_control */

parley_step_result_t parley_gate_control(parley_gate_t *g);
parley_step_result_t parley_gate_control_method(parley_gate_t *g,
    parley_str_t method);

#define PARLEY_CONTROL_METHODS  "GET, DELETE"

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

/* What it opens: 0, or -1 with g->err. */
int parley_gate_stream_request(parley_gate_t *g,
    struct parley_stream_request_s **ret);

/* parley_gate_ticket.c: POST there, and what came of it (GW-02) */

parley_step_result_t parley_gate_ticket(parley_gate_t *g);

/* The token of the ticket that is shown; *ret is untouched where none is.
   Returns 0, or -1: token-invalid, token-expired. */
int parley_gate_ticket_token(parley_gate_t *g, parley_str_t *ret);

/* It opens what is opened now, and nothing again: 0, PARLEY_WAIT, or -1:
   token-invalid, capacity. */
int parley_gate_ticket_use(parley_gate_t *g);

/* parley_gate_erase.c: DELETE there (ACH-28) */

parley_step_result_t parley_gate_erase(parley_gate_t *g);

/* parley_gate_roster.c: the same of parley_roster */

parley_step_result_t parley_gate_roster(parley_gate_t *g);
parley_step_result_t parley_gate_roster_method(parley_gate_t *g,
    parley_str_t method);

/* parley_gate_listeners.c */

/*
 * A page of who listens to an address, of some max sessions, from *at on: 0 at
 * first, and again behind the last.  Returns 0, PARLEY_WAIT, or -1: capacity.
 */
int parley_gate_roster_page(parley_gate_t *g, parley_str_t address,
    size_t max, uint32_t *at, parley_roster_page_t *ret);

/* parley_gate_named.c */

/* The method of requests about a name, which are answered in a protocol: GET,
   and DELETE where it may erase. */
parley_step_result_t parley_gate_named_method(parley_gate_t *g,
    parley_proto_t proto, parley_str_t method, int may_erase);

#define PARLEY_NAMED_METHODS  "GET"

/*
 * Checks the caller as parley_gate_serves(), reads its arguments as
 * parley_gate_asks(), and finds the address of the name in the path.  The name
 * is the caller's own, or one that a rule for that type allows; type empty:
 * any.  Returns 0, or -1: as these do, and policy-refused (no TLS),
 * field-invalid, identity-unmappable, scope-unauthorised.
 */
int parley_gate_named(parley_gate_t *g, parley_arguments_t *asked,
    parley_str_t type, parley_str_t *ret, int *own);

/* Names the author as the sender, if a surface delivers the message. */
static inline void
parley_gate_author(parley_gate_t *g)
{
    if (g->who->surface != NULL) {
        g->msg->sender = g->who->author;
    }
}

/* Appends the member "handle" or "name" of what parley_gate_named() found. */
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

/* Whether a stream can be opened by tickets here. */
int parley_gate_tickets(const parley_gate_t *g);

/* parley_gate_serving.c */

/*
 * Checks that the caller is proven and not revoked.  himself: the words for a
 * caller that no actor may replace, such as "the parent"; NULL: an actor may.
 * Returns 0, or -1 with g->err.
 */
int parley_gate_serves(parley_gate_t *g, const char *himself);

/* Answers with the JSON text in b.  Returns 0, or -1: no memory. */
int parley_gate_serve_json(parley_gate_t *g, parley_buf_t *b);

/* Reads the arguments that ret names, from the query or from a call of MCP, as
   parley_arguments_read(). */
int parley_gate_asks(parley_gate_t *g, parley_arguments_t *ret);

/* parley_gate_publish.c */

parley_step_result_t parley_gate_publish(parley_gate_t *g);

/* The state did not say in time what became of the id of what was published:
   0: it is answered all the same; or -1: it was not published, or no memory. */
int parley_gate_publish_deadline(parley_gate_t *g);

/* parley_gate_publication.c */

/*
 * The message as it is told to whoever listens; spans are the gate's.  *scope:
 * what it is for, empty: nobody says.  Returns 0, or -1 with g->err.
 */
int parley_gate_publication(parley_gate_t *g,
    struct parley_publication_s *ret, parley_str_t *scope);

/* parley_gate_scope.c */

/*
 * Reads the scope of a publication.  The scope of a message that cannot be a
 * frame is that of its recipient.  The handle in *ret is an address
 * (parley_address.h), or an organisation's.  Returns 0, or -1: field-invalid,
 * identity-unmappable, capacity.
 */
int parley_gate_scope(parley_gate_t *g, parley_str_t text,
    parley_channel_scope_t *ret);

/* parley_gate_severity.c: how grave the message is */

/* The escalation that it is, or becomes as it is sent on; of an acknowledgment
   and of what is none NONE. */
parley_severity_t parley_gate_severity(const parley_gate_t *g);

/* Whether it is an escalation in its own protocol's words: it reports a trouble
   to its sender's parent. */
int parley_gate_reports(const parley_gate_t *g);

/* Whether it goes up to whoever is above its recipient until somebody
   acknowledges it (VCP-24): critical, or an emergency. */
int parley_gate_escalates(const parley_gate_t *g);


/* parley_gate_deadline.c: what becomes of the message if nobody answers it in
   time */

/* Whether its sender is told where nobody answers it by its deadline (AEE-29);
   an escalation goes up instead. */
int parley_gate_times_out(const parley_gate_t *g);

/* The protocols of whoever it may go up to, who answer it in these. */
parley_proto_set_t parley_gate_escalation_protocols(const parley_gate_t *g);

/* Its deadlines, behind the jobs of an append of it: 0, or -1: capacity. */
int parley_gate_deadlines(parley_gate_t *g, parley_append_t *append);

/* The step ESCALATE. */
parley_step_result_t parley_gate_escalate(parley_gate_t *g);

/* A task that was taken, and will be answered by another message: 0 or
   PARLEY_WAIT. */
int parley_gate_await(parley_gate_t *g);

/* parley_gate_readers.c: HUB-06 */

/* Whether a publication can be said in a protocol, as far as it was tried. */
typedef struct {
    const parley_publication_t  *publication;
    int8_t                       says[PARLEY_PROTO_COUNT];  /* 1, -1: it has no
                                                               form there; 0:
                                                               not tried yet */
    parley_error_t               why;   /* of the first that cannot */
    size_t                       urls;  /* that can be told */
} parley_gate_readers_t;

/*
 * Before a publication is appended: nobody listens whom it is for, and none of
 * them has a URL; or somebody reads a protocol that it can be said in.  urls:
 * how many have it posted in each.  Fills *ret and returns 0, PARLEY_WAIT, or
 * -1 with g->err: what it cannot be said in, or capacity.
 */
int parley_gate_readers(parley_gate_t *g, const parley_publication_t *p,
    const parley_append_t *append, const size_t urls[PARLEY_PROTO_COUNT],
    parley_gate_readers_t *ret);

/* Of those that its append counted, how many can take it (ACH-19). */
int64_t parley_gate_readers_told(parley_gate_t *g, parley_gate_readers_t *reach,
    const parley_appended_t *appended);

/* parley_gate_declared.c: ACH-29 */

/* An intent that is declared is counted, where its number is limited: 0,
   PARLEY_WAIT, or -1: rate-limited, capacity. */
int parley_gate_declare(parley_gate_t *g);

/* Those that were are carried out, where that was published: 0 or
   PARLEY_WAIT. */
int parley_gate_flush(parley_gate_t *g);

/* parley_gate_response.c */

/*
 * Fills g->response_scope.  Returns 0, or -1:
 * field-invalid, scope-unimplemented, scope-unauthorised, policy-refused.
 */
int parley_gate_response(parley_gate_t *g);

/* parley_gate_publish.c: whether the rules about recipients let the message go
   to the principal whose handle a scope begins with. */
int parley_gate_may_read(const parley_gate_t *g,
    const parley_channel_scope_t *scope);

/* parley_gate_await_reply.c: HUB-07 */

/* of who writes nothing to a connection: it is never behind */
extern const parley_stream_t  parley_gate_called_stream;

/*
 * Checks, before a message is appended, that its answer can come back: by a
 * request that is held, or by a stream of its sender.  Returns 1: it is held;
 * 0; PARLEY_WAIT; or -1: translation-unsupported, capacity.
 */
int parley_gate_await_reply(parley_gate_t *g);

/* Whether the owner of an address has a stream of its own: 1, 0, PARLEY_WAIT,
   or -1: capacity. */
int parley_gate_listens(parley_gate_t *g, parley_str_t address);

/*
 * A call of MCP whose frame came before: a query collects what answered it
 * since, and what still does.  1: it is held; 0: it is not; PARLEY_WAIT; -1: no
 * memory.  g->err is what it was.
 */
int parley_gate_await_reply_again(parley_gate_t *g);

/* parley_gate_form.c */

/* The message as who listens in a protocol gets it; not 0: it has no form
   there, or there is no memory. */
int parley_gate_form(parley_gate_t *g, parley_proto_t to,
    parley_encoded_t *ret);

/* Answers that name it as who listens has it, or who gets it in one of these
   protocols, lead to what is remembered of it: 0 or PARLEY_WAIT. */
int parley_gate_keep_alias(parley_gate_t *g, parley_proto_set_t speaks);

/* parley_gate_read.c */

parley_step_result_t parley_gate_protocol(parley_gate_t *g);
parley_step_result_t parley_gate_schema(parley_gate_t *g);
parley_step_result_t parley_gate_payload(parley_gate_t *g);
parley_step_result_t parley_gate_arguments(parley_gate_t *g);
parley_step_result_t parley_gate_age(parley_gate_t *g);

/* parley_gate_sender.c */

parley_step_result_t parley_gate_transport(parley_gate_t *g);
parley_step_result_t parley_gate_sender(parley_gate_t *g);
parley_step_result_t parley_gate_signature(parley_gate_t *g);

/*
 * What was to prove who sent it was refused, and so is the message: whom it
 * names is a claim, and no identity, for logs and variables too.
 */
parley_step_result_t parley_gate_disproved(parley_gate_t *g);

/* parley_gate_certificate.c */

parley_step_result_t parley_gate_proof(parley_gate_t *g);

/* Returns whether the caller's proof was verified before: 1, 0 or
   PARLEY_WAIT. */
int parley_gate_proof_known(parley_gate_t *g);

/* The certificate of the connection, as env->certificate. */
int parley_gate_shown(parley_gate_t *g, const parley_certificate_t **ret);

/* parley_gate_revocation.c */

parley_step_result_t parley_gate_revocation(parley_gate_t *g);

/* parley_gate_token.c */

parley_step_result_t parley_gate_token(parley_gate_t *g);

/*
 * Returns PASSED if the token of the request was verified before, by this
 * worker or another one; WAIT; NONE if there is no token, and a certificate is
 * enough; else another result.  Sets no error.
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

/* Whether a page may send the cookie that the token is in, or the certificate:
   0, or -1: policy-refused. */
int parley_gate_origin(parley_gate_t *g);

/* parley_gate_rate.c */

parley_step_result_t parley_gate_failures(parley_gate_t *g);
parley_step_result_t parley_gate_rate(parley_gate_t *g);
parley_step_result_t parley_gate_sender_rate(parley_gate_t *g);

/*
 * What was to prove something was refused, with g->err: that is counted.
 * Returns 0 or PARLEY_WAIT.
 */
int parley_gate_failed(parley_gate_t *g);

/* parley_gate_verdict.c */

/* The steps have come to an end, and what they took is settled. */
void parley_gate_conclude(parley_gate_t *g);

/*
 * That it passes, or is another's verdict, is written first, and once: asked
 * again there is NONE.  PASSED, REFUSED with g->err, or NONE.
 */
parley_step_result_t parley_gate_record(parley_gate_t *g);
parley_step_result_t parley_gate_record_as(parley_gate_t *g,
    parley_verdict_t verdict);

/* What became of its id: the first word is final. */
void parley_gate_settles(parley_gate_t *g, parley_settle_t settle);

/* What came of a message that went on: of others, and again, nothing. */
void parley_gate_report_outcome(parley_gate_t *g, parley_outcome_kind_t kind,
    const parley_answered_t *answer);

/* The request is over. */
void parley_gate_report_rest(parley_gate_t *g);

/* parley_gate_session.c */

parley_step_result_t parley_gate_session(parley_gate_t *g);

/* The sessions that the service gave with its answer become the caller's: 0 or
   PARLEY_WAIT. */
int parley_gate_sessions_given(parley_gate_t *g);

/* parley_gate_submit.c */

parley_step_result_t parley_gate_submission(parley_gate_t *g);

/* parley_gate_message.c */

parley_step_result_t parley_gate_json(parley_gate_t *g);

/* Returns the exchange for answers to a message that was sent in a protocol;
   made at the first call.  NULL: no memory. */
parley_exchange_t *parley_gate_exchange(parley_gate_t *g,
    parley_proto_t speak, const parley_encoded_t *sent);

/* Reads the token in the argument g->conf->token; empty: there is none.
   Returns 0, or -1: field-invalid. */
int parley_gate_token_argument(parley_gate_t *g, parley_str_t *ret);

/* Fills the arguments of parley_question_keep() for the encoded message. */
void parley_gate_asking(parley_gate_t *g, parley_asking_t *ret);

/* Reports the result of a step to the adapter. */
void parley_gate_report_step(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result);

/* Fills g->account, the account that the message is counted to. */
void parley_gate_account(parley_gate_t *g);

/* Whether a message is a task for the gateway itself. */
int parley_gate_is_self(const parley_gate_t *g);

/* Fills the arguments of parley_replay_keep(). */
void parley_gate_replay(const parley_gate_t *g, parley_replay_t *ret);

/* parley_gate_admit.c */

parley_step_result_t parley_gate_reference(parley_gate_t *g);
parley_step_result_t parley_gate_admit(parley_gate_t *g);
parley_step_result_t parley_gate_keep(parley_gate_t *g);

/* Where the keys of that sub are kept; NULL: nowhere. */
static inline parley_account_kept_t *
parley_gate_kept(const parley_gate_t *g, parley_str_t sub)
{
    return g->kept != NULL && parley_str_eq(g->kept->sub, sub) ? g->kept : NULL;
}

/*
 * Gives back what the message took, unless that is settled; returns 0,
 * PARLEY_WAIT or -1.
 */
int parley_gate_undo(parley_gate_t *g);

/* parley_gate_actors.c */

/* Whether no actor of the token is suspended.  Returns 0; PARLEY_WAIT; or -1:
   agent-suspended, capacity. */
int parley_gate_actors_pass(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* As parley_gate_actors_pass(), but for the principal of the caller, too. */
int parley_gate_caller_passes(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Whether the token has no actor but its subject, or an instrument of it that
   has no sub. */
int parley_gate_acts_itself(const parley_gate_t *g);

/* parley_gate_suspend.c */

/* Whether the message passes although its sender is suspended. */
int parley_gate_is_free(const parley_gate_t *g);

parley_step_result_t parley_gate_suspend(parley_gate_t *g);

/* parley_gate_local.c */

parley_step_result_t parley_gate_local(parley_gate_t *g);
parley_step_result_t parley_gate_refute(parley_gate_t *g);

/* parley_gate_taken.c */

/*
 * The message was taken.  first: what its sender is told, or NULL: that is not
 * known yet; closes: and no answer is to come any more.  Returns 0, PARLEY_WAIT
 * or -1.
 */
int parley_gate_taken(parley_gate_t *g, const parley_reply_t *first,
    int closes);

/* Keeps the first reply to the message for its next try (GW-19).  Returns 0 or
   PARLEY_WAIT. */
int parley_gate_keep_first(parley_gate_t *g, const parley_reply_t *first);

/* Retains the message before it is published, if messages are retained here; it
   ends unless the message is taken.  Returns 0 or PARLEY_WAIT. */
int parley_gate_keep_before(parley_gate_t *g);

/* Clears the deadline of a task whose final answer was taken. */
void parley_gate_in_time(parley_gate_t *g);

/* Where messages are retained. */
void parley_gate_retain(parley_gate_t *g, parley_retain_t *ret);

/* parley_gate_translate.c */

parley_step_result_t parley_gate_translate(parley_gate_t *g);

/* parley_gate_rewrite.c */

parley_step_result_t parley_gate_rewrite(parley_gate_t *g);
parley_step_result_t parley_gate_loss(parley_gate_t *g);

/* parley_gate_policy.c */

parley_step_result_t parley_gate_policy(parley_gate_t *g);
parley_step_result_t parley_gate_direction(parley_gate_t *g);

/* parley_gate_rules.c */

/*
 * Applies the rules about the caller alone to a request that needs no rule of
 * its own (SEC-24).  Returns 0, or -1: policy-refused, scope-unauthorised.
 */
int parley_gate_caller(parley_gate_t *g);

/* Whether a rule for such a type lets the caller ask about g->to, another's
   name; empty: about the gateway. */
int parley_gate_may_ask(const parley_gate_t *g, parley_str_t type);

/*
 * Asks the rules about the message, its sender and its recipient.  Returns 1:
 * they let it pass; 0: they do not, with *g->err and g->rule, the rule that
 * decided or NULL; or -1: no memory.
 */
int parley_gate_check_rules(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Names the scope that a token lacks in the challenge (SEC-19). */
void parley_gate_lacks(parley_gate_t *g);

/*
 * Returns whether the rules about recipients would let the message go to a
 * scope in place of its recipient.  reader: a member of the organisation of the
 * scope, or NULL.
 */
int parley_gate_may_address(const parley_gate_t *g, parley_str_t text,
    const parley_channel_scope_t *scope, const parley_principal_t *reader);

/* Whether the rules about recipients let the message go to a reader, who is
   one of those that its recipient stands for (GW-37). */
int parley_gate_may_reach(const parley_gate_t *g,
    const parley_principal_t *reader);

/* Whether there are rules that deny something; whether one that is the first
   to match denies g->msg to the caller. */
int parley_gate_denies(const parley_gate_t *g);
int parley_gate_is_denied(parley_gate_t *g);


/* Returns whether the message is forwarded unchanged, whatever is decided. */

static inline int
parley_gate_is_dry(const parley_gate_t *g)
{
    return g->conf->dry != PARLEY_DRY_OFF && g->entry == NULL;
}


static inline parley_step_result_t
parley_step_result(int rc)
{
    return rc == 0 ? PARLEY_RESULT_PASSED
           : rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT : PARLEY_RESULT_REFUSED;
}


#endif /* PARLEY_GATE_STEPS_H */
