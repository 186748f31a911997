/* What is in force at a location. */

#include <string.h>

#include "parley_settings.h"


static int parley_settings_protocols(parley_settings_t *s);
static int parley_settings_words(parley_settings_t *s);
static int parley_settings_word(const parley_settings_t *s, const char *name,
    const char *const *words, unsigned *ret);
static int parley_settings_policy(parley_tool_t *tool, parley_settings_t *s);
static int parley_settings_rate(parley_settings_t *s);
static int parley_settings_cap(parley_settings_t *s);
static int parley_settings_times(parley_settings_t *s);
static int parley_settings_limits(parley_settings_t *s);
static int parley_settings_redact(parley_settings_t *s);
static int parley_settings_values(parley_settings_t *s);
static int parley_settings_possible(const parley_settings_t *s);


int
parley_settings_read(parley_tool_t *tool, const parley_place_t *place,
    const char *keys, parley_settings_t *ret)
{
    memset(ret, 0, sizeof(parley_settings_t));

    ret->place = *place;
    ret->limits = parley_json_limits_default;

    if (parley_settings_protocols(ret) != 0
        || parley_settings_words(ret) != 0
        || parley_settings_jwt(tool, ret) != 0
        || parley_settings_claims(tool, ret) != 0
        || parley_settings_policy(tool, ret) != 0
        || parley_settings_rate(ret) != 0
        || parley_settings_cap(ret) != 0
        || parley_settings_times(ret) != 0
        || parley_settings_limits(ret) != 0
        || parley_settings_redact(ret) != 0
        || parley_settings_values(ret) != 0
        || parley_settings_http(tool, keys, ret) != 0
        || parley_settings_possible(ret) != 0)
    {
        return -1;
    }

    return 0;
}


void
parley_settings_free(parley_settings_t *s)
{
    parley_directory_free(s->directory);
    parley_intents_destroy(s->intents);
    parley_jwks_free(&s->jwks);
    parley_jwk_free(&s->signing);
}


/* parley_accept, parley_speak */
static int
parley_settings_protocols(parley_settings_t *s)
{
    size_t                     i;
    unsigned                   p;
    parley_proto_t             proto;
    const parley_directive_t  *d;

    d = parley_conf_get(s->place.block, "parley_accept");

    for (i = 1; i < d->nwords; i++) {

        if (parley_str_is(d->words[i], "aee-mve5")) {
            s->mve5 = 1;
            s->accept |= PARLEY_PROTO_BIT(PARLEY_PROTO_AEE);
            continue;
        }

        proto = parley_proto_find(d->words[i]);

        if (proto == PARLEY_PROTO_NONE || parley_codecs[proto] == NULL) {
            return parley_conf_bad(d, "has the unknown protocol \"%s\"",
                                   (const char *) d->words[i].data);
        }

        s->accept |= PARLEY_PROTO_BIT(proto);
    }

    s->speak = PARLEY_PROTO_NONE;

    for (p = 0; p < PARLEY_PROTO_COUNT; p++) {
        if (s->accept == PARLEY_PROTO_BIT(p)) {
            s->speak = (parley_proto_t) p;
        }
    }

    if (parley_conf_get(s->place.block, "parley_speak") == NULL) {
        return s->speak != PARLEY_PROTO_NONE ? 0
               : parley_conf_bad(d, "names several protocols and needs "
                                 "\"parley_speak\", what the upstream "
                                 "speaks");
    }

    d = parley_conf_get(s->place.block, "parley_speak");

    s->speak = d->nwords == 2 ? parley_proto_find(d->words[1])
                              : PARLEY_PROTO_NONE;

    if (s->speak == PARLEY_PROTO_NONE || parley_codecs[s->speak] == NULL) {
        return parley_conf_bad(d, "names no protocol");
    }

    return 0;
}


static int
parley_settings_words(parley_settings_t *s)
{
    unsigned  flag;

    static const char *const  flags[] = { "off", "on", NULL };
    static const char *const  demands[] = {
        "off", "optional", "required", NULL
    };
    static const char *const  losses[] = {
        "report", "reject", "ignore", NULL
    };

    s->signature = PARLEY_DEMAND_OPTIONAL;

    if (parley_settings_word(s, "parley_signature", demands, &s->signature)
        != 0
        || parley_settings_word(s, "parley_loss", losses, &s->loss) != 0)
    {
        return -1;
    }

    flag = 0;

    if (parley_settings_word(s, "parley_trusted", flags, &flag) != 0) {
        return -1;
    }

    s->trusted = flag & 1;
    flag = 0;

    if (parley_settings_word(s, "parley_dry_run", flags, &flag) != 0) {
        return -1;
    }

    s->dry_run = flag & 1;

    return 0;
}


/* One of these words; *ret stays where there is no such directive. */
static int
parley_settings_word(const parley_settings_t *s, const char *name,
    const char *const *words, unsigned *ret)
{
    unsigned                   i;
    const parley_directive_t  *d;

    d = parley_conf_get(s->place.block, name);

    if (d == NULL) {
        return 0;
    }

    for (i = 0; d->nwords == 2 && words[i] != NULL; i++) {
        if (strcmp((const char *) d->words[1].data, words[i]) == 0) {
            *ret = i;
            return 0;
        }
    }

    return parley_conf_bad(d, "has an invalid value");
}


/* The rules of the innermost block that has any, in their order. */
static int
parley_settings_policy(parley_tool_t *tool, parley_settings_t *s)
{
    int                        allow;
    parley_error_t             err;
    const parley_directive_t  *block, *d;

    for (block = s->place.block; block->parent != NULL && s->policy.n == 0;
         block = block->parent)
    {
        for (d = block->first; d != NULL; d = d->next) {
            allow = parley_conf_is(d, "parley_allow");

            if (!allow && !parley_conf_is(d, "parley_deny")) {
                continue;
            }

            if (d->nwords - 1 > PARLEY_POLICY_WORDS) {
                return parley_conf_bad(d, "has too many words");
            }

            if (parley_policy_add(&s->policy, &tool->arena, allow,
                                  d->words + 1, d->nwords - 1, &err)
                != 0)
            {
                return parley_conf_bad(d, "%s%s%s", err.field,
                                       err.field[0] != '\0' ? " " : "",
                                       err.text);
            }
        }
    }

    return 0;
}


static int
parley_settings_rate(parley_settings_t *s)
{
    parley_error_t             err;
    const parley_directive_t  *d;

    d = parley_conf_get(s->place.block, "parley_rate");

    if (d == NULL || (d->nwords == 2 && parley_str_is(d->words[1], "off"))) {
        return 0;
    }

    s->rated = d;

    if (parley_rate_compile(d->words + 1, d->nwords - 1, &s->rate, &err)
        != 0)
    {
        return parley_conf_bad(d, "%s%s%s", err.field,
                               err.field[0] != '\0' ? " " : "", err.text);
    }

    return 0;
}


static int
parley_settings_cap(parley_settings_t *s)
{
    size_t                     i;
    parley_str_t               v;
    const parley_directive_t  *d;

    s->caps.priority = PARLEY_PRIORITY_URGENT;

    d = parley_conf_get(s->place.block, "parley_cap");

    for (i = 1; d != NULL && i < d->nwords; i++) {

        if ((parley_conf_param(d->words[i], "priority", &v)
             && parley_priority_find(v, &s->caps.priority) == 0)
            || (parley_conf_param(d->words[i], "timeout", &v)
                && parley_conf_time(v, &s->caps.timeout_ms) == 0
                && s->caps.timeout_ms > 0))
        {
            continue;
        }

        return parley_conf_bad(d, "has an invalid \"%s\"",
                               (const char *) d->words[i].data);
    }

    return 0;
}


/* parley_freshness, parley_window */
static int
parley_settings_times(parley_settings_t *s)
{
    int                        found;
    size_t                     i, n;
    int64_t                   *ret;
    parley_str_t               v;
    const parley_directive_t  *block, *d;

    static const char *const  names[] = { "past", "future" };

    s->past_ms = 300000;
    s->future_ms = 30000;
    s->window_ms = 600000;

    /* each of the two is inherited by itself */

    for (n = 0; n < 2; n++) {
        ret = n == 0 ? &s->past_ms : &s->future_ms;
        found = 0;

        for (block = s->place.block; block->parent != NULL && !found;
             block = block->parent)
        {
            d = parley_conf_in(block, "parley_freshness");

            for (i = 1; d != NULL && i < d->nwords; i++) {

                if (!parley_conf_param(d->words[i], names[n], &v)) {
                    continue;
                }

                if (parley_conf_time(v, ret) != 0) {
                    return parley_conf_bad(d, "has an invalid \"%s\"",
                                           (const char *) d->words[i].data);
                }

                found = 1;
            }
        }
    }

    d = parley_conf_get(s->place.block, "parley_window");

    if (d != NULL && (d->nwords != 2
                      || parley_conf_time(d->words[1], &s->window_ms) != 0))
    {
        return parley_conf_bad(d, "has an invalid value");
    }

    return 0;
}


/* Each of the limits is inherited by itself. */
static int
parley_settings_limits(parley_settings_t *s)
{
    size_t                     i;
    int64_t                    n;
    unsigned                   k, given;
    parley_str_t               v;
    const parley_directive_t  *block, *d;

    static const char *const  names[] = {
        "body", "string", "depth", "members"
    };

    given = 0;

    for (block = s->place.block; block->parent != NULL;
         block = block->parent)
    {
        d = parley_conf_in(block, "parley_limits");

        for (i = 1; d != NULL && i < d->nwords; i++) {

            for (k = 0; k < 4 && !parley_conf_param(d->words[i], names[k],
                                                    &v); k++)
            {
                /* void */
            }

            if (k == 4
                || (k < 2 ? parley_conf_size(v, &n)
                          : parley_conf_number(v, &n)) != 0
                || n <= 0 || n > 256 << 20 || (k == 2 && n > 512))
            {
                return parley_conf_bad(d, "has an invalid \"%s\"",
                                       (const char *) d->words[i].data);
            }

            if (given & 1u << k) {
                continue;
            }

            given |= 1u << k;

            switch (k) {
            case 0: s->limits.octets = (size_t) n; break;
            case 1: s->limits.string = (uint32_t) n; break;
            case 2: s->limits.depth = (uint32_t) n; break;
            default: s->limits.members = (uint32_t) n; break;
            }
        }
    }

    return 0;
}


static int
parley_settings_redact(parley_settings_t *s)
{
    const parley_directive_t  *block, *d;

    block = parley_conf_get(s->place.block, "parley_redact");
    block = block != NULL ? block->parent : NULL;

    for (d = block != NULL ? parley_conf_in(block, "parley_redact") : NULL;
         d != NULL; d = parley_conf_more(d))
    {
        if (d->nwords < 2 || d->nwords > 3 || d->words[1].len < 2
            || d->words[1].data[0] != '/')
        {
            return parley_conf_bad(d, "needs a JSON Pointer, such as "
                                   "/payload/secret");
        }

        if (s->nredact == PARLEY_SETTINGS_REDACT_MAX) {
            return parley_conf_bad(d, "is there too often");
        }

        s->redact[s->nredact].pointer = d->words[1];
        s->redact[s->nredact].value = parley_str_none;

        if (d->nwords == 3 && parley_str_is(d->words[2], "mask")) {
            s->redact[s->nredact].value = PARLEY_STR("\"[redacted]\"");

        } else if (d->nwords == 3 && !parley_str_is(d->words[2], "remove")) {
            return parley_conf_bad(d, "is remove or mask");
        }

        s->nredact++;
    }

    return 0;
}


static int
parley_settings_values(parley_settings_t *s)
{
    unsigned                   i;
    parley_str_t              *ret;
    const parley_directive_t  *d;

    static const char *const  names[] = {
        "parley_vcp_context", "parley_vcp_constitution"
    };

    for (i = 0; i < 2; i++) {
        ret = i == 0 ? &s->context : &s->constitution;
        d = parley_conf_get(s->place.block, names[i]);

        if (d != NULL && d->nwords != 2) {
            return parley_conf_bad(d, "needs one value");
        }

        *ret = d != NULL ? d->words[1] : parley_str_none;
    }

    return 0;
}


/* What no message could pass; nginx -t says more. */
static int
parley_settings_possible(const parley_settings_t *s)
{
    const parley_directive_t  *d;

    d = parley_conf_get(s->place.block, "parley_accept");

    if (!s->trusted && !s->jwt && s->signature != PARLEY_DEMAND_REQUIRED) {
        return parley_conf_bad(d, "has nobody to trust: it needs \"parley_jwt "
                               "on\", \"parley_signature required\" or, "
                               "knowingly, \"parley_trusted on\"");
    }

    if (!s->trusted && s->signature == PARLEY_DEMAND_OFF) {
        return parley_conf_bad(d, "cannot have \"parley_signature off\" "
                               "without \"parley_trusted on\"");
    }

    if (s->jwt && !s->has_jwks) {
        d = parley_conf_in(s->place.conf->http, "parley_jwks_request");

        if (d == NULL) {
            d = parley_conf_get(s->place.block, "parley_jwt");
            return parley_conf_bad(d, "needs \"parley_jwks\" or "
                                   "\"parley_jwks_request\"");
        }

        return parley_conf_bad(d, "fetches the keys of tokens while nginx "
                               "runs; give them with --keys FILE");
    }

    return 0;
}
