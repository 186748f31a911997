# VCP callers and an AEE service: the service's request, and the caller's
# answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use Digest::SHA ();
use MIME::Base64 ();

plan 'no_plan';

$ENV{GATEWAY_PEM} = spew(tmp_dir() . '/gateway.pem',
                         gateway_key()->{public_pem});

with_gateway();

run_tests();

__DATA__

=== TEST 1: a context_share becomes an event with the same contents
--- send
$::m = vcp(); $::id = $::m->{message_id}; $::ts = $::m->{timestamp};
post('/to-aee', $::m)
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
Content-Type: application/json; charset=utf-8
! Parley-Loss
--- got
/v = 1
/id = ${id}
/ts = ${ts}
/type = event
/from = agent.alice
/to = agent.bob
/intent = vcp.context_share
/corr = ${id}
/reply_to = null
/priority = normal
/requires = null
/payload/context = ctx|home
/payload/constitution_ref = creed://creed.space/family.safe@1.2.0
/payload/references/0/id = ${id}
/payload/references/0/type = vcp.message
/payload/references/0/hash ~ ^sha256:[0-9a-f]{64}$
--- got_headers
Content-Type: application/json



=== TEST 2: the reference has the original's SHA-256 in canonical form
--- send
my $m = sign_vcp(vcp(), person('alice')->{key});
$::hash = 'sha256:' . Digest::SHA::sha256_hex(jcs($m));
$::bare = 'sha256:' . Digest::SHA::sha256_hex(jcs(without($m, 'signature')));
post('/to-aee', jcs($m))
--- got
/payload/references/0/hash ~ ^(?:${hash}|${bare})$



=== TEST 3: personal_state is kept
--- send
post('/to-aee', with(vcp(), 'payload/personal_state' =>
     { cognitive => 6, emotional => { valence => 7, arousal => 4 } }))
--- got
/payload/personal_state = {"cognitive":6,"emotional":{"arousal":4,"valence":7}}



=== TEST 4: a constitution_announce becomes an event
--- send
post('/to-aee', announce(scope => { environments => ['production'] }))
--- got
/type = event
/intent = vcp.constitution_announce
/payload/scope = {"environments":["production"]}
/priority = normal



=== TEST 5: a constraint_propagate becomes a task of high priority
--- send
post('/to-aee', constraint(), as => 'lead')
--- got
/type = task
/intent = vcp.constraint_propagate
/priority = high
/requires = null
/payload/constraints/0/value = 2048



=== TEST 6: an escalation without a request for acknowledgment becomes an event
--- send
post('/to-aee', escalation(severity => 'info'))
--- got
/type = event
/intent = vcp.escalation
/priority = low



=== TEST 7: a warning without acknowledgment is an event of normal priority
--- send
post('/to-aee', escalation())
--- got
/type = event
/priority = normal



=== TEST 8: a warning with acknowledgment is a task
--- send
post('/to-aee', escalation(requires_ack => true))
--- got
/type = task
/priority = normal
/requires = null



=== TEST 9: a critical escalation is a task of high priority, 5 seconds
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- got
/type = task
/priority = high
/requires/timeout_ms = 5000



=== TEST 10: an emergency is urgent
--- send
post('/to-aee', escalation(severity => 'emergency', requires_ack => true))
--- got
/type = task
/priority = urgent
/requires/timeout_ms = 5000



=== TEST 11: VCP-25 an acknowledgment becomes the result of the task
--- send
my $task = aee(to => 'agent.lead', intent => 'vcp.escalation',
    payload => escalation(severity => 'critical', requires_ack => true)
               ->{payload});
($::id, $::corr) = @$task{qw(id corr)};
Parley::Client->new(port => port(1))->raw(post('/to-vcp', $task));
my $asked = service()->last->{json}{message_id};
post('/to-aee', { %{ escalation(severity => 'critical',
                                reason => "ACK:$asked seen",
                                requires_ack => false) },
                  sender => person('lead')->{vcp},
                  recipient => person('alice')->{vcp} }, as => 'lead')
--- forwarded: 2
--- got
/type = result
/from = agent.lead
/to = agent.alice
/reply_to = ${id}
/corr = ${corr}



=== TEST 12: AEE-34 an acknowledgment without an escalation is refused
--- send
post('/to-aee', { %{ escalation(severity => 'critical',
                                reason => 'ACK:' . uuid7(),
                                requires_ack => false) },
                  sender => person('lead')->{vcp},
                  recipient => person('alice')->{vcp} }, as => 'lead')
--- refused: vcp reply-unmatched /payload/reason



=== TEST 13: AEE-35 the same message gives the same octets
--- send
my $m = post('/to-aee', vcp());
service()->script('$c->answer(500)');
Parley::Client->new(port => port(1))->raw($m);
$::first = service()->last->{body};
service()->script(undef);
$m
--- forwarded: 2
--- got_body
${first}



=== TEST 14: GW-08 the gateway signs the result, and the signature verifies
--- send
post('/to-aee', vcp())
--- service
my %m = %{ $q->{json} };
my $sig = delete $m{sig};
$c->answer(verify({ public_pem => Parley::Env::slurp($ENV{GATEWAY_PEM}) },
                  jcs(\%m), MIME::Base64::decode_base64($sig->{value}))
           && $sig->{alg} eq 'ed25519' && $sig->{kid} eq 'gateway-1'
           ? 202 : 500)
--- answer
/status = accepted



=== TEST 15: GW-08 the service gets the proof of the sender
--- send
post('/to-aee', vcp())
--- got_headers
Parley-Verified: principal="alice"; token; signature="ed25519"; kid="alice-key"



=== TEST 16: the original signature is not forwarded
--- send
post('/to-aee', vcp())
--- got
! /signature
! /payload/signature
! /payload/vcp/signature



=== TEST 17: the service accepted with 204
--- service
$c->answer(204)
--- send
post('/to-aee', vcp(message_id => ($::id = uuid7())))
--- answer
/status = accepted
/message_id = ${id}



=== TEST 18: the service accepted with 200 and an empty body
--- service
$c->answer(200, [], '')
--- send
post('/to-aee', vcp())
--- answer
/status = accepted



=== TEST 19: the service accepted with a stream envelope
--- service
$c->answer(202, [], jcs(aee(type => 'stream', from => $q->{json}{to},
    to => $q->{json}{from}, intent => $q->{json}{intent},
    corr => $q->{json}{corr}, payload => { status => 'accepted' })))
--- send
post('/to-aee', constraint(), as => 'lead')
--- answer
/status = accepted
! /reply



=== TEST 20: GW-07 a result for an escalation is its acknowledgment, with a context
--- service
$c->answer(200, [], jcs(result($q->{json}, payload =>
    { text => 'on it', context => 'ctx|night' })))
--- send
$::m = escalation(severity => 'critical', requires_ack => true);
$::id = $::m->{message_id};
post('/to-aee', $::m)
--- answer
/status = accepted
/message_id = ${id}
/reply/vcp_message = 1.2
/reply/type = escalation
/reply/sender = agent://ops.example/lead
/reply/recipient = agent://ops.example/alice
/reply/payload/severity = critical
/reply/payload/reason = ACK:${id} on it
/reply/payload/requires_ack = false
/reply/payload/context = ctx|night
/reply/signature ~ ^base64:



=== TEST 21: GW-08 the reply is signed by the gateway
--- service
$c->answer(200, [], jcs(result($q->{json}, payload =>
    { text => 'on it', context => 'ctx|night' })))
--- send
my $r = Parley::Client->new(port => port(1))->raw(post('/to-aee',
    escalation(severity => 'critical', requires_ack => true)));
my $sig = delete $r->{json}{reply}{signature} // '';
$::verified = verify(gateway_key(), jcs($r->{json}{reply} // {}),
    MIME::Base64::decode_base64($sig =~ s/^base64://r)) ? 'yes' : 'no';
post('/to-aee', vcp(), headers => ['X-Verified' => $::verified])
--- error_code_like: ^(?:200|502)$
--- forwarded: 2
--- got_headers
X-Verified: yes



=== TEST 22: GW-07 VCP-25 a result has the context of the acknowledged escalation
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true,
                           context => 'ctx|alarm'))
--- answer
/status = accepted
/reply/payload/context = ctx|alarm
/reply/payload/reason ~ ^ACK:



=== TEST 23: GW-07 an error comes back as an escalation
--- service
$c->answer(200, [], jcs(failure($q->{json}, context => 'ctx|night')))
--- send
post('/to-aee', constraint(), as => 'lead')
--- answer
/status = accepted
/reply/type = escalation
/reply/payload/severity = warning
/reply/payload/reason ~ E_BROKEN
/reply/payload/reason ~ it broke



=== TEST 24: GW-07 a retryable error is a warning
--- service
$c->answer(200, [], jcs(failure($q->{json}, context => 'ctx|night',
                                retryable => true)))
--- send
post('/to-aee', constraint(), as => 'lead')
--- answer
/reply/payload/severity = warning



=== TEST 25: GW-07 a result without an equivalent in VCP is lost, and the message is taken
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
post('/to-aee', constraint(), as => 'lead')
--- answer
/status = accepted
! /reply
--- answer_headers
Parley-Loss ~ .



=== TEST 26: AEE-34 a result with another corr is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, corr => uuid4())))
--- send
post('/to-aee', constraint(), as => 'lead')
--- refused: vcp upstream-invalid /corr
--- forwarded: 1



=== TEST 27: AEE-34 a result that answers another message is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, reply_to => uuid4())))
--- send
post('/to-aee', constraint(), as => 'lead')
--- refused: vcp upstream-invalid /reply_to
--- forwarded: 1



=== TEST 28: AEE-34 an answer that is not an envelope is refused
--- service
$c->answer(200, [], jcs(without(result($q->{json}), 'priority')))
--- send
post('/to-aee', constraint(), as => 'lead')
--- refused: vcp upstream-invalid /priority
--- forwarded: 1



=== TEST 29: AEE-12 the trace of an answer is the caller's traceparent
--- service
$c->answer(200, [], jcs(result($q->{json}, payload =>
    { text => 'x', context => 'ctx' }, trace =>
    { trace_id => '4bf92f3577b34da6a3ce929d0e0e4736',
      span_id => '00f067aa0ba902b7' })))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- answer_headers
traceparent ~ ^00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0[01]$



=== TEST 30: AEE-12 the caller's traceparent is the trace of the result
--- send
post('/to-aee', vcp(), headers => [traceparent =>
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'])
--- got
/trace/trace_id = 4bf92f3577b34da6a3ce929d0e0e4736
/trace/span_id = 00f067aa0ba902b7
--- got_headers
traceparent ~ ^00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0[01]$



=== TEST 31: GW-10 the service's refusal reaches the caller in VCP
--- service
$c->answer(422, [], jcs(failure($q->{json}, code => 'E_POLICY_REFUSED')))
--- send
post('/to-aee', constraint(), as => 'lead')
--- error_code_like: ^(?:200|4\d\d|50\d)$
--- answer
/message_id exists



=== TEST 32: VCP-25 an acknowledgment with another severity than its escalation
--- send
my $task = aee(to => 'agent.lead', intent => 'vcp.escalation',
    payload => escalation(severity => 'critical', requires_ack => true)
               ->{payload});
Parley::Client->new(port => port(1))->raw(post('/to-vcp', $task));
my $asked = service()->last->{json}{message_id};
post('/to-aee', { %{ escalation(severity => 'warning',
                                reason => "ACK:$asked seen",
                                requires_ack => false) },
                  sender => person('lead')->{vcp},
                  recipient => person('alice')->{vcp} }, as => 'lead')
--- refused: vcp field-invalid /payload/severity
--- forwarded: 1
