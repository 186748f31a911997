# agent-channel callers before services of VCP: what the service gets, what the
# sender gets back, and which frames are none.

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

=== TEST 1: GW-06 agent-channel to VCP: without a context it cannot be said
--- send
post('/to-vcp-bare', diagnostic('info'))
--- refused: channel translation-unsupported



=== TEST 2: GW-06 agent-channel to VCP: a query cannot be said
--- send
post('/to-vcp', query())
--- refused: channel translation-unsupported /kind



=== TEST 3: GW-06 agent-channel to VCP: nor can an advisory
--- send
post('/to-vcp', advisory())
--- refused: channel translation-unsupported /kind



=== TEST 4: GW-06 agent-channel to VCP: a diagnosis is an acknowledgment
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



=== TEST 5: GW-07 agent-channel to VCP: an acknowledgment to the stream
--- send
$::m = diagnostic('blocked'); $::id = $::m->{frame_id};
post('/to-vcp', $::m)
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- answer
/delivered = 1
/frame_id = ${id}
! /message



=== TEST 6: GW-10 agent-channel to VCP: its refusal in agent-channel's words
--- send
post('/to-vcp', diagnostic('blocked'))
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/field = /type
/message = not now



=== TEST 7: GW-06 agent-channel to MoQ: they are not translated
--- send
post('/to-moq', query())
--- refused: channel translation-unsupported /kind



=== TEST 8: ACH-01 an unknown member of the frame is named
--- send
post('/to-aee', query(mood => 'good'))
--- refused: channel field-unknown /mood



=== TEST 9: ACH-01 ACH-09 an unknown member of the payload is named
--- send
post('/to-aee', change(query(), 'payload/mood' => 'good'))
--- refused: channel field-unknown /payload/mood



=== TEST 10: ACH-02 another version is refused, whatever else is wrong
--- send
post('/to-aee', { envelope_version => '2.0', kind => 'gossip', mood => 1,
                  frame_id => 'x', sender_handle => '~cc-alice' })
--- refused: channel envelope-version-unsupported /envelope_version



=== TEST 11: ACH-03 a frame_id that is no UUIDv4 is refused
--- send
post('/to-aee', query(frame_id => uuid7()))
--- refused: channel field-invalid /frame_id



=== TEST 12: ACH-04 a kind out of the catalogue is refused
--- send
post('/to-aee', query(kind => 'agent_gossip'))
--- refused: channel kind-unknown /kind



=== TEST 13: ACH-05 a frame in another's name is refused
--- send
post('/to-aee', query(sender_handle => '~cc-bob'))
--- refused: channel sender-identity-mismatch /sender_handle



=== TEST 14: ACH-05 a sender that is no canonical handle is refused
--- send
post('/to-aee', query(sender_handle => 'cc-alice'))
--- refused: channel field-invalid /sender_handle



=== TEST 15: ACH-06 a recipient that is no canonical handle is refused
--- send
post('/to-aee', query(recipient_handle => '~Bob!'))
--- refused: channel field-invalid /recipient_handle



=== TEST 16: ACH-06 a pronoun is no handle
--- send
post('/to-aee', query(recipient_handle => '~org'))
--- refused: channel field-invalid /recipient_handle



=== TEST 17: ACH-09 a payload of another kind is told apart
--- send
post('/to-aee', frame('agent_query', { advisory_text => 'x' }))
--- refused: channel payload-kind-mismatch /payload



=== TEST 18: ACH-09 a member that is missing is named
--- send
post('/to-aee', without(query(), 'payload/timeout_ms'))
--- refused: channel field-missing /payload/timeout_ms



=== TEST 19: ACH-09 a text is bounded in octets
--- send
post('/to-aee', change(query(), 'payload/query_text' => "\x{20ac}" x 683))
--- refused: channel field-invalid /payload/query_text



=== TEST 20: ACH-09 a text that just fits passes
--- send
post('/to-aee', change(query(), 'payload/query_text' => "\x{20ac}" x 682))
--- service: took($c, $q)
--- error_code: 200



=== TEST 21: ACH-10 who acts is who the session is bound to
--- send
post('/to-aee', query(acted_by => '~bob'))
--- refused: channel sender-identity-mismatch /acted_by



=== TEST 22: ACH-10 an instrument does not act
--- send
post('/to-aee', query(acted_by => '~cc-alice'))
--- refused: channel field-invalid /acted_by



=== TEST 23: ACH-10 what drafted is an instrument
--- send
post('/to-aee', query(drafted_with => '~lead'))
--- refused: channel field-invalid /drafted_with



=== TEST 24: ACH-10 the same holds in the payload of an intent
--- send
post('/to-aee', frame('intent_declare', { convergence_class => 'pr.opened',
     payload_ref => 'pr:1', acted_by => '~bob',
     drafted_with => '~cc-alice@1.0', declared_at => timestamp(),
     ttl => 1000, withdrawable => JSON::PP::true }))
--- refused: channel sender-identity-mismatch /payload/acted_by



=== TEST 25: ACH-23 a frame that was taken before
--- send
my $m = query();
[post('/to-aee', $m), post('/to-aee', $m)]
--- service: took($c, $q)
--- refused: channel message-duplicate
--- forwarded: 1



=== TEST 26: ACH-23 a frame out of its time
--- send
post('/to-aee', query(created_at => timestamp(-100000)))
--- refused: channel message-stale /created_at



=== TEST 27: GW-06 an agent-channel service counts where it delivered
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



=== TEST 28: AEE-35 agent-channel to AEE: the same frame, the same octets
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



=== TEST 29: GW-06 agent-channel to AEE: a response to what has no query_id
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
