#include "core/parley_json_tape.h"


int
parley_json_tape_grow(parley_json_reader_t *r)
{
    size_t               capacity;
    parley_json_node_t  *nodes;

    /* n octets make less than n + 1 nodes: 32 bits suffice */

    capacity = (r->capacity == 0) ? r->doc.input.len / 8 + 16
                                  : (size_t) r->capacity * 2;

    if (capacity > r->doc.input.len + 1) {
        capacity = r->doc.input.len + 1;
    }

    nodes = parley_arena_alloc(r->doc.arena,
                               capacity * sizeof(parley_json_node_t));
    if (nodes == NULL) {
        return -1;
    }

    if (r->doc.nnodes != 0) {
        memcpy(nodes, r->doc.nodes,
               r->doc.nnodes * sizeof(parley_json_node_t));
    }

    r->doc.nodes = nodes;
    r->capacity = (uint32_t) capacity;

    return 0;
}


int
parley_json_tape_close(parley_json_reader_t *r, const uint8_t *p)
{
    uint32_t             i, at;
    const uint8_t       *start;
    parley_json_node_t  *node;

    i = r->open;
    node = &r->doc.nodes[i];
    start = r->doc.input.data + node->off;

    r->open = node->next;
    r->within = (r->open == PARLEY_JSON_NONE)
                    ? PARLEY_JSON_NULL
                    : (parley_json_type_t) r->doc.nodes[r->open].type;
    r->depth--;

    node->next = r->doc.nnodes;
    node->len = (uint32_t) (p - start);

    /* strictly ascending names are distinct */

    if (node->type != PARLEY_JSON_OBJECT
        || (node->flags & PARLEY_JSON_SORTED))
    {
        if (r->s.odd == NULL || r->s.odd < start) {
            node->flags |= PARLEY_JSON_CANONICAL;
        }

        return 0;
    }

    r->s.odd = start;

    if (parley_json_names_duplicate(&r->names, &r->doc, i, &at) != 0) {
        return -1;
    }

    if (at == PARLEY_JSON_NONE) {
        return 0;
    }

    r->at = at;

    return parley_json_fault(&r->s,
                             r->doc.input.data + r->doc.nodes[at].off - 1,
                             "duplicate member");
}


/*
 * Completes the open nodes, so that the pointer of the node at fault can be
 * computed.
 */
int
parley_json_tape_failed(parley_json_reader_t *r, parley_error_t *err)
{
    char             pointer[PARLEY_POINTER_MAX];
    uint32_t         i, around;
    parley_json_t   *doc;

    doc = &r->doc;
    pointer[0] = '\0';

    if (r->s.text == NULL) {
        return parley_error_memory(err);
    }

    if (r->at == PARLEY_JSON_NONE) {
        r->at = r->open;
    }

    for (i = r->open; i != PARLEY_JSON_NONE; i = around) {
        around = doc->nodes[i].next;
        doc->nodes[i].next = doc->nnodes;
    }

    if (r->at != PARLEY_JSON_NONE && r->at < doc->nnodes) {
        (void) parley_json_pointer(doc, r->at, pointer, sizeof(pointer));
    }

    parley_error_set(err, r->s.code, pointer, "%s", r->s.text);
    err->offset = (size_t) (r->s.fault - doc->input.data);

    return -1;
}
