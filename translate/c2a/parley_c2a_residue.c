/*
 * What an event says beyond the canonical fields, for the loss report of a
 * protocol that has no place for it.
 */

#include "parley_c2a.h"


/* of a lost member, so that its pointer is whole: PARLEY_POINTER_MAX */
#define PARLEY_C2A_NAME_MAX  64


/* the members of one member of an event */
typedef struct {
    parley_str_t  name;
    const char   *pointer;
    parley_str_t  held[2];      /* by canonical fields */
    parley_str_t  made[6];      /* by the gateway itself, where the event
                                   carries another protocol's message */
} parley_c2a_residue_row_t;


static const parley_c2a_residue_row_t *parley_c2a_residue_row(
    const parley_json_t *doc, uint32_t name);
static void parley_c2a_residue_member(const parley_msg_t *m,
    const parley_c2a_residue_row_t *row, uint32_t object,
    parley_loss_t *loss);
static void parley_c2a_residue_lost(const parley_json_t *doc,
    const parley_c2a_residue_row_t *row, uint32_t name, parley_loss_t *loss);
static void parley_c2a_residue_content(const parley_msg_t *m,
    uint32_t content, parley_loss_t *loss);
static void parley_c2a_residue_part(const parley_json_t *doc, uint32_t part,
    const parley_str_t *names, unsigned n, parley_loss_t *loss);
static int parley_c2a_residue_in(const parley_json_t *doc, uint32_t name,
    const parley_str_t *names, unsigned n);
static inline int parley_c2a_residue_is(const parley_json_t *doc,
    uint32_t name, parley_str_t s);


/* as parley_c2a_aside */
static const parley_c2a_residue_row_t  parley_c2a_residue_rows[] = {
    { parley_str("eventId"), "/params/eventId",
      { { NULL, 0 } }, { { NULL, 0 } } },
    { parley_str("source"), "/params/source",
      { { NULL, 0 } }, { parley_str("platform") } },
    { parley_str("conversation"), "/params/conversation",
      { parley_str("id"), parley_str("threadId") },
      { parley_str("kind") } },
    { parley_str("author"), "/params/author",
      { parley_str("id"), parley_str("kind") }, { { NULL, 0 } } },
    { parley_str("target"), "/params/target",
      { parley_str("recipient") }, { parley_str("directedness") } },
    { parley_str("timing"), "/params/timing",
      { parley_str("createdAt") }, { { NULL, 0 } } },
    { parley_str("attention"), "/params/attention",
      { parley_str("priority"), parley_str("deadlineMs") },
      { parley_str("policy"), parley_str("reason") } },
    { parley_str("injection"), "/params/injection",
      { { NULL, 0 } }, { parley_str("mode") } },
    { parley_str("reliability"), "/params/reliability", { { NULL, 0 } },
      { parley_str("idempotencyKey"), parley_str("attempt") } },
};


static const parley_str_t  parley_c2a_carrier_names[] = {
    parley_str("type"), parley_str("mediaType"), parley_str("form"),
    parley_str("data"), parley_str("members"), parley_str("reference"),
};

static const parley_str_t  parley_c2a_text_names[] = {
    parley_str("type"), parley_str("text"),
};


/* The id of a call is the exchange's; only an event has an envelope. */

void
parley_c2a_residue(const parley_msg_t *m, parley_loss_t *loss)
{
    int                              ignored, carries;
    uint32_t                         k, params;
    parley_c2a_form_t                form;
    parley_json_ref_t                value;
    const parley_json_t             *doc;
    const parley_c2a_residue_row_t  *row;

    doc = m->doc;
    value.doc = doc;
    params = parley_c2a_params(doc);
    form = parley_c2a_form_of(doc, &ignored);

    if (form != PARLEY_C2A_DELIVER) {

        value.node = parley_json_get(doc, params, PARLEY_STR("_meta"));

        if (parley_c2a_form_info(form)->tool
            && value.node != PARLEY_JSON_NONE)
        {
            parley_loss_value(loss, value);
        }

        return;
    }

    carries = m->origin != m->wire;

    for (k = parley_json_first(params);
         k != parley_json_end(doc, params);
         k = parley_json_after(doc, k + 1))
    {
        row = parley_c2a_residue_row(doc, k);

        if (row != NULL) {
            parley_c2a_residue_member(m, row, k + 1, loss);

        } else if (carries) {

            if (parley_json_string_is(doc, k, PARLEY_STR("content"))) {
                parley_c2a_residue_content(m, k + 1, loss);
                continue;
            }

            value.node = k + 1;
            parley_loss_value(loss, value);
        }
    }
}


static const parley_c2a_residue_row_t *
parley_c2a_residue_row(const parley_json_t *doc, uint32_t name)
{
    unsigned  i;

    for (i = 0; i < sizeof(parley_c2a_residue_rows)
                    / sizeof(parley_c2a_residue_rows[0]); i++)
    {
        if (parley_c2a_residue_is(doc, name, parley_c2a_residue_rows[i].name))
        {
            return &parley_c2a_residue_rows[i];
        }
    }

    return NULL;
}


static void
parley_c2a_residue_member(const parley_msg_t *m,
    const parley_c2a_residue_row_t *row, uint32_t object, parley_loss_t *loss)
{
    uint32_t              k;
    const parley_json_t  *doc;

    doc = m->doc;

    if (parley_json_type(doc, object) != PARLEY_JSON_OBJECT) {
        return;
    }

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_c2a_residue_in(doc, k, row->held, 2)
            || (m->origin != m->wire
                && parley_c2a_residue_in(doc, k, row->made, 6)))
        {
            continue;
        }

        parley_c2a_residue_lost(doc, row, k, loss);
    }
}


/* A name that is short and plain need not be looked for from the root. */

static void
parley_c2a_residue_lost(const parley_json_t *doc,
    const parley_c2a_residue_row_t *row, uint32_t name, parley_loss_t *loss)
{
    parley_json_ref_t          value;
    const parley_json_node_t  *node;

    node = parley_json_node(doc, name);

    if (!(node->flags & PARLEY_JSON_ESCAPED)
        && node->len <= PARLEY_C2A_NAME_MAX)
    {
        parley_loss_add(loss, row->pointer, parley_json_span(doc, name));
        return;
    }

    value.doc = doc;
    value.node = name + 1;

    parley_loss_value(loss, value);
}


/*
 * The carrier and the text before it are the gateway's, but for what somebody
 * has added to them.
 */

static void
parley_c2a_residue_content(const parley_msg_t *m, uint32_t content,
    parley_loss_t *loss)
{
    uint32_t              i, first, carrier;
    parley_proto_t        proto;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    carrier = parley_c2a_carrier(doc, content, &proto);
    first = parley_json_first(content);

    for (i = first;
         i != parley_json_end(doc, content);
         i = parley_json_after(doc, i))
    {
        if (i == carrier) {
            parley_c2a_residue_part(doc, i, parley_c2a_carrier_names,
                                    sizeof(parley_c2a_carrier_names)
                                    / sizeof(parley_c2a_carrier_names[0]),
                                    loss);
            continue;
        }

        if (i == first && parley_json_after(doc, i) == carrier
            && parley_json_string_is(doc, parley_json_get(doc, i,
                                                          PARLEY_STR("type")),
                                     PARLEY_STR("text")))
        {
            parley_c2a_residue_part(doc, i, parley_c2a_text_names,
                                    sizeof(parley_c2a_text_names)
                                    / sizeof(parley_c2a_text_names[0]), loss);
            continue;
        }

        value.node = i;
        parley_loss_value(loss, value);
    }
}


/* the members of a part beside those of these names */

static void
parley_c2a_residue_part(const parley_json_t *doc, uint32_t part,
    const parley_str_t *names, unsigned n, parley_loss_t *loss)
{
    uint32_t           k;
    parley_json_ref_t  value;

    value.doc = doc;

    for (k = parley_json_first(part);
         k != parley_json_end(doc, part);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_c2a_residue_in(doc, k, names, n)) {
            value.node = k + 1;
            parley_loss_value(loss, value);
        }
    }
}


static int
parley_c2a_residue_in(const parley_json_t *doc, uint32_t name,
    const parley_str_t *names, unsigned n)
{
    unsigned  i;

    for (i = 0; i < n && names[i].len > 0; i++) {
        if (parley_c2a_residue_is(doc, name, names[i])) {
            return 1;
        }
    }

    return 0;
}


/* Most names differ in their length already. */

static inline int
parley_c2a_residue_is(const parley_json_t *doc, uint32_t name, parley_str_t s)
{
    const parley_json_node_t  *node;

    node = parley_json_node(doc, name);

    return (node->len == s.len || (node->flags & PARLEY_JSON_ESCAPED))
           && parley_json_string_is(doc, name, s);
}
