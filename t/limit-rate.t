# nginx's limit_rate for a stream and a WebSocket: all events are sent at that
# rate.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Websocket;

use constant {
    RATE  => 10_000,        # octets per second
    SIZE  => 1_900,         # octets of a frame
    COUNT => 14,
};

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => 'parley_retain count=1000 time=1h;',
    rules => 'limit_rate ' . RATE . ';',
    locations => 'location = /ws { parley_jwt on; limit_rate 100; '
               . 'parley_websocket channel; }'));

sub send_all {
    for my $n (1 .. COUNT) {
        my $frame = frame('bob', 'alice', text => "$n " . 'x' x SIZE);
        my $answer = submit($frame);

        die "$answer->{status} $answer->{body}\n" if $answer->{status} != 200;
    }
}


for my $by (['HTTP', port => port(1), tls => 0],
            ['TLS', port => port(4), tls => 1])
{
    my ($name, %o) = @$by;

    subtest "HUB-01 a stream is sent at its rate, $name" => sub {
        my $stream = listen_to('alice', %o, session => lc $name);
        my $since = time;

        send_all();

        my @events = $stream->events(COUNT, 15);
        my $took = time - $since;

        is_deeply([map { /^(\d+) / } texts(@events)], [1 .. COUNT],
                  'all of it comes, in order');
        cmp_ok($took, '>', COUNT * SIZE / RATE / 2, 'not at once');

        # unused rate has accumulated since
        sleep 1;
        submit(frame('bob', 'alice', text => 'later'));
        is_deeply([texts($stream->event)], ['later'], 'and so does the next');
        $stream->leave;
    };
}


subtest 'HUB-01 a stream that is idle first, and then has a burst again' => sub {
    my $stream = listen_to('alice', session => 'idle');

    for my $round (1, 2) {
        sleep 1.2;
        send_all();

        my @events = $stream->events(COUNT, 15);

        is_deeply([map { /^(\d+) / } texts(@events)], [1 .. COUNT],
                  "burst $round");
    }

    $stream->leave;
};


subtest 'HUB-01 a WebSocket is not limited by a rate' => sub {
    my $socket = websocket('alice', uri => '/ws', session => 'ws');

    is($socket->status, 101, 'it is opened');
    send_all();

    my @messages = $socket->messages(COUNT, 10);

    is(scalar @messages, COUNT, 'all of it comes');
    $socket->leave;
};


unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nothing broke');

done_testing;
