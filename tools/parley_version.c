/* parley -V: prints the versions that a bug report needs. */

#include <stdio.h>

#include <curl/curl.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#define PCRE2_CODE_UNIT_WIDTH  8
#include <pcre2.h>
#include <sodium.h>

#include "tools/parley_tool.h"


#define PARLEY_VERSION_MAX  64

/* "Clang 14.0.6" has the name already; gcc gives the number alone */
#ifdef __clang__
#define PARLEY_VERSION_COMPILER  __VERSION__
#else
#define PARLEY_VERSION_COMPILER  "gcc " __VERSION__
#endif

#define PARLEY_VERSION_TEXT(n)    #n
#define PARLEY_VERSION_NUMBER(n)  PARLEY_VERSION_TEXT(n)


static void tool_version_library(const char *name, const char *built,
    const char *running);


void
tool_version(void)
{
    puts("parley " PARLEY_VERSION);
}


void
tool_version_all(void)
{
    char  pcre[PARLEY_VERSION_MAX];

    printf("parley version: %s\n"
           "built by %s (%s)\n", PARLEY_VERSION, PARLEY_VERSION_COMPILER,
           PARLEY_BUILD);

    tool_version_library("OpenSSL", OPENSSL_VERSION_STR,
                         OpenSSL_version(OPENSSL_VERSION_STRING));
    tool_version_library("libsodium", SODIUM_VERSION_STRING,
                         sodium_version_string());
    tool_version_library("jansson", JANSSON_VERSION, jansson_version_str());

    if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) > PARLEY_VERSION_MAX
        || pcre2_config(PCRE2_CONFIG_VERSION, pcre) < 0)
    {
        pcre[0] = '\0';
    }

    tool_version_library("PCRE2", PARLEY_VERSION_NUMBER(PCRE2_MAJOR) "."
                         PARLEY_VERSION_NUMBER(PCRE2_MINOR), pcre);

    tool_version_library("libcurl", LIBCURL_VERSION,
                         curl_version_info(CURLVERSION_NOW)->version);

    puts("protocols: " PARLEY_PROTOCOLS(PARLEY_PROTOCOL_WORD, " ", " "));
}


static void
tool_version_library(const char *name, const char *built,
    const char *running)
{
    printf("built with %s %s (running with %s)\n", name, built, running);
}
