# VCP 2.0 callers with services of C2A, agent-channel, AEE and VCP 1.2, and VCP
# 1.2 callers with a service of 2.0.  Each test checks the service's request,
# and the caller's answer.

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


run_tests();

__DATA__

=== TEST 1: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: a context_share to one recipient is for it
--- send
$::m = vcp2(); ($::id, $::ts) = @{$::m}{qw(message_id timestamp)};
post('/to-c2a', $::m)
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/method = chat/deliver
/params/eventId = ${id}
/params/source/platform = vcp2
/params/author = {"id":"alice","kind":"agent"}
/params/target/recipient = agent:bob
/params/conversation/kind = dm
/params/target/directedness = to_me
/params/timing/createdAt = ${ts}
/params/attention/policy = may_respond
/params/injection/mode = buffered
/params/content/0/text = ctx|home
/params/content/1/mediaType = application/vnd.vcp2+json
/params/content/1/form = context_share
/params/content/1/data/context = ctx|home
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
! Parley-Loss
Content-Type: application/json; charset=utf-8



=== TEST 2: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: an announcement to all is ambient
--- send
post('/to-c2a', as_vcp2(announce()))
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



=== TEST 3: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: a constraint is obeyed and acknowledged
--- send
post('/to-c2a', as_vcp2(constraint()), as => 'lead')
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



=== TEST 4: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: a critical escalation interrupts
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



=== TEST 5: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: an emergency is urgent
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



=== TEST 6: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: a warning that asks for an acknowledgment is buffered
--- send
post('/to-c2a', alarm_of('warning'))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/attention/policy = must_respond
/params/injection/mode = buffered



=== TEST 7: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: information goes to the mailbox
--- send
post('/to-c2a', as_vcp2(escalation(severity => 'info')))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = system
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox



=== TEST 8: GW-07 VCP 2.0 to C2A: an answer is the acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: answered($c, $q, 'on it')
--- error_code: 200
--- valid
answer vcp2 /reply
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



=== TEST 9: VCP-30 GW-07 VCP 2.0 to C2A: a reaction "blocked" is a rejection
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



=== TEST 10: GW-07 VCP 2.0 to C2A: an answer to a constraint is lost
--- send
$::m = as_vcp2(constraint()); $::id = $::m->{message_id};
post('/to-c2a', $::m, as => 'lead')
--- service: answered($c, $q, 'done')
--- error_code: 200
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
Parley-Loss ~ .



=== TEST 11: GW-10 VCP 2.0 to C2A: the service's refusal is a rejection
--- send
$::m = vcp2(); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/code = policy-refused
/message = not now



=== TEST 12: GW-10 VCP 2.0 to C2A: an invalid answer of the service
--- send
$::m = vcp2(); $::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: vcp upstream-invalid /jsonrpc
--- forwarded: 1



=== TEST 13: GW-07 VCP-18 VCP 2.0 to C2A: a stream that begins with progress is an acceptance
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



=== TEST 14: GW-06 VCP 2.0 to C2A: a name without an equivalent is refused
--- send
post('/to-c2a', vcp2(recipient => 'a@b'))
--- refused: vcp identity-unmappable /recipient



=== TEST 15: GW-06 VCP 2.0 to agent-channel: a context_share is an advisory
--- send
$::m = vcp2(); ($::id, $::ts) = @{$::m}{qw(message_id timestamp)};
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
/payload/advisory_text ~ (?s)^ctx\|home\n\nvcp2\.context_share\nid: ${id}\n
/acted_by = ~lead
/drafted_with = ~cc-alice@1.0
/provenance_basis = vcp2
--- answer
/status = accepted
/message_id = ${id}
! /reply
--- answer_headers
! Parley-Loss



=== TEST 16: GW-06 VCP 2.0 to agent-channel: an announcement is a broadcast
--- send
post('/to-channel', as_vcp2(announce()))
--- service: took($c, $q)
--- error_code: 200
--- valid
service channel
--- got
/kind = agent_broadcast
/recipient_handle = ~broadcast
/payload/event_class = other



=== TEST 17: GW-06 VCP 2.0 to agent-channel: a constraint is a query
--- send
post('/to-channel', as_vcp2(constraint()), as => 'lead')
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



=== TEST 18: GW-06 VCP 2.0 to agent-channel: an escalation is a diagnostic, and never expires
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



=== TEST 19: GW-06 VCP 2.0 to agent-channel: a warning is degraded, info is info
--- send
[post('/to-channel', as_vcp2(escalation(severity => 'info'))),
 post('/to-channel', as_vcp2(escalation(severity => 'warning')))]
--- service
my %s = (info => 'info', warning => 'degraded');
my ($w) = $q->{json}{payload}{symptom} =~ /"severity":"(\w+)"/;
$s{$w} eq $q->{json}{payload}{severity} ? took($c, $q) : $c->answer(500)
--- each: ^200$
--- forwarded: 2
--- valid
service channel



=== TEST 20: GW-07 VCP 2.0 to agent-channel: a diagnosis is the acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-channel', $::m)
--- service: answered($c, $q, 'a lock')
--- error_code: 200
--- valid
answer vcp2 /reply
--- answer
/status = accepted
/message_id = ${id}
/reply/sender = agent://ops.example/lead
/reply/payload/reason = ACK:${id} a lock
/reply/payload/severity = critical



=== TEST 21: GW-07 VCP 2.0 to agent-channel: a response to a constraint is lost
--- send
$::m = as_vcp2(constraint()); $::id = $::m->{message_id};
post('/to-channel', $::m, as => 'lead')
--- service: answered($c, $q, 'done')
--- error_code: 200
--- answer
/status = accepted
! /reply
--- answer_headers
Parley-Loss ~ .



=== TEST 22: GW-10 VCP 2.0 to agent-channel: the service's refusal is a rejection
--- send
$::m = vcp2(); $::id = $::m->{message_id};
post('/to-channel', $::m)
--- service: refused($c, $q, 403, 'scope-unauthorised')
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/code = scope-unauthorised
/message = not now



=== TEST 23: GW-07 VCP-18 VCP 2.0 to agent-channel: a stream that begins with progress is an acceptance
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-channel', $::m)
--- service: events($c, $q)
--- error_code: 200
--- answer
/status = accepted
! /reply



=== TEST 24: GW-06 VCP 2.0 to agent-channel: a party without a handle is refused
--- send
post('/to-channel', vcp2(recipient => 'agent://elsewhere/x'))
--- refused: vcp identity-unmappable /recipient



=== TEST 25: GW-06 VCP 2.0 to AEE: an escalation is a task
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



=== TEST 26: GW-07 VCP 2.0 to AEE: a result is the acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-aee', $::m)
--- service: answered($c, $q, 'on it')
--- error_code: 200
--- valid
service aee
answer vcp2 /reply
--- answer
/reply/payload/reason = ACK:${id} on it



=== TEST 27: VCP-30 GW-07 VCP 2.0 to AEE: an error is a rejection
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



=== TEST 28: GW-10 VCP 2.0 to AEE: the service's refusal is a rejection
--- send
$::m = vcp2(); $::id = $::m->{message_id};
post('/to-aee', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/message = not now



=== TEST 29: GW-06 VCP 2.0 to MoQ: not translated
--- send
post('/to-moq', vcp2())
--- refused: vcp translation-unsupported /type



=== TEST 30: VCP-17 an unsigned message is refused
--- send
post('/to-c2a', vcp2(), sign => 0)
--- refused: vcp signature-missing



=== TEST 31: VCP-13 a duplicate is acknowledged, not forwarded again
--- send
$::m = vcp2(); $::id = $::m->{message_id};
[post('/to-c2a', $::m), post('/to-c2a', $::m)]
--- service: took($c, $q)
--- error_code: 200
--- answer
/status = duplicate
/message_id = ${id}



=== TEST 32: AEE-35 VCP 2.0 to agent-channel: the same message gives the same octets
--- send
my $m = post('/to-channel', vcp2());
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



=== TEST 33: VCP-25 SEC-08 VCP 2.0 to AEE: an acknowledgment of another escalation in the answer
--- send
post('/to-aee', alarm_of('critical'))
--- service
$c->answer(200, [], jcs(acked($q->{json}, alarm_of('critical'), 'critical')))
--- refused: vcp upstream-invalid /payload/reason taken
--- forwarded: 1



=== TEST 34: VCP-25 VCP 2.0 to AEE: an acknowledgment with another severity in the answer
--- send
post('/to-aee', alarm_of('critical'))
--- service
$c->answer(200, [], jcs(acked($q->{json}, $q->{json}, 'warning')))
--- refused: vcp upstream-invalid /payload/severity taken
--- forwarded: 1



=== TEST 35: VCP-25 VCP 2.0 to AEE: the acknowledgment of the escalation in the answer
--- send
post('/to-aee', alarm_of('critical'))
--- service
$c->answer(200, [], jcs(acked($q->{json}, $q->{json}, 'critical')))
--- error_code: 200
--- valid
answer vcp2 /reply
--- answer
/reply/payload/severity = critical
/reply/payload/requires_ack = false



=== TEST 36: GW-06 VCP 2.0 to VCP: an escalation, and its acknowledgment
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-vcp', $::m)
--- service: answered($c, $q, 'on it')
--- error_code: 200
--- valid
service vcp
answer vcp2 /reply
--- got
/vcp_message = 1.2
/payload/severity = critical
--- answer
/message_id = ${id}
/reply/vcp_message = 2.0
/reply/payload/reason = ACK:${id} on it



=== TEST 37: VCP-30 GW-07 VCP 2.0 to VCP: another answer of a parent to its child is lost
--- send
$::m = alarm_of('critical'); $::id = $::m->{message_id};
post('/to-vcp', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- answer
/status = accepted
/message_id = ${id}



=== TEST 38: GW-10 VCP 2.0 to VCP: the refusal of the service
--- send
$::m = vcp2(); $::id = $::m->{message_id};
post('/to-vcp', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- answer
/status = rejected
/message_id = ${id}
/message = not now



=== TEST 39: GW-06 VCP to VCP 2.0: an escalation, and its acknowledgment
--- send
$::m = escalation(severity => 'critical', requires_ack => true());
$::id = $::m->{message_id};
post('/to-vcp2', $::m)
--- service: answered($c, $q, 'on it')
--- error_code: 200
--- valid
service vcp2
answer vcp /reply
--- got
/vcp_message = 2.0
/message_id = ${id}
--- answer
/message_id = ${id}
/reply/vcp_message = 1.2
/reply/payload/reason = ACK:${id} on it



=== TEST 40: GW-06 VCP to VCP 2.0: a constraint
--- send
$::m = constraint(); $::id = $::m->{message_id};
post('/to-vcp2', $::m, as => 'lead')
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp2
--- got
/payload/constraints/0/value = 2048
--- answer
/status = accepted
/message_id = ${id}



=== TEST 41: GW-06 VCP to VCP 2.0: an announcement to all
--- send
post('/to-vcp2', announce())
--- service: took($c, $q)
--- error_code: 200
--- valid
service vcp2
--- got
/recipient = broadcast



=== TEST 42: GW-10 VCP to VCP 2.0: a service that is busy
--- send
$::m = vcp(); $::id = $::m->{message_id};
post('/to-vcp2', $::m)
--- service: refused($c, $q, 429, 'rate-limited')
--- error_code: 429
--- answer
/status = rejected
/message_id = ${id}
/code = rate-limited



=== TEST 43: C2A-03 C2A-05 GW-06 VCP 2.0 to C2A: an announcement to one agent is for it
--- send
post('/to-c2a', as_vcp2(with(announce(), recipient => person('bob')->{vcp})))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/conversation/kind = dm
/params/target/directedness = to_me
/params/attention/policy = may_respond
/params/injection/mode = buffered
