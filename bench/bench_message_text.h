/*
 * Texts of messages.  "\1" is the place of the id, "\2" of the time, "\3" of
 * the signature, and "\4" of the text that fills the message up to its size.
 */

#ifndef BENCH_MESSAGE_TEXT_H
#define BENCH_MESSAGE_TEXT_H

#include <stddef.h>


typedef struct {
    const char  *name;
    char         version;       /* version of the id, a UUID */
    size_t       size;
    const char  *text;
    const char  *canonical;     /* without the signature; NULL: unsigned */
    const char  *fill;          /* repeated, the last time in part */
    int          elements;      /* fill is an element of an array: repeated as a
                                   whole, then blanks */
} bench_kind_t;


/* a name of NULL ends the table */
extern const bench_kind_t  bench_kinds[];


#endif /* BENCH_MESSAGE_TEXT_H */
