# Tokens: the rules of a location for their type, lifetime and id.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

our $key = new_key('ES256', 'k-ES256');

my $http = http_config();
spew(tmp_dir() . '/jwks.json', jwks($key));

# a location for each set of rules
my %jwt = (
    '/plain'     => 'on',
    '/typed'     => 'on typ=at+jwt',
    '/typed-jwt' => 'on typ=application/JWT',
    '/brief'     => 'on max_lifetime=10m',
    '/named'     => 'on jti=required',
    '/rfc9068'   => 'on typ=at+jwt issuer=https://id.example audience=agents '
                  . 'max_lifetime=1h jti=required leeway=30s',
);

with_gateway(http => $http, server => server_config(), add => join '',
    map { location($_, "parley_accept aee; parley_jwt $jwt{$_};") }
    sort keys %jwt);


# Returns a message of alice with such a token.
sub main::with_token {
    my ($uri, $token) = @_;

    return post($uri, aee(), token => "Bearer $token");
}


sub main::good { token($key, { sub => 'alice', @_ }) }


# Returns a token of that type.
sub main::typed {
    my ($typ, %claims) = @_;

    return token($key, { sub => 'alice', %claims }, typ => $typ);
}


sub main::lives {
    my ($seconds, %claims) = @_;

    return good(iat => time, exp => time + $seconds, %claims);
}

run_tests();

__DATA__

=== TEST 1: SEC-14 a required type is accepted in any case, with application/ or without
--- send
[map { with_token('/typed', typed($_)) }
 'at+jwt', 'AT+JWT', 'application/at+jwt', 'Application/At+jwt']
--- each: ^202$
--- error_code: 202
--- forwarded: 4



=== TEST 2: SEC-14 another type than the required one is refused, and the error names it
--- send
with_token('/typed', typed('JWT'))
--- refused: aee token-invalid typ
--- answer_headers
WWW-Authenticate: Bearer realm="parley", error="invalid_token", error_description="the token has another type than required"



=== TEST 3: SEC-14 similar types are refused
--- send
[map { with_token('/typed', typed($_)) }
 'jwt', 'at+jw', 'at+jwtx', 'at jwt', 'at+jwt ', '', 'text/at+jwt',
 'application/application/at+jwt', 'at+jwt;v=1', "at+jwt\0", 'logout+jwt']
--- each: ^401$
--- refused: aee token-invalid typ



=== TEST 4: SEC-14 a token without the required type is refused
--- send
with_token('/typed', raw_token({ alg => 'ES256', kid => 'k-ES256' },
    { sub => 'alice', exp => time + 60 }, $key))
--- refused: aee token-invalid typ



=== TEST 5: SEC-14 the type JWT can be required too
--- send
[with_token('/typed-jwt', typed('jwt')), with_token('/typed-jwt',
                                                    typed('at+jwt'))]
--- refused: aee token-invalid typ
--- forwarded: 1



=== TEST 6: SEC-14 a type for another purpose is refused everywhere
--- send
[map { with_token('/plain', typed($_)) } 'logout+jwt', 'dpop+jwt',
                                         'secevent+jwt']
--- each: ^401$
--- refused: aee token-invalid typ



=== TEST 7: SEC-14 the type is checked for every request, cached or not
--- send
my $token = typed('JWT');
[map { with_token($_, $token) } '/plain', '/plain', '/typed', '/typed']
--- refused: aee token-invalid typ
--- forwarded: 2



=== TEST 8: SEC-14 a token with the longest allowed lifetime passes
--- send
with_token('/brief', lives(600))
--- error_code: 202



=== TEST 9: SEC-14 a token that lives a second longer is refused
--- send
with_token('/brief', lives(601))
--- refused: aee token-invalid exp



=== TEST 10: SEC-14 also near its end, as iat counts
--- send
my $now = time;
with_token('/brief', good(iat => $now - 3600, exp => $now + 5))
--- refused: aee token-invalid exp



=== TEST 11: SEC-14 without iat the remaining time counts
--- send
[map { with_token('/brief', good(exp => time + $_)) } 590, 620]
--- refused: aee token-invalid exp
--- forwarded: 1



=== TEST 12: SEC-14 the lifetime is checked for every request, cached or not
--- send
my $token = lives(601);
[map { with_token($_, $token) } '/plain', '/plain', '/brief']
--- refused: aee token-invalid exp
--- forwarded: 2



=== TEST 13: SEC-14 a token with an id and an issuer passes where an id is required
--- send
with_token('/named', good(iss => 'i', jti => 'j' x 255))
--- error_code: 202



=== TEST 14: SEC-14 a token without an id is refused
--- send
with_token('/named', good(iss => 'i'))
--- refused: aee token-invalid jti



=== TEST 15: SEC-14 a token with an id that is too long or invalid is refused
--- send
[map { with_token('/named', good(iss => 'i', jti => $_)) }
 'j' x 256, '', 'a b', "a\n", "a\0b", "\x{e9}", 7, ['a']]
--- each: ^401$
--- refused: aee token-invalid jti



=== TEST 16: SEC-14 an id belongs to its issuer: without an issuer it is refused
--- send
with_token('/named', good(jti => 'a'))
--- refused: aee token-invalid iss



=== TEST 17: SEC-14 the id is checked for every request, cached or not
--- send
my $token = good(iss => 'i');
[map { with_token($_, $token) } '/plain', '/plain', '/named']
--- refused: aee token-invalid jti
--- forwarded: 2



=== TEST 18: SEC-14 an access token of RFC 9068 passes with all these rules
--- send
with_token('/rfc9068', typed('at+jwt', iss => 'https://id.example',
    aud => 'agents', client_id => 'c', iat => time, exp => time + 3600,
    jti => '2f6b1c9e-6a1f-4a0e-9d55-0d2f6c8a7b11', scope => 'ops:run'))
--- error_code: 202
