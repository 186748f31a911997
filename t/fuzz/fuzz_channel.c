/*
 * Any text as an agent-channel frame.  An accepted frame comes back unchanged
 * from AEE.  An AEE envelope that a frame can carry without loss comes back
 * unchanged from agent-channel.  Accepted arguments of a verb become a frame
 * (ACH-27).  The output is always valid.
 */

#include <stdlib.h>

#include "translate/channel/parley_channel_verb.h"
#include "translate/parley_engine.h"
#include "core/parley_jcs.h"
#include "translate/parley_embed.h"
#include "t/fuzz/parley_fuzz.h"
#include "core/parley_id.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static const parley_engine_t *
engine(void)
{
    parley_error_t           err;
    static parley_engine_t  *made;

    if (made == NULL) {
        made = parley_engine_create(&parley_mem_libc, &err);
        check(made != NULL);
    }

    return made;
}


static void
attribute(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    (void) ctx;
    (void) proto;
    (void) name;

    *ret_human = PARLEY_STR("~alice");
    *ret_instrument = PARLEY_STR("~cc-model@1");
}


static parley_str_t
canonical(parley_arena_t *arena, const parley_json_t *doc)
{
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 16);
    parley_jcs_write(&b, (parley_json_ref_t) { doc, 0 }, PARLEY_STR("sig"));
    check(parley_buf_done(&b, &ret) == 0);

    return ret;
}


/*
 * Returns whether no optional member is null or empty.  Such members are not
 * in a text, and the envelope comes back without them.
 */

static int
all_say_something(const parley_json_t *doc)
{
    size_t    i;
    uint32_t  node;

    static const parley_str_t  names[] = {
        parley_str("reply_to"), parley_str("requires"), parley_str("trace")
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        node = parley_json_get(doc, 0, names[i]);

        if (node == PARLEY_JSON_NONE) {
            continue;
        }

        switch (parley_json_type(doc, node)) {

        case PARLEY_JSON_OBJECT:
            if (parley_json_node(doc, node)->count == 0) {
                return 0;
            }

            break;

        case PARLEY_JSON_STRING:
            if (parley_json_raw(doc, node).len <= 2) {
                return 0;
            }

            break;

        default:
            return 0;
        }
    }

    return 1;
}


static int
same_member(const parley_json_t *a, const parley_json_t *b, parley_str_t name)
{
    uint32_t  i, k;

    i = parley_json_get(a, 0, name);
    k = parley_json_get(b, 0, name);

    return i != PARLEY_JSON_NONE && k != PARLEY_JSON_NONE
           && parley_json_equal((parley_json_ref_t) { a, i },
                                (parley_json_ref_t) { b, k });
}


/* Returns whether a UUID is in lower case: others come back in lower case. */

static int
is_lower(const parley_json_t *doc, parley_str_t name)
{
    size_t        i;
    parley_str_t  text;

    text = parley_json_raw(doc, parley_json_get(doc, 0, name));

    for (i = 0; i < text.len; i++) {
        if (text.data[i] >= 'A' && text.data[i] <= 'Z') {
            return 0;
        }
    }

    return 1;
}


/* Translates m to the protocol via and back. */

static int
there_and_back(parley_arena_t *arena, const parley_msg_t *m,
    parley_proto_t via, parley_encode_opts_t *opts, parley_loss_t *loss,
    parley_json_t *ret)
{
    parley_json_t        *middle;
    parley_msg_t          msg;
    parley_error_t        err;
    parley_encoded_t      made;
    parley_submission_t   submission;

    if (parley_encode(engine(), arena, via, m, opts, &made, loss, &err) != 0)
    {
        check(err.code != PARLEY_E_NONE && err.code != PARLEY_E_CAPACITY);
        return -1;
    }

    middle = parley_arena_alloc(arena, sizeof(parley_json_t));
    check(middle != NULL);

    memset(&submission, 0, sizeof(submission));
    submission.scope = made.scope;

    check(parley_read_again(middle, arena, 2, made.body, &err) == 0);
    check(parley_decode(engine(), arena, via, middle, 0, &msg, &err) == 0);
    check(parley_submit(arena, &msg, &submission, &err) == 0);
    check(via == PARLEY_PROTO_MOQ || parley_str_eq(msg.id, made.id));

    if (parley_encode(engine(), arena, m->wire, &msg, opts, &made, loss, &err)
        != 0)
    {
        return -1;
    }

    check(parley_read_again(ret, arena, 3, made.body, &err) == 0);

    return 0;
}


static void
verbs(parley_arena_t *arena, const parley_json_t *doc)
{
    unsigned                      i;
    parley_str_t                  text, made;
    parley_json_t                 frame;
    parley_error_t                err;
    parley_channel_call_t         call;
    const parley_channel_verb_t  *verb;

    memset(&call, 0, sizeof(call));

    call.arguments.doc = doc;
    call.sender = PARLEY_STR("~alice");
    call.acted_by = PARLEY_STR("~alice");
    call.drafted_with = PARLEY_STR("~cc-alice");
    call.frame_id = PARLEY_STR("4d0b9d36-7a52-4d0b-9d36-2a6ab8a4a1d2");
    call.made = PARLEY_STR("5d0b9d36-7a52-4d0b-9d36-2a6ab8a4a1d2");
    call.now_ms = 1764000000123;
    call.window_ms = 20000;

    for (i = 0; i < PARLEY_CHANNEL_VERBS; i++) {
        verb = parley_channel_verb(i);

        if (verb->does >= PARLEY_CHANNEL_DOES_ROSTER
            || parley_validate_part(engine(), PARLEY_PROTO_CHANNEL, i,
                                    call.arguments, NULL)
               != 0)
        {
            continue;
        }

        check(parley_channel_verb_frame(arena, verb, &call, &text, &made)
              == 0);
        check(parley_read_again(&frame, arena, 4, text, &err) == 0);
        check(verb->makes.len == 0 || made.len == PARLEY_UUID_LEN);

        /* the arguments decide the kind of the payload */

        check(parley_validate(engine(), PARLEY_PROTO_CHANNEL, &frame, &err)
              == 0 || verb->kind.len == 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int                    went;
    parley_msg_t           msg;
    parley_loss_t          loss;
    parley_json_t          doc, back;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encode_opts_t   opts;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);
    memset(&opts, 0, sizeof(opts));

    if (parley_json_read(&doc, &arena, NULL, 1, parley_str_make(data, size),
                         &err)
        != 0)
    {
        parley_arena_reset(&arena);
        return 0;
    }

    verbs(&arena, &doc);

    if (parley_decode(engine(), &arena, PARLEY_PROTO_CHANNEL, &doc, 0, &msg,
                      &err)
        == 0)
    {
        if (!msg.held) {
            went = there_and_back(&arena, &msg, PARLEY_PROTO_AEE, &opts,
                                  &loss, &back);

            /* a message that contains another one cannot be carried itself */

            check(went == 0 || parley_embed_nested(&msg, &err) != 0);
            check(went != 0 || !is_lower(&doc, PARLEY_STR("frame_id"))
                  || parley_json_equal((parley_json_ref_t) { &doc, 0 },
                                       (parley_json_ref_t) { &back, 0 }));

        } else {
            (void) there_and_back(&arena, &msg, PARLEY_PROTO_AEE, &opts,
                                  &loss, &back);
        }

        went = there_and_back(&arena, &msg, PARLEY_PROTO_MOQ, &opts, &loss,
                              &back);

        check(went != 0 || msg.held
              || !is_lower(&doc, PARLEY_STR("frame_id"))
              || parley_json_equal((parley_json_ref_t) { &doc, 0 },
                                   (parley_json_ref_t) { &back, 0 }));
    }

    opts.attribute = attribute;

    if (parley_decode(engine(), &arena, PARLEY_PROTO_AEE, &doc, 0, &msg, &err)
        == 0
        && there_and_back(&arena, &msg, PARLEY_PROTO_CHANNEL, &opts, &loss,
                          &back)
           == 0
        && msg.origin == PARLEY_PROTO_AEE && loss.count == 0)
    {
        check(same_member(&doc, &back, PARLEY_STR("id")));
        check(same_member(&doc, &back, PARLEY_STR("payload")));
        check(!all_say_something(&doc)
              || parley_str_eq(canonical(&arena, &doc),
                               canonical(&arena, &back)));
    }

    parley_arena_reset(&arena);

    return 0;
}
