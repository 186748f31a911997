/* Checks whether the rules of a stream admit a publication to its reader. */

#include "core/parley_arena.h"
#include "gate/publish/parley_gate_admits.h"
#include "gate/correlation/parley_question.h"
#include "translate/parley_msg.h"


static int parley_gate_readers_is_denied(const parley_rules_request_t *r,
    const parley_publication_t *p, parley_msg_t *msg, parley_error_t *err);


int
parley_gate_readers_admit(const parley_render_t *d,
    const parley_reader_t *reader, const parley_publication_t *p)
{
    int                     rc;
    parley_msg_t            msg;
    parley_who_t            sender, who;
    parley_json_t           doc;
    parley_error_t          err;
    parley_arena_t          arena;
    parley_rules_request_t  r;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_error_clear(&err);

    rc = 0;

    if (parley_render_read(d, p, &arena, &msg, &doc, &sender, &err) == 0) {

        /* the rules are checked for the reader and this message */

        who = *reader->who;
        parley_who_about(&who, &arena, &msg);

        r.conf = reader->conf;
        r.arena = &arena;
        r.who = &who;
        r.msg = &msg;
        r.proto = p->proto;
        r.method = reader->method;
        r.to = msg.recipient;
        r.reader = reader->owner;

        rc = !parley_gate_readers_is_denied(&r, p, &msg, &err);
    }

    parley_arena_reset(&arena);

    return rc;
}


/*
 * Checks the rules, and again with the intent of the question.  In the asker's
 * protocol an answer has this intent.
 */

static int
parley_gate_readers_is_denied(const parley_rules_request_t *r,
    const parley_publication_t *p, parley_msg_t *msg, parley_error_t *err)
{
    parley_question_t  q;

    if (parley_gate_rules_deny(r, err)) {
        return 1;
    }

    if (p->question.len == 0) {
        return 0;
    }

    if (parley_question_split(p->question, &q) != 0
        || q.texts[PARLEY_QUESTION_INTENT].len == 0)
    {
        return 0;
    }

    msg->intent = q.texts[PARLEY_QUESTION_INTENT];

    return parley_gate_rules_deny(r, err);
}
