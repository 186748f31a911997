/*
 * The place of a field in a message's document, for errors and the loss report.
 * The place may depend on the message and on the message that it carries.
 */

#ifndef PARLEY_MSG_FIELD_H
#define PARLEY_MSG_FIELD_H

#include "translate/parley_codec.h"


typedef struct {
    char  pointer[PARLEY_POINTER_MAX];      /* empty: the document does not
                                               contain the field */
} parley_at_t;


parley_at_t parley_at(const parley_msg_t *m, parley_msg_field_t field);

/*
 * Reports that a field is lost.  Does nothing if the document does not contain
 * it.
 */
void parley_loss_at(parley_loss_t *loss, const parley_msg_t *m,
    parley_msg_field_t field);

/*
 * Reports that only n values of the payload of m (each may be PARLEY_JSON_NONE)
 * are kept.  All other content of the payload and of the envelope is lost.
 */
void parley_loss_unsaid(parley_loss_t *loss, const parley_msg_t *m,
    const uint32_t *said, unsigned n);

/*
 * Fills *err with an error about the message that m answers, reports on or
 * recalls.  The error names the member that refers to that message.  Returns
 * -1.
 */
int parley_msg_misrefers(const parley_msg_t *m, parley_code_t code,
    const char *text, parley_error_t *err)
    __attribute__((cold));


#endif /* PARLEY_MSG_FIELD_H */
