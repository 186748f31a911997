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

#include "parley_rewrite.h"
#include "parley_arguments.h"
#include "parley_ask.h"
#include "parley_check.h"
#include "parley_engine.h"
#include "parley_entrance.h"
#include "parley_exchange.h"
#include "parley_intents.h"
#include "parley_policy.h"
#include "parley_rate.h"
#include "parley_correlation.h"
#include "parley_seal.h"
#include "parley_who.h"
#include "parley_window.h"


/* The steps, in their order; docs/architecture.md has the same table. */
typedef enum {
    PARLEY_STEP_METHOD = 0,     /* the adapter's: POST */
    PARLEY_STEP_FAILURES,       /* of proofs from the address that it came
                                   from */
    PARLEY_STEP_PROOF,          /* the adapter's: a token, who->principal */
    PARLEY_STEP_RATE,           /* of the caller */
    PARLEY_STEP_BODY,           /* the adapter's: its octets, their type */
    PARLEY_STEP_JSON,
    PARLEY_STEP_PROTOCOL,
    PARLEY_STEP_SCHEMA,
    PARLEY_STEP_PAYLOAD,        /* by its intent (AEE-33) */
    PARLEY_STEP_TRANSPORT,
    PARLEY_STEP_SENDER,
    PARLEY_STEP_SIGNATURE,
    PARLEY_STEP_SENDER_RATE,    /* of whom only a signature proved */
    PARLEY_STEP_ARGUMENTS,      /* of the query: what they decide */
    PARLEY_STEP_SUBMISSION,     /* what stands beside the body */
    PARLEY_STEP_REFERENCE,      /* what it answers, to */
    PARLEY_STEP_POLICY,
    PARLEY_STEP_DIRECTION,
    PARLEY_STEP_LOCAL,            /* the gateway's answer to what only reads */
    PARLEY_STEP_AGE,
    PARLEY_STEP_ADMIT,          /* it is new, within quotas */
    PARLEY_STEP_REFUTE,         /* the gateway's answer to what changes
                                   something */
    PARLEY_STEP_REWRITE,          /* caps, redaction */
    PARLEY_STEP_TRANSLATE,      /* as the upstream speaks */
    PARLEY_STEP_LOSS,
    PARLEY_STEP_KEEP,           /* what it came from is remembered */
    PARLEY_STEP_COUNT
} parley_step_t;


/* what lets a message go on is below REFUSED */
typedef enum {
    PARLEY_OUTCOME_PASSED = 0,
    PARLEY_OUTCOME_NONE,        /* there is nothing to do here */
    PARLEY_OUTCOME_REFUSED,     /* *err */
    PARLEY_OUTCOME_SPARED,      /* refused, but for the dry run */
    PARLEY_OUTCOME_ANSWERED,    /* by the gateway itself: g->reply */
    PARLEY_OUTCOME_WAIT,        /* the same step again, later */
    PARLEY_OUTCOME_FAILED       /* no memory, or a defect */
} parley_outcome_t;


typedef enum {
    PARLEY_DEMAND_OFF = 0,      /* a signature is not looked at */
    PARLEY_DEMAND_OPTIONAL,
    PARLEY_DEMAND_REQUIRED
} parley_demand_t;


/* SEC-20 */
typedef enum {
    PARLEY_DRY_OFF = 0,
    PARLEY_DRY_ON,              /* spares whoever is proven */
    PARLEY_DRY_ALL              /* spares everybody */
} parley_dry_t;


/* what becomes of a message of which something cannot travel */
typedef enum {
    PARLEY_LOSS_REPORT = 0,
    PARLEY_LOSS_REJECT,
    PARLEY_LOSS_IGNORE
} parley_loss_mode_t;


/* pointers of parley_redact at one location */
#define PARLEY_REDACT_MAX  64


/*
 * What the directives of a location say; read-only while messages pass.  What
 * one directive says stands together, see parley_directive.h.
 */
typedef struct {
    parley_proto_set_t      accept;
    uint8_t                 mve5;
    uint8_t                 any_case;       /* AEE-08 to the letter */

    parley_proto_t          speak;
    parley_str_t            gateway;        /* that the service is behind, see
                                               parley_bind.h; empty: none */
    parley_demand_t         signature;
    parley_dry_t            dry;
    uint8_t                 trusted;

    const parley_policy_t  *policy;         /* NULL: no rules */
    const parley_rate_t    *rate;           /* NULL: no limit */
    parley_limit_rate_t     failures;       /* of proofs from one address;
                                               interval 0: no limit */
    parley_caps_t           caps;           /* without a principal's own */
    const parley_edit_t    *redact;
    uint32_t                nredact;        /* at most PARLEY_REDACT_MAX */
    parley_loss_mode_t      loss;
    parley_str_t            token;          /* the argument that a token comes
                                               in; empty: none */
    parley_json_limits_t    limits;
    int64_t                 past_ms;
    int64_t                 future_ms;
} parley_gate_conf_t;


typedef struct parley_gate_s  parley_gate_t;

typedef parley_outcome_t (*parley_step_pt)(parley_gate_t *g);


/* What the adapter brings. */
typedef struct {
    /* its steps; NULL: nothing to do */
    parley_step_pt      steps[PARLEY_STEP_COUNT];

    /* A header of the request, as parley_binding.h asks; NULL: none. */
    int               (*header)(parley_gate_t *g, parley_str_t name,
                          parley_str_t *ret);

    /*
     * Sets what only it knows of a submission: random of a message that is
     * anonymous, the same each time.  May be NULL.  Returns 0, or -1: FAILED.
     */
    int               (*beside)(parley_gate_t *g, parley_submission_t *ret);

    /* Where the message came to (GW-18), but for ret->self; the same. */
    int               (*arrival)(parley_gate_t *g, parley_arrival_t *ret);

    /*
     * Sets what only it knows of a translation: now_ms, the trace, and values
     * of directives.  The same.
     */
    int               (*options)(parley_gate_t *g,
                          parley_encode_opts_t *ret);

    /* AEE-22: whether there are keys that tokens are verified with, where
       there have to be; NULL: there are. */
    int               (*keys)(parley_gate_t *g);

    /* Is told what each step came to; may be NULL. */
    void              (*told)(parley_gate_t *g, parley_step_t step,
                          parley_outcome_t outcome);
} parley_gate_env_t;


/*
 * One message on its way.  What stands first the adapter sets before the
 * first step, and keeps as long as the gate.
 */
struct parley_gate_s {
    const parley_gate_conf_t  *conf;
    const parley_gate_env_t   *env;
    void                      *ctx;         /* the adapter's */
    const parley_engine_t     *engine;
    const parley_intents_t    *intents;     /* NULL: none */
    parley_arena_t            *arena;
    parley_error_t            *err;
    parley_who_t              *who;
    parley_json_t             *doc;
    parley_msg_t              *msg;
    parley_json_t             *rewritten;   /* gets the document of REWRITE */
    parley_loss_t             *loss;
    const parley_str_t        *self;        /* parley_gate_self() */
    const parley_jwk_t        *key;         /* signs what is sent; NULL: none */
    parley_ask_t               ask;         /* parley_ask_init() */
    parley_str_t               address;     /* the octets of the client's, as
                                               far as they tell clients apart */
    int64_t                    window;      /* ms that its id is known */
    int64_t                    retain;      /* messages are retained; 0: not */
    int64_t                    replay;      /* first answers are kept; 0: not */
    uint64_t                   seed;        /* of parley_json_read(), prints */
    unsigned                   tls:1;       /* it came over TLS 1.2 or later */

    /* set by the adapter's BODY */
    parley_str_t               query;       /* of the request, without "?" */
    parley_str_t               body;
    int64_t                    now_ms;

    /* the gate's own, for the adapter to read */
    parley_encode_opts_t       opts;
    parley_encoded_t           sent;        /* what the upstream gets */
    parley_reply_t             reply;       /* ANSWERED */
    parley_first_t             first;       /* of a duplicate (GW-19) */
    int64_t                    wait;        /* ms until it may come again; 0:
                                               that is of no use */

    /* the gate's own */
    parley_str_t               to;          /* whom a message is for that
                                               names nobody; empty: nobody */
    parley_correlation_t             refer;       /* what it refers to */
    parley_arrival_t           place;       /* that it came to */
    uint8_t                    account[PARLEY_KEY_LEN];
    parley_entrance_t          entrance;
    parley_asked_t             asked;       /* what may refer to it */
    parley_asked_t             before;      /* the same where it was sent
                                               before it continued */
    parley_seal_t              seal;
    parley_arguments_t         arguments;   /* what they decided */
    const parley_gate_conf_t  *entry;       /* of where it was accepted, once
                                               it continues elsewhere; else
                                               NULL */
    parley_error_t            *stale;       /* why it is too old; NULL: it is
                                               not */
    parley_step_t              at;          /* the step that comes next */
    parley_outcome_t           outcome;     /* while ending */
    parley_proto_t             proto;       /* NONE: not known (yet) */
    const parley_policy_rule_t  *rule;      /* that decided, or nearly; NULL:
                                               none */
    const parley_glob_t       *lacks;       /* the scope of a token that
                                               POLICY asks for; else NULL */
    unsigned                   doc_read:1;  /* the body is JSON */
    unsigned                   msg_read:1;  /* msg is filled, perhaps in
                                               part */
    unsigned                   proven:1;    /* SIGNATURE passed */
    unsigned                   edited:1;    /* msg is of *rewritten */
    unsigned                   addressed:1; /* whom it is for stands beside
                                               the body alone */
    unsigned                   uncounted:1; /* no room for its limit */
    unsigned                   ending:1;    /* the steps have come to outcome,
                                               which is being settled */
    unsigned                   unproven:1;  /* by a failed proof */
    unsigned                   forgotten:1; /* the window did not keep the id of
                                               what was taken */
};


/*
 * The gateway's name in each protocol, of its AEE name; empty where it cannot
 * have one.  Returns 0, or -1: no memory.
 */
int parley_gate_self(parley_arena_t *arena, parley_str_t self,
    parley_str_t ret[PARLEY_PROTO_COUNT])
    __attribute__((warn_unused_result));

/* Sets the gate's own. */
void parley_gate_init(parley_gate_t *g);

/*
 * Takes the steps from g->at on, up to the first that does not let the
 * message go on, or to the end: PASSED.  After WAIT it is called again, once
 * what the step waits for is there: what the adapter's own step said, or
 * g->ask.resume; a call too many does no harm.  What the message took is
 * settled by then: given back where it is refused.  clock: of the state.
 */
parley_outcome_t parley_gate_run(parley_gate_t *g, int64_t clock)
    __attribute__((warn_unused_result));

/*
 * The state takes too long for the step that waits for it: the next run, or the
 * next call of what follows here, has no answer.  A message is refused with
 * capacity; an answer goes on.
 */
void parley_gate_overdue(parley_gate_t *g);

/*
 * The message is over, whatever came of it: what it took and nothing has
 * settled is given back, and nobody waits for that.
 */
void parley_gate_leave(parley_gate_t *g, int64_t clock);

/*
 * What came of an answer becomes of the message: its id is taken or given back,
 * the question is closed, what may be asked for later is kept.  outcome->late
 * is set where another answer came first.  Returns 0, or PARLEY_WAIT: it is
 * called again.
 */
int parley_gate_answered(parley_gate_t *g, parley_answered_t *outcome,
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
 * is not asked again; policy, rewriting and translation are conf's, and what
 * the location of its entry redacts stays away.  parley_gate_run() follows;
 * nothing of that is spared in a dry run.
 */
void parley_gate_resume(parley_gate_t *g, const parley_gate_conf_t *conf);

/* "signature" */
const char *parley_step_name(parley_step_t step);

/* "passed"; "-" where there is nothing to do */
const char *parley_outcome_name(parley_outcome_t outcome);

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
parley_outcome_t parley_gate_method(parley_gate_t *g, parley_str_t method);

/*
 * Fills what a refusal of the message says but for random, backoff_ms and
 * first, which the adapter knows.  Returns the protocol that it is said in:
 * before a message is read that is known only where one is accepted; else
 * NONE.
 */
parley_proto_t parley_gate_refusal(parley_gate_t *g, parley_refusal_t *ret);


#endif /* PARLEY_GATE_H */
