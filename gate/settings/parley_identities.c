#include "gate/settings/parley_identities.h"
#include "core/parley_json.h"
#include "translate/parley_name.h"
#include "schemas/parley_schema.h"
#include "schemas/parley_schema_text.h"


/* the file of a large fleet is larger than any message */
#define PARLEY_IDENTITIES_OCTETS   (64 << 20)
#define PARLEY_IDENTITIES_MEMBERS  (1 << 20)


static int parley_identities_valid(const parley_mem_t *mem,
    parley_str_t text, parley_error_t *err);
static int parley_identities_hold(const parley_json_t *doc,
    parley_arena_t *scratch, const parley_mem_t *mem, parley_error_t *err);


int
parley_identities_read(parley_arena_t *arena, const parley_mem_t *mem,
    parley_str_t text, parley_directory_t **ret, parley_error_t *err)
{
    *ret = NULL;

    /* parley_directory_parse() reports invalid JSON with its line */

    if (parley_identities_valid(mem, text, err) != 0
        && err->code != PARLEY_E_JSON_INVALID)
    {
        return -1;
    }

    return parley_directory_parse(arena, text, parley_identities_party, ret,
                                  err);
}


/* A parley_party_pt: name spaces have the numbers of protocols. */

int
parley_identities_party(parley_namespace_t space, parley_str_t name,
    parley_party_t *ret)
{
    parley_name_t  n;

    if (parley_name_parse((parley_proto_t) space, name, &n) != 0) {
        return -1;
    }

    ret->kind = n.kind;
    ret->name = n.name;
    ret->host = n.host;
    ret->opaque = n.opaque;

    return 0;
}


static int
parley_identities_valid(const parley_mem_t *mem, parley_str_t text,
    parley_error_t *err)
{
    int              rc;
    parley_json_t    doc;
    parley_arena_t   scratch;

    static const parley_json_limits_t  limits = {
        .octets = PARLEY_IDENTITIES_OCTETS,
        .depth = 32,
        .string = 256 << 10,
        .members = PARLEY_IDENTITIES_MEMBERS
    };

    parley_error_clear(err);
    parley_arena_init(&scratch, mem, 0);

    /* seed 0: the operator's file has no planned hash collisions */

    rc = parley_json_read(&doc, &scratch, &limits, 0, text, err);

    if (rc == 0) {
        rc = parley_identities_hold(&doc, &scratch, mem, err);
    }

    parley_arena_reset(&scratch);

    return rc;
}


static int
parley_identities_hold(const parley_json_t *doc, parley_arena_t *scratch,
    const parley_mem_t *mem, parley_error_t *err)
{
    int                      rc;
    parley_json_ref_t        whole = { doc, 0 };
    parley_schema_set_t     *set;
    parley_schema_error_t    wrong;
    const parley_schema_t   *schema;

    set = parley_schema_set_create(mem, NULL);

    if (set == NULL) {
        return parley_error_memory(err);
    }

    rc = -1;

    if (parley_schema_set_add_builtin(set, &wrong) == 0
        && parley_schema_compile(set, PARLEY_STR(PARLEY_SCHEMA_IDENTITIES),
                                 &schema, &wrong)
           == 0)
    {
        rc = parley_schema_validate(schema, scratch, whole, &wrong) == 0 ? 0
                                                                         : -1;
    }

    if (rc != 0) {
        *err = wrong.error;
    }

    parley_schema_set_destroy(set);

    return rc;
}
