#include "translate/parley_deadline_read.h"


int64_t
parley_msg_deadline(const parley_json_t *doc, uint32_t value, int64_t max)
{
    double   d;
    int64_t  ms;

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_NUMBER)
    {
        return -1;
    }

    if (parley_json_node(doc, value)->flags & PARLEY_JSON_INTEGER
        && parley_json_integer(doc, value, &ms) == 0)
    {
        return ms <= 0 ? -1 : ms < max ? ms : max;
    }

    d = parley_json_number(doc, value);

    if (d <= 0) {
        return -1;
    }

    if (d >= (double) max) {
        return max;
    }

    return (int64_t) d + ((double) (int64_t) d < d);
}
