/* Control messages (section 9 of the draft): one struct for all types. */

#ifndef PARLEY_MOQT_MESSAGE_H
#define PARLEY_MOQT_MESSAGE_H

#include "moqt/parley_moqt_pairs.h"
#include "moqt/parley_moqt_track.h"


typedef enum {
    PARLEY_MOQT_REQUEST_UPDATE = 0x02,
    PARLEY_MOQT_SUBSCRIBE = 0x03,
    PARLEY_MOQT_SUBSCRIBE_OK = 0x04,
    PARLEY_MOQT_REQUEST_ERROR = 0x05,
    PARLEY_MOQT_PUBLISH_NAMESPACE = 0x06,
    PARLEY_MOQT_REQUEST_OK = 0x07,
    PARLEY_MOQT_NAMESPACE = 0x08,
    PARLEY_MOQT_PUBLISH_NAMESPACE_DONE = 0x09,
    PARLEY_MOQT_UNSUBSCRIBE = 0x0A,
    PARLEY_MOQT_PUBLISH_DONE = 0x0B,
    PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL = 0x0C,
    PARLEY_MOQT_TRACK_STATUS = 0x0D,
    PARLEY_MOQT_NAMESPACE_DONE = 0x0E,
    PARLEY_MOQT_GOAWAY = 0x10,
    PARLEY_MOQT_SUBSCRIBE_NAMESPACE = 0x11,
    PARLEY_MOQT_MAX_REQUEST_ID = 0x15,
    PARLEY_MOQT_FETCH = 0x16,
    PARLEY_MOQT_FETCH_CANCEL = 0x17,
    PARLEY_MOQT_FETCH_OK = 0x18,
    PARLEY_MOQT_REQUESTS_BLOCKED = 0x1A,
    PARLEY_MOQT_PUBLISH = 0x1D,
    PARLEY_MOQT_PUBLISH_OK = 0x1E,
    PARLEY_MOQT_CLIENT_SETUP = 0x20,
    PARLEY_MOQT_SERVER_SETUP = 0x21
} parley_moqt_type_t;


/* Fetch Type (section 9.16) */
typedef enum {
    PARLEY_MOQT_FETCH_STANDALONE = 1,
    PARLEY_MOQT_FETCH_RELATIVE = 2,
    PARLEY_MOQT_FETCH_ABSOLUTE = 3
} parley_moqt_fetch_t;


/* codes of REQUEST_ERROR and PUBLISH_NAMESPACE_CANCEL (section 14.5.2) */
typedef enum {
    PARLEY_MOQT_REFUSE_INTERNAL_ERROR = 0x00,
    PARLEY_MOQT_REFUSE_UNAUTHORIZED = 0x01,
    PARLEY_MOQT_REFUSE_TIMEOUT = 0x02,
    PARLEY_MOQT_REFUSE_NOT_SUPPORTED = 0x03,
    PARLEY_MOQT_REFUSE_MALFORMED_AUTH_TOKEN = 0x04,
    PARLEY_MOQT_REFUSE_EXPIRED_AUTH_TOKEN = 0x05,
    PARLEY_MOQT_REFUSE_DOES_NOT_EXIST = 0x10,
    PARLEY_MOQT_REFUSE_INVALID_RANGE = 0x11,
    PARLEY_MOQT_REFUSE_MALFORMED_TRACK = 0x12,
    PARLEY_MOQT_REFUSE_DUPLICATE_SUBSCRIPTION = 0x19,
    PARLEY_MOQT_REFUSE_UNINTERESTED = 0x20,
    PARLEY_MOQT_REFUSE_PREFIX_OVERLAP = 0x30,
    PARLEY_MOQT_REFUSE_INVALID_JOINING_REQUEST_ID = 0x32
} parley_moqt_refuse_t;


/* codes of PUBLISH_DONE (section 14.5.3) */
typedef enum {
    PARLEY_MOQT_DONE_INTERNAL_ERROR = 0x00,
    PARLEY_MOQT_DONE_UNAUTHORIZED = 0x01,
    PARLEY_MOQT_DONE_TRACK_ENDED = 0x02,
    PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED = 0x03,
    PARLEY_MOQT_DONE_GOING_AWAY = 0x04,
    PARLEY_MOQT_DONE_EXPIRED = 0x05,
    PARLEY_MOQT_DONE_TOO_FAR_BEHIND = 0x06,
    PARLEY_MOQT_DONE_UPDATE_FAILED = 0x08,
    PARLEY_MOQT_DONE_MALFORMED_TRACK = 0x12
} parley_moqt_done_t;


/*
 * A message.  Its row tells the members that it has; the others are zero.
 * Spans belong to the octets that were read, or to the writer's caller.
 */
typedef struct {
    uint64_t                  type;         /* parley_moqt_type_t */
    const parley_moqt_row_t  *row;          /* ignored by the writer */

    uint64_t                  request;      /* Request ID */
    uint64_t                  existing;     /* Existing Request ID, Joining
                                               Request ID */
    uint64_t                  alias;        /* Track Alias */
    uint64_t                  maximum;      /* Max Request ID */
    uint64_t                  code;         /* Error Code, Status Code */
    uint64_t                  retry;        /* ms plus one; 0: never */
    uint64_t                  streams;      /* Stream Count */
    uint64_t                  fetch;        /* parley_moqt_fetch_t */
    uint64_t                  joining;      /* Joining Start */
    uint64_t                  options;      /* Subscribe Options, 0 to 2 */
    uint8_t                   end_of_track;
    parley_moqt_location_t    start;
    parley_moqt_location_t    end;
    parley_str_t              name;         /* Track Name */
    parley_str_t              text;         /* Error Reason, New Session
                                               URI */
    parley_moqt_pairs_t       params;
    parley_moqt_pairs_t       extensions;   /* its count is not written */
    parley_moqt_namespace_t   space;        /* also a prefix or a suffix */
} parley_moqt_message_t;


/*
 * Reads the payload of a message of a known type.  Spans of *ret point into
 * payload.  Returns 0; or -1 with a fault that names the message and the
 * member: PROTOCOL_VIOLATION, or a code of parley_moqt_pairs_read().
 */
int parley_moqt_message_read(const parley_moqt_draft_t *draft, uint64_t type,
    parley_str_t payload, parley_moqt_message_t *ret,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Appends a message with its type and length.  Returns 0; or -1 with a fault
 * and the buffer as before, if a member exceeds a limit of the draft or the
 * payload would exceed 65535 octets.  parley_buf_done() reports a failed
 * allocation.
 */
int parley_moqt_message_write(const parley_moqt_draft_t *draft,
    parley_buf_t *b, const parley_moqt_message_t *message,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));


#endif /* PARLEY_MOQT_MESSAGE_H */
