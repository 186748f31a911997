#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench_message.h"
#include "bench/bench_message_text.h"


typedef struct {
    char    *text;
    size_t   len;
    size_t   size;
} bench_text_t;


static void bench_message_identify(bench_message_t *m, char version,
    char time_text[32]);
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
    size_t               fixed;
    const bench_kind_t  *k;

    memset(m, 0, sizeof(bench_message_t));

    for (k = bench_kinds; k->name != NULL; k++) {
        if (strcmp(k->name, kind) == 0) {
            break;
        }
    }

    if (k->name == NULL) {
        return -1;
    }

    bench_message_identify(m, k->version, time_text);

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


/* Writes the time, and an id with free last twelve digits. */

static void
bench_message_identify(bench_message_t *m, char version, char time_text[32])
{
    uint64_t         ms;
    struct tm        tm;
    struct timespec  now;

    (void) clock_gettime(CLOCK_REALTIME, &now);
    (void) gmtime_r(&now.tv_sec, &tm);

    ms = (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;

    memcpy(m->id, "00000000-0000-7000-8000-000000000000", BENCH_ID_LEN + 1);

    m->id[14] = version;

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


/*
 * Fills the message.  A character of several octets is not split: blanks follow
 * instead.
 */

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
