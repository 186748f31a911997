# Members that must not leave: removed or masked.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

my $both = 'parley_accept aee vcp; parley_jwt on;';

with_gateway(add =>
    location('/remove', "$both parley_speak aee; "
                      . 'parley_redact /payload/secret; '
                      . 'parley_redact /payload/list/1/key;')
  . location('/mask', "$both parley_speak aee; "
                    . 'parley_redact /payload/secret mask; '
                    . 'parley_redact /x_token mask; '
                    . 'parley_redact /payload/a~1b mask;')
  . location('/vcp-mask', "$both parley_speak vcp; "
                        . 'parley_redact /payload/blocked_action; '
                        . 'parley_redact /payload/reason mask;')
  . location('/reason', "$both parley_speak aee; "
                      . 'parley_redact /payload/reason mask;')
  . location('/context', "$both parley_speak aee; "
                       . 'parley_redact /payload/context mask;')
  . location('/context-of', "$both parley_speak aee; "
                          . 'parley_redact /payload/context mask; '
                          . 'parley_vcp_context ctx|gateway;')
  . location('/needed', "$both parley_speak aee; parley_redact /intent;")
  . location('/kind', "$both parley_speak aee; parley_redact /requires mask;"));

run_tests();

__DATA__

=== TEST 1: AEE-32 a member is removed
--- send
post('/remove', aee(payload => { secret => 'SECRETPAYLOAD', kept => 1 }))
--- error_code: 202
--- got
! /payload/secret
/payload/kept = 1
--- no_error_log
SECRETPAYLOAD



=== TEST 2: AEE-32 a member that is an object is removed as a whole
--- send
post('/remove', aee(payload => { secret => { deep => ['x'] }, kept => 1 }))
--- error_code: 202
--- got
/payload = {"kept":1}



=== TEST 3: AEE-32 a member within a list is removed
--- send
post('/remove', aee(payload => { list => [{ key => 1, a => 1 },
                                          { key => 2, a => 2 }] }))
--- error_code: 202
--- got
/payload/list = [{"a":1,"key":1},{"a":2}]



=== TEST 4: AEE-32 a member written with escapes is the same member
--- send
post('/remove', jcs(aee(payload => { secret => 1 }))
                =~ s/"secret"/"s\\u0065cret"/r)
--- error_code: 202
--- got
/payload = {}



=== TEST 5: AEE-32 a message without it arrives octet for octet
--- send
post('/remove', aee(payload => { Secret => 'x', secrets => 1 }), sign => 1)
--- error_code: 202
--- got_same



=== TEST 6: AEE-32 every other value stays unchanged
--- send
post('/remove', jcs(aee(payload => { secret => 1, n => 1 }))
                =~ s/"n":1/"n" : 1.50e+0 , "t":"\\u00e9"/r)
--- error_code: 202
--- service
$c->answer($q->{body} =~ /"n":1\.50e\+0,"t":"\\u00e9"/ ? 202 : 500)



=== TEST 7: AEE-32 a member is masked
--- send
post('/mask', aee(payload => { secret => 'x', kept => 1 }))
--- error_code: 202
--- got
/payload/secret = [redacted]
/payload/kept = 1



=== TEST 8: AEE-32 a member of the envelope is masked
--- send
post('/mask', aee(x_token => 'x'))
--- error_code: 202
--- got
/x_token = [redacted]



=== TEST 9: AEE-32 a member name with a slash
--- send
post('/mask', aee(payload => { 'a/b' => 'x', a => { b => 'kept' } }))
--- error_code: 202
--- got
/payload/a~1b = [redacted]
/payload/a/b = kept



=== TEST 10: GW-08 the signature of a redacted message is the gateway's
--- send
post('/remove', aee(payload => { secret => 1 }), sign => 1)
--- error_code: 202
--- got
/sig/kid = gateway-1
/sig/alg = ed25519
--- got_headers
Parley-Verified ~ signature="ed25519"; kid="alice-key"



=== TEST 11: AEE-14 the signature is verified over the sent octets
--- send
my $m = sign_aee(aee(payload => { secret => 1 }), person('alice')->{key});
$m->{payload}{secret} = 2;
post('/remove', $m)
--- refused: aee signature-invalid /sig



=== TEST 12: AEE-32 a member of VCP is removed, another one masked
--- send
post('/vcp-mask', escalation(blocked_action => 'x', reason => 'private'))
--- got
! /payload/blocked_action
/payload/reason = [redacted]
/signature ~ ^base64:



=== TEST 13: AEE-32 redaction before translation
--- send
post('/remove', with(escalation(), 'payload/reason' => 'kept'))
--- got
/intent = vcp.escalation
/payload/reason = kept



=== TEST 14: AEE-32 pointers refer to the message as it was sent
--- send
post('/vcp-mask', aee(type => 'event', intent => 'vcp.escalation',
     to => 'agent.lead',
     payload => escalation(blocked_action => 'x', reason => 'private')
                ->{payload}))
--- error_code: 202
--- got
! /payload/blocked_action
/payload/reason = [redacted]



=== TEST 15: AEE-32 a message that is invalid without the member is refused
--- send
post('/needed', aee())
--- refused: aee policy-refused



=== TEST 16: AEE-32 a mask in place of an object is refused
--- send
post('/kind', aee(requires => { timeout_ms => 1000 }))
--- refused: aee policy-refused



=== TEST 17: AEE-32 a refused message may be sent again elsewhere
--- send
my $m = aee();
[post('/needed', $m), post('/aee', $m)]
--- error_code: 202



=== TEST 18: AEE-32 the answer is not redacted
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { secret => 'mine' })))
--- send
post('/remove', aee(payload => { secret => 'x' }))
--- answer
/payload/secret = mine



=== TEST 19: AEE-32 VCP-25 an acknowledgment has the context that was forwarded
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
post('/context', escalation(severity => 'critical', requires_ack => true))
--- got
/payload/context = [redacted]
--- answer
/reply/payload/reason ~ ^ACK:
/reply/payload/context = [redacted]



=== TEST 20: AEE-32 VCP-25 an acknowledgment has the operator's context
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
post('/context-of', escalation(severity => 'critical', requires_ack => true))
--- got
/payload/context = [redacted]
--- answer
/reply/payload/context = ctx|gateway



=== TEST 21: AEE-32 VCP-25 the reference of an acknowledgment is not redacted
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
$::m = escalation(severity => 'critical', requires_ack => true);
$::id = $::m->{message_id};
post('/reason', $::m)
--- got
/payload/reason = [redacted]
--- answer
/reply/payload/reason = ACK:${id} done
