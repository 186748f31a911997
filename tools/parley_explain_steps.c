/* Callbacks of the gate, as far as the command line has their data. */

#include <ctype.h>
#include <string.h>

#include "tools/parley_explain.h"
#include "auth/parley_certificate.h"
#include "http/parley_media.h"


#define PARLEY_EXPLAIN_HEADER  64   /* octets of a name, zero included */


static parley_step_result_t tool_explain_body(parley_gate_t *g);
static parley_step_result_t tool_explain_forward(parley_gate_t *g);
static int tool_explain_headers(parley_explain_t *e);
static int tool_explain_header(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static int tool_explain_split(const char *option, char *name,
    parley_str_t *ret);
static void tool_explain_each(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data);
static int64_t tool_explain_now(parley_gate_t *g);
static int tool_explain_random(parley_gate_t *g, uint8_t out[16]);
static int tool_explain_keys(parley_gate_t *g, int64_t age,
    parley_keys_t *ret);
static int tool_explain_certificate(parley_gate_t *g,
    const parley_certificate_t **ret);
static void tool_explain_trace(parley_gate_t *g, parley_str_t *trace_id,
    parley_str_t *span_id);
static int tool_explain_value(parley_gate_t *g,
    const parley_value_t *value, parley_str_t *ret);
static void tool_explain_step_done(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result);


const parley_gate_env_t  parley_explain_env = {
    .steps = {
        [PARLEY_STEP_BODY] = tool_explain_body,
        [PARLEY_STEP_FORWARD] = tool_explain_forward,
    },
    .now = tool_explain_now,
    .random = tool_explain_random,
    .header = tool_explain_header,
    .headers = tool_explain_each,
    .value = tool_explain_value,
    .keys = tool_explain_keys,
    .certificate = tool_explain_certificate,
    .trace = tool_explain_trace,
    .step_done = tool_explain_step_done,
};


static parley_step_result_t
tool_explain_body(parley_gate_t *g)
{
    parley_explain_t  *e = g->ctx;

    if (parley_gate_size(g, e->in->text.len) != 0
        || tool_explain_headers(e) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    tool_explain_note(e, "%zu octets of %zu", e->in->text.len,
                      g->conf.gate->limits.octets);

    g->in.query = e->query;
    g->in.body = e->in->text;
    g->in.now_ms = e->now_ms;

    return PARLEY_RESULT_PASSED;
}


/* Sends nothing: explain prints the message. */

static parley_step_result_t
tool_explain_forward(parley_gate_t *g)
{
    (void) g;

    return PARLEY_RESULT_PASSED;
}


static int
tool_explain_headers(parley_explain_t *e)
{
    char             name[PARLEY_EXPLAIN_HEADER];
    size_t           i;
    parley_str_t     value;
    const char      *option;
    parley_media_t   media;

    memset(&media, 0, sizeof(media));
    i = 0;

    while ((option = tool_option_next(e->tool, "header", &i)) != NULL) {
        if (tool_explain_split(option, name, &value) == 0
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
tool_explain_header(parley_gate_t *g, parley_str_t name, parley_str_t *ret)
{
    char               text[PARLEY_EXPLAIN_HEADER];
    size_t             i;
    const char        *option;
    parley_explain_t  *e = g->ctx;

    i = 0;

    while ((option = tool_option_next(e->tool, "header", &i)) != NULL) {
        if (tool_explain_split(option, text, ret) == 0
            && parley_str_eq(parley_str_c(text), name))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Splits "Name: value" and writes the name in lower case.  Returns -1 if the
 * name is longer than any name that is looked up.
 */

static int
tool_explain_split(const char *option, char *name, parley_str_t *ret)
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


static void
tool_explain_each(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data)
{
    char               text[PARLEY_EXPLAIN_HEADER];
    size_t             i;
    parley_str_t       value;
    const char        *option;
    parley_explain_t  *e = g->ctx;

    i = 0;

    while ((option = tool_option_next(e->tool, "header", &i)) != NULL) {
        if (tool_explain_split(option, text, &value) == 0
            && parley_str_eq(parley_str_c(text), name))
        {
            found(data, value);
        }
    }
}


static int
tool_explain_random(parley_gate_t *g, uint8_t out[16])
{
    (void) g;

    tool_host_random(out, 16);

    return 0;
}


static int64_t
tool_explain_now(parley_gate_t *g)
{
    const parley_explain_t *e = g->ctx;

    return e->now_ms;
}


static int
tool_explain_keys(parley_gate_t *g, int64_t age, parley_keys_t *ret)
{
    const parley_explain_t *e = g->ctx;

    if (age == 0) {
        ret->set = e->http.jwks;
        ret->number = 0;
    }

    return 0;
}


/* Returns the certificate of --certificate, as if it were verified. */

static int
tool_explain_certificate(parley_gate_t *g, const parley_certificate_t **ret)
{
    const parley_explain_t *e = g->ctx;

    *ret = e->certificate.nnames > 0 && !e->plain ? &e->certificate : NULL;

    return 0;
}


static void
tool_explain_trace(parley_gate_t *g, parley_str_t *trace_id,
    parley_str_t *span_id)
{
    const parley_explain_t *e = g->ctx;

    *trace_id = e->trace.trace_id;
    *span_id = e->trace.span_id;
}


/* Returns a value without variables: only nginx can evaluate variables. */

static int
tool_explain_value(parley_gate_t *g, const parley_value_t *value,
    parley_str_t *ret)
{
    parley_explain_t  *e = g->ctx;

    *ret = value->varies ? parley_str_none : value->text;

    if (value == g->conf.gate->rate_value) {
        tool_explain_note(e, "the variable of parley_rate is empty here; ");
        return 0;
    }

    if (value->varies && e->msg.wire != g->conf.gate->speak) {

        if (value == &e->settings.context) {
            tool_explain_note(e, "parley_vcp_context has variables and is "
                              "empty here; ");

        } else if (value == &e->settings.constitution) {
            tool_explain_note(e, "parley_vcp_constitution has variables and "
                              "is empty here; ");
        }
    }

    return 0;
}


static void
tool_explain_step_done(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result)
{
    parley_explain_t    *e = g->ctx;
    parley_explained_t  *s;

    if (g->conf.s->proves && !(g->conf.plan & PARLEY_PLAN(step))) {
        /* a step of messages */
        return;
    }

    if (result == PARLEY_RESULT_REFUSED) {
        if (step != PARLEY_STEP_REFERENCE) {
            e->note[0] = '\0';
        }

        tool_explain_note(e, "%s%s%s: %s",
                          (const char *)
                          parley_error_info(g->err->code)->word.data,
                          g->err->field[0] != '\0' ? " " : "",
                          g->err->field, parley_error_words(g->err));

        if (step == PARLEY_STEP_SIGNATURE && g->conf.http->child_keys) {
            /* the state is empty */
            tool_explain_note(e, "; keys that parents added at run time are "
                              "not known here");
        }

    } else {
        tool_explain_say(e, step, result);
    }

    s = &e->steps[e->nsteps++];

    s->step = step;
    s->result = result;
    (void) parley_gate_trace_directive(&e->http, &e->settings, g, step, &s->by);
    memcpy(s->text, e->note, sizeof(s->text));

    e->note[0] = '\0';

    if (step == PARLEY_STEP_SUBMISSION && e->answering != NULL) {
        /* the protocol is known now, and a later step looks up the request */
        tool_explain_remember(e);
    }
}
