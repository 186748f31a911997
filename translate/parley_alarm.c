#include "translate/parley_alarm.h"
#include "translate/parley_embed.h"


parley_alarm_t
parley_alarm_of(const parley_msg_t *m, int reports)
{
    parley_supervision_t  means;

    parley_embed_supervision(m, &means);

    return parley_alarm_graver(m, &means, reports);
}


parley_alarm_t
parley_alarm_graver(const parley_msg_t *m, const parley_supervision_t *means,
    int reports)
{
    return reports && m->alarm > means->alarm ? m->alarm : means->alarm;
}
