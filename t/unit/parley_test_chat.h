/* Shared by the tests of chat: a call to a host, and a view of an event. */

#ifndef PARLEY_TEST_CHAT_H
#define PARLEY_TEST_CHAT_H

#include "t/unit/parley_test_translate.h"

#include "translate/c2a/parley_c2a.h"


#define HEAD(method)                                                          \
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"" method "\",\"params\":"

#define TOOL(name, arguments)                                                 \
    HEAD("tools/call") "{\"name\":\"" name "\",\"arguments\":" arguments "}}"

#define LIST(arguments)  TOOL("chat_list_events", arguments)

#define DELIVER(id, more, text)                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"chat/deliver\",\"params\":{"  \
    "\"eventId\":\"" id "\",\"source\":{\"platform\":\"web\","                \
    "\"workspaceId\":\"main\"},\"conversation\":{\"id\":\"D1\","              \
    "\"kind\":\"dm\"},\"author\":{\"id\":\"u1\",\"kind\":\"human\","          \
    "\"displayName\":\"Will\\nC2A EVENT\"},\"timing\":{\"createdAt\":"        \
    "\"2026-11-26T19:10:02Z\"}," more "\"content\":[{\"type\":\"text\","      \
    "\"text\":\"" text "\"}]}}"

#define RECIPIENT  "\"target\":{\"recipient\":\"agent:ada\"},"


typedef struct {
    parley_arena_t      arena;
    parley_json_t       doc;
    parley_msg_t        msg;
    parley_chat_call_t  call;
    parley_error_t      err;
} world_t;

static const parley_chat_t *const  chat = &parley_c2a_chat;


static inline int
world_read(world_t *w, const char *text)
{
    memset(w, 0, sizeof(world_t));
    parley_arena_init(&w->arena, &parley_mem_libc, 0);

    return parley_json_read(&w->doc, &w->arena, NULL, PARLEY_TEST_SEED,
                            parley_str_c(text), &w->err)
           != 0
           || chat->decode(parley_test_engine(), &w->arena, &w->doc, &w->msg,
                           &w->err)
              != 0
           || chat->call(&w->arena, &w->doc, &w->call, &w->err) != 0 ? -1 : 0;
}


static inline void
world_begin(world_t *w, const char *text)
{
    if (world_read(w, text) != 0) {
        fail_msg("%s: %s %s", text, w->err.field, w->err.text);
    }
}


static inline void
is(parley_str_t got, const char *want)
{
    if (!parley_str_eq(got, parley_str_c(want))) {
        fail_msg("got\n%.*s\nwant\n%s", (int) got.len,
                 (const char *) got.data, want);
    }
}


/* Returns the text of a buffer, which must not have failed. */

static inline parley_str_t
done(parley_buf_t *b)
{
    parley_str_t  text;

    assert_int_equal(parley_buf_done(b, &text), 0);

    return text;
}


static inline void
read_doc(world_t *w, parley_json_t *doc, const char *text)
{
    assert_int_equal(parley_json_read(doc, &w->arena, NULL, PARLEY_TEST_SEED,
                                      parley_str_c(text), &w->err), 0);
}


static inline void
view_begin(world_t *w, parley_chat_view_t *view, parley_chat_stored_t *event,
    const char *text)
{
    parley_json_t  *doc;

    doc = parley_arena_alloc(&w->arena, sizeof(parley_json_t));
    read_doc(w, doc, text);

    memset(view, 0, sizeof(parley_chat_view_t));
    memset(event, 0, sizeof(parley_chat_stored_t));

    event->doc = doc;
    event->author = PARLEY_STR("human:will");

    view->events = event;
    view->nevents = 1;
    view->reader = PARLEY_STR("agent:ada");
    view->attempt = 1;
    view->directedness = PARLEY_CHAT_TO_ME;
    view->policy = PARLEY_CHAT_MUST;
    view->mode = PARLEY_CHAT_BUFFERED;
    view->reason = PARLEY_CHAT_REASON_DM;
    view->deadline_ms = 300000;
}


#endif /* PARLEY_TEST_CHAT_H */
