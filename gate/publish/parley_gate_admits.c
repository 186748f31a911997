/* Checks whether the rules of a stream admit a publication to its reader. */

#include "gate/message/parley_gate_steps.h"
#include "gate/publish/parley_gate_admits.h"


static int parley_gate_admits_question(parley_gate_t *asked,
    const parley_publication_t *p, parley_msg_t *msg);


int
parley_gate_admits(const parley_render_t *d, const parley_gate_t *g,
    const parley_publication_t *p)
{
    int             rc;
    parley_msg_t    msg;
    parley_who_t    sender, reader;
    parley_gate_t   asked;
    parley_json_t   doc;
    parley_error_t  err;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_error_clear(&err);

    rc = 0;

    if (parley_render_read(d, p, &arena, &msg, &doc, &sender, &err) == 0) {

        /* the rules are checked for the reader and this message */

        reader = *g->who;
        parley_who_about(&reader, &arena, &msg);

        asked = *g;
        asked.arena = &arena;
        asked.who = &reader;
        asked.msg = &msg;
        asked.read.proto = p->proto;
        asked.read.to = parley_str_none;
        asked.err = &err;

        rc = !parley_gate_is_denied(&asked)
             && !parley_gate_admits_question(&asked, p, &msg);
    }

    parley_arena_reset(&arena);

    return rc;
}


/*
 * Checks the rules with the intent of the question.  In the asker's protocol an
 * answer has this intent.
 */

static int
parley_gate_admits_question(parley_gate_t *asked,
    const parley_publication_t *p, parley_msg_t *msg)
{
    parley_question_t  q;

    if (p->question.len == 0) {
        return 0;
    }

    parley_question_split(p->question, &q);

    if (q.texts[PARLEY_QUESTION_INTENT].len == 0) {
        return 0;
    }

    msg->intent = q.texts[PARLEY_QUESTION_INTENT];

    return parley_gate_is_denied(asked);
}
