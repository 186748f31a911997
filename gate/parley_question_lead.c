/* Questions under the names that they have in further protocols. */

#include "parley_question_parts.h"


int
parley_question_lead(const parley_asking_t *a, const parley_asked_t *asked)
{
    parley_str_t        name;
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

    return parley_question_put_beside(a, &id,
                                      parley_str_make(&asked->question,
                                                      sizeof(
                                                       parley_record_id_t)),
                                      asked)
           == PARLEY_WAIT ? PARLEY_WAIT : 0;
}
