# agent-channel callers and services of C2A, VCP and MoQ commands: the
# service's request, and the sender's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: C2A-03 C2A-05 GW-06 agent-channel to C2A: a query must be answered
--- send
$::m = query(); ($::id, $::ts) = @{$::m}{qw(frame_id created_at)};
$::qid = $::m->{payload}{query_id};
post('/to-c2a', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/method = chat/deliver
/params/eventId = ${id}
/params/source/platform = channel
/params/author = {"id":"alice","kind":"agent"}
/params/timing/createdAt = ${ts}
/params/conversation = {"id":"${qid}","kind":"dm"}
/params/target = {"directedness":"to_me","recipient":"agent:bob"}
/params/attention/policy = must_respond
/params/attention/deadlineMs = 30000
/params/injection/mode = buffered
/params/content/0/text = who has the branch?
/params/content/1/mediaType = application/vnd.channel+json
/params/content/1/form = agent_query
/params/content/1/members/acted_by = ~lead
--- answer
/delivered = 1
/frame_id = ${id}
! /message
--- answer_headers
! Parley-Loss



=== TEST 2: C2A-03 C2A-05 GW-06 agent-channel to C2A: an advisory is ambient
--- send
post('/to-c2a', advisory())
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = channel
/params/target/directedness = ambient
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox



=== TEST 3: C2A-03 C2A-05 GW-06 agent-channel to C2A: a broadcast is of a channel
--- send
submit('/to-c2a', 'org:~ops/members/*',
       broadcast(recipient_handle => '~ops'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/id = ops
/params/conversation/kind = channel
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox



=== TEST 4: C2A-03 C2A-05 GW-06 agent-channel to C2A: a lock goes to the mailbox, as a sentence
--- send
post('/to-c2a', frame('agent_lock_request', { resource => 'db',
     lease_id => uuid4(), ttl_ms => 60000 }))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = system
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox
/params/content/0/text ~ ^locks



=== TEST 5: C2A-03 C2A-05 GW-06 agent-channel to C2A: a binding moment interrupts
--- send
post('/to-c2a', frame('agent_binding_moment', { synopsis => 'Which base?',
     findings => ['a'], recommendations => [], offer => 'I can rebase',
     question => { stem => 'Rebase?', recommended_idx => 0, options => [
         { label => 'yes', reasoning => 'clean' },
         { label => 'no', reasoning => 'safe' }] } }))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/attention/policy = must_respond
/params/injection/mode = immediate
/params/content/0/text ~ ^Which base\?\n\nRebase\?\n1\. yes \(recommended\): clean\n2\. no: safe$



=== TEST 6: C2A-03 C2A-05 GW-06 agent-channel to C2A: a handover must be answered
--- send
post('/to-c2a', frame('agent_handover', { previous_session_id => 's-1',
     handover_body => 'take over' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/params/attention/policy = must_respond
/params/injection/mode = buffered



=== TEST 7: GW-06 agent-channel to C2A: a scope is forwarded as a member
--- send
submit('/to-c2a', '~cc-bob/build*', query())
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/content/1/members/scope = ~cc-bob/build*



=== TEST 8: GW-06 agent-channel to C2A: a response is an answer
--- send
my $m = deliver(author => { id => 'bob', kind => 'agent' },
                target => { recipient => 'agent:alice',
                            directedness => 'to_me' });
my $query = post('/to-channel', $m, as => 'bob');
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw($query);
my $qid = service()->last->{json}{payload}{query_id};
post('/to-c2a', frame('agent_response', { query_id => $qid,
     responder_session_id => 's-2', response_text => 'I do' }))
--- service: took($c, $q)
--- forwarded: 2
--- error_code: 200
--- valid
service c2a
--- got
/params/author = {"id":"alice","kind":"agent"}
/params/target = {"directedness":"to_me","recipient":"agent:bob"}
/params/conversation = {"id":"C-ops-1234","kind":"dm"}
/params/attention/policy = may_respond
/params/content/0/text = I do



=== TEST 9: GW-07 ACH-19 agent-channel to C2A: an answer is forwarded
--- send
$::m = query(); $::id = $::m->{frame_id};
$::qid = $::m->{payload}{query_id};
post('/to-c2a', $::m)
--- service: answered($c, $q)
--- error_code: 200
--- valid
answer channel /answer
--- answer
/delivered = 1
/frame_id = ${id}
/answer/kind = agent_response
/answer/payload/query_id = ${qid}
! /message
--- answer_headers
! Parley-Loss



=== TEST 10: GW-10 agent-channel to C2A: the service's refusal in agent-channel's form
--- send
post('/to-c2a', query())
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/message = not now



=== TEST 11: GW-07 agent-channel to C2A: a stream of events has frames
--- send
$::m = query(); $::qid = $::m->{payload}{query_id};
post('/to-c2a', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/kind = agent_advisory
/0/recipient_handle = ~cc-alice
/1/kind = agent_response
/1/payload/query_id = ${qid}
! /2



=== TEST 12: GW-06 agent-channel to VCP: a diagnostic is an escalation
--- send
$::m = diagnostic('blocked'); ($::id, $::ts) = @{$::m}{qw(frame_id created_at)};
post('/to-vcp', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp
--- got
/type = escalation
/message_id ~ ^[0-9a-f]{8}-[0-9a-f]{4}-7
/sender = agent://ops.example/alice
/recipient = agent://ops.example/lead
/timestamp = ${ts}
/payload/severity = critical
/payload/reason = tests hang
/payload/context = ctx|gateway
/payload/requires_ack = true
--- answer
/delivered = 1
/frame_id = ${id}
! /message
--- answer_headers
Parley-Loss ~ acted_by



=== TEST 13: GW-06 agent-channel to VCP: degraded is a warning, info is info
--- send
[post('/to-vcp', diagnostic('degraded')),
 post('/to-vcp', diagnostic('info'))]
--- service: took($c, $q)
--- each: ^200$
--- forwarded: 2
--- valid
service vcp
--- got
/payload/severity = info



=== TEST 14: VCP-30 GW-06 agent-channel to VCP: a diagnostic to all has no parent as its recipient
--- send
submit('/to-vcp-own', 'org:~ops/members/*',
       diagnostic('degraded', recipient_handle => '~ops'))
--- refused: channel translation-unsupported /recipient_handle



=== TEST 15: GW-06 agent-channel to VCP: without a context it is refused
--- send
post('/to-vcp-bare', diagnostic('info'))
--- refused: channel translation-unsupported



=== TEST 16: GW-06 agent-channel to VCP: a query is refused
--- send
post('/to-vcp', query())
--- refused: channel translation-unsupported /kind



=== TEST 17: GW-06 agent-channel to VCP: an advisory is refused
--- send
post('/to-vcp', advisory())
--- refused: channel translation-unsupported /kind



=== TEST 18: GW-06 agent-channel to VCP: a diagnosis is an acknowledgment
--- send
my $m = escalation(severity => 'critical', requires_ack => JSON::PP::true);
$::id = $m->{message_id};
my $escalation = post('/to-channel', $m);
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw($escalation);
my $did = service()->last->{json}{payload}{diagnostic_id};
post('/to-vcp', frame('peer_diagnostic_response', { diagnostic_id => $did,
     finding => 'a lock' }, sender_handle => '~lead',
     recipient_handle => '~cc-alice', drafted_with => '~cc-lead'),
     as => 'lead')
--- service: took($c, $q)
--- forwarded: 2
--- error_code: 200
--- valid
service vcp
--- got
/type = escalation
/sender = agent://ops.example/lead
/recipient = agent://ops.example/alice
/payload/severity = critical
/payload/reason = ACK:${id} a lock
/payload/requires_ack = false



=== TEST 19: GW-07 agent-channel to VCP: an acknowledgment is the diagnosis
--- send
$::m = diagnostic('blocked'); $::id = $::m->{frame_id};
$::did = $::m->{payload}{diagnostic_id};
post('/to-vcp', $::m)
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- valid
answer channel /answer
--- answer
/delivered = 1
/frame_id = ${id}
/answer/kind = peer_diagnostic_response
/answer/payload/diagnostic_id = ${did}
--- answer_headers
Parley-Loss ~ ^request=/kind, (?!.*answer=)



=== TEST 20: GW-10 agent-channel to VCP: the service's refusal in agent-channel's form
--- send
post('/to-vcp', diagnostic('blocked'))
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/field = /kind
/message = not now



=== TEST 21: GW-06 agent-channel to MoQ: not translated
--- send
post('/to-moq', query())
--- refused: channel translation-unsupported /kind



=== TEST 22: GW-06 a later agent_response goes to the agent-channel service
--- send
$::m = frame('agent_response', { query_id => uuid4(),
             responder_session_id => 's-2', response_text => 'I do' },
             sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
             drafted_with => '~cc-bob@2');
($::fid, $::qid) = ($::m->{frame_id}, $::m->{payload}{query_id});
post('/to-channel', $::m, as => 'bob')
--- service: took($c, $q)
--- error_code: 200
--- got
/frame_id = ${fid}
/kind = agent_response
/payload/query_id = ${qid}
/payload/response_text = I do
--- answer
/frame_id = ${fid}
/delivered = 2



=== TEST 23: GW-10 a later agent_response that its service cannot deliver is refused
--- send
post('/to-channel', frame('agent_response', { query_id => uuid4(),
     responder_session_id => 's-2', response_text => 'I do' },
     sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
     drafted_with => '~cc-bob@2'), as => 'bob')
--- service
$c->answer(404, [], jcs({ code => 'handle-unknown',
                          message => 'nobody of that name' }))
--- error_code: 404
--- answer
/code = handle-unknown
/message = nobody of that name



=== TEST 24: VCP-25 GW-06 a later acknowledgment goes to the agent-channel service
--- send
my $m = diagnostic('blocked');
$::did = $m->{payload}{diagnostic_id};
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-vcp', $m));
my $esc = service()->last->{json};
post('/to-channel', { %{ escalation(severity => 'critical',
     requires_ack => false, reason => "ACK:$esc->{message_id} on it") },
     sender => person('lead')->{vcp}, recipient => person('alice')->{vcp} },
     as => 'lead')
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service channel
--- got
/kind = peer_diagnostic_response
/recipient_handle = ~cc-alice
/payload/diagnostic_id = ${did}
