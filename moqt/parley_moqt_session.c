#include "moqt/parley_moqt_request.h"


static int parley_moqt_session_setup(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault);
static int parley_moqt_session_apply(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, unsigned own,
    parley_moqt_effect_t *effect, parley_moqt_fault_t *fault);
static int parley_moqt_session_tokens(const parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault);
static int parley_moqt_session_permits(const parley_moqt_session_t *s,
    const parley_moqt_message_t *m);


int
parley_moqt_session_init(parley_moqt_session_t *s,
    const parley_moqt_draft_t *draft, const parley_mem_t *mem,
    parley_moqt_role_t role, size_t limit)
{
    size_t  octets;

    memset(s, 0, sizeof(parley_moqt_session_t));

    octets = limit * (2 * sizeof(parley_moqt_request_t) + sizeof(uint64_t));

    s->requests = mem->alloc(mem->ctx, octets);
    if (s->requests == NULL) {
        return -1;
    }

    memset(s->requests, 0, octets);

    s->gaps = (uint64_t *) (void *) (s->requests + 2 * limit);
    s->draft = draft;
    s->role = role;
    s->limit = limit;

    /* the client's IDs are even, the server's odd (section 9.1) */

    s->next_in = role == PARLEY_MOQT_CLIENT ? 1 : 0;
    s->next_out = role == PARLEY_MOQT_CLIENT ? 0 : 1;
    s->maximum_in = 2 * limit;

    parley_moqt_control_init(&s->control, draft, mem,
                             role == PARLEY_MOQT_CLIENT
                             ? PARLEY_MOQT_SERVER : PARLEY_MOQT_CLIENT,
                             PARLEY_MOQT_ON_CONTROL);

    return 0;
}


void
parley_moqt_session_free(parley_moqt_session_t *s)
{
    if (s->requests != NULL && s->control.mem.free != NULL) {
        s->control.mem.free(s->control.mem.ctx, s->requests);
    }

    s->requests = NULL;
    parley_moqt_control_free(&s->control);
}


int
parley_moqt_session_take(parley_moqt_session_t *s, parley_str_t *in,
    parley_moqt_message_t *ret, parley_moqt_effect_t *effect,
    parley_moqt_fault_t *fault)
{
    int  rc;

    rc = parley_moqt_control_next(&s->control, in, ret, fault);

    if (rc == 1
        && parley_moqt_session_accept(s, ret, effect, fault) != 0)
    {
        return -1;
    }

    return rc;
}


int
parley_moqt_session_accept(parley_moqt_session_t *s,
    const parley_moqt_message_t *message, parley_moqt_effect_t *effect,
    parley_moqt_fault_t *fault)
{
    int  rc;

    memset(effect, 0, sizeof(parley_moqt_effect_t));

    if (message->row->setup || !s->setup_in) {
        rc = parley_moqt_session_setup(s, message, fault);

    } else {
        rc = parley_moqt_session_tokens(s, message, fault);

        if (rc == 0) {
            rc = parley_moqt_session_apply(s, message, 0, effect, fault);
        }
    }

    if (rc != 0) {
        fault->place = message->row->name;
    }

    return rc;
}


static int
parley_moqt_session_setup(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault)
{
    if (s->setup_in) {
        return parley_moqt_request_violation(fault, "Type",
                                             "SETUP comes twice");
    }

    if (!m->row->setup) {
        return parley_moqt_request_violation(fault, "Type",
                                             "the first message must be "
                                             "SETUP");
    }

    s->setup_in = 1;
    s->maximum_out = parley_moqt_pairs_integer(s->draft, &m->params,
                                         PARLEY_MOQT_SETUP_MAX_REQUEST_ID, 0);

    return 0;
}


/* Notes a message of either side, after SETUP. */

static int
parley_moqt_session_apply(parley_moqt_session_t *s,
    const parley_moqt_message_t *m, unsigned own,
    parley_moqt_effect_t *effect, parley_moqt_fault_t *fault)
{
    if (m->row->request) {
        return parley_moqt_request_open(s, m, own, effect, fault);
    }

    if (m->type == PARLEY_MOQT_GOAWAY) {

        if (own ? s->goaway_out : s->goaway_in) {
            return parley_moqt_request_violation(fault, "Type",
                                                 "GOAWAY comes twice");
        }

        if (m->text.len > 0
            && own == (s->role == PARLEY_MOQT_CLIENT ? 1 : 0))
        {
            return parley_moqt_request_violation(fault, "New Session URI",
                                                 "a client must not send it");
        }

        if (own) {
            s->goaway_out = 1;

        } else {
            s->goaway_in = 1;
        }
    }

    if (m->type == PARLEY_MOQT_MAX_REQUEST_ID) {

        if (m->maximum <= (own ? s->maximum_in : s->maximum_out)) {
            return parley_moqt_request_violation(fault, "Max Request ID",
                                                 "it does not grow");
        }

        if (own) {
            s->maximum_in = m->maximum;
            s->closed = 0;

        } else {
            s->maximum_out = m->maximum;
        }
    }

    return parley_moqt_request_about(s, m, own, effect, fault);
}


/* Checks the tokens of a message that is not SETUP: aliases are not kept. */

static int
parley_moqt_session_tokens(const parley_moqt_session_t *s,
    const parley_moqt_message_t *m, parley_moqt_fault_t *fault)
{
    uint64_t              type;
    parley_moqt_pair_t    pair;
    parley_moqt_token_t   token;
    parley_moqt_cursor_t  c;

    const parley_moqt_pair_row_t  *row;

    row = parley_moqt_draft_pair(s->draft->params, PARLEY_MOQT_PARAM_TOKEN);

    if (!(row->scope >> m->type & 1)) {
        return 0;
    }

    parley_moqt_pairs_begin(s->draft, &m->params, &c);
    type = 0;

    while (c.pos < c.end
           && parley_moqt_pair_read(&c, &type, &pair, fault) == 0
           && type <= PARLEY_MOQT_PARAM_TOKEN)
    {
        if (type != PARLEY_MOQT_PARAM_TOKEN
            || parley_moqt_token_read(s->draft, pair.octets, &token, fault)
               != 0)
        {
            continue;
        }

        switch (token.alias_type) {

        case PARLEY_MOQT_TOKEN_REGISTER:
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_AUTH_TOKEN_CACHE_OVERFLOW,
                                         "AUTHORIZATION_TOKEN",
                                         "tokens are not registered");

        case PARLEY_MOQT_TOKEN_DELETE:
        case PARLEY_MOQT_TOKEN_USE_ALIAS:
            return parley_moqt_fault_set(fault,
                                         PARLEY_MOQT_UNKNOWN_AUTH_TOKEN_ALIAS,
                                         "AUTHORIZATION_TOKEN",
                                         "the alias is unknown");

        case PARLEY_MOQT_TOKEN_USE_VALUE:
            break;
        }
    }

    return 0;
}


int
parley_moqt_session_send(parley_moqt_session_t *s, parley_buf_t *b,
    parley_moqt_message_t *message, parley_moqt_effect_t *effect,
    parley_moqt_fault_t *fault)
{
    int     rc;
    size_t  before;

    memset(effect, 0, sizeof(parley_moqt_effect_t));

    message->row = parley_moqt_draft_row(s->draft, message->type);
    before = b->len;

    if (message->row == NULL || !(message->row->from & s->role)
        || message->row->setup == s->setup_out
        || (s->role == PARLEY_MOQT_SERVER && !s->setup_in)
        || !parley_moqt_session_permits(s, message))
    {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR,
                                     "Type", "the message cannot be sent now");
    }

    if (message->row->request) {

        message->request = s->next_out;

        /* after GOAWAY only a request that lives may be changed (9.4) */

        if (s->next_out >= s->maximum_out
            || (s->goaway_in && message->type != PARLEY_MOQT_REQUEST_UPDATE))
        {
            return PARLEY_MOQT_BLOCKED;
        }
    }

    rc = parley_moqt_message_write(s->draft, b, message, fault);

    if (rc == 0 && !message->row->setup) {
        rc = parley_moqt_session_apply(s, message, 1, effect, fault);
    }

    if (rc != 0) {
        b->len = before;

        if (fault->code == PARLEY_MOQT_TOO_MANY_REQUESTS) {
            return PARLEY_MOQT_BLOCKED;
        }

        fault->code = PARLEY_MOQT_INTERNAL_ERROR;
        fault->place = message->row->name;

        return -1;
    }

    if (message->row->setup) {
        s->setup_out = 1;
    }

    if (message->row->request) {
        s->next_out += 2;
    }

    return 0;
}


/* Returns whether a message permits as many requests as this side can hold. */

static int
parley_moqt_session_permits(const parley_moqt_session_t *s,
    const parley_moqt_message_t *m)
{
    if (m->row->setup) {
        return parley_moqt_pairs_integer(s->draft, &m->params,
                                         PARLEY_MOQT_SETUP_MAX_REQUEST_ID, 0)
               == s->maximum_in;
    }

    return m->type != PARLEY_MOQT_MAX_REQUEST_ID
           || m->maximum == s->maximum_in + 2 * s->closed;
}


int
parley_moqt_session_grant(parley_moqt_session_t *s, parley_buf_t *b)
{
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    if (2 * s->closed < s->limit) {
        return 0;
    }

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_MAX_REQUEST_ID;
    m.maximum = s->maximum_in + 2 * s->closed;

    if (s->closed == 0
        || parley_moqt_session_send(s, b, &m, &effect, &fault) != 0)
    {
        return 0;
    }

    return 1;
}


void
parley_moqt_session_done(parley_moqt_session_t *s,
    parley_moqt_request_t *request)
{
    if (request->state != PARLEY_MOQT_FREE) {
        parley_moqt_request_end(s, request);
    }
}


int
parley_moqt_session_late(const parley_moqt_session_t *s,
    parley_moqt_fault_t *fault)
{
    if (s->missing == 0) {
        return 0;
    }

    return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_REQUEST_ID,
                                 "Request ID", "an ID was skipped");
}


int
parley_moqt_session_closed(parley_moqt_fault_t *fault)
{
    (void) parley_moqt_fault_set(fault, PARLEY_MOQT_PROTOCOL_VIOLATION, "FIN",
                                 "the control stream was closed");

    fault->place = "control stream";

    return -1;
}
