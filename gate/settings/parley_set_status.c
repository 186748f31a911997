/*
 * parley_status and parley_health, and the checks of these directives, of
 * parley_public_keys and of parley_moq_endpoint.
 */

#include "gate/settings/parley_settings_parts.h"


typedef struct {
    parley_directive_id_t   id;
    const char             *quoted;
} parley_answer_directive_t;


static void parley_set_answers(parley_setting_t *d);
static const parley_answer_directive_t *parley_settings_answer_of(
    const parley_settings_t *s, const parley_answer_directive_t *after);
static const char *parley_settings_beside(const parley_settings_t *s,
    const parley_answer_directive_t *of, const parley_block_facts_t *block);


static const parley_answer_directive_t  parley_answer_directives[] = {
    { PARLEY_DIRECTIVE_STATUS, "\"parley_status\"" },
    { PARLEY_DIRECTIVE_HEALTH, "\"parley_health\"" },
    { PARLEY_DIRECTIVE_PUBLIC_KEYS, "\"parley_public_keys\"" },
    { PARLEY_DIRECTIVE_MOQ_ENDPOINT, "\"parley_moq_endpoint\"" },
    { PARLEY_DIRECTIVE_COUNT, NULL }
};


int
parley_set_status(parley_setting_t *d)
{
    int64_t       n;
    parley_str_t  word, value;

    if (d->n > 1) {
        word = d->words[1];

        if (!parley_setting_param(word, "suspended", &value)) {
            return parley_setting_unknown(d, word, "suspended=");
        }

        if (parley_setting_read_number(d, word,
                                       parley_range(1, PARLEY_SUSPENDED_MAX),
                                       &n)
            != 0)
        {
            return -1;
        }

        d->s->status_suspended = (uint32_t) n;
    }

    d->s->status = 1;
    parley_set_answers(d);

    return 0;
}


int
parley_set_health(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = { "live", "ready", NULL };

    i = parley_setting_choice(d, words);

    if (i == -1) {
        return -1;
    }

    d->s->health = i == 0 ? PARLEY_HEALTH_LIVE : PARLEY_HEALTH_READY;
    parley_set_answers(d);

    return 0;
}


static void
parley_set_answers(parley_setting_t *d)
{
    if (d->http->answers.line == 0) {
        d->http->answers = d->problem->where;
    }
}


int
parley_settings_answers(const parley_settings_t *s)
{
    return parley_settings_answer_of(s, NULL) != NULL;
}


/* Returns the next of these directives that the block itself has, or NULL. */

static const parley_answer_directive_t *
parley_settings_answer_of(const parley_settings_t *s,
    const parley_answer_directive_t *after)
{
    const parley_answer_directive_t  *d;

    for (d = after == NULL ? parley_answer_directives : after + 1;
         d->quoted != NULL;
         d++)
    {
        if (s->own & (uint64_t) 1 << d->id) {
            return d;
        }
    }

    return NULL;
}


int
parley_settings_answer(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
{
    const char                       *why;
    parley_directive_id_t             other;
    const parley_answer_directive_t  *d;

    d = parley_settings_answer_of(s, NULL);

    problem->where = s->where[d->id];

    why = parley_settings_beside(s, d, block);

    if (why != NULL) {
        return parley_problem(problem, "%s " PARLEY_SETTINGS_ANSWERS "%s",
                              d->quoted, why);
    }

    /* proves: parley_moq_endpoint, with a proof of the caller */

    other = parley_settings_other(s, (uint64_t) 1 << d->id
                                     | parley_settings_bit(ACCEPT)
                                     | (s->proves ? PARLEY_SETTINGS_PROVING
                                        : 0));

    if (other != PARLEY_DIRECTIVE_COUNT) {
        problem->where = s->where[other];

        return parley_problem(problem, "\"%s\" has no effect: %s in this "
                              "location accepts no messages",
                              parley_directives[other].name, d->quoted);
    }

    if (d->id == PARLEY_DIRECTIVE_STATUS && block->open && !block->internal) {

        (void) parley_problem(problem, "location \"%.*s\" of "
                              "\"parley_status%s\" is open to all callers; "
                              "expected \"allow\", \"deny\", \"auth_basic\" "
                              "or \"auth_request\"", (int) block->name.len,
                              (const char *) block->name.data,
                              s->status_suspended > 0 ? " suspended=" : "");

        /* suspended= shows names */

        if (s->status_suspended > 0) {
            return -1;
        }

        if (env->warn != NULL) {
            env->warn(env->ctx, problem);
        }
    }

    return 0;
}


static const char *
parley_settings_beside(const parley_settings_t *s,
    const parley_answer_directive_t *of, const parley_block_facts_t *block)
{
    of = parley_settings_answer_of(s, of);

    if (of != NULL) {
        return of->quoted;
    }

    if (s->keys) {
        return "\"parley_keys\"";
    }

    if (s->websocket != NULL) {
        return "\"parley_websocket\"";
    }

    if (s->moq != NULL) {
        return "\"parley_moq\"";
    }

    if (s->stream != NULL) {
        return "\"parley_stream\"";
    }

    if (s->roster != NULL) {
        return "\"parley_roster\"";
    }

    if (s->gate.accept != 0) {
        return "\"parley_accept\"";
    }

    return block->handled ? PARLEY_SETTINGS_HANDLER
           : block->returns ? PARLEY_SETTINGS_RETURN : NULL;
}
