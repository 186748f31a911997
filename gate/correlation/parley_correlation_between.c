/* The parties of a reply and of its question (SEC-08). */

#include "translate/channel/parley_channel_scope.h"
#include "gate/correlation/parley_correlation_parts.h"
#include "translate/parley_engine.h"
#include "auth/parley_membership.h"
#include "translate/parley_name.h"
#include "gate/correlation/parley_question_raised.h"


static int parley_correlation_is_between_others(
    const parley_correlation_t *r, const parley_question_t *q,
    const parley_correlation_name_t *name, int above);
static int parley_correlation_is_of(const parley_correlation_t *r,
    const parley_question_t *q, parley_proto_t proto, parley_str_t group);
static int parley_correlation_is_to_group(const parley_correlation_t *r,
    const parley_question_t *q);
static int parley_correlation_is_elsewhere(const parley_correlation_t *r,
    const parley_question_t *q);
static int parley_correlation_is(const parley_correlation_t *r,
    parley_str_t name, parley_proto_t proto, parley_str_t other);


int
parley_correlation_is_answer(const parley_msg_t *m)
{
    return m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE
           || m->act == PARLEY_ACT_PROGRESS;
}


/*
 * The reply goes to the protocol of the question, comes from the recipient of
 * the question, and goes to its sender.  Each member of a group may answer a
 * question to the group.
 */

int
parley_correlation_is_between(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name,
    int above)
{
    parley_str_t         to, recipient;
    parley_proto_t       proto;
    const parley_msg_t  *reply;

    reply = r->msg;
    proto = (parley_proto_t) q->head.proto;
    recipient = q->texts[PARLEY_QUESTION_RECIPIENT];

    if (name->own && reply->wire != proto) {
        return parley_correlation_is_between_others(r, q, name, above);
    }

    to = name->own ? recipient : q->texts[PARLEY_QUESTION_SENT_TO];

    if (proto != r->speak && reply->wire != r->speak && !r->published) {
        return 0;
    }

    if (reply->names.len > 0
        && !parley_str_eq(reply->names, q->texts[PARLEY_QUESTION_ID])
        && !parley_str_eq(reply->names, q->texts[PARLEY_QUESTION_SENT_ID]))
    {
        return 0;
    }

    if (!parley_str_eq(reply->sender, to)
        && !parley_correlation_is_of(r, q, proto, recipient)
        && !above)
    {
        return 0;
    }

    return parley_correlation_is_elsewhere(r, q)
           || reply->recipient.len == 0 || name->told.len == 0
           || parley_correlation_is_to_group(r, q)
           || parley_correlation_is_dm(r, q, name->corr)
           || parley_str_eq(reply->recipient, name->told);
}


/*
 * Returns whether a reply in a further protocol, in which the parties of the
 * question have other names, is between them.
 */

static int
parley_correlation_is_between_others(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name,
    int above)
{
    parley_str_t         recipient;
    parley_proto_t       proto;
    const parley_msg_t  *reply;

    reply = r->msg;
    proto = (parley_proto_t) q->head.proto;
    recipient = q->texts[PARLEY_QUESTION_RECIPIENT];

    return r->published
           && (parley_correlation_is(r, reply->sender, proto, recipient)
               || parley_correlation_is_of(r, q, proto, recipient)
               || above)
           && (parley_correlation_is_elsewhere(r, q)
               || reply->recipient.len == 0
               || parley_correlation_is_to_group(r, q)
               || parley_correlation_is_dm(r, q, name->corr)
               || parley_str_eq(reply->recipient, name->told)
               || parley_correlation_is(r, reply->recipient, proto,
                                        q->texts[PARLEY_QUESTION_SENDER]));
}


/* a reply that is found by its correlation has the correlation of its
   question */

int
parley_correlation_is_there(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name)
{
    const parley_msg_t  *reply;

    reply = r->msg;

    return reply->corr.len == 0 || name->corr.len == 0
           || (name->own && reply->wire != q->head.proto
               && parley_codecs[reply->wire]->replies_by_corr)
           || parley_engine_correlates(reply, name->corr);
}


/*
 * Returns whether the sender of the reply belongs to the group that got the
 * question.  A service decides this itself.  A publication goes to members of
 * an organisation, which are known.
 */

static int
parley_correlation_is_of(const parley_correlation_t *r,
    const parley_question_t *q, parley_proto_t proto, parley_str_t group)
{
    parley_str_t            handle;
    parley_channel_scope_t  scope;

    if (!r->published) {
        return parley_name_is_group(proto, group);
    }

    if (!parley_name_is_group(proto, group) && !q->head.several) {
        return 0;
    }

    return r->who->principal != NULL
           && parley_correlation_map(r, proto, group, PARLEY_PROTO_STREAMS,
                                     &handle)
              == 0
           && parley_channel_scope_parse(handle, &scope) == 0
           && parley_membership_has(&r->who->principal->orgs, scope.handle);
}


/*
 * An escalation that its parent does not acknowledge goes to the principals
 * above, one after the other (VCP 6.2).  A principal that did not get it yet
 * cannot acknowledge or refuse it (VCP-30).
 */

int
parley_correlation_is_above(const parley_correlation_t *r,
    const parley_question_t *q, const parley_record_id_t *id)
{
    parley_str_t               by;
    const parley_principal_t  *p, *parent;

    by = parley_who_proven(r->who);

    if (!q->head.escalates || by.len == 0 || r->who->directory == NULL) {
        return 0;
    }

    p = parley_directory_by_name(r->who->directory,
                                 (parley_namespace_t) q->head.proto,
                                 q->texts[PARLEY_QUESTION_SENDER]);

    parent = p != NULL ? p->above : NULL;

    for (p = parent; p != NULL; p = p->above) {
        if (parley_str_eq(p->sub, by)) {
            return p == parent ? 1
                   : parley_question_has_asked(r->ask, id, by);
        }
    }

    return 0;
}


/*
 * Returns whether the reply may go to a group instead of the asker.  A
 * publication to a group does not reach the asker, so this requires a question
 * to several.
 */

static int
parley_correlation_is_to_group(const parley_correlation_t *r,
    const parley_question_t *q)
{
    return (!r->published || q->head.several)
           && parley_name_is_group(r->msg->wire, r->msg->recipient);
}


/* The sessions of one recipient may count as several responders. */

int
parley_correlation_is_dm(const parley_correlation_t *r,
    const parley_question_t *q, parley_str_t corr)
{
    return r->published && r->msg->dm
           && (!q->head.several || q->head.sessions)
           && !parley_name_is_group((parley_proto_t) q->head.proto,
                                    q->texts[PARLEY_QUESTION_RECIPIENT])
           && parley_engine_correlates(r->msg, corr);
}


/* Returns whether the reply is an answer, and the question names a scope for
   its answers (ACH-31).  Any other reply goes to the asker. */

static int
parley_correlation_is_elsewhere(const parley_correlation_t *r,
    const parley_question_t *q)
{
    return q->texts[PARLEY_QUESTION_SCOPE].len > 0
           && parley_correlation_is_answer(r->msg);
}


/* Returns whether a name in the reply's protocol maps to another name. */

static int
parley_correlation_is(const parley_correlation_t *r, parley_str_t name,
    parley_proto_t proto, parley_str_t other)
{
    parley_str_t  mapped;

    return other.len > 0
           && parley_who_resolve(r->who, r->msg->wire, name, proto, &mapped)
              == 1
           && parley_str_eq(mapped, other);
}


int
parley_correlation_map(const parley_correlation_t *r, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret)
{
    *ret = name;

    return from == to
           || parley_who_resolve(r->who, from, name, to, ret) == 1
           || parley_name_map(r->arena, from, name, to, ret) == 0 ? 0 : -1;
}
