/* Reads steps. */

#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_step.h"


/* octets that are being read; bad: they were too short */
typedef struct {
    const uint8_t  *p;
    size_t          len;
    unsigned        bad:1;
} parley_step_reader_t;


static const uint8_t *parley_step_get(parley_step_reader_t *r, size_t len);
static uint8_t parley_step_get8(parley_step_reader_t *r);
static uint32_t parley_step_get32(parley_step_reader_t *r);
static uint64_t parley_step_get64(parley_step_reader_t *r);
static parley_str_t parley_step_get_text(parley_step_reader_t *r);
static int parley_step_is_place(const parley_place_t *place);
static int parley_step_is_time(int64_t ms);
static int parley_step_read_append(parley_step_reader_t *r,
    parley_arena_t *arena, parley_str_t places, parley_store_step_t *ret);
static int parley_step_read_jobs(parley_step_reader_t *r,
    parley_arena_t *arena, parley_append_t *a);
static int parley_step_read_work(parley_step_reader_t *r,
    parley_arena_t *arena, parley_store_step_t *ret);
static int parley_step_read_end(parley_step_reader_t *r,
    parley_store_step_t *ret);
static int parley_step_read_keep(parley_step_reader_t *r,
    parley_arena_t *arena, parley_store_step_t *ret);
static int parley_step_read_held(const parley_store_t *s,
    parley_step_reader_t *r, parley_store_step_t *ret);
static int parley_step_read_had(parley_step_reader_t *r,
    parley_arena_t *arena, parley_store_step_t *ret);
static int parley_step_read_close(parley_step_reader_t *r,
    parley_store_step_t *ret);
static int parley_step_read_join(parley_step_reader_t *r, parley_str_t places,
    parley_store_step_t *ret);


static const uint8_t *
parley_step_get(parley_step_reader_t *r, size_t len)
{
    const uint8_t  *p = r->p;

    if (r->bad || r->len < len) {
        r->bad = 1;
        return NULL;
    }

    r->p += len;
    r->len -= len;

    return p;
}


static uint8_t
parley_step_get8(parley_step_reader_t *r)
{
    const uint8_t  *p;

    p = parley_step_get(r, 1);

    return p != NULL ? *p : 0;
}


static uint32_t
parley_step_get32(parley_step_reader_t *r)
{
    const uint8_t  *p;

    p = parley_step_get(r, 4);

    return p != NULL ? parley_octets_read32(p) : 0;
}


static uint64_t
parley_step_get64(parley_step_reader_t *r)
{
    const uint8_t  *p;

    p = parley_step_get(r, 8);

    return p != NULL ? parley_octets_read64(p) : 0;
}


static parley_str_t
parley_step_get_text(parley_step_reader_t *r)
{
    size_t          len;
    const uint8_t  *p;

    len = parley_step_get32(r);
    p = parley_step_get(r, len);

    return p != NULL ? parley_str_make(p, len) : parley_str_none;
}


/* Returns whether an epoch is one, and an offset can still grow. */

static int
parley_step_is_place(const parley_place_t *place)
{
    return place->epoch != 0 && place->epoch < PARLEY_STORE_NUMBERS
           && place->offset < PARLEY_STORE_NUMBERS;
}


static int
parley_step_is_time(int64_t ms)
{
    return ms >= 0 && ms < PARLEY_STEP_TIME;
}


uint32_t
parley_store_node_number(const uint8_t *node)
{
    uint32_t  n;

    n = parley_octets_read32(node);

    return n + (n == 0);
}


void
parley_store_read_places(const uint8_t *p, size_t n, parley_place_t *ret)
{
    size_t                i;
    parley_step_reader_t  r;

    r.p = p;
    r.len = n * PARLEY_STEP_PLACE;
    r.bad = 0;

    for (i = 0; i < n; i++) {
        ret[i].epoch = parley_step_get64(&r);
        ret[i].offset = parley_step_get64(&r);
    }
}


int
parley_store_read_step(const parley_store_t *s, parley_arena_t *arena,
    uint64_t number, parley_str_t content, parley_str_t places,
    parley_store_step_t *ret)
{
    int                    rc;
    uint8_t                kind;
    const uint8_t         *node;
    parley_import_t       *i;
    parley_step_reader_t   r;

    memset(ret, 0, sizeof(parley_store_step_t));

    r.p = content.data;
    r.len = content.len;
    r.bad = 0;

    i = &ret->import;
    i->number = number;

    if (parley_step_get8(&r) != PARLEY_STEP_FORMAT) {
        return -1;
    }

    kind = parley_step_get8(&r);
    node = parley_step_get(&r, PARLEY_STORE_NODE);

    if (node == NULL) {
        return -1;
    }

    i->own = memcmp(node, s->conf->node, PARLEY_STORE_NODE) == 0;
    i->worker.began = parley_step_get64(&r);
    i->worker.pid = parley_step_get32(&r);

    if (!i->own) {
        i->worker.pid = parley_store_node_number(node);
    }

    rc = 0;

    switch (kind) {

    case 'a':
        i->kind = PARLEY_IMPORT_APPEND;
        rc = parley_step_read_append(&r, arena, places, ret);
        break;

    case 'e':
        i->kind = PARLEY_IMPORT_ERASE;
        i->erase = &ret->erase;
        ret->erase.log = parley_step_get(&r, PARLEY_KEY_LEN);
        ret->erase.epoch = parley_step_get64(&r);
        ret->erase.offset = parley_step_get64(&r);
        break;

    case 'h':
        i->kind = PARLEY_IMPORT_HAD;
        rc = parley_step_read_had(&r, arena, ret);
        break;

    case 'j':
        i->kind = PARLEY_IMPORT_JOIN;
        rc = parley_step_read_join(&r, places, ret);
        break;

    case 'l':
        i->kind = PARLEY_IMPORT_LEAVE;
        i->leave = &ret->leave;
        ret->leave.log = parley_step_get(&r, PARLEY_KEY_LEN);
        ret->leave.stamp = parley_step_get64(&r);
        ret->leave.session = parley_step_get_text(&r);
        break;

    case 'g':
        i->kind = PARLEY_IMPORT_GONE;
        break;

    case 'c':
        i->kind = PARLEY_IMPORT_CLOSE;
        rc = parley_step_read_close(&r, ret);
        break;

    case 'd':
        i->kind = PARLEY_IMPORT_DROP;
        i->lane = parley_step_get(&r, PARLEY_KEY_LEN);
        break;

    case 'r':
        i->kind = PARLEY_IMPORT_ROSTER;
        break;

    case 'w':
        i->kind = PARLEY_IMPORT_ADD;
        rc = parley_step_read_work(&r, arena, ret);
        break;

    case 'x':
        i->kind = PARLEY_IMPORT_END;
        rc = parley_step_read_end(&r, ret);
        break;

    case 'o':
        i->kind = PARLEY_IMPORT_ADOPT;
        i->node = parley_step_get32(&r);

        if (i->node == parley_store_node_number(s->conf->node)) {
            i->node = 0;
        }

        break;

    case 'k':
        i->kind = PARLEY_IMPORT_KEEP;
        rc = parley_step_read_keep(&r, arena, ret);
        break;

    case 'i':
        rc = parley_step_read_held(s, &r, ret);
        break;

    default:
        return -1;
    }

    return rc == 0 && !r.bad && r.len == 0 ? 0 : -1;
}


static int
parley_step_read_append(parley_step_reader_t *r, parley_arena_t *arena,
    parley_str_t places, parley_store_step_t *ret)
{
    size_t            n;
    uint8_t           flags;
    const uint8_t    *account;
    parley_append_t  *a = &ret->append;
    parley_place_t   *list;

    ret->import.append = a;

    flags = parley_step_get8(r);
    account = parley_step_get(r, PARLEY_KEY_LEN);

    a->arena = arena;
    a->closes = (flags & PARLEY_STEP_CLOSES) != 0;
    a->account = (flags & PARLEY_STEP_ACCOUNT) != 0 ? account : NULL;

    a->nlogs = parley_step_get32(r);

    if (a->nlogs > PARLEY_LOGS_MAX
        || places.len != a->nlogs * PARLEY_STEP_PLACE)
    {
        return -1;
    }

    a->logs = (const uint8_t (*)[PARLEY_KEY_LEN]) (const void *)
              parley_step_get(r, a->nlogs * PARLEY_KEY_LEN);

    list = parley_arena_alloc(arena, (a->nlogs + 1) * sizeof(parley_place_t));

    if (list == NULL) {
        return -1;
    }

    parley_store_read_places(places.data, a->nlogs, list);

    for (n = 0; n < a->nlogs; n++) {
        if (!parley_step_is_place(&list[n]) || list[n].offset == 0) {
            return -1;
        }
    }

    ret->import.places = list;

    a->retention.records = parley_step_get32(r);
    a->retention.octets = parley_step_get32(r);
    a->retention.ms = (int64_t) parley_step_get64(r);
    a->ttl = (int64_t) parley_step_get64(r);

    if (a->retention.records == 0 || a->retention.octets == 0
        || !parley_step_is_time(a->retention.ms)
        || !parley_step_is_time(a->ttl))
    {
        return -1;
    }

    ret->record = parley_step_get_text(r);
    a->parts = &ret->record;
    a->nparts = 1;

    if (parley_step_read_jobs(r, arena, a) != 0) {
        return -1;
    }

    return (flags & PARLEY_STEP_ENDS) != 0 ? parley_step_read_end(r, ret) : 0;
}


static int
parley_step_read_work(parley_step_reader_t *r, parley_arena_t *arena,
    parley_store_step_t *ret)
{
    uint8_t           flags;
    const uint8_t    *account;
    parley_append_t  *a = &ret->append;

    ret->import.append = a;

    flags = parley_step_get8(r);
    account = parley_step_get(r, PARLEY_KEY_LEN);
    a->account = (flags & PARLEY_STEP_ACCOUNT) != 0 ? account : NULL;
    ret->import.stamp = parley_step_get64(r);

    return parley_step_read_jobs(r, arena, a);
}


static int
parley_step_read_jobs(parley_step_reader_t *r, parley_arena_t *arena,
    parley_append_t *a)
{
    size_t          n;
    uint8_t         flags;
    parley_job_t   *jobs;
    const uint8_t  *lane;

    a->njobs = parley_step_get32(r);

    if (r->bad || a->njobs > PARLEY_JOBS_MAX
        || a->njobs > r->len / PARLEY_STEP_JOB)
    {
        return -1;
    }

    jobs = parley_arena_calloc(arena, (a->njobs + 1) * sizeof(parley_job_t));

    if (jobs == NULL) {
        return -1;
    }

    a->jobs = jobs;

    for (n = 0; n < a->njobs; n++) {
        lane = parley_step_get(r, PARLEY_KEY_LEN);

        if (lane != NULL) {
            memcpy(jobs[n].lane, lane, PARLEY_KEY_LEN);
        }

        jobs[n].class = (parley_job_class_t) parley_step_get8(r);
        flags = parley_step_get8(r);
        jobs[n].owed = (flags & PARLEY_STEP_OWED) != 0;
        jobs[n].sole = (flags & PARLEY_STEP_SOLE) != 0;
        jobs[n].counted = (flags & PARLEY_STEP_COUNTED) != 0;
        jobs[n].after = (int64_t) parley_step_get64(r);
        jobs[n].lasts = (int64_t) parley_step_get64(r);
        jobs[n].text = parley_step_get_text(r);

        if (jobs[n].class >= PARLEY_JOB_CLASSES
            || !parley_step_is_time(jobs[n].after)
            || !parley_step_is_time(jobs[n].lasts)
            || jobs[n].text.len > PARLEY_JOB_TEXT_MAX)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_step_read_end(parley_step_reader_t *r, parley_store_step_t *ret)
{
    const uint8_t        *lane;
    parley_import_end_t  *end = &ret->end;

    ret->import.end = end;

    lane = parley_step_get(r, PARLEY_KEY_LEN);

    if (lane != NULL) {
        memcpy(end->lane, lane, PARLEY_KEY_LEN);
    }

    end->job = parley_step_get64(r);
    end->how = (parley_job_how_t) parley_step_get8(r);
    end->mark = parley_step_get8(r);
    end->untried = parley_step_get8(r) != 0;
    end->after = parley_step_get32(r);

    return end->how <= PARLEY_JOB_AGAIN
           && end->mark < 1u << PARLEY_STEP_MARK ? 0 : -1;
}


static int
parley_step_read_keep(parley_step_reader_t *r, parley_arena_t *arena,
    parley_store_step_t *ret)
{
    size_t            n;
    uint64_t         *jobs;
    parley_import_t  *i = &ret->import;

    i->from = parley_step_get64(r);
    i->till = parley_step_get64(r);
    i->njobs = parley_step_get32(r);

    if (r->bad || i->njobs != r->len / 8) {
        return -1;
    }

    jobs = parley_arena_alloc(arena, (i->njobs + 1) * sizeof(uint64_t));

    if (jobs == NULL) {
        return -1;
    }

    for (n = 0; n < i->njobs; n++) {
        jobs[n] = parley_step_get64(r);

        if (n != 0 && jobs[n] < jobs[n - 1]) {
            return -1;
        }
    }

    i->jobs = jobs;

    return 0;
}


static int
parley_step_read_held(const parley_store_t *s, parley_step_reader_t *r,
    parley_store_step_t *ret)
{
    const uint8_t       *node, *key;
    parley_import_id_t  *id = &ret->held;

    node = parley_step_get(r, PARLEY_STORE_NODE);
    id->kind = (parley_kind_t) parley_step_get8(r);
    key = parley_step_get(r, PARLEY_KEY_LEN);
    id->stamp = parley_step_get64(r);

    if (r->bad
        || (id->kind != PARLEY_KIND_ID && id->kind != PARLEY_KIND_SLOT))
    {
        return -1;
    }

    if (memcmp(node, s->conf->node, PARLEY_STORE_NODE) == 0) {
        id->key = key;
    }

    return 0;
}


static int
parley_step_read_had(parley_step_reader_t *r, parley_arena_t *arena,
    parley_store_step_t *ret)
{
    parley_had_t    *had = &ret->had;
    parley_place_t  *list;
    const uint8_t   *p;

    ret->import.had = had;

    had->log = parley_step_get(r, PARLEY_KEY_LEN);
    had->all = parley_step_get8(r) != 0;
    had->n = parley_step_get32(r);

    if (had->n > r->len / PARLEY_STEP_PLACE) {
        return -1;
    }

    p = parley_step_get(r, had->n * PARLEY_STEP_PLACE);
    list = parley_arena_alloc(arena, (had->n + 1) * sizeof(parley_place_t));

    if (p == NULL || list == NULL) {
        return -1;
    }

    parley_store_read_places(p, had->n, list);
    had->places = list;

    return 0;
}


static int
parley_step_read_close(parley_step_reader_t *r, parley_store_step_t *ret)
{
    size_t          i;
    const uint8_t  *key;

    ret->import.closes = ret->closes;
    ret->import.ncloses = parley_step_get8(r);

    if (ret->import.ncloses > PARLEY_CLOSES_MAX) {
        return -1;
    }

    for (i = 0; i < ret->import.ncloses; i++) {
        ret->closes[i].kind = (parley_kind_t) parley_step_get8(r);
        key = parley_step_get(r, PARLEY_KEY_LEN);
        ret->closes[i].tag = parley_step_get32(r);

        if (key == NULL || !parley_store_is_shared(ret->closes[i].kind)) {
            return -1;
        }

        memcpy(ret->closes[i].key, key, PARLEY_KEY_LEN);
    }

    return 0;
}


static int
parley_step_read_join(parley_step_reader_t *r, parley_str_t places,
    parley_store_step_t *ret)
{
    uint8_t         flags;
    parley_join_t  *j = &ret->join;
    const uint8_t  *account;

    ret->import.join = j;

    if (places.len != PARLEY_STEP_PLACE) {
        return -1;
    }

    parley_store_read_places(places.data, 1, &ret->import.place);

    if (!parley_step_is_place(&ret->import.place)) {
        return -1;
    }

    j->log = parley_step_get(r, PARLEY_KEY_LEN);
    ret->import.stamp = parley_step_get64(r);

    if (ret->import.stamp == 0) {
        ret->import.stamp = ret->import.number;
    }

    flags = parley_step_get8(r);
    account = parley_step_get(r, PARLEY_KEY_LEN);
    j->account = (flags & PARLEY_STEP_ACCOUNT) != 0 ? account : NULL;
    j->selector = parley_step_get_text(r);
    j->session = parley_step_get_text(r);
    j->card = parley_step_get_text(r);

    return j->selector.len <= PARLEY_SELECTOR_MAX
           && j->session.len <= PARLEY_SESSION_MAX
           && j->card.len <= PARLEY_SESSION_MAX ? 0 : -1;
}
