/* Lists jobs in memory, page by page. */

#include "state/memory/parley_memory_job_parts.h"


/* buckets of the table examined for one page */
#define PARLEY_JOB_LISTED  4096


/* a page under construction */
typedef struct {
    parley_memory_t       *s;
    parley_arena_t        *arena;
    parley_job_listing_t  *ret;
    size_t                 room;
    int64_t                now;
    unsigned               lost:1;      /* memory was exhausted */
} parley_job_shown_t;


static int parley_job_show(void *ctx, const parley_entry_t *e);
static int parley_job_shown(parley_job_shown_t *shown, const parley_entry_t *e,
    parley_job_listed_t *ret);


parley_state_done_t
parley_memory_job_list(parley_state_t *state, const parley_job_list_t *list,
    parley_job_listing_t *ret, parley_call_t *call)
{
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_job_shown_t   shown;

    (void) call;

    memset(ret, 0, sizeof(parley_job_listing_t));
    memset(&shown, 0, sizeof(parley_job_shown_t));

    shown.s = s;
    shown.arena = list->arena;
    shown.ret = ret;
    shown.now = parley_memory_now(s);

    parley_memory_lock(s);
    ret->next = parley_table_drop_locked(s->sh->table, list->at,
                                         PARLEY_JOB_LISTED, parley_job_show,
                                         &shown);
    parley_memory_unlock(s);

    if (shown.lost) {
        ret->n = -1;
    }

    return PARLEY_STATE_DONE;
}


static int
parley_job_show(void *ctx, const parley_entry_t *e)
{
    parley_job_shown_t   *shown = ctx;
    parley_job_listed_t  *list;
    parley_job_word_t     w;

    if (e->kind != PARLEY_KIND_JOB || shown->lost) {
        return 0;
    }

    parley_job_word(e, &w);

    if (w.owner == PARLEY_JOB_ELSEWHERE) {
        return 0;
    }

    if ((size_t) shown->ret->n == shown->room) {
        shown->room = shown->room != 0 ? 2 * shown->room : 64;

        list = parley_arena_alloc(shown->arena,
                                  shown->room * sizeof(parley_job_listed_t));
        if (list == NULL) {
            shown->lost = 1;
            return 0;
        }

        if (shown->ret->n != 0) {
            memcpy(list, shown->ret->list,
                   (size_t) shown->ret->n * sizeof(parley_job_listed_t));
        }

        shown->ret->list = list;
    }

    if (parley_job_shown(shown, e, &shown->ret->list[shown->ret->n]) != 0) {
        shown->lost = 1;

    } else {
        shown->ret->n++;
    }

    return 0;
}


static int
parley_job_shown(parley_job_shown_t *shown, const parley_entry_t *e,
    parley_job_listed_t *ret)
{
    uint8_t            *text;
    parley_load_t       load;
    parley_entry_t     *more;
    parley_job_word_t   w;

    more = parley_lane_of_subject(shown->s, e->key, &load);
    text = more != NULL ? parley_arena_octets(shown->arena, load.size + 1)
                        : NULL;

    if (text == NULL) {
        return -1;
    }

    parley_table_read_locked(shown->s->sh->table, more, sizeof(load), text,
                             load.size);
    parley_job_word(e, &w);

    ret->at = load.at;
    ret->due = shown->now - w.due;
    ret->left = load.ends - shown->now;
    ret->tried = w.tried;
    ret->taken = w.owner != 0;
    ret->first = e->closed;
    ret->text = parley_str_make(text, load.size);

    return 0;
}
