#include "gate/host/parley_attention_parts.h"


/* a line of the table: fits if all facts of "all" hold, and none of "none" */
typedef struct {
    parley_attention_row_t      row;
    uint32_t                    all;
    uint32_t                    none;
    parley_chat_directedness_t  directedness;
    parley_chat_policy_t        policy;
    parley_chat_mode_t          mode;
    unsigned                    claims:1;
    unsigned                    window:1;
} parley_attention_line_t;


static void parley_attention_cap(const parley_attention_t *a,
    const parley_attention_offer_t *offer, parley_attention_verdict_t *v);
static void parley_attention_cap_loop(const parley_attention_t *a,
    parley_attention_verdict_t *v);
static void parley_attention_cap_mode(const parley_attention_offer_t *offer,
    parley_attention_verdict_t *v);
static void parley_attention_weaken(parley_attention_verdict_t *v,
    parley_chat_directedness_t directedness, parley_chat_policy_t policy,
    parley_chat_mode_t mode, parley_attention_cap_t cap);


const parley_str_t  parley_attention_rows[PARLEY_ATTENTION_ROWS] = {
    parley_str("own"), parley_str("silent"), parley_str("status"),
    parley_str("reaction"), parley_str("thanks"), parley_str("task"),
    parley_str("question"), parley_str("answer"), parley_str("dm"),
    parley_str("mention"), parley_str("role"), parley_str("other"),
    parley_str("agent"), parley_str("part"), parley_str("ambient")
};

const parley_str_t  parley_attention_caps[PARLEY_ATTENTION_CAPS] = {
    parley_str("human"), parley_str("read"), parley_str("declared"),
    parley_str("loop"), parley_str("stale"), parley_str("mode")
};


#define PARLEY_ATTENTION_LINE(row, all, none, directedness, policy, mode)     \
    PARLEY_ATTENTION_##row, all, none, PARLEY_CHAT_##directedness,            \
    PARLEY_CHAT_##policy, PARLEY_CHAT_##mode

#define IS(fact)  PARLEY_ATTENTION_##fact

/* the table: the first line that fits decides, and the last one fits always */
static const parley_attention_line_t  parley_attention_table[] = {
    { PARLEY_ATTENTION_LINE(OWN, IS(AUTHOR), 0,
                            AMBIENT, MUST_NOT, SILENT), 0, 0 },
    { PARLEY_ATTENTION_LINE(SILENT, IS(IS_SILENT), 0,
                            AMBIENT, MUST_NOT, SILENT), 0, 0 },
    { PARLEY_ATTENTION_LINE(STATUS, IS(IS_STATUS), 0,
                            AMBIENT, MUST_NOT, DIGEST), 0, 0 },
    { PARLEY_ATTENTION_LINE(REACTION,
                            IS(IS_VERDICT) | IS(SUBJECT) | IS(OBLIGER), 0,
                            TO_ME, MAY, BUFFERED), 0, 0 },
    { PARLEY_ATTENTION_LINE(REACTION, IS(IS_TURN) | IS(SUBJECT), 0,
                            TO_ME, MAY, NOTIFY), 0, 0 },
    { PARLEY_ATTENTION_LINE(REACTION, IS(IS_STATE) | IS(SUBJECT), 0,
                            TO_ME, MUST_NOT, MAILBOX), 0, 0 },
    { PARLEY_ATTENTION_LINE(REACTION, IS(IS_REACTION), 0,
                            AMBIENT, MUST_NOT, MAILBOX), 0, 0 },
    { PARLEY_ATTENTION_LINE(THANKS,
                            IS(IS_THANKS) | IS(ADDRESSED) | IS(BY_AGENT), 0,
                            TO_ME, ACK, SILENT), 0, 0 },
    { PARLEY_ATTENTION_LINE(THANKS, IS(IS_THANKS) | IS(ADDRESSED), 0,
                            TO_ME, ACK, NOTIFY), 0, 0 },
    { PARLEY_ATTENTION_LINE(TASK, IS(IS_TASK) | IS(ADDRESSED) | IS(IS_NOW), 0,
                            TO_ME, MUST, IMMEDIATE), 0, 0 },
    { PARLEY_ATTENTION_LINE(TASK, IS(IS_TASK) | IS(ADDRESSED), 0,
                            TO_ME, MUST, BUFFERED), 0, 0 },
    { PARLEY_ATTENTION_LINE(QUESTION, IS(IS_QUESTION) | IS(SUBJECT), 0,
                            TO_ME, MUST, BUFFERED), 0, 0 },
    { PARLEY_ATTENTION_LINE(ANSWER, IS(BY_AGENT) | IS(SUBJECT), 0,
                            TO_ME, MAY, BUFFERED), 0, 0 },
    { PARLEY_ATTENTION_LINE(DM, IS(PARTNER), 0,
                            TO_ME, MUST, BUFFERED), 0, 0 },
    { PARLEY_ATTENTION_LINE(MENTION, IS(FIRST) | IS(IS_URGENT), 0,
                            TO_ME, MUST, IMMEDIATE), 0, 1 },
    { PARLEY_ATTENTION_LINE(MENTION, IS(FIRST), 0,
                            TO_ME, MUST, BUFFERED), 0, 1 },
    { PARLEY_ATTENTION_LINE(MENTION, IS(MENTIONED), 0,
                            TO_ME, MAY, NOTIFY), 1, 0 },
    { PARLEY_ATTENTION_LINE(ROLE, IS(HAS_ROLE), 0,
                            TO_ROLE, MAY, NOTIFY), 1, 0 },
    { PARLEY_ATTENTION_LINE(OTHER, IS(TARGETED), 0,
                            TO_OTHER, MUST_NOT, MAILBOX), 0, 0 },
    { PARLEY_ATTENTION_LINE(AGENT, IS(BY_AGENT), IS(FOR_ROLE),
                            TO_OTHER, MUST_NOT, MAILBOX), 0, 0 },
    { PARLEY_ATTENTION_LINE(PART, IS(TAKES_PART), 0,
                            TO_ROLE, MAY, NOTIFY), 0, 0 },
    { PARLEY_ATTENTION_LINE(AMBIENT, 0, 0,
                            AMBIENT, MUST_NOT, MAILBOX), 0, 0 },
};

#undef IS


void
parley_attention_decide(const parley_attention_t *a,
    const parley_principal_t *reader, const parley_attention_offer_t *offer,
    parley_attention_verdict_t *ret)
{
    uint32_t                        facts;
    const parley_attention_line_t  *line;

    facts = a->facts | parley_attention_facts(a, reader);

    for (line = parley_attention_table;
         (facts & line->all) != line->all || (facts & line->none) != 0;
         line++)
    { /* void */ }

    ret->row = line->row;
    ret->directedness = line->directedness;
    ret->policy = line->policy;
    ret->mode = line->mode;
    ret->caps = 0;

    if (parley_attention_is_human(reader)) {
        parley_attention_weaken(ret, line->directedness, PARLEY_CHAT_MAY,
                                line->mode, PARLEY_ATTENTION_HUMAN);
    }

    parley_attention_cap(a, offer, ret);

    ret->deadline_ms = ret->policy == PARLEY_CHAT_MUST ? a->deadline_ms : -1;
    ret->gets = ret->directedness >= PARLEY_CHAT_TO_ROLE
                && ret->mode != PARLEY_CHAT_SILENT
                && parley_attention_has_mailbox(reader);
    ret->claims = line->claims && ret->policy == PARLEY_CHAT_MAY;
    ret->window = line->window && ret->mode >= PARLEY_CHAT_BUFFERED;
    ret->interrupt = ret->mode == PARLEY_CHAT_IMMEDIATE && offer->interrupt
                     && ((a->facts & PARLEY_ATTENTION_IS_URGENT)
                         || a->in.event->reason
                            == PARLEY_CHAT_REASON_CANCELLATION);
}


static void
parley_attention_cap(const parley_attention_t *a,
    const parley_attention_offer_t *offer, parley_attention_verdict_t *v)
{
    int64_t                     age;
    const parley_chat_event_t  *e;

    e = a->in.event;

    if (offer->unreadable) {
        parley_attention_weaken(v, PARLEY_CHAT_AMBIENT, PARLEY_CHAT_MUST_NOT,
                                PARLEY_CHAT_SILENT, PARLEY_ATTENTION_READ);
    }

    parley_attention_weaken(v, e->directedness, e->policy, e->mode,
                            PARLEY_ATTENTION_DECLARED);

    /* an offer to a role obliges no reader, and is a knock */

    if (v->directedness == PARLEY_CHAT_TO_ROLE) {
        parley_attention_weaken(v, v->directedness, PARLEY_CHAT_MAY,
                                PARLEY_CHAT_NOTIFY,
                                PARLEY_ATTENTION_DECLARED);
    }

    /* a reader that does not get an event cannot be obliged by it */

    if (v->directedness < PARLEY_CHAT_TO_ROLE) {
        parley_attention_weaken(v, v->directedness, PARLEY_CHAT_MUST_NOT,
                                PARLEY_CHAT_MAILBOX,
                                PARLEY_ATTENTION_DECLARED);
    }

    if (a->facts & PARLEY_ATTENTION_BY_AGENT) {
        parley_attention_cap_loop(a, v);
    }

    age = e->created_ms >= 0 ? a->in.accepted_ms - e->created_ms : 0;

    if (age > a->deadline_ms) {
        parley_attention_weaken(v, v->directedness, PARLEY_CHAT_MAY,
                                PARLEY_CHAT_NOTIFY, PARLEY_ATTENTION_STALE);
    }

    parley_attention_again(offer, a->in.accepted_ms, a->deadline_ms, v);
}


void
parley_attention_again(const parley_attention_offer_t *offer,
    int64_t accepted_ms, int64_t deadline_ms, parley_attention_verdict_t *v)
{
    if (offer->now_ms - accepted_ms > deadline_ms) {
        parley_attention_weaken(v, v->directedness, PARLEY_CHAT_MAY,
                                PARLEY_CHAT_NOTIFY, PARLEY_ATTENTION_STALE);
    }

    parley_attention_cap_mode(offer, v);
}


/*
 * C2A-29: after some messages of agents alone, a further one of an agent
 * obliges no reader.  After twice as many, it is not pushed.
 */

static void
parley_attention_cap_loop(const parley_attention_t *a,
    parley_attention_verdict_t *v)
{
    uint64_t  loop, agents;

    loop = a->in.loop;
    agents = a->in.thread->agents;

    if (loop == 0 || agents < loop) {
        return;
    }

    if (agents < 2 * loop) {
        parley_attention_weaken(v, v->directedness, PARLEY_CHAT_MAY,
                                PARLEY_CHAT_NOTIFY, PARLEY_ATTENTION_LOOP_CAP);
        return;
    }

    if (v->directedness > PARLEY_CHAT_TO_OTHER) {
        v->row = PARLEY_ATTENTION_AGENT;
    }

    parley_attention_weaken(v, PARLEY_CHAT_TO_OTHER, PARLEY_CHAT_MUST_NOT,
                            PARLEY_CHAT_MAILBOX, PARLEY_ATTENTION_LOOP_CAP);
}


/* Every session has the modes up to MAILBOX, by its tools. */

static void
parley_attention_cap_mode(const parley_attention_offer_t *offer,
    parley_attention_verdict_t *v)
{
    parley_chat_mode_t  mode;

    mode = v->mode;

    while (mode > PARLEY_CHAT_MAILBOX
           && (offer->modes & PARLEY_CHAT_MODE_BIT(mode)) == 0)
    {
        mode--;
    }

    parley_attention_weaken(v, v->directedness, v->policy, mode,
                            PARLEY_ATTENTION_MODE);
}


/* Lowers each value to at most the given one, and notes the cap if it acts. */

static void
parley_attention_weaken(parley_attention_verdict_t *v,
    parley_chat_directedness_t directedness, parley_chat_policy_t policy,
    parley_chat_mode_t mode, parley_attention_cap_t cap)
{
    if (v->directedness > directedness) {
        v->directedness = directedness;
        v->caps |= PARLEY_ATTENTION_BIT(cap);
    }

    if (v->policy > policy) {
        v->policy = policy;
        v->caps |= PARLEY_ATTENTION_BIT(cap);
    }

    if (v->mode > mode) {
        v->mode = mode;
        v->caps |= PARLEY_ATTENTION_BIT(cap);
    }
}
