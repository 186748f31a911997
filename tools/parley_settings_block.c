/*
 * The directives of a block: their names, where each may stand, with how many
 * words; and what no directive can know of alone.  What is wrong is said in
 * the words of nginx -t.
 */

#include <string.h>

#include "parley_location.h"
#include "parley_settings.h"


typedef struct {
    const char              *name;
    unsigned                 in;
    size_t                   min;       /* words behind the name */
    size_t                   max;       /* 0: any number */
    unsigned                 often:1;   /* may stand in a block more than
                                           once */
    parley_settings_set_pt   set;
} parley_settings_row_t;


static const parley_settings_row_t *parley_settings_row(
    const parley_directive_t *d);
static int parley_settings_form(const parley_settings_row_t *row,
    const parley_directive_t *d, unsigned in);
static void parley_settings_renew(const parley_directive_t *block,
    parley_settings_t *s);
static int parley_settings_effects(const parley_directive_t *block,
    const parley_location_t *l);
static parley_str_t parley_settings_constant(parley_str_t value);
static int parley_settings_off(const parley_directive_t *block);
static int parley_settings_is_handler(parley_str_t name);


static const parley_settings_row_t  parley_settings_rows[] = {

    { "parley_zone", PARLEY_IN_HTTP, 1, 2, 0, parley_settings_zone },
    { "parley_identities", PARLEY_IN_HTTP, 1, 1, 0,
      parley_settings_identities },
    { "parley_jwks", PARLEY_IN_HTTP, 1, 1, 0, parley_settings_jwks },
    { "parley_jwks_request", PARLEY_IN_HTTP, 1, 4, 0,
      parley_settings_jwks_request },
    { "parley_signing_key", PARLEY_IN_HTTP, 1, 1, 0,
      parley_settings_signing },
    { "parley_self", PARLEY_IN_HTTP, 1, 1, 0, parley_settings_self },
    { "parley_retain", PARLEY_IN_HTTP, 2, 2, 0, parley_settings_retain },
    { "parley_replay", PARLEY_IN_HTTP, 1, 2, 0, parley_settings_replay },
    { "parley_intents", PARLEY_IN_HTTP, 1, 1, 0, parley_settings_intents },

    { "parley_accept", PARLEY_IN_ANY, 1, 0, 0, parley_settings_accept },
    { "parley_speak", PARLEY_IN_ANY, 1, 2, 0, parley_settings_speak },
    { "parley_jwt", PARLEY_IN_ANY, 1, 0, 0, parley_settings_jwt },
    { "parley_claims", PARLEY_IN_ANY, 1, 0, 0, parley_settings_claims },
    { "parley_signature", PARLEY_IN_ANY, 1, 1, 0, parley_settings_signature },
    { "parley_trusted", PARLEY_IN_ANY, 1, 1, 0, parley_settings_trusted },
    { "parley_allow", PARLEY_IN_ANY, 0, 0, 1, parley_settings_policy },
    { "parley_deny", PARLEY_IN_ANY, 0, 0, 1, parley_settings_policy },
    { "parley_rate", PARLEY_IN_ANY, 1, 0, 0, parley_settings_rate },
    { "parley_cap", PARLEY_IN_ANY, 1, 2, 0, parley_settings_cap },
    { "parley_freshness", PARLEY_IN_ANY, 1, 2, 0,
      parley_settings_freshness },
    { "parley_window", PARLEY_IN_ANY, 1, 2, 0, parley_settings_window },
    { "parley_limits", PARLEY_IN_ANY, 1, 0, 0, parley_settings_limits },
    { "parley_redact", PARLEY_IN_ANY, 1, 2, 1, parley_settings_redact },
    { "parley_loss", PARLEY_IN_ANY, 1, 1, 0, parley_settings_loss },
    { "parley_dry_run", PARLEY_IN_ANY, 1, 1, 0, parley_settings_dry_run },
    { "parley_vcp_context", PARLEY_IN_ANY, 1, 1, 0,
      parley_settings_context },
    { "parley_vcp_constitution", PARLEY_IN_ANY, 1, 1, 0,
      parley_settings_constitution },
    { "parley_vcp_severity", PARLEY_IN_ANY, 1, 0, 0,
      parley_settings_severity },
    { "parley_vcp_broadcast", PARLEY_IN_ANY, 1, 1, 0,
      parley_settings_broadcast },
};


int
parley_settings_block(parley_tool_t *tool, const parley_directive_t *block,
    unsigned in, parley_settings_t *s)
{
    const parley_directive_t     *d, *other;
    const parley_settings_row_t  *row;

    if (s != NULL) {
        parley_settings_renew(block, s);
    }

    for (d = block->first; d != NULL; d = d->next) {

        if (!parley_str_begins(d->words[0], "parley_")) {
            continue;
        }

        row = parley_settings_row(d);

        if (row == NULL) {
            return parley_conf_wrong(d, "unknown directive \"%s\"",
                                     (const char *) d->words[0].data);
        }

        if (parley_settings_form(row, d, in) != 0) {
            return -1;
        }

        other = parley_conf_in(block, row->name);

        if (!row->often && other != d) {
            return parley_conf_bad(d, "directive is duplicate");
        }

        if (row->set(tool, d, s) != 0) {
            return -1;
        }
    }

    return 0;
}


static const parley_settings_row_t *
parley_settings_row(const parley_directive_t *d)
{
    size_t  i;

    for (i = 0;
         i < sizeof(parley_settings_rows) / sizeof(parley_settings_rows[0]);
         i++)
    {
        if (strcmp((const char *) d->words[0].data,
                   parley_settings_rows[i].name)
            == 0)
        {
            return &parley_settings_rows[i];
        }
    }

    return NULL;
}


static int
parley_settings_form(const parley_settings_row_t *row,
    const parley_directive_t *d, unsigned in)
{
    if (!(row->in & in)) {
        return parley_conf_bad(d, "directive is not allowed here");
    }

    if (d->is_block) {
        return parley_conf_wrong(d, "directive \"%s\" is not terminated by "
                                 "\";\"", row->name);
    }

    if (d->nwords - 1 < row->min
        || (row->max > 0 && d->nwords - 1 > row->max))
    {
        return parley_conf_wrong(d, "invalid number of arguments in \"%s\" "
                                 "directive", row->name);
    }

    return 0;
}


/* A list of an outer block ends where an inner one begins its own. */

static void
parley_settings_renew(const parley_directive_t *block, parley_settings_t *s)
{
    if (parley_conf_in(block, "parley_allow") != NULL
        || parley_conf_in(block, "parley_deny") != NULL)
    {
        memset(&s->policy, 0, sizeof(parley_policy_t));
    }

    if (parley_conf_in(block, "parley_redact") != NULL) {
        s->gate.nredact = 0;
    }
}


int
parley_settings_verify(const parley_directive_t *block,
    parley_tool_t *tool, const parley_settings_t *s)
{
    parley_error_t     err;
    parley_location_t  l;

    if (s->gate.accept == 0) {
        return parley_settings_off(block);
    }

    memset(&l, 0, sizeof(parley_location_t));

    l.gate = &s->gate;
    l.window_ms = s->window_ms;
    l.context = parley_settings_constant(s->context);
    l.constitution = parley_settings_constant(s->constitution);
    l.token = s->jwt;
    l.has_zone = s->has_zone;
    l.has_keys = s->has_jwks || s->has_jwks_request;
    l.has_principals = s->directory != NULL;
    l.has_signers = s->directory != NULL
                    && parley_directory_has_keys(s->directory);

    if (parley_location_verify(&l, s->engine, &tool->arena, &err) != 0) {
        return parley_conf_bad(parley_conf_get(block, "parley_accept"), "%s",
                               err.text);
    }

    return parley_settings_effects(block, &l);
}


/* GW-28: of a location's own words, where there is none in it */

static int
parley_settings_effects(const parley_directive_t *block,
    const parley_location_t *l)
{
    parley_error_t             err;
    parley_beside_t            beside;
    const parley_directive_t  *d;

    if (!parley_conf_is(block, "location")
        || parley_conf_in(block, "location") != NULL)
    {
        return 0;
    }

    for (d = block->first; d != NULL; d = d->next) {
        beside = parley_location_beside(d->words[0]);

        if (beside != PARLEY_BESIDE_COUNT
            && parley_location_effect(l, beside, &err) != 0)
        {
            return parley_conf_bad(d, "%s", err.text);
        }
    }

    return 0;
}


/* what has variables only nginx can tell */

static parley_str_t
parley_settings_constant(parley_str_t value)
{
    return value.data != NULL && memchr(value.data, '$', value.len) == NULL
           ? value : parley_str_none;
}


/* SEC-07: what is to protect a location that accepts nothing */

static int
parley_settings_off(const parley_directive_t *block)
{
    int                        handled, frame;
    const parley_directive_t  *d, *own;

    if (!parley_conf_is(block, "location")) {
        return 0;
    }

    own = NULL;
    frame = 0;
    handled = 0;

    for (d = block->first; d != NULL; d = d->next) {

        if (parley_conf_is(d, "location")) {
            frame = 1;

        } else if (parley_str_begins(d->words[0], "parley_")
                   && !parley_conf_is(d, "parley_accept") && own == NULL)
        {
            own = d;

        } else if (parley_settings_is_handler(d->words[0])) {
            handled = 1;
        }
    }

    return own == NULL || (frame && !handled) ? 0
           : parley_conf_wrong(own, "\"%s\" has no effect without "
                               "\"parley_accept\": whatever comes passes "
                               "unchecked",
                               (const char *) own->words[0].data);
}


/* the content handlers of nginx's own modules */

static int
parley_settings_is_handler(parley_str_t name)
{
    size_t  i;

    static const char *const  names[] = {
        "proxy_pass", "grpc_pass", "fastcgi_pass", "uwsgi_pass", "scgi_pass",
        "memcached_pass", "perl", "empty_gif", "flv", "mp4", "stub_status"
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_str_eq(name, parley_str_c(names[i]))) {
            return 1;
        }
    }

    return 0;
}
