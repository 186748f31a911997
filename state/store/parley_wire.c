#include <stdlib.h>
#include <string.h>

#include <hiredis/hiredis.h>

#include "state/store/parley_wire.h"


#if HIREDIS_MAJOR >= 1
typedef size_t  parley_wire_count_t;
#else
typedef int     parley_wire_count_t;
#endif


struct parley_wire_s {
    redisReader                *reader;
    redisReplyObjectFunctions   functions;
    void                     *(*array)(const redisReadTask *task,
                                  parley_wire_count_t n);
    size_t                      octets;         /* of the reply that is being
                                                   read, so far */
};


static void *parley_wire_array(const redisReadTask *task,
    parley_wire_count_t n);
static size_t parley_wire_digits(uint64_t n);
static uint8_t *parley_wire_length(uint8_t *p, uint8_t c, size_t n);


int
parley_wire_command(parley_arena_t *arena, const parley_str_t *arguments,
    size_t n, parley_str_t *ret)
{
    size_t    i, len;
    uint8_t  *p;

    if (n > PARLEY_WIRE_ARGUMENTS) {
        return -1;
    }

    len = 3 + parley_wire_digits(n);

    for (i = 0; i < n; i++) {
        len += 5 + parley_wire_digits(arguments[i].len) + arguments[i].len;
    }

    p = parley_arena_octets(arena, len);

    if (p == NULL) {
        return -1;
    }

    *ret = parley_str_make(p, len);

    p = parley_wire_length(p, '*', n);

    for (i = 0; i < n; i++) {
        p = parley_wire_length(p, '$', arguments[i].len);

        if (arguments[i].len > 0) {
            memcpy(p, arguments[i].data, arguments[i].len);
            p += arguments[i].len;
        }

        *p++ = '\r';
        *p++ = '\n';
    }

    return 0;
}


static size_t
parley_wire_digits(uint64_t n)
{
    size_t  digits;

    for (digits = 1; n >= 10; n /= 10) {
        digits++;
    }

    return digits;
}


static uint8_t *
parley_wire_length(uint8_t *p, uint8_t c, size_t n)
{
    size_t  i, digits;

    digits = parley_wire_digits(n);

    *p++ = c;

    for (i = digits; i > 0; i--) {
        p[i - 1] = (uint8_t) ('0' + n % 10);
        n /= 10;
    }

    p += digits;
    *p++ = '\r';
    *p++ = '\n';

    return p;
}


parley_str_t
parley_wire_number(int64_t n, char room[24])
{
    char      *p;
    size_t     i, digits;
    uint64_t   rest;

    p = room;
    rest = n < 0 ? 0 - (uint64_t) n : (uint64_t) n;

    if (n < 0) {
        *p++ = '-';
    }

    digits = parley_wire_digits(rest);

    for (i = digits; i > 0; i--) {
        p[i - 1] = (char) ('0' + rest % 10);
        rest /= 10;
    }

    p += digits;
    *p = '\0';

    return parley_str_make(room, (size_t) (p - room));
}


parley_wire_t *
parley_wire_create(void)
{
    parley_wire_t  *w;

    w = calloc(1, sizeof(parley_wire_t));

    if (w == NULL) {
        return NULL;
    }

    w->reader = redisReaderCreate();

    if (w->reader == NULL) {
        free(w);
        return NULL;
    }

    w->functions = *w->reader->fn;
    w->array = w->functions.createArray;
    w->functions.createArray = parley_wire_array;

    w->reader->fn = &w->functions;
    w->reader->privdata = w;

    return w;
}


void
parley_wire_destroy(parley_wire_t *w)
{
    if (w != NULL) {
        redisReaderFree(w->reader);
        free(w);
    }
}


/* hiredis allocates an array before its elements have come.  No reply to the
   store's commands has an array in an array. */

static void *
parley_wire_array(const redisReadTask *task, parley_wire_count_t n)
{
    const parley_wire_t  *w = task->privdata;

    return n > PARLEY_WIRE_ELEMENTS || task->parent != NULL
           ? NULL : w->array(task, n);
}


int
parley_wire_feed(parley_wire_t *w, const uint8_t *p, size_t len)
{
    /* the reader's buffer has none of the elements that it has read */

    w->octets += len;

    if (w->octets > PARLEY_WIRE_OCTETS) {
        return -1;
    }

    return redisReaderFeed(w->reader, (const char *) p, len) == REDIS_OK
           ? 0 : -1;
}


int
parley_wire_next(parley_wire_t *w, parley_wire_reply_t **ret)
{
    void  *reply;

    reply = NULL;

    if (redisReaderGetReply(w->reader, &reply) != REDIS_OK) {
        return -1;
    }

    if (reply != NULL) {
        w->octets = w->reader->len - w->reader->pos;
    }

    *ret = reply;

    return reply != NULL;
}


void
parley_wire_free(parley_wire_reply_t *reply)
{
    freeReplyObject(reply);
}


parley_str_t
parley_wire_error(const parley_wire_reply_t *reply)
{
    return reply->type == REDIS_REPLY_ERROR
           ? parley_str_make(reply->str, (size_t) reply->len)
           : parley_str_none;
}


int
parley_wire_is_null(const parley_wire_reply_t *reply)
{
    return reply->type == REDIS_REPLY_NIL;
}


int
parley_wire_text(const parley_wire_reply_t *reply, parley_str_t *ret)
{
    if (reply->type != REDIS_REPLY_STRING
        && reply->type != REDIS_REPLY_STATUS)
    {
        return 0;
    }

    *ret = parley_str_make(reply->str, (size_t) reply->len);

    return 1;
}


int
parley_wire_integer(const parley_wire_reply_t *reply, int64_t *ret)
{
    size_t        i;
    int64_t       n;
    parley_str_t  text;

    if (reply->type == REDIS_REPLY_INTEGER) {
        *ret = reply->integer;
        return *ret >= 0 && *ret <= PARLEY_WIRE_NUMBER_MAX;
    }

    if (!parley_wire_text(reply, &text) || text.len == 0 || text.len > 16) {
        return 0;
    }

    n = 0;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return 0;
        }

        n = n * 10 + (text.data[i] - '0');
    }

    *ret = n;

    return n <= PARLEY_WIRE_NUMBER_MAX;
}


size_t
parley_wire_elements(const parley_wire_reply_t *reply)
{
    return reply->type == REDIS_REPLY_ARRAY ? (size_t) reply->elements : 0;
}


const parley_wire_reply_t *
parley_wire_element(const parley_wire_reply_t *reply, size_t i)
{
    return reply->element[i];
}
