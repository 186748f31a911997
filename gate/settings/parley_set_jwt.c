/* Setters of parley_jwt and parley_claims. */

#include <string.h>

#include "gate/settings/parley_arguments.h"
#include "gate/settings/parley_directive.h"
#include "auth/parley_origin.h"


#define PARLEY_SET_LEEWAY_MAX_MS   3600000
#define PARLEY_SET_TICKETS_MAX_MS  60000
#define PARLEY_SET_TOKEN_MIN       1024


/* the parley_jwt that is being read; each list is one array */
typedef struct {
    parley_setting_t      *d;
    parley_jwt_conf_t     *jwt;
    parley_str_t          *issuers;
    parley_str_t          *audiences;
    parley_str_t          *origins;
    parley_jwt_require_t  *required;
} parley_set_jwt_t;


/*
 * Returns NULL, or the error of value; "" if the adapter has reported the
 * error.
 */
typedef const char *(*parley_set_jwt_pt)(parley_set_jwt_t *set,
    parley_str_t value);


static int parley_set_jwt_begin(parley_setting_t *d, parley_set_jwt_t *set);
static void parley_set_jwt_doubt(const parley_set_jwt_t *set);
static int parley_set_jwt_twice(const parley_setting_t *d, size_t i);
static const char *parley_set_jwt_word(parley_set_jwt_t *set,
    parley_str_t word);
static const char *parley_set_jwt_issuer(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_audience(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_list(parley_str_t *list, size_t *n,
    parley_str_t value);
static const char *parley_set_jwt_typ(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_leeway(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_lifetime(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_tickets(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_max_size(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_failures(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_require(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_origin(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_realm(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_metadata(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_token(parley_set_jwt_t *set,
    parley_str_t value);
static const char *parley_set_jwt_field(parley_set_jwt_t *set,
    parley_str_t variable);
static parley_str_t parley_set_jwt_variable(parley_str_t value);


static const struct {
    const char         *name;
    parley_set_jwt_pt   set;
    unsigned            repeated:1;     /* may be repeated */
} parley_set_jwt_words[] = {
    { "typ", parley_set_jwt_typ, 0 },
    { "issuer", parley_set_jwt_issuer, 1 },
    { "audience", parley_set_jwt_audience, 1 },
    { "leeway", parley_set_jwt_leeway, 0 },
    { "max_lifetime", parley_set_jwt_lifetime, 0 },
    { "max_size", parley_set_jwt_max_size, 0 },
    { "require", parley_set_jwt_require, 1 },
    { "token", parley_set_jwt_token, 0 },
    { "origin", parley_set_jwt_origin, 1 },
    { "tickets", parley_set_jwt_tickets, 0 },
    { "failures", parley_set_jwt_failures, 0 },
    { "realm", parley_set_jwt_realm, 0 },
    { "resource_metadata", parley_set_jwt_metadata, 0 },
};

#define PARLEY_SET_JWT_WORDS                                                  \
    (sizeof(parley_set_jwt_words) / sizeof(parley_set_jwt_words[0]))


int
parley_set_jwt(parley_setting_t *d)
{
    size_t             i;
    const char        *why;
    parley_set_jwt_t   set;

    if (parley_str_is(d->words[1], "off")) {
        return d->n == 2 ? 0
               : parley_setting_wrong(d, "has parameters beside \"off\"");
    }

    if (!parley_str_is(d->words[1], "on")) {
        return parley_setting_wrong(d, "must begin with \"on\" or \"off\"");
    }

    if (parley_set_jwt_begin(d, &set) != 0) {
        return -1;
    }

    for (i = 2; i < d->n; i++) {
        why = parley_set_jwt_twice(d, i)
              ? "is there twice" : parley_set_jwt_word(&set, d->words[i]);

        if (why != NULL) {
            return *why == '\0' ? -1
                                : parley_setting_bad(d, d->words[i], why);
        }
    }

    if (set.jwt->rules.exp_optional && set.jwt->rules.max_lifetime != 0) {
        return parley_setting_wrong(d, "cannot have both \"exp=optional\" and "
                                    "\"max_lifetime=\"");
    }

    if (set.jwt->norigins != 0 && set.jwt->source != PARLEY_TOKEN_COOKIE) {
        return parley_setting_wrong(d, "has \"origin=\", which is asked for "
                                    "where the token is a cookie, "
                                    "\"token=$cookie_NAME\"");
    }

    if (set.jwt->tickets != 0 && set.jwt->source == PARLEY_TOKEN_ARGUMENT) {
        return parley_setting_wrong(d, "cannot have both \"tickets=\" and a "
                                    "token in an argument");
    }

    if (set.jwt->rules.leeway > d->http->leeway_max) {
        d->http->leeway_max = set.jwt->rules.leeway;
    }

    if (set.jwt->tickets != 0) {
        set.jwt->where = d->problem->where;
        set.jwt->next = d->http->tickets;
        d->http->tickets = set.jwt;
    }

    d->s->jwt = set.jwt;

    parley_set_jwt_doubt(&set);

    return 0;
}


static void
parley_set_jwt_doubt(const parley_set_jwt_t *set)
{
    parley_problem_t  *problem = set->d->problem;

    if (set->jwt->rules.nissuers != 0 || set->jwt->rules.naudiences != 0) {
        return;
    }

    (void) parley_problem(problem, "\"parley_jwt\" has neither \"issuer=\" "
                          "nor \"audience=\": a token that was issued for "
                          "another service is taken");
    parley_settings_warn(set->d->env, problem);
}


static int
parley_set_jwt_begin(parley_setting_t *d, parley_set_jwt_t *set)
{
    parley_arena_t  *arena = d->env->arena;

    set->d = d;
    set->jwt = parley_arena_calloc(arena, sizeof(parley_jwt_conf_t));
    set->issuers = parley_arena_alloc(arena, d->n * sizeof(parley_str_t));
    set->audiences = parley_arena_alloc(arena, d->n * sizeof(parley_str_t));
    set->origins = parley_arena_alloc(arena, d->n * sizeof(parley_str_t));
    set->required = parley_arena_calloc(arena,
                                        d->n * sizeof(parley_jwt_require_t));

    if (set->jwt == NULL || set->issuers == NULL || set->audiences == NULL
        || set->origins == NULL || set->required == NULL)
    {
        return -1;
    }

    set->jwt->failures = parley_failures_default;
    set->jwt->realm.realm = PARLEY_STR(PARLEY_REALM_DEFAULT);
    set->jwt->rules.issuers = set->issuers;
    set->jwt->rules.audiences = set->audiences;
    set->jwt->rules.required = set->required;
    set->jwt->origins = set->origins;

    return 0;
}


/* Only an equal parameter is a duplicate of one that may be repeated. */

static int
parley_set_jwt_twice(const parley_setting_t *d, size_t i)
{
    size_t        k;
    parley_str_t  v, word = d->words[i];

    for (k = 0; k < PARLEY_SET_JWT_WORDS; k++) {
        if (!parley_set_jwt_words[k].repeated
            && parley_setting_param(word, parley_set_jwt_words[k].name, &v))
        {
            return parley_setting_twice(d, i);
        }
    }

    for (k = 2; k < i; k++) {
        if (parley_str_eq(d->words[k], word)) {
            return 1;
        }
    }

    return 0;
}


static const char *
parley_set_jwt_word(parley_set_jwt_t *set, parley_str_t word)
{
    size_t        i;
    parley_str_t  v;

    for (i = 0; i < PARLEY_SET_JWT_WORDS; i++) {
        if (parley_setting_param(word, parley_set_jwt_words[i].name, &v)) {
            return parley_set_jwt_words[i].set(set, v);
        }
    }

    if (parley_str_is(word, "jti=required")) {
        set->jwt->rules.jti_required = 1;
        return NULL;
    }

    if (parley_str_is(word, "exp=optional")) {
        set->jwt->rules.exp_optional = 1;
        return NULL;
    }

    return "is unknown, expected typ=, issuer=, audience=, leeway=, "
           "max_lifetime=, max_size=, require=, token=, origin=, tickets=, "
           "failures=, realm=, resource_metadata=, jti=required or "
           "exp=optional";
}


static const char *
parley_set_jwt_issuer(parley_set_jwt_t *set, parley_str_t value)
{
    return parley_set_jwt_list(set->issuers, &set->jwt->rules.nissuers, value);
}


static const char *
parley_set_jwt_audience(parley_set_jwt_t *set, parley_str_t value)
{
    return parley_set_jwt_list(set->audiences, &set->jwt->rules.naudiences,
                               value);
}


static const char *
parley_set_jwt_typ(parley_set_jwt_t *set, parley_str_t value)
{
    return parley_jwt_typ_parse(value, &set->jwt->rules.typ) == 0 ? NULL
           : "must be JWT or a name that ends in +jwt, such as at+jwt";
}


static const char *
parley_set_jwt_realm(parley_set_jwt_t *set, parley_str_t value)
{
    set->jwt->realm.realm = value;

    return parley_realm_vet(value);
}


static const char *
parley_set_jwt_metadata(parley_set_jwt_t *set, parley_str_t value)
{
    set->jwt->realm.metadata = value;

    return parley_realm_vet_metadata(value);
}


static const char *
parley_set_jwt_origin(parley_set_jwt_t *set, parley_str_t value)
{
    const char  *why;

    why = parley_origin_parse(value, &value);

    return why != NULL ? why
           : parley_set_jwt_list(set->origins, &set->jwt->norigins, value);
}


static const char *
parley_set_jwt_list(parley_str_t *list, size_t *n, parley_str_t value)
{
    list[(*n)++] = value;

    return value.len > 0 ? NULL : "must not be empty";
}


/* Reads a time in whole seconds. */

static const char *
parley_set_jwt_leeway(parley_set_jwt_t *set, parley_str_t value)
{
    int64_t  ms;

    if (parley_setting_time(value, &ms) != 0
        || ms > PARLEY_SET_LEEWAY_MAX_MS || ms % 1000 != 0)
    {
        return "must be a time of at most an hour";
    }

    set->jwt->rules.leeway = ms / 1000;

    return NULL;
}


static const char *
parley_set_jwt_lifetime(parley_set_jwt_t *set, parley_str_t value)
{
    int64_t  ms;

    if (parley_setting_time(value, &ms) != 0 || ms == 0 || ms % 1000 != 0) {
        return "is no time of whole seconds above zero, at most 36500d";
    }

    set->jwt->rules.max_lifetime = ms / 1000;

    return NULL;
}


static const char *
parley_set_jwt_tickets(parley_set_jwt_t *set, parley_str_t value)
{
    parley_jwt_conf_t  *jwt = set->jwt;

    return parley_setting_time(value, &jwt->tickets) == 0
           && jwt->tickets >= 1000 && jwt->tickets <= PARLEY_SET_TICKETS_MAX_MS
           && jwt->tickets % 1000 == 0
           ? NULL : "must be a time of whole seconds, from 1s to 60s";
}


static const char *
parley_set_jwt_max_size(parley_set_jwt_t *set, parley_str_t value)
{
    int64_t  size;

    if (parley_setting_size(value, &size) != 0
        || size < PARLEY_SET_TOKEN_MIN || size > PARLEY_JWT_TOKEN_CAP)
    {
        return "must be a size from 1k to 1m";
    }

    set->jwt->max_size = (size_t) size;

    return NULL;
}


static const char *
parley_set_jwt_failures(parley_set_jwt_t *set, parley_str_t value)
{
    parley_error_t        err;
    parley_limit_rate_t  *ret = &set->jwt->failures;

    *ret = parley_failures_default;

    if (parley_str_is(value, "off")) {
        ret->interval_us = 0;
        return NULL;
    }

    return parley_rate_limit(value, ret, &err) == 0 ? NULL
           : "must be off or a rate like 10r/s or 10r/s:50";
}


static const char *
parley_set_jwt_require(parley_set_jwt_t *set, parley_str_t value)
{
    const uint8_t         *p;
    parley_jwt_require_t  *require;

    require = &set->required[set->jwt->rules.nrequired++];
    require->name = value;
    p = memchr(value.data, '=', value.len);

    if (p != NULL) {
        require->name.len = (size_t) (p - value.data);
        require->value = parley_str_from(value, require->name.len + 1);
        require->has_value = 1;
    }

    return require->name.len > 0 ? NULL : "names no claim";
}


static const char *
parley_set_jwt_token(parley_set_jwt_t *set, parley_str_t value)
{
    parley_str_t        name;
    parley_jwt_conf_t  *jwt = set->jwt;

    if (parley_str_is(value, "header")) {
        jwt->source = PARLEY_TOKEN_HEADER;
        return NULL;
    }

    if (parley_str_begins(value, "cookie:")) {
        return "is written token=$cookie_NAME now";
    }

    if (parley_str_begins(value, "arg:")) {
        return "is written token=$arg_NAME now";
    }

    name = parley_set_jwt_variable(value);

    if (name.len == 0) {
        return "must be header or a variable, such as $cookie_NAME";
    }

    /* not a compiled variable: the gateway overwrites the argument's octets */

    if (parley_str_begins(name, "arg_")) {
        jwt->source = PARLEY_TOKEN_ARGUMENT;
        jwt->name = parley_str_from(name, 4);

        return parley_argument_is_known(jwt->name)
               ? "names an argument of messages" : NULL;
    }

    if (parley_str_begins(name, "http_")) {
        jwt->source = PARLEY_TOKEN_FIELD;
        return parley_set_jwt_field(set, parley_str_from(name, 5));
    }

    jwt->source = PARLEY_TOKEN_VARIABLE;

    if (parley_str_begins(name, "cookie_")) {
        jwt->source = PARLEY_TOKEN_COOKIE;
        jwt->name = parley_str_from(name, 7);
    }

    return parley_setting_value(set->d, value, &jwt->token) == 0 ? NULL : "";
}


/*
 * Sets the two names of a header.  An underscore in the variable is a hyphen in
 * the header or, with underscores_in_headers, an underscore.
 */

static const char *
parley_set_jwt_field(parley_set_jwt_t *set, parley_str_t variable)
{
    size_t    i;
    uint8_t  *p, *alias;

    p = parley_arena_octets(set->d->env->arena, variable.len);
    alias = parley_arena_octets(set->d->env->arena, variable.len);

    if (p == NULL || alias == NULL) {
        return "";
    }

    for (i = 0; i < variable.len; i++) {
        alias[i] = variable.data[i] == '_' ? '_' : variable.data[i] | 0x20;
        p[i] = alias[i] == '_' ? '-' : alias[i];
    }

    set->jwt->name = parley_str_make(p, variable.len);
    set->jwt->alias = parley_str_make(alias, variable.len);

    return NULL;
}


/* Returns the name in "$name" or "${name}", or an empty string. */

static parley_str_t
parley_set_jwt_variable(parley_str_t value)
{
    size_t        i;
    uint8_t       c;
    parley_str_t  name;

    if (!parley_str_begins(value, "$")) {
        return parley_str_none;
    }

    name = parley_str_from(value, 1);

    if (name.len > 2 && name.data[0] == '{' && name.data[name.len - 1] == '}') {
        name = parley_str_make(name.data + 1, name.len - 2);
    }

    for (i = 0; i < name.len; i++) {
        c = name.data[i] | 0x20;

        if ((c < 'a' || c > 'z') && (name.data[i] < '0' || name.data[i] > '9')
            && name.data[i] != '_')
        {
            return parley_str_none;
        }
    }

    return parley_str_is(name, "arg_") || parley_str_is(name, "cookie_")
           || parley_str_is(name, "http_") ? parley_str_none : name;
}


int
parley_set_claims(parley_setting_t *d)
{
    size_t                  i;
    parley_str_t            member;
    const uint8_t          *p;
    parley_claims_conf_t   *claims;
    parley_claim_member_t   index;

    claims = parley_arena_calloc(d->env->arena, sizeof(parley_claims_conf_t));

    if (claims == NULL) {
        return -1;
    }

    claims->number = ++d->http->nclaims;

    for (i = 1; i < d->n; i++) {
        p = memchr(d->words[i].data, '=', d->words[i].len);

        if (p == NULL || p + 1 == d->words[i].data + d->words[i].len) {
            return parley_setting_bad(d, d->words[i], "must be MEMBER=CLAIM, "
                                      "such as handle=alter_handle");
        }

        member = parley_str_make(d->words[i].data,
                                 (size_t) (p - d->words[i].data));
        index = parley_member_find(member);

        if (index == PARLEY_MEMBER_COUNT) {
            return parley_setting_bad(d, member, parley_member_why(member));
        }

        if (claims->map.claims[index].len > 0) {
            return parley_setting_bad(d, member, "is there twice");
        }

        parley_claim_map_set(&claims->map, index,
                             parley_str_from(d->words[i], member.len + 1));
    }

    d->s->claims = claims;

    return 0;
}
