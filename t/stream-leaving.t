# HUB-05: streams that a leaving worker opens.

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

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    more => 'parley_retain count=100 time=1h;'));


# The last octets of the request come when the worker has been leaving for some
# time, and has no other connection.
for my $by (['HTTP', port => port(1), tls => 0],
            ['TLS', port => port(4), tls => 1])
{
    my ($name, %o) = @$by;

    subtest "HUB-05: a request that was in progress, $name" => sub {
        my $connection = Parley::Client->new(%o)->connect;
        my $request = stream_request('alice', session => 's');
        my $gone = $nginx->logged(qr/worker process \d+ exited/);

        $connection->write(substr $request, 0, -2);
        sleep 0.2;
        ok($nginx->reload, 'a reload');
        sleep 2.5;
        is($nginx->logged(qr/worker process \d+ exited/), $gone,
           'it is not gone yet');
        $connection->write(substr $request, -2);

        ok($connection->expect(qr/event: ready\n/), 'the stream is opened');
        ok($connection->expect(qr/\r\n0\r\n\r\n/), 'and ended');
        ok($nginx->wait_for(qr/worker process \d+ exited/, $gone + 1),
           'the worker leaves');
    };
}


# if the streams took six seconds, one of 30 would end in the last one with a
# probability of 99 %
subtest 'HUB-05: streams end within the promised five seconds' => sub {
    my @streams = map { listen_to('alice', session => "s$_") } 1 .. 30;

    sleep 0.2 + rand 0.6;
    kill 'HUP', $nginx->pid;

    my $until = time + 5.2;
    my @late = grep { !$_->ends($until - time) } @streams;

    is(scalar @late, 0, 'all of them');
    $_->leave for @streams;
};


subtest 'HUB-05 HUB-07: a worker that gets one second' => sub {
    my $hasty = Parley::Nginx->start(
        main => 'worker_shutdown_timeout 1s;',
        http => streams_http(submit => 'channel aee hold=20s')
                =~ s/%PORT_(\d)%/"%PORT_" . ($1 + 5) . '%'/ger);
    my $client = Parley::Client->new(port => port(6), tls => 0);
    my $bob = listen_to('bob', session => 'b', port => port(6));

    # at any time between the ticks of the worker's clock
    for my $after (0.1, 0.4, 0.7) {
        my $request = $client->begin('/channel/frames', jcs(aee()),
                                     Authorization => bearer('alice'));

        ok($bob->event, 'delivered, and held');
        sleep $after;
        kill 'HUP', $hasty->pid;
        is($request->answer->{status}, 202, 'it is told that it was taken');
        ok($bob->ends(2), 'the stream is ended');

        $bob = listen_to('bob', session => 'b', port => port(6));
    }

    $bob->leave;
    $hasty->stop;
};


$nginx->stop;

is(join("\n", grep { /\[(?:alert|emerg|crit|error)\]/ }
            split /\n/, $nginx->error_log), '', 'no connection is left');

done_testing;
