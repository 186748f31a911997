/* The sessions that a store gives to the zone (parley_import.h). */

#include "state/memory/parley_memory_log_parts.h"


/* Sets the bit closed of a new session of this node if it replaces another one
   of this node: the hub of the new session tells the process of the old one. */

int
parley_roster_set(parley_memory_t *s, uint32_t process,
    const parley_join_t *j, const parley_place_t *place, uint64_t stamp,
    int64_t now)
{
    int                       replaced;
    parley_log_t              log;
    parley_leave_t            old;
    parley_entry_t           *e;
    parley_memory_t           of = *s;
    parley_roster_session_t   session;

    of.process = process;

    e = parley_log_set(s, j->log, j->account, place, now, &log);

    if (e == NULL) {
        return 0;
    }

    parley_log_keep(e, now + PARLEY_LOG_LEASE);

    if (process == 0) {
        return 0;
    }

    e = parley_roster_session(s, j->log, j->session, &session);

    /* another process may not have removed a session that has left */

    if (e != NULL && parley_entry_stamp(e) >= stamp
        && !parley_memory_has_left(s, e))
    {
        return 0;
    }

    replaced = 0;

    if (e != NULL) {
        /* a session of another node is ended by that node */

        replaced = e->mark <= s->sh->nprocesses
                   && !parley_memory_has_left(s, e);

        old.log = j->log;
        old.session = j->session;
        old.stamp = parley_entry_stamp(e);

        parley_roster_unset(s, &old, 0);
    }

    if (parley_roster_add(&of, j, stamp, now) != 0
        || process > s->sh->nprocesses)
    {
        return replaced;
    }

    e = parley_roster_session(s, j->log, j->session, &session);

    if (e != NULL) {
        e->closed = (unsigned) replaced & 1;
    }

    return 0;
}


void
parley_roster_unset(parley_memory_t *s, const parley_leave_t *l,
    uint32_t process)
{
    uint8_t                   text[PARLEY_SELECTOR_MAX];
    parley_entry_t           *e;
    parley_memory_t           of = *s;
    parley_roster_session_t   session;

    e = parley_roster_session(s, l->log, l->session, &session);

    if (e == NULL
        || (l->stamp != 0 ? parley_entry_stamp(e) != l->stamp
                          : process == 0 || e->mark != process))
    {
        return;
    }

    parley_table_read_locked(s->sh->table, e, sizeof(session) + session.session,
                             text, session.selector);
    of.process = e->mark;

    parley_table_remove_locked(s->sh->table, e);
    parley_roster_less(&of, l->log, parley_str_make(text, session.selector));
}


void
parley_roster_unset_before(parley_memory_t *s, const parley_leave_t *l,
    uint64_t number)
{
    parley_leave_t            leave = *l;
    parley_entry_t           *e;
    parley_roster_session_t   session;

    e = parley_roster_session(s, l->log, l->session, &session);

    if (e != NULL && parley_entry_stamp(e) < number) {
        leave.stamp = 0;
        parley_roster_unset(s, &leave, s->process);
    }
}


int
parley_roster_has(parley_memory_t *s, const parley_leave_t *l)
{
    parley_entry_t           *e;
    parley_roster_session_t   session;

    e = parley_roster_session(s, l->log, l->session, &session);

    return e != NULL && parley_entry_stamp(e) == l->stamp
           && !parley_memory_has_left(s, e);
}


void
parley_roster_joined(parley_memory_t *s, const parley_join_t *j,
    uint64_t stamp, int64_t now, parley_joined_t *ret)
{
    parley_log_t              log;
    parley_entry_t           *e;
    parley_roster_session_t   session;

    e = parley_roster_session(s, j->log, j->session, &session);

    if (e == NULL || parley_log_find(s, j->log, now, &log) == NULL) {
        ret->verdict = PARLEY_JOIN_FULL;
        return;
    }

    ret->replaced = parley_entry_stamp(e) == stamp && e->closed;
    ret->owed = parley_owed_first(s, j->log, &log, now);
    ret->closed = log.closed;
}
