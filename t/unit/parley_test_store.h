/*
 * Nodes over one engine: a redis-server, or the server of $PARLEY_ENGINE, that
 * the test starts on a socket of its own, and stores whose connections the test
 * reads and writes.
 */

#ifndef PARLEY_TEST_STORE_H
#define PARLEY_TEST_STORE_H

#include "state/store/parley_store.h"
#include "t/unit/parley_test_state.h"


typedef struct parley_test_engine_s {
    char   dir[64];
    pid_t  pid;
} parley_test_engine_t;


typedef struct {
    int  fd;                            /* -1: no connection */
    int  opening;                       /* the connection is to be reported */
    int  failed;                        /* its failure is to be reported */
} parley_test_link_t;


typedef struct {
    parley_test_state_t     zone;
    parley_store_env_t      env;
    parley_store_conf_t     conf;
    parley_store_t         *store;
    parley_test_engine_t   *engine;
    parley_test_link_t      links[PARLEY_STORE_LINKS];
    int64_t                 timer;      /* time of the timer; -1: none */
    size_t                  cut;        /* octets to send before the main
                                           connection is cut; SIZE_MAX: never */
    uint64_t                replaced;   /* the stamp that env.replaced told
                                           last */
    unsigned                appended;   /* calls of env.appended */
    unsigned                logged[4];  /* lines of each level */
    char                    last[640];  /* last line */
} parley_test_node_t;


/* a call that a test waits for */
typedef struct {
    parley_call_t  call;                /* first member */
    unsigned       done;
} parley_test_wait_t;


/* Returns a port of the loopback interface that is free now. */
unsigned parley_test_port(void);

/* Starts an engine; arguments: more options, NULL at the end. */
void parley_test_engine_begin(parley_test_engine_t *e, char *const *arguments);
void parley_test_engine_signal(parley_test_engine_t *e, int signal);
void parley_test_engine_end(parley_test_engine_t *e);

/* Runs redis-cli with words; returns its output without the last line end. */
const char *parley_test_engine_do(parley_test_engine_t *e, const char *words);

/* name: one letter that all octets of the node's name have */
void parley_test_node_begin(parley_test_node_t *n, parley_test_engine_t *e,
    char name);
void parley_test_node_end(parley_test_node_t *n);

/* Ends the worker of a node in order; returns whether its node stopped. */
int parley_test_node_stop(parley_test_node_t *n);

/* Starts a new worker of a node, with the zone of the one before. */
void parley_test_node_again(parley_test_node_t *n);

/* Closes a connection as the network does. */
void parley_test_node_cut(parley_test_node_t *n, parley_store_link_t link);

/* Lets nodes work until *done is set, or for ms of their time. */
void parley_test_nodes(parley_test_node_t **nodes, size_t n,
    const unsigned *done, int64_t ms);

/* Lets nodes work until all are up. */
void parley_test_nodes_up(parley_test_node_t **nodes, size_t n);


#endif /* PARLEY_TEST_STORE_H */
