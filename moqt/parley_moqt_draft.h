/*
 * A draft of MoQ Transport as data: its ALPN, its integers, and the tables of
 * its messages, parameters and extensions.  Readers and writers take a draft
 * and walk its tables, so that another draft is another constant.
 */

#ifndef PARLEY_MOQT_DRAFT_H
#define PARLEY_MOQT_DRAFT_H

#include "core/parley_buf.h"
#include "moqt/parley_moqt.h"


#define PARLEY_MOQT_INTEGER_LEN  9      /* octets of the longest integer of
                                           any draft */


/* kinds of the fields of a message (section 9) */
typedef enum {
    PARLEY_MOQT_FIELD_END = 0,          /* ends a row */
    PARLEY_MOQT_FIELD_INTEGER,          /* uint64_t */
    PARLEY_MOQT_FIELD_OCTET,            /* uint8_t, 0 or 1 */
    PARLEY_MOQT_FIELD_FETCH,            /* uint64_t, a Fetch Type */
    PARLEY_MOQT_FIELD_LOCATION,         /* parley_moqt_location_t */
    PARLEY_MOQT_FIELD_NAMESPACE,        /* parley_moqt_namespace_t, 1 to 32
                                           fields */
    PARLEY_MOQT_FIELD_PREFIX,           /* 0 to 32 fields; also a suffix */
    PARLEY_MOQT_FIELD_NAME,             /* parley_str_t, after a namespace */
    PARLEY_MOQT_FIELD_REASON,           /* parley_str_t */
    PARLEY_MOQT_FIELD_URI,              /* parley_str_t */
    PARLEY_MOQT_FIELD_PARAMS,           /* parley_moqt_pairs_t with a number
                                           before it */
    PARLEY_MOQT_FIELD_EXTENSIONS        /* parley_moqt_pairs_t up to the end
                                           of the message */
} parley_moqt_kind_t;


typedef struct {
    parley_moqt_kind_t  kind;
    uint16_t            at;         /* offset in parley_moqt_message_t */
    uint16_t            when;       /* only for these Fetch Types, bits 1 <<
                                       type; 0: always */
    const char         *name;       /* as the draft spells it */
} parley_moqt_field_t;


/* streams on which a message may come; bits */
#define PARLEY_MOQT_ON_CONTROL   0x01
#define PARLEY_MOQT_ON_REQUEST   0x02   /* first on another bidirectional
                                           stream */
#define PARLEY_MOQT_ON_RESPONSE  0x04   /* the other direction of that
                                           stream */


/* a type of message; a row without a name is not assigned */
typedef struct {
    const char                 *name;
    const parley_moqt_field_t  *fields;
    uint8_t                     from;       /* roles that send it, bits */
    uint8_t                     on;         /* PARLEY_MOQT_ON_* */
    unsigned                    setup:1;    /* has Setup Parameters */
    unsigned                    request:1;  /* its Request ID is a new one */
} parley_moqt_row_t;


/* kinds of the values of pairs */
typedef enum {
    PARLEY_MOQT_PAIR_INTEGER = 0,   /* min to max */
    PARLEY_MOQT_PAIR_OCTETS,
    PARLEY_MOQT_PAIR_TOKEN,
    PARLEY_MOQT_PAIR_LOCATION,
    PARLEY_MOQT_PAIR_FILTER,
    PARLEY_MOQT_PAIR_PATH,
    PARLEY_MOQT_PAIR_AUTHORITY
} parley_moqt_pair_kind_t;


/* a type of pair; a table is ordered by type and ends without a name */
typedef struct {
    uint64_t                 type;
    const char              *name;
    parley_moqt_pair_kind_t  kind;
    uint64_t                 min;
    uint64_t                 max;
    uint64_t                 scope;     /* messages that may have it, bits
                                           1 << type; for extensions
                                           PARLEY_MOQT_SCOPE_*; elsewhere it
                                           is ignored */
    parley_moqt_code_t       misplaced; /* closes the session instead; 0:
                                           none */
    unsigned                 repeat:1;  /* may come more than once */
} parley_moqt_pair_row_t;

#define PARLEY_MOQT_SCOPE_TRACK   0x01
#define PARLEY_MOQT_SCOPE_OBJECT  0x02


typedef struct parley_moqt_draft_s  parley_moqt_draft_t;

struct parley_moqt_draft_s {
    parley_str_t                   alpn;        /* "moqt-16" */
    uint64_t                       integer_max;

    /*
     * Reads the integer at pos.  Returns its end, or NULL if it ends after
     * end.
     */
    const uint8_t               *(*integer_read)(const uint8_t *pos,
                                       const uint8_t *end, uint64_t *ret);

    /* Writes n, at most integer_max, in its shortest form.  Returns the end. */
    uint8_t                     *(*integer_write)(uint8_t *p, uint64_t n);

    const parley_moqt_row_t       *messages;    /* by type */
    size_t                         nmessages;
    const parley_moqt_pair_row_t  *setup;       /* Setup Parameters */
    const parley_moqt_pair_row_t  *params;      /* Message Parameters */
    const parley_moqt_pair_row_t  *extensions;
};


/* draft-ietf-moq-transport-16 */
extern const parley_moqt_draft_t  parley_moqt_draft_16;

/* all drafts, the newest first; ends with NULL */
extern const parley_moqt_draft_t *const  parley_moqt_drafts[];


/* Returns the draft of an ALPN, or NULL. */
const parley_moqt_draft_t *parley_moqt_draft_find(parley_str_t alpn);

/* Returns the row of a message type, or NULL if the type is unknown. */
const parley_moqt_row_t *parley_moqt_draft_row(
    const parley_moqt_draft_t *draft, uint64_t type);

/* Returns the row of a type of pair in a table, or NULL. */
const parley_moqt_pair_row_t *parley_moqt_draft_pair(
    const parley_moqt_pair_row_t *table, uint64_t type);


/* a place in octets that are read */
typedef struct {
    const uint8_t              *pos;
    const uint8_t              *end;
    const parley_moqt_draft_t  *draft;
} parley_moqt_cursor_t;


/*
 * Reads an integer; not shortest forms are allowed (section 1.4).  Returns 0,
 * or -1 if octets are missing; then the cursor has not moved.  An octet below
 * 0x40 is a whole integer in every draft.
 */
static inline int
parley_moqt_integer_read(parley_moqt_cursor_t *c, uint64_t *ret)
{
    const uint8_t  *end;

    if (c->pos < c->end && *c->pos < 0x40) {
        *ret = *c->pos++;
        return 0;
    }

    end = c->draft->integer_read(c->pos, c->end, ret);

    if (end == NULL) {
        return -1;
    }

    c->pos = end;

    return 0;
}


/*
 * Reads a length and that many octets, as a span of the input.  Returns 0, or
 * -1 if octets are missing.
 */
static inline int
parley_moqt_octets_read(parley_moqt_cursor_t *c, parley_str_t *ret)
{
    uint64_t  len;

    if (parley_moqt_integer_read(c, &len) != 0
        || len > (uint64_t) (c->end - c->pos))
    {
        return -1;
    }

    *ret = parley_str_make(c->pos, (size_t) len);
    c->pos += len;

    return 0;
}


/* Appends an integer.  It must be at most draft->integer_max. */
void parley_moqt_integer_write(const parley_moqt_draft_t *draft,
    parley_buf_t *b, uint64_t n);

/* Appends a length and the octets. */
void parley_moqt_octets_write(const parley_moqt_draft_t *draft,
    parley_buf_t *b, parley_str_t s);


#endif /* PARLEY_MOQT_DRAFT_H */
