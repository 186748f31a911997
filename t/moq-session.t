# Agent sessions on a connection of MoQ: session_init and its proof, one principal
# for a connection, renewal, session_bye, the end of a token, Session ID zero.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

my $service = Parley::Upstream->start(port(2), <<'EOF_SCRIPT');
    $c->answer(200, [], jcs({ action => $q->{json}{action},
                              session_id => $q->{json}{session_id},
                              status => 'approved' }));
EOF_SCRIPT

my $dir = tmp_dir();


# Replaces the list of revocations, as an operator does.
sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [@_], kids => [],
                                       tokens => [] }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

revoke();

my $parent = Parley::Upstream->start(port(5));
my $client = Parley::Client->new(port => port(1));
my $moq = Parley::Moq->new;
my $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
    messages => '/service',
    identities => moq_identities(camera => { parent => 'planner' }),
    more => "parley_revocations $dir/revocations.json;",
    locations => <<'EOF_LOCATIONS'));
        location = /denied {
            parley_jwt on;
            parley_moq messages=/service;
            parley_deny type=session_init protocol=moq principal=viewer;
            parley_allow type=subscribe to=agent.planner;
        }
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /to-vcp {
            parley_jwt on;
            parley_accept aee;
            parley_speak vcp;
            proxy_pass http://127.0.0.1:%PORT_5%;
        }
        location = /control {
            parley_jwt on;
            parley_control;
            parley_allow type=control scope=ops:control;
        }
        location = /stateless {
            parley_jwt on;
            parley_moq messages=/service stateless=on;
        }
        location = /two {
            parley_jwt on;
            parley_moq messages=/service sessions=2;
        }
        location = /short {
            parley_jwt on;
            parley_moq messages=/service age=3s;
        }
EOF_LOCATIONS

my $number = 0;

# Connects as an agent, without a token in SETUP, and makes the track of its
# commands known.
sub agent {
    my ($name, %o) = @_;

    my $c = $moq->connect("$name#" . ++$number, token => undef, %o);

    $c->setup or $moq->show;

    return $c;
}


# Returns the answer of a denied session_init, [status, error_code].
sub verdict {
    my $ack = shift // return 'no session_ack';

    return [@{ $ack->{json} }{qw(status error_code)}];
}


# Whether a CMD of the connection's session reaches the service.
sub works {
    my ($c, $name) = @_;

    my $answer = $c->call({ action => 'zoom' });

    is(($answer // {})->{json}{status}, 'approved', $name) or $moq->show;
}


for my $way (qw(publish namespace)) {
    for my $answers (qw(publish subscribe)) {
        subtest "MOQ-05 MOQ-13 $way, answers by $answers" => sub {
            my $c = agent('camera');
            my $ack = $c->init(way => $way, answers => $answers,
                               session_id => "abc-$way-$answers");

            ok($ack, 'session_ack') or return $moq->show;
            is($ack->{json}{action}, 'session_ack', 'action');
            is($ack->{json}{session_id}, "abc-$way-$answers", 'session_id');
            is($ack->{json}{status}, 'approved', 'status');
            is($ack->{session_id}, $c->{id}, 'Session ID');
            is($ack->{stream_id}, 1, 'Stream ID');
            is($ack->{group}, 0, 'the first group');
            is($ack->{object}, 0, 'the first object');
            like($ack->{json}{payload}{mailbox},
                 qr/^camera\.[0-9a-f]+\.mailbox$/, 'the mailbox');
            works($c, 'a CMD in the session');
            $c->close;
        };
    }
}


subtest 'MOQ-05 a rule denies session_init' => sub {
    my $denied = agent('viewer', path => '/denied')->init;
    my $allowed = agent('camera', path => '/denied')->init;

    is_deeply(verdict($denied), ['denied', 403], 'to one principal');
    is(($allowed // {})->{json}{status}, 'approved',
       'and not to another, without a rule that allows it');
};


subtest 'MOQ-06 no frame before a proof' => sub {
    my $before = $service->count;
    my $c = agent('camera', auto => { PUBLISH => 'ok' });

    ok($c->track, 'the track');
    $c->{id} = '0102030405060708';
    $c->cmd({ action => 'early', session_id => 's-early' });
    $c->frame(type => 'HEARTBEAT');

    # a bad token, then a good one
    my $ack = $c->init(session_id => 's-early', id => '0102030405060708',
                       token => moq_token('camera', exp => time - 60));
    is_deeply(verdict($ack), ['denied', 401], 'an expired token');

    $c->cmd({ action => 'early', session_id => 's-early' });
    $ack = $c->init(session_id => 's-late', id => '0102030405060709');
    is(($ack // {})->{json}{status}, 'approved', 'a valid token')
        or return $moq->show;
    works($c, 'a CMD in the session');

    is($service->count, $before + 1, 'no other CMD reached the service');
    is_deeply([map { $_->{json}{action} } ($service->requests)[$before]],
              ['zoom'], 'the CMD of the session');
    $c->close;
};


subtest 'MOQ-06 a command before its session leaves the track of answers' => sub {
    my $c = agent('camera');

    $c->track;
    is($c->subscribe('parley.s-track.cmd')->{message}, 'SUBSCRIBE_OK',
       'the track');
    $c->{id} = '0102030405060711';
    $c->cmd({ action => 'early', session_id => 's-track' });
    is(($c->answer(action => 'early') // {})->{json}{error_code}, 401,
       'a command that is refused') or $moq->show;
    is(($c->init(session_id => 's-track', answers => 'no')
        // {})->{json}{status}, 'approved', 'then session_init');
    works($c, 'and a CMD');
    ok($c->without('message', sub {
        $_[0]{message}{message} eq 'PUBLISH_DONE';
    }), 'the track goes on');
    $c->close;
};


subtest 'MOQ-06 MOQ-13 a token in another request' => sub {
    my $c = agent('camera');
    my $token = moq_token('camera');
    my $with = sub {
        return (parameters => [{ type => 'AUTHORIZATION_TOKEN',
                                 alias_type => $_[1] // 'USE_VALUE',
                                 token_type => 0, token_alias => 1,
                                 token_value => $_[0] }]);
    };
    my $opaque = sub {
        return ($c->ask('PUBLISH', track_namespace => ['a2a', 'camera'],
                        track_name => 'camera.1.video',
                        track_alias => 90 + ++$number, @_)
                // {});
    };

    $c->init(token => $token);

    is($opaque->($with->(moq_token('viewer')))->{error_code}, 1,
       'of another principal: UNAUTHORIZED');
    is($opaque->($with->($token))->{message}, 'PUBLISH_OK', 'the same token');
    is($c->subscribe('parley.x.cmd', $with->('bad token'))->{error_code}, 4,
       'MALFORMED_AUTH_TOKEN');
    is($c->ask('PUBLISH_NAMESPACE', track_namespace => ['a2a', 'camera'],
               $with->($token . 'x'))->{error_code}, 1, 'PUBLISH_NAMESPACE');
    is($c->ask('TRACK_STATUS', track_namespace => ['a2a', 'parley'],
               track_name => 'x', $with->('x'))->{error_code}, 1,
       'TRACK_STATUS');
    works($c, 'the session goes on');

    $c->send('SUBSCRIBE', track_namespace => ['a2a', 'parley'],
             track_name => 'x', $with->($token, 'REGISTER'));
    is($c->closed, 'AUTH_TOKEN_CACHE_OVERFLOW', 'REGISTER');

    $c = agent('camera');
    $c->send('SUBSCRIBE', track_namespace => ['a2a', 'parley'],
             track_name => 'x', $with->(undef, 'USE_ALIAS'));
    is($c->closed, 'UNKNOWN_AUTH_TOKEN_ALIAS', 'an alias');
};


subtest 'MOQ-06 MOQ-13 tokens that are refused' => sub {
    my %bad = (
        'expired' => [moq_token('camera', exp => time - 60), 401],
        'of another issuer' =>
            [token(new_key('ed25519', 'idp-1'), { sub => 'camera' }), 401],
        'no JWT' => ['abc', 401],
        'of another agent' => [moq_token('viewer'), 403],
    );

    for my $name (sort keys %bad) {
        my ($token, $code) = @{ $bad{$name} };
        my $c = agent('camera');

        is_deeply(verdict($c->init(token => $token)), ['denied', $code],
                  "a token $name");
        ok($c->message('PUBLISH_DONE'), 'the track of answers ends');
        $c->close;
    }

    my $c = agent('camera');
    ok($c->track, 'the track');
    is($c->closed, 'UNAUTHORIZED', 'no proof within 5 seconds');
};


subtest 'MOQ-13 one principal' => sub {
    my $c = agent('camera');
    ok($c->init, 'a session of camera');

    my $answer = $c->track(agent => 'viewer', alias => 9);
    is($answer->{message}, 'REQUEST_ERROR', "a track of viewer's namespace");
    is($answer->{error_code}, 1, 'UNAUTHORIZED');
    is($c->ask('PUBLISH_NAMESPACE', track_namespace => ['a2a', 'viewer'])
       ->{error_code}, 1, "viewer's namespace");
    is($c->ask('PUBLISH_NAMESPACE', track_namespace => ['a2a', 'camera', 'x'])
       ->{error_code}, 1, 'a longer namespace');
    is($c->ask('PUBLISH_NAMESPACE', track_namespace => ['a2a', 'Camera'])
       ->{error_code}, 1, 'another case of letters');
    is($c->ask('PUBLISH', track_namespace => ['a2a', 'parley'],
               track_name => 'parley.x.cmd', track_alias => 77)
       ->{error_code}, 1, "the gateway's namespace");

    $c->{track} = 1;
    is_deeply(verdict($c->init(token => moq_token('viewer'))),
              ['denied', 403], 'a token of viewer on the track of camera');
    $c->close;
};


subtest 'MOQ-13 several sessions' => sub {
    my $c = agent('camera', auto => { PUBLISH => 'ok' });
    my $first = $c->init(session_id => 'one', id => '0000000000000001');

    is($first->{json}{status}, 'approved', 'the first one');
    is_deeply(verdict($c->init(session_id => 'one',
                               id => '0000000000000002', answers => '')),
              ['denied', 409], 'its session_id with another Session ID');
    is_deeply(verdict($c->init(session_id => 'two',
                               id => '0000000000000001', answers => '')),
              ['denied', 409], 'its Session ID with another session_id');

    my $second = $c->init(session_id => 'two', id => '0000000000000002');

    is(($second // {})->{json}{status}, 'approved', 'a second one')
        or $moq->show;
    works($c, 'a CMD of the second');

    my $n = $c->cmd({ action => 'zoom', session_id => 'one' },
                    session_id => '0000000000000001');
    my $answer = $c->event('cmd', sub { $_[0]{stream_id} == $n });

    is(($answer // {})->{session_id}, '0000000000000001',
       'a CMD of the first');
    is($answer->{track_alias}, $first->{track_alias}, 'on its own track');
    isnt($second->{track_alias}, $first->{track_alias}, 'and no other');
    $c->close;

    $c = agent('camera', path => '/two');
    is($c->init->{json}{status}, 'approved', "session $_ of two") for 1, 2;
    is_deeply(verdict($c->init), ['denied', 429], 'a third one');
    $c->close;
};


subtest 'MOQ-13 a Session ID of another connection' => sub {
    my $camera = agent('camera');
    my $viewer = agent('viewer', auto => { PUBLISH => 'ok' });

    ok($camera->init(id => '00000000000000aa'), 'a session of camera');
    ok($viewer->init(id => '00000000000000bb'), 'a session of viewer');

    my $before = $service->count;
    my $n = $viewer->cmd({ action => 'zoom',
                           session_id => $camera->{session_id} },
                         session_id => '00000000000000aa');
    my $answer = $viewer->event('cmd', sub { $_[0]{stream_id} == $n });

    is(($answer // {})->{json}{status}, 'denied', 'is refused');
    is($answer->{json}{error_code}, 401, 'with 401');
    is($service->count, $before, 'and reaches nobody');
    $_->close for $camera, $viewer;
};


subtest 'MOQ-13 renewal' => sub {
    my $c = agent('camera');

    ok($c->init(token => moq_token('camera', exp => time + 4)),
       'a token of four seconds');

    my $until = time + 6;
    my $n = $c->cmd({ action => 'session_init',
                      session_id => $c->{session_id},
                      auth_token => moq_token('camera') });

    is($c->event('cmd', sub { $_[0]{stream_id} == $n })->{json}{status},
       'approved', 'a newer one');

    $n = $c->cmd({ action => 'session_init', session_id => $c->{session_id},
                   auth_token => moq_token('viewer') });
    is($c->event('cmd', sub { $_[0]{stream_id} == $n })->{json}{status},
       'denied', 'one of another principal');

    ok($c->without('cmd', undef, $until - time),
       'the session outlives the first token');
    works($c, 'a CMD after it');
    $c->close;
};


subtest 'MOQ-05 session_bye' => sub {
    my $c = agent('camera');
    my $ack = $c->init;

    $c->cmd({ action => 'session_bye', session_id => $c->{session_id} });

    my $done = $c->message('PUBLISH_DONE');

    is(($done // {})->{status_code}, 2, 'TRACK_ENDED') or $moq->show;
    is($done->{stream_count}, 1, 'one stream');
    ok($c->event('fin', sub { $_[0]{id} == $ack->{id} }), 'which ends');

    my $before = $service->count;
    $c->cmd({ action => 'zoom', session_id => $c->{session_id} });

    ok($c->init, 'another session of the connection');
    works($c, 'a CMD of it');
    is($service->count, $before + 1, 'the session that ended sends nothing');
    $c->close;
};


subtest 'MOQ-13 the end of a token' => sub {
    my $ends = sub {
        my ($c, $name, $code) = @_;

        my $bye = $c->answer(action => 'session_bye');

        ok($bye, "$name: session_bye") or return $moq->show;
        is($bye->{json}{session_id}, $c->{session_id}, "$name: session_id");
        is($bye->{json}{error_code}, $code, "$name: error_code");
        is($bye->{session_id}, $c->{id}, "$name: Session ID");
        ok($c->message('PUBLISH_DONE'), "$name: PUBLISH_DONE");
        $c->close;
    };

    my $c = agent('camera');
    ok($c->init(token => moq_token('camera', exp => time + 3)), 'a session');
    $ends->($c, 'expiry', 401);

    $c = agent('viewer');
    ok($c->init, 'a session');
    revoke('viewer');
    $ends->($c, 'revocation', 401);
    revoke();
};


# After an emergency the commands of the agent are refused until its parent or an
# operator resumes it.  It keeps its session, by which it hears that.
subtest 'VCP-26 MOQ-14 a suspended principal' => sub {
    my $c = agent('camera');
    my $planner = agent('planner');

    ok($c->init, 'a session of camera');
    ok($planner->init, 'a session of planner');
    works($c, 'a CMD');

    my $answer = $client->post('/to-vcp', jcs(aee(
        from => 'agent.camera', to => 'agent.planner', priority => 'urgent',
        intent => 'vcp.escalation',
        payload => escalation(severity => 'emergency',
                              requires_ack => true)->{payload})),
        Authorization => bearer('camera'));

    cmp_ok($answer->{status}, '<', 300, 'an emergency by HTTP')
        or diag($answer->{body});

    my $before = $service->count;
    my $other = agent('camera');

    ok($other->init, 'a new session');

    for my $of (['the session', $c], ['a new session', $other]) {
        my ($name, $session) = @$of;
        my $json = ($session->call({ action => 'zoom' }) // {})->{json};

        is($json->{status}, 'denied', "a CMD of $name");
        is($json->{error_code}, 403, "$name: error_code");
        is($json->{payload}{code}, 'agent-suspended', "$name: code");
    }

    is($service->count, $before, 'nothing reaches the service');
    works($planner, 'another principal goes on');

    $answer = $client->send('DELETE', '/control?sub=camera', '',
        Authorization => bearer('planner', scope => 'ops:control'));
    is($answer->{status}, 200, 'an operator resumes it')
        or diag($answer->{body});

    works($c, 'a later CMD of the session');
    works($other, 'and of the new one');
    $_->close for $c, $other, $planner;
};


subtest 'MOQ-13 the age of a connection' => sub {
    my $c = agent('camera', path => '/short');

    ok($c->init, 'a session');
    is($c->closed(10) // 'goes on', 'NO_ERROR', 'ends after 3 seconds')
        or $moq->show;
};


subtest 'MOQ-11 Session ID zero' => sub {
    my $zero = '0000000000000000';
    my $before = $service->count;
    my $c = $moq->connect('camera#' . ++$number,
                          auto => { PUBLISH => 'ok' });

    ok($c->init, 'a session');

    my $n = $c->cmd({ action => 'zoom' }, session_id => $zero);
    my $answer = $c->event('cmd', sub { $_[0]{stream_id} == $n });

    is(($answer // {})->{json}{error_code}, 401, 'not allowed here');
    is_deeply(verdict($c->init(id => $zero, session_id => 'zero',
                               answers => '')), ['denied', 400],
              'no session has it');
    $c->close;

    $c = agent('camera', path => '/stateless');
    ok($c->init, 'a session');
    $n = $c->cmd({ action => 'zoom' }, session_id => $zero);
    $answer = $c->event('cmd', sub { $_[0]{stream_id} == $n });
    is(($answer // {})->{json}{error_code}, 401,
       'stateless, without a token in SETUP');
    $c->close;

    is($service->count, $before, 'none of them reached the service');

    $c = $moq->connect('camera#' . ++$number, path => '/stateless');
    ok($c->setup && $c->track, 'a track');
    $c->cmd({ action => 'fire' }, session_id => $zero);
    ok($service->wait_for($before + 1), 'stateless, with one');
    is($service->last->{json}{action}, 'fire', 'the command');
    $c->close;
};


subtest 'the gateway goes on' => sub {
    unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
           'no process ended');
    unlike($nginx->error_log, qr/eyJ/, 'no token in the log');
};


done_testing();
