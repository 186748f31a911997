/*
 * The gate: what a gateway does with one message, from its arrival to what
 * the upstream gets, as one table of steps in one order.  Whoever drives it
 * (the module from nginx's phases, "parley explain" from the command line, a
 * test directly) is its adapter, and brings what the gate has not: the octets
 * of a body, keys, shared state.
 *
 * What a step refuses with is in *err.  A step that refuses leaves no trace
 * of the later ones.
 */

#ifndef PARLEY_GATE_H
#define PARLEY_GATE_H

#include "parley_amend.h"
#include "parley_arguments.h"
#include "parley_check.h"
#include "parley_engine.h"
#include "parley_intents.h"
#include "parley_policy.h"
#include "parley_rate.h"
#include "parley_who.h"


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
    PARLEY_STEP_REFERENCE,      /* the adapter's: what it answers, to */
    PARLEY_STEP_POLICY,
    PARLEY_STEP_DIRECTION,
    PARLEY_STEP_OWN,            /* the adapter's: the gateway's answer to what
                                   only reads */
    PARLEY_STEP_AGE,
    PARLEY_STEP_ADMIT,          /* the adapter's: it is new, within quotas */
    PARLEY_STEP_REFUTE,         /* the adapter's: the gateway's answer to what
                                   changes something */
    PARLEY_STEP_AMEND,          /* caps, redaction */
    PARLEY_STEP_TRANSLATE,      /* the adapter's: as the upstream speaks */
    PARLEY_STEP_LOSS,
    PARLEY_STEP_KEEP,           /* the adapter's: what it came from is
                                   remembered */
    PARLEY_STEP_COUNT
} parley_step_t;


/* what lets a message go on is below REFUSED */
typedef enum {
    PARLEY_OUTCOME_PASSED = 0,
    PARLEY_OUTCOME_NONE,        /* there is nothing to do here */
    PARLEY_OUTCOME_UNASKED,     /* only a running gateway knows */
    PARLEY_OUTCOME_REFUSED,     /* *err */
    PARLEY_OUTCOME_SPARED,      /* refused, but for the dry run */
    PARLEY_OUTCOME_ANSWERED,    /* by the gateway itself */
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

    /*
     * Its ADMIT asks whether an id came before: what has one is not too old
     * for its answer.  ADMIT refuses what did not come before with g->stale.
     */
    unsigned            remembers:1;

    /* A header of the request, as parley_binding.h asks; NULL: none. */
    int               (*header)(parley_gate_t *g, parley_str_t name,
                          parley_str_t *ret);

    /*
     * Sets what only it knows of a submission: random of a message that is
     * anonymous, the same each time.  May be NULL.  Returns 0, or -1: FAILED.
     */
    int               (*beside)(parley_gate_t *g, parley_submission_t *ret);

    /*
     * AMEND read the message again: what REFERENCE told it is to be told
     * again.  May be NULL.
     */
    void              (*again)(parley_gate_t *g);

    /*
     * Counts a message of who, the sub of a proven principal; empty: of the
     * address that it came from.  what is whose rate it is, a priority or
     * empty.  Refused with PARLEY_E_CAPACITY where there is no room to count.
     */
    parley_outcome_t  (*limit)(parley_gate_t *g,
                          const parley_limit_rate_t *rate, parley_str_t who,
                          parley_str_t what);

    /*
     * SEC-10: whether too many proofs failed from the address that the
     * message came from; again: one more has, which is not refused for that.
     */
    parley_outcome_t  (*failures)(parley_gate_t *g,
                          const parley_limit_rate_t *rate, int again);

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
    parley_json_t             *amended;     /* gets the document of AMEND */
    parley_loss_t             *loss;
    const parley_str_t        *self;        /* parley_gate_self() */
    uint64_t                   seed;        /* of parley_json_read() */
    unsigned                   tls:1;       /* it came over TLS 1.2 or later */

    /* set by the adapter's BODY */
    parley_str_t               query;       /* of the request, without "?" */
    parley_str_t               body;
    int64_t                    now_ms;

    /* set by the adapter's REFERENCE: whom a message is for that names
       nobody; empty: nobody */
    parley_str_t               to;

    /* the gate's own */
    parley_arguments_t         arguments;   /* what they decided */
    const parley_gate_conf_t  *entry;       /* of where it was accepted, once
                                               it continues elsewhere; else
                                               NULL */
    parley_error_t            *stale;       /* why it is too old; NULL: it is
                                               not */
    parley_step_t              at;          /* the step that comes next */
    parley_proto_t             proto;       /* NONE: not known (yet) */
    const parley_glob_t       *lacks;       /* the scope of a token that
                                               POLICY asks for; else NULL */
    unsigned                   doc_read:1;  /* the body is JSON */
    unsigned                   msg_read:1;  /* msg is filled, perhaps in
                                               part */
    unsigned                   proven:1;    /* SIGNATURE passed */
    unsigned                   edited:1;    /* msg is of *amended */
    unsigned                   addressed:1; /* whom it is for stands beside
                                               the body alone */
    unsigned                   uncounted:1; /* no room for its limit */
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
 * what the step waits for is there.
 */
parley_outcome_t parley_gate_run(parley_gate_t *g)
    __attribute__((warn_unused_result));

/*
 * GW-24: the message, which passed, continues at another location, from the
 * form in which it was accepted.  What was asked once (proof, age, admission)
 * is not asked again; policy, amendment and translation are conf's, and what
 * the location of its entry redacts stays away.  parley_gate_run() follows;
 * nothing of that is spared in a dry run.
 */
void parley_gate_resume(parley_gate_t *g, const parley_gate_conf_t *conf);

/* "signature" */
const char *parley_step_name(parley_step_t step);

/*
 * Whether a body of so many octets may be taken: 0, or -1 and *g->err.  The
 * adapter's BODY asks before it reads one.
 */
int parley_gate_size(parley_gate_t *g, uint64_t octets)
    __attribute__((warn_unused_result));

/* How the message came, and what is asked where it came to. */
void parley_gate_way(const parley_gate_t *g, parley_way_t *ret);

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
