/*
 * Records that all nodes have in their zones: suspensions and keys of children.
 * The store has them in one hash, with a number for each change, and each
 * worker imports the changes.
 */

#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_parts.h"


static int parley_store_share_command(parley_store_t *s,
    parley_store_call_t *call, const parley_record_id_t *id,
    uint32_t generation, const parley_str_t *parts, size_t nparts, int64_t ttl,
    parley_str_t how);
static int parley_store_shared(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_confirmed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_share_alone(parley_store_t *s,
    parley_store_call_t *call);


parley_state_done_t
parley_store_put_shared(parley_store_t *s, const parley_put_t *put,
    uint32_t generation, parley_put_result_t *ret, parley_call_t *caller)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, parley_store_shared);

    if (call == NULL) {
        *ret = PARLEY_PUT_FULL;
        return PARLEY_STATE_DONE;
    }

    if (parley_store_share_command(s, call, &put->id, generation, put->parts,
                                   put->nparts, put->ttl, PARLEY_STR("any"))
        != 0)
    {
        parley_store_call_free(s, call);
        *ret = PARLEY_PUT_FULL;

        return PARLEY_STATE_DONE;
    }

    call->kept = 1;

    return parley_store_await(s, call, ret, caller, parley_store_share_alone);
}


static int
parley_store_share_command(parley_store_t *s, parley_store_call_t *call,
    const parley_record_id_t *id, uint32_t generation,
    const parley_str_t *parts, size_t nparts, int64_t ttl, parley_str_t how)
{
    char          number[24];
    uint8_t       field[PARLEY_STORE_FIELD], head[PARLEY_STORE_ENTRY];
    parley_put_t  put;
    parley_str_t  arguments[9];

    memset(&put, 0, sizeof(parley_put_t));

    put.id = *id;
    put.queue = PARLEY_EVICTABLE_NONE;

    parley_store_entry(&put, generation, head);
    parley_store_field(id, field);

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_share");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(field, sizeof(field));
    arguments[5] = parley_str_make(head, sizeof(head));
    arguments[6] = parley_store_join_parts(&call->arena, parts, nparts);
    arguments[7] = parley_wire_number(ttl > 0 ? ttl : 1, number);
    arguments[8] = how;

    call->u.put.id = *id;

    return parley_store_command(call, arguments, 9);
}


static int
parley_store_shared(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_put_result_t  *ret = call->ret;

    if (parley_wire_error(reply).len == 0) {
        return parley_store_confirm(s, call);
    }

    if (ret != NULL) {
        *ret = PARLEY_PUT_FULL;
    }

    return 0;
}


/* An acknowledged suspension or resumption survives a failover if a replica has
   it. */

int
parley_store_confirm(parley_store_t *s, parley_store_call_t *call)
{
    parley_str_t  arguments[3];

    if (s->replicas == 0) {
        return 0;
    }

    arguments[0] = PARLEY_STR("WAIT");
    arguments[1] = PARLEY_STR("1");
    arguments[2] = PARLEY_STR(PARLEY_STORE_CONFIRM);

    call->answer = parley_store_confirmed;
    call->once = 1;

    return parley_store_command(call, arguments, 3) == 0
           ? parley_store_resend(s, call) : 0;
}


static int
parley_store_confirmed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int64_t  n;

    (void) call;

    if (!parley_wire_integer(reply, &n) || n == 0) {
        s->stat.lost[PARLEY_STORE_LOST_UNCONFIRMED]++;
        parley_store_log(s, PARLEY_STORE_WARN, "no replica has confirmed a "
                         "suspension, a resumption or a key of a child within "
                         PARLEY_STORE_CONFIRM " ms: a failover may lose it");
    }

    return 0;
}


/* The store has not confirmed it, so the caller must not be told that it holds;
   the zone keeps it, and the store may get it later. */

static void
parley_store_share_alone(parley_store_t *s, parley_store_call_t *call)
{
    parley_put_result_t  *ret = call->ret;

    s->stat.fallbacks++;

    if (call->answer == parley_store_shared) {
        *ret = PARLEY_PUT_AWAY;
    }
}


void
parley_store_share(parley_store_t *s, const parley_record_id_t *id,
    const parley_record_t *record)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        return;
    }

    if (parley_store_share_command(s, call, id, record->generation,
                                   &record->value, 1, record->left,
                                   PARLEY_STR("fresh"))
        == 0)
    {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


void
parley_store_import(parley_store_t *s, parley_str_t field, parley_str_t entry)
{
    parley_put_t         put;
    parley_arena_t       arena;
    parley_lookup_t      lookup;
    parley_record_t      record;
    parley_records_t     records;
    parley_put_result_t  got;

    if (field.len != PARLEY_STORE_FIELD
        || !parley_store_in_zones((parley_kind_t) field.data[0]))
    {
        parley_store_damaged(s);
        return;
    }

    memset(&put, 0, sizeof(parley_put_t));

    put.id.kind = (parley_kind_t) field.data[0];
    memcpy(put.id.key, field.data + 1, PARLEY_KEY_LEN);
    put.id.tag = parley_octets_read32(field.data + 1 + PARLEY_KEY_LEN);

    if (entry.len == 0) {
        (void) s->zone->ops->drop(s->zone, &put.id, 0, NULL);
        return;
    }

    if (parley_store_read_format(s, &entry) != 0) {
        return;
    }

    parley_arena_init(&arena, s->mem, 0);

    lookup.kind = put.id.kind;
    lookup.tag = put.id.tag;
    lookup.mask = PARLEY_TAG_WHOLE;
    lookup.arena = &arena;
    memcpy(lookup.key, put.id.key, PARLEY_KEY_LEN);

    (void) s->zone->ops->get(s->zone, &lookup, &records, NULL);

    if (parley_store_parse(s, &entry, &arena, &record) == 1 && record.left > 0
        && (records.n <= 0
            || records.list[0].generation != record.generation))
    {
        put.queue = PARLEY_EVICTABLE_NONE;
        put.parts = &record.value;
        put.nparts = 1;
        put.ttl = record.left;
        put.stamp = record.generation;

        (void) s->zone->ops->put(s->zone, &put, &got, NULL);

        if (got != PARLEY_PUT_OK) {
            parley_store_log(s, PARLEY_STORE_WARN, "the zone has no room for a "
                             "suspension or a key of another node");
        }
    }

    parley_arena_reset(&arena);
}
