# AEE callers and services of MoQ commands, VCP and AEE: the service's request,
# and the caller's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: GW-06 AEE to MoQ: a task is a command
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-moq', $::m)
--- service: took($c, $q)
--- error_code: 202
--- valid
service moq
answer aee
--- got
/action = ops.backup.run
/session_id = ${corr}
/payload/text = do it
! /status
/aee/form = task
/aee/id = ${id}
/aee/sender = alice
/aee/recipient = bob
--- answer
/type = stream
/payload/status = accepted
/corr = ${corr}



=== TEST 2: MOQ-02 AEE to MoQ: the intent of a command is its action
--- send
post('/to-moq', aee(intent => 'moq.cmd.pause'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service moq
--- got
/action = pause



=== TEST 3: MOQ-02 AEE to MoQ: an AEE message cannot become a session command
--- send
post('/to-moq', aee(intent => 'moq.cmd.session_init'))
--- refused: aee translation-unsupported /intent



=== TEST 4: GW-07 AEE to MoQ: "approved" is a result
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-moq', $::m)
--- service: answered($c, $q, 'it ran')
--- error_code: 200
--- valid
answer aee
--- answer
/type = result
/from = agent.bob
/to = agent.alice
/corr = ${corr}
/reply_to = ${id}
/payload/text = it ran



=== TEST 5: GW-07 AEE to MoQ: "error" is an error
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-moq', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- valid
answer aee
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_500
/payload/retryable = true



=== TEST 6: GW-10 AEE to MoQ: "denied" with its status is an error envelope
--- send
post('/to-moq', aee())
--- service: refused($c, $q)
--- error_code: 403
--- valid
answer aee
--- answer
/type = error
/payload/code = E_403
/payload/retryable = false



=== TEST 7: AEE-34 AEE to MoQ: a command of another session is refused
--- send
post('/to-moq', aee())
--- service
$c->answer(200, [], jcs({ action => 'x', session_id => 'another',
                          status => 'approved' }))
--- refused: aee upstream-invalid /session_id taken
--- forwarded: 1



=== TEST 8: GW-07 AEE to MoQ: commands in a stream of events
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-moq', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/type = result
/0/reply_to = ${id}
/0/corr = ${corr}
! /1



=== TEST 9: GW-06 AEE to VCP: a message with an intent of VCP becomes that message
--- send
$::m = aee(type => 'event', intent => 'vcp.context_share',
           payload => vcp()->{payload});
$::id = $::m->{id};
post('/to-vcp', $::m)
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service vcp
--- got
/type = context_share
/sender = agent://ops.example/alice
/recipient = agent://ops.example/bob



=== TEST 10: GW-06 AEE to VCP: an error is an escalation to the parent
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-aee', $task, as => 'lead'),
 post('/to-vcp', failure($task, retryable => JSON::PP::true),
      as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/sender = agent://ops.example/bob
/recipient = agent://ops.example/lead
/payload/severity = warning
/payload/reason = E_BROKEN: it broke
/payload/context = ctx|gateway
--- answer_headers
Parley-Loss ~ request=/type, .*request=/payload/retryable



=== TEST 11: GW-06 AEE to VCP: an error without a context is refused
--- send
my $task = aee();
[post('/to-aee', $task), post('/to-vcp-bare', failure($task), as => 'bob')]
--- service: took($c, $q)
--- refused: aee translation-unsupported
--- forwarded: 1



=== TEST 12: GW-06 AEE to VCP: an ordinary task is refused
--- send
post('/to-vcp', aee())
--- refused: aee translation-unsupported /intent



=== TEST 13: GW-07 AEE to VCP: the service's escalation is a task
--- send
$::m = aee(type => 'task', intent => 'vcp.escalation', to => 'agent.lead',
           payload => escalation(requires_ack => JSON::PP::true)->{payload});
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-vcp', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- valid
service vcp
answer aee
--- answer
/from = agent.lead
/to = agent.alice
/intent = vcp.escalation
/corr = ${corr}



=== TEST 14: GW-07 AEE to VCP: the service's acknowledgment is a result
--- send
$::m = aee(type => 'task', intent => 'vcp.escalation', to => 'agent.lead',
           payload => escalation(requires_ack => JSON::PP::true)->{payload});
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-vcp', $::m)
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- valid
service vcp
answer aee
--- answer
/type = result
/from = agent.lead
/corr = ${corr}
/reply_to = ${id}
/intent = vcp.escalation



=== TEST 15: GW-06 an AEE message passes unchanged to an AEE service
--- send
post('/to-aee', aee())
--- service: took($c, $q)
--- error_code: 202
--- got_same



=== TEST 16: GW-10 a result without a request is refused
--- send
post('/to-c2a', aee(type => 'result', reply_to => uuid4()))
--- refused: aee reply-unmatched /reply_to



=== TEST 17: VCP-30 GW-06 AEE to VCP: an error for another principal than the parent is refused
--- send
my $task = aee();
[post('/to-aee', $task),
 post('/to-vcp', failure($task, retryable => JSON::PP::true),
      as => 'bob')]
--- service: took($c, $q)
--- error_code: 422
--- forwarded: 1
--- answer
/type = error
/payload/code = E_TRANSLATION_UNSUPPORTED
/payload/field = /to



=== TEST 18: VCP-12 GW-06 AEE to VCP: the operator sets the severity of an error
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-aee', $task, as => 'lead'),
 post('/to-vcp-own', failure($task), as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service vcp
--- got
/payload/severity = critical
/payload/requires_ack = true
/payload/reason = E_BROKEN: it broke



=== TEST 19: VCP-12 GW-06 AEE to VCP: an error that may not be retried is a warning too
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-aee', $task, as => 'lead'),
 post('/to-vcp', failure($task), as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- got
/payload/severity = warning
/payload/requires_ack = false



=== TEST 20: VCP-04 GW-06 AEE to VCP: a group is not the broadcast
--- send
post('/to-vcp', aee(type => 'event', to => 'bus.ops',
                    intent => 'vcp.context_share',
                    payload => vcp()->{payload}))
--- refused: aee identity-unmappable /to



=== TEST 21: VCP-04 GW-06 AEE to VCP: the configured group is the broadcast
--- send
post('/to-vcp-own', aee(type => 'event', to => 'bus.ops',
                        intent => 'vcp.context_share',
                        payload => vcp()->{payload}))
--- service: took($c, $q)
--- error_code: 202
--- valid
service vcp
--- got
/recipient = broadcast



=== TEST 22: VCP-04 GW-06 AEE to VCP: another group is not the broadcast there either
--- send
post('/to-vcp-own', aee(type => 'event', to => 'bus.dev',
                        intent => 'vcp.context_share',
                        payload => vcp()->{payload}))
--- refused: aee identity-unmappable /to



=== TEST 23: GW-12 AEE to VCP: after busy the message may be sent again
--- send
my $m = aee(intent => 'vcp.escalation',
            payload => escalation()->{payload}, to => 'agent.lead');
[post('/to-vcp', $m), post('/to-vcp', $m)]
--- service
$c->answer(200, [], jcs({ status => 'rejected', code => 'busy',
                          message => 'later',
                          message_id => $q->{json}{message_id} }))
--- error_code: 503
--- forwarded: 2
--- answer
/type = error
/payload/code = E_BUSY
/payload/retryable = true
