/* The machine: its clock and its random numbers. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "tools/parley_tool.h"


int64_t
tool_host_seconds(void)
{
    return tool_host_ms() / 1000;
}


int64_t
tool_host_ms(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}


void
tool_host_random(void *out, size_t len)
{
    ssize_t   n;
    uint8_t  *p = out;

    while (len > 0) {
        n = getrandom(p, len, 0);

        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }

            tool_say("no random numbers: %s", strerror(errno));
            exit(PARLEY_EXIT_USAGE);
        }

        p += n;
        len -= (size_t) n;
    }
}
