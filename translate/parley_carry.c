#include "parley_carry.h"
#include "parley_digest.h"
#include "parley_jcs.h"

#include <stdio.h>


static int parley_carry_is_reference(const parley_json_t *doc, uint32_t item,
    parley_str_t x);
static int parley_carry_is_own(const parley_msg_t *m, uint32_t name);
static void parley_carry_copy(parley_buf_t *b, const parley_json_t *doc,
    uint32_t name, int *comma);
static void parley_carry_failure(parley_buf_t *b, const parley_msg_t *m);
static void parley_carry_verified(parley_buf_t *b,
    const parley_encode_opts_t *opts);
static void parley_carry_envelope(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, int displaces);
static void parley_carry_displaced(parley_buf_t *b, const parley_msg_t *m);


parley_proto_t
parley_carry_intent(parley_str_t intent, parley_str_t *ret_form)
{
    parley_proto_t  proto;
    const uint8_t  *dot;

    *ret_form = parley_str_none;

    dot = intent.len ? memchr(intent.data, '.', intent.len) : NULL;
    if (dot == NULL) {
        return PARLEY_PROTO_NONE;
    }

    proto = parley_proto_find(parley_str_make(intent.data,
                                              (size_t) (dot - intent.data)));

    if (proto == PARLEY_PROTO_NONE || proto == PARLEY_PROTO_CANONICAL) {
        return PARLEY_PROTO_NONE;
    }

    *ret_form = parley_str_from(intent, (size_t) (dot - intent.data) + 1);

    return ret_form->len > 0 ? proto : PARLEY_PROTO_NONE;
}


int
parley_carry_form(const parley_json_t *doc, uint32_t payload,
    parley_proto_t *ret_proto, parley_str_t *ret_intent,
    parley_str_t *ret_form)
{
    uint32_t        object;
    parley_proto_t  proto;

    *ret_proto = PARLEY_PROTO_NONE;
    *ret_intent = parley_str_none;
    *ret_form = parley_str_none;

    for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {

        object = parley_json_member(doc, payload, parley_proto_atom(proto));

        if (object == PARLEY_JSON_NONE
            || parley_json_type(doc, object) != PARLEY_JSON_OBJECT)
        {
            continue;
        }

        if (parley_msg_string(doc, parley_json_member(doc, object,
                                                      PARLEY_ATOM_form),
                              ret_intent)
            != 0)
        {
            return -1;
        }

        if (parley_carry_intent(*ret_intent, ret_form) == proto) {
            *ret_proto = proto;
            return 0;
        }
    }

    return 0;
}


parley_direction_t
parley_carry_direction(const parley_msg_t *m)
{
    parley_msg_t           outer;
    parley_str_t           form;
    parley_proto_t         proto;
    parley_direction_t     direction;
    const parley_codec_t  *codec;

    if (m->wire == PARLEY_PROTO_CANONICAL && m->outer_intent.len > 0) {
        outer = *m;
        outer.intent = m->outer_intent;
        outer.outer_intent = parley_str_none;

        direction = parley_carry_direction(&outer);

        if (direction != PARLEY_DIRECTION_ANY) {
            return direction;
        }
    }

    proto = parley_carry_intent(m->intent, &form);

    codec = proto != PARLEY_PROTO_NONE ? parley_codecs[proto] : NULL;

    if (codec == NULL || codec->direction == NULL
        || codec->direction == parley_carry_direction)
    {
        return PARLEY_DIRECTION_ANY;
    }

    return codec->direction(m);
}


uint32_t
parley_carry_reference(const parley_json_t *doc, uint32_t payload,
    parley_proto_t proto)
{
    uint32_t      refs, i, found, own;
    parley_str_t  x;

    refs = parley_json_member(doc, payload, PARLEY_ATOM_references);
    if (refs == PARLEY_JSON_NONE
        || parley_json_type(doc, refs) != PARLEY_JSON_ARRAY)
    {
        return PARLEY_JSON_NONE;
    }

    x = parley_proto_name(proto);

    own = parley_json_member(doc, payload, parley_proto_atom(proto));
    if (own != PARLEY_JSON_NONE
        && parley_json_type(doc, own) != PARLEY_JSON_OBJECT)
    {
        return PARLEY_JSON_NONE;
    }

    found = PARLEY_JSON_NONE;

    /* of several the last: a gateway appends */

    for (i = parley_json_first(refs);
         i != parley_json_end(doc, refs);
         i = parley_json_after(doc, i))
    {
        if (parley_carry_is_reference(doc, i, x)) {
            found = i;
        }
    }

    return found;
}


/*
 * {"id": ID, "type": "<x>.message", "locator": "parley:<x>:ID"}.  Strings
 * without escapes need no memory; where it ends the message ends as well.
 */

static int
parley_carry_is_reference(const parley_json_t *doc, uint32_t item,
    parley_str_t x)
{
    char          text[32];
    size_t        n;
    uint32_t      type, id, locator;
    parley_str_t  have, want;

    type = parley_json_member(doc, item, PARLEY_ATOM_type);
    id = parley_json_member(doc, item, PARLEY_ATOM_id);
    locator = parley_json_member(doc, item, PARLEY_ATOM_locator);

    n = (size_t) snprintf(text, sizeof(text), "%.*s.message", (int) x.len,
                          (const char *) x.data);

    if (!parley_json_string_is(doc, type, parley_str_make(text, n))
        || parley_msg_string(doc, id, &want) != 0
        || parley_msg_string(doc, locator, &have) != 0)
    {
        return 0;
    }

    n = (size_t) snprintf(text, sizeof(text), "parley:%.*s:", (int) x.len,
                          (const char *) x.data);

    return want.len > 0 && have.len == n + want.len
           && memcmp(have.data, text, n) == 0
           && memcmp(have.data + n, want.data, want.len) == 0;
}


int
parley_carry_write(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, const parley_encode_opts_t *opts)
{
    int                   comma, displaces;
    uint32_t              k, object;
    const parley_json_t  *doc;

    comma = 0;
    displaces = 0;
    doc = m->data.doc;
    object = m->data.node;

    parley_buf_octet(b, '{');

    if (object != PARLEY_JSON_NONE) {
        for (k = parley_json_first(object);
             k != parley_json_end(doc, object);
             k = parley_json_after(doc, k + 1))
        {
            if (parley_carry_is_own(m, k)) {
                displaces = 1;

            } else if (parley_msg_is_payload(m, k)) {
                parley_carry_copy(b, doc, k, &comma);
            }
        }
    }

    if (comma) {
        parley_buf_octet(b, ',');
    }

    if (m->act == PARLEY_ACT_FAILURE) {
        parley_carry_failure(b, m);
    }

    if (m->approves) {
        parley_buf_lit(b, "\"approved\":true,");
    }

    parley_buf_lit(b, "\"references\":[");

    if (parley_carry_reference_write(b, m, opts) != 0) {
        return -1;
    }

    parley_buf_octet(b, ']');

    parley_carry_envelope(b, m, form, displaces);

    parley_buf_octet(b, '}');

    return 0;
}


int
parley_carry_origin_id(const parley_msg_t *m, parley_str_t *ret)
{
    uint32_t  item;

    *ret = m->id;

    if (!m->carried) {
        return 0;
    }

    item = parley_carry_reference(m->data.doc, m->data.node, m->origin);

    return parley_msg_string(m->data.doc,
                             parley_json_member(m->data.doc, item,
                                                PARLEY_ATOM_id),
                             ret);
}


void
parley_carry_payload(parley_buf_t *b, const parley_msg_t *m,
    parley_atom_t skip)
{
    int                   comma;
    uint32_t              k, object;
    const parley_json_t  *doc;

    comma = 0;
    doc = m->data.doc;
    object = m->data.node;

    parley_buf_octet(b, '{');

    if (object != PARLEY_JSON_NONE) {
        for (k = parley_json_first(object);
             k != parley_json_end(doc, object);
             k = parley_json_after(doc, k + 1))
        {
            if ((m->carried && parley_carry_is_own(m, k))
                || !parley_msg_is_payload(m, k)
                || (skip != PARLEY_ATOM_NONE
                    && parley_json_atom(doc, k) == skip))
            {
                continue;
            }

            parley_carry_copy(b, doc, k, &comma);
        }
    }

    object = parley_carry_elsewhere(m);

    if (object != PARLEY_JSON_NONE) {
        for (k = parley_json_first(object);
             k != parley_json_end(doc, object);
             k = parley_json_after(doc, k + 1))
        {
            parley_carry_copy(b, doc, k, &comma);
        }
    }

    parley_buf_octet(b, '}');
}


uint32_t
parley_carry_elsewhere(const parley_msg_t *m)
{
    uint32_t              value;
    const parley_json_t  *doc;

    if (!m->carried) {
        return PARLEY_JSON_NONE;
    }

    doc = m->data.doc;

    value = parley_json_member(doc, m->data.node,
                               parley_proto_atom(m->origin));
    value = parley_json_member(doc, value, PARLEY_ATOM_payload);

    return value != PARLEY_JSON_NONE
           && parley_json_type(doc, value) == PARLEY_JSON_OBJECT
           ? value : PARLEY_JSON_NONE;
}


/* Whether carrying puts a member of this name into the payload. */

static inline int
parley_carry_is_own(const parley_msg_t *m, uint32_t name)
{
    parley_atom_t  atom;

    atom = parley_json_atom(m->data.doc, name);

    if (atom == PARLEY_ATOM_references
        || atom == parley_proto_atom(m->origin))
    {
        return 1;
    }

    if (m->approves && atom == PARLEY_ATOM_approved) {
        return 1;
    }

    return m->act == PARLEY_ACT_FAILURE
           && (atom == PARLEY_ATOM_code || atom == PARLEY_ATOM_message
               || atom == PARLEY_ATOM_retryable);
}


/* A member, name and value, octet for octet. */

static void
parley_carry_copy(parley_buf_t *b, const parley_json_t *doc, uint32_t name,
    int *comma)
{
    if (*comma) {
        parley_buf_octet(b, ',');
    }

    *comma = 1;

    parley_buf_str(b, parley_json_member_raw(doc, name));
}


/* what AEE section 4 wants in the payload of an error */

static void
parley_carry_failure(parley_buf_t *b, const parley_msg_t *m)
{
    parley_buf_lit(b, "\"code\":");

    if (m->code.len > 0) {
        parley_buf_json_string(b, m->code);

    } else {
        parley_buf_lit(b, "\"E_FAILED\"");
    }

    parley_buf_lit(b, ",\"message\":");
    parley_buf_json_string(b, m->text);

    if (m->retryable) {
        parley_buf_lit(b, ",\"retryable\":true,");

    } else {
        parley_buf_lit(b, ",\"retryable\":false,");
    }
}


int
parley_carry_digest(parley_arena_t *arena, const parley_msg_t *m,
    parley_str_t *ret)
{
    char               hex[2 * PARLEY_SHA256_LEN + 1];
    uint8_t            digest[PARLEY_SHA256_LEN];
    parley_buf_t       form;
    parley_str_t       canonical;
    parley_json_ref_t  root;

    *ret = m->digest;

    if (ret->len > 0) {
        return 0;
    }

    root.doc = m->doc;
    root.node = 0;

    parley_buf_init(&form, arena, m->doc->input.len + 1);
    parley_jcs_write(&form, root, parley_codecs[m->wire]->secret_member);

    if (parley_buf_done(&form, &canonical) != 0
        || parley_sha256(canonical, digest) != 0)
    {
        return -1;
    }

    parley_hex(digest, PARLEY_SHA256_LEN, hex);

    return parley_arena_str(arena,
                            parley_str_make(hex, 2 * PARLEY_SHA256_LEN), ret);
}


int
parley_carry_reference_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_encode_opts_t *opts)
{
    parley_str_t  x, digest;

    x = parley_proto_name(m->origin);

    if (parley_carry_digest(b->arena, m, &digest) != 0) {
        return -1;
    }

    parley_buf_lit(b, "{\"id\":");
    parley_buf_json_string(b, m->id);
    parley_buf_lit(b, ",\"type\":\"");
    parley_buf_str(b, x);
    parley_buf_lit(b, ".message\",\"hash\":\"sha256:");
    parley_buf_str(b, digest);
    parley_buf_lit(b, "\",\"locator\":\"parley:");
    parley_buf_str(b, x);
    parley_buf_octet(b, ':');
    parley_buf_json_text(b, m->id);
    parley_buf_octet(b, '"');

    parley_carry_verified(b, opts);

    parley_buf_octet(b, '}');

    return 0;
}


/* What the gateway verified of the sender, before translation (GW-08). */

static void
parley_carry_verified(parley_buf_t *b, const parley_encode_opts_t *opts)
{
    if (opts->principal.len == 0 && opts->sig_alg.len == 0) {
        return;
    }

    parley_buf_lit(b, ",\"verified\":{");

    if (opts->principal.len > 0) {
        parley_buf_member(b, PARLEY_STR("principal"), opts->principal);
    }

    if (opts->sig_alg.len > 0) {
        parley_buf_member(b, PARLEY_STR("signature"), opts->sig_alg);
    }

    if (opts->sig_kid.len > 0) {
        parley_buf_member(b, PARLEY_STR("kid"), opts->sig_kid);
    }

    parley_buf_octet(b, '}');
}


/*
 * The native envelope members that AEE has no field for, and the payload
 * members whose names carrying has taken.
 */

static void
parley_carry_envelope(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, int displaces)
{
    int       comma;
    uint32_t  i;

    if (m->nmembers == 0 && form.len == 0 && !displaces) {
        return;
    }

    comma = 0;

    parley_buf_octet(b, ',');
    parley_buf_json_string(b, parley_proto_name(m->origin));
    parley_buf_lit(b, ":{");

    if (form.len > 0) {
        comma = 1;

        parley_buf_member(b, PARLEY_STR("form"), form);
    }

    for (i = 0; i < m->nmembers; i++) {
        if (comma) {
            parley_buf_octet(b, ',');
        }

        comma = 1;

        parley_carry_member(b, &m->members[i]);
    }

    if (displaces) {
        if (comma) {
            parley_buf_octet(b, ',');
        }

        parley_carry_displaced(b, m);
    }

    parley_buf_octet(b, '}');
}


void
parley_carry_member(parley_buf_t *b, const parley_member_t *member)
{
    uint32_t              name;
    const parley_json_t  *doc;

    doc = member->value.doc;
    name = member->value.node - 1;

    /* what comes with the message from elsewhere is a document of its own */

    if (member->value.node > 0
        && (parley_json_node(doc, name)->flags
            & (PARLEY_JSON_KEY | PARLEY_JSON_ESCAPED)) == PARLEY_JSON_KEY
        && (member->name.data == parley_json_span(doc, name).data
            || parley_json_string_is(doc, name, member->name))
        && parley_json_member_is_tight(doc, name))
    {
        parley_buf_str(b, parley_json_member_raw(doc, name));
        return;
    }

    parley_buf_json_string(b, member->name);
    parley_buf_octet(b, ':');
    parley_buf_value(b, member->value);
}


static void
parley_carry_displaced(parley_buf_t *b, const parley_msg_t *m)
{
    int                   comma;
    uint32_t              k;
    const parley_json_t  *doc;

    comma = 0;
    doc = m->data.doc;

    parley_buf_lit(b, "\"payload\":{");

    for (k = parley_json_first(m->data.node);
         k != parley_json_end(doc, m->data.node);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_carry_is_own(m, k)) {
            parley_carry_copy(b, doc, k, &comma);
        }
    }

    parley_buf_octet(b, '}');
}
