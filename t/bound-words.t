# SEC-08: an answer in the caller's protocol, which the service does not speak,
# belongs to the message that it answers.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: SEC-08 an agent-channel answer must name the query
--- service
$c->answer(200, [], jcs(result($q->{json}, intent => 'channel.agent_response',
    payload => { query_id => uuid4(), responder_session_id => 's-2',
                 response_text => 'I have' })))
--- send
post('/to-aee', query())
--- refused: channel upstream-invalid
--- forwarded: 1



=== TEST 2: SEC-08 an agent-channel answer that names the query passes
--- service
$c->answer(200, [], jcs(result($q->{json}, intent => 'channel.agent_response',
    payload => { query_id => $q->{json}{payload}{query_id},
                 responder_session_id => 's-2', response_text => 'I have' })))
--- send
post('/to-aee', query())
--- error_code: 200
--- forwarded: 1



=== TEST 3: SEC-08 a C2A answer must name the event
--- service
my $id = uuid4();
$c->answer(200, [], jcs(result($q->{json}, intent => 'c2a.chat.send_message',
    payload => { target => { id => 'C-ops-1234', kind => 'thread' },
                 idempotencyKey => 'k', visibility => 'thread',
                 directedness => 'to_me', text => 'no',
                 inReplyTo => 'evt-other',
                 c2a => {}, references => [{ id => $id, type => 'c2a.message',
                                             locator => "parley:c2a:$id" }] })))
--- send
post('/to-aee', deliver())
--- refused: c2a upstream-invalid
--- forwarded: 1



=== TEST 4: SEC-08 a MoQ answer must name the command
--- service
my $id = uuid4();
$c->answer(200, [], jcs(result($q->{json}, intent => 'moq.cmd.ops.run',
    payload => { text => 'done', in_reply_to => uuid4(),
                 moq => { status => 'approved' },
                 references => [{ id => $id, type => 'moq.message',
                                  locator => "parley:moq:$id" }] })))
--- send
post('/to-aee?recipient=bob', command('ops.run'))
--- refused: moq upstream-invalid
--- forwarded: 1



=== TEST 5: SEC-08 a C2A answer must be in the conversation of the event
--- service
my $id = uuid4();
$c->answer(200, [], jcs(result($q->{json}, intent => 'c2a.chat.send_message',
    payload => { target => { id => 'C-other-99', kind => 'thread' },
                 idempotencyKey => 'k', visibility => 'thread',
                 directedness => 'to_me', text => 'no',
                 inReplyTo => $q->{json}{payload}{references}[0]{id},
                 c2a => {}, references => [{ id => $id, type => 'c2a.message',
                                             locator => "parley:c2a:$id" }] })))
--- send
post('/to-aee', deliver(conversation => { id => 'C-ops-1234', kind => 'thread' }))
--- refused: c2a upstream-invalid
--- forwarded: 1



=== TEST 6: SEC-08 a C2A answer in the conversation of the event passes
--- service
my $id = uuid4();
$c->answer(200, [], jcs(result($q->{json}, intent => 'c2a.chat.send_message',
    payload => { target => { id => 'C-ops-1234', kind => 'thread' },
                 idempotencyKey => 'k', visibility => 'thread',
                 directedness => 'to_me', text => 'no',
                 inReplyTo => $q->{json}{payload}{references}[0]{id},
                 c2a => {}, references => [{ id => $id, type => 'c2a.message',
                                             locator => "parley:c2a:$id" }] })))
--- send
post('/to-aee', deliver(conversation => { id => 'C-ops-1234', kind => 'thread' }))
--- error_code: 200
--- forwarded: 1



=== TEST 7: SEC-08 a C2A service's answer must be in the conversation too
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    result => { accepted => true, disposition => 'responded',
        message => { target => { id => $::conversation, kind => 'thread' },
                     idempotencyKey => 'k', visibility => 'thread',
                     directedness => 'to_me', text => 'yes' } } }))
--- send
$::conversation = 'corr-another';
post('/to-c2a', aee(corr => 'corr-0001'))
--- error_code: 502
--- answer
/payload/code = E_UPSTREAM_INVALID
--- forwarded: 1



=== TEST 8: SEC-08 the conversation is the question's correlation there
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    result => { accepted => true, disposition => 'responded',
        message => { target => { id => 'corr-0001', kind => 'thread' },
                     idempotencyKey => 'k', visibility => 'thread',
                     directedness => 'to_me', text => 'yes' } } }))
--- send
post('/to-c2a', aee(corr => 'corr-0001'))
--- error_code: 200
--- answer
/payload/text = yes



=== TEST 9: VCP-25 an acknowledgment must name its escalation, also without translation
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => {
    severity => 'critical', reason => 'ACK:019502a4-7e5c-7000-8000-000000000001',
    requires_ack => false })))
--- send
post('/to-aee', aee(to => 'agent.lead', intent => 'vcp.escalation', payload => {
    severity => 'critical', reason => 'it burns', requires_ack => true }))
--- error_code: 502
--- answer
/payload/code = E_UPSTREAM_INVALID
--- forwarded: 1



=== TEST 10: VCP-25 an acknowledgment must have the severity of its escalation
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => {
    severity => 'warning', reason => "ACK:$q->{json}{id}",
    requires_ack => false })))
--- send
post('/to-aee', aee(id => '019502a4-7e5c-7000-8000-000000000002',
    to => 'agent.lead', intent => 'vcp.escalation', payload => {
    severity => 'critical', reason => 'it burns', requires_ack => true }))
--- error_code: 502
--- answer
/payload/code = E_UPSTREAM_INVALID
--- forwarded: 1



=== TEST 11: VCP-25 an acknowledgment with the severity of its escalation passes
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => {
    severity => 'critical', reason => "ACK:$q->{json}{id}",
    requires_ack => false })))
--- send
post('/to-aee', aee(id => '019502a4-7e5c-7000-8000-000000000003',
    to => 'agent.lead', intent => 'vcp.escalation', payload => {
    severity => 'critical', reason => 'it burns', requires_ack => true }))
--- error_code: 200
--- forwarded: 1
