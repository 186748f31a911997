/* Whether a reply is between the parties of a question (SEC-08). */

#include "translate/channel/parley_channel_scope.h"
#include "gate/correlation/parley_correlation_parts.h"
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
 * The reply goes to the protocol that the message came from, comes from whom
 * the message was for and goes to whom it was from.  A message to a group is
 * answered by any of it.
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


/* a reply that is found by its correlation has that of what it answers */

int
parley_correlation_is_there(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name)
{
    const parley_msg_t  *reply;

    reply = r->msg;

    return reply->corr.len == 0 || name->corr.len == 0
           || (name->own && reply->wire != q->head.proto
               && parley_codecs[reply->wire]->replies_by_corr)
           || parley_corr_is(reply, name->corr);
}


/*
 * Whether who replies is of the group that the question was for.  Behind a
 * service that is the service's to say; what is published goes to members of an
 * organisation, and these are known.
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
 * What its parent did not acknowledge went to whoever is above (VCP 6.2), one
 * by one: who was not asked yet neither acknowledges nor refuses it (VCP-30).
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
                   : parley_deadline_has_asked(r->ask, id, by);
        }
    }

    return 0;
}


/* Whether it may go to a group in place of who asked.  What is published to one
   does not come to him: only where several are to answer. */

static int
parley_correlation_is_to_group(const parley_correlation_t *r,
    const parley_question_t *q)
{
    return (!r->published || q->head.several)
           && parley_name_is_group(r->msg->wire, r->msg->recipient);
}


/* Whether its recipient is but the name of the conversation of two in which a
   question of that correlation came: it is for who asked.  Sessions of one may
   be several that answer. */

int
parley_correlation_is_dm(const parley_correlation_t *r,
    const parley_question_t *q, parley_str_t corr)
{
    return r->published && r->msg->dm
           && (!q->head.several || q->head.sessions)
           && !parley_name_is_group((parley_proto_t) q->head.proto,
                                    q->texts[PARLEY_QUESTION_RECIPIENT])
           && parley_corr_is(r->msg, corr);
}


/* Returns whether the reply is an answer, and the question says where these go
   (ACH-31).  Any other reply is for the asker. */

static int
parley_correlation_is_elsewhere(const parley_correlation_t *r,
    const parley_question_t *q)
{
    return q->texts[PARLEY_QUESTION_SCOPE].len > 0
           && parley_correlation_is_answer(r->msg);
}


/* whether a name of the reply's protocol is one of another */

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
