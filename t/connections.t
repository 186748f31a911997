# SEC-22: the connections of one principal are limited over all workers:
# streams, WebSockets and waiting requests.  Other principals are not affected.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Websocket;

use constant MOST => 6;

sub conf {
    my ($connections) = @_;

    return streams_http(more => $connections, locations => <<'EOT');
        location = /ws { parley_jwt on; parley_websocket channel; }
        location = /held { parley_jwt on; parley_submit aee hold=20s; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=20s; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2,
                                 http => conf("parley_connections @{[MOST]};"));
my $status = Parley::Status->new(port => port(1));
my $n = 0;


sub stream { listen_to($_[0], session => 's' . $n++, @_[1 .. $#_]) }
sub socket_of { websocket($_[0], uri => '/ws', session => 's' . $n++) }


# Begins a request that waits for frames.
sub waits {
    my ($who) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $connection = $client->connect;
    my $call = jcs({ jsonrpc => '2.0', id => $n++, method => 'tools/call',
                     params => { name => 'agent_subscribe',
                                 arguments => { wait_ms => 20000 } } });

    $connection->write($client->request('POST', '/mcp', $call,
        Accept => 'application/json, text/event-stream',
        Authorization => bearer($who)));

    return $connection;
}


# Waits until a stream of a principal can be opened: an earlier connection
# ended.
sub opens {
    my ($who, $seconds) = @_;

    my $until = time + ($seconds // 10);
    my $stream;

    do {
        $stream->leave if $stream;
        $stream = stream($who);
    } while ($stream->status != 200 && time < $until && sleep 0.05);

    return $stream;
}


sub is_refused {
    my ($answer, $name) = @_;

    is($answer->{status}, 429, $name) or diag($answer->{body});
    is($answer->{headers}{'retry-after'}, 5, 'Retry-After');
    like($answer->{body}, qr/too many streams, WebSockets and waiting/,
         'it says why');
}


# Checks the refusal in a tool's result.
sub is_no_wait {
    my ($answer) = @_;

    my $result = $answer->{json}{result};

    ok($result->{isError}, 'no request waits') or diag($answer->{body});
    is($result->{structuredContent}{code}, 'rate-limited', 'code');
    is($result->{structuredContent}{backoff_ms}, 5000, 'it says when');
}


# Waits until a metric of a principal's connections has the value.
sub level {
    my ($metric, $value) = @_;

    my $until = time + 10;

    sleep 0.05
        while ($status->metric($metric) // -1) != $value && time < $until;

    return $status->metric($metric);
}


for my $kind (['streams', sub { stream('alice') }],
              ['streams over TLS',
               sub { stream('alice', port => port(4), tls => 1) }],
              ['WebSockets', sub { socket_of('alice') }])
{
    my ($name, $open) = @$kind;

    subtest "SEC-22 $name of one principal" => sub {
        my @open = map { $open->() } 1 .. MOST;

        is(scalar(grep { $_->status == 200 || $_->status == 101 } @open),
           MOST, 'so many are opened');
        is_refused(stream('alice')->answer, 'no other stream');

        my $socket = socket_of('alice');

        is($socket->status, 101, 'a WebSocket is opened');
        is($socket->{headers}{'retry-after'}, 5, 'it says when');
        is($socket->opened, pack('n', 1013) . 'too many connections are open',
           'and is closed');

        is_no_wait(waits('alice')->answer);

        my $bob = stream('bob');

        is($bob->status, 200, 'another principal has its own');
        $bob->leave;

        (pop @open)->leave;
        push @open, opens('alice');
        is($open[-1]->status, 200, 'one that left makes room');
        is_refused(stream('alice')->answer, 'for one');
        $_->leave for @open;
    };
}


subtest 'SEC-22 requests that wait' => sub {
    my @held = map { waits('carol') } 1 .. MOST;

    is(level('parley_held', MOST), MOST, 'so many wait');
    is_refused(stream('carol')->answer, 'no stream');

    # a request that is held for its answer

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $reader = stream('bob');
    my $task = aee(from => 'agent.carol', to => 'agent.bob');
    my $answer = $client->post('/held', jcs($task),
                               Authorization => bearer('carol'));

    is($answer->{status}, 429, 'no request for an answer');
    is($answer->{headers}{'retry-after'}, 5, 'Retry-After');
    ok(!$reader->event(0.3), 'and it is published to nobody');

    $_->leave for @held;
    level('parley_held', 0);

    my $held = $client->begin('/held', jcs($task),
                              Authorization => bearer('carol'));

    is($reader->event->{json}{kind}, 'agent_query', 'it may come again');
    $held->leave;
    $reader->leave;
    opens('carol')->leave;
};


subtest 'SEC-22 the connections are counted' => sub {
    cmp_ok($status->metric('parley_subscriptions_ended_total{why="limit"}'),
           '>=', 10, 'in the metrics');
};


subtest 'SEC-22 a killed worker holds no place' => sub {
    my @open = map { stream('alice') } 1 .. MOST;

    is_refused(stream('alice')->answer, 'there is no more');

    kill 'KILL', $nginx->workers;

    my $until = time + 20;

    for (@open) {
        $_->fill(1) while !$_->{ended} && time < $until;
    }

    @open = (opens('alice', 20), map { stream('alice') } 2 .. MOST);
    is(scalar(grep { $_->status == 200 } @open), MOST, 'they come back');
    is_refused(stream('alice')->answer, 'and not more than these');

    ok($nginx->reload, 'a reload');

    for (@open) {
        $_->ends(10);
        $_->leave;
    }

    @open = (opens('alice', 20), map { opens('alice', 20) } 2 .. MOST);
    is(scalar(grep { $_->status == 200 } @open), MOST,
       'they come back after a reload');
    is_refused(stream('alice')->answer, 'and not more than these');
    $_->leave for @open;
};


subtest 'SEC-22 the errors of parley_connections' => sub {
    for my $word ('0', '-1', '101%', 'many', '5x') {
        my ($rc, $said) = Parley::Nginx->check(
            http => conf("parley_connections $word;"));

        isnt($rc, 0, $word);
        like($said, qr/"parley_connections": "\Q$word\E" is not a number of connections; /,
             'it says why');
    }

    # at least one of 1024 connections

    ok($nginx->reload(workers => 2, http => conf('parley_connections 1%;')),
       'a share');

    my @open = map { opens('alice') } 1 .. 10;

    is(scalar(grep { $_->status == 200 } @open), 10, 'so many');
    is_refused(stream('alice')->answer, 'and no more');
    $_->leave for @open;

    ok($nginx->reload(workers => 2, http => conf('parley_connections off;')),
       'off');
    @open = map { opens('alice') } 1 .. 12;
    is(scalar(grep { $_->status == 200 } @open), 12, 'any number');
    $_->leave for @open;
};


unlike($nginx->error_log,
       qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/, 'nothing broke');

done_testing;
