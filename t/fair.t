# The messages of one principal do not affect another's: knowledge of an id, a
# correlation or a question gives no power over it.

use lib 't/lib';
use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Test::More;
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my %matrix = matrix();

$matrix{server} .= location('/rules-moq', 'parley_accept aee moq; '
                          . 'parley_speak moq; parley_jwt on; '
                          . 'parley_deny intent=ops.secret.**; '
                          . 'parley_allow principal=**;');
$matrix{server} .= location('/told', 'parley_accept aee; parley_speak aee; '
                          . 'parley_jwt on audience=agents; '
                          . 'add_header X-Principal "[$parley_principal]" '
                          . 'always;');
$matrix{http} .= '    parley_retain count=100 time=1h; parley_replay '
               . "size=64k time=30m;\n";

spew(tmp_dir() . '/identities.json', jcs({ principals => [
    Parley::Matrix::principals(),
    { sub => 'mallory', aee => 'agent.mallory', c2a => 'agent:mallory',
      vcp => 'agent://evil.example/mallory', handle => '~cc-mallory',
      instrument => '~cc-mallory@1', parent => 'lead' }] }));

with_gateway(%matrix);


# Returns alice's query, sent by mallory too, n times.
sub queries {
    my ($q, $n) = @_;

    return map { post('/to-channel',
                      query(payload => $q->{payload},
                            sender_handle => '~cc-mallory',
                            drafted_with => '~cc-mallory@1'),
                      as => 'mallory') } 1 .. $n;
}


# Returns bob's answer to a query.
sub answer {
    my ($uri, $id, $to) = @_;

    return post($uri, frame('agent_response',
                            { query_id => $id, responder_session_id => 's-2',
                              response_text => 'I do' },
                            sender_handle => '~cc-bob',
                            recipient_handle => $to,
                            drafted_with => '~cc-bob@2'), as => 'bob');
}


# Returns another sender's task with the same id, correlation and recipient.
sub copied {
    my ($m, %other) = @_;

    return post('/to-c2a', { %$m, from => 'agent.mallory', ts => timestamp(),
                             %other }, as => 'mallory');
}


# Returns bob's reaction to an event that he got, without a recipient.
sub said { return post('/to-aee', react('done', inReplyTo => $_[0]), as => 'bob') }

run_tests();

__DATA__

=== TEST 1: SEC-11 queries of another principal with the same id do not affect a query
--- send
my $q = query();
[post('/to-channel', $q), queries($q, 20),
 answer('/to-channel', $q->{payload}{query_id}, '~cc-alice')]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 22



=== TEST 2: SEC-11 they do not affect a translated query either
--- send
$::m = aee(); ($::id) = @{$::m}{qw(id)};
Parley::Client->new(port => port(1))->raw(post('/to-channel', $::m))
    if service()->script('took($c, $q)');
my $qid = service()->last->{json}{payload}{query_id};
[queries({ payload => { %{query()->{payload}}, query_id => $qid } }, 20),
 answer('/to-aee', $qid, '~cc-alice')]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 22
--- got
/to = agent.alice
/reply_to = ${id}



=== TEST 3: SEC-11 several queries of one principal with one id are answered
--- send
my $q = query();
my $other = query(payload => $q->{payload}, recipient_handle => '~cc-taken');
[post('/to-channel', $q), post('/to-channel', $other),
 answer('/to-channel', $q->{payload}{query_id}, '~cc-alice')]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 3



=== TEST 4: SEC-11 a task of another principal with the same id does not take the answer
--- send
$::m = aee(); $::id = $::m->{id};
[post('/to-c2a', $::m), copied($::m), said($::id)]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 3
--- got
/to = agent.alice
/reply_to = ${id}
/type = result



=== TEST 5: SEC-11 the second of two such tasks still gets its own answer
--- send
$::m = aee(); $::id = $::m->{id};
service()->script('took($c, $q)');
my $client = Parley::Client->new(port => port(1));
$client->raw($_) for post('/to-c2a', $::m), copied($::m, payload => { n => 2 });
my $event = service()->last->{json}{params};
$::other = $event->{eventId};
isnt($::other, $::id, 'it has an id of its own');
is($event->{content}[1]{reference}{id}, $::id, 'and refers to its own');
said($::other)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 3
--- got
/to = agent.mallory
/reply_to = ${id}



=== TEST 6: SEC-11 a late answer does not go to a principal that asked later
--- send
$::m = aee(requires => { timeout_ms => 1000 }); $::id = $::m->{id};
service()->script('took($c, $q)');
my $client = Parley::Client->new(port => port(1));
$client->raw($_) for post('/to-c2a', $::m), copied($::m, requires => undef);
sleep 2;
said($::id)
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/arguments/inReplyTo
--- forwarded: 2



=== TEST 7: SEC-11 a message after the answer does not go to that principal either
--- send
$::m = aee(); $::id = $::m->{id};
service()->script('took($c, $q)');
my $client = Parley::Client->new(port => port(1));
$client->raw($_) for post('/to-c2a', $::m), said($::id), copied($::m);
said($::id)
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/arguments/inReplyTo
--- forwarded: 3



=== TEST 8: SEC-11 an event whose id was C2A's own affects no other message
--- send
$::m = aee(); $::id = $::m->{id};
[post('/to-c2a', $::m),
 post('/to-c2a', deliver(eventId => $::id,
                         author => { id => 'mallory', kind => 'agent' }),
      as => 'mallory'),
 said($::id)]
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 3
--- got
/to = agent.alice
/reply_to = ${id}



=== TEST 9: SEC-11 answers with ids that a service chose hide no message with that id
--- send
$::m = aee(); $::id = $::m->{id};
my $client = Parley::Client->new(port => port(1));
service()->script('took($c, $q)');
$client->raw(post('/to-aee', $::m));
service()->script("\$c->answer(200, [], jcs(result(\$q->{json}, id => '$::id')))");
$client->raw(post('/to-aee', aee(from => 'agent.mallory', to => "agent.r$_"),
                  as => 'mallory')) for 1 .. 70;
post('/to-aee', aee(from => 'agent.bob', to => 'service.parley',
                    intent => 'aee.context.fetch', payload => { id => $::id }),
     as => 'bob')
--- error_code: 200
--- forwarded: 71
--- answer
/payload/id = ${id}
/payload/envelope/from = agent.alice



=== TEST 10: GW-04 the prefix of a command in other case avoids no rule
--- send
[map { post('/rules-moq', aee(intent => $_)) }
 qw(MOQ.cmd.ops.secret.x moq.CMD.ops.secret.x Moq.Cmd.OPS.Secret.x)]
--- service: took($c, $q)
--- refused: aee policy-refused
--- forwarded: 0



=== TEST 11: GW-02 a token of another audience proves nothing
--- send
post('/told', aee(), token => bearer('alice', aud => 'others'))
--- service: took($c, $q)
--- refused: aee token-invalid
--- forwarded: 0
--- answer_headers
X-Principal: []



=== TEST 12: GW-02 an expired token proves nothing
--- send
post('/told', aee(), token => bearer('alice', aud => 'agents',
                                     exp => time - 3600))
--- service: took($c, $q)
--- refused: aee token-expired
--- forwarded: 0
--- answer_headers
X-Principal: []
