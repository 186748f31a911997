/*
 * Messages of the benchmarks: one text with a fresh id for every request,
 * because a gateway accepts an id once.
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
    size_t     ids[BENCH_IDS_MAX];      /* places of the id */
    size_t     nids;
    size_t     signature;               /* place of the signature; 0:
                                           unsigned */

    char       id[BENCH_ID_LEN + 1];
    char      *canonical;               /* signed text */
    size_t     canonical_len;
    size_t     canonical_id;
    char      *signatures;              /* computed in advance, one after
                                           another */
    size_t     nsignatures;
} bench_message_t;


/*
 * Makes a message of one of these kinds:
 *
 *   aee                 a task that is a VCP escalation, up to some 4 000
 *                       octets
 *   aee-event           an event that is a VCP escalation and needs no reply
 *   aee-large           a task that is a VCP constraint_propagate, of any size
 *   aee-task            a task of AEE
 *   vcp                 a context_share of some 500 octets
 *   vcp-signed          as vcp, with an Ed25519 signature
 *   chat                a message of a chat surface for a host, of 917 octets
 *   c2a                 a chat/deliver that must be answered
 *   c2a-escalation      a chat/deliver with a VCP escalation, of some 1 100
 *                       octets
 *   channel             an agent_query
 *   channel-diagnostic  a peer_diagnostic_request, which VCP can express
 *   moq                 a command
 *
 * size 0: the default of the kind.  Returns 0, or -1 if the kind is unknown or
 * cannot have this size.  If memory is exhausted, the program ends.
 */
int bench_message_make(bench_message_t *m, const char *kind, size_t size);

/* Signs the messages 0 to n - 1 with the key of the seed. */
void bench_message_sign(bench_message_t *m, size_t n,
    const uint8_t seed[BENCH_SEED_LEN]);

/* Changes text, a copy of m->text, to message number i. */
void bench_message_stamp(const bench_message_t *m, char *text, uint64_t i);


#endif /* BENCH_MESSAGE_H */
