# A full zone refuses messages with the reason, and recovers.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

use constant WINDOW => 15;

# the service is nginx itself, which is fast
my $nginx = Parley::Nginx->start(http => http_config(zone => 'agents:128k')
    . 'server { listen 127.0.0.1:%PORT_1% ssl; keepalive_requests 100000; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . 'location /in { parley_accept aee; parley_jwt on; access_log off; '
    . 'parley_freshness past=3s future=1s; parley_window ' . WINDOW . 's; '
    . 'proxy_http_version 1.1; proxy_set_header Connection ""; '
    . 'proxy_pass http://service; } } '
    . 'upstream service { server 127.0.0.1:%PORT_2%; keepalive 8; } '
    . 'server { listen 127.0.0.1:%PORT_2%; keepalive_requests 100000; '
    . 'access_log service.log; location / { return 202; } }');

my $client = Parley::Client->new(port => port(1));
my $token = bearer('alice');
my $taken = 0;
my ($full, $first);


# Sends many messages over one connection; returns the first answer that is not
# 202.
sub flood {
    my $connection = $client->connect;

    for (1 .. $_[0]) {
        my $m = aee();

        $first //= $m;
        $connection->write($client->request('POST', '/in', jcs($m),
            Authorization => $token, Connection => 'keep-alive'));

        my $answer = $connection->answer;
        $connection->{buffer} = '';

        return $answer if $answer->{status} != 202;
        $taken++;
    }

    return undef;
}


subtest 'GW-12 a full zone refuses with capacity, and forgets nothing' => sub {
    $full = flood(10_000);

    ok($full, "full after $taken messages") or return;
    is($full->{status}, 503);
    is($full->{json}{payload}{code}, 'E_CAPACITY');
    is($full->{json}{payload}{retryable}, JSON::PP::true);
    like($full->{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'Retry-After');

    my $got = () = slurp($nginx->dir . '/service.log') =~ /\n/g;

    is($got, $taken, 'it was not forwarded');
};


subtest 'GW-12 nothing was forgotten while it was full' => sub {
    # while the zone is full the first message is refused for one reason or
    # another, but never accepted
    my $again = $client->raw(post('/in', { %$first, ts => timestamp() }));

    is($again->{status}, 409, 'the first message is a duplicate still');
};


subtest 'GW-12 it recovers as entries expire' => sub {
    my $status = 0;

    for (1 .. 10 * WINDOW) {
        $status = $client->raw(post('/in', aee()))->{status};
        last if $status == 202;
        sleep 0.2;
    }

    is($status, 202);

    sleep WINDOW + 0.5;

    my $again = flood($taken / 2);

    is($again && $again->{status}, undef, 'there is room for as many again');
};


is($nginx->logged(qr/\[(?:alert|emerg)\]/), 0, 'nothing alarming');
ok($nginx->logged(qr/parley: refused, capacity/), 'the log says it');

done_testing;
