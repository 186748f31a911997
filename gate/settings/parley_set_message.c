/* Setters of requirements on a message, and of its changes. */

#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_rules.h"
#include "translate/parley_codec_types.h"


/* values of parley_limits: octets or members; depth */
static const parley_range_t  parley_set_octets = { 1, 256 << 20 };
static const parley_range_t  parley_set_depth = { 1, 512 };


static int parley_set_rule(parley_setting_t *d, int allow);
static int parley_set_is_chosen(parley_str_t text);
static int parley_set_is_chosen_name(parley_str_t name);
static int parley_set_is_pointer(parley_str_t s);
static int parley_set_limit(const parley_setting_t *d, parley_str_t word,
    parley_json_limits_t *limits);


int
parley_set_signature(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = {
        "off", "optional", "required", NULL
    };

    i = parley_setting_choice(d, words);

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

    i = parley_setting_choice(d, words);

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

    i = parley_setting_choice(d, words);

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
    parley_value_t  *value;

    if (d->n == 2 && parley_str_is(d->words[1], "off")) {
        return 0;
    }

    rate = parley_arena_calloc(d->env->arena, sizeof(parley_rate_t));

    if (rate == NULL) {
        return -1;
    }

    if (parley_rate_compile(d->words + 1, d->n - 1, rate, &err) != 0) {
        return parley_problem(d->problem, "\"%s\": %s", d->row->name,
                              err.text);
    }

    d->s->gate.rate = rate;

    if (rate->has_shared && d->http->shared_rates.line == 0) {
        d->http->shared_rates = d->problem->where;
    }

    if (rate->variable.len == 0) {
        return 0;
    }

    if (parley_set_is_chosen(rate->variable)) {
        return parley_setting_bad(d, rate->variable, "comes from the request "
                                  "or its token, so the caller could choose "
                                  "the limit; expected a variable of \"map\", "
                                  "such as a map of $parley_principal");
    }

    value = parley_arena_calloc(d->env->arena, sizeof(parley_value_t));

    if (value == NULL) {
        return -1;
    }

    d->s->gate.rate_value = value;

    return parley_setting_value(d, rate->variable, value);
}


/* Returns whether a variable in the text is one that the caller chooses. */

static int
parley_set_is_chosen(parley_str_t text)
{
    size_t        i, n;
    uint8_t       c;
    parley_str_t  name;

    for (i = 0; i < text.len; i++) {

        if (text.data[i] != '$') {
            continue;
        }

        name = parley_str_from(text, i + 1);

        if (parley_str_begins(name, "{")) {
            name = parley_str_from(name, 1);
        }

        for (n = 0; n < name.len; n++) {
            c = name.data[n] | 0x20;

            if ((c < 'a' || c > 'z') && (c < '0' || c > '9')
                && name.data[n] != '_')
            {
                break;
            }
        }

        name.len = n;

        if (parley_set_is_chosen_name(name)) {
            return 1;
        }
    }

    return 0;
}


/* nginx compares names of variables without regard to case. */

static int
parley_set_is_chosen_name(parley_str_t name)
{
    size_t        i;
    parley_str_t  begin, row;

    /* "_" at the end: names that begin so */

    static const parley_str_t  rows[] = {
        parley_str("arg_"), parley_str("http_"), parley_str("cookie_"),
        parley_str("parley_"), parley_str("request_"), parley_str("args"),
        parley_str("is_args"), parley_str("query_string"), parley_str("uri"),
        parley_str("document_uri"), parley_str("request"), parley_str("host"),
        parley_str("content_type"), parley_str("content_length"),
        parley_str("remote_user")
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        row = rows[i];
        begin = name;

        if (row.data[row.len - 1] == '_' && name.len > row.len) {
            begin.len = row.len;
        }

        if (parley_str_eq_fold(begin, row)) {
            return 1;
        }
    }

    return 0;
}


int
parley_set_cap(parley_setting_t *d)
{
    size_t          i;
    parley_str_t    v;
    parley_caps_t  *caps = &d->s->gate.caps;

    for (i = 1; i < d->n; i++) {

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(d->words[i], "priority", &v)) {

            if (parley_priority_find(v, &caps->priority) != 0) {
                return parley_setting_not(d, d->words[i], "a priority",
                                          "low, normal, high or urgent");
            }

        } else if (parley_setting_param(d->words[i], "timeout", &v)) {

            if (parley_setting_read_time(d, d->words[i], PARLEY_RANGE_TIME_SET,
                                         &caps->timeout_ms)
                != 0)
            {
                return -1;
            }

        } else {
            return parley_setting_unknown(d, d->words[i],
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

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(d->words[i], "past", &v)) {
            time = &d->s->gate.past_ms;

        } else if (parley_setting_param(d->words[i], "future", &v)) {
            time = &d->s->gate.future_ms;

        } else {
            return parley_setting_unknown(d, d->words[i], "past= or future=");
        }

        if (parley_setting_read_time(d, d->words[i], PARLEY_RANGE_TIME, time)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


int
parley_set_limits(parley_setting_t *d)
{
    size_t  i;

    for (i = 1; i < d->n; i++) {
        if (parley_setting_once(d, i) != 0
            || parley_set_limit(d, d->words[i], &d->s->gate.limits) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_set_limit(const parley_setting_t *d, parley_str_t word,
    parley_json_limits_t *limits)
{
    int64_t       n;
    parley_str_t  v;

    if (parley_setting_param(word, "body", &v)) {

        if (parley_setting_read_size(d, word, &parley_set_octets, &n) != 0) {
            return -1;
        }

        limits->octets = (size_t) n;

    } else if (parley_setting_param(word, "string", &v)) {

        if (parley_setting_read_size(d, word, &parley_set_octets, &n) != 0) {
            return -1;
        }

        limits->string = (uint32_t) n;

    } else if (parley_setting_param(word, "depth", &v)) {

        if (parley_setting_read_number(d, word, &parley_set_depth, &n) != 0) {
            return -1;
        }

        limits->depth = (uint32_t) n;

    } else if (parley_setting_param(word, "members", &v)) {

        if (parley_setting_read_number(d, word, &parley_set_octets, &n) != 0) {
            return -1;
        }

        limits->members = (uint32_t) n;

    } else {
        return parley_setting_unknown(d, word, "body=, depth=, string= or "
                                      "members=");
    }

    return 0;
}


int
parley_set_redact(parley_setting_t *d)
{
    parley_edit_t       *edits;
    parley_gate_conf_t  *gate = &d->s->gate;

    if (!parley_set_is_pointer(d->words[1])) {
        return parley_setting_not(d, d->words[1], "a JSON Pointer", "a "
                                  "member, such as /payload/secret");
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
        return parley_problem(d->problem, "\"%s\" directive occurs too often; "
                              "expected at most %d", d->row->name,
                              PARLEY_REDACT_MAX);
    }

    edits += gate->nredact++;
    edits->pointer = d->words[1];
    edits->value = parley_str_none;

    if (d->n == 3 && parley_str_is(d->words[2], "mask")) {
        edits->value = PARLEY_STR("\"[redacted]\"");

    } else if (d->n == 3 && !parley_str_is(d->words[2], "remove")) {
        return parley_setting_unknown(d, d->words[2], "remove or mask");
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
