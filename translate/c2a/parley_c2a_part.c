/*
 * Content parts: the text that a person reads, and the data part in which
 * another protocol's message travels whole:
 *
 *     {"type": "data", "mediaType": "application/vnd.<x>+json",
 *      "form": "task", "data": {...}, "members": {...},
 *      "reference": {"id", "type", "hash", "locator", "verified"}}
 *
 * members has the envelope members that an event has no field for; among
 * them "intent" where it is not "<x>.<form>", and "reply_to" where x has
 * such a member.
 */

#include "parley_c2a_field.h"
#include "parley_carry.h"


static int parley_c2a_unpack(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_part_t *part);
static int parley_c2a_unpack_intent(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_unpack_member(parley_msg_t *msg, uint32_t name,
    const parley_codec_t *codec);
static int parley_c2a_write_sentence(parley_buf_t *b, const parley_msg_t *m);
static void parley_c2a_write_members(parley_c2a_encode_t *e);
static int parley_c2a_has_reply_to(const parley_msg_t *m);
static int parley_c2a_has_intent(const parley_msg_t *m);


int
parley_c2a_text(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t content, parley_str_t *ret, int *ret_whole)
{
    uint32_t      i, n, value;
    parley_buf_t  b;
    parley_str_t  text;

    *ret = parley_str_none;
    *ret_whole = 1;
    n = 0;

    if (parley_json_type(doc, content) != PARLEY_JSON_ARRAY) {
        *ret_whole = 0;
        return 0;
    }

    for (i = parley_json_first(content);
         i != parley_json_end(doc, content);
         i = parley_json_after(doc, i))
    {
        value = parley_json_member(doc, i, PARLEY_ATOM_type);

        if (!parley_c2a_is(doc, value, PARLEY_STR("text"))) {
            *ret_whole = 0;
            continue;
        }

        value = parley_json_member(doc, i, PARLEY_ATOM_text);

        if (parley_msg_string(doc, value, &text) != 0) {
            return -1;
        }

        if (parley_json_node(doc, i)->count > 2) {
            *ret_whole = 0;
        }

        switch (n++) {

        case 0:
            *ret = text;
            continue;

        case 1:
            parley_buf_init(&b, arena, 0);
            parley_buf_str(&b, *ret);

            /* fall through */

        default:
            parley_buf_octet(&b, '\n');
            parley_buf_str(&b, text);
        }
    }

    return n > 1 ? parley_buf_done(&b, ret) : 0;
}


int
parley_c2a_carried(parley_arena_t *arena, parley_msg_t *msg, uint32_t content,
    int64_t deadline)
{
    uint32_t           conversation;
    parley_str_t       asked, thread;
    parley_proto_t     proto;
    parley_c2a_part_t  part;
    parley_priority_t  priority;

    if (parley_c2a_carrier(msg->doc, content, &part) != 0) {
        return -1;
    }

    if (part.node == PARLEY_JSON_NONE) {
        return 0;
    }

    proto = part.proto;

    msg->outer_form = msg->form;
    msg->outer_intent = msg->intent;

    msg->origin = proto;
    msg->members = NULL;
    msg->nmembers = 0;
    msg->aside = NULL;
    msg->said[0] = PARLEY_JSON_NONE;
    msg->timeout_ms = deadline;

    /* a group's message has its own correlation as the thread */

    conversation = parley_json_member(msg->doc, parley_c2a_params(msg->doc),
                                      PARLEY_ATOM_conversation);

    if (parley_msg_string(msg->doc, parley_json_member(msg->doc, conversation,
                                                       PARLEY_ATOM_threadId),
                          &thread)
        != 0)
    {
        return -1;
    }

    if (thread.len > 0) {
        msg->corr = thread;
    }

    if (parley_c2a_unpack(arena, msg, &part) != 0
        || (msg->reply_to.len == 0
            && parley_msg_string(msg->doc,
                                 parley_json_member(msg->doc,
                                                parley_c2a_params(msg->doc),
                                                PARLEY_ATOM_inReplyTo),
                                 &msg->reply_to)
               != 0))
    {
        return -1;
    }

    if (parley_codecs[proto]->payload == NULL) {
        return 0;
    }

    /* what the event itself says of these may have been capped */

    priority = msg->priority;

    asked = msg->reply_to;

    if (parley_codecs[proto]->payload(msg) != 0) {
        return -1;
    }

    /* an acknowledgment says what it answers; the event names the same */

    if (asked.len > 0 && !parley_str_eq(asked, msg->reply_to)) {
        msg->names = asked;
    }

    msg->priority = priority;
    msg->timeout_ms = deadline;

    return 0;
}


static int
parley_c2a_unpack(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_part_t *part)
{
    uint32_t               k, members;
    const parley_json_t   *doc;
    const parley_codec_t  *codec;

    doc = msg->doc;
    codec = parley_codecs[msg->origin];

    members = part->members;
    msg->data.doc = doc;
    msg->data.node = part->data;

    if (parley_msg_string(doc, part->form, &msg->form) != 0
        || parley_c2a_unpack_intent(arena, msg) != 0)
    {
        return -1;
    }

    if (members == PARLEY_JSON_NONE
        || parley_json_node(doc, members)->count == 0)
    {
        return 0;
    }

    msg->members = parley_arena_alloc(arena,
                                    parley_json_node(doc, members)->count
                                    * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(members);
         k != parley_json_end(doc, members);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_c2a_unpack_member(msg, k, codec) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_c2a_unpack_intent(parley_arena_t *arena, parley_msg_t *msg)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, msg->form.len + 10);
    parley_buf_str(&b, parley_proto_name(msg->origin));
    parley_buf_octet(&b, '.');
    parley_buf_str(&b, msg->form);

    return parley_buf_done(&b, &msg->intent);
}


static int
parley_c2a_unpack_member(parley_msg_t *msg, uint32_t name,
    const parley_codec_t *codec)
{
    parley_member_t      *member;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_json_type(doc, name + 1) == PARLEY_JSON_STRING) {

        if (parley_json_atom(doc, name) == PARLEY_ATOM_intent) {
            return parley_msg_string(doc, name + 1, &msg->intent);
        }

        if (codec->reply_to_member.len > 0
            && parley_json_string_is(doc, name, codec->reply_to_member))
        {
            return parley_msg_string(doc, name + 1, &msg->reply_to);
        }
    }

    member = &msg->members[msg->nmembers++];

    member->value.doc = doc;
    member->value.node = name + 1;

    return parley_json_string(doc, name, &member->name);
}


int
parley_c2a_write_content(parley_c2a_encode_t *e)
{
    parley_buf_t        *b;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    parley_buf_lit(b, ",\"content\":[{\"type\":\"text\",\"text\":\"");
    parley_c2a_write_words(b, m, e->sender);
    parley_buf_lit(b, "\"},{\"type\":\"data\",\"mediaType\":\""
                      PARLEY_C2A_MEDIA_PREFIX);
    parley_buf_str(b, parley_proto_name(m->origin));
    parley_buf_lit(b, PARLEY_C2A_MEDIA_SUFFIX "\",\"form\":\"");
    parley_buf_json_text(b, m->form);
    parley_buf_lit(b, "\",\"data\":");
    parley_carry_payload(b, m, PARLEY_ATOM_NONE);
    parley_buf_lit(b, ",\"members\":{");
    parley_c2a_write_members(e);
    parley_buf_lit(b, "},\"reference\":");

    if (parley_carry_reference_write(b, m, e->opts) != 0) {
        return -1;
    }

    parley_buf_lit(b, "}]");

    return 0;
}


void
parley_c2a_write_words(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t sender)
{
    if (m->act == PARLEY_ACT_FAILURE && m->code.len > 0) {
        parley_buf_json_text(b, m->code);

        if (m->text.len > 0) {
            parley_buf_lit(b, ": ");
        }

    } else if (m->text.len == 0 && !parley_c2a_write_sentence(b, m)) {
        parley_buf_json_text(b, m->form);

        if (parley_c2a_has_intent(m)) {
            parley_buf_octet(b, ' ');
            parley_buf_json_text(b, m->intent);
        }

        if (sender.len > 0) {
            parley_buf_lit(b, " from ");
            parley_buf_json_text(b, sender);
        }
    }

    parley_buf_json_text(b, m->text);
}


/* Returns whether there is one. */

static int
parley_c2a_write_sentence(parley_buf_t *b, const parley_msg_t *m)
{
    parley_buf_t           sentence;
    parley_str_t           text;
    const parley_codec_t  *codec;

    codec = parley_codecs[m->origin];

    if (codec->sentence == NULL) {
        return 0;
    }

    parley_buf_init(&sentence, b->arena, 0);

    if (!codec->sentence(&sentence, m)) {
        return 0;
    }

    if (parley_buf_done(&sentence, &text) != 0) {
        b->failed = 1;
        return 1;
    }

    parley_buf_json_text(b, text);

    return 1;
}


static void
parley_c2a_write_members(parley_c2a_encode_t *e)
{
    uint32_t             i;
    parley_buf_t        *b;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    if (parley_c2a_has_intent(m)) {
        parley_buf_member(b, PARLEY_STR("intent"), m->intent);
    }

    if (parley_c2a_has_reply_to(m)) {
        parley_buf_member(b, parley_codecs[m->origin]->reply_to_member,
                          m->reply_to);
    }

    for (i = 0; i < m->nmembers; i++) {

        if (b->data != NULL && b->len > 0 && b->data[b->len - 1] != '{') {
            parley_buf_octet(b, ',');
        }

        parley_buf_json_string(b, m->members[i].name);
        parley_buf_octet(b, ':');
        parley_buf_value(b, m->members[i].value);
    }
}


/* Whether the intent says more than protocol and form. */

static int
parley_c2a_has_intent(const parley_msg_t *m)
{
    parley_str_t  x;

    x = parley_proto_name(m->origin);

    return m->intent.len != x.len + 1 + m->form.len
           || memcmp(m->intent.data, x.data, x.len) != 0
           || m->intent.data[x.len] != '.'
           || memcmp(m->intent.data + x.len + 1, m->form.data, m->form.len)
              != 0;
}


static int
parley_c2a_has_reply_to(const parley_msg_t *m)
{
    return m->reply_to.len > 0
           && parley_codecs[m->origin]->reply_to_member.len > 0;
}
