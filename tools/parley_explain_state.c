/* The state of the gate in the tool: private memory, empty at first. */

#include <stdlib.h>
#include <string.h>

#include "tools/parley_explain.h"
#include "state/memory/parley_memory.h"
#include "gate/correlation/parley_question.h"


#define PARLEY_EXPLAIN_STATE  (256 * 1024)


static const parley_principal_t *tool_explain_asker(
    const parley_explain_t *e);
static int tool_explain_submit(parley_explain_t *e, parley_who_t *who,
    parley_msg_t *msg, parley_error_t *err);


static void
tool_explain_lock(void *ctx)
{
    (void) ctx;
}


static int
tool_explain_is_alive(void *ctx, const parley_process_t *process)
{
    (void) ctx;
    (void) process;

    return 1;
}


static int64_t
tool_explain_now(void *ctx)
{
    const parley_explain_t *e = ctx;

    return e->now_ms;
}


int
tool_explain_state_init(parley_explain_t *e)
{
    e->octets = aligned_alloc(PARLEY_BLOCK, PARLEY_EXPLAIN_STATE);

    if (e->octets == NULL) {
        return -1;
    }

    e->memory.env.lock = tool_explain_lock;
    e->memory.env.unlock = tool_explain_lock;
    e->memory.env.now = tool_explain_now;
    e->memory.env.is_alive = tool_explain_is_alive;
    e->memory.env.ctx = e;
    e->memory.share = PARLEY_SHARE_DEFAULT;

    return 0;
}


void
tool_explain_state_clear(parley_explain_t *e)
{
    uint8_t  secret[PARLEY_KEY_SECRET];

    tool_host_random(secret, sizeof(secret));

    /* the memory is large enough, so this cannot fail */

    (void) (parley_memory_create(&e->memory, e->octets, PARLEY_EXPLAIN_STATE,
                                 secret)
            == 0);

    parley_memory_bounds(&e->memory, e->http.retain, e->http.replay_size);
}


/*
 * Returns the principal that sent the message of --answering, or NULL if the
 * directory does not list it.
 */

static const parley_principal_t *
tool_explain_asker(const parley_explain_t *e)
{
    const parley_msg_t        *m = e->answering;
    const parley_directory_t  *directory = e->http.directory;

    if (directory == NULL) {
        return NULL;
    }

    return e->asker != NULL
           ? parley_directory_by_sub(directory, parley_str_c(e->asker))
           : parley_directory_by_name(directory, (parley_namespace_t) m->wire,
                                      m->sender);
}


/* Adds the sender to a message without one, such as a call of a tool. */

static int
tool_explain_submit(parley_explain_t *e, parley_who_t *who,
    parley_msg_t *msg, parley_error_t *err)
{
    parley_str_t         owner;
    parley_submission_t  submission;

    if (msg->sender.len > 0) {
        return 0;
    }

    memset(&submission, 0, sizeof(submission));

    submission.sender = parley_who_name(who, msg->wire);
    submission.ms = e->now_ms;
    owner = msg->owner;

    if (parley_who_submission(who, &submission, err) != 0) {
        return -1;
    }

    /* ids derive from the owner */
    submission.owner = owner;

    return parley_submit(e->in->arena, msg, &submission, err);
}


/*
 * Records the message as it would have been sent: in the protocol of the
 * current message, which answers it.  A message that cannot be sent in that
 * protocol is not recorded, and so cannot be answered.
 */

void
tool_explain_remember(parley_explain_t *e)
{
    parley_msg_t          msg;
    parley_who_t          who;
    parley_ask_t          ask;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_asked_t        asked;
    parley_asking_t       a;
    parley_encoded_t      sent;
    parley_encode_opts_t  opts;
    static const uint8_t  account[PARLEY_KEY_LEN];

    memset(&opts, 0, sizeof(opts));
    memset(&who, 0, sizeof(who));
    memset(&a, 0, sizeof(a));

    parley_error_clear(&err);
    parley_loss_init(&loss, e->in->arena);

    msg = *e->answering;

    parley_who_about(&who, e->in->arena, &msg);
    who.directory = e->http.directory;
    who.principal = tool_explain_asker(e);

    /* ids derive from the proven sender */

    msg.owner = e->asker != NULL ? parley_str_c(e->asker)
                : who.principal != NULL ? who.principal->sub
                                        : parley_str_none;

    parley_who_opts(&who, &opts);

    (void) (parley_gate_message_options(&e->gate, &opts) == 0);

    opts.self = e->http.self;
    opts.trace_id = parley_str_none;    /* of another request */
    opts.span_id = parley_str_none;

    memset(&sent, 0, sizeof(sent));

    if (tool_explain_submit(e, &who, &msg, &err) != 0
        || parley_encode(e->engine, e->in->arena, e->msg.wire, &msg, &opts,
                         &sent, &loss, &err)
           != 0)
    {
        tool_explain_note(e,
                          "the message of --answering cannot be sent here: "
                          "%s; ", err.text);
        return;
    }

    parley_ask_init(&ask, &e->memory.state, e->in->arena);
    parley_ask_begin(&ask, e->now_ms);

    a.arena = e->in->arena;
    a.ask = &ask;
    a.who = &who;
    a.sent = &sent;
    a.speak = e->msg.wire;
    a.to = msg.recipient;
    a.account = account;

    (void) (parley_question_keep(&a, &asked, &err) == 0);
}
