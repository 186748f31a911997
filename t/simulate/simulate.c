/* The hub (HUB-08), and with -c the host of chat: see parley_sim_play.h. */

#include "t/simulate/parley_sim_host.h"


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
    { 0, sim_verbs, SIM_VERBS, SIM_STEPS, sim_begin, sim_step, sim_end,
      sim_forget },
    { 'c', sim_host_verbs, SIM_HOST_VERB_COUNT, SIM_STEPS / 2,
      sim_host_begin, sim_host_step, sim_host_end, sim_host_forget },
};


int
main(int argc, char **argv)
{
    return sim_play_main("simulate", sim_plays, 2, argc, argv);
}
