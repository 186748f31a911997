# What a client may expect that knows MoQ Transport and Agent Protocol from their
# drafts alone: FETCH beside a subscription, updates, ends of streams and tracks,
# answers that tell when to ask again.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

# the service of auth_request
my $service = Parley::Upstream->start(port(2), <<'EOF_SCRIPT');
    $c->pause(0.5);
    $c->answer(204);
EOF_SCRIPT

my $nginx = Parley::Nginx->start(http => moq_http(
    zone => 'agents:16m', moq => 'tracks=8',
    more => 'parley_retain count=1000 time=1h;',
    rules => 'parley_allow type=subscribe to=agent.camera principal=viewer;',
    locations => <<'EOF_LOCATIONS'));
        location = /slow {
            auth_request /check;
            parley_jwt on;
            parley_moq messages=/agents/moq;
            parley_allow type=subscribe to=agent.camera;
        }
        location = / {
            parley_jwt on;
            parley_moq messages=/agents/moq;
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
my $video = 'camera.1.video';
my $space = ['a2a', 'camera'];
my $number = 0;


# Returns a connection with an agent session.
sub agent {
    my ($name, %o) = @_;

    my $c = $moq->connect("$name#" . ++$number, %o);

    $c->init or $moq->show;

    return $c;
}


sub order {
    my ($to, @texts) = @_;

    for my $text (@texts) {
        my $m = aee(from => 'agent.planner', to => "agent.$to",
                    payload => { text => $text });
        my $answer = $client->post('/agents/aee', jcs($m),
                                   Authorization => bearer('planner'));

        die "$answer->{status} $answer->{body}\n" if $answer->{status} > 299;
    }
}


sub param {
    my ($m, $type) = @_;

    my ($pair) = grep { $_->{type} eq $type } @{ $m->{parameters} // [] };

    return $pair;
}

sub filter { return { type => 'SUBSCRIPTION_FILTER', filter => @_ } }
sub forward { return { type => 'FORWARD', value => shift } }


# Fetches; returns the answer and the texts.
sub fetch {
    my ($c, %m) = @_;

    my $answer = $c->ask('FETCH', fetch_type => 1,
                         track_namespace => ['a2a', 'parley'],
                         track_name => $c->{mailbox}, %m) // return;

    return ($answer) if $answer->{message} ne 'FETCH_OK';

    my $id = $answer->{request_id};

    $c->event('fin', sub {
        (($_[0]{header} // {})->{request_id} // -1) == $id }) or return;

    my @texts;

    while (my $cmd = $c->event('cmd', sub {
        ($_[0]{request_id} // -1) == $id }, 0)) {
        push @texts, $cmd->{json}{payload}{text};
    }

    return ($answer, @texts);
}

sub at { return { group => $_[0], object => $_[1] // 0 } }


# Publishes the opaque track of camera.
sub publish {
    my $c = shift;

    $c->{video} = ++$c->{alias};

    return $c->ask('PUBLISH', track_namespace => $space, track_name => $video,
                   track_alias => $c->{video}, @_);
}

sub watch {
    my ($c, @parameters) = @_;

    return $c->subscribe($video, space => $space, parameters => \@parameters);
}

# Sends frames on a new stream, or on one that has that name already.
sub send_video {
    my ($c, $as, $group, $texts, %o) = @_;

    my @objects = map { { frame => {
        type => $o{type} // 'STREAM', stream_id => 1, payload => $_,
        session_id => $c->{id} } } } @$texts;

    return $c->do('object', stream => $as, objects => \@objects,
                  fin => $o{fin} // 0) if $o{more};

    return $c->do('stream', as => $as, fin => $o{fin} // 0,
                  header => { track_alias => $c->{video}, group => $group },
                  objects => \@objects);
}

# Returns the payload of the next object that is not a CMD.
sub video {
    my ($c, $seconds) = @_;

    my $event = $c->event('object', sub {
        ($_[0]{frame}{type} // 'CMD') ne 'CMD' }, $seconds);

    return $event && $event->{frame}{payload};
}


# answers to the planner's tasks have a reader
my $planner = agent('planner');


subtest 'MOQ-15 MOQ-21 a Joining FETCH ends where its subscription begins'
        => sub {
    my $c = agent('viewer');

    order('viewer', map { "a$_" } 1 .. 3);

    my $ok = $c->subscribe($c->{mailbox}, parameters => [
        filter('LARGEST_OBJECT') ]);
    my $largest = (param($ok, 'LARGEST_OBJECT') // {})->{location};

    ok($largest, 'LARGEST_OBJECT') or return $moq->show;
    order('viewer', map { "b$_" } 1 .. 2);
    ok($c->mail('b2'), 'messages of the subscription');

    for ([2, 0, 'relative'], [3, $largest->{group}, 'absolute']) {
        my ($type, $start, $name) = @$_;
        my ($answer, @texts) = fetch($c, fetch_type => $type,
            joining_request_id => 0 + $ok->{request_id}, joining_start => $start);

        is_deeply(\@texts, [qw(a1 a2 a3)], "$name: no message comes twice")
            or diag explain [$answer, @texts];
        is_deeply($answer->{end_location},
                  at($largest->{group}, $largest->{object} + 1),
                  "$name: End Location");
    }

    is((fetch($c, fetch_type => 2, joining_request_id => 0,
              joining_start => 0))[0]{error_code}, 0x32,
       'INVALID_JOINING_REQUEST_ID: a request that is not a subscription');
    $c->close;

    # nothing was published when it began

    $c = agent('camera');
    $ok = $c->subscribe($c->{mailbox});
    is(param($ok, 'LARGEST_OBJECT'), undef, 'an empty mailbox');
    order('camera', 'late');
    ok($c->mail('late'), 'a message');
    is((fetch($c, fetch_type => 2, joining_request_id => 0 + $ok->{request_id},
              joining_start => 0))[0]{error_code}, 0x11, 'INVALID_RANGE');
    $c->close;
};


subtest 'MOQ-12 a Joining FETCH of another filter' => sub {
    my $c = agent('viewer');
    my $ok = $c->subscribe($c->{mailbox}, parameters => [
        filter('NEXT_GROUP_START') ]);

    $c->send('FETCH', fetch_type => 2, joining_start => 0,
             joining_request_id => 0 + $ok->{request_id});
    is($c->closed, 'PROTOCOL_VIOLATION', 'ends the session');
    like($c->reason, qr/^FETCH: Joining Request ID: /, 'with the reason');
};


subtest 'MOQ-12 MOQ-15 ranges and orders' => sub {
    my $c = agent('viewer');

    order('viewer', map { "c$_" } 1 .. 300);

    my $end = param($c->ask('TRACK_STATUS', track_name => $c->{mailbox},
                            track_namespace => ['a2a', 'parley']),
                    'LARGEST_OBJECT')->{location};
    my $last = $end->{group};

    cmp_ok($last, '>', 0, 'several groups') or return;

    for ([$last, $last - 1, 'it ends before it begins'],
         [0, $last - 1, 'it is over'])
    {
        my ($start, $group, $name) = @$_;

        is($c->subscribe($c->{mailbox}, parameters => [
               filter('ABSOLUTE_RANGE', start => at($start),
                      end_group => $group) ])->{error_code},
           0x11, "$name: INVALID_RANGE");
    }

    my %down = (parameters => [{ type => 'GROUP_ORDER', value => 2 }]);

    is((fetch($c, start_location => at($last - 1), end_location => $end,
              %down))[0]{error_code}, 3,
       'FETCH of several groups in descending order: NOT_SUPPORTED');
    is((fetch($c, start_location => at($last), end_location => $end,
              %down))[0]{message}, 'FETCH_OK', 'of one group');
    $c->close;
};


subtest 'MOQ-12 MOQ-15 FORWARD and UNSUBSCRIBE reset an open group' => sub {
    my $c = agent('viewer');
    my $ok = $c->subscribe($c->{mailbox});
    my $id = 0 + $ok->{request_id};
    my $update = sub {
        return $c->ask('REQUEST_UPDATE', existing_request_id => $id,
                       parameters => [forward(shift)]);
    };

    order('viewer', 'one');

    my $one = $c->mail('one') or return $moq->show;

    is($update->(0)->{message}, 'REQUEST_OK', 'FORWARD 0');
    order('viewer', 'two');

    my $reset = $c->event('reset', sub { $_[0]{id} == $one->{id} });

    is(($reset // {})->{code}, 1, 'a message that is left out: CANCELLED');

    my $told = $update->(1);
    my $largest = (param($told, 'LARGEST_OBJECT') // {})->{location};

    ok($largest, 'REQUEST_OK has LARGEST_OBJECT') or diag explain $told;
    order('viewer', 'three');

    my $three = $c->mail('three') or return $moq->show;

    isnt($three->{id}, $one->{id}, 'a later one has another stream');
    is_deeply([(fetch($c, start_location => at($one->{group},
                                               $one->{object} + 65536),
                      end_location => at($largest->{group},
                                         $largest->{object} + 1)))[1 .. 1]],
              ['two'], 'the place of the lost one is known');

    $c->send('UNSUBSCRIBE', request_id => $id);
    $reset = $c->event('reset', sub { $_[0]{id} == $three->{id} });
    is(($reset // {})->{code}, 1, 'UNSUBSCRIBE: CANCELLED') or $moq->show;
    is($c->subscribe($c->{mailbox})->{message}, 'SUBSCRIBE_OK',
       'and it can be subscribed again');
    $c->close;
};


subtest 'MOQ-12 an update of another request' => sub {
    my $c = agent('viewer');

    is($c->ask('REQUEST_UPDATE', existing_request_id => 0)->{error_code}, 3,
       'of PUBLISH: NOT_SUPPORTED');
    $c->send('PUBLISH_DONE', request_id => 0, status_code => 2,
             stream_count => 1, error_reason => '');
    is($c->ask('REQUEST_UPDATE', existing_request_id => 0)->{error_code}, 0x10,
       'of one that has ended: DOES_NOT_EXIST');
    $c->close;
};


subtest 'MOQ-12 MOQ-16 the FORWARD state of a publisher' => sub {
    my $viewer = agent('viewer');
    my $camera = agent('camera');

    is((param(publish($camera), 'FORWARD') // {})->{value}, 0,
       'nobody reads: 0');

    my $ok = watch($viewer);

    is($ok->{message}, 'SUBSCRIBE_OK', 'a subscription');
    is((param($camera->message('REQUEST_UPDATE'), 'FORWARD') // {})->{value},
       1, 'then 1, by REQUEST_UPDATE');
    is(publish($camera)->{error_code}, 0x19,
       'a second PUBLISH of the connection: DUPLICATE_SUBSCRIPTION');

    my $other = agent('camera');

    is((param(publish($other), 'FORWARD') // {})->{value}, 1,
       'a later publisher of a track that is read: 1 at once');
    send_video($other, 'now', 1, ['new']);
    is(video($viewer), 'new', 'and its objects come');
    $_->close for $camera, $other;

    is(($viewer->message('PUBLISH_DONE') // {})->{status_code}, 2,
       'the track ends');

    # a publisher that permits no request cannot be asked later

    my $mute = $moq->connect('camera#' . ++$number, max_request_id => undef);

    ok($mute->init(answers => 'subscribe'), 'no requests are permitted');
    is((param(publish($mute), 'FORWARD') // {})->{value}, 1, 'then 1 at once');
    is(watch($viewer)->{message}, 'SUBSCRIBE_OK', 'a subscription');
    send_video($mute, 'mute', 2, ['heard']);
    is(video($viewer), 'heard', 'has its objects');
    $_->close for $mute, $viewer;
};


subtest 'MOQ-16 streams that PUBLISH_DONE has overtaken' => sub {
    my $viewer = agent('viewer');
    my $camera = agent('camera');
    my $id = 0 + publish($camera)->{request_id};

    watch($viewer);
    $camera->message('REQUEST_UPDATE');
    send_video($camera, 'first', 1, ['one'], type => 'DATA');
    is(video($viewer), 'one', 'an object');

    $camera->send('PUBLISH_DONE', request_id => $id, status_code => 2,
                  stream_count => 2, error_reason => '');
    $moq->sync;
    send_video($camera, 'first', 1, ['two'], more => 1, fin => 1,
               type => 'DATA');
    is(video($viewer), 'two', 'the rest of an open stream');
    send_video($camera, 'second', 2, ['three'], fin => 1, type => 'DATA');
    is(video($viewer), 'three', 'a stream that begins later');

    my $done = $viewer->message('PUBLISH_DONE');

    is($done->{status_code}, 2, 'then PUBLISH_DONE');
    is($done->{stream_count}, 2, 'with the number of streams');

    # the streams that it counts may never come

    $id = 0 + publish($camera)->{request_id};
    is(watch($viewer)->{message}, 'SUBSCRIBE_OK', 'published again');
    $camera->send('PUBLISH_DONE', request_id => $id, status_code => 2,
                  stream_count => 9, error_reason => '');
    is(($viewer->message('PUBLISH_DONE') // {})->{status_code}, 2,
       'PUBLISH_DONE without them');

    # a command

    $camera->send('PUBLISH_DONE', request_id => 0, status_code => 2,
                  stream_count => 2, error_reason => '');
    $moq->sync;
    is($camera->call({ action => 'note' })->{json}{status}, 'accepted',
       'a command that PUBLISH_DONE of its track has overtaken');
    $_->close for $viewer, $camera;
};


subtest 'MOQ-12 MOQ-16 a subscription to an opaque track' => sub {
    my $viewer = agent('viewer');
    my $camera = agent('camera');

    publish($camera);

    my $ok = watch($viewer, filter('ABSOLUTE_START', start => at(100)));
    my $id = 0 + $ok->{request_id};
    my $update = sub {
        return $viewer->ask('REQUEST_UPDATE', existing_request_id => $id,
                            parameters => [@_])->{message};
    };

    $camera->message('REQUEST_UPDATE');
    is($update->(filter('LARGEST_OBJECT')), 'REQUEST_OK', 'another filter');
    send_video($camera, 'stream', 7, ['one']);
    is(video($viewer), 'one', 'has its effect');

    is($update->(forward(0)), 'REQUEST_OK', 'FORWARD 0');
    send_video($camera, 'stream', 7, ['two'], more => 1);
    is(($viewer->event('reset') // {})->{code}, 1,
       'an object that is left out: CANCELLED');
    is($update->(forward(1)), 'REQUEST_OK', 'FORWARD 1');
    send_video($camera, 'stream', 7, ['three'], more => 1, fin => 1);
    is(video($viewer), 'three', 'a later one has another stream');

    is($viewer->ask('FETCH', fetch_type => 2, joining_request_id => $id,
                    joining_start => 0)->{error_code}, 3,
       'a Joining FETCH: NOT_SUPPORTED');
    $viewer->send('UNSUBSCRIBE', request_id => $id);
    is(watch($viewer, filter('ABSOLUTE_RANGE', start => at(5),
                             end_group => 4))->{error_code},
       0x11, 'a range that ends before it begins: INVALID_RANGE');

    is(watch($viewer, filter('ABSOLUTE_RANGE', start => at(0),
                             end_group => 4))->{message},
       'SUBSCRIBE_OK', 'another one');
    send_video($camera, 'last', 4, ['four']);
    is(video($viewer), 'four', 'the last group');
    send_video($camera, 'after', 5, ['five']);
    send_video($camera, 'last', 4, ['more'], more => 1, fin => 1);
    is(video($viewer), 'more', 'goes on beside a later one');
    $viewer->event('fin');
    send_video($camera, 'after', 5, ['six'], more => 1);
    is(($viewer->message('PUBLISH_DONE') // {})->{status_code}, 3,
       'then the subscription ends');
    $camera->close;

    my $error = watch($viewer);

    is($error->{error_code}, 0x10, 'no publisher: DOES_NOT_EXIST');
    is($error->{retry_interval}, 1001, 'it may be tried again');
    $viewer->close;
};


subtest 'MOQ-06 MOQ-07 the token of a subscribe_request' => sub {
    my $token = moq_token('viewer');
    my $c = $moq->connect('viewer#' . ++$number, token => $token);

    $c->init(token => $token);

    my %ask = (action => 'subscribe_request', subscriber_id => 'viewer',
               track_name => $video);

    is($c->call({ %ask, auth_token => $token })->{json}{status}, 'approved',
       'the token of the session');

    for my $bad ('abc', moq_token('camera')) {
        my $json = $c->call({ %ask, auth_token => $bad })->{json};

        is($json->{action}, 'track_ready', 'another one: track_ready');
        is($json->{status}, 'denied', 'denied');
        is($json->{error_code}, 401, 'error_code');
    }

    delete $ask{track_name};

    my $json = $c->call(\%ask)->{json};

    is($json->{action}, 'track_ready', 'without track_name: track_ready');
    is($json->{status}, 'error', 'error');
    $c->close;
};


subtest 'MOQ-06 requests wait for the proof of the token in CLIENT_SETUP'
        => sub {
    my $c = $moq->connect('camera#' . ++$number, path => '/slow');

    ok($c->setup, 'SERVER_SETUP');
    is(publish($c)->{message}, 'PUBLISH_OK', 'PUBLISH of an opaque track');
    is($c->subscribe($video, space => $space)->{message}, 'SUBSCRIBE_OK',
       'SUBSCRIBE');
    $c->close;

    $c = $moq->connect('viewer#' . ++$number, path => '/slow');
    ok($c->setup, 'SERVER_SETUP');

    my $request = $c->next_request;

    $c->do('open', kind => 'bidi', as => 'list', message => {
        message => 'SUBSCRIBE_NAMESPACE', request_id => 0 + $request,
        track_namespace_prefix => ['a2a'], subscribe_options => 1,
        parameters => [] });
    ok($c->message('REQUEST_OK', request_id => $request),
       'SUBSCRIBE_NAMESPACE');
    $c->close;

    $c = $moq->connect('viewer#' . ++$number, path => '/slow', token => 'bad');
    is($c->closed, 'UNAUTHORIZED', 'a token that is refused');
};


subtest 'MOQ-08 the endpoint of the draft has no PATH' => sub {
    for my $path (undef, '/') {
        my $c = $moq->connect('viewer#' . ++$number, path => $path);

        ok($c->setup, ($path // 'no PATH') . ': the location "/"');
        is($c->init->{json}{status}, 'approved', 'session_ack');
        $c->close;
    }
};


subtest 'the gateway goes on' => sub {
    unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
           'no process ended');
};

done_testing();
