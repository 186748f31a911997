# agent-channel callers and an AEE service: the service's request, and the
# sender's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: GW-06 agent-channel to AEE: a query is a task
--- send
$::m = query(); ($::id, $::ts) = @{$::m}{qw(frame_id created_at)};
$::qid = $::m->{payload}{query_id};
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
/intent = channel.agent_query
/corr = ${qid}
/priority = normal
/requires/timeout_ms = 30000
/payload/query_text = who has the branch?
/payload/channel/acted_by = ~lead
/payload/channel/drafted_with = ~cc-alice@1.0
/payload/channel/provenance_method = ["session-context"]
/payload/references/0/type = channel.message
--- answer
/delivered = 1
/frame_id = ${id}
! /message
--- answer_headers
Content-Type: application/json
! Parley-Loss



=== TEST 2: GW-06 agent-channel to AEE: an advisory is an event
--- send
post('/to-aee', advisory(ttl_ms => 60000))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/intent = channel.agent_advisory
/payload/advisory_text = editing README
/payload/channel/ttl_ms = 60000
/requires = null



=== TEST 3: ACH-15 GW-06 agent-channel to AEE: the scope of all members is a bus
--- send
submit('/to-aee', 'org:~ops/members/*',
       broadcast(recipient_handle => '~ops'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/to = bus.ops
/intent = channel.agent_broadcast
! /payload/channel/scope



=== TEST 4: ACH-15 GW-06 agent-channel to AEE: the scope of a role of an organisation
--- send
submit('/to-aee', 'org:~ops/members/admin/*',
       broadcast(recipient_handle => '~ops'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/to = bus.ops
/payload/channel/scope = org:~ops/members/admin/*



=== TEST 5: ACH-15 GW-06 agent-channel to AEE: the scope of a grant of an accord
--- send
submit('/to-aee', 'accord:~ops/grant:deploy', broadcast(recipient_handle => '~ops'))
--- service: took($c, $q)
--- error_code: 200
--- got
/to = bus.ops
/payload/channel/scope = accord:~ops/grant:deploy



=== TEST 6: ACH-15 GW-06 agent-channel to AEE: the scope of all sessions of a handle
--- send
submit('/to-aee', '~cc-bob/*', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/to = agent.bob
/payload/channel/scope = ~cc-bob/*



=== TEST 7: ACH-15 GW-06 agent-channel to AEE: the scope of sessions with a prefix
--- send
submit('/to-aee', '~cc-bob/build*', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/payload/channel/scope = ~cc-bob/build*



=== TEST 8: ACH-15 GW-06 agent-channel to AEE: the scope of one session
--- send
submit('/to-aee', '~cc-bob/cc@s-1', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/payload/channel/scope = ~cc-bob/cc@s-1



=== TEST 9: ACH-15 GW-06 agent-channel to AEE: only the handle is the same as no scope
--- send
submit('/to-aee', '~cc-bob', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/to = agent.bob
! /payload/channel/scope



=== TEST 10: GW-06 agent-channel to AEE: a blocked diagnostic has high priority
--- send
$::m = diagnostic('blocked'); $::did = $::m->{payload}{diagnostic_id};
post('/to-aee', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = task
/to = agent.lead
/intent = channel.peer_diagnostic_request
/priority = high
/corr = ${did}



=== TEST 11: GW-06 agent-channel to AEE: a handover is a task
--- send
post('/to-aee', frame('agent_handover', { previous_session_id => 's-1',
     handover_body => 'take over' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/type = task
/intent = channel.agent_handover



=== TEST 12: GW-06 agent-channel to AEE: an urgent intent is urgent
--- send
post('/to-aee', frame('intent_declare', { convergence_class => 'pr.opened',
     payload_ref => 'pr:1', acted_by => '~lead',
     drafted_with => '~cc-alice@1.0', declared_at => timestamp(),
     ttl => 1000, withdrawable => JSON::PP::true, urgency => 'urgent' }))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = event
/priority = urgent
/corr = pr.opened



=== TEST 13: GW-06 agent-channel to AEE: a lock is an announcement
--- send
post('/to-aee', frame('agent_lock_request', { resource => 'db',
     lease_id => uuid4(), ttl_ms => 60000 }))
--- service: took($c, $q)
--- error_code: 200
--- got
/type = event
/intent = channel.agent_lock_request
/payload/resource = db



=== TEST 14: GW-06 agent-channel to AEE: a response is a result
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-channel', $task, as => 'bob'),
 post('/to-aee', frame('agent_response', { query_id => $::id,
      responder_session_id => 's-2', response_text => 'I do' }))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = result
/from = agent.alice
/to = agent.bob
/corr = ${corr}
/reply_to = ${id}
/payload/response_text = I do



=== TEST 15: GW-06 agent-channel to AEE: a response without a request is refused
--- send
post('/to-aee', frame('agent_response', { query_id => uuid4(),
     responder_session_id => 's-2', response_text => 'I do' }))
--- refused: channel reply-unmatched /payload/query_id



=== TEST 16: GW-06 agent-channel to AEE: a message that came from AEE comes back unchanged
--- send
my $task = aee(requires => { evidence => JSON::PP::true });
$::task = jcs($task);
$::id = $task->{id};
my $query = post('/to-channel', $task);
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw($query);
my $frame = service()->last->{json};
post('/to-aee', { %$frame, frame_id => uuid4() })
--- service: took($c, $q)
--- forwarded: 2
--- error_code: 200
--- valid
service aee
--- got
/id = ${id}
/type = task
/from = agent.alice
/to = agent.bob
/intent = ops.backup.run
/requires/evidence = true
/payload/text = do it
! /payload/references



=== TEST 17: GW-07 ACH-19 agent-channel to AEE: a result is the answer
--- send
$::m = query(); $::id = $::m->{frame_id};
$::qid = $::m->{payload}{query_id};
post('/to-aee', $::m)
--- service: answered($c, $q)
--- error_code: 200
--- valid
answer channel /answer
--- answer
/delivered = 1
/frame_id = ${id}
/answer/kind = agent_response
/answer/sender_handle = ~cc-bob
/answer/recipient_handle = ~cc-alice
/answer/payload/query_id = ${qid}
/answer/payload/response_text ~ ^it is done\n\naee\.result
! /message
--- answer_headers
! Parley-Loss



=== TEST 18: GW-07 ACH-23 agent-channel to AEE: an error is an error, with its status
--- send
post('/to-aee', query())
--- service: failed($c, $q)
--- error_code: 422
--- answer
/code = E_BROKEN
/message = it broke
! /frame_id
--- answer_headers
Parley-Loss: answer=/payload/retryable



=== TEST 19: GW-10 agent-channel to AEE: the service's refusal in agent-channel's form
--- send
post('/to-aee', query())
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/message = not now



=== TEST 20: GW-10 agent-channel to AEE: an invalid answer of the service
--- send
post('/to-aee', query())
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: channel upstream-invalid
--- forwarded: 1



=== TEST 21: GW-07 agent-channel to AEE: a stream of events has frames
--- send
$::m = query(); $::qid = $::m->{payload}{query_id};
post('/to-aee', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/kind = agent_advisory
/0/sender_handle = ~cc-bob
/0/recipient_handle = ~cc-alice
/0/acted_by = ~lead
/1/kind = agent_response
/1/payload/query_id = ${qid}
/1/payload/response_text ~ it is done
! /2



=== TEST 22: GW-06 agent-channel to AEE: a mapped name that belongs to another principal
--- send
post('/to-aee', query(recipient_handle => '~cc-taken'))
--- refused: channel identity-unmappable /recipient_handle



=== TEST 23: AEE-35 agent-channel to AEE: the same frame gives the same octets
--- send
my $m = post('/to-aee', query());
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



=== TEST 24: GW-06 agent-channel to AEE: a response to a frame without query_id
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice',
               payload => { text => 'x' x 2100 });
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-channel', $task, as => 'bob'),
 post('/to-aee', frame('agent_response', { query_id => $::id,
      responder_session_id => 's-2', response_text => 'I do' }))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = result
/corr = ${corr}
/reply_to = ${id}



=== TEST 25: GW-06 agent-channel to AEE: an answer that reports a failure is an error
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-channel', $task, as => 'bob'),
 post('/to-aee', frame('agent_response', { query_id => $::id,
      responder_session_id => 's-2',
      response_text => 'error E_NOPE: not mine' }))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_NOPE
/payload/message = not mine
/payload/retryable = false
/payload/response_text = error E_NOPE: not mine



=== TEST 26: GW-07 ACH-09 each answer of one workflow reaches its own task
--- send
@::t = map { aee(from => 'agent.bob', to => 'agent.alice',
                 corr => 'one-workflow') } 1 .. 3;
$::id = $::t[1]{id};
[(map { post('/to-channel', $_, as => 'bob') } @::t),
 post('/to-aee', frame('agent_response', { query_id => $::t[2]{id},
      responder_session_id => 's-2', response_text => 'the third' })),
 post('/to-aee', frame('agent_response', { query_id => $::t[0]{id},
      responder_session_id => 's-2', response_text => 'the first' })),
 post('/to-aee', frame('agent_response', { query_id => $::t[1]{id},
      responder_session_id => 's-2', response_text => 'the second' }))]
--- service: took($c, $q)
--- each: ^20[02]$
--- error_code: 200
--- forwarded: 6
--- got
/type = result
/corr = one-workflow
/reply_to = ${id}
/payload/response_text = the second



=== TEST 27: ACH-10 GW-08 the answer of an agent without an instrument has ~cc-x
--- send
post('/to-aee', query(recipient_handle => '~bare'))
--- service: answered($c, $q)
--- error_code: 200
--- answer
/delivered = 1
/answer/kind = agent_response
/answer/sender_handle = ~bare
/answer/acted_by = ~lead
/answer/drafted_with = ~cc-bare
--- answer_headers
! Parley-Loss



=== TEST 28: ACH-19 the count of the next gateway is forwarded to the sender
--- send
post('/to-aee', query())
--- service
$c->answer(202, [], jcs(result($q->{json}, reply_to => undef, type => 'stream',
    payload => { status => 'accepted', delivered => 3 })))
--- error_code: 200
--- answer
/delivered = 3
! /answer



=== TEST 29: ACH-19 an invalid count is not forwarded
--- send
post('/to-aee', query())
--- service
$c->answer(202, [], jcs(result($q->{json}, reply_to => undef, type => 'stream',
    payload => { status => 'accepted', delivered => -3 })))
--- error_code: 200
--- answer
/delivered = 1
