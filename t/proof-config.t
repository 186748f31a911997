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


# each directive, with what a location that uses it needs besides
my @inherited = (
    (map { [$_, 'parley_accept aee; parley_trusted on;'] }
         'parley_limits body=1k', 'parley_cap priority=low',
         'parley_freshness past=1s future=1s', 'parley_window 1h',
         'parley_speak aee', 'parley_vcp_critical pass', 'parley_redact /x',
         'parley_signature optional', 'parley_dry_run on',
         'parley_rate 1r/s', 'parley_allow role=a', 'parley_deny type=task'),
    ['parley_trusted on', 'parley_accept aee;'],
    ['parley_claims aee=agent', "parley_accept aee; $jwt"],
    ['parley_loss reject', 'parley_accept aee c2a; parley_speak c2a; '
                           . 'parley_trusted on;'],
    map { [$_, 'parley_accept vcp; parley_trusted on; parley_window 24h;'] }
        'parley_vcp_context "c"', 'parley_vcp_severity A=warning',
        'parley_vcp_broadcast bus.ops');

# directives that protect: a warning names each location that does not use them
my %protects = map { $_ => 1 } qw(parley_redact parley_signature parley_rate
                                  parley_allow parley_deny);

# Returns the numbers of warnings that no location uses the directive, and that
# a location does not.
sub unused {
    my ($directive, $location, $server, $http) = @_;

    my ($name) = split ' ', $directive;
    my ($status, $said) = check(secure($location, $server // '',
                                       "$zone $keys " . ($http // '')));

    is($status, 0) or diag($said);

    return (scalar(() = $said =~ /\[warn\] "$name" has no effect: every location replaces it, or takes no messages to which it applies.* in \S+:[0-9]+$/mg),
            scalar(() = $said =~ /\[warn\] location "[^"]*" inherits "$name", which has no effect/g));
}

sub is_unused { (unused(@_))[0] }

subtest "GW-31 an inherited $$_[0] that no location uses causes a warning"
    => sub {
    my ($directive, $uses) = @$_;
    my ($name) = split ' ', $directive;

    for my $at (["$directive;"], ['', "$directive;"]) {
        my $level = $at->[0] ? 'of a server' : 'of http';

        is_deeply([unused($directive, '', @$at)],
                  $protects{$name} ? [0, 1] : [1, 0], "$level, no messages");
        is(is_unused($directive, $uses, @$at), 0, "$level, inherited");
        is(is_unused($directive, "$uses $directive;", @$at), 1,
           "$level, overridden") unless $uses =~ /$name/;
        is_deeply([unused($directive, "$uses } location /also { $uses "
                           . "$directive; proxy_pass http://127.0.0.1:1; "
                           . "} location /not {", @$at)],
                  [0, $protects{$name} // 0],
                  "$level, inherited by one of three");
    }
} for @inherited;

subtest 'GW-31 inherited directives that one kind of location uses' => sub {
    my $limits = 'parley_limits body=1k';
    my $trusted = 'parley_accept aee; parley_trusted on;';

    is(is_unused($limits, "$jwt } location /s { $jwt parley_stream channel; } "
                          . 'location /t {', "$limits;"), 0, 'a stream');
    is(is_unused($limits, 'parley_status; allow 127.0.0.1; deny all; } '
                          . 'location /t {', "$limits;"), 1, 'a status page');
    is(is_unused($limits, "$trusted $limits;", "$limits;", $trusted), 1,
       'a server whose locations all have their own');
    is(is_unused('parley_dry_run on', "$jwt } location /s { $jwt "
                 . 'parley_submit channel; } location /t {',
                 'parley_dry_run on;', ), 0, 'proven callers');
    is(is_unused('parley_dry_run on', '} location /s { parley_trusted on; '
                 . 'parley_submit channel; } location /t {',
                 'parley_dry_run on;'), 1, 'only publications');
    is(is_unused('parley_loss reject', $trusted, 'parley_loss reject;'), 1,
       'one protocol, so nothing is translated');
    is(is_unused('parley_vcp_context c', $trusted, 'parley_vcp_context c;'), 1,
       'no VCP');
    is(is_unused($limits, "} location /o { $limits; location /o/i { $trusted "
                          . 'proxy_pass http://127.0.0.1:1; } } location /t {'),
       0, 'a nested location');
    is(is_unused($limits, "} location /o { $limits; location /o/i { "
                          . 'proxy_pass http://127.0.0.1:1; } } location /t {'),
       1, 'a nested location without messages');

    for my $off ('parley_dry_run off', 'parley_trusted off', 'parley_jwt off',
                 'parley_rate off', 'parley_signature off', 'parley_accept off')
    {
        is(is_unused($off, '', "$off;"), 0, "$off turns nothing on");
    }
};


subtest 'GW-31 a file that two servers include' => sub {
    spew(tmp_dir() . '/shared.conf', "parley_limits body=1k;\n");

    my $shared = 'include %TMP%/shared.conf;';
    my $uses = 'parley_accept aee; parley_trusted on;';
    my $server = "server { listen 127.0.0.1:%PORT_3% ssl; $tls "
                 . "server_name b; $shared location / {";

    is(is_unused('parley_limits', "$uses } } $server", $shared), 0,
       'used in one of them');
    is(is_unused('parley_limits', "} } $server", $shared), 1,
       'one warning for both');
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
