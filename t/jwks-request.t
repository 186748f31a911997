# Keys fetched through an internal location: at the first use, when a kid is
# unknown, never more than once per interval, the last good ones kept.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $provider = Parley::Upstream->start(port(4));

my ($one, $two, $three) = map { new_key('ed25519', "id-$_") } 1 .. 3;
my $client = Parley::Client->new(port => port(1));


# a gateway whose keys come from the provider
sub gateway {
    my ($directive, $more) = @_;

    http_config();
    $more //= '';

    return <<"EOT";
    parley_zone          agents:8m;
    parley_identities    %TMP%/identities.json;
    parley_jwks_request  $directive;
    $more
    server {
        listen 127.0.0.1:%PORT_1% ssl;
        ssl_certificate     %TLS_CERT%;
        ssl_certificate_key %TLS_KEY%;

        location = /_jwks {
            internal;
            subrequest_output_buffer_size 64k;
            proxy_connect_timeout 500ms;
            proxy_read_timeout 1s;
            proxy_pass http://127.0.0.1:%PORT_4%/keys;
        }

        location /aee {
            parley_accept aee;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
    }
EOT
}


# what the provider has from now on
sub provide {
    spew(tmp_dir() . '/provided', jwks(@_));
    $provider->script('$c->answer(200, [], Parley::Env::slurp("'
                      . tmp_dir() . '/provided"))');
}


sub try {
    my $key = shift;
    return $client->raw(post('/aee', aee(), token => 'Bearer '
                             . token($key, { sub => 'alice' })));
}


my $nginx;


subtest 'GW-02 the provider is not needed to start' => sub {
    $provider->script('$c->answer(500)');
    $nginx = Parley::Nginx->start(workers => 2,
                                  http => gateway('/_jwks interval=2s'));

    my $answer = try($one);

    is($answer->{status}, 503, 'no keys yet');
    is($answer->{json}{payload}{code}, 'E_CAPACITY');
    like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'Retry-After');
    is($service->count, 0, 'nothing is forwarded');
    ok($nginx->logged(qr/parley_jwks_request "\/_jwks" failed/), 'logged');
};


subtest 'GW-02 keys are fetched as soon as there are some' => sub {
    provide($one);

    my $answer;
    my $until = time + 8;

    do {
        $answer = try($one);
        sleep 0.2 if $answer->{status} == 503;
    } while ($answer->{status} == 503 && time < $until);

    is($answer->{status}, 202);
};


subtest 'GW-02 the provider sees no token and no body of the caller' => sub {
    my $got = $provider->last;

    is($got->{method}, 'GET');
    is($got->{headers}{authorization}, undef);
    is($got->{body}, '');
    unlike(join('', map { "@$_" } @{ $got->{list} }), qr/Bearer/);
};


subtest 'GW-02 keys that are known are not fetched again' => sub {
    my $n = $provider->count;

    is(try($one)->{status}, 202) for 1 .. 10;
    is($provider->count, $n);
};


subtest 'GW-02 rotation: an unknown kid fetches, without a restart' => sub {
    sleep 2.1;
    provide($two);

    my $n = $provider->count;

    is(try($two)->{status}, 202, 'the new key');
    is($provider->count, $n + 1, 'fetched once');
};


subtest 'GW-02 a token by a key that was withdrawn is refused, cached or not' => sub {
    is(try($one)->{status}, 401) for 1 .. 4;
};


subtest 'GW-02 unknown kids fetch at most once per interval' => sub {
    sleep 2.1;

    my $n = $provider->count;
    my @kids = map { new_key('ed25519', "unknown-$_") } 1 .. 8;

    is(try($_)->{status}, 401) for @kids;
    cmp_ok($provider->count - $n, '<=', 2, 'whoever asks, in all workers');
    cmp_ok($provider->count - $n, '>=', 1);
};


subtest 'GW-02 the last good keys are kept when the provider fails' => sub {
    for ('$c->answer(500)', '$c->answer(200, [], "no keys")',
         '$c->answer(200, [], q({"keys":[]}))', '$c->{keep} = 0')
    {
        sleep 2.1;
        $provider->script($_);
        is(try($three)->{status}, 401, "unknown: $_");
        is(try($two)->{status}, 202, 'the good one is kept');
    }
};


subtest 'GW-02 the last good keys are kept when nobody answers there' => sub {
    sleep 2.1;
    $provider->stop;
    is(try($three)->{status}, 401);
    is(try($two)->{status}, 202);
};


subtest 'GW-02 a reload keeps them' => sub {
    ok($nginx->reload);
    is(try($two)->{status}, 202, 'though the provider is gone');
};


subtest 'GW-02 a provider that hangs does not hang those with good tokens' => sub {
    $provider = Parley::Upstream->start(port(4), '$c->pause(3)');
    sleep 2.1;

    my $slow = $client->begin('/aee', jcs(aee()), Authorization =>
        'Bearer ' . token($three, { sub => 'alice' }));

    ok($provider->wait_for(1), 'a fetch is under way');

    my $from = time;

    is(try($two)->{status}, 202);
    cmp_ok(time - $from, '<', 0.9, 'at once');
    is($slow->answer->{status}, 401, 'the other is refused in time');
};


$nginx->stop;


subtest 'GW-02 refresh: a withdrawn key goes without an unknown kid' => sub {
    provide($one, $two);
    $nginx = Parley::Nginx->start(
        http => gateway('/_jwks interval=1s refresh=2s'));

    is(try($one)->{status}, 202);
    provide($two);
    sleep 2.2;
    is(try($one)->{status}, 401, 'gone');
    is(try($two)->{status}, 202);
    $nginx->stop;
};


subtest 'GW-02 until then parley_jwks will do where it is given too' => sub {
    $provider->script('$c->answer(500)');
    spew(tmp_dir() . '/local.json', jwks($three));
    $nginx = Parley::Nginx->start(http => gateway('/_jwks interval=1s',
                                    'parley_jwks %TMP%/local.json;'));

    is(try($three)->{status}, 202);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
