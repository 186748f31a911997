# The number of refusals in the error log, and that the sums include all
# others.

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
use Parley::Status;

use constant MANY => 300;

my $nginx = Parley::Nginx->start(workers => 1, http => gateway_http(
    server => 'keepalive_requests 10000; location /status { parley_status; }'));
my $client = Parley::Client->new(port => port(1));
my $status = Parley::Status->new(port => port(3));
my $line = qr/\[warn\] [^\n]*parley: refused, field-invalid/;
my $sum = qr/\[warn\] [^\n]*parley: (\d+) more refusals within a second: ([^\n]+)/;


sub flood {
    my $connection = $client->connect;
    my $token = bearer('alice');

    for (1 .. MANY) {
        $connection->write($client->request('POST', '/aee',
            jcs(aee(priority => 'x')), Authorization => $token,
            Connection => 'keep-alive'));
        $connection->answer;
        $connection->{buffer} = '';
    }
}


# Returns the number of refusals in the sums.
sub summed {
    my $n = 0;
    my $log = $nginx->error_log;

    $n += $1 while $log =~ /$sum/g;

    return $n;
}


subtest 'OPS-07 a few refusals have lines, and a sum has the rest' => sub {
    my $began = time;

    flood();

    my $seconds = 1 + int(time - $began + 1);
    my $end = time + 10;

    sleep 0.1 while summed() + $nginx->logged($line) < MANY && time < $end;

    my $lines = $nginx->logged($line);

    cmp_ok($lines, '>=', 10, 'there are lines');
    cmp_ok($lines, '<=', 10 * $seconds, 'and few of them');
    is(summed() + $lines, MANY, 'all are told of');
    # one more: refusals after the last request are reported after it

    cmp_ok($nginx->logged($sum), '<=', $seconds + 1, 'in a line each second');

    $nginx->error_log =~ $sum;
    like($2, qr/^field-invalid \d+$/, 'with the code');
};


subtest 'OPS-07 all refusals are counted' => sub {
    is($status->refused('field-invalid'), MANY);
    is($status->metric('parley_log_suppressed_total'),
       MANY - $nginx->logged($line));
};


subtest 'OPS-07 a worker that ends logs its sum' => sub {
    sleep 1.1;
    flood();
    $nginx->stop;

    is(summed() + $nginx->logged($line), 2 * MANY);
};


done_testing;
