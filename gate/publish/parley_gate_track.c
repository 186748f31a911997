#include <string.h>

#include "core/parley_buf.h"
#include "gate/publish/parley_gate_track.h"
#include "hub/parley_expand.h"
#include "hub/parley_selector.h"


/* session of the publisher of a log, and instruments of both kinds of
   subscribers */
#define PARLEY_GATE_TRACK_PUBLISHER  "publisher"
#define PARLEY_GATE_TRACK_READER     "reader"


static int parley_gate_publish_track_log(const parley_state_t *state,
    parley_arena_t *arena, parley_str_t address, parley_str_t track,
    uint8_t ret[PARLEY_KEY_LEN]);
static parley_str_t parley_gate_publish_track_instrument(int publishes);


int
parley_gate_publish_track_subscribe(const parley_state_t *state,
    parley_arena_t *arena, parley_str_t address, parley_str_t track,
    int publishes, uint8_t log[PARLEY_KEY_LEN], parley_subscription_t *s)
{
    if (parley_gate_publish_track_log(state, arena, address, track, log) != 0
        || parley_selector_text(arena, s->stream->proto,
                                parley_gate_publish_track_instrument(publishes),
                                parley_str_none, &s->selector)
           != 0)
    {
        return -1;
    }

    if (publishes) {
        s->session = PARLEY_STR(PARLEY_GATE_TRACK_PUBLISHER);
    }

    s->log = log;
    s->reader = parley_str_none;
    s->lost = 0;
    s->told = 0;
    s->owns = 0;

    memset(&s->from, 0, sizeof(parley_place_t));

    return 0;
}


int
parley_gate_publish_track_append(const parley_state_t *state,
    parley_arena_t *arena, parley_gate_track_t *t, parley_append_t *ret)
{
    parley_publish_t       publish;
    parley_publication_t  *p;

    if (parley_gate_publish_track_log(state, arena, t->address, t->track,
                                      t->log[0])
        != 0)
    {
        return -1;
    }

    /* a publication of the protocol of the stream is passed on as it is */

    p = &t->publication;

    memset(p, 0, sizeof(parley_publication_t));

    p->proto = t->proto;
    p->audience.form = PARLEY_AUDIENCE_PREFIX;
    p->audience.instrument = parley_gate_publish_track_instrument(t->publisher);
    p->message = t->record;

    memset(&publish, 0, sizeof(parley_publish_t));

    publish.publication = p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) t->log;
    publish.nlogs = 1;
    publish.account = t->account;
    publish.retention.records = 1;
    publish.retention.octets = 1;
    publish.retention.ms = 1;

    if (parley_publication_append(arena, &publish, ret) != 0) {
        return -1;
    }

    ret->asks = t->asks;

    return 0;
}


int64_t
parley_gate_publish_track_count(parley_arena_t *arena,
    const parley_gate_track_t *t, const parley_appended_t *result)
{
    int64_t  counts[PARLEY_PROTO_COUNT];

    return result->verdict != PARLEY_APPEND_OK
           || parley_selector_count(arena, &t->publication, result, counts)
              != 0
           ? -1 : counts[t->proto];
}


/* Makes the key of a log.  An address has no line end, so a mailbox has another
   key. */

static int
parley_gate_publish_track_log(const parley_state_t *state,
    parley_arena_t *arena, parley_str_t address, parley_str_t track,
    uint8_t ret[PARLEY_KEY_LEN])
{
    parley_buf_t  b;
    parley_str_t  text;

    parley_buf_init(&b, arena, address.len + 1 + track.len);
    parley_buf_str(&b, address);
    parley_buf_octet(&b, '\n');
    parley_buf_str(&b, track);

    if (parley_buf_done(&b, &text) != 0) {
        return -1;
    }

    parley_expand_log(state, text, ret);

    return 0;
}


static parley_str_t
parley_gate_publish_track_instrument(int publishes)
{
    return publishes ? PARLEY_STR(PARLEY_GATE_TRACK_PUBLISHER)
                     : PARLEY_STR(PARLEY_GATE_TRACK_READER);
}
