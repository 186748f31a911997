/*
 * The program of a simulation:
 *
 *   NAME [-c] [-v] [-n HISTORIES] [-t SECONDS] [-s SEED] [VERB:ARG ...]
 *
 * Runs histories, each from one seed, until one breaks a promise.  Then
 * shortens that history and prints it so that it can be run again, as a seed
 * and its steps.  A letter such as -c selects another play.  -s: the first
 * seed; with -n 1 the only one.  -v: prints the events.
 *
 * A history is a list of steps that follow from a seed.  The effect of a step
 * depends on the steps before it, so any part of a history is a history too.
 */

#ifndef PARLEY_SIM_PLAY_H
#define PARLEY_SIM_PLAY_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "t/unit/parley_test_random.h"


#define SIM_STEPS  400


typedef struct {
    unsigned  verb;
    uint64_t  arg;
} sim_step_t;


typedef struct {
    const char  *name;
    unsigned     weight;
} sim_row_t;


/* a world with its steps */
typedef struct {
    char              option;           /* letter that selects it; 0: none */
    const sim_row_t  *verbs;
    unsigned          nverbs;
    unsigned          steps;            /* steps of a history, at most */
    void            (*begin)(uint64_t seed);
    void            (*step)(const sim_step_t *step);
    void            (*end)(void);
    void            (*forget)(void);
} sim_play_t;


/* the history that runs */
typedef struct {
    jmp_buf   failed;
    char      why[512];
    uint64_t  received;                 /* events, for the last line */
    unsigned  told;                     /* -v was given */
} sim_run_t;


extern sim_run_t  sim_run;


/* Ends the history: a promise is broken.  The text up to a colon names it. */
void sim_fail(const char *fmt, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* The program; returns its status. */
int sim_play_main(const char *name, const sim_play_t *plays, size_t n,
    int argc, char **argv);


#endif /* PARLEY_SIM_PLAY_H */
