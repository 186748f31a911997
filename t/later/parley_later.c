#include "t/later/parley_later_parts.h"


static parley_later_start_pt  parley_later_start;
static parley_late_t         *parley_later_all;

static const char *const  parley_later_names[] = {
    "admit", "settle", "rate", "put", "get", "list", "drop", "stat",
    "job-add", "job-take", "job-end", "job-drop", "job-list",
    "append", "read", "feed", "erase", "had", "keep", "join", "leave",
    "roster"
};


const char *
parley_later_name(parley_later_verb_t verb)
{
    return parley_later_names[verb];
}


parley_late_t *
parley_late(parley_state_t *s, parley_later_verb_t verb, void *ret,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = calloc(1, sizeof(parley_late_t));

    if (late == NULL) {
        abort();
    }

    late->state = s;
    late->call = call;
    late->verb = verb;
    late->ret = ret;

    parley_arena_init(&late->arena, &parley_mem_libc, 0);

    late->next = parley_later_all;
    late->link = &parley_later_all;

    if (late->next != NULL) {
        late->next->link = &late->next;
    }

    parley_later_all = late;

    if (call != NULL) {
        call->pending = late;
    }

    return late;
}


static void
parley_late_free(parley_late_t *late)
{
    *late->link = late->next;

    if (late->next != NULL) {
        late->next->link = late->link;
    }

    parley_arena_reset(&late->arena);
    free(late);
}


/* a verb of logs may take effect before it completes */

parley_state_done_t
parley_late_begin(parley_late_t *late)
{
    if (parley_later_start(late, late->verb)
        && late->verb >= PARLEY_LATER_APPEND)
    {
        parley_late_log(late);
        late->did = 1;
    }

    return PARLEY_STATE_LATER;
}


void *
parley_late_copy(parley_late_t *late, const void *from, size_t len)
{
    void  *p;

    if (from == NULL) {
        return NULL;
    }

    p = parley_arena_alloc(&late->arena, len + 1);

    if (p == NULL) {
        abort();
    }

    if (len > 0) {
        memcpy(p, from, len);
    }

    return p;
}


void
parley_late_text(parley_late_t *late, parley_str_t *text)
{
    text->data = parley_late_copy(late, text->data, text->len);
}


/* Copies the parts into one text. */

void
parley_late_parts(parley_late_t *late, const parley_str_t *parts, size_t n,
    parley_str_t *ret)
{
    size_t    i;
    uint8_t  *p;

    ret->len = 0;

    for (i = 0; i < n; i++) {
        ret->len += parts[i].len;
    }

    p = parley_arena_alloc(&late->arena, ret->len + 1);

    if (p == NULL) {
        abort();
    }

    ret->data = p;

    for (i = 0; i < n; i++) {
        if (parts[i].len > 0) {
            memcpy(p, parts[i].data, parts[i].len);
            p += parts[i].len;
        }
    }
}


void
parley_late_admission(parley_late_t *late, const parley_admission_t *a)
{
    late->admission = *a;
    late->admission.account = parley_late_copy(late, a->account,
                                               PARLEY_KEY_LEN);
    late->admission.id = parley_late_copy(late, a->id, PARLEY_KEY_LEN);
    late->admission.print = parley_late_copy(late, a->print,
                                             PARLEY_PRINT_LEN);
    late->admission.slot = parley_late_copy(late, a->slot, PARLEY_KEY_LEN);
}


static parley_state_done_t
parley_later_admit(parley_state_t *s, const parley_admission_t *a,
    parley_admitted_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_ADMIT, ret, call);

    parley_late_admission(late, a);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_settle(parley_state_t *s, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_SETTLE, ret, call);

    parley_late_admission(late, a);
    parley_late_settlement(late, how);

    return parley_late_begin(late);
}


void
parley_late_settlement(parley_late_t *late, const parley_settlement_t *how)
{
    size_t  i;

    late->how = *how;

    for (i = 0; i < PARLEY_CLOSES_MAX; i++) {
        if (how->closes[i] != NULL) {
            late->closes[i] = *how->closes[i];
            late->how.closes[i] = &late->closes[i];
        }
    }

    for (i = 0; i < PARLEY_DROPS_MAX; i++) {
        if (how->drops[i] != NULL) {
            late->drops[i] = *how->drops[i];
            late->how.drops[i] = &late->drops[i];
        }
    }

    for (i = 0; i < how->nlifts; i++) {
        late->lifts[i] = how->lifts[i];
    }

    late->how.lifts = late->lifts;
}


static parley_state_done_t
parley_later_rate(parley_state_t *s, const parley_rating_t *rating,
    parley_rated_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_RATE, ret, call);

    late->rating = *rating;
    late->rating.account = parley_late_copy(late, rating->account,
                                            PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_put(parley_state_t *s, const parley_put_t *put,
    parley_put_result_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_PUT, ret, call);

    late->put = *put;
    late->put.account = parley_late_copy(late, put->account, PARLEY_KEY_LEN);
    late->put.under = parley_late_copy(late, put->under, PARLEY_KEY_LEN);

    parley_late_parts(late, put->parts, put->nparts, &late->value);

    late->put.parts = &late->value;
    late->put.nparts = 1;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_get(parley_state_t *s, const parley_lookup_t *lookup,
    parley_records_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_GET, ret, call);
    late->lookup = *lookup;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_list(parley_state_t *s, const parley_listing_t *listing,
    parley_listed_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_LIST, ret, call);
    late->listing = *listing;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_drop(parley_state_t *s, const parley_record_id_t *id,
    uint32_t generation, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_DROP, NULL, call);
    late->id = *id;
    late->generation = generation;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_stat(parley_state_t *s, parley_state_stat_t *ret,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_STAT, ret, call);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_add(parley_state_t *s, const parley_job_add_t *add,
    parley_job_added_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_ADD, ret, call);

    late->add = *add;
    parley_late_text(late, &late->add.job.text);
    late->add.account = parley_late_copy(late, add->account, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_take(parley_state_t *s, const parley_job_take_t *take,
    parley_job_page_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_TAKE, ret, call);
    late->take = *take;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_end(parley_state_t *s, const parley_job_end_t *end,
    parley_job_ended_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_END, ret, call);
    late->end = *end;
    late->job = *end->id;
    late->end.id = &late->job;

    if (end->tells != NULL) {
        late->append = *end->tells;
        late->end.tells = &late->append;
        parley_late_append(late, &late->append);
    }

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_drop(parley_state_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    size_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_DROP, ret, call);
    late->key = parley_late_copy(late, lane, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_list(parley_state_t *s, const parley_job_list_t *list,
    parley_job_listing_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_LIST, ret, call);
    late->jobs = *list;

    return parley_late_begin(late);
}


static int
parley_later_job_has(parley_state_t *s, const parley_job_id_t *id)
{
    return parley_memory_ops.job->has(s, id);
}


static const parley_job_ops_t  parley_later_job_ops = {
    .add = parley_later_job_add,
    .take = parley_later_job_take,
    .end = parley_later_job_end,
    .drop = parley_later_job_drop,
    .list = parley_later_job_list,
    .has = parley_later_job_has,
};


static void
parley_later_cancel(parley_state_t *s, parley_call_t *call)
{
    parley_late_t  *late = call->pending;

    (void) s;

    parley_late_log_gone(late);

    late->call = NULL;
    late->ret = NULL;
    late->gone = 1;
}


static const parley_state_ops_t  parley_later_ops = {
    .admit = parley_later_admit,
    .settle = parley_later_settle,
    .rate = parley_later_rate,
    .put = parley_later_put,
    .get = parley_later_get,
    .list = parley_later_list,
    .drop = parley_later_drop,
    .stat = parley_later_stat,
    .cancel = parley_later_cancel,
    .log = &parley_later_log_ops,
    .job = &parley_later_job_ops,
};


void
parley_later(parley_memory_t *s, parley_later_start_pt start)
{
    parley_later_start = start;
    s->state.ops = &parley_later_ops;
}


void
parley_later_hub(parley_memory_t *s, parley_later_start_pt start)
{
    static parley_log_ops_t    log;
    static parley_state_ops_t  ops;

    parley_later_start = start;

    parley_later_log_hub(&log);

    ops = parley_memory_ops;
    ops.cancel = parley_later_cancel;
    ops.log = &log;

    s->state.ops = &ops;
}


void
parley_later_forget(parley_memory_t *s)
{
    parley_late_t  *late, *next;

    for (late = parley_later_all; late != NULL; late = next) {
        next = late->next;

        if (late->state == &s->state) {
            parley_late_free(late);
        }
    }
}


/*
 * Admits a message.  If the caller was cancelled, a second verb gives the
 * admission back, after other callers may have asked for it.
 */

static void
parley_late_admit(parley_late_t *late)
{
    parley_admitted_t    got;
    parley_settlement_t  how;

    (void) parley_memory_ops.admit(late->state, &late->admission, &got, NULL);

    if (!late->gone) {
        *(parley_admitted_t *) late->ret = got;
        return;
    }

    if (got.verdict == PARLEY_ADMIT_OK) {
        memset(&how, 0, sizeof(parley_settlement_t));

        how.stamp = got.stamp;

        (void) parley_later_settle(late->state, &late->admission, &how, NULL,
                                   NULL);
    }
}


/* Puts a record.  If the caller was cancelled, drops a record that replaced
   none. */

static void
parley_late_put(parley_late_t *late)
{
    parley_put_t         *put = &late->put;
    parley_lookup_t       lookup;
    parley_records_t      before;
    parley_put_result_t   got;

    memset(&lookup, 0, sizeof(parley_lookup_t));

    lookup.kind = put->id.kind;
    lookup.tag = put->id.tag;
    lookup.mask = UINT32_MAX;
    lookup.arena = &late->arena;
    memcpy(lookup.key, put->id.key, PARLEY_KEY_LEN);

    if (late->gone) {
        (void) parley_memory_ops.get(late->state, &lookup, &before, NULL);
    }

    (void) parley_memory_ops.put(late->state, put, &got, NULL);

    if (!late->gone) {
        *(parley_put_result_t *) late->ret = got;

    } else if (got == PARLEY_PUT_OK && put->under == NULL && before.n == 0)
    {
        (void) parley_memory_ops.drop(late->state, &put->id,
                                      parley_state_generation(put->stamp),
                                      NULL);
    }
}


/*
 * Ends a job.  Its message is appended even if the caller was cancelled; the
 * arena of the caller does not exist then.
 */

static void
parley_late_end(parley_late_t *late)
{
    parley_appended_t   appended;
    parley_job_ended_t  ended, *ret = late->ret;

    if (late->gone) {
        late->append.arena = &late->arena;
        ended.appended = &appended;
        ret = &ended;
    }

    (void) parley_memory_ops.job->end(late->state, &late->end, ret, NULL);
}


static void
parley_late_do(parley_late_t *late)
{
    parley_state_t            *s = late->state;
    parley_job_added_t         added;
    const parley_state_ops_t  *ops = &parley_memory_ops;

    switch (late->verb) {

    case PARLEY_LATER_ADMIT:
        parley_late_admit(late);
        break;

    case PARLEY_LATER_SETTLE:
        (void) ops->settle(s, &late->admission, &late->how, late->ret, NULL);
        break;

    case PARLEY_LATER_RATE:
        (void) ops->rate(s, &late->rating, late->ret, NULL);
        break;

    case PARLEY_LATER_PUT:
        parley_late_put(late);
        break;

    case PARLEY_LATER_GET:

        if (!late->gone) {
            (void) ops->get(s, &late->lookup, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_LIST:

        if (!late->gone) {
            (void) ops->list(s, &late->listing, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_DROP:
        (void) ops->drop(s, &late->id, late->generation, NULL);
        break;

    case PARLEY_LATER_JOB_ADD:
        (void) ops->job->add(s, &late->add,
                             late->gone ? &added : late->ret, NULL);
        break;

    case PARLEY_LATER_JOB_TAKE:

        if (!late->gone) {
            (void) ops->job->take(s, &late->take, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_JOB_END:
        parley_late_end(late);
        break;

    case PARLEY_LATER_JOB_DROP:
        (void) ops->job->drop(s, late->key, late->ret, NULL);
        break;

    case PARLEY_LATER_JOB_LIST:

        if (!late->gone) {
            (void) ops->job->list(s, &late->jobs, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_STAT:

        if (!late->gone) {
            (void) ops->stat(s, late->ret, NULL);
        }

        break;

    default:
        parley_late_log(late);
    }
}


void
parley_later_complete(parley_late_t *late)
{
    parley_call_t  *call;

    if (!late->did) {
        parley_late_do(late);
    }

    call = late->call;

    parley_late_free(late);

    if (call != NULL) {
        call->pending = NULL;
        call->done(call);
    }
}
