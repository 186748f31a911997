#define _GNU_SOURCE

#include <ctype.h>
#include <string.h>

#include "bench/bench_fail.h"
#include "bench/bench_h2.h"


#define BENCH_H2_PREFACE   "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define BENCH_H2_HEAD      9        /* octets of a frame's head */
#define BENCH_H2_FRAME     16384    /* maximum octets of a frame */
#define BENCH_H2_HEADERS   1        /* types of frames */
#define BENCH_H2_SETTINGS  4
#define BENCH_H2_END       5        /* flags: end of headers (END_STREAM is
                                       1) */
#define BENCH_H2_200       0x88     /* ":status: 200" of the static table */


typedef struct {
    unsigned char  octets[BENCH_H2_HEAD + BENCH_H2_FRAME];
    size_t         len;             /* octets after the head */
} bench_frame_t;


static void bench_h2_send(bench_h2_t *h2, bench_frame_t *f, unsigned type,
    unsigned flags, uint32_t stream);
static void bench_h2_field(bench_frame_t *f, const char *name,
    size_t name_len, const char *value, size_t len);
static void bench_h2_text(bench_frame_t *f, const char *text, size_t len,
    int lower);
static void bench_h2_octet(bench_frame_t *f, unsigned octet);
static unsigned bench_h2_read(bench_h2_t *h2, bench_frame_t *f,
    uint32_t *stream);
static void bench_h2_all(bench_h2_t *h2, unsigned char *p, size_t len);


void
bench_h2_begin(bench_h2_t *h2, bench_tls_t *tls)
{
    bench_frame_t  f;

    h2->tls = tls;
    h2->stream = 1;
    f.len = 0;

    bench_tls_write(tls, BENCH_H2_PREFACE, sizeof(BENCH_H2_PREFACE) - 1);
    bench_h2_send(h2, &f, BENCH_H2_SETTINGS, 0, 0);
}


/* Converts "GET PATH HTTP/1.1" and lines of fields. */

void
bench_h2_get(bench_h2_t *h2, const bench_request_t *r)
{
    uint32_t        stream;
    unsigned        type;
    const char     *line, *end, *colon, *path;
    bench_frame_t   f;

    f.len = 0;
    line = r->head;
    end = memmem(line, r->len, "\r\n", 2);
    path = memchr(line, ' ', r->len);

    if (end == NULL || path == NULL) {
        bench_wrong("a request has no path");
    }

    path++;

    bench_h2_field(&f, ":method", 7, line, (size_t) (path - 1 - line));
    bench_h2_field(&f, ":scheme", 7, "https", 5);
    bench_h2_field(&f, ":path", 5, path,
                   (size_t) ((char *) memchr(path, ' ', (size_t) (end - path))
                             - path));

    for (line = end + 2; line < r->head + r->len; line = end + 2) {
        end = memmem(line, (size_t) (r->head + r->len - line), "\r\n", 2);
        colon = end != NULL ? memchr(line, ':', (size_t) (end - line)) : NULL;

        if (colon == NULL) {
            bench_wrong("a request has an invalid field line");
        }

        if (strncmp(line, "Host", (size_t) (colon - line)) == 0) {
            bench_h2_field(&f, ":authority", 10, colon + 2,
                           (size_t) (end - colon) - 2);
            continue;
        }

        bench_h2_field(&f, line, (size_t) (colon - line), colon + 2,
                       (size_t) (end - colon) - 2);
    }

    bench_h2_send(h2, &f, BENCH_H2_HEADERS, BENCH_H2_END, h2->stream);

    do {
        type = bench_h2_read(h2, &f, &stream);
    } while (type != BENCH_H2_HEADERS || stream != h2->stream);

    if (f.octets[BENCH_H2_HEAD] != BENCH_H2_200) {
        bench_wrong("a stream is not opened");
    }

    h2->stream += 2;
}


static void
bench_h2_send(bench_h2_t *h2, bench_frame_t *f, unsigned type, unsigned flags,
    uint32_t stream)
{
    f->octets[0] = (unsigned char) (f->len >> 16);
    f->octets[1] = (unsigned char) (f->len >> 8);
    f->octets[2] = (unsigned char) f->len;
    f->octets[3] = (unsigned char) type;
    f->octets[4] = (unsigned char) flags;
    f->octets[5] = (unsigned char) (stream >> 24);
    f->octets[6] = (unsigned char) (stream >> 16);
    f->octets[7] = (unsigned char) (stream >> 8);
    f->octets[8] = (unsigned char) stream;

    bench_tls_write(h2->tls, f->octets, BENCH_H2_HEAD + f->len);
}


/* Writes a field, literal and without indexing. */

static void
bench_h2_field(bench_frame_t *f, const char *name, size_t name_len,
    const char *value, size_t len)
{
    bench_h2_octet(f, 0);
    bench_h2_text(f, name, name_len, 1);
    bench_h2_text(f, value, len, 0);
}


/* Writes a text with its length, 7 bits first; no Huffman code. */

static void
bench_h2_text(bench_frame_t *f, const char *text, size_t len, int lower)
{
    size_t  i, rest;

    if (len < 127) {
        bench_h2_octet(f, (unsigned) len);

    } else {
        bench_h2_octet(f, 127);

        for (rest = len - 127; rest >= 128; rest /= 128) {
            bench_h2_octet(f, 128 | (unsigned) (rest % 128));
        }

        bench_h2_octet(f, (unsigned) rest);
    }

    for (i = 0; i < len; i++) {
        bench_h2_octet(f, (unsigned char)
                          (lower ? tolower((unsigned char) text[i])
                                 : text[i]));
    }
}


static void
bench_h2_octet(bench_frame_t *f, unsigned octet)
{
    if (f->len == BENCH_H2_FRAME) {
        bench_wrong("a request is too long for a frame");
    }

    f->octets[BENCH_H2_HEAD + f->len++] = (unsigned char) octet;
}


/* Reads the next frame and returns its type. */

static unsigned
bench_h2_read(bench_h2_t *h2, bench_frame_t *f, uint32_t *stream)
{
    bench_h2_all(h2, f->octets, BENCH_H2_HEAD);

    f->len = (size_t) f->octets[0] << 16 | (size_t) f->octets[1] << 8
             | f->octets[2];
    *stream = (uint32_t) (f->octets[5] & 127) << 24
              | (uint32_t) f->octets[6] << 16 | (uint32_t) f->octets[7] << 8
              | f->octets[8];

    if (f->len > BENCH_H2_FRAME) {
        bench_wrong("a frame is too long");
    }

    bench_h2_all(h2, f->octets + BENCH_H2_HEAD, f->len);

    return f->octets[3];
}


static void
bench_h2_all(bench_h2_t *h2, unsigned char *p, size_t len)
{
    size_t  n;

    for ( ; len > 0; len -= n) {
        n = bench_tls_read(h2->tls, p, len);
        p += n;
    }
}
