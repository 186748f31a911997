# GW-30, GW-31: nginx -t and parley_jwt without parley_accept.  A directive that
# has no effect is refused or warned about, inherited or not.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env qw(client_certificate root spew tmp_dir);
use Parley::Gateway;
use Parley::Tool qw(tool);

my $zone = 'parley_zone agents:1m;';
my $keys = 'parley_jwks %TMP%/jwks.json;';
my $tls = 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;';
my $jwt = 'parley_jwt on issuer=https://id.example;';

http_config();


# Returns http with a location of a server with TLS, and directives of the
# server.
sub secure {
    my ($directives, $server, $http) = @_;

    $http //= "$zone $keys";
    $server //= '';

    return "$http\nserver { listen 127.0.0.1:%PORT_3% ssl; $tls $server\n"
         . "location /in {\n$directives\nproxy_pass http://127.0.0.1:1;\n} }\n";
}


subtest "GW-30 $_->[0]" => sub {
    my ($status, $said) = check(secure(@{$_}[1 .. $#$_]));

    is($status, 0) or diag($said);
    unlike($said, qr/\[warn\]/, 'without a warning');
} for
    ['a location', $jwt],
    ['with rules', "$jwt parley_allow principal=a role=b scope=c method=GET; "
                   . 'parley_deny method=DELETE;'],
    ['with a rate', "$jwt parley_rate 1r/s burst=3;"],
    ['with a dry run', "$jwt parley_dry_run on;"],
    ['with claims', "$jwt parley_claims aee=agent;"],
    ['inherited', '', $jwt],
    ['inherited, and turned off', 'parley_accept off;',
     "$jwt parley_rate 1r/s; parley_allow type=task;"],
    ['inherited, with rules of its own', 'parley_allow role=a;',
     "$jwt parley_allow type=task;"],
    (map { ["turned off by $_->[1], inherited $_->[0]", @$_[1, 0]] }
         [$jwt, 'parley_jwt off;'],
         [$jwt, 'parley_jwt off; parley_certificate off;'],
         ["$jwt parley_rate 1r/s;", 'parley_jwt off; parley_rate off;'],
         ['parley_jwt off;', ''],
         ['parley_jwt off; parley_certificate off;', ''],
         ['parley_jwt off; parley_signature off;', 'parley_certificate off;']),
    ['of the server, for locations that take messages',
     'parley_accept aee;', "$jwt parley_allow type=task; parley_redact /x;"];


wrong("GW-31 $_->[0]", secure(@{$_}[2 .. $#$_]), $_->[1])
    for
    ['without a zone', qr/"parley_jwt" needs "parley_zone"/,
     $jwt, '', $keys],
    ['without keys', qr/"parley_jwt" needs "parley_jwks"/, $jwt, '', $zone],
    ['of a server, without keys', qr/"parley_jwt" needs "parley_jwks"/,
     '', $jwt, $zone],
    (map { ["with $_=", qr/"parley_allow" has "$_=", which has no effect in location "\/in"/,
            "$jwt parley_allow $_=@{[ $_ eq 'protocol' ? 'aee' : 'task' ]};"] }
         qw(type protocol intent to)),
    ['with to= after other rules',
     qr/"parley_deny" has "to=", which has no effect/,
     "$jwt parley_allow role=a; parley_deny to=b;"],
    ['with an inherited rule about messages',
     qr/"parley_allow" has "type=", which has no effect in location "\/in"/,
     '', "$jwt parley_allow type=task;"],
    (map { ["with $_", qr/"@{[ (split)[0] ]}" has no effect without "parley_accept"/,
            "$jwt $_;"] }
         'parley_signature required', 'parley_redact /x', 'parley_speak aee',
         'parley_window 1h', 'parley_freshness past=1s', 'parley_loss reject',
         'parley_limits body=1k', 'parley_cap priority=low',
         'parley_vcp_context c'),
    ['with a rate of a priority',
     qr/"parley_rate" has a rate of a priority, which has no effect/,
     "$jwt parley_rate 5r/s urgent=1r/s;"],
    ['turned off and with a directive of its own',
     qr/"parley_jwt" has no effect with "parley_accept off"/,
     "$jwt parley_accept off;"],
    ['in a location inside one without a proof',
     qr/"parley_jwt" has no effect with "parley_accept off"/,
     $jwt, 'parley_accept off;'],
    ['a certificate without "certificates"',
     qr/"parley_certificate" has no effect: no principal of "parley_identities" has "certificates" in /,
     'parley_certificate on;'],
    ['rules without a proof',
     qr/"parley_allow" has no effect without "parley_accept"/,
     'parley_allow role=a;'],
    ['a rate without a proof',
     qr/"parley_rate" has no effect without "parley_accept"/,
     'parley_rate 1r/s;'],
    ['beside parley_status', qr/"parley_jwt" has no effect beside "parley_status"|"parley_status" answers requests itself/,
     "parley_status; $jwt"];

wrong('GW-31 parley_control beside parley_status',
      "$zone server { listen 127.0.0.1:%PORT_3%;\nlocation /in {\n"
      . "parley_control;\nparley_status;\nallow 127.0.0.1; deny all;\n} }",
      qr/"parley_control" has no effect: "parley_status" in this location accepts no messages/);


subtest 'GW-31 an inherited protection of messages causes a warning' => sub {
    for (['parley_signature required', 'parley_signature'],
         ['parley_redact /payload/x', 'parley_redact'])
    {
        my ($directive, $name) = @$_;
        my ($status, $said) = check(secure('', "$jwt $directive;"));

        is($status, 0, $directive) or diag($said);
        like($said, qr{\[warn\] location "/in" inherits "$name", which has no effect without "parley_accept"},
             'warned about');
    }
};


subtest 'GW-31 rules without a proof that is turned off cause a warning' => sub {
    my ($status, $said) = check(secure('parley_jwt off;',
                                       "$jwt parley_allow role=a;"));

    is($status, 0) or diag($said);
    like($said, qr{\[warn\] location "/in" inherits "parley_allow", which has no effect without "parley_accept"});
    unlike($said, qr/inherits "parley_jwt"/, 'no other');
};


subtest 'GW-31 a location with an empty name' => sub {
    my $http = secure("$jwt parley_redact /x;") =~ s{location /in}{location ""}r;
    my ($status, $said) = check($http);

    is($status, 1);
    like($said, qr/"parley_redact" has no effect without "parley_accept"/);
};


subtest 'GW-31 a return before the proof causes a warning' => sub {
    my $warns = qr/\[warn\] location "\/in" answers by "return" before/;

    like((check(secure("$jwt return 200 x;")))[1], $warns, 'its own proof');
    like((check(secure('return 200 x;', $jwt)))[1], $warns, 'inherited');
    unlike((check(secure('parley_accept off; return 200 x;', $jwt)))[1],
           qr/\[warn\]/, 'confirmed');
    unlike((check(secure('if ($arg_a) { return 404; }', $jwt)))[1],
           qr/\[warn\]/, 'a condition');
};


subtest 'GW-31 tokens over plain HTTP cause a warning' => sub {
    my ($status, $said) = check(bare("$zone $keys", $jwt));

    is($status, 0) or diag($said);
    is(scalar(() = $said =~ /\[warn\].*without TLS/g), 1, 'one');
    unlike((check(bare("$zone $keys", "$jwt parley_trusted on;")))[1],
           qr/\[warn\]/, 'not with parley_trusted');
};


subtest 'GW-30 parley explain' => sub {
    my $conf = spew(tmp_dir() . '/explain.conf', 'http { '
        . secure("$jwt parley_deny method=PUT; parley_allow role=ops;", '',
                 "$zone $keys parley_identities %TMP%/identities.json;")
              =~ s/%TMP%/tmp_dir()/ger =~ s/%PORT_3%/4443/r
              =~ s/ssl_certificate\S* [^;]+;//gr . '}');

    my @explain = ('explain', '--conf', $conf, '--location', '/in', '--token');
    my $token = bearer('alice', iss => 'https://id.example') =~ s/^Bearer //r;

    my ($status, $out, $err) = tool(@explain, $token, '--method', 'GET', '-');

    is($status, 0, 'a request that passes') or diag($err);
    is($out, '', 'nothing is sent');
    like($err, qr/^proof +passed/m, 'the proof');
    like($err, qr/^policy +passed/m, 'the rules');
    unlike($err, qr/^json/m, 'no step of a message');

    ($status, $out, $err) = tool(@explain, $token, '--method', 'PUT', '-');
    is($status, 1, 'a method that a rule denies');
    like($err, qr/^policy +refused .*\n +by "parley_deny" in/m, 'by which rule')
        or diag($err);
};


done_testing();
