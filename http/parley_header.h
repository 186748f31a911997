/*
 * HTTP headers by name: headers that only the gateway may set, headers that an
 * application could confuse with these, and headers that describe a body which
 * the gateway replaces.
 *
 * Applications see folded names: CGI, WSGI and similar interfaces turn letters
 * to one case and '-' to '_', and some turn other octets to '_' as well.  So
 * letters are compared in any case, and each octet other than a letter or digit
 * counts as '-' (SEC-05): Parley_Verified and parley.verified are
 * Parley-Verified.
 */

#ifndef PARLEY_HEADER_H
#define PARLEY_HEADER_H

#include "core/parley_str.h"
#include "translate/parley_msg.h"


/*
 * Returns whether a name begins with Parley-. Only the gateway sets such
 * headers.
 */
int parley_header_is_own(parley_str_t name);

/*
 * Returns whether a header of a request is not forwarded to the service.  These
 * are the gateway's own headers; headers that it writes itself (Content-Type,
 * Accept-Encoding, traceparent); headers that would make the service read the
 * body in another way (SEC-02); and conditions and ranges, which could make the
 * service report an accepted message as refused (GW-36).  If the body was
 * replaced, also its digests.
 */
int parley_header_is_kept_back(parley_str_t name, int replaced);

/*
 * Returns whether a header of an answer describes the body, the resource or the
 * connection of the service.  Such a header is dropped if the gateway replaces
 * the answer, or writes its events again.  The headers that the protocol kept
 * sets itself are not counted; PARLEY_PROTO_NONE: every protocol's are.
 */
int parley_header_is_of_body(parley_str_t name, parley_proto_t kept);

/* Returns the number of cookies with that name, in any case, in a Cookie
   header. */
unsigned parley_header_cookies(parley_str_t value, parley_str_t name);

/* Returns whether an answer with that status may have Retry-After (GW-29). */
int parley_header_waits(int status);

/*
 * Returns the milliseconds of a Retry-After (RFC 9110 section 10.2.3), which is
 * delta-seconds with any number of digits, or a date.  The result is at most
 * one day; 0 if the value is invalid or in the past.
 */
int64_t parley_header_wait(parley_str_t value, int64_t now_ms);


#endif /* PARLEY_HEADER_H */
