/*
 * Server-Sent Events (HTML section 9.2): a reader that takes the octets of a
 * stream in pieces of any size, and a writer.  Text inside an event cannot
 * forge a field.
 *
 *   id: 17
 *   event: progress
 *   retry: 2500
 *   data: {"v":"1",
 *   data:  "id":"..."}
 */

#ifndef PARLEY_EVENTS_H
#define PARLEY_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


/* octets of an id or a name; a longer one is ignored */
#define PARLEY_EVENTS_FIELD  256

/* digits of a retry */
#define PARLEY_EVENTS_RETRY  19

/* octets that a reader keeps allocated between events, at most */
#define PARLEY_EVENTS_KEPT   16384


typedef enum {
    PARLEY_EVENTS_MORE = 0,     /* all octets were read */
    PARLEY_EVENTS_EVENT,        /* an event, or an id or retry without data */
    PARLEY_EVENTS_COMMENT       /* a comment: data is its text, or empty if the
                                   text has a zero octet */
} parley_events_kind_t;


/*
 * One event.  An id may be present and empty: it resets the client's last id.
 * A client does not dispatch an event without has_data, but uses its id and
 * retry.
 */
typedef struct parley_event_s {
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


/* a stream that is read; private except for its size */
typedef struct parley_events_s {
    parley_mem_t          mem;
    size_t                limit;

    parley_events_text_t  line;     /* line that began in an earlier piece */
    parley_events_text_t  data;     /* data of the event so far */

    uint8_t               id[PARLEY_EVENTS_FIELD];
    uint8_t               name[PARLEY_EVENTS_FIELD];
    uint8_t               retry[PARLEY_EVENTS_RETRY];
    uint16_t              id_len;
    uint16_t              name_len;
    uint16_t              retry_len;

    uint8_t               mark;     /* octets of a byte order mark that were
                                       read */
    parley_events_kind_t  told;     /* result of the last read */
    unsigned              begun:1;  /* the beginning of the stream was checked
                                       for a byte order mark */
    unsigned              cr:1;     /* the last octet was CR */
    unsigned              any:1;    /* an event or a comment was read */
    unsigned              strange:1; /* a field was read that events do not
                                        define */
    unsigned              foreign:1; /* the stream contains something other than
                                        events */
    unsigned              has_data:1;
    unsigned              has_id:1;
} parley_events_t;


/*
 * Initialises a reader.  A line, or the data of an event, may have at most
 * limit octets.  Nothing is allocated before the first read;
 * parley_events_free() frees the memory.
 */
void parley_events_init(parley_events_t *e, const parley_mem_t *mem,
    size_t limit);
void parley_events_free(parley_events_t *e);

/*
 * Reads on, up to the end of the next event or comment, and moves *in behind
 * the octets that were read.  Returns a parley_events_kind_t; the spans of *ret
 * are valid until the next call.  Returns -1 with *err filled: upstream-invalid
 * (an event is larger than the limit, or a line cannot be a field) or capacity;
 * the stream must not be read further.
 */
int parley_events_read(parley_events_t *e, parley_str_t *in,
    parley_event_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* the end of a stream */
typedef enum {
    PARLEY_EVENTS_WHOLE = 0,    /* after a blank line or a comment */
    PARLEY_EVENTS_LAST,         /* inside an event that has data */
    PARLEY_EVENTS_CUT           /* inside an event without data */
} parley_events_end_t;

/*
 * Reads the end of a stream as the end of its last line, and as the blank line
 * that ends an event.  HTML drops such an event, although its data may be
 * complete.  Returns a parley_events_end_t.  LAST fills *ret; the caller
 * decides by the data whether they are complete.  Returns -1 with *err filled:
 * upstream-invalid (the stream had fields that no event has, and no event) or
 * capacity.
 */
int parley_events_end(parley_events_t *e, parley_event_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether the last error was that the stream does not contain events.
 */
int parley_events_is_foreign(const parley_events_t *e);

/*
 * Writes an event.  name, id and retry must be from parley_events_read(), or be
 * without line ends and zero octets.  Each line of data becomes a data field.
 */
void parley_events_write(parley_buf_t *b, const parley_event_t *event);

/* Writes a comment of one line; text must not have line ends. */
void parley_events_write_comment(parley_buf_t *b, parley_str_t text);


#endif /* PARLEY_EVENTS_H */
