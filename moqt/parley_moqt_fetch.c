#include "moqt/parley_moqt_fetch.h"


#define PARLEY_MOQT_IS_SHORT  1


/* members of an object that its flags give, before they are checked */
typedef struct {
    uint64_t  flags;
    uint64_t  group;
    uint64_t  subgroup;
    uint64_t  id;
    uint64_t  extensions;
    uint8_t   priority;
} parley_moqt_fetched_t;


static int parley_moqt_fetch_fields(parley_moqt_cursor_t *c,
    parley_moqt_fetched_t *ret);
static int parley_moqt_fetch_refer(const parley_moqt_data_t *d,
    parley_moqt_fetched_t *f, parley_moqt_fault_t *fault);
static int parley_moqt_fetch_error(parley_moqt_fault_t *fault,
    const char *member, const char *text);
static int parley_moqt_immutable_is(const parley_moqt_draft_t *draft,
    parley_str_t octets);


int
parley_moqt_fetch_object(parley_moqt_data_t *d, parley_moqt_cursor_t *c,
    parley_moqt_fault_t *fault)
{
    parley_moqt_object_t   *o;
    parley_moqt_fetched_t   f;

    memset(&f, 0, sizeof(parley_moqt_fetched_t));

    if (parley_moqt_integer_read(c, &f.flags) != 0) {
        return PARLEY_MOQT_IS_SHORT;
    }

    if (f.flags > PARLEY_MOQT_FETCH_FLAGS
        && f.flags != PARLEY_MOQT_FETCH_ABSENT
        && f.flags != PARLEY_MOQT_FETCH_UNKNOWN)
    {
        return parley_moqt_fetch_error(fault, "Serialization Flags",
                                       "the flags are not assigned");
    }

    if (parley_moqt_fetch_fields(c, &f) != 0) {
        return PARLEY_MOQT_IS_SHORT;
    }

    if (parley_moqt_fetch_refer(d, &f, fault) != 0) {
        return -1;
    }

    o = &d->object;

    o->malformed = d->located && f.group == o->group && f.id <= o->id
                   ? "an Object ID does not ascend" : NULL;
    o->group = f.group;
    o->id = f.id;

    d->located = 1;
    d->extensions = f.extensions;

    memset(&o->extensions, 0, sizeof(parley_moqt_pairs_t));

    if (f.flags > PARLEY_MOQT_FETCH_FLAGS) {
        o->kind = f.flags == PARLEY_MOQT_FETCH_ABSENT
                  ? PARLEY_MOQT_RANGE_ABSENT : PARLEY_MOQT_RANGE_UNKNOWN;
        return 0;
    }

    o->kind = PARLEY_MOQT_OBJECT;
    o->subgroup = f.subgroup;
    o->priority = f.priority;
    o->datagram = (f.flags & PARLEY_MOQT_FETCH_DATAGRAM) != 0;

    d->any = 1;
    d->grouped = !o->datagram;

    return parley_moqt_fetch_limit(d, fault);
}


/* Reads the fields that the flags announce.  Returns 0, or -1 if octets are
   missing. */

static int
parley_moqt_fetch_fields(parley_moqt_cursor_t *c, parley_moqt_fetched_t *ret)
{
    uint64_t  flags;

    flags = ret->flags;

    if (flags > PARLEY_MOQT_FETCH_FLAGS) {
        flags = PARLEY_MOQT_FETCH_GROUP | PARLEY_MOQT_FETCH_OBJECT;
    }

    if ((flags & PARLEY_MOQT_FETCH_GROUP)
        && parley_moqt_integer_read(c, &ret->group) != 0)
    {
        return -1;
    }

    if ((flags & PARLEY_MOQT_FETCH_MODE) == PARLEY_MOQT_FETCH_PRESENT
        && !(flags & PARLEY_MOQT_FETCH_DATAGRAM)
        && parley_moqt_integer_read(c, &ret->subgroup) != 0)
    {
        return -1;
    }

    if ((flags & PARLEY_MOQT_FETCH_OBJECT)
        && parley_moqt_integer_read(c, &ret->id) != 0)
    {
        return -1;
    }

    if (flags & PARLEY_MOQT_FETCH_PRIORITY) {

        if (c->pos == c->end) {
            return -1;
        }

        ret->priority = *c->pos++;
    }

    return (flags & PARLEY_MOQT_FETCH_EXTENSIONS)
           && parley_moqt_integer_read(c, &ret->extensions) != 0 ? -1 : 0;
}


/* Fills the fields that refer to the object before. */

static int
parley_moqt_fetch_refer(const parley_moqt_data_t *d, parley_moqt_fetched_t *f,
    parley_moqt_fault_t *fault)
{
    uint64_t                     mode;
    const parley_moqt_object_t  *o;

    o = &d->object;

    if (f->flags > PARLEY_MOQT_FETCH_FLAGS) {
        return 0;
    }

    if (!(f->flags & PARLEY_MOQT_FETCH_GROUP)) {

        if (!d->located) {
            return parley_moqt_fetch_error(fault, "Group ID",
                                           "no object came before");
        }

        f->group = o->group;
    }

    if (!(f->flags & PARLEY_MOQT_FETCH_OBJECT)) {

        if (!d->located) {
            return parley_moqt_fetch_error(fault, "Object ID",
                                           "no object came before");
        }

        if (o->id == d->draft->integer_max) {
            return parley_moqt_fetch_error(fault, "Object ID",
                                           "it is too large");
        }

        f->id = o->id + 1;
    }

    if (!(f->flags & PARLEY_MOQT_FETCH_PRIORITY)) {

        if (!d->any) {
            return parley_moqt_fetch_error(fault, "Publisher Priority",
                                           "no object came before");
        }

        f->priority = o->priority;
    }

    mode = f->flags & PARLEY_MOQT_FETCH_MODE;

    if ((f->flags & PARLEY_MOQT_FETCH_DATAGRAM)
        || mode == PARLEY_MOQT_FETCH_ZERO
        || mode == PARLEY_MOQT_FETCH_PRESENT)
    {
        return 0;
    }

    if (!d->any || !d->grouped) {
        return parley_moqt_fetch_error(fault, "Subgroup ID",
                                       "no object with a subgroup came "
                                       "before");
    }

    f->subgroup = o->subgroup;

    if (mode == PARLEY_MOQT_FETCH_NEXT) {

        if (f->subgroup == d->draft->integer_max) {
            return parley_moqt_fetch_error(fault, "Subgroup ID",
                                           "it is too large");
        }

        f->subgroup++;
    }

    return 0;
}


static int
parley_moqt_fetch_error(parley_moqt_fault_t *fault, const char *member,
    const char *text)
{
    return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                 member, text);
}


int
parley_moqt_fetch_write(parley_moqt_data_writer_t *w, parley_buf_t *b,
    const parley_moqt_object_t *object)
{
    uint64_t                     flags, mode;
    const parley_moqt_object_t  *last;

    last = &w->last;
    flags = 0;
    mode = PARLEY_MOQT_FETCH_ZERO;

    if (object->kind != PARLEY_MOQT_OBJECT) {

        if (object->length > 0 || object->extensions.octets.len > 0) {
            return -1;
        }

        parley_moqt_integer_write(w->draft, b,
                                  object->kind == PARLEY_MOQT_RANGE_ABSENT
                                  ? PARLEY_MOQT_FETCH_ABSENT
                                  : PARLEY_MOQT_FETCH_UNKNOWN);
        parley_moqt_integer_write(w->draft, b, object->group);
        parley_moqt_integer_write(w->draft, b, object->id);
        parley_moqt_integer_write(w->draft, b, 0);

        return 0;
    }

    if (!w->located || object->group != last->group) {
        flags |= PARLEY_MOQT_FETCH_GROUP;
    }

    if (!w->located || object->id != last->id + 1) {
        flags |= PARLEY_MOQT_FETCH_OBJECT;
    }

    if (!w->any || object->priority != last->priority) {
        flags |= PARLEY_MOQT_FETCH_PRIORITY;
    }

    if (object->extensions.octets.len > 0) {
        flags |= PARLEY_MOQT_FETCH_EXTENSIONS;
    }

    if (object->datagram) {
        flags |= PARLEY_MOQT_FETCH_DATAGRAM;

    } else if (object->subgroup > 0) {
        mode = !w->any || !w->grouped ? PARLEY_MOQT_FETCH_PRESENT
               : object->subgroup == last->subgroup ? PARLEY_MOQT_FETCH_PRIOR
               : object->subgroup == last->subgroup + 1
               ? PARLEY_MOQT_FETCH_NEXT : PARLEY_MOQT_FETCH_PRESENT;
    }

    parley_moqt_integer_write(w->draft, b, flags | mode);

    if (flags & PARLEY_MOQT_FETCH_GROUP) {
        parley_moqt_integer_write(w->draft, b, object->group);
    }

    if (mode == PARLEY_MOQT_FETCH_PRESENT) {
        parley_moqt_integer_write(w->draft, b, object->subgroup);
    }

    if (flags & PARLEY_MOQT_FETCH_OBJECT) {
        parley_moqt_integer_write(w->draft, b, object->id);
    }

    if (flags & PARLEY_MOQT_FETCH_PRIORITY) {
        parley_buf_octet(b, object->priority);
    }

    if (flags & PARLEY_MOQT_FETCH_EXTENSIONS) {
        parley_moqt_octets_write(w->draft, b, object->extensions.octets);
    }

    parley_moqt_integer_write(w->draft, b, object->length);

    return 0;
}


void
parley_moqt_object_check(const parley_moqt_draft_t *draft,
    parley_moqt_object_t *o)
{
    uint64_t              type, previous;
    parley_moqt_pair_t    pair;
    parley_moqt_fault_t   fault;
    parley_moqt_cursor_t  c;

    parley_moqt_pairs_begin(draft, &o->extensions, &c);
    type = 0;

    while (c.pos < c.end) {
        previous = type;

        if (parley_moqt_pair_read(&c, &type, &pair, &fault) != 0) {
            return;
        }

        if (type != PARLEY_MOQT_EXT_IMMUTABLE
            && type != PARLEY_MOQT_EXT_GROUP_GAP
            && type != PARLEY_MOQT_EXT_OBJECT_GAP)
        {
            continue;
        }

        if (type == previous) {
            o->malformed = "an extension is repeated";

        } else if (type == PARLEY_MOQT_EXT_IMMUTABLE) {

            if (!parley_moqt_immutable_is(draft, pair.octets)) {
                o->malformed = "IMMUTABLE_EXTENSIONS cannot be read";
            }

        } else if (pair.integer > (type == PARLEY_MOQT_EXT_GROUP_GAP
                                   ? o->group : o->id))
        {
            o->malformed = "a gap exceeds the ID";
        }
    }
}


static int
parley_moqt_immutable_is(const parley_moqt_draft_t *draft,
    parley_str_t octets)
{
    uint64_t              type;
    parley_moqt_pair_t    pair;
    parley_moqt_fault_t   fault;
    parley_moqt_cursor_t  c;

    c.draft = draft;
    c.pos = octets.data;
    c.end = octets.data + octets.len;
    type = 0;

    while (c.pos < c.end) {
        if (parley_moqt_pair_read(&c, &type, &pair, &fault) != 0
            || type == PARLEY_MOQT_EXT_IMMUTABLE)
        {
            return 0;
        }
    }

    return 1;
}
