/* Cases: reading a SUBSCRIBE, and a subgroup stream with one object. */

#include "bench/bench_pure.h"
#include "moqt/parley_moqt_control.h"
#include "moqt/parley_moqt_data.h"


static void bench_prepare_moqt(const bench_case_t *c);
static int bench_run_subscribe(void);
static int bench_run_object(void);


const bench_case_t  bench_moqt_cases[] = {
    { "moqt-subscribe", 50, NULL, 0, bench_prepare_moqt,
      bench_run_subscribe },
    { "moqt-object", 50, NULL, 0, bench_prepare_moqt, bench_run_object },
    { NULL, 0, NULL, 0, NULL, NULL }
};


static void
bench_prepare_moqt(const bench_case_t *c)
{
    (void) c;
}


static int
bench_run_subscribe(void)
{
    int                    rc;
    parley_str_t           in;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  control;
    parley_moqt_message_t  m;

    /* two fields, a name, three parameters */

    static const char  octets[]
        = "\x03\x00\x23\x04\x02\x03" "a2a" "\x06" "camera" "\x0c"
          "camera.0.cmd" "\x03\x20\x40\x80\x01\x01\x02\x01\x01";

    in = parley_str_make(octets, sizeof(octets) - 1);

    parley_moqt_control_init(&control, &parley_moqt_draft_16,
                             &parley_mem_libc, PARLEY_MOQT_CLIENT,
                             PARLEY_MOQT_ON_CONTROL);
    rc = parley_moqt_control_next(&control, &in, &m, &fault);
    parley_moqt_control_free(&control);

    return rc == 1 && in.len == 0 && m.params.count == 3 ? 0 : -1;
}


static int
bench_run_object(void)
{
    parley_str_t         in, payload;
    parley_moqt_data_t   d;
    parley_moqt_fault_t  fault;

    static const char  octets[]
        = "\x10\x05\x43\xe8\x80" "\x00\x40\x40"
          "0123456789012345678901234567890123456789012345678901234567890123";

    in = parley_str_make(octets, sizeof(octets) - 1);

    parley_moqt_data_init(&d, &parley_moqt_draft_16, &parley_mem_libc);

    if (parley_moqt_data_next(&d, &in, &payload, &fault)
        != PARLEY_MOQT_DATA_STREAM
        || parley_moqt_data_next(&d, &in, &payload, &fault)
           != PARLEY_MOQT_DATA_OBJECT
        || parley_moqt_data_end(&d, &fault) != 0)
    {
        return -1;
    }

    parley_moqt_data_free(&d);

    return payload.len == 64 && in.len == 0 ? 0 : -1;
}
