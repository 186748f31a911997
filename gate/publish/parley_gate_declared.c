/*
 * Counts the intents that a principal declared and did not carry out (ACH-29).
 * The count is a record of the state.  It ends one hour after the first
 * declaration, or with the principal's next flush_executed.  A rate limit would
 * allow further declarations from time to time, and a flush could not clear it.
 */

#include <string.h>

#include "gate/party/parley_account.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_DECLARED_MS     ((int64_t) 3600 * 1000)

/* attempts, because another worker may count at the same time */
#define PARLEY_DECLARED_TRIES  16


static void parley_gate_declare_id(const parley_gate_t *g,
    parley_record_id_t *ret);
static int parley_gate_declare_put(parley_gate_t *g,
    const parley_record_id_t *id, const parley_record_t *before,
    uint32_t count, parley_put_result_t *ret);
static int parley_gate_declare_full(parley_gate_t *g, const char *why);


int
parley_gate_declare(parley_gate_t *g)
{
    int                  rc;
    uint32_t             count;
    unsigned             i;
    parley_record_t      record;
    parley_record_id_t   id;
    parley_put_result_t  result;

    if (g->conf.s->submit->declares == 0
        || !parley_str_is(g->msg->intent, PARLEY_INTENT_DECLARE))
    {
        return 0;
    }

    parley_gate_declare_id(g, &id);

    for (i = 0; i < PARLEY_DECLARED_TRIES; i++) {
        rc = parley_ask_get_one(&g->ask, &id, &record);

        if (rc == PARLEY_WAIT) {
            return rc;
        }

        if (rc < 0) {
            return parley_gate_declare_full(g, "the state did not answer");
        }

        count = 0;

        if (rc == 1 && record.value.len == sizeof(count)) {
            memcpy(&count, record.value.data, sizeof(count));
        }

        if (count >= g->conf.s->submit->declares) {
            g->report.wait = record.left;

            return parley_error_set(g->err, PARLEY_E_RATE_LIMITED, NULL,
                                    "too many intents were declared without a "
                                    "flush_executed");
        }

        rc = parley_gate_declare_put(g, &id, rc == 1 ? &record : NULL,
                                     count + 1, &result);
        if (rc == PARLEY_WAIT) {
            return rc;
        }

        if (rc != 0) {
            return parley_gate_declare_full(g, "the state did not answer");
        }

        if (result == PARLEY_PUT_OK) {
            return 0;
        }

        if (result != PARLEY_PUT_STALE) {
            break;
        }
    }

    return parley_gate_declare_full(g,
                                    "no room to count this sender's intents");
}


/*
 * Clears the count.  A declaration that is counted at this moment finds no
 * record and begins another.
 */

int
parley_gate_declare_flush(parley_gate_t *g)
{
    parley_record_id_t  id;

    if (g->conf.s->submit->declares == 0
        || !parley_str_is(g->msg->intent, PARLEY_INTENT_FLUSH))
    {
        return 0;
    }

    parley_gate_declare_id(g, &id);

    return parley_ask_drop(&g->ask, &id, 0) == PARLEY_WAIT ? PARLEY_WAIT : 0;
}


static void
parley_gate_declare_id(const parley_gate_t *g, parley_record_id_t *ret)
{
    memset(ret, 0, sizeof(parley_record_id_t));

    ret->kind = PARLEY_KIND_RATE;
    parley_account_declared_key(g->ask.state, g->proof.account, ret->key);
}


/*
 * Writes the count.  If two workers write the first count at once, one
 * declaration is counted.
 */

static int
parley_gate_declare_put(parley_gate_t *g, const parley_record_id_t *id,
    const parley_record_t *before, uint32_t count, parley_put_result_t *ret)
{
    parley_put_t  put;
    parley_str_t  value;

    memset(&put, 0, sizeof(parley_put_t));

    value = parley_str_make(&count, sizeof(count));

    put.id = *id;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = g->proof.account;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = before != NULL ? before->left : PARLEY_DECLARED_MS;
    put.replaces = before != NULL ? before->generation : 0;

    return parley_ask_put(&g->ask, &put, ret);
}


static int
parley_gate_declare_full(parley_gate_t *g, const char *why)
{
    g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s", why);
}
