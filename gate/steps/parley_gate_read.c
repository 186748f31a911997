/*
 * The steps that read a message: its size, protocol, schema, payload, arguments
 * and age.
 */

#include <stdio.h>
#include <string.h>

#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_chat.h"
#include "translate/parley_check.h"
#include "translate/parley_intents.h"


/* octets for the list of the titles of all protocols */
#define PARLEY_GATE_ACCEPTS  64


static void parley_gate_accepts(parley_proto_set_t accept, char *ret);
static void parley_gate_foreign(parley_gate_t *g);


int
parley_gate_size(parley_gate_t *g, uint64_t octets)
{
    size_t  max;

    max = g->conf.gate->limits.octets;

    return octets <= max ? 0
           : parley_error_set(g->err, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                              "the body exceeds %lu octets",
                              (unsigned long) max);
}


parley_step_result_t
parley_gate_protocol(parley_gate_t *g)
{
    char            words[PARLEY_GATE_ACCEPTS];
    parley_proto_t  proto;

    if (g->where.entry == NULL) {
        g->read.proto = parley_detect(g->doc, g->conf.gate->accept);

        if (g->read.proto != PARLEY_PROTO_NONE) {
            return PARLEY_RESULT_PASSED;
        }

    } else if (g->conf.gate->accept & PARLEY_PROTO_BIT(g->read.proto)) {
        return PARLEY_RESULT_PASSED;
    }

    parley_gate_accepts(g->conf.gate->accept, words);

    proto = g->where.entry != NULL ? g->read.proto
                                   : parley_detect(g->doc, PARLEY_PROTO_ALL);

    (void) parley_error_set(g->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                            "the message %s%s; accepted here is %s",
                            proto != PARLEY_PROTO_NONE
                            ? "looks like one of "
                            : "is not of a known protocol",
                            (const char *) parley_proto_title(proto).data,
                            words);

    return PARLEY_RESULT_REFUSED;
}


/*
 * Writes the list of accepted protocols, as "AEE", "AEE or VCP" or "AEE, VCP or
 * C2A".
 */

static void
parley_gate_accepts(parley_proto_set_t accept, char *ret)
{
    size_t    len;
    unsigned  i;

    len = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (accept & PARLEY_PROTO_BIT(i)) {
            accept &= ~PARLEY_PROTO_BIT(i);

            len += (size_t) snprintf(ret + len, PARLEY_GATE_ACCEPTS - len,
                                     "%s%s", len == 0 ? ""
                                     : accept == 0 ? " or " : ", ",
                                     (const char *)
                                     parley_proto_title(i).data);
        }
    }
}


/*
 * Extends the error of a message that seems to be of another protocol.  If a
 * location accepts only one protocol, each message is read as one of this
 * protocol.  Then members may be missing because the message is of another one.
 */

static void
parley_gate_foreign(parley_gate_t *g)
{
    char            text[PARLEY_TEXT_MAX];
    size_t          offset;
    parley_proto_t  looks;

    if (g->err->code == PARLEY_E_CAPACITY
        || g->conf.gate->accept != PARLEY_PROTO_BIT(g->read.proto)
        || parley_json_type(g->doc, 0) != PARLEY_JSON_OBJECT
        || parley_json_member(g->doc, 0,
                              parley_codecs[g->read.proto]->discriminator)
           != PARLEY_JSON_NONE)
    {
        return;
    }

    looks = parley_detect(g->doc, PARLEY_PROTO_ALL);

    if (looks == PARLEY_PROTO_NONE
        || parley_json_member(g->doc, 0, parley_codecs[looks]->discriminator)
           == PARLEY_JSON_NONE)
    {
        return;
    }

    memcpy(text, g->err->text, sizeof(text));
    offset = g->err->offset;

    (void) parley_error_set(g->err, g->err->code, g->err->field,
                            "%.120s; it looks like a message of %s, and only "
                            "%s is accepted here", text,
                            (const char *) parley_proto_title(looks).data,
                            (const char *)
                            parley_proto_title(g->read.proto).data);

    g->err->offset = offset;
}


parley_step_result_t
parley_gate_schema(parley_gate_t *g)
{
    int                        rc;
    const parley_codec_t      *codec = parley_codecs[g->read.proto];
    const parley_gate_conf_t  *conf = parley_gate_entry(g);

    g->read.msg_read = 1;

    if (g->conf.s->host != NULL) {
        parley_msg_init(g->msg, g->read.proto, g->doc);
        rc = codec->chat->decode(g->engine, g->arena, g->doc, g->msg, g->err);

    } else {
        rc = parley_decode(g->engine, g->arena, g->read.proto, g->doc,
                           conf->mve5, g->msg, g->err);
    }

    if (rc != 0) {
        parley_gate_foreign(g);
    }

    parley_gate_author(g);

    /* a misspelled member is reported instead of the missing one */

    if (!conf->any_case && codec->spelling != NULL
        && codec->spelling(g->doc, g->err) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    return parley_step_result(rc);
}


parley_step_result_t
parley_gate_payload(const parley_gate_t *g)
{
    if (parley_intents_check(g->conf.intents, g->arena, g->msg, g->err) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    /*
     * the service reads the intent by its second name in its own protocol, so
     * the schema of that name applies, too
     */

    return parley_step_result(parley_intents_check_read(g->conf.intents,
                                                        g->arena, g->msg,
                                                        g->conf.gate->speak,
                                                        g->err));
}


parley_step_result_t
parley_gate_arguments(parley_gate_t *g)
{
    const parley_gate_conf_t  *conf = parley_gate_entry(g);

    /* the token argument of the location where the token was the proof */

    parley_arguments_init(&g->arguments, g->read.proto, g->conf.gate->speak,
                          conf->token);

    if (g->in.query.len == 0 && g->serve.mcp == NULL) {
        return PARLEY_RESULT_NONE;
    }

    if (parley_gate_serving_asks(g, &g->arguments) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    return parley_step_result(parley_arguments_check(&g->arguments, g->msg,
                                                     g->err));
}


parley_step_result_t
parley_gate_age(parley_gate_t *g)
{
    if (parley_check_age(g->msg, g->conf.gate->past_ms, g->conf.gate->future_ms,
                         g->in.now_ms, g->err)
        == 0)
    {
        return PARLEY_RESULT_PASSED;
    }

    if (!parley_window_knows(g->msg)) {
        return PARLEY_RESULT_REFUSED;
    }

    g->admit.stale = parley_arena_alloc(g->arena, sizeof(parley_error_t));

    if (g->admit.stale == NULL) {
        return PARLEY_RESULT_FAILED;
    }

    *g->admit.stale = *g->err;
    parley_error_clear(g->err);

    return PARLEY_RESULT_PASSED;
}
