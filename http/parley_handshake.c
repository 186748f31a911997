#include "http/parley_handshake.h"

#include "core/parley_base64.h"
#include "core/parley_digest.h"


/* section 1.3 */
#define PARLEY_HANDSHAKE_GUID  "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


int
parley_handshake_has(parley_str_t list, parley_str_t token)
{
    parley_str_t  word;

    for ( ;; ) {
        word = parley_str_until(list, ',');

        list = word.len < list.len ? parley_str_from(list, word.len + 1)
                                   : parley_str_none;

        while (word.len > 0 && (word.data[0] == ' ' || word.data[0] == '\t')) {
            word = parley_str_from(word, 1);
        }

        while (word.len > 0 && (word.data[word.len - 1] == ' '
                                || word.data[word.len - 1] == '\t'))
        {
            word.len--;
        }

        if (parley_str_eq_fold(word, token)) {
            return 1;
        }

        if (list.len == 0) {
            return 0;
        }
    }
}


int
parley_handshake_is_key(parley_str_t key)
{
    size_t   len;
    uint8_t  octets[PARLEY_BASE64_DECODED(PARLEY_HANDSHAKE_KEY)];

    return key.len == PARLEY_HANDSHAKE_KEY
           && parley_base64_decode(key, octets, &len) == 0
           && len == PARLEY_HANDSHAKE_RANDOM;
}


int
parley_handshake_accept(parley_str_t key,
    char ret[PARLEY_HANDSHAKE_ACCEPT + 1])
{
    uint8_t       digest[PARLEY_SHA1_LEN];
    parley_str_t  parts[2];

    _Static_assert(PARLEY_BASE64_ENCODED(PARLEY_SHA1_LEN)
                   == PARLEY_HANDSHAKE_ACCEPT + 1, "an accept");

    ret[0] = '\0';

    parts[0] = key;
    parts[1] = PARLEY_STR(PARLEY_HANDSHAKE_GUID);

    if (!parley_handshake_is_key(key)
        || parley_sha1_parts(parts, 2, digest) != 0)
    {
        return -1;
    }

    (void) parley_base64_encode(parley_str_make(digest, sizeof(digest)), ret);

    return 0;
}


const char *
parley_handshake_check(parley_str_t key,
    const parley_handshake_answer_t *answer)
{
    char  accept[PARLEY_HANDSHAKE_ACCEPT + 1];

    if (!parley_handshake_has(answer->upgrade, PARLEY_STR("websocket"))
        || !parley_handshake_has(answer->connection, PARLEY_STR("upgrade")))
    {
        return "the 101 is not for a WebSocket";
    }

    if (parley_handshake_accept(key, accept) != 0
        || !parley_str_is(answer->accept, accept))
    {
        return "Sec-WebSocket-Accept does not fit the key";
    }

    if (answer->repeated) {
        return "Sec-WebSocket-Accept or Sec-WebSocket-Protocol is repeated";
    }

    if (answer->protocol.data != NULL) {
        return "a subprotocol was selected, but none was offered";
    }

    return answer->extensions.data != NULL
           ? "an extension was selected, but none was offered" : NULL;
}
