/* Setter of parley_store. */

#include <string.h>

#include "core/parley_hex.h"
#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_store_settings.h"


#define PARLEY_SET_STORE_TEXT  1024     /* octets of a user or a password */

/* the words of parley_store, without its address */
#define PARLEY_SET_STORE_WORDS                                               \
    "key=, user=, password=, sentinel_user=, sentinel_password=, prefix=, "  \
    "tls=, trusted=, name=, certificate=, certificate_key=, timeout=, "      \
    "lease= or fallback="


static const parley_range_t  parley_set_store_timeout = { 10, 1000 };
static const parley_range_t  parley_set_store_lease = { 1000, 600000 };


static int parley_set_store_address(parley_setting_t *d,
    parley_store_settings_t *ret);
static int parley_set_store_sentinels(parley_setting_t *d,
    parley_store_settings_t *ret);
static int parley_set_store_is_primary(parley_str_t text);
static int parley_set_store_server(parley_setting_t *d, parley_str_t address,
    parley_store_settings_t *ret);
static int parley_set_store_address_wrong(const parley_setting_t *d);
static int parley_set_store_word(parley_setting_t *d, size_t i,
    parley_store_settings_t *ret);
static int parley_set_store_text(parley_setting_t *d, parley_str_t word,
    parley_str_t value, parley_store_settings_t *ret);
static int parley_set_store_key(parley_setting_t *d, parley_str_t file,
    parley_store_settings_t *ret);
static int parley_set_store_password(parley_setting_t *d, parley_str_t file,
    parley_str_t *ret);
static parley_str_t parley_set_store_line(parley_str_t text);
static int parley_set_store_check(const parley_setting_t *d,
    const parley_store_settings_t *store);
static int parley_set_store_check_scheme(const parley_setting_t *d,
    const parley_store_settings_t *store);


int
parley_set_store(parley_setting_t *d)
{
    size_t                    i;
    parley_store_settings_t  *store;

    store = parley_arena_calloc(d->env->arena,
                                sizeof(parley_store_settings_t));

    if (store == NULL) {
        return -1;
    }

    store->prefix = PARLEY_STR("parley");
    store->timeout = 100;
    store->lease = 10000;

    if (parley_set_store_address(d, store) != 0) {
        return -1;
    }

    for (i = 2; i < d->n; i++) {
        if (parley_setting_once(d, i) != 0
            || parley_set_store_word(d, i, store) != 0)
        {
            return -1;
        }
    }

    if (parley_set_store_check(d, store) != 0) {
        return -1;
    }

    d->http->store = store;

    return 0;
}


/* Reads redis://HOST[:PORT], rediss://HOST[:PORT], unix:PATH or
   sentinel://HOST[:PORT],HOST[:PORT]/NAME. */

static int
parley_set_store_address(parley_setting_t *d, parley_store_settings_t *ret)
{
    parley_str_t  word;

    word = d->words[1];

    if (parley_str_begins(word, "unix:")) {
        ret->label = word;
        ret->servers[0].address = word;
        ret->nservers = 1;

        return parley_str_begins(word, "unix:/")
               ? 0 : parley_set_store_address_wrong(d);
    }

    /* the error must not show a password */

    if (word.len > 0 && memchr(word.data, '@', word.len) != NULL) {
        return parley_setting_wrong(d, "has a user or a password in its "
                                    "address; use user=NAME and "
                                    "password=FILE");
    }

    if (parley_str_begins(word, "sentinel://")) {
        return parley_set_store_sentinels(d, ret);
    }

    if (word.len > 0 && memchr(word.data, ',', word.len) != NULL) {
        return parley_setting_bad(d, word, "names several addresses; expected "
                                  "one, or those of Sentinels by sentinel://");
    }

    if (parley_str_begins(word, "redis://")) {
        word = parley_str_from(word, sizeof("redis://") - 1);

    } else if (parley_str_begins(word, "rediss://")) {
        word = parley_str_from(word, sizeof("rediss://") - 1);
        ret->tls = 1;

    } else {
        return parley_set_store_address_wrong(d);
    }

    if (word.len > 0 && word.data[word.len - 1] == '/') {
        word.len--;
    }

    if (word.len > 0 && memchr(word.data, '/', word.len) != NULL) {
        return parley_setting_bad(d, d->words[1], "has the number of a "
                                  "database; all gateways use database 0, so "
                                  "separate them by prefix=");
    }

    ret->label = word;

    return parley_set_store_server(d, word, ret);
}


static int
parley_set_store_sentinels(parley_setting_t *d, parley_store_settings_t *ret)
{
    parley_str_t  word, hosts, host;

    word = d->words[1];
    ret->label = word;

    word = parley_str_from(word, sizeof("sentinel://") - 1);
    hosts = parley_str_until(word, '/');
    ret->primary = parley_str_from(word, hosts.len + (hosts.len < word.len));

    if (!parley_set_store_is_primary(ret->primary)) {
        return parley_setting_bad(d, d->words[1], "needs the name of the "
                                  "primary after its addresses, as in "
                                  "sentinel.conf: \"/\" and letters, digits, "
                                  "\"-\", \"_\" or \".\"");
    }

    for ( ;; ) {
        host = parley_str_until(hosts, ',');

        if (parley_set_store_server(d, host, ret) != 0) {
            return -1;
        }

        if (host.len == hosts.len) {
            return 0;
        }

        hosts = parley_str_from(hosts, host.len + 1);
    }
}


static int
parley_set_store_is_primary(parley_str_t text)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'))
        {
            return 0;
        }
    }

    return text.len > 0 && text.len <= PARLEY_SET_STORE_TEXT;
}


/* Adds HOST or HOST:PORT after a check of its form.  The adapter reads the
   port, and resolves the host. */

static int
parley_set_store_server(parley_setting_t *d, parley_str_t address,
    parley_store_settings_t *ret)
{
    parley_store_server_t  *server;

    if (ret->nservers == PARLEY_STORE_SETTINGS_SERVERS) {
        return parley_setting_bad(d, d->words[1], "has too many addresses; "
                                  "expected at most 16");
    }

    server = &ret->servers[ret->nservers++];
    server->address = address;

    if (address.len > 0 && *address.data == '[') {
        server->host = parley_str_from(parley_str_until(address, ']'), 1);

        if (server->host.len + 2 > address.len) {
            return parley_set_store_address_wrong(d);
        }

    } else {
        server->host = parley_str_until(address, ':');
    }

    return server->host.len > 0 ? 0 : parley_set_store_address_wrong(d);
}


static int
parley_set_store_address_wrong(const parley_setting_t *d)
{
    return parley_setting_not(d, d->words[1], "the address of a server",
                              "redis://HOST[:PORT], rediss://HOST[:PORT], "
                              "sentinel://HOST[:PORT],HOST[:PORT]/NAME or "
                              "unix:/PATH, such as redis://10.0.0.11:6379");
}


static int
parley_set_store_word(parley_setting_t *d, size_t i,
    parley_store_settings_t *ret)
{
    parley_str_t  word, value;

    word = d->words[i];

    if (parley_setting_param(word, "timeout", &value)) {
        return parley_setting_read_time(d, word, &parley_set_store_timeout,
                                        &ret->timeout);
    }

    if (parley_setting_param(word, "lease", &value)) {
        return parley_setting_read_time(d, word, &parley_set_store_lease,
                                        &ret->lease);
    }

    if (parley_setting_param(word, "fallback", &value)) {

        ret->local = parley_str_is(value, "local");

        return ret->local || parley_str_is(value, "refuse") ? 0
               : parley_setting_not(d, word, "a mode", "refuse or local");
    }

    if (parley_setting_param(word, "tls", &value)) {

        ret->tls |= parley_str_is(value, "on");

        return parley_str_is(value, "on") || parley_str_is(value, "off") ? 0
               : parley_setting_not(d, word, "a mode", "on or off");
    }

    if (parley_str_begins(word, "redis://")
        || parley_str_begins(word, "rediss://")
        || parley_str_begins(word, "sentinel://")
        || parley_str_begins(word, "unix:"))
    {
        return parley_setting_bad(d, word, "is a second address; expected one");
    }

    return parley_set_store_text(d, word, value, ret);
}


static int
parley_set_store_text(parley_setting_t *d, parley_str_t word,
    parley_str_t value, parley_store_settings_t *ret)
{
    size_t  i;

    const struct {
        const char    *name;
        parley_str_t  *text;
    } texts[] = {
        { "user", &ret->user },
        { "sentinel_user", &ret->sentinel_user },
        { "prefix", &ret->prefix },
        { "trusted", &ret->trusted },
        { "name", &ret->name },
        { "certificate", &ret->certificate },
        { "certificate_key", &ret->certificate_key }
    };

    if (parley_str_is(word, "key=") || parley_str_is(word, "password=")
        || parley_str_is(word, "sentinel_password="))
    {
        return parley_setting_bad(d, word, PARLEY_SETTING_EMPTY);
    }

    if (parley_setting_param(word, "key", &value)) {
        return parley_set_store_key(d, value, ret);
    }

    if (parley_setting_param(word, "password", &value)) {
        return parley_set_store_password(d, value, &ret->password);
    }

    if (parley_setting_param(word, "sentinel_password", &value)) {
        return parley_set_store_password(d, value, &ret->sentinel_password);
    }

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {

        if (!parley_setting_param(word, texts[i].name, &value)) {
            continue;
        }

        if (value.len == 0) {
            return parley_setting_bad(d, word, PARLEY_SETTING_EMPTY);
        }

        if (value.len > PARLEY_SET_STORE_TEXT) {
            return parley_setting_bad(d, word, "is too long; expected at most "
                                      "1024 octets");
        }

        *texts[i].text = value;

        if (texts[i].text == &ret->prefix
            && !parley_set_store_is_prefix(value))
        {
            return parley_setting_not(d, word, "a prefix",
                                      PARLEY_STORE_SETTINGS_PREFIX_FORM);
        }

        if ((texts[i].text == &ret->user
             || texts[i].text == &ret->sentinel_user)
            && !parley_set_store_is_user(value))
        {
            return parley_setting_not(d, word, "a user",
                                      PARLEY_STORE_SETTINGS_USER_FORM);
        }

        return 0;
    }

    return parley_setting_unknown(d, word, PARLEY_SET_STORE_WORDS);
}


/* The prefix becomes the hash tag of all keys, and a pattern of the ACL. */

int
parley_set_store_is_prefix(parley_str_t text)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || (c != '\0' && strchr("-_.:", c) != NULL)))
        {
            return 0;
        }
    }

    return text.len > 0 && text.len <= PARLEY_STORE_SETTINGS_PREFIX;
}


/* Other texts would end the user's word in a line of an ACL. */

int
parley_set_store_is_user(parley_str_t text)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (c <= ' ' || c >= 0x7F || c == '"' || c == '\'') {
            return 0;
        }
    }

    return text.len > 0;
}


static int
parley_set_store_key(parley_setting_t *d, parley_str_t file,
    parley_store_settings_t *ret)
{
    int           high, low;
    size_t        i;
    parley_str_t  path, text;

    if (d->env->secret(d->env->ctx, file, &path, &text, d->problem) != 0) {
        return -1;
    }

    text = parley_set_store_line(text);

    for (i = 0; i < PARLEY_STORE_SETTINGS_KEY
                && text.len == 2 * PARLEY_STORE_SETTINGS_KEY; i++)
    {
        high = parley_hex_digit(text.data[2 * i]);
        low = parley_hex_digit(text.data[2 * i + 1]);

        if (high == -1 || low == -1) {
            break;
        }

        ret->key[i] = (uint8_t) (high << 4 | low);
    }

    explicit_bzero((void *) (uintptr_t) text.data, text.len);

    return i == PARLEY_STORE_SETTINGS_KEY ? 0
           : parley_problem(d->problem, "\"%.*s\" must hold a line of 64 "
                            "hexadecimal digits; \"parley keys store --out "
                            "FILE\" makes such a file", (int) path.len,
                            (const char *) path.data);
}


static int
parley_set_store_password(parley_setting_t *d, parley_str_t file,
    parley_str_t *ret)
{
    size_t        i;
    parley_str_t  path, text;

    if (d->env->secret(d->env->ctx, file, &path, &text, d->problem) != 0) {
        return -1;
    }

    text = parley_set_store_line(text);

    for (i = 0; i < text.len && text.data[i] >= 0x20 && text.data[i] != 0x7F;
         i++)
    {
        /* void */
    }

    if (i < text.len || text.len == 0 || text.len > PARLEY_SET_STORE_TEXT) {
        return parley_problem(d->problem, "\"%.*s\" must hold a line with the "
                              "password, of at most 1024 octets without "
                              "control characters", (int) path.len,
                              (const char *) path.data);
    }

    *ret = text;

    return 0;
}


/* Returns the text without the end of its last line. */

static parley_str_t
parley_set_store_line(parley_str_t text)
{
    if (text.len > 0 && text.data[text.len - 1] == '\n') {
        text.len--;

        if (text.len > 0 && text.data[text.len - 1] == '\r') {
            text.len--;
        }
    }

    return text;
}


/* Checks the words with each other. */

static int
parley_set_store_check(const parley_setting_t *d,
    const parley_store_settings_t *store)
{
    size_t              i;
    parley_str_t        value;
    const char         *const *word;
    static const char  *const tls[] = {
        "trusted", "name", "certificate", "certificate_key", NULL
    };

    for (i = 2; i < d->n && !store->tls; i++) {
        for (word = tls; *word != NULL; word++) {
            if (parley_setting_param(d->words[i], *word, &value)) {
                return parley_setting_bad(d, d->words[i], "needs TLS; expected "
                                          "an address rediss://HOST[:PORT], or "
                                          "sentinel:// and tls=on");
            }
        }
    }

    if (parley_set_store_check_scheme(d, store) != 0) {
        return -1;
    }

    for (i = 2; i < d->n && !parley_setting_param(d->words[i], "key", &value);
         i++)
    {
        /* void */
    }

    if (i == d->n) {
        return parley_setting_wrong(d, "needs key=, the file with the key of "
                                    "the store; \"parley keys store --out "
                                    "FILE\" makes one");
    }

    if (store->user.len > 0 && store->password.len == 0) {
        return parley_setting_wrong(d, "has user= without password=, the file "
                                    "with the password of the user");
    }

    if (store->sentinel_user.len > 0 && store->sentinel_password.len == 0) {
        return parley_setting_wrong(d, "has sentinel_user= without "
                                    "sentinel_password=, the file with the "
                                    "password of the user");
    }

    if (store->tls && store->trusted.len == 0) {
        return parley_setting_wrong(d, "uses TLS and needs trusted=, the file "
                                    "with the certificates of the authorities "
                                    "that are trusted");
    }

    if ((store->certificate.len > 0) != (store->certificate_key.len > 0)) {
        return parley_setting_wrong(d, "needs certificate= and "
                                    "certificate_key= together");
    }

    return 0;
}


/* Checks the words that need Sentinels. */

static int
parley_set_store_check_scheme(const parley_setting_t *d,
    const parley_store_settings_t *store)
{
    size_t              i;
    parley_str_t        value;
    const char         *const *word;
    static const char  *const sentinel[] = {
        "tls", "sentinel_user", "sentinel_password", NULL
    };

    for (i = 2; i < d->n && store->primary.len == 0; i++) {
        for (word = sentinel; *word != NULL; word++) {
            if (parley_setting_param(d->words[i], *word, &value)) {
                return parley_setting_bad(d, d->words[i], "needs an address "
                                          "sentinel://HOST[:PORT],HOST[:PORT]"
                                          "/NAME");
            }
        }
    }

    return 0;
}
