/* Checks a carried message that is back in its own protocol. */

#include "t/unit/parley_test_pair.h"

#include "translate/parley_embed.h"
#include "core/parley_id.h"


static uint32_t parley_test_pair_corr(const parley_test_pair_t *pair);
static int parley_test_pair_names_loss(const parley_test_pair_t *pair,
    uint32_t value);


/*
 * Checks that the message has its old workflow, or that the report names the
 * loss.  Members of the capsule that are ignored must be reported too.
 */

int
parley_test_pair_home(parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    uint32_t              k, capsule, members;
    parley_str_t          form;
    const parley_msg_t   *m = &pair->m.msg;
    const parley_json_t  *doc = &pair->m.doc;

    if (m->origin != pair->to || m->origin == pair->from) {
        return 0;
    }

    if (pair->to == PARLEY_PROTO_C2A
        && m->corr.len >= 8 && !parley_uuid_is(m->corr, 8)
        && !parley_str_eq(m->corr, m->id)
        && !parley_engine_correlates(&there->msg, m->corr)
        && parley_test_pair_corr(pair) != PARLEY_JSON_NONE
        && !parley_test_pair_names_loss(pair, parley_test_pair_corr(pair)))
    {
        return parley_test_pair_broken(pair, "it stands where it stood",
                                       "%s: %s", (const char *) m->corr.data,
                                       (const char *) pair->made.body.data);
    }

    if (pair->from != PARLEY_PROTO_MOQ) {
        return 0;
    }

    capsule = parley_json_get(doc, 0, parley_proto_name(m->origin));
    k = parley_json_get(doc, capsule, PARLEY_STR("form"));
    assert_int_equal(parley_msg_string(doc, k, &form), 0);

    members = parley_json_get(doc, capsule, PARLEY_STR("members"));

    if ((!parley_embed_is_form(m->origin, form)
         && !parley_test_pair_names_loss(pair, k))
        || (members != PARLEY_JSON_NONE
            && parley_json_type(doc, members) != PARLEY_JSON_NULL
            && parley_json_type(doc, members) != PARLEY_JSON_OBJECT
            && !parley_test_pair_names_loss(pair, members))
        || ((k = parley_json_get(doc, capsule, PARLEY_STR("x-mood")))
            != PARLEY_JSON_NONE
            && !parley_test_pair_names_loss(pair, k)))
    {
        return parley_test_pair_broken(pair, "what nobody reads is reported",
                                       "%s",
                                       (const char *) doc->input.data);
    }

    return 0;
}


/*
 * Returns the member with the correlation of the message that the command or
 * the envelope carries; NONE: it is the session of the frame.
 */

static uint32_t
parley_test_pair_corr(const parley_test_pair_t *pair)
{
    uint32_t              value;
    const parley_json_t  *doc = &pair->m.doc;

    if (pair->from != PARLEY_PROTO_MOQ) {
        return parley_json_get(doc, 0, PARLEY_STR("corr"));
    }

    value = parley_json_get(doc, 0, parley_proto_name(pair->m.msg.origin));
    value = parley_json_get(doc, value, PARLEY_STR("corr"));

    return value != PARLEY_JSON_NONE
           ? value : parley_json_get(doc, 0, PARLEY_STR("session_id"));
}


static int
parley_test_pair_names_loss(const parley_test_pair_t *pair, uint32_t value)
{
    char      pointer[PARLEY_POINTER_MAX];
    uint32_t  i;

    (void) parley_json_pointer(&pair->m.doc, value, pointer, sizeof(pointer));

    for (i = 0; i < pair->loss.nitems; i++) {
        if (parley_str_eq(pair->loss.items[i], parley_str_c(pointer))) {
            return 1;
        }
    }

    return 0;
}
