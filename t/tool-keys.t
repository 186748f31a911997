# Keys and tokens of the command line tool, against OpenSSL's own.

use strict;
use warnings;

use lib 't/lib';

use Digest::SHA qw(hmac_sha256);
use Test::More;

use Parley::Env qw(root slurp spew tmp_dir);
use Parley::Tool qw(:DEFAULT decode_base64url encode_base64url);

my $dir = tmp_dir();
my %key;

my @algs = (
    [ 'ed25519', 'OKP', 'EdDSA' ],
    [ 'es256',   'EC',  'ES256' ],
    [ 'rs256',   'RSA', 'RS256' ],
    [ 'hs256',   'oct', 'HS256' ],
);


subtest 'GW-16 keygen makes keys' => sub {
    for (@algs) {
        my ($word, $kty, $alg) = @$_;

        my $text = tool_ok('keygen', '--alg', $word, '--kid', "$word-1");
        my $jwk = $key{$word} = json($text);

        is($jwk->{kty}, $kty, "$word: kty");
        is($jwk->{alg}, $alg, "$word: alg");
        is($jwk->{kid}, "$word-1", "$word: kid");
        ok(exists $jwk->{$kty eq 'oct' ? 'k' : 'd'}, "$word: it is private");

        spew("$dir/$word.jwk", $text);
    }

    my $jwk = json(tool_ok('keygen', '--alg', 'ES256'));

    like($jwk->{kid}, qr/^[\w-]{43}$/, 'the id is the thumbprint by default');
    isnt(tool_ok('keygen', '--alg', 'hs256'),
         tool_ok('keygen', '--alg', 'hs256'), 'no key comes twice');
};


subtest 'GW-16 keygen --public drops the private part' => sub {
    for (@algs) {
        my ($word, $kty) = @$_;
        my ($status, $out, $err)
            = tool({ in => slurp("$dir/$word.jwk") }, 'keygen', '--public');

        if ($kty eq 'oct') {
            is($status, 1, 'a shared secret has no public part');
            is($out, '', 'and nothing of it is printed');
            next;
        }

        my %public = %{ $key{$word} };
        delete @public{qw(d p q dp dq qi)};

        is_deeply(json($out), \%public, "$word: the rest is the same");
        is(tool_ok('keygen', '--public', "$dir/$word.jwk") . "\n", $out,
           "$word: a file is as good as standard input");
    }
};


subtest 'GW-16 keygen --out is readable by the owner only' => sub {
    my $file = "$dir/new.jwk";

    is(tool_ok('keygen', '--alg', 'es256', '--out', $file), '',
       'nothing is printed');
    is((stat $file)[2] & 0777, 0600, 'mode 0600');
    ok(json(slurp($file))->{d}, 'the key is in the file');

    my ($status, undef, $err)
        = tool('keygen', '--alg', 'es256', '--out', $file);

    is($status, 2, 'a file that is there is not overwritten');
    like($err, qr/\Q$file\E/, 'and is named');
};


subtest 'GW-16 a file that is not JSON: the error, its line and column' => sub {
    my $comma = spew("$dir/comma.json", qq({"keys": [],\n "x": 1,}));
    my $mark = spew("$dir/mark.json", "\xef\xbb\xbf{}");

    for (['jwks'], ['sign', '--key'], ['keygen', '--public'],
         ['token', 'mint', '--sub', 's', '--key'],
         ['token', 'verify', '--keys'],
         ['audit', 'verify', $mark, '--keys'],
         ['translate', '--to', 'aee', '--identities'])
    {
        for my $case ([$comma, 'line 2, column 9: json-invalid: invalid JSON: '
                               . 'a member name was expected'],
                      [$mark, 'line 1, column 1: json-invalid: invalid JSON: '
                              . 'byte order mark'])
        {
            my (undef, $out, $err) = tool({ in => '{}' }, @$_, $case->[0]);

            is($err, "parley: $case->[0]: $case->[1]\n", "@$_");
            is($out, '', 'nothing is printed');
        }
    }
};


subtest 'GW-16 jwks collects public keys' => sub {
    my $set = tool_ok('jwks', map { "$dir/$_.jwk" } qw(ed25519 es256 rs256));
    my $keys = json($set)->{keys};

    is(@$keys, 3, 'three keys');
    ok(!(grep { $_->{d} } @$keys), 'none is private');

    spew("$dir/jwks.json", $set);

    is(tool_ok('jwks', "$dir/jwks.json"), $set, 'a set of a set is the same');

    my ($status, $out) = tool('jwks', "$dir/es256.jwk", "$dir/es256.jwk");

    is($status, 1, 'one key id twice is an error');
    is($out, '', 'and there is no set then');

    ($status) = tool('jwks', "$dir/hs256.jwk");
    is($status, 1, 'a secret is not published');

    spew("$dir/secret.json", tool_ok('jwks', '--private', "$dir/hs256.jwk"));
    ok(json(slurp("$dir/secret.json"))->{keys}[0]{k}, 'unless --private');
};


subtest 'GW-02 OpenSSL verifies the minted tokens' => sub {
    for (@algs) {
        my ($word, $kty, $alg) = @$_;
        my $token = tool_ok('token', 'mint', '--key', "$dir/$word.jwk",
                            '--sub', 'agent.x');

        my ($signed, $signature) = $token =~ /^([\w-]+\.[\w-]+)\.([\w-]+)$/;
        my ($head, $claims) = map { json(decode_base64url($_)) }
                              split /\./, $signed;

        is_deeply($head, { alg => $alg, kid => "$word-1", typ => 'JWT' },
                  "$alg: header");
        is($claims->{exp} - $claims->{iat}, 3600, "$alg: it lasts an hour");
        cmp_ok(abs($claims->{iat} - time), '<', 10, "$alg: from now");

        $signature = decode_base64url($signature);

        ok($kty eq 'oct'
           ? $signature eq hmac_sha256($signed,
                                       decode_base64url($key{$word}{k}))
           : openssl_verify($key{$word}, $signed, $signature),
           "$alg: the signature is good");

        is(json(tool_ok({ in => "$token\n" }, 'token', 'verify', '--keys',
                        $kty eq 'oct' ? "$dir/secret.json"
                                      : "$dir/jwks.json"))->{sub},
           'agent.x', "$alg: token verify prints the claims");
    }
};


subtest 'GW-02 tokens that OpenSSL signed are verified' => sub {
    my $private = "$dir/openssl.pem";
    my $log = `openssl genrsa -out $private 2048 2>&1`;
    my ($n) = `openssl rsa -in $private -noout -modulus 2>&1`
              =~ /Modulus=([0-9A-F]+)/;

    spew("$dir/openssl.jwk", json({
        kty => 'RSA', kid => 'o', e => 'AQAB',
        n => encode_base64url(pack 'H*', $n),
    }));

    my $signed = join '.', map { encode_base64url(json($_)) }
                 { alg => 'RS256', kid => 'o' },
                 { sub => 'y', exp => time + 60 };

    my $in = spew("$dir/openssl.in", $signed);
    my $signature = `openssl dgst -sha256 -sign $private $in`;
    my $token = $signed . '.' . encode_base64url($signature);

    is(json(tool_ok('token', 'verify', '--keys', "$dir/openssl.jwk",
                    '--token', "Bearer $token"))->{sub}, 'y', 'RS256');

    substr($token, length($signed) - 3, 1) =~ tr/A-Za-z/B-ZAb-za/;

    my ($status, $out, $err) = tool('token', 'verify', '--keys',
                                    "$dir/openssl.jwk", '--token', $token);

    is($status, 1, 'not with one character changed');
    is($out, '', 'and no claim is printed');
    like($err, qr/token-invalid/, 'the code is');
};


subtest 'GW-02 the required claims of a token' => sub {
    my @mint = ('token', 'mint', '--key', "$dir/es256.jwk", '--sub', 's');

    my @cases = (
        [ 0, [], [], 'a plain token' ],
        [ 1, [ '--exp', '-1' ], [], 'expired a second ago',
          'token-expired exp' ],
        [ 0, [ '--exp', '-1' ], [ '--leeway', '10' ], 'with leeway' ],
        [ 1, [ '--exp-at', '2020-01-01T00:00:00Z' ], [], 'expired long ago',
          'token-expired exp' ],
        [ 0, [ '--exp-at', '2020-01-01T00:00:00Z', '--iat', '1577836000' ],
          [ '--at', '2019-12-31T23:59:59Z' ], 'good at that time' ],
        [ 1, [ '--nbf', '+100' ], [], 'not yet', 'token-' ],
        [ 1, [ '--no-exp' ], [], 'never expires', 'token-invalid exp' ],
        [ 0, [ '--no-exp' ], [ '--no-exp' ], 'which can be allowed' ],
        [ 1, [ '--iss', 'i' ], [ '--iss', 'j' ], 'another issuer',
          'token-invalid iss' ],
        [ 0, [ '--iss', 'i' ], [ '--iss', 'j', '--iss', 'i' ],
          'one of two issuers' ],
        [ 1, [], [ '--aud', 'a' ], 'no audience', 'token-invalid aud' ],
        [ 0, [ '--aud', 'a', '--aud', 'b' ], [ '--aud', 'b' ],
          'one of two audiences' ],
        [ 1, [], [ '--require', 'org' ], 'a claim that is missing',
          'token-invalid org' ],
        [ 1, [ '--claim', 'org=x' ], [ '--require', 'org=y' ],
          'a claim of another value', 'token-invalid org' ],
        [ 0, [ '--claim', 'org=x' ], [ '--require', 'org=x' ],
          'a claim that is right' ],
    );

    for (@cases) {
        my ($want, $mint, $verify, $name, $says) = @$_;
        my $token = tool_ok(@mint, @$mint);
        my ($status, $out, $err)
            = tool({ in => $token }, 'token', 'verify', '--keys',
                   "$dir/jwks.json", @$verify);

        is($status, $want, $name);
        like($err, qr/^parley: stdin: \Q$says\E/, "$name: said") if $says;
    }
};


subtest 'SEC-14 type, lifetime and id of a token' => sub {
    my @mint = ('token', 'mint', '--key', "$dir/es256.jwk", '--sub', 's');
    my @typ = ('--typ', 'at+jwt');

    my @cases = (
        [ 0, [ @typ ], [ @typ ], 'the type that is asked for' ],
        [ 0, [ @typ ], [ '--typ', 'application/AT+JWT' ], 'in any case' ],
        [ 0, [ @typ ], [], 'a type that nobody asks for' ],
        [ 1, [], [ @typ ], 'another type', 'token-invalid typ' ],
        [ 0, [], [ '--typ', 'jwt' ], 'JWT by default' ],
        [ 1, [ '--typ', 'logout+jwt' ], [], 'a type for something else',
          'token-invalid typ' ],
        [ 0, [ '--exp', '600' ], [ '--max-lifetime', '600' ], 'short' ],
        [ 1, [ '--exp', '601' ], [ '--max-lifetime', '600' ], 'long',
          'token-invalid exp' ],
        [ 1, [ '--exp', '5', '--iat', '-600' ], [ '--max-lifetime', '600' ],
          'long, near its end', 'token-invalid exp' ],
        [ 0, [ '--iss', 'i', '--jti', 'x' ], [ '--require-jti' ], 'an id' ],
        [ 1, [ '--iss', 'i' ], [ '--require-jti' ], 'no id',
          'token-invalid jti' ],
        [ 1, [ '--jti', 'x' ], [ '--require-jti' ], 'an id of nobody',
          'token-invalid iss' ],
        [ 1, [ '--iss', 'i', '--jti', 'a b' ], [ '--require-jti' ],
          'an id with spaces', 'token-invalid jti' ],
    );

    for (@cases) {
        my ($want, $mint, $verify, $name, $says) = @$_;
        my $token = tool_ok(@mint, @$mint);
        my ($status, $out, $err)
            = tool({ in => $token }, 'token', 'verify', '--keys',
                   "$dir/jwks.json", @$verify);

        is($status, $want, $name) or diag($err);
        like($err, qr/^parley: stdin: \Q$says\E/, "$name: said") if $says;
    }

    my ($head) = split /\./, tool_ok(@mint, '--typ', 'application/at+jwt');

    is(json(decode_base64url($head))->{typ}, 'at+jwt',
       'application/ is left out, as RFC 7515 recommends');

    my @verify = ('token', 'verify', '--keys', "$dir/jwks.json", '--token',
                  'x');

    for ([ @mint, '--typ', 'at-jwt' ], [ @verify, '--typ', '' ],
         [ @verify, '--max-lifetime', '0' ], [ @verify, '--max-lifetime', 'x' ],
         [ @verify, '--max-lifetime', '9', '--no-exp' ])
    {
        my ($status, $out) = tool(@$_);

        is($status, 2, "@$_[-2, -1]");
        is($out, '', 'nothing is printed');
    }
};


subtest 'GW-16 token mint --claim takes JSON or text' => sub {
    my $claims = (split /\./, tool_ok(
        'token', 'mint', '--key', "$dir/ed25519.jwk", '--sub', 's',
        '--scope', 'a b', '--claim', 'n=3', '--claim', 'l=["x"]',
        '--claim', 't=plain "text"', '--claim', 's="3"',
        '--claim', 'e='))[1];

    $claims = json(decode_base64url($claims));
    delete @$claims{qw(iat exp)};

    is_deeply($claims, { sub => 's', scope => 'a b', n => 3, l => ['x'],
                         t => 'plain "text"', s => '3', e => '' }, 'claims');

    my ($status, $out, $err) = tool('token', 'mint', '--key',
                                    "$dir/ed25519.jwk", '--sub', 's',
                                    '--claim', 'sub=t');

    isnt($status, 0, 'a claim twice is an error');
    like($err, qr{/sub}, 'which names it');
};


subtest 'GW-02 keys and algorithms must match' => sub {
    my ($status, undef, $err) = tool('token', 'mint', '--key',
                                     "$dir/rs256.jwk", '--sub', 's',
                                     '--alg', 'HS256');

    is($status, 2, 'an RSA key makes no HS256');

    my $pem = slurp(public_pem($key{rs256}));
    my $signed = join '.', map { encode_base64url(json($_)) }
                 { alg => 'HS256', kid => 'rs256-1' },
                 { sub => 's', exp => time + 60 };
    my $forged = $signed . '.'
                 . encode_base64url(hmac_sha256($signed, $pem));

    ($status) = tool('token', 'verify', '--keys', "$dir/jwks.json",
                     '--token', $forged);
    is($status, 1, 'a public key is no secret');

    my $none = join '.', map({ encode_base64url(json($_)) }
               { alg => 'none' }, { sub => 's', exp => time + 60 }), '';

    ($status, undef, $err) = tool('token', 'verify', '--keys',
                                  "$dir/jwks.json", '--token', $none);
    is($status, 1, 'there is no alg none');
};


subtest 'SEC-18 no key that keygen makes is weak' => sub {
    my %octets = (hs256 => 32, hs384 => 48, hs512 => 64);

    is(length decode_base64url(json(tool_ok('keygen', '--alg', $_))->{k}),
       $octets{$_}, "$_: octets of the secret") for sort keys %octets;

    for (qw(rs256 ps512)) {
        my $jwk = json(tool_ok('keygen', '--alg', $_));

        is(length decode_base64url($jwk->{n}), 256, "$_: octets of n");
        is($jwk->{e}, 'AQAB', "$_: e");
    }
};


subtest 'SEC-18 the tool refuses weak keys wherever it reads one' => sub {
    my $roca = root() . '/t/cases/keys/roca-2048.jwk';
    my $jwk = json(slurp($roca));
    my %weak = (
        roca => [$jwk, '/n: .*ROCA'],
        e    => [{ %$jwk, e => 'AQ' }, '/e: '],
        n    => [{ kty => 'RSA', e => 'AQAB', n => 'w' x 171 }, '/n: .*2048'],
        oct  => [{ kty => 'oct', k => 'AAEC' }, '/k: .*32 octets'],
        long => [{ kty => 'oct', alg => 'HS384',
                   k => encode_base64url('s' x 47) }, '/alg: '],
    );

    delete $weak{e}[0]{$_} for qw(d p q dp dq qi);
    $weak{e}[0]{n} = json(slurp(root() . '/t/cases/keys/near-roca-2048.jwk'))
                     ->{n};

    my $token = tool_ok('token', 'mint', '--key', "$dir/es256.jwk",
                        '--sub', 's');
    my $message = spew("$dir/any.json", '{"v":"1"}');

    for my $name (sort keys %weak) {
        my ($key, $why) = @{ $weak{$name} };
        my $file = spew("$dir/weak-$name.jwk", json($key));
        my $set = spew("$dir/weak-$name.json",
                       json({ keys => [$key{es256}, $key] }));

        for (['keygen', '--public', $file],
             ['token', 'mint', '--key', $file, '--sub', 's'],
             ['sign', '--key', $file, '--as', 'aee', $message],
             ['jwks', $file], ['jwks', $set],
             ['token', 'verify', '--keys', $set, '--token', $token],
             ['verify', '--keys', $set, $message])
        {
            my ($status, $out, $err) = tool(@$_);
            my $at = "@$_" =~ /\Q$set/ ? '/keys/1' : '';

            is($status, 2, "@$_[0, 1]: $name") or diag($out);
            is($out, '', 'nothing is printed');
            like($err, qr{ $at$why}, 'what is wrong is named');
        }
    }
};


subtest 'GW-16 token inspect verifies nothing' => sub {
    my $token = tool_ok('token', 'mint', '--key', "$dir/es256.jwk",
                        '--sub', 's', '--exp', '-5');
    my ($status, $out, $err) = tool('token', 'inspect', '--token', $token);

    is($status, 0, 'an expired token is shown');
    is(json($out)->{claims}{sub}, 's', 'claims');
    is(json($out)->{header}{alg}, 'ES256', 'header');
    like($err, qr/exp is .* ago/, 'when it expired');
    like($err, qr/not verified/, 'that it is not verified');

    $out = json(tool_ok('token', 'inspect', '--json', '--token', $token));
    is($out->{claims}{sub}, 's', '--json');

    for ('', 'a.b', 'a.b.c.d', '!!.e30.e30', 'e30.e30.!', 'W10.e30.e30') {
        ($status, $out, $err) = tool({ in => $_ }, 'token', 'inspect');
        is($status, 1, qq{"$_" is no token});
        is($out, '', 'nothing is printed');
    }
};


subtest 'GW-16 times are written as in nginx.conf' => sub {
    my $claims = sub {
        json(decode_base64url((split /\./, tool_ok(
            'token', 'mint', '--key', "$dir/ed25519.jwk", '--sub', 's',
            @_))[1]));
    };

    my %length = ('90' => 90, '30s' => 30, '5m' => 300, '1h' => 3600,
                  '1h30m' => 5400, '7d' => 604800, '2w' => 1209600,
                  '-1h' => -3600, '-5' => -5, '0' => 0, '2000ms' => 2);

    for my $word (sort keys %length) {
        my $said = $claims->('--exp', $word);
        is($said->{exp} - $said->{iat}, $length{$word}, "--exp $word");
    }

    my $said = $claims->('--iat', '2026-02-15T10:30:00Z', '--nbf', '+1h');
    is($said->{iat}, 1771151400, '--iat, RFC 3339');
    cmp_ok(abs($said->{nbf} - time - 3600), '<=', 5, '--nbf +1h');

    is($claims->('--nbf', '1771151400')->{nbf}, 1771151400, 'since 1970');

    for ([qw(--exp 1y)], [qw(--exp h)], [qw(--exp 1h2h)], [qw(--exp 500ms)],
         [qw(--exp 1.5h)], ['--exp', ''], [qw(--exp +1h)], [qw(--exp --1h)],
         [qw(--exp 99999d)], ['--exp', ' 1h'], [qw(--nbf 1h)],
         [qw(--nbf +)], [qw(--nbf +1x)], [qw(--nbf ++1h)], ['--nbf', ''],
         [qw(--iat 253402300800)])
    {
        my ($status, $out, $err)
            = tool('token', 'mint', '--key', "$dir/ed25519.jwk", '--sub', 's',
                   @$_);

        is($status, 2, "@$_ is refused");
        is($out, '', 'nothing is printed');
        like($err, qr/^parley: $_->[0]: "\Q$_->[1]\E" is (?:no|not a) time/, 'why');
    }

    my $old = tool_ok('token', 'mint', '--key', "$dir/ed25519.jwk", '--sub',
                      's', '--exp', '-1m', '--iat', '-10m');
    my @verify = ('token', 'verify', '--keys', "$dir/jwks.json");

    is((tool({ in => $old }, @verify))[0], 1, 'a minute too late');
    is((tool({ in => $old }, @verify, '--leeway', '2m'))[0], 0, '--leeway 2m');
    is((tool({ in => $old }, @verify, '--at', '-2m'))[0], 0, '--at -2m');
    is((tool({ in => $old }, @verify, '--leeway', '2d'))[0], 2,
       'no more leeway than a day');
};


subtest 'GW-16 a file with a token is readable by the owner only' => sub {
    my $token = tool_ok('token', 'mint', '--key', "$dir/ed25519.jwk", '--sub',
                        's');
    my $file = spew("$dir/token", "Bearer $token\n");
    my @inspect = ('token', 'inspect', '--json');

    is(json(tool_ok(@inspect, '--token-file', $file))->{claims}{sub}, 's',
       '--token-file');
    is(json(tool_ok(@inspect, $file))->{claims}{sub}, 's', 'FILE');

    for ([ '--token', $token, '--token-file', $file ],
         [ '--token', $token, $file ], [ '--token-file', $file, $file ])
    {
        my ($status, $out, $err) = tool(@inspect, @$_);

        is($status, 2, 'one of them');
        like($err, qr/exclude each other/, 'said');
        is($out, '', 'nothing is printed');
    }
};


done_testing();
