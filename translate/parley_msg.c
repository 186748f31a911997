#include "translate/parley_msg.h"
#include "core/parley_id.h"


#define PARLEY_PROTO_NAMED_TEXT    1
#define PARLEY_PROTO_NAMED_HANDLE  1
#define PARLEY_PROTO_NAMED_SUB     0
#define PARLEY_PROTO_NAMED_SAME    1


typedef struct {
    parley_str_t  word;
    parley_str_t  title;
    parley_str_t  member;
    int           named;
} parley_proto_info_t;


static const parley_proto_info_t  parley_proto_infos[] = {
#define X(id, word, member, shape, title, ...)                                \
    {                                                                         \
        parley_str(#word), parley_str(title), parley_str(#member),            \
        PARLEY_PROTO_NAMED_##shape                                            \
    },
    PARLEY_PROTOCOLS(X, , )
#undef X
    { parley_str(""), parley_str(""), parley_str(""), 0 }
};


const parley_atom_t  parley_proto_atoms[PARLEY_PROTO_COUNT + 1] = {
#define X(id, word, member, shape, ...)  PARLEY_ATOM_##word,
    PARLEY_PROTOCOLS(X, , )
#undef X
    PARLEY_ATOMS
};


_Static_assert(PARLEY_PROTO_COUNT < 32, "a set of protocols is of 32 bits");


static const parley_str_t  parley_priority_names[] = {
    [PARLEY_PRIORITY_LOW] = parley_str("low"),
    [PARLEY_PRIORITY_NORMAL] = parley_str("normal"),
    [PARLEY_PRIORITY_HIGH] = parley_str("high"),
    [PARLEY_PRIORITY_URGENT] = parley_str("urgent"),
};


static const parley_proto_info_t *
parley_proto_info(parley_proto_t proto)
{
    return &parley_proto_infos[proto < PARLEY_PROTO_COUNT ? proto
                                                          : PARLEY_PROTO_NONE];
}


parley_str_t
parley_proto_name(parley_proto_t proto)
{
    return parley_proto_info(proto)->word;
}


parley_str_t
parley_proto_title(parley_proto_t proto)
{
    return parley_proto_info(proto)->title;
}


parley_str_t
parley_proto_member(parley_proto_t proto)
{
    return parley_proto_info(proto)->member;
}


int
parley_proto_is_named(parley_proto_t proto)
{
    return parley_proto_info(proto)->named;
}


parley_proto_t
parley_proto_find(parley_str_t word)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_str_eq(parley_proto_infos[i].word, word)) {
            return (parley_proto_t) i;
        }
    }

    return PARLEY_PROTO_NONE;
}


parley_proto_t
parley_proto_begins(parley_str_t text, parley_str_t *ret_rest)
{
    unsigned             i;
    const parley_str_t  *word;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        word = &parley_proto_infos[i].word;

        if (text.len > word->len && text.data[word->len] == '.'
            && parley_octets_same(text.data, word->data, word->len))
        {
            *ret_rest = parley_str_from(text, word->len + 1);
            return (parley_proto_t) i;
        }
    }

    *ret_rest = parley_str_none;

    return PARLEY_PROTO_NONE;
}


void
parley_msg_init(parley_msg_t *m, parley_proto_t proto,
    const parley_json_t *doc)
{
    unsigned  i;

    parley_octets_zero(m, sizeof(parley_msg_t));

    m->wire = proto;
    m->origin = proto;
    m->doc = doc;
    m->created_ms = -1;
    m->timeout_ms = -1;
    m->act = PARLEY_ACT_EVENT;
    m->priority = PARLEY_PRIORITY_NORMAL;
    m->data = parley_json_ref_none;
    m->agrees = PARLEY_JSON_NONE;

    for (i = 0; i < sizeof(m->said) / sizeof(m->said[0]); i++) {
        m->said[i] = PARLEY_JSON_NONE;
    }
}


int
parley_msg_member(const parley_json_t *doc, uint32_t object,
    parley_atom_t name, parley_str_t *ret)
{
    return parley_msg_string(doc, parley_json_member(doc, object, name), ret);
}


int
parley_msg_derive(parley_arena_t *arena, const parley_msg_t *m, int version,
    parley_str_t id, parley_str_t purpose, parley_str_t *ret)
{
    char          uuid[PARLEY_UUID_LEN + 1];
    parley_str_t  fields[4];

    fields[0] = parley_proto_name(m->wire);
    fields[1] = m->owner.len > 0 ? m->owner : m->sender;
    fields[2] = id;
    fields[3] = purpose;

    if (parley_uuid_derive(version, m->created_ms > 0 ? m->created_ms : 0,
                           fields, 4, uuid)
        != 0)
    {
        return -1;
    }

    return parley_arena_str(arena, parley_str_c(uuid), ret);
}


void
parley_msg_release(const parley_msg_t *m, parley_msg_t *ret)
{
    *ret = *m;

    if (m->held) {
        ret->held = 0;
        ret->id = m->held_id;
        ret->corr = m->held_corr;
        ret->reply_to = m->held_reply_to;
    }
}


parley_str_t
parley_priority_name(parley_priority_t priority)
{
    return parley_priority_names[priority];
}


int
parley_priority_find(parley_str_t word, parley_priority_t *ret)
{
    unsigned  i;

    for (i = 0; i <= PARLEY_PRIORITY_URGENT; i++) {
        if (parley_str_eq(parley_priority_names[i], word)) {
            *ret = (parley_priority_t) i;
            return 0;
        }
    }

    return -1;
}
