/* The peer judges gaps, records and answers. */

#include "t/simulate-link/parley_sim_link.h"


/* Judges a gap that is told before an object. */

void
sim_gap(const sim_conn_t *c, const sim_out_t *out, sim_track_t *t,
    const parley_moqt_object_t *o)
{
    int       gap;
    uint64_t  group, object;

    if (c->faulty) {
        return;
    }

    gap = t->ndue > 0 && (t->due[0] & SIM_GAP);
    group = out->group_gap;
    object = out->object_gap;

    if (t->any && !t->torn
        && ((group > 0 && o->group - group <= t->last.group)
            || (object > 0 && t->last.group == o->group
                && o->id - object <= t->last.object)))
    {
        sim_fail("MOQ-15: a gap is told that has objects");
    }

    /* the mailbox of an attacker may have begun with a proof that is refused */

    if (gap && !t->torn && !c->evil && group == 0 && object == 0
        && !t->ended)
    {
        sim_fail("MOQ-15: a gap before (%llu, %llu) is not told",
                 (unsigned long long) o->group, (unsigned long long) o->id);
    }

    if (!gap && !t->torn && (group > 0 || object > 65535)) {
        sim_fail("MOQ-15: a gap is told before (%llu, %llu) where none is",
                 (unsigned long long) o->group, (unsigned long long) o->id);
    }

    t->ended = 0;
}


/* A record of a mailbox; t is NULL if it was fetched. */

void
sim_mailed(sim_conn_t *c, sim_out_t *out, const parley_moq_frame_t *frame,
    sim_track_t *t, sim_fetch_t *f)
{
    char    text[SIM_RECORD];
    size_t  len;

    len = sim_record(text, t != NULL ? t->who : f->who,
                     t != NULL ? t->epoch : f->epoch, out->place);

    if (frame->session != 0 || frame->stream != (uint32_t) out->place
        || out->whole_len > len
        || memcmp(out->whole, text + len - out->whole_len, out->whole_len)
           != 0
        || (out->whole_len < len && f == NULL && !t->torn))
    {
        sim_fail("MOQ-15: another record is at the place %llu",
                 (unsigned long long) out->place);
    }

    if (f != NULL) {
        return;
    }

    /* an attacker may hide its messages in spoiled octets, and its proofs are
       refused after the mailbox has begun */

    if (t->torn || c->evil) {

        while (t->ndue > 0 && (t->due[0] & ~SIM_GAP) <= out->place) {
            memmove(t->due, t->due + 1, --t->ndue * sizeof(uint64_t));
        }

        return;
    }

    if (t->ndue == 0 || (t->due[0] & ~SIM_GAP) != out->place) {
        sim_fail("MOQ-15: the record %llu comes, and %llu is due",
                 (unsigned long long) out->place,
                 (unsigned long long) (t->ndue > 0 ? t->due[0] & ~SIM_GAP : 0));
    }

    memmove(t->due, t->due + 1, --t->ndue * sizeof(uint64_t));
}


/* A frame of a track of answers. */

void
sim_reply(sim_conn_t *c, sim_out_t *out, const parley_moq_frame_t *frame,
    sim_track_t *t)
{
    char          name[320];
    unsigned      i;
    sim_open_t   *s;
    sim_frame_t  *f;

    if (frame->stream == 0 || c->faulty) {
        return;         /* of a flood; the frame was spoiled */
    }

    if (frame->stream >= sim_link.nframes) {
        sim_fail("MOQ-17: an answer to a frame that was never sent");
    }

    f = &sim_link.frames[frame->stream];

    if (f->conn != c->number) {
        sim_fail("MOQ-12: an answer to a frame of another connection");
    }

    s = sim_open(c, frame->session);

    if (s != NULL && !s->shaky && f->id == frame->session) {

        snprintf(name, sizeof(name), "parley.%s.cmd", s->name);

        if ((f->open || f->posted > 0) && f->kind != SIM_INIT
            && strcmp(name, t->name) != 0)
        {
            sim_fail("MOQ-17: the answer to %u of %s is on the track %s",
                     frame->stream, s->name, t->name);
        }
    }

    if (f->kind == SIM_BEAT && f->id == frame->session && s != NULL
        && !s->shaky && frame->type != PARLEY_MOQ_HEARTBEAT)
    {
        sim_fail("MOQ-04: a heartbeat has an answer of another type");
    }

    sim_link_tell("%u: %s: %u %.*s", c->number, t->name, frame->stream,
                  (int) out->whole_len, (char *) out->whole);

    /* session_bye of the gateway has the Stream ID of session_init */

    out->whole[out->whole_len] = '\0';

    if (strstr((char *) out->whole, "\"session_bye\"") != NULL
        && f->kind != SIM_BYE)
    {
        if (s != NULL) {
            s->shaky = 1;
        }

        return;
    }

    if (f->kind == SIM_INIT
        && strstr((char *) out->whole, "\"session_ack\"") != NULL
        && strstr((char *) out->whole, "\"approved\"") != NULL)
    {
        if (s == NULL) {
            for (i = 0; i < SIM_NAMES && c->opens[i].id != 0; i++) {
                /* void */
            }

            if (i == SIM_NAMES) {
                return;
            }

            s = &c->opens[i];
            s->id = frame->session;
            s->shaky = c->unfit;

            /* it may have ended before the peer read that it is open */

            for (i = 0; i < sim_link.ntokens; i++) {
                s->shaky |= sim_link.tokens[i].conn == c->number
                            && sim_link.tokens[i].id == s->id
                            && sim_link.tokens[i].expired;
            }

            snprintf(s->name, sizeof(s->name), "%.*s",
                     (int) strlen(t->name) - 11, t->name + 7);

        } else if (strncmp(s->name, t->name + 7, strlen(s->name)) != 0
                   || strlen(s->name) + 11 != strlen(t->name))
        {
            s->shaky = 1;       /* the Session ID has another session now */
        }

        if (!sim_is(c, f->agent))
        {
            sim_fail("MOQ-13: a session of a second principal is open");
        }

        /* the gateway proves again for the mailbox, and tells its name */

        if (f->acked && f->mailed) {
            sim_fail("MOQ-05: session_ack comes without a session_init");
        }

        f->acked = 1;
        f->mailed = strstr((char *) out->whole, "\"mailbox\"") != NULL;
        f->answers = 0;
    }

    if (++f->answers > 1 && f->kind != SIM_INIT) {
        sim_fail("MOQ-17: the frame %u is answered twice", frame->stream);
    }
}
