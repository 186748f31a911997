/*
 * What the directives say: of the gateway as a whole, and of a block of
 * nginx's configuration (http, a server, a location).  nginx and "parley
 * explain" have the same, read by the same table (parley_directive.h).
 *
 * Everything is in the arena of the configuration, and read-only once it is
 * verified.
 */

#ifndef PARLEY_SETTINGS_H
#define PARLEY_SETTINGS_H

#include "gate/settings/parley_challenge.h"
#include "auth/parley_directory.h"
#include "hub/parley_expand.h"
#include "gate/settings/parley_gate_conf.h"
#include "hub/parley_hub.h"
#include "translate/parley_intents.h"
#include "auth/parley_jwk.h"
#include "auth/parley_jwt.h"
#include "auth/parley_principal.h"
#include "auth/parley_revocation.h"
#include "translate/parley_severity_word.h"
#include "gate/settings/parley_step.h"


/* where directives may stand */
typedef enum {
    PARLEY_HEALTH_NONE = 0,
    PARLEY_HEALTH_LIVE,
    PARLEY_HEALTH_READY
} parley_health_t;


#define PARLEY_IN_HTTP      1
#define PARLEY_IN_SERVER    2
#define PARLEY_IN_LOCATION  4
#define PARLEY_IN_ANY       7


/* what a directive has an effect beside, and not without (GW-28) */
typedef enum {
    PARLEY_BESIDE_TOKEN = 0,            /* parley_jwt on */
    PARLEY_BESIDE_PAIR,                 /* a protocol that is translated */
    PARLEY_BESIDE_COUNT,                /* it needs nothing */
    PARLEY_BESIDE_PROTO                 /* and parley_proto_t: a protocol, in
                                           any version, that is accepted, or
                                           spoken */
} parley_beside_t;


typedef enum {
#define PARLEY_DIRECTIVE(id, ...)  PARLEY_DIRECTIVE_##id,
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE
    PARLEY_DIRECTIVE_COUNT
} parley_directive_id_t;


/* where a directive stands; line 0: nowhere */
typedef struct {
    parley_str_t  file;
    unsigned      line;
    unsigned      in;                   /* PARLEY_IN_HTTP, ... */
} parley_where_t;


/* what is wrong with a configuration, or to be warned about; zero-terminated */
#define PARLEY_PROBLEM_TEXT  2048

typedef struct {
    parley_where_t  where;              /* line 0: the text says it */
    char            text[PARLEY_PROBLEM_TEXT];
} parley_problem_t;


/* a value that may have variables */
typedef struct parley_value_s {
    parley_str_t   text;                /* as it is written; data NULL: none */
    void          *compiled;            /* the adapter's; NULL: text is it */
    unsigned       varies:1;            /* it has variables */
} parley_value_t;


typedef enum {
    PARLEY_TOKEN_HEADER = 0,            /* Authorization */
    PARLEY_TOKEN_FIELD,                 /* $http_NAME, there once */
    PARLEY_TOKEN_COOKIE,                /* $cookie_NAME, there once */
    PARLEY_TOKEN_ARGUMENT,              /* $arg_NAME, decoded and there once */
    PARLEY_TOKEN_VARIABLE               /* any other */
} parley_token_source_t;


/* in which a ticket is shown, where there are any */
/* suspended principals that a page lists at most */
#define PARLEY_SUSPENDED_MAX     1000

#define PARLEY_TICKET_ARGUMENT  "ticket"


/* parley_jwt on */
typedef struct parley_jwt_conf_s {
    parley_jwt_rules_t      rules;
    parley_realm_t          realm;
    parley_limit_rate_t     failures;
    parley_token_source_t   source;
    parley_str_t            name;       /* of the cookie, of the argument, of
                                           the header in lower case */
    parley_str_t            alias;      /* of the header, with underscores for
                                           hyphens */
    parley_value_t          token;      /* of a cookie, of a variable */
    const parley_str_t     *origins;    /* parley_origin.h; of pages that may
                                           send the cookie, beside those of the
                                           host itself */
    size_t                  norigins;
    int64_t                 tickets;    /* ms that one for a stream lasts; 0:
                                           there are none */
    size_t                  max_size;   /* octets of a token; 0: the default */

    /* of one with tickets=, see parley_settings_http_t */
    struct parley_jwt_conf_s  *next;
    parley_where_t          where;
    unsigned                streams:1;  /* a stream gives them */
} parley_jwt_conf_t;


/* the rules of a block, parley_allow and parley_deny */
typedef struct parley_rules_conf_s {
    parley_policy_t              policy;        /* data of each rule is its
                                                   parley_where_t */
    struct parley_rules_conf_s  *next;          /* of another block */
} parley_rules_conf_t;


/* principals made by one map are never taken for another's */
typedef struct {
    parley_claim_map_t  map;
    unsigned            number;         /* 1, 2, ... */
} parley_claims_conf_t;


/* parley_submit: what is accepted is published */
typedef struct {
    parley_proto_set_t      accept;     /* it names, and so accepts */
    parley_expand_conf_t    expand;
    int                     coarse;     /* counts are */
    int64_t                 hold;       /* ms that a request is held for its
                                           answer; 0: none is */
    unsigned                unheld:1;   /* in so many words */
    uint32_t                declares;   /* intents of a principal within an
                                           hour, without a flush_executed; 0:
                                           any number */
} parley_submit_conf_t;


/* parley_websocket: what comes by it is published, and it is a subscription */
typedef struct {
    parley_stream_t         stream;
    parley_submit_conf_t    submit;
} parley_websocket_conf_t;


/* parley_roster */
typedef struct {
    parley_proto_t          proto;      /* of the names in its paths */
    int                     coarse;     /* for others: no sessions, and counts
                                           as 0, 1, 2 or 10 */
} parley_roster_conf_t;


/* what a block answers to that no messages come to */
typedef enum {
    PARLEY_ENDPOINT_NONE = 0,           /* messages do */
    PARLEY_ENDPOINT_KEYS,               /* parley_keys */
    PARLEY_ENDPOINT_STREAM,             /* parley_stream; parley_websocket,
                                           where one is opened */
    PARLEY_ENDPOINT_ROSTER,             /* parley_roster */
    PARLEY_ENDPOINT_CONTROL,            /* parley_control */
    PARLEY_ENDPOINTS
} parley_endpoint_t;


/* of the gateway as a whole */
typedef struct parley_settings_http_s {
    parley_str_t         zone;          /* its name; empty: none */
    size_t               zone_size;
    unsigned             share;         /* of a principal, in thousandths */

    parley_directory_t  *directory;     /* NULL: none */
    parley_str_t         identities;    /* its file, and what is in it */
    parley_str_t         identities_text;
    parley_jwks_t       *jwks;          /* of all files; NULL: none */
    parley_str_t         jwks_uri;      /* parley_jwks_request; empty: none */
    parley_str_t         jwks_issuer;   /* of what it brings; empty: any */
    int64_t              jwks_interval_ms;
    int64_t              jwks_refresh_ms;
    int64_t              jwks_timeout_ms;
    parley_str_t         revocations_file;  /* empty: none */
    parley_str_t         revocations_text;
    parley_revocations_t  *revocations; /* those in force: the adapter puts
                                           others in their place */
    unsigned             revocations_lost:1;    /* there were others, and those
                                                   cannot be read */
    parley_jwks_t        signing_keys;  /* parley_signing_key; empty: none */
    parley_jwk_t        *signing;       /* the first of them; NULL: none */
    parley_str_t         public_keys;   /* JWK set of their public parts */
    parley_intents_t    *intents;       /* NULL: none */

    parley_str_t         audit;         /* parley_audit; empty: none */
    int64_t              audit_ms;      /* between checkpoints */
    unsigned             audit_pass:1;  /* what cannot be written passes */
    unsigned             publishes:1;   /* parley_submit, parley_stream or
                                           parley_websocket stands somewhere */
    unsigned             child_keys:1;  /* parley_keys stands somewhere: those
                                           that parents add count */

    parley_str_t         self;
    parley_str_t         self_names[PARLEY_PROTO_COUNT];
    uint64_t             retain;        /* messages; 0: none */
    int64_t              retain_ms;
    size_t               replay_size;   /* 0: none */
    int64_t              replay_ms;

    parley_str_t         deliver_uri;   /* parley_deliver; empty: none */
    parley_str_t         deliver_hosts; /* parley_url.h */
    uint32_t             deliver_max;   /* attempts of a worker at once */
    uint32_t             connections;   /* of one account; 0: see share */
    unsigned             connections_share;     /* thousandths of the
                                                   connections of a worker; 0
                                                   with connections 0: no
                                                   limit */
    const struct parley_settings_s  *delivers;      /* of that location; NULL:
                                                       not known here */

    /* the first parley_stream of each protocol, in which what is published is
       written for it; NULL: nobody listens */
    const struct parley_settings_s  *listens[PARLEY_PROTO_COUNT];
    parley_proto_set_t   reads;         /* that somebody may listen in, by
                                           parley_stream, parley_websocket or
                                           parley_mcp */

    /* of all blocks */
    int64_t              leeway_max;    /* seconds, of any parley_jwt */
    int64_t              longest_ms;    /* freshness of any that accepts */
    unsigned             nclaims;       /* parley_claims seen */
    parley_where_t       answers;       /* the first parley_status or
                                           parley_health; line 0: none */
    parley_where_t       serves_keys;   /* the first parley_public_keys; line 0:
                                           none */
    parley_proto_set_t   idle[PARLEY_PROTO_COUNT];
                                        /* warned about, by what is spoken */
    parley_where_t       keyless;       /* the parley_jwt that was warned about
                                           last; line 0: none */
    parley_where_t       plain;         /* the directive of a block without TLS
                                           that was warned about last */
    parley_rules_conf_t  *rules;        /* of every block that has any, the
                                           last first; NULL: none */
    parley_proto_set_t   published;     /* protocols that are accepted where
                                           messages are published */
    parley_jwt_conf_t   *tickets;       /* each parley_jwt with tickets=, the
                                           last first; NULL: none */

    parley_where_t       where[PARLEY_DIRECTIVE_COUNT];
} parley_settings_http_t;


/* of a block */
typedef struct parley_settings_s {
    parley_gate_conf_t             gate; /* speak, gateway, failures and token
                                           are there once it is settled */

    parley_proto_t                 said; /* parley_speak; NONE: not said */
    parley_str_t                   gateway;

    const parley_jwt_conf_t       *jwt;         /* NULL: off */
    const parley_claims_conf_t    *claims;      /* NULL: none */

    int64_t                        window_ms;
    parley_value_t                 receiver;    /* of parley_window */

    parley_value_t                 context;
    parley_value_t                 constitution;
    const parley_severity_word_t  *severities;
    uint32_t                       nseverities;
    parley_str_t                   broadcast;   /* empty: none */

    parley_plan_t                  plan;        /* parley_gate_plan(); 0: not
                                                   known yet */

    const parley_submit_conf_t    *submit;      /* NULL: messages go on */
    const parley_submit_conf_t    *mcp;         /* the same, by calls of MCP;
                                                   NULL: none */
    const parley_stream_t         *stream;      /* NULL: none */
    const parley_websocket_conf_t  *websocket;  /* both of these in one; NULL:
                                                   none */
    const parley_roster_conf_t  *roster;        /* NULL: none */
    unsigned                     keys;          /* parley_keys */
    unsigned                     control;       /* parley_control */
    unsigned                     status;        /* parley_status */
    uint32_t                     status_suspended;      /* that are told; 0:
                                                           none */
    parley_health_t              health;        /* of parley_health */
    unsigned                     public_keys;   /* parley_public_keys */

    /* what is in force stands there; of an outer block where the block has
       none of that part itself */
    parley_where_t               where[PARLEY_DIRECTIVE_COUNT];
    uint64_t                     own;   /* 1 << id: a part of its own */
    parley_directive_id_t        first; /* in the block itself, if any, but
                                           for parley_accept; else COUNT */
} parley_settings_t;


/* what only the adapter can do */
typedef struct {
    void            *ctx;
    parley_arena_t  *arena;             /* lives as long as the settings */
    uint64_t         seed;              /* of hashes; see parley_json_read() */

    /*
     * Compiles a value with variables; *ret NULL: text is all there is of it.
     */
    int            (*compile)(void *ctx, parley_str_t text, void **ret,
                       parley_problem_t *problem);

    /* The octets of a file, and its whole name, zero-terminated. */
    int            (*read)(void *ctx, parley_str_t name,
                       parley_str_t *ret_path, parley_str_t *ret_text,
                       parley_problem_t *problem);

    /* Visits every file of a folder and those in it, by its whole path. */
    int            (*walk)(void *ctx, parley_str_t folder,
                       int (*visit)(void *data, parley_str_t path), void *data,
                       parley_str_t *ret_path, parley_problem_t *problem);

    /* Nothing is wrong, and the operator should know.  May be NULL. */
    void           (*warn)(void *ctx, const parley_problem_t *problem);

    /*
     * They return 0, or -1 with what is wrong in problem->text; left empty,
     * the adapter has said it.
     */
} parley_settings_env_t;


/* what nginx made of a block that accepts nothing, or of one that does */
typedef struct {
    parley_str_t  name;                 /* of a location */
    unsigned      frame:1;              /* locations stand in it */
    unsigned      handled:1;            /* it has a content handler, but for
                                           those of this module */
    unsigned      internal:1;
    unsigned      open:1;               /* nothing is known to restrict who
                                           gets there */
    unsigned      verifies:1;           /* TLS verifies client certificates by
                                           authorities that the operator
                                           trusts */
    unsigned      unserved:1;           /* nothing is known that answers what
                                           passes there, or leads it on */
    unsigned      plain:1;              /* no listener of its server ends TLS */
    parley_str_t  astray;               /* a named location to which error_page
                                           leads what a service failed, and
                                           which accepts nothing; empty: none
                                           is known */
} parley_block_facts_t;


/* failures= of parley_jwt, and what stands where only signatures prove */
extern const parley_limit_rate_t  parley_failures_default;


/* Says what is wrong; returns -1. */
int parley_problem(parley_problem_t *problem, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));

/* What stands where no directive is. */
void parley_settings_http_init(parley_settings_http_t *http);
void parley_settings_init(parley_settings_t *s);

/* Frees what no arena holds. */
void parley_settings_http_free(parley_settings_http_t *http);

/* Everything of http is read: what follows from it.  Returns 0, or -1. */
int parley_settings_http_settle(const parley_settings_env_t *env,
    parley_settings_http_t *http, parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * The block takes from the one around it, settled or not, what it has no
 * directive of itself, and is settled.  A directive replaces that of an outer
 * block whole.
 */
void parley_settings_merge(parley_settings_t *s,
    const parley_settings_t *outer);

/* What the upstream speaks where that is not said: the only protocol that is
   accepted.  NONE: there are several. */
parley_proto_t parley_settings_speaks(parley_proto_set_t accept);

/*
 * SEC-07: what is to protect a block does so where messages are accepted, and
 * nowhere else.  Of a settled block that accepts nothing; returns 0, perhaps
 * after a warning, or -1.
 */
int parley_settings_inactive(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * OPS-01, OPS-03: at a block of which parley_settings_answers() says so, which
 * parley_settings_inactive() and parley_settings_verify() ask; the same.
 */
int parley_settings_answer(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
    __attribute__((warn_unused_result));

/* Returns whether the block itself has parley_status, parley_health or
   parley_public_keys. */
int parley_settings_answers(const parley_settings_t *s);

static inline parley_endpoint_t
parley_settings_endpoint(const parley_settings_t *s)
{
    return s->keys ? PARLEY_ENDPOINT_KEYS
           : s->stream != NULL ? PARLEY_ENDPOINT_STREAM
           : s->roster != NULL ? PARLEY_ENDPOINT_ROSTER
           : s->control ? PARLEY_ENDPOINT_CONTROL
           : PARLEY_ENDPOINT_NONE;
}

/* Whether the steps are taken there: it accepts messages, or answers to
   something else that has to be proven. */
static inline int
parley_settings_steps(const parley_settings_t *s)
{
    return s->gate.accept != 0
           || parley_settings_endpoint(s) != PARLEY_ENDPOINT_NONE;
}

/*
 * What no directive can know of alone, at a settled block where steps are
 * taken; http is settled.  Returns 0, perhaps after a warning, or -1.
 */
int parley_settings_verify(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, const parley_engine_t *engine,
    parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * SEC-13: every block that accepts messages is verified; an id is remembered
 * no shorter than any of them may take it.
 */
void parley_settings_window(const parley_settings_env_t *env,
    const parley_settings_http_t *http, parley_settings_t *s);

/* Every block was verified: warns of what is of use to none of them. */
void parley_settings_http_doubt(const parley_settings_env_t *env,
    const parley_settings_http_t *http);

/*
 * Protocols that are accepted, and whose messages never pass, beside others:
 * they are never translated to what the upstream speaks, or have no signature
 * where one is required.  They are refused, each with its reason, and the
 * operator is warned, by ret->text of the first.
 */
parley_proto_set_t parley_settings_idle(const parley_gate_conf_t *gate,
    parley_error_t *ret);


#endif /* PARLEY_SETTINGS_H */
