/* Checks whether a recipient may delete a message. */

#include "gate/endpoint/parley_gate_erase_parts.h"
#include "gate/correlation/parley_question.h"


int
parley_gate_erase_is_alone(const parley_publication_t *p)
{
    parley_str_t  peers;

    peers = parley_codecs[p->proto]->syntax->peers;

    return p->facts.values[PARLEY_CHANNEL_AXIS_ORG].len == 0
           && (peers.len == 0 || !parley_str_eq(p->to, peers));
}


int
parley_gate_erase_is_others(const parley_gate_t *g,
    const parley_publication_t *p)
{
    parley_str_t               by;
    const parley_who_t        *who;
    const parley_principal_t  *to;

    who = g->who;
    by = parley_who_proven(who);

    if (parley_str_eq(p->sender, by) || who->directory == NULL) {
        return 0;
    }

    to = parley_directory_by_name(who->directory,
                                  (parley_namespace_t) p->proto, p->to);

    return to != NULL && !parley_str_eq(to->sub, by);
}


int
parley_gate_erase_is_due(parley_gate_t *g, const parley_publication_t *p)
{
    int                      i, rc;
    parley_ask_t            *ask;
    parley_record_t          record;
    parley_records_t         records;
    parley_question_t        q;
    parley_record_id_t       id;
    parley_question_alias_t  lead;

    if (parley_str_eq(p->sender, parley_who_proven(g->who))) {
        return 0;
    }

    ask = &g->ask;

    id.kind = PARLEY_KIND_QUESTION;
    id.tag = parley_question_tag(ask->state, p->from, p->id);
    parley_question_key(ask->state, p->proto, p->id, id.key);

    rc = parley_ask_get_owned(ask, &id, &records);

    for (i = 0; rc == 0 && i < records.n; i++) {
        record = records.list[i];

        if (record.closed) {
            continue;
        }

        if (parley_question_is_alias(record.value, &lead)) {
            rc = parley_ask_get_one(ask, &lead.id, &record);

            if (rc < 0) {
                return rc;
            }

            if (rc == 0 || record.closed) {
                rc = 0;
                continue;
            }
        }

        parley_question_split(record.value, &q);

        rc = q.head.awaited
             && (q.head.escalates || q.head.time != PARLEY_QUESTION_TIME)
             && parley_question_is_open(&q, record.left);
    }

    return rc;
}
