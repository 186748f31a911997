/*
 * A browser sends a cookie with a token, or a client certificate, even if a
 * page of another site makes the request.  The header Origin (RFC 6454) names
 * the site of the page.  Only requests with answers that a page cannot read
 * lack it; for these, Sec-Fetch-Site says whether the page belongs to another
 * site.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_jwt_conf.h"
#include "auth/parley_origin.h"
#include "gate/settings/parley_settings.h"


typedef struct {
    parley_str_t  value;
    unsigned      n;
} parley_gate_origin_t;


static void parley_gate_origin_found(void *data, parley_str_t value);
static int parley_gate_origin_is_foreign(parley_gate_t *g);
static int parley_gate_origin_is_listed(const parley_gate_t *g,
    parley_str_t origin);
static int parley_gate_origin_is_own(parley_gate_t *g, parley_str_t origin);


int
parley_gate_origin(parley_gate_t *g)
{
    parley_gate_origin_t  origin = { parley_str_none, 0 };

    g->env->headers(g, PARLEY_STR("origin"), parley_gate_origin_found,
                    &origin);

    if ((origin.n == 0 && !parley_gate_origin_is_foreign(g))
        || (origin.n == 1
            && (parley_gate_origin_is_listed(g, origin.value)
                || parley_gate_origin_is_own(g, origin.value))))
    {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                            origin.n > 1 ? "more than one Origin"
                            : "a page of this origin may not send the caller's "
                              "credentials");
}


static void
parley_gate_origin_found(void *data, parley_str_t value)
{
    parley_gate_origin_t *origin = data;

    origin->value = value;
    origin->n++;
}


/* Images and links of another site's page are requested without Origin, but
   with Sec-Fetch-Site. */

static int
parley_gate_origin_is_foreign(parley_gate_t *g)
{
    parley_str_t  site;

    return g->env->header != NULL
           && g->env->header(g, PARLEY_STR("sec-fetch-site"), &site)
           && !parley_str_is(site, "same-origin")
           && !parley_str_is(site, "none");
}


static int
parley_gate_origin_is_listed(const parley_gate_t *g, parley_str_t origin)
{
    size_t                    i;
    const parley_jwt_conf_t  *jwt = g->conf.s->jwt;

    for (i = 0; jwt != NULL && i < jwt->norigins; i++) {
        if (parley_origin_match(jwt->origins[i], origin)) {
            return 1;
        }
    }

    return 0;
}


/* Checks that the page and the request have the same host.  A page from plain
   HTTP does not match a request over TLS. */

static int
parley_gate_origin_is_own(parley_gate_t *g, parley_str_t origin)
{
    size_t        i;
    parley_str_t  host;

    static const parley_str_t  schemes[] = {
        parley_str("https://"), parley_str("http://")
    };

    if (g->env->header == NULL
        || !g->env->header(g, PARLEY_STR("host"), &host) || host.len == 0)
    {
        return 0;
    }

    for (i = 0; i < (g->in.tls ? 1 : 2); i++) {
        if (origin.len > schemes[i].len
            && parley_str_eq(parley_str_make(origin.data, schemes[i].len),
                             schemes[i]))
        {
            return parley_str_eq_fold(parley_str_from(origin, schemes[i].len),
                                      host);
        }
    }

    return 0;
}
