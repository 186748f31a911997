/* Reads t/cases/forms: one message of each form, and its sender. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translate/aee/parley_aee.h"
#include "translate/c2a/parley_c2a.h"
#include "translate/channel/parley_channel.h"
#include "gate/settings/parley_identities.h"
#include "translate/vcp/parley_vcp.h"
#include "tools/print_mapping.h"


static void mapping_read_directory(mapping_t *t, const char *dir);
static void mapping_read_forms(mapping_t *t, const char *dir,
    parley_proto_t proto);
static void mapping_read_form(mapping_t *t, const char *path,
    parley_proto_t proto, json_t *base, json_t *item);
static void mapping_complete(const mapping_t *t, parley_proto_t proto);
static parley_str_t mapping_known(parley_proto_t proto, unsigned i);
static json_t *mapping_load(const char *path);
static parley_str_t mapping_text(mapping_t *t, const json_t *value);


void
mapping_read(mapping_t *t, const char *dir)
{
    unsigned        i;
    parley_error_t  err;

    parley_arena_init(&t->arena, &parley_mem_libc, 0);
    parley_error_clear(&err);

    t->engine = parley_engine_create(&parley_mem_libc, &err);

    if (t->engine == NULL) {
        mapping_die("schemas: %s", err.text);
    }

    mapping_read_directory(t, dir);

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        mapping_read_forms(t, dir, (parley_proto_t) i);
        mapping_complete(t, (parley_proto_t) i);
    }
}


static void
mapping_read_directory(mapping_t *t, const char *dir)
{
    char             path[512];
    json_t          *json;
    parley_error_t   err;

    (void) snprintf(path, sizeof(path), "%s/identities.json", dir);

    json = mapping_load(path);
    parley_error_clear(&err);

    if (parley_directory_parse(&t->arena, mapping_text(t, json),
                               parley_identities_party,
                               &t->directory, &err)
        != 0)
    {
        mapping_die("%s: %s", path, err.text);
    }

    json_decref(json);
}


static void
mapping_read_forms(mapping_t *t, const char *dir, parley_proto_t proto)
{
    char         path[512];
    size_t       i;
    json_t      *json, *item, *base;

    (void) snprintf(path, sizeof(path), "%s/%s.json", dir,
                    (const char *) parley_proto_name(proto).data);

    json = mapping_load(path);
    base = json_object_get(json, "base");

    json_array_foreach(json_object_get(json, "forms"), i, item) {
        mapping_read_form(t, path, proto, base, item);
    }

    json_decref(json);
}


static void
mapping_read_form(mapping_t *t, const char *path, parley_proto_t proto,
    json_t *base, json_t *item)
{
    json_t          *message, *note;
    parley_error_t   err;
    mapping_form_t  *form;

    if (t->nforms[proto] == MAPPING_FORMS_MAX) {
        mapping_die("%s: too many forms", path);
    }

    form = &t->forms[proto][t->nforms[proto]++];

    message = json_copy(base);
    (void) json_object_update(message, json_object_get(item, "with"));
    mapping_json(t, mapping_text(t, message), &form->doc);
    json_decref(message);

    note = json_object_get(item, "note");
    form->note = note != NULL ? mapping_text(t, note) : parley_str_none;

    note = json_object_get(item, "scope");
    form->scope = note != NULL ? mapping_text(t, note) : parley_str_none;

    form->asks = json_is_true(json_object_get(item, "asks"));

    parley_error_clear(&err);

    if (parley_decode(t->engine, &t->arena, proto, &form->doc, 0, &form->msg,
                      &err)
        != 0
        || mapping_submit(t, &form->msg, form->scope, &err) != 0)
    {
        mapping_die("%s: form %u: %s %s", path, t->nforms[proto], err.field,
                    err.text);
    }

    form->answers = form->msg.act == PARLEY_ACT_REPLY
                    || form->msg.act == PARLEY_ACT_FAILURE
                    || form->msg.act == PARLEY_ACT_PROGRESS;
}


/* Ends the process if the code knows a form that t/cases/forms lacks. */

static void
mapping_complete(const mapping_t *t, parley_proto_t proto)
{
    unsigned      i, n;
    parley_str_t  known;

    for (n = 0; /* void */ ; n++) {
        known = mapping_known(proto, n);

        if (known.len == 0) {
            return;
        }

        for (i = 0; i < t->nforms[proto]; i++) {
            if (parley_str_eq(t->forms[proto][i].msg.form, known)) {
                break;
            }
        }

        if (i == t->nforms[proto]) {
            mapping_die("t/cases/forms has no %s of %s", known.data,
                        parley_proto_name(proto).data);
        }
    }
}


/* Returns the i-th form in a codec's list of forms for other protocols. */

static parley_str_t
mapping_known(parley_proto_t proto, unsigned i)
{
    if (parley_codecs[proto]->type == NULL
        || (proto == PARLEY_PROTO_C2A && i >= PARLEY_C2A_NATIVE))
    {
        return parley_str_none;
    }

    return parley_codecs[proto]->type(i);
}


static json_t *
mapping_load(const char *path)
{
    json_t        *json;
    json_error_t   err;

    json = json_load_file(path, JSON_REJECT_DUPLICATES, &err);

    if (json == NULL) {
        mapping_die("%s:%d: %s", path, err.line, err.text);
    }

    return json;
}


/* Returns the octets of a string, or the JSON text of another value. */

static parley_str_t
mapping_text(mapping_t *t, const json_t *value)
{
    char          *text;
    parley_str_t   ret;

    text = json_is_string(value) ? strdup(json_string_value(value))
                                 : json_dumps(value, JSON_COMPACT);

    if (text == NULL
        || parley_arena_str(&t->arena, parley_str_c(text), &ret) != 0)
    {
        mapping_die("out of memory");
    }

    free(text);

    return ret;
}


void
mapping_die(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    (void) fputs("print-mapping: ", stderr);
    (void) vfprintf(stderr, fmt, args);
    (void) fputc('\n', stderr);
    va_end(args);

    exit(1);
}
