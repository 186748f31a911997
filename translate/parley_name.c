/*
 * A name is taken apart into a principal and written anew.  For every syntax
 * what was taken apart is written as the same octets, so a name maps back
 * exactly where the image, taken apart, is the same principal again.
 */

#include "parley_name.h"
#include "parley_buf.h"
#include "parley_spot.h"


typedef enum {
    PARLEY_NAME_AGENT = 0,
    PARLEY_NAME_HUMAN,
    PARLEY_NAME_SERVICE,
    PARLEY_NAME_GROUP
} parley_name_kind_t;


typedef struct {
    parley_name_kind_t  kind;
    parley_str_t        name;   /* never empty */
    parley_str_t        host;   /* of an agent; empty: none */
} parley_name_t;


typedef struct {
    int   (*parse)(parley_str_t s, parley_name_t *ret);
    int   (*format)(parley_buf_t *b, const parley_name_t *n);
} parley_name_syntax_t;


static int parley_name_alias(parley_arena_t *arena, const parley_name_t *n,
    parley_proto_t to, parley_name_alias_pt add, void *ctx);
static int parley_name_resolve(parley_arena_t *arena,
    const parley_encode_opts_t *opts, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret);
static int parley_name_author(parley_arena_t *arena,
    const parley_encode_opts_t *opts, parley_str_t author, parley_proto_t to,
    parley_str_t *ret);
static int parley_name_parse_aee(parley_str_t s, parley_name_t *ret);
static int parley_name_format_aee(parley_buf_t *b, const parley_name_t *n);
static int parley_name_parse_vcp(parley_str_t s, parley_name_t *ret);
static int parley_name_format_vcp(parley_buf_t *b, const parley_name_t *n);
static int parley_name_parse_c2a(parley_str_t s, parley_name_t *ret);
static int parley_name_format_c2a(parley_buf_t *b, const parley_name_t *n);
static int parley_name_parse_prefixed(parley_str_t s,
    const parley_str_t *prefixes, parley_name_t *ret);
static void parley_name_format_prefixed(parley_buf_t *b,
    const parley_str_t *prefixes, const parley_name_t *n);
static int parley_name_parse_channel(parley_str_t s, parley_name_t *ret);
static int parley_name_format_channel(parley_buf_t *b,
    const parley_name_t *n);
static int parley_name_strip(parley_str_t *s, parley_str_t prefix);


static const parley_name_syntax_t
    parley_name_syntaxes[PARLEY_PROTO_COUNT] =
{
    [PARLEY_PROTO_AEE] = { parley_name_parse_aee, parley_name_format_aee },
    [PARLEY_PROTO_VCP] = { parley_name_parse_vcp, parley_name_format_vcp },
    [PARLEY_PROTO_C2A] = { parley_name_parse_c2a, parley_name_format_c2a },
    [PARLEY_PROTO_CHANNEL] = {
        parley_name_parse_channel, parley_name_format_channel
    },

    /* a principal's sub, for which AEE's names are used */
    [PARLEY_PROTO_MOQ] = { parley_name_parse_aee, parley_name_format_aee },
};


static const parley_str_t  parley_name_aee_prefixes[] = {
    [PARLEY_NAME_AGENT] = parley_str("agent."),
    [PARLEY_NAME_HUMAN] = parley_str("human."),
    [PARLEY_NAME_SERVICE] = parley_str("service."),
    [PARLEY_NAME_GROUP] = parley_str("bus."),
};


/* a group is a conversation, by its id */
static const parley_str_t  parley_name_c2a_prefixes[] = {
    [PARLEY_NAME_AGENT] = parley_str("agent:"),
    [PARLEY_NAME_HUMAN] = parley_str("human:"),
    [PARLEY_NAME_SERVICE] = parley_str("service:"),
    [PARLEY_NAME_GROUP] = parley_str("channel:"),
};


/* a group has no URI */
static const parley_str_t  parley_name_vcp_prefixes[] = {
    [PARLEY_NAME_AGENT] = parley_str("agent://"),
    [PARLEY_NAME_HUMAN] = parley_str("human://"),
    [PARLEY_NAME_SERVICE] = parley_str("service://"),
};


int
parley_name_map(parley_arena_t *arena, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_buf_t                 b;
    parley_str_t                 image;
    parley_name_t                n, back;
    const parley_name_syntax_t  *source, *target;

    *ret = parley_str_none;

    if (from == to) {
        *ret = name;
        return 0;
    }

    source = &parley_name_syntaxes[from];
    target = &parley_name_syntaxes[to];

    if (source->parse == NULL || target->format == NULL
        || source->parse(name, &n) != 0)
    {
        return 1;
    }

    parley_buf_init(&b, arena, name.len + 16);

    if (target->format(&b, &n) != 0) {
        return 1;
    }

    if (parley_buf_done(&b, &image) != 0) {
        return -1;
    }

    if (target->parse(image, &back) != 0
        || back.kind != n.kind
        || !parley_str_eq(back.name, n.name)
        || !parley_str_eq(back.host, n.host))
    {
        return 1;
    }

    *ret = image;

    return 0;
}


int
parley_name_aliases(parley_arena_t *arena, parley_proto_t from,
    parley_str_t name, parley_name_alias_pt add, void *ctx)
{
    unsigned       i, to, nkinds;
    parley_str_t   image;
    parley_name_t  n, kinds[2];

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

        switch (parley_name_map(arena, from, name, (parley_proto_t) to,
                                &image))
        {
        case -1:
            return -1;

        case 0:
            add(ctx, image, 1);
        }
    }

    if (parley_name_syntaxes[from].parse(name, &n) != 0) {
        return 0;
    }

    n.host = parley_str_none;

    kinds[0] = n;
    kinds[1] = n;
    nkinds = 1;

    if (from == PARLEY_PROTO_CHANNEL && n.kind != PARLEY_NAME_GROUP) {
        kinds[1].kind = n.kind == PARLEY_NAME_HUMAN ? PARLEY_NAME_AGENT
                                                    : PARLEY_NAME_HUMAN;
        nkinds = 2;
    }

    for (i = 0; i < nkinds; i++) {
        for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
            if (parley_name_alias(arena, &kinds[i], (parley_proto_t) to, add,
                                  ctx)
                != 0)
            {
                return -1;
            }
        }
    }

    return 0;
}


/* a name that need not map back */

static int
parley_name_alias(parley_arena_t *arena, const parley_name_t *n,
    parley_proto_t to, parley_name_alias_pt add, void *ctx)
{
    parley_buf_t  b;
    parley_str_t  image;

    parley_buf_init(&b, arena, n->name.len + n->host.len + 16);

    if (parley_name_syntaxes[to].format(&b, n) != 0) {
        return 0;
    }

    if (parley_buf_done(&b, &image) != 0) {
        return -1;
    }

    add(ctx, image, 0);

    return 0;
}


int
parley_name_translate(parley_arena_t *arena, const parley_encode_opts_t *opts,
    const parley_msg_t *m, parley_str_t name, parley_spot_t spot,
    parley_proto_t to, parley_str_t *ret, parley_error_t *err)
{
    int                  rc;
    const parley_msg_t  *asked;

    asked = opts->answering;

    if (spot == PARLEY_SPOT_RECIPIENT && asked != NULL && asked->wire == to
        && asked->told.len > 0 && parley_str_eq(asked->told, name))
    {
        *ret = asked->sender;
        return 0;
    }

    rc = parley_name_resolve(arena, opts, m->wire, name, to, ret);

    if (rc == 0 && spot == PARLEY_SPOT_SENDER && m->author.len > 0
        && to != PARLEY_PROTO_CHANNEL && parley_name_is_human(to, *ret))
    {
        rc = parley_name_author(arena, opts, m->author, to, ret);
    }

    if (rc == 0) {
        return 0;
    }

    if (rc == -1) {
        return parley_error_memory(err);
    }

    *ret = parley_str_none;

    /* whoever is proven may hear what is missing of itself, and of nobody
       else */

    if (spot == PARLEY_SPOT_SENDER && opts->principal.len > 0) {
        return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(m, spot).pointer,
                                "sub \"%.*s\" has no \"%s\", and this name "
                                "has no equivalent in %s that maps back",
                                (int) opts->principal.len,
                                (const char *) opts->principal.data,
                                to == PARLEY_PROTO_CHANNEL
                                ? "handle"
                                : (const char *) parley_proto_name(to).data,
                                (const char *) parley_proto_name(to).data);
    }

    return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE,
                            parley_at(m, spot).pointer,
                            "this name has no equivalent in %s that maps "
                            "back", (const char *) parley_proto_name(to).data);
}


/* Returns 0; 1: it has no image; -1: no memory. */

static int
parley_name_resolve(parley_arena_t *arena, const parley_encode_opts_t *opts,
    parley_proto_t from, parley_str_t name, parley_proto_t to,
    parley_str_t *ret)
{
    int  rc;

    rc = opts->resolve != NULL
         ? opts->resolve(opts->resolve_ctx, from, name, to, ret) : 0;

    if (rc == 1) {
        return 0;
    }

    return rc == 0 ? parley_name_map(arena, from, name, to, ret) : 1;
}


/*
 * An instrument's name, by the directory or, where that makes it a human, by
 * its syntax.
 */

static int
parley_name_author(parley_arena_t *arena, const parley_encode_opts_t *opts,
    parley_str_t author, parley_proto_t to, parley_str_t *ret)
{
    int  rc;

    rc = parley_name_resolve(arena, opts, PARLEY_PROTO_AEE, author, to, ret);

    if (rc != 0 || !parley_name_is_human(to, *ret)) {
        return rc;
    }

    rc = parley_name_map(arena, PARLEY_PROTO_AEE, author, to, ret);

    return rc == 0 && parley_name_is_human(to, *ret) ? 1 : rc;
}


int
parley_name_lost(parley_arena_t *arena, const parley_encode_opts_t *opts,
    const parley_msg_t *m, parley_proto_t to, parley_loss_t *loss,
    parley_error_t *err)
{
    int           rc;
    parley_str_t  name;

    if (m->author.len == 0 || m->renamed || to == PARLEY_PROTO_CHANNEL) {
        return 0;
    }

    rc = parley_name_resolve(arena, opts, m->wire, m->sender, to, &name);

    if (rc == -1) {
        return parley_error_memory(err);
    }

    if (rc == 0 && parley_name_is_human(to, name)) {
        parley_loss_at(loss, m, PARLEY_SPOT_SENDER);
    }

    return 0;
}


int
parley_name_says(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return parley_name_syntaxes[proto].parse(name, &n) == 0
           && !(proto == PARLEY_PROTO_VCP && n.kind == PARLEY_NAME_AGENT
                && n.host.len == 0);
}


int
parley_name_is_human(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return proto < PARLEY_PROTO_COUNT
           && parley_name_syntaxes[proto].parse != NULL
           && parley_name_syntaxes[proto].parse(name, &n) == 0
           && n.kind == PARLEY_NAME_HUMAN;
}


int
parley_name_is_group(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return proto < PARLEY_PROTO_COUNT
           && parley_name_syntaxes[proto].parse != NULL
           && parley_name_syntaxes[proto].parse(name, &n) == 0
           && n.kind == PARLEY_NAME_GROUP;
}


/* agent.x, agent.x@h, human.x, service.x, bus.x */

static int
parley_name_parse_aee(parley_str_t s, parley_name_t *ret)
{
    return parley_name_parse_prefixed(s, parley_name_aee_prefixes, ret);
}


static int
parley_name_format_aee(parley_buf_t *b, const parley_name_t *n)
{
    parley_name_format_prefixed(b, parley_name_aee_prefixes, n);

    return 0;
}


/* agent:x, agent:x@h, human:x, service:x, channel:x */

static int
parley_name_parse_c2a(parley_str_t s, parley_name_t *ret)
{
    return parley_name_parse_prefixed(s, parley_name_c2a_prefixes, ret);
}


static int
parley_name_format_c2a(parley_buf_t *b, const parley_name_t *n)
{
    parley_name_format_prefixed(b, parley_name_c2a_prefixes, n);

    return 0;
}


/* The prefix says the kind; an agent's host stands after the last @. */

static int
parley_name_parse_prefixed(parley_str_t s, const parley_str_t *prefixes,
    parley_name_t *ret)
{
    size_t    i;
    unsigned  kind;

    ret->host = parley_str_none;

    for (kind = PARLEY_NAME_AGENT; kind <= PARLEY_NAME_GROUP; kind++) {
        if (parley_name_strip(&s, prefixes[kind])) {
            break;
        }
    }

    if (kind > PARLEY_NAME_GROUP || s.len == 0) {
        return -1;
    }

    ret->kind = (parley_name_kind_t) kind;
    ret->name = s;

    if (kind != PARLEY_NAME_AGENT) {
        return 0;
    }

    for (i = s.len; i > 0 && s.data[i - 1] != '@'; i--) { /* void */ }

    if (i == 0) {
        return 0;
    }

    ret->name = parley_str_make(s.data, i - 1);
    ret->host = parley_str_from(s, i);

    return ret->name.len > 0 && ret->host.len > 0 ? 0 : -1;
}


static void
parley_name_format_prefixed(parley_buf_t *b, const parley_str_t *prefixes,
    const parley_name_t *n)
{
    parley_buf_str(b, prefixes[n->kind]);
    parley_buf_str(b, n->name);

    if (n->host.len > 0) {
        parley_buf_octet(b, '@');
        parley_buf_str(b, n->host);
    }
}


/* agent://h/x, human://x, service://x, "broadcast", else an opaque x */

static int
parley_name_parse_vcp(parley_str_t s, parley_name_t *ret)
{
    unsigned        kind;
    const uint8_t  *slash;

    ret->host = parley_str_none;
    ret->name = s;

    if (parley_str_is(s, "broadcast")) {
        ret->kind = PARLEY_NAME_GROUP;
        return 0;
    }

    for (kind = PARLEY_NAME_AGENT; kind < PARLEY_NAME_GROUP; kind++) {
        if (parley_name_strip(&s, parley_name_vcp_prefixes[kind])) {
            break;
        }
    }

    if (s.len == 0) {
        return -1;
    }

    if (kind == PARLEY_NAME_GROUP) {
        ret->kind = PARLEY_NAME_AGENT;
        return 0;
    }

    ret->kind = (parley_name_kind_t) kind;
    ret->name = s;

    if (kind != PARLEY_NAME_AGENT) {
        return 0;
    }

    slash = memchr(s.data, '/', s.len);
    if (slash == NULL) {
        return -1;
    }

    ret->host = parley_str_make(s.data, (size_t) (slash - s.data));
    ret->name = parley_str_from(s, ret->host.len + 1);

    return ret->host.len > 0 && ret->name.len > 0 ? 0 : -1;
}


static int
parley_name_format_vcp(parley_buf_t *b, const parley_name_t *n)
{
    if (n->kind == PARLEY_NAME_GROUP) {

        /* VCP knows one group: all peers */

        if (!parley_str_is(n->name, "broadcast")) {
            return -1;
        }

    } else if (n->kind != PARLEY_NAME_AGENT) {
        parley_buf_str(b, parley_name_vcp_prefixes[n->kind]);

    } else if (n->host.len > 0) {
        parley_buf_str(b, parley_name_vcp_prefixes[n->kind]);
        parley_buf_str(b, n->host);
        parley_buf_octet(b, '/');
    }

    parley_buf_str(b, n->name);

    return 0;
}


/*
 * ~x and, for a group, an org: scope.  The tier tells agents from humans:
 * an instrument's handle begins with ~cc-, or the directory lists it.
 */

static int
parley_name_parse_channel(parley_str_t s, parley_name_t *ret)
{
    ret->host = parley_str_none;

    if (parley_name_strip(&s, PARLEY_STR("org:"))) {

        if (s.len < sizeof("/members/*") - 1
            || memcmp(s.data + s.len - (sizeof("/members/*") - 1),
                      "/members/*", sizeof("/members/*") - 1)
               != 0)
        {
            return -1;
        }

        s.len -= sizeof("/members/*") - 1;
        ret->kind = PARLEY_NAME_GROUP;

    } else if (parley_str_begins(s, "~cc-")) {
        ret->kind = PARLEY_NAME_AGENT;

    } else {
        ret->kind = PARLEY_NAME_HUMAN;
    }

    if (!parley_name_is_handle(s)) {
        return -1;
    }

    ret->name = parley_str_from(s, 1);

    return 0;
}


static int
parley_name_format_channel(parley_buf_t *b, const parley_name_t *n)
{
    switch (n->kind) {

    case PARLEY_NAME_GROUP:
        parley_buf_lit(b, "org:~");
        parley_buf_str(b, n->name);
        parley_buf_lit(b, "/members/*");
        return 0;

    case PARLEY_NAME_AGENT:
    case PARLEY_NAME_HUMAN:
        parley_buf_octet(b, '~');
        parley_buf_str(b, n->name);
        return 0;

    default:
        return -1;
    }
}


int
parley_name_is_handle(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    if (s.len < 2 || s.len > 33 || s.data[0] != '~' || s.data[1] == '-'
        || s.data[s.len - 1] == '-' || parley_str_is(s, "~org"))
    {
        return 0;
    }

    for (i = 1; i < s.len; i++) {
        c = s.data[i];

        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
            return 0;
        }
    }

    return 1;
}


static int
parley_name_strip(parley_str_t *s, parley_str_t prefix)
{
    if (s->len < prefix.len || memcmp(s->data, prefix.data, prefix.len) != 0) {
        return 0;
    }

    *s = parley_str_from(*s, prefix.len);

    return 1;
}
