/*
 * Logs that a link has joined, and records of opaque tracks in them.  A record
 * has, with numbers as parley_octets.h writes them:
 *
 *   kind 1, frame 1, type 1, priority 1, status 1, zero 3,
 *   number 8, group 8, subgroup 8, id 8, length 4, text, payload
 */

#include <string.h>

#include "core/parley_octets.h"
#include "gate/link/parley_link_opaque.h"


#define PARLEY_LINK_RECORD_LEN  44


parley_link_tap_t *
parley_link_tap_join(parley_link_t *link, const parley_link_tap_t *facts)
{
    size_t              i;
    uint8_t            *p;
    parley_str_t       *to;
    parley_link_tap_t  *tap;

    static const size_t  texts[] = {
        offsetof(parley_link_tap_t, agent),
        offsetof(parley_link_tap_t, track),
        offsetof(parley_link_tap_t, token)
    };

    tap = parley_link_alloc(link, sizeof(parley_link_tap_t) + facts->agent.len
                                  + facts->track.len + facts->token.len);
    if (tap == NULL) {
        return NULL;
    }

    *tap = *facts;
    p = (uint8_t *) (tap + 1);

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        to = (parley_str_t *) (void *) ((uint8_t *) tap + texts[i]);

        if (to->len > 0) {
            memcpy(p, to->data, to->len);
            to->data = p;
            p += to->len;
        }
    }

    if (link->env.join(link->env.ctx, tap) != 0) {
        parley_link_release(link, tap);
        return NULL;
    }

    tap->next = link->taps;
    link->taps = tap;

    return tap;
}


void
parley_link_tap_part(parley_link_t *link, parley_link_tap_t *tap)
{
    parley_link_tap_t  **p;

    if (tap == NULL) {
        return;
    }

    for (p = &link->taps; *p != tap; p = &(*p)->next) { /* void */ }

    *p = tap->next;

    link->env.part(link->env.ctx, tap);

    parley_link_release(link, tap);
}


int
parley_link_tap_relay(parley_link_t *link, parley_link_tap_t *tap,
    const parley_link_record_t *record, parley_link_relay_t *relay)
{
    uint8_t       head[PARLEY_LINK_RECORD_LEN], *p;
    parley_buf_t  b;

    relay->tap = tap;
    relay->count = 0;

    if (!tap->joined) {
        return -1;
    }

    if (!relay->asks) {
        memset(head, 0, sizeof(head));

        head[0] = (uint8_t) record->kind;
        head[1] = (uint8_t) record->frame;
        head[2] = record->type;
        head[3] = record->priority;
        head[4] = record->status;

        p = parley_octets_write64(head + 8, record->number);
        p = parley_octets_write64(p, record->group);
        p = parley_octets_write64(p, record->subgroup);
        p = parley_octets_write64(p, record->id);
        (void) parley_octets_write32(p, (uint32_t) record->text.len);

        parley_buf_init(&b, &link->arena,
                        sizeof(head) + record->text.len + record->payload.len);
        parley_buf_put(&b, head, sizeof(head));
        parley_buf_str(&b, record->text);
        parley_buf_str(&b, record->payload);

        if (parley_buf_done(&b, &relay->record) != 0) {
            return -1;
        }
    }

    return link->env.relay(link->env.ctx, relay);
}


int
parley_link_record_read(parley_str_t in, parley_link_record_t *ret)
{
    size_t          len;
    const uint8_t  *p;

    memset(ret, 0, sizeof(parley_link_record_t));

    if (in.len < PARLEY_LINK_RECORD_LEN || in.data[0] < PARLEY_LINK_WANT
        || in.data[0] > PARLEY_LINK_DONE)
    {
        return -1;
    }

    p = in.data;

    ret->kind = (parley_link_record_kind_t) p[0];
    ret->frame = (parley_moq_type_t) p[1];
    ret->type = p[2];
    ret->priority = p[3];
    ret->status = p[4];
    ret->number = parley_octets_read64(p + 8);
    ret->group = parley_octets_read64(p + 16);
    ret->subgroup = parley_octets_read64(p + 24);
    ret->id = parley_octets_read64(p + 32);

    len = parley_octets_read32(p + 40);
    in = parley_str_from(in, PARLEY_LINK_RECORD_LEN);

    if (len > in.len) {
        return -1;
    }

    ret->text = parley_str_make(in.data, len);
    ret->payload = parley_str_from(in, len);

    return 0;
}


int
parley_link_is_opaque(parley_str_t agent, parley_str_t name)
{
    size_t  n;

    if (agent.len == 0 || name.len > PARLEY_LINK_TRACK_MAX
        || name.len <= agent.len + 1
        || memcmp(name.data, agent.data, agent.len) != 0
        || name.data[agent.len] != '.')
    {
        return 0;
    }

    for (n = name.len; name.data[n - 1] != '.'; n--) { /* void */ }

    return n > agent.len + 1 && n < name.len
           && !parley_str_is(parley_str_from(name, n), "cmd");
}
