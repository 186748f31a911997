/*
 * Directedness, response policy and injection mode of an event that is made
 * of another protocol's message: the table of docs/mapping/c2a.md, which
 * follows the draft's default matrix where that has a row.
 */

#include "parley_c2a.h"


typedef enum {
    PARLEY_C2A_ROW_MESSAGE = 0,
    PARLEY_C2A_ROW_URGENT,
    PARLEY_C2A_ROW_ROLE,
    PARLEY_C2A_ROW_ANSWER,
    PARLEY_C2A_ROW_AMBIENT,
    PARLEY_C2A_ROW_PROGRESS,
    PARLEY_C2A_ROW_RECORD,
    PARLEY_C2A_ROW_ORDER
} parley_c2a_row_id_t;


#define parley_c2a_row_of(kind, directedness, policy, mode, reason, topic)    \
    { parley_str(kind), parley_str(directedness), parley_str(policy),         \
      parley_str(mode), parley_str(reason), parley_str(topic),                \
      parley_str("\",\"kind\":\"" kind),                                      \
      parley_str("\"directedness\":\"" directedness "\"}"),                   \
      parley_str("\"policy\":\"" policy "\",\"reason\":\"" reason "\","),     \
      parley_str("\"injection\":{\"mode\":\"" mode "\"}") }


static const parley_c2a_row_t  parley_c2a_rows[] = {
    [PARLEY_C2A_ROW_MESSAGE] =
        parley_c2a_row_of("dm", "to_me", "must_respond", "buffered",
                          "direct_message", "a request"),
    [PARLEY_C2A_ROW_URGENT] =
        parley_c2a_row_of("dm", "to_me", "must_respond", "immediate",
                          "urgent", "an urgent request"),
    [PARLEY_C2A_ROW_ROLE] =
        parley_c2a_row_of("channel", "to_my_role", "may_respond", "notify",
                          "role_mention", "a request to this group"),
    [PARLEY_C2A_ROW_ANSWER] =
        parley_c2a_row_of("thread", "to_me", "may_respond", "buffered",
                          "answer", "an answer"),
    [PARLEY_C2A_ROW_AMBIENT] =
        parley_c2a_row_of("channel", "ambient", "must_not_respond",
                          "tool_mailbox", "broadcast", "a notice"),
    [PARLEY_C2A_ROW_PROGRESS] =
        parley_c2a_row_of("system", "ambient", "must_not_respond", "digest",
                          "progress", "progress"),
    [PARLEY_C2A_ROW_RECORD] =
        parley_c2a_row_of("system", "ambient", "must_not_respond", "silent",
                          "record", "a record"),
    [PARLEY_C2A_ROW_ORDER] =
        parley_c2a_row_of("system", "to_me", "ack_only", "immediate",
                          "directive", "a directive"),
};


static parley_c2a_row_id_t parley_c2a_row_request(const parley_msg_t *m,
    int group);


const parley_c2a_row_t *
parley_c2a_row(const parley_msg_t *m, int group)
{
    parley_c2a_row_id_t  id;

    switch (m->act) {

    case PARLEY_ACT_REQUEST:
        id = parley_c2a_row_request(m, group);
        break;

    case PARLEY_ACT_REPLY:
    case PARLEY_ACT_FAILURE:
        id = PARLEY_C2A_ROW_ANSWER;
        break;

    case PARLEY_ACT_PROGRESS:
        id = PARLEY_C2A_ROW_PROGRESS;
        break;

    default: /* PARLEY_ACT_EVENT */
        id = m->notice == PARLEY_NOTICE_RECORD ? PARLEY_C2A_ROW_RECORD
                                               : PARLEY_C2A_ROW_AMBIENT;
    }

    return &parley_c2a_rows[id];
}


/* What tells of a trouble is for each of a group, not for whoever likes. */

static parley_c2a_row_id_t
parley_c2a_row_request(const parley_msg_t *m, int group)
{
    if (m->notice == PARLEY_NOTICE_ORDER) {
        return PARLEY_C2A_ROW_ORDER;
    }

    if (m->notice == PARLEY_NOTICE_NOW) {
        return PARLEY_C2A_ROW_URGENT;
    }

    if (group && m->alarm == PARLEY_ALARM_NONE) {
        return PARLEY_C2A_ROW_ROLE;
    }

    return m->priority == PARLEY_PRIORITY_URGENT ? PARLEY_C2A_ROW_URGENT
                                                 : PARLEY_C2A_ROW_MESSAGE;
}
