/*
 * A C2A message that comes back from the slot of another protocol.  Its
 * members were written by whoever sent the carrier, so what the carrier's
 * own fields say (who, to whom, how urgent, when) replaces theirs.
 */

#include "parley_c2a.h"
#include "parley_embed.h"
#include "parley_deadline.h"
#include "parley_name.h"
#include "parley_spot.h"


#define PARLEY_C2A_FIXED_MAX  2


/* a member that the carrier decides */
typedef struct {
    parley_atom_t  name;
    parley_str_t   value;       /* JSON text; empty: leave the member out */
    unsigned       always:1;    /* also where the object has no such member */
} parley_c2a_fixed_t;


static void parley_c2a_restored_id(parley_c2a_encode_t *e);
static int parley_c2a_restored_call(parley_c2a_encode_t *e,
    const parley_c2a_form_info_t *info);
static int parley_c2a_is_own_member(const parley_member_t *member);
static int parley_c2a_is_of_call(const parley_member_t *member,
    parley_str_t tool);
static int parley_c2a_restored_progress(parley_c2a_encode_t *e);
static void parley_c2a_restored_rest(parley_c2a_encode_t *e,
    parley_c2a_form_t form);
static int parley_c2a_is_aside(const parley_member_t *member);
static int parley_c2a_restored_event(parley_c2a_encode_t *e);
static int parley_c2a_restored_member(parley_c2a_encode_t *e,
    const parley_member_t *member);
static void parley_c2a_restored_author(parley_c2a_encode_t *e,
    const parley_member_t *member);
static int parley_c2a_restored_attention(parley_c2a_encode_t *e,
    const parley_member_t *member);
static int parley_c2a_quote(parley_c2a_encode_t *e, parley_str_t s,
    parley_str_t *ret);
static void parley_c2a_write_fixed(parley_c2a_encode_t *e,
    const parley_member_t *member, const parley_c2a_fixed_t *fixed,
    unsigned nfixed);
static const parley_member_t *parley_c2a_member(const parley_msg_t *m,
    const char *name);


int
parley_c2a_write_restored(parley_c2a_encode_t *e)
{
    parley_buf_t                  *b;
    parley_c2a_form_t              form;
    const parley_c2a_form_info_t  *info;

    b = &e->b;
    form = parley_c2a_form_find(e->m->form);

    if (form == PARLEY_C2A_FORMS) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(e->m, PARLEY_SPOT_INTENT).pointer,
                                "C2A has no such message");
    }

    info = parley_c2a_form_info(form);

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\"");

    parley_c2a_restored_id(e);

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
    parley_codecs[e->m->wire]->residue(e->m, e->loss);

    return 0;
}


static void
parley_c2a_restored_id(parley_c2a_encode_t *e)
{
    const parley_member_t  *id;

    id = parley_c2a_member(e->m, "id");

    if (id != NULL) {
        parley_buf_lit(&e->b, ",\"id\":");
        parley_buf_value(&e->b, id->value);
    }
}


/* {"name", "arguments"} and what else such a call may say */

static int
parley_c2a_restored_call(parley_c2a_encode_t *e,
    const parley_c2a_form_info_t *info)
{
    uint32_t                i;
    parley_buf_t           *b, payload;
    parley_str_t            text;
    const parley_member_t  *member;

    b = &e->b;
    member = parley_c2a_member(e->m, "name");

    parley_buf_lit(b, "{\"name\":");

    if (member != NULL
        && parley_c2a_tool_is(member->value.doc, member->value.node,
                              info->form))
    {
        parley_buf_value(b, member->value);

    } else {
        parley_buf_json_string(b, info->form);
    }

    parley_buf_init(&payload, e->arena, 0);
    parley_embed_payload(&payload, e->m, PARLEY_ATOM_NONE);

    if (parley_buf_done(&payload, &text) != 0) {
        return -1;
    }

    if (parley_c2a_member(e->m, "arguments") == NULL
        || !parley_str_is(text, "{}"))
    {
        parley_buf_lit(b, ",\"arguments\":");
        parley_buf_str(b, text);
    }

    for (i = 0; i < e->m->nmembers; i++) {
        member = &e->m->members[i];

        if (!parley_c2a_is_own_member(member)) {
            parley_buf_octet(b, ',');
            parley_buf_json_string(b, member->name);
            parley_buf_octet(b, ':');
            parley_buf_value(b, member->value);
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
    parley_buf_t  payload;
    parley_str_t  text;

    parley_buf_init(&payload, e->arena, 0);
    parley_embed_payload(&payload, e->m, PARLEY_ATOM_progressToken);

    if (parley_buf_done(&payload, &text) != 0) {
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

        if (form != PARLEY_C2A_DELIVER || !parley_c2a_is_aside(member)) {
            parley_loss_value(e->loss, member->value);
        }
    }
}


/* of the envelope of an event, but not its eventId */

static int
parley_c2a_is_aside(const parley_member_t *member)
{
    parley_atom_t  atom;

    atom = parley_atom_of(member->name);

    return atom != PARLEY_ATOM_eventId && parley_c2a_aside[atom];
}


/* The eventId is that of the origin; what is no envelope is the payload. */

static int
parley_c2a_restored_event(parley_c2a_encode_t *e)
{
    uint32_t       i;
    parley_buf_t   payload;
    parley_str_t   id, text;

    parley_buf_init(&payload, e->arena, 0);
    parley_embed_payload(&payload, e->m, PARLEY_ATOM_NONE);

    if (parley_embed_origin_id(e->m, &id) != 0
        || parley_buf_done(&payload, &text) != 0)
    {
        return -1;
    }

    parley_buf_lit(&e->b, "{\"eventId\":");
    parley_buf_json_string(&e->b, id);

    for (i = 0; i < e->m->nmembers; i++) {
        if (parley_c2a_is_aside(&e->m->members[i])
            && parley_c2a_restored_member(e, &e->m->members[i]) != 0)
        {
            return -1;
        }
    }

    if (text.len > 2) {
        parley_buf_octet(&e->b, ',');
        parley_buf_put(&e->b, text.data + 1, text.len - 2);
    }

    parley_buf_octet(&e->b, '}');

    return 0;
}


static int
parley_c2a_restored_member(parley_c2a_encode_t *e,
    const parley_member_t *member)
{
    parley_c2a_fixed_t  fixed[PARLEY_C2A_FIXED_MAX];

    memset(fixed, 0, sizeof(fixed));

    if (parley_str_is(member->name, "author")) {
        parley_c2a_restored_author(e, member);
        return 0;
    }

    if (parley_str_is(member->name, "attention")) {
        return parley_c2a_restored_attention(e, member);
    }

    if (parley_str_is(member->name, "target")) {
        fixed[0].name = PARLEY_ATOM_recipient;

        if (parley_c2a_quote(e, e->recipient, &fixed[0].value) != 0) {
            return -1;
        }

        parley_c2a_write_fixed(e, member, fixed, 1);
        return 0;
    }

    if (parley_str_is(member->name, "timing") && e->m->created.len > 0) {
        fixed[0].name = PARLEY_ATOM_createdAt;

        if (parley_c2a_quote(e, e->m->created, &fixed[0].value) != 0) {
            return -1;
        }

        parley_c2a_write_fixed(e, member, fixed, 1);
        return 0;
    }

    parley_c2a_write_fixed(e, member, NULL, 0);

    return 0;
}


static void
parley_c2a_restored_author(parley_c2a_encode_t *e,
    const parley_member_t *member)
{
    size_t              n;
    uint32_t            value;
    parley_str_t        id, kind;
    parley_c2a_fixed_t  fixed[PARLEY_C2A_FIXED_MAX];

    /* a kind may have a colon itself */

    value = parley_json_member(member->value.doc, member->value.node,
                               PARLEY_ATOM_kind);

    if (parley_msg_string(member->value.doc, value, &kind) != 0) {
        e->b.failed = 1;
        return;
    }

    n = kind.len;

    if (n == 0 || n >= e->sender.len || e->sender.data[n] != ':'
        || memcmp(e->sender.data, kind.data, n) != 0)
    {
        for (n = 0; n < e->sender.len && e->sender.data[n] != ':'; n++) {
            /* void */
        }
    }

    memset(fixed, 0, sizeof(fixed));

    fixed[0].name = PARLEY_ATOM_id;
    fixed[0].always = 1;
    fixed[1].name = PARLEY_ATOM_kind;
    fixed[1].always = 1;

    if (parley_c2a_quote(e, parley_str_from(e->sender,
                                            n + (n < e->sender.len)), &id)
        != 0
        || parley_c2a_quote(e, parley_str_make(e->sender.data, n), &kind)
           != 0)
    {
        e->b.failed = 1;
        return;
    }

    fixed[0].value = id;
    fixed[1].value = kind;

    parley_c2a_write_fixed(e, member, fixed, 2);
}


/*
 * A deadline is the message's only where somebody has to answer; elsewhere
 * it is the event's own, and so is a number that is none.
 */

static int
parley_c2a_restored_attention(parley_c2a_encode_t *e,
    const parley_member_t *member)
{
    unsigned            n;
    uint32_t            policy, deadline;
    parley_buf_t        ms;
    parley_c2a_fixed_t  fixed[PARLEY_C2A_FIXED_MAX];

    memset(fixed, 0, sizeof(fixed));

    fixed[0].name = PARLEY_ATOM_priority;
    fixed[0].always = e->m->priority != PARLEY_PRIORITY_NORMAL;

    if (parley_c2a_quote(e, parley_priority_name(e->m->priority),
                         &fixed[0].value)
        != 0)
    {
        return -1;
    }

    n = 1;
    policy = parley_json_member(member->value.doc, member->value.node,
                                PARLEY_ATOM_policy);
    deadline = parley_json_member(member->value.doc, member->value.node,
                                  PARLEY_ATOM_deadlineMs);

    if (parley_json_string_is(member->value.doc, policy,
                              PARLEY_STR("must_respond"))
        && (e->m->timeout_ms >= 0
            || parley_deadline(member->value.doc, deadline, INT64_MAX) >= 0))
    {
        fixed[1].name = PARLEY_ATOM_deadlineMs;
        n = 2;

        if (e->m->timeout_ms >= 0) {
            fixed[1].always = 1;

            parley_buf_init(&ms, e->arena, 0);
            parley_buf_int(&ms, e->m->timeout_ms);

            if (parley_buf_done(&ms, &fixed[1].value) != 0) {
                return -1;
            }
        }
    }

    parley_c2a_write_fixed(e, member, fixed, n);

    return 0;
}


static int
parley_c2a_quote(parley_c2a_encode_t *e, parley_str_t s, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, e->arena, s.len + 4);
    parley_buf_json_string(&b, s);

    return parley_buf_done(&b, ret);
}


/* What is no object stays as it is: the schema will say so. */

static void
parley_c2a_write_fixed(parley_c2a_encode_t *e, const parley_member_t *member,
    const parley_c2a_fixed_t *fixed, unsigned nfixed)
{
    unsigned              i, comma, found;
    uint32_t              k, object;
    parley_buf_t         *b;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    b = &e->b;
    doc = member->value.doc;
    object = member->value.node;
    value.doc = doc;

    parley_buf_name(b, member->name);

    if (nfixed == 0 || parley_json_type(doc, object) != PARLEY_JSON_OBJECT) {
        parley_buf_value(b, member->value);
        return;
    }

    comma = 0;
    found = 0;

    parley_buf_octet(b, '{');

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        for (i = 0; i < nfixed; i++) {
            if (parley_json_atom(doc, k) == fixed[i].name) {
                found |= 1u << i;
                break;
            }
        }

        if (i < nfixed && fixed[i].value.len == 0) {
            continue;
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        value.node = k;
        parley_buf_value(b, value);
        parley_buf_octet(b, ':');

        if (i < nfixed) {
            parley_buf_str(b, fixed[i].value);

        } else {
            value.node = k + 1;
            parley_buf_value(b, value);
        }
    }

    for (i = 0; i < nfixed; i++) {
        if (!(found & 1u << i) && fixed[i].always && fixed[i].value.len > 0) {
            parley_buf_name(b, parley_atom_name(fixed[i].name));
            parley_buf_str(b, fixed[i].value);
        }
    }

    parley_buf_octet(b, '}');
}


static const parley_member_t *
parley_c2a_member(const parley_msg_t *m, const char *name)
{
    uint32_t  i;

    for (i = 0; i < m->nmembers; i++) {
        if (parley_str_eq(m->members[i].name, parley_str_c(name))) {
            return &m->members[i];
        }
    }

    return NULL;
}
