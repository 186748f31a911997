/*
 * Detects moduli of CVE-2017-15361 (ROCA): Nemec, Sys, Svenda, Klinec and
 * Matyas, "The Return of Coppersmith's Attack", CCS 2017, section 2.
 *
 * The flawed generator makes primes k * M + (65537^a mod M), where M is the
 * product of the first primes, at least 39 of them, more for longer keys.  A
 * modulus, the product of two such primes, is a power of 65537 modulo M.  It
 * is recognised by its discrete logarithms modulo each prime of M: all exist
 * and are consistent with one exponent.  The false positive rate is 2^-154.
 */

#include <openssl/bn.h>

#include "auth/parley_jwk_source.h"


#define PARLEY_JWK_ROCA_BASE  65537

/* 2 is omitted: it excludes no odd number */
static const uint8_t  parley_jwk_roca_primes[] = {
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71,
    73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149,
    151, 157, 163, 167
};

#define PARLEY_JWK_ROCA_N  sizeof(parley_jwk_roca_primes)


/*
 * Returns the logarithm of residue to base 65537 modulo prime, or -1;
 * *ret_order is the order of the base.
 */

static int
parley_jwk_roca_log(unsigned prime, unsigned residue, unsigned *ret_order)
{
    int       log;
    unsigned  power, order;

    log = -1;
    power = 1;
    order = 0;

    do {
        if (power == residue) {
            log = (int) order;
        }

        power = power * (PARLEY_JWK_ROCA_BASE % prime) % prime;
        order++;

    } while (power != 1);

    *ret_order = order;

    return log;
}


static unsigned
parley_jwk_roca_gcd(unsigned a, unsigned b)
{
    unsigned  rest;

    while (b != 0) {
        rest = a % b;
        a = b;
        b = rest;
    }

    return a;
}


int
parley_jwk_roca(const BIGNUM *n)
{
    int       log[PARLEY_JWK_ROCA_N];
    size_t    i, k;
    unsigned  common, order[PARLEY_JWK_ROCA_N];

    for (i = 0; i < PARLEY_JWK_ROCA_N; i++) {
        log[i] = parley_jwk_roca_log(parley_jwk_roca_primes[i],
                                     (unsigned) BN_mod_word(n,
                                                parley_jwk_roca_primes[i]),
                                     &order[i]);
        if (log[i] == -1) {
            return 0;
        }

        /* consistent if congruent modulo the orders' gcd */

        for (k = 0; k < i; k++) {
            common = parley_jwk_roca_gcd(order[i], order[k]);

            if ((unsigned) log[i] % common != (unsigned) log[k] % common) {
                return 0;
            }
        }
    }

    return 1;
}
