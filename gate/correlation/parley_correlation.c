#include <string.h>

#include "gate/party/parley_responder_check.h"
#include "translate/channel/parley_channel_scope.h"
#include "translate/parley_check.h"
#include "translate/parley_name.h"
#include "gate/correlation/parley_correlation_parts.h"
#include "translate/parley_msg_field.h"


/*
 * How the records under the id that a reply names relate to the reply.  If
 * there are several records, the last value in this order counts.
 */
typedef enum {
    PARLEY_CORRELATION_NOTHING = 0,
    PARLEY_CORRELATION_OTHERS,        /* between other parties */
    PARLEY_CORRELATION_ASTRAY,        /* in another conversation */
    PARLEY_CORRELATION_BESIDE,        /* the reply's recipient is outside the
                                         scope for answers */
    PARLEY_CORRELATION_CLOSED,        /* has its answer */
    PARLEY_CORRELATION_OPEN,          /* takes answers */
    PARLEY_CORRELATION_SEVERAL        /* ambiguous: several questions match */
} parley_correlation_found_t;


static int parley_correlation_reply(parley_correlation_t *r, parley_str_t to,
    int by_corr, parley_error_t *err);
static int parley_correlation_event(parley_correlation_t *r,
    parley_error_t *err);
static int parley_correlation_look(parley_correlation_t *r, parley_str_t to,
    int by_corr, parley_correlation_found_t *found, parley_error_t *err);
static int parley_correlation_names(const parley_msg_t *m);
static int parley_correlation_match_all(parley_correlation_t *r,
    const uint8_t *key, const parley_records_t *records, int by_corr,
    parley_correlation_found_t *found);
static int parley_correlation_may_be_closed(const parley_correlation_t *r,
    const parley_record_t *open, const parley_record_t *closed);
static int parley_correlation_match_one(parley_correlation_t *r,
    const uint8_t *key, const parley_record_t *record, int by_corr,
    parley_correlation_found_t *ret);
static parley_correlation_found_t parley_correlation_beside(
    const parley_correlation_t *r, const parley_question_t *q, int64_t age);
static int parley_correlation_yields(const parley_correlation_t *r,
    const parley_question_t *q);
static int parley_correlation_is_copied(const parley_correlation_t *r,
    const parley_question_t *q);
static int parley_correlation_is_mute(const parley_question_t *q);
static int parley_correlation_speaks(const parley_correlation_t *r,
    const parley_question_t *q);
static void parley_correlation_named(const parley_question_t *q,
    const parley_question_alias_t *lead, parley_correlation_name_t *ret);
static int parley_correlation_is_closed(const parley_correlation_t *r,
    const parley_record_t *record);
static int parley_correlation_found(parley_correlation_t *r,
    parley_error_t *err);
static void parley_correlation_slot(parley_correlation_t *r);


#define PARLEY_CORRELATION_ELSEWHERE                                          \
    "the answer must be in the conversation of the answered message"


static int
parley_correlation_is_final(const parley_msg_t *m)
{
    return m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE;
}


/* Returns whether the question is found by its correlation: progress may name
   only the conversation, or an id in its place. */

static int
parley_correlation_by_corr(const parley_msg_t *m)
{
    return m->act == PARLEY_ACT_PROGRESS && m->reply_to.len == 0;
}


int
parley_correlation_find(parley_correlation_t *r, parley_error_t *err)
{
    int            rc, by_corr;
    parley_str_t   to;
    parley_msg_t  *m;

    m = r->msg;

    r->question = NULL;
    r->answering = NULL;
    r->own = 0;
    r->above = 0;
    r->recalled = 0;
    r->final = 0;
    r->declines = 0;
    r->who->asker = NULL;

    if (m->recalls.len > 0) {
        return parley_correlation_recalls(r, err);
    }

    if (m->reply_to.len == 0 && !parley_correlation_is_answer(m)) {
        rc = parley_correlation_event(r, err);

        if (rc != 0) {
            return rc;
        }
    }

    by_corr = parley_correlation_by_corr(m);
    to = by_corr ? m->corr : m->reply_to;

    if (to.len == 0 ? m->act != PARLEY_ACT_REPLY
                    : !parley_correlation_is_answer(m) && m->wire == r->speak)
    {
        return 0;
    }

    return parley_correlation_reply(r, to, by_corr, err);
}


/*
 * Finds the question of a reply.  If the reply is not translated, its question
 * may have gone another way, and a reply to an unknown message passes
 * unchanged.  If the reply is translated, an answer needs its question.
 * Failures and progress pass without one if they name a recipient.
 */

static int
parley_correlation_reply(parley_correlation_t *r, parley_str_t to, int by_corr,
    parley_error_t *err)
{
    int                         rc;
    const parley_msg_t         *m;
    parley_correlation_found_t  found;

    m = r->msg;

    rc = parley_correlation_look(r, to, by_corr, &found, err);

    if (rc != 0) {
        return rc;
    }

    if (found == PARLEY_CORRELATION_OPEN) {
        return parley_correlation_found(r, err);
    }

    if (found == PARLEY_CORRELATION_CLOSED && parley_correlation_is_answer(m)) {
        return parley_correlation_unmatched(r,
                                            "the question is answered already, "
                                            "or its time is over", err);
    }

    if (found == PARLEY_CORRELATION_SEVERAL
        && parley_correlation_is_answer(m))
    {
        return parley_correlation_unmatched(r,
                                            "several messages wait for an "
                                            "answer: the reply must name one "
                                            "of them", err);
    }

    if (found == PARLEY_CORRELATION_BESIDE) {
        return parley_error_set(err, PARLEY_E_REPLY_UNMATCHED,
                                parley_at(m, PARLEY_MSG_RECIPIENT).pointer,
                                "the recipient must be in the scope of the "
                                "query for its answers (response_scope)");
    }

    if ((found == PARLEY_CORRELATION_OTHERS
         || found == PARLEY_CORRELATION_ASTRAY)
        && (m->wire == r->speak || r->addressed || r->published))
    {
        return found == PARLEY_CORRELATION_ASTRAY
               ? parley_error_set(err, PARLEY_E_REPLY_UNMATCHED,
                                  parley_at(m, PARLEY_MSG_CORR).pointer,
                                  PARLEY_CORRELATION_ELSEWHERE)
               : parley_correlation_unmatched(r, PARLEY_CORRELATION_UNKNOWN,
                                              err);
    }

    if (m->wire == r->speak) {
        return 0;
    }

    if (m->act == PARLEY_ACT_REPLY || m->recipient.len == 0) {
        return parley_correlation_unmatched(r, PARLEY_CORRELATION_UNKNOWN, err);
    }

    return 0;
}


/*
 * Refuses an event that names a mute event as the one that it answers (C2A-13).
 * It is not an answer to another event.
 */

static int
parley_correlation_event(parley_correlation_t *r, parley_error_t *err)
{
    int                         rc;
    parley_msg_t                m;
    parley_str_t                to;
    const parley_codec_t       *codec;
    parley_correlation_t        words;
    parley_correlation_found_t  found;

    codec = parley_codecs[r->msg->wire];

    if (codec->locate == NULL) {
        return 0;
    }

    if (parley_msg_string(r->msg->doc,
                          codec->locate(r->msg, PARLEY_MSG_REPLY_TO), &to)
        != 0)
    {
        return parley_error_memory(err);
    }

    m = *r->msg;
    m.act = PARLEY_ACT_REPLY;
    m.in_words = 1;

    words = *r;
    words.msg = &m;

    rc = parley_correlation_look(&words, to, 0, &found, err);

    return rc != 0 || found != PARLEY_CORRELATION_OPEN
           || !parley_correlation_is_mute(words.question)
           ? rc
           : parley_error_set(err, PARLEY_E_POLICY_REFUSED,
                              parley_at(r->msg, PARLEY_MSG_REPLY_TO).pointer,
                              "the answered message must not be answered");
}


static int
parley_correlation_look(parley_correlation_t *r, parley_str_t to, int by_corr,
    parley_correlation_found_t *found, parley_error_t *err)
{
    int                  rc;
    parley_records_t     records;
    parley_record_id_t   id;
    const parley_msg_t  *m;

    rc = 0;
    m = r->msg;

    *found = PARLEY_CORRELATION_NOTHING;

    if (to.len == 0) {
        return 0;
    }

    id.kind = PARLEY_KIND_QUESTION;
    parley_question_key(r->ask->state, m->wire, to, id.key);

    if (parley_correlation_names(m)) {
        id.tag = parley_question_tag(r->ask->state, m->recipient, to);

        rc = parley_ask_get_owned(r->ask, &id, &records);

        if (rc == 0) {
            rc = parley_correlation_match_all(r, id.key, &records, by_corr,
                                              found);
        }
    }

    if (rc == 0 && *found <= PARLEY_CORRELATION_BESIDE) {
        rc = parley_ask_get(r->ask, id.kind, id.key, &records);

        if (rc == 0) {
            rc = parley_correlation_match_all(r, id.key, &records, by_corr,
                                              found);
        }
    }

    return rc < 0 ? parley_correlation_failed(r, rc, err) : 0;
}


/* Returns whether the reply names the asker of its question. */

static int
parley_correlation_names(const parley_msg_t *m)
{
    return m->recipient.len > 0 && !parley_name_is_group(m->wire, m->recipient);
}


/*
 * Finds which of the records the reply answers.  A reply that does not name the
 * asker may belong to any of them, also to a closed one.  An ambiguous reply
 * goes to no asker.
 */

static int
parley_correlation_match_all(parley_correlation_t *r, const uint8_t *key,
    const parley_records_t *records, int by_corr,
    parley_correlation_found_t *found)
{
    int                         i, rc;
    unsigned                    n;
    const parley_record_t      *open, *closed[PARLEY_RECORDS_MAX];
    parley_correlation_found_t  one;

    n = 0;
    open = NULL;

    for (i = 0; i < records->n; i++) {
        rc = parley_correlation_match_one(r, key, &records->list[i], by_corr,
                                          &one);

        if (rc != 0) {
            return rc;
        }

        if (one == PARLEY_CORRELATION_CLOSED) {
            closed[n++] = &records->list[i];

        } else if (one == PARLEY_CORRELATION_OPEN) {
            open = &records->list[i];
        }

        if (one > *found) {
            *found = one;
        }
    }

    while (n != 0 && *found == PARLEY_CORRELATION_OPEN) {
        if (parley_correlation_may_be_closed(r, open, closed[--n])) {
            *found = PARLEY_CORRELATION_SEVERAL;
        }
    }

    if (*found == PARLEY_CORRELATION_SEVERAL) {
        r->question = NULL;
    }

    return 0;
}


/* Returns whether the reply may answer a closed question instead of the open
   one.  Both records have the names of the reply's protocol in their tags. */

static int
parley_correlation_may_be_closed(const parley_correlation_t *r,
    const parley_record_t *open, const parley_record_t *closed)
{
    uint32_t             names;
    const parley_msg_t  *m;

    m = r->msg;

    if (parley_correlation_names(m)
        || ((closed->tag ^ open->tag) & PARLEY_TAG_OWNER) == 0)
    {
        return 0;
    }

    names = parley_question_tag(r->ask->state, parley_str_none, m->names);

    return m->names.len == 0
           || ((closed->tag ^ names) & PARLEY_TAG_WHICH) == 0;
}


/*
 * Compares one record with the reply, and sets r->question if it is open.
 * Returns 0; PARLEY_WAIT; or -1: no memory.
 */

static int
parley_correlation_match_one(parley_correlation_t *r, const uint8_t *key,
    const parley_record_t *record, int by_corr,
    parley_correlation_found_t *ret)
{
    int                        rc, mute, above;
    int64_t                    age;
    parley_record_t            led;
    parley_question_t          q;
    parley_record_id_t         id;
    parley_question_alias_t    lead;
    parley_correlation_name_t  name;

    *ret = PARLEY_CORRELATION_CLOSED;

    id.kind = PARLEY_KIND_QUESTION;
    id.tag = record->tag;
    memcpy(id.key, key, PARLEY_KEY_LEN);

    name.own = !record->closed && parley_question_is_alias(record->value,
                                                           &lead);

    if (name.own) {
        id = lead.id;
        rc = parley_correlation_record(r, &id, &led);

        if (rc < 0) {
            return rc;
        }

    } else {
        rc = !record->closed;
        led = *record;
    }

    if (rc == 0) {
        if (!parley_correlation_is_closed(r, record)) {
            *ret = PARLEY_CORRELATION_NOTHING;
        }

        return 0;
    }

    if (parley_question_split(led.value, &q) != 0) {
        *ret = PARLEY_CORRELATION_NOTHING;
        return 0;
    }

    parley_correlation_named(&q, name.own ? &lead : NULL, &name);

    above = parley_correlation_is_above(r, &q, &id);

    if (above < 0) {
        return above;
    }

    mute = parley_correlation_is_mute(&q);

    if (!parley_correlation_is_between(r, &q, &name,
                                       above || (mute
                                                 && parley_correlation_speaks(
                                                                    r, &q))))
    {
        *ret = mute ? PARLEY_CORRELATION_NOTHING : PARLEY_CORRELATION_OTHERS;
        return 0;
    }

    if (!by_corr && !parley_correlation_is_there(r, &q, &name)) {
        *ret = mute ? PARLEY_CORRELATION_NOTHING : PARLEY_CORRELATION_ASTRAY;
        return 0;
    }

    if (q.texts[PARLEY_QUESTION_SCOPE].len > 0
        && parley_correlation_is_answer(r->msg)
        && !parley_correlation_is_scoped(r, &q, &name))
    {
        *ret = PARLEY_CORRELATION_BESIDE;
        return 0;
    }

    if (!parley_question_is_open(&q, led.left)) {
        return 0;
    }

    age = parley_question_age(&q, led.left);
    *ret = parley_correlation_beside(r, &q, age);

    if (*ret != PARLEY_CORRELATION_OPEN) {
        return 0;
    }

    r->id = id;
    r->age = age;
    r->own = name.own;
    r->corr = name.corr;
    r->asker_name = name.told;
    r->above = above;
    r->slot_until = r->ask->now + led.left;

    return parley_correlation_keep(r, led.value);
}


/*
 * Compares an open question with r->question, which was found before.  Returns
 * OPEN if the new one counts, NOTHING if the previous one counts, or SEVERAL.
 */

static parley_correlation_found_t
parley_correlation_beside(const parley_correlation_t *r,
    const parley_question_t *q, int64_t age)
{
    if (r->question == NULL) {
        return PARLEY_CORRELATION_OPEN;
    }

    if (parley_correlation_is_copied(r, q)) {
        return age > r->age ? PARLEY_CORRELATION_OPEN
                            : PARLEY_CORRELATION_NOTHING;
    }

    /* a reader of a query could publish an event with the id of the query */

    return parley_correlation_yields(r, q) ? PARLEY_CORRELATION_NOTHING
           : parley_correlation_yields(r, r->question) ? PARLEY_CORRELATION_OPEN
           : PARLEY_CORRELATION_SEVERAL;
}


/* Returns whether q is a mute event that came in another protocol than the
   reply.  A question that takes answers has priority over it. */

static int
parley_correlation_yields(const parley_correlation_t *r,
    const parley_question_t *q)
{
    return parley_correlation_is_mute(q) && r->msg->wire != q->head.proto;
}


/*
 * Returns whether the answers of q go to the same handle as those of
 * r->question (ACH-31).  An answer then does not identify its question, and the
 * older question counts: otherwise a reader of a query could repeat it, and
 * block its answers.
 */

static int
parley_correlation_is_copied(const parley_correlation_t *r,
    const parley_question_t *q)
{
    parley_channel_scope_t  one, other;

    return parley_correlation_is_answer(r->msg)
           && parley_channel_scope_parse(q->texts[PARLEY_QUESTION_SCOPE], &one)
              == 0
           && parley_channel_scope_parse(
                                    r->question->texts[PARLEY_QUESTION_SCOPE],
                                    &other)
              == 0
           && parley_str_eq(one.handle, other.handle);
}


/*
 * Returns whether q is mute: a message that must not be answered in words
 * (C2A-13), sent in its own protocol.  Also readers that it does not name see
 * it.
 */

static int
parley_correlation_is_mute(const parley_question_t *q)
{
    return q->head.one_way && !q->head.awaited && q->head.sent == q->head.proto;
}


/* Returns whether a reply is in words.  Every final answer to a mute event in
   another protocol is. */

static int
parley_correlation_speaks(const parley_correlation_t *r,
    const parley_question_t *q)
{
    return r->msg->in_words
           || (parley_correlation_yields(r, q)
               && parley_correlation_is_final(r->msg));
}


/* Fills the names by which the reply refers to the question.  lead is the alias
   that led to it, or NULL. */

static void
parley_correlation_named(const parley_question_t *q,
    const parley_question_alias_t *lead, parley_correlation_name_t *ret)
{
    ret->own = lead != NULL;
    ret->corr = q->texts[ret->own ? PARLEY_QUESTION_CORR
                                  : PARLEY_QUESTION_SENT_CORR];
    ret->told = q->texts[ret->own ? PARLEY_QUESTION_SENDER
                                  : PARLEY_QUESTION_SENT_FROM];

    if (lead != NULL && lead->has_corr) {
        ret->corr = lead->corr;
    }

    if (lead != NULL && lead->has_asker_name) {
        ret->told = lead->asker_name;
    }
}


int
parley_correlation_keep(parley_correlation_t *r, parley_str_t record)
{
    r->question = parley_arena_alloc(r->arena, sizeof(parley_question_t));

    if (r->question == NULL) {
        return -1;
    }

    if (parley_question_split(record, r->question) != 0) {
        r->question = NULL;
    }

    return 0;
}


/* A closed record keeps only its owner tag. */

static int
parley_correlation_is_closed(const parley_correlation_t *r,
    const parley_record_t *record)
{
    uint32_t             whose;
    const parley_msg_t  *m;

    m = r->msg;
    whose = parley_question_tag(r->ask->state, m->recipient, parley_str_none);

    return !parley_correlation_names(m)
           || ((record->tag ^ whose) & PARLEY_TAG_OWNER) == 0;
}


static int
parley_correlation_found(parley_correlation_t *r, parley_error_t *err)
{
    parley_msg_t        *m;
    parley_question_t   *q;
    parley_who_asker_t  *asker;

    q = r->question;

    if (q->head.one_way && parley_correlation_speaks(r, q)) {
        return parley_msg_misrefers(r->msg, PARLEY_E_POLICY_REFUSED,
                                    "the answered message must not be "
                                    "answered", err);
    }

    if (r->msg->act == PARLEY_ACT_REPLY
        && parley_check_severity(r->msg, r->own || q->head.sent_alarm == 0
                                         ? q->head.alarm
                                         : q->head.sent_alarm, err)
           != 0)
    {
        return -1;
    }

    m = parley_arena_alloc(r->arena, sizeof(parley_msg_t));
    asker = parley_arena_alloc(r->arena, sizeof(parley_who_asker_t));

    if (m == NULL || asker == NULL) {
        return parley_error_memory(err);
    }

    parley_msg_init(m, (parley_proto_t) q->head.proto, r->msg->doc);

    parley_question_message(q, m);
    parley_question_asked_by(q, asker);

    r->answering = m;
    r->asker = asker;

    parley_correlation_again(r);
    parley_correlation_slot(r);

    return 0;
}


/* Decides, when the meaning of the message is known, whether it is the final
   answer and takes the slot. */

static void
parley_correlation_slot(parley_correlation_t *r)
{
    parley_str_t              session;
    parley_agents_t           agents;
    const parley_question_t  *q;

    q = r->question;

    if (!q->head.awaited || !parley_correlation_is_final(r->msg)) {
        return;
    }

    /* the principal above a parent that declines gets it, too (VCP-24) */

    if (q->head.escalates && r->msg->act == PARLEY_ACT_FAILURE) {
        r->declines = 1;
        return;
    }

    r->final = 1;

    session = !q->head.sessions ? parley_str_none
              : r->msg->session.len > 0 ? r->msg->session
              : parley_question_session(r->msg);

    parley_who_agents(r->who, &agents);
    parley_question_slot(r->ask->state, &r->id, q->head.several,
                         parley_responder_principal(&agents, r->msg->wire,
                                                    r->msg->sender),
                         session, r->slot);
}


int
parley_correlation_record(parley_correlation_t *r, const parley_record_id_t *id,
    parley_record_t *ret)
{
    int  rc;

    rc = parley_ask_get_one(r->ask, id, ret);

    return rc == 1 && ret->closed ? 0 : rc;
}


int
parley_correlation_failed(const parley_correlation_t *r, int rc,
    parley_error_t *err)
{
    if (rc == PARLEY_WAIT) {
        return rc;
    }

    return parley_ask_is_away(r->ask)
           ? parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                              "the store of the gateways is away")
           : parley_error_memory(err);
}


int
parley_correlation_unmatched(parley_correlation_t *r, const char *why,
    parley_error_t *err)
{
    return parley_msg_misrefers(r->msg, PARLEY_E_REPLY_UNMATCHED, why, err);
}
