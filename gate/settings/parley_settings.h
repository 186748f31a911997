/*
 * The values of all directives: of the gateway as a whole, and of a block of
 * nginx's configuration (http, a server, a location).  nginx and "parley
 * explain" read them by one table (parley_directive.h).
 *
 * All values are in the arena of the configuration.  They are read-only after
 * they are verified.
 */

#ifndef PARLEY_SETTINGS_H
#define PARLEY_SETTINGS_H

#include "auth/parley_directory.h"
#include "hub/parley_expand_conf.h"
#include "gate/settings/parley_gate_conf.h"
#include "hub/parley_stream.h"
#include "auth/parley_jwk.h"
#include "auth/parley_principal.h"
#include "auth/parley_revocation.h"
#include "translate/parley_severity_word.h"
#include "gate/settings/parley_step.h"


struct parley_engine_s;         /* parley_codec_types.h */
struct parley_host_conf_s;      /* parley_host_conf.h */
struct parley_intents_s;        /* parley_intents.h */
struct parley_jwt_conf_s;       /* parley_jwt_conf.h */
struct parley_moq_conf_s;       /* parley_moq_conf.h */
struct parley_rules_conf_s;     /* parley_rules.h */
struct parley_store_settings_s; /* parley_store_settings.h */
struct parley_outer_s;          /* parley_settings_outer.c */


/* parley_health */
typedef enum {
    PARLEY_HEALTH_NONE = 0,
    PARLEY_HEALTH_LIVE,
    PARLEY_HEALTH_READY
} parley_health_t;


/* places of directives */
#define PARLEY_IN_HTTP      1
#define PARLEY_IN_SERVER    2
#define PARLEY_IN_LOCATION  4
#define PARLEY_IN_ANY       7


/* the setting that a directive needs to have an effect (GW-28) */
typedef enum {
    PARLEY_BESIDE_TOKEN = 0,            /* parley_jwt on */
    PARLEY_BESIDE_PAIR,                 /* two protocols, so that messages are
                                           translated */
    PARLEY_BESIDE_COUNT,                /* no requirement */
    PARLEY_BESIDE_PROTO                 /* plus a parley_proto_t: the protocol,
                                           in any version, is accepted or spoken
                                           here */
} parley_beside_t;


typedef enum {
#define PARLEY_DIRECTIVE(id, ...)  PARLEY_DIRECTIVE_##id,
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE
    PARLEY_DIRECTIVE_COUNT
} parley_directive_id_t;


/* place of a directive; line 0: the directive is missing */
typedef struct {
    parley_str_t  file;
    unsigned      line;
    unsigned      in;                   /* PARLEY_IN_HTTP, ... */
} parley_where_t;


/* an error or a warning about the configuration; the text ends with a NUL */
#define PARLEY_PROBLEM_TEXT  2048

typedef struct {
    parley_where_t  where;              /* line 0: the text names the place */
    char            text[PARLEY_PROBLEM_TEXT];
} parley_problem_t;


/* a value that may have variables */
typedef struct parley_value_s {
    parley_str_t   text;                /* text in the configuration; data NULL:
                                           none */
    void          *compiled;            /* the adapter's compiled value; NULL:
                                           text is the value */
    unsigned       varies:1;            /* text has variables */
} parley_value_t;


/* suspended principals on a page, at most */
#define PARLEY_SUSPENDED_MAX     1000


/*
 * parley_claims: a map of claims.  A principal that one map made is never used
 * for another map.
 */
typedef struct {
    parley_claim_map_t  map;
    unsigned            number;         /* 1, 2, ... */
} parley_claims_conf_t;


/* parley_submit: accepted messages are published */
typedef struct {
    parley_proto_set_t      accept;     /* protocols that it names, which are
                                           accepted */
    parley_expand_conf_t    expand;
    int                     coarse;     /* counts are coarse */
    int64_t                 hold;       /* time in ms that a request waits for
                                           its answer; 0: it does not wait */
    unsigned                unheld:1;   /* hold=off is given */
    uint32_t                declares;   /* intents that a principal may declare
                                           in an hour without a flush_executed;
                                           0: any number */
} parley_submit_conf_t;


/* parley_websocket: a subscription, and its client also publishes messages */
typedef struct {
    parley_stream_t         stream;
    parley_stream_t         dialled;    /* stream of a peer that the gateway
                                           dials */
    parley_submit_conf_t    submit;
} parley_websocket_conf_t;


/* parley_roster */
typedef struct {
    parley_proto_t          proto;      /* protocol of the names in its paths */
    int                     coarse;     /* other principals see no sessions, and
                                           counts only as 0, 1, 2 or 10 */
} parley_roster_conf_t;


/* kinds of a block that takes no messages */
typedef enum {
    PARLEY_ENDPOINT_NONE = 0,           /* the block takes messages */
    PARLEY_ENDPOINT_KEYS,               /* parley_keys */
    PARLEY_ENDPOINT_STREAM,             /* parley_stream, parley_moq, or the
                                           opening of a parley_websocket */
    PARLEY_ENDPOINT_ROSTER,             /* parley_roster */
    PARLEY_ENDPOINT_CONTROL,            /* parley_control */
    PARLEY_ENDPOINT_PROOF,              /* no message is read: a request of a
                                           proven caller passes to the content
                                           handler (GW-30) */
    PARLEY_ENDPOINTS
} parley_endpoint_t;


/* settings of the gateway as a whole */
typedef struct parley_settings_http_s {
    parley_str_t         zone;          /* its name; empty: none */
    size_t               zone_size;
    unsigned             share;         /* share of one principal, in
                                           thousandths */
    struct parley_store_settings_s  *store;             /* NULL: none */

    parley_directory_t  *directory;     /* NULL: none */
    parley_str_t         identities;    /* path of its file, and the content */
    parley_str_t         identities_text;
    parley_jwks_t       *jwks;          /* keys of all files; NULL: none */
    parley_str_t         jwks_uri;      /* parley_jwks_request; empty: none */
    parley_str_t         jwks_issuer;   /* issuer of the fetched keys; empty:
                                           any */
    int64_t              jwks_interval_ms;
    int64_t              jwks_refresh_ms;
    int64_t              jwks_timeout_ms;
    parley_str_t         revocations_file;  /* empty: none */
    parley_str_t         revocations_text;
    parley_revocations_now_t  *revocations;  /* NULL: no parley_revocations */
    parley_jwks_t        signing_keys;  /* parley_signing_key; empty: none */
    parley_jwk_t        *signing;       /* the first signing key; NULL: none */
    parley_str_t         public_keys;   /* JWK set of the public parts */
    struct parley_intents_s  *intents;  /* NULL: none */

    parley_str_t         audit;         /* file of parley_audit; empty: none */
    int64_t              audit_ms;      /* time between checkpoints */
    unsigned             audit_pass:1;  /* messages pass if a line cannot be
                                           written */
    unsigned             publishes:1;   /* some block has parley_submit,
                                           parley_mcp, parley_stream,
                                           parley_websocket, parley_moq or
                                           parley_host, or there is a
                                           parley_deliver */
    unsigned             child_keys:1;  /* some block has parley_keys: keys that
                                           parents add are valid */

    parley_str_t         self;
    parley_str_t         self_names[PARLEY_PROTO_COUNT];
    uint64_t             retain;        /* number of messages; 0: none */
    int64_t              retain_ms;
    size_t               replay_size;   /* 0: no replays */
    int64_t              replay_ms;

    parley_str_t         deliver_uri;   /* parley_deliver; empty: none */
    parley_str_t         deliver_hosts; /* see parley_url.h */
    uint32_t             deliver_max;   /* concurrent attempts of a worker */
    parley_str_t         deliver_websocket;     /* location of the messages of
                                                   principals that the gateway
                                                   dials; empty: none */
    uint32_t             connections;   /* limit of one account; 0: see
                                           connections_share */
    unsigned             connections_share;     /* limit of one account in
                                                   thousandths of a worker's
                                                   connections; 0 if connections
                                                   is 0: no limit */
    uint32_t             moq_connections;       /* MoQ connections of a worker,
                                                   at most; 0: a quarter of its
                                                   connections */
    int64_t              moq_handshake_ms;      /* time until a MoQ connection
                                                   has set up its session */
    const struct parley_settings_s  *delivers;      /* settings of the location
                                                       of deliver_uri; NULL:
                                                       unknown here */
    const struct parley_settings_s  *dials;         /* settings of the location
                                                       deliver_websocket; NULL:
                                                       none, or unknown here */

    /*
     * The first block with a stream of each protocol: parley_stream,
     * parley_websocket, parley_moq or parley_host.
     * Publications are written for this protocol by its settings.  NULL: no
     * block has the protocol.
     */
    const struct parley_settings_s  *listens[PARLEY_PROTO_COUNT];

    const struct parley_settings_s  *host;  /* the first block with parley_host;
                                               NULL: none */

    /* the first block of each protocol whose requests are held, or NULL */
    const struct parley_settings_s  *holds[PARLEY_PROTO_COUNT];
    parley_proto_set_t   reads;         /* protocols with readers: of
                                           parley_stream, parley_websocket,
                                           parley_moq or parley_mcp */

    /* over all blocks */
    int64_t              leeway_max;    /* largest leeway of any parley_jwt, in
                                           seconds */
    int64_t              longest_ms;    /* longest freshness of any block that
                                           accepts messages */
    unsigned             nclaims;       /* number of parley_claims */
    parley_where_t       answers;       /* the first parley_status or
                                           parley_health; line 0: none */
    parley_where_t       connects;      /* the last parley_moq; line 0: none */
    struct parley_moq_endpoint_s  *endpoints;   /* each parley_moq_endpoint */
    parley_where_t       wide;          /* the first max= of submissions above
                                           PARLEY_LOGS_SHARED; line 0: none */
    parley_where_t       shared_rates;  /* the first shared= of parley_rate;
                                           line 0: none */
    parley_where_t       serves_keys;   /* the first parley_public_keys; line 0:
                                           none */
    parley_proto_set_t   idle;          /* protocols that a warning named */
    parley_where_t       keyless;       /* last parley_jwt that a warning named;
                                           line 0: none */
    parley_where_t       plain;         /* last directive that a warning about a
                                           block without TLS named */
    struct parley_rules_conf_s  *rules;     /* rules of all blocks, the last
                                               first; NULL: none */
    parley_proto_set_t   published;     /* protocols that are accepted for
                                           publication */
    struct parley_jwt_conf_s  *tickets;     /* each parley_jwt with tickets=,
                                               the last first; NULL: none */
    struct parley_outer_s  *outer;      /* directives of parley_settings_list(),
                                           the last first; NULL: none */

    parley_where_t       where[PARLEY_DIRECTIVE_COUNT];
} parley_settings_http_t;


/* settings of a block */
typedef struct parley_settings_s {
    parley_gate_conf_t             gate; /* speak, gateway, failures and token
                                            are set when the block is settled */

    parley_proto_t                 said; /* parley_speak; NONE: not given */
    parley_str_t                   gateway;

    const struct parley_jwt_conf_s  *jwt;       /* NULL: off */
    const parley_claims_conf_t    *claims;      /* NULL: none */

    int64_t                        window_ms;
    parley_value_t                 receiver;    /* parley_window receiver= */

    parley_value_t                 context;
    parley_value_t                 constitution;
    const parley_severity_word_t  *severities;
    uint32_t                       nseverities;
    parley_str_t                   broadcast;   /* empty: none */

    parley_plan_t                  plan;        /* parley_gate_plan(); 0: not
                                                   computed yet */

    const parley_submit_conf_t    *submit;      /* NULL: messages go to a
                                                   service */
    const parley_submit_conf_t    *mcp;         /* as submit, for calls of MCP;
                                                   NULL: none */
    const parley_stream_t         *stream;      /* NULL: none */
    const parley_websocket_conf_t  *websocket;  /* submit and stream in one;
                                                   NULL: none */
    const struct parley_moq_conf_s  *moq;       /* takes MoQ connections, and
                                                   its stream is stream; NULL:
                                                   none */
    const struct parley_host_conf_s  *host;     /* accepts messages of chat, and
                                                   its stream is stream; NULL:
                                                   none */
    const parley_roster_conf_t  *roster;        /* NULL: none */
    unsigned                     keys;          /* parley_keys */
    unsigned                     control;       /* parley_control */
    unsigned                     proves;        /* derived: it is a
                                                   PARLEY_ENDPOINT_PROOF */
    unsigned                     status;        /* parley_status */
    uint32_t                     status_suspended;      /* suspended principals
                                                           on the page, at most;
                                                           0: no list */
    parley_health_t              health;        /* parley_health */
    unsigned                     public_keys;   /* parley_public_keys */
    parley_str_t                 moq_endpoint;  /* JSON of parley_moq_endpoint;
                                                   empty: none */

    /*
     * Places of the directives that apply here; an inherited directive has its
     * place in the outer block.
     */
    parley_where_t               where[PARLEY_DIRECTIVE_COUNT];
    uint64_t                     own;   /* bits of 1 << id: the block itself
                                           sets the part of this directive */
    unsigned                     undry:1;       /* a dry run is not possible
                                                   here, but set */
    unsigned                     listed:1;      /* parley_settings_list() has
                                                   listed it */
} parley_settings_t;


/* functions of the adapter, and memory */
typedef struct {
    void            *ctx;
    parley_arena_t  *arena;             /* lives as long as the settings */
    uint64_t         seed;              /* seed of hashes, see
                                           parley_json_read() */
    unsigned         quic:1;            /* nginx has QUIC */

    /* Compiles a value with variables.  *ret NULL: text is the whole value. */
    int            (*compile)(void *ctx, parley_str_t text, void **ret,
                       parley_problem_t *problem);

    /* Reads a file; *ret_path is its full path with a NUL. */
    int            (*read)(void *ctx, parley_str_t name,
                       parley_str_t *ret_path, parley_str_t *ret_text,
                       parley_problem_t *problem);

    /*
     * As read, for a secret: refuses a file that its group or others can
     * access.
     */
    int            (*secret)(void *ctx, parley_str_t name,
                       parley_str_t *ret_path, parley_str_t *ret_text,
                       parley_problem_t *problem);

    /*
     * Calls visit with the full path of each file in a folder and its
     * subfolders.
     */
    int            (*walk)(void *ctx, parley_str_t folder,
                       int (*visit)(void *data, parley_str_t path), void *data,
                       parley_str_t *ret_path, parley_problem_t *problem);

    /* Reports a warning to the operator.  May be NULL. */
    void           (*warn)(void *ctx, const parley_problem_t *problem);

    /*
     * compile, read, secret and walk return 0, or -1 with the error in
     * problem->text.  The text is empty if the adapter has reported the error.
     */
} parley_settings_env_t;


/* nginx's view of a block */
typedef struct {
    parley_str_t  name;                 /* name of a location */
    unsigned      location:1;           /* it is a location, not a server */
    unsigned      named:1;              /* only a redirection leads to it */
    unsigned      pattern:1;            /* a regular expression or "@" is its
                                           name, so no URI equals it */
    unsigned      frame:1;              /* it contains locations */
    unsigned      returns:1;            /* a "return" answers all its requests
                                           before access control */
    unsigned      returned:1;           /* a "return" of its server does */
    unsigned      handled:1;            /* it has a content handler of another
                                           module */
    unsigned      internal:1;
    unsigned      open:1;               /* no known directive restricts
                                           access */
    unsigned      verifies:1;           /* TLS verifies client certificates
                                           with authorities that the operator
                                           trusts */
    unsigned      unserved:1;           /* no known handler answers or forwards
                                           a request that passes */
    unsigned      plain:1;              /* its server has only listeners without
                                           TLS */
    unsigned      unquic:1;             /* its server has no listener with
                                           QUIC */
    unsigned      unshared:1;           /* several workers share a listener with
                                           QUIC of its server, without
                                           reuseport */
    unsigned      unkeyed:1;            /* its server has no quic_host_key */
    int64_t       idle;                 /* ms, keepalive_timeout of its
                                           server, or a lower one of the
                                           default server of its address */
    const struct parley_settings_s  *messages;  /* settings of the location of
                                                   the server that "messages="
                                                   of parley_moq names; NULL:
                                                   none */
    unsigned      hidden:1;             /* this location is internal */
    parley_str_t  error_location;       /* name of a location without
                                           parley_accept to which an error_page
                                           of this block leads; empty: none is
                                           known */
} parley_block_facts_t;


/* error of "secret": the path, the mode, and the path again */
#define PARLEY_PROBLEM_SECRET                                                \
    "\"%s\" has mode %03o, so its group or others can access this "         \
    "secret; run \"chmod 600 %s\""

/* default of failures= of parley_jwt, also used without parley_jwt */
extern const parley_limit_rate_t  parley_failures_default;


/* Writes the error text.  Returns -1. */
int parley_problem(parley_problem_t *problem, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Set the defaults of all directives. */
void parley_settings_http_init(parley_settings_http_t *http);
void parley_settings_init(parley_settings_t *s);

/* Frees memory that is not in the arena. */
void parley_settings_http_free(parley_settings_http_t *http);

/*
 * Derives settings of http after all its directives are read, and checks them.
 * Returns 0, or -1.
 */
int parley_settings_http_settle(const parley_settings_env_t *env,
    parley_settings_http_t *http, parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * Sets http->dials to the settings of the location deliver_websocket, after all
 * blocks were checked.  s is NULL if there is no such location.  Returns 0, or
 * -1 if the gateway could not dial each principal that has a wss URL.
 */
int parley_settings_dials(parley_settings_http_t *http,
    const parley_settings_t *s, parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * Inherits from the outer block, which may be settled or not, each part that
 * the block does not set itself.  Then settles the block.  A directive replaces
 * the whole directive of the outer block.
 */
void parley_settings_merge(parley_settings_t *s,
    const parley_settings_t *outer);

/*
 * GW-31: lists the directives of a block that other blocks inherit, or of a
 * server.  parley_settings_http_doubt() warns of each that no block uses.
 * Lists a block once.  Returns 0, or -1 if memory is exhausted.
 */
int parley_settings_list(const parley_settings_env_t *env,
    parley_settings_http_t *http, parley_settings_t *s)
    __attribute__((warn_unused_result));

/*
 * Returns the protocol of an upstream without parley_speak: the only accepted
 * protocol.  Returns NONE if there are several.
 */
parley_proto_t parley_settings_speaks(parley_proto_set_t accept);

/*
 * SEC-07: checks a settled block that takes no messages.  Directives that
 * protect a block have an effect only with parley_accept, and those of VCP
 * also in the location of parley_deliver.  Returns 0, also after a warning, or
 * -1.
 */
int parley_settings_inactive(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * OPS-01, OPS-03: as parley_settings_inactive(), for a block with one of the
 * directives of parley_settings_answers().  parley_settings_inactive() and
 * parley_settings_verify() call this function.
 */
int parley_settings_answer(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * Returns whether the block itself has parley_status, parley_health,
 * parley_public_keys or parley_moq_endpoint.
 */
int parley_settings_answers(const parley_settings_t *s);

/* Returns the list of revocations in force, or NULL. */
static inline const parley_revocations_t *
parley_settings_revocations(const parley_settings_http_t *http)
{
    return http->revocations == NULL ? NULL : http->revocations->list;
}

static inline parley_endpoint_t
parley_settings_endpoint(const parley_settings_t *s)
{
    return s->host != NULL ? PARLEY_ENDPOINT_NONE
           : s->keys ? PARLEY_ENDPOINT_KEYS
           : s->stream != NULL ? PARLEY_ENDPOINT_STREAM
           : s->roster != NULL ? PARLEY_ENDPOINT_ROSTER
           : s->control ? PARLEY_ENDPOINT_CONTROL
           : s->proves ? PARLEY_ENDPOINT_PROOF
           : PARLEY_ENDPOINT_NONE;
}

/* Returns the value of "messages=" of parley_moq in this block, or an empty
   string. */
parley_str_t parley_settings_messages(const parley_settings_t *s);

/*
 * Returns whether the steps run in the block: it takes messages, or it needs a
 * proven caller.
 */
static inline int
parley_settings_steps(const parley_settings_t *s)
{
    return s->gate.accept != 0
           || parley_settings_endpoint(s) != PARLEY_ENDPOINT_NONE;
}

/*
 * Checks the directives of a settled block against each other and against http,
 * which is settled.  The steps run in the block.  Returns 0, also after a
 * warning, or -1.
 */
int parley_settings_verify(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, const struct parley_engine_s *engine,
    parley_problem_t *problem)
    __attribute__((warn_unused_result));

/*
 * SEC-13: raises parley_window to the longest freshness of any block, after all
 * blocks are verified.  An id must be remembered as long as any block could
 * accept it.
 */
void parley_settings_window(const parley_settings_env_t *env,
    const parley_settings_http_t *http, parley_settings_t *s);

/*
 * Warns of settings without effect in any block, after all blocks are verified.
 */
void parley_settings_http_doubt(const parley_settings_env_t *env,
    const parley_settings_http_t *http);

/*
 * Returns the accepted protocols without any message that passes, and in *ret a
 * text for the operator about the first.  Their messages have no signature, and
 * one is required.
 */
parley_proto_set_t parley_settings_idle(const parley_gate_conf_t *gate,
    parley_error_t *ret);


#endif /* PARLEY_SETTINGS_H */
