#include <string.h>

#include "gate/party/parley_address.h"
#include "gate/delivery/parley_delivery.h"
#include "gate/delivery/parley_delivery_route.h"
#include "auth/parley_revocation.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_engine.h"


#define PARLEY_DELIVERY_CODE  64    /* octets of a code that are logged */
#define PARLEY_DELIVERY_WORD  "ABCDEFGHIJKLMNOPQRSTUVWXYZ" \
                              "abcdefghijklmnopqrstuvwxyz0123456789-_"


static void parley_delivery_said(const parley_answer_t *answer, int status,
    parley_error_t *err);
static int parley_delivery_make(const parley_render_t *d,
    parley_arena_t *arena, parley_delivery_t *ret);
static int parley_delivery_read(const parley_render_t *d,
    parley_delivery_t *delivery, const parley_json_limits_t *limits,
    int status, parley_str_t body, parley_arena_t *arena,
    parley_answer_t *answer);
static inline int parley_delivery_answers(const parley_delivery_t *delivery,
    const parley_chat_call_t *call);
static int parley_delivery_lacks(const parley_render_t *d,
    const parley_taken_t *job, parley_delivery_t *ret,
    parley_attempted_t *over);
static void parley_delivery_awaited(const parley_render_t *d,
    const parley_taken_t *job, parley_delivery_t *ret,
    parley_attempted_t *over);
static int parley_delivery_over(parley_attempted_t *over,
    parley_job_how_t how, const char *why);


int
parley_delivery_begin(const parley_render_t *d, const parley_taken_t *job,
    parley_arena_t *arena, parley_delivery_t *ret, parley_attempted_t *over)
{
    int  rc;

    memset(ret, 0, sizeof(parley_delivery_t));
    memset(over, 0, sizeof(parley_attempted_t));

    ret->outcome = PARLEY_CHAT_RETRY;

    if (parley_delivery_lacks(d, job, ret, over) != 0) {
        return 0;
    }

    ret->speaks = parley_delivery_protocol(ret->to, ret->publication.proto);
    ret->media_type = parley_codecs[ret->speaks]->binding->media_type;

    rc = parley_delivery_make(d, arena, ret);

    if (rc < 0) {
        over->why = "there is too little memory";
        over->how = job->attempt < PARLEY_ATTEMPTS ? PARLEY_JOB_AGAIN
                                                   : PARLEY_JOB_GIVEN_UP;
        over->after = parley_attempt_delays[0];
        over->mark = job->mark;
        over->spent = over->how == PARLEY_JOB_GIVEN_UP;
        return 0;
    }

    return rc == 0 ? 1
           : parley_delivery_over(over, PARLEY_JOB_REFUSED,
                                  ret->publication.views.len > 0
                                  ? "the event has ended for the recipient"
                                  : "the recipient's protocol cannot express "
                                    "the message");
}


/* Writes the message, or the recipient's view of it.  Returns as
   parley_render_made(). */

static int
parley_delivery_make(const parley_render_t *d, parley_arena_t *arena,
    parley_delivery_t *ret)
{
    if (ret->publication.views.len == 0) {
        return parley_render_made(d, &ret->publication, ret->speaks, arena,
                                  &ret->sent, &ret->loss, &ret->err);
    }

    parley_loss_init(&ret->loss, arena);

    return d->view == NULL || ret->speaks != ret->publication.proto ? 1
           : d->view(d, &ret->publication, ret->to, arena, &ret->sent.body);
}


/* Finds the recipient and its URL; changes since the publication count. */

static int
parley_delivery_lacks(const parley_render_t *d, const parley_taken_t *job,
    parley_delivery_t *ret, parley_attempted_t *over)
{
    const parley_revocations_t  *revoked;

    ret->kind = parley_job_subject_read(job->text, &ret->sub);

    if (job->record.data != NULL
        && parley_publication_read(job->record, &ret->publication) != 0)
    {
        parley_delivery_over(over, PARLEY_JOB_GIVEN_UP,
                             "the job is of another version");
        return -1;
    }

    if (parley_job_subject_awaits(ret->kind)) {
        parley_delivery_awaited(d, job, ret, over);
        return -1;
    }

    if (d->http->directory != NULL) {
        ret->to = parley_directory_by_sub(d->http->directory, ret->sub);
    }

    if (!parley_attempt_may(job, over)) {
        return -1;
    }

    if (ret->to == NULL || ret->to->deliver.len == 0
        || parley_url_parse(ret->to->deliver, &ret->url) != NULL
        || ret->url.dials
        || !parley_hosts_have(d->http->deliver_hosts, ret->url.host,
                              ret->url.port))
    {
        parley_delivery_over(over, PARLEY_JOB_GIVEN_UP,
                             "the recipient has no allowed URL now");
        return -1;
    }

    revoked = parley_settings_revocations(d->http);

    if (parley_revocations_principal(revoked, ret->sub)
        || (ret->publication.sender.len > 0
            && parley_revocations_principal(revoked,
                                            ret->publication.sender)))
    {
        parley_delivery_over(over, PARLEY_JOB_GIVEN_UP,
                             "the recipient or the sender is revoked");
        return -1;
    }

    return 0;
}


/* No connection of the recipient had the message in time. */

static void
parley_delivery_awaited(const parley_render_t *d, const parley_taken_t *job,
    parley_delivery_t *ret, parley_attempted_t *over)
{
    ret->to = parley_address_owner(d->http->directory, ret->sub);

    if (ret->to != NULL) {
        ret->sub = ret->to->sub;
    }

    if (job->gone) {
        parley_delivery_over(over, PARLEY_JOB_GIVEN_UP,
                             "the message was erased or has expired");

    } else if (job->left > 0) {
        parley_delivery_over(over, PARLEY_JOB_AGAIN,
                             "the recipient may connect in time");
        over->after = job->left;

    } else {
        parley_delivery_over(over, PARLEY_JOB_GIVEN_UP,
                             "no connection of the recipient took the message "
                             "in time");
    }
}


static int
parley_delivery_over(parley_attempted_t *over, parley_job_how_t how,
    const char *why)
{
    over->how = how;
    over->why = why;

    return 0;
}


void
parley_delivery_came(const parley_render_t *d, const parley_taken_t *job,
    parley_delivery_t *delivery, int status, parley_str_t body, int whole,
    int64_t wait_ms, parley_arena_t *arena, parley_attempted_t *ret)
{
    parley_answer_t       *answer;
    parley_json_limits_t   limits;
    parley_attempt_came_t  came;

    memset(&came, 0, sizeof(parley_attempt_came_t));
    parley_error_clear(&delivery->err);

    came.status = status;
    came.wait_ms = wait_ms;

    answer = status == 0 ? NULL
             : parley_arena_calloc(arena, sizeof(parley_answer_t));

    if (status != 0 && answer == NULL) {
        came.lacks = 1;

    } else if (status != 0 && whole && body.len <= PARLEY_ATTEMPT_ANSWER) {

        limits = parley_json_limits_default;
        limits.octets = PARLEY_ATTEMPT_ANSWER;

        if (parley_delivery_read(d, delivery, &limits, status, body, arena,
                                 answer)
            == 0)
        {
            came.answer = answer;

        } else {
            came.lacks = delivery->err.code == PARLEY_E_CAPACITY;
        }
    }

    if (!came.lacks || status >= 300) {
        parley_delivery_said(came.answer, status, &delivery->err);
    }

    parley_attempt_came(job, &came, ret);
}


/*
 * Reads an answer.  That to a view is a response as by POST: without one the
 * recipient has not answered (C2A-31).  Returns 0, or -1 with delivery->err.
 */

static int
parley_delivery_read(const parley_render_t *d, parley_delivery_t *delivery,
    const parley_json_limits_t *limits, int status, parley_str_t body,
    parley_arena_t *arena, parley_answer_t *answer)
{
    parley_msg_t          msg;
    parley_chat_call_t    call;
    const parley_chat_t  *chat;

    if (delivery->publication.views.len == 0) {
        return parley_answer_decode(d->engine, arena, delivery->speaks,
                                    &delivery->sent, status, body, limits,
                                    d->seed, answer, &delivery->err);
    }

    chat = parley_codecs[delivery->speaks]->chat;
    memset(&msg, 0, sizeof(parley_msg_t));

    if (parley_json_read(&answer->doc, arena, limits, d->seed, body,
                         &delivery->err)
        == 0
        && chat->decode(d->engine, arena, &answer->doc, &msg, &delivery->err)
           == 0
        && chat->call(arena, &answer->doc, &call, &delivery->err) == 0
        && call.kind == PARLEY_CHAT_CALL_RESPONSE
        && parley_delivery_answers(delivery, &call)
        && (status < 300 || call.outcome != PARLEY_CHAT_ACCEPTED))
    {
        delivery->outcome = call.outcome;

    } else if (delivery->err.code == PARLEY_E_CAPACITY) {
        return -1;
    }

    answer->kind = delivery->outcome == PARLEY_CHAT_ACCEPTED
                   ? PARLEY_ANSWER_TAKEN : PARLEY_ANSWER_REFUSED;
    answer->retryable = delivery->outcome == PARLEY_CHAT_RETRY;

    return 0;
}


/* Returns whether a response is that to the request.  An error may have no id
   if the recipient could not read it. */

static inline int
parley_delivery_answers(const parley_delivery_t *delivery,
    const parley_chat_call_t *call)
{
    return parley_str_eq(call->offer.id, delivery->publication.id)
           || (call->outcome != PARLEY_CHAT_ACCEPTED
               && parley_str_is(call->request, "null"));
}


/* Sets the error for the log: the status and the code of the answer. */

static void
parley_delivery_said(const parley_answer_t *answer, int status,
    parley_error_t *err)
{
    size_t        i;
    parley_str_t  code;

    code = answer == NULL ? parley_str_none
           : answer->kind == PARLEY_ANSWER_MESSAGE ? answer->msg.code
           : answer->code;

    /* a code is logged only if it is one word */

    for (i = 0; i < code.len; i++) {
        if (memchr(PARLEY_DELIVERY_WORD, code.data[i],
                   sizeof(PARLEY_DELIVERY_WORD) - 1)
            == NULL)
        {
            break;
        }
    }

    if (code.len > 0 && i == code.len && i <= PARLEY_DELIVERY_CODE) {
        (void) parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "status %d, %.*s", status, (int) code.len,
                                (const char *) code.data);

    } else if (status >= 300) {
        (void) parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "status %d", status);
    }
}


void
parley_delivery_line(const parley_delivery_t *delivery,
    const parley_taken_t *job, parley_job_how_t how,
    parley_audit_delivery_t *ret)
{
    static const parley_str_t  outcomes[PARLEY_JOB_ENDS] = {
        [PARLEY_JOB_DELIVERED] = parley_str("delivered"),
        [PARLEY_JOB_REFUSED] = parley_str("refused"),
        [PARLEY_JOB_GIVEN_UP] = parley_str("given-up"),
        [PARLEY_JOB_DONE] = parley_str("done")
    };

    memset(ret, 0, sizeof(parley_audit_delivery_t));

    ret->id = delivery->publication.id;
    ret->principal = delivery->publication.sender;
    ret->recipient = delivery->sub;
    ret->outcome = outcomes[how];
    ret->why = delivery->why != NULL ? parley_str_c(delivery->why)
                                     : parley_str_none;

    /* if the process of the last attempt ended, the job is taken once more */

    ret->attempts = job->attempt < PARLEY_ATTEMPTS ? job->attempt
                                                   : PARLEY_ATTEMPTS;
}
