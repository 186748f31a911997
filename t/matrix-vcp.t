# VCP callers and services of C2A, agent-channel and AEE: the service's
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

    return escalation(severity => $severity, requires_ack => JSON::PP::true,
                      %payload);
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

    my $id = uuid7();

    return deliver(
        inReplyTo => $asked->{message_id},
        author => { kind => 'human', id => 'lead' },
        target => { recipient => 'agent:alice', directedness => 'to_me' },
        attention => { policy => 'may_respond', priority => 'normal' },
        content => [{ type => 'text', text => 'seen' },
                    { type => 'data',
                      mediaType => 'application/vnd.vcp+json',
                      form => 'escalation', data => ack_of($m, $severity),
                      reference => { id => $id, type => 'vcp.message',
                                     hash => 'sha256:' . '0' x 64,
                                     locator => "parley:vcp:$id" } }]);
}

run_tests();

__DATA__

=== TEST 1: C2A-03 C2A-05 GW-06 VCP to C2A: a context_share to one recipient is for it
--- send
$::m = vcp(); ($::id, $::ts) = @{$::m}{qw(message_id timestamp)};
post('/to-c2a', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/method = chat/deliver
/params/eventId = ${id}
/params/source/platform = vcp
/params/author = {"id":"alice","kind":"agent"}
/params/target/recipient = agent:bob
/params/conversation/kind = dm
/params/target/directedness = to_me
/params/timing/createdAt = ${ts}
/params/attention/policy = may_respond
/params/injection/mode = buffered
/params/content/0/text = ctx|home
/params/content/1/mediaType = application/vnd.vcp+json
/params/content/1/form = context_share
/params/content/1/data/context = ctx|home
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
! Parley-Loss
Content-Type: application/json; charset=utf-8



=== TEST 2: C2A-03 C2A-05 GW-06 VCP to C2A: an announcement to all is ambient
--- send
post('/to-c2a', announce())
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = channel
/params/target/directedness = ambient
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox
/params/content/1/form = constitution_announce



=== TEST 3: C2A-03 C2A-05 GW-06 VCP to C2A: a constraint is obeyed and acknowledged
--- send
post('/to-c2a', constraint(), as => 'lead')
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/author = {"id":"lead","kind":"agent"}
/params/conversation/kind = system
/params/target/directedness = to_me
/params/attention/policy = ack_only
/params/attention/priority = high
/params/injection/mode = immediate
/params/content/1/data/constraints/0/value = 2048



=== TEST 4: C2A-03 C2A-05 GW-06 VCP to C2A: a critical escalation interrupts
--- send
post('/to-c2a', alarm_of('critical'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = dm
/params/target = {"directedness":"to_me","recipient":"human:lead"}
/params/attention/policy = must_respond
/params/attention/priority = high
/params/attention/deadlineMs = 5000
/params/injection/mode = immediate



=== TEST 5: C2A-03 C2A-05 GW-06 VCP to C2A: an emergency is urgent
--- send
post('/to-c2a', alarm_of('emergency'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/attention/policy = must_respond
/params/attention/priority = urgent
/params/injection/mode = immediate



=== TEST 6: C2A-03 C2A-05 GW-06 VCP to C2A: a warning that asks for an acknowledgment is buffered
--- send
post('/to-c2a', alarm_of('warning'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/attention/policy = must_respond
/params/injection/mode = buffered



=== TEST 7: C2A-03 C2A-05 GW-06 VCP to C2A: information goes to the mailbox
--- send
post('/to-c2a', escalation(severity => 'info'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = system
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox



=== TEST 8: GW-07 VCP to C2A: an answer is the acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: answered($c, $q, 'on it')
--- error_code: 200
--- valid
answer vcp /reply
--- answer
/status = accepted
/message_id = ${id}
/reply/type = escalation
/reply/sender = agent://ops.example/lead
/reply/recipient = agent://ops.example/alice
/reply/payload/reason = ACK:${id} on it
/reply/payload/severity = critical
/reply/payload/requires_ack = false
/reply/signature ~ ^base64:



=== TEST 9: VCP-30 GW-07 VCP to C2A: a reaction "blocked" is a rejection
--- send
$::m = alarm_of('warning'); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: failed($c, $q)
--- error_code: 422
--- answer
/status = rejected
/message_id = ${id}
/code = E_BLOCKED
/message = it broke
! /reply



=== TEST 10: GW-07 VCP to C2A: an answer to a constraint is lost
--- send
$::m = constraint(); $::id = $::m->{message_id};
post('/to-c2a', $::m, as => 'lead')
--- service: answered($c, $q, 'done')
--- error_code: 200
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
Parley-Loss ~ .



=== TEST 11: GW-10 VCP to C2A: the service's refusal is a rejection
--- send
$::m = vcp(); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/code = policy-refused
/message = not now



=== TEST 12: GW-10 VCP to C2A: an invalid answer of the service
--- send
$::m = vcp(); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: vcp upstream-invalid /jsonrpc
--- forwarded: 1



=== TEST 13: GW-07 VCP-18 VCP to C2A: a stream that begins with progress is an acceptance
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: events($c, $q)
--- error_code: 200
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
Content-Type: application/json; charset=utf-8
--- wait: 0.3
--- error_log
answer not sent, the caller has its answer: result



=== TEST 14: GW-06 VCP to C2A: a name without an equivalent is refused
--- send
post('/to-c2a', vcp(recipient => 'a@b'))
--- refused: vcp identity-unmappable /recipient



=== TEST 15: GW-06 VCP to agent-channel: a context_share is an advisory
--- send
$::m = vcp(); ($::id, $::ts) = @{$::m}{qw(message_id timestamp)};
post('/to-channel', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_advisory
/sender_handle = ~cc-alice
/recipient_handle = ~cc-bob
/created_at = ${ts}
/payload/advisory_text ~ (?s)^ctx\|home\n\nvcp\.context_share\nid: ${id}\n
/acted_by = ~lead
/drafted_with = ~cc-alice@1.0
/provenance_basis = vcp
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
! Parley-Loss



=== TEST 16: GW-06 VCP to agent-channel: an announcement is a broadcast
--- send
post('/to-channel', announce())
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_broadcast
/recipient_handle = ~broadcast
/payload/event_class = other



=== TEST 17: GW-06 VCP to agent-channel: a constraint is a query
--- send
post('/to-channel', constraint(), as => 'lead')
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_query
/sender_handle = ~lead
/recipient_handle = ~cc-alice
/acted_by = ~lead
/drafted_with = ~cc-lead
/payload/query_text ~ 2048



=== TEST 18: GW-06 VCP to agent-channel: an escalation is a diagnostic, and never expires
--- send
post('/to-channel', alarm_of('critical'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = peer_diagnostic_request
/recipient_handle = ~lead
/payload/severity = blocked
/payload/symptom ~ disk is full
! /ttl_ms



=== TEST 19: GW-06 VCP to agent-channel: a warning is degraded, info is info
--- send
[post('/to-channel', escalation(severity => 'info')),
 post('/to-channel', escalation(severity => 'warning'))]
--- service
my %s = (info => 'info', warning => 'degraded');
my ($w) = $q->{json}{payload}{symptom} =~ /"severity":"(\w+)"/;
$s{$w} eq $q->{json}{payload}{severity} ? took($c, $q) : $c->answer(500)
--- each: ^200$
--- forwarded: 2
--- valid
service channel



=== TEST 20: GW-07 VCP to agent-channel: a diagnosis is the acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-channel', $::m)
--- service: answered($c, $q, 'a lock')
--- error_code: 200
--- valid
answer vcp /reply
--- answer
/status = accepted
/message_id = ${id}
/reply/sender = agent://ops.example/lead
/reply/payload/reason = ACK:${id} a lock
/reply/payload/severity = critical



=== TEST 21: GW-07 VCP to agent-channel: a response to a constraint is lost
--- send
$::m = constraint(); $::id = $::m->{message_id};
post('/to-channel', $::m, as => 'lead')
--- service: answered($c, $q, 'done')
--- error_code: 200
--- answer
/status = accepted
! /reply
--- answer_headers
Parley-Loss ~ .



=== TEST 22: GW-10 VCP to agent-channel: the service's refusal is a rejection
--- send
$::m = vcp(); $::id = $::m->{message_id};
post('/to-channel', $::m)
--- service: refused($c, $q, 403, 'scope-unauthorised')
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/code = scope-unauthorised
/message = not now



=== TEST 23: GW-07 VCP-18 VCP to agent-channel: a stream that begins with progress is an acceptance
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-channel', $::m)
--- service: events($c, $q)
--- error_code: 200
--- answer
/status = accepted
! /reply



=== TEST 24: GW-06 VCP to agent-channel: a party without a handle is refused
--- send
post('/to-channel', vcp(recipient => 'agent://elsewhere/x'))
--- refused: vcp identity-unmappable /recipient



=== TEST 25: GW-06 VCP to AEE: an escalation is a task
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-aee', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/type = task
/priority = high
/requires/timeout_ms = 5000
/intent = vcp.escalation
/to = agent.lead
--- answer
/status = accepted
/message_id = ${id}



=== TEST 26: GW-07 VCP to AEE: a result is the acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-aee', $::m)
--- service: answered($c, $q, 'on it')
--- error_code: 200
--- valid
service aee
answer vcp /reply
--- answer
/reply/payload/reason = ACK:${id} on it



=== TEST 27: VCP-30 GW-07 VCP to AEE: an error is a rejection
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-aee', $::m)
--- service: failed($c, $q)
--- error_code: 422
--- answer
/status = rejected
/message_id = ${id}
/code = E_BROKEN
/message = it broke
! /reply
--- answer_headers
Parley-Loss: answer=/payload/retryable



=== TEST 28: GW-10 VCP to AEE: the service's refusal is a rejection
--- send
$::m = vcp(); $::id = $::m->{message_id};
post('/to-aee', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/message = not now



=== TEST 29: GW-06 VCP to MoQ: not translated
--- send
post('/to-moq', vcp())
--- refused: vcp translation-unsupported /type



=== TEST 30: VCP-17 an unsigned message is refused
--- send
post('/to-c2a', vcp(), sign => 0)
--- refused: vcp signature-missing



=== TEST 31: VCP-13 a duplicate is acknowledged, not forwarded again
--- send
$::m = vcp(); $::id = $::m->{message_id};
[post('/to-c2a', $::m), post('/to-c2a', $::m)]
--- service: took($c, $q)
--- error_code: 200
--- answer
/status = duplicate
/message_id = ${id}



=== TEST 32: AEE-35 VCP to agent-channel: the same message gives the same octets
--- send
my $m = post('/to-channel', vcp());
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



=== TEST 33: GW-10 a service that is down, in VCP's form
--- send
post('/to-channel', vcp())
--- service: $c->answer(500)
--- refused: vcp upstream-unavailable
--- forwarded: 1



=== TEST 34: VCP-25 SEC-08 AEE to VCP: a result with an acknowledgment of another escalation
--- send
my ($x, $y) = map { alarm_of('critical') } 1 .. 2;
[post('/to-aee', $x), post('/to-aee', $y),
 post('/to-vcp', acked($x, $y, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee field-invalid /payload/reason
--- forwarded: 2



=== TEST 35: VCP-25 SEC-08 AEE to VCP: an acknowledgment without an escalation
--- send
my $x = alarm_of('critical');
[post('/to-aee', $x),
 post('/to-vcp', acked($x, alarm_of('critical'), 'critical'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee field-invalid /payload/reason
--- forwarded: 1



=== TEST 36: VCP-25 AEE to VCP: an acknowledgment with another severity
--- send
my $x = alarm_of('critical');
[post('/to-aee', $x),
 post('/to-vcp', acked($x, $x, 'warning'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee field-invalid /payload/severity
--- forwarded: 1



=== TEST 37: VCP-25 SEC-08 AEE to VCP: a refused acknowledgment leaves the escalation open
--- send
my ($x, $y) = map { alarm_of('critical') } 1 .. 2;
$::id = $x->{message_id};
[post('/to-aee', $x), post('/to-aee', $y),
 post('/to-vcp', acked($x, $y, 'critical'), as => 'lead'),
 post('/to-vcp', acked($x, $x, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- error_code: 202
--- each: ^(?:20[02]|400)$
--- forwarded: 3
--- valid
service vcp
--- got
/type = escalation
/sender = agent://ops.example/lead
/payload/reason = ACK:${id} I saw it
/payload/severity = critical
/payload/requires_ack = false



=== TEST 38: VCP-25 SEC-08 VCP to AEE: an acknowledgment of another escalation in the answer
--- send
post('/to-aee', alarm_of('critical'))
--- service
$c->answer(200, [], jcs(acked($q->{json}, alarm_of('critical'), 'critical')))
--- refused: vcp upstream-invalid /payload/reason taken
--- forwarded: 1



=== TEST 39: VCP-25 VCP to AEE: an acknowledgment with another severity in the answer
--- send
post('/to-aee', alarm_of('critical'))
--- service
$c->answer(200, [], jcs(acked($q->{json}, $q->{json}, 'warning')))
--- refused: vcp upstream-invalid /payload/severity taken
--- forwarded: 1



=== TEST 40: VCP-25 VCP to AEE: the acknowledgment of the escalation in the answer
--- send
post('/to-aee', alarm_of('critical'))
--- service
$c->answer(200, [], jcs(acked($q->{json}, $q->{json}, 'critical')))
--- error_code: 200
--- valid
answer vcp /reply
--- answer
/reply/payload/severity = critical
/reply/payload/requires_ack = false



=== TEST 41: VCP-25 SEC-08 C2A to VCP: a part with an acknowledgment of another escalation
--- send
my ($x, $y) = map { alarm_of('critical') } 1 .. 2;
[post('/to-c2a', $x), post('/to-c2a', $y),
 post('/to-vcp', acked_part($x, $y, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/inReplyTo
--- forwarded: 2



=== TEST 42: VCP-25 SEC-08 C2A to VCP: a part with an acknowledgment of its own escalation
--- send
my $x = alarm_of('critical');
$::id = $x->{message_id};
[post('/to-c2a', $x),
 post('/to-vcp', acked_part($x, $x, 'critical'), as => 'lead')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- got
/payload/reason = ACK:${id} I saw it



=== TEST 43: VCP-25 SEC-08 AEE to VCP: an event is not an acknowledgment
--- send
post('/to-vcp', aee(type => 'event', intent => 'vcp.escalation',
     to => 'agent.lead', payload => ack_of(alarm_of('critical'), 'critical')))
--- service: took($c, $q)
--- refused: aee translation-unsupported /type
--- forwarded: 0



=== TEST 44: C2A-03 C2A-05 GW-06 VCP to C2A: an announcement to one agent is for it
--- send
post('/to-c2a', with(announce(), recipient => person('bob')->{vcp}))
--- service: took($c, $q)
--- error_code: 200
--- got
/params/target/directedness = to_me
/params/attention/policy = may_respond
/params/injection/mode = buffered
