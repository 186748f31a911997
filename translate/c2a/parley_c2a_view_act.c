/* Writes what an event does to an earlier one, its change or its reaction.  It
   is a member of a view, and lines for a model. */

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


void
parley_c2a_view_act_heads(parley_buf_t *b, const parley_chat_view_t *view,
    const parley_json_t *doc, uint32_t params, parley_c2a_heads_t *heads,
    parley_str_t *ret)
{
    size_t        i;
    uint32_t      act, value;
    parley_buf_t  more;
    parley_str_t  text;

    static const parley_str_t  words[] = {
        parley_str("glyph"), parley_str("reason"), parley_str("eta"),
        parley_str("to")
    };

    *ret = parley_str_none;

    act = parley_json_member(doc, params, PARLEY_ATOM_reaction);

    if (act == PARLEY_JSON_NONE) {
        act = parley_json_member(doc, params, PARLEY_ATOM_change);

        if (act == PARLEY_JSON_NONE
            || view->events[view->nevents - 1].id.len > 0)
        {
            return;
        }

        heads->act = PARLEY_STR("change");
        value = parley_json_member(doc, act, PARLEY_ATOM_kind);

    } else {
        heads->act = PARLEY_STR("reaction");
        value = parley_json_member(doc, act, PARLEY_ATOM_signal);
    }

    if (parley_msg_string(doc, value, &heads->acts) != 0
        || (heads->of.len == 0
            && parley_msg_member(doc, act, PARLEY_ATOM_of, &heads->of) != 0))
    {
        b->failed = 1;
    }

    if (view->signal != PARLEY_CHAT_SIGNAL_NONE) {
        heads->acts = parley_c2a_signals[view->signal - 1].name;
    }

    parley_buf_init(&more, b->arena, 0);

    for (i = heads->acts.len > 0; i < sizeof(words) / sizeof(words[0]); i++) {

        if (parley_msg_string(doc, parley_json_get(doc, act, words[i]), &text)
            != 0)
        {
            b->failed = 1;
        }

        parley_buf_str(&more, more.len > 0 && text.len > 0 ? PARLEY_STR("\n")
                                                          : parley_str_none);
        parley_buf_str(&more, text);
    }

    if (parley_buf_done(&more, ret) != 0) {
        b->failed = 1;
    }
}
