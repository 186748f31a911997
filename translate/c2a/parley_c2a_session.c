/*
 * Session ids, which hold all that a session is: "c2a1." and base64url of
 *
 *   octet 0       the modes, a bit each
 *   octet 1       1: interrupt, 2: speaks C2A
 *   octets 2-7    the time of issue, ms
 *   octets 8-15   random
 *   octets 16-21  the first octets of SHA-256(sub)
 */

#include "translate/c2a/parley_c2a_chat.h"
#include "core/parley_base64.h"
#include "core/parley_digest.h"


#define PARLEY_C2A_SESSION      "c2a1."
#define PARLEY_C2A_SESSION_LEN  22

#define PARLEY_C2A_SESSION_INTERRUPT  1
#define PARLEY_C2A_SESSION_CHAT       2

_Static_assert(PARLEY_BASE64_ENCODED(PARLEY_C2A_SESSION_LEN)
               + sizeof(PARLEY_C2A_SESSION) <= PARLEY_CHAT_SESSION_MAX,
               "a session id fits");


static int parley_c2a_session_owner(parley_str_t sub, uint8_t owner[6]);


int
parley_c2a_session_write(const parley_chat_session_t *session,
    parley_str_t sub, char ret[PARLEY_CHAT_SESSION_MAX])
{
    int      i;
    uint8_t  octets[PARLEY_C2A_SESSION_LEN];

    octets[0] = (uint8_t) session->modes;
    octets[1] = (uint8_t)
                ((session->interrupt ? PARLEY_C2A_SESSION_INTERRUPT : 0)
                 | (session->chat ? PARLEY_C2A_SESSION_CHAT : 0));

    for (i = 0; i < 6; i++) {
        octets[2 + i] = (uint8_t) ((uint64_t) session->issued_ms
                                   >> (40 - 8 * i));
    }

    memcpy(&octets[8], session->random, 8);

    if (parley_c2a_session_owner(sub, &octets[16]) != 0) {
        return -1;
    }

    memcpy(ret, PARLEY_C2A_SESSION, sizeof(PARLEY_C2A_SESSION) - 1);
    (void) parley_base64url_encode(parley_str_make(octets, sizeof(octets)),
                                   ret + sizeof(PARLEY_C2A_SESSION) - 1);

    return 0;
}


int
parley_c2a_session_read(parley_str_t text, parley_str_t sub,
    parley_chat_session_t *ret)
{
    int           i;
    size_t        len;
    uint8_t       owner[6];
    uint8_t       octets[PARLEY_BASE64_DECODED(PARLEY_CHAT_SESSION_MAX)];
    parley_str_t  rest;

    memset(ret, 0, sizeof(parley_chat_session_t));

    if (text.len >= PARLEY_CHAT_SESSION_MAX
        || !parley_str_begins(text, PARLEY_C2A_SESSION))
    {
        return -1;
    }

    rest = parley_str_from(text, sizeof(PARLEY_C2A_SESSION) - 1);

    if (parley_base64url_decode(rest, octets, &len) != 0
        || len != PARLEY_C2A_SESSION_LEN
        || octets[0] > PARLEY_CHAT_MODE_ALL
        || octets[1] > (PARLEY_C2A_SESSION_INTERRUPT
                        | PARLEY_C2A_SESSION_CHAT)
        || parley_c2a_session_owner(sub, owner) != 0
        || memcmp(owner, &octets[16], sizeof(owner)) != 0)
    {
        return -1;
    }

    ret->modes = octets[0] | PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_SILENT)
                 | PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_MAILBOX);
    ret->interrupt = (octets[1] & PARLEY_C2A_SESSION_INTERRUPT) != 0;
    ret->chat = (octets[1] & PARLEY_C2A_SESSION_CHAT) != 0;

    for (i = 0; i < 6; i++) {
        ret->issued_ms = ret->issued_ms << 8 | octets[2 + i];
    }

    memcpy(ret->random, &octets[8], 8);

    return 0;
}


static int
parley_c2a_session_owner(parley_str_t sub, uint8_t owner[6])
{
    uint8_t  hash[PARLEY_SHA256_LEN];

    if (parley_sha256(sub, hash) != 0) {
        return -1;
    }

    memcpy(owner, hash, 6);

    return 0;
}
