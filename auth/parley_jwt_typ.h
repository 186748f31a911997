/* Token types, compared as media types.  Private to auth. */

#ifndef PARLEY_JWT_TYP_H
#define PARLEY_JWT_TYP_H

#include "core/parley_str.h"


/* Returns typ without a leading "application/" (RFC 7515 section 4.1.9). */
parley_str_t parley_jwt_typ_bare(parley_str_t typ);


#endif /* PARLEY_JWT_TYP_H */
