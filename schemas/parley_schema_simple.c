/*
 * Patterns such as ^sha256:[a-f0-9]{64}$ need no engine: a sequence of greedy
 * steps over sets of characters.  Being greedy is correct only if the end of a
 * step is unambiguous, so in a simple pattern a step of variable length shares
 * no character with the steps that may follow it.  Two extensions: an optional
 * tail, as in ^[a-z]+(?:@[a-z]+)?$, and, before any step of variable length, a
 * string that must not follow: (?!org/) or (?!org(?:$|@)).
 */

#include "schemas/parley_schema_pattern.h"


#define PARLEY_SCHEMA_STEPS_MAX   128
#define PARLEY_SCHEMA_REPEAT_MAX  65535


typedef struct {
    const uint8_t         *p;
    const uint8_t         *end;
    uint32_t               n;
    uint32_t               optional;    /* as in parley_schema_simple_t */
    uint32_t               lookahead_at;
    parley_str_t           lookahead;
    uint8_t                lookahead_then;
    parley_schema_step_t   steps[PARLEY_SCHEMA_STEPS_MAX];
} parley_schema_simple_read_t;


#define parley_schema_simple_begins(r, text)                                  \
    parley_str_begins(parley_str_make((r)->p, (size_t) ((r)->end - (r)->p)),  \
                      text)


static int parley_schema_simple_read(parley_schema_simple_read_t *r,
    int *ret_end);
static int parley_schema_simple_group(parley_schema_simple_read_t *r,
    int *ret_end);
static int parley_schema_simple_lookahead(parley_schema_simple_read_t *r);
static int parley_schema_simple_is_fixed(const parley_schema_simple_read_t *r,
    uint32_t n);
static int parley_schema_simple_atom(parley_schema_simple_read_t *r,
    uint64_t set[2]);
static int parley_schema_simple_escape(parley_schema_simple_read_t *r,
    uint64_t set[2], int *ret_char);
static int parley_schema_simple_class(parley_schema_simple_read_t *r,
    uint64_t set[2]);
static int parley_schema_simple_member(parley_schema_simple_read_t *r,
    uint64_t set[2], int *ret_char);
static int parley_schema_simple_quantifier(parley_schema_simple_read_t *r,
    parley_schema_step_t *step);
static int parley_schema_simple_count(parley_schema_simple_read_t *r,
    uint32_t *ret);
static int parley_schema_simple_certain(const parley_schema_step_t *steps,
    uint32_t n);


static inline void
parley_schema_set_range(uint64_t set[2], int from, int to)
{
    for ( ; from <= to; from++) {
        set[from >> 6] |= (uint64_t) 1 << (from & 63);
    }
}


int
parley_schema_simple_compile(parley_arena_t *arena, parley_str_t source,
    parley_schema_simple_t **ret)
{
    int                           start, end;
    uint32_t                      i;
    parley_schema_simple_t       *simple;
    parley_schema_simple_read_t   r;

    *ret = NULL;

    r.p = source.data;
    r.end = source.data + source.len;
    r.n = 0;
    r.optional = UINT32_MAX;
    r.lookahead_at = UINT32_MAX;
    r.lookahead = parley_str_make(NULL, 0);
    r.lookahead_then = 0;

    start = (r.p < r.end && *r.p == '^');
    r.p += start;

    if (parley_schema_simple_read(&r, &end) != 0
        || r.n == 0
        || !parley_schema_simple_certain(r.steps, r.n)
        || (!start && (!end || r.optional != UINT32_MAX
                       || r.lookahead_at != UINT32_MAX
                       || !parley_schema_simple_is_fixed(&r, r.n))))
    {
        return 0;
    }

    simple = parley_arena_calloc(arena, sizeof(parley_schema_simple_t));
    if (simple == NULL) {
        return -1;
    }

    for (i = 0; i < r.n && i < r.optional; i++) {
        simple->len += r.steps[i].min;
    }

    simple->steps = parley_arena_alloc(arena,
                                       r.n * sizeof(parley_schema_step_t));
    if (simple->steps == NULL) {
        return -1;
    }

    memcpy(simple->steps, r.steps, r.n * sizeof(parley_schema_step_t));
    simple->nsteps = r.n;
    simple->optional = r.optional;
    simple->lookahead_at = r.lookahead_at;
    simple->lookahead = r.lookahead;
    simple->lookahead_then = r.lookahead_then;
    simple->start = start & 1;
    simple->end = end & 1;
    *ret = simple;

    return parley_schema_simple_prepare(arena, simple);
}


/* Returns 0 if the whole pattern was read, -1 if it is not simple. */
static int
parley_schema_simple_read(parley_schema_simple_read_t *r, int *ret_end)
{
    parley_schema_step_t  *step;

    *ret_end = 0;

    while (r->p < r->end) {

        if (*r->p == '$' && r->p + 1 == r->end
            && r->optional == UINT32_MAX)
        {
            *ret_end = 1;
            break;
        }

        if (*r->p == '(' || *r->p == ')') {
            if (parley_schema_simple_group(r, ret_end) != 0) {
                return -1;
            }

            continue;
        }

        if (r->n == PARLEY_SCHEMA_STEPS_MAX) {
            return -1;
        }

        step = &r->steps[r->n++];
        step->set[0] = 0;
        step->set[1] = 0;
        step->min = 1;
        step->max = 1;
        step->table = NULL;

        if (parley_schema_simple_atom(r, step->set) != 0
            || parley_schema_simple_quantifier(r, step) != 0)
        {
            return -1;
        }
    }

    /* a group must end the pattern, an assertion must precede a step */

    return ((r->optional != UINT32_MAX && !*ret_end)
            || (r->lookahead_at != UINT32_MAX && r->lookahead_at == r->n))
           ? -1 : 0;
}


static int
parley_schema_simple_group(parley_schema_simple_read_t *r, int *ret_end)
{
    if (parley_schema_simple_begins(r, "(?!")) {
        return parley_schema_simple_lookahead(r);
    }

    if (parley_schema_simple_begins(r, "(?:") && r->optional == UINT32_MAX) {
        r->optional = r->n;
        r->p += 3;
        return 0;
    }

    if (parley_schema_simple_begins(r, ")?$") && r->p + 3 == r->end
        && r->optional < r->n)
    {
        *ret_end = 1;
        r->p = r->end;
        return 0;
    }

    return -1;
}


/* Reads "(?!" text, an optional "(?:$|" character ")", and ")". */
static int
parley_schema_simple_lookahead(parley_schema_simple_read_t *r)
{
    if (r->lookahead_at != UINT32_MAX || r->optional != UINT32_MAX
        || !parley_schema_simple_is_fixed(r, r->n))
    {
        return -1;
    }

    r->p += 3;
    r->lookahead_at = r->n;
    r->lookahead.data = r->p;

    while (r->p < r->end && ((*r->p >= 'a' && *r->p <= 'z') || *r->p == '/')) {
        r->p++;
    }

    r->lookahead.len = (size_t) (r->p - r->lookahead.data);

    if (parley_schema_simple_begins(r, "(?:$|") && r->end - r->p > 6
        && (r->p[5] == '@' || r->p[5] == '/') && r->p[6] == ')')
    {
        r->lookahead_then = r->p[5];
        r->p += 7;
    }

    if (r->lookahead.len == 0 || !parley_schema_simple_begins(r, ")")) {
        return -1;
    }

    r->p++;

    /* a quantified assertion is an error that PCRE2 reports */

    return (r->p < r->end && strchr("*+?{", *r->p) != NULL && *r->p != '\0')
           ? -1 : 0;
}


static int
parley_schema_simple_is_fixed(const parley_schema_simple_read_t *r,
    uint32_t n)
{
    while (n > 0 && r->steps[n - 1].min == r->steps[n - 1].max) {
        n--;
    }

    return n == 0;
}


static int
parley_schema_simple_atom(parley_schema_simple_read_t *r, uint64_t set[2])
{
    int      c;
    uint8_t  octet;

    octet = *r->p++;

    if (octet == '\\') {
        if (parley_schema_simple_escape(r, set, &c) != 0) {
            return -1;
        }

        if (c >= 0) {
            parley_schema_set_range(set, c, c);
        }

        return 0;
    }

    if (octet == '[') {
        return parley_schema_simple_class(r, set);
    }

    if (octet >= 0x80 || octet == '\0'
        || strchr("^$.*+?()]{}|", octet) != NULL)
    {
        return -1;
    }

    parley_schema_set_range(set, octet, octet);

    return 0;
}


/*
 * Reads the part after a backslash: a class, with *ret_char -1, or a character.
 */
static int
parley_schema_simple_escape(parley_schema_simple_read_t *r, uint64_t set[2],
    int *ret_char)
{
    uint8_t  c;

    if (r->p == r->end) {
        return -1;
    }

    c = *r->p++;
    *ret_char = -1;

    if (c == 'd' || c == 'w') {
        parley_schema_set_range(set, '0', '9');

        if (c == 'w') {
            parley_schema_set_range(set, 'A', 'Z');
            parley_schema_set_range(set, 'a', 'z');
            parley_schema_set_range(set, '_', '_');
        }

        return 0;
    }

    if (c == '\0' || strchr("^$\\.*+?()[]{}|/-", c) == NULL) {
        return -1;
    }

    *ret_char = c;

    return 0;
}


static int
parley_schema_simple_class(parley_schema_simple_read_t *r, uint64_t set[2])
{
    int  from, to;

    if (r->p < r->end && (*r->p == '^' || *r->p == ']')) {
        return -1;
    }

    while (r->p < r->end && *r->p != ']') {

        if (parley_schema_simple_member(r, set, &from) != 0) {
            return -1;
        }

        if (r->end - r->p < 2 || r->p[0] != '-' || r->p[1] == ']') {
            if (from >= 0) {
                parley_schema_set_range(set, from, from);
            }

            continue;
        }

        r->p++;

        if (parley_schema_simple_member(r, set, &to) != 0
            || from < 0 || to < from)
        {
            return -1;
        }

        parley_schema_set_range(set, from, to);
    }

    if (r->p == r->end) {
        return -1;
    }

    r->p++;

    return 0;
}


static int
parley_schema_simple_member(parley_schema_simple_read_t *r, uint64_t set[2],
    int *ret_char)
{
    uint8_t  c;

    c = *r->p++;

    if (c == '\\') {
        return parley_schema_simple_escape(r, set, ret_char);
    }

    *ret_char = c;

    return (c >= 0x80) ? -1 : 0;
}


static int
parley_schema_simple_quantifier(parley_schema_simple_read_t *r,
    parley_schema_step_t *step)
{
    uint8_t  c;

    c = (r->p < r->end) ? *r->p : '\0';

    switch (c) {

    case '*':
    case '+':
        step->min = (c == '+');
        step->max = UINT32_MAX;
        r->p++;
        break;

    case '?':
        step->min = 0;
        r->p++;
        break;

    case '{':
        r->p++;

        if (parley_schema_simple_count(r, &step->min) != 0
            || r->p == r->end)
        {
            return -1;
        }

        step->max = step->min;

        if (*r->p == ',') {
            r->p++;
            step->max = UINT32_MAX;

            if (r->p < r->end && *r->p != '}'
                && (parley_schema_simple_count(r, &step->max) != 0
                    || step->max < step->min))
            {
                return -1;
            }
        }

        if (r->p == r->end || *r->p++ != '}') {
            return -1;
        }

        break;

    default:
        return 0;
    }

    /* a lazy quantifier, or an error that PCRE2 reports */

    return (r->p < r->end && strchr("*+?{", *r->p) != NULL && *r->p != '\0')
           ? -1 : 0;
}


static int
parley_schema_simple_count(parley_schema_simple_read_t *r, uint32_t *ret)
{
    const uint8_t  *start;

    start = r->p;
    *ret = 0;

    while (r->p < r->end && *r->p >= '0' && *r->p <= '9') {
        *ret = *ret * 10 + (uint32_t) (*r->p++ - '0');

        if (*ret > PARLEY_SCHEMA_REPEAT_MAX) {
            return -1;
        }
    }

    return (r->p == start) ? -1 : 0;
}


static int
parley_schema_simple_certain(const parley_schema_step_t *steps, uint32_t n)
{
    uint32_t  i, j;

    for (i = 0; i < n; i++) {
        if (steps[i].min == steps[i].max) {
            continue;
        }

        for (j = i + 1; j < n; j++) {
            if ((steps[i].set[0] & steps[j].set[0])
                || (steps[i].set[1] & steps[j].set[1]))
            {
                return 0;
            }

            if (steps[j].min > 0) {
                break;
            }
        }
    }

    return 1;
}
