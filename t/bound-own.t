# SEC-08: a question that was forwarded in another protocol is bound to its
# answer in its sender's protocol too.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: SEC-08 a task forwarded in another protocol has one answer in its own
--- send
my $m = aee();

[post('/to-c2a', $m),
 map { post('/to-aee', result($m, payload => { n => $_ }), as => 'bob') } 1, 2]
--- service: took($c, $q)
--- refused: aee reply-unmatched /reply_to
--- forwarded: 2



=== TEST 2: SEC-08 a principal that was not asked cannot answer such a task
--- send
my $m = aee();

[post('/to-c2a', $m),
 post('/to-aee', result($m, from => 'agent.lead'), as => 'lead')]
--- service: took($c, $q)
--- refused: aee reply-unmatched
--- forwarded: 1



=== TEST 3: SEC-08 a task answered in its own protocol cannot be answered in the other
--- send
my $m = query();

my $answer = sub {
    my ($uri, $to) = @_;

    return post($uri, frame('agent_response',
        { query_id => $m->{payload}{query_id}, response_text => 'I have',
          responder_session_id => 's' },
        sender_handle => '~cc-bob', recipient_handle => $to,
        drafted_with => '~cc-bob@1.0'), as => 'bob');
};

[post('/to-aee', $m),
 map { $answer->('/to-channel', '~cc-alice') } 1, 2]
--- service: took($c, $q)
--- refused: channel reply-unmatched /payload/query_id
--- forwarded: 2



=== TEST 4: SEC-08 a principal that was not asked cannot answer such a query
--- send
my $m = query();

[post('/to-aee', $m),
 post('/to-channel', frame('agent_response',
    { query_id => $m->{payload}{query_id}, response_text => 'I have',
      responder_session_id => 's' }, sender_handle => '~lead',
    recipient_handle => '~cc-alice', drafted_with => '~cc-lead@1.0'),
    as => 'lead')]
--- service: took($c, $q)
--- refused: channel reply-unmatched /payload/query_id
--- forwarded: 1



=== TEST 5: SEC-08 a task answered in the other protocol cannot be answered in its own
--- send
my $m = aee();

[post('/to-c2a', $m), post('/to-aee', result($m), as => 'bob')]
--- service
my $m = $q->{json};
$m->{v} ? took($c, $q)
: $c->answer(200, [], jcs({ jsonrpc => '2.0', id => $m->{id}, result => {
    accepted => true, disposition => 'responded', message => {
        target => { id => 'x', kind => 'thread' }, idempotencyKey => uuid4(),
        visibility => 'thread', directedness => 'to_me', text => 'done',
        inReplyTo => $m->{params}{eventId} } } }))
--- refused: aee reply-unmatched /reply_to
--- forwarded: 1
