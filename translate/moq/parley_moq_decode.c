#include <stdio.h>

#include "translate/moq/parley_moq.h"


#define PARLEY_MOQ_STREAM_MAX  16   /* maximum octets of a Stream ID and its
                                       colons */
#define PARLEY_MOQ_FIELD_MAX   32   /* and of the pointer of a sender */


static int parley_moq_refuse_status(const parley_msg_t *msg,
    parley_error_t *err);
static int parley_moq_fill_payload(parley_msg_t *msg);
static int parley_moq_fill_act(parley_msg_t *msg, parley_json_ref_t status,
    parley_json_ref_t code);
static int parley_moq_fill_code(parley_msg_t *msg, parley_moq_status_t status,
    parley_json_ref_t code);
static int parley_moq_fill_text(parley_msg_t *msg);
static int parley_moq_fill_names(parley_msg_t *msg);
static int parley_moq_fill_members(parley_arena_t *arena, parley_msg_t *msg);
static int parley_moq_check_capsules(const parley_msg_t *msg,
    parley_error_t *err);


int
parley_moq_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    (void) mve5;

    if (parley_moq_read(engine, arena, doc, msg, err) != 0) {
        return -1;
    }

    return parley_moq_identify(arena, msg) == 0 ? 0
                                                : parley_error_memory(err);
}


int
parley_moq_read(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, parley_msg_t *msg, parley_error_t *err)
{
    if (parley_moq_peek(msg) != 0) {
        return parley_error_memory(err);
    }

    if (parley_validate(engine, PARLEY_PROTO_MOQ, doc, err) != 0
        || parley_moq_refuse_status(msg, err) != 0)
    {
        return -1;
    }

    return parley_moq_fill(arena, msg) == 0 ? 0 : parley_error_memory(err);
}


/*
 * Checks the status.  A command with a status is not a request, so that an
 * unknown word must not be read as one.
 */

static int
parley_moq_refuse_status(const parley_msg_t *msg, parley_error_t *err)
{
    uint32_t  value;

    value = parley_json_member(msg->doc, 0, PARLEY_ATOM_status);

    if (value == PARLEY_JSON_NONE || msg->local
        || parley_moq_status(msg->doc, value) != PARLEY_MOQ_UNSAID)
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, "/status",
                            "/status must be one of \"approved\", \"denied\", "
                            "\"error\", \"accepted\", \"pending\", "
                            "\"working\"");
}


int
parley_moq_peek(parley_msg_t *msg)
{
    parley_buf_t          b;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, parley_json_member(doc, 0, PARLEY_ATOM_action),
                          &msg->form)
        != 0
        || parley_msg_string(doc, parley_json_member(doc, 0,
                                                     PARLEY_ATOM_session_id),
                             &msg->corr)
           != 0)
    {
        return -1;
    }

    if (msg->form.len == 0) {
        return 0;
    }

    msg->local = parley_moq_is_local(msg->form) != 0;

    parley_buf_init(&b, doc->arena, msg->form.len + 16);
    parley_buf_lit(&b, PARLEY_MOQ_INTENT);
    parley_buf_str(&b, msg->form);

    return parley_buf_done(&b, &msg->intent);
}


int
parley_moq_fill(parley_arena_t *arena, parley_msg_t *msg)
{
    parley_json_ref_t     status, code;
    const parley_json_t  *doc;

    doc = msg->doc;

    status.doc = doc;
    status.node = parley_json_member(doc, 0, PARLEY_ATOM_status);
    code.doc = doc;
    code.node = parley_json_member(doc, 0, PARLEY_ATOM_error_code);

    if (parley_moq_fill_payload(msg) != 0
        || parley_moq_fill_act(msg, status, code) != 0)
    {
        return -1;
    }

    if (msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE) {
        msg->reply_to = msg->corr;

        if (parley_moq_fill_names(msg) != 0) {
            return -1;
        }
    }

    return parley_moq_fill_members(arena, msg) == 0
           ? parley_embed_read(arena, msg) : -1;
}


/* The members of a carried command have its status. */

int
parley_moq_says(parley_msg_t *msg)
{
    return parley_moq_fill_text(msg) == 0
           ? parley_moq_fill_act(msg,
                                 parley_embed_find(msg, PARLEY_STR("status")),
                                 parley_embed_find(msg,
                                                   PARLEY_STR("error_code")))
           : -1;
}


/*
 * Reads the payload, which may be any value.  An object with members is the
 * data.  Any other value, and an empty object, is kept as a member of the
 * envelope, so that a missing payload, null and {} stay different.
 */

static int
parley_moq_fill_payload(parley_msg_t *msg)
{
    uint32_t              payload;
    const parley_json_t  *doc;

    doc = msg->doc;
    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);

    if (payload == PARLEY_JSON_NONE
        || parley_json_type(doc, payload) != PARLEY_JSON_OBJECT
        || parley_json_node(doc, payload)->count == 0)
    {
        return 0;
    }

    msg->data.doc = doc;
    msg->data.node = payload;

    return parley_moq_fill_text(msg);
}


static int
parley_moq_fill_text(parley_msg_t *msg)
{
    uint32_t  text;

    if (msg->data.node == PARLEY_JSON_NONE) {
        return 0;
    }

    text = parley_json_member(msg->data.doc, msg->data.node, PARLEY_ATOM_text);

    if (parley_msg_string(msg->data.doc, text, &msg->text) != 0) {
        return -1;
    }

    if (msg->text.len > 0) {
        msg->said[0] = text;
    }

    return 0;
}


/*
 * Reads the id of the answered command from the payload, because several
 * commands of a session may be open.
 */

static int
parley_moq_fill_names(parley_msg_t *msg)
{
    uint32_t  value;

    if (msg->data.doc == NULL) {
        return 0;
    }

    value = parley_json_get(msg->data.doc, msg->data.node,
                            PARLEY_STR("in_reply_to"));

    return parley_msg_string(msg->data.doc, value, &msg->names);
}


/*
 * Fills the act, and the code and the alarm of a failure.  A command that was
 * denied does not report a problem.
 */

static int
parley_moq_fill_act(parley_msg_t *msg, parley_json_ref_t status,
    parley_json_ref_t code)
{
    parley_moq_status_t  word;

    word = parley_moq_status(status.doc, status.node);

    switch (word) {

    case PARLEY_MOQ_APPROVED:
        msg->act = PARLEY_ACT_REPLY;
        return 0;

    case PARLEY_MOQ_DENIED:
        msg->act = PARLEY_ACT_FAILURE;
        return parley_moq_fill_code(msg, word, code);

    case PARLEY_MOQ_ERROR:
        msg->act = PARLEY_ACT_FAILURE;
        msg->alarm = PARLEY_SEVERITY_WARNING;
        return parley_moq_fill_code(msg, word, code);

    case PARLEY_MOQ_ACCEPTED:
    case PARLEY_MOQ_PENDING:
    case PARLEY_MOQ_WORKING:
        msg->act = PARLEY_ACT_PROGRESS;
        return 0;

    default: /* PARLEY_MOQ_UNSAID */
        msg->act = PARLEY_ACT_REQUEST;
        return 0;
    }
}


/*
 * Fills the code: "E_403", or one from the status if the command has no number.
 */

static int
parley_moq_fill_code(parley_msg_t *msg, parley_moq_status_t status,
    parley_json_ref_t code)
{
    int64_t       n;
    parley_buf_t  b;

    msg->retryable = 0;

    if (code.node == PARLEY_JSON_NONE
        || parley_json_type(code.doc, code.node) != PARLEY_JSON_NUMBER
        || parley_json_integer(code.doc, code.node, &n) != 0 || n < 0)
    {
        msg->code = status == PARLEY_MOQ_DENIED ? PARLEY_STR("E_DENIED")
                                                : PARLEY_STR("E_FAILED");
        return 0;
    }

    msg->retryable = n == 429 || (n >= 500 && n <= 599 && n != 501);

    parley_buf_init(&b, msg->doc->arena, 24);
    parley_buf_lit(&b, "E_");
    parley_buf_int(&b, n);

    return parley_buf_done(&b, &msg->code);
}


/*
 * Keeps session_id, status and error_code as received.  Their canonical fields
 * need not contain them exactly.
 */

static int
parley_moq_fill_members(parley_arena_t *arena, parley_msg_t *msg)
{
    parley_json_ref_t  command;

    const parley_atom_t  taken[PARLEY_EMBED_TAKEN] = {
        PARLEY_ATOM_action,
        PARLEY_ATOM_auth_token,
        msg->data.node != PARLEY_JSON_NONE ? PARLEY_ATOM_payload
                                           : PARLEY_ATOM_NONE
    };

    command.doc = msg->doc;
    command.node = 0;

    return parley_embed_members(arena, msg, command, taken);
}


/*
 * Derives an id, because commands have none.  Equal commands in a session have
 * equal ids, so that a repetition is detected.  The id does not depend on the
 * credential.
 */

int
parley_moq_identify(parley_arena_t *arena, parley_msg_t *msg)
{
    if (parley_embed_digest(arena, msg, &msg->digest) != 0) {
        return -1;
    }

    return parley_msg_derive(arena, msg, 8, msg->corr, msg->digest, &msg->id);
}


/*
 * Adds the facts of the session to a command.  The sender is the authenticated
 * party, even if the command carries a message with another sender.
 */

int
parley_moq_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
{
    parley_buf_t  b;
    parley_str_t  purpose;

    if (submission->sender.len > 0) {
        msg->sender = submission->sender;

        if (parley_moq_check_capsules(msg, err) != 0) {
            return -1;
        }
    }

    if (msg->recipient.len == 0) {
        msg->recipient = submission->recipient;
    }

    if (msg->created.len == 0 && submission->ms > 0) {
        msg->created_ms = submission->ms;
    }

    parley_buf_init(&b, arena, submission->session.len
                               + PARLEY_MOQ_STREAM_MAX);
    parley_buf_str(&b, submission->session);
    parley_buf_octet(&b, ':');
    parley_buf_int(&b, submission->stream);

    if (parley_buf_done(&b, &purpose) != 0
        || parley_msg_derive(arena, msg, 8, msg->id, purpose, &msg->id) != 0)
    {
        return parley_error_memory(err);
    }

    if (msg->corr.len == 0) {
        msg->corr = submission->session;

        if (msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE) {
            msg->reply_to = msg->corr;
        }
    }

    return 0;
}


/*
 * Refuses a capsule of another sender that embeds no message (GW-03).  A reader
 * of MoQ gets the command as it was sent, and could take the capsule for one of
 * the gateway.  The sender of an embedded message is that of the command.
 */

static int
parley_moq_check_capsules(const parley_msg_t *msg, parley_error_t *err)
{
    char          field[PARLEY_MOQ_FIELD_MAX];
    unsigned      i;
    uint32_t      capsule, value, members;
    parley_str_t  word, sender;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        capsule = parley_json_member(msg->doc, 0,
                                     parley_proto_atom((parley_proto_t) i));

        if (i == PARLEY_PROTO_MOQ || i == msg->origin
            || capsule == PARLEY_JSON_NONE
            || parley_json_type(msg->doc, capsule) != PARLEY_JSON_OBJECT)
        {
            continue;
        }

        value = parley_json_get(msg->doc, capsule, PARLEY_STR("sender"));

        /* they can have more names of the sender, such as its handle */

        members = parley_json_get(msg->doc, capsule, PARLEY_STR("members"));

        if (members == PARLEY_JSON_NONE
            && (value == PARLEY_JSON_NONE
                || (parley_json_string(msg->doc, value, &sender) == 0
                    && parley_str_eq(sender, msg->sender))))
        {
            continue;
        }

        word = parley_proto_name((parley_proto_t) i);

        (void) snprintf(field, sizeof(field), "/%.*s/%s", (int) word.len,
                        (const char *) word.data,
                        members == PARLEY_JSON_NONE ? "sender" : "members");

        return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH, field,
                                members == PARLEY_JSON_NONE
                                ? "the sender must be the principal of the "
                                  "token"
                                : "only a message that is embedded has "
                                  "members");
    }

    return 0;
}
