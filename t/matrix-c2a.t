# C2A callers and services of agent-channel, VCP and MoQ commands: the
# service's request, and the caller's answer.

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

=== TEST 1: GW-06 C2A to agent-channel: a request is a query
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
/payload/query_text ~ (?s)^Is it blocked\?\n\nc2a\.chat\.deliver\nid: ${id}\ncorr: C-ops-1234\n.*\nmembers: \{"attention":.*"conversation":\{"id":"C-ops-1234".*\n\n\{\}$
/payload/timeout_ms = 30000
/acted_by = ~lead
/drafted_with = ~cc-alice@1.0
/provenance_basis = c2a
--- answer
/result = {"accepted":true,"delivered":2,"disposition":"deferred"}



=== TEST 2: GW-06 C2A to agent-channel: an event for a channel is a broadcast
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
/result = {"accepted":true,"delivered":2,"disposition":"ignored"}



=== TEST 3: GW-06 C2A to agent-channel: a sent message for one recipient is a query
--- send
post('/to-channel', say())
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_query
/payload/query_text ~ Is it blocked



=== TEST 4: GW-06 C2A to agent-channel: "done" answers a query
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



=== TEST 5: GW-06 C2A to agent-channel: "blocked" is an error text
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



=== TEST 6: GW-06 C2A to agent-channel: "working" is an advisory
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



=== TEST 7: GW-07 C2A to agent-channel: a response is the message
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



=== TEST 8: GW-10 C2A to agent-channel: the service's refusal is a JSON-RPC error
--- send
post('/to-channel', deliver())
--- service: refused($c, $q, 403, 'scope-unauthorised')
--- error_code: 403
--- answer
/id = call-1
/error/code = -31403
/error/data/code = scope-unauthorised
/error/message = not now



=== TEST 9: GW-07 C2A to agent-channel: events, then the response
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



=== TEST 10: GW-06 C2A to agent-channel: a service without a handle is refused
--- send
post('/to-channel', change(deliver(), 'params/target/recipient' =>
                           'service:backup'))
--- refused: c2a identity-unmappable /params/target/recipient



=== TEST 11: GW-06 C2A to VCP: an event is refused
--- send
post('/to-vcp', deliver())
--- refused: c2a translation-unsupported /method



=== TEST 12: GW-06 C2A to VCP: a sent message is refused
--- send
post('/to-vcp', say())
--- refused: c2a translation-unsupported



=== TEST 13: GW-06 C2A to VCP: progress is refused
--- send
post('/to-vcp?recipient=agent%3Abob',
     notice('progress', progressToken => 'p-1', progress => 1))
--- refused: c2a translation-unsupported /method
--- answer
/id = null



=== TEST 14: GW-06 C2A to VCP: "blocked" is an escalation to the parent
--- send
my $m = vcp(sender => 'agent://ops.example/lead',
            recipient => 'agent://ops.example/alice');
$::id = $m->{message_id};
[post('/to-c2a', $m, as => 'lead'),
 post('/to-vcp', react('blocked', inReplyTo => $::id, reason => 'no disk',
                       target => 'human:lead'))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/sender = agent://ops.example/alice
/recipient = agent://ops.example/lead
/payload/severity = warning
/payload/reason = E_BLOCKED: no disk
/payload/context = ctx|gateway
/payload/requires_ack = false
--- answer
/id = 7
/result/structuredContent = {"accepted":true,"disposition":"deferred"}
--- answer_headers
Parley-Loss ~ request=/method, .*request=/params/arguments/signal



=== TEST 15: GW-06 C2A to VCP: a message that came from VCP comes back unchanged
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



=== TEST 16: GW-10 C2A to VCP: the service's refusal is a JSON-RPC error
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
/error/data/field = /params/content/0/form
/error/message = not now



=== TEST 17: GW-07 C2A to VCP: an acknowledgment is the message
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



=== TEST 18: GW-06 C2A to VCP: "done" is the acknowledgment
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



=== TEST 19: GW-06 C2A to MoQ: not translated
--- send
post('/to-moq', deliver())
--- refused: c2a translation-unsupported /method



=== TEST 20: VCP-30 GW-06 C2A to VCP: a parent's answer to its child is not an escalation
--- send
my $m = escalation(severity => 'critical', requires_ack => JSON::PP::true);
$::id = $m->{message_id};
[post('/to-c2a', $m),
 post('/to-vcp', react('blocked', inReplyTo => $::id, reason => 'no disk'),
      as => 'lead')]
--- service: took($c, $q)
--- error_code: 422
--- forwarded: 1
--- answer
/error/data/code = translation-unsupported
