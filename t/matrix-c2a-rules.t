# Invalid C2A messages, and the results of events: answers in C2A's form.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());


# Returns a C2A message with changed members, for post().
sub main::change { with(@_) }

run_tests();

__DATA__

=== TEST 1: C2A-15 an unknown signal is refused
--- send
post('/to-aee', react('shrug'))
--- refused: c2a field-invalid /params/arguments/signal



=== TEST 2: C2A-28 the refusal of a notification has the id null
--- send
my $m = change(deliver(), 'params/attention/policy' => 'shout');
delete $m->{id};
post('/to-aee', $m)
--- refused: c2a field-invalid /params/attention/policy
--- answer
/id = null



=== TEST 3: C2A-28 an unknown method has its own error number
--- send
post('/to-aee', { jsonrpc => '2.0', id => 1, method => 'chat/shout',
                  params => {} })
--- refused: c2a kind-unknown /method
--- answer
/id = 1
/error/code = -32601



=== TEST 4: C2A-28 an unknown tool is reported as wrong params
--- send
post('/to-aee', call('chat.shout'))
--- refused: c2a kind-unknown /params/name
--- answer
/error/code = -32602



=== TEST 5: C2A-28 a version other than 2.0 is not a request
--- send
post('/to-aee', change(deliver(), jsonrpc => '1.0'))
--- refused: c2a envelope-version-unsupported /jsonrpc
--- answer
/error/code = -32600



=== TEST 6: C2A-28 a batch is not a request
--- send
post('/to-aee', jcs([deliver(), deliver()]))
--- refused: c2a field-invalid
--- answer
/error/code = -32600



=== TEST 7: C2A-28 a member unknown to JSON-RPC is refused
--- send
post('/to-aee', change(deliver(), extra => 1))
--- refused: c2a field-unknown /extra
--- answer
/error/code = -32600



=== TEST 8: C2A-28 an id that is null is refused
--- send
post('/to-aee', change(deliver(), id => undef))
--- refused: c2a field-invalid /id
--- answer
/error/code = -32600



=== TEST 9: C2A-02 an event without eventId is refused
--- send
post('/to-aee', without(deliver(), 'params/eventId'))
--- refused: c2a field-missing /params/eventId
--- answer
/id = call-1
/error/code = -32602



=== TEST 10: C2A-02 an event without conversation.kind is refused
--- send
post('/to-aee', without(deliver(), 'params/conversation/kind'))
--- refused: c2a field-missing /params/conversation/kind



=== TEST 11: C2A-02 an event without directedness is refused
--- send
post('/to-aee', without(deliver(), 'params/target/directedness'))
--- refused: c2a field-missing /params/target/directedness



=== TEST 12: C2A-02 C2A-03 an event without a policy is refused
--- send
post('/to-aee', without(deliver(), 'params/attention/policy'))
--- refused: c2a field-missing /params/attention/policy



=== TEST 13: C2A-02 an event without an injection mode is refused
--- send
post('/to-aee', without(deliver(), 'params/injection/mode'))
--- refused: c2a field-missing /params/injection/mode



=== TEST 14: C2A-02 an event without idempotencyKey is refused
--- send
post('/to-aee', without(deliver(), 'params/reliability/idempotencyKey'))
--- refused: c2a field-missing /params/reliability/idempotencyKey



=== TEST 15: C2A-02 an event without content is refused
--- send
post('/to-aee', without(deliver(), 'params/content'))
--- refused: c2a field-missing /params/content



=== TEST 16: C2A-02 an unlisted kind of conversation is refused
--- send
post('/to-aee', change(deliver(), 'params/conversation/kind' => 'party'))
--- refused: c2a field-invalid /params/conversation/kind



=== TEST 17: C2A-02 an unlisted directedness is refused
--- send
post('/to-aee', change(deliver(), 'params/target/directedness' => 'to_us'))
--- refused: c2a field-invalid /params/target/directedness



=== TEST 18: C2A-02 an unlisted injection mode is refused
--- send
post('/to-aee', change(deliver(), 'params/injection/mode' => 'shout'))
--- refused: c2a field-invalid /params/injection/mode



=== TEST 19: C2A-06 a knock passes without content
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



=== TEST 20: C2A-06 a knock with content is refused
--- send
my $m = knock();
$m->{params}{content} = [{ type => 'text', text => 'all of it' }];
post('/to-aee', $m)
--- refused: c2a field-unknown /params/content



=== TEST 21: C2A-06 a knock without a topic is refused
--- send
post('/to-aee', without(knock(), 'params/knock/topic'))
--- refused: c2a field-missing /params/knock/topic



=== TEST 22: C2A-11 a sent message without target is refused
--- send
post('/to-aee', without(say(), 'params/arguments/target'))
--- refused: c2a field-missing /params/arguments/target



=== TEST 23: C2A-11 a sent message without idempotencyKey is refused
--- send
post('/to-aee', without(say(), 'params/arguments/idempotencyKey'))
--- refused: c2a field-missing /params/arguments/idempotencyKey



=== TEST 24: C2A-11 a sent message without visibility is refused
--- send
post('/to-aee', without(say(), 'params/arguments/visibility'))
--- refused: c2a field-missing /params/arguments/visibility



=== TEST 25: C2A-11 a sent message without directedness is refused
--- send
post('/to-aee', without(say(), 'params/arguments/directedness'))
--- refused: c2a field-missing /params/arguments/directedness



=== TEST 26: GW-03 an event in another's name is refused
--- send
post('/to-aee', change(deliver(), 'params/author/id' => 'bob'))
--- refused: c2a sender-identity-mismatch /params/author



=== TEST 27: C2A-05 C2A to C2A: an event for all passes unchanged
--- send
post('/to-c2a', ambient())
--- service: took($c, $q)
--- error_code: 200
--- got_same



=== TEST 28: GW-10 without a token the caller gets an error in C2A
--- send
my $m = deliver();
post('/to-aee', $m, token => 0)
--- error_code: 401
--- forwarded: 0



=== TEST 29: C2A-28 invalid JSON
--- send
post('/to-aee', '{"jsonrpc":"2.0",')
--- error_code: 400
--- forwarded: 0
--- answer
/code = json-invalid



=== TEST 30: C2A-15 the effect of a reaction "seen" on its event
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('seen', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = stream
/payload/signal = seen
--- answer
/result/structuredContent = {"accepted":true,"disposition":"acknowledged"}



=== TEST 31: C2A-15 the effect of a reaction "agree" on its event
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('agree', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = stream
/payload/signal = agree
--- answer
/result/structuredContent = {"accepted":true,"disposition":"acknowledged"}



=== TEST 32: C2A-15 the effect of a reaction "queued" on its event
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('queued', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = stream
/payload/signal = queued
--- answer
/result/structuredContent = {"accepted":true,"disposition":"deferred"}



=== TEST 33: C2A-15 the effect of a reaction "claimed" on its event
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('claimed', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = stream
/payload/signal = claimed
--- answer
/result/structuredContent = {"accepted":true,"disposition":"claimed"}



=== TEST 34: C2A-15 the effect of a reaction "unclear" on its event
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', react('unclear', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/type = stream
/payload/signal = unclear
--- answer
/result/structuredContent = {"accepted":true,"disposition":null}



=== TEST 35: C2A-28 SEC-03 an argument that contradicts the params
--- send
post('/to-c2a?recipient=agent%3Aeve', deliver())
--- refused: c2a field-invalid recipient
--- answer
/error/code = -32602



=== TEST 36: C2A-06 a knock with a missing member is refused
--- send
[map { post('/to-aee', without(knock(), "params/knock/$_")) }
 qw(from where directedness policy priority topic pullWith)]
--- each: ^400$
--- refused: c2a field-missing /params/knock/pullWith



=== TEST 37: C2A-07 an event without a particular recipient goes to the mailbox: an AEE event
--- send
post('/to-c2a', aee(type => 'event', to => 'bus.ops'))
--- service: took($c, $q)
--- error_code: 202
--- got
/params/target/directedness = ambient
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox



=== TEST 38: C2A-17 each of the tools works, on a received event
--- send
my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice');
my %on = (inReplyTo => $event->{id});
[post('/to-c2a', $event, as => 'bob'),
 map { post('/to-aee', $_) }
     call('chat.list_events', target => 'agent:bob'),
     call('chat.read_thread', target => 'agent:bob'),
     say(), react('seen', %on), call('chat.claim', %on, ttlMs => 60000),
     call('chat.defer', %on, reason => 'at lunch'),
     call('chat.resolve', %on, reason => 'it was done')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 8
--- valid
service aee
--- got
/type = result
/payload/reason = it was done
