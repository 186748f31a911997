#include "translate/parley_severity.h"
#include "translate/parley_embed.h"


parley_severity_t
parley_severity_of(const parley_msg_t *m, int reports)
{
    parley_supervision_t  means;

    parley_embed_supervision(m, &means);

    return parley_severity_graver(m, &means, reports);
}


parley_severity_t
parley_severity_graver(const parley_msg_t *m, const parley_supervision_t *means,
    int reports)
{
    return reports && m->alarm > means->alarm ? m->alarm : means->alarm;
}
