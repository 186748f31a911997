/*
 * Work that is done once for many subscribers: records, their encodings, and
 * selectors.
 */

#include "hub/parley_hub_parts.h"


parley_hub_item_t *
parley_hub_item(parley_hub_t *hub, parley_str_t octets, int64_t left)
{
    int64_t             seconds;
    parley_str_t        copy;
    parley_hub_item_t  *item;

    item = parley_hub_alloc(hub, sizeof(parley_hub_item_t));

    if (item == NULL) {
        return NULL;
    }

    parley_arena_init(&item->arena, &hub->env.mem, octets.len + 256);

    if (parley_arena_str(&item->arena, octets, &copy) != 0) {
        parley_arena_reset(&item->arena);
        parley_hub_release(hub, item);
        return NULL;
    }

    /* an unreadable record is for no subscriber */

    item->readable = parley_publication_read(copy, &item->publication) == 0;

    /* rounded up, so that nothing expires early */

    seconds = parley_hub_now(hub) + (left / 1000) + 1;

    item->ends = seconds < UINT32_MAX ? (uint32_t) seconds : UINT32_MAX;
    item->refs = 1;
    item->number = ++hub->items;
    item->size = (uint32_t) (sizeof(parley_hub_item_t) + octets.len);
    hub->stat.buffered += item->size;

    return item;
}


void
parley_hub_item_free(parley_hub_t *hub, parley_hub_item_t *item)
{
    if (item == NULL || --item->refs != 0) {
        return;
    }

    hub->stat.buffered -= item->size;

    parley_arena_reset(&item->arena);
    parley_hub_release(hub, item);
}


/* Returns whether a reader gets its own view of a publication. */

static int
parley_hub_is_viewed(const parley_hub_t *hub, const parley_publication_t *p,
    const parley_stream_t *stream)
{
    return (p->views.len > 0 || stream->views) && hub->env.view != NULL;
}


int
parley_hub_written(parley_hub_t *hub, const parley_publication_t *p,
    const parley_hub_group_t *group, parley_arena_t *arena, parley_str_t *ret)
{
    int                     rc;
    parley_str_t            message;
    const parley_stream_t  *stream;

    stream = group->stream;

    rc = parley_hub_is_viewed(hub, p, stream)
         ? hub->env.view(hub->env.ctx, p, stream, group->reader, arena,
                         &message)
         : hub->env.encode(hub->env.ctx, p, stream->proto, arena, &message);

    return rc == 0 ? parley_hub_form_message(stream->form, message, arena, ret)
                   : rc;
}


/*
 * HUB-06: a record is encoded once for each protocol, and written once in each
 * form.
 */

int
parley_hub_item_written(parley_hub_t *hub, parley_hub_item_t *item,
    const parley_hub_group_t *group, parley_arena_t *arena, parley_str_t *ret)
{
    int                     rc;
    parley_str_t           *written;
    parley_proto_t          proto;
    const parley_stream_t  *stream;

    stream = group->stream;

    if (parley_hub_is_viewed(hub, &item->publication, stream)) {
        return parley_hub_written(hub, &item->publication, group, arena, ret);
    }

    proto = stream->proto;

    if (item->encoded[proto] == 0) {
        rc = hub->env.encode(hub->env.ctx, &item->publication, proto,
                             &item->arena, &item->messages[proto]);
        if (rc < 0) {
            return -1;
        }

        item->encoded[proto] = rc == 0 ? 1 : 2;
    }

    if (item->encoded[proto] == 2) {
        return 1;
    }

    written = &item->written[stream->form][proto];

    if (written->len == 0
        && parley_hub_form_message(stream->form, item->messages[proto],
                                   &item->arena, written)
           != 0)
    {
        return -1;
    }

    *ret = *written;

    return 0;
}


int
parley_hub_admits(parley_hub_t *hub, parley_hub_group_t *group,
    const parley_hub_item_t *item)
{
    parley_hub_selector_t  *selector;

    if (!item->readable) {
        return 0;
    }

    selector = group->selector;

    if (selector->tested != item->number) {
        selector->tested = item->number;
        selector->verdict = parley_selector_admits(&selector->selector,
                                                   &item->publication);
    }

    if (selector->verdict == 0 || hub->env.admits == NULL
        || hub->env.admits(hub->env.ctx, group->stream, group->reader,
                           &item->publication))
    {
        return selector->verdict;
    }

    return 0;
}


static uint32_t
parley_hub_selector_hash(const parley_hub_t *hub, parley_str_t text)
{
    return parley_state_text_tag(hub->state, text);
}


parley_hub_selector_t *
parley_hub_selector(parley_hub_t *hub, parley_str_t text)
{
    uint32_t                 hash;
    parley_hub_selector_t   *selector, **bucket;

    hash = parley_hub_selector_hash(hub, text);
    bucket = &hub->selectors[hash & (hub->nbuckets - 1)];

    for (selector = *bucket; selector != NULL; selector = selector->next) {
        if (selector->hash == hash && parley_str_eq(selector->text, text)) {
            selector->refs++;
            return selector;
        }
    }

    selector = parley_hub_alloc(hub, sizeof(parley_hub_selector_t));

    if (selector == NULL) {
        return NULL;
    }

    parley_arena_init(&selector->arena, &hub->env.mem, text.len + 128);

    if (parley_arena_str(&selector->arena, text, &selector->text) != 0
        || parley_selector_read(&selector->arena, selector->text,
                                &selector->selector)
           != 0)
    {
        parley_arena_reset(&selector->arena);
        parley_hub_release(hub, selector);
        return NULL;
    }

    selector->refs = 1;
    selector->hash = hash;
    selector->next = *bucket;
    *bucket = selector;

    return selector;
}


void
parley_hub_selector_free(parley_hub_t *hub, parley_hub_selector_t *selector)
{
    parley_hub_selector_t  **link;

    if (--selector->refs != 0) {
        return;
    }

    for (link = &hub->selectors[selector->hash & (hub->nbuckets - 1)];
         *link != selector;
         link = &(*link)->next)
    {
        /* void */
    }

    *link = selector->next;

    parley_arena_reset(&selector->arena);
    parley_hub_release(hub, selector);
}
