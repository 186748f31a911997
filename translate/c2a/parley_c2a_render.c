/* Writes the structured text of an event, for a model (C2A-26). */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_lines.h"


/* line before the text of an event, with one or two values */
typedef struct {
    const char          *name;
    const char          *between;
    parley_c2a_place_t   first;
    parley_c2a_place_t   second;
} parley_c2a_head_t;


static int parley_c2a_head_author(const parley_msg_t *m, uint32_t *at);
static int parley_c2a_head_value(const parley_msg_t *m, const uint32_t *at,
    parley_c2a_place_t place, parley_str_t *ret);


/* If two lines have one name, the first one with a value is written. */

static const parley_c2a_head_t  parley_c2a_heads[] = {
    { "event_id", "", PARLEY_C2A_AT_EVENT_ID, PARLEY_C2A_NOWHERE },
    { "conversation", " ", PARLEY_C2A_AT_CONVERSATION_KIND,
      PARLEY_C2A_AT_CONVERSATION_ID },
    { "thread", "", PARLEY_C2A_AT_THREAD_ID, PARLEY_C2A_NOWHERE },
    { "author", ":", PARLEY_C2A_AT_AUTHOR_KIND, PARLEY_C2A_AT_AUTHOR_NAME },
    { "author_id", "", PARLEY_C2A_AT_AUTHOR_ID, PARLEY_C2A_NOWHERE },
    { "directedness", "", PARLEY_C2A_AT_DIRECTEDNESS, PARLEY_C2A_NOWHERE },
    { "response_policy", "", PARLEY_C2A_AT_POLICY, PARLEY_C2A_NOWHERE },
    { "reason", "", PARLEY_C2A_AT_WHY, PARLEY_C2A_NOWHERE },
    { "reply_target", "thread:", PARLEY_C2A_NOWHERE, PARLEY_C2A_AT_THREAD_ID },
    { "reply_target", ":", PARLEY_C2A_AT_CONVERSATION_KIND,
      PARLEY_C2A_AT_CONVERSATION_ID },
};

/* names that a line of source text must not begin with: headers and sections */
static const char *const  parley_c2a_names_of_lines[] = {
    "event_id", "conversation", "thread", "author", "author_id",
    "directedness", "response_policy", "reason", "reply_target", "message",
    "knock", NULL
};


int
parley_c2a_render(parley_buf_t *b, const parley_msg_t *m)
{
    unsigned                  i;
    const char               *last;
    parley_msg_t              said;
    parley_str_t              first, second;
    const uint32_t           *at;
    parley_c2a_places_t       places;
    const parley_c2a_head_t  *head;

    if (m->wire != PARLEY_PROTO_C2A
        || parley_c2a_places_find(&places, m->doc) != PARLEY_C2A_DELIVER)
    {
        return 1;
    }

    if (parley_c2a_head_author(m, places.at) != 0) {
        return -1;
    }

    at = places.at;
    last = "";

    parley_buf_lit(b, "C2A EVENT\n");

    for (i = 0; i < sizeof(parley_c2a_heads) / sizeof(parley_c2a_heads[0]);
         i++)
    {
        head = &parley_c2a_heads[i];

        if (parley_c2a_head_value(m, at, head->first, &first) != 0
            || parley_c2a_head_value(m, at, head->second, &second) != 0)
        {
            return -1;
        }

        if (first.len + second.len == 0 || strcmp(head->name, last) == 0) {
            continue;
        }

        last = head->name;

        parley_buf_put(b, last, strlen(last));
        parley_buf_lit(b, ": ");
        parley_lines_value(b, first);
        parley_buf_put(b, head->between, strlen(head->between));
        parley_lines_value(b, second);
        parley_buf_octet(b, '\n');
    }

    parley_msg_init(&said, PARLEY_PROTO_C2A, m->doc);

    if (parley_c2a_fill_text(&said, at) != 0) {
        return -1;
    }

    parley_buf_str(b, at[PARLEY_C2A_AT_CONTENT] == PARLEY_JSON_NONE
                      ? PARLEY_STR("\nKNOCK\n")
                      : PARLEY_STR("\nMESSAGE\n"));
    parley_lines_text(b, said.text, "c2a", parley_c2a_names_of_lines);

    return 0;
}


/*
 * Chooses the author lines.  The draft shows an author by its displayName,
 * which the author chooses.  In this case, the proven id has a separate line.
 * An author without such a name is shown by its id alone.  Returns 0, or -1 if
 * memory is exhausted.
 */

static int
parley_c2a_head_author(const parley_msg_t *m, uint32_t *at)
{
    parley_str_t  id, name;

    if (parley_c2a_head_value(m, at, PARLEY_C2A_AT_AUTHOR_ID, &id) != 0
        || parley_c2a_head_value(m, at, PARLEY_C2A_AT_AUTHOR_NAME, &name) != 0)
    {
        return -1;
    }

    if (name.len == 0 || parley_str_eq(name, id)) {
        at[PARLEY_C2A_AT_AUTHOR_NAME] = at[PARLEY_C2A_AT_AUTHOR_ID];
        at[PARLEY_C2A_AT_AUTHOR_ID] = PARLEY_JSON_NONE;
    }

    return 0;
}


static int
parley_c2a_head_value(const parley_msg_t *m, const uint32_t *at,
    parley_c2a_place_t place, parley_str_t *ret)
{
    return parley_msg_string(m->doc, place != PARLEY_C2A_NOWHERE
                                     ? at[place] : PARLEY_JSON_NONE, ret);
}
