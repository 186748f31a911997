/* parley moq: decodes and encodes control messages and data streams. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "moqt/parley_moqt_control.h"
#include "tools/parley_moq.h"
#include "tools/parley_tool.h"


#define PARLEY_MOQ_INPUT_MAX  (256u << 20)  /* octets */


/* lines of "moq encode" */
typedef struct {
    const parley_moqt_draft_t  *draft;
    parley_moqt_data_writer_t   writer;
    unsigned                    stream:1;   /* the writer has begun */
} parley_moq_lines_t;


static int tool_moq_decode_run(parley_tool_t *tool);
static int tool_moq_choose(parley_tool_t *tool, unsigned *ret_on,
    parley_moqt_role_t *ret_from);
static int tool_moq_control(parley_str_t octets, const char *source,
    parley_moqt_role_t from, unsigned on);
static int tool_moq_data(parley_str_t octets, const char *source);
static int tool_moq_fault(const char *source,
    const parley_moqt_fault_t *fault, uint64_t at);
static int tool_moq_print(parley_buf_t *b);
static int tool_moq_encode_run(parley_tool_t *tool);
static int tool_moq_encode_file(parley_tool_t *tool, const char *path,
    parley_moq_lines_t *lines);
static int tool_moq_encode(parley_moq_lines_t *lines,
    const parley_json_t *doc, parley_arena_t *arena, parley_error_t *err);
static int tool_moq_encode_object(parley_moq_lines_t *lines,
    const parley_json_t *doc, parley_arena_t *arena, parley_buf_t *b,
    parley_error_t *err);


/* kinds of streams; 0 is a data stream */
static const struct {
    const char  *name;
    unsigned     on;
} parley_moq_streams[] = {
    { "control", PARLEY_MOQT_ON_CONTROL },
    { "request", PARLEY_MOQT_ON_REQUEST },
    { "response", PARLEY_MOQT_ON_RESPONSE },
    { "data", 0 },
};

#define PARLEY_MOQ_STREAMS                                                    \
    (sizeof(parley_moq_streams) / sizeof(parley_moq_streams[0]))


/* of a line, which has the payload of an object */
static const parley_json_limits_t  parley_moq_limits = {
    .octets = PARLEY_MOQ_INPUT_MAX, .depth = 8,
    .string = PARLEY_MOQ_INPUT_MAX, .members = 65536
};


static const parley_option_t  parley_moq_decode_options[] = {
    { "stream", 's', "KIND", "control (default), request (a stream of\n"
      "SUBSCRIBE_NAMESPACE), response (its other direction)\nor data", 0 },
    { "from", 'f', "ROLE", "the sender: client (default) or server", 0 },
    tool_option_end
};

static const parley_option_t  parley_moq_encode_options[] = {
    tool_option_end
};


const parley_command_t  parley_cmd_moq_decode = {
    .name = "moq decode",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Prints messages and objects of MoQ Transport (draft 16)",
    .text = "Each FILE is one direction of one stream.  Each message, header "
            "of a stream and\nobject is one line of JSON, whose members have "
            "the names of the draft.\nNamespaces and names of tracks are in "
            "the safe form of the draft: \".2e\" is a\nfull stop.  A "
            "violation goes to standard error with the code with which a\n"
            "session ends, and ends the input.\n",
    .options = parley_moq_decode_options,
    .run = tool_moq_decode_run
};


const parley_command_t  parley_cmd_moq_encode = {
    .name = "moq encode",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Writes messages and objects of MoQ Transport (draft 16)",
    .text = "Each line of the input is a message, a header of a stream or an "
            "object, as\n\"moq decode\" prints them.  Their octets go to "
            "standard output, with the shortest\nintegers.\n",
    .options = parley_moq_encode_options,
    .run = tool_moq_encode_run
};


static int
tool_moq_decode_run(parley_tool_t *tool)
{
    int                  status, worst;
    size_t               i;
    unsigned             on;
    const char          *path;
    parley_str_t         octets;
    parley_moqt_role_t   from;

    if (tool_moq_choose(tool, &on, &from) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    worst = PARLEY_EXIT_OK;

    for (i = 0; i == 0 || i < tool->noperands; i++) {
        path = tool->noperands > 0 ? tool->operands[i] : "-";

        if (tool_file_whole(tool, path, PARLEY_MOQ_INPUT_MAX, &octets) != 0) {
            worst = PARLEY_EXIT_USAGE;
            continue;
        }

        if (strcmp(path, "-") == 0) {
            path = "stdin";
        }

        status = on != 0 ? tool_moq_control(octets, path, from, on)
                         : tool_moq_data(octets, path);
        worst = status > worst ? status : worst;
    }

    return worst;
}


static int
tool_moq_choose(parley_tool_t *tool, unsigned *ret_on,
    parley_moqt_role_t *ret_from)
{
    size_t       i;
    const char  *stream, *from;

    stream = tool_option(tool, "stream");
    from = tool_option(tool, "from");

    stream = stream != NULL ? stream : "control";
    from = from != NULL ? from : "client";

    for (i = 0; i < PARLEY_MOQ_STREAMS; i++) {
        if (strcmp(stream, parley_moq_streams[i].name) == 0) {
            break;
        }
    }

    if (i == PARLEY_MOQ_STREAMS) {
        tool_say_usage(tool, "--stream is control, request, response or data, "
                       "not \"%s\"", stream);
        return -1;
    }

    *ret_on = parley_moq_streams[i].on;

    if (strcmp(from, "client") != 0 && strcmp(from, "server") != 0) {
        tool_say_usage(tool, "--from is client or server, not \"%s\"", from);
        return -1;
    }

    *ret_from = from[0] == 'c' ? PARLEY_MOQT_CLIENT : PARLEY_MOQT_SERVER;

    return 0;
}


static int
tool_moq_control(parley_str_t octets, const char *source,
    parley_moqt_role_t from, unsigned on)
{
    int                    rc, status;
    uint64_t               at;
    parley_buf_t           b;
    parley_str_t           in;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_moqt_control_init(&c, &parley_moqt_draft_16, &parley_mem_libc,
                             from, on);
    status = PARLEY_EXIT_OK;
    in = octets;

    do {
        at = octets.len - in.len;
        rc = parley_moqt_control_next(&c, &in, &m, &fault);

        if (rc == 1) {
            parley_buf_init(&b, &arena, 0);
            tool_moq_show_message(&b, c.draft, &m);
            status = tool_moq_print(&b);
            parley_arena_reset(&arena);
        }

    } while (rc == 1 && status == PARLEY_EXIT_OK);

    if (rc < 0) {
        status = tool_moq_fault(source, &fault, at);

    } else if (parley_moqt_control_partial(&c)) {
        tool_say("%s: the last message is not whole (at octet %" PRIu64 ")",
                 source, at);
        status = PARLEY_EXIT_INVALID;
    }

    parley_moqt_control_free(&c);
    parley_arena_reset(&arena);

    return status;
}


static int
tool_moq_data(parley_str_t octets, const char *source)
{
    int                  rc, status;
    parley_buf_t         b;
    parley_str_t         payload;
    parley_arena_t       arena;
    parley_moqt_data_t   d;
    parley_moqt_fault_t  fault;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_moqt_data_init(&d, &parley_moqt_draft_16, &parley_mem_libc);
    status = PARLEY_EXIT_OK;

    do {
        rc = parley_moqt_data_next(&d, &octets, &payload, &fault);

        /* the payload is whole, unless the stream ends in it */

        if (rc > 0 && d.left == 0) {
            parley_buf_init(&b, &arena, 0);

            if (rc == PARLEY_MOQT_DATA_STREAM) {
                tool_moq_show_stream(&b, &d.stream);

            } else {
                tool_moq_show_object(&b, d.draft, &d.stream, &d.object,
                                     payload);
            }

            status = tool_moq_print(&b);
            parley_arena_reset(&arena);
        }

    } while (rc > 0 && status == PARLEY_EXIT_OK);

    if (rc < 0 || parley_moqt_data_end(&d, &fault) != 0) {
        status = tool_moq_fault(source, &fault, 0);
    }

    parley_moqt_data_free(&d);
    parley_arena_reset(&arena);

    return status;
}


/* Prints a fault of a message that begins at this octet. */

static int
tool_moq_fault(const char *source, const parley_moqt_fault_t *fault,
    uint64_t at)
{
    char  line[PARLEY_MOQT_LINE_MAX];

    (void) parley_moqt_fault_line(fault, line);

    tool_say("%s: %s: %s (at octet %" PRIu64 ")", source,
             parley_moqt_code_name(fault->code), line, at + fault->offset);

    return PARLEY_EXIT_INVALID;
}


static int
tool_moq_print(parley_buf_t *b)
{
    parley_str_t  line;

    if (parley_buf_done(b, &line) != 0) {
        tool_say("out of memory");
        return PARLEY_EXIT_USAGE;
    }

    tool_output_json(line);

    return PARLEY_EXIT_OK;
}


static int
tool_moq_encode_run(parley_tool_t *tool)
{
    int                 status, worst;
    size_t              i;
    parley_moq_lines_t  lines;

    memset(&lines, 0, sizeof(parley_moq_lines_t));

    lines.draft = &parley_moqt_draft_16;
    worst = PARLEY_EXIT_OK;

    for (i = 0; i == 0 || i < tool->noperands; i++) {
        status = tool_moq_encode_file(tool, tool->noperands > 0
                                            ? tool->operands[i] : "-", &lines);
        worst = status > worst ? status : worst;
    }

    return worst;
}


/* Encodes the lines of a file up to the first bad line. */

static int
tool_moq_encode_file(parley_tool_t *tool, const char *path,
    parley_moq_lines_t *lines)
{
    char             source[512];
    size_t           n;
    parley_str_t     rest, line;
    parley_json_t    doc;
    parley_arena_t   arena;
    parley_error_t   err;

    if (tool_file_whole(tool, path, PARLEY_MOQ_INPUT_MAX, &rest) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (n = 1; rest.len > 0; n++) {
        line = parley_str_until(rest, '\n');
        rest = parley_str_from(rest, line.len + 1);

        parley_error_clear(&err);

        if (parley_json_read(&doc, &arena, &parley_moq_limits, tool->seed,
                             line, &err) != 0
            || tool_moq_encode(lines, &doc, &arena, &err) != 0)
        {
            (void) snprintf(source, sizeof(source), "%s: line %zu",
                            strcmp(path, "-") == 0 ? "stdin" : path, n);
            tool_say_error(source, &err);
            parley_arena_reset(&arena);

            return PARLEY_EXIT_INVALID;
        }

        parley_arena_reset(&arena);
    }

    return PARLEY_EXIT_OK;
}


static int
tool_moq_encode(parley_moq_lines_t *lines, const parley_json_t *doc,
    parley_arena_t *arena, parley_error_t *err)
{
    char                   member[PARLEY_MOQ_MEMBER_MAX];
    parley_buf_t           b;
    parley_str_t           octets;
    parley_moqt_fault_t    fault;
    parley_moqt_stream_t   stream;
    parley_moqt_message_t  m;

    parley_buf_init(&b, arena, 0);

    if (parley_json_get(doc, 0, PARLEY_STR("message")) != PARLEY_JSON_NONE) {

        if (tool_moq_read_message(doc, arena, lines->draft, &m, err) != 0) {
            return -1;
        }

        if (parley_moqt_message_write(lines->draft, &b, &m, &fault) != 0) {
            tool_moq_member(fault.member, member);
            return tool_moq_error(err, PARLEY_E_FIELD_INVALID, member,
                                  fault.text);
        }

    } else if (parley_json_get(doc, 0, PARLEY_STR("stream"))
               != PARLEY_JSON_NONE)
    {
        if (tool_moq_read_stream(doc, &stream, err) != 0) {
            return -1;
        }

        if (parley_moqt_data_write(&lines->writer, lines->draft, &b, &stream)
            != 0)
        {
            return tool_moq_error(err, PARLEY_E_FIELD_INVALID, "stream",
                                  "a number is too large");
        }

        lines->stream = 1;

    } else if (tool_moq_encode_object(lines, doc, arena, &b, err) != 0) {
        return -1;
    }

    if (parley_buf_done(&b, &octets) != 0) {
        return parley_error_memory(err);
    }

    tool_output(octets);

    return 0;
}


static int
tool_moq_encode_object(parley_moq_lines_t *lines, const parley_json_t *doc,
    parley_arena_t *arena, parley_buf_t *b, parley_error_t *err)
{
    parley_str_t          payload;
    parley_moqt_object_t  object;

    if (parley_json_get(doc, 0, PARLEY_STR("object")) == PARLEY_JSON_NONE) {
        return tool_moq_error(err, PARLEY_E_KIND_UNKNOWN, "",
                              "the line is not a message, stream or object");
    }

    if (!lines->stream) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, "object",
                              "no stream came before");
    }

    if (tool_moq_read_object(doc, arena, lines->draft, &lines->writer.stream,
                             &object, &payload, err) != 0)
    {
        return -1;
    }

    if (parley_moqt_object_write(&lines->writer, b, &object) != 0) {
        return tool_moq_error(err, PARLEY_E_FIELD_INVALID, "object",
                              "it cannot follow the object before, or is not "
                              "possible on this stream");
    }

    parley_buf_str(b, payload);

    return 0;
}
