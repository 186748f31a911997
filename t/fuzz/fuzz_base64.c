/* Base64: accepted text is the only encoding of its octets. */

#include <stdlib.h>
#include <string.h>

#include "core/parley_base64.h"
#include "t/fuzz/parley_fuzz.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char          *back;
    size_t         len;
    uint8_t       *octets;
    parley_str_t   text;

    text = parley_str_make(data, size);
    octets = malloc(PARLEY_BASE64_DECODED(size));
    back = malloc(PARLEY_BASE64_ENCODED(PARLEY_BASE64_DECODED(size)));
    check(octets != NULL && back != NULL);

    if (parley_base64_decode(text, octets, &len) == 0) {
        check(parley_base64_encode(parley_str_make(octets, len), back)
              == size);
        check(memcmp(back, data, size) == 0);

    } else {
        check(len == 0);
    }

    if (parley_base64url_decode(text, octets, &len) == 0) {
        check(parley_base64url_encode(parley_str_make(octets, len), back)
              == size);
        check(memcmp(back, data, size) == 0);
    }

    free(octets);
    free(back);

    return 0;
}
