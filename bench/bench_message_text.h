/*
 * The texts of messages.  In them "\1" is the id, "\2" the time, "\3" the
 * signature, "\4" what fills the message up to its size.
 */

#ifndef BENCH_MESSAGE_TEXT_H
#define BENCH_MESSAGE_TEXT_H

#include <stddef.h>


typedef struct {
    const char  *name;
    char         version;       /* of the id, a UUID */
    size_t       size;
    const char  *text;
    const char  *canonical;     /* without the signature; NULL: unsigned */
    const char  *fill;          /* repeated, whole and then in part */
    int          elements;      /* fill is an element of an array: whole
                                   ones only, then blanks */
} bench_kind_t;


/* a name of NULL ends them */
extern const bench_kind_t  bench_kinds[];


#endif /* BENCH_MESSAGE_TEXT_H */
