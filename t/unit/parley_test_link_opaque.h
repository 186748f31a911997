/*
 * Opaque tracks for tests of a link.  The records that one link appends are
 * given to another one.
 */

#ifndef PARLEY_TEST_LINK_OPAQUE_H
#define PARLEY_TEST_LINK_OPAQUE_H

#include "t/unit/parley_test_link.h"


#define RECORDS  32

static uint8_t  kept[RECORDS][4096];
static size_t   lens[RECORDS];
static size_t   nkept;


static inline void
keep(void)
{
    memcpy(kept, w.records, sizeof(kept));
    memcpy(lens, w.lens, sizeof(lens));
    nkept = w.nrecords;
}


static inline void
record(size_t n)
{
    parley_link_record(w.link, w.taps[w.ntaps - 1],
                       parley_str_make(kept[n], lens[n]), 0);
    look();
}


static inline void
ask(uint64_t type, const char *agent, const char *name)
{
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(m));

    m.type = type;
    m.name = parley_str_c(name);

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space, parley_str_c(agent)),
                     0);
    control(&m);
}


static inline void
subscribe(const char *agent, const char *name)
{
    ask(PARLEY_MOQT_SUBSCRIBE, agent, name);
}


static inline const parley_moqt_message_t *
last(uint64_t type)
{
    assert_true(w.ngot > 0);
    assert_int_equal(w.types[w.ngot - 1], type);

    return &w.got[w.ngot - 1];
}


static inline void
joined(int status)
{
    parley_link_joined(w.link, w.taps[w.ntaps - 1], status,
                       status == 403 ? "scope-unauthorised" : "");
    look();
}


/* Keeps the record WANT of a subscriber as the first one. */

static inline void
want(void)
{
    (void) open_session(SIZE_MAX);
    w.counts[1] = 1;

    subscribe("camera", "camera.1.video");
    joined(0);

    assert_int_equal(w.nrecords, 1);
    assert_int_equal(w.publisher[0], 1);
    assert_string_equal(w.tracks[0], "camera.1.video");

    keep();
    end();
}


static inline parley_moq_frame_t
sample(parley_moq_type_t type, uint64_t session, const char *text)
{
    parley_moq_frame_t  f = cmd(session, 7, text);

    f.type = type;
    return f;
}


/* Begins as camera with the Session ID 5.  Returns the alias of its track,
   which is published. */

static inline uint64_t
camera(void)
{
    uint64_t  alias;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    alias = publish("camera", "camera.0.cmd");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "camera", "camera");

    alias = publish("camera", "camera.1.video");

    assert_int_equal(w.ntaps, 1);
    assert_true(w.taps[0]->publishes);

    joined(0);

    return alias;
}


/* Appends the records of streams of one frame each. */

static inline void
samples(parley_moq_type_t type, size_t n)
{
    size_t              i;
    uint64_t            alias;
    static char         text[2001];
    parley_moq_frame_t  f;

    want();
    alias = camera();

    record(0);
    memset(text, 'x', sizeof(text) - 1);

    for (i = 0; i < n; i++) {
        f = sample(type, 5, text);
        parley_link_stream_free(send_frames(alias, &f, 1));
    }

    keep();
    end();
}


/* Returns the number of requests that were answered with a code. */

static inline void
refused(parley_moqt_refuse_t code)
{
    assert_int_equal(last(PARLEY_MOQT_REQUEST_ERROR)->code, code);
}


#endif /* PARLEY_TEST_LINK_OPAQUE_H */
