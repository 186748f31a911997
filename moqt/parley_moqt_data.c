#include "moqt/parley_moqt_fetch.h"


/* parts of a stream, in the order of the octets */
enum {
    PARLEY_MOQT_AT_STREAM = 0,      /* the header of the stream */
    PARLEY_MOQT_AT_OBJECT,          /* an object, up to the length of its
                                       extensions */
    PARLEY_MOQT_AT_EXTENSIONS,
    PARLEY_MOQT_AT_LENGTH,          /* length of the payload, and status */
    PARLEY_MOQT_AT_PAYLOAD
};

#define PARLEY_MOQT_IS_SHORT  1     /* octets are missing */
#define PARLEY_MOQT_PART      256   /* first allocation */


typedef int (*parley_moqt_part_pt)(parley_moqt_data_t *d,
    parley_moqt_cursor_t *c, parley_moqt_fault_t *fault);


static inline int parley_moqt_data_subgroup(parley_moqt_data_t *d,
    parley_moqt_cursor_t *c)
    __attribute__((always_inline));
static inline int parley_moqt_data_stream(parley_moqt_data_t *d,
    parley_moqt_cursor_t *c, parley_moqt_fault_t *fault)
    __attribute__((always_inline));
static inline int parley_moqt_data_object(parley_moqt_data_t *d,
    parley_moqt_cursor_t *c, parley_moqt_fault_t *fault)
    __attribute__((always_inline));
static inline int parley_moqt_data_length(parley_moqt_data_t *d,
    parley_moqt_cursor_t *c, parley_moqt_fault_t *fault)
    __attribute__((always_inline));
static inline int parley_moqt_data_part(parley_moqt_data_t *d,
    parley_str_t *in, parley_moqt_part_pt part, parley_moqt_fault_t *fault)
    __attribute__((always_inline));
static int parley_moqt_data_fetch(parley_moqt_data_t *d, parley_str_t *in,
    parley_moqt_fault_t *fault)
    __attribute__((noinline));
static int parley_moqt_data_keep(parley_moqt_data_t *d, parley_str_t *in,
    parley_moqt_part_pt part, parley_moqt_fault_t *fault)
    __attribute__((noinline));
static int parley_moqt_data_extensions(parley_moqt_data_t *d,
    parley_str_t *in, parley_moqt_fault_t *fault);
static int parley_moqt_data_check(parley_moqt_data_t *d, parley_str_t octets,
    parley_moqt_fault_t *fault);
static int parley_moqt_data_copy(parley_moqt_data_t *d, parley_str_t octets,
    parley_moqt_fault_t *fault);


/* The parts of a stream.  They are inlined: see parley_moqt_data_part(). */

static inline int
parley_moqt_data_subgroup(parley_moqt_data_t *d, parley_moqt_cursor_t *c)
{
    parley_moqt_stream_t  *s;

    s = &d->stream;
    s->subgroup = 0;
    s->priority = 0;

    if (parley_moqt_integer_read(c, &s->alias) != 0
        || parley_moqt_integer_read(c, &s->group) != 0)
    {
        return PARLEY_MOQT_IS_SHORT;
    }

    if ((s->type & PARLEY_MOQT_STREAM_MODE) == PARLEY_MOQT_STREAM_PRESENT
        && parley_moqt_integer_read(c, &s->subgroup) != 0)
    {
        return PARLEY_MOQT_IS_SHORT;
    }

    if (!(s->type & PARLEY_MOQT_STREAM_DEFAULT)) {

        if (c->pos == c->end) {
            return PARLEY_MOQT_IS_SHORT;
        }

        s->priority = *c->pos++;
    }

    return 0;
}


static inline int
parley_moqt_data_stream(parley_moqt_data_t *d, parley_moqt_cursor_t *c,
    parley_moqt_fault_t *fault)
{
    if (parley_moqt_integer_read(c, &d->stream.type) != 0) {
        return PARLEY_MOQT_IS_SHORT;
    }

    if (d->stream.type == PARLEY_MOQT_STREAM_FETCH) {
        return parley_moqt_integer_read(c, &d->stream.request) != 0
               ? PARLEY_MOQT_IS_SHORT : 0;
    }

    if (!parley_moqt_stream_is_subgroup(d->stream.type)) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Type", "the stream type is unknown or "
                                     "reserved");
    }

    return parley_moqt_data_subgroup(d, c);
}


/* Reads an object of a subgroup up to the length of its extensions. */

static inline int
parley_moqt_data_object(parley_moqt_data_t *d, parley_moqt_cursor_t *c,
    parley_moqt_fault_t *fault)
{
    uint64_t               delta, max;
    parley_moqt_object_t  *o;

    d->extensions = 0;

    if (parley_moqt_integer_read(c, &d->number) != 0
        || ((d->stream.type & PARLEY_MOQT_STREAM_EXTENSIONS)
            && parley_moqt_integer_read(c, &d->extensions) != 0))
    {
        return PARLEY_MOQT_IS_SHORT;
    }

    o = &d->object;
    max = d->draft->integer_max;
    delta = d->number;

    if (d->any) {

        if (o->id == max || delta > max - o->id - 1) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         "Object ID Delta",
                                         "the Object ID is too large");
        }

        delta += o->id + 1;

    } else if ((d->stream.type & PARLEY_MOQT_STREAM_MODE)
               == PARLEY_MOQT_STREAM_FIRST)
    {
        d->stream.subgroup = delta;
    }

    o->group = d->stream.group;
    o->subgroup = d->stream.subgroup;
    o->priority = d->stream.priority;
    o->id = delta;
    o->malformed = NULL;

    memset(&o->extensions, 0, sizeof(parley_moqt_pairs_t));

    d->any = 1;

    return parley_moqt_fetch_limit(d, fault);
}


/* Reads the length of a payload, and the status. */

static inline int
parley_moqt_data_length(parley_moqt_data_t *d, parley_moqt_cursor_t *c,
    parley_moqt_fault_t *fault)
{
    uint64_t               status;
    parley_moqt_object_t  *o;

    o = &d->object;
    d->number = PARLEY_MOQT_STATUS_NORMAL;

    if (parley_moqt_integer_read(c, &o->length) != 0
        || (o->length == 0 && d->stream.type != PARLEY_MOQT_STREAM_FETCH
            && parley_moqt_integer_read(c, &d->number) != 0))
    {
        return PARLEY_MOQT_IS_SHORT;
    }

    status = d->number;

    if (status != PARLEY_MOQT_STATUS_NORMAL
        && status != PARLEY_MOQT_STATUS_END_OF_GROUP
        && status != PARLEY_MOQT_STATUS_END_OF_TRACK)
    {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Object Status", "it is not 0, 3 or 4");
    }

    if (status != PARLEY_MOQT_STATUS_NORMAL && d->extensions > 0) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Object Status", "the object has "
                                     "extensions and is not normal");
    }

    if (o->kind != PARLEY_MOQT_OBJECT && o->length > 0) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Object Payload Length",
                                     "a range has a payload");
    }

    o->status = (parley_moqt_status_t) status;
    d->left = o->length;

    return 0;
}


static inline void
parley_moqt_data_payload(parley_moqt_data_t *d, parley_str_t *in,
    parley_str_t *ret)
{
    size_t  n;

    n = d->left < in->len ? (size_t) d->left : in->len;

    ret->data = in->data;
    ret->len = n;

    in->data += n;
    in->len -= n;

    d->left -= n;
    d->offset += n;
}


/*
 * Reads a part of a header.  Returns 0 with *in after the part;
 * PARLEY_MOQT_IS_SHORT with all octets kept; or -1.  Inlined for each part: a
 * header with one object takes half of the instructions.
 */

static inline int
parley_moqt_data_part(parley_moqt_data_t *d, parley_str_t *in,
    parley_moqt_part_pt part, parley_moqt_fault_t *fault)
{
    int                   rc;
    size_t                n;
    parley_moqt_cursor_t  c;

    if (d->kept == 0 && in->len > 0) {
        c.draft = d->draft;
        c.pos = in->data;
        c.end = in->data + in->len;

        rc = part(d, &c, fault);

        if (rc <= 0) {
            n = (size_t) (c.pos - in->data);
            d->offset += n;
            in->data += n;
            in->len -= n;

            return rc;
        }
    }

    return parley_moqt_data_keep(d, in, part, fault);
}


void
parley_moqt_data_init(parley_moqt_data_t *d, const parley_moqt_draft_t *draft,
    const parley_mem_t *mem)
{
    memset(d, 0, offsetof(parley_moqt_data_t, keep));

    d->draft = draft;
    d->mem = *mem;
}


void
parley_moqt_data_free(parley_moqt_data_t *d)
{
    if (d->copy != NULL && d->mem.free != NULL) {
        d->mem.free(d->mem.ctx, d->copy);
    }

    d->copy = NULL;
    d->size = 0;
    d->copied = 0;
}


int
parley_moqt_data_next(parley_moqt_data_t *d, parley_str_t *in,
    parley_str_t *ret, parley_moqt_fault_t *fault)
{
    int  rc;

    *ret = parley_str_none;

    switch (d->state) {

    case PARLEY_MOQT_AT_STREAM:
        rc = parley_moqt_data_part(d, in, parley_moqt_data_stream, fault);

        if (rc == 0) {
            d->state = PARLEY_MOQT_AT_OBJECT;
            return PARLEY_MOQT_DATA_STREAM;
        }

        goto done;

    case PARLEY_MOQT_AT_PAYLOAD:
        if (d->left > 0) {

            if (in->len == 0) {
                return PARLEY_MOQT_DATA_MORE;
            }

            parley_moqt_data_payload(d, in, ret);

            return PARLEY_MOQT_DATA_PAYLOAD;
        }

        d->state = PARLEY_MOQT_AT_OBJECT;

        /* fall through */

    case PARLEY_MOQT_AT_OBJECT:
        rc = d->stream.type == PARLEY_MOQT_STREAM_FETCH
             ? parley_moqt_data_fetch(d, in, fault)
             : parley_moqt_data_part(d, in, parley_moqt_data_object, fault);
        if (rc != 0) {
            goto done;
        }

        d->state = PARLEY_MOQT_AT_EXTENSIONS;
        d->copied = 0;

        /* fall through */

    case PARLEY_MOQT_AT_EXTENSIONS:
        if (d->extensions > 0) {
            rc = parley_moqt_data_extensions(d, in, fault);

            if (rc != 0) {
                goto done;
            }
        }

        d->state = PARLEY_MOQT_AT_LENGTH;

        /* fall through */

    default: /* PARLEY_MOQT_AT_LENGTH */
        rc = parley_moqt_data_part(d, in, parley_moqt_data_length, fault);

        if (rc == PARLEY_MOQT_IS_SHORT && d->extensions > 0
            && d->copied == 0)
        {
            /* the octets of *in are not valid in the next call */

            rc = parley_moqt_data_copy(d, d->object.extensions.octets, fault);
            d->object.extensions.octets = parley_str_make(d->copy, d->copied);
            rc = rc != 0 ? rc : PARLEY_MOQT_IS_SHORT;
        }

        if (rc != 0) {
            goto done;
        }

        d->state = PARLEY_MOQT_AT_PAYLOAD;
        parley_moqt_data_payload(d, in, ret);

        return PARLEY_MOQT_DATA_OBJECT;
    }

done:

    if (rc == PARLEY_MOQT_IS_SHORT) {
        return PARLEY_MOQT_DATA_MORE;
    }

    fault->place = d->state == PARLEY_MOQT_AT_STREAM ? "data stream"
                   : d->stream.type == PARLEY_MOQT_STREAM_FETCH
                   ? "FETCH_HEADER" : "SUBGROUP_HEADER";
    fault->offset = d->offset;

    return -1;
}


static int
parley_moqt_data_fetch(parley_moqt_data_t *d, parley_str_t *in,
    parley_moqt_fault_t *fault)
{
    return parley_moqt_data_part(d, in, parley_moqt_fetch_object, fault);
}


/*
 * Reads a part of a header from the octets that were kept and *in, as
 * parley_moqt_data_part().  A part that is not whole is shorter than keep.
 */

static int
parley_moqt_data_keep(parley_moqt_data_t *d, parley_str_t *in,
    parley_moqt_part_pt part, parley_moqt_fault_t *fault)
{
    int                   rc;
    size_t                n, before;
    parley_moqt_cursor_t  c;

    if (in->len == 0) {
        return PARLEY_MOQT_IS_SHORT;
    }

    before = d->kept;
    n = sizeof(d->keep) - before;
    n = n < in->len ? n : in->len;

    memcpy(d->keep + before, in->data, n);

    c.draft = d->draft;
    c.pos = d->keep;
    c.end = d->keep + before + n;

    rc = part(d, &c, fault);

    if (rc == PARLEY_MOQT_IS_SHORT) {
        d->kept = (uint8_t) (before + n);

    } else {
        n = (size_t) (c.pos - d->keep);
        n = n > before ? n - before : 0;
        d->kept = 0;
    }

    d->offset += n;
    *in = parley_str_from(*in, n);

    return rc;
}


/* As parley_moqt_data_part(), for extensions, which are checked when whole. */

static int
parley_moqt_data_extensions(parley_moqt_data_t *d, parley_str_t *in,
    parley_moqt_fault_t *fault)
{
    size_t        n;
    parley_str_t  octets;

    n = (size_t) d->extensions - d->copied;
    n = n < in->len ? n : in->len;

    octets = parley_str_make(in->data, n);

    d->offset += n;
    *in = parley_str_from(*in, n);

    if (n < d->extensions) {

        if (parley_moqt_data_copy(d, octets, fault) != 0) {
            return -1;
        }

        if (d->copied < d->extensions) {
            return PARLEY_MOQT_IS_SHORT;
        }

        octets = parley_str_make(d->copy, d->copied);
    }

    return parley_moqt_data_check(d, octets, fault);
}


static int
parley_moqt_data_check(parley_moqt_data_t *d, parley_str_t octets,
    parley_moqt_fault_t *fault)
{
    parley_moqt_cursor_t      c;
    parley_moqt_pairs_rule_t  rule;

    memset(&rule, 0, sizeof(parley_moqt_pairs_rule_t));

    rule.rows = d->draft->extensions;
    rule.scope = PARLEY_MOQT_SCOPE_OBJECT;
    rule.member = "Extension Headers";
    rule.bounded = 1;

    c.draft = d->draft;
    c.pos = octets.data;
    c.end = octets.data + octets.len;

    if (parley_moqt_pairs_read(&c, 1, &rule, &d->object.extensions, fault)
        != 0)
    {
        return -1;
    }

    parley_moqt_object_check(d->draft, &d->object);

    return 0;
}


static int
parley_moqt_data_copy(parley_moqt_data_t *d, parley_str_t octets,
    parley_moqt_fault_t *fault)
{
    size_t    size;
    uint8_t  *copy;

    if (octets.len > d->size - d->copied) {
        size = d->size > 0 ? d->size : PARLEY_MOQT_PART;

        while (size - d->copied < octets.len) {
            size *= 2;
        }

        copy = d->mem.alloc(d->mem.ctx, size);

        if (copy == NULL) {
            return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                         "", "memory is exhausted");
        }

        if (d->copy != NULL) {
            memcpy(copy, d->copy, d->copied);

            if (d->mem.free != NULL) {
                d->mem.free(d->mem.ctx, d->copy);
            }
        }

        d->copy = copy;
        d->size = size;
    }

    if (octets.len > 0) {
        memcpy(d->copy + d->copied, octets.data, octets.len);
        d->copied += octets.len;
    }

    return 0;
}


int
parley_moqt_data_end(const parley_moqt_data_t *d, parley_moqt_fault_t *fault)
{
    if (d->kept == 0 && (d->state == PARLEY_MOQT_AT_OBJECT
                         || (d->state == PARLEY_MOQT_AT_PAYLOAD
                             && d->left == 0)))
    {
        return 0;
    }

    (void) parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION, "FIN",
                                 d->state == PARLEY_MOQT_AT_STREAM
                                 ? "the stream ends in its header"
                                 : "the stream ends in an object");

    fault->place = "data stream";
    fault->offset = d->offset;

    return -1;
}
