/* Requests of the gate to the operator's rules (auth/parley_policy.h). */

#include <string.h>

#include "translate/parley_chat.h"
#include "translate/parley_codec.h"
#include "gate/message/parley_gate_steps.h"
#include "hub/parley_expand.h"
#include "gate/settings/parley_rules.h"
#include "auth/parley_jwt.h"
#include "gate/party/parley_names.h"
#include "gate/message/parley_reader.h"


/* intents of the message and of its carrier, each also by the name that it has
   in up to PARLEY_GATE_READERS protocols */
#define PARLEY_GATE_READERS  3
#define PARLEY_GATE_INTENTS  (2 * (1 + PARLEY_GATE_READERS))


/* a request to the rules, and the data that it refers to */
typedef struct {
    parley_policy_request_t  request;
    parley_names_t           sender;
    parley_names_t           recipient;
    parley_policy_name_t     types[2];
    parley_policy_name_t     intents[PARLEY_GATE_INTENTS];
} parley_gate_asked_t;


/* parley_policy_check() or parley_policy_caller() */
typedef int (*parley_gate_decide_pt)(const parley_policy_t *policy,
    const parley_policy_request_t *request,
    const parley_policy_rule_t **ret_rule, parley_error_t *err);


static int parley_gate_rules_decide(const parley_gate_t *g,
    const parley_rules_request_t *r, const parley_gate_asked_t *a,
    const parley_policy_rule_t **ret_rule, parley_error_t *err);
static int parley_gate_rules_of_caller(parley_gate_t *g,
    parley_gate_decide_pt decide);
static int parley_gate_rules_roles(const parley_who_t *who,
    parley_policy_request_t *request);
static void parley_gate_rules_request(const parley_gate_t *g,
    const parley_principal_t *reader, parley_rules_request_t *ret);
static int parley_rules_ask_caller(const parley_rules_request_t *r,
    parley_gate_asked_t *a);
static int parley_rules_ask(const parley_rules_request_t *r,
    parley_gate_asked_t *a);
static int parley_rules_ask_to(const parley_rules_request_t *r,
    parley_gate_asked_t *a);
static void parley_gate_rules_words(parley_policy_name_t *list,
    parley_policy_names_t *names, parley_str_t text, parley_str_t outer);
static int parley_gate_rules_readings(const parley_rules_request_t *r,
    parley_gate_asked_t *a);


int
parley_gate_rules_check(parley_gate_t *g)
{
    parley_gate_asked_t     a;
    parley_rules_request_t  r;

    parley_gate_rules_request(g, g->serve.reader, &r);

    if (parley_rules_ask(&r, &a) != 0
        || parley_gate_rules_readings(&r, &a) != 0)
    {
        return parley_error_memory(g->err);
    }

    return parley_gate_rules_decide(g, &r, &a, &g->report.rule, g->err) == 0
           ? 1 : 0;
}


/*
 * Decides on a message.  A recipient that gets it as it came may act on the
 * intent of the carrier, which is another one in an answer: then the rules must
 * allow both.  Returns 0, or -1 as parley_policy_check() does.
 */

static int
parley_gate_rules_decide(const parley_gate_t *g,
    const parley_rules_request_t *r, const parley_gate_asked_t *a,
    const parley_policy_rule_t **ret_rule, parley_error_t *err)
{
    size_t                    i;
    parley_str_t              text;
    parley_policy_name_t      types[2], intents[2];
    const parley_codec_t     *codec;
    parley_policy_request_t   request;

    if (parley_policy_check(r->conf->policy, &a->request, ret_rule, err) != 0) {
        return -1;
    }

    codec = parley_codecs[r->msg->wire];

    /* in other protocols the intent of a carrier only says its form */

    if (r->msg->outer_intent.len == 0
        || (r->msg->wire != PARLEY_PROTO_CANONICAL && codec->type != NULL)
        || (r->conf->speak != r->msg->wire && g->conf.s->submit == NULL))
    {
        return 0;
    }

    text = parley_str_none;

    if (codec->reading != NULL
        && codec->reading(r->arena, r->msg->outer_intent, &text) != 0)
    {
        return parley_error_memory(err);
    }

    request = a->request;

    parley_gate_rules_words(types, &request.type, r->msg->form,
                            r->msg->outer_form);
    parley_gate_rules_words(intents, &request.intent, r->msg->outer_intent,
                            text);

    for (i = 0; i < 2; i++) {
        types[i].loose = 0;
        intents[i].loose = 0;
    }

    return parley_policy_check(r->conf->policy, &request, ret_rule, err);
}


int
parley_gate_rules_caller(parley_gate_t *g)
{
    return parley_gate_rules_of_caller(g, parley_policy_caller);
}


int
parley_gate_rules_check_caller(parley_gate_t *g)
{
    return parley_gate_rules_of_caller(g, parley_policy_check);
}


/* Decides on the caller of a request by a function of auth/parley_policy.h. */

static int
parley_gate_rules_of_caller(parley_gate_t *g, parley_gate_decide_pt decide)
{
    parley_gate_asked_t     a;
    parley_rules_request_t  r;
    const parley_policy_t  *policy;

    policy = g->conf.gate->policy;

    if (policy == NULL || policy->n == 0) {
        return 0;
    }

    parley_gate_rules_request(g, NULL, &r);

    if (parley_rules_ask_caller(&r, &a) != 0) {
        return parley_error_memory(g->err);
    }

    if (decide(policy, &a.request, &g->report.rule, g->err) == 0) {
        return 0;
    }

    parley_gate_rules_lacks(g);

    return -1;
}


void
parley_gate_rules_lacks(parley_gate_t *g)
{
    if (g->err->code == PARLEY_E_SCOPE_UNAUTHORISED) {
        g->report.lacks = &g->report.rule->globs[PARLEY_POLICY_SCOPE];
    }
}


/* Makes the request of a message at the gate.  reader: see
   parley_rules_request_t. */

static void
parley_gate_rules_request(const parley_gate_t *g,
    const parley_principal_t *reader, parley_rules_request_t *ret)
{
    ret->conf = g->conf.gate;
    ret->arena = g->arena;
    ret->who = g->who;
    ret->msg = g->msg;
    ret->proto = g->read.proto;
    ret->method = g->in.method;
    ret->to = parley_gate_message_to(g);
    ret->reader = reader;
}


/*
 * Fills the part of the request to the rules that is about the caller, and
 * clears the rest.  Returns 0, or -1: no memory.
 */

static int
parley_rules_ask_caller(const parley_rules_request_t *r,
    parley_gate_asked_t *a)
{
    const parley_who_t       *who = r->who;
    parley_policy_request_t  *request = &a->request;

    memset(request, 0, sizeof(parley_policy_request_t));

    request->method = r->method;

    if (who->jwt != NULL) {
        request->scopes = who->jwt->scopes;
        request->nscopes = who->jwt->nscopes;
    }

    if (parley_gate_rules_roles(who, request) != 0) {
        return -1;
    }

    if (r->conf->policy->given & (1u << PARLEY_POLICY_PRINCIPAL)) {

        if (parley_names_sender(r->who, &a->sender) != 0) {
            return -1;
        }

        request->principal.list = a->sender.list;
        request->principal.n = a->sender.n;
    }

    return 0;
}


/*
 * Fills the roles of the sender and of the surface that delivers the message.
 * Returns 0, or -1: no memory.
 */

static int
parley_gate_rules_roles(const parley_who_t *who,
    parley_policy_request_t *request)
{
    parley_str_t         *list;
    const parley_list_t  *own, *surface;

    if (who->principal == NULL) {
        return 0;
    }

    own = &who->principal->roles;
    request->roles = own->list;
    request->nroles = own->n;

    if (who->surface == NULL || who->surface->roles.n == 0) {
        return 0;
    }

    surface = &who->surface->roles;
    list = parley_arena_alloc(who->arena,
                              (own->n + surface->n) * sizeof(parley_str_t));
    if (list == NULL) {
        return -1;
    }

    if (own->n > 0) {
        memcpy(list, own->list, own->n * sizeof(parley_str_t));
    }

    memcpy(list + own->n, surface->list, surface->n * sizeof(parley_str_t));

    request->roles = list;
    request->nroles = own->n + surface->n;

    return 0;
}


/*
 * Fills the request to the rules.  Looks up names only if a rule has names.
 * Returns 0, or -1: no memory.
 */

static int
parley_rules_ask(const parley_rules_request_t *r, parley_gate_asked_t *a)
{
    parley_policy_request_t  *request = &a->request;

    if (parley_rules_ask_caller(r, a) != 0 || parley_rules_ask_to(r, a) != 0) {
        return -1;
    }

    request->protocol = parley_proto_name(r->proto);

    parley_gate_rules_words(a->types, &request->type, r->msg->form,
                            r->msg->outer_form);
    parley_gate_rules_words(a->intents, &request->intent, r->msg->intent,
                            r->msg->outer_intent);

    return 0;
}


/* Looks up the names of the recipient and of the reader.  Returns 0, or -1: no
   memory. */

static int
parley_rules_ask_to(const parley_rules_request_t *r, parley_gate_asked_t *a)
{
    if (!(r->conf->policy->given & (1u << PARLEY_POLICY_TO))) {
        return 0;
    }

    if (parley_names_recipient(r->who, r->to, &a->recipient) != 0
        || (r->reader != NULL && r->reader != a->recipient.owner
            && parley_names_also(&a->recipient, r->reader) != 0))
    {
        return -1;
    }

    a->request.to.list = a->recipient.list;
    a->request.to.n = a->recipient.n;

    return 0;
}


/*
 * Fills the names of a message and of the message that carries it.  A rule that
 * allows compares only the first; a rule that denies compares both.
 */

static void
parley_gate_rules_words(parley_policy_name_t *list,
    parley_policy_names_t *names, parley_str_t text, parley_str_t outer)
{
    list[0].text = text;
    list[0].loose = 0;
    list[1].text = outer;
    list[1].loose = 1;

    names->list = list;
    names->n = outer.len > 0 ? 2 : 1;
}


/*
 * Adds the names that an intent has in the protocols of the sender, of the
 * carried message and of the recipient (SEC-04).  Only rules that deny compare
 * these names.
 */

static int
parley_gate_rules_readings(const parley_rules_request_t *r,
    parley_gate_asked_t *a)
{
    size_t                 i, k, n;
    parley_str_t           text;
    const parley_codec_t  *codec;

    const parley_proto_t readers[PARLEY_GATE_READERS] = {
        r->msg->wire, r->msg->origin, r->conf->speak
    };

    if (!(r->conf->policy->given & (1u << PARLEY_POLICY_INTENT))) {
        return 0;
    }

    n = a->request.intent.n;

    for (i = 0; i < PARLEY_GATE_READERS; i++) {

        codec = readers[i] == PARLEY_PROTO_NONE ? NULL
                                                : parley_codecs[readers[i]];

        if (codec == NULL || codec->reading == NULL
            || (i > 0 && readers[i] == readers[i - 1]))
        {
            continue;
        }

        for (k = 0; k < n; k++) {
            text = parley_str_none;

            if (codec->reading(r->arena, a->intents[k].text, &text) != 0) {
                return -1;
            }

            if (text.len > 0) {
                a->intents[a->request.intent.n].text = text;
                a->intents[a->request.intent.n].loose = 1;
                a->request.intent.n++;
            }
        }
    }

    return 0;
}


int
parley_gate_may(const parley_gate_t *g, parley_str_t form,
    parley_str_t intent)
{
    parley_error_t          err;
    parley_gate_asked_t     a;
    parley_rules_request_t  r;

    if (g->conf.gate->policy == NULL || g->conf.gate->policy->n == 0) {
        return 1;
    }

    parley_gate_rules_request(g, g->serve.reader, &r);

    if (parley_rules_ask(&r, &a) != 0) {
        return 0;
    }

    parley_gate_rules_words(a.types, &a.request.type, form, parley_str_none);
    parley_gate_rules_words(a.intents, &a.request.intent, intent,
                            parley_str_none);

    if (parley_gate_rules_readings(&r, &a) != 0) {
        return 0;
    }

    return parley_policy_check(g->conf.gate->policy, &a.request, NULL, &err)
           == 0;
}


int
parley_gate_rules_reaches(const parley_rules_request_t *r)
{
    parley_gate_asked_t  a;

    if (r->conf->policy == NULL || r->conf->policy->n == 0) {
        return 1;
    }

    if (parley_rules_ask_caller(r, &a) != 0
        || parley_names_recipient(r->who, parley_str_none, &a.recipient) != 0
        || parley_names_also(&a.recipient, r->reader) != 0)
    {
        return 0;
    }

    a.request.to.list = a.recipient.list;
    a.request.to.n = a.recipient.n;
    a.request.protocol = parley_proto_name(r->proto);

    return parley_policy_reaches(r->conf->policy, &a.request);
}


int
parley_gate_rules_forbid(const parley_gate_t *g, parley_str_t form,
    parley_str_t intent)
{
    parley_msg_t            msg;
    parley_who_t            who;
    parley_error_t          err;
    parley_rules_request_t  r;

    if (g->conf.gate->policy == NULL || g->conf.gate->policy->n == 0) {
        return 0;
    }

    /* the request has no message */

    who = *g->who;

    parley_msg_init(&msg, g->read.proto, g->doc);
    parley_who_about(&who, g->arena, &msg);
    parley_gate_rules_request(g, NULL, &r);

    msg.form = form;
    msg.intent = intent;

    r.who = &who;
    r.msg = &msg;
    r.to = parley_str_none;

    return parley_gate_rules_deny(&r, &err);
}


/* Without a rule for the type, no caller may ask about the name. */

int
parley_gate_may_ask(const parley_gate_t *g, parley_str_t type)
{
    parley_error_t          err;
    parley_gate_asked_t     a;
    parley_rules_request_t  r;

    parley_gate_rules_request(g, g->serve.reader, &r);

    if (g->conf.gate->policy == NULL || g->conf.gate->policy->n == 0
        || (r.to.len > 0 && !parley_names_is_plain(g->who, r.to))
        || parley_rules_ask(&r, &a) != 0)
    {
        return 0;
    }

    parley_gate_rules_words(a.types, &a.request.type, type, parley_str_none);

    memset(&a.request.intent, 0, sizeof(parley_policy_names_t));

    /* a rule for messages does not allow listening to another principal's
       log */

    a.request.asked = type;

    return parley_policy_check(g->conf.gate->policy, &a.request, NULL, &err)
           == 0;
}


int
parley_gate_may_subscribe(const parley_gate_t *g,
    const parley_principal_t *reader, parley_str_t name)
{
    parley_msg_t            msg;
    parley_who_t            who;
    parley_error_t          err;
    parley_gate_asked_t     a;
    parley_rules_request_t  r;

    if (g->conf.gate->policy == NULL || g->conf.gate->policy->n == 0) {
        return 0;
    }

    /* only the caller has a token, and so scopes */

    who = *g->who;

    if (who.principal != reader) {
        memset(&who, 0, sizeof(parley_who_t));

        who.directory = g->who->directory;
        who.principal = reader;
    }

    who.surface = NULL;

    parley_msg_init(&msg, PARLEY_PROTO_CANONICAL, g->doc);
    parley_who_about(&who, g->arena, &msg);
    parley_gate_rules_request(g, NULL, &r);

    r.who = &who;
    r.msg = &msg;
    r.to = name;

    if (parley_rules_ask(&r, &a) != 0) {
        return 0;
    }

    parley_gate_rules_words(a.types, &a.request.type, PARLEY_RULES_SUBSCRIBE,
                            parley_str_none);

    memset(&a.request.intent, 0, sizeof(parley_policy_names_t));

    a.request.asked = PARLEY_RULES_SUBSCRIBE;

    return parley_policy_check(g->conf.gate->policy, &a.request, NULL, &err)
           == 0;
}


int
parley_gate_may_reach(const parley_gate_t *g, const parley_principal_t *reader)
{
    parley_error_t          err;
    parley_gate_asked_t     a;
    const parley_policy_t  *policy;
    parley_rules_request_t  r;

    policy = g->conf.gate->policy;

    if (policy == NULL || !(policy->given & (1u << PARLEY_POLICY_TO))) {
        return 1;
    }

    parley_gate_rules_request(g, reader, &r);

    return parley_rules_ask(&r, &a) == 0
           && parley_gate_rules_readings(&r, &a) == 0
           && parley_gate_rules_decide(g, &r, &a, NULL, &err) == 0;
}


int
parley_gate_may_address(const parley_gate_t *g, parley_str_t text,
    const parley_channel_scope_t *scope, const parley_principal_t *reader)
{
    parley_msg_t            msg;
    parley_who_t            who;
    parley_error_t          err;
    parley_gate_asked_t     a;
    const parley_policy_t  *policy;
    parley_rules_request_t  r;

    policy = g->conf.gate->policy;

    if (policy == NULL || !(policy->given & (1u << PARLEY_POLICY_TO))) {
        return 1;
    }

    msg = *g->msg;
    msg.wire = PARLEY_PROTO_STREAMS;
    msg.recipient = parley_expand_is_org(scope) ? text : scope->handle;
    msg.scope = text;
    msg.handle = scope->handle;

    who = *g->who;
    parley_who_about(&who, g->arena, &msg);

    parley_gate_rules_request(g, NULL, &r);

    if (parley_rules_ask(&r, &a) != 0
        || parley_names_recipient(&who, msg.recipient, &a.recipient) != 0
        || (reader != NULL && reader != a.recipient.owner
            && parley_names_also(&a.recipient, reader) != 0)
        || parley_gate_rules_readings(&r, &a) != 0)
    {
        return 0;
    }

    a.request.to.list = a.recipient.list;
    a.request.to.n = a.recipient.n;

    return parley_gate_rules_decide(g, &r, &a, NULL, &err) == 0;
}


int
parley_gate_rules_denies(const parley_gate_t *g)
{
    const parley_policy_rule_t  *rule;

    if (g->conf.gate->policy == NULL) {
        return 0;
    }

    for (rule = g->conf.gate->policy->first; rule != NULL; rule = rule->next) {
        if (!rule->allow) {
            return 1;
        }
    }

    return 0;
}


void
parley_gate_rules_reader(const parley_gate_t *g, parley_reader_t *ret)
{
    ret->ctx = g->ctx;
    ret->conf = g->conf.gate;
    ret->who = g->who;
    ret->method = g->in.method;
    ret->owner = g->serve.reader;
    ret->mailbox = NULL;
    ret->hidden = NULL;
    ret->conversation = NULL;
    ret->removed = NULL;
    ret->modes = PARLEY_CHAT_MODE_ALL
                 & ~PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_DIGEST);
    ret->ruled = parley_gate_rules_denies(g) != 0;
}


int
parley_gate_rules_deny(const parley_rules_request_t *r, parley_error_t *err)
{
    parley_gate_asked_t          a;
    const parley_policy_rule_t  *rule;

    if (parley_rules_ask(r, &a) != 0
        || parley_gate_rules_readings(r, &a) != 0)
    {
        return 1;
    }

    rule = NULL;

    return parley_policy_check(r->conf->policy, &a.request, &rule, err) != 0
           && rule != NULL && !rule->allow;
}
