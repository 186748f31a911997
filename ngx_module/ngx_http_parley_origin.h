
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What is remembered of a message that was sent in another protocol.
 */


#ifndef _NGX_HTTP_PARLEY_ORIGIN_H_INCLUDED_
#define _NGX_HTTP_PARLEY_ORIGIN_H_INCLUDED_


#include <stdint.h>

#include "parley_str.h"


/* the texts of a record, in the order in which they stand */

typedef enum {
    NGX_HTTP_PARLEY_ORIGIN_SENDER = 0,
    NGX_HTTP_PARLEY_ORIGIN_FORM,
    NGX_HTTP_PARLEY_ORIGIN_ID,
    NGX_HTTP_PARLEY_ORIGIN_CORR,
    NGX_HTTP_PARLEY_ORIGIN_QUESTION,
    NGX_HTTP_PARLEY_ORIGIN_INTENT,
    NGX_HTTP_PARLEY_ORIGIN_RECIPIENT,
    NGX_HTTP_PARLEY_ORIGIN_SENT_ID,
    NGX_HTTP_PARLEY_ORIGIN_SENT_CORR,
    NGX_HTTP_PARLEY_ORIGIN_SENT_CALL,
    NGX_HTTP_PARLEY_ORIGIN_SENT_FROM,
    NGX_HTTP_PARLEY_ORIGIN_SENT_TO,
    NGX_HTTP_PARLEY_ORIGIN_PLACE,
    NGX_HTTP_PARLEY_ORIGIN_TOKEN,
    NGX_HTTP_PARLEY_ORIGIN_TEXTS
} ngx_http_parley_origin_text_e;


/*
 * How a record begins; the octets of the texts follow.  A text that is one
 * before it (an id that stays, a correlation that is the id) takes none:
 * same is the number of that one and 1.
 */

typedef struct {
    uint8_t                       proto;
    uint8_t                       sent;           /* in this protocol */
    uint8_t                       act;
    uint8_t                       alarm;
    uint8_t                       priority;
    uint8_t                       mute;           /* C2A-13 */
    uint8_t                       approval;
    uint8_t                       same[NGX_HTTP_PARLEY_ORIGIN_TEXTS];
    uint16_t                      len[NGX_HTTP_PARLEY_ORIGIN_TEXTS];
} ngx_http_parley_origin_head_t;


typedef struct {
    ngx_http_parley_origin_head_t   head;
    parley_str_t                    texts[NGX_HTTP_PARLEY_ORIGIN_TEXTS];
} ngx_http_parley_origin_t;


#endif /* _NGX_HTTP_PARLEY_ORIGIN_H_INCLUDED_ */
