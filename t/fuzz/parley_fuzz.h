/* Shared by all fuzz targets. */

#ifndef PARLEY_FUZZ_H
#define PARLEY_FUZZ_H

#include <stdio.h>
#include <stdlib.h>


/* Checks a condition; prints it before the crash. */
#define check(ok)                                                             \
    do {                                                                      \
        if (!(ok)) {                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok);          \
            abort();                                                          \
        }                                                                     \
    } while (0)


#endif /* PARLEY_FUZZ_H */
