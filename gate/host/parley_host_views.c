/* The text "views" of a publication, and how a view is made of it. */

#include <string.h>

#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host.h"
#include "gate/host/parley_host_parts.h"
#include "gate/host/parley_host_turn_text.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec.h"


#define PARLEY_HOST_ESCALATED      ":escalated:"    /* before the level */

#define PARLEY_HOST_VIEWS_VERSION  3
#define PARLEY_HOST_ROW_WINDOW     1    /* bits of flags */
#define PARLEY_HOST_ROW_CLAIMS     2
#define PARLEY_HOST_ROW_QUALIFIED  4
#define PARLEY_HOST_ROW_SURFACE    8
#define PARLEY_HOST_ROW_READS      16
#define PARLEY_HOST_ROW_EDITED     32
#define PARLEY_HOST_ROW_LATE       64
#define PARLEY_HOST_ROW_WAITS      128
#define PARLEY_HOST_ROW_INTERRUPT  256


#define PARLEY_HOST_VIEWS_TEXTS    7

/* beginning of the text; the texts and the rows follow */
typedef struct {
    uint8_t   version;
    uint8_t   reason;
    uint8_t   named;
    uint8_t   row;                  /* verdict for readers without a row */
    uint8_t   directedness;
    uint8_t   policy;
    uint8_t   mode;
    uint8_t   turn;
    uint8_t   signal;
    uint8_t   zero;
    uint16_t  texts[PARLEY_HOST_VIEWS_TEXTS];   /* octets of source, key,
                                                   escalated, conversation,
                                                   thread, stream, glyph */
    uint8_t   deadline_ms[8];
} parley_host_views_head_t;

/* beginning of a row; the sub follows */
typedef struct {
    uint16_t  sub;                  /* octets */
    uint16_t  flags;
    uint8_t   row;
    uint8_t   directedness;
    uint8_t   policy;
    uint8_t   mode;
    uint8_t   attempt;
    uint8_t   zero;
} parley_host_row_head_t;


static int parley_host_view_doc(const parley_publication_t *p,
    parley_str_t message, uint64_t seed, parley_arena_t *arena,
    parley_chat_stored_t *ret);
static int parley_host_view_turn(const parley_publication_t *p,
    uint64_t seed, parley_arena_t *arena, parley_chat_view_t *v);
static void parley_host_view_of_other(const parley_host_views_t *views,
    parley_chat_view_t *v);
static void parley_host_view_id(const parley_publication_t *p,
    const parley_host_views_t *views, const parley_host_row_t *row,
    parley_chat_view_t *v);
static parley_chat_reason_t parley_host_reason(parley_attention_row_t row);


const parley_json_limits_t  parley_host_limits = {
    .octets = UINT32_MAX,
    .depth = PARLEY_JSON_DEPTH_MAX,
    .string = UINT32_MAX,
    .members = UINT32_MAX
};


void
parley_host_views_begin(parley_buf_t *b, parley_arena_t *arena,
    const parley_host_views_t *views)
{
    unsigned                  i;
    parley_host_views_head_t  head;

    const parley_str_t  texts[PARLEY_HOST_VIEWS_TEXTS] = {
        views->source, views->key, views->escalated, views->conversation,
        views->thread, views->stream, views->glyph
    };

    memset(&head, 0, sizeof(head));

    head.version = PARLEY_HOST_VIEWS_VERSION;
    head.reason = (uint8_t) views->reason;
    head.named = views->named;
    head.turn = views->turn;
    head.signal = (uint8_t) views->signal;
    head.row = (uint8_t) views->others.row;
    head.directedness = (uint8_t) views->others.directedness;
    head.policy = (uint8_t) views->others.policy;
    head.mode = (uint8_t) views->others.mode;
    memcpy(head.deadline_ms, &views->deadline_ms, sizeof(head.deadline_ms));

    for (i = 0; i < PARLEY_HOST_VIEWS_TEXTS; i++) {
        head.texts[i] = (uint16_t) texts[i].len;
    }

    parley_buf_init(b, arena, 0);
    parley_buf_str(b, parley_str_make(&head, sizeof(head)));

    for (i = 0; i < PARLEY_HOST_VIEWS_TEXTS; i++) {
        parley_buf_str(b, texts[i]);
    }
}


void
parley_host_views_row(parley_buf_t *b, const parley_host_row_t *row)
{
    parley_host_row_head_t  head;

    memset(&head, 0, sizeof(head));

    head.sub = (uint16_t) row->sub.len;
    head.row = (uint8_t) row->verdict.row;
    head.directedness = (uint8_t) row->verdict.directedness;
    head.policy = (uint8_t) row->verdict.policy;
    head.mode = (uint8_t) row->verdict.mode;
    head.attempt = row->attempt;
    head.flags = (uint16_t)
        ((row->verdict.window ? PARLEY_HOST_ROW_WINDOW : 0)
         | (row->verdict.claims ? PARLEY_HOST_ROW_CLAIMS : 0)
         | (row->verdict.interrupt ? PARLEY_HOST_ROW_INTERRUPT : 0)
         | (row->qualified ? PARLEY_HOST_ROW_QUALIFIED : 0)
         | (row->surface ? PARLEY_HOST_ROW_SURFACE : 0)
         | (row->reads ? PARLEY_HOST_ROW_READS : 0)
         | (row->edited ? PARLEY_HOST_ROW_EDITED : 0)
         | (row->late ? PARLEY_HOST_ROW_LATE : 0)
         | (row->waits ? PARLEY_HOST_ROW_WAITS : 0));

    parley_buf_str(b, parley_str_make(&head, sizeof(head)));
    parley_buf_str(b, row->sub);
}


int
parley_host_views_read(parley_str_t text, parley_host_views_t *ret,
    parley_str_t *rest)
{
    unsigned                  i;
    parley_host_views_head_t  head;

    parley_str_t *const  texts[PARLEY_HOST_VIEWS_TEXTS] = {
        &ret->source, &ret->key, &ret->escalated, &ret->conversation,
        &ret->thread, &ret->stream, &ret->glyph
    };

    if (text.len < sizeof(head)) {
        return -1;
    }

    memcpy(&head, text.data, sizeof(head));
    *rest = parley_str_from(text, sizeof(head));

    if (head.version != PARLEY_HOST_VIEWS_VERSION) {
        return -1;
    }

    for (i = 0; i < PARLEY_HOST_VIEWS_TEXTS; i++) {

        if (head.texts[i] > rest->len) {
            return -1;
        }

        *texts[i] = parley_str_make(rest->data, head.texts[i]);
        *rest = parley_str_from(*rest, head.texts[i]);
    }

    memset(&ret->others, 0, sizeof(parley_attention_verdict_t));

    ret->other = 0;
    ret->reason = (parley_chat_reason_t) head.reason;
    ret->named = head.named != 0;
    ret->turn = head.turn != 0;
    ret->signal = (parley_chat_signal_t) head.signal;
    ret->others.row = (parley_attention_row_t) head.row;
    ret->others.directedness = (parley_chat_directedness_t) head.directedness;
    ret->others.policy = (parley_chat_policy_t) head.policy;
    ret->others.mode = (parley_chat_mode_t) head.mode;
    memcpy(&ret->deadline_ms, head.deadline_ms, sizeof(ret->deadline_ms));

    return 0;
}


int
parley_host_views_next(parley_str_t *rest, parley_host_row_t *ret)
{
    parley_host_row_head_t  head;

    if (rest->len < sizeof(head)) {
        return 0;
    }

    memcpy(&head, rest->data, sizeof(head));
    *rest = parley_str_from(*rest, sizeof(head));

    if (head.sub > rest->len) {
        return 0;
    }

    memset(ret, 0, sizeof(parley_host_row_t));

    ret->sub = parley_str_make(rest->data, head.sub);
    ret->verdict.row = (parley_attention_row_t) head.row;
    ret->verdict.directedness = (parley_chat_directedness_t) head.directedness;
    ret->verdict.policy = (parley_chat_policy_t) head.policy;
    ret->verdict.mode = (parley_chat_mode_t) head.mode;
    ret->verdict.window = (head.flags & PARLEY_HOST_ROW_WINDOW) != 0;
    ret->verdict.claims = (head.flags & PARLEY_HOST_ROW_CLAIMS) != 0;
    ret->verdict.gets = 1;
    ret->qualified = (head.flags & PARLEY_HOST_ROW_QUALIFIED) != 0;
    ret->surface = (head.flags & PARLEY_HOST_ROW_SURFACE) != 0;
    ret->attempt = head.attempt;
    ret->reads = (head.flags & PARLEY_HOST_ROW_READS) != 0;
    ret->edited = (head.flags & PARLEY_HOST_ROW_EDITED) != 0;
    ret->late = (head.flags & PARLEY_HOST_ROW_LATE) != 0;
    ret->waits = (head.flags & PARLEY_HOST_ROW_WAITS) != 0;
    ret->verdict.interrupt = (head.flags & PARLEY_HOST_ROW_INTERRUPT) != 0;

    *rest = parley_str_from(*rest, head.sub);

    return 1;
}


int
parley_host_views_find(parley_str_t text, parley_str_t sub,
    parley_host_views_t *views, parley_host_row_t *ret)
{
    parley_str_t  rest;

    if (parley_host_views_read(text, views, &rest) != 0) {
        return 0;
    }

    while (parley_host_views_next(&rest, ret)) {
        if (parley_str_eq(ret->sub, sub)) {
            return 1;
        }
    }

    return 0;
}


int
parley_host_row_find(const parley_publication_t *p, parley_str_t sub,
    parley_host_views_t *views, parley_host_row_t *ret)
{
    parley_str_t  rest;

    if (parley_host_views_find(p->views, sub, views, ret)) {
        return 1;
    }

    if (parley_host_views_read(p->views, views, &rest) != 0) {
        return 0;
    }

    memset(ret, 0, sizeof(parley_host_row_t));

    ret->sub = sub;
    ret->verdict = views->others;

    return views->others.mode != PARLEY_CHAT_SILENT;
}


int
parley_host_row_read(const parley_publication_t *p, parley_str_t sub, int own,
    parley_host_views_t *views, parley_host_row_t *row)
{
    return parley_host_row_find(p, sub, views, row)
           && (own || row->verdict.gets
               || !parley_str_eq(p->sender, row->sub));
}


int
parley_host_row_fits(const parley_chat_args_t *args,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row)
{
    return (args->id.len == 0 || parley_str_eq(args->id, p->id))
           && (args->stream.len == 0
               || parley_str_eq(args->stream, views->stream))
           && (args->place.thread.len == 0
               || parley_str_eq(args->place.thread, views->thread))
           && (args->since_ms < 0 || p->ms >= args->since_ms)
           && (args->policy < 0 || (int) row->verdict.policy == args->policy);
}


int
parley_host_row_answers(const parley_host_row_t *row)
{
    return row->surface || row->verdict.row == PARLEY_ATTENTION_QUESTION
           || row->verdict.row == PARLEY_ATTENTION_ANSWER;
}


int
parley_host_is_hidden(const parley_host_hidden_t *hidden,
    const parley_host_views_t *views, int64_t ms)
{
    unsigned  i;

    if (hidden == NULL || ms > hidden->ms) {
        return 0;
    }

    for (i = 0; i < hidden->n; i++) {
        if (parley_str_eq(hidden->list[i].source, views->source)
            && parley_str_eq(hidden->list[i].id, views->conversation))
        {
            return 1;
        }
    }

    return hidden->all;
}


int
parley_host_view_make(const parley_publication_t *p, uint64_t seed,
    const parley_host_views_t *views, const parley_host_row_t *row,
    const parley_principal_t *owner, parley_arena_t *arena,
    parley_chat_stored_t *stored, parley_chat_view_t *v)
{
    int  rc;

    memset(v, 0, sizeof(parley_chat_view_t));

    v->events = stored;
    v->nevents = 1;

    rc = views->turn ? parley_host_view_turn(p, seed, arena, v)
                     : parley_host_view_doc(p, p->message, seed, arena, stored);

    if (rc != 0) {
        return rc;
    }

    v->shape = PARLEY_CHAT_AS_REQUEST;
    v->reader = owner->names[p->proto];
    v->source = views->source;
    v->qualified = row->qualified;
    v->key = row->surface ? views->key : parley_str_none;
    v->signal = views->signal;
    v->glyph = row->surface ? views->glyph : parley_str_none;
    v->attempt = row->attempt > 0 ? row->attempt : 1;
    v->directedness = row->verdict.directedness;
    v->policy = row->verdict.policy;
    v->mode = row->verdict.mode;
    v->reason = row->late ? PARLEY_CHAT_REASON_EDITED_LATE
                : row->edited ? PARLEY_CHAT_REASON_EDITED
                : views->reason != PARLEY_CHAT_REASON_NONE
                ? views->reason : parley_host_reason(row->verdict.row);
    v->deadline_ms = v->policy == PARLEY_CHAT_MUST ? views->deadline_ms : -1;

    /* a reader may read an event that is addressed to it, and its own */

    v->knock = row->verdict.directedness != PARLEY_CHAT_TO_ME;
    v->replies = parley_host_row_answers(row) || (views->named && row->reads);

    if (views->other) {
        parley_host_view_of_other(views, v);
    }

    parley_host_view_id(p, views, row, v);

    return 0;
}


/* Reads a message.  Returns as parley_host_view_make(). */

static int
parley_host_view_doc(const parley_publication_t *p, parley_str_t message,
    uint64_t seed, parley_arena_t *arena, parley_chat_stored_t *ret)
{
    parley_json_t   *doc;
    parley_error_t   err;

    memset(ret, 0, sizeof(parley_chat_stored_t));

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));

    if (doc == NULL
        || parley_json_read(doc, arena, &parley_host_limits, seed, message,
                            &err)
           != 0)
    {
        return doc == NULL || err.code == PARLEY_E_CAPACITY ? -1 : 1;
    }

    ret->doc = doc;
    ret->author = p->from;

    return 0;
}


/* Reads the fragments of a turn.  A turn that a change made has the id of the
   change.  Returns as parley_host_view_make(). */

static int
parley_host_view_turn(const parley_publication_t *p, uint64_t seed,
    parley_arena_t *arena, parley_chat_view_t *v)
{
    int                     rc;
    unsigned                n;
    parley_str_t            rest;
    parley_chat_stored_t   *list;
    parley_turn_text_t      part;

    list = parley_arena_alloc(arena, PARLEY_TURN_MAX
                                     * sizeof(parley_chat_stored_t));

    if (list == NULL) {
        return -1;
    }

    n = 0;
    rest = p->message;

    while (n < PARLEY_TURN_MAX && parley_turn_text_next(&rest, &part)) {

        rc = parley_host_view_doc(p, part.message, seed, arena, &list[n]);

        if (rc != 0) {
            return rc;
        }

        list[n++].id = part.id;
    }

    if (n == 0) {
        return 1;
    }

    v->events = list;
    v->nevents = n;
    v->id = p->id;
    v->merged = n > 1 || !parley_str_eq(list[0].id, p->id);

    return 0;
}


/* A message of another protocol has its own reason, and a deadline only if its
   sender set one.  It is for the reader, so it is readable. */

static void
parley_host_view_of_other(const parley_host_views_t *views,
    parley_chat_view_t *v)
{
    v->reason = PARLEY_CHAT_REASON_NONE;
    v->knock = 0;
    v->replies = 1;

    if (views->deadline_ms == PARLEY_HOST_NO_DEADLINE) {
        v->deadline_ms = -1;
    }
}


/* The events of the host have ids of their own.  They are knocks, except an
   escalated event for a reader of its conversation. */

static void
parley_host_view_id(const parley_publication_t *p,
    const parley_host_views_t *views, const parley_host_row_t *row,
    parley_chat_view_t *v)
{
    int  told;

    told = parley_host_is_told(views);

    if (!told && views->reason != PARLEY_CHAT_REASON_ESCALATED) {
        return;
    }

    v->id = p->id;
    v->reason = views->reason;
    v->of = told ? parley_host_event_named(p->id)
                 : parley_host_event_base(p->id);
    v->escalated = views->escalated;
    v->knock = told || !row->reads;
}


int
parley_host_is_told(const parley_host_views_t *views)
{
    return views->reason == PARLEY_CHAT_REASON_REMINDER
           || views->reason == PARLEY_CHAT_REASON_FREE
           || views->reason == PARLEY_CHAT_REASON_SEND_FAILED
           || views->reason == PARLEY_CHAT_REASON_SEND_UNCONFIRMED;
}


/* Returns the reason of a row, for an event without one. */

static parley_chat_reason_t
parley_host_reason(parley_attention_row_t row)
{
    switch (row) {

    case PARLEY_ATTENTION_REACTION:
        return PARLEY_CHAT_REASON_REACTION;

    case PARLEY_ATTENTION_ANSWER:
        return PARLEY_CHAT_REASON_ANSWER;

    case PARLEY_ATTENTION_DM:
        return PARLEY_CHAT_REASON_DM;

    case PARLEY_ATTENTION_MENTION:
        return PARLEY_CHAT_REASON_MENTION;

    case PARLEY_ATTENTION_ROLE:
        return PARLEY_CHAT_REASON_ROLE;

    case PARLEY_ATTENTION_OTHER:
        return PARLEY_CHAT_REASON_OTHER;

    case PARLEY_ATTENTION_AGENT:
        return PARLEY_CHAT_REASON_AGENT;

    case PARLEY_ATTENTION_PART:
        return PARLEY_CHAT_REASON_PART;

    default:
        return PARLEY_CHAT_REASON_AMBIENT;
    }
}


parley_str_t
parley_host_event_named(parley_str_t id)
{
    unsigned             i;
    static const parley_str_t  ends[] = {
        parley_str(PARLEY_HOST_REMINDER), parley_str(PARLEY_HOST_FREE),
        parley_str(PARLEY_HOST_FAILED), parley_str(PARLEY_HOST_UNCONFIRMED)
    };

    for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {

        if (id.len > ends[i].len
            && memcmp(id.data + id.len - ends[i].len, ends[i].data, ends[i].len)
               == 0)
        {
            return parley_str_make(id.data, id.len - ends[i].len);
        }
    }

    return id;
}


parley_str_t
parley_host_event_base(parley_str_t id)
{
    size_t               len;
    const parley_str_t   end = parley_str(PARLEY_HOST_ESCALATED);

    id = parley_host_event_named(id);
    len = end.len + 1;

    return id.len > len
           && memcmp(id.data + id.len - len, end.data, end.len) == 0
           ? parley_str_make(id.data, id.len - len) : id;
}


int
parley_host_escalated_id(parley_arena_t *arena, parley_str_t id,
    unsigned level, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);
    parley_buf_str(&b, id);
    parley_buf_lit(&b, PARLEY_HOST_ESCALATED);
    parley_buf_int(&b, level);

    return parley_buf_done(&b, ret);
}


void
parley_host_reader(const parley_host_t *h, const parley_host_row_t *row,
    const parley_principal_t *p, parley_chat_reader_t *ret)
{
    ret->to = p != NULL ? p->names[h->proto] : row->sub;
    ret->row = parley_attention_rows[row->verdict.row];
    ret->directedness = row->verdict.directedness;
    ret->policy = row->verdict.policy;
    ret->mode = row->verdict.mode;
}
