/*
 * A capsule as a text that a person can read (docs/mapping/channel.md):
 *
 *     The words that a person reads first, where the message has any.
 *
 *     aee.task ops.backup.run
 *     id: 0d9f6a1c-...
 *     corr: ...
 *     act: ...
 *     priority: high
 *     reply_to: ...
 *     requires: {"timeout_ms":5000}
 *     trace: {...}
 *     members: {...}
 *
 *     {"n":1}
 *
 * It is read from its end, where no words can stand: the payload has no line
 * break, the lines before it no blank line.  Names and ids that could be taken
 * for something else (control characters, a quotation mark in front, the word
 * null) are JSON strings.  Of a failure "error CODE: " stands before it.
 */

#ifndef PARLEY_EMBED_TEXT_H
#define PARLEY_EMBED_TEXT_H

#include "translate/parley_embed.h"


#define PARLEY_EMBED_MS_MAX  9007199254740991       /* 2^53 - 1 */


/* a text that is written */
typedef struct {
    parley_arena_t             *arena;
    const parley_msg_t         *m;
    const parley_embed_slot_t  *slot;
    parley_act_t                act;        /* that a reader takes a message
                                               for whose payload says none */
    parley_error_t             *err;

    parley_str_t                text;       /* as it stands in quotes */
    parley_str_t                words;      /* of that, what a person reads
                                               first; or empty */
    uint32_t                    spoken;     /* the value of the payload that
                                               words are, NONE where they stand
                                               in it as well */
    int64_t                     timeout_ms; /* that it says; -1: none */
    unsigned                    deep:1;     /* values in it are, for who reads
                                               it */
} parley_embed_text_t;


/*
 * Reads a text, which is untrusted, by the items of a slot.  Returns 1; 0
 * where the text is no capsule; -1: no memory.
 */
int parley_embed_text_read(parley_arena_t *arena, uint64_t seed,
    const parley_embed_slot_t *slot, parley_str_t text, parley_embed_t *ret)
    __attribute__((warn_unused_result));

/*
 * Puts what a person reads first back to where it stood in the payload of
 * msg, which is read from c.  Returns 0, or -1: no memory.
 */
int parley_embed_text_restore(parley_arena_t *arena, parley_msg_t *msg,
    const parley_embed_t *c)
    __attribute__((warn_unused_result));

/*
 * Writes t->m as t->text.  What is read from it is t->m again, but for the
 * deadline, where it is whole.  Returns 0, or -1 with *t->err filled.
 */
int parley_embed_text_write(parley_embed_text_t *t)
    __attribute__((warn_unused_result));

/* Whether parley_embed_text_read() takes what was written.  -1: no memory. */
int parley_embed_text_is_whole(const parley_embed_text_t *t);

/* How many octets a text has that stands in quotes, without the escapes. */
size_t parley_embed_text_len(parley_str_t text);

/*
 * Writes the payload in RFC 8785 form, as it stands in a text, without what
 * embedding added and without t->spoken; a number that has none is an error.
 */
int parley_embed_text_data(parley_embed_text_t *t, parley_buf_t *b)
    __attribute__((warn_unused_result));

/* The same of any value of the message; and whether it has that form. */
int parley_embed_text_value(parley_embed_text_t *t, parley_buf_t *b,
    parley_json_ref_t value)
    __attribute__((warn_unused_result));
int parley_embed_text_exact(parley_embed_text_t *t, parley_json_ref_t value)
    __attribute__((warn_unused_result));

/* The deadline that the member requires says, or -1. */
int64_t parley_embed_deadline(parley_json_ref_t requires);

/*
 * Takes "error CODE: " off the begin of a text.  Returns whether it was
 * there, and *ret the code.
 */
int parley_embed_code_read(parley_str_t *text, parley_str_t *ret);

/* Writes it: of the code A-Z, 0-9 and "_", never empty. */
void parley_embed_code_write(parley_buf_t *b, parley_str_t code);


#endif /* PARLEY_EMBED_TEXT_H */
