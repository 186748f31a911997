/* Jobs and claims of the deadline of a question. */

#include <string.h>

#include "core/parley_octets.h"
#include "gate/party/parley_account.h"
#include "state/parley_job.h"
#include "gate/correlation/parley_question_raised.h"


/* Looks for the claim.  a.stale prevents a new claim. */

int
parley_question_has_asked(parley_ask_t *ask, const parley_record_id_t *question,
    parley_str_t sub)
{
    int                 rc;
    uint8_t             id[PARLEY_KEY_LEN], account[PARLEY_KEY_LEN];
    uint8_t             print[PARLEY_PRINT_LEN];
    parley_admitted_t   got;
    parley_admission_t  a;

    parley_question_claim_key(ask->state, question, PARLEY_DEADLINE_RAISES, sub,
                              id);
    parley_account_key(ask->state, sub, parley_str_none, account);

    memset(print, 0, sizeof(print));
    memset(&a, 0, sizeof(parley_admission_t));

    a.account = account;
    a.id = id;
    a.print = print;
    a.stale = 1;

    rc = parley_ask_admit(ask, &a, &got);

    return rc != 0 ? rc : got.verdict == PARLEY_ADMIT_DUPLICATE;
}


void
parley_question_claim_key(const parley_state_t *state,
    const parley_record_id_t *question, parley_str_t what, parley_str_t to,
    uint8_t ret[PARLEY_KEY_LEN])
{
    uint8_t       octets[PARLEY_DEADLINE_QUESTION];
    parley_str_t  parts[4];

    parley_question_octets(question, octets);

    parts[0] = PARLEY_STR("deadline");
    parts[1] = parley_str_make(octets, sizeof(octets));
    parts[2] = what;
    parts[3] = to;

    parley_state_key(state, PARLEY_KIND_ID, parts, 4, ret);
}


void
parley_question_octets(const parley_record_id_t *question,
    uint8_t out[PARLEY_DEADLINE_QUESTION])
{
    memcpy(out, question->key, PARLEY_KEY_LEN);
    (void) parley_octets_write32(out + PARLEY_KEY_LEN, question->tag);
}


int
parley_question_job(parley_arena_t *arena, const parley_state_t *state,
    parley_job_subject_kind_t kind, const parley_record_id_t *question,
    parley_str_t sub, parley_job_t *ret)
{
    uint8_t       *text;
    uint8_t        octet;
    parley_str_t   parts[2];

    memset(ret, 0, sizeof(parley_job_t));

    ret->class = PARLEY_JOB_PROMPT;

    text = parley_arena_octets(arena, PARLEY_DEADLINE_QUESTION + sub.len);

    if (text == NULL) {
        return -1;
    }

    parley_question_octets(question, text);

    if (sub.len != 0) {
        memcpy(text + PARLEY_DEADLINE_QUESTION, sub.data, sub.len);
    }

    octet = (uint8_t) kind;
    parts[0] = parley_str_make(&octet, 1);
    parts[1] = parley_str_make(text, PARLEY_DEADLINE_QUESTION);

    parley_state_key(state, PARLEY_KIND_LANE, parts, 2, ret->lane);

    return parley_job_subject_write(arena, kind,
                                    parley_str_make(text,
                                                    PARLEY_DEADLINE_QUESTION
                                                          + sub.len),
                                    &ret->text);
}
