/*
 * Valid messages, made at random from a seed: every form, every optional
 * member.
 */

#ifndef PARLEY_TEST_MESSAGES_H
#define PARLEY_TEST_MESSAGES_H

#include "parley_test_gen.h"


static inline const char *
gen_uuid(parley_test_gen_t *g, int version)
{
    char          *text;
    uint64_t       a, c;

    text = (char *) parley_arena_octets(g->arena, 40);
    assert_non_null(text);

    a = gen_next(g);
    c = gen_next(g);

    snprintf(text, 40, "%08x-%04x-%d%03x-%c%03x-%012llx", (unsigned) a,
             (unsigned) (a >> 32 & 0xFFFF), version,
             (unsigned) (a >> 48 & 0xFFF), "89ab"[c & 3],
             (unsigned) (c >> 2 & 0xFFF),
             (unsigned long long) (c >> 14 & 0xFFFFFFFFFFFFULL));

    return text;
}


/* "2026-02-15T10:33:00" and a fraction, where there is one */
static inline const char *
gen_time(parley_test_gen_t *g, const char *zone)
{
    char      *text;
    unsigned   n, digits, month;

    text = (char *) parley_arena_octets(g->arena, 64);
    assert_non_null(text);

    month = 1 + gen_below(g, 12);

    n = (unsigned) snprintf(text, 64, "%04u-%02u-%02uT%02u:%02u:%02u",
                            1950 + gen_below(g, 200), month,
                            1 + gen_below(g, month == 2 ? 28 : 30),
                            gen_below(g, 24), gen_below(g, 60),
                            gen_below(g, 60));

    if (gen_chance(g, 40)) {
        text[n++] = '.';

        for (digits = 1 + gen_below(g, 9); digits > 0; digits--) {
            text[n++] = (char) ('0' + gen_below(g, 10));
        }
    }

    snprintf(text + n, 64 - n, "%s", zone);

    return text;
}


/* a VCP name that AEE can say */
static inline void
gen_member_name(parley_test_gen_t *g, parley_test_object_t *o,
    const char *member, const char *const prefixes[4])
{
    unsigned      i, kind;
    parley_buf_t  b;

    static const char  letters[] = "abcxyz0189-_.~ ";

    gen_member(g, &b, member);
    parley_buf_octet(&b, '"');

    kind = gen_below(g, 4);

    for (i = 0; prefixes[kind][i] != '\0'; i++) {
        if (prefixes[kind][i] == '%') {
            parley_buf_octet(&b, (uint8_t) letters[gen_below(g, 10)]);
            parley_buf_octet(&b, (uint8_t) letters[gen_below(g, 13)]);
        } else {
            parley_buf_octet(&b, (uint8_t) prefixes[kind][i]);
        }
    }

    for (i = 1 + gen_below(g, 8); i > 0; i--) {
        gen_char(g, &b, gen_chance(g, 10)
                            ? 0xA1 + gen_below(g, 0x3000)
                            : (uint32_t) letters[gen_below(g, 15)]);
    }

    if (kind == 3) {
        parley_buf_str(&b, parley_str_c(prefixes[kind][0] == 'a'
                                        && prefixes[kind][5] == '.'
                                            ? "@host.example" : ""));
    }

    parley_buf_octet(&b, '"');
    gen_member_done(o, &b);
}


static inline void
gen_creed(parley_test_gen_t *g, parley_test_object_t *o, const char *name)
{
    gen_member_text(g, o, name,
                    gen_one(g, "creed://creed.space/family.safe@1.2.0",
                            "creed://a/b", "creed://x-1.y/A_b/c@2"));
}


static inline void
gen_number_1_9(parley_test_gen_t *g, parley_test_object_t *o,
    const char *name)
{
    gen_member_raw(g, o, name,
                   parley_str_c(gen_one(g, "1", "9", "4.5", "1e0", "0.9e1",
                                        "8.999", "3")));
}


static inline parley_str_t
gen_vcp_state(parley_test_gen_t *g)
{
    parley_test_object_t  state = { .n = 0 }, inner = { .n = 0 };

    if (gen_chance(g, 50)) {
        gen_number_1_9(g, &state, "cognitive");
    }

    if (gen_chance(g, 50)) {
        gen_number_1_9(g, &inner, "valence");
        gen_number_1_9(g, &inner, "arousal");
        gen_member_raw(g, &state, "emotional", gen_object(g, &inner));
    }

    if (gen_chance(g, 50)) {
        gen_number_1_9(g, &state, "energy");
        gen_number_1_9(g, &state, "urgency");
    }

    inner.n = 0;

    if (gen_chance(g, 30)) {
        if (gen_chance(g, 50)) {
            gen_number_1_9(g, &inner, "pain");
        }

        gen_member_raw(g, &state, "body", gen_object(g, &inner));
    }

    return gen_object(g, &state);
}


static inline parley_str_t
gen_vcp_constraints(parley_test_gen_t *g)
{
    unsigned              i, n;
    parley_buf_t          b, value;
    parley_str_t          item;
    parley_test_object_t  o;

    parley_buf_init(&b, g->arena, 256);
    parley_buf_octet(&b, '[');

    n = 1 + gen_below(g, 3);

    for (i = 0; i < n; i++) {
        o.n = 0;

        if (i > 0) {
            parley_buf_octet(&b, ',');
        }

        gen_member_string(g, &o, "type", 1, 12);
        gen_member(g, &value, "value");
        gen_value(g, &value, 3);
        gen_member_done(&o, &value);
        gen_creed(g, &o, "source_constitution_ref");

        item = gen_object(g, &o);
        parley_buf_str(&b, item);
    }

    parley_buf_octet(&b, ']');

    return gen_done(&b);
}


/* A payload of one of the four types. */
static inline parley_str_t
gen_vcp_payload(parley_test_gen_t *g, unsigned type)
{
    char                  reason[64];
    unsigned              severity;
    parley_test_object_t  o = { .n = 0 }, scope = { .n = 0 };

    static const char *const  severities[] = {
        "info", "warning", "critical", "emergency"
    };

    switch (type) {

    case 0:
        gen_member_string(g, &o, "context", 1, 20);
        gen_creed(g, &o, "constitution_ref");

        if (gen_chance(g, 50)) {
            gen_member_raw(g, &o, "personal_state", gen_vcp_state(g));
        }

        break;

    case 1:
        gen_creed(g, &o, "constitution_ref");
        gen_member_text(g, &o, "manifest_hash",
                        "sha256:7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677"
                        "284addd200126d9069");

        if (gen_chance(g, 50)) {
            if (gen_chance(g, 50)) {
                gen_member_raw(g, &scope, "purposes",
                               PARLEY_STR("[\"coding\", \"a-b\"]"));
            }

            if (gen_chance(g, 50)) {
                gen_member_raw(g, &scope, "environments",
                               PARLEY_STR("[\"testing\"]"));
            }

            gen_member_raw(g, &o, "scope", gen_object(g, &scope));
        }

        break;

    case 2:
        gen_member_raw(g, &o, "constraints", gen_vcp_constraints(g));
        gen_member_text(g, &o, "propagation_mode",
                        gen_one(g, "merge", "override"));
        break;

    default:
        severity = gen_below(g, 4);
        gen_member_text(g, &o, "severity", severities[severity]);
        gen_member_string(g, &o, "context", 1, 20);

        if (gen_chance(g, 30)) {
            gen_member_string(g, &o, "blocked_action", 0, 40);
        }

        if (gen_chance(g, 30)) {
            snprintf(reason, sizeof(reason), "ACK:%s%s", gen_uuid(g, 7),
                     gen_one(g, "", " ", " seen", "x"));
            gen_member_text(g, &o, "reason", reason);
            gen_member_raw(g, &o, "requires_ack",
                           parley_str_c(gen_one(g, "true", "false")));

        } else {
            gen_member_string(g, &o, "reason", 1, 60);
            gen_member_raw(g, &o, "requires_ack",
                           parley_str_c(severity > 1 ? "true"
                                        : gen_one(g, "true", "false")));
        }
    }

    return gen_object(g, &o);
}


static inline parley_str_t
gen_vcp(parley_test_gen_t *g)
{
    unsigned              type;
    parley_test_object_t  o = { .n = 0 };

    static const char *const  types[] = {
        "context_share", "constitution_announce", "constraint_propagate",
        "escalation"
    };

    static const char *const  prefixes[4] = {
        "agent://%.host/", "human://", "service://", ""
    };

    type = gen_below(g, 6);
    type = type > 3 ? 3 : type;

    gen_member_text(g, &o, "vcp_message", "1.2");
    gen_member_text(g, &o, "type", types[type]);
    gen_member_text(g, &o, "message_id", gen_uuid(g, 7));
    gen_member_name(g, &o, "sender", prefixes);

    if (gen_chance(g, 15)) {
        gen_member_text(g, &o, "recipient", "broadcast");
    } else {
        gen_member_name(g, &o, "recipient", prefixes);
    }

    gen_member_text(g, &o, "timestamp", gen_time(g, "Z"));
    gen_member_raw(g, &o, "payload", gen_vcp_payload(g, type));

    if (gen_chance(g, 30)) {
        gen_member_text(g, &o, "signature", "base64:QUFBQUFBQUFBQUE=");
    }

    return gen_object(g, &o);
}


static inline parley_str_t
gen_aee_requires(parley_test_gen_t *g)
{
    parley_test_object_t  o = { .n = 0 };

    if (gen_chance(g, 60)) {
        gen_member_raw(g, &o, "timeout_ms",
                       parley_str_c(gen_one(g, "5000", "5e3", "30000", "0.5",
                                            "0", "-1", "1e20")));
    }

    if (gen_chance(g, 20)) {
        gen_member_raw(g, &o, "evidence", PARLEY_STR("true"));
    }

    if (gen_chance(g, 20)) {
        gen_member_raw(g, &o, "x", PARLEY_STR("[{}]"));
    }

    return gen_object(g, &o);
}


static inline parley_str_t
gen_aee_error(parley_test_gen_t *g)
{
    parley_test_object_t  o = { .n = 0 };

    if (gen_chance(g, 80)) {
        gen_member_string(g, &o, "code", 0, 10);
    }

    if (gen_chance(g, 80)) {
        gen_member_string(g, &o, "message", 0, 40);
    }

    if (gen_chance(g, 30)) {
        gen_member_string(g, &o, "text", 0, 40);
    }

    if (gen_chance(g, 70)) {
        gen_member_raw(g, &o, "retryable",
                       parley_str_c(gen_one(g, "true", "false", "1")));
    }

    if (gen_chance(g, 40)) {
        gen_member_string(g, &o, "context", 0, 10);
    }

    if (gen_chance(g, 40)) {
        gen_member_raw(g, &o, "backoff_ms", PARLEY_STR("1500"));
    }

    if (gen_chance(g, 20)) {
        gen_member_raw(g, &o, "references",
                       PARLEY_STR("[{\"id\":\"x\",\"type\":\"a\"}]"));
    }

    return gen_object(g, &o);
}


/* An envelope of any type; often one that VCP can say. */
static inline parley_str_t
gen_aee(parley_test_gen_t *g)
{
    char                  intent[64];
    unsigned              type, vcp;
    const char           *id;
    parley_buf_t          b;
    parley_str_t          payload;
    parley_test_object_t  o = { .n = 0 };

    static const char *const  types[] = {
        "task", "event", "error", "result", "stream"
    };

    static const char *const  forms[] = {
        "context_share", "constitution_announce", "constraint_propagate",
        "escalation", "escalation", "other"
    };

    static const char *const  prefixes[4] = {
        "agent.", "human.", "service.", "agent.%."
    };

    type = gen_below(g, 10);
    type = type < 4 ? type % 2 : type < 7 ? 2 : type < 9 ? 3 : 4;
    vcp = gen_below(g, 6);

    if (gen_chance(g, 70)) {
        snprintf(intent, sizeof(intent), "vcp.%s", forms[vcp]);
    } else {
        snprintf(intent, sizeof(intent), "ops.backup.check");
    }

    if (type == 2) {
        payload = gen_aee_error(g);
    } else {
        payload = gen_vcp_payload(g, vcp > 3 ? 3 : vcp);
    }

    id = gen_chance(g, 50) ? gen_uuid(g, 7)
                           : gen_one(g, "01JFB2R1JZKQ9V3K8W8Y9W1F2A",
                                     "an-id-of-its-own");

    gen_member_text(g, &o, "v", "1");
    gen_member_text(g, &o, "id", id);
    gen_member_text(g, &o, "type", types[type]);
    gen_member_text(g, &o, "intent", intent);
    gen_member_raw(g, &o, "payload", payload);
    gen_member_name(g, &o, "from", prefixes);

    gen_member_text(g, &o, "ts",
                    gen_time(g, gen_one(g, "Z", "Z", "z", "+00:00", "-23:59",
                                        "+05:30")));

    if (gen_chance(g, 20)) {
        gen_member_text(g, &o, "to", gen_one(g, "bus.ops", "bus.broadcast"));
    } else {
        gen_member_name(g, &o, "to", prefixes);
    }

    gen_member_text(g, &o, "corr", gen_chance(g, 60) ? id : "a-thread");
    gen_member_text(g, &o, "priority",
                    gen_one(g, "low", "normal", "high", "urgent"));

    if (type == 2 || type == 3 || gen_chance(g, 20)) {
        gen_member_text(g, &o, "reply_to", gen_uuid(g, gen_chance(g, 80)
                                                        ? 7 : 4));
    } else if (gen_chance(g, 50)) {
        gen_member_raw(g, &o, "reply_to", PARLEY_STR("null"));
    }

    if (gen_chance(g, 30)) {
        gen_member_raw(g, &o, "requires", PARLEY_STR("null"));
    } else if (gen_chance(g, 50)) {
        gen_member_raw(g, &o, "requires", gen_aee_requires(g));
    }

    if (gen_chance(g, 40)) {
        gen_member_raw(g, &o, "trace", parley_str_c(gen_one(g,
            "null", "{}", "{\"trace_id\":\"9f3c\",\"span_id\":\"a12b\"}",
            "{\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\","
            "\"span_id\":\"00f067aa0ba902b7\"}",
            "{\"trace_id\":\"4bf92f3577b34da6a3ce929d0e0e4736\","
            "\"span_id\":\"00f067aa0ba902b7\",\"more\":1}",
            "{\"span_id\":\"00f067aa0ba902b7\"}")));
    }

    if (gen_chance(g, 20)) {
        gen_member(g, &b, "x-unknown/~field");
        gen_value(g, &b, 2);
        gen_member_done(&o, &b);
    }

    if (gen_chance(g, 30)) {
        gen_member_raw(g, &o, "sig", parley_str_c(gen_one(g, "null",
            "{\"alg\":\"ed25519\",\"kid\":\"k\",\"value\":\"QUFB\"}")));
    }

    return gen_object(g, &o);
}


#endif /* PARLEY_TEST_MESSAGES_H */
