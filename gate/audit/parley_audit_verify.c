#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/audit/parley_audit_verify_parts.h"


static void parley_audit_piece(parley_audit_verify_t *v, parley_str_t text);
static void parley_audit_take(parley_audit_verify_t *v,
    const parley_audit_record_t *r);
static int parley_audit_link(parley_audit_verify_t *v, parley_audit_seen_t *s,
    const parley_audit_record_t *r);
static void parley_audit_link_first(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_advance(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_said(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);
static void parley_audit_said_checkpoint(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);


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
 * The beginning of a record cannot occur inside a record, because quotes in
 * strings are escaped.  So a partly written record may be followed by another
 * one in the same line.
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
                         "a partial line: a write was cut off");
        return;
    }

    parley_audit_say(v, PARLEY_AUDIT_FAULT, NULL, 0,
                     "this is not a line of an audit log");
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


parley_audit_seen_t *
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


/* Checks the position of a line in its chain.  Returns whether the line
   continues the chain, correctly or not. */

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
                         "the line follows line %llu: it was repeated, moved "
                         "or inserted", (unsigned long long) s->last);
        return 0;
    }

    if (s->ended) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "the line follows the end of its chain");
    }

    if (r->seq > s->last + 1) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "lines %llu to %llu of the chain are missing",
                         (unsigned long long) s->last + 1,
                         (unsigned long long) r->seq - 1);

    } else if (memcmp(r->prev, s->hash, PARLEY_SHA256_LEN) != 0) {
        parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                         "the line does not continue line %llu: one of the two "
                         "was changed", (unsigned long long) s->last);
    }

    return 1;
}


/* Checks the first line of a chain in these files; earlier ones may be in
   earlier files. */

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
                             "the line does not continue line %llu, which has "
                             "another digest in %s:%llu",
                             (unsigned long long) c->seq, c->file,
                             (unsigned long long) c->line);
        }
    }

    if (r->seq == 1) {
        if (memcmp(r->prev, none, PARLEY_SHA256_LEN) != 0
            || !parley_str_is(r->event, "start"))
        {
            parley_audit_say(v, PARLEY_AUDIT_FAULT, s, r->seq,
                             "a chain cannot begin with this line: it was "
                             "changed");
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
                         "the chain's lines up to %llu are not in the given "
                         "files", (unsigned long long) r->seq - 1);
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

    parley_audit_claims_resolve(v, s, r);
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


/* A checkpoint confirms itself and the lines before it (OPS-06). */

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
                         "the checkpoint lists no chains");
        return;
    }

    for (i = parley_json_first(heads);
         i != parley_json_end(&r->doc, heads);
         i = parley_json_after(&r->doc, i))
    {
        parley_audit_claim(v, &r->doc, i, 1);
    }
}


int
parley_audit_verify_end(parley_audit_verify_t *v)
{
    parley_audit_seen_t  *s;

    v->file = NULL;
    v->line = 0;

    for (s = v->chains; s != NULL; s = s->next) {
        if (s->claims != NULL) {
            parley_audit_claims_missing(v, s);
        }
    }

    return v->failed ? -1 : v->faults > 0;
}


uint64_t
parley_audit_seen_open(const parley_audit_seen_t *s)
{
    return s->covered >= s->last ? 0
           : s->covered < s->first ? s->last - s->first + 1
           : s->last - s->covered;
}


void
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
