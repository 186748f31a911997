/* auth/parley_token_cache.h */

#include "t/unit/parley_test_auth.h"

#include "auth/parley_token_cache.h"


#define NOW     1700000000
#define NOW_MS  (NOW * INT64_C(1000))


static uint64_t
same_hash(parley_str_t tail, const uint8_t key[16])
{
    (void) tail;
    (void) key;

    return 42;
}


/* Returns a verified token of this subject, in test_arena. */

static parley_jwt_t
verified(const char *sub, int64_t exp)
{
    char                  claims[512];
    parley_jwt_t          jwt;
    parley_jwk_t          jwk;
    parley_jwks_t         keys;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    if (exp != 0) {
        (void) snprintf(claims, sizeof(claims),
                        "{\"sub\":\"%s\",\"exp\":%lld,\"scope\":\"a b\"}", sub,
                        (long long) exp);
    } else {
        (void) snprintf(claims, sizeof(claims), "{\"sub\":\"%s\"}", sub);
    }

    jwt = taken(&keys, parley_test_token("{\"alg\":\"HS256\"}", claims, &jwk,
                                         PARLEY_ALG_HS256));
    parley_jwk_free(&jwk);

    return jwt;
}


static parley_token_cache_t *
create(size_t entries, size_t octets, parley_token_hash_t hash)
{
    parley_token_cache_t       *cache;
    parley_token_cache_conf_t   conf;

    memset(&conf, 0, sizeof(conf));
    conf.entries = entries;
    conf.octets = octets;
    conf.leeway_max = 30;
    conf.hash = hash;
    memcpy(conf.key, "0123456789abcdef", 16);

    cache = parley_token_cache_create(&parley_mem_libc, &conf);
    assert_non_null(cache);

    return cache;
}


static void
test_hit(void **state)
{
    parley_jwt_t               jwt;
    parley_str_t               token;
    parley_token_cache_t      *cache;
    parley_token_entry_t      *entry;
    parley_token_cache_stat_t  stat;

    (void) state;

    cache = create(8, 0, NULL);
    jwt = verified("alice", NOW + 60);
    token = parley_str_c(strdup((const char *) jwt.token.data));

    assert_null(parley_token_cache_get(cache, token, 1, NOW_MS));
    entry = parley_token_cache_put(cache, &jwt, 1, NOW_MS, 0);
    assert_non_null(entry);
    assert_null(entry->data);
    entry->data = parley_arena_alloc(&entry->arena, 100);
    assert_non_null(entry->data);

    /* the verified token is freed; the entry does not depend on it */

    parley_test_arena_end(NULL);
    parley_arena_init(&test_arena, &parley_mem_libc, 0);

    assert_ptr_equal(parley_token_cache_get(cache, token, 1, NOW_MS), entry);
    parley_assert_str(entry->jwt.sub, "alice");
    assert_int_equal(entry->jwt.nscopes, 2);
    parley_assert_str(entry->jwt.scopes[1], "b");
    assert_non_null(entry->data);

    parley_token_cache_stat(cache, &stat);
    assert_int_equal(stat.hits, 1);
    assert_int_equal(stat.misses, 1);
    assert_int_equal(stat.entries, 1);
    assert_true(stat.octets > 0);

    parley_token_cache_drop(cache, entry);
    assert_null(parley_token_cache_get(cache, token, 1, NOW_MS));
    parley_token_cache_stat(cache, &stat);
    assert_int_equal(stat.entries, 0);
    assert_int_equal(stat.octets, 0);

    free((void *) (uintptr_t) token.data);
    parley_token_cache_destroy(cache);
}


static void
test_expiry(void **state)
{
    parley_jwt_t               jwt, endless;
    parley_token_cache_t      *cache;
    parley_token_cache_stat_t  stat;

    (void) state;

    cache = create(8, 0, NULL);
    jwt = verified("alice", NOW + 60);

    assert_non_null(parley_token_cache_put(cache, &jwt, 1, NOW_MS, 0));
    assert_non_null(parley_token_cache_get(cache, jwt.token, 1,
                                           NOW_MS + 89000));
    assert_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS + 90000));

    /* it was dropped: a clock that goes back does not restore it */

    assert_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS));

    assert_null(parley_token_cache_put(cache, &jwt, 1, NOW_MS + 90000, 0));
    assert_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS));

    assert_non_null(parley_token_cache_put(cache, &jwt, 1, NOW_MS, 10));
    assert_non_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS + 9000));
    assert_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS + 10000));

    endless = verified("bob", 0);
    assert_null(parley_token_cache_put(cache, &endless, 1, NOW_MS, 0));
    assert_non_null(parley_token_cache_put(cache, &endless, 1, NOW_MS, 10));
    assert_null(parley_token_cache_get(cache, endless.token, 1,
                                       NOW_MS + 10000));

    parley_token_cache_stat(cache, &stat);
    assert_int_equal(stat.entries, 0);
    parley_token_cache_destroy(cache);
}


static void
test_generation(void **state)
{
    parley_jwt_t           jwt;
    parley_token_cache_t  *cache;

    (void) state;

    cache = create(8, 0, NULL);
    jwt = verified("alice", NOW + 60);

    assert_non_null(parley_token_cache_put(cache, &jwt, 1, NOW_MS, 0));
    assert_null(parley_token_cache_get(cache, jwt.token, 2, NOW_MS));
    assert_null(parley_token_cache_get(cache, jwt.token, 0, NOW_MS));

    /* two sets at once, each with its own entry */

    assert_non_null(parley_token_cache_put(cache, &jwt, 2, NOW_MS, 0));
    assert_non_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS));
    assert_non_null(parley_token_cache_get(cache, jwt.token, 2, NOW_MS));

    parley_token_cache_drop(cache, parley_token_cache_get(cache, jwt.token, 1,
                                                          NOW_MS));
    assert_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS));
    assert_non_null(parley_token_cache_get(cache, jwt.token, 2, NOW_MS));

    parley_token_cache_destroy(cache);
}


/* Every token has the same hash, and many have the same length. */

static void
test_collision(void **state)
{
    int                    i;
    char                   sub[16], changed[1024];
    size_t                 k;
    parley_jwt_t           jwt[8];
    parley_token_cache_t  *cache;
    parley_token_entry_t  *entry;

    (void) state;

    cache = create(8, 0, same_hash);

    for (i = 0; i < 8; i++) {
        (void) snprintf(sub, sizeof(sub), "user%d", i);
        jwt[i] = verified(sub, NOW + 60);

        assert_null(parley_token_cache_get(cache, jwt[i].token, 1, NOW_MS));
        assert_non_null(parley_token_cache_put(cache, &jwt[i], 1, NOW_MS, 0));
    }

    for (i = 0; i < 8; i++) {
        (void) snprintf(sub, sizeof(sub), "user%d", i);
        entry = parley_token_cache_get(cache, jwt[i].token, 1, NOW_MS);
        assert_non_null(entry);
        parley_assert_str(entry->jwt.sub, sub);
    }

    /* each octet counts, and the length */

    memcpy(changed, jwt[3].token.data, jwt[3].token.len);

    for (k = 0; k < jwt[3].token.len; k++) {
        changed[k] ^= 1;
        assert_null(parley_token_cache_get(cache,
                        parley_str_make(changed, jwt[3].token.len), 1, NOW_MS));
        changed[k] ^= 1;
        assert_null(parley_token_cache_get(cache,
                        parley_str_make(changed, k), 1, NOW_MS));
    }

    /* removing an entry from the middle of the chain keeps the others */

    parley_token_cache_drop(cache, parley_token_cache_get(cache, jwt[3].token,
                                                          1, NOW_MS));

    for (i = 0; i < 8; i++) {
        entry = parley_token_cache_get(cache, jwt[i].token, 1, NOW_MS);
        assert_int_equal(entry != NULL, i != 3);
    }

    parley_token_cache_destroy(cache);
}


static void
test_bounds(void **state)
{
    int                        i;
    char                       sub[16], big[400];
    size_t                     found;
    parley_jwt_t               jwt[64], hot, large;
    parley_token_cache_t      *cache;
    parley_token_cache_stat_t  stat;

    (void) state;

    cache = create(16, 0, NULL);
    hot = verified("hot", NOW + 60);
    assert_non_null(parley_token_cache_put(cache, &hot, 1, NOW_MS, 0));

    for (i = 0; i < 64; i++) {
        (void) snprintf(sub, sizeof(sub), "user%d", i);
        jwt[i] = verified(sub, NOW + 60);
        assert_non_null(parley_token_cache_put(cache, &jwt[i], 1, NOW_MS, 0));

        parley_token_cache_stat(cache, &stat);
        assert_true(stat.entries <= 16);

        /* entries in frequent use stay, by CLOCK's second chance */

        if (i < 15) {
            assert_non_null(parley_token_cache_get(cache, hot.token, 1,
                                                   NOW_MS));
        }
    }

    assert_int_equal(stat.evictions, 64 + 1 - 16);
    found = 0;

    for (i = 0; i < 64; i++) {
        found += parley_token_cache_get(cache, jwt[i].token, 1, NOW_MS) != NULL;
    }

    assert_true(found >= 15 && found <= 16);
    parley_token_cache_destroy(cache);

    /* octets: an entry takes a little more than 2 KiB */

    cache = create(64, 10 * 1024, NULL);

    for (i = 0; i < 64; i++) {
        assert_non_null(parley_token_cache_put(cache, &jwt[i], 1, NOW_MS, 0));
        parley_token_cache_stat(cache, &stat);
        assert_true(stat.octets <= 10 * 1024);
        assert_true(stat.entries >= 1 && stat.entries <= 5);
    }

    parley_token_cache_destroy(cache);

    memset(big, 'x', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    large = verified(big, NOW + 60);
    cache = create(64, 2048, NULL);
    assert_null(parley_token_cache_put(cache, &large, 1, NOW_MS, 0));
    parley_token_cache_stat(cache, &stat);
    assert_int_equal(stat.entries, 0);
    assert_int_equal(stat.octets, 0);
    parley_token_cache_destroy(cache);
}


/* A request waits for its body while other tokens come and go. */

static void
test_hold(void **state)
{
    int                        i;
    char                       sub[16];
    parley_jwt_t               jwt, other;
    parley_token_cache_t      *cache;
    parley_token_entry_t      *entry, *second;
    parley_token_cache_stat_t  stat;

    (void) state;

    cache = create(2, 0, NULL);
    jwt = verified("alice", NOW + 60);
    entry = parley_token_cache_put(cache, &jwt, 1, NOW_MS, 0);
    parley_token_cache_hold(cache, entry);

    for (i = 0; i < 8; i++) {
        (void) snprintf(sub, sizeof(sub), "user%d", i);
        other = verified(sub, NOW + 60);
        second = parley_token_cache_put(cache, &other, 1, NOW_MS, 0);
        assert_non_null(second);
    }

    parley_assert_str(entry->jwt.sub, "alice");
    assert_ptr_equal(parley_token_cache_get(cache, jwt.token, 1, NOW_MS),
                                            entry);

    /* all are held: there is no room, and nothing is lost */

    parley_token_cache_hold(cache, second);
    other = verified("late", NOW + 60);
    assert_null(parley_token_cache_put(cache, &other, 1, NOW_MS, 0));
    parley_token_cache_release(cache, second);

    /* a dropped or expired entry is not found, but still in memory */

    parley_token_cache_drop(cache, second);
    parley_token_cache_drop(cache, entry);
    assert_null(parley_token_cache_get(cache, jwt.token, 1, NOW_MS));
    parley_assert_str(entry->jwt.sub, "alice");
    parley_token_cache_drop(cache, entry);

    parley_token_cache_release(cache, entry);
    parley_token_cache_stat(cache, &stat);
    assert_int_equal(stat.entries, 0);
    assert_int_equal(stat.octets, 0);

    /* a hold that is never released ends with the cache */

    entry = parley_token_cache_put(cache, &jwt, 1, NOW_MS, 0);
    parley_token_cache_hold(cache, entry);
    parley_token_cache_drop(cache, entry);
    parley_token_cache_destroy(cache);
}


static void
test_memory(void **state)
{
    size_t                      n;
    parley_jwt_t                jwt;
    parley_mem_t                mem;
    parley_test_mem_t           mem_state;
    parley_token_cache_t       *cache;
    parley_token_entry_t       *entry;
    parley_token_cache_conf_t   conf;

    (void) state;

    memset(&conf, 0, sizeof(conf));
    jwt = verified("alice", NOW + 60);
    entry = NULL;

    for (n = 1; entry == NULL; n++) {
        mem = parley_test_mem(&mem_state, n);
        cache = parley_token_cache_create(&mem, &conf);

        if (cache != NULL) {
            entry = parley_token_cache_put(cache, &jwt, 1, NOW_MS, 0);

            if (entry == NULL) {
                assert_null(parley_token_cache_get(cache, jwt.token, 1,
                                                   NOW_MS));
            }
        }

        parley_token_cache_destroy(cache);
        assert_int_equal(mem_state.live, 0);
    }

    assert_true(n > 4);
}


/* GW-38: an entry that grows makes room for itself, up to a half. */

static void
test_grow(void **state)
{
    int                        i;
    char                       sub[16];
    parley_jwt_t               jwt[8];
    parley_token_cache_t      *cache;
    parley_token_entry_t      *entry;
    parley_token_cache_stat_t  stat;

    (void) state;

    cache = create(8, 20 * 1024, NULL);

    for (i = 0; i < 8; i++) {
        (void) snprintf(sub, sizeof(sub), "user%d", i);
        jwt[i] = verified(sub, NOW + 60);
        entry = parley_token_cache_put(cache, &jwt[i], 1, NOW_MS, 0);
        assert_non_null(entry);
    }

    parley_token_cache_stat(cache, &stat);
    assert_int_equal(stat.entries, 8);
    assert_int_equal(stat.evictions, 0);

    assert_non_null(parley_arena_alloc(&entry->arena, 7 * 1024));

    parley_token_cache_stat(cache, &stat);
    assert_true(stat.entries < 8);
    assert_true(stat.octets <= 20 * 1024);
    assert_ptr_equal(parley_token_cache_get(cache, jwt[7].token, 1, NOW_MS),
                     entry);
    parley_assert_str(entry->jwt.sub, "user7");

    assert_null(parley_arena_alloc(&entry->arena, 7 * 1024));

    parley_token_cache_stat(cache, &stat);
    assert_true(stat.entries > 1);
    parley_token_cache_destroy(cache);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-02 a verified token is found again", test_hit),
    parley_auth_test("GW-02 the cache is never past exp and leeway",
                     test_expiry),
    parley_auth_test("GW-02 the cache ends with the key set",
                     test_generation),
    parley_auth_test("GW-02 a hash collision is not a hit", test_collision),
    parley_auth_test("the cache is bounded in entries and octets",
                     test_bounds),
    parley_auth_test("GW-38 an entry that grows makes room", test_grow),
    parley_auth_test("a held entry stays in memory", test_hold),
    parley_auth_test("the cache: every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
