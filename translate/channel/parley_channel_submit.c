/*
 * Checks the facts of a frame's submission: the scope, and the attribution of
 * the session.  Reports members without a canonical field as loss.
 */

#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_verb.h"
#include "translate/channel/parley_channel_scope.h"

#include <stdio.h>


static int parley_channel_attributed(const parley_msg_t *msg, uint32_t object,
    const char *prefix, const parley_submission_t *submission,
    parley_error_t *err);
static int parley_channel_drafted(parley_str_t name, const char *prefix,
    const parley_submission_t *submission, parley_error_t *err);
static int parley_channel_is_listed(parley_str_t name,
    const parley_submission_t *submission);
static int parley_channel_is_of_sender(parley_str_t name, parley_str_t sender);
static int parley_channel_group(parley_arena_t *arena, parley_msg_t *msg,
    const parley_channel_scope_t *scope, parley_error_t *err);
static int parley_channel_add_member(parley_arena_t *arena,
    parley_msg_t *msg, parley_str_t name, parley_str_t value,
    parley_error_t *err);


/* pointers of members without a canonical field */
static const parley_str_t  parley_channel_lost[PARLEY_CHANNEL_FIELDS] = {
    [PARLEY_CHANNEL_SENDER] = parley_str("/sender_handle"),
    [PARLEY_CHANNEL_TTL] = parley_str("/ttl_ms"),
    [PARLEY_CHANNEL_ACTED_BY] = parley_str("/acted_by"),
    [PARLEY_CHANNEL_DRAFTED_WITH] = parley_str("/drafted_with"),
    [PARLEY_CHANNEL_LOCATION] = parley_str("/provenance_compute_location"),
    [PARLEY_CHANNEL_METHOD] = parley_str("/provenance_method"),
    [PARLEY_CHANNEL_RETURN_REF] = parley_str("/provenance_return_ref"),
    [PARLEY_CHANNEL_CONTEXT_CHECK] = parley_str(
        "/provenance_context_check"),
    [PARLEY_CHANNEL_BASIS] = parley_str("/provenance_basis"),
};


int
parley_channel_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
{
    parley_channel_scope_t  scope;

    if (parley_channel_attributed(msg, 0, "", submission, err) != 0
        || (parley_str_is(msg->form, "intent_declare")
            && parley_channel_attributed(msg, msg->data.node, "/payload",
                                         submission, err)
               != 0))
    {
        return -1;
    }

    if (msg->author.len > 0 && !msg->held) {
        msg->renamed = 1;

        if (parley_channel_add_member(arena, msg, PARLEY_STR("sender_handle"),
                                      msg->sender, err)
            != 0)
        {
            return -1;
        }
    }

    if (submission->scope.len == 0
        || parley_str_eq(submission->scope, msg->recipient))
    {
        return 0;
    }

    if (parley_channel_scope_parse(submission->scope, &scope) != 0) {
        (void) parley_error_set(err, PARLEY_E_FIELD_INVALID, "scope",
                                "the argument scope must be a recipient scope, "
                                "such as ~alice, ~alice/cc-* or "
                                "org:~acme/members/*");
        err->is_name = 1;
        return -1;
    }

    if (!parley_str_eq(scope.handle, msg->recipient)) {
        (void) parley_error_set(err, PARLEY_E_SCOPE_UNAUTHORISED, "scope",
                                "the argument scope names another handle "
                                "than /recipient_handle");
        err->is_name = 1;
        return -1;
    }

    msg->scope = submission->scope;

    if (parley_channel_group(arena, msg, &scope, err) != 0) {
        return -1;
    }

    if (msg->held || scope.form == PARLEY_CHANNEL_SCOPE_MEMBERS) {
        return 0;
    }

    return parley_channel_add_member(arena, msg, PARLEY_STR("scope"),
                                     msg->scope, err);
}


/*
 * Checks the attribution by the session (ACH-10, SEC-06).  A proven principal
 * without a known human may only act for itself.  Without a proven principal,
 * the endpoint is trusted.
 */

static int
parley_channel_attributed(const parley_msg_t *msg, uint32_t object,
    const char *prefix, const parley_submission_t *submission,
    parley_error_t *err)
{
    char          pointer[PARLEY_POINTER_MAX];
    uint32_t      acted, drafted;
    parley_str_t  human, name;

    acted = parley_json_member(msg->doc, object, PARLEY_ATOM_acted_by);
    drafted = parley_json_member(msg->doc, object, PARLEY_ATOM_drafted_with);

    human = submission->human;

    (void) snprintf(pointer, sizeof(pointer), "%s/acted_by", prefix);

    if (human.len == 0 && submission->owner.len > 0) {
        human = submission->sender;

        if (parley_str_begins(human, "~cc-")) {
            return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                    pointer,
                                    "%s: \"%.*s\" is not a human, and the "
                                    "identities list no human for it, neither "
                                    "as \"human\" nor among its parents",
                                    pointer, (int) human.len,
                                    (const char *) human.data);
        }
    }

    if (human.len > 0 && !parley_json_string_is(msg->doc, acted, human)) {

        return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                pointer,
                                "%s must be the principal of the session, "
                                "\"%.*s\"", pointer,
                                (int) human.len, (const char *) human.data);
    }

    if (parley_msg_string(msg->doc, drafted, &name) != 0) {
        return parley_error_memory(err);
    }

    return parley_channel_drafted(name, prefix, submission, err);
}


/*
 * Checks the instrument: it must be a listed one.  If none is listed, it must
 * be the sender's own; without a proven principal, any instrument of that tier
 * is allowed.
 */

static int
parley_channel_drafted(parley_str_t name, const char *prefix,
    const parley_submission_t *submission, parley_error_t *err)
{
    char          pointer[PARLEY_POINTER_MAX];
    parley_str_t  listed;

    listed = submission->instrument;

    if (parley_channel_is_listed(name, submission)) {
        return 0;
    }

    (void) snprintf(pointer, sizeof(pointer), "%s/drafted_with", prefix);

    if (!parley_str_begins(name, "~cc-")) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "%s must be an instrument: it begins with "
                                "~cc-, or the directory lists it",
                                pointer);
    }

    if (listed.len > 0
        || (submission->owner.len > 0
            && !parley_channel_is_of_sender(name, submission->sender)))
    {
        return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                pointer,
                                "%s must be the instrument of the "
                                "session", pointer);
    }

    return 0;
}


/* Checks whether an instrument, in any version, is listed for the session. */

static int
parley_channel_is_listed(parley_str_t name,
    const parley_submission_t *submission)
{
    size_t  i;

    name = parley_str_until(name, '@');

    if (submission->instrument.len > 0
        && parley_str_eq(name, parley_str_until(submission->instrument, '@')))
    {
        return 1;
    }

    for (i = 0; i < submission->ninstruments; i++) {
        if (parley_str_eq(name,
                          parley_str_until(submission->instruments[i], '@')))
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns whether the instrument belongs to the sender: ~cc-x, in any version,
 * belongs to ~x and to ~cc-x.
 */

static int
parley_channel_is_of_sender(parley_str_t name, parley_str_t sender)
{
    name = parley_str_until(name, '@');

    if (parley_str_eq(name, sender)) {
        return 1;
    }

    return sender.len > 0
           && parley_str_eq(parley_str_from(name, sizeof("~cc-") - 1),
                            parley_channel_instrument_part(sender));
}


/*
 * Fills the group of an organisation, or of a part of one, for other protocols.
 */

static int
parley_channel_group(parley_arena_t *arena, parley_msg_t *msg,
    const parley_channel_scope_t *scope, parley_error_t *err)
{
    if (scope->form != PARLEY_CHANNEL_SCOPE_MEMBERS
        && scope->form != PARLEY_CHANNEL_SCOPE_ROLE
        && scope->form != PARLEY_CHANNEL_SCOPE_ACCORD)
    {
        return 0;
    }

    msg->handle = scope->handle;

    return parley_channel_scope_members(arena, scope->handle, &msg->recipient)
           == 0 ? 0 : parley_error_memory(err);
}


/*
 * Adds a fact that the frame does not contain to the members that others carry.
 */

static int
parley_channel_add_member(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t name, parley_str_t value, parley_error_t *err)
{
    parley_buf_t      b;
    parley_str_t      text;
    parley_json_t    *doc;
    parley_member_t  *members;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));
    members = parley_arena_alloc(arena, (msg->nmembers + 1)
                                        * sizeof(parley_member_t));

    parley_buf_init(&b, arena, value.len + 2);
    parley_buf_json_string(&b, value);

    if (doc == NULL || members == NULL || parley_buf_done(&b, &text) != 0) {
        return parley_error_memory(err);
    }

    if (parley_read_again(doc, arena, msg->doc->seed, text, err) != 0) {
        return -1;
    }

    members[0].name = name;
    members[0].value.doc = doc;
    members[0].value.node = 0;

    memcpy(members + 1, msg->members,
           msg->nmembers * sizeof(parley_member_t));

    msg->members = members;
    msg->nmembers++;

    return 0;
}


/*
 * Reports members without a canonical field.  The text of a translated frame
 * contained all of them except the scope and the lifetime.
 */

void
parley_channel_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    int64_t                 ms;
    uint32_t                i;
    parley_json_ref_t       ttl;
    parley_channel_field_t  field;
    parley_channel_scope_t  scope;

    if (m->scope.len > 0
        && parley_channel_scope_parse(m->scope, &scope) == 0
        && scope.form != PARLEY_CHANNEL_SCOPE_MEMBERS)
    {
        parley_loss_pointer(loss, "/scope");
    }

    if (m->origin != PARLEY_PROTO_CHANNEL) {
        ttl.doc = m->doc;
        ttl.node = parley_json_member(m->doc, 0, PARLEY_ATOM_ttl_ms);

        if (ttl.node != PARLEY_JSON_NONE
            && (parley_json_integer(m->doc, ttl.node, &ms) != 0
                || ms != m->timeout_ms))
        {
            parley_loss_value(loss, ttl);
        }

        return;
    }

    for (i = 0; i < m->nmembers; i++) {
        field = parley_channel_field_of(m->members[i].name);

        /* The only other member is the scope, which is not part of a frame. */

        if (field != PARLEY_CHANNEL_FIELDS) {
            parley_loss_known(loss, parley_channel_lost[field]);
        }
    }
}
