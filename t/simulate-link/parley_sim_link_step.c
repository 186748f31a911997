/* The steps of a history. */

#include "t/simulate-link/parley_sim_link.h"


static sim_input_t *
sim_any_input(sim_conn_t *c)
{
    unsigned  i, n;

    n = sim_below(SIM_INPUTS);

    for (i = 0; i < SIM_INPUTS; i++) {
        if (c->inputs[(i + n) % SIM_INPUTS].octets != NULL) {
            return &c->inputs[(i + n) % SIM_INPUTS];
        }
    }

    return NULL;
}


static void
sim_step_input(sim_conn_t *c, sim_link_verb_t verb)
{
    sim_input_t  *in;

    in = sim_any_input(c);

    if (in == NULL) {
        return;
    }

    if (verb == SIM_STEP_GIVE) {
        (void) sim_give(c, in, sim_chance(40) ? SIZE_MAX
                               : sim_below(sim_chance(50) ? 40 : 800));
        return;
    }

    parley_link_is_reset(in->st);
    sim_input_end(c, in);
    sim_after(c);
}


static void
sim_step_publish(sim_conn_t *c, sim_link_verb_t verb)
{
    unsigned               i;
    parley_moqt_message_t  m;

    i = sim_below(SIM_PUBS);

    if (verb == SIM_STEP_PUBLISH) {

        for (i = 0; i < SIM_PUBS; i++) {
            if (c->pubs[i].used && !c->pubs[i].sent) {
                sim_publish(c, &c->pubs[i]);
                return;
            }
        }

        return;
    }

    if (c->pubs[i].used && c->pubs[i].sent && !c->pubs[i].done
        && c->pubs[i].request % 2 == 0)
    {
        memset(&m, 0, sizeof(m));
        m.type = PARLEY_MOQT_PUBLISH_DONE;
        m.request = c->pubs[i].request;
        m.code = PARLEY_MOQT_DONE_TRACK_ENDED;
        c->pubs[i].done = 1;
        sim_control(c, &m);
    }
}


static void
sim_step_announce(sim_conn_t *c)
{
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(m));

    if (c->announced) {
        m.type = PARLEY_MOQT_PUBLISH_NAMESPACE_DONE;
        m.request = c->announce;
        c->announced = 0;
        sim_control(c, &m);
        return;
    }

    m.type = PARLEY_MOQT_PUBLISH_NAMESPACE;
    sim_space(&m, sim_names[c->evil && sim_chance(30) ? 1 - c->who : c->who]);
    c->announced = 1;
    sim_ask(c, &m, -1);
    sim_control(c, &m);

    if (m.request == UINT64_MAX - 1) {
        c->announced = 0;
    }
}


static sim_track_t *
sim_any_track(sim_conn_t *c, int live, int offered)
{
    unsigned      i, n;
    sim_track_t  *t;

    if (c->ntracks == 0) {
        return NULL;
    }

    n = sim_below(c->ntracks);

    for (i = 0; i < c->ntracks; i++) {
        t = &c->tracks[(i + n) % c->ntracks];

        if ((!live || t->live) && (!offered || t->offered)) {
            return t;
        }
    }

    return NULL;
}


static void
sim_step_subscribe(sim_conn_t *c)
{
    char          name[64];
    unsigned      i;
    sim_track_t  *t;

    i = sim_below(10);

    if (i < 4) {
        t = sim_any_track(c, 0, 0);

    } else if (i < 8) {
        snprintf(name, sizeof(name), "parley.s%u.cmd", sim_below(6));
        t = sim_track(c, parley_str_c(name));

    } else {
        snprintf(name, sizeof(name), "%s.%012llx.mailbox",
                 sim_names[c->evil ? sim_below(2) : c->who],
                 (unsigned long long) sim_link.logs[c->who].epoch);
        t = sim_track(c, parley_str_c(name));
    }

    if (t != NULL) {
        sim_subscribe(c, t);
    }
}


static void
sim_step_track(sim_conn_t *c, sim_link_verb_t verb)
{
    sim_track_t  *t;

    switch (verb) {

    case SIM_STEP_REPLY:

        if (sim_updated(c) || sim_want(c, sim_chance(80))) {
            return;
        }

        t = sim_any_track(c, 0, 1);

        if (t != NULL) {
            sim_accept(c, t, sim_chance(10) ? -1 : !sim_chance(15));
        }

        return;

    case SIM_STEP_UPDATE:
        t = sim_any_track(c, 1, 0);

        if (t != NULL) {
            sim_update(c, t, sim_chance(70));
        }

        return;

    default:
        t = sim_any_track(c, 1, 0);

        if (t != NULL) {
            sim_unsubscribe(c, t);
        }
    }
}


static void
sim_step_request(sim_conn_t *c, sim_link_verb_t verb)
{
    unsigned               i;
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(m));

    if (verb == SIM_STEP_CANCEL) {

        for (i = 0; i < SIM_FETCHES; i++) {
            if (c->fetches[i].used && !c->fetches[i].cancelled
                && c->fetches[i].request < UINT64_MAX - 1)
            {
                m.type = PARLEY_MOQT_FETCH_CANCEL;
                m.request = c->fetches[i].request;
                c->fetches[i].cancelled = 1;
                sim_control(c, &m);
                return;
            }
        }

        return;
    }

    if (verb == SIM_STEP_GRANT) {
        c->client.closed += 1 + sim_below(8);
        m.type = PARLEY_MOQT_MAX_REQUEST_ID;
        m.maximum = c->client.maximum_in + 2 * c->client.closed;

        if (m.maximum <= 2 * SIM_REQUESTS * 8) {
            sim_control(c, &m);
        }

        return;
    }

    sim_list(c);
}


static void
sim_step_room(sim_conn_t *c, sim_link_verb_t verb)
{
    sim_out_t    *out;
    sim_track_t  *t;

    if (verb == SIM_STEP_SLOW) {
        c->room = sim_chance(50) ? sim_below(100) : sim_below(5000);
        c->may_open = sim_below(3);

        for (out = c->outs; out != NULL; out = out->next) {
            out->room = sim_below(200);
        }

        if (sim_chance(20)) {
            c->out.room = sim_below(200);
        }

        c->listed.room = sim_below(30);

        return;
    }

    if (verb == SIM_STEP_STOP) {

        for (out = c->outs; out != NULL; out = out->next) {

            if (!out->open || sim_chance(50)) {
                continue;
            }

            out->stopped = 1;

            if (out->alias >= 0) {
                t = &c->tracks[c->aliases[out->alias].track];
                sim_tear(c, t);

            } else if (out->fetch >= 0) {
                c->fetches[out->fetch].cancelled = 1;

            } else if (out->watch >= 0) {
                c->watches[out->watch].torn = 1;

            } else {
                out->stopped = 0;
            }

            return;
        }

        return;
    }

    c->room = sim_chance(70) ? SIZE_MAX : sim_below(20000);
    c->may_open = sim_chance(80) ? 64 : 1 + sim_below(3);
    c->out.room = SIZE_MAX;
    c->listed.room = SIZE_MAX;

    for (out = c->outs; out != NULL; out = out->next) {
        out->room = sim_chance(70) ? SIZE_MAX : sim_below(8000);
    }

    sim_writable(c);
}


void
sim_step_log(sim_link_verb_t verb)
{
    unsigned    i, n;
    sim_log_t  *log;

    i = sim_below(2);
    log = &sim_link.logs[i];

    if (verb == SIM_STEP_APPEND) {
        log->last += 1 + sim_below(sim_chance(80) ? 3 : 40);

        if (log->last - log->first > SIM_RETAINED) {
            log->first = log->last - SIM_RETAINED;
        }

    } else if (verb == SIM_STEP_EPOCH) {
        log->epoch++;
        log->first = 1;
        log->last = sim_below(3);

    } else {

        /* records are lost before they come to slow connections */

        n = sim_chance(20) ? 250 + sim_below(300) : 1 + sim_below(30);
        log->last += n;
        log->first = log->last - (log->last > 10 ? sim_below(10) : 0);
    }

    for (n = 0; n < SIM_CONNS; n++) {
        if (sim_link.conns[n].number != 0 && !sim_chance(20)) {
            (void) sim_mail(&sim_link.conns[n]);
        }
    }
}


void
sim_step_conn(sim_conn_t *c, sim_link_verb_t verb)
{
    switch (verb) {

    case SIM_STEP_INIT:
        sim_init(c);
        break;

    case SIM_STEP_CMD:
        sim_cmd(c, SIM_CMD);
        break;

    case SIM_STEP_BEAT:

        if (sim_link.floods && c->flooded && sim_chance(30)) {
            sim_flood(c);

        } else {
            sim_cmd(c, SIM_BEAT);
        }

        break;

    case SIM_STEP_BYE:
        sim_cmd(c, SIM_BYE);
        break;

    case SIM_STEP_GIVE:
    case SIM_STEP_RESET:
        sim_step_input(c, verb);
        break;

    case SIM_STEP_PUBLISH:
    case SIM_STEP_UNPUBLISH:
        sim_step_publish(c, verb);
        break;

    case SIM_STEP_ANNOUNCE:
        sim_step_announce(c);
        break;

    case SIM_STEP_SUBSCRIBE:
        sim_step_subscribe(c);
        break;

    case SIM_STEP_REPLY:
    case SIM_STEP_UPDATE:
    case SIM_STEP_UNSUBSCRIBE:
        sim_step_track(c, verb);
        break;

    case SIM_STEP_FETCH:
        sim_fetch(c);
        break;

    case SIM_STEP_CANCEL:
    case SIM_STEP_GRANT:
    case SIM_STEP_LIST:
        sim_step_request(c, verb);
        break;

    case SIM_STEP_PROVE:
        (void) sim_prove(c);
        break;

    case SIM_STEP_EXPIRE:
        sim_expire(c);
        break;

    case SIM_STEP_ANSWER:
        (void) sim_answer(c);
        break;

    case SIM_STEP_SERVE:
        (void) sim_serve(c);
        break;

    case SIM_STEP_SLOW:
    case SIM_STEP_ROOM:
    case SIM_STEP_STOP:
        sim_step_room(c, verb);
        break;

    case SIM_STEP_LEAVE:
        c->left = 1;
        parley_link_leave(c->link);
        sim_after(c);
        break;

    case SIM_STEP_OFFER:
        sim_offer(c);
        break;

    case SIM_STEP_WATCH:
        sim_watch(c);
        break;

    case SIM_STEP_FILM:
        sim_film(c);
        break;

    case SIM_STEP_JOIN:
        (void) sim_join(c);
        break;

    case SIM_STEP_UNRULE:
        sim_unrule(c);
        break;

    case SIM_STEP_EVIL:
        sim_evil(c);
        break;

    case SIM_STEP_FLOOD:
        sim_flood(c);
        break;

    default:
        break;
    }
}
