#include "schemas/parley_schema_run.h"

#include <stdarg.h>
#include <stdio.h>


typedef struct {
    char    data[PARLEY_TEXT_MAX];
    size_t  len;
} parley_schema_words_t;


static void parley_schema_say(parley_schema_words_t *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void parley_schema_say_span(parley_schema_words_t *w,
    const char *before, parley_str_t s);
static void parley_schema_say_types(parley_schema_words_t *w, unsigned types);
static void parley_schema_say_values(parley_schema_words_t *w,
    const parley_schema_t *s, parley_schema_keyword_t keyword);
static void parley_schema_say_count(parley_schema_words_t *w,
    const char *least, uint32_t n, const char *one, const char *many);
static int parley_schema_say_string(parley_schema_words_t *w,
    const parley_schema_finding_t *f);
static int parley_schema_say_number(parley_schema_words_t *w,
    const parley_schema_finding_t *f);
static void parley_schema_say_container(parley_schema_words_t *w,
    const parley_schema_finding_t *f);
static void parley_schema_words(parley_schema_words_t *w,
    const parley_schema_finding_t *f);
static parley_code_t parley_schema_code(const parley_schema_run_t *run,
    const parley_schema_finding_t *f);
static int parley_schema_refuses_member(const parley_schema_run_t *run,
    const parley_schema_finding_t *f);
static void parley_schema_field(const parley_schema_run_t *run,
    const parley_schema_finding_t *f, char field[PARLEY_POINTER_MAX]);
static void parley_schema_location(const parley_schema_finding_t *f,
    parley_schema_error_t *err);


void
parley_schema_found(parley_schema_run_t *run, const parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t i)
{
    parley_schema_finding_t  f;

    memset(&f, 0, sizeof(parley_schema_finding_t));

    f.schema = s;
    f.keyword = keyword;
    f.node = i;
    f.place = 2 * (uint64_t) i;

    parley_schema_offer(run, &f);
}


void
parley_schema_found_missing(parley_schema_run_t *run,
    const parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t i,
    const parley_schema_name_t *name)
{
    parley_schema_finding_t  f;

    memset(&f, 0, sizeof(parley_schema_finding_t));

    f.schema = s;
    f.keyword = keyword;
    f.node = i;
    f.place = 2 * (uint64_t) run->nodes[i].next - 1;
    f.missing = name;

    parley_schema_offer(run, &f);
}


void
parley_schema_offer(parley_schema_run_t *run,
    const parley_schema_finding_t *finding)
{
    if (run->found.schema == NULL || finding->place < run->found.place) {
        run->found = *finding;
    }
}


void
parley_schema_explain(const parley_schema_run_t *run, int rc,
    parley_schema_error_t *err)
{
    char                            field[PARLEY_POINTER_MAX];
    uint32_t                        node;
    parley_schema_words_t           w;
    const parley_schema_finding_t  *f;

    if (rc == PARLEY_SCHEMA_MEMORY) {
        (void) parley_schema_no_memory(err);
        return;
    }

    f = &run->found;
    w.data[0] = '\0';
    w.len = 0;

    err->keyword = "";
    err->line = 0;
    err->column = 0;
    err->location[0] = '\0';

    if (f->schema == NULL) {
        node = run->current;
        parley_json_pointer(run->doc, node, field, sizeof(field));
        (void) parley_error_set(&err->error, PARLEY_E_FIELD_INVALID, field,
                                "takes too much work to check");
    } else {
        node = f->node;
        parley_schema_field(run, f, field);
        parley_schema_words(&w, f);
        (void) parley_error_set(&err->error, parley_schema_code(run, f),
                                field, "%s", w.data);
        parley_schema_location(f, err);
    }

    err->error.offset = run->nodes[node].off
                        - (run->nodes[node].type == PARLEY_JSON_STRING);
}


static void
parley_schema_say(parley_schema_words_t *w, const char *fmt, ...)
{
    int      n;
    va_list  args;

    va_start(args, fmt);
    n = vsnprintf(w->data + w->len, sizeof(w->data) - w->len, fmt, args);
    va_end(args);

    if (n > 0) {
        w->len += (size_t) n;
    }

    if (w->len >= sizeof(w->data)) {
        w->len = sizeof(w->data) - 1;
    }
}


static void
parley_schema_say_span(parley_schema_words_t *w, const char *before,
    parley_str_t s)
{
    parley_schema_say(w, "%s%.*s", before, (int) s.len,
                      s.len ? (const char *) s.data : "");
}


static void
parley_schema_say_types(parley_schema_words_t *w, unsigned types)
{
    size_t       i;
    const char  *glue;

    static const struct {
        unsigned     mask;
        const char  *name;
    } names[] = {
        { PARLEY_SCHEMA_OBJECT, "an object" },
        { PARLEY_SCHEMA_ARRAY, "an array" },
        { PARLEY_SCHEMA_STRING, "a string" },
        { PARLEY_SCHEMA_NUMBER, "a number" },
        { PARLEY_SCHEMA_INTEGER, "an integer" },
        { PARLEY_SCHEMA_BOOLEAN, "a boolean" },
        { PARLEY_SCHEMA_NULL, "null" }
    };

    glue = "must be ";

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (types & names[i].mask) {
            parley_schema_say(w, "%s%s", glue, names[i].name);
            glue = " or ";
        }
    }

    if (types == 0) {
        parley_schema_say(w, "cannot be of any type");
    }
}


static void
parley_schema_say_values(parley_schema_words_t *w, const parley_schema_t *s,
    parley_schema_keyword_t keyword)
{
    const char                    *glue;
    parley_schema_value_t         *v;
    const parley_schema_values_t  *values;

    for (values = s->values; values->keyword != keyword;
         values = values->next)
    {
        /* void */
    }

    glue = (values->n == 1) ? "must be " : "must be one of ";

    for (v = values->values; v < values->values + values->n; v++) {
        parley_schema_say_span(w, glue,
                               (v->type == PARLEY_JSON_STRING && values->n > 1)
                               ? v->text
                               : parley_json_raw(v->ref.doc, v->ref.node));
        glue = ", ";
    }

    if (values->n == 0) {
        parley_schema_say(w, "no value");
    }
}


static void
parley_schema_say_count(parley_schema_words_t *w, const char *least,
    uint32_t n, const char *one, const char *many)
{
    parley_schema_say(w, "%s %lu %s", least, (unsigned long) n,
                      (n == 1) ? one : many);
}


/* Returns 0 if the finding is about a string. */
static int
parley_schema_say_string(parley_schema_words_t *w,
    const parley_schema_finding_t *f)
{
    const parley_schema_string_t  *string;

    string = f->schema->string;

    switch (f->keyword) {

    case PARLEY_SCHEMA_K_MIN_LENGTH:
        parley_schema_say_count(w, "must be at least", string->min,
                                "character", "characters");
        return 0;

    case PARLEY_SCHEMA_K_MAX_LENGTH:
        parley_schema_say_count(w, "must be at most", string->max,
                                "character", "characters");
        return 0;

    case PARLEY_SCHEMA_K_MAX_OCTETS:
        parley_schema_say_count(w, "must be at most", string->octets,
                                "octet", "octets");
        return 0;

    case PARLEY_SCHEMA_K_PATTERN:

        if (string->words.len > 0) {
            parley_schema_say_span(w, "must be ", string->words);

        } else {
            parley_schema_say_span(w, "must match ",
                                   string->pattern->source);
        }

        return 0;

    case PARLEY_SCHEMA_K_FORMAT:
        parley_schema_say(w, "must be %s",
                          parley_format_text((parley_format_t)
                                             string->format));
        return 0;

    default:
        return -1;
    }
}


/* Returns 0 if the finding is about a number. */
static int
parley_schema_say_number(parley_schema_words_t *w,
    const parley_schema_finding_t *f)
{
    const parley_schema_number_t  *n;

    n = f->schema->number;

    switch (f->keyword) {

    case PARLEY_SCHEMA_K_MULTIPLE_OF:
        parley_schema_say_span(w, "must be a multiple of ",
                               n->divisor_literal);
        return 0;

    case PARLEY_SCHEMA_K_MINIMUM:
        parley_schema_say_span(w, "must be at least ", n->minimum.literal);
        return 0;

    case PARLEY_SCHEMA_K_EXCLUSIVE_MINIMUM:
        parley_schema_say_span(w, "must be greater than ",
                               n->exclusive_minimum.literal);
        return 0;

    case PARLEY_SCHEMA_K_MAXIMUM:
        parley_schema_say_span(w, "must be at most ", n->maximum.literal);
        return 0;

    case PARLEY_SCHEMA_K_EXCLUSIVE_MAXIMUM:
        parley_schema_say_span(w, "must be less than ",
                               n->exclusive_maximum.literal);
        return 0;

    default:
        return -1;
    }
}


static void
parley_schema_say_container(parley_schema_words_t *w,
    const parley_schema_finding_t *f)
{
    const parley_schema_t  *s;

    s = f->schema;

    switch (f->keyword) {

    case PARLEY_SCHEMA_K_MIN_ITEMS:
        parley_schema_say_count(w, "must have at least", s->array->min,
                                "element", "elements");
        break;

    case PARLEY_SCHEMA_K_MAX_ITEMS:
        parley_schema_say_count(w, "must have at most", s->array->max,
                                "element", "elements");
        break;

    case PARLEY_SCHEMA_K_UNIQUE_ITEMS:
        parley_schema_say(w, "must not have two equal elements");
        break;

    case PARLEY_SCHEMA_K_CONTAINS:
    case PARLEY_SCHEMA_K_MIN_CONTAINS:
        parley_schema_say_count(w, "must have at least",
                                s->array->min_contains,
                                "element of a certain form",
                                "elements of a certain form");
        break;

    case PARLEY_SCHEMA_K_MAX_CONTAINS:
        parley_schema_say_count(w, "must have at most",
                                s->array->max_contains,
                                "element of a certain form",
                                "elements of a certain form");
        break;

    case PARLEY_SCHEMA_K_MIN_PROPERTIES:
        parley_schema_say_count(w, "must have at least", s->object->min,
                                "member", "members");
        break;

    case PARLEY_SCHEMA_K_MAX_PROPERTIES:
        parley_schema_say_count(w, "must have at most", s->object->max,
                                "member", "members");
        break;

    default:
        break;
    }
}


static void
parley_schema_words(parley_schema_words_t *w,
    const parley_schema_finding_t *f)
{
    const parley_schema_t  *s;

    s = f->schema;

    switch (f->keyword) {

    case PARLEY_SCHEMA_K_NONE:
        parley_schema_say(w, "is not allowed here");
        return;

    case PARLEY_SCHEMA_K_TYPE:
        parley_schema_say_types(w, s->types);
        return;

    case PARLEY_SCHEMA_K_CONST:
    case PARLEY_SCHEMA_K_ENUM:
        parley_schema_say_values(w, s, f->keyword);
        return;

    case PARLEY_SCHEMA_K_REQUIRED:
        parley_schema_say(w, "is missing");
        return;

    case PARLEY_SCHEMA_K_DEPENDENT_REQUIRED:
        parley_schema_say(w, "is missing, and another member requires it");
        return;

    case PARLEY_SCHEMA_K_NOT:
        parley_schema_say(w, "has a form that is not allowed");
        return;

    case PARLEY_SCHEMA_K_ANY_OF:
    case PARLEY_SCHEMA_K_ONE_OF:
        if (f->count > 1) {
            parley_schema_say(w, "has more than one of the allowed forms");

        } else if (f->types != 0) {
            parley_schema_say_types(w, f->types);

        } else {
            parley_schema_say(w, "does not have an allowed form");
        }

        return;

    default:
        break;
    }

    if (parley_schema_say_string(w, f) != 0
        && parley_schema_say_number(w, f) != 0)
    {
        parley_schema_say_container(w, f);
    }
}


static parley_code_t
parley_schema_code(const parley_schema_run_t *run,
    const parley_schema_finding_t *f)
{
    if (f->missing != NULL) {
        return PARLEY_E_FIELD_MISSING;
    }

    return parley_schema_refuses_member(run, f) ? PARLEY_E_FIELD_UNKNOWN
                                                : PARLEY_E_FIELD_INVALID;
}


/* Returns whether the false schema refuses a member as such. */
static int
parley_schema_refuses_member(const parley_schema_run_t *run,
    const parley_schema_finding_t *f)
{
    if (f->keyword != PARLEY_SCHEMA_K_NONE || f->node == 0
        || !(run->nodes[f->node - 1].flags & PARLEY_JSON_KEY))
    {
        return 0;
    }

    switch (f->schema->parent) {

    case PARLEY_SCHEMA_K_PROPERTIES:
    case PARLEY_SCHEMA_K_PATTERN_PROPERTIES:
    case PARLEY_SCHEMA_K_ADDITIONAL_PROPERTIES:
    case PARLEY_SCHEMA_K_UNEVALUATED_PROPERTIES:
        return 1;
    }

    return 0;
}


static void
parley_schema_field(const parley_schema_run_t *run,
    const parley_schema_finding_t *f, char field[PARLEY_POINTER_MAX])
{
    size_t   i, n;
    uint8_t  c;

    n = parley_json_pointer(run->doc, f->node, field, PARLEY_POINTER_MAX);

    if (f->missing == NULL) {
        return;
    }

    if (n + 1 < PARLEY_POINTER_MAX) {
        field[n++] = '/';
    }

    for (i = 0; i < f->missing->text.len && n + 2 < PARLEY_POINTER_MAX; i++) {
        c = f->missing->text.data[i];

        if (c == '~' || c == '/') {
            field[n++] = '~';
            c = (c == '~') ? '0' : '1';
        }

        field[n++] = (char) c;
    }

    field[n] = '\0';
}


static void
parley_schema_location(const parley_schema_finding_t *f,
    parley_schema_error_t *err)
{
    char                             pointer[PARLEY_POINTER_MAX];
    parley_schema_keyword_t          keyword;
    const parley_schema_t           *s;
    const parley_schema_resource_t  *root;

    s = f->schema;
    keyword = f->keyword;
    parley_json_pointer(&s->resource->doc->json, s->node, pointer,
                        sizeof(pointer));

    for (root = s->resource; root->parent != NULL; root = root->parent) {
        /* void */
    }

    /* a false schema is reported under its parent keyword */

    err->keyword = (const char *)
                   parley_schema_keywords[keyword ? keyword
                                                  : s->parent].name.data;

    snprintf(err->location, sizeof(err->location), "%.*s#%s%s%s",
             (int) root->uri.len, (const char *) root->uri.data, pointer,
             keyword ? "/" : "", keyword ? err->keyword : "");
}
