/*
 * Reads the parts of the new frame back that may be invalid.  Thus the frame is
 * valid, and its differences from the message are the loss.
 */

#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_scope.h"
#include "translate/parley_msg_field.h"

#include <stdio.h>


#define PARLEY_CHANNEL_VERSION_MAX  64      /* maximum octets of an instrument's
                                               version */


static int parley_channel_is_sound(const parley_channel_encode_t *e);
static int parley_channel_check_text(parley_channel_encode_t *e,
    parley_encoded_t *ret);
static int parley_channel_check_frame(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_encoded_t *ret);
static int parley_channel_read_frame(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_str_t body, parley_msg_t *back);
static int parley_channel_map_error(parley_channel_encode_t *e);
static int parley_channel_refuse_depth(parley_channel_encode_t *e);
static void parley_channel_compare(parley_channel_encode_t *e,
    const parley_msg_t *back);
static int parley_channel_was_carried(const parley_channel_encode_t *e);
static int parley_channel_same_corr(const parley_channel_encode_t *e,
    const parley_msg_t *back);
static void parley_channel_compare_members(parley_channel_encode_t *e);
static int parley_channel_has_place(const parley_channel_encode_t *e,
    parley_str_t name);
static void parley_channel_compare_references(parley_channel_encode_t *e);
static void parley_channel_compare_data(parley_channel_encode_t *e);


int
parley_channel_check(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_encoded_t *ret)
{
    int  rc;

    rc = parley_channel_is_sound(e)
         ? parley_channel_check_text(e, ret)
         : parley_channel_check_frame(engine, e, ret);

    if (rc != 0) {
        return -1;
    }

    ret->answerable = e->kind->act == PARLEY_ACT_REQUEST;

    parley_channel_compare_members(e);

    if (e->native) {
        parley_channel_compare_references(e);

    } else if (e->m->origin == PARLEY_PROTO_CHANNEL) {
        parley_channel_compare_data(e);
    }

    return 0;
}


/*
 * Returns whether a frame with a text capsule is surely valid, and surely
 * belongs to the session.  Only the directory's facts about the sender may be
 * invalid.
 */

static int
parley_channel_is_sound(const parley_channel_encode_t *e)
{
    return !e->native && e->m->origin != PARLEY_PROTO_CHANNEL
           && parley_name_is_handle(e->acted_by)
           && !parley_str_begins(e->acted_by, "~cc-")
           && parley_channel_is_versioned(e->drafted_with);
}


int
parley_channel_is_versioned(parley_str_t name)
{
    parley_str_t  handle, version;

    handle = parley_str_until(name, '@');

    if (handle.len == name.len) {
        return parley_name_is_handle(name);
    }

    version = parley_str_from(name, handle.len + 1);

    return parley_name_is_handle(handle)
           && version.len <= PARLEY_CHANNEL_VERSION_MAX
           && parley_channel_scope_is_part(version, "+:") == 0;
}


/*
 * Checks a frame that is sound.  Its text contains the whole message; only the
 * deadline may differ.
 */

static int
parley_channel_check_text(parley_channel_encode_t *e, parley_encoded_t *ret)
{
    int                  rc;
    const parley_msg_t  *m;

    m = e->m;

    rc = parley_embed_text_is_whole(&e->text);

    if (rc != 1) {
        return rc < 0 ? parley_error_memory(e->err)
                      : parley_channel_refuse_depth(e);
    }

    ret->corr = e->question;

    if (m->timeout_ms >= 0 && m->timeout_ms != e->text.timeout_ms) {
        parley_loss_at(e->loss, m, PARLEY_MSG_TIMEOUT);
    }

    return 0;
}


/* Checks any other frame: reads it. */

static int
parley_channel_check_frame(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_encoded_t *ret)
{
    parley_msg_t  back, origin;

    if (parley_channel_read_frame(engine, e, ret->body, &back) != 0) {
        return parley_channel_map_error(e);
    }

    if (!e->native && e->m->origin != PARLEY_PROTO_CHANNEL && !back.held) {
        return parley_channel_refuse_depth(e);
    }

    ret->corr = back.corr;

    parley_msg_release(&back, &origin);
    parley_channel_compare(e, &origin);

    return 0;
}


static int
parley_channel_read_frame(const parley_engine_t *engine,
    parley_channel_encode_t *e, parley_str_t body, parley_msg_t *back)
{
    parley_json_t       *doc;
    parley_submission_t  submission;

    doc = parley_arena_alloc(e->arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return parley_error_memory(e->err);
    }

    memset(&submission, 0, sizeof(parley_submission_t));

    submission.scope = e->scope;
    submission.human = e->human;
    submission.instrument = e->instrument;

    if (parley_read_again(doc, e->arena, e->m->doc->seed, body, e->err) != 0
        || parley_decode(engine, e->arena, PARLEY_PROTO_CHANNEL, doc, 0, back,
                         e->err)
           != 0)
    {
        return -1;
    }

    return e->opts->attribute != NULL
           ? parley_submit(e->arena, back, &submission, e->err) : 0;
}


/* Replaces a pointer into the new frame by one into the caller's message. */

static int
parley_channel_map_error(parley_channel_encode_t *e)
{
    char                pointer[2 * PARLEY_POINTER_MAX];
    const char         *field, *rest;
    parley_msg_field_t  of;

    field = e->err->field;

    of = strcmp(field, "/created_at") == 0 ? PARLEY_MSG_CREATED
                                           : PARLEY_MSG_DATA;
    rest = strncmp(field, "/payload", sizeof("/payload") - 1) == 0
           ? field + sizeof("/payload") - 1 : "";

    (void) snprintf(pointer, sizeof(pointer), "%s%s",
                    parley_at(e->m, of).pointer, rest);

    return parley_embed_unsaid(pointer, "in agent-channel", e->err);
}


static int
parley_channel_refuse_depth(parley_channel_encode_t *e)
{
    return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                            parley_at(e->m, PARLEY_MSG_DATA).pointer,
                            "a text cannot carry a payload of this depth");
}


static void
parley_channel_compare(parley_channel_encode_t *e, const parley_msg_t *back)
{
    int                    answers;
    parley_loss_t         *loss;
    const parley_msg_t    *m;

    m = e->m;
    loss = e->loss;
    answers = e->opts->answering != NULL
              && (m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE);

    if (!parley_str_eq(m->intent, back->intent)) {
        parley_loss_at(loss, m, PARLEY_MSG_INTENT);
    }

    if (m->act != back->act) {
        parley_loss_at(loss, m, PARLEY_MSG_FORM);
    }

    if (!answers && !parley_channel_same_corr(e, back)) {
        parley_loss_at(loss, m, PARLEY_MSG_CORR);
    }

    if (!answers && m->reply_to.len > 0 && !parley_channel_was_carried(e)
        && !parley_str_eq(m->reply_to, back->reply_to))
    {
        parley_loss_at(loss, m, PARLEY_MSG_REPLY_TO);
    }

    if (m->priority != back->priority) {
        parley_loss_at(loss, m, PARLEY_MSG_PRIORITY);
    }

    if (m->timeout_ms >= 0 && m->timeout_ms != back->timeout_ms) {
        parley_loss_at(loss, m, PARLEY_MSG_TIMEOUT);
    }
}


/*
 * Returns whether another protocol carried the frame.  The payload then has its
 * correlation and the answered message, independently of that protocol.
 */

static int
parley_channel_was_carried(const parley_channel_encode_t *e)
{
    return e->native && e->m->origin == PARLEY_PROTO_CHANNEL;
}


/*
 * Returns whether the correlation is kept.  A message that begins an exchange
 * has its own id as correlation.
 */

static int
parley_channel_same_corr(const parley_channel_encode_t *e,
    const parley_msg_t *back)
{
    const parley_msg_t  *m;

    m = e->m;

    return m->corr.len == 0
           || parley_channel_was_carried(e)
           || parley_str_eq(m->corr, back->corr)
           || (parley_str_eq(m->corr, m->id)
               && (back->corr.len == 0
                   || parley_str_eq(back->corr, back->id)));
}


/* Reports envelope members without a canonical field. */

static void
parley_channel_compare_members(parley_channel_encode_t *e)
{
    int                  carrier;
    uint32_t             i;
    const parley_msg_t  *m;

    m = e->m;

    carrier = !e->native && m->origin != PARLEY_PROTO_CHANNEL;

    if (m->origin != m->wire || !carrier) {
        parley_codecs[m->wire]->unmapped(m, e->loss);
    }

    if (m->origin == m->wire && !carrier) {
        return;
    }

    for (i = 0; i < m->nmembers; i++) {
        if (!parley_channel_has_place(e, m->members[i].name)) {
            parley_loss_value(e->loss, m->members[i].value);
        }
    }
}


/* Returns whether an envelope member of the origin has a place in the frame. */

static int
parley_channel_has_place(const parley_channel_encode_t *e, parley_str_t name)
{
    size_t  i;

    /* A text capsule has all other members in its line "members". */

    if (!e->native && e->m->origin != PARLEY_PROTO_CHANNEL
        && e->m->origin != PARLEY_PROTO_CANONICAL)
    {
        return 1;
    }

    static const struct {
        parley_str_t    name;
        parley_proto_t  origin;
    } members[] = {
        { parley_str("requires"), PARLEY_PROTO_CANONICAL },
        { parley_str("trace"), PARLEY_PROTO_CANONICAL },
        { parley_str("reply_to"), PARLEY_PROTO_CANONICAL },
        { parley_str("scope"), PARLEY_PROTO_CHANNEL },
        { parley_str("sender_handle"), PARLEY_PROTO_CHANNEL },
        { parley_str("ttl_ms"), PARLEY_PROTO_CHANNEL },
        { parley_str("acted_by"), PARLEY_PROTO_CHANNEL },
        { parley_str("drafted_with"), PARLEY_PROTO_CHANNEL },
        { parley_str("provenance_compute_location"), PARLEY_PROTO_CHANNEL },
        { parley_str("provenance_method"), PARLEY_PROTO_CHANNEL },
        { parley_str("provenance_return_ref"), PARLEY_PROTO_CHANNEL },
        { parley_str("provenance_context_check"), PARLEY_PROTO_CHANNEL },
        { parley_str("provenance_basis"), PARLEY_PROTO_CHANNEL },
    };

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (parley_str_eq(members[i].name, name)) {
            return members[i].origin == e->m->origin
                   && (e->native
                       ? e->m->origin == PARLEY_PROTO_CHANNEL
                       : e->m->origin == PARLEY_PROTO_CANONICAL);
        }
    }

    return 0;
}


/*
 * Reports references as loss.  An AEE payload may have them, an agent-channel
 * payload may not.
 */

static void
parley_channel_compare_references(parley_channel_encode_t *e)
{
    parley_json_ref_t  value;

    if (e->m->carried || e->m->data.node == PARLEY_JSON_NONE) {
        return;
    }

    value.doc = e->m->data.doc;
    value.node = parley_json_member(value.doc, e->m->data.node,
                                    PARLEY_ATOM_references);

    if (value.node != PARLEY_JSON_NONE) {
        parley_loss_value(e->loss, value);
    }
}


/* Reports the members of a payload except its text. */

static void
parley_channel_compare_data(parley_channel_encode_t *e)
{
    uint32_t              k;
    parley_json_ref_t     value;
    const parley_msg_t   *m;
    const parley_json_t  *doc;

    m = e->m;
    doc = m->data.doc;
    value.doc = doc;

    if (m->data.node == PARLEY_JSON_NONE || m->text.len == 0) {
        return;
    }

    for (k = parley_json_first(m->data.node);
         k != parley_json_end(doc, m->data.node);
         k = parley_json_after(doc, k + 1))
    {
        value.node = k + 1;

        if (value.node != m->said[0] && value.node != m->said[1]
            && parley_msg_is_payload(m, k))
        {
            parley_loss_value(e->loss, value);
        }
    }
}
