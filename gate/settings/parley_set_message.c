/* Setters of requirements on a message, and of its changes. */

#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_rules.h"


#define PARLEY_SET_RATE_WORDS  8

/* highest values of parley_limits: octets and members; depth */
#define PARLEY_SET_MAX         (256 << 20)
#define PARLEY_SET_DEPTH_MAX   512


static int parley_set_rule(parley_setting_t *d, int allow);
static int parley_set_is_pointer(parley_str_t s);
static const char *parley_set_limit(parley_json_limits_t *limits,
    parley_str_t word);


int
parley_set_signature(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = {
        "off", "optional", "required", NULL
    };

    i = parley_setting_choice(d, words,
                              "is unknown, expected required, optional or off");

    if (i < 0) {
        return -1;
    }

    d->s->gate.signature = (parley_demand_t) i;

    return 0;
}


int
parley_set_certificate(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = { "off", "on", "required", NULL };

    i = parley_setting_choice(d, words,
                              "is unknown, expected on, required or off");

    if (i < 0) {
        return -1;
    }

    d->s->gate.certificate = (parley_demand_t) i;

    return 0;
}


int
parley_set_dry_run(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = { "off", "on", "all", NULL };

    i = parley_setting_choice(d, words,
                              "is unknown, expected on, all or off");

    if (i < 0) {
        return -1;
    }

    d->s->gate.dry = (parley_dry_t) i;

    return 0;
}


/* Reads a flag, with nginx's error text. */

int
parley_set_trusted(parley_setting_t *d)
{
    parley_str_t  word = d->words[1];

    d->s->gate.trusted = parley_str_eq_fold(word, PARLEY_STR("on")) != 0;

    if (d->s->gate.trusted || parley_str_eq_fold(word, PARLEY_STR("off"))) {
        return 0;
    }

    return parley_problem(d->problem, "invalid value \"%.*s\" in \"%s\" "
                          "directive, it must be \"on\" or \"off\"",
                          (int) word.len, (const char *) word.data,
                          d->row->name);
}


int
parley_set_allow(parley_setting_t *d)
{
    return parley_set_rule(d, 1);
}


int
parley_set_deny(parley_setting_t *d)
{
    return parley_set_rule(d, 0);
}


static int
parley_set_rule(parley_setting_t *d, int allow)
{
    parley_error_t        err;
    parley_where_t       *where;
    parley_policy_t      *policy;
    parley_rules_conf_t  *rules;

    where = parley_arena_alloc(d->env->arena, sizeof(parley_where_t));
    if (where == NULL) {
        return -1;
    }

    *where = d->problem->where;

    policy = (parley_policy_t *) d->s->gate.policy;

    if (policy == NULL) {
        rules = parley_arena_calloc(d->env->arena,
                                    sizeof(parley_rules_conf_t));
        if (rules == NULL) {
            return -1;
        }

        rules->next = d->http->rules;
        d->http->rules = rules;

        policy = &rules->policy;
        d->s->gate.policy = policy;
    }

    if (d->n - 1 > PARLEY_POLICY_WORDS) {
        return parley_setting_wrong(d, "has too many words");
    }

    if (parley_rules_add(policy, d->env->arena, allow, d->words + 1, d->n - 1,
                         &err)
        != 0)
    {
        /* the text of err names the word */
        return parley_problem(d->problem, "\"%s\": %s", d->row->name,
                              err.text);
    }

    policy->last->data = where;

    return 0;
}


int
parley_set_rate(parley_setting_t *d)
{
    parley_rate_t   *rate;
    parley_error_t   err;

    if (d->n == 2 && parley_str_is(d->words[1], "off")) {
        return 0;
    }

    if (d->n - 1 > PARLEY_SET_RATE_WORDS) {
        return parley_setting_wrong(d, "has too many words");
    }

    rate = parley_arena_calloc(d->env->arena, sizeof(parley_rate_t));

    if (rate == NULL) {
        return -1;
    }

    if (parley_rate_compile(d->words + 1, d->n - 1, rate, &err) != 0) {
        return parley_problem(d->problem, "\"%s\": %s%s%s", d->row->name,
                              err.field, err.field[0] != '\0' ? " " : "",
                              err.text);
    }

    d->s->gate.rate = rate;

    return 0;
}


int
parley_set_cap(parley_setting_t *d)
{
    size_t          i;
    parley_str_t    v;
    parley_caps_t  *caps = &d->s->gate.caps;

    for (i = 1; i < d->n; i++) {

        if (parley_setting_twice(d, i)) {
            return parley_setting_bad(d, d->words[i], "is there twice");
        }

        if (parley_setting_param(d->words[i], "priority", &v)) {

            if (parley_priority_find(v, &caps->priority) != 0) {
                return parley_setting_bad(d, d->words[i], "must be low, "
                                          "normal, high or urgent");
            }

        } else if (parley_setting_param(d->words[i], "timeout", &v)) {

            if (parley_setting_time(v, &caps->timeout_ms) != 0
                || caps->timeout_ms == 0)
            {
                return parley_setting_bad(d, d->words[i],
                                          PARLEY_NO_TIME_SOME);
            }

        } else {
            return parley_setting_bad(d, d->words[i], "is unknown, expected "
                                      "priority= or timeout=");
        }
    }

    return 0;
}


int
parley_set_freshness(parley_setting_t *d)
{
    size_t        i;
    int64_t      *time;
    parley_str_t  v;

    for (i = 1; i < d->n; i++) {

        if (parley_setting_twice(d, i)) {
            return parley_setting_bad(d, d->words[i], "is there twice");
        }

        if (parley_setting_param(d->words[i], "past", &v)) {
            time = &d->s->gate.past_ms;

        } else if (parley_setting_param(d->words[i], "future", &v)) {
            time = &d->s->gate.future_ms;

        } else {
            return parley_setting_bad(d, d->words[i], "is unknown, expected "
                                      "past= or future=");
        }

        if (parley_setting_time(v, time) != 0) {
            return parley_setting_bad(d, d->words[i], PARLEY_NO_TIME);
        }
    }

    return 0;
}


int
parley_set_limits(parley_setting_t *d)
{
    size_t       i;
    const char  *why;

    for (i = 1; i < d->n; i++) {
        why = parley_setting_twice(d, i)
              ? "is there twice"
              : parley_set_limit(&d->s->gate.limits, d->words[i]);

        if (why != NULL) {
            return parley_setting_bad(d, d->words[i], why);
        }
    }

    return 0;
}


/* Returns NULL, or the error of word. */

static const char *
parley_set_limit(parley_json_limits_t *limits, parley_str_t word)
{
    int64_t       n;
    parley_str_t  v;

    if (parley_setting_param(word, "body", &v)) {

        if (parley_setting_size(v, &n) != 0 || n == 0 || n > PARLEY_SET_MAX) {
            return "is no size from 1 to 256m";
        }

        limits->octets = (size_t) n;

    } else if (parley_setting_param(word, "string", &v)) {

        if (parley_setting_size(v, &n) != 0 || n == 0 || n > PARLEY_SET_MAX) {
            return "is no size from 1 to 256m";
        }

        limits->string = (uint32_t) n;

    } else if (parley_setting_param(word, "depth", &v)) {

        if (parley_setting_number(v, &n) != 0 || n == 0
            || n > PARLEY_SET_DEPTH_MAX)
        {
            return "is no number from 1 to 512";
        }

        limits->depth = (uint32_t) n;

    } else if (parley_setting_param(word, "members", &v)) {

        if (parley_setting_number(v, &n) != 0 || n == 0 || n > PARLEY_SET_MAX)
        {
            return "is no number from 1 to 268435456";
        }

        limits->members = (uint32_t) n;

    } else {
        return "is unknown, expected body=, depth=, string= or members=";
    }

    return NULL;
}


int
parley_set_redact(parley_setting_t *d)
{
    parley_edit_t       *edits;
    parley_gate_conf_t  *gate = &d->s->gate;

    if (!parley_set_is_pointer(d->words[1])) {
        return parley_setting_bad(d, d->words[1], "must be a JSON Pointer, "
                                  "such as /payload/secret");
    }

    edits = (parley_edit_t *) gate->redact;

    if (edits == NULL) {
        edits = parley_arena_alloc(d->env->arena,
                                   PARLEY_REDACT_MAX * sizeof(parley_edit_t));
        if (edits == NULL) {
            return -1;
        }

        gate->redact = edits;
    }

    if (gate->nredact == PARLEY_REDACT_MAX) {
        return parley_setting_wrong(d, "is there too often");
    }

    edits += gate->nredact++;
    edits->pointer = d->words[1];
    edits->value = parley_str_none;

    if (d->n == 3 && parley_str_is(d->words[2], "mask")) {
        edits->value = PARLEY_STR("\"[redacted]\"");

    } else if (d->n == 3 && !parley_str_is(d->words[2], "remove")) {
        return parley_setting_bad(d, d->words[2], "must be remove or mask");
    }

    return 0;
}


/* RFC 6901 has only the escapes ~0 and ~1 */

static int
parley_set_is_pointer(parley_str_t s)
{
    size_t  i;

    if (s.len < 2 || s.data[0] != '/') {
        return 0;
    }

    for (i = 0; i < s.len; i++) {
        if (s.data[i] == '~'
            && (i + 1 == s.len
                || (s.data[i + 1] != '0' && s.data[i + 1] != '1')))
        {
            return 0;
        }
    }

    return 1;
}
