#include "translate/parley_named.h"
#include "translate/parley_embed.h"
#include "translate/parley_msg_field.h"


static int parley_named_is_native(const parley_msg_t *m, parley_proto_t proto);
static int parley_named_same_place(const parley_msg_t *asked,
    const parley_msg_t *back);
static int parley_named_is(const parley_msg_t *asked, parley_str_t name);


int
parley_named(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m,
    const parley_encode_opts_t *opts, const parley_encoded_t *made,
    parley_error_t *err)
{
    parley_msg_t         back;
    parley_json_t        doc;
    const parley_msg_t  *asked;

    asked = opts->answering;

    if (asked->wire != proto || !parley_named_is_native(m, proto)) {
        return 0;
    }

    if (parley_read_again(&doc, arena, m->doc->seed, made->body, err) != 0
        || parley_decode(engine, arena, proto, &doc, 0, &back, err) != 0)
    {
        return -1;
    }

    /*
     * A message that is carried after all names a message of its own protocol.
     */

    if (back.origin != proto
        || (parley_named_is(asked, back.reply_to)
            && parley_named_is(asked, back.names)
            && parley_named_same_place(asked, &back)))
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_REPLY_UNMATCHED,
                            parley_at(m, PARLEY_MSG_DATA).pointer,
                            "the answer names another message or conversation "
                            "than the answered one");
}


/*
 * Returns whether the payload belongs to proto, and is therefore written
 * unchanged.
 */

static int
parley_named_is_native(const parley_msg_t *m, parley_proto_t proto)
{
    parley_str_t  form;

    return m->wire != proto
           && (m->origin == proto
               || parley_embed_intent(m->intent, &form) == proto);
}


/*
 * Returns whether the answer has the conversation of the asked message.
 * Progress has a token instead of a conversation.
 */

static int
parley_named_same_place(const parley_msg_t *asked, const parley_msg_t *back)
{
    return !parley_codecs[back->wire]->conversations
           || (back->act != PARLEY_ACT_REPLY
               && back->act != PARLEY_ACT_FAILURE)
           || back->corr.len == 0 || asked->corr.len == 0
           || parley_engine_correlates(back, asked->corr);
}


static int
parley_named_is(const parley_msg_t *asked, parley_str_t name)
{
    return name.len == 0
           || parley_str_eq(name, asked->id)
           || parley_str_eq(name, asked->corr)
           || parley_str_eq(name, asked->question);
}
