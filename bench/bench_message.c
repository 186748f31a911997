#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_message.h"


/*
 * In the texts below "\1" is the id, "\2" the time, "\3" the signature, "\4"
 * what fills the message up to its size.
 */

#define BENCH_CONTEXT                                                         \
    "\xE2\x8F\xB0\xE2\x98\x80\xEF\xB8\x8F|\xF0\x9F\x93\x8D\xF0\x9F\x8F\xA2|"  \
    "\xF0\x9F\x91\xA5\xF0\x9F\x91\x94|\xF0\x9F\xA7\xA0\xF0\x9F\x98\xB0"

#define BENCH_CONSTITUTION  "creed://ops.example/enterprise.compliance@2.0.1"

#define BENCH_STATE                                                           \
    "{\"cognitive\":6,\"emotional\":{\"arousal\":4,\"valence\":7.5},"         \
    "\"energy\":7,\"urgency\":3}"


typedef struct {
    const char  *name;
    size_t       size;
    const char  *text;
    const char  *canonical;     /* without the signature; NULL: unsigned */
    const char  *fill;          /* repeated, whole and then in part */
    int          elements;      /* fill is an element of an array: whole
                                   ones only, then blanks */
} bench_kind_t;


static const bench_kind_t  bench_kinds[] = {

    { .name = "aee",
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
      .fill =
        "The active constitution allows three of them, each after a second "
        "look; this request names forty-one and no reason. " },

    { .name = "aee-event",
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
      .fill =
        "The active constitution allows three of them, each after a second "
        "look; this request names forty-one and no reason. " },

    { .name = "aee-large",
      .size = 8000,
      .text =
        "{\"v\":\"1\",\"id\":\"\1\",\"ts\":\"\2\",\"type\":\"task\","
        "\"from\":\"agent.child-7\",\"to\":\"agent.parent-1\","
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

    { .name = "vcp",
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
};


typedef struct {
    char    *text;
    size_t   len;
    size_t   size;
} bench_text_t;


static void bench_message_identify(bench_message_t *m, char time_text[32]);
static size_t bench_message_fixed(const bench_kind_t *kind,
    const char *time_text);
static void bench_message_write(bench_message_t *m, const bench_kind_t *kind,
    const char *time_text, size_t fill);
static void bench_message_fill(bench_text_t *t, const bench_kind_t *kind,
    size_t size);
static void bench_text_put(bench_text_t *t, const char *s, size_t len);
static void bench_hex(char *s, uint64_t value, size_t digits);


int
bench_message_make(bench_message_t *m, const char *kind, size_t size)
{
    char                 time_text[32];
    size_t               i, fixed;
    const bench_kind_t  *k;

    memset(m, 0, sizeof(bench_message_t));

    k = NULL;

    for (i = 0; i < sizeof(bench_kinds) / sizeof(bench_kinds[0]); i++) {
        if (strcmp(bench_kinds[i].name, kind) == 0) {
            k = &bench_kinds[i];
        }
    }

    if (k == NULL) {
        return -1;
    }

    bench_message_identify(m, time_text);

    fixed = bench_message_fixed(k, time_text);

    if (size == 0) {
        size = k->size > fixed ? k->size : fixed;
    }

    if (size < fixed || (size > fixed && k->fill == NULL)) {
        size = fixed;
    }

    bench_message_write(m, k, time_text, size - fixed);

    return 0;
}


/* An id whose last twelve digits are free, and the time. */

static void
bench_message_identify(bench_message_t *m, char time_text[32])
{
    uint64_t         ms;
    struct tm        tm;
    struct timespec  now;

    (void) clock_gettime(CLOCK_REALTIME, &now);
    (void) gmtime_r(&now.tv_sec, &tm);

    ms = (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;

    memcpy(m->id, "00000000-0000-7000-8000-000000000000", BENCH_ID_LEN + 1);

    bench_hex(m->id, ms >> 16, 8);
    bench_hex(m->id + 9, ms, 4);
    bench_hex(m->id + 15, randombytes_random(), 3);
    bench_hex(m->id + 20, randombytes_random(), 3);

    (void) strftime(time_text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}


static size_t
bench_message_fixed(const bench_kind_t *kind, const char *time_text)
{
    size_t       n;
    const char  *p;

    n = 0;

    for (p = kind->text; *p != '\0'; p++) {
        switch (*p) {

        case '\1':
            n += BENCH_ID_LEN;
            break;

        case '\2':
            n += strlen(time_text);
            break;

        case '\3':
            n += BENCH_SIGNATURE_LEN;
            break;

        case '\4':
            break;

        default:
            n++;
        }
    }

    return n;
}


static void
bench_message_write(bench_message_t *m, const bench_kind_t *kind,
    const char *time_text, size_t fill)
{
    const char    *p;
    bench_text_t   t;

    memset(&t, 0, sizeof(bench_text_t));

    for (p = kind->text; *p != '\0'; p++) {
        switch (*p) {

        case '\1':
            m->ids[m->nids++] = t.len;
            bench_text_put(&t, m->id, BENCH_ID_LEN);
            break;

        case '\2':
            bench_text_put(&t, time_text, strlen(time_text));
            break;

        case '\3':
            m->signature = t.len;
            bench_message_fill(&t, NULL, BENCH_SIGNATURE_LEN);
            break;

        case '\4':
            bench_message_fill(&t, kind, fill);
            break;

        default:
            bench_text_put(&t, p, 1);
        }
    }

    m->text = t.text;
    m->len = t.len;

    if (kind->canonical == NULL) {
        return;
    }

    memset(&t, 0, sizeof(bench_text_t));

    for (p = kind->canonical; *p != '\0'; p++) {
        switch (*p) {

        case '\1':
            m->canonical_id = t.len;
            bench_text_put(&t, m->id, BENCH_ID_LEN);
            break;

        case '\2':
            bench_text_put(&t, time_text, strlen(time_text));
            break;

        default:
            bench_text_put(&t, p, 1);
        }
    }

    m->canonical = t.text;
    m->canonical_len = t.len;
}


/* A character of several octets is not cut: blanks follow instead. */

static void
bench_message_fill(bench_text_t *t, const bench_kind_t *kind, size_t size)
{
    size_t  n, len;

    len = (kind != NULL && kind->fill != NULL) ? strlen(kind->fill) : 0;

    while (size > 0 && len > 0) {
        n = size < len ? size : len;

        if (n < len) {
            if (kind->elements) {
                break;
            }

            while (n > 0 && ((uint8_t) kind->fill[n] & 0xC0) == 0x80) {
                n--;
            }

            if (n == 0) {
                break;
            }
        }

        bench_text_put(t, kind->fill, n);
        size -= n;
    }

    while (size > 0) {
        bench_text_put(t, " ", 1);
        size--;
    }
}


void
bench_message_sign(bench_message_t *m, size_t n,
    const uint8_t seed[BENCH_SEED_LEN])
{
    char     text[BENCH_SIGNATURE_LEN + 1];
    size_t   i;
    uint8_t  public[crypto_sign_PUBLICKEYBYTES];
    uint8_t  secret[crypto_sign_SECRETKEYBYTES];
    uint8_t  signature[crypto_sign_BYTES];

    if (m->canonical == NULL) {
        return;
    }

    m->signatures = malloc(n * BENCH_SIGNATURE_LEN);

    if (m->signatures == NULL
        || crypto_sign_seed_keypair(public, secret, seed) != 0)
    {
        perror("bench");
        exit(1);
    }

    m->nsignatures = n;

    for (i = 0; i < n; i++) {
        bench_hex(m->canonical + m->canonical_id + 24, i, 12);

        (void) crypto_sign_detached(signature, NULL,
                                    (const uint8_t *) m->canonical,
                                    m->canonical_len, secret);

        (void) sodium_bin2base64(text, sizeof(text), signature,
                                 sizeof(signature),
                                 sodium_base64_VARIANT_ORIGINAL);

        memcpy(m->signatures + i * BENCH_SIGNATURE_LEN, text,
               BENCH_SIGNATURE_LEN);
    }
}


void
bench_message_stamp(const bench_message_t *m, char *text, uint64_t i)
{
    size_t  k;

    for (k = 0; k < m->nids; k++) {
        bench_hex(text + m->ids[k] + 24, i, 12);
    }

    if (i < m->nsignatures) {
        memcpy(text + m->signature, m->signatures + i * BENCH_SIGNATURE_LEN,
               BENCH_SIGNATURE_LEN);
    }
}


static void
bench_text_put(bench_text_t *t, const char *s, size_t len)
{
    if (t->len + len > t->size) {
        t->size = (t->len + len) * 2;
        t->text = realloc(t->text, t->size);

        if (t->text == NULL) {
            perror("bench");
            exit(1);
        }
    }

    memcpy(t->text + t->len, s, len);
    t->len += len;
}


static void
bench_hex(char *s, uint64_t value, size_t digits)
{
    static const char  hex[] = "0123456789abcdef";

    while (digits > 0) {
        s[--digits] = hex[value & 0xF];
        value >>= 4;
    }
}
