/* The table of directives, without its setters. */

#include "gate/settings/parley_directive.h"
#include "auth/parley_policy.h"


const parley_directive_row_t  parley_directives[PARLEY_DIRECTIVE_COUNT] = {
#define PARLEY_DIRECTIVE(id, name, in, min, max, flags, beside, part, set,   \
                         syntax, preset, purpose)                            \
    [PARLEY_DIRECTIVE_##id] = { name, in, min, max, flags, beside, part },
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE
};
