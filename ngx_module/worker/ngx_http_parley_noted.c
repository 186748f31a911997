
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Steps of events of chat: their counters, and their lines in the audit log.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/message/parley_noted.h"
#include "gate/metrics/parley_counters.h"


void
ngx_http_parley_count_noted(ngx_http_parley_worker_t *worker,
    const parley_noted_t *list, const parley_noted_t *end)
{
    for ( /* void */ ; list && list != end; list = list->next) {

        if (list->cell != PARLEY_NOTED_NONE) {
            parley_count(worker->slot, list->cell, list->n);
        }

        if (list->line) {
            ngx_http_parley_audit_chat(worker, list->line);
        }
    }
}
