/* The slots of the chains: their processes, and their last lines. */

#include "gate/audit/parley_audit_parts.h"


/* tries of a reader that is overtaken by the writer */
#define PARLEY_AUDIT_SLOT_TRIES  64


static int parley_audit_slot_is_free(const parley_audit_slot_t *slot,
    const parley_processes_t *host);


/*
 * A slot is taken last if no checkpoint has its last line: only the slot knows
 * that line, because its process was killed.
 */

parley_audit_slot_t *
parley_audit_slot_take(parley_audit_table_t *table,
    const parley_process_t *self,
    const parley_processes_t *host)
{
    size_t                i;
    parley_audit_slot_t  *slot, *found;

    found = NULL;

    for (i = 0; i < PARLEY_AUDIT_SLOTS; i++) {
        slot = &table->slots[i];

        if (!parley_audit_slot_is_free(slot, host)) {
            continue;
        }

        if (slot->turn == __atomic_load_n(&slot->covered, __ATOMIC_ACQUIRE)) {
            found = slot;
            break;
        }

        if (found == NULL) {
            found = slot;
        }
    }

    if (found != NULL) {
        found->process = *self;
        found->generation++;
    }

    return found;
}


static int
parley_audit_slot_is_free(const parley_audit_slot_t *slot,
    const parley_processes_t *host)
{
    return slot->process.pid == 0 || !host->is_alive(host->ctx, &slot->process);
}


/*
 * Writes to the other head: if the process is killed here, the valid one is
 * unchanged.
 */

void
parley_audit_slot_publish(parley_audit_slot_t *slot,
    const parley_audit_head_t *head)
{
    uint64_t  turn;

    turn = slot->turn + 1;

    __atomic_thread_fence(__ATOMIC_RELEASE);
    slot->heads[turn & 1] = *head;
    __atomic_store_n(&slot->turn, turn, __ATOMIC_RELEASE);
}


int
parley_audit_slot_head(const parley_audit_slot_t *slot,
    parley_audit_head_t *ret, uint64_t *ret_turn)
{
    unsigned  i;
    uint64_t  turn;

    for (i = 0; i < PARLEY_AUDIT_SLOT_TRIES; i++) {
        turn = __atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE);

        if (turn == 0) {
            return -1;
        }

        *ret = slot->heads[turn & 1];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);

        /* the writer changes this head only after it has published the other
           one */

        if (__atomic_load_n(&slot->turn, __ATOMIC_RELAXED) == turn) {
            *ret_turn = turn;
            return 0;
        }
    }

    return -1;
}
