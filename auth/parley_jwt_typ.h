/* Types of tokens, compared as media types are; internal. */

#ifndef PARLEY_JWT_TYP_H
#define PARLEY_JWT_TYP_H

#include "parley_str.h"


/* without application/, which may be left out (RFC 7515 section 4.1.9) */
parley_str_t parley_jwt_typ_bare(parley_str_t typ);

/* two types without application/ */
int parley_jwt_typ_eq(parley_str_t a, parley_str_t b);


#endif /* PARLEY_JWT_TYP_H */
