#include "t/unit/parley_test_pair.h"

#include "translate/parley_embed.h"

#include <stdarg.h>


static int parley_test_pair_read(parley_test_pair_t *pair,
    parley_proto_t proto, parley_str_t text, parley_test_message_t *m,
    parley_error_t *err);
static void parley_test_pair_names(parley_test_pair_t *pair);
static void parley_test_pair_opts(parley_test_pair_t *pair, int back,
    parley_encode_opts_t *opts);
static int parley_test_pair_encode(parley_test_pair_t *pair,
    parley_proto_t to, const parley_msg_t *m, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);
static int parley_test_pair_unsaid(parley_test_pair_t *pair,
    const parley_error_t *err);
static int parley_test_pair_made(parley_test_pair_t *pair,
    parley_test_message_t *there);
static int parley_test_pair_meaning(parley_test_pair_t *pair,
    const parley_test_message_t *there);
static int parley_test_pair_around(parley_test_pair_t *pair,
    const parley_test_message_t *there);
static int parley_test_pair_back(parley_test_pair_t *pair,
    const parley_test_message_t *there);


parley_test_pair_result_t
parley_test_pair_broken(parley_test_pair_t *pair, const char *promise,
    const char *format, ...)
{
    va_list  args;

    pair->failed = promise;

    va_start(args, format);
    vsnprintf(pair->what, sizeof(pair->what), format, args);
    va_end(args);

    return PARLEY_TEST_PAIR_FAILED;
}


parley_test_pair_result_t
parley_test_pair(parley_test_pair_t *pair, parley_str_t text)
{
    parley_test_message_t  there;
    int                  (*spelling)(const parley_json_t *doc,
                              parley_error_t *err);

    pair->failed = NULL;
    pair->what[0] = '\0';
    parley_loss_init(&pair->loss, pair->arena);
    memset(pair->names, 0, sizeof(pair->names));

    if (parley_test_pair_read(pair, pair->from, text, &pair->m, &pair->err)
        != 0)
    {
        return PARLEY_TEST_PAIR_REFUSED;
    }

    /* a gateway refuses a member that differs from another by case only */

    spelling = parley_codecs[pair->from]->spelling;

    if (spelling != NULL && spelling(&pair->m.doc, &pair->err) != 0) {
        return PARLEY_TEST_PAIR_UNSAID;
    }

    parley_test_pair_names(pair);

    if (parley_test_pair_encode(pair, pair->to, &pair->m.msg, &pair->made,
                                &pair->loss, &pair->err)
        != 0)
    {
        return pair->failed != NULL
               || parley_test_pair_unsaid(pair, &pair->err) != 0
               ? PARLEY_TEST_PAIR_FAILED : PARLEY_TEST_PAIR_UNSAID;
    }

    if (parley_test_pair_made(pair, &there) != 0
        || parley_test_pair_meaning(pair, &there) != 0
        || parley_test_pair_home(pair, &there) != 0
        || parley_test_pair_nested(pair, &there) != 0
        || parley_test_pair_back(pair, &there) != 0)
    {
        return PARLEY_TEST_PAIR_FAILED;
    }

    return PARLEY_TEST_PAIR_SAID;
}


static parley_str_t
parley_test_pair_text(const parley_json_t *doc, uint32_t value)
{
    parley_str_t  text;

    assert_int_equal(parley_msg_string(doc, value, &text), 0);

    return text;
}


/* Returns the name of a principal's session, by the syntax of its name. */

static parley_str_t
parley_test_pair_session_name(parley_test_pair_t *pair, parley_str_t name)
{
    parley_str_t  own;

    return parley_name_map(pair->arena, pair->from, name, PARLEY_PROTO_MOQ,
                           &own)
           == 0 ? own : parley_str_none;
}


/* Reads a message, submitted by a principal that may send it. */

static int
parley_test_pair_read(parley_test_pair_t *pair, parley_proto_t proto,
    parley_str_t text, parley_test_message_t *m, parley_error_t *err)
{
    uint32_t             value;
    const uint8_t       *at;
    parley_submission_t  submission;

    static const parley_str_t  scopes[] = {
        parley_str(""), parley_str(""), parley_str("/*"),
        parley_str("/cc-m@s:1"), parley_str("/members/*"),
        parley_str("/members/ops/*"), parley_str("/grant:a.b"),
    };

    if (parley_test_read(pair->arena, proto, text, 0, m, err) != 0) {
        return -1;
    }

    memset(&submission, 0, sizeof(submission));

    submission.ms = PARLEY_TEST_NOW;
    submission.sender = pair->names[0][proto];
    submission.recipient = pair->names[1][proto];
    submission.session = PARLEY_STR("00000000000000a1");
    submission.stream = 7;

    if (submission.sender.len == 0) {
        submission.sender = proto != PARLEY_PROTO_MOQ
                            ? PARLEY_STR("agent:caller")
                            : m == &pair->m
                            ? PARLEY_STR("agent.caller")
                            : parley_test_pair_session_name(pair,
                                                       pair->m.msg.sender);
    }

    if (submission.recipient.len == 0) {
        submission.recipient = proto != PARLEY_PROTO_MOQ
                               ? PARLEY_STR("agent:lead")
                               : m == &pair->m
                               ? PARLEY_STR("agent.lead")
                               : parley_test_pair_session_name(pair,
                                                       pair->m.msg.recipient);
    }

    if (proto == PARLEY_PROTO_CHANNEL) {
        value = parley_json_get(&m->doc, 0, PARLEY_STR("drafted_with"));
        submission.instrument = parley_test_pair_text(&m->doc, value);
        value = parley_json_get(&m->doc, 0, PARLEY_STR("acted_by"));
        submission.human = parley_test_pair_text(&m->doc, value);

        value = (uint32_t) (pair->variant >> 8) % 7;

        if (m == &pair->m && value > 1) {
            parley_buf_t  b;

            parley_buf_init(&b, pair->arena, 80);
            parley_buf_str(&b, value == 6 ? PARLEY_STR("accord:")
                               : value > 3 ? PARLEY_STR("org:")
                                           : PARLEY_STR(""));
            parley_buf_str(&b, m->msg.recipient);
            parley_buf_str(&b, scopes[value]);
            assert_int_equal(parley_buf_done(&b, &submission.scope), 0);
        }

        if (m != &pair->m) {
            submission.scope = pair->made.scope;
        }
    }

    at = submission.instrument.len > 0
         ? memchr(submission.instrument.data, '@', submission.instrument.len)
         : NULL;

    if (at != NULL) {
        submission.instrument.len = (size_t) (at
                                              - submission.instrument.data);
    }

    return parley_submit(pair->arena, &m->msg, &submission, err);
}


/*
 * Makes the directory.  Most configurations list both principals, by their own
 * names and by names that are valid everywhere; in the others the syntax
 * decides.
 */

static void
parley_test_pair_names(parley_test_pair_t *pair)
{
    unsigned             i, p;
    uint32_t             value;
    parley_str_t         own;
    const parley_msg_t  *m = &pair->m.msg;

    static const parley_str_t  names[2][PARLEY_PROTO_COUNT] = {
        { parley_str("agent.one"), parley_str("agent://p/one"),
          parley_str("agent://p/one"), parley_str("agent:one@p"),
          parley_str("~cc-one"), parley_str("sub-one") },
        { parley_str("agent.two"), parley_str("agent://p/two"),
          parley_str("agent://p/two"), parley_str("agent:two@p"),
          parley_str("~cc-two"), parley_str("sub-two") },
    };

    pair->human = PARLEY_STR("~alice");
    pair->instrument = PARLEY_STR("~cc-model@1.0");

    if (pair->from == PARLEY_PROTO_CHANNEL) {
        value = parley_json_get(&pair->m.doc, 0, PARLEY_STR("acted_by"));
        pair->human = parley_test_pair_text(&pair->m.doc, value);
        value = parley_json_get(&pair->m.doc, 0, PARLEY_STR("drafted_with"));
        pair->instrument = parley_test_pair_text(&pair->m.doc, value);
    }

    if (pair->variant % 4 == 0) {
        return;
    }

    for (i = 0; i < 2; i++) {
        own = i == 0 ? m->sender : m->recipient;

        if (own.len == 0 || parley_name_is_group(pair->from, own)) {
            continue;
        }

        for (p = 0; p < PARLEY_PROTO_COUNT; p++) {
            pair->names[i][p] = names[i][p];
        }

        for (p = 0; p < PARLEY_PROTO_COUNT; p++) {
            if (parley_str_eq(parley_proto_member((parley_proto_t) p),
                              parley_proto_member(pair->from)))
            {
                pair->names[i][p] = own;
            }
        }
    }
}


static int
parley_test_pair_resolve(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    unsigned                   i;
    const parley_test_pair_t  *pair = ctx;

    for (i = 0; i < 2; i++) {
        if (pair->names[i][from].len > 0
            && parley_str_eq(pair->names[i][from], name))
        {
            *ret = pair->names[i][to];
            return 1;
        }
    }

    return 0;
}


static void
parley_test_pair_attribute(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    const parley_test_pair_t  *pair = ctx;

    (void) proto;
    (void) name;

    *ret_human = pair->human;
    *ret_instrument = pair->instrument;
}


static void
parley_test_pair_opts(parley_test_pair_t *pair, int back,
    parley_encode_opts_t *opts)
{
    const parley_msg_t  *m = &pair->m.msg;

    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = PARLEY_STR("service.parley");
    opts->resolve = parley_test_pair_resolve;
    opts->attribute = parley_test_pair_attribute;
    opts->resolve_ctx = pair;

    if (pair->variant & 0x10) {
        opts->context = PARLEY_STR("configured \"context\"");
    }

    if (pair->variant & 0x20) {
        opts->constitution = PARLEY_STR("creed://a/b@1");
    }

    if ((pair->variant & 0x40)
        && parley_name_map(pair->arena, pair->from, m->recipient,
                           PARLEY_PROTO_AEE, &opts->broadcast)
           != 0)
    {
        opts->broadcast = parley_str_none;
    }

    /* the header of the request was forwarded */

    if (back && parley_trace_is_valid(m->trace_id, m->span_id)) {
        opts->trace_id = m->trace_id;
        opts->span_id = m->span_id;
    }
}


static int
parley_test_pair_encode(parley_test_pair_t *pair, parley_proto_t to,
    const parley_msg_t *m, parley_encoded_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    int                    rc, again;
    uint32_t               i;
    parley_loss_t          lost;
    parley_error_t         other;
    parley_encoded_t       twin;
    parley_encode_opts_t   opts;

    parley_test_pair_opts(pair, to != pair->to, &opts);
    parley_loss_init(&lost, pair->arena);

    rc = parley_encode(parley_test_engine(), pair->arena, to, m, &opts, ret,
                       loss, err);
    again = parley_encode(parley_test_engine(), pair->arena, to, m, &opts,
                          &twin, &lost, &other);

    if (rc != again
        || (rc != 0 && (err->code != other.code
                        || strcmp(err->field, other.field) != 0)))
    {
        return parley_test_pair_broken(pair, "deterministic errors", "%s, %s",
                                       err->text, other.text);
    }

    if (rc != 0) {
        return -1;
    }

    if (!parley_str_eq(ret->body, twin.body)
        || !parley_str_eq(ret->id, twin.id)
        || !parley_str_eq(ret->corr, twin.corr)
        || !parley_str_eq(ret->scope, twin.scope)
        || loss->count != lost.count)
    {
        return parley_test_pair_broken(pair, "deterministic", "%s\n%s",
                                       (const char *) ret->body.data,
                                       (const char *) twin.body.data);
    }

    for (i = 0; i < loss->nitems; i++) {
        if (!parley_str_eq(loss->items[i], lost.items[i])) {
            return parley_test_pair_broken(pair, "deterministic loss", "%u",
                                           (unsigned) i);
        }
    }

    return 0;
}


/*
 * Checks the error for a message without an equivalent: it must name the
 * member and have a text.
 */

static int
parley_test_pair_unsaid(parley_test_pair_t *pair, const parley_error_t *err)
{
    char   parent[PARLEY_POINTER_MAX];
    char  *slash;

    if (err->code != PARLEY_E_TRANSLATION_UNSUPPORTED
        && err->code != PARLEY_E_IDENTITY_UNMAPPABLE
        && err->code != PARLEY_E_REPLY_UNMATCHED
        && err->code != PARLEY_E_SENDER_IDENTITY_MISMATCH)
    {
        return parley_test_pair_broken(pair, "unsaid by a code", "%s %s",
                   (const char *) parley_error_info(err->code)->word.data,
                   err->text);
    }

    snprintf(parent, sizeof(parent), "%s", err->field);
    slash = strrchr(parent, '/');

    if (slash != NULL) {
        *slash = '\0';
    }

    /* no member has the recipient of a reaction, or the sender of a command */

    if (err->code == PARLEY_E_IDENTITY_UNMAPPABLE
        && ((pair->from == PARLEY_PROTO_MOQ && err->field[0] == '\0')
            || (pair->from == PARLEY_PROTO_C2A
                && !parley_str_is(pair->m.msg.form, "chat.deliver"))))
    {
        return 0;
    }

    /* a command may have no payload */

    if (pair->from == PARLEY_PROTO_MOQ && strcmp(parent, "/payload") == 0) {
        parent[0] = '\0';
    }

    /* the parent of a missing member exists */

    if (err->text[0] == '\0' || err->field[0] == '\0'
        || (strchr(err->field, '?') == NULL     /* unprintable name */
            && parley_json_resolve(&pair->m.doc, 0, parley_str_c(err->field))
            == PARLEY_JSON_NONE
            && parley_json_resolve(&pair->m.doc, 0, parley_str_c(parent))
               == PARLEY_JSON_NONE))
    {
        return parley_test_pair_broken(pair, "unsaid names a member",
                   "%s \"%s\" %s",
                   (const char *) parley_error_info(err->code)->word.data,
                   err->field, err->text);
    }

    return 0;
}


static int
parley_test_pair_knocks(const parley_test_message_t *m)
{
    return m->msg.wire == PARLEY_PROTO_C2A
           && parley_json_resolve(&m->doc, 0, PARLEY_STR("/params/knock"))
              != PARLEY_JSON_NONE;
}


static int
parley_test_pair_made(parley_test_pair_t *pair, parley_test_message_t *there)
{
    parley_error_t       err;
    const parley_msg_t  *msg = &there->msg;

    if (parley_test_pair_read(pair, pair->to, pair->made.body, there, &err)
        != 0)
    {
        return parley_test_pair_broken(pair, "the output is valid",
                                       "%s %s of %s", err.field, err.text,
                                       (const char *) pair->made.body.data);
    }

    pair->held = there->msg.held;
    pair->knock = parley_test_pair_knocks(there);

    if (parley_detect(&there->doc, PARLEY_PROTO_BIT(PARLEY_PROTO_COUNT) - 1)
        != pair->to)
    {
        return parley_test_pair_broken(pair, "the output is found out", "%s",
                                       (const char *) pair->made.body.data);
    }

    /* the id of a command also depends on the session */

    if (pair->to != PARLEY_PROTO_MOQ
        && (!parley_str_eq(msg->id, pair->made.id)
            || !parley_engine_correlates(msg, pair->made.corr)))
    {
        return parley_test_pair_broken(pair, "the ids are as promised", "%s",
                                       (const char *) pair->made.body.data);
    }

    if (msg->sig.present) {
        return parley_test_pair_broken(pair, "no signature survives", "%s",
                                       (const char *) pair->made.body.data);
    }

    return 0;
}


/*
 * Checks that the members that a service decides by are equal in the target,
 * also for a carried message and a message in the text of a frame.
 */

static int
parley_test_pair_meaning(parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    parley_msg_t         origin;
    const parley_msg_t  *m = &pair->m.msg;

    parley_msg_release(&there->msg, &origin);

    if (parley_embed_kin(pair->to) == PARLEY_PROTO_VCP || pair->knock
        || m->origin != pair->from
        || origin.origin != pair->from)
    {
        return 0;
    }

    if (origin.act != m->act
        || !parley_str_eq(origin.intent, m->intent)
        || origin.priority != m->priority
        || origin.timeout_ms != m->timeout_ms
        || (origin.alarm != m->alarm && m->act != PARLEY_ACT_FAILURE)
        || !parley_str_eq(origin.code, m->code)
        || origin.retryable != m->retryable)
    {
        return parley_test_pair_broken(pair, "it means the same there",
                   "%.*s: act %d, %d, priority %d, %d, alarm %d, %d, "
                   "deadline %lld, %lld: %s", (int) origin.form.len,
                   (const char *) origin.form.data, m->act, origin.act,
                   m->priority, origin.priority, m->alarm, origin.alarm,
                   (long long) m->timeout_ms, (long long) origin.timeout_ms,
                   (const char *) pair->made.body.data);
    }

    return 0;
}


/*
 * Returns whether the only loss is the session.  It is not a member of its
 * command: the target has it as the correlation, which does not go back.
 */

static int
parley_test_pair_session(const parley_test_pair_t *pair,
    const parley_loss_t *loss)
{
    uint32_t               i;
    const parley_codec_t  *codec = parley_codecs[pair->to];

    if (pair->from != PARLEY_PROTO_MOQ
        || parley_json_get(&pair->m.doc, 0, PARLEY_STR("session_id"))
           != PARLEY_JSON_NONE)
    {
        return 0;
    }

    for (i = 0; i < loss->nitems; i++) {
        if (!parley_str_eq(loss->items[i],
                           parley_str_c(codec->pointers[PARLEY_MSG_CORR]))
            && !parley_str_eq(loss->items[i],
                       parley_str_c(codec->pointers[PARLEY_MSG_REPLY_TO])))
        {
            return 0;
        }
    }

    return 1;
}


/*
 * Returns whether the message may come back in part.  A knock withholds the
 * message.  A container that no gateway made may have contents that are not a
 * message.  MoQ has no command for the escalation that reports a failure.
 */

static int
parley_test_pair_partly(const parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    return (pair->knock && pair->loss.count > 0)
           || pair->m.msg.origin != pair->from
           || (pair->from == PARLEY_PROTO_MOQ
               && there->msg.act == PARLEY_ACT_EVENT);
}


static int
parley_test_pair_back(parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    parley_loss_t          none;
    parley_error_t         err;
    parley_encoded_t       made;
    parley_test_message_t  back;

    parley_loss_init(&none, pair->arena);

    if (parley_test_pair_encode(pair, pair->from, &there->msg, &made, &none,
                                &err)
        != 0)
    {
        return pair->failed != NULL
               ? -1
               : parley_test_pair_partly(pair, there)
               ? 0
               : parley_test_pair_broken(pair, "there is a way back",
                                         "%s %s of %s", err.field, err.text,
                                         (const char *)
                                         pair->made.body.data);
    }

    if (parley_test_pair_read(pair, pair->from, made.body, &back, &err) != 0) {
        return parley_test_pair_broken(pair, "what comes back is valid",
                                       "%s %s of %s", err.field, err.text,
                                       (const char *) made.body.data);
    }

    if (none.count != 0 && !pair->knock
        && pair->m.msg.origin == pair->from
        && !parley_test_pair_session(pair, &none))
    {
        return parley_test_pair_broken(pair, "nothing is lost on the way back",
                   "%s of %s",
                   (const char *) parley_test_loss(pair->arena, &none).data,
                   (const char *) pair->made.body.data);
    }

    return parley_test_pair_compare(pair, &back) == 0
           && parley_test_pair_around(pair, there) == 0
           ? 0 : -1;
}


/*
 * Checks that a message that passes AEE and C2A, in either order, is the same
 * as after the first of them.
 */

static int
parley_test_pair_around(parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    parley_loss_t          loss, home;
    parley_error_t         err;
    parley_proto_t         third;
    parley_encoded_t       made;
    parley_test_message_t  m;

    if ((parley_embed_kin(pair->from) != PARLEY_PROTO_VCP
         && pair->from != PARLEY_PROTO_CHANNEL)
        || (pair->to != PARLEY_PROTO_AEE && pair->to != PARLEY_PROTO_C2A)
        || pair->knock || pair->variant % 4 > 1)
    {
        return 0;
    }

    third = pair->to == PARLEY_PROTO_AEE ? PARLEY_PROTO_C2A
                                         : PARLEY_PROTO_AEE;

    parley_loss_init(&loss, pair->arena);
    parley_loss_init(&home, pair->arena);

    if (parley_test_pair_encode(pair, third, &there->msg, &made, &loss, &err)
        != 0
        || parley_test_pair_read(pair, third, made.body, &m, &err) != 0)
    {
        return pair->failed != NULL
               ? -1
               : parley_test_pair_broken(pair, "there is a way on", "%s %s",
                                         err.field, err.text);
    }

    if (parley_test_pair_knocks(&m)) {
        return 0;
    }

    if (parley_test_pair_encode(pair, pair->from, &m.msg, &made, &home, &err)
        != 0
        || parley_test_pair_read(pair, pair->from, made.body, &m, &err) != 0)
    {
        return pair->failed != NULL
               ? -1
               : parley_test_pair_broken(pair, "there is a way around",
                                         "%s %s", err.field, err.text);
    }

    if (loss.count + home.count != 0) {
        return parley_test_pair_broken(pair, "nothing is lost on the way "
                                       "around", "%s", (const char *)
                                       parley_test_loss(pair->arena,
                                                        &loss).data);
    }

    return parley_test_pair_compare(pair, &m);
}
