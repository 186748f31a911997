/* Commands of the engine that the store uses, and the permissions for them. */

#include <string.h>

#include "state/store/parley_store_parts.h"


/*
 * The connection uses the first PARLEY_STORE_UNASKED commands before p1_enter
 * can ask for the permissions.  The functions use the commands from "del" on.
 */
const char *const  parley_store_commands[PARLEY_STORE_COMMANDS] = {
    "fcall", "info", "client|id",
    "client|kill", "function|load", "wait", "subscribe", "ping", "get", "set",
    "del", "hdel", "hget", "hmget", "hset", "incr", "incrby", "lrange",
    "ltrim", "pexpire", "publish", "rpush", "time", "xadd", "xdel", "xrange",
    "xtrim", "zadd", "zcount", "zrangebyscore", "zrem", "zscore"
};


void
parley_store_acl(parley_buf_t *b, parley_str_t prefix)
{
    size_t  i;

    parley_buf_lit(b, "resetkeys ~{");
    parley_buf_str(b, prefix);
    parley_buf_lit(b, "}* resetchannels &{");
    parley_buf_str(b, prefix);
    parley_buf_lit(b, "}* -@all");

    for (i = 0; i < PARLEY_STORE_COMMANDS; i++) {
        parley_buf_lit(b, " +");
        parley_buf_str(b, parley_str_c(parley_store_commands[i]));
    }
}
