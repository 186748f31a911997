#include <arpa/inet.h>
#include <string.h>

#include "state/store/parley_store_sentinel.h"


static int parley_store_sentinel_reply(parley_store_sentinel_t *q,
    const parley_wire_reply_t *reply);
static int parley_store_sentinel_error(parley_store_sentinel_t *q,
    parley_str_t error);
static int parley_store_sentinel_address(parley_store_sentinel_t *q,
    const parley_wire_reply_t *reply);
static int parley_store_sentinel_fail(parley_store_sentinel_t *q,
    const char *why);


/* errors, by their first word */
static const struct {
    const char  *word;
    const char  *why;
} parley_store_sentinel_errors[] = {
    { "NOAUTH", "NOAUTH: set sentinel_user= and sentinel_password= of "
                "parley_store" },
    { "WRONGPASS", "WRONGPASS: correct sentinel_user= and sentinel_password= "
                   "of parley_store" },
    { "NOPERM", "NOPERM: give the user the rules that \"parley store acl "
                "--sentinel\" prints" }
};


int
parley_store_sentinel_begin(parley_store_sentinel_t *q,
    const parley_store_sentinel_conf_t *conf, parley_arena_t *arena,
    parley_str_t *octets)
{
    uint8_t       *p;
    parley_str_t   auth, question, both[3];

    memset(q, 0, sizeof(parley_store_sentinel_t));

    q->conf = conf;
    q->wire = parley_wire_create();

    if (q->wire == NULL) {
        return -1;
    }

    both[0] = PARLEY_STR("SENTINEL");
    both[1] = PARLEY_STR("GET-MASTER-ADDR-BY-NAME");
    both[2] = conf->primary;

    if (parley_wire_command(arena, both, 3, &question) != 0) {
        return -1;
    }

    if (conf->password.len == 0) {
        *octets = question;
        return 0;
    }

    q->auth = 1;

    both[0] = PARLEY_STR("AUTH");
    both[1] = conf->user.len != 0 ? conf->user : PARLEY_STR("default");
    both[2] = conf->password;

    if (parley_wire_command(arena, both, 3, &auth) != 0) {
        return -1;
    }

    p = parley_arena_octets(arena, auth.len + question.len);

    if (p == NULL) {
        return -1;
    }

    memcpy(p, auth.data, auth.len);
    memcpy(p + auth.len, question.data, question.len);
    *octets = parley_str_make(p, auth.len + question.len);

    return 0;
}


void
parley_store_sentinel_end(parley_store_sentinel_t *q)
{
    parley_wire_destroy(q->wire);
    q->wire = NULL;
}


int
parley_store_sentinel_fed(parley_store_sentinel_t *q, const uint8_t *p,
    size_t len)
{
    int                   rc;
    parley_wire_reply_t  *reply;

    q->octets += len;

    if (q->octets > PARLEY_STORE_SENTINEL_OCTETS
        || parley_wire_feed(q->wire, p, len) != 0)
    {
        return parley_store_sentinel_fail(q, "its reply is too large");
    }

    do {
        rc = parley_wire_next(q->wire, &reply);

        if (rc < 0) {
            return parley_store_sentinel_fail(q, "its reply is not valid RESP");
        }

        if (rc == 0) {
            return 0;
        }

        rc = parley_store_sentinel_reply(q, reply);
        parley_wire_free(reply);

    } while (rc == 0);

    return rc;
}


static int
parley_store_sentinel_reply(parley_store_sentinel_t *q,
    const parley_wire_reply_t *reply)
{
    parley_str_t  error;

    error = parley_wire_error(reply);

    if (error.len != 0) {
        return parley_store_sentinel_error(q, error);
    }

    if (q->auth) {
        q->auth = 0;
        return 0;
    }

    if (parley_wire_is_null(reply)) {
        return parley_store_sentinel_fail(q, "it does not know the primary of "
                                          "this name");
    }

    return parley_store_sentinel_address(q, reply);
}


/* An engine without AUTH repeats its arguments in the error, so texts of errors
   are not shown. */

static int
parley_store_sentinel_error(parley_store_sentinel_t *q, parley_str_t error)
{
    size_t        i;
    parley_str_t  word;

    word = parley_str_until(error, ' ');

    for (i = 0; i < sizeof(parley_store_sentinel_errors)
                    / sizeof(parley_store_sentinel_errors[0]); i++)
    {
        if (parley_str_eq(word,
                          parley_str_c(parley_store_sentinel_errors[i].word)))
        {
            return parley_store_sentinel_fail(q,
                                         parley_store_sentinel_errors[i].why);
        }
    }

    return parley_store_sentinel_fail(q, q->auth
                                      ? "it refuses AUTH"
                                      : "it refuses the question; the port may "
                                        "not be that of a Sentinel");
}


static int
parley_store_sentinel_address(parley_store_sentinel_t *q,
    const parley_wire_reply_t *reply)
{
    uint8_t       address[16];
    int64_t       port;
    parley_str_t  host;

    if (parley_wire_elements(reply) != 2
        || !parley_wire_text(parley_wire_element(reply, 0), &host)
        || !parley_wire_integer(parley_wire_element(reply, 1), &port)
        || port == 0 || port > UINT16_MAX)
    {
        return parley_store_sentinel_fail(q, "its reply has another form");
    }

    if (host.len < sizeof(q->host)) {
        memcpy(q->host, host.data, host.len);
    }

    if (strlen(q->host) != host.len
        || (inet_pton(AF_INET, q->host, address) != 1
            && inet_pton(AF_INET6, q->host, address) != 1))
    {
        return parley_store_sentinel_fail(q, "it names the primary by a host "
                                          "name; set \"sentinel "
                                          "announce-hostnames no\"");
    }

    q->port = (uint16_t) port;

    return 1;
}


static int
parley_store_sentinel_fail(parley_store_sentinel_t *q, const char *why)
{
    q->why = why;

    return -1;
}


void
parley_store_sentinel_acl(parley_buf_t *b)
{
    parley_buf_lit(b, "resetkeys resetchannels -@all "
                      "+sentinel|get-master-addr-by-name");
}
