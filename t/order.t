# The order of the gate's steps: a step leaves no trace if an earlier step
# refused.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

my $jwt = 'parley_accept aee; parley_jwt on;';

with_gateway(
    more => 'parley_retain count=100 time=1h;',
    add => location('/open-door', "$jwt parley_allow principal=**;")
         . location('/closed', "$jwt parley_deny intent=ops.**; "
                             . 'parley_allow principal=**;')
         . location('/signed', 'parley_accept aee; parley_signature required; '
                             . 'parley_deny intent=ops.**; '
                             . 'parley_allow principal=**;')
         . location('/answers', 'parley_accept aee; parley_speak c2a; '
                              . 'parley_jwt on; parley_deny intent=ops.**; '
                              . 'parley_allow principal=**;'));
run_tests();

__DATA__

=== TEST 1: SEC-04 a duplicate that rules forbid is refused by the rules
--- send
my $m = aee();
[post('/open-door', $m), post('/closed', $m)]
--- error_code: 403
--- answer
/payload/code = E_POLICY_REFUSED
--- forwarded: 1



=== TEST 2: SEC-04 an old message that rules forbid is refused by the rules
--- send
post('/closed', aee(ts => '2020-01-01T00:00:00Z'))
--- refused: aee policy-refused



=== TEST 3: SEC-04 the id of a message that a rule refused is not recorded
--- send
my $m = aee();
[post('/closed', $m), post('/open-door', $m)]
--- error_code: 202
--- forwarded: 1



=== TEST 4: SEC-04 a signature is checked before the rules
--- send
post('/signed', aee(), token => 0)
--- refused: aee signature-missing /sig



=== TEST 5: SEC-04 rules use the principal that a signature proved
--- send
post('/signed', aee(), token => 0, sign => 'alice')
--- refused: aee policy-refused



=== TEST 6: SEC-04 the answered message is looked up before the rules
--- send
post('/answers', aee(type => 'result', intent => 'ops.backup.run',
                     corr => 'no-such-corr', reply_to => 'no-such-message'))
--- refused: aee reply-unmatched /reply_to



=== TEST 7: AEE-26 a refutation changes state: it is admitted once
--- send
my $m = aee(to => 'service.parley', intent => 'aee.context.refute',
            payload => { id => 'nothing-here', reason => 'no' });
[post('/aee', $m), post('/aee', $m)]
--- refused: aee message-duplicate



=== TEST 8: GW-20 a stale read-only question is answered
--- send
post('/aee', aee(to => 'service.parley', intent => 'aee.status.ping',
                 ts => '2020-01-01T00:00:00Z'))
--- error_code: 200
--- answer
/payload/pong = true
--- forwarded: 0



=== TEST 9: AEE-17 a stale refutation is refused
--- send
post('/aee', aee(to => 'service.parley', intent => 'aee.context.refute',
                 ts => '2020-01-01T00:00:00Z',
                 payload => { id => 'nothing-here', reason => 'no' }))
--- refused: aee message-stale /ts
