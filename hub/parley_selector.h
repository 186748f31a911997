/*
 * A selector: what a subscription is given of its log, as far as several of
 * them can have it in common: the protocol that it reads, the instrument that
 * its session has, and its filter (ACH-22).  As a text it is what the roster
 * counts by; each process reads it once and tests a publication once for all
 * that have it.
 */

#ifndef PARLEY_SELECTOR_H
#define PARLEY_SELECTOR_H

#include "hub/parley_publication.h"


typedef struct {
    parley_proto_t           proto;     /* NONE: it takes a message as it was
                                           accepted */
    parley_str_t             instrument;
    parley_channel_filter_t  filter;
} parley_selector_t;


/* Begins the name of a session that is no stream's, but a request's that is
   held (HUB-07), and the instrument of its selector, by which nothing but the
   answer to the question that follows is for it. */
#define PARLEY_SELECTOR_HELD  '='

/* no stream has such a name: another's session has a "/" in it */
static inline int
parley_selector_is_held(parley_str_t text)
{
    return text.len == 1 + PARLEY_PUBLICATION_QUESTION
           && text.data[0] == PARLEY_SELECTOR_HELD
           && parley_str_until(text, '/').len == text.len;
}

/*
 * The text of a selector; neither part has a line end in it.  Equal selectors
 * have equal texts where their filters have.  -1: no memory, or too long
 * (PARLEY_SELECTOR_MAX).
 */
int parley_selector_text(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t instrument, parley_str_t filter, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Reads a text; spans of *ret are of it.  -1: it is none, or no memory. */
int parley_selector_read(parley_arena_t *arena, parley_str_t text,
    parley_selector_t *ret)
    __attribute__((warn_unused_result));

/*
 * Whether sessions that have the selector get a publication: all of them (1),
 * none (0), or the one that it names (2).
 */
int parley_selector_admits(const parley_selector_t *selector,
    const parley_publication_t *p);

/*
 * How many subscriptions a publication is for, of those that its append
 * counted, by the protocol that they read: ret[proto]; the publication's own
 * are those, too, that take it as it is.  Returns 0, or -1: no memory.
 */
int parley_selector_count(parley_arena_t *arena,
    const parley_publication_t *p, const parley_appended_t *appended,
    int64_t ret[PARLEY_PROTO_COUNT])
    __attribute__((warn_unused_result));

/* The same, told as 0, 1, 2 or 10: that many at least. */
int64_t parley_selector_coarse(int64_t count);


#endif /* PARLEY_SELECTOR_H */
