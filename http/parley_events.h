/*
 * Server-Sent Events, as HTML section 9.2 has them: a reader that takes the
 * octets of a stream in any pieces, and a writer.  No text of an event can
 * forge a field of it.
 *
 *     id: 17
 *     event: progress
 *     retry: 2500
 *     data: {"v":"1",
 *     data:  "id":"..."}
 */

#ifndef PARLEY_EVENTS_H
#define PARLEY_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


/* octets of an id or a name; a longer one is none */
#define PARLEY_EVENTS_FIELD  256

/* digits of a retry */
#define PARLEY_EVENTS_RETRY  19

/* what a reader keeps allocated from one event to the next */
#define PARLEY_EVENTS_KEPT   16384


typedef enum {
    PARLEY_EVENTS_MORE = 0,     /* the octets are used up */
    PARLEY_EVENTS_EVENT,        /* an event, or fields that stand alone */
    PARLEY_EVENTS_COMMENT       /* a comment: data is its text */
} parley_events_kind_t;


/*
 * One event.  id may be empty and given (it resets the client's); one without
 * has_data is none for its reader, but its id and retry count.
 */
typedef struct {
    parley_str_t  data;
    parley_str_t  name;
    parley_str_t  id;
    parley_str_t  retry;        /* milliseconds, digits */
    unsigned      has_data:1;
    unsigned      has_id:1;
} parley_event_t;


typedef struct {
    uint8_t  *data;
    size_t    len;
    size_t    size;
} parley_events_text_t;


/* a stream that is read; private but for its size */
typedef struct {
    parley_mem_t          mem;
    size_t                limit;

    parley_events_text_t  line;     /* begun in an earlier piece */
    parley_events_text_t  data;     /* of the event so far */

    uint8_t               id[PARLEY_EVENTS_FIELD];
    uint8_t               name[PARLEY_EVENTS_FIELD];
    uint8_t               retry[PARLEY_EVENTS_RETRY];
    uint16_t              id_len;
    uint16_t              name_len;
    uint16_t              retry_len;

    uint8_t               mark;     /* octets of a byte order mark seen */
    parley_events_kind_t  told;     /* what the last read returned */
    unsigned              begun:1;  /* no byte order mark can come */
    unsigned              cr:1;     /* the last octet was one */
    unsigned              any:1;    /* an event or a comment was read */
    unsigned              strange:1; /* a field was read that events have
                                        not */
    unsigned              foreign:1; /* it holds something else than events */
    unsigned              has_data:1;
    unsigned              has_id:1;
} parley_events_t;


/*
 * A stream of which no line and no event's data has more than limit octets.
 * Nothing is allocated yet; parley_events_free() gives back what is.
 */
void parley_events_init(parley_events_t *e, const parley_mem_t *mem,
    size_t limit);
void parley_events_free(parley_events_t *e);

/*
 * Reads on, up to the next whole event or comment, and moves *in behind what
 * was read.  Returns what there is; the spans of *ret hold until the next
 * call.  -1: upstream-invalid (an event is larger than the limit, or a line
 * cannot be a field) or capacity; the stream must not be read on.
 */
int parley_events_read(parley_events_t *e, parley_str_t *in,
    parley_event_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* How a stream ended. */
typedef enum {
    PARLEY_EVENTS_WHOLE = 0,    /* behind a blank line, or a comment */
    PARLEY_EVENTS_LAST,         /* inside an event that has data */
    PARLEY_EVENTS_CUT           /* inside an event without data yet */
} parley_events_end_t;

/*
 * Reads the end of a stream as the end of its last line, and as the blank line
 * that ends an event: HTML drops such an event, although its data may be whole.
 * Returns how the stream ended: LAST fills *ret, and only the data can tell
 * whether it is whole.  -1: upstream-invalid (the stream held fields that no
 * event has, and no event) or capacity.
 */
int parley_events_end(parley_events_t *e, parley_event_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* Returns whether the last error was that the stream does not hold events. */
int parley_events_is_foreign(const parley_events_t *e);

/*
 * Writes an event.  name, id and retry are what parley_events_read() gave, or
 * hold no line end and no zero octet.  Line ends in data begin a data line of
 * their own each.
 */
void parley_events_write(parley_buf_t *b, const parley_event_t *event);

/* Writes a comment of one line, without line ends in it. */
void parley_events_write_comment(parley_buf_t *b, parley_str_t text);


#endif /* PARLEY_EVENTS_H */
