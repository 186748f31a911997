#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "tools/parley_http.h"


/* target of a URL: parts of the URL, and copies that end with a zero octet */
typedef struct {
    int           tls;
    int           local;        /* a Unix domain socket */
    char          host[256];    /* or path of the socket */
    char          port[8];
    parley_str_t  authority;    /* value of the header Host */
    parley_str_t  path;
} parley_http_place_t;


static int parley_http_place(const char *url, parley_http_place_t *ret);
static int parley_http_split(parley_str_t authority, parley_http_place_t *ret);
static BIO *parley_http_connect(const parley_http_place_t *place,
    const char *authorities, SSL_CTX **ctx, const char **why);
static BIO *parley_http_local(const char *path);
static BIO *parley_http_remote(const parley_http_place_t *place);
static BIO *parley_http_tls(const parley_http_place_t *place, BIO *tcp,
    const char *authorities, SSL_CTX **ctx, const char **why);
static int parley_http_exchange(parley_tool_t *tool, BIO *bio,
    const parley_http_place_t *place, const parley_http_request_t *request,
    parley_str_t *ret);
static int parley_http_read(parley_tool_t *tool, BIO *bio, parley_str_t *ret);
static int parley_http_parse(parley_str_t octets, parley_http_answer_t *ret);
static const char *parley_http_why(void);


int
parley_http(parley_tool_t *tool, const parley_http_request_t *request,
    parley_http_answer_t *ret)
{
    int                   rc;
    BIO                  *bio;
    SSL_CTX              *ctx;
    const char           *why;
    parley_str_t          octets;
    parley_http_place_t   place;

    if (parley_http_place(request->url, &place) != 0) {
        parley_say("\"%s\" is no URL of http, https or http://unix:",
                   request->url);
        return -1;
    }

    ctx = NULL;
    why = NULL;
    bio = parley_http_connect(&place, request->authorities, &ctx, &why);

    if (bio == NULL) {
        parley_say("%s: %s", request->url, why != NULL ? why
                                           : parley_http_why());
        SSL_CTX_free(ctx);
        return -1;
    }

    rc = parley_http_exchange(tool, bio, &place, request, &octets);

    if (rc == 0 && parley_http_parse(octets, ret) != 0) {
        parley_say("%s: what answers is no HTTP server", request->url);
        rc = -1;
    }

    BIO_free_all(bio);
    SSL_CTX_free(ctx);

    return rc;
}


static int
parley_http_place(const char *url, parley_http_place_t *ret)
{
    size_t        i, n;
    parley_str_t  rest;

    static const parley_str_t  plain = parley_str("http://");
    static const parley_str_t  tls = parley_str("https://");
    static const parley_str_t  local = parley_str("unix:");

    memset(ret, 0, sizeof(parley_http_place_t));

    rest = parley_str_make(url, strlen(url));
    ret->tls = rest.len > tls.len
               && parley_str_eq(parley_str_make(rest.data, tls.len), tls);

    if (!ret->tls
        && (rest.len <= plain.len
            || !parley_str_eq(parley_str_make(rest.data, plain.len), plain)))
    {
        return -1;
    }

    rest = parley_str_from(rest, ret->tls ? tls.len : plain.len);

    for (i = 0; i < rest.len; i++) {
        if (rest.data[i] <= ' ' || rest.data[i] == '?' || rest.data[i] == '#'
            || rest.data[i] >= 0x7f)
        {
            return -1;
        }
    }

    if (rest.len > local.len
        && parley_str_eq(parley_str_make(rest.data, local.len), local))
    {
        rest = parley_str_from(rest, local.len);
        ret->local = !ret->tls;
        ret->authority = PARLEY_STR("localhost");

        for (n = 0; n < rest.len && rest.data[n] != ':'; n++) { /* void */ }

        if (!ret->local || n == 0 || n == rest.len
            || n >= sizeof(ret->host))
        {
            return -1;
        }

        memcpy(ret->host, rest.data, n);
        ret->path = parley_str_from(rest, n + 1);

        return ret->path.len > 0 && ret->path.data[0] == '/' ? 0 : -1;
    }

    for (n = 0; n < rest.len && rest.data[n] != '/'; n++) { /* void */ }

    ret->authority = parley_str_make(rest.data, n);
    ret->path = n < rest.len ? parley_str_from(rest, n) : PARLEY_STR("/");

    return parley_http_split(ret->authority, ret);
}


/* Splits host, host:port or [::1]:port. */

static int
parley_http_split(parley_str_t authority, parley_http_place_t *ret)
{
    size_t        i, n;
    parley_str_t  host, port;

    port = ret->tls ? PARLEY_STR("443") : PARLEY_STR("80");
    n = authority.len;

    for (i = authority.len; i > 0 && authority.data[i - 1] != ']'; i--) {
        if (authority.data[i - 1] == ':') {
            n = i - 1;
            port = parley_str_from(authority, i);
        }
    }

    host = parley_str_make(authority.data, n);

    if (host.len > 2 && host.data[0] == '[') {
        host = parley_str_make(host.data + 1, host.len - 2);
    }

    for (i = 0; i < port.len; i++) {
        if (port.data[i] < '0' || port.data[i] > '9') {
            return -1;
        }
    }

    if (host.len == 0 || host.len >= sizeof(ret->host) || port.len == 0
        || port.len >= sizeof(ret->port))
    {
        return -1;
    }

    memcpy(ret->host, host.data, host.len);
    memcpy(ret->port, port.data, port.len);

    return 0;
}


/*
 * Returns NULL if the server cannot be reached; *why or OpenSSL has the
 * reason.
 */

static BIO *
parley_http_connect(const parley_http_place_t *place,
    const char *authorities, SSL_CTX **ctx, const char **why)
{
    int             fd;
    BIO            *bio;
    struct timeval  patience;

    bio = place->local ? parley_http_local(place->host)
                       : parley_http_remote(place);

    if (bio == NULL) {
        return NULL;
    }

    patience.tv_sec = PARLEY_HTTP_TIMEOUT;
    patience.tv_usec = 0;

    if (BIO_get_fd(bio, &fd) >= 0) {
        (void) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
                          sizeof(patience));
        (void) setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience,
                          sizeof(patience));
    }

    return place->tls
           ? parley_http_tls(place, bio, authorities, ctx, why) : bio;
}


static BIO *
parley_http_local(const char *path)
{
    int                 fd;
    struct sockaddr_un  address;

    memset(&address, 0, sizeof(address));
    address.sun_family = AF_UNIX;

    if (strlen(path) >= sizeof(address.sun_path)) {
        return NULL;
    }

    memcpy(address.sun_path, path, strlen(path));

    fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd != -1
        && connect(fd, (struct sockaddr *) &address, sizeof(address)) == 0)
    {
        return BIO_new_socket(fd, BIO_CLOSE);
    }

    if (fd != -1) {
        (void) close(fd);
    }

    return NULL;
}


static BIO *
parley_http_remote(const parley_http_place_t *place)
{
    BIO  *bio;

    bio = BIO_new(BIO_s_connect());

    if (bio == NULL) {
        return NULL;
    }

    (void) BIO_set_conn_hostname(bio, place->host);
    (void) BIO_set_conn_port(bio, place->port);

    if (BIO_do_connect(bio) == 1) {
        return bio;
    }

    BIO_free_all(bio);

    return NULL;
}


/*
 * Begins TLS.  The certificate of the server must have its name and an issuer
 * that is trusted.
 */

static BIO *
parley_http_tls(const parley_http_place_t *place, BIO *tcp,
    const char *authorities, SSL_CTX **ctx, const char **why)
{
    BIO  *bio;
    SSL  *ssl;

    *ctx = SSL_CTX_new(TLS_client_method());
    bio = NULL;
    ssl = NULL;

    if (*ctx == NULL
        || SSL_CTX_set_min_proto_version(*ctx, TLS1_2_VERSION) != 1
        || (authorities != NULL
            ? SSL_CTX_load_verify_file(*ctx, authorities)
            : SSL_CTX_set_default_verify_paths(*ctx)) != 1)
    {
        goto failed;
    }

    SSL_CTX_set_verify(*ctx, SSL_VERIFY_PEER, NULL);

    bio = BIO_new_ssl(*ctx, 1);

    if (bio == NULL || BIO_get_ssl(bio, &ssl) != 1) {
        goto failed;
    }

    if ((X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), place->host) != 1
         && (SSL_set1_host(ssl, place->host) != 1
             || SSL_set_tlsext_host_name(ssl, place->host) != 1)))
    {
        goto failed;
    }

    ERR_clear_error();
    bio = BIO_push(bio, tcp);

    if (BIO_do_handshake(bio) == 1) {
        return bio;
    }

    if (SSL_get_verify_result(ssl) != X509_V_OK) {
        *why = X509_verify_cert_error_string(SSL_get_verify_result(ssl));
    }

    BIO_free_all(bio);

    return NULL;

failed:

    BIO_free_all(bio);
    BIO_free_all(tcp);

    return NULL;
}


/* Uses HTTP/1.0: the answer has no chunks and ends with the connection. */

static int
parley_http_exchange(parley_tool_t *tool, BIO *bio,
    const parley_http_place_t *place, const parley_http_request_t *request,
    parley_str_t *ret)
{
    parley_buf_t  b;
    parley_str_t  text;

    parley_buf_init(&b, &tool->arena, 1024);

    parley_buf_str(&b, parley_str_make(request->method,
                                       strlen(request->method)));
    parley_buf_octet(&b, ' ');
    parley_buf_str(&b, place->path);
    parley_buf_str(&b, request->query);
    parley_buf_lit(&b, " HTTP/1.0\r\nHost: ");
    parley_buf_str(&b, place->authority);
    parley_buf_lit(&b, "\r\nAccept: application/json\r\n");

    if (request->token.len > 0) {
        parley_buf_lit(&b, "Authorization: Bearer ");
        parley_buf_str(&b, request->token);
        parley_buf_lit(&b, "\r\n");
    }

    parley_buf_lit(&b, "\r\n");

    if (parley_buf_done(&b, &text) != 0) {
        parley_say("no memory");
        return -1;
    }

    if (BIO_write(bio, text.data, (int) text.len) != (int) text.len) {
        parley_say("%s: %s", request->url, parley_http_why());
        return -1;
    }

    if (parley_http_read(tool, bio, ret) != 0) {
        parley_say("%s: the answer is longer than %d octets", request->url,
                   PARLEY_HTTP_MAX);
        return -1;
    }

    return 0;
}


static int
parley_http_read(parley_tool_t *tool, BIO *bio, parley_str_t *ret)
{
    int           n;
    char          piece[4096];
    parley_buf_t  b;

    parley_buf_init(&b, &tool->arena, sizeof(piece));

    while ((n = BIO_read(bio, piece, sizeof(piece))) > 0) {

        if (b.len + (size_t) n > PARLEY_HTTP_MAX) {
            return -1;
        }

        parley_buf_str(&b, parley_str_make(piece, (size_t) n));
    }

    return parley_buf_done(&b, ret);
}


static int
parley_http_parse(parley_str_t octets, parley_http_answer_t *ret)
{
    size_t  i;

    if (octets.len < 13 || memcmp(octets.data, "HTTP/1.", 7) != 0
        || octets.data[8] != ' ')
    {
        return -1;
    }

    ret->status = 0;

    for (i = 9; i < 12; i++) {

        if (octets.data[i] < '0' || octets.data[i] > '9') {
            return -1;
        }

        ret->status = ret->status * 10 + (octets.data[i] - '0');
    }

    for (i = 12; i + 4 <= octets.len; i++) {
        if (memcmp(octets.data + i, "\r\n\r\n", 4) == 0) {
            ret->body = parley_str_from(octets, i + 4);
            return 0;
        }
    }

    return -1;
}


static const char *
parley_http_why(void)
{
    const char     *why;
    unsigned long   e;

    e = ERR_peek_last_error();
    why = e != 0 ? ERR_reason_error_string(e) : NULL;

    return why != NULL ? why : "it does not answer";
}


void
parley_http_escape(parley_buf_t *b, parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    static const char  hex[] = "0123456789ABCDEF";

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_'
            || c == '~')
        {
            parley_buf_octet(b, c);
            continue;
        }

        parley_buf_octet(b, '%');
        parley_buf_octet(b, (uint8_t) hex[c >> 4]);
        parley_buf_octet(b, (uint8_t) hex[c & 15]);
    }
}
