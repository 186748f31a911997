# The store of a version with the next format, "2", whose ids have four more
# octets.  Applied to the files of state/store that a build of the tests
# compiles; PARLEY_STATE_FORMAT and PARLEY_STORE_BETWEEN of that build agree.

s/"p1_/"p2_/
s/'p1_/'p2_/g
s/name=parley_1\\n/name=parley_2\\n/
s/^\(.*local OLDEST, NEWEST = '1', \)'1'/\1'2'/
s/^\(.*local BETWEEN = { \['1'\] = ''\) }/\1, ['2'] = 'next' }/
