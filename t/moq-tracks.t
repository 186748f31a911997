# Opaque tracks over MoQ: the right to publish and to read them, the way of
# their objects, with one worker and with two, and peers that are slow or die.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp tmp_dir);
use Parley::Moq;
use Parley::Nginx;

plan skip_all => moq_lacks() if moq_lacks();

my $video = 'camera.1.video';
my $space = ['a2a', 'camera'];
my $log = tmp_dir() . '/pid.log';
my $moq = Parley::Moq->new;
my ($nginx, $n);


# Starts nginx with that many workers.
sub gateway {
    my ($workers, %o) = @_;

    return Parley::Nginx->start(workers => $workers, http => moq_http(
        moq => 'lag=64k object=64k tracks=8', zone => 'agents:16m',
        rules => 'parley_allow type=subscribe to=agent.camera '
                 . 'principal=viewer;', %o));
}


# Returns a connection with an agent session.
sub agent {
    my ($agent, %o) = @_;

    my $c = $moq->connect("$agent#" . ++$n, idle => 60, %o);

    ok($c->init, "$agent: a session") or $moq->show;

    return $c;
}


# Publishes a track; its alias is that of the next streams.
sub publish {
    my ($c, $name, %o) = @_;

    $c->{video} = ++$c->{alias};

    return $c->ask('PUBLISH', track_namespace => $o{space} // $space,
                   track_name => $name, track_alias => $c->{video});
}


sub watch {
    my ($c, %o) = @_;

    return $c->subscribe($o{name} // $video, space => $o{space} // $space);
}


# Sends objects of frames on a stream.
sub send_video {
    my ($c, $group, $texts, %o) = @_;

    my $as = 'video' . ++$n;

    $c->do('stream', as => $as, fin => $o{fin} // 1,
           header => { track_alias => $o{alias} // $c->{video},
                       group => $group, priority => $o{priority} // 7,
                       type => $o{header} // 0x18 },
           objects => [map { { frame => {
               type => $o{type} // 'STREAM', payload => $_,
               stream_id => $group, flags => $o{flags} // 0,
               session_id => $o{id} // $c->{id} } } } @$texts]);

    return $as;
}


# Returns the payload of the next object of a subscription.
sub video {
    my ($c, $alias, $seconds) = @_;

    my $event = $c->event('object', sub {
        ($_[0]{track_alias} // -1) == $alias
            && ($_[0]{frame}{type} // '') ne 'CMD';
    }, $seconds);

    return $event && $event->{frame}{payload};
}


for my $workers (1, 2) {
    $nginx->stop if $nginx;
    $nginx = gateway($workers);

    subtest "MOQ-07 MOQ-16 a track and its subscribers, workers: $workers"
            => sub {
        my $camera = agent('camera');
        my $ok = publish($camera, $video);

        is($ok->{message}, 'PUBLISH_OK', 'PUBLISH is accepted');
        is_deeply([map { $_->{value} }
                   grep { $_->{type} eq 'FORWARD' } @{ $ok->{parameters} }],
                  [0], 'no object is wanted yet');

        my @viewers = map { agent('viewer') } 1 .. 4;
        my %alias;

        for my $viewer (@viewers) {
            my $answer = watch($viewer);

            is($answer->{message}, 'SUBSCRIBE_OK', 'a subscription')
                or $moq->show;
            $alias{$viewer->name} = $answer->{track_alias};
        }

        my $update = $camera->message('REQUEST_UPDATE');

        is_deeply([map { $_->{value} }
                   grep { $_->{type} eq 'FORWARD' }
                   @{ $update->{parameters} }],
                  [1], 'the publisher is asked for objects');

        send_video($camera, 3, [qw(one two three)]);

        for my $viewer (@viewers) {
            is(join(' ', map { video($viewer, $alias{$viewer->name}) // '' }
                         1 .. 3), 'one two three', 'objects in their order');

            my $fin = $viewer->event('fin', sub {
                ($_[0]{header}{track_alias} // -1) == $alias{$viewer->name};
            });

            is($fin->{header}{group}, 3, 'the group');
            is($fin->{header}{priority}, 7, 'the priority');
        }

        # a stream that breaks off

        my $as = send_video($camera, 4, ['whole'], fin => 0);
        my $first = $viewers[0];

        is(video($first, $alias{$first->name}), 'whole', 'an object');
        $camera->do('reset', stream => $as);
        is($first->event('reset')->{header}{group}, 4, 'RESET is passed on');

        # the end of a subscription, and of the track

        my $gone = shift @viewers;

        $gone->send('UNSUBSCRIBE', request_id => 0);
        $moq->sync;
        $gone->close;

        send_video($camera, 5, ['four']);

        for my $viewer (@viewers) {
            video($viewer, $alias{$viewer->name}) for 1;
            is(video($viewer, $alias{$viewer->name}), 'four', 'others go on');
        }

        $camera->close;

        for my $viewer (@viewers) {
            is($viewer->message('PUBLISH_DONE')->{status_code}, 2,
               'the track has ended');
            is(watch($viewer)->{error_code}, 0x10, 'DOES_NOT_EXIST');
            $viewer->close;
        }
    };

    subtest "MOQ-16 a later publisher has the track, workers: $workers"
            => sub {
        my $camera = agent('camera');
        my $viewer = agent('viewer');

        publish($camera, $video);

        my $alias = watch($viewer)->{track_alias};
        my $other = agent('camera');

        $camera->message('REQUEST_UPDATE');

        my $ok = publish($other, $video);

        is($ok->{message}, 'PUBLISH_OK', 'PUBLISH');
        ok($camera->message('UNSUBSCRIBE'), 'the earlier one ends');
        is_deeply([map { $_->{value} }
                   grep { $_->{type} eq 'FORWARD' } @{ $ok->{parameters} }],
                  [1], 'the later one sends');
        send_video($other, 1, ['new']);
        is(video($viewer, $alias), 'new', 'the subscriber has its objects');

        $_->close for $camera, $other, $viewer;
    };
}


subtest 'MOQ-07 MOQ-13 MOQ-16 the right to publish and to read' => sub {
    my $early = $moq->connect('camera#early', token => undef);

    is(publish($early, $video)->{error_code}, 1,
       'before the proof: UNAUTHORIZED');
    is(watch($early)->{error_code}, 1, 'nor may it read');
    $early->close;

    my $camera = agent('camera');

    is(publish($camera, 'viewer.1.video', space => ['a2a', 'viewer'])
       ->{error_code}, 1, 'in the namespace of another: UNAUTHORIZED');
    is(publish($camera, 'viewer.1.video')->{error_code}, 3,
       'with the name of another: NOT_SUPPORTED');
    is(publish($camera, $video)->{message}, 'PUBLISH_OK', 'its own');

    my $planner = agent('planner');

    is(watch($planner)->{error_code}, 1, 'no rule: UNAUTHORIZED');
    is(watch($planner, name => 'nobody.1.video', space => ['a2a', 'nobody'])
       ->{error_code}, 1, 'an agent that is not there: the same');

    my $answer = $planner->call({ action => 'subscribe_request',
                                  track_name => $video,
                                  subscriber_id => 'planner' });

    is($answer->{json}{action}, 'track_ready', 'subscribe_request');
    is($answer->{json}{status}, 'denied', 'is denied');
    $answer = $planner->call({ action => 'subscribe_request',
                               track_name => $video,
                               subscriber_id => 'viewer' });
    is($answer->{json}{status}, 'denied', 'also in the name of another');

    my $viewer = agent('viewer');

    $answer = $viewer->call({ action => 'subscribe_request',
                              track_name => $video,
                              subscriber_id => 'viewer' });
    is($answer->{json}{status}, 'approved', 'allowed') or diag explain $answer;
    is($answer->{json}{track_url}, "moq://track/$video", 'track_url');

    is(watch($viewer, name => 'camera.2.video')->{error_code}, 0x10,
       'a track that is not published: DOES_NOT_EXIST');

    my $status = sub {
        return shift->ask('TRACK_STATUS', track_namespace => $space,
                          track_name => shift) // {};
    };

    is($status->($viewer, $video)->{message}, 'REQUEST_OK', 'TRACK_STATUS');
    is($status->($viewer, 'camera.2.video')->{error_code}, 0x10,
       'of another track: DOES_NOT_EXIST');
    is($status->($planner, $video)->{error_code}, 1,
       'without a rule: UNAUTHORIZED');
    ok($camera->without('message', sub {
        $_[0]{message}{message} eq 'REQUEST_UPDATE';
    }), 'the publisher is not asked to send');
    is(watch($viewer)->{message}, 'SUBSCRIBE_OK', 'SUBSCRIBE');
    is(watch($viewer)->{error_code}, 0x19, 'twice: DUPLICATE_SUBSCRIPTION');

    $answer = $viewer->call({ action => 'unsubscribe_request',
                              track_name => $video });
    is($answer->{json}{status}, 'approved', 'unsubscribe_request');
    is($viewer->message('PUBLISH_DONE')->{status_code}, 3,
       'SUBSCRIPTION_ENDED');

    is($viewer->ask('FETCH', fetch_type => 1, track_namespace => $space,
                    track_name => $video,
                    start_location => { group => 0, object => 0 },
                    end_location => { group => 1, object => 0 })
       ->{error_code}, 3, 'FETCH of an opaque track: NOT_SUPPORTED');

    $_->close for $camera, $planner, $viewer;
};


subtest 'MOQ-06 MOQ-16 frames that are not relayed' => sub {
    my $camera = agent('camera');
    my $viewer = agent('viewer');

    publish($camera, $video);

    my $alias = watch($viewer)->{track_alias};

    $camera->message('REQUEST_UPDATE');

    send_video($camera, 1, ['x'], id => '00000000000000ff');
    is($camera->event('cmd', sub { $_[0]{json}{action} eq 'error' })
       ->{json}{error_code}, 401, 'a Session ID that is not open');
    send_video($camera, 2, ['{}'], type => 'CMD');
    is($camera->event('cmd', sub { $_[0]{json}{action} eq 'error' })
       ->{json}{error_code}, 400, 'a command');
    send_video($camera, 3, ['x' x 70_000]);
    send_video($camera, 4, ['good'], flags => 3);
    is(video($viewer, $alias), 'good', 'only a good one comes');

    $camera->do('stream', as => 'raw', fin => 1,
                header => { track_alias => $camera->{video}, group => 5 },
                objects => [{ payload => 'no frame' }]);
    is($camera->event('cmd', sub { $_[0]{json}{action} eq 'error' })
       ->{json}{error_code}, 400, 'no frame');
    send_video($camera, 6, ['better'], type => 'DATA');
    is(video($viewer, $alias), 'better', 'the next one comes');

    # a publisher that dies in the middle of an object

    send_video($camera, 7, ['first'], fin => 0);
    is(video($viewer, $alias), 'first', 'an object');
    $camera->octets("\x01\x40\x64half", stream => "video$n");
    $camera->close;
    ok($viewer->message('PUBLISH_DONE'), 'the track ends');
    ok($viewer->event('reset'), 'its stream is reset');
    $viewer->close;
};


subtest 'MOQ-12 MOQ-16 a malformed track' => sub {
    my $camera = agent('camera');
    my $viewer = agent('viewer');

    publish($camera, $video);
    watch($viewer);
    $camera->message('REQUEST_UPDATE');

    # a gap that is longer than all before
    $camera->do('open', as => 'gap', octets => "\x19" . chr($camera->{video})
                . "\x00\x80\x00\x02\x3c\x05\x01x");
    ok($camera->message('UNSUBSCRIBE'), 'the track ends');
    is($viewer->message('PUBLISH_DONE')->{status_code}, 0x12,
       'MALFORMED_TRACK');
    is(publish($camera, $video)->{message}, 'PUBLISH_OK',
       'the connection goes on');
    $_->close for $camera, $viewer;
};


subtest 'MOQ-07 a namespace that is announced' => sub {
    my $camera = agent('camera');
    my $viewer = agent('viewer');

    is($camera->ask('PUBLISH_NAMESPACE', track_namespace => $space)
       ->{message}, 'REQUEST_OK', 'PUBLISH_NAMESPACE');
    $camera->message('SUBSCRIBE', track_name => 'camera.0.cmd');

    my $id = $viewer->send('SUBSCRIBE', track_namespace => $space,
                           track_name => $video);
    my $m = $camera->message('SUBSCRIBE', track_name => $video);

    ok($m, 'the gateway subscribes');
    $camera->send('SUBSCRIBE_OK', request_id => $m->{request_id},
                  track_alias => 99);

    my $ok = $viewer->message('SUBSCRIBE_OK', request_id => $id);

    ok($ok, 'the subscriber is told');
    send_video($camera, 1, ['one'], alias => 99);
    is(video($viewer, $ok->{track_alias}), 'one', 'an object');

    $viewer->close;
    ok($camera->message('UNSUBSCRIBE'), 'and it ends with the subscriber');
    $camera->close;
};


subtest 'MOQ-07 MOQ-16 another connection announces the namespace' => sub {
    my @camera = map { agent('camera') } 1, 2;
    my $viewer = agent('viewer');

    for my $c (@camera) {
        is($c->ask('PUBLISH_NAMESPACE', track_namespace => $space)->{message},
           'REQUEST_OK', 'PUBLISH_NAMESPACE');
        $c->message('SUBSCRIBE', track_name => 'camera.0.cmd');
    }

    is(($camera[0]->message('PUBLISH_NAMESPACE_CANCEL') // {})->{error_code},
       0x20, 'the earlier one gets PUBLISH_NAMESPACE_CANCEL');

    my $id = $viewer->send('TRACK_STATUS', track_namespace => $space,
                           track_name => $video);
    my $m = $camera[1]->message('SUBSCRIBE', track_name => $video);

    ok($m, 'the later one is asked');
    $camera[1]->send('SUBSCRIBE_OK', request_id => $m->{request_id},
                     track_alias => 99);
    ok($viewer->message('REQUEST_OK', request_id => $id), 'TRACK_STATUS');
    is($camera[0]->ask('PUBLISH_NAMESPACE', track_namespace => $space)
       ->{message}, 'REQUEST_OK', 'it may be announced again');
    ok($camera[1]->message('PUBLISH_NAMESPACE_CANCEL'), 'and taken back');
    $_->close for @camera, $viewer;
};


subtest 'MOQ-07 MOQ-16 a namespace without the track' => sub {
    my $camera = agent('camera');

    $camera->ask('PUBLISH_NAMESPACE', track_namespace => $space);
    $camera->message('SUBSCRIBE', track_name => 'camera.0.cmd');

    my $viewer = agent('viewer');
    my $id = $viewer->send('SUBSCRIBE', track_namespace => $space,
                           track_name => $video);
    my $m = $camera->message('SUBSCRIBE', track_name => $video);

    $camera->send('REQUEST_ERROR', request_id => $m->{request_id},
                  error_code => 0x10, retry_interval => 0,
                  error_reason => '');
    is($viewer->message('REQUEST_ERROR', request_id => $id)->{error_code},
       0x10, 'the agent does not have the track: DOES_NOT_EXIST');

    $id = $viewer->send('SUBSCRIBE', track_namespace => $space,
                        track_name => $video);
    ok($camera->message('SUBSCRIBE', track_name => $video), 'asked again');
    is($viewer->message('REQUEST_ERROR', request_id => $id)->{error_code},
       2, 'the agent does not answer: TIMEOUT');

    $_->close for $camera, $viewer;
};


for my $type ('DATA', 'STREAM') {
    subtest "MOQ-10 MOQ-16 a subscriber that does not read, $type" => sub {
        my $camera = agent('camera');
        my $quick = agent('viewer');
        my $slow = agent('viewer');

        publish($camera, $video);

        my $alias = watch($quick)->{track_alias};
        my $late = watch($slow)->{track_alias};

        $camera->message('REQUEST_UPDATE');
        $slow->do('mute');

        for (1 .. 9) {
            send_video($camera, $_, [sprintf('%03d', $_) . 'x' x 20_000],
                       type => $type);
            is(substr(video($quick, $alias) // '', 0, 3),
               sprintf('%03d', $_), 'the other one has all')
                or do { $moq->show; last };
        }

        $slow->do('mute', off => 1);

        if ($type eq 'DATA') {
            is($slow->message('PUBLISH_DONE')->{status_code}, 6,
               'TOO_FAR_BEHIND');
        } else {
            is($slow->event('reset', sub { $_[0]{code} == 2 })->{code}, 2,
               'late streams are reset');
            sleep 1;
            send_video($camera, 10, ['010']);

            my $got;

            while (defined($got = video($slow, $late))) {
                last if substr($got, 0, 3) eq '010';
            }

            is($got, '010', 'and it goes on with the newest group');
        }

        $_->close for $camera, $quick, $slow;
    };
}


# Returns the process that has a connection.
sub worker_of {
    my $c = shift;

    $c->call({ action => 'note', aee => { recipient => 'viewer' } });

    return (split ' ', slurp($log))[-1];
}


subtest 'MOQ-16 the worker of a publisher is killed' => sub {
    $nginx->stop;
    $nginx = gateway(2, more => "log_format pid '\$pid'; "
                                . "access_log $log pid;");

    my $viewer = agent('viewer');
    my $worker = worker_of($viewer);
    my ($camera, $victim);

    for (1 .. 20) {
        $camera = agent('camera');
        $victim = worker_of($camera);
        last if $victim != $worker;
        $camera->close;
    }

    plan skip_all => 'one worker has all connections' if $victim == $worker;

    publish($camera, $video);

    my $alias = watch($viewer)->{track_alias};

    $camera->message('REQUEST_UPDATE');
    send_video($camera, 1, ['one']);
    is(video($viewer, $alias), 'one', 'an object');

    kill 'KILL', $victim;
    $camera->do('drop');
    is(($viewer->message('PUBLISH_DONE', seconds => 30) // {})->{status_code},
       2, 'TRACK_ENDED');
    is(watch($viewer)->{error_code}, 0x10, 'then DOES_NOT_EXIST');

    $camera = agent('camera');
    is(publish($camera, $video)->{message}, 'PUBLISH_OK', 'published again');
    $alias = watch($viewer)->{track_alias};
    $camera->message('REQUEST_UPDATE');
    send_video($camera, 2, ['two']);
    is(video($viewer, $alias), 'two', 'and read again');

    $_->close for $camera, $viewer;
};


$nginx->stop;

done_testing;
