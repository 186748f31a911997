/*
 * Where in its document a message says something, for errors and the loss
 * report: exact also where the place depends on the message, or where it
 * carries another protocol's.
 */

#ifndef PARLEY_MSG_FIELD_H
#define PARLEY_MSG_FIELD_H

#include "translate/parley_codec.h"


typedef struct {
    char  pointer[PARLEY_POINTER_MAX];      /* empty: nowhere */
} parley_at_t;


parley_at_t parley_at(const parley_msg_t *m, parley_msg_field_t field);

/* That this cannot travel; nothing where it stands nowhere. */
void parley_loss_at(parley_loss_t *loss, const parley_msg_t *m,
    parley_msg_field_t field);

/*
 * That nothing of m travels but the n values in its payload (PARLEY_JSON_NONE:
 * none): what that and the envelope say besides is lost.
 */
void parley_loss_unsaid(parley_loss_t *loss, const parley_msg_t *m,
    const uint32_t *said, unsigned n);

/*
 * An error about what m answers, reports on or takes back: names the member
 * by which it refers to that.  Returns -1.
 */
int parley_misrefers(const parley_msg_t *m, parley_code_t code,
    const char *text, parley_error_t *err)
    __attribute__((cold));


#endif /* PARLEY_SPOT_H */
