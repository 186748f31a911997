/* Questions under the names that they have in further protocols. */

#include <string.h>

#include "parley_question_parts.h"


static int parley_question_lead_record(const parley_asking_t *a,
    const parley_asked_t *asked, parley_str_t *ret);


int
parley_question_lead(const parley_asking_t *a, const parley_asked_t *asked)
{
    parley_str_t        name, record;
    parley_record_id_t  id;

    if (!asked->kept || !asked->awaited || !a->sent->answerable) {
        return 0;
    }

    name = parley_codecs[a->speak]->replies_by_corr && a->sent->corr.len > 0
           ? a->sent->corr : a->sent->id;

    if (name.len == 0) {
        return 0;
    }

    id.kind = PARLEY_KIND_QUESTION;
    id.tag = parley_question_tag(a->ask->state,
                                 parley_question_asker(a->who, a->speak),
                                 a->sent->id);
    parley_question_key(a->ask->state, a->speak, name, id.key);

    if (parley_question_lead_record(a, asked, &record) != 0) {
        return 0;
    }

    return parley_question_put_beside(a, &id, record, asked) == PARLEY_WAIT
           ? PARLEY_WAIT : 0;
}


/*
 * The id of the question; where the correlation is another than the question's
 * own, and a reply has to name it beside, that too.  -1: no memory.
 */

static int
parley_question_lead_record(const parley_asking_t *a,
    const parley_asked_t *asked, parley_str_t *ret)
{
    size_t        n;
    int64_t       mark;
    uint8_t      *p;
    parley_str_t  corr;

    corr = a->sent->corr;

    if (parley_codecs[a->speak]->replies_by_corr
        || parley_str_eq(corr, a->who->msg->corr))
    {
        *ret = parley_str_make(&asked->question, sizeof(parley_record_id_t));
        return 0;
    }

    mark = PARLEY_QUESTION_LEADS;
    n = sizeof(mark) + sizeof(parley_record_id_t);

    p = parley_arena_octets(a->arena, n + corr.len);

    if (p == NULL) {
        return -1;
    }

    *ret = parley_str_make(p, n + corr.len);

    memcpy(p, &mark, sizeof(mark));
    memcpy(p + sizeof(mark), &asked->question, sizeof(parley_record_id_t));

    if (corr.len > 0) {
        memcpy(p + n, corr.data, corr.len);
    }

    return 0;
}
