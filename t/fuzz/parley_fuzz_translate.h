/* Shared by the fuzz targets of the codecs. */

#ifndef PARLEY_FUZZ_TRANSLATE_H
#define PARLEY_FUZZ_TRANSLATE_H

#include <stdlib.h>
#include <string.h>

#include "translate/parley_engine.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_SEED  0x5EEDULL
#define FUZZ_NOW   1771151400123


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static inline const parley_engine_t *
fuzz_engine(void)
{
    parley_error_t           err;
    static parley_engine_t  *engine;

    if (engine == NULL) {
        engine = parley_engine_create(&parley_mem_libc, &err);
        check(engine != NULL);
    }

    return engine;
}


/* Looks up a directory of two principals, one without a name in VCP. */
static inline int
fuzz_resolve(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    (void) ctx;

    if (from == PARLEY_PROTO_AEE && parley_str_is(name, "agent.hidden")) {
        return -1;
    }

    if (from == PARLEY_PROTO_AEE
        && (to == PARLEY_PROTO_VCP || to == PARLEY_PROTO_VCP2)
        && parley_str_is(name, "agent.listed"))
    {
        *ret = PARLEY_STR("agent://dir/entry");
        return 1;
    }

    if ((from == PARLEY_PROTO_VCP || from == PARLEY_PROTO_VCP2)
        && to == PARLEY_PROTO_AEE
        && parley_str_is(name, "agent://dir/entry"))
    {
        *ret = PARLEY_STR("agent.listed");
        return 1;
    }

    return 0;
}


static inline void
fuzz_opts(parley_encode_opts_t *opts)
{
    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = PARLEY_STR("service.parley");
    opts->context = PARLEY_STR("context");
    opts->resolve = fuzz_resolve;
}


/* Reads a translated message, which must be valid. */
static inline void
fuzz_read(parley_arena_t *arena, parley_proto_t proto, parley_str_t text,
    parley_json_t *doc, parley_msg_t *msg)
{
    parley_error_t  err;

    check(parley_read_again(doc, arena, FUZZ_SEED, text, &err) == 0);
    check(parley_decode(fuzz_engine(), arena, proto, doc, 0, msg, &err) == 0);
}


/* Encodes a refusal, which must always succeed; in AEE it is an envelope. */
static inline void
fuzz_refuse(parley_arena_t *arena, parley_proto_t proto,
    const parley_msg_t *msg, const parley_error_t *error)
{
    parley_msg_t      refused;
    parley_json_t     doc;
    parley_reply_t    reply;
    parley_refusal_t  refusal;

    memset(&refusal, 0, sizeof(parley_refusal_t));

    refusal.error = error;
    refusal.msg = msg;
    refusal.now_ms = FUZZ_NOW;
    refusal.backoff_ms = -1;

    check(error->code != PARLEY_E_NONE);
    check(parley_refuse(arena, proto, &refusal, &reply) == 0);

    if (proto == PARLEY_PROTO_AEE) {
        fuzz_read(arena, proto, reply.body, &doc, &refused);
    }
}


/*
 * Reads the octets as a service's answer to a message of the other protocol,
 * and encodes it for the caller.
 */
static inline void
fuzz_answer(parley_arena_t *arena, parley_proto_t caller,
    const char *request_text, parley_proto_t upstream, parley_str_t body)
{
    unsigned              i;
    parley_msg_t          request, told;
    parley_json_t         request_doc, doc;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_reply_t        reply;
    parley_answer_t       answer;
    parley_encoded_t      sent;
    parley_encode_opts_t  opts;

    static const int  statuses[] = { 200, 202, 429, 500, 503, 504 };

    fuzz_opts(&opts);
    fuzz_read(arena, caller, parley_str_c(request_text), &request_doc,
              &request);

    parley_loss_init(&loss, arena);
    check(parley_encode(fuzz_engine(), arena, upstream, &request, &opts,
                        &sent, &loss, &err) == 0);

    for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {

        if (parley_answer_decode(fuzz_engine(), arena, upstream, &sent,
                                 statuses[i], body, NULL, FUZZ_SEED, &answer,
                                 &err)
            != 0)
        {
            check(err.code == PARLEY_E_UPSTREAM_INVALID
                  || err.code == PARLEY_E_UPSTREAM_UNAVAILABLE
                  || err.code == PARLEY_E_UPSTREAM_TIMEOUT
                  || err.code == PARLEY_E_RATE_LIMITED
                  || err.code == PARLEY_E_CAPACITY);
            continue;
        }

        parley_loss_init(&loss, arena);
        check(parley_answer_encode(fuzz_engine(), arena, &request, &answer,
                                   &opts, FUZZ_NOW, &reply, &loss, &err)
              == 0);

        if (reply.body.len == 0) {
            continue;
        }

        if (caller == PARLEY_PROTO_AEE) {
            fuzz_read(arena, caller, reply.body, &doc, &told);
        } else {
            check(parley_read_again(&doc, arena, FUZZ_SEED, reply.body, &err)
                  == 0);
        }
    }
}


#endif /* PARLEY_FUZZ_TRANSLATE_H */
