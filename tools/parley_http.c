#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing: install libcurl4-openssl-dev"
#endif

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "tools/parley_http.h"


typedef struct {
    CURL               *curl;
    CURLU              *url;
    struct curl_slist  *headers;
    char                socket[256];    /* path; "": TCP */
    parley_buf_t        body;
} parley_http_t;


static CURLUcode tool_http_url(parley_http_t *h,
    const parley_http_request_t *request);
static CURLUcode tool_http_unix(parley_http_t *h, const char *place);
static int tool_http_headers(parley_tool_t *tool, parley_http_t *h,
    const parley_http_request_t *request);
static CURLcode tool_http_options(parley_http_t *h,
    const parley_http_request_t *request);
static int tool_http_perform(parley_http_t *h,
    const parley_http_request_t *request, parley_http_answer_t *ret);
static size_t tool_http_take(char *data, size_t size, size_t n, void *ctx);


int
tool_http(parley_tool_t *tool, const parley_http_request_t *request,
    parley_http_answer_t *ret)
{
    int            rc;
    CURLUcode      code;
    parley_http_t  h;

    rc = -1;
    memset(&h, 0, sizeof(parley_http_t));
    parley_buf_init(&h.body, &tool->arena, 4096);

    h.url = curl_url();
    h.curl = curl_easy_init();
    code = h.url != NULL ? tool_http_url(&h, request) : CURLUE_OUT_OF_MEMORY;

    if (code != CURLUE_OK) {
        tool_say("\"%s\": %s; expected http://HOST:PORT/PATH, "
                 "https://HOST:PORT/PATH or http://unix:SOCKET:/PATH",
                 request->url, curl_url_strerror(code));

    } else if (h.curl == NULL || tool_http_headers(tool, &h, request) != 0
               || tool_http_options(&h, request) != CURLE_OK)
    {
        tool_say("libcurl has no memory, or is older than 7.85");

    } else {
        rc = tool_http_perform(&h, request, ret);
    }

    curl_easy_cleanup(h.curl);
    curl_url_cleanup(h.url);
    curl_slist_free_all(h.headers);

    return rc;
}


static CURLUcode
tool_http_url(parley_http_t *h, const parley_http_request_t *request)
{
    CURLUcode  code;

    static const char  local[] = "http://unix:";

    code = strncmp(request->url, local, sizeof(local) - 1) == 0
           ? tool_http_unix(h, request->url + sizeof(local) - 1)
           : curl_url_set(h->url, CURLUPART_URL, request->url,
                          CURLU_DISALLOW_USER);

    return code != CURLUE_OK || request->query == NULL ? code
           : curl_url_set(h->url, CURLUPART_QUERY, request->query,
                          CURLU_APPENDQUERY|CURLU_URLENCODE);
}


/* Reads SOCKET:/PATH. */

static CURLUcode
tool_http_unix(parley_http_t *h, const char *place)
{
    size_t       n;
    CURLUcode    code;
    const char  *path;

    path = strstr(place, ":/");
    n = path != NULL ? (size_t) (path - place) : 0;

    if (n == 0 || n >= sizeof(h->socket)) {
        return CURLUE_MALFORMED_INPUT;
    }

    memcpy(h->socket, place, n);
    code = curl_url_set(h->url, CURLUPART_URL, "http://localhost", 0);

    return code != CURLUE_OK ? code
           : curl_url_set(h->url, CURLUPART_PATH, path + 1, CURLU_URLENCODE);
}


static int
tool_http_headers(parley_tool_t *tool, parley_http_t *h,
    const parley_http_request_t *request)
{
    parley_buf_t        b;
    parley_str_t        line;
    struct curl_slist  *list;

    h->headers = curl_slist_append(NULL, "Accept: application/json");

    if (h->headers == NULL || request->token.len == 0) {
        return h->headers != NULL ? 0 : -1;
    }

    parley_buf_init(&b, &tool->arena, 1024);
    parley_buf_lit(&b, "Authorization: Bearer ");
    parley_buf_str(&b, request->token);
    parley_buf_octet(&b, '\0');

    if (parley_buf_done(&b, &line) != 0) {
        return -1;
    }

    list = curl_slist_append(h->headers, (const char *) line.data);

    return list != NULL ? 0 : -1;
}


static CURLcode
tool_http_options(parley_http_t *h, const parley_http_request_t *request)
{
    CURL  *c = h->curl;
    int    code;

    code = curl_easy_setopt(c, CURLOPT_CURLU, h->url);
    code |= curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, request->method);
    code |= curl_easy_setopt(c, CURLOPT_HTTPHEADER, h->headers);
    code |= curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    code |= curl_easy_setopt(c, CURLOPT_PROXY, "");
    code |= curl_easy_setopt(c, CURLOPT_TIMEOUT, PARLEY_HTTP_TIMEOUT);
    code |= curl_easy_setopt(c, CURLOPT_SSLVERSION,
                             (long) CURL_SSLVERSION_TLSv1_2);
    code |= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, tool_http_take);
    code |= curl_easy_setopt(c, CURLOPT_WRITEDATA, &h->body);

    if (h->socket[0] != '\0') {
        code |= curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, h->socket);
    }

    /* without its folder of authorities, which would be trusted as well */
    if (request->authorities != NULL) {
        code |= curl_easy_setopt(c, CURLOPT_CAINFO, request->authorities);
        code |= curl_easy_setopt(c, CURLOPT_CAPATH, NULL);
    }

    return (CURLcode) code;
}


static int
tool_http_perform(parley_http_t *h, const parley_http_request_t *request,
    parley_http_answer_t *ret)
{
    long      error;
    CURLcode  code;
    char      why[CURL_ERROR_SIZE];

    why[0] = '\0';
    error = 0;

    (void) curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, why);
    code = curl_easy_perform(h->curl);

    if (code == CURLE_OK) {
        code = curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE,
                                 &ret->status);

        if (code == CURLE_OK && parley_buf_done(&h->body, &ret->body) == 0) {
            return 0;
        }

        code = CURLE_OUT_OF_MEMORY;
    }

    (void) curl_easy_getinfo(h->curl, CURLINFO_OS_ERRNO, &error);

    if (code == CURLE_WRITE_ERROR) {
        tool_say("%s: the answer is longer than %d octets", request->url,
                 PARLEY_HTTP_MAX);

    } else if (code == CURLE_COULDNT_CONNECT && error != 0) {
        tool_say("%s: cannot connect: %s", request->url,
                 strerror((int) error));

    } else {
        tool_say("%s: %s", request->url,
                 why[0] != '\0' ? why : curl_easy_strerror(code));
    }

    return -1;
}


static size_t
tool_http_take(char *data, size_t size, size_t n, void *ctx)
{
    parley_buf_t  *b = ctx;

    if (b->len + size * n > PARLEY_HTTP_MAX) {
        return 0;
    }

    parley_buf_put(b, data, size * n);

    return size * n;
}
