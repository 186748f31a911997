/*
 * compare SOCKET [COMMANDS [SEED]]
 *
 * Sends random commands and calls of the library to a real engine and to its
 * model, and compares their replies.  Times in them are not compared.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "state/store/parley_store_parts.h"
#include "t/simulate-store/parley_engine.h"
#include "t/unit/parley_test_random.h"


#define COMPARE_WORDS  24


static engine_t              engine;
static int                   real;
static parley_test_random_t  draw;
static parley_str_t          words[COMPARE_WORDS];
static size_t                nwords;
static char                  rooms[COMPARE_WORDS][64];


static void
compare_text(const char *text)
{
    words[nwords++] = parley_str_c(text);
}


/* Adds len octets that are one of n texts. */

static void
compare_octets(char letter, unsigned n, size_t len)
{
    char  *room = rooms[nwords];

    memset(room, letter, len);
    room[len - 1] = (char) ('0' + parley_test_below(&draw, n));
    words[nwords++] = parley_str_make(room, len);
}


static const char *
compare_one(const char *const *list, unsigned n)
{
    return list[parley_test_below(&draw, n)];
}


#define compare_word(...)                                                     \
    compare_text(compare_one((const char *const[]) { __VA_ARGS__ },           \
                 sizeof((const char *const[]) { __VA_ARGS__ })                \
                 / sizeof(char *)))


/* A command on one of a few keys, whose type may be another one. */

static void
compare_plain(void)
{
    static const char *const  names[] = {
        "GET", "SET", "SET", "DEL", "PEXPIRE", "INCR", "INCRBY", "HGET",
        "HMGET", "HSET", "HDEL", "RPUSH", "LRANGE", "LTRIM", "ZADD", "ZADD",
        "ZREM", "ZSCORE", "ZCOUNT", "ZRANGEBYSCORE", "XADD", "XDEL", "XTRIM",
        "XRANGE"
    };

    unsigned     i;
    const char  *name = names[parley_test_below(&draw, 24)];

    compare_text(name);

    /* keys by the first letter of the command, so types mostly agree */

    snprintf(rooms[1], sizeof(rooms[1]), "%c%u",
             parley_test_chance(&draw, 5) ? 'x' : strchr("GSDPI", name[0])
                                                  ? 's' : name[0] | 32,
             parley_test_below(&draw, 2));
    compare_text(rooms[1]);

    if (strcmp(name, "SET") == 0) {
        compare_word("1", "2", "seven", "");

        for (i = 0; i < 2; i++) {
            switch (parley_test_below(&draw, 7)) {
            case 0: compare_text(i ? "GET" : "NX"); break;
            case 1: compare_text(i ? "GET" : "XX"); break;
            case 2:

                if (i == 0) {
                    compare_text("PX");
                    compare_word("100000", "0", "x");
                }

                break;

            case 3: compare_text(i ? "GET" : "KEEPTTL"); break;
            case 4: compare_text("PXAT"); compare_text("9000000000000"); break;
            default: break;
            }
        }

    } else if (strcmp(name, "PEXPIRE") == 0) {
        compare_word("100000", "200000", "900000");

        if (parley_test_chance(&draw, 60)) {
            compare_text("GT");
        }

    } else if (strcmp(name, "INCRBY") == 0) {
        compare_word("1", "-3", "12", "x");

    } else if (name[0] == 'H') {
        compare_word("a", "b", "c");

        if (strcmp(name, "HSET") == 0 || parley_test_chance(&draw, 30)) {
            compare_word("1", "b", "c", "");
        }

        if (strcmp(name, "HGET") == 0) {
            nwords = 3;
        }

    } else if (strcmp(name, "RPUSH") == 0) {
        compare_word("one", "two", "");

    } else if (name[0] == 'L') {
        compare_word("0", "1", "2", "-1", "-2", "x");
        compare_word("0", "1", "2", "-1", "-2", "7");

    } else if (strcmp(name, "ZADD") == 0) {
        if (parley_test_chance(&draw, 40)) {
            compare_text("GT");
        }

        compare_word("1", "2", "3.5", "1764000000123", "x");
        compare_word("a", "b", "c", "d");

    } else if (strcmp(name, "ZREM") == 0 || strcmp(name, "ZSCORE") == 0) {
        compare_word("a", "b", "c", "d");

    } else if (name[0] == 'Z') {
        compare_word("-inf", "1", "(1", "2", "x");
        compare_word("+inf", "2", "(3.5", "1764000000123");

        if (strcmp(name, "ZRANGEBYSCORE") == 0) {
            if (parley_test_chance(&draw, 50)) {
                compare_text("WITHSCORES");
            }

            if (parley_test_chance(&draw, 50)) {
                compare_text("LIMIT");
                compare_word("0", "1");
                compare_word("1", "2", "-1");
            }
        }

    } else if (strcmp(name, "XADD") == 0) {
        compare_word("1-0", "2-0", "3-0", "4-0", "5-0", "6-0", "x-0");
        compare_text("e");
        compare_word("", "content");

    } else if (strcmp(name, "XDEL") == 0) {
        compare_word("1-0", "3-0", "5-0");

    } else if (strcmp(name, "XTRIM") == 0) {
        compare_text("MINID");
        compare_word("1-0", "2-0", "4-0");

    } else if (strcmp(name, "XRANGE") == 0) {
        compare_word("-", "2-0", "4-0");
        compare_word("+", "5-0");

        if (parley_test_chance(&draw, 50)) {
            compare_text("COUNT");
            compare_word("1", "2", "64");
        }
    }
}


/* Adds a holder: node and stamp. */

static void
compare_holder(void)
{
    compare_octets('N', 2, 8);
    memcpy(rooms[nwords - 1] + 8, "stamp 00", 8);
    rooms[nwords - 1][15] = (char) ('0' + parley_test_below(&draw, 3));
    words[nwords - 1].len = 16;
}


static void
compare_key(char letter)
{
    if (parley_test_chance(&draw, 20)) {
        compare_text("");
    } else {
        compare_octets(letter, 3, 16);
    }
}


static void
compare_function(void)
{
    static const char *const  names[] = {
        "p1_enter", "p1_renew", "p1_admit", "p1_admit", "p1_settle",
        "p1_free", "p1_put", "p1_drop", "p1_share", "p1_unshare", "p1_changes",
        "p1_append", "p1_append", "p1_join", "p1_say", "p1_feed", "p1_keep",
        "p1_nodes", "p1_order", "p1_look", "p1_none"
    };

    const char  *name = names[parley_test_below(&draw, 21)];

    compare_text("FCALL");
    compare_text(name);
    compare_text("1");
    compare_text("{parley}");

    if (strcmp(name, "p1_enter") == 0) {
        compare_word("run1", "run1", "run2");
        compare_text("fingerprint");
        compare_text("11");
        compare_octets('N', 2, 8);
        compare_text("config 0 host");
        compare_word("0", "1");
        compare_text("100000");
        compare_word("get", "set", "client|kill", "publish");

    } else if (strcmp(name, "p1_renew") == 0) {
        compare_octets('N', 3, 8);
        compare_text("100000");

    } else if (strcmp(name, "p1_admit") == 0
               || strcmp(name, "p1_look") == 0)
    {
        compare_holder();
        compare_word("print001", "print002");
        compare_key('I');
        compare_key('S');
        compare_text("900000");
        compare_text("100000");

    } else if (strcmp(name, "p1_settle") == 0) {
        compare_holder();
        compare_text("print001");
        compare_key('I');
        compare_text("900000");
        compare_key('S');
        compare_text("900000");
        compare_word("0", "1");

        if (words[nwords - 1].data[0] == '1') {
            compare_octets('R', 2, 16);
            compare_octets('t', 2, 4);
        }

    } else if (strcmp(name, "p1_free") == 0) {
        compare_holder();
        compare_key('I');
        compare_key('S');
        compare_text("0");

    } else if (strcmp(name, "p1_put") == 0) {
        compare_octets('R', 2, 16);
        compare_octets('t', 2, 4);
        memcpy(rooms[nwords - 1] + 4, "gen10" "0", 6);
        rooms[nwords - 1][8] = (char) parley_test_below(&draw, 2);
        words[nwords - 1].len = 10;
        compare_word("value", "", "more");
        compare_text("900000");
        compare_word("", "", "gen1");
        compare_text("");
        compare_text("");

    } else if (strcmp(name, "p1_drop") == 0) {
        compare_octets('R', 2, 16);
        compare_octets('t', 2, 4);
        compare_text("gen1");

    } else if (strcmp(name, "p1_share") == 0) {
        compare_octets('F', 2, 21);
        compare_octets('t', 2, 4);
        memcpy(rooms[nwords - 1] + 4, "gen100", 6);
        words[nwords - 1].len = 10;
        compare_text("value");
        compare_text("900000");
        compare_word("any", "fresh");

    } else if (strcmp(name, "p1_unshare") == 0) {
        compare_octets('F', 2, 21);
        compare_text("gen1");

    } else if (strcmp(name, "p1_changes") == 0) {
        compare_word("0", "1", "5");

    } else if (strcmp(name, "p1_append") == 0) {
        compare_word("1", "1", "1", "2");
        compare_text("1acontent of a record");
        compare_text("900000");
        compare_text("1000000");
        compare_word("71", "72");
        compare_text("900000");
        compare_word("0", "0", "0", "1");
        compare_octets('L', 3, 16);

    } else if (strcmp(name, "p1_join") == 0) {
        compare_word("1", "1", "1", "2");
        compare_text("1jcontent of a session");
        compare_text("900000");
        compare_text("1000000");
        compare_word("71", "72");
        compare_text("900000");
        compare_octets('L', 3, 16);

    } else if (strcmp(name, "p1_say") == 0) {
        compare_text("1lcontent of a leave");
        compare_text("900000");
        compare_text("1000000");
        compare_word("", "", "1048678");

    } else if (strcmp(name, "p1_feed") == 0) {
        compare_word("0", "1048680", "1048690");

    } else if (strcmp(name, "p1_keep") == 0) {
        compare_text("990000");
        compare_octets('L', 3, 16);

    } else if (strcmp(name, "p1_nodes") == 0) {
        compare_text("100000");

    } else if (strcmp(name, "p1_order") == 0) {
        compare_text("1");
        compare_text("0");
    }
}


/* Returns the octets of a reply; 0: it is not whole. */

static size_t
compare_reply(const char *p, size_t len)
{
    int          n;
    size_t       at, one;
    const char  *end;

    end = len != 0 ? memchr(p, '\n', len) : NULL;

    if (end == NULL) {
        return 0;
    }

    at = (size_t) (end - p) + 1;
    n = atoi(p + 1);

    if (*p == '$') {
        at += n < 0 ? 0 : (size_t) n + 2;

    } else if (*p == '*') {
        for (/* void */ ; n > 0; n--) {
            one = compare_reply(p + at, len - at);

            if (one == 0) {
                return 0;
            }

            at += one;
        }
    }

    return at <= len ? at : 0;
}


static void
compare_ask(engine_buf_t *out)
{
    char          octets[8192];
    size_t        i;
    ssize_t       n;
    engine_buf_t  b;

    memset(&b, 0, sizeof(b));
    engine_print(&b, "*%zu\r\n", nwords);

    for (i = 0; i < nwords; i++) {
        engine_print(&b, "$%zu\r\n", words[i].len);
        engine_put(&b, words[i].data, words[i].len);
        engine_put(&b, "\r\n", 2);
    }

    if (write(real, b.p, b.len) != (ssize_t) b.len) {
        exit(2);
    }

    free(b.p);
    out->len = 0;

    while (compare_reply((const char *) out->p, out->len) == 0) {
        n = read(real, octets, sizeof(octets));

        if (n <= 0) {
            exit(2);
        }

        engine_put(out, octets, (size_t) n);
    }
}


/* Prints a reply without times and without the engine's words about errors. */

static void
compare_shown(const engine_buf_t *b, char *out, size_t size)
{
    size_t  i, k, at;

    for (i = 0, at = 0; i < b->len && at + 8 < size; i++) {

        for (k = i; k < b->len && b->p[k] >= '0' && b->p[k] <= '9'; k++) {
            /* void */
        }

        if (k - i == 13) {
            out[at++] = 'T';
            i = k - 1;
            continue;
        }

        at += (size_t) snprintf(out + at, size - at,
                                b->p[i] < ' ' || b->p[i] > '~' ? "\\%02x"
                                                               : "%c", b->p[i]);
    }

    out[at] = '\0';

    /* a command may have two errors, and "later" depends on the ms */

    if (out[0] == '-' || parley_str_is(words[0], "PEXPIRE")) {
        out[1] = '\0';
    }

    /* the times in records have another form, and nodes are sorted by time */

    if (nwords > 1 && (parley_str_is(words[1], "p1_changes")
                       || parley_str_is(words[1], "p1_renew")
                       || parley_str_is(words[1], "p1_nodes")))
    {
        snprintf(out, size, "%zu octets", b->len);
    }
}


int
main(int argc, char **argv)
{
    char                one[16384], two[16384];
    long                i, n;
    size_t              k;
    uint64_t            seed, conn;
    engine_buf_t        out, own;
    struct timespec     t;
    struct sockaddr_un  address;

    if (argc < 2) {
        fprintf(stderr, "usage: compare SOCKET [COMMANDS [SEED]]\n");
        return 2;
    }

    n = argc > 2 ? strtol(argv[2], NULL, 10) : 10000;
    seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    draw.state = seed;

    memset(&address, 0, sizeof(address));
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[1]);
    real = socket(AF_UNIX, SOCK_STREAM, 0);

    if (connect(real, (struct sockaddr *) &address, sizeof(address)) != 0) {
        perror(argv[1]);
        return 2;
    }

    memset(&out, 0, sizeof(out));
    memset(&own, 0, sizeof(own));
    engine_begin(&engine, "run");
    conn = engine_connect(&engine);

    for (i = -3; i < n; i++) {
        nwords = 0;

        if (i == -3) {
            compare_text("FUNCTION");
            compare_text("LOAD");
            words[nwords++] = parley_str_make(parley_store_library,
                                              parley_store_library_len);

        } else if (i < 0) {

            /* the numbers of an empty store begin with the time */

            compare_text("SET");
            compare_text(i == -2 ? "{parley}n" : "{parley}g");
            compare_text(i == -2 ? "100" : "1");

        } else if (parley_test_chance(&draw, 50)) {
            compare_plain();

        } else {
            compare_function();
        }

        clock_gettime(CLOCK_REALTIME, &t);
        engine.us = t.tv_sec * (int64_t) 1000000 + t.tv_nsec / 1000;

        compare_ask(&out);
        own.len = 0;
        engine_execute(&engine, engine_conn(&engine, conn), words, nwords,
                       &own);

        compare_shown(&out, one, sizeof(one));
        compare_shown(&own, two, sizeof(two));

        if (strcmp(one, two) != 0) {
            printf("seed %llu, command %ld:", (unsigned long long) seed, i);

            for (k = 0; k < nwords; k++) {
                printf(" \"%.*s\"", words[k].len < 64 ? (int) words[k].len : 8,
                       words[k].data);
            }

            printf("\nengine: %s\nmodel:  %s\n", one, two);
            return 1;
        }
    }

    printf("%ld commands: all replies are the same\n", n);
    engine_end(&engine);
    free(out.p);
    free(own.p);

    return 0;
}
