/* Verbs under way. */

#include "hub/parley_hub_parts.h"


static void parley_hub_op_call(parley_call_t *call);
static void parley_hub_op_done(parley_hub_op_t *op);


parley_hub_op_t *
parley_hub_op(parley_hub_t *hub, parley_hub_op_kind_t kind)
{
    parley_hub_op_t  *op;

    op = parley_hub_alloc(hub, sizeof(parley_hub_op_t));

    if (op == NULL) {
        return NULL;
    }

    op->hub = hub;
    op->kind = kind;
    op->since = hub->now;
    op->call.done = parley_hub_op_call;
    op->call.ctx = op;

    parley_arena_init(&op->arena, &hub->env.mem, 0);

    op->next = hub->ops;
    op->link = &hub->ops;

    if (op->next != NULL) {
        op->next->link = &op->next;
    }

    hub->ops = op;

    return op;
}


void
parley_hub_op_free(parley_hub_op_t *op)
{
    *op->link = op->next;

    if (op->next != NULL) {
        op->next->link = op->link;
    }

    parley_arena_reset(&op->arena);
    parley_hub_release(op->hub, op);
}


void
parley_hub_op_cancel(parley_hub_op_t *op)
{
    parley_state_t  *state;

    state = op->hub->state;

    state->ops->cancel(state, &op->call);

    parley_hub_op_free(op);
}


void
parley_hub_op_asked(parley_hub_op_t *op, parley_state_done_t done)
{
    if (done == PARLEY_STATE_DONE) {
        parley_hub_op_done(op);
    }
}


static void
parley_hub_op_call(parley_call_t *call)
{
    parley_hub_op_done(call->ctx);
}


/* Passes a completed verb to its handler, which frees it. */

static void
parley_hub_op_done(parley_hub_op_t *op)
{
    switch (op->kind) {

    case PARLEY_HUB_OP_FEED:
        parley_hub_fed(op);
        return;

    case PARLEY_HUB_OP_UNFEED:
        parley_hub_unfed(op);
        return;

    case PARLEY_HUB_OP_JOIN:
        parley_hub_joined(op);
        return;

    case PARLEY_HUB_OP_READ:
        parley_hub_read_on(op);
        return;

    case PARLEY_HUB_OP_RESYNC:
        parley_hub_resynced(op);
        return;

    default:
        op->hub->env.wake(op->hub->env.ctx);
        parley_hub_op_free(op);
    }
}
