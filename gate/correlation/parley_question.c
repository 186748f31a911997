#include <string.h>

#include "translate/parley_name.h"
#include "gate/correlation/parley_question_parts.h"


static int parley_question_keep_asked(const parley_asking_t *a,
    parley_asked_t *ret, parley_error_t *err);
static int parley_question_is_optional(const parley_asking_t *a);
static int64_t parley_question_time(const parley_asking_t *a);
static int64_t parley_question_ttl(const parley_question_t *q);
static void parley_question_record_by(const parley_asking_t *a,
    parley_str_t asker, parley_record_id_t *ret);
static int parley_question_put_one(const parley_asking_t *a,
    parley_put_t *put, const parley_str_t *record);
static int parley_question_is_several(const parley_msg_t *m);
static parley_str_t parley_question_name(const parley_asking_t *a,
    parley_str_t name);
static int parley_question_put(const parley_asking_t *a,
    const parley_question_t *q, parley_str_t record, int answerable,
    parley_asked_t *ret, parley_error_t *err);
static int parley_question_put_own(const parley_asking_t *a,
    parley_asked_t *ret);
static int parley_question_put_call(const parley_asking_t *a,
    parley_str_t record, parley_asked_t *ret);


/*
 * Records a message if a later one may refer to it: the protocol in which it is
 * sent can express replies, or its sender may take it back.  An answer that is
 * not translated needs no record.  Such a record may be evicted, and gives way
 * to the question of another asker with the same id.
 */

int
parley_question_keep(const parley_asking_t *a, parley_asked_t *ret,
    parley_error_t *err)
{
    int                  rc;
    const parley_msg_t  *m;

    memset(ret, 0, sizeof(parley_asked_t));

    m = a->who->msg;

    if (m->partial || m->local || m->native) {
        return 0;
    }

    rc = parley_question_keep_asked(a, ret, err);

    return rc == 0 ? parley_question_keep_mute(a, ret) : rc;
}


static int
parley_question_keep_asked(const parley_asking_t *a, parley_asked_t *ret,
    parley_error_t *err)
{
    int                 rc, answerable, recallable;
    parley_str_t        record;
    parley_question_t   q;
    const parley_msg_t *m;

    m = a->who->msg;

    ret->optional = parley_question_is_optional(a);
    answerable = a->sent->answerable || a->escalates || ret->optional;
    recallable = m->call.len > 0 && m->wire != a->speak
                 && (m->act == PARLEY_ACT_REQUEST
                     || m->act == PARLEY_ACT_EVENT);

    if (!answerable && !recallable) {
        return 0;
    }

    if (m->wire == a->speak) {
        rc = parley_question_is_taken(a->ask, a->who, a->speak);

        if (rc != 0) {
            return rc == 1 ? 0
                   : rc == PARLEY_WAIT ? rc : parley_error_memory(err);
        }
    }

    ret->awaited = parley_question_fill(a, &q);
    ret->generation = parley_state_generation(a->stamp);
    ret->several = q.head.several;
    ret->sessions = q.head.sessions;

    rc = parley_question_write(a, &q, &record, err);

    if (rc == 0) {
        rc = parley_question_put(a, &q, record, answerable, ret, err);
    }

    if (rc == -1 && (!ret->awaited || ret->optional || m->wire == a->speak)) {
        parley_error_clear(err);
        return 0;
    }

    if (rc == 0 && ret->kept && ret->awaited && m->wire != a->speak) {
        rc = parley_question_put_own(a, ret);
    }

    if (rc == 0 && recallable) {
        rc = parley_question_put_call(a, record, ret);
    }

    return rc;
}


/* A failure may become an escalation, which is acknowledged. */

int
parley_question_fill(const parley_asking_t *a, parley_question_t *q)
{
    parley_str_t          *texts;
    const parley_msg_t    *m;
    const parley_codec_t  *codec;

    m = a->who->msg;
    codec = parley_codecs[m->wire];
    texts = q->texts;

    parley_octets_zero(q, sizeof(parley_question_t));

    q->head.proto = (uint8_t) m->wire;
    q->head.sent = (uint8_t) a->speak;
    q->head.act = (uint8_t) m->act;
    q->head.one_way = a->sent->one_way || m->mute;
    q->head.approval = a->sent->approval;
    q->head.alarm = (uint8_t) m->alarm;
    q->head.sent_alarm = (uint8_t) a->sent->alarm;
    q->head.priority = (uint8_t) m->priority;
    q->head.awaited = (a->sent->answerable
                       && (m->act == PARLEY_ACT_REQUEST
                           || (m->act == PARLEY_ACT_FAILURE
                               && m->wire != a->speak)))
                      || a->escalates || parley_question_is_optional(a);
    q->head.sessions = codec->asks_sessions != NULL
                       && codec->asks_sessions(m);
    q->head.several = q->head.sessions || parley_question_is_several(m);
    q->head.escalates = a->escalates;
    q->head.time = parley_question_time(a);

    if (a->asked != NULL) {
        memcpy(q->head.asked, a->asked, PARLEY_KEY_LEN);
    }

    texts[PARLEY_QUESTION_SENDER] = m->sender;
    texts[PARLEY_QUESTION_FORM] = m->form;
    texts[PARLEY_QUESTION_ID] = m->id;
    texts[PARLEY_QUESTION_CORR] = m->corr;
    texts[PARLEY_QUESTION_QUESTION] = m->question;
    texts[PARLEY_QUESTION_INTENT] = m->intent;
    texts[PARLEY_QUESTION_RECIPIENT] = a->to;
    texts[PARLEY_QUESTION_SENT_ID] = a->sent->id;
    texts[PARLEY_QUESTION_SENT_CORR] = a->sent->corr;
    texts[PARLEY_QUESTION_SENT_CALL] = a->sent->call;
    texts[PARLEY_QUESTION_PLACE] = m->place;
    texts[PARLEY_QUESTION_TOKEN] = m->token;
    texts[PARLEY_QUESTION_SCOPE] = a->scope;
    texts[PARLEY_QUESTION_SENT_FROM] = parley_question_from(a->who, a->speak);

    /* a message without a recipient goes to the sender of the message that it
       answers */

    texts[PARLEY_QUESTION_SENT_TO] =
                          (m->recipient.len > 0 || a->answering == NULL)
                          ? parley_question_name(a, m->recipient)
                          : a->answering->sender;

    return q->head.awaited;
}


/*
 * Returns whether an event may be answered.  The recipient of an alarm should
 * acknowledge it (VCP 6.1), if a reader's protocol can express this.  C2A's
 * readers may answer a published event, unless its policy forbids it.
 */

static int
parley_question_is_optional(const parley_asking_t *a)
{
    const parley_msg_t  *m;

    m = a->who->msg;

    return !a->escalates && m->act == PARLEY_ACT_EVENT
           && (m->alarm != PARLEY_SEVERITY_NONE
               ? a->published || a->sent->answerable
               : m->open && a->published);
}


/*
 * Returns how long the question takes answers: until its deadline, if it has
 * one.  An escalation takes longer, because its deadline is that of its first
 * recipient.
 */

static int64_t
parley_question_time(const parley_asking_t *a)
{
    int64_t  ms;

    ms = a->who->msg->timeout_ms;

    return ms > 0 && !a->escalates ? ms : PARLEY_QUESTION_TIME;
}


/* Returns how long the record is kept: at least PARLEY_QUESTION_TIME, and never
   less than it takes answers. */

static int64_t
parley_question_ttl(const parley_question_t *q)
{
    return q->head.time > PARLEY_QUESTION_TIME ? q->head.time
                                               : PARLEY_QUESTION_TIME;
}


int
parley_question_is_open(const parley_question_t *q, int64_t left)
{
    return !q->head.awaited || parley_question_age(q, left) < q->head.time;
}


int64_t
parley_question_age(const parley_question_t *q, int64_t left)
{
    return parley_question_ttl(q) - left;
}


static int
parley_question_is_several(const parley_msg_t *m)
{
    return parley_name_is_group(m->wire, m->recipient)
           || (m->scope.len > 0 && parley_name_is_group(m->wire, m->scope));
}


/*
 * Returns the name that the upstream gets.  A later look-up, without this
 * caller's token, might find another.  Empty: a group, or no name.
 */

static parley_str_t
parley_question_name(const parley_asking_t *a, parley_str_t name)
{
    parley_str_t    ret;
    parley_proto_t  wire;

    wire = a->who->msg->wire;

    if (name.len == 0 || parley_name_is_group(wire, name)) {
        return parley_str_none;
    }

    if (wire == a->speak) {
        return name;
    }

    return parley_who_resolve(a->who, wire, name, a->speak, &ret) == 1
           ? ret : parley_str_none;
}


/*
 * Returns the name that an answer uses, in the protocol in which the message is
 * sent.  A message without a correlation is answered by its id in any protocol.
 */

static parley_str_t
parley_question_named(const parley_asking_t *a)
{
    const parley_msg_t  *m;

    m = a->who->msg;

    if (m->wire == a->speak && m->question.len > 0) {
        return m->question;
    }

    return parley_codecs[a->speak]->replies_by_corr && a->sent->corr.len > 0
           ? a->sent->corr : a->sent->id;
}


void
parley_question_record(const parley_asking_t *a, parley_record_id_t *ret)
{
    parley_question_record_by(a, parley_question_asker(a->who, a->speak), ret);
}


static void
parley_question_record_by(const parley_asking_t *a, parley_str_t asker,
    parley_record_id_t *ret)
{
    ret->kind = PARLEY_KIND_QUESTION;
    parley_question_key(a->ask->state, a->speak, parley_question_named(a),
                        ret->key);
    ret->tag = parley_question_tag(a->ask->state, asker,
                                   a->sent->id.len > 0 ? a->sent->id
                                                       : a->who->msg->id);
}


static int
parley_question_put(const parley_asking_t *a, const parley_question_t *q,
    parley_str_t record, int answerable, parley_asked_t *ret,
    parley_error_t *err)
{
    int           rc;
    parley_put_t  put;
    parley_str_t  from;

    memset(&put, 0, sizeof(parley_put_t));

    put.ttl = parley_question_ttl(q);

    ret->until = a->ask->now + put.ttl;

    if (!answerable) {
        return 0;
    }

    from = q->texts[PARLEY_QUESTION_SENT_FROM];

    parley_question_record_by(a, from.len > 0 ? from : a->who->msg->sender,
                              &put.id);

    put.queue = a->escalates
                || (ret->awaited && !ret->optional
                    && a->who->msg->wire != a->speak)
                ? PARLEY_EVICTABLE_NONE : PARLEY_EVICTABLE_OPTIONAL;

    /* the record may exist before the put is answered */

    ret->question = put.id;
    ret->kept = 1;

    rc = parley_question_put_one(a, &put, &record);

    if (rc == 0) {
        ret->kept = 0;

        return parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                                "no room to record the message for a reply");
    }

    return rc == 1 ? 0 : rc;
}


/* Returns 1 if it was put; 0; PARLEY_WAIT. */

static int
parley_question_put_one(const parley_asking_t *a, parley_put_t *put,
    const parley_str_t *record)
{
    int                  rc;
    parley_put_result_t  got;

    put->account = a->account;
    put->parts = record;
    put->nparts = 1;
    put->under = a->under;
    put->stamp = a->stamp;

    rc = parley_ask_put(a->ask, put, &got);

    return rc == PARLEY_WAIT ? rc : rc == 0 && got == PARLEY_PUT_OK;
}


/*
 * Puts an alias with the asker's own name of the question: the responder may
 * use the asker's protocol elsewhere.  In a protocol of sessions this is the
 * correlation.  A service knows no such name, but a reader of a publication
 * may read the asker's protocol.
 */

static int
parley_question_put_own(const parley_asking_t *a, parley_asked_t *ret)
{
    int                  rc;
    uint8_t              lead[PARLEY_QUESTION_LEAD];
    parley_str_t         name, id;
    const parley_msg_t  *m;

    m = a->who->msg;

    name = m->question.len > 0 ? m->question : m->id;
    id = name;

    if (m->question.len == 0 && parley_codecs[m->wire]->replies_by_corr) {
        name = a->published ? m->corr : parley_str_none;
        id = m->id;
    }

    if (name.len == 0) {
        return 0;
    }

    ret->own.kind = PARLEY_KIND_QUESTION;
    ret->own.tag = parley_question_tag(a->ask->state, m->sender, id);

    if (parley_str_eq(name, parley_question_named(a))) {
        parley_question_key_in(ret->question.key, a->speak, m->wire,
                               ret->own.key);

    } else {
        parley_question_key(a->ask->state, m->wire, name, ret->own.key);
    }

    ret->own_kept = 1;

    rc = parley_question_put_beside(a, &ret->own,
                                    parley_question_lead(a->ask->state,
                                                         &ret->question, lead),
                                    ret);
    if (rc < 0) {
        return rc;
    }

    ret->own_kept = rc;

    return 0;
}


/*
 * Puts the record of a call id: an alias of the question, or the question
 * itself if it has no other record.
 */

static int
parley_question_put_call(const parley_asking_t *a, parley_str_t record,
    parley_asked_t *ret)
{
    int      rc;
    uint8_t  lead[PARLEY_QUESTION_LEAD];

    ret->call.kind = PARLEY_KIND_CALL;
    ret->call.tag = 0;
    parley_question_call_key(a->ask->state, a->who, a->who->msg->call,
                             ret->call.key);

    if (ret->kept) {
        record = parley_question_lead(a->ask->state, &ret->question, lead);
    }

    ret->call_kept = 1;

    rc = parley_question_put_beside(a, &ret->call, record, ret);

    if (rc < 0) {
        return rc;
    }

    ret->call_kept = rc;

    return 0;
}


int
parley_question_put_beside(const parley_asking_t *a,
    const parley_record_id_t *id, parley_str_t record,
    const parley_asked_t *asked)
{
    parley_put_t  put;

    memset(&put, 0, sizeof(parley_put_t));

    /* an escalation without a record could not be acknowledged, and would go up
       (VCP-24) */

    put.id = *id;
    put.queue = a->escalates ? PARLEY_EVICTABLE_NONE
                             : PARLEY_EVICTABLE_OPTIONAL;
    put.ttl = asked->until - a->ask->now;

    return parley_question_put_one(a, &put, &record);
}


int
parley_question_drop(parley_ask_t *q, const parley_asked_t *asked)
{
    int  rc;

    rc = asked->kept ? parley_ask_drop(q, &asked->question,
                                       asked->generation) : 0;

    if (rc == 0 && asked->call_kept) {
        rc = parley_ask_drop(q, &asked->call, asked->generation);
    }

    if (rc == 0 && asked->own_kept) {
        rc = parley_ask_drop(q, &asked->own, asked->generation);
    }

    return rc;
}


/* An alias of a closed question stays, and leads to the closed record. */

int
parley_question_close(parley_ask_t *q, const parley_asked_t *asked)
{
    int                   rc, late;
    parley_admission_t    none;
    parley_settlement_t   how;

    late = 0;

    if (asked->kept) {
        memset(&none, 0, sizeof(parley_admission_t));
        memset(&how, 0, sizeof(parley_settlement_t));

        how.taken = 1;
        how.closes[0] = &asked->question;

        rc = parley_ask_settle(q, &none, &how, &late);

        if (rc != 0) {
            return rc;
        }
    }

    rc = asked->call_kept ? parley_ask_drop(q, &asked->call,
                                            asked->generation) : 0;

    return rc != 0 ? rc : late;
}


int
parley_question_is_taken(parley_ask_t *q, parley_who_t *who,
    parley_proto_t speak)
{
    int               i, rc;
    uint8_t           key[PARLEY_KEY_LEN];
    uint32_t          own;
    parley_str_t      id;
    parley_records_t  records;

    id = parley_question_id(who->msg);

    if (!parley_codecs[speak]->replies_to_id || id.len == 0) {
        return 0;
    }

    parley_question_key(q->state, speak, id, key);

    rc = parley_ask_get(q, PARLEY_KIND_QUESTION, key, &records);

    if (rc != 0) {
        return rc;
    }

    own = parley_question_tag(q->state, parley_question_asker(who, speak), id);

    for (i = 0; i < records.n; i++) {
        if (((records.list[i].tag ^ own) & PARLEY_TAG_OWNER) != 0) {
            return 1;
        }
    }

    return 0;
}


int
parley_question_take(parley_ask_t *q, const parley_asked_t *asked,
    parley_str_t responder, parley_str_t session, const uint8_t *account)
{
    int                   rc, kept;
    uint8_t               slot[PARLEY_KEY_LEN];
    parley_admitted_t     got;
    parley_admission_t    a;
    parley_settlement_t   how;

    if (!asked->kept || !asked->several) {
        return 1;
    }

    memset(&a, 0, sizeof(parley_admission_t));
    memset(&how, 0, sizeof(parley_settlement_t));

    parley_question_slot(q->state, &asked->question, 1, responder,
                         asked->sessions ? session : parley_str_none, slot);

    a.account = account;
    a.slot = slot;
    a.slot_ttl = asked->until - q->now;

    rc = parley_ask_admit(q, &a, &got);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? rc : 1;
    }

    if (got.verdict != PARLEY_ADMIT_OK) {
        /* without room, responders are not distinguished, and the answer
           counts */
        return got.verdict != PARLEY_ADMIT_ANSWERED
               && got.verdict != PARLEY_ADMIT_ANSWERING;
    }

    how.stamp = got.stamp;
    how.taken = 1;

    rc = parley_ask_settle(q, &a, &how, &kept);

    return rc == PARLEY_WAIT ? rc : 1;
}


parley_str_t
parley_question_from(parley_who_t *who, parley_proto_t speak)
{
    const parley_msg_t  *m;

    m = who->msg;

    return parley_name_is_group(m->wire, m->sender)
           ? parley_str_none : parley_who_told(who, speak);
}


parley_str_t
parley_question_asker(parley_who_t *who, parley_proto_t speak)
{
    parley_str_t  from;

    from = parley_question_from(who, speak);

    return from.len > 0 ? from : who->msg->sender;
}
