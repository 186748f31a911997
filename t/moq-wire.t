# Connections of MoQ on nginx's QUIC: the choice of the protocol, requests that
# take all phases, limits, and the end of a connection.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;

plan skip_all => moq_lacks() if moq_lacks();

my $dir = tmp_dir();

my $nginx = Parley::Nginx->start(http => moq_http(
    moq => 'lag=64k', zone => 'agents:16m',
    more => "parley_retain count=100 time=1h; "
            . "access_log $dir/access.log; "
            . 'log_format hosts "$host $http_host"; '
            . "access_log $dir/hosts.log hosts; "
            . 'limit_req_zone $server_name zone=slow:1m rate=1r/s; '
            . "parley_moq_limits connections=12 handshake=1s;",
    server => 'location = /plain { return 200 plain; }',
    locations => <<'EOT'));
        location = /moq/denied {
            parley_jwt on;
            parley_moq messages=/agents/denied;
        }
        location = /agents/denied {
            deny all;
            parley_jwt on;
            parley_submit moq;
        }
        location = /moq/slow {
            parley_jwt on;
            parley_moq messages=/agents/slow;
        }
        location = /agents/slow {
            limit_req zone=slow burst=20;
            parley_jwt on;
            parley_submit moq;
        }
        location = /moq/closed {
            deny all;
            parley_jwt on;
            parley_moq messages=/agents/moq;
        }
EOT

my $moq = Parley::Moq->new;
my $client = Parley::Client->new(port => port(1));


my $planner = $moq->connect('planner', idle => 600);

$planner->init;
$planner->do('keepalive', every => 5);


# Sends a command of the planner to the viewer, and returns the status.
sub send_note {
    my $answer = $planner->call({ action => 'note',
                                  aee => { recipient => 'viewer' },
                                  payload => { text => shift } });

    return $answer->{json}{status};
}


subtest 'MOQ-12 the ALPN decides about a connection' => sub {
    for my $case (['moqt-16', 'moqt-16'], [['h3', 'moqt-16'], 'moqt-16'],
                  ['h3', 'h3']) {
        my ($offer, $choice) = @$case;
        my $c = $moq->connect('camera#1', alpn => $offer);

        is($c->event('connected')->{alpn}, $choice, 'the choice');
        $c->close;
    }

    my $c = $moq->connect('camera#2', alpn => 'moqt-18');

    is($c->closed, 'quic 376', 'another draft: no_application_protocol');
    is($client->get('/plain')->{body}, 'plain', 'HTTP/1.1 goes on');

    my $port = port(1);

    is(`/usr/bin/python3 t/moq/h3.py $port /plain`, "200 plain\n",
       'HTTP/3 goes on');
};


subtest 'MOQ-12 AUTHORITY and PATH name a location' => sub {
    for my $case ([INVALID_PATH => path => '/nowhere'],
                  [INVALID_PATH => path => '/agents/moq'],
                  [INVALID_AUTHORITY => authority => 'other.example'],
                  [INVALID_AUTHORITY => authority => 'localhost.example'],
                  [INVALID_AUTHORITY => authority => 'localhost@other'],
                  [INVALID_AUTHORITY => authority => 'x' x 300],
                  [MALFORMED_AUTHORITY => authority => 'local..host'],
                  [MALFORMED_AUTHORITY => authority => ':443'],
                  [MALFORMED_AUTHORITY => authority => 'user@']) {
        my ($code, @o) = @$case;
        my $c = $moq->connect('camera#3', @o);

        is($c->closed, $code, "@o");
    }

    for my $o ([path => '/moq?a=b'], [authority => 'LOCALHOST:443'],
               [authority => 'localhost.'], [authority => 'me@LocalHost:443']) {
        my $c = $moq->connect('camera#4', @$o);

        ok($c->setup, "@$o");
        is($c->close, 'self');
    }

    # the inner requests have it as nginx has that of a Host field

    my $c = $moq->connect('viewer#4', authority => 'me@LocalHost:443');

    ok($c->init, 'a session');
    $c->call({ action => 'note', aee => { recipient => 'planner' } });
    $c->close;
    is_deeply([grep { !/^localhost localhost:443$/ }
               grep { /443/ } split /\n/, slurp("$dir/hosts.log")], [],
              '$host and $http_host');
    like(slurp("$dir/hosts.log"), qr/localhost:443/, 'are logged');
};


subtest 'MOQ-12 a connection without CLIENT_SETUP ends' => sub {
    my $c = $moq->connect('camera#5', setup_octets => '');

    is($c->closed, 'CONTROL_MESSAGE_TIMEOUT');
};


subtest 'MOQ-14 a command and a proof take all phases of a POST' => sub {
    my $c = $moq->connect('camera#6', path => '/moq/denied');

    ok($c->init, 'a session');

    my $answer = $c->call({ action => 'ping',
                            aee => { recipient => 'viewer' } });

    is($answer->{json}{error_code}, 403, 'deny of the location of messages');
    $c->close;

    $c = $moq->connect('camera#7', path => '/moq/closed');
    is($c->closed, 'UNAUTHORIZED', 'deny of the location of parley_moq');

    $c = $moq->connect('camera#8');
    ok($c->init, 'a session of another location');
    is($c->call({ action => 'ping', aee => { recipient => 'viewer' } })
       ->{json}{status}, 'accepted', 'a command');
    $c->close;

    like(slurp("$dir/access.log"),
         qr{"POST /agents/denied\?recipient=viewer HTTP/1\.1" 403 }, 'log');
};


subtest 'MOQ-15 a mailbox has messages of HTTP, and those of the past' => sub {
    my $c = $moq->connect('viewer#9');

    ok($c->init, 'a session');
    is(send_note('before'), 'accepted', 'before the subscription');

    my $ok = $c->subscribe($c->{mailbox});

    is($ok->{message}, 'SUBSCRIBE_OK');
    is(send_note("live $_"), 'accepted') for 1 .. 2;

    my @texts = map { $c->answer(seconds => 5)->{json}{payload}{text} } 1 .. 2;

    is_deeply(\@texts, ['live 1', 'live 2'], 'new messages');

    my $fetch = $c->ask('FETCH', fetch_type => 1,
                        track_namespace => ['a2a', 'parley'],
                        track_name => $c->{mailbox},
                        start_location => { group => 0, object => 0 },
                        end_location => { group => 0, object => 0 });

    is($fetch->{message}, 'FETCH_OK') or diag explain $fetch;

    @texts = map { $c->answer(seconds => 5)->{json}{payload}{text} } 1 .. 4;

    is_deeply(\@texts, [undef, 'before', 'live 1', 'live 2'],
              'messages of the past');
    ok($c->event('fin', sub { $_[0]{header}{stream} eq 'FETCH' }),
       'the end of the stream');
    $c->close;
};


subtest 'MOQ-13 a proof that expires ends its session' => sub {
    my $c = $moq->connect('viewer#10', token => moq_token('viewer'));

    ok($c->init(token => moq_token('viewer', exp => time + 3)), 'a session');
    ok($c->answer(action => 'session_bye', seconds => 8), 'its end');
    is($c->close, 'self', 'the connection goes on');

    $c = $moq->connect('viewer#11', token => moq_token('viewer'));
    ok($c->init, 'the session that reads the mailbox');

    my $first = $c->{session_id};

    ok($c->init(token => moq_token('viewer', exp => time + 3)), 'another one');
    ok($c->answer(action => 'session_bye', session_id => $c->{session_id},
                  seconds => 8), 'its end');
    ok($c->without('cmd', sub { $_[0]{json}{action} eq 'session_bye' }),
       'the first one goes on');
    $c->close;
};


subtest 'MOQ-13 a newer token renews a session' => sub {
    my $c = $moq->connect('viewer#12', token => moq_token('viewer'));

    ok($c->init(token => moq_token('viewer', exp => time + 4)), 'a session');
    is($c->subscribe($c->{mailbox})->{message}, 'SUBSCRIBE_OK');

    $c->cmd({ action => 'session_init', session_id => $c->{session_id},
              auth_token => moq_token('viewer') });
    ok($c->answer(action => 'session_ack'), 'renewed');

    is(send_note("renewed $_"), 'accepted') for 1 .. 2;
    is($c->answer(seconds => 5)->{json}{payload}{text}, "renewed $_")
        for 1 .. 2;
    ok($c->without('cmd', undef, 5), 'no message twice, and no end');
    $c->close;
};


subtest 'MOQ-17 a client that does not read is ended, memory is bounded' => sub {
    my $c = $moq->connect('viewer#13', max_data => 65536,
                          max_stream_data => 65536);

    ok($c->init, 'a session');
    is($c->subscribe($c->{mailbox})->{message}, 'SUBSCRIBE_OK');
    $c->do('withhold');

    is(send_note('x' x 1000), 'accepted') for 1 .. 400;

    my $done = $c->message('PUBLISH_DONE', seconds => 10);

    ok($done || $c->event('cmd'), 'it is told') or $moq->show;
    $c->do('drop');
};


subtest 'MOQ-17 the number of connections is limited' => sub {
    my @c = map { $moq->connect("camera#many$_") } 1 .. 14;
    my $open = 0;
    my $refused = 0;

    for (1 .. 14) {
        my $event = $moq->wait(sub {
            my $e = shift;

            return ($e->{on} // '') =~ /many/
                   && ($e->{event} eq 'closed' && $e->{by} eq 'peer'
                       || $e->{event} eq 'message'
                       && $e->{message}{message} eq 'SERVER_SETUP');
        }) // last;

        $event->{event} eq 'message' ? $open++ : $refused++;
        is_deeply([@{ $event }{qw(application code reason)}],
                  [JSON::XS::true, code_of('INTERNAL_ERROR'),
                   'too many connections'], 'the code and the reason')
            if $event->{event} eq 'closed';
    }

    # the planner has a connection, and one of a test before may still live
    ok($open == 10 || $open == 11, 'connections within the limit')
        or diag($open);
    is($refused, 14 - $open, 'others are refused');
    $_->do('close') for @c;
};


subtest 'MOQ-14 a command outlives its connection' => sub {
    my $viewer = $moq->connect('viewer#14');
    my $other = $moq->connect('camera#14a');
    my $c = $moq->connect('camera#14b', path => '/moq/slow');

    ok($viewer->init && $other->init && $c->init, 'sessions');
    is($viewer->subscribe($viewer->{mailbox})->{message}, 'SUBSCRIBE_OK');

    $c->cmd({ action => $_, session_id => $c->{session_id},
              aee => { recipient => 'viewer' } }) for qw(first second);
    ok($c->answer(action => 'first'), 'one command is answered');

    # the other one may still be on its way
    sleep 0.5;
    $c->close;
    ok($viewer->answer(action => 'second', seconds => 8),
       'the other one, which limit_req delays, goes on');
    $_->close for $viewer, $other;
};


subtest 'MOQ-17 a reload waits for the answers of commands' => sub {
    my $c = $moq->connect('camera#15a', path => '/moq/slow');

    ok($c->init, 'a session');
    $c->cmd({ action => "slow $_", session_id => $c->{session_id},
              aee => { recipient => 'viewer' } }) for 1 .. 3;
    ok($c->answer(action => 'slow 1'), 'an answer before');

    $nginx->reload;

    ok($c->message('GOAWAY', seconds => 5), 'GOAWAY');
    ok($c->answer(action => "slow $_", seconds => 8), "answer $_") for 2 .. 3;
    is($c->closed(8), 'NO_ERROR', 'the end');
};


subtest 'MOQ-17 a reload sends GOAWAY once and ends the connection' => sub {
    my $c = $moq->connect('camera#14');

    ok($c->init, 'a session');

    $nginx->reload;

    ok($c->message('GOAWAY', seconds => 5), 'GOAWAY');
    is($c->closed(8), 'NO_ERROR', 'the end');

    $c = $moq->connect('camera#15');
    ok($c->init, 'the new worker takes connections');
    $c->close;
};


$moq->stop;
done_testing();
