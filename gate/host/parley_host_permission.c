/*
 * The permission to read a conversation (C2A-33).  A conversation that a
 * principal may not read does not exist for it.
 *
 * The conversations of a principal are one record, apart from the cursor of its
 * mailbox, which each acknowledgment puts.
 */

#include <string.h>

#include "auth/parley_policy.h"
#include "auth/parley_surface.h"
#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"


/* beginning of a conversation in the record; the texts follow */
typedef struct {
    uint8_t   key[PARLEY_KEY_LEN];  /* of its log */
    uint16_t  platform;             /* octets of the texts */
    uint16_t  workspace;
    uint16_t  id;
    uint8_t   kind;
    uint8_t   zero;
} parley_host_reads_head_t;

/* a change of the conversations of a principal */
typedef struct {
    parley_host_reads_head_t    head;
    const parley_chat_place_t  *place;
    unsigned                    adds:1;
    unsigned                    full:1;     /* it finds no room */
} parley_host_reads_change_t;


static int parley_host_unreadable(parley_gate_t *g);
static int parley_host_place_listed(parley_host_t *h, parley_str_t sub,
    const parley_chat_place_t *place, const char *member,
    const parley_chat_place_t **ret);
static int parley_host_place_fits(parley_host_t *h,
    const parley_chat_place_t *place, const parley_chat_place_t *conversation,
    unsigned at);
static int parley_host_rule_reads(parley_host_t *h, const parley_gate_t *g,
    const parley_host_conversation_t *conversation,
    const parley_principal_t *reader);
static int parley_host_was_added(parley_host_t *h,
    const parley_host_conversation_t *conversation, parley_str_t sub);
static int parley_host_takes_part(parley_host_t *h,
    const parley_host_conversation_t *conversation, parley_str_t sub);
static void parley_host_reads_id(const parley_host_t *h, parley_str_t sub,
    parley_record_id_t *ret);
static int parley_host_reads_next(parley_str_t *rest,
    parley_host_reads_head_t *head, parley_str_t *ret);
static int parley_host_reads_put(parley_host_t *h, parley_str_t sub,
    const uint8_t *log, const parley_chat_place_t *place, int adds);
static int parley_host_reads_write(parley_host_reads_change_t *change,
    parley_str_t value, parley_buf_t *b);
static size_t parley_host_reads_drops(parley_host_reads_change_t *change,
    parley_str_t value);
static int parley_host_reads_is_of(const parley_chat_place_t *place,
    const parley_host_reads_head_t *head, parley_str_t entry);


int
parley_host_may_read(parley_host_t *h, const parley_gate_t *g,
    const parley_host_conversation_t *conversation,
    const parley_principal_t *reader)
{
    int  rc;

    rc = parley_host_serves(h, reader, conversation->source);

    if (rc == 0) {
        rc = parley_host_rule_reads(h, g, conversation, reader);
    }

    if (rc == 0) {
        rc = parley_host_was_added(h, conversation, reader->sub);
    }

    return rc != 0 ? rc
           : parley_host_takes_part(h, conversation, reader->sub);
}


int
parley_host_begin_reading(parley_gate_t *g, parley_str_t text,
    uint8_t log[PARLEY_KEY_LEN], parley_place_t *ret)
{
    int                          rc;
    parley_host_t                h;
    parley_place_t               end;
    parley_log_page_t            page;
    parley_surface_account_t     account;
    parley_host_conversation_t   where;

    parley_host_of(g, &h);

    /* the id of a conversation may have octets that no account has */

    memset(&account, 0, sizeof(parley_surface_account_t));

    account.platform = parley_str_until(text, '/');
    text = parley_str_from(text, account.platform.len + 1);
    account.workspace = parley_str_until(text, '/');
    where.id = parley_str_from(text, account.workspace.len + 1);

    if (account.platform.len == 0 || account.workspace.len == 0
        || where.id.len == 0 || g->who->principal->names[h.proto].len == 0)
    {
        return parley_host_unreadable(g);
    }

    rc = parley_surface_name(g->arena, &account, &where.source);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(g->err)
                      : parley_host_unreadable(g);
    }

    memset(&end, 0, sizeof(parley_place_t));

    parley_host_conversation(g->ask.state, where.source, where.id, log);

    rc = parley_host_read(&h, log, &end, 1, 1, &page);

    if (rc == 0) {
        rc = parley_host_may_read(&h, g, &where, g->who->principal);
    }

    if (rc == 1 && page.epoch != 0) {
        ret->epoch = page.epoch;
        ret->offset = page.last;
    }

    return rc == 1 ? 0 : rc < 0 ? rc : parley_host_unreadable(g);
}


static int
parley_host_unreadable(parley_gate_t *g)
{
    return parley_error_set(g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                            "the caller may not read this conversation");
}


int
parley_host_serves(const parley_host_t *h, const parley_principal_t *p,
    parley_str_t source)
{
    const parley_principal_t  *like, *surface;

    surface = parley_directory_by_account(h->http->directory, source, &like);

    return surface != NULL && parley_str_eq(surface->sub, p->sub);
}


int
parley_host_place_reads(parley_host_t *h, const parley_gate_t *g,
    const parley_principal_t *reader, const parley_chat_place_t *place,
    const char *member, parley_host_conversation_t *ret,
    parley_chat_kind_t *kind)
{
    int                         rc;
    parley_surface_account_t    source;
    const parley_chat_place_t  *found;

    rc = parley_host_place_listed(h, reader->sub, place, member, &found);

    if (rc != 0) {
        return rc;
    }

    if (found != NULL) {
        place = found;
        *kind = found->kind;
    }

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = place->platform;
    source.workspace = place->workspace;

    ret->id = place->id;

    if (ret->id.len == 0 || source.platform.len == 0) {
        return 0;
    }

    rc = parley_surface_name(h->arena, &source, &ret->source);

    return rc == 0 ? parley_host_may_read(h, g, ret, reader)
           : rc == 1 ? 0 : parley_error_memory(h->err);
}


/*
 * Finds the conversation of a place in a reader's list.  Any surface, and any
 * party of a DM, can choose an id or a thread that the reader has already, so a
 * name of two conversations is refused.  *ret is NULL if no conversation has
 * it.  Returns 0, PARLEY_WAIT or -1.
 */

static int
parley_host_place_listed(parley_host_t *h, parley_str_t sub,
    const parley_chat_place_t *place, const char *member,
    const parley_chat_place_t **ret)
{
    int                   rc;
    unsigned              i, n;
    parley_chat_place_t  *list;

    *ret = NULL;
    rc = parley_host_reads_list(h, sub, &list, &n);

    for (i = n; rc >= 0 && i > 0; i--) {
        rc = parley_host_place_fits(h, place, &list[i - 1], n - i);

        if (rc == 1 && *ret != NULL) {
            return parley_error_set(h->err, PARLEY_E_FIELD_INVALID, member,
                                    "two conversations of the caller have "
                                    "this name; an id and a source must name "
                                    "one");
        }

        if (rc == 1) {
            *ret = &list[i - 1];
        }
    }

    return rc < 0 ? rc : 0;
}


/*
 * Returns whether a place is this conversation of the reader's list.  A place
 * may also be the name of a thread alone.  at is 0 for the newest conversation.
 * Returns 1, 0, PARLEY_WAIT or -1.
 */

static int
parley_host_place_fits(parley_host_t *h, const parley_chat_place_t *place,
    const parley_chat_place_t *conversation, unsigned at)
{
    parley_host_thread_t       *thread;
    parley_surface_account_t    source;
    parley_host_thread_name_t   name;

    if (place->platform.len > 0
        && (!parley_str_eq(conversation->platform, place->platform)
            || !parley_str_eq(conversation->workspace, place->workspace)))
    {
        return 0;
    }

    if (place->id.len > 0 || place->thread.len == 0
        || at >= PARLEY_HOST_THREAD_OF)
    {
        return parley_str_eq(conversation->id, place->id);
    }

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = conversation->platform;
    source.workspace = conversation->workspace;

    thread = parley_arena_alloc(h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL
        || parley_surface_name(h->arena, &source, &name.source) < 0)
    {
        return parley_error_memory(h->err);
    }

    name.conversation = conversation->id;
    name.thread = place->thread;

    return parley_host_thread_get(h, &name, thread);
}


/* Asks the rules about bus.<platform>.<workspace>.<id>.  Returns 1, 0 or -1. */

static int
parley_host_rule_reads(parley_host_t *h, const parley_gate_t *g,
    const parley_host_conversation_t *conversation,
    const parley_principal_t *reader)
{
    int                       rc;
    parley_buf_t              b;
    parley_str_t              bus, id;
    parley_surface_account_t  account;

    if (g == NULL || g->conf.gate->policy == NULL
        || g->conf.gate->policy->n == 0)
    {
        return 0;
    }

    /* the id is written as in the name of an account, here "..<id>" */

    memset(&account, 0, sizeof(parley_surface_account_t));

    account.id = conversation->id;
    rc = parley_surface_name(h->arena, &account, &id);

    if (rc != 0) {
        return rc == 1 ? 0 : parley_error_memory(h->err);
    }

    parley_buf_init(&b, h->arena, 0);
    parley_buf_lit(&b, "bus.");
    parley_buf_str(&b, conversation->source);
    parley_buf_str(&b, parley_str_from(id, 1));

    return parley_buf_done(&b, &bus) != 0 ? parley_error_memory(h->err)
           : parley_gate_may_subscribe(g, reader, bus);
}


static int
parley_host_was_added(parley_host_t *h,
    const parley_host_conversation_t *conversation, parley_str_t sub)
{
    int                        rc;
    uint8_t                    key[PARLEY_KEY_LEN];
    parley_str_t               entry;
    parley_record_t            record;
    parley_record_id_t         id;
    parley_host_reads_head_t   head;

    parley_host_conversation(h->ask->state, conversation->source,
                             conversation->id, key);
    parley_host_reads_id(h, sub, &id);

    rc = parley_host_get(h, &id, &record);

    if (rc != 1) {
        return rc;
    }

    while (parley_host_reads_next(&record.value, &head, &entry)) {
        if (memcmp(head.key, key, PARLEY_KEY_LEN) == 0) {
            return 1;
        }
    }

    return 0;
}


/* Returns whether a principal is a party of the DM: 1, 0, PARLEY_WAIT, -1. */

static int
parley_host_takes_part(parley_host_t *h,
    const parley_host_conversation_t *conversation, parley_str_t sub)
{
    int                        rc;
    unsigned                   i;
    parley_host_thread_t      *thread;
    parley_host_thread_name_t  name;

    thread = parley_arena_alloc(h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(h->err);
    }

    name.source = conversation->source;
    name.conversation = conversation->id;
    name.thread = parley_str_none;

    rc = parley_host_thread_get(h, &name, thread);

    if (rc != 1) {
        return rc;
    }

    for (i = 0; i < thread->n; i++) {
        if (thread->parties[i].reads
            && parley_str_eq(thread->parties[i].sub, sub))
        {
            return 1;
        }
    }

    return 0;
}


static void
parley_host_reads_id(const parley_host_t *h, parley_str_t sub,
    parley_record_id_t *ret)
{
    parley_str_t  parts[2];

    parts[0] = sub;
    parts[1] = PARLEY_STR("reads");

    parley_host_id(h, PARLEY_KIND_MAILBOX, parts, 2, ret);
}


/* Reads a conversation of the record: its head, and the whole entry.  Returns
   1, or 0. */

static int
parley_host_reads_next(parley_str_t *rest, parley_host_reads_head_t *head,
    parley_str_t *ret)
{
    size_t  len;

    if (rest->len < sizeof(parley_host_reads_head_t)) {
        return 0;
    }

    memcpy(head, rest->data, sizeof(parley_host_reads_head_t));

    len = sizeof(parley_host_reads_head_t) + head->platform + head->workspace
          + head->id;

    if (len > rest->len) {
        return 0;
    }

    *ret = parley_str_make(rest->data, len);
    *rest = parley_str_from(*rest, len);

    return 1;
}


int
parley_host_reads_add(parley_host_t *h, parley_str_t sub,
    const uint8_t log[PARLEY_KEY_LEN], const parley_chat_place_t *place)
{
    return parley_host_reads_put(h, sub, log, place, 1);
}


int
parley_host_reads_remove(parley_host_t *h, parley_str_t sub,
    const uint8_t log[PARLEY_KEY_LEN], const parley_chat_place_t *place)
{
    return parley_host_reads_put(h, sub, log, place, 0);
}


/* Adds or removes a conversation.  Returns as parley_host_reads_add(). */

static int
parley_host_reads_put(parley_host_t *h, parley_str_t sub,
    const uint8_t *log, const parley_chat_place_t *place, int adds)
{
    int                         rc;
    unsigned                    tries;
    parley_buf_t                b;
    parley_str_t                value;
    parley_record_t             record;
    parley_record_id_t          id;
    parley_host_reads_change_t  change;

    memset(&change, 0, sizeof(parley_host_reads_change_t));
    memcpy(change.head.key, log, PARLEY_KEY_LEN);

    change.place = place;
    change.adds = adds != 0;
    change.head.platform = (uint16_t) place->platform.len;
    change.head.workspace = (uint16_t) place->workspace.len;
    change.head.id = (uint16_t) place->id.len;
    change.head.kind = (uint8_t) place->kind;

    parley_host_reads_id(h, sub, &id);

    for (tries = 0; tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_get(h, &id, &record);

        if (rc < 0) {
            return rc;
        }

        value = rc == 1 ? record.value : parley_str_none;

        parley_buf_init(&b, h->arena, 0);

        if (!parley_host_reads_write(&change, value, &b)) {
            return !change.full;
        }

        rc = parley_host_keep(h, &id, &b, rc == 1 ? record.generation : 0);

        if (rc != 1) {
            return rc == 0 ? 1 : rc;
        }
    }

    return parley_error_set(h->err, PARLEY_E_CAPACITY, NULL,
                            "the conversations of a principal change too "
                            "often");
}


/*
 * Writes the record after a change.  Returns 1; or 0 if it stays as it is, and
 * change->full if a conversation finds no room.
 */

static int
parley_host_reads_write(parley_host_reads_change_t *change,
    parley_str_t value, parley_buf_t *b)
{
    int                        found;
    size_t                     drops;
    parley_str_t               entry, rest;
    parley_host_reads_head_t   head;

    found = 0;

    for (rest = value; parley_host_reads_next(&rest, &head, &entry); ) {
        found |= memcmp(head.key, change->head.key, PARLEY_KEY_LEN) == 0;
    }

    if (found == (int) change->adds) {
        return 0;
    }

    drops = change->adds ? parley_host_reads_drops(change, value) : 0;

    if (change->full) {
        return 0;
    }

    for (rest = value; parley_host_reads_next(&rest, &head, &entry); ) {

        if (drops > 0 && head.kind == PARLEY_CHAT_DM) {
            drops--;

        } else if (memcmp(head.key, change->head.key, PARLEY_KEY_LEN) != 0) {
            parley_buf_str(b, entry);
        }
    }

    if (change->adds) {
        parley_buf_str(b, parley_str_make(&change->head, sizeof(head)));
        parley_buf_str(b, change->place->platform);
        parley_buf_str(b, change->place->workspace);
        parley_buf_str(b, change->place->id);
    }

    return 1;
}


/* Returns the number of the oldest DMs that make room for the conversation.
   Their parties may read them without the record.  Sets change->full: no
   surface can fill the list of a reader with its channels. */

static size_t
parley_host_reads_drops(parley_host_reads_change_t *change,
    parley_str_t value)
{
    size_t                     n, len, drops, channels, octets;
    parley_str_t               entry, rest;
    parley_host_reads_head_t   head;

    n = 1;
    len = sizeof(head) + change->head.platform + change->head.workspace
          + change->head.id;

    channels = n;
    octets = len;

    for (rest = value; parley_host_reads_next(&rest, &head, &entry); ) {
        n++;
        len += entry.len;

        if (head.kind != PARLEY_CHAT_DM
            && parley_host_reads_is_of(change->place, &head, entry))
        {
            channels++;
            octets += entry.len;
        }
    }

    drops = 0;
    rest = value;

    while ((n > PARLEY_HOST_READS || len > PARLEY_HOST_READS_LEN)
           && parley_host_reads_next(&rest, &head, &entry))
    {
        if (head.kind == PARLEY_CHAT_DM) {
            drops++;
            n--;
            len -= entry.len;
        }
    }

    change->full = n > PARLEY_HOST_READS || len > PARLEY_HOST_READS_LEN
                   || (change->head.kind != PARLEY_CHAT_DM
                       && (channels > PARLEY_HOST_READS / 2
                           || octets > PARLEY_HOST_READS_LEN / 2));

    return drops;
}


/* Returns whether a conversation of the record has the source of a place. */

static int
parley_host_reads_is_of(const parley_chat_place_t *place,
    const parley_host_reads_head_t *head, parley_str_t entry)
{
    entry = parley_str_from(entry, sizeof(parley_host_reads_head_t));

    return parley_str_eq(parley_str_make(entry.data, head->platform),
                         place->platform)
           && parley_str_eq(parley_str_make(entry.data + head->platform,
                                            head->workspace),
                            place->workspace);
}


int
parley_host_reads_list(parley_host_t *h, parley_str_t sub,
    parley_chat_place_t **ret, unsigned *ret_n)
{
    int                        rc;
    size_t                     n;
    parley_str_t               entry, rest;
    parley_record_t            record;
    parley_record_id_t         id;
    parley_chat_place_t       *place;
    parley_host_reads_head_t   head;

    *ret = NULL;
    *ret_n = 0;

    parley_host_reads_id(h, sub, &id);

    rc = parley_host_get(h, &id, &record);

    if (rc != 1) {
        return rc;
    }

    rest = record.value;

    for (n = 1; parley_host_reads_next(&rest, &head, &entry); n++) {
        /* void */
    }

    *ret = parley_arena_calloc(h->arena, n * sizeof(parley_chat_place_t));

    if (*ret == NULL) {
        return parley_error_memory(h->err);
    }

    while (parley_host_reads_next(&record.value, &head, &entry)) {
        place = &(*ret)[(*ret_n)++];
        entry = parley_str_from(entry, sizeof(head));

        place->platform = parley_str_make(entry.data, head.platform);
        entry = parley_str_from(entry, head.platform);
        place->workspace = parley_str_make(entry.data, head.workspace);
        place->id = parley_str_from(entry, head.workspace);
        place->kind = (parley_chat_kind_t) head.kind;
    }

    return 0;
}
