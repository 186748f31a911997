# MoQ commands and services of AEE, and the detection of the protocol if a
# location accepts several.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my $to_moq = 'parley_accept aee moq; parley_speak moq; parley_jwt on;';
my $deny = 'parley_deny intent=ops.delete; parley_allow principal=**;';

with_gateway(matrix(add => join '',
    location('/moq-alone', 'parley_accept moq; parley_jwt on;'),
    location('/deny-action', "$to_moq $deny"),
    location('/deny-command', "$to_moq parley_deny intent=moq.cmd.ops.delete; "
                            . 'parley_allow principal=**;'),
    location('/deny-action-aee', 'parley_accept aee moq; parley_speak aee; '
                               . "parley_jwt on; $deny"),
    location('/only-action', "$to_moq parley_allow intent=ops.**;")));

run_tests();

__DATA__

=== TEST 1: GW-06 MoQ to AEE: a command is a task
--- send
$::m = command('backup.run'); $::session = $::m->{session_id};
post('/to-aee?recipient=bob', $::m)
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service aee
--- got
/v = 1
/type = task
/from = agent.alice
/to = agent.bob
/intent = moq.cmd.backup.run
/corr = ${session}
/priority = normal
/requires = null
/reply_to = null
/payload/text = do it
/payload/references/0/type = moq.message
--- answer_headers
! Parley-Loss



=== TEST 2: GW-06 MoQ to AEE: a command without a recipient is for the gateway
--- send
post('/to-aee', command('backup.run'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service aee
--- got
/to = service.parley



=== TEST 3: GW-06 MoQ to AEE: other members are in payload.moq
--- send
post('/to-aee?recipient=bob', command('backup.run', track_name => 't/1',
                                      x_mood => 5))
--- service: took($c, $q)
--- error_code: 202
--- valid
service aee
--- got
/payload/moq/track_name = t/1
/payload/moq/x_mood = 5
--- answer_headers
! Parley-Loss



=== TEST 4: GW-06 MoQ to AEE: "approved" answers a task
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-moq', $task, as => 'bob'),
 post('/to-aee?recipient=bob', command('ops.backup.run',
      session_id => $::corr, status => 'approved',
      payload => { text => 'it ran' }))]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service aee
--- got
/type = result
/from = agent.alice
/to = agent.bob
/corr = ${corr}
/reply_to = ${id}
/intent = ops.backup.run
/payload/moq/form = moq.cmd.ops.backup.run
/payload/text = it ran



=== TEST 5: GW-06 MoQ to AEE: "approved" reaches the asker without a recipient
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-moq', $task, as => 'bob'),
 post('/to-aee', command('ops.backup.run', session_id => $::corr,
                         status => 'error', error_code => 503))]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service aee
--- got
/type = error
/from = agent.alice
/to = agent.bob
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_503
/payload/retryable = true



=== TEST 6: GW-06 MoQ to AEE: "approved" without a request is refused
--- send
post('/to-aee?recipient=bob', command('backup.run', status => 'approved'))
--- refused: moq reply-unmatched /session_id



=== TEST 7: GW-07 MoQ to AEE: a result is an approved command
--- send
$::m = command('backup.run'); $::session = $::m->{session_id};
post('/to-aee?recipient=bob', $::m)
--- service: answered($c, $q, 'it ran')
--- error_code: 200
--- valid
answer moq
--- answer
/action = backup.run
/session_id = ${session}
/status = approved
/payload/text = it ran
--- answer_headers
Content-Type: application/json



=== TEST 8: GW-07 MoQ to AEE: an error is a command with an error_code
--- send
$::m = command('backup.run'); $::session = $::m->{session_id};
post('/to-aee?recipient=bob', $::m)
--- service
$c->answer(200, [], jcs(failure($q->{json}, code => 'E_503')))
--- error_code: 200
--- valid
answer moq
--- answer
/action = backup.run
/session_id = ${session}
/status = error
/error_code = 503
/payload/message = it broke



=== TEST 9: GW-10 MoQ to AEE: the service's refusal
--- send
$::m = command('backup.run'); $::session = $::m->{session_id};
post('/to-aee?recipient=bob', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- valid
answer moq
--- answer
/action = backup.run
/session_id = ${session}
/status = denied
/error_code = 403
/payload/message = not now



=== TEST 10: GW-10 MoQ to AEE: an invalid answer of the service
--- send
post('/to-aee?recipient=bob', command('backup.run'))
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: moq upstream-invalid
--- forwarded: 1



=== TEST 11: GW-07 MoQ to AEE: a stream of events has commands
--- send
$::m = command('backup.run'); $::session = $::m->{session_id};
post('/to-aee?recipient=bob', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/aee/form = stream
/0/session_id = ${session}
/0/payload/text = half
/1/action = backup.run
/1/session_id = ${session}
/1/status = approved
! /2



=== TEST 12: GW-06 MoQ to AEE: a message that came from AEE comes back unchanged
--- send
my $task = aee(from => 'agent.alice', to => 'agent.bob');
$::id = $task->{id};
my $m = post('/to-moq', $task);
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw($m);
post('/to-aee?recipient=bob', service()->last->{json})
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service aee
--- got
/id = ${id}
/type = task
/intent = ops.backup.run
/from = agent.alice
/to = agent.bob
/payload/text = do it
! /payload/references



=== TEST 13: GW-06 MoQ to AEE: an unknown recipient is refused
--- send
post('/to-aee?recipient=Nobody!', command('backup.run'))
--- refused: moq identity-unmappable



=== TEST 14: MOQ-02 a command without an action is refused
--- send
my $m = command('x'); delete $m->{action};
post('/moq-alone', $m)
--- refused: moq field-missing /action



=== TEST 15: MOQ-02 an action that is not a text is refused
--- send
post('/to-aee', command(5))
--- refused: moq field-invalid /action



=== TEST 16: MOQ-02 a session command without its session is refused
--- send
my $m = command('session_bye'); delete $m->{session_id};
post('/to-aee', $m)
--- refused: moq field-missing /session_id



=== TEST 17: MOQ-02 a session_init without auth_token is refused
--- send
post('/to-aee', command('session_init'))
--- refused: moq field-missing /auth_token



=== TEST 18: MOQ-02 session commands are refused: they belong to the gateway
--- send
post('/to-aee', command('session_init', auth_token => 'secret-token'))
--- refused: moq translation-unsupported /action



=== TEST 19: MOQ-02 subscriptions are refused, also from MoQ to MoQ
--- send
post('/to-moq', command('subscribe_request', track_name => 't/1',
                        subscriber_id => 's-1'))
--- refused: moq translation-unsupported /action



=== TEST 20: MOQ-02 a credential is not forwarded
--- send
post('/to-moq', command('backup.run', auth_token => 'secret-token'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service moq
--- got
/action = backup.run
! /auth_token
--- answer_headers
Parley-Loss: request=/auth_token



=== TEST 21: GW-06 a command passes unchanged to a MoQ service
--- send
post('/to-moq', command('backup.run'))
--- service: took($c, $q)
--- error_code: 200
--- got_same



=== TEST 22: GW-06 MoQ to VCP is refused, and the error names the command
--- send
post('/to-vcp?recipient=bob', command('backup.run'))
--- refused: moq translation-unsupported /action



=== TEST 23: GW-06 MoQ to C2A is refused, and the error names the command
--- send
post('/to-c2a?recipient=bob', command('backup.run'))
--- refused: moq translation-unsupported /action



=== TEST 24: GW-06 MoQ to agent-channel is refused, and the error names the command
--- send
post('/to-channel?recipient=bob', command('backup.run'))
--- refused: moq translation-unsupported /action



=== TEST 25: GW-06 a location that accepts all protocols detects each
--- send
[post('/to-aee', aee()), post('/to-aee', vcp()), post('/to-aee', deliver()),
 post('/to-aee', query()), post('/to-aee?recipient=bob', command('x.run'))]
--- service: $c->answer(202)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 5
--- got
/intent = moq.cmd.x.run



=== TEST 26: GW-10 the refusal of a VCP message is in VCP
--- send
post('/to-aee', without(vcp(), 'payload/context'))
--- refused: vcp field-missing /payload/context



=== TEST 27: GW-10 the refusal of an AEE message is in AEE
--- send
post('/to-aee', without(aee(), 'intent'))
--- refused: aee field-missing /intent



=== TEST 28: GW-10 the refusal of a C2A message is in C2A
--- send
post('/to-aee', without(deliver(), 'params/content'))
--- refused: c2a field-missing /params/content



=== TEST 29: GW-10 the refusal of a frame is in agent-channel
--- send
post('/to-aee', without(query(), 'acted_by'))
--- refused: channel field-missing /acted_by



=== TEST 30: GW-10 the refusal of an unknown message says so
--- send
post('/to-aee', { hello => 'world' })
--- refused: problem protocol-unsupported



=== TEST 31: GW-10 a wrong token is refused before the body is read
--- send
post('/to-aee', aee(), token => 'Bearer x.y.z')
--- refused: problem token-invalid



=== TEST 32: SEC-08 MoQ to AEE: in_reply_to selects one of several commands of a session
--- send
my @task = map { aee(from => 'agent.bob', to => 'agent.alice',
                     corr => 'corr-of-two') } 1, 2;
$::id = $task[0]{id};
[map({ post('/to-moq', $_, as => 'bob') } @task),
 post('/to-aee?recipient=bob', command('ops.backup.run',
      session_id => 'corr-of-two', status => 'approved',
      payload => { in_reply_to => $::id, text => 'it ran' }))]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 3
--- valid
service aee
--- got
/type = result
/to = agent.bob
/reply_to = ${id}



=== TEST 33: SEC-08 MoQ to AEE: an answer without in_reply_to is refused if several wait
--- send
my @task = map { aee(from => 'agent.bob', to => 'agent.alice',
                     corr => 'corr-of-many') } 1, 2;
[map({ post('/to-moq', $_, as => 'bob') } @task),
 post('/to-aee?recipient=bob', command('ops.backup.run',
      session_id => 'corr-of-many', status => 'approved'))]
--- service: took($c, $q)
--- refused: moq reply-unmatched /session_id
--- forwarded: 2



=== TEST 34: SEC-08 MoQ to AEE: an in_reply_to that matches none of them is refused
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice',
               corr => 'corr-of-one');
[post('/to-moq', $task, as => 'bob'),
 post('/to-aee?recipient=bob', command('ops.backup.run',
      session_id => 'corr-of-one', status => 'approved',
      payload => { in_reply_to => uuid4() }))]
--- service: took($c, $q)
--- refused: moq reply-unmatched /payload/in_reply_to
--- forwarded: 1



=== TEST 35: SEC-08 AEE to MoQ: a response that names another command is refused
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ action => $m->{action}, status => 'approved',
                          session_id => $m->{session_id},
                          payload => { in_reply_to => uuid4(), text => 'ok' } }))
--- send
post('/to-moq', aee())
--- refused: aee upstream-invalid /payload/in_reply_to taken
--- forwarded: 1



=== TEST 36: SEC-08 AEE to MoQ: a response that names the message in the command
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ action => $m->{action}, status => 'approved',
                          session_id => $m->{session_id},
                          payload => { in_reply_to => $m->{aee}{id},
                                       text => 'ok' } }))
--- send
$::m = aee(); $::id = $::m->{id};
post('/to-moq', $::m)
--- error_code: 200
--- answer
/type = result
/reply_to = ${id}



=== TEST 37: SEC-04 AEE to MoQ: a denied intent
--- send
post('/deny-action', aee(intent => 'ops.delete'))
--- refused: aee policy-refused



=== TEST 38: SEC-04 AEE to MoQ: the same action, by the intent of a command
--- send
post('/deny-action', aee(intent => 'moq.cmd.ops.delete'))
--- refused: aee policy-refused



=== TEST 39: SEC-04 MoQ to MoQ: the same action in a command
--- send
post('/deny-action', command('ops.delete'))
--- refused: moq policy-refused



=== TEST 40: SEC-04 MoQ to MoQ: the same action in other case
--- send
post('/deny-action', command('OPS.Delete'))
--- refused: moq policy-refused



=== TEST 41: SEC-04 AEE to MoQ: the denied intent of a command in an AEE message
--- send
post('/deny-command', aee(intent => 'ops.delete'))
--- refused: aee policy-refused



=== TEST 42: SEC-04 MoQ to MoQ: the denied intent of a command
--- send
post('/deny-command', command('ops.delete'))
--- refused: moq policy-refused



=== TEST 43: SEC-04 MoQ to MoQ: a message in a command
--- send
post('/deny-command', command('ops.delete', aee => {
    form => 'task', id => uuid4(), created => timestamp(), sender => 'alice',
    recipient => 'agent.bob', intent => 'ops.delete' }))
--- refused: moq policy-refused



=== TEST 44: SEC-04 MoQ to AEE: a command by its action
--- send
post('/deny-action-aee?recipient=bob', command('ops.delete'))
--- refused: moq policy-refused



=== TEST 45: SEC-04 AEE to AEE: the message is not read as a command
--- send
post('/deny-action-aee', aee(intent => 'moq.cmd.ops.delete'))
--- error_code: 202



=== TEST 46: SEC-04 AEE to MoQ: another action passes
--- send
post('/deny-action', aee(intent => 'ops.list'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service moq
--- got
/action = ops.list



=== TEST 47: SEC-04 AEE to MoQ: an allow rule matches the message's own intent
--- send
post('/only-action', aee(intent => 'moq.cmd.ops.list'))
--- refused: aee intent-refused /intent



=== TEST 48: SEC-04 MoQ to MoQ: an allow rule matches the intent of a command
--- send
post('/only-action', command('ops.list'))
--- refused: moq intent-refused /action



=== TEST 37: SEC-08 AEE to MoQ: a response with a number as its reference
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ action => $m->{action}, status => 'approved',
                          session_id => $m->{session_id},
                          payload => { in_reply_to => 5, text => 'ok' } }))
--- send
post('/to-moq', aee())
--- refused: aee upstream-invalid /payload/in_reply_to taken
--- forwarded: 1



=== TEST 38: SEC-08 AEE to MoQ: a response with an empty reference
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ action => $m->{action}, status => 'approved',
                          session_id => $m->{session_id},
                          payload => { in_reply_to => '', text => 'ok' } }))
--- send
post('/to-moq', aee())
--- refused: aee upstream-invalid /payload/in_reply_to taken
--- forwarded: 1



=== TEST 39: SEC-08 AEE to MoQ: null is not a reference
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ action => $m->{action}, status => 'approved',
                          session_id => $m->{session_id},
                          payload => { in_reply_to => undef, text => 'ok' } }))
--- send
post('/to-moq', aee())
--- error_code: 200
--- answer
/type = result



=== TEST 40: MOQ-02 a command with progress is not an order
--- send
[map { post('/to-aee?recipient=bob', command('backup.run', status => $_)) }
     qw(accepted pending working)]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 3
--- got
/type = stream
/payload/moq/status = working



=== TEST 41: MOQ-02 a command with an unknown status is not an order
--- send
post('/to-aee?recipient=bob', command('backup.run', status => 'queued'))
--- refused: moq field-invalid /status



=== TEST 42: GW-07 AEE to MoQ: an event is refused, as it would be read as an order
--- send
post('/to-moq', aee(type => 'event'))
--- refused: aee translation-unsupported /type



=== TEST 43: GW-07 AEE to MoQ: progress is refused
--- send
post('/to-moq', aee(type => 'stream'))
--- service: took($c, $q)
--- error_code: 202
--- got
/status = working
