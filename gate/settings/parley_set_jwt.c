/* Setters of parley_jwt and parley_claims. */

#include <string.h>

#include "gate/settings/parley_arguments.h"
#include "gate/settings/parley_challenge.h"
#include "gate/settings/parley_directive.h"
#include "auth/parley_jwt.h"
#include "gate/settings/parley_jwt_conf.h"
#include "auth/parley_origin.h"


/* the parley_jwt that is being read; each list is one array */
typedef struct {
    parley_setting_t      *d;
    parley_str_t           word;        /* the parameter that is being read */
    parley_jwt_conf_t     *jwt;
    parley_str_t          *issuers;
    parley_str_t          *audiences;
    parley_str_t          *origins;
    parley_jwt_require_t  *required;
} parley_set_jwt_t;


/* Reads the value of set->word.  Returns 0, or -1 with the error reported. */
typedef int (*parley_set_jwt_pt)(parley_set_jwt_t *set,
    parley_str_t value);


static int parley_set_jwt_begin(parley_setting_t *d, parley_set_jwt_t *set);
static void parley_set_jwt_doubt(const parley_set_jwt_t *set);
static int parley_set_jwt_once(const parley_setting_t *d, size_t i);
static int parley_set_jwt_word(parley_set_jwt_t *set);
static int parley_set_jwt_issuer(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_audience(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_list(const parley_set_jwt_t *set,
    parley_str_t *list, size_t *n, parley_str_t value);
static int parley_set_jwt_typ(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_leeway(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_lifetime(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_tickets(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_max_size(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_failures(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_require(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_origin(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_realm(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_metadata(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_token(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_places(parley_set_jwt_t *set,
    parley_str_t value);
static int parley_set_jwt_place_once(const parley_set_jwt_t *set,
    parley_str_t text);
static int parley_set_jwt_place(const parley_set_jwt_t *set,
    parley_str_t text, parley_str_t value, parley_token_place_t *ret);
static int parley_set_jwt_field(const parley_set_jwt_t *set,
    parley_str_t variable, parley_token_place_t *ret);
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
    size_t            i;
    parley_set_jwt_t  set;

    if (parley_str_is(d->words[1], "off")) {
        return d->n == 2 ? 0
               : parley_setting_wrong(d, "has parameters after \"off\"; "
                                      "expected none");
    }

    if (!parley_str_is(d->words[1], "on")) {
        return parley_setting_unknown(d, d->words[1], "on or off");
    }

    if (parley_set_jwt_begin(d, &set) != 0) {
        return -1;
    }

    for (i = 2; i < d->n; i++) {
        set.word = d->words[i];

        if (parley_set_jwt_once(d, i) != 0 || parley_set_jwt_word(&set) != 0) {
            return -1;
        }
    }

    if (set.jwt->rules.exp_optional && set.jwt->rules.max_lifetime != 0) {
        return parley_setting_wrong(d, "cannot have both \"exp=optional\" and "
                                    "\"max_lifetime=\"");
    }

    if (set.jwt->norigins != 0
        && parley_setting_token_place(set.jwt, PARLEY_TOKEN_COOKIE) == NULL)
    {
        return parley_setting_wrong(d, "has \"origin=\" without a cookie; "
                                    "expected \"token=$cookie_NAME\"");
    }

    if (set.jwt->tickets != 0
        && parley_setting_token_place(set.jwt, PARLEY_TOKEN_ARGUMENT) != NULL)
    {
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
                          "nor \"audience=\": it accepts a token that was "
                          "issued for another service");
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
parley_set_jwt_once(const parley_setting_t *d, size_t i)
{
    size_t        k;
    parley_str_t  v, word = d->words[i];

    for (k = 0; k < PARLEY_SET_JWT_WORDS; k++) {
        if (!parley_set_jwt_words[k].repeated
            && parley_setting_param(word, parley_set_jwt_words[k].name, &v))
        {
            return parley_setting_once(d, i);
        }
    }

    for (k = 2; k < i; k++) {
        if (parley_str_eq(d->words[k], word)) {
            return parley_setting_bad(d, word, PARLEY_SETTING_DUPLICATE);
        }
    }

    return 0;
}


static int
parley_set_jwt_word(parley_set_jwt_t *set)
{
    size_t        i;
    parley_str_t  v;

    for (i = 0; i < PARLEY_SET_JWT_WORDS; i++) {
        if (parley_setting_param(set->word, parley_set_jwt_words[i].name, &v)) {
            return parley_set_jwt_words[i].set(set, v);
        }
    }

    if (parley_str_is(set->word, "jti=required")) {
        set->jwt->rules.jti_required = 1;
        return 0;
    }

    if (parley_str_is(set->word, "exp=optional")) {
        set->jwt->rules.exp_optional = 1;
        return 0;
    }

    return parley_setting_unknown(set->d, set->word, "typ=, issuer=, "
                                  "audience=, leeway=, max_lifetime=, "
                                  "max_size=, require=, token=, origin=, "
                                  "tickets=, failures=, realm=, "
                                  "resource_metadata=, jti=required or "
                                  "exp=optional");
}


static int
parley_set_jwt_issuer(parley_set_jwt_t *set, parley_str_t value)
{
    return parley_set_jwt_list(set, set->issuers, &set->jwt->rules.nissuers,
                               value);
}


static int
parley_set_jwt_audience(parley_set_jwt_t *set, parley_str_t value)
{
    return parley_set_jwt_list(set, set->audiences,
                               &set->jwt->rules.naudiences, value);
}


static int
parley_set_jwt_typ(parley_set_jwt_t *set, parley_str_t value)
{
    return parley_jwt_typ_parse(value, &set->jwt->rules.typ) == 0 ? 0
           : parley_setting_not(set->d, set->word, "a type of token", "JWT or "
                                "a name that ends in +jwt, such as at+jwt");
}


static int
parley_set_jwt_realm(parley_set_jwt_t *set, parley_str_t value)
{
    set->jwt->realm.realm = value;

    return parley_realm_vet(value) == 0 ? 0
           : parley_setting_not(set->d, set->word, "a realm", "printable ASCII "
                                "without quotes and backslashes");
}


static int
parley_set_jwt_metadata(parley_set_jwt_t *set, parley_str_t value)
{
    set->jwt->realm.metadata = value;

    return parley_realm_vet_metadata(value) == 0 ? 0
           : parley_setting_not(set->d, set->word, "an absolute URL",
                                "http://HOST... or https://HOST...");
}


static int
parley_set_jwt_origin(parley_set_jwt_t *set, parley_str_t value)
{
    const char  *why;

    why = parley_origin_parse(value, &value);

    return why != NULL ? parley_setting_bad(set->d, set->word, why)
           : parley_set_jwt_list(set, set->origins, &set->jwt->norigins, value);
}


static int
parley_set_jwt_list(const parley_set_jwt_t *set, parley_str_t *list, size_t *n,
    parley_str_t value)
{
    list[(*n)++] = value;

    return value.len > 0 ? 0
           : parley_setting_bad(set->d, set->word, PARLEY_SETTING_EMPTY);
}


static int
parley_set_jwt_leeway(parley_set_jwt_t *set, parley_str_t value)
{
    (void) value;

    return parley_setting_read_seconds(set->d, set->word,
                                       parley_range(0, 3600000),
                                       &set->jwt->rules.leeway);
}


static int
parley_set_jwt_lifetime(parley_set_jwt_t *set, parley_str_t value)
{
    (void) value;

    return parley_setting_read_seconds(set->d, set->word,
                                       parley_range(1000,
                                                    PARLEY_SETTING_TIME_MAX),
                                       &set->jwt->rules.max_lifetime);
}


static int
parley_set_jwt_tickets(parley_set_jwt_t *set, parley_str_t value)
{
    int64_t  s;

    (void) value;

    if (parley_setting_read_seconds(set->d, set->word,
                                    parley_range(1000, 60000), &s)
        != 0)
    {
        return -1;
    }

    set->jwt->tickets = s * 1000;

    return 0;
}


static int
parley_set_jwt_max_size(parley_set_jwt_t *set, parley_str_t value)
{
    int64_t  size;

    (void) value;

    if (parley_setting_read_size(set->d, set->word,
                                 parley_range(1024, PARLEY_JWT_TOKEN_CAP),
                                 &size)
        != 0)
    {
        return -1;
    }

    set->jwt->max_size = (size_t) size;

    return 0;
}


static int
parley_set_jwt_failures(parley_set_jwt_t *set, parley_str_t value)
{
    parley_error_t        err;
    parley_limit_rate_t  *ret = &set->jwt->failures;

    *ret = parley_failures_default;

    if (parley_str_is(value, "off")) {
        ret->interval_us = 0;
        return 0;
    }

    return parley_rate_limit(value, ret, &err) == 0 ? 0
           : parley_setting_not(set->d, set->word, "a rate",
                                "off, 10r/s or 10r/s:50");
}


static int
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

    return require->name.len > 0 ? 0
           : parley_setting_not(set->d, set->word, "a required claim",
                                "require=CLAIM or require=CLAIM=VALUE");
}


static int
parley_set_jwt_token(parley_set_jwt_t *set, parley_str_t value)
{
    return value.len > 0 && memchr(value.data, ',', value.len) != NULL
           ? parley_set_jwt_places(set, value)
           : parley_set_jwt_place(set, set->word, value, &set->jwt->place);
}


/* Reads a list of places, which the request may use one of. */

static int
parley_set_jwt_places(parley_set_jwt_t *set, parley_str_t value)
{
    size_t              i, n;
    parley_str_t        text;
    parley_jwt_conf_t  *jwt = set->jwt;

    n = 1;

    for (i = 0; i < value.len; i++) {
        n += value.data[i] == ',';
    }

    jwt->place.source = PARLEY_TOKEN_SEVERAL;
    jwt->places = parley_arena_calloc(set->d->env->arena,
                                      n * sizeof(parley_token_place_t));

    if (jwt->places == NULL) {
        return -1;
    }

    while (n-- > 0) {
        text = parley_str_until(value, ',');
        value = parley_str_from(value, text.len + (n > 0));

        if (parley_set_jwt_place(set, text, text,
                                 &jwt->places[jwt->nplaces])
            != 0)
        {
            return -1;
        }

        jwt->nplaces++;

        if (parley_set_jwt_place_once(set, text) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Refuses the last place, written as text, if an earlier one is equal. */

static int
parley_set_jwt_place_once(const parley_set_jwt_t *set, parley_str_t text)
{
    size_t                       i;
    const parley_token_place_t  *last, *other;

    last = &set->jwt->places[set->jwt->nplaces - 1];

    for (i = 0; i + 1 < set->jwt->nplaces; i++) {
        other = &set->jwt->places[i];

        if (last->source != other->source) {
            continue;
        }

        if (parley_str_eq_fold(last->name, other->name)
            && parley_str_eq_fold(last->value.text, other->value.text))
        {
            return parley_setting_bad(set->d, text, PARLEY_SETTING_DUPLICATE);
        }

        if (last->source == PARLEY_TOKEN_ARGUMENT) {
            return parley_setting_bad(set->d, text, "is a second argument; "
                                      "expected one");
        }
    }

    return 0;
}


/* Reads a place of tokens.  An error names it by text. */

static int
parley_set_jwt_place(const parley_set_jwt_t *set, parley_str_t text,
    parley_str_t value, parley_token_place_t *ret)
{
    parley_str_t  name;

    if (parley_str_is(value, "header")
        || parley_str_eq_fold(value, PARLEY_STR("$http_authorization"))
        || parley_str_eq_fold(value, PARLEY_STR("${http_authorization}")))
    {
        ret->source = PARLEY_TOKEN_HEADER;
        return 0;
    }

    if (parley_str_begins(value, "cookie:")) {
        return parley_setting_bad(set->d, text, "is an old form; "
                                  "expected token=$cookie_NAME");
    }

    if (parley_str_begins(value, "arg:")) {
        return parley_setting_bad(set->d, text, "is an old form; "
                                  "expected token=$arg_NAME");
    }

    name = parley_set_jwt_variable(value);

    if (name.len == 0) {
        return parley_setting_not(set->d, text, "a source of tokens",
                                  "header or a variable, such as $cookie_NAME");
    }

    /* not a compiled variable: the gateway overwrites the argument's octets */

    if (parley_str_begins(name, "arg_")) {
        ret->source = PARLEY_TOKEN_ARGUMENT;
        ret->name = parley_str_from(name, 4);

        return !parley_argument_is_known(ret->name) ? 0
               : parley_setting_bad(set->d, text, "is an argument of "
                                    "messages; expected another name");
    }

    if (parley_str_begins(name, "http_")) {
        ret->source = PARLEY_TOKEN_FIELD;
        return parley_set_jwt_field(set, parley_str_from(name, 5), ret);
    }

    ret->source = PARLEY_TOKEN_VARIABLE;

    if (parley_str_begins(name, "cookie_")) {
        ret->source = PARLEY_TOKEN_COOKIE;
        ret->name = parley_str_from(name, 7);
    }

    return parley_setting_value(set->d, value, &ret->value);
}


/*
 * Sets the two names of a header.  An underscore in the variable is a hyphen in
 * the header or, with underscores_in_headers, an underscore.
 */

static int
parley_set_jwt_field(const parley_set_jwt_t *set, parley_str_t variable,
    parley_token_place_t *ret)
{
    size_t    i;
    uint8_t  *p, *alias;

    p = parley_arena_octets(set->d->env->arena, variable.len);
    alias = parley_arena_octets(set->d->env->arena, variable.len);

    if (p == NULL || alias == NULL) {
        return -1;
    }

    for (i = 0; i < variable.len; i++) {
        alias[i] = variable.data[i] == '_' ? '_' : variable.data[i] | 0x20;
        p[i] = alias[i] == '_' ? '-' : alias[i];
    }

    ret->name = parley_str_make(p, variable.len);
    ret->alias = parley_str_make(alias, variable.len);

    return 0;
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
            return parley_setting_not(d, d->words[i], "a claim of a member",
                                      "MEMBER=CLAIM, such as "
                                      "handle=alter_handle");
        }

        member = parley_str_make(d->words[i].data,
                                 (size_t) (p - d->words[i].data));
        index = parley_member_find(member);

        if (index == PARLEY_MEMBER_COUNT) {
            return parley_setting_bad(d, member, parley_member_why(member));
        }

        if (claims->map.claims[index].len > 0) {
            return parley_setting_bad(d, member, PARLEY_SETTING_DUPLICATE);
        }

        parley_principal_claim_map(&claims->map, index,
                                   parley_str_from(d->words[i],
                                                   member.len + 1));
    }

    d->s->claims = claims;

    return 0;
}
