/* Writes what an event does to an earlier one: its change or its reaction. */

#include "translate/c2a/parley_c2a_chat.h"


static void parley_c2a_view_signal(parley_buf_t *b,
    const parley_chat_view_t *view, const parley_json_t *doc,
    uint32_t reaction, int knock);


void
parley_c2a_view_act(parley_buf_t *b, const parley_chat_view_t *view,
    const parley_json_t *doc, uint32_t params, int knock)
{
    size_t    i;
    uint32_t  value;

    static const parley_str_t  words[] = {
        parley_str("reason"), parley_str("eta"), parley_str("to")
    };

    value = parley_json_member(doc, params, PARLEY_ATOM_change);

    if (value != PARLEY_JSON_NONE
        && view->events[view->nevents - 1].id.len == 0)
    {
        parley_buf_lit(b, ",\"change\":{");
        parley_c2a_view_raw(b, PARLEY_STR("of"), doc,
                            parley_json_member(doc, value, PARLEY_ATOM_of));
        parley_c2a_view_raw(b, PARLEY_STR("kind"), doc,
                            parley_json_member(doc, value,
                                               PARLEY_ATOM_kind));
        parley_buf_octet(b, '}');
    }

    value = parley_json_member(doc, params, PARLEY_ATOM_reaction);

    if (value == PARLEY_JSON_NONE) {
        return;
    }

    parley_buf_lit(b, ",\"reaction\":{");
    parley_c2a_view_raw(b, PARLEY_STR("of"), doc,
                        parley_json_member(doc, value, PARLEY_ATOM_of));
    parley_c2a_view_signal(b, view, doc, value, knock);

    for (i = 0; !knock && i < sizeof(words) / sizeof(words[0]); i++) {
        parley_c2a_view_raw(b, words[i], doc,
                            parley_json_get(doc, value, words[i]));
    }

    parley_buf_octet(b, '}');
}


/* Writes what a reaction says.  A knock has no glyph, which may be text. */

static void
parley_c2a_view_signal(parley_buf_t *b, const parley_chat_view_t *view,
    const parley_json_t *doc, uint32_t reaction, int knock)
{
    if (view->signal != PARLEY_CHAT_SIGNAL_NONE) {
        parley_buf_member(b, PARLEY_STR("signal"),
                          parley_c2a_signals[view->signal - 1].name);

    } else {
        parley_c2a_view_raw(b, PARLEY_STR("signal"), doc,
                            parley_json_member(doc, reaction,
                                               PARLEY_ATOM_signal));
    }

    if (view->glyph.len > 0) {
        parley_buf_member(b, PARLEY_STR("glyph"), view->glyph);

    } else if (!knock) {
        parley_c2a_view_raw(b, PARLEY_STR("glyph"), doc,
                            parley_json_get(doc, reaction,
                                            PARLEY_STR("glyph")));
    }
}
