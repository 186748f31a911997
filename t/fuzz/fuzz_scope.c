/*
 * Recipient scopes and stream filters: an accepted text is equal to the text
 * that its parts make.
 */

#include <stdlib.h>

#include "core/parley_buf.h"
#include "translate/channel/parley_channel_filter.h"
#include "translate/channel/parley_channel_scope.h"
#include "translate/parley_name.h"
#include "t/fuzz/parley_fuzz.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static parley_str_t
written(parley_arena_t *arena, const parley_channel_scope_t *scope)
{
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 0);

    switch (scope->form) {

    case PARLEY_CHANNEL_SCOPE_HANDLE:
        parley_buf_str(&b, scope->handle);
        break;

    case PARLEY_CHANNEL_SCOPE_SESSIONS:
    case PARLEY_CHANNEL_SCOPE_PREFIX:
        parley_buf_str(&b, scope->handle);
        parley_buf_octet(&b, '/');
        parley_buf_str(&b, scope->instrument);
        parley_buf_octet(&b, '*');
        break;

    case PARLEY_CHANNEL_SCOPE_SESSION:
        parley_buf_str(&b, scope->handle);
        parley_buf_octet(&b, '/');
        parley_buf_str(&b, scope->instrument);
        parley_buf_octet(&b, '@');
        parley_buf_str(&b, scope->session);
        break;

    case PARLEY_CHANNEL_SCOPE_MEMBERS:
        check(parley_channel_scope_members(arena, scope->handle, &ret) == 0);
        return ret;

    case PARLEY_CHANNEL_SCOPE_ROLE:
        parley_buf_lit(&b, "org:");
        parley_buf_str(&b, scope->handle);
        parley_buf_lit(&b, "/members/");
        parley_buf_str(&b, scope->role);
        parley_buf_octet(&b, '/');
        parley_buf_octet(&b, '*');
        break;

    case PARLEY_CHANNEL_SCOPE_ACCORD:
        parley_buf_lit(&b, "accord:");
        parley_buf_str(&b, scope->handle);
        parley_buf_lit(&b, "/grant:");
        parley_buf_str(&b, scope->grant);
        break;
    }

    check(parley_buf_done(&b, &ret) == 0);

    return ret;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t                 i;
    parley_str_t             text;
    parley_arena_t           arena;
    parley_error_t           err;
    parley_channel_facts_t   facts;
    parley_channel_scope_t   scope;
    parley_channel_filter_t  filter;

    text = parley_str_make(data, size);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_channel_scope_parse(text, &scope) == 0) {
        check(size <= PARLEY_CHANNEL_SCOPE_MAX);
        check(parley_name_is_handle(scope.handle));
        check(parley_str_eq(written(&arena, &scope), text));
    }

    memset(&facts, 0, sizeof(facts));

    if (parley_channel_filter_parse(&arena, text, &filter, &err) == 0) {
        check((filter.nclauses == 0) == (size == 0));
        check(filter.nclauses <= PARLEY_CHANNEL_FILTER_MAX);
        check(parley_channel_filter_admits(&filter, &facts) == (size == 0));

        for (i = 0; i < filter.nclauses; i++) {
            check(filter.clauses[i].value.len > 0);
        }

    } else {
        check(err.code == PARLEY_E_FILTER_AXIS_UNKNOWN
              || err.code == PARLEY_E_FILTER_VALUE_INVALID);
        check(filter.nclauses == 0);
    }

    parley_arena_reset(&arena);

    return 0;
}
