/* What the commands over messages have in common. */

#include <string.h>

#include "parley_tool.h"


parley_proto_set_t
parley_message_protocols(void)
{
    unsigned            i;
    parley_proto_set_t  set;

    set = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_codecs[i] != NULL) {
            set |= PARLEY_PROTO_BIT(i);
        }
    }

    return set;
}


int
parley_message_init(parley_tool_t *tool, const char *option,
    parley_message_t *m)
{
    parley_error_t  err;

    memset(m, 0, sizeof(parley_message_t));

    if (parley_option_proto(tool, option, &m->proto) != 0) {
        return -1;
    }

    parley_error_clear(&err);

    m->engine = parley_engine_create(&parley_mem_libc, &err);

    if (m->engine == NULL) {
        parley_say_error("schemas", &err);
        return -1;
    }

    return 0;
}


void
parley_message_free(parley_message_t *m)
{
    if (m->engine != NULL) {
        parley_engine_destroy(m->engine);
    }
}


int
parley_message_read(parley_tool_t *tool, parley_input_t *in,
    parley_json_t *doc)
{
    return parley_json_read(doc, in->arena, &tool->limits, tool->seed,
                            in->text, &in->err);
}


int
parley_message_decode(parley_tool_t *tool, parley_input_t *in,
    parley_message_t *m)
{
    parley_proto_t  proto;

    if (parley_message_read(tool, in, &m->doc) != 0) {
        return -1;
    }

    proto = m->proto;

    if (proto == PARLEY_PROTO_NONE) {
        proto = parley_detect(&m->doc, parley_message_protocols());
    }

    if (proto == PARLEY_PROTO_NONE) {
        return parley_error_set(&in->err, PARLEY_E_PROTOCOL_UNSUPPORTED,
                                NULL, "no protocol known has a message "
                                "like this");
    }

    return parley_decode(m->engine, in->arena, proto, &m->doc, m->partial,
                         &m->msg, &in->err);
}
