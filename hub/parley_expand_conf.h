/* Settings of the expansion of scopes (parley_expand.h). */

#ifndef PARLEY_EXPAND_CONF_H
#define PARLEY_EXPAND_CONF_H

#include <stddef.h>


typedef struct {
    unsigned  off;              /* disabled forms, bits of 1 <<
                                   parley_channel_scope_form_t */
    size_t    max;              /* logs that a scope may name, at most
                                   PARLEY_LOGS_MAX */
} parley_expand_conf_t;


#endif /* PARLEY_EXPAND_CONF_H */
