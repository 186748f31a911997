/* parley_store: the store that several gateways share. */

#ifndef PARLEY_STORE_SETTINGS_H
#define PARLEY_STORE_SETTINGS_H

#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_STORE_SETTINGS_KEY     32    /* octets of a key */
#define PARLEY_STORE_SETTINGS_PREFIX  64    /* octets of a prefix, at most */
#define PARLEY_STORE_SETTINGS_SERVERS 16    /* Sentinels of an address */

#define PARLEY_STORE_SETTINGS_PREFIX_FORM                                     \
    "1 to 64 letters, digits, \"-\", \"_\", \".\" or \":\""

#define PARLEY_STORE_SETTINGS_USER_FORM                                       \
    "printable ASCII without spaces and quotes"


typedef struct {
    parley_str_t  address;      /* HOST, HOST:PORT or unix:PATH */
    parley_str_t  host;         /* host of the address, an IPv6 address without
                                   brackets; empty: unix */
} parley_store_server_t;


typedef struct parley_store_settings_s {
    parley_str_t           label;       /* address in lines of the log */
    parley_store_server_t  servers[PARLEY_STORE_SETTINGS_SERVERS];
    size_t                 nservers;    /* the Sentinels, or the server alone */
    parley_str_t           primary;     /* name of the primary at the Sentinels;
                                           empty: no Sentinel */
    unsigned               tls:1;       /* rediss, or tls=on */
    unsigned               local:1;     /* fallback=local */

    uint8_t       key[PARLEY_STORE_SETTINGS_KEY];
    parley_str_t  user;         /* empty: none */
    parley_str_t  password;     /* empty: none */
    parley_str_t  sentinel_user;        /* empty: none */
    parley_str_t  sentinel_password;    /* empty: none */
    parley_str_t  prefix;
    int64_t       timeout;      /* ms */
    int64_t       lease;        /* ms */

    parley_str_t  name;         /* name in the certificate; empty: host */
    parley_str_t  trusted;      /* files of TLS; empty: none */
    parley_str_t  certificate;
    parley_str_t  certificate_key;
} parley_store_settings_t;


/* Returns whether a text can be the prefix= of a store. */
int parley_set_store_is_prefix(parley_str_t text);

/* Returns whether a text can be the user= of a store. */
int parley_set_store_is_user(parley_str_t text);


#endif /* PARLEY_STORE_SETTINGS_H */
