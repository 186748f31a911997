/*
 * Sentences for a person, of what a message says in members alone: "locks
 * src/parser.c for 60 s".  A codec keeps a table of their pieces.
 */

#ifndef PARLEY_SENTENCE_H
#define PARLEY_SENTENCE_H

#include "core/parley_buf.h"
#include "translate/parley_msg.h"


#define PARLEY_SENTENCE_PIECES  3


/* words, and the member whose value follows */
typedef struct {
    parley_str_t   words;
    parley_atom_t  member;
    unsigned       ms:1;        /* a number of milliseconds */
    unsigned       optional:1;  /* both are left out where it is not there */
} parley_piece_t;


typedef struct {
    parley_str_t    form;
    parley_piece_t  pieces[PARLEY_SENTENCE_PIECES];
} parley_sentence_t;


/*
 * Writes the sentence for the form of m, from the members of m->data: texts,
 * integers, and of an array of objects the member "type" of each.  Returns
 * whether there is one; where not, nothing is written.
 */
int parley_sentence_write(parley_buf_t *b, const parley_msg_t *m,
    const parley_sentence_t *sentences, unsigned n);

/*
 * Writes, as the text of a JSON string, what a person reads of a message: what
 * it says, else what it is and, unless that is empty, whom it is from; never
 * its structure.
 */
void parley_sentence_words(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t sender);


#endif /* PARLEY_SENTENCE_H */
