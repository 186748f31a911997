/*
 * Ids of events: epoch and offset of a record in its log (HUB-02), as
 *
 *   3f09c2a1b47e.17
 *
 * and the events that carry a place without a message.  PARLEY_EVENT_ID_TOLD
 * after an id says that its client was told of a gap at that place.
 */

#ifndef PARLEY_EVENT_ID_H
#define PARLEY_EVENT_ID_H

#include "core/parley_buf.h"
#include "state/parley_log.h"


#define PARLEY_EVENT_ID_MAX  (12 + 1 + 20)

/* Not part of an id, and unreserved in a URL. */
#define PARLEY_EVENT_ID_TOLD  '~'


/* Maximum octets of a place as an argument, "last_event_id=3f09c2a1b47e.17",
   with PARLEY_EVENT_ID_TOLD, and of the part before the place. */
#define PARLEY_PLACE_PREFIX  (sizeof("last_event_id=") - 1)
#define PARLEY_PLACE_REASON  (PARLEY_PLACE_PREFIX + PARLEY_EVENT_ID_MAX + 1)


void parley_event_id_write(parley_buf_t *b, const parley_place_t *place);

/*
 * Writes the argument that resumes a stream after a place.  The result is in
 * text.
 */
parley_str_t parley_event_id_reason(const parley_place_t *place,
    uint8_t text[PARLEY_PLACE_REASON]);

/* The same with PARLEY_EVENT_ID_TOLD. */
parley_str_t parley_event_id_reason_told(const parley_place_t *place,
    uint8_t text[PARLEY_PLACE_REASON]);

/* Cuts PARLEY_EVENT_ID_TOLD off the end of *text.  Returns 1, or 0 if it is
   not there. */
int parley_event_id_told(parley_str_t *text);

/*
 * Reads an id that a client sent.  Returns 0, or -1 with *ret zeroed if it is
 * invalid.
 */
int parley_event_id_read(parley_str_t text, parley_place_t *ret)
    __attribute__((warn_unused_result));

/*
 * Begins a stream at a place, so that it can be resumed before a message has
 * come; place is NULL for a resumed stream.  data has the number of records
 * that a log retains and the milliseconds; 0: the log retains nothing.
 *
 *   id: 3f09c2a1b47e.17
 *   event: ready
 *   retry: 2500
 *   data: {"retention":{"count":1000,"ms":3600000}}
 */
void parley_event_open(parley_buf_t *b, const parley_place_t *place,
    uint32_t retry, const parley_retention_t *retention);

/*
 * Reports that records are lost; the stream continues after a place.
 *
 *   id: 3f09c2a1b47e.17
 *   event: gap
 *   data: {"first":"3f09c2a1b47e.18"}
 */
void parley_event_gap(parley_buf_t *b, const parley_place_t *place);


#endif /* PARLEY_EVENT_ID_H */
