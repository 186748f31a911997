/* The settings of a host of chat (parley_host). */

#ifndef PARLEY_HOST_CONF_H
#define PARLEY_HOST_CONF_H

#include "hub/parley_stream.h"


typedef struct parley_host_conf_s {
    parley_stream_t  stream;            /* streams of mailboxes; its protocol is
                                           that of the host */
    int64_t          deadline_ms;       /* for an answer that an event obliges
                                           to, unless the event names one */
    int64_t          claim_ms;          /* a claim without a time of its own */
    int64_t          quiet_ms;          /* after the newest fragment of a turn;
                                           0: no turns */
    int64_t          max_ms;            /* after its first fragment */
    int64_t          digest_ms;         /* between two digests for a reader; 0:
                                           none */
    int64_t          wait_ms;           /* longest wait of a call; 0: calls do
                                           not wait */
    uint32_t         context;           /* octets of the thread window of an
                                           event; 0: none */
    uint32_t         loop;              /* messages of agents until the loop
                                           cap (C2A-29) */
} parley_host_conf_t;


#endif /* PARLEY_HOST_CONF_H */
