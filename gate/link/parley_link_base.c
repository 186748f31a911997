/* Parts that all files of a link use: its end, memory, octets, messages. */

#include <string.h>

#include "gate/link/parley_link_parts.h"


static int parley_link_error_retry(parley_link_t *link, uint64_t request,
    parley_moqt_refuse_t code, uint64_t retry, const char *text);


int
parley_link_close(parley_link_t *link, parley_moqt_code_t code,
    const char *text)
{
    if (!link->closed) {
        link->closed = 1;
        link->env.close(link->env.ctx, code, text);
    }

    return -1;
}


int
parley_link_fail(parley_link_t *link, const parley_moqt_fault_t *fault)
{
    char  line[PARLEY_MOQT_LINE_MAX];

    (void) parley_moqt_fault_line(fault, line);

    return parley_link_close(link, fault->code, line);
}


int
parley_link_memory(parley_link_t *link)
{
    return parley_link_close(link, PARLEY_MOQT_INTERNAL_ERROR,
                             "memory is exhausted");
}


void
parley_link_note(parley_link_t *link, parley_link_what_t what,
    parley_str_t session, parley_str_t why)
{
    parley_link_fact_t  fact = { .what = what, .name = session, .why = why,
                                 .principal = link->principal };

    if (link->env.note != NULL) {
        link->env.note(link->env.ctx, &fact);
    }
}


void
parley_link_note_track(parley_link_t *link, parley_link_what_t what,
    int publishes, parley_str_t track, parley_str_t why)
{
    parley_link_fact_t  fact = { .what = what, .track = 1,
                                 .publishes = publishes != 0, .name = track,
                                 .why = why,
                                 .principal = link->principal };

    if (link->env.note != NULL) {
        link->env.note(link->env.ctx, &fact);
    }
}


void
parley_link_note_denied(parley_link_t *link, parley_str_t session,
    parley_str_t code, const parley_link_source_t *source,
    parley_str_t principal)
{
    parley_link_fact_t  fact = { .what = PARLEY_LINK_DENIED, .name = session,
                                 .why = code, .agent = source->agent };

    fact.principal = principal.len > 0 ? principal : link->principal;

    if (link->env.note != NULL) {
        link->env.note(link->env.ctx, &fact);
    }
}


void
parley_link_note_object(parley_link_t *link, int out)
{
    if (link->env.object != NULL) {
        link->env.object(link->env.ctx, out);
    }
}


void
parley_link_unblock(parley_link_t *link)
{
    if (link->blocked && !link->closed) {
        link->blocked = 0;
        link->env.resume(link->env.ctx);
    }
}


void *
parley_link_alloc(parley_link_t *link, size_t size)
{
    void  *p;

    p = link->env.mem.alloc(link->env.mem.ctx, size);

    if (p != NULL) {
        memset(p, 0, size);
    }

    return p;
}


void
parley_link_release(parley_link_t *link, void *p)
{
    parley_mem_t  mem = link->env.mem;

    if (p != NULL && mem.free != NULL) {
        mem.free(mem.ctx, p);
    }
}


int
parley_link_copy(parley_link_t *link, parley_str_t *to, parley_str_t from)
{
    uint8_t  *p;

    p = link->env.mem.alloc(link->env.mem.ctx, from.len + 1);

    if (p == NULL) {
        return -1;
    }

    if (from.len > 0) {
        memcpy(p, from.data, from.len);
    }

    p[from.len] = '\0';

    parley_link_drop(link, to);

    *to = parley_str_make(p, from.len);

    return 0;
}


void
parley_link_drop(parley_link_t *link, parley_str_t *s)
{
    parley_link_release(link, (void *) (uintptr_t) s->data);

    *s = parley_str_none;
}


int
parley_link_rest_put(parley_link_t *link, parley_link_rest_t *rest,
    const uint8_t *octets, size_t len)
{
    size_t    size;
    uint8_t  *p;

    if (len == 0) {
        return 0;
    }

    if (rest->at > 0 && rest->len + len > rest->size) {
        rest->len -= rest->at;
        memmove(rest->data, rest->data + rest->at, rest->len);
        rest->at = 0;
    }

    if (rest->len + len > rest->size) {

        size = rest->size < 512 ? 512 : rest->size;

        while (size < rest->len + len) {
            size *= 2;
        }

        p = link->env.mem.alloc(link->env.mem.ctx, size);

        if (p == NULL) {
            return -1;
        }

        if (rest->len > 0) {
            memcpy(p, rest->data, rest->len);
        }

        parley_link_release(link, rest->data);

        rest->data = p;
        rest->size = size;
    }

    memcpy(rest->data + rest->len, octets, len);
    rest->len += len;

    return 0;
}


/* The memory of an empty rest is freed: most links are idle. */

int
parley_link_rest_flush(parley_link_t *link, parley_link_rest_t *rest,
    void *stream)
{
    int64_t  n;

    if (rest->at < rest->len) {

        n = link->env.write(link->env.ctx, stream,
                            parley_str_make(rest->data + rest->at,
                                            rest->len - rest->at));
        if (n < 0) {
            return -1;
        }

        rest->at += (size_t) n;
    }

    if (rest->at < rest->len) {
        return 0;
    }

    parley_link_rest_free(link, rest);

    return 1;
}


void
parley_link_rest_free(parley_link_t *link, parley_link_rest_t *rest)
{
    parley_link_release(link, rest->data);

    memset(rest, 0, sizeof(parley_link_rest_t));
}


int
parley_link_send(parley_link_t *link, parley_moqt_message_t *m,
    parley_moqt_effect_t *effect)
{
    int                  rc;
    parley_moqt_fault_t  fault;

    if (link->closed) {
        return -1;
    }

    rc = parley_moqt_session_send(&link->moqt, &link->out, m, effect, &fault);

    return rc < 0 ? parley_link_fail(link, &fault) : rc;
}


int
parley_link_error(parley_link_t *link, uint64_t request,
    parley_moqt_refuse_t code, const char *text)
{
    return parley_link_error_retry(link, request, code, 0, text);
}


int
parley_link_error_later(parley_link_t *link, uint64_t request,
    parley_moqt_refuse_t code, const char *text)
{
    return parley_link_error_retry(link, request, code,
                                   PARLEY_LINK_RETRY + 1, text);
}


static int
parley_link_error_retry(parley_link_t *link, uint64_t request,
    parley_moqt_refuse_t code, uint64_t retry, const char *text)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_REQUEST_ERROR;
    m.request = request;
    m.code = code;
    m.retry = retry;
    m.text = parley_str_c(text);

    return parley_link_send(link, &m, &effect);
}


int
parley_link_ok(parley_link_t *link, uint64_t request)
{
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(parley_moqt_message_t));

    m.type = PARLEY_MOQT_REQUEST_OK;
    m.request = request;

    return parley_link_send(link, &m, &effect);
}


int64_t
parley_link_next(int64_t next, int64_t at)
{
    return at != 0 && (next == 0 || at < next) ? at : next;
}


parley_str_t
parley_link_string(const parley_json_t *doc, uint32_t object,
    parley_str_t name)
{
    uint32_t      value;
    parley_str_t  s;

    value = parley_json_get(doc, object, name);

    return value != PARLEY_JSON_NONE
           && parley_json_type(doc, value) == PARLEY_JSON_STRING
           && parley_json_string(doc, value, &s) == 0
           ? s : parley_str_none;
}


parley_link_session_t *
parley_link_session(parley_link_t *link, uint64_t id)
{
    parley_link_session_t  *s;

    for (s = link->sessions; s != NULL; s = s->next) {
        if (s->id == id && s->state != PARLEY_LINK_PROVING) {
            return s;
        }
    }

    return NULL;
}
