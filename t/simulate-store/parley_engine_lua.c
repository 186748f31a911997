/*
 * The functions of a library.  As in the engine, a library has only the table
 * redis while it loads; its functions have the standard tables and struct.
 */

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/simulate-store/parley_engine.h"


#define ENGINE_FUNCTIONS  "functions"   /* in the registry */
#define ENGINE_LOADING    "loading"
#define ENGINE_RUNNING    "running"

#define ENGINE_NO_WRITES  1             /* flags of a function */
#define ENGINE_ALLOW_OOM  2


static engine_t *
engine_of(lua_State *L)
{
    engine_t  *e;

    lua_getfield(L, LUA_REGISTRYINDEX, "engine");
    e = lua_touserdata(L, -1);
    lua_pop(L, 1);

    return e;
}


/* Pushes the value of a reply; returns the octets after it. */

static const char *
engine_push_reply(lua_State *L, const char *p)
{
    int          n, i;
    const char  *end;

    end = strstr(p, "\r\n");

    switch (*p) {

    case ':':
        lua_pushnumber(L, (lua_Number) strtoll(p + 1, NULL, 10));
        return end + 2;

    case '+':
    case '-':
        lua_newtable(L);
        lua_pushlstring(L, p + 1, (size_t) (end - p - 1));
        lua_setfield(L, -2, *p == '+' ? "ok" : "err");
        return end + 2;

    case '$':
        n = atoi(p + 1);

        if (n < 0) {
            lua_pushboolean(L, 0);
            return end + 2;
        }

        lua_pushlstring(L, end + 2, (size_t) n);
        return end + 2 + n + 2;

    default:
        n = atoi(p + 1);
        p = end + 2;
        luaL_checkstack(L, 4, "reply");
        lua_newtable(L);

        for (i = 1; i <= n; i++) {
            p = engine_push_reply(L, p);
            lua_rawseti(L, -2, i);
        }

        return p;
    }
}


/* redis.call and redis.pcall */

static int
engine_lua_command(lua_State *L, int raises)
{
    int            i, n, length;
    char           number[64];
    size_t         len;
    engine_t      *e = engine_of(L);
    const char    *text;
    engine_buf_t   out;
    parley_str_t  *words;

    n = lua_gettop(L);

    if (n == 0) {
        return luaL_error(L, "ERR Please specify at least one argument for "
                             "this redis.call()");
    }

    words = lua_newuserdata(L, (size_t) n * sizeof(parley_str_t));

    for (i = 0; i < n; i++) {

        if (lua_type(L, i + 1) == LUA_TNUMBER) {
            length = snprintf(number, sizeof(number), "%.17g",
                              (double) lua_tonumber(L, i + 1));
            lua_pushlstring(L, number, (size_t) length);
            lua_replace(L, i + 1);
        }

        if (lua_type(L, i + 1) != LUA_TSTRING) {
            return luaL_error(L, "ERR Lua redis lib command arguments must be "
                                 "strings or integers");
        }

        text = lua_tolstring(L, i + 1, &len);
        words[i] = parley_str_make((const uint8_t *) text, len);
    }

    memset(&out, 0, sizeof(out));
    engine_key_command(e, words, (size_t) n, &out);
    engine_put(&out, "", 1);

    (void) engine_push_reply(L, (const char *) out.p);
    n = out.p[0] == '-';
    free(out.p);

    return n && raises ? lua_error(L) : 1;
}


static int
engine_lua_redis_call(lua_State *L)
{
    return engine_lua_command(L, 1);
}


static int
engine_lua_pcall(lua_State *L)
{
    return engine_lua_command(L, 0);
}


static int
engine_lua_reply(lua_State *L, const char *field)
{
    luaL_checkstring(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, field);

    return 1;
}


static int
engine_lua_error_reply(lua_State *L)
{
    return engine_lua_reply(L, "err");
}


static int
engine_lua_status_reply(lua_State *L)
{
    return engine_lua_reply(L, "ok");
}


static int
engine_lua_acl(lua_State *L)
{
    size_t       i;
    const char  *name;

    /* the engine knows the command, and subcommands have a container */

    name = luaL_checkstring(L, 1);

    static const char *const  others[] = {
        "client", "function", "wait", "subscribe", "ping", "publish"
    };

    for (i = 0; i < sizeof(others) / sizeof(others[0])
                && strcmp(name, others[i]) != 0; i++)
    {
        /* void */
    }

    if (i == sizeof(others) / sizeof(others[0])
        && engine_writes(parley_str_c(name)) < 0)
    {
        return luaL_error(L, "ERR Invalid command passed to "
                             "redis.acl_check_cmd()");
    }

    lua_pushboolean(L, 1);

    return 1;
}


/* redis.register_function, with two arguments or a table */

static int
engine_lua_register(lua_State *L)
{
    int          flags, i;
    const char  *flag;

    lua_getfield(L, LUA_REGISTRYINDEX, ENGINE_LOADING);

    if (!lua_toboolean(L, -1)) {
        return luaL_error(L, "redis.register_function can only be called on "
                             "FUNCTION LOAD command");
    }

    lua_pop(L, 1);
    flags = 0;

    if (lua_istable(L, 1)) {
        lua_getfield(L, 1, "flags");

        for (i = 1; lua_istable(L, -1) && i <= 4; i++) {
            lua_rawgeti(L, -1, i);
            flag = lua_tostring(L, -1);

            if (flag != NULL) {
                flags |= strcmp(flag, "no-writes") == 0 ? ENGINE_NO_WRITES : 0;
                flags |= strcmp(flag, "allow-oom") == 0 ? ENGINE_ALLOW_OOM : 0;
            }

            lua_pop(L, 1);
        }

        lua_getfield(L, 1, "function_name");
        lua_getfield(L, 1, "callback");

    } else {
        lua_pushvalue(L, 1);
        lua_pushvalue(L, 2);
    }

    if (!lua_isstring(L, -2) || !lua_isfunction(L, -1)) {
        return luaL_error(L, "wrong number of arguments to "
                             "redis.register_function");
    }

    lua_newtable(L);
    lua_insert(L, -2);
    lua_rawseti(L, -2, 1);
    lua_pushinteger(L, flags);
    lua_rawseti(L, -2, 2);

    lua_getfield(L, LUA_REGISTRYINDEX, ENGINE_FUNCTIONS);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_settable(L, -3);

    return 0;
}


/* Reads the next item of a format of struct.  Returns its letter, or 0. */

static char
engine_lua_item(lua_State *L, const char **format, size_t *size)
{
    char  letter;

    while (**format == '<' || **format == ' ') {
        (*format)++;
    }

    letter = **format;

    if (letter == '\0') {
        return 0;
    }

    (*format)++;
    *size = 0;

    while (**format >= '0' && **format <= '9') {
        *size = 10 * *size + (size_t) (*(*format)++ - '0');
    }

    if (strchr("Iic", letter) == NULL || *size == 0
        || (letter != 'c' && *size > 8))
    {
        luaL_error(L, "struct: the model does not know \"%c\"", letter);
    }

    return letter;
}


/* struct.pack for the formats < I i c */

static int
engine_lua_pack(lua_State *L)
{
    int          at;
    char         letter;
    size_t       size, i, len;
    uint64_t     n;
    luaL_Buffer  b;
    const char  *format, *text;

    format = luaL_checkstring(L, 1);
    luaL_buffinit(L, &b);

    for (at = 2; (letter = engine_lua_item(L, &format, &size)) != 0; at++) {

        if (letter == 'c') {
            text = luaL_checklstring(L, at, &len);
            luaL_argcheck(L, len >= size, at, "string too short");
            luaL_addlstring(&b, text, size);
            continue;
        }

        n = luaL_checknumber(L, at) < 0
            ? (uint64_t) (int64_t) lua_tonumber(L, at)
            : (uint64_t) lua_tonumber(L, at);

        for (i = 0; i < size; i++) {
            luaL_addchar(&b, (char) (n >> (8 * i) & 0xff));
        }
    }

    luaL_pushresult(&b);

    return 1;
}


static int
engine_lua_unpack(lua_State *L)
{
    int                   count;
    char                  letter;
    size_t                size, i, len, at;
    uint64_t              n;
    const char           *format;
    const unsigned char  *text;

    format = luaL_checkstring(L, 1);
    text = (const unsigned char *) luaL_checklstring(L, 2, &len);
    at = (size_t) luaL_optinteger(L, 3, 1) - 1;
    count = 0;

    while ((letter = engine_lua_item(L, &format, &size)) != 0) {
        luaL_argcheck(L, at + size <= len, 2, "data string too short");

        if (letter == 'c') {
            lua_pushlstring(L, (const char *) text + at, size);

        } else {

            for (i = 0, n = 0; i < size; i++) {
                n |= (uint64_t) text[at + i] << (8 * i);
            }

            lua_pushnumber(L, letter == 'I' ? (lua_Number) n
                                            : (lua_Number) (int64_t) n);
        }

        at += size;
        count++;
    }

    lua_pushinteger(L, (lua_Integer) at + 1);

    return count + 1;
}


static int
engine_lua_read_only(lua_State *L)
{
    return luaL_error(L, "Attempt to modify a readonly table");
}


static void
engine_lua_fields(lua_State *L, const luaL_Reg *list)
{
    for (/* void */ ; list->name != NULL; list++) {
        lua_pushcfunction(L, list->func);
        lua_setfield(L, -2, list->name);
    }
}


void
engine_lua_begin(engine_t *e)
{
    size_t      i;
    lua_State  *L;

    static const char *const  tables[] = {
        "string", "table", "math", "tonumber", "tostring", "type", "pairs",
        "ipairs", "next", "unpack", "pcall", "error", "select", "assert"
    };

    static const luaL_Reg  running[] = {
        { "call", engine_lua_redis_call },
        { "pcall", engine_lua_pcall },
        { "error_reply", engine_lua_error_reply },
        { "status_reply", engine_lua_status_reply },
        { "acl_check_cmd", engine_lua_acl },
        { NULL, NULL }
    };

    static const luaL_Reg  loading[] = {
        { "register_function", engine_lua_register },
        { NULL, NULL }
    };

    static const luaL_Reg  packs[] = {
        { "pack", engine_lua_pack },
        { "unpack", engine_lua_unpack },
        { NULL, NULL }
    };

    L = luaL_newstate();
    e->lua = L;
    luaL_openlibs(L);

    lua_pushlightuserdata(L, e);
    lua_setfield(L, LUA_REGISTRYINDEX, "engine");

    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, ENGINE_FUNCTIONS);

    /* the globals of a function that runs, and of a library that loads */

    lua_newtable(L);

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        lua_getglobal(L, tables[i]);
        lua_setfield(L, -2, tables[i]);
    }

    lua_newtable(L);
    engine_lua_fields(L, running);
    lua_setfield(L, -2, "redis");

    lua_newtable(L);
    engine_lua_fields(L, packs);
    lua_setfield(L, -2, "struct");

    lua_setfield(L, LUA_REGISTRYINDEX, ENGINE_RUNNING);

    lua_newtable(L);
    lua_newtable(L);
    engine_lua_fields(L, loading);
    lua_setfield(L, -2, "redis");
    lua_setfield(L, LUA_REGISTRYINDEX, "libraries");
}


void
engine_lua_end(engine_t *e)
{
    lua_close(e->lua);
    e->lua = NULL;
}


/* Sets the globals of the function on the stack: an empty table that reads
   those of a table of the registry and refuses writes. */

static void
engine_lua_globals(lua_State *L, const char *which)
{
    lua_getfield(L, LUA_REGISTRYINDEX, "globals");
    lua_getmetatable(L, -1);
    lua_getfield(L, LUA_REGISTRYINDEX, which);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 2);
}


const char *
engine_lua_load(engine_t *e, parley_str_t text, engine_buf_t *out)
{
    size_t       len;
    lua_State   *L = e->lua;
    const char  *body, *end;
    static char  name[64];

    if (text.len < 12 || memcmp(text.data, "#!lua name=", 11) != 0) {
        engine_print(out, "-ERR Missing library metadata\r\n");
        return NULL;
    }

    end = memchr(text.data, '\n', text.len);
    len = (size_t) (end - (const char *) text.data) - 11;
    snprintf(name, sizeof(name), "%.*s", (int) len, text.data + 11);

    if (e->data.loaded) {
        engine_print(out, "-ERR Library '%s' already exists\r\n", name);
        return NULL;
    }

    lua_settop(L, 0);

    /* one table of globals for the library and its functions */

    lua_newtable(L);
    lua_newtable(L);
    lua_pushcfunction(L, engine_lua_read_only);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_setfield(L, LUA_REGISTRYINDEX, "globals");

    body = end;

    if (luaL_loadbuffer(L, body, text.len - (size_t) (body
                                               - (const char *) text.data),
                        "@user_function")
        != 0)
    {
        engine_print(out, "-ERR Error compiling function: %s\r\n",
                     lua_tostring(L, -1));
        return NULL;
    }

    lua_getfield(L, LUA_REGISTRYINDEX, "globals");
    lua_setfenv(L, -2);

    engine_lua_globals(L, "libraries");
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, ENGINE_LOADING);

    len = (size_t) lua_pcall(L, 0, 0, 0);

    lua_pushboolean(L, 0);
    lua_setfield(L, LUA_REGISTRYINDEX, ENGINE_LOADING);
    engine_lua_globals(L, ENGINE_RUNNING);

    if (len != 0) {
        engine_print(out, "-ERR Error registering functions: %s\r\n",
                     lua_tostring(L, -1));
        return NULL;
    }

    return name;
}


/* Adds the reply that a value means. */

static void
engine_lua_to_reply(lua_State *L, engine_buf_t *out)
{
    int           i;
    size_t        len;
    const char   *text;
    engine_buf_t  list;

    switch (lua_type(L, -1)) {

    case LUA_TNUMBER:
        engine_print(out, ":%lld\r\n", (long long) lua_tonumber(L, -1));
        break;

    case LUA_TSTRING:
        text = lua_tolstring(L, -1, &len);
        engine_print(out, "$%zu\r\n", len);
        engine_put(out, text, len);
        engine_put(out, "\r\n", 2);
        break;

    case LUA_TBOOLEAN:
        engine_print(out, lua_toboolean(L, -1) ? ":1\r\n" : "$-1\r\n");
        break;

    case LUA_TTABLE:
        lua_getfield(L, -1, "err");

        if (lua_isstring(L, -1)) {
            text = lua_tostring(L, -1);
            engine_print(out, "-%s\r\n", text);
            lua_pop(L, 1);
            break;
        }

        lua_pop(L, 1);
        lua_getfield(L, -1, "ok");

        if (lua_isstring(L, -1)) {
            engine_print(out, "+%s\r\n", lua_tostring(L, -1));
            lua_pop(L, 1);
            break;
        }

        lua_pop(L, 1);
        memset(&list, 0, sizeof(list));

        for (i = 1; /* void */ ; i++) {
            lua_rawgeti(L, -1, i);

            if (lua_isnil(L, -1)) {
                lua_pop(L, 1);
                break;
            }

            engine_lua_to_reply(L, &list);
            lua_pop(L, 1);
        }

        engine_print(out, "*%d\r\n", i - 1);
        engine_put(out, list.p, list.len);
        free(list.p);
        break;

    default:
        engine_print(out, "$-1\r\n");
    }
}


void
engine_lua_call(engine_t *e, const parley_str_t *words, size_t n,
    engine_buf_t *out)
{
    int         flags;
    size_t      i, nkeys;
    lua_State  *L = e->lua;

    lua_settop(L, 0);
    lua_getfield(L, LUA_REGISTRYINDEX, ENGINE_FUNCTIONS);
    lua_pushlstring(L, (const char *) words[1].data, words[1].len);
    lua_gettable(L, -2);

    nkeys = words[2].data[0] - (size_t) '0';

    if (!e->data.loaded || lua_isnil(L, -1)) {
        engine_print(out, "-ERR Function not found\r\n");
        return;
    }

    if (words[2].len != 1 || nkeys > n - 3) {
        engine_print(out, "-ERR Number of keys can't be greater than number of "
                          "args\r\n");
        return;
    }

    lua_rawgeti(L, -1, 2);
    flags = (int) lua_tointeger(L, -1);
    lua_pop(L, 1);

    if (e->full && flags == 0) {
        engine_print(out, "-OOM command not allowed when used memory > "
                          "'maxmemory'.\r\n");
        return;
    }

    lua_rawgeti(L, -1, 1);
    lua_newtable(L);

    for (i = 0; i < nkeys; i++) {
        lua_pushlstring(L, (const char *) words[3 + i].data, words[3 + i].len);
        lua_rawseti(L, -2, (int) i + 1);
    }

    lua_newtable(L);

    for (i = 3 + nkeys; i < n; i++) {
        lua_pushlstring(L, (const char *) words[i].data, words[i].len);
        lua_rawseti(L, -2, (int) (i - 2 - nkeys));
    }

    e->reads = (flags & ENGINE_NO_WRITES) != 0;

    if (lua_pcall(L, 2, 1, 0) == 0) {
        engine_lua_to_reply(L, out);

    } else {

        /* an error of a command, or of Lua */

        if (lua_istable(L, -1)) {
            lua_getfield(L, -1, "err");
        }

        engine_print(out, "-%s script: %.*s, on @user_function\r\n",
                     lua_isstring(L, -1) ? lua_tostring(L, -1) : "ERR",
                     (int) words[1].len, words[1].data);
    }

    e->reads = 0;
    lua_settop(L, 0);
}
