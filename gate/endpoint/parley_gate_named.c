/*
 * Requests about the name at the end of the path, as /channel/stream/~alice.
 * These functions find the owner of the name and check whether the caller may
 * ask about it.  Without a name, the request is about the caller's own name.
 */

#include "gate/party/parley_address.h"
#include "gate/message/parley_gate_mcp.h"
#include "translate/parley_name.h"
#include "translate/parley_name_syntax.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_named_address(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static int parley_gate_named_agent(parley_gate_t *g, parley_str_t agent,
    parley_str_t address, parley_str_t type, parley_str_t *ret);
static int parley_gate_named_caller(parley_gate_t *g, parley_str_t *ret);
static int parley_gate_named_own(parley_gate_t *g, parley_str_t address,
    parley_str_t *ret, int *own);
static int parley_gate_named_last(parley_gate_t *g, parley_str_t *ret);
static int parley_gate_named_begins(const parley_gate_t *g, parley_str_t *rest,
    parley_str_t *prefix);


parley_step_result_t
parley_gate_named_method(parley_gate_t *g, parley_proto_t proto,
    parley_str_t method, int may_erase)
{
    parley_str_t  methods;

    /* a refusal, too, is in the protocol of the endpoint */

    g->read.proto = proto;

    g->serve.erases = may_erase && parley_str_is(method, "DELETE");

    if (g->serve.erases || parley_str_is(method, "GET")) {
        return PARLEY_RESULT_PASSED;
    }

    methods = parley_gate_serve_methods(g);

    (void) parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                            "this must be requested with %.*s",
                            (int) methods.len, (const char *) methods.data);

    return PARLEY_RESULT_REFUSED;
}


int
parley_gate_named(parley_gate_t *g, parley_arguments_t *asked,
    parley_str_t type, parley_str_t *ret, int *own)
{
    int           rc;
    parley_str_t  name, address;

    *own = 0;

    if (parley_gate_serving(g, NULL) != 0
        || parley_gate_serving_asks(g, asked) != 0)
    {
        return -1;
    }

    if (g->in.body.len > 0 && g->serve.mcp == NULL) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "this request must not have a body");
    }

    if (parley_gate_named_caller(g, &address) != 0) {
        return -1;
    }

    name = asked->list[PARLEY_ARGUMENT_AGENT].value;

    if (name.len > 0) {
        return parley_gate_named_agent(g, name, address, type, ret);
    }

    if (g->serve.mcp != NULL) {
        name = g->serve.mcp->asked;

    } else if (parley_gate_named_last(g, &name) != 0) {
        return parley_error_memory(g->err);
    }

    if (name.len == 0) {
        return parley_gate_named_own(g, address, ret, own);
    }

    rc = parley_gate_named_address(g, name, ret);

    if (rc < 0) {
        return -1;
    }

    *own = rc == 0 && address.len > 0 && parley_str_eq(*ret, address);

    /*
     * The caller's own name needs no rule.  For another name a rule must allow
     * the request.  Without a rule the caller does not learn whether the name
     * exists.
     */

    g->read.to = name;

    if (!*own && type.len > 0 && !parley_gate_may_ask(g, type)) {
        return parley_error_set(g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "no rule with type=%.*s lets the caller ask "
                                "for this name", (int) type.len,
                                (const char *) type.data);
    }

    if (rc == 0) {
        g->serve.reader = parley_address_owner(g->conf.http->directory, *ret);
    }

    return rc == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                              "this is a group without members");
}


/*
 * Finds the address of the publisher of a track of MoQ by its agent id: its
 * handle without "~", or its name in AEE without the kind.  A rule must allow
 * the request, unless the caller is the publisher.
 */

static int
parley_gate_named_agent(parley_gate_t *g, parley_str_t agent,
    parley_str_t address, parley_str_t type, parley_str_t *ret)
{
    int                        rc, may;
    size_t                     i;
    parley_buf_t               b;
    parley_str_t               name, found;
    parley_proto_t             proto;
    const parley_principal_t  *owner;

    static const struct {
        parley_namespace_t  space;
        parley_str_t        prefix;
    } forms[] = {
        { PARLEY_NAMESPACE_AEE, parley_str("human.") },
        { PARLEY_NAMESPACE_AEE, parley_str("agent.") },
        { PARLEY_NAMESPACE_HANDLE, parley_str("~") },
    };

    owner = NULL;
    name = parley_str_none;

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        parley_buf_init(&b, g->arena, 0);
        parley_buf_str(&b, forms[i].prefix);
        parley_buf_str(&b, agent);

        if (parley_buf_done(&b, &found) != 0) {
            return parley_error_memory(g->err);
        }

        if (i == 1) {
            name = found;
        }

        if (g->conf.http->directory != NULL) {
            const parley_principal_t  *p;

            p = parley_directory_owner(g->conf.http->directory, forms[i].space,
                                       found);
            owner = p != NULL ? p : owner;
        }
    }

    rc = owner != NULL ? parley_address_of(g->arena, owner, ret)
                       : parley_address_named(g->who, PARLEY_PROTO_CANONICAL,
                                              name, ret);
    if (rc < 0) {
        return parley_error_memory(g->err);
    }

    proto = g->read.proto;

    g->msg->wire = PARLEY_PROTO_CANONICAL;
    g->read.to = name;
    g->read.proto = PARLEY_PROTO_CANONICAL;
    g->serve.reader = owner;

    may = (rc == 0 && address.len > 0 && parley_str_eq(*ret, address))
          || parley_gate_may_ask(g, type);

    g->msg->wire = proto;
    g->read.proto = proto;

    if (!may) {
        return parley_error_set(g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "no rule with type=%.*s lets the caller ask "
                                "for this name", (int) type.len,
                                (const char *) type.data);
    }

    return rc == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                              "the agent has no address");
}


/*
 * Finds the address of the caller, empty if it has none.  A sub that is the
 * name of a listed principal belongs to that principal (SEC-21).  The names in
 * claims were checked with the token.
 */

static int
parley_gate_named_caller(parley_gate_t *g, parley_str_t *ret)
{
    const parley_principal_t  *p, *owner;

    p = g->who->principal;
    owner = g->conf.http->directory != NULL
            ? parley_directory_owner(g->conf.http->directory,
                                     PARLEY_NAMESPACE_SUB, p->sub)
            : NULL;

    if (owner != NULL && !parley_str_eq(owner->sub, p->sub)) {
        return parley_error_set(g->err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                NULL, "the sub of the token is the name of "
                                "another principal");
    }

    return parley_address_of(g->arena, p, ret) < 0
           ? parley_error_memory(g->err) : 0;
}


/* Returns the caller's own address, for a path without a name. */

static int
parley_gate_named_own(parley_gate_t *g, parley_str_t address,
    parley_str_t *ret, int *own)
{
    parley_str_t  name;

    name = parley_who_name(g->who, g->read.proto);

    if (g->read.proto == PARLEY_PROTO_TRACKS
        && parley_principal_agent(g->who->principal).len == 0)
    {
        return parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                                "the caller has no agent id: its principal "
                                "needs a handle or a name in AEE");
    }

    if (address.len == 0
        || (g->read.proto == PARLEY_PROTO_STREAMS && name.len == 0))
    {
        return parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                                "the caller has no name in this protocol, and "
                                "the path has no name");
    }

    *ret = address;
    *own = 1;
    g->read.to = name.len > 0 ? name : address;

    return 0;
}


/*
 * Finds the address that a name means; for an organisation it is the handle.
 * Returns 0; 1: the name has no address; or -1: invalid name, or no memory.
 */

static int
parley_gate_named_address(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret)
{
    int                     rc;
    parley_str_t            text;
    parley_channel_scope_t  scope;

    g->msg->wire = g->read.proto;

    if (!parley_name_reads(g->read.proto, name)) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "the path must end with a name of %s",
                                (const char *)
                                parley_proto_title(g->read.proto).data);
    }

    if (!parley_name_is_group(g->read.proto, name)) {
        rc = parley_address_named(g->who, g->read.proto, name, ret);

        return rc < 0 ? parley_error_memory(g->err) : rc;
    }

    rc = parley_name_map(g->arena, g->read.proto, name, PARLEY_PROTO_STREAMS,
                         &text);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(g->err) : rc;
    }

    if (parley_channel_scope_parse(text, &scope) != 0) {
        return 1;
    }

    *ret = scope.handle;

    return 0;
}


void
parley_gate_named_tell(const parley_gate_t *g, parley_buf_t *b,
    parley_str_t address)
{
    if (parley_str_begins(address, "~")) {
        parley_buf_member(b, PARLEY_STR("handle"), address);

    } else {
        parley_buf_member(b, PARLEY_STR("name"), g->read.to);
    }
}


/*
 * Finds the name at the end of the path.  A name with slashes, as agent://h/x,
 * begins at its last prefix in the path.
 */

static int
parley_gate_named_last(parley_gate_t *g, parley_str_t *ret)
{
    size_t        i, last;
    parley_buf_t  b;
    parley_str_t  rest, prefix;

    last = 0;

    for (i = g->in.path.len; i > 0; i--) {

        if (g->in.path.data[i - 1] != '/') {
            continue;
        }

        if (last == 0) {
            last = i;
        }

        rest = parley_str_from(g->in.path, i);

        if (parley_gate_named_begins(g, &rest, &prefix)) {
            g->serve.named = parley_str_from(g->in.path, i);

            parley_buf_init(&b, g->arena, prefix.len + rest.len);
            parley_buf_str(&b, prefix);
            parley_buf_str(&b, rest);

            return parley_buf_done(&b, ret);
        }
    }

    *ret = last == 0 ? parley_str_none : parley_str_from(g->in.path, last);
    g->serve.named = *ret;

    return 0;
}


/*
 * Strips a prefix of names.  nginx makes one slash of two (merge_slashes), so
 * both forms count.
 */

static int
parley_gate_named_begins(const parley_gate_t *g, parley_str_t *rest,
    parley_str_t *prefix)
{
    unsigned             kind;
    parley_str_t         merged;
    const parley_str_t  *prefixes;

    prefixes = parley_codecs[g->read.proto]->syntax->prefixes;

    for (kind = 0; prefixes != NULL && kind < PARLEY_NAME_KINDS; kind++) {
        *prefix = prefixes[kind];

        if (prefix->len < 2 || prefix->data[prefix->len - 1] != '/') {
            continue;
        }

        merged = parley_str_make(prefix->data, prefix->len - 1);

        if (parley_name_strip(rest, *prefix)
            || parley_name_strip(rest, merged))
        {
            return 1;
        }
    }

    return 0;
}
