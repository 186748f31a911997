/*
 * Key-value pairs (section 1.4.2 of the draft): parameters of messages and
 * extensions of tracks and objects.  A pair's type is written as the distance
 * from the previous type.  An even type has an integer, an odd one octets.
 *
 * Pairs stay in their encoded form.  A reader checks all of them once, by a
 * table; users then look for the types that they need.
 */

#ifndef PARLEY_MOQT_PAIRS_H
#define PARLEY_MOQT_PAIRS_H

#include "moqt/parley_moqt_draft.h"


/* Setup Parameters (section 9.3.1) */
typedef enum {
    PARLEY_MOQT_SETUP_PATH = 0x01,
    PARLEY_MOQT_SETUP_MAX_REQUEST_ID = 0x02,
    PARLEY_MOQT_SETUP_TOKEN = 0x03,
    PARLEY_MOQT_SETUP_MAX_CACHE = 0x04,
    PARLEY_MOQT_SETUP_AUTHORITY = 0x05,
    PARLEY_MOQT_SETUP_IMPLEMENTATION = 0x07
} parley_moqt_setup_t;

/* Message Parameters (section 9.2.2) */
typedef enum {
    PARLEY_MOQT_PARAM_DELIVERY_TIMEOUT = 0x02,  /* ms */
    PARLEY_MOQT_PARAM_TOKEN = 0x03,
    PARLEY_MOQT_PARAM_EXPIRES = 0x08,           /* ms */
    PARLEY_MOQT_PARAM_LARGEST_OBJECT = 0x09,
    PARLEY_MOQT_PARAM_FORWARD = 0x10,
    PARLEY_MOQT_PARAM_PRIORITY = 0x20,
    PARLEY_MOQT_PARAM_FILTER = 0x21,
    PARLEY_MOQT_PARAM_GROUP_ORDER = 0x22,
    PARLEY_MOQT_PARAM_NEW_GROUP = 0x32
} parley_moqt_param_t;

/* extensions of tracks and objects (section 11) */
typedef enum {
    PARLEY_MOQT_EXT_DELIVERY_TIMEOUT = 0x02,    /* ms */
    PARLEY_MOQT_EXT_MAX_CACHE_DURATION = 0x04,  /* ms */
    PARLEY_MOQT_EXT_IMMUTABLE = 0x0B,
    PARLEY_MOQT_EXT_PRIORITY = 0x0E,
    PARLEY_MOQT_EXT_GROUP_ORDER = 0x22,
    PARLEY_MOQT_EXT_DYNAMIC_GROUPS = 0x30,
    PARLEY_MOQT_EXT_GROUP_GAP = 0x3C,
    PARLEY_MOQT_EXT_OBJECT_GAP = 0x3E
} parley_moqt_ext_t;


typedef struct {
    uint64_t      count;
    parley_str_t  octets;       /* encoded */
} parley_moqt_pairs_t;

typedef struct {
    uint64_t      type;
    uint64_t      integer;      /* value of an even type */
    parley_str_t  octets;       /* value of an odd type */
} parley_moqt_pair_t;


/* Alias Type of a token (section 9.2.2.1) */
typedef enum {
    PARLEY_MOQT_TOKEN_DELETE = 0,
    PARLEY_MOQT_TOKEN_REGISTER = 1,
    PARLEY_MOQT_TOKEN_USE_ALIAS = 2,
    PARLEY_MOQT_TOKEN_USE_VALUE = 3
} parley_moqt_alias_t;

typedef struct {
    parley_moqt_alias_t  alias_type;
    uint64_t             alias;     /* not with USE_VALUE */
    uint64_t             type;      /* these only with REGISTER and */
    parley_str_t         value;     /* USE_VALUE */
} parley_moqt_token_t;


/* Filter Type (section 5.1.2) */
typedef enum {
    PARLEY_MOQT_FILTER_NEXT_GROUP = 1,
    PARLEY_MOQT_FILTER_LARGEST_OBJECT = 2,
    PARLEY_MOQT_FILTER_START = 3,
    PARLEY_MOQT_FILTER_RANGE = 4
} parley_moqt_filter_type_t;

typedef struct {
    parley_moqt_filter_type_t  type;
    parley_moqt_location_t     start;       /* of START and RANGE */
    uint64_t                   end_group;   /* of RANGE */
} parley_moqt_filter_t;


/* the table that pairs are checked with, and the place where they were found */
typedef struct {
    const parley_moqt_pair_row_t  *rows;
    uint64_t                       scope;   /* one bit of their scope */
    const char                    *member;  /* of a pair without a row */
    unsigned                       known:1; /* a type without a row is a
                                               PROTOCOL_VIOLATION */
    unsigned                       client:1;/* of CLIENT_SETUP: its tokens have
                                               a value */
    unsigned                       bounded:1;   /* the pairs have a length of
                                               their own: see below */
} parley_moqt_pairs_rule_t;


/*
 * Reads and checks pairs: their number is before them, or, if is_rest is set,
 * they end with the input.  Returns 0 or -1:
 *
 *   PROTOCOL_VIOLATION          a type above 2^64 - 1, a value above 65535
 *                               octets, a known type that is repeated, an
 *                               integer out of its range, an unknown type of a
 *                               Message Parameter, a filter that cannot be
 *                               read; a pair that ends after its message
 *   KEY_VALUE_FORMATTING_ERROR  a token or location that cannot be read; a
 *                               pair that ends after pairs with a length of
 *                               their own
 *   INVALID_PATH, INVALID_AUTHORITY         in SERVER_SETUP
 *   MALFORMED_PATH, MALFORMED_AUTHORITY     against RFC 3986
 */
int parley_moqt_pairs_read(parley_moqt_cursor_t *c, int is_rest,
    const parley_moqt_pairs_rule_t *rule, parley_moqt_pairs_t *ret,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

#define PARLEY_MOQT_SHORT  (-2)

/*
 * Reads the pair at the cursor.  *type is the type of the previous pair, at
 * first 0, and becomes the type of this one.  Returns 0; PARLEY_MOQT_SHORT, a
 * PROTOCOL_VIOLATION, if the pair ends after the input; or -1 as above.
 */
int parley_moqt_pair_read(parley_moqt_cursor_t *c, uint64_t *type,
    parley_moqt_pair_t *ret, parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/* Sets c to the beginning of pairs that were checked. */
void parley_moqt_pairs_begin(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_t *pairs, parley_moqt_cursor_t *c);

/*
 * Finds the first pair of a type in pairs that were checked.  Returns 1 with
 * *ret, or 0.
 */
int parley_moqt_pairs_find(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_t *pairs, uint64_t type,
    parley_moqt_pair_t *ret);

/* Returns the integer of an even type, or otherwise if it is missing. */
uint64_t parley_moqt_pairs_integer(const parley_moqt_draft_t *draft,
    const parley_moqt_pairs_t *pairs, uint64_t type, uint64_t otherwise);


/*
 * Read the value of AUTHORIZATION TOKEN, LARGEST OBJECT and SUBSCRIPTION
 * FILTER, as spans of it.  They return 0, or -1 with
 * KEY_VALUE_FORMATTING_ERROR, of a filter with PROTOCOL_VIOLATION.
 */
int parley_moqt_token_read(const parley_moqt_draft_t *draft,
    parley_str_t octets, parley_moqt_token_t *ret, parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));
int parley_moqt_location_read(const parley_moqt_draft_t *draft,
    parley_str_t octets, parley_moqt_location_t *ret,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));
int parley_moqt_filter_read(const parley_moqt_draft_t *draft,
    parley_str_t octets, parley_moqt_filter_t *ret,
    parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));


/* writes pairs; their types must ascend */
typedef struct {
    const parley_moqt_draft_t  *draft;
    parley_buf_t                b;
    uint64_t                    count;
    uint64_t                    type;       /* of the last pair */
    unsigned                    failed:1;   /* a type or a value is not
                                               possible */
} parley_moqt_pairs_writer_t;

/* Begins without a pair.  arena is borrowed. */
void parley_moqt_pairs_writer_init(parley_moqt_pairs_writer_t *w,
    const parley_moqt_draft_t *draft, parley_arena_t *arena);

/* Append a pair: of an even type, of an odd type, of structured values. */
void parley_moqt_pairs_put_integer(parley_moqt_pairs_writer_t *w,
    uint64_t type, uint64_t n);
void parley_moqt_pairs_put_octets(parley_moqt_pairs_writer_t *w,
    uint64_t type, parley_str_t octets);
void parley_moqt_pairs_put_token(parley_moqt_pairs_writer_t *w, uint64_t type,
    const parley_moqt_token_t *token);
void parley_moqt_pairs_put_location(parley_moqt_pairs_writer_t *w,
    uint64_t type, parley_moqt_location_t location);
void parley_moqt_pairs_put_filter(parley_moqt_pairs_writer_t *w,
    uint64_t type, const parley_moqt_filter_t *filter);

/*
 * Returns 0 with *ret in the arena; or -1 if memory is exhausted, a type is
 * below the previous one or of the wrong parity, an integer exceeds those of
 * the draft, or a value is above 65535 octets.
 */
int parley_moqt_pairs_done(parley_moqt_pairs_writer_t *w,
    parley_moqt_pairs_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_MOQT_PAIRS_H */
