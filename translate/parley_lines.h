/*
 * Text for a reader of lines, such as a model: a head of lines "name: value",
 * and sections.  The text of another party cannot forge either.
 */

#ifndef PARLEY_LINES_H
#define PARLEY_LINES_H

#include "core/parley_buf.h"
#include "core/parley_str.h"


/*
 * Appends a value on one line, without control characters and line ends of any
 * kind.
 */
void parley_lines_value(parley_buf_t *b, parley_str_t value);

/*
 * Appends text line by line; every line break becomes a newline.  A line that
 * resembles a line of the head is quoted with "> ".  After any characters that
 * are not letters, such a line has begin, or one of names with a colon or
 * nothing after it.  Case is ignored; begin and names are in lower case, and
 * NULL ends names.
 */
void parley_lines_text(parley_buf_t *b, parley_str_t text, const char *begin,
    const char *const *names);


#endif /* PARLEY_LINES_H */
