#include "moqt/parley_moqt_draft.h"


const parley_moqt_draft_t *const  parley_moqt_drafts[] = {
    &parley_moqt_draft_16,
    NULL
};


const parley_moqt_draft_t *
parley_moqt_draft_find(parley_str_t alpn)
{
    size_t  i;

    for (i = 0; parley_moqt_drafts[i] != NULL; i++) {
        if (parley_str_eq(parley_moqt_drafts[i]->alpn, alpn)) {
            break;
        }
    }

    return parley_moqt_drafts[i];
}


const parley_moqt_row_t *
parley_moqt_draft_row(const parley_moqt_draft_t *draft, uint64_t type)
{
    if (type >= draft->nmessages || draft->messages[type].name == NULL) {
        return NULL;
    }

    return &draft->messages[type];
}


const parley_moqt_pair_row_t *
parley_moqt_draft_pair(const parley_moqt_pair_row_t *table, uint64_t type)
{
    for ( /* void */ ; table->name != NULL; table++) {
        if (table->type == type) {
            return table;
        }
    }

    return NULL;
}


void
parley_moqt_integer_write(const parley_moqt_draft_t *draft, parley_buf_t *b,
    uint64_t n)
{
    uint8_t  octets[PARLEY_MOQT_INTEGER_LEN];

    if (n < 0x40) {
        parley_buf_octet(b, (uint8_t) n);
        return;
    }

    parley_buf_put(b, octets,
                   (size_t) (draft->integer_write(octets, n) - octets));
}


void
parley_moqt_octets_write(const parley_moqt_draft_t *draft, parley_buf_t *b,
    parley_str_t s)
{
    parley_moqt_integer_write(draft, b, s.len);
    parley_buf_str(b, s);
}
