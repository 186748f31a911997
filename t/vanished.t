# HUB-11: a client that disappears without closing, like a sleeping laptop,
# acknowledges nothing.  Its stream or WebSocket ends, it leaves the roster,
# and messages take their other way.

use strict;
use warnings;

use lib 't/lib';

use Socket qw(SOL_SOCKET);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tls);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;
use Parley::Websocket;

use constant {
    SO_ATTACH_FILTER => 26,
    TIMEOUT          => 2,      # of the configuration
};

# a kernel filter that drops each segment for a socket
my $drop = pack 'S C C L', 6, 0, 0, 0;
my $program = pack 'S x![P] P', 1, $drop;

# From now on the kernel of the client gets nothing, so it acknowledges
# nothing.  The client's socket stays open.
sub vanishes {
    my ($connection) = @_;

    return setsockopt $connection->{socket}, SOL_SOCKET, SO_ATTACH_FILTER,
                      $program;
}

{
    my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)
        or die "listen: $!\n";

    plan skip_all => 'the kernel refuses socket filters'
        if !vanishes({ socket => $listener });
}

my $peer = Parley::Upstream->start(port(2), 'return $c->take;', tls => 1);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => streams_identities(
        alice => { deliver => 'https://127.0.0.1:' . port(2) . '/alice' }),
    stream => 'channel keepalive=1s timeout=' . TIMEOUT . 's',
    more => 'parley_retain count=100 time=1h; parley_deliver /_deliver hosts='
            . '127.0.0.1:' . port(2) . ';',
    locations => deliver_location() . <<'EOT'));
        location = /ws { parley_jwt on;
                         parley_websocket channel keepalive=1s timeout=2s; }
        location /slow/ { parley_jwt on; parley_stream channel
                            keepalive=40s timeout=15s; }
        location = /slow/ws { parley_jwt on; parley_websocket channel
                              keepalive=30s timeout=25s; }
        location /roster/ { parley_jwt on; parley_roster channel; }
EOT

my $client = Parley::Client->new(port => port(1), tls => 0);

sub there {
    my ($n, $seconds, $name) = @_;

    $name //= 'alice';

    my $until = time + $seconds;
    my $count;

    do {
        $count = $client->get("/roster/~$name", Authorization =>
                              bearer($name))->{json}{count};
    } while ($count != $n && time < $until && sleep 0.05);

    return $count;
}


# Returns nginx's error for a directive, or ''.
sub refused {
    my ($directive) = @_;

    my ($rc, $said) = Parley::Nginx->check(http => streams_http(
        locations => "location = /x { parley_jwt on; $directive; }"));

    return $rc == 0 ? '' : $said;
}


sub h2_stream {
    my $connection = Parley::Client->new(port => port(5), ssl => {
        SSL_alpn_protocols => ['h2'] })->connect;

    $connection->write(h2_begin() . h2_get(1, '/channel/stream/~alice'));
    $connection->expect(qr/event: ready/) // die "no stream over HTTP/2\n";

    return $connection;
}


# the longest times, which pass during the other tests
my $stream = listen_to('carol', uri => '/slow/~carol');
my @slow = map { { %$_, since => time, gone => vanishes($_->{connection}) } }
    { name => 'carol', as => 'a stream', connection => $stream->{connection} },
    { name => 'dave', as => 'a WebSocket', connection =>
          websocket('dave', uri => '/slow/ws')->{connection} };

is(there(1, 5, $_->{name}), 1, "HUB-11 $_->{as} is on the roster") for @slow;

for my $kind (['a stream', sub { listen_to('alice')->{connection} }],
              ['a stream over TLS', sub {
                  listen_to('alice', port => port(4), tls => 1)->{connection}
              }],
              ['a stream over HTTP/2', sub { h2_stream() }],
              ['a WebSocket', sub {
                  websocket('alice', uri => '/ws')->{connection} }],
              ['a WebSocket over TLS', sub {
                  websocket('alice', uri => '/ws', port => port(4),
                            tls => 1)->{connection} }])
{
    my ($name, $open) = @$kind;

    subtest "HUB-11 $name" => sub {
        my $connection = $open->();
        my $before = $peer->count;

        is(there(1, 5), 1, 'it is on the roster');
        ok(vanishes($connection), 'its client is gone');

        my $since = time;

        is(there(0, 30), 0, 'it is off the roster');
        cmp_ok(time - $since, '>', TIMEOUT * 0.5, 'not at once');
        cmp_ok(time - $since, '<', 15, 'but within its time');

        my $frame = frame('bob', 'alice');

        is(submit($frame)->{json}{delivered}, 1, 'its URL takes over');
        $peer->wait_for($before + 1);
        like($peer->last->{body}, qr/\Q$frame->{frame_id}\E/, 'indeed');
    };
}


subtest 'HUB-11 a client that answers stays' => sub {
    my $stream = listen_to('alice');

    ok(!$stream->event(TIMEOUT * 2), 'nothing comes for it');
    is(there(1, 1), 1, 'it is on the roster');
    submit(frame('bob', 'alice', text => 'hello'));
    is_deeply([texts($stream->event)], ['hello'], 'and gets what comes');
    $stream->leave;
};


subtest 'HUB-11 with the longest times' => sub {
    for my $slow (@slow) {
        ok($slow->{gone}, "the client of $slow->{as} is gone");
        is(there(0, 60 - (time - $slow->{since}), $slow->{name}), 0,
           "$slow->{as} is off the roster within 60 s");

        is(submit(frame('bob', $slow->{name}))->{json}{delivered}, 0,
           'the sender gets the report');
    }

    my $later = listen_to('carol', last => $stream->opened->{id});

    is_deeply([texts($later->event(5))], ['about to edit parley.c'],
              'and the log has it');
};


subtest 'HUB-11 the errors of the directive' => sub {
    my $both = 'has keepalive=26s and timeout=30s; expected a sum of at most '
             . '55s';

    for my $directive ('stream', 'websocket') {
        for my $word ('timeout=55s', 'timeout=0', 'timeout=500ms', 'timeout=x',
                      'keepalive=55s', 'keepalive=1h')
        {
            like(refused("parley_$directive channel $word"),
                 qr/"parley_$directive": "\Q$word\E" is /,
                 "$directive: $word");
        }

        like(refused("parley_$directive channel keepalive=26s timeout=30s"),
             qr/"parley_$directive" directive \Q$both\E/,
             "$directive: both together");

        is(refused("parley_$directive channel $_"), '', "$directive: $_")
            for 'keepalive=30s', 'timeout=54s', 'timeout=25s keepalive=30s';
    }
};


unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nothing broke');

done_testing;
