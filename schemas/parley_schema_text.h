/*
 * The built-in schemas.  parley_schema_text.c is generated from the files in
 * schemas/ by tools/embed-schemas.
 */

#ifndef PARLEY_SCHEMA_TEXT_H
#define PARLEY_SCHEMA_TEXT_H

#include "core/parley_str.h"


/* URIs of the envelopes; their payloads are at #/$defs/..._payload */
#define PARLEY_SCHEMA_AEE       "urn:parley:schema:aee-1"
#define PARLEY_SCHEMA_AEE_MVE5  "urn:parley:schema:aee-mve5"
#define PARLEY_SCHEMA_VCP       "urn:parley:schema:vcp-1.2"
#define PARLEY_SCHEMA_CHANNEL   "urn:parley:schema:channel-1.0"

/* URI of the schema of the file of parley_identities */
#define PARLEY_SCHEMA_IDENTITIES  "urn:parley:schema:identities"


typedef struct {
    parley_str_t  name;     /* file name */
    parley_str_t  uri;      /* $id */
    parley_str_t  text;
} parley_schema_text_t;


/* terminated by an entry with an empty text */
extern const parley_schema_text_t  parley_schema_texts[];


#endif /* PARLEY_SCHEMA_TEXT_H */
