/* Arguments of a query, such as ?scope=org%3A~ops%2Fmembers%2F*&trace=1 */

#include <stdio.h>
#include <string.h>

#include "gate/settings/parley_arguments.h"
#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "core/parley_escape.h"
#include "gate/settings/parley_query_parameter.h"
#include "core/parley_utf8.h"


static int parley_arguments_unknown(const parley_arguments_t *a,
    parley_str_t text, parley_error_t *err);
static int parley_arguments_next(parley_str_t *query, parley_str_t *ret);
static int parley_arguments_stand(const parley_arguments_t *a,
    parley_str_t query, unsigned said);
static unsigned parley_arguments_said(const parley_arguments_t *a);
static unsigned parley_arguments_new(const parley_arguments_t *a,
    parley_str_t query, unsigned said, parley_buf_t *b);
static void parley_arguments_join(parley_buf_t *b);
static void parley_argument_put(parley_buf_t *b,
    const parley_argument_t *argument);
static int parley_argument_decode(parley_arena_t *arena, parley_str_t s,
    parley_argument_t *argument, parley_error_t *err);
static int parley_argument_is_text(parley_str_t s);
static int parley_argument_fail(const parley_argument_t *argument,
    parley_error_t *err, const char *text);


static const parley_str_t  parley_argument_names[PARLEY_ARGUMENTS] = {
    [PARLEY_ARGUMENT_SCOPE] = parley_str("scope"),
    [PARLEY_ARGUMENT_RECIPIENT] = parley_str("recipient"),
    [PARLEY_ARGUMENT_SUB] = parley_str("sub"),
    [PARLEY_ARGUMENT_KID] = parley_str("kid"),
    [PARLEY_ARGUMENT_FILTER] = parley_str("filter"),
    [PARLEY_ARGUMENT_SESSION] = parley_str("session"),
    [PARLEY_ARGUMENT_INSTRUMENT] = parley_str("instrument"),
    [PARLEY_ARGUMENT_LAST_EVENT_ID] = parley_str("last_event_id"),
    [PARLEY_ARGUMENT_EVENT] = parley_str("event"),
    [PARLEY_ARGUMENT_ID] = parley_str("id"),
    [PARLEY_ARGUMENT_ALL] = parley_str("all"),
    [PARLEY_ARGUMENT_AGENT] = parley_str("agent"),
    [PARLEY_ARGUMENT_CONVERSATION] = parley_str("conversation"),
};


int
parley_argument_is_known(parley_str_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_ARGUMENTS; i++) {
        if (parley_query_parameter_name(name, parley_argument_names[i])
            != PARLEY_QUERY_PARAMETER_OTHER)
        {
            return 1;
        }
    }

    return 0;
}


void
parley_arguments_init(parley_arguments_t *a, parley_proto_t wire,
    parley_proto_t speak, parley_str_t token)
{
    unsigned        i, which;
    parley_proto_t  protos[2] = { wire, speak };

    which = 0;

    for (i = 0; i < 2; i++) {

        if (protos[i] >= PARLEY_PROTO_COUNT) {
            continue;
        }

        if (parley_codecs[protos[i]]->binding->scoped) {
            which |= 1u << PARLEY_ARGUMENT_SCOPE;
        }

        if (parley_codecs[protos[i]]->binding->addressed) {
            which |= 1u << PARLEY_ARGUMENT_RECIPIENT;
        }
    }

    parley_arguments_of(a, which, token);

    a->alone = 0;
}


void
parley_arguments_of(parley_arguments_t *a, unsigned which, parley_str_t token)
{
    unsigned  i, left;

    parley_octets_zero(a, sizeof(parley_arguments_t));

    which &= (1u << PARLEY_ARGUMENTS) - 1;

    for (left = which; left != 0; left &= left - 1) {
        i = (unsigned) __builtin_ctz(left);
        a->list[i].name = parley_argument_names[i];
    }

    a->list[PARLEY_ARGUMENT_TOKEN].name = token;
    a->named = which | (token.len > 0 ? 1u << PARLEY_ARGUMENT_TOKEN : 0);
    a->alone = 1;
}


int
parley_arguments_read(parley_arguments_t *a, parley_arena_t *arena,
    parley_str_t query, parley_error_t *err)
{
    unsigned                  given;
    parley_str_t              text;
    parley_query_parameter_t  piece;
    parley_argument_t        *argument;

    given = 0;

    while (parley_arguments_next(&query, &text)) {
        parley_query_parameter_read(a, text, &piece);

        if (piece.kind == PARLEY_QUERY_PARAMETER_OTHER) {

            if (a->alone && text.len > 0 && text.data[0] != '_') {
                return parley_arguments_unknown(a, text, err);
            }

            continue;
        }

        argument = &a->list[piece.which];

        if (piece.kind == PARLEY_QUERY_PARAMETER_DISGUISED) {
            return parley_argument_fail(argument, err, "is written in a way "
                                        "that not everybody reads alike");
        }

        if (given & (1u << piece.which)) {
            return parley_argument_fail(argument, err, "is there twice");
        }

        given |= 1u << piece.which;
        argument->there = 1;

        if (parley_argument_decode(arena, piece.value, argument, err) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Lists the arguments of this request in the error. */

static int
parley_arguments_unknown(const parley_arguments_t *a, parley_str_t text,
    parley_error_t *err)
{
    char      name[64], all[128];
    size_t    n, len;
    unsigned  i;

    n = 0;
    all[0] = '\0';

    for (len = 0; len < text.len && len < sizeof(name) - 1; len++) {
        if (text.data[len] == '=' || text.data[len] == ';') {
            break;
        }

        name[len] = (char) text.data[len];
    }

    name[len] = '\0';

    for (i = 0; i < PARLEY_ARGUMENTS; i++) {
        if (a->list[i].name.len > 0 && n + a->list[i].name.len + 3
                                       < sizeof(all))
        {
            n += (size_t) snprintf(all + n, sizeof(all) - n, "%s%.*s",
                                   n == 0 ? "" : ", ",
                                   (int) a->list[i].name.len,
                                   (const char *) a->list[i].name.data);
        }
    }

    (void) parley_error_set(err, PARLEY_E_FIELD_INVALID, name,
                            "the argument %s is unknown, %s%s", name,
                            n == 0 ? "this request has none"
                                   : "expected one of ",
                            all);
    err->is_name = 1;

    return -1;
}


int
parley_arguments_check(const parley_arguments_t *a, const parley_msg_t *msg,
    parley_error_t *err)
{
    const parley_codec_t     *codec;
    const parley_argument_t  *scope, *recipient;

    codec = parley_codecs[msg->wire];
    scope = &a->list[PARLEY_ARGUMENT_SCOPE];
    recipient = &a->list[PARLEY_ARGUMENT_RECIPIENT];

    if (scope->value.len > 0 && !codec->binding->scoped) {
        return parley_argument_fail(scope, err, "does not exist in the "
                                    "message's protocol");
    }

    /* ACH-15: a service could take an empty scope for the widest one */

    if (scope->there && scope->value.len == 0 && codec->binding->scoped) {
        return parley_argument_fail(scope, err, "is empty: left out, it is "
                                    "all sessions of the recipient");
    }

    if (recipient->value.len == 0) {
        return 0;
    }

    if (!codec->binding->addressed) {
        return parley_argument_fail(recipient, err, "does not exist in the "
                                    "message's protocol");
    }

    if (msg->recipient.len > 0
        && !parley_str_eq(msg->recipient, recipient->value))
    {
        return parley_argument_fail(recipient, err, "names another than the "
                                    "message");
    }

    return 0;
}


int
parley_arguments_write(const parley_arguments_t *a, parley_arena_t *arena,
    parley_str_t query, parley_str_t *ret)
{
    unsigned                  left;
    parley_buf_t              b;
    parley_str_t              rest, text;
    parley_query_parameter_t  piece;

    *ret = query;
    left = parley_arguments_said(a);

    if (parley_arguments_stand(a, query, left)) {
        return 0;
    }

    parley_buf_init(&b, arena, query.len + 64);

    /*
     * missing arguments come first: some parsers take the first of two equal
     * names
     */

    left = parley_arguments_new(a, query, left, &b);

    for (rest = query; parley_arguments_next(&rest, &text); /* void */) {
        parley_query_parameter_read(a, text, &piece);

        if (piece.kind == PARLEY_QUERY_PARAMETER_OTHER) {
            parley_arguments_join(&b);
            parley_buf_str(&b, text);
            continue;
        }

        if (piece.kind == PARLEY_QUERY_PARAMETER_DISGUISED
            || !(left & (1u << piece.which)))
        {
            continue;
        }

        left &= ~(1u << piece.which);
        parley_arguments_join(&b);

        if (parley_query_parameter_stays(&piece, a->list[piece.which].value)) {
            parley_buf_str(&b, text);

        } else {
            parley_argument_put(&b, &a->list[piece.which]);
        }
    }

    return parley_buf_done(&b, ret);
}


void
parley_arguments_hide(parley_str_t name, uint8_t *query, size_t len)
{
    size_t                    n, end;
    parley_str_t              rest, text;
    parley_query_parameter_t  piece;
    parley_arguments_t        a;

    parley_arguments_init(&a, PARLEY_PROTO_NONE, PARLEY_PROTO_NONE, name);

    for (rest = parley_str_make(query, len);
         parley_arguments_next(&rest, &text);
         /* void */)
    {
        parley_query_parameter_read(&a, text, &piece);

        if (piece.kind == PARLEY_QUERY_PARAMETER_OTHER) {
            continue;
        }

        n = (size_t) (text.data - query);
        end = n + text.len;

        while (n < end && query[n++] != '=') { /* void */ }

        memset(query + n, '*', end - n);
    }
}


/* Returns whether the query already has exactly the arguments of said. */

static int
parley_arguments_stand(const parley_arguments_t *a, parley_str_t query,
    unsigned said)
{
    parley_str_t              text;
    parley_query_parameter_t  piece;

    while (parley_arguments_next(&query, &text)) {
        parley_query_parameter_read(a, text, &piece);

        if (piece.kind == PARLEY_QUERY_PARAMETER_OTHER) {
            continue;
        }

        if (piece.kind == PARLEY_QUERY_PARAMETER_DISGUISED
            || !(said & (1u << piece.which))
            || !parley_query_parameter_stays(&piece,
                                             a->list[piece.which].value))
        {
            return 0;
        }

        said &= ~(1u << piece.which);
    }

    return said == 0;
}


/* Reads the next piece between two "&".  Returns 0 at the end. */

static int
parley_arguments_next(parley_str_t *query, parley_str_t *ret)
{
    const uint8_t  *p;

    if (query->len == 0) {
        return 0;
    }

    p = memchr(query->data, '&', query->len);

    if (p == NULL) {
        *ret = *query;
        *query = parley_str_none;
        return 1;
    }

    *ret = parley_str_make(query->data, (size_t) (p - query->data));
    *query = parley_str_from(*query, ret->len + 1);

    return 1;
}


/*
 * Returns the arguments that have a value, as bits of 1 << parley_argument_e.
 */

static unsigned
parley_arguments_said(const parley_arguments_t *a)
{
    unsigned  i, left, said;

    said = 0;

    for (left = a->named; left != 0; left &= left - 1) {
        i = (unsigned) __builtin_ctz(left);

        if (a->list[i].value.len > 0) {
            said |= 1u << i;
        }
    }

    return said;
}


/*
 * Writes the arguments of said that the query does not have, and returns the
 * others.
 */

static unsigned
parley_arguments_new(const parley_arguments_t *a, parley_str_t query,
    unsigned said, parley_buf_t *b)
{
    unsigned                  i, new;
    parley_str_t              text;
    parley_query_parameter_t  piece;

    new = said;

    while (new != 0 && parley_arguments_next(&query, &text)) {
        parley_query_parameter_read(a, text, &piece);

        if (piece.kind == PARLEY_QUERY_PARAMETER_ARGUMENT) {
            new &= ~(1u << piece.which);
        }
    }

    for (i = 0; i < PARLEY_ARGUMENTS; i++) {
        if (new & (1u << i)) {
            parley_arguments_join(b);
            parley_argument_put(b, &a->list[i]);
        }
    }

    return said & ~new;
}


static void
parley_arguments_join(parley_buf_t *b)
{
    if (b->len > 0) {
        parley_buf_octet(b, '&');
    }
}


static void
parley_argument_put(parley_buf_t *b, const parley_argument_t *argument)
{
    parley_buf_str(b, argument->name);
    parley_buf_octet(b, '=');
    parley_escape_put(b, argument->value, PARLEY_ESCAPE_ARGUMENT);
}


static int
parley_argument_decode(parley_arena_t *arena, parley_str_t s,
    parley_argument_t *argument, parley_error_t *err)
{
    uint8_t        *to;
    const uint8_t  *p, *end;

    argument->value = s;

    if (s.len == 0) {
        return 0;
    }

    p = s.data;
    end = p + s.len;

    if (memchr(p, '%', s.len) != NULL || memchr(p, '+', s.len) != NULL) {

        to = parley_arena_octets(arena, s.len);
        if (to == NULL) {
            return parley_error_memory(err);
        }

        argument->value.data = to;

        while (p < end) {
            if (parley_query_parameter_octet(&p, end, to++) != 0) {
                return parley_argument_fail(argument, err, "has a \"%\" "
                                            "without two hex digits");
            }
        }

        argument->value.len = (size_t) (to - argument->value.data);
    }

    return parley_argument_set(argument, argument->value, err);
}


int
parley_argument_set(parley_argument_t *argument, parley_str_t value,
    parley_error_t *err)
{
    argument->value = value;

    return parley_argument_is_text(value) ? 0
           : parley_argument_fail(argument, err, "is not UTF-8, or has "
                                  "control characters");
}


static int
parley_argument_is_text(parley_str_t s)
{
    size_t          n;
    uint32_t        c;
    const uint8_t  *p, *end;

    end = s.data + s.len;

    for (p = s.data; p < end; p += n) {
        n = parley_utf8_len(p, end);

        if (n == 0) {
            return 0;
        }

        c = parley_utf8_get(p, n);

        if (c < 0x20 || (c >= 0x7F && c <= 0x9F)) {
            return 0;
        }
    }

    return 1;
}


static int
parley_argument_fail(const parley_argument_t *argument, parley_error_t *err,
    const char *text)
{
    char  name[64];

    (void) snprintf(name, sizeof(name), "%.*s",
                    (int) (argument->name.len < sizeof(name)
                           ? argument->name.len : sizeof(name) - 1),
                    (const char *) argument->name.data);

    (void) parley_error_set(err, PARLEY_E_FIELD_INVALID, name,
                            "the argument %s %s", name, text);
    err->is_name = 1;

    return -1;
}
