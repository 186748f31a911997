/*
 * Reservations with a lost end.  A failover can lose the settlement of an
 * admission, and a worker that exits without the store cannot send it.  The
 * store then still has the reservation.  A node that it refuses asks the
 * holder, by a step.  The zone of the holder knows the end, and the holder
 * sends it again.
 */

#include <string.h>

#include "state/store/parley_store_step.h"


#define PARLEY_STORE_HELD  10   /* ms between two questions of a worker */


static int parley_store_read_held(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_take_again(parley_store_t *s,
    const parley_import_id_t *id);
static int parley_store_reserved_again(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);


/* The next try of the message asks, if this one may not. */

void
parley_store_ask_held(parley_store_t *s, parley_kind_t kind,
    const uint8_t *key)
{
    int64_t               now;
    uint8_t               name[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN];
    parley_str_t          arguments[2];
    parley_store_call_t  *call;

    now = s->env->now(s->env->ctx);

    if (now - s->asked_held < PARLEY_STORE_HELD) {
        return;
    }

    call = parley_store_call(s, parley_store_read_held);

    if (call == NULL) {
        return;
    }

    s->asked_held = now;
    call->once = 1;
    call->u.held.kind = kind;
    memcpy(call->u.held.key, key, PARLEY_KEY_LEN);

    arguments[0] = PARLEY_STR("GET");
    arguments[1] = parley_store_name(s, kind == PARLEY_KIND_ID ? 'i' : 's',
                                     key, name);

    if (parley_store_command(call, arguments, 2) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


static int
parley_store_read_held(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t          value;
    const uint8_t        *holder;
    parley_store_call_t  *say;

    if (!parley_wire_text(reply, &value)
        || value.len < 2 + PARLEY_STORE_HOLDER || value.data[1] != 'r')
    {
        return 0;
    }

    holder = value.data + value.len - PARLEY_STORE_HOLDER;
    say = parley_store_call(s, NULL);

    if (say != NULL) {
        parley_store_say(s, say,
                         parley_store_write_held(s, &say->arena,
                                                 call->u.held.kind,
                                                 call->u.held.key, holder),
                         PARLEY_STORE_SAID, 0);
    }

    return 0;
}


/* A zone reserves an id before the store does, and frees it before.  So an id
   that is free there is not under way. */

void
parley_store_tell_held(parley_store_t *s, parley_import_id_t *id)
{
    parley_admission_t   a;
    parley_settlement_t  how;

    switch (s->zone->ops->import->held(s->zone, id)) {

    case PARLEY_IMPORT_RESERVED:
        break;

    case PARLEY_IMPORT_TAKEN:
        parley_store_take_again(s, id);
        break;

    default:
        memset(&a, 0, sizeof(parley_admission_t));
        memset(&how, 0, sizeof(parley_settlement_t));

        a.id = id->kind == PARLEY_KIND_ID ? id->key : NULL;
        a.slot = id->kind == PARLEY_KIND_SLOT ? id->key : NULL;
        how.stamp = id->stamp;

        parley_store_free(s, &a, &how);
    }
}


/* Another node may have the id now.  So it is reserved again first, and taken
   if that succeeds. */

static void
parley_store_take_again(parley_store_t *s, const parley_import_id_t *id)
{
    parley_admission_t    a;
    parley_store_call_t  *call;

    call = parley_store_call(s, parley_store_reserved_again);

    if (call == NULL) {
        return;
    }

    memset(&a, 0, sizeof(parley_admission_t));

    if (id->kind == PARLEY_KIND_ID) {
        a.id = id->key;
        a.print = id->print;
        a.ttl = id->left;

    } else {
        a.slot = id->key;
        a.slot_ttl = id->left;
    }

    parley_store_admission(&call->u.admit, &a, id->stamp);

    if (parley_store_admit_command(s, call, "p1_admit", 0) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


static int
parley_store_reserved_again(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t         word;
    parley_settlement_t  how;

    if (parley_wire_text(reply, &word) && parley_str_is(word, "ok")) {

        memset(&how, 0, sizeof(parley_settlement_t));
        how.stamp = call->u.admit.stamp;
        how.taken = 1;

        parley_store_taken(s, &call->u.admit.a, &how);
    }

    return 0;
}
