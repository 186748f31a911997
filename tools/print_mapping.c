/*
 * print-mapping DIR: prints the tables of docs/mapping, each after a line "=
 * page name".  tools/print-mapping puts them into the pages.
 */

#define _GNU_SOURCE     /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/print_mapping.h"
#include "translate/parley_codec.h"


static void mapping_fields(void);
static void mapping_rules(void);
static void mapping_forms(const mapping_t *t, parley_proto_t proto);
static void mapping_targets(mapping_t *t, parley_proto_t proto);
static void mapping_answers(mapping_t *t, parley_proto_t proto);
static void mapping_taken(mapping_t *t, parley_proto_t proto);
static void mapping_head(const char *page, const char *name,
    const char *row, parley_proto_t but);
static void mapping_first(const mapping_form_t *form);
static void mapping_where(const mapping_form_t *form, parley_str_t value);
static void mapping_deadline(const mapping_form_t *form);
static uint32_t mapping_find(const parley_json_t *doc, uint32_t node,
    parley_str_t value, int part);
static uint32_t mapping_find_number(const parley_json_t *doc, uint32_t node,
    int64_t value);
static int mapping_holds(const parley_json_t *doc, uint32_t node,
    parley_str_t value, int part);
static void mapping_cell(const mapping_made_t *made);
static void mapping_form(const parley_msg_t *m);
static void mapping_member(const parley_json_t *doc, const char *sep,
    const char *pointer);


static const char *const  mapping_acts[] = {
    "request", "reply", "failure", "event", "progress"
};

static const char *const  mapping_alarms[] = {
    "", "info", "warning", "critical", "emergency"
};

static const char *const  mapping_notices[] = {
    "", "now", "order", "record", "offer"
};


int
main(int argc, char **argv)
{
    unsigned    i;
    mapping_t  *t;

    t = calloc(1, sizeof(mapping_t));

    if (argc != 2 || t == NULL) {
        mapping_die("usage: print-mapping DIR");
    }

    mapping_read(t, argv[1]);

    mapping_fields();
    mapping_rules();
    mapping_names(t);

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        mapping_forms(t, (parley_proto_t) i);
        mapping_targets(t, (parley_proto_t) i);
        mapping_answers(t, (parley_proto_t) i);
    }

    mapping_taken(t, PARLEY_PROTO_C2A);
    mapping_attention();

    parley_directory_free(t->directory);
    parley_engine_destroy(t->engine);
    parley_arena_reset(&t->arena);
    free(t);

    return 0;
}


/* Prints the member that has each canonical field, for each codec. */

static void
mapping_fields(void)
{
    unsigned  i, k;

    static const struct {
        const char         *title;
        parley_msg_field_t  field;
    } fields[] = {
        { "form", PARLEY_MSG_FORM },
        { "id", PARLEY_MSG_ID },
        { "created", PARLEY_MSG_CREATED },
        { "sender", PARLEY_MSG_SENDER },
        { "recipient", PARLEY_MSG_RECIPIENT },
        { "intent", PARLEY_MSG_INTENT },
        { "correlation", PARLEY_MSG_CORR },
        { "in reply to", PARLEY_MSG_REPLY_TO },
        { "priority", PARLEY_MSG_PRIORITY },
        { "deadline", PARLEY_MSG_TIMEOUT },
        { "data", PARLEY_MSG_DATA },
        { "signature", PARLEY_MSG_SIGNATURE },
        { "credential", PARLEY_MSG_SECRET },
    };

    mapping_head("mapping", "fields", "canonical", PARLEY_PROTO_NONE);

    for (k = 0; k < sizeof(fields) / sizeof(fields[0]); k++) {
        printf("| %s |", fields[k].title);

        for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
            const char  *pointer;

            pointer = parley_codecs[i]->pointers[fields[k].field];

            printf(pointer != NULL ? " `%s` |" : " |", pointer);
        }

        printf("\n");
    }
}


/* Prints the other properties of each codec. */

static void
mapping_rules(void)
{
    unsigned               i, k;
    parley_str_t           name;
    const parley_codec_t  *codec;

    static const char *const  rows[] = {
        "told by", "how old (s)", "how early (s)", "needs TLS",
        "needs a signature", "a reply names"
    };

    mapping_head("mapping", "rules", "", PARLEY_PROTO_NONE);

    for (k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        printf("| %s |", rows[k]);

        for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
            codec = parley_codecs[i];

            switch (k) {

            case 0:
                name = parley_atom_name(codec->discriminator);
                printf(" `%.*s` |", mapping_len(name));
                break;

            case 1:
            case 2:
                printf(" %lld |",
                       (long long) (k == 1 ? codec->past_max_ms
                                           : codec->future_max_ms) / 1000);
                break;

            case 3:
                printf(codec->needs_tls ? " yes |" : " |");
                break;

            case 4:
                printf(codec->needs_signature ? " yes |" : " |");
                break;

            default:
                printf(codec->replies_by_corr ? " the correlation |"
                                              : " the id |");
            }
        }

        printf("\n");
    }
}


/* Prints the canonical fields of a message of each form. */

static void
mapping_forms(const mapping_t *t, parley_proto_t proto)
{
    unsigned               i;
    const parley_msg_t    *m;
    const mapping_form_t  *form;

    printf("= %s forms\n"
           "| form | act | intent | priority | deadline | correlation "
           "| in reply to | text | alarm, notice |\n"
           "|---|---|---|---|---|---|---|---|---|\n",
           (const char *) parley_proto_name(proto).data);

    for (i = 0; i < t->nforms[proto]; i++) {
        form = &t->forms[proto][i];
        m = &form->msg;

        mapping_first(form);

        printf(" %s | `%.*s` | %.*s |", mapping_acts[m->act],
               mapping_len(m->intent),
               mapping_len(parley_priority_name(m->priority)));

        mapping_deadline(form);
        mapping_where(form, m->corr);
        mapping_where(form, m->reply_to);
        mapping_where(form, m->text);

        printf(" %s%s%s%s |\n", mapping_alarms[m->alarm],
               m->alarm && m->notice ? ", " : "",
               mapping_notices[m->notice],
               m->local ? "the gateway's own" : "");
    }
}


/* Prints the translation of each form into each other protocol. */

static void
mapping_targets(mapping_t *t, parley_proto_t proto)
{
    unsigned               i, to;
    mapping_made_t         made;
    const mapping_form_t  *form;

    mapping_head((const char *) parley_proto_name(proto).data,
                 "targets", "form", proto);

    for (i = 0; i < t->nforms[proto]; i++) {
        form = &t->forms[proto][i];
        mapping_first(form);

        for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

            if (to != proto) {
                mapping_translate(t, form, (parley_proto_t) to, &made);
                mapping_cell(&made);
            }
        }

        printf("\n");
    }
}


/*
 * Prints the answer that a caller of each other protocol gets for each answer
 * of a service.
 */

static void
mapping_answers(mapping_t *t, parley_proto_t proto)
{
    unsigned               i, k, to;
    mapping_made_t         made;
    const mapping_form_t  *form;

    mapping_head((const char *) parley_proto_name(proto).data,
                 "answers", "answer", proto);

    for (i = 0; i < t->nforms[proto]; i++) {
        form = &t->forms[proto][i];

        if (!form->answers) {
            continue;
        }

        mapping_first(form);

        for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

            if (to == proto) {
                continue;
            }

            for (k = 0; k < t->nforms[to] && !t->forms[to][k].asks; k++) {
                /* void */
            }

            mapping_answer(t, &t->forms[to][k], form, &made);
            mapping_cell(&made);
        }

        printf("\n");
    }
}


/*
 * Prints the answer to each form if the service accepts it without an answer.
 */

static void
mapping_taken(mapping_t *t, parley_proto_t proto)
{
    unsigned         i;
    parley_str_t     body;
    parley_json_t    doc;
    mapping_form_t  *form;

    printf("= %s taken\n| form | status | disposition |\n|---|---|---|\n",
           (const char *) parley_proto_name(proto).data);

    for (i = 0; i < t->nforms[proto]; i++) {
        form = &t->forms[proto][i];

        mapping_first(form);
        printf(" %d |", mapping_take(t, form, &body));

        if (body.len > 0) {
            mapping_json(t, body, &doc);
            mapping_member(&doc, " ", "/result/disposition");
        }

        printf(" |\n");
    }
}


static void
mapping_head(const char *page, const char *name, const char *row,
    parley_proto_t but)
{
    unsigned  i;

    printf("= %s %s\n| %s |", page, name, row);

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (i != but) {
            printf(" %s |", (const char *) parley_proto_title(i).data);
        }
    }

    printf("\n|---|");

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (i != but) {
            printf("---|");
        }
    }

    printf("\n");
}


static void
mapping_first(const mapping_form_t *form)
{
    int           any;
    parley_str_t  name;

    /* an action may be any word, except for the gateway's own */

    any = parley_codecs[form->msg.wire]->type == NULL && !form->msg.local;
    name = form->msg.form;

    printf("| ");

    if (!any) {
        printf("`%.*s`", mapping_len(name));
    }

    if (form->note.len > 0) {
        printf("%s%.*s", any ? "" : ", ", mapping_len(form->note));
    }

    printf(" |");
}


/* Prints the member that has the value, or else the value. */

static void
mapping_where(const mapping_form_t *form, parley_str_t value)
{
    int       part;
    char      pointer[PARLEY_POINTER_MAX];
    uint32_t  node;

    if (value.len == 0) {
        printf(" |");
        return;
    }

    for (part = 0; part < 2; part++) {
        node = mapping_find(&form->doc, 0, value, part);

        if (node != PARLEY_JSON_NONE) {
            (void) parley_json_pointer(&form->doc, node, pointer,
                                       sizeof(pointer));
            printf(part ? " in `%s` |" : " `%s` |", pointer);
            return;
        }
    }

    if (parley_str_eq(value, form->msg.text)) {
        printf(" \"%.*s\" |", mapping_len(value));
    } else {
        printf(" derived |");
    }
}


static void
mapping_deadline(const mapping_form_t *form)
{
    char      pointer[PARLEY_POINTER_MAX];
    int64_t   ms;
    uint32_t  node;

    ms = form->msg.timeout_ms;

    if (ms < 0) {
        printf(" |");
        return;
    }

    node = mapping_find_number(&form->doc, 0, ms);

    if (node == PARLEY_JSON_NONE) {
        printf(" %lld ms |", (long long) ms);
        return;
    }

    (void) parley_json_pointer(&form->doc, node, pointer, sizeof(pointer));
    printf(" `%s` |", pointer);
}


static uint32_t
mapping_find(const parley_json_t *doc, uint32_t node, parley_str_t value,
    int part)
{
    int       object;
    uint32_t  k, found;

    if (parley_json_type(doc, node) != PARLEY_JSON_OBJECT
        && parley_json_type(doc, node) != PARLEY_JSON_ARRAY)
    {
        return mapping_holds(doc, node, value, part) ? node
                                                     : PARLEY_JSON_NONE;
    }

    object = parley_json_type(doc, node) == PARLEY_JSON_OBJECT;

    for (k = parley_json_first(node);
         k != parley_json_end(doc, node);
         k = parley_json_after(doc, k + (uint32_t) object))
    {
        found = mapping_find(doc, k + (uint32_t) object, value, part);

        if (found != PARLEY_JSON_NONE) {
            return found;
        }
    }

    return PARLEY_JSON_NONE;
}


static int
mapping_holds(const parley_json_t *doc, uint32_t node, parley_str_t value,
    int part)
{
    if (parley_json_type(doc, node) != PARLEY_JSON_STRING) {
        return 0;
    }

    if (!part) {
        return parley_json_string_is(doc, node, value);
    }

    return memmem(parley_json_span(doc, node).data,
                  parley_json_span(doc, node).len, value.data, value.len)
           != NULL;
}


static uint32_t
mapping_find_number(const parley_json_t *doc, uint32_t node, int64_t value)
{
    int       object;
    int64_t   n;
    uint32_t  k, found;

    if (parley_json_type(doc, node) != PARLEY_JSON_OBJECT
        && parley_json_type(doc, node) != PARLEY_JSON_ARRAY)
    {
        return parley_json_type(doc, node) == PARLEY_JSON_NUMBER
               && parley_json_integer(doc, node, &n) == 0 && n == value
               ? node : PARLEY_JSON_NONE;
    }

    object = parley_json_type(doc, node) == PARLEY_JSON_OBJECT;

    for (k = parley_json_first(node);
         k != parley_json_end(doc, node);
         k = parley_json_after(doc, k + (uint32_t) object))
    {
        found = mapping_find_number(doc, k + (uint32_t) object, value);

        if (found != PARLEY_JSON_NONE) {
            return found;
        }
    }

    return PARLEY_JSON_NONE;
}


static void
mapping_cell(const mapping_made_t *made)
{
    uint32_t  i;

    if (made->refused) {
        printf(" refused: %s %s%s%s |",
               parley_error_info(made->err.code)->word.data,
               made->err.field[0] ? "`" : "", made->err.field,
               made->err.field[0] ? "`" : "");
        return;
    }

    printf(" ");

    if (made->doc.nodes != NULL) {
        mapping_form(&made->msg);

    } else {
        printf("accepted only");
    }

    for (i = 0; i < made->loss.nitems; i++) {
        printf("%s", i == 0 ? "; lost" : ",");

        if (made->loss.items[i].len == 0) {
            printf(" whole");

        } else {
            printf(" `%.*s`", mapping_len(made->loss.items[i]));
        }
    }

    printf(made->exact ? "; exact |" : " |");
}


/* Prints the form of a message in the terms of its original protocol. */

static void
mapping_form(const parley_msg_t *m)
{
    unsigned  i;

    static const char *const  attention[] = {
        "/params/conversation/kind", "/params/target/directedness",
        "/params/attention/policy", "/params/injection/mode"
    };

    switch (m->wire) {

    case PARLEY_PROTO_AEE:
        mapping_member(m->doc, "", "/type");
        printf(" `%.*s`", mapping_len(m->intent));
        break;

    case PARLEY_PROTO_VCP:
    case PARLEY_PROTO_VCP2:
        mapping_member(m->doc, "", "/type");
        mapping_member(m->doc, " ", "/payload/severity");
        printf(m->act == PARLEY_ACT_REPLY ? ", acknowledgment" : "");
        break;

    case PARLEY_PROTO_C2A:
        printf("`chat.deliver`");

        for (i = 0; i < sizeof(attention) / sizeof(attention[0]); i++) {
            mapping_member(m->doc, " ", attention[i]);
        }

        break;

    case PARLEY_PROTO_CHANNEL:
        mapping_member(m->doc, "", "/kind");
        printf(m->origin == m->wire ? "" : ", carried in its text");
        break;

    default:
        mapping_member(m->doc, "", parley_codecs[m->wire]
                                       ->pointers[PARLEY_MSG_FORM]);
        mapping_member(m->doc, " ", "/status");
    }
}


static void
mapping_member(const parley_json_t *doc, const char *sep,
    const char *pointer)
{
    uint32_t  node;

    node = parley_json_resolve(doc, 0, parley_str_c(pointer));

    if (node != PARLEY_JSON_NONE) {
        printf("%s`%.*s`", sep, mapping_len(parley_json_span(doc, node)));
    }
}
