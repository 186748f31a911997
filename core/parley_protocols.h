/*
 * The one list of protocols.  The enum, the codecs, the words of directives and
 * options, the atoms, the names of principals, the labels of metrics and the
 * tables of the documentation come from this list (docs/new-protocol.md).
 *
 * X(id, word, member, shape, title, agent, human)
 *
 *    id      PARLEY_PROTO_<id>
 *    word    word in directives, options, metrics and messages; the codec is
 *            parley_<word>_codec
 *    member  member of a principal in the directory: its name in this
 *            protocol
 *    shape   syntax of that name: TEXT, any word; HANDLE, "~" and a name; SUB,
 *            the protocol has no names of its own, a session is its
 *            principal; SAME, as the earlier protocol with that member
 *    title   title for people
 *    agent, human
 *            prefix of the names of instruments and of humans, by which the
 *            directory recognises them; empty: the prefix does not tell
 *
 * AND separates two rows, OR precedes the last one; code that needs only the
 * rows passes both empty.
 */

#ifndef PARLEY_PROTOCOLS_H
#define PARLEY_PROTOCOLS_H


/* rows that a build adds for protocols of its own, each after an OR */
#ifndef PARLEY_PROTOCOLS_MORE
#define PARLEY_PROTOCOLS_MORE(X, AND, OR)
#endif


#define PARLEY_PROTOCOLS(X, AND, OR)                                          \
    X(AEE, aee, aee, TEXT, "AEE", "agent.", "human.")                         \
    AND X(VCP, vcp, vcp, TEXT, "VCP", "", "human://")                         \
    AND X(VCP2, vcp2, vcp, SAME, "VCP 2.0", "", "human://")                   \
    AND X(C2A, c2a, c2a, TEXT, "C2A", "agent:", "human:")                     \
    AND X(CHANNEL, channel, handle, HANDLE, "agent-channel", "~", "")         \
    OR X(MOQ, moq, sub, SUB, "MoQ", "", "")                                   \
    PARLEY_PROTOCOLS_MORE(X, AND, OR)


/* "aee, vcp, vcp2, c2a, channel or moq" */
#define PARLEY_PROTOCOL_WORD(id, word, ...)  #word
#define PARLEY_PROTOCOL_WORDS                                                 \
    PARLEY_PROTOCOLS(PARLEY_PROTOCOL_WORD, ", ", " or ")


#endif /* PARLEY_PROTOCOLS_H */
