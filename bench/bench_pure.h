/*
 * The cost of the library without nginx: cases that callgrind counts, or that
 * are timed.
 */

#ifndef BENCH_PURE_H
#define BENCH_PURE_H

#include <stddef.h>
#include <stdint.h>

#include "translate/parley_engine.h"


typedef struct bench_case_s  bench_case_t;

struct bench_case_s {
    const char   *name;         /* NULL ends a table */
    unsigned      times;        /* number of runs that are counted */
    const char   *kind;         /* kind of the message, see bench_message.h */
    size_t        size;
    void        (*prepare)(const bench_case_t *c);
    int         (*run)(void);   /* Returns 0, or -1 if the answer is wrong. */
};


extern const bench_case_t  bench_message_cases[];
extern const bench_case_t  bench_pair_cases[];
extern const bench_case_t  bench_crypto_cases[];
extern const bench_case_t  bench_state_cases[];
extern const bench_case_t  bench_host_cases[];
extern const bench_case_t  bench_moqt_cases[];


/* directory with keys and tokens (Bench::Files) */
extern const char  *bench_dir;

/* filled by bench_read() */
typedef struct {
    parley_engine_t       *engine;
    parley_arena_t         arena;
    parley_json_t          doc;
    parley_msg_t           msg;
    parley_error_t         err;
} bench_request_t;

extern bench_request_t  bench_request;


/*
 * Makes the message of a case, with its id, and signed if the case requires it.
 */
parley_str_t bench_make(const bench_case_t *c, parley_str_t *ret_canonical,
    parley_str_t *ret_signature);

/*
 * Reads, detects, validates and decodes a message, and frees the previous one.
 * Returns 0 or -1.
 */
int bench_read(parley_str_t body, parley_proto_t proto);

/* Reads a file of bench_dir; ends the program if it is missing. */
parley_str_t bench_file(const char *name);

void bench_die(const char *text)
    __attribute__((noreturn));


#endif /* BENCH_PURE_H */
