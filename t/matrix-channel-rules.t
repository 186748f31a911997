# Invalid frames, and the errors for an agent-channel caller.

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

=== TEST 1: ACH-15 an invalid scope is refused
--- send
submit('/to-aee', 'group:~cc-bob', query())
--- refused: channel field-invalid scope



=== TEST 2: ACH-15 a scope of another handle is refused
--- send
submit('/to-aee', '~cc-alice/*', query())
--- refused: channel scope-unauthorised scope



=== TEST 3: GW-10 ACH-23 a service that is down
--- send
post('/to-aee', query())
--- service: $c->answer(500)
--- refused: channel upstream-unavailable
--- forwarded: 1



=== TEST 4: ACH-01 an unknown member of the frame is named
--- send
post('/to-aee', query(mood => 'good'))
--- refused: channel field-unknown /mood



=== TEST 5: ACH-01 ACH-09 an unknown member of the payload is named
--- send
post('/to-aee', change(query(), 'payload/mood' => 'good'))
--- refused: channel field-unknown /payload/mood



=== TEST 6: ACH-02 another version is refused before any other error
--- send
post('/to-aee', { envelope_version => '2.0', kind => 'gossip', mood => 1,
                  frame_id => 'x', sender_handle => '~cc-alice' })
--- refused: channel envelope-version-unsupported /envelope_version



=== TEST 7: ACH-03 a frame_id that is not a UUIDv4 is refused
--- send
post('/to-aee', query(frame_id => uuid7()))
--- refused: channel field-invalid /frame_id



=== TEST 8: ACH-04 an unknown kind is refused
--- send
post('/to-aee', query(kind => 'agent_gossip'))
--- refused: channel kind-unknown /kind



=== TEST 9: ACH-05 a frame with another principal's name is refused
--- send
post('/to-aee', query(sender_handle => '~cc-bob'))
--- refused: channel sender-identity-mismatch /sender_handle



=== TEST 10: ACH-05 a sender that is not a canonical handle is refused
--- send
post('/to-aee', query(sender_handle => 'cc-alice'))
--- refused: channel field-invalid /sender_handle



=== TEST 11: ACH-06 a recipient that is not a canonical handle is refused
--- send
post('/to-aee', query(recipient_handle => '~Bob!'))
--- refused: channel field-invalid /recipient_handle



=== TEST 12: ACH-06 a pronoun is not a handle
--- send
post('/to-aee', query(recipient_handle => '~org'))
--- refused: channel field-invalid /recipient_handle



=== TEST 13: ACH-09 a payload of another kind is refused
--- send
post('/to-aee', frame('agent_query', { advisory_text => 'x' }))
--- refused: channel payload-kind-mismatch /payload



=== TEST 14: ACH-09 a missing member is named
--- send
post('/to-aee', without(query(), 'payload/timeout_ms'))
--- refused: channel field-missing /payload/timeout_ms



=== TEST 15: ACH-09 a text is limited in octets
--- send
post('/to-aee', change(query(), 'payload/query_text' => "\x{20ac}" x 683))
--- refused: channel field-invalid /payload/query_text



=== TEST 16: ACH-09 a text of the largest size passes
--- send
post('/to-aee', change(query(), 'payload/query_text' => "\x{20ac}" x 682))
--- service: took($c, $q)
--- error_code: 200



=== TEST 17: ACH-10 acted_by must be the principal of the session
--- send
post('/to-aee', query(acted_by => '~bob'))
--- refused: channel sender-identity-mismatch /acted_by
--- answer
/message ~ the principal of the session, "~lead"



=== TEST 18: ACH-10 acted_by cannot be an instrument
--- send
post('/to-aee', query(acted_by => '~cc-alice'))
--- refused: channel field-invalid /acted_by



=== TEST 19: ACH-10 drafted_with must be an instrument
--- send
post('/to-aee', query(drafted_with => '~lead'))
--- refused: channel field-invalid /drafted_with



=== TEST 20: ACH-10 the same rules hold in the payload of an intent
--- send
post('/to-aee', frame('intent_declare', { convergence_class => 'pr.opened',
     payload_ref => 'pr:1', acted_by => '~bob',
     drafted_with => '~cc-alice@1.0', declared_at => timestamp(),
     ttl => 1000, withdrawable => JSON::PP::true }))
--- refused: channel sender-identity-mismatch /payload/acted_by



=== TEST 21: ACH-23 a frame that was taken before is refused
--- send
my $m = query();
[post('/to-aee', $m), post('/to-aee', $m)]
--- service: took($c, $q)
--- each: ^200$
--- answer_like: "delivered":0
--- forwarded: 1



=== TEST 22: ACH-23 a frame outside the freshness is refused
--- send
post('/to-aee', query(created_at => timestamp(-100000)))
--- refused: channel message-stale /created_at



=== TEST 23: GW-06 an agent-channel service returns the number of deliveries
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



=== TEST 24: ACH-23 ACH-02 a frame after its time to live is stale
--- send
post('/to-aee', query(ttl_ms => 1000, created_at => timestamp(-120)))
--- refused: channel message-stale /created_at



=== TEST 25: ACH-23 a frame without retention is not stale for that reason
--- send
post('/to-aee', query(ttl_ms => 0, created_at => timestamp(-120)))
--- service: took($c, $q)
--- error_code: 200



=== TEST 26: ACH-03 a frame_id in upper case is the same id
--- send
my $m = query();
$::id = $m->{frame_id};
post('/to-aee', { %$m, frame_id => uc $m->{frame_id} })
--- service: took($c, $q)
--- error_code: 200
--- got
/id = ${id}



=== TEST 27: ACH-09 a released lock names its resource
--- send
post('/to-c2a', frame('agent_lock_release', { lease_id => uuid4(),
     resource => 'src/parser.c' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/params/content/0/text ~ src/parser\.c



=== TEST 28: ACH-09 the name of the resource is limited
--- send
post('/to-c2a', frame('agent_lock_release', { lease_id => uuid4(),
     resource => 'x' x 513 }))
--- refused: channel field-invalid /payload/resource



=== TEST 29: ACH-07 a time without a zone is invalid
--- send
post('/to-aee', query(created_at => '2026-02-15T10:30:00'))
--- refused: channel field-invalid /created_at



=== TEST 30: ACH-07 a time an hour ahead is refused
--- send
post('/to-aee', query(created_at => timestamp(3600)))
--- refused: channel message-stale /created_at



=== TEST 31: ACH-07 a time a day ago is refused
--- send
post('/to-aee', query(created_at => timestamp(-86400)))
--- refused: channel message-stale /created_at



=== TEST 32: ACH-12 a lock is only announced: twice, and released by another principal
--- send
my $lock = sub { frame('agent_lock_request', { resource => 'src/parser.c',
                     lease_id => $_[0], ttl_ms => 60000 }) };
my $lease = uuid4();
[post('/to-aee', $lock->($lease)), post('/to-aee', $lock->($lease)),
 post('/to-aee', $lock->(uuid4())),
 post('/to-aee', frame('agent_lock_release', { lease_id => uuid4() }))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 4
--- got
/type = event
/intent = channel.agent_lock_release
