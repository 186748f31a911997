/* Which server, which location, and what is in force there. */

#define PCRE2_CODE_UNIT_WIDTH  8

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "parley_conf.h"


#define PARLEY_CONF_PLACES  16      /* that are named where there are many */


typedef struct {
    parley_tool_t             *tool;
    const parley_conf_t       *conf;
    parley_place_t             places[PARLEY_CONF_PLACES];
    size_t                     n;       /* all of them */
} parley_conf_places_t;


static int parley_conf_rank(const parley_directive_t *server,
    const char *name);
static int parley_conf_rank_word(const parley_directive_t *d,
    parley_str_t word, const char *name);
static int parley_conf_uri(parley_tool_t *tool, const char *uri,
    const char **ret);
static int parley_conf_decode(parley_tool_t *tool, parley_str_t s,
    parley_str_t *ret);
static int parley_conf_locate(const parley_directive_t *block,
    const char *uri, const parley_directive_t **ret);
static int parley_conf_location(const parley_directive_t *d,
    parley_str_t *ret_how, parley_str_t *ret_what);
static int parley_conf_regex(const parley_directive_t *d, parley_str_t regex,
    int caseless, const char *text);
static void parley_conf_all(parley_conf_places_t *p,
    const parley_directive_t *server, const parley_directive_t *block);
static void parley_conf_add(parley_conf_places_t *p,
    const parley_directive_t *server, const parley_directive_t *block);
static int parley_conf_choose(parley_conf_places_t *p, const char *server,
    const char *uri, parley_place_t *ret);


const parley_directive_t *
parley_conf_in(const parley_directive_t *block, const char *name)
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
parley_conf_more(const parley_directive_t *d)
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
parley_conf_get(const parley_directive_t *block, const char *name)
{
    const parley_directive_t  *d;

    for ( ; block->parent != NULL; block = block->parent) {
        d = parley_conf_in(block, name);

        if (d != NULL) {
            return d;
        }
    }

    return NULL;
}


void
parley_conf_describe(const parley_directive_t *block, char *out, size_t size)
{
    size_t  i, len;

    for (i = 0, len = 0; i < block->nwords && len < size; i++) {
        len += (size_t) snprintf(out + len, size - len, "%s%s",
                                 i > 0 ? " " : "",
                                 (const char *) block->words[i].data);
    }
}


int
parley_conf_place(parley_tool_t *tool, const parley_conf_t *conf,
    const char *server, const char *uri, parley_place_t *ret)
{
    int                        rank, best;
    parley_conf_places_t       p;
    const parley_directive_t  *d, *block;

    memset(&p, 0, sizeof(p));

    p.tool = tool;
    p.conf = conf;
    best = 0;

    if (uri != NULL && parley_conf_uri(tool, uri, &uri) != 0) {
        return -1;
    }

    for (d = parley_conf_in(conf->http, "server"); d != NULL;
         d = parley_conf_more(d))
    {
        if (server == NULL) {
            continue;
        }

        rank = parley_conf_rank(d, server);

        if (rank < 0) {
            return -1;
        }

        best = rank > best ? rank : best;
    }

    if (server != NULL && best == 0) {
        parley_say("%s: no server is named \"%s\"", conf->main.file, server);
        return -1;
    }

    for (d = parley_conf_in(conf->http, "server"); d != NULL;
         d = parley_conf_more(d))
    {
        if (server != NULL && parley_conf_rank(d, server) != best) {
            continue;
        }

        if (uri == NULL) {
            parley_conf_all(&p, d, d);
            continue;
        }

        block = d;

        if (parley_conf_locate(d, uri, &block) < 0) {
            return -1;
        }

        parley_conf_add(&p, d, block);
    }

    return parley_conf_choose(&p, server, uri, ret);
}


/* How well a server's names match: the exact one, *.x, x.*, ~x; 0: not. */
static int
parley_conf_rank(const parley_directive_t *server, const char *name)
{
    int                        best, rank;
    size_t                     i;
    const parley_directive_t  *d;

    best = 0;

    for (d = parley_conf_in(server, "server_name"); d != NULL;
         d = parley_conf_more(d))
    {
        for (i = 1; i < d->nwords; i++) {
            rank = parley_conf_rank_word(d, d->words[i], name);

            if (rank < 0) {
                return -1;
            }

            best = rank > best ? rank : best;
        }
    }

    return best;
}


static int
parley_conf_rank_word(const parley_directive_t *d, parley_str_t word,
    const char *name)
{
    size_t       len;
    const char  *w;

    w = (const char *) word.data;
    len = strlen(name);

    if (word.len > 1 && w[0] == '~') {
        return parley_conf_regex(d, parley_str_from(word, 1), 1, name);
    }

    if (strcasecmp(w, name) == 0
        || (word.len > 1 && w[0] == '.' && strcasecmp(w + 1, name) == 0))
    {
        return 1 << 30;
    }

    /* ".x" is "*.x" besides */

    if (word.len > 1 && w[0] == '*') {
        w++;
        word.len--;
    }

    if (word.len > 1 && w[0] == '.' && len > word.len
        && strcasecmp(name + len - word.len, w) == 0)
    {
        return 1 << 20 | (int) (word.len & 0xffff);
    }

    if (word.len > 2 && w[word.len - 1] == '*' && w[word.len - 2] == '.'
        && len >= word.len && strncasecmp(name, w, word.len - 1) == 0)
    {
        return 1 << 17 | (int) (word.len & 0xffff);
    }

    return 0;
}


/* The path alone, decoded, "//" as "/". */
static int
parley_conf_uri(parley_tool_t *tool, const char *uri, const char **ret)
{
    char          *p, *out;
    size_t         i;
    parley_str_t   path;

    if (uri[0] != '/') {
        parley_say("--uri: \"%s\" does not begin with \"/\"", uri);
        return -1;
    }

    if (parley_conf_decode(tool, parley_str_make(uri, strcspn(uri, "?#")),
                           &path)
        != 0)
    {
        return -1;
    }

    out = (char *) path.data;

    for (i = 0, p = out; i < path.len; i++) {
        if (path.data[i] != '/' || p == out || p[-1] != '/') {
            *p++ = (char) path.data[i];
        }
    }

    *p = '\0';

    if (strstr(out, "/../") != NULL || strstr(out, "/./") != NULL) {
        parley_say("--uri: \"%s\" has \".\" or \"..\" in it", out);
        return -1;
    }

    *ret = out;

    return 0;
}


/* "%41" as "A"; a zero octet follows. */
static int
parley_conf_decode(parley_tool_t *tool, parley_str_t s, parley_str_t *ret)
{
    char       hex[3] = "";
    size_t     i, n;
    uint8_t   *out;

    out = parley_arena_octets(&tool->arena, s.len + 1);

    if (out == NULL) {
        parley_say("out of memory");
        return -1;
    }

    for (i = 0, n = 0; i < s.len; i++) {
        out[n] = s.data[i];

        if (s.data[i] == '%') {
            memcpy(hex, s.data + i + 1, s.len - i > 2 ? 2 : 0);

            if (strspn(hex, "0123456789abcdefABCDEF") != 2) {
                parley_say("--uri: \"%%\" without two hex digits");
                return -1;
            }

            out[n] = (uint8_t) strtoul(hex, NULL, 16);
            i += 2;
        }

        if (out[n++] == '\0') {
            parley_say("--uri: a zero octet");
            return -1;
        }
    }

    out[n] = '\0';
    *ret = parley_str_make(out, n);

    return 0;
}


/*
 * As nginx looks: the exact location; the longest prefix, and what is nested
 * in it; unless that said ^~, the first regular expression.  Returns 1 and
 * *ret, 0 where none matches, -1: said.
 */
static int
parley_conf_locate(const parley_directive_t *block, const char *uri,
    const parley_directive_t **ret)
{
    int                        rc, no_regex;
    size_t                     longest;
    parley_str_t               how, what;
    const parley_directive_t  *d, *prefix;

    prefix = NULL;
    longest = 0;
    no_regex = 0;

    for (d = parley_conf_in(block, "location"); d != NULL;
         d = parley_conf_more(d))
    {
        if (parley_conf_location(d, &how, &what) != 0) {
            return -1;
        }

        if (parley_str_is(how, "=") && strcmp((const char *) what.data, uri)
            == 0)
        {
            *ret = d;
            return 1;
        }

        if ((how.len == 0 || parley_str_is(how, "^~"))
            && what.data[0] != '@'
            && strncmp((const char *) what.data, uri, what.len) == 0
            && (prefix == NULL || what.len > longest))
        {
            prefix = d;
            longest = what.len;
            no_regex = how.len > 0;
        }
    }

    if (prefix != NULL) {
        *ret = prefix;
        rc = parley_conf_locate(prefix, uri, ret);

        if (rc != 0) {
            return rc;
        }
    }

    for (d = no_regex ? NULL : parley_conf_in(block, "location"); d != NULL;
         d = parley_conf_more(d))
    {
        if (parley_conf_location(d, &how, &what) != 0) {
            return -1;
        }

        if (how.len == 0 || how.data[0] != '~') {
            continue;
        }

        rc = parley_conf_regex(d, what, how.len == 2, uri);

        if (rc < 0) {
            return -1;
        }

        if (rc > 0) {
            *ret = d;
            return parley_conf_locate(d, uri, ret) < 0 ? -1 : 1;
        }
    }

    return 0;
}


/* "location ~* \.x$", also "location ~*\.x$" */
static int
parley_conf_location(const parley_directive_t *d, parley_str_t *ret_how,
    parley_str_t *ret_what)
{
    size_t  len;

    if (!d->is_block || d->nwords < 2 || d->nwords > 3) {
        return parley_conf_bad(d, "is no location");
    }

    if (d->nwords == 3) {
        *ret_how = d->words[1];
        *ret_what = d->words[2];

    } else {
        len = strspn((const char *) d->words[1].data, "=^~*");

        if (len > 2) {
            len = 2;
        }

        *ret_how = parley_str_make(d->words[1].data, len);
        *ret_what = parley_str_from(d->words[1], len);
    }

    if (ret_how->len > 0 && !parley_str_is(*ret_how, "=")
        && !parley_str_is(*ret_how, "^~") && !parley_str_is(*ret_how, "~")
        && !parley_str_is(*ret_how, "~*"))
    {
        return parley_conf_bad(d, "has the unknown modifier \"%.*s\"",
                               (int) ret_how->len,
                               (const char *) ret_how->data);
    }

    return 0;
}


/* 1: it matches, 0: not, -1: it is none, said */
static int
parley_conf_regex(const parley_directive_t *d, parley_str_t regex,
    int caseless, const char *text)
{
    int                rc, code;
    PCRE2_SIZE         offset;
    PCRE2_UCHAR        why[128];
    pcre2_code        *re;
    pcre2_match_data  *match;

    re = pcre2_compile(regex.data, regex.len, caseless ? PCRE2_CASELESS : 0,
                       &code, &offset, NULL);

    if (re == NULL) {
        (void) pcre2_get_error_message(code, why, sizeof(why));
        return parley_conf_bad(d, "\"%s\": %s at octet %zu",
                               (const char *) regex.data, (const char *) why,
                               offset);
    }

    match = pcre2_match_data_create_from_pattern(re, NULL);

    rc = match == NULL ? PCRE2_ERROR_NOMEMORY
         : pcre2_match(re, (PCRE2_SPTR) text, strlen(text), 0, 0, match,
                       NULL);

    pcre2_match_data_free(match);
    pcre2_code_free(re);

    return rc >= 0;
}


static void
parley_conf_all(parley_conf_places_t *p, const parley_directive_t *server,
    const parley_directive_t *block)
{
    const parley_directive_t  *d;

    parley_conf_add(p, server, block);

    for (d = parley_conf_in(block, "location"); d != NULL;
         d = parley_conf_more(d))
    {
        parley_conf_all(p, server, d);
    }
}


static void
parley_conf_add(parley_conf_places_t *p, const parley_directive_t *server,
    const parley_directive_t *block)
{
    const parley_directive_t  *accept;

    accept = parley_conf_get(block, "parley_accept");

    if (accept == NULL
        || (accept->nwords == 2 && parley_str_is(accept->words[1], "off")))
    {
        return;
    }

    if (p->n < PARLEY_CONF_PLACES) {
        p->places[p->n].conf = p->conf;
        p->places[p->n].server = server;
        p->places[p->n].block = block;
    }

    p->n++;
}


static int
parley_conf_choose(parley_conf_places_t *p, const char *server,
    const char *uri, parley_place_t *ret)
{
    char                       name[256], text[256];
    size_t                     i;
    const parley_directive_t  *d;

    if (p->n == 1) {
        *ret = p->places[0];
        return 0;
    }

    if (p->n == 0) {
        parley_say("%s: no messages are accepted%s%s%s%s",
                   p->conf->main.file, uri != NULL ? " at " : "",
                   uri != NULL ? uri : "",
                   server != NULL ? ", server " : "",
                   server != NULL ? server : "");
        return -1;
    }

    parley_say("%s: messages are accepted in %zu places, --uri and --server "
               "say which:", p->conf->main.file, p->n);

    for (i = 0; i < p->n && i < PARLEY_CONF_PLACES; i++) {
        d = parley_conf_in(p->places[i].server, "server_name");

        if (d != NULL) {
            parley_conf_describe(d, name, sizeof(name));
        }

        parley_conf_describe(p->places[i].block, text, sizeof(text));

        parley_say("  %s%s%s, %s:%u", text, d != NULL ? ", " : "",
                   d != NULL ? name : "", p->places[i].block->file,
                   p->places[i].block->line);
    }

    return -1;
}
