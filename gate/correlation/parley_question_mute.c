/*
 * Mute events, which must not be answered in words (C2A-13).  A reader gets the
 * event from a service of its protocol or by a stream, and uses the sender's
 * name for it.
 */

#include <string.h>

#include "gate/correlation/parley_question_parts.h"


int
parley_question_keep_mute(const parley_asking_t *a, parley_asked_t *ret)
{
    int                  rc;
    parley_str_t         record;
    parley_error_t       err;
    parley_asking_t      own;
    parley_encoded_t     sent;
    parley_question_t    q;
    const parley_msg_t  *m;

    m = a->who->msg;

    if (!m->mute || ret->kept || (m->wire != a->speak && !a->published)) {
        return 0;
    }

    rc = parley_question_is_taken(a->ask, a->who, m->wire);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? rc : 0;
    }

    memset(&sent, 0, sizeof(parley_encoded_t));

    sent.id = m->id;
    sent.corr = m->corr;

    own = *a;
    own.sent = &sent;
    own.speak = m->wire;

    (void) parley_question_fill(&own, &q);

    if (parley_question_write(a, &q, &record, &err) != 0) {
        return 0;
    }

    parley_question_record(&own, &ret->own);

    ret->until = a->ask->now + PARLEY_QUESTION_TIME;
    ret->own_kept = 1;

    rc = parley_question_put_beside(a, &ret->own, record, ret);

    if (rc < 0) {
        return rc;
    }

    ret->own_kept = rc;

    return 0;
}
