#include <string.h>

#include "core/parley_octets.h"
#include "gate/admission/parley_replay.h"
#include "translate/parley_codec.h"


/* octets of a record before the first answer or its id: format, status */
#define PARLEY_REPLAY_HEAD  (1 + 2)


static void parley_replay_id(const parley_replay_t *r,
    parley_record_id_t *ret);
static int parley_replay_retain(const parley_replay_t *r,
    const parley_reply_t *first);


int
parley_replay_is_kept(const parley_reservation_t *entrance)
{
    const parley_who_t  *who = entrance->who;

    return entrance->known && parley_who_proven(who).len > 0
           && parley_codecs[who->msg->wire]->first != PARLEY_FIRST_NONE;
}


int
parley_replay_keep(const parley_replay_t *r, const parley_reply_t *first)
{
    int                  rc, by_id;
    uint8_t              head[PARLEY_REPLAY_HEAD];
    parley_put_t         put;
    parley_str_t         parts[2];
    parley_put_result_t  got;

    if (!parley_replay_is_kept(r->entrance)) {
        return 0;
    }

    by_id = parley_codecs[r->who->msg->wire]->first == PARLEY_FIRST_ID;

    if (by_id ? first->id.len == 0 : first->body.len == 0) {
        return 0;
    }

    rc = by_id ? parley_replay_retain(r, first) : 0;

    if (rc != 0) {
        return rc == PARLEY_WAIT ? rc : 0;
    }

    memset(&put, 0, sizeof(parley_put_t));

    head[0] = r->entrance->ask->state->format;
    (void) parley_octets_write16(head + 1, (uint16_t) first->status);

    parts[0] = parley_str_make(head, sizeof(head));
    parts[1] = by_id ? first->id : first->body;

    parley_replay_id(r, &put.id);

    put.queue = PARLEY_EVICTABLE_ANSWER;
    put.account = r->entrance->account;
    put.parts = parts;
    put.nparts = 2;
    put.ttl = r->ttl;

    rc = parley_ask_put(r->entrance->ask, &put, &got);

    return rc == PARLEY_WAIT ? rc : 0;
}


static void
parley_replay_id(const parley_replay_t *r, parley_record_id_t *ret)
{
    ret->kind = PARLEY_KIND_ANSWER;
    ret->tag = 0;

    parley_window_answer_key(r->entrance->ask->state, r->entrance->id,
                             r->entrance->place, ret->key);
}


/* Retains the answer under its own id, for the asker only (AEE-25). */

static int
parley_replay_retain(const parley_replay_t *r, const parley_reply_t *first)
{
    parley_retain_t      retain;
    parley_retained_t    m;
    const parley_msg_t  *asked;

    asked = r->who->msg;

    memset(&retain, 0, sizeof(parley_retain_t));
    memset(&m, 0, sizeof(parley_retained_t));

    retain.arena = r->arena;
    retain.ask = r->entrance->ask;
    retain.who = r->who;
    retain.seed = r->seed;
    retain.wall = r->wall;

    m.id = first->id;
    m.protocol = parley_proto_name(asked->wire);
    m.to = parley_who_proven(r->who);
    m.sender = asked->recipient;
    m.recipient = asked->sender;
    m.corr = asked->corr.len > 0 ? asked->corr : asked->id;
    m.message = first->body;
    m.queue = PARLEY_EVICTABLE_ANSWER;
    m.account = r->entrance->account;
    m.ttl = r->ttl;

    return parley_retain(&retain, &m);
}


int
parley_replay_find(const parley_replay_t *r, parley_first_t *ret)
{
    int                 rc;
    parley_str_t        value;
    parley_record_t     record;
    parley_record_id_t  id;

    memset(ret, 0, sizeof(parley_first_t));

    if (!parley_replay_is_kept(r->entrance)) {
        return 0;
    }

    parley_replay_id(r, &id);

    rc = parley_ask_get_one(r->entrance->ask, &id, &record);

    if (rc != 1) {
        return rc;
    }

    value = record.value;

    if (value.len < PARLEY_REPLAY_HEAD || !parley_state_reads_format(value)) {
        return 0;
    }

    ret->status = parley_octets_read16(value.data + 1);
    ret->text = parley_str_from(value, PARLEY_REPLAY_HEAD);

    return 1;
}
