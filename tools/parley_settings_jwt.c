/* parley_jwt, parley_claims. */

#include <string.h>

#include "parley_settings.h"


static int parley_settings_jwt_word(const parley_directive_t *d,
    parley_str_t word, parley_settings_t *s, parley_str_t *issuers,
    parley_str_t *audiences, parley_jwt_require_t *required);
static int parley_settings_token(parley_str_t v);


int
parley_settings_jwt(parley_tool_t *tool, parley_settings_t *s)
{
    size_t                     i;
    parley_str_t              *issuers, *audiences;
    parley_jwt_require_t      *required;
    const parley_directive_t  *d;

    d = parley_conf_get(s->place.block, "parley_jwt");

    if (d == NULL || (d->nwords == 2 && parley_str_is(d->words[1], "off"))) {
        return 0;
    }

    if (d->nwords < 2 || !parley_str_is(d->words[1], "on")) {
        return parley_conf_bad(d, "must begin with \"on\" or \"off\"");
    }

    issuers = parley_arena_alloc(&tool->arena,
                                 d->nwords * sizeof(parley_str_t));
    audiences = parley_arena_alloc(&tool->arena,
                                   d->nwords * sizeof(parley_str_t));
    required = parley_arena_calloc(&tool->arena, d->nwords
                                                 * sizeof(*required));

    if (issuers == NULL || audiences == NULL || required == NULL) {
        parley_say("out of memory");
        return -1;
    }

    s->jwt = 1;
    s->rules.issuers = issuers;
    s->rules.audiences = audiences;
    s->rules.required = required;

    for (i = 2; i < d->nwords; i++) {
        if (parley_settings_jwt_word(d, d->words[i], s, issuers, audiences,
                                     required)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_settings_jwt_word(const parley_directive_t *d, parley_str_t word,
    parley_settings_t *s, parley_str_t *issuers, parley_str_t *audiences,
    parley_jwt_require_t *required)
{
    int64_t                ms;
    parley_str_t           v;
    const uint8_t         *p;
    parley_jwt_require_t  *r;

    if (parley_conf_param(word, "issuer", &v) && v.len > 0) {
        issuers[s->rules.nissuers++] = v;
        return 0;
    }

    if (parley_conf_param(word, "audience", &v) && v.len > 0) {
        audiences[s->rules.naudiences++] = v;
        return 0;
    }

    if (parley_conf_param(word, "require", &v) && v.len > 0
        && v.data[0] != '=')
    {
        r = &required[s->rules.nrequired++];
        r->name = v;
        p = memchr(v.data, '=', v.len);

        if (p != NULL) {
            r->name.len = (size_t) (p - v.data);
            r->value = parley_str_from(v, r->name.len + 1);
            r->has_value = 1;
        }

        return 0;
    }

    if (parley_conf_param(word, "leeway", &v)
        && parley_conf_time(v, &ms) == 0 && ms <= 3600000 && ms % 1000 == 0)
    {
        s->rules.leeway = ms / 1000;
        return 0;
    }

    if (parley_conf_param(word, "token", &v) && parley_settings_token(v)) {
        return 0;
    }

    if (parley_str_is(word, "exp=optional")) {
        s->rules.exp_optional = 1;
        return 0;
    }

    return parley_conf_bad(d, "has an invalid \"%s\"",
                           (const char *) word.data);
}


/* where the token is found; here it is given */
static int
parley_settings_token(parley_str_t v)
{
    return parley_str_is(v, "header")
           || (parley_str_begins(v, "cookie:") && v.len > 7)
           || (parley_str_begins(v, "arg:") && v.len > 4);
}


int
parley_settings_claims(parley_tool_t *tool, parley_settings_t *s)
{
    size_t                     i;
    parley_str_t               member;
    const uint8_t             *p;
    parley_claim_member_t      index;
    const parley_directive_t  *d;

    d = parley_conf_get(s->place.block, "parley_claims");

    if (d == NULL) {
        return 0;
    }

    s->claims = parley_arena_calloc(&tool->arena, sizeof(parley_claim_map_t));

    if (s->claims == NULL) {
        parley_say("out of memory");
        return -1;
    }

    for (i = 1; i < d->nwords; i++) {
        p = memchr(d->words[i].data, '=', d->words[i].len);
        member = d->words[i];

        if (p != NULL) {
            member.len = (size_t) (p - member.data);
        }

        index = parley_member_find(member);

        if (p == NULL || p[1] == '\0' || index == PARLEY_MEMBER_COUNT
            || s->claims->claims[index].len > 0)
        {
            return parley_conf_bad(d, "has an invalid \"%s\"",
                                   (const char *) d->words[i].data);
        }

        s->claims->claims[index] = parley_str_from(d->words[i],
                                                   member.len + 1);
    }

    return 0;
}
