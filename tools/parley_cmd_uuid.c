/* parley uuid: identifiers for messages. */

#include <stdio.h>
#include <string.h>

#include "core/parley_hex.h"
#include "core/parley_id.h"
#include "tools/parley_tool.h"


static int tool_uuid_run(parley_tool_t *tool);


static const parley_option_t  parley_uuid_options[] = {
    { "count", 'c', "N", "how many, each on its line", 0 },
    tool_option_end
};


const parley_command_t  parley_cmd_uuid = {
    .name = "uuid",
    .operands = "[7|4]",
    .max = 1,
    .summary = "Prints a new UUID, version 7 (default) or 4 (RFC 9562)",
    .options = parley_uuid_options,
    .run = tool_uuid_run
};


static int
tool_uuid_run(parley_tool_t *tool)
{
    char         out[PARLEY_UUID_LEN + 1], time[2 * 6 + 1];
    int64_t      ms, n, count;
    uint8_t      random[16], stamp[6];
    unsigned     i;
    const char  *version, *value;

    count = 1;
    version = (tool->noperands > 0) ? tool->operands[0] : "7";
    value = tool_option(tool, "count");

    if (strcmp(version, "7") != 0 && strcmp(version, "4") != 0) {
        return tool_say_usage(tool, "no version \"%s\": 7 or 4", version);
    }

    if (value != NULL
        && tool_option_integer("count", value, 1, 1000000, &count) != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    for (n = 0; n < count; n++) {
        tool_host_random(random, sizeof(random));
        parley_uuid_random(random, out);

        if (*version == '7') {
            ms = tool_host_ms();

            for (i = 0; i < sizeof(stamp); i++) {
                stamp[i] = (uint8_t) (ms >> (8 * (5 - i)));
            }

            parley_hex(stamp, sizeof(stamp), time);
            memcpy(out, time, 8);
            memcpy(out + 9, time + 8, 4);
            out[14] = '7';
        }

        puts(out);
    }

    return PARLEY_EXIT_OK;
}
