# AEE callers and a VCP service: the service's request, and the caller's
# answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use Digest::SHA ();
use MIME::Base64 ();

plan 'no_plan';

my $speak = 'parley_accept aee vcp; parley_speak vcp; parley_jwt on;';
my $context = 'parley_vcp_context ctx|gateway;';

$ENV{GATEWAY_PEM} = spew(tmp_dir() . '/gateway.pem',
                         gateway_key()->{public_pem});

with_gateway(add =>
    location('/reject', "$speak $context parley_loss reject;")
  . location('/ignore', "$speak $context parley_loss ignore;")
  . location('/bare', $speak)
  . location('/all', "$speak parley_vcp_broadcast bus.all;")
  . location('/variable', "$speak parley_vcp_context \$http_x_context;"));


# Returns an event, or another type, with an intent of VCP.
sub main::native {
    my ($type, $payload, %other) = @_;

    return aee(type => 'event', intent => "vcp.$type", payload => $payload,
               %other);
}

sub main::shared { with(vcp(), @_)->{payload} }

run_tests();

__DATA__

=== TEST 1: an event vcp.context_share becomes a context_share
--- send
$::m = native('context_share', shared(), corr => ($::id = uuid7()),
              id => $::id);
$::ts = $::m->{ts};
post('/to-vcp', $::m)
--- error_code: 202
--- answer_headers
! Parley-Loss
--- got
/vcp_message = 1.2
/type = context_share
/message_id = ${id}
/sender = agent://ops.example/alice
/recipient = agent://ops.example/bob
/timestamp = ${ts}
/payload = {"constitution_ref":"creed://creed.space/family.safe@1.2.0","context":"ctx|home"}
/signature ~ ^base64:
--- got_headers
Content-Type: application/json; charset=utf-8



=== TEST 2: AEE-35 an id that is not a UUIDv7 becomes one with the message's time
--- send
post('/to-vcp', native('context_share', shared(),
     ts => timestamp() =~ s/\.\d+Z/.000Z/r))
--- error_code: 202
--- got
/message_id ~ ^01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$



=== TEST 3: AEE-35 the same message gives the same octets
--- send
my $m = post('/to-vcp', native('context_share', shared()));
service()->script('$c->answer(500)');
Parley::Client->new(port => port(1))->raw($m);
$::first = service()->last->{body};
service()->script(undef);
$m
--- error_code: 202
--- forwarded: 2
--- got_body
${first}



=== TEST 4: GW-08 the gateway signs the result, and the signature verifies
--- service
my %m = %{ $q->{json} };
my $sig = delete $m{signature};
$sig =~ s/^base64://;
verify({ public_pem => Parley::Env::slurp($ENV{GATEWAY_PEM}) }, jcs(\%m),
       MIME::Base64::decode_base64($sig)) ? $c->take : $c->answer(500)
--- send
post('/to-vcp', native('context_share', shared()), sign => 1)
--- error_code: 202
--- got_headers
Parley-Verified: principal="alice"; token; signature="ed25519"; kid="alice-key"



=== TEST 5: a constitution_announce to a bus becomes a broadcast
--- send
post('/all', native('constitution_announce', announce()->{payload},
                    to => 'bus.all'))
--- error_code: 202
--- got
/type = constitution_announce
/recipient = broadcast



=== TEST 6: a task vcp.constraint_propagate of high priority
--- send
post('/to-vcp', native('constraint_propagate', constraint()->{payload},
     type => 'task', priority => 'high', from => 'agent.lead',
     to => 'agent.alice', corr => ($::id = uuid7()), id => $::id),
     as => 'lead')
--- error_code: 202
--- got
/type = constraint_propagate
/payload/constraints/0/value = 2048
--- answer_headers
! Parley-Loss



=== TEST 7: AEE-36 the acceptance of a task is a stream envelope
--- send
$::m = native('constraint_propagate', constraint()->{payload}, type => 'task',
     priority => 'high', from => 'agent.lead', to => 'agent.alice');
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-vcp', $::m, as => 'lead')
--- error_code: 202
--- answer
/v = 1
/type = stream
/payload/status = accepted
/corr = ${corr}
/to = agent.lead
/from = service.parley
/intent = vcp.constraint_propagate



=== TEST 8: the acceptance of an event has no body
--- send
post('/to-vcp', native('context_share', shared()))
--- error_code: 202
--- response_body



=== TEST 9: VCP-12 an escalation, by its intent
--- send
post('/to-vcp', native('escalation', escalation(severity => 'critical',
     requires_ack => true)->{payload}, type => 'task', priority => 'high',
     requires => { timeout_ms => 5000 }, to => 'agent.lead',
     corr => ($::id = uuid7()), id => $::id))
--- error_code: 202
--- got
/payload/severity = critical
/payload/requires_ack = true
--- answer_headers
! Parley-Loss



=== TEST 10: an intent without an equivalent in VCP is refused and named
--- send
post('/to-vcp', aee())
--- refused: aee translation-unsupported /intent



=== TEST 11: a VCP type that does not exist is refused
--- send
post('/to-vcp', native('greeting', shared()))
--- refused: aee translation-unsupported /intent



=== TEST 12: a stream is refused: VCP has no equivalent
--- send
post('/to-vcp', native('context_share', shared(), type => 'stream'))
--- refused: aee translation-unsupported /type



=== TEST 13: the error for a payload that VCP does not allow names the AEE member
--- send
post('/to-vcp', native('context_share', shared('payload/mood' => 5)))
--- refused: aee translation-unsupported /payload/mood



=== TEST 14: a missing member of the payload is named
--- send
post('/to-vcp', native('constitution_announce',
     { constitution_ref => 'creed://ops.example/own@2' }))
--- refused: aee translation-unsupported /payload/manifest_hash



=== TEST 15: a number out of VCP's range is named
--- send
post('/to-vcp', native('context_share',
     shared('payload/personal_state' => { energy => 12 })))
--- refused: aee translation-unsupported /payload/personal_state/energy



=== TEST 16: VCP-05 a timestamp with an offset becomes UTC, and keeps its fraction
--- send
my $now = time;
$::ts = POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime $now) . '.123456Z';
post('/to-vcp', native('context_share', shared(), ts =>
     POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime $now + 7200)
     . '.123456+02:00'))
--- error_code: 202
--- got
/timestamp = ${ts}



=== TEST 17: a lost member is named: correlation
--- send
post('/to-vcp', native('context_share', shared()))
--- error_code: 202
--- answer_headers
Parley-Loss ~ /corr



=== TEST 18: lost members are named: priority, requires, unknown fields
--- send
post('/to-vcp', native('context_share', shared(), priority => 'low',
     requires => { evidence => true, timeout_ms => 60000 }, x_tenant => 'a',
     corr => ($::id = uuid7()), id => $::id))
--- error_code: 202
--- answer_headers
Parley-Loss ~ ^(?=.*/priority)(?=.*/requires/evidence)(?=.*/requires/timeout_ms)(?=.*/x_tenant)(?!.*/corr)



=== TEST 19: a member name cannot forge the header Parley-Loss
--- send
post('/to-vcp', native('context_share', shared(), "a,b\r\nX-Evil: 1" => 1))
--- error_code: 202
--- answer_headers
! X-Evil
Parley-Loss ~ /a%2Cb%0D%0AX-Evil



=== TEST 20: parley_loss reject refuses and names
--- send
post('/reject', native('context_share', shared(), x_tenant => 'a',
     corr => ($::id = uuid7()), id => $::id))
--- refused: aee translation-lossy /x_tenant



=== TEST 21: parley_loss reject lets a message without loss pass
--- send
post('/reject', native('context_share', shared(), corr => ($::id = uuid7()),
                       id => $::id))
--- error_code: 202



=== TEST 22: a message refused for its loss may be sent again
--- send
my $m = native('context_share', shared(), x_tenant => 'a');
[post('/reject', $m), post('/to-vcp', $m)]
--- error_code: 202



=== TEST 23: parley_loss ignore sends no header
--- send
post('/ignore', native('context_share', shared(), x_tenant => 'a'))
--- error_code: 202
--- answer_headers
! Parley-Loss



=== TEST 24: AEE-12 a trace is forwarded as traceparent and not lost
--- send
post('/to-vcp', native('context_share', shared(), corr => ($::id = uuid7()),
     id => $::id, trace => { trace_id => '4bf92f3577b34da6a3ce929d0e0e4736',
                             span_id => '00f067aa0ba902b7' }))
--- error_code: 202
--- answer_headers
! Parley-Loss
--- got_headers
traceparent ~ ^00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0[01]$



=== TEST 25: AEE-12 a trace that is invalid as traceparent is lost
--- send
post('/to-vcp', native('context_share', shared(), corr => ($::id = uuid7()),
     id => $::id, trace => { trace_id => 'abc', span_id => 'def' }))
--- error_code: 202
--- answer_headers
Parley-Loss ~ /trace
--- got_headers
! traceparent



=== TEST 26: AEE-30 references of an AEE payload are lost
--- send
post('/to-vcp', native('context_share', { %{ shared() }, references =>
     [{ id => 'abcdefgh', type => 'aee.envelope' }] },
     corr => ($::id = uuid7()), id => $::id))
--- error_code: 202
--- answer_headers
Parley-Loss ~ /payload/references
--- got
! /payload/references



=== TEST 27: VCP-30 translation cannot avoid the rules about directions
--- send
post('/to-vcp', native('constraint_propagate', constraint()->{payload},
     type => 'task', to => 'agent.lead'))
--- refused: aee direction-refused /to



=== TEST 28: GW-10 the service's refusal comes back as an AEE error
--- service
$c->answer(403, [], jcs({ status => 'rejected',
    message_id => $q->{json}{message_id}, code => 'policy-refused',
    field => '/type', message => 'not now' }))
--- send
my $m = native('context_share', shared());
($::id, $::corr) = @$m{qw(id corr)};
post('/to-vcp', $m)
--- error_code: 403
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_POLICY_REFUSED
/payload/message = not now
/payload/retryable = false



=== TEST 29: VCP-13 the service had the message already: it counts as taken
--- service
$c->answer(200, [], jcs({ status => 'duplicate',
    message_id => $q->{json}{message_id} }))
--- send
post('/to-vcp', native('context_share', shared()))
--- error_code: 202



=== TEST 30: AEE-34 an answer about another message is refused
--- service
$c->answer(200, [], jcs({ status => 'accepted', message_id => uuid7() }))
--- send
post('/to-vcp', native('context_share', shared()))
--- refused: aee upstream-invalid /message_id taken
--- forwarded: 1



=== TEST 31: GW-10 an answer that is not a VCP answer is refused
--- service
$c->answer(200, [], '{"ok":true}')
--- send
post('/to-vcp', native('context_share', shared()))
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 32: GW-07 an acknowledgment in the answer comes back as a result
--- service
$c->answer(200, [], jcs({ status => 'accepted',
    message_id => $q->{json}{message_id},
    reply => vcp(type => 'escalation', sender => $q->{json}{recipient},
        recipient => $q->{json}{sender}, payload => { severity => 'critical',
        reason => "ACK:$q->{json}{message_id} seen", context => 'c',
        requires_ack => false }) }))
--- send
$::m = native('escalation', escalation(severity => 'critical',
     requires_ack => true)->{payload}, type => 'task', priority => 'high',
     to => 'agent.lead');
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-vcp', $::m)
--- answer
/type = result
/from = agent.lead
/to = agent.alice
/corr = ${corr}
/reply_to = ${id}
/intent = vcp.escalation
/payload/severity = critical
/sig/kid = gateway-1



=== TEST 33: an id that AEE chose comes back as it was
--- service
$c->answer(200, [], jcs({ status => 'accepted',
    message_id => $q->{json}{message_id} }))
--- send
post('/to-vcp', native('constraint_propagate', constraint()->{payload},
     type => 'task', priority => 'high', from => 'agent.lead',
     to => 'agent.alice', id => 'my own id', corr => 'my own corr'),
     as => 'lead')
--- error_code: 202
--- answer
/corr = my own corr



=== TEST 34: GW-03 a recipient without image in VCP is refused
--- send
post('/to-vcp', native('context_share', shared(), to => 'Agent X!'))
--- refused: aee identity-unmappable /to



=== TEST 35: GW-06 what a payload lacks, the directives say
--- send
post('/to-vcp', native('context_share', {}))
--- error_code: 202
--- got
/type = context_share
/payload/context = ctx|gateway
/payload/constitution_ref = creed://ops.example/gateway@1



=== TEST 36: GW-06 what a payload has, stays
--- send
post('/to-vcp', native('constitution_announce',
     { manifest_hash => 'sha256:' . '0a' x 32,
       constitution_ref => 'creed://ops.example/own@2' }))
--- error_code: 202
--- got
/payload/manifest_hash = sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a
/payload/constitution_ref = creed://ops.example/own@2
