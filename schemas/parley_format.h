/*
 * The formats that are asserted (JSON Schema validation, section 7.3).  Any
 * other is an annotation, or refused if the format-assertion vocabulary is in
 * force.
 */

#ifndef PARLEY_FORMAT_H
#define PARLEY_FORMAT_H

#include "core/parley_str.h"


typedef enum {
    PARLEY_FORMAT_NONE = 0,
    PARLEY_FORMAT_DATE_TIME,    /* RFC 3339 section 5.6, valid date */
    PARLEY_FORMAT_UUID,         /* RFC 4122: any version, any case */
    PARLEY_FORMAT_URI,          /* RFC 3986: not relative, ASCII */
    PARLEY_FORMAT_IPV4,         /* RFC 2673 section 3.2: dotted-quad */
    PARLEY_FORMAT_IPV6          /* RFC 4291 section 2.2, without a zone */
} parley_format_t;


/* Returns the format of that name, or PARLEY_FORMAT_NONE. */
parley_format_t parley_format(parley_str_t name);

/* Returns a description for messages: "an RFC 3339 date-time". */
const char *parley_format_text(parley_format_t format);

/* Returns whether s, an unescaped string, has the format. */
int parley_format_is(parley_format_t format, parley_str_t s);


#endif /* PARLEY_FORMAT_H */
