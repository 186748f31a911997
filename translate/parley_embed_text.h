/*
 * A capsule as a text that a person can read (docs/mapping/channel.md):
 *
 *   The words for a person, if the message has any.
 *
 *   aee.task ops.backup.run
 *   id: 0d9f6a1c-...
 *   corr: ...
 *   act: ...
 *   priority: high
 *   reply_to: ...
 *   requires: {"timeout_ms":5000}
 *   trace: {...}
 *   members: {...}
 *   {"n":1}
 *
 * The text is read from its end, where the words cannot occur: the payload has
 * no line break, and the lines before it include no blank line.  Names and ids
 * that a reader may confuse with other things (control characters, a quotation
 * mark at the beginning, the word null) are JSON strings.  The text of a
 * failure begins with "error CODE: ".
 */

#ifndef PARLEY_EMBED_TEXT_H
#define PARLEY_EMBED_TEXT_H

#include "translate/parley_embed.h"


#define PARLEY_EMBED_MS_MAX  9007199254740991       /* 2^53 - 1 */


/* text to be written */
typedef struct {
    parley_arena_t             *arena;
    const parley_msg_t         *m;
    const parley_embed_slot_t  *slot;
    parley_act_t                act;        /* act that a reader assumes for a
                                               payload without one */
    parley_error_t             *err;

    parley_str_t                text;       /* text as in a quoted string */
    parley_str_t                words;      /* part of text that a person reads
                                               first; or empty */
    uint32_t                    spoken;     /* value in the payload that
                                               contains the words; NONE if the
                                               payload repeats them */
    int64_t                     timeout_ms; /* deadline of the text; -1: none */
    unsigned                    deep:1;     /* values in it are too deep for a
                                               reader */
} parley_embed_text_t;


/*
 * Reads an untrusted text by the items of a slot.  Returns 1; 0 if the text is
 * not a capsule; -1 if memory is exhausted.
 */
int parley_embed_text_read(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t text, parley_embed_t *ret)
    __attribute__((warn_unused_result));

/*
 * Puts the words for a person back into the payload of msg, which was read from
 * c.  Returns 0, or -1 if memory is exhausted.
 */
int parley_embed_text_restore(parley_arena_t *arena, parley_msg_t *msg,
    const parley_embed_t *c)
    __attribute__((warn_unused_result));

/*
 * Writes t->m as t->text.  A reader gets t->m again, except for the deadline if
 * that is a whole number.  Returns 0, or -1 with *t->err filled.
 */
int parley_embed_text_write(parley_embed_text_t *t)
    __attribute__((warn_unused_result));

/*
 * Returns whether parley_embed_text_read() reads the written text; -1 if memory
 * is exhausted.
 */
int parley_embed_text_is_whole(const parley_embed_text_t *t);

/* Returns the octets of a text in a quoted string, without the escapes. */
size_t parley_embed_text_len(parley_str_t text);

/*
 * Writes the payload in RFC 8785 form, as in a text, without the members that
 * embedding added and without t->spoken.  A number without such a form is an
 * error.
 */
int parley_embed_text_data(parley_embed_text_t *t, parley_buf_t *b)
    __attribute__((warn_unused_result));

/*
 * The first function writes any value of the message in RFC 8785 form, the
 * second returns whether it has that form.
 */
int parley_embed_text_value(parley_embed_text_t *t, parley_buf_t *b,
    parley_json_ref_t value)
    __attribute__((warn_unused_result));
int parley_embed_text_exact(parley_embed_text_t *t, parley_json_ref_t value)
    __attribute__((warn_unused_result));

/* Returns the deadline in the member requires, or -1. */
int64_t parley_embed_deadline(parley_json_ref_t requires);

/*
 * Removes "error CODE: " from the beginning of a text.  Returns whether it was
 * there, with the code in *ret.
 */
int parley_embed_code_read(parley_str_t *text, parley_str_t *ret);

/* Writes "error CODE: ".  The code has A-Z, 0-9 and "_", and is not empty. */
void parley_embed_code_write(parley_buf_t *b, parley_str_t code);


#endif /* PARLEY_EMBED_TEXT_H */
