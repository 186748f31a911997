/* Adds the toy protocol to the list of protocols.  Included before the list. */

#define PARLEY_PROTOCOLS_MORE(X, AND, OR)                                     \
    OR X(TOY, toy, toy, TEXT, "Toy", "robot/", "person/")
