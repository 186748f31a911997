/* What every fuzz target uses. */

#ifndef PARLEY_FUZZ_H
#define PARLEY_FUZZ_H

#include <stdio.h>
#include <stdlib.h>


/* What has to hold; what does not is named before the crash. */
#define check(ok)                                                             \
    do {                                                                      \
        if (!(ok)) {                                                          \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok);          \
            abort();                                                          \
        }                                                                     \
    } while (0)


#endif /* PARLEY_FUZZ_H */
