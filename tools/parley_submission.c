/* Facts about a message that a gateway takes from its submission. */

#include <string.h>

#include "translate/moq/parley_moq_frame.h"
#include "core/parley_time.h"
#include "tools/parley_tool.h"


static int tool_submission_time(parley_tool_t *tool, int64_t *ret);
static int tool_submission_frame(parley_tool_t *tool,
    parley_submission_t *ret);


int
tool_submission_read(parley_tool_t *tool, parley_submission_t *ret)
{
    size_t       i;
    const char  *value;

    const struct {
        const char    *name;
        parley_str_t  *to;
    } texts[] = {
        { "sender", &ret->sender },
        { "recipient", &ret->recipient },
        { "scope", &ret->scope },
    };

    memset(ret, 0, sizeof(parley_submission_t));

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        value = tool_option(tool, texts[i].name);
        *texts[i].to = parley_str_c(value != NULL ? value : "");
    }

    if (tool_submission_time(tool, &ret->ms) != 0) {
        return -1;
    }

    return tool_submission_frame(tool, ret);
}


static int
tool_submission_time(parley_tool_t *tool, int64_t *ret)
{
    const char  *value;

    *ret = tool_host_ms();

    value = tool_option(tool, "time");

    return value == NULL ? 0 : tool_option_time("time", value, *ret, ret);
}


static int
tool_submission_frame(parley_tool_t *tool, parley_submission_t *ret)
{
    int64_t      stream;
    uint64_t     session;
    const char  *value;

    value = tool_option(tool, "session");

    if (value != NULL) {
        ret->session = parley_str_c(value);

        if (parley_moq_session_read(ret->session, &session) != 0) {
            tool_say("--session: \"%s\" is not 16 hex digits", value);
            return -1;
        }
    }

    value = tool_option(tool, "stream");

    if (value == NULL) {
        return 0;
    }

    if (tool_option_integer("stream", value, 0, UINT32_MAX, &stream) != 0) {
        return -1;
    }

    ret->stream = (uint32_t) stream;

    return 0;
}
