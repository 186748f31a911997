/* The protocol and the lane of a delivery to a principal. */

#include <string.h>

#include "gate/delivery/parley_delivery_route.h"
#include "hub/parley_expand.h"


static int parley_delivery_is_named(const parley_principal_t *p,
    parley_proto_t proto);


parley_proto_t
parley_delivery_protocol(const parley_principal_t *p, parley_proto_t proto)
{
    unsigned  i;

    if (p->speaks.len > 0) {
        return parley_proto_find(p->speaks);
    }

    if ((unsigned) proto != PARLEY_NAMESPACE_HANDLE
        && parley_delivery_is_named(p, proto))
    {
        return proto;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (i != PARLEY_NAMESPACE_HANDLE
            && parley_delivery_is_named(p, (parley_proto_t) i))
        {
            return (parley_proto_t) i;
        }
    }

    return p->names[PARLEY_NAMESPACE_HANDLE].len > 0
           ? (parley_proto_t) PARLEY_NAMESPACE_HANDLE : proto;
}


static int
parley_delivery_is_named(const parley_principal_t *p, parley_proto_t proto)
{
    return parley_proto_is_named(proto) && p->names[proto].len > 0;
}


/* The lane keeps the order of a sender's messages (VCP-23). */

void
parley_delivery_lane(const parley_state_t *state, parley_str_t sender,
    parley_str_t recipient, uint8_t out[PARLEY_KEY_LEN])
{
    parley_str_t  parts[3];

    parts[0] = PARLEY_STR("deliver");
    parts[1] = sender;
    parts[2] = recipient;

    parley_state_key(state, PARLEY_KIND_LANE, parts, 3, out);
}


int
parley_delivery_awaits(parley_arena_t *arena, const parley_state_t *state,
    parley_job_subject_kind_t kind, parley_str_t address, int64_t lasts,
    parley_job_t *job)
{
    memset(job, 0, sizeof(parley_job_t));

    parley_expand_log(state, address, job->lane);

    job->owed = 1;
    job->after = lasts;
    job->lasts = lasts;
    job->class = PARLEY_JOB_PROMPT;

    return parley_job_subject_write(arena, kind, address, &job->text);
}
