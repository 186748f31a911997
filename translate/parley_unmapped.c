#include "translate/parley_unmapped.h"


/*
 * maximum octets of a lost member's name that surely fit into its pointer,
 * PARLEY_POINTER_MAX
 */
#define PARLEY_UNMAPPED_NAME_MAX  64


static void parley_unmapped_inner(const parley_json_t *doc, uint32_t object,
    const parley_mapped_t *mapped, unsigned by, parley_loss_t *loss);
static void parley_unmapped_lost(const parley_json_t *doc, uint32_t name,
    const char *pointer, parley_loss_t *loss);


void
parley_unmapped(const parley_msg_t *m, uint32_t object,
    const parley_mapped_t *mapped, unsigned by, parley_loss_t *loss)
{
    uint32_t              k, end;
    parley_atom_t         name;
    const parley_json_t  *doc;

    doc = m->doc;

    if (object >= doc->nnodes
        || parley_json_type(doc, object) != PARLEY_JSON_OBJECT)
    {
        return;
    }

    end = parley_json_end(doc, object);

    for (k = parley_json_first(object); k != end;
         k = parley_json_after(doc, k + 1))
    {
        name = parley_json_atom(doc, k);

        if (mapped->names[name] & by) {
            continue;
        }

        if (mapped->objects != NULL && mapped->objects[name]) {
            parley_unmapped_inner(doc, k + 1,
                                  &mapped->inner[mapped->objects[name] - 1],
                                  by, loss);

        } else if (mapped->own == NULL
                   || !mapped->own(m, k + 1, by, loss))
        {
            parley_unmapped_lost(doc, k, mapped->pointer, loss);
        }
    }
}


/* As parley_unmapped(), if names alone decides. */

static void
parley_unmapped_inner(const parley_json_t *doc, uint32_t object,
    const parley_mapped_t *mapped, unsigned by, parley_loss_t *loss)
{
    uint32_t                   k, end;
    const parley_json_node_t  *nodes;

    nodes = doc->nodes;

    if (nodes[object].type != PARLEY_JSON_OBJECT) {
        return;
    }

    end = nodes[object].next;

    for (k = object + 1; k != end; k = nodes[k + 1].next) {
        if (!(mapped->names[nodes[k].atom] & by)) {
            parley_unmapped_lost(doc, k, mapped->pointer, loss);
        }
    }
}


/*
 * Reports a lost member.  A short and plain name need not be found from the
 * root.
 */

static void
parley_unmapped_lost(const parley_json_t *doc, uint32_t name,
    const char *pointer, parley_loss_t *loss)
{
    parley_json_ref_t          value;
    const parley_json_node_t  *node;

    node = parley_json_node(doc, name);

    if (pointer != NULL && !(node->flags & PARLEY_JSON_ESCAPED)
        && node->len <= PARLEY_UNMAPPED_NAME_MAX)
    {
        parley_loss_add(loss, pointer, parley_json_span(doc, name));
        return;
    }

    value.doc = doc;
    value.node = name + 1;

    parley_loss_value(loss, value);
}
