/*
 * Sentences for a person, from messages that have only members: "locks
 * src/parser.c for 60 s".  A codec has a table of the pieces.
 */

#ifndef PARLEY_SENTENCE_H
#define PARLEY_SENTENCE_H

#include "core/parley_buf.h"
#include "translate/parley_msg.h"


#define PARLEY_SENTENCE_PIECES  3


/* words, and the member with the value that follows */
typedef struct {
    parley_str_t   words;
    parley_atom_t  member;
    unsigned       ms:1;        /* a number of milliseconds */
    unsigned       optional:1;  /* omitted with its words if the member is
                                   missing */
} parley_query_parameter_t;


typedef struct {
    parley_str_t              form;
    parley_query_parameter_t  pieces[PARLEY_SENTENCE_PIECES];
} parley_sentence_t;


/*
 * Writes the sentence for the form of m from the members of m->data: texts,
 * integers, and the member "type" of each object in an array.  Returns 1, or 0
 * with nothing written if the form has no sentence.
 */
int parley_sentence_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_sentence_t *sentences, unsigned n);

/*
 * Writes the text of a message for a person, as the text of a JSON string: its
 * text, or else its kind and, if sender is not empty, its sender.  It never
 * contains JSON.
 */
void parley_sentence_words(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t sender);


#endif /* PARLEY_SENTENCE_H */
