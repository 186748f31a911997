/* Names of verdicts and outcomes. */

#include "gate/correlation/parley_verdict.h"


static const struct {
    parley_str_t    name;
    parley_whose_t  whose;
} parley_verdicts[PARLEY_VERDICT_COUNT] = {
    [PARLEY_VERDICT_NONE] = { { NULL, 0 }, PARLEY_WHOSE_OTHER },
#define PARLEY_VERDICT(id, word, by)                                          \
    [PARLEY_VERDICT_##id] = { parley_str(word), PARLEY_WHOSE_##by },
    PARLEY_VERDICTS(PARLEY_VERDICT)
#undef PARLEY_VERDICT
};


parley_str_t
parley_verdict_name(parley_verdict_t verdict)
{
    return parley_verdicts[verdict].name;
}


parley_whose_t
parley_verdict_whose(parley_verdict_t verdict)
{
    return parley_verdicts[verdict].whose;
}


parley_whose_t
parley_verdict_failure_whose(parley_code_t code)
{
    switch (code) {

    case PARLEY_E_UPSTREAM_INVALID:
    case PARLEY_E_UPSTREAM_UNAVAILABLE:
    case PARLEY_E_UPSTREAM_TIMEOUT:
        return PARLEY_WHOSE_UPSTREAM;

    default:
        return PARLEY_WHOSE_GATEWAY;
    }
}


parley_str_t
parley_outcome_name(parley_outcome_kind_t kind)
{
    static const parley_str_t  names[PARLEY_OUTCOME_COUNT] = {
        [PARLEY_OUTCOME_ANSWERED] = parley_str("answered"),
        [PARLEY_OUTCOME_FAILED] = parley_str("failed"),
        [PARLEY_OUTCOME_REFUSED] = parley_str("refused"),
        [PARLEY_OUTCOME_UNTOUCHED] = parley_str("untouched"),
        [PARLEY_OUTCOME_LOST] = parley_str("lost")
    };

    return names[kind];
}
