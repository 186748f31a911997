# Ten thousand suspended principals: their part of the status is limited, and
# reading it does not block a worker.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;

use constant { MANY => 10_000, SHOWN => 100 };

# all suspensions count for one account, so its share of the zone must be large
# enough
my $http = http_config(zone => 'agents:96m');

sub name { return "agent://ops.example/worker-$_[0]" }

spew(tmp_dir() . '/identities.json', jcs({ principals => [
    { sub => 'lead', vcp => person('lead')->{vcp} },
    map { { sub => "worker-$_", vcp => name($_), parent => 'lead' } }
        1 .. MANY ] }));

# one worker; the service is nginx itself, which is fast
my $nginx = Parley::Nginx->start(workers => 1, http => $http
    . 'server { listen 127.0.0.1:%PORT_1% ssl; keepalive_requests 100000; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . 'location /in { parley_accept vcp; parley_trusted on; access_log off; '
    . 'proxy_http_version 1.1; proxy_set_header Connection ""; '
    . 'proxy_pass http://service; } '
    . 'location /live { parley_health live; } } '
    . 'upstream service { server 127.0.0.1:%PORT_2%; keepalive 8; } '
    . 'server { listen 127.0.0.1:%PORT_2%; keepalive_requests 100000; '
    . 'access_log off; location / { return 202; } } '
    . 'server { listen 127.0.0.1:%PORT_3%; location /status { '
    . 'parley_status suspended=' . SHOWN . '; allow 127.0.0.1; deny all; } }');

my $client = Parley::Client->new(port => port(1));
my $status = Parley::Status->new(port => port(3));


subtest 'VCP-26 OPS-01 the status has some of ten thousand, and the number of the others' => sub {
    my $connection = $client->connect;
    my %other;

    for (1 .. MANY) {
        my $m = escalation(severity => 'emergency', requires_ack => true);

        $m->{sender} = name($_);
        $connection->write($client->request('POST', '/in', jcs($m),
                                            Connection => 'keep-alive'));

        my $answer = $connection->answer;

        $other{"$answer->{status} $answer->{body}"}++
            if $answer->{status} !~ /^2/;
        $connection->{buffer} = '';
    }

    is_deeply(\%other, {}, 'all are taken');

    my $began = time;
    my $answer = $status->get('/status?format=json');
    my $took = time - $began;
    my $json = from_json($answer->{content});
    my %sub = map { $_->{sub} => 1 } @{ $json->{suspended}{list} };

    is_deeply($json->{suspensions}{now},
              { suspended => MANY, paused => 0 }, 'all are counted');
    is(@{ $json->{suspended}{list} }, SHOWN, 'as many as were asked for');
    is(keys %sub, SHOWN, 'each of them once');
    is($json->{suspended}{more}, MANY - SHOWN, 'and how many more');
    cmp_ok(length $answer->{content}, '<', 100_000, 'it is bounded');
    cmp_ok($took, '<', 2, 'and told at once') or diag($took);
    is($status->metric('parley_suspensions{state="suspended"}'), MANY,
       'a gauge');
};


subtest 'VCP-26 OPS-01 the last of many is found' => sub {
    ok($nginx->reload(workers => 1, http => $http
        . 'server { listen 127.0.0.1:%PORT_3%; location /status { '
        . 'parley_status suspended=1000; allow 127.0.0.1; deny all; } }'),
       'as many as there may be');

    my $told = $status->json->{suspended};

    is(@{ $told->{list} }, 1000, 'are told');
    is($told->{more}, MANY - 1000, 'and how many more');
};


is($nginx->logged(qr/\[(?:alert|crit|emerg)\]/), 0, 'nothing alarming');

done_testing;
