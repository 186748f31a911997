/* Reports the losses of a published message once for each protocol. */

#include "core/parley_fold.h"
#include "gate/metrics/parley_losses.h"


static uint64_t parley_losses_tag(uint64_t seed,
    const parley_publication_t *p, parley_proto_t to);


int
parley_losses(parley_losses_t *l, parley_slot_t *slot, uint64_t seed,
    const parley_publication_t *p, parley_proto_t to, const parley_loss_t *loss)
{
    uint64_t  tag, *told;

    if (loss->count == 0) {
        return 0;
    }

    tag = parley_losses_tag(seed, p, to);
    told = &l->told[tag % PARLEY_LOSSES_ROOM];

    if (*told == tag) {
        return 0;
    }

    *told = tag;

    parley_count(slot, PARLEY_M_LOST, loss->count);

    return 1;
}


/*
 * Returns a tag that is never 0, the value of an empty place.  It includes the
 * sender and the time, because another sender or a later message may use the
 * same id.
 */

static uint64_t
parley_losses_tag(uint64_t seed, const parley_publication_t *p,
    parley_proto_t to)
{
    uint64_t  left, right, tag;

    left = parley_fold_secret(&seed);
    right = parley_fold_secret(&seed);

    tag = parley_fold(left ^ (uint64_t) p->ms, right ^ (uint64_t) to);
    tag = parley_fold_octets(tag, left, right, p->sender.data, p->sender.len);
    tag = parley_fold_octets(tag, left, right, p->id.data, p->id.len);

    return tag != 0 ? tag : 1;
}
