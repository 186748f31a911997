/*
 * Any text as the submission of a chat surface, and the attention that it asks
 * of a few principals.  An accepted event is within its limits, and no verdict
 * is stronger than the author declared.
 */

#include "auth/parley_directory.h"
#include "gate/host/parley_attention.h"
#include "gate/settings/parley_identities.h"
#include "t/fuzz/parley_fuzz_translate.h"
#include "translate/parley_chat.h"
#include "translate/parley_codec.h"


static const parley_directory_t *
fuzz_directory(void)
{
    parley_error_t              err;
    static parley_arena_t       arena;
    static parley_directory_t  *dir;

    if (dir == NULL) {
        parley_arena_init(&arena, &parley_mem_libc, 0);

        check(parley_identities_read(&arena, &parley_mem_libc, PARLEY_STR(
                "{\"principals\":["
                "{\"sub\":\"ada\",\"handle\":\"~cc-ada\",\"c2a\":"
                "\"agent:ada\",\"roles\":[\"backend\"],\"streams\":[\"s\"],"
                "\"accounts\":[\"slack/T123/U123\"]},"
                "{\"sub\":\"cy\",\"c2a\":\"agent:cy\"},"
                "{\"sub\":\"will\",\"handle\":\"~will\",\"c2a\":"
                "\"human:will\",\"accounts\":[\"web/main/will\"]}]}"),
                &dir, &err)
              == 0);
    }

    return dir;
}


static void
fuzz_text(parley_str_t s, int required)
{
    check(s.len <= 256);
    check(!required || s.len > 0);
}


static void
fuzz_event(const parley_chat_event_t *e)
{
    unsigned  i, k;

    fuzz_text(e->id, 1);
    fuzz_text(e->platform, 1);
    fuzz_text(e->workspace, 1);
    fuzz_text(e->author, 1);
    fuzz_text(e->thread, 0);
    fuzz_text(e->stream, 0);
    fuzz_text(e->in_reply_to, 0);
    fuzz_text(e->glyph, 0);
    fuzz_text(e->of, e->act != PARLEY_CHAT_MESSAGE);

    check(!parley_str_eq(e->of, e->id));
    check(e->kind < PARLEY_CHAT_KINDS);
    check(e->reason < PARLEY_CHAT_REASONS);
    check(e->signal < PARLEY_CHAT_SIGNALS);
    check(e->directedness < PARLEY_CHAT_DIRECTEDNESSES);
    check(e->policy < PARLEY_CHAT_POLICIES);
    check(e->mode < PARLEY_CHAT_MODES);
    check(e->deadline_ms == -1
          || (e->deadline_ms > 0
              && e->deadline_ms <= PARLEY_CHAT_DEADLINE_MAX));
    check(e->nmentions <= PARLEY_CHAT_MENTIONS_MAX);

    for (i = 0; i < e->nmentions; i++) {
        check(e->mentions[i].kind != PARLEY_CHAT_TARGET_NONE);

        for (k = 0; k < i; k++) {
            check(e->mentions[i].kind != e->mentions[k].kind
                  || !parley_str_eq(e->mentions[i].text,
                                    e->mentions[k].text));
        }
    }
}


static void
fuzz_attention(parley_arena_t *arena, const parley_chat_event_t *e)
{
    size_t                      i, n;
    parley_error_t              err;
    parley_attention_t          a;
    parley_attention_input_t    in;
    const parley_principal_t   *all;
    parley_attention_offer_t    offer;
    parley_attention_thread_t   thread;
    parley_attention_verdict_t  v;

    memset(&in, 0, sizeof(in));
    memset(&offer, 0, sizeof(offer));
    memset(&thread, 0, sizeof(thread));

    thread.subject = PARLEY_STR("ada");
    in.directory = fuzz_directory();
    in.event = e;
    in.thread = &thread;
    in.deadline_ms = PARLEY_ATTENTION_DEADLINE;
    in.accepted_ms = FUZZ_NOW;
    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = FUZZ_NOW;

    if (parley_attention_init(&a, arena, &in, &err) != 0) {
        check(err.code != PARLEY_E_NONE && err.text[0] != '\0');
        return;
    }

    n = parley_directory_principals(in.directory, &all);

    for (i = 0; i < n; i++) {
        parley_attention_decide(&a, &all[i], &offer, &v);

        check(v.row < PARLEY_ATTENTION_ROWS);
        check(v.directedness <= e->directedness);
        check(v.policy <= e->policy);
        check(v.mode <= e->mode);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_json_t        doc;
    parley_error_t       err;
    parley_arena_t       arena;
    parley_chat_event_t  e;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, FUZZ_SEED,
                         parley_str_make(data, size), &err)
        == 0)
    {
        if (parley_codecs[PARLEY_PROTO_CHAT]->chat->read(fuzz_engine(), &arena,
                                                         &doc, &e, &err)
            == 0)
        {
            fuzz_event(&e);
            fuzz_attention(&arena, &e);

        } else {
            check(err.code != PARLEY_E_NONE);
        }
    }

    parley_arena_reset(&arena);

    return 0;
}
