/*
 * The format of the status for any query and Accept header; the first octet is
 * the length of the query.
 */

#include <stdlib.h>

#include "gate/metrics/parley_status.h"
#include "t/fuzz/parley_fuzz.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int                     rc;
    size_t                  n;
    parley_str_t            query, accept;
    parley_status_format_t  format, again;

    if (size == 0) {
        return 0;
    }

    n = data[0] < size ? data[0] : size - 1;

    query = parley_str_make(data + 1, n);
    accept = parley_str_make(data + 1 + n, size - 1 - n);

    rc = parley_status_format(query, accept, &format);

    check(rc == 0 || rc == -1);

    if (rc != 0) {
        return 0;
    }

    check(format < PARLEY_STATUS_FORMATS);
    check(parley_status_type(format).len > 0);

    /* the argument has priority */

    check(parley_status_format(query, parley_str_none, &again) == 0);
    check(again == format || again == PARLEY_STATUS_JSON);

    return 0;
}
