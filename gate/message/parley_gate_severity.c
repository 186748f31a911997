/* The severity of the message at the gate. */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_severity.h"
#include "translate/parley_embed.h"


/*
 * A failure is an escalation if the operator's settings give it a severity.  A
 * report of a problem is one if it goes to the sender's own parent; to another
 * recipient it is an ordinary question.
 */

parley_severity_t
parley_gate_severity(const parley_gate_t *g)
{
    parley_severity_t      alarm;
    const parley_codec_t  *sent;

    if (g->msg->act != PARLEY_ACT_REQUEST && g->msg->act != PARLEY_ACT_FAILURE
        && g->msg->act != PARLEY_ACT_EVENT)
    {
        return PARLEY_SEVERITY_NONE;
    }

    alarm = parley_severity_graver(g->msg, &g->read.supervision,
                                   parley_gate_severity_reports(g));
    sent = parley_codecs[parley_embed_kin(g->conf.gate->speak)];

    return sent->supervises != NULL && g->out.sent.alarm > alarm
           ? g->out.sent.alarm : alarm;
}


int
parley_gate_severity_reports(const parley_gate_t *g)
{
    const parley_msg_t        *m = g->msg;
    const parley_principal_t  *above;

    above = g->who->principal != NULL ? g->who->principal->above : NULL;

    return above != NULL && m->act == PARLEY_ACT_REQUEST
           && m->alarm != PARLEY_SEVERITY_NONE
           && parley_directory_by_name(g->conf.http->directory,
                                       (parley_namespace_t) m->wire,
                                       m->recipient)
              == above;
}


/* An event may escalate, too: AEE can send as an event a message that a VCP
   reader has to acknowledge. */

int
parley_gate_severity_escalates(const parley_gate_t *g)
{
    return g->who->principal != NULL
           && parley_severity_escalates(parley_gate_severity(g));
}
