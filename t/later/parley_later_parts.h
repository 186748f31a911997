/* Shared by the files of the later state.  Private to them. */

#ifndef PARLEY_LATER_PARTS_H
#define PARLEY_LATER_PARTS_H

#include <stdlib.h>
#include <string.h>

#include "state/parley_job.h"
#include "t/later/parley_later.h"
#include "state/parley_log.h"


struct parley_late_s {
    parley_late_t        *next;         /* in the list of verbs in progress */
    parley_late_t       **link;
    parley_state_t       *state;
    parley_call_t        *call;         /* NULL: no caller waits */
    parley_later_verb_t   verb;
    unsigned              gone:1;       /* the caller was cancelled */
    unsigned              did:1;        /* the verb had its effect */
    void                 *ret;          /* result of the caller */
    parley_arena_t        arena;        /* of the copies */

    /* copies of the arguments */
    parley_admission_t    admission;
    parley_settlement_t   how;
    parley_rating_t       rating;
    parley_put_t          put;
    parley_str_t          value;
    parley_lookup_t       lookup;
    parley_listing_t      listing;
    parley_record_id_t    id;
    uint32_t              generation;
    parley_job_add_t      add;
    parley_job_take_t     take;
    parley_job_end_t      end;
    parley_job_id_t       job;
    parley_job_list_t     jobs;
    const uint8_t        *key;
    parley_record_id_t    closes[PARLEY_CLOSES_MAX];
    parley_record_id_t    drops[PARLEY_DROPS_MAX];
    parley_lift_t         lifts[PARLEY_LIFTS_MAX];
    parley_append_t       append;
    parley_log_read_t     read;
    parley_feed_t         feed;
    parley_erase_t        erase;
    parley_had_t          had;
    const uint8_t       (*logs)[PARLEY_KEY_LEN];
    size_t                nlogs;
    parley_join_t         join;
    parley_leave_t        leave;        /* also to undo a cancelled join; stamp
                                           0: none */
    parley_roster_t       roster;
};


extern const parley_log_ops_t  parley_later_log_ops;


parley_late_t *parley_late(parley_state_t *s, parley_later_verb_t verb,
    void *ret, parley_call_t *call);
parley_state_done_t parley_late_begin(parley_late_t *late);

/* Copies live until the verb completes.  The copy of NULL is NULL. */
void *parley_late_copy(parley_late_t *late, const void *from, size_t len);
void parley_late_text(parley_late_t *late, parley_str_t *text);
void parley_late_parts(parley_late_t *late, const parley_str_t *parts,
    size_t n, parley_str_t *ret);

void parley_late_admission(parley_late_t *late, const parley_admission_t *a);
void parley_late_settlement(parley_late_t *late,
    const parley_settlement_t *how);

/* parley_later_log.c: copies everything that an append points to. */
void parley_late_append(parley_late_t *late, parley_append_t *append);

/* Lets a verb of logs take effect. */
void parley_late_log(parley_late_t *late);

/* Handles the cancellation of the caller. */
void parley_late_log_gone(parley_late_t *late);

/* Fills in the hub's verbs, and the verbs of memory for the rest. */
void parley_later_log_hub(parley_log_ops_t *ret);


#endif /* PARLEY_LATER_PARTS_H */
