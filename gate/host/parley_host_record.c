/*
 * Records of the host in the state.  Each record is a fixed part with lengths,
 * and the texts.
 */

#include <string.h>

#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"


typedef struct {
    uint16_t  source;               /* octets of the texts */
    uint16_t  author;
    uint8_t   zero[4];
    uint8_t   epoch[8];
    uint8_t   offset[8];
    uint8_t   print[PARLEY_PRINT_LEN];
} parley_host_event_head_t;

#define PARLEY_HOST_PARTY_AUTHOR  1     /* bits before the sub of a party */
#define PARLEY_HOST_PARTY_AGENT   2

typedef struct {
    uint16_t  sub;                  /* octets */
    uint8_t   flags;
    uint8_t   zero;
} parley_host_party_head_t;


static void parley_host_event_id(const parley_gate_t *g, parley_str_t id,
    parley_str_t source, parley_record_id_t *ret);
static void parley_host_id(const parley_gate_t *g, parley_kind_t kind,
    const parley_str_t *parts, size_t n, parley_record_id_t *ret);
static int parley_host_get(parley_gate_t *g, const parley_record_id_t *id,
    parley_record_t *ret);
static int parley_host_put(parley_gate_t *g, const parley_record_id_t *id,
    parley_str_t value, int fresh, uint32_t replaces);


int
parley_host_event_get(parley_gate_t *g, parley_str_t id, parley_str_t source,
    parley_host_event_t *ret)
{
    int                        rc;
    parley_str_t               rest;
    parley_record_t            record;
    parley_record_id_t         name;
    parley_host_event_head_t   head;

    memset(ret, 0, sizeof(parley_host_event_t));

    parley_host_event_id(g, id, source, &name);

    rc = parley_host_get(g, &name, &record);

    if (rc != 1 || record.value.len < sizeof(head)) {
        return rc == 1 ? 0 : rc;
    }

    memcpy(&head, record.value.data, sizeof(head));
    rest = parley_str_from(record.value, sizeof(head));

    if ((size_t) head.source + head.author > rest.len) {
        return 0;
    }

    ret->source = parley_str_make(rest.data, head.source);
    ret->author = parley_str_make(rest.data + head.source, head.author);
    memcpy(&ret->place.epoch, head.epoch, sizeof(head.epoch));
    memcpy(&ret->place.offset, head.offset, sizeof(head.offset));
    memcpy(ret->print, head.print, sizeof(head.print));

    return 1;
}


int
parley_host_event_put(parley_gate_t *g, parley_str_t id,
    const parley_host_event_t *event, int fresh)
{
    parley_buf_t               b;
    parley_str_t               value;
    parley_record_id_t         name;
    parley_host_event_head_t   head;

    memset(&head, 0, sizeof(head));

    head.source = (uint16_t) event->source.len;
    head.author = (uint16_t) event->author.len;
    memcpy(head.epoch, &event->place.epoch, sizeof(head.epoch));
    memcpy(head.offset, &event->place.offset, sizeof(head.offset));
    memcpy(head.print, event->print, sizeof(head.print));

    parley_buf_init(&b, g->arena, 0);
    parley_buf_str(&b, parley_str_make(&head, sizeof(head)));
    parley_buf_str(&b, event->source);
    parley_buf_str(&b, event->author);

    if (parley_buf_done(&b, &value) != 0) {
        return parley_error_memory(g->err);
    }

    parley_host_event_id(g, id, event->source, &name);

    return parley_host_put(g, &name, value, fresh, 0);
}


int
parley_host_event_shared(parley_gate_t *g, parley_str_t id,
    parley_str_t source)
{
    int                  i, rc;
    parley_records_t    *records;
    parley_record_id_t   name;

    records = parley_arena_alloc(g->arena, sizeof(parley_records_t));

    if (records == NULL) {
        return parley_error_memory(g->err);
    }

    parley_host_event_id(g, id, source, &name);

    rc = parley_ask_get(&g->ask, name.kind, name.key, records);

    if (rc != 0) {
        return rc != -1 ? rc
               : parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                  "the state did not answer");
    }

    if (records->n < 0) {
        return parley_error_memory(g->err);
    }

    for (i = 0; i < records->n; i++) {
        if (records->list[i].tag != name.tag) {
            return 1;
        }
    }

    return 0;
}


int
parley_host_event_drop(parley_gate_t *g, parley_str_t id, parley_str_t source)
{
    parley_record_id_t  name;

    parley_host_event_id(g, id, source, &name);

    return parley_ask_drop(&g->ask, &name, 0);
}


/* The records of two sources with one id differ by their tag. */

static void
parley_host_event_id(const parley_gate_t *g, parley_str_t id,
    parley_str_t source, parley_record_id_t *ret)
{
    parley_host_id(g, PARLEY_KIND_EVENT, &id, 1, ret);

    ret->tag = parley_state_text_tag(g->ask.state, source);
}


static void
parley_host_thread_id(const parley_gate_t *g, const parley_chat_event_t *e,
    parley_str_t source, parley_record_id_t *ret)
{
    parley_str_t  parts[3];

    parts[0] = source;
    parts[1] = e->conversation;
    parts[2] = e->thread;

    parley_host_id(g, PARLEY_KIND_THREAD, parts, 3, ret);
}


int
parley_host_thread_get(parley_gate_t *g, const parley_chat_event_t *e,
    parley_str_t source, parley_host_thread_t *ret)
{
    int                       rc;
    parley_str_t              rest;
    parley_record_t           record;
    parley_record_id_t        name;
    parley_host_party_t      *party;
    parley_host_party_head_t  head;

    memset(ret, 0, sizeof(parley_host_thread_t));

    parley_host_thread_id(g, e, source, &name);

    rc = parley_host_get(g, &name, &record);

    if (rc != 1 || record.value.len < sizeof(ret->agents)) {
        return rc == 1 ? 0 : rc;
    }

    ret->generation = record.generation;
    memcpy(&ret->agents, record.value.data, sizeof(ret->agents));
    rest = parley_str_from(record.value, sizeof(ret->agents));

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

        rest = parley_str_from(rest, head.sub);
    }

    return 1;
}


int
parley_host_thread_put(parley_gate_t *g, const parley_chat_event_t *e,
    parley_str_t source, const parley_host_thread_t *thread)
{
    unsigned                   i;
    parley_buf_t               b;
    parley_str_t               value;
    parley_record_id_t         name;
    parley_host_party_head_t   head;

    parley_buf_init(&b, g->arena, 0);
    parley_buf_str(&b, parley_str_make(&thread->agents,
                                       sizeof(thread->agents)));

    for (i = 0; i < thread->n; i++) {
        memset(&head, 0, sizeof(head));

        head.sub = (uint16_t) thread->parties[i].sub.len;
        head.flags = (uint8_t) ((thread->parties[i].author
                                 ? PARLEY_HOST_PARTY_AUTHOR : 0)
                                | (thread->parties[i].agent
                                   ? PARLEY_HOST_PARTY_AGENT : 0));

        parley_buf_str(&b, parley_str_make(&head, sizeof(head)));
        parley_buf_str(&b, thread->parties[i].sub);
    }

    if (parley_buf_done(&b, &value) != 0) {
        return parley_error_memory(g->err);
    }

    parley_host_thread_id(g, e, source, &name);

    return parley_host_put(g, &name, value, thread->generation == 0,
                           thread->generation);
}


static void
parley_host_delivery_id(const parley_gate_t *g, parley_str_t id,
    parley_str_t source, parley_str_t sub, parley_record_id_t *ret)
{
    parley_str_t  parts[3];

    parts[0] = source;
    parts[1] = id;
    parts[2] = sub;

    parley_host_id(g, PARLEY_KIND_DELIVERY, parts, 3, ret);
}


int
parley_host_delivery_get(parley_gate_t *g, parley_str_t id,
    parley_str_t source, parley_str_t sub, parley_host_delivery_t *ret)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  name;

    memset(ret, 0, sizeof(parley_host_delivery_t));

    parley_host_delivery_id(g, id, source, sub, &name);

    rc = parley_host_get(g, &name, &record);

    if (rc == 1 && record.value.len >= 2) {
        ret->disposition = (parley_chat_disposition_t) record.value.data[0];
        ret->accepted = record.value.data[1] != 0;
    }

    return rc;
}


int
parley_host_delivery_put(parley_gate_t *g, parley_str_t id,
    parley_str_t source, parley_str_t sub,
    const parley_host_delivery_t *delivery)
{
    uint8_t             value[2];
    parley_record_id_t  name;

    value[0] = (uint8_t) delivery->disposition;
    value[1] = delivery->accepted;

    parley_host_delivery_id(g, id, source, sub, &name);

    return parley_host_put(g, &name, parley_str_make(value, sizeof(value)), 0,
                           0);
}


int
parley_host_cursor_get(parley_gate_t *g, parley_str_t sub, parley_place_t *ret,
    uint32_t *generation)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  name;

    memset(ret, 0, sizeof(parley_place_t));
    *generation = 0;

    parley_host_id(g, PARLEY_KIND_MAILBOX, &sub, 1, &name);

    rc = parley_host_get(g, &name, &record);

    if (rc == 1 && record.value.len >= sizeof(parley_place_t)) {
        memcpy(ret, record.value.data, sizeof(parley_place_t));
        *generation = record.generation;
    }

    return rc;
}


int
parley_host_cursor_put(parley_gate_t *g, parley_str_t sub,
    const parley_place_t *cursor, uint32_t generation)
{
    parley_record_id_t  name;

    parley_host_id(g, PARLEY_KIND_MAILBOX, &sub, 1, &name);

    return parley_host_put(g, &name,
                           parley_str_make(cursor, sizeof(parley_place_t)),
                           generation == 0, generation);
}


static void
parley_host_id(const parley_gate_t *g, parley_kind_t kind,
    const parley_str_t *parts, size_t n, parley_record_id_t *ret)
{
    ret->kind = kind;
    ret->tag = 0;

    parley_state_key(g->ask.state, kind, parts, n, ret->key);
}


static int
parley_host_get(parley_gate_t *g, const parley_record_id_t *id,
    parley_record_t *ret)
{
    int  rc;

    rc = parley_ask_get_one(&g->ask, id, ret);

    return rc != -1 ? rc
           : parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                              "the state did not answer");
}


/*
 * Records live twice as long as the logs, which they are about: a record that
 * is older than all events means nothing.
 */

static int
parley_host_put(parley_gate_t *g, const parley_record_id_t *id,
    parley_str_t value, int fresh, uint32_t replaces)
{
    int                  rc;
    parley_put_t         put;
    parley_put_result_t  result;

    memset(&put, 0, sizeof(parley_put_t));

    put.id = *id;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = g->proof.account;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = 2 * g->conf.http->retain_ms;
    put.fresh = fresh != 0;
    put.replaces = replaces;

    rc = parley_ask_put(&g->ask, &put, &result);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? rc
               : parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                  "the state did not answer");
    }

    if (result == PARLEY_PUT_OK || result == PARLEY_PUT_STALE) {
        return result == PARLEY_PUT_STALE;
    }

    g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s",
                            result == PARLEY_PUT_SHARE
                            ? "this sender uses its whole share of the zone"
                            : "the zone is full");
}


void
parley_host_conversation(const parley_state_t *state, parley_str_t source,
    parley_str_t id, uint8_t ret[PARLEY_KEY_LEN])
{
    parley_str_t  parts[2];

    parts[0] = source;
    parts[1] = id;

    parley_state_key(state, PARLEY_KIND_LOG, parts, 2, ret);
}


int
parley_host_read(parley_gate_t *g, const uint8_t *log,
    const parley_place_t *after, size_t n, int backward,
    parley_log_page_t *ret)
{
    int                rc;
    parley_log_read_t  read;

    memset(&read, 0, sizeof(parley_log_read_t));

    read.log = log;
    read.from = *after;
    read.records = n;
    read.octets = PARLEY_HOST_OCTETS;
    read.backward = backward != 0;
    read.arena = g->arena;

    rc = parley_ask_read(&g->ask, &read, ret);

    return rc == PARLEY_WAIT || (rc == 0 && ret->n >= 0) ? rc
           : parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                              "the log of the mailbox cannot be read");
}
