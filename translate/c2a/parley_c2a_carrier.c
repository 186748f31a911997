/* Which part of a content array carries a message (parley_c2a_part.c). */

#include "parley_c2a_field.h"
#include "parley_carry.h"


/* "application/vnd.channel+json" and the like are no longer */
#define PARLEY_C2A_MEDIA_MAX  40


static int parley_c2a_nested_in(const parley_msg_t *m, uint32_t content,
    uint32_t *ret);
static int parley_c2a_part_beyond(const parley_json_t *doc,
    uint32_t content, unsigned most, uint32_t *ret);
static void parley_c2a_part_read(const parley_json_t *doc, uint32_t value,
    parley_c2a_part_t *ret);
static int parley_c2a_part_is_whole(const parley_json_t *doc,
    const parley_c2a_part_t *part);
static int parley_c2a_media(const parley_json_t *doc, uint32_t value,
    parley_proto_t *ret);
static parley_proto_t parley_c2a_media_proto(parley_str_t s);


int
parley_c2a_carrier(const parley_json_t *doc, uint32_t content,
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
        parley_c2a_part_read(doc, i, ret);

        if (!parley_c2a_part_is_whole(doc, ret)) {
            continue;
        }

        if (parley_c2a_media(doc, ret->media_type, &ret->proto) != 0) {
            return -1;
        }

        if (ret->proto != PARLEY_PROTO_NONE
            && ret->proto != PARLEY_PROTO_C2A
            && parley_codecs[ret->proto] != NULL)
        {
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
parley_c2a_nested(const parley_msg_t *m, parley_json_ref_t *ret)
{
    unsigned  i;
    uint32_t  objects[2], content;

    objects[0] = m->data.node;
    objects[1] = parley_carry_elsewhere(m);

    ret->doc = m->data.doc;

    for (i = 0; i < 2; i++) {

        if (objects[i] == PARLEY_JSON_NONE) {
            continue;
        }

        content = parley_json_member(ret->doc, objects[i],
                                     PARLEY_ATOM_content);

        if (parley_c2a_nested_in(m, content, &ret->node) != 0) {
            return -1;
        }

        if (ret->node != PARLEY_JSON_NONE) {
            return 1;
        }
    }

    return 0;
}


/* What would be read, or refused, in the same message of C2A itself. */

static int
parley_c2a_nested_in(const parley_msg_t *m, uint32_t content, uint32_t *ret)
{
    parley_c2a_part_t  part;

    if (parley_c2a_form_find(m->form) != PARLEY_C2A_DELIVER) {
        return parley_c2a_part_beyond(m->data.doc, content, 0, ret);
    }

    if (parley_c2a_carrier(m->data.doc, content, &part) != 0) {
        return -1;
    }

    *ret = part.node;

    return part.node == PARLEY_JSON_NONE
           ? parley_c2a_part_beyond(m->data.doc, content, 1, ret) : 0;
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
        parley_c2a_part_read(doc, i, &part);

        if (part.node == PARLEY_JSON_NONE) {
            continue;
        }

        if (parley_c2a_media(doc, part.media_type, &part.proto) != 0) {
            return -1;
        }

        if (part.proto != PARLEY_PROTO_NONE && n++ == most) {
            *ret = i;
            return 0;
        }
    }

    return 0;
}


/* ret->node NONE: it is no data part. */

static void
parley_c2a_part_read(const parley_json_t *doc, uint32_t value,
    parley_c2a_part_t *ret)
{
    uint32_t  k, end;

    ret->node = PARLEY_JSON_NONE;
    ret->media_type = PARLEY_JSON_NONE;
    ret->form = PARLEY_JSON_NONE;
    ret->data = PARLEY_JSON_NONE;
    ret->members = PARLEY_JSON_NONE;
    ret->proto = PARLEY_PROTO_NONE;

    if (!parley_c2a_is(doc, parley_json_member(doc, value, PARLEY_ATOM_type),
                       PARLEY_STR("data")))
    {
        return;
    }

    ret->node = value;
    end = parley_json_end(doc, value);

    for (k = parley_json_first(value); k != end;
         k = parley_json_after(doc, k + 1))
    {
        switch (parley_c2a_field(doc, k)) {

        case PARLEY_C2A_FIELD_MEDIA_TYPE:
            ret->media_type = k + 1;
            break;

        case PARLEY_C2A_FIELD_FORM:
            ret->form = k + 1;
            break;

        case PARLEY_C2A_FIELD_DATA:
            ret->data = k + 1;
            break;

        case PARLEY_C2A_FIELD_MEMBERS:
            ret->members = k + 1;
            break;

        default:
            break;
        }
    }
}


static int
parley_c2a_part_is_whole(const parley_json_t *doc,
    const parley_c2a_part_t *part)
{
    return part->node != PARLEY_JSON_NONE
           && part->form != PARLEY_JSON_NONE
           && part->data != PARLEY_JSON_NONE
           && parley_json_type(doc, part->form) == PARLEY_JSON_STRING
           && parley_json_type(doc, part->data) == PARLEY_JSON_OBJECT
           && (part->members == PARLEY_JSON_NONE
               || parley_json_type(doc, part->members) == PARLEY_JSON_OBJECT);
}


/* Of application/vnd.<x>+json the protocol x, or NONE.  -1: no memory. */

static int
parley_c2a_media(const parley_json_t *doc, uint32_t value,
    parley_proto_t *ret)
{
    parley_str_t  s;

    if (parley_msg_string(doc, value, &s) != 0) {
        return -1;
    }

    *ret = parley_c2a_media_proto(s);

    return 0;
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

    static const size_t  prefix = sizeof(PARLEY_C2A_MEDIA_PREFIX) - 1;
    static const size_t  suffix = sizeof(PARLEY_C2A_MEDIA_SUFFIX) - 1;

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
