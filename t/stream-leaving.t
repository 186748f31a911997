# HUB-05: streams that are opened by a worker that is to leave.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    more => 'parley_retain count=100 time=1h;'));


# The last octets of the request come when the worker has known for some time
# that it is to leave, and has nobody else.
for my $by (['HTTP', port => port(1), tls => 0],
            ['TLS', port => port(4), tls => 1])
{
    my ($name, %o) = @$by;

    subtest "HUB-05: a request that was under way, $name" => sub {
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


$nginx->stop;

is(join("\n", grep { /\[(?:alert|emerg|crit|error)\]/ }
            split /\n/, $nginx->error_log), '', 'no connection is left');

done_testing;
