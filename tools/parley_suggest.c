/* Suggests a word for a mistyped one. */

#include <string.h>

#include "tools/parley_tool.h"


#define PARLEY_SUGGEST_MAX  32      /* octets; a longer word gets no
                                       suggestion */


static unsigned tool_suggest_distance(parley_str_t a, parley_str_t b);
static unsigned tool_suggest_least(unsigned a, unsigned b, unsigned c);


void
tool_suggest_init(parley_suggest_t *s, parley_str_t word)
{
    s->word = word;
    s->best = parley_str_none;

    /* one letter may be wrong, two of eight, three of twelve */

    s->distance = word.len < 8 ? 1 : (unsigned) word.len / 4;
}


void
tool_suggest_try(parley_suggest_t *s, parley_str_t word, parley_str_t means)
{
    unsigned  n;

    if (s->word.len < 2 || s->word.len > PARLEY_SUGGEST_MAX
        || word.len > PARLEY_SUGGEST_MAX)
    {
        return;
    }

    /* a missing end of a word counts as one wrong letter */

    n = (s->word.len < word.len
         && memcmp(s->word.data, word.data, s->word.len) == 0)
        ? 1 : tool_suggest_distance(s->word, word);

    if (n < s->distance + (s->best.len == 0)) {
        s->distance = n;
        s->best = means;
    }
}


/*
 * Returns the number of letters that are inserted, left out, replaced, or
 * swapped with the next letter (the optimal string alignment distance).
 */
static unsigned
tool_suggest_distance(parley_str_t a, parley_str_t b)
{
    size_t     i, j;
    unsigned   swapped, row[3][PARLEY_SUGGEST_MAX + 1];
    unsigned  *older = row[0], *old = row[1], *new = row[2], *spare;

    for (j = 0; j <= b.len; j++) {
        old[j] = (unsigned) j;
    }

    for (i = 1; i <= a.len; i++) {
        new[0] = (unsigned) i;

        for (j = 1; j <= b.len; j++) {
            new[j] = tool_suggest_least(old[j] + 1, new[j - 1] + 1,
                                        old[j - 1] + (a.data[i - 1]
                                                      != b.data[j - 1]));

            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2]
                && a.data[i - 2] == b.data[j - 1])
            {
                swapped = older[j - 2] + 1;
                new[j] = swapped < new[j] ? swapped : new[j];
            }
        }

        spare = older;
        older = old;
        old = new;
        new = spare;
    }

    return old[b.len];
}


static unsigned
tool_suggest_least(unsigned a, unsigned b, unsigned c)
{
    a = a < b ? a : b;

    return a < c ? a : c;
}
