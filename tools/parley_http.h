/*
 * One HTTP request, for commands that query a running gateway: over TCP or TLS
 * (OpenSSL's BIO), or over a Unix domain socket.
 */

#ifndef PARLEY_HTTP_H
#define PARLEY_HTTP_H

#include "tools/parley_tool.h"


#define PARLEY_HTTP_TIMEOUT  30             /* seconds without an octet */
#define PARLEY_HTTP_MAX      (4 << 20)      /* octets of an answer */


typedef struct {
    const char    *method;
    const char    *url;         /* http://host:port/path, https://...,
                                   http://unix:/socket:/path */
    parley_str_t   query;       /* added to the path of url; may be empty */
    parley_str_t   token;       /* empty: none */
    const char    *authorities; /* file with the trusted issuers of the server's
                                   certificate; NULL: the system's */
} parley_http_request_t;


typedef struct {
    int            status;
    parley_str_t   body;        /* in tool->arena */
} parley_http_answer_t;


/* Returns 0, or -1 after an error message. */
int parley_http(parley_tool_t *tool, const parley_http_request_t *request,
    parley_http_answer_t *ret);

/* Appends s, percent-encoded for a query. */
void parley_http_escape(parley_buf_t *b, parley_str_t s);


#endif /* PARLEY_HTTP_H */
