#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "parley_audit_record.h"


#define PARLEY_AUDIT_HASHES  64     /* room for so many at first */


static void parley_audit_piece(parley_audit_verify_t *v, parley_str_t text);
static void parley_audit_take(parley_audit_verify_t *v,
    const parley_audit_record_t *r);
static parley_audit_seen_t *parley_audit_find(parley_audit_verify_t *v,
    const parley_audit_name_t *name);
static int parley_audit_link(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r);
static void parley_audit_link_first(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_advance(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_keep(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const uint8_t *hash);
static void parley_audit_resolve(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_said(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_said_checkpoint(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_claim(parley_audit_verify_t *v,
    const parley_json_t *doc, uint32_t node, unsigned vouches);
static void parley_audit_claim_seen(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_head_t *head, unsigned vouches);
static void parley_audit_claim_later(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_head_t *head, unsigned vouches);
static void parley_audit_missing(parley_audit_verify_t *v,
    parley_audit_seen_t *s);
static void parley_audit_say(parley_audit_verify_t *v,
    parley_audit_kind_t kind, const parley_audit_seen_t *s, uint64_t seq,
    const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));


void
parley_audit_verify_init(parley_audit_verify_t *v)
{
    v->faults = 0;
    v->records = 0;
    v->parts = 0;
    v->checkpoints = 0;
    v->verified = 0;
    v->chains = NULL;
    v->file = NULL;
    v->line = 0;
    v->first = -1;
    v->failed = 0;

    parley_arena_init(&v->arena, &parley_mem_libc, 0);
    parley_arena_init(&v->kept, &parley_mem_libc, 0);
}


void
parley_audit_verify_free(parley_audit_verify_t *v)
{
    parley_arena_reset(&v->arena);
    parley_arena_reset(&v->kept);
    v->chains = NULL;
}


void
parley_audit_verify_file(parley_audit_verify_t *v, const char *name)
{
    v->file = name;
    v->line = 0;
}


/*
 * What a line begins with stands nowhere else in it, since a string has its
 * quotes escaped: behind a line that was cut off another may follow at once.
 */

void
parley_audit_verify_line(parley_audit_verify_t *v, parley_str_t line)
{
    parley_str_t  piece, rest;

    v->line++;

    while (line.len > 0) {
        rest = line;

        do {
            rest = parley_str_from(rest, 1);
            rest = parley_str_from(rest, parley_str_until(rest, '{').len);
        } while (rest.len > 0 && !parley_str_begins(rest, PARLEY_AUDIT_BEGINS));

        piece = parley_str_make(line.data, line.len - rest.len);
        line = rest;

        parley_audit_piece(v, piece);
        parley_arena_reset(&v->arena);
    }
}


static void
parley_audit_piece(parley_audit_verify_t *v, parley_str_t text)
{
    parley_audit_record_t  r;

    if (parley_audit_record_read(&v->arena, v->seed, text, &r) == 0) {
        parley_audit_take(v, &r);
        return;
    }

    if (parley_audit_record_begins(text)) {
        v->parts++;
        parley_audit_say(v, PARLEY_AUDIT_NOTE, NULL, 0,
                         "a part of a line: a write was cut off");
        return;
    }

    parley_audit_say(v, PARLEY_AUDIT_FAULT, NULL, 0,
                     "this is no line of an audit log");
}


static void
parley_audit_take(parley_audit_verify_t *v, const parley_audit_record_t *r)
{
    parley_audit_seen_t  *s;

    v->records++;

    if (v->first < 0) {
        v->first = r->time;
    }

    s = parley_audit_find(v, &r->chain);

    if (s == NULL) {
        return;
    }

    s->lines++;
    s->lost += r->lost;

    if (parley_audit_link(v, s, r)) {
        parley_audit_advance(v, s, r);
        parley_audit_said(v, s, r);
    }
}


/* NULL: no memory */

static parley_audit_seen_t *
parley_audit_find(parley_audit_verify_t *v, const parley_audit_name_t *name)
{
    parley_audit_seen_t  *s, **at;

    for (at = &v->chains; *at != NULL; at = &s->next) {
        s = *at;

        if (s->name.slot == name->slot
            && s->name.generation == name->generation
            && s->name.began == name->began)
        {
            *at = s->next;
            s->next = v->chains;
            v->chains = s;

            return s;
        }
    }

    s = parley_arena_calloc(&v->kept, sizeof(parley_audit_seen_t));

    if (s == NULL) {
        v->failed = 1;
        return NULL;
    }

    s->name = *name;
    parley_audit_name(name, s->text);
    s->next = v->chains;
    v->chains = s;

    return s;
}


/* Whether the line goes on with its chain, right or wrong. */

static int
parley_audit_link(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    if (s->first == 0) {
        parley_audit_link_first(v, s, r);
        return 1;
    }

    if (r->seq <= s->last) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "it stands behind line %llu: it was repeated, moved "
                         "or inserted", (unsigned long long) s->last);
        return 0;
    }

    if (s->ended) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "it stands behind the end of its chain");
    }

    if (r->seq > s->last + 1) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "lines %llu to %llu of the chain are missing",
                         (unsigned long long) s->last + 1,
                         (unsigned long long) r->seq - 1);

    } else if (memcmp(r->prev, s->hash, PARLEY_SHA256_LEN) != 0) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "it does not follow line %llu, which was changed, or "
                         "this one was", (unsigned long long) s->last);
    }

    return 1;
}


/* The first line of a chain here: the others may be in earlier files. */

static void
parley_audit_link_first(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    uint64_t                     known;
    const parley_audit_claim_t  *c;

    static const uint8_t  none[PARLEY_SHA256_LEN];

    known = 0;

    for (c = s->claims; c != NULL; c = c->next) {

        if (c->seq < r->seq && (known == 0 || c->seq < known)) {
            known = c->seq;
        }

        if (c->seq + 1 == r->seq
            && memcmp(c->hash, r->prev, PARLEY_SHA256_LEN) != 0)
        {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                             "it does not follow line %llu as %s:%llu knows "
                             "it", (unsigned long long) c->seq, c->file,
                             (unsigned long long) c->line);
        }
    }

    if (r->seq == 1) {
        if (memcmp(r->prev, none, PARLEY_SHA256_LEN) != 0
            || !parley_str_is(r->event, "start"))
        {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                             "no chain begins so: the line was changed");
        }

    } else if (known != 0 || s->name.began >= v->first) {

        if (known + 1 < r->seq) {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                             "lines %llu to %llu of the chain are missing, or "
                             "in an earlier file that was not given",
                             (unsigned long long) known + 1,
                             (unsigned long long) r->seq - 1);
        }

    } else {
        parley_audit_say(v, PARLEY_AUDIT_NOTE, s, r->seq,
                         "the chain's lines up to %llu are in no file that "
                         "was given", (unsigned long long) r->seq - 1);
    }
}


static void
parley_audit_advance(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    if (s->first == 0) {
        s->first = r->seq;
    }

    if (s->nhashes == 0 || r->seq != s->last + 1) {
        s->nhashes = 0;
        s->base = r->seq;
    }

    s->last = r->seq;
    memcpy(s->hash, r->hash, PARLEY_SHA256_LEN);

    parley_audit_keep(v, s, r->hash);
    parley_audit_resolve(v, s, r);
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


/* what was said of this line before it was there */

static void
parley_audit_resolve(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    parley_audit_claim_t  *c, **at;

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
                             "it is not the line that %s:%llu knows", c->file,
                             (unsigned long long) c->line);

        } else if (c->vouches && s->covered < c->seq) {
            s->covered = c->seq;
        }
    }
}


static void
parley_audit_said(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    uint32_t  node;

    if (parley_str_is(r->event, "verdict")) {
        s->counts[0]++;

    } else if (parley_str_is(r->event, "outcome")) {
        s->counts[1]++;

    } else if (parley_str_is(r->event, "checkpoint")) {
        parley_audit_said_checkpoint(v, s, r);

    } else if (parley_str_is(r->event, "start")) {
        node = parley_json_get(&r->doc, 0, PARLEY_STR("after"));

        if (node != PARLEY_JSON_NONE) {
            parley_audit_claim(v, &r->doc, node, 0);
        }
    }
}


/* OPS-06: the line itself is vouched for, and with it the lines before it */

static void
parley_audit_said_checkpoint(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r)
{
    uint32_t     i, heads, end;
    const char  *why;

    v->checkpoints++;

    if (v->keys != NULL) {

        if (parley_audit_record_verify(r, v->keys, &v->arena, &why) != 0) {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq, "%s", why);
            return;
        }

        v->verified++;
    }

    s->covered = r->seq;

    end = parley_json_get(&r->doc, 0, PARLEY_STR("end"));

    if (end != PARLEY_JSON_NONE
        && parley_json_type(&r->doc, end) == PARLEY_JSON_TRUE)
    {
        s->ended = 1;
    }

    heads = parley_json_get(&r->doc, 0, PARLEY_STR("heads"));

    if (heads == PARLEY_JSON_NONE
        || parley_json_type(&r->doc, heads) != PARLEY_JSON_ARRAY)
    {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "the checkpoint knows no chains");
        return;
    }

    for (i = parley_json_first(heads);
         i != parley_json_end(&r->doc, heads);
         i = parley_json_after(&r->doc, i))
    {
        parley_audit_claim(v, &r->doc, i, 1);
    }
}


static void
parley_audit_claim(parley_audit_verify_t *v, const parley_json_t *doc,
    uint32_t node, unsigned vouches)
{
    parley_audit_seen_t  *s;
    parley_audit_head_t   head;

    if (parley_audit_record_head(doc, node, &head) != 0) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, NULL, 0,
                         "what it says of a chain has no such form");
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


/* of a line that was read, and is not kept if a checkpoint knew a later one */

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
                         "it is known here as another line than the one that "
                         "was read");
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
                             "it is known here as another line than at "
                             "%s:%llu", c->file,
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


int
parley_audit_verify_end(parley_audit_verify_t *v)
{
    parley_audit_seen_t  *s;

    v->file = NULL;
    v->line = 0;

    for (s = v->chains; s != NULL; s = s->next) {
        if (s->claims != NULL) {
            parley_audit_missing(v, s);
        }
    }

    return v->failed ? -1 : v->faults > 0;
}


/*
 * Lines that others knew and that never came.  A chain that said nothing while
 * these files were written may be in earlier ones as a whole.
 */

static void
parley_audit_missing(parley_audit_verify_t *v, parley_audit_seen_t *s)
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
                         "the chain ends here, but %s:%llu knows line %llu of "
                         "it: its end was cut off", most->file,
                         (unsigned long long) most->line,
                         (unsigned long long) most->seq);

    } else if (s->name.began >= v->first || most->seq > least) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, 0,
                         "all lines of the chain are missing, or in a file "
                         "that was not given; %s:%llu knows line %llu of it",
                         most->file,
                         (unsigned long long) most->line,
                         (unsigned long long) most->seq);

    } else {
        parley_audit_say(v, PARLEY_AUDIT_NOTE, s, 0,
                         "the chain has no line here: those up to %llu are in "
                         "no file that was given",
                         (unsigned long long) most->seq);
    }
}


uint64_t
parley_audit_seen_open(const parley_audit_seen_t *s)
{
    return s->covered >= s->last ? 0
           : s->covered < s->first ? s->last - s->first + 1
           : s->last - s->covered;
}


static void
parley_audit_say(parley_audit_verify_t *v, parley_audit_kind_t kind,
    const parley_audit_seen_t *s, uint64_t seq, const char *fmt, ...)
{
    va_list                 args;
    parley_audit_finding_t  finding;

    finding.kind = kind;
    finding.file = v->file;
    finding.line = v->line;
    finding.chain = s != NULL ? s->text : "";
    finding.seq = seq;

    va_start(args, fmt);
    (void) vsnprintf(finding.text, sizeof(finding.text), fmt, args);
    va_end(args);

    if (kind == PARLEY_AUDIT_FAULT) {
        v->faults++;
    }

    if (v->say != NULL) {
        v->say(v->ctx, &finding);
    }
}
