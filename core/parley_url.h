/*
 * An absolute https URL (RFC 3986), a list of hosts and ports, and which
 * addresses are nobody else's than one's own.
 */

#ifndef PARLEY_URL_H
#define PARLEY_URL_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_URL_MAX   2048   /* octets */
#define PARLEY_URL_PORT  443    /* where none is said */

/* "[" 8 * 4 digits and ":" "]", or a name of DNS */
#define PARLEY_HOST_MAX  253


/* spans of its text */
typedef struct {
    parley_str_t  host;         /* an IPv6 address with its brackets */
    uint16_t      port;
    unsigned      ported:1;     /* it says so */
    parley_str_t  rest;         /* path and query; may be empty */
} parley_url_t;


/*
 * Reads "https://host[:port][/path][?query]".  Returns NULL, or what is wrong
 * with it: another scheme, a userinfo, a fragment, a host that is none, an
 * octet that no URL has.
 */
const char *parley_url_parse(parley_str_t text, parley_url_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reads "host[:port]", which begins a list that commas part; *rest is what
 * comes after.  Returns 0, or -1: it is none.
 */
int parley_host_parse(parley_str_t text, parley_url_t *ret,
    parley_str_t *rest)
    __attribute__((warn_unused_result));

/* Whether a list, each of which can be read, has that host (in any case) and
   port. */
int parley_hosts_have(parley_str_t list, parley_str_t host, uint16_t port);

/*
 * The octets of an address: 4, or 16; 0: host is a name.  An IPv6 address is in
 * brackets; one that maps an IPv4 address is that.
 */
size_t parley_host_address(parley_str_t host, uint8_t ret[16]);

/*
 * Whether an address of n octets, 4 or 16, is reachable by anybody alike: not
 * loopback, private, link-local, shared, multicast, or reserved; of one that
 * carries an IPv4 address that one.
 */
int parley_address_is_public(const uint8_t *address, size_t n);


#endif /* PARLEY_URL_H */
