/*
 * What an event says beyond the canonical fields, for the loss report of a
 * protocol that has no place for it.
 */

#include "parley_c2a.h"


/* the members of one member of an event */
typedef struct {
    parley_str_t  name;
    parley_str_t  held[2];      /* by canonical fields */
    parley_str_t  made[6];      /* by the gateway itself, where the event
                                   carries another protocol's message */
} parley_c2a_residue_row_t;


static void parley_c2a_residue_member(const parley_msg_t *m, uint32_t name,
    parley_loss_t *loss);
static void parley_c2a_residue_content(const parley_msg_t *m,
    uint32_t content, parley_loss_t *loss);
static void parley_c2a_residue_part(const parley_json_t *doc, uint32_t part,
    const parley_str_t *names, unsigned n, parley_loss_t *loss);
static int parley_c2a_residue_in(const parley_json_t *doc, uint32_t name,
    const parley_str_t *names, unsigned n);


static const parley_c2a_residue_row_t  parley_c2a_residue_rows[] = {
    { parley_str("eventId"), { { NULL, 0 } }, { { NULL, 0 } } },
    { parley_str("source"), { { NULL, 0 } }, { parley_str("platform") } },
    { parley_str("conversation"),
      { parley_str("id"), parley_str("threadId") },
      { parley_str("kind") } },
    { parley_str("author"),
      { parley_str("id"), parley_str("kind") }, { { NULL, 0 } } },
    { parley_str("target"),
      { parley_str("recipient") }, { parley_str("directedness") } },
    { parley_str("timing"), { parley_str("createdAt") }, { { NULL, 0 } } },
    { parley_str("attention"),
      { parley_str("priority"), parley_str("deadlineMs") },
      { parley_str("policy"), parley_str("reason") } },
    { parley_str("injection"), { { NULL, 0 } }, { parley_str("mode") } },
    { parley_str("reliability"), { { NULL, 0 } },
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
    int                   ignored, carries;
    uint32_t              k, params;
    parley_c2a_form_t     form;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

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
        if (parley_c2a_residue_in(doc, k, parley_c2a_aside,
                                  parley_c2a_naside))
        {
            parley_c2a_residue_member(m, k, loss);

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


static void
parley_c2a_residue_member(const parley_msg_t *m, uint32_t name,
    parley_loss_t *loss)
{
    unsigned                         i;
    uint32_t                         k, object;
    parley_json_ref_t                value;
    const parley_json_t             *doc;
    const parley_c2a_residue_row_t  *row;

    doc = m->doc;
    value.doc = doc;
    object = name + 1;

    for (i = 0; !parley_json_string_is(doc, name,
                                       parley_c2a_residue_rows[i].name); i++)
    {
        /* void */
    }

    row = &parley_c2a_residue_rows[i];

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

        value.node = k + 1;
        parley_loss_value(loss, value);
    }
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
        if (parley_json_string_is(doc, name, names[i])) {
            return 1;
        }
    }

    return 0;
}
