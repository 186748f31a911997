/* The settings of a location that MoQ connections name (parley_moq). */

#ifndef PARLEY_MOQ_CONF_H
#define PARLEY_MOQ_CONF_H

#include "hub/parley_stream.h"


typedef struct parley_moq_conf_s {
    parley_stream_t  stream;            /* streams of mailboxes; its form is
                                           PARLEY_FORM_OBJECTS, and its lag is
                                           that of all tracks */
    parley_str_t     messages;          /* URI of the location that gets each
                                           CMD as a POST */
    uint32_t         sessions;          /* agent sessions of a connection, at
                                           most */
    uint32_t         tracks;            /* tracks that a connection publishes or
                                           subscribes to, at most */
    uint32_t         object;            /* octets of an object or of a
                                           reassembled message, at most */
    uint32_t         age;               /* life of a connection in s; 0:
                                           unlimited */
    unsigned         stateless:1;       /* frames may have Session ID zero
                                           (MOQ-11) */
} parley_moq_conf_t;


/* a parley_moq_endpoint */
typedef struct parley_moq_endpoint_s  parley_moq_endpoint_t;

struct parley_moq_endpoint_s {
    parley_moq_endpoint_t  *next;
    parley_str_t            path;       /* of its URI */
    parley_where_t          where;
    unsigned                known:1;    /* a location with parley_moq has this
                                           name */
};


#endif /* PARLEY_MOQ_CONF_H */
