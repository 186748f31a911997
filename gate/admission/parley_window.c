#include <string.h>

#include "translate/parley_codec.h"
#include "translate/parley_name.h"
#include "gate/admission/parley_window.h"


_Static_assert(PARLEY_PRINT_LEN == PARLEY_JSON_PRINT_LEN,
               "a print is kept whole");


static parley_str_t parley_window_scope(const parley_msg_t *m);


int
parley_window_knows(const parley_msg_t *m)
{
    return !m->partial && !m->anonymous && m->id.len > 0;
}


int
parley_window_is_local(const parley_msg_t *m, parley_str_t self)
{
    return m->recipient.len == 0
           || parley_str_eq(m->recipient, self)
           || parley_name_is_group(m->wire, m->recipient)
           || (m->scope.len > 0 && parley_name_is_group(m->wire, m->scope));
}


void
parley_window_key(const parley_state_t *state, const parley_who_t *who,
    const parley_arrival_t *place, uint8_t out[PARLEY_KEY_LEN])
{
    enum {
        HEAD = 0, SENDER, ID, RECIPIENT, SCOPE, RECEIVER, LOCATION, CAPTURES,
        PARTS
    };

    uint8_t              head[3];
    parley_str_t         parts[PARTS];
    const parley_msg_t  *m;

    _Static_assert((int) PARTS <= PARLEY_KEY_PARTS_MAX, "parts of a key");

    m = who->msg;

    parts[SENDER] = parley_who_proven(who);

    head[0] = (uint8_t) m->wire;
    head[1] = parts[SENDER].len > 0;
    head[2] = place != NULL && place->receiver.len > 0;

    if (parts[SENDER].len == 0) {
        parts[SENDER] = m->sender;
    }

    parts[HEAD] = parley_str_make(head, sizeof(head));
    parts[ID] = m->id;
    parts[RECIPIENT] = m->recipient;
    parts[SCOPE] = m->scope.len > 0 ? parley_window_scope(m) : m->scope;
    parts[RECEIVER] = parley_str_none;
    parts[LOCATION] = parley_str_none;
    parts[CAPTURES] = parley_str_none;

    if (place == NULL || !parley_window_is_local(m, place->self)) {
        head[2] = 0;

    } else if (head[2]) {
        parts[RECEIVER] = place->receiver;

    } else {
        parts[RECEIVER] = place->server;
        parts[LOCATION] = place->location;
        parts[CAPTURES] = place->captures;
    }

    parley_state_key(state, PARLEY_KIND_ID, parts, PARTS, out);
}


/*
 * Returns the scope, or an empty string if it names all sessions of the
 * recipient, as a message without a scope does (ACH-26).
 */

static parley_str_t
parley_window_scope(const parley_msg_t *m)
{
    parley_str_t  rest;

    if (m->wire != PARLEY_PROTO_STREAMS || m->scope.len < m->recipient.len
        || memcmp(m->scope.data, m->recipient.data, m->recipient.len) != 0)
    {
        return m->scope;
    }

    rest = parley_str_from(m->scope, m->recipient.len);

    return rest.len == 0 || parley_str_is(rest, "/*") ? parley_str_none
                                                      : m->scope;
}


void
parley_window_answer_key(const parley_state_t *state,
    const uint8_t id[PARLEY_KEY_LEN], const parley_arrival_t *place,
    uint8_t out[PARLEY_KEY_LEN])
{
    parley_str_t  parts[5];

    parts[0] = parley_str_make(id, PARLEY_KEY_LEN);
    parts[1] = place->server;
    parts[2] = place->location;
    parts[3] = place->captures;
    parts[4] = place->receiver;

    parley_state_key(state, PARLEY_KIND_ANSWER, parts, 5, out);
}


int
parley_window_print(const parley_state_t *state, const parley_msg_t *m,
    parley_json_ref_t said, uint8_t out[PARLEY_PRINT_LEN])
{
    size_t                n;
    uint32_t              skip[PARLEY_JSON_PRINT_SKIP];
    parley_json_ref_t     root;
    const parley_atom_t  (*passing)[PARLEY_CODEC_PASSING_NAMES];

    if (said.node != PARLEY_JSON_NONE) {
        return parley_json_print(said, NULL, 0, &state->prints, out);
    }

    n = 0;

    for (passing = parley_codecs[m->wire]->passing;
         passing != NULL && **passing != PARLEY_ATOM_NONE
         && n < PARLEY_JSON_PRINT_SKIP;
         passing++)
    {
        skip[n] = parley_json_path(m->doc, *passing);
        n += skip[n] != PARLEY_JSON_NONE;
    }

    root.doc = m->doc;
    root.node = 0;

    return parley_json_print(root, skip, n, &state->prints, out);
}
