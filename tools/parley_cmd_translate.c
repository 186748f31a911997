/* parley translate: translates messages from one protocol to another. */

#include <stdio.h>
#include <string.h>

#include "translate/parley_name.h"
#include "gate/correlation/parley_seal.h"
#include "auth/parley_signature.h"
#include "tools/parley_tool.h"
#include "gate/party/parley_who.h"


typedef struct {
    parley_message_t        m;
    parley_proto_t          to;
    parley_encode_opts_t    opts;
    parley_submission_t     submission;
    parley_directory_t     *directory;
    parley_jwk_t            key;
    parley_who_t            who;        /* of the current message */
    parley_seal_t           seal;
    parley_loss_mode_t      loss;
    int                     render;
    parley_severity_word_t  severity;
} parley_translate_t;


static int tool_translate_run(parley_tool_t *tool);
static int tool_translate_init(parley_tool_t *tool,
    parley_translate_t *t);
static int tool_translate_vcp(parley_tool_t *tool, parley_translate_t *t);
static int tool_translate_loss_mode(parley_tool_t *tool,
    parley_translate_t *t);
static int tool_translate_directory(parley_tool_t *tool,
    parley_translate_t *t);
static int tool_translate_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);
static int tool_translate_submit(parley_input_t *in,
    parley_translate_t *t);
static int tool_translate_render(parley_input_t *in,
    const parley_translate_t *t, parley_encoded_t *out);
static void tool_translate_json(parley_input_t *in,
    const parley_translate_t *t, const parley_encoded_t *out,
    const parley_loss_t *loss);
static void tool_translate_scope(const parley_input_t *in,
    parley_str_t scope);
static void tool_translate_loss(const parley_input_t *in,
    const parley_loss_t *loss);
static void tool_translate_where(const parley_input_t *in, char *where,
    size_t size);


static const parley_option_t  parley_translate_options[] = {
    { "from", 0, "P", PARLEY_PROTOCOL_WORDS ";\nelse it is detected",
      0 },
    { "to", 0, "P", "the protocol wanted:\n" PARLEY_PROTOCOL_WORDS, 0 },
    { "identities", 0, "FILE", "names of principals, as parley_identities "
      "has them", 0 },
    { "self", 0, "NAME", "the gateway's own AEE name, as parley_self\n"
      "(default service.parley)", 0 },
    { "principal", 0, "SUB", "the sender's sub, as a gateway that verified "
      "it\nnames it in the translation", 0 },
    { "key", 0, "FILE", "the gateway's key, a private JWK: the translation\n"
      "is signed with it, as parley_signing_key has it", 0 },
    { "render", 0, NULL, "an event of C2A as the text by which a harness\n"
      "gives it to a model: nothing in it forges a header", 0 },
    { "loss", 0, "WORD",
    "members that the translation loses: report\n(default), reject, "
    "ignore", 0 },
    { "vcp-context", 0, "C", "as parley_vcp_context", 0 },
    { "vcp-constitution", 0, "C", "as parley_vcp_constitution", 0 },
    { "vcp-severity", 0, "CODE=S", "as parley_vcp_severity, of one code", 0 },
    { "vcp-broadcast", 0, "NAME", "as parley_vcp_broadcast", 0 },
    PARLEY_OPTIONS_ENCODE,
    PARLEY_OPTIONS_SUBMISSION,
    PARLEY_OPTIONS_INPUT,
    tool_option_end
};


const parley_command_t  parley_cmd_translate = {
    .name = "translate",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Translates a message into another protocol",
    .text = "The translation goes to standard output; lost members are named "
            "on standard\nerror, one JSON Pointer a line.  The signature is "
            "dropped: use parley verify\nbefore.\n",
    .options = parley_translate_options,
    .run = tool_translate_run
};


static int
tool_translate_run(parley_tool_t *tool)
{
    int                 status;
    parley_translate_t  t;

    memset(&t, 0, sizeof(t));

    status = PARLEY_EXIT_USAGE;

    if (tool_translate_init(tool, &t) == 0) {
        status = tool_input_each(tool, tool_translate_one, &t);
    }

    parley_jwk_free(&t.key);
    parley_directory_free(t.directory);
    tool_message_free(&t.m);

    return status;
}


static int
tool_translate_init(parley_tool_t *tool, parley_translate_t *t)
{
    const char  *value;

    if (tool_option_required(tool, "to", &value) != 0
        || tool_option_proto(tool, "to", &t->to) != 0
        || tool_translate_loss_mode(tool, t) != 0
        || tool_submission_read(tool, &t->submission) != 0
        || tool_message_init(tool, "from", &t->m) != 0
        || tool_translate_directory(tool, t) != 0
        || tool_message_file(tool, t->m.engine,
                             tool_option(tool, "answering"),
                             &t->opts.answering)
           != 0
        || tool_message_trace(tool, &t->opts) != 0)
    {
        return -1;
    }

    t->opts.now_ms = t->submission.ms;
    t->render = tool_option(tool, "render") != NULL;

    if (t->render && (tool->json || parley_codecs[t->to]->render == NULL)) {
        tool_say_usage(tool, "--render is of C2A, and goes without --json");
        return -1;
    }

    value = tool_option(tool, "self");
    t->opts.self = parley_str_c(value != NULL ? value : "service.parley");

    value = tool_option(tool, "principal");
    t->opts.principal = parley_str_c(value != NULL ? value : "");

    if (t->directory != NULL && value != NULL) {
        t->who.principal = parley_directory_by_sub(t->directory,
                                                   t->opts.principal);
    }

    value = tool_option(tool, "vcp-context");
    t->opts.context = parley_str_c(value != NULL ? value : "");

    value = tool_option(tool, "vcp-constitution");
    t->opts.constitution = parley_str_c(value != NULL ? value : "");

    if (tool_translate_vcp(tool, t) != 0) {
        return -1;
    }

    value = tool_option(tool, "key");

    if (value == NULL) {
        return 0;
    }

    if (tool_file_key(tool, value, 1, &t->key) != 0) {
        return -1;
    }

    if (parley_signature_word(&t->key).len == 0) {
        tool_say("%s: messages are signed with Ed25519 or HS256, which "
                 "this key cannot", value);
        return -1;
    }

    t->seal.key = &t->key;

    return 0;
}


static int
tool_translate_vcp(parley_tool_t *tool, parley_translate_t *t)
{
    const char      *value;
    parley_error_t   err;

    value = tool_option(tool, "vcp-severity");

    if (value != NULL) {
        if (parley_severity_word_parse(parley_str_c(value), NULL, 0,
                                       &t->severity, &err)
            != 0)
        {
            tool_say("--vcp-severity: %s", err.text);
            return -1;
        }

        t->opts.severities = &t->severity;
        t->opts.nseverities = 1;
    }

    value = tool_option(tool, "vcp-broadcast");

    if (value != NULL
        && !parley_name_is_group(PARLEY_PROTO_CANONICAL, parley_str_c(value)))
    {
        tool_say("--vcp-broadcast: \"%s\" is not the AEE name of a group, "
                 "such as bus.ops", value);
        return -1;
    }

    t->opts.broadcast = parley_str_c(value != NULL ? value : "");

    return 0;
}


static int
tool_translate_loss_mode(parley_tool_t *tool, parley_translate_t *t)
{
    const char  *value;

    value = tool_option(tool, "loss");

    if (value == NULL || strcmp(value, "report") == 0) {
        return 0;
    }

    if (strcmp(value, "reject") == 0) {
        t->loss = PARLEY_LOSS_REJECT;
        return 0;
    }

    if (strcmp(value, "ignore") == 0) {
        t->loss = PARLEY_LOSS_IGNORE;
        return 0;
    }

    tool_say_usage(tool, "--loss is report, reject or ignore, not \"%s\"",
                   value);
    return -1;
}


static int
tool_translate_directory(parley_tool_t *tool, parley_translate_t *t)
{
    const char  *path;

    path = tool_option(tool, "identities");

    if (path != NULL
        && tool_file_identities(tool, path, &t->directory) != 0)
    {
        return -1;
    }

    t->who.directory = t->directory;

    return 0;
}


static int
tool_translate_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    char                 field[PARLEY_POINTER_MAX];
    parley_loss_t        loss;
    parley_encoded_t     out;
    parley_translate_t  *t = ctx;

    if (tool_message_decode(tool, in, &t->m) != 0) {
        return tool_output_error(tool, in);
    }

    parley_who_about(&t->who, in->arena, &t->m.msg);
    t->seal.arena = in->arena;
    parley_who_opts(&t->who, &t->opts);
    parley_seal_opts(&t->seal, &t->opts);

    if (tool_translate_submit(in, t) != 0) {
        return tool_output_error(tool, in);
    }

    parley_loss_init(&loss, in->arena);

    if (parley_encode(t->m.engine, in->arena, t->to, &t->m.msg, &t->opts,
                      &out, &loss, &in->err)
        != 0
        || parley_encode_id(t->m.engine, in->arena, t->to, &t->m.msg, &out,
                            &in->err)
           != 0)
    {
        return tool_output_error(tool, in);
    }

    if (loss.failed) {
        (void) parley_error_memory(&in->err);
        return tool_output_error(tool, in);
    }

    if (t->loss == PARLEY_LOSS_IGNORE) {
        parley_loss_init(&loss, in->arena);

    } else if (t->loss == PARLEY_LOSS_REJECT && loss.count > 0) {
        (void) snprintf(field, sizeof(field), "%.*s",
                        (int) loss.items[0].len,
                        (const char *) loss.items[0].data);
        (void) parley_error_set(&in->err, PARLEY_E_TRANSLATION_LOSSY, field,
                                "%u member%s cannot be carried", loss.count,
                                loss.count == 1 ? "" : "s");
        return tool_output_error(tool, in);
    }

    if (t->render && tool_translate_render(in, t, &out) != 0) {
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_translate_json(in, t, &out, &loss);

    } else {
        tool_output_line(out.body);
        tool_translate_scope(in, out.scope);
        tool_translate_loss(in, &loss);
    }

    return PARLEY_EXIT_OK;
}


static int
tool_translate_submit(parley_input_t *in, parley_translate_t *t)
{
    parley_msg_t         *msg;
    parley_submission_t   submission;

    msg = &t->m.msg;
    submission = t->submission;

    if (submission.sender.len == 0) {
        submission.sender = msg->sender;
    }

    if (parley_who_submission(&t->who, &submission, &in->err) != 0) {
        return -1;
    }

    return parley_submit(in->arena, msg, &submission, &in->err);
}


/* Renders a translated message as text, and puts it into out in its place. */

static int
tool_translate_render(parley_input_t *in, const parley_translate_t *t,
    parley_encoded_t *out)
{
    int            rc;
    parley_buf_t   b;
    parley_msg_t   made;
    parley_json_t  doc;

    if (parley_read_again(&doc, in->arena, t->m.msg.doc->seed, out->body,
                          &in->err)
        != 0
        || parley_decode(t->m.engine, in->arena, t->to, &doc, 0, &made,
                         &in->err)
           != 0)
    {
        return -1;
    }

    parley_buf_init(&b, in->arena, 0);
    rc = parley_codecs[t->to]->render(&b, &made);

    if (rc > 0) {
        return parley_error_set(&in->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                "/method", "only an event, chat/deliver, has "
                                "a text for a model");
    }

    if (b.len > 0 && b.data[b.len - 1] == '\n') {
        b.len--;
    }

    return rc == 0 && parley_buf_done(&b, &out->body) == 0
           ? 0 : parley_error_memory(&in->err);
}


static void
tool_translate_json(parley_input_t *in, const parley_translate_t *t,
    const parley_encoded_t *out, const parley_loss_t *loss)
{
    uint32_t      i;
    parley_buf_t  b;

    tool_output_begin(&b, in, 1);
    parley_buf_member(&b, PARLEY_STR("from"),
                      parley_proto_name(t->m.msg.wire));
    parley_buf_member(&b, PARLEY_STR("to"), parley_proto_name(t->to));
    parley_buf_member(&b, PARLEY_STR("id"), out->id);
    parley_buf_member(&b, PARLEY_STR("corr"), out->corr);

    if (out->scope.len > 0) {
        parley_buf_member(&b, PARLEY_STR("scope"), out->scope);
    }

    parley_buf_name(&b, PARLEY_STR("loss"));
    parley_buf_octet(&b, '[');

    for (i = 0; i < loss->nitems; i++) {
        if (i > 0) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_json_string(&b, loss->items[i]);
    }

    parley_buf_octet(&b, ']');
    parley_buf_name(&b, PARLEY_STR("message"));
    parley_buf_str(&b, out->body);
    tool_output_end(&b);
}


/* Prints the scope: it is not in the frame, so the submission must have it. */

static void
tool_translate_scope(const parley_input_t *in, parley_str_t scope)
{
    char  where[32];

    if (scope.len > 0) {
        tool_translate_where(in, where, sizeof(where));
        tool_say("%s%s: to be submitted with scope=%.*s", in->name, where,
                 (int) scope.len, (const char *) scope.data);
    }
}


static void
tool_translate_loss(const parley_input_t *in, const parley_loss_t *loss)
{
    char      where[32];
    uint32_t  i;

    tool_translate_where(in, where, sizeof(where));

    for (i = 0; i < loss->nitems; i++) {
        tool_say("%s%s: lost %.*s", in->name, where,
                 (int) loss->items[i].len,
                 (const char *) loss->items[i].data);
    }

    if (loss->count > loss->nitems) {
        tool_say("%s%s: lost %u more", in->name, where,
                 loss->count - loss->nitems);
    }
}


static void
tool_translate_where(const parley_input_t *in, char *where, size_t size)
{
    where[0] = '\0';

    if (in->line > 0) {
        (void) snprintf(where, size, ":%zu", in->line);
    }
}
