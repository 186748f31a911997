/*
 * Changes of a message that meet another change, an act of its reader, or the
 * end of its records.
 */

#include "gate/host/parley_host.h"
#include "gate/host/parley_host_parts.h"
#include "t/unit/parley_test_host.h"


/* two changes of one message that are posted at the same time */
typedef struct {
    const char  *other;         /* a deletion, or another edit */
    unsigned     quiet:1;       /* the message is in a turn, */
    unsigned     edited:1;      /* was edited before, */
    unsigned     offered:1;     /* and offered */
} meeting_t;

/* the verbs of the edit before the other change, and of that change before the
   edit goes on; the edit may be left then, as if its process had died */
typedef struct {
    unsigned  edit;
    unsigned  other;
    unsigned  dies:1;
} meets_t;


/* Repeats a call until it is not in flight.  Returns whether it is accepted. */

static int
repeats(const char *text, task_t *task)
{
    int  accepted;

    if (task->done && task->err.code == PARLEY_E_MESSAGE_IN_FLIGHT) {
        host_free(task);
        task = host_says(text);
        host_finish(task);
    }

    accepted = host_accepted(task);

    if (task->done && !accepted
        && task->err.code != PARLEY_E_REPLY_UNMATCHED)
    {
        fail_msg("%s", task->err.text);
    }

    host_free(task);

    return accepted;
}


/* Returns 0 if a change had fewer verbs. */

static int
meeting(const meeting_t *m, const meets_t *o)
{
    int        i, more, deletes, edited, deleted;
    unsigned   texts;
    task_t    *edit, *other;

    deletes = strstr(m->other, "delete") != NULL;

    host_begin();
    host.quiet_ms = m->quiet ? host.quiet_ms : 0;
    host_said(SAYS("m1", "secret"));

    if (m->edited) {
        host_said(EDITS("e0", "m1", "secret"));
    }

    if (m->offered) {
        t.now += 2 * host.quiet_ms;
        (void) host_jobs("");
    }

    edit = host_says(EDITS("e1", "m1", "better"));
    other = host_says(m->other);

    more = host_steps(edit, o->edit) == o->edit
           && host_steps(other, o->other) == o->other;

    if (!o->dies) {
        host_finish(edit);
    }

    host_finish(other);
    deleted = repeats(m->other, other);

    /* a process that has died does not answer */

    edited = repeats(EDITS("e1", "m1", "better"), edit);

    if (deletes && !deleted) {
        fail_msg("edit %u%s, deletion %u: refused", o->edit,
                 o->dies ? " dies" : "", o->other);
    }

    for (i = 0; i < 2; i++) {
        texts = host_count("~ada", "secret") + host_count("~ada", "better")
                + host_count("~ada", "other");

        if (deletes ? texts > 0
            : host_count("~ada", "secret") > 0 && (deleted || edited))
        {
            fail_msg("edit %u%s, other %u: readable", o->edit,
                     o->dies ? " dies" : "", o->other);
        }

        t.now += 5000;
        (void) host_jobs("");
    }

    if (!deletes && texts != 1) {
        fail_msg("edit %u%s, other %u: %u texts", o->edit,
                 o->dies ? " dies" : "", o->other, texts);
    }

    host_end();

    return more;
}


static void
meetings(const meeting_t *m)
{
    int      more;
    meets_t  o;

    memset(&o, 0, sizeof(meets_t));

    for (o.dies = 0; ; o.dies = 1) {

        for (o.edit = 0, more = 1; more; o.edit++) {
            for (o.other = 0; meeting(m, &o); o.other++) { /* void */ }

            more = o.other > 0;
        }

        if (o.dies) {
            break;
        }
    }
}


static void
test_meets(void **state)
{
    unsigned  i;

    static const meeting_t  list[] = {
        { DELETES("d1", "m1"), 0, 0, 0 },
        { DELETES("d1", "m1"), 0, 1, 0 },
        { DELETES("d1", "m1"), 1, 0, 0 },
        { DELETES("d1", "m1"), 1, 1, 1 },
        { EDITS("e2", "m1", "other"), 0, 0, 0 },
        { EDITS("e2", "m1", "other"), 1, 0, 1 },
    };

    (void) state;

    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        meetings(&list[i]);
    }
}


/* An agent acts on a turn that a deletion has erased, before its job offers the
   rest.  The deadline stays that of the turn. */

static void
test_deadline(void **state)
{
    (void) state;

    host_begin();
    host_said(DIRECT("m1", "\"attention\":{\"deadlineMs\":20000},"
                     CONTENT("keep this")));
    host_said(SAYS("m2", "secret"));
    host_said(SAYS("m3", "third"));
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");
    assert_int_equal(host_count_of("~ada", "m3", "keep this"), 1);

    host_said(DELETES("d1", "m2"));
    host_called(host_calls("ada", NULL, CLAIMS("m3")));
    (void) host_jobs("");
    assert_int_equal(host_count_of("~ada", "d1", "keep this"), 1);

    t.now = T0 + 25000;
    (void) host_jobs("");
    assert_int_equal(host_count("~lee", "keep this"), 1);
    host_end();
}


/* An agent declines a message while it is edited.  The edit obliges a reader.
   Returns 0 if the edit had fewer verbs. */

static int
declines(unsigned edit_at, unsigned quiet)
{
    int      more;
    task_t  *edit;

    host_begin();
    host.quiet_ms = quiet ? host.quiet_ms : 0;
    host_said(SAYS("m1", "secret"));
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");

    edit = host_says(EDITS("e1", "m1", "better"));
    more = host_steps(edit, edit_at) == edit_at;

    host_called(host_calls("ada", NULL, IGNORES("m1")));
    (void) host_jobs("");
    host_finish(edit);
    assert_true(host_accepted(edit));
    host_free(edit);
    (void) host_jobs("");

    /* a reader that declines the edit before its turn does not get it */

    if (host_count("~ada", "better") + host_count("~lee", "better") == 0
        || host_count("~ada", "secret") > 0)
    {
        fail_msg("edit %u: lost", edit_at);
    }

    t.now += host.deadline_ms + 1000;
    (void) host_jobs("");

    if (host_count("~lee", "better") == 0) {
        fail_msg("edit %u: no obligation", edit_at);
    }

    host_end();

    return more;
}


static void
test_declines(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; declines(i, 1); i++) { /* void */ }

    for (i = 0; declines(i, 0); i++) { /* void */ }
}


/* A message that went up is changed, and the jobs run before the change is
   done.  A change that was left is repeated.  Returns 0 if the change had fewer
   verbs. */

static int
goes_up_again(unsigned at, const char *change, unsigned edited, unsigned dies)
{
    int       more, deletes;
    unsigned  meanwhile, texts;
    task_t   *task;

    deletes = strstr(change, "delete") != NULL;

    host_begin();
    host.quiet_ms = 0;
    host_said(SAYS("m1", "secret"));

    if (edited) {
        host_said(EDITS("e1", "m1", "secret"));
    }

    t.now += host.deadline_ms + 1000;
    (void) host_jobs("");
    assert_int_equal(host_count("~lee", "secret"), 1);

    task = host_says(change);
    more = host_steps(task, at) == at;
    t.now += 10;
    (void) host_jobs("");
    meanwhile = host_count("~lee", "secret") + host_count("~lee", "better");

    if (dies) {
        host_free(task);
        task = host_says(change);
    }

    host_called(task);
    t.now += 10;
    (void) host_jobs("");
    texts = host_count("~lee", "better");

    if ((meanwhile == 0 || texts == 0) && !deletes) {
        fail_msg("change %u%s: lost", at, dies ? " dies" : "");
    }

    if (texts > 1 || host_count("~lee", "secret") > 0
        || host_count("~ada", "secret") > 0)
    {
        fail_msg("change %u%s: readable", at, dies ? " dies" : "");
    }

    host_end();

    return more;
}


static void
test_goes_up_again(void **state)
{
    unsigned     i, kind;
    const char  *change;

    (void) state;

    for (kind = 0; kind < 8; kind++) {
        change = kind & 4 ? DELETES("d1", "m1") : EDITS("e2", "m1", "better");

        for (i = 0; goes_up_again(i, change, kind & 1, kind & 2); i++) {
            /* void */
        }
    }
}


/* The call of a message is left, and repeated before its edit: the record of
   the message is younger than that of its turn. */

static int
repeats_late(unsigned at)
{
    int      more, edited;
    task_t  *task;

    host_begin();
    host_http.retain_ms = 60000;

    task = host_says(SAYS("m1", "first"));
    more = host_steps(task, at) == at;
    host_free(task);
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");
    edited = host_count_of("~ada", "m1", "first") == 1;

    t.now = T0 + 50000;
    host_said(SAYS("m1", "first"));
    t.now = T0 + 2 * host_http.retain_ms + 3000;
    task = host_says(EDITS("e1", "m1", "better"));
    host_finish(task);
    edited = edited && host_accepted(task);
    host_free(task);
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");

    if (edited && host_count_of("~ada", "m1", "better") > 0) {
        fail_msg("call %u: the edit comes as m1", at);
    }

    host_end();

    return more;
}


static void
test_repeats_late(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; repeats_late(i); i++) { /* void */ }
}


/* A fragment of which the reader of the turn got a knock is edited: the turn
   comes under the id of the edit, and no knock does. */

static void
test_knock(void **state)
{
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    (void) state;

    host_begin();
    host_called(host_calls("web", NULL, MEMBERS));
    host_said(IN_CHANNEL("m1", "\"target\":{\"mentions\":[\"agent:ada\"]},"
                         CONTENT("keep this")));
    host_said(IN_CHANNEL("m2", "\"target\":{\"mentions\":[\"role:ops\"]},"
                         CONTENT("secret")));
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");
    assert_int_equal(host_count_of("~ada", "m1", "keep this"), 1);
    assert_int_equal(host_count_of("~ada", "m2", ""), 1);

    host_said(IN_CHANNEL("e1", "\"target\":{\"mentions\":[\"role:ops\"]},"
                         CHANGE("m2", "edit") "," CONTENT("better")));
    (void) host_jobs("");
    assert_int_equal(host_count_of("~ada", "e1", "keep this"), 1);
    assert_int_equal(host_count_of("~ada", "e1", ""), 1);
    assert_int_equal(host_count_of("~lee", "e1", "better"), 1);
    assert_int_equal(host_count("~ada", "secret"), 0);

    /* the mention is free again, for the reader that had it in a turn, too */

    host_called(host_calls("lee", NULL, CLAIMS("e1")));
    t.now += 60001;
    (void) host_jobs("");
    assert_int_equal(host_find("~ada", "e1:free", "", &p), 1);
    assert_true(parley_host_views_find(p.views, PARLEY_STR("ada"), &views,
                                       &row));
    assert_false(row.waits);
    host_end();
}


/* Returns whether the job of a URL has a view of the event. */

static int
for_url(const parley_publication_t *p)
{
    int                        rc;
    parley_str_t               view;
    const parley_state_ops_t  *later;

    later = t.s.state.ops;
    t.s.state.ops = &parley_memory_ops;
    host_render.state = &t.s.state;

    rc = parley_host_url_view(&host_render, p,
                              parley_directory_by_sub(host_http.directory,
                                                      PARLEY_STR("ada")),
                              host_wall(), &host_arena, &view);
    t.s.state.ops = later;
    assert_true(rc >= 0);

    return rc == 0;
}


/* A deletion does not find the readers of an edit that the logs have dropped.
   The job of a URL keeps its text. */

static void
test_url(void **state)
{
    parley_publication_t  message, edit;

    (void) state;

    host_begin();
    host.quiet_ms = 0;

    host_said(SAYS("m1", "first"));
    assert_int_equal(host_find("~ada", "m1", "first", &message), 1);
    assert_true(for_url(&message));

    host_said(EDITS("e1", "m1", "better"));
    assert_int_equal(host_find("~ada", "e1", "better", &edit), 1);
    assert_false(for_url(&message));
    assert_true(for_url(&edit));

    host_http.retain = 1;
    host_said(SAYS("m2", "next"));
    host_said(SAYS("m3", "next"));
    host_said(DELETES("d1", "m1"));
    assert_false(for_url(&edit));
    host_end();
}


/* A mailbox keeps an event that its busier conversation has dropped. */

static void
test_dropped(void **state)
{
    (void) state;

    host_begin();
    host.quiet_ms = 0;
    host_http.retain = 2;
    host_called(host_calls("web", NULL, MEMBERS));
    host_said(IN_CHANNEL("m1", "\"target\":{\"mentions\":[\"role:ops\"]},"
                         CONTENT("help")));

    host_said(IN_CHANNEL("n1", CONTENT("more")));
    host_said(IN_CHANNEL("n2", CONTENT("more")));
    host_said(IN_CHANNEL("n3", CONTENT("more")));

    assert_int_equal(host_count_of("~ada", "m1", "help"), 1);
    host_called(host_calls("ada", NULL, CLAIMS("m1")));
    host_end();
}


static const struct CMUnitTest  tests[] = {
    parley_test("C2A-18 an event is claimed that its conversation has dropped",
                test_dropped),
    parley_test("C2A-25 no URL gets a deleted edit that logs have dropped",
                test_url),
    parley_test("C2A-23 an act on a turn that a deletion has erased",
                test_deadline),
    parley_test("C2A-23 C2A-25 a message is declined while it is edited",
                test_declines),
    parley_test("C2A-23 C2A-25 a message that went up is changed",
                test_goes_up_again),
    parley_test("C2A-12 an edit after the mark of its turn has expired",
                test_repeats_late),
    parley_test("C2A-12 a knock is edited that is also in a turn",
                test_knock),
    parley_test("C2A-25 two changes of a message at the same time",
                test_meets),
};

PARLEY_TEST_MAIN(tests)
