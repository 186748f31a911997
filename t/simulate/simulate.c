/*
 * simulate [-c [-v]] [-n HISTORIES] [-t SECONDS] [-s SEED] [VERB:ARG ...]
 *
 * Runs histories of the hub (HUB-08), or of the host of chat (-c), each from
 * one seed, until one breaks a promise.  Then shortens that history and prints
 * it so that it can be run again, as a seed and its steps.  -s: the first seed;
 * with -n 1 the only one.  -v: prints the events and answers.
 */

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "t/simulate/parley_sim_host.h"


/* seconds of CPU; a history takes some thousandths */
#define SIM_STUCK  4


typedef struct {
    const char  *name;
    unsigned     weight;
} sim_row_t;

/* a world with its steps */
typedef struct {
    const char       *option;
    const sim_row_t  *verbs;
    unsigned          nverbs;
    unsigned          steps;        /* of a history, at most */
    void            (*begin)(uint64_t seed);
    void            (*step)(const sim_step_t *step);
    void            (*end)(void);
    void            (*forget)(void);
} sim_play_t;


static const sim_row_t  sim_verbs[SIM_VERBS] = {
    [SIM_APPEND] = { "append", 30 },
    [SIM_LATER] = { "later", 30 },
    [SIM_WAKE] = { "wake", 20 },
    [SIM_TURN] = { "turn", 25 },
    [SIM_CONNECT] = { "connect", 10 },
    [SIM_DUE] = { "due", 10 },
    [SIM_ANSWER] = { "answer", 12 },
    [SIM_ASK] = { "ask", 4 },
    [SIM_ACK] = { "ack", 4 },
    [SIM_HOLD] = { "hold", 5 },
    [SIM_DISCONNECT] = { "disconnect", 3 },
    [SIM_READ] = { "read", 8 },
    [SIM_WINDOW] = { "window", 3 },
    [SIM_TIME] = { "time", 4 },
    [SIM_SLEEP] = { "sleep", 1 },
    [SIM_KILL] = { "kill", 1 },
    [SIM_CRASH] = { "crash", 2 },
    [SIM_START] = { "start", 2 },
    [SIM_RELOAD] = { "reload", 1 },
    [SIM_STALL] = { "stall", 1 },
    [SIM_ERASE] = { "erase", 1 },
    [SIM_SETTLE] = { "settle", 3 },
};


static const sim_row_t  sim_host_verbs[SIM_HOST_VERB_COUNT] = {
    [SIM_HOST_POST] = { "post", 26 },
    [SIM_HOST_ACT] = { "act", 14 },
    [SIM_HOST_SEND] = { "send", 14 },
    [SIM_HOST_LIST] = { "list", 6 },
    [SIM_HOST_ANSWER] = { "answer", 14 },
    [SIM_HOST_MEMBERS] = { "members", 3 },
    [SIM_HOST_RETRY] = { "retry", 16 },
    [SIM_HOST_OPEN] = { "open", 7 },
    [SIM_HOST_PEER] = { "peer", 5 },
    [SIM_HOST_VERBS] = { "verbs", 24 },
    [SIM_HOST_TIME] = { "time", 10 },
    [SIM_HOST_SLEEP] = { "sleep", 2 },
    [SIM_HOST_QUIT] = { "quit", 2 },
    [SIM_HOST_KILL] = { "kill", 1 },
    [SIM_HOST_CRASH] = { "crash", 8 },
    [SIM_HOST_START] = { "start", 4 },
    [SIM_HOST_RELOAD] = { "reload", 1 },
    [SIM_HOST_SETTLE] = { "settle", 6 },
};


static const sim_play_t  sim_plays[] = {
    { "", sim_verbs, SIM_VERBS, SIM_STEPS, sim_begin, sim_step, sim_end,
      sim_forget },
    { "-c ", sim_host_verbs, SIM_HOST_VERB_COUNT, SIM_STEPS / 2,
      sim_host_begin, sim_host_step, sim_host_end, sim_host_forget },
};

static const sim_play_t  *play = &sim_plays[0];
static uint64_t           sim_seed;


static sim_verb_t
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

    return (sim_verb_t) i;
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
sim_run(uint64_t seed, const sim_step_t *steps, unsigned n, char *why,
    uint64_t *received)
{
    volatile int        kept;
    volatile unsigned   i;
    struct itimerval    stuck = { { 0, 0 }, { SIM_STUCK, 0 } };

    kept = 1;
    sim_seed = seed;
    (void) setitimer(ITIMER_VIRTUAL, &stuck, NULL);

    /* the beginning depends on the seed alone and cannot fail */

    play->begin(seed);

    if (setjmp(world.failed) == 0) {

        for (i = 0; i < n; i++) {
            play->step(&steps[i]);
        }

        play->end();

    } else {
        kept = 0;
        snprintf(why, sizeof(world.why), "%s", world.why);
    }

    *received += world.received;
    play->forget();

    return kept;
}


/* Returns whether a history breaks the promise of that reason. */

static int
sim_breaks(uint64_t seed, const sim_step_t *steps, unsigned n, char *why)
{
    size_t    len;
    char      now[sizeof(world.why)];
    uint64_t  received;

    received = 0;
    len = strcspn(why, ":");

    if (sim_run(seed, steps, n, now, &received)
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
        steps[n].verb = (sim_verb_t) verb;
        steps[n].arg = *end == ':' ? strtoull(end + 1, &end, 16) : 0;

        if (verb == play->nverbs || *end != '\0') {
            fprintf(stderr, "simulate: no step: %s\n", words[n]);
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

    printf("%u steps are enough: %s\n\n  simulate %s-s %llu", n, why,
           play->option, (unsigned long long) seed);

    for (i = 0; i < n; i++) {
        printf(" \\\n    %s:%llx", play->verbs[steps[i].verb].name,
               (unsigned long long) steps[i].arg);
    }

    printf("\n");

    return 1;
}


int
main(int argc, char **argv)
{
    int         c;
    char        why[512];
    long        histories, seconds, done;
    time_t      end;
    uint64_t    seed, received;
    unsigned    n;
    sim_step_t  steps[SIM_STEPS];

    histories = 1000;
    seconds = 0;
    seed = 1;

    while ((c = getopt(argc, argv, "cn:t:s:v")) != -1) {
        switch (c) {

        case 'c':
            play = &sim_plays[1];
            break;

        case 'v':
            sim_host_told++;
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
            fprintf(stderr, "usage: simulate [-c [-v]] [-n HISTORIES] "
                            "[-t SECONDS] [-s SEED] [VERB:ARG ...]\n");
            return 2;
        }
    }

    setvbuf(stdout, NULL, _IOLBF, 0);
    (void) signal(SIGVTALRM, sim_stuck);

    received = 0;
    end = time(NULL) + seconds;

    if (optind < argc) {
        n = sim_read(argv + optind, steps);

        return sim_run(seed, steps, n, why, &received)
               ? 0 : sim_broken(seed, steps, n, why);
    }

    for (done = 0; seconds != 0 ? time(NULL) < end : done < histories;
         done++, seed++)
    {
        n = sim_history(seed, steps);

        if (!sim_run(seed, steps, n, why, &received)) {
            return sim_broken(seed, steps, n, why);
        }
    }

    printf("%ld histories, %llu events, the last seed %llu: all is well\n",
           done, (unsigned long long) received,
           (unsigned long long) (seed - 1));

    return 0;
}
