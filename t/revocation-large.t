# parley_revocations: a list of the largest size blocks no connection, and the
# newest list is in force.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

use constant {
    MANY  => 1_000_000,
    STOOD => 1,         # s that a request may take on a busy machine; to read
                        # the list in the event loop takes 2
};

my $service = Parley::Upstream->start(port(2));
my $dir = tmp_dir();

# 16 megabytes without alice, and with her
my $many = join ',', map { sprintf '"u%011d"', $_ * 7919 % MANY } 1 .. MANY;
my $long = qq({"principals":["nobody",$many],"kids":[],"tokens":[]});
my $alice = qq({"principals":["alice",$many],"kids":[],"tokens":[]});


sub put {
    spew("$dir/revocations.new", $_[0]);
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}


put('{"principals":[],"kids":[],"tokens":[]}');

my $nginx = Parley::Nginx->start(workers => 1, http => gateway_http(
    more => "parley_revocations $dir/revocations.json;",
    server => 'keepalive_requests 1000000; location = /none { return 204; }'));
my $client = Parley::Client->new(port => port(1));
my $serial = 0;


sub refused {
    # another address each time, so that no address fails too often
    local $client->{from} = '127.0.0.' . (2 + ++$serial % 250);

    return $client->raw(post('/aee', aee()))->{status} == 401;
}


# Returns [seconds until alice is refused, or accepted; the time of the longest
# request until then].
sub replaced {
    my ($text, $refused) = @_;

    my $connection = $client->connect;
    my $request = $client->request('GET', '/none', undef,
                                   Connection => 'keep-alive');
    my $longest = 0;

    put($text);

    my $began = time;
    my $next = $began;

    while (time - $began < 15) {
        my $at = time;

        $connection->write($request);
        $connection->answer;
        $connection->{buffer} = '';

        my $done = $at >= $next;
        my $is = $done && refused();
        my $took = time - $at;

        $longest = $took if $took > $longest;

        last if $done && $is eq $refused;
        $next = time + 0.05 if $done;
    }

    return [time - $began, $longest];
}


subtest 'SEC-16 a list of a million principals' => sub {
    my @rounds;

    # one round without other load is enough
    for (1 .. 3) {
        push @rounds, replaced($alice, 1), replaced($long, '');
        last if grep { $_->[1] < STOOD } @rounds;
    }

    my ($soonest, $shortest) = map {
        my $i = $_;
        (sort { $a <=> $b } map { $_->[$i] } @rounds)[0];
    } 0, 1;

    cmp_ok($soonest, '<', 10, 'comes into force');
    cmp_ok($shortest, '<', STOOD, 'and no request waits for it');
    note(join ', ', map { sprintf '%.2f s, %.3f s', @$_ } @rounds);
};


subtest 'SEC-16 the newest list is in force, at any time' => sub {
    for my $wait (0, 0.1, 0.3) {
        put($alice);
        sleep $wait;
        put($long);
        sleep $wait;
        put('{"principals":["alice"],"kids":[],"tokens":[]}');

        my $until = time + 10;

        sleep 0.1 while !refused() && time < $until;

        sleep 1.5;
        ok(refused(), "$wait s apart: the last");

        put('{"principals":[],"kids":[],"tokens":[]}');
        sleep 0.1 while refused() && time < $until + 10;
    }

    ok(!refused(), 'and the next');
};


subtest 'SEC-16 an incomplete list keeps the last valid one' => sub {
    put($alice);

    my $until = time + 10;

    sleep 0.1 while !refused() && time < $until;

    put(substr $long, 0, -1);
    ok($nginx->wait_for(qr/cannot be used, the last good list stays in force: line 1, column \d+: invalid JSON/,
                        1), 'is told');
    ok(refused(), 'alice is revoked still');
};


subtest 'SEC-16 nginx is reloaded and stopped while a worker reads the list' => sub {
    put($alice);
    sleep 0.55;
    $nginx->reload;
    ok(refused(), 'the new worker has it');

    put($long);

    my $until = time + 10;

    sleep 0.1 while refused() && time < $until;

    ok(!refused(), 'and the next');

    put($alice);
    sleep 0.55;
    $nginx->stop;

    unlike($nginx->error_log, qr/\[alert\]|exited on signal/, 'without alert');
};


done_testing;
