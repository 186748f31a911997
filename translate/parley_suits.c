/* Checks settings against a protocol. */

#include "translate/parley_codec.h"
#include "schemas/parley_schema.h"
#include "translate/parley_suits.h"


int
parley_codec_requires(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, parley_str_t pointer, parley_str_t value)
{
    parley_json_t           doc;
    parley_error_t          err;
    parley_json_ref_t       ref;
    const parley_schema_t  *schema;

    schema = parley_engine_envelope(engine, proto);

    if (value.len == 0) {
        return parley_schema_needs(schema, arena, pointer, NULL);
    }

    if (parley_read_again(&doc, arena, 0, value, &err) != 0) {
        return 0;
    }

    ref.doc = &doc;
    ref.node = 0;

    return parley_schema_needs(schema, arena, pointer, &ref);
}


int
parley_codec_supplies(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_encode_opts_t *opts,
    parley_error_t *err)
{
    const parley_codec_t  *codec;

    codec = parley_codecs[proto];

    return codec->supplies != NULL ? codec->supplies(engine, arena, opts, err)
                                   : 0;
}
