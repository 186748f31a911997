/*
 * Any text as the submission of a chat surface, and the attention that it asks
 * of a few principals; as a call to a host; and as a session id.  An accepted
 * event is within its limits, no verdict is stronger than the author declared,
 * each view is valid JSON, and a knock has no text.
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


static void
fuzz_view(parley_arena_t *arena, const parley_json_t *doc)
{
    unsigned              i;
    parley_buf_t          b;
    parley_str_t          text;
    parley_json_t         written;
    parley_error_t        err;
    parley_chat_view_t    view;
    parley_chat_stored_t  event;

    memset(&view, 0, sizeof(view));
    memset(&event, 0, sizeof(event));

    event.doc = doc;
    event.author = PARLEY_STR("human:will");
    view.events = &event;
    view.nevents = 1;
    view.reader = PARLEY_STR("agent:ada");
    view.attempt = 1;
    view.replies = 1;
    view.qualified = 1;
    view.deadline_ms = -1;

    for (i = 0; i < 2; i++) {
        view.knock = i;

        parley_buf_init(&b, arena, 0);
        parley_codecs[PARLEY_PROTO_CHAT]->chat->view(&b, &view);

        check(parley_buf_done(&b, &text) == 0);
        check(parley_json_read(&written, arena, NULL, FUZZ_SEED, text, &err)
              == 0);
        check(i == 0
              || parley_json_resolve(&written, 0,
                                     PARLEY_STR("/params/content"))
                 == PARLEY_JSON_NONE);
    }
}


static void
fuzz_call(parley_arena_t *arena, const parley_json_t *doc)
{
    parley_msg_t          msg;
    parley_reply_t        reply;
    parley_error_t        err;
    parley_chat_call_t    call;
    parley_chat_result_t  result;
    const parley_chat_t  *chat;

    chat = parley_codecs[PARLEY_PROTO_CHAT]->chat;

    memset(&reply, 0, sizeof(reply));
    memset(&result, 0, sizeof(result));

    if (chat->decode(fuzz_engine(), arena, doc, &msg, &err) != 0
        || chat->call(arena, doc, &call, &err) != 0)
    {
        check(err.code != PARLEY_E_NONE);
        return;
    }

    check(call.kind < PARLEY_CHAT_CALLS);
    check(call.args.limit <= PARLEY_CHAT_READ_MAX);
    check(call.args.wait_ms >= 0);
    check(call.args.nmentions <= PARLEY_CHAT_MENTIONS_MAX);
    check(chat->answer(arena, &call, &result, &reply) == 0);
    check(reply.status == 200 || reply.status == 202);

    if (call.kind == PARLEY_CHAT_CALL_DELIVER) {
        fuzz_view(arena, doc);
    }
}


static void
fuzz_session(parley_str_t text)
{
    char                    written[PARLEY_CHAT_SESSION_MAX];
    const parley_chat_t    *chat;
    parley_chat_session_t   session;

    chat = parley_codecs[PARLEY_PROTO_CHAT]->chat;

    if (chat->session_read(text, PARLEY_STR("ada"), &session) == 0) {
        check(session.modes <= PARLEY_CHAT_MODE_ALL);
        check(chat->session_write(&session, PARLEY_STR("ada"), written) == 0);
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
    fuzz_session(parley_str_make(data, size));

    if (parley_json_read(&doc, &arena, NULL, FUZZ_SEED,
                         parley_str_make(data, size), &err)
        == 0)
    {
        fuzz_call(&arena, &doc);

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
