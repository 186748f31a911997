#include <string.h>

#include "gate/party/parley_verified.h"


static void parley_verified_id(const parley_state_t *state, parley_str_t token,
    parley_record_id_t *ret);


int
parley_verified_put(parley_ask_t *q, parley_str_t token, int64_t ttl)
{
    parley_put_t         put;
    parley_put_result_t  got;

    if (ttl <= 0) {
        return 0;
    }

    memset(&put, 0, sizeof(parley_put_t));

    parley_verified_id(q->state, token, &put.id);

    put.queue = PARLEY_EVICTABLE_TOKEN;
    put.ttl = ttl;

    return parley_ask_put(q, &put, &got) == PARLEY_WAIT ? PARLEY_WAIT : 0;
}


int
parley_verified_get(parley_ask_t *q, parley_str_t token)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  id;

    parley_verified_id(q->state, token, &id);

    rc = parley_ask_get_one(q, &id, &record);

    return rc == -1 ? 0 : rc;
}


static void
parley_verified_id(const parley_state_t *state, parley_str_t token,
    parley_record_id_t *ret)
{
    ret->kind = PARLEY_KIND_TOKEN;
    ret->tag = 0;

    parley_state_key(state, PARLEY_KIND_TOKEN, &token, 1, ret->key);
}
