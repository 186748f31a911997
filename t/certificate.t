# Client certificates that prove the caller, and tokens that are bound to them.

use strict;
use warnings;

use lib 't/lib';

use Digest::SHA qw(sha256 sha256_hex);
use IO::Socket::SSL;
use MIME::Base64 qw(decode_base64 encode_base64url);
use Test::More;

use Parley::Client;
use Parley::Env qw(authority client_certificate parley parley_try port slurp
                   spew tmp_dir);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $dir = tmp_dir();

authority('fleet');
authority('foreign');


# Returns the octets of a certificate.
sub der {
    my ($pem) = slurp($_[0]) =~ /BEGIN CERTIFICATE-----(.*?)-----END/s;

    return decode_base64($pem);
}


# the entry and the certificate of each principal
my %shown = (
    alice   => [subject => '/O=Acme/CN=alice'],
    bob     => [san => 'DNS:bob.example'],
    lead    => [san => 'URI:spiffe://acme/lead'],
    printed => [],
    nobody  => [],
    both    => [subject => '/O=Acme/CN=alice', san => 'DNS:bob.example'],
    forged  => [ca => 'foreign', subject => '/O=Acme/CN=alice'],
    past    => [subject => '/CN=past', past => 1],
);

my %cert = map { ($_ => [client_certificate($_, @{ $shown{$_} })]) }
    keys %shown;

my $identities = from_json(identities());
my %listed = map { ($_->{sub} => $_) } @{ $identities->{principals} };

$listed{alice}{certificates} = [{ subject => 'CN=alice,O=Acme' }];
$listed{bob}{certificates} = [{ dns => 'Bob.Example' }];
$listed{lead}{certificates} = [{ uri => 'spiffe://acme/lead' }];
push @{ $identities->{principals} },
    { sub => 'printed', aee => 'agent.printed',
      certificates => [sha256_hex(der($cert{printed}[0]))] },
    { sub => 'past', aee => 'agent.past',
      certificates => [{ subject => 'CN=past' }] };


# Returns http with a server that verifies clients.
sub gateway {
    my ($verify, $locations) = @_;

    http_config();
    spew("$dir/identities.json", jcs($identities));

    return <<"EOT";
    parley_zone        agents:8m;
    parley_identities  $dir/identities.json;
    parley_jwks        $dir/jwks.json;
    server {
        listen 127.0.0.1:%PORT_1% ssl http2;
        server_name localhost;
        ssl_certificate        %TLS_CERT%;
        ssl_certificate_key    %TLS_KEY%;
        ssl_protocols          TLSv1.2 TLSv1.3;
        ssl_client_certificate $dir/fleet-ca.crt;
        ssl_verify_client      $verify;
        $locations
    }
EOT
}

my $locations = join '', map { location(@$_) }
    ['/cert', 'parley_accept aee; parley_certificate required;'],
    ['/either', 'parley_accept aee; parley_jwt on; parley_certificate on;'],
    ['/both', 'parley_accept aee; parley_jwt on; parley_certificate required;'],
    ['/signed', 'parley_accept aee vcp; parley_speak aee; '
              . 'parley_signature required; parley_certificate on;'],
    ['/ops', 'parley_accept aee; parley_certificate on; '
           . 'parley_allow principal=agent.alice;'],
    ['/token', 'parley_accept aee; parley_jwt on;'],
    ['/files', 'parley_certificate on; parley_deny principal=bob; '
             . 'parley_allow principal=**; '
             . 'proxy_set_header X-Who $parley_principal;'],
    ['/either-files', 'parley_jwt on; parley_certificate on;'];

my $nginx = Parley::Nginx->start(http => gateway('optional', $locations));


# Returns a client with that certificate.
sub client {
    my ($name, %ssl) = @_;

    return Parley::Client->new(port => port(1), ssl => {
        SSL_hostname => 'localhost',
        $name ? (SSL_cert_file => $cert{$name}[0],
                 SSL_key_file => $cert{$name}[1]) : (), %ssl });
}


# Returns the status, or the code of a refusal.
sub said {
    my $answer = shift;

    return $answer->{status} if $answer->{status} < 300;
    return "$answer->{status} nginx" if $answer->{body} =~ /<html>/;

    my $json = from_json($answer->{body});

    return "$answer->{status} "
         . ($json->{code} // $json->{payload}{code});
}


# Sends a message of AS (alice) from a client with a certificate; returns the
# result.
sub try {
    my ($uri, $name, %o) = @_;

    my $as = delete $o{as} // 'alice';
    my $ssl = delete $o{ssl} // {};

    return said(client($name, %$ssl)->raw(
        post($uri, aee(from => "agent.$as"), as => $as, token => 0, %o)));
}


subtest 'GW-30 a certificate proves the caller of any request' => sub {
    my $get = sub { said(client($_[1])->get("$_[0]/x", @_[2 .. $#_])) };

    is($get->('/files', 'alice'), 202, 'a certificate');
    is($service->last->{headers}{'x-who'}, 'alice', 'its principal');
    is($get->('/files', 'bob'), '403 policy-refused', 'a rule');
    is($get->('/files'), '401 token-missing', 'none');
    is($get->('/files', undef, Authorization => bearer('alice')),
       '401 token-missing', 'a token where only certificates count');

    is($get->('/either-files', 'alice'), 202, 'a certificate, or');
    is($get->('/either-files', undef, Authorization => bearer('alice')), 202,
       'a token');
    is($get->('/either-files', 'bob', Authorization => bearer('alice')),
       '401 token-invalid', 'not those of two principals');

    $service->clear;
};


subtest 'SEC-17 GW-01 a certificate proves a principal' => sub {
    is(try('/cert', 'alice'), 202, 'by its subject');
    is($service->last->{headers}{'parley-verified'},
       'principal="alice"; certificate', 'the service is told so');
    is(try('/cert', 'bob', as => 'bob'), 202, 'by a DNS name');
    is(try('/cert', 'lead', as => 'lead'), 202, 'by a URI');
    is(try('/cert', 'printed', as => 'printed'), 202, 'by its fingerprint');
    is(try('/cert', 'alice', as => 'bob'), '403 E_SENDER_IDENTITY_MISMATCH',
       'and nobody else');
};


subtest 'SEC-17 GW-02 a page of another site cannot use it' => sub {
    my $try = sub { try('/either', 'alice', headers => [@_]) };
    my ($host) = post('/either', aee()) =~ /^Host: (\S+)\r/m;

    is($try->('Origin' => "https://$host"), 202,
       'one of the host has');
    is($try->('Origin' => 'https://evil.example'), '403 E_POLICY_REFUSED');
    is($try->('Sec-Fetch-Site' => 'cross-site'), '403 E_POLICY_REFUSED',
       'without an Origin');
    is(try('/either', 'alice', token => bearer('alice'),
           headers => ['Origin' => 'https://evil.example']), 202,
       'no page has the token');
};


subtest 'SEC-17 a certificate of an unknown principal' => sub {
    is(try('/cert', undef), '401 E_TOKEN_MISSING', 'none');
    is(try('/cert', 'nobody'), '401 E_TOKEN_INVALID', 'one that is not listed');
    is(try('/cert', 'both'), '401 E_TOKEN_INVALID', 'one of two principals');
    is(try('/cert', 'forged'), '400 nginx', "another authority's");
    is(try('/cert', 'past', as => 'past'), '400 nginx', 'one that is over');

    my $answer = client('nobody')->raw(post('/cert', aee(), token => 0));

    like($answer->{headers}{'www-authenticate'},
         qr/^Bearer realm="[^"]+", error="invalid_token"/, 'and says so');
    is($service->count, 6, 'nothing of that has passed');
};


subtest 'SEC-17 a token or a certificate' => sub {
    is(try('/either', 'alice'), 202, 'a certificate alone');
    is(try('/either', undef, token => bearer('alice')), 202, 'a token alone');
    is(try('/either', 'alice', token => bearer('alice')), 202, 'both');
    is(try('/either', 'nobody', token => bearer('alice')), 202,
       "nobody's beside a token proves nothing");
    is(try('/either', 'bob', token => bearer('alice')), '401 E_TOKEN_INVALID',
       'two principals are none');
    is(try('/either', 'alice', token => 'Bearer x.y.z'),
       '401 E_TOKEN_INVALID', 'a bad token is not overlooked');
    is(try('/either', undef), '401 E_TOKEN_MISSING', 'neither');
    is(try('/either', 'nobody'), '401 E_TOKEN_MISSING', "nobody's alone");
};


subtest 'SEC-17 a token and a certificate' => sub {
    is(try('/both', 'alice', token => bearer('alice')), 202, 'both');
    is(try('/both', 'alice'), '401 E_TOKEN_MISSING', 'no token');
    is(try('/both', undef, token => bearer('alice')), '401 E_TOKEN_MISSING',
       'no certificate');
    is(try('/both', 'nobody', token => bearer('alice')),
       '401 E_TOKEN_INVALID', "nobody's");
    is(try('/both', 'bob', token => bearer('alice')), '401 E_TOKEN_INVALID',
       "another principal's");
};


subtest 'SEC-17 a signature and a certificate' => sub {
    is(try('/signed', 'alice', sign => 1), 202, 'both');
    is(try('/signed', undef, sign => 1), 202, 'a signature alone');
    is(try('/signed', 'alice'), '403 E_SIGNATURE_MISSING',
       'which is required all the same');
    is(try('/signed', 'bob', sign => 1), '403 E_SENDER_IDENTITY_MISMATCH',
       'of another principal');
    is(try('/ops', 'alice'), 202, 'rules see the principal');
    is(try('/ops', 'bob', as => 'bob'), '403 E_POLICY_REFUSED',
       'whoever it is');
    is(try('/ops', undef), '403 E_SIGNATURE_MISSING',
       'and nothing proves nobody');
};


subtest 'SEC-17 a token bound to a certificate (RFC 8705)' => sub {
    my $bound = sub { bearer('alice', cnf => { 'x5t#S256' =>
                          encode_base64url(sha256(der($cert{$_[0]}[0]))) }) };

    is(try('/token', 'alice', token => $bound->('alice')), 202,
       'with it, where certificates are asked for nothing else');
    is(try('/token', 'nobody', token => $bound->('nobody')), 202,
       'whether or not it is listed');
    is(try('/token', 'bob', token => $bound->('alice')),
       '401 E_TOKEN_INVALID', 'with another');
    is(try('/token', undef, token => $bound->('alice')),
       '401 E_TOKEN_INVALID', 'without any');

    my $token = $bound->('alice');

    is(try('/token', 'alice', token => $token), 202, 'verified');
    is(try('/token', undef, token => $token), '401 E_TOKEN_INVALID',
       'from the cache it is bound as well');
    is(try('/token', 'alice', token => bearer('alice', cnf => { jkt => 'x' })),
       '401 E_TOKEN_INVALID', 'a binding that is not understood');
    is(try('/both', 'alice', token => $bound->('nobody')),
       '401 E_TOKEN_INVALID', 'nor does the right principal help');
};


subtest 'GW-01 TLS 1.2 and 1.3, HTTP/1.1 and HTTP/2' => sub {
    my %seen;

    for my $version (qw(TLSv1_2 TLSv1_3)) {
        my $client = client('alice', SSL_version => $version);
        my $connection = $client->connect;

        $seen{$connection->{socket}->get_sslversion}++;
        $connection->write(post('/cert', aee(), token => 0));
        is($connection->answer->{status}, 202, "$version, HTTP/1.1");

        for my $name (qw(alice nobody)) {
            my $client = client($name, SSL_version => $version,
                                SSL_alpn_protocols => ['h2']);
            my $connection = $client->connect;

            is($connection->{socket}->alpn_selected, 'h2', 'HTTP/2');

            $service->clear;
            $connection->write(h2_begin() . h2_post(1, '/both', jcs(aee())));

            if ($name eq 'alice') {
                ok($service->wait_for(1), "$version, HTTP/2");
                is($service->last->{headers}{'parley-verified'},
                   'principal="alice"; token; certificate');

            } else {
                $connection->expect(qr/E_TOKEN_INVALID/);
                is($service->count, 0, "$version, HTTP/2: refused");
            }
        }
    }

    is_deeply([sort keys %seen], [qw(TLSv1_2 TLSv1_3)], 'both were spoken');
    my $old = IO::Socket::SSL->new(PeerAddr => '127.0.0.1',
        PeerPort => port(1), SSL_version => 'TLSv1_1',
        SSL_cipher_list => 'ALL:@SECLEVEL=0',
        SSL_verify_mode => IO::Socket::SSL::SSL_VERIFY_NONE);

    ok(!$old, 'TLS 1.1 is not');
};


subtest 'GW-01 HTTP/3' => sub {
    plan skip_all => 'this nginx has no HTTP/3'
        if `@{[ Parley::Env::nginx_binary() ]} -V 2>&1` !~ /http_v3_module/;
    plan skip_all => 'there is no client of HTTP/3'
        if `curl -V 2>&1` !~ /HTTP3/;

    my $quic = Parley::Nginx->start(http =>
        gateway('on', $locations) =~ s/ ssl http2;/ quic;/r);

    spew("$dir/body.json", jcs(aee()));

    is(`curl -sk --http3-only --cert $cert{alice}[0] --key $cert{alice}[1] \\
            -H 'Content-Type: application/json' -o /dev/null \\
            -w '%{http_code}' --data-binary \@$dir/body.json \\
            https://localhost:@{[ port(1) ]}/cert`, 202);
};


subtest 'SEC-17 only a certificate that nginx has verified counts' => sub {
    $nginx->reload(http => gateway('optional', $locations) . <<"EOT");
    server {
        listen 127.0.0.1:%PORT_1% ssl;
        server_name other.example;
        ssl_certificate        %TLS_CERT%;
        ssl_certificate_key    %TLS_KEY%;
        ssl_client_certificate $dir/foreign-ca.crt;
        ssl_verify_client      optional;
        @{[ location('/cert', 'parley_accept aee; '
                            . 'parley_certificate required;') ]}
        @{[ location('/token', 'parley_accept aee; parley_jwt on;') ]}
    }
    server {
        listen 127.0.0.1:%PORT_3% ssl;
        ssl_certificate        %TLS_CERT%;
        ssl_certificate_key    %TLS_KEY%;
        ssl_verify_client      optional_no_ca;
        @{[ location('/token', 'parley_accept aee; parley_jwt on;') ]}
    }
EOT

    is(try('/cert', 'forged', ssl => { SSL_hostname => 'other.example' }),
       '421 nginx', "one server's authority for another: by name");
    is(try('/cert', 'alice', ssl => { SSL_hostname => '' },
           headers => [Host => 'other.example']),
       '401 E_TOKEN_MISSING', 'and without one');

    my $bound = bearer('alice', cnf => { 'x5t#S256' =>
                    encode_base64url(sha256(der($cert{forged}[0]))) });
    my $client = Parley::Client->new(port => port(3), ssl => {
        SSL_cert_file => $cert{forged}[0], SSL_key_file => $cert{forged}[1] });

    is(said($client->raw(post('/token', aee(), token => $bound))),
       '401 E_TOKEN_INVALID', 'optional_no_ca verifies nobody');
};


# Checks the error for a wrong configuration.
sub wrong {
    my ($name, $http, $expected) = @_;

    my ($status, $said) = Parley::Nginx->check(http => $http);

    is($status, 1, "$name: nginx -t");
    like($said, $expected, $name);
}

subtest 'SEC-17 GW-11 errors of the configuration' => sub {
    my $one = location('/cert', 'parley_accept aee; parley_certificate on;');

    wrong('another word', gateway('on',
          location('/', 'parley_accept aee; parley_certificate optional;')),
          qr/"parley_certificate": "optional" is unknown; expected off, on or required/);
    wrong('nobody verifies', gateway('off', $one),
          qr/needs "ssl_verify_client on" or "optional" in its server/);
    wrong('nothing is verified', gateway('optional_no_ca', $one),
          qr/needs "ssl_verify_client on" or "optional" in its server/);

    delete $_->{certificates} for @{ $identities->{principals} };
    wrong('nobody has one', gateway('on', $one),
          qr/no principal of "parley_identities" has "certificates"/);

    $listed{alice}{certificates} = [{ dns => 'a.example' }];
    $listed{bob}{certificates} = [{ dns => 'x' }, { dns => 'A.example' }];
    wrong('one of two principals', gateway('on', $one),
          qr{identities\.json" line 1: /principals/1/certificates/1 the certificate is also that of /principals/0});

    $listed{bob}{certificates} = ['AB:CD'];
    wrong('no fingerprint', gateway('on', $one),
          qr{identities\.json" line 1: /principals/1/certificates/0});

    $listed{bob}{certificates} = [{ subject => 'CN=a', dns => 'b' }];
    wrong('two names in one', gateway('on', $one),
          qr{identities\.json" line 1: /principals/1/certificates/0});

    $listed{bob}{certificates} = [{ subject => 'CN = a, O = b' }];
    wrong('a subject as openssl prints it of itself', gateway('on', $one),
          qr{certificates/0/subject must be a subject as RFC 2253 .*-nameopt RFC2253});
};


subtest 'SEC-17 GW-16 parley explain' => sub {
    $listed{alice}{certificates} = [{ subject => 'CN=alice,O=Acme' }];
    $listed{bob}{certificates} = [];

    my $http = gateway('optional', $locations);

    $http =~ s/%PORT_1%/port(1)/ge;
    $http =~ s/%TLS_(?:CERT|KEY)%/x.pem/g;
    spew("$dir/explain.conf", "http {\n$http}\n");
    spew("$dir/message.json", jcs(aee()));

    my @explain = ('explain', '--conf', "$dir/explain.conf", '--location',
                   '/cert', "$dir/message.json");
    my ($status, $out, $err) = parley_try(@explain);

    isnt($status, 0, 'nobody');
    like("$out$err", qr/token-missing.*a client certificate is required/);

    ($status, $out, $err) = parley_try(@explain, '--certificate',
                                       $cert{alice}[0]);

    is($status, 0, 'alice') or diag($out, $err);
    like("$out$err", qr/proof.*sub "alice", by a client certificate/);

    ($status, $out, $err) = parley_try(@explain, '--certificate',
                                       $cert{nobody}[0]);

    isnt($status, 0, "nobody's");
    like("$out$err", qr/the client certificate names no known principal/);

    ($status, $out, $err) = parley_try(@explain, '--certificate',
                                       "$dir/message.json");

    isnt($status, 0, 'no certificate');
    like($err, qr/the input must have a certificate in PEM/);
};


subtest 'SEC-17 the log names a certificate without a principal' => sub {
    my $print = sha256_hex(der($cert{nobody}[0]));

    client('nobody')->raw(post('/cert', aee(), token => 0));

    ok($nginx->wait_for(qr/\[warn\] [^\n]*refused, token-invalid: the client certificate names no known principal, [^\n]*, certificate "CN=nobody[^"\n]*", SHA-256 "$print"/),
       'by subject and fingerprint') or diag($nginx->error_log);

    client('nobody')->raw(post('/either', aee(), token => 0));

    ok($nginx->wait_for(qr/refused, token-missing[^\n]*, certificate "CN=nobody[^"\n]*", SHA-256 "$print"/),
       'also where a token would have done');
};


subtest 'GW-02 the log names, escaped, the key that a token needs and the caller\'s' => sub {
    my $key = new_key('ed25519', "k\n1\"");
    my $token = 'Bearer ' . token($key, { sub => 'alice',
                                          iss => "https://idp.example/\e[2J" });

    client(undef)->raw(post('/token', aee(), token => $token));

    ok($nginx->wait_for(qr/refused, token-invalid kid: [^\n]*, key "k%0A1%22", issuer "https:\/\/idp\.example\/%1B\[2J"/),
       'both') or diag($nginx->error_log);
    unlike($nginx->error_log, qr/parley:[^\n]*"alice"[^\n]*idp\.example/,
           'and not whom it is for');

    $token = 'Bearer ' . token(new_key('ed25519', 'k' x 3000),
                               { sub => 'alice' });
    client(undef)->raw(post('/token', aee(), token => $token));

    ok($nginx->wait_for(qr/, key "k{128}"/), 'a bounded part of it');
};

done_testing;
