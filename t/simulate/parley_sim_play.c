/* Draws, runs, shortens and prints histories. */

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "t/simulate/parley_sim_play.h"


/* seconds of CPU; a history takes some thousandths */
#define SIM_STUCK  4


sim_run_t  sim_run;

static const sim_play_t  *play;
static const char        *sim_name;
static uint64_t           sim_seed;


void
sim_fail(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    vsnprintf(sim_run.why, sizeof(sim_run.why), fmt, args);
    va_end(args);

    longjmp(sim_run.failed, 1);
}


static unsigned
sim_draw(parley_test_random_t *r)
{
    unsigned  i, n, sum;

    sum = 0;

    for (i = 0; i < play->nverbs; i++) {
        sum += play->verbs[i].weight;
    }

    n = parley_test_below(r, sum);

    for (i = 0; n >= play->verbs[i].weight; i++) {
        n -= play->verbs[i].weight;
    }

    return i;
}


static unsigned
sim_history(uint64_t seed, sim_step_t *steps)
{
    unsigned              i, n;
    parley_test_random_t  r;

    r.state = seed ^ 0x5bd1e995;
    n = 20 + parley_test_below(&r, play->steps - 20);

    for (i = 0; i < n; i++) {
        steps[i].verb = sim_draw(&r);
        steps[i].arg = parley_test_random(&r);
    }

    return n;
}


/*
 * Ends the program: a broken state may not end, and then it cannot be
 * shortened.
 */

static void
sim_stuck(int signo)
{
    char    text[64];
    size_t  n;

    (void) signo;

    n = (size_t) snprintf(text, sizeof(text),
                          "seed %llu: does not come to an end\n",
                          (unsigned long long) sim_seed);

    _exit(write(STDOUT_FILENO, text, n) == (ssize_t) n ? 1 : 2);
}


/* Returns whether the history kept all promises; if not, why has the reason. */

static int
sim_try(uint64_t seed, const sim_step_t *steps, unsigned n, char *why,
    uint64_t *received)
{
    volatile int        kept;
    volatile unsigned   i;
    struct itimerval    stuck = { { 0, 0 }, { SIM_STUCK, 0 } };

    kept = 1;
    sim_seed = seed;
    (void) setitimer(ITIMER_VIRTUAL, &stuck, NULL);

    /* the beginning depends on the seed alone and cannot fail */

    sim_run.received = 0;
    play->begin(seed);

    if (setjmp(sim_run.failed) == 0) {

        for (i = 0; i < n; i++) {
            play->step(&steps[i]);
        }

        play->end();

    } else {
        kept = 0;
        snprintf(why, sizeof(sim_run.why), "%s", sim_run.why);
    }

    *received += sim_run.received;
    play->forget();

    return kept;
}


/* Returns whether a history breaks the promise of that reason. */

static int
sim_breaks(uint64_t seed, const sim_step_t *steps, unsigned n, char *why)
{
    size_t    len;
    char      now[sizeof(sim_run.why)];
    uint64_t  received;

    received = 0;
    len = strcspn(why, ":");

    if (sim_try(seed, steps, n, now, &received)
        || strncmp(now, why, len) != 0)
    {
        return 0;
    }

    memcpy(why, now, sizeof(now));

    return 1;
}


/* Finds a shorter history that breaks the same promise. */

static unsigned
sim_shrink(uint64_t seed, sim_step_t *steps, unsigned n, char *why)
{
    unsigned    at, size;
    sim_step_t  fewer[SIM_STEPS];

    for (size = n / 2; size != 0; size /= 2) {

        for (at = 0; at + size <= n; /* void */ ) {

            memcpy(fewer, steps, at * sizeof(sim_step_t));
            memcpy(fewer + at, steps + at + size,
                   (n - at - size) * sizeof(sim_step_t));

            if (!sim_breaks(seed, fewer, n - size, why)) {
                at += size;
                continue;
            }

            n -= size;
            memcpy(steps, fewer, n * sizeof(sim_step_t));
        }
    }

    return n;
}


/* Reads steps as they were printed. */

static unsigned
sim_read(char **words, sim_step_t *steps)
{
    char      *end;
    size_t     len;
    unsigned   n, verb;

    for (n = 0; words[n] != NULL && n < SIM_STEPS; n++) {

        len = strcspn(words[n], ":");

        for (verb = 0; verb < play->nverbs; verb++) {
            if (strlen(play->verbs[verb].name) == len
                && memcmp(play->verbs[verb].name, words[n], len) == 0)
            {
                break;
            }
        }

        end = words[n] + len;
        steps[n].verb = verb;
        steps[n].arg = *end == ':' ? strtoull(end + 1, &end, 16) : 0;

        if (verb == play->nverbs || *end != '\0') {
            fprintf(stderr, "%s: no step: %s\n", sim_name, words[n]);
            exit(2);
        }
    }

    return n;
}


static int
sim_broken(uint64_t seed, sim_step_t *steps, unsigned n, char *why)
{
    unsigned  i;

    printf("seed %llu: %s\n", (unsigned long long) seed, why);

    n = sim_shrink(seed, steps, n, why);

    printf("%u steps are enough: %s\n\n  %s ", n, why, sim_name);

    if (play->option != 0) {
        printf("-%c ", play->option);
    }

    printf("-s %llu", (unsigned long long) seed);

    for (i = 0; i < n; i++) {
        printf(" \\\n    %s:%llx", play->verbs[steps[i].verb].name,
               (unsigned long long) steps[i].arg);
    }

    printf("\n");

    return 1;
}


int
sim_play_main(const char *name, const sim_play_t *plays, size_t nplays,
    int argc, char **argv)
{
    int         c;
    char        options[32];
    size_t      i;
    char        why[512];
    long        histories, seconds, done;
    time_t      end;
    uint64_t    seed, received;
    unsigned    n;
    sim_step_t  steps[SIM_STEPS];

    sim_name = name;
    play = plays;
    histories = 1000;
    seconds = 0;
    seed = 1;

    strcpy(options, "n:t:s:v");

    for (i = 0; i < nplays; i++) {
        strncat(options, &plays[i].option, 1);
    }

    while ((c = getopt(argc, argv, options)) != -1) {

        for (i = 0; i < nplays && plays[i].option != c; i++) {
            /* void */
        }

        if (i < nplays) {
            play = &plays[i];
            continue;
        }

        switch (c) {

        case 'v':
            sim_run.told++;
            break;

        case 'n':
            histories = strtol(optarg, NULL, 10);
            break;

        case 't':
            seconds = strtol(optarg, NULL, 10);
            break;

        case 's':
            seed = strtoull(optarg, NULL, 10);
            break;

        default:
            fprintf(stderr, "usage: %s [-v] [-n HISTORIES] [-t SECONDS] "
                            "[-s SEED] [VERB:ARG ...]\n", name);
            return 2;
        }
    }

    setvbuf(stdout, NULL, _IOLBF, 0);
    (void) signal(SIGVTALRM, sim_stuck);

    received = 0;
    end = time(NULL) + seconds;

    if (optind < argc) {
        n = sim_read(argv + optind, steps);

        return sim_try(seed, steps, n, why, &received)
               ? 0 : sim_broken(seed, steps, n, why);
    }

    for (done = 0; seconds != 0 ? time(NULL) < end : done < histories;
         done++, seed++)
    {
        n = sim_history(seed, steps);

        if (!sim_try(seed, steps, n, why, &received)) {
            return sim_broken(seed, steps, n, why);
        }
    }

    printf("%ld histories, %llu events, the last seed %llu: all is well\n",
           done, (unsigned long long) received,
           (unsigned long long) (seed - 1));

    return 0;
}
