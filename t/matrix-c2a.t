# C2A callers before services of AEE: what the service gets, what the caller
# gets back, and which messages are none.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());


# a C2A message with members changed, as post() takes it
sub main::change { with(@_) }

run_tests();

__DATA__

=== TEST 1: GW-06 C2A to AEE: an event that must be answered is a task
--- send
$::m = deliver(); $::id = $::m->{params}{eventId};
$::ts = $::m->{params}{timing}{createdAt};
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



=== TEST 2: C2A-03 GW-06 C2A to AEE: an event for nobody is an event
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



=== TEST 3: GW-06 C2A to AEE: one that may be answered is an event
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



=== TEST 4: GW-06 C2A to AEE: a sent message is a task where it is for one
--- send
$::m = say(); $::id = $::m->{params}{arguments}{idempotencyKey};
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
/result = {"accepted":true,"disposition":"acknowledged"}



=== TEST 5: GW-06 C2A to AEE: an ambient one is an event
--- send
post('/to-aee', say(directedness => 'ambient', target => 'channel:ops-1234'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/to = bus.ops-1234



=== TEST 6: GW-06 C2A to AEE: a sent message that answers is a result
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
/intent = c2a.chat.send_message
/payload/text = It is not.
--- answer
/result = {"accepted":true,"disposition":"responded"}



=== TEST 7: GW-06 C2A to AEE: an answer to nothing is refused
--- send
post('/to-aee', say(inReplyTo => 'evt-unheard-of'))
--- refused: c2a reply-unmatched



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
/result = {"accepted":true,"disposition":"responded"}



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
/result = {"accepted":true,"disposition":"ignored"}



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
/result = {"accepted":true,"disposition":"deferred"}



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
/result = {"accepted":true,"disposition":"claimed"}



=== TEST 12: C2A-15 an unknown signal is refused
--- send
post('/to-aee', react('shrug'))
--- refused: c2a field-invalid /params/arguments/signal



=== TEST 13: C2A-24 GW-06 C2A to AEE: progress is a stream, without a response
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



=== TEST 14: C2A-24 GW-06 C2A to AEE: a cancellation is an event
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



=== TEST 15: GW-07 C2A to AEE: a result comes back as an event
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
/result/message/conversation/kind = thread
/result/message/attention/policy = may_respond
/result/message/injection/mode = buffered
/result/message/content/0/text = it is not
/result/message/content/1/mediaType = application/vnd.aee+json
/result/message/content/1/form = result



=== TEST 16: GW-07 C2A to AEE: an error comes back as what failed
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



=== TEST 17: GW-10 C2A to AEE: its refusal is a JSON-RPC error
--- send
post('/to-aee', deliver())
--- service: refused($c, $q)
--- error_code: 403
--- answer
/jsonrpc = 2.0
/id = call-1
/error/code = -32005
/error/message = not now
/error/data/code = policy-refused
! /result



=== TEST 18: GW-10 C2A to AEE: nonsense from the service is an error
--- send
post('/to-aee', deliver())
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: c2a upstream-invalid
--- forwarded: 1



=== TEST 19: GW-07 C2A to AEE: progress, then the response, in a stream
--- send
post('/to-aee', deliver())
--- service: events($c, $q)
--- error_code: 200
--- events
/0/jsonrpc = 2.0
/0/method = chat/deliver
/0/params/attention/policy = must_not_respond
/0/params/injection/mode = digest
/1/id = call-1
/1/result/disposition = responded
/1/result/message/content/0/text = it is done
! /1/method
! /2
--- answer_headers
Content-Type ~ ^text/event-stream



=== TEST 20: GW-07 C2A to AEE: a notification gets no response
--- send
my $m = deliver(); delete $m->{id};
post('/to-aee', $m)
--- service: answered($c, $q)
--- error_code: 202
--- response_body
--- answer_headers
Parley-Loss: /



=== TEST 21: C2A-28 a notification that is refused has the id null
--- send
my $m = change(deliver(), 'params/attention/policy' => 'shout');
delete $m->{id};
post('/to-aee', $m)
--- refused: c2a field-invalid /params/attention/policy
--- answer
/id = null



=== TEST 22: C2A-28 an unknown method has its number
--- send
post('/to-aee', { jsonrpc => '2.0', id => 1, method => 'chat/shout',
                  params => {} })
--- refused: c2a kind-unknown /method
--- answer
/id = 1
/error/code = -32601



=== TEST 23: C2A-28 an unknown tool has wrong params
--- send
post('/to-aee', call('chat.shout'))
--- refused: c2a kind-unknown /params/name
--- answer
/error/code = -32602



=== TEST 24: C2A-28 a version that is not 2.0 is no request
--- send
post('/to-aee', change(deliver(), jsonrpc => '1.0'))
--- refused: c2a envelope-version-unsupported /jsonrpc
--- answer
/error/code = -32600



=== TEST 25: C2A-28 a batch is no request
--- send
post('/to-aee', jcs([deliver(), deliver()]))
--- error_code: 415
--- forwarded: 0
--- answer
/code = protocol-unsupported



=== TEST 26: C2A-28 a member that JSON-RPC does not know is refused
--- send
post('/to-aee', change(deliver(), extra => 1))
--- refused: c2a field-unknown /extra
--- answer
/error/code = -32600



=== TEST 27: C2A-28 an id that is null is refused
--- send
post('/to-aee', change(deliver(), id => undef))
--- refused: c2a field-invalid /id
--- answer
/error/code = -32600



=== TEST 28: C2A-02 an event without eventId is refused
--- send
post('/to-aee', without(deliver(), 'params/eventId'))
--- refused: c2a field-missing /params/eventId
--- answer
/id = call-1
/error/code = -32602



=== TEST 29: C2A-02 an event without conversation.kind is refused
--- send
post('/to-aee', without(deliver(), 'params/conversation/kind'))
--- refused: c2a field-missing /params/conversation/kind



=== TEST 30: C2A-02 an event without directedness is refused
--- send
post('/to-aee', without(deliver(), 'params/target/directedness'))
--- refused: c2a field-missing /params/target/directedness



=== TEST 31: C2A-02 C2A-03 an event without a policy is refused
--- send
post('/to-aee', without(deliver(), 'params/attention/policy'))
--- refused: c2a field-missing /params/attention/policy



=== TEST 32: C2A-02 an event without an injection mode is refused
--- send
post('/to-aee', without(deliver(), 'params/injection/mode'))
--- refused: c2a field-missing /params/injection/mode



=== TEST 33: C2A-02 an event without idempotencyKey is refused
--- send
post('/to-aee', without(deliver(), 'params/reliability/idempotencyKey'))
--- refused: c2a field-missing /params/reliability/idempotencyKey



=== TEST 34: C2A-02 an event without content is refused
--- send
post('/to-aee', without(deliver(), 'params/content'))
--- refused: c2a field-missing /params/content



=== TEST 35: C2A-02 an unlisted kind of conversation is refused
--- send
post('/to-aee', change(deliver(), 'params/conversation/kind' => 'party'))
--- refused: c2a field-invalid /params/conversation/kind



=== TEST 36: C2A-02 an unlisted directedness is refused
--- send
post('/to-aee', change(deliver(), 'params/target/directedness' => 'to_us'))
--- refused: c2a field-invalid /params/target/directedness



=== TEST 37: C2A-02 an unlisted injection mode is refused
--- send
post('/to-aee', change(deliver(), 'params/injection/mode' => 'shout'))
--- refused: c2a field-invalid /params/injection/mode



=== TEST 38: C2A-06 a knock passes without content
--- send
post('/to-aee', knock())
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/to = bus.ops
/payload/knock/topic = a question about the rollback
! /payload/content



=== TEST 39: C2A-06 a knock with content is refused
--- send
my $m = knock();
$m->{params}{content} = [{ type => 'text', text => 'all of it' }];
post('/to-aee', $m)
--- refused: c2a field-unknown /params/content



=== TEST 40: C2A-06 a knock without a topic is refused
--- send
post('/to-aee', without(knock(), 'params/knock/topic'))
--- refused: c2a field-missing /params/knock/topic



=== TEST 41: C2A-11 a sent message without target is refused
--- send
post('/to-aee', without(say(), 'params/arguments/target'))
--- refused: c2a field-missing /params/arguments/target



=== TEST 42: C2A-11 a sent message without idempotencyKey is refused
--- send
post('/to-aee', without(say(), 'params/arguments/idempotencyKey'))
--- refused: c2a field-missing /params/arguments/idempotencyKey



=== TEST 43: C2A-11 a sent message without visibility is refused
--- send
post('/to-aee', without(say(), 'params/arguments/visibility'))
--- refused: c2a field-missing /params/arguments/visibility



=== TEST 44: C2A-11 a sent message without directedness is refused
--- send
post('/to-aee', without(say(), 'params/arguments/directedness'))
--- refused: c2a field-missing /params/arguments/directedness



=== TEST 45: GW-03 an event in another's name is refused
--- send
post('/to-aee', change(deliver(), 'params/author/id' => 'bob'))
--- refused: c2a sender-identity-mismatch /params/author
