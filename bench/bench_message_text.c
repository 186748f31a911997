/* Texts for bench_message.c. */

#include <stddef.h>

#include "bench/bench_message_text.h"


#define BENCH_CONTEXT                                                         \
    "\xE2\x8F\xB0\xE2\x98\x80\xEF\xB8\x8F|\xF0\x9F\x93\x8D\xF0\x9F\x8F\xA2|"  \
    "\xF0\x9F\x91\xA5\xF0\x9F\x91\x94|\xF0\x9F\xA7\xA0\xF0\x9F\x98\xB0"

#define BENCH_CONSTITUTION  "creed://ops.example/enterprise.compliance@2.0.1"

#define BENCH_STATE                                                           \
    "{\"cognitive\":6,\"emotional\":{\"arousal\":4,\"valence\":7.5},"         \
    "\"energy\":7,\"urgency\":3}"

#define BENCH_WORDS                                                           \
    "The active constitution allows three of them, each after a second "      \
    "look; this request names forty-one and no reason. "

#define BENCH_HASH                                                            \
    "999cc471e0387248954571db379660aa9523e164ec4eafeb02ca2e578a6f4ee0"

#define BENCH_HANDLES                                                         \
    "\"sender_handle\":\"~cc-child-7\","                                      \
    "\"recipient_handle\":\"~parent-1\","

#define BENCH_PROVENANCE                                                      \
    "\"acted_by\":\"~parent-1\",\"drafted_with\":\"~cc-child-7@1.0\","        \
    "\"provenance_compute_location\":\"server-active\","                      \
    "\"provenance_method\":[\"session-context\"],"                            \
    "\"provenance_context_check\":\"passed\","                                \
    "\"provenance_basis\":\"agent-channel\""


const bench_kind_t  bench_kinds[] = {

    { .name = "aee",
      .version = '7',
      .size = 700,
      .text =
        "{\"v\":\"1\",\"id\":\"\1\",\"ts\":\"\2\",\"type\":\"task\","
        "\"from\":\"agent.child-7\",\"to\":\"agent.parent-1\","
        "\"intent\":\"vcp.escalation\",\"corr\":\"\1\",\"reply_to\":null,"
        "\"priority\":\"normal\",\"requires\":null,"
        "\"payload\":{\"severity\":\"warning\","
        "\"reason\":\"The caller asked for \\\"all hosts\\\".\\n\4\","
        "\"context\":\"" BENCH_CONTEXT "\","
        "\"blocked_action\":\"backup.delete:host=db-3\","
        "\"requires_ack\":true}}",
      .fill = BENCH_WORDS },

    { .name = "aee-event",
      .version = '7',
      .size = 700,
      .text =
        "{\"v\":\"1\",\"id\":\"\1\",\"ts\":\"\2\",\"type\":\"event\","
        "\"from\":\"agent.child-7\",\"to\":\"agent.parent-1\","
        "\"intent\":\"vcp.escalation\",\"corr\":\"\1\",\"reply_to\":null,"
        "\"priority\":\"low\",\"requires\":null,"
        "\"payload\":{\"severity\":\"info\","
        "\"reason\":\"The caller asked for \\\"all hosts\\\".\\n\4\","
        "\"context\":\"" BENCH_CONTEXT "\","
        "\"requires_ack\":false}}",
      .fill = BENCH_WORDS },

    { .name = "aee-large",
      .version = '7',
      .size = 8000,
      .text =
        "{\"v\":\"1\",\"id\":\"\1\",\"ts\":\"\2\",\"type\":\"task\","
        "\"from\":\"agent.child-7\",\"to\":\"agent.worker-2\","
        "\"intent\":\"vcp.constraint_propagate\",\"corr\":\"\1\","
        "\"reply_to\":null,\"priority\":\"high\",\"requires\":null,"
        "\"payload\":{\"propagation_mode\":\"merge\",\"constraints\":["
        "{\"type\":\"token_limit\",\"value\":2048,"
        "\"source_constitution_ref\":\"" BENCH_CONSTITUTION "\"}\4]}}",
      .fill =
        ",{\"type\":\"topic_block\",\"value\":[\"weapons\",\"substances "
        "that are not legal\",{\"from\":1.5,\"until\":null}],"
        "\"source_constitution_ref\":\"" BENCH_CONSTITUTION "\"}",
      .elements = 1 },

    { .name = "aee-number",
      .version = '7',
      .size = 8000,
      .text =
        "{\"v\":\"1\",\"id\":\"\1\",\"ts\":\"\2\",\"type\":\"event\","
        "\"from\":\"agent.child-7\",\"to\":\"agent.worker-2\","
        "\"intent\":\"ops.measured\",\"corr\":\"\1\","
        "\"reply_to\":null,\"priority\":\"low\",\"requires\":null,"
        "\"payload\":{\"value\":1.\4e-300}}",
      .fill = "7320508075688772" },

    { .name = "vcp",
      .version = '7',
      .size = 500,
      .text =
        "{\"vcp_message\":\"1.2\",\"type\":\"context_share\","
        "\"message_id\":\"\1\",\"sender\":\"agent://ops.example/child-7\","
        "\"recipient\":\"agent://ops.example/parent-1\","
        "\"timestamp\":\"\2\",\"payload\":{"
        "\"context\":\"" BENCH_CONTEXT "\4\","
        "\"constitution_ref\":\"" BENCH_CONSTITUTION "\","
        "\"personal_state\":" BENCH_STATE "}}",
      .fill = "|" BENCH_CONTEXT },

    { .name = "vcp-signed",
      .version = '7',
      .size = 500,
      .text =
        "{\"vcp_message\":\"1.2\",\"type\":\"context_share\","
        "\"message_id\":\"\1\",\"sender\":\"agent://ops.example/child-7\","
        "\"recipient\":\"agent://ops.example/parent-1\","
        "\"timestamp\":\"\2\",\"payload\":{"
        "\"context\":\"" BENCH_CONTEXT "\","
        "\"constitution_ref\":\"" BENCH_CONSTITUTION "\","
        "\"personal_state\":" BENCH_STATE "},"
        "\"signature\":\"base64:\3\"}",
      .canonical =
        "{\"message_id\":\"\1\",\"payload\":{"
        "\"constitution_ref\":\"" BENCH_CONSTITUTION "\","
        "\"context\":\"" BENCH_CONTEXT "\","
        "\"personal_state\":" BENCH_STATE "},"
        "\"recipient\":\"agent://ops.example/parent-1\","
        "\"sender\":\"agent://ops.example/child-7\","
        "\"timestamp\":\"\2\",\"type\":\"context_share\","
        "\"vcp_message\":\"1.2\"}" },
    { .name = "aee-task",
      .version = '7',
      .size = 700,
      .text =
        "{\"v\":\"1\",\"id\":\"\1\",\"ts\":\"\2\",\"type\":\"task\","
        "\"from\":\"agent.child-7\",\"to\":\"agent.parent-1\","
        "\"intent\":\"ops.backup.run\",\"corr\":\"\1\",\"reply_to\":null,"
        "\"priority\":\"normal\",\"requires\":{\"timeout_ms\":30000},"
        "\"payload\":{\"text\":\"Back up \\\"db-3\\\" first.\\n\4\","
        "\"target\":\"db-3\",\"hosts\":[\"db-1\",\"db-2\"],"
        "\"retention_days\":30,\"dry_run\":false}}",
      .fill = BENCH_WORDS },

    { .name = "chat",
      .version = '7',
      .size = 917,
      .text =
        "{\"jsonrpc\":\"2.0\",\"id\":\"\1\",\"method\":\"chat/deliver\","
        "\"params\":{\"eventId\":\"\1\",\"source\":{\"platform\":\"web\","
        "\"workspaceId\":\"main\"},\"conversation\":{\"id\":\"D1\",\"kind\":"
        "\"dm\"},\"author\":{\"id\":\"will\",\"kind\":\"human\","
        "\"displayName\":\"Will\"},\"target\":{\"recipient\":\"agent:ada\"},"
        "\"content\":[{\"type\":\"text\",\"text\":\"\4\"}]}}",
      .fill = BENCH_WORDS },

    { .name = "c2a",
      .version = '7',
      .size = 700,
      .text =
        "{\"jsonrpc\":\"2.0\",\"id\":\"\1\",\"method\":\"chat/deliver\","
        "\"params\":{\"eventId\":\"\1\",\"source\":{\"platform\":\"chat\"},"
        "\"conversation\":{\"id\":\"\1\",\"kind\":\"dm\"},"
        "\"author\":{\"id\":\"child-7\",\"kind\":\"agent\"},"
        "\"target\":{\"recipient\":\"agent:parent-1\","
        "\"directedness\":\"to_me\"},"
        "\"content\":[{\"type\":\"text\","
        "\"text\":\"Is \\\"db-3\\\" blocked?\\n\4\"}],"
        "\"timing\":{\"createdAt\":\"\2\"},"
        "\"attention\":{\"policy\":\"must_respond\","
        "\"priority\":\"normal\",\"deadlineMs\":30000},"
        "\"injection\":{\"mode\":\"buffered\"},"
        "\"reliability\":{\"idempotencyKey\":\"\1:agent:parent-1\"}}}",
      .fill = BENCH_WORDS },

    { .name = "c2a-escalation",
      .version = '7',
      .size = 700,
      .text =
        "{\"jsonrpc\":\"2.0\",\"id\":\"\1\",\"method\":\"chat/deliver\","
        "\"params\":{\"eventId\":\"\1\",\"source\":{\"platform\":\"vcp\"},"
        "\"author\":{\"id\":\"child-7\",\"kind\":\"agent\"},"
        "\"timing\":{\"createdAt\":\"\2\"},"
        "\"conversation\":{\"id\":\"\1\",\"kind\":\"dm\"},"
        "\"target\":{\"recipient\":\"agent:parent-1\","
        "\"directedness\":\"to_me\"},"
        "\"content\":[{\"type\":\"text\",\"text\":\"The disk is full.\"},"
        "{\"type\":\"data\",\"mediaType\":\"application/vnd.vcp+json\","
        "\"form\":\"escalation\",\"data\":{\"severity\":\"warning\","
        "\"reason\":\"The disk is full.\","
        "\"context\":\"" BENCH_CONTEXT "\",\"requires_ack\":true},"
        "\"members\":{},\"reference\":{\"id\":\"\1\","
        "\"type\":\"vcp.message\",\"hash\":\"sha256:" BENCH_HASH "\","
        "\"locator\":\"parley:vcp:\1\"}}],"
        "\"attention\":{\"policy\":\"must_respond\","
        "\"reason\":\"direct_message\",\"priority\":\"normal\"},"
        "\"injection\":{\"mode\":\"buffered\"},"
        "\"reliability\":{\"idempotencyKey\":\"\1:agent:parent-1\"}}}" },

    { .name = "channel",
      .version = '4',
      .size = 700,
      .text =
        "{\"envelope_version\":\"1.0\",\"frame_id\":\"\1\","
        "\"kind\":\"agent_query\"," BENCH_HANDLES
        "\"created_at\":\"\2\",\"payload\":{"
        "\"query_text\":\"Who has \\\"db-3\\\"?\\n\4\","
        "\"query_id\":\"\1\",\"timeout_ms\":30000,"
        "\"response_scope\":\"~cc-child-7/*\"}," BENCH_PROVENANCE "}",
      .fill = BENCH_WORDS },

    { .name = "channel-diagnostic",
      .version = '4',
      .size = 700,
      .text =
        "{\"envelope_version\":\"1.0\",\"frame_id\":\"\1\","
        "\"kind\":\"peer_diagnostic_request\"," BENCH_HANDLES
        "\"created_at\":\"\2\",\"payload\":{"
        "\"symptom\":\"The tests of \\\"db-3\\\" hang.\\n\4\","
        "\"diagnostic_id\":\"\1\",\"severity\":\"degraded\"},"
        BENCH_PROVENANCE "}",
      .fill = BENCH_WORDS },

    { .name = "moq",
      .version = '7',
      .size = 700,
      .text =
        "{\"action\":\"ops.backup.run\",\"session_id\":\"\1\","
        "\"payload\":{\"text\":\"Back up \\\"db-3\\\" first.\\n\4\","
        "\"target\":\"db-3\",\"hosts\":[\"db-1\",\"db-2\"],"
        "\"retention_days\":30,\"dry_run\":false}}",
      .fill = BENCH_WORDS },

    { .name = NULL }
};
