/*
 * HTTP headers by their names: which are the gateway's alone, which an
 * application could take for what the gateway has decided, and which say
 * something of a body that the gateway replaces.
 *
 * Applications see names folded: CGI, WSGI and their kin turn letters to one
 * case and '-' to '_', some turn other octets to '_' as well.  So here letters
 * are compared in any case, and whatever is neither letter nor digit counts as
 * '-' (SEC-05): Parley_Verified and parley.verified are Parley-Verified.
 */

#ifndef PARLEY_HEADER_H
#define PARLEY_HEADER_H

#include "core/parley_str.h"


/* Whether it begins with Parley-: nobody but the gateway says these. */
int parley_header_is_own(parley_str_t name);

/*
 * Whether a request's header does not go to the service: the gateway's own,
 * those that it writes itself (Content-Type, Accept-Encoding, traceparent),
 * what would make the service read the body otherwise than it was read here
 * (SEC-02), and conditions and ranges, by which a service could answer a
 * message that it took as if it had not (GW-36); of a body that was replaced,
 * also its digests.
 */
int parley_header_is_kept_back(parley_str_t name, int replaced);

/*
 * Whether a header of an answer speaks of the body, the resource or the
 * connection that the service meant, and so does not go with what the gateway
 * says in its place.
 */
int parley_header_is_of_body(parley_str_t name);

/* How many cookies of that name, in whatever ASCII letters, a Cookie header
   has. */
unsigned parley_header_cookies(parley_str_t value, parley_str_t name);

/* Whether an answer with that status may say in Retry-After when to ask
   again (GW-29). */
int parley_header_waits(int status);

/*
 * The milliseconds that a Retry-After of RFC 9110 section 10.2.3 asks for,
 * delta-seconds with any count of digits, or a date: a day at most.  0: it asks
 * for none.
 */
int64_t parley_header_wait(parley_str_t value, int64_t now_ms);


#endif /* PARLEY_HEADER_H */
