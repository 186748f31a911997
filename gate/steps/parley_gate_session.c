/*
 * Sessions of a service.  Header fields of its protocol contain their ids.  A
 * session belongs to the principals that the service gave it to.  A session has
 * no record if the state is new, or if the record has ended.  Then its first
 * user becomes the owner, so a restart breaks no session.
 *
 * An owner has a record under the key of the id; its value is the owner's
 * account.  The key has neither location nor header: a caller could choose them
 * so that the same session is found under another key.
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"


/* milliseconds that an owner is remembered after the last use */
#define PARLEY_SESSION_TTL  3600000

/* longest name of a header field, in octets */
#define PARLEY_SESSION_NAME  32


typedef struct {
    size_t        n;            /* header fields of the name */
    parley_str_t  id;           /* value of the last field */
} parley_session_found_t;


static void parley_session_find(parley_gate_t *g, parley_str_t name,
    parley_session_found_t *ret);
static void parley_session_found(void *data, parley_str_t id);
static int parley_session_is_one(parley_str_t id);
static int parley_session_admit(parley_gate_t *g, parley_str_t id);
static int parley_session_bind(parley_gate_t *g,
    const parley_record_id_t *record);
static int parley_session_owners(parley_gate_t *g,
    const parley_record_id_t *record, int *n);
static int parley_session_keep(parley_gate_t *g,
    const parley_record_id_t *record);
static int parley_session_put(parley_gate_t *g,
    const parley_record_id_t *record);
static int parley_session_unknown(parley_gate_t *g);
static void parley_session_record(parley_gate_t *g, parley_str_t id,
    parley_record_id_t *ret);
static int parley_session_is_own(const parley_gate_t *g,
    const parley_record_t *r);


parley_step_result_t
parley_gate_session(parley_gate_t *g)
{
    int                     rc;
    size_t                  n;
    const parley_str_t     *name;
    parley_session_found_t  found;

    if (parley_who_proven(g->who).len == 0) {
        return PARLEY_RESULT_NONE;
    }

    n = 0;

    for (name = parley_binding_sessions(g->conf.gate->speak);
         name->len != 0;
         name++)
    {
        parley_session_find(g, *name, &found);

        /* an empty field does not name a session */

        if (found.n == 0 || (found.n == 1 && found.id.len == 0)) {
            continue;
        }

        /* with several ids the service may read another one */

        rc = found.n == 1 && parley_session_is_one(found.id)
             ? parley_session_admit(g, found.id)
             : parley_session_unknown(g);

        if (rc != 0) {
            return parley_step_result(rc);
        }

        n++;
    }

    if (n == 0 && g->serve.erases) {
        return parley_step_result(parley_error_set(g->err,
                                  PARLEY_E_SESSION_UNKNOWN, NULL,
                                  "a DELETE must name the session that it "
                                  "ends"));
    }

    g->serve.in_session = n != 0;

    return n != 0 ? PARLEY_RESULT_PASSED : PARLEY_RESULT_NONE;
}


/*
 * Counts the header fields of a name, in each spelling with underscores.  A
 * service that reads them as CGI variables does not distinguish underscores
 * from hyphens.  nginx passes names with underscores if underscores_in_headers
 * is on.
 */

static void
parley_session_find(parley_gate_t *g, parley_str_t name,
    parley_session_found_t *ret)
{
    size_t    i;
    uint8_t   text[PARLEY_SESSION_NAME];
    unsigned  which, bits;

    ret->n = 0;

    if (name.len > sizeof(text)) {
        return;
    }

    /* each bit tells whether a hyphen is written as an underscore */

    for (which = 0, bits = 0; bits == 0; which++) {
        bits = which;

        for (i = 0; i < name.len; i++) {
            text[i] = name.data[i];

            if (text[i] == '-') {
                text[i] = bits & 1 ? '_' : '-';
                bits >>= 1;
            }
        }

        if (bits == 0) {
            g->env->headers(g, parley_str_make(text, name.len),
                            parley_session_found, ret);
        }
    }
}


static void
parley_session_found(void *data, parley_str_t id)
{
    parley_session_found_t *found = data;

    found->n++;
    found->id = id;
}


/*
 * Returns whether a value is one id of visible ASCII, as MCP requires.  HTTP
 * separates the parts of a list by commas, and a service strips white space, so
 * that it would find another session than the gateway does.
 */

static int
parley_session_is_one(parley_str_t id)
{
    size_t  i;

    for (i = 0; i < id.len; i++) {
        if (id.data[i] <= ' ' || id.data[i] >= 0x7f || id.data[i] == ',') {
            return 0;
        }
    }

    return 1;
}


/*
 * Checks that the caller owns the session.  Returns 0; PARLEY_WAIT; or -1:
 * session-unknown, capacity.
 */

static int
parley_session_admit(parley_gate_t *g, parley_str_t id)
{
    int                 rc;
    parley_record_t     own;
    parley_record_id_t  record;

    parley_session_record(g, id, &record);

    rc = parley_ask_get_one(&g->ask, &record, &own);

    if (rc == 1) {

        if (!parley_session_is_own(g, &own)) {
            return parley_session_unknown(g);
        }

        return own.left > PARLEY_SESSION_TTL / 2 ? 0
               : parley_session_keep(g, &record);
    }

    /* a stream or a DELETE does not begin a session */

    if (rc == 0 && g->serve.relays) {
        return parley_session_unknown(g);
    }

    return rc == 0 ? parley_session_bind(g, &record)
           : rc == PARLEY_WAIT ? rc : parley_error_memory(g->err);
}


/*
 * Makes the caller the owner of a session without an owner.  If two callers do
 * this at once, each finds the record of the other, and both are refused.
 */

static int
parley_session_bind(parley_gate_t *g, const parley_record_id_t *record)
{
    int  rc, n;

    rc = parley_session_owners(g, record, &n);

    if (rc == 0 && n != 0) {
        return parley_session_unknown(g);
    }

    if (rc == 0) {
        rc = parley_session_keep(g, record);
    }

    if (rc == 0) {
        rc = parley_session_owners(g, record, &n);
    }

    if (rc != 0 || n == 1) {
        return rc;
    }

    return parley_ask_drop(&g->ask, record, 0) == PARLEY_WAIT
           ? PARLEY_WAIT : parley_session_unknown(g);
}


static int
parley_session_owners(parley_gate_t *g, const parley_record_id_t *record,
    int *n)
{
    int               rc;
    parley_records_t  all;

    rc = parley_ask_get(&g->ask, record->kind, record->key, &all);

    *n = all.n;

    return rc == 0 || rc == PARLEY_WAIT ? rc : parley_error_memory(g->err);
}


/* As parley_session_put(), but sets the error capacity if the state is full. */

static int
parley_session_keep(parley_gate_t *g, const parley_record_id_t *record)
{
    int  rc;

    rc = parley_session_put(g, record);

    if (rc == 0 || rc == PARLEY_WAIT) {
        return rc;
    }

    g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "no room to remember the owner of the session");
}


/* Writes the record of an owner.  Returns 0; PARLEY_WAIT; or -1: full. */

static int
parley_session_put(parley_gate_t *g, const parley_record_id_t *record)
{
    int                  rc;
    parley_put_t         put;
    parley_str_t         value;
    parley_put_result_t  result;

    memset(&put, 0, sizeof(parley_put_t));

    value = parley_str_make(g->proof.account, PARLEY_KEY_LEN);

    put.id = *record;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = g->proof.account;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = PARLEY_SESSION_TTL;

    rc = parley_ask_put(&g->ask, &put, &result);

    return rc == 0 && result != PARLEY_PUT_OK ? -1 : rc;
}


static int
parley_session_unknown(parley_gate_t *g)
{
    return parley_error_set(g->err, PARLEY_E_SESSION_UNKNOWN, NULL,
                            "the caller has no such session");
}


static void
parley_session_record(parley_gate_t *g, parley_str_t id,
    parley_record_id_t *ret)
{
    parley_str_t  parts[2];

    parley_gate_message_account(g);

    parts[0] = PARLEY_STR("session");
    parts[1] = id;

    ret->kind = PARLEY_KIND_QUESTION;
    ret->tag = parley_state_text_tag(g->ask.state,
                                     parley_str_make(g->proof.account,
                                                     PARLEY_KEY_LEN));

    parley_state_key(g->ask.state, PARLEY_KIND_QUESTION, parts, 2, ret->key);
}


static int
parley_session_is_own(const parley_gate_t *g, const parley_record_t *r)
{
    return parley_str_eq(r->value,
                         parley_str_make(g->proof.account, PARLEY_KEY_LEN));
}


/*
 * Returns the names of the header fields that may give the caller a session, or
 * NULL.  A translated answer does not give a session.
 */

const parley_str_t *
parley_gate_sessions(const parley_gate_t *g)
{
    return (g->conf.plan & PARLEY_PLAN(PARLEY_STEP_SESSION))
           && g->msg->wire == g->conf.gate->speak
           && parley_who_proven(g->who).len != 0
           ? parley_binding_sessions(g->conf.gate->speak) : NULL;
}


/*
 * Notes a session from the answer.  A session that the request names already
 * has a record.
 */

int
parley_gate_session_given(parley_gate_t *g, size_t i, parley_str_t id)
{
    parley_session_found_t  found;

    if ((g->answer.given_set & (1u << i)) || !parley_session_is_one(id)) {
        return -1;
    }

    g->answer.given_set |= 1u << i;
    found.n = 0;

    g->env->headers(g, parley_binding_sessions(g->conf.gate->speak)[i],
                    parley_session_found, &found);

    if (found.n == 0 || !parley_str_eq(found.id, id)) {
        g->answer.given[i] = id;
    }

    return 0;
}


/*
 * Writes the records of the sessions from the answer.  If a record finds no
 * room, the session belongs to its first user.
 */

int
parley_gate_sessions_given(parley_gate_t *g)
{
    size_t              i;
    parley_record_id_t  record;

    for (i = 0; i < PARLEY_BINDING_SESSIONS; i++) {

        if (g->answer.given[i].len == 0) {
            continue;
        }

        parley_session_record(g, g->answer.given[i], &record);

        if (parley_session_put(g, &record) == PARLEY_WAIT) {
            return PARLEY_WAIT;
        }
    }

    return 0;
}


int
parley_gate_sessions_end(parley_gate_t *g)
{
    const parley_str_t     *name;
    parley_record_id_t      record;
    parley_session_found_t  found;

    for (name = parley_binding_sessions(g->conf.gate->speak);
         name->len != 0;
         name++)
    {
        parley_session_find(g, *name, &found);

        if (found.n == 0 || found.id.len == 0) {
            continue;
        }

        parley_session_record(g, found.id, &record);

        if (parley_ask_drop(&g->ask, &record, 0) == PARLEY_WAIT) {
            return PARLEY_WAIT;
        }
    }

    return 0;
}
