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


static const parley_c2a_row_t  parley_c2a_rows[] = {

    [PARLEY_C2A_ROW_MESSAGE] = {
        parley_str("dm"), parley_str("to_me"), parley_str("must_respond"),
        parley_str("buffered"), parley_str("direct_message"),
        parley_str("a request")
    },
    [PARLEY_C2A_ROW_URGENT] = {
        parley_str("dm"), parley_str("to_me"), parley_str("must_respond"),
        parley_str("immediate"), parley_str("urgent"),
        parley_str("an urgent request")
    },
    [PARLEY_C2A_ROW_ROLE] = {
        parley_str("channel"), parley_str("to_my_role"),
        parley_str("may_respond"), parley_str("notify"),
        parley_str("role_mention"), parley_str("a request to this group")
    },
    [PARLEY_C2A_ROW_ANSWER] = {
        parley_str("thread"), parley_str("to_me"), parley_str("may_respond"),
        parley_str("buffered"), parley_str("answer"),
        parley_str("an answer")
    },
    [PARLEY_C2A_ROW_AMBIENT] = {
        parley_str("channel"), parley_str("ambient"),
        parley_str("must_not_respond"), parley_str("tool_mailbox"),
        parley_str("broadcast"), parley_str("a notice")
    },
    [PARLEY_C2A_ROW_PROGRESS] = {
        parley_str("system"), parley_str("ambient"),
        parley_str("must_not_respond"), parley_str("digest"),
        parley_str("progress"), parley_str("progress")
    },
    [PARLEY_C2A_ROW_RECORD] = {
        parley_str("system"), parley_str("ambient"),
        parley_str("must_not_respond"), parley_str("silent"),
        parley_str("record"), parley_str("a record")
    },
    [PARLEY_C2A_ROW_ORDER] = {
        parley_str("system"), parley_str("to_me"), parley_str("ack_only"),
        parley_str("immediate"), parley_str("directive"),
        parley_str("a directive")
    },
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
