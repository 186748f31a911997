# Callers of AEE, agent-channel and C2A and a service of VCP 2.0: the service's
# request, and the caller's answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

# scripts of services can call these too
*Parley::Upstream::Script::alarm_of = \&main::alarm_of;
*Parley::Upstream::Script::acked = \&main::acked;

with_gateway(matrix());


# Returns an escalation that its parent must acknowledge.
sub main::alarm_of {
    my ($severity, %payload) = @_;

    return as_vcp2(escalation(severity => $severity,
                              requires_ack => JSON::PP::true, %payload));
}


# Return VCP's own acknowledgment of an escalation, and lead's result of
# another task with it.
sub main::ack_of {
    my ($m, $severity) = @_;

    return { severity => $severity, requires_ack => JSON::PP::false,
             context => 'ctx|home',
             reason => 'ACK:' . ($m->{message_id} // $m->{id}) . ' I saw it' };
}


sub main::acked {
    my ($task, $m, $severity) = @_;

    return result({ id => $task->{message_id} // $task->{id},
                    corr => $task->{corr} // $task->{message_id},
                    from => 'agent.alice', to => 'agent.lead',
                    intent => 'vcp.escalation' },
                  payload => ack_of($m, $severity));
}


# As acked(), in C2A: lead's event with VCP's part.
sub main::acked_part {
    my ($asked, $m, $severity) = @_;

    my $id = uuid4();

    return deliver(
        inReplyTo => $asked->{message_id},
        author => { kind => 'human', id => 'lead' },
        target => { recipient => 'agent:alice', directedness => 'to_me' },
        attention => { policy => 'may_respond', priority => 'normal' },
        content => [{ type => 'text', text => 'seen' },
                    { type => 'data',
                      mediaType => 'application/vnd.vcp2+json',
                      form => 'escalation', data => ack_of($m, $severity),
                      reference => { id => $id, type => 'vcp2.message',
                                     hash => 'sha256:' . '0' x 64,
                                     locator => "parley:vcp2:$id" } }]);
}

run_tests();

__DATA__

=== TEST 1: VCP-25 SEC-08 AEE to VCP 2.0: a result with an acknowledgment of another escalation
--- send
my ($x, $y) = map { alarm_of('critical') } 1 .. 2;
[post('/to-aee', $x), post('/to-aee', $y),
 post('/to-vcp2', acked($x, $y, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee field-invalid /payload/reason
--- forwarded: 2



=== TEST 2: VCP-25 SEC-08 AEE to VCP 2.0: an acknowledgment without an escalation
--- send
my $x = alarm_of('critical');
[post('/to-aee', $x),
 post('/to-vcp2', acked($x, alarm_of('critical'), 'critical'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee field-invalid /payload/reason
--- forwarded: 1



=== TEST 3: VCP-25 AEE to VCP 2.0: an acknowledgment with another severity
--- send
my $x = alarm_of('critical');
[post('/to-aee', $x),
 post('/to-vcp2', acked($x, $x, 'warning'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee field-invalid /payload/severity
--- forwarded: 1



=== TEST 4: VCP-25 SEC-08 AEE to VCP 2.0: a refused acknowledgment leaves the escalation open
--- send
my ($x, $y) = map { alarm_of('critical') } 1 .. 2;
$::id = $x->{message_id};
[post('/to-aee', $x), post('/to-aee', $y),
 post('/to-vcp2', acked($x, $y, 'critical'), as => 'lead'),
 post('/to-vcp2', acked($x, $x, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- error_code: 202
--- each: ^(?:20[02]|400)$
--- forwarded: 3
--- valid
service vcp2
--- got
/type = escalation
/sender = agent://ops.example/lead
/payload/reason = ACK:${id} I saw it
/payload/severity = critical
/payload/requires_ack = false



=== TEST 5: VCP-25 SEC-08 C2A to VCP 2.0: a part with an acknowledgment of another escalation
--- send
my ($x, $y) = map { alarm_of('critical') } 1 .. 2;
[post('/to-c2a', $x), post('/to-c2a', $y),
 post('/to-vcp2', acked_part($x, $y, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/inReplyTo
--- forwarded: 2



=== TEST 6: VCP-25 SEC-08 C2A to VCP 2.0: a part with an acknowledgment of its own escalation
--- send
my $x = alarm_of('critical');
$::id = $x->{message_id};
[post('/to-c2a', $x),
 post('/to-vcp2', acked_part($x, $x, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- got
/payload/reason = ACK:${id} I saw it



=== TEST 7: VCP-25 SEC-08 AEE to VCP 2.0: an event is not an acknowledgment
--- send
post('/to-vcp2', aee(type => 'event', intent => 'vcp.escalation',
     to => 'agent.lead', payload => ack_of(alarm_of('critical'), 'critical')))
--- service: took($c, $q)
--- refused: aee translation-unsupported /type
--- forwarded: 0



=== TEST 8: GW-06 AEE to VCP 2.0: a message with an intent of VCP becomes that message
--- send
$::m = aee(type => 'event', intent => 'vcp.context_share',
           payload => vcp2()->{payload});
$::id = $::m->{id};
post('/to-vcp2', $::m)
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service vcp2
--- got
/type = context_share
/sender = agent://ops.example/alice
/recipient = agent://ops.example/bob



=== TEST 9: GW-06 AEE to VCP 2.0: an error is an escalation to the parent
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-aee', $task, as => 'lead'),
 post('/to-vcp2', failure($task, retryable => JSON::PP::true),
      as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service vcp2
--- got
/type = escalation
/sender = agent://ops.example/bob
/recipient = agent://ops.example/lead
/payload/severity = warning
/payload/reason = E_BROKEN: it broke
/payload/context = ctx|gateway
--- answer_headers
Parley-Loss ~ request=/type, .*request=/payload/retryable



=== TEST 10: GW-06 AEE to VCP 2.0: an error without a context is refused
--- send
my $task = aee();
[post('/to-aee', $task), post('/to-vcp2-bare', failure($task), as => 'bob')]
--- service: took($c, $q)
--- refused: aee translation-unsupported
--- forwarded: 1



=== TEST 11: GW-06 AEE to VCP 2.0: an ordinary task is refused
--- send
post('/to-vcp2', aee())
--- refused: aee translation-unsupported /intent



=== TEST 12: GW-07 AEE to VCP 2.0: the service's escalation is a task
--- send
$::m = aee(type => 'task', intent => 'vcp.escalation', to => 'agent.lead',
           payload => as_vcp2(escalation(requires_ack => JSON::PP::true))->{payload});
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-vcp2', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- valid
service vcp2
answer aee
--- answer
/from = agent.lead
/to = agent.alice
/intent = vcp.escalation
/corr = ${corr}



=== TEST 13: GW-07 AEE to VCP 2.0: the service's acknowledgment is a result
--- send
$::m = aee(type => 'task', intent => 'vcp.escalation', to => 'agent.lead',
           payload => as_vcp2(escalation(requires_ack => JSON::PP::true))->{payload});
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-vcp2', $::m)
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- valid
service vcp2
answer aee
--- answer
/type = result
/from = agent.lead
/corr = ${corr}
/reply_to = ${id}
/intent = vcp.escalation



=== TEST 14: VCP-30 GW-06 AEE to VCP 2.0: an error for another principal than the parent is refused
--- send
my $task = aee();
[post('/to-aee', $task),
 post('/to-vcp2', failure($task, retryable => JSON::PP::true),
      as => 'bob')]
--- service: took($c, $q)
--- error_code: 422
--- forwarded: 1
--- answer
/type = error
/payload/code = E_TRANSLATION_UNSUPPORTED
/payload/field = /to



=== TEST 15: VCP-12 GW-06 AEE to VCP 2.0: the operator sets the severity of an error
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-aee', $task, as => 'lead'),
 post('/to-vcp2-own', failure($task), as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service vcp2
--- got
/payload/severity = critical
/payload/requires_ack = true
/payload/reason = E_BROKEN: it broke



=== TEST 16: VCP-12 GW-06 AEE to VCP 2.0: an error that may not be retried is a warning too
--- send
my $task = aee(from => 'agent.lead', to => 'agent.bob');
[post('/to-aee', $task, as => 'lead'),
 post('/to-vcp2', failure($task), as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- got
/payload/severity = warning
/payload/requires_ack = false



=== TEST 17: VCP-04 GW-06 AEE to VCP 2.0: a group is not the broadcast
--- send
post('/to-vcp2', aee(type => 'event', to => 'bus.ops',
                    intent => 'vcp.context_share',
                    payload => vcp2()->{payload}))
--- refused: aee identity-unmappable /to



=== TEST 18: VCP-04 GW-06 AEE to VCP 2.0: the configured group is the broadcast
--- send
post('/to-vcp2-own', aee(type => 'event', to => 'bus.ops',
                        intent => 'vcp.context_share',
                        payload => vcp2()->{payload}))
--- service: took($c, $q)
--- error_code: 202
--- valid
service vcp2
--- got
/recipient = broadcast



=== TEST 19: VCP-04 GW-06 AEE to VCP 2.0: another group is not the broadcast there either
--- send
post('/to-vcp2-own', aee(type => 'event', to => 'bus.dev',
                        intent => 'vcp.context_share',
                        payload => vcp2()->{payload}))
--- refused: aee identity-unmappable /to



=== TEST 20: GW-12 AEE to VCP 2.0: after busy the message may be sent again
--- send
my $m = aee(intent => 'vcp.escalation',
            payload => as_vcp2(escalation())->{payload}, to => 'agent.lead');
[post('/to-vcp2', $m), post('/to-vcp2', $m)]
--- service
$c->answer(200, [], jcs({ status => 'rejected', code => 'busy',
                          message => 'later',
                          message_id => $q->{json}{message_id} }))
--- error_code: 503
--- forwarded: 2
--- answer
/type = error
/payload/code = E_BUSY
/payload/retryable = true



=== TEST 21: GW-06 agent-channel to VCP 2.0: a diagnostic is an escalation
--- send
$::m = diagnostic('blocked'); ($::id, $::ts) = @{$::m}{qw(frame_id created_at)};
post('/to-vcp2', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp2
--- got
/type = escalation
/message_id ~ ^[0-9a-f]{8}-[0-9a-f]{4}-4
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



=== TEST 22: GW-06 agent-channel to VCP 2.0: degraded is a warning, info is info
--- send
[post('/to-vcp2', diagnostic('degraded')),
 post('/to-vcp2', diagnostic('info'))]
--- service: took($c, $q)
--- each: ^200$
--- forwarded: 2
--- valid
service vcp2
--- got
/payload/severity = info



=== TEST 23: VCP-30 GW-06 agent-channel to VCP 2.0: a diagnostic to all has no parent as its recipient
--- send
submit('/to-vcp2-own', 'org:~ops/members/*',
       diagnostic('degraded', recipient_handle => '~ops'))
--- refused: channel translation-unsupported /recipient_handle



=== TEST 24: GW-06 agent-channel to VCP 2.0: without a context it is refused
--- send
post('/to-vcp2-bare', diagnostic('info'))
--- refused: channel translation-unsupported



=== TEST 25: GW-06 agent-channel to VCP 2.0: a query is refused
--- send
post('/to-vcp2', query())
--- refused: channel translation-unsupported /kind



=== TEST 26: GW-06 agent-channel to VCP 2.0: an advisory is refused
--- send
post('/to-vcp2', advisory())
--- refused: channel translation-unsupported /kind



=== TEST 27: GW-06 agent-channel to VCP 2.0: a diagnosis is an acknowledgment
--- send
my $m = as_vcp2(escalation(severity => 'critical', requires_ack => JSON::PP::true));
$::id = $m->{message_id};
my $escalation = post('/to-channel', $m);
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw($escalation);
my $did = service()->last->{json}{payload}{diagnostic_id};
post('/to-vcp2', frame('peer_diagnostic_response', { diagnostic_id => $did,
     finding => 'a lock' }, sender_handle => '~lead',
     recipient_handle => '~cc-alice', drafted_with => '~cc-lead'),
     as => 'lead')
--- service: took($c, $q)
--- forwarded: 2
--- error_code: 200
--- valid
service vcp2
--- got
/type = escalation
/sender = agent://ops.example/lead
/recipient = agent://ops.example/alice
/payload/severity = critical
/payload/reason = ACK:${id} a lock
/payload/requires_ack = false



=== TEST 28: GW-07 agent-channel to VCP 2.0: an acknowledgment is the diagnosis
--- send
$::m = diagnostic('blocked'); $::id = $::m->{frame_id};
$::did = $::m->{payload}{diagnostic_id};
post('/to-vcp2', $::m)
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



=== TEST 29: GW-10 agent-channel to VCP 2.0: the service's refusal in agent-channel's form
--- send
post('/to-vcp2', diagnostic('blocked'))
--- service: refused($c, $q)
--- error_code: 403
--- answer
/code = scope-unauthorised
/field = /kind
/message = not now



=== TEST 30: VCP-25 GW-06 a later acknowledgment goes to the agent-channel service
--- send
my $m = diagnostic('blocked');
$::did = $m->{payload}{diagnostic_id};
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-vcp2', $m));
my $esc = service()->last->{json};
post('/to-channel', { %{ as_vcp2(escalation(severity => 'critical',
     requires_ack => false, reason => "ACK:$esc->{message_id} on it")) },
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



=== TEST 31: GW-06 C2A to VCP 2.0: an event is refused
--- send
post('/to-vcp2', deliver())
--- refused: c2a translation-unsupported /method



=== TEST 32: GW-06 C2A to VCP 2.0: a sent message is refused
--- send
post('/to-vcp2', say())
--- refused: c2a translation-unsupported



=== TEST 33: GW-06 C2A to VCP 2.0: progress is refused
--- send
post('/to-vcp2?recipient=agent%3Abob',
     notice('progress', progressToken => 'p-1', progress => 1))
--- refused: c2a translation-unsupported /method
--- answer
/id = null



=== TEST 34: GW-06 C2A to VCP 2.0: "blocked" is an escalation to the parent
--- send
my $m = vcp2(sender => 'agent://ops.example/lead',
            recipient => 'agent://ops.example/alice');
$::id = $m->{message_id};
[post('/to-c2a', $m, as => 'lead'),
 post('/to-vcp2', react('blocked', inReplyTo => $::id, reason => 'no disk',
                       target => 'human:lead'))]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service vcp2
--- got
/type = escalation
/sender = agent://ops.example/alice
/recipient = agent://ops.example/lead
/payload/severity = warning
/payload/reason = E_BLOCKED: no disk
/payload/context = ctx|gateway
/payload/requires_ack = false
--- answer
/id = 7
/result/structuredContent = {"accepted":true,"disposition":"deferred"}
--- answer_headers
Parley-Loss ~ request=/method, .*request=/params/arguments/signal



=== TEST 35: GW-06 C2A to VCP 2.0: a message that came from VCP comes back unchanged
--- send
$::id = uuid7();
post('/to-vcp2', deliver(eventId => $::id,
    attention => { policy => 'must_not_respond', priority => 'normal' },
    injection => { mode => 'tool_mailbox' },
    content => [{ type => 'text', text => 'ctx|home' },
                { type => 'data',
                  mediaType => 'application/vnd.vcp+json',
                  form => 'context_share', data => vcp2()->{payload},
                  reference => { id => $::id, type => 'vcp.message',
                                 hash => 'sha256:' . '0' x 64,
                                 locator => "parley:vcp:$::id" } }]))
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp2
--- got
/type = context_share
/message_id = ${id}
/sender = agent://ops.example/alice
/recipient = agent://ops.example/bob
/payload/context = ctx|home
--- answer
/result/accepted = true



=== TEST 36: GW-10 C2A to VCP 2.0: the service's refusal is a JSON-RPC error
--- send
$::id = uuid7();
post('/to-vcp2', deliver(eventId => $::id,
    attention => { policy => 'must_not_respond', priority => 'normal' },
    content => [{ type => 'data', mediaType => 'application/vnd.vcp+json',
                  form => 'context_share', data => vcp2()->{payload},
                  reference => { id => $::id, type => 'vcp.message',
                                 hash => 'sha256:' . '0' x 64,
                                 locator => "parley:vcp:$::id" } }]))
--- service: refused($c, $q)
--- error_code: 403
--- answer
/id = call-1
/error/data/code = policy-refused
/error/data/field = /params/content/0/form
/error/message = not now



=== TEST 37: GW-07 C2A to VCP 2.0: an acknowledgment is the message
--- send
$::id = uuid7();
my $p = as_vcp2(escalation(requires_ack => JSON::PP::true,
                   severity => 'critical'))->{payload};
post('/to-vcp2', deliver(eventId => $::id,
    target => { recipient => 'human:lead', directedness => 'to_me' },
    attention => { policy => 'must_respond', priority => 'high',
                   deadlineMs => 5000 },
    content => [{ type => 'data', mediaType => 'application/vnd.vcp+json',
                  form => 'escalation', data => $p,
                  reference => { id => $::id, type => 'vcp.message',
                                 hash => 'sha256:' . '0' x 64,
                                 locator => "parley:vcp:$::id" } }]))
--- service: answered($c, $q, 'seen')
--- error_code: 200
--- valid
service vcp2
answer c2a /result/message
--- answer
/result/disposition = responded
/result/message/author = {"id":"lead","kind":"human"}
/result/message/content/1/form = escalation



=== TEST 38: GW-06 C2A to VCP 2.0: "done" is the acknowledgment
--- send
my $m = as_vcp2(escalation(severity => 'critical', requires_ack => JSON::PP::true));
$::id = $m->{message_id};
[post('/to-c2a', $m),
 post('/to-vcp2', react('done', inReplyTo => $::id), as => 'lead')]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service vcp2
--- got
/type = escalation
/recipient = agent://ops.example/alice
/payload/severity = critical
/payload/reason ~ ^ACK:${id}
/payload/requires_ack = false



=== TEST 39: VCP-30 GW-06 C2A to VCP 2.0: a parent's answer to its child is not an escalation
--- send
my $m = as_vcp2(escalation(severity => 'critical', requires_ack => JSON::PP::true));
$::id = $m->{message_id};
[post('/to-c2a', $m),
 post('/to-vcp2', react('blocked', inReplyTo => $::id, reason => 'no disk'),
      as => 'lead')]
--- service: took($c, $q)
--- error_code: 422
--- forwarded: 1
--- answer
/error/data/code = translation-unsupported



=== TEST 40: GW-06 MoQ to VCP 2.0: not translated
--- send
post('/to-vcp2?recipient=bob', command('render'))
--- refused: moq translation-unsupported /action
