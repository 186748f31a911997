/* Setters of accepted protocols, and of translation. */

#include "translate/parley_codec.h"
#include "gate/settings/parley_directive.h"
#include "translate/parley_name.h"


static int parley_set_accept_word(parley_setting_t *d, parley_str_t word,
    parley_proto_set_t *whole);


int
parley_set_accept(parley_setting_t *d)
{
    size_t               i;
    parley_proto_set_t   whole;
    parley_gate_conf_t  *gate = &d->s->gate;

    if (d->n == 2 && parley_str_is(d->words[1], "off")) {
        return 0;
    }

    whole = 0;

    for (i = 1; i < d->n; i++) {
        if (parley_set_accept_word(d, d->words[i], &whole) != 0) {
            return -1;
        }
    }

    for (i = 0; gate->any_case && i < PARLEY_PROTO_COUNT; i++) {
        if ((gate->accept & PARLEY_PROTO_BIT(i))
            && parley_codecs[i]->spelling != NULL)
        {
            return 0;
        }
    }

    return !gate->any_case
           ? 0 : parley_setting_wrong(d, "has \"case=open\" without "
                                      "\"aee\", \"vcp2\" or \"c2a\"");
}


static int
parley_set_accept_word(parley_setting_t *d, parley_str_t word,
    parley_proto_set_t *whole)
{
    int                  twice;
    parley_proto_t       proto;
    parley_gate_conf_t  *gate = &d->s->gate;

    /* AEE-13: records of five fields, for a location that receives logs */

    if (parley_str_is(word, "aee-mve5")) {
        twice = gate->mve5;
        gate->mve5 = 1;
        gate->accept |= PARLEY_PROTO_BIT(PARLEY_PROTO_CANONICAL);

    } else if (parley_str_is(word, "case=open")) {
        twice = gate->any_case;
        gate->any_case = 1;

    } else {
        proto = parley_proto_find(word);

        if (proto == PARLEY_PROTO_NONE) {
            return parley_setting_not(d, word, "a protocol",
                                      PARLEY_PROTOCOL_WORDS);
        }

        /* "aee" and "aee-mve5" together are not a duplicate */

        twice = (*whole & PARLEY_PROTO_BIT(proto)) != 0;
        *whole |= PARLEY_PROTO_BIT(proto);
        gate->accept |= PARLEY_PROTO_BIT(proto);
    }

    return twice ? parley_setting_bad(d, word, PARLEY_SETTING_DUPLICATE) : 0;
}


int
parley_set_speak(parley_setting_t *d)
{
    parley_proto_t  proto;

    proto = parley_proto_find(d->words[1]);

    if (proto == PARLEY_PROTO_NONE) {
        return parley_setting_not(d, d->words[1], "a protocol",
                                  PARLEY_PROTOCOL_WORDS);
    }

    d->s->said = proto;

    if (d->n == 2) {
        return 0;
    }

    if (!parley_setting_param(d->words[2], "gateway", &d->s->gateway)) {
        return parley_setting_unknown(d, d->words[2], "gateway=");
    }

    if (d->s->gateway.len == 0 || proto != PARLEY_PROTO_CANONICAL) {
        return parley_setting_not(d, d->words[2], "a sender of AEE errors",
                                  "gateway=NAME after \"aee\"");
    }

    return 0;
}


int
parley_set_loss(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = { "report", "reject", "ignore", NULL };

    i = parley_setting_choice(d, words);

    if (i < 0) {
        return -1;
    }

    d->s->gate.loss = (parley_loss_mode_t) i;

    return 0;
}


int
parley_set_vcp_context(parley_setting_t *d)
{
    return parley_setting_value(d, d->words[1], &d->s->context);
}


int
parley_set_vcp_constitution(parley_setting_t *d)
{
    return parley_setting_value(d, d->words[1], &d->s->constitution);
}


int
parley_set_vcp_severity(parley_setting_t *d)
{
    size_t                   i;
    parley_error_t           err;
    parley_severity_word_t  *set;

    set = parley_arena_alloc(d->env->arena,
                             d->n * sizeof(parley_severity_word_t));

    if (set == NULL) {
        return -1;
    }

    for (i = 1; i < d->n; i++) {
        if (parley_severity_word_parse(d->words[i], set, (uint32_t) (i - 1),
                                       &set[i - 1], &err)
            != 0)
        {
            return parley_problem(d->problem, "\"%s\": %s", d->row->name,
                                  err.text);
        }
    }

    d->s->severities = set;
    d->s->nseverities = (uint32_t) (d->n - 1);

    return 0;
}


int
parley_set_vcp_critical(parley_setting_t *d)
{
    int  i;

    static const char *const  words[] = { "pass", "pause", NULL };

    i = parley_setting_choice(d, words);

    if (i < 0) {
        return -1;
    }

    d->s->gate.pauses = (uint8_t) i;

    return 0;
}


int
parley_set_vcp_broadcast(parley_setting_t *d)
{
    if (!parley_name_is_group(PARLEY_PROTO_CANONICAL, d->words[1])) {
        return parley_setting_not(d, d->words[1], "a group", "the AEE name of "
                                  "a group, such as bus.ops");
    }

    d->s->broadcast = d->words[1];

    return 0;
}


int
parley_set_window(parley_setting_t *d)
{
    parley_str_t  receiver;

    if (parley_setting_read_time(d, d->words[1], PARLEY_RANGE_TIME,
                                 &d->s->window_ms)
        != 0)
    {
        return -1;
    }

    if (d->n == 2) {
        return 0;
    }

    if (!parley_setting_param(d->words[2], "receiver", &receiver)
        || receiver.len == 0)
    {
        return parley_setting_unknown(d, d->words[2], "receiver=");
    }

    return parley_setting_value(d, receiver, &d->s->receiver);
}
