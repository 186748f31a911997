#define _GNU_SOURCE

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/bench_answer.h"
#include "bench/bench_message.h"


#define BENCH_ANSWER_NEAR  1024     /* maximum octets before and including the
                                       id */
#define BENCH_ACTION_MAX   64


typedef struct {
    const char  *path;
    const char  *version;       /* member that distinguishes the protocol */
    const char  *id;            /* text before the id that an answer names */
    int          status;
    size_t     (*write)(const bench_http_t *request, const char *id,
                   char body[BENCH_ANSWER_MAX]);
} bench_protocol_t;


static size_t bench_answer_aee(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX]);
static size_t bench_answer_empty(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX]);
static size_t bench_answer_vcp(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX]);
static size_t bench_answer_c2a(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX]);
static size_t bench_answer_channel(const bench_http_t *request,
    const char *id, char body[BENCH_ANSWER_MAX]);
static size_t bench_answer_moq(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX]);
static const char *bench_answer_find(const bench_http_t *request,
    const char *text);
static const char *bench_answer_id(const bench_http_t *request,
    const bench_protocol_t *protocol, int any);


static const bench_protocol_t  bench_protocols[] = {
    { "/aee", "\"v\":\"1\"", "\"corr\":\"", 202, bench_answer_aee },
    { "/aee-event", "", "", 202, bench_answer_empty },
    { "/vcp", "\"vcp_message\":\"1.2\"", "\"message_id\":\"", 200,
      bench_answer_vcp },
    { "/c2a", "\"jsonrpc\":\"2.0\"", "\"id\":\"", 200, bench_answer_c2a },
    { "/channel", "\"envelope_version\":\"1.0\"", "\"frame_id\":\"", 200,
      bench_answer_channel },
    { "/moq", "\"action\":\"", "\"session_id\":\"", 200, bench_answer_moq }
};

#define BENCH_PROTOCOLS  (sizeof(bench_protocols) / sizeof(bench_protocols[0]))


size_t
bench_answer(const bench_http_t *request, char text[BENCH_ANSWER_MAX])
{
    int                      any;
    char                     path[32], body[BENCH_ANSWER_MAX];
    size_t                   i, len;
    const char              *id;
    const bench_protocol_t  *protocol;

    any = bench_http_begins(request, "POST /any/");
    protocol = NULL;

    for (i = 0; i < BENCH_PROTOCOLS; i++) {
        len = (size_t) snprintf(path, sizeof(path), "POST %s%s",
                                any ? "/any" : "", bench_protocols[i].path);

        /* A query may follow the path. */
        if (bench_http_begins(request, path)
            && (request->data[len] == ' ' || request->data[len] == '?'))
        {
            protocol = &bench_protocols[i];
        }
    }

    id = protocol != NULL ? bench_answer_id(request, protocol, any) : NULL;

    if (id == NULL) {
        return (size_t) snprintf(text, BENCH_ANSWER_MAX, "HTTP/1.1 500 Not "
                                 "Translated\r\nContent-Length: 0\r\n\r\n");
    }

    len = protocol->write(request, id, body);

    return (size_t) snprintf(text, BENCH_ANSWER_MAX, "HTTP/1.1 %d %s\r\n"
                             "%sContent-Length: %zu\r\n\r\n%s",
                             protocol->status,
                             protocol->status == 200 ? "OK" : "Accepted",
                             len > 0 ? "Content-Type: application/json; "
                                       "charset=utf-8\r\n" : "", len, body);
}


/*
 * Returns the id; NULL: the message does not belong to this protocol, or to any
 * known one.
 */

static const char *
bench_answer_id(const bench_http_t *request, const bench_protocol_t *protocol,
    int any)
{
    size_t       i;
    const char  *id;

    id = NULL;

    if (!any) {
        if (bench_answer_find(request, protocol->version) != NULL) {
            id = bench_answer_find(request, protocol->id);
        }

    } else {
        for (i = 0; id == NULL && i < BENCH_PROTOCOLS; i++) {
            if (bench_protocols[i].id[0] != '\0') {
                id = bench_answer_find(request, bench_protocols[i].id);
            }
        }
    }

    return id != NULL && id + BENCH_ID_LEN < request->data + request->len
           ? id : NULL;
}


/* Returns the text after a given text, near the beginning of the body. */

static const char *
bench_answer_find(const bench_http_t *request, const char *text)
{
    char    *p;
    size_t   near;

    near = request->len - request->head;

    if (near > BENCH_ANSWER_NEAR) {
        near = BENCH_ANSWER_NEAR;
    }

    p = memmem(request->data + request->head, near, text, strlen(text));

    if (p == NULL) {
        return NULL;
    }

    return p + strlen(text);
}


/* The answer's id differs from the request's in the last digit. */

static size_t
bench_answer_aee(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX])
{
    time_t       now;
    struct tm    tm;

    static char    time_text[32];
    static time_t  last;

    if (!bench_http_begins(request, "POST /any/")
        && bench_answer_find(request, "\"type\":\"task\"") == NULL)
    {
        return bench_answer_empty(request, id, body);
    }

    now = time(NULL);

    if (now != last) {
        last = now;
        (void) gmtime_r(&now, &tm);
        (void) strftime(time_text, sizeof(time_text), "%Y-%m-%dT%H:%M:%SZ",
                        &tm);
    }

    return (size_t) snprintf(body, BENCH_ANSWER_MAX, "{\"v\":\"1\",\"id\":"
                             "\"%.*s%c\",\"ts\":\"%s\",\"type\":\"stream\","
                             "\"from\":\"agent.parent-1\","
                             "\"to\":\"agent.child-7\","
                             "\"intent\":\"ops.backup.run\","
                             "\"corr\":\"%.*s\",\"reply_to\":null,"
                             "\"priority\":\"normal\",\"requires\":null,"
                             "\"payload\":{\"status\":\"accepted\"}}",
                             BENCH_ID_LEN - 1, id,
                             id[BENCH_ID_LEN - 1] == '0' ? '1' : '0',
                             time_text, BENCH_ID_LEN, id);
}


static size_t
bench_answer_empty(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX])
{
    (void) request;
    (void) id;

    body[0] = '\0';

    return 0;
}


static size_t
bench_answer_vcp(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX])
{
    (void) request;

    return (size_t) snprintf(body, BENCH_ANSWER_MAX, "{\"status\":"
                             "\"accepted\",\"message_id\":\"%.*s\"}",
                             BENCH_ID_LEN, id);
}


static size_t
bench_answer_c2a(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX])
{
    (void) request;

    return (size_t) snprintf(body, BENCH_ANSWER_MAX, "{\"jsonrpc\":\"2.0\","
                             "\"id\":\"%.*s\",\"result\":{\"accepted\":true,"
                             "\"disposition\":\"deferred\"}}",
                             BENCH_ID_LEN, id);
}


static size_t
bench_answer_channel(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX])
{
    (void) request;

    return (size_t) snprintf(body, BENCH_ANSWER_MAX, "{\"frame_id\":"
                             "\"%.*s\",\"delivered\":1}", BENCH_ID_LEN, id);
}


/*
 * The action is that of the command; a message without one gets one of equal
 * length.
 */

static size_t
bench_answer_moq(const bench_http_t *request, const char *id,
    char body[BENCH_ANSWER_MAX])
{
    size_t       n;
    const char  *action;

    action = bench_answer_find(request, "\"action\":\"");

    if (action == NULL) {
        action = "ops.backup.run\"";
    }

    for (n = 0; n < BENCH_ACTION_MAX && action[n] != '"'; n++) { /* void */ }

    return (size_t) snprintf(body, BENCH_ANSWER_MAX, "{\"action\":\"%.*s\","
                             "\"session_id\":\"%.*s\","
                             "\"status\":\"accepted\"}", (int) n, action,
                             BENCH_ID_LEN, id);
}
