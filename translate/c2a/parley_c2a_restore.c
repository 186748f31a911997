/*
 * A C2A message that comes back from the slot of another protocol.  Its
 * members were written by whoever sent the carrier, so what the carrier's
 * own fields say (who, to whom, how urgent, when) replaces theirs.
 */

#include "parley_c2a.h"
#include "parley_embed.h"
#include "parley_deadline.h"
#include "parley_name.h"
#include "parley_msg_field.h"


#define PARLEY_C2A_FIXED_MAX  2


static int parley_c2a_restored_call(parley_c2a_encode_t *e,
    const parley_c2a_form_info_t *info);
static int parley_c2a_is_own_member(const parley_member_t *member);
static int parley_c2a_is_of_call(const parley_member_t *member,
    parley_str_t tool);
static int parley_c2a_restored_progress(parley_c2a_encode_t *e);
static int parley_c2a_restored_payload(parley_c2a_encode_t *e,
    parley_atom_t skip, parley_str_t *ret);
static void parley_c2a_restored_rest(parley_c2a_encode_t *e,
    parley_c2a_form_t form);
static int parley_c2a_is_envelope(const parley_member_t *member);
static int parley_c2a_restored_event(parley_c2a_encode_t *e);
static int parley_c2a_fix(parley_c2a_encode_t *e,
    const parley_member_t *member, parley_embed_fixed_t *fixed,
    unsigned *ret);
static int parley_c2a_fix_author(parley_c2a_encode_t *e,
    parley_json_ref_t author, parley_embed_fixed_t *fixed);
static int parley_c2a_fix_attention(parley_c2a_encode_t *e,
    parley_json_ref_t attention, parley_embed_fixed_t *fixed);
static int parley_c2a_fix_text(parley_c2a_encode_t *e, parley_atom_t name,
    parley_str_t text, parley_embed_fixed_t *fixed);


int
parley_c2a_write_restored(parley_c2a_encode_t *e)
{
    parley_buf_t                  *b;
    parley_c2a_form_t              form;
    parley_json_ref_t              id;
    const parley_c2a_form_info_t  *info;

    b = &e->b;
    form = parley_c2a_form_find(e->m->form);

    if (form == PARLEY_C2A_FORMS) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(e->m, PARLEY_MSG_INTENT).pointer,
                                "C2A has no such message");
    }

    info = parley_c2a_form_info(form);

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\"");

    id = parley_embed_find(e->m, PARLEY_STR("id"));

    if (id.node != PARLEY_JSON_NONE) {
        parley_buf_lit(b, ",\"id\":");
        parley_buf_value(b, id);
    }

    parley_buf_member(b, PARLEY_STR("method"), info->method);
    parley_buf_lit(b, ",\"params\":");

    if (form == PARLEY_C2A_DELIVER) {
        if (parley_c2a_restored_event(e) != 0) {
            return parley_error_memory(e->err);
        }

    } else if (info->tool) {
        if (parley_c2a_restored_call(e, info) != 0) {
            return parley_error_memory(e->err);
        }

    } else if (form == PARLEY_C2A_PROGRESS && e->asked != NULL) {
        if (parley_c2a_restored_progress(e) != 0) {
            return parley_error_memory(e->err);
        }

    } else {
        parley_embed_payload(b, e->m, PARLEY_ATOM_NONE);
    }

    parley_buf_octet(b, '}');

    parley_c2a_restored_rest(e, form);
    parley_codecs[e->m->wire]->unmapped(e->m, e->loss);

    return 0;
}


/* {"name", "arguments"} and what else such a call may say */

static int
parley_c2a_restored_call(parley_c2a_encode_t *e,
    const parley_c2a_form_info_t *info)
{
    uint32_t                i;
    parley_buf_t           *b;
    parley_str_t            text;
    parley_json_ref_t       name;
    const parley_member_t  *member;

    b = &e->b;
    name = parley_embed_find(e->m, PARLEY_STR("name"));

    if (parley_c2a_restored_payload(e, PARLEY_ATOM_NONE, &text) != 0) {
        return -1;
    }

    parley_buf_lit(b, "{\"name\":");

    if (name.node != PARLEY_JSON_NONE
        && parley_c2a_tool_is(name.doc, name.node, info->form))
    {
        parley_buf_value(b, name);

    } else {
        parley_buf_json_string(b, info->form);
    }

    if (!parley_str_is(text, "{}")
        || parley_embed_find(e->m, PARLEY_STR("arguments")).node
           == PARLEY_JSON_NONE)
    {
        parley_buf_lit(b, ",\"arguments\":");
        parley_buf_str(b, text);
    }

    for (i = 0; i < e->m->nmembers; i++) {
        member = &e->m->members[i];

        if (!parley_c2a_is_own_member(member)) {
            parley_buf_octet(b, ',');
            parley_embed_member(b, member);
        }
    }

    parley_buf_octet(b, '}');

    return 0;
}


/* Whether a call has a place for a member of that value. */

static int
parley_c2a_is_of_call(const parley_member_t *member, parley_str_t tool)
{
    if (parley_str_is(member->name, "name")) {
        return parley_c2a_tool_is(member->value.doc, member->value.node, tool);
    }

    return !parley_str_is(member->name, "arguments")
           || parley_json_type(member->value.doc, member->value.node)
              == PARLEY_JSON_NULL;
}


/* What is said of a call, not in its params as they stand. */

static int
parley_c2a_is_own_member(const parley_member_t *member)
{
    return parley_str_is(member->name, "id")
           || parley_str_is(member->name, "name")
           || parley_str_is(member->name, "arguments");
}


/* Under whatever the one who asked calls it. */

static int
parley_c2a_restored_progress(parley_c2a_encode_t *e)
{
    parley_str_t  text;

    if (parley_c2a_restored_payload(e, PARLEY_ATOM_progressToken, &text) != 0)
    {
        return -1;
    }

    parley_buf_lit(&e->b, "{\"progressToken\":");
    parley_c2a_write_token(e);

    if (text.len > 2) {
        parley_buf_octet(&e->b, ',');
        parley_buf_put(&e->b, text.data + 1, text.len - 2);
    }

    parley_buf_octet(&e->b, '}');

    return 0;
}


static int
parley_c2a_restored_payload(parley_c2a_encode_t *e, parley_atom_t skip,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, e->arena, 0);
    parley_embed_payload(&b, e->m, skip);

    return parley_buf_done(&b, ret);
}


/* Members that such a message has no place for. */

static void
parley_c2a_restored_rest(parley_c2a_encode_t *e, parley_c2a_form_t form)
{
    uint32_t                i;
    const parley_member_t  *member;

    for (i = 0; i < e->m->nmembers; i++) {
        member = &e->m->members[i];

        if (parley_str_is(member->name, "id")
            || (parley_c2a_form_info(form)->tool
                && parley_c2a_is_of_call(member,
                                         parley_c2a_form_info(form)->form)))
        {
            continue;
        }

        if (form != PARLEY_C2A_DELIVER || !parley_c2a_is_envelope(member)) {
            parley_loss_value(e->loss, member->value);
        }
    }
}


/* of the envelope of an event, but not its eventId */

static int
parley_c2a_is_envelope(const parley_member_t *member)
{
    parley_atom_t  atom;

    atom = parley_atom_of(member->name);

    return atom != PARLEY_ATOM_eventId && parley_c2a_envelope[atom];
}


/* The eventId is that of the origin; what is no envelope is the payload. */

static int
parley_c2a_restored_event(parley_c2a_encode_t *e)
{
    uint32_t                i;
    unsigned                n;
    parley_str_t            id, text;
    parley_embed_fixed_t    fixed[PARLEY_C2A_FIXED_MAX];
    const parley_member_t  *member;

    if (parley_c2a_restored_payload(e, PARLEY_ATOM_NONE, &text) != 0
        || parley_embed_origin_id(e->m, &id) != 0)
    {
        return -1;
    }

    parley_buf_lit(&e->b, "{\"eventId\":");
    parley_buf_json_string(&e->b, id);

    for (i = 0; i < e->m->nmembers; i++) {
        member = &e->m->members[i];

        if (!parley_c2a_is_envelope(member)) {
            continue;
        }

        memset(fixed, 0, sizeof(fixed));

        if (parley_c2a_fix(e, member, fixed, &n) != 0) {
            return -1;
        }

        parley_buf_name(&e->b, member->name);
        parley_embed_object(&e->b, member->value, fixed, n);
    }

    if (text.len > 2) {
        parley_buf_octet(&e->b, ',');
        parley_buf_put(&e->b, text.data + 1, text.len - 2);
    }

    parley_buf_octet(&e->b, '}');

    return 0;
}


/* What the outer message decides of a member of the envelope. */

static int
parley_c2a_fix(parley_c2a_encode_t *e, const parley_member_t *member,
    parley_embed_fixed_t *fixed, unsigned *ret)
{
    *ret = 1;

    switch (parley_atom_of(member->name)) {

    case PARLEY_ATOM_author:
        *ret = 2;
        return parley_c2a_fix_author(e, member->value, fixed);

    case PARLEY_ATOM_attention:
        *ret = 2;
        return parley_c2a_fix_attention(e, member->value, fixed);

    case PARLEY_ATOM_target:
        return parley_c2a_fix_text(e, PARLEY_ATOM_recipient, e->recipient,
                                   fixed);

    case PARLEY_ATOM_timing:

        if (e->m->created.len > 0) {
            return parley_c2a_fix_text(e, PARLEY_ATOM_createdAt,
                                       e->m->created, fixed);
        }

        break;

    default:
        break;
    }

    *ret = 0;

    return 0;
}


/* The kind ends at the first colon, or where the author's own does. */

static int
parley_c2a_fix_author(parley_c2a_encode_t *e, parley_json_ref_t author,
    parley_embed_fixed_t *fixed)
{
    size_t          n;
    parley_str_t    kind, sender;
    const uint8_t  *colon;

    sender = e->sender;

    if (parley_msg_string(author.doc,
                          parley_json_member(author.doc, author.node,
                                             PARLEY_ATOM_kind),
                          &kind)
        != 0)
    {
        return -1;
    }

    n = kind.len;

    if (n == 0 || n >= sender.len || sender.data[n] != ':'
        || memcmp(sender.data, kind.data, n) != 0)
    {
        colon = sender.len > 0 ? memchr(sender.data, ':', sender.len) : NULL;
        n = colon != NULL ? (size_t) (colon - sender.data) : sender.len;
    }

    fixed[0].always = 1;
    fixed[1].always = 1;

    return parley_c2a_fix_text(e, PARLEY_ATOM_id,
                               parley_str_from(sender, n + (n < sender.len)),
                               &fixed[0])
           || parley_c2a_fix_text(e, PARLEY_ATOM_kind,
                                  parley_str_make(sender.data, n), &fixed[1])
           ? -1 : 0;
}


/*
 * A deadline is the message's only where somebody has to answer; elsewhere
 * it is the event's own, and so is a number that is none.
 */

static int
parley_c2a_fix_attention(parley_c2a_encode_t *e, parley_json_ref_t attention,
    parley_embed_fixed_t *fixed)
{
    uint32_t              policy, deadline;
    parley_buf_t          ms;
    const parley_json_t  *doc;

    doc = attention.doc;
    policy = parley_json_member(doc, attention.node, PARLEY_ATOM_policy);
    deadline = parley_json_member(doc, attention.node,
                                  PARLEY_ATOM_deadlineMs);

    fixed[0].always = e->m->priority != PARLEY_PRIORITY_NORMAL;

    if (parley_json_string_is(doc, policy, PARLEY_STR("must_respond"))) {

        if (e->m->timeout_ms >= 0) {
            fixed[1].name = PARLEY_ATOM_deadlineMs;
            fixed[1].always = 1;

            parley_buf_init(&ms, e->arena, 0);
            parley_buf_int(&ms, e->m->timeout_ms);

            if (parley_buf_done(&ms, &fixed[1].value) != 0) {
                return -1;
            }

        } else if (parley_deadline(doc, deadline, INT64_MAX) >= 0) {
            fixed[1].name = PARLEY_ATOM_deadlineMs;
        }
    }

    return parley_c2a_fix_text(e, PARLEY_ATOM_priority,
                               parley_priority_name(e->m->priority),
                               &fixed[0]);
}


static int
parley_c2a_fix_text(parley_c2a_encode_t *e, parley_atom_t name,
    parley_str_t text, parley_embed_fixed_t *fixed)
{
    parley_buf_t  b;

    fixed->name = name;

    parley_buf_init(&b, e->arena, text.len + 4);
    parley_buf_json_string(&b, text);

    return parley_buf_done(&b, &fixed->value);
}
