/* Writes a snapshot as JSON, and as Prometheus text (format 0.0.4). */

#include <string.h>

#include "core/parley_buf.h"
#include "gate/metrics/parley_status.h"


#define PARLEY_STATUS_SIZE  32768   /* octets; initial size of the buffer */


/* a combination of labels: the index of a word in each set */
typedef unsigned  parley_labelled_t[3];


static uint64_t parley_status_held(const parley_snapshot_t *s);
static void parley_status_group(parley_buf_t *b, const parley_snapshot_t *s,
    size_t first);
static void parley_status_member(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m);
static void parley_status_list(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m);
static void parley_status_time(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m);
static void parley_status_help(parley_buf_t *b, const parley_metric_t *m);
static void parley_status_lines(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m);
static void parley_status_labels(parley_buf_t *b, const parley_metric_t *m,
    const parley_labelled_t at);
static void parley_status_histogram(parley_buf_t *b,
    const parley_snapshot_t *s, const parley_metric_t *m);
static int parley_status_has(const parley_snapshot_t *s,
    const parley_metric_t *m);
static unsigned parley_status_first(const parley_metric_t *m,
    parley_labelled_t at);
static unsigned parley_status_next(const parley_metric_t *m,
    parley_labelled_t at);
static int parley_status_usual(const parley_metric_t *m,
    const parley_labelled_t at);
static void parley_status_number(parley_buf_t *b, uint64_t n,
    unsigned digits);
static parley_str_t parley_status_head(parley_str_t member);
static void parley_status_nodes(parley_buf_t *b, const parley_status_t *of);


int
parley_status_json(parley_arena_t *arena, const parley_snapshot_t *s,
    const parley_status_t *of, parley_str_t *ret)
{
    size_t        i, k;
    parley_buf_t  b;
    parley_str_t  head;

    parley_buf_init(&b, arena, PARLEY_STATUS_SIZE);

    parley_buf_lit(&b, "{\"parley\":");
    parley_buf_json_string(&b, of->parley);
    parley_buf_lit(&b, ",\"nginx\":");
    parley_buf_json_string(&b, of->nginx);
    parley_buf_lit(&b, ",\"now\":");
    parley_status_number(&b, (uint64_t) of->now_ms, 3);

    for (i = 0; i < PARLEY_ROWS; i++) {
        head = parley_status_head(parley_metrics[i].member);

        for (k = 0; k < i; k++) {
            if (parley_str_eq(head,
                              parley_status_head(parley_metrics[k].member)))
            {
                break;
            }
        }

        if (k == i) {
            parley_status_group(&b, s, i);
        }
    }

    if (of->suspended != NULL) {
        parley_buf_name(&b, PARLEY_STR("suspended"));
        parley_suspension_tell_all(of->suspended, &b,
                                   parley_status_held(s));
    }

    if (s->store) {
        parley_status_nodes(&b, of);
    }

    parley_buf_lit(&b, "}\n");

    return parley_buf_done(&b, ret);
}


static void
parley_status_nodes(parley_buf_t *b, const parley_status_t *of)
{
    size_t                       i;
    const parley_status_node_t  *n;

    parley_buf_name(b, PARLEY_STR("gateways"));
    parley_buf_octet(b, '[');

    for (i = 0; i < of->nnodes; i++) {
        n = &of->nodes[i];

        if (i != 0) {
            parley_buf_octet(b, ',');
        }

        parley_buf_octet(b, '{');
        parley_buf_member(b, PARLEY_STR("node"), n->node);
        parley_buf_member(b, PARLEY_STR("host"), n->host);
        parley_buf_member(b, PARLEY_STR("version"), n->version);
        parley_buf_member(b, PARLEY_STR("formats"), n->formats);
        parley_buf_member(b, PARLEY_STR("settings"), n->config);
        parley_buf_name(b, PARLEY_STR("lease"));
        parley_status_number(b, (uint64_t) (n->lease_ms > 0 ? n->lease_ms : 0),
                             3);
        parley_buf_name(b, PARLEY_STR("own"));
        parley_buf_str(b, n->own ? PARLEY_STR("true") : PARLEY_STR("false"));
        parley_buf_name(b, PARLEY_STR("differs"));
        parley_buf_str(b, n->differs ? PARLEY_STR("true")
                                     : PARLEY_STR("false"));
        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, ']');
}


static uint64_t
parley_status_held(const parley_snapshot_t *s)
{
    return s->cells[PARLEY_M_SUSPENSIONS + PARLEY_L_HOLD_SUSPENDED]
           + s->cells[PARLEY_M_SUSPENSIONS + PARLEY_L_HOLD_PAUSED];
}


/* Writes the members of one group.  The group begins at the row "first". */

static void
parley_status_group(parley_buf_t *b, const parley_snapshot_t *s, size_t first)
{
    size_t        i;
    parley_str_t  head;

    head = parley_status_head(parley_metrics[first].member);

    if (!s->store && parley_str_is(head, "store")) {
        return;
    }

    parley_buf_name(b, head);
    parley_buf_octet(b, '{');

    for (i = first; i < PARLEY_ROWS; i++) {
        if (parley_str_eq(head, parley_status_head(parley_metrics[i].member))
            && parley_status_has(s, &parley_metrics[i]))
        {
            parley_status_member(b, s, &parley_metrics[i]);
        }
    }

    parley_buf_octet(b, '}');
}


static void
parley_status_member(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m)
{
    unsigned  i;

    parley_buf_name(b, parley_str_from(m->member,
                                       parley_status_head(m->member).len + 1));

    if (m->kind == PARLEY_METRIC_TIME) {
        parley_status_time(b, s, m);

    } else if (m->labels[0] == PARLEY_LABELS_NONE) {
        parley_status_number(b, s->cells[m->first], m->digits);

    } else if (m->labels[1] != PARLEY_LABELS_NONE) {
        parley_status_list(b, s, m);

    } else {
        parley_buf_octet(b, '{');

        for (i = 0; i < parley_label_count(m->labels[0]); i++) {
            parley_buf_name(b, parley_label_word(m->labels[0], i));
            parley_status_number(b, s->cells[m->first + i], m->digits);
        }

        parley_buf_octet(b, '}');
    }
}


/*
 * Writes a metric of several labels: a list of its cells above zero, each with
 * its labels.
 */

static void
parley_status_list(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m)
{
    unsigned           i, cell, n;
    parley_labelled_t  at;

    parley_buf_octet(b, '[');

    n = 0;

    for (cell = parley_status_first(m, at); cell <= m->last;
         cell = parley_status_next(m, at))
    {
        if (s->cells[cell] == 0) {
            continue;
        }

        parley_buf_put(b, ",", n++ > 0);
        parley_buf_octet(b, '{');

        for (i = 0; i < 3 && m->labels[i] != PARLEY_LABELS_NONE; i++) {
            parley_buf_member(b, parley_label_name(m->labels[i]),
                              parley_label_word(m->labels[i], at[i]));
        }

        parley_buf_name(b, PARLEY_STR("n"));
        parley_status_number(b, s->cells[cell], m->digits);
        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, ']');
}


/*
 * Writes {"buckets":[[0.001,7],...,[null,0]],"sum":1.5}.  Each bucket has its
 * own number, which does not include the buckets below it.
 */

static void
parley_status_time(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m)
{
    unsigned         i;
    const uint64_t  *bounds;

    bounds = parley_metric_bounds((parley_metric_id_t) (m - parley_metrics));

    parley_buf_lit(b, "{\"buckets\":[");

    for (i = 0; i < PARLEY_BUCKETS; i++) {
        parley_buf_octet(b, '[');
        parley_status_number(b, bounds[i], m->digits);
        parley_buf_octet(b, ',');
        parley_status_number(b, s->cells[m->first + i], 0);
        parley_buf_lit(b, "],");
    }

    parley_buf_lit(b, "[null,");
    parley_status_number(b, s->cells[m->first + PARLEY_TIME_OVER], 0);
    parley_buf_lit(b, "]],\"sum\":");
    parley_status_number(b, s->cells[m->first + PARLEY_TIME_SUM], m->digits);
    parley_buf_octet(b, '}');
}


int
parley_status_prometheus(parley_arena_t *arena, const parley_snapshot_t *s,
    const parley_status_t *of, parley_str_t *ret)
{
    size_t        i;
    parley_buf_t  b;

    parley_buf_init(&b, arena, PARLEY_STATUS_SIZE);

    parley_buf_lit(&b, "# HELP parley_build_info Always 1: its labels are the "
                   "versions of Parley and nginx.\n"
                   "# TYPE parley_build_info gauge\n"
                   "parley_build_info{version=");
    parley_buf_json_string(&b, of->parley);
    parley_buf_lit(&b, ",nginx=");
    parley_buf_json_string(&b, of->nginx);
    parley_buf_lit(&b, "} 1\n");

    for (i = 0; i < PARLEY_ROWS; i++) {

        if (!parley_status_has(s, &parley_metrics[i])) {
            continue;
        }

        parley_status_help(&b, &parley_metrics[i]);

        if (parley_metrics[i].kind == PARLEY_METRIC_TIME) {
            parley_status_histogram(&b, s, &parley_metrics[i]);

        } else {
            parley_status_lines(&b, s, &parley_metrics[i]);
        }
    }

    return parley_buf_done(&b, ret);
}


static void
parley_status_help(parley_buf_t *b, const parley_metric_t *m)
{
    static const parley_str_t  types[] = {
        [PARLEY_METRIC_COUNT] = parley_str("counter"),
        [PARLEY_METRIC_LEVEL] = parley_str("gauge"),
        [PARLEY_METRIC_TIME] = parley_str("histogram"),
        [PARLEY_METRIC_TOTAL] = parley_str("counter"),
        [PARLEY_METRIC_GAUGE] = parley_str("gauge")
    };

    parley_buf_lit(b, "# HELP ");
    parley_buf_str(b, m->name);
    parley_buf_octet(b, ' ');
    parley_buf_str(b, m->help);
    parley_buf_lit(b, "\n# TYPE ");
    parley_buf_str(b, m->name);
    parley_buf_octet(b, ' ');
    parley_buf_str(b, types[m->kind]);
    parley_buf_octet(b, '\n');
}


/*
 * Writes the lines of a metric.  The usual combinations of labels are written
 * from the beginning with the value 0.  So Prometheus sees their first
 * increase.
 */

static void
parley_status_lines(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m)
{
    unsigned           cell;
    parley_labelled_t  at;

    for (cell = parley_status_first(m, at); cell <= m->last;
         cell = parley_status_next(m, at))
    {
        if (s->cells[cell] == 0 && !parley_status_usual(m, at)) {
            continue;
        }

        parley_buf_str(b, m->name);
        parley_status_labels(b, m, at);
        parley_buf_octet(b, ' ');
        parley_status_number(b, s->cells[cell], m->digits);
        parley_buf_octet(b, '\n');
    }
}


static void
parley_status_labels(parley_buf_t *b, const parley_metric_t *m,
    const parley_labelled_t at)
{
    unsigned  i;

    for (i = 0; i < 3 && m->labels[i] != PARLEY_LABELS_NONE; i++) {
        parley_buf_octet(b, i == 0 ? '{' : ',');
        parley_buf_str(b, parley_label_name(m->labels[i]));
        parley_buf_lit(b, "=\"");
        parley_buf_str(b, parley_label_word(m->labels[i], at[i]));
        parley_buf_octet(b, '"');
    }

    parley_buf_put(b, "}", i > 0);
}


static void
parley_status_histogram(parley_buf_t *b, const parley_snapshot_t *s,
    const parley_metric_t *m)
{
    unsigned         i;
    uint64_t         n;
    const uint64_t  *bounds;

    bounds = parley_metric_bounds((parley_metric_id_t) (m - parley_metrics));

    n = 0;

    for (i = 0; i <= PARLEY_BUCKETS; i++) {
        n += s->cells[m->first + i];

        parley_buf_str(b, m->name);
        parley_buf_lit(b, "_bucket{le=\"");

        if (i < PARLEY_BUCKETS) {
            parley_status_number(b, bounds[i], m->digits);

        } else {
            parley_buf_lit(b, "+Inf");
        }

        parley_buf_lit(b, "\"} ");
        parley_status_number(b, n, 0);
        parley_buf_octet(b, '\n');
    }

    parley_buf_str(b, m->name);
    parley_buf_lit(b, "_sum ");
    parley_status_number(b, s->cells[m->first + PARLEY_TIME_SUM], m->digits);
    parley_buf_octet(b, '\n');
    parley_buf_str(b, m->name);
    parley_buf_lit(b, "_count ");
    parley_status_number(b, n, 0);
    parley_buf_octet(b, '\n');
}


/*
 * Returns whether the snapshot has the metric.  The metrics from LIMITED to
 * SUSPENSIONS are missing if the state did not answer, and those of the store
 * without a store.
 */

static int
parley_status_has(const parley_snapshot_t *s, const parley_metric_t *m)
{
    if ((m->first >= PARLEY_M_STORE_UP && m->first <= PARLEY_M_STORE_FALLBACK)
        || (m->first >= PARLEY_M_STORE_GENERATION
            && m->first <= PARLEY_M_STORE_CLOCK))
    {
        return s->store;
    }

    return s->state
           || m->first < PARLEY_M_LIMITED || m->first > PARLEY_M_SUSPENSIONS;
}


/*
 * Iterate over the cells of a metric in their order.  The end is a cell behind
 * m->last.
 */

static unsigned
parley_status_first(const parley_metric_t *m, parley_labelled_t at)
{
    memset(at, 0, sizeof(parley_labelled_t));

    return m->first;
}


static unsigned
parley_status_next(const parley_metric_t *m, parley_labelled_t at)
{
    unsigned  i, cell;

    for (i = 3; i > 0; i--) {
        if (++at[i - 1] < parley_label_count(m->labels[i - 1])) {
            break;
        }

        at[i - 1] = 0;
    }

    if (i == 0) {
        return m->last + 1;
    }

    cell = 0;

    for (i = 0; i < 3; i++) {
        cell = cell * parley_label_count(m->labels[i]) + at[i];
    }

    return m->first + cell;
}


static int
parley_status_usual(const parley_metric_t *m, const parley_labelled_t at)
{
    if (m->labels[0] == PARLEY_LABELS_ACCEPTED) {

        if (m->labels[2] == PARLEY_LABELS_VERDICT
            ? at[2] + 1 != PARLEY_VERDICT_PASSED
              && at[2] + 1 != PARLEY_VERDICT_REFUSED
            : at[2] != PARLEY_OUTCOME_ANSWERED
              && at[2] != PARLEY_OUTCOME_FAILED)
        {
            return 0;
        }

        return at[0] < PARLEY_PROTO_COUNT && at[1] < PARLEY_PROTO_COUNT;
    }

    return m->labels[1] != PARLEY_LABELS_BY || at[1] == PARLEY_L_BY_GATEWAY;
}


/*
 * Writes n with a number of decimal places, without trailing zeros: 1500 with 3
 * digits is "1.5".
 */

static void
parley_status_number(parley_buf_t *b, uint64_t n, unsigned digits)
{
    uint8_t   text[24];
    size_t    at;
    unsigned  i;

    at = sizeof(text);

    for (i = 0; i < digits || n > 0 || i == digits; i++) {
        if (i == digits && at < sizeof(text)) {
            text[--at] = '.';
        }

        if (i >= digits || at < sizeof(text) || n % 10 != 0) {
            text[--at] = (uint8_t) ('0' + n % 10);
        }

        n /= 10;
    }

    parley_buf_put(b, text + at, sizeof(text) - at);
}


static parley_str_t
parley_status_head(parley_str_t member)
{
    return parley_str_until(member, '.');
}
