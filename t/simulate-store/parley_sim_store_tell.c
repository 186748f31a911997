/* Prints the commands of the engine. */

#include "t/simulate-store/parley_sim_store.h"


int
sim_tell_is_routine(const parley_str_t *words, size_t n)
{
    return parley_str_is(words[0], "INFO")
           || (parley_str_is(words[0], "GET") && words[1].data[8] == 'k')
           || (n > 1 && (parley_str_is(words[1], "p1_feed")
                         || parley_str_is(words[1], "p1_nodes")
                         || parley_str_is(words[1], "p1_changes")));
}


void
sim_tell_command(uint64_t conn, const parley_str_t *words, size_t n,
    parley_str_t reply)
{
    char      text[64];
    size_t    i, at;
    unsigned  k;
    sim_id_t  *x;

    for (i = 0, at = 0; i < reply.len && at < 40; i++) {
        text[at++] = reply.data[i] < ' ' || reply.data[i] > '~'
                     ? '.' : (char) reply.data[i];
    }

    text[at] = '\0';
    x = NULL;

    for (i = 1; i < n && x == NULL; i++) {
        for (k = 0; k < sim_store.nids && words[i].len >= PARLEY_KEY_LEN; k++) {
            if (memcmp(words[i].data + words[i].len - PARLEY_KEY_LEN,
                       sim_store.ids[k].key, PARLEY_KEY_LEN) == 0)
            {
                x = &sim_store.ids[k];
            }
        }
    }

    sim_tell("    engine %llu: %.*s %.*s %s -> %s", (unsigned long long) conn,
             (int) words[0].len, words[0].data,
             n > 1 ? words[1].len < 20 ? (int) words[1].len : 8 : 0,
             n > 1 ? words[1].data : NULL, x != NULL ? x->name : "", text);
}
