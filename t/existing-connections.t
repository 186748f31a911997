# SEC-22: the streams and WebSockets of existing services count to the
# connections of their principal.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Existing;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::SocketService;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;
use Parley::Websocket;

use constant MOST => 3;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1), tls => 0);
my $status = Parley::Status->new(port => port(1));

existing($client, $service);

my $upgrade = 'proxy_http_version 1.1; '
            . 'proxy_set_header Upgrade $http_upgrade; '
            . 'proxy_set_header Connection $connection_upgrade;';

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => "parley_connections @{[MOST]};\n"
          . "map \$http_upgrade \$connection_upgrade "
          . "{ default upgrade; '' close; }\n",
    locations =>
        location('/ws', "parley_accept aee; parley_jwt on; $upgrade")
      . location('/other', "parley_accept aee; parley_jwt on; $upgrade")
      . location('/dry', "parley_accept aee; parley_jwt on; "
                       . "parley_dry_run on; $upgrade")
      . location('/frames', 'parley_accept channel; parley_jwt on;')
      . location('/mcp', 'parley_accept c2a; parley_jwt on;')));

my $limited = 'parley_subscriptions_ended_total{why="limit"}';
my $serves = '$c->opens; $c->serves';
my $stays = '$c->out(": hi\n\n"); $c->pause(60)';
my $n = 0;


# Opens a WebSocket to the service.
sub socket_of {
    my ($who, %o) = @_;

    $service->script($o{script} // $serves);

    return websocket($who, uri => $o{uri} // '/ws', plain => 1);
}


# Opens a stream of the service; returns the connection, with its status.
sub stream_of {
    my ($who, %o) = @_;

    $service->script("\$c->events; $stays");

    my $connection = $client->connect;

    $connection->write($client->request('GET', $o{uri} // '/frames', undef,
                                        Authorization => bearer($who),
                                        Accept => 'text/event-stream'));
    $connection->expect(qr/\r\n\r\n/, 10);

    return $connection;
}


sub status_of {
    my $opened = shift;

    return $opened->status if $opened->can('status');
    return $opened->{buffer} =~ /^HTTP\/1.1 (\d+)/ ? $1 : 0;
}


# Opens one, and again until an earlier connection has made room for it.
sub opens {
    my ($open, $who, %o) = @_;

    my $until = time + 20;
    my $opened;

    do {
        $opened->leave if $opened;
        $opened = eval { $open->($who, %o) };
    } while ((!$opened || status_of($opened) == 429) && time < $until
             && sleep 0.05);

    return $opened;
}


# Checks that one more is refused, and that the service does not see it.
sub is_refused {
    my ($open, $who, $name, %o) = @_;

    my $before = $status->metric($limited) // 0;

    $service->clear;

    my $opened = $open->($who, %o);

    is(status_of($opened), 429, $name) or return;

    my $answer = $opened->answer;

    is($answer->{headers}{'retry-after'}, 5, 'Retry-After');
    like($answer->{body}, qr/too many streams, WebSockets and waiting/,
         'it says why');
    is($service->count, 0, 'the service is not asked');
    is($status->metric($limited), $before + 1, 'it is counted');
    $opened->leave;
}


my %kinds = (WebSockets => [\&socket_of, 101],
             'streams of agent-channel' => [\&stream_of, 200],
             'streams of MCP' => [sub { stream_of(@_, uri => '/mcp') }, 200]);

for my $name (sort keys %kinds) {
    my ($open, $done) = @{ $kinds{$name} };

    subtest "SEC-22 $name of existing services" => sub {
        my @open = map { opens($open, 'alice') } 1 .. MOST;

        is(scalar(grep { status_of($_) == $done } @open), MOST,
           'so many are opened');
        is_refused(\&socket_of, 'alice', 'no WebSocket');
        is_refused(\&socket_of, 'alice', 'nor another one', uri => '/other');
        is_refused(\&stream_of, 'alice', 'no stream');
        is(listen_to('alice', session => 's' . $n++)->status, 429,
           'no stream of parley_stream');

        my $bob = $open->('bob');

        is(status_of($bob), $done, 'another principal has its own');
        $bob->leave;

        (pop @open)->leave;
        push @open, opens($open, 'alice');
        is(status_of($open[-1]), $done, 'one that left makes room');
        is_refused($open, 'alice', 'for one');
        $_->leave for @open;
    };
}


subtest 'SEC-22 streams of parley_stream count with them' => sub {
    my @open = map { opens(sub { listen_to($_[0], session => 's' . $n++) },
                           'alice') } 1 .. MOST;

    is_refused(\&socket_of, 'alice', 'no WebSocket');
    is_refused(\&stream_of, 'alice', 'no stream');
    $_->leave for @open;
    opens(\&socket_of, 'alice')->leave;
};


subtest 'SEC-22 refusals and ends of the service hold no place' => sub {
    for my $by (['an upgrade that it refused', 403, '$c->answer(403, [], "")'],
                ['an answer that is no upgrade', 502,
                 '$c->answer(200, [], "{}")'],
                ['a wrong accept', 502,
                 '$c->opens("Sec-WebSocket-Accept" => "x")'],
                ['a WebSocket that it closed', 101,
                 '$c->opens; $c->says(pack("n", 1000), kind => "close")'],
                ['a service that dies', 101, '$c->opens'])
    {
        my ($name, $code, $script) = @$by;
        my @open;

        for (1 .. 2 * MOST) {
            my $socket = opens(\&socket_of, 'carol', script => $script);

            push @open, $socket->status;
            $socket->closed if $code == 101;
            $socket->leave;
        }

        is_deeply(\@open, [($code) x (2 * MOST)], $name);
    }

    my @ended = map { ask('$c->answer(405, [], "")', GET => '/frames')
                      ->{status} } 1 .. 2 * MOST;

    is_deeply(\@ended, [(405) x (2 * MOST)], 'a stream that it refused')
        or diag explain \@ended;

    for (1 .. 2 * MOST) {
        my $ends = sub {
            $service->script('$c->events');
            return $client->raw($client->request('GET', '/frames', undef,
                Authorization => bearer('carol'),
                Accept => 'text/event-stream', Connection => 'close'));
        };
        my $until = time + 10;
        my $answer;

        do { $answer = $ends->() } while $answer->{status} == 429
                                        && time < $until && sleep 0.05;
        is($answer->{status}, 200, 'a stream that it ended');
    }

    my @open = map { opens(\&socket_of, 'carol') } 1 .. MOST;

    is(scalar(grep { $_->status == 101 } @open), MOST, 'all places are free');
    is_refused(\&socket_of, 'carol', 'and not more than these');
    $_->leave for @open;
};


subtest 'SEC-22 a killed worker holds no place of a service' => sub {
    my @open = ((map { opens(\&socket_of, 'alice') } 2 .. MOST),
                opens(\&stream_of, 'alice'));

    is_refused(\&socket_of, 'alice', 'there is no more');

    kill 'KILL', $nginx->workers;

    @open = map { opens(\&socket_of, 'alice') } 1 .. MOST;
    is(scalar(grep { $_->status == 101 } @open), MOST, 'they come back');
    is_refused(\&socket_of, 'alice', 'and not more than these');
    $_->leave for @open;
};


subtest 'SEC-22 a dry run counts no connections' => sub {
    my @dry = map { socket_of('alice', uri => '/dry') } 1 .. 5;

    is(join(' ', map { status_of($_) } @dry), '101 101 101 101 101',
       'more than the limit');

    my $real = socket_of('alice');

    is(status_of($real), 101, 'another location is not affected');
    $_->leave for @dry, $real;
};



is($nginx->logged(qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/), 0,
   'nothing broke');

done_testing;
