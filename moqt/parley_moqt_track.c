#include "core/parley_hex.h"
#include "moqt/parley_moqt_track.h"


static int parley_moqt_safe_is(uint8_t c);


int
parley_moqt_namespace_read(parley_moqt_cursor_t *c, size_t least,
    const char *member, parley_moqt_namespace_t *ret,
    parley_moqt_fault_t *fault)
{
    uint64_t       count, i, len;
    parley_str_t  *field;

    ret->count = 0;
    ret->octets = 0;

    if (parley_moqt_integer_read(c, &count) != 0) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     member, "the message ends too early");
    }

    if (count < least || count > PARLEY_MOQT_FIELDS_MAX) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     member, least > 0
                                     ? "the number of fields is not 1 to 32"
                                     : "it has more than 32 fields");
    }

    for (i = 0; i < count; i++) {

        if (parley_moqt_integer_read(c, &len) != 0) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         member,
                                         "the message ends too early");
        }

        if (len == 0) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         member, "a field is empty");
        }

        if (len > PARLEY_MOQT_NAME_MAX - ret->octets) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         member,
                                         "it has more than 4096 octets");
        }

        if (len > (uint64_t) (c->end - c->pos)) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_PROTOCOL_VIOLATION,
                                         member,
                                         "the message ends too early");
        }

        field = &ret->fields[i];
        field->data = c->pos;
        field->len = (size_t) len;

        c->pos += len;
        ret->octets += (size_t) len;
        ret->count++;
    }

    return 0;
}


int
parley_moqt_name_read(parley_moqt_cursor_t *c, size_t octets,
    const char *member, parley_str_t *ret, parley_moqt_fault_t *fault)
{
    uint64_t  len;

    if (parley_moqt_integer_read(c, &len) != 0) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     member, "the message ends too early");
    }

    if (len > PARLEY_MOQT_NAME_MAX - octets) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     member, "the full track name has more "
                                     "than 4096 octets");
    }

    if (len > (uint64_t) (c->end - c->pos)) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                     member, "the message ends too early");
    }

    *ret = parley_str_make(c->pos, (size_t) len);
    c->pos += len;

    return 0;
}


void
parley_moqt_namespace_write(const parley_moqt_draft_t *draft, parley_buf_t *b,
    const parley_moqt_namespace_t *space)
{
    size_t  i;

    parley_moqt_integer_write(draft, b, space->count);

    for (i = 0; i < space->count; i++) {
        parley_moqt_octets_write(draft, b, space->fields[i]);
    }
}


int
parley_moqt_namespace_add(parley_moqt_namespace_t *space, parley_str_t field)
{
    if (space->count == PARLEY_MOQT_FIELDS_MAX || field.len == 0
        || field.len > PARLEY_MOQT_NAME_MAX - space->octets)
    {
        return -1;
    }

    space->fields[space->count++] = field;
    space->octets += field.len;

    return 0;
}


int
parley_moqt_namespace_eq(const parley_moqt_namespace_t *a,
    const parley_moqt_namespace_t *b)
{
    return a->count == b->count && a->octets == b->octets
           && parley_moqt_namespace_begins(a, b);
}


int
parley_moqt_namespace_begins(const parley_moqt_namespace_t *space,
    const parley_moqt_namespace_t *prefix)
{
    size_t  i;

    if (prefix->count > space->count) {
        return 0;
    }

    for (i = 0; i < prefix->count; i++) {
        if (!parley_str_eq(space->fields[i], prefix->fields[i])) {
            return 0;
        }
    }

    return 1;
}


void
parley_moqt_safe_write(parley_buf_t *b, parley_str_t s)
{
    size_t   i;
    uint8_t  escape[3];

    escape[0] = '.';

    for (i = 0; i < s.len; i++) {

        if (parley_moqt_safe_is(s.data[i])) {
            parley_buf_octet(b, s.data[i]);
            continue;
        }

        (void) parley_hex_write(escape + 1, s.data + i, 1);
        parley_buf_put(b, escape, sizeof(escape));
    }
}


int
parley_moqt_safe_read(parley_arena_t *arena, parley_str_t s,
    parley_str_t *ret)
{
    int       high, low;
    size_t    i;
    uint8_t  *out, *p;

    *ret = parley_str_none;

    out = parley_arena_octets(arena, s.len + 1);
    if (out == NULL) {
        return -1;
    }

    p = out;

    for (i = 0; i < s.len; i++) {

        if (parley_moqt_safe_is(s.data[i])) {
            *p++ = s.data[i];
            continue;
        }

        if (s.data[i] != '.' || s.len - i < 3) {
            return -1;
        }

        high = parley_hex_digit(s.data[i + 1]);
        low = parley_hex_digit(s.data[i + 2]);

        if (high < 0 || low < 0) {
            return -1;
        }

        *p++ = (uint8_t) (high << 4 | low);
        i += 2;
    }

    *ret = parley_str_make(out, (size_t) (p - out));

    return 0;
}


static int
parley_moqt_safe_is(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_';
}


void
parley_moqt_track_write(parley_buf_t *b, const parley_moqt_namespace_t *space,
    parley_str_t name)
{
    size_t  i;

    for (i = 0; i < space->count; i++) {

        if (i > 0) {
            parley_buf_octet(b, '-');
        }

        parley_moqt_safe_write(b, space->fields[i]);
    }

    parley_buf_lit(b, "--");
    parley_moqt_safe_write(b, name);
}
