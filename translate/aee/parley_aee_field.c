/* Finds the fields of an envelope by name, in one pass. */

#include "translate/aee/parley_aee.h"
#include "translate/parley_spelling.h"


/* fields with values that the canonical message does not hold exactly */
#define PARLEY_AEE_OTHERS                                                     \
    (1U << PARLEY_AEE_TRACE | 1U << PARLEY_AEE_REQUIRES                       \
     | 1U << PARLEY_AEE_REPLY_TO | 1U << PARLEY_AEE_FIELDS)

static inline int parley_aee_is_member(const parley_json_t *doc,
    parley_aee_field_t field, uint32_t value);


/* stored as the difference from PARLEY_AEE_FIELDS: 0 for all other names */
#define PARLEY_AEE_OF(field)  (PARLEY_AEE_FIELDS - (field))

static const uint8_t  parley_aee_atoms[PARLEY_ATOMS] = {
    [PARLEY_ATOM_v] = PARLEY_AEE_OF(PARLEY_AEE_V),
    [PARLEY_ATOM_id] = PARLEY_AEE_OF(PARLEY_AEE_ID),
    [PARLEY_ATOM_ts] = PARLEY_AEE_OF(PARLEY_AEE_TS),
    [PARLEY_ATOM_type] = PARLEY_AEE_OF(PARLEY_AEE_TYPE),
    [PARLEY_ATOM_from] = PARLEY_AEE_OF(PARLEY_AEE_FROM),
    [PARLEY_ATOM_to] = PARLEY_AEE_OF(PARLEY_AEE_TO),
    [PARLEY_ATOM_intent] = PARLEY_AEE_OF(PARLEY_AEE_INTENT),
    [PARLEY_ATOM_corr] = PARLEY_AEE_OF(PARLEY_AEE_CORR),
    [PARLEY_ATOM_reply_to] = PARLEY_AEE_OF(PARLEY_AEE_REPLY_TO),
    [PARLEY_ATOM_trace] = PARLEY_AEE_OF(PARLEY_AEE_TRACE),
    [PARLEY_ATOM_priority] = PARLEY_AEE_OF(PARLEY_AEE_PRIORITY),
    [PARLEY_ATOM_requires] = PARLEY_AEE_OF(PARLEY_AEE_REQUIRES),
    [PARLEY_ATOM_payload] = PARLEY_AEE_OF(PARLEY_AEE_PAYLOAD),
    [PARLEY_ATOM_sig] = PARLEY_AEE_OF(PARLEY_AEE_SIG),
};


parley_aee_field_t
parley_aee_field(const parley_json_t *doc, uint32_t name)
{
    return (parley_aee_field_t)
           (PARLEY_AEE_FIELDS - parley_aee_atoms[parley_json_atom(doc, name)]);
}


parley_aee_field_t
parley_aee_field_name(parley_str_t name)
{
    return (parley_aee_field_t)
           (PARLEY_AEE_FIELDS - parley_aee_atoms[parley_atom_of(name)]);
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
        field = parley_aee_field(doc, k);

        scan->fields[field] = k + 1;

        if (parley_aee_is_member(doc, field, k + 1) && scan->nmembers++ == 0) {
            scan->member = k;
        }
    }
}


/*
 * Returns whether a top-level member has no exact canonical field.  A null or
 * empty reply_to is also kept, so that a protocol with an open slot can return
 * the envelope exactly.
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
        if (!parley_aee_is_member(doc, parley_aee_field(doc, k), k + 1)) {
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


int
parley_aee_spelling(const parley_json_t *doc, parley_error_t *err)
{
    return parley_spelling_check(doc, 0, parley_aee_atoms, err);
}
