/*
 * Compares the message that came back with the original and the loss report:
 * every member is either equal or reported, never both.
 */

#include "t/unit/parley_test_pair.h"

#include "translate/parley_embed.h"
#include "core/parley_time.h"


#define PARLEY_TEST_LOSS_LONG  4096     /* octets of a reason that is cut */


static int parley_test_loss_compare(parley_test_pair_t *pair,
    const parley_test_message_t *back, uint32_t a, uint32_t b, char *pointer,
    size_t size);


static int
parley_test_loss_names(const parley_test_pair_t *pair, const char *pointer)
{
    uint32_t  i;

    for (i = 0; i < pair->loss.nitems; i++) {
        if (parley_str_eq(pair->loss.items[i], parley_str_c(pointer))) {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns whether a value is absent, null or an empty object: these are equal.
 */

static int
parley_test_loss_nothing(const parley_json_t *doc, uint32_t value)
{
    return value == PARLEY_JSON_NONE
           || parley_json_type(doc, value) == PARLEY_JSON_NULL
           || (parley_json_type(doc, value) == PARLEY_JSON_OBJECT
               && parley_json_node(doc, value)->count == 0);
}


/* Returns whether docs/mapping allows this difference. */

static int
parley_test_loss_excused(const parley_test_pair_t *pair,
    const parley_test_message_t *back, const char *pointer)
{
    int64_t                ms;
    const parley_msg_t    *m = &pair->m.msg;
    const parley_codec_t  *codec = parley_codecs[pair->from];

#define is(p)  ((p) != NULL && strcmp(pointer, (p)) == 0)

    /* the signature was verified, and is never reported */

    if (is(codec->pointers[PARLEY_MSG_SIGNATURE])) {
        return 1;
    }

    /* the id of JSON-RPC belongs to the exchange */

    if (pair->from == PARLEY_PROTO_C2A && is("/id")) {
        return 1;
    }

    /* timestamps come back in UTC */

    if (is(codec->pointers[PARLEY_MSG_CREATED])) {
        return parley_time_parse(m->created, &ms) == 0
               && ms == back->msg.created_ms;
    }

    /* a derived id replaced the id, and the members that repeat it */

    if (is(codec->pointers[PARLEY_MSG_ID])) {
        return parley_str_eq(m->id, back->msg.id)   /* in another case */
               || parley_embed_kin(pair->to) == PARLEY_PROTO_VCP
               || (pair->to == PARLEY_PROTO_CHANNEL && !pair->held);
    }

    if (is(codec->pointers[PARLEY_MSG_CORR])) {
        return parley_str_eq(m->corr, m->id)
               && parley_str_eq(back->msg.corr, back->msg.id);
    }

    /* an empty value is equal to null */

    if (is(codec->pointers[PARLEY_MSG_REPLY_TO])) {
        return m->reply_to.len == 0;
    }

#undef is

    return 0;
}


/* Compares the items of two arrays of equal length. */

static int
parley_test_loss_items(parley_test_pair_t *pair,
    const parley_test_message_t *back, uint32_t a, uint32_t b, char *pointer,
    size_t size)
{
    size_t                len;
    uint32_t              i, k;
    const parley_json_t  *doc = &pair->m.doc;

    len = strlen(pointer);
    k = parley_json_first(b);

    for (i = parley_json_first(a); i != parley_json_end(doc, a);
         i = parley_json_after(doc, i))
    {
        (void) parley_json_pointer(doc, i, pointer, size);

        if (parley_test_loss_compare(pair, back, i, k, pointer, size) != 0) {
            return -1;
        }

        pointer[len] = '\0';
        k = parley_json_after(&back->doc, k);
    }

    return 0;
}


static int
parley_test_loss_compare(parley_test_pair_t *pair,
    const parley_test_message_t *back, uint32_t a, uint32_t b, char *pointer,
    size_t size)
{
    int                   same, lost;
    size_t                len;
    uint32_t              k;
    parley_str_t          name;
    const parley_json_t  *doc = &pair->m.doc;

    same = parley_test_loss_nothing(doc, a)
           || (b != PARLEY_JSON_NONE
               && parley_json_equal((parley_json_ref_t) { doc, a },
                                    (parley_json_ref_t) { &back->doc, b }));

    lost = parley_test_loss_names(pair, pointer);

    /* a member that a knock withholds may come back by chance */

    if (same && lost && !parley_test_loss_nothing(doc, a) && !pair->knock) {
        return parley_test_pair_broken(pair, "what is reported is lost",
                                       "%s comes back: %s", pointer,
                                       (const char *) back->doc.input.data);
    }

    if (lost || same || parley_test_loss_excused(pair, back, pointer)) {
        return 0;
    }

    if (b != PARLEY_JSON_NONE
        && parley_json_type(doc, a) == PARLEY_JSON_ARRAY
        && parley_json_type(&back->doc, b) == PARLEY_JSON_ARRAY
        && parley_json_node(doc, a)->count
           == parley_json_node(&back->doc, b)->count)
    {
        return parley_test_loss_items(pair, back, a, b, pointer, size);
    }

    if (parley_json_type(doc, a) != PARLEY_JSON_OBJECT
        || parley_test_loss_nothing(doc, a)
        || (!parley_test_loss_nothing(&back->doc, b)
            && parley_json_type(&back->doc, b) != PARLEY_JSON_OBJECT))
    {
        return parley_test_pair_broken(pair, "what is lost is reported",
                                       "%s: %s\n%s", pointer,
                                       (const char *) pair->made.body.data,
                                       (const char *) back->doc.input.data);
    }

    len = strlen(pointer);

    for (k = parley_json_first(a); k != parley_json_end(doc, a);
         k = parley_json_after(doc, k + 1))
    {
        (void) parley_json_pointer(doc, k, pointer, size);

        if (parley_json_string(doc, k, &name) != 0
            || parley_test_loss_compare(pair, back, k + 1,
                                        parley_json_get(&back->doc, b, name),
                                        pointer, size)
               != 0)
        {
            return -1;
        }

        pointer[len] = '\0';
    }

    return 0;
}


/*
 * Returns whether VCP has a new escalation in place of the message, for a
 * failure, a trouble or a reply.  Then another message comes back.
 */

static int
parley_test_loss_anew(const parley_test_pair_t *pair)
{
    const parley_msg_t  *m = &pair->m.msg;

    return parley_embed_kin(pair->to) == PARLEY_PROTO_VCP
           && parley_embed_kin(pair->from) != PARLEY_PROTO_VCP
           && (m->act == PARLEY_ACT_FAILURE || m->act == PARLEY_ACT_REPLY
               || !parley_str_begins(m->intent, "vcp."));
}


/*
 * Checks that VCP has the text of an AEE error and that the rest is reported.
 */

static int
parley_test_loss_error(parley_test_pair_t *pair)
{
    int                        said;
    char                       pointer[64];
    unsigned                   i;
    uint32_t                   value, message;
    const parley_json_t       *doc = &pair->m.doc;
    const parley_json_node_t  *node;

    static const char *const  members[] = {
        "code", "message", "retryable", "text", "backoff_ms", "references"
    };

    message = parley_json_resolve(doc, 0, PARLEY_STR("/payload/message"));

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {

        snprintf(pointer, sizeof(pointer), "/payload/%s", members[i]);
        value = parley_json_resolve(doc, 0, parley_str_c(pointer));

        if (value == PARLEY_JSON_NONE) {
            continue;
        }

        node = parley_json_node(doc, value);

        switch (i) {

        case 0:
        case 1:
            said = node->type == PARLEY_JSON_STRING && node->count > 0;
            break;

        case 3:
            said = node->type == PARLEY_JSON_STRING && node->count > 0
                   && (message == PARLEY_JSON_NONE
                       || parley_json_type(doc, message)
                          != PARLEY_JSON_STRING
                       || parley_json_node(doc, message)->count == 0);
            break;

        default:
            said = 0;
        }

        /* a long reason is cut, and its rest is lost */

        if (said == parley_test_loss_names(pair, pointer)
            && !(said && pair->made.body.len > PARLEY_TEST_LOSS_LONG))
        {
            return parley_test_pair_broken(pair, "of an error its words are "
                                           "said", "%s", pointer);
        }
    }

    return 0;
}


int
parley_test_pair_compare(parley_test_pair_t *pair,
    const parley_test_message_t *back)
{
    char      pointer[2000];
    uint32_t  i;

    for (i = 0; i < pair->loss.nitems; i++) {
        if (parley_json_resolve(&pair->m.doc, 0, pair->loss.items[i])
            == PARLEY_JSON_NONE
            && memchr(pair->loss.items[i].data, '?', pair->loss.items[i].len)
               == NULL
            && !parley_str_is(pair->loss.items[i], "/scope"))
        {
            return parley_test_pair_broken(pair, "what is reported was there",
                                           "%s",
                                           (const char *)
                                           pair->loss.items[i].data);
        }
    }

    if (pair->from == PARLEY_PROTO_AEE
        && parley_embed_kin(pair->to) == PARLEY_PROTO_VCP
        && pair->m.msg.origin == PARLEY_PROTO_AEE
        && pair->m.msg.act == PARLEY_ACT_FAILURE
        && pair->loss.count <= PARLEY_LOSS_MAX)
    {
        return parley_test_loss_error(pair);
    }

    /*
     * a message that carries another one is not compared: its origin is tested
     * separately
     */

    if (pair->loss.count > PARLEY_LOSS_MAX || parley_test_loss_anew(pair)
        || pair->m.msg.origin != pair->from)
    {
        return 0;
    }

    pointer[0] = '\0';

    return parley_test_loss_compare(pair, back, 0, 0, pointer,
                                    sizeof(pointer));
}
