/* The chain of a process: writes lines and checkpoints. */

#include <stdio.h>
#include <string.h>

#include "gate/audit/parley_audit_parts.h"
#include "core/parley_hex.h"
#include "core/parley_jcs.h"
#include "auth/parley_signature.h"
#include "core/parley_time.h"


/* usual octets of a line */
#define PARLEY_AUDIT_LINE  1024


static void parley_audit_head(parley_audit_t *a, parley_buf_t *b,
    parley_arena_t *arena, const char *event);
static void parley_audit_heads(parley_audit_t *a, parley_buf_t *b,
    uint64_t turns[PARLEY_AUDIT_SLOTS]);
static void parley_audit_sign(parley_audit_t *a, parley_buf_t *b,
    const parley_jwk_t *key);
static int parley_audit_checkpoint_line(parley_audit_t *a,
    parley_arena_t *arena, const parley_jwk_t *key, int last);


int
parley_audit_begin_locked(parley_audit_t *a, parley_audit_table_t *table,
    const parley_process_t *self,
    const parley_processes_t *host)
{
    parley_audit_env_t  env;

    env = a->env;
    memset(a, 0, sizeof(parley_audit_t));

    a->env = env;
    a->table = table;
    a->flood.tokens = PARLEY_AUDIT_BURST;
    a->flood.filled = env.now(env.ctx);
    a->slot = parley_audit_slot_take(table, self, host);

    if (a->slot == NULL) {
        return -1;
    }

    a->head.name.slot = (uint32_t) (a->slot - table->slots);
    a->head.name.generation = a->slot->generation;
    a->head.name.began = a->flood.filled;

    return 0;
}


int
parley_audit_start(parley_audit_t *a, parley_arena_t *arena)
{
    int                  rc;
    uint64_t             turn;
    parley_buf_t         b;
    parley_audit_head_t  before;

    if (a->slot == NULL) {
        return -1;
    }

    parley_audit_head(a, &b, arena, "start");
    parley_buf_lit(&b, ",\"process\":");
    parley_buf_int(&b, a->slot->process.pid);

    if (parley_audit_slot_head(a->slot, &before, &turn) == 0) {
        parley_buf_lit(&b, ",\"after\":");
        parley_audit_put_head(&b, &before);
    }

    a->starts = 1;
    rc = parley_audit_close(a, &b);
    a->starts = 0;

    return rc;
}


void
parley_audit_end(parley_audit_t *a, const parley_jwk_t *key,
    parley_arena_t *arena)
{
    if (a->slot == NULL || a->ended) {
        return;
    }

    (void) (parley_audit_suppressed(a, arena) == 0);
    (void) (parley_audit_checkpoint_line(a, arena, key, 1) == 0);

    a->ended = 1;

    __atomic_store_n(&a->slot->process.pid, 0, __ATOMIC_RELEASE);
}


void
parley_audit_name(const parley_audit_name_t *name,
    char out[PARLEY_AUDIT_NAME_MAX])
{
    (void) snprintf(out, PARLEY_AUDIT_NAME_MAX, "%u.%llu.%lld", name->slot,
                    (unsigned long long) name->generation,
                    (long long) name->began);
}


int
parley_audit_name_parse(parley_str_t s, parley_audit_name_t *ret)
{
    size_t    i, part;
    uint64_t  parts[3] = { 0, 0, 0 };
    char      text[PARLEY_AUDIT_NAME_MAX];

    for (i = 0, part = 0; i < s.len; i++) {

        if (s.data[i] == '.' && part < 2) {
            part++;
            continue;
        }

        if (s.data[i] < '0' || s.data[i] > '9'
            || parts[part] > (INT64_MAX - 9) / 10)
        {
            return -1;
        }

        parts[part] = parts[part] * 10 + (s.data[i] - '0');
    }

    if (parts[0] >= PARLEY_AUDIT_SLOTS) {
        return -1;
    }

    ret->slot = (uint32_t) parts[0];
    ret->generation = parts[1];
    ret->began = (int64_t) parts[2];

    /* a name has only one valid form */

    parley_audit_name(ret, text);

    return parley_str_eq(s, parley_str_c(text)) ? 0 : -1;
}


size_t
parley_audit_begins(const parley_audit_t *a)
{
    return a->broken;
}


/* If the first line of a chain could not be written, it is written before the
   next one. */

void
parley_audit_open(parley_audit_t *a, parley_buf_t *b, parley_arena_t *arena,
    const char *event)
{
    uint64_t  lost;

    lost = a->lost;

    if (a->head.seq == 0 && parley_audit_start(a, arena) != 0) {
        a->lost = lost;
    }

    parley_audit_head(a, b, arena, event);
}


static void
parley_audit_head(parley_audit_t *a, parley_buf_t *b, parley_arena_t *arena,
    const char *event)
{
    char  name[PARLEY_AUDIT_NAME_MAX], hash[2 * PARLEY_SHA256_LEN + 1];

    parley_buf_init(b, arena, PARLEY_AUDIT_LINE);

    if (a->broken) {
        parley_buf_octet(b, '\n');
    }

    parley_audit_name(&a->head.name, name);
    parley_hex(a->head.hash, PARLEY_SHA256_LEN, hash);

    parley_buf_lit(b, PARLEY_AUDIT_BEGINS);
    parley_buf_str(b, parley_str_c(name));
    parley_buf_lit(b, "\",\"seq\":");
    parley_buf_int(b, (int64_t) a->head.seq + 1);
    parley_buf_lit(b, ",\"prev\":\"");
    parley_buf_put(b, hash, 2 * PARLEY_SHA256_LEN);
    parley_buf_lit(b, "\",\"time\":");
    parley_audit_put_time(b, a->env.now(a->env.ctx));

    if (a->lost > 0) {
        parley_buf_lit(b, ",\"lost\":");
        parley_buf_int(b, (int64_t) a->lost);
    }

    parley_buf_lit(b, ",\"event\":\"");
    parley_buf_str(b, parley_str_c(event));
    parley_buf_octet(b, '"');
}


/*
 * Writes a line by one call of write.  After a partly written line, the next
 * one begins with a newline.  If only the newline is missing, the line counts
 * as written.
 */

int
parley_audit_close(parley_audit_t *a, parley_buf_t *b)
{
    int64_t              n;
    size_t               start;
    parley_str_t         octets;
    parley_audit_head_t  head;

    start = parley_audit_begins(a);
    head = a->head;
    head.seq++;

    parley_buf_lit(b, "}\n");

    if (a->slot == NULL || a->ended
        || (a->head.seq == 0 && !a->starts)
        || parley_buf_done(b, &octets) != 0
        || parley_sha256(parley_str_make(octets.data + start,
                                         octets.len - start - 1), head.hash)
           != 0)
    {
        a->lost++;
        return -1;
    }

    n = a->env.write(a->env.ctx, octets);

    if (n < (int64_t) octets.len - 1) {

        if (n > 0) {
            a->broken = (size_t) n > start;
        }

        a->lost++;
        return -1;
    }

    a->broken = n != (int64_t) octets.len;
    a->lost = 0;
    a->head = head;

    parley_audit_slot_publish(a->slot, &head);

    return 0;
}


void
parley_audit_put_head(parley_buf_t *b, const parley_audit_head_t *head)
{
    char  name[PARLEY_AUDIT_NAME_MAX], hash[2 * PARLEY_SHA256_LEN + 1];

    parley_audit_name(&head->name, name);
    parley_hex(head->hash, PARLEY_SHA256_LEN, hash);

    parley_buf_lit(b, "{\"chain\":\"");
    parley_buf_str(b, parley_str_c(name));
    parley_buf_lit(b, "\",\"seq\":");
    parley_buf_int(b, (int64_t) head->seq);
    parley_buf_lit(b, ",\"hash\":\"");
    parley_buf_put(b, hash, 2 * PARLEY_SHA256_LEN);
    parley_buf_lit(b, "\"}");
}


void
parley_audit_put_time(parley_buf_t *b, int64_t ms)
{
    char    text[PARLEY_TIME_MAX];
    size_t  len;

    len = parley_time_format(ms, text);

    parley_buf_octet(b, '"');
    parley_buf_put(b, text, len);
    parley_buf_octet(b, '"');
}


int
parley_audit_due(parley_audit_table_t *table, int64_t clock, int64_t interval,
    int64_t *ret_wait)
{
    int64_t  last;

    last = __atomic_load_n(&table->checkpointed, __ATOMIC_ACQUIRE);

    /* a time after the clock is from before a reboot */

    if (last <= clock && clock - last < interval) {
        *ret_wait = interval - (clock - last);
        return 0;
    }

    *ret_wait = interval;

    return __atomic_compare_exchange_n(&table->checkpointed, &last, clock, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}


int
parley_audit_checkpoint(parley_audit_t *a, parley_arena_t *arena,
    const parley_jwk_t *key)
{
    return parley_audit_checkpoint_line(a, arena, key, 0);
}


static int
parley_audit_checkpoint_line(parley_audit_t *a, parley_arena_t *arena,
    const parley_jwk_t *key, int last)
{
    size_t                i;
    uint64_t              turns[PARLEY_AUDIT_SLOTS];
    parley_buf_t          b;
    parley_audit_slot_t  *slot;

    if (a->slot == NULL) {
        return -1;
    }

    parley_audit_open(a, &b, arena, "checkpoint");
    parley_audit_heads(a, &b, turns);

    if (last) {
        parley_buf_lit(&b, ",\"end\":true");
    }

    if (key != NULL) {
        parley_audit_sign(a, &b, key);
    }

    if (parley_audit_close(a, &b) != 0) {
        return -1;
    }

    for (i = 0; i < PARLEY_AUDIT_SLOTS; i++) {
        slot = &a->table->slots[i];

        if (turns[i] > __atomic_load_n(&slot->covered, __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&slot->covered, turns[i], __ATOMIC_RELEASE);
        }
    }

    /* the last line is a checkpoint, which confirms itself */

    if (last) {
        __atomic_store_n(&a->slot->covered, a->slot->turn, __ATOMIC_RELEASE);
    }

    return 0;
}


/* Writes the heads of the chains that are active, or ended after the last
   checkpoint. */

static void
parley_audit_heads(parley_audit_t *a, parley_buf_t *b,
    uint64_t turns[PARLEY_AUDIT_SLOTS])
{
    size_t                      i, n;
    parley_audit_head_t         head;
    const parley_audit_slot_t  *slot;

    parley_buf_lit(b, ",\"heads\":[");

    for (i = 0, n = 0; i < PARLEY_AUDIT_SLOTS; i++) {
        slot = &a->table->slots[i];

        if (parley_audit_slot_head(slot, &head, &turns[i]) != 0) {
            turns[i] = 0;
            continue;
        }

        if (turns[i] == __atomic_load_n(&slot->covered, __ATOMIC_ACQUIRE)
            && __atomic_load_n(&slot->process.pid, __ATOMIC_ACQUIRE) == 0)
        {
            continue;
        }

        if (n++ > 0) {
            parley_buf_octet(b, ',');
        }

        parley_audit_put_head(b, &head);
    }

    parley_buf_octet(b, ']');
}


/*
 * Signs the RFC 8785 form of the line without "sig".  If that fails, the line
 * has no signature, which the verifier reports.
 */

static void
parley_audit_sign(parley_audit_t *a, parley_buf_t *b, const parley_jwk_t *key)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX];
    parley_buf_t    canonical;
    parley_str_t    line, octets, sig;
    parley_json_t   doc;
    parley_error_t  err;

    parley_buf_lit(b, ",\"alg\":");
    (void) parley_audit_string(b, parley_signature_word(key),
                               PARLEY_AUDIT_TEXT_MAX);

    if (key->kid.len > 0) {
        parley_buf_lit(b, ",\"kid\":");
        (void) parley_audit_string(b, key->kid, key->kid.len);
    }

    parley_buf_octet(b, '}');

    if (b->failed) {
        return;
    }

    line = parley_str_make(b->data + parley_audit_begins(a),
                           b->len - parley_audit_begins(a));
    b->len--;

    if (parley_json_read(&doc, b->arena, NULL, 0, line, &err) != 0) {
        return;
    }

    parley_buf_init(&canonical, b->arena, line.len);
    parley_jcs_write(&canonical, (parley_json_ref_t) { &doc, 0 },
                     PARLEY_STR("sig"));

    if (parley_buf_done(&canonical, &octets) != 0
        || parley_signature_sign(key, octets, text, &sig, &err) != 0)
    {
        return;
    }

    parley_buf_lit(b, ",\"sig\":\"");
    parley_buf_str(b, sig);
    parley_buf_octet(b, '"');
}
