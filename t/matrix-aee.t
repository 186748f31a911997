# AEE callers before services of C2A, agent-channel, MoQ commands and VCP:
# what the service gets, what the caller gets back.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: C2A-03 C2A-05 GW-06 AEE to C2A: a task is an event that must be answered
--- send
$::m = aee(requires => { timeout_ms => 20000, evidence => JSON::PP::true });
($::id, $::ts, $::corr) = @{$::m}{qw(id ts corr)};
post('/to-c2a', $::m)
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
answer aee
--- got
/jsonrpc = 2.0
/id = ${id}
/method = chat/deliver
/params/eventId = ${id}
/params/source/platform = aee
/params/author = {"id":"alice","kind":"agent"}
/params/target = {"directedness":"to_me","recipient":"agent:bob"}
/params/conversation = {"id":"${corr}","kind":"dm"}
/params/timing/createdAt = ${ts}
/params/attention/policy = must_respond
/params/attention/priority = normal
/params/attention/deadlineMs = 20000
/params/injection/mode = buffered
/params/reliability/idempotencyKey = ${id}:agent:bob
/params/content/0 = {"text":"do it","type":"text"}
/params/content/1/mediaType = application/vnd.aee+json
/params/content/1/form = task
/params/content/1/data = {"text":"do it"}
/params/content/1/members/intent = ops.backup.run
/params/content/1/members/requires/evidence = true
/params/content/1/reference/id = ${id}
/params/content/1/reference/type = aee.message
--- answer
/type = stream
/payload/status = accepted
/corr = ${corr}
/to = agent.alice
--- answer_headers
! Parley-Loss
--- got_headers
Content-Type: application/json



=== TEST 2: C2A-03 C2A-05 GW-06 AEE to C2A: an urgent task is injected at once
--- send
post('/to-c2a', aee(priority => 'urgent'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/attention/policy = must_respond
/params/attention/priority = urgent
/params/injection/mode = immediate



=== TEST 3: C2A-03 C2A-05 C2A-06 GW-06 AEE to C2A: a task to a bus is a knock, its content is loss
--- send
post('/to-c2a', aee(to => 'bus.ops', payload => { text => 'secret thing' }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/conversation/id = ops
/params/conversation/kind = channel
/params/target/directedness = to_my_role
/params/attention/policy = may_respond
/params/injection/mode = notify
/params/knock/from = agent:alice
/params/knock/where = channel:ops
/params/knock/pullWith = chat.read_thread
! /params/content
/params/knock/topic ~ ^(?!.*secret)
--- answer_headers
Parley-Loss ~ /payload



=== TEST 4: C2A-03 C2A-05 GW-06 AEE to C2A: an event goes to the mailbox
--- send
post('/to-c2a', aee(type => 'event', to => 'bus.ops'))
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service c2a
--- got
/params/conversation/kind = channel
/params/target/directedness = ambient
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox
--- answer_headers
! Parley-Loss



=== TEST 5: C2A-03 C2A-05 GW-06 AEE to C2A: a stream is progress, for the digest
--- send
post('/to-c2a', aee(type => 'stream', payload => { text => 'half' }))
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service c2a
--- got
/params/conversation/kind = system
/params/attention/policy = must_not_respond
/params/injection/mode = digest
/params/content/1/form = stream



=== TEST 6: GW-07 AEE to C2A: the answer in the response is a result
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: answered($c, $q, 'it is not blocked')
--- error_code: 200
--- valid
service c2a
answer aee
--- answer
/type = result
/from = agent.bob
/to = agent.alice
/corr = ${corr}
/reply_to = ${id}
/intent = c2a.chat.send_message
/payload/text = it is not blocked
/sig/kid = gateway-1



=== TEST 7: GW-07 AEE to C2A: a reaction that declines is an error
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- valid
answer aee
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_BLOCKED
/payload/message = it broke
/payload/retryable = true



=== TEST 8: GW-10 AEE to C2A: the service's refusal is an error envelope
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- valid
answer aee
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_POLICY_REFUSED
/payload/message = not now



=== TEST 9: GW-10 AEE to C2A: a JSON-RPC error with status 200 is no success
--- send
post('/to-c2a', aee())
--- service: refused($c, $q, 200)
--- error_code: 422
--- valid
answer aee
--- answer
/type = error
/payload/code = E_POLICY_REFUSED



=== TEST 10: AEE-34 AEE to C2A: a response to another call is refused
--- send
post('/to-c2a', aee())
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => 'other',
                          result => { accepted => true() } }))
--- refused: aee upstream-invalid /id
--- forwarded: 1



=== TEST 11: GW-10 AEE to C2A: what is no response is refused
--- send
post('/to-c2a', aee())
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: aee upstream-invalid /jsonrpc
--- forwarded: 1



=== TEST 12: C2A-24 GW-07 AEE to C2A: events and the answer come as they are sent
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/v = 1
/0/type = stream
/0/to = agent.alice
/0/corr = ${corr}
/0/intent = c2a.notifications.progress
/1/type = result
/1/reply_to = ${id}
/1/corr = ${corr}
/1/payload/text = it is done
! /2
--- answer_headers
Content-Type ~ ^text/event-stream



=== TEST 13: GW-06 AEE to C2A: a name that C2A cannot say is refused
--- send
post('/to-c2a', aee(to => 'Agent X!'))
--- refused: aee identity-unmappable /to



=== TEST 14: GW-06 AEE to C2A: an unknown member travels in the data part
--- send
post('/to-c2a', aee(x_tenant => 'a'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/content/1/members/x_tenant = a
--- answer_headers
! Parley-Loss



=== TEST 15: AEE-35 AEE to C2A: the same message gives the same octets
--- send
my $m = post('/to-c2a', aee());
service()->script('$c->answer(500)');
Parley::Client->new(port => port(1))->raw($m);
$::first = service()->last->{body};
service()->script('took($c, $q)');
$m
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- got_body
${first}



=== TEST 16: GW-06 AEE to C2A: a C2A call that AEE carries is that call
--- send
post('/to-c2a', aee(type => 'stream', intent => 'c2a.chat.react',
     priority => 'low', payload => { inReplyTo => 'evt_12345678',
     signal => 'working', references => [{ id => 'call-1-abcd',
     type => 'c2a.message', hash => 'sha256:' . '0' x 64,
     locator => 'parley:c2a:call-1-abcd' }], c2a => { id => 9 } }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/method = tools/call
/id = 9
/params/name = chat.react
/params/arguments/signal = working



=== TEST 17: GW-06 AEE to agent-channel: a task is a query
--- send
$::m = aee(requires => { timeout_ms => 20000 });
($::id, $::ts, $::corr) = @{$::m}{qw(id ts corr)};
post('/to-channel', $::m)
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
answer aee
--- got
/envelope_version = 1.0
/frame_id = ${id}
/kind = agent_query
/sender_handle = ~cc-alice
/recipient_handle = ~cc-bob
/created_at = ${ts}
/payload/query_id = ${corr}
/payload/timeout_ms = 20000
/payload/response_scope = ~cc-alice/*
/payload/query_text ~ (?s)^aee\.task ops\.backup\.run\nid: ${id}\ncorr: ${corr}\n.*\{"text":"do it"\}$
/acted_by = ~lead
/drafted_with = ~cc-alice@1.0
/provenance_compute_location = server-active
/provenance_method = ["gateway-translation"]
/provenance_context_check = skipped
/provenance_basis = aee
--- answer
/type = stream
/payload/status = accepted
/corr = ${corr}
--- answer_headers
! Parley-Loss



=== TEST 18: GW-06 AEE to agent-channel: a task to a bus goes to its members
--- send
post('/to-channel', aee(to => 'bus.ops'))
--- service
$q->{uri} eq '/to-channel?scope=org%3A~ops%2Fmembers%2F%2A'
|| $q->{uri} eq '/to-channel?scope=org%3A~ops%2Fmembers%2F*'
    ? took($c, $q) : $c->answer(500)
--- error_code: 202
--- valid
service channel
--- got
/recipient_handle = ~ops



=== TEST 19: GW-06 AEE to agent-channel: an event is an advisory
--- send
post('/to-channel', aee(type => 'event'))
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service channel
--- got
/kind = agent_advisory
/recipient_handle = ~cc-bob



=== TEST 20: GW-06 AEE to agent-channel: an event to a bus is a broadcast
--- send
post('/to-channel', aee(type => 'event', to => 'bus.ops'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/kind = agent_broadcast
/recipient_handle = ~ops
/payload/event_class = other



=== TEST 21: GW-06 AEE to agent-channel: a stream is an advisory
--- send
post('/to-channel', aee(type => 'stream', payload => { text => 'half' }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/kind = agent_advisory



=== TEST 22: GW-06 AEE to agent-channel: a long text is a handover
--- send
post('/to-channel', aee(payload => { text => 'x' x 2100 }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/kind = agent_handover
/payload/handover_body ~ x{2100}



=== TEST 23: GW-07 AEE to agent-channel: a response is a result
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-channel', $::m)
--- service: answered($c, $q, 'I have it')
--- error_code: 200
--- valid
answer aee
--- answer
/type = result
/from = agent.bob
/to = agent.alice
/corr = ${corr}
/reply_to = ${id}
/intent = channel.agent_response
/payload/response_text = I have it



=== TEST 24: GW-07 AEE to agent-channel: a failure that was AEE's is an error
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-channel', $::m)
--- service
my $m = $q->{json};
$c->answer(200, [], jcs(frame('agent_response',
    { query_id => $m->{payload}{query_id}, responder_session_id => 's',
      response_text => "error E_BROKEN: aee.error ops.backup.run\n"
          . "id: 0d9f6a1c-1111-4222-8333-444455556666\n"
          . "corr: $m->{payload}{query_id}\nreply_to: $m->{frame_id}\n\n"
          . '{"code":"E_BROKEN","message":"it broke","retryable":false}' },
    sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
    drafted_with => '~cc-bob@2', provenance_basis => 'aee',
    provenance_method => ['gateway-translation'])))
--- error_code: 200
--- valid
answer aee
--- answer
/type = error
/from = agent.bob
/corr = ${corr}
/reply_to = ${id}
/intent = ops.backup.run
/payload/code = E_BROKEN
/payload/message = it broke
/payload/retryable = false



=== TEST 25: GW-10 AEE to agent-channel: its refusal is an error envelope
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-channel', $::m)
--- service: refused($c, $q, 403, 'scope-unauthorised')
--- error_code: 403
--- valid
answer aee
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_SCOPE_UNAUTHORISED
/payload/message = not now



=== TEST 26: AEE-34 AEE to agent-channel: a response to another is refused
--- send
post('/to-channel', aee())
--- service
$c->answer(200, [], jcs(frame('agent_response',
    { query_id => uuid4(), responder_session_id => 's',
      response_text => 'x' }, sender_handle => '~cc-bob',
      recipient_handle => '~cc-alice')))
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 27: GW-07 AEE to agent-channel: frames in a stream of events
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-channel', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/type = event
/0/intent = channel.agent_advisory
/0/to = agent.alice
/0/payload/advisory_text = half
/1/type = result
/1/reply_to = ${id}
/1/corr = ${corr}
/1/payload/response_text = it is done
! /2



=== TEST 28: GW-06 AEE to agent-channel: who has no handle cannot be reached
--- send
post('/to-channel', aee(to => 'agent.solo'))
--- refused: aee identity-unmappable /to



=== TEST 29: GW-06 AEE to agent-channel: nor can who has none say anything
--- send
post('/to-channel', aee(from => 'agent.solo'), as => 'solo')
--- refused: aee identity-unmappable /from



=== TEST 30: GW-06 AEE to agent-channel: a kind that does not exist is refused
--- send
post('/to-channel', aee(intent => 'channel.agent_gossip'))
--- refused: aee translation-unsupported /intent



=== TEST 31: GW-06 AEE to agent-channel: a payload that is not the kind's
--- send
post('/to-channel', aee(type => 'event', intent => 'channel.agent_advisory',
                        payload => { advisory_text => 'x', mood => 5 }))
--- refused: aee translation-unsupported /payload/mood



=== TEST 32: GW-06 AEE to agent-channel: unknown members are loss
--- send
post('/to-channel', aee(x_tenant => 'a'))
--- service: took($c, $q)
--- error_code: 202
--- answer_headers
Parley-Loss: /x_tenant



=== TEST 33: GW-06 AEE to agent-channel: under reject they are a refusal
--- send
post('/to-channel-strict', aee(x_tenant => 'a'))
--- refused: aee translation-lossy /x_tenant



=== TEST 34: GW-06 AEE to MoQ: a task is a command
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



=== TEST 35: MOQ-02 AEE to MoQ: an intent that is a command's is its action
--- send
post('/to-moq', aee(intent => 'moq.cmd.pause'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service moq
--- got
/action = pause



=== TEST 36: MOQ-02 AEE to MoQ: no message becomes a session command
--- send
post('/to-moq', aee(intent => 'moq.cmd.session_init'))
--- refused: aee translation-unsupported /intent



=== TEST 37: GW-07 AEE to MoQ: approved is a result
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



=== TEST 38: GW-07 AEE to MoQ: error is an error
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



=== TEST 39: GW-10 AEE to MoQ: denied with its status is an error envelope
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



=== TEST 40: AEE-34 AEE to MoQ: a command of another session is refused
--- send
post('/to-moq', aee())
--- service
$c->answer(200, [], jcs({ action => 'x', session_id => 'another',
                          status => 'approved' }))
--- refused: aee upstream-invalid /session_id
--- forwarded: 1



=== TEST 41: GW-07 AEE to MoQ: commands in a stream of events
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



=== TEST 42: GW-06 AEE to VCP: what is VCP's own is that
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



=== TEST 43: GW-06 AEE to VCP: an error is an escalation
--- send
my $task = aee();
[post('/to-aee', $task),
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
/recipient = agent://ops.example/alice
/payload/severity = warning
/payload/reason = E_BROKEN: it broke
/payload/context = ctx|gateway



=== TEST 44: GW-06 AEE to VCP: without a context it cannot be said
--- send
my $task = aee();
[post('/to-aee', $task), post('/to-vcp-bare', failure($task), as => 'bob')]
--- service: took($c, $q)
--- refused: aee translation-unsupported
--- forwarded: 1



=== TEST 45: GW-06 AEE to VCP: an ordinary task is refused
--- send
post('/to-vcp', aee())
--- refused: aee translation-unsupported /intent



=== TEST 46: GW-07 AEE to VCP: an escalation of the service's is a task
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



=== TEST 47: GW-07 AEE to VCP: its acknowledgment is a result
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



=== TEST 48: GW-06 an AEE message passes unchanged where AEE is spoken
--- send
post('/to-aee', aee())
--- service: took($c, $q)
--- error_code: 202
--- got_same



=== TEST 49: GW-07 a result that comes later finds what it answers
--- send
my $m = query();
($::qid, $::fid) = ($m->{payload}{query_id}, $m->{frame_id});
[post('/to-aee', $m),
 post('/to-channel', aee(type => 'result', from => 'agent.bob',
      to => 'agent.alice', corr => $::qid, reply_to => $::fid,
      intent => 'channel.agent_query', payload => { text => 'mine' }),
      as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_response
/sender_handle = ~cc-bob
/recipient_handle = ~cc-alice
/payload/query_id = ${qid}



=== TEST 50: GW-10 a result that answers nothing is refused
--- send
post('/to-c2a', aee(type => 'result', reply_to => uuid4()))
--- refused: aee reply-unmatched /reply_to



=== TEST 51: GW-06 AEE to agent-channel: a time that is none is refused
--- send
post('/to-channel', aee(ts => 'this morning'))
--- refused: aee field-invalid /ts
