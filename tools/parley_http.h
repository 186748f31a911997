/*
 * One HTTP request, for commands that query a running gateway: over TCP or TLS,
 * or over a Unix domain socket (libcurl).
 */

#ifndef PARLEY_HTTP_H
#define PARLEY_HTTP_H

#include "tools/parley_tool.h"


#define PARLEY_HTTP_TIMEOUT  30L            /* seconds for the whole request */
#define PARLEY_HTTP_MAX      (4 << 20)      /* octets of an answer */


typedef struct {
    const char    *method;
    const char    *url;         /* http://host:port/path, https://...,
                                   http://unix:/socket:/path */
    const char    *query;       /* "name=value", which this function encodes,
                                   is added to the URL; NULL: nothing */
    parley_str_t   token;       /* empty: the request has no token */
    const char    *authorities; /* file with the trusted issuers of the server's
                                   certificate; NULL: the system's */
} parley_http_request_t;


typedef struct {
    long           status;
    parley_str_t   body;        /* in tool->arena */
} parley_http_answer_t;


/*
 * Sends the request and reads the whole answer.  A server's certificate must
 * be valid and have the name in the URL.  Redirections are not followed, and
 * proxies of the environment are not used.  Returns 0, or -1 after an error
 * message.
 */
int tool_http(parley_tool_t *tool, const parley_http_request_t *request,
    parley_http_answer_t *ret);


#endif /* PARLEY_HTTP_H */
