# agent-channel callers before services of AEE, VCP and C2A: what the service
# gets, what the sender gets back, and which frames are none.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

sub main::change { with(@_) }

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



=== TEST 3: ACH-15 GW-06 agent-channel to AEE: all members are a bus
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



=== TEST 4: ACH-15 GW-06 agent-channel to AEE: a role of an org
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



=== TEST 5: ACH-15 GW-06 agent-channel to AEE: a grant of an accord
--- send
submit('/to-aee', 'accord:~ops/grant:deploy', broadcast(recipient_handle => '~ops'))
--- service: took($c, $q)
--- error_code: 200
--- got
/to = bus.ops
/payload/channel/scope = accord:~ops/grant:deploy



=== TEST 6: ACH-15 GW-06 agent-channel to AEE: all sessions of a handle
--- send
submit('/to-aee', '~cc-bob/*', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/to = agent.bob
/payload/channel/scope = ~cc-bob/*



=== TEST 7: ACH-15 GW-06 agent-channel to AEE: sessions of a prefix
--- send
submit('/to-aee', '~cc-bob/build*', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/payload/channel/scope = ~cc-bob/build*



=== TEST 8: ACH-15 GW-06 agent-channel to AEE: one session
--- send
submit('/to-aee', '~cc-bob/cc@s-1', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/payload/channel/scope = ~cc-bob/cc@s-1



=== TEST 9: ACH-15 GW-06 agent-channel to AEE: the handle alone says no more
--- send
submit('/to-aee', '~cc-bob', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/to = agent.bob
! /payload/channel/scope



=== TEST 10: ACH-15 what is no scope is refused
--- send
submit('/to-aee', 'group:~cc-bob', query())
--- refused: channel field-invalid scope



=== TEST 11: ACH-15 a scope of another handle is refused
--- send
submit('/to-aee', '~cc-alice/*', query())
--- refused: channel scope-unauthorised scope



=== TEST 12: GW-06 agent-channel to AEE: a blocked diagnostic has priority
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



=== TEST 13: GW-06 agent-channel to AEE: a handover is a task
--- send
post('/to-aee', frame('agent_handover', { previous_session_id => 's-1',
     handover_body => 'take over' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/type = task
/intent = channel.agent_handover



=== TEST 14: GW-06 agent-channel to AEE: an urgent intent is urgent
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



=== TEST 15: GW-06 agent-channel to AEE: a lock is announced
--- send
post('/to-aee', frame('agent_lock_request', { resource => 'db',
     lease_id => uuid4(), ttl_ms => 60000 }))
--- service: took($c, $q)
--- error_code: 200
--- got
/type = event
/intent = channel.agent_lock_request
/payload/resource = db



=== TEST 16: GW-06 agent-channel to AEE: a response is a result
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-channel', $task, as => 'bob'),
 post('/to-aee', frame('agent_response', { query_id => $::corr,
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



=== TEST 17: GW-06 agent-channel to AEE: a response to nothing is refused
--- send
post('/to-aee', frame('agent_response', { query_id => uuid4(),
     responder_session_id => 's-2', response_text => 'I do' }))
--- refused: channel reply-unmatched



=== TEST 18: GW-06 agent-channel to AEE: what AEE gave comes back as its own
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



=== TEST 19: GW-07 agent-channel to AEE: a result goes to the stream, not here
--- send
$::m = query(); $::id = $::m->{frame_id};
post('/to-aee', $::m)
--- service: answered($c, $q)
--- error_code: 200
--- answer
/delivered = 1
/frame_id = ${id}
! /message



=== TEST 20: GW-07 agent-channel to AEE: so does an error
--- send
$::m = query(); $::id = $::m->{frame_id};
post('/to-aee', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- answer
/delivered = 1
/frame_id = ${id}
! /message



=== TEST 21: GW-10 agent-channel to AEE: its refusal in agent-channel's words
--- send
post('/to-aee', query())
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/message = not now



=== TEST 22: GW-10 agent-channel to AEE: nonsense from the service
--- send
post('/to-aee', query())
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: channel upstream-invalid
--- forwarded: 1



=== TEST 23: GW-10 ACH-23 a service that is down
--- send
post('/to-aee', query())
--- service: $c->answer(500)
--- refused: channel upstream-unavailable
--- forwarded: 1



=== TEST 24: GW-07 agent-channel to AEE: a stream brings frames
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



=== TEST 25: GW-06 agent-channel to AEE: an image that is somebody else's
--- send
post('/to-aee', query(recipient_handle => '~cc-taken'))
--- refused: channel identity-unmappable /recipient_handle



=== TEST 26: C2A-03 C2A-05 GW-06 agent-channel to C2A: a query must be answered
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



=== TEST 27: C2A-03 C2A-05 GW-06 agent-channel to C2A: an advisory is ambient
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



=== TEST 28: C2A-03 C2A-05 GW-06 agent-channel to C2A: a broadcast is of a channel
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



=== TEST 29: C2A-03 C2A-05 GW-06 agent-channel to C2A: a lock is silent
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
/params/injection/mode = silent



=== TEST 30: C2A-03 C2A-05 GW-06 agent-channel to C2A: a binding moment interrupts
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
/params/content/0/text = Which base?



=== TEST 31: C2A-03 C2A-05 GW-06 agent-channel to C2A: a handover must be answered
--- send
post('/to-c2a', frame('agent_handover', { previous_session_id => 's-1',
     handover_body => 'take over' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/params/attention/policy = must_respond
/params/injection/mode = buffered



=== TEST 32: GW-06 agent-channel to C2A: a scope travels as a member
--- send
submit('/to-c2a', '~cc-bob/build*', query())
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/content/1/members/scope = ~cc-bob/build*



=== TEST 33: GW-06 agent-channel to C2A: a response is an answer
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
/params/conversation = {"id":"C-ops-1234","kind":"thread"}
/params/attention/policy = may_respond
/params/content/0/text = I do



=== TEST 34: GW-07 agent-channel to C2A: an answer goes to the stream
--- send
$::m = query(); $::id = $::m->{frame_id};
post('/to-c2a', $::m)
--- service: answered($c, $q)
--- error_code: 200
--- answer
/delivered = 1
/frame_id = ${id}
! /message



=== TEST 35: GW-10 agent-channel to C2A: its refusal in agent-channel's words
--- send
post('/to-c2a', query())
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/message = not now



=== TEST 36: GW-07 agent-channel to C2A: a stream brings frames
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



=== TEST 37: GW-06 agent-channel to VCP: a diagnostic is an escalation
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



=== TEST 38: GW-06 agent-channel to VCP: degraded is a warning, info is info
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



=== TEST 39: GW-06 agent-channel to VCP: a diagnostic to all is a broadcast
--- send
submit('/to-vcp', 'org:~ops/members/*',
       diagnostic('degraded', recipient_handle => '~ops'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp
--- got
/recipient = broadcast
/payload/severity = warning



=== TEST 40: GW-06 agent-channel to VCP: without a context it cannot be said
--- send
post('/to-vcp-bare', diagnostic('info'))
--- refused: channel translation-unsupported



=== TEST 41: GW-06 agent-channel to VCP: a query cannot be said
--- send
post('/to-vcp', query())
--- refused: channel translation-unsupported /kind



=== TEST 42: GW-06 agent-channel to VCP: nor can an advisory
--- send
post('/to-vcp', advisory())
--- refused: channel translation-unsupported /kind



=== TEST 43: GW-06 agent-channel to VCP: a diagnosis is an acknowledgment
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



=== TEST 44: GW-07 agent-channel to VCP: an acknowledgment to the stream
--- send
$::m = diagnostic('blocked'); $::id = $::m->{frame_id};
post('/to-vcp', $::m)
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- answer
/delivered = 1
/frame_id = ${id}
! /message



=== TEST 45: GW-10 agent-channel to VCP: its refusal in agent-channel's words
--- send
post('/to-vcp', diagnostic('blocked'))
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/field = /type
/message = not now



=== TEST 46: GW-06 agent-channel to MoQ: they are not translated
--- send
post('/to-moq', query())
--- refused: channel translation-unsupported /kind



=== TEST 47: ACH-01 an unknown member of the frame is named
--- send
post('/to-aee', query(mood => 'good'))
--- refused: channel field-unknown /mood



=== TEST 48: ACH-01 ACH-09 an unknown member of the payload is named
--- send
post('/to-aee', change(query(), 'payload/mood' => 'good'))
--- refused: channel field-unknown /payload/mood



=== TEST 49: ACH-02 another version is refused, whatever else is wrong
--- send
post('/to-aee', { envelope_version => '2.0', kind => 'gossip', mood => 1,
                  frame_id => 'x', sender_handle => '~cc-alice' })
--- refused: channel envelope-version-unsupported /envelope_version



=== TEST 50: ACH-03 a frame_id that is no UUIDv4 is refused
--- send
post('/to-aee', query(frame_id => uuid7()))
--- refused: channel field-invalid /frame_id



=== TEST 51: ACH-04 a kind out of the catalogue is refused
--- send
post('/to-aee', query(kind => 'agent_gossip'))
--- refused: channel kind-unknown /kind



=== TEST 52: ACH-05 a frame in another's name is refused
--- send
post('/to-aee', query(sender_handle => '~cc-bob'))
--- refused: channel sender-identity-mismatch /sender_handle



=== TEST 53: ACH-05 a sender that is no canonical handle is refused
--- send
post('/to-aee', query(sender_handle => 'cc-alice'))
--- refused: channel field-invalid /sender_handle



=== TEST 54: ACH-06 a recipient that is no canonical handle is refused
--- send
post('/to-aee', query(recipient_handle => '~Bob!'))
--- refused: channel field-invalid /recipient_handle



=== TEST 55: ACH-06 a pronoun is no handle
--- send
post('/to-aee', query(recipient_handle => '~org'))
--- refused: channel field-invalid /recipient_handle



=== TEST 56: ACH-09 a payload of another kind is told apart
--- send
post('/to-aee', frame('agent_query', { advisory_text => 'x' }))
--- refused: channel payload-kind-mismatch /payload



=== TEST 57: ACH-09 a member that is missing is named
--- send
post('/to-aee', without(query(), 'payload/timeout_ms'))
--- refused: channel field-missing /payload/timeout_ms



=== TEST 58: ACH-09 a text is bounded in octets
--- send
post('/to-aee', change(query(), 'payload/query_text' => "\x{20ac}" x 683))
--- refused: channel field-invalid /payload/query_text



=== TEST 59: ACH-09 a text that just fits passes
--- send
post('/to-aee', change(query(), 'payload/query_text' => "\x{20ac}" x 682))
--- service: took($c, $q)
--- error_code: 200



=== TEST 60: ACH-10 who acts is who the session is bound to
--- send
post('/to-aee', query(acted_by => '~bob'))
--- refused: channel sender-identity-mismatch /acted_by



=== TEST 61: ACH-10 an instrument does not act
--- send
post('/to-aee', query(acted_by => '~cc-alice'))
--- refused: channel field-invalid /acted_by



=== TEST 62: ACH-10 what drafted is an instrument
--- send
post('/to-aee', query(drafted_with => '~lead'))
--- refused: channel field-invalid /drafted_with



=== TEST 63: ACH-10 the same holds in the payload of an intent
--- send
post('/to-aee', frame('intent_declare', { convergence_class => 'pr.opened',
     payload_ref => 'pr:1', acted_by => '~bob',
     drafted_with => '~cc-alice@1.0', declared_at => timestamp(),
     ttl => 1000, withdrawable => JSON::PP::true }))
--- refused: channel sender-identity-mismatch /payload/acted_by



=== TEST 64: ACH-23 a frame that was taken before
--- send
my $m = query();
[post('/to-aee', $m), post('/to-aee', $m)]
--- service: took($c, $q)
--- refused: channel message-duplicate
--- forwarded: 1



=== TEST 65: ACH-23 a frame out of its time
--- send
post('/to-aee', query(created_at => timestamp(-100000)))
--- refused: channel message-stale /created_at



=== TEST 66: GW-06 an agent-channel service counts where it delivered
--- send
$::m = query(); $::id = $::m->{frame_id};
post('/to-channel', $::m)
--- service: took($c, $q)
--- error_code: 200
--- got_same
--- answer
/delivered = 2
/frame_id = ${id}
! /message



=== TEST 67: AEE-35 agent-channel to AEE: the same frame, the same octets
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



=== TEST 68: GW-06 agent-channel to AEE: a response to what has no query_id
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
