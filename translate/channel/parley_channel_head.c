/*
 * Fills the envelope of a frame that a translation makes: identifiers, handles,
 * scope, time and attribution.
 */

#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_scope.h"
#include "translate/channel/parley_channel_verb.h"
#include "core/parley_id.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"
#include "core/parley_time.h"


static int parley_channel_head_ids(parley_channel_encode_t *e);
static int parley_channel_head_question(parley_channel_encode_t *e);
static int parley_channel_head_uuid(parley_channel_encode_t *e,
    const parley_msg_t *of, parley_str_t id, parley_str_t purpose,
    parley_str_t *ret);
static int parley_channel_head_sender(parley_channel_encode_t *e);
static int parley_channel_head_owner(parley_channel_encode_t *e,
    parley_str_t owner);
static int parley_channel_head_is_called(parley_channel_encode_t *e,
    parley_str_t instrument);
static int parley_channel_head_handle(parley_channel_encode_t *e,
    parley_str_t name, parley_msg_field_t field, parley_str_t *ret);
static int parley_channel_head_recipient(parley_channel_encode_t *e);
static int parley_channel_head_scope(parley_channel_encode_t *e);
static int parley_channel_head_time(parley_channel_encode_t *e);
static int parley_channel_head_tier(parley_channel_encode_t *e);
static int parley_channel_head_attribution(parley_channel_encode_t *e);
static int parley_channel_head_field(parley_channel_encode_t *e,
    parley_str_t name, parley_str_t *ret);


int
parley_channel_head(parley_channel_encode_t *e)
{
    if (parley_channel_head_ids(e) != 0
        || parley_channel_head_sender(e) != 0
        || parley_channel_head_recipient(e) != 0
        || parley_channel_head_scope(e) != 0
        || parley_channel_head_time(e) != 0)
    {
        return -1;
    }

    return parley_channel_head_attribution(e);
}


static int
parley_channel_head_ids(parley_channel_encode_t *e)
{
    if (parley_channel_head_uuid(e, e->m, e->m->id, PARLEY_STR("frame_id"),
                                 &e->id)
        != 0)
    {
        return -1;
    }

    return e->native ? 0 : parley_channel_head_question(e);
}


/*
 * Fills the name of the question.  A message asks one question, and its name is
 * derived from the message's id.  An answer has the name of the question that
 * it answers.
 */

static int
parley_channel_head_question(parley_channel_encode_t *e)
{
    parley_str_t         id, purpose;
    const parley_msg_t  *m, *of;

    m = e->m;
    of = m;
    id = m->id;
    purpose = parley_atom_name(e->kind->question);

    if (e->kind->kind == PARLEY_CHANNEL_HANDOVER) {

        if (m->act == PARLEY_ACT_EVENT || m->act == PARLEY_ACT_PROGRESS) {
            return 0;
        }

        purpose = parley_atom_name(PARLEY_ATOM_query_id);

    } else if (e->kind->question == PARLEY_ATOM_NONE) {
        return 0;
    }

    if (m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE) {

        if (e->opts->answering != NULL) {
            of = e->opts->answering;
            id = of->question.len > 0 ? of->question : of->id;

        } else {
            id = m->reply_to.len > 0 ? m->reply_to : m->id;
        }
    }

    return parley_channel_head_uuid(e, of, id, purpose, &e->question);
}


/*
 * Keeps a UUIDv4, and derives one from any other id; equal ids give equal UUIDs
 * (AEE-35).
 */

static int
parley_channel_head_uuid(parley_channel_encode_t *e, const parley_msg_t *of,
    parley_str_t id, parley_str_t purpose, parley_str_t *ret)
{
    *ret = id;

    if (parley_uuid_is(id, 4)) {
        return 0;
    }

    if (parley_uuid_is_any_case(id, 4)) {
        return parley_channel_lower(e->arena, id, ret) == 0
               ? 0 : parley_error_memory(e->err);
    }

    return parley_msg_derive(e->arena, of, 4, id, purpose, ret) == 0
           ? 0 : parley_error_memory(e->err);
}


static int
parley_channel_head_handle(parley_channel_encode_t *e, parley_str_t name,
    parley_msg_field_t field, parley_str_t *ret)
{
    if (parley_name_translate(e->arena, e->opts, e->m, name, field,
                              PARLEY_PROTO_CHANNEL, ret, e->err)
        != 0)
    {
        return -1;
    }

    if (parley_name_is_handle(*ret)) {
        return 0;
    }

    return parley_error_set(e->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                            parley_at(e->m, field).pointer,
                            "this name has no canonical ~handle");
}


/*
 * Fills the recipient.  A group is an organisation: its handle, and all its
 * members as scope.
 */

static int
parley_channel_head_recipient(parley_channel_encode_t *e)
{
    parley_str_t            name;
    const parley_msg_t     *m;
    parley_channel_scope_t  scope;

    m = e->m;

    if (!parley_name_is_group(m->wire, m->recipient)) {
        return parley_channel_head_handle(e, m->recipient,
                                          PARLEY_MSG_RECIPIENT,
                                          &e->recipient);
    }

    if (parley_name_translate(e->arena, e->opts, m, m->recipient,
                              PARLEY_MSG_RECIPIENT, PARLEY_PROTO_CHANNEL,
                              &name, e->err)
        != 0)
    {
        return -1;
    }

    if (parley_channel_scope_parse(name, &scope) != 0) {
        return parley_error_set(e->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(m, PARLEY_MSG_RECIPIENT).pointer,
                                "this name has no canonical ~handle");
    }

    e->recipient = scope.handle;

    return parley_channel_scope_members(e->arena, scope.handle, &e->scope)
           == 0 ? 0 : parley_error_memory(e->err);
}


/* Fills the scope of a frame that was carried. */

static int
parley_channel_head_scope(parley_channel_encode_t *e)
{
    char                    pointer[PARLEY_POINTER_MAX];
    parley_str_t            text;
    parley_json_ref_t       own;
    parley_channel_scope_t  scope;

    own = parley_channel_member(e, PARLEY_STR("scope"));

    if (own.node == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_msg_string(own.doc, own.node, &text) != 0) {
        return parley_error_memory(e->err);
    }

    if (parley_channel_scope_parse(text, &scope) == 0
        && parley_str_eq(scope.handle, e->recipient))
    {
        e->scope = parley_str_eq(text, e->recipient) ? parley_str_none : text;
        return 0;
    }

    (void) parley_json_pointer(own.doc, own.node, pointer, sizeof(pointer));

    return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED, pointer,
                            "%s must be a scope of the recipient", pointer);
}


/* Fills the time as received, or the arrival time if the message has none. */

static int
parley_channel_head_time(parley_channel_encode_t *e)
{
    char                 text[PARLEY_TIME_MAX];
    int64_t              ms;
    const parley_msg_t  *m;

    m = e->m;

    /* A known created_ms was read from created, unless created is empty. */

    if (m->created.len > 0
        && (m->created_ms >= 0 || parley_time_parse(m->created, &ms) == 0))
    {
        e->created = m->created;
        return 0;
    }

    if (m->created.len > 0 || m->created_ms < 0
        || parley_time_format(m->created_ms, text) == 0)
    {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_CREATED).pointer,
                                "agent-channel needs an RFC 3339 timestamp");
    }

    if (parley_arena_str(e->arena, parley_str_c(text), &e->created) != 0) {
        return parley_error_memory(e->err);
    }

    return 0;
}


/*
 * Fills the attribution by the directory (ACH-10).  A frame that was carried
 * may have its own, but not that of another principal.
 */

static int
parley_channel_head_attribution(parley_channel_encode_t *e)
{
    if (parley_channel_head_field(e, PARLEY_STR("acted_by"), &e->acted_by) != 0
        || parley_channel_head_field(e, PARLEY_STR("drafted_with"),
                                     &e->drafted_with)
           != 0)
    {
        return -1;
    }

    if (e->acted_by.len > 0 && e->human.len > 0
        && !parley_str_eq(e->acted_by, e->human))
    {
        return parley_error_set(e->err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                parley_at(e->m, PARLEY_MSG_SENDER).pointer,
                                "the carried acted_by must be the human of the "
                                "sender");
    }

    return parley_channel_head_tier(e);
}


/* Without an entry, the tier of the sender shows a human or an instrument. */

static int
parley_channel_head_tier(parley_channel_encode_t *e)
{
    parley_str_t  human;

    human = e->human.len > 0 || parley_str_begins(e->sender, "~cc-")
            ? e->human : e->sender;

    if (e->acted_by.len == 0) {
        e->acted_by = human;
    }

    if (e->drafted_with.len == 0) {
        e->drafted_with = e->instrument;
    }

    if (e->acted_by.len == 0) {
        return parley_error_set(e->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(e->m, PARLEY_MSG_SENDER).pointer,
                                "agent-channel needs acted_by, and the "
                                "directory lists no human for the sender, "
                                "neither as \"human\" nor as a \"parent\"");
    }

    if (e->drafted_with.len == 0
        && parley_channel_instrument(e->arena, e->sender, &e->drafted_with)
           != 0)
    {
        return parley_error_memory(e->err);
    }

    if (!parley_channel_is_versioned(e->drafted_with)) {
        return parley_error_set(e->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(e->m, PARLEY_MSG_SENDER).pointer,
                                "agent-channel needs drafted_with, and the "
                                "sender's \"instrument\" in the directory is "
                                "not a handle");
    }

    return 0;
}


/*
 * Finds the sender's handle, and its human and instrument in the directory.  A
 * frame that was carried and is from an instrument keeps its handle, which must
 * be that of the instrument's human.
 */

static int
parley_channel_head_sender(parley_channel_encode_t *e)
{
    parley_str_t                 own;
    const parley_encode_opts_t  *opts;

    opts = e->opts;

    if (parley_channel_head_field(e, PARLEY_STR("drafted_with"), &e->instrument)
        != 0
        || parley_channel_head_field(e, PARLEY_STR("sender_handle"), &own) != 0)
    {
        return -1;
    }

    if (opts->attribute != NULL) {
        opts->attribute(opts->resolve_ctx, e->m->wire, e->m->sender, &e->human,
                        &e->instrument);

    } else {
        e->instrument = parley_str_none;
    }

    if (own.len > 0 && e->human.len == 0
        && parley_channel_head_owner(e, own) != 0)
    {
        return parley_error_memory(e->err);
    }

    if (own.len > 0 && parley_str_eq(own, e->human)) {
        e->sender = own;
        return 0;
    }

    if (parley_channel_head_handle(e, e->m->sender, PARLEY_MSG_SENDER,
                                   &e->sender)
        != 0)
    {
        return -1;
    }

    if (own.len == 0 || parley_str_eq(own, e->sender)) {
        return 0;
    }

    return parley_error_set(e->err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_at(e->m, PARLEY_MSG_SENDER).pointer,
                            "the carried sender_handle must be that of the "
                            "sender or of its human");
}


/*
 * Fills the attribution of the handle's owner, if the message is from the
 * instrument that the directory lists for the owner.  A proven sender has its
 * own attribution.  Returns 0, or -1 if memory is exhausted.
 */

static int
parley_channel_head_owner(parley_channel_encode_t *e, parley_str_t owner)
{
    int                          rc;
    parley_str_t                 human, instrument;
    const parley_encode_opts_t  *opts;

    opts = e->opts;

    if (opts->attribute == NULL || opts->principal.len > 0) {
        return 0;
    }

    human = parley_str_none;
    instrument = parley_str_none;

    opts->attribute(opts->resolve_ctx, PARLEY_PROTO_CHANNEL, owner, &human,
                    &instrument);

    if (human.len == 0 || instrument.len == 0) {
        return 0;
    }

    rc = parley_channel_head_is_called(e, instrument);

    if (rc == 1) {
        e->human = human;
        e->instrument = instrument;
    }

    return rc < 0 ? -1 : 0;
}


/*
 * Returns whether the sender's name is that of this instrument in the sender's
 * protocol, or -1 if memory is exhausted.
 */

static int
parley_channel_head_is_called(parley_channel_encode_t *e,
    parley_str_t instrument)
{
    int           rc;
    parley_buf_t  b;
    parley_str_t  name, image;

    name = parley_str_until(parley_str_from(instrument, 1), '@');

    parley_buf_init(&b, e->arena, name.len + 8);
    parley_buf_lit(&b, "agent.");
    parley_buf_str(&b, name);

    if (parley_buf_done(&b, &name) != 0) {
        return -1;
    }

    rc = parley_name_map(e->arena, PARLEY_PROTO_CANONICAL, name, e->m->wire,
                         &image);

    return rc != 0 ? (rc < 0 ? -1 : 0) : parley_str_eq(image, e->m->sender);
}


/* Reads a member of a frame that was carried; empty if it is missing. */

static int
parley_channel_head_field(parley_channel_encode_t *e, parley_str_t name,
    parley_str_t *ret)
{
    parley_json_ref_t  own;

    *ret = parley_str_none;

    own = parley_channel_member(e, name);

    if (own.node == PARLEY_JSON_NONE
        || parley_msg_string(own.doc, own.node, ret) == 0)
    {
        return 0;
    }

    return parley_error_memory(e->err);
}
