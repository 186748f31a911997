/*
 * JSON made at random from a seed: any value, members in any order, white
 * space and escapes wherever they may be.
 */

#ifndef PARLEY_TEST_GEN_H
#define PARLEY_TEST_GEN_H

#include "parley_buf.h"
#include "parley_test_translate.h"


typedef struct {
    uint64_t         state;
    parley_arena_t  *arena;
} parley_test_gen_t;


/* members of an object under way, to be put in any order */
typedef struct {
    parley_str_t  items[24];
    unsigned      n;
} parley_test_object_t;


/* splitmix64 */
static inline uint64_t
gen_next(parley_test_gen_t *g)
{
    uint64_t  z;

    z = (g->state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;

    return z ^ (z >> 31);
}


static inline unsigned
gen_below(parley_test_gen_t *g, unsigned n)
{
    return (unsigned) (gen_next(g) % n);
}


static inline int
gen_chance(parley_test_gen_t *g, unsigned percent)
{
    return gen_below(g, 100) < percent;
}


static inline const char *
gen_word(parley_test_gen_t *g, const char *const *words, unsigned n)
{
    return words[gen_below(g, n)];
}

#define gen_one(g, ...)                                                       \
    gen_word((g), (const char *const[]) { __VA_ARGS__ },                      \
             sizeof((const char *const[]) { __VA_ARGS__ }) / sizeof(char *))


static inline parley_str_t
gen_done(parley_buf_t *b)
{
    parley_str_t  ret;

    assert_int_equal(parley_buf_done(b, &ret), 0);

    return ret;
}


static inline void
gen_space(parley_test_gen_t *g, parley_buf_t *b)
{
    while (gen_chance(g, 12)) {
        parley_buf_octet(b, (uint8_t) " \t\r\n"[gen_below(g, 4)]);
    }
}


/* one character of a JSON string, as it is or escaped */
static inline void
gen_char(parley_test_gen_t *g, parley_buf_t *b, uint32_t c)
{
    char  text[16];

    if (c < 0x20 || c == '"' || c == '\\' || gen_chance(g, 4)) {
        if (c == '"' || c == '\\') {
            parley_buf_octet(b, '\\');
            parley_buf_octet(b, (uint8_t) c);

        } else if (c < 0x10000) {
            snprintf(text, sizeof(text), "\\u%04X", (unsigned) c);
            parley_buf_put(b, text, 6);

        } else {
            snprintf(text, sizeof(text), "\\u%04x\\u%04x",
                     (unsigned) (0xD7C0 + (c >> 10)),
                     (unsigned) (0xDC00 + (c & 0x3FF)));
            parley_buf_put(b, text, 12);
        }

        return;
    }

    if (c < 0x80) {
        parley_buf_octet(b, (uint8_t) c);

    } else if (c < 0x800) {
        parley_buf_octet(b, (uint8_t) (0xC0 | c >> 6));
        parley_buf_octet(b, (uint8_t) (0x80 | (c & 63)));

    } else if (c < 0x10000) {
        parley_buf_octet(b, (uint8_t) (0xE0 | c >> 12));
        parley_buf_octet(b, (uint8_t) (0x80 | (c >> 6 & 63)));
        parley_buf_octet(b, (uint8_t) (0x80 | (c & 63)));

    } else {
        parley_buf_octet(b, (uint8_t) (0xF0 | c >> 18));
        parley_buf_octet(b, (uint8_t) (0x80 | (c >> 12 & 63)));
        parley_buf_octet(b, (uint8_t) (0x80 | (c >> 6 & 63)));
        parley_buf_octet(b, (uint8_t) (0x80 | (c & 63)));
    }
}


/* an ASCII text as a JSON string */
static inline void
gen_text(parley_test_gen_t *g, parley_buf_t *b, const char *text)
{
    parley_buf_octet(b, '"');

    for (; *text != '\0'; text++) {
        gen_char(g, b, (uint8_t) *text);
    }

    parley_buf_octet(b, '"');
}


/* characters of every length, min to max of them */
static inline void
gen_chars(parley_test_gen_t *g, parley_buf_t *b, unsigned min, unsigned max)
{
    unsigned  n;
    uint32_t  c;

    for (n = min + gen_below(g, max - min + 1); n > 0; n--) {

        switch (gen_below(g, 12)) {

        case 0:
            c = gen_below(g, 0x20);
            break;

        case 1:
            c = 0x80 + gen_below(g, 0x780);
            break;

        case 2:
            c = 0x800 + gen_below(g, 0xD000);
            break;

        case 3:
            c = 0x10000 + gen_below(g, 0x100000);
            break;

        default:
            c = 0x20 + gen_below(g, 0x5F);
        }

        gen_char(g, b, c);
    }
}


static inline void
gen_string(parley_test_gen_t *g, parley_buf_t *b, unsigned min, unsigned max)
{
    parley_buf_octet(b, '"');
    gen_chars(g, b, min, max);
    parley_buf_octet(b, '"');
}


static inline void
gen_value(parley_test_gen_t *g, parley_buf_t *b, unsigned depth)
{
    char      name[8];
    unsigned  i, n;

    n = gen_below(g, 3);

    switch (gen_below(g, depth ? 8 : 6)) {

    case 0:
        parley_buf_lit(b, "null");
        break;

    case 1:
        parley_buf_lit(b, "true");
        break;

    case 2:
        parley_buf_lit(b, "false");
        break;

    case 3:
        parley_buf_int(b, (int64_t) gen_next(g) >> (11 + gen_below(g, 52)));
        break;

    case 4:
        parley_buf_int(b, gen_below(g, 1000));
        parley_buf_lit(b, ".5e-3");
        break;

    case 5:
        gen_string(g, b, 0, 12);
        break;

    case 6:
        parley_buf_octet(b, '[');
        for (i = 0; i < n; i++) {
            if (i > 0) {
                parley_buf_octet(b, ',');
            }
            gen_space(g, b);
            gen_value(g, b, depth - 1);
            gen_space(g, b);
        }
        parley_buf_octet(b, ']');
        break;

    default:
        parley_buf_octet(b, '{');
        for (i = 0; i < n; i++) {
            if (i > 0) {
                parley_buf_octet(b, ',');
            }
            snprintf(name, sizeof(name), "k%u", i);
            gen_text(g, b, name);
            parley_buf_octet(b, ':');
            gen_value(g, b, depth - 1);
        }
        parley_buf_octet(b, '}');
    }
}


/* Begins a member; the value follows, then gen_member_done(). */
static inline void
gen_member(parley_test_gen_t *g, parley_buf_t *b, const char *name)
{
    parley_buf_init(b, g->arena, 64);
    gen_text(g, b, name);
    gen_space(g, b);
    parley_buf_octet(b, ':');
    gen_space(g, b);
}


static inline void
gen_member_done(parley_test_object_t *o, parley_buf_t *b)
{
    assert_true(o->n < sizeof(o->items) / sizeof(o->items[0]));
    o->items[o->n++] = gen_done(b);
}


static inline void
gen_member_text(parley_test_gen_t *g, parley_test_object_t *o,
    const char *name, const char *text)
{
    parley_buf_t  b;

    gen_member(g, &b, name);
    gen_text(g, &b, text);
    gen_member_done(o, &b);
}


static inline void
gen_member_raw(parley_test_gen_t *g, parley_test_object_t *o,
    const char *name, parley_str_t value)
{
    parley_buf_t  b;

    gen_member(g, &b, name);
    parley_buf_str(&b, value);
    gen_member_done(o, &b);
}


static inline void
gen_member_string(parley_test_gen_t *g, parley_test_object_t *o,
    const char *name, unsigned min, unsigned max)
{
    parley_buf_t  b;

    gen_member(g, &b, name);
    gen_string(g, &b, min, max);
    gen_member_done(o, &b);
}


static inline parley_str_t
gen_object(parley_test_gen_t *g, parley_test_object_t *o)
{
    unsigned      i, k;
    parley_buf_t  b;
    parley_str_t  item;

    parley_buf_init(&b, g->arena, 256);
    parley_buf_octet(&b, '{');

    for (i = 0; i < o->n; i++) {
        k = i + gen_below(g, o->n - i);

        item = o->items[k];
        o->items[k] = o->items[i];

        if (i > 0) {
            parley_buf_octet(&b, ',');
        }

        gen_space(g, &b);
        parley_buf_str(&b, item);
        gen_space(g, &b);
    }

    parley_buf_octet(&b, '}');

    return gen_done(&b);
}


#endif /* PARLEY_TEST_GEN_H */
