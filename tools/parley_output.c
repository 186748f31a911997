/* Standard output. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/parley_tool.h"


void
tool_output(parley_str_t s)
{
    (void) fwrite(s.data, 1, s.len, stdout);
}


void
tool_output_json(parley_str_t s)
{
    tool_show_json(stdout, s);
    (void) putc('\n', stdout);
}


void
tool_output_line(parley_str_t s)
{
    tool_output(s);
    (void) putc('\n', stdout);
}


/* The reader's limit of depth bounds the recursion. */
void
tool_output_pretty(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node, unsigned depth)
{
    uint32_t            i, first;
    unsigned            n, object;
    parley_json_type_t  type;

    type = parley_json_type(doc, node);

    if ((type != PARLEY_JSON_OBJECT && type != PARLEY_JSON_ARRAY)
        || parley_json_node(doc, node)->count == 0)
    {
        if (type == PARLEY_JSON_OBJECT) {
            parley_buf_lit(b, "{}");

        } else if (type == PARLEY_JSON_ARRAY) {
            parley_buf_lit(b, "[]");

        } else {
            parley_buf_str(b, parley_json_raw(doc, node));
        }

        return;
    }

    object = (type == PARLEY_JSON_OBJECT);
    first = parley_json_first(node);

    parley_buf_octet(b, object ? '{' : '[');

    for (i = first; i != parley_json_end(doc, node);
         i = parley_json_after(doc, i))
    {
        if (i != first) {
            parley_buf_octet(b, ',');
        }

        parley_buf_octet(b, '\n');

        for (n = 0; n <= depth; n++) {
            parley_buf_lit(b, "  ");
        }

        if (object) {
            parley_buf_str(b, parley_json_raw(doc, i));
            parley_buf_lit(b, ": ");
            i++;
        }

        tool_output_pretty(b, doc, i, depth + 1);
    }

    parley_buf_octet(b, '\n');

    for (n = 0; n < depth; n++) {
        parley_buf_lit(b, "  ");
    }

    parley_buf_octet(b, object ? '}' : ']');
}


void
tool_output_begin(parley_buf_t *b, const parley_input_t *in, int ok)
{
    parley_buf_init(b, in->arena, 512);

    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("source"), parley_str_c(in->name));

    if (in->line > 0) {
        parley_buf_name(b, PARLEY_STR("line"));
        parley_buf_int(b, (int64_t) in->line);
    }

    parley_buf_name(b, PARLEY_STR("ok"));

    if (ok) {
        parley_buf_lit(b, "true");

    } else {
        parley_buf_lit(b, "false");
    }
}


void
tool_output_end(parley_buf_t *b)
{
    parley_str_t  s;

    parley_buf_octet(b, '}');

    if (parley_buf_done(b, &s) != 0) {
        tool_say("out of memory");
        return;
    }

    tool_output_json(s);
}


int
tool_output_error(const parley_tool_t *tool, parley_input_t *in)
{
    char                   source[1024];
    parley_buf_t           b;
    const parley_error_t  *err = &in->err;

    if (!tool->json) {

        if (in->line > 0) {
            (void) snprintf(source, sizeof(source), "%s:%zu", in->name,
                            in->line);
            tool_say_error(source, err);

        } else {
            tool_say_error(in->name, err);
        }

        return PARLEY_EXIT_INVALID;
    }

    tool_output_begin(&b, in, 0);
    parley_buf_member(&b, PARLEY_STR("code"),
                      parley_error_info(err->code)->word);

    if (err->field[0] != '\0') {
        parley_buf_member(&b, PARLEY_STR("field"), parley_str_c(err->field));
    }

    if (err->offset != PARLEY_NO_OFFSET) {
        parley_buf_name(&b, PARLEY_STR("offset"));
        parley_buf_int(&b, (int64_t) err->offset);
    }

    parley_buf_member(&b, PARLEY_STR("message"), parley_str_c(err->text));
    tool_output_end(&b);

    return PARLEY_EXIT_INVALID;
}


int
tool_output_finish(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        tool_say("standard output: %s", strerror(errno));
        return PARLEY_EXIT_USAGE;
    }

    return 0;
}
