# Errors of parley_submit, _mcp, _stream and parley_roster, and of
# organisations in identities: nginx -t and parley explain report them.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env qw(spew tmp_dir);
use Parley::Gateway;
use Parley::Message;

my $dir = tmp_dir();

http_config();


# Returns the only location, with a zone and keys.
sub at {
    my ($directives, %o) = @_;

    my $zone = $o{zone} // 'parley_zone agents:1m;';

    return "$zone parley_jwks %TMP%/jwks.json;\n"
         . "parley_identities %TMP%/identities.json;\n"
         . 'server { listen 127.0.0.1:%PORT_3%' . ($o{listen} // ' ssl')
         . ";\nssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;\n"
         . ($o{server} // '') . "\nlocation /in {\n$directives\n}\n"
         . ($o{more} // '') . "\n}\n";
}

my $submit = 'parley_jwt on audience=agents; parley_submit channel;';
my $stream = 'parley_jwt on audience=agents; parley_stream channel;';
my $roster = 'parley_jwt on audience=agents; parley_roster channel;';
my $mcp = 'parley_jwt on audience=agents; parley_mcp channel;';


subtest 'GW-11 valid configurations' => sub {
    for my $good ($submit, $stream, $roster, $mcp,
        "$mcp parley_allow type=subscribe;",
        'parley_jwt on audience=agents; parley_mcp channel hold=60s counts=coarse max=3 '
        . 'off=role declares=5; parley_allow type=roster;',
        'parley_jwt on audience=agents; parley_submit channel aee counts=coarse max=1 '
        . 'off=members,role,accord,prefix,session,sessions,handle;',
        'parley_jwt on audience=agents; parley_accept aee vcp c2a; parley_submit channel;',
        'parley_jwt on audience=agents; parley_stream aee lag=1m keepalive=1s retry=1ms '
        . 'age=1h; parley_allow type=subscribe; parley_deny type=task; '
        . 'parley_trusted on; parley_rate 1r/s;',
        'parley_jwt on audience=agents; parley_stream vcp; parley_vcp_context ctx|x;',
        'parley_jwt on audience=agents; parley_roster channel counts=coarse; '
        . 'parley_allow type=roster;')
    {
        my ($status, $said) = check(at($good));

        is($status, 0, $good) or diag($said);
        unlike($said, qr/\[warn\]/, 'without a warning') or diag($said);
    }
};


subtest 'GW-11 directives that the context does not allow' => sub {
    for my $alone ($mcp, $stream, $roster) {
        my ($status, $said) = check(at($alone, server => 'parley_jwt on audience=agents; '
                                               . 'parley_accept aee;'));

        is($status, 0, $alone) or diag($said);
    }
};


# valid settings that have no effect: a block, the warning of nginx -t, and
# similar blocks without a warning

subtest "GW-28 $_->[0] is warned about" => sub {
    my (undef, $doubtful, $why, @meant) = @$_;
    my ($status, $said) = check(at(@$doubtful));

    is($status, 0, 'it is right') or diag($said);
    like($said, qr/^nginx: \[warn\] .*$why.* in \S+nginx\.conf:\d+$/m);

    my @warned = $said =~ /\[warn\]/g;
    is(scalar @warned, 1, 'once');

    for my $meant (@meant) {
        ($status, $said) = check(at(@$meant));

        is($status, 0, "@$meant") or diag($said);
        unlike($said, qr/\[warn\]/, 'not warned about') or diag($said);
    }
} for
    ['hold= of frames alone',
     ['parley_jwt on audience=agents; parley_submit channel hold=20s;'],
     qr/"parley_submit" has "hold=" without effect: answers to frames/,
     ['parley_jwt on audience=agents; parley_submit channel hold=off;'],
     ['parley_jwt on audience=agents; parley_submit channel aee hold=20s;'],
     ['parley_jwt on audience=agents; parley_accept c2a; parley_submit channel hold=20s;']],
    ['tickets= without a stream',
     ['parley_jwt on audience=agents tickets=30s; parley_submit channel;'],
     qr/"parley_jwt" has "tickets=" without effect; expected "parley_stream"/,
     ['parley_jwt on audience=agents tickets=30s; parley_stream channel;'],
     [$submit, server => 'parley_jwt on audience=agents tickets=30s;',
      more => 'location /out { parley_stream channel; }'],
     ['parley_jwt on audience=agents tickets=30s; '
      . 'location /in/stream { parley_stream channel; }']],
    ['tickets= above streams that have a parley_jwt of their own',
     [$submit, server => 'parley_jwt on audience=agents tickets=30s;',
      more => "location /out { $stream }"],
     qr/"parley_jwt" has "tickets=" without effect/],
    ['parley_stream without TLS', [$stream, listen => ''],
     qr/"parley_stream" is in a server that only listens without TLS/,
     ["$stream parley_trusted on;", listen => ''],
     [$stream, listen => '; listen 127.0.0.1:%PORT_4% ssl'],
     ["$submit parley_trusted on;", listen => '']],
    ['parley_roster without TLS', [$roster, listen => ''],
     qr/"parley_roster" is in a server that only listens without TLS/,
     ["$roster parley_trusted on;", listen => '']],
    ['parley_accept without what answers', ['parley_jwt on audience=agents; parley_accept aee;'],
     qr{"parley_accept" of location "/in" has no content handler: no message is forwarded},
     ['parley_jwt on audience=agents; parley_accept aee; proxy_pass http://127.0.0.1:1;'],
     ['parley_jwt on audience=agents; parley_accept aee; if ($request_method = POST) { '
      . 'proxy_pass http://127.0.0.1:1; }'],
     ['parley_jwt on audience=agents; parley_accept aee; try_files /none @next;',
      more => 'location @next { proxy_pass http://127.0.0.1:1; }'],
     ['parley_jwt on audience=agents; parley_accept aee; '
      . 'location /in/a { proxy_pass http://127.0.0.1:1; }']],
    ['return beside parley_submit', ["$submit return 204;"],
     qr/"parley_submit" is in a location with "return", which answers first: no request reaches it/,
     ['return 204;', server => 'parley_jwt on audience=agents; parley_accept aee;',
      more => 'location /out { proxy_pass http://127.0.0.1:1; }'],
     ["$submit if (\$arg_x) { return 204; }"]],
    ['return beside parley_stream', ["$stream return 204;"],
     qr/"parley_stream" is in a location with "return", which answers first/],
    ['return beside parley_accept',
     ['parley_jwt on audience=agents; parley_accept aee; return 204;'],
     qr/"parley_accept" is in a location with "return", which answers first/],
    ['return in the server of parley_submit',
     [$submit, server => 'return 204;'],
     qr/"parley_submit" is in a server with "return", which answers first/,
     [$submit, server => 'if ($arg_x) { return 204; }'],
     ['error_page 418 = @in;', server => 'error_page 418 = @in; return 418;',
      more => 'location @in { parley_jwt on audience=agents; parley_accept aee; '
              . 'proxy_pass http://127.0.0.1:1; }']],
    ['parley_accept of a server without what answers',
     [$submit, more => '} server { listen 127.0.0.1:%PORT_4%; '
                       . 'parley_trusted on; parley_accept aee;'],
     qr/"parley_accept" of a server has no content handler: no message is forwarded/];


wrong("$_->[0]", at("parley_jwt on audience=agents; $_->[0];"), $_->[1])
    for ['parley_submit', qr/invalid number of arguments/],
        ['parley_submit smtp', qr/"smtp" .*is not a protocol; expected aee/],
        ['parley_submit channel channel', qr/"channel" .*is duplicate/],
        ['parley_submit counts=exact', qr/has no protocol; expected aee/],
        ['parley_submit channel counts=few', qr/is unknown; expected counts=exact or/],
        ['parley_submit channel max=0', qr/is not in the range; expected 1 to 1024/],
        ['parley_submit channel max=1025', qr/is not in the range; expected 1 to 1024/],
        ['parley_submit channel max=1 max=2', qr/is duplicate/],
        ['parley_submit channel off=', qr/is not a list of forms; expected/],
        ['parley_submit channel off=role,all', qr/is not a list of forms; expected/],
        ['parley_mcp aee', qr/has another protocol; expected "channel"/],
        ['parley_mcp channel aee', qr/has another protocol; expected "channel"/],
        ['parley_mcp hold=1s', qr/has no protocol; expected aee/],
        ['parley_mcp channel hold=off', qr/cannot have "hold=off": its calls wait/],
        ['parley_mcp channel hold=2h', qr/is not in the range; expected 1s to 60s/],
        ['parley_stream moq', qr/"moq" .*is not a protocol of streams/],
        ['parley_stream channel lag=0', qr/is not in the range; expected 1 to 1024m/],
        ['parley_stream channel keepalive=10ms', qr/is not in the range; expected 1s to/],
        ['parley_stream channel retry=0', qr/is not in the range; expected 1ms to 24d/],
        ['parley_stream channel age=x', qr/is not a time; expected 1s to/],
        ['parley_stream channel filter=x', qr/is unknown; expected lag=/],
        ['parley_roster moq',
         qr/"moq" .*is not a protocol of streams; expected one of aee/],
        ['parley_roster channel few', qr/is unknown; expected counts=exact or/];


wrong("SEC-07 $_->[0]", at(@{ $_->[1] }), $_->[2])
    for ['parley_submit with a service',
         ["$submit proxy_pass http://127.0.0.1:1;"],
         qr/"parley_submit" publishes .* without "proxy_pass"/],
        ['parley_submit with parley_speak', ["$submit parley_speak aee;"],
         qr/"parley_submit" publishes messages; expected a location without "parley_speak"/],
        ['parley_submit with parley_dry_run', ["$submit parley_dry_run on;"],
         qr/"parley_submit" publishes messages; expected a location without "parley_dry_run"/],
        ['parley_submit for everybody', ['parley_submit channel;'],
         qr/"parley_submit" has no proof of the sender/],
        ['parley_mcp with a service', ["$mcp proxy_pass http://127.0.0.1:1;"],
         qr/"parley_mcp" publishes .* without "proxy_pass"/],
        ['parley_mcp beside parley_submit', ["$mcp parley_submit channel;"],
         qr/"parley_mcp" publishes .* without "parley_submit"/],
        ['parley_mcp beside parley_accept', ["$mcp parley_accept aee;"],
         qr/"parley_mcp" publishes messages.* without "parley_accept"/],
        ['parley_mcp for everybody',
         ['parley_trusted on; parley_mcp channel;'],
         qr/"parley_mcp" has no proof of the sender/],
        ['parley_stream with a service',
         ["$stream proxy_pass http://127.0.0.1:1;"],
         qr/"parley_stream" answers requests itself; .*"proxy_pass"/],
        ['parley_stream with messages', ["$stream parley_accept aee;"],
         qr/"parley_stream" answers requests itself; .*"parley_accept"/],
        ['parley_stream for everybody', ['parley_stream channel;'],
         qr/"parley_stream" has no proof of the sender/],
        ['parley_roster for everybody', ['parley_roster channel;'],
         qr/"parley_roster" has no proof of the sender/],
        ['GW-28 parley_stream beside what messages have',
         ["$stream parley_window 1h;"],
         qr/"parley_window" has no effect: "parley_stream" in this location/],
        ['GW-28 parley_stream of another protocol',
         ["$stream parley_vcp_context x;"],
         qr/"parley_vcp_context" has no effect without vcp/],
        ['HUB-06 parley_stream with variables',
         ['parley_jwt on audience=agents; parley_stream vcp; parley_vcp_context $host;'],
         qr/"parley_stream" has a "parley_vcp_context" with variables/];


# members that bind principals to organisations

for my $case (['orgs', ['acme']], ['orgs', ['~acme/']], ['orgs', ['~acme/a b']],
              ['orgs', ['~Acme']], ['grants', ['~acme']], ['grants', ['x']],
              ['reached', ['~acme/']])
{
    my ($name, $value) = @$case;

    spew("$dir/orgs.json", "{\"principals\": [\n{\"sub\": \"b\"},\n"
         . jcs({ sub => 'alice', $name => $value }) . "\n]}");

    wrong("ACH-16 identities: $name $value->[0]",
          "parley_identities $dir/orgs.json;",
          qr{orgs\.json" line 3: /principals/1/$name/0 must be });
}


done_testing();
