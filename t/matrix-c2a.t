# C2A callers before services of AEE, VCP and agent-channel: what the service
# gets, what the caller gets back, and which messages are none.

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



=== TEST 46: C2A-05 C2A to C2A: what is for all passes unchanged
--- send
post('/to-c2a', ambient())
--- service: took($c, $q)
--- error_code: 200
--- got_same



=== TEST 47: GW-06 C2A to agent-channel: a request is a query
--- send
$::m = deliver(); $::id = $::m->{params}{eventId};
$::ts = $::m->{params}{timing}{createdAt};
post('/to-channel', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_query
/sender_handle = ~cc-alice
/recipient_handle = ~cc-bob
/created_at = ${ts}
/payload/query_text ~ (?s)^c2a\.chat\.deliver c2a\.chat\.deliver\nid: ${id}\ncorr: C-ops-1234\n.*Is it blocked
/payload/timeout_ms = 30000
/acted_by = ~lead
/drafted_with = ~cc-alice@1.0
/provenance_basis = c2a
--- answer
/result = {"accepted":true,"disposition":"deferred"}



=== TEST 48: GW-06 C2A to agent-channel: for a channel is a broadcast
--- send
post('/to-channel', ambient())
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_broadcast
/recipient_handle = ~ops
/payload/event_class = other
--- answer
/result = {"accepted":true,"disposition":"ignored"}



=== TEST 49: GW-06 C2A to agent-channel: a sent message for one is a query
--- send
post('/to-channel', say())
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_query
/payload/query_text ~ Is it blocked



=== TEST 50: GW-06 C2A to agent-channel: "done" answers a query
--- send
my $m = query(sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
              drafted_with => '~cc-bob@2');
($::qid, $::fid) = ($m->{payload}{query_id}, $m->{frame_id});
[post('/to-c2a', $m, as => 'bob'),
 post('/to-channel', react('done', inReplyTo => $::fid))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_response
/recipient_handle = ~cc-bob
/payload/query_id = ${qid}



=== TEST 51: GW-06 C2A to agent-channel: "blocked" is an error in its text
--- send
my $m = query(sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
              drafted_with => '~cc-bob@2');
($::qid, $::fid) = ($m->{payload}{query_id}, $m->{frame_id});
[post('/to-c2a', $m, as => 'bob'),
 post('/to-channel', react('blocked', inReplyTo => $::fid))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_response
/payload/query_id = ${qid}
/payload/response_text ~ ^error E_BLOCKED: 



=== TEST 52: GW-06 C2A to agent-channel: "working" is an advisory
--- send
my $m = query(sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
              drafted_with => '~cc-bob@2');
$::fid = $m->{frame_id};
[post('/to-c2a', $m, as => 'bob'),
 post('/to-channel', react('working', inReplyTo => $::fid))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_advisory
/recipient_handle = ~cc-bob



=== TEST 53: GW-07 C2A to agent-channel: a response is the message
--- send
post('/to-channel', deliver())
--- service: answered($c, $q, 'I have it')
--- error_code: 200
--- valid
answer c2a /result/message
--- answer
/id = call-1
/result/accepted = true
/result/disposition = responded
/result/message/author = {"id":"bob","kind":"agent"}
/result/message/conversation/id = C-ops-1234
/result/message/content/0/text = I have it
/result/message/content/1/mediaType = application/vnd.channel+json
/result/message/content/1/form = agent_response



=== TEST 54: GW-10 C2A to agent-channel: its refusal is a JSON-RPC error
--- send
post('/to-channel', deliver())
--- service: refused($c, $q, 403, 'scope-unauthorised')
--- error_code: 403
--- answer
/id = call-1
/error/code = -32005
/error/data/code = scope-unauthorised
/error/message = not now



=== TEST 55: GW-07 C2A to agent-channel: events, then the response
--- send
post('/to-channel', deliver())
--- service: events($c, $q)
--- error_code: 200
--- events
/0/method = chat/deliver
/0/params/content/0/text = half
/1/id = call-1
/1/result/disposition = responded
/1/result/message/content/0/text = it is done
! /2



=== TEST 56: GW-06 C2A to agent-channel: a service has no handle
--- send
post('/to-channel', change(deliver(), 'params/target/recipient' =>
                           'service:backup'))
--- refused: c2a identity-unmappable /params/target/recipient



=== TEST 57: GW-06 C2A to VCP: an event cannot be said
--- send
post('/to-vcp', deliver())
--- refused: c2a translation-unsupported /method



=== TEST 58: GW-06 C2A to VCP: nor can a sent message
--- send
post('/to-vcp', say())
--- refused: c2a translation-unsupported



=== TEST 59: GW-06 C2A to VCP: nor progress
--- send
post('/to-vcp?recipient=agent%3Abob',
     notice('progress', progressToken => 'p-1', progress => 1))
--- refused: c2a translation-unsupported /method
--- answer
/id = null



=== TEST 60: GW-06 C2A to VCP: "blocked" is an escalation
--- send
my $m = escalation(severity => 'critical', requires_ack => JSON::PP::true);
$::id = $m->{message_id};
[post('/to-c2a', $m),
 post('/to-vcp', react('blocked', inReplyTo => $::id, reason => 'no disk'),
      as => 'lead')]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/sender = agent://ops.example/lead
/recipient = agent://ops.example/alice
/payload/severity = warning
/payload/reason = E_BLOCKED: no disk
/payload/context = ctx|gateway
/payload/requires_ack = false
--- answer
/id = 7
/result = {"accepted":true,"disposition":"deferred"}



=== TEST 61: GW-06 C2A to VCP: what VCP gave comes back as its own
--- send
$::id = uuid7();
post('/to-vcp', deliver(eventId => $::id,
    attention => { policy => 'must_not_respond', priority => 'normal' },
    injection => { mode => 'tool_mailbox' },
    content => [{ type => 'text', text => 'ctx|home' },
                { type => 'data',
                  mediaType => 'application/vnd.vcp+json',
                  form => 'context_share', data => vcp()->{payload},
                  reference => { id => $::id, type => 'vcp.message',
                                 hash => 'sha256:' . '0' x 64,
                                 locator => "parley:vcp:$::id" } }]))
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp
--- got
/type = context_share
/message_id = ${id}
/sender = agent://ops.example/alice
/recipient = agent://ops.example/bob
/payload/context = ctx|home
--- answer
/result/accepted = true



=== TEST 62: GW-10 C2A to VCP: the service's refusal is a JSON-RPC error
--- send
$::id = uuid7();
post('/to-vcp', deliver(eventId => $::id,
    attention => { policy => 'must_not_respond', priority => 'normal' },
    content => [{ type => 'data', mediaType => 'application/vnd.vcp+json',
                  form => 'context_share', data => vcp()->{payload},
                  reference => { id => $::id, type => 'vcp.message',
                                 hash => 'sha256:' . '0' x 64,
                                 locator => "parley:vcp:$::id" } }]))
--- service: refused($c, $q)
--- error_code: 403
--- answer
/id = call-1
/error/data/code = policy-refused
/error/data/field = /type
/error/message = not now



=== TEST 63: GW-07 C2A to VCP: an acknowledgment is the message
--- send
$::id = uuid7();
my $p = escalation(requires_ack => JSON::PP::true,
                   severity => 'critical')->{payload};
post('/to-vcp', deliver(eventId => $::id,
    target => { recipient => 'human:lead', directedness => 'to_me' },
    attention => { policy => 'must_respond', priority => 'high',
                   deadlineMs => 5000 },
    content => [{ type => 'data', mediaType => 'application/vnd.vcp+json',
                  form => 'escalation', data => $p,
                  reference => { id => $::id, type => 'vcp.message',
                                 hash => 'sha256:' . '0' x 64,
                                 locator => "parley:vcp:$::id" } }]))
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- valid
service vcp
answer c2a /result/message
--- answer
/result/disposition = responded
/result/message/author = {"id":"lead","kind":"human"}
/result/message/content/1/form = escalation



=== TEST 64: GW-06 C2A to MoQ: they are not translated to each other
--- send
post('/to-moq', deliver())
--- refused: c2a translation-unsupported /method



=== TEST 65: AEE-35 C2A to AEE: the same event gives the same octets
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



=== TEST 66: GW-10 without a token the caller is told in C2A
--- send
my $m = deliver();
post('/to-aee', $m, token => 0)
--- error_code: 401
--- forwarded: 0



=== TEST 67: C2A-28 JSON that is none
--- send
post('/to-aee', '{"jsonrpc":"2.0",')
--- error_code: 400
--- forwarded: 0
--- answer
/code = json-invalid



=== TEST 68: GW-06 C2A to VCP: "done" is the acknowledgment
--- send
my $m = escalation(severity => 'critical', requires_ack => JSON::PP::true);
$::id = $m->{message_id};
[post('/to-c2a', $m),
 post('/to-vcp', react('done', inReplyTo => $::id), as => 'lead')]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/recipient = agent://ops.example/alice
/payload/severity = critical
/payload/reason ~ ^ACK:${id}
/payload/requires_ack = false



=== TEST 69: GW-06 C2A to AEE: what names nobody is for the gateway
--- send
post('/to-aee', { jsonrpc => '2.0', id => 1, method => 'initialize',
                  params => { protocolVersion => '2026-06-02',
                              capabilities => {} } })
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = task
/from = agent.alice
/to = service.parley
/intent = c2a.initialize



=== TEST 70: GW-06 C2A to AEE: a reaction to nothing is refused
--- send
post('/to-aee', react('blocked'))
--- refused: c2a reply-unmatched /params/arguments/inReplyTo



=== TEST 71: C2A-15 what becomes of the event by a reaction "seen"
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
/result = {"accepted":true,"disposition":"acknowledged"}



=== TEST 72: C2A-15 what becomes of the event by a reaction "agree"
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
/result = {"accepted":true,"disposition":"acknowledged"}



=== TEST 73: C2A-15 what becomes of the event by a reaction "queued"
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
/result = {"accepted":true,"disposition":"deferred"}



=== TEST 74: C2A-15 what becomes of the event by a reaction "claimed"
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
/result = {"accepted":true,"disposition":"claimed"}



=== TEST 75: C2A-15 what becomes of the event by a reaction "unclear"
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
/result = {"accepted":true,"disposition":null}
