package Parley::Gateway;

# The gateway of most tests: its principals, their keys and tokens, and the
# common locations.  All locations forward to a service on port(2).  The
# gateway has TLS on port(1) and plain HTTP on the port of the server.
#
#     alice   in the directory, with a key; a child of lead; her tokens have
#             the scopes ops:run and notes
#     bob     in the directory, with a key
#     lead    in the directory, with a key; the parent of alice
#     carol   known by her tokens alone

use strict;
use warnings;

use Exporter 'import';

use Parley::Client;
use Parley::Env qw(tmp_dir port tls spew);
use Parley::Message;

our @EXPORT = qw(person idp gateway_key http_config server_config location
                 bearer identities gateway_http post);

my (%person, $idp, $gateway);


# Returns a principal: {sub, aee, vcp, key}.
sub person {
    my $name = shift;

    return $person{$name} //= {
        sub => $name, aee => "agent.$name",
        vcp => "agent://ops.example/$name",
        key => new_key('ed25519', "$name-key")
    };
}


# Returns the key of the identity provider, which signs the tokens.
sub idp { $idp //= new_key('ed25519', 'idp-1') }


# Returns the gateway's own key, parley_signing_key.
sub gateway_key { $gateway //= new_key('ed25519', 'gateway-1') }


# Returns a token of a principal; claims are added or replaced.
sub bearer {
    my ($name, %claims) = @_;

    return 'Bearer ' . token(idp(), { sub => $name, scope => 'ops:run notes',
                                      %claims });
}


sub identities {
    my @principals = map {
        { sub => $_, aee => person($_)->{aee}, vcp => person($_)->{vcp},
          keys => [public_jwk(person($_)->{key})] }
    } qw(alice bob lead);

    $principals[0]{parent} = 'lead';
    $principals[0]{roles} = ['ops'];

    return jcs({ principals => \@principals });
}


# Returns directives of http and makes the files that they name.  Options: zone
# (the zone's NAME:SIZE), more (other lines).
sub http_config {
    my %o = @_;

    my $dir = tmp_dir();
    my $zone = $o{zone} // 'agents:8m';
    my $more = $o{more} // '';

    spew("$dir/identities.json", identities());
    spew("$dir/jwks.json", jwks(idp()));
    spew("$dir/gateway.jwk", private_jwk(gateway_key()));

    return <<"EOT";
    parley_zone        $zone;
    parley_identities  $dir/identities.json;
    parley_jwks        $dir/jwks.json;
    parley_signing_key $dir/gateway.jwk;
    $more
EOT
}


# Returns a location that forwards to a service.
sub location {
    my ($path, $directives, $port) = @_;

    $port //= port(2);

    return <<"EOT";
    location $path {
        $directives
        proxy_pass http://127.0.0.1:$port;
    }
EOT
}


# /aee and /vcp: forwarded unchanged.  /to-aee and /to-vcp: accept both
# protocols and translate.  /open, /open-vcp: trusted, without a token and a
# signature.
sub server_config {
    my $context = 'parley_vcp_context ctx|gateway; '
                . 'parley_vcp_constitution creed://ops.example/gateway@1;';

    my ($cert, $key) = tls();

    return "    listen 127.0.0.1:" . port(1) . " ssl;\n"
         . "    ssl_certificate $cert;\n    ssl_certificate_key $key;\n"
         . location('/aee', 'parley_accept aee; parley_jwt on;')
         . location('/vcp', 'parley_accept vcp; parley_jwt on;')
         . location('/peers', 'parley_accept vcp; parley_signature required;')
         . location('/to-aee', 'parley_accept aee vcp; parley_speak aee; '
                             . 'parley_jwt on;')
         . location('/to-vcp', 'parley_accept aee vcp; parley_speak vcp; '
                             . "parley_jwt on; $context")
         . location('/open', 'parley_accept aee; parley_trusted on;')
         . location('/open-vcp', 'parley_accept vcp; parley_trusted on;');
}


# Returns all of http for Parley::Nginx, with plain HTTP on port(3).
sub gateway_http {
    my %o = @_;

    my $server = $o{server} // '';

    return http_config(%o) . "    server {\n        listen 127.0.0.1:"
         . port(3) . ";\n" . server_config() . "$server\n    }\n";
}


# post(URI, MESSAGE, ...): returns the octets of a request.  A message that is
# a hash becomes JSON.  Options: as NAME (owner of the token and key; default
# alice), sign (1, or the NAME of another signer), token 0 (no token), headers
# [...].  By default VCP messages are signed.
sub post {
    my ($uri, $message, %o) = @_;

    my $as = $o{as} // 'alice';
    my $body = $message;

    if (ref $message eq 'HASH') {
        my $vcp = exists $message->{vcp_message};
        my $signer = $o{sign} // $vcp;

        if ($signer) {
            my $key = person($signer eq 1 ? $as : $signer)->{key};

            $message = $vcp ? sign_vcp($message, $key)
                            : sign_aee($message, $key);
        }

        $body = jcs($message);
    }

    my @headers = @{ $o{headers} // [] };

    unshift @headers, Authorization => $o{token} // bearer($as)
        if !defined $o{token} || $o{token};

    return Parley::Client->new(port => 0)->request($o{method} // 'POST', $uri,
                                                   $body, @headers);
}


1;
