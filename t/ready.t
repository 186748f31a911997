# parley_health: whether the gateway lives, and whether it can accept messages.

use strict;
use warnings;

use lib 't/lib';

use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;

my $probes = 'location = /live { parley_health live; } '
           . 'location = /ready { parley_health ready; } '
           . 'location = /status { parley_status; allow 127.0.0.1; '
           . 'deny all; } ';
my $status = Parley::Status->new(port => port(3));

sub start {
    my %o = @_;

    return Parley::Nginx->start(http => http_config(%o)
        . 'server { listen 127.0.0.1:%PORT_1% ssl; listen 127.0.0.1:%PORT_3%; '
        . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
        . 'keepalive_requests 100000; ' . $probes . ($o{server} // '')
        . 'location /in { parley_accept aee; parley_jwt on; access_log off; '
        . 'proxy_pass http://127.0.0.1:%PORT_2%; } } '
        . 'server { listen 127.0.0.1:%PORT_2%; '
        . 'location / { return 202; } }');
}


sub said {
    my ($uri, $want, $name) = @_;

    my $r = $status->get($uri);
    my $json = JSON::PP->new->utf8->decode($r->{content});

    is($r->{status} . ' ' . $json->{status}, $want, $name // $uri);

    return $json;
}


# Sends messages of alice until one is refused.
sub fill {
    my $client = Parley::Client->new(port => port(1));
    my $connection = $client->connect;
    my $token = bearer('alice');

    for my $n (0 .. 20_000) {
        $connection->write($client->request('POST', '/in', jcs(aee()),
            Authorization => $token, Connection => 'keep-alive'));

        my $answer = $connection->answer;
        $connection->{buffer} = '';

        return $answer->{json}{payload}{code} if $answer->{status} != 202;
    }

    return '';
}


my $nginx = start();


subtest 'OPS-03 GET and HEAD, without a token' => sub {
    said('/live', '200 live');
    said('/ready', '200 ready');

    for my $uri ('/live', '/ready') {
        my $head = $status->ask('HEAD', $uri);

        is("$head->{status} " . ($head->{content} // ''), '200 ', "HEAD $uri");
        is($head->{headers}{'content-type'}, 'application/json');
        is($head->{headers}{'cache-control'}, 'no-store');

        is($status->ask($_, $uri)->{status}, 405, "$_ $uri")
            for qw(POST DELETE);
    }
};


subtest 'OPS-03 the requests are not counted as messages' => sub {
    said('/ready', '200 ready') for 1 .. 5;

    my $json = $status->json;

    is_deeply($json->{messages}{verdicts}, []);
    is_deeply($json->{messages}{answers},
              { gateway => 0, upstream => 0, other => 0 });
    is($json->{zone}{entries}{$_}, 0, $_) for qw(ids limits principals);
};


$nginx->stop;
$nginx = start(zone => 'agents:128k share=25%');


subtest 'OPS-03 SEC-09 a tenant that uses up its share does not make the node unready' =>
sub {
    is(fill(), 'E_CAPACITY', 'alice has her share');

    said('/ready', '200 ready');

    my $zone = $status->json->{zone};

    cmp_ok($zone->{refused}{share}, '>', 0);
    cmp_ok($zone->{largest_share}, '>', 0.15, 'and how much that is is told');
    cmp_ok($zone->{largest_share}, '<=', 0.25);
};


$nginx->stop;
$nginx = start(zone => 'agents:128k share=100%');


subtest 'OPS-03 a full zone answers, and is not ready' => sub {
    is(fill(), 'E_CAPACITY', 'the zone is full');

    said('/live', '200 live');

    my $json = said('/ready', '503 not ready');

    is_deeply([keys %{ $json->{failed} }], ['zone']);
    like($json->{failed}{zone}, qr/no room/);
    is($status->json->{health}{checks}{zone}, 0, 'as the status says');
    is($status->metric('parley_ready{check="zone"}'), 0);
};


$nginx->stop;
$nginx = start(zone => 'agents:1m',
               server => 'location = /keys { internal; '
                       . 'proxy_pass http://127.0.0.1:%PORT_4%; } ',
               more => 'parley_jwks_request /keys interval=1s timeout=1s;');


subtest 'OPS-03 keys that were loaded once are enough' => sub {
    # the file has keys; the provider is down
    said('/ready', '200 ready');
};


{
    no warnings 'redefine';

    my $config = \&http_config;
    *http_config = sub { $config->(@_) =~ s/^ *parley_jwks .*\n//mr };
}

$nginx->stop;
$nginx = start(zone => 'agents:1m',
               server => 'location = /keys { internal; '
                       . 'proxy_pass http://127.0.0.1:%PORT_4%; } ',
               more => 'parley_jwks_request /keys interval=1s timeout=1s;');


subtest 'OPS-03 without keys the gateway is not ready' => sub {
    said('/live', '200 live');

    my $json = said('/ready', '503 not ready');

    is_deeply([keys %{ $json->{failed} }], ['keys']);
    unlike($json->{failed}{keys}, qr{/keys|127}, 'and no URL is told');

    my $end = time + 5;
    sleep 0.05 while !$status->json->{keys}{fetch_failed} && time < $end;

    is($status->json->{keys}{fetch_failed}, 1);
    is($status->metric('parley_ready{check="keys"}'), 0);
};


subtest 'OPS-03 the gateway is ready when it has keys' => sub {
    my $provider = Parley::Nginx->start(http =>
        'server { listen 127.0.0.1:%PORT_4%; location / { '
        . "default_type application/json; return 200 '"
        . jwks(idp()) . "'; } }");
    my $end = time + 10;

    sleep 0.1 while $status->get('/ready')->{status} != 200 && time < $end;

    said('/ready', '200 ready');

    my $keys = $status->json->{keys};

    is($keys->{loaded}{fetched}, 1);
    is($keys->{fetch_failed}, 0);
    cmp_ok($keys->{age}, '<', 10);
};


is($nginx->logged(qr/\[(?:alert|emerg)\]/), 0, 'nothing alarming');

done_testing;
