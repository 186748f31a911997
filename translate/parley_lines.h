/*
 * Text for a reader who goes by lines, such as a model: a head of lines
 * "name: value", sections, and what somebody else wrote, which forges neither.
 */

#ifndef PARLEY_LINES_H
#define PARLEY_LINES_H

#include "core/parley_buf.h"
#include "core/parley_str.h"


/*
 * Appends a value that stays on its line: no control character, and nothing
 * that ends a line anywhere.
 */
void parley_lines_value(parley_buf_t *b, parley_str_t value);

/*
 * Appends text line by line; whatever breaks lines becomes a newline.  A line
 * that reads like one of the head is quoted with "> ": whatever stands before
 * its first letter, and in whichever case, begin, or a word of names (the last
 * is NULL; both in lower case) with nothing or a colon behind it.
 */
void parley_lines_text(parley_buf_t *b, parley_str_t text, const char *begin,
    const char *const *names);


#endif /* PARLEY_LINES_H */
