/*
 * Serves the endpoint of parley_roster: the sessions that listen to a name
 * (ACH-25).  A name without a handle is in the member "name".
 *
 *     {"handle":"~alice","count":1,"sessions":[
 *         {"session":"s1","protocol":"channel","instrument":"cc-model",
 *          "since":"2026-11-23T10:00:00.000Z"}]}
 */

#include <stdlib.h>
#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_rules.h"
#include "hub/parley_selector.h"
#include "gate/settings/parley_settings.h"


/* cards in a page of the state, and in the answer */
#define PARLEY_ROSTER_PAGE  256
#define PARLEY_ROSTER_MAX   10000


typedef struct {
    parley_roster_card_t  *list;
    size_t                 n;
    size_t                 room;
    int64_t                count;       /* number of sessions, also of those
                                           above the limit */
    int                    own;         /* the name is the caller's */
} parley_gate_roster_t;


static int parley_gate_roster_run(parley_gate_t *g);
static int parley_gate_roster_read(parley_gate_t *g, parley_str_t address,
    int own, parley_gate_roster_t *ret);
static int parley_gate_roster_add(parley_gate_t *g,
    const parley_roster_page_t *page, parley_gate_roster_t *ret);
static int parley_gate_roster_shows(const parley_gate_t *g,
    parley_str_t session, int own);
static int parley_gate_roster_order(const void *a, const void *b);
static int parley_gate_roster_tell(parley_gate_t *g, parley_str_t address,
    const parley_gate_roster_t *roster, int coarse);


parley_step_result_t
parley_gate_roster_method(parley_gate_t *g, parley_str_t method)
{
    return parley_gate_named_method(g, g->conf.s->roster->proto, method, 0);
}


parley_step_result_t
parley_gate_roster(parley_gate_t *g)
{
    int  rc;

    rc = parley_gate_roster_run(g);

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


static int
parley_gate_roster_run(parley_gate_t *g)
{
    int                   rc, own;
    parley_str_t          address;
    parley_arguments_t    arguments;
    parley_gate_roster_t  roster;

    parley_arguments_of(&arguments, 0, g->conf.gate->token);

    if (parley_gate_named(g, &arguments, PARLEY_RULES_ROSTER, &address, &own)
        != 0)
    {
        return -1;
    }

    rc = parley_gate_roster_read(g, address, own, &roster);

    if (rc != 0) {
        return rc;
    }

    return parley_gate_roster_tell(g, address, &roster,
                                   (g->conf.s->mcp != NULL
                                    ? g->conf.s->mcp->coarse
                                    : g->conf.s->roster->coarse)
                                   && !own);
}


static int
parley_gate_roster_read(parley_gate_t *g, parley_str_t address, int own,
    parley_gate_roster_t *ret)
{
    int                   rc;
    uint32_t              at;
    parley_roster_page_t  page;

    memset(ret, 0, sizeof(parley_gate_roster_t));

    ret->own = own;
    at = 0;

    do {
        rc = parley_gate_publish_roster(g, address, PARLEY_ROSTER_PAGE, &at,
                                        &page);
        if (rc != 0) {
            return rc;
        }

        if (parley_gate_roster_add(g, &page, ret) != 0) {
            return parley_error_memory(g->err);
        }

    } while (at != 0);

    if (ret->n > 1) {
        qsort(ret->list, ret->n, sizeof(parley_roster_card_t),
              parley_gate_roster_order);
    }

    return 0;
}


static int
parley_gate_roster_add(parley_gate_t *g, const parley_roster_page_t *page,
    parley_gate_roster_t *ret)
{
    int                    i;
    size_t                 room;
    parley_roster_card_t  *list;

    for (i = 0; i < page->n; i++) {

        if (!parley_gate_roster_shows(g, page->list[i].session, ret->own)) {
            continue;
        }

        ret->count++;

        if (ret->n == PARLEY_ROSTER_MAX) {
            continue;
        }

        if (ret->n == ret->room) {
            room = ret->room != 0 ? 2 * ret->room : PARLEY_ROSTER_PAGE;
            list = parley_arena_alloc(g->arena,
                                      room * sizeof(parley_roster_card_t));
            if (list == NULL) {
                return -1;
            }

            if (ret->n != 0) {
                memcpy(list, ret->list,
                       ret->n * sizeof(parley_roster_card_t));
            }

            ret->list = list;
            ret->room = room;
        }

        ret->list[ret->n++] = page->list[i];
    }

    return 0;
}


/*
 * Returns whether the roster shows a session.  Held requests are not streams.
 * A session that listens by a rule is named sub/session.  Only the owner of the
 * name and the session's own principal see it.
 */

static int
parley_gate_roster_shows(const parley_gate_t *g, parley_str_t session, int own)
{
    size_t  i;

    if (parley_selector_is_held(session)) {
        return 0;
    }

    if (own) {
        return 1;
    }

    for (i = session.len; i > 0 && session.data[i - 1] != '/'; i--) {
        /* void */
    }

    return i == 0 || parley_str_eq(parley_str_make(session.data, i - 1),
                                   g->who->principal->sub);
}


static int
parley_gate_roster_order(const void *a, const void *b)
{
    int                          rc;
    size_t                       len;
    const parley_roster_card_t  *one = a, *two = b;

    len = one->session.len < two->session.len ? one->session.len
                                              : two->session.len;

    rc = len > 0 ? memcmp(one->session.data, two->session.data, len) : 0;

    return rc != 0 ? rc
           : (one->session.len > two->session.len)
             - (one->session.len < two->session.len);
}


/* Writes the roster.  A card begins with "{" and has at least one member. */

static int
parley_gate_roster_tell(parley_gate_t *g, parley_str_t address,
    const parley_gate_roster_t *roster, int coarse)
{
    size_t        i;
    parley_buf_t  b;

    parley_buf_init(&b, g->arena, 256 + roster->n * 128);

    parley_buf_octet(&b, '{');
    parley_gate_named_tell(g, &b, address);
    parley_buf_name(&b, PARLEY_STR("count"));
    parley_buf_int(&b, coarse ? parley_selector_coarse(roster->count)
                              : roster->count);

    if (!coarse) {
        parley_buf_name(&b, PARLEY_STR("sessions"));
        parley_buf_octet(&b, '[');

        for (i = 0; i < roster->n; i++) {
            if (i != 0) {
                parley_buf_octet(&b, ',');
            }

            parley_buf_octet(&b, '{');
            parley_buf_member(&b, PARLEY_STR("session"),
                              roster->list[i].session);
            parley_buf_octet(&b, ',');
            parley_buf_str(&b, parley_str_from(roster->list[i].card, 1));
        }

        parley_buf_octet(&b, ']');
    }

    parley_buf_octet(&b, '}');

    return parley_gate_serving_json(g, &b);
}
