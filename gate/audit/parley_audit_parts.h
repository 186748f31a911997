/* Private to gate/audit. */

#ifndef PARLEY_AUDIT_PARTS_H
#define PARLEY_AUDIT_PARTS_H

#include "gate/audit/parley_audit.h"


/* parley_audit.c */

/* parley_audit_open() begins a line, up to its event.  parley_audit_close()
   writes it, and returns 0 or -1. */
void parley_audit_open(parley_audit_t *a, parley_buf_t *b,
    parley_arena_t *arena, const char *event);
int parley_audit_close(parley_audit_t *a, parley_buf_t *b)
    __attribute__((warn_unused_result));

/* Returns where a line begins in its buffer, after a newline that ends a partly
   written line. */
size_t parley_audit_begins(const parley_audit_t *a);

/* Writes {"chain":...,"seq":...,"hash":...}. */
void parley_audit_put_head(parley_buf_t *b, const parley_audit_head_t *head);

/* Writes a time with its quotes: "2026-11-23T06:30:00Z". */
void parley_audit_put_time(parley_buf_t *b, int64_t ms);


/* parley_audit_slot.c */

/* Takes a slot for a process; NULL: none is free. */
parley_audit_slot_t *parley_audit_slot_take(parley_audit_table_t *table,
    const parley_process_t *self,
    const parley_processes_t *host);

/* Makes head the last line of the slot. */
void parley_audit_slot_publish(parley_audit_slot_t *slot,
    const parley_audit_head_t *head);


#endif /* PARLEY_AUDIT_PARTS_H */
