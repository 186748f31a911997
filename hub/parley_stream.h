/* Settings of streams. */

#ifndef PARLEY_STREAM_H
#define PARLEY_STREAM_H

#include <stdint.h>

#include "translate/parley_msg.h"


/* format of a stream */
typedef enum {
    PARLEY_FORM_EVENTS = 0,     /* server-sent events, see parley_event_id.h */
    PARLEY_FORM_FRAMES,         /* frames of a WebSocket: one text frame per
                                   message; pings carry places, see
                                   parley_hub_form.c */
    PARLEY_FORM_OBJECTS,        /* entries of parley_hub_object.h, for a MoQ
                                   track */
    PARLEY_FORMS
} parley_form_t;


/* settings that the streams of one kind share */
typedef struct {
    parley_proto_t  proto;      /* protocol of its subscribers */
    parley_form_t   form;
    uint32_t        lag;        /* octets that a subscriber may be behind */
    uint32_t        keepalive;  /* s between keepalives, at least 1 */
    uint32_t        age;        /* maximum age in s; 0: unlimited */
    uint32_t        retry;      /* ms for a client to wait before it
                                   reconnects */
    uint32_t        timeout;    /* s for which sent octets may stay
                                   unacknowledged (HUB-11) */
    unsigned        stays:1;    /* parley_hub_drain() does not end its
                                   subscribers */
    unsigned        confirms:1; /* FRAMES: a ping with its place follows each
                                   message.  The caller reports the records that
                                   a job owes when the peer has answered
                                   (parley_log_ops_t.had). */
    unsigned        views:1;    /* its subscriber gets its own view of each
                                   publication, also of one without views */
} parley_stream_t;


#endif /* PARLEY_STREAM_H */
