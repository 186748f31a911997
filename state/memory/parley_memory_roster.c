/*
 * Subscribers of logs.  For the count at an append, there is one entry for each
 * selector of a log and process; for the roster, one for each session.  Both
 * belong to their process, and end with it.
 */

#include "state/memory/parley_memory_log_parts.h"


/* number of keys over which a log's sessions are spread */
#define PARLEY_ROSTER_SHARDS  256

/* initial room for groups */
#define PARLEY_ROSTER_GROUPS  16


/* beginning of a group's value; its selector follows */
typedef struct {
    uint32_t  count;
    uint32_t  tag;              /* tag of the selector */
} parley_roster_group_t;


static parley_join_verdict_t parley_roster_join(parley_memory_t *s,
    const parley_join_t *j, int64_t now, parley_joined_t *ret);
static int parley_roster_may(parley_memory_t *s, const parley_join_t *j);
static parley_entry_t *parley_roster_group(parley_memory_t *s,
    const uint8_t *log, parley_str_t selector, parley_roster_group_t *ret);
static int parley_roster_is_of(parley_memory_t *s, const parley_entry_t *e,
    const uint8_t *account);
static int parley_roster_add_group(parley_memory_t *s, const parley_join_t *j,
    uint64_t stamp, int64_t now);
static int parley_roster_add_session(parley_memory_t *s,
    const parley_join_t *j, uint64_t stamp, int64_t now);
static void parley_roster_own(parley_memory_t *s, parley_entry_t *e,
    uint64_t stamp);
static int parley_roster_show(parley_memory_t *s, const parley_append_t *a,
    uint32_t log, const parley_entry_t *e, size_t off, size_t len,
    uint32_t count, parley_appended_t *ret, size_t *room);
static int parley_roster_page(parley_memory_t *s, const parley_roster_t *r,
    parley_roster_page_t *ret);
static int parley_roster_shard(parley_memory_t *s, const parley_roster_t *r,
    uint32_t shard, parley_roster_page_t *ret, size_t *room);
static int parley_roster_card(parley_memory_t *s, const parley_roster_t *r,
    const parley_entry_t *e, parley_roster_card_t *ret);


/*
 * Returns the tag of a text: one half chooses the shard, the other
 * distinguishes texts in it.
 */

static uint32_t
parley_roster_tag(const parley_memory_t *s, parley_str_t text)
{
    return parley_state_text_tag(&s->state, text);
}


static void
parley_roster_key(const uint8_t *log, uint32_t shard,
    uint8_t out[PARLEY_KEY_LEN])
{
    memcpy(out, log, PARLEY_KEY_LEN);

    out[0] ^= (uint8_t) (shard % PARLEY_ROSTER_SHARDS);
}


parley_state_done_t
parley_memory_join(parley_state_t *state, const parley_join_t *j,
    parley_joined_t *ret, parley_call_t *call)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    memset(ret, 0, sizeof(parley_joined_t));

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);

    ret->verdict = parley_roster_join(s, j, now, ret);

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


static parley_join_verdict_t
parley_roster_join(parley_memory_t *s, const parley_join_t *j, int64_t now,
    parley_joined_t *ret)
{
    parley_log_t              log;
    parley_entry_t           *e;
    parley_join_verdict_t     rc;
    parley_roster_session_t   session;

    rc = parley_roster_may_join(s, j, now);

    if (rc != PARLEY_JOIN_OK) {
        return rc;
    }

    e = parley_log_open(s, j->log, j->account, now, &log);

    if (e == NULL) {
        return PARLEY_JOIN_FULL;
    }

    parley_log_keep(e, now + PARLEY_LOG_LEASE);

    ret->place.epoch = log.epoch;
    ret->place.offset = log.last;
    ret->owed = parley_owed_first(s, j->log, &log, now);
    ret->closed = log.closed;
    ret->stamp = parley_memory_stamp(s);

    e = parley_roster_session(s, j->log, j->session, &session);

    if (e != NULL) {
        ret->replaced = !parley_memory_has_left(s, e);
        parley_table_remove_locked(s->sh->table, e);
    }

    return parley_roster_add(s, j, ret->stamp, now) == 0 ? PARLEY_JOIN_OK
                                                         : PARLEY_JOIN_FULL;
}


int
parley_roster_add(parley_memory_t *s, const parley_join_t *j, uint64_t stamp,
    int64_t now)
{
    if (parley_roster_add_group(s, j, stamp, now) != 0) {
        return -1;
    }

    if (parley_roster_add_session(s, j, stamp, now) != 0) {
        parley_roster_less(s, j->log, j->selector);
        return -1;
    }

    return 0;
}


parley_join_verdict_t
parley_roster_may_join(parley_memory_t *s, const parley_join_t *j, int64_t now)
{
    size_t  n;

    if (j->selector.len > PARLEY_SELECTOR_MAX
        || j->session.len > PARLEY_SESSION_MAX
        || j->card.len > PARLEY_SESSION_MAX)
    {
        return PARLEY_JOIN_MANY;
    }

    n = parley_table_blocks(sizeof(parley_roster_group_t) + j->selector.len)
        + parley_table_blocks(sizeof(parley_roster_session_t)
                              + j->session.len + j->selector.len
                              + j->card.len)
        + parley_table_blocks(sizeof(parley_log_t));

    switch (parley_table_room_locked(s->sh->table, j->account, n, s->share,
                                     now))
    {
    case PARLEY_ROOM_OK:
        return parley_roster_may(s, j) ? PARLEY_JOIN_OK : PARLEY_JOIN_MANY;

    case PARLEY_ROOM_SHARE:
        return PARLEY_JOIN_SHARE;

    default:
        return PARLEY_JOIN_FULL;
    }
}


void
parley_roster_read(parley_memory_t *s, const parley_entry_t *e,
    uint8_t room[PARLEY_ROSTER_TEXTS], uint8_t log[PARLEY_KEY_LEN],
    parley_join_t *ret)
{
    parley_roster_session_t  session;

    parley_table_read_locked(s->sh->table, e, 0, &session, sizeof(session));
    parley_table_read_locked(s->sh->table, e, sizeof(session), room,
                             (size_t) session.session + session.selector
                             + session.card);

    parley_roster_key(e->key, session.tag, log);

    ret->log = log;
    ret->session = parley_str_make(room, session.session);
    ret->selector = parley_str_make(room + session.session, session.selector);
    ret->card = parley_str_make(room + session.session + session.selector,
                                session.card);
    ret->account = e->account != 0
                   ? parley_table_entry(s->sh->table, e->account)->key : NULL;
}


/*
 * Limits the selectors of a log: every append to it reads the selectors of all
 * processes under the lock, so subscribers must not make that expensive.
 */

static int
parley_roster_may(parley_memory_t *s, const parley_join_t *j)
{
    size_t                  octets;
    unsigned                n;
    parley_entry_t         *e;
    parley_roster_group_t   group;

    if (parley_roster_group(s, j->log, j->selector, &group) != NULL) {
        return 1;
    }

    n = 0;
    octets = j->selector.len;

    for (e = parley_table_find_locked(s->sh->table, PARLEY_KIND_GROUP, j->log);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if (!parley_roster_is_of(s, e, j->account)
            || parley_memory_has_left(s, e))
        {
            continue;
        }

        n += e->mark == (uint16_t) s->process;
        octets += e->value.len - sizeof(group);
    }

    return n < PARLEY_SELECTORS_MAX && octets <= PARLEY_SELECTORS_OCTETS;
}


/* Returns this process's group with a selector, or NULL. */

static parley_entry_t *
parley_roster_group(parley_memory_t *s, const uint8_t *log,
    parley_str_t selector, parley_roster_group_t *ret)
{
    uint8_t          text[PARLEY_SELECTOR_MAX];
    uint32_t         tag;
    parley_entry_t  *e;

    tag = parley_roster_tag(s, selector);

    for (e = parley_table_find_locked(s->sh->table, PARLEY_KIND_GROUP, log);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if (e->mark != (uint16_t) s->process || parley_memory_has_left(s, e)) {
            continue;
        }

        parley_table_read_locked(s->sh->table, e, 0, ret, sizeof(*ret));

        if (ret->tag != tag
            || e->value.len != sizeof(*ret) + selector.len)
        {
            continue;
        }

        parley_table_read_locked(s->sh->table, e, sizeof(*ret), text,
                                 selector.len);

        if (parley_str_eq(parley_str_make(text, selector.len), selector)) {
            return e;
        }
    }

    return NULL;
}


/*
 * Returns whether a group is counted to an account, that of its first
 * subscriber.  A subscriber cannot use groups of other accounts.
 */

static int
parley_roster_is_of(parley_memory_t *s, const parley_entry_t *e,
    const uint8_t *account)
{
    if (e->account == 0 || account == NULL) {
        return e->account == 0 && account == NULL;
    }

    return memcmp(parley_table_entry(s->sh->table, e->account)->key, account,
                  PARLEY_KEY_LEN)
           == 0;
}


static int
parley_roster_add_group(parley_memory_t *s, const parley_join_t *j,
    uint64_t stamp, int64_t now)
{
    parley_str_t            parts[2];
    parley_entry_t         *e;
    parley_roster_group_t   group;

    memset(&group, 0, sizeof(group));

    parts[0] = parley_str_make(&group, sizeof(group));
    parts[1] = j->selector;

    e = parley_roster_group(s, j->log, j->selector, &group);

    if (e != NULL) {
        group.count++;
        parley_table_write_locked(s->sh->table, e, parts, 1);

        return 0;
    }

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_GROUP,
                                PARLEY_EVICTABLE_NONE, j->log, j->account,
                                sizeof(group) + j->selector.len,
                                parley_memory_lasts(s, now), now);
    if (e == NULL) {
        return -1;
    }

    group.count = 1;
    group.tag = parley_roster_tag(s, j->selector);

    parley_table_write_locked(s->sh->table, e, parts, 2);
    parley_roster_own(s, e, stamp);

    return 0;
}


static int
parley_roster_add_session(parley_memory_t *s, const parley_join_t *j,
    uint64_t stamp, int64_t now)
{
    uint8_t                   key[PARLEY_KEY_LEN];
    parley_str_t              parts[4];
    parley_entry_t           *e;
    parley_roster_session_t   session;

    memset(&session, 0, sizeof(session));

    session.tag = parley_roster_tag(s, j->session);
    session.session = (uint16_t) j->session.len;
    session.selector = (uint16_t) j->selector.len;
    session.card = (uint16_t) j->card.len;

    parts[0] = parley_str_make(&session, sizeof(session));
    parts[1] = j->session;
    parts[2] = j->selector;
    parts[3] = j->card;

    parley_roster_key(j->log, session.tag, key);

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_SESSION,
                                PARLEY_EVICTABLE_NONE, key, j->account,
                                sizeof(session) + j->session.len
                                + j->selector.len + j->card.len,
                                parley_memory_lasts(s, now), now);
    if (e == NULL) {
        return -1;
    }

    parley_table_write_locked(s->sh->table, e, parts, 4);
    parley_roster_own(s, e, stamp);

    return 0;
}


parley_state_done_t
parley_memory_leave_log(parley_state_t *state, const parley_leave_t *l,
    parley_call_t *call)
{
    parley_entry_t           *e;
    parley_memory_t          *s = (parley_memory_t *) state;
    parley_roster_session_t   session;

    (void) call;

    parley_memory_lock(s);

    parley_roster_less(s, l->log, l->selector);

    e = parley_roster_session(s, l->log, l->session, &session);

    if (e != NULL && parley_entry_stamp(e) == l->stamp) {
        parley_table_remove_locked(s->sh->table, e);
    }

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


void
parley_roster_less(parley_memory_t *s, const uint8_t *log,
    parley_str_t selector)
{
    parley_str_t            value;
    parley_entry_t         *e;
    parley_roster_group_t   group;

    e = parley_roster_group(s, log, selector, &group);

    if (e == NULL) {
        return;
    }

    if (--group.count == 0) {
        parley_table_remove_locked(s->sh->table, e);
        return;
    }

    value = parley_str_make(&group, sizeof(group));
    parley_table_write_locked(s->sh->table, e, &value, 1);
}


/* Returns the session of that name in any process, or NULL. */

parley_entry_t *
parley_roster_session(parley_memory_t *s, const uint8_t *log,
    parley_str_t session, parley_roster_session_t *ret)
{
    uint8_t          key[PARLEY_KEY_LEN], text[PARLEY_SESSION_MAX];
    uint32_t         tag;
    parley_entry_t  *e;

    tag = parley_roster_tag(s, session);
    parley_roster_key(log, tag, key);

    for (e = parley_table_find_locked(s->sh->table, PARLEY_KIND_SESSION, key);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if (parley_entry_stamp(e) == 0) {
            continue;
        }

        parley_table_read_locked(s->sh->table, e, 0, ret, sizeof(*ret));

        if (ret->tag != tag || ret->session != session.len) {
            continue;
        }

        parley_table_read_locked(s->sh->table, e, sizeof(*ret), text,
                                 session.len);

        if (parley_str_eq(parley_str_make(text, session.len), session)) {
            return e;
        }
    }

    return NULL;
}


/*
 * Sets the owner.  The stamp comes last: if the process dies earlier, the entry
 * has no owner and repair removes it.
 */

static void
parley_roster_own(parley_memory_t *s, parley_entry_t *e, uint64_t stamp)
{
    e->mark = (uint16_t) s->process;
    parley_entry_set_stamp(e, stamp);
}


int
parley_roster_count(parley_memory_t *s, const parley_append_t *a, uint32_t i,
    parley_appended_t *ret, size_t *room)
{
    parley_entry_t           *e;
    parley_roster_group_t     group;
    parley_roster_session_t   session;

    if (a->session.len != 0) {
        e = parley_roster_session(s, a->logs[i], a->session, &session);

        return e == NULL || parley_memory_has_left(s, e) ? 0
               : parley_roster_show(s, a, i, e,
                                   sizeof(session) + session.session,
                                   session.selector, 1, ret, room);
    }

    for (e = parley_table_find_locked(s->sh->table, PARLEY_KIND_GROUP,
                                      a->logs[i]);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if (parley_memory_has_left(s, e)) {
            continue;
        }

        parley_table_read_locked(s->sh->table, e, 0, &group, sizeof(group));

        if (parley_roster_show(s, a, i, e, sizeof(group),
                              e->value.len - sizeof(group), group.count, ret,
                              room)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_roster_show(parley_memory_t *s, const parley_append_t *a, uint32_t log,
    const parley_entry_t *e, size_t off, size_t len, uint32_t count,
    parley_appended_t *ret, size_t *room)
{
    uint8_t         *p;
    parley_group_t  *groups;

    if (ret->ngroups == *room) {
        *room = *room != 0 ? *room * 2 : PARLEY_ROSTER_GROUPS;
        groups = parley_arena_alloc(a->arena, *room * sizeof(parley_group_t));

        if (groups == NULL) {
            return -1;
        }

        if (ret->ngroups != 0) {
            memcpy(groups, ret->groups, ret->ngroups * sizeof(parley_group_t));
        }

        ret->groups = groups;
    }

    p = parley_arena_octets(a->arena, len + 1);

    if (p == NULL) {
        return -1;
    }

    parley_table_read_locked(s->sh->table, e, off, p, len);

    groups = &ret->groups[ret->ngroups++];

    groups->log = log;
    groups->count = count;
    groups->selector = parley_str_make(p, len);

    return 0;
}


parley_state_done_t
parley_memory_roster(parley_state_t *state, const parley_roster_t *r,
    parley_roster_page_t *ret, parley_call_t *call)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    memset(ret, 0, sizeof(parley_roster_page_t));

    parley_memory_lock(s);

    if (parley_roster_page(s, r, ret) != 0) {
        ret->n = -1;
    }

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


static int
parley_roster_page(parley_memory_t *s, const parley_roster_t *r,
    parley_roster_page_t *ret)
{
    size_t    room;
    uint32_t  shard;

    room = 0;

    for (shard = r->at;
         shard < PARLEY_ROSTER_SHARDS && (size_t) ret->n < r->max;
         shard++)
    {
        if (parley_roster_shard(s, r, shard, ret, &room) != 0) {
            return -1;
        }
    }

    ret->next = shard < PARLEY_ROSTER_SHARDS ? shard : 0;

    return 0;
}


static int
parley_roster_shard(parley_memory_t *s, const parley_roster_t *r,
    uint32_t shard, parley_roster_page_t *ret, size_t *room)
{
    uint8_t                key[PARLEY_KEY_LEN];
    parley_entry_t        *e;
    parley_roster_card_t  *list;

    parley_roster_key(r->log, shard, key);

    for (e = parley_table_find_locked(s->sh->table, PARLEY_KIND_SESSION, key);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if (parley_memory_has_left(s, e)) {
            continue;
        }

        if ((size_t) ret->n == *room) {
            *room = *room != 0 ? *room * 2 : PARLEY_ROSTER_GROUPS;
            list = parley_arena_alloc(r->arena,
                                      *room * sizeof(parley_roster_card_t));
            if (list == NULL) {
                return -1;
            }

            if (ret->n != 0) {
                memcpy(list, ret->list,
                       (size_t) ret->n * sizeof(parley_roster_card_t));
            }

            ret->list = list;
        }

        if (parley_roster_card(s, r, e, &ret->list[ret->n]) != 0) {
            return -1;
        }

        ret->n++;
    }

    return 0;
}


static int
parley_roster_card(parley_memory_t *s, const parley_roster_t *r,
    const parley_entry_t *e, parley_roster_card_t *ret)
{
    uint8_t                  *p;
    parley_roster_session_t   session;

    parley_table_read_locked(s->sh->table, e, 0, &session, sizeof(session));

    p = parley_arena_octets(r->arena, session.session + session.card + 1u);

    if (p == NULL) {
        return -1;
    }

    parley_table_read_locked(s->sh->table, e, sizeof(session), p,
                             session.session);
    parley_table_read_locked(s->sh->table, e,
                             sizeof(session) + session.session
                             + session.selector,
                             p + session.session, session.card);

    ret->session = parley_str_make(p, session.session);
    ret->card = parley_str_make(p + session.session, session.card);

    return 0;
}
