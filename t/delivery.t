# Accepted messages arrive: across workers, reloads and killed workers, and
# beside subscribers that read too slowly.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;

my $dir = tmp_dir();

sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [], kids => [],
                                       tokens => [], @_ }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

revoke();

sub http {
    my $http = streams_http(zone => 'streams:32m share=90%', more => <<"EOT",
    parley_retain count=20000 time=1h;
    parley_revocations $dir/revocations.json;
    add_header X-Pid \$pid always;
EOT
        stream => 'channel lag=64k', @_);

    # each worker has its own queue, so that both get connections
    return $http =~ s/(listen 127\.0\.0\.1:%PORT_1%)/$1 reuseport sndbuf=16k/r;
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $status = Parley::Status->new(port => port(1));


# Opens n streams of a handle with each worker; returns {pid => [streams]}.
sub spread {
    my ($who, $n) = @_;

    my %by;
    my $until = time + 20;

    until (keys(%by) == 2 && !grep { @$_ < $n } values %by) {
        die "one worker has all connections\n" if time > $until;

        my $stream = listen_to($who, session => 's' . rand);
        push @{ $by{ $stream->{headers}{'x-pid'} } }, $stream;
    }

    return \%by;
}


# Submits a frame until a worker accepts it; returns [answer, tries].
sub insist {
    my ($frame) = @_;

    my $until = time + 20;
    my $answer;

    do {
        $answer = eval { submit($frame) };
        sleep 0.02 if !$answer || $answer->{status} != 200;
    } until ($answer && $answer->{status} == 200) || time > $until;

    return $answer;
}


subtest 'HUB-04: a frame reaches the subscribers of every worker' => sub {
    my $by = spread('alice', 3);
    my @all = map { @$_ } values %$by;
    my %pids;

    for my $i (1 .. 20) {
        my $answer = submit(frame('bob', 'alice', text => "n$i"));

        $pids{ $answer->{headers}{'x-pid'} }++;
        is($answer->{json}{delivered}, scalar @all, 'ACH-19: all of them');
    }

    for my $stream (@all) {
        is_deeply([texts($stream->events(20))], [map { "n$_" } 1 .. 20],
                  'HUB-01: each has all, once, in order');
    }

    is(scalar keys %pids, 2, 'that were submitted to either');
};


subtest 'HUB-03: a slow reader is cut off, resumes, and delays no other reader' => sub {
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $connection = $client->connect;

    # small buffers, and reads nothing
    setsockopt $connection->{socket}, Socket::SOL_SOCKET(),
               Socket::SO_RCVBUF(), pack('i', 4096);
    $connection->write(stream_request('alice', session => 'slow'));
    $connection->expect(qr/\nretry: /) or die "no stream\n";

    my ($place) = $connection->{buffer} =~ /^id: (\S+)$/m;
    my $quick = listen_to('alice', session => 'quick');
    my ($n, @have) = (0);
    my $cut = 'parley_subscriptions_ended_total{why="slow"}';
    my $before = $status->metric($cut);
    my $until = time + 60;

    # more than the sockets of both sides hold, and lag= in addition
    while ($status->metric($cut) == $before && time < $until) {
        for (1 .. 50) {
            submit(frame('bob', 'alice', text => "n$n " . 'x' x 1900));
            $n++;
        }

        push @have, $quick->events(50);
    }

    cmp_ok($status->metric($cut), '>', $before, "cut after $n frames");

    my @texts = map { /^(n\d+)/ } texts(@have);

    is_deeply(\@texts, [map { "n$_" } 0 .. $n - 1], 'the other one has all');

    my $again = listen_to('alice', session => 'slow', last => $place);

    @texts = map { /^(n\d+)/ } texts($again->events($n));

    is_deeply(\@texts, [map { "n$_" } 0 .. $n - 1], 'and so has who resumes');
    is($status->metric('parley_zone_repairs_total'), 0);
};


subtest 'HUB-05, GW-15: a killed worker loses no accepted frame' => sub {
    my $by = spread('bob', 2);
    my ($dead, $alive) = sort { $a <=> $b } keys %$by;
    my @sent;

    for my $i (1 .. 5) {
        push @sent, "n$i" if insist(frame('alice', 'bob', text => "n$i"))
                                 ->{status} == 200;
    }

    kill 'KILL', $dead;

    for my $i (6 .. 25) {
        my $answer = insist(frame('alice', 'bob', text => "n$i"));

        push @sent, "n$i" if $answer && $answer->{status} == 200;
    }

    is(scalar @sent, 25);

    for my $stream (@{ $by->{$alive} }) {
        is_deeply([texts($stream->events(25))], \@sent,
                  'the streams of the other go on');
    }

    for my $stream (@{ $by->{$dead} }) {
        my @have = $stream->events(25);
        my $last = @have ? $have[-1]{id} : $stream->opened->{id};

        ok($stream->ends, 'that of the dead one breaks off');

        my $again = listen_to('bob', last => $last);
        my @rest = $again->events(25 - @have);

        is_deeply([texts(@have, @rest)], \@sent, 'and misses nothing');
    }

    my $new = listen_to('bob');

    submit(frame('alice', 'bob', text => 'to the new one'));
    is_deeply([texts($new->event)], ['to the new one']);
};


subtest 'HUB-05, GW-15: a reload loses no frame, and streams reconnect' => sub {
    my $by = spread('carol', 3);
    my @all = map { @$_ } values %$by;

    submit(frame('bob', 'carol', text => 'before'));

    ok($nginx->reload(http => http(), workers => 2));

    # workers before and after the reload both run for some time
    my $new = listen_to('carol', session => 'new');

    for my $i (1 .. 10) {
        insist(frame('bob', 'carol', text => "n$i"));
    }

    my @expected = ('before', map { "n$_" } 1 .. 10);

    is_deeply([texts($new->events(10))], [@expected[1 .. 10]]);

    for my $stream (@all) {
        my @have;

        while (my $event = $stream->event) {
            push @have, $event;
        }

        ok($stream->ends, 'HUB-04: streams of the old ones end');

        my $last = @have ? $have[-1]{id} : $stream->opened->{id};
        my $again = listen_to('carol', last => $last);
        my @rest = @have < 11 ? $again->events(11 - @have) : ();

        is_deeply([texts(@have, @rest)], \@expected, 'nothing is missed');
    }

    ok($nginx->wait_for(qr/exited with code 0/, 2), 'the old workers leave');
};


subtest 'SEC-16: streams end after a revocation' => sub {
    my $token = bearer('alice', jti => 'lost',
                       iss => 'https://idp.example');
    my $revoked = listen_to('alice', token => $token);
    my $other = listen_to('alice');

    is($revoked->status, 200);
    revoke(tokens => [{ jti => 'lost', iss => 'https://idp.example' }]);

    ok($revoked->ends);
    my $until = time + 20;
    my $again;

    # each worker checks for itself
    do {
        $again = listen_to('alice', token => $token)->status;
        sleep 0.05 if $again != 401;
    } until $again == 401 || time > $until;

    is($again, 401);

    submit(frame('bob', 'alice', text => 'after'));
    is_deeply([texts($other->event)], ['after'], 'no other does');

    revoke(principals => ['alice']);
    ok($other->ends, 'a principal\'s');
    revoke();
};


subtest 'a client that leaves frees its memory' => sub {
    my $before = $status->json->{zone};
    my @streams = map { listen_to('dave', session => "s$_") } 1 .. 50;

    is(submit(frame('bob', 'dave'))->{json}{delivered}, 50);
    $_->leave for @streams;

    my $until = time + 20;
    my $n;

    do {
        $n = submit(frame('bob', 'dave'))->{json}{delivered};
        sleep 0.05 if $n;
    } until !$n || time > $until;

    is($n, 0, 'nobody is counted any more');
};


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/
                  && !/exited on signal 9/ } split /^/m, $nginx->error_log],
          [], 'nothing is amiss');

done_testing();
