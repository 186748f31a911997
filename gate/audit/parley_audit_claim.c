/*
 * Claims: digests of lines that other lines name.  A checkpoint names the last
 * line of each chain, the first line of a chain names the last one of the
 * previous chain.  A claim is compared with the line, or kept until the line is
 * read.
 */

#include <string.h>

#include "gate/audit/parley_audit_verify_parts.h"


#define PARLEY_AUDIT_HASHES  64     /* initial number of digests */


static void parley_audit_claim_seen(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_head_t *head, unsigned vouches);
static void parley_audit_claim_later(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_head_t *head, unsigned vouches);
static void parley_audit_keep(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const uint8_t *hash);


void
parley_audit_claim(parley_audit_verify_t *v, const parley_json_t *doc,
    uint32_t node, unsigned vouches)
{
    parley_audit_seen_t  *s;
    parley_audit_head_t   head;

    if (parley_audit_record_head(doc, node, &head) != 0) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, NULL, 0,
                         "the entry of a chain in the checkpoint is malformed");
        return;
    }

    s = parley_audit_find(v, &head.name);

    if (s == NULL) {
        return;
    }

    if (s->first == 0 || head.seq > s->last) {
        parley_audit_claim_later(v, s, &head, vouches);
        return;
    }

    parley_audit_claim_seen(v, s, &head, vouches);
}


/* Compares a claim with a line that was read.  The digests before a confirmed
   line are dropped. */

static void
parley_audit_claim_seen(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_head_t *head, unsigned vouches)
{
    size_t  n;

    if (head->seq < s->base || head->seq - s->base >= s->nhashes) {
        return;
    }

    n = (size_t) (head->seq - s->base);

    if (memcmp(s->hashes + n * PARLEY_SHA256_LEN, head->hash,
               PARLEY_SHA256_LEN)
        != 0)
    {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, head->seq,
                         "the checkpoint has another digest of this line than "
                         "the line that was read");
        return;
    }

    if (!vouches) {
        return;
    }

    if (s->covered < head->seq) {
        s->covered = head->seq;
    }

    s->nhashes -= n;
    s->base += n;
    memmove(s->hashes, s->hashes + n * PARLEY_SHA256_LEN,
            s->nhashes * PARLEY_SHA256_LEN);
}


static void
parley_audit_claim_later(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_head_t *head, unsigned vouches)
{
    parley_audit_claim_t  *c;

    for (c = s->claims; c != NULL; c = c->next) {

        if (c->seq != head->seq) {
            continue;
        }

        if (memcmp(c->hash, head->hash, PARLEY_SHA256_LEN) != 0) {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, head->seq,
                             "the checkpoint has another digest of this line "
                             "than the one at %s:%llu", c->file,
                             (unsigned long long) c->line);
        }

        c->vouches |= vouches;
        return;
    }

    c = parley_arena_calloc(&v->kept, sizeof(parley_audit_claim_t));

    if (c == NULL) {
        v->failed = 1;
        return;
    }

    c->seq = head->seq;
    memcpy(c->hash, head->hash, PARLEY_SHA256_LEN);
    c->file = v->file;
    c->line = v->line;
    c->vouches = vouches;
    c->next = s->claims;
    s->claims = c;
}


void
parley_audit_claims_resolve(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    parley_audit_claim_t  *c, **at;

    parley_audit_keep(v, s, r->hash);

    for (at = &s->claims; *at != NULL; /* void */ ) {
        c = *at;

        if (c->seq > r->seq) {
            at = &c->next;
            continue;
        }

        *at = c->next;

        if (c->seq < r->seq) {
            continue;
        }

        if (memcmp(c->hash, r->hash, PARLEY_SHA256_LEN) != 0) {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                             "the line does not have the digest in "
                             "%s:%llu", c->file,
                             (unsigned long long) c->line);

        } else if (c->vouches && s->covered < c->seq) {
            s->covered = c->seq;
        }
    }
}


static void
parley_audit_keep(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const uint8_t *hash)
{
    size_t    size;
    uint8_t  *hashes;

    if (s->nhashes == s->size) {
        size = s->size != 0 ? 2 * s->size : PARLEY_AUDIT_HASHES;

        hashes = parley_arena_octets(&v->kept, size * PARLEY_SHA256_LEN);

        if (hashes == NULL) {
            v->failed = 1;
            return;
        }

        if (s->nhashes > 0) {
            memcpy(hashes, s->hashes, s->nhashes * PARLEY_SHA256_LEN);
        }

        s->hashes = hashes;
        s->size = size;
    }

    memcpy(s->hashes + s->nhashes++ * PARLEY_SHA256_LEN, hash,
           PARLEY_SHA256_LEN);
}


/*
 * Reports claimed lines that were not read.  If a chain wrote no line while
 * these files were written, it may be in earlier files only.
 */

void
parley_audit_claims_missing(parley_audit_verify_t *v, parley_audit_seen_t *s)
{
    uint64_t                     least;
    const parley_audit_claim_t  *c, *most;

    most = s->claims;
    least = most->seq;

    for (c = most->next; c != NULL; c = c->next) {

        if (c->seq > most->seq) {
            most = c;
        }

        if (c->seq < least) {
            least = c->seq;
        }
    }

    if (s->first != 0) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, s->last,
                         "the chain ends here, but %s:%llu names line %llu of "
                         "it: its end was cut off", most->file,
                         (unsigned long long) most->line,
                         (unsigned long long) most->seq);

    } else if (s->name.began >= v->first || most->seq > least) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, 0,
                         "all lines of the chain are missing, or in a file "
                         "that was not given; %s:%llu names line %llu of it",
                         most->file,
                         (unsigned long long) most->line,
                         (unsigned long long) most->seq);

    } else {
        parley_audit_say(v, PARLEY_AUDIT_NOTE, s, 0,
                         "the chain has no line here: its lines up to %llu are "
                         "not in the given files",
                         (unsigned long long) most->seq);
    }
}
