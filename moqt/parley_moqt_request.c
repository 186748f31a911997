/* The requests of a session: their IDs, answers, ends and aliases. */

#include "moqt/parley_moqt_request.h"


#define BIT(type)  (UINT64_C(1) << PARLEY_MOQT_##type)


/* a message about a request: bits 1 << type of the requests that it may mean */
typedef struct {
    uint8_t   type;
    uint8_t   answers:1;    /* it answers a request of its receiver */
    uint64_t  senders;      /* requests of its sender */
    uint64_t  receivers;    /* requests of its receiver */
    uint64_t  keeps;        /* requests that live after it */
} parley_moqt_about_t;


static int parley_moqt_request_id(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault);
static int parley_moqt_request_gap(parley_moqt_session_t *s, uint64_t id);
static int parley_moqt_request_update(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault);
static int parley_moqt_request_answer(parley_moqt_session_t *s,
    const parley_moqt_about_t *about, const parley_moqt_message_t *m,
    unsigned own, parley_moqt_effect_t *effect, parley_moqt_fault_t *fault);
static int parley_moqt_request_use(parley_moqt_session_t *s,
    parley_moqt_request_t *r, unsigned own, uint64_t alias,
    parley_moqt_fault_t *fault);
static int parley_moqt_request_used(const parley_moqt_session_t *s,
    uint64_t id);


static const parley_moqt_about_t  parley_moqt_abouts[] = {

    /* answers */
    { PARLEY_MOQT_SUBSCRIBE_OK, 1, 0, BIT(SUBSCRIBE), BIT(SUBSCRIBE) },
    { PARLEY_MOQT_PUBLISH_OK, 1, 0, BIT(PUBLISH), BIT(PUBLISH) },
    { PARLEY_MOQT_FETCH_OK, 1, 0, BIT(FETCH), BIT(FETCH) },
    { PARLEY_MOQT_REQUEST_OK, 1, 0,
      BIT(REQUEST_UPDATE) | BIT(TRACK_STATUS) | BIT(PUBLISH_NAMESPACE)
      | BIT(SUBSCRIBE_NAMESPACE),
      BIT(PUBLISH_NAMESPACE) | BIT(SUBSCRIBE_NAMESPACE) },
    { PARLEY_MOQT_REQUEST_ERROR, 1, 0, UINT64_MAX, 0 },

    /* ends */
    { PARLEY_MOQT_UNSUBSCRIBE, 0, BIT(SUBSCRIBE), BIT(PUBLISH), 0 },
    { PARLEY_MOQT_PUBLISH_DONE, 0, BIT(PUBLISH), BIT(SUBSCRIBE), 0 },
    { PARLEY_MOQT_FETCH_CANCEL, 0, BIT(FETCH), 0, 0 },
    { PARLEY_MOQT_PUBLISH_NAMESPACE_DONE, 0, BIT(PUBLISH_NAMESPACE), 0, 0 },
    { PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL, 0, 0, BIT(PUBLISH_NAMESPACE), 0 },
};

#define PARLEY_MOQT_ABOUTS                                                    \
    (sizeof(parley_moqt_abouts) / sizeof(parley_moqt_abouts[0]))


/* Opens a new request. */

int
parley_moqt_request_open(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, unsigned own,
    parley_moqt_effect_t *effect, parley_moqt_fault_t *fault)
{
    size_t                  i;
    parley_moqt_request_t  *r;

    if (!own && parley_moqt_request_id(s, m, fault) != 0) {
        return -1;
    }

    if (m->type == PARLEY_MOQT_REQUEST_UPDATE
        && parley_moqt_request_update(s, m, fault) != 0)
    {
        return -1;
    }

    r = own ? s->requests + s->limit : s->requests;

    for (i = 0; i < s->limit && r->state != PARLEY_MOQT_FREE; i++) {
        r++;
    }

    /* each live request of the peer is below the maximum: one is free */

    if (i == s->limit) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_TOO_MANY_REQUESTS,
                                     "Request ID", "too many requests live");
    }

    memset(r, 0, sizeof(parley_moqt_request_t));

    r->id = m->request;
    r->type = (uint8_t) m->type;
    r->own = own;

    if (m->type == PARLEY_MOQT_PUBLISH
        && parley_moqt_request_use(s, r, own, m->alias, fault) != 0)
    {
        return -1;
    }

    r->state = PARLEY_MOQT_PENDING;
    effect->request = r;

    return 0;
}


/* Checks the ID of a new request of the peer (sections 9.1, 9.5). */

static int
parley_moqt_request_id(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault)
{
    uint64_t  id;

    id = m->request;

    if (id % 2 != s->next_in % 2) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_REQUEST_ID,
                                     "Request ID", "its parity is that of the "
                                     "other side");
    }

    if (id >= s->maximum_in) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_TOO_MANY_REQUESTS,
                                     "Request ID", "it is not below the "
                                     "maximum");
    }

    if (m->type != PARLEY_MOQT_SUBSCRIBE_NAMESPACE) {

        if (id < s->ordered) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_INVALID_REQUEST_ID,
                                         "Request ID", "it is below that of "
                                         "an earlier request");
        }

        s->ordered = id + 2;
    }

    if (id < s->next_in) {
        return parley_moqt_request_gap(s, id) ? 0
               : parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_REQUEST_ID,
                                       "Request ID", "it was used before");
    }

    while (s->next_in < id) {

        /* the maximum bounds the IDs that are missing */

        if (s->missing == s->limit) {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_INVALID_REQUEST_ID,
                                         "Request ID", "it is not the next "
                                         "one");
        }

        s->gaps[s->missing++] = s->next_in;
        s->next_in += 2;
    }

    s->next_in += 2;

    return 0;
}


/* Takes an ID out of those that were skipped.  Returns whether it was one. */

static int
parley_moqt_request_gap(parley_moqt_session_t *s, uint64_t id)
{
    size_t  i;

    for (i = 0; i < s->missing; i++) {
        if (s->gaps[i] == id) {
            s->gaps[i] = s->gaps[--s->missing];
            return 1;
        }
    }

    return 0;
}


/*
 * Checks the request that REQUEST_UPDATE changes (section 9.11): an earlier one
 * of its sender, whose SUBSCRIBE_NAMESPACE may not have come yet, or one of its
 * receiver.
 */

static int
parley_moqt_request_update(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault)
{
    parley_moqt_request_t  *r;

    r = parley_moqt_session_request(s, m->existing);

    if ((m->existing % 2 == m->request % 2
         ? m->existing >= m->request
         : !parley_moqt_request_used(s, m->existing))
        || (r != NULL && (r->type == PARLEY_MOQT_REQUEST_UPDATE
                          || r->type == PARLEY_MOQT_TRACK_STATUS)))
    {
        return parley_moqt_request_violation(fault, "Existing Request ID",
                                             "the request cannot be updated");
    }

    return 0;
}


int
parley_moqt_request_about(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, unsigned own,
    parley_moqt_effect_t *effect, parley_moqt_fault_t *fault)
{
    size_t                      i;
    uint64_t                    types;
    parley_moqt_request_t      *r;
    const parley_moqt_about_t  *about;

    for (i = 0; i < PARLEY_MOQT_ABOUTS; i++) {
        if (parley_moqt_abouts[i].type == m->type) {
            break;
        }
    }

    if (i == PARLEY_MOQT_ABOUTS) {
        return 0;
    }

    about = &parley_moqt_abouts[i];

    if (about->answers) {
        return parley_moqt_request_answer(s, about, m, own, effect, fault);
    }

    r = parley_moqt_session_request(s, m->request);

    if (r == NULL) {

        /* the other side may have ended it at the same time */

        if (!own && parley_moqt_request_used(s, m->request)) {
            return 0;
        }

        return parley_moqt_request_violation(fault, "Request ID",
                                             "the request is unknown");
    }

    types = r->own == own ? about->senders : about->receivers;

    if (!(types >> r->type & 1)) {
        return parley_moqt_request_violation(fault, "Request ID",
                                             "the request is of another "
                                             "type");
    }

    effect->request = r;
    effect->ended = 1;

    if (r->own == own && r->state == PARLEY_MOQT_PENDING) {
        r->state = PARLEY_MOQT_CANCELLED;   /* its answer will follow */
        r->has_alias = 0;
        return 0;
    }

    if (r->state != PARLEY_MOQT_CANCELLED) {
        parley_moqt_request_end(s, r);
    }

    return 0;
}


static int
parley_moqt_request_answer(parley_moqt_session_t *s,
    const parley_moqt_about_t *about, const parley_moqt_message_t *m,
    unsigned own, parley_moqt_effect_t *effect, parley_moqt_fault_t *fault)
{
    parley_moqt_request_t  *r;

    r = parley_moqt_session_request(s, m->request);

    if (r == NULL || r->own == own || !(about->receivers >> r->type & 1)
        || r->state == PARLEY_MOQT_ESTABLISHED)
    {
        return parley_moqt_request_violation(fault, "Request ID",
                                             "no request of this type waits "
                                             "for an answer");
    }

    effect->request = r;

    if (r->state == PARLEY_MOQT_CANCELLED || !(about->keeps >> r->type & 1)) {
        effect->ended = 1;
        parley_moqt_request_end(s, r);

        return 0;
    }

    if (m->type == PARLEY_MOQT_SUBSCRIBE_OK
        && parley_moqt_request_use(s, r, own, m->alias, fault) != 0)
    {
        return -1;
    }

    r->state = PARLEY_MOQT_ESTABLISHED;

    return 0;
}


/*
 * Gives a subscription the alias of its track.  own: this side publishes the
 * track.
 */

static int
parley_moqt_request_use(parley_moqt_session_t *s, parley_moqt_request_t *r,
    unsigned own, uint64_t alias, parley_moqt_fault_t *fault)
{
    size_t                        i;
    const parley_moqt_request_t  *other;

    for (i = 0; i < 2 * s->limit; i++) {
        other = &s->requests[i];

        /* the publisher sends PUBLISH and gets SUBSCRIBE */

        if (other != r && other->state != PARLEY_MOQT_FREE
            && other->has_alias && other->alias == alias
            && (other->type == PARLEY_MOQT_PUBLISH) == (other->own == own))
        {
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_DUPLICATE_TRACK_ALIAS,
                                         "Track Alias",
                                         "another track has it");
        }
    }

    r->alias = alias;
    r->has_alias = 1;

    return 0;
}


/* Frees a request.  Its members stay until the place is used again. */

void
parley_moqt_request_end(parley_moqt_session_t *s, parley_moqt_request_t *r)
{
    r->state = PARLEY_MOQT_FREE;

    if (!r->own) {
        s->closed++;
    }
}


parley_moqt_request_t *
parley_moqt_session_request(parley_moqt_session_t *s, uint64_t id)
{
    size_t                  i;
    parley_moqt_request_t  *r;

    r = id % 2 == s->next_out % 2 ? s->requests + s->limit : s->requests;

    for (i = 0; i < s->limit; i++) {
        if (r[i].state != PARLEY_MOQT_FREE && r[i].id == id) {
            return &r[i];
        }
    }

    return NULL;
}


parley_moqt_request_t *
parley_moqt_session_alias(parley_moqt_session_t *s, uint64_t alias)
{
    size_t                  i;
    parley_moqt_request_t  *r;

    for (i = 0; i < 2 * s->limit; i++) {
        r = &s->requests[i];

        if (r->state != PARLEY_MOQT_FREE && r->has_alias && r->alias == alias
            && (r->type == PARLEY_MOQT_PUBLISH) == !r->own)
        {
            return r;
        }
    }

    return NULL;
}


/* Returns whether a request of either side had this ID. */

static int
parley_moqt_request_used(const parley_moqt_session_t *s, uint64_t id)
{
    size_t  i;

    for (i = 0; i < s->missing; i++) {
        if (s->gaps[i] == id) {
            return 0;
        }
    }

    return id < (id % 2 == s->next_out % 2 ? s->next_out : s->next_in);
}


int
parley_moqt_request_violation(parley_moqt_fault_t *fault, const char *member,
    const char *text)
{
    return parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                 member, text);
}
