# VCP 2.0 through the gateway: the version of a message, the requirements of an
# envelope, and the caller's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

my $rules = 'parley_allow protocol=vcp2 intent=vcp.context_share; '
          . 'parley_deny protocol=*;';

with_gateway(add =>
      location('= /.well-known/vcp/messages',
               'parley_accept vcp vcp2; parley_speak vcp2; '
               . 'parley_signature required;')
    . location('/two', 'parley_accept vcp2; parley_jwt on;')
    . location('/case', 'parley_accept vcp2 case=open; parley_jwt on;')
    . location('/same', 'parley_accept vcp vcp2; parley_speak vcp2; '
                        . 'parley_jwt on;')
    . location('/down', 'parley_accept vcp vcp2; parley_speak vcp; '
                        . 'parley_jwt on;')
    . location('/strict', 'parley_accept vcp vcp2; parley_speak vcp; '
                          . 'parley_loss reject; parley_jwt on;')
    . location('/ruled', "parley_accept vcp vcp2 aee; parley_speak vcp2; "
                         . "parley_jwt on; $rules")
    . location('/open-two', 'parley_accept vcp2; parley_trusted on;'));


# Returns a payload with that personal state.
sub main::state_of {
    return { context => 'ctx|home', constitution_ref => 'creed://ops.example/a',
             personal_state => $_[0] };
}

run_tests();

__DATA__

=== TEST 1: VCP-01 a complete envelope arrives octet for octet, with its other members
--- send
post('/two', vcp2(session => 's-4', hops => [1, { a => 2 }]))
--- forwarded: 1
--- got_same



=== TEST 2: VCP-18 the well-known location answers accepted, with its media type
--- send
post('/.well-known/vcp/messages', vcp2(message_id => ($::id = uuid4())),
     token => 0)
--- answer
/status = accepted
/message_id = ${id}
--- answer_headers
Content-Type: application/json; charset=utf-8
--- got_same



=== TEST 3: VCP-01 where both versions are accepted 1.2 is read as 1.2
--- send
post('/same', vcp(extra => 1))
--- refused: vcp field-unknown /extra



=== TEST 4: VCP-03 1.2 cannot have an id of 2.0 there
--- send
post('/same', vcp(message_id => uuid4()))
--- refused: vcp field-invalid /message_id



=== TEST 5: VCP-01 2.0 is recognised in any spelling of its text
--- send
(my $m = jcs(sign_vcp(vcp2(hops => 1), person('alice')->{key})))
    =~ s/"2\.0"/"\\u0032.0"/;
post('/same', $m)
--- forwarded: 1
--- got_same



=== TEST 6: VCP-01 a version that is not accepted is refused
--- send
post('/two', vcp())
--- refused: vcp envelope-version-unsupported /vcp_message



=== TEST 7: VCP-01 2.0 is not read as 1.2
--- send
post('/vcp', vcp2())
--- refused: vcp envelope-version-unsupported /vcp_message



=== TEST 8: VCP-01 2.1 is refused
--- send
post('/same', vcp2(vcp_message => '2.1'))
--- refused: vcp envelope-version-unsupported /vcp_message



=== TEST 9: VCP-01 the number 2 is refused
--- send
post('/same', vcp2(vcp_message => 2))
--- refused: vcp envelope-version-unsupported /vcp_message



=== TEST 10: VCP-01 an envelope member in other case is refused
--- send
post('/two', vcp2(Sender => 'agent://ops.example/lead'))
--- refused: vcp field-unknown /Sender



=== TEST 11: VCP-01 an envelope member in other case passes with case=open
--- send
post('/case', vcp2(Sender => 'agent://ops.example/lead'))
--- forwarded: 1
--- got_same



=== TEST 12: VCP-06 unknown members of the payload are refused
--- send
post('/two', with(vcp2(), 'payload/colour' => 'red'))
--- refused: vcp field-unknown /payload/colour



=== TEST 13: VCP-07 personal_state has integers, and may have other members
--- send
post('/two', vcp2(payload => state_of({ energy => 7, mood => 'calm',
                                        emotional => { valence => 1 } })))
--- forwarded: 1
--- got_same



=== TEST 14: VCP-07 a personal_state of six and a half is refused
--- send
post('/two', vcp2(payload => state_of({ energy => 6.5 })))
--- refused: vcp field-invalid /payload/personal_state/energy



=== TEST 15: VCP-07 a personal_state of ten is refused
--- send
post('/two', vcp2(payload => state_of({ body => { pain => 10 } })))
--- refused: vcp field-invalid /payload/personal_state/body/pain



=== TEST 16: VCP-03 any UUID is a message_id, and other texts are refused
--- send
post('/two', vcp2(message_id => 'message-1'))
--- refused: vcp field-invalid /message_id



=== TEST 17: VCP-12 a critical escalation must ask for an acknowledgment
--- send
post('/two', as_vcp2(escalation(severity => 'critical')))
--- refused: vcp field-invalid /payload/requires_ack



=== TEST 18: VCP-13 a duplicate gets the answer duplicate, and is not forwarded
--- send
my $m = vcp2(message_id => ($::id = uuid4()));
[post('/two', $m), post('/two', $m)]
--- answer
/status = duplicate
/message_id = ${id}
--- forwarded: 1



=== TEST 19: VCP-13 the same id in the other version is another message
--- send
my $id = uuid7();
[post('/same', vcp(message_id => $id)),
 post('/same', vcp2(message_id => $id))]
--- each: ^200$
--- forwarded: 2



=== TEST 20: VCP-15 an old message is stale
--- send
post('/two', vcp2(timestamp => timestamp(-301)))
--- refused: vcp message-stale /timestamp



=== TEST 21: VCP-16 an invalid signature is refused
--- send
my $m = sign_vcp(vcp2(session => 's-4'), person('alice')->{key});
post('/two', jcs({ %$m, session => 's-5' }))
--- refused: vcp signature-invalid /signature



=== TEST 22: VCP-16 a malformed signature is refused, also from trusted peers
--- send
post('/open-two', jcs(vcp2(signature => 'none')), token => 0)
--- refused: vcp signature-invalid /signature



=== TEST 23: VCP-16 a signature without its prefix is refused
--- send
my $m = sign_vcp(vcp2(), person('alice')->{key});
$m->{signature} =~ s/^base64://;
post('/two', jcs($m))
--- refused: vcp signature-invalid /signature



=== TEST 24: VCP-17 an unsigned message is refused, as in 1.2
--- send
post('/two', jcs(vcp2()))
--- refused: vcp signature-missing /signature



=== TEST 25: VCP-17 an unsigned message passes where peers are trusted
--- send
post('/open-two', jcs(vcp2()), token => 0)
--- forwarded: 1
--- got_same



=== TEST 26: GW-03 the VCP name of a principal is its name in 2.0 too
--- send
post('/two', vcp2(sender => 'agent://ops.example/lead'), sign => 'lead')
--- refused: vcp sender-identity-mismatch /sender



=== TEST 27: VCP-30 a child can escalate only to its parent
--- send
post('/two', as_vcp2(escalation(), recipient => 'agent://ops.example/bob'))
--- refused: vcp direction-refused /recipient



=== TEST 28: VCP-30 a child cannot constrain its parent
--- send
post('/two', as_vcp2(constraint(), sender => 'agent://ops.example/alice',
                     recipient => 'agent://ops.example/lead'))
--- refused: vcp direction-refused /recipient



=== TEST 29: GW-04 a rule by intent and protocol holds for 2.0
--- send
post('/ruled', vcp2())
--- forwarded: 1



=== TEST 30: GW-04 a rule about 2.0 does not hold for 1.2
--- send
post('/ruled', vcp())
--- refused: vcp policy-refused



=== TEST 31: GW-07 from 2.0 to 1.2: lost members are named
--- send
$::m = vcp2(session => 's-4', payload => state_of({
    energy => 7, mood => 'calm', emotional => { valence => 3 } }));
post('/down', $::m)
--- got
/vcp_message = 1.2
/payload/personal_state = {"energy":7}
! /session
! /signature/x
--- answer
/status = accepted
--- answer_headers
Parley-Loss: request=/payload/personal_state/emotional, request=/payload/personal_state/mood, request=/session



=== TEST 32: GW-07 from 2.0 to 1.2: lost members are refused with parley_loss reject
--- send
post('/strict', vcp2(session => 's-4'))
--- refused: vcp translation-lossy /session



=== TEST 33: GW-06 a scope is never widened
--- send
post('/down', as_vcp2(with(announce(), 'payload/scope' =>
                           { audiences => ['builders'] })))
--- refused: vcp translation-unsupported /payload/scope/audiences



=== TEST 34: GW-08 from 1.2 to 2.0: signed by the gateway, and exact except for fractions
--- send
post('/same', vcp(message_id => ($::id = uuid7()),
                  payload => state_of({ energy => 6.5, cognitive => 6 })))
--- got
/vcp_message = 2.0
/message_id = ${id}
/payload/personal_state = {"cognitive":6}
--- answer
/message_id = ${id}
--- answer_headers
Parley-Loss: request=/payload/personal_state/energy



=== TEST 35: VCP-25 an acknowledgment from 1.2 gets the id of 2.0's escalation
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted',
    message_id => $m->{message_id},
    reply => vcp(type => 'escalation', sender => $m->{recipient},
                 recipient => $m->{sender},
                 payload => { severity => 'critical', context => 'ctx|work',
                              reason => "ACK:$m->{message_id} \"seen\"",
                              requires_ack => false }) }))
--- send
post('/down', as_vcp2(escalation(severity => 'critical',
                                 requires_ack => true),
                      message_id => ($::id = uuid4())))
--- answer
/status = accepted
/message_id = ${id}
/reply/vcp_message = 2.0
/reply/payload/severity = critical
/reply/payload/reason = ACK:${id} "seen"
/reply/payload/requires_ack = false



=== TEST 36: VCP-25 SEC-08 an acknowledgment of another escalation is refused
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted',
    message_id => $m->{message_id},
    reply => vcp(type => 'escalation', sender => $m->{recipient},
                 recipient => $m->{sender},
                 payload => { severity => 'critical', context => 'ctx|work',
                              reason => 'ACK:' . uuid7(),
                              requires_ack => false }) }))
--- send
post('/down', as_vcp2(escalation(severity => 'critical',
                                 requires_ack => true)))
--- refused: vcp upstream-invalid taken
--- forwarded: 1



=== TEST 37: VCP-25 an acknowledgment with another severity is refused
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted',
    message_id => $m->{message_id},
    reply => vcp(type => 'escalation', sender => $m->{recipient},
                 recipient => $m->{sender},
                 payload => { severity => 'warning', context => 'ctx|work',
                              reason => "ACK:$m->{message_id}",
                              requires_ack => false }) }))
--- send
post('/down', as_vcp2(escalation(severity => 'critical',
                                 requires_ack => true)))
--- refused: vcp upstream-invalid taken
--- forwarded: 1



=== TEST 38: VCP-25 an answer in 1.2 of a service of 2.0 is refused
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted',
    message_id => $m->{message_id}, reply => vcp() }))
--- send
post('/two', vcp2())
--- refused: vcp upstream-invalid taken
--- forwarded: 1



=== TEST 39: GW-10 a refusal has the id of the refused message
--- send
post('/two', vcp2(message_id => ($::id = uuid4()), recipient => ''))
--- error_code: 400
--- forwarded: 0
--- answer
/status = rejected
/message_id = ${id}
/code = field-invalid
/field = /recipient
