/*
 * The beginning of a connection, one command after another: AUTH, INFO, the end
 * of the connection before, p1_enter, p1_order; and the pause after its end.
 */

#include <stdlib.h>
#include <string.h>

#include "state/parley_import.h"
#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_PAUSE_MIN  200     /* ms between two tries */


static void parley_store_ask_enter(parley_store_t *s);
static int parley_store_failed_step(parley_store_t *s, parley_str_t error);
static void parley_store_server(parley_store_t *s,
    const parley_wire_reply_t *reply);
static void parley_store_policy(parley_store_t *s,
    const parley_wire_reply_t *reply);
static void parley_store_entered(parley_store_t *s,
    const parley_wire_reply_t *reply);
static void parley_store_ask_order(parley_store_t *s);
static int parley_store_is(parley_str_t value, const char *text);


void
parley_store_connect(parley_store_t *s, parley_store_connection_t *c,
    int64_t now)
{
    c->stage = PARLEY_STORE_CONNECTING;
    c->began = now;

    s->env->connect(s->env->ctx, c->link);
}


int
parley_store_is_late(const parley_store_connection_t *c, int64_t now)
{
    return now - c->began >= PARLEY_STORE_BEGIN;
}


void
parley_store_disconnect(parley_store_t *s, parley_store_connection_t *c)
{
    c->stage = PARLEY_STORE_DOWN;
    c->why[0] = '\0';

    parley_wire_destroy(c->wire);
    c->wire = NULL;

    /* a pause of 200 ms to 1 s, with a random part */

    c->pause = c->pause == 0 ? PARLEY_STORE_PAUSE_MIN : 2 * c->pause;

    if (c->pause > PARLEY_STORE_PAUSE_MAX) {
        c->pause = PARLEY_STORE_PAUSE_MAX;
    }

    c->retry = s->env->now(s->env->ctx) + c->pause / 2
               + (int64_t) (s->env->random(s->env->ctx)
                            % (uint64_t) (c->pause / 2));

    s->env->close(s->env->ctx, c->link);
}


void
parley_store_ask(parley_store_t *s, parley_store_connection_t *c,
    parley_store_stage_t stage, const parley_str_t *arguments, size_t n)
{
    parley_str_t    octets;
    parley_arena_t  arena;

    c->stage = stage;
    c->began = s->env->now(s->env->ctx);

    /* the command may have the password */

    parley_arena_init(&arena, &parley_mem_secret, 0);

    if (parley_wire_command(&arena, arguments, n, &octets) == 0) {
        s->env->send(s->env->ctx, c->link, octets);

    } else {
        parley_store_failed(c, "memory is exhausted");
    }

    parley_arena_reset(&arena);
}


void
parley_store_next(parley_store_t *s)
{
    parley_str_t  arguments[4];

    arguments[0] = PARLEY_STR("INFO");

    switch (s->main.stage) {

    case PARLEY_STORE_AUTH:
        arguments[1] = PARLEY_STR("server");
        parley_store_ask(s, &s->main, PARLEY_STORE_SERVER, arguments, 2);
        return;

    case PARLEY_STORE_SERVER:
        arguments[1] = PARLEY_STR("replication");
        arguments[2] = PARLEY_STR("memory");
        parley_store_ask(s, &s->main, PARLEY_STORE_ROLE, arguments, 3);
        return;

    case PARLEY_STORE_ROLE:
        arguments[0] = PARLEY_STR("CLIENT");
        arguments[1] = PARLEY_STR("ID");
        parley_store_ask(s, &s->main, PARLEY_STORE_CLIENT, arguments, 2);
        return;

    default:
        parley_store_ask_enter(s);
    }
}


static void
parley_store_ask_enter(parley_store_t *s)
{
    char          lease[24], known[24];
    size_t        i, n;
    char          text[PARLEY_STORE_TEXT];
    parley_str_t  arguments[11 + PARLEY_STORE_COMMANDS];

    static const uint8_t  formats[2] = {
        PARLEY_STATE_OLDEST, PARLEY_STATE_FORMAT
    };

    parley_store_member_text(s, text);

    s->had = s->zone->ops->import->generation(s->zone);

    n = 0;

    arguments[n++] = PARLEY_STR("FCALL");
    arguments[n++] = PARLEY_STR("p1_enter");
    arguments[n++] = PARLEY_STR("1");
    arguments[n++] = parley_store_prefix(s);
    arguments[n++] = parley_str_c(s->run);
    arguments[n++] = parley_str_make(s->conf->fingerprint,
                                     PARLEY_STORE_FINGERPRINT);
    arguments[n++] = parley_str_make(formats, sizeof(formats));
    arguments[n++] = parley_str_make(s->conf->node, PARLEY_STORE_NODE);
    arguments[n++] = parley_str_c(text);
    arguments[n++] = parley_wire_number((int64_t) s->stat.generation, known);
    arguments[n++] = parley_wire_number(s->conf->lease, lease);

    for (i = PARLEY_STORE_UNASKED; i < PARLEY_STORE_COMMANDS; i++) {
        arguments[n++] = parley_str_c(parley_store_commands[i]);
    }

    parley_store_ask(s, &s->main, PARLEY_STORE_ENTER, arguments, n);
}


int
parley_store_step(parley_store_t *s, const parley_wire_reply_t *reply)
{
    int64_t       id;
    uint64_t      has;
    parley_str_t  error, arguments[4];

    error = parley_wire_error(reply);

    if (error.len != 0 && !parley_store_failed_step(s, error)) {
        return 0;
    }

    switch (s->main.stage) {

    case PARLEY_STORE_SERVER:
        parley_store_server(s, reply);
        return 0;

    case PARLEY_STORE_ROLE:
        parley_store_policy(s, reply);
        return 0;

    case PARLEY_STORE_CLIENT:

        if (!parley_wire_integer(reply, &id)) {
            parley_store_strange(s, "CLIENT ID");
            return 0;
        }

        arguments[3] = parley_str_c(s->client);

        if (s->client[0] != '\0' && strcmp(s->client_run, s->run) == 0) {
            arguments[0] = PARLEY_STR("CLIENT");
            arguments[1] = PARLEY_STR("KILL");
            arguments[2] = PARLEY_STR("ID");
            parley_store_ask(s, &s->main, PARLEY_STORE_KILL, arguments, 4);

        } else {
            s->main.stage = PARLEY_STORE_KILL;
            parley_store_next(s);
        }

        s->entering = id;

        return 0;

    case PARLEY_STORE_ENTER:
        parley_store_entered(s, reply);
        return 0;

    case PARLEY_STORE_ORDER:

        if (!parley_wire_integer(reply, &id) || id != 1) {
            parley_store_fail(s, "the store was emptied");
            return 0;
        }

        /* the reply may be older than what another worker knows */

        has = s->zone->ops->import->generation(s->zone);

        if (has != s->had && has != s->stat.generation) {
            parley_store_fail(s, "another worker has found a new generation");
            return 0;
        }

        return 1;

    default:
        parley_store_next(s);
    }

    return 0;
}


/* Returns 1 if the step goes on in spite of the error. */

static int
parley_store_failed_step(parley_store_t *s, parley_str_t error)
{
    parley_str_t  arguments[3];

    /* the library of another version has other names */

    if (s->main.stage == PARLEY_STORE_ENTER && !s->loaded
        && error.len >= 22
        && memcmp(error.data, "ERR Function not found", 22) == 0)
    {
        s->loaded = 1;

        arguments[0] = PARLEY_STR("FUNCTION");
        arguments[1] = PARLEY_STR("LOAD");
        arguments[2] = parley_str_make(parley_store_library,
                                       parley_store_library_len);

        parley_store_ask(s, &s->main, PARLEY_STORE_LOAD, arguments, 3);

        return 0;
    }

    /* another worker has loaded it */

    if (s->main.stage == PARLEY_STORE_LOAD && error.len > 3
        && memcmp(error.data, "ERR", 3) == 0)
    {
        return 1;
    }

    if (parley_store_error(s, error)) {
        error = parley_store_words(s, error);
        parley_store_unusable(s, "the engine refuses: %.*s", (int) error.len,
                              (const char *) error.data);
    }

    return 0;
}


static void
parley_store_server(parley_store_t *s, const parley_wire_reply_t *reply)
{
    parley_str_t  version, mode, run;

    version = parley_store_line(reply, "redis_version");
    mode = parley_store_line(reply, "redis_mode");
    run = parley_store_line(reply, "run_id");

    if (mode.len == 0) {
        mode = parley_store_line(reply, "server_mode");
    }

    if (version.len < 2 || run.len == 0 || run.len >= sizeof(s->run)) {
        parley_store_strange(s, "INFO server");
        return;
    }

    if (version.data[1] == '.' && version.data[0] < '7') {
        version = parley_store_words(s, version);
        parley_store_unusable(s, "the engine has version %.*s; Redis 7.0 or "
                              "Valkey 8 is needed", (int) version.len,
                              (const char *) version.data);
        return;
    }

    if (parley_store_is(mode, "cluster")) {
        parley_store_unusable(s, "the engine runs in Cluster mode; use one "
                              "primary with replicas");
        return;
    }

    memcpy(s->run, run.data, run.len);
    s->run[run.len] = '\0';

    parley_store_next(s);
}


static void
parley_store_policy(parley_store_t *s, const parley_wire_reply_t *reply)
{
    parley_str_t  policy;

    if (!parley_store_role(s, reply)) {
        return;
    }

    policy = parley_store_line(reply, "maxmemory_policy");

    if (s->stat.max != 0 && !parley_store_is(policy, "noeviction")) {
        policy = parley_store_words(s, policy);
        parley_store_unusable(s, "the engine evicts keys (maxmemory-policy "
                              "%.*s); set noeviction", (int) policy.len,
                              (const char *) policy.data);
        return;
    }

    parley_store_next(s);
}


int
parley_store_role(parley_store_t *s, const parley_wire_reply_t *reply)
{
    char          number[24];
    size_t        i;
    uint64_t     *fields[] = { &s->stat.used, &s->stat.max, &s->replicas };
    parley_str_t  value;

    static const char *const  names[] = {
        "used_memory", "maxmemory", "connected_slaves"
    };

    if (!parley_store_is(parley_store_line(reply, "role"), "master")) {
        parley_store_fail(s, "the engine is a replica");
        return 0;
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        value = parley_store_line(reply, names[i]);

        if (value.len != 0 && value.len < sizeof(number)) {
            memcpy(number, value.data, value.len);
            number[value.len] = '\0';
            *fields[i] = strtoull(number, NULL, 10);
        }
    }

    return 1;
}


parley_str_t
parley_store_line(const parley_wire_reply_t *reply, const char *name)
{
    size_t          len, i;
    parley_str_t    text;

    len = strlen(name);

    if (!parley_wire_text(reply, &text)) {
        return parley_str_none;
    }

    while (text.len > len) {

        for (i = 0; i < text.len && text.data[i] != '\r'
                    && text.data[i] != '\n'; i++)
        {
            /* void */
        }

        if (i > len && memcmp(text.data, name, len) == 0
            && text.data[len] == ':')
        {
            return parley_str_make(text.data + len + 1, i - len - 1);
        }

        i += i < text.len;
        text = parley_str_make(text.data + i, text.len - i);
    }

    return parley_str_none;
}


static int
parley_store_is(parley_str_t value, const char *text)
{
    return value.len == strlen(text)
           && memcmp(value.data, text, value.len) == 0;
}


static void
parley_store_entered(parley_store_t *s, const parley_wire_reply_t *reply)
{
    int64_t   generation, now, nodes;
    uint64_t  known, before;

    if (parley_wire_elements(reply) != 4
        || !parley_wire_integer(parley_wire_element(reply, 0), &generation)
        || !parley_wire_integer(parley_wire_element(reply, 1), &now)
        || !parley_wire_integer(parley_wire_element(reply, 2), &nodes)
        || parley_store_set_format(s, parley_wire_element(reply, 3)) != 0
        || generation == 0)
    {
        parley_store_strange(s, "p1_enter");
        return;
    }

    /* from now on it sends calls, so the next connection kills it */

    (void) parley_wire_number(s->entering, s->client);
    memcpy(s->client_run, s->run, sizeof(s->run));

    known = s->stat.generation;

    /* a new worker may be the only one that enters this generation */

    before = known != 0 ? known : s->had;

    s->stat.generation = (uint64_t) generation;
    s->generation[parley_wire_number(generation, s->generation).len] = '\0';
    s->stat.nodes = (uint64_t) nodes;
    s->stat.offset = now - s->env->wall(s->env->ctx);
    s->offset = now - s->env->now(s->env->ctx);
    s->lapsed = known != 0 && !parley_store_holds(s, s->main.began);
    s->renewed = s->main.began;
    s->renewing = 0;
    s->asking = 0;

    /* other nodes may have adopted jobs, also before this worker began */

    s->behind |= s->lapsed || known == 0;

    if (known != s->stat.generation) {

        s->listed = 0;

        /* all changes are asked for: the zone may be older than the store */

        memcpy(s->changes, "0", 2);

        if (before != 0 && before != s->stat.generation) {
            s->stat.lost[PARLEY_STORE_LOST_GENERATION]++;
            parley_store_log(s, PARLEY_STORE_WARN, "the engine has restarted, "
                             "or is another one: a message that was "
                             "acknowledged within the lag of its replica may "
                             "be unknown (generation %llu)",
                             (unsigned long long) generation);
        }
    }

    s->restores = before != 0 && before != s->stat.generation;

    parley_store_ask_order(s);
}


/* Calls that are sent again add steps, so the order continues before that. */

static void
parley_store_ask_order(parley_store_t *s)
{
    char          known[24];
    parley_str_t  arguments[6];

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_order");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_store_generation(s);
    arguments[5] = parley_wire_number((int64_t) s->zone->ops->import->number(
                                          s->zone), known);

    parley_store_ask(s, &s->main, PARLEY_STORE_ORDER, arguments, 6);
}
