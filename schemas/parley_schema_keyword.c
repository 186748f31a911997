#include "schemas/parley_schema_keyword.h"


#define PARLEY_SCHEMA_VOCAB_BASE                                              \
    "https://json-schema.org/draft/2020-12/vocab/"
#define PARLEY_SCHEMA_VOCAB_OWN  "urn:parley:vocabulary:octets"


const parley_schema_keyword_info_t
    parley_schema_keywords[PARLEY_SCHEMA_K_COUNT] =
{
    [PARLEY_SCHEMA_K_NONE] = { parley_str(""), 0, PARLEY_SCHEMA_BELOW_NONE },

#define X(sym, name, vocab, below)                                            \
    [PARLEY_SCHEMA_K_##sym] = {                                               \
        parley_str(name),                                                     \
        PARLEY_SCHEMA_VOCAB_##vocab,                                          \
        PARLEY_SCHEMA_BELOW_##below                                           \
    },
    PARLEY_SCHEMA_KEYWORDS(X)
#undef X
};


static const struct {
    parley_str_t  name;
    unsigned      bit;
} parley_schema_vocabularies[] = {
    { parley_str("core"), PARLEY_SCHEMA_VOCAB_CORE },
    { parley_str("applicator"), PARLEY_SCHEMA_VOCAB_APPLICATOR },
    { parley_str("unevaluated"), PARLEY_SCHEMA_VOCAB_UNEVALUATED },
    { parley_str("validation"), PARLEY_SCHEMA_VOCAB_VALIDATION },
    { parley_str("meta-data"), PARLEY_SCHEMA_VOCAB_ANNOTATION },
    { parley_str("content"), PARLEY_SCHEMA_VOCAB_ANNOTATION },
    { parley_str("format-annotation"), PARLEY_SCHEMA_VOCAB_FORMAT },
    { parley_str("format-assertion"),
      PARLEY_SCHEMA_VOCAB_FORMAT | PARLEY_SCHEMA_VOCAB_ASSERTION }
};


parley_schema_keyword_t
parley_schema_keyword(parley_str_t name, unsigned dialect)
{
    int                                  i;
    const parley_schema_keyword_info_t  *info;

    for (i = PARLEY_SCHEMA_K_NONE + 1; i < PARLEY_SCHEMA_K_COUNT; i++) {
        info = &parley_schema_keywords[i];

        if (parley_str_eq(info->name, name)) {
            return (info->vocab & dialect) ? (parley_schema_keyword_t) i
                                           : PARLEY_SCHEMA_K_NONE;
        }
    }

    return PARLEY_SCHEMA_K_NONE;
}


unsigned
parley_schema_vocabulary(parley_str_t uri)
{
    size_t  i;

    if (parley_str_is(uri, PARLEY_SCHEMA_VOCAB_OWN)) {
        return PARLEY_SCHEMA_VOCAB_OCTETS;
    }

    if (!parley_str_begins(uri, PARLEY_SCHEMA_VOCAB_BASE)) {
        return 0;
    }

    uri = parley_str_from(uri, sizeof(PARLEY_SCHEMA_VOCAB_BASE) - 1);

    for (i = 0; i < sizeof(parley_schema_vocabularies)
                    / sizeof(parley_schema_vocabularies[0]); i++)
    {
        if (parley_str_eq(parley_schema_vocabularies[i].name, uri)) {
            return parley_schema_vocabularies[i].bit;
        }
    }

    return 0;
}
