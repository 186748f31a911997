# GW-32: a variable of the token that modules of nginx read while the keys of
# tokens are still fetched.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2), '$c->answer($q->{method} '
                                    . 'eq "POST" ? 202 : 200, [], "")');
my $provider = Parley::Upstream->start(port(4));
my $client = Parley::Client->new(port => port(1));
my $token = bearer('alice');

http_config();

my $gives = '$c->answer(200, [], Parley::Env::slurp("' . tmp_dir()
          . '/jwks.json"))';


sub start {
    return Parley::Nginx->start(http => <<'EOT');
    parley_zone          agents:8m;
    parley_identities    %TMP%/identities.json;
    parley_jwks_request  /_jwks interval=1s timeout=3s;
    limit_req_zone       $parley_principal zone=each:1m rate=1r/m;
    limit_req_status     490;
    server {
        listen 127.0.0.1:%PORT_1% ssl;
        ssl_certificate %TLS_CERT%;
        ssl_certificate_key %TLS_KEY%;
        location = /_jwks {
            internal;
            proxy_pass http://127.0.0.1:%PORT_4%/keys;
        }
        location /limited {
            parley_jwt on;
            limit_req zone=each;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /set {
            parley_jwt on;
            set $seen "[$parley_principal]";
            proxy_set_header X-Seen $seen;
            proxy_set_header X-Late $parley_principal;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /denied {
            deny all;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /message {
            parley_accept aee;
            parley_jwt on;
            limit_req zone=each;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
    }
EOT
}

sub get { return $client->get($_[0], Authorization => $_[1] // $token) }


subtest 'GW-32 a request waits once for the keys' => sub {
    $provider->script("\$c->pause(1); $gives");
    $provider->clear;

    my $nginx = start();

    is(get('/limited')->{status}, 200, 'the first request');
    is($provider->count, 1, 'one fetch');
    is(get('/limited')->{status}, 490, 'it was counted for its principal');
    is(get('/limited', bearer('bob'))->{status}, 200, 'another principal');
};


subtest 'GW-32 a message, too' => sub {
    $provider->script("\$c->pause(1); $gives");

    my $nginx = start();

    is($client->post('/message', jcs(aee()), Authorization => $token)
           ->{status}, 202);
    is($client->post('/message', jcs(aee()), Authorization => $token)
           ->{status}, 490, 'it was counted for its principal');
};


subtest 'GW-32 a variable that is read before the keys are loaded' => sub {
    $provider->script("\$c->pause(1); $gives");
    $service->clear;

    my $nginx = start();

    is(get('/set')->{status}, 200);
    is($service->last->{headers}{'x-seen'}, '[]', 'is empty');
    is($service->last->{headers}{'x-late'}, 'alice', 'later it is not');
    is($nginx->logged(qr/\[warn\].*parley: a variable of the token is empty/),
       1, 'the log says so once');

    is(get('/set')->{status}, 200);
    is($service->last->{headers}{'x-seen'}, '[alice]', 'the next request');
};


subtest 'GW-32 keys that do not come' => sub {
    $provider->script('$c->answer(500, [], "no")');

    my $nginx = start();
    my $answer = get('/limited');

    is($answer->{status}, 503, 'the request is refused');
    ok($answer->{headers}{'retry-after'}, 'when to try again');
    is($client->get('/limited')->{status}, 401, 'without a token: at once');
};


done_testing();
