/* Valid C2A messages, made at random from a seed: every form. */

#ifndef PARLEY_TEST_C2A_H
#define PARLEY_TEST_C2A_H

#include "parley_test_messages.h"


static inline void
gen_c2a_maybe(parley_test_gen_t *g, parley_test_object_t *o, const char *name,
    unsigned percent, unsigned min, unsigned max)
{
    if (gen_chance(g, percent)) {
        gen_member_string(g, o, name, min, max);
    }
}


static inline void
gen_c2a_any(parley_test_gen_t *g, parley_test_object_t *o, const char *name,
    unsigned percent)
{
    parley_buf_t  b;

    if (gen_chance(g, percent)) {
        gen_member(g, &b, name);
        gen_value(g, &b, 2);
        gen_member_done(o, &b);
    }
}


/* text parts, others, and a few that nearly carry a message */
static inline parley_str_t
gen_c2a_content(parley_test_gen_t *g)
{
    unsigned      n;
    parley_buf_t  b;
    parley_str_t  part;

    parley_buf_init(&b, g->arena, 256);
    parley_buf_octet(&b, '[');

    for (n = gen_below(g, 4); n > 0; n--) {
        parley_test_object_t  o = { .n = 0 };

        if (gen_chance(g, 60)) {
            gen_member_text(g, &o, "type", "text");
            gen_member_string(g, &o, "text", 0, 40);
            gen_c2a_any(g, &o, "lang", 10);

        } else {
            gen_member_text(g, &o, "type", gen_one(g, "image", "data"));
            gen_member_text(g, &o, "mediaType",
                            gen_one(g, "image/png", "application/json",
                                    "application/vnd.c2a+json"));
            gen_c2a_any(g, &o, "data", 60);
            gen_c2a_maybe(g, &o, "form", 30, 1, 5);
        }

        part = gen_object(g, &o);
        parley_buf_str(&b, part);

        if (n > 1) {
            parley_buf_octet(&b, ',');
        }
    }

    parley_buf_octet(&b, ']');

    return gen_done(&b);
}


static inline parley_str_t
gen_c2a_conversation(parley_test_gen_t *g, int destination)
{
    parley_test_object_t  o = { .n = 0 };

    if (!destination || gen_chance(g, 50)) {
        gen_member_text(g, &o, "kind", gen_one(g, "dm", "channel", "thread",
                                               "system", "tool"));
    }

    gen_member_string(g, &o, "id", 1, 12);
    gen_c2a_maybe(g, &o, "threadId", 50, 1, 20);
    gen_c2a_maybe(g, &o, "streamId", 30, 0, 8);

    if (destination && gen_chance(g, 40)) {
        gen_member_text(g, &o, "recipient", "human:will");
    }

    gen_c2a_any(g, &o, "x-more", 10);

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_knock(parley_test_gen_t *g)
{
    parley_test_object_t  o = { .n = 0 };

    gen_member_string(g, &o, "from", 1, 10);
    gen_member_string(g, &o, "where", 1, 10);
    gen_member_text(g, &o, "directedness", gen_one(g, "to_me", "to_my_role"));
    gen_member_text(g, &o, "policy", gen_one(g, "may_respond", "ack_only"));
    gen_member_text(g, &o, "priority", gen_one(g, "normal", "urgent"));
    gen_member_string(g, &o, "topic", 0, 20);
    gen_member_text(g, &o, "pullWith", gen_one(g, "chat.read_thread",
                                               "chat.list_events"));

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_author(parley_test_gen_t *g)
{
    parley_test_object_t  o = { .n = 0 };

    gen_member_text(g, &o, "kind", gen_one(g, "human", "agent", "service"));
    gen_member_text(g, &o, "id", gen_one(g, "U123", "x", "lead"));
    gen_c2a_maybe(g, &o, "displayName", 50, 0, 10);

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_attention(parley_test_gen_t *g, const char *mode)
{
    parley_test_object_t  o = { .n = 0 };

    gen_member_text(g, &o, "policy",
                    strcmp(mode, "digest") == 0
                    ? "must_not_respond"
                    : gen_one(g, "must_respond", "must_respond",
                              "may_respond", "ack_only",
                              "must_not_respond"));

    if (gen_chance(g, 60)) {
        gen_member_text(g, &o, "priority", gen_one(g, "low", "normal", "high",
                                                   "urgent"));
    }

    if (gen_chance(g, 50)) {
        gen_member_raw(g, &o, "deadlineMs",
                       parley_str_c(gen_one(g, "0", "300000", "5e3",
                                            "9007199254740991")));
    }

    gen_c2a_maybe(g, &o, "reason", 50, 0, 12);
    gen_c2a_any(g, &o, "x-more", 10);

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_target(parley_test_gen_t *g)
{
    parley_test_object_t  o = { .n = 0 };

    gen_member_text(g, &o, "directedness", gen_one(g, "to_me", "to_my_role",
                                                   "to_other", "ambient"));

    if (gen_chance(g, 60)) {
        gen_member_text(g, &o, "recipient",
                        gen_one(g, "agent:lead", "agent:lead@host.example",
                                "human:will", "service:s", "channel:C9"));
    }

    if (gen_chance(g, 40)) {
        gen_member_raw(g, &o, "mentions", parley_str_c(
                           gen_one(g, "[]", "[\"agent:lead\",\"x\"]")));
    }

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_event(parley_test_gen_t *g)
{
    const char            *mode;
    parley_test_object_t   o = { .n = 0 }, injection = { .n = 0 };
    parley_test_object_t   reliability = { .n = 0 }, timing = { .n = 0 };

    mode = gen_one(g, "immediate", "buffered", "notify", "tool_mailbox",
                   "digest", "silent");

    gen_member_text(g, &injection, "mode", mode);
    gen_c2a_maybe(g, &injection, "context", 30, 0, 8);

    gen_member_string(g, &reliability, "idempotencyKey", 1, 20);

    if (gen_chance(g, 30)) {
        gen_member_raw(g, &reliability, "attempt", PARLEY_STR("2"));
    }

    gen_member_string(g, &o, "eventId", 1, 20);
    gen_member_raw(g, &o, "conversation", gen_c2a_conversation(g, 0));
    gen_member_raw(g, &o, "target", gen_c2a_target(g));
    gen_member_raw(g, &o, "attention", gen_c2a_attention(g, mode));
    gen_member_raw(g, &o, "injection", gen_object(g, &injection));
    gen_member_raw(g, &o, "reliability", gen_object(g, &reliability));

    if (strcmp(mode, "notify") == 0) {
        gen_member_raw(g, &o, "knock", gen_c2a_knock(g));
    } else {
        gen_member_raw(g, &o, "content", gen_c2a_content(g));
    }

    if (gen_chance(g, 80)) {
        gen_member_raw(g, &o, "author", gen_c2a_author(g));
    }

    if (gen_chance(g, 80)) {
        if (gen_chance(g, 80)) {
            gen_member_text(g, &timing, "createdAt", gen_time(g, "Z"));
        }

        gen_c2a_any(g, &timing, "x-more", 20);
        gen_member_raw(g, &o, "timing", gen_object(g, &timing));
    }

    gen_c2a_any(g, &o, "references", 10);
    gen_c2a_any(g, &o, "c2a", 10);
    gen_c2a_any(g, &o, "code", 10);

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_arguments(parley_test_gen_t *g, const char *tool)
{
    parley_test_object_t  o = { .n = 0 };

    if (strcmp(tool, "chat.send_message") == 0) {
        gen_member_string(g, &o, "idempotencyKey", 1, 20);
        gen_member_text(g, &o, "visibility", gen_one(g, "dm", "thread",
                                                     "channel", "ephemeral"));
        gen_member_text(g, &o, "directedness", gen_one(g, "to_me", "ambient"));
        gen_c2a_maybe(g, &o, "inReplyTo", 50, 1, 20);
        gen_member_raw(g, &o, "content", gen_c2a_content(g));

        if (gen_chance(g, 50)) {
            gen_member_raw(g, &o, "target", gen_c2a_conversation(g, 1));
        } else {
            gen_member_text(g, &o, "target",
                            gen_one(g, "agent:lead", "channel:C1",
                                    "thread:T1", "C1"));
        }

    } else if (strcmp(tool, "chat.react") == 0) {
        gen_member_string(g, &o, "inReplyTo", 1, 20);
        gen_member_text(g, &o, "signal",
                        gen_one(g, "seen", "agree", "working", "queued",
                                "claimed", "done", "declined", "blocked",
                                "unclear"));
        gen_c2a_maybe(g, &o, "eta", 30, 0, 10);
        gen_c2a_maybe(g, &o, "reason", 30, 0, 10);
        gen_c2a_any(g, &o, "code", 20);
        gen_c2a_any(g, &o, "retryable", 20);

    } else {
        gen_member_string(g, &o, "inReplyTo", 1, 20);
        gen_member_string(g, &o, "reason", 0, 10);
        gen_c2a_maybe(g, &o, "idempotencyKey", 30, 1, 12);
    }

    gen_c2a_any(g, &o, "references", 10);
    gen_c2a_any(g, &o, "x-more", 10);

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a_notice(parley_test_gen_t *g, const char *method)
{
    parley_test_object_t  o = { .n = 0 };

    if (strcmp(method, "notifications/cancelled") == 0) {
        gen_member_string(g, &o, "requestId", 1, 12);
        gen_c2a_maybe(g, &o, "reason", 50, 0, 20);
    } else {
        gen_member_raw(g, &o, "progressToken", parley_str_c(
                           gen_one(g, "7", "\"deploy-check-1\"")));
        gen_member_raw(g, &o, "progress", parley_str_c(
                           gen_one(g, "2", "0.5", "1e2")));
        gen_c2a_maybe(g, &o, "message", 50, 0, 20);
    }

    return gen_object(g, &o);
}


static inline parley_str_t
gen_c2a(parley_test_gen_t *g)
{
    unsigned              form;
    const char           *name;
    parley_test_object_t  o = { .n = 0 }, params = { .n = 0 };

    static const char *const  tools[] = {
        "chat.send_message", "chat.react", "chat.claim", "chat.defer",
        "chat.resolve", "chat.list_events", "chat.read_thread"
    };

    form = gen_below(g, 10);

    gen_member_text(g, &o, "jsonrpc", "2.0");

    if (form < 8 && (form >= 4 || gen_chance(g, 80))) {
        gen_member_raw(g, &o, "id", parley_str_c(
                           gen_one(g, "1", "-1.5", "\"deliver-456\"",
                                   "\"\\u00e9\"")));
    }

    if (form < 4) {
        gen_member_text(g, &o, "method", "chat/deliver");
        gen_member_raw(g, &o, "params", gen_c2a_event(g));

    } else if (form < 8) {
        name = gen_word(g, tools, sizeof(tools) / sizeof(tools[0]));

        gen_member_text(g, &params, "name", name);
        gen_member_raw(g, &params, "arguments", gen_c2a_arguments(g, name));

        if (gen_chance(g, 20)) {
            gen_member_raw(g, &params, "_meta", PARLEY_STR("{\"a\":[1]}"));
        }

        gen_member_text(g, &o, "method", "tools/call");
        gen_member_raw(g, &o, "params", gen_object(g, &params));

    } else {
        name = form == 8 ? "notifications/cancelled"
                         : "notifications/progress";

        gen_member_text(g, &o, "method", name);
        gen_member_raw(g, &o, "params", gen_c2a_notice(g, name));
    }

    return gen_object(g, &o);
}


#endif /* PARLEY_TEST_C2A_H */
