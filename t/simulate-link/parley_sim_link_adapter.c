/* Work of the adapter: it ends proofs, answers commands, and passes records. */

#include "t/simulate-link/parley_sim_link.h"


/* Tells a link that its mailbox continues, and which gap it has. */

static void
sim_continue(sim_conn_t *c, uint64_t epoch, uint64_t offset, int gap)
{
    parley_place_t  place;

    memset(&place, 0, sizeof(place));

    place.epoch = epoch;
    place.offset = offset;

    c->place = place;
    c->mail_waits = 0;

    if (c->high.epoch != epoch) {
        c->high = place;
        c->gap = 0;
        c->gaps = 0;

    } else {
        c->gap = offset > c->high.offset;

        if (c->gap) {
            c->gaps |= UINT64_C(1) << (c->high.offset / 256 % 64);
        }
    }

    parley_link_mailbox(c->link, &place, gap);
    sim_after(c);
}


int
sim_prove(sim_conn_t *c)
{
    char                   text[8];
    unsigned               i, n;
    uint64_t               offset;
    sim_log_t             *log;
    sim_proof_t           *p;
    sim_token_t           *t;
    parley_link_proved_t   proved;
    parley_link_session_t *session;

    n = sim_below(SIM_PROOFS);

    for (i = 0; i < SIM_PROOFS; i++) {
        if (c->proofs[(i + n) % SIM_PROOFS].pending) {
            break;
        }
    }

    if (i == SIM_PROOFS || c->closed) {
        return 0;
    }

    p = &c->proofs[(i + n) % SIM_PROOFS];
    t = &sim_link.tokens[p->next];

    snprintf(text, sizeof(text), "%c-%03u", "abx"[t->who], p->next);

    if (p->next > 0 && !c->faulty
        && !parley_str_eq(p->octets, parley_str_c(text)))
    {
        sim_fail("MOQ-06: the token has changed during its proof");
    }

    memset(&proved, 0, sizeof(proved));

    p->pending = 0;
    session = p->session;

    if (t->who == 2 || t->expired) {
        proved.status = 401;
        proved.code = PARLEY_STR("token-expired");
        proved.message = PARLEY_STR("the token has expired");
        proved.expired = sim_chance(50) & 1;
        c->unfit |= session == NULL;

        if (!p->proved) {
            p->used = 0;
        }

    } else {
        proved.principal = parley_str_c(sim_names[t->who]);
        proved.agent = proved.principal;

        t->proved = 1;
        p->proved = 1;
        p->token = p->next;
        c->proved = 1;

        if (p->listens && c->listener == -1
            && (parley_link_principal(c->link).len == 0
                || parley_str_eq(parley_link_principal(c->link),
                                 proved.principal)))
        {
            log = &sim_link.logs[t->who];
            offset = log->last;

            if (c->high.epoch == log->epoch && sim_chance(60)) {
                offset = c->high.offset > 3 ? c->high.offset - sim_below(3)
                                            : c->high.offset;
            }

            c->listener = (int) (p - c->proofs);
            sim_continue(c, log->epoch, offset, 0);
        }
    }

    sim_link_tell("%u: proof of %s: %d", c->number, text, proved.status);

    if (!c->closed) {
        parley_link_proved(c->link, session, &proved);
        sim_after(c);
    }

    return 1;
}


void
sim_expire(sim_conn_t *c)
{
    unsigned               i, j, n;
    sim_proof_t           *p;
    parley_link_session_t *session;

    n = sim_below(SIM_PROOFS);

    for (i = 0; i < SIM_PROOFS; i++) {
        p = &c->proofs[(i + n) % SIM_PROOFS];

        if (p->used && p->proved) {
            break;
        }
    }

    if (i == SIM_PROOFS) {
        return;
    }

    session = p->session;
    sim_link.tokens[p->token].expired = 1;

    sim_link_tell("%u: token %u expires", c->number, p->token);

    for (j = 0; j < SIM_NAMES; j++) {
        if (session == NULL
            || c->opens[j].id == sim_link.tokens[p->token].id
            || sim_link.tokens[p->token].id == 0)
        {
            c->opens[j].shaky = 1;
        }
    }

    if (session == NULL) {
        c->unfit = 1;

        if (c->listener == (int) (p - c->proofs)) {
            c->listener = -1;
        }

        p->used = 0;
        p->proved = 0;
    }

    parley_link_expired(c->link, session, 401,
                        PARLEY_STR("the token has expired"));
    sim_after(c);
}


int
sim_answer(sim_conn_t *c)
{
    int                  status;
    char                 body[SIM_ANSWER + 64];
    size_t               len;
    unsigned             i;
    sim_frame_t         *f;
    parley_link_post_t  *post;

    static const int  statuses[] = { 200, 202, 400, 401, 403, 429, 502 };

    if (c->nposts == 0 || c->closed) {
        return 0;
    }

    i = sim_below(c->nposts);
    post = c->posts[i];
    c->posts[i] = c->posts[--c->nposts];

    f = &sim_link.frames[c->faulty ? 0 : post->stream];
    f->due = post->session != NULL;

    status = statuses[sim_below(7)];
    len = 0;

    if (sim_chance(70)) {
        len = (size_t) snprintf(body, 64, "{\"action\":\"do\",\"n\":%u,"
                                "\"p\":\"", post->stream);
        i = sim_chance(15) ? sim_below(SIM_ANSWER) : sim_below(40);
        memset(body + len, 'y', i);
        len += i;
        body[len++] = '"';
        body[len++] = '}';

    } else if (sim_chance(50)) {
        len = (size_t) snprintf(body, 64, "<html>%d</html>", status);
    }

    sim_link_tell("%u: command %u is answered", c->number, post->stream);

    parley_link_answered(c->link, post, status, parley_str_make(body, len));
    sim_after(c);

    return 1;
}


size_t
sim_record(char *text, unsigned who, uint64_t epoch, uint64_t offset)
{
    size_t  len, pad;

    len = (size_t) snprintf(text, 96, "{\"to\":\"%s\",\"epoch\":%llu,"
                            "\"n\":%llu,\"p\":\"", sim_names[who],
                            (unsigned long long) epoch,
                            (unsigned long long) offset);
    pad = offset % 7 == 0 ? 2900 : offset % 60;

    memset(text + len, 'x', pad);
    memcpy(text + len + pad, "\"}", 3);

    return len + pad + 2;
}


int
sim_serve(sim_conn_t *c)
{
    char             text[SIM_RECORD];
    size_t           len;
    unsigned         i, n, done;
    sim_log_t       *log;
    sim_fetch_t     *f;
    parley_place_t   place;

    parley_link_fetch_t  *fetch;

    for (i = 0, done = 0; i < SIM_FETCHES && !c->closed; i++) {

        f = &c->fetches[i];

        for (n = sim_below(30); n > 0 && f->fetch != NULL && !c->closed; n--) {

            log = &sim_link.logs[f->who];
            fetch = f->fetch;

            if (log->epoch != f->epoch || log->first > f->at + 1) {
                f->lost = 1;
                f->fetch = NULL;
                parley_link_fetched(c->link, fetch, 1, log->first);
                done = 1;

            } else if (f->at >= fetch->last || f->at >= log->last) {
                f->fetch = NULL;
                parley_link_fetched(c->link, fetch, 0, 0);
                done = 1;

            } else {
                memset(&place, 0, sizeof(place));
                place.epoch = f->epoch;
                place.offset = f->at + 1;
                len = sim_record(text, f->who, place.epoch, place.offset);

                if (parley_link_fetch_mail(c->link, fetch, &place,
                                           parley_str_make(text, len)) == 0)
                {
                    n = 1;

                } else {
                    f->at++;
                    done = 1;
                }
            }

            sim_after(c);
        }
    }

    return (int) done;
}


/* Notes that a record must come. */

static void
sim_mail_due(sim_conn_t *c, const parley_place_t *place)
{
    unsigned                i;
    sim_track_t            *t;
    parley_moqt_location_t  at;

    at.group = place->offset / 256;
    at.object = place->offset % 256 * 65536;

    for (i = 0; i < c->ntracks; i++) {
        t = &c->tracks[i];

        if (t->mailbox && t->asked) {
            sim_tear(c, t);     /* the gateway may have answered */
        }

        if (t->mailbox && t->live && t->forward && t->epoch == place->epoch
            && at.group <= t->end)
        {
            if (t->ndue == SIM_DUE) {
                sim_fail("MOQ-16: the link takes %d records that no peer "
                         "reads", SIM_DUE);
            }

            t->due[t->ndue++] = place->offset | (c->gap ? SIM_GAP : 0);
        }
    }

    c->gap = 0;
}


int
sim_mail(sim_conn_t *c)
{
    int               done;
    char              text[SIM_RECORD];
    size_t            len;
    unsigned          who;
    sim_log_t        *log;
    parley_place_t    place;

    done = 0;

    if (c->listener == -1 || c->closed) {
        return 0;
    }

    who = sim_is(c, 1);
    log = &sim_link.logs[who];

    if (log->epoch != c->place.epoch) {
        sim_continue(c, log->epoch, log->first - 1, 1);
        done = 1;

    } else if (log->first > c->place.offset + 1) {
        sim_continue(c, log->epoch, log->first - 1, 1);
        done = 1;
    }

    while (!c->closed && !c->mail_waits && c->place.offset < log->last) {

        place = c->place;
        place.offset++;
        len = sim_record(text, who, place.epoch, place.offset);

        if (parley_link_mail(c->link, &place, parley_str_make(text, len))
            == 0)
        {
            c->mail_waits = 1;
            c->resumed = 0;

        } else {
            c->place = place;
            done = 1;

            if (place.offset > c->high.offset) {
                c->high = place;
                sim_mail_due(c, &place);
            }
        }

        sim_after(c);
    }

    return done;
}


/* Streams take octets again. */

void
sim_writable(sim_conn_t *c)
{
    int         choked;
    sim_out_t  *out;

    choked = c->out.choked || c->no_open || c->listed.choked;

    for (out = c->outs; out != NULL; out = out->next) {
        choked |= out->choked;
        out->choked = 0;
    }

    c->out.choked = 0;
    c->listed.choked = 0;
    c->no_open = 0;

    if (choked && !c->closed) {
        parley_link_writable(c->link);
        c->mail_waits = 0;
        sim_after(c);
    }
}
