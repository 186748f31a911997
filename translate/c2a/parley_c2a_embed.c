/*
 * Messages in messages.  A message of another protocol is in the content of an
 * event:
 *
 *   {"type": "data", "mediaType": "application/vnd.<x>+json",
 *    "form": "task", "data": {...}, "members": {...},
 *    "reference": {"id", "type", "hash", "locator", "verified"}}
 *
 * members has the envelope members without a field in an event.  For AEE, it
 * also has "intent" and "reply_to"; other intents are "<x>.<form>".
 *
 * A C2A message also returns from the slot of another protocol.  The sender of
 * the carrier wrote its members.  Therefore the carrier's own fields (sender,
 * recipient, urgency, time) replace them.
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_deadline_read.h"
#include "translate/parley_msg_field.h"


/*
 * search for a part: the first that is a whole message, or one that may be one
 */
#define PARLEY_C2A_WHOLE  (-1)
#define PARLEY_C2A_FIRST  0


#define PARLEY_C2A_FIXED_MAX  2


/* result for a member that was carried */
typedef enum {
    PARLEY_C2A_LOST = 0,
    PARLEY_C2A_SAID,            /* another member has its value */
    PARLEY_C2A_WRITTEN
} parley_c2a_restored_t;


static int parley_c2a_part_find(const parley_json_t *doc, uint32_t content,
    int which, parley_c2a_part_t *ret);
static int parley_c2a_part_read(const parley_json_t *doc, uint32_t value,
    parley_c2a_part_t *ret);
static int parley_c2a_part_is_whole(const parley_json_t *doc,
    const parley_c2a_part_t *part);
static int parley_c2a_extract_part(const parley_msg_t *m, uint32_t params,
    const parley_c2a_part_t *part, parley_embed_t *ret);
static int parley_c2a_extract_word(const parley_json_t *doc, uint32_t value,
    parley_atom_t *taken, parley_str_t *ret);
static void parley_c2a_restored_params(parley_c2a_encode_t *e,
    parley_c2a_form_t form, parley_str_t payload);
static parley_c2a_restored_t parley_c2a_restored_member(
    const parley_member_t *member, parley_c2a_form_t form);
static void parley_c2a_fix(parley_c2a_encode_t *e,
    const parley_member_t *member);
static unsigned parley_c2a_fix_author(parley_c2a_encode_t *e,
    parley_json_ref_t author, parley_embed_fixed_t *fixed);
static unsigned parley_c2a_fix_attention(parley_c2a_encode_t *e,
    parley_json_ref_t attention, parley_embed_fixed_t *fixed);
static void parley_c2a_fix_text(parley_c2a_encode_t *e,
    parley_embed_fixed_t *fixed, parley_atom_t name, parley_str_t text,
    int always);


const parley_embed_slot_t  parley_c2a_slot = {
    .proto = PARLEY_PROTO_C2A,
    .says = PARLEY_EMBED_SAYS_UNLESS,
};


int
parley_c2a_part(const parley_json_t *doc, uint32_t content,
    parley_c2a_part_t *ret)
{
    return parley_c2a_part_find(doc, content, PARLEY_C2A_WHOLE, ret);
}


int
parley_c2a_parts(const parley_json_t *doc, uint32_t content, unsigned most,
    parley_error_t *err)
{
    char               pointer[PARLEY_POINTER_MAX];
    parley_c2a_part_t  part;

    if (parley_c2a_part_find(doc, content, PARLEY_C2A_FIRST + (int) most,
                             &part)
        != 0)
    {
        return parley_error_memory(err);
    }

    if (part.node == PARLEY_JSON_NONE) {
        return 0;
    }

    (void) parley_json_pointer(doc, part.node, pointer, sizeof(pointer));

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            most == 0
                            ? "%s carries a message, which is allowed only in "
                              "chat/deliver"
                            : "%s carries a second message, at most one is "
                              "allowed",
                            pointer);
}


/*
 * Finds the first part that is whole, or the part with number which of those
 * with the media type of a protocol's messages.  If it is missing, node is
 * NONE.  Returns 0, or -1 if memory is exhausted.
 */

static int
parley_c2a_part_find(const parley_json_t *doc, uint32_t content, int which,
    parley_c2a_part_t *ret)
{
    uint32_t  i;

    if (content != PARLEY_JSON_NONE
        && parley_json_type(doc, content) == PARLEY_JSON_ARRAY)
    {
        for (i = parley_json_first(content);
             i != parley_json_end(doc, content);
             i = parley_json_after(doc, i))
        {
            if (parley_c2a_part_read(doc, i, ret) != 0) {
                return -1;
            }

            if (ret->proto != PARLEY_PROTO_NONE
                && (which == PARLEY_C2A_WHOLE
                    ? parley_c2a_part_is_whole(doc, ret) : which-- == 0))
            {
                return 0;
            }
        }
    }

    ret->node = PARLEY_JSON_NONE;

    return 0;
}


/* Reads the members of a part, and the protocol of its media type. */

static int
parley_c2a_part_read(const parley_json_t *doc, uint32_t value,
    parley_c2a_part_t *ret)
{
    uint32_t      k;
    parley_str_t  media;

    ret->node = value;
    ret->proto = PARLEY_PROTO_NONE;
    ret->form = PARLEY_JSON_NONE;
    ret->data = PARLEY_JSON_NONE;
    ret->members = PARLEY_JSON_NONE;

    k = parley_json_member(doc, value, PARLEY_ATOM_type);

    if (!parley_json_string_is(doc, k, PARLEY_STR("data"))) {
        return 0;
    }

    for (k = parley_json_first(value);
         k != parley_json_end(doc, value);
         k = parley_json_after(doc, k + 1))
    {
        switch (parley_json_atom(doc, k)) {

        case PARLEY_ATOM_mediaType:

            if (parley_msg_string(doc, k + 1, &media) != 0) {
                return -1;
            }

            ret->proto = parley_embed_media(media);
            break;

        case PARLEY_ATOM_form:
            ret->form = k + 1;
            break;

        case PARLEY_ATOM_data:
            ret->data = k + 1;
            break;

        case PARLEY_ATOM_members:
            ret->members = k + 1;
            break;

        default:
            break;
        }
    }

    return 0;
}


static int
parley_c2a_part_is_whole(const parley_json_t *doc,
    const parley_c2a_part_t *part)
{
    return part->proto != PARLEY_PROTO_C2A
           && parley_codecs[part->proto] != NULL
           && part->form != PARLEY_JSON_NONE
           && part->data != PARLEY_JSON_NONE
           && parley_json_type(doc, part->form) == PARLEY_JSON_STRING
           && parley_json_type(doc, part->data) == PARLEY_JSON_OBJECT
           && (part->members == PARLEY_JSON_NONE
               || parley_json_type(doc, part->members) == PARLEY_JSON_OBJECT);
}


int
parley_c2a_extract(const parley_msg_t *m, parley_embed_t *ret)
{
    int                   event;
    unsigned              i;
    uint32_t              objects[2], content;
    parley_c2a_part_t     part;
    const parley_json_t  *doc;

    doc = m->data.doc;

    objects[0] = m->data.node;
    objects[1] = parley_embed_displaced(m);

    event = parley_c2a_form_find(m->form) == PARLEY_C2A_DELIVER;

    for (i = 0; i < 2; i++) {

        content = parley_json_member(doc, objects[i], PARLEY_ATOM_content);

        if (event) {
            if (parley_c2a_part(doc, content, &part) != 0) {
                return -1;
            }

            if (part.node != PARLEY_JSON_NONE) {
                return parley_c2a_extract_part(m, objects[i], &part, ret) == 0
                       ? 1 : -1;
            }
        }

        /* C2A would refuse this part in a message of its own. */

        if (parley_c2a_part_find(doc, content, PARLEY_C2A_FIRST + event,
                                 &part)
            != 0)
        {
            return -1;
        }

        if (part.node != PARLEY_JSON_NONE) {
            parley_embed_init(ret);

            ret->at.doc = doc;
            ret->at.node = part.node;

            return 1;
        }
    }

    return 0;
}


/*
 * Reads a part.  The thread is the correlation of a message for a group, else
 * the conversation is, both as written.  The event repeats the id that the
 * embedded message answers.
 */

static int
parley_c2a_extract_part(const parley_msg_t *m, uint32_t params,
    const parley_c2a_part_t *part, parley_embed_t *ret)
{
    uint32_t              value, place;
    parley_str_t         *words, name;
    const parley_json_t  *doc;

    doc = m->data.doc;

    parley_embed_init(ret);

    words = ret->words;

    ret->at.doc = doc;
    ret->at.node = part->node;
    ret->origin = part->proto;
    ret->data.doc = doc;
    ret->data.node = part->data;
    ret->members.doc = doc;
    ret->members.node = part->members;

    value = parley_json_member(doc, params, PARLEY_ATOM_attention);
    value = parley_json_member(doc, value, PARLEY_ATOM_deadlineMs);
    ret->timeout_ms = m->timeout_ms >= 0 ? m->timeout_ms
                      : parley_msg_deadline(doc, value,
                                            PARLEY_C2A_DEADLINE_MAX);

    place = parley_json_member(doc, params, PARLEY_ATOM_conversation);
    value = parley_json_member(doc, place, PARLEY_ATOM_threadId);

    if (value == PARLEY_JSON_NONE) {
        value = parley_json_member(doc, place, PARLEY_ATOM_id);
    }

    name = parley_codecs[part->proto]->reply_to_member;

    if (parley_msg_string(doc, part->form, &words[PARLEY_EMBED_FORM]) != 0
        || parley_msg_string(doc, value, &words[PARLEY_EMBED_CORR]) != 0
        || (part->proto == PARLEY_PROTO_CANONICAL
            && parley_c2a_extract_word(doc,
                                       parley_json_member(doc, part->members,
                                                          PARLEY_ATOM_intent),
                                       &ret->taken[0],
                                       &words[PARLEY_EMBED_INTENT])
               != 0)
        || (name.len > 0
            && parley_c2a_extract_word(doc, parley_json_get(doc, part->members,
                                                            name),
                                       &ret->taken[1],
                                       &words[PARLEY_EMBED_REPLY_TO])
               != 0))
    {
        return -1;
    }

    return words[PARLEY_EMBED_REPLY_TO].len > 0 || m->reply_to.len > 0
           ? 0 : parley_msg_member(doc, params, PARLEY_ATOM_inReplyTo,
                                   &words[PARLEY_EMBED_REPLY_TO]);
}


/*
 * Reads a member that is a string, and marks it as taken.  Other members belong
 * to the envelope.
 */

static int
parley_c2a_extract_word(const parley_json_t *doc, uint32_t value,
    parley_atom_t *taken, parley_str_t *ret)
{
    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    *taken = parley_json_atom(doc, value - 1);

    return parley_msg_string(doc, value, ret);
}


/*
 * Writes {"jsonrpc", "id", "method", "params"} with the params of the form.
 * Members without a place in such a message are lost.
 */

int
parley_c2a_write_restored(parley_c2a_encode_t *e)
{
    uint32_t                       i;
    parley_buf_t                  *b, text;
    parley_str_t                   payload;
    parley_atom_t                  skip;
    parley_c2a_form_t              form;
    parley_json_ref_t              id;
    const parley_msg_t            *m;

    b = &e->b;
    m = e->m;
    form = parley_c2a_form_find(m->form);

    if (form == PARLEY_C2A_FORMS) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "C2A has no message for this intent");
    }

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\"");

    id = parley_embed_find(m, PARLEY_STR("id"));

    if (id.node != PARLEY_JSON_NONE) {
        parley_buf_lit(b, ",\"id\":");
        parley_buf_value(b, id);
    }

    parley_buf_member(b, PARLEY_STR("method"),
                      parley_c2a_form_info(form)->method);
    parley_buf_lit(b, ",\"params\":{");

    /* The asker's token replaces that of the message. */

    skip = form == PARLEY_C2A_PROGRESS && e->asked != NULL
           ? PARLEY_ATOM_progressToken : PARLEY_ATOM_NONE;

    parley_buf_init(&text, e->arena, 0);
    parley_embed_payload(&text, m, skip);

    if (parley_buf_done(&text, &payload) != 0) {
        return parley_error_memory(e->err);
    }

    if (skip != PARLEY_ATOM_NONE) {
        parley_buf_lit(b, "\"progressToken\":");
        parley_c2a_write_token(e);
    }

    parley_c2a_restored_params(e, form, payload);
    parley_buf_lit(b, "}}");

    for (i = 0; i < m->nmembers; i++) {
        if (parley_c2a_restored_member(&m->members[i], form)
            == PARLEY_C2A_LOST)
        {
            parley_loss_value(e->loss, m->members[i].value);
        }
    }

    parley_codecs[m->wire]->unmapped(m, e->loss);

    return 0;
}


/*
 * Writes the params.  A tool call has {"name", "arguments"} and further members
 * of the call.  An event has its envelope with the eventId of the origin, and
 * the payload.
 */

static void
parley_c2a_restored_params(parley_c2a_encode_t *e, parley_c2a_form_t form,
    parley_str_t payload)
{
    uint32_t                i;
    parley_buf_t           *b;
    parley_str_t            id;
    parley_json_ref_t       name;
    const parley_msg_t     *m;
    const parley_member_t  *member;

    b = &e->b;
    m = e->m;

    if (parley_c2a_form_info(form)->tool) {
        name = parley_embed_find(m, PARLEY_STR("name"));

        parley_buf_lit(b, "\"name\":");

        if (name.node != PARLEY_JSON_NONE
            && parley_c2a_tool_is(name.doc, name.node, form))
        {
            parley_buf_value(b, name);

        } else {
            parley_buf_json_string(b, m->form);
        }

        if (payload.len > 2
            || parley_embed_find(m, PARLEY_STR("arguments")).node
               == PARLEY_JSON_NONE)
        {
            parley_buf_lit(b, ",\"arguments\":");
            parley_buf_str(b, payload);
        }

    } else if (form == PARLEY_C2A_DELIVER) {

        if (parley_embed_origin_id(m, &id) != 0) {
            b->failed = 1;
            return;
        }

        parley_buf_lit(b, "\"eventId\":");
        parley_buf_json_string(b, id);
    }

    for (i = 0; i < m->nmembers; i++) {
        member = &m->members[i];

        if (parley_c2a_restored_member(member, form)
            != PARLEY_C2A_WRITTEN)
        {
            continue;
        }

        if (form == PARLEY_C2A_DELIVER) {
            parley_c2a_fix(e, member);

        } else {
            parley_buf_octet(b, ',');
            parley_embed_member(b, member);
        }
    }

    if (!parley_c2a_form_info(form)->tool && payload.len > 2) {

        if (b->len > 0 && b->data[b->len - 1] != '{') {
            parley_buf_octet(b, ',');
        }

        parley_buf_put(b, payload.data + 1, payload.len - 2);
    }
}


static parley_c2a_restored_t
parley_c2a_restored_member(const parley_member_t *member,
    parley_c2a_form_t form)
{
    int                   said;
    parley_atom_t         name;
    const parley_json_t  *doc;

    doc = member->value.doc;
    name = parley_atom_of(member->name);

    if (name == PARLEY_ATOM_id) {
        return PARLEY_C2A_SAID;
    }

    if (form == PARLEY_C2A_DELIVER) {
        return name != PARLEY_ATOM_eventId && parley_c2a_envelope[name]
               ? PARLEY_C2A_WRITTEN : PARLEY_C2A_LOST;
    }

    if (!parley_c2a_form_info(form)->tool) {
        return PARLEY_C2A_LOST;
    }

    switch (name) {

    case PARLEY_ATOM_name:
        said = parley_c2a_tool_is(doc, member->value.node, form);
        break;

    case PARLEY_ATOM_arguments:
        said = parley_json_type(doc, member->value.node) == PARLEY_JSON_NULL;
        break;

    default:
        return PARLEY_C2A_WRITTEN;
    }

    return said ? PARLEY_C2A_SAID : PARLEY_C2A_LOST;
}


/* Writes an envelope member with the values of the outer message. */

static void
parley_c2a_fix(parley_c2a_encode_t *e, const parley_member_t *member)
{
    unsigned              n;
    parley_embed_fixed_t  fixed[PARLEY_C2A_FIXED_MAX];

    memset(fixed, 0, sizeof(fixed));
    n = 0;

    switch (parley_atom_of(member->name)) {

    case PARLEY_ATOM_author:
        n = parley_c2a_fix_author(e, member->value, fixed);
        break;

    case PARLEY_ATOM_attention:
        n = parley_c2a_fix_attention(e, member->value, fixed);
        break;

    case PARLEY_ATOM_target:
        parley_c2a_fix_text(e, &fixed[n++], PARLEY_ATOM_recipient,
                            e->recipient, 0);
        break;

    case PARLEY_ATOM_timing:

        if (e->m->created.len > 0) {
            parley_c2a_fix_text(e, &fixed[n++], PARLEY_ATOM_createdAt,
                                e->m->created, 0);
        }

        break;

    default:
        break;
    }

    parley_buf_name(&e->b, member->name);
    parley_embed_object(&e->b, member->value, fixed, n);
}


/*
 * Writes the author.  The kind is the text before the first colon, or the
 * author's own kind.
 */

static unsigned
parley_c2a_fix_author(parley_c2a_encode_t *e, parley_json_ref_t author,
    parley_embed_fixed_t *fixed)
{
    size_t        n;
    parley_str_t  kind, sender;

    sender = e->sender;

    if (parley_msg_member(author.doc, author.node, PARLEY_ATOM_kind, &kind)
        != 0)
    {
        e->b.failed = 1;
        return 0;
    }

    n = kind.len;

    if (n == 0 || n >= sender.len || sender.data[n] != ':'
        || memcmp(sender.data, kind.data, n) != 0)
    {
        n = parley_str_until(sender, ':').len;
    }

    parley_c2a_fix_text(e, &fixed[0], PARLEY_ATOM_id,
                        parley_str_from(sender, n + (n < sender.len)), 1);
    parley_c2a_fix_text(e, &fixed[1], PARLEY_ATOM_kind,
                        parley_str_make(sender.data, n), 1);

    return 2;
}


/*
 * Writes the attention.  A deadline belongs to the message only if an answer is
 * required; otherwise it belongs to the event, and so does an invalid number.
 */

static unsigned
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

    parley_c2a_fix_text(e, &fixed[0], PARLEY_ATOM_priority,
                        parley_priority_name(e->m->priority),
                        e->m->priority != PARLEY_PRIORITY_NORMAL);

    if (!parley_json_string_is(doc, policy, PARLEY_STR("must_respond"))) {
        return 1;
    }

    if (e->m->timeout_ms >= 0) {
        fixed[1].name = PARLEY_ATOM_deadlineMs;
        fixed[1].always = 1;

        parley_buf_init(&ms, e->arena, 0);
        parley_buf_int(&ms, e->m->timeout_ms);
        e->b.failed |= parley_buf_done(&ms, &fixed[1].value) != 0;

    } else if (parley_msg_deadline(doc, deadline, INT64_MAX) >= 0) {
        fixed[1].name = PARLEY_ATOM_deadlineMs;
    }

    return 2;
}


static void
parley_c2a_fix_text(parley_c2a_encode_t *e, parley_embed_fixed_t *fixed,
    parley_atom_t name, parley_str_t text, int always)
{
    parley_buf_t  b;

    fixed->name = name;
    fixed->always = always != 0;

    parley_buf_init(&b, e->arena, text.len + 4);
    parley_buf_json_string(&b, text);
    e->b.failed |= parley_buf_done(&b, &fixed->value) != 0;
}


/*
 * Writes a token.  If the question is an event, which cannot have a token, its
 * id replaces it.
 */

void
parley_c2a_write_token(parley_c2a_encode_t *e)
{
    if (e->asked->token.len > 0) {
        parley_buf_str(&e->b, e->asked->token);

    } else {
        parley_buf_json_string(&e->b, e->asked->id);
    }
}
