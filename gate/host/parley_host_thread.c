/* Records of threads in the state: a fixed part with lengths, and the texts. */

#include <string.h>

#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"


/* fixed part of a thread; names in claim and resolved, and the parties
   follow */
typedef struct {
    uint8_t  agents[4];
    uint8_t  number[4];             /* claim */
    uint8_t  until_ms[8];
    uint8_t  resolved_ms[8];
} parley_host_thread_head_t;

#define PARLEY_HOST_PARTY_AUTHOR  1     /* bits before the sub of a party */
#define PARLEY_HOST_PARTY_AGENT   2
#define PARLEY_HOST_PARTY_READS   4

typedef struct {
    uint16_t  sub;                  /* octets */
    uint8_t   flags;
    uint8_t   zero;
} parley_host_party_head_t;


void
parley_host_thread_mark(const parley_host_t *h,
    const parley_host_thread_t *thread, parley_chat_result_t *ret)
{
    const parley_principal_t  *by;

    if (thread->resolved_by.len == 0) {
        return;
    }

    by = parley_directory_by_sub(h->http->directory, thread->resolved_by);

    ret->resolved = 1;
    ret->by = by != NULL ? by->names[h->proto] : thread->resolved_by;
    ret->at_ms = thread->resolved_ms;
}


static void
parley_host_thread_id(const parley_host_t *h,
    const parley_host_thread_name_t *thread, parley_record_id_t *ret)
{
    parley_str_t  parts[3];

    parts[0] = thread->source;
    parts[1] = thread->conversation;
    parts[2] = thread->thread;

    parley_host_id(h, PARLEY_KIND_THREAD, parts, 3, ret);
}


int
parley_host_thread_get(parley_host_t *h,
    const parley_host_thread_name_t *thread, parley_host_thread_t *ret)
{
    int                       rc;
    parley_str_t              rest;
    parley_record_t           record;
    parley_host_party_t      *party;
    parley_host_party_head_t  head;
    parley_host_thread_head_t fixed;

    memset(ret, 0, sizeof(parley_host_thread_t));

    parley_host_thread_id(h, thread, &ret->record);

    rc = parley_host_get(h, &ret->record, &record);

    if (rc != 1 || record.value.len < sizeof(fixed)) {
        return rc == 1 ? 0 : rc;
    }

    memcpy(&fixed, record.value.data, sizeof(fixed));
    rest = parley_str_from(record.value, sizeof(fixed));

    ret->generation = record.generation;
    memcpy(&ret->agents, fixed.agents, sizeof(fixed.agents));
    memcpy(&ret->claim.number, fixed.number, sizeof(fixed.number));
    memcpy(&ret->claim.until_ms, fixed.until_ms, sizeof(fixed.until_ms));
    memcpy(&ret->resolved_ms, fixed.resolved_ms, sizeof(fixed.resolved_ms));
    ret->claim.owner = parley_host_text_read(&rest);
    ret->resolved_by = parley_host_text_read(&rest);

    while (rest.len >= sizeof(head) && ret->n < PARLEY_HOST_ENTRIES) {
        memcpy(&head, rest.data, sizeof(head));
        rest = parley_str_from(rest, sizeof(head));

        if (head.sub > rest.len) {
            break;
        }

        party = &ret->parties[ret->n++];
        party->sub = parley_str_make(rest.data, head.sub);
        party->author = (head.flags & PARLEY_HOST_PARTY_AUTHOR) != 0;
        party->agent = (head.flags & PARLEY_HOST_PARTY_AGENT) != 0;
        party->reads = (head.flags & PARLEY_HOST_PARTY_READS) != 0;

        rest = parley_str_from(rest, head.sub);
    }

    return 1;
}


int
parley_host_thread_put(parley_host_t *h, const parley_host_thread_t *thread)
{
    unsigned                   i;
    parley_buf_t               b;
    parley_host_party_head_t   head;
    parley_host_thread_head_t  fixed;

    memcpy(fixed.agents, &thread->agents, sizeof(fixed.agents));
    memcpy(fixed.number, &thread->claim.number, sizeof(fixed.number));
    memcpy(fixed.until_ms, &thread->claim.until_ms, sizeof(fixed.until_ms));
    memcpy(fixed.resolved_ms, &thread->resolved_ms, sizeof(fixed.resolved_ms));

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&fixed, sizeof(fixed)));
    parley_host_text(&b, thread->claim.owner);
    parley_host_text(&b, thread->resolved_by);

    for (i = 0; i < thread->n; i++) {
        memset(&head, 0, sizeof(head));

        head.sub = (uint16_t) thread->parties[i].sub.len;
        head.flags = (uint8_t) ((thread->parties[i].author
                                 ? PARLEY_HOST_PARTY_AUTHOR : 0)
                                | (thread->parties[i].agent
                                   ? PARLEY_HOST_PARTY_AGENT : 0)
                                | (thread->parties[i].reads
                                   ? PARLEY_HOST_PARTY_READS : 0));

        parley_buf_str(&b, parley_str_make(&head, sizeof(head)));
        parley_buf_str(&b, thread->parties[i].sub);
    }

    return parley_host_put(h, &thread->record, &b, thread->generation == 0,
                           thread->generation);
}
