/* Finds the values of a frame on the axes of filters. */

#include "translate/channel/parley_channel.h"
#include "translate/channel/parley_channel_filter.h"


static int
parley_channel_facts_text(const parley_json_t *doc, uint32_t value,
    parley_str_t *ret)
{
    *ret = parley_str_none;

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    return parley_json_string(doc, value, ret);
}


int
parley_channel_facts(const parley_json_t *doc, parley_channel_facts_t *ret,
    parley_str_t *recipient)
{
    uint32_t                 payload, type;
    parley_str_t             drafted;
    parley_channel_fields_t  f;

    memset(ret, 0, sizeof(parley_channel_facts_t));

    parley_channel_fields(doc, &f);

    payload = f.values[PARLEY_CHANNEL_PAYLOAD];

    type = payload != PARLEY_JSON_NONE
           ? parley_json_get(doc, payload, PARLEY_STR("content_type"))
           : PARLEY_JSON_NONE;

    if (parley_channel_facts_text(doc, f.values[PARLEY_CHANNEL_KIND],
                                  &ret->values[PARLEY_CHANNEL_AXIS_KIND])
        != 0
        || parley_channel_facts_text(doc, f.values[PARLEY_CHANNEL_SENDER],
                                     &ret->values[PARLEY_CHANNEL_AXIS_SENDER])
           != 0
        || parley_channel_facts_text(doc, f.values[PARLEY_CHANNEL_RECIPIENT],
                                     recipient)
           != 0
        || parley_channel_facts_text(doc, type,
                              &ret->values[PARLEY_CHANNEL_AXIS_CONTENT_TYPE])
           != 0
        || parley_channel_facts_text(doc,
                                     f.values[PARLEY_CHANNEL_DRAFTED_WITH],
                                     &drafted)
           != 0)
    {
        return -1;
    }

    /* A tool is the instrument without its version: ~cc-model@1.2. */

    if (drafted.len > 1) {
        ret->values[PARLEY_CHANNEL_AXIS_TOOL] =
                     parley_str_until(parley_str_from(drafted, 1), '@');
    }

    return 0;
}
