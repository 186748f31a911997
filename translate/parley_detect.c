#include "translate/parley_codec.h"
#include "translate/parley_engine.h"


#define PARLEY_DETECT_MIN  2    /* minimum matching members without a
                                   discriminator */


static parley_proto_t parley_detect_only(parley_proto_set_t set);
static parley_proto_t parley_detect_plain(const parley_json_t *doc,
    parley_proto_set_t accepted);
static parley_proto_set_t parley_detect_named(parley_atom_t name,
    parley_proto_set_t accepted);


parley_proto_t
parley_detect(const parley_json_t *doc, parley_proto_set_t accepted)
{
    int             score, best;
    unsigned        i;
    parley_proto_t  found;

    /*
     * If one protocol is accepted, the content of the message does not matter.
     */

    found = parley_detect_only(accepted);

    if (found == PARLEY_PROTO_NONE) {
        found = parley_detect_plain(doc, accepted);
    }

    if (found != PARLEY_PROTO_NONE) {
        return found;
    }

    best = -1;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (!(accepted & PARLEY_PROTO_BIT(i))) {
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


/* Returns the only protocol of a set of one, or PARLEY_PROTO_NONE. */

static parley_proto_t
parley_detect_only(parley_proto_set_t set)
{
    unsigned  i;

    if (set == 0 || (set & (set - 1)) != 0) {
        return PARLEY_PROTO_NONE;
    }

    i = (unsigned) __builtin_ctz(set);

    return i < PARLEY_PROTO_COUNT ? (parley_proto_t) i : PARLEY_PROTO_NONE;
}


/*
 * Finds the protocol in the common case, without scores: the message has the
 * discriminator of one protocol and of no other.  No protocol without its
 * discriminator has a score as high, unless other protocols may also have such
 * a member.
 */

static parley_proto_t
parley_detect_plain(const parley_json_t *doc, parley_proto_set_t accepted)
{
    unsigned            i;
    uint32_t            k;
    uint64_t            known;
    parley_atom_t       name;
    parley_proto_t      found;
    parley_proto_set_t  named;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return PARLEY_PROTO_NONE;
    }

    /* Compare one bit of 64 first: this excludes most names. */

    known = 0;
    named = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        known |= 1ULL << parley_codecs[i]->discriminator % 64;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        name = parley_json_atom(doc, k);

        if (known >> name % 64 & 1) {
            named |= parley_detect_named(name, accepted);
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


/*
 * Returns the accepted protocols that have a member of this name as
 * discriminator.
 */

static parley_proto_set_t
parley_detect_named(parley_atom_t name, parley_proto_set_t accepted)
{
    unsigned            i;
    parley_proto_set_t  set;

    set = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_codecs[i]->discriminator == name) {
            set |= PARLEY_PROTO_BIT(i);
        }
    }

    return set & accepted;
}
