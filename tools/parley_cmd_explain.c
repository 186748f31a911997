/* parley explain: shows how a gateway would handle a message. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/parley_escape.h"
#include "tools/parley_explain.h"
#include "translate/moq/parley_moq.h"


/* octets read of a message in a dry run: the maximum of parley_limits */
#define PARLEY_EXPLAIN_DRY_MAX  (256 << 20)

/* octets of a PEM file */
#define PARLEY_CERTIFICATE_OCTETS  (1 << 20)


static int tool_explain_run(parley_tool_t *tool);
static int tool_explain_init(parley_tool_t *tool, parley_explain_t *e);
static int tool_explain_came(parley_tool_t *tool, parley_explain_t *e);
static int tool_explain_shown(parley_tool_t *tool, parley_explain_t *e);
static int tool_explain_block(parley_tool_t *tool, parley_explain_t *e,
    const parley_conf_t *conf);
static const parley_directive_t *tool_explain_messages(
    const parley_directive_t *connects);
static int tool_explain_is_local(parley_input_t *in);
static parley_str_t tool_explain_recipient(const parley_input_t *in);
static int tool_explain_response(parley_tool_t *tool,
    parley_explain_t *e);
static void tool_explain_where(const parley_explain_t *e);
static int tool_explain_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static void tool_explain_begin(parley_explain_t *e, parley_input_t *in);
static int tool_explain_back(parley_explain_t *e, parley_reply_t *ret);
static int tool_explain_refusal(parley_explain_t *e, parley_reply_t *ret);
static void tool_explain_tell(const parley_explain_t *e);
static int tool_explain_is_end(parley_step_result_t result);
static void tool_explain_json(parley_explain_t *e, int ok,
    const parley_reply_t *reply, parley_str_t message);


/* directives that may end a request before Parley, or send it elsewhere */
static const char *const  parley_explain_others[] = {
    "allow", "auth_basic", "auth_request", "client_max_body_size", "deny",
    "error_page", "if", "limit_conn", "limit_except", "limit_req",
    "proxy_set_body", "return", "rewrite", "satisfy", "try_files", NULL
};


static const parley_option_t  parley_explain_options[] = {
    { "conf", 0, "FILE", "nginx.conf, with the files that it includes", 0 },
    { "location", 0, "NAME", "the location that takes the message or the MoQ\n"
      "connection that brings it, as it is\n"
      "written: /in, '= /in'; without it the only block\n"
      "that accepts messages", 0 },
    { "server", 0, "NAME", "a name of its server, as it is written", 0 },
    { "args", 0, "ARGS", "the arguments of the request, without \"?\"", 0 },
    { "method", 0, "M", "the method of a request without a message\n"
      "(default POST)", 0 },
    { "token-file", 0, "FILE", "the caller's token, in a file", 0 },
    { "token", 0, "T", "the token itself (other users of this machine may\n"
      "see it)", 0 },
    { "certificate", 0, "FILE", "the client's certificate, in PEM, taken to\n"
      "be verified", 0 },
    { "keys", 0, "FILE", "the keys of tokens, where parley_jwks_request\n"
      "fetches them", 0 },
    { "header", 0, "NAME:VALUE", "a header of the request: Content-Type,\n"
      "Content-Encoding, MCP-Protocol-Version", 1 },
    { "plain", 0, NULL, "the message comes over plain HTTP; else over TLS",
      0 },
    { "at", 0, "WHEN", "when it comes: seconds since 1970, an RFC 3339\n"
      "timestamp, or from now: +1h, -30s (default: now)", 0 },
    { "answer", 0, "FILE",
    "the answer of the service, one JSON document: it is\ntranslated, and the "
    "answer to the caller is printed", 0 },
    { "status", 0, "N", "the HTTP status of that (default 200)", 0 },
    PARLEY_OPTIONS_ENCODE,
    { "asker", 0, "SUB",
    "the principal that sent the message of --answering\n(default: the "
    "principal that lists its sender)", 0 },
    { "lines", 'n', NULL, "each line of the input is one message (NDJSON)",
      0 },
    { "json", 0, NULL, "one JSON object for each message on standard\n"
      "output, with the answer of the gateway itself", 0 },
    tool_option_end
};


const parley_command_t  parley_cmd_explain = {
    .name = "explain",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Explains how a gateway would handle a message",
    .text = "Reads the directives in force at the location and takes the steps "
            "of the\ngateway, one line each on standard error.  Standard "
            "output gets the message to\nthe upstream, status 0, or the "
            "refusal to the caller, status 1.  Rates, the\nwindow of ids and "
            "open questions begin empty, except for the message "
            "of\n--answering.  Variables are empty.  If \"nginx -t\" would "
            "refuse a directive of\nthe module, at any place, the command "
            "refuses it with the same text.\n",
    .options = parley_explain_options,
    .run = tool_explain_run
};


static int
tool_explain_run(parley_tool_t *tool)
{
    int                status;
    parley_explain_t  *e;

    e = parley_arena_calloc(&tool->arena, sizeof(parley_explain_t));

    if (e == NULL) {
        tool_say("out of memory");
        return PARLEY_EXIT_USAGE;
    }

    status = PARLEY_EXIT_USAGE;

    if (tool_explain_init(tool, e) == 0) {

        if (!tool->json) {
            tool_explain_where(e);
        }

        status = tool_input_each(tool, tool_explain_one, e);
    }

    if (e->engine != NULL) {
        parley_engine_destroy(e->engine);
    }

    free(e->octets);

    parley_settings_http_free(&e->http);

    return status;
}


static int
tool_explain_init(parley_tool_t *tool, parley_explain_t *e)
{
    const char      *value;
    parley_conf_t   *conf;
    parley_error_t   err;

    conf = parley_arena_alloc(&tool->arena, sizeof(parley_conf_t));

    if (conf == NULL) {
        tool_say("out of memory");
        return -1;
    }

    parley_settings_http_init(&e->http);

    if (tool_explain_state_init(e) != 0) {
        tool_say("out of memory");
        return -1;
    }

    if (tool_option_required(tool, "conf", &value) != 0
        || tool_conf_read(tool, value, conf) != 0
        || tool_message_trace(tool, &e->trace) != 0)
    {
        return -1;
    }

    e->tool = tool;

    if (tool_explain_came(tool, e) != 0) {
        return -1;
    }

    parley_error_clear(&err);

    e->engine = parley_engine_create(&parley_mem_libc, &err);

    if (e->engine == NULL) {
        tool_say_error("schemas", &err);
        return -1;
    }

    if (tool_conf_settings(tool, conf, tool_option(tool, "keys"),
                           e->engine, &e->http)
        != 0
        || tool_explain_block(tool, e, conf) != 0)
    {
        return -1;
    }

    if (tool_token_given(tool, &e->token) != 0
        || tool_explain_shown(tool, e) != 0)
    {
        return -1;
    }

    e->asker = tool_option(tool, "asker");

    /* the limits of this block do not apply: the message passed elsewhere */

    if (tool_message_file(tool, e->engine, tool_option(tool, "answering"),
                          &e->answering)
        != 0)
    {
        return -1;
    }

    tool->limits = e->settings.gate.limits;

    if (tool_explain_response(tool, e) != 0) {
        return -1;
    }

    /* a dry run forwards the whole body, even if it exceeds the limit */

    if (e->settings.gate.dry != PARLEY_DRY_OFF) {
        tool->limits.octets = PARLEY_EXPLAIN_DRY_MAX;
    }

    return 0;
}


/* Reads the options about the connection and the time of the messages. */

static int
tool_explain_came(parley_tool_t *tool, parley_explain_t *e)
{
    const char  *args, *when;

    args = tool_option(tool, "args");
    when = tool_option(tool, "at");

    e->method = tool_option(tool, "method");
    e->plain = tool_option(tool, "plain") != NULL;
    e->query = args != NULL ? parley_str_c(args) : parley_str_none;
    e->now_ms = tool_host_ms();

    if (e->method == NULL) {
        e->method = "POST";
    }

    return when == NULL ? 0
           : tool_option_time("at", when, e->now_ms, &e->now_ms);
}


/* Reads the file of --certificate. */

static int
tool_explain_shown(parley_tool_t *tool, parley_explain_t *e)
{
    const char      *path;
    parley_str_t     text;
    parley_error_t   err;

    path = tool_option(tool, "certificate");

    if (path == NULL) {
        return 0;
    }

    if (tool_file_whole(tool, path, PARLEY_CERTIFICATE_OCTETS, &text) != 0)
    {
        return -1;
    }

    if (parley_certificate_read_pem(&tool->arena, text, &e->certificate, &err)
        != 0)
    {
        tool_say_error(path, &err);
        return -1;
    }

    return 0;
}


static int
tool_explain_block(parley_tool_t *tool, parley_explain_t *e,
    const parley_conf_t *conf)
{
    parley_error_t             err;
    const parley_where_t      *where;
    parley_settings_env_t      quiet = { .warn = NULL };
    const parley_directive_t  *d;

    if (tool_conf_block(conf, tool_option(tool, "server"),
                        tool_option(tool, "location"), &e->block)
        != 0)
    {
        return -1;
    }

    if (e->block->settings->moq != NULL) {
        e->connects = e->block;
        e->block = tool_explain_messages(e->connects);
    }

    e->settings = *e->block->settings;

    /* an answer comes in the mailbox of the connection, as to a held request */

    if (e->connects != NULL && e->settings.submit != NULL) {
        e->submit = *e->settings.submit;
        e->submit.hold = 1;
        e->settings.submit = &e->submit;
    }

    parley_settings_window(&quiet, &e->http, &e->settings);

    where = &e->settings.where[PARLEY_DIRECTIVE_ACCEPT];

    if (parley_settings_idle(&e->settings.gate, &err) != 0) {
        tool_say("%s:%u: \"parley_accept\" %s",
                 (const char *) where->file.data, where->line, err.text);
    }

    if (e->settings.jwt != NULL && e->http.jwks == NULL) {
        d = tool_conf_in(conf->http, "parley_jwks_request");
        return tool_conf_wrong(d, "\"parley_jwks_request\" fetches the "
                               "keys of tokens while nginx runs; give them "
                               "with --keys FILE");
    }

    return 0;
}


/* Returns the location that gets the commands of MoQ connections; it exists. */

static const parley_directive_t *
tool_explain_messages(const parley_directive_t *connects)
{
    const parley_directive_t  *server;

    for (server = connects; !tool_conf_is(server, "server");
         server = server->parent)
    {
        /* void */
    }

    return tool_conf_location(server,
                              parley_settings_messages(connects->settings));
}


static int
tool_explain_response(parley_tool_t *tool, parley_explain_t *e)
{
    int64_t      status;
    const char  *file, *value;

    file = tool_option(tool, "answer");
    value = tool_option(tool, "status");
    status = 200;

    if (value != NULL) {
        if (file == NULL) {
            return tool_say_usage(tool, "--status without --answer");
        }

        if (tool_option_integer("status", value, 200, 599, &status) != 0) {
            return -1;
        }
    }

    if (file == NULL) {
        return 0;
    }

    e->answers = 1;
    e->response.status = (int) status;

    return tool_file_whole(tool, file, tool->limits.octets,
                           &e->response.body);
}


/* Prints the location, and its directives that explain does not evaluate. */
static void
tool_explain_where(const parley_explain_t *e)
{
    char                       text[256];
    unsigned                   i;
    const parley_directive_t  *d, *block;

    block = e->block;

    if (e->connects != NULL) {
        tool_conf_describe(e->connects, text, sizeof(text));
        tool_show_format(stderr, "%s, %s:%u, posts commands to", text,
                         e->connects->file, e->connects->line);
        fputc('\n', stderr);
    }

    tool_conf_describe(block, text, sizeof(text));
    tool_show_format(stderr, "%s, %s:%u", text, block->file, block->line);
    fputc('\n', stderr);

    for (i = 0; parley_explain_others[i] != NULL; i++) {
        d = tool_conf_get(block, parley_explain_others[i]);

        if (d != NULL) {
            tool_show_format(stderr, "%s, %s:%u, is not looked at",
                             parley_explain_others[i], d->file, d->line);
            fputc('\n', stderr);
        }
    }
}


static int
tool_explain_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    int                   ok, dry, back;
    parley_str_t          body;
    parley_reply_t        reply;
    parley_explain_t     *e = ctx;
    parley_step_result_t  result;

    if (e->connects != NULL && tool_explain_is_local(in)) {
        return tool_output_error(tool, in);
    }

    tool_explain_begin(e, in);
    memset(&reply, 0, sizeof(reply));

    result = parley_gate_run(&e->gate, e->now_ms);

    ok = result != PARLEY_RESULT_REFUSED;
    dry = e->gate.conf.gate->dry != PARLEY_DRY_OFF;
    back = result == PARLEY_RESULT_PASSED && !dry && e->answers;
    body = result == PARLEY_RESULT_ANSWERED ? parley_str_none
           : dry ? in->text : e->gate.out.sent.body;

    if (back) {
        ok = tool_explain_back(e, &reply) == 0;
        body = reply.body;
    }

    if (!ok) {
        if (tool_explain_refusal(e, &reply) != 0) {
            tool_say("out of memory");
            return PARLEY_EXIT_USAGE;
        }

        body = reply.body;
    }

    if (!ok && back) {
        (void) (parley_gate_unanswered(&e->gate, &reply, e->now_ms) == 0);
    }

    if (tool->json) {
        if (result == PARLEY_RESULT_ANSWERED) {
            reply = e->gate.out.reply;
            body = reply.body;
        }

        tool_explain_json(e, ok, &reply, body);
        return ok ? PARLEY_EXIT_OK : PARLEY_EXIT_INVALID;
    }

    tool_explain_tell(e);

    if (!ok || back) {
        tool_show_format(stderr, "%-12s HTTP %d %.*s", "answer",
                         reply.status, (int) reply.content_type.len,
                         (const char *) reply.content_type.data);
        fputc('\n', stderr);

    } else if (dry) {
        fprintf(stderr, "%-12s parley_dry_run is on: the message goes on as "
                "it came\n", "dry run");

    } else if (e->settings.proves) {
        fprintf(stderr, "%-12s the request goes on unchanged\n", "passes");
    }

    if (body.len > 0) {
        tool_output_line(body);
    }

    return ok ? PARLEY_EXIT_OK : PARLEY_EXIT_INVALID;
}


static void
tool_explain_begin(parley_explain_t *e, parley_input_t *in)
{
    parley_gate_t  *g = &e->gate;

    e->in = in;
    e->nsteps = 0;
    e->note[0] = '\0';

    if (e->connects != NULL && tool_option(e->tool, "args") == NULL) {
        e->query = tool_explain_recipient(in);
    }

    /* the texts of the message before are gone */

    memset(&e->who, 0, sizeof(e->who));
    memset(&e->doc, 0, sizeof(e->doc));
    memset(&e->msg, 0, sizeof(e->msg));
    memset(&e->rewritten, 0, sizeof(e->rewritten));
    memset(g, 0, sizeof(parley_gate_t));

    parley_loss_init(&e->loss, in->arena);

    g->env = &parley_explain_env;
    g->ctx = e;
    g->engine = e->engine;
    g->arena = in->arena;
    g->err = &in->err;
    g->who = &e->who;
    g->doc = &e->doc;
    g->msg = &e->msg;
    g->rewritten = &e->rewritten;
    g->loss = &e->loss;
    g->in.method = parley_str_c(e->method);
    g->in.raw_query = e->query;
    g->in.supplied_token = e->token;
    g->in.seed = e->tool->seed;
    g->in.tls = !e->plain;
    g->in.framed = e->settings.websocket != NULL;

    tool_explain_state_clear(e);
    parley_ask_init(&g->ask, &e->memory.state, in->arena);
    parley_gate_configure(g, &e->http, &e->settings);
    parley_gate_init(g);
}


/* Returns whether a MoQ connection does not post a command, with in->err. */

static int
tool_explain_is_local(parley_input_t *in)
{
    uint32_t        value;
    parley_str_t    action;
    parley_json_t   doc;
    parley_error_t  err;

    parley_error_clear(&err);

    if (parley_json_read(&doc, in->arena, NULL, 0, in->text, &err) != 0) {
        return 0;
    }

    value = parley_json_get(&doc, 0, PARLEY_STR("action"));

    if (value == PARLEY_JSON_NONE
        || parley_json_type(&doc, value) != PARLEY_JSON_STRING
        || parley_json_string(&doc, value, &action) != 0
        || !parley_moq_is_local(action))
    {
        return 0;
    }

    (void) parley_error_set(&in->err, PARLEY_E_FIELD_INVALID, "/action",
                            "the gateway answers %.*s itself; explain shows "
                            "only commands that it posts",
                            tool_explain_str(action));

    return 1;
}


/* Returns the arguments of the request by which a MoQ connection posts a
   command; empty: none, or the peer of its agent session decides. */

static parley_str_t
tool_explain_recipient(const parley_input_t *in)
{
    parley_buf_t    b;
    parley_str_t    recipient, query;
    parley_json_t   doc;
    parley_error_t  err;

    parley_error_clear(&err);

    if (parley_json_read(&doc, in->arena, NULL, 0, in->text, &err) != 0
        || !parley_moq_recipient(&doc, &recipient) || recipient.len == 0)
    {
        return parley_str_none;
    }

    parley_buf_init(&b, in->arena, 0);
    parley_buf_lit(&b, "recipient=");
    parley_escape_put(&b, recipient, PARLEY_ESCAPE_ARGUMENT);

    return parley_buf_done(&b, &query) == 0 ? query : parley_str_none;
}


void
tool_explain_note(parley_explain_t *e, const char *fmt, ...)
{
    char     *p, *text;
    size_t    len;
    va_list   args;

    text = e->note;
    len = strlen(text);

    va_start(args, fmt);
    (void) vsnprintf(text + len, PARLEY_EXPLAIN_TEXT - len, fmt, args);
    va_end(args);

    /* replaces control characters, including U+0080 to U+009F */

    for (p = text + len; *p != '\0'; p++) {
        if ((uint8_t) *p < ' ' || *p == 0x7f) {
            *p = '?';

        } else if ((uint8_t) *p == 0xc2 && (uint8_t) p[1] >= 0x80
                   && (uint8_t) p[1] < 0xa0)
        {
            *p++ = '?';
            *p = '?';
        }
    }
}


/*
 * Builds the answer to the caller from --answer.  Returns 0, or -1 with
 * e->in->err.
 */

static int
tool_explain_back(parley_explain_t *e, parley_reply_t *ret)
{
    if (parley_gate_answer(&e->gate, &e->response, &e->answered) != 0) {
        return -1;
    }

    *ret = e->answered.reply;

    /* the memory state answers at once */

    (void) (parley_gate_answered(&e->gate, &e->answered, e->now_ms) == 0);

    return 0;
}


static int
tool_explain_refusal(parley_explain_t *e, parley_reply_t *ret)
{
    parley_proto_t    proto;
    parley_refusal_t  refusal;

    proto = parley_gate_refusal(&e->gate, &refusal);

    refusal.now_ms = e->now_ms;

    tool_host_random(refusal.random, sizeof(refusal.random));

    ret->status = parley_error_info(e->in->err.code)->http;

    return parley_gate_collect_refused(&e->gate, proto, &refusal, ret);
}


/* Returns whether the steps of a message end with this result. */

static int
tool_explain_is_end(parley_step_result_t result)
{
    return result == PARLEY_RESULT_REFUSED
           || result == PARLEY_RESULT_SPARED;
}


static void
tool_explain_tell(const parley_explain_t *e)
{
    size_t                     i;
    const parley_explained_t  *s;

    if (e->in->line > 0) {
        tool_show_format(stderr, "%s:%zu", e->in->name, e->in->line);
        fputc('\n', stderr);
    }

    for (i = 0; i < e->nsteps; i++) {
        s = &e->steps[i];

        tool_show_format(stderr, "%-12s %-10s %s", parley_step_name(s->step),
                         parley_step_result_name(s->result), s->text);
        fputc('\n', stderr);

        if (tool_explain_is_end(s->result) && s->by.name != NULL) {
            tool_show_format(stderr, "%-12s %-10s by \"%s\" in %.*s:%u",
                             "", "", s->by.name,
                             tool_explain_str(s->by.where->file),
                             s->by.where->line);
            fputc('\n', stderr);
        }
    }
}


static void
tool_explain_json(parley_explain_t *e, int ok, const parley_reply_t *reply,
    parley_str_t message)
{
    size_t                    i;
    parley_buf_t              b;
    const parley_error_t     *err = &e->in->err;
    const parley_directive_t *block = e->block;

    tool_output_begin(&b, e->in, ok);
    parley_buf_member(&b, PARLEY_STR("file"), parley_str_c(block->file));
    parley_buf_name(&b, PARLEY_STR("file_line"));
    parley_buf_int(&b, block->line);
    parley_buf_name(&b, PARLEY_STR("steps"));
    parley_buf_octet(&b, '[');

    for (i = 0; i < e->nsteps; i++) {
        parley_buf_str(&b, i > 0 ? PARLEY_STR(",{") : PARLEY_STR("{"));
        parley_buf_member(&b, PARLEY_STR("step"),
                          parley_str_c(parley_step_name(
                                           e->steps[i].step)));
        parley_buf_member(&b, PARLEY_STR("verdict"),
                          parley_str_c(parley_step_result_name(
                                           e->steps[i].result)));
        parley_buf_member(&b, PARLEY_STR("text"),
                          parley_str_c(e->steps[i].text));

        if (e->steps[i].by.name != NULL) {
            parley_buf_member(&b, PARLEY_STR("directive"),
                              parley_str_c(e->steps[i].by.name));
            parley_buf_member(&b, PARLEY_STR("file"),
                              e->steps[i].by.where->file);
            parley_buf_name(&b, PARLEY_STR("line"));
            parley_buf_int(&b, e->steps[i].by.where->line);
        }

        parley_buf_octet(&b, '}');
    }

    parley_buf_octet(&b, ']');

    if (err->code != PARLEY_E_NONE) {
        parley_buf_member(&b, PARLEY_STR("code"),
                          parley_error_info(err->code)->word);
        parley_buf_member(&b, PARLEY_STR("field"), parley_str_c(err->field));
        parley_buf_member(&b, PARLEY_STR("message"), parley_str_c(err->text));
    }

    if (!ok || reply->status != 0) {
        parley_buf_name(&b, PARLEY_STR("status"));
        parley_buf_int(&b, reply->status);
        parley_buf_member(&b, PARLEY_STR("type"), reply->content_type);
        parley_buf_member(&b, PARLEY_STR("answer"), message);

    } else if (message.len > 0) {
        parley_buf_member(&b, PARLEY_STR("sent"), message);
    }

    tool_output_end(&b);
}
