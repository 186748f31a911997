/*
 * Content parts: the text that a person reads, and the data part that embeds
 * another protocol's message:
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
#include "parley_deadline.h"
#include "parley_embed_redact.h"

#include <stdio.h>


/* "application/vnd.channel+json" and the like are no longer */
#define PARLEY_C2A_MEDIA_MAX  40


static int parley_c2a_extract_part(const parley_msg_t *m, uint32_t params,
    const parley_c2a_part_t *part, parley_embed_t *ret);
static int parley_c2a_part_beyond(const parley_json_t *doc,
    uint32_t content, unsigned most, uint32_t *ret);
static int parley_c2a_part_read(const parley_json_t *doc, uint32_t value,
    parley_c2a_part_t *ret);
static int parley_c2a_part_is_whole(const parley_json_t *doc,
    const parley_c2a_part_t *part);
static parley_proto_t parley_c2a_media_proto(parley_str_t s);
static int parley_c2a_write_sentence(parley_buf_t *b, const parley_msg_t *m);
static int parley_c2a_within_parts(parley_redact_t *r,
    const parley_json_t *doc, const char *at);
static int parley_c2a_within_words(parley_redact_t *r,
    const parley_json_t *doc, uint32_t parts, const char *at, uint32_t said);


const parley_embed_slot_t  parley_c2a_slot = {
    .proto = PARLEY_PROTO_C2A,
    .says = PARLEY_EMBED_SAYS_UNLESS,
};


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
parley_c2a_part(const parley_json_t *doc, uint32_t content,
    parley_c2a_part_t *ret)
{
    uint32_t  i;

    ret->node = PARLEY_JSON_NONE;

    if (content == PARLEY_JSON_NONE
        || parley_json_type(doc, content) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    for (i = parley_json_first(content);
         i != parley_json_end(doc, content);
         i = parley_json_after(doc, i))
    {
        if (parley_c2a_part_read(doc, i, ret) != 0) {
            return -1;
        }

        if (parley_c2a_part_is_whole(doc, ret)) {
            return 0;
        }
    }

    ret->node = PARLEY_JSON_NONE;

    return 0;
}


int
parley_c2a_parts(const parley_json_t *doc, uint32_t content, unsigned most,
    parley_error_t *err)
{
    char      pointer[PARLEY_POINTER_MAX];
    uint32_t  part;

    if (parley_c2a_part_beyond(doc, content, most, &part) != 0) {
        return parley_error_memory(err);
    }

    if (part == PARLEY_JSON_NONE) {
        return 0;
    }

    (void) parley_json_pointer(doc, part, pointer, sizeof(pointer));

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            most == 0
                            ? "%s carries another message, which only "
                              "chat/deliver does"
                            : "%s carries another message beside the first",
                            pointer);
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

        if (objects[i] == PARLEY_JSON_NONE) {
            continue;
        }

        content = parley_json_member(doc, objects[i], PARLEY_ATOM_content);

        if (event) {
            if (parley_c2a_part(doc, content, &part) != 0) {
                return -1;
            }

            if (part.node != PARLEY_JSON_NONE) {
                return parley_c2a_extract_part(m, objects[i], &part, ret);
            }
        }

        /* what would be refused in the same message of C2A itself */

        parley_embed_init(ret);

        ret->at.doc = doc;

        if (parley_c2a_part_beyond(doc, content, event, &ret->at.node) != 0) {
            return -1;
        }

        if (ret->at.node != PARLEY_JSON_NONE) {
            return 1;
        }
    }

    return 0;
}


/*
 * A group's message has its own correlation as the thread; beside what is
 * embedded the event says again what that answers.
 */

static int
parley_c2a_extract_part(const parley_msg_t *m, uint32_t params,
    const parley_c2a_part_t *part, parley_embed_t *ret)
{
    uint32_t              value;
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
                      : parley_deadline(doc, value, PARLEY_C2A_DEADLINE_MAX);

    value = parley_json_member(doc, params, PARLEY_ATOM_conversation);
    value = parley_json_member(doc, value, PARLEY_ATOM_threadId);

    if (parley_msg_string(doc, part->form, &words[PARLEY_EMBED_FORM]) != 0
        || parley_msg_string(doc, value, &words[PARLEY_EMBED_CORR]) != 0)
    {
        return -1;
    }

    value = parley_json_member(doc, part->members, PARLEY_ATOM_intent);

    if (value != PARLEY_JSON_NONE
        && parley_json_type(doc, value) == PARLEY_JSON_STRING)
    {
        ret->taken[0] = PARLEY_ATOM_intent;

        if (parley_msg_string(doc, value, &words[PARLEY_EMBED_INTENT]) != 0) {
            return -1;
        }
    }

    name = parley_codecs[part->proto]->reply_to_member;
    value = name.len > 0 ? parley_json_get(doc, part->members, name)
                         : PARLEY_JSON_NONE;

    if (value != PARLEY_JSON_NONE
        && parley_json_type(doc, value) == PARLEY_JSON_STRING)
    {
        ret->taken[1] = parley_json_atom(doc, value - 1);

        if (parley_msg_string(doc, value, &words[PARLEY_EMBED_REPLY_TO])
            != 0)
        {
            return -1;
        }
    }

    return words[PARLEY_EMBED_REPLY_TO].len > 0 || m->reply_to.len > 0
           ? 1
           : parley_msg_string(doc,
                               parley_json_member(doc, params,
                                                  PARLEY_ATOM_inReplyTo),
                               &words[PARLEY_EMBED_REPLY_TO]) == 0 ? 1 : -1;
}


/*
 * The first part with the media type of a protocol's messages behind most of
 * them, or NONE.  -1: no memory.
 */

static int
parley_c2a_part_beyond(const parley_json_t *doc, uint32_t content,
    unsigned most, uint32_t *ret)
{
    unsigned           n;
    uint32_t           i;
    parley_c2a_part_t  part;

    *ret = PARLEY_JSON_NONE;

    if (content == PARLEY_JSON_NONE
        || parley_json_type(doc, content) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    n = 0;

    for (i = parley_json_first(content);
         i != parley_json_end(doc, content);
         i = parley_json_after(doc, i))
    {
        if (parley_c2a_part_read(doc, i, &part) != 0) {
            return -1;
        }

        if (part.proto != PARLEY_PROTO_NONE && n++ == most) {
            *ret = i;
            return 0;
        }
    }

    return 0;
}


/* The members of a part, and the protocol that its media type names. */

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

    if (!parley_c2a_is(doc, parley_json_member(doc, value, PARLEY_ATOM_type),
                       PARLEY_STR("data")))
    {
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

            ret->proto = parley_c2a_media_proto(media);
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
    return part->proto != PARLEY_PROTO_NONE
           && part->proto != PARLEY_PROTO_C2A
           && parley_codecs[part->proto] != NULL
           && part->form != PARLEY_JSON_NONE
           && part->data != PARLEY_JSON_NONE
           && parley_json_type(doc, part->form) == PARLEY_JSON_STRING
           && parley_json_type(doc, part->data) == PARLEY_JSON_OBJECT
           && (part->members == PARLEY_JSON_NONE
               || parley_json_type(doc, part->members) == PARLEY_JSON_OBJECT);
}


/*
 * RFC 9110 section 8.3.1: without regard to case, to parameters and to blanks
 * around it, as whoever reads the part compares it.
 */

static parley_proto_t
parley_c2a_media_proto(parley_str_t s)
{
    size_t          i;
    uint8_t         lower[PARLEY_C2A_MEDIA_MAX];
    const uint8_t  *end;
    parley_proto_t  proto;

    static const size_t  prefix = sizeof(PARLEY_C2A_MEDIA_PREFIX) - 1;
    static const size_t  suffix = sizeof(PARLEY_C2A_MEDIA_SUFFIX) - 1;

    if (s.len > prefix + suffix
        && memcmp(s.data, PARLEY_C2A_MEDIA_PREFIX, prefix) == 0
        && memcmp(s.data + s.len - suffix, PARLEY_C2A_MEDIA_SUFFIX, suffix)
           == 0)
    {
        proto = parley_proto_find(parley_str_make(s.data + prefix,
                                                  s.len - prefix - suffix));

        if (proto != PARLEY_PROTO_NONE) {
            return proto;
        }
    }

    end = s.len > 0 ? memchr(s.data, ';', s.len) : NULL;

    if (end != NULL) {
        s.len = (size_t) (end - s.data);
    }

    while (s.len > 0 && s.data[0] <= 0x20) {
        s = parley_str_from(s, 1);
    }

    while (s.len > 0 && s.data[s.len - 1] <= 0x20) {
        s.len--;
    }

    if (s.len <= prefix + suffix || s.len > sizeof(lower)) {
        return PARLEY_PROTO_NONE;
    }

    for (i = 0; i < s.len; i++) {
        lower[i] = parley_lower(s.data[i]);
    }

    if (memcmp(lower, PARLEY_C2A_MEDIA_PREFIX, prefix) != 0
        || memcmp(lower + s.len - suffix, PARLEY_C2A_MEDIA_SUFFIX, suffix)
           != 0)
    {
        return PARLEY_PROTO_NONE;
    }

    return parley_proto_find(parley_str_make(lower + prefix,
                                             s.len - prefix - suffix));
}


int
parley_c2a_write_content(parley_c2a_encode_t *e)
{
    parley_buf_t        *b;
    parley_str_t         reply_to;
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
    parley_embed_payload(b, m, PARLEY_ATOM_NONE);
    parley_buf_lit(b, ",\"members\":{");

    if (!parley_embed_is_usual(m)) {
        parley_buf_member(b, PARLEY_STR("intent"), m->intent);
    }

    reply_to = parley_codecs[m->origin]->reply_to_member;

    if (m->reply_to.len > 0 && reply_to.len > 0) {
        parley_buf_member(b, reply_to, m->reply_to);
    }

    parley_embed_members_write(b, m, b->data != NULL && b->len > 0
                                     && b->data[b->len - 1] != '{');
    parley_buf_lit(b, "},\"reference\":");

    if (parley_embed_reference_write(b, m, e->opts) != 0) {
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

        if (!parley_embed_is_usual(m)) {
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


int
parley_c2a_within(parley_redact_t *r, const parley_msg_t *m)
{
    return parley_c2a_within_parts(r, m->doc, "/params/content") != 0
           || parley_c2a_within_parts(r, m->doc,
                                      "/params/arguments/content")
              != 0 ? -1 : 0;
}


static int
parley_c2a_within_parts(parley_redact_t *r, const parley_json_t *doc,
    const char *at)
{
    char          data[64], members[64];
    uint32_t      i, n, part, parts, value;
    parley_str_t  rest;

    parts = parley_json_resolve(doc, 0, parley_str_c(at));

    if (parts == PARLEY_JSON_NONE
        || parley_json_type(doc, parts) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    n = 0;

    for (part = parley_json_first(parts);
         part != parley_json_end(doc, parts);
         part = parley_json_after(doc, part), n++)
    {
        value = parley_json_member(doc, part, PARLEY_ATOM_data);

        if (value == PARLEY_JSON_NONE) {
            continue;
        }

        (void) snprintf(data, sizeof(data), "%s/%u/data", at, n);
        (void) snprintf(members, sizeof(members), "%s/%u/members", at, n);

        if (parley_embed_redact(r, parley_str_c(data), parley_str_c(members))
            != 0)
        {
            return -1;
        }

        for (i = 0; i < r->nasked; i++) {
            rest = parley_redact_in_payload(r->asked[i].pointer);

            if (rest.len > 0
                && parley_c2a_within_words(r, doc, parts, at,
                                      parley_json_resolve(doc, value, rest))
                   != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* Words that are repeated in a part for a person. */

static int
parley_c2a_within_words(parley_redact_t *r, const parley_json_t *doc,
    uint32_t parts, const char *at, uint32_t said)
{
    char          pointer[64];
    uint32_t      n, part, text;
    parley_str_t  words, own;

    if (parley_msg_string(doc, said, &words) != 0) {
        return -1;
    }

    if (words.len == 0) {
        return 0;
    }

    n = 0;

    for (part = parley_json_first(parts);
         part != parley_json_end(doc, parts);
         part = parley_json_after(doc, part), n++)
    {
        text = parley_json_member(doc, part, PARLEY_ATOM_text);

        if (parley_msg_string(doc, text, &own) != 0) {
            return -1;
        }

        if (!parley_str_eq(own, words)) {
            continue;
        }

        (void) snprintf(pointer, sizeof(pointer), "%s/%u/text", at, n);

        if (parley_redact_add(r, parley_str_c(pointer), parley_str_none,
                              PARLEY_STR(PARLEY_REDACTED))
            != 0)
        {
            return -1;
        }
    }

    return 0;
}
