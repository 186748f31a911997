# Peers that attack the gateway by MoQ: tokens that are header fields, floods of
# messages that cost the peer little, ends in the middle of work.  The gateway
# does not crash, its memory does not grow, and others are served.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port is_sanitized slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

# messages go there, and the requests of auth_request
my $service = Parley::Upstream->start(port(2), <<'EOF_SCRIPT');
    return $c->answer(204, [], '') if $q->{uri} =~ m{^/check};
    $c->answer(200, [], jcs({ action => $q->{json}{action},
                              session_id => $q->{json}{session_id},
                              status => 'approved',
                              payload => { of => $q->{json}{payload}{of} } }));
EOF_SCRIPT

my $nginx = Parley::Nginx->start(workers => 2,
    main => 'worker_shutdown_timeout 10s;', http => moq_http(
    more => 'parley_retain count=1000 time=1h;', messages => '/service',
    locations => <<'EOF_LOCATIONS'));
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /fast {
            parley_jwt on;
            parley_moq messages=/slow;
        }
        location = /slow {
            parley_jwt on;
            parley_rate 1r/m;
            parley_submit moq aee;
        }
        location = /hub {
            parley_jwt on;
            parley_moq messages=/agents/moq;
        }
        location = /asks {
            auth_request /check;
            parley_jwt on;
            parley_moq messages=/service;
        }
        location = /check {
            internal;
            proxy_pass http://127.0.0.1:%PORT_2%;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
        }
EOF_LOCATIONS
my $moq = Parley::Moq->new;
my $client = Parley::Client->new(port => port(3), tls => 0);
my $number = 0;


sub agent {
    my ($name, %o) = @_;

    my $c = $moq->connect("$name#" . ++$number, token => undef, %o);

    $c->init or $moq->show;

    return $c;
}


sub works {
    my $name = shift;

    my $c = agent('viewer');
    my $answer = $c->call({ action => 'zoom', payload => { of => $name } });

    is(($answer // {})->{json}{payload}{of}, $name, $name) or $moq->show;
    $c->close;
}


# Octets of memory of the largest worker.
sub memory {
    my ($max) = sort { $b <=> $a } map {
        slurp("/proc/$_/status") =~ /^VmRSS:\s+(\d+)/m ? $1 * 1024 : 0;
    } grep { -e "/proc/$_/status" }
      $nginx->error_log =~ /start worker process (\d+)/g;

    return $max;
}


subtest 'MOQ-06 a token is not a header field' => sub {
    my @tokens = ("x\r\nX-Evil: 1", "x\nX-Evil: 1", "x\r\n\r\nGET /evil ",
                  "x\0y", "x y", "x\x7f", "\xe9", 'x' x 100_000);

    for my $token (@tokens) {
        my $c = $moq->connect('camera#' . ++$number, token => undef,
                              path => '/asks');

        # before a proof little is kept of a command
        if (length $token > 60_000) {
            $c->init(token => $token, answers => 'no');
            is($c->closed, 'UNAUTHORIZED', 'a long session_init');
            next;
        }

        my $ack = $c->init(token => $token);

        is(($ack // {})->{json}{status}, 'denied', 'session_init is denied')
            or $moq->show;
        $c->close;

        $c = $moq->connect('camera#' . ++$number, path => '/asks',
                           token => $token);
        is($c->closed, 'MALFORMED_AUTH_TOKEN', 'CLIENT_SETUP is refused');
    }

    my @asked = grep { $_->{uri} =~ /check|evil/ } $service->requests;

    is(scalar(grep { $_->{headers}{'x-evil'} || $_->{uri} =~ /evil/ } @asked),
       0, 'nothing of it reaches the service of auth_request');
    is(scalar(@asked), 0, 'which is not asked');

    my $c = agent('camera', path => '/asks');

    is($c->call({ action => 'zoom' })->{json}{status}, 'approved',
       'a token of this location');
    ok(scalar(grep { $_->{uri} =~ /check/ } $service->requests),
       'for which the service is asked');
    $c->close;
};


subtest 'MOQ-14 commands above the rate' => sub {
    my $c = agent('camera', path => '/fast');
    my $answer;

    $answer = $c->call({ action => 'zoom', aee => { recipient => 'viewer' } })
        for 1 .. 2;

    is_deeply(($answer // {})->{json},
              { action => 'zoom', status => 'error', error_code => 429,
                session_id => $c->{session_id} }, 'the answer is a command')
        or $moq->show;
    $c->close;
};


subtest 'MOQ-12 recipients that are too long' => sub {
    my $c = agent('camera', path => '/hub');
    my $answer = $c->call({ action => 'zoom',
                            aee => { recipient => 'agent.' . 'x' x 5000 } });

    is(($answer // {})->{json}{status}, 'error', 'recipient')
        or $moq->show;
    is(($answer // {})->{json}{error_code}, 413, 'status 413');

    my $ack = $moq->connect('camera#' . ++$number, token => undef)
                  ->init(payload => { peer => 'agent.' . 'x' x 5000 });

    is(($ack // {})->{json}{status}, 'denied', 'peer') or $moq->show;
    $c->close;
};


subtest 'MOQ-06 MOQ-16 a connection without a proof' => sub {
    my $c = $moq->connect('camera#' . ++$number, token => undef);

    $c->track;
    $c->do('stream', as => "early$_", header => { track_alias => $c->{track} },
           objects => [{ payload => 'x' x 10, length => 20 }]) for 1 .. 4;
    $c->do('open', as => "half$_", octets => "\x18") for 1 .. 4;

    my %stopped;

    $stopped{($c->event('stop') // last)->{id}} = 1 for 1 .. 4;
    is(scalar(keys %stopped), 4, 'four streams are read, others are stopped');
    is($c->closed(8), 'UNAUTHORIZED', 'and nothing is proved in time');

    # requests that are not whole
    $c = $moq->connect('camera#' . ++$number, token => undef);
    $c->setup;
    $c->do('open', kind => 'bidi', as => "part$_", octets => "\x11\xff\xff")
        for 1 .. 5;
    is($c->closed(3), 'UNAUTHORIZED', 'five requests that are not whole');
    works('another agent works');
};


subtest 'MOQ-17 heartbeats without a reader of their answers' => sub {
    my $c = $moq->connect('camera#' . ++$number, token => undef,
                          max_request_id => undef);

    ok($c->track, 'a track');
    $c->cmd({ action => 'session_init', session_id => 'unread',
              auth_token => moq_token('camera') },
            session_id => '00000000000000aa');
    $moq->sync;

    my $beat = frame_octets('', type => 4, session => "\0" x 7 . "\xaa");
    my $before = memory();

    # 120 000 objects of 23 octets
    $c->do('stream', as => "beats$_",
           header => { track_alias => $c->{track}, group => 10 + $_ },
           objects => [map { { payload => $beat } } 1 .. 2000], fin => 1)
        for 1 .. 60;

    sleep 4;
    $moq->sync;
    cmp_ok(memory() - $before, '<', 4 << 20, 'memory does not grow')
        if !is_sanitized();

    # they are acknowledged when the agent subscribes
    my $ok = $c->subscribe('parley.unread.cmd');

    is($ok->{message}, 'SUBSCRIBE_OK', 'SUBSCRIBE') or $moq->show;

    my $acknowledged = 0;

    $c->event('object', sub { $_[0]{frame}{type} eq 'HEARTBEAT' }) // last,
        $acknowledged++ for 1 .. 5000;

    is($acknowledged, 5000, 'and then they go on');
    $c->do('close');
    works('another agent works');
};


subtest 'MOQ-17 session_init that are refused' => sub {
    my $before = memory();

    for my $way (undef, 1000) {
        my $c = $moq->connect('camera#' . ++$number, token => undef,
                              max_request_id => $way);

        my $ack = $c->init(answers => 'subscribe');

        is(($ack // {})->{json}{status}, 'approved', 'a session')
            or $moq->show;

        # Session ID zero is denied, each time in another session_id
        $c->do('stream', as => "n$_",
               header => { track_alias => $c->{track}, group => 0 + $_ },
               fin => 1,
               objects => [map { { frame => {
                   type => 'CMD', session_id => '0' x 16, stream_id => 1,
                   payload => jcs({ action => 'session_init',
                                    session_id => uuid4() . 'x' x 200 })
               } } } 1 .. 500])
            for 1 .. 12;

        my $answer = $c->call({ action => 'zoom' });

        is(($answer // {})->{json}{status}, 'approved', 'an answer then')
            or $moq->show;
        $c->do('close');
        $c->closed;
    }

    cmp_ok(memory() - $before, '<', 4 << 20, 'memory does not grow')
        if !is_sanitized();
    works('another agent works');
};


subtest 'MOQ-13 the token of another principal renews nothing' => sub {
    my $planner = agent('planner');
    my $viewer = agent('viewer', path => '/hub');
    my $post = sub {
        my ($to, $text) = @_;

        return $client->post('/agents/aee',
                             jcs(aee(from => 'agent.planner', to => $to,
                                     payload => { text => $text })),
                             Authorization => bearer('planner'))->{status};
    };
    my $mail = sub {
        my $text = shift;

        return $viewer->event('cmd', sub {
            my $payload = $_[0]{json}{payload};

            return ref $payload eq 'HASH' && ($payload->{text} // '') eq $text;
        });
    };

    is($viewer->subscribe($viewer->{mailbox})->{message}, 'SUBSCRIBE_OK',
       'a mailbox');
    $viewer->cmd({ action => 'session_init', payload => {},
                   session_id => $viewer->{session_id},
                   auth_token => moq_token('camera') });

    my $ack = $viewer->answer(action => 'session_ack');

    is(($ack // {})->{json}{status}, 'denied', 'it is denied')
        or $moq->show;
    is($post->('agent.viewer', 'look'), 202, 'a task');
    ok($mail->('look'), 'the mailbox goes on') or $moq->show;
    is(scalar(grep { ($_->{message}{track_name} // '') =~ /mailbox/
                     && $_->{message}{track_name} ne $viewer->{mailbox}
                     && $_->{on} eq $viewer->name } $moq->sync), 0,
       'no other one is offered');
    $_->close for $viewer, $planner;
};


subtest 'MOQ-17 the end of a connection that fetches' => sub {
    my $end = 0;

    # answers to the planner's tasks have a reader
    my $planner = agent('planner');

    # the mailbox of camera has more than a peer takes at once
    for my $n (1 .. 100) {
        my $m = aee(from => 'agent.planner', to => 'agent.camera',
                    payload => { text => "n$n " . 'x' x 2000 });
        my $answer = $client->post('/agents/aee', jcs($m),
                                   Authorization => bearer('planner'));

        $end++ if $answer->{status} < 300;
    }

    is($end, 100, 'messages');

    for my $how (qw(close drop reset close drop cancel setup)) {
        my $c = agent('camera', path => '/hub', max_data => 20000,
                      max_stream_data => 20000);

        $c->do('withhold');
        $c->send('FETCH', fetch_type => 1,
                 track_namespace => ['a2a', 'parley'],
                 track_name => $c->{mailbox},
                 start_location => { group => 0, object => 0 },
                 end_location => { group => 1 << 30, object => 0 })
            for 1 .. 3;
        $c->message('FETCH_OK') if $how =~ /reset|cancel|drop/;

        if ($how eq 'reset') {
            $c->do('reset', stream => 'control');
        } elsif ($how eq 'setup') {
            $c->octets("\x20\x00\x01\x00");
        } elsif ($how eq 'cancel') {
            $c->send('FETCH_CANCEL', request_id => 2);
            $moq->sync;
            $c->do('close');
        } elsif ($how eq 'close') {
            $c->do('close');
        } else {
            $moq->sync;
            $c->do('drop');
            next;
        }

        ok($c->closed, "$how: it ends");
    }

    $planner->close;
    works('another agent works');
};


subtest 'MOQ-18 streams that end while the gateway leaves' => sub {
    my @agents = map { agent('camera') } 1 .. 6;

    # a POST that runs keeps the connections of the old workers
    $service->script('$c->pause(2); $c->answer(200, [], jcs({
        action => "slow", session_id => $q->{json}{session_id},
        status => "approved" }))');
    $_->cmd({ action => 'slow', session_id => $_->{session_id} }) for @agents;
    $moq->sync;
    ok($nginx->reload, 'reload');

    my $gone = 0;

    for my $c (@agents) {
        $gone++ if $c->message('GOAWAY');
        $c->octets('', fin => 1);
    }

    is($gone, 6, 'GOAWAY');
    $moq->sync;
    sleep 0.2;
    $_->do('close') for @agents;
    sleep 3;

    $service->script('$c->answer(200, [], jcs({
        action => "zoom", session_id => $q->{json}{session_id},
        status => "approved",
        payload => { of => $q->{json}{payload}{of} } }))');
    works('another agent works');
};


subtest 'the gateway goes on' => sub {
    my $log = $nginx->error_log;

    $log =~ s/^.*\[alert\].*(?:open socket|aborting).*\n//mg;
    unlike($log, qr/\[emerg\]|exited on signal/, 'no process ended');
    unlike($log, qr/\[alert\]/, 'no alert');
};



subtest 'MOQ-21 FETCH of an agent that has all its streams' => sub {
    $nginx->stop;
    $nginx = Parley::Nginx->start(http => moq_http(
        more => 'parley_retain count=100 time=1h; parley_connections 1;'));

    my $c = agent('camera');

    $c->subscribe($c->{mailbox});
    is($c->call({ action => 'note', aee => { recipient => 'camera' } })
       ->{json}{status}, 'accepted', 'a message that is retained');

    my $error = $c->ask('FETCH', fetch_type => 1,
                        track_namespace => ['a2a', 'parley'],
                        track_name => $c->{mailbox},
                        start_location => { group => 0, object => 0 },
                        end_location => { group => 1, object => 0 });

    is(($error // {})->{message}, 'REQUEST_ERROR', 'it is refused');
    is(($error // {})->{error_code}, 0, 'INTERNAL_ERROR: nothing is lost')
        or $moq->show;
};


# Starts a gateway with one worker of so many connections.
sub restart {
    my $connections = shift;

    $nginx->stop;
    $nginx = Parley::Nginx->start(connections => $connections,
        http => moq_http(messages => '/service',
                         locations => <<'EOF_LOCATIONS'));
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOF_LOCATIONS
}


# Opens streams that say nothing more, as many as the gateway lets.
sub half_open {
    for my $c (@_) {
        $c->do('open', as => "half$_", octets => "\x18" . chr $c->{track})
            for 1 .. 110;
        $c->do('open', kind => 'bidi', as => "ask$_", octets => "\x11")
            for 1 .. 110;
    }

    $moq->sync;
    $_->event('stop') for @_;
}


subtest 'MOQ-12 more streams at once than at first' => sub {
    restart(1024);

    my $c = agent('camera');

    $c->do('open', as => "half$_", octets => "\x18" . chr $c->{track})
        for 1 .. 40;

    my $answer = $c->call({ action => 'zoom', payload => { of => 'wide' } });

    is(($answer // {})->{json}{payload}{of}, 'wide', 'the limit has risen')
        or $moq->show;

    for my $n (1 .. 40) {
        $answer = $c->call({ action => 'zoom', payload => { of => $n } })
            // last;
    }

    is(($answer // {})->{json}{payload}{of}, 40, 'closed streams return');
    $c->close;
};


subtest 'MOQ-17 streams of clients that would fill the worker' => sub {
    restart(512);

    my $viewer = agent('viewer');
    my @agents = map { agent('camera') } 1 .. 8;

    half_open(@agents);

    for my $n (1 .. 5) {
        my $answer = $viewer->call({ action => 'zoom',
                                     payload => { of => $n } });

        is(($answer // {})->{json}{payload}{of}, $n, 'another agent works')
            or $moq->show;
    }

    works('and can connect');
    is(scalar(grep { defined $_->closed(0) } @agents, $viewer), 0,
       'no connection is closed');
    is($nginx->logged(qr/worker_connections are not enough/), 0,
       'connections are free');

    $_->do('close') for @agents, $viewer;
};


done_testing();
