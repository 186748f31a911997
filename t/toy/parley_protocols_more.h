/* The row of the toy protocol, before the list is read. */

#define PARLEY_PROTOCOLS_MORE(X, AND, OR)                                     \
    OR X(TOY, toy, toy, TEXT, "Toy", "robot/", "person/")
