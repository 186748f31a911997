/* Tokens of a connection, and of its requests. */

#include "gate/link/parley_link_parts.h"


int
parley_link_is_token(parley_str_t token)
{
    size_t  i;

    for (i = 0; i < token.len; i++) {
        if (token.data[i] <= ' ' || token.data[i] > '~') {
            return 0;
        }
    }

    return token.len <= PARLEY_LINK_TOKEN_MAX;
}


parley_str_t
parley_link_token(const parley_link_t *link)
{
    const parley_link_session_t  *s;

    for (s = link->sessions; s != NULL; s = s->next) {
        if (s->state != PARLEY_LINK_PROVING && s->token.len > 0) {
            return s->token;
        }
    }

    return link->setup_token;
}


/*
 * A token is compared with those that are proved: they are the only ones of
 * which the result is known at once, and another principal has no other right
 * on this connection.
 */

int
parley_link_token_check(const parley_link_t *link,
    const parley_moqt_message_t *m, parley_moqt_refuse_t *code,
    const char **text)
{
    uint64_t              type;
    parley_moqt_pair_t    pair;
    parley_moqt_token_t   token;
    parley_moqt_fault_t   fault;
    parley_moqt_cursor_t  c;

    parley_moqt_pairs_begin(link->draft, &m->params, &c);
    type = 0;

    while (c.pos < c.end
           && parley_moqt_pair_read(&c, &type, &pair, &fault) == 0
           && type <= PARLEY_MOQT_PARAM_TOKEN)
    {
        if (type != PARLEY_MOQT_PARAM_TOKEN) {
            continue;
        }

        if (parley_moqt_token_read(link->draft, pair.octets, &token, &fault)
            != 0
            || token.type != 0 || token.value.len == 0
            || !parley_link_is_token(token.value))
        {
            *code = PARLEY_MOQT_REFUSE_MALFORMED_AUTH_TOKEN;
            *text = "the type of the token must be 0, and its value is that "
                    "of a header field";
            return 1;
        }

        if (!parley_link_token_proves(link, token.value)) {
            *code = PARLEY_MOQT_REFUSE_UNAUTHORIZED;
            *text = "the token is not one that is proved on this connection";
            return 1;
        }
    }

    return 0;
}


/* If the token of CLIENT_SETUP is refused, the connection is closed. */

int
parley_link_token_proves(const parley_link_t *link, parley_str_t token)
{
    const parley_link_session_t  *s;

    if ((link->setup_proving || link->setup_proved)
        && parley_str_eq(token, link->setup_token))
    {
        return 1;
    }

    for (s = link->sessions; s != NULL; s = s->next) {
        if (s->state != PARLEY_LINK_PROVING && parley_str_eq(token, s->token))
        {
            return 1;
        }
    }

    return 0;
}
