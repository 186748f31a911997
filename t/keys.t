# parley_keys: a parent adds short-lived keys of its children while nginx runs.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(authority client_certificate port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool qw(tool);
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(1));
my $serial = 0;

my %key = map { $_ => new_key('ed25519', $_) } qw(k1 k2 k3 short wrong);

authority('fleet');
my ($cert, $cert_key) = client_certificate('lead');
my $certified = Parley::Client->new(port => port(4), ssl => {
    SSL_cert_file => $cert, SSL_key_file => $cert_key });


sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [], kids => [],
                                       tokens => [], @_ }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}


# boss is the parent of lead, and lead the parent of alice, which has a key in
# the directory, and of worker, which has none
sub http {
    my %o = (parent => 'lead', zone => 'agents:8m', more => '',
             audit => '', @_);

    my $http = http_config(zone => $o{zone}, more => <<"EOT");
    $o{audit}
    parley_revocations  $dir/revocations.json;
    add_header          X-Pid \$pid always;
EOT

    my $file = from_json(identities());
    my @p = @{ $file->{principals} };

    $_->{parent} = 'boss', $_->{certificates} = [{ subject => 'CN=lead' }]
        for grep { $_->{sub} eq 'lead' } @p;

    push @p, { sub => 'boss' }, { sub => 'worker', parent => $o{parent},
        aee => 'agent.worker', vcp => 'agent://ops.example/worker',
        $o{keys} ? (keys => $o{keys}) : () };
    spew("$dir/identities.json", jcs({ principals => \@p }));
    revoke() if !-e "$dir/revocations.json";

    my $server = server_config() =~ s/ ssl;/ ssl reuseport;/r;
    my $signed = <<'EOT';
        location = /signed {
            parley_accept aee;
            parley_signature required;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT

    return "$http\nserver {\n$server\n$signed\n}\n" if $o{none};

    return "$http\nserver {\n$server\n$signed" . <<"EOT";
        location = /keys { parley_keys; parley_jwt on failures=off; }
        location = /either {
            parley_certificate on;
            parley_keys;
        }
        location = /narrow {
            parley_keys;
            parley_jwt on;
            parley_limits body=64;
            parley_rate 1r/m;
        }
        ssl_client_certificate $dir/fleet-ca.crt;
        ssl_verify_client      optional;
        $o{more}
    }
    server {
        listen 127.0.0.1:%PORT_4% ssl;
        ssl_certificate        %TLS_CERT%;
        ssl_certificate_key    %TLS_KEY%;
        ssl_client_certificate $dir/fleet-ca.crt;
        ssl_verify_client      on;
        location = /keys { parley_keys; parley_certificate on; }
    }
EOT
}


# Returns a request that adds keys of worker for ten minutes.
sub adds {
    my ($keys, %o) = @_;

    return { sub => 'worker', exp => int(time) + 600,
             keys => [map { ref $_ ? $_ : public_jwk($key{$_}) } @$keys], %o };
}


# POSTs a request, as lead by default.
sub add {
    my ($body, %o) = @_;

    return ask('POST', '/keys', ref $body ? jcs($body) : $body, %o);
}


sub ask {
    my ($method, $uri, $body, %o) = @_;

    # another address each time, so that no address fails too often
    $client->{from} = '127.0.0.' . (2 + ++$serial % 250);

    my @headers = (Authorization => exists $o{token}
                                    ? $o{token} : bearer($o{as} // 'lead'));

    push @headers, 'Content-Type' => exists $o{type} ? $o{type}
                                                     : 'application/json'
        if $method eq 'POST';

    my $c = $o{client} // $client;

    return $c->raw($c->request($method, $uri, $body, @headers));
}


# Returns { kid => exp } of an answer.
sub kids {
    my $answer = shift;

    is($answer->{status}, 200, 'status') or diag($answer->{body});
    is($answer->{headers}{'content-type'}, 'application/json');
    is($answer->{headers}{'cache-control'}, 'no-store');

    my $json = from_json($answer->{body});

    is($json->{sub}, 'worker', 'of whom');

    return { map { ($_->{kid} => $_->{exp}) } @{ $json->{keys} } };
}

sub listed { return [sort keys %{ kids(ask('GET', '/keys?sub=worker', '')) }] }

sub drop { return ask('DELETE', "/keys?sub=worker&kid=$_[0]", '') }


# Checks a refusal.
sub refused {
    my ($name, $answer, $status, $code, $pointer, $text) = @_;

    my $json = eval { from_json($answer->{body}) } // {};

    is($answer->{status}, $status, "VCP-31 $name") or diag($answer->{body});
    is($answer->{headers}{'content-type'}, 'application/problem+json',
       "$name: RFC 9457");
    is($json->{code}, $code, "$name: the code");
    is($json->{field} // $json->{pointer}, $pointer, "$name: the member");
    like($answer->{body}, $text, "$name: why") if $text;

    return;
}


# Sends messages of worker signed with a key to each worker process; returns
# the results.
sub signed {
    my ($name, %o) = @_;

    my (%said, %pids);
    my $until = time + 10;

    while (keys %pids < 2 && time < $until) {
        my $said = $o{aee} ? send_aee($name, %{ $o{aee} }) : send_vcp($name);

        $pids{$said->{headers}{'x-pid'}} = 1;
        $said{said($said)} = 1;
    }

    is(keys %pids, 2, 'both workers were asked');

    return join ' and ', sort keys %said;
}

sub send_vcp {
    $client->{from} = '127.0.0.' . (2 + ++$serial % 250);

    return $client->raw(post('/peers', jcs(sign_vcp(
        vcp(sender => 'agent://ops.example/worker'), $key{$_[0]})),
        token => 0, headers => ['Content-Type' => 'application/json']));
}

sub send_aee {
    my ($name, %sig) = @_;

    $client->{from} = '127.0.0.' . (2 + ++$serial % 250);

    return $client->raw(post('/signed', jcs(sign_aee(
        aee(from => 'agent.worker'), $key{$name}, %sig)), token => 0,
        headers => ['Content-Type' => 'application/json']));
}

sub said {
    my $answer = shift;

    return $answer->{status} if $answer->{status} < 300;

    my $json = from_json($answer->{body});

    return "$answer->{status} " . ($json->{code} // $json->{payload}{code});
}


# Waits until a condition is true twelve times in a row.
sub soon {
    my ($so, $name) = @_;

    my $until = time + 15;
    my $times = 0;

    while ($times < 12 && time < $until) {
        $times = $so->() ? $times + 1 : 0;
        sleep 0.05 if !$times;
    }

    return is($times, 12, $name);
}


subtest 'OPS-06 a change that cannot be audited adds no key and removes none' => sub {
    my $log = "$dir/audit.jsonl";
    my $nginx = Parley::Nginx->start(workers => 2, http => http(
        audit => "parley_audit $log;"));

    my $turns = 0;
    my $turn = sub {
        kill 'USR1', $nginx->pid;
        $turns += 3;    # the master says it, and each of two workers
        for (1 .. 100) {
            last if $turns <= (() = $nginx->error_log =~ /reopening logs/g);
            sleep 0.1;
        }
        sleep 0.3;
    };

    is(add(adds(['k1']))->{status}, 200, 'one is added');

    rename $log, "$log.1" or die "$log: $!\n";
    symlink '/dev/full', $log or die "$log: $!\n";
    $turn->();

    refused('to be added', add(adds(['k2'])), 503, 'capacity', undef,
            qr/the audit log cannot be written/);
    refused('to be taken back', drop('k1'), 503, 'capacity', undef,
            qr/the audit log cannot be written/);

    unlink $log or die "$log: $!\n";
    $turn->();

    is_deeply(listed(), ['k1'], 'nothing has changed');
    like(slurp("$log.1"), qr/"lead","type":"keys.add","to":"worker"/, 'it is told');
    $nginx->stop;
};


my $nginx = Parley::Nginx->start(workers => 2, http => http());


subtest 'VCP-31 an added key counts on every worker, and after a reload' =>
    sub {
    is(signed('k1'), '403 key-unknown', 'before');
    is_deeply(listed(), [], 'none is there');

    my $adds = adds(['k1']);

    is_deeply(kids(add($adds)), { k1 => $adds->{exp} }, 'added');
    is(signed('k1'), 200, 'VCP');
    is(signed('k1', aee => {}), 202, 'AEE, by its kid');
    is(signed('wrong'), '403 signature-invalid', 'another key');
    is(signed('wrong', aee => { kid => 'k1' }), '403 E_SIGNATURE_INVALID',
       'another key, of that kid');
    is(signed('wrong', aee => {}), '403 E_KEY_UNKNOWN', 'of another kid');
    is_deeply(listed(), ['k1'], 'which there are');

    ok($nginx->reload(workers => 2, http => http()), 'reloaded');
    is(signed('k1'), 200, 'after a reload');

    is_deeply([sort keys %{ kids(add(adds(['k2', 'k3']))) }],
              [qw(k1 k2 k3)], 'several at once');
    is(signed($_), 200, $_) for qw(k1 k2 k3);

    my $later = adds(['k2'], exp => int(time) + 1200);

    is(kids(add($later))->{k2}, $later->{exp}, 'the same key for longer');
    is_deeply(listed(), [qw(k1 k2 k3)], 'it is there once');
};


subtest 'VCP-31 the key proves signatures only' => sub {
    my $forged = jcs(sign_vcp(vcp(sender => 'agent://ops.example/alice'),
                              $key{k1}));

    is(said($client->raw(post('/peers', $forged, token => 0))),
       '403 signature-invalid', "a sister's message");

    $forged = jcs(sign_vcp(vcp(sender => 'agent://ops.example/lead'),
                           $key{k1}));
    is(said($client->raw(post('/peers', $forged, token => 0))),
       '403 signature-invalid', "its parent's message");

    my $token = 'Bearer ' . token($key{k1}, { sub => 'worker' });

    is(ask('GET', '/keys?sub=worker', '', token => $token)->{status}, 401,
       'a token');
};


subtest 'VCP-31 the key is removed' => sub {
    is_deeply([sort keys %{ kids(drop('k2')) }], [qw(k1 k3)], 'what is left');
    is(signed('k2'), '403 signature-invalid', 'on every worker');
    is(signed('k2', aee => {}), '403 E_KEY_UNKNOWN', 'by its kid');
    is(signed('k1'), 200, 'no other');
    is_deeply([sort keys %{ kids(drop('k2')) }], [qw(k1 k3)], 'twice');
    is_deeply([sort keys %{ kids(drop('k%31')) }], ['k3'], 'decoded');
};


subtest 'VCP-31 SEC-16 the key is revoked' => sub {
    kids(add(adds(['k1'])));

    revoke(kids => [{ sub => 'worker', kid => 'k1' }]);
    soon(sub { said(send_vcp('k1')) eq '403 key-unknown' }, 'the kid');
    is(signed('k3'), 200, 'no other');

    revoke(kids => [{ sub => 'alice', kid => 'k1' }]);
    soon(sub { said(send_vcp('k1')) eq 200 }, 'of another');

    revoke(principals => ['worker']);
    soon(sub { said(send_vcp('k1')) eq '403 key-unknown' }, 'the child');

    revoke(principals => ['lead']);
    soon(sub { said(send_aee('k1')) eq '403 E_KEY_UNKNOWN' }, 'the parent');
    soon(sub { add(adds(['k1']))->{status} eq 401 }, 'who adds none either');

    revoke();
    soon(sub { said(send_vcp('k1')) eq 200 }, 'and back');
};


subtest 'VCP-31 the key expires' => sub {
    kids(add(adds(['short'], exp => int(time) + 3)));
    is(said(send_vcp('short')), 200, 'before');

    sleep 3.5;

    is(signed('short'), '403 signature-invalid', 'after');
    is(signed('short', aee => {}), '403 E_KEY_UNKNOWN', 'by its kid');
    is_deeply(listed(), [qw(k1 k3)], 'it is not there');
};


subtest 'VCP-31 callers that may not add keys' => sub {
    my @whom = (403, 'policy-refused', '/sub', qr/direct parent/);

    refused('a grandparent', add(adds(['k2']), as => 'boss'), @whom);
    refused('the child', add(adds(['k2']), as => 'worker'), @whom);
    refused('a sister', add(adds(['k2']), as => 'alice'), @whom);
    refused('nobody in the directory', add(adds(['k2']), as => 'carol'), @whom);
    refused('for itself', add(adds(['k2'], sub => 'lead')), @whom);
    refused('sub unknown', add(adds(['k2'], sub => 'nobody')), @whom);
    refused('a name that is no sub', add(adds(['k2'],
            sub => 'agent.worker')), @whom);
    refused('GET', ask('GET', '/keys?sub=worker', '', as => 'alice'), @whom);
    refused('DELETE', ask('DELETE', '/keys?sub=worker&kid=k1', '',
            as => 'boss'), @whom);

    refused('by a token of an actor', add(adds(['k2']), token =>
            bearer('lead', act => { sub => 'worker' })),
            403, 'policy-refused', undef, qr/not by an agent acting for/);
    refused('nobody', add(adds(['k2']), token => undef), 401,
            'token-missing');
    refused('a bad token', add(adds(['k2']), token => 'Bearer x'), 401,
            'token-invalid');
    refused('no certificate', ask('POST', '/either', jcs(adds(['k2'])),
            token => undef), 401, 'token-missing');
    like(add(adds(['k2']), token => undef)->{headers}{'www-authenticate'},
         qr/^Bearer /, 'a challenge');

    is_deeply(listed(), [qw(k1 k3)], 'nothing was changed');

    is_deeply([sort keys %{ kids(ask('POST', '/keys', jcs(adds(['k2'])),
               client => $certified, token => undef)) }], [qw(k1 k2 k3)],
              'SEC-17 a certificate');
    is(signed('k2'), 200, 'it counts');
    kids(drop('k2'));
};


subtest 'VCP-31 SEC-18 invalid keys' => sub {
    my $invalid = sub {
        my ($name, $jwk, $field, $why) = @_;

        refused($name, add(adds(['k2', $jwk])), 400, 'field-invalid',
                "/keys/1$field", $why);
    };

    my $ed = public_jwk($key{short});
    my $rsa = public_jwk(new_key('RS256', 'r'));

    $invalid->('a private key', { %{ $key{short}{private} } }, '/d',
               qr/only public/);
    $invalid->('a secret', public_jwk(new_key('HS256', 'h')), '/k',
               qr/only public/);
    $invalid->('RSA 1024', { kty => 'RSA', kid => 'w', e => 'AQAB',
               n => encode_base64url("\xc1" x 127 . "\x01") }, '/n',
               qr/2048/);
    $invalid->('RSA 2048', $rsa, '', qr/Ed25519/);
    $invalid->('P-256', public_jwk(new_key('ES256', 'p')), '',
               qr/Ed25519/);
    $invalid->('X25519', { %$ed, crv => 'X25519' }, '/crv');
    $invalid->('too short', { %$ed, x => 'AAAA' }, '/x');
    $invalid->('the neutral element', { %$ed,
               x => encode_base64url("\x01" . "\0" x 31) }, '/x');
    $invalid->('for encryption', { %$ed, use => 'enc' }, '/use');
    $invalid->('a number as kid', { %$ed, kid => 7 }, '/kid');
    $invalid->('an empty kid', { %$ed, kid => '' }, '/kid');
    $invalid->('a long kid', { %$ed, kid => 'k' x 300 }, '/kid');
    $invalid->('no object', [], '');
    $invalid->('the kid of the other', { %$ed, kid => 'k2' }, '/kid',
               qr/earlier/);
    refused('no kid', add(adds([without($ed, 'kid')])), 400, 'field-missing',
            '/keys/0/kid');
    refused('no kty', add(adds([without($ed, 'kty')])), 400, 'field-missing',
            '/keys/0/kty');

    $invalid->('a kid that is there', { %$ed, kid => 'k1' }, '/kid',
               qr/another added key/);
    refused("the directory's kid", add(adds([{ %$ed, kid => 'alice-key' }],
            sub => 'alice')), 400, 'field-invalid', '/keys/0/kid',
            qr/in the directory/);

    is_deeply(listed(), [qw(k1 k3)], 'all or nothing');
};


subtest 'VCP-31 invalid requests' => sub {
    my $good = adds(['k2']);
    my $text = jcs($good);
    my $at = sub { add({ %$good, exp => int(time) + $_[0] }) };
    my @exp = (400, 'field-invalid', '/exp');

    refused('past', $at->(-1), @exp, qr/past/);
    refused('25 hours', $at->(25 * 3600), @exp, qr/24 hours/);
    refused('in milliseconds', add({ %$good, exp => time * 1000 }), @exp);
    refused('no number', add({ %$good, exp => 'soon' }), @exp);
    refused('a fraction', add($text =~ s/"exp":\d+/"exp":1e10/r), @exp);
    refused('no exp', add(without($good, 'exp')), 400, 'field-missing',
            '/exp');
    refused('no sub', add(without($good, 'sub')), 400, 'field-missing',
            '/sub');
    refused('a number as sub', add({ %$good, sub => 7 }), 400,
            'field-invalid', '/sub');
    refused('no keys', add(without($good, 'keys')), 400, 'field-missing',
            '/keys');
    refused('keys of none', add({ %$good, keys => [] }), 400,
            'field-invalid', '/keys');
    refused('one key', add({ %$good, keys => {} }), 400, 'field-invalid',
            '/keys');
    refused('nine keys', add({ %$good, keys => [({}) x 9] }), 400,
            'field-invalid', '/keys', qr/1 to 8/);
    refused('another member', add({ %$good, kid => 'k' }), 400,
            'field-unknown', '/kid');
    refused('a member twice', add($text =~ s/\{/{"sub":"bob",/r), 400,
            'json-invalid', '/sub', qr/duplicate/);
    refused('a member of a key twice', add($text =~ s/"kid"/"kid":"x","kid"/r),
            400, 'json-invalid', '/keys/0/kid');
    refused('no object', add('[]'), 400, 'field-invalid', undef);
    refused('no JSON', add('{'), 400, 'json-invalid', undef);
    refused('no body', add(''), 400, 'json-invalid', undef);

    refused("a form's type", add($text, type => $_), 415,
            'protocol-unsupported', undef)
        for 'text/plain', 'application/x-www-form-urlencoded';
    refused('no type', add($text, type => undef), 415,
            'protocol-unsupported', undef, qr/the Content-Type is missing/);
    is(add($text, type => 'application/json; charset=utf-8')->{status}, 200);
    kids(drop('k2'));

    for my $method (qw(PUT PATCH HEAD)) {
        my $answer = ask($method, '/keys', '');

        is($answer->{status}, 405, $method);
        is($answer->{headers}{allow}, 'GET, POST, DELETE', 'Allow');
    }

    my $argument = sub {
        my ($name, $query, @how) = @_;

        refused("DELETE $name", ask('DELETE', "/keys?$query", ''), 400, @how);
    };

    $argument->('without kid', 'sub=worker', 'field-missing', '/kid');
    $argument->('with an empty one', 'sub=worker&kid=', 'field-missing', '/kid');
    $argument->('without sub', 'kid=k1', 'field-missing', '/sub');
    $argument->('and id', 'sub=worker&kid=k1&id=k3', 'field-invalid', 'id');
    $argument->('of two', 'sub=worker&kid=k1&kid=k3', 'field-invalid', 'kid');
    $argument->('of two by another spelling', 'sub=worker&kid=k1&KID=k3',
                'field-invalid', 'kid');
    $argument->('that is half encoded', 'sub=worker&kid=%k', 'field-invalid',
                'kid');
    refused('DELETE with a body', ask('DELETE', '/keys?sub=worker&kid=k1',
            '{}'), 400, 'field-invalid', undef, qr/must not have a body/);
    refused('GET of nobody', ask('GET', '/keys', ''), 400, 'field-missing',
            '/sub');

    is_deeply(listed(), [qw(k1 k3)], 'nothing was changed');

    refused('too large', ask('POST', '/narrow', $text), 413,
            'message-too-large', undef);
    refused('too many', ask('POST', '/narrow', $text), 429, 'rate-limited',
            undef);
};


subtest 'VCP-31 the number of keys of a child' => sub {
    my $x = sub { { kty => 'OKP', crv => 'Ed25519', kid => $_[0],
                    x => public_jwk($key{short})->{x} } };

    kids(add(adds([map { $x->("n$_") } 1 .. 6])));
    refused('nine by and by', add(adds([$x->('n7')])), 400, 'field-invalid',
            '/keys', qr/9 .*8/);
    kids(add(adds([$x->('n6')])));
    kids(drop("n$_")) for 1 .. 6;
    is_deeply(listed(), [qw(k1 k3)]);
};


subtest 'VCP-31 the current directory decides' => sub {
    my $own = public_jwk({ jwk => { %{ public_jwk($key{wrong}) },
                                    kid => 'k1' } });

    ok($nginx->reload(workers => 2, http => http(keys => [$own])),
       'a key of that kid');
    is(signed('k1'), '403 signature-invalid', 'it is not overridden');
    is(signed('wrong', aee => { kid => 'k1' }), 202, 'and counts itself');
    is(signed('k3'), 200, 'no other is touched');
    is_deeply(listed(), ['k3']);

    ok($nginx->reload(workers => 2, http => http(parent => 'bob')),
       'another parent');
    is(signed($_), '403 key-unknown', "$_ of a former parent")
        for qw(k1 k3);
    refused('a former parent', add(adds(['k1'])), 403, 'policy-refused',
            '/sub');
    kids(add(adds(['k3'], exp => int(time) + 60), as => 'bob'));
    is(signed('k3'), 200, 'the new one adds its own');
    is_deeply([keys %{ kids(ask('GET', '/keys?sub=worker', '',
                                as => 'bob')) }], ['k3'], 'and sees no other');

    ok($nginx->reload(workers => 2, http => http(parent => 'boss')),
       'the grandparent');
    is(signed('k1'), '403 key-unknown');

    ok($nginx->reload(workers => 2, http => http(none => 1)),
       'parley_keys stands nowhere');
    is(signed('k1'), '403 key-unknown', 'nothing is switched on');

    ok($nginx->reload(workers => 2, http => http()), 'the first again');
    is(signed('k1'), 200);
};


subtest 'VCP-31 the key is counted and shown like others' => sub {
    my $log = $nginx->error_log;

    like($log, qr/refused.*policy-refused/, 'OPS-07 the error log');
    unlike($log, qr/\Q@{[ public_jwk($key{k1})->{x} ]}\E/, 'no key in it');
    unlike($log, qr/\[(?:alert|emerg|crit)\]/, 'nothing worse');

    my $message = spew("$dir/message.json", jcs(sign_vcp(
        vcp(sender => 'agent://ops.example/worker'), $key{k1})));
    my ($status, $out, $err) = tool('explain', '--conf', $nginx->dir . '/nginx.conf',
                              '--location', '/peers', $message);

    isnt($status, 0, 'GW-16 parley explain asks an empty state');
    like($out . $err, qr/key-unknown.*added at run time are not known here/,
         'and says so');
};

undef $nginx;


subtest 'VCP-31 SEC-09 a parent has its share, and the others keep theirs' => sub {
    # lead fills its share with keys of many children
    my $http = http(zone => 'agents:256k share=2%');
    my $file = from_json(Parley::Env::slurp("$dir/identities.json"));

    push @{ $file->{principals} },
        map { ({ sub => "c$_", parent => 'lead' }) } 1 .. 60;
    push @{ $file->{principals} }, { sub => 'his', parent => 'bob' };
    spew("$dir/identities.json", jcs($file));

    my $small = Parley::Nginx->start(workers => 2, http => $http);
    my $n = 0;
    my $answer;

    for my $i (1 .. 60) {
        $answer = add(adds([map { { %{ public_jwk($key{$_}) },
                                    kid => $_ . 'x' x 200 } } qw(k1 k2 k3)],
                           sub => "c$i"));
        last if $answer->{status} != 200;
        $n++;
    }

    cmp_ok($n, '>', 0, 'some are taken');
    cmp_ok($n, '<', 60, 'not all');
    refused('the share is used up', $answer, 503, 'capacity', undef,
            qr/share/);
    ok($answer->{headers}{'retry-after'}, 'when to come again');

    my $c = 'c' . ($n + 1);

    is(ask('GET', "/keys?sub=$c", '')->{body}, qq({"sub":"$c","keys":[]}),
       'all or nothing');
    is(add(adds(['k1'], sub => 'his'), as => 'bob')->{status}, 200,
       'another parent has room');
    is(ask('DELETE', "/keys?sub=c1&kid=k1" . 'x' x 200, '')->{status}, 200);
    is(add(adds(['k1'], sub => $c))->{status}, 200, 'what is free is free');
};


subtest 'VCP-31 GW-11 places of parley_keys' => sub {
    my $check = sub {
        my ($name, $location, $why, %o) = @_;

        my $http = http_config();

        $http =~ s/$o{without}.*//g if $o{without};

        my ($status, $said) = Parley::Nginx->check(http =>
            "$http\nserver { listen 127.0.0.1:%PORT_3%;\n$location\n}\n");

        is($status, $why ? 1 : 0, $name) or diag($said);
        like($said, $why, "$name: why") if $why;
        like($said, qr/nginx\.conf:\d+/, "$name: where") if $why;
    };

    my $alone = qr/"parley_keys" answers requests itself/;

    $check->('with a token', 'location /k { parley_keys; parley_jwt on; }');
    $check->('with what the server has', 'parley_accept aee; parley_jwt on; '
             . 'parley_rate 5r/s; parley_dry_run all; '
             . 'location /k { parley_keys; }');
    $check->('with limit_except', 'location /k { parley_keys; parley_jwt on; '
             . 'limit_except GET { deny all; } }');
    $check->('without proof', 'location /k { parley_keys; }',
             qr/"parley_keys" has no proof of the sender/);
    $check->('trusted', 'location /k { parley_keys; parley_trusted on; }',
             qr/"parley_keys" has no proof of the sender/);
    $check->('with parley_accept', 'location /k { parley_keys; parley_jwt on; '
             . 'parley_accept aee; }', $alone);
    $check->('with proxy_pass', 'location /k { parley_keys; parley_jwt on; '
             . 'proxy_pass http://127.0.0.1:1; }', $alone);
    $check->('with parley_status', 'location /k { parley_keys; parley_jwt on; '
             . 'parley_status; }', qr/without "parley_keys"/);
    $check->('with what has no effect', 'location /k { parley_keys; '
             . 'parley_jwt on; parley_dry_run on; }',
             qr/"parley_dry_run" has no effect: "parley_keys" in this/);
    $check->('with locations in it', 'location /k { parley_keys; '
             . 'parley_jwt on; location /k/x { return 404; } }',
             qr/without nested locations/);
    $check->('with a word', 'location /k { parley_keys on; }',
             qr/invalid number of arguments in "parley_keys"/);
    $check->('in a server', 'parley_keys;', qr/not allowed here/);
    $check->('without a zone', 'location /k { parley_keys; parley_jwt on; }',
             qr/"parley_keys" needs "parley_zone"/, without => 'parley_zone');
    $check->('without a directory',
             'location /k { parley_keys; parley_jwt on; }',
             qr/"parley_keys" needs "parley_identities"/,
             without => 'parley_identities');
    $check->('without keys of tokens',
             'location /k { parley_keys; parley_jwt on; }',
             qr/needs "parley_jwks"/, without => 'parley_jwks');
    $check->('with a certificate that nobody has',
             'location /k { parley_keys; parley_certificate on; }',
             qr/"parley_certificate" has no effect: no principal of "parley_identities" has "certificates" in /);
};

done_testing;
