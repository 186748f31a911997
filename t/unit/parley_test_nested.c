/* Promise 5: no envelope is put into an envelope or a text. */

#include "t/unit/parley_test_pair.h"


static const char *const  parley_test_pair_marks[] = {
    "v", "vcp_message", "envelope_version", "jsonrpc"
};


/* Counts members below the root that mark an envelope. */

static unsigned
parley_test_pair_envelopes(const parley_json_t *doc, unsigned mark)
{
    uint32_t                   i;
    unsigned                   n;
    const parley_json_node_t  *node;

    n = 0;

    for (i = 1; i < doc->nnodes; i++) {
        node = parley_json_node(doc, i);

        if ((node->flags & PARLEY_JSON_KEY) && node[1].depth > 1) {
            n += (unsigned) parley_json_string_is(doc, i,
                            parley_str_c(parley_test_pair_marks[mark]));
        }
    }

    return n;
}


/* Counts "vcp_message" in texts that are JSON themselves. */

static unsigned
parley_test_pair_quoted(const parley_json_t *doc, unsigned mark)
{
    size_t        len;
    uint32_t      i;
    unsigned      n;
    const char   *at;
    char          quoted[40];
    parley_str_t  text;

    n = 0;
    snprintf(quoted, sizeof(quoted), "\"%s\":", parley_test_pair_marks[mark]);
    len = strlen(quoted);

    for (i = 1; i < doc->nnodes; i++) {
        if (parley_json_type(doc, i) != PARLEY_JSON_STRING
            || parley_json_node(doc, i)->len < len
            || parley_json_string(doc, i, &text) != 0
            || text.len < len)
        {
            continue;
        }

        for (at = (const char *) text.data;
             at + len <= (const char *) text.data + text.len; at++)
        {
            at = memchr(at, '"', (size_t) ((const char *) text.data + text.len
                                           - at));
            if (at == NULL) {
                break;
            }

            n += at + len <= (const char *) text.data + text.len
                 && memcmp(at, quoted, len) == 0;
        }
    }

    return n;
}


int
parley_test_pair_nested(parley_test_pair_t *pair,
    const parley_test_message_t *there)
{
    unsigned  i;

    for (i = 0; i < sizeof(parley_test_pair_marks)
                    / sizeof(parley_test_pair_marks[0]); i++)
    {
        if (parley_test_pair_envelopes(&there->doc, i)
            + parley_test_pair_quoted(&there->doc, i)
            > parley_test_pair_envelopes(&pair->m.doc, i)
              + parley_test_pair_quoted(&pair->m.doc, i))
        {
            return parley_test_pair_broken(pair, "never nested", "%s",
                                           (const char *)
                                           pair->made.body.data);
        }
    }

    return 0;
}
