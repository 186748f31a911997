/* Aliases: the names of questions in further protocols. */

#include "translate/parley_codec.h"
#include "gate/correlation/parley_question_parts.h"


static int parley_question_alias_from(const parley_asking_t *a,
    parley_str_t name, const parley_record_id_t *to,
    const parley_asked_t *asked);
static int parley_question_alias_record(const parley_asking_t *a,
    const parley_record_id_t *to, parley_str_t *ret);


int
parley_question_alias(const parley_asking_t *a, const parley_asked_t *asked)
{
    parley_str_t  name;

    if (!asked->kept || !asked->awaited || !a->sent->answerable) {
        return 0;
    }

    name = parley_codecs[a->speak]->replies_by_corr && a->sent->corr.len > 0
           ? a->sent->corr : a->sent->id;

    return parley_question_alias_from(a, name, &asked->question, asked);
}


int
parley_question_alias_mute(const parley_asking_t *a,
    const parley_asked_t *asked)
{
    return !asked->kept && asked->own_kept
           ? parley_question_alias_from(a, a->sent->id, &asked->own, asked)
           : 0;
}


/* Puts an alias from a name of the message to its record. */

static int
parley_question_alias_from(const parley_asking_t *a, parley_str_t name,
    const parley_record_id_t *to, const parley_asked_t *asked)
{
    parley_str_t        record;
    parley_record_id_t  id;

    if (name.len == 0) {
        return 0;
    }

    id.kind = PARLEY_KIND_QUESTION;
    id.tag = parley_question_tag(a->ask->state,
                                 parley_question_asker(a->who, a->speak),
                                 a->sent->id);
    parley_question_key(a->ask->state, a->speak, name, id.key);

    if (parley_question_alias_record(a, to, &record) != 0) {
        return 0;
    }

    return parley_question_put_beside(a, &id, record, asked) == PARLEY_WAIT
           ? PARLEY_WAIT : 0;
}


/*
 * Writes an alias: the id of the question and the asker's name in the reader's
 * protocol.  Also the correlation, if it differs from the asker's and replies
 * name it.  Returns 0, or -1: no memory.
 */

static int
parley_question_alias_record(const parley_asking_t *a,
    const parley_record_id_t *to, parley_str_t *ret)
{
    parley_question_alias_t  alias;

    parley_octets_zero(&alias, sizeof(parley_question_alias_t));

    alias.id = *to;
    alias.asker_name = parley_question_from(a->who, a->speak);
    alias.has_asker_name = 1;
    alias.has_corr = !parley_codecs[a->speak]->replies_by_corr
                     && !parley_str_eq(a->sent->corr, a->who->msg->corr);

    if (alias.has_corr) {
        alias.corr = a->sent->corr;
    }

    return parley_question_alias_write(a, &alias, ret);
}
