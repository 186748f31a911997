# Errors that no directive can find alone, and directives that can never have
# an effect: nginx -t reports them, and parley explain reports the same.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env ();
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool qw(tool);

my $zone = 'parley_zone agents:1m;';
my $keys = 'parley_jwks %TMP%/jwks.json;';
my $known = 'parley_identities %TMP%/identities.json;';

sub parley_key {
    return Parley::Env::parley('keygen', '--alg', 'ed25519', '--kid', $_[0]);
}


# the valid files
http_config();


# an error of a file names the place and the remedy

Parley::Env::spew(Parley::Env::tmp_dir() . '/single.jwk', parley_key('one'));

wrong('keys: a single one',
      'parley_jwks ' . Parley::Env::tmp_dir() . '/single.jwk;',
      qr/"keys" is missing: this is a single key, "parley jwks FILE" makes a set of it/);


# errors of JSON texts, and their places

my $set = qq({"keys": [],\n);

my @broken = (
    ['a byte order mark', "\xef\xbb\xbf$set}", 'line 1, column 1',
     'byte order mark'],
    ['a stray comma in an object', "$set \"x\": \"\xc3\xa9\",}",
     'line 2, column 11', 'a member name was expected'],
    ['a stray comma in an array', qq({"keys": [{},\n ]}), 'line 2, column 2', 'a value was expected'],
    ['no quotes', "{\n keys: []}", 'line 2, column 2',
     'a member name was expected'],
    ['a string that does not end', qq({"keys": "), 'line 1, column 11',
     'unexpected end of the input'],
    ['two values', '{"keys": []} {}', 'line 1, column 14',
     'trailing octets after the value'],
);

for my $directive (qw(parley_jwks parley_identities parley_signing_key
                      parley_revocations))
{
    for (@broken) {
        my ($name, $text, $where, $why) = @$_;

        wrong("$directive: $name", "$directive "
              . Parley::Env::spew(Parley::Env::tmp_dir()
              . '/broken.json', $text) . ';',
              qr/"\S+broken\.json" $where: (?:\S+ )?invalid JSON: $why/);
    }
}


subtest 'GW-11 an audit log that cannot be opened' => sub {
    for my $path ('%TMP%/none/audit.jsonl', '%TMP%') {
        my ($status, $said) = check("\n\nparley_audit $path;");

        is($status, 1, $path);
        like($said, qr{\[emerg\] "parley_audit": open\(\) "[^"]+" failed \(\d+: .*\) in \S+nginx\.conf:\d+$}m,
             'where it stands');
    }
};


# directives that can never have an effect

my $trusted = 'parley_trusted on;';

wrong('a redaction of what every message needs',
      bare($zone, "$trusted parley_accept vcp; parley_redact /sender;"),
      qr{has "parley_redact /sender", which leaves no message valid});

wrong('a redaction of what every message of two protocols needs',
      bare($zone, "$trusted parley_accept aee vcp; parley_speak aee; "
                . 'parley_redact /payload;'),
      qr{has "parley_redact /payload", which leaves no message valid});

wrong('a mask that no message survives',
      bare($zone, "$trusted parley_accept aee; parley_redact /type mask;"),
      qr{has "parley_redact /type", which leaves no message valid});

wrong('an empty context',
      bare($zone, "$trusted parley_accept vcp; parley_vcp_context '';"),
      qr/has a "parley_vcp_context" that does not fit the schema/);

wrong('a constitution that is none',
      bare($zone, "$trusted parley_accept vcp; "
                . 'parley_vcp_constitution builders@1.0;'),
      qr/has a "parley_vcp_constitution" that does not fit the schema/);


subtest 'GW-11 redactions that keep messages valid' => sub {
    my ($status, $said) = check(bare($zone, "$trusted parley_accept aee vcp; "
        . 'parley_speak aee; parley_redact /payload/secret; '
        . 'parley_redact /trace; parley_redact /payload/reason mask; '
        . 'parley_redact /from mask; parley_redact /intent; parley_vcp_context $arg_context;'));

    is($status, 0) or diag($said);
};


subtest 'MOQ-19 GW-11 MoQ with a service of every protocol' => sub {
    for my $speak (qw(aee vcp vcp2 c2a channel moq)) {
        my ($status, $said) = check(bare($zone, "$trusted "
            . "parley_accept moq; parley_speak $speak;"));

        is($status, 0, $speak) or diag($said);
        unlike($said, qr/names moq/, 'without a warning');
    }
};


wrong("a variable that is none, $_->[0]",
      bare($zone, "$trusted parley_accept vcp; parley_vcp_context '$_->[0]';"),
      $_->[1])
    for ['a$', qr/invalid variable name/], ['$-a', qr/invalid variable name/],
        ['a${}', qr/invalid variable name/],
        ['a${', qr/invalid variable name/],
        ['${host', qr/the closing bracket in "host" variable is missing/];


# a directive without effect because another one is missing

wrong("GW-28 $_->[0] in vain",
      bare("$zone $known $keys", "$_->[1] $_->[0];"), qr/"\w+" has no effect $_->[2].* in .*nginx\.conf:\d+/)
    for ['parley_claims aee=x', 'parley_accept aee; parley_trusted on;',
         'without "parley_jwt on"'],
        ['parley_claims aee=x', 'parley_accept aee; parley_jwt off; '
         . 'parley_signature required;', 'without "parley_jwt on"'],
        ['parley_loss report', 'parley_accept aee; parley_jwt on;',
         'where "parley_accept" and "parley_speak" name one'],
        ['parley_loss reject', 'parley_accept vcp; parley_speak vcp; '
         . 'parley_jwt on;', 'where .*: nothing is translated'],
        map { ["parley_vcp_$_", 'parley_accept aee c2a; parley_speak aee; '
               . 'parley_jwt on;',
               'without vcp in "parley_accept" or "parley_speak"'] }
            'context c', 'constitution creed://ops.example/a@1', 'severity E_X=info',
            'broadcast bus.a';


subtest 'GW-28 an inherited directive, or one for locations within, may have no effect' => sub {
    my $all = 'parley_claims aee=x; parley_loss reject; parley_vcp_context c;';
    my $two = 'location /plain { parley_accept aee; parley_trusted on; '
            . 'proxy_pass http://127.0.0.1:1; } '
            . 'location /to { parley_accept aee; parley_speak vcp; '
            . 'parley_jwt on; proxy_pass http://127.0.0.1:1; }';

    for ("$all server { listen 127.0.0.1:%PORT_3%; $two }",
         "server { listen 127.0.0.1:%PORT_3%; $all $two }",
         "server { listen 127.0.0.1:%PORT_3%; location / { $all "
         . "parley_accept aee; parley_trusted on; "
         . 'location /to { parley_speak vcp; parley_jwt on; '
         . 'proxy_pass http://127.0.0.1:1; } } }',
         "server { listen 127.0.0.1:%PORT_3%; location /in { "
         . 'parley_vcp_context c; parley_loss reject; parley_claims aee=x; '
         . 'parley_jwt on; parley_accept aee vcp; parley_speak aee; '
         . 'proxy_pass http://127.0.0.1:1; } }')
    {
        my ($status, $said) = check("$zone $known $keys $_");

        is($status, 0) or diag($said);
    }
};


# SEC-07: directives that protect a location without parley_accept

wrong("SEC-07 $_ where nothing is accepted",
      bare("$zone $keys", $_),
      qr/"parley_\w+" has no effect with.*: requests pass unchecked/)
    for ('parley_allow principal=a;', 'parley_deny to=b;',
         'parley_signature required;', 'parley_trusted on;',
         'parley_rate 1r/s;', 'parley_redact /payload/x;',
         'parley_limits depth=3;', 'parley_window 1h;', 'parley_speak aee;',
         'parley_dry_run on;', 'parley_accept off; parley_jwt on;',
         'parley_rate 1r/s; location /in/side { parley_accept aee; }',
         'parley_rate 1r/s; if ($arg_a) { return 403; }');


subtest 'SEC-07 an outer location may have directives for the locations in it' => sub {
    my ($status, $said) = check("$zone $keys server { "
        . 'listen 127.0.0.1:%PORT_3%; location /in { '
        . 'parley_jwt on audience=agents; parley_trusted on; '
        . 'location /in/a { parley_accept aee; proxy_pass http://127.0.0.1:1; '
        . '} } }');

    is($status, 0) or diag($said);
    unlike($said, qr/warn/);
};


subtest 'SEC-14 private keys in a file of public keys cause a warning' => sub {
    my $dir = Parley::Env::tmp_dir();
    my $private = parley_key('idp-9');

    Parley::Env::spew("$dir/private.json", qq({"keys":[$private]}));
    Parley::Env::spew("$dir/known.json", jcs({ principals => [
        { sub => 'alice', aee => 'agent.alice',
          keys => [from_json(parley_key('alice-9'))] }] }));

    my (undef, $said) = Parley::Nginx->check(http => bare(
        "$zone parley_jwks $dir/private.json; "
        . "parley_identities $dir/known.json;",
        'parley_accept aee; parley_jwt on;'));

    like($said, qr/\[warn\] .*private\.json" has the private part of key "idp-9": a reader of the file can sign with it/,
         'of tokens');
    like($said, qr/\[warn\] .*known\.json" has the private part of key "alice-9"/,
         'of a principal');

    (undef, $said) = Parley::Nginx->check(http => bare(
        "$zone $keys $known", 'parley_accept aee; parley_jwt on;'));
    unlike($said, qr/private part/, 'public ones are not');
};


subtest 'GW-28 an issuer without keys causes one warning' => sub {
    my $said = sub {
        return (Parley::Nginx->check(http => bare("$zone $_[0] parley_jwt on "
            . 'issuer=https://a.example issuer=https://b.example;',
            'parley_accept aee;')))[1];
    };
    my $none = qr/\[warn\] "parley_jwt" accepts the issuer "https:\/\/b\.example", but no "parley_jwks" has its keys: its tokens are refused in \S+:\d+/;

    my @warned = $said->('parley_jwks %TMP%/jwks.json '
                         . 'issuer=https://a.example;') =~ /$none/g;

    is(scalar @warned, 1, 'of one alone');
    unlike($said->($keys), qr/no "parley_jwks" has/, 'keys of any do for all');
};


# Checks a configuration that is valid with a warning, and others without one.
sub doubtful {
    my ($name, $http, $why, @meant) = @_;

    subtest $name => sub {
        my ($status, $said) = check($http);

        is($status, 0, 'it is right') or diag($said);
        is(scalar(() = $said =~ /^nginx: \[warn\] .*$why.* in \S+nginx\.conf:\d+$/mg), 1,
           'a warning, with its line') or diag($said);

        for my $meant (@meant) {
            ($status, $said) = check($meant);

            is($status, 0, $meant) or diag($said);
            unlike($said, qr/\[warn\] .*$why/, 'not warned about');
        }
    };
}

my $tls = 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%';

# Returns a location of a server with TLS.
sub secure {
    my ($directives, $http) = @_;

    return "$zone $known $keys " . ($http // '') . "\n"
         . "server { listen 127.0.0.1:%PORT_3% ssl; $tls;\nlocation /in {\n"
         . "$directives\nproxy_pass http://127.0.0.1:1;\n} }\n";
}

my $checked = 'parley_jwt on issuer=https://id.example;';


sub rules {
    return secure("parley_accept aee c2a; parley_speak aee; $checked\n"
                  . join "\n", @_);
}

doubtful("GW-28 $_->[0] is warned about", rules(@{ $_->[1] }),
         qr/"$_->[2]" has no effect: the "$_->[3]" in \S+nginx\.conf:\d+ comes first and matches all its messages/,
         map { rules(@$_) } @{ $_->[4] })
    for
    ['a deny after an allow that covers it',
     ['parley_allow scope=ops:run intent=ops.**;',
      'parley_deny scope=ops:run intent=ops.delete to=agent.bob;'],
     'parley_deny', 'parley_allow',
     [['parley_deny scope=ops:run intent=ops.delete to=agent.bob;',
       'parley_allow scope=ops:run intent=ops.**;'],
      ['parley_allow scope=ops:run intent=ops.*;',
       'parley_deny scope=ops:run intent=ops.**;'],
      ['parley_allow scope=ops:run intent=ops.**;',
       'parley_deny intent=ops.delete;'],
      ['parley_allow scope=ops:run intent=ops.**;',
       'parley_deny scope=ops:run|ops:read intent=ops.delete;'],
      ['parley_allow scope=ops:run intent=ops.**;',
       'parley_allow scope=ops:run intent=ops.read;']]],
    ['a deny after an allow of everything',
     ['parley_allow principal=**;', 'parley_deny to=agent.bob;'],
     'parley_deny', 'parley_allow',
     # an allow of everything does not allow requests that need a named type
     [['parley_allow principal=**;', 'parley_deny role=guest;',
       'parley_allow type=subscribe|roster to=~ops;'],
      ['parley_allow principal=**;', 'parley_deny type=subscribe to=~ops;'],
      ['parley_allow type=task;', 'parley_deny type=*;']]],
    ['a deny of what is allowed in other words',
     ['parley_allow type=task|event intent=ops.run|notes.**;',
      'parley_deny type=event intent=Notes.Read.**|ops.run;'],
     'parley_deny', 'parley_allow',
     [['parley_allow type=task|event intent=ops.run|notes.*.**;',
       'parley_deny type=event intent=notes.**;']]],
    ['an allow after a deny that covers it',
     ['parley_deny role=guest;', 'parley_allow role=guest type=event;'],
     'parley_allow', 'parley_deny',
     [['parley_deny role=guest type=event;', 'parley_allow role=guest;']]];


doubtful('GW-28 principal= of a name that no principal has is warned about',
         rules('parley_allow principal=agent.alcie|agent.auditor|*.bob;'),
         qr/"parley_allow" has "principal=agent\.alcie", but no principal of "parley_identities" has this name/,
         rules('parley_deny principal=agent.auditor|AGENT.AUDITOR|agent:auditor|auditor;'),
         rules('parley_claims aee=name;', 'parley_allow principal=agent.alcie;'),
         (rules('parley_allow principal=agent.alcie;')
          =~ s/parley_identities \S+//r));

doubtful('GW-28 so is that of a deny',
         rules('parley_deny principal=agent:nobody;',
               'parley_allow principal=**;'),
         qr/"parley_deny" has "principal=agent:nobody", but no principal/);


my $plain = bare("$zone $known $keys", "parley_accept aee; $checked");

doubtful('GW-28 parley_jwt on without TLS is warned about', $plain,
         qr/"parley_accept" has "parley_jwt on" in a server that only listens without TLS/,
         ($plain =~ s/parley_accept/parley_trusted on; $&/r),
         ($plain =~ s/:%PORT_3%/$& ssl; $tls/r),
         ($plain =~ s/:%PORT_3%/$&; listen 127.0.0.1:%PORT_4% ssl; $tls/r));

doubtful('GW-28 so is that of what is published, once for a server',
         "$zone $known $keys server { listen 127.0.0.1:%PORT_3%; $checked\n"
         . "parley_accept aee;\nlocation /a { proxy_pass http://127.0.0.1:1; }\n"
         . 'location /b { proxy_pass http://127.0.0.1:1; } }',
         qr/"parley_accept" has "parley_jwt on" in a server/,
         "$zone $known $keys server { listen unix:%TMP%/trusted.sock; $checked "
         . 'parley_trusted on; location /a { parley_submit channel; } }');

doubtful("GW-28 $_ without TLS is warned about",
         "$zone $known $keys server { listen 127.0.0.1:%PORT_3%; $checked\n"
         . "location /a { $_; } }",
         qr/"\w+" has "parley_jwt on" in a server that only listens without TLS/)
    for 'parley_submit channel', 'parley_mcp channel', 'parley_websocket aee';


my $signing = 'parley_signing_key %TMP%/gateway.jwk;';
my $vcp = "parley_accept aee vcp; parley_speak vcp; $checked";

doubtful('GW-28 VCP-17 translated to VCP without a key to sign with is warned about',
         secure($vcp),
         qr/"parley_speak vcp" needs "parley_signing_key": translated messages have no signature, which VCP requires/,
         secure($vcp, $signing), secure("parley_accept vcp; $checked"));

my $acked = "parley_accept aee vcp; parley_speak aee; $checked";

doubtful('GW-28 VCP-17 so are acknowledgments of a service of another protocol',
         secure($acked),
         qr/"parley_accept vcp" needs "parley_signing_key": translated acknowledgments have no signature, which VCP requires/,
         secure($acked, $signing), secure("parley_accept vcp; $checked"),
         secure("parley_accept aee c2a; parley_speak aee; $checked"));

my $held = sub {
    my ($words, $http) = @_;
    return secure("$checked parley_submit $words;", $http)
           =~ s/proxy_pass [^;]+;//r;
};

doubtful('GW-28 VCP-17 so are acknowledgments of held requests',
         $held->('vcp aee hold=20s'),
         qr/"parley_submit vcp" needs "parley_signing_key": translated acknowledgments have no signature, which VCP requires/,
         $held->('vcp aee hold=20s', $signing), $held->('vcp aee'),
         $held->('vcp hold=20s'), $held->('aee c2a hold=20s'));

doubtful("GW-28 VCP-17 so are readers of $_",
         "$zone $known $keys server { listen 127.0.0.1:%PORT_3% ssl; $tls;\n"
         . "$checked location /a { parley_submit aee; }\n"
         . "location /b { $_; } }",
         qr/"$_" needs "parley_signing_key"/,
         "$zone $known $keys $signing server { listen 127.0.0.1:%PORT_3% ssl; "
         . "$tls; $checked location /a { parley_submit aee; } "
         . "location /b { $_; } }",
         "$zone $known $keys server { listen 127.0.0.1:%PORT_3% ssl; $tls; "
         . "$checked location /a { parley_submit vcp; } location /b { $_; } }")
    for 'parley_stream vcp', 'parley_websocket vcp';


doubtful('GW-28 parley_jwt on without issuer= and audience= is warned about',
         secure('parley_accept aee; parley_jwt on leeway=5s;'),
         qr/"parley_jwt" has neither "issuer=" nor "audience=": it accepts a token that was issued for another service/,
         secure('parley_accept aee; parley_jwt on issuer=https://id.example;'),
         secure('parley_accept aee; parley_jwt on audience=agents;'),
         secure('parley_accept aee; parley_jwt off; parley_trusted on;'));


subtest 'GW-24 error_page to a location that accepts nothing causes a warning' => sub {
    my $said = sub {
        return (Parley::Nginx->check(http => bare($zone,
            "parley_accept aee; parley_trusted on; error_page $_[0]; "
            . 'proxy_pass http://127.0.0.1:1; } '
            . 'location @spare { proxy_pass http://127.0.0.1:1; } '
            . 'location @good { parley_accept aee; parley_trusted on;')))[1];
    };
    my $astray = qr/\[warn\] "error_page" of location "[^"]+" leads to "\@spare", which has no "parley_accept": no message reaches it in/;

    like($said->('502 504 = @spare'), $astray, 'of what a service failed');
    unlike($said->('502 504 = @good'), qr/error_page/, 'one that accepts');
    unlike($said->('404 = @spare'), qr/error_page/, 'of what nginx refuses');
};


subtest 'SEC-07 an inherited directive that protects nothing causes a warning' => sub {
    my ($status, $said) = check("$zone $keys server { "
        . "listen 127.0.0.1:%PORT_3%;\nparley_rate 1r/s;\n"
        . "location /bare { proxy_pass http://127.0.0.1:1; }\n"
        . 'location /off { parley_accept off; proxy_pass http://127.0.0.1:1; }'
        . 'location /files { } '
        . 'location = /_keys { internal; proxy_pass http://127.0.0.1:1; } '
        . 'location /in { parley_accept aee; parley_trusted on; '
        . 'proxy_pass http://127.0.0.1:1; } }');

    is($status, 0) or diag($said);
    like($said, qr{\[warn\] .*location "/bare" inherits "parley_rate", which has no effect without "parley_accept"},
         'the location, and the directive');

    my @warned = $said =~ /\[warn\]/g;
    is(scalar @warned, 1, 'no other');
};


subtest "SEC-07 $_ causes a warning too" => sub {
    my ($directive) = /^(\w+)/;
    my ($status, $said) = check("$zone server { listen 127.0.0.1:%PORT_3%;\n"
        . "$_;\nlocation /bare { proxy_pass http://127.0.0.1:1; } }");

    is($status, 0) or diag($said);
    like($said, qr{\[warn\] .*location "/bare" inherits "$directive", .*inherited from \S+nginx\.conf:\d+$}m,
         'the directive, and where it stands');
} for 'parley_signature required', 'parley_allow scope=a', 'parley_deny to=b',
      'parley_rate 1r/s', 'parley_redact /payload/secret';


# settings that a block derives from its own directives are its own

subtest 'GW-11 derived settings are not inherited' => sub {
    my $http = "$zone server { listen 127.0.0.1:%PORT_3%; $trusted "
             . 'parley_accept aee; parley_limits depth=3; '
             . 'location /in { parley_accept vcp; parley_limits body=64k; '
             . 'proxy_pass http://127.0.0.1:1; } }';
    my ($status, $said) = check($http);

    is($status, 0) or diag($said);

    my ($file) = $said =~ /file (\S+nginx\.conf)/;
    my ($explained, $out, $err)
        = tool({ in => jcs(vcp()) }, 'explain', '--conf', $file,
               '--location', '/in');

    is($explained, 0, 'a VCP message passes') or diag($err);
    like($err, qr/^translate +- +none, vcp as it came$/m,
         'to an upstream that speaks VCP');
    like($err, qr/^body +passed +\d+ octets of 65536$/m, 'the own limit');
    like($err, qr/^json +passed/m, 'and none of the outer ones');
};


# AEE-08

wrong('case=open where no envelope comes',
      bare($zone, "$trusted parley_accept vcp case=open;"),
      qr/"parley_accept" directive has "case=open" without "aee", "vcp2" or "c2a"/);

wrong('case=open alone',
      bare($zone, "$trusted parley_accept case=open;"),
      qr/"parley_accept" directive has "case=open" without "aee"/);

wrong('case=open twice',
      bare($zone, "$trusted parley_accept aee case=open case=open;"),
      qr/"parley_accept": "case=open" is duplicate/);


# SEC-13

subtest 'SEC-13 the window is at least as long as any freshness of the zone' => sub {
    my $http = "$zone server { listen 127.0.0.1:%PORT_3%; $trusted "
             . "\nlocation /in { parley_accept aee; parley_window 3s; "
             . 'parley_freshness past=1s future=1s; '
             . 'proxy_pass http://127.0.0.1:1; } '
             . 'location /old { parley_accept aee; parley_freshness past=1h; '
             . 'parley_window 2h; proxy_pass http://127.0.0.1:1; } }';
    my ($status, $said) = check($http);

    is($status, 0) or diag($said);
    like($said, qr/\[warn\] .*"parley_window" of "parley_accept" becomes 3630000 ms, the longest "parley_freshness"/);

    my ($file) = $said =~ /file (\S+nginx\.conf)/;
    my (undef, undef, $err)
        = tool({ in => jcs(aee()) }, 'explain', '--conf', $file,
               '--location', '/in');

    like($err, qr/^admit .* remembered for 3630 s$/m, 'explained');
};


# parley_deliver: its location takes no messages

my $posts = "$zone $known parley_deliver /_deliver hosts=peer.example; "
          . "server { listen 127.0.0.1:%PORT_3%;\n"
          . "location = /_deliver { internal; "
          . 'proxy_pass $parley_deliver_url; ';

subtest 'HUB-06 GW-11 VCP messages for URLs have the values of their location' => sub {
    my ($status, $said)
        = check($posts . 'parley_vcp_context ctx|a; parley_vcp_broadcast bus.b; '
                . 'parley_vcp_constitution creed://a/b@1; } }');

    is($status, 0) or diag($said);
};

wrong('a limit in the location of parley_deliver',
      $posts . 'parley_vcp_context ctx|a; parley_limits body=1k; } }',
      qr/"parley_limits" has no effect in the location of "parley_deliver", to which no messages come/);

wrong('a variable in the location of parley_deliver',
      $posts . 'parley_vcp_context $host; } }',
      qr/"parley_vcp_context" in the location of "parley_deliver" must have no variables: a delivery has no request/);

wrong('VCP in a location that parley_deliver does not name',
      $posts . '} location = /b { internal; parley_vcp_context ctx|a; '
      . 'proxy_pass http://127.0.0.1:1; } }',
      qr/"parley_vcp_context" has no effect without "parley_accept"/);


# a group is not a principal

for ([aee => 'bus.ops'], [vcp => 'broadcast'], [c2a => 'channel:ops']) {
    my ($member, $name) = @$_;

    wrong("GW-03 identities: a group's name as $member",
          'parley_identities ' . Parley::Env::spew(Parley::Env::tmp_dir() . '/group.json', jcs({ principals => [
              { sub => 'alice', aee => 'agent.alice' },
              { sub => 'p', $member => $name } ] })) . ';',
          qr{group\.json" line 1: /principals/1/$member "$name" of "p" is the name of a group});
}


done_testing;
