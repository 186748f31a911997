/*
 * The verifier of audit logs.  It accepts any octets, its result is always the
 * same, and a log with one more line is not shorter.  Text that it reads from
 * a record is in octets that begin like a record, and the parts add up to the
 * lines.
 */

#include <stdlib.h>
#include <string.h>

#include "gate/audit/parley_audit_verify.h"
#include "t/fuzz/parley_fuzz.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


typedef struct {
    int       rc;
    uint64_t  faults;
    uint64_t  notes;
    uint64_t  records;
    uint64_t  parts;
    uint64_t  lines;        /* of all chains */
} said_t;


static void
found(void *ctx, const parley_audit_finding_t *finding)
{
    said_t  *said = ctx;

    check(memchr(finding->text, '\0', sizeof(finding->text)) != NULL);

    said->notes += finding->kind == PARLEY_AUDIT_NOTE;
}


static void
verify(const uint8_t *data, size_t size, said_t *said)
{
    parley_str_t                rest, line;
    parley_audit_verify_t       v;
    const parley_audit_seen_t  *s;

    memset(said, 0, sizeof(said_t));
    memset(&v, 0, sizeof(v));

    v.say = found;
    v.ctx = said;

    parley_audit_verify_init(&v);
    parley_audit_verify_file(&v, "a");

    rest = parley_str_make(data, size);

    while (rest.len > 0) {
        line = parley_str_until(rest, '\n');
        rest = parley_str_from(rest, line.len);
        rest = parley_str_from(rest, rest.len > 0);

        parley_audit_verify_line(&v, line);
    }

    said->rc = parley_audit_verify_end(&v);
    said->faults = v.faults;
    said->records = v.records;
    said->parts = v.parts;

    for (s = v.chains; s != NULL; s = s->next) {
        said->lines += s->lines;

        check(s->first <= s->last);
        check(s->first != 0 || s->last == 0);
        check(parley_audit_seen_open(s) <= s->last);
    }

    check(said->rc == (v.faults > 0));
    check(said->lines == v.records);

    parley_audit_verify_free(&v);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    said_t    whole, again;
    uint8_t  *more;

    static const char  line[] = PARLEY_AUDIT_BEGINS "9.9.9\",\"seq\":1,"
        "\"prev\":"
        "\"0000000000000000000000000000000000000000000000000000000000000000\","
        "\"time\":\"2026-11-23T00:00:00Z\",\"event\":\"start\"}\n";

    verify(data, size, &whole);
    verify(data, size, &again);
    check(memcmp(&whole, &again, sizeof(said_t)) == 0);

    /* a valid line after any octets is read */

    more = malloc(size + sizeof(line));
    check(more != NULL);

    memcpy(more, data, size);
    memcpy(more + size, line, sizeof(line) - 1);

    verify(more, size + sizeof(line) - 1, &again);
    check(again.records >= whole.records);

    free(more);

    return 0;
}
