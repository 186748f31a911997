package Parley::Peer;

# A peer of VCP with a WebSocket, by Python's "websockets" (t/websocket-clients/
# server.py), on port(2), and a gateway that opens it for bob (VCP-32).
#
#     plan skip_all => 'no python3-websockets' if !has_peer();
#     start_peer(closes => 1);
#     my $nginx = Parley::Nginx->start(http => peer_http());
#     ok(wait_for(sub { came('text') }));

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(sleep time);

use Parley::Env qw(port tmp_dir spew slurp tls root);
use Parley::Gateway;
use Parley::Message;
use Parley::Streams;

our @EXPORT = qw(has_peer peer_http start_peer stop_peer order_peer
                 forget_peer wait_for came texts_of);

my $peer;


sub python {
    return (grep { -x && system("$_ -c 'import websockets' 2>/dev/null") == 0 }
                 '/usr/bin/python3')[0];
}

sub has_peer { return defined python() }

sub events { return tmp_dir() . '/events' }

# Sets what the peer does from now on (server.py).
sub order_peer { my %do = @_; spew(tmp_dir() . '/orders', jcs(\%do)) }

# Forgets the events of the peer.
sub forget_peer { spew(events(), '') }


# Returns all of http.  Options: url and bob (members of the principal), hosts,
# name (of the certificate), context, pass (headers of the handshake),
# websocket, more (of http), deliver (of the location that delivers), rules (of
# the location of the peer's messages), speaks (its protocol), zone, of (other
# principals).
sub peer_http {
    my %o = @_;

    my $dir = tmp_dir();
    my ($cert) = tls();

    spew("$dir/gateway.jwk", private_jwk(gateway_key()));

    $o{$_} //= '' for qw(more deliver rules);

    my $speaks = $o{speaks} // 'vcp';
    my $url = $o{url} // 'wss://127.0.0.1:' . port(2) . '/vcp/ws';
    my $hosts = $o{hosts} // '127.0.0.1:' . port(2);
    my $name = $o{name} // 'localhost';
    my $context = $o{context} // 'parley_vcp_context ctx|gateway;'
                  . ' parley_vcp_constitution creed://acme/gateway@1;';
    my $pass = $o{pass} // 'proxy_set_header Upgrade $http_upgrade;'
               . ' proxy_set_header Connection $http_connection;';
    my $websocket = $o{websocket} // 'websocket=/vcp/ws';

    return streams_http(
        identities => streams_identities(
            bob => { deliver => $url, %{ $o{bob} // {} } },
            %{ $o{of} // {} }),
        zone => $o{zone} // 'streams:8m',
        more => <<"EOT", locations => <<"EOT");
            parley_deliver /_deliver hosts=$hosts $websocket;
            parley_signing_key $dir/gateway.jwk;
            $o{more}
EOT
        location /vcp/in { parley_jwt on; parley_submit vcp aee; }
        location /vcp/ws { parley_jwt on; parley_websocket $speaks keepalive=1s;
                           $context $o{rules} }
        location /vcp/stream/ { parley_jwt on; parley_stream vcp; $context }
        location = /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            proxy_http_version 1.1;
            $pass
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate $cert;
            proxy_ssl_name $name;
            proxy_connect_timeout 2s;
            $o{deliver}
        }
EOT
}

sub start_peer {
    my %do = @_;
    my $port = port(2);
    my ($cert, $key) = tls();

    order_peer(%do);
    forget_peer();

    my $python = python();

    $peer = fork // die "fork: $!";

    if ($peer == 0) {
        exec $python, root() . '/t/websocket-clients/server.py', $port, $cert,
             $key, events(), tmp_dir() . '/orders';
        die "exec: $!";
    }

    wait_for(sub { came('ready') });
}

sub stop_peer {
    local $?;
    kill 'KILL', $peer if $peer;
    waitpid $peer, 0 if $peer;
    undef $peer;
}

sub wait_for {
    my ($what, $seconds) = @_;

    my $until = time + ($seconds // 30);

    while (!$what->()) {
        return 0 if time > $until;
        sleep 0.05;
    }

    return 1;
}

# Returns the events of the peer that have a member.
sub came {
    my $member = shift;

    return grep { defined $_->{$member} }
           map { from_json($_) } grep { /\}$/ } split /\n/, slurp(events());
}

sub texts_of { return map { $_->{text} } came('text') }


END { stop_peer() }

1;
