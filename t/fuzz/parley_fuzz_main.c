/*
 * Calls the target once with each file below the directories of the arguments,
 * for builds without libFuzzer.  Prints the path of each file before the call.
 */

#define _XOPEN_SOURCE 700

#include "t/fuzz/parley_fuzz.h"

#include <ftw.h>
#include <stdint.h>
#include <sys/stat.h>


#define FUZZ_DEPTH  8                   /* of directories that are open */


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static int
fuzz_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
    FILE     *file;
    size_t    size;
    uint8_t  *data;

    (void) at;

    if (type != FTW_F) {
        return 0;
    }

    size = (size_t) st->st_size;

    /* not longer, so that the sanitizer detects a read beyond the input */

    data = malloc(size > 0 ? size : 1);
    file = fopen(path, "rb");

    if (data == NULL || file == NULL || fread(data, 1, size, file) != size) {
        perror(path);
        exit(2);
    }

    (void) fclose(file);

    (void) puts(path);
    (void) fflush(stdout);
    (void) LLVMFuzzerTestOneInput(data, size);

    free(data);

    return 0;
}


int
main(int argc, char **argv)
{
    int  i;

    for (i = 1; i < argc; i++) {
        if (nftw(argv[i], fuzz_file, FUZZ_DEPTH, FTW_PHYS) != 0) {
            perror(argv[i]);
            return 2;
        }
    }

    return 0;
}
