/*
 * Splits a name into the parts of a principal, and writes it in another syntax.
 * In every syntax, the parts are written as the same octets.  Thus a name maps
 * back exactly if its image splits into equal parts.
 */

#include "translate/parley_name.h"
#include "core/parley_buf.h"
#include "translate/parley_msg_field.h"


static int parley_name_format(parley_proto_t proto, parley_buf_t *b,
    const parley_name_t *n);
static int parley_name_alias(parley_arena_t *arena, const parley_name_t *n,
    parley_proto_t to, parley_name_alias_pt add, void *ctx);
static int parley_name_resolve(parley_arena_t *arena,
    const parley_encode_opts_t *opts, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret);
static int parley_name_author(parley_arena_t *arena,
    const parley_encode_opts_t *opts, parley_str_t author, parley_proto_t to,
    parley_str_t *ret);


int
parley_name_parse(parley_proto_t proto, parley_str_t s, parley_name_t *ret)
{
    const parley_name_syntax_t  *syntax;

    syntax = parley_codecs[proto]->syntax;
    ret->host = parley_str_none;
    ret->opaque = 0;

    return syntax->parse(syntax, s, ret);
}


static int
parley_name_format(parley_proto_t proto, parley_buf_t *b,
    const parley_name_t *n)
{
    const parley_name_syntax_t  *syntax;

    syntax = parley_codecs[proto]->syntax;

    return syntax->format(syntax, b, n);
}


int
parley_name_map(parley_arena_t *arena, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_buf_t                 b;
    parley_str_t                 image;
    parley_name_t                n, back;

    *ret = parley_str_none;

    /* If both protocols have one name, any syntax is allowed. */

    if (from == to
        || (parley_codecs[from]->syntax == parley_codecs[to]->syntax
            && parley_str_eq(parley_proto_member(from),
                             parley_proto_member(to))))
    {
        *ret = name;
        return 0;
    }

    if (parley_name_parse(from, name, &n) != 0) {
        return 1;
    }

    parley_buf_init(&b, arena, name.len + 16);

    if (parley_name_format(to, &b, &n) != 0) {
        return 1;
    }

    if (parley_buf_done(&b, &image) != 0) {
        return -1;
    }

    if (parley_name_parse(to, image, &back) != 0
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
parley_name_map_all(parley_arena_t *arena, parley_str_t name,
    parley_str_t ret[PARLEY_PROTO_COUNT])
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (parley_name_map(arena, PARLEY_PROTO_CANONICAL, name,
                            (parley_proto_t) i, &ret[i])
            < 0)
        {
            return -1;
        }
    }

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

    if (parley_name_parse((parley_proto_t) from, name, &n) != 0) {
        return 0;
    }

    n.host = parley_str_none;

    kinds[0] = n;
    kinds[1] = n;
    nkinds = 1;

    if (parley_codecs[from]->syntax->tierless && n.kind != PARLEY_NAME_GROUP) {
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


/* Adds a name that need not map back. */

static int
parley_name_alias(parley_arena_t *arena, const parley_name_t *n,
    parley_proto_t to, parley_name_alias_pt add, void *ctx)
{
    parley_buf_t  b;
    parley_str_t  image;

    parley_buf_init(&b, arena, n->name.len + n->host.len + 16);

    if (parley_name_format(to, &b, n) != 0) {
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
    const parley_msg_t *m, parley_str_t name, parley_msg_field_t field,
    parley_proto_t to, parley_str_t *ret, parley_error_t *err)
{
    int          rc;
    parley_at_t  at;

    rc = parley_name_resolve(arena, opts, m->wire, name, to, ret);

    if (rc == 0 && field == PARLEY_MSG_SENDER && m->author.len > 0
        && !parley_codecs[to]->drafted && parley_name_is_human(to, *ret))
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

    /* Only a proven sender may learn which of its own names is missing. */

    if (field == PARLEY_MSG_SENDER && opts->principal.len > 0) {
        return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(m, field).pointer,
                                "sub \"%.*s\" has no \"%s\", and no name of "
                                "%s can be derived from this one",
                                (int) opts->principal.len,
                                (const char *) opts->principal.data,
                                (const char *) parley_proto_member(to).data,
                                (const char *) parley_proto_title(to).data);
    }

    at = parley_at(m, field);

    return parley_error_set(err, PARLEY_E_IDENTITY_UNMAPPABLE, at.pointer,
                            "no name of %s can be derived from %s",
                            (const char *) parley_proto_title(to).data,
                            at.pointer[0] != '\0' ? "this one"
                            : field == PARLEY_MSG_SENDER
                            ? "that of the sender"
                            : "that of the recipient");
}


/*
 * Finds a name.  Returns 0; 1 if the name has no image; -1 if memory is
 * exhausted.
 */

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
 * Finds an instrument's name by the directory.  If that is the name of a human,
 * the name's syntax decides.
 */

static int
parley_name_author(parley_arena_t *arena, const parley_encode_opts_t *opts,
    parley_str_t author, parley_proto_t to, parley_str_t *ret)
{
    int  rc;

    rc = parley_name_resolve(arena, opts, PARLEY_PROTO_CANONICAL, author, to,
                             ret);

    if (rc != 0 || !parley_name_is_human(to, *ret)) {
        return rc;
    }

    rc = parley_name_map(arena, PARLEY_PROTO_CANONICAL, author, to, ret);

    return rc == 0 && parley_name_is_human(to, *ret) ? 1 : rc;
}


int
parley_name_lost(parley_arena_t *arena, const parley_encode_opts_t *opts,
    const parley_msg_t *m, parley_proto_t to, parley_loss_t *loss,
    parley_error_t *err)
{
    int           rc;
    parley_str_t  name;

    if (m->author.len == 0 || m->renamed || parley_codecs[to]->drafted) {
        return 0;
    }

    rc = parley_name_resolve(arena, opts, m->wire, m->sender, to, &name);

    if (rc == -1) {
        return parley_error_memory(err);
    }

    if (rc == 0 && parley_name_is_human(to, name)) {
        parley_loss_at(loss, m, PARLEY_MSG_SENDER);
    }

    return 0;
}


int
parley_name_reads(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return parley_name_parse(proto, name, &n) == 0;
}


int
parley_name_says(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return parley_name_parse(proto, name, &n) == 0
           && !n.opaque;
}


/* The first octet excludes most names. */

int
parley_name_is_human(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return proto < PARLEY_PROTO_COUNT && name.len > 0
           && name.data[0] == parley_codecs[proto]->syntax->human
           && parley_name_parse(proto, name, &n) == 0
           && n.kind == PARLEY_NAME_HUMAN;
}


int
parley_name_is_group(parley_proto_t proto, parley_str_t name)
{
    parley_name_t  n;

    return proto < PARLEY_PROTO_COUNT && name.len > 0
           && name.data[0] == parley_codecs[proto]->syntax->group
           && parley_name_parse(proto, name, &n) == 0
           && n.kind == PARLEY_NAME_GROUP;
}
