/*
 * The lease of the node, and the records that all nodes have in their zones:
 * suspensions and keys of children.
 */

#include <string.h>

#include "core/parley_hex.h"
#include "state/parley_import.h"
#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_RENEWALS  3        /* of a lease */


static void parley_store_renew(parley_store_t *s, int64_t now);
static int parley_store_used(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_renewed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_list_members(parley_store_t *s,
    const parley_wire_reply_t *reply);
static int parley_store_read_member(parley_store_t *s,
    const parley_wire_reply_t *reply, size_t at, parley_store_member_t *ret);
static void parley_store_log_gone(parley_store_t *s,
    const parley_store_member_t *list, size_t n);
static const parley_store_member_t *parley_store_find_member(
    const parley_store_member_t *list, size_t n, const uint8_t *node);
static int parley_store_differed(const parley_store_t *s,
    const parley_store_member_t *m);
static void parley_store_ask_change(parley_store_t *s);
static int parley_store_change(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_ask_changes(parley_store_t *s);
static int parley_store_changed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_number(const parley_wire_reply_t *reply,
    char out[24]);


void
parley_store_member_tick(parley_store_t *s, int64_t now)
{
    if (s->renewing == 0
        && now - s->renewed >= s->conf->lease / PARLEY_STORE_RENEWALS)
    {
        parley_store_renew(s, now);
    }

    if (!s->asking && now - s->ticked >= PARLEY_STORE_TICK) {
        s->ticked = now;
        parley_store_ask_change(s);
    }
}


int
parley_store_once(parley_store_t *s, parley_store_answer_pt answer,
    const parley_str_t *arguments, size_t n)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, answer);

    if (call == NULL) {
        return 0;
    }

    call->once = 1;

    if (parley_store_command(call, arguments, n) != 0) {
        parley_store_call_free(s, call);
        return 0;
    }

    return parley_store_send(s, call) == 0;
}


static void
parley_store_renew(parley_store_t *s, int64_t now)
{
    char          lease[24];
    parley_str_t  arguments[6];

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_renew");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(s->conf->node, PARLEY_STORE_NODE);
    arguments[5] = parley_wire_number(s->conf->lease, lease);

    if (parley_store_once(s, parley_store_renewed, arguments, 6)) {
        s->renewing = now;
    }

    /* the memory is long, and of metrics alone: once in a lease */

    arguments[0] = PARLEY_STR("INFO");
    arguments[1] = PARLEY_STR("replication");
    arguments[2] = PARLEY_STR("memory");

    (void) parley_store_once(s, parley_store_used, arguments,
                             s->renewals++ % PARLEY_STORE_RENEWALS == 0 ? 3
                                                                        : 2);
}


static int
parley_store_used(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    (void) call;

    (void) parley_store_role(s, reply);

    return 0;
}


static int
parley_store_renewed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    size_t   n;
    int64_t  now, nodes;

    (void) call;

    n = parley_wire_elements(reply);

    if (n < 3 || n % 3 != 0
        || !parley_wire_integer(parley_wire_element(reply, 0), &now)
        || !parley_wire_integer(parley_wire_element(reply, 1), &nodes)
        || parley_store_set_format(s, parley_wire_element(reply, 2)) != 0)
    {
        /* the lease is over: enter again */

        parley_store_fail(s, "the lease of this node was over");
        return 0;
    }

    /* other nodes may have dropped the sessions of this one, and then could not
       renew either */

    if (s->rejoins
        || (!parley_store_holds(s, s->renewing)
            && s->zone->ops->import->is_due(s->zone, PARLEY_IMPORT_DUE_SESSIONS,
                                            s->conf->lease)))
    {
        s->session = 1;
    }

    s->rejoins = 0;

    /* another worker of the node may have entered again */

    s->behind |= s->env->now(s->env->ctx) - s->renewed >= s->conf->lease;

    s->renewed = s->renewing;
    s->renewing = 0;
    s->stat.nodes = (uint64_t) nodes;
    s->stat.offset = now - s->env->wall(s->env->ctx);
    s->offset = now - s->env->now(s->env->ctx);

    parley_store_list_members(s, reply);

    return 0;
}


/* Reads the nodes of p1_renew, and logs those whose settings have come to
   differ. */

static void
parley_store_list_members(parley_store_t *s, const parley_wire_reply_t *reply)
{
    size_t                  i, n;
    parley_store_member_t   list[PARLEY_STORE_MEMBERS];

    n = parley_wire_elements(reply) / 3 - 1;
    n = n < PARLEY_STORE_MEMBERS ? n : PARLEY_STORE_MEMBERS;

    s->stat.differ = 0;

    for (i = 0; i < n; i++) {

        if (!parley_store_read_member(s, reply, 3 + 3 * i, &list[i])) {
            return;
        }

        s->stat.differ += list[i].differs;

        if (list[i].differs && s->conf->first
            && !parley_store_differed(s, &list[i]))
        {
            parley_store_log(s, PARLEY_STORE_WARN, "the gateway %s has other "
                             "settings than this one: the directives and "
                             "files that docs/cluster.md lists must be equal",
                             list[i].host);
        }
    }

    /* a longer list has only some of the nodes */

    if (s->conf->first && s->listed && n < PARLEY_STORE_MEMBERS) {
        parley_store_log_gone(s, list, n);
    }

    memcpy(s->members, list, n * sizeof(parley_store_member_t));
    s->nmembers = n;
    s->listed = 1;
}


/* A node that stops is removed before its lease is over. */

static void
parley_store_log_gone(parley_store_t *s, const parley_store_member_t *list,
    size_t n)
{
    int                           stopped;
    char                          name[2 * PARLEY_STORE_NODE + 1];
    size_t                        i;
    int64_t                       now;
    const parley_store_member_t  *m;

    now = s->env->now(s->env->ctx);

    for (i = 0; i < s->nmembers; i++) {
        m = &s->members[i];

        if (m->own || parley_store_find_member(list, n, m->node) != NULL) {
            continue;
        }

        parley_hex(m->node, PARLEY_STORE_NODE, name);

        stopped = m->until > now;

        parley_store_log(s, stopped ? PARLEY_STORE_INFO : PARLEY_STORE_WARN,
                         stopped ? "the gateway %s (%s) has stopped: other "
                                   "gateways do its jobs"
                                 : "the lease of the gateway %s (%s) is over: "
                                   "other gateways do its jobs",
                         m->host, name);

        if (s->env->left != NULL) {
            s->env->left(s->env->ctx, m->host, name, stopped);
        }
    }
}


static int
parley_store_read_member(parley_store_t *s, const parley_wire_reply_t *reply,
    size_t at, parley_store_member_t *ret)
{
    size_t         i, n;
    int64_t        until;
    parley_str_t   node, text;

    char *const    words[] = { ret->config, ret->version, ret->host };
    const size_t   sizes[] = {
        sizeof(ret->config), sizeof(ret->version), sizeof(ret->host)
    };

    memset(ret, 0, sizeof(parley_store_member_t));

    if (!parley_wire_text(parley_wire_element(reply, at), &node)
        || !parley_wire_integer(parley_wire_element(reply, at + 1), &until)
        || !parley_wire_text(parley_wire_element(reply, at + 2), &text)
        || node.len != PARLEY_STORE_NODE || text.len < 2)
    {
        return 0;
    }

    memcpy(ret->node, node.data, PARLEY_STORE_NODE);

    for (i = 0; i < 2; i++) {
        ret->formats[i] = text.data[i] > ' ' && text.data[i] < 0x7F
                          ? (char) text.data[i] : '?';
    }

    ret->until = until - s->offset;
    text = parley_str_from(text, 2);

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {

        for (n = 0; n < text.len && n < sizes[i] - 1 && text.data[n] > ' '
                    && text.data[n] < 0x7F; n++)
        {
            words[i][n] = (char) text.data[n];
        }

        text = parley_str_from(text, n + (n < text.len));
    }

    ret->own = memcmp(ret->node, s->conf->node, PARLEY_STORE_NODE) == 0;
    ret->differs = !ret->own
                   && !parley_str_eq(parley_str_c(ret->config),
                                     s->conf->config);

    return 1;
}


/* Returns whether the last list had the node with this config. */

static int
parley_store_differed(const parley_store_t *s, const parley_store_member_t *m)
{
    const parley_store_member_t  *old;

    old = parley_store_find_member(s->members, s->nmembers, m->node);

    return old != NULL && strcmp(old->config, m->config) == 0;
}


static const parley_store_member_t *
parley_store_find_member(const parley_store_member_t *list, size_t n,
    const uint8_t *node)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (memcmp(list[i].node, node, PARLEY_STORE_NODE) == 0) {
            return &list[i];
        }
    }

    return NULL;
}


const parley_store_member_t *
parley_store_members(const parley_store_t *s, size_t *n)
{
    *n = s->nmembers;

    return s->members;
}


static void
parley_store_ask_change(parley_store_t *s)
{
    char          name[PARLEY_STORE_PREFIX + 1];
    parley_str_t  arguments[2];

    arguments[0] = PARLEY_STR("GET");
    arguments[1] = parley_store_single(s, 'k', name);

    s->asking = parley_store_once(s, parley_store_change, arguments, 2) != 0;
}


static int
parley_store_change(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    char  number[24];

    (void) call;

    s->asking = 0;

    if (parley_store_number(reply, number) && strcmp(number, s->changes) != 0) {
        parley_store_ask_changes(s);
    }

    return 0;
}


static void
parley_store_ask_changes(parley_store_t *s)
{
    parley_str_t  arguments[5];

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_changes");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_c(s->changes);

    s->asking = parley_store_once(s, parley_store_changed, arguments, 5) != 0;
}


static int
parley_store_changed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    size_t        i, n;
    parley_str_t  field, entry;

    (void) call;

    s->asking = 0;
    n = parley_wire_elements(reply);

    if (n < 3 || n % 2 != 1
        || parley_store_set_format(s, parley_wire_element(reply, 2)) != 0
        || !parley_store_number(parley_wire_element(reply, 0), s->changes))
    {
        return 0;
    }

    for (i = 3; i < n; i += 2) {
        if (parley_wire_text(parley_wire_element(reply, i), &field)
            && parley_wire_text(parley_wire_element(reply, i + 1), &entry))
        {
            parley_store_import(s, field, entry);
        }
    }

    if (n > 3) {
        parley_store_ask_changes(s);
    }

    return 0;
}


/* Copies the text of a number. */

static int
parley_store_number(const parley_wire_reply_t *reply, char out[24])
{
    int64_t       n;
    parley_str_t  text;

    if (!parley_wire_integer(reply, &n)) {
        return 0;
    }

    text = parley_wire_number(n, out);
    out[text.len] = '\0';

    return 1;
}


void
parley_store_member_restore(parley_store_t *s)
{
    int                 i;
    size_t              k;
    parley_listed_t     listed;
    parley_arena_t      arena;
    parley_listing_t    listing;
    parley_record_id_t  id;

    static const parley_kind_t  kinds[] = {
        PARLEY_KIND_SUSPENSION, PARLEY_KIND_CHILD_KEY
    };

    parley_arena_init(&arena, s->mem, 0);

    for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {

        memset(&listing, 0, sizeof(parley_listing_t));
        listing.kind = kinds[k];
        listing.arena = &arena;
        id.kind = kinds[k];

        do {
            (void) s->zone->ops->list(s->zone, &listing, &listed, NULL);

            for (i = 0; i < listed.records.n; i++) {
                id.tag = listed.records.list[i].tag;
                memcpy(id.key, listed.keys[i], PARLEY_KEY_LEN);
                parley_store_share(s, &id, &listed.records.list[i]);
            }

            listing.at = listed.at;
            parley_arena_reset(&arena);

        } while (listing.at != 0);
    }

    parley_arena_reset(&arena);
}
