# SEC-15: an answer of events ends when the token that opened it expires.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => gateway_http(server =>
      location('/lenient', 'parley_accept aee; parley_jwt on leeway=2s;')
    . location('/endless', 'parley_accept aee; parley_jwt on exp=optional;')
    . location('/c2a', 'parley_accept c2a; parley_speak aee; '
                     . 'parley_jwt on;')
    . location('/signed', 'parley_accept aee; parley_signature required;')));
my $client = Parley::Client->new(port => port(1));


# Opens a stream of events, one every 100 ms for 6 s, with a token that expires
# in that many seconds, at a whole second.  Returns the connection.
sub open_stream {
    my ($seconds, $m, $uri, @o) = @_;

    $service->script(<<'EOT');
        $c->events;
        for my $n (1 .. 60) {
            $c->out('data: ' . jcs(aee(type => 'stream', from => $q->{json}{to},
                to => $q->{json}{from}, corr => $q->{json}{corr},
                payload => { n => $n })) . "\n\n");
            $c->pause(0.1);
        }
        $c->out('data: ' . jcs(result($q->{json})) . "\n\n");
EOT
    $service->clear;

    my $connection = $client->connect;

    # near the end of a second the expiry would be a second later
    sleep 1.05 - (time - int time) if time - int time > 0.7;

    my $exp = int(time) + $seconds;

    $connection->write(post($uri // '/aee', $m,
                            token => bearer('alice', exp => $exp), @o));

    return ($connection, $exp);
}


sub events {
    return map { /^event: error\n/m ? { error => 1, %{ from_json($_ =~ s/.*^data: //msr) } }
                                    : from_json(s/.*^data: //msr) }
           grep { /^data: /m } split /\n\n/, $_[0]{body};
}


subtest 'GW-12 SEC-15 the last event says that the token has expired' => sub {
    my $m = aee();
    my ($connection, $exp) = open_stream(2, $m);
    my $answer = $connection->answer;
    my $at = time;
    my @e = events($answer);

    cmp_ok($at, '>=', $exp, 'not before');
    cmp_ok($at, '<', $exp + 1, 'and not much later');
    is($answer->{status}, 200);
    ok($answer->{complete}, 'a whole response');
    is($e[0]{payload}{n}, 1, 'what came before arrives');
    ok($e[-1]{error}, 'named error');
    is($e[-1]{type}, 'error');
    is($e[-1]{payload}{code}, 'E_TOKEN_EXPIRED');
    ok($e[-1]{payload}{retryable}, 'with a new token');
    is($e[-1]{reply_to}, $m->{id});
    is($e[-1]{corr}, $m->{corr});
    is($e[-1]{to}, 'agent.alice');

    $service->script(undef);
    is($client->raw(post('/aee', $m))->{status}, 202,
       'the message may come again');
};


subtest 'SEC-15 in the form of another protocol' => sub {
    my $m = { jsonrpc => '2.0', id => 5, method => 'chat/deliver', params => {
              eventId => uuid4(), conversation => { id => uuid4(),
                                                    kind => 'dm' },
              author => { id => 'alice', kind => 'agent' },
              target => { recipient => 'agent:helper', directedness => 'to_me' },
              content => [{ type => 'text', text => 'x' }],
              timing => { createdAt => timestamp() },
              attention => { policy => 'must_respond', priority => 'normal' },
              injection => { mode => 'buffered' },
              reliability => { idempotencyKey => 'k-1' } } };
    my ($connection) = open_stream(1, $m, '/c2a');
    my $answer = $connection->answer;
    my @e = events($answer);

    is($e[-1]{id}, 5);
    is($e[-1]{error}{code}, -31401);
    is($e[-1]{error}{data}{code}, 'token-expired');
};


subtest 'SEC-15 the leeway counts' => sub {
    my ($connection, $exp) = open_stream(1, aee(), '/lenient');
    my $answer = $connection->answer;

    cmp_ok(time, '>=', $exp + 2);
    cmp_ok(time, '<', $exp + 3);
    is((events($answer))[-1]{payload}{code}, 'E_TOKEN_EXPIRED');
};


subtest 'SEC-15 a client that does not read does not delay the end' => sub {
    my ($connection) = open_stream(1, aee());

    $service->script(<<'EOT');
        $c->events;
        my $event = 'data: ' . jcs(aee(type => 'stream', from => 'agent.bob',
            to => 'agent.alice', corr => $q->{json}{corr},
            payload => { text => 'x' x 900 })) . "\n\n";
        $c->out($event) for 1 .. 100_000;
EOT
    $connection->leave;

    my $exp = int(time) + 2;

    $connection = $client->connect;
    $connection->write(post('/aee', aee(), token => bearer('alice',
                                                           exp => $exp)));
    ok($connection->expect(qr/^data: /m));
    sleep 3;

    # octets on the way arrive, then the end; the gateway stops reading the
    # service
    my $octets = $connection->{buffer};

    while ($connection->{socket}->sysread(my $some, 65536)) {
        $octets .= $some;
        last if length $octets > 40_000_000;
    }

    cmp_ok(length $octets, '<', 20_000_000);
    like($octets, qr/E_TOKEN_EXPIRED.*\r\n0\r\n\r\n\z/s);
};


subtest 'SEC-15 a stream that ends before is complete' => sub {
    $service->script('$c->events; $c->pause(0.3); $c->out("data: " . '
                   . 'jcs(result($q->{json})) . "\n\n")');

    my @e = events($client->raw(post('/aee', aee(),
        token => bearer('alice', exp => int(time) + 2))));

    is(scalar @e, 1);
    is($e[0]{type}, 'result');
};


subtest 'SEC-15 a VCP caller whose service has sent no event yet' => sub {
    $service->script('$c->events; $c->pause(4); $c->out("data: x\n\n")');

    my $answer = $client->raw(post('/to-aee',
        escalation(severity => 'critical', requires_ack => true),
        token => bearer('alice', exp => int(time) + 2)));

    is($answer->{status}, 401);
    is($answer->{json}{code}, 'token-expired');
    like($answer->{headers}{'www-authenticate'}, qr/invalid_token/);
};


subtest 'SEC-15 a token without an end, and no token, cause no end' => sub {
    my $script = '$c->events; $c->pause(1.2); $c->out("data: " . '
               . 'jcs(result($q->{json})) . "\n\n")';

    $service->script($script);

    is((events($client->raw(post('/endless', aee(),
           token => bearer('alice', exp => undef)))))[0]{type}, 'result');
    is((events($client->raw(post('/signed', aee(), token => 0, sign => 1))))
       [0]{type}, 'result');
};


subtest 'SEC-15 a complete answer is not affected' => sub {
    $service->script('$c->pause(3.2); $c->answer(200, [], '
                   . 'jcs(result($q->{json})))');

    is($client->raw(post('/aee', aee(), token => bearer('alice',
           exp => int(time) + 2)))->{json}{type}, 'result',
       'the message was sent in time');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
