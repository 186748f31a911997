/* Properties of attention, for random events, threads and sessions. */

#include "t/unit/parley_test_attention.h"


/* Calls a check for each event and each principal. */

static void
each(void (*check)(world_t *w, unsigned reader))
{
    unsigned  i, k;
    world_t   w;

    begin(&w);

    for (i = 0; i < EVENTS; i++) {
        next(&w, i);

        for (k = 0; find(&w) && k < w.n; k++) {
            check(&w, k);
        }
    }

    assert_true(w.seen > EVENTS / 100);
    end(&w);
}


/* Takes away all reasons for a cap except that the reader is a human. */

static void
free_of_caps(world_t *w)
{
    w->event.directedness = PARLEY_CHAT_TO_ME;
    w->event.policy = PARLEY_CHAT_MUST;
    w->event.mode = PARLEY_CHAT_IMMEDIATE;
    w->event.created_ms = -1;
    w->in.loop = 0;
    w->offer.modes = PARLEY_CHAT_MODE_ALL;
    w->offer.unreadable = 0;
    w->offer.now_ms = ACCEPTED;

    assert_true(find(w));
}


static void
check_bounds(world_t *w, unsigned i)
{
    parley_attention_verdict_t  v;

    v = decide(w, i);

    assert_true(v.directedness <= w->event.directedness);
    assert_true(v.policy <= w->event.policy);
    assert_true(v.mode <= w->event.mode);
    assert_true(v.mode <= PARLEY_CHAT_MAILBOX
                || (w->offer.modes & PARLEY_CHAT_MODE_BIT(v.mode)));

    if (w->offer.unreadable) {
        assert_false(v.gets);
        assert_int_equal(v.mode, PARLEY_CHAT_SILENT);
    }

    if (v.interrupt) {
        assert_true(w->offer.interrupt);
        assert_int_equal(v.mode, PARLEY_CHAT_IMMEDIATE);
        assert_true(w->event.priority == PARLEY_PRIORITY_URGENT
                    || w->event.reason == PARLEY_CHAT_REASON_CANCELLATION);
    }

    if (v.gets) {
        assert_true(w->kinds[i] != DEAF && w->kinds[i] != GUEST);
        w->seen++;
    }
}


static void
test_bounds(void **state)
{
    (void) state;

    each(check_bounds);
}


static void
check_own(world_t *w, unsigned i)
{
    parley_attention_verdict_t  v;

    v = decide(w, i);

    assert_int_equal(v.row == PARLEY_ATTENTION_OWN, w->author == (int) i);

    if (w->author == (int) i) {
        assert_false(v.gets);
        assert_int_equal(v.mode, PARLEY_CHAT_SILENT);
        assert_int_equal(v.policy, PARLEY_CHAT_MUST_NOT);
        w->seen++;
    }
}


static void
test_own(void **state)
{
    (void) state;

    each(check_own);
}


/* Returns whether a list has an index. */

static int
has(const int *list, unsigned n, int i)
{
    unsigned  k;

    for (k = 0; k < n; k++) {
        if (list[k] == i) {
            return 1;
        }
    }

    return 0;
}


/* Returns whether i is the recipient or the only other party of a DM. */

static int
is_partner(const world_t *w, int i)
{
    unsigned  k;

    if (w->event.kind != PARLEY_CHAT_DM) {
        return 0;
    }

    if (w->event.recipient.kind != PARLEY_CHAT_TARGET_NONE) {
        return w->recipient == i;
    }

    /* an unlisted author has another name than the unlisted parties */

    for (k = 0; k < w->thread.nparties; k++) {
        if (w->parties[k] != i
            && (w->parties[k] == UNLISTED || w->parties[k] != w->author))
        {
            return 0;
        }
    }

    return has(w->parties, w->thread.nparties, i);
}


#define IS(word)  (e->reason == PARLEY_CHAT_REASON_##word)

/* Returns the row of docs/chat.md, without a loop cap. */

static parley_attention_row_t
row(const world_t *w, int i)
{
    int                         mentioned, partner, subject;
    const parley_chat_event_t  *e;

    e = &w->event;
    partner = is_partner(w, i);
    subject = e->in_reply_to.len > 0 && w->subject == i;
    mentioned = has(w->mentioned, e->nmentions, i)
                || (w->recipient == i && e->kind != PARLEY_CHAT_DM);

    if (w->author == i) {
        return PARLEY_ATTENTION_OWN;
    }

    if (e->kind == PARLEY_CHAT_TOOL || e->mode == PARLEY_CHAT_SILENT) {
        return PARLEY_ATTENTION_SILENT;
    }

    if (IS(STATUS) || IS(PROGRESS) || IS(LOG)) {
        return PARLEY_ATTENTION_STATUS;
    }

    if (e->act == PARLEY_CHAT_REACTION) {
        return PARLEY_ATTENTION_REACTION;
    }

    if ((mentioned || partner) && IS(THANKS)) {
        return PARLEY_ATTENTION_THANKS;
    }

    if ((mentioned || partner)
        && (IS(APPROVAL) || IS(ASSIGNMENT) || IS(BLOCKER)
            || IS(CANCELLATION) || IS(SAFETY)))
    {
        return PARLEY_ATTENTION_TASK;
    }

    if (subject && IS(QUESTION)) {
        return PARLEY_ATTENTION_QUESTION;
    }

    if (subject && w->by_agent) {
        return PARLEY_ATTENTION_ANSWER;
    }

    if (partner || mentioned) {
        return partner ? PARLEY_ATTENTION_DM : PARLEY_ATTENTION_MENTION;
    }

    if (w->asked & w->roles[i]) {
        return PARLEY_ATTENTION_ROLE;
    }

    if (e->nmentions > 0 || e->recipient.kind != PARLEY_CHAT_TARGET_NONE) {
        return PARLEY_ATTENTION_OTHER;
    }

    if (w->by_agent && e->directedness != PARLEY_CHAT_TO_ROLE) {
        return PARLEY_ATTENTION_AGENT;
    }

    return w->stream == i
           || (e->thread.len > 0
               && (w->owner == i
                   || has(w->parts, w->thread.nparticipants, i)))
           ? PARLEY_ATTENTION_PART : PARLEY_ATTENTION_AMBIENT;
}


static void
test_row(void **state)
{
    unsigned                    i, k, m, rows[PARLEY_ATTENTION_ROWS] = { 0 };
    world_t                     w;
    parley_attention_verdict_t  v;

    (void) state;

    begin(&w);

    for (i = 0; i < EVENTS; i++) {
        next(&w, i);
        w.in.loop = 0;

        if (!find(&w)) {
            continue;
        }

        for (k = 0; k < w.n; k++) {
            v = decide(&w, k);
            assert_int_equal(v.row, row(&w, (int) k));
            rows[v.row]++;
        }

        for (k = 0; k < w.found.nparties; k++) {
            for (m = 0; m < k; m++) {
                assert_ptr_not_equal(w.found.parties[k].principal,
                                     w.found.parties[m].principal);
            }
        }
    }

    for (i = 0; i < PARLEY_ATTENTION_ROWS; i++) {
        assert_true(rows[i] > EVENTS / 400);
    }

    end(&w);
}


static void
check_human(world_t *w, unsigned i)
{
    parley_attention_verdict_t  v;

    free_of_caps(w);
    v = decide(w, i);

    if (is_human(w, (int) i)) {
        assert_int_not_equal(v.policy, PARLEY_CHAT_MUST);
        w->seen += v.caps == PARLEY_ATTENTION_BIT(PARLEY_ATTENTION_HUMAN);

    } else {
        assert_int_equal(v.caps, 0);
    }

    assert_int_equal(v.deadline_ms,
                     v.policy == PARLEY_CHAT_MUST ? DEADLINE : -1);
}


static void
test_human(void **state)
{
    (void) state;

    each(check_human);
}


/*
 * Checks that v is not stronger than the verdict without the cap, and that the
 * cap is named if v is weaker.
 */

static void
weaker(world_t *w, const parley_attention_verdict_t *before,
    const parley_attention_verdict_t *v, parley_attention_cap_t cap)
{
    int  changed;

    assert_true(v->directedness <= before->directedness);
    assert_true(v->policy <= before->policy);
    assert_true(v->mode <= before->mode);
    assert_true(v->gets <= before->gets);
    assert_true(v->window <= before->window);
    assert_true(v->interrupt <= before->interrupt);

    changed = v->directedness < before->directedness
              || v->policy < before->policy || v->mode < before->mode;

    assert_int_equal(v->caps,
                     changed ? before->caps | PARLEY_ATTENTION_BIT(cap)
                             : before->caps);
    w->seen += changed != 0;
}


static void
check_caps(world_t *w, unsigned i)
{
    world_t                     as;
    parley_attention_verdict_t  before, v;

    as = *w;
    as.in.event = &as.event;
    as.in.thread = &as.thread;
    free_of_caps(&as);
    before = decide(&as, i);

    as.offer.unreadable = 1;
    v = decide(&as, i);
    weaker(w, &before, &v, PARLEY_ATTENTION_READ);
    as.offer.unreadable = 0;

    as.offer.modes = w->offer.modes;
    v = decide(&as, i);
    weaker(w, &before, &v, PARLEY_ATTENTION_MODE);
    as.offer.modes = PARLEY_CHAT_MODE_ALL;

    as.offer.now_ms = ACCEPTED + DEADLINE;
    v = decide(&as, i);
    assert_int_equal(v.caps, before.caps);
    as.offer.now_ms++;
    v = decide(&as, i);
    weaker(w, &before, &v, PARLEY_ATTENTION_STALE);
    assert_true(v.policy <= PARLEY_CHAT_MAY && v.mode <= PARLEY_CHAT_NOTIFY);
    as.offer.now_ms = ACCEPTED;

    as.event.created_ms = ACCEPTED - DEADLINE;
    v = decide(&as, i);
    assert_int_equal(v.caps, before.caps);
    as.event.created_ms--;
    v = decide(&as, i);
    weaker(w, &before, &v, PARLEY_ATTENTION_STALE);
    assert_true(v.policy <= PARLEY_CHAT_MAY && v.mode <= PARLEY_CHAT_NOTIFY);
    as.event.created_ms = -1;

    as.in.loop = w->in.loop;
    assert_true(find(&as));
    v = decide(&as, i);
    weaker(w, &before, &v, PARLEY_ATTENTION_LOOP_CAP);
    as.in.loop = 0;

    /* the modes silent and the directedness of a role choose another row */

    as.event.policy = w->event.policy;

    if (w->event.mode != PARLEY_CHAT_SILENT) {
        as.event.mode = w->event.mode;
    }

    if (w->event.directedness != PARLEY_CHAT_TO_ROLE) {
        as.event.directedness = w->event.directedness;
    }

    assert_true(find(&as));
    v = decide(&as, i);
    weaker(w, &before, &v, PARLEY_ATTENTION_DECLARED);
}


static void
test_caps(void **state)
{
    (void) state;

    each(check_caps);
}


static parley_attention_verdict_t
after(world_t *w, unsigned reader, uint32_t agents)
{
    w->thread.agents = agents;

    return decide(w, reader);
}


static void
check_loop(world_t *w, unsigned i)
{
    uint32_t                    k, loop;
    parley_attention_verdict_t  before, v;

    free_of_caps(w);
    before = decide(w, i);

    loop = 1 + parley_test_below(&w->random, 8);
    w->in.loop = loop;
    assert_true(find(w));

    for (k = 0; k < 3 * loop; k++) {
        v = after(w, i, k == 3 * loop - 1 ? UINT32_MAX : k);

        if (!w->by_agent || k < loop) {
            assert_int_equal(v.row, before.row);
            assert_int_equal(v.directedness, before.directedness);
            assert_int_equal(v.policy, before.policy);
            assert_int_equal(v.mode, before.mode);
            assert_int_equal(v.caps, before.caps);
            continue;
        }

        weaker(w, &before, &v, PARLEY_ATTENTION_LOOP_CAP);

        if (k < 2 * loop) {
            assert_int_equal(v.row, before.row);
            assert_int_equal(v.directedness, before.directedness);
            assert_true(v.policy <= PARLEY_CHAT_MAY);
            assert_true(v.mode <= PARLEY_CHAT_NOTIFY);
            continue;
        }

        assert_int_equal(v.row, before.directedness > PARLEY_CHAT_TO_OTHER
                                ? PARLEY_ATTENTION_AGENT : before.row);
        assert_int_equal(v.policy, PARLEY_CHAT_MUST_NOT);
        assert_true(v.mode <= PARLEY_CHAT_MAILBOX);
        assert_false(v.gets);
    }
}


static void
test_loop(void **state)
{
    (void) state;

    each(check_loop);
}


/* Makes an event of a channel that only mentions principals. */

static void
mentions_only(world_t *w)
{
    unsigned              i;
    parley_chat_event_t  *e;

    e = &w->event;
    e->act = PARLEY_CHAT_MESSAGE;
    e->kind = PARLEY_CHAT_CHANNEL;
    e->reason = PARLEY_CHAT_REASON_NONE;
    e->in_reply_to = parley_str_none;
    e->recipient.kind = PARLEY_CHAT_TARGET_NONE;
    e->nmentions = 1 + parley_test_below(&w->random, TARGETS);
    w->recipient = UNLISTED;

    for (i = 0; i < e->nmentions; i++) {
        w->mentioned[i] = target(w, 0, &w->mentions[i]);
    }
}


static void
test_first(void **state)
{
    int                         who, first;
    unsigned                    i, k, others;
    world_t                     w;
    parley_attention_verdict_t  v;

    (void) state;

    begin(&w);
    others = 0;

    for (i = 0; i < EVENTS; i++) {
        next(&w, i);
        mentions_only(&w);
        free_of_caps(&w);
        first = UNLISTED;

        for (k = 0; k < w.event.nmentions; k++) {
            who = w.mentioned[k];

            if (who == UNLISTED || who == w.author) {
                continue;
            }

            if (first == UNLISTED
                && (w.kinds[who] == AGENT || w.kinds[who] == PROXY))
            {
                first = who;
            }

            v = decide(&w, (unsigned) who);
            assert_int_equal(v.row, PARLEY_ATTENTION_MENTION);
            assert_int_equal(v.policy, who == first ? PARLEY_CHAT_MUST
                                                    : PARLEY_CHAT_MAY);
            assert_int_equal(v.window, who == first
                                       || is_human(&w, who));
            assert_int_equal(v.claims, who != first
                                       && !is_human(&w, who));
            others += v.claims;
        }
    }

    assert_true(others > EVENTS / 100);
    end(&w);
}


static const struct CMUnitTest  tests[] = {
    parley_test("C2A-03 the bounds of the author and of the session hold",
                test_bounds),
    parley_test("C2A-29 an author does not get its own words, by any account",
                test_own),
    parley_test("C2A-05 each reader has one row, that of the table",
                test_row),
    parley_test("C2A-05 a human is never obliged", test_human),
    parley_test("C2A-05 each cap only makes the result weaker", test_caps),
    parley_test("C2A-29 the loop cap at its number and at twice as many",
                test_loop),
    parley_test("C2A-04 the first mentioned agent with a mailbox is obliged",
                test_first),
};


PARLEY_TEST_MAIN(tests)
