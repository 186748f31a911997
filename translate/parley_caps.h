/* Limits that the operator sets for messages of a sender (AEE-28, AEE-29). */

#ifndef PARLEY_CAPS_H
#define PARLEY_CAPS_H

#include "translate/parley_msg.h"


typedef struct {
    parley_priority_t  priority;        /* highest allowed */
    parley_str_t       max_priority;    /* maximum of this sender, a word;
                                           empty: none */
    int64_t            timeout_ms;      /* 0: any */
} parley_caps_t;


#endif /* PARLEY_CAPS_H */
