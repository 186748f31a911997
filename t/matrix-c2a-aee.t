# C2A callers and an AEE service: the service's request, and the caller's
# answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: GW-06 C2A to AEE: an event that must be answered is a task
--- send
$::m = deliver(); $::ts = $::m->{params}{timing}{createdAt};
$::id = derived_id('c2a', 'alice', $::m->{params}{eventId});
post('/to-aee', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/v = 1
/id = ${id}
/ts = ${ts}
/type = task
/from = agent.alice
/to = agent.bob
/intent = c2a.chat.deliver
/corr = C-ops-1234
/priority = high
/requires/timeout_ms = 30000
/payload/content/0/text = Is it blocked?
/payload/c2a/conversation/id = C-ops-1234
/payload/references/0/type = c2a.message
--- answer
/jsonrpc = 2.0
/id = call-1
/result/accepted = true
/result/disposition = deferred
! /error
! /result/message
--- answer_headers
Content-Type: application/json
! Parley-Loss



=== TEST 2: C2A-03 GW-06 C2A to AEE: an event without a recipient is an event
--- send
post('/to-aee', ambient())
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/to = bus.ops
/priority = normal
/requires = null
--- answer
/result = {"accepted":true,"disposition":"ignored"}



=== TEST 3: GW-06 C2A to AEE: an event that may be answered is an event
--- send
post('/to-aee', deliver(attention => { policy => 'may_respond',
                                       priority => 'low' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/type = event
/priority = low
--- answer
/result = {"accepted":true,"disposition":"acknowledged"}



=== TEST 4: GW-06 C2A to AEE: a sent message for one recipient is a task
--- send
$::m = say();
$::id = derived_id('c2a', 'alice', $::m->{params}{arguments}{idempotencyKey});
post('/to-aee', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/id = ${id}
/type = task
/from = agent.alice
/to = agent.bob
/intent = c2a.chat.send_message
/payload/text = Is it blocked?
--- answer
/id = 7
/result/structuredContent = {"accepted":true,"disposition":"acknowledged"}



=== TEST 5: GW-06 C2A to AEE: an ambient sent message is an event
--- send
post('/to-aee', say(directedness => 'ambient', target => 'channel:ops-1234'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/to = bus.ops-1234



=== TEST 6: GW-06 C2A to AEE: a sent message that is an answer is a result
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', say(inReplyTo => $::id, text => 'It is not.'))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = result
/from = agent.alice
/to = agent.bob
/reply_to = ${id}
/intent = ops.backup.run
/payload/c2a/form = c2a.chat.send_message
/payload/text = It is not.
--- answer
/result/structuredContent = {"accepted":true,"disposition":"responded"}



=== TEST 7: GW-06 C2A to AEE: an answer without a request is refused
--- send
post('/to-aee', say(inReplyTo => 'evt-unheard-of'))
--- refused: c2a reply-unmatched /params/arguments/inReplyTo



=== TEST 8: C2A-15 GW-06 C2A to AEE: a reaction "done" is a result
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('done', inReplyTo => $::id))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = result
/to = agent.bob
/corr = ${corr}
/reply_to = ${id}
--- answer
/result/structuredContent = {"accepted":true,"disposition":"responded"}



=== TEST 9: C2A-15 GW-06 C2A to AEE: a reaction "declined" is an error
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('declined', inReplyTo => $::id))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = error
/payload/code = E_DECLINED
/payload/retryable = false
--- answer
/result/structuredContent = {"accepted":true,"disposition":"ignored"}



=== TEST 10: C2A-15 GW-06 C2A to AEE: a reaction "blocked" is retryable
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('blocked', inReplyTo => $::id,
                       reason => 'no disk'))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = error
/payload/code = E_BLOCKED
/payload/message = no disk
/payload/retryable = true
--- answer
/result/structuredContent = {"accepted":true,"disposition":"deferred"}



=== TEST 11: C2A-15 GW-06 C2A to AEE: the other signals are progress
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
my $id = $task->{id};
[post('/to-c2a', $task, as => 'bob'),
 map { post('/to-aee', react($_, inReplyTo => $id)) }
     qw(seen agree queued claimed unclear working)]
--- service
($q->{json}{type} // 'stream') eq 'stream' ? took($c, $q) : $c->answer(500)
--- each: ^20[02]$
--- forwarded: 7
--- valid
service aee
--- got
/type = stream
/priority = low
/to = agent.bob
--- answer
/result/structuredContent = {"accepted":true,"disposition":"claimed"}



=== TEST 12: C2A-24 GW-06 C2A to AEE: progress is a stream, without a response
--- send
$::corr = uuid4();
[post('/to-aee?recipient=agent%3Abob', notice('progress', progressToken => $::corr, progress => 2,
                        total => 5, message => 'Checked build status'))]
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service aee
--- got
/type = stream
/intent = c2a.notifications.progress
/corr = ${corr}
/payload/progress = 2
/payload/message = Checked build status



=== TEST 13: C2A-24 GW-06 C2A to AEE: a cancellation is an event
--- send
post('/to-aee?recipient=agent%3Abob', notice('cancelled',
     requestId => 'call-1', reason => 'edited'))
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service aee
--- got
/type = event
/priority = high
/from = agent.alice
/to = agent.bob
/intent = c2a.notifications.cancelled
/payload/reason = edited



=== TEST 14: GW-07 C2A to AEE: a result comes back as an event
--- send
$::m = deliver(); $::id = $::m->{params}{eventId};
post('/to-aee', $::m)
--- service: answered($c, $q, 'it is not')
--- error_code: 200
--- valid
answer c2a /result/message
--- answer
/id = call-1
/result/accepted = true
/result/disposition = responded
/result/message/author = {"id":"bob","kind":"agent"}
/result/message/target/recipient = agent:alice
/result/message/target/directedness = to_me
/result/message/conversation/id = C-ops-1234
/result/message/conversation/kind = dm
/result/message/inReplyTo = ${id}
/result/message/attention/policy = may_respond
/result/message/injection/mode = buffered
/result/message/content/0/text = it is not
/result/message/content/1/mediaType = application/vnd.aee+json
/result/message/content/1/form = result



=== TEST 15: GW-07 C2A to AEE: an error comes back as a failure
--- send
post('/to-aee', deliver())
--- service: failed($c, $q)
--- error_code: 200
--- valid
answer c2a /result/message
--- answer
/result/accepted = true
/result/disposition = failed
/result/message/content/0/text ~ E_BROKEN.*it broke
/result/message/content/1/form = error



=== TEST 16: GW-10 C2A to AEE: the service's refusal is a JSON-RPC error
--- send
post('/to-aee', deliver())
--- service: refused($c, $q)
--- error_code: 403
--- answer
/jsonrpc = 2.0
/id = call-1
/error/code = -31403
/error/message = not now
/error/data/code = policy-refused
! /result



=== TEST 17: GW-10 C2A to AEE: an invalid answer of the service is an error
--- send
post('/to-aee', deliver())
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: c2a upstream-invalid
--- forwarded: 1



=== TEST 18: GW-07 C2A to AEE: progress, then the response, in a stream
--- send
$::m = deliver(); $::id = $::m->{params}{eventId};
post('/to-aee', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/jsonrpc = 2.0
/0/method = notifications/progress
/0/params/progressToken = ${id}
/0/params/message = half
! /0/id
/1/id = call-1
/1/result/disposition = responded
/1/result/message/content/0/text = it is done
! /1/method
! /2
--- answer_headers
Content-Type ~ ^text/event-stream



=== TEST 19: GW-07 C2A to AEE: a notification gets no response
--- send
my $m = deliver(); delete $m->{id};
post('/to-aee', $m)
--- service: answered($c, $q)
--- error_code: 202
--- response_body
--- answer_headers
Parley-Loss: answer=""



=== TEST 20: AEE-35 C2A to AEE: the same event gives the same octets
--- send
my $m = post('/to-aee', deliver());
service()->script('$c->answer(500)');
Parley::Client->new(port => port(1))->raw($m);
$::first = service()->last->{body};
service()->script('took($c, $q)');
$m
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got_body
${first}



=== TEST 21: GW-06 C2A to AEE: a call without a recipient is for the gateway
--- send
post('/to-aee', call('chat.list_events'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = task
/from = agent.alice
/to = service.parley
/intent = c2a.chat.list_events



=== TEST 22: GW-06 C2A to AEE: a reaction without an event is refused
--- send
post('/to-aee', react('blocked'))
--- refused: c2a reply-unmatched /params/arguments/inReplyTo



=== TEST 23: GW-06 C2A to AEE: a thread belongs to its conversation
--- send
post('/to-aee', deliver(conversation => { id => 'C/1', kind => 'dm',
                                          threadId => 'T-1' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/corr = C%2F1/T-1



=== TEST 24: GW-06 AEE to C2A and back: an answer in the thread of the question
--- send
my $task = aee(from => 'agent.bob', to => 'bus.ops');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', say(inReplyTo => $::id, text => 'It is not.',
                     target => { id => 'ops', kind => 'channel',
                                 threadId => $::corr }))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = result
/corr = ${corr}
/reply_to = ${id}



=== TEST 25: GW-06 AEE to C2A and back: the same thread id in another conversation is another thread
--- send
my $task = aee(from => 'agent.bob', to => 'bus.ops');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', say(inReplyTo => $task->{id}, text => 'It is not.',
                     target => { id => 'sales', kind => 'channel',
                                 threadId => $task->{corr} }))]
--- service: took($c, $q)
--- refused: c2a reply-unmatched
--- forwarded: 1



=== TEST 26: GW-06 AEE to C2A and back: an answer with only the thread
--- send
my $task = aee(from => 'agent.bob', to => 'bus.ops');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', say(inReplyTo => $::id, text => 'It is not.',
                     target => "thread:$::corr"))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = result
/corr = ${corr}
