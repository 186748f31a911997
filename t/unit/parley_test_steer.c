#include "t/unit/parley_test_steer.h"

#include <stddef.h>


static const parley_test_steer_t  parley_test_steer_aee[] = {
    { "/id", 90, { "@7", "@7", "@4", "01JFB2R1JZKQ9V3K8W8Y9W1F2A",
                   "an-id-of-its-own" } },
    { "/ts", 93, { "@t" } },
    { "/from", 92, { "agent.a", "human.alice", "service.s", "agent.b@h.example",
                     "agent.cc-x", "human.caf\303\251", "agent.lead" } },
    { "/to", 92, { "agent.z", "human.bob", "service.q", "agent.lead@host",
                   "agent.cc-z", "bus.ops", "bus.broadcast" } },
    { "/intent", 85, { "vcp.@v", "vcp.@v", "vcp.escalation", "channel.@c",
                       "channel.@c", "moq.cmd.render", "ops.backup.check",
                       "ops.backup.check", "aee.status.ping", "vcp.nothing",
                       "c2a.chat.deliver" } },
    { "/corr", 80, { "a-thread", "@4" } },
    { "/payload", 15, { "{\"text\":\"a\\n\\naee.task b.c\\nid: 12345678"
                        "\\n\\n{}\",\"n\":1}",
                        "{\"text\":\"a\\n\\n\"}",
                        "{\"text\":\"error E_X: a\",\"message\":\"m\"}",
                        "{\"message\":\"vcp.escalation\"}" } },
    { "/reply_to", 80, { "@7", "@7", "@4", "an-earlier-one" } },
    { "/trace/trace_id", 60, { "4bf92f3577b34da6a3ce929d0e0e4736", "9f3c" } },
    { "/trace/span_id", 60, { "00f067aa0ba902b7", "a12b" } },
    { "/requires/timeout_ms", 70, { "#5000", "#5e3", "#30000", "#0.5", "#0",
                                    "#-1", "#1e20" } },
    { "/sig", 60, { "{\"alg\":\"ed25519\",\"kid\":\"k\",\"value\":\"QUFB\"}",
                    "{}" } },
    { NULL, 0, { NULL } }
};


static const parley_test_steer_t  parley_test_steer_vcp[] = {
    { "/sender", 92, { "agent://h.example/a", "human://alice", "service://s",
                       "x", "cc-x", "human://caf\303\251",
                       "agent://a.b/x y" } },
    { "/recipient", 92, { "agent://h/z", "human://bob", "service://q", "y",
                          "broadcast", "cc-z" } },
    { "/payload/reason", 30, { "ACK:@7", "ACK:@7 seen", "ACK:@7x",
                               "ACK:no", "a\n\nvcp.escalation\nid: b\n\n{}",
                               "error E_X: a" } },
    { NULL, 0, { NULL } }
};


static const parley_test_steer_t  parley_test_steer_vcp2[] = {
    { "/message_id", 70, { "@4", "@4", "@7" } },
    { "/timestamp", 70, { "@t" } },
    { "/sender", 92, { "agent://h.example/a", "human://alice", "service://s",
                       "x", "cc-x", "human://caf\303\251",
                       "agent://a.b/x y" } },
    { "/recipient", 92, { "agent://h/z", "human://bob", "service://q", "y",
                          "broadcast", "cc-z" } },
    { "/payload/reason", 30, { "ACK:@7", "ACK:@4 seen", "ACK:@7x", "",
                               "ACK:no", "a\n\nvcp2.escalation\nid: b\n\n{}",
                               "error E_X: a" } },
    { NULL, 0, { NULL } }
};


static const parley_test_steer_t  parley_test_steer_c2a[] = {
    { "/method", 98, { "chat/deliver", "chat/deliver", "chat/deliver",
                       "chat/deliver", "tools/call", "tools/call",
                       "tools/call", "tools/call", "tools/call",
                       "notifications/cancelled", "notifications/progress",
                       "initialize" } },
    { "/params/name", 98, { "chat.list_events", "chat.read_thread",
                            "chat.send_message", "chat.send_message",
                            "chat.react", "chat.react", "chat.claim",
                            "chat.defer", "chat.resolve" } },
    { "/params/author/kind", 92, { "human", "agent", "agent", "human",
                                     "service", "a:kind" } },
    { "/params/author/id", 70, { "x", "lead", "U123", "cc-x" } },
    { "/params/target/recipient", 92, { "agent:lead", "human:will",
                                        "agent:lead@host.example",
                                        "service:s", "channel:C9" } },
    { "/params/timing/createdAt", 92, { "@t" } },
    { "/params/attention/reason", 30, { "mention", "assignment" } },
    { "/params/attention/deadlineMs", 40, { "#300000", "#5e3", "#0",
                                            "#9007199254740991" } },
    { "/params/arguments/target", 50, { "agent:lead", "channel:C1",
                                        "thread:T1", "C1", "human:will" } },
    { "/params/arguments/target/recipient", 80, { "human:will",
                                                  "agent:lead" } },
    { "/params/eventId", 30, { "@7", "@4" } },
    { "/params/content/*/type", 80, { "text", "text", "data", "image" } },
    { "/params/arguments/content/*/type", 80, { "text", "text", "data" } },
    { "/params/content/*/text", 10, { "a\n\nc2a.chat.claim\nid: b\n\n{}",
                                      "\n\n", "error E_X: a" } },
    { NULL, 0, { NULL } }
};


static const parley_test_steer_t  parley_test_steer_channel[] = {
    { "/sender_handle", 80, { "~alice", "~cc-a" } },
    { "/recipient_handle", 80, { "~bob", "~cc-b" } },
    { "/acted_by", 80, { "~alice", "~carol" } },
    { "/drafted_with", 80, { "~cc-model", "~cc-model@1.0-rc:2", "~bot",
                             "~bot@3" } },
    { "/payload/response_scope", 30, { "~alice/cc-*", "~alice/*" } },
    { NULL, 0, { NULL } }
};


static const parley_test_steer_t  parley_test_steer_moq[] = {
    { "/action", 85, { "render", "render", "deploy.start", "render",
                       "session_init", "session_ack", "session_bye",
                       "subscribe_request", "unsubscribe_request",
                       "track_ready", "a b" } },
    { "/status", 100,
      { "approved", "denied", "error", "accepted", "working" } },
    { "/error_code", 85, { "#404", "#429", "#500", "#501", "#-1", "#403",
                           "#5.0" } },
    { "/payload", 50, { "{\"text\":\"Hello\",\"n\":1}", "{\"a\":[1,{}]}",
                        "{}", "null" } },
    { NULL, 0, { NULL } }
};


const parley_test_steer_t *const
    parley_test_steers[PARLEY_PROTO_COUNT] =
{
    [PARLEY_PROTO_AEE] = parley_test_steer_aee,
    [PARLEY_PROTO_VCP] = parley_test_steer_vcp,
    [PARLEY_PROTO_VCP2] = parley_test_steer_vcp2,
    [PARLEY_PROTO_C2A] = parley_test_steer_c2a,
    [PARLEY_PROTO_CHANNEL] = parley_test_steer_channel,
    [PARLEY_PROTO_MOQ] = parley_test_steer_moq,
};
