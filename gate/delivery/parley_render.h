/*
 * Delivery: what was published, in the protocol of who listens (HUB-06), and
 * whether a rule denies it to a reader.  Pure, and of no request.
 */

#ifndef PARLEY_RENDER_H
#define PARLEY_RENDER_H

#include "gate/party/parley_who.h"
#include "hub/parley_publication.h"


struct parley_settings_http_s;


typedef struct {
    const parley_engine_t                *engine;
    const struct parley_settings_http_s  *http;
    uint64_t                              seed;     /* of parley_json_read() */
} parley_render_t;


/*
 * The publication as a message of a protocol; *ret is in the arena, or the
 * publication's, and so is what was lost.  Returns 0; 1: it has no form there,
 * *err says why; or -1: no memory.
 */
int parley_deliver(const parley_render_t *d, const parley_publication_t *p,
    parley_proto_t to, parley_arena_t *arena, parley_str_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The same with what is known of the message that was made; of a publication in
 * that protocol that is the message itself.
 */
int parley_render_made(const parley_render_t *d,
    const parley_publication_t *p, parley_proto_t to, parley_arena_t *arena,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/* The message of a publication; *doc is its document.  Returns 0, or -1. */
int parley_render_message(const parley_render_t *d,
    const parley_publication_t *p, parley_arena_t *arena, parley_msg_t *msg,
    parley_json_t *doc, parley_error_t *err)
    __attribute__((warn_unused_result));

/* How long what is published is kept for who may resume to it. */
void parley_render_retention(const struct parley_settings_http_s *http,
    parley_retention_t *ret);

/* What is said in a message of a protocol by who delivers it: into opts. */
void parley_deliver_opts(const struct parley_settings_http_s *http,
    parley_proto_t to, parley_encode_opts_t *opts);

/* The message of a publication, and who sent it. */
int parley_render_read(const parley_render_t *d,
    const parley_publication_t *p, parley_arena_t *arena, parley_msg_t *msg,
    parley_json_t *doc, parley_who_t *who, parley_error_t *err);


#endif /* PARLEY_RENDER_H */
