/*
 * The attention that an event requests for a message of another protocol.  The
 * table of docs/mapping/c2a.md follows the draft's default matrix if that
 * has a row:
 *
 *   {"attention": {"policy": "must_respond", "reason": "direct_message"}}
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_severity_word.h"


/* conditions for a row of the attention table */
#define PARLEY_C2A_GROUP    0x01
#define PARLEY_C2A_ALARM    0x02
#define PARLEY_C2A_CALM     0x04        /* no alarm */
#define PARLEY_C2A_ORDER    0x08
#define PARLEY_C2A_NOW      0x10
#define PARLEY_C2A_RECORD   0x20
#define PARLEY_C2A_URGENT   0x40
#define PARLEY_C2A_FOREIGN  0x80        /* the message does not belong to AEE */
#define PARLEY_C2A_ASKS     0x100       /* an escalation that needs an
                                           acknowledgment */
#define PARLEY_C2A_GRAVE    0x200       /* critical, or an emergency */
#define PARLEY_C2A_OFFER    0x400


#define parley_c2a_row_of(act, has, kind, directedness, policy, mode, reason) \
    { PARLEY_ACT_##act, has, parley_str(kind), parley_str(directedness),      \
      parley_str(policy), parley_str(mode), parley_str(reason) }


/*
 * The first row applies that requires no bits beyond those of the message.  A
 * request to a group and a warning are not knocks: nothing stores the content
 * that a knock omits.  A message that reports a problem is for each member of a
 * group.  An AEE event with one recipient is for this recipient, and a
 * recipient may answer a message that VCP shares with it alone.  An
 * agent-channel advisory is for all other agents.  An event that is an
 * escalation asks for an acknowledgment, as in VCP.
 */

static const parley_c2a_row_t  parley_c2a_rows[] = {
    parley_c2a_row_of(REQUEST, PARLEY_C2A_ORDER, "system", "to_me",
                      "ack_only", "immediate", "directive"),
    parley_c2a_row_of(REQUEST, PARLEY_C2A_NOW, "dm", "to_me",
                      "must_respond", "immediate", "urgent"),
    parley_c2a_row_of(REQUEST, PARLEY_C2A_GROUP | PARLEY_C2A_CALM, "channel",
                      "to_my_role", "may_respond", "buffered",
                      "role_mention"),
    parley_c2a_row_of(REQUEST, PARLEY_C2A_URGENT, "dm", "to_me",
                      "must_respond", "immediate", "urgent"),
    parley_c2a_row_of(REQUEST, 0, "dm", "to_me", "must_respond", "buffered",
                      "direct_message"),
    parley_c2a_row_of(REPLY, 0, "thread", "to_me", "may_respond", "buffered",
                      "answer"),
    parley_c2a_row_of(FAILURE, 0, "thread", "to_me", "may_respond",
                      "buffered", "answer"),
    parley_c2a_row_of(PROGRESS, 0, "system", "ambient", "must_not_respond",
                      "digest", "progress"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_ASKS | PARLEY_C2A_GRAVE, "dm", "to_me",
                      "must_respond", "immediate", "urgent"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_ASKS, "dm", "to_me", "must_respond",
                      "buffered", "direct_message"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_RECORD | PARLEY_C2A_GROUP, "system",
                      "ambient", "must_not_respond", "tool_mailbox",
                      "record"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_RECORD, "system", "to_me",
                      "must_not_respond", "tool_mailbox", "record"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_ALARM, "system", "to_me",
                      "must_not_respond", "buffered", "warning"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_GROUP, "channel", "ambient",
                      "must_not_respond", "tool_mailbox", "broadcast"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_OFFER, "dm", "to_me", "may_respond",
                      "buffered", "notice"),
    parley_c2a_row_of(EVENT, PARLEY_C2A_FOREIGN, "channel", "ambient",
                      "must_not_respond", "tool_mailbox", "broadcast"),
    parley_c2a_row_of(EVENT, 0, "dm", "to_me", "must_not_respond",
                      "tool_mailbox", "notice"),
};


const parley_c2a_row_t *
parley_c2a_row(const parley_msg_t *m, int group)
{
    unsigned                 has;
    parley_supervision_t     means;
    const parley_c2a_row_t  *row;

    parley_embed_supervision(m, &means);

    has = (group ? PARLEY_C2A_GROUP : 0)
          | (m->alarm != PARLEY_SEVERITY_NONE ? PARLEY_C2A_ALARM
                                           : PARLEY_C2A_CALM)
          | (m->notice == PARLEY_NOTICE_ORDER ? PARLEY_C2A_ORDER : 0)
          | (m->notice == PARLEY_NOTICE_NOW ? PARLEY_C2A_NOW : 0)
          | (m->notice == PARLEY_NOTICE_RECORD ? PARLEY_C2A_RECORD : 0)
          | (m->notice == PARLEY_NOTICE_OFFER ? PARLEY_C2A_OFFER : 0)
          | (m->priority == PARLEY_PRIORITY_URGENT ? PARLEY_C2A_URGENT : 0)
          | (m->origin != PARLEY_PROTO_CANONICAL ? PARLEY_C2A_FOREIGN : 0)
          | (means.asks ? PARLEY_C2A_ASKS : 0)
          | (parley_severity_escalates(means.alarm) ? PARLEY_C2A_GRAVE : 0);

    /* The last row of each act has no condition. */

    for (row = parley_c2a_rows;
         row->act != m->act || (row->has & has) != row->has;
         row++)
    {
        /* void */
    }

    return row;
}
