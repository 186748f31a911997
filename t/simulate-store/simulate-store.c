/* The store of several nodes (CLU-17): see parley_sim_play.h. */

#include "t/simulate-store/parley_sim_store.h"


static const sim_row_t  sim_rows[SIM_STEP_COUNT] = {
    [SIM_STEP_MESSAGE] = { "message", 30 },
    [SIM_STEP_TICKET] = { "ticket", 8 },
    [SIM_STEP_ASK] = { "ask", 8 },
    [SIM_STEP_ANSWER] = { "answer", 16 },
    [SIM_STEP_SUBMIT] = { "submit", 14 },
    [SIM_STEP_APPEND] = { "append", 12 },
    [SIM_STEP_JOIN] = { "join", 8 },
    [SIM_STEP_LEAVE] = { "leave", 4 },
    [SIM_STEP_CANCEL] = { "cancel", 3 },
    [SIM_STEP_TIME] = { "time", 20 },
    [SIM_STEP_SLEEP] = { "sleep", 2 },
    [SIM_STEP_CUT] = { "cut", 6 },
    [SIM_STEP_FREEZE] = { "freeze", 4 },
    [SIM_STEP_PAUSE] = { "pause", 2 },
    [SIM_STEP_STOP] = { "stop", 2 },
    [SIM_STEP_KILL] = { "kill", 2 },
    [SIM_STEP_DIE] = { "die", 1 },
    [SIM_STEP_QUIT] = { "quit", 2 },
    [SIM_STEP_START] = { "start", 3 },
    [SIM_STEP_FAIL_OVER] = { "failover", 1 },
    [SIM_STEP_RESTART] = { "restart", 1 },
    [SIM_STEP_FLUSH] = { "flush", 1 },
    [SIM_STEP_FULL] = { "full", 1 },
};


static const sim_play_t  sim_plays[] = {
    { 0, sim_rows, SIM_STEP_COUNT, 160, sim_store_begin, sim_store_step,
      sim_store_end, sim_store_forget },
};


int
main(int argc, char **argv)
{
    return sim_play_main("simulate-store", sim_plays, 1, argc, argv);
}
