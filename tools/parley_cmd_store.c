/* parley store acl: the user of a store. */

#include <string.h>

#include "core/parley_digest.h"
#include "core/parley_hex.h"
#include "gate/settings/parley_store_settings.h"
#include "state/store/parley_store.h"
#include "state/store/parley_store_sentinel.h"
#include "tools/parley_tool.h"


#define PARLEY_STORE_ACL_FILE  1026     /* octets of a password and its line */


static int tool_store_acl_run(parley_tool_t *tool);
static int tool_store_acl_password(parley_tool_t *tool, parley_buf_t *b,
    const char *path);


static const parley_option_t  parley_store_acl_options[] = {
    { "prefix", 0, "P", "prefix= of parley_store (default: parley)", 0 },
    { "user", 0, "U", "user= of parley_store (default: parley)", 0 },
    { "password", 0, "FILE", "the file of password=; the line has its SHA-256",
      0 },
    { "sentinel", 0, NULL, "for sentinel_user= and sentinel_password= instead",
      0 },
    tool_option_end
};


const parley_command_t  parley_cmd_store_acl = {
    .name = "store acl",
    .operands = "",
    .max = 0,
    .summary = "Prints the user of a store for the ACL of Redis or Valkey",
    .text = "The line is for the file of aclfile, or after \"ACL SETUSER\" "
            "without its first\nword.  The user can use the keys of one "
            "prefix, or with --sentinel ask for the\nprimary.  Without "
            "--password, add the password to the line.\n",
    .options = parley_store_acl_options,
    .run = tool_store_acl_run
};


static int
tool_store_acl_run(parley_tool_t *tool)
{
    const char    *prefix, *user, *path;
    parley_buf_t   b;
    parley_str_t   text;

    prefix = tool_option(tool, "prefix");
    user = tool_option(tool, "user");
    path = tool_option(tool, "password");

    prefix = prefix != NULL ? prefix : "parley";
    user = user != NULL ? user : "parley";

    if (!parley_set_store_is_prefix(parley_str_c(prefix))) {
        return tool_say_usage(tool, "--prefix: \"%s\" is not a prefix; "
                              "expected " PARLEY_STORE_SETTINGS_PREFIX_FORM,
                              prefix);
    }

    if (!parley_set_store_is_user(parley_str_c(user))) {
        return tool_say_usage(tool, "--user: \"%s\" is not a user; expected "
                              PARLEY_STORE_SETTINGS_USER_FORM, user);
    }

    parley_buf_init(&b, &tool->arena, 1024);

    parley_buf_lit(&b, "user ");
    parley_buf_str(&b, parley_str_c(user));
    parley_buf_lit(&b, " on ");

    if (path != NULL && tool_store_acl_password(tool, &b, path) != 0) {
        return PARLEY_EXIT_USAGE;
    }

    if (tool_option(tool, "sentinel") != NULL) {
        parley_store_sentinel_acl(&b);

    } else {
        parley_store_acl(&b, parley_str_c(prefix));
    }

    if (parley_buf_done(&b, &text) != 0) {
        tool_say("out of memory");
        return PARLEY_EXIT_USAGE;
    }

    tool_output_line(text);

    return PARLEY_EXIT_OK;
}


static int
tool_store_acl_password(parley_tool_t *tool, parley_buf_t *b, const char *path)
{
    char          digits[2 * PARLEY_SHA256_LEN + 1];
    uint8_t       hash[PARLEY_SHA256_LEN];
    parley_str_t  text;

    if (tool_file_whole(tool, path, PARLEY_STORE_ACL_FILE, &text) != 0) {
        return -1;
    }

    if (text.len > 0 && text.data[text.len - 1] == '\n') {
        text.len--;
        text.len -= text.len > 0 && text.data[text.len - 1] == '\r';
    }

    if (text.len == 0 || memchr(text.data, '\n', text.len) != NULL) {
        tool_say("%s: expected one line with the password", path);
        return -1;
    }

    if (parley_sha256(text, hash) != 0) {
        tool_say("out of memory");
        return -1;
    }

    parley_hex(hash, sizeof(hash), digits);

    parley_buf_lit(b, "resetpass #");
    parley_buf_str(b, parley_str_c(digits));
    parley_buf_lit(b, " ");

    return 0;
}
