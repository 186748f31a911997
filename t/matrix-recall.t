# Later cancellations and progress: they refer to an earlier request, and only
# to that one.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());


# Returns an AEE event that carries a C2A cancellation to bob.
sub main::cancelling {
    my ($id, %other) = @_;

    return aee(type => 'event', from => 'agent.alice', to => 'agent.bob',
               intent => 'c2a.notifications.cancelled', priority => 'high',
               payload => { requestId => $id, reason => 'edited',
                            references => [{ id => 'note-1234',
                                type => 'c2a.message',
                                hash => 'sha256:' . '0' x 64,
                                locator => 'parley:c2a:note-1234' }] },
               %other);
}

run_tests();

__DATA__

=== TEST 1: C2A-24 GW-06 C2A to AEE: a cancellation goes to the recipient of the request
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
$::id = derived_id('c2a', 'alice', $m->{params}{eventId});
[post('/to-aee', $m),
 post('/to-aee', notice('cancelled', requestId => $m->{id},
                        reason => 'edited'))]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- response_body
--- valid
service aee
--- got
/type = event
/priority = high
/from = agent.alice
/to = agent.bob
/intent = c2a.notifications.cancelled
/reply_to = ${id}
/corr = C-ops-1234
/payload/reason = edited



=== TEST 2: C2A-24 GW-06 C2A to AEE: a cancellation of a request with an id that AEE does not allow
--- send
my $m = deliver(eventId => 'e' . int rand 99999);
$m->{id} = int rand 1e9;
$::call = $m->{id};
[post('/to-aee', $m),
 post('/to-aee', notice('cancelled', requestId => $m->{id}))]
--- service: $::id //= $q->{json}{id}; took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- got
/to = agent.bob
/reply_to ~ ^[0-9a-f]{8}-[0-9a-f]{4}-8
/payload/requestId = ${call}



=== TEST 3: C2A-24 GW-06 C2A to AEE: cancellations of a tool call, and of an event for a channel
--- send
my $say = say(); $say->{id} = 'call-' . uuid4();
my $all = ambient(); $all->{id} = 'call-' . uuid4();
$::id = derived_id('c2a', 'alice', $all->{params}{eventId});
[post('/to-aee', $say), post('/to-aee', $all),
 post('/to-aee', notice('cancelled', requestId => $say->{id})),
 post('/to-aee', notice('cancelled', requestId => $all->{id}))]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 4
--- got
/to = bus.ops
/reply_to = ${id}



=== TEST 4: C2A-24 GW-06 C2A to AEE: a cancellation without a request is refused
--- send
post('/to-aee', notice('cancelled', requestId => uuid4()))
--- refused: c2a reply-unmatched /params/requestId



=== TEST 5: C2A-24 C2A to AEE: a cancellation of another principal's request is refused
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
my $c = notice('cancelled', requestId => $m->{id});
[post('/to-aee', $m), post('/to-aee', $c, as => 'bob')]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/requestId
--- forwarded: 1



=== TEST 6: C2A-24 C2A to AEE: also by the id of the event
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-aee', notice('cancelled', requestId => $m->{params}{eventId}))]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/requestId
--- forwarded: 1



=== TEST 7: C2A-24 C2A to AEE: an explicit recipient must be that of the request
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
$::id = derived_id('c2a', 'alice', $m->{params}{eventId});
[post('/to-aee', $m),
 post('/to-aee?recipient=agent%3Abob',
      notice('cancelled', requestId => $m->{id}))]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- got
/to = agent.bob
/reply_to = ${id}



=== TEST 8: C2A-24 C2A to AEE: another explicit recipient is refused
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-aee?recipient=human%3Alead',
      notice('cancelled', requestId => $m->{id}))]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/requestId
--- forwarded: 1



=== TEST 9: C2A-24 GW-12 C2A to AEE: a request that was not taken cannot be cancelled
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-aee', notice('cancelled', requestId => $m->{id}))]
--- service: $c->answer(500)
--- refused: c2a reply-unmatched /params/requestId
--- forwarded: 1



=== TEST 10: C2A-24 C2A to AEE: an answered request cannot be cancelled
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-aee', notice('cancelled', requestId => $m->{id}))]
--- service: answered($c, $q)
--- refused: c2a reply-unmatched /params/requestId
--- forwarded: 1



=== TEST 11: C2A-24 C2A to AEE: a request cannot be cancelled in another location
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-channel', notice('cancelled', requestId => $m->{id}))]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/requestId
--- forwarded: 1



=== TEST 12: C2A-24 GW-06 C2A to agent-channel: a cancellation is an advisory
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-channel', $m),
 post('/to-channel', notice('cancelled', requestId => $m->{id},
                            reason => 'edited'))]
--- service
$::fid = $q->{json}{frame_id} if $q->{json}{kind} eq 'agent_query';
took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_advisory
/recipient_handle = ~cc-bob
/payload/advisory_text ~ (?s)^edited\n\nc2a\.notifications\.cancelled\n.*\nreply_to: [0-9a-f-]{36}\n.*"reason":"edited"



=== TEST 13: C2A-24 GW-06 C2A to VCP: VCP has no equivalent for a cancellation
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-vcp?recipient=agent%3Abob',
      notice('cancelled', requestId => $m->{id}))]
--- service: took($c, $q)
--- refused: c2a translation-unsupported /method
--- forwarded: 1



=== TEST 14: C2A-24 GW-06 AEE to C2A: an AEE sender can cancel its own request
--- send
my $task = aee(from => 'agent.alice', to => 'agent.bob');
$::id = $task->{id};
[post('/to-c2a', $task), post('/to-c2a', main::cancelling($::id))]
--- service: $q->{json}{id} ? took($c, $q) : $c->answer(202)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- valid
service c2a
--- got
/method = notifications/cancelled
/params/requestId = ${id}
/params/reason = edited
! /id



=== TEST 15: C2A-24 AEE to C2A: a cancellation of another principal's request is refused
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-c2a', $task, as => 'lead'),
 post('/to-c2a', main::cancelling($task->{id}))]
--- service: took($c, $q)
--- refused: aee reply-unmatched /payload/requestId
--- forwarded: 1



=== TEST 16: C2A-24 AEE to C2A: also if it names a request of its own
--- send
my $theirs = aee(from => 'agent.lead', to => 'agent.bob');
my $own = aee(from => 'agent.alice', to => 'agent.bob');
[post('/to-c2a', $theirs, as => 'lead'), post('/to-c2a', $own),
 post('/to-c2a', main::cancelling($theirs->{id}, reply_to => $own->{id}))]
--- service: took($c, $q)
--- refused: aee reply-unmatched /payload/requestId
--- forwarded: 2



=== TEST 17: C2A-24 GW-06 C2A to AEE: progress goes to the asker
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$task{qw(id corr)};
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', notice('progress', progressToken => $::id, progress => 2,
                        total => 5, message => 'half'))]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- response_body
--- valid
service aee
--- got
/type = stream
/priority = low
/from = agent.alice
/to = agent.bob
/corr = ${corr}
/reply_to = null
/intent = ops.backup.run
/payload/c2a/form = c2a.notifications.progress
/payload/progress = 2
/payload/message = half



=== TEST 18: C2A-24 C2A to AEE: progress without a request is refused
--- send
post('/to-aee', notice('progress', progressToken => uuid4(), progress => 1))
--- refused: c2a reply-unmatched /params/progressToken



=== TEST 19: C2A-24 C2A to AEE: progress of a principal that was not asked is refused
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee', notice('progress', progressToken => $task->{id},
                        progress => 1), as => 'lead')]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/progressToken
--- forwarded: 1



=== TEST 20: C2A-24 C2A to AEE: an explicit recipient must be the asker
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee?recipient=human%3Alead',
      notice('progress', progressToken => $task->{id}, progress => 1))]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/progressToken
--- forwarded: 1



=== TEST 21: C2A-24 GW-06 C2A to agent-channel: progress is an advisory
--- send
my $m = query(sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
              drafted_with => '~cc-bob@2');
[post('/to-c2a', $m, as => 'bob'),
 post('/to-channel', notice('progress', progressToken => $m->{frame_id},
                            progress => 1, message => 'half'))]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_advisory
/recipient_handle = ~cc-bob
/payload/advisory_text ~ half



=== TEST 22: C2A-24 AEE-29 C2A to AEE: a cancellation after redaction
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
$::id = derived_id('c2a', 'alice', $m->{params}{eventId});
[post('/to-aee-redact', $m),
 post('/to-aee-redact', notice('cancelled', requestId => $m->{id},
                               reason => 'secret'))]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- got
/to = agent.bob
/reply_to = ${id}
/payload/reason = [redacted]



=== TEST 23: C2A-24 GW-04 C2A to AEE: rules know the recipient of a cancellation
--- send
my $m = deliver(); $m->{id} = 'call-' . uuid4();
[post('/to-aee', $m),
 post('/to-aee-deny', notice('cancelled', requestId => $m->{id}))]
--- service: took($c, $q)
--- refused: c2a policy-refused
--- forwarded: 1



=== TEST 24: C2A-15 GW-04 C2A to AEE: rules know the recipient of a reaction
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee-deny', react('seen', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- refused: c2a policy-refused
--- forwarded: 1
