/*
 * Renders a publication in the protocol of a subscriber (HUB-06).  Pure, and
 * independent of a request.
 */

#ifndef PARLEY_RENDER_H
#define PARLEY_RENDER_H

#include "translate/parley_loss.h"
#include "gate/party/parley_who.h"
#include "hub/parley_publication.h"
#include "state/parley_state.h"


struct parley_settings_http_s;


typedef struct parley_render_s {
    const parley_engine_t                *engine;
    const struct parley_settings_http_s  *http;
    uint64_t                              seed;     /* for parley_json_read() */
    parley_state_t                       *state;    /* for the thread windows of
                                                       views; NULL: none */

    /*
     * Writes a publication with views for the URL of a principal; *ret is in
     * the arena.  Returns 0; 1: the principal does not get it; or -1: no
     * memory.  NULL: such publications go to no URL.
     */
    int                                 (*view)(
                                              const struct parley_render_s *d,
                                              const parley_publication_t *p,
                                              const parley_principal_t *to,
                                              parley_arena_t *arena,
                                              parley_str_t *ret);
} parley_render_t;


/*
 * Renders a publication as a message of a protocol.  *ret belongs to the arena
 * or to the publication, as does loss.  Returns 0; 1: the protocol cannot
 * express it, and *err has the reason; or -1: no memory.
 */
int parley_deliver(const parley_render_t *d, const parley_publication_t *p,
    parley_proto_t to, parley_arena_t *arena, parley_str_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * As parley_deliver(), but always encodes the message, and fills the facts of
 * the encoded message.
 */
int parley_render_made(const parley_render_t *d,
    const parley_publication_t *p, parley_proto_t to, parley_arena_t *arena,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Reads the message of a publication; *doc is its document.  Returns 0, or
   -1. */
int parley_render_message(const parley_render_t *d,
    const parley_publication_t *p, parley_arena_t *arena, parley_msg_t *msg,
    parley_json_t *doc, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Fills how long publications are kept for subscribers that resume. */
void parley_render_retention(const struct parley_settings_http_s *http,
    parley_retention_t *ret);

/* Fills the options that the gateway adds to messages of a protocol. */
void parley_deliver_opts(const struct parley_settings_http_s *http,
    parley_proto_t to, parley_encode_opts_t *opts);

/* Reads the message of a publication, and the principal of its sender.  Returns
   0, or -1. */
int parley_render_read(const parley_render_t *d,
    const parley_publication_t *p, parley_arena_t *arena, parley_msg_t *msg,
    parley_json_t *doc, parley_who_t *who, parley_error_t *err);


#endif /* PARLEY_RENDER_H */
