#include <stdlib.h>
#include <string.h>

#include "hub/parley_expand.h"


#define PARLEY_EXPAND_ROOM  16      /* initial room for logs */


static int parley_expand_org(parley_arena_t *arena,
    const parley_state_t *state, const parley_channel_scope_t *scope,
    const parley_expand_conf_t *conf, const parley_expand_env_t *env,
    parley_expansion_t *ret, parley_error_t *err);
static int parley_expand_add(parley_arena_t *arena, parley_expansion_t *ret,
    size_t *room, const uint8_t key[PARLEY_KEY_LEN]);
static void parley_expand_unique(parley_expansion_t *ret);
static int parley_expand_order(const void *a, const void *b);
static int parley_expand_fail(parley_error_t *err, parley_code_t code,
    const char *text);


void
parley_expand_log(const parley_state_t *state, parley_str_t address,
    uint8_t out[PARLEY_KEY_LEN])
{
    parley_str_t  parts[2];

    parts[0] = PARLEY_STR("handle");
    parts[1] = address;

    parley_state_key(state, PARLEY_KIND_LOG, parts, 2, out);
}


int
parley_expand(parley_arena_t *arena, const parley_state_t *state,
    const parley_channel_scope_t *scope, const parley_expand_conf_t *conf,
    const parley_expand_env_t *env, parley_expansion_t *ret,
    parley_error_t *err)
{
    size_t   room;
    uint8_t  key[PARLEY_KEY_LEN];

    parley_error_clear(err);
    memset(ret, 0, sizeof(parley_expansion_t));

    if (parley_expand_may(scope, conf, env, err) != 0) {
        return -1;
    }

    if (parley_expand_is_org(scope)) {
        return parley_expand_org(arena, state, scope, conf, env, ret, err);
    }

    if (scope->form == PARLEY_CHANNEL_SCOPE_PREFIX) {
        ret->audience.form = PARLEY_AUDIENCE_PREFIX;
        ret->audience.instrument = scope->instrument;

    } else if (scope->form == PARLEY_CHANNEL_SCOPE_SESSION) {
        ret->audience.form = PARLEY_AUDIENCE_SESSION;
        ret->audience.instrument = scope->instrument;
        ret->audience.session = scope->session;
    }

    room = 0;
    parley_expand_log(state, scope->handle, key);

    return parley_expand_add(arena, ret, &room, key) == 0
           ? 0 : parley_error_memory(err);
}


/* the error says only that the form is disabled for this sender */

int
parley_expand_may(const parley_channel_scope_t *scope,
    const parley_expand_conf_t *conf, const parley_expand_env_t *env,
    parley_error_t *err)
{
    if (conf->off & (1u << scope->form)) {
        return parley_expand_fail(err, PARLEY_E_SCOPE_UNIMPLEMENTED,
                                  "scopes of this form are not supported here");
    }

    switch (scope->form) {

    case PARLEY_CHANNEL_SCOPE_MEMBERS:
    case PARLEY_CHANNEL_SCOPE_ROLE:
        return env->member(env->ctx, scope->handle) ? 0
               : parley_expand_fail(err, PARLEY_E_SCOPE_UNAUTHORISED,
                                    "the sender is not a member of the "
                                    "organisation");

    case PARLEY_CHANNEL_SCOPE_ACCORD:
        return env->granted(env->ctx, scope->handle, scope->grant) ? 0
               : parley_expand_fail(err, PARLEY_E_SCOPE_UNAUTHORISED,
                                    "the sender does not have this grant of "
                                    "the peer organisation");

    default:
        return 0;
    }
}


static int
parley_expand_org(parley_arena_t *arena, const parley_state_t *state,
    const parley_channel_scope_t *scope, const parley_expand_conf_t *conf,
    const parley_expand_env_t *env, parley_expansion_t *ret,
    parley_error_t *err)
{
    int           rc;
    size_t        at, room;
    uint8_t       key[PARLEY_KEY_LEN];
    parley_str_t  address;

    at = 0;
    room = 0;
    ret->org = scope->handle;

    while ((rc = env->next(env->ctx, scope, &at, &address)) != 0) {

        if (rc > 0) {
            parley_expand_log(state, address, key);
        }

        if (rc < 0 || parley_expand_add(arena, ret, &room, key) != 0) {
            return parley_error_memory(err);
        }

        /* duplicates are removed from time to time */

        if (ret->nlogs > 2 * conf->max) {
            parley_expand_unique(ret);

            if (ret->nlogs > conf->max) {
                break;
            }
        }
    }

    parley_expand_unique(ret);

    if (ret->nlogs <= conf->max) {
        return 0;
    }

    memset(ret, 0, sizeof(parley_expansion_t));

    return parley_expand_fail(err, PARLEY_E_POLICY_REFUSED,
                              "the scope names more recipients than a message "
                              "may have");
}


static int
parley_expand_add(parley_arena_t *arena, parley_expansion_t *ret,
    size_t *room, const uint8_t key[PARLEY_KEY_LEN])
{
    uint8_t  (*logs)[PARLEY_KEY_LEN];

    if (ret->nlogs == *room) {
        *room = *room != 0 ? *room * 2 : PARLEY_EXPAND_ROOM;
        logs = parley_arena_alloc(arena, *room * PARLEY_KEY_LEN);

        if (logs == NULL) {
            return -1;
        }

        if (ret->nlogs != 0) {
            memcpy(logs, ret->logs, ret->nlogs * PARLEY_KEY_LEN);
        }

        ret->logs = logs;
    }

    memcpy(ret->logs[ret->nlogs++], key, PARLEY_KEY_LEN);

    return 0;
}


static void
parley_expand_unique(parley_expansion_t *ret)
{
    size_t  i, n;

    if (ret->nlogs == 0) {
        return;
    }

    qsort(ret->logs, ret->nlogs, PARLEY_KEY_LEN, parley_expand_order);

    n = 1;

    for (i = 1; i < ret->nlogs; i++) {
        if (memcmp(ret->logs[i], ret->logs[n - 1], PARLEY_KEY_LEN) != 0) {
            memmove(ret->logs[n++], ret->logs[i], PARLEY_KEY_LEN);
        }
    }

    ret->nlogs = n;
}


static int
parley_expand_order(const void *a, const void *b)
{
    return memcmp(a, b, PARLEY_KEY_LEN);
}


static int
parley_expand_fail(parley_error_t *err, parley_code_t code, const char *text)
{
    (void) parley_error_set(err, code, "scope", "%s", text);

    err->is_name = 1;

    return -1;
}
