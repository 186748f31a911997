/*
 * An absolute https or wss URL (RFC 3986), a list of hosts and ports, and the
 * check that an address is public.
 */

#ifndef PARLEY_URL_H
#define PARLEY_URL_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_URL_MAX   2048   /* octets of a URL */
#define PARLEY_URL_PORT  443    /* the port if the URL has none */

/* octets of a host: a DNS name, or "[" an IPv6 address "]" */
#define PARLEY_HOST_MAX  253


/* parts of a URL; the spans are borrowed from its text */
typedef struct {
    parley_str_t  host;         /* an IPv6 address with its brackets */
    uint16_t      port;
    unsigned      ported:1;     /* the text has a port */
    unsigned      dials:1;      /* its scheme is wss */
    parley_str_t  rest;         /* path and query; may be empty */
} parley_url_t;


/*
 * Reads "https://host[:port][/path][?query]", or wss.  Returns NULL, or a text
 * that names the fault: another scheme, a userinfo, a fragment, an invalid
 * host, or an octet that a URL must not have.
 */
const char *parley_url_parse(parley_str_t text, parley_url_t *ret)
    __attribute__((warn_unused_result));

/* Returns the octets of the scheme of a wss URL, with "://", or 0 for any other
   text. */
size_t parley_url_wss(parley_str_t text);

/*
 * Reads the first "host[:port]" of a comma-separated list; *rest is the list
 * after it.  Returns 0, or -1 if the host or port is invalid.
 */
int parley_url_host(parley_str_t text, parley_url_t *ret,
    parley_str_t *rest)
    __attribute__((warn_unused_result));

/* Returns whether a list of valid hosts has this host (in any case) and
   port. */
int parley_hosts_have(parley_str_t list, parley_str_t host, uint16_t port);

/*
 * Writes the address that host spells.  Returns its octets, 4 or 16, or 0 if
 * host is a name.  An IPv6 address must be in brackets; an IPv4-mapped one
 * yields the IPv4 address.
 */
size_t parley_url_host_address(parley_str_t host, uint8_t ret[16]);

/*
 * Returns whether an address of n octets, 4 or 16, is public: not loopback,
 * private, link-local, shared, multicast or reserved.  For an IPv6 address that
 * embeds an IPv4 address, the IPv4 address decides.
 */
int parley_url_is_public(const uint8_t *address, size_t n);


#endif /* PARLEY_URL_H */
