/*
 * Records.  Questions, calls, retained messages and first answers are put into
 * the zone of their node and into the store; another node reads them there.
 * Records of other kinds are the zone's alone.
 */

#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_parts.h"


static uint32_t parley_store_put_generation(parley_store_t *s,
    const parley_put_t *put);
static int parley_store_put_new(parley_store_t *s, parley_store_call_t *call,
    const parley_put_t *put, uint32_t generation);
static int parley_store_put_command(parley_store_t *s,
    parley_store_call_t *call, const parley_put_t *put, uint32_t generation);
static int parley_store_put_merge(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static int parley_store_put_done(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_put_alone(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_got(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_get_alone(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_dropped(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_drop_alone(parley_store_t *s,
    parley_store_call_t *call);


parley_state_done_t
parley_store_put(parley_state_t *state, const parley_put_t *put,
    parley_put_result_t *ret, parley_call_t *caller)
{
    int                   rc;
    size_t                i, len;
    uint32_t              generation;
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    if (parley_store_in_zones(put->id.kind)
        && s->main.stage != PARLEY_STORE_UP)
    {
        s->stat.fallbacks++;
        *ret = PARLEY_PUT_AWAY;

        return PARLEY_STATE_DONE;
    }

    (void) s->zone->ops->put(s->zone, put, ret, NULL);

    if (*ret != PARLEY_PUT_OK
        || (!parley_store_is_shared(put->id.kind)
            && !parley_store_in_zones(put->id.kind)))
    {
        return PARLEY_STATE_DONE;
    }

    for (i = 0, len = 0; i < put->nparts; i++) {
        len += put->parts[i].len;
    }

    if (len > PARLEY_STORE_VALUE) {
        s->stat.lost[PARLEY_STORE_LOST_CALL]++;
        return PARLEY_STATE_DONE;
    }

    generation = parley_store_put_generation(s, put);

    if (parley_store_in_zones(put->id.kind)) {
        return parley_store_put_shared(s, put, generation, ret, caller);
    }

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    call->question = put->id.kind == PARLEY_KIND_QUESTION
                     || put->id.kind == PARLEY_KIND_CALL;

    rc = put->replaces != 0
         ? parley_store_put_command(s, call, put, generation)
         : parley_store_put_new(s, call, put, generation);

    if (rc != 0) {
        parley_store_call_free(s, call);
        return PARLEY_STATE_DONE;
    }

    if (put->replaces == 0 || s->main.stage != PARLEY_STORE_UP
        || caller == NULL)
    {
        (void) parley_store_send(s, call);
        return PARLEY_STATE_DONE;
    }

    call->kept = 1;

    return parley_store_await(s, call, ret, caller, parley_store_put_alone);
}


/* Returns the generation that the zone gave to a record. */

static uint32_t
parley_store_put_generation(parley_store_t *s, const parley_put_t *put)
{
    uint32_t          generation;
    parley_arena_t    arena;
    parley_lookup_t   lookup;
    parley_records_t  records;

    if (put->stamp != 0 && put->replaces == 0) {
        return parley_state_generation(put->stamp);
    }

    parley_arena_init(&arena, s->mem, 0);

    lookup.kind = put->id.kind;
    lookup.tag = put->id.tag;
    lookup.mask = PARLEY_TAG_WHOLE;
    lookup.arena = &arena;
    memcpy(lookup.key, put->id.key, PARLEY_KEY_LEN);

    (void) s->zone->ops->get(s->zone, &lookup, &records, NULL);

    generation = records.n > 0 ? records.list[0].generation : 0;

    parley_arena_reset(&arena);

    return generation;
}


/* SET key value NX GET PX: null if no other record has the key.  Else p1_put
   follows, for which the call keeps the record. */

static int
parley_store_put_new(parley_store_t *s, parley_store_call_t *call,
    const parley_put_t *put, uint32_t generation)
{
    char          ttl[24];
    size_t        i, len;
    uint8_t      *p, name[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN];
    int64_t       till;
    parley_str_t  arguments[7];

    len = 0;

    for (i = 0; i < put->nparts; i++) {
        len += put->parts[i].len;
    }

    p = parley_arena_octets(&call->arena, 1 + PARLEY_STORE_HEAD + len);

    if (p == NULL) {
        return -1;
    }

    call->u.put.id = put->id;
    call->u.put.ttl = put->ttl > 0 ? put->ttl : 1;
    call->u.put.stamp = put->stamp;
    call->u.put.has_under = put->under != NULL;

    if (put->under != NULL) {
        memcpy(call->u.put.under, put->under, PARLEY_KEY_LEN);
    }

    call->u.put.entry = parley_str_make(p, 1 + PARLEY_STORE_HEAD + len);

    till = s->env->now(s->env->ctx) + s->offset + put->ttl;

    *p++ = s->state.format;
    parley_store_entry(put, generation, p);
    p += PARLEY_STORE_ENTRY;
    p = parley_octets_write64(p, (uint64_t) till);
    p = parley_octets_write32(p, (uint32_t) len);

    for (i = 0; i < put->nparts; i++) {
        if (put->parts[i].len != 0) {
            memcpy(p, put->parts[i].data, put->parts[i].len);
            p += put->parts[i].len;
        }
    }

    arguments[0] = PARLEY_STR("SET");
    arguments[1] = parley_store_name(s, 'r', put->id.key, name);
    arguments[2] = call->u.put.entry;
    arguments[3] = PARLEY_STR("NX");
    arguments[4] = PARLEY_STR("GET");
    arguments[5] = PARLEY_STR("PX");
    arguments[6] = parley_wire_number(call->u.put.ttl, ttl);

    call->answer = parley_store_put_merge;

    return parley_store_command(call, arguments, 7);
}


static int
parley_store_put_merge(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    char           ttl[24];
    uint8_t        holder[PARLEY_STORE_HOLDER];
    parley_str_t   had, entry, arguments[11];

    if (!parley_wire_text(reply, &had)) {
        return 0;
    }

    entry = call->u.put.entry;

    /* the command was sent again */

    if (had.len == entry.len && memcmp(had.data, entry.data, had.len) == 0) {
        return 0;
    }

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_put");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(call->u.put.id.key, PARLEY_KEY_LEN);
    arguments[5] = parley_str_make(entry.data + 1, PARLEY_STORE_ENTRY);
    arguments[6] = parley_str_from(entry, 1 + PARLEY_STORE_HEAD);
    arguments[7] = parley_wire_number(call->u.put.ttl, ttl);
    arguments[8] = parley_str_none;

    /* the admission may have been given back after the first command */

    parley_store_holder(s, call->u.put.stamp, holder);

    arguments[9] = parley_str_make(call->u.put.under,
                                   call->u.put.has_under ? PARLEY_KEY_LEN : 0);
    arguments[10] = parley_str_make(holder, sizeof(holder));

    call->answer = parley_store_put_done;

    return parley_store_command(call, arguments, 11) == 0
           ? parley_store_resend(s, call) : 0;
}


static int
parley_store_put_command(parley_store_t *s, parley_store_call_t *call,
    const parley_put_t *put, uint32_t generation)
{
    char          ttl[24];
    uint8_t       head[PARLEY_STORE_ENTRY], replaces[4];
    parley_str_t  arguments[11];

    parley_store_entry(put, generation, head);
    (void) parley_octets_write32(replaces, put->replaces);

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_put");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(put->id.key, PARLEY_KEY_LEN);
    arguments[5] = parley_str_make(head, sizeof(head));
    arguments[6] = parley_store_join_parts(&call->arena, put->parts,
                                           put->nparts);
    arguments[7] = parley_wire_number(put->ttl > 0 ? put->ttl : 1, ttl);
    arguments[8] = parley_str_make(replaces, sizeof(replaces));
    arguments[9] = parley_str_none;
    arguments[10] = parley_str_none;

    call->answer = parley_store_put_done;

    return parley_store_command(call, arguments, 11);
}


static int
parley_store_put_done(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t          word;
    parley_put_result_t  *ret = call->ret;

    if (!parley_wire_text(reply, &word)) {
        word = parley_str_none;
    }

    if (parley_str_is(word, "unreadable")) {
        parley_store_unreadable(s);
        word = parley_str_none;
    }

    if (ret == NULL) {

        /* the key is full in the store: only the zone has the record */

        if (parley_str_is(word, "share")) {
            s->stat.lost[PARLEY_STORE_LOST_CALL]++;
        }

        return 0;
    }

    if (word.len == 0) {
        *ret = PARLEY_PUT_FULL;

    } else if (parley_str_is(word, "share")) {
        *ret = PARLEY_PUT_SHARE;

    } else if (parley_str_is(word, "stale")) {
        *ret = PARLEY_PUT_STALE;
    }

    return 0;
}


/* The zone has the record. */

static void
parley_store_put_alone(parley_store_t *s, parley_store_call_t *call)
{
    (void) call;

    s->stat.fallbacks++;
}


parley_state_done_t
parley_store_get(parley_state_t *state, const parley_lookup_t *lookup,
    parley_records_t *ret, parley_call_t *caller)
{
    uint8_t               name[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN];
    parley_str_t          arguments[2];
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    (void) s->zone->ops->get(s->zone, lookup, ret, NULL);

    if (ret->n != 0 || !parley_store_is_shared(lookup->kind)) {
        return PARLEY_STATE_DONE;
    }

    call = parley_store_call(s, parley_store_got);

    if (call == NULL) {
        ret->n = -1;
        return PARLEY_STATE_DONE;
    }

    call->u.lookup = *lookup;

    arguments[0] = PARLEY_STR("GET");
    arguments[1] = parley_store_name(s, 'r', lookup->key, name);

    if (parley_store_command(call, arguments, 2) != 0) {
        parley_store_call_free(s, call);
        ret->n = -1;

        return PARLEY_STATE_DONE;
    }

    return parley_store_await(s, call, ret, caller, parley_store_get_alone);
}


static void
parley_store_get_alone(parley_store_t *s, parley_store_call_t *call)
{
    parley_records_t  *ret = call->ret;

    s->stat.fallbacks++;

    ret->n = s->conf->fallback == PARLEY_STORE_LOCAL ? 0 : PARLEY_RECORDS_AWAY;
}


static int
parley_store_got(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int                     rc;
    parley_str_t            rest;
    parley_record_t        *record;
    parley_records_t       *ret = call->ret;
    const parley_lookup_t  *l = &call->u.lookup;

    if (ret == NULL || !parley_wire_text(reply, &rest)) {
        return 0;
    }

    /* not "no record": a question that is skipped could take two answers */

    if (parley_store_read_format(s, &rest) != 0) {
        ret->n = -1;
        return 0;
    }

    while (ret->n < PARLEY_RECORDS_MAX) {
        record = &ret->list[ret->n];
        rc = parley_store_parse(s, &rest, l->arena, record);

        if (rc < 0) {
            ret->n = -1;
            return 0;
        }

        if (rc == 0) {
            return 0;
        }

        if (record->left > 0 && ((record->tag ^ l->tag) & l->mask) == 0) {
            ret->n++;
        }
    }

    return 0;
}


parley_state_done_t
parley_store_drop(parley_state_t *state, const parley_record_id_t *id,
    uint32_t generation, parley_call_t *caller)
{
    size_t                n;
    uint8_t               field[PARLEY_STORE_FIELD], tag[4], number[4];
    parley_str_t          arguments[7];
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    (void) s->zone->ops->drop(s->zone, id, generation, NULL);

    if (!parley_store_is_shared(id->kind) && !parley_store_in_zones(id->kind)) {
        return PARLEY_STATE_DONE;
    }

    parley_store_field(id, field);
    (void) parley_octets_write32(tag, id->tag);
    (void) parley_octets_write32(number, generation);

    n = 0;

    arguments[n++] = PARLEY_STR("FCALL");
    n++;
    arguments[n++] = PARLEY_STR("1");
    arguments[n++] = parley_store_prefix(s);

    if (parley_store_is_shared(id->kind)) {
        arguments[1] = PARLEY_STR("p1_drop");
        arguments[n++] = parley_str_make(id->key, PARLEY_KEY_LEN);
        arguments[n++] = parley_str_make(tag, sizeof(tag));

    } else {
        arguments[1] = PARLEY_STR("p1_unshare");
        arguments[n++] = parley_str_make(field, sizeof(field));
    }

    arguments[n++] = parley_str_make(number, sizeof(number));

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    if (parley_store_command(call, arguments, n) != 0) {
        parley_store_call_free(s, call);
        return PARLEY_STATE_DONE;
    }

    if (caller == NULL || s->main.stage != PARLEY_STORE_UP
        || parley_store_is_shared(id->kind))
    {
        (void) parley_store_send(s, call);
        return PARLEY_STATE_DONE;
    }

    call->answer = parley_store_dropped;
    call->kept = 1;

    return parley_store_await(s, call, NULL, caller, parley_store_drop_alone);
}


static int
parley_store_dropped(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    return parley_wire_error(reply).len == 0 ? parley_store_confirm(s, call)
                                             : 0;
}


static void
parley_store_drop_alone(parley_store_t *s, parley_store_call_t *call)
{
    (void) call;

    s->stat.fallbacks++;
}
