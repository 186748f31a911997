/* parley frame: encodes and decodes frames of Agent Protocol over MoQ. */

#include <stdio.h>
#include <string.h>

#include "core/parley_base64.h"
#include "tools/parley_chunks.h"
#include "tools/parley_tool.h"


#define PARLEY_FRAMES_MAX  (256u << 20)     /* octets of the input */


static int tool_frame_encode_run(parley_tool_t *tool);
static int tool_frame_header(parley_tool_t *tool, parley_moq_frame_t *ret);
static int tool_frame_session(const char *text, uint64_t *ret);
static int tool_frame_write(parley_tool_t *tool,
    const parley_moq_frame_t *frame);
static int tool_frame_decode_run(parley_tool_t *tool);
static int tool_frame_decode_file(parley_tool_t *tool, const char *path);
static int tool_frame_decode(parley_str_t octets, const char *source,
    parley_chunks_t *join);
static int tool_frame_print(const parley_moq_frame_t *frame);
static void tool_frame_print_payload(parley_buf_t *b,
    const parley_moq_frame_t *frame, parley_arena_t *arena);


static const struct {
    const char  *name;
    uint8_t      flag;
} parley_frame_flags[] = {
    { "compressed", PARLEY_MOQ_COMPRESSED },
    { "encrypted", PARLEY_MOQ_ENCRYPTED },
    { "fragmented", PARLEY_MOQ_FRAGMENTED },
};

#define PARLEY_FRAME_FLAGS                                                    \
    (sizeof(parley_frame_flags) / sizeof(parley_frame_flags[0]))


static const parley_option_t  parley_frame_encode_options[] = {
    { "type", 't', "T", "cmd, data, stream or heartbeat", 0 },
    { "session", 's', "HEX", "the Session ID, 1 to 16 hex digits (default "
      "0)", 0 },
    { "stream", 0, "N", "the Stream ID (default 0)", 0 },
    { "fragmented", 0, NULL, "the last chunk is marked too: more of the\n"
      "payload will follow", 0 },
    { "compressed", 0, NULL, "the payload is compressed (it is not done\n"
      "here)", 0 },
    { "encrypted", 0, NULL, "the payload is encrypted (it is not done here)",
      0 },
    tool_option_end
};


static const parley_option_t  parley_frame_decode_options[] = {
    { "join", 'j', NULL,
    "prints whole payloads: joins chunks by Session ID\nand Stream ID, and "
    "checks them against their CMD", 0 },
    tool_option_end
};


const parley_command_t  parley_cmd_frame_encode = {
    .name = "frame encode",
    .operands = "[FILE]",
    .max = 1,
    .summary = "Puts octets into frames of Agent Protocol over MoQ",
    .text = "The payload is FILE, or standard input; above 1400 octets it "
            "becomes several\nframes.  A heartbeat has none, and nothing is "
            "read.  The frames go to standard\noutput as they are sent.\n",
    .options = parley_frame_encode_options,
    .run = tool_frame_encode_run
};


const parley_command_t  parley_cmd_frame_decode = {
    .name = "frame decode",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Prints frames of Agent Protocol over MoQ",
    .text = "Each frame is one line of JSON: type, session, stream, flags, "
            "length, and its\npayload as \"payload\" where it is a CMD in "
            "UTF-8, else as \"payload_base64\".\nAn invalid frame goes to "
            "standard error with its place and ends the input.  With\n--join, "
            "so does an invalid payload.\n",
    .options = parley_frame_decode_options,
    .run = tool_frame_decode_run
};


static int
tool_frame_encode_run(parley_tool_t *tool)
{
    const char          *path;
    parley_moq_frame_t   frame;

    if (tool_frame_header(tool, &frame) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    if (frame.type == PARLEY_MOQ_HEARTBEAT) {

        if (tool->noperands > 0) {
            return tool_say_usage(tool, "a heartbeat has no payload");
        }

        return tool_frame_write(tool, &frame);
    }

    path = tool->noperands > 0 ? tool->operands[0] : "-";

    if (tool_file_whole(tool, path, PARLEY_FRAMES_MAX, &frame.payload)
        != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    return tool_frame_write(tool, &frame);
}


static int
tool_frame_header(parley_tool_t *tool, parley_moq_frame_t *ret)
{
    size_t       i;
    int64_t      stream;
    const char  *type, *session, *value;

    memset(ret, 0, sizeof(parley_moq_frame_t));

    if (tool_option_required(tool, "type", &type) != 0) {
        return -1;
    }

    if (parley_moq_type_find(parley_str_c(type), &ret->type) != 0) {
        tool_say_usage(tool, "--type is cmd, data, stream or heartbeat, "
                       "not \"%s\"", type);
        return -1;
    }

    session = tool_option(tool, "session");

    if (session != NULL && tool_frame_session(session, &ret->session) != 0)
    {
        tool_say_usage(tool, "--session: \"%s\" is not 1 to 16 hex digits",
                       session);
        return -1;
    }

    stream = 0;
    value = tool_option(tool, "stream");

    if (value != NULL
        && tool_option_integer("stream", value, 0, UINT32_MAX, &stream)
           != 0)
    {
        return -1;
    }

    ret->stream = (uint32_t) stream;

    for (i = 0; i < PARLEY_FRAME_FLAGS; i++) {
        if (tool_option(tool, parley_frame_flags[i].name) != NULL) {
            ret->flags |= parley_frame_flags[i].flag;
        }
    }

    return 0;
}


static int
tool_frame_session(const char *text, uint64_t *ret)
{
    char    whole[2 * PARLEY_MOQ_SESSION_LEN + 1];
    size_t  len;

    len = strlen(text);

    if (len == 0 || len >= sizeof(whole)) {
        return -1;
    }

    memset(whole, '0', sizeof(whole));
    memcpy(whole + sizeof(whole) - 1 - len, text, len + 1);

    return parley_moq_session_read(parley_str_c(whole), ret);
}


static int
tool_frame_write(parley_tool_t *tool, const parley_moq_frame_t *frame)
{
    parley_buf_t        b;
    parley_str_t        octets;
    parley_moq_frame_t  part;
    parley_moq_split_t  s;

    parley_buf_init(&b, &tool->arena, frame->payload.len
                                      + 2 * PARLEY_MOQ_HEADER_LEN);

    parley_moq_split_init(&s, frame);

    while (parley_moq_split_next(&s, &part)) {
        parley_moq_frame_write(&b, &part);
    }

    if (parley_buf_done(&b, &octets) != 0) {
        tool_say("out of memory");
        return PARLEY_EXIT_USAGE;
    }

    tool_output(octets);

    return PARLEY_EXIT_OK;
}


static int
tool_frame_decode_run(parley_tool_t *tool)
{
    int     status, worst;
    size_t  i;

    if (tool->noperands == 0) {
        return tool_frame_decode_file(tool, "-");
    }

    worst = PARLEY_EXIT_OK;

    for (i = 0; i < tool->noperands; i++) {
        status = tool_frame_decode_file(tool, tool->operands[i]);
        worst = status > worst ? status : worst;
    }

    return worst;
}


static int
tool_frame_decode_file(parley_tool_t *tool, const char *path)
{
    int              status;
    uint32_t         rest;
    parley_str_t     octets;
    parley_chunks_t  join;

    if (tool_file_whole(tool, path, PARLEY_FRAMES_MAX, &octets) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    if (tool_chunks_begin(&join, tool_option(tool, "join") != NULL) != 0) {
        tool_say("out of memory");
        return PARLEY_EXIT_USAGE;
    }

    if (strcmp(path, "-") == 0) {
        path = "stdin";
    }

    status = tool_frame_decode(octets, path, &join);
    rest = tool_chunks_end(&join);

    if (status == PARLEY_EXIT_OK && rest > 0) {
        tool_say("%s: %lu payloads are not whole", path,
                 (unsigned long) rest);
        status = PARLEY_EXIT_INVALID;
    }

    return status;
}


static int
tool_frame_decode(parley_str_t octets, const char *source,
    parley_chunks_t *join)
{
    int                  rc;
    size_t               at, used;
    parley_error_t       err;
    parley_moq_frame_t   frame, whole;

    for (at = 0; at < octets.len; at += used) {

        parley_error_clear(&err);

        rc = parley_moq_frame_read(parley_str_from(octets, at), UINT32_MAX,
                                   &frame, &used, &err);
        if (rc != 0) {
            err.offset += at;

        } else {
            rc = tool_chunks(join, &frame, &whole, &err);

            if (rc == 0) {
                continue;
            }

            if (rc < 0) {
                err.offset = at;
            }
        }

        if (rc < 0) {
            tool_say_error(source, &err);
            return PARLEY_EXIT_INVALID;
        }

        if (tool_frame_print(&whole) != 0) {
            tool_say("out of memory");
            return PARLEY_EXIT_USAGE;
        }
    }

    return PARLEY_EXIT_OK;
}


static int
tool_frame_print(const parley_moq_frame_t *frame)
{
    int             rc, comma;
    char            session[2 * PARLEY_MOQ_SESSION_LEN + 1];
    size_t          i;
    parley_buf_t    b;
    parley_str_t    line;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 2 * frame->payload.len + 256);

    parley_moq_session_write(frame->session, session);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("type"),
                      parley_moq_type_name(frame->type));
    parley_buf_member(&b, PARLEY_STR("session"), parley_str_c(session));
    parley_buf_name(&b, PARLEY_STR("stream"));
    parley_buf_int(&b, frame->stream);
    parley_buf_name(&b, PARLEY_STR("flags"));
    parley_buf_octet(&b, '[');

    comma = 0;

    for (i = 0; i < PARLEY_FRAME_FLAGS; i++) {

        if (!(frame->flags & parley_frame_flags[i].flag)) {
            continue;
        }

        if (comma) {
            parley_buf_octet(&b, ',');
        }

        comma = 1;
        parley_buf_json_string(&b, parley_str_c(parley_frame_flags[i].name));
    }

    parley_buf_octet(&b, ']');
    parley_buf_name(&b, PARLEY_STR("length"));
    parley_buf_int(&b, (int64_t) frame->payload.len);

    tool_frame_print_payload(&b, frame, &arena);

    parley_buf_octet(&b, '}');

    rc = parley_buf_done(&b, &line);

    if (rc == 0) {
        tool_output_json(line);
    }

    parley_arena_reset(&arena);

    return rc;
}


static void
tool_frame_print_payload(parley_buf_t *b, const parley_moq_frame_t *frame,
    parley_arena_t *arena)
{
    char    *text;
    size_t   len;

    if (frame->type == PARLEY_MOQ_HEARTBEAT) {
        return;
    }

    if (frame->type == PARLEY_MOQ_CMD
        && !(frame->flags & (PARLEY_MOQ_COMPRESSED | PARLEY_MOQ_ENCRYPTED))
        && tool_show_is_text(frame->payload))
    {
        parley_buf_member(b, PARLEY_STR("payload"), frame->payload);
        return;
    }

    text = (char *) parley_arena_octets(arena,
                              PARLEY_BASE64_ENCODED(frame->payload.len));
    if (text == NULL) {
        b->failed = 1;
        return;
    }

    len = parley_base64_encode(frame->payload, text);

    parley_buf_member(b, PARLEY_STR("payload_base64"),
                      parley_str_make(text, len));
}
