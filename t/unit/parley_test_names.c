#include "t/unit/parley_test_names.h"

#include <stdlib.h>
#include <string.h>


typedef int (*parley_test_names_pt)(void *ctx, parley_test_tree_t *name);


static int parley_test_names_each(const char *const *names,
    parley_test_tree_t *tree, parley_test_names_pt look, void *ctx);
static int parley_test_names_at(const char *pointer, parley_test_tree_t *tree,
    parley_test_names_pt look, void *ctx);
static int parley_test_names_whole(void *ctx, parley_test_tree_t *name);


/* "*" is every element of an array; a text instead of the array is a name */

static const char *const  parley_test_names_aee[] = {
    "/id", "/from", "/to", "/intent", "/corr", "/reply_to", "/trace/trace_id",
    "/trace/span_id", "/payload/references/*/id",
    "/payload/references/*/corr", "/payload/references/*/hash",
    "/payload/references/*/locator", NULL
};

static const char *const  parley_test_names_vcp[] = {
    "/message_id", "/sender", "/recipient", "/payload/constraints/*/type", NULL
};

static const char *const  parley_test_names_event[] = {
    "/id", "/method", "/params/eventId", "/params/requestId",
    "/params/progressToken", "/params/protocolVersion",
    "/params/clientInfo/name", "/params/clientInfo/version",
    "/params/author/id", "/params/author/kind", "/params/author/displayName",
    "/params/conversation/id", "/params/conversation/kind",
    "/params/conversation/streamId", "/params/conversation/threadId",
    "/params/conversation/recipient", "/params/target/recipient",
    "/params/target/mentions/*", "/params/knock/from", "/params/knock/where",
    "/params/reliability/idempotencyKey", NULL
};

static const char *const  parley_test_names_call[] = {
    "/id", "/method", "/params/name", "/params/arguments/target",
    "/params/arguments/target/id", "/params/arguments/target/kind",
    "/params/arguments/target/streamId", "/params/arguments/target/threadId",
    "/params/arguments/target/recipient", "/params/arguments/inReplyTo",
    "/params/arguments/idempotencyKey", NULL
};

static const char *const  parley_test_names_other[] = {
    "/id", "/method", "/params/name", NULL
};

static const char *const  parley_test_names_channel[] = {
    "/provenance_method", "/provenance_method/*", "/provenance_return_ref",
    "/provenance_basis", "/payload/file_refs/*", "/payload/worktree",
    "/payload/branch", "/payload/refs/*", "/payload/previous_session_id",
    "/payload/next_session_id", "/payload/pointer_refs/*",
    "/payload/resource", "/payload/responder_session_id",
    "/payload/return_event_ref", "/payload/substrate_refs/*",
    "/payload/convergence_class", "/payload/payload_ref",
    "/payload/intent_ref", "/payload/result_ref", "/payload/batch_refs/*",
    NULL
};

static const char *const  parley_test_names_moq[] = {
    "/action", "/session_id", "/status", "/track_name", "/subscriber_id",
    "/track_url", NULL
};


static const char *const *
parley_test_names_c2a(const parley_test_tree_t *tree)
{
    unsigned                   i;
    parley_str_t               text;
    const parley_test_tree_t  *method, *params, *name;

    static const char *const  events[] = {
        "chat/deliver", "notifications/cancelled", "notifications/progress",
        "initialize", NULL
    };

    static const char *const  tools[] = {
        "list_events", "read_thread", "send_message", "react", "claim",
        "defer", "resolve", NULL
    };

    method = parley_test_tree_get(tree, "method");

    for (i = 0; method != NULL && events[i] != NULL; i++) {
        if (parley_str_eq(method->text, parley_str_c(events[i]))) {
            return parley_test_names_event;
        }
    }

    params = parley_test_tree_get(tree, "params");
    name = params != NULL ? parley_test_tree_get(params, "name") : NULL;

    if (method == NULL || !parley_str_is(method->text, "tools/call")
        || name == NULL
        || !(parley_str_begins(name->text, "chat.")
             || parley_str_begins(name->text, "chat_")))
    {
        return parley_test_names_other;
    }

    text = parley_str_from(name->text, 5);

    for (i = 0; tools[i] != NULL; i++) {
        if (parley_str_eq(text, parley_str_c(tools[i]))) {
            return parley_test_names_call;
        }
    }

    return parley_test_names_other;
}


static const char *const *
parley_test_names(parley_proto_t proto, const parley_test_tree_t *tree)
{
    switch (proto) {

    case PARLEY_PROTO_AEE:
        return parley_test_names_aee;

    case PARLEY_PROTO_VCP:
    case PARLEY_PROTO_VCP2:
        return parley_test_names_vcp;

    case PARLEY_PROTO_C2A:
        return parley_test_names_c2a(tree);

    case PARLEY_PROTO_CHANNEL:
        return parley_test_names_channel;

    default:
        return parley_test_names_moq;
    }
}


/* Returns the length of the control character at i, or 0. */

static size_t
parley_test_names_control(parley_str_t text, size_t i)
{
    if (text.data[i] < 0x20 || text.data[i] == 0x7F) {
        return 1;
    }

    return text.data[i] == 0xC2 && text.data[i + 1] < 0xA0 ? 2 : 0;
}


static int
parley_test_names_plain(void *ctx, parley_test_tree_t *name)
{
    size_t  i;

    (void) ctx;

    for (i = 0; i < name->text.len; i++) {
        if (parley_test_names_control(name->text, i)) {
            return 0;
        }
    }

    return 1;
}


static int
parley_test_names_wash(void *ctx, parley_test_tree_t *name)
{
    size_t           i, n;
    parley_buf_t     b;
    parley_arena_t  *arena = ctx;

    parley_buf_init(&b, arena, name->text.len + 1);

    for (i = 0; i < name->text.len; i += n ? n : 1) {
        n = parley_test_names_control(name->text, i);
        parley_buf_octet(&b, n ? 'x' : name->text.data[i]);
    }

    if (parley_buf_done(&b, &name->text) != 0) {
        abort();
    }

    return 1;
}


/*
 * Returns whether no label is empty; C2A's methods have labels between
 * slashes.
 */

static int
parley_test_names_whole(void *ctx, parley_test_tree_t *name)
{
    size_t       i;
    int          ends, ended;
    const char  *separators = ctx;

    ended = name->text.len != 0;

    for (i = 0; i <= name->text.len; i++) {
        ends = i == name->text.len
               || strchr(separators, name->text.data[i]) != NULL;

        if (ends && ended) {
            return 0;
        }

        ended = ends;
    }

    return 1;
}


int
parley_test_names_hold(parley_proto_t proto, const parley_test_tree_t *tree)
{
    parley_test_tree_t  *t = (parley_test_tree_t *) (uintptr_t) tree;

    const parley_test_tree_t  *method;

    static const char *const  intents[PARLEY_PROTO_COUNT][3] = {
        [PARLEY_PROTO_AEE] = { "/intent" },
        [PARLEY_PROTO_C2A] = { "/method", "/params/name" },
        [PARLEY_PROTO_MOQ] = { "/action" }
    };

    static const char *const  other[] = { "/method", NULL };

    method = parley_test_tree_get(tree, "method");

    return parley_test_names_each(parley_test_names(proto, tree), t,
                                  parley_test_names_plain, NULL)
           && parley_test_names_each(proto == PARLEY_PROTO_C2A
                                     && (method == NULL
                                         || !parley_str_is(method->text,
                                                           "tools/call"))
                                     ? other : intents[proto], t,
                                     parley_test_names_whole,
                                     proto == PARLEY_PROTO_C2A ? "./" : ".");
}


void
parley_test_names_clean(parley_arena_t *arena, parley_proto_t proto,
    parley_test_tree_t *tree)
{
    (void) parley_test_names_each(parley_test_names(proto, tree), tree,
                                  parley_test_names_wash, arena);
}


static int
parley_test_names_each(const char *const *names, parley_test_tree_t *tree,
    parley_test_names_pt look, void *ctx)
{
    for ( /* void */ ; *names != NULL; names++) {
        if (!parley_test_names_at(*names, tree, look, ctx)) {
            return 0;
        }
    }

    return 1;
}


static int
parley_test_names_at(const char *pointer, parley_test_tree_t *tree,
    parley_test_names_pt look, void *ctx)
{
    parley_str_t         name;
    parley_test_tree_t  *value;

    if (*pointer == '\0') {
        return tree->type != PARLEY_JSON_STRING || look(ctx, tree);
    }

    name.data = (const uint8_t *) pointer + 1;
    name.len = strcspn(pointer + 1, "/");
    pointer += 1 + name.len;

    if (parley_str_is(name, "*") && tree->type != PARLEY_JSON_ARRAY) {
        return parley_test_names_at("", tree, look, ctx);
    }

    for (value = tree->first; value != NULL; value = value->next) {
        if ((parley_str_is(name, "*") ? tree->type == PARLEY_JSON_ARRAY
             : tree->type == PARLEY_JSON_OBJECT
               && parley_str_eq(value->name, name))
            && !parley_test_names_at(pointer, value, look, ctx))
        {
            return 0;
        }
    }

    return 1;
}
