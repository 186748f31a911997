/*
 * Parts of parley_link_parts.h about opaque tracks: their logs, the records in
 * them, publishers and subscribers.  Functions return as those of that header.
 */

#ifndef PARLEY_LINK_OPAQUE_H
#define PARLEY_LINK_OPAQUE_H

#include "gate/link/parley_link_parts.h"


/* ms for the publisher of a track; between the requests of a subscriber for a
   track that is not there; between counts of subscribers, and without one */
#define PARLEY_LINK_READY_BY  5000
#define PARLEY_LINK_POLLS     10000
#define PARLEY_LINK_COUNT     1000
#define PARLEY_LINK_ALONE     5000

/* streams of a subscriber that are open or wait to be */
#define PARLEY_LINK_DOWNS  128

/* codes of a stream that is reset (section 10.4.3 of the draft) */
#define PARLEY_LINK_CANCELLED  1
#define PARLEY_LINK_LATE       2

/* op of a relay; those of objects are numbers of streams */
#define PARLEY_LINK_OP_WANT    1    /* from the publisher of a track */
#define PARLEY_LINK_OP_SPACE   2    /* from that of a namespace */
#define PARLEY_LINK_OP_COUNT   3
#define PARLEY_LINK_OP_STREAM  16   /* the first stream */


/* kind of a record */
typedef enum {
    PARLEY_LINK_WANT = 1,       /* for the publisher: text is the track */
    PARLEY_LINK_POLL,           /* as WANT, from one that was ready */
    PARLEY_LINK_READY,          /* the track begins; text has its extensions */
    PARLEY_LINK_ABSENT,         /* the publisher does not have the track */
    PARLEY_LINK_OBJECT,         /* text has its extensions */
    PARLEY_LINK_FIN,            /* end of a stream */
    PARLEY_LINK_RESET,
    PARLEY_LINK_DONE            /* end of the track */
} parley_link_record_kind_t;

typedef struct {
    parley_link_record_kind_t  kind;
    parley_moq_type_t          frame;   /* of an object; 0: it has none */
    uint8_t                    type;    /* of the stream of an object */
    uint8_t                    priority;
    uint8_t                    status;  /* of an object */
    uint64_t                   number;  /* of the publisher's stream */
    uint64_t                   group;
    uint64_t                   subgroup;
    uint64_t                   id;      /* of an object; code of RESET and
                                           DONE */
    parley_str_t               text;
    parley_str_t               payload;
} parley_link_record_t;


/* a stream of a subscriber: it mirrors one of the publisher */
typedef struct parley_link_down_s  parley_link_down_t;

struct parley_link_down_s {
    parley_link_down_t         *next;
    uint64_t                    number;
    uint64_t                    group;
    unsigned                    fin:1;      /* its octets are complete */
    unsigned                    dead:1;     /* it was reset */
    void                       *stream;     /* NULL: not open */
    parley_moqt_data_writer_t   writer;
    parley_link_rest_t          rest;
};

typedef enum {
    PARLEY_LINK_JOINING = 0,
    PARLEY_LINK_ASKING,         /* the publisher was asked */
    PARLEY_LINK_READING,
    PARLEY_LINK_ENDING          /* PUBLISH_DONE follows the last octets */
} parley_link_reading_t;


/* a subscription of the peer to an opaque track, its subscribe_request, or its
   TRACK_STATUS */
struct parley_link_reader_s {
    parley_link_reader_t   *next;
    parley_link_reading_t   state;
    parley_link_tap_t      *tap;        /* NULL: it has parted */
    parley_str_t            track;      /* owned */
    uint64_t                request;    /* Request ID */
    uint64_t                alias;
    int64_t                 by;         /* ms, for the publisher; when it is
                                           asked again */
    unsigned                command:1;  /* it is a subscribe_request */
    unsigned                status:1;   /* it is a TRACK_STATUS */
    unsigned                forward:1;
    unsigned                skips:1;    /* it begins with the next group */
    unsigned                any:1;      /* newest is set */
    unsigned                late:1;     /* the track has STREAM frames */
    uint64_t                id;         /* Session ID of a command */
    uint32_t                stream;     /* its Stream ID */
    parley_moqt_location_t  start;      /* first object */
    uint64_t                end;        /* last group */
    uint64_t                newest;     /* group */
    uint64_t                streams;    /* that were opened */
    parley_link_down_t     *downs;
    size_t                  ndowns;
    size_t                  waiting;    /* octets of all streams */
    parley_moqt_done_t      code;       /* of ENDING */
    const char             *text;
};


/* parley_link_tap.c */

/* Joins the log of facts, which are copied.  Returns NULL if memory is
   exhausted. */
parley_link_tap_t *parley_link_tap_join(parley_link_t *link,
    const parley_link_tap_t *facts);
void parley_link_tap_part(parley_link_t *link, parley_link_tap_t *tap);

/* Appends a record, or with relay->asks only counts; as env->relay(). */
int parley_link_tap_relay(parley_link_t *link, parley_link_tap_t *tap,
    const parley_link_record_t *record, parley_link_relay_t *relay);

/* Reads a record; spans of *ret are borrowed.  Returns 0, or -1 if it is
   invalid. */
int parley_link_record_read(parley_str_t in, parley_link_record_t *ret);

/* parley_link_source.c */

/* Finds an opaque track that has not ended, or returns NULL. */
parley_link_source_t *parley_link_source_find(const parley_link_t *link,
    parley_str_t name);

/* Appends a record for the subscribers, as env->relay(), and notes how many
   there are. */
int parley_link_source_relay(parley_link_t *link, parley_link_source_t *s,
    const parley_link_record_t *record, uint64_t op);
void parley_link_source_counted(const parley_link_t *link,
    parley_link_source_t *s, int64_t count);

/* Subscribers want objects; tell them that a track is ready, or not there. */
int parley_link_source_want(parley_link_t *link, parley_link_source_t *s,
    int polls);
void parley_link_source_absent(parley_link_t *link, parley_link_tap_t *tap,
    parley_str_t name);

/* Sends a request that the track needs.  Returns 1 if the peer permits no
   request now. */
int parley_link_source_request(parley_link_t *link, parley_link_source_t *s);

/* Ends a track, and tells the subscribers; done NULL: only its streams end.
   why is the reason, for the fact. */
int parley_link_source_end(parley_link_t *link, parley_link_source_t *s,
    const parley_link_record_t *done, const char *why);

/* The agent has ended a track with this alias, or has refused or accepted its
   SUBSCRIBE; it has ended the announcement of its namespace. */
int parley_link_source_over(parley_link_t *link, parley_link_source_t *s,
    const parley_moqt_message_t *m, uint64_t alias);
int parley_link_source_answered(parley_link_t *link, parley_link_source_t *s,
    const parley_moqt_message_t *m);
void parley_link_source_unannounced(parley_link_t *link);

/* Ends the track of a stream, which breaks a rule of tracks (section 2.4.2 of
   the draft). */
int parley_link_source_malformed(parley_link_stream_t *st);

/* Tells subscribers that a stream is reset. */
void parley_link_source_reset(parley_link_stream_t *st);

/* Counts subscribers.  *next is the time of the next call; 0: none. */
int parley_link_sources_tick(parley_link_t *link, int64_t *next);


/* parley_link_reader.c */

/* Finds a subscription by its request, or returns NULL. */
parley_link_reader_t *parley_link_reader_of(const parley_link_t *link,
    uint64_t request);

/* Makes a subscription and joins its log.  Returns NULL if memory is
   exhausted. */
parley_link_reader_t *parley_link_reader_make(parley_link_t *link,
    const parley_link_tap_t *facts);
void parley_link_reader_free(parley_link_t *link, parley_link_reader_t *r);

/* Takes an object, or the end of a stream. */
int parley_link_reader_object(parley_link_t *link, parley_link_reader_t *r,
    const parley_link_record_t *record);
int parley_link_reader_stream_end(parley_link_t *link,
    parley_link_reader_t *r, const parley_link_record_t *record);

/* Ends a subscription: PUBLISH_DONE follows its last octets.  code and text are
   those of the message; text is constant. */
int parley_link_reader_end(parley_link_t *link, parley_link_reader_t *r,
    parley_moqt_done_t code, const char *text);

/* Writes octets that wait. */
int parley_link_readers_flush(parley_link_t *link);


/* parley_link_watch.c */

/* Take SUBSCRIBE and TRACK_STATUS, and REQUEST_UPDATE, of an opaque track.
   They return 1 if it is another track. */
int parley_link_watch(parley_link_t *link, const parley_moqt_message_t *m);
int parley_link_watch_update(parley_link_t *link,
    const parley_moqt_message_t *m);

/* Asks the publisher of the track, or that of the namespace; takes the number
   of publishers that were asked, or -1; and ends a subscription that cannot go
   on. */
int parley_link_watch_ask(parley_link_t *link, parley_link_reader_t *r,
    int space);
int parley_link_watch_asked(parley_link_t *link,
    parley_link_reader_t *r, int space, int64_t count);
int parley_link_watch_lose(parley_link_t *link,
    parley_link_reader_t *r, parley_moqt_refuse_t code, const char *text);

/* Answers SUBSCRIBE and TRACK_STATUS: the publisher has the track, with these
   extensions. */
int parley_link_watch_ready(parley_link_t *link, parley_link_reader_t *r,
    parley_str_t extensions);

/* Asks for tracks that are not ready; as parley_link_sources_tick(). */
int parley_link_watch_tick(parley_link_t *link, int64_t *next);


/* parley_link_log.c */

/* Takes subscribe_request and unsubscribe_request.  Returns 1 if it is another
   action. */
int parley_link_watch_command(parley_link_t *link,
    const parley_moq_frame_t *frame, const parley_json_t *doc,
    parley_str_t action);


/* parley_link_relay.c */

/* Takes the object of a stream of an opaque track, and its FIN.  They return 1
   if it must wait, -1 if the link stops the stream, or -2 if it is closed. */
int parley_link_relay_object(parley_link_stream_t *st);
int parley_link_relay_fin(parley_link_stream_t *st);


#endif /* PARLEY_LINK_OPAQUE_H */
