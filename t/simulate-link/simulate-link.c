/* Connections of agents over MoQ (MOQ-12): see parley_sim_play.h. */

#include "t/simulate-link/parley_sim_link.h"


static const sim_row_t  sim_rows[SIM_STEP_COUNT] = {
    [SIM_STEP_CONNECT] = { "connect", 10 },
    [SIM_STEP_LOSE] = { "lose", 2 },
    [SIM_STEP_INIT] = { "init", 16 },
    [SIM_STEP_CMD] = { "cmd", 34 },
    [SIM_STEP_BEAT] = { "beat", 6 },
    [SIM_STEP_BYE] = { "bye", 4 },
    [SIM_STEP_GIVE] = { "give", 40 },
    [SIM_STEP_RESET] = { "reset", 3 },
    [SIM_STEP_PUBLISH] = { "publish", 8 },
    [SIM_STEP_ANNOUNCE] = { "announce", 4 },
    [SIM_STEP_UNPUBLISH] = { "unpublish", 2 },
    [SIM_STEP_REPLY] = { "reply", 22 },
    [SIM_STEP_SUBSCRIBE] = { "subscribe", 10 },
    [SIM_STEP_UPDATE] = { "update", 5 },
    [SIM_STEP_UNSUBSCRIBE] = { "unsubscribe", 3 },
    [SIM_STEP_FETCH] = { "fetch", 6 },
    [SIM_STEP_CANCEL] = { "cancel", 2 },
    [SIM_STEP_GRANT] = { "grant", 3 },
    [SIM_STEP_LIST] = { "list", 2 },
    [SIM_STEP_PROVE] = { "prove", 26 },
    [SIM_STEP_EXPIRE] = { "expire", 3 },
    [SIM_STEP_ANSWER] = { "answer", 26 },
    [SIM_STEP_APPEND] = { "append", 16 },
    [SIM_STEP_TRIM] = { "trim", 3 },
    [SIM_STEP_EPOCH] = { "epoch", 1 },
    [SIM_STEP_SERVE] = { "serve", 10 },
    [SIM_STEP_SLOW] = { "slow", 6 },
    [SIM_STEP_ROOM] = { "room", 12 },
    [SIM_STEP_STOP] = { "stop", 2 },
    [SIM_STEP_TIME] = { "time", 8 },
    [SIM_STEP_LEAVE] = { "leave", 1 },
    [SIM_STEP_OFFER] = { "offer", 8 },
    [SIM_STEP_WATCH] = { "watch", 10 },
    [SIM_STEP_FILM] = { "film", 24 },
    [SIM_STEP_JOIN] = { "join", 20 },
    [SIM_STEP_RELAY] = { "relay", 40 },
    [SIM_STEP_UNRULE] = { "unrule", 1 },
    [SIM_STEP_EVIL] = { "evil", 6 },
    [SIM_STEP_FLOOD] = { "flood", 1 },
};


static const sim_play_t  sim_plays[] = {
    { 0, sim_rows, SIM_STEP_COUNT, 300, sim_link_begin, sim_link_step,
      sim_link_end, sim_link_forget },
};


int
main(int argc, char **argv)
{
    return sim_play_main("simulate-link", sim_plays, 1, argc, argv);
}
