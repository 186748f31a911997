#include "translate/parley_engine.h"
#include "translate/parley_fault.h"
#include "translate/parley_msg_field.h"

#include <string.h>


typedef struct {
    const parley_msg_t  *sent;      /* as the service reads it */
    const parley_msg_t  *request;
    parley_str_t         field;     /* pointer in sent->doc */
    int                  missing;   /* the field may name a missing member */
    char                 pointer[PARLEY_POINTER_MAX];   /* pointer in
                                                           request->doc */
} parley_fault_t;


static int parley_fault_map(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_str_t field, int missing,
    parley_str_t *ret, parley_error_t *err);
static int parley_fault_find(parley_fault_t *f);
static int parley_fault_field(parley_fault_t *f);
static int parley_fault_has(const parley_msg_t *m, parley_msg_field_t field,
    const char *pointer);
static int parley_fault_member(parley_fault_t *f);
static int parley_fault_value(parley_fault_t *f, parley_json_ref_t there,
    parley_json_ref_t here);
static int parley_fault_names_member(const parley_fault_t *f,
    const parley_json_t *doc);
static int parley_fault_same(const parley_fault_t *f);
static uint32_t parley_fault_parent(const parley_json_t *doc,
    parley_str_t pointer);


/* if two canonical fields have one place, the earlier field counts */
static const parley_msg_field_t  parley_fault_spots[] = {
    PARLEY_MSG_ID, PARLEY_MSG_SENDER, PARLEY_MSG_RECIPIENT,
    PARLEY_MSG_CREATED, PARLEY_MSG_PRIORITY, PARLEY_MSG_TIMEOUT,
    PARLEY_MSG_REPLY_TO, PARLEY_MSG_CORR, PARLEY_MSG_INTENT,
    PARLEY_MSG_FORM
};


int
parley_fault_answer(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_answer_t *answer,
    parley_error_t *err)
{
    int                  missing;
    parley_str_t         field;
    const parley_msg_t  *m;

    m = &answer->msg;
    field = answer->field;
    missing = parley_error_code(answer->kind == PARLEY_ANSWER_REFUSED
                                ? answer->code : m->code)
              == PARLEY_E_FIELD_MISSING;

    answer->field = parley_str_none;

    if (answer->kind == PARLEY_ANSWER_MESSAGE
        && m->act == PARLEY_ACT_FAILURE && parley_codecs[m->wire]->retries
        && m->data.node != PARLEY_JSON_NONE
        && parley_msg_string(m->data.doc,
                             parley_json_member(m->data.doc, m->data.node,
                                                PARLEY_ATOM_field),
                             &field)
           != 0)
    {
        return parley_error_memory(err);
    }

    return parley_fault_map(engine, arena, request, proto, sent, field,
                            missing, &answer->field, err);
}


static int
parley_fault_map(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_str_t field, int missing,
    parley_str_t *ret, parley_error_t *err)
{
    parley_msg_t    msg;
    parley_json_t   doc;
    parley_fault_t  f;

    *ret = parley_str_none;

    if (field.len == 0 || field.data[0] != '/' || request->doc == NULL) {
        return 0;
    }

    f.field = field;
    f.missing = missing;
    f.pointer[0] = '\0';

    if (request->wire == proto) {
        if (parley_fault_names_member(&f, request->doc)) {
            *ret = field;
        }

        return 0;
    }

    if (parley_read_again(&doc, arena, request->doc->seed, sent->body, err)
        != 0
        || parley_decode(engine, arena, proto, &doc, 0, &msg, err) != 0)
    {
        if (err->code == PARLEY_E_CAPACITY) {
            return -1;
        }

        parley_error_clear(err);
        return 0;
    }

    f.sent = &msg;
    f.request = request;

    if (!parley_fault_find(&f)) {
        return 0;
    }

    return parley_arena_str(arena, parley_str_c(f.pointer), ret) == 0
           ? 0 : parley_error_memory(err);
}


static int
parley_fault_find(parley_fault_t *f)
{
    return parley_fault_field(f) || parley_fault_member(f)
           || (parley_fault_value(f, f->sent->data, f->request->data)
               && parley_fault_same(f));
}


/*
 * Finds a canonical field: both messages have it, each at its protocol's place.
 */

static int
parley_fault_field(parley_fault_t *f)
{
    unsigned     i;
    parley_at_t  at;

    for (i = 0;
         i < sizeof(parley_fault_spots) / sizeof(parley_fault_spots[0]);
         i++)
    {
        at = parley_at(f->sent, parley_fault_spots[i]);

        if (!parley_str_eq(parley_str_c(at.pointer), f->field)
            || !parley_fault_has(f->sent, parley_fault_spots[i], at.pointer))
        {
            continue;
        }

        at = parley_at(f->request, parley_fault_spots[i]);

        if (parley_fault_has(f->request, parley_fault_spots[i], at.pointer)) {
            memcpy(f->pointer, at.pointer, sizeof(f->pointer));
            return 1;
        }
    }

    return 0;
}


/*
 * Returns whether a message has a field.  The place is that of the protocol,
 * and its value may have another meaning in this message.  (A VCP reason names
 * the answered message only in an acknowledgment.)
 */

static int
parley_fault_has(const parley_msg_t *m, parley_msg_field_t field,
    const char *pointer)
{
    uint32_t  node;

    if (pointer[0] == '\0'
        || (field == PARLEY_MSG_REPLY_TO && m->reply_to.len == 0)
        || (field == PARLEY_MSG_TIMEOUT && m->timeout_ms < 0))
    {
        return 0;
    }

    node = parley_json_resolve(m->doc, 0, parley_str_c(pointer));

    return node != PARLEY_JSON_NONE
           && parley_json_type(m->doc, node) != PARLEY_JSON_NULL;
}


static int
parley_fault_member(parley_fault_t *f)
{
    uint32_t                i, k;
    const parley_member_t  *there, *here;

    for (i = 0; i < f->sent->nmembers; i++) {
        there = &f->sent->members[i];

        for (k = 0; k < f->request->nmembers; k++) {
            here = &f->request->members[k];

            if (parley_str_eq(here->name, there->name)
                && parley_fault_value(f, there->value, here->value)
                && parley_fault_same(f))
            {
                return 1;
            }
        }
    }

    return 0;
}


/*
 * Returns whether field is in the value there.  Sets the pointer to the
 * equivalent place in the value here, which may have another value.
 */

static int
parley_fault_value(parley_fault_t *f, parley_json_ref_t there,
    parley_json_ref_t here)
{
    size_t        len, size;
    char          pointer[PARLEY_POINTER_MAX];
    parley_str_t  rest;

    if (there.doc != f->sent->doc || there.node == PARLEY_JSON_NONE
        || here.doc != f->request->doc || here.node == PARLEY_JSON_NONE)
    {
        return 0;
    }

    len = parley_json_pointer(there.doc, there.node, pointer, sizeof(pointer));

    if (f->field.len < len || memcmp(f->field.data, pointer, len) != 0
        || (f->field.len > len && f->field.data[len] != '/'))
    {
        return 0;
    }

    rest = parley_str_from(f->field, len);
    size = sizeof(f->pointer);

    len = parley_json_pointer(here.doc, here.node, f->pointer, size);

    if (len + rest.len >= size) {
        return 0;
    }

    memcpy(f->pointer + len, rest.data, rest.len);
    f->pointer[len + rest.len] = '\0';

    return 1;
}


/*
 * Returns whether the field is the pointer of a value, or of a missing member
 * of an object.
 */

static int
parley_fault_names_member(const parley_fault_t *f, const parley_json_t *doc)
{
    return parley_json_resolve(doc, 0, f->field) != PARLEY_JSON_NONE
           || (f->missing && parley_fault_parent(doc, f->field)
                             != PARLEY_JSON_NONE);
}


/* Returns whether both values are equal, or the member is missing in both. */

static int
parley_fault_same(const parley_fault_t *f)
{
    parley_str_t       pointer;
    parley_json_ref_t  there, here;

    pointer = parley_str_c(f->pointer);

    there.doc = f->sent->doc;
    there.node = parley_json_resolve(there.doc, 0, f->field);
    here.doc = f->request->doc;
    here.node = parley_json_resolve(here.doc, 0, pointer);

    if (there.node != PARLEY_JSON_NONE && here.node != PARLEY_JSON_NONE) {
        return there.node == f->sent->data.node
               || parley_json_equal(there, here);
    }

    return there.node == here.node && f->missing
           && parley_fault_parent(there.doc, f->field) != PARLEY_JSON_NONE
           && parley_fault_parent(here.doc, pointer) != PARLEY_JSON_NONE;
}


/* Returns the object that contains the member of a pointer, or lacks it. */

static uint32_t
parley_fault_parent(const parley_json_t *doc, parley_str_t pointer)
{
    uint32_t  node;

    while (pointer.len > 0 && pointer.data[pointer.len - 1] != '/') {
        pointer.len--;
    }

    if (pointer.len == 0) {
        return PARLEY_JSON_NONE;
    }

    pointer.len--;

    node = parley_json_resolve(doc, 0, pointer);

    return node != PARLEY_JSON_NONE
           && parley_json_type(doc, node) == PARLEY_JSON_OBJECT
           ? node : PARLEY_JSON_NONE;
}
