/* The counters that a message adds to. */

#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_settings.h"
#include "gate/message/parley_tally.h"
#include "auth/parley_token_cache.h"


_Static_assert((int) PARLEY_L_WHOSE_GATEWAY == PARLEY_WHOSE_GATEWAY
               && (int) PARLEY_L_WHOSE_UPSTREAM == PARLEY_WHOSE_UPSTREAM
               && (int) PARLEY_L_WHOSE_OTHER == PARLEY_WHOSE_OTHER,
               "the labels are those of parley_whose_t");


static int parley_tally_is_message(const parley_gate_t *g);
static void parley_tally_request(parley_slot_t *slot, const parley_gate_t *g);
static void parley_tally_published(parley_slot_t *slot,
    const parley_gate_t *g);
static void parley_tally_refusal(parley_slot_t *slot, const parley_gate_t *g,
    unsigned by);


void
parley_tally_verdict(parley_slot_t *slot, const parley_gate_t *g)
{
    if (!parley_tally_is_message(g)) {
        parley_tally_request(slot, g);
        return;
    }

    parley_count(slot, parley_cell_message(g->read.proto, g->conf.gate->speak,
                                           g->report.verdict), 1);

    switch (g->report.verdict) {

    case PARLEY_VERDICT_DRY_REFUSED:
        parley_tally_refusal(slot, g, PARLEY_L_BY_DRY_RUN);

        /* fall through */

    case PARLEY_VERDICT_PASSED:
    case PARLEY_VERDICT_DRY_PASSED:
        parley_count(slot, PARLEY_M_IN_FLIGHT, 1);
        parley_count(slot, PARLEY_M_LOST, g->loss->count);
        return;

    case PARLEY_VERDICT_REFUSED:
        parley_tally_refusal(slot, g, PARLEY_L_BY_GATEWAY);

        if (g->admit.first.text.len > 0) {
            parley_count(slot, PARLEY_M_REPLAYED, 1);
        }

        /* fall through */

    default:

        if (g->publish.published) {
            parley_tally_published(slot, g);
        }

        parley_count(slot, PARLEY_M_ANSWERS
                           + (unsigned) parley_verdict_whose(
                                            g->report.verdict), 1);
    }
}


/* Counts a request without a message. */

static void
parley_tally_request(parley_slot_t *slot, const parley_gate_t *g)
{
    parley_verdict_t  verdict = g->report.verdict;

    if (g->conf.s->proves || g->serve.relays) {
        parley_count(slot, PARLEY_M_REQUESTS + (unsigned) verdict - 1, 1);
    }

    if (verdict == PARLEY_VERDICT_REFUSED
        || verdict == PARLEY_VERDICT_DRY_REFUSED)
    {
        parley_tally_refusal(slot, g, verdict == PARLEY_VERDICT_REFUSED
                                      ? PARLEY_L_BY_GATEWAY
                                      : PARLEY_L_BY_DRY_RUN);
    }
}


/* Requests that open a stream, list or ask bring no message, nor does a GET
   that looks for a stream (MCP-02). */

static int
parley_tally_is_message(const parley_gate_t *g)
{
    if (g->report.verdict == PARLEY_VERDICT_REFUSED
        && g->err->code == PARLEY_E_METHOD_NOT_ALLOWED)
    {
        return 0;
    }

    if (g->serve.relays) {
        return 0;
    }

    if (g->serve.mcp != NULL) {
        return g->serve.mcp->verb != NULL
               && g->serve.mcp->verb->does < PARLEY_CHANNEL_DOES_ROSTER;
    }

    return parley_settings_endpoint(g->conf.s) == PARLEY_ENDPOINT_NONE;
}


void
parley_tally_outcome(parley_slot_t *slot, const parley_gate_t *g,
    const parley_outcome_t *outcome)
{
    parley_whose_t  whose;

    parley_count(slot, parley_cell_outcome(g->read.proto, g->conf.gate->speak,
                                           outcome->kind), 1);
    parley_count(slot, PARLEY_M_IN_FLIGHT, (uint64_t) -1);

    switch (outcome->kind) {

    case PARLEY_OUTCOME_FAILED:
        whose = parley_verdict_failure_whose(g->err->code);
        parley_tally_refusal(slot, g, whose == PARLEY_WHOSE_UPSTREAM
                                      ? PARLEY_L_BY_UPSTREAM
                                      : PARLEY_L_BY_GATEWAY);
        break;

    case PARLEY_OUTCOME_REFUSED:
        parley_tally_refusal(slot, g, PARLEY_L_BY_GATEWAY);
        whose = PARLEY_WHOSE_GATEWAY;
        break;

    case PARLEY_OUTCOME_LOST:
        whose = PARLEY_WHOSE_OTHER;
        break;

    default:
        whose = PARLEY_WHOSE_UPSTREAM;
    }

    parley_count(slot, PARLEY_M_ANSWERS + (unsigned) whose, 1);
}


static void
parley_tally_published(parley_slot_t *slot, const parley_gate_t *g)
{
    parley_count(slot, PARLEY_M_PUBLISHED, 1);
    parley_count(slot, PARLEY_M_EMITTED, (uint64_t) g->publish.emitted);

    if (parley_str_is(g->msg->intent, PARLEY_INTENT_DECLARE)) {
        parley_count(slot, PARLEY_M_DECLARED, 1);

    } else if (parley_str_is(g->msg->intent, PARLEY_INTENT_FLUSH)) {
        parley_count(slot, PARLEY_M_FLUSHES, 1);
    }
}


static void
parley_tally_refusal(parley_slot_t *slot, const parley_gate_t *g, unsigned by)
{
    parley_count(slot, parley_cell_refusal(g->err->code, by), 1);
}


void
parley_tally_tokens(parley_slot_t *slot, const parley_token_cache_t *tokens,
    parley_token_cache_stat_t *before)
{
    parley_token_cache_stat_t  now;

    parley_token_cache_stat(tokens, &now);

    parley_count(slot, PARLEY_M_TOKENS + PARLEY_L_CACHE_HIT,
                 now.hits - before->hits);
    parley_count(slot, PARLEY_M_TOKENS + PARLEY_L_CACHE_MISS,
                 now.misses - before->misses);
    parley_count_level(slot, PARLEY_M_TOKEN_ENTRIES, now.entries);
    parley_count_level(slot, PARLEY_M_TOKEN_OCTETS, now.octets);

    *before = now;
}
