/* The fields of an envelope: found by their names, all of them in a pass. */

#include "parley_aee.h"


/* fields whose values the canonical message does not hold, or not exactly */
#define PARLEY_AEE_OTHERS                                                     \
    (1U << PARLEY_AEE_TRACE | 1U << PARLEY_AEE_REQUIRES                       \
     | 1U << PARLEY_AEE_REPLY_TO | 1U << PARLEY_AEE_FIELDS)


static inline parley_aee_field_t parley_aee_named(const parley_json_t *doc,
    uint32_t name);
static parley_aee_field_t parley_aee_field_escaped(const parley_json_t *doc,
    uint32_t name)
    __attribute__((noinline));
static inline parley_aee_field_t parley_aee_find(parley_str_t name);
static inline int parley_aee_is_member(const parley_json_t *doc,
    parley_aee_field_t field, uint32_t value);


static const parley_str_t  parley_aee_names[PARLEY_AEE_FIELDS] = {
    [PARLEY_AEE_V] = parley_str("v"),
    [PARLEY_AEE_ID] = parley_str("id"),
    [PARLEY_AEE_TS] = parley_str("ts"),
    [PARLEY_AEE_TYPE] = parley_str("type"),
    [PARLEY_AEE_FROM] = parley_str("from"),
    [PARLEY_AEE_TO] = parley_str("to"),
    [PARLEY_AEE_INTENT] = parley_str("intent"),
    [PARLEY_AEE_CORR] = parley_str("corr"),
    [PARLEY_AEE_REPLY_TO] = parley_str("reply_to"),
    [PARLEY_AEE_TRACE] = parley_str("trace"),
    [PARLEY_AEE_PRIORITY] = parley_str("priority"),
    [PARLEY_AEE_REQUIRES] = parley_str("requires"),
    [PARLEY_AEE_PAYLOAD] = parley_str("payload"),
    [PARLEY_AEE_SIG] = parley_str("sig"),
};


static inline parley_aee_field_t
parley_aee_named(const parley_json_t *doc, uint32_t name)
{
    if (parley_json_node(doc, name)->flags & PARLEY_JSON_ESCAPED) {
        return parley_aee_field_escaped(doc, name);
    }

    return parley_aee_find(parley_json_span(doc, name));
}


parley_aee_field_t
parley_aee_field(const parley_json_t *doc, uint32_t name)
{
    return parley_aee_named(doc, name);
}


/* Apart, for the rest then needs no registers to be kept. */

static parley_aee_field_t
parley_aee_field_escaped(const parley_json_t *doc, uint32_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_AEE_FIELDS; i++) {
        if (parley_json_string_is(doc, name, parley_aee_names[i])) {
            break;
        }
    }

    return (parley_aee_field_t) i;
}


/* What has one length is compared in a register: this is asked often. */

#define parley_aee_is(name, text)                                             \
    (memcmp((name).data, text, sizeof(text) - 1) == 0)

static inline parley_aee_field_t
parley_aee_find(parley_str_t name)
{
    switch (name.len) {

    case 1:
        return parley_aee_is(name, "v") ? PARLEY_AEE_V : PARLEY_AEE_FIELDS;

    case 2:
        return parley_aee_is(name, "id") ? PARLEY_AEE_ID
               : parley_aee_is(name, "ts") ? PARLEY_AEE_TS
               : parley_aee_is(name, "to") ? PARLEY_AEE_TO
                                           : PARLEY_AEE_FIELDS;

    case 3:
        return parley_aee_is(name, "sig") ? PARLEY_AEE_SIG
                                          : PARLEY_AEE_FIELDS;

    case 4:
        return parley_aee_is(name, "type") ? PARLEY_AEE_TYPE
               : parley_aee_is(name, "from") ? PARLEY_AEE_FROM
               : parley_aee_is(name, "corr") ? PARLEY_AEE_CORR
                                             : PARLEY_AEE_FIELDS;

    case 5:
        return parley_aee_is(name, "trace") ? PARLEY_AEE_TRACE
                                            : PARLEY_AEE_FIELDS;

    case 6:
        return parley_aee_is(name, "intent") ? PARLEY_AEE_INTENT
                                             : PARLEY_AEE_FIELDS;

    case 7:
        return parley_aee_is(name, "payload") ? PARLEY_AEE_PAYLOAD
                                              : PARLEY_AEE_FIELDS;

    case 8:
        return parley_aee_is(name, "priority") ? PARLEY_AEE_PRIORITY
               : parley_aee_is(name, "reply_to") ? PARLEY_AEE_REPLY_TO
               : parley_aee_is(name, "requires") ? PARLEY_AEE_REQUIRES
                                                 : PARLEY_AEE_FIELDS;

    default:
        return PARLEY_AEE_FIELDS;
    }
}


parley_aee_field_t
parley_aee_field_name(parley_str_t name)
{
    return parley_aee_find(name);
}


void
parley_aee_scan(const parley_json_t *doc, parley_aee_scan_t *scan)
{
    unsigned            i;
    uint32_t            k, end;
    parley_aee_field_t  field;

    for (i = 0; i < PARLEY_AEE_FIELDS; i++) {
        scan->fields[i] = PARLEY_JSON_NONE;
    }

    scan->nmembers = 0;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return;
    }

    end = parley_json_end(doc, 0);

    for (k = parley_json_first(0); k != end;
         k = parley_json_after(doc, k + 1))
    {
        field = parley_aee_named(doc, k);

        scan->fields[field] = k + 1;

        if (parley_aee_is_member(doc, field, k + 1) && scan->nmembers++ == 0) {
            scan->member = k;
        }
    }
}


/*
 * Whether a top-level member says what no canonical field holds.  That
 * reply_to is null, or empty, rather than absent is kept as well, so that a
 * protocol with an open slot gives the envelope back exactly.
 */

static inline int
parley_aee_is_member(const parley_json_t *doc, parley_aee_field_t field,
    uint32_t value)
{
    if (!(PARLEY_AEE_OTHERS & 1U << field)) {
        return 0;
    }

    return field != PARLEY_AEE_REPLY_TO
           || parley_json_type(doc, value) == PARLEY_JSON_NULL
           || parley_json_node(doc, value)->len == 0;
}


int
parley_aee_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_aee_scan_t *scan)
{
    uint32_t              k;
    parley_member_t      *member;
    const parley_json_t  *doc;

    if (scan->nmembers == 0) {
        return 0;
    }

    doc = msg->doc;

    msg->members = parley_arena_alloc(arena, scan->nmembers
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = scan->member;
         msg->nmembers < scan->nmembers;
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_aee_is_member(doc, parley_aee_named(doc, k), k + 1)) {
            continue;
        }

        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 0;
}
