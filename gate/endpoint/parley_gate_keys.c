/*
 * Serves the endpoint of parley_keys (VCP-31).  A parent adds keys of a child,
 * drops a key, or lists the keys.  Each answer has the keys that are valid
 * after the request:
 *
 *     {"sub": "worker-7", "keys": [{"kid": "k1", "exp": 1771151400}]}
 */

#include <stdio.h>
#include <string.h>

#include "gate/party/parley_child_key.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


/* milliseconds after which a client may repeat a request that found no room */
#define PARLEY_GATE_NO_ROOM   1000


static int parley_gate_keys_add(parley_gate_t *g);
static int parley_gate_keys_type(parley_gate_t *g);
static int parley_gate_keys_new(parley_gate_t *g,
    const parley_principal_t *child, const parley_child_keys_t *there,
    const parley_child_adds_t *adds);
static int parley_gate_keys_clash(parley_gate_t *g, size_t i,
    const char *why);
static int parley_gate_keys_put(parley_gate_t *g,
    const parley_principal_t *child, const parley_child_keys_t *there,
    const parley_child_adds_t *adds);
static int parley_gate_keys_no_room(parley_gate_t *g,
    parley_put_result_t why);
static int parley_gate_keys_other(parley_gate_t *g);
static int parley_gate_keys_record(parley_gate_t *g);
static int parley_gate_keys_child(parley_gate_t *g, parley_str_t sub,
    const parley_principal_t **ret);
static int parley_gate_keys_there(parley_gate_t *g,
    const parley_principal_t *child, parley_child_keys_t *ret);
static int parley_gate_keys_no_answer(parley_gate_t *g, int rc);
static int parley_gate_keys_tell(parley_gate_t *g,
    const parley_principal_t *child, const parley_child_adds_t *adds,
    const parley_child_keys_t *there, parley_str_t without);
static void parley_gate_keys_one(parley_buf_t *b,
    const parley_child_key_t *key);


parley_step_result_t
parley_gate_keys_method(parley_gate_t *g, parley_str_t method)
{
    size_t  i;

    static const struct {
        parley_str_t        name;
        parley_keys_call_t  call;
        parley_str_t        serves;
    } calls[] = {
        { parley_str("GET"), PARLEY_KEYS_LIST, parley_str("keys.list") },
        { parley_str("POST"), PARLEY_KEYS_ADD, parley_str("keys.add") },
        { parley_str("DELETE"), PARLEY_KEYS_DROP, parley_str("keys.drop") }
    };

    for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (parley_str_eq(method, calls[i].name)) {
            g->serve.keys_call = calls[i].call;
            g->serve.request = calls[i].serves;
            return PARLEY_RESULT_PASSED;
        }
    }

    (void) parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                            "keys are requested with " PARLEY_KEYS_METHODS);

    return PARLEY_RESULT_REFUSED;
}


parley_step_result_t
parley_gate_keys(parley_gate_t *g)
{
    int  rc;

    rc = parley_gate_serving(g, "the parent");

    if (rc == 0) {
        rc = g->serve.keys_call == PARLEY_KEYS_ADD ? parley_gate_keys_add(g)
                                                   : parley_gate_keys_other(g);
    }

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


static int
parley_gate_keys_add(parley_gate_t *g)
{
    int                        rc;
    parley_str_t               sub;
    parley_child_adds_t        adds;
    parley_child_keys_t        there;
    const parley_principal_t  *child;

    if (parley_gate_keys_type(g) != 0
        || parley_gate_message_json(g) != PARLEY_RESULT_PASSED
        || parley_child_adds_sub(g->doc, &sub, g->err) != 0
        || parley_gate_keys_child(g, sub, &child) != 0
        || parley_child_adds_read(g->arena, g->doc, g->in.now_ms, &adds, g->err)
           != 0)
    {
        return -1;
    }

    rc = parley_gate_keys_there(g, child, &there);

    if (rc == 0) {
        rc = parley_gate_keys_new(g, child, &there, &adds);
    }

    if (rc == 0) {
        rc = parley_gate_keys_record(g);
    }

    if (rc == 0) {
        rc = parley_gate_keys_put(g, child, &there, &adds);
    }

    return rc == 0 ? parley_gate_keys_tell(g, child, &adds, &there,
                                           parley_str_none)
                   : rc;
}


/*
 * Checks that a body has a Content-Type.  A page of another site can make a
 * browser send a body without a type, or as a form, with the user's certificate
 * or cookie.
 */

static int
parley_gate_keys_type(parley_gate_t *g)
{
    parley_str_t  type;

    return g->env->header != NULL
           && g->env->header(g, PARLEY_STR("content-type"), &type)
           ? 0
           : parley_error_set(g->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                              "the Content-Type is missing: it must be "
                              "application/json");
}


/*
 * Checks that a new key does not replace another one, and that the child does
 * not get too many keys.
 */

static int
parley_gate_keys_new(parley_gate_t *g, const parley_principal_t *child,
    const parley_child_keys_t *there, const parley_child_adds_t *adds)
{
    size_t                     i, k, n;
    const parley_child_key_t  *key;

    n = there->n;

    for (i = 0; i < adds->n; i++) {
        key = &adds->list[i];

        if (parley_child_key_is_listed(child, key->kid)) {
            return parley_gate_keys_clash(g, i,
                                          "is the kid of a key of the child in "
                                          "the directory");
        }

        k = parley_child_key_find(there, key->kid);

        if (k == there->n) {
            n++;

        } else if (memcmp(there->list[k].octets, key->octets,
                          PARLEY_CHILD_KEY_LEN)
                   != 0)
        {
            return parley_gate_keys_clash(g, i,
                                          "is the kid of another added key: "
                                          "remove that key first");
        }
    }

    return n <= PARLEY_CHILD_KEYS_MAX ? 0
           : parley_error_set(g->err, PARLEY_E_FIELD_INVALID, "/keys",
                              "/keys would make %zu added keys of this child: "
                              "at most %d are allowed", n,
                              PARLEY_CHILD_KEYS_MAX);
}


static int
parley_gate_keys_clash(parley_gate_t *g, size_t i, const char *why)
{
    char  field[32];

    (void) snprintf(field, sizeof(field), "/keys/%u/kid", (unsigned) i);

    return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, field, "%s %s",
                            field, why);
}


/*
 * Stores all keys.  If a key does not fit, the keys that this request added are
 * dropped again.
 */

static int
parley_gate_keys_put(parley_gate_t *g, const parley_principal_t *child,
    const parley_child_keys_t *there, const parley_child_adds_t *adds)
{
    int                  rc;
    size_t               i;
    parley_put_result_t  got;

    parley_gate_message_account(g);

    got = PARLEY_PUT_OK;

    for (i = 0; i < adds->n; i++) {
        rc = parley_child_key_put(&g->ask, child, &adds->list[i],
                                  g->proof.account, g->in.now_ms, &got);
        if (rc != 0) {
            return parley_gate_keys_no_answer(g, rc);
        }

        if (got != PARLEY_PUT_OK) {
            break;
        }
    }

    if (got == PARLEY_PUT_OK) {
        return 0;
    }

    while (i-- > 0) {
        if (parley_child_key_find(there, adds->list[i].kid) < there->n) {
            continue;
        }

        rc = parley_child_key_drop(&g->ask, child, adds->list[i].kid);

        if (rc != 0) {
            return parley_gate_keys_no_answer(g, rc);
        }
    }

    return parley_gate_keys_no_room(g, got);
}


static int
parley_gate_keys_no_room(parley_gate_t *g, parley_put_result_t why)
{
    g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s",
                            why == PARLEY_PUT_SHARE
                            ? "this parent uses its whole share of the zone"
                            : why == PARLEY_PUT_AWAY
                            ? "the store of the gateways is away"
                            : "the zone is full");
}


/* Drops a key, or lists the keys: ?sub=...&kid=... */

static int
parley_gate_keys_other(parley_gate_t *g)
{
    int                        rc;
    parley_str_t               sub, kid;
    parley_arguments_t         arguments;
    parley_child_keys_t        there;
    const parley_principal_t  *child;

    if (g->in.body.len > 0) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "this request must not have a body: its "
                                "arguments are sub and kid");
    }

    parley_arguments_of(&arguments, 1u << PARLEY_ARGUMENT_SUB
                                    | 1u << PARLEY_ARGUMENT_KID,
                        g->conf.gate->token);

    if (parley_arguments_read(&arguments, g->arena, g->in.query, g->err) != 0) {
        return -1;
    }

    sub = arguments.list[PARLEY_ARGUMENT_SUB].value;
    kid = g->serve.keys_call == PARLEY_KEYS_DROP
          ? arguments.list[PARLEY_ARGUMENT_KID].value : parley_str_none;

    if (sub.len == 0
        || (g->serve.keys_call == PARLEY_KEYS_DROP && kid.len == 0))
    {
        return parley_error_set(g->err, PARLEY_E_FIELD_MISSING,
                                sub.len == 0 ? "/sub" : "/kid",
                                "the argument %s is missing",
                                sub.len == 0 ? "sub" : "kid");
    }

    if (parley_gate_keys_child(g, sub, &child) != 0) {
        return -1;
    }

    rc = parley_gate_keys_there(g, child, &there);

    if (rc == 0 && kid.len > 0) {
        rc = parley_gate_keys_record(g);
    }

    if (rc == 0 && kid.len > 0) {
        rc = parley_gate_keys_no_answer(g,
                                  parley_child_key_drop(&g->ask, child, kid));
    }

    return rc == 0 ? parley_gate_keys_tell(g, child, NULL, &there, kid) : rc;
}


/* OPS-06: writes the audit line before the request changes keys */

static int
parley_gate_keys_record(parley_gate_t *g)
{
    return parley_gate_verdict_record_as(g, PARLEY_VERDICT_ANSWERED)
           == PARLEY_RESULT_REFUSED ? -1 : 0;
}


/*
 * Finds the child.  An unknown sub and the child of another parent get the same
 * error.
 */

static int
parley_gate_keys_child(parley_gate_t *g, parley_str_t sub,
    const parley_principal_t **ret)
{
    g->serve.about = sub;

    *ret = parley_directory_by_sub(g->conf.http->directory, sub);

    return *ret != NULL
           && parley_str_eq((*ret)->parent, g->who->principal->sub) ? 0
           : parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, "/sub",
                              "/sub must be a principal with the caller as "
                              "direct parent");
}


static int
parley_gate_keys_there(parley_gate_t *g, const parley_principal_t *child,
    parley_child_keys_t *ret)
{
    return parley_gate_keys_no_answer(g,
                          parley_child_key_get(&g->ask, child, g->in.now_ms,
                                               ret));
}


static int
parley_gate_keys_no_answer(parley_gate_t *g, int rc)
{
    return rc == -1 ? parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                       "the state did not answer") : rc;
}


/*
 * Writes the answer.  adds replace keys of the same kid in "there"; NULL:
 * nothing was added.  without is the kid of a dropped key, or empty.
 */

static int
parley_gate_keys_tell(parley_gate_t *g, const parley_principal_t *child,
    const parley_child_adds_t *adds, const parley_child_keys_t *there,
    parley_str_t without)
{
    size_t        i, k;
    parley_buf_t  b;

    parley_buf_init(&b, g->arena, 512);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("sub"), child->sub);
    parley_buf_name(&b, PARLEY_STR("keys"));
    parley_buf_octet(&b, '[');

    for (i = 0; adds != NULL && i < adds->n; i++) {
        parley_gate_keys_one(&b, &adds->list[i]);
    }

    for (i = 0; i < there->n; i++) {

        for (k = 0; adds != NULL && k < adds->n; k++) {
            if (parley_str_eq(adds->list[k].kid, there->list[i].kid)) {
                break;
            }
        }

        if ((adds == NULL || k == adds->n)
            && !parley_str_eq(there->list[i].kid, without))
        {
            parley_gate_keys_one(&b, &there->list[i]);
        }
    }

    parley_buf_lit(&b, "]}");

    return parley_gate_serving_json(g, &b);
}


static void
parley_gate_keys_one(parley_buf_t *b, const parley_child_key_t *key)
{
    if (b->len > 0 && b->data[b->len - 1] == '}') {
        parley_buf_octet(b, ',');
    }

    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("kid"), key->kid);
    parley_buf_name(b, PARLEY_STR("exp"));
    parley_buf_int(b, key->exp);
    parley_buf_octet(b, '}');
}
