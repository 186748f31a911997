#include "translate/parley_codec.h"
#include "gate/correlation/parley_exchange_parts.h"
#include "translate/parley_loss.h"


static void parley_exchange_in(parley_exchange_t *x, parley_arena_t *arena);
static int parley_exchange_understood(parley_exchange_t *x,
    parley_arena_t *arena, parley_str_t data, const parley_answer_t *answer,
    int64_t now_ms, parley_answered_t *ret, parley_loss_t *loss,
    parley_error_t *err);
static void parley_exchange_unread(const parley_exchange_t *x,
    parley_answered_t *ret);
static int parley_exchange_counts(parley_exchange_t *x,
    parley_answered_t *ret, parley_error_t *err);
static int parley_exchange_reads(const parley_answer_t *answer,
    const parley_response_t *response, parley_error_t *err);
static int parley_exchange_has_replies(const parley_exchange_t *x);
static int parley_exchange_is_owed(const parley_exchange_t *x);
static int parley_exchange_is_again(const parley_answer_t *answer);
static parley_str_t parley_exchange_id(const parley_answer_t *answer);
static void parley_exchange_settle(parley_exchange_t *x,
    parley_settle_t settle, parley_answered_t *ret);
static int parley_exchange_failed(parley_exchange_t *x,
    parley_settle_t settle, parley_answered_t *ret, parley_error_t *err);


void
parley_exchange_init(parley_exchange_t *x)
{
    parley_encode_opts_t  *opts;

    x->request = x->who->msg;
    x->seal.key = x->key;

    parley_bond_init(&x->bond, x->who, x->sent_opts->answering, x->speak);

    x->bond.gateway = x->gateway;
    x->bond.self = x->self;

    opts = &x->opts;
    *opts = *x->sent_opts;
    opts->alias = parley_str_none;

    /* the caller was verified, not the responder */

    opts->answering = x->request;
    opts->principal = parley_str_none;
    opts->sig_alg = parley_str_none;
    opts->sig_kid = parley_str_none;

    /* the caller may see members that are hidden from the service (AEE-32) */

    opts->redact = NULL;
    opts->nredact = 0;

    if (opts->context.len == 0) {
        /* an acknowledgment of an escalation has its context (VCP-25) */

        opts->context = x->supervision->context;
    }

    parley_seal_opts(&x->seal, opts);

    opts->resolve = parley_exchange_resolve;
    opts->attribute = parley_exchange_attribute;
    opts->above = parley_exchange_above;
    opts->resolve_ctx = x;
}


/* Each answer of a stream has its own arena. */

static void
parley_exchange_in(parley_exchange_t *x, parley_arena_t *arena)
{
    x->asked = *x->who;
    x->asked.arena = arena;
    x->bond.agents.arena = arena;
    x->seal.arena = arena;
}


int
parley_exchange_answer(parley_exchange_t *x, parley_arena_t *arena,
    const parley_response_t *response, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    int              whole;
    parley_answer_t  answer;
    parley_settle_t  settle;

    memset(ret, 0, sizeof(parley_answered_t));

    parley_exchange_in(x, arena);

    whole = response->status >= 200 && response->status < 300;
    settle = whole ? PARLEY_SETTLE_COMMIT : PARLEY_SETTLE_RELEASE;

    if (parley_exchange_read(x, arena, response, &answer, ret, err) != 0) {

        if (err->code == PARLEY_E_UPSTREAM_INVALID && response->open
            && parley_exchange_is_cut(response->body))
        {
            (void) parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, NULL,
                                    "the upstream's answer ended early");
            settle = PARLEY_SETTLE_RELEASE;
        }

        return parley_exchange_failed(x, settle, ret, err);
    }

    if (parley_exchange_reads(&answer, response, err) != 0) {
        return parley_exchange_failed(x, settle, ret, err);
    }

    if (whole && parley_exchange_is_again(&answer)) {
        settle = PARLEY_SETTLE_RELEASE;
    }

    ret->replies = 1;
    ret->ends = 1;
    ret->over = 1;
    ret->closes = ret->final && !x->bond.several;

    /* each protocol has its own form for a bare acceptance; a published message
       is encoded if the caller's answers have another form */

    if (x->request->wire == x->speak
        && !(response->published && parley_exchange_has_replies(x))
        && answer.doc.nnodes > 0)
    {
        ret->copied = 1;
        ret->reply.status = response->status;
        ret->reply.content_type = parley_codecs[x->speak]->binding->media_type;
        ret->reply.body = response->body;
        ret->reply.id = parley_exchange_id(&answer);

    } else if (parley_exchange_reply(x, arena, &answer, now_ms, ret, loss, err)
               != 0)
    {
        return parley_exchange_failed(x, settle, ret, err);
    }

    if (ret->final && !response->published
        && parley_exchange_acknowledge(x, arena, &answer, ret, err) != 0)
    {
        return parley_exchange_failed(x, settle, ret, err);
    }

    parley_exchange_settle(x, settle, ret);

    return 0;
}


/* Checks that the body is UTF-8, as far as its charset says. */

static int
parley_exchange_reads(const parley_answer_t *answer,
    const parley_response_t *response, parley_error_t *err)
{
    size_t  i;

    if (answer->doc.nnodes == 0 || response->charset == PARLEY_CHARSET_UTF8) {
        return 0;
    }

    for (i = 0; response->charset == PARLEY_CHARSET_ASCII; i++) {

        if (i == response->body.len) {
            return 0;
        }

        if (response->body.data[i] >= 0x80) {
            break;
        }
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, NULL,
                            "the charset of the upstream's answer is not "
                            "utf-8");
}


/* Returns whether answers in the caller's protocol have another form than
   messages. */

static int
parley_exchange_has_replies(const parley_exchange_t *x)
{
    const parley_binding_t  *caller;

    caller = parley_codecs[x->request->wire]->binding;

    return caller->single || caller->responds;
}


int
parley_exchange_event(parley_exchange_t *x, parley_arena_t *arena,
    parley_str_t data, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    int                counts;
    parley_answer_t    answer;
    parley_response_t  response;

    memset(ret, 0, sizeof(parley_answered_t));
    ret->settle = x->settle;

    parley_exchange_in(x, arena);

    if (x->closed || data.len == 0) {
        parley_exchange_unread(x, ret);
        return 0;
    }

    memset(&response, 0, sizeof(parley_response_t));

    response.status = 200;
    response.body = data;

    if (parley_exchange_read(x, arena, &response, &answer, ret, err) != 0) {
        return parley_exchange_failed(x, PARLEY_SETTLE_COMMIT, ret, err);
    }

    counts = parley_exchange_counts(x, ret, err);

    if (counts < 0) {
        return parley_exchange_failed(x, PARLEY_SETTLE_COMMIT, ret, err);
    }

    if (!counts) {
        ret->final = 0;
        ret->late = 1;
        return 0;
    }

    ret->closes = ret->final && !x->bond.several;

    if (parley_exchange_understood(x, arena, data, &answer, now_ms, ret, loss,
                                   err)
        != 0
        || (ret->final && parley_exchange_acknowledge(x, arena, &answer, ret,
                                                      err)
                          != 0))
    {
        return parley_exchange_failed(x, PARLEY_SETTLE_COMMIT, ret, err);
    }

    ret->over = x->closed;
    x->answered |= ret->final;

    if (ret->final) {
        parley_exchange_settle(x, ret->closes
                                  && parley_exchange_is_again(&answer)
                                  ? PARLEY_SETTLE_RELEASE
                                  : PARLEY_SETTLE_COMMIT, ret);

    } else if (ret->ends) {
        /* the caller got an acceptance */
        parley_exchange_settle(x, PARLEY_SETTLE_COMMIT, ret);
    }

    return 0;
}


/* Handles an event that comes too late, or that has an id but no data. */

static void
parley_exchange_unread(const parley_exchange_t *x, parley_answered_t *ret)
{
    if (x->closed) {
        ret->late = 1;
        ret->over = 1;
        return;
    }

    /* for a caller of JSON-RPC, an event must have a message */

    ret->copied = x->request->wire == x->speak
                  && !parley_exchange_has_replies(x);
    ret->replies = ret->copied;
}


/* Counts the responders of a question to several: each answers once.  Returns
   1; 0: it has already answered; -1 with *err. */

static int
parley_exchange_counts(parley_exchange_t *x, parley_answered_t *ret,
    parley_error_t *err)
{
    int  first;

    if (!ret->final || !x->bond.several) {
        return 1;
    }

    first = parley_responders_add(&x->responders, x->arena, ret->principal,
                                  ret->session, err);
    ret->takes = first > 0;

    return first;
}


void
parley_exchange_late(parley_exchange_t *x, parley_answered_t *ret)
{
    ret->late = 1;
    ret->replies = 0;

    if (ret->ends) {
        ret->ends = 0;
        ret->over = 0;

        x->replied = 0;
        x->closed = 0;
    }

    memset(&ret->message, 0, sizeof(parley_encoded_t));
}


/* Writes a valid event for the caller. */

static int
parley_exchange_understood(parley_exchange_t *x, parley_arena_t *arena,
    parley_str_t data, const parley_answer_t *answer, int64_t now_ms,
    parley_answered_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    int                    rc;
    const parley_codec_t  *caller;

    rc = 0;
    caller = parley_codecs[x->request->wire];

    if (caller->binding->single) {

        if (!x->replied) {
            rc = ret->final ? parley_exchange_reply(x, arena, answer, now_ms,
                                                   ret, loss, err)
                            : parley_exchange_accepted(x, arena, now_ms, ret,
                                                       loss, err);
            x->replied = 1;
            ret->replies = 1;
            ret->ends = 1;
        }

        x->closed = ret->closes;

        return rc;
    }

    if (caller == parley_codecs[x->speak]) {
        ret->copied = 1;
        ret->replies = 1;
        ret->reply.body = data;
        ret->reply.id = parley_exchange_id(answer);

    } else if (!caller->binding->responds
               || answer->kind != PARLEY_ANSWER_TAKEN)
    {
        rc = parley_exchange_say(x, arena, answer, now_ms, ret, loss, err);
    }

    if (ret->final && (ret->closes || caller->binding->responds)) {
        x->replied = 1;
        x->closed = 1;
        ret->ends = 1;
    }

    return rc;
}


int
parley_exchange_is_cut(parley_str_t text)
{
    int     quoted;
    size_t  i, depth;

    quoted = 0;
    depth = 0;

    for (i = 0; i < text.len; i++) {

        switch (text.data[i]) {

        case '"':
            quoted = !quoted;
            break;

        case '\\':
            i += (size_t) quoted;
            break;

        case '{':
        case '[':
            depth += !quoted;
            break;

        case '}':
        case ']':
            depth -= !quoted;
            break;

        case ' ':
        case '\t':
        case '\r':
        case '\n':
            continue;
        }

        if (depth == 0) {
            /* not an object or array, or complete */
            return 0;
        }
    }

    return depth != 0;
}


/* Returns whether an answer says that the message may be sent again. */

static int
parley_exchange_is_again(const parley_answer_t *answer)
{
    switch (answer->kind) {

    case PARLEY_ANSWER_REFUSED:
        return answer->retryable;

    case PARLEY_ANSWER_MESSAGE:
        return answer->msg.act == PARLEY_ACT_FAILURE && answer->msg.retryable;

    default: /* PARLEY_ANSWER_TAKEN */
        return 0;
    }
}


/* Returns the id of a message that the caller gets unchanged. */

static parley_str_t
parley_exchange_id(const parley_answer_t *answer)
{
    return answer->kind == PARLEY_ANSWER_MESSAGE ? answer->msg.id
                                                 : parley_str_none;
}


int
parley_exchange_end(parley_exchange_t *x, parley_arena_t *arena, int whole,
    int64_t now_ms, parley_answered_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    int  owed;

    memset(ret, 0, sizeof(parley_answered_t));
    ret->over = 1;

    parley_exchange_in(x, arena);

    owed = whole && parley_exchange_is_owed(x);

    if (owed) {
        x->replied = 1;

        if (parley_exchange_accepted(x, arena, now_ms, ret, loss, err) != 0) {
            return parley_exchange_failed(x, PARLEY_SETTLE_COMMIT, ret, err);
        }

        /* a notification has no response */

        owed = ret->reply.body.len > 0;
        ret->ends = 1;
    }

    if (owed && !parley_exchange_is_single(x) && x->request->wire == x->speak)
    {
        (void) parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "the upstream's events ended without the "
                                "response");

        return parley_exchange_failed(x, PARLEY_SETTLE_RELEASE, ret, err);
    }

    ret->replies = owed;

    parley_exchange_settle(x, whole ? PARLEY_SETTLE_COMMIT
                                    : PARLEY_SETTLE_RELEASE, ret);

    return 0;
}


/* Returns whether the caller still waits for its one answer. */

static int
parley_exchange_is_owed(const parley_exchange_t *x)
{
    return !x->replied && parley_exchange_has_replies(x);
}


int
parley_exchange_is_single(const parley_exchange_t *x)
{
    return parley_codecs[x->request->wire]->binding->single;
}


/* The first decision is final: an id is settled once. */

static void
parley_exchange_settle(parley_exchange_t *x, parley_settle_t settle,
    parley_answered_t *ret)
{
    if (x->settle == PARLEY_SETTLE_OPEN) {
        x->settle = settle;
    }

    ret->settle = x->settle;
}


/* An unusable answer still settles the id. */

static int
parley_exchange_failed(parley_exchange_t *x, parley_settle_t settle,
    parley_answered_t *ret, parley_error_t *err)
{
    memset(&ret->reply, 0, sizeof(parley_reply_t));

    ret->replies = 0;
    ret->copied = 0;
    ret->final = 0;
    ret->takes = 0;
    ret->closes = 0;

    parley_exchange_settle(x, settle, ret);

    err->taken = ret->settle == PARLEY_SETTLE_COMMIT;

    return -1;
}
