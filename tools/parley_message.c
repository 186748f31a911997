/* Functions that the commands for messages share. */

#include <string.h>

#include "tools/parley_tool.h"


int
tool_message_init(parley_tool_t *tool, const char *option,
    parley_message_t *m)
{
    parley_error_t  err;

    memset(m, 0, sizeof(parley_message_t));

    if (tool_option_proto(tool, option, &m->proto) != 0) {
        return -1;
    }

    parley_error_clear(&err);

    m->engine = parley_engine_create(&parley_mem_libc, &err);

    if (m->engine == NULL) {
        tool_say_error("schemas", &err);
        return -1;
    }

    return 0;
}


void
tool_message_free(parley_message_t *m)
{
    if (m->engine != NULL) {
        parley_engine_destroy(m->engine);
    }
}


int
tool_message_read(parley_tool_t *tool, parley_input_t *in,
    parley_json_t *doc)
{
    return parley_json_read(doc, in->arena, &tool->limits, tool->seed,
                            in->text, &in->err);
}


int
tool_message_decode(parley_tool_t *tool, parley_input_t *in,
    parley_message_t *m)
{
    parley_proto_t  proto;

    if (tool_message_read(tool, in, &m->doc) != 0) {
        return -1;
    }

    proto = m->proto;

    if (proto == PARLEY_PROTO_NONE) {
        proto = parley_detect(&m->doc, PARLEY_PROTO_ALL);
    }

    if (proto == PARLEY_PROTO_NONE) {
        return parley_error_set(&in->err, PARLEY_E_PROTOCOL_UNSUPPORTED,
                                NULL, "the message is not of a known protocol");
    }

    return parley_decode(m->engine, in->arena, proto, &m->doc, m->partial,
                         &m->msg, &in->err);
}


int
tool_message_file(parley_tool_t *tool, const parley_engine_t *engine,
    const char *path, const parley_msg_t **ret)
{
    parley_str_t     text;
    parley_msg_t    *msg;
    parley_json_t   *doc;
    parley_proto_t   proto;
    parley_error_t   err;

    *ret = NULL;

    if (path == NULL) {
        return 0;
    }

    msg = parley_arena_alloc(&tool->arena, sizeof(parley_msg_t));
    doc = parley_arena_alloc(&tool->arena, sizeof(parley_json_t));

    if (msg == NULL || doc == NULL) {
        tool_say("out of memory");
        return -1;
    }

    if (tool_file_whole(tool, path, tool->limits.octets, &text) != 0) {
        return -1;
    }

    parley_error_clear(&err);

    if (parley_json_read(doc, &tool->arena, &tool->limits, tool->seed, text,
                         &err)
        != 0)
    {
        tool_say_error(path, &err);
        return -1;
    }

    proto = parley_detect(doc, PARLEY_PROTO_ALL);

    if (proto == PARLEY_PROTO_NONE) {
        tool_say("%s: the message is not of a known protocol", path);
        return -1;
    }

    if (parley_decode(engine, &tool->arena, proto, doc, 0, msg, &err) != 0) {
        tool_say_error(path, &err);
        return -1;
    }

    *ret = msg;

    return 0;
}


int
tool_message_trace(parley_tool_t *tool, parley_encode_opts_t *opts)
{
    const char  *value;

    value = tool_option(tool, "traceparent");

    if (value == NULL
        || parley_traceparent_parse(parley_str_c(value), &opts->trace_id,
                                    &opts->span_id)
           == 0)
    {
        return 0;
    }

    (void) tool_say_usage(tool,
                          "--traceparent: \"%s\" is not a traceparent of "
                          "version 00", value);
    return -1;
}
