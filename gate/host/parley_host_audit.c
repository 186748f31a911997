#include <string.h>

#include "gate/audit/parley_audit.h"
#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_post.h"
#include "gate/message/parley_noted.h"
#include "gate/metrics/parley_counters.h"
#include "gate/settings/parley_settings.h"


_Static_assert((int) PARLEY_L_ROW_COUNT == PARLEY_ATTENTION_ROWS
               && (int) PARLEY_L_ROW_AMBIENT == PARLEY_ATTENTION_AMBIENT
               && (int) PARLEY_L_DISPOSITION_COUNT
                  == PARLEY_CHAT_DISPOSITIONS - 1
               && (int) PARLEY_L_DISPOSITION_FAILED == PARLEY_CHAT_FAILED - 1
               && (int) PARLEY_L_PATH_TOOL == PARLEY_HOST_BY_TOOL
               && (int) PARLEY_L_CLAIM_HELD == PARLEY_HOST_CLAIM_HELD,
               "the labels are those of the enumerations of the host");


/* a step; members that are empty are not in the line */
typedef struct {
    parley_host_step_t          step;
    unsigned                    cell;           /* counter, or
                                                   PARLEY_NOTED_NONE */
    parley_str_t                id;             /* of the event */
    parley_str_t                actor;
    parley_str_t                reader;         /* sub */
    const parley_host_row_t    *row;            /* of the reader; NULL: none */
    parley_chat_disposition_t   disposition;
} parley_host_audit_t;


static void parley_host_audit_lines(const parley_host_post_t *post);
static void parley_host_audit(parley_host_t *h,
    const parley_host_audit_t *step);
static void parley_host_audit_count(parley_host_t *h, unsigned cell,
    unsigned n);
static void parley_host_audit_add(parley_host_t *h, unsigned cell, unsigned n,
    const parley_audit_chat_t *line);


static const char *const  parley_host_steps[PARLEY_HOST_STEPS] = {
    [PARLEY_HOST_STEP_ACCEPTED] = "accepted",
    [PARLEY_HOST_STEP_SENT] = "sent",
    [PARLEY_HOST_STEP_ADDRESSED] = "addressed",
    [PARLEY_HOST_STEP_ACKNOWLEDGED] = "acknowledged",
    [PARLEY_HOST_STEP_AGAIN] = "again",
    [PARLEY_HOST_STEP_FAILED] = "failed",
    [PARLEY_HOST_STEP_CLAIMED] = "claimed",
    [PARLEY_HOST_STEP_DISPOSED] = "disposed",
    [PARLEY_HOST_STEP_REMINDED] = "reminded",
    [PARLEY_HOST_STEP_ESCALATED] = "escalated",
    [PARLEY_HOST_STEP_UNDELIVERED] = "undelivered",
    [PARLEY_HOST_STEP_UNCONFIRMED] = "undelivered"
};


/* Notes a step.  Without memory, nothing is noted. */

static void
parley_host_audit(parley_host_t *h, const parley_host_audit_t *step)
{
    parley_audit_chat_t  *line;

    line = NULL;

    if (h->http->audit.len > 0) {
        line = parley_arena_alloc(h->arena, sizeof(parley_audit_chat_t));
    }

    if (line != NULL) {
        memset(line, 0, sizeof(parley_audit_chat_t));

        line->what = parley_host_steps[step->step];
        line->id = step->id;
        line->actor = step->actor;
        line->reader = step->reader;
        line->disposition = h->chat->dispositions[step->disposition];

        if (step->row != NULL) {
            line->row = parley_attention_rows[step->row->verdict.row];
            line->policy = h->chat->policies[step->row->verdict.policy];
            line->mode = h->chat->modes[step->row->verdict.mode];
        }
    }

    if (line != NULL || step->cell != PARLEY_NOTED_NONE) {
        parley_host_audit_add(h, step->cell, 1, line);
    }
}


/* Adds n to a counter, without a line. */

static void
parley_host_audit_count(parley_host_t *h, unsigned cell, unsigned n)
{
    parley_host_audit_add(h, cell, n, NULL);
}


static void
parley_host_audit_add(parley_host_t *h, unsigned cell, unsigned n,
    const parley_audit_chat_t *line)
{
    parley_noted_t  *noted;

    noted = parley_arena_alloc(h->arena, sizeof(parley_noted_t));

    if (noted == NULL) {
        return;
    }

    noted->next = NULL;
    noted->cell = cell;
    noted->n = n;
    noted->line = line;

    if (h->noted == NULL) {
        h->noted = noted;

    } else {
        h->noted_last->next = noted;
    }

    h->noted_last = noted;

    if (h->ending && h->noted_ends == NULL) {
        h->noted_ends = noted;
    }
}


void
parley_host_audit_post(const parley_host_post_t *post)
{
    uint32_t        rows;
    unsigned        i;
    parley_host_t  *h;

    h = post->h;

    if (post->nreaders == 0) {
        parley_host_audit_count(h, PARLEY_M_CHAT_EVENTS
                                   + (unsigned) post->others, 1);
    }

    for (rows = post->seen; rows != 0; rows &= rows - 1) {
        i = (unsigned) __builtin_ctz(rows);

        parley_host_audit_count(h, PARLEY_M_CHAT_EVENTS + i, post->rows[i]);
    }

    if (h->http->audit.len > 0) {
        parley_host_audit_lines(post);
    }
}


/* Notes an event, and each of its readers; the surface is one of them. */

static void
parley_host_audit_lines(const parley_host_post_t *post)
{
    parley_str_t         rest;
    parley_host_row_t    row;
    parley_host_views_t  views;
    parley_host_audit_t  step;

    if (parley_host_views_read(post->views, &views, &rest) != 0) {
        return;
    }

    memset(&step, 0, sizeof(parley_host_audit_t));

    step.cell = PARLEY_NOTED_NONE;
    step.id = post->e->id;

    /* an event of the host itself has no author */

    if (post->sub.len > 0) {
        step.step = post->author != NULL ? PARLEY_HOST_STEP_SENT
                                         : PARLEY_HOST_STEP_ACCEPTED;
        step.actor = post->sub;

        parley_host_audit(post->h, &step);
        step.actor = parley_str_none;
    }

    step.step = PARLEY_HOST_STEP_ADDRESSED;
    step.row = &row;

    while (parley_host_views_next(&rest, &row)) {
        step.reader = row.sub;

        if (!row.waits) {
            parley_host_audit(post->h, &step);
        }
    }
}


void
parley_host_audit_turn(parley_host_t *h, parley_str_t id,
    const parley_host_row_t *rows, unsigned n)
{
    unsigned             i;
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    h->ending = 1;

    step.step = PARLEY_HOST_STEP_ADDRESSED;
    step.id = id;

    for (i = 0; i < n; i++) {
        step.cell = PARLEY_M_CHAT_EVENTS + (unsigned) rows[i].verdict.row;
        step.reader = rows[i].sub;
        step.row = &rows[i];

        parley_host_audit(h, &step);
    }
}


void
parley_host_audit_addressed(parley_host_t *h, parley_str_t id,
    const parley_host_row_t *row)
{
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    step.step = PARLEY_HOST_STEP_ADDRESSED;
    step.cell = PARLEY_NOTED_NONE;
    step.id = id;
    step.reader = row->sub;
    step.row = row;

    parley_host_audit(h, &step);
}


void
parley_host_audit_outcome(parley_host_t *h, parley_str_t id,
    const parley_host_row_t *row, parley_host_path_t path,
    parley_chat_outcome_t outcome)
{
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    step.id = id;
    step.reader = row->sub;

    switch (outcome) {

    case PARLEY_CHAT_ACCEPTED:
        step.step = PARLEY_HOST_STEP_ACKNOWLEDGED;
        step.cell = parley_cell_offer(path, PARLEY_L_OFFER_ACCEPTED);
        break;

    case PARLEY_CHAT_REFUSED:
        step.step = PARLEY_HOST_STEP_FAILED;
        step.cell = parley_cell_offer(path, PARLEY_L_OFFER_FAILED);
        step.disposition = PARLEY_CHAT_FAILED;

        parley_host_audit_count(h, PARLEY_M_CHAT_DISPOSITIONS
                                   + PARLEY_L_DISPOSITION_FAILED, 1);
        break;

    default:
        parley_host_audit_count(h, parley_cell_offer(path,
                                             PARLEY_L_OFFER_UNSUPPORTED), 1);
        return;
    }

    parley_host_audit(h, &step);
}


void
parley_host_audit_disposed(parley_host_t *h, parley_str_t id,
    parley_str_t reader, parley_chat_disposition_t disposition)
{
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    step.step = PARLEY_HOST_STEP_DISPOSED;
    step.cell = PARLEY_M_CHAT_DISPOSITIONS + (unsigned) disposition - 1;
    step.id = id;
    step.reader = reader;
    step.disposition = disposition;

    parley_host_audit(h, &step);
}


/* A claim that another agent holds has no line of its own: the verdict has its
   error. */

void
parley_host_audit_claim(parley_host_t *h, parley_str_t id, parley_str_t actor,
    parley_host_claim_result_t result)
{
    parley_host_audit_t  step;

    if (result == PARLEY_HOST_CLAIM_HELD) {
        parley_host_audit_count(h, PARLEY_M_CHAT_CLAIMS + (unsigned) result, 1);
        return;
    }

    memset(&step, 0, sizeof(parley_host_audit_t));

    step.step = PARLEY_HOST_STEP_CLAIMED;
    step.cell = PARLEY_M_CHAT_CLAIMS + (unsigned) result;
    step.id = id;
    step.actor = actor;

    parley_host_audit(h, &step);
}


void
parley_host_audit_again(parley_host_t *h, parley_str_t id,
    parley_str_t reader, parley_host_path_t path)
{
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    step.step = PARLEY_HOST_STEP_AGAIN;
    step.cell = parley_cell_offer(path, PARLEY_L_OFFER_AGAIN);
    step.id = id;
    step.reader = reader;

    parley_host_audit(h, &step);
}


void
parley_host_audit_step(parley_host_t *h, parley_host_step_t what,
    parley_str_t id, parley_str_t reader)
{
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    h->ending = 1;

    step.step = what;
    step.cell = what == PARLEY_HOST_STEP_UNCONFIRMED
                ? parley_cell_offer(PARLEY_L_PATH_URL,
                                    PARLEY_L_OFFER_UNCONFIRMED)
                : PARLEY_M_CHAT_DEADLINES
                  + (what == PARLEY_HOST_STEP_REMINDED
                     ? PARLEY_L_OBLIGATION_REMINDED
                     : PARLEY_L_OBLIGATION_UNDELIVERED);
    step.id = id;
    step.reader = reader;

    parley_host_audit(h, &step);
}


void
parley_host_audit_escalated(parley_host_t *h, parley_str_t id,
    parley_str_t sub, const parley_host_row_t *row)
{
    parley_host_audit_t  step;

    memset(&step, 0, sizeof(parley_host_audit_t));

    h->ending = 1;

    step.step = PARLEY_HOST_STEP_ESCALATED;
    step.cell = PARLEY_M_CHAT_DEADLINES + PARLEY_L_OBLIGATION_ESCALATED;
    step.id = id;
    step.actor = sub;
    step.reader = row->sub;
    step.row = row;

    parley_host_audit(h, &step);
}


void
parley_host_audit_answered(parley_host_t *h)
{
    parley_host_audit_count(h, PARLEY_M_CHAT_DEADLINES
                               + PARLEY_L_OBLIGATION_ANSWERED, 1);
}


void
parley_host_audit_listed(parley_host_t *h, unsigned n)
{
    parley_host_audit_count(h, parley_cell_offer(PARLEY_L_PATH_TOOL,
                                                 PARLEY_L_OFFER_SENT), n);
}


/* The steps before a wait for events are not done again after it. */

void
parley_host_audit_end(const parley_host_t *h, parley_gate_t *g, int waits)
{
    parley_noted_t  *before;

    before = g->report.noted;

    if (waits && g->publish.hold_known) {
        return;
    }

    if (!g->publish.hold_known || before == NULL) {
        g->report.noted = h->noted;
        return;
    }

    while (before->next != NULL) {
        before = before->next;
    }

    before->next = h->noted;
}
