#include "t/unit/parley_test_twin.h"

#include "core/parley_jcs.h"


static int parley_test_twin_derives(const parley_test_pair_t *pair);


parley_test_tree_t *
parley_test_twin_tree(parley_arena_t *arena, parley_str_t text)
{
    parley_json_t   doc;
    parley_error_t  err;

    return parley_json_read(&doc, arena, NULL, PARLEY_TEST_SEED, text, &err)
           == 0
           ? parley_test_tree_read(arena, &doc, 0) : NULL;
}


int
parley_test_twin_is_more(const parley_error_t *err)
{
    /*
     * Schemas do not check the names in carried messages, the senders of
     * capsules, or the commands of MoQ that may have a status of their own.
     */

    return err->code == PARLEY_E_INTENT_REFUSED
           || err->code == PARLEY_E_SENDER_IDENTITY_MISMATCH
           || strstr(err->text, "has a name with control characters") != NULL
           || strcmp(err->field, "/status") == 0
           || strcmp(err->field, "/payload/acted_by") == 0
           || strcmp(err->field, "/payload/drafted_with") == 0;
}


int
parley_test_twin_refusal(parley_test_pair_t *pair)
{
    int                    there;
    const parley_error_t  *err = &pair->err;

    /* unprintable characters are replaced */

    there = strchr(err->field, '?') != NULL;

    if (there && err->code != PARLEY_E_FIELD_MISSING) {
        return 0;
    }

    there = pair->m.doc.nnodes > 0
            && parley_json_resolve(&pair->m.doc, 0, parley_str_c(err->field))
               != PARLEY_JSON_NONE;

    if (err->text[0] == '\0') {
        parley_test_pair_broken(pair, "a refusal has a text", "%s",
                                err->field);
        return -1;
    }

    switch (err->code) {

    case PARLEY_E_JSON_INVALID:
        if (err->offset == PARLEY_NO_OFFSET) {
            break;
        }

        return 0;

    case PARLEY_E_MESSAGE_TOO_LARGE:
        return 0;

    case PARLEY_E_FIELD_MISSING:
        if (there || err->field[0] != '/') {
            break;
        }

        return 0;

    case PARLEY_E_FIELD_INVALID:
        if (!there || (err->field[0] == '\0'
                       && parley_json_type(&pair->m.doc, 0)
                          == PARLEY_JSON_OBJECT))
        {
            break;
        }

        return 0;

    case PARLEY_E_FIELD_UNKNOWN:
    case PARLEY_E_KIND_UNKNOWN:
    case PARLEY_E_PAYLOAD_KIND_MISMATCH:
    case PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED:
    case PARLEY_E_INTENT_REFUSED:
    case PARLEY_E_SENDER_IDENTITY_MISMATCH:
        if (!there || err->field[0] != '/') {
            break;
        }

        return 0;

    default:
        break;
    }

    parley_test_pair_broken(pair, "a refusal names the member", "%s %s %s",
                            (const char *)
                            parley_error_info(err->code)->word.data,
                            err->field, err->text);

    return -1;
}


/* Returns whether the id is derived from the octets of the message. */

static int
parley_test_twin_derives(const parley_test_pair_t *pair)
{
    return pair->from == PARLEY_PROTO_C2A
           && !parley_str_is(pair->m.msg.form, "chat.deliver")
           && parley_json_resolve(&pair->m.doc, 0,
                                  PARLEY_STR("/params/arguments"
                                             "/idempotencyKey"))
              == PARLEY_JSON_NONE;
}


parley_test_pair_result_t
parley_test_twin(parley_test_pair_t *pair, parley_test_pair_result_t result)
{
    size_t                     i;
    parley_buf_t               b;
    parley_str_t               text;
    parley_test_pair_t         twin;
    parley_test_pair_result_t  other;

    if (pair->m.doc.nnodes == 0) {
        return result;
    }

    parley_buf_init(&b, pair->arena, pair->m.doc.input.len);
    parley_jcs_write(&b, (parley_json_ref_t) { &pair->m.doc, 0 },
                     parley_str_none);

    if (parley_buf_done(&b, &text) != 0) {
        return parley_test_pair_broken(pair, "memory", "%s", "");
    }

    /* a number outside the range of a double has no canonical form */

    if (!parley_test_same_json(pair->arena, pair->m.doc.input, text)) {
        return result;
    }

    twin.arena = pair->arena;
    twin.from = pair->from;
    twin.to = pair->to;
    twin.variant = pair->variant;

    other = parley_test_pair(&twin, text);

    if (other != result) {
        return parley_test_pair_broken(pair, "the canonical form fares alike",
                                       "%d, %d: %s %s", result, other,
                                       twin.failed != NULL ? twin.failed
                                       : result == PARLEY_TEST_PAIR_SAID
                                         ? twin.err.text : pair->err.text,
                                       twin.what);
    }

    if (!parley_str_eq(pair->m.msg.corr, twin.m.msg.corr)
        || !parley_str_eq(pair->m.msg.reply_to, twin.m.msg.reply_to))
    {
        return parley_test_pair_broken(pair, "the canonical form answers the "
                                       "same", "%.*s, %.*s",
                                       (int) pair->m.msg.reply_to.len,
                                       (const char *)
                                       pair->m.msg.reply_to.data,
                                       (int) twin.m.msg.reply_to.len,
                                       (const char *)
                                       twin.m.msg.reply_to.data);
    }

    if (result != PARLEY_TEST_PAIR_SAID || parley_test_twin_derives(pair)) {
        return result;
    }

    if (pair->loss.count != twin.loss.count
        || !parley_test_same_json(pair->arena, pair->made.body,
                                  twin.made.body))
    {
        for (i = 0; i < pair->made.body.len && i < twin.made.body.len
                    && pair->made.body.data[i] == twin.made.body.data[i]; i++)
        {
            /* void */
        }

        i -= i > 100 ? 100 : i;

        return parley_test_pair_broken(pair, "the canonical form means the "
                                       "same", "%.400s\n%.400s",
                                       (const char *) pair->made.body.data + i,
                                       (const char *) twin.made.body.data
                                       + i);
    }

    return result;
}
