/*
 * Names and values of keys, entries of records, the command of an admission.
 */

#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_CLOSED  9  /* place of '1' in the entry of a closed one */


int
parley_store_is_shared(parley_kind_t kind)
{
    return kind == PARLEY_KIND_QUESTION || kind == PARLEY_KIND_CALL
           || kind == PARLEY_KIND_MESSAGE || kind == PARLEY_KIND_ANSWER;
}


int
parley_store_in_zones(parley_kind_t kind)
{
    return kind == PARLEY_KIND_SUSPENSION || kind == PARLEY_KIND_CHILD_KEY;
}


parley_str_t
parley_store_name(const parley_store_t *s, uint8_t kind, const uint8_t *key,
    uint8_t room[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN])
{
    memcpy(room, s->prefix, s->prefix_len);
    room[s->prefix_len] = kind;
    memcpy(room + s->prefix_len + 1, key, PARLEY_KEY_LEN);

    return parley_str_make(room, s->prefix_len + 1 + PARLEY_KEY_LEN);
}


void
parley_store_holder(const parley_store_t *s, uint64_t stamp,
    uint8_t out[PARLEY_STORE_HOLDER])
{
    memcpy(out, s->conf->node, PARLEY_STORE_NODE);
    (void) parley_octets_write64(out + PARLEY_STORE_NODE, stamp);
}


parley_str_t
parley_store_write_id(const parley_store_t *s, uint8_t state,
    const uint8_t *print, uint64_t stamp, uint8_t room[PARLEY_STORE_PRINTED])
{
    uint8_t  *p, format;

    p = room;
    format = s->state.format;

    *p++ = format;
    *p++ = state;

    memset(p, 0, PARLEY_STORE_BETWEEN(format));
    p += PARLEY_STORE_BETWEEN(format);

    memcpy(p, print, PARLEY_PRINT_LEN);
    p += PARLEY_PRINT_LEN;

    parley_store_holder(s, stamp, p);
    p += PARLEY_STORE_HOLDER;

    return parley_str_make(room, (size_t) (p - room));
}


int
parley_store_read_id(parley_store_t *s, parley_str_t value,
    parley_store_id_t *ret)
{
    size_t          between;
    const uint8_t  *p = value.data;

    if (value.len == 0) {
        return 0;
    }

    between = PARLEY_STORE_BETWEEN(p[0]);

    if (parley_store_read_format(s, &value) != 0) {
        return -1;
    }

    if (value.len != 1 + between + PARLEY_PRINT_LEN + PARLEY_STORE_HOLDER) {
        return 0;
    }

    ret->state = value.data[0];
    ret->print = value.data + 1 + between;
    ret->holder = ret->print + PARLEY_PRINT_LEN;

    return 1;
}


int
parley_store_read_format(parley_store_t *s, parley_str_t *value)
{
    if (!parley_state_reads_format(*value)) {
        parley_store_unreadable(s);
        return -1;
    }

    *value = parley_str_from(*value, 1);

    return 0;
}


void
parley_store_unreadable(parley_store_t *s)
{
    s->stat.lost[PARLEY_STORE_LOST_FORMAT]++;

    parley_store_log(s, PARLEY_STORE_CRIT, "a value is skipped: it has a "
                     "format that this version does not read; install the "
                     "version of the other gateways, or use another prefix= "
                     "for all");
}


void
parley_store_damaged(parley_store_t *s)
{
    s->stat.lost[PARLEY_STORE_LOST_FORMAT]++;

    parley_store_log(s, PARLEY_STORE_CRIT, "a value is skipped: it is damaged, "
                     "or another program wrote it");
}


int
parley_store_set_format(parley_store_t *s, const parley_wire_reply_t *reply)
{
    parley_str_t  format;

    if (!parley_wire_text(reply, &format) || format.len != 1
        || !parley_state_reads_format(format))
    {
        return -1;
    }

    if (s->state.format != format.data[0]) {
        s->state.format = format.data[0];
        parley_store_log(s, PARLEY_STORE_INFO, "values are written in format "
                         "%c, which all gateways read", format.data[0]);
    }

    return 0;
}


void
parley_store_member_text(const parley_store_t *s, char out[PARLEY_STORE_TEXT])
{
    size_t               i, n;
    const parley_str_t  *texts[] = {
        &s->conf->config, &s->conf->version, &s->conf->host
    };

    static const size_t  max[] = {
        sizeof(((parley_store_member_t *) NULL)->config) - 1,
        sizeof(((parley_store_member_t *) NULL)->version) - 1,
        sizeof(((parley_store_member_t *) NULL)->host) - 1
    };

    _Static_assert(sizeof(((parley_store_member_t *) NULL)->config)
                   + sizeof(((parley_store_member_t *) NULL)->version)
                   + sizeof(((parley_store_member_t *) NULL)->host)
                   <= PARLEY_STORE_TEXT, "the text has room");

    for (i = 0; i < sizeof(max) / sizeof(max[0]); i++) {

        n = texts[i]->len < max[i] ? texts[i]->len : max[i];

        if (n != 0) {
            memcpy(out, texts[i]->data, n);
        }

        out += n;
        *out++ = ' ';
    }

    out[-1] = '\0';
}


void
parley_store_field(const parley_record_id_t *id,
    uint8_t out[PARLEY_STORE_FIELD])
{
    out[0] = (uint8_t) id->kind;
    memcpy(out + 1, id->key, PARLEY_KEY_LEN);
    (void) parley_octets_write32(out + 1 + PARLEY_KEY_LEN, id->tag);
}


/* Writes tag, generation, queue (0: guaranteed) and '0': not closed. */

void
parley_store_entry(const parley_put_t *put, uint32_t generation,
    uint8_t out[PARLEY_STORE_ENTRY])
{
    (void) parley_octets_write32(out, put->id.tag);
    (void) parley_octets_write32(out + 4, generation);

    out[8] = put->queue == PARLEY_EVICTABLE_NONE ? 0
                                                 : (uint8_t) (put->queue + 1);
    out[PARLEY_STORE_CLOSED] = '0';
}


int
parley_store_parse(parley_store_t *s, parley_str_t *rest,
    parley_arena_t *arena, parley_record_t *ret)
{
    size_t          len;
    int64_t         till;
    const uint8_t  *p = rest->data;

    if (rest->len == 0) {
        return 0;
    }

    if (rest->len < PARLEY_STORE_HEAD) {
        parley_store_damaged(s);
        return -1;
    }

    len = parley_octets_read32(p + PARLEY_STORE_ENTRY + 8);
    till = (int64_t) parley_octets_read64(p + PARLEY_STORE_ENTRY);

    if (len > rest->len - PARLEY_STORE_HEAD
        || p[8] > PARLEY_EVICTABLE_COUNT
        || till < 0 || till > PARLEY_WIRE_NUMBER_MAX)
    {
        parley_store_damaged(s);
        return -1;
    }

    ret->tag = parley_octets_read32(p);
    ret->generation = parley_octets_read32(p + 4);
    ret->queue = p[8] == 0 ? PARLEY_EVICTABLE_NONE
                           : (parley_evictable_t) (p[8] - 1);
    ret->closed = p[PARLEY_STORE_CLOSED] == '1';
    ret->left = till - s->env->now(s->env->ctx) - s->offset;
    ret->value = parley_str_none;

    if (!ret->closed
        && parley_arena_str(arena, parley_str_make(p + PARLEY_STORE_HEAD, len),
                            &ret->value)
           != 0)
    {
        return -1;
    }

    *rest = parley_str_from(*rest, PARLEY_STORE_HEAD + len);

    return 1;
}


parley_str_t
parley_store_join_parts(parley_arena_t *arena, const parley_str_t *parts,
    size_t n)
{
    size_t    i, len;
    uint8_t  *p;

    if (n == 1) {
        return parts[0];
    }

    len = 0;

    for (i = 0; i < n; i++) {
        len += parts[i].len;
    }

    p = parley_arena_octets(arena, len + 1);

    if (p == NULL) {
        return parley_str_none;
    }

    len = 0;

    for (i = 0; i < n; i++) {
        if (parts[i].len != 0) {
            memcpy(p + len, parts[i].data, parts[i].len);
            len += parts[i].len;
        }
    }

    return parley_str_make(p, len);
}


void
parley_store_admission(parley_store_admission_t *copy,
    const parley_admission_t *a, uint64_t stamp)
{
    copy->a = *a;
    copy->stamp = stamp;
    copy->a.limits = NULL;
    copy->a.nlimits = 0;

    if (a->account != NULL) {
        memcpy(copy->account, a->account, PARLEY_KEY_LEN);
        copy->a.account = copy->account;
    }

    if (a->id != NULL) {
        memcpy(copy->id, a->id, PARLEY_KEY_LEN);
        memcpy(copy->print, a->print, PARLEY_PRINT_LEN);
        copy->a.id = copy->id;
        copy->a.print = copy->print;
    }

    if (a->slot != NULL) {
        memcpy(copy->slot, a->slot, PARLEY_KEY_LEN);
        copy->a.slot = copy->slot;
    }
}


int
parley_store_is_exact(const parley_admission_t *a)
{
    return a->nlimits != 0
           || (a->nquotas != 0 && a->shared == PARLEY_SHARED_EXACT);
}


int
parley_store_admit_command(parley_store_t *s, parley_store_call_t *call,
    const char *name, int counts)
{
    char                       ttl[24], lease[24], count[24];
    char                     (*numbers)[2][24];
    size_t                     i, n, limits, quotas;
    uint8_t                    holder[PARLEY_STORE_HOLDER];
    parley_str_t               arguments[11 + 3 * (PARLEY_LIMITS_MAX
                                                   + PARLEY_QUOTAS_MAX)];
    const parley_quota_t      *quota;
    parley_store_admission_t  *a = &call->u.admit;

    parley_store_holder(s, a->stamp, holder);

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = parley_str_make(name, strlen(name));
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(holder, sizeof(holder));
    arguments[5] = parley_str_make(a->print, PARLEY_PRINT_LEN);
    arguments[6] = parley_str_make(a->id,
                                   a->a.id != NULL ? PARLEY_KEY_LEN : 0);
    arguments[7] = parley_str_make(a->slot,
                                   a->a.slot != NULL ? PARLEY_KEY_LEN : 0);
    arguments[8] = parley_wire_number(PARLEY_STORE_RESERVED, ttl);
    arguments[9] = parley_wire_number(s->conf->lease, lease);
    n = 10;

    if (!counts || !parley_store_is_exact(&a->a)) {
        return parley_store_command(call, arguments, n);
    }

    limits = a->a.nlimits;
    quotas = a->a.shared == PARLEY_SHARED_EXACT ? a->a.nquotas : 0;

    numbers = parley_arena_alloc(&call->arena,
                                 (limits + quotas) * sizeof(*numbers));

    if (numbers == NULL) {
        return -1;
    }

    arguments[n++] = parley_wire_number((int64_t) limits, count);

    for (i = 0; i < limits + quotas; i++) {
        quota = i < limits ? &a->a.limits[i] : &a->a.quotas[i - limits];

        arguments[n++] = parley_str_make(quota->key, PARLEY_KEY_LEN);
        arguments[n++] = parley_wire_number(quota->rate.interval_us,
                                            numbers[i][0]);
        arguments[n++] = parley_wire_number(quota->rate.burst, numbers[i][1]);
    }

    return parley_store_command(call, arguments, n);
}
