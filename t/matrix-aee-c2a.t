# AEE callers and a C2A service: the service's request, and the caller's
# answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: C2A-03 C2A-05 GW-06 AEE to C2A: a task is an event that must be answered
--- send
$::m = aee(requires => { timeout_ms => 20000, evidence => JSON::PP::true });
($::id, $::ts, $::corr) = @{$::m}{qw(id ts corr)};
post('/to-c2a', $::m)
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
answer aee
--- got
/jsonrpc = 2.0
/id = ${id}
/method = chat/deliver
/params/eventId = ${id}
/params/source/platform = aee
/params/author = {"id":"alice","kind":"agent"}
/params/target = {"directedness":"to_me","recipient":"agent:bob"}
/params/conversation = {"id":"${corr}","kind":"dm"}
/params/timing/createdAt = ${ts}
/params/attention/policy = must_respond
/params/attention/priority = normal
/params/attention/deadlineMs = 20000
/params/injection/mode = buffered
/params/reliability/idempotencyKey = ${id}:agent:bob
/params/content/0 = {"text":"do it","type":"text"}
/params/content/1/mediaType = application/vnd.aee+json
/params/content/1/form = task
/params/content/1/data = {"text":"do it"}
/params/content/1/members/intent = ops.backup.run
/params/content/1/members/requires/evidence = true
/params/content/1/reference/id = ${id}
/params/content/1/reference/type = aee.message
--- answer
/type = stream
/payload/status = accepted
/corr = ${corr}
/to = agent.alice
--- answer_headers
! Parley-Loss
--- got_headers
Content-Type: application/json



=== TEST 2: C2A-03 C2A-05 GW-06 AEE to C2A: an urgent task is injected at once
--- send
post('/to-c2a', aee(priority => 'urgent'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/attention/policy = must_respond
/params/attention/priority = urgent
/params/injection/mode = immediate



=== TEST 3: C2A-03 C2A-05 GW-06 AEE to C2A: a task to a bus keeps its content
--- send
post('/to-c2a', aee(to => 'bus.ops', payload => { text => 'who can?' }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/conversation/id = ops
/params/conversation/kind = channel
/params/target/directedness = to_my_role
/params/attention/policy = may_respond
/params/injection/mode = buffered
/params/content/0/text = who can?
/params/content/1/data = {"text":"who can?"}
! /params/knock
--- answer_headers
! Parley-Loss



=== TEST 4: C2A-03 C2A-05 GW-06 AEE to C2A: an event goes to the mailbox
--- send
post('/to-c2a', aee(type => 'event', to => 'bus.ops'))
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service c2a
--- got
/params/conversation/kind = channel
/params/target/directedness = ambient
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox
--- answer_headers
! Parley-Loss



=== TEST 5: C2A-03 C2A-05 GW-06 AEE to C2A: a stream is progress, for the digest
--- send
post('/to-c2a', aee(type => 'stream', payload => { text => 'half' }))
--- service: took($c, $q)
--- error_code: 202
--- response_body
--- valid
service c2a
--- got
/params/conversation/kind = system
/params/attention/policy = must_not_respond
/params/injection/mode = digest
/params/content/1/form = stream



=== TEST 6: GW-07 AEE to C2A: the answer in the response is a result
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: answered($c, $q, 'it is not blocked')
--- error_code: 200
--- valid
service c2a
answer aee
--- answer
/type = result
/from = agent.bob
/to = agent.alice
/corr = ${corr}
/reply_to = ${id}
/intent = ops.backup.run
/payload/c2a/form = c2a.chat.send_message
/payload/text = it is not blocked
/sig/kid = gateway-1



=== TEST 7: GW-07 AEE to C2A: a reaction "declined" is an error
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: failed($c, $q)
--- error_code: 200
--- valid
answer aee
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_BLOCKED
/payload/message = it broke
/payload/retryable = true



=== TEST 8: GW-10 AEE to C2A: the service's refusal is an error envelope
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: refused($c, $q)
--- error_code: 403
--- valid
answer aee
--- answer
/type = error
/corr = ${corr}
/reply_to = ${id}
/payload/code = E_POLICY_REFUSED
/payload/message = not now



=== TEST 9: GW-10 AEE to C2A: a JSON-RPC error with status 200 is a failure
--- send
post('/to-c2a', aee())
--- service: refused($c, $q, 200)
--- error_code: 403
--- valid
answer aee
--- answer
/type = error
/payload/code = E_POLICY_REFUSED



=== TEST 10: AEE-34 AEE to C2A: a response to another call is refused
--- send
post('/to-c2a', aee())
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => 'other',
                          result => { accepted => true() } }))
--- refused: aee upstream-invalid /id taken
--- forwarded: 1



=== TEST 11: GW-10 AEE to C2A: an answer that is not a response is refused
--- send
post('/to-c2a', aee())
--- service: $c->answer(200, [], '{"ok":true}')
--- refused: aee upstream-invalid /jsonrpc taken
--- forwarded: 1



=== TEST 12: C2A-24 GW-07 AEE to C2A: events and the answer are forwarded as they come
--- send
$::m = aee();
($::id, $::corr) = @{$::m}{qw(id corr)};
post('/to-c2a', $::m)
--- service: events($c, $q)
--- error_code: 200
--- events
/0/v = 1
/0/type = stream
/0/to = agent.alice
/0/corr = ${corr}
/0/intent = ops.backup.run
/0/payload/c2a/form = c2a.notifications.progress
/1/type = result
/1/reply_to = ${id}
/1/corr = ${corr}
/1/payload/text = it is done
! /2
--- answer_headers
Content-Type ~ ^text/event-stream



=== TEST 13: GW-06 AEE to C2A: a name without an equivalent in C2A is refused
--- send
post('/to-c2a', aee(to => 'Agent X!'))
--- refused: aee identity-unmappable /to



=== TEST 14: GW-06 AEE to C2A: an unknown member is in the data part
--- send
post('/to-c2a', aee(x_tenant => 'a'))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/content/1/members/x_tenant = a
--- answer_headers
! Parley-Loss



=== TEST 15: AEE-35 AEE to C2A: the same message gives the same octets
--- send
my $m = post('/to-c2a', aee());
service()->script('$c->answer(500)');
Parley::Client->new(port => port(1))->raw($m);
$::first = service()->last->{body};
service()->script('took($c, $q)');
$m
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- got_body
${first}



=== TEST 16: GW-06 AEE to C2A: a C2A call in an AEE message becomes that call
--- send
post('/to-c2a', aee(type => 'stream', intent => 'c2a.chat.react',
     priority => 'low', payload => { inReplyTo => 'evt_12345678',
     signal => 'working', references => [{ id => 'call-1-abcd',
     type => 'c2a.message', hash => 'sha256:' . '0' x 64,
     locator => 'parley:c2a:call-1-abcd' }], c2a => { id => 9 } }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/method = tools/call
/id = 9
/params/name = chat.react
/params/arguments/signal = working
