# Keys of several issuers: each verifies its own tokens, from files and
# fetched.

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

my $service = Parley::Upstream->start(port(2));
my $provider = Parley::Upstream->start(port(4));

# all have the same kid
my ($a, $b, $c, $any) = map { new_key('ed25519', $_) } ('1') x 3, '2';
my ($of_a, $of_b, $of_c) = map { "https://$_.example" } qw(a b c);
my $client = Parley::Client->new(port => port(1));
my $dir = tmp_dir();

http_config();
spew("$dir/a.json", jwks($a));
spew("$dir/b.json", jwks($b));
spew("$dir/any.json", jwks($any));


sub gateway {
    my $keys = shift;

    return <<"EOT";
    parley_zone agents:8m;
    parley_identities %TMP%/identities.json;
    $keys
    server {
        listen 127.0.0.1:%PORT_1% ssl;
        ssl_certificate     %TLS_CERT%;
        ssl_certificate_key %TLS_KEY%;

        location = /_jwks {
            internal;
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


# Returns the status, and the member in the error.
sub try {
    my ($key, $iss) = @_;

    my $answer = $client->raw(post('/aee', aee(), token => 'Bearer '
        . token($key, { sub => 'alice', defined $iss ? (iss => $iss) : () })));

    return $answer->{status} if $answer->{status} == 202;

    my $payload = from_json($answer->{body})->{payload};

    return "$answer->{status} $payload->{code}";
}


my $bad = '401 E_TOKEN_INVALID';

subtest 'SEC-16 GW-02 keys from files' => sub {
    my $nginx = Parley::Nginx->start(http => gateway(<<"EOT"));
    parley_jwks $dir/a.json issuer=$of_a;
    parley_jwks $dir/any.json;
    parley_jwks $dir/b.json issuer=$of_b;
EOT

    is(try($a, $of_a), 202, 'an issuer, its own key');
    is(try($b, $of_b), 202, 'another issuer, another key of the same kid');
    is(try($a, $of_b), $bad, 'no issuer speaks for another');
    is(try($b, $of_a), $bad, 'nor the other one');
    is(try($a, $of_c), $bad, 'nor for one without keys');
    is(try($a, undef), $bad, 'nor for nobody');
    is(try($any, $of_a), 202, 'keys of no issuer verify those of any');
    is(try($any, undef), 202, 'and of none');
    is(try($a, $of_a), 202, 'again, now perhaps from the cache');
    is(try($a, $of_b), $bad, 'which confuses nobody');
};


subtest 'GW-02 fetched keys do not affect those of other issuers'
    => sub {
    spew("$dir/provided", jwks($c));
    $provider->script("\$c->answer(200, [], Parley::Env::slurp("
                      . "'$dir/provided'))");

    my $nginx = Parley::Nginx->start(http => gateway(<<"EOT"));
    parley_jwks_request /_jwks issuer=$of_c interval=1s;
    parley_jwks $dir/a.json issuer=$of_a;
    parley_jwks $dir/b.json issuer=$of_c;
EOT

    ok($provider->wait_for(1), 'fetched');
    is(try($c, $of_c), 202, 'a fetched key, its issuer');
    is(try($c, $of_a), $bad, 'and no other');
    is(try($a, $of_a), 202, 'a file of another issuer stays');
    is(try($b, $of_c), $bad, 'a file of the same one does not');

    spew("$dir/provided", '{"keys": []}');
    sleep 1;

    is(try(new_key('ed25519', '9'), $of_c), $bad, 'an unknown kid');
    is(try($c, $of_c), $bad, 'its keys are withdrawn');
    is(try($a, $of_a), 202, "another issuer's are not");
};


sub wrong_keys {
    my ($name, $keys, $expected) = @_;

    my ($status, $said) = Parley::Nginx->check(http => gateway($keys));

    is($status, 1, "$name: nginx -t");
    like($said, $expected, $name);
}

subtest 'GW-11 errors of the configuration' => sub {
    wrong_keys('no issuer', "parley_jwks $dir/a.json issuer=;",
               qr/"parley_jwks": "issuer=" is empty/);
    wrong_keys('another word', "parley_jwks $dir/a.json audience=x;",
               qr/"parley_jwks": "audience=x" is unknown; expected issuer=/);
    wrong_keys('no issuer of what is fetched',
               'parley_jwks_request /_jwks issuer=;',
               qr/"parley_jwks_request": "issuer=" is empty/);
    wrong_keys('two keys of one kid and issuer',
               "parley_jwks $dir/a.json issuer=$of_a;\n"
               . "parley_jwks $dir/b.json issuer=$of_a;",
               qr{b\.json" line 1: /keys/0/kid another file has a key of the same kid});
    wrong_keys('of one issuer and of any',
               "parley_jwks $dir/a.json issuer=$of_a;\n"
               . "parley_jwks $dir/b.json;",
               qr/another file has a key of the same kid/);
};

done_testing;
