#include "parley_engine.h"


#define PARLEY_DETECT_MIN  2    /* members, where none is decisive */


static parley_proto_t parley_detect_only(parley_proto_set_t set);
static parley_proto_t parley_detect_plain(const parley_json_t *doc,
    parley_proto_set_t accepted);
static inline uint64_t parley_detect_bit(parley_str_t name);
static parley_proto_set_t parley_detect_named(const parley_json_t *doc,
    uint32_t name, parley_proto_set_t accepted);


parley_proto_t
parley_detect(const parley_json_t *doc, parley_proto_set_t accepted)
{
    int             score, best;
    unsigned        i;
    parley_proto_t  found;

    /* where there is no choice, what the message looks like is no matter */

    found = parley_detect_only(accepted);

    if (found == PARLEY_PROTO_NONE) {
        found = parley_detect_plain(doc, accepted);
    }

    if (found != PARLEY_PROTO_NONE) {
        return found;
    }

    best = -1;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_codecs[i] == NULL || !(accepted & PARLEY_PROTO_BIT(i))) {
            continue;
        }

        score = parley_codecs[i]->detect(doc);

        if (score > best) {
            best = score;
            found = (parley_proto_t) i;
        }
    }

    return best >= PARLEY_DETECT_MIN ? found : PARLEY_PROTO_NONE;
}


/* The only protocol of a set of one. */

static parley_proto_t
parley_detect_only(parley_proto_set_t set)
{
    unsigned  i;

    if (set == 0 || (set & (set - 1)) != 0) {
        return PARLEY_PROTO_NONE;
    }

    i = (unsigned) __builtin_ctz(set);

    return i < PARLEY_PROTO_COUNT && parley_codecs[i] != NULL
           ? (parley_proto_t) i : PARLEY_PROTO_NONE;
}


/* By this most names are seen not to be wanted; an empty one has its quote. */

static inline uint64_t
parley_detect_bit(parley_str_t name)
{
    return 1ULL << (name.data[0] + 4 * name.len) % 64;
}


/*
 * The common case, found without counting: one protocol's discriminator is
 * there and no other's.  Without its discriminator no protocol scores as much
 * as one that has it, but where that is anybody's word.
 */

static parley_proto_t
parley_detect_plain(const parley_json_t *doc, parley_proto_set_t accepted)
{
    unsigned               i;
    uint32_t               k;
    uint64_t               known;
    parley_proto_t         found;
    parley_proto_set_t     named;
    const parley_codec_t  *codec;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return PARLEY_PROTO_NONE;
    }

    known = 0;
    named = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        codec = parley_codecs[i];
        known |= codec != NULL ? parley_detect_bit(codec->discriminator) : 0;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_node(doc, k)->flags & PARLEY_JSON_ESCAPED) {
            return PARLEY_PROTO_NONE;
        }

        if (known & parley_detect_bit(parley_json_span(doc, k))) {
            named |= parley_detect_named(doc, k, accepted);
        }
    }

    found = parley_detect_only(named);

    if (found == PARLEY_PROTO_NONE
        || (parley_codecs[found]->certain != NULL
            && !parley_codecs[found]->certain(doc)))
    {
        return PARLEY_PROTO_NONE;
    }

    return found;
}


/* The protocols that a member of this name, unescaped, is decisive for. */

static parley_proto_set_t
parley_detect_named(const parley_json_t *doc, uint32_t name,
    parley_proto_set_t accepted)
{
    unsigned            i;
    parley_str_t        span;
    parley_proto_set_t  set;

    set = 0;
    span = parley_json_span(doc, name);

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_codecs[i] != NULL && accepted & PARLEY_PROTO_BIT(i)
            && parley_str_eq(parley_codecs[i]->discriminator, span))
        {
            set |= PARLEY_PROTO_BIT(i);
        }
    }

    return set;
}
