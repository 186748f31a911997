#include <stdio.h>
#include <stdlib.h>

#include "bench/bench_fail.h"


void
bench_fail(const char *text)
{
    perror(text);
    exit(1);
}


void
bench_wrong(const char *text)
{
    fprintf(stderr, "bench: %s\n", text);
    exit(1);
}
