/*
 * The question to a Sentinel of Redis or Valkey: which server is the primary.
 * Like parley_store.h, without I/O.
 */

#ifndef PARLEY_STORE_SENTINEL_H
#define PARLEY_STORE_SENTINEL_H

#include "core/parley_buf.h"
#include "state/store/parley_wire.h"


#define PARLEY_STORE_SENTINEL_HOST    46        /* octets of an address, with a
                                                   NUL */
#define PARLEY_STORE_SENTINEL_OCTETS  4096      /* of the replies */


/* the settings of the question; the texts must outlive it */
typedef struct {
    parley_str_t  primary;      /* name of the primary */
    parley_str_t  user;         /* empty: "default" */
    parley_str_t  password;     /* empty: no AUTH */
} parley_store_sentinel_conf_t;


/* one question */
typedef struct {
    const parley_store_sentinel_conf_t  *conf;
    parley_wire_t                       *wire;          /* NULL: none */
    size_t                               octets;        /* that were read */
    unsigned                             auth:1;        /* the reply to AUTH is
                                                           next */
    uint16_t                             port;
    char                                 host[PARLEY_STORE_SENTINEL_HOST];
    const char                          *why;
} parley_store_sentinel_t;


/*
 * Begins a question on a new connection, and writes its octets to arena.
 * Returns 0, or -1 if memory is exhausted.
 */
int parley_store_sentinel_begin(parley_store_sentinel_t *q,
    const parley_store_sentinel_conf_t *conf, parley_arena_t *arena,
    parley_str_t *octets)
    __attribute__((warn_unused_result));

/*
 * Reads octets of the reply.  Returns 1 with an IPv4 or IPv6 address in q->host
 * and q->port; 0 if the reply is incomplete; or -1 with the reason, which has
 * no secrets, in q->why.
 */
int parley_store_sentinel_fed(parley_store_sentinel_t *q, const uint8_t *p,
    size_t len)
    __attribute__((warn_unused_result));

/* Frees the reader.  A question may be ended twice. */
void parley_store_sentinel_end(parley_store_sentinel_t *q);

/* As parley_store_acl() for the user of a gateway at the Sentinels. */
void parley_store_sentinel_acl(parley_buf_t *b);


#endif /* PARLEY_STORE_SENTINEL_H */
