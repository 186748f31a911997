/* parley_jwt, parley_claims. */

#include <string.h>

#include "parley_challenge.h"
#include "parley_jwt.h"
#include "parley_location.h"
#include "parley_settings.h"


#define PARLEY_SETTINGS_LEEWAY_MAX_MS  3600000


/* the lists of a parley_jwt, of one array each */
typedef struct {
    parley_str_t          *issuers;
    parley_str_t          *audiences;
    parley_jwt_require_t  *required;
} parley_settings_lists_t;


static int parley_settings_jwt_twice(const parley_directive_t *d, size_t n);
static const char *parley_settings_jwt_word(parley_str_t word,
    parley_settings_t *s, parley_settings_lists_t *lists);
static const char *parley_settings_require(parley_str_t v,
    parley_jwt_require_t *require);
static const char *parley_settings_source(parley_str_t v,
    parley_settings_t *s);


int
parley_settings_jwt(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t                    i;
    const char               *why;
    parley_settings_lists_t   lists;

    s->jwt = 0;
    s->gate.token = parley_str_none;
    memset(&s->rules, 0, sizeof(parley_jwt_rules_t));

    if (parley_str_is(d->words[1], "off")) {
        return d->nwords == 2 ? 0
               : parley_conf_bad(d, "directive has parameters beside "
                                 "\"off\"");
    }

    if (!parley_str_is(d->words[1], "on")) {
        return parley_conf_bad(d, "directive must begin with \"on\" or "
                               "\"off\"");
    }

    lists.issuers = parley_arena_alloc(&tool->arena, d->nwords
                                                     * sizeof(parley_str_t));
    lists.audiences = parley_arena_alloc(&tool->arena, d->nwords
                                                       * sizeof(parley_str_t));
    lists.required = parley_arena_calloc(&tool->arena,
                                         d->nwords
                                         * sizeof(parley_jwt_require_t));

    if (lists.issuers == NULL || lists.audiences == NULL
        || lists.required == NULL)
    {
        parley_say("out of memory");
        return -1;
    }

    s->jwt = 1;
    s->failures = parley_location_failures_default;
    s->rules.issuers = lists.issuers;
    s->rules.audiences = lists.audiences;
    s->rules.required = lists.required;

    for (i = 2; i < d->nwords; i++) {
        why = parley_settings_jwt_twice(d, i)
              ? "is there twice"
              : parley_settings_jwt_word(d->words[i], s, &lists);

        if (why != NULL) {
            return parley_conf_bad_word(d, d->words[i], why);
        }
    }

    if (s->rules.exp_optional && s->rules.max_lifetime != 0) {
        return parley_conf_bad(d, "directive cannot have both "
                               "\"exp=optional\" and \"max_lifetime=\"");
    }

    return 0;
}


/* of a word that may be repeated, the same value is there twice */

static int
parley_settings_jwt_twice(const parley_directive_t *d, size_t n)
{
    size_t          i, len;
    parley_str_t    word, v;
    const uint8_t  *p;

    word = d->words[n];
    len = word.len + 1;
    p = memchr(word.data, '=', word.len);

    if (p != NULL && !parley_conf_param(word, "issuer", &v)
        && !parley_conf_param(word, "audience", &v)
        && !parley_conf_param(word, "require", &v))
    {
        len = (size_t) (p - word.data) + 1;
    }

    for (i = 2; i < n; i++) {
        if (strncmp((const char *) d->words[i].data,
                    (const char *) word.data, len)
            == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* NULL, or what is wrong with the word */

static const char *
parley_settings_jwt_word(parley_str_t word, parley_settings_t *s,
    parley_settings_lists_t *lists)
{
    int64_t       ms;
    parley_str_t  v;

    if (parley_conf_param(word, "issuer", &v)) {
        lists->issuers[s->rules.nissuers++] = v;
        return v.len > 0 ? NULL : "must not be empty";
    }

    if (parley_conf_param(word, "audience", &v)) {
        lists->audiences[s->rules.naudiences++] = v;
        return v.len > 0 ? NULL : "must not be empty";
    }

    if (parley_conf_param(word, "require", &v)) {
        return parley_settings_require(v, &lists->required
                                               [s->rules.nrequired++]);
    }

    if (parley_conf_param(word, "token", &v)) {
        return parley_settings_source(v, s);
    }

    if (parley_conf_param(word, "typ", &v)) {
        return parley_jwt_typ_parse(v, &s->rules.typ) == 0 ? NULL
               : "must be JWT or a name that ends in +jwt, such as at+jwt";
    }

    if (parley_conf_param(word, "max_lifetime", &v)) {

        if (parley_conf_time(v, &ms) != 0 || ms == 0 || ms % 1000 != 0) {
            return PARLEY_CHOICE_TIME_WHOLE;
        }

        s->rules.max_lifetime = ms / 1000;
        return NULL;
    }

    if (parley_conf_param(word, "leeway", &v)) {

        /* a time in seconds has no milliseconds */

        if (parley_conf_time(v, &ms) != 0
            || ms > PARLEY_SETTINGS_LEEWAY_MAX_MS
            || strstr((const char *) v.data, "ms") != NULL)
        {
            return "must be a time of at most an hour";
        }

        s->rules.leeway = ms / 1000;
        return NULL;
    }

    if (parley_conf_param(word, "failures", &v)) {
        return parley_location_failures(v, &s->failures) == 0 ? NULL
               : "must be off or a rate like 10r/s or 10r/s:50";
    }

    if (parley_conf_param(word, "realm", &v)) {
        return parley_realm_vet(v);
    }

    if (parley_conf_param(word, "resource_metadata", &v)) {
        return parley_realm_vet_metadata(v);
    }

    if (parley_str_is(word, "jti=required")) {
        s->rules.jti_required = 1;
        return NULL;
    }

    if (parley_str_is(word, "exp=optional")) {
        s->rules.exp_optional = 1;
        return NULL;
    }

    return "is unknown, expected typ=, issuer=, audience=, leeway=, "
           "max_lifetime=, require=, token=, failures=, realm=, "
           "resource_metadata=, jti=required or exp=optional";
}


static const char *
parley_settings_require(parley_str_t v, parley_jwt_require_t *require)
{
    const uint8_t  *p;

    require->name = v;
    p = memchr(v.data, '=', v.len);

    if (p != NULL) {
        require->name.len = (size_t) (p - v.data);
        require->value = parley_str_from(v, require->name.len + 1);
        require->has_value = 1;
    }

    return require->name.len > 0 ? NULL : "names no claim";
}


/* where the token is found; here it is given, if not as an argument */

static const char *
parley_settings_source(parley_str_t v, parley_settings_t *s)
{
    if (parley_str_is(v, "header")
        || (parley_str_begins(v, "cookie:") && v.len > 7))
    {
        return NULL;
    }

    if (!parley_str_begins(v, "arg:") || v.len == 4) {
        return "must be header, cookie:NAME or arg:NAME";
    }

    s->gate.token = parley_str_from(v, 4);

    return parley_argument_is_known(s->gate.token)
           ? "names an argument of messages" : NULL;
}


int
parley_settings_claims(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t                  i;
    parley_str_t            member;
    const uint8_t          *p;
    parley_claim_member_t   index;

    s->claims = parley_arena_calloc(&tool->arena, sizeof(parley_claim_map_t));

    if (s->claims == NULL) {
        parley_say("out of memory");
        return -1;
    }

    for (i = 1; i < d->nwords; i++) {
        p = memchr(d->words[i].data, '=', d->words[i].len);

        if (p == NULL || p[1] == '\0') {
            return parley_conf_bad_word(d, d->words[i], "must be MEMBER=CLAIM, "
                                        "such as handle=alter_handle");
        }

        member = parley_str_make(d->words[i].data,
                                 (size_t) (p - d->words[i].data));
        index = parley_member_find(member);

        if (index == PARLEY_MEMBER_COUNT) {
            return parley_conf_bad_word(d, member, parley_member_why(member));
        }

        if (s->claims->claims[index].len > 0) {
            return parley_conf_bad_word(d, member, "is there twice");
        }

        s->claims->claims[index] = parley_str_from(d->words[i],
                                                   member.len + 1);
    }

    return 0;
}
