# C2A callers and services: JSON-RPC as in MCP, requests to the gateway itself,
# the effect of a reaction, the place of an answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my $all = 'parley_accept vcp c2a aee channel; parley_jwt on;';

with_gateway(matrix(add =>
    location('/c2a', 'parley_accept c2a; parley_jwt on;')
    . location('/ruled', "$all parley_speak aee; "
                       . 'parley_allow intent=c2a.chat.react;')
    . location('/ruled-c2a', 'parley_accept c2a; parley_jwt on; '
                           . 'parley_allow intent=c2a.resources.list; '
                           . 'parley_allow intent=c2a.grep;')
    . location('/scoped', "$all parley_speak aee; "
                        . 'parley_allow scope=root intent=c2a.chat.**;')));

sub main::rpc {
    my ($method, $params, %o) = @_;

    return { jsonrpc => '2.0', id => 9, method => $method,
             ($params ? (params => $params) : ()), %o };
}


sub main::as_mcp { (headers => ['MCP-Protocol-Version' => '2025-11-25']) }

run_tests();

__DATA__

=== TEST 1: MCP-02 GET is refused where an AEE service has no stream
--- send
Parley::Client->new->request('GET', '/to-aee', undef,
                             Authorization => bearer('alice'))
--- refused: problem method-not-allowed
--- answer_headers
Allow: POST
--- error_log eval
qr/\[info\] .*parley: refused, method-not-allowed: /
--- no_error_log eval
qr/\[warn\] .*parley: refused/



=== TEST 2: MCP-02 DELETE is refused: there is no session
--- send
Parley::Client->new->request('DELETE', '/to-aee', undef,
                             Authorization => bearer('alice'))
--- refused: problem method-not-allowed
--- answer_headers
Allow: POST
--- error_log eval
qr/\[warn\] .*parley: refused, method-not-allowed: /



=== TEST 3: MCP-01 C2A-01 the gateway answers initialize for an AEE service
--- send
post('/to-aee', rpc('initialize', { protocolVersion => '2025-06-18',
                                    capabilities => {},
                                    clientInfo => { name => 'x' } }))
--- error_code: 200
--- forwarded: 0
--- answer
/id = 9
/result/protocolVersion = 2025-06-18
/result/capabilities/tools exists
/result/serverInfo/name = parley
--- answer_headers
! Mcp-Session-Id



=== TEST 4: MCP-01 initialize needs a proven caller
--- send
post('/to-aee', rpc('initialize', { protocolVersion => '2025-06-18' }),
     token => 0, as_mcp())
--- error_code: 401
--- forwarded: 0
--- answer_headers
WWW-Authenticate ~ ^Bearer



=== TEST 5: MCP-01 initialize needs no rule, and tools/list has only the tools that rules allow
--- send
[post('/ruled', rpc('initialize', { protocolVersion => '2025-06-18' })),
 post('/ruled', { jsonrpc => '2.0', method => 'notifications/initialized' }),
 post('/ruled', rpc('ping')), post('/ruled', rpc('tools/list'))]
--- each: ^20[02]$
--- forwarded: 0
--- answer
/result/tools/0/name = chat_react
! /result/tools/1



=== TEST 6: MCP-01 every other method needs a rule, even an unknown one
--- send
post('/ruled', rpc('resources/list'))
--- refused: c2a intent-refused /method



=== TEST 7: MCP-01 C2A-28 with a rule an unknown method is refused as unknown
--- send
post('/to-aee', rpc('resources/list'))
--- error_code: 400
--- forwarded: 0
--- answer
/id = 9
/error/code = -32601
/error/data/code = kind-unknown
/error/data/field = /method



=== TEST 8: MCP-01 C2A-28 with a rule an unknown tool is refused as unknown
--- send
post('/to-vcp', call('grep'))
--- error_code: 400
--- forwarded: 0
--- answer
/error/code = -32602
/error/data/field = /params/name



=== TEST 9: MCP-01 a C2A service gets all methods, octet for octet
--- send
[map { post('/c2a', $_) }
     rpc('initialize', { protocolVersion => '2031-01-01' }), rpc('ping'),
     rpc('tools/list'), rpc('server/discover'), rpc('resources/list'),
     call('grep', x => 1),
     { jsonrpc => '2.0', method => 'notifications/roots/list_changed' }]
--- service: exists $q->{json}{id} ? took($c, $q) : $c->answer(202)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 7
--- got_same



=== TEST 10: MCP-01 rules see each method as an intent
--- send
[post('/ruled-c2a', rpc('resources/list')), post('/ruled-c2a', call('grep')),
 post('/ruled-c2a', rpc('ping')), post('/ruled-c2a', rpc('tools/list'))]
--- service: took($c, $q)
--- refused: c2a intent-refused /method
--- forwarded: 3



=== TEST 11: MCP-01 both spellings of a tool are the same intent
--- send
[post('/ruled', call('chat_list_events')),
 post('/ruled', call('chat.list_events'))]
--- each: ^403$
--- refused: c2a intent-refused /params/name



=== TEST 12: MCP-01 a client's response is accepted and dropped
--- send
[map { post($_, { jsonrpc => '2.0', id => 3,
                  error => { code => -32601, message => 'no' } }) }
     qw(/to-aee /c2a /ruled)]
--- error_code: 202
--- each: ^202$
--- forwarded: 0



=== TEST 13: MCP-01 a refused tool call is a result that a model can read
--- send
post('/ruled', call('chat.list_events'), as_mcp())
--- error_code: 200
--- forwarded: 0
--- answer
/id = 7
/result/isError = true
/result/content/0/text ~ ^intent-refused:
/result/structuredContent/code = intent-refused
/result/structuredContent/field = /params/name



=== TEST 14: MCP-01 another refused request gets a JSON-RPC error
--- send
post('/ruled', rpc('resources/list'), as_mcp())
--- error_code: 200
--- forwarded: 0
--- answer
/error/code = -31403
/error/data/code = intent-refused



=== TEST 15: MCP-01 a missing scope is reported by the status
--- send
post('/scoped', call('chat.list_events'), as_mcp())
--- refused: c2a scope-unauthorised



=== TEST 16: MCP-01 a service's refusal reaches a client of MCP too
--- send
post('/to-aee', say(), as_mcp())
--- service: refused($c, $q, 403)
--- error_code: 200
--- answer
/result/isError = true
/result/content/0/text = policy-refused: not now



=== TEST 17: GW-20 a read-only call, or one without a key, is never a duplicate
--- send
my $m = call('chat.list_events', idempotencyKey => 'k-1');
my $n = call('chat.claim', inReplyTo => 'evt-1', target => 'agent:bob');
[map { post('/c2a', $_) } $m, $m, $n, $n]
--- service: took($c, $q)
--- each: ^200$
--- forwarded: 4



=== TEST 18: GW-18 C2A-12 a repeated call with a key is a duplicate
--- send
my $m = say();
[map { post('/c2a', $_) } $m, $m]
--- service: took($c, $q)
--- each: ^200$
--- answer_like: "accepted":true,"duplicate":true
--- forwarded: 1



=== TEST 19: GW-12 a message may be sent again after a retryable code
--- send
my $m = say();
[map { post('/c2a', $_) } $m, $m]
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => 7, error => {
    code => -31429, message => 'slow down' } }));
--- each: ^200$
--- forwarded: 2



=== TEST 20: GW-12 a retryable code is retryable in every protocol
--- send
post('/to-c2a', aee())
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, error => {
    code => -31503, message => 'full' } }));
--- error_code: 503
--- answer
/type = error
/payload/code = E_CAPACITY
/payload/retryable = true



=== TEST 21: GW-07 a failed tool is a failure, with its own text
--- send
post('/to-c2a', aee())
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, result => {
    isError => true(), content => [{ type => 'text', text => 'no such host' },
                                   { type => 'text', text => 'try b' }] } }));
--- error_code: 200
--- valid
answer aee
--- answer
/type = error
/payload/message ~ (?s)^no such host.try b$
/payload/isError = true



=== TEST 22: GW-07 the result of a tool is a result, with its text
--- send
post('/to-c2a', aee())
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, result => {
    content => [{ type => 'text', text => 'all is well' }],
    structuredContent => { load => 1 } } }));
--- error_code: 200
--- valid
answer aee
--- answer
/type = result
/payload/structuredContent/load = 1



=== TEST 23: C2A-15 SEC-06 "agree" by an agent does not give a human's approval
--- send
my $m = aee(from => 'agent.bob', to => 'agent.alice',
            requires => { human_approval => true() });
($::id, $::corr) = @$m{qw(id corr)};
[post('/to-c2a', $m, as => 'bob'),
 post('/to-aee', react('agree', inReplyTo => $m->{id}))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service aee
--- got
/type = stream
/to = agent.bob
/corr = ${corr}
! /payload/approved
/payload/signal = agree
--- answer_headers
Parley-Loss: request=/params/arguments/signal



=== TEST 24: C2A-15 "agree" to another message is progress, and ends no approval
--- send
my $m = aee(from => 'agent.bob', to => 'agent.alice',
            requires => { human_approval => false() });
[post('/to-c2a', $m, as => 'bob'),
 post('/to-aee', react('agree', inReplyTo => $m->{id}))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- got
/type = stream
! /payload/approved



=== TEST 25: C2A-15 another signal ends no approval
--- send
my $m = aee(from => 'agent.bob', to => 'agent.alice',
            requires => { human_approval => true() });
[post('/to-c2a', $m, as => 'bob'),
 map { post('/to-aee', react($_, inReplyTo => $m->{id})) }
     qw(seen queued claimed unclear working)]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 6
--- got
/type = stream
! /payload/approved



=== TEST 26: C2A-15 VCP-25 "agree" in the response acknowledges an escalation
--- send
$::m = escalation(requires_ack => true());
$::id = $::m->{message_id};
post('/to-c2a', $::m)
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, result => {
    accepted => true(), disposition => 'acknowledged', message => {
        inReplyTo => $q->{json}{params}{eventId}, signal => 'agree' } } }));
--- error_code: 200
--- answer
/status = accepted
/reply/payload/reason ~ ^ACK:${id}



=== TEST 27: VCP-25 C2A-15 "agree" to an escalation is its acknowledgment
--- send
my $m = escalation(requires_ack => true());
$::id = $m->{message_id};
[post('/to-c2a', $m), post('/to-vcp', react('agree', inReplyTo => $::id),
                           as => 'lead')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service vcp
--- got
/type = escalation
/payload/reason ~ ^ACK:${id}



=== TEST 28: GW-07 a later answer is in the conversation of its question
--- send
my $m = deliver(conversation => { id => 'C-ops-0009', kind => 'dm',
                                  threadId => 'thread-0009' });
$::id = $m->{params}{eventId};
[post('/to-aee', $m),
 post('/to-c2a', result({ id => $::id, from => 'agent.alice',
                          to => 'agent.bob', intent => 'c2a.chat.deliver',
                          corr => 'C-ops-0009/thread-0009' },
                        from => 'agent.bob', to => 'agent.alice',
                        reply_to => derived_id('c2a', 'alice', $::id),
                        payload => { text => 'no' }), as => 'bob')]
--- service: took($c, $q)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- valid
service c2a
--- got
/method = chat/deliver
/params/conversation = {"id":"C-ops-0009","kind":"dm","threadId":"thread-0009"}
/params/inReplyTo = ${id}
/params/target/directedness = to_me



=== TEST 29: C2A-24 later progress is a notification
--- send
my $m = deliver(_meta => { progressToken => 41 });
my $id = derived_id('c2a', 'alice', $m->{params}{eventId});
[post('/to-aee', $m),
 post('/to-c2a', aee(type => 'stream', from => 'agent.bob',
                     to => 'agent.alice', reply_to => $id,
                     corr => 'C-ops-1234', intent => 'c2a.chat.deliver',
                     payload => { progress => 3, total => 4,
                                  text => 'nearly' }), as => 'bob')]
--- service: exists $q->{json}{id} ? took($c, $q) : $c->answer(202)
--- error_code: 202
--- each: ^20[02]$
--- forwarded: 2
--- valid
service c2a
--- got
/method = notifications/progress
/params = {"message":"nearly","progress":3,"progressToken":41,"total":4}
! /id



=== TEST 30: C2A-24 later progress goes only to the asker
--- send
my $m = say(target => 'agent:bob');
my $id = derived_id('c2a', 'alice', $m->{params}{arguments}{idempotencyKey});
[post('/to-aee', $m),
 post('/to-c2a', aee(type => 'stream', from => 'agent.bob',
                     to => 'agent.alice', reply_to => $id, corr => $id,
                     payload => { text => 'nearly' }), as => 'bob')]
--- service: took($c, $q)
--- refused: aee translation-unsupported /type
--- forwarded: 1



=== TEST 31: C2A-05 a lock is described in a sentence
--- send
submit('/to-c2a', '~cc-bob/*',
       frame('agent_lock_request', { resource => 'src/parser.c',
                                     lease_id => uuid4(),
                                     ttl_ms => 60000 }))
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/content/0/text = locks src/parser.c for 60 s
/params/conversation/kind = system
/params/target/directedness = to_me
/params/attention/policy = must_not_respond
/params/injection/mode = tool_mailbox



=== TEST 32: GW-03 an eventId that two principals use is two ids in AEE
--- send
my $id = 'evt-of-both-1';
my $bob = deliver(eventId => $id, author => { kind => 'agent', id => 'bob' });
$::id = derived_id('c2a', 'bob', $id);
[post('/to-aee', deliver(eventId => $id)), post('/to-aee', $bob, as => 'bob')]
--- service: took($c, $q)
--- each: ^200$
--- forwarded: 2
--- got
/id = ${id}
/payload/references/0/id = evt-of-both-1



=== TEST 33: GW-03 the first of them has the id of its own principal
--- send
$::id = derived_id('c2a', 'alice', 'evt-of-both-1');
post('/to-aee', deliver(eventId => 'evt-of-both-1'))
--- service: took($c, $q)
--- got
/id = ${id}



=== TEST 34: GW-03 an eventId that is a UUID is the id in AEE
--- send
$::id = uuid4();
post('/to-aee', deliver(eventId => $::id))
--- service: took($c, $q)
--- got
/id = ${id}



=== TEST 35: GW-03 an id that another principal takes first hides no event
--- send
my $id = 'evt-guessed-1';
$::id = derived_id('c2a', 'alice', $id);
[post('/to-aee', deliver(eventId => $::id,
                         author => { kind => 'agent', id => 'bob' }),
      as => 'bob'),
 post('/to-aee', aee(id => $::id, type => 'event', from => 'agent.bob',
                     to => 'agent.lead'), as => 'bob'),
 post('/to-aee', deliver(eventId => $id))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 3
--- got
/id = ${id}
/from = agent.alice
/payload/references/0/id = evt-guessed-1



=== TEST 36: GW-03 nor does the event hide what has its id in AEE
--- send
my $id = 'evt-guessed-2';
$::id = derived_id('c2a', 'alice', $id);
[post('/to-aee', deliver(eventId => $id)),
 post('/to-aee', aee(id => $::id, type => 'event', from => 'agent.bob',
                     to => 'agent.lead'), as => 'bob')]
--- service: took($c, $q)
--- each: ^20[02]$
--- error_code: 202
--- forwarded: 2
--- got
/id = ${id}
/from = agent.bob
