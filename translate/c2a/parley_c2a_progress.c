/*
 * How far the work on an event is: notifications/progress of a harness, and the
 * content of the event that the host makes of it,
 *
 *   {"type": "text", "text": "2 of 5: Checked build status"},
 *   {"type": "data", "data": {"eventId": "m3", "progress": 2, "total": 5}}
 */

#include "core/parley_number.h"
#include "translate/c2a/parley_c2a_chat.h"


static void parley_c2a_progress_read(const parley_json_t *doc,
    uint32_t object, parley_chat_progress_t *ret);
static void parley_c2a_progress_number(parley_buf_t *b, double number);


int
parley_c2a_progress_call(const parley_json_t *doc, const uint32_t *at,
    parley_chat_call_t *ret)
{
    ret->kind = PARLEY_CHAT_CALL_PROGRESS;

    parley_c2a_progress_read(doc, at[PARLEY_C2A_AT_PARAMS], &ret->progress);

    if (parley_c2a_scalar(doc, at[PARLEY_C2A_AT_TOKEN], &ret->progress.of) != 0
        || parley_msg_member(doc, at[PARLEY_C2A_AT_PARAMS],
                             PARLEY_ATOM_message, &ret->args.text)
           != 0)
    {
        return -1;
    }

    ret->args.in_reply_to = ret->progress.of;

    return 0;
}


void
parley_c2a_progress_data(parley_buf_t *b,
    const parley_chat_progress_t *progress)
{
    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("eventId"), progress->of);
    parley_buf_lit(b, ",\"progress\":");
    parley_c2a_progress_number(b, progress->done);

    if (progress->total >= 0) {
        parley_buf_lit(b, ",\"total\":");
        parley_c2a_progress_number(b, progress->total);
    }

    parley_buf_octet(b, '}');
}


void
parley_c2a_progress_text(parley_buf_t *b,
    const parley_chat_progress_t *progress)
{
    parley_c2a_progress_number(b, progress->done);

    if (progress->total >= 0) {
        parley_buf_lit(b, " of ");
        parley_c2a_progress_number(b, progress->total);
    }
}


static void
parley_c2a_progress_number(parley_buf_t *b, double number)
{
    char  text[PARLEY_NUMBER_MAX];

    parley_buf_put(b, text, parley_number_format(number, text));
}


int
parley_c2a_view_progress(const parley_json_t *doc, parley_chat_progress_t *ret)
{
    uint32_t  data;

    data = parley_json_resolve(doc, 0, PARLEY_STR("/params/content/1/data"));

    if (data == PARLEY_JSON_NONE) {
        return -1;
    }

    parley_c2a_progress_read(doc, data, ret);

    return 0;
}


static void
parley_c2a_progress_read(const parley_json_t *doc, uint32_t object,
    parley_chat_progress_t *ret)
{
    uint32_t  total;

    total = parley_json_get(doc, object, PARLEY_STR("total"));

    ret->done = parley_json_number(doc, parley_json_member(doc, object,
                                            PARLEY_ATOM_progress));
    ret->total = total != PARLEY_JSON_NONE ? parley_json_number(doc, total)
                                           : -1;
}
