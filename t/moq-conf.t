# Errors and warnings of parley_moq and parley_moq_limits: nginx -t and parley
# explain report them.  An nginx without QUIC refuses the directives.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool qw(tool);

http_config();

my $dir = tmp_dir();
my $key = spew("$dir/quic.key", 'k' x 48);
my $moq = 'parley_jwt on audience=agents; parley_moq messages=/agents/moq;';
my $messages = 'location = /agents/moq { parley_submit moq; '
             . 'parley_jwt on audience=agents; }';


# Returns a server with one location, and the location of its messages.
sub at {
    my ($directives, %o) = @_;

    my $zone = $o{zone} // 'parley_zone agents:1m;';

    return "$zone parley_jwks %TMP%/jwks.json;\n"
         . ($o{identities} // 'parley_identities %TMP%/identities.json;') . "\n"
         . ($o{http} // '')
         . "server { listen 127.0.0.1:%PORT_3% ssl;\n"
         . ($o{listen} // "listen 127.0.0.1:%PORT_3% quic reuseport;")
         . "\n" . ($o{key} // "quic_host_key $key;")
         . "ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;\n"
         . "location /in {\n$directives\n}\n" . ($o{more} // $messages)
         . "\n}\n";
}


my $plain = "parley_zone agents:1m; parley_jwks %TMP%/jwks.json;\n"
          . "server { listen 127.0.0.1:%PORT_3% ssl;\n"
          . "ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;\n";

if (!Parley::Nginx->has_quic) {
    subtest "MOQ-18 an nginx without QUIC refuses $_->[0]" => sub {
        my ($name, $http) = @$_;
        my ($status, $said) = check($http);

        is($status, 1, 'exit status');
        like($said, qr/\[emerg\] "$name" needs an nginx with QUIC \(1\.25 or /);
        like($said, qr/ later, http_v3\) in \S+nginx\.conf:\d+$/m);
    } for ['parley_moq', "$plain location /in { $moq } $messages }"],
          ['parley_moq_limits', "parley_moq_limits handshake=1s; $plain }"];

    subtest 'MOQ-18 the messages of MoQ need no QUIC' => sub {
        my ($status, $said) = check("$plain $messages }");

        is($status, 0) or diag($said);
    };

    done_testing();
    exit;
}


subtest 'GW-11 valid configurations' => sub {
    for my $good ([$moq],
        ['parley_jwt on audience=agents; parley_moq messages=/agents/moq '
         . 'sessions=1 tracks=1 lag=64k object=1k stateless=on age=1h; '
         . 'parley_allow type=subscribe; parley_rate 1r/s;'],
        [$moq, http => 'parley_moq_limits connections=7 handshake=1s;'],
        [$moq, more => 'location /agents { parley_accept moq; '
                       . 'parley_jwt on audience=agents; '
                       . 'proxy_pass http://127.0.0.1:1; }'
                       . 'location /agents/moq { parley_accept aee moq; '
                       . 'parley_speak aee; parley_jwt on audience=agents; '
                       . 'proxy_pass http://127.0.0.1:1; }'])
    {
        my ($status, $said) = check(at(@$good));

        is($status, 0, "@$good") or diag($said);
        unlike($said, qr/\[warn\]/, 'without a warning') or diag($said);
    }
};


subtest 'GW-11 what the server accepts does not come to parley_moq' => sub {
    my ($status, $said) = check(at($moq, key => "quic_host_key $key; "
                                   . 'parley_jwt on audience=agents; '
                                   . 'parley_accept moq;'));

    is($status, 0) or diag($said);
};


wrong("$_->[0]", at("parley_jwt on audience=agents; $_->[0];"), $_->[1])
    for ['parley_moq', qr/invalid number of arguments/],
        ['parley_moq sessions=1', qr/"parley_moq" directive needs messages=/],
        ['parley_moq messages=agents', qr/"messages=agents" is not a path/],
        ['parley_moq messages=/a messages=/b', qr/"messages=\/b" is duplicate/],
        ['parley_moq messages=/a sessions=0',
         qr/"sessions=0" is not in the range; expected 1 to 1024/],
        ['parley_moq messages=/a sessions=x',
         qr/"sessions=x" is not a number; expected 1 to 1024/],
        ['parley_moq messages=/a tracks=0', qr/"tracks=0" is not in the range; expected 1 to 65536/],
        ['parley_moq messages=/a lag=0', qr/"lag=0" is not in the range; expected 1 to /],
        ['parley_moq messages=/a lag=1k lag=2k', qr/"lag=2k" is duplicate/],
        ['parley_moq messages=/a object=1',
         qr/"object=1" is not in the range; expected 1k to 16m/],
        ['parley_moq messages=/a age=10ms',
         qr/"age=10ms" is not a time of whole seconds/],
        ['parley_moq messages=/a stateless=yes',
         qr/"stateless=yes" is unknown; expected stateless=on or stateless=off/],
        ['parley_moq messages=/a keepalive=1s',
         qr/"keepalive=1s" is unknown; expected messages=/],
        ['parley_moq messages=/agents/moq; parley_moq messages=/agents/moq',
         qr/is duplicate/],
        ['parley_moq messages=/nowhere',
         qr/"messages=\/nowhere" of "parley_moq" is the name of no location of this server; expected the whole/],
        ['parley_moq messages=/agents/moq?hold=1s',
         qr/"messages=\/agents\/moq\?hold=1s" .* without a regular expression or a query/],
        ['parley_moq messages=/in',
         qr/"messages=\/in" of "parley_moq" leads to a location without "parley_submit moq"/];


wrong("parley_moq_limits $_->[0]", at($moq, http => "parley_moq_limits $_->[0];"),
      $_->[1])
    for ['', qr/invalid number of arguments/],
        ['connections=0', qr/"connections=0" is not in the range; expected 1 to /],
        ['handshake=61s', qr/"handshake=61s" is not in the range; expected 1s to 1m/],
        ['handshake=1s handshake=2s', qr/"handshake=2s" is duplicate/],
        ['idle=1s', qr/"idle=1s" is unknown; expected connections= or handshake=/];


wrong("SEC-07 parley_moq $_->[0]", at(@{ $_->[1] }), $_->[2])
    for ['for everybody', ['parley_trusted on; parley_moq messages=/agents/moq;'],
         qr/"parley_moq" has no proof of the sender; expected "parley_jwt on" or/],
        ['without a zone',
         [$moq, zone => '', more => 'location = /agents/moq { '
                                    . 'parley_jwt on audience=agents; '
                                    . 'parley_accept moq; '
                                    . 'proxy_pass http://127.0.0.1:1; }'],
         qr/"parley_moq" needs "parley_zone"/],
        ['with a service', ["$moq proxy_pass http://127.0.0.1:1;"],
         qr/"parley_moq" takes MoQ connections; expected .* without "proxy_pass"/],
        ['with locations in it', ["$moq location /in/it { return 200; }"],
         qr/"parley_moq" takes MoQ .* without nested locations/],
        (map { ["beside $_->[0]", ["$moq $_->[0] $_->[1];"],
                qr/"parley_moq" takes MoQ connections; .* without "$_->[0]"/] }
            ['parley_accept', 'moq'], ['parley_speak', 'moq'],
            ['parley_submit', 'moq'], ['parley_mcp', 'channel'],
            ['parley_stream', 'aee'], ['parley_websocket', 'aee'],
            ['parley_host', 'c2a'],
            ['parley_roster', 'channel'], ['parley_keys', '']),
        ['beside parley_status', ["$moq parley_status;"],
         qr/"parley_status" .*"parley_moq"/],
        ['GW-28 beside what messages have', ["$moq parley_window 1h;"],
         qr/"parley_window" has no effect: "parley_moq" in this location/],
        ['in a server without QUIC', [$moq, listen => ''],
         qr/"parley_moq" is in a server without "listen ... quic"/],
        ['with the messages of another server',
         [$moq, more => "} server { listen 127.0.0.1:%PORT_4%; $messages"],
         qr/"messages=.*" of "parley_moq" is the name of no location of this/],
        ['in an internal location', ["$moq internal;"],
         qr/"parley_moq" is in a location with "internal", which no connection/],
        ['with messages at an internal location',
         [$moq, more => $messages =~ s/\{/{ internal;/r],
         qr/"messages=.*" of "parley_moq" leads to a location with "internal"/],
        ['in a location of a regular expression',
         ['return 204;', more => "location ~ ^/in/(.*) { $moq } $messages"],
         qr/"parley_moq" is in a location that no PATH names; expected a/],
        ['in a named location', ['return 204;', more => "location \@in { $moq } $messages"],
         qr/"parley_moq" is in a location that no PATH names; expected a/],
        ['beside return', ["$moq return 200;"],
         qr/"parley_moq" takes MoQ .* without "return", which answers first/],
        ['without names of agents', [$moq, identities => ''],
         qr/"parley_moq" needs "parley_identities", which has the names of/],
        ['with an agent id of two principals',
         [$moq, identities => 'parley_identities '
          . spew("$dir/two.json", jcs({ principals => [
                { sub => 'a', aee => 'agent.alamp', handle => '~lamp' },
                { sub => 'b', aee => 'agent.lamp' } ] })) . ';'],
         qr/\/principals\/0 and \/principals\/1 in "[^"]+" have names of the agent id "lamp", by which "parley_moq" finds one principal/],
        ['with an agent id that is derived twice',
         [$moq, identities => 'parley_identities '
          . spew("$dir/derived.json", jcs({ principals => [
                { sub => 'a', handle => '~other' },
                { sub => 'b', aee => 'agent.lamp' },
                { sub => 'c', aee => 'human.lamp' } ] })) . ';'],
         qr/\/principals\/\d and \/principals\/\d in "[^"]+" have names of the agent id "lamp"/],
        ['without a zone, before the messages',
         [$moq =~ s/agents\/moq/a/r, zone => '',
          more => $messages =~ s/agents\/moq/a/r],
         qr/"parley_moq" needs "parley_zone"/],
        ['with the agent id of the gateway',
         [$moq, identities => 'parley_identities '
          . spew("$dir/gateway.json", jcs({ principals => [
                { sub => 'a', handle => '~parley' } ] })) . ';'],
         qr/\/principals\/0 in "[^"]+" has the agent id "parley", which/],
        ['without an idle time', [$moq, http => 'keepalive_timeout 0;'],
         qr/is in a server with "keepalive_timeout 0", in which no connection/],
        ['without an idle time of the default server',
         [$moq, listen => 'listen 127.0.0.1:%PORT_3% quic;',
          http => "server { listen 127.0.0.1:%PORT_3% quic reuseport;\n"
                  . 'server_name first; keepalive_timeout 0; '
                  . 'ssl_certificate %TLS_CERT%; '
                  . 'ssl_certificate_key %TLS_KEY%; }'],
         qr/lives; expected a time there, and in the default server of the addr/],
        ['with messages of another protocol',
         [$moq, more => $messages =~ s/submit moq/submit aee/r],
         qr/leads to a location without "parley_submit moq" or "parley_accept moq"/];


subtest "GW-28 $_->[0]" => sub {
    my (undef, $why, @how) = @$_;
    my ($status, $said) = Parley::Nginx->check(@how);

    is($status, 0, 'it is right') or diag($said);

    if ($why) {
        like($said, qr/^nginx: \[warn\] .*$why.* in \S+nginx\.conf:\d+$/m);
    } else {
        unlike($said, qr/\[warn\]/, 'not warned about') or diag($said);
    }
} for
    ['several workers without reuseport are warned about',
     qr/"parley_moq" is in a server with "listen ... quic" without "reuseport"/,
     http => at($moq, listen => 'listen 127.0.0.1:%PORT_3% quic;'),
     workers => 2],
    ['one worker needs no reuseport', undef,
     http => at($moq, listen => 'listen 127.0.0.1:%PORT_3% quic;')],
    ['several workers with reuseport', undef, http => at($moq), workers => 2],
    ['a short idle time is warned about',
     qr/"parley_moq" is in a server with a "keepalive_timeout" of 10 s: connect/,
     http => at($moq, http => 'keepalive_timeout 10s;')],
    ['an idle time of 11 s', undef,
     http => at($moq, http => 'keepalive_timeout 11s;')],
    ['a server without quic_host_key is warned about',
     qr/"parley_moq" is in a server without "quic_host_key"/,
     http => at($moq, key => '')],
    ['a messages= location of another audience is warned about',
     qr/"messages=\/agents\/moq" of "parley_moq" leads to a location with another "audience=" of "parley_jwt"/,
     http => at($moq, more => $messages =~ s/audience=agents/audience=other/r)],
    ['a messages= location of more audiences', undef,
     http => at($moq, more => $messages =~ s/=agents/=agents audience=more/r)],
    ['a messages= location of another issuer is warned about',
     qr/leads to a location with another "issuer=" of "parley_jwt"/,
     http => at($moq, more => $messages =~ s/audience=/issuer=https:\/\/i.example audience=/r)],
    ['a lag below an object is warned about',
     qr/"parley_moq" has "lag=" below "object=": one object can end/,
     http => at($moq =~ s/moq;$/moq lag=64k;/r)],
    ['a lag of an object', undef,
     http => at($moq =~ s/moq;$/moq lag=64k object=64k;/r)],
    ['return at messages= is warned about',
     qr/"parley_submit" is in a location with "return", which answers first: no request reaches it/,
     http => at($moq, more => $messages =~ s/\{/{ return 204;/r)],
    ['return in the server is warned about',
     qr/"parley_moq" is in a server with "return", which answers first/,
     http => at($moq, more => "$messages return 204;")],
    ['connections above worker_connections are warned about',
     qr/"connections=100000" of "parley_moq_limits" is above "worker_connections \d+"/,
     http => at($moq, http => 'parley_moq_limits connections=100000;')],
    ['an endpoint without parley_moq is warned about',
     qr/"parley_moq_endpoint" names the path "\/out", and no location of this name has "parley_moq"/,
     http => at($moq, more => "$messages location = /.well-known/a2a { "
                . 'parley_moq_endpoint moqt://a.example/out?x=1; }')],
    ['an endpoint with parley_moq', undef,
     http => at($moq, more => "$messages location = /.well-known/a2a { "
                . 'parley_moq_endpoint moqt://a.example/in?x=1; }')],
    ['an endpoint of another nginx', undef,
     http => at('return 204;', more => 'location = /.well-known/a2a { '
                . 'parley_moq_endpoint moqt://a.example/out; }')],
    ['a quic_host_key of all servers', undef,
     http => at($moq, key => '', http => "quic_host_key $key;")],
    ['a quic_host_key of 32 octets', undef,
     http => at($moq, key => 'quic_host_key '
                             . spew("$dir/short.key", 'k' x 32) . ';')];


subtest 'MOQ-20 a request of HTTP is refused' => sub {
    my $nginx = Parley::Nginx->start(http => at($moq));
    my $port = port(3);

    for my $method (qw(GET POST DELETE)) {
        my $said = `curl -sk -i -X $method -H 'Authorization: @{[
                    bearer('alice', aud => 'agents')]}' https://127.0.0.1:$port/in 2>&1`;

        like($said, qr{^HTTP/\S+ 415}, $method);
        like($said, qr/this location takes MoQ connections over QUIC/);
    }
};


done_testing();
