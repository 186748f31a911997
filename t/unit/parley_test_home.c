/* Checks a carried message that is back in its own protocol. */

#include "t/unit/parley_test_pair.h"

#include "core/parley_id.h"


static int parley_test_pair_names_loss(const parley_test_pair_t *pair,
    const char *pointer);


/*
 * Checks that the message has its old workflow, or that the report names the
 * loss.  Members of the capsule that are ignored must be reported too.
 */

int
parley_test_pair_home(parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    unsigned              i;
    uint32_t              k;
    parley_str_t          form;
    const parley_msg_t   *m = &pair->m.msg;
    const parley_json_t  *doc = &pair->m.doc;

    static const char *const  types[] = {
        "task", "result", "error", "event", "stream"
    };

    if (m->origin != pair->to || m->origin == pair->from) {
        return 0;
    }

    if (pair->to == PARLEY_PROTO_C2A
        && m->corr.len >= 8 && !parley_uuid_is(m->corr, 8)
        && !parley_str_eq(m->corr, m->id)
        && !parley_engine_correlates(&there->msg, m->corr)
        && !parley_test_pair_names_loss(pair, "/corr"))
    {
        return parley_test_pair_broken(pair, "it stands where it stood",
                                       "%s: %s", (const char *) m->corr.data,
                                       (const char *) pair->made.body.data);
    }

    if (pair->from != PARLEY_PROTO_MOQ) {
        return 0;
    }

    k = parley_json_resolve(doc, 0, PARLEY_STR("/aee/form"));
    assert_int_equal(parley_msg_string(doc, k, &form), 0);

    for (i = 0; i < 5 && !parley_str_eq(form, parley_str_c(types[i])); i++) {
        /* void */
    }

    k = parley_json_resolve(doc, 0, PARLEY_STR("/aee/members"));

    if ((i == 5 && !parley_test_pair_names_loss(pair, "/aee/form"))
        || (k != PARLEY_JSON_NONE
            && parley_json_type(doc, k) != PARLEY_JSON_NULL
            && parley_json_type(doc, k) != PARLEY_JSON_OBJECT
            && !parley_test_pair_names_loss(pair, "/aee/members"))
        || (parley_json_resolve(doc, 0, PARLEY_STR("/aee/x-mood"))
            != PARLEY_JSON_NONE
            && !parley_test_pair_names_loss(pair, "/aee/x-mood")))
    {
        return parley_test_pair_broken(pair, "what nobody reads is reported",
                                       "%s",
                                       (const char *) doc->input.data);
    }

    return 0;
}


static int
parley_test_pair_names_loss(const parley_test_pair_t *pair,
    const char *pointer)
{
    uint32_t  i;

    for (i = 0; i < pair->loss.nitems; i++) {
        if (parley_str_eq(pair->loss.items[i], parley_str_c(pointer))) {
            return 1;
        }
    }

    return 0;
}
