/* What an event carries: a part {"type": "data", "data": {...}, "members"}. */

#include <stdio.h>

#include "parley_c2a.h"
#include "parley_embed_redact.h"


static int parley_c2a_within_parts(parley_redact_t *r,
    const parley_json_t *doc, const char *at);
static int parley_c2a_within_words(parley_redact_t *r,
    const parley_json_t *doc, uint32_t parts, const char *at, uint32_t said);


int
parley_c2a_within(parley_redact_t *r, const parley_msg_t *m)
{
    return parley_c2a_within_parts(r, m->doc, "/params/content") != 0
           || parley_c2a_within_parts(r, m->doc,
                                      "/params/arguments/content")
              != 0 ? -1 : 0;
}


static int
parley_c2a_within_parts(parley_redact_t *r, const parley_json_t *doc,
    const char *at)
{
    char          data[64], members[64];
    uint32_t      i, n, part, parts, value;
    parley_str_t  rest;

    parts = parley_json_resolve(doc, 0, parley_str_c(at));

    if (parts == PARLEY_JSON_NONE
        || parley_json_type(doc, parts) != PARLEY_JSON_ARRAY)
    {
        return 0;
    }

    n = 0;

    for (part = parley_json_first(parts);
         part != parley_json_end(doc, parts);
         part = parley_json_after(doc, part), n++)
    {
        value = parley_json_member(doc, part, PARLEY_ATOM_data);

        if (value == PARLEY_JSON_NONE) {
            continue;
        }

        (void) snprintf(data, sizeof(data), "%s/%u/data", at, n);
        (void) snprintf(members, sizeof(members), "%s/%u/members", at, n);

        if (parley_embed_redact(r, parley_str_c(data), parley_str_c(members))
            != 0)
        {
            return -1;
        }

        for (i = 0; i < r->nasked; i++) {
            rest = parley_redact_in_payload(r->asked[i].pointer);

            if (rest.len > 0
                && parley_c2a_within_words(r, doc, parts, at,
                                      parley_json_resolve(doc, value, rest))
                   != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* Words that are repeated in a part for a person. */

static int
parley_c2a_within_words(parley_redact_t *r, const parley_json_t *doc,
    uint32_t parts, const char *at, uint32_t said)
{
    char          pointer[64];
    uint32_t      n, part, text;
    parley_str_t  words, own;

    if (parley_msg_string(doc, said, &words) != 0) {
        return -1;
    }

    if (words.len == 0) {
        return 0;
    }

    n = 0;

    for (part = parley_json_first(parts);
         part != parley_json_end(doc, parts);
         part = parley_json_after(doc, part), n++)
    {
        text = parley_json_member(doc, part, PARLEY_ATOM_text);

        if (parley_msg_string(doc, text, &own) != 0) {
            return -1;
        }

        if (!parley_str_eq(own, words)) {
            continue;
        }

        (void) snprintf(pointer, sizeof(pointer), "%s/%u/text", at, n);

        if (parley_redact_add(r, parley_str_c(pointer), parley_str_none,
                              PARLEY_STR(PARLEY_REDACTED))
            != 0)
        {
            return -1;
        }
    }

    return 0;
}
