/*
 * What is wrong with the settings of a location as a whole: what no directive
 * can know of alone.  nginx -t and "parley explain" ask the same here.
 */

#ifndef PARLEY_LOCATION_H
#define PARLEY_LOCATION_H

#include "parley_settings.h"


/* VCP section 7.3 */


typedef struct {
    const parley_gate_conf_t  *gate;        /* speak NONE: it is not said, and
                                               accept names several */
    int64_t                    window_ms;
    parley_str_t               context;     /* parley_vcp_context; data NULL:
                                               none, or with variables */
    parley_str_t               constitution;
    unsigned                   token:1;     /* parley_jwt on */
    unsigned                   has_zone:1;
    unsigned                   has_keys:1;  /* of tokens */
    unsigned                   has_principals:1;    /* parley_identities */
    unsigned                   has_signers:1;   /* principals with keys */
} parley_location_t;


/* What is said of a word that a directive does not know: the choices. */
#define PARLEY_CHOICE_PROTOCOL                                               \
    "is no protocol, expected " PARLEY_PROTOCOL_WORDS
#define PARLEY_CHOICE_SIGNATURE                                              \
    "is unknown, expected required, optional or off"
#define PARLEY_CHOICE_DRY_RUN    "is unknown, expected on, all or off"
#define PARLEY_CHOICE_LOSS       "is unknown, expected report, reject or ignore"
#define PARLEY_CHOICE_LIMITS                                                 \
    "is unknown, expected body=, depth=, string= or members="


/*
 * The longest time that a directive takes, 100 years in milliseconds: times are
 * added to each other and to the clock.
 */
#define PARLEY_LOCATION_TIME_MAX  ((int64_t) 36500 * 24 * 3600 * 1000)

#define PARLEY_CHOICE_TIME       "is no time of at most 36500d"
#define PARLEY_CHOICE_TIME_SOME  "is no time above zero, at most 36500d"
#define PARLEY_CHOICE_TIME_ONE   "must be one time above zero, at most 36500d"
#define PARLEY_CHOICE_TIME_WHOLE                                             \
    "is no time of whole seconds above zero, at most 36500d"


/* the words of parley_limits, each NAME=N */

typedef enum {
    PARLEY_BOUND_BODY = 0,
    PARLEY_BOUND_STRING,
    PARLEY_BOUND_DEPTH,
    PARLEY_BOUND_MEMBERS,
    PARLEY_BOUND_COUNT
} parley_bound_t;

typedef struct {
    const char  *name;
    int64_t      max;                   /* from 1 */
    const char  *why;                   /* said of what is not within */
    unsigned     size:1;                /* may end in k or m */
} parley_bound_word_t;

extern const parley_bound_word_t  parley_location_bounds[PARLEY_BOUND_COUNT];


/* failures= of parley_jwt: of proofs, from one address */
extern const parley_limit_rate_t  parley_location_failures_default;

/* "off", "10r/s" or "10r/s:50".  Returns 0, or -1. */
int parley_location_failures(parley_str_t word, parley_limit_rate_t *ret)
    __attribute__((warn_unused_result));

/*
 * Sets how many proofs may fail: what parley_jwt says, said NULL: it is off.
 * Where everybody is trusted and no token is asked for, one address may be
 * many callers'.
 */
void parley_location_guard(parley_gate_conf_t *gate,
    const parley_limit_rate_t *said);

/* What the upstream speaks where that is not said: the only protocol that is
   accepted.  NONE: there are several. */
parley_proto_t parley_location_speaks(parley_proto_set_t accept);

/*
 * Returns 0, or -1: err->text is what is to stand behind "parley_accept" and
 * its place, err->field is not used.
 */
int parley_location_verify(const parley_location_t *l,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * GW-28.  Returns 0, or -1: a directive of that kind has no effect at the
 * location, and err->text is what is to stand behind its name.  What a
 * location inherits may have its effect in another: ask about its own words.
 */
int parley_location_effect(const parley_location_t *l, parley_beside_t beside,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Protocols that are accepted, and whose messages never pass, beside others:
 * they are never translated to what the upstream speaks, or have no signature
 * where one is required.  They are refused, each with its reason, and the
 * operator is warned, by ret->text of the first.
 */
parley_proto_set_t parley_location_idle(const parley_gate_conf_t *gate,
    parley_error_t *ret);

/*
 * SEC-13: how long an id is remembered, at a location with that window: not
 * shorter than the longest freshness of any location of the zone, since what
 * one has let in another may be asked for again.
 */
int64_t parley_location_window(int64_t window_ms, int64_t longest_ms);


#endif /* PARLEY_LOCATION_H */
