# The inbox: the engine tells each gateway that there are new frames, so the
# gateway needs not ask.  Counts are those of the engine's MONITOR.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Env qw(port spew tls tmp_dir);
use Parley::HeldReplies;
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams;
use Parley::Tool;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

use constant FRAMES => 20;

my $password = spew(tmp_dir() . '/password', "word\n");
chmod 0600, $password or die $!;

my $redis = Parley::Redis->start(port(6), tls => port(5),
    users => [tool_ok('store', 'acl', '--password', $password) =~ s/^user //r]);


# Returns the numbers of commands by name and gateway while a function runs:
# { 'p1_feed ADDRESS' => 3 }.
sub commands {
    my $does = shift;

    my $pid = open(my $seen, '-|', "$redis->{engine}-cli", '-s',
                   $redis->socket, 'MONITOR') // die "fork: $!\n";

    <$seen>;
    $does->();
    $redis->cli('ECHO', 'end');

    my %n;

    while (my $line = <$seen>) {
        my ($from, $name, $of) = $line =~ /^\S+ \[\d+ (\S+)\] "(\w+)"(?: "(\w+)?)?/
            or next;

        last if $name eq 'ECHO';
        $n{uc $name eq 'FCALL' ? $of : uc $name}{$from}++;
    }

    kill 'KILL', $pid;
    close $seen;

    return \%n;
}

# Returns the number of commands of all gateways, without those of functions.
sub sum {
    my $by = shift // {};
    my $n = 0;

    $n += $by->{$_} for grep { $_ ne 'lua' } keys %$by;

    return $n;
}


# Publishes frames at a gateway, each when the one before has come at the other.
sub one_by_one {
    my ($nodes, $bob) = @_;

    my $came = 0;

    for (1 .. FRAMES) {
        my $m = saying('channel', 'alice', 'bob');

        last if submit_at($nodes, 0, $m, as => 'alice')->{status} !~ /^20/;
        $came += $bob->ids(1)->[0] eq $m->{frame_id};
    }

    return $came;
}

# Returns a message of another program.
sub hint { '1' . 'x' x 8 . pack('Q<L<', $_[0], 0) . ($_[1] // '') }

sub inbox_of { $_[0]->status($_[1])->metric('parley_store_inbox') }

sub has_inboxes {
    my ($nodes, $n) = @_;
    return $nodes->wait_for(sub { $redis->inboxes == $n });
}


subtest 'CLU-04 a frame comes without a question on time' => sub {
    my $nodes = stream_nodes($redis);

    ok(has_inboxes($nodes, 2), 'one inbox for the two workers of a gateway');
    ok($nodes->wait_for(sub { inbox_of($nodes, $_) == 1 }),
       "OPS-05 the metric of gateway $_") for 0, 1;

    my $bob = opens($nodes, 1, 'channel stream', 'bob');
    my $came;
    my $n = commands(sub { $came = one_by_one($nodes, $bob) });

    is($came, FRAMES, 'the frames come');

    # each of four workers asks for changes every 250 ms, and each of two
    # gateways for steps every second; a submission asks before it counts
    my $seconds = sum($n->{GET}) / 16;
    my $feeds = sum($n->{p1_feed});

    cmp_ok($seconds, '<', FRAMES / 2, 'before the next question on time');
    cmp_ok($feeds, '<=', FRAMES + 3 * $seconds + 6, 'without another question')
        or diag explain $n;
    cmp_ok($n->{PUBLISH}{lua} // 0, '>=', FRAMES, 'the engine has told it');
};


subtest 'CLU-04 a large frame is announced by its number' => sub {
    my $nodes = stream_nodes($redis);

    ok(has_inboxes($nodes, 2));

    my $bob = opens($nodes, 1, 'aee stream', 'bob');
    my (@ids, @came);
    my $n = commands(sub {
        for my $octets (3000, 3500, 4000, 4500, 6000, 20000, 1) {
            push @ids, say($nodes, 0, 'aee', 'alice', 'bob',
                           text => 'x' x $octets);
            push @came, @{ $bob->ids(1) };
        }
    });

    is_deeply(\@came, \@ids, 'all come');
    cmp_ok(sum($n->{GET}) / 16, '<', @ids / 2,
           'before the next question on time');
};


subtest 'CLU-04 idle gateways ask once a second' => sub {
    my $nodes = stream_nodes($redis);

    ok(has_inboxes($nodes, 2));

    my $n = commands(sub { sleep 3 });

    cmp_ok(sum($n->{p1_feed}), '<=', 10, 'two gateways in 3 s')
        or diag explain $n;
    cmp_ok(sum($n->{p1_feed}), '>=', 4, 'but they ask');
    cmp_ok(sum($n->{PING}), '>=', 4, 'and the inbox is asked for life');

    # messages of another program
    $n = commands(sub {
        $redis->cli('PUBLISH', '{parley}f', $_)
            for hint(1 << 40), hint(1 << 60), hint(7), hint(1 << 40, 'xxx'),
                '1' . 'x' x 8 . pack('Q<L<', 1, 99) . 'x' x 9, '1' x 8,
                '2' x 99, 'x';
        sleep 2;
    });

    cmp_ok(sum($n->{p1_feed}), '<=', 12, 'a number that no step has')
        or diag explain $n;
    is($redis->inboxes, 2, 'and messages of another form are ignored');
};


subtest 'CLU-04 the inbox is cut' => sub {
    my $nodes = stream_nodes($redis);

    ok(has_inboxes($nodes, 2));

    my $bob = opens($nodes, 1, 'channel stream', 'bob');

    $redis->cli('CLIENT', 'KILL', 'TYPE', 'pubsub');
    is(one_by_one($nodes, $bob), FRAMES, 'frames come');
    ok(has_inboxes($nodes, 2), 'and the inboxes are back');
    is(one_by_one($nodes, $bob), FRAMES, 'frames come');

    is($nodes->nginx($_)->logged(qr/\[warn\] .*the inbox is away: connection was closed; this gateway asks for frames every 20 ms/),
       1, "gateway $_ logs it") for 0, 1;
    is($nodes->status($_)->metric('parley_store_reconnects_total'), 0,
       'the other connections stay') for 0, 1;

    my $names = sub { [sort $redis->cli('CLIENT', 'LIST', 'TYPE', 'pubsub')
                            =~ /^id=(\d+)/mg] };
    my $before = $names->();

    kill 'KILL', $nodes->workers(1);
    ok($nodes->wait_for(sub { my $now = $names->();
                              @$now == 2 && "@$now" ne "@$before" }),
       'the next worker after one that was killed has an inbox');
};


subtest 'CLU-04 messages are lost' => sub {
    my $relay = Parley::HeldReplies->start(port(4), $redis);
    my $nodes = stream_nodes($redis, words => 'timeout=1s',
                             url => $relay->url);

    ok(has_inboxes($nodes, 2));

    my $bob = opens($nodes, 1, 'channel stream', 'bob');

    $relay->lose;

    my @ids = map { say($nodes, 0, 'channel', 'alice', 'bob') } 1 .. 5;

    is_deeply($bob->ids(5), \@ids, 'frames come after the next question');
    is($redis->inboxes, 2, 'and the inbox is not closed');

    $relay->pass;
    is(one_by_one($nodes, $bob), FRAMES, 'messages come again');
};


subtest 'CLU-04 CLU-13 with TLS and a user' => sub {
    my ($cert) = tls();
    my $nodes = stream_nodes($redis,
        url => 'rediss://127.0.0.1:' . port(5),
        words => "user=parley password=$password trusted=$cert name=localhost "
                 . 'timeout=1s');

    ok(has_inboxes($nodes, 2));
    like($redis->cli('CLIENT', 'LIST', 'TYPE', 'pubsub'), qr/user=parley/,
         'the inbox has the user');

    # the engine closes the inbox, and refuses the next
    $redis->cli('ACL', 'SETUSER', 'parley', '-subscribe');
    $redis->cli('CLIENT', 'KILL', 'TYPE', 'pubsub');

    ok($nodes->nginx(1)->wait_for(qr/\[warn\] .*the inbox is away: the engine refuses it/),
       'a right that is lost later');
    ok($nodes->wait_for(sub { inbox_of($nodes, 1) == 0 }), 'OPS-05 the metric');

    my $bob = opens($nodes, 1, 'channel stream', 'bob');

    is(one_by_one($nodes, $bob), FRAMES, 'frames come');
    $redis->cli('ACL', 'SETUSER', 'parley', '+subscribe');
    ok(has_inboxes($nodes, 2), 'the right is back');
};

done_testing;
