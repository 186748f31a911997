/* Runs the engine on a message, and on its translation for the way back. */

#include <string.h>

#include "tools/print_mapping.h"


/* time of each message without one */
#define MAPPING_NOW_MS  1771151580000


static void mapping_opts(mapping_t *t, parley_who_t *who,
    const parley_msg_t *msg, parley_encode_opts_t *opts);
static int mapping_is_exact(mapping_t *t, const mapping_form_t *form,
    mapping_made_t *made);
static int mapping_has(parley_json_ref_t a, parley_json_ref_t b);
static parley_str_t mapping_answer_text(mapping_t *t, parley_proto_t proto,
    const mapping_made_t *made);


void
mapping_translate(mapping_t *t, const mapping_form_t *form,
    parley_proto_t to, mapping_made_t *made)
{
    parley_who_t          who;
    parley_encode_opts_t  opts;

    memset(made, 0, sizeof(mapping_made_t));
    parley_loss_init(&made->loss, &t->arena);
    mapping_opts(t, &who, &form->msg, &opts);

    if (parley_encode(t->engine, &t->arena, to, &form->msg, &opts,
                      &made->made, &made->loss, &made->err)
        != 0)
    {
        made->refused = 1;
        return;
    }

    mapping_json(t, made->made.body, &made->doc);

    if (parley_decode(t->engine, &t->arena, to, &made->doc, 0, &made->msg,
                      &made->err)
        != 0
        || mapping_submit(t, &made->msg, made->made.scope, &made->err) != 0)
    {
        mapping_die("the translation of %s is invalid: %s", form->msg.form.data,
                    made->err.text);
    }

    made->exact = mapping_is_exact(t, form, made);
}


static void
mapping_opts(mapping_t *t, parley_who_t *who, const parley_msg_t *msg,
    parley_encode_opts_t *opts)
{
    memset(who, 0, sizeof(parley_who_t));
    memset(opts, 0, sizeof(parley_encode_opts_t));

    parley_who_about(who, &t->arena, msg);
    who->directory = t->directory;

    parley_who_opts(who, opts);

    opts->self = PARLEY_STR("service.parley");
    opts->context = PARLEY_STR("ops");
    opts->constitution = PARLEY_STR("creed://ops.example/builders@1.0");
    opts->now_ms = MAPPING_NOW_MS;
}


int
mapping_submit(mapping_t *t, parley_msg_t *msg, parley_str_t scope,
    parley_error_t *err)
{
    parley_who_t          who;
    parley_encode_opts_t  opts;
    parley_submission_t   submission;

    memset(&submission, 0, sizeof(parley_submission_t));

    submission.scope = scope;
    submission.sender = msg->sender;
    submission.ms = MAPPING_NOW_MS;

    /* the sender of a message that does not have one */

    if (submission.sender.len == 0) {
        submission.sender = !parley_proto_is_named(msg->wire)
                            ? PARLEY_STR("planner")
                            : PARLEY_STR("agent:planner");
    }

    if (!parley_proto_is_named(msg->wire)) {
        submission.recipient = PARLEY_STR("builder");
        submission.session = PARLEY_STR("0000000000000001");
    }

    mapping_opts(t, &who, msg, &opts);
    if (parley_who_submission(&who, &submission, err) != 0) {
        return -1;
    }

    return parley_submit(&t->arena, msg, &submission, err);
}


static int
mapping_is_exact(mapping_t *t, const mapping_form_t *form,
    mapping_made_t *made)
{
    parley_json_t         doc;
    parley_who_t          who;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encoded_t      back;
    parley_json_ref_t     a, b;
    parley_encode_opts_t  opts;

    parley_error_clear(&err);
    parley_loss_init(&loss, &t->arena);
    mapping_opts(t, &who, &made->msg, &opts);

    if (parley_encode(t->engine, &t->arena, form->msg.wire, &made->msg,
                      &opts, &back, &loss, &err)
        != 0)
    {
        return 0;
    }

    mapping_json(t, back.body, &doc);

    a.doc = &form->doc;
    a.node = 0;
    b.doc = &doc;
    b.node = 0;

    /* the id of a call belongs to the exchange, so it is not compared */

    if (form->msg.wire == PARLEY_PROTO_C2A) {
        a.node = parley_json_member(a.doc, 0, PARLEY_ATOM_params);
        b.node = parley_json_member(b.doc, 0, PARLEY_ATOM_params);
    }

    return mapping_has(a, b) && mapping_has(b, a);
}


/*
 * Returns whether b has each member of a that is not null, with an equal
 * value.
 */

static int
mapping_has(parley_json_ref_t a, parley_json_ref_t b)
{
    uint32_t           k;
    parley_str_t       name;
    parley_json_ref_t  value, other;

    value.doc = a.doc;
    other.doc = b.doc;

    for (k = parley_json_first(a.node);
         k != parley_json_end(a.doc, a.node);
         k = parley_json_after(a.doc, k + 1))
    {
        if (parley_json_type(a.doc, k + 1) == PARLEY_JSON_NULL) {
            continue;
        }

        if (parley_json_string(a.doc, k, &name) != 0) {
            return 0;
        }

        value.node = k + 1;
        other.node = parley_json_get(b.doc, b.node, name);

        if (other.node == PARLEY_JSON_NONE
            || !parley_json_equal(value, other))
        {
            return 0;
        }
    }

    return 1;
}


void
mapping_answer(mapping_t *t, const mapping_form_t *request,
    const mapping_form_t *form, mapping_made_t *made)
{
    parley_str_t          text;
    parley_who_t          who;
    parley_answer_t       answer;
    parley_encode_opts_t  opts;

    memset(made, 0, sizeof(mapping_made_t));
    memset(&answer, 0, sizeof(parley_answer_t));
    parley_loss_init(&made->loss, &t->arena);
    mapping_opts(t, &who, &form->msg, &opts);

    opts.answering = &request->msg;

    answer.kind = PARLEY_ANSWER_MESSAGE;
    answer.status = 200;
    answer.doc = form->doc;
    answer.msg = form->msg;

    parley_engine_answers(&answer.msg, request->msg.approval);

    if (parley_answer_parties(&t->arena, &request->msg, &opts,
                              MAPPING_NOW_MS, &answer.msg, &made->err)
        != 0
        || parley_answer_encode(t->engine, &t->arena, &request->msg, &answer,
                                &opts, MAPPING_NOW_MS, &made->reply,
                                &made->loss, &made->err)
           != 0)
    {
        made->refused = 1;
        return;
    }

    text = mapping_answer_text(t, request->msg.wire, made);

    if (text.len == 0) {
        return;
    }

    mapping_json(t, text, &made->doc);

    if (parley_decode(t->engine, &t->arena, request->msg.wire, &made->doc, 0,
                      &made->msg, &made->err)
        != 0)
    {
        mapping_die("the answer %s is invalid: %s", form->msg.form.data,
                    made->err.text);
    }
}


int
mapping_take(mapping_t *t, const mapping_form_t *form, parley_str_t *ret)
{
    parley_who_t          who;
    parley_loss_t         loss;
    parley_reply_t        reply;
    parley_error_t        err;
    parley_answer_t       answer;
    parley_encode_opts_t  opts;

    memset(&answer, 0, sizeof(parley_answer_t));
    answer.kind = PARLEY_ANSWER_TAKEN;
    answer.status = 200;

    parley_error_clear(&err);
    parley_loss_init(&loss, &t->arena);
    mapping_opts(t, &who, &form->msg, &opts);

    if (parley_answer_encode(t->engine, &t->arena, &form->msg, &answer, &opts,
                             MAPPING_NOW_MS, &reply, &loss, &err)
        != 0)
    {
        mapping_die("%s", err.text);
    }

    *ret = reply.body;

    return reply.status;
}


/*
 * Returns the message in an answer: the body, a member of it, or the message
 * for the caller's stream.  Returns empty text if there is none.
 */

static parley_str_t
mapping_answer_text(mapping_t *t, parley_proto_t proto,
    const mapping_made_t *made)
{
    unsigned       i;
    uint32_t       node;
    parley_buf_t   b;
    parley_str_t   ret;
    parley_json_t  doc;

    static const parley_str_t  places[] = {
        parley_str("/reply"), parley_str("/result/message"),
    };

    if (made->reply.message.len > 0) {
        return made->reply.message;
    }

    if (made->reply.body.len == 0) {
        return parley_str_none;
    }

    mapping_json(t, made->reply.body, &doc);

    for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {

        node = parley_json_resolve(&doc, 0, places[i]);

        if (node == PARLEY_JSON_NONE) {
            continue;
        }

        parley_buf_init(&b, &t->arena, 256);

        if (i == 1) {
            parley_buf_lit(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"1\","
                               "\"method\":\"chat/deliver\",\"params\":");
        }

        parley_buf_value(&b, (parley_json_ref_t) { &doc, node });

        if (i == 1) {
            parley_buf_octet(&b, '}');
        }

        if (parley_buf_done(&b, &ret) != 0) {
            mapping_die("out of memory");
        }

        return ret;
    }

    /* the body itself, if the protocol answers with a message */

    return proto == PARLEY_PROTO_AEE || proto == PARLEY_PROTO_MOQ
           ? made->reply.body : parley_str_none;
}


void
mapping_json(mapping_t *t, parley_str_t text, parley_json_t *doc)
{
    parley_error_t  err;

    parley_error_clear(&err);

    if (parley_json_read(doc, &t->arena, NULL, 1, text, &err) != 0) {
        mapping_die("%s", err.text);
    }
}
