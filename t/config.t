# Errors of a configuration: nginx -t reports the place and the reason, with
# exit status 1.  parley explain reports the same errors.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env qw(root slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Tool qw(tool);

my $dir = tmp_dir();
my $zone = 'parley_zone agents:1m;';

# the valid files
http_config();
spew("$dir/rsa.json", jwks(new_key('RS256', 'r')));


# Returns directives in a location that is valid otherwise.
sub place {
    my $directives = shift;

    return "$zone parley_jwks %TMP%/jwks.json;\n"
         . "parley_identities %TMP%/identities.json;\n"
         . "server { listen 127.0.0.1:%PORT_3%;\nlocation /in {\n"
         . "parley_accept aee;\nparley_jwt on;\n"
         . "$directives\nproxy_pass http://127.0.0.1:1;\n} }\n";
}


sub file {
    my ($name, $text) = @_;

    return spew("$dir/$name", $text);
}


subtest 'GW-11 a valid configuration passes' => sub {
    my ($status, $said) = check(gateway_http());

    is($status, 0) or diag($said);
    like($said, qr/test is successful/);
};


subtest 'GW-11 a configuration without Parley is not affected' => sub {
    is((check('server { listen 127.0.0.1:%PORT_3%; }'))[0], 0);
    is((check("$zone server { listen 127.0.0.1:%PORT_3%; }"))[0], 0);
};


# each directive with invalid values

my @values = (
    ['parley_accept;', qr/invalid number of arguments in "parley_accept"/],
    ['parley_accept smtp;', qr/"parley_accept": "smtp" is not a protocol/],
    ['parley_accept aee aee;', qr/"parley_accept": "aee" is duplicate/],
    ['parley_accept aee-mve5 vcp vcp;',
     qr/"parley_accept": "vcp" is duplicate/],
    ['parley_accept aee-mve5 aee aee;',
     qr/"parley_accept": "aee" is duplicate/],
    ['parley_accept aee-mve5 aee-mve5;',
     qr/"parley_accept": "aee-mve5" is duplicate/],
    ['parley_accept aee off;', qr/"parley_accept": "off" is not a protocol/],
    ['parley_speak smtp;', qr/"parley_speak": "smtp" is not a protocol/],
    ['parley_speak aee vcp;',
     qr/"parley_speak": "vcp" is unknown; expected gateway=/],
    ['parley_speak aee gateway=;', qr/"parley_speak": "gateway=" is not/],
    ['parley_speak vcp gateway=x;', qr/"gateway=x" is not a sender of/],
    ['parley_speak aee gateway=x gateway=y;', qr/invalid number of arguments/],
    ['parley_speak aee; parley_speak aee;', qr/is duplicate/],
    ['parley_signature maybe;', qr/"parley_signature": "maybe" is unknown; expected off, optional or required/],
    ['parley_trusted yes;', qr/invalid value "yes"/],
    ['parley_dry_run yes;', qr/"parley_dry_run": "yes" is unknown; expected off, on or all/],
    ['parley_loss forbid;', qr/"parley_loss": "forbid" is unknown; expected report, reject or ignore/],
    ['parley_limits body=257m;', qr/"parley_limits": "body=257m" is not in the range; expected 1 to 256m/],
    ['parley_limits string=0;', qr/"parley_limits": "string=0" is not in the range; expected 1 to 256m/],
    ['parley_limits depth=513;', qr/"parley_limits": "depth=513" is not in the range; expected 1 to 512/],
    ['parley_limits members=268435457;', qr/is not in the range; expected 1 to 268435456/],
    ['parley_accept a2a;', qr/"parley_accept": "a2a" is not a protocol; expected aee, vcp, vcp2, c2a, channel or moq/],
    ['parley_speak mcp;', qr/"parley_speak": "mcp" is not a protocol; expected aee, vcp, vcp2, c2a, channel or moq/],
    ['parley_claims;', qr/invalid number of arguments/],
    ['parley_claims aee;', qr/"parley_claims": "aee" is not a claim of a member; expected MEMBER=CLAIM/],
    ['parley_claims aee=;', qr/"parley_claims": "aee=" is not a claim/],
    ['parley_claims hat=x;', qr/"parley_claims": "hat" is not a member of a principal; expected sub, aee,/],
    ['parley_claims aee=x aee=y;', qr/"parley_claims": "aee" is duplicate/],
    ['parley_claims aee=x; parley_claims vcp=y;', qr/is duplicate/],
    ['parley_allow colour=red;', qr/"parley_allow": "colour=red" is unknown; expected scope=, principal=, role=, .* or method=/],
    ['parley_allow scope;', qr/"parley_allow": "scope" is not a condition; expected NAME=PATTERN, such as type=task/],
    ['parley_allow scope=;', qr/"parley_allow": "scope=" is not a pattern: a pattern is empty; expected patterns such as/],
    ['parley_allow scope=a scope=b;', qr/"parley_allow": "scope=b" is a second condition of this name; expected one, with "\|" between its patterns/],
    ['parley_allow scope=a||b;', qr/"parley_allow": "scope=a\|\|b" is not a pattern: a pattern is empty/],
    ['parley_deny intent=a**;', qr/"parley_deny": "intent=a\*\*" is not a pattern: "\*\*" is not a label of its own/],
    ['parley_rate fast;', qr/"parley_rate": "fast" is not a rate; expected Nr\/s/],
    ['parley_rate 0r/s;', qr/"0r\/s" is not a rate; .* from 1/],
    ['parley_rate -1r/s;', qr/"-1r\/s" is not a rate/],
    ['parley_rate 1r/d;', qr/"1r\/d" is not a rate;/],
    ['parley_rate 1r/s 2r/s;', qr/"2r\/s" is a second rate/],
    ['parley_rate 1r/s burst=x;', qr/"burst=x" is not a burst/],
    ['parley_rate burst=5;', qr/burst= needs a rate/],
    ['parley_rate 1r/s often=2r/s;', qr/"often=2r\/s" is unknown/],
    ['parley_rate 1r/s urgent=x;', qr/"parley_rate": "x"|"urgent=x"/],
    ['parley_rate 1r/s urgent=1r/s urgent=2r/s;', qr/a second rate/],
    ['parley_rate 1r/s; parley_rate 2r/s;', qr/is duplicate/],
    ['parley_cap;', qr/invalid number of arguments/],
    ['parley_cap priority=top;', qr/"parley_cap": "priority=top" is not a priority; expected low/],
    ['parley_cap timeout=0;', qr/"parley_cap": "timeout=0" is not in the range; expected 1ms/],
    ['parley_cap timeout=x;', qr/"parley_cap": "timeout=x" is not a time/],
    ['parley_cap size=1;', qr/"parley_cap": "size=1" is unknown/],
    ['parley_cap timeout=1s; parley_cap timeout=2s;', qr/is duplicate/],
    ['parley_freshness past=x;', qr/"parley_freshness": "past=x" is not a time/],
    ['parley_freshness 5m;', qr/"parley_freshness": "5m" is unknown/],
    ['parley_window x;', qr/"parley_window": "x" is not a time; expected 0 to 36500d/],
    ['parley_window 9223372036854775s;', qr/"parley_window": "9223372036854775s" is not in the range; expected 0 to 36500d/],
    ['parley_window 36501d;', qr/"parley_window": "36501d" is not in the range; expected 0 to 36500d/],
    ['parley_freshness past=9223372036854775s;', qr/"parley_freshness": .* is not in the range; expected 0 to 36500d/],
    ['parley_freshness future=36501d;', qr/"parley_freshness": "future=36501d" is not in the range; expected 0 to 36500d/],
    ['parley_cap timeout=36501d;', qr/"parley_cap": "timeout=36501d" is not in the range; expected 1ms to 36500d/],
    ['parley_window 10m 20m;', qr/is unknown; expected receiver=/],
    ['parley_limits body=0;', qr/"parley_limits": "body=0" is not in the range; expected 1 to 256m/],
    ['parley_limits body=1g;', qr/"parley_limits": "body=1g" is not a size; expected 1 to 256m/],
    ['parley_limits depth=513;', qr/"parley_limits": "depth=513"/],
    ['parley_limits string=x;', qr/"parley_limits": "string=x"/],
    ['parley_limits members=-1;', qr/"parley_limits": "members=-1"/],
    ['parley_limits depth=1 depth=2;', qr/"parley_limits": "depth=2" is duplicate/],
    ['parley_limits depth=1; parley_limits body=1k;', qr/is duplicate/],
    ['parley_cap timeout=1s timeout=1s;', qr/"parley_cap": "timeout=1s" is duplicate/],
    ['parley_freshness past=1s past=1s;', qr/"parley_freshness": "past=1s" is duplicate/],
    ['parley_allow;', qr/"principal=\*\*" matches all/],
    ['parley_deny;', qr/a rule needs a condition/],
    ['parley_deny protocol=vpc;', qr/"parley_deny": "protocol=vpc" is not a protocol/],
    ['parley_deny to=agent.eve|"agent.bob";', qr/"parley_deny": "to="agent.bob"" has quotes; expected quotes around the whole word/],
    ['parley_deny type=taks;', qr/"parley_deny": "type=taks" is not a type/],
    ['parley_allow type=task|taks;', qr/"type=taks" is not a type of a protocol/],
    (map { ["parley_$_->[0] method=$_->[1];", qr/"parley_$_->[0]": "method=\Q$_->[2]\E" is not a method: methods are written in capitals; expected one such as GET/] }
         ['allow', 'get', 'get'], ['deny', 'GET|Post', 'Post'],
         ['allow', 'GE7', 'GE7'], ['deny', 'GET,HEAD', 'GET,HEAD'],
         ['allow', 'a*', 'a*'], ['allow', 'GET.**', 'GET.**']),
    ['parley_limits width=1;', qr/"parley_limits": "width=1" is unknown/],
    ['parley_redact secret;', qr/"parley_redact": "secret" is not a JSON Pointer/],
    ['parley_redact /;', qr/"parley_redact": "\/" is not a JSON Pointer/],
    ['parley_redact /a~2b;', qr/"parley_redact": "\/a~2b" is not a JSON Pointer/],
    ['parley_redact /a~;', qr/"parley_redact": "\/a~" is not a JSON Pointer/],
    ['parley_redact /a hide;', qr/"parley_redact": "hide" is unknown; expected remove/],
    ['parley_vcp_context;', qr/invalid number of arguments/],
    ['parley_vcp_severity;', qr/invalid number of arguments/],
    ['parley_vcp_severity E_X;',
     qr/"parley_vcp_severity": "E_X" is not a severity; expected CODE=SEVERITY/],
    ['parley_vcp_severity E_X=grave;', qr/"E_X=grave" has an unknown severity/],
    ['parley_vcp_severity e_x=info;', qr/"e_x" is not a code/],
    ['parley_vcp_severity =info;', qr/"" is not a code/],
    ['parley_vcp_severity E_X=info E_X=info;', qr/"E_X" is duplicate/],
    ['parley_vcp_severity E_X=info; parley_vcp_severity E_Y=info;',
     qr/"parley_vcp_severity" directive is duplicate/],
    ['parley_vcp_broadcast ops;',
     qr/"parley_vcp_broadcast": "ops" is not a group; expected the AEE name of a group/],
    ['parley_vcp_broadcast agent.x;', qr/is not a group; expected the AEE name of a group/],
    ['parley_vcp_broadcast bus.a; parley_vcp_broadcast bus.b;',
     qr/"parley_vcp_broadcast" directive is duplicate/],
    ['parley_zone a:1m;', qr/"parley_zone" directive is not allowed here/],
    ['parley_jwks x;', qr/"parley_jwks" directive is not allowed here/],
    ['parley_identities x;', qr/directive is not allowed here/],
    ['parley_signing_key x;', qr/directive is not allowed here/],
    ['parley_self x;', qr/directive is not allowed here/],
    ['parley_unknown x;', qr/unknown directive "parley_unknown"/],
);

for (@values) {
    my ($directives, $why) = @$_;
    my $place = place($directives);

    $place =~ s/parley_accept aee;\n// if $directives =~ /^parley_accept/;
    wrong($directives, $place, $why);
}


my @jwt = (
    ['parley_jwt;', qr/invalid number of arguments/],
    ['parley_jwt yes;', qr/"parley_jwt": "yes" is unknown; expected on or off/],
    ['parley_jwt off leeway=1s;', qr/has parameters after "off"; expected none/],
    ['parley_jwt on colour=red;', qr/"parley_jwt": "colour=red" is unknown/],
    ['parley_jwt on leeway=x;', qr/"parley_jwt": "leeway=x" is not a time/],
    ['parley_jwt on leeway=2h;', qr/"parley_jwt": "leeway=2h" is not in the range; expected 0 to 1h/],
    ['parley_jwt on issuer=;', qr/"parley_jwt": "issuer=" is empty/],
    ['parley_jwt on require=;', qr/"require=" is not a required claim; expected require=CLAIM/],
    ['parley_jwt on token=$arg_Scope;', qr/"parley_jwt": "token=\$arg_Scope" is an argument of messages/],
    ['parley_jwt on token=body;', qr/"parley_jwt": "token=body" is not a source of tokens; expected header or a variable, such as \$cookie_NAME/],
    ['parley_jwt on token=$cookie_;', qr/"parley_jwt": "token=\$cookie_" is not a source/],
    ['parley_jwt on "token=$arg_a$arg_b";', qr/"parley_jwt": "token=\$arg_a\$arg_b" is not a source/],
    ['parley_jwt on token=cookie:c;', qr/"parley_jwt": "token=cookie:c" is an old form; expected token=\$cookie_NAME/],
    ['parley_jwt on token=arg:a;', qr/"parley_jwt": "token=arg:a" is an old form; expected token=\$arg_NAME/],
    ['parley_jwt on; parley_jwt on;', qr/is duplicate/],
    ['parley_jwt on typ=;', qr/"parley_jwt": "typ=" is not a type of token; expected JWT or a name that ends in \+jwt/],
    ['parley_jwt on typ=at-jwt;', qr/"parley_jwt": "typ=at-jwt" is not a type/],
    ['parley_jwt on typ=text/at+jwt;', qr/"parley_jwt": "typ=text\/at\+jwt" is not a type/],
    ['parley_jwt on "typ=at+jwt JWT";', qr/"parley_jwt": "typ=at\+jwt JWT" is not a type/],
    ['parley_jwt on typ=JWT typ=at+jwt;', qr/"parley_jwt": "typ=at\+jwt" is duplicate/],
    ['parley_jwt on max_lifetime=0;', qr/"parley_jwt": "max_lifetime=0" is not in the range; expected 1s to 36500d/],
    ['parley_jwt on max_lifetime=;', qr/"parley_jwt": "max_lifetime=" is not a time/],
    ['parley_jwt on max_lifetime=-1s;', qr/"parley_jwt": "max_lifetime=-1s" is not/],
    ['parley_jwt on max_lifetime=1500ms;', qr/"parley_jwt": "max_lifetime=1500ms" is/],
    ['parley_jwt on max_lifetime=1y;', qr/"parley_jwt": "max_lifetime=1y" is not/],
    ['parley_jwt on max_lifetime=1h max_lifetime=2h;', qr/"parley_jwt": "max_lifetime=2h" is duplicate/],
    ['parley_jwt on max_lifetime=1h exp=optional;', qr/"parley_jwt" directive cannot have both "exp=optional" and "max_lifetime="/],
    ['parley_jwt on exp=optional max_lifetime=1h;', qr/"parley_jwt" directive cannot have both/],
    ['parley_jwt on jti=once;', qr/"parley_jwt": "jti=once" is unknown/],
    ['parley_jwt on jti=required jti=required;', qr/"parley_jwt": "jti=required" is duplicate/],
    ['parley_jwt on leeway=1s leeway=2s;', qr/"parley_jwt": "leeway=2s" is duplicate/],
    ['parley_jwt on token=header token=$cookie_c;', qr/"parley_jwt": "token=\$cookie_c" is duplicate/],
    ['parley_jwt on audience=a audience=b audience=a;', qr/"parley_jwt": "audience=a" is duplicate/],
);

for (@jwt) {
    wrong(($_->[0] =~ /typ=|max_lifetime|jti=/ ? 'SEC-14 ' : '') . $_->[0], place($_->[0]) =~ s/parley_jwt on;\n//r, $_->[1]);
}


subtest 'SEC-14 valid arguments of parley_jwt' => sub {
    for ('typ=at+jwt', 'typ=JWT', 'typ=application/at+jwt', 'typ=WIT+jwt',
         'max_lifetime=1h30m', 'max_lifetime=60', 'max_lifetime=2000ms',
         'jti=required', 'audience=a audience=ab require=a require=a=b',
         'typ=at+jwt jti=required max_lifetime=1d leeway=1m')
    {
        my ($status, $said) = check(place("parley_jwt on $_;")
                                    =~ s/parley_jwt on;\n//r);

        is($status, 0, $_) or diag($said);
    }
};


# the directives of http

my @http = (
    ['parley_zone agents;', qr/"parley_zone": "agents" is not a name and a size; expected NAME:SIZE/],
    ['parley_zone :1m;', qr/"parley_zone": ":1m" is not a name and a size; expected NAME:SIZE/],
    ['parley_zone agents:big;', qr/"parley_zone": "agents:big" is not a name and a size/],
    ['parley_zone agents:64k;', qr/"parley_zone": "agents:64k" is not a name and a size; .* 128k or more/],
    ['parley_zone a:1m; parley_zone b:1m;', qr/is duplicate/],
    ["parley_zone agents:1m share=0%;", qr/"parley_zone": "share=0%" is not a share; expected 1% to 100%/],
    ["parley_zone agents:1m share=101%;", qr/"parley_zone": "share=101%" is not a share/],
    ["parley_zone agents:1m share=25;", qr/"parley_zone": "share=25" is not a share/],
    ["parley_zone agents:1m part=25%;", qr/"parley_zone": "part=25%" is unknown; expected share=/],
    ['parley_self "";', qr/is empty/],
    ['parley_self "a b";', qr/"parley_self": "a b" is not a name; expected printable/],
    ['parley_self a; parley_self b;', qr/is duplicate/],
    ['parley_self bus.ops;',
     qr/"parley_self": "bus.ops" is the name of a group/],
    ['parley_jwks_request https://id.example/keys;', qr/is not a path; expected the URI of an internal location/],
    ['parley_jwks_request /_jwks often=1s;', qr/"parley_jwks_request": "often=1s" is unknown/],
    ['parley_jwks_request /_jwks interval=0;', qr/"parley_jwks_request": "interval=0" is not in the range; expected 1ms/],
    ['parley_jwks_request /_jwks refresh=x;', qr/"parley_jwks_request": "refresh=x" is not a time/],
    ['parley_jwks_request /a interval=1s interval=1s;', qr/"parley_jwks_request": "interval=1s" is duplicate/],
    ['parley_jwks_request /a; parley_jwks_request /b;', qr/is duplicate/],
);

wrong($_->[0], $_->[0], $_->[1]) for @http;


# errors that no directive can find alone

my $keys = 'parley_jwks %TMP%/jwks.json;';
my $known = 'parley_identities %TMP%/identities.json;';

wrong('parley_accept without a zone',
      bare($keys, 'parley_accept aee; parley_jwt on;'),
      qr/"parley_accept" needs "parley_zone" in .*nginx\.conf:\d+/);

wrong('several protocols and no parley_speak',
      bare("$zone $keys", 'parley_accept aee vcp; parley_jwt on;'),
      qr/names several protocols and needs "parley_speak"/);

wrong('nobody to trust',
      bare("$zone $keys", 'parley_accept aee;'),
      qr/has no proof of the sender/);

wrong('nobody to trust: signatures that are optional prove nothing',
      bare("$zone $keys $known", 'parley_accept aee; '
                               . 'parley_signature optional;'),
      qr/has no proof of the sender/);

wrong('signatures off without trust',
      bare("$zone $keys", 'parley_accept aee; parley_jwt on; '
                        . 'parley_signature off;'),
      qr/cannot have "parley_signature off" without "parley_trusted on"/);

wrong('tokens without keys',
      bare($zone, 'parley_accept aee; parley_jwt on;'),
      qr/needs "parley_jwks" or "parley_jwks_request"/);

wrong('keys from a location that is none',
      bare("$zone parley_jwks_request /_jwks;", 'parley_accept aee; '
           . "parley_jwt on; } location $_ { return 404;"),
      qr/"parley_jwks_request" needs a location "\/_jwks" in a server/)
    for '/_jwk', '= /_jwks/', '/_jwksets', '~ /_jwks', '/';

wrong('signatures without identities',
      bare($zone, 'parley_accept aee; parley_signature required;'),
      qr/needs "parley_identities" with keys/);

wrong('GW-28 signatures beside tokens, without identities',
      bare("$zone $keys", 'parley_accept aee; parley_jwt on; '
                        . 'parley_signature required;'),
      qr/needs "parley_identities" with keys/);

wrong('GW-28 signatures of those who have no keys',
      bare("$zone parley_identities " . file('keyless.json',
               '{"principals": [{"sub": "a", "aee": "agent.a"}]}') . ';',
           'parley_accept aee; parley_signature required;'),
      qr/no principal of "parley_identities" has "keys"/);

wrong("GW-28 signatures of $_->[0], which has none",
      bare("$zone $known $keys", "parley_accept $_->[0]; parley_jwt on; "
                               . 'parley_signature required;'),
      qr/names $_->[1], a protocol without signatures, with "parley_sig/)
    for ['c2a', 'c2a'], ['channel', 'channel'], ['moq', 'moq'],
        ['c2a channel; parley_speak aee', 'c2a'];


wrong('a window shorter than what freshness lets in',
      bare("$zone $keys", 'parley_accept aee; parley_jwt on; '
                        . 'parley_window 5m;'),
      qr/"parley_window" shorter than "past=" plus "future=" of "parley_freshness"/);

wrong('a window below what VCP asks for',
      bare("$zone $keys", 'parley_accept vcp; parley_jwt on; '
                        . 'parley_freshness past=60s; parley_window 2m;'),
      qr/below the 5 minutes that VCP requires/);


subtest 'GW-11 the error is on the line of parley_accept' => sub {
    my ($status, $said) = check("$zone $keys\nserver {\n"
        . "listen 127.0.0.1:%PORT_3%;\nlocation /in {\nparley_accept aee;\n"
        . "proxy_pass http://127.0.0.1:1;\n} }");
    my $conf = Parley::Env::slurp($said =~ /in (\S+nginx\.conf):\d+/ ? $1
                                                                   : '/dev/null');
    my ($line) = $said =~ /nginx\.conf:(\d+)/;
    my @lines = split /\n/, $conf;

    like($lines[($line // 1) - 1], qr/parley_accept/);
};


wrong('a location that is not asked about',
      bare("$zone $keys", 'parley_accept aee; parley_jwt on; '
                        . 'location /in/side { parley_jwt off; }'),
      qr/has no proof of the sender/);

wrong("$_->[0]", bare("$zone $keys", "parley_accept aee; parley_jwt on; "
                                   . $_->[0]), $_->[1])
    for (['if ($args) { parley_accept aee; }',
          qr/"parley_accept" directive is not allowed here/],
         ['limit_except GET { parley_trusted on; }',
          qr/"parley_trusted" directive is not allowed here/],
         ['parley_speak { }',
          qr/directive "parley_speak" is not terminated by ";"/]);

wrong('upstream', 'upstream u { server 127.0.0.1:1; parley_trusted on; }',
      qr/"parley_trusted" directive is not allowed here/);

wrong($_->[0], bare("$zone $keys $_->[0]", 'parley_accept aee;'), $_->[1])
    for (['parley_retain count=x time=1h;', qr/"parley_retain": "count=x" is not a number; expected 1 or more/],
         ['parley_retain count=0 time=1h;', qr/"parley_retain": "count=0" is not in the range/],
         ['parley_retain count=9 time=0;', qr/"parley_retain": "time=0" is not in the range; expected 1ms/],
         ['parley_retain count=9 count=9;', qr/"parley_retain": "count=9" is duplicate/],
         ['parley_retain count=9 age=1h;', qr/"parley_retain": "age=1h" is unknown; expected count=NUMBER or time=TIME/],
         ['parley_retain 9 1h;', qr/"parley_retain": "9" is unknown; expected count=NUMBER or time=TIME/],
         ['parley_retain count=9;', qr/invalid number of arguments/],
         ['parley_retain count=9 time=1h; parley_retain count=9 time=1h;', qr/is duplicate/],
         ['parley_intents none;', qr/none" is not a folder/]);

wrong('a schema that is none', 'parley_intents ' . do {
          mkdir "$dir/broken";
          file('broken/ops.x.task.schema.json', "{\n\"type\": 7 }");
          "$dir/broken;";
      }, qr/ops\.x\.task\.schema\.json.*" line 2: /);


subtest 'GW-11 inherited directives are checked the same way' => sub {
    my ($status, $said) = check("$zone $keys parley_accept aee vcp;\n"
        . 'server { listen 127.0.0.1:%PORT_3%; parley_jwt on; '
        . 'location /in { proxy_pass http://127.0.0.1:1; } }');

    is($status, 1);
    like($said, qr/"parley_speak"|nobody to trust/);
};


# files

my $missing = "$dir/none.json";

for (qw(parley_jwks parley_identities parley_signing_key)) {
    wrong("$_: a file that is missing", "$_ $missing;",
          qr/open\(\) "\Q$missing\E" failed \(2: No such file/);
    wrong("$_: a directory", "$_ $dir;", qr/"\Q$dir\E" is not a file/);
    wrong("$_: an empty file", "$_ " . file('empty.json', '') . ';',
          qr/empty\.json"/);
    wrong("$_: no JSON", "$_ " . file('bad.json', "{\n\n  \"keys\": nope }")
          . ';', qr/bad\.json" line 3/);
    wrong("$_: a member twice", "$_ "
          . file('twice.json', qq({\n"keys": [],\n"keys": []})) . ';',
          qr/twice\.json" line 3, column 1: \/keys invalid JSON: duplicate member/);
    wrong("$_ twice", "$_ %TMP%/"
          . { parley_jwks => 'jwks.json', parley_identities =>
              'identities.json', parley_signing_key => 'gateway.jwk' }->{$_}
          . "; $_ $missing;", qr/is duplicate/) if $_ ne 'parley_jwks';
}

wrong('identities: a member twice, deep inside', 'parley_identities '
      . file('deep.json', qq({"principals": [\n{"sub": "a",\n"aee": "agent.a",)
                        . qq(\n"aee": "agent.b"}]})) . ';',
      qr{deep\.json" line 4, column 1: /principals/0/aee invalid JSON: duplicate member});

wrong('identities: nothing at all',
      'parley_identities ' . file('nothing.json', '{}') . ';',
      qr{nothing\.json" line 1: /principals is missing});

wrong('keys: no key that verifies anything',
      'parley_jwks ' . file('none-good.json', '{"keys": []}') . ';',
      qr/none-good\.json" has no key that verifies tokens/);

wrong('keys: not a set',
      'parley_jwks ' . file('list.json', '[]') . ';', qr/list\.json"/);

wrong('keys: a short RSA key',
      'parley_jwks ' . file('short.json', jcs({ keys => [
          { kty => 'RSA', kid => 'x', e => 'AQAB', n => 'w' x 171 }] })) . ';',
      qr/short\.json".*(?:2048|short)/);

wrong('keys: a short HMAC secret',
      'parley_jwks ' . file('weak.json', jcs({ keys => [
          { kty => 'oct', kid => 'x', alg => 'HS256', k => 'c2VjcmV0' }] }))
      . ';', qr/weak\.json"/);

# SEC-18: a weak key is refused in every file; t/unit/test_jwk_weak.c says how
# the keys of t/cases/keys were made

my %roca = map { $_ => from_json(slurp(root() . "/t/cases/keys/$_.jwk")) }
           qw(roca-2048 roca-4096 near-roca-2048);
my $good = new_key('ed25519', 'good')->{jwk};
my %weak = (
    'a modulus of CVE-2017-15361' => [$roca{'roca-2048'}, 'n', 'ROCA'],
    'a longer one' => [$roca{'roca-4096'}, 'n', 'ROCA'],
    'an exponent of 1' => [{ %{ $roca{'near-roca-2048'} }, e => 'AQ' }, 'e',
                           'is not an odd number'],
    'an exponent of 2' => [{ %{ $roca{'near-roca-2048'} }, e => 'Ag' }, 'e',
                           'is not an odd number'],
    'a modulus of 2040 bits' => [
        { kty => 'RSA', e => 'AQAB', n => 'w' x 340 }, 'n', '2048 bits'],
    'a secret of 31 octets' => [
        { kty => 'oct', k => encode_base64url('s' x 31) }, 'k', '32 octets'],
    'a secret shorter than its digest' => [
        { kty => 'oct', alg => 'HS512', k => encode_base64url('s' x 63) },
        'alg', 'does not fit'],
);

for (sort keys %weak) {
    my ($key, $member, $why) = @{ $weak{$_} };
    my $set = "{\"keys\": [\n" . jcs($good) . ",\n" . jcs($key) . "]}";

    wrong("SEC-18 keys: $_", 'parley_jwks ' . file('weak.json', $set) . ';',
          qr{weak\.json" line 3: /keys/1/$member .*$why});

    wrong("SEC-18 identities: $_", 'parley_identities ' . file('weak-id.json',
          qq({"principals": [\n{"sub": "a", "keys": [\n) . jcs($key)
          . ']}]}') . ';',
          qr{weak-id\.json" line 3: /principals/0/keys/0/$member .*$why});
}


subtest 'SEC-18 a modulus similar to those of CVE-2017-15361 is accepted' => sub {
    my ($status, $said) = check('parley_jwks ' . file('near.json',
        jcs({ keys => [$roca{'near-roca-2048'}] }))
        . '; server { listen 127.0.0.1:%PORT_3%; }');

    is($status, 0) or diag($said);
};


wrong('keys: the same kid twice',
      'parley_jwks ' . file('same.json', jwks(new_key('HS256', 'same'),
                                               new_key('HS256', 'same'))) . ';',
      qr/same\.json".*kid/);

wrong('keys: a member that is missing',
      'parley_jwks ' . file('part.json', jcs({ keys => [
          { kty => 'OKP', kid => 'x', crv => 'Ed25519' }] })) . ';',
      qr/part\.json".*x/);


subtest 'GW-11 unusable keys are left out with a warning' => sub {
    my $text = jcs({ keys => [public_jwk(idp()),
                              { kty => 'XYZ', kid => 'new' }] });
    my ($status, $said) = check('parley_jwks ' . file('mixed.json', $text)
        . '; server { listen 127.0.0.1:%PORT_3%; }');

    is($status, 0) or diag($said);
    like($said, qr/\[warn\] 1 keys? in "\S+mixed\.json"/);
};


subtest 'GW-28 keys that may sign and not verify are left out too' => sub {
    my $signs = { %{ gateway_key()->{private} }, key_ops => ['sign'] };
    my ($status, $said) = check('parley_jwks ' . file('signs.json',
        jcs({ keys => [public_jwk(idp()), $signs] }))
        . '; server { listen 127.0.0.1:%PORT_3%; }');

    is($status, 0) or diag($said);
    like($said, qr/\[warn\] 1 keys? in "\S+signs\.json"/);
};


wrong('GW-28 keys: all of them may sign and not verify',
      'parley_jwks ' . file('sign.json', jcs({ keys => [
          { %{ gateway_key()->{private} }, key_ops => ['sign'] }] })) . ';',
      qr/sign\.json" has no key that verifies tokens/);


wrong('the gateway\'s key: a public one',
      'parley_signing_key ' . file('public.jwk', jcs(public_jwk(gateway_key())))
      . ';', qr/public\.jwk" must hold a private Ed25519 key/);

wrong('the gateway\'s key: another kind',
      'parley_signing_key ' . file('hmac.jwk', jcs(new_key('HS256', 'h')->{jwk}))
      . ';', qr/hmac\.jwk" must hold a private Ed25519 key/);

wrong('the gateway\'s key: a private part that does not belong to the public one',
      'parley_signing_key ' . file('mixed.jwk', jcs({
          %{ gateway_key()->{private} }, x => idp()->{jwk}{x} })) . ';',
      qr/mixed\.jwk"/);


# identities

sub identity_file {
    my ($name, @principals) = @_;

    # a principal a line, the first on line 2
    return 'parley_identities ' . file("$name.json", "{\"principals\": [\n"
        . join(",\n", map { ref $_ ? jcs($_) : $_ } @principals) . "\n]}")
        . ';';
}

my $alice = { sub => 'alice', aee => 'agent.alice' };

# the gateway's own name cannot be a principal's

for (['sub', { sub => 'service.parley' }],
     ['aee', { sub => 'p', aee => 'Service.parley' }],
     ['vcp', { sub => 'p', vcp => 'service://parley' }],
     ['c2a', { sub => 'p', c2a => 'service:parley' }],
     ['vcp', { sub => 'p', vcp => 'gate' }, 'parley_self agent.gate;'],
     ['handle', { sub => 'p', handle => '~cc-gate' },
      'parley_self agent.cc-gate;'])
{
    my ($member, $entry, $self) = @$_;

    wrong("SEC-08 identities: the gateway's own name as $member",
          bare("$zone\n" . identity_file('own', $alice, $entry) . "\n"
               . ($self // ''), 'parley_accept aee; parley_trusted on;'),
          qr{own\.json" line 3: /principals/1/$member "[^"]+" is the gateway's});
}

wrong('identities: a sub twice',
      identity_file('subs', $alice, { sub => 'bob' }, { sub => 'alice' }),
      qr/subs\.json" line 4: .*sub/);

wrong('identities: an AEE name twice',
      identity_file('aee', $alice, { sub => 'b', aee => 'agent.alice' }),
      qr/aee\.json" line 3: .*aee/);

wrong('identities: a VCP name twice',
      identity_file('vcp', { sub => 'a', vcp => 'agent://h/x' },
                    { sub => 'b', vcp => 'agent://h/x' }),
      qr/vcp\.json" line 3: .*vcp/);

# several principals may share an instrument, a model for instance, but not the
# one of a principal that has its name and acts for another

wrong("SEC-06 identities: another's $_->[0] as instrument",
      identity_file('mine', { sub => 'a', @$_ },
                    { sub => 'b', handle => '~b', instrument => '~cc-a@1' }),
      qr{mine\.json" line 3: /principals/1/instrument .* /principals/0,})
    for [handle => '~cc-a'], [aee => 'agent.cc-a'], [c2a => 'agent:cc-a'],
        [handle => '~cc-a', human => '~c'];

for (['two', instrument => '~cc-a@2'],
     ['whom it acts for', handle => '~cc-a', human => '~b'],
     ['its parent', handle => '~cc-a', parent => 'b'])
{
    my ($whose, %entry) = @$_;

    my ($status, $said) = check(bare("$zone\n"
        . identity_file('ours', { sub => 'b', handle => '~b',
                                  instrument => '~cc-a@1' },
                        { sub => 'a', %entry }),
        'parley_accept aee; parley_trusted on;'));

    is($status, 0, "SEC-06 identities: an instrument of $whose")
        or diag($said);
}

wrong('identities: an unknown member',
      identity_file('unknown', { %$alice, colour => 'red' }),
      qr/unknown\.json" line 2: .*colour/);

# members that the gateway does not use

wrong("GW-28 identities: a principal's $_->[0]",
      identity_file('unused', { sub => 'b' }, { %$alice, @$_ }),
      qr{unused\.json" line 3: /principals/1/$_->[0] is not allowed here})
    for ['tool', 'editor'], ['lead', 'b'];

wrong('GW-28 identities: peers',
      'parley_identities ' . file('peers.json', qq({"principals": [],\n"peers")
          . qq(: [{"vcp": "agent://p/x", "url": "https://p.example/"}]})) . ';',
      qr{peers\.json" line 2: /peers is not allowed here});

wrong("GW-28 parley_claims $_=x", place("parley_claims aee=y $_=x;"),
      qr/"parley_claims": "$_" is not a member of a principal; expected sub, /)
    for qw(tool lead peers deliver);

wrong("GW-28 parley_claims $_=x", place("parley_claims aee=y $_=x;"),
      qr/"parley_claims": "$_" cannot come from a claim/)
    for qw(keys certificates parent human max_priority reached streams);

wrong("GW-28 identities: a key for $_->[0]",
      identity_file('useless', $alice, { sub => 'b', keys => [
          public_jwk(gateway_key()), $_->[1]] }),
      qr{useless\.json" line 3: /principals/1/keys/1 the key cannot verify mess})
    for ['ES256', new_key('ES256', 'e')->{jwk}],
        ['RS256', new_key('RS256', 'r')->{jwk}],
        ['HS512', new_key('HS512', 'h')->{jwk}];

wrong('identities: no sub',
      identity_file('nosub', $alice, { aee => 'agent.x' }),
      qr/nosub\.json" line 3: .*sub/);

wrong('identities: a name that is a number',
      identity_file('number', { sub => 'a', aee => 7 }),
      qr/number\.json" line 2: .*aee/);

wrong('identities: a parent that nobody is',
      identity_file('parent', { sub => 'a', parent => 'nobody' }),
      qr/parent\.json" line 2: .*parent/);

wrong('identities: somebody is his own parent',
      identity_file('own', { sub => 'a', parent => 'a' }),
      qr/own\.json" line 2: .*parent/);

wrong('identities: parents in a circle',
      identity_file('circle', { sub => 'a', parent => 'b' },
                    { sub => 'b', parent => 'a' }),
      qr/circle\.json" line \d: .*parent/);

wrong('identities: an unknown priority',
      identity_file('priority', { sub => 'a', max_priority => 'top' }),
      qr/priority\.json" line 2: .*max_priority/);

wrong('identities: a broken key',
      identity_file('key', $alice, { sub => 'b', keys => [
          { kty => 'OKP', crv => 'Ed25519', x => 'short' }] }),
      qr/key\.json" line 3: .*keys/);

wrong('identities: the same kid twice',
      identity_file('kids', { sub => 'b', keys => [
          new_key('ed25519', 'k')->{jwk}, new_key('ed25519', 'k')->{jwk}] }),
      qr/kids\.json" line 2: .*kid/);

wrong('identities: a handle that is none',
      identity_file('handle', { sub => 'a', handle => 'Nobody' }),
      qr/handle\.json" line 2: .*handle/);

wrong('identities: no list of principals',
      'parley_identities ' . file('nolist.json', "{\n\"principals\": {}}") . ';',
      qr/nolist\.json" line 2: .*principals/);


subtest 'GW-11 relative names are relative to nginx.conf' => sub {
    my ($status, $said) = check('parley_jwks no-such-file.json;');

    is($status, 1);
    like($said, qr{open\(\) "/\S+/no-such-file\.json" failed});
};


subtest 'GW-11 no secret is printed' => sub {
    my $key = gateway_key()->{private};
    my ($status, $said) = check('parley_signing_key '
        . file('leak.jwk', jcs({ %$key, alg => 'RS256' })) . ';');

    is($status, 1);
    unlike($said, qr/\Q$key->{d}/);
};


done_testing;
