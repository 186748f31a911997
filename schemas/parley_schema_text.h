/*
 * The schemas that the library carries, as texts.  parley_schema_text.c is
 * made from the files of schemas/ by tools/embed-schemas.
 */

#ifndef PARLEY_SCHEMA_TEXT_H
#define PARLEY_SCHEMA_TEXT_H

#include "parley_str.h"


/* the envelopes; their payloads are at #/$defs/..._payload */
#define PARLEY_SCHEMA_AEE       "urn:parley:schema:aee-1"
#define PARLEY_SCHEMA_AEE_MVE5  "urn:parley:schema:aee-mve5"
#define PARLEY_SCHEMA_VCP       "urn:parley:schema:vcp-1.2"
#define PARLEY_SCHEMA_CHANNEL   "urn:parley:schema:channel-1.0"


typedef struct {
    parley_str_t  name;     /* the file */
    parley_str_t  uri;      /* its $id */
    parley_str_t  text;
} parley_schema_text_t;


/* the last one's text is empty */
extern const parley_schema_text_t  parley_schema_texts[];


#endif /* PARLEY_SCHEMA_TEXT_H */
