/* What the gate asks of its adapter, as far as a command line knows it. */

#include <ctype.h>
#include <string.h>

#include "parley_aee_own.h"
#include "parley_explain.h"
#include "parley_media.h"
#include "parley_refer.h"
#include "parley_spot.h"
#include "parley_time.h"
#include "parley_window.h"


#define PARLEY_EXPLAIN_HEADER  64   /* octets of a name, zero included */


static parley_outcome_t parley_explain_proof(parley_gate_t *g);
static int parley_explain_token(parley_explain_t *e, parley_str_t *ret);
static parley_outcome_t parley_explain_body(parley_gate_t *g);
static int parley_explain_headers(parley_explain_t *e);
static int parley_explain_header(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static int parley_explain_split(const char *option, char *name,
    parley_str_t *ret);
static parley_outcome_t parley_explain_reference(parley_gate_t *g);
static parley_outcome_t parley_explain_own(parley_gate_t *g);
static parley_outcome_t parley_explain_refute(parley_gate_t *g);
static parley_outcome_t parley_explain_answers(parley_explain_t *e,
    int admitted);
static int parley_explain_may(void *ctx, parley_str_t form,
    parley_str_t intent);
static parley_outcome_t parley_explain_admit(parley_gate_t *g);
static parley_outcome_t parley_explain_translate(parley_gate_t *g);
static void parley_explain_options(parley_explain_t *e);
static parley_str_t parley_explain_value(parley_explain_t *e,
    const char *name, const parley_value_t *value);
static parley_outcome_t parley_explain_limit(parley_gate_t *g,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what);
static parley_outcome_t parley_explain_failures(parley_gate_t *g,
    const parley_limit_rate_t *rate, int again);
static void parley_explain_told(parley_gate_t *g, parley_step_t step,
    parley_outcome_t outcome);


const parley_gate_env_t  parley_explain_env = {
    .steps = {
        [PARLEY_STEP_PROOF] = parley_explain_proof,
        [PARLEY_STEP_BODY] = parley_explain_body,
        [PARLEY_STEP_REFERENCE] = parley_explain_reference,
        [PARLEY_STEP_OWN] = parley_explain_own,
        [PARLEY_STEP_ADMIT] = parley_explain_admit,
        [PARLEY_STEP_REFUTE] = parley_explain_refute,
        [PARLEY_STEP_TRANSLATE] = parley_explain_translate,
    },
    .header = parley_explain_header,
    .limit = parley_explain_limit,
    .failures = parley_explain_failures,
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


/* what the message answers, reports on or takes back: the gateway knows it */

static parley_outcome_t
parley_explain_reference(parley_gate_t *g)
{
    int                must;
    parley_str_t       to;
    parley_explain_t  *e = g->ctx;

    to = parley_refer_what(&e->msg, g->conf->speak, &must);

    if (to.len == 0 && !must) {
        parley_explain_note(e, "nothing to match");
        return PARLEY_OUTCOME_NONE;
    }

    if (to.len == 0) {
        (void) parley_misrefers(&e->msg, PARLEY_E_REPLY_UNMATCHED,
                                "it refers to no message that passed here and "
                                "still waits", g->err);
        return PARLEY_OUTCOME_REFUSED;
    }

    parley_explain_note(e, "\"%.*s\" %s passed%s", parley_explain_str(to),
                        must ? "must have" : "may have",
                        e->answering != NULL ? ""
                        : "; --answering gives what it was");

    return PARLEY_OUTCOME_UNASKED;
}


/* MCP-01, AEE-21 to AEE-27 */

static parley_outcome_t
parley_explain_own(parley_gate_t *g)
{
    int                rc;
    parley_own_t       own;
    parley_reply_t     reply;
    parley_explain_t  *e = g->ctx;

    own.speak = g->conf->speak;
    own.may = parley_explain_may;
    own.ctx = NULL;

    rc = g->conf->dry != PARLEY_DRY_OFF ? 0
         : parley_own(g->arena, &e->msg, &own, &reply, g->err);

    if (rc < 0) {
        return PARLEY_OUTCOME_REFUSED;
    }

    if (rc > 0) {
        parley_explain_note(e, "the gateway answers %.*s itself",
                            parley_explain_str(e->msg.intent));
        return PARLEY_OUTCOME_ANSWERED;
    }

    return parley_explain_answers(e, 0);
}


/* What such an answer lists nobody is told here. */

static int
parley_explain_may(void *ctx, parley_str_t form, parley_str_t intent)
{
    (void) ctx;
    (void) form;
    (void) intent;

    return 0;
}


static parley_outcome_t
parley_explain_refute(parley_gate_t *g)
{
    return parley_explain_answers(g->ctx, 1);
}


static parley_outcome_t
parley_explain_answers(parley_explain_t *e, int admitted)
{
    parley_aee_own_t  own;

    if (e->gate.proto != PARLEY_PROTO_CANONICAL || e->msg.partial
        || e->gate.conf->dry != PARLEY_DRY_OFF
        || !parley_str_eq(e->msg.recipient, e->http.self))
    {
        parley_explain_note(e, "not for the gateway itself");
        return PARLEY_OUTCOME_NONE;
    }

    own = parley_aee_own_find(e->msg.intent);

    if (own == PARLEY_AEE_OWN_COUNT || e->msg.act != PARLEY_ACT_REQUEST) {
        (void) parley_error_set(&e->in->err, PARLEY_E_INTENT_REFUSED,
                                "/intent", "the gateway itself answers tasks "
                                "of the seven aee.* intents alone");
        return PARLEY_OUTCOME_REFUSED;
    }

    if ((own == PARLEY_AEE_REFUTE) != admitted) {
        parley_explain_note(e, "once it is admitted");
        return PARLEY_OUTCOME_NONE;
    }

    parley_explain_note(e, "the gateway answers %.*s itself",
                        parley_explain_str(e->msg.intent));

    return PARLEY_OUTCOME_ANSWERED;
}


static parley_outcome_t
parley_explain_admit(parley_gate_t *g)
{
    parley_caps_t      caps;
    parley_explain_t  *e = g->ctx;
    parley_outcome_t   outcome;
    parley_priority_t  priority;

    outcome = PARLEY_OUTCOME_NONE;

    if (!parley_window_knows(&e->msg)) {
        parley_explain_note(e, "it may come twice");

    } else {
        parley_explain_note(e, "\"%.*s\" must be new for ",
                            parley_explain_str(e->msg.id));

        if (!parley_window_is_local(&e->msg,
                                    e->http.self_names[e->msg.wire]))
        {
            parley_explain_note(e, "%.*s",
                                parley_explain_str(e->msg.recipient));

        } else if (e->settings.receiver.text.len > 0) {
            parley_explain_note(e, "\"%.*s\"",
                                parley_explain_str(e->settings.receiver.text));

        } else {
            parley_explain_note(e, "this location");
        }

        parley_explain_note(e, ", and is remembered for %lld s",
                            (long long) (e->settings.window_ms / 1000));
        outcome = PARLEY_OUTCOME_UNASKED;
    }

    parley_gate_caps(g, &caps);
    priority = parley_amend_capped(&e->msg, &caps);

    if (g->conf->rate != NULL
        && g->conf->rate->classes[priority].interval_us != 0) {
        parley_explain_note(e, "; the quota of priority %.*s",
                            parley_explain_str(
                                parley_priority_name(priority)));
        outcome = PARLEY_OUTCOME_UNASKED;
    }

    return outcome;
}


static parley_outcome_t
parley_explain_translate(parley_gate_t *g)
{
    parley_proto_t     speak;
    parley_explain_t  *e = g->ctx;

    speak = g->conf->speak;

    parley_explain_options(e);

    if (parley_encode(e->engine, g->arena, speak, &e->msg, &e->opts, &e->sent,
                      &e->loss, g->err)
        != 0
        || parley_encoded_id(e->engine, g->arena, speak, &e->msg, &e->sent,
                             g->err)
           != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    if (e->msg.wire == speak && !g->edited) {
        parley_explain_note(e, "none, %.*s as it came",
                            parley_explain_str(parley_proto_name(speak)));
        return PARLEY_OUTCOME_NONE;
    }

    if (g->edited && e->sent.copied
        && parley_amend_sign(g->arena, g->proto, &e->amended, &e->opts,
                             &e->sent, g->err)
           != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    parley_explain_note(e, "%.*s to %.*s, %.*s%s",
                        parley_explain_str(parley_proto_name(e->msg.wire)),
                        parley_explain_str(parley_proto_name(speak)),
                        parley_explain_str(e->sent.id),
                        parley_codecs[speak]->signature_member.len == 0 ? ""
                        : e->http.signing != NULL ? ", signed by the gateway"
                                         : ", unsigned");

    return PARLEY_OUTCOME_PASSED;
}


static void
parley_explain_options(parley_explain_t *e)
{
    parley_settings_t     *s = &e->settings;
    parley_encode_opts_t  *opts = &e->opts;

    e->seal.arena = e->in->arena;
    e->seal.key = e->http.signing;

    parley_who_opts(&e->who, opts);
    parley_seal_opts(&e->seal, opts);

    opts->self = e->http.self;
    opts->answering = e->answering;
    opts->now_ms = e->now_ms;
    opts->redact = e->gate.conf->redact;
    opts->nredact = e->gate.conf->nredact;
    opts->context = parley_explain_value(e, "parley_vcp_context", &s->context);
    opts->constitution = parley_explain_value(e, "parley_vcp_constitution",
                                              &s->constitution);

    opts->severities = s->severities;
    opts->nseverities = s->nseverities;
    opts->broadcast = s->broadcast;

    opts->principal = parley_who_proven(&e->who);
    opts->sig_alg = parley_str_none;
    opts->sig_kid = parley_str_none;

    if (e->who.sig_verified) {
        opts->sig_alg = e->msg.sig.alg;
        opts->sig_kid = e->who.sig_kid;
    }
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


static parley_outcome_t
parley_explain_limit(parley_gate_t *g, const parley_limit_rate_t *rate,
    parley_str_t who, parley_str_t what)
{
    size_t                     i;
    parley_explain_t          *e = g->ctx;
    const parley_directive_t  *d;

    (void) rate;
    (void) what;

    d = parley_conf_get(e->block, "parley_rate");

    for (i = 1; i < d->nwords; i++) {
        parley_explain_note(e, "%s%.*s", i > 1 ? " " : "",
                            parley_explain_str(d->words[i]));
    }

    parley_explain_note(e, " for %s%.*s", who.len > 0 ? "" : "the address",
                        parley_explain_str(who));

    return PARLEY_OUTCOME_UNASKED;
}


static parley_outcome_t
parley_explain_failures(parley_gate_t *g, const parley_limit_rate_t *rate,
    int again)
{
    if (!again) {
        parley_explain_note(g->ctx, "failed proofs of the address: one in %u "
                            "ms, and %u at once",
                            (unsigned) (rate->interval_us / 1000),
                            (unsigned) rate->burst);
    }

    return PARLEY_OUTCOME_UNASKED;
}


static void
parley_explain_told(parley_gate_t *g, parley_step_t step,
    parley_outcome_t outcome)
{
    parley_explain_t    *e = g->ctx;
    parley_explained_t  *s;

    if (outcome == PARLEY_OUTCOME_REFUSED) {
        e->note[0] = '\0';
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
    memcpy(s->text, e->note, sizeof(s->text));

    e->note[0] = '\0';
}
