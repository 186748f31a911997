/*
 * A protocol for one test, with the smallest possible codec.
 *
 *     {"toy": "1", "id": "toy-0001", "kind": "ask", "who": "robot/x1",
 *      "whom": "robot/x2", "what": "ops.backup.run", "body": {...}}
 *
 * An answer has the kind "done" or "broken"; "re" is the id of its request.
 */

#include "translate/parley_embed.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"


typedef struct {
    parley_str_t  name;
    parley_str_t  intent;
} parley_toy_kind_t;


static int parley_toy_detect(const parley_json_t *doc);
static int parley_toy_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc, int mve5,
    parley_msg_t *msg, parley_error_t *err);
static int parley_toy_act(parley_str_t form, parley_act_t *ret);
static int parley_toy_fill(parley_arena_t *arena, parley_msg_t *msg);
static int parley_toy_says(parley_msg_t *msg);
static int parley_toy_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);
static parley_str_t parley_toy_type(unsigned i);
static void parley_toy_residue(const parley_msg_t *m, parley_loss_t *loss);
static int parley_toy_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);
static void parley_toy_lost(const parley_msg_t *m, parley_loss_t *loss);
static int parley_toy_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);
static int parley_toy_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err);
static int parley_toy_refuse(parley_arena_t *arena,
    const parley_refusal_t *refusal, parley_reply_t *ret);


static const parley_str_t  parley_toy_prefixes[PARLEY_NAME_KINDS] = {
    [PARLEY_NAME_AGENT] = parley_str("robot/"),
    [PARLEY_NAME_HUMAN] = parley_str("person/"),
    [PARLEY_NAME_SERVICE] = parley_str("engine/"),
    [PARLEY_NAME_GROUP] = parley_str("club/"),
};

static const parley_name_syntax_t  parley_toy_syntax = {
    .parse = parley_name_parse_prefixed,
    .format = parley_name_format_prefixed,
    .prefixes = parley_toy_prefixes,
    .human = 'p',
    .group = 'c',
};


static const parley_str_t  parley_toy_methods[] = {
    parley_str("POST"), parley_str("PUT"), parley_str("")
};

static const parley_binding_t  parley_toy_binding = {
    .methods = parley_toy_methods,
    .media_type = parley_str("application/json"),
    .single = 1,
};


static const parley_plain_t  parley_toy_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_who, NULL },
    { PARLEY_ATOM_whom, NULL },
    { PARLEY_ATOM_what, NULL },
    { PARLEY_ATOM_re, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

/* indexed by parley_act_t */
static const parley_toy_kind_t  parley_toy_kinds[] = {
    [PARLEY_ACT_REQUEST] = { parley_str("ask"), parley_str("toy.ask") },
    [PARLEY_ACT_REPLY] = { parley_str("done"), parley_str("toy.done") },
    [PARLEY_ACT_FAILURE] = { parley_str("broken"), parley_str("toy.broken") },
    [PARLEY_ACT_EVENT] = { parley_str("tell"), parley_str("toy.tell") },
};


extern const parley_codec_t  parley_toy_codec;

const parley_codec_t  parley_toy_codec = {
    .proto = PARLEY_PROTO_TOY,
    .binding = &parley_toy_binding,
    .syntax = &parley_toy_syntax,
    .schema = parley_str("urn:parley:schema:toy-1"),
    .discriminator = PARLEY_ATOM_toy,

    .pointers[PARLEY_MSG_FORM] = "/kind",
    .pointers[PARLEY_MSG_ID] = "/id",
    .pointers[PARLEY_MSG_SENDER] = "/who",
    .pointers[PARLEY_MSG_RECIPIENT] = "/whom",
    .pointers[PARLEY_MSG_INTENT] = "/kind",
    .pointers[PARLEY_MSG_REPLY_TO] = "/re",
    .pointers[PARLEY_MSG_DATA] = "/body",

    .names = parley_toy_names,

    .detect = parley_toy_detect,
    .decode = parley_toy_decode,
    .payload = parley_toy_says,
    .submit = parley_toy_submit,
    .type = parley_toy_type,
    .unmapped = parley_toy_residue,
    .encode = parley_toy_encode,
    .direction = parley_embed_direction,
    .answer_decode = parley_toy_answer_decode,
    .answer_encode = parley_toy_answer_encode,
    .refuse = parley_toy_refuse,
};


static int
parley_toy_detect(const parley_json_t *doc)
{
    return parley_json_type(doc, 0) == PARLEY_JSON_OBJECT
           && parley_json_member(doc, 0, PARLEY_ATOM_toy) != PARLEY_JSON_NONE
           ? 100 : 0;
}


static int
parley_toy_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    (void) mve5;

    if (parley_validate(engine, PARLEY_PROTO_TOY, doc, err) != 0) {
        return -1;
    }

    return parley_toy_fill(arena, msg) == 0 ? 0 : parley_error_memory(err);
}


/*
 * Fills in the fields of a message.  The intent follows from the kind; "what"
 * is a member of the message.
 */

static int
parley_toy_fill(parley_arena_t *arena, parley_msg_t *msg)
{
    size_t                i;
    uint32_t              what;
    const parley_json_t  *doc = msg->doc;

    const struct {
        parley_atom_t   name;
        parley_str_t   *ret;
    } members[] = {
        { PARLEY_ATOM_id, &msg->id },
        { PARLEY_ATOM_kind, &msg->form },
        { PARLEY_ATOM_who, &msg->sender },
        { PARLEY_ATOM_whom, &msg->recipient },
        { PARLEY_ATOM_re, &msg->reply_to },
    };

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (parley_msg_string(doc, parley_json_member(doc, 0,
                                                      members[i].name),
                              members[i].ret)
            != 0)
        {
            return -1;
        }
    }

    (void) parley_toy_act(msg->form, &msg->act);
    msg->intent = parley_toy_kinds[msg->act].intent;
    msg->corr = msg->reply_to.len > 0 ? msg->reply_to : msg->id;
    msg->data.doc = doc;
    msg->data.node = parley_json_member(doc, 0, PARLEY_ATOM_body);

    what = parley_json_member(doc, 0, PARLEY_ATOM_what);

    if (what == PARLEY_JSON_NONE) {
        return 0;
    }

    msg->members = parley_arena_alloc(arena, sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    msg->nmembers = 1;
    msg->members[0].name = PARLEY_STR("what");
    msg->members[0].value.doc = doc;
    msg->members[0].value.node = what;

    return 0;
}


static int
parley_toy_act(parley_str_t form, parley_act_t *ret)
{
    size_t  i;

    for (i = 0; i < sizeof(parley_toy_kinds) / sizeof(parley_toy_kinds[0]);
         i++)
    {
        if (parley_str_eq(form, parley_toy_kinds[i].name)) {
            *ret = (parley_act_t) i;
            return 0;
        }
    }

    return -1;
}


static int
parley_toy_says(parley_msg_t *msg)
{
    (void) parley_toy_act(msg->form, &msg->act);

    return 0;
}


/* Sets the time from the submission: a message has no time of its own. */

static int
parley_toy_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
{
    (void) arena;
    (void) err;

    msg->created_ms = submission->ms;

    return 0;
}


static parley_str_t
parley_toy_type(unsigned i)
{
    return i < sizeof(parley_toy_kinds) / sizeof(parley_toy_kinds[0])
           ? parley_toy_kinds[i].name : parley_str_none;
}


static void
parley_toy_residue(const parley_msg_t *m, parley_loss_t *loss)
{
    if (m->nmembers > 0) {
        parley_loss_known(loss, PARLEY_STR("/what"));
    }
}


static int
parley_toy_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    uint32_t      i;
    parley_buf_t  b;
    parley_str_t  who, whom;

    (void) engine;

    if (m->act == PARLEY_ACT_PROGRESS) {
        return parley_error_set(err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "Toy knows no progress");
    }

    if (parley_name_translate(arena, opts, m, m->sender, PARLEY_MSG_SENDER,
                              PARLEY_PROTO_TOY, &who, err)
        != 0
        || parley_name_translate(arena, opts, m, m->recipient,
                                 PARLEY_MSG_RECIPIENT, PARLEY_PROTO_TOY,
                                 &whom, err)
           != 0)
    {
        return -1;
    }

    parley_buf_init(&b, arena, 0);

    parley_buf_lit(&b, "{\"toy\":\"1\"");
    parley_buf_member(&b, PARLEY_STR("id"), m->id);
    parley_buf_member(&b, PARLEY_STR("kind"), parley_toy_kinds[m->act].name);
    parley_buf_member(&b, PARLEY_STR("who"), who);
    parley_buf_member(&b, PARLEY_STR("whom"), whom);

    if (m->reply_to.len > 0) {
        parley_buf_member(&b, PARLEY_STR("re"), m->reply_to);
    }

    if (m->origin == PARLEY_PROTO_TOY) {

        for (i = 0; i < m->nmembers; i++) {
            parley_buf_octet(&b, ',');
            parley_embed_member(&b, &m->members[i]);
        }

    } else {
        parley_buf_member(&b, PARLEY_STR("what"), m->intent);
        parley_toy_lost(m, loss);
    }

    parley_buf_lit(&b, ",\"body\":");
    parley_embed_payload(&b, m, PARLEY_ATOM_NONE);
    parley_buf_octet(&b, '}');

    ret->id = m->id;
    ret->corr = m->id;
    ret->answerable = m->act == PARLEY_ACT_REQUEST;

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(err);
}


static void
parley_toy_lost(const parley_msg_t *m, parley_loss_t *loss)
{
    parley_loss_at(loss, m, PARLEY_MSG_CREATED);

    if (!parley_str_eq(m->corr, m->id)) {
        parley_loss_at(loss, m, PARLEY_MSG_CORR);
    }

    parley_loss_at(loss, m, PARLEY_MSG_PRIORITY);

    if (m->timeout_ms >= 0) {
        parley_loss_at(loss, m, PARLEY_MSG_TIMEOUT);
    }

    if (m->origin == m->wire && parley_codecs[m->wire]->unmapped != NULL) {
        parley_codecs[m->wire]->unmapped(m, loss);
    }
}


/* Decodes {"took": true}, {"no": "rate-limited"} or a message. */

static int
parley_toy_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    parley_msg_t         *m = &answer->msg;
    const parley_json_t  *doc = &answer->doc;

    if (parley_json_member(doc, 0, PARLEY_ATOM_toy) == PARLEY_JSON_NONE) {

        if (answer->status >= 300) {
            answer->kind = PARLEY_ANSWER_REFUSED;
            return parley_msg_string(doc, parley_json_get(doc, 0,
                                                          PARLEY_STR("no")),
                                     &answer->code)
                   == 0 ? 0 : parley_error_memory(err);
        }

        return 0;
    }

    if (parley_decode(engine, arena, PARLEY_PROTO_TOY, doc, 0, m, err) != 0) {
        return -1;
    }

    if (!parley_str_eq(m->reply_to, sent->id)) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/re",
                                "/re is not what was sent");
    }

    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


static int
parley_toy_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_encoded_t      made;
    parley_encode_opts_t  answering;

    (void) now_ms;

    ret->status = answer->kind == PARLEY_ANSWER_REFUSED ? answer->status : 200;
    ret->content_type = parley_toy_binding.media_type;
    ret->body = answer->kind == PARLEY_ANSWER_REFUSED
                ? PARLEY_STR("{\"no\":\"refused\"}")
                : PARLEY_STR("{\"took\":true}");

    if (answer->kind != PARLEY_ANSWER_MESSAGE) {
        return 0;
    }

    answering = *opts;
    answering.answering = request;

    if (parley_encode(engine, arena, PARLEY_PROTO_TOY, &answer->msg,
                      &answering, &made, loss, err)
        != 0)
    {
        return -1;
    }

    ret->body = made.body;

    return 0;
}


static int
parley_toy_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("no"),
                      parley_error_info(refusal->error->code)->word);
    parley_buf_member(&b, PARLEY_STR("why"),
                      parley_str_c(refusal->error->text));
    parley_buf_octet(&b, '}');

    ret->content_type = parley_toy_binding.media_type;

    return parley_buf_done(&b, &ret->body);
}
