/* Reads the roster of a principal, page by page. */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_expand.h"


int
parley_gate_publish_roster(parley_gate_t *g, parley_str_t address, size_t max,
    uint32_t *at, parley_roster_page_t *ret)
{
    int              rc;
    uint8_t          log[PARLEY_KEY_LEN];
    parley_roster_t  asked;

    memset(&asked, 0, sizeof(parley_roster_t));

    parley_expand_log(g->ask.state, address, log);

    asked.log = log;
    asked.at = *at;
    asked.max = max;
    asked.arena = g->arena;

    rc = parley_ask_roster(&g->ask, &asked, ret);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    *at = ret->next;

    return 0;
}
