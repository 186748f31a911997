#include "moqt/parley_moqt_control.h"


#define PARLEY_MOQT_HEADER_MAX  (PARLEY_MOQT_INTEGER_LEN + 2)
#define PARLEY_MOQT_PART        256     /* first allocation */


static int parley_moqt_control_whole(parley_moqt_control_t *c,
    parley_str_t octets, parley_moqt_message_t *ret,
    parley_moqt_fault_t *fault);
static int parley_moqt_control_header(parley_moqt_control_t *c,
    parley_str_t octets, parley_moqt_fault_t *fault);
static int parley_moqt_control_take(parley_moqt_control_t *c,
    parley_str_t *in, size_t len, parley_moqt_fault_t *fault);


void
parley_moqt_control_init(parley_moqt_control_t *c,
    const parley_moqt_draft_t *draft, const parley_mem_t *mem,
    parley_moqt_role_t from, unsigned on)
{
    memset(c, 0, sizeof(parley_moqt_control_t));

    c->draft = draft;
    c->mem = *mem;
    c->from = (uint8_t) from;
    c->on = (uint8_t) on;
}


void
parley_moqt_control_free(parley_moqt_control_t *c)
{
    if (c->octets != NULL && c->mem.free != NULL) {
        c->mem.free(c->mem.ctx, c->octets);
    }

    c->octets = NULL;
    c->size = 0;
    c->len = 0;
    c->need = 0;
}


int
parley_moqt_control_next(parley_moqt_control_t *c, parley_str_t *in,
    parley_moqt_message_t *ret, parley_moqt_fault_t *fault)
{
    parley_str_t  octets;

    if (c->need > 0 && c->len == c->need) {
        c->len = 0;
        c->need = 0;
    }

    if (c->len == 0) {

        if (parley_moqt_control_header(c, *in, fault) != 0) {
            return -1;
        }

        if (c->need > 0 && c->need <= in->len) {
            octets = parley_str_make(in->data, c->need);
            *in = parley_str_from(*in, c->need);
            c->need = 0;

            return parley_moqt_control_whole(c, octets, ret, fault);
        }
    }

    /* the octets of the header come one by one: its length is not known */

    while (c->need == 0 && in->len > 0) {

        if (parley_moqt_control_take(c, in, 1, fault) != 0
            || parley_moqt_control_header(c, parley_str_make(c->octets,
                                                             c->len), fault)
               != 0)
        {
            return -1;
        }
    }

    if (c->need == 0
        || parley_moqt_control_take(c, in, c->need - c->len, fault) != 0)
    {
        return c->need == 0 ? 0 : -1;
    }

    if (c->len < c->need) {
        return 0;
    }

    return parley_moqt_control_whole(c, parley_str_make(c->octets, c->len),
                                     ret, fault);
}


static int
parley_moqt_control_whole(parley_moqt_control_t *c, parley_str_t octets,
    parley_moqt_message_t *ret, parley_moqt_fault_t *fault)
{
    if (parley_moqt_message_read(c->draft, c->type,
                                 parley_str_from(octets, c->header), ret,
                                 fault) != 0)
    {
        fault->offset += c->header;
        return -1;
    }

    return 1;
}


/*
 * Reads type and length at the start of octets, and sets c->need if they are
 * whole.
 */

static int
parley_moqt_control_header(parley_moqt_control_t *c, parley_str_t octets,
    parley_moqt_fault_t *fault)
{
    parley_moqt_cursor_t      cursor;
    const parley_moqt_row_t  *row;

    if (octets.len == 0) {
        return 0;
    }

    cursor.draft = c->draft;
    cursor.pos = octets.data;
    cursor.end = octets.data + octets.len;

    if (parley_moqt_integer_read(&cursor, &c->type) != 0) {
        return 0;
    }

    row = parley_moqt_draft_row(c->draft, c->type);

    if (row == NULL) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Type", "the message type is unknown");
    }

    if (!(row->from & c->from) || !(row->on & c->on)) {
        (void) parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     "Type", !(row->from & c->from)
                                     ? "the other side must send it"
                                     : "it is not allowed on this stream");
        fault->place = row->name;
        return -1;
    }

    if (cursor.end - cursor.pos < 2) {
        return 0;
    }

    c->header = (size_t) (cursor.pos - octets.data) + 2;
    c->need = c->header + ((size_t) cursor.pos[0] << 8 | cursor.pos[1]);

    return 0;
}


/*
 * Copies up to len octets from *in.  The copy grows with the octets that have
 * arrived, so that a length alone takes no memory.
 */

static int
parley_moqt_control_take(parley_moqt_control_t *c, parley_str_t *in,
    size_t len, parley_moqt_fault_t *fault)
{
    size_t    size;
    uint8_t  *octets;

    len = len < in->len ? len : in->len;

    if (len > c->size - c->len) {
        size = c->size > 0 ? c->size : PARLEY_MOQT_PART;

        while (size - c->len < len) {
            size *= 2;
        }

        octets = c->mem.alloc(c->mem.ctx, size);

        if (octets == NULL) {
            return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                         "", "memory is exhausted");
        }

        if (c->octets != NULL) {
            memcpy(octets, c->octets, c->len);

            if (c->mem.free != NULL) {
                c->mem.free(c->mem.ctx, c->octets);
            }
        }

        c->octets = octets;
        c->size = size;
    }

    if (len > 0) {
        memcpy(c->octets + c->len, in->data, len);
        c->len += len;
        *in = parley_str_from(*in, len);
    }

    return 0;
}


int
parley_moqt_control_partial(const parley_moqt_control_t *c)
{
    return c->len > 0 && c->len != c->need;
}
