# Workers that are killed while the master reads a new configuration: the master
# then blocks SIGCHLD, and a killed worker may hold the lock of the zone, which
# the master needs before the reload ends.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

# a configuration that the master needs some time to read
my $map = join "\n", map { "$_ a;" } 1 .. 150_000;
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    zone => 'streams:16m',
    more => "parley_retain count=5000 time=1h;\nmap \$uri \$mapped {\n$map\n}"));
my $client = Parley::Client->new(port => port(1), tls => 0);

# a deletion in a long log holds the lock for long
submit(frame('bob', 'alice')) for 1 .. 2000;

my @floods = map { flood() } 1 .. 3;


# Starts a process that sends deletions until it is killed.
sub flood {
    my $pid = fork // die "fork: $!\n";

    return $pid if $pid;

    my $text = join '', map {
        $client->request('DELETE', '/channel/stream/~alice?id=none', undef,
                         Authorization => bearer('alice'),
                         Connection => $_ == 50 ? 'close' : 'keep-alive')
    } 1 .. 50;

    while (1) {
        eval {
            my $connection = $client->connect;

            $connection->write($text);
            1 while $connection->fill;
            1;
        } or sleep 0.01;
    }
}

sub killed {
    my $pid = $nginx->pid;
    my @workers = split ' ', slurp("/proc/$pid/task/$pid/children");

    return kill KILL => @workers;
}


sub repaired { return $nginx->error_log =~ /state repaired/ }


subtest 'OPS-08: workers die while the master reads the configuration' => sub {
    my $rounds = 0;

    # a worker holds the lock in some rounds only
    while ($rounds < 20 || !repaired() && $rounds < 300) {
        my $until = time + 20;
        my $answer;

        kill HUP => $nginx->pid;
        sleep 0.02 + rand 0.05;
        killed();

        while (time < $until) {
            $answer = eval { submit(frame('bob', 'alice')) };
            last if $answer && $answer->{status} =~ /^2/;
            sleep 0.02;
        }

        last if !$answer || $answer->{status} !~ /^2/;
        $rounds++;
    }

    cmp_ok($rounds, '>=', 20, 'the gateway answers after each');
    ok(repaired(), "a worker held the lock, in $rounds rounds");
};


kill KILL => @floods;
waitpid $_, 0 for @floods;
$nginx->stop;

done_testing();
