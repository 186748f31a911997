# SEC-08: an answer must come from the recipient of the message, and go to its
# sender.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my %matrix = matrix();

$matrix{server} .= location('/inner', 'parley_accept aee vcp; '
                            . 'parley_speak aee gateway=service.inner; '
                            . 'parley_jwt on;')
                 . location('/same', 'parley_accept aee vcp; '
                            . 'parley_speak aee gateway=service.parley; '
                            . 'parley_jwt on;')
                 . location('/outer', 'parley_accept aee vcp; '
                            . 'parley_speak aee gateway=service.outer; '
                            . 'parley_jwt on;')
                 . location('/trusting', 'parley_accept aee; '
                            . 'parley_trusted on;');

with_gateway(%matrix);

run_tests();

__DATA__

=== TEST 1: SEC-08 a result from the asker is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.alice')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 2: SEC-08 a result from a third principal is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.lead')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 3: SEC-08 a result from an unlisted principal is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.nobody')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 4: SEC-08 a result to another principal is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, to => 'agent.lead')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /to taken
--- forwarded: 1



=== TEST 5: SEC-08 a result to a group is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, to => 'bus.ops')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /to taken
--- forwarded: 1



=== TEST 6: SEC-08 an error from another principal is refused
--- service
$c->answer(200, [], jcs(with(failure($q->{json}), from => 'agent.lead')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 7: SEC-08 an error of status 422 from another principal is refused and releases the id
--- service
$c->answer(422, [], jcs(with(failure($q->{json}), from => 'agent.lead')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from
--- forwarded: 1



=== TEST 8: SEC-08 progress from another principal is refused
--- service
$c->answer(200, [], jcs(aee(type => 'stream', from => 'agent.lead',
    to => 'agent.alice', corr => $q->{json}{corr}, payload => { n => 1 })))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 9: SEC-08 an acceptance from another principal is refused
--- service
$c->answer(202, [], jcs(aee(type => 'stream', from => 'agent.lead',
    to => 'agent.alice', corr => $q->{json}{corr},
    payload => { status => 'accepted' })))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 10: SEC-08 the VCP name of the recipient is accepted
--- service
$c->answer(200, [], jcs(result($q->{json},
                               from => 'agent://ops.example/bob')))
--- send
post('/to-aee', aee())
--- answer
/type = result
/from = agent://ops.example/bob



=== TEST 11: SEC-08 the C2A name, the handle and the sub of the recipient are accepted
--- service
my %as = (low => 'agent:bob', normal => '~cc-bob', high => 'bob');
$c->answer(200, [], jcs(result($q->{json},
                               from => $as{$q->{json}{priority}})))
--- send
[map { post('/to-aee', aee(priority => $_)) } qw(low normal high)]
--- forwarded: 3
--- each: ^200$



=== TEST 12: SEC-08 another name of the asker is accepted
--- service
$c->answer(200, [], jcs(result($q->{json},
                               to => 'agent://ops.example/alice')))
--- send
post('/to-aee', aee())
--- answer
/type = result



=== TEST 13: SEC-08 another name of a third principal is refused
--- service
$c->answer(200, [], jcs(result($q->{json},
                               from => 'agent://ops.example/lead')))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 14: SEC-08 a name that belongs to another principal in its protocol is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.cc-taken')))
--- send
post('/to-aee', aee(to => 'agent.helper'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 15: SEC-08 an unlisted recipient answers by the name that was used
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
post('/to-aee', aee(to => 'agent.helper'))
--- answer
/type = result
/from = agent.helper



=== TEST 16: SEC-08 GW-12 an answer that is not bound commits the id
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.lead')))
--- send
my $m = aee();
[post('/to-aee', $m), post('/to-aee', $m)]
--- forwarded: 1
--- each: ^(?:502|409)$
--- error_code: 409



=== TEST 17: SEC-08 translated: the gateway does not sign an answer of another principal
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.alice',
    payload => { text => 'on it', context => 'ctx' })))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp upstream-invalid /from
--- forwarded: 1



=== TEST 18: SEC-08 translated: an answer to another principal is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, to => 'agent.bob',
    payload => { text => 'on it', context => 'ctx' })))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp upstream-invalid /to
--- forwarded: 1



=== TEST 19: SEC-08 translated: a recipient that uses another name is reported by the name that was used
--- service
$c->answer(200, [], jcs(result($q->{json}, from => '~lead',
    payload => { text => 'on it', context => 'ctx' })))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- answer
/status = accepted
/reply/sender = agent://ops.example/lead



=== TEST 20: SEC-08 VCP: a reply from another principal
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted', message_id => $m->{message_id},
    reply => with(done($m, 'ok'), sender => 'agent://ops.example/bob') }))
--- send
post('/to-vcp', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp upstream-invalid /reply/sender
--- forwarded: 1



=== TEST 21: SEC-08 VCP: a reply to another principal
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted', message_id => $m->{message_id},
    reply => with(done($m, 'ok'), recipient => 'agent://ops.example/bob') }))
--- send
post('/to-vcp', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp upstream-invalid /reply/recipient
--- forwarded: 1



=== TEST 22: SEC-08 VCP: a reply that is a message of its own, from another principal
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted', message_id => $m->{message_id},
    reply => escalation(severity => 'info',
                        sender => 'agent://ops.example/bob') }))
--- send
post('/to-vcp', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp upstream-invalid
--- forwarded: 1



=== TEST 23: SEC-08 C2A: a message by another author is refused
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $m->{id}, result => {
    accepted => true, disposition => 'responded', message => {
    %{ $m->{params} }, eventId => 'evt-answer', author => { id => 'lead',
    kind => 'human' }, target => { recipient => 'agent:alice',
    directedness => 'to_me' }, inReplyTo => $m->{params}{eventId} } } }))
--- send
post('/to-c2a', aee())
--- refused: aee upstream-invalid /result/message/author taken
--- forwarded: 1



=== TEST 24: SEC-08 C2A: a message for another recipient is refused
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $m->{id}, result => {
    accepted => true, disposition => 'responded', message => {
    %{ $m->{params} }, eventId => 'evt-answer', author => { id => 'bob',
    kind => 'agent' }, target => { recipient => 'human:lead',
    directedness => 'to_me' }, inReplyTo => $m->{params}{eventId} } } }))
--- send
post('/to-c2a', aee())
--- refused: aee upstream-invalid /result/message/target/recipient taken
--- forwarded: 1



=== TEST 25: SEC-08 agent-channel: a frame of another sender is refused
--- service
$c->answer(200, [], jcs(with(done($q->{json}, 'x'),
                             sender_handle => '~lead')))
--- send
submit('/to-channel', '~cc-bob', query())
--- refused: channel upstream-invalid /sender_handle
--- forwarded: 1



=== TEST 26: SEC-08 agent-channel: a frame for another recipient is refused
--- service
$c->answer(200, [], jcs(with(done($q->{json}, 'x'),
                             recipient_handle => '~lead')))
--- send
submit('/to-channel', '~cc-bob', query())
--- refused: channel upstream-invalid /recipient_handle
--- forwarded: 1



=== TEST 27: SEC-08 agent-channel: a frame of the right parties passes
--- service
answered($c, $q)
--- send
submit('/to-channel', '~cc-bob', query())
--- error_code: 200



=== TEST 28: SEC-08 any listener of a bus may answer it
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.lead')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- answer
/type = result
/from = agent.lead



=== TEST 29: SEC-08 the asker may not answer its own message to a bus
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.alice')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 30: SEC-08 an answer from a bus may go to the asker only
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.lead',
                               to => 'agent.bob')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /to taken
--- forwarded: 1



=== TEST 31: SEC-08 a failure of a configured inner gateway passes
--- service
$c->answer(403, [], jcs(with(failure($q->{json}), from => 'service.inner')))
--- send
post('/inner', aee())
--- error_code: 403
--- answer
/type = error
/from = service.inner



=== TEST 32: SEC-08 a failure of a configured inner gateway, for a caller of another protocol
--- service
$c->answer(403, [], jcs(with(failure($q->{json}), from => 'service.inner')))
--- send
post('/inner', escalation(severity => 'critical', requires_ack => true))
--- error_code: 403
--- answer
/status = rejected



=== TEST 33: SEC-08 a configured inner gateway may report an acceptance
--- service
$c->answer(202, [], jcs(aee(type => 'stream', from => 'service.inner',
    to => 'agent.alice', corr => $q->{json}{corr},
    payload => { status => 'accepted' })))
--- send
post('/inner', aee())
--- error_code: 202



=== TEST 34: SEC-08 a result of an inner gateway is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'service.inner')))
--- send
post('/inner', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 35: SEC-08 an event of an inner gateway is refused
--- service
$c->answer(200, [], jcs(aee(type => 'event', from => 'service.inner',
    to => 'agent.alice', corr => $q->{json}{corr})))
--- send
post('/inner', aee())
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 36: SEC-08 a failure of a gateway that is not configured is refused
--- service
$c->answer(403, [], jcs(with(failure($q->{json}), from => 'service.inner')))
--- send
post('/outer', aee())
--- refused: aee upstream-invalid /from
--- forwarded: 1



=== TEST 37: SEC-08 a failure of the inner gateway to another principal is refused
--- service
$c->answer(403, [], jcs(with(failure($q->{json}), from => 'service.inner',
                             to => 'agent.bob')))
--- send
post('/inner', aee())
--- refused: aee upstream-invalid /to
--- forwarded: 1



=== TEST 38: SEC-08 names are compared without proven callers too
--- service
my $p = $q->{json}{priority};
$c->answer(200, [], jcs(result($q->{json},
    $p eq 'low' ? (from => 'agent.lead') : $p eq 'high'
                ? (to => 'agent.lead') : ())))
--- send
[map { post('/trusting', aee(from => 'agent.x', to => 'agent.y',
                             priority => $_), token => 0) }
 qw(low high normal)]
--- forwarded: 3
--- each: ^(?:502|200)$
--- error_code: 200



=== TEST 39: SEC-08 events: a result of another principal ends the stream
--- service
$c->events;
$c->out('data: ' . jcs(result($q->{json}, from => 'agent.alice')) . "\n\n");
--- send
post('/to-aee', aee())
--- events
/0/type = error
/0/payload/code = E_UPSTREAM_INVALID
/0/payload/field = /from
! /1



=== TEST 40: SEC-08 events: of two results of one task only the first is forwarded
--- service
$c->events;
$c->out('data: ' . jcs(result($q->{json}, payload => { n => $_ })) . "\n\n")
    for 1 .. 3;
--- send
post('/to-aee', aee())
--- events
/0/type = result
/0/payload/n = 1
! /1



=== TEST 41: SEC-08 events: an error or progress after the result is refused
--- service
$c->events;
$c->out('data: ' . jcs(result($q->{json}, payload => { n => 1 })) . "\n\n");
$c->out('data: ' . jcs(failure($q->{json})) . "\n\n");
$c->out('data: ' . jcs(aee(type => 'stream', from => 'agent.bob',
    corr => $q->{json}{corr})) . "\n\n");
--- send
post('/to-aee', aee())
--- events
/0/type = result
! /1



=== TEST 42: SEC-08 events: each listener of a bus may send one result
--- service
$c->events;
$c->out('data: ' . jcs(result($q->{json}, from => $_)) . "\n\n")
    for qw(agent.bob agent.lead agent.bob agent.helper agent.lead);
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- events
/0/from = agent.bob
/1/from = agent.lead
/2/from = agent.helper
! /3
--- error_log
answer not sent, reply-unmatched: result



=== TEST 43: SEC-08 events: another name of a responder is the same responder
--- service
$c->events;
$c->out('data: ' . jcs(result($q->{json}, from => $_)) . "\n\n")
    for qw(agent.bob agent.bob agent.cc-taken);
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- events
/0/from = agent.bob
/1/from = agent.cc-taken
! /2



=== TEST 44: SEC-08 events: each session may send one answer to a query
--- service
my $m = $q->{json};
$c->events;
for my $s (qw(s-1 s-2 s-1)) {
    my $f = done($m, "of $s");
    $f->{payload}{responder_session_id} = $s;
    $c->out('data: ' . jcs($f) . "\n\n");
}
--- send
submit('/to-channel', '~cc-bob', query())
--- events
/0/payload/response_text = of s-1
/1/payload/response_text = of s-2
! /2



=== TEST 45: SEC-08 events: a failure of the inner gateway ends the stream
--- service
$c->events;
$c->out('data: ' . jcs(aee(type => 'stream', from => 'agent.bob',
    to => 'agent.alice', corr => $q->{json}{corr},
    payload => { n => 1 })) . "\n\n");
$c->out('data: ' . jcs(with(failure($q->{json}), from => 'service.inner'))
        . "\n\n");
--- send
post('/inner', aee())
--- events
/0/type = stream
/1/type = error
/1/from = service.inner
! /2



=== TEST 46: SEC-08 events: a C2A caller of a bus has one response
--- service
$c->events;
$c->out('data: ' . jcs(result($q->{json}, from => $_)) . "\n\n")
    for qw(agent.bob agent.lead);
--- send
post('/to-aee', deliver(target => { directedness => 'to_my_role' },
                        conversation => { id => 'ops', kind => 'channel' },
                        attention => { policy => 'must_respond',
                                       priority => 'normal' }))
--- events
/0/id = call-1
/0/result/accepted = true
! /1



=== TEST 47: AEE-34 progress about another message is refused
--- service
$c->answer(200, [], jcs(aee(type => 'stream', from => 'agent.bob',
    to => 'agent.alice', corr => $q->{json}{corr}, reply_to => uuid4())))
--- send
post('/to-aee', aee())
--- refused: aee upstream-invalid /reply_to taken
--- forwarded: 1



=== TEST 48: AEE-34 a result with status 500 is not a result
--- service
$c->answer(500, [], jcs(result($q->{json})))
--- send
post('/to-aee', aee())
--- refused: aee upstream-unavailable
--- forwarded: 1



=== TEST 49: SEC-08 each session may send one final answer to a query
--- send
my $m = query();

my $response = sub {
    my ($session) = @_;

    return post('/to-channel', frame('agent_response',
        { query_id => $m->{payload}{query_id}, response_text => 'I have',
          responder_session_id => $session },
        sender_handle => '~cc-bob', recipient_handle => '~cc-alice',
        drafted_with => '~cc-bob@1.0'), as => 'bob');
};

my @session = (uuid4(), uuid4());

[post('/to-channel', $m), map { $response->($_) } @session, $session[0]]
--- service: took($c, $q)
--- refused: channel reply-unmatched /payload/query_id
--- forwarded: 3



=== TEST 50: SEC-08 the gateway cannot answer a message to a bus
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'service.parley')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 51: SEC-08 the gateway cannot answer a message to a bus, in other case
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'Service.PARLEY')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 52: SEC-08 the gateway cannot answer a message to a bus by its C2A name
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'service:parley')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 53: SEC-08 the asker cannot answer its message to a bus, in other case
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'Agent.Alice')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 54: SEC-08 the asker cannot answer its message to a bus by another protocol's name, in other case
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent://ops.example/ALICE')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- refused: aee upstream-invalid /from taken
--- forwarded: 1



=== TEST 55: SEC-08 a bus: the failure of a configured inner gateway with the gateway's own name
--- service
$c->answer(403, [], jcs(with(failure($q->{json}), from => 'service.parley')))
--- send
post('/same', aee(to => 'bus.ops'))
--- error_code: 403
--- answer
/type = error
/from = service.parley



=== TEST 56: SEC-08 a principal with the asker's name on another host can answer a bus
--- service
$c->answer(200, [], jcs(result($q->{json}, from => 'agent.alice@other')))
--- send
post('/to-aee', aee(to => 'bus.ops'))
--- answer
/type = result
