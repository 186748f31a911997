# The mailbox of an agent on MoQ: messages of other protocols arrive as CMD, by
# PUBLISH, by SUBSCRIBE and by FETCH; a place is a location; an agent that comes
# back goes on where it was.

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

my $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
    zone => 'agents:32m share=50%',
    more => 'parley_retain count=1000 time=1h;'));
my $moq = Parley::Moq->new;
my $client = Parley::Client->new(port => port(3), tls => 0);
my $number = 0;


sub agent {
    my ($name, %o) = @_;

    my $init = delete $o{init} // {};
    my $c = $moq->connect("$name#" . ++$number, token => undef, %o);

    $c->setup;
    $c->{ack} = $c->init(%$init) or $moq->show;

    return $c;
}


# A task of AEE from the planner.
sub task {
    my ($to, $text, %o) = @_;

    return aee(from => 'agent.planner', to => "agent.$to",
               payload => { text => $text }, %o);
}

sub post_task {
    my $m = shift;

    my $answer = $client->post('/agents/aee', jcs($m),
                               Authorization => bearer('planner'));

    cmp_ok($answer->{status}, '<', 300, "$m->{payload}{text} is posted")
        or diag($answer->{body});

    return $m;
}


# Accepts the mailbox; when this returns, the gateway has read it.
sub take_mailbox {
    my $c = shift;

    my $m = $c->accept($c->{mailbox}, parameters => [
        { type => 'FORWARD', value => 1 } ]);

    $c->ask('TRACK_STATUS', track_namespace => ['a2a', 'parley'],
            track_name => $c->{mailbox});

    return $m;
}


# answers to the planner's tasks have a reader
my $planner = agent('planner');

subtest 'MOQ-15 MOQ-19 by PUBLISH' => sub {
    my $c = agent('camera');
    my $m = take_mailbox($c);

    ok($m, 'PUBLISH of the mailbox') or return $moq->show;
    is_deeply($m->{track_namespace}, ['a2a', 'parley'], 'namespace');
    is_deeply([grep { $_->{type} eq 'FORWARD' } @{ $m->{parameters} }],
              [{ type => 'FORWARD', value => 0 }], 'FORWARD is 0');

    my $sent = post_task(task('camera', 'look left'));
    my $got = $c->mail('look left');

    ok($got, 'the task arrives as CMD') or return $moq->show;
    is($got->{session_id}, '0000000000000000', 'Session ID zero');
    is($got->{json}{session_id}, $sent->{corr}, 'session_id: the correlation');
    is($got->{json}{action}, 'ops.backup.run', 'action: the intent');
    is($got->{object} % 65536, 0, 'fragment 0');
    is($got->{json}{aee}{id}, $sent->{id}, 'the message is in it');

    my $viewer = agent('viewer');
    take_mailbox($viewer);
    post_task(task('camera', 'look right'));
    ok($c->mail('look right'), 'a second one');
    ok($viewer->without('cmd'), 'no other agent gets it');
    $_->close for $c, $viewer;
};


subtest 'MOQ-15 a caller of AEE gets the answer' => sub {
    my $c = agent('camera');
    take_mailbox($c);

    my $task = task('camera', 'what do you see');
    my $connection = $client->connect;

    $connection->write($client->request('POST', '/ask/aee', jcs($task),
                                        Authorization => bearer('planner')));

    my $got = $c->mail('what do you see') or return $moq->show;
    my $answer = $c->call({ action => $got->{json}{action},
                            session_id => $got->{json}{session_id},
                            status => 'approved',
                            payload => { text => 'a cat' } });

    is($answer->{json}{status}, 'accepted', 'the CMD with the answer')
        or diag(jcs($answer->{json}));

    my $reply = $connection->answer;
    my $json = eval { from_json($reply->{body}) } // {};

    is($reply->{status}, 200, 'the caller has an answer')
        or diag($reply->{body});
    is($json->{type}, 'result', 'a result');
    is($json->{from}, 'agent.camera', 'of the agent');
    is($json->{payload}{text}, 'a cat', 'its text');
    $c->close;
};


subtest 'MOQ-15 MOQ-19 SEC-08 an agent of MoQ asks another one' => sub {
    my ($asker, $asked, $other) = map { agent($_) } qw(viewer camera planner);

    take_mailbox($_) for $asker, $asked;

    # the second question has the session_id of the first one
    my $session = uuid4();

    # the recipient is named by its sub, or by its name in AEE
    for my $to ('camera', 'agent.camera') {
        my $text = "to $to";
        my $told = $asker->call({ action => 'look', session_id => $session,
                                  aee => { recipient => $to },
                                  payload => { text => $text } });

        is($told->{json}{status}, 'accepted', "$text: it is accepted");

        my $got = $asked->mail($text);

        ok($got, 'it arrives') or return $moq->show;

        my %answer = (action => 'look', session_id => $session,
                      status => 'approved', payload => { text => "re $text" });

        is($got->{json}{session_id}, $session, 'it has its session_id');

        my $wrong = $other->call(\%answer)->{json};

        is($wrong->{payload}{code}, 'reply-unmatched',
           'the answer of a third agent is refused');
        is($wrong->{error_code}, 409, 'by 409');
        is($asked->call(\%answer)->{json}{status}, 'accepted',
           'that of the asked agent is accepted');

        my $answer = $asker->mail("re $text");

        ok($answer, 'the asker gets an answer') or return $moq->show;
        is($answer->{session_id}, '0000000000000000', 'Session ID zero');
        is_deeply($answer->{json}, \%answer, 'as it was sent');

        my $late = $asked->call({ %answer, payload => { text => 'late' } });

        is($late->{json}{payload}{code}, 'reply-unmatched',
           'a second answer is refused');
        like($late->{json}{payload}{message}, qr/answered already/,
             'as late');
    }

    ok($asker->without('cmd', sub {
        ref $_[0]{json}{payload} eq 'HASH'
        && ($_[0]{json}{payload}{text} // '') =~ /^re |^late/
    }, 0), 'and no further answer comes');
    $_->close for $asker, $asked, $other;
};


subtest 'MOQ-15 SEC-08 two agents ask with one session_id' => sub {
    my ($asker, $asked, $other) = map { agent($_) } qw(viewer camera planner);
    my $session = uuid4();
    my %answer = (action => 'look', session_id => $session,
                  status => 'approved');

    take_mailbox($_) for $asker, $asked, $other;

    for ($asker, $other) {
        my $text = 'of ' . $_->name;

        $_->call({ action => 'look', session_id => $session,
                   aee => { recipient => 'camera' },
                   payload => { text => $text } });
        ok($asked->mail($text), "the question $text") or return $moq->show;
    }

    is($asked->call(\%answer)->{json}{payload}{code}, 'reply-unmatched',
       'an answer for either is refused');

    for my $c ($asker, $other) {
        my $name = $c->name =~ s/#.*//r;
        my $text = "for $name";
        my $told = $asked->call({ %answer, aee => { recipient => $name },
                                  payload => { text => $text } });

        is($told->{json}{status}, 'accepted', "the answer $text");
        ok($c->mail($text), 'comes');
        ok($_ == $c || !$_->mail($text, 0), 'and to no other')
            for $asker, $other;
    }

    $_->close for $asker, $asked, $other;
};


subtest 'MOQ-21 by SUBSCRIBE' => sub {
    for my $way ('PUBLISH refused', 'no request permitted') {
        my $c = agent('camera', init => { answers => 'subscribe',
                                          way => $way =~ /no request/
                                                 ? 'publish' : 'namespace' },
                      $way =~ /refused/ ? (auto => { PUBLISH => 'error' })
                                        : (max_request_id => undef));

        is(($c->{ack} // {})->{json}{status}, 'approved', "$way: a session")
            or next;

        my $ok = $c->subscribe($c->{mailbox});

        is($ok->{message}, 'SUBSCRIBE_OK', "$way: SUBSCRIBE");
        post_task(task('camera', "by $way"));
        ok($c->mail("by $way"), "$way: the message") or $moq->show;
        ok($c->without('message', sub {
            $way =~ /no request/ && $_[0]{message}{message} eq 'PUBLISH'
        }, 0), "$way: no PUBLISH");
        $c->close;
    }

    my $c = agent('camera');
    my $other = $c->{mailbox} =~ s/^camera/viewer/r;

    for ($other, 'camera.0.mailbox', 'nothing', "$c->{mailbox}x") {
        is($c->subscribe($_)->{message}, 'REQUEST_ERROR',
           "$_: REQUEST_ERROR");
    }

    is($c->subscribe($c->{mailbox}, space => ['a2a', 'camera'])->{message},
       'REQUEST_ERROR', 'in another namespace');
    $c->close;
};


# Fetches a range of the mailbox; returns the answer and the texts.
sub fetch {
    my ($c, $start, $end) = @_;

    my $answer = $c->ask('FETCH', fetch_type => 1,
                         track_namespace => ['a2a', 'parley'],
                         track_name => $c->{mailbox},
                         start_location => $start, end_location => $end);

    return ($answer) if $answer->{message} ne 'FETCH_OK';

    my @got;
    my $id = $answer->{request_id};
    my $fin = $c->event('fin', sub {
        my $header = $_[0]{header} // {};

        return ($header->{request_id} // -1) == $id;
    }) or return ($answer);

    while (my $cmd = $c->event('cmd', sub {
        ($_[0]{request_id} // -1) == $id }, 0)) {
        push @got, $cmd;
    }

    return ($answer, @got);
}


sub place { my $at = shift; return $at->{group} * 256
                                   + int($at->{object} / 65536) }


subtest 'MOQ-15 MOQ-21 places, FETCH and resuming' => sub {
    my $viewer = agent('viewer');
    my $ok = $viewer->subscribe($viewer->{mailbox});

    is($ok->{message}, 'SUBSCRIBE_OK', 'SUBSCRIBE');

    post_task(task('viewer', "n$_")) for 1 .. 3;

    my @live = map { $viewer->mail("n$_") } 1 .. 3;

    is(scalar(grep { defined } @live), 3, 'three messages')
        or return $moq->show;
    cmp_ok(place($live[0]), '<', place($live[1]), 'in places that ascend');
    cmp_ok(place($live[1]), '<', place($live[2]), 'one after the other');

    my ($answer, @got) = fetch($viewer,
        { group => $live[0]{group}, object => $live[0]{object} },
        { group => $live[2]{group}, object => $live[2]{object} + 1 });

    is($answer->{message}, 'FETCH_OK', 'FETCH') or diag(jcs($answer));
    is_deeply([map { [@$_{qw(group object)}, $_->{json}{payload}{text}] }
                   @got],
              [map { [@$_{qw(group object)}, $_->{json}{payload}{text}] }
                   @live], 'the same messages at the same locations');

    ($answer, @got) = fetch($viewer,
        { group => $live[1]{group}, object => $live[1]{object} },
        { group => $live[1]{group}, object => $live[1]{object} + 1 });
    is_deeply([map { $_->{json}{payload}{text} } @got], ['n2'],
              'one of them');

    ($answer) = fetch($viewer, { group => 1 << 40, object => 0 },
                      { group => 1 << 41, object => 0 });
    is($answer->{error_code}, 0x11, 'beyond the largest: INVALID_RANGE');

    # the agent goes, messages come, it comes back
    my $mailbox = $viewer->{mailbox};
    $viewer->do('drop');
    post_task(task('viewer', "n$_")) for 4 .. 6;

    $viewer = agent('viewer');
    is($viewer->{mailbox}, $mailbox, 'the same track');
    $ok = $viewer->subscribe($mailbox, parameters => [
        { type => 'SUBSCRIPTION_FILTER', filter => 'LARGEST_OBJECT' } ]);

    my ($largest) = map { $_->{location} } grep {
        $_->{type} eq 'LARGEST_OBJECT' } @{ $ok->{parameters} };

    ok($largest, 'LARGEST_OBJECT') or return diag(jcs($ok));
    ($answer, @got) = fetch($viewer,
        { group => $live[2]{group}, object => $live[2]{object} + 65536 },
        { group => $largest->{group}, object => $largest->{object} + 1 });
    is_deeply([map { $_->{json}{payload}{text} } @got], ['n4', 'n5', 'n6'],
              'what came in between');

    post_task(task('viewer', 'n7'));
    ok($viewer->mail('n7'), 'and what comes later');
    $viewer->close;
};


subtest 'MOQ-15 messages that are no longer retained' => sub {
    my $viewer = agent('viewer');

    is($viewer->subscribe($viewer->{mailbox})->{message}, 'SUBSCRIBE_OK',
       'SUBSCRIBE');
    post_task(task('viewer', 'old'));

    my $old = $viewer->mail('old') or return $moq->show;

    for my $n (1 .. 1010) {
        my $answer = $client->post('/agents/aee', jcs(task('viewer', "o$n")),
                                   Authorization => bearer('planner'));

        die "$answer->{status} $answer->{body}\n" if $answer->{status} > 299;
    }

    ok($viewer->mail('o1010'), 'the last message');

    my ($answer) = fetch($viewer,
        { group => $old->{group}, object => $old->{object} },
        { group => $old->{group} + 1, object => 0 });

    is($answer->{message}, 'REQUEST_ERROR', 'FETCH of the first one');
    is($answer->{error_code}, 0x11, 'INVALID_RANGE');
    like($answer->{error_reason}, qr/has the location \d+,\d+$/,
         'the first one that is left');
    $viewer->close;
};


# Locations of the end of a mailbox, of the answer to SUBSCRIBE.
sub largest {
    my ($largest) = map { $_->{location} } grep {
        $_->{type} eq 'LARGEST_OBJECT' } @{ shift->{parameters} };

    return $largest;
}

sub post_many {
    my ($to, @texts) = @_;

    for my $text (@texts) {
        my $answer = $client->post('/agents/aee', jcs(task($to, $text)),
                                   Authorization => bearer('planner'));

        die "$answer->{status} $answer->{body}\n" if $answer->{status} > 299;
    }
}


subtest 'MOQ-15 an agent that was away for longer than the retention' => sub {
    my $c = agent('camera');

    is($c->subscribe($c->{mailbox})->{message}, 'SUBSCRIBE_OK', 'SUBSCRIBE');
    post_many('camera', 'seen');

    my $seen = $c->mail('seen') or return $moq->show;

    $c->do('drop');
    post_many('camera', map { "away$_" } 1 .. 1010);

    $c = agent('camera');

    my $end = largest($c->subscribe($c->{mailbox}, parameters => [
        { type => 'SUBSCRIPTION_FILTER', filter => 'LARGEST_OBJECT' } ]));

    ok($end, 'LARGEST_OBJECT') or return $moq->show;
    $end->{object}++;

    my ($answer) = fetch($c, { group => $seen->{group},
                               object => $seen->{object} + 65536 }, $end);

    is($answer->{error_code}, 0x11, 'INVALID_RANGE: the gap is told');

    my ($group, $object) = $answer->{error_reason}
                           =~ /has the location (\d+),(\d+)$/;

    ok(defined $object, 'with the first place') or return;

    my @got;

    ($answer, @got) = fetch($c, { group => 0 + $group,
                                  object => 0 + $object }, $end);
    is($answer->{message}, 'FETCH_OK', 'FETCH from it');
    is_deeply([@{ $got[0] }{qw(group object)}], [$group, $object],
              'begins there');

    my @texts = map { $_->{json}{payload}{text} } @got;
    my ($first) = ($texts[0] // '') =~ /(\d+)$/;

    is_deeply(\@texts, [map { "away$_" } $first .. 1010],
              'and has all that are left');
    cmp_ok(scalar @texts, '>=', 900, 'as many as are retained');
    post_many('camera', 'back');
    ok($c->mail('back'), 'and what comes later');
    $c->close;
};


subtest 'MOQ-15 groups of 256' => sub {
    my $c = agent('camera');

    is($c->subscribe($c->{mailbox})->{message}, 'SUBSCRIBE_OK', 'SUBSCRIBE');

    for my $n (1 .. 300) {
        my $answer = $client->post('/agents/aee', jcs(task('camera', "m$n")),
                                   Authorization => bearer('planner'));

        die "$answer->{status} $answer->{body}\n" if $answer->{status} > 299;
    }

    my (@order, %groups);

    for (1 .. 300) {
        my $cmd = $c->event('cmd') // last;

        push @order, $cmd->{json}{payload}{text};
        $groups{$cmd->{group}}++;
    }

    is_deeply([@order], [map { "m$_" } 1 .. 300], 'in their order')
        or diag(scalar @order);
    cmp_ok(scalar keys %groups, '<=', 3, 'in few groups');
    $c->close;
};


subtest 'the gateway goes on' => sub {
    unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
           'no process ended');
};


# The credit of the agent is used up while the log drops messages.
subtest 'MOQ-15 a gap that a live subscription tells' => sub {
    $moq->stop;
    $nginx->stop;
    $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
        moq => 'lag=4m', zone => 'agents:16m',
        more => 'parley_retain count=20 time=1h;'));
    $moq = Parley::Moq->new;
    $planner = agent('planner');

    my $c = agent('viewer', max_data => 20000, max_stream_data => 20000);

    is($c->subscribe($c->{mailbox})->{message}, 'SUBSCRIBE_OK', 'SUBSCRIBE');
    $c->do('withhold');
    $moq->sync;
    post_many('viewer', map { "n$_ " . 'x' x 500 } 1 .. 600);
    $c->do('withhold', off => 1);

    my ($last, $told, $untold, @places) = (undef, 0, 0);

    while (my $e = $c->event('object', sub {
        return ref $_[0]{frame}{json} eq 'HASH'
               && $_[0]{frame}{session_id} eq '0' x 16
               && $_[0]{object} % 65536 == 0;
    }, 15)) {
        my %gap = map { $_->{type} => $_->{value} } @{ $e->{extensions} // [] };
        my $place = place($e);

        if (defined $last && $place != $last + 1) {
            # the objects of a group that are missing before this one, and the
            # groups
            my $right = $e->{group} == $last >> 8
                ? ($gap{PRIOR_OBJECT_ID_GAP} // 0) > 0
                : ($gap{PRIOR_GROUP_ID_GAP} // 0)
                      == $e->{group} - ($last >> 8) - 1
                  && ($gap{PRIOR_OBJECT_ID_GAP} // 0) == $e->{object};

            $right ? $told++ : $untold++;
            diag("place $place after $last: ", jcs(\%gap)) if !$right;
        } elsif (defined $last && %gap) {
            $untold++;
            diag("place $place: ", jcs(\%gap));
        }

        $last = $place;
        push @places, $place;
        last if ($e->{frame}{json}{payload}{text} // '') =~ /^n600 /;
    }

    cmp_ok(scalar @places, '<', 600, @places . ' of 600 messages came');
    cmp_ok($told, '>', 0, "$told gaps are told");
    is($untold, 0, 'each of them, and no other');
    $c->close;
};


done_testing();
