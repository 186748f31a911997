/*
 * Messages of the control stream, and of the bidirectional stream of a
 * SUBSCRIBE_NAMESPACE, one by one from octets in any split (section 9 of the
 * draft).  A message that arrives whole is read in place; only a message in
 * parts is copied, at most 65535 octets and its header.
 */

#ifndef PARLEY_MOQT_CONTROL_H
#define PARLEY_MOQT_CONTROL_H

#include "moqt/parley_moqt_message.h"


typedef struct {
    const parley_moqt_draft_t  *draft;
    parley_mem_t                mem;
    uint8_t                     from;       /* parley_moqt_role_t of the
                                               sender */
    uint8_t                     on;         /* PARLEY_MOQT_ON_* */

    uint64_t                    type;       /* of the message in parts */
    uint8_t                    *octets;     /* its octets, or NULL */
    size_t                      size;
    size_t                      len;        /* octets that were taken */
    size_t                      header;     /* octets of type and length */
    size_t                      need;       /* octets of the message; 0: its
                                               header is not whole */
} parley_moqt_control_t;


/*
 * Begins a stream.  from is the role of the sender, on the kind of the stream;
 * a message that this sender must not send there is a PROTOCOL_VIOLATION.
 * Messages of ON_REQUEST and those of ON_CONTROL differ: SUBSCRIBE_NAMESPACE is
 * only allowed first on a stream of its own.
 */
void parley_moqt_control_init(parley_moqt_control_t *c,
    const parley_moqt_draft_t *draft, const parley_mem_t *mem,
    parley_moqt_role_t from, unsigned on);

/* Frees the octets of a message in parts. */
void parley_moqt_control_free(parley_moqt_control_t *c);

/*
 * Takes octets from *in up to the end of a message.  Returns 1 with *ret, whose
 * spans are valid until the next call and as long as the octets of *in; 0 with
 * an empty *in if the message is not whole; or -1 with a fault, after which the
 * reader must not be used.  An unknown type is a fault before the rest of its
 * message arrives.  INTERNAL_ERROR: memory is exhausted.
 */
int parley_moqt_control_next(parley_moqt_control_t *c, parley_str_t *in,
    parley_moqt_message_t *ret, parley_moqt_fault_t *fault)
    __attribute__((warn_unused_result));

/* Returns whether a message has begun and is not whole. */
int parley_moqt_control_partial(const parley_moqt_control_t *c);


#endif /* PARLEY_MOQT_CONTROL_H */
