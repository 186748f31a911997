/* Finds the block that the options name, and the directives in force there. */

#include <stdio.h>
#include <string.h>

#include "tools/parley_conf.h"


#define PARLEY_CONF_BLOCKS  16      /* blocks that an error message lists */


/* blocks that match and accept messages, or that prove the caller and are named
   by --location */
typedef struct {
    const char                *location;        /* NULL: any */
    const parley_directive_t  *blocks[PARLEY_CONF_BLOCKS];
    size_t                     n;               /* number of matching blocks */
    const parley_directive_t  *near;            /* with another modifier */
} parley_conf_found_t;


static int tool_conf_serves(const parley_directive_t *server,
    const char *name);
static void tool_conf_collect(parley_conf_found_t *found,
    const parley_directive_t *block);
static void tool_conf_add(parley_conf_found_t *found,
    const parley_directive_t *block);
static int tool_conf_named(const parley_directive_t *block,
    const char *name, int *ret_modifier);
static parley_str_t tool_conf_modifier(parley_str_t *name);
static int tool_conf_choose(const parley_conf_t *conf,
    const parley_conf_found_t *found, const char *server,
    const parley_directive_t **ret);
static void tool_conf_say_none(const parley_conf_t *conf,
    const parley_conf_found_t *found, const char *server);


const parley_directive_t *
tool_conf_in(const parley_directive_t *block, const char *name)
{
    const parley_directive_t  *d;

    for (d = block->first; d != NULL; d = d->next) {
        if (strcmp((const char *) d->words[0].data, name) == 0) {
            return d;
        }
    }

    return NULL;
}


const parley_directive_t *
tool_conf_more(const parley_directive_t *d)
{
    parley_str_t  name = d->words[0];

    for (d = d->next; d != NULL; d = d->next) {
        if (parley_str_eq(d->words[0], name)) {
            return d;
        }
    }

    return NULL;
}


const parley_directive_t *
tool_conf_get(const parley_directive_t *block, const char *name)
{
    const parley_directive_t  *d;

    for ( ; block->parent != NULL; block = block->parent) {
        d = tool_conf_in(block, name);

        if (d != NULL) {
            return d;
        }
    }

    return NULL;
}


void
tool_conf_describe(const parley_directive_t *block, char *out, size_t size)
{
    size_t  i, len;

    for (i = 0, len = 0; i < block->nwords && len < size; i++) {
        len += (size_t) snprintf(out + len, size - len, "%s%s",
                                 i > 0 ? " " : "",
                                 (const char *) block->words[i].data);
    }
}


int
tool_conf_block(const parley_conf_t *conf, const char *server,
    const char *location, const parley_directive_t **ret)
{
    size_t                     n, before;
    parley_conf_found_t        found;
    const parley_directive_t  *d;

    memset(&found, 0, sizeof(found));
    found.location = location;
    n = 0;

    for (d = tool_conf_in(conf->http, "server"); d != NULL;
         d = tool_conf_more(d))
    {
        if (!d->is_block
            || (server != NULL && !tool_conf_serves(d, server)))
        {
            continue;
        }

        n++;
        before = found.n;
        tool_conf_collect(&found, d);

        /* the server itself, if none of its locations accepts messages */

        if (location == NULL && found.n == before
            && d->settings->gate.accept != 0)
        {
            tool_conf_add(&found, d);
        }
    }

    if (server != NULL && n == 0) {
        tool_say("%s: no server is named \"%s\"", conf->main.file, server);
        return -1;
    }

    return tool_conf_choose(conf, &found, server, ret);
}


/* Returns whether a server has that name, as it is written. */
static int
tool_conf_serves(const parley_directive_t *server, const char *name)
{
    size_t                     i;
    const parley_directive_t  *d;

    for (d = tool_conf_in(server, "server_name"); d != NULL;
         d = tool_conf_more(d))
    {
        for (i = 1; i < d->nwords; i++) {
            if (parley_str_eq_fold(d->words[i], parley_str_c(name))) {
                return 1;
            }
        }
    }

    return 0;
}


/* Collects the locations of a block, and the locations within them. */
static void
tool_conf_collect(parley_conf_found_t *found, const parley_directive_t *block)
{
    int                        same;
    const parley_directive_t  *d;

    for (d = tool_conf_in(block, "location"); d != NULL;
         d = tool_conf_more(d))
    {
        if (!d->is_block) {
            continue;
        }

        same = 1;

        if (found->location == NULL
            ? d->settings->gate.accept != 0
            : (d->settings->gate.accept != 0 || d->settings->proves
               || d->settings->moq != NULL)
              && tool_conf_named(d, found->location, &same))
        {
            if (same) {
                tool_conf_add(found, d);

            } else {
                found->near = d;
            }
        }

        tool_conf_collect(found, d);
    }
}


static void
tool_conf_add(parley_conf_found_t *found, const parley_directive_t *block)
{
    if (found->n < PARLEY_CONF_BLOCKS) {
        found->blocks[found->n] = block;
    }

    found->n++;
}


/* Compares the name of a location; "=/in" is equal to "= /in".  *ret_modifier:
   whether the modifiers are equal, too. */
static int
tool_conf_named(const parley_directive_t *block, const char *name,
    int *ret_modifier)
{
    parley_str_t  how, what, how_named, named;

    if (block->nwords < 2) {
        return 0;
    }

    named = parley_str_c(name);
    how_named = tool_conf_modifier(&named);

    while (named.len > 0 && named.data[0] == ' ') {
        named = parley_str_from(named, 1);
    }

    what = block->words[1];
    how = tool_conf_modifier(&what);

    if (block->nwords > 2) {
        what = block->words[2];
    }

    *ret_modifier = parley_str_eq(how, how_named);

    return parley_str_eq(what, named);
}


/* Removes "=", "^~", "~" or "~*" from the beginning and returns it. */
static parley_str_t
tool_conf_modifier(parley_str_t *name)
{
    size_t        len;
    parley_str_t  how;

    len = parley_str_begins(*name, "^~") || parley_str_begins(*name, "~*") ? 2
          : parley_str_begins(*name, "=") || parley_str_begins(*name, "~");

    how = parley_str_make(name->data, len);
    *name = parley_str_from(*name, len);

    return how;
}


static int
tool_conf_choose(const parley_conf_t *conf, const parley_conf_found_t *found,
    const char *server, const parley_directive_t **ret)
{
    char                       name[256], text[256];
    size_t                     i;
    const parley_directive_t  *d;

    if (found->n == 1) {
        *ret = found->blocks[0];
        return 0;
    }

    if (found->n == 0) {
        tool_conf_say_none(conf, found, server);
        return -1;
    }

    tool_say("%s: messages are accepted in %zu places, --location and "
             "--server say which:", conf->main.file, found->n);

    for (i = 0; i < found->n && i < PARLEY_CONF_BLOCKS; i++) {
        d = found->blocks[i];

        tool_conf_describe(d, text, sizeof(text));

        while (!tool_conf_is(d, "server")) {
            d = d->parent;
        }

        d = tool_conf_in(d, "server_name");

        if (d != NULL) {
            tool_conf_describe(d, name, sizeof(name));
        }

        tool_say("  %s%s%s, %s:%u", text, d != NULL ? ", " : "",
                 d != NULL ? name : "", found->blocks[i]->file,
                 found->blocks[i]->line);
    }

    return -1;
}


/* Says that no block accepts messages, and which location may be meant. */
static void
tool_conf_say_none(const parley_conf_t *conf,
    const parley_conf_found_t *found, const char *server)
{
    char  text[256];

    tool_say("%s: no messages are accepted%s%s%s%s", conf->main.file,
             found->location != NULL ? " at location " : "",
             found->location != NULL ? found->location : "",
             server != NULL ? ", server " : "",
             server != NULL ? server : "");

    if (found->near != NULL) {
        tool_conf_describe(found->near, text, sizeof(text));
        tool_say("  --location needs the modifier of \"%s\", %s:%u", text,
                 found->near->file, found->near->line);
    }
}
