# AEE callers and an agent-channel service: the service's request, and the
# caller's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: GW-06 AEE to agent-channel: a task is a query
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
/payload/query_id = ${id}
/payload/timeout_ms = 20000
/payload/response_scope = ~cc-alice/*
/payload/query_text ~ ^do it\n\naee\.task ops\.backup\.run\nid: ${id}\ncorr: ${corr}\nrequires: \{"timeout_ms":20000\}\n\n\{\}$
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



=== TEST 2: GW-06 AEE to agent-channel: a task to a bus goes to its members
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



=== TEST 3: GW-06 AEE to agent-channel: an event is an advisory
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



=== TEST 4: GW-06 AEE to agent-channel: an event to a bus is a broadcast
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



=== TEST 5: GW-06 AEE to agent-channel: a stream is an advisory
--- send
post('/to-channel', aee(type => 'stream', payload => { text => 'half' }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/kind = agent_advisory



=== TEST 6: GW-06 AEE to agent-channel: a long text is a handover
--- send
post('/to-channel', aee(payload => { text => 'x' x 2100 }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/kind = agent_handover
/payload/handover_body ~ x{2100}



=== TEST 7: GW-07 AEE to agent-channel: a response is a result
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
/intent = ops.backup.run
/payload/channel/form = channel.agent_response
/payload/response_text = I have it



=== TEST 8: GW-07 AEE to agent-channel: an AEE failure comes back as an error
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



=== TEST 9: GW-10 AEE to agent-channel: the service's refusal is an error envelope
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



=== TEST 10: AEE-34 AEE to agent-channel: a response to another query is refused
--- send
post('/to-channel', aee())
--- service
$c->answer(200, [], jcs(frame('agent_response',
    { query_id => uuid4(), responder_session_id => 's',
      response_text => 'x' }, sender_handle => '~cc-bob',
      recipient_handle => '~cc-alice')))
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 11: GW-07 AEE to agent-channel: frames in a stream of events
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



=== TEST 12: GW-06 AEE to agent-channel: a recipient without a handle is refused
--- send
post('/to-channel', aee(to => 'agent.solo'))
--- refused: aee identity-unmappable /to



=== TEST 13: GW-06 AEE to agent-channel: a sender without a handle is refused
--- send
post('/to-channel', aee(from => 'agent.solo'), as => 'solo')
--- refused: aee identity-unmappable /from



=== TEST 14: GW-06 AEE to agent-channel: an unknown kind is refused
--- send
post('/to-channel', aee(intent => 'channel.agent_gossip'))
--- refused: aee translation-unsupported /intent



=== TEST 15: GW-06 AEE to agent-channel: a payload that does not fit the kind is refused
--- send
post('/to-channel', aee(type => 'event', intent => 'channel.agent_advisory',
                        payload => { advisory_text => 'x', mood => 5 }))
--- refused: aee translation-unsupported /payload/mood



=== TEST 16: GW-06 AEE to agent-channel: unknown members are lost
--- send
post('/to-channel', aee(x_tenant => 'a'))
--- service: took($c, $q)
--- error_code: 202
--- answer_headers
Parley-Loss: request=/x_tenant



=== TEST 17: GW-06 AEE to agent-channel: under reject unknown members are refused
--- send
post('/to-channel-strict', aee(x_tenant => 'a'))
--- refused: aee translation-lossy /x_tenant



=== TEST 18: GW-07 a later result goes to the sender of its task
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



=== TEST 19: GW-06 AEE to agent-channel: an invalid time is refused
--- send
post('/to-channel', aee(ts => 'this morning'))
--- refused: aee field-invalid /ts



=== TEST 20: GW-06 a later result without a request is not sent to an agent-channel service
--- send
post('/to-channel', aee(type => 'result', from => 'agent.bob',
     to => 'agent.alice', corr => uuid4(), reply_to => uuid4(),
     intent => 'channel.agent_query', payload => { text => 'mine' }),
     as => 'bob')
--- refused: aee reply-unmatched /reply_to



=== TEST 21: GW-10 a later result that its service refuses
--- send
my $m = query();
[post('/to-aee', $m),
 post('/to-channel', aee(type => 'result', from => 'agent.bob',
      to => 'agent.alice', corr => $m->{payload}{query_id},
      reply_to => $m->{frame_id}, intent => 'channel.agent_query',
      payload => { text => 'mine' }), as => 'bob')]
--- service: $q->{json}{kind} ? refused($c, $q) : took($c, $q)
--- error_code: 403
--- forwarded: 2
--- answer
/type = error
/payload/code = E_POLICY_REFUSED



=== TEST 22: GW-07 AEE to agent-channel: a response together with the count is a result
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-channel', $::m)
--- service
$c->answer(200, [], jcs({ frame_id => $q->{json}{frame_id}, delivered => 1,
                   answer => reply_frame($q->{json}, 'I have it') }))
--- error_code: 200
--- valid
answer aee
--- answer
/type = result
/from = agent.bob
/to = agent.alice
/corr = ${corr}
/reply_to = ${id}
/intent = ops.backup.run
/payload/response_text = I have it



=== TEST 23: AEE-34 AEE to agent-channel: a response together with the count that answers another query
--- send
post('/to-channel', aee())
--- service
$c->answer(200, [], jcs({ frame_id => $q->{json}{frame_id}, delivered => 1,
                   answer => frame('agent_response',
    { query_id => uuid4(), responder_session_id => 's',
      response_text => 'x' }, sender_handle => '~cc-bob',
      recipient_handle => '~cc-alice') }))
--- refused: aee upstream-invalid /answer/payload taken
--- forwarded: 1



=== TEST 24: AEE-34 AEE to agent-channel: a response together with the count that is not a frame
--- send
post('/to-channel', aee())
--- service
$c->answer(200, [], jcs({ frame_id => $q->{json}{frame_id}, delivered => 1,
                   answer => 'yes' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 25: GW-07 AEE to agent-channel: null together with the count is not an answer
--- send
post('/to-channel', aee())
--- service
$c->answer(200, [], jcs({ frame_id => $q->{json}{frame_id}, delivered => 1,
                   answer => undef }))
--- error_code: 202
--- answer
/type = stream
/payload/status = accepted
/payload/delivered = 1
--- answer_headers
! Parley-Loss



=== TEST 26: GW-07 C2A to agent-channel: a response together with the count is forwarded
--- send
post('/to-channel', deliver(attention => { policy => 'must_respond',
                                           deadlineMs => 30000,
                                           priority => 'high' }))
--- service
$c->answer(200, [], jcs({ frame_id => $q->{json}{frame_id}, delivered => 1,
                   answer => reply_frame($q->{json}, 'I have it') }))
--- error_code: 200
--- answer
/result/accepted = true
/result/disposition = responded
/result/message/content/0/text = I have it



=== TEST 27: VCP-25 VCP to agent-channel: a diagnosis together with the count is the acknowledgment
--- send
$::m = escalation(severity => 'critical', requires_ack => true);
$::id = $::m->{message_id};
post('/to-channel', $::m)
--- service
$c->answer(200, [], jcs({ frame_id => $q->{json}{frame_id}, delivered => 1,
                   answer => reply_frame($q->{json}, 'seen') }))
--- error_code: 200
--- answer
/status = accepted
/reply/type = escalation
/reply/payload/reason ~ ^ACK:${id}
