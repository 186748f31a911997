/*
 * MoQ Transport.  The first octet chooses: messages of a control stream of a
 * client or a server, without or with a session, of a request stream or its
 * answer, the payload of CLIENT_SETUP or SERVER_SETUP, or a data stream.  The
 * second octet is the size of the pieces in which a stream comes.  A stream in
 * pieces gives the events of the stream in one piece, and an event that is
 * written is read back.
 */

#include <stdlib.h>
#include <string.h>

#include "moqt/parley_moqt_data.h"
#include "moqt/parley_moqt_session.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_HASH   UINT64_C(0x100000001b3)
#define FUZZ_LIMIT  4       /* requests of a side */


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static const parley_moqt_draft_t *const  draft = &parley_moqt_draft_16;

/* events of a stream: a hash of them, and its end */
typedef struct {
    uint64_t             hash;
    uint64_t             count;
    int                  rc;
    parley_moqt_fault_t  fault;
} fuzz_events_t;


static void
add(fuzz_events_t *events, const void *data, size_t len)
{
    size_t          i;
    const uint8_t  *p;

    p = data;

    for (i = 0; i < len; i++) {
        events->hash = (events->hash ^ p[i]) * FUZZ_HASH;
    }
}


/* Writes a message in its shortest form, and checks that it is read back. */

static void
check_message(const parley_moqt_message_t *m, fuzz_events_t *events)
{
    parley_buf_t           b;
    parley_str_t           out, again;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_message_t  back;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    check(parley_moqt_message_write(draft, &b, m, &fault) == 0);
    check(parley_buf_done(&b, &out) == 0);

    /* the types of all messages are below 64: one octet */

    check(parley_moqt_message_read(draft, m->type, parley_str_from(out, 3),
                                   &back, &fault) == 0);

    parley_buf_init(&b, &arena, 0);
    check(parley_moqt_message_write(draft, &b, &back, &fault) == 0);
    check(parley_buf_done(&b, &again) == 0);
    check(parley_str_eq(out, again));

    add(events, out.data, out.len);
    events->count++;

    parley_arena_reset(&arena);
}


static void
read_control(parley_str_t in, size_t step, parley_moqt_role_t from,
    unsigned on, fuzz_events_t *events)
{
    size_t                 n;
    parley_str_t           part;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    parley_moqt_control_init(&c, draft, &parley_mem_libc, from, on);

    while (in.len > 0 && events->rc >= 0) {
        n = step < in.len ? step : in.len;
        part = parley_str_make(in.data, n);
        in = parley_str_from(in, n);

        do {
            events->rc = parley_moqt_control_next(&c, &part, &m,
                                                  &events->fault);

            if (events->rc == 1) {
                check_message(&m, events);
            }

        } while (events->rc == 1);

        check(events->rc < 0 || part.len == 0);
    }

    parley_moqt_control_free(&c);
}


/* Feeds a session that also sends requests, so that answers find them. */

static void
read_session(parley_str_t in, size_t step, parley_moqt_role_t role,
    fuzz_events_t *events)
{
    size_t                 n;
    parley_buf_t           b;
    parley_str_t           part;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m, sent;
    parley_moqt_session_t  s;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    check(parley_moqt_session_init(&s, draft, &parley_mem_libc, role,
                                   FUZZ_LIMIT) == 0);
    s.setup_in = in.len % 2;
    s.setup_out = 1;
    s.maximum_out = 2 * FUZZ_LIMIT;

    while (in.len > 0 && events->rc >= 0) {
        n = step < in.len ? step : in.len;
        part = parley_str_make(in.data, n);
        in = parley_str_from(in, n);

        do {
            events->rc = parley_moqt_session_take(&s, &part, &m, &effect,
                                                  &events->fault);

            if (events->rc != 1) {
                break;
            }

            check(s.setup_in && s.missing <= FUZZ_LIMIT);
            check(effect.request == NULL || effect.ended
                  || effect.request->state != PARLEY_MOQT_FREE);

            add(events, &m.type, sizeof(m.type));
            events->count++;

            if (m.row->request) {
                memset(&sent, 0, sizeof(sent));
                sent.type = m.type;
                sent.existing = 0;
                sent.fetch = PARLEY_MOQT_FETCH_RELATIVE;
                sent.alias = m.alias;
                check(parley_moqt_namespace_add(&sent.space, PARLEY_STR("x"))
                      == 0);
                check(parley_moqt_session_send(&s, &b, &sent, &effect, &fault)
                      >= 0 || fault.code == PARLEY_MOQT_INTERNAL_ERROR);

                sent.type = PARLEY_MOQT_REQUEST_ERROR;
                sent.request = m.request;
                check(parley_moqt_session_send(&s, &b, &sent, &effect, &fault)
                      == 0 && effect.ended);
                (void) parley_moqt_session_grant(&s, &b);
            }

        } while (events->rc == 1);
    }

    parley_moqt_session_free(&s);
    parley_arena_reset(&arena);
}


static void
read_setup(parley_str_t in, unsigned type)
{
    fuzz_events_t          events;
    parley_moqt_fault_t    fault;
    parley_moqt_message_t  m;

    memset(&events, 0, sizeof(events));

    if (in.len > PARLEY_MOQT_MESSAGE_MAX) {
        return;
    }

    if (parley_moqt_message_read(draft, type, in, &m, &fault) == 0) {
        check_message(&m, &events);

    } else {
        check(fault.code != PARLEY_MOQT_NO_ERROR && fault.text[0] != '\0'
              && fault.offset <= in.len);
    }
}


/* Writes an object, if the writer follows, and reads it back. */

static void
check_object(const parley_moqt_data_t *d, parley_moqt_data_writer_t *w,
    parley_moqt_data_t *reader)
{
    parley_buf_t         b;
    parley_str_t         out, payload;
    parley_arena_t       arena;
    parley_moqt_fault_t  fault;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    check(parley_moqt_object_write(w, &b, &d->object) == 0);
    check(parley_buf_done(&b, &out) == 0);
    check(parley_moqt_data_next(reader, &out, &payload, &fault)
          == PARLEY_MOQT_DATA_OBJECT);
    check(out.len == 0 && reader->object.kind == d->object.kind
          && reader->object.status == d->object.status
          && reader->object.group == d->object.group
          && reader->object.id == d->object.id
          && reader->object.length == d->object.length
          && parley_str_eq(reader->object.extensions.octets,
                           d->object.extensions.octets));
    check(d->object.kind != PARLEY_MOQT_OBJECT
          || (reader->object.priority == d->object.priority
              && reader->object.datagram == d->object.datagram
              && (d->object.datagram
                  || reader->object.subgroup == d->object.subgroup)));

    reader->left = 0;   /* without its payload */

    parley_arena_reset(&arena);
}


static void
read_data(parley_str_t in, size_t step, fuzz_events_t *events)
{
    int                        rc;
    size_t                     n;
    uint64_t                   left;
    parley_buf_t               b;
    parley_str_t               part, payload, out;
    parley_arena_t             arena;
    parley_moqt_data_t         d, reader;
    parley_moqt_data_writer_t  w;

    parley_moqt_data_init(&d, draft, &parley_mem_libc);
    parley_moqt_data_init(&reader, draft, &parley_mem_libc);
    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&w, 0, sizeof(w));

    rc = 0;
    left = 0;

    while (in.len > 0 && rc >= 0) {
        n = step < in.len ? step : in.len;
        part = parley_str_make(in.data, n);
        in = parley_str_from(in, n);

        do {
            rc = parley_moqt_data_next(&d, &part, &payload, &events->fault);

            if (rc == PARLEY_MOQT_DATA_STREAM) {
                parley_buf_init(&b, &arena, 0);
                check(parley_moqt_data_write(&w, draft, &b, &d.stream) == 0);
                check(parley_buf_done(&b, &out) == 0);
                check(parley_moqt_data_next(&reader, &out, &payload,
                                            &events->fault)
                      == PARLEY_MOQT_DATA_STREAM && out.len == 0);
                check(memcmp(&reader.stream, &d.stream,
                             offsetof(parley_moqt_stream_t, priority)) == 0);
                events->count++;

            } else if (rc > 0) {

                if (rc == PARLEY_MOQT_DATA_OBJECT) {
                    check(left == 0);
                    left = d.object.length;
                    check_object(&d, &w, &reader);
                    add(events, &d.object.group, sizeof(uint64_t));
                    add(events, &d.object.id, sizeof(uint64_t));
                    events->count++;
                }

                check(payload.len <= left);
                left -= payload.len;
                check(left == d.left);
                add(events, payload.data, payload.len);
            }

        } while (rc > 0);

        check(rc < 0 || part.len == 0);
    }

    events->rc = rc < 0 ? rc : parley_moqt_data_end(&d, &events->fault);

    parley_moqt_data_free(&d);
    parley_moqt_data_free(&reader);
    parley_arena_reset(&arena);
}


static void
read_stream(parley_str_t in, size_t step, unsigned which,
    fuzz_events_t *events)
{
    memset(events, 0, sizeof(fuzz_events_t));

    switch (which) {

    case 0:
        read_data(in, step, events);
        break;

    case 1:
        read_control(in, step, PARLEY_MOQT_SERVER, PARLEY_MOQT_ON_CONTROL,
                     events);
        break;

    case 2:
        read_control(in, step, PARLEY_MOQT_CLIENT, PARLEY_MOQT_ON_REQUEST,
                     events);
        break;

    case 8:
        read_session(in, step, PARLEY_MOQT_SERVER, events);
        break;

    case 9:
        read_session(in, step, PARLEY_MOQT_CLIENT, events);
        break;

    case 3:
        read_control(in, step, PARLEY_MOQT_SERVER, PARLEY_MOQT_ON_RESPONSE,
                     events);
        break;

    default:
        read_control(in, step, PARLEY_MOQT_CLIENT, PARLEY_MOQT_ON_CONTROL,
                     events);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned       which;
    parley_str_t   in;
    fuzz_events_t  whole, pieces;

    if (size < 3) {
        return 0;
    }

    which = data[0] % 10;
    in = parley_str_make(data + 2, size - 2);

    if (which == 6 || which == 7) {
        read_setup(in, which == 6 ? PARLEY_MOQT_CLIENT_SETUP
                                  : PARLEY_MOQT_SERVER_SETUP);
        return 0;
    }

    read_stream(in, in.len, which, &whole);
    read_stream(in, 1 + data[1] % 64, which, &pieces);

    check(whole.rc == pieces.rc && whole.count == pieces.count
          && whole.hash == pieces.hash);

    if (whole.rc < 0) {
        check(whole.fault.code != PARLEY_MOQT_NO_ERROR
              && whole.fault.code == pieces.fault.code
              && whole.fault.text == pieces.fault.text
              && whole.fault.member == pieces.fault.member);
    }

    return 0;
}
