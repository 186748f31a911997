/*
 * A selector: the properties of a subscription that several subscribers of a
 * log can share: its protocol, the instrument of its session, and its filter
 * (ACH-22).  The roster counts subscribers by its text.  Each process parses a
 * selector once, and tests a publication once for all subscribers that have it.
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


/* First character of the session name of a held request (HUB-07), and of the
   instrument in its selector.  The name of the question follows; only an answer
   to this question is for the session. */
#define PARLEY_SELECTOR_HELD  '='

/* Instrument in the selector of a call that waits: publications with views are
   for it, and others that are for all sessions. */
#define PARLEY_SELECTOR_VIEWS  "="

/*
 * Returns whether a text is the name of a held request.  A stream cannot have
 * one: its session name contains a "/".
 */
static inline int
parley_selector_is_held(parley_str_t text)
{
    return text.len == 1 + PARLEY_PUBLICATION_QUESTION
           && text.data[0] == PARLEY_SELECTOR_HELD
           && parley_str_until(text, '/').len == text.len;
}

/*
 * Writes the text of a selector; instrument and filter must not have line ends.
 * Equal selectors have equal texts if the texts of their filters are equal.
 * Returns 0, or -1 if memory is exhausted or the text exceeds
 * PARLEY_SELECTOR_MAX.
 */
int parley_selector_text(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t instrument, parley_str_t filter, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Parses a text; spans of *ret are borrowed from it.  Returns 0, or -1 if it is
 * invalid or memory is exhausted.
 */
int parley_selector_read(parley_arena_t *arena, parley_str_t text,
    parley_selector_t *ret)
    __attribute__((warn_unused_result));

/*
 * Returns which sessions with the selector get a publication: all (1), none
 * (0), or only the session that it names (2).
 */
int parley_selector_admits(const parley_selector_t *selector,
    const parley_publication_t *p);

/*
 * Counts the subscriptions that a publication is for, in the result of its
 * append, by protocol: ret[proto].  Subscriptions that take a message as it is
 * count for the publication's own protocol.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_selector_count(parley_arena_t *arena,
    const parley_publication_t *p, const parley_appended_t *appended,
    int64_t ret[PARLEY_PROTO_COUNT])
    __attribute__((warn_unused_result));

/* Rounds a count down to 0, 1, 2 or 10. */
int64_t parley_selector_coarse(int64_t count);


#endif /* PARLEY_SELECTOR_H */
