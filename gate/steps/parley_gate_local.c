/*
 * Messages that the gateway answers itself: messages between a client and its
 * peer in the protocol, and AEE messages to parley_self (AEE-21 to AEE-27).
 */

#include <string.h>

#include "translate/parley_engine.h"
#include "gate/message/parley_gate_steps.h"
#include "translate/parley_intents.h"
#include "translate/parley_msg_field.h"
#include "gate/settings/parley_reserved.h"
#include "schemas/parley_schema.h"
#include "gate/settings/parley_settings.h"
#include "gate/admission/parley_retain.h"
#include "translate/parley_tasks.h"


/*
 * Runs a task.  Returns 1 and *ret; 0 and *fault; PARLEY_WAIT; or -1 without
 * memory.
 */
typedef int (*parley_gate_local_pt)(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);


static const parley_tasks_t *parley_gate_tasks(const parley_gate_t *g);
static parley_step_result_t parley_gate_local_protocol(parley_gate_t *g);
static int parley_gate_local_may(void *data, parley_str_t form,
    parley_str_t intent);
static parley_step_result_t parley_gate_local_other(parley_gate_t *g);
static int parley_gate_local_is_task(const parley_gate_t *g);
static parley_step_result_t parley_gate_local_task(parley_gate_t *g,
    int admitted);
static int parley_gate_local_reply(parley_gate_t *g,
    const parley_tasks_t *tasks, parley_task_t task);
static int parley_gate_local_ping(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_health(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_spec(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_capability(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_keep(void *data, parley_str_t intent);
static int parley_gate_local_is_in(parley_str_t intent, parley_str_t space);
static int parley_gate_local_fetch(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_refute(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_validate(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault);
static int parley_gate_local_validated(parley_gate_t *g,
    const parley_schema_t *schema, parley_json_ref_t payload,
    parley_str_t *ret);


static const parley_gate_local_pt  parley_gate_locals[PARLEY_TASK_COUNT] = {
    [PARLEY_TASK_PING] = parley_gate_local_ping,
    [PARLEY_TASK_HEALTH] = parley_gate_local_health,
    [PARLEY_TASK_SPEC] = parley_gate_local_spec,
    [PARLEY_TASK_CAPABILITY] = parley_gate_local_capability,
    [PARLEY_TASK_FETCH] = parley_gate_local_fetch,
    [PARLEY_TASK_REFUTE] = parley_gate_local_refute,
    [PARLEY_TASK_VALIDATE] = parley_gate_local_validate,
};


parley_step_result_t
parley_gate_local(parley_gate_t *g)
{
    parley_step_result_t  result;

    result = parley_gate_local_protocol(g);

    if (result != PARLEY_RESULT_NONE) {
        return result;
    }

    return parley_gate_local_is_task(g) ? parley_gate_local_task(g, 0)
                                  : parley_gate_local_other(g);
}


parley_step_result_t
parley_gate_refute(parley_gate_t *g)
{
    return parley_gate_local_is_task(g) ? parley_gate_local_task(g, 1)
                                  : PARLEY_RESULT_NONE;
}


/*
 * Returns whether the message may be a task of the gateway, and its protocol
 * has such tasks.
 */

static int
parley_gate_local_is_task(const parley_gate_t *g)
{
    return parley_gate_tasks(g) != NULL && !g->msg->partial
           && parley_gate_is_self(g);
}


static const parley_tasks_t *
parley_gate_tasks(const parley_gate_t *g)
{
    return parley_codecs[g->msg->wire]->tasks;
}


static parley_step_result_t
parley_gate_local_protocol(parley_gate_t *g)
{
    int             rc;
    parley_local_t  own;

    own.speak = g->conf.gate->speak;
    own.published = g->conf.s->submit != NULL;
    own.may = parley_gate_local_may;
    own.ctx = g;

    rc = parley_engine_local(g->arena, g->msg, &own, &g->out.reply, g->err);

    return rc == 0 ? PARLEY_RESULT_NONE
           : rc < 0 ? PARLEY_RESULT_REFUSED : PARLEY_RESULT_ANSWERED;
}


static int
parley_gate_local_may(void *data, parley_str_t form, parley_str_t intent)
{
    parley_gate_t *g = data;

    return parley_gate_may(g, form, intent);
}


/*
 * Refuses a message to a name of the gateway, in any spelling, that the gateway
 * does not answer.  A service cannot have such a name.  A message without a
 * recipient, or with a reference to a question, goes on.
 */

static parley_step_result_t
parley_gate_local_other(parley_gate_t *g)
{
    size_t        kind;
    parley_str_t  to, own;

    to = g->msg->recipient;
    own = g->conf.self[PARLEY_PROTO_CANONICAL];
    kind = parley_str_until(own, '.').len + 1;

    if (!g->read.names_recipient || g->read.correlation.question != NULL
        || own.len <= kind)
    {
        return PARLEY_RESULT_NONE;
    }

    /* each name of the gateway ends like its AEE name */

    own = parley_str_from(own, kind);

    if (to.len < own.len
        || !parley_str_eq_fold(parley_str_from(to, to.len - own.len), own))
    {
        return PARLEY_RESULT_NONE;
    }

    switch (parley_reserved_like(g->arena, g->msg->wire, to, g->conf.self)) {

    case 0:
        return PARLEY_RESULT_NONE;

    case 1:
        (void) parley_error_set(g->err, PARLEY_E_POLICY_REFUSED,
                                parley_at(g->msg, PARLEY_MSG_RECIPIENT).pointer,
                                "the recipient is the gateway, which does not "
                                "take this message");
        return PARLEY_RESULT_REFUSED;

    default:
        (void) parley_error_memory(g->err);
        return PARLEY_RESULT_REFUSED;
    }
}


/*
 * Answers a task of the gateway.  The step LOCAL answers the tasks that change
 * nothing.  The step REFUTE sets admitted and answers aee.context.refute.
 */

static parley_step_result_t
parley_gate_local_task(parley_gate_t *g, int admitted)
{
    parley_task_t          task;
    const parley_tasks_t  *tasks;

    tasks = parley_gate_tasks(g);
    task = tasks->find(g->msg->intent);

    if (task == PARLEY_TASK_COUNT || g->msg->act != PARLEY_ACT_REQUEST) {
        (void) parley_error_set(g->err, PARLEY_E_INTENT_REFUSED, "/intent",
                                "the gateway answers only tasks of the seven "
                                "aee.* intents");
        return PARLEY_RESULT_REFUSED;
    }

    if ((task == PARLEY_TASK_REFUTE) != admitted) {
        return PARLEY_RESULT_NONE;
    }

    /* OPS-06: the audit line is written before the task changes anything */

    if (admitted
        && parley_gate_verdict_record_as(g, PARLEY_VERDICT_ANSWERED)
           == PARLEY_RESULT_REFUSED)
    {
        return PARLEY_RESULT_REFUSED;
    }

    switch (parley_gate_local_reply(g, tasks, task)) {

    case 0:
        return PARLEY_RESULT_ANSWERED;

    case PARLEY_WAIT:
        return PARLEY_RESULT_WAIT;

    default:
        return PARLEY_RESULT_FAILED;
    }
}


static int
parley_gate_local_reply(parley_gate_t *g, const parley_tasks_t *tasks,
    parley_task_t task)
{
    int                   rc;
    parley_str_t          self, payload;
    parley_task_fault_t   fault;

    self = g->conf.self[g->msg->wire];

    memset(&g->out.reply, 0, sizeof(parley_reply_t));

    rc = parley_gate_locals[task](g, &payload, &fault);

    if (rc < 0) {
        return rc;
    }

    return rc == 1
           ? tasks->result(g->arena, g->msg, self, payload, g->in.now_ms,
                           &g->out.reply, g->err)
           : tasks->error(g->arena, g->msg, self, parley_str_c(fault.code),
                          parley_str_c(fault.why), parley_str_c(fault.field),
                          g->in.now_ms, &g->out.reply, g->err);
}


/* AEE-21: ping */

static int
parley_gate_local_ping(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    (void) g;
    (void) fault;

    *ret = PARLEY_STR("{\"pong\":true}");

    return 1;
}


/* AEE-22: reports the room in the zone, and whether keys verify tokens. */

static int
parley_gate_local_health(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    int                    rc;
    const char            *keys, *status;
    parley_buf_t           b;
    parley_state_stat_t    stat;
    parley_state_level_t   level;

    static const char *const  levels[] = {
        [PARLEY_STATE_OK] = "ok",
        [PARLEY_STATE_LOW] = "low",
        [PARLEY_STATE_FULL] = "full",
    };

    (void) fault;

    rc = parley_ask_stat(&g->ask, &stat);

    if (rc != 0) {
        return rc;
    }

    level = stat.level;
    keys = parley_gate_has_keys(g) ? "ok" : "none";

    if (level == PARLEY_STATE_FULL) {
        status = "unhealthy";

    } else if (level == PARLEY_STATE_LOW || keys[0] != 'o') {
        status = "degraded";

    } else {
        status = "healthy";
    }

    parley_buf_init(&b, g->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("status"), parley_str_c(status));
    parley_buf_lit(&b, ",\"checks\":{");
    parley_buf_member(&b, PARLEY_STR("zone"), parley_str_c(levels[level]));
    parley_buf_member(&b, PARLEY_STR("keys"), parley_str_c(keys));
    parley_buf_lit(&b, "}}");

    return parley_buf_done(&b, ret) == 0 ? 1 : -1;
}


/* AEE-23: reports the translated protocols as extensions. */

static int
parley_gate_local_spec(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    unsigned      i, n;
    parley_buf_t  b;

    (void) fault;

    n = 0;

    parley_buf_init(&b, g->arena, 0);
    parley_buf_lit(&b, "{\"aee_version\":\"1\",\"extensions\":[");

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (i == PARLEY_PROTO_CANONICAL || parley_codecs[i] == NULL) {
            continue;
        }

        if (n++) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_lit(&b, "\"parley.");
        parley_buf_str(&b, parley_proto_name((parley_proto_t) i));
        parley_buf_octet(&b, '"');
    }

    parley_buf_lit(&b, "]}");

    return parley_buf_done(&b, ret) == 0 ? 1 : -1;
}


/*
 * AEE-24: lists the gateway's own intents and those with a schema, if the
 * policy lets the caller use them.
 */

static int
parley_gate_local_capability(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    uint32_t       filter;
    unsigned       i, n;
    parley_buf_t   b;
    parley_str_t   intent;

    filter = parley_json_get(g->msg->data.doc, g->msg->data.node,
                             PARLEY_STR("namespace_filter"));

    if (filter != PARLEY_JSON_NONE
        && parley_json_type(g->msg->data.doc, filter) != PARLEY_JSON_STRING)
    {
        fault->code = "E_FIELD_INVALID";
        fault->field = "/payload/namespace_filter";
        fault->why = "/payload/namespace_filter must be a text";
        return 0;
    }

    n = 0;

    parley_buf_init(&b, g->arena, 0);
    parley_buf_lit(&b, "{\"intents\":[");

    for (i = 0; i < PARLEY_TASK_COUNT; i++) {
        intent = parley_gate_tasks(g)->intent((parley_task_t) i);

        if (!parley_gate_local_keep(g, intent)) {
            continue;
        }

        if (n++) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_json_string(&b, intent);
    }

    (void) parley_intents_list(g->conf.intents, &b, n == 0,
                               parley_gate_local_keep, g);

    parley_buf_lit(&b, "]}");

    return parley_buf_done(&b, ret) == 0 ? 1 : -1;
}


static int
parley_gate_local_keep(void *data, parley_str_t intent)
{
    parley_gate_t *g = data;

    uint32_t      i;
    parley_str_t  filter;

    i = parley_json_get(g->msg->data.doc, g->msg->data.node,
                        PARLEY_STR("namespace_filter"));

    if (i != PARLEY_JSON_NONE
        && (parley_json_string(g->msg->data.doc, i, &filter) != 0
            || !parley_gate_local_is_in(intent, filter)))
    {
        return 0;
    }

    return parley_gate_may(g, g->msg->form, intent);
}


/*
 * Returns whether an intent is in a namespace.  "ops", "ops." and "ops.*" all
 * mean the intents that begin with "ops.", and "ops" itself.
 */

static int
parley_gate_local_is_in(parley_str_t intent, parley_str_t space)
{
    while (space.len
           && (space.data[space.len - 1] == '*'
               || space.data[space.len - 1] == '.'))
    {
        space.len--;
    }

    return space.len == 0
           || (intent.len >= space.len
               && memcmp(intent.data, space.data, space.len) == 0
               && (intent.len == space.len
                   || intent.data[space.len] == '.'));
}


/* AEE-25, AEE-26: finds a retained message */

static int
parley_gate_local_fetch(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    parley_retain_t  r;

    parley_gate_taken_retain(g, &r);

    return parley_retain_fetch(&r, ret, fault);
}


static int
parley_gate_local_refute(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    parley_retain_t  r;

    parley_gate_taken_retain(g, &r);

    return parley_retain_refute(&r, ret, fault);
}


/* AEE-27: validates a payload against the schema of its intent. */

static int
parley_gate_local_validate(parley_gate_t *g, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    uint32_t              i;
    parley_act_t          act;
    parley_str_t          intent;
    parley_json_ref_t     payload;
    const parley_json_t  *doc;

    doc = g->msg->data.doc;

    i = parley_json_member(doc, g->msg->data.node, PARLEY_ATOM_intent);

    payload.doc = doc;
    payload.node = parley_json_get(doc, g->msg->data.node,
                                   PARLEY_STR("payload_to_validate"));

    if (i == PARLEY_JSON_NONE
        || parley_json_type(doc, i) != PARLEY_JSON_STRING)
    {
        fault->code = "E_FIELD_MISSING";
        fault->field = "/payload/intent";
        fault->why = "/payload/intent must name an intent";
        return 0;
    }

    if (payload.node == PARLEY_JSON_NONE) {
        fault->code = "E_FIELD_MISSING";
        fault->field = "/payload/payload_to_validate";
        fault->why = "/payload/payload_to_validate is required";
        return 0;
    }

    if (parley_json_string(doc, i, &intent) != 0) {
        return -1;
    }

    act = PARLEY_ACT_REQUEST;
    i = parley_json_member(doc, g->msg->data.node, PARLEY_ATOM_type);

    if (i != PARLEY_JSON_NONE) {

        if (parley_json_string_is(doc, i, PARLEY_STR("result"))) {
            act = PARLEY_ACT_REPLY;

        } else if (parley_json_string_is(doc, i, PARLEY_STR("error"))) {
            act = PARLEY_ACT_FAILURE;
        }
    }

    return parley_gate_local_validated(g,
                       parley_intents_find(g->conf.intents, intent, act),
                       payload, ret);
}


/*
 * Writes the result.  A payload without a schema is valid, because AEE does not
 * require schemas.
 */

static int
parley_gate_local_validated(parley_gate_t *g,
    const parley_schema_t *schema, parley_json_ref_t payload,
    parley_str_t *ret)
{
    int                    rc;
    char                   base[PARLEY_POINTER_MAX];
    size_t                 len;
    parley_buf_t           b;
    parley_schema_error_t  err;

    rc = schema ? parley_schema_validate(schema, g->arena, payload, &err)
                : 0;

    if (rc < 0) {
        return -1;
    }

    parley_buf_init(&b, g->arena, 0);

    if (rc == 0) {
        parley_buf_lit(&b, "{\"valid\":true,\"errors\":[]");

    } else {
        len = parley_json_pointer(payload.doc, payload.node, base,
                                  sizeof(base));

        parley_buf_lit(&b, "{\"valid\":false,\"errors\":[{");
        parley_buf_member(&b, PARLEY_STR("pointer"),
                          parley_str_c(strlen(err.error.field) >= len
                                       ? err.error.field + len : ""));
        parley_buf_member(&b, PARLEY_STR("keyword"),
                          parley_str_c(err.keyword));
        parley_buf_member(&b, PARLEY_STR("message"),
                          parley_str_c(err.error.text));
        parley_buf_lit(&b, "}]");
    }

    if (schema == NULL) {
        parley_buf_lit(&b, ",\"schema\":null");
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? 1 : -1;
}
