/*
 * W3C Trace Context: writes version 00, and reads later versions by their first
 * four fields, as section 4.3 of the recommendation requires.
 */

#include "core/parley_buf.h"
#include "translate/parley_engine.h"


#define PARLEY_TRACE_ID_LEN  32
#define PARLEY_SPAN_ID_LEN   16
#define PARLEY_TRACE_LEN     55     /* 00-<32>-<16>-<2> */


static int parley_trace_is_hex(parley_str_t s);
static int parley_trace_is_id(parley_str_t s, size_t len);


int
parley_traceparent_parse(parley_str_t header, parley_str_t *ret_trace_id,
    parley_str_t *ret_span_id)
{
    const uint8_t  *p;
    parley_str_t    trace_id, span_id;

    *ret_trace_id = parley_str_none;
    *ret_span_id = parley_str_none;

    p = header.data;

    if (header.len < PARLEY_TRACE_LEN
        || p[2] != '-' || p[35] != '-' || p[52] != '-'
        || !parley_trace_is_hex(parley_str_make(p, 2))
        || !parley_trace_is_hex(parley_str_make(p + 53, 2))
        || memcmp(p, "ff", 2) == 0)
    {
        return -1;
    }

    if (header.len > PARLEY_TRACE_LEN
        && (memcmp(p, "00", 2) == 0 || p[PARLEY_TRACE_LEN] != '-'))
    {
        return -1;
    }

    trace_id = parley_str_make(p + 3, PARLEY_TRACE_ID_LEN);
    span_id = parley_str_make(p + 36, PARLEY_SPAN_ID_LEN);

    if (!parley_trace_is_valid(trace_id, span_id)) {
        return -1;
    }

    *ret_trace_id = trace_id;
    *ret_span_id = span_id;

    return 0;
}


int
parley_traceparent_format(parley_arena_t *arena, parley_str_t trace_id,
    parley_str_t span_id, parley_str_t *ret)
{
    parley_buf_t  b;

    *ret = parley_str_none;

    if (!parley_trace_is_valid(trace_id, span_id)) {
        return -1;
    }

    parley_buf_init(&b, arena, PARLEY_TRACE_LEN + 1);
    parley_buf_lit(&b, "00-");
    parley_buf_str(&b, trace_id);
    parley_buf_octet(&b, '-');
    parley_buf_str(&b, span_id);
    parley_buf_lit(&b, "-01");

    return parley_buf_done(&b, ret);
}


int
parley_trace_is_valid(parley_str_t trace_id, parley_str_t span_id)
{
    return parley_trace_is_id(trace_id, PARLEY_TRACE_ID_LEN)
           && parley_trace_is_id(span_id, PARLEY_SPAN_ID_LEN);
}


static int
parley_trace_is_id(parley_str_t s, size_t len)
{
    size_t  i;

    if (s.len != len || !parley_trace_is_hex(s)) {
        return 0;
    }

    for (i = 0; i < len; i++) {
        if (s.data[i] != '0') {
            return 1;
        }
    }

    /* all zeros: the recommendation's "no trace" */

    return 0;
}


static int
parley_trace_is_hex(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            return 0;
        }
    }

    return 1;
}
