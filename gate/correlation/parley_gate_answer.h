/* The part of parley_gate_t about the answer of the service. */

#ifndef PARLEY_GATE_ANSWER_H
#define PARLEY_GATE_ANSWER_H

#include "gate/correlation/parley_seal.h"
#include "translate/parley_binding.h"


struct parley_exchange_s;      /* parley_exchange.h */


typedef struct {
    parley_seal_t              seal;
    struct parley_exchange_s  *exchange;    /* NULL: nothing has come back
                                               yet */
    parley_str_t        given[PARLEY_BINDING_SESSIONS];
                                            /* sessions that the service gave
                                               with its answer; empty: none */
    parley_str_t        event;  /* event of a relayed stream that is not checked
                                   yet; empty: none */
    parley_arena_t     *arena;  /* arena of event */
    unsigned            given_set;  /* 1 << index of each header that gave a
                                       session */
    unsigned            late:1;             /* another answer was settled first
                                               (SEC-08) */
} parley_gate_answer_t;


#endif /* PARLEY_GATE_ANSWER_H */
