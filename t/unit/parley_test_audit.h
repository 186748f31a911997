/*
 * An audit log in memory: a file whose writes can fail, two chains, and the
 * result of the verifier.
 */

#ifndef PARLEY_TEST_AUDIT_H
#define PARLEY_TEST_AUDIT_H

#include "t/unit/parley_test.h"

#include "gate/audit/parley_audit_verify.h"


#define T0     1795415120123
#define ROOM   (256 * 1024)


/* a file whose writes can fail */
static struct {
    char     octets[ROOM];
    size_t   len;
    int64_t  room;          /* octets that are left; -1: unlimited */
    int64_t  now;
    size_t   writes;
} disk;

static parley_audit_table_t   table;
static parley_audit_t         chain[3];
static parley_arena_t         arena;
static parley_audit_verify_t  v;
static uint32_t               dead;             /* pid of a dead process */
static char                   findings[4096];


static inline int64_t
disk_write(void *ctx, parley_str_t octets)
{
    size_t  n;

    (void) ctx;

    n = octets.len;
    disk.writes++;

    if (disk.room == 0) {
        return -1;
    }

    if (disk.room > 0 && n > (size_t) disk.room) {
        n = (size_t) disk.room;
        disk.room = 0;
    }

    assert_true(disk.len + n < sizeof(disk.octets));
    memcpy(disk.octets + disk.len, octets.data, n);
    disk.len += n;

    return (int64_t) n;
}


static inline int64_t
disk_now(void *ctx)
{
    (void) ctx;

    return disk.now;
}


static inline int
is_alive(void *ctx, const parley_process_t *process)
{
    (void) ctx;

    return process->pid != dead;
}


static const parley_processes_t  host = { is_alive, NULL };


static inline void
begin(parley_audit_t *a, uint32_t pid)
{
    parley_process_t  self = { pid, 7 };

    a->env.write = disk_write;
    a->env.now = disk_now;
    a->env.ctx = NULL;

    assert_int_equal(parley_audit_begin_locked(a, &table, &self, &host),
                     0);
    (void) (parley_audit_start(a, &arena) == 0);
}


static inline int
setup(void **state)
{
    (void) state;

    memset(&disk, 0, sizeof(disk));
    memset(&table, 0, sizeof(table));

    disk.room = -1;
    disk.now = T0;
    dead = 0;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    begin(&chain[0], 100);
    begin(&chain[1], 101);

    return 0;
}


static inline int
teardown(void **state)
{
    (void) state;

    parley_arena_reset(&arena);

    return 0;
}


static inline int
say(parley_audit_t *a, const char *id)
{
    uint64_t                line;
    parley_audit_verdict_t  verdict;

    memset(&verdict, 0, sizeof(verdict));

    disk.now++;
    verdict.id = parley_str_c(id);
    verdict.verdict = PARLEY_STR("passed");

    return parley_audit_verdict(a, &arena, &verdict, &line);
}


static inline void
found(void *ctx, const parley_audit_finding_t *finding)
{
    size_t  len;

    (void) ctx;

    len = strlen(findings);
    (void) snprintf(findings + len, sizeof(findings) - len, "%s%s:%d:%d: %s\n",
                    finding->kind == PARLEY_AUDIT_NOTE ? "note " : "",
                    finding->chain, (int) finding->line, (int) finding->seq,
                    finding->text);
}


/* Verifies these octets; the caller frees v. */

static inline int
verify_octets(const char *octets, size_t len, const parley_jwks_t *keys)
{
    const char    *p, *end;
    parley_str_t   rest;

    memset(&v, 0, sizeof(v));
    findings[0] = '\0';

    v.keys = keys;
    v.say = found;

    parley_audit_verify_init(&v);
    parley_audit_verify_file(&v, "log");

    for (p = octets; p < octets + len; p = end + 1) {
        rest = parley_str_until(parley_str_make(p, (size_t) (octets + len - p)),
                                '\n');
        end = p + rest.len;
        parley_audit_verify_line(&v, rest);
    }

    return parley_audit_verify_end(&v);
}


static inline int
verify(void)
{
    int  rc;

    rc = verify_octets(disk.octets, disk.len, NULL);
    parley_audit_verify_free(&v);

    return rc;
}


/*
 * Returns line i of the file, from 0; *len is its length without the newline.
 */

static inline char *
line(size_t i, size_t *len)
{
    char  *p;

    for (p = disk.octets; i > 0; i--) {
        p = strchr(p, '\n') + 1;
    }

    *len = (size_t) (strchr(p, '\n') - p);

    return p;
}


static inline void
drop(size_t i)
{
    char    *p;
    size_t   len;

    p = line(i, &len);
    memmove(p, p + len + 1, disk.octets + disk.len - (p + len + 1));
    disk.len -= len + 1;
    disk.octets[disk.len] = '\0';
}


#define audit_test(name, f)  { (name), (f), setup, teardown, NULL }


#endif /* PARLEY_TEST_AUDIT_H */
