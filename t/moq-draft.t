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

plan skip_all => moq_lacks() if moq_lacks();

my $nginx = Parley::Nginx->start(http => moq_http(
    zone => 'agents:16m', moq => 'tracks=8',
    more => 'parley_retain count=1000 time=1h;',
    rules => 'parley_allow type=subscribe to=agent.camera principal=viewer;'));

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


# Waits for the CMD with a text.
sub mail {
    my ($c, $text, $seconds) = @_;

    return $c->event('cmd', sub {
        my $payload = $_[0]{json}{payload};

        return ref $payload eq 'HASH' && ($payload->{text} // '') eq $text;
    }, $seconds);
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
    ok(mail($c, 'b2'), 'messages of the subscription');

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
    ok(mail($c, 'late'), 'a message');
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


subtest 'MOQ-12 MOQ-15 FORWARD and UNSUBSCRIBE reset an open group' => sub {
    my $c = agent('viewer');
    my $ok = $c->subscribe($c->{mailbox});
    my $id = 0 + $ok->{request_id};
    my $update = sub {
        return $c->ask('REQUEST_UPDATE', existing_request_id => $id,
                       parameters => [forward(shift)]);
    };

    order('viewer', 'one');

    my $one = mail($c, 'one') or return $moq->show;

    is($update->(0)->{message}, 'REQUEST_OK', 'FORWARD 0');
    order('viewer', 'two');

    my $reset = $c->event('reset', sub { $_[0]{id} == $one->{id} });

    is(($reset // {})->{code}, 1, 'a message that is left out: CANCELLED');

    my $told = $update->(1);
    my $largest = (param($told, 'LARGEST_OBJECT') // {})->{location};

    ok($largest, 'REQUEST_OK has LARGEST_OBJECT') or diag explain $told;
    order('viewer', 'three');

    my $three = mail($c, 'three') or return $moq->show;

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


subtest 'the gateway goes on' => sub {
    unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
           'no process ended');
};

done_testing();
