/*
 * The messages that benchmarks send: one text whose id is stamped anew for
 * every request, since a gateway passes an id once.
 */

#ifndef BENCH_MESSAGE_H
#define BENCH_MESSAGE_H

#include <stddef.h>
#include <stdint.h>


#define BENCH_ID_LEN         36     /* a UUID */
#define BENCH_IDS_MAX        8
#define BENCH_SIGNATURE_LEN  88     /* base64 of 64 octets */
#define BENCH_SEED_LEN       32


typedef struct {
    char      *text;
    size_t     len;
    size_t     ids[BENCH_IDS_MAX];      /* where the id stands */
    size_t     nids;
    size_t     signature;               /* where it stands; 0: unsigned */

    char       id[BENCH_ID_LEN + 1];
    char      *canonical;               /* what is signed */
    size_t     canonical_len;
    size_t     canonical_id;
    char      *signatures;              /* made ahead, one after the other */
    size_t     nsignatures;
} bench_message_t;


/*
 * Kinds:
 *
 *  aee                 a task that is a VCP escalation, up to some 4 000
 *                      octets
 *  aee-event           an event that is one, which no reply is waited for
 *  aee-large           a task that is a VCP constraint_propagate, of any size
 *  aee-task            a task of AEE's own
 *  vcp                 a context_share of some 500 octets
 *  vcp-signed          the same, with an Ed25519 signature
 *  c2a                 a chat/deliver that must be answered
 *  c2a-escalation      one that carries a VCP escalation, of some 1 100 octets
 *  channel             an agent_query
 *  channel-diagnostic  a peer_diagnostic_request, which VCP has a word for
 *  moq                 a command
 *
 * size 0: the kind's own.  Returns 0, or -1 where there is no such kind, or
 * it cannot have that size.  Memory that is short ends the program.
 */
int bench_message_make(bench_message_t *m, const char *kind, size_t size);

/* Signs the messages 0 to n - 1 with the key made from the seed. */
void bench_message_sign(bench_message_t *m, size_t n,
    const uint8_t seed[BENCH_SEED_LEN]);

/* Makes text, a copy of m->text, the message number i. */
void bench_message_stamp(const bench_message_t *m, char *text, uint64_t i);


#endif /* BENCH_MESSAGE_H */
