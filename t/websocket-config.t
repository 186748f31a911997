# Errors of parley_websocket: nginx -t and parley explain report them.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env qw(spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Tool qw(tool);

http_config();


# Returns the only location, with a zone and keys.
sub at {
    my ($directives, %o) = @_;

    my $zone = $o{zone} // 'parley_zone agents:1m;';

    return "$zone parley_jwks %TMP%/jwks.json;\n"
         . "parley_identities %TMP%/identities.json;\n"
         . "server { listen 127.0.0.1:%PORT_3% ssl;\n"
         . "ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;\n"
         . ($o{server} // '') . "\nlocation /in {\n$directives\n}\n"
         . ($o{more} // '') . "\n}\n";
}

my $socket = 'parley_jwt on audience=agents; parley_websocket vcp;';


subtest 'GW-11 valid configurations' => sub {
    for my $good ($socket, 'parley_jwt on audience=agents; parley_websocket aee;',
        'parley_jwt on audience=agents; parley_websocket c2a;',
        'parley_jwt on audience=agents tickets=30s; parley_websocket channel lag=1m '
        . 'keepalive=30s age=1h counts=coarse max=3 off=role declares=5;',
        "$socket parley_vcp_context ctx|x; parley_trusted on; "
        . 'parley_rate 1r/s; parley_limits body=64k; parley_window 20m; '
        . 'parley_allow type=subscribe; parley_deny type=escalation; '
        . 'parley_cap priority=high; parley_freshness past=60s;',
        "$socket parley_signature required;")
    {
        my ($status, $said) = check(at($good));

        is($status, 0, $good) or diag($said);
        unlike($said, qr/\[warn\]/, 'without a warning') or diag($said);
    }

    my ($status, $said) = check(at($socket, server => 'parley_jwt on audience=agents; '
                                            . 'parley_accept aee;'));

    is($status, 0, 'what the server accepts does not come there')
        or diag($said);
};


wrong("$_->[0]", at("parley_jwt on audience=agents; $_->[0];"), $_->[1])
    for ['parley_websocket', qr/invalid number of arguments/],
        ['parley_websocket smtp',
         qr/"smtp" .*not a protocol of streams; expected one of aee, vcp, vcp2, c2a, channel /],
        ['parley_websocket moq', qr/"moq" .*is not a protocol of streams/],
        ['parley_websocket vcp aee', qr/"aee" .*is unknown; expected lag=/],
        ['parley_websocket vcp keepalive=31s',
         qr/"keepalive=31s" .*is not in the range; expected 1s to 30s/],
        ['parley_websocket vcp keepalive=10ms', qr/is not in the range; expected 1s to/],
        ['parley_websocket vcp lag=0', qr/is not in the range; expected 1 to 1024m/],
        ['parley_websocket vcp lag=1k lag=2k', qr/is duplicate/],
        ['parley_websocket vcp max=1 max=2', qr/is duplicate/],
        ['parley_websocket vcp retry=1s', qr/is unknown; expected lag=/],
        ['parley_websocket vcp hold=1s', qr/is unknown; expected lag=/],
        ['parley_websocket vcp counts=few', qr/is unknown; expected counts=exact or/],
        ['parley_websocket vcp; parley_websocket aee', qr/is duplicate/];


wrong("SEC-07 $_->[0]", at(@{ $_->[1] }), $_->[2])
    for ['for everybody', ['parley_trusted on; parley_websocket vcp;'],
         qr/"parley_websocket" has no proof of the sender/],
        ['with a service', ["$socket proxy_pass http://127.0.0.1:1;"],
         qr/"parley_websocket" publishes messages; .*"proxy_pass"/],
        ['with locations in it', ["$socket location /in/it { return 200; }"],
         qr/"parley_websocket" publishes messages; expected a location without nested locations/],
        ['without a zone', [$socket, zone => ''], qr/needs "parley_zone"/],
        (map { ["beside $_->[0]", ["$socket $_->[0] $_->[1];"],
                qr/"parley_websocket" publishes messages; .* without "$_->[0]"/] }
            ['parley_accept', 'vcp'], ['parley_speak', 'vcp'],
            ['parley_submit', 'vcp'], ['parley_stream', 'vcp'],
            ['parley_mcp', 'channel'], ['parley_roster', 'channel'],
            ['parley_keys', '']),
        ['beside parley_status', ["$socket parley_status;"],
         qr/"parley_status" .*"parley_websocket"/],
        ['GW-28 in a dry run', ["$socket parley_dry_run on;"],
         qr/"parley_websocket" publishes messages; .* without "parley_dry_run"/],
        ['GW-28 of another protocol',
         ['parley_jwt on audience=agents; parley_websocket aee; parley_vcp_context x;'],
         qr/"parley_vcp_context" has no effect without vcp/],
        ['HUB-06 with variables', ["$socket parley_vcp_context \$host;"],
         qr/"parley_websocket" has a "parley_vcp_context" with variables/],
        ['with a receiver of variables',
         ["$socket parley_window 10m receiver=\$host;"],
         qr/"parley_websocket" has a "parley_window" with variables/],
        ['HUB-06 another than a stream',
         ["$socket parley_vcp_context a;",
          more => 'location /out { parley_jwt on audience=agents; parley_stream vcp; '
                  . 'parley_vcp_context b; }'],
         qr/has another "parley_vcp_context" than the one in/];


subtest 'GW-27 parley explain reads its input as a frame' => sub {
    my $dir = tmp_dir();
    my $message = jcs(sign_vcp(vcp(), person('alice')->{key}));
    my $principals = { principals => [map {
        { sub => $_, vcp => "agent://ops.example/$_", handle => "~$_",
          instrument => "~cc-$_\@1.0",
          keys => [public_jwk(person($_)->{key})] }
    } qw(alice bob)] };

    spew("$dir/identities.json", jcs($principals));

    my $conf = spew("$dir/explained.conf",
                    "http {\n" . at($socket) =~ s/%TMP%/$dir/gr
                                             =~ s/%PORT_3%/80/gr . "}\n");
    my $token = spew("$dir/token", bearer('alice', aud => 'agents'));

    my ($status, $out, $err)
        = tool({ in => $message }, 'explain', '--conf', $conf, '--location',
               '/in', '--token-file', $token, '--json');

    is($status, 0) or diag($out, $err);
    like($out, qr/"step":"publish","verdict":"answered"/,
         'what comes by a WebSocket is published, and answered');

    ($status, $out) = tool({ in => '{}' }, 'explain', '--conf', $conf,
                           '--location', '/in', '--token-file', $token,
                           '--json');

    is($status, 1);
    like($out, qr/field-missing/, 'or refused, as there');

    ($status, $out) = tool({ in => $message }, 'explain', '--conf', $conf,
                           '--location', '/in', '--json');

    is($status, 1);
    like($out, qr/token-missing/);
};


done_testing();
