/*
 * The directives of a block: their names, where each may stand, with how many
 * words; and what no directive can know of alone.  What is wrong is said in
 * the words of nginx -t.
 */

#include <string.h>

#include "parley_settings.h"


#define PARLEY_SETTINGS_VCP_WINDOW_MS  300000


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
    { "parley_window", PARLEY_IN_ANY, 1, 1, 0, parley_settings_window },
    { "parley_limits", PARLEY_IN_ANY, 1, 0, 1, parley_settings_limits },
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
    const parley_settings_t *s)
{
    int          only;
    const char  *why;

    if (s->gate.accept == 0) {
        return 0;
    }

    only = (s->gate.accept & (s->gate.accept - 1)) == 0;
    why = NULL;

    if (!s->has_zone) {
        why = "needs \"parley_zone\"";

    } else if (s->gate.speak == PARLEY_PROTO_NONE && !only) {
        why = "names several protocols and needs \"parley_speak\", what the "
              "upstream speaks";

    } else if (!s->gate.trusted && !s->jwt
               && s->gate.signature != PARLEY_DEMAND_REQUIRED)
    {
        why = "has nobody to trust: it needs \"parley_jwt on\", "
              "\"parley_signature required\" or, knowingly, "
              "\"parley_trusted on\"";

    } else if (s->gate.signature == PARLEY_DEMAND_OFF && !s->gate.trusted) {
        why = "cannot have \"parley_signature off\" without "
              "\"parley_trusted on\"";

    } else if (s->jwt && !s->has_jwks && !s->has_jwks_request) {
        why = "has \"parley_jwt on\" and needs \"parley_jwks\" or "
              "\"parley_jwks_request\"";

    } else if (!s->jwt && s->gate.signature == PARLEY_DEMAND_REQUIRED
               && s->directory == NULL)
    {
        why = "has \"parley_signature required\" and needs "
              "\"parley_identities\", where the keys are";

    } else if (s->window_ms < s->gate.past_ms + s->gate.future_ms) {
        why = "has a \"parley_window\" shorter than what "
              "\"parley_freshness\" lets in: a message could be replayed";

    } else if ((s->gate.accept & PARLEY_PROTO_BIT(PARLEY_PROTO_VCP))
               && s->window_ms < PARLEY_SETTINGS_VCP_WINDOW_MS)
    {
        why = "has a \"parley_window\" below the 5 minutes that VCP asks for";
    }

    return why == NULL ? 0
           : parley_conf_bad(parley_conf_get(block, "parley_accept"), "%s",
                             why);
}
