# parley_revocations: principals, keys and tokens that are revoked while nginx
# runs, on every worker, without a reload.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(authority client_certificate parley_try port slurp spew
                   tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

# the tolerance for "twice a second" on a busy machine; the rule says one
# second
use constant SOON => 3;

my $service = Parley::Upstream->start(port(2));
my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(1));
my $serial = 0;

authority('fleet');
my ($cert, $cert_key) = client_certificate('alice');
my $shows = Parley::Client->new(port => port(3), ssl => {
    SSL_cert_file => $cert, SSL_key_file => $cert_key });

# a second key for tokens, with its own issuer
my $other = new_key('ed25519', 'idp-1');


# Replaces the list, as operators do.
sub put {
    my $text = shift;

    spew("$dir/revocations.new", $text);
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

sub revoke {
    my %o = @_;

    put(jcs({ principals => $o{principals} // [], kids => $o{kids} // [],
              tokens => $o{tokens} // [] }));
}


sub http {
    my $more = shift // '';

    revoke() if !-e "$dir/revocations.json";

    my $http = http_config(more => <<"EOT");
    parley_jwks         $dir/other.json issuer=https://other.example;
    parley_revocations  $dir/revocations.json;
    parley_audit        $dir/audit.jsonl;
    add_header          X-Pid \$pid always;
EOT

    spew("$dir/other.json", jwks($other));
    spew("$dir/jwks.json", jwks(new_key('ed25519', 'unused')));
    spew("$dir/idp.json", jwks(idp()));
    $http =~ s{(parley_jwks\s+)\S+/jwks\.json;}{$1$dir/idp.json issuer=https://id.example;};

    my $identities = from_json(identities());
    $identities->{principals}[0]{certificates} = [{ subject => 'CN=alice' }];
    spew("$dir/identities.json", jcs($identities));

    # so that the kernel gives each worker its connections
    my $server = server_config() =~ s/ ssl;/ ssl reuseport;/r;

    return $http . <<"EOT" . $server . <<"EOT";
    server {
EOT
        location /signed {
            parley_accept aee;
            parley_signature required;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /c2a {
            parley_accept c2a;
            parley_speak aee;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /ready {
            parley_health ready;
            allow all;
        }
        $more
    }
    server {
        listen 127.0.0.1:%PORT_3% ssl;
        ssl_certificate        %TLS_CERT%;
        ssl_certificate_key    %TLS_KEY%;
        ssl_client_certificate $dir/fleet-ca.crt;
        ssl_verify_client      on;
        location /cert {
            parley_accept aee;
            parley_certificate on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
    }
EOT
}


sub token_of {
    my ($name, %claims) = @_;

    return bearer($name, iss => 'https://id.example', %claims);
}


# Returns the status, or the code of a refusal.
sub said {
    my $answer = shift;

    return $answer->{status} if $answer->{status} < 300;

    my $json = from_json($answer->{body});

    return "$answer->{status} " . ($json->{code} // $json->{payload}{code});
}

my $gone = '401 E_TOKEN_INVALID';

my $good = token_of('alice', jti => 'good');


# Checks the result of a token with every worker.
sub holds {
    my ($token, $expected, $name) = @_;

    my ($said, $pids) = each_worker($token);

    is($pids, 2, 'both workers were asked');

    return is_deeply($said, { $expected => 1 }, $name);
}


# As holds(), once the workers have read the list.
sub becomes {
    my ($token, $expected, $name) = @_;

    my $until = time + SOON;

    while (!eq_hash((each_worker($token))[0], { $expected => 1 })
           && time < $until)
    {
        sleep 0.1;
    }

    return holds($token, $expected, $name);
}


# Returns the results, and the number of workers.
sub each_worker {
    my $token = shift;

    my (%said, %pids);
    my $until = time + 10;

    while (keys %pids < 2 && time < $until) {
        my $answer = $client->raw(post('/aee', aee(), token => $token));

        $pids{$answer->{headers}{'x-pid'}} = 1;
        $said{said($answer)} = 1;
    }

    return (\%said, scalar keys %pids);
}


# Waits until a condition is true with every worker.
sub soon {
    my ($so, $name) = @_;

    my $until = time + 15;
    my $times = 0;

    while ($times < 12 && time < $until) {
        # another address each time, so that no address fails too often
        $_->{from} = '127.0.0.' . (2 + ++$serial % 250) for $client, $shows;
        $times = $so->() ? $times + 1 : 0;
        sleep 0.05 if !$times;
    }

    return is($times, 12, $name);
}


sub refused { said($client->raw(post('/aee', aee(), token => $_[0]))) eq $gone }


my $nginx = Parley::Nginx->start(workers => 2, http => http());


subtest 'SEC-16 a principal, a key, a token, on every worker' => sub {
    my $bad = token_of('alice', jti => 'bad');
    my $theirs = 'Bearer ' . token($other, { sub => 'alice', jti => 'bad',
                                            iss => 'https://other.example' });

    holds($_, 202, 'nothing is revoked') for $bad, $theirs;

    revoke(tokens => [{ iss => 'https://id.example', jti => 'bad' }]);
    becomes($bad, $gone, 'the token, also cached');
    holds($good, 202, 'no other of its issuer');
    holds($theirs, 202, "nor another issuer's");

    my $answer = $client->raw(post('/aee', aee(), token => $bad));

    like($answer->{headers}{'www-authenticate'},
         qr/error="invalid_token", error_description="the token is revoked"/,
         'the client is told what to do');

    revoke(kids => [{ iss => 'https://id.example', kid => 'idp-1' }]);
    becomes($_, $gone, 'the key') for $good, $bad;
    holds($theirs, 202, 'not the key of the same id of another issuer');

    revoke(principals => ['alice', 'carol']);
    becomes($_, $gone, 'the principal') for $good, $theirs;
    ok(!refused(token_of('bob')) , 'nobody else');
    ok(refused(token_of('carol')), 'whom no file lists');
    ok(refused(token_of('bob', act => { sub => 'alice' })),
       'nor by a token of another, for whom it acts');

    revoke();
    becomes($_, 202, 'and back') for $good, $bad, $theirs;
};


subtest 'SEC-16 a principal proven by a signature, a certificate or nothing' => sub {
    my $signed = sub { said($client->raw(post('/signed',
                           aee(from => "agent.$_[0]"), as => $_[0],
                           sign => 1, token => 0))) };
    my $certified = sub { said($shows->raw(post('/cert', aee(),
                                                token => 0))) };
    my $believed = sub { said($client->raw(post('/open', aee(),
                                                token => 0))) };

    is($signed->('alice'), 202);
    is($certified->(), 202);
    is($believed->(), 202);

    revoke(principals => ['alice']);
    soon(sub { $signed->('alice') eq '403 E_KEY_UNKNOWN' }, 'by a signature');
    soon(sub { $certified->() eq $gone }, 'by a certificate');
    soon(sub { $believed->() eq '403 E_POLICY_REFUSED' }, 'trusted');
    is($signed->('bob'), 202, 'nobody else');

    revoke(kids => [{ sub => 'alice', kid => 'alice-key' },
                    { sub => 'alice', kid => 'bob-key' },
                    { iss => 'https://id.example', kid => 'bob-key' }]);
    soon(sub { $certified->() eq 202 }, 'a key of hers is no certificate');
    is($signed->('alice'), '403 E_KEY_UNKNOWN', 'her key');
    is($signed->('bob'), 202, "and nobody else's of another name");
    is($believed->(), 202, 'nor who signs nothing');

    revoke();
    soon(sub { $signed->('alice') eq 202 }, 'and back');
};


# Opens a stream with one event and no others; returns its connection.
sub open_stream {
    my %o = @_;

    $service->script(<<'EOT');
        $c->events;
        $c->out('data: ' . jcs(aee(type => 'stream', from => $q->{json}{to},
            to => $q->{json}{from}, corr => $q->{json}{corr},
            payload => { n => 1 })) . "\n\n");
        $c->pause(12);
EOT
    $service->clear;

    my $connection = $client->connect;

    $connection->write(post($o{uri} // '/aee', aee(), token => $good, %o));
    $connection->expect(qr/"n":1/);
    $service->script('$c->take');

    return $connection;
}


sub ends {
    my ($connection, $code, $name) = @_;

    my $began = time;
    my $answer = $connection->answer;

    cmp_ok(time - $began, '<', SOON, "$name: within a second");
    ok($answer->{complete}, "$name: a whole response");
    like($answer->{body}, qr/event: error\n.*$code/s, "$name: that says why");

    return;
}


subtest 'SEC-15 SEC-16 streams end, also without events' => sub {
    my %lists = (
        principal => [principals => ['alice']],
        token     => [tokens => [{ iss => 'https://id.example',
                                   jti => 'good' }]],
        key       => [kids => [{ iss => 'https://id.example',
                                 kid => 'idp-1' }]]);

    for my $name (sort keys %lists) {
        my $connection = open_stream();

        revoke(@{ $lists{$name} });
        ends($connection, 'E_TOKEN_INVALID', $name);

        revoke();
        soon(sub { !refused($good) }, 'and back');
    }

    my $connection = open_stream(uri => '/signed', token => 0, sign => 1);

    revoke(principals => ['alice']);
    ends($connection, 'E_KEY_UNKNOWN', 'by a signature');
    revoke();
    soon(sub { !refused($good) }, 'and back');
};


subtest 'SEC-16 GW-15 workers of an earlier configuration check too' => sub {
    my $connection = open_stream();

    ok($nginx->reload(workers => 2, http => http()), 'reloaded');

    revoke(principals => ['alice']);
    ends($connection, 'E_TOKEN_INVALID', 'a stream of an old worker');
    revoke();
    soon(sub { !refused($good) }, 'and back');
};


subtest 'SEC-16 GW-12 an answer after the revocation is withheld' => sub {
    $service->script(<<'EOT');
        $c->pause(2);
        $c->answer(200, [], jcs(result($q->{json}, payload => {
            secret => 'unheard' })));
EOT
    my $m = aee();
    my $connection = $client->begin('/aee', jcs($m), Authorization => $good);

    ok($service->wait_for(1), 'the service has it');
    revoke(principals => ['alice']);

    my $answer = $connection->answer;

    is(said($answer), $gone, 'the caller hears that it is revoked');
    unlike($answer->{body}, qr/unheard/, 'and not what the service said');
    like($answer->{headers}{'www-authenticate'}, qr/invalid_token/);

    my ($outcome) = grep { /"event":"outcome"/ && /\Q$m->{id}\E/ }
                    split "\n", slurp("$dir/audit.jsonl");
    like($outcome, qr/"outcome":"failed","settled":"taken",
                      "code":"token-invalid","status":401/x,
         'OPS-06 the audit log says what the caller got');

    $service->script('$c->take');
    revoke();
    soon(sub { !refused($good) }, 'and back');

    is(said($client->raw(post('/aee', $m, token => $good))),
       '409 E_MESSAGE_DUPLICATE', 'the service took it: its id is seen');
};


subtest 'SEC-16 a body that arrives slowly' => sub {
    $service->clear;

    my $octets = post('/aee', aee(), token => $good);
    my $connection = $client->connect;

    $connection->write(substr $octets, 0, -20);
    sleep 0.3;
    revoke(principals => ['alice']);
    sleep 1;
    $connection->write(substr $octets, -20);

    is(said($connection->answer), $gone, 'what was proven is asked again');
    is($service->count, 0, 'and nothing has passed');

    revoke();
    soon(sub { !refused($good) }, 'and back');
};


subtest 'SEC-16 GW-24 a message that continues elsewhere' => sub {
    ok($nginx->reload(workers => 2, http => http(<<'EOT')), 'reloaded');
        location /first {
            parley_accept aee;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
            proxy_intercept_errors on;
            error_page 502 = @second;
        }
        location @second {
            parley_accept aee;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT

    $service->clear;
    $service->script('$c->pause(2); $c->answer(502, [], "")');

    my $connection = $client->begin('/first', jcs(aee()),
                                    Authorization => $good);

    ok($service->wait_for(1), 'the first one has it');
    revoke(principals => ['alice']);

    is(said($connection->answer), $gone, 'refused');
    is($service->count, 1, 'the second one does not get it');

    $service->script('$c->take');
    revoke();
    soon(sub { !refused($good) }, 'and back');
};


subtest 'SEC-16 a list that is missing or wrong leaves the last good one'
    => sub {
    my $told = qr/\[error\].*"\Q$dir\E\/revocations\.json" of parley_revocations cannot be used, the last good list stays in force: /;

    revoke(principals => ['alice']);
    soon(sub { refused($good) }, 'a good one');

    my @bad = (['{"principals": []}', qr{/kids "kids" is missing}],
               ['', qr/empty/],
               ['{"principals": ["alice"], "kids": [', qr/invalid JSON/],
               ['{"principals": [], "kids": [], "tokens": [], "x": []}',
                qr{/x unknown member "x"}]);

    for (@bad) {
        my ($text, $why) = @$_;
        my $before = $nginx->logged($told);

        put($text);
        ok($nginx->wait_for($told, $before + 1), 'told');
        sleep 1.2;

        holds($good, $gone, 'still in force');
        is($client->get('/ready')->{status}, 503, 'OPS-03 nobody is ready');
        is($nginx->logged($told), $before + 1, 'told once, by one worker');
        like(($nginx->error_log =~ /$told(.*)/g)[-1], $why, 'with the reason');
    }

    unlink "$dir/revocations.json";
    my $before = $nginx->logged($told);
    ok($nginx->wait_for($told, $before + 1), 'missing');
    sleep 1.2;
    is($nginx->logged($told), $before + 1, 'told once');
    holds($good, $gone, 'still in force');

    revoke(principals => ['alice']);
    ok($nginx->wait_for(qr/parley_revocations can be read again/),
       'the same again');
    like($nginx->error_log, qr/\[warn\].*parley_revocations can be read again/,
         'as loud as a warning');

    $before = $nginx->logged($told);
    put('{');
    ok($nginx->wait_for($told, $before + 1), 'of no use once more');
    sleep 1.2;

    revoke();
    ok($nginx->wait_for(qr/\[warn\].*: 0 revocations of .* are in force/),
       'the list that mends it is told as loud');
    soon(sub { !refused($good) }, 'and a good one comes into force');
    is($client->get('/ready')->{status}, 200, 'OPS-03 ready again');
};


subtest 'SEC-16 a worker that replaces another' => sub {
    revoke(principals => ['alice']);
    soon(sub { refused($good) }, 'revoked');

    my $kill = sub {
        my $pid = $client->raw(post('/aee', aee(), token => token_of('bob')))
                  ->{headers}{'x-pid'};
        my $before = $nginx->logged(qr/start worker process \d+/);

        kill 'KILL', $pid;
        ok($nginx->wait_for(qr/start worker process \d+/, $before + 1),
           'a worker was killed, another one came');
    };

    $kill->();
    sleep 0.5;
    holds($good, $gone, 'it reads the list of now');

    put('no list');
    sleep 1;
    $kill->() for 1 .. 2;
    sleep 0.5;

    my ($seen) = each_worker($good);

    ok(!$seen->{202}, 'and passes nobody where it cannot')
        or diag(explain($seen));
    ok($nginx->wait_for(qr/the last good list is unknown: all are refused/),
       'which is told');

    revoke();
    soon(sub { !refused($good) }, 'until it can');
    sleep 1;
    holds($good, 202, 'everywhere');
};


subtest 'SEC-16 GW-11 a list that is missing or wrong fails the start' => sub {
    my $check = sub { Parley::Nginx->check(http => http()) };

    put(qq({"principals": [],\n "kids": [],\n "tokens": [7]}));
    my ($status, $said) = $check->();
    is($status, 1, 'wrong');
    like($said, qr{revocations\.json" line 3: /tokens/0 an entry is not an object});

    my $http = http();
    unlink "$dir/revocations.json";
    ($status, $said) = Parley::Nginx->check(http => $http);
    is($status, 1, 'missing');
    like($said, qr{open\(\) "\S+/revocations\.json" failed \(2: No such file});

    put('');
    ($status, $said) = $check->();
    is($status, 1, 'empty');
    like($said, qr{revocations\.json": empty});

    revoke();
    ($status, $said) = $check->();
    is($status, 0, 'right') or diag($said);
};


subtest 'SEC-16 GW-27 parley explain' => sub {
    revoke(principals => ['alice']);

    my $http = http();

    $http =~ s/%PORT_(\d+)%/port($1)/ge;
    $http =~ s/%TLS_(?:CERT|KEY)%/x.pem/g;
    spew("$dir/explain.conf", "http {\n$http}\n");
    spew("$dir/message.json", jcs(aee()));

    my ($status, $out, $err) = parley_try('explain', '--conf',
        "$dir/explain.conf", '--location', '/aee', '--token',
        $good =~ s/^Bearer //r, "$dir/message.json");

    isnt($status, 0, 'refused');
    like("$out$err", qr/token-invalid.*the principal is revoked/);

    spew("$dir/message.json", jcs(sign_aee(aee(), person('alice')->{key})));
    ($status, $out, $err) = parley_try('explain', '--conf',
        "$dir/explain.conf", '--location', '/signed', "$dir/message.json");

    isnt($status, 0, 'refused');
    like("$out$err", qr/revocation.*key-unknown.*the sender is revoked/);
};

done_testing;
