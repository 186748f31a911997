/*
 * Ids of events, epoch and offset of a record in its log (HUB-02):
 *
 *     3f09c2a1b47e.17
 *
 * and the events that tell of a place and of no message.
 */

#ifndef PARLEY_EVENT_ID_H
#define PARLEY_EVENT_ID_H

#include "core/parley_buf.h"
#include "state/parley_log.h"


#define PARLEY_EVENT_ID_MAX  (12 + 1 + 20)


/* octets of a place as an argument, "last_event_id=3f09c2a1b47e.17", at most;
   and of that before the place */
#define PARLEY_PLACE_PREFIX  (sizeof("last_event_id=") - 1)
#define PARLEY_PLACE_REASON  (PARLEY_PLACE_PREFIX + PARLEY_EVENT_ID_MAX)


void parley_event_id_write(parley_buf_t *b, const parley_place_t *place);

/* As the argument by which it is resumed behind a place; in text. */
parley_str_t parley_event_id_reason(const parley_place_t *place,
    uint8_t text[PARLEY_PLACE_REASON]);

/* Reads what a client says; -1: it is no id, and *ret is zeroed. */
int parley_event_id_read(parley_str_t text, parley_place_t *ret)
    __attribute__((warn_unused_result));

/*
 * Begins a stream at a place, from which it can be resumed before any message
 * has come; NULL: a stream that was resumed.  It says how many records a log
 * retains and for how many milliseconds; 0: there is nothing to resume to.
 *
 *     id: 3f09c2a1b47e.17
 *     event: ready
 *     retry: 2500
 *     data: {"retention":{"count":1000,"ms":3600000}}
 */
void parley_event_open(parley_buf_t *b, const parley_place_t *place,
    uint32_t retry, const parley_retention_t *retention);

/*
 * What should have come is gone: it goes on behind a place.
 *
 *     id: 3f09c2a1b47e.17
 *     event: gap
 *     data: {"first":"3f09c2a1b47e.18"}
 */
void parley_event_gap(parley_buf_t *b, const parley_place_t *place);


#endif /* PARLEY_EVENT_ID_H */
