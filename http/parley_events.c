#include "http/parley_events.h"


#define PARLEY_EVENTS_CR  0x0d
#define PARLEY_EVENTS_LF  0x0a


static int parley_events_mark(parley_events_t *e, parley_str_t *in,
    parley_error_t *err);
static int parley_events_line(parley_events_t *e, parley_str_t *in,
    parley_str_t *ret, parley_error_t *err);
static int parley_events_take(parley_events_t *e, parley_str_t line,
    parley_event_t *ret, parley_error_t *err);
static int parley_events_dispatch(parley_events_t *e, parley_event_t *ret);
static int parley_events_field(parley_events_t *e, parley_str_t name,
    parley_str_t value, parley_error_t *err);
static int parley_events_other(parley_events_t *e, parley_str_t name,
    parley_error_t *err);
static int parley_events_data(parley_events_t *e, parley_str_t value,
    parley_error_t *err);
static int parley_events_is_number(parley_str_t s);
static void parley_events_next(parley_events_t *e);
static int parley_events_append(parley_events_t *e,
    parley_events_text_t *text, parley_str_t s, parley_error_t *err);
static void parley_events_drop(parley_events_t *e,
    parley_events_text_t *text);
static void parley_events_write_lines(parley_buf_t *b, parley_str_t data);
static const uint8_t *parley_events_line_end(const uint8_t *p,
    const uint8_t *last);


static const uint8_t  parley_events_bom[3] = { 0xef, 0xbb, 0xbf };


void
parley_events_init(parley_events_t *e, const parley_mem_t *mem, size_t limit)
{
    memset(e, 0, sizeof(parley_events_t));

    e->mem = *mem;
    e->limit = limit;
}


void
parley_events_free(parley_events_t *e)
{
    parley_events_drop(e, &e->line);
    parley_events_drop(e, &e->data);
}


int
parley_events_read(parley_events_t *e, parley_str_t *in, parley_event_t *ret,
    parley_error_t *err)
{
    int           rc;
    parley_str_t  line;

    memset(ret, 0, sizeof(parley_event_t));

    if (e->told != PARLEY_EVENTS_MORE) {
        parley_events_next(e);
    }

    if (!e->begun && parley_events_mark(e, in, err) != 0) {
        return -1;
    }

    while (in->len > 0) {
        rc = parley_events_line(e, in, &line, err);

        if (rc <= 0) {
            return rc;
        }

        rc = parley_events_take(e, line, ret, err);

        if (rc < 0) {
            return -1;
        }

        e->told = (parley_events_kind_t) rc;

        if (rc != PARLEY_EVENTS_MORE) {
            return rc;
        }

        e->line.len = 0;
    }

    return PARLEY_EVENTS_MORE;
}


/*
 * Skips a byte order mark at the beginning of the stream, which may come in
 * pieces.
 */

static int
parley_events_mark(parley_events_t *e, parley_str_t *in, parley_error_t *err)
{
    while (in->len > 0 && e->mark < sizeof(parley_events_bom)) {

        if (in->data[0] != parley_events_bom[e->mark]) {
            e->begun = 1;

            /* not a mark after all: the octets belong to the first line */

            return parley_events_append(e, &e->line,
                                        parley_str_make(parley_events_bom,
                                                        e->mark), err);
        }

        *in = parley_str_from(*in, 1);
        e->mark++;
    }

    e->begun = e->mark == sizeof(parley_events_bom);

    return 0;
}


/*
 * Takes the next line, without its end.  Returns 1 with *ret, 0 if the line is
 * not complete yet, or -1.  A line within one piece is not copied.
 */

static int
parley_events_line(parley_events_t *e, parley_str_t *in, parley_str_t *ret,
    parley_error_t *err)
{
    size_t          n;
    const uint8_t  *end;
    parley_str_t    piece;

    if (e->cr) {
        e->cr = 0;

        if (in->data[0] == PARLEY_EVENTS_LF) {
            *in = parley_str_from(*in, 1);
        }
    }

    end = parley_events_line_end(in->data, in->data + in->len);
    n = (size_t) (end - in->data);

    if (n > e->limit) {
        n = e->limit + 1;
    }

    piece = parley_str_make(in->data, n);

    if (n == in->len || n > e->limit || e->line.len > 0) {

        if (parley_events_append(e, &e->line, piece, err) != 0) {
            return -1;
        }

        piece = parley_str_make(e->line.data, e->line.len);
    }

    if (n == in->len) {
        *in = parley_str_from(*in, n);
        return 0;
    }

    e->cr = *end == PARLEY_EVENTS_CR;
    *in = parley_str_from(*in, n + 1);
    *ret = piece;

    return 1;
}


/*
 * Handles one line.  Returns a parley_events_kind_t, MORE if the line does not
 * end an event, or -1.
 */

static int
parley_events_take(parley_events_t *e, parley_str_t line,
    parley_event_t *ret, parley_error_t *err)
{
    size_t          n;
    const uint8_t  *colon;
    parley_str_t    value;

    if (line.len == 0) {

        if (!e->has_data && !e->has_id && e->retry_len == 0) {
            e->name_len = 0;
            return PARLEY_EVENTS_MORE;
        }

        return parley_events_dispatch(e, ret);
    }

    colon = memchr(line.data, ':', line.len);

    if (colon == line.data) {
        e->any = 1;
        ret->data = memchr(line.data, '\0', line.len) == NULL
                    ? parley_str_from(line, 1) : parley_str_none;
        return PARLEY_EVENTS_COMMENT;
    }

    n = colon != NULL ? (size_t) (colon - line.data) : line.len;
    value = colon != NULL ? parley_str_from(line, n + 1) : parley_str_none;

    if (value.len > 0 && value.data[0] == ' ') {
        value = parley_str_from(value, 1);
    }

    return parley_events_field(e, parley_str_make(line.data, n), value, err);
}


static int
parley_events_dispatch(parley_events_t *e, parley_event_t *ret)
{
    e->any = 1;

    ret->has_data = e->has_data;
    ret->has_id = e->has_id;
    ret->data = parley_str_make(e->data.data, e->data.len);
    ret->name = parley_str_make(e->name, e->name_len);
    ret->id = parley_str_make(e->id, e->id_len);
    ret->retry = parley_str_make(e->retry, e->retry_len);

    return PARLEY_EVENTS_EVENT;
}


static int
parley_events_field(parley_events_t *e, parley_str_t name,
    parley_str_t value, parley_error_t *err)
{
    if (parley_str_is(name, "data")) {
        return parley_events_data(e, value, err);
    }

    if (parley_str_is(name, "event")) {

        /* a name with a zero octet is ignored: the writer could not repeat
           it */

        e->name_len = 0;

        if (value.len > 0 && value.len <= sizeof(e->name)
            && memchr(value.data, '\0', value.len) == NULL)
        {
            memcpy(e->name, value.data, value.len);
            e->name_len = (uint16_t) value.len;
        }

    } else if (parley_str_is(name, "id")) {

        if (value.len <= sizeof(e->id)
            && (value.len == 0
                || memchr(value.data, '\0', value.len) == NULL))
        {
            parley_octets_copy(e->id, value.data, value.len);
            e->id_len = (uint16_t) value.len;
            e->has_id = 1;
        }

    } else if (parley_str_is(name, "retry")) {

        if (value.len <= sizeof(e->retry) && parley_events_is_number(value)) {
            memcpy(e->retry, value.data, value.len);
            e->retry_len = (uint16_t) value.len;
        }

    } else {
        return parley_events_other(e, name, err);
    }

    return PARLEY_EVENTS_MORE;
}


/*
 * Handles a field that events do not define; HTML ignores it.  A line that
 * begins as JSON or a page does is an error: the stream is not an event stream,
 * or line breaks in data were not written as fields.
 */

static int
parley_events_other(parley_events_t *e, parley_str_t name, parley_error_t *err)
{
    size_t  i;

    e->strange = 1;

    for (i = 0; i < name.len && name.data[i] == ' '; i++) { /* void */ }

    if (i == name.len
        || (name.data[i] != '{' && name.data[i] != '[' && name.data[i] != '<'))
    {
        return PARLEY_EVENTS_MORE;
    }

    e->foreign = 1;

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "",
                            "the upstream's text/event-stream has a line that "
                            "is not a field");
}


static int
parley_events_data(parley_events_t *e, parley_str_t value,
    parley_error_t *err)
{
    if (e->has_data
        && parley_events_append(e, &e->data, PARLEY_STR("\n"), err) != 0)
    {
        return -1;
    }

    e->has_data = 1;

    return parley_events_append(e, &e->data, value, err);
}


static int
parley_events_is_number(parley_str_t s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') {
            return 0;
        }
    }

    return s.len > 0;
}


/* Resets the reader after an event, or after a comment inside one. */

static void
parley_events_next(parley_events_t *e)
{
    e->line.len = 0;

    if (e->line.size > PARLEY_EVENTS_KEPT) {
        parley_events_drop(e, &e->line);
    }

    if (e->told == PARLEY_EVENTS_COMMENT) {
        e->told = PARLEY_EVENTS_MORE;
        return;
    }

    e->told = PARLEY_EVENTS_MORE;
    e->data.len = 0;
    e->name_len = 0;
    e->id_len = 0;
    e->retry_len = 0;
    e->has_data = 0;
    e->has_id = 0;

    if (e->data.size > PARLEY_EVENTS_KEPT) {
        parley_events_drop(e, &e->data);
    }
}


static int
parley_events_append(parley_events_t *e, parley_events_text_t *text,
    parley_str_t s, parley_error_t *err)
{
    size_t    size;
    uint8_t  *p;

    if (s.len > e->limit - text->len) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "",
                                "an event of the upstream's exceeds "
                                "parley_limits body");
    }

    if (s.len > text->size - text->len) {
        size = text->size > 0 ? text->size * 2 : 1024;

        while (size < text->len + s.len) {
            size *= 2;
        }

        p = e->mem.alloc(e->mem.ctx, size);

        if (p == NULL) {
            return parley_error_memory(err);
        }

        parley_octets_copy(p, text->data, text->len);

        if (text->data != NULL && e->mem.free != NULL) {
            e->mem.free(e->mem.ctx, text->data);
        }

        text->data = p;
        text->size = size;
    }

    if (s.len > 0) {
        memcpy(text->data + text->len, s.data, s.len);
        text->len += s.len;
    }

    return 0;
}


static void
parley_events_drop(parley_events_t *e, parley_events_text_t *text)
{
    if (text->data != NULL && e->mem.free != NULL) {
        e->mem.free(e->mem.ctx, text->data);
    }

    memset(text, 0, sizeof(parley_events_text_t));
}


int
parley_events_end(parley_events_t *e, parley_event_t *ret,
    parley_error_t *err)
{
    int  cut;

    memset(ret, 0, sizeof(parley_event_t));

    if (e->told != PARLEY_EVENTS_MORE) {
        parley_events_next(e);
    }

    /* an incomplete byte order mark */
    cut = !e->begun && e->mark > 0;

    if (e->line.len > 0) {
        cut = e->line.data[0] != ':';

        if (parley_events_take(e, parley_str_make(e->line.data, e->line.len),
                               ret, err)
            < 0)
        {
            return -1;
        }

        e->line.len = 0;
    }

    if (e->has_data) {
        e->told = (parley_events_kind_t) parley_events_dispatch(e, ret);
        return PARLEY_EVENTS_LAST;
    }

    if (e->strange && !e->any) {
        e->foreign = 1;

        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "",
                                "the upstream's text/event-stream has no "
                                "event");
    }

    return cut || e->has_id || e->name_len > 0 ? PARLEY_EVENTS_CUT
                                               : PARLEY_EVENTS_WHOLE;
}


int
parley_events_is_foreign(const parley_events_t *e)
{
    return e->foreign;
}


void
parley_events_write(parley_buf_t *b, const parley_event_t *event)
{
    if (event->has_id) {
        parley_buf_lit(b, "id: ");
        parley_buf_str(b, event->id);
        parley_buf_octet(b, '\n');
    }

    if (event->name.len > 0) {
        parley_buf_lit(b, "event: ");
        parley_buf_str(b, event->name);
        parley_buf_octet(b, '\n');
    }

    if (event->retry.len > 0) {
        parley_buf_lit(b, "retry: ");
        parley_buf_str(b, event->retry);
        parley_buf_octet(b, '\n');
    }

    if (event->has_data) {
        parley_events_write_lines(b, event->data);
    }

    parley_buf_octet(b, '\n');
}


/*
 * Writes data as lines.  CR, LF and CR LF each end a line: JSON may have them
 * between tokens, and escapes them in strings.
 */

static void
parley_events_write_lines(parley_buf_t *b, parley_str_t data)
{
    const uint8_t  *p, *end, *last;

    if (data.len == 0) {
        parley_buf_lit(b, "data: \n");
        return;
    }

    p = data.data;
    last = p + data.len;

    for ( ;; ) {
        end = parley_events_line_end(p, last);

        parley_buf_lit(b, "data: ");
        parley_buf_put(b, p, (size_t) (end - p));
        parley_buf_octet(b, '\n');

        if (end == last) {
            return;
        }

        p = end + 1;

        if (*end == PARLEY_EVENTS_CR && p < last && *p == PARLEY_EVENTS_LF) {
            p++;
        }
    }
}


void
parley_events_write_comment(parley_buf_t *b, parley_str_t text)
{
    parley_buf_octet(b, ':');
    parley_buf_str(b, text);
    parley_buf_lit(b, "\n\n");
}


static const uint8_t *
parley_events_line_end(const uint8_t *p, const uint8_t *last)
{
    while (p < last && *p != PARLEY_EVENTS_CR && *p != PARLEY_EVENTS_LF) {
        p++;
    }

    return p;
}
