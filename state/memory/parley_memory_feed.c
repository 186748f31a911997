/*
 * The feed in memory: returns all appended records in their order to a process
 * that says how far it has come.  Removes records that no process waits for.
 */

#include "state/memory/parley_memory_log_parts.h"


static int parley_feed(parley_memory_t *s, const parley_feed_t *f,
    int64_t now, parley_feed_page_t *ret);
static int parley_feed_copy(parley_memory_t *s, const parley_entry_t *e,
    const parley_log_head_t *head, parley_arena_t *arena, parley_fed_t *ret);


parley_state_done_t
parley_memory_feed(parley_state_t *state, const parley_feed_t *f,
    parley_feed_page_t *ret, parley_call_t *call)
{
    int64_t              now;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_feed_page_t   none;
    parley_member_of_t  *m;

    (void) call;

    ret = ret != NULL ? ret : &none;
    memset(ret, 0, sizeof(parley_feed_page_t));

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);

    /* removal comes first, so that a gap is detected in this call */

    parley_append_retire(s, SIZE_MAX, now);

    /* number 0 is not a process, and is never fed */

    m = &s->sh->processes[s->process];

    if (f->ends) {
        m->fed = 0;

    } else if (parley_feed(s, f, now, ret) == 0) {
        m->fed = ret->position;

        if (s->sh->appends.fed_max < s->process) {
            s->sh->appends.fed_max = s->process;
        }

    } else {
        ret->n = -1;
        ret->position = f->position;
    }

    parley_append_retire(s, SIZE_MAX, now);

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


static int
parley_feed(parley_memory_t *s, const parley_feed_t *f, int64_t now,
    parley_feed_page_t *ret)
{
    size_t             max, octets;
    int64_t            lasts;
    uint64_t           next, left;
    parley_entry_t    *e;
    parley_log_head_t  head;

    next = s->sh->appends.head + 1;
    ret->position = next;

    if (f->position == 0) {
        return 0;
    }

    if (f->position <= s->sh->appends.passed || f->position > next) {
        ret->behind = 1;
        return 0;
    }

    left = next - f->position;
    max = left < f->records ? (size_t) left : f->records;
    octets = f->octets;

    ret->list = parley_arena_alloc(f->arena, (max + 1)
                                             * sizeof(parley_fed_t));
    if (ret->list == NULL) {
        return -1;
    }

    for (next = f->position;
         next <= s->sh->appends.head && (size_t) ret->n < max;
         next++)
    {
        e = parley_log_record_find(s, next, &head);

        lasts = e != NULL ? parley_log_left(e, &head, 0, now) : 0;

        if (lasts <= 0) {
            continue;
        }

        if (ret->n != 0 && head.size > octets) {
            break;
        }

        octets -= head.size < octets ? head.size : octets;

        if (parley_feed_copy(s, e, &head, f->arena, &ret->list[ret->n])
            != 0)
        {
            return -1;
        }

        ret->list[ret->n].number = next;
        ret->list[ret->n].left = lasts;
        ret->n++;
    }

    ret->position = next;
    ret->more = next <= s->sh->appends.head;

    return 0;
}


static int
parley_feed_copy(parley_memory_t *s, const parley_entry_t *e,
    const parley_log_head_t *head, parley_arena_t *arena, parley_fed_t *ret)
{
    size_t  len;

    len = head->nplaces * sizeof(parley_placed_t);

    ret->nplaces = head->nplaces;
    ret->closes = head->closes;
    ret->places = parley_arena_alloc(arena, len + 1);

    if (ret->places == NULL) {
        return -1;
    }

    parley_table_read_locked(s->sh->table, e, sizeof(parley_log_head_t),
                             ret->places, len);

    ret->octets = parley_log_record_copy(s, e, head, arena);

    return ret->octets.data != NULL ? 0 : -1;
}
