#include <string.h>

#include "core/parley_octets.h"
#include "gate/party/parley_account.h"
#include "translate/parley_severity.h"
#include "gate/admission/parley_suspension.h"
#include "core/parley_time.h"


/* ms that the state keeps a suspension: longer than any other record */
#define PARLEY_SUSPENSION_TTL  ((int64_t) 100 * 365 * 24 * 3600 * 1000)


_Static_assert((int) PARLEY_SEVERITY_EMERGENCY < PARLEY_STATE_HOLDS,
               "the state counts them by their alarm, which is their tag");


/* octets of a record before the sub of the principal and the id of the message:
   format, alarm, time in ms, length of the sub */
#define PARLEY_SUSPENSION_HEAD  (1 + 1 + 8 + 4)


static void parley_suspension_record(const parley_state_t *state,
    parley_str_t sub, parley_severity_t alarm, parley_record_id_t *ret);


static void
parley_suspension_record(const parley_state_t *state, parley_str_t sub,
    parley_severity_t alarm, parley_record_id_t *ret)
{
    ret->kind = PARLEY_KIND_SUSPENSION;
    ret->tag = (uint32_t) alarm;

    parley_account_key(state, sub, parley_str_none, ret->key);
}


int
parley_suspension_put(parley_ask_t *q, const parley_suspension_t *s,
    parley_put_result_t *ret)
{
    uint8_t       *p, head[PARLEY_SUSPENSION_HEAD];
    parley_put_t   put;
    parley_str_t   parts[3];

    memset(&put, 0, sizeof(parley_put_t));

    p = head;

    *p++ = q->state->format;
    *p++ = (uint8_t) s->alarm;
    p = parley_octets_write64(p, (uint64_t) s->since_ms);
    (void) parley_octets_write32(p, (uint32_t) s->sub.len);

    parts[0] = parley_str_make(head, sizeof(head));
    parts[1] = s->sub;
    parts[2] = s->id;

    parley_suspension_record(q->state, s->sub, s->alarm, &put.id);

    /*
     * without an account, as a principal that has used its share must be
     * suspended too
     */

    put.queue = PARLEY_EVICTABLE_NONE;
    put.parts = parts;
    put.nparts = 3;
    put.ttl = PARLEY_SUSPENSION_TTL;

    return parley_ask_put(q, &put, ret);
}


int
parley_suspension_get(parley_ask_t *q, parley_str_t sub,
    parley_suspensions_t *ret)
{
    uint8_t  account[PARLEY_KEY_LEN];

    parley_account_key(q->state, sub, parley_str_none, account);

    return parley_suspension_get_of(q, account, ret);
}


int
parley_suspension_get_of(parley_ask_t *q,
    const uint8_t account[PARLEY_KEY_LEN], parley_suspensions_t *ret)
{
    int               i, rc;
    parley_records_t  records;

    ret->n = 0;

    rc = parley_ask_get(q, PARLEY_KIND_SUSPENSION, account, &records);

    if (rc != 0) {
        return rc;
    }

    for (i = 0; i < records.n && ret->n < PARLEY_SUSPENSIONS_MAX; i++) {
        if (parley_suspension_read(q->state, &records.list[i],
                                   &ret->list[ret->n])
            == 0)
        {
            ret->n++;
        }
    }

    return 0;
}


int
parley_suspension_drop(parley_ask_t *q, const parley_suspension_t *s)
{
    return parley_ask_drop(q, &s->lift.id, s->lift.generation);
}


int
parley_suspension_read(const parley_state_t *state,
    const parley_record_t *record, parley_suspension_t *ret)
{
    size_t          len;
    parley_str_t    value;
    const uint8_t  *p;

    value = record->value;

    if (value.len < PARLEY_SUSPENSION_HEAD
        || !parley_state_reads_format(value))
    {
        return -1;
    }

    p = value.data + 1;
    value = parley_str_from(value, PARLEY_SUSPENSION_HEAD);
    len = parley_octets_read32(p + 1 + 8);

    if (len > value.len || p[0] >= PARLEY_STATE_HOLDS) {
        return -1;
    }

    ret->alarm = (parley_severity_t) p[0];
    ret->since_ms = (int64_t) parley_octets_read64(p + 1);
    ret->sub = parley_str_make(value.data, len);
    ret->id = parley_str_from(value, len);

    parley_suspension_record(state, ret->sub, ret->alarm, &ret->lift.id);
    ret->lift.generation = record->generation;

    return 0;
}


parley_str_t
parley_suspension_name(const parley_suspension_t *s)
{
    return parley_severity_is_emergency(s->alarm) ? PARLEY_STR("suspended")
                                              : PARLEY_STR("paused");
}


void
parley_suspension_tell(const parley_suspension_t *s, parley_buf_t *b)
{
    char    time[PARLEY_TIME_MAX];
    size_t  n;

    n = parley_time_format(s->since_ms, time);

    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("sub"), s->sub);
    parley_buf_member(b, PARLEY_STR("state"), parley_suspension_name(s));
    parley_buf_member(b, PARLEY_STR("since"), parley_str_make(time, n));
    parley_buf_member(b, PARLEY_STR("message_id"), s->id);
    parley_buf_octet(b, '}');
}
