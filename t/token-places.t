# GW-02: a token in one of several places of a request.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2), <<'EOT');
    $c->answer(200, ['Content-Type' => 'text/plain'], $q->{uri});
EOT

my $nginx = Parley::Nginx->start(http => gateway_http(server => <<'EOT'));
        location /two {
            parley_jwt on token=$http_authorization,$cookie_s
                       origin=https://app.example;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /four {
            parley_jwt on token=$arg_t,$cookie_s,$http_x_token,header;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT

my $client = Parley::Client->new(port => port(1));

sub bare_token { return bearer(@_) =~ s/^Bearer //r }

my $alice = bare_token('alice');
my @header = (Authorization => "Bearer $alice");
my @cookie = (Cookie => "a=1; s=$alice");
my @foreign = (Origin => 'https://evil.example');

sub ask {
    my ($uri, @headers) = @_;

    return $client->send(GET => $uri, undef, @headers);
}

sub code {
    my $answer = ask(@_);

    return $answer->{status} == 200 ? 200 : $answer->{json}{code};
}


subtest 'GW-02 a token in any of the places' => sub {
    is(code('/two', @header), 200, 'the header');
    is(code('/two', @cookie), 200, 'the cookie');
    is(code('/two'), 'token-missing');
    is(code('/four', @header), 200, 'the last place');
    is(code('/four', 'X-Token' => $alice), 200, 'another header');
    is(code('/four', @cookie), 200, 'a cookie');
    is(code("/four?t=$alice"), 200, 'an argument');
    unlike(ask("/four?t=$alice")->{body}, qr/\Q$alice\E/,
           'the service does not get the argument');
};


subtest 'GW-02 two tokens are refused' => sub {
    my $answer = ask('/two', @header, @cookie);

    is($answer->{status}, 401);
    is($answer->{json}{code}, 'token-invalid');
    like($answer->{body}, qr/the request has two tokens; expected one/);

    is(code('/two', @header, Cookie => 's=x'), 'token-invalid',
       'also if the other is broken');
    is(code('/two', @header, @cookie, @foreign), 'token-invalid',
       'of another origin');
    is(code('/two', Authorization => "Bearer$_$alice", @cookie),
       'token-invalid', 'also if other octets end the scheme')
        for "\t", ',', '=', "\x{a0}", '"';
    is(code("/four?t=$alice", @header), 'token-invalid');
    is(code("/four?t=$alice", 'X-Token' => $alice), 'token-invalid');
    is(code('/two', Cookie => "s=$alice; s=$alice"), 'token-invalid',
       'two cookies');
};


subtest 'GW-02 a place without a token does not count' => sub {
    is(code('/two', @header, Cookie => 's='), 200, 'an empty cookie');
    is(code('/two', @cookie, Authorization => 'Basic YTpi'), 200,
       'another scheme');
    is(code('/two', @cookie, Authorization => "Bearer-x $alice"), 200,
       'a longer name of a scheme');
    is(code('/four?t=', @header), 200, 'an empty argument');
};


subtest 'GW-02 the origin counts for a token in the cookie' => sub {
    is(code('/two', @cookie, @foreign), 'policy-refused', 'the cookie');
    is(code('/two', @cookie, Origin => 'https://app.example'), 200,
       'a listed origin');
    is(code('/two', @header, @foreign), 200, 'the header');
    is(code('/two', @header, @foreign, Cookie => 's='), 200,
       'the header, beside an empty cookie');
};


# wrong places

sub place {
    return bare("parley_zone agents:1m;\nparley_jwks %TMP%/jwks.json;",
                "parley_accept aee;\nparley_jwt on $_[0];");
}

wrong("GW-02 $_->[0]", place($_->[0]), $_->[1]) for
    ['token=header,body', qr/"parley_jwt": "body" is not a source of tokens; expected header or a variable/],
    ['token=header,', qr/"parley_jwt": "" is not a source of tokens/],
    ['token=,header', qr/"parley_jwt": "" is not a source of tokens/],
    ['token=header,header', qr/"parley_jwt": "header" is duplicate/],
    ['token=header,$http_authorization', qr/"parley_jwt": "\$http_authorization" is duplicate/],
    ['token=$cookie_s,$http_x_a,$cookie_s', qr/"parley_jwt": "\$cookie_s" is duplicate/],
    ['token=$http_x_a,$http_X_A', qr/"parley_jwt": "\$http_X_A" is duplicate/],
    ['token=$arg_a,$arg_b', qr/"parley_jwt": "\$arg_b" is a second argument; expected one/],
    ['token=header,$arg_scope', qr/"parley_jwt": "\$arg_scope" is an argument of messages/],
    ['token=header,cookie:s', qr/"parley_jwt": "cookie:s" is an old form/],
    ['token=header,$http_x_a origin=https://a', qr/"parley_jwt" directive has "origin=" without a cookie/],
    ['token=header,$arg_a tickets=10s', qr/"parley_jwt" directive cannot have both "tickets=" and a token in an argument/],
    ['token=header,$cookie_s token=header', qr/"parley_jwt": "token=header" is duplicate/];


unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nothing broke');

done_testing;
