# Errors of parley_host: nginx -t and parley explain report them.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env qw(spew tmp_dir);
use Parley::Gateway;
use Parley::Message;

http_config();

my $dir = tmp_dir();


# Returns the only location.  Options: retain, identities, zone, server, more.
sub at {
    my ($directives, %o) = @_;

    my $zone = $o{zone} // 'parley_zone agents:1m;';
    my $retain = $o{retain} // 'parley_retain count=100 time=1h;';
    my $identities = $o{identities} // 'parley_identities %TMP%/identities.json;';

    return "$zone $retain $identities\nparley_jwks %TMP%/jwks.json;\n"
         . "server { listen 127.0.0.1:%PORT_3% ssl;\n"
         . "ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;\n"
         . ($o{server} // '') . "\nlocation /in {\n$directives\n}\n"
         . ($o{more} // '') . "\n}\n";
}

# Returns an identities file with some principals besides those of the gateway.
sub listed {
    my ($name, @more) = @_;

    spew("$dir/$name.json", jcs({ principals => [
        { sub => 'web', c2a => 'service:web', surface => ['web/main'],
          accounts => ['slack/T1/U1'] }, @more] }));

    return "parley_identities $dir/$name.json;";
}

my $jwt = 'parley_jwt on audience=agents;';
my $host = "$jwt parley_host c2a;";


subtest 'GW-11 valid configurations' => sub {
    for my $good ($host,
        "$jwt parley_host c2a deadline=10s loop=1 lag=1m keepalive=30s retry=1s;",
        "$jwt parley_host c2a deadline=24h loop=1000 wait=60s;",
        "$jwt parley_host c2a wait=0;",
        "$jwt parley_host c2a digest=off;",
        "$jwt parley_host c2a digest=1s;",
        "$jwt parley_host c2a digest=24h;",
        "$jwt parley_host c2a context=0;",
        "$jwt parley_host c2a context=64k;",
        "$jwt parley_host c2a claim=1s;",
        "$jwt parley_host c2a claim=1h;",
        "$jwt parley_host c2a quiet=0;",
        "$jwt parley_host c2a quiet=60s max=60s;",
        "$host parley_allow role=chat; parley_rate 20r/s burst=40; "
        . 'parley_limits body=64k; parley_redact /params/author/displayName; '
        . 'parley_trusted on; parley_dry_run off;')
    {
        my ($status, $said)
            = check(at($good, retain => 'parley_retain count=100 time=24h;'));

        is($status, 0, $good) or diag($said);
        unlike($said, qr/\[warn\]/, 'without a warning') or diag($said);
    }

    my ($status, $said) = check(at($host, server => "$jwt parley_accept aee;"));

    is($status, 0, 'what the server accepts does not come there')
        or diag($said);

    ($status, $said) = check(at($host, more => "location /two { $host }"));
    is($status, 0, 'two equal hosts') or diag($said);
};


wrong("$_->[0]", at("$jwt $_->[0];"), $_->[1])
    for ['parley_host', qr/invalid number of arguments/],
        ['parley_host smtp', qr/"smtp" .*is not a protocol of chat; expected c2a/],
        ['parley_host aee', qr/"aee" .*is not a protocol of chat; expected c2a/],
        ['parley_host c2a c2a', qr/"c2a" .*is unknown; expected quiet=, max=, deadline=,/],
        ['parley_host c2a claim=0', qr/"claim=0" .*is not in the range; expected/],
        ['parley_host c2a claim=999ms', qr/"claim=999ms" .*is not in the range/],
        ['parley_host c2a claim=61m', qr/"claim=61m" .*is not in the range/],
        ['parley_host c2a claim=', qr/"claim=" .*is not a time/],
        ['parley_host c2a claim=5m claim=5m', qr/is duplicate/],
        ['parley_host c2a deadline=9s', qr/"deadline=9s" .*is not in the range; expected/],
        ['parley_host c2a deadline=25h', qr/"deadline=25h" .*is not in the range/],
        ['parley_host c2a deadline=10s deadline=10s', qr/is duplicate/],
        ['parley_host c2a loop=0', qr/"loop=0" .*is not in the range; expected 1 to 1000/],
        ['parley_host c2a loop=1001', qr/is not in the range/],
        ['parley_host c2a lag=0', qr/is not in the range/],
        ['parley_host c2a keepalive=60s', qr/"keepalive=60s" .*is not in the range/],
        ['parley_host c2a digest=0', qr/"digest=0" .*is not in the range; expected/],
        ['parley_host c2a digest=999ms', qr/"digest=999ms" .*is not in the range/],
        ['parley_host c2a digest=25h', qr/"digest=25h" .*is not in the range/],
        ['parley_host c2a digest=on', qr/"digest=on" .*is not a time; expected 1s to 1d, or off/],
        ['parley_host c2a digest=off digest=1s', qr/is duplicate/],
        ['parley_host c2a context=65k', qr/"context=65k" .*is not in the range; expected/],
        ['parley_host c2a context=-1', qr/"context=-1" .*is not a size/],
        ['parley_host c2a context=1k context=2k', qr/is duplicate/],
        ['parley_host c2a wait=61s', qr/"wait=61s" .*is not in the range; expected/],
        ['parley_host c2a wait=-1', qr/"wait=-1" .*is not a time/],
        ['parley_host c2a wait=1s wait=2s', qr/is duplicate/],
        ['parley_host c2a; parley_host c2a', qr/is duplicate/];


wrong("C2A-09 $_->[0]", at("$jwt parley_host c2a $_->[0];"), $_->[1])
    for (map { [$_, qr/"parley_host" directive has a "quiet=" above its "max="; the defaults are/] }
             'quiet=30001ms', 'max=1999ms', 'quiet=3s max=2999ms'),
        ['max=61s', qr/"max=61s" .*is not in the range; expected/],
        ['max=0', qr/"max=0" .*is not in the range; expected/],
        ['quiet=61s max=60s', qr/"quiet=61s" .*is not in the range; expected/],
        ['quiet=-1', qr/"quiet=-1" .*is not a time; expected/],
        ['quiet=1s quiet=2s', qr/is duplicate/];

subtest 'C2A-09 the defaults are 2 s and 30 s' => sub {
    for my $words ('quiet=30s', 'max=2s') {
        my ($status, $said) = check(at("$jwt parley_host c2a $words;"));

        is($status, 0, $words) or diag($said);
    }
};


my $publishes = qr/"parley_host" [^\n]*/;

wrong("C2A-01 beside $_->[0]", at("$host $_->[0]"), qr/$publishes$_->[1]/)
    for ['proxy_pass http://127.0.0.1:9;', qr/handler/],
        ['location /in/deep { }', qr/nested|location/],
        ['parley_accept c2a;', qr/"parley_accept"/],
        ['parley_speak c2a;', qr/"parley_speak"/],
        ['parley_submit c2a;', qr/"parley_submit"/],
        ['parley_stream c2a;', qr/"parley_stream"/],
        ['parley_websocket c2a;', qr/"parley_websocket"/],
        ['parley_mcp channel;', qr/"parley_mcp"/],
        ['parley_keys;', qr/"parley_keys"/],
        ['parley_dry_run on;', qr/"parley_dry_run"/];

wrong("C2A-01 $_->[0]", at(@{ $_->[1] }), $_->[2])
    for ['without parley_retain', [$host, retain => ''],
         qr/"parley_host" needs "parley_retain"/],
        ['without identities', [$host, identities => ''],
         qr/"parley_host" needs "parley_identities"/],
        ['without a zone', [$host, zone => ''], qr/parley_zone/],
        ['without a proof', ['parley_trusted on; parley_host c2a;'],
         qr/"parley_jwt on" or "parley_certificate required"/],
        ['with a proof that a caller may leave out',
         ['parley_trusted on; parley_certificate on; parley_host c2a;',
          server => 'ssl_client_certificate %TLS_CERT%; '
                    . 'ssl_verify_client optional;'],
         qr/"parley_jwt on" or "parley_certificate required"/],
        ['with other parameters than another host',
         [$host, more => "location /two { $jwt parley_host c2a loop=7; }"],
         qr/"parley_host" has other parameters than the one in .*:\d+/],
        ['with another time of claims than another host',
         [$host, more => "location /two { $jwt parley_host c2a claim=7s; }"],
         qr/"parley_host" has other parameters than the one in .*:\d+/],
        ['with other turns than another host',
         [$host, more => "location /two { $jwt parley_host c2a quiet=1s; }"],
         qr/"parley_host" has other parameters than the one in .*:\d+/];

wrong("C2A-38 $_->[0]", at($host, identities => listed(@{ $_->[1] })),
      $_->[2])
    for ['an account of two principals',
         [one => { sub => 'a', accounts => ['slack/T1/U1'] }], qr/accounts/],
        ['a source of two principals',
         [two => { sub => 'a', surface => ['web/main'] }], qr/surface/],
        ['a stream of two principals',
         [three => { sub => 'a', streams => ['s'] },
                   { sub => 'b', streams => ['s'] }], qr/streams/],
        ['a surface without "/"',
         [four => { sub => 'a', surface => ['web'] }], qr/surface/],
        ['a surface of the platform of the host',
         [five => { sub => 'a', surface => ['web/two', 'parley/main'] }],
         qr{/principals/\d+/surface/1.*reserved platform "parley"}],
        ['a surface of another workspace of this platform',
         [six => { sub => 'a', surface => ['Parley/x'] }],
         qr/reserved platform "parley"/];



# Warnings: messages get lost.  The principals of a configuration without any.

my @sound = (
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'will', c2a => 'human:will', accounts => ['web/main/will'] },
    { sub => 'ada', handle => '~cc-ada', c2a => 'agent:ada' },
    { sub => 'monitor', aee => 'agent.monitor' },
);

# Returns an identities file with these members in place of those of @sound.
sub changed {
    my ($name, $i, %members) = @_;
    my @principals = map { { %$_ } } @sound;

    $principals[$i] = { %{ $principals[$i] }, %members };
    delete $principals[$i]{$_}
        for grep { !defined $members{$_} } keys %members;
    spew("$dir/$name.json", jcs({ principals => \@principals }));

    return "parley_identities $dir/$name.json;";
}

subtest 'GW-28 C2A-38 warnings of a host that loses messages' => sub {
    my ($status, $said) = check(at($host, identities => changed('sound', 0)));

    is($status, 0) or diag($said);
    unlike($said, qr/\[warn\]/, 'none') or diag($said);

    for (['a surface without a handle', [0, handle => undef],
          qr{/principals/0 in "\S+\.json" has "surface" and no "handle"}],
         ['a surface without a name', [0, c2a => undef],
          qr{/principals/0 in "\S+\.json" has "surface" and no "c2a"}],
         ['a misspelt source', [1, accounts => ['web/main/a', 'web/mian/a']],
          qr{/principals/1/accounts/1 in "\S+" is "web/mian/a", and no}],
         ['a name of AEE', [2, c2a => 'agent.ada'],
          qr{/principals/2/c2a in "\S+" is "agent\.ada", which is not a name}])
    {
        my ($name, $change, $why) = @$_;
        my $identities = changed('lost', @$change);

        ($status, $said) = check(at($host, identities => $identities));

        is($status, 0, $name) or diag($said);
        like($said, qr/\[warn\] $why.* in \S+:\d+$/m, 'why and where');
        is(scalar(() = $said =~ /\[warn\]/g), 1, 'one warning') or diag($said);

        ($status, $said) = check(at("$jwt parley_stream c2a;",
                                    identities => $identities));
        unlike($said, qr/\[warn\]/, 'only at a host') or diag($said);
    }
};

subtest 'GW-28 C2A-22 a warning of events that end before their deadline' => sub {
    my @identities = (identities => changed('sound', 0));

    for (['4m', '', 1], ['5m', '', 0], ['29s', 'deadline=30s', 1],
         ['30s', 'deadline=30s', 0])
    {
        my ($time, $word, $warns) = @$_;
        my ($status, $said) = check(at("$jwt parley_host c2a $word;", @identities,
                                       retain => 'parley_retain count=100 '
                                                 . "time=$time;"));

        is($status, 0, "$time $word") or diag($said);
        is(scalar(() = $said =~ /\[warn\] "parley_retain" has a "time=" below/g),
           $warns, 'warnings') or diag($said);
    }
};

done_testing();
