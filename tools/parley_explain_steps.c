/* What the gate asks of its adapter, as far as a command line knows it. */

#include <ctype.h>
#include <string.h>

#include "parley_explain.h"
#include "parley_media.h"
#include "parley_time.h"


#define PARLEY_EXPLAIN_HEADER  64   /* octets of a name, zero included */


static parley_outcome_t parley_explain_proof(parley_gate_t *g);
static int parley_explain_token(parley_explain_t *e, parley_str_t *ret);
static parley_outcome_t parley_explain_body(parley_gate_t *g);
static int parley_explain_headers(parley_explain_t *e);
static int parley_explain_header(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static int parley_explain_split(const char *option, char *name,
    parley_str_t *ret);
static int parley_explain_arrival(parley_gate_t *g, parley_arrival_t *ret);
static int parley_explain_options(parley_gate_t *g,
    parley_encode_opts_t *ret);
static parley_str_t parley_explain_value(parley_explain_t *e,
    const char *name, const parley_value_t *value);
static void parley_explain_told(parley_gate_t *g, parley_step_t step,
    parley_outcome_t outcome);


const parley_gate_env_t  parley_explain_env = {
    .steps = {
        [PARLEY_STEP_PROOF] = parley_explain_proof,
        [PARLEY_STEP_BODY] = parley_explain_body,
    },
    .header = parley_explain_header,
    .arrival = parley_explain_arrival,
    .options = parley_explain_options,
    .told = parley_explain_told,
};


static parley_outcome_t
parley_explain_proof(parley_gate_t *g)
{
    char                      date[PARLEY_TIME_MAX];
    size_t                    i;
    parley_str_t              token;
    parley_explain_t         *e = g->ctx;
    parley_jwt_options_t      options;
    const parley_settings_t  *s = &e->settings;

    if (s->jwt == NULL) {
        parley_explain_note(e, "parley_jwt is off here");
        return PARLEY_OUTCOME_NONE;
    }

    if (parley_explain_token(e, &token) != 0) {
        return PARLEY_OUTCOME_REFUSED;
    }

    memset(&options, 0, sizeof(options));
    options.seed = e->tool->seed;

    if (parley_jwt_verify(e->http.jwks, g->arena, &options,
                          parley_token_trim(token), &e->jwt,
                          g->err)
        != 0
        || parley_principal_from_claims(g->arena, &e->jwt,
                                        s->claims != NULL ? &s->claims->map
                                        : NULL, e->http.directory, &e->owner,
                                        g->err)
           != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    e->who.jwt = &e->jwt;
    e->who.principal = &e->owner;

    if (parley_jwt_check(&e->jwt, &s->jwt->rules, e->now_ms / 1000, g->err)
        != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    parley_explain_note(e, "sub \"%.*s\"", parley_explain_str(e->owner.sub));

    if (e->jwt.has_exp && e->jwt.exp <= PARLEY_JWT_DATE_MAX) {
        (void) parley_time_format((int64_t) e->jwt.exp * 1000, date);
        parley_explain_note(e, ", until %s", date);
    }

    for (i = 0; i < e->jwt.nscopes; i++) {
        parley_explain_note(e, "%s%.*s", i == 0 ? ", scopes " : " ",
                            parley_explain_str(e->jwt.scopes[i]));
    }

    return PARLEY_OUTCOME_PASSED;
}


/* --token, or the argument that it comes in */

static int
parley_explain_token(parley_explain_t *e, parley_str_t *ret)
{
    parley_arguments_t         arguments;
    const parley_gate_conf_t  *conf = e->gate.conf;

    parley_arguments_init(&arguments, PARLEY_PROTO_NONE, PARLEY_PROTO_NONE,
                          conf->token);

    if (parley_arguments_read(&arguments, e->gate.arena, e->query,
                              e->gate.err)
        != 0)
    {
        return -1;
    }

    *ret = e->token != NULL ? parley_str_c(e->token)
                            : arguments.list[PARLEY_ARGUMENT_TOKEN].value;

    return ret->len > 0 ? 0
           : parley_error_set(e->gate.err, PARLEY_E_TOKEN_MISSING, NULL,
                              "a bearer token is required");
}


static parley_outcome_t
parley_explain_body(parley_gate_t *g)
{
    parley_explain_t  *e = g->ctx;

    if (parley_gate_size(g, e->in->text.len) != 0
        || parley_explain_headers(e) != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    parley_explain_note(e, "%zu octets of %zu", e->in->text.len,
                        g->conf->limits.octets);

    g->query = e->query;
    g->body = e->in->text;
    g->now_ms = e->now_ms;

    return PARLEY_OUTCOME_PASSED;
}


static int
parley_explain_headers(parley_explain_t *e)
{
    char             name[PARLEY_EXPLAIN_HEADER];
    size_t           i;
    parley_str_t     value;
    const char      *option;
    parley_media_t   media;

    memset(&media, 0, sizeof(media));
    i = 0;

    while ((option = parley_option_next(e->tool, "header", &i)) != NULL) {
        if (parley_explain_split(option, name, &value) == 0
            && parley_media_header(&media, parley_str_c(name), value,
                                   &e->in->err)
               != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_explain_header(parley_gate_t *g, parley_str_t name, parley_str_t *ret)
{
    char               text[PARLEY_EXPLAIN_HEADER];
    size_t             i;
    const char        *option;
    parley_explain_t  *e = g->ctx;

    i = 0;

    while ((option = parley_option_next(e->tool, "header", &i)) != NULL) {
        if (parley_explain_split(option, text, ret) == 0
            && parley_str_eq(parley_str_c(text), name))
        {
            return 1;
        }
    }

    return 0;
}


/* "Name: value"; the name in lower case.  -1: nobody asks for such a one */

static int
parley_explain_split(const char *option, char *name, parley_str_t *ret)
{
    size_t  i, len;

    len = strcspn(option, ":");

    if (len >= PARLEY_EXPLAIN_HEADER) {
        return -1;
    }

    for (i = 0; i < len; i++) {
        name[i] = (char) tolower((unsigned char) option[i]);
    }

    name[len] = '\0';
    *ret = parley_str_c(option + len + (option[len] == ':'));

    while (ret->len > 0 && ret->data[0] == ' ') {
        *ret = parley_str_from(*ret, 1);
    }

    return 0;
}


/* Where it came to is a location as well as any other. */

static int
parley_explain_arrival(parley_gate_t *g, parley_arrival_t *ret)
{
    const parley_explain_t  *e = g->ctx;

    if (!e->settings.receiver.varies) {
        ret->receiver = e->settings.receiver.text;
    }

    return 0;
}


static int
parley_explain_options(parley_gate_t *g, parley_encode_opts_t *ret)
{
    parley_explain_opts(g->ctx, ret);

    return 0;
}


void
parley_explain_opts(parley_explain_t *e, parley_encode_opts_t *ret)
{
    parley_settings_t  *s = &e->settings;

    ret->now_ms = e->now_ms;
    ret->trace_id = e->trace.trace_id;
    ret->span_id = e->trace.span_id;
    ret->context = parley_explain_value(e, "parley_vcp_context", &s->context);
    ret->constitution = parley_explain_value(e, "parley_vcp_constitution",
                                             &s->constitution);
    ret->severities = s->severities;
    ret->nseverities = s->nseverities;
    ret->broadcast = s->broadcast;
}


/* What has variables only nginx can tell. */

static parley_str_t
parley_explain_value(parley_explain_t *e, const char *name,
    const parley_value_t *value)
{
    if (!value->varies) {
        return value->text;
    }

    if (e->msg.wire != e->gate.conf->speak) {
        parley_explain_note(e, "%s has variables and is empty here; ", name);
    }

    return parley_str_none;
}


static void
parley_explain_told(parley_gate_t *g, parley_step_t step,
    parley_outcome_t outcome)
{
    parley_explain_t    *e = g->ctx;
    parley_explained_t  *s;

    if (outcome == PARLEY_OUTCOME_REFUSED) {
        if (step != PARLEY_STEP_REFERENCE) {
            e->note[0] = '\0';
        }

        parley_explain_note(e, "%s%s%s: %s",
                            (const char *)
                            parley_error_info(g->err->code)->word.data,
                            g->err->field[0] != '\0' ? " " : "",
                            g->err->field, g->err->text);

    } else {
        parley_explain_say(e, step, outcome);
    }

    s = &e->steps[e->nsteps++];

    s->step = step;
    s->outcome = outcome;
    (void) parley_decider(&e->http, &e->settings, g, step, &s->by);
    memcpy(s->text, e->note, sizeof(s->text));

    e->note[0] = '\0';

    if (step == PARLEY_STEP_SUBMISSION && e->answering != NULL) {
        /* its protocol is known now, and what it answers is looked up next */
        parley_explain_remember(e);
    }
}
