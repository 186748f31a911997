/*
 * Records of the host in the state.  Each record is a fixed part with lengths,
 * and the texts.
 */

#include <string.h>

#include "gate/host/parley_host_parts.h"
#include "gate/party/parley_address.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_expand.h"
#include "hub/parley_publish.h"
#include "translate/parley_codec.h"


/* fixed part of an event; its texts follow */
typedef struct {
    uint8_t  kind;
    uint8_t  act;
    uint8_t  now;
    uint8_t  zero[5];
    uint8_t  epoch[8];
    uint8_t  offset[8];             /* epoch 0: when it was opened */
    uint8_t  print[PARLEY_PRINT_LEN];
} parley_host_event_head_t;

/* records of a conversation that are searched for an event without a place */
#define PARLEY_HOST_SEARCHED  256


static int parley_host_event_value(const parley_record_t *record,
    parley_host_event_t *ret);
static int parley_host_events_read(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_records_t **ret, uint32_t *tag);
static void parley_host_event_id(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_record_id_t *ret);
static int parley_host_put_for(parley_host_t *h, const parley_record_id_t *id,
    parley_buf_t *b, parley_put_t *put);


void
parley_host_of(parley_gate_t *g, parley_host_t *ret)
{
    memset(ret, 0, sizeof(parley_host_t));

    parley_gate_message_account(g);

    ret->ask = &g->ask;
    ret->arena = g->arena;
    ret->err = g->err;
    ret->engine = g->engine;
    ret->http = g->conf.http;
    ret->host = g->conf.s->host;
    ret->chat = parley_codecs[g->read.proto]->chat;
    ret->proto = g->read.proto;
    ret->account = g->proof.account;
    ret->seed = g->in.seed;
    ret->now_ms = g->in.now_ms;
}


void
parley_host_text(parley_buf_t *b, parley_str_t text)
{
    uint16_t  len;

    len = (uint16_t) text.len;

    parley_buf_str(b, parley_str_make(&len, sizeof(len)));
    parley_buf_str(b, parley_str_make(text.data, len));
}


parley_str_t
parley_host_text_read(parley_str_t *rest)
{
    uint16_t      len;
    parley_str_t  text;

    if (rest->len < sizeof(len)) {
        return parley_str_none;
    }

    memcpy(&len, rest->data, sizeof(len));
    *rest = parley_str_from(*rest, sizeof(len));

    text = parley_str_make(rest->data, len < rest->len ? len : rest->len);
    *rest = parley_str_from(*rest, text.len);

    return text;
}


int
parley_host_event_get(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_host_event_t *ret)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  name;

    memset(ret, 0, sizeof(parley_host_event_t));

    parley_host_event_id(h, id, source, &name);

    rc = parley_host_get(h, &name, &record);

    return rc == 1 ? parley_host_event_value(&record, ret) : rc;
}


/* Returns 1, or 0 if the record is of another version. */

static int
parley_host_event_value(const parley_record_t *record,
    parley_host_event_t *ret)
{
    parley_str_t              value, rest, lasts;
    parley_host_event_head_t  head;

    value = record->value;

    if (value.len < sizeof(head)) {
        return 0;
    }

    memcpy(&head, value.data, sizeof(head));
    rest = parley_str_from(value, sizeof(head));

    ret->generation = record->generation;
    ret->kind = (parley_chat_kind_t) head.kind;
    ret->act = (parley_chat_act_t) head.act;
    ret->now = (parley_chat_act_t) head.now;
    ret->source = parley_host_text_read(&rest);
    ret->author = parley_host_text_read(&rest);
    ret->conversation = parley_host_text_read(&rest);
    ret->thread = parley_host_text_read(&rest);
    ret->escalated = parley_host_text_read(&rest);
    ret->other = parley_host_text_read(&rest);

    if (ret->other.len > 0) {
        lasts = parley_host_text_read(&rest);
        ret->before = parley_host_text_read(&rest);

        if (lasts.len == sizeof(ret->lasts_ms)) {
            memcpy(&ret->lasts_ms, lasts.data, lasts.len);
        }
    }

    memcpy(&ret->place.epoch, head.epoch, sizeof(head.epoch));
    memcpy(&ret->place.offset, head.offset, sizeof(head.offset));
    memcpy(ret->print, head.print, sizeof(head.print));

    if (ret->place.epoch == 0) {
        memcpy(&ret->opened_ms, head.offset, sizeof(head.offset));
        ret->place.offset = 0;
    }

    return 1;
}


int
parley_host_event_put(parley_host_t *h, parley_str_t id,
    const parley_host_event_t *event, int fresh)
{
    parley_buf_t               b;
    parley_record_id_t         name;
    parley_host_event_head_t   head;

    memset(&head, 0, sizeof(head));

    head.kind = (uint8_t) event->kind;
    head.act = (uint8_t) event->act;
    head.now = (uint8_t) event->now;
    memcpy(head.epoch, &event->place.epoch, sizeof(head.epoch));

    if (event->place.epoch != 0) {
        memcpy(head.offset, &event->place.offset, sizeof(head.offset));

    } else {
        memcpy(head.offset, &event->opened_ms, sizeof(head.offset));
    }

    memcpy(head.print, event->print, sizeof(head.print));

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&head, sizeof(head)));
    parley_host_text(&b, event->source);
    parley_host_text(&b, event->author);
    parley_host_text(&b, event->conversation);
    parley_host_text(&b, event->thread);
    parley_host_text(&b, event->escalated);

    if (event->other.len > 0) {
        parley_host_text(&b, event->other);
        parley_host_text(&b, parley_str_make(&event->lasts_ms,
                                             sizeof(event->lasts_ms)));
        parley_host_text(&b, event->before);
    }

    parley_host_event_id(h, id, event->source, &name);

    return parley_host_put(h, &name, &b, fresh,
                           fresh ? 0 : event->generation);
}


int
parley_host_event_shared(parley_host_t *h, parley_str_t id,
    parley_str_t source)
{
    int                i, rc;
    uint32_t           tag;
    parley_records_t  *records;

    rc = parley_host_events_read(h, id, source, &records, &tag);

    for (i = 0; rc == 0 && i < records->n; i++) {
        if (records->list[i].tag != tag) {
            return 1;
        }
    }

    return rc;
}


int
parley_host_events_get(parley_host_t *h, parley_str_t id,
    parley_host_event_t *ret, int n)
{
    int                i, rc, got;
    uint32_t           tag;
    parley_records_t  *records;

    rc = parley_host_events_read(h, id, parley_str_none, &records, &tag);

    if (rc < 0) {
        return rc;
    }

    got = 0;

    for (i = 0; i < records->n && got < n; i++) {
        memset(&ret[got], 0, sizeof(parley_host_event_t));
        got += parley_host_event_value(&records->list[i], &ret[got]);
    }

    return got;
}


/* Reads the records of an id, of all sources, and the tag of one.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_events_read(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_records_t **ret, uint32_t *tag)
{
    int                  rc;
    parley_records_t    *records;
    parley_record_id_t   name;

    records = parley_arena_alloc(h->arena, sizeof(parley_records_t));

    if (records == NULL) {
        return parley_error_memory(h->err);
    }

    parley_host_event_id(h, id, source, &name);

    *tag = name.tag;
    *ret = records;

    rc = parley_ask_get(h->ask, name.kind, name.key, records);

    if (rc != 0) {
        return parley_host_answered(h, rc);
    }

    return records->n < 0 ? parley_error_memory(h->err) : 0;
}


int
parley_host_event_read(parley_host_t *h, parley_str_t id,
    parley_host_event_t *event, parley_log_page_t *page,
    parley_publication_t *p)
{
    int             i, rc, placed;
    uint8_t         log[PARLEY_KEY_LEN];
    parley_place_t  at;

    parley_host_conversation(h->ask->state, event->source, event->conversation,
                             log);

    at = event->place;
    placed = at.epoch != 0;

    if (placed) {
        at.offset--;
    }

    rc = parley_host_read(h, log, &at, placed ? 1 : PARLEY_HOST_SEARCHED,
                          !placed, page);

    if (rc != 0 || page->epoch == 0) {
        return rc;
    }

    for (i = 0; i < page->n; i++) {

        if (parley_publication_read(page->list[i].octets, p) == 0
            && parley_str_eq(p->id, id))
        {
            event->place.epoch = page->epoch;
            event->place.offset = page->list[i].offset;

            return 1;
        }
    }

    return 0;
}


int
parley_host_event_drop(parley_host_t *h, parley_str_t id, parley_str_t source)
{
    parley_record_id_t  name;

    parley_host_event_id(h, id, source, &name);

    return parley_ask_drop(h->ask, &name, 0);
}


/* The records of two sources with one id differ by their tag. */

static void
parley_host_event_id(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_record_id_t *ret)
{
    parley_host_event_name_t  *last;

    last = &h->event;

    if (last->id != 0 && id.len == last->id && source.len == last->source
        && memcmp(last->text, id.data, id.len) == 0
        && memcmp(last->text + id.len, source.data, source.len) == 0)
    {
        *ret = last->name;
        return;
    }

    parley_host_id(h, PARLEY_KIND_EVENT, &id, 1, ret);

    ret->tag = parley_state_text_tag(h->ask->state, source);

    if (id.len == 0 || source.len == 0 || id.len > PARLEY_HOST_NAMED
        || source.len > PARLEY_HOST_NAMED - id.len)
    {
        return;
    }

    last->id = id.len;
    last->source = source.len;
    last->name = *ret;

    memcpy(last->text, id.data, id.len);
    memcpy(last->text + id.len, source.data, source.len);
}


void
parley_host_id(const parley_host_t *h, parley_kind_t kind,
    const parley_str_t *parts, size_t n, parley_record_id_t *ret)
{
    ret->kind = kind;
    ret->tag = 0;

    parley_state_key(h->ask->state, kind, parts, n, ret->key);
}


int
parley_host_get(parley_host_t *h, const parley_record_id_t *id,
    parley_record_t *ret)
{
    return parley_host_answered(h, parley_ask_get_one(h->ask, id, ret));
}


int
parley_host_put(parley_host_t *h, const parley_record_id_t *id,
    parley_buf_t *b, int fresh, uint32_t replaces)
{
    parley_put_t  put;

    memset(&put, 0, sizeof(parley_put_t));

    put.ttl = 2 * h->http->retain_ms;
    put.fresh = fresh != 0;
    put.replaces = replaces;

    return parley_host_put_for(h, id, b, &put);
}


int
parley_host_keep(parley_host_t *h, const parley_record_id_t *id,
    parley_buf_t *b, uint32_t generation)
{
    parley_put_t  put;

    memset(&put, 0, sizeof(parley_put_t));

    put.ttl = PARLEY_PUBLISH_LIVES;
    put.fresh = generation == 0;
    put.replaces = generation;

    return parley_host_put_for(h, id, b, &put);
}


static int
parley_host_put_for(parley_host_t *h, const parley_record_id_t *id,
    parley_buf_t *b, parley_put_t *put)
{
    int                  rc;
    parley_str_t         value;
    parley_put_result_t  result;

    if (parley_buf_done(b, &value) != 0) {
        return parley_error_memory(h->err);
    }

    put->id = *id;
    put->queue = PARLEY_EVICTABLE_NONE;
    put->account = h->account;
    put->parts = &value;
    put->nparts = 1;

    rc = parley_ask_put(h->ask, put, &result);

    if (rc != 0) {
        return parley_host_answered(h, rc);
    }

    if (result == PARLEY_PUT_OK || result == PARLEY_PUT_STALE) {
        return result == PARLEY_PUT_STALE;
    }

    h->full = 1;

    return parley_error_set(h->err, PARLEY_E_CAPACITY, NULL, "%s",
                            result == PARLEY_PUT_SHARE
                            ? "this sender uses its whole share of the zone"
                            : "the zone is full");
}


int
parley_host_close(parley_host_t *h, const parley_record_id_t *id)
{
    int                   late;
    parley_admission_t    none;
    parley_settlement_t   how;

    memset(&none, 0, sizeof(parley_admission_t));
    memset(&how, 0, sizeof(parley_settlement_t));

    how.taken = 1;
    how.closes[0] = id;

    return parley_host_answered(h, parley_ask_settle(h->ask, &none, &how,
                                                     &late));
}


int
parley_host_answered(parley_host_t *h, int rc)
{
    return rc != -1 ? rc
           : parley_error_set(h->err, PARLEY_E_CAPACITY, NULL,
                              "the state did not answer");
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
parley_host_mailbox_log(parley_host_t *h, const parley_principal_t *p,
    uint8_t ret[PARLEY_KEY_LEN])
{
    int           rc;
    parley_str_t  address;

    rc = parley_address_of(h->arena, p, &address);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(h->err) : rc;
    }

    parley_expand_log(h->ask->state, address, ret);

    return 0;
}


int
parley_host_read(parley_host_t *h, const uint8_t *log,
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
    read.arena = h->arena;

    rc = parley_ask_read(h->ask, &read, ret);

    return rc == PARLEY_WAIT || (rc == 0 && ret->n >= 0) ? rc
           : parley_error_set(h->err, PARLEY_E_CAPACITY, NULL,
                              "the log of the mailbox cannot be read");
}
