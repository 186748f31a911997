/*
 * What the library costs without nginx: cases that are counted under
 * callgrind, or timed.
 */

#ifndef BENCH_PURE_H
#define BENCH_PURE_H

#include <stddef.h>
#include <stdint.h>

#include "translate/parley_engine.h"


typedef struct bench_case_s  bench_case_t;

struct bench_case_s {
    const char   *name;         /* NULL ends a table */
    unsigned      times;        /* how often it is run to be counted */
    const char   *kind;         /* of the message, see bench_message.h */
    size_t        size;
    void        (*prepare)(const bench_case_t *c);
    int         (*run)(void);   /* 0, or -1: the answer is wrong */
};


extern const bench_case_t  bench_message_cases[];
extern const bench_case_t  bench_pair_cases[];
extern const bench_case_t  bench_crypto_cases[];
extern const bench_case_t  bench_state_cases[];


/* the directory with keys and tokens (Bench::Files) */
extern const char  *bench_dir;

/* made by bench_read() */
typedef struct {
    parley_engine_t       *engine;
    parley_arena_t         arena;
    parley_json_t          doc;
    parley_msg_t           msg;
    parley_error_t         err;
} bench_request_t;

extern bench_request_t  bench_request;


/* Makes the message of a case, its id stamped, signed where it is to be. */
parley_str_t bench_make(const bench_case_t *c, parley_str_t *ret_canonical,
    parley_str_t *ret_signature);

/*
 * Reads, detects, validates and decodes; the request before it is freed.
 * Returns 0 or -1.
 */
int bench_read(parley_str_t body, parley_proto_t proto);

/* A file of bench_dir; ends the program where there is none. */
parley_str_t bench_file(const char *name);

void bench_die(const char *text)
    __attribute__((noreturn));


#endif /* BENCH_PURE_H */
