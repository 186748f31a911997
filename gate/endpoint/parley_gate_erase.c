/*
 * Deletes retained messages for their parties (ACH-28): DELETE at the endpoint
 * of parley_stream.  A sender may delete each message that it sent to the name
 * at the end of the path.  The owner of the name may delete a message that was
 * for this name only.  Only the sender may delete a message to an organisation
 * or to all known peers.
 *
 *     DELETE /channel/stream/~alice?event=3f09c2a1b47e.17
 *     DELETE /channel/stream/~bob?id=0f4d3f2e-...
 *     DELETE /channel/stream/~alice?all=1
 *
 * A deleted message is gone for all its recipients and for aee.context.fetch.
 * The answer does not tell whether there are other messages.  A principal above
 * that got an escalation deletes only its own copy.  A message that waits for
 * an answer with a deadline stays until it is answered or the deadline is over.
 * Its sender may delete it earlier.
 *
 * With an asynchronous state, each page and each message is a separate
 * operation with its own time limit.  So the whole request takes as long as it
 * needs.
 */

#include <string.h>

#include "translate/parley_codec.h"
#include "hub/parley_event_id.h"
#include "hub/parley_expand.h"
#include "hub/parley_publication.h"
#include "gate/correlation/parley_question.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/admission/parley_retain.h"


/* records and octets of a page */
#define PARLEY_ERASE_PAGE    256
#define PARLEY_ERASE_OCTETS  (1 << 20)


typedef struct parley_gate_erase_s {
    parley_gate_t       *g;
    parley_arguments_t   arguments;
    parley_str_t         address;
    parley_place_t       only;      /* the only event to delete; epoch 0: all */
    int                  own;       /* the name is the caller's */
    uint8_t              log[PARLEY_KEY_LEN];
    parley_log_read_t    read;      /* request for the current or the next
                                       page */
    parley_log_page_t    page;
    parley_arena_t       octets;    /* memory of the records of this page */
    int                  at;        /* index in the page */
    int64_t              erased;
    unsigned             paged:1;   /* the page was read */
    unsigned             over:1;    /* it was the last page */
} parley_gate_erase_t;


static int parley_gate_erase_begin(parley_gate_t *g);
static int parley_gate_erase_asked(parley_gate_erase_t *e);
static int parley_gate_erase_wrong(parley_gate_erase_t *e, const char *why);
static void parley_gate_erase_from(parley_gate_erase_t *e);
static int parley_gate_erase_all(parley_gate_erase_t *e);
static int parley_gate_erase_read(parley_gate_erase_t *e);
static int parley_gate_erase_page(parley_gate_erase_t *e);
static int parley_gate_erase_one(parley_gate_erase_t *e, uint64_t epoch,
    uint64_t offset, parley_str_t octets);
static int parley_gate_erase_is_alone(const parley_publication_t *p);
static int parley_gate_erase_is_others(const parley_gate_t *g,
    const parley_publication_t *p);
static int parley_gate_erase_is_due(parley_gate_t *g,
    const parley_publication_t *p);
static int parley_gate_erase_done(parley_gate_erase_t *e);
static int parley_gate_erase_tell(parley_gate_erase_t *e);


parley_step_result_t
parley_gate_erase(parley_gate_t *g)
{
    int  rc;

    rc = g->serve.erasing != NULL ? 0 : parley_gate_erase_begin(g);

    if (rc == 0) {
        rc = parley_gate_erase_all(g->serve.erasing);
    }

    if (rc == 0) {
        rc = parley_gate_erase_tell(g->serve.erasing);
    }

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


static int
parley_gate_erase_begin(parley_gate_t *g)
{
    parley_gate_erase_t  *e;

    e = parley_arena_calloc(g->arena, sizeof(parley_gate_erase_t));

    if (e == NULL) {
        return parley_error_memory(g->err);
    }

    e->g = g;

    if (parley_gate_erase_asked(e) != 0) {
        return -1;
    }

    parley_gate_erase_from(e);
    g->serve.erasing = e;

    return 0;
}


static int
parley_gate_erase_asked(parley_gate_erase_t *e)
{
    parley_str_t    event;
    parley_gate_t  *g;

    g = e->g;

    parley_arguments_of(&e->arguments, 1u << PARLEY_ARGUMENT_EVENT
                                       | 1u << PARLEY_ARGUMENT_ID
                                       | 1u << PARLEY_ARGUMENT_ALL,
                        g->conf.gate->token);

    if (parley_gate_named(g, &e->arguments, parley_str_none, &e->address,
                          &e->own)
        != 0)
    {
        return -1;
    }

    parley_expand_log(g->ask.state, e->address, e->log);

    event = e->arguments.list[PARLEY_ARGUMENT_EVENT].value;

    /* an id that is empty by mistake does not delete all messages */

    if (event.len == 0
        && e->arguments.list[PARLEY_ARGUMENT_ID].value.len == 0
        && !parley_str_is(e->arguments.list[PARLEY_ARGUMENT_ALL].value, "1"))
    {
        return parley_gate_erase_wrong(e,
                                       "event=, id= or all=1 must name the "
                                       "messages to delete");
    }

    if (event.len == 0
        || (parley_event_id_read(event, &e->only) == 0 && e->only.offset > 0))
    {
        return 0;
    }

    return parley_gate_erase_wrong(e,
                                   "is not the id of an event of this gateway");
}


static int
parley_gate_erase_wrong(parley_gate_erase_t *e, const char *why)
{
    (void) parley_error_set(e->g->err, PARLEY_E_FIELD_INVALID, "event", "%s",
                            why);
    e->g->err->is_name = 1;

    return -1;
}


/*
 * Prepares the first read.  All messages are read from the newest to the
 * oldest; for one event only its record is read.
 */

static void
parley_gate_erase_from(parley_gate_erase_t *e)
{
    parley_log_read_t  *read;

    read = &e->read;

    read->log = e->log;
    read->records = PARLEY_ERASE_PAGE;
    read->octets = PARLEY_ERASE_OCTETS;
    read->backward = 1;
    read->arena = &e->octets;

    parley_arena_init(&e->octets, &e->g->arena->mem, 0);

    if (e->only.epoch != 0) {
        read->from.epoch = e->only.epoch;
        read->from.offset = e->only.offset - 1;
        read->to = e->only.offset;
        read->backward = 0;
    }
}


static int
parley_gate_erase_all(parley_gate_erase_t *e)
{
    int  rc;

    while (!e->over) {
        rc = e->paged ? 0 : parley_gate_erase_read(e);

        if (rc == 0) {
            rc = parley_gate_erase_page(e);
        }

        if (rc != 0) {
            return rc;
        }

        e->read.from.epoch = e->page.epoch;
        e->read.from.offset = e->page.at;
        e->paged = 0;
        parley_arena_reset(&e->octets);

        e->over = e->only.epoch != 0 || e->page.epoch == 0
                  || e->page.at <= e->page.first;
    }

    return 0;
}


static int
parley_gate_erase_read(parley_gate_erase_t *e)
{
    int  rc;

    rc = parley_ask_read(&e->g->ask, &e->read, &e->page);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(e->g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    e->at = 0;
    e->paged = 1;

    return parley_gate_erase_done(e);
}


static int
parley_gate_erase_page(parley_gate_erase_t *e)
{
    int                       rc;
    const parley_log_page_t  *page;

    page = &e->page;

    /* if the epoch differs or the place is lost, this is another record */

    if (e->only.epoch != 0
        && (page->epoch != e->only.epoch || page->lost))
    {
        return 0;
    }

    for ( /* void */ ; e->at < page->n; e->at++) {
        rc = parley_gate_erase_one(e, page->epoch, page->list[e->at].offset,
                                   page->list[e->at].octets);
        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


static int
parley_gate_erase_one(parley_gate_erase_t *e, uint64_t epoch, uint64_t offset,
    parley_str_t octets)
{
    int                   rc;
    parley_str_t          id;
    parley_gate_t        *g;
    parley_erase_t        erase;
    parley_retained_t     m;
    parley_record_id_t    record;
    parley_publication_t  p;

    g = e->g;
    id = e->arguments.list[PARLEY_ARGUMENT_ID].value;

    if (parley_publication_read(octets, &p) != 0
        || p.kind != PARLEY_PUBLICATION_MESSAGE
        || (id.len > 0 && !parley_str_eq(id, p.id))
        || !(parley_str_eq(p.sender, parley_who_proven(g->who))
             || (e->own && parley_gate_erase_is_alone(&p))))
    {
        return 0;
    }

    rc = parley_gate_erase_is_due(g, &p);

    if (rc != 0) {
        return rc == 1 ? parley_gate_erase_done(e)
               : rc == PARLEY_WAIT ? rc : parley_error_memory(g->err);
    }

    memset(&m, 0, sizeof(parley_retained_t));

    m.id = p.id;
    m.protocol = parley_proto_name(p.proto);
    m.sub = p.sender;
    m.sender = p.from;
    m.recipient = p.to;

    parley_retain_id(g->ask.state, &m, &record);

    /*
     * The log record is erased last.  If the process dies before, the record is
     * still there and can be deleted again.
     */

    if (!parley_gate_erase_is_others(g, &p)
        && parley_ask_drop(&g->ask, &record, 0) == PARLEY_WAIT)
    {
        return PARLEY_WAIT;
    }

    erase.log = e->log;
    erase.epoch = epoch;
    erase.offset = offset;

    if (parley_ask_erase(&g->ask, &erase) == PARLEY_WAIT) {
        return PARLEY_WAIT;
    }

    e->erased++;

    return parley_gate_erase_done(e);
}


/*
 * Returns whether a message was for one name, not for an organisation or for
 * all known peers.
 */

static int
parley_gate_erase_is_alone(const parley_publication_t *p)
{
    parley_str_t  peers;

    peers = parley_codecs[p->proto]->syntax->peers;

    return p->facts.values[PARLEY_CHANNEL_AXIS_ORG].len == 0
           && (peers.len == 0 || !parley_str_eq(p->to, peers));
}


/*
 * Returns whether the message was for another principal, and the caller got it
 * as an escalation that went up (VCP 6.2).  Its parties may still fetch it.
 */

static int
parley_gate_erase_is_others(const parley_gate_t *g,
    const parley_publication_t *p)
{
    parley_str_t               by;
    const parley_who_t        *who;
    const parley_principal_t  *to;

    who = g->who;
    by = parley_who_proven(who);

    if (parley_str_eq(p->sender, by) || who->directory == NULL) {
        return 0;
    }

    to = parley_directory_by_name(who->directory,
                                  (parley_namespace_t) p->proto, p->to);

    return to != NULL && !parley_str_eq(to->sub, by);
}


/*
 * Returns 1 if the message waits for an answer with a deadline (AEE-29,
 * VCP-24).  Then only its sender may delete it, because the deadline still
 * needs its record.  Returns 0 if not; PARLEY_WAIT; or -1.
 */

static int
parley_gate_erase_is_due(parley_gate_t *g, const parley_publication_t *p)
{
    int                      i, rc;
    parley_ask_t            *ask;
    parley_record_t          record;
    parley_records_t         records;
    parley_question_t        q;
    parley_record_id_t       id;
    parley_question_alias_t  lead;

    if (parley_str_eq(p->sender, parley_who_proven(g->who))) {
        return 0;
    }

    ask = &g->ask;

    id.kind = PARLEY_KIND_QUESTION;
    id.tag = parley_question_tag(ask->state, p->from, p->id);
    parley_question_key(ask->state, p->proto, p->id, id.key);

    rc = parley_ask_get_owned(ask, &id, &records);

    for (i = 0; rc == 0 && i < records.n; i++) {
        record = records.list[i];

        if (record.closed) {
            continue;
        }

        if (parley_question_is_alias(record.value, &lead)) {
            rc = parley_ask_get_one(ask, &lead.id, &record);

            if (rc < 0) {
                return rc;
            }

            if (rc == 0 || record.closed) {
                rc = 0;
                continue;
            }
        }

        rc = parley_question_split(record.value, &q) == 0
             && q.head.awaited
             && (q.head.escalates || q.head.time != PARLEY_QUESTION_TIME)
             && parley_question_is_open(&q, record.left);
    }

    return rc;
}


/*
 * Ends the operations of a page or message.  They are not repeated, and the
 * next ones have their own time limit.
 */

static int
parley_gate_erase_done(parley_gate_erase_t *e)
{
    parley_ask_t  *ask;

    ask = &e->g->ask;

    if (ask->parting) {
        return parley_error_memory(e->g->err);
    }

    parley_ask_next(ask, ask->since);
    parley_ask_over(ask);

    return 0;
}


static int
parley_gate_erase_tell(parley_gate_erase_t *e)
{
    parley_buf_t    b;
    parley_gate_t  *g;

    g = e->g;

    parley_buf_init(&b, g->arena, 256);

    parley_buf_octet(&b, '{');
    parley_gate_named_tell(g, &b, e->address);
    parley_buf_name(&b, PARLEY_STR("erased"));
    parley_buf_int(&b, e->erased);
    parley_buf_octet(&b, '}');

    return parley_gate_serving_json(g, &b);
}
