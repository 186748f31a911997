#include <stdio.h>
#include <string.h>

#include "auth/parley_directory.h"
#include "core/parley_fold.h"
#include "auth/parley_jwt.h"
#include "auth/parley_jwt_error.h"
#include "auth/parley_membership.h"
#include "auth/parley_principal.h"


/* claims on their way into a principal */
typedef struct {
    parley_arena_t             *arena;
    const parley_jwt_t         *jwt;
    parley_json_t               claims;     /* unescapes into arena */
    const parley_claim_map_t   *map;
    const parley_directory_t   *directory;
    const parley_principal_t   *entry;
    parley_principal_t         *principal;
    parley_error_t             *err;
} parley_principal_reader_t;


/* A list that a claim extends; its first words are the directory entry's. */
typedef struct {
    parley_claim_member_t   member;
    parley_str_t           *list;
    size_t                  n;
    size_t                  max;
    uint16_t               *slots;      /* hash table of the list: index + 1, or
                                           0; NULL: a short list */
    size_t                  mask;       /* slots - 1 */
    uint64_t                secret;
} parley_principal_words_t;


static const parley_str_t  parley_members[PARLEY_MEMBER_COUNT] = {
    [PARLEY_MEMBER_SUB] = parley_str("sub"),
#define X(id, word, member, shape, ...)                                       \
    [PARLEY_MEMBER_##id] = parley_str(#member),
    PARLEY_PROTOCOLS(X, , )
#undef X
    [PARLEY_MEMBER_INSTRUMENT] = parley_str("instrument"),
    [PARLEY_MEMBER_ROLES] = parley_str("roles"),
    [PARLEY_MEMBER_ORGS] = parley_str("orgs"),
    [PARLEY_MEMBER_GRANTS] = parley_str("grants"),
};


/* The members of protocols follow each other without repetition.  MoQ's, sub,
   is already first. */
#define PARLEY_MEMBER_WORD_TEXT(member)    #member ", "
#define PARLEY_MEMBER_WORD_HANDLE(member)  #member ", "
#define PARLEY_MEMBER_WORD_SUB(member)
#define PARLEY_MEMBER_WORD_SAME(member)


/* words up to which a list has no hash table */
#define PARLEY_PRINCIPAL_SHORT  16


static parley_str_t parley_principal_claim(const parley_principal_reader_t *r,
    parley_claim_member_t member);
static int parley_principal_lists(const parley_principal_t *p,
    parley_str_t name);
static parley_str_t parley_principal_unversioned(parley_str_t name);
static int parley_principal_add(parley_principal_words_t *words,
    parley_str_t word);


parley_claim_member_t
parley_member_find(parley_str_t word)
{
    unsigned  i;

    for (i = 0; i < PARLEY_MEMBER_COUNT; i++) {
        if (parley_str_eq(word, parley_members[i])) {
            break;
        }
    }

    return (parley_claim_member_t) i;
}


void
parley_principal_claim_map(parley_claim_map_t *map,
    parley_claim_member_t member, parley_str_t claim)
{
    unsigned  i;

    for (i = 0; i < PARLEY_MEMBER_COUNT; i++) {
        if (parley_str_eq(parley_members[i], parley_members[member])) {
            map->claims[i] = claim;
        }
    }
}


const char *
parley_member_why(parley_str_t word)
{
    if (parley_str_is(word, "parent") || parley_str_is(word, "human")
        || parley_str_is(word, "max_priority") || parley_str_is(word, "keys")
        || parley_str_is(word, "certificates")
        || parley_str_is(word, "rate")
        || parley_str_is(word, "reached") || parley_str_is(word, "accounts")
        || parley_str_is(word, "streams") || parley_str_is(word, "surface"))
    {
        return "cannot come from a claim; expected in \"parley_identities\"";
    }

    return "is not a member of a principal; expected sub, "
#define X(id, word, member, shape, ...)  PARLEY_MEMBER_WORD_##shape(member)
           PARLEY_PROTOCOLS(X, , )
#undef X
           "instrument, roles, orgs or grants";
}


/* Refuses the claim that supplies a member. */

static int
parley_principal_refuse(parley_principal_reader_t *r, parley_code_t code,
    parley_claim_member_t member, const char *text)
{
    char          name[PARLEY_POINTER_MAX];
    parley_str_t  claim;

    claim = parley_principal_claim(r, member);

    (void) snprintf(name, sizeof(name), "%.*s", (int) claim.len,
                    (const char *) claim.data);

    return parley_jwt_refuse(r->err, code, name, text);
}


static parley_str_t
parley_principal_claim(const parley_principal_reader_t *r,
    parley_claim_member_t member)
{
    parley_str_t  claim;

    claim = r->map != NULL ? r->map->claims[member] : parley_str_none;

    if (claim.len == 0 && member == PARLEY_MEMBER_SUB) {
        claim = PARLEY_STR("sub");
    }

    return claim;
}


/* Reads a string claim into *ret; empty if absent. */

static int
parley_principal_text(parley_principal_reader_t *r,
    parley_claim_member_t member, parley_str_t *ret)
{
    uint32_t      node;
    parley_str_t  claim, text;

    claim = parley_principal_claim(r, member);

    if (claim.len == 0) {
        return 0;
    }

    node = parley_jwt_claim_node(r->jwt, claim);

    if (node == PARLEY_JSON_NONE
        || parley_json_type(&r->claims, node) == PARLEY_JSON_NULL)
    {
        return 0;
    }

    if (parley_json_type(&r->claims, node) != PARLEY_JSON_STRING) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID, member,
                                       "the claim is not a string");
    }

    if (parley_json_string(&r->claims, node, &text) != 0
        || parley_arena_str(r->arena, text, ret) != 0)
    {
        return parley_error_memory(r->err);
    }

    return 0;
}


/*
 * Refuses a claim that brings a name of another principal, or a name that is
 * derived from one (SEC-21).
 */

static int
parley_principal_taken(parley_principal_reader_t *r,
    parley_claim_member_t member, const parley_principal_t *owner,
    parley_str_t name)
{
    char          text[PARLEY_TEXT_MAX];
    parley_str_t  sub;

    if (parley_principal_lists(owner, name)) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID, member,
                                       "the name belongs to another "
                                       "principal");
    }

    sub = r->principal->sub;

    (void) snprintf(text, sizeof(text),
                    "the name is derived from a name of another principal "
                    "than sub \"%.*s\"", sub.len < 96 ? (int) sub.len : 96,
                    (const char *) sub.data);

    return parley_principal_refuse(r, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                   member, text);
}


/* Returns whether the principal lists the name or instrument, as it is. */

static int
parley_principal_lists(const parley_principal_t *p, parley_str_t name)
{
    size_t  i;

    name = parley_principal_unversioned(name);

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        if (parley_str_eq(p->names[i], name)) {
            return 1;
        }
    }

    return parley_instrument_is_listed(&p->instruments, name);
}


/* Strips the version of an instrument; other names are left as they are. */

static parley_str_t
parley_principal_unversioned(parley_str_t name)
{
    return parley_str_begins(name, "~") ? parley_str_until(name, '@') : name;
}


/*
 * Reads a name from claims, which must be well-formed and must not belong to
 * another principal.
 */

static int
parley_principal_name(parley_principal_reader_t *r,
    parley_claim_member_t member, parley_namespace_t space)
{
    parley_str_t              *name;
    const parley_principal_t  *owner;

    name = &r->principal->names[space];

    if (name->len != 0) {
        return 0;               /* the directory's name wins */
    }

    if (parley_principal_text(r, member, name) != 0) {
        return -1;
    }

    if (name->len == 0) {
        return 0;
    }

    if (!parley_namespace_name_is(space, *name)) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID, member,
                                       "the claim is not well-formed as a "
                                       "name");
    }

    if (r->directory == NULL) {
        return 0;
    }

    owner = parley_directory_owner(r->directory, space, *name);

    if (owner == NULL || owner == r->entry) {
        owner = parley_directory_by_agent(r->directory, r->entry, space,
                                          *name);
    }

    return owner == NULL ? 0
           : parley_principal_taken(r, member, owner, *name);
}


/*
 * Reads the instrument of the session from claims: one that the directory lists
 * for the principal, or another one that does not belong to another principal.
 */

static int
parley_principal_instrument(parley_principal_reader_t *r)
{
    parley_str_t               text, *list;
    parley_principal_t        *p;
    const parley_principal_t  *owner;

    p = r->principal;
    text = parley_str_none;

    if (parley_principal_text(r, PARLEY_MEMBER_INSTRUMENT, &text) != 0) {
        return -1;
    }

    if (text.len == 0) {
        return 0;
    }

    if (!parley_instrument_is(text)) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID,
                                       PARLEY_MEMBER_INSTRUMENT,
                                       "the claim is not a handle of an "
                                       "instrument");
    }

    owner = r->directory == NULL
            || parley_instrument_is_listed(&p->instruments, text) ? NULL
            : parley_directory_by_instrument(r->directory, r->entry, text);

    if (owner != NULL) {
        return parley_principal_taken(r, PARLEY_MEMBER_INSTRUMENT, owner,
                                      text);
    }

    list = parley_arena_alloc(r->arena, sizeof(parley_str_t));

    if (list == NULL) {
        return parley_error_memory(r->err);
    }

    *list = text;
    p->instrument = text;
    p->instruments.list = list;
    p->instruments.n = 1;

    return 0;
}


int
parley_instrument_is_listed(const parley_list_t *list, parley_str_t instrument)
{
    size_t  i;

    instrument = parley_str_until(instrument, '@');

    for (i = 0; i < list->n; i++) {
        if (parley_str_eq(parley_str_until(list->list[i], '@'), instrument)) {
            return 1;
        }
    }

    return 0;
}


/* Returns the node of a list claim, or NONE if it is absent or null. */

static uint32_t
parley_principal_list_node(const parley_principal_reader_t *r,
    parley_claim_member_t member)
{
    uint32_t      node;
    parley_str_t  claim;

    claim = parley_principal_claim(r, member);
    node = claim.len == 0 ? PARLEY_JSON_NONE
                          : parley_jwt_claim_node(r->jwt, claim);

    if (node != PARLEY_JSON_NONE
        && parley_json_type(&r->claims, node) == PARLEY_JSON_NULL)
    {
        return PARLEY_JSON_NONE;
    }

    return node;
}


static int
parley_principal_is_word(parley_claim_member_t member, parley_str_t word)
{
    switch (member) {

    case PARLEY_MEMBER_ORGS:
        return parley_membership_is_org(word);

    case PARLEY_MEMBER_GRANTS:
        return parley_membership_is_grant(word);

    default:
        return parley_namespace_name_is(PARLEY_NAMESPACE_AEE, word);
    }
}


/* Allocates the list, and the table if the list can become long. */

static int
parley_principal_words(parley_principal_reader_t *r, size_t max,
    const parley_list_t *first, parley_principal_words_t *ret)
{
    size_t    i, nslots;
    uint64_t  seed;

    _Static_assert(PARLEY_LIST_MAX + PARLEY_CLAIM_LIST_MAX < UINT16_MAX,
                   "an index fits into a slot");

    ret->n = 0;
    ret->max = first->n + max;
    ret->slots = NULL;
    ret->list = parley_arena_alloc(r->arena, ret->max * sizeof(parley_str_t));

    if (ret->list == NULL) {
        return parley_error_memory(r->err);
    }

    if (ret->max > PARLEY_PRINCIPAL_SHORT) {
        for (nslots = 64; nslots < 2 * ret->max; nslots *= 2) { /* void */ }

        ret->slots = parley_arena_calloc(r->arena, nslots * sizeof(uint16_t));
        ret->mask = nslots - 1;
        seed = r->claims.seed;
        ret->secret = parley_fold_secret(&seed);

        if (ret->slots == NULL) {
            return parley_error_memory(r->err);
        }
    }

    for (i = 0; i < first->n; i++) {
        (void) parley_principal_add(ret, first->list[i]);
    }

    return 0;
}


/* Appends a word unless the list has it.  Returns -1 if the list is full. */

static int
parley_principal_add(parley_principal_words_t *words, parley_str_t word)
{
    size_t  i;

    if (words->slots == NULL) {
        for (i = 0; i < words->n; i++) {
            if (parley_str_eq(words->list[i], word)) {
                return 0;
            }
        }

    } else {
        i = parley_fold_octets(words->secret, words->secret, words->secret,
                               word.data, word.len)
            & words->mask;

        for ( /* void */ ; words->slots[i] != 0; i = (i + 1) & words->mask) {
            if (parley_str_eq(words->list[words->slots[i] - 1], word)) {
                return 0;
            }
        }
    }

    if (words->n == words->max) {
        return -1;
    }

    words->list[words->n++] = word;

    if (words->slots != NULL) {
        words->slots[i] = (uint16_t) words->n;
    }

    return 0;
}


static int
parley_principal_put(parley_principal_reader_t *r,
    parley_principal_words_t *words, parley_str_t word)
{
    if (!parley_principal_is_word(words->member, word)) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID,
                                       words->member,
                                       "an element is not well-formed");
    }

    if (parley_principal_add(words, word) != 0) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID,
                                       words->member,
                                       "the claim has too many elements");
    }

    return 0;
}


/* Appends the space-separated words of text. */

static int
parley_principal_split(parley_principal_reader_t *r,
    parley_principal_words_t *words, parley_str_t text)
{
    parley_str_t  word;

    while ((word = parley_str_word(&text)).len > 0) {
        if (parley_principal_put(r, words, word) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Returns an upper bound of the words in a string or an array of strings. */

static size_t
parley_principal_bound(const parley_principal_reader_t *r, uint32_t node)
{
    size_t                     n;
    const parley_json_node_t  *json = parley_json_node(&r->claims, node);

    n = parley_json_type(&r->claims, node) == PARLEY_JSON_ARRAY
        ? json->count : json->len / 2 + 1;

    return n < PARLEY_CLAIM_LIST_MAX ? n : PARLEY_CLAIM_LIST_MAX;
}


/* Extends the entry's list by the claim's, without duplicates. */

static int
parley_principal_list(parley_principal_reader_t *r,
    parley_claim_member_t member, parley_list_t *ret)
{
    uint32_t                   i, end, node;
    parley_str_t               text, copy;
    parley_principal_words_t   words = { .member = member };

    node = parley_principal_list_node(r, member);

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_principal_words(r, parley_principal_bound(r, node), ret,
                               &words)
        != 0)
    {
        return -1;
    }

    i = node;
    end = parley_json_after(&r->claims, node);

    if (parley_json_type(&r->claims, node) == PARLEY_JSON_ARRAY) {
        i = parley_json_first(node);
    }

    for ( /* void */ ; i != end; i = parley_json_after(&r->claims, i)) {

        if (parley_json_type(&r->claims, i) != PARLEY_JSON_STRING) {
            return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID, member,
                                           "the claim is not a list of "
                                           "strings");
        }

        if (parley_json_string(&r->claims, i, &text) != 0
            || parley_arena_str(r->arena, text, &copy) != 0)
        {
            return parley_error_memory(r->err);
        }

        if ((i == node ? parley_principal_split(r, &words, copy)
                       : parley_principal_put(r, &words, copy))
            != 0)
        {
            return -1;
        }
    }

    ret->list = words.list;
    ret->n = words.n;

    return 0;
}


static int
parley_principal_read(parley_principal_reader_t *r)
{
    unsigned             i;
    parley_str_t         sub;
    parley_principal_t  *p;

    p = r->principal;
    sub = parley_str_none;

    if (parley_principal_text(r, PARLEY_MEMBER_SUB, &sub) != 0) {
        return -1;
    }

    if (!parley_namespace_name_is(PARLEY_NAMESPACE_SUB, sub)) {
        return parley_principal_refuse(r, PARLEY_E_TOKEN_INVALID,
                                       PARLEY_MEMBER_SUB,
                                       "the subject is missing or not "
                                       "well-formed");
    }

    if (r->directory != NULL) {
        r->entry = parley_directory_by_sub(r->directory, sub);

        if (r->entry != NULL) {
            *p = *r->entry;
        }
    }

    p->sub = sub;
    p->names[PARLEY_NAMESPACE_SUB] = sub;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        if (i != PARLEY_NAMESPACE_SUB
            && parley_principal_name(r, (parley_claim_member_t)
                                        (PARLEY_MEMBER_NAMES + i),
                                     (parley_namespace_t) i)
               != 0)
        {
            return -1;
        }
    }

    if (parley_principal_instrument(r) != 0
        || parley_principal_list(r, PARLEY_MEMBER_ROLES, &p->roles) != 0
        || parley_principal_list(r, PARLEY_MEMBER_ORGS, &p->orgs) != 0)
    {
        return -1;
    }

    return parley_principal_list(r, PARLEY_MEMBER_GRANTS, &p->grants);
}


int
parley_principal_from_claims(parley_arena_t *arena, const parley_jwt_t *jwt,
    const parley_claim_map_t *map, const parley_directory_t *directory,
    parley_principal_t *ret, parley_error_t *err)
{
    parley_principal_reader_t  r;

    memset(ret, 0, sizeof(parley_principal_t));

    r.arena = arena;
    r.jwt = jwt;
    r.claims = jwt->claims;
    r.claims.arena = arena;
    r.map = map;
    r.directory = directory;
    r.entry = NULL;
    r.principal = ret;
    r.err = err;

    if (jwt->claims.nodes == NULL) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "",
                                 "the token is not verified");
    }

    if (parley_principal_read(&r) != 0) {
        memset(ret, 0, sizeof(parley_principal_t));
        return -1;
    }

    return 0;
}


parley_str_t
parley_principal_agent(const parley_principal_t *p)
{
    const uint8_t  *dot;
    parley_str_t    name;

    name = p->names[PARLEY_NAMESPACE_HANDLE];

    if (name.len > 1) {
        return parley_str_from(name, 1);
    }

    name = p->names[PARLEY_NAMESPACE_AEE];
    dot = name.len > 0 ? memchr(name.data, '.', name.len) : NULL;

    return dot != NULL ? parley_str_from(name, (size_t) (dot - name.data) + 1)
                       : parley_str_none;
}
