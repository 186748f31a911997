# Tokens: valid and invalid ones, and the reasons.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

our %key = map { $_ => new_key($_, "k-$_") }
           qw(HS256 HS384 HS512 RS256 RS384 RS512 PS256 PS384 PS512
              ES256 ES384 ES512 EdDSA);
our $stranger = new_key('RS256', 'k-RS256');

my $dir = tmp_dir();

# one key of each alg; keys without kid are not in the set
my $http = http_config();
spew("$dir/jwks.json", jwks(map { $key{$_} } sort keys %key));

# a location for each set of rules
my %jwt = (
    '/plain'     => 'on',
    '/leeway'    => 'on leeway=30s',
    '/issuer'    => 'on issuer=https://id.example issuer=https://two.example',
    '/audience'  => 'on audience=agents audience=tools',
    '/require'   => 'on require=tenant require=tier=gold',
    '/cookie'    => 'on token=$cookie_session',
    '/argument'  => 'on token=$arg_access_token',
    '/variable'  => 'on "token=${http_x_token}"',
    '/timeless'  => 'on exp=optional',
    '/leeway-5s' => 'on leeway=5s',
);

with_gateway(http => $http, server => server_config(), add => join '',
    map { location($_, "parley_accept aee; parley_jwt $jwt{$_};") }
    sort keys %jwt);


# Returns a message of alice with such a token.
sub main::with_token {
    my ($uri, $token, @headers) = @_;

    return post($uri, aee(), token => "Bearer $token",
                headers => [@headers]);
}

sub main::good {
    my ($alg, %claims) = @_;
    return token($main::key{$alg}, { sub => 'alice', %claims });
}

run_tests();

__DATA__

=== TEST 1: GW-02 HS256
--- send
with_token('/plain', good('HS256'))
--- error_code: 202



=== TEST 2: GW-02 HS384
--- send
with_token('/plain', good('HS384'))
--- error_code: 202



=== TEST 3: GW-02 HS512
--- send
with_token('/plain', good('HS512'))
--- error_code: 202



=== TEST 4: GW-02 RS256
--- send
with_token('/plain', good('RS256'))
--- error_code: 202



=== TEST 5: GW-02 RS384
--- send
with_token('/plain', good('RS384'))
--- error_code: 202



=== TEST 6: GW-02 RS512
--- send
with_token('/plain', good('RS512'))
--- error_code: 202



=== TEST 7: GW-02 PS256
--- send
with_token('/plain', good('PS256'))
--- error_code: 202



=== TEST 8: GW-02 PS384
--- send
with_token('/plain', good('PS384'))
--- error_code: 202



=== TEST 9: GW-02 PS512
--- send
with_token('/plain', good('PS512'))
--- error_code: 202



=== TEST 10: GW-02 ES256
--- send
with_token('/plain', good('ES256'))
--- error_code: 202



=== TEST 11: GW-02 ES384
--- send
with_token('/plain', good('ES384'))
--- error_code: 202



=== TEST 12: GW-02 ES512
--- send
with_token('/plain', good('ES512'))
--- error_code: 202



=== TEST 13: GW-02 EdDSA
--- send
with_token('/plain', good('EdDSA'))
--- error_code: 202



=== TEST 14: GW-02 alg none is refused
--- send
with_token('/plain', raw_token({ alg => 'none', typ => 'JWT' },
                               { sub => 'alice', exp => time + 600 }))
--- refused: aee token-invalid
--- answer_headers
WWW-Authenticate: Bearer realm="parley", error="invalid_token", error_description="the algorithm is not accepted here"



=== TEST 15: GW-02 alg None is refused
--- send
with_token('/plain', raw_token({ alg => 'None', kid => 'k-RS256' },
                               { sub => 'alice', exp => time + 600 }))
--- refused: aee token-invalid



=== TEST 16: GW-02 alg nOnE with a signature is refused
--- send
with_token('/plain', raw_token({ alg => 'nOnE', kid => 'k-HS256' },
                               { sub => 'alice', exp => time + 600 },
                               $main::key{HS256}, 'HS256'))
--- refused: aee token-invalid



=== TEST 17: GW-02 an empty alg is refused
--- send
with_token('/plain', raw_token({ alg => '' }, { sub => 'alice',
                                                exp => time + 600 }))
--- refused: aee token-invalid



=== TEST 18: GW-02 a missing alg is refused
--- send
with_token('/plain', raw_token({ kid => 'k-HS256' },
                               { sub => 'alice', exp => time + 600 },
                               $main::key{HS256}, 'HS256'))
--- refused: aee token-invalid



=== TEST 19: GW-02 a missing signature is refused
--- send
with_token('/plain', good('RS256') =~ s/\.[^.]*$/./r)
--- refused: aee token-invalid



=== TEST 20: GW-02 HS256 with the RSA public key as secret is refused
--- send
with_token('/plain', raw_token({ alg => 'HS256', kid => 'k-RS256' },
                               { sub => 'alice', exp => time + 600 },
                               $main::key{RS256}, 'HS256'))
--- refused: aee token-invalid



=== TEST 21: GW-02 HS256 with the RSA public key, without kid, is refused
--- send
with_token('/plain', raw_token({ alg => 'HS256' },
                               { sub => 'alice', exp => time + 600 },
                               $main::key{RS256}, 'HS256'))
--- refused: aee token-invalid



=== TEST 22: GW-02 the alg belongs to the key: RS256 with the key of PS256
--- send
with_token('/plain', raw_token({ alg => 'RS256', kid => 'k-PS256' },
                               { sub => 'alice', exp => time + 600 },
                               $main::key{PS256}, 'RS256'))
--- refused: aee token-invalid



=== TEST 23: GW-02 the alg belongs to the key: HS256 with the key of HS512
--- send
with_token('/plain', raw_token({ alg => 'HS256', kid => 'k-HS512' },
                               { sub => 'alice', exp => time + 600 },
                               $main::key{HS512}, 'HS256'))
--- refused: aee token-invalid



=== TEST 24: GW-02 the kid of another key is refused
--- send
with_token('/plain', token($main::key{ES256}, { sub => 'alice' },
                           kid => 'k-EdDSA'))
--- refused: aee token-invalid



=== TEST 25: GW-02 the kid of another key with the same alg is refused
--- send
with_token('/plain', token($main::stranger, { sub => 'alice' }))
--- refused: aee token-invalid



=== TEST 26: GW-02 an unknown kid is refused
--- send
with_token('/plain', token($main::key{ES256}, { sub => 'alice' },
                           kid => 'k-nobody'))
--- refused: aee token-invalid



=== TEST 27: GW-02 a kid that looks like a path is only a name
--- send
with_token('/plain', token($main::key{HS256}, { sub => 'alice' },
                           kid => '../../../../dev/null'))
--- refused: aee token-invalid



=== TEST 28: GW-02 a key in the token is not used
--- send
with_token('/plain', token($main::stranger, { sub => 'alice' },
    kid => 'mine', jwk => public_jwk($main::stranger)))
--- refused: aee token-invalid



=== TEST 29: GW-02 a crit header with unknown names is refused
--- send
with_token('/plain', token($main::key{ES256}, { sub => 'alice' },
                           crit => ['x'], x => 1))
--- refused: aee token-invalid



=== TEST 30: GW-02 expired one second ago is refused without leeway
--- send
with_token('/plain', good('ES256', exp => time - 1))
--- refused: aee token-expired
--- answer_headers
WWW-Authenticate: Bearer realm="parley", error="invalid_token", error_description="the token has expired"



=== TEST 31: GW-02 expired one second ago passes with leeway
--- send
with_token('/leeway', good('ES256', exp => time - 1))
--- error_code: 202



=== TEST 32: GW-02 expired longer ago than the leeway is refused
--- send
with_token('/leeway', good('ES256', exp => time - 32))
--- refused: aee token-expired



=== TEST 33: GW-02 each location has its own leeway, cached or not
--- send
my $token = good('ES256', exp => time - 3);
[with_token('/leeway', $token), with_token('/plain', $token)]
--- refused: aee token-expired
--- forwarded: 1



=== TEST 34: GW-02 a token expires while it is cached
--- send
my $token = good('ES256', exp => time + 2);
my $request = with_token('/plain', $token);
my $one = Parley::Client->new(port => port(1))->raw($request);
sleep 3;
$one->{status} == 202 ? with_token('/plain', $token) : 'nothing'
--- refused: aee token-expired
--- forwarded: 1



=== TEST 35: GW-02 a token without exp is refused
--- send
with_token('/plain', good('ES256', exp => undef))
--- refused: aee token-invalid



=== TEST 36: GW-02 a token without exp passes where exp is optional
--- send
with_token('/timeless', good('ES256', exp => undef))
--- error_code: 202



=== TEST 37: GW-02 an expired token is refused even where exp is optional
--- send
with_token('/timeless', good('ES256', exp => time - 5))
--- refused: aee token-expired



=== TEST 38: GW-02 an exp that is a text is refused
--- send
with_token('/plain', good('ES256', exp => '9999999999'))
--- refused: aee token-invalid



=== TEST 39: GW-02 a token that is not valid yet is refused
--- send
with_token('/plain', good('ES256', nbf => time + 10))
--- refused: aee token-invalid



=== TEST 40: GW-02 a token that is not valid yet passes within the leeway
--- send
with_token('/leeway', good('ES256', nbf => time + 10))
--- error_code: 202



=== TEST 41: GW-02 a token issued in the future is refused
--- send
with_token('/plain', good('ES256', iat => time + 10))
--- refused: aee token-invalid



=== TEST 42: GW-02 one of the issuers passes
--- send
with_token('/issuer', good('ES256', iss => 'https://two.example'))
--- error_code: 202



=== TEST 43: GW-02 another issuer is refused
--- send
with_token('/issuer', good('ES256', iss => 'https://id.example.evil'))
--- refused: aee token-invalid



=== TEST 44: GW-02 a token without an issuer is refused
--- send
with_token('/issuer', good('ES256'))
--- refused: aee token-invalid



=== TEST 45: GW-02 one of the audiences passes
--- send
with_token('/audience', good('ES256', aud => 'tools'))
--- error_code: 202



=== TEST 46: GW-02 one of the audiences in a list passes
--- send
with_token('/audience', good('ES256', aud => ['x', 'agents']))
--- error_code: 202



=== TEST 47: GW-02 another audience is refused
--- send
with_token('/audience', good('ES256', aud => ['x', 'agent']))
--- refused: aee token-invalid



=== TEST 48: GW-02 required claims that are present pass
--- send
with_token('/require', good('ES256', tenant => 't1', tier => 'gold'))
--- error_code: 202



=== TEST 49: GW-02 a required claim that is missing is refused
--- send
with_token('/require', good('ES256', tier => 'gold'))
--- refused: aee token-invalid



=== TEST 50: GW-02 a required claim of another value is refused
--- send
with_token('/require', good('ES256', tenant => 't1', tier => 'silver'))
--- refused: aee token-invalid



=== TEST 51: GW-02 a request without a token is refused, with only the challenge
--- send
post('/plain', aee(), token => 0)
--- refused: aee token-missing
--- answer_headers
WWW-Authenticate: Bearer realm="parley"



=== TEST 52: GW-02 another scheme is not a token
--- send
post('/plain', aee(), token => 'Basic YWxpY2U6eA==')
--- refused: aee token-missing



=== TEST 53: GW-02 the name of the scheme is case-insensitive
--- send
post('/plain', aee(), token => 'bearer ' . good('ES256'))
--- error_code: 202



=== TEST 54: GW-02 two Authorization headers are refused
--- send
post('/plain', aee(), token => 'Bearer ' . good('ES256'),
     headers => [Authorization => 'Bearer ' . good('ES384', sub => 'bob')])
--- error_code_like: ^40[01]$
--- forwarded: 0



=== TEST 55: GW-02 two equal Authorization headers are refused
--- send
my $token = 'Bearer ' . good('ES256');
post('/plain', aee(), token => $token, headers => [Authorization => $token])
--- error_code_like: ^40[01]$
--- forwarded: 0



=== TEST 56: GW-02 a token in a cookie
--- send
post('/cookie', aee(), token => 0,
     headers => [Cookie => 'a=b; session=' . good('ES256') . '; c=d'])
--- error_code: 202



=== TEST 57: GW-02 where a cookie is configured, the header is ignored
--- send
with_token('/cookie', good('ES256'))
--- refused: aee token-missing



=== TEST 58: GW-02 two cookies with the name are refused
--- send
[post('/cookie', aee(), token => 0,
      headers => [Cookie => 'session=' . good('ES256') . '; session=x']),
 post('/cookie', aee(), token => 0,
      headers => [Cookie => 'session=x; a=b;SESSION=' . good('ES256')]),
 post('/cookie', aee(), token => 0,
      headers => [Cookie => 'session=' . good('ES256'),
                  Cookie => 'session=x'])]
--- error_code: 401
--- each: ^401$
--- forwarded: 0



=== TEST 59: GW-02 a cookie whose name only ends like it is ignored
--- send
post('/cookie', aee(), token => 0,
     headers => [Cookie => 'mysession=' . good('ES256')])
--- refused: aee token-missing



=== TEST 60: GW-02 a token in an argument
--- send
post('/argument?x=1&access_token=' . good('ES256'), aee(), token => 0)
--- error_code: 202



=== TEST 61: GW-02 an empty argument is not a token
--- send
post('/argument?access_token=', aee(), token => 0)
--- refused: aee token-missing



=== TEST 62: GW-02 a token of two parts is refused
--- send
with_token('/plain', 'abc.def')
--- refused: aee token-invalid



=== TEST 63: GW-02 a token of five parts is refused
--- send
with_token('/plain', good('ES256') . '.x.y')
--- refused: aee token-invalid



=== TEST 64: GW-02 base64 with padding is refused
--- send
with_token('/plain', good('ES256') . '=')
--- refused: aee token-invalid



=== TEST 65: GW-02 claims with a duplicate member are refused
--- send
my $key = $main::key{ES256};
my $input = encode_base64url(jcs({ alg => 'ES256', kid => $key->{kid} })) . '.'
          . encode_base64url('{"sub":"bob","sub":"alice","exp":'
                             . (time + 600) . '}');
with_token('/plain', "$input." . encode_base64url(sign($key, $input)))
--- refused: aee token-invalid



=== TEST 66: GW-02 the body is not read before the token is verified
--- send
my $request = post('/plain', 'x' x 500_000, token => 0);
$request =~ s/\r\n\r\n.*/\r\n\r\n/s;
$request
--- refused: aee token-missing



=== TEST 67: GW-02 a token without sub is refused
--- send
with_token('/plain', good('ES256', sub => undef))
--- refused: aee token-invalid



=== TEST 68: GW-02 tokens never reach the log
--- send
with_token('/plain', 'SECRETTOKEN.SECRETTOKEN.SECRETTOKEN')
--- refused: aee token-invalid
--- error_log
parley: refused, token-invalid
--- no_error_log
SECRETTOKEN



=== TEST 69: GW-02 a token in another variable
--- send
post('/variable', aee(), token => 0,
     headers => ['X-Token' => good('ES256')])
--- error_code: 202



=== TEST 70: GW-02 where a variable is configured, only the variable counts
--- send
[with_token('/variable', good('ES256')),
 post('/variable', aee(), token => 0,
      headers => ['X-Token' => 'Bearer ' . good('ES256')])]
--- error_code: 401
--- each: ^401$
--- forwarded: 0



=== TEST 71: GW-02 two headers with the configured name are refused, even if one is valid
--- send
[map { post('/variable', aee(), token => 0, headers => [@$_]) }
 ['X-Token' => good('ES256'), 'X-Token' => good('ES256')],
 ['X-Token' => good('ES256'), 'X-Token' => 'x'],
 ['X-Token' => 'x', 'X-Token' => good('ES256')],
 ['X-Token' => good('ES256'), 'x-token' => ''],
 ['X-Token' => good('ES256'), 'X-TOKEN' => good('ES256')]]
--- each: ^401$
--- refused: aee token-invalid
--- forwarded: 0
