/* What is asked of a message, and done to it. */

#include <string.h>
#include <strings.h>

#include "parley_location.h"
#include "parley_name.h"
#include "parley_rules.h"
#include "parley_settings.h"


#define PARLEY_SETTINGS_RATE_WORDS  8


static int parley_settings_enum(const parley_directive_t *d,
    const char *const *words, const char *choices, unsigned *ret);
static int parley_settings_flag(const parley_directive_t *d, unsigned *ret);
static int parley_settings_is_pointer(parley_str_t s);


int
parley_settings_accept(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t              i;
    parley_proto_t      proto;
    parley_proto_set_t  whole;

    (void) tool;

    whole = 0;

    s->gate.accept = 0;
    s->gate.mve5 = 0;
    s->gate.any_case = 0;

    if (d->nwords == 2 && parley_str_is(d->words[1], "off")) {
        return 0;
    }

    for (i = 1; i < d->nwords; i++) {

        if (parley_str_is(d->words[i], "aee-mve5")) {

            if (s->gate.mve5) {
                return parley_conf_bad_word(d, d->words[i], "is there twice");
            }

            s->gate.mve5 = 1;
            s->gate.accept |= PARLEY_PROTO_BIT(PARLEY_PROTO_AEE);
            continue;
        }

        if (parley_str_is(d->words[i], "case=open")) {

            if (s->gate.any_case) {
                return parley_conf_bad_word(d, d->words[i], "is there twice");
            }

            s->gate.any_case = 1;
            continue;
        }

        proto = parley_proto_find(d->words[i]);

        if (proto == PARLEY_PROTO_NONE || parley_codecs[proto] == NULL) {
            return parley_conf_bad_word(d, d->words[i],
                                        PARLEY_CHOICE_PROTOCOL);
        }

        /* "aee" beside "aee-mve5" is no second one */

        if (whole & PARLEY_PROTO_BIT(proto)) {
            return parley_conf_bad_word(d, d->words[i], "is there twice");
        }

        whole |= PARLEY_PROTO_BIT(proto);
        s->gate.accept |= PARLEY_PROTO_BIT(proto);
    }

    if (s->gate.accept == 0) {
        return parley_conf_bad_word(d, d->words[1],
                                    "adds to \"aee\", which is missing");
    }

    if (s->gate.any_case
        && !(s->gate.accept & PARLEY_PROTO_BIT(PARLEY_PROTO_AEE)))
    {
        return parley_conf_bad(d, "directive has \"case=open\" without "
                               "\"aee\"");
    }

    return 0;
}


int
parley_settings_speak(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    (void) tool;

    s->said = parley_proto_find(d->words[1]);

    if (s->said == PARLEY_PROTO_NONE || parley_codecs[s->said] == NULL) {
        return parley_conf_bad_word(d, d->words[1],
                                    PARLEY_CHOICE_PROTOCOL);
    }

    s->gate.gateway = parley_str_none;

    if (d->nwords == 2) {
        return 0;
    }

    if (!parley_conf_param(d->words[2], "gateway", &s->gate.gateway)) {
        return parley_conf_bad_word(d, d->words[2],
                                    "is unknown, expected gateway=");
    }

    if (s->gate.gateway.len == 0 || s->said != PARLEY_PROTO_AEE) {
        return parley_conf_bad_word(d, d->words[2],
                                    "names no sender of AEE errors");
    }

    return 0;
}


int
parley_settings_signature(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    unsigned  n;

    static const char *const  words[] = {
        "off", "optional", "required", NULL
    };

    (void) tool;

    if (parley_settings_enum(d, words, PARLEY_CHOICE_SIGNATURE, &n) != 0) {
        return -1;
    }

    s->gate.signature = (parley_demand_t) n;

    return 0;
}


int
parley_settings_loss(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    unsigned  n;

    static const char *const  words[] = { "report", "reject", "ignore", NULL };

    (void) tool;

    if (parley_settings_enum(d, words, PARLEY_CHOICE_LOSS, &n) != 0) {
        return -1;
    }

    s->gate.loss = (parley_loss_mode_t) n;

    return 0;
}


/* One of these words, in any case, as nginx has it. */

static int
parley_settings_enum(const parley_directive_t *d, const char *const *words,
    const char *choices, unsigned *ret)
{
    unsigned  i;

    *ret = 0;

    for (i = 0; words[i] != NULL; i++) {
        if (strcasecmp((const char *) d->words[1].data, words[i]) == 0) {
            *ret = i;
            return 0;
        }
    }

    return parley_conf_bad_word(d, d->words[1], choices);
}


int
parley_settings_trusted(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    unsigned  flag;

    (void) tool;

    if (parley_settings_flag(d, &flag) != 0) {
        return -1;
    }

    s->gate.trusted = flag & 1;

    return 0;
}


int
parley_settings_dry_run(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    unsigned  n;

    static const char *const  words[] = { "off", "on", "all", NULL };

    (void) tool;

    if (parley_settings_enum(d, words, PARLEY_CHOICE_DRY_RUN, &n) != 0) {
        return -1;
    }

    s->gate.dry = (parley_dry_t) n;

    return 0;
}


static int
parley_settings_flag(const parley_directive_t *d, unsigned *ret)
{
    const char  *word;

    word = (const char *) d->words[1].data;
    *ret = strcasecmp(word, "on") == 0;

    if (*ret || strcasecmp(word, "off") == 0) {
        return 0;
    }

    return parley_conf_wrong(d, "invalid value \"%s\" in \"%s\" directive, it "
                             "must be \"on\" or \"off\"", word,
                             (const char *) d->words[0].data);
}


/* the rules of the innermost block that has any, in their order */

int
parley_settings_policy(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    parley_error_t  err;

    if (d->nwords - 1 > PARLEY_POLICY_WORDS) {
        return parley_conf_bad(d, "directive has too many words");
    }

    if (parley_rules_add(&s->policy, &tool->arena,
                         parley_conf_is(d, "parley_allow"), d->words + 1,
                         d->nwords - 1, &err)
        != 0)
    {
        return parley_conf_wrong(d, "\"%s\": %s",
                                 (const char *) d->words[0].data, err.text);
    }

    return 0;
}


int
parley_settings_rate(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    parley_error_t  err;

    (void) tool;

    memset(&s->rate, 0, sizeof(parley_rate_t));
    s->rated = NULL;

    if (d->nwords == 2 && parley_str_is(d->words[1], "off")) {
        return 0;
    }

    if (d->nwords - 1 > PARLEY_SETTINGS_RATE_WORDS) {
        return parley_conf_bad(d, "directive has too many words");
    }

    if (parley_rate_compile(d->words + 1, d->nwords - 1, &s->rate, &err)
        != 0)
    {
        return parley_conf_wrong(d, "\"%s\": %s%s%s",
                                 (const char *) d->words[0].data, err.field,
                                 err.field[0] != '\0' ? " " : "", err.text);
    }

    s->rated = d;

    return 0;
}


int
parley_settings_cap(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t        i;
    parley_str_t  v;

    (void) tool;

    memset(&s->gate.caps, 0, sizeof(parley_caps_t));
    s->gate.caps.priority = PARLEY_PRIORITY_URGENT;

    for (i = 1; i < d->nwords; i++) {

        if (parley_conf_twice(d, i)) {
            return parley_conf_bad_word(d, d->words[i], "is there twice");
        }

        if (parley_conf_param(d->words[i], "priority", &v)) {

            if (parley_priority_find(v, &s->gate.caps.priority) != 0) {
                return parley_conf_bad_word(d, d->words[i], "must be low, "
                                            "normal, high or urgent");
            }

        } else if (parley_conf_param(d->words[i], "timeout", &v)) {

            if (parley_conf_time(v, &s->gate.caps.timeout_ms) != 0
                || s->gate.caps.timeout_ms == 0)
            {
                return parley_conf_bad_word(d, d->words[i],
                                            PARLEY_CHOICE_TIME_SOME);
            }

        } else {
            return parley_conf_bad_word(d, d->words[i], "is unknown, expected "
                                        "priority= or timeout=");
        }
    }

    return 0;
}


int
parley_settings_freshness(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t        i;
    int64_t      *ret;
    parley_str_t  v;

    (void) tool;

    s->gate.past_ms = PARLEY_SETTINGS_PAST_MS;
    s->gate.future_ms = PARLEY_SETTINGS_FUTURE_MS;

    for (i = 1; i < d->nwords; i++) {

        if (parley_conf_twice(d, i)) {
            return parley_conf_bad_word(d, d->words[i], "is there twice");
        }

        if (parley_conf_param(d->words[i], "past", &v)) {
            ret = &s->gate.past_ms;

        } else if (parley_conf_param(d->words[i], "future", &v)) {
            ret = &s->gate.future_ms;

        } else {
            return parley_conf_bad_word(d, d->words[i], "is unknown, expected "
                                        "past= or future=");
        }

        if (parley_conf_time(v, ret) != 0) {
            return parley_conf_bad_word(d, d->words[i], PARLEY_CHOICE_TIME);
        }
    }

    return 0;
}


int
parley_settings_window(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    (void) tool;

    s->receiver = parley_str_none;

    if (parley_conf_time(d->words[1], &s->window_ms) != 0) {
        return parley_conf_bad_word(d, d->words[1], PARLEY_CHOICE_TIME);
    }

    return d->nwords == 2
           || (parley_conf_param(d->words[2], "receiver", &s->receiver)
               && s->receiver.len > 0)
           ? 0 : parley_conf_bad_word(d, d->words[2], "is unknown, expected "
                                      "receiver=");
}


int
parley_settings_limits(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    size_t        i;
    int64_t                     n;
    unsigned                    k;
    parley_str_t                v;
    const parley_bound_word_t  *bounds = parley_location_bounds;

    (void) tool;

    s->gate.limits = parley_json_limits_default;

    for (i = 1; i < d->nwords; i++) {

        if (parley_conf_twice(d, i)) {
            return parley_conf_bad_word(d, d->words[i], "is there twice");
        }

        for (k = 0;
             k < PARLEY_BOUND_COUNT
             && !parley_conf_param(d->words[i], bounds[k].name, &v);
             k++)
        {
            /* void */
        }

        if (k == PARLEY_BOUND_COUNT) {
            return parley_conf_bad_word(d, d->words[i], PARLEY_CHOICE_LIMITS);
        }

        if ((bounds[k].size ? parley_conf_size(v, &n)
                            : parley_conf_number(v, &n))
            != 0
            || n <= 0 || n > bounds[k].max)
        {
            return parley_conf_bad_word(d, d->words[i], bounds[k].why);
        }

        switch ((parley_bound_t) k) {

        case PARLEY_BOUND_BODY:
            s->gate.limits.octets = (size_t) n;
            break;

        case PARLEY_BOUND_STRING:
            s->gate.limits.string = (uint32_t) n;
            break;

        case PARLEY_BOUND_DEPTH:
            s->gate.limits.depth = (uint32_t) n;
            break;

        default: /* PARLEY_BOUND_MEMBERS */
            s->gate.limits.members = (uint32_t) n;
            break;
        }
    }

    return 0;
}


int
parley_settings_redact(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    parley_edit_t  *edit;

    (void) tool;

    if (!parley_settings_is_pointer(d->words[1])) {
        return parley_conf_bad_word(d, d->words[1], "must be a JSON Pointer, "
                                    "such as /payload/secret");
    }

    if (s->gate.nredact == PARLEY_REDACT_MAX) {
        return parley_conf_bad(d, "directive is there too often");
    }

    edit = &s->redact[s->gate.nredact++];
    edit->pointer = d->words[1];
    edit->value = parley_str_none;

    if (d->nwords == 3 && parley_str_is(d->words[2], "mask")) {
        edit->value = PARLEY_STR("\"[redacted]\"");

    } else if (d->nwords == 3 && !parley_str_is(d->words[2], "remove")) {
        return parley_conf_bad_word(d, d->words[2], "must be remove or mask");
    }

    return 0;
}


/* RFC 6901: ~0 and ~1 are all the escapes there are */

static int
parley_settings_is_pointer(parley_str_t s)
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


int
parley_settings_context(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    (void) tool;

    s->context = d->words[1];

    return 0;
}


int
parley_settings_constitution(parley_tool_t *tool,
    const parley_directive_t *d, parley_settings_t *s)
{
    (void) tool;

    s->constitution = d->words[1];

    return 0;
}


int
parley_settings_severity(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    unsigned        i;
    parley_error_t  err;

    (void) tool;

    s->nseverities = 0;

    for (i = 1; i < d->nwords; i++) {
        if (parley_severity_parse(d->words[i], s->severities, s->nseverities,
                                  &s->severities[s->nseverities], &err)
            != 0)
        {
            return parley_conf_wrong(d, "%s in \"parley_vcp_severity\" "
                                     "directive", err.text);
        }

        s->nseverities++;
    }

    return 0;
}


int
parley_settings_broadcast(parley_tool_t *tool, const parley_directive_t *d,
    parley_settings_t *s)
{
    (void) tool;

    if (!parley_name_is_group(PARLEY_PROTO_AEE, d->words[1])) {
        return parley_conf_bad_word(d, d->words[1], "must be the AEE name of "
                                    "a group, such as bus.ops");
    }

    s->broadcast = d->words[1];

    return 0;
}
