/*
 * Data streams (section 10 of the draft): a SUBGROUP_HEADER or FETCH_HEADER,
 * and objects after it.  They are unidirectional.
 *
 * The reader takes octets in any split.  It copies a header that arrives in
 * parts and extensions that arrive in parts; a payload is never copied.
 */

#ifndef PARLEY_MOQT_DATA_H
#define PARLEY_MOQT_DATA_H

#include "moqt/parley_moqt_pairs.h"


#define PARLEY_MOQT_STREAM_FETCH  0x05      /* type of a FETCH_HEADER */

/*
 * The type of a SUBGROUP_HEADER is PARLEY_MOQT_STREAM_SUBGROUP and flags
 * (section 10.4.2).
 */
#define PARLEY_MOQT_STREAM_SUBGROUP    0x10
#define PARLEY_MOQT_STREAM_EXTENSIONS  0x01 /* objects have extensions */
#define PARLEY_MOQT_STREAM_MODE        0x06 /* of the Subgroup ID: */
#define PARLEY_MOQT_STREAM_ZERO        0x00
#define PARLEY_MOQT_STREAM_FIRST       0x02 /* the ID of the first object */
#define PARLEY_MOQT_STREAM_PRESENT     0x04
#define PARLEY_MOQT_STREAM_LAST        0x08 /* has the largest object of the
                                               group */
#define PARLEY_MOQT_STREAM_DEFAULT     0x20 /* the priority is that of the
                                               track */


typedef struct {
    uint64_t  type;
    uint64_t  request;      /* of a FETCH */

    /* these of a subgroup */
    uint64_t  alias;        /* Track Alias */
    uint64_t  group;
    uint64_t  subgroup;     /* with STREAM_FIRST 0 before the first object */
    uint8_t   priority;     /* 0 with STREAM_DEFAULT */
} parley_moqt_stream_t;


/* Object Status (section 10.2.1.1) */
typedef enum {
    PARLEY_MOQT_STATUS_NORMAL = 0,
    PARLEY_MOQT_STATUS_END_OF_GROUP = 3,
    PARLEY_MOQT_STATUS_END_OF_TRACK = 4
} parley_moqt_status_t;


typedef enum {
    PARLEY_MOQT_OBJECT = 0,
    PARLEY_MOQT_RANGE_ABSENT,   /* all objects up to this location do not
                                   exist */
    PARLEY_MOQT_RANGE_UNKNOWN   /* it is not known whether they exist */
} parley_moqt_object_kind_t;


typedef struct {
    parley_moqt_object_kind_t  kind;        /* ranges only after FETCH */
    parley_moqt_status_t       status;      /* NORMAL after FETCH */
    uint64_t                   group;
    uint64_t                   subgroup;
    uint64_t                   id;
    uint64_t                   length;      /* octets of the payload */
    parley_moqt_pairs_t        extensions;  /* encoded */
    uint8_t                    priority;
    unsigned                   datagram:1;  /* after FETCH: without a
                                               subgroup */
    const char                *malformed;   /* reason why the track is
                                               malformed (section 2.4.2), or
                                               NULL */
} parley_moqt_object_t;


typedef enum {
    PARLEY_MOQT_DATA_MORE = 0,      /* all octets were taken */
    PARLEY_MOQT_DATA_STREAM,        /* data->stream is known */
    PARLEY_MOQT_DATA_OBJECT,        /* an object begins: data->object, and
                                       *ret is a part of its payload */
    PARLEY_MOQT_DATA_PAYLOAD        /* *ret is a further part */
} parley_moqt_data_got_t;


/* octets of the longest part of a header without extensions */
#define PARLEY_MOQT_DATA_KEPT  (5 * PARLEY_MOQT_INTEGER_LEN + 1)


/* Members after "left" are the reader's own. */
typedef struct {
    const parley_moqt_draft_t  *draft;
    parley_moqt_stream_t        stream;
    parley_moqt_object_t        object;
    uint64_t                    left;       /* octets of the payload that
                                               follow; 0: the object is
                                               whole */
    parley_mem_t                mem;
    uint64_t                    offset;     /* octets that were taken */
    uint64_t                    extensions; /* octets of the extensions */
    uint64_t                    number;     /* the last integer that is not a
                                               member; it is no local variable,
                                               as one with an address costs a
                                               stack protector */
    uint8_t                    *copy;       /* of extensions in parts */
    size_t                      copied;
    size_t                      size;
    uint8_t                     state;
    uint8_t                     kept;       /* octets of keep */
    unsigned                    any:1;      /* an object came before */
    unsigned                    located:1;  /* an object or a range came */
    unsigned                    grouped:1;  /* the object before has a
                                               subgroup */
    uint8_t                     keep[PARLEY_MOQT_DATA_KEPT];
} parley_moqt_data_t;


/* Begins a stream. */
void parley_moqt_data_init(parley_moqt_data_t *d,
    const parley_moqt_draft_t *draft, const parley_mem_t *mem);

/* Frees the copy of extensions. */
void parley_moqt_data_free(parley_moqt_data_t *d);

/*
 * Takes octets from *in up to the next event, and returns it: a
 * parley_moqt_data_got_t; or -1 with a fault, after which the reader must not
 * be used.  MORE has an empty *in.  If *in has the whole payload of an object,
 * *ret gets it at once, and data->left is 0.  Extensions of data->object are
 * valid until the next call and as long as the octets of *in.
 *
 *   PROTOCOL_VIOLATION          a reserved type, an ID above those of the
 *                               draft, an unknown status, extensions of an
 *                               object that is not normal, flags of FETCH that
 *                               refer to an object that does not exist, a range
 *                               with a payload
 *   KEY_VALUE_FORMATTING_ERROR  extensions that cannot be read
 *   INTERNAL_ERROR              extensions above 65535 octets (only the stream
 *                               fails: fault->stream), or memory is exhausted
 */
int parley_moqt_data_next(parley_moqt_data_t *d, parley_str_t *in,
    parley_str_t *ret, parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Takes the FIN.  Returns 0; or -1 with PROTOCOL_VIOLATION if a header or an
 * object is not whole (section 10.4).
 */
int parley_moqt_data_end(const parley_moqt_data_t *d,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));


/* writes a stream */
typedef struct {
    const parley_moqt_draft_t  *draft;
    parley_moqt_stream_t        stream;
    parley_moqt_object_t        last;       /* object or range before */
    unsigned                    any:1;      /* an object came before */
    unsigned                    located:1;  /* an object or a range came */
    unsigned                    grouped:1;
} parley_moqt_data_writer_t;


/*
 * Begins a stream and appends its header.  Returns 0, or -1 with b as before if
 * the type is reserved or a number exceeds those of the draft.
 */
int parley_moqt_data_write(parley_moqt_data_writer_t *w,
    const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_stream_t *stream)
    __attribute__((warn_unused_result));

/*
 * Appends the header of an object; the caller appends object->length octets of
 * payload.  A subgroup gives group, subgroup and priority to its objects.
 * Returns 0, or -1 with b as before if the object cannot follow the one before,
 * has extensions on a stream without them, or is not possible on this stream.
 */
int parley_moqt_object_write(parley_moqt_data_writer_t *w, parley_buf_t *b,
    const parley_moqt_object_t *object)
    __attribute__((warn_unused_result));


/* Returns whether a type is that of a SUBGROUP_HEADER. */
static inline int
parley_moqt_stream_is_subgroup(uint64_t type)
{
    return (type & ~UINT64_C(0x2F)) == PARLEY_MOQT_STREAM_SUBGROUP
           && (type & PARLEY_MOQT_STREAM_MODE) != PARLEY_MOQT_STREAM_MODE;
}


/* flags of an object after FETCH (section 10.4.4.1) */
#define PARLEY_MOQT_FETCH_MODE        0x03  /* of the Subgroup ID: */
#define PARLEY_MOQT_FETCH_ZERO        0x00
#define PARLEY_MOQT_FETCH_PRIOR       0x01
#define PARLEY_MOQT_FETCH_NEXT        0x02
#define PARLEY_MOQT_FETCH_PRESENT     0x03
#define PARLEY_MOQT_FETCH_OBJECT      0x04
#define PARLEY_MOQT_FETCH_GROUP       0x08
#define PARLEY_MOQT_FETCH_PRIORITY    0x10
#define PARLEY_MOQT_FETCH_EXTENSIONS  0x20
#define PARLEY_MOQT_FETCH_DATAGRAM    0x40
#define PARLEY_MOQT_FETCH_FLAGS       0x7F
#define PARLEY_MOQT_FETCH_ABSENT      0x8C
#define PARLEY_MOQT_FETCH_UNKNOWN     0x10C


#endif /* PARLEY_MOQT_DATA_H */
