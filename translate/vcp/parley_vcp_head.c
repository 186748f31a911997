/* Computes id, time and recipient of a new envelope. */

#include "translate/vcp/parley_vcp.h"
#include "core/parley_id.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"
#include "core/parley_time.h"


#define PARLEY_VCP_FRACTION  19     /* offset of the fraction in a timestamp */


static int parley_vcp_encode_peer(parley_vcp_encode_t *e, parley_str_t *ret);


/*
 * Keeps an id that the version allows.  Derives a UUIDv7 from any other id,
 * which both versions allow; equal ids give equal UUIDs (AEE-35).
 */

int
parley_vcp_encode_id(parley_vcp_encode_t *e, parley_str_t *ret)
{
    char  lower[PARLEY_UUID_LEN + 1];

    *ret = e->m->id;

    if (e->dialect->is_id(*ret)) {
        return 0;
    }

    if (parley_uuid_is_any_case(*ret, 7)) {
        parley_uuid_lower(e->m->id, lower);

        return parley_arena_str(e->arena, parley_str_c(lower), ret) == 0
               ? 0 : parley_error_memory(e->err);
    }

    return parley_msg_derive(e->arena, e->m, 7, e->m->id,
                             PARLEY_STR("message_id"), ret) == 0
           ? 0 : parley_error_memory(e->err);
}


/* Converts the time to UTC with a Z.  Such a time stays, with its fraction. */

int
parley_vcp_encode_time(parley_vcp_encode_t *e, parley_str_t *ret)
{
    char          text[PARLEY_TIME_MAX];
    size_t        i;
    int64_t       ms;
    parley_buf_t  b;
    parley_str_t  created;

    created = e->m->created;
    *ret = created;

    ms = e->m->created_ms;

    /* A time that the decode has parsed is not parsed again. */

    if ((created.len == 0 || ms < 0) && parley_time_parse(created, &ms) != 0) {

        if (created.len > 0 || e->m->created_ms < 0) {
            return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                    parley_at(e->m,
                                              PARLEY_MSG_CREATED).pointer,
                                    "VCP needs an RFC 3339 timestamp");
        }

        created = parley_str_none;
        ms = e->m->created_ms;

    } else if (created.data[10] == 'T'
               && created.data[created.len - 1] == 'Z')
    {
        return 0;
    }

    parley_buf_init(&b, e->arena, created.len + PARLEY_TIME_MAX);

    if (created.len > PARLEY_VCP_FRACTION
        && created.data[PARLEY_VCP_FRACTION] == '.')
    {
        /* Write the seconds, rounded down, and the fraction as received. */

        (void) parley_time_format(ms - ((ms % 1000) + 1000) % 1000, text);

        parley_buf_put(&b, text, PARLEY_VCP_FRACTION);
        parley_buf_octet(&b, '.');

        for (i = PARLEY_VCP_FRACTION + 1;
             created.data[i] >= '0' && created.data[i] <= '9'; i++)
        {
            parley_buf_octet(&b, created.data[i]);
        }

        parley_buf_octet(&b, 'Z');

    } else {
        parley_buf_put(&b, text, parley_time_format(ms, text));
    }

    return parley_buf_done(&b, ret) == 0 ? 0 : parley_error_memory(e->err);
}


/*
 * Finds the recipient.  VCP has one group, all peers.  Another group becomes
 * this one if the operator says that it is the whole upstream.  A narrower
 * group never becomes wider.
 */

int
parley_vcp_encode_recipient(parley_vcp_encode_t *e, parley_str_t *ret)
{
    int                          rc;
    parley_str_t                 name;
    const parley_msg_t          *m;
    const parley_encode_opts_t  *opts;

    m = e->m;
    opts = e->opts;
    name = parley_str_none;

    if (!parley_name_is_group(m->wire, m->recipient) || opts->broadcast.len == 0
        || (m->scope.len > 0 && !parley_str_eq(m->scope, m->recipient)))
    {
        return parley_vcp_encode_peer(e, ret);
    }

    rc = opts->resolve != NULL
         ? opts->resolve(opts->resolve_ctx, m->wire, m->recipient,
                         PARLEY_PROTO_CANONICAL, &name) : 0;

    if (rc == 0
        && parley_name_map(e->arena, m->wire, m->recipient,
                           PARLEY_PROTO_CANONICAL, &name)
           == -1)
    {
        return parley_error_memory(e->err);
    }

    if (rc < 0 || !parley_str_eq(name, opts->broadcast)) {
        return parley_vcp_encode_peer(e, ret);
    }

    *ret = parley_vcp_syntax.peers;

    /* The name is lost, unless it maps to all peers. */

    rc = parley_name_map(e->arena, e->dialect->proto, *ret, m->wire, &name);

    if (rc == -1) {
        return parley_error_memory(e->err);
    }

    if (rc != 0 || !parley_str_eq(name, m->recipient)) {
        parley_loss_at(e->loss, m, PARLEY_MSG_RECIPIENT);
    }

    return 0;
}


static int
parley_vcp_encode_peer(parley_vcp_encode_t *e, parley_str_t *ret)
{
    const parley_msg_t  *m;

    m = e->m;

    if (parley_name_is_group(m->wire, m->recipient) && m->scope.len > 0
        && !parley_str_eq(m->scope, m->recipient))
    {
        return parley_error_set(e->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(m, PARLEY_MSG_RECIPIENT).pointer,
                                "the scope is a part of a group, VCP addresses "
                                "one peer or all peers");
    }

    return parley_name_translate(e->arena, e->opts, m, m->recipient,
                                 PARLEY_MSG_RECIPIENT, e->dialect->proto,
                                 ret, e->err);
}
