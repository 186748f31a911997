/*
 * Declarations shared by parley_attention.c (the table and the caps) and
 * parley_attention_find.c (the parties).  Private to them.
 */

#ifndef PARLEY_ATTENTION_PARTS_H
#define PARLEY_ATTENTION_PARTS_H

#include "gate/host/parley_attention.h"


/* facts of an event */
#define PARLEY_ATTENTION_IS_SILENT    0x00001
#define PARLEY_ATTENTION_IS_STATUS    0x00002
#define PARLEY_ATTENTION_IS_REACTION  0x00004
#define PARLEY_ATTENTION_IS_VERDICT   0x00008   /* agree, declined */
#define PARLEY_ATTENTION_IS_TURN      0x00010   /* these, and done, blocked,
                                                   unclear */
#define PARLEY_ATTENTION_IS_STATE     0x00020   /* other signals */
#define PARLEY_ATTENTION_IS_THANKS    0x00040
#define PARLEY_ATTENTION_IS_TASK      0x00080
#define PARLEY_ATTENTION_IS_QUESTION  0x00100
#define PARLEY_ATTENTION_IS_NOW       0x00200   /* a task that cannot wait */
#define PARLEY_ATTENTION_IS_URGENT    0x00400
#define PARLEY_ATTENTION_BY_AGENT     0x00800
#define PARLEY_ATTENTION_FOR_ROLE     0x01000   /* declared to_my_role */
#define PARLEY_ATTENTION_TARGETED     0x02000   /* has a recipient or mention */

/* facts of a party */
#define PARLEY_ATTENTION_AUTHOR       0x04000
#define PARLEY_ATTENTION_SUBJECT      0x08000   /* wrote the message that the
                                                   event is about */
#define PARLEY_ATTENTION_OBLIGER      0x10000   /* and it obliged the author */
#define PARLEY_ATTENTION_ADDRESSED    0x20000
#define PARLEY_ATTENTION_PARTNER      0x40000   /* in a DM */
#define PARLEY_ATTENTION_FIRST        0x80000   /* a mentioned human, or the
                                                   first mentioned agent */
#define PARLEY_ATTENTION_MENTIONED    0x100000
#define PARLEY_ATTENTION_HAS_ROLE     0x200000
#define PARLEY_ATTENTION_TAKES_PART   0x400000


/* Returns the facts of a principal; 0 if it is not a party. */
uint32_t parley_attention_facts(const parley_attention_t *a,
    const parley_principal_t *p);

/*
 * Returns whether a principal is a human, by its name in chat, or by its other
 * names if it has no name there.  A principal that acts for another is not a
 * human.
 */
int parley_attention_is_human(const parley_principal_t *p);


#endif /* PARLEY_ATTENTION_PARTS_H */
