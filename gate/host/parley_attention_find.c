/* Finds the parties of an event. */

#include "auth/parley_actor.h"
#include "auth/parley_surface.h"
#include "gate/host/parley_attention_parts.h"
#include "translate/parley_codec.h"
#include "translate/parley_name.h"


static void parley_attention_event(parley_attention_t *a);
static int parley_attention_author(parley_attention_t *a,
    parley_arena_t *arena, parley_str_t *ret_name, parley_error_t *err);
static int parley_attention_thread(parley_attention_t *a);
static int parley_attention_recipient(parley_attention_t *a,
    parley_arena_t *arena, parley_str_t author, parley_error_t *err);
static int parley_attention_partner(parley_attention_t *a,
    parley_str_t author, const parley_principal_t *recipient);
static int parley_attention_mentions(parley_attention_t *a,
    parley_arena_t *arena, parley_error_t *err);
static int parley_attention_mention(parley_attention_t *a,
    const parley_principal_t *p, int *found);
static int parley_attention_role(parley_attention_t *a, parley_str_t role);
static int parley_attention_resolve(const parley_attention_t *a,
    parley_arena_t *arena, const parley_chat_target_t *target,
    const parley_principal_t **ret);
static int parley_attention_account(const parley_attention_t *a,
    parley_arena_t *arena, const parley_surface_account_t *account,
    parley_str_t *ret_name, const parley_principal_t **ret);
static int parley_attention_add(parley_attention_t *a,
    const parley_principal_t *p, uint32_t facts);


int
parley_attention_init(parley_attention_t *a, parley_arena_t *arena,
    const parley_attention_input_t *in, parley_error_t *err)
{
    int           rc;
    parley_str_t  author;

    a->in = *in;
    a->facts = 0;
    a->nparties = 0;
    a->deadline_ms = in->event->deadline_ms > 0 ? in->event->deadline_ms
                                                : in->deadline_ms;
    parley_error_clear(err);

    if (in->event->act == PARLEY_CHAT_DELETE) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                parley_codecs[PARLEY_PROTO_CHAT]
                                ->pointers[PARLEY_MSG_ID],
                                "a deletion has no readers");
    }

    parley_attention_event(a);

    if (parley_attention_author(a, arena, &author, err) != 0
        || parley_attention_recipient(a, arena, author, err) != 0)
    {
        return -1;
    }

    rc = parley_attention_mentions(a, arena, err);

    if (rc == 0) {
        rc = parley_attention_thread(a);
    }

    if (rc == 1) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                parley_codecs[PARLEY_PROTO_CHAT]->chat
                                ->mentions,
                                "the event is for more than %d principals",
                                PARLEY_ATTENTION_READERS_MAX);
    }

    return rc;
}


/* Sets the facts of the event that do not depend on a party. */

static void
parley_attention_event(parley_attention_t *a)
{
    uint32_t                    facts;
    const parley_chat_event_t  *e;

    static const uint32_t  reasons[PARLEY_CHAT_REASONS] = {
        [PARLEY_CHAT_REASON_ASSIGNMENT] = PARLEY_ATTENTION_IS_TASK,
        [PARLEY_CHAT_REASON_APPROVAL] = PARLEY_ATTENTION_IS_TASK,
        [PARLEY_CHAT_REASON_BLOCKER] = PARLEY_ATTENTION_IS_TASK,
        [PARLEY_CHAT_REASON_QUESTION] = PARLEY_ATTENTION_IS_QUESTION,
        [PARLEY_CHAT_REASON_THANKS] = PARLEY_ATTENTION_IS_THANKS,
        [PARLEY_CHAT_REASON_STATUS] = PARLEY_ATTENTION_IS_STATUS,
        [PARLEY_CHAT_REASON_PROGRESS] = PARLEY_ATTENTION_IS_STATUS,
        [PARLEY_CHAT_REASON_LOG] = PARLEY_ATTENTION_IS_STATUS,
        [PARLEY_CHAT_REASON_CANCELLATION] = PARLEY_ATTENTION_IS_TASK
                                            | PARLEY_ATTENTION_IS_NOW,
        [PARLEY_CHAT_REASON_SAFETY] = PARLEY_ATTENTION_IS_TASK
                                      | PARLEY_ATTENTION_IS_NOW,
    };

    static const uint32_t  signals[PARLEY_CHAT_SIGNALS] = {
        [PARLEY_CHAT_SIGNAL_SEEN] = PARLEY_ATTENTION_IS_STATE,
        [PARLEY_CHAT_SIGNAL_AGREE] = PARLEY_ATTENTION_IS_VERDICT
                                      | PARLEY_ATTENTION_IS_TURN,
        [PARLEY_CHAT_SIGNAL_WORKING] = PARLEY_ATTENTION_IS_STATE,
        [PARLEY_CHAT_SIGNAL_QUEUED] = PARLEY_ATTENTION_IS_STATE,
        [PARLEY_CHAT_SIGNAL_CLAIMED] = PARLEY_ATTENTION_IS_STATE,
        [PARLEY_CHAT_SIGNAL_DONE] = PARLEY_ATTENTION_IS_TURN,
        [PARLEY_CHAT_SIGNAL_DECLINED] = PARLEY_ATTENTION_IS_VERDICT
                                         | PARLEY_ATTENTION_IS_TURN,
        [PARLEY_CHAT_SIGNAL_BLOCKED] = PARLEY_ATTENTION_IS_TURN,
        [PARLEY_CHAT_SIGNAL_UNCLEAR] = PARLEY_ATTENTION_IS_TURN,
    };

    e = a->in.event;
    facts = reasons[e->reason];

    if (e->act == PARLEY_CHAT_REACTION) {
        facts |= PARLEY_ATTENTION_IS_REACTION | signals[e->signal];
    }

    if (e->kind == PARLEY_CHAT_TOOL || e->mode == PARLEY_CHAT_SILENT) {
        facts |= PARLEY_ATTENTION_IS_SILENT;
    }

    if (e->priority >= PARLEY_PRIORITY_HIGH) {
        facts |= PARLEY_ATTENTION_IS_NOW;
    }

    if (e->priority == PARLEY_PRIORITY_URGENT) {
        facts |= PARLEY_ATTENTION_IS_URGENT;
    }

    if (e->directedness == PARLEY_CHAT_TO_ROLE) {
        facts |= PARLEY_ATTENTION_FOR_ROLE;
    }

    if (e->recipient.kind != PARLEY_CHAT_TARGET_NONE || e->nmentions > 0) {
        facts |= PARLEY_ATTENTION_TARGETED;
    }

    a->facts = facts;
}


/*
 * Adds the author.  *ret_name is its sub, or the name that is derived from its
 * account.  An author is an agent if the surface or the directory says so.
 */

static int
parley_attention_author(parley_attention_t *a, parley_arena_t *arena,
    parley_str_t *ret_name, parley_error_t *err)
{
    int                         rc, human;
    const parley_principal_t   *p;
    const parley_chat_event_t  *e;
    parley_surface_account_t    account;

    e = a->in.event;
    p = a->in.author;
    human = p != NULL || e->human;

    if (p == NULL) {
        account.platform = e->platform;
        account.workspace = e->workspace;
        account.id = e->author;

        rc = parley_attention_account(a, arena, &account, ret_name, &p);

        if (rc < 0) {
            return parley_error_memory(err);
        }

        if (rc != 0) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                    parley_codecs[PARLEY_PROTO_CHAT]
                                    ->pointers[PARLEY_MSG_SENDER],
                                    "the account of the author is too long");
        }
    }

    if (p != NULL) {
        *ret_name = p->sub;
        human = human && parley_attention_is_human(p);
    }

    if (!human) {
        a->facts |= PARLEY_ATTENTION_BY_AGENT;
    }

    return parley_attention_add(a, p, PARLEY_ATTENTION_AUTHOR);
}


/*
 * Adds the author of the message that the event is about, and the principals
 * that take part in the thread or own the work stream.  Returns 0, or 1 as
 * parley_attention_add().
 */

static int
parley_attention_thread(parley_attention_t *a)
{
    unsigned                          i;
    const parley_directory_t         *dir;
    const parley_chat_event_t        *e;
    const parley_attention_thread_t  *t;

    e = a->in.event;
    t = a->in.thread;
    dir = a->in.directory;

    if ((e->act == PARLEY_CHAT_REACTION || e->in_reply_to.len > 0)
        && parley_attention_add(a, parley_directory_by_sub(dir, t->subject),
                                t->obliged ? PARLEY_ATTENTION_SUBJECT
                                             | PARLEY_ATTENTION_OBLIGER
                                           : PARLEY_ATTENTION_SUBJECT)
           != 0)
    {
        return 1;
    }

    if (parley_attention_add(a, parley_directory_by_stream(dir, e->stream),
                             PARLEY_ATTENTION_TAKES_PART)
        != 0)
    {
        return 1;
    }

    /* an event without a thread has neither an owner nor participants */

    if (e->thread.len == 0) {
        return 0;
    }

    if (parley_attention_add(a, parley_directory_by_sub(dir, t->owner),
                             PARLEY_ATTENTION_TAKES_PART)
        != 0)
    {
        return 1;
    }

    for (i = 0; i < t->nparticipants; i++) {
        if (parley_attention_add(a,
                                 parley_directory_by_sub(dir,
                                                         t->participants[i]),
                                 PARLEY_ATTENTION_TAKES_PART)
            != 0)
        {
            return 1;
        }
    }

    return 0;
}


/* Checks the recipient.  In a DM, adds it or the only other party. */

static int
parley_attention_recipient(parley_attention_t *a, parley_arena_t *arena,
    parley_str_t author, parley_error_t *err)
{
    const parley_principal_t    *p;
    const parley_chat_target_t  *target;

    target = &a->in.event->recipient;

    if (parley_attention_resolve(a, arena, target, &p) != 0) {
        return parley_error_memory(err);
    }

    if (p != NULL && !parley_attention_has_mailbox(p)
        && !parley_attention_is_human(p))
    {
        return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_codecs[PARLEY_PROTO_CHAT]
                                ->pointers[PARLEY_MSG_RECIPIENT],
                                "the recipient has no mailbox: its principal "
                                "needs a handle and a name in this protocol");
    }

    /* there is room for all of these */

    return a->in.event->kind == PARLEY_CHAT_DM
           ? parley_attention_partner(a, author, p) : 0;
}


/*
 * Adds the recipient of a DM, else its only other party.  With a third party,
 * only a recipient is addressed.
 */

static int
parley_attention_partner(parley_attention_t *a, parley_str_t author,
    const parley_principal_t *recipient)
{
    unsigned                          i;
    parley_str_t                      other;
    const parley_attention_thread_t  *t;

    t = a->in.thread;
    other = parley_str_none;

    if (a->in.event->recipient.kind != PARLEY_CHAT_TARGET_NONE) {
        return parley_attention_add(a, recipient,
                                    PARLEY_ATTENTION_ADDRESSED
                                    | PARLEY_ATTENTION_PARTNER);
    }

    for (i = 0; i < t->nparties; i++) {

        if (parley_str_eq(t->parties[i], author)
            || parley_str_eq(t->parties[i], other))
        {
            continue;
        }

        if (other.len > 0) {
            return 0;
        }

        other = t->parties[i];
    }

    return parley_attention_add(a,
                                parley_directory_by_sub(a->in.directory,
                                                        other),
                                PARLEY_ATTENTION_ADDRESSED
                                | PARLEY_ATTENTION_PARTNER);
}


/*
 * Adds the mentioned principals, and those of mentioned roles.  A recipient
 * outside of a DM counts as the first mention.  Returns 0; 1 as
 * parley_attention_add(); or -1 with *err filled.
 */

static int
parley_attention_mentions(parley_attention_t *a, parley_arena_t *arena,
    parley_error_t *err)
{
    int                          found;
    unsigned                     i;
    const parley_principal_t    *p;
    const parley_chat_event_t   *e;
    const parley_chat_target_t  *target;

    e = a->in.event;
    found = 0;

    for (i = 0; i <= e->nmentions; i++) {

        target = i == 0 ? &e->recipient : &e->mentions[i - 1];

        if (target->kind == PARLEY_CHAT_TARGET_ROLE) {
            if (parley_attention_role(a, target->text) != 0) {
                return 1;
            }

            continue;
        }

        if (i == 0 && e->kind == PARLEY_CHAT_DM) {
            continue;
        }

        if (parley_attention_resolve(a, arena, target, &p) != 0) {
            return parley_error_memory(err);
        }

        if (parley_attention_mention(a, p, &found) != 0) {
            return 1;
        }
    }

    return 0;
}


/*
 * Adds a mentioned principal.  Sets *found at the first agent with a mailbox.
 * An author's mention of itself does not count.
 */

static int
parley_attention_mention(parley_attention_t *a, const parley_principal_t *p,
    int *found)
{
    uint32_t  facts;

    facts = PARLEY_ATTENTION_MENTIONED | PARLEY_ATTENTION_ADDRESSED;

    if (p == NULL
        || (parley_attention_facts(a, p) & PARLEY_ATTENTION_AUTHOR))
    {
        return 0;
    }

    if (parley_attention_is_human(p)) {
        facts |= PARLEY_ATTENTION_FIRST;

    } else if (!*found && parley_attention_has_mailbox(p)) {
        *found = 1;
        facts |= PARLEY_ATTENTION_FIRST;
    }

    return parley_attention_add(a, p, facts);
}


/* Adds the first principals that have a role. */

static int
parley_attention_role(parley_attention_t *a, parley_str_t role)
{
    uint32_t                   at;
    unsigned                   n;
    const parley_principal_t  *p;

    at = 0;

    for (n = 0; n < PARLEY_ATTENTION_ROLE_MAX; n++) {
        p = parley_directory_next_role(a->in.directory, role, &at);

        if (p == NULL) {
            break;
        }

        if (parley_attention_add(a, p, PARLEY_ATTENTION_HAS_ROLE) != 0) {
            return 1;
        }
    }

    return 0;
}


/*
 * Finds the principal of a name or an account; *ret is NULL if no principal
 * has it.  Returns 0, or -1 if memory is exhausted.
 */

static int
parley_attention_resolve(const parley_attention_t *a, parley_arena_t *arena,
    const parley_chat_target_t *target, const parley_principal_t **ret)
{
    parley_str_t              name;
    parley_surface_account_t  account;

    *ret = NULL;

    switch (target->kind) {

    case PARLEY_CHAT_TARGET_NAME:
        *ret = parley_directory_by_name(a->in.directory,
                                        (parley_namespace_t) PARLEY_PROTO_CHAT,
                                        target->text);
        return 0;

    case PARLEY_CHAT_TARGET_ACCOUNT:

        if (parley_surface_read(target->text, &account) != 0) {
            return 0;
        }

        return parley_attention_account(a, arena, &account, &name, ret) < 0
               ? -1 : 0;

    default:
        return 0;
    }
}


/*
 * Finds the principal that lists an account, and the name that is derived from
 * the account.  Returns 0; 1 if the name would be too long; or -1 if memory is
 * exhausted.
 */

static int
parley_attention_account(const parley_attention_t *a, parley_arena_t *arena,
    const parley_surface_account_t *account, parley_str_t *ret_name,
    const parley_principal_t **ret)
{
    int                        rc;
    const parley_principal_t  *like;

    *ret = NULL;

    rc = parley_surface_name(arena, account, ret_name);

    if (rc == 0) {
        *ret = parley_directory_by_account(a->in.directory, *ret_name, &like);
    }

    return rc;
}


/*
 * Adds facts about a principal, which may be NULL.  Returns 0, or 1 if there
 * are too many principals.
 */

static int
parley_attention_add(parley_attention_t *a, const parley_principal_t *p,
    uint32_t facts)
{
    unsigned  i;

    if (p == NULL) {
        return 0;
    }

    for (i = 0; i < a->nparties; i++) {
        if (a->parties[i].principal == p) {
            a->parties[i].facts |= facts;
            return 0;
        }
    }

    if (a->nparties == PARLEY_ATTENTION_READERS_MAX) {
        return 1;
    }

    a->parties[a->nparties].principal = p;
    a->parties[a->nparties].facts = facts;
    a->nparties++;

    return 0;
}


uint32_t
parley_attention_facts(const parley_attention_t *a,
    const parley_principal_t *p)
{
    unsigned  i;

    for (i = 0; i < a->nparties; i++) {
        if (parley_str_eq(a->parties[i].principal->sub, p->sub)) {
            return a->parties[i].facts;
        }
    }

    return 0;
}


int
parley_attention_has_mailbox(const parley_principal_t *p)
{
    return p->names[PARLEY_NAMESPACE_HANDLE].len > 0
           && p->names[PARLEY_PROTO_CHAT].len > 0;
}


int
parley_attention_is_human(const parley_principal_t *p)
{
    unsigned  to;

    if (parley_actor_is_instrument(p)) {
        return 0;
    }

    if (p->names[PARLEY_PROTO_CHAT].len > 0) {
        return parley_name_is_human(PARLEY_PROTO_CHAT,
                                    p->names[PARLEY_PROTO_CHAT]);
    }

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
        if (parley_name_is_human((parley_proto_t) to, p->names[to])) {
            return 1;
        }
    }

    return 0;
}
