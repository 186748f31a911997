/*
 * Writes the gateway's own errors as valid envelopes, for any kind of failed
 * message (AEE-36).
 */

#include "translate/aee/parley_aee.h"
#include "core/parley_id.h"
#include "translate/parley_name_syntax.h"
#include "core/parley_time.h"


static int parley_aee_is_known(parley_str_t name, size_t min);
static void parley_aee_failure_head(const parley_aee_failure_t *f,
    parley_aee_head_t *head);
static void parley_aee_failure_payload(parley_buf_t *b,
    const parley_aee_failure_t *f);
static int parley_aee_failure_ids(parley_arena_t *arena,
    const parley_aee_failure_t *f, parley_aee_head_t *head);


/* defaults for unknown values */
static const parley_str_t  parley_aee_unknown = parley_str("agent.unknown");
static const parley_str_t  parley_aee_unidentified
    = parley_str("unidentified");
static const parley_str_t  parley_aee_refusal
    = parley_str("aee.ext.parley.refusal");


int
parley_aee_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_msg_t                msg;
    parley_aee_failure_t        f;
    const parley_error_info_t  *info;

    info = parley_error_info(refusal->error->code);

    f.self = refusal->self;
    f.msg = refusal->msg;
    f.code = info->symbol;
    f.message = parley_str_c(refusal->error->text);
    f.field = parley_str_c(refusal->error->field);
    f.retryable = info->retryable && !refusal->error->taken;
    f.backoff_ms = f.retryable ? refusal->backoff_ms : -1;
    f.now_ms = refusal->now_ms;
    f.random = refusal->random;
    f.answer = refusal->first.text;

    if (f.msg == NULL && refusal->doc != NULL) {
        parley_msg_init(&msg, PARLEY_PROTO_AEE, refusal->doc);

        if (parley_aee_peek(&msg) != 0) {
            return -1;
        }

        f.msg = &msg;
    }

    return parley_aee_failure(arena, &f, ret);
}


int
parley_aee_failure(parley_arena_t *arena, const parley_aee_failure_t *f,
    parley_reply_t *ret)
{
    char               ts[PARLEY_TIME_MAX];
    parley_buf_t       b;
    parley_aee_head_t  head;

    parley_aee_failure_head(f, &head);

    (void) parley_time_format(f->now_ms, ts);
    head.ts = parley_str_c(ts);

    if (parley_aee_failure_ids(arena, f, &head) != 0) {
        return -1;
    }

    parley_buf_init(&b, arena, 768);

    parley_aee_head_made(&b, &head);
    parley_aee_failure_payload(&b, f);
    parley_buf_octet(&b, '}');

    ret->content_type = parley_aee_binding.media_type;
    ret->id = head.id;

    return parley_buf_done(&b, &ret->body);
}


/* Fills the head, without ids and time. */

static void
parley_aee_failure_head(const parley_aee_failure_t *f, parley_aee_head_t *head)
{
    const parley_msg_t  *msg;

    msg = f->msg;

    memset(head, 0, sizeof(parley_aee_head_t));

    head->act = PARLEY_ACT_FAILURE;
    head->from = parley_aee_self(f->self);
    head->to = parley_aee_unknown;
    head->intent = parley_aee_refusal;
    head->priority = PARLEY_PRIORITY_NORMAL;
    head->timeout_ms = -1;

    if (msg == NULL) {
        return;
    }

    head->priority = msg->priority;

    if (parley_aee_is_known(msg->sender, 1)) {
        head->to = msg->sender;
    }

    if (parley_aee_is_known(msg->intent, PARLEY_AEE_INTENT_MIN)
        && parley_name_is_whole(msg->intent)
        && !parley_aee_is_reserved(msg->intent))
    {
        head->intent = msg->intent;
    }
}


static void
parley_aee_failure_payload(parley_buf_t *b, const parley_aee_failure_t *f)
{
    parley_buf_lit(b, "{\"code\":");
    parley_buf_json_string(b, f->code);
    parley_buf_lit(b, ",\"message\":");
    parley_buf_json_string(b, f->message);

    if (f->retryable) {
        parley_buf_lit(b, ",\"retryable\":true");

    } else {
        parley_buf_lit(b, ",\"retryable\":false");
    }

    if (f->field.len > 0) {
        parley_buf_lit(b, ",\"field\":");
        parley_buf_json_string(b, f->field);
    }

    if (f->answer.len > 0) {
        parley_buf_lit(b, ",\"answer\":");
        parley_buf_json_string(b, f->answer);
    }

    if (f->backoff_ms >= 0) {
        parley_buf_lit(b, ",\"backoff_ms\":");
        parley_buf_int(b, f->backoff_ms);
    }

    parley_buf_octet(b, '}');
}


int
parley_aee_event(parley_arena_t *arena, const parley_own_event_t *event,
    parley_str_t *ret)
{
    char               ts[PARLEY_TIME_MAX];
    parley_buf_t       b;
    parley_aee_head_t  head;

    memset(&head, 0, sizeof(parley_aee_head_t));

    (void) parley_time_format(event->now_ms, ts);

    head.act = PARLEY_ACT_EVENT;
    head.id = event->id;
    head.ts = parley_str_c(ts);
    head.from = event->from;
    head.to = event->to;
    head.intent = event->intent;
    head.corr = event->id;
    head.priority = PARLEY_PRIORITY_NORMAL;
    head.timeout_ms = -1;

    parley_buf_init(&b, arena, event->payload.len + 512);

    parley_aee_head_made(&b, &head);
    parley_buf_str(&b, event->payload);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret);
}


/* Returns whether an envelope may have this name. */

static int
parley_aee_is_known(parley_str_t name, size_t min)
{
    return !parley_aee_is_short(name, min) && parley_plain_is(name);
}


/*
 * Computes the ids.  A retry of a message that fails in the same way gets the
 * same id (AEE-35).  The id is random if the message has none.
 */

static int
parley_aee_failure_ids(parley_arena_t *arena, const parley_aee_failure_t *f,
    parley_aee_head_t *head)
{
    char                 id[PARLEY_UUID_LEN + 1];
    parley_buf_t         b;
    parley_str_t         purpose;
    const parley_msg_t  *msg;

    msg = f->msg;

    parley_buf_init(&b, arena, f->code.len + 8);
    parley_buf_lit(&b, "error:");
    parley_buf_str(&b, f->code);

    if (parley_buf_done(&b, &purpose) != 0) {
        return -1;
    }

    if (msg != NULL && msg->id.len > 0) {
        if (parley_msg_derive(arena, msg, 8, msg->id, purpose, &head->id)
            != 0)
        {
            return -1;
        }

    } else {
        parley_uuid_random(f->random, id);

        if (parley_arena_str(arena, parley_str_c(id), &head->id) != 0) {
            return -1;
        }
    }

    head->corr = head->id;
    head->reply_to = parley_aee_unidentified;

    if (msg != NULL && parley_aee_is_known(msg->id, PARLEY_AEE_ID_MIN)) {
        head->reply_to = msg->id;
        head->corr = msg->id;
    }

    if (msg != NULL && parley_aee_is_known(msg->corr, PARLEY_AEE_ID_MIN)) {
        head->corr = msg->corr;
    }

    return 0;
}


/* Converts "rate-limited" to AEE's form, "E_RATE_LIMITED". */

int
parley_aee_code(parley_arena_t *arena, parley_str_t word, parley_str_t *ret)
{
    size_t        i;
    uint8_t       c;
    parley_buf_t  b;

    if (word.len == 0) {
        *ret = PARLEY_STR("E_REFUSED");
        return 0;
    }

    if (parley_str_begins(word, "E_")) {
        *ret = word;
        return 0;
    }

    parley_buf_init(&b, arena, word.len + 3);
    parley_buf_lit(&b, "E_");

    for (i = 0; i < word.len; i++) {
        c = word.data[i];

        if (c >= 'a' && c <= 'z') {
            c = (uint8_t) (c - 'a' + 'A');

        } else if ((c < 'A' || c > 'Z') && (c < '0' || c > '9')) {
            c = '_';
        }

        parley_buf_octet(&b, c);
    }

    return parley_buf_done(&b, ret);
}


parley_str_t
parley_aee_self(parley_str_t self)
{
    return self.len > 0 ? self : PARLEY_STR("agent.gateway");
}
