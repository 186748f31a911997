# Reactions and answers to messages that did not ask for any: events, results
# and progress that became C2A events.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: C2A-15 GW-06 a reaction to an AEE event is progress for its sender
--- send
my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice');
$::corr = $event->{corr};
[post('/to-c2a', $event, as => 'bob'),
 map { post('/to-aee', react($_, inReplyTo => $event->{id})) }
     qw(agree seen)]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 3
--- valid
service aee
--- got
/type = stream
/priority = low
/from = agent.alice
/to = agent.bob
/corr = ${corr}
/payload/signal = seen



=== TEST 2: C2A-15 GW-06 any reader may react to an event for a channel
--- send
my $event = aee(type => 'event', from => 'agent.bob', to => 'bus.ops');
$::corr = $event->{corr};
[post('/to-c2a', $event, as => 'bob'),
 post('/to-aee', react('unclear', inReplyTo => $event->{id})),
 post('/to-aee', react('agree', inReplyTo => $event->{id}), as => 'lead')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 3
--- got
/type = stream
/from = agent.lead
/to = agent.bob
/corr = ${corr}



=== TEST 3: C2A-15 GW-06 only its recipient may react to an event for one
--- send
my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $event, as => 'bob'),
 post('/to-aee', react('agree', inReplyTo => $event->{id}), as => 'lead')]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/arguments/inReplyTo
--- forwarded: 1



=== TEST 4: C2A-15 GW-06 "blocked" is an error for the event's sender
--- send
my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice');
($::id, $::corr) = @$event{qw(id corr)};
[post('/to-c2a', $event, as => 'bob'),
 post('/to-aee', react('blocked', inReplyTo => $event->{id}))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service aee
--- got
/type = error
/to = agent.bob
/corr = ${corr}
/reply_to = ${id}



=== TEST 5: C2A-13 an event that must not be answered cannot be answered by a message
--- send
my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $event, as => 'bob'),
 post('/to-aee', say(inReplyTo => $event->{id}, text => 'Thank you!'))]
--- service: took($c, $q)
--- refused: c2a policy-refused /params/arguments/inReplyTo
--- forwarded: 1



=== TEST 6: C2A-13 also after progress
--- send
my $stream = aee(type => 'stream', from => 'agent.bob', to => 'agent.alice');
[post('/to-c2a', $stream, as => 'bob'),
 post('/to-aee', say(inReplyTo => $stream->{id}, text => 'Thank you!'))]
--- service: took($c, $q)
--- refused: c2a policy-refused /params/arguments/inReplyTo
--- forwarded: 1



=== TEST 7: GW-06 a thread that an AEE result began may be answered
--- send
my $result = aee(type => 'result', from => 'agent.bob', to => 'agent.alice',
                 reply_to => uuid4());
my $task = aee(id => $result->{reply_to}, from => 'agent.alice',
               to => 'agent.bob', corr => $result->{corr});
($::id, $::corr) = @$result{qw(id corr)};
my $asked = deliver(eventId => $task->{id},
                    conversation => { id => $task->{corr}, kind => 'dm' });
[post('/to-aee', $asked), post('/to-c2a', $result, as => 'bob'),
 post('/to-aee', say(inReplyTo => $result->{id}, text => 'And the rest?'))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 3
--- valid
service aee
--- got
/type = result
/from = agent.alice
/to = agent.bob
/corr = ${corr}
/reply_to = ${id}
/payload/text = And the rest?



=== TEST 8: VCP-25 C2A-15 "blocked" as a reaction to a VCP event is an escalation
--- send
my $m = vcp(sender => person('lead')->{vcp}, recipient => person('alice')->{vcp});
[post('/to-c2a', $m, as => 'lead'),
 post('/to-vcp', react('blocked', inReplyTo => $m->{message_id},
                       reason => 'no disk'))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/recipient = agent://ops.example/lead
/payload/severity = warning
/payload/reason = E_BLOCKED: no disk



=== TEST 9: VCP-25 an acknowledgment may have a reaction, but not an acknowledgment
--- send
my $client = Parley::Client->new(port => port(1));
my $m = vcp(sender => person('lead')->{vcp}, recipient => person('alice')->{vcp});
service()->script('took($c, $q)');
$client->raw($_)
    for post('/to-c2a', $m, as => 'lead'),
        post('/to-vcp', react('blocked', inReplyTo => $m->{message_id}));
my $esc = service()->last->{json};
my $ack = { %{ escalation(severity => 'warning',
                          reason => "ACK:$esc->{message_id} seen") },
            sender => person('lead')->{vcp},
            recipient => person('alice')->{vcp} };
[post('/to-c2a', $ack, as => 'lead'),
 post('/to-vcp', react('done', inReplyTo => $ack->{message_id}))]
--- service: took($c, $q)
--- refused: c2a translation-unsupported /params/name
--- forwarded: 3



=== TEST 10: GW-06 a reaction to an agent-channel advisory is an error text
--- send
my $m = advisory(sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
                 drafted_with => '~cc-bob@2');
[post('/to-c2a', $m, as => 'bob'),
 post('/to-channel', react('working', inReplyTo => $m->{frame_id}))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_advisory
/sender_handle = ~cc-alice
/recipient_handle = ~cc-bob



=== TEST 11: GW-06 an escalation that asks for no acknowledgment may have one
--- send
my $m = { %{ escalation(severity => 'warning', requires_ack => false) },
          sender => person('alice')->{vcp}, recipient => person('lead')->{vcp} };
$::id = $m->{message_id};
[post('/to-c2a', $m),
 post('/to-vcp', react('done', inReplyTo => $m->{message_id},
                       reason => 'on it'), as => 'lead')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/payload/severity = warning
/payload/reason ~ ^ACK:${id}
/payload/requires_ack = false



=== TEST 12: GW-06 an AEE event cannot be answered: results answer tasks
--- send
my $m = ambient();
[post('/to-aee', $m),
 post('/to-c2a', result(aee(id => $m->{params}{eventId},
                            corr => 'ops-12345678',
                            from => 'agent.alice', to => 'agent.bob')),
      as => 'bob')]
--- service: took($c, $q)
--- refused: aee reply-unmatched /reply_to
--- forwarded: 1



=== TEST 13: C2A-13 an answer to a VCP context_share is allowed, but VCP has no equivalent
--- send
my $m = vcp(sender => person('bob')->{vcp}, recipient => person('alice')->{vcp});
[post('/to-c2a', $m, as => 'bob'),
 post('/to-vcp', say(inReplyTo => $m->{message_id}, text => 'Thank you!'))]
--- service: took($c, $q)
--- refused: c2a translation-unsupported /params/name
--- forwarded: 1
