# Keys fetched through an internal location: at the first use and for an
# unknown kid, at most once per interval, with the last valid ones kept.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port root slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $provider = Parley::Upstream->start(port(4));

my ($one, $two, $three) = map { new_key('ed25519', "id-$_") } 1 .. 3;
my $client = Parley::Client->new(port => port(1));


# Returns a gateway whose keys come from the provider.
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
            proxy_read_timeout 4s;
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


# Sets the keys of the provider, valid or not.
sub provide { publish(map { $_->{jwk} } @_) }

sub publish {
    spew(tmp_dir() . '/provided', jcs({ keys => [@_] }));
    $provider->script('$c->answer(200, [], Parley::Env::slurp("'
                      . tmp_dir() . '/provided"))');
}


sub try {
    my $key = shift;
    return $client->raw(post('/aee', aee(), token => 'Bearer '
                             . token($key, { sub => 'alice' })));
}


my $nginx;


subtest 'GW-02 nginx starts without the provider' => sub {
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


subtest 'GW-02 keys are fetched when the provider has some' => sub {
    provide($one);

    my $answer;
    my $until = time + 8;

    do {
        $answer = try($one);
        sleep 0.2 if $answer->{status} == 503;
    } while ($answer->{status} == 503 && time < $until);

    is($answer->{status}, 202);
};


subtest 'GW-02 the provider gets no token and no body of the caller' => sub {
    my $got = $provider->last;

    is($got->{method}, 'GET');
    is($got->{headers}{authorization}, undef);
    is($got->{body}, '');
    unlike(join('', map { "@$_" } @{ $got->{list} }), qr/Bearer/);
};


subtest 'GW-02 known keys are not fetched again' => sub {
    my $n = $provider->count;

    is(try($one)->{status}, 202) for 1 .. 10;
    is($provider->count, $n);
};


subtest 'GW-02 rotation: an unknown kid causes a fetch, without a restart' => sub {
    sleep 2.1;
    provide($two);

    my $n = $provider->count;

    is(try($two)->{status}, 202, 'the new key');
    is($provider->count, $n + 1, 'fetched once');
};


subtest 'GW-02 a token with a withdrawn key is refused, cached or not' => sub {
    is(try($one)->{status}, 401) for 1 .. 4;
};


subtest 'GW-02 unknown kids cause at most one fetch per interval' => sub {
    sleep 2.1;

    my $n = $provider->count;
    my $from = time;
    my @kids = map { new_key('ed25519', "unknown-$_") } 1 .. 8;

    is(try($_)->{status}, 401) for @kids;
    cmp_ok($provider->count - $n, '<=', 1 + int((time - $from) / 2),
           'whoever asks, in all workers');
    cmp_ok($provider->count - $n, '>=', 1);
};


subtest 'GW-02 the last valid keys are kept when the provider fails' => sub {
    for ('$c->answer(500)', '$c->answer(200, [], "no keys")',
         '$c->answer(200, [], q({"keys":[]))', '$c->answer(200, [], q({}))',
         '$c->answer(200, [], q({"keys":null}))',
         '$c->answer(404, [], q({"keys":[]}))', '$c->{keep} = 0')
    {
        sleep 2.1;
        $provider->script($_);
        is(try($three)->{status}, 401, "unknown: $_");
        is(try($two)->{status}, 202, 'the good one is kept');
    }
};


subtest 'SEC-18 a weak key is left out and logged, and the others stay' => sub {
    my $three = { %{ $three->{jwk} } };

    for (['roca-2048', qr/\/keys\/1\/n .*ROCA/],
         ['short', qr/\/keys\/1\/k .*32 octets/],
         ['one', qr/\/keys\/1\/e /])
    {
        my ($name, $why) = @$_;
        my $weak = $name eq 'short' ? { kty => 'oct', k => 'AAEC' }
                 : from_json(slurp(root() . '/t/cases/keys/'
                       . ($name eq 'one' ? 'near-' : '') . 'roca-2048.jwk'));

        $weak->{e} = 'AQ' if $name eq 'one';
        sleep 2.1;
        publish($two->{jwk}, $weak, $three);

        is(try(new_key('ed25519', "weak-$name"))->{status}, 401, 'unknown');
        is(try($two)->{status}, 202, "$name: the good one before it");
        ok($nginx->logged(qr/brought 1 weak or broken keys, which are left out/),
           'counted');
        ok($nginx->logged($why), 'named');
    }
};


subtest 'GW-02 a set without a usable key keeps the last valid ones' => sub {
    for ({ kty => 'oct', k => 'AAEC' }, { kty => 'XYZ', kid => 'new' },
         { %{ $one->{jwk} }, use => 'enc' })
    {
        sleep 2.1;
        publish($_);

        is(try(new_key('ed25519', 'none'))->{status}, 401, 'unknown');
        is(try($two)->{status}, 202, 'the good one is kept');
        is(try($three)->{status}, 202, 'the other, too');
    }

    ok($nginx->logged(qr/brought no key that verifies tokens/), 'logged');
};


subtest 'GW-02 a published empty set withdraws every key' => sub {
    sleep 2.1;
    publish();

    is(try(new_key('ed25519', 'asks'))->{status}, 401, 'it is fetched');
    is($nginx->logged(qr/\[warn\].* an empty key set, which withdraws every/),
       1, 'told once');

    for ($two, $three) {
        my $answer = try($_);

        is($answer->{status}, 401, 'withdrawn, cached or not');
        is($answer->{json}{payload}{code}, 'E_TOKEN_INVALID');
    }

    my $n = $service->count;

    is(try($two)->{status}, 401) for 1 .. 4;
    is($service->count, $n, 'nothing is forwarded');
};


subtest 'GW-02 a reload and a failing provider do not restore them' => sub {
    ok($nginx->reload);
    is(try($two)->{status}, 401);

    sleep 2.1;
    $provider->script('$c->answer(500)');
    is(try($two)->{status}, 401) for 1 .. 4;
};


subtest 'GW-02 keys that are published again are valid again' => sub {
    sleep 2.1;
    publish($two->{jwk});
    is(try($two)->{status}, 202);
};


subtest 'GW-02 the last valid keys are kept when the provider is down' => sub {
    sleep 2.1;
    $provider->stop;
    is(try($three)->{status}, 401);
    is(try($two)->{status}, 202);
};


subtest 'GW-02 a reload keeps the last valid keys' => sub {
    ok($nginx->reload);
    is(try($two)->{status}, 202, 'though the provider is gone');
};


subtest 'GW-02 a provider that hangs does not delay valid tokens' => sub {
    $provider = Parley::Upstream->start(port(4), '$c->pause(20)');
    sleep 2.1;

    my $slow = $client->begin('/aee', jcs(aee()), Authorization =>
        'Bearer ' . token($three, { sub => 'alice' }));

    ok($provider->wait_for(1), 'a fetch is under way');

    # a request that waited for the fetch would be answered after its failure

    my $failed = qr/"\/_jwks" failed with status 504/;
    my $meanwhile = 0;

    until ($nginx->logged($failed)) {
        is(try($two)->{status}, 202);
        $meanwhile++ if !$nginx->logged($failed);
        sleep 0.2;
    }

    ok($meanwhile, 'answered while it is under way');
    is($slow->answer->{status}, 401, 'the other is refused in time');
};


$nginx->stop;


subtest 'GW-02 refresh: a withdrawn key is removed without an unknown kid' => sub {
    provide($one, $two);
    $nginx = Parley::Nginx->start(
        http => gateway('/_jwks interval=1s refresh=2s'));

    is(try($one)->{status}, 202);
    provide($two);

    my $until = time + 20;
    my $answer;

    do {
        sleep 0.2;
        $answer = try($one);
    } while ($answer->{status} == 202 && time < $until);

    is($answer->{status}, 401, 'gone');
    is(try($two)->{status}, 202);
    $nginx->stop;
};


subtest 'GW-02 parley_jwks is used until then, if it is configured' => sub {
    $provider->script('$c->answer(500)');
    spew(tmp_dir() . '/local.json', jwks($three));
    $nginx = Parley::Nginx->start(http => gateway('/_jwks interval=1s',
                                    'parley_jwks %TMP%/local.json;'));

    is(try($three)->{status}, 202);
};


subtest 'GW-02 an empty set replaces parley_jwks too' => sub {
    sleep 1.1;
    publish();

    is(try(new_key('ed25519', 'asks'))->{status}, 401, 'it is fetched');
    is(try($three)->{status}, 401, 'the provider has said that there is none');
};


subtest 'nginx -t names a location that does not verify its peer' => sub {
    my $verify = 'proxy_ssl_verify on; proxy_ssl_trusted_certificate '
                 . '%TLS_CERT%;';
    my $warns = qr/\[warn\].*does[ ]not[ ]verify[ ]the[ ]certificate.*
                   in[ ]\S+:\d+/x;

    for my $case ([ jwks_request => '/_jwks' ],
                  [ deliver => '/_deliver hosts=127.0.0.1' ])
    {
        my ($name, $words) = @$case;
        my ($uri) = split ' ', $words;
        my $of = sub {
            return "parley_zone a:8m; parley_$name $words; server { "
                   . 'listen 127.0.0.1:%PORT_1%; location /in { '
                   . 'parley_accept aee; parley_trusted on; '
                   . 'proxy_pass http://127.0.0.1:%PORT_2%; } '
                   . "location = $uri { internal; @_ } }";
        };
        my $url = $name eq 'deliver' ? '$parley_deliver_url'
                                     : 'https://127.0.0.1:%PORT_4%/keys';

        my ($status, $said) = Parley::Nginx->check(
            http => $of->("proxy_pass $url;"));

        is($status, 0, "parley_$name: a warning, no error");
        like($said, qr/"parley_$name" uses the location "$uri", which/,
             "parley_$name: the directive and the location");
        like($said, $warns, "parley_$name: file and line");

        ($status, $said) = Parley::Nginx->check(
            http => $of->("proxy_pass $url; $verify"));

        is($status, 0, "parley_$name: verified");
        unlike($said, $warns, "parley_$name: verified, no warning");
    }

    my (undef, $said) = Parley::Nginx->check(http => gateway('/_jwks'));

    unlike($said, $warns, 'http: no certificate, no warning');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
