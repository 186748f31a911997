# Two gateways that share a store: streams and WebSockets get each message once,
# in its sender's order, at both gateways, and continue at either.

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port tmp_dir slurp spew);
use Parley::Message;
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams qw(frame texts);
use Parley::Websocket qw(share);

# 0: both are one gateway, which tests the test
use constant OTHER => $ENV{PARLEY_ONE_GATEWAY} ? 0 : 1;
use constant BOTH => OTHER ? (0, 1) : 0;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $redis = Parley::Redis->start(port(4));
my $nodes = stream_nodes($redis, nodes => OTHER + 1, words => 'lease=3s');

# text of each event id that a stream had
my %meaning;


# Returns the texts of the next n frames; notes their ids.
sub reads {
    my ($stream, $n, $seconds) = @_;

    my @texts;

    for my $event ($stream->events($n, $seconds)) {
        my ($text) = texts($event);

        push @texts, $event->{event} // $text;
        next if $event->{event};

        my $key = "$stream->{of} $event->{id}";

        fail("event $key is \"$meaning{$key}\" and \"$text\"")
            if ($meaning{$key} //= $text) ne $text;
        $stream->{at} = $event->{id};
    }

    return \@texts;
}


sub channel {
    my ($i, $who, %o) = @_;

    my $stream = reader($nodes, $i, 'channel stream', $who, %o);

    is($stream->status, 200, "stream of $who, gateway $i")
        or diag $stream->answer->{body};
    $stream->{of} = $who;
    $stream->{at} = $stream->place // $o{after};

    return $stream;
}


# Runs code in a process of its own, which must not use Test::More.
sub beside {
    my $code = shift;

    my $pid = fork // die "fork: $!\n";

    return $pid if $pid;

    # no END block runs in this process
    eval { $code->(); 1 } or warn $@;
    POSIX::_exit($@ ? 1 : 0);
}


# Submits frames, as a client does, until each is accepted.  Their gateways
# alternate.
sub publishes {
    my ($from, $to, $name, $n, %o) = @_;

    my @at = @{ $o{at} // [BOTH] };

    for my $i (1 .. $n) {
        my $m = frame($from, $to, text => "$name $i", %{ $o{frame} // {} });
        my $until = time + 20;
        my $status;

        for (my $try = 0; time < $until; $try++) {
            my $at = $at[($i + $try) % @at];

            next if !$nodes->accepts($at);

            my $answer = eval { submit_at($nodes, $at, $m, as => $from,
                                          scope => $o{scope}) };

            $status = $answer->{status} // 0;
            last if $status == 200;
            sleep 0.05;
        }

        die "$name $i: $status\n" if $status != 200;
        sleep $o{pause} if $o{pause};
    }
}


subtest 'CLU-04 HUB-01 HUB-06 each message once, in order, by each protocol' => sub {
    my @readers;

    for my $i (BOTH) {
        for my $kind (KINDS) {
            my $session = $kind =~ s/ /-/r;

            push @readers, [$i, $kind, reader($nodes, $i, $kind, 'bob',
                                              session => "$session-$i-"
                                                         . @readers)];
        }
    }

    is(scalar(grep { $_->[2]->is_open } @readers), scalar @readers, 'all open');

    # the gateway changes after each message of the only sender
    my (@sent, $n);

    for my $protocol ((qw(aee vcp channel)) x 6, 'vcp', 'channel') {
        push @sent, [$protocol, say($nodes, (BOTH)[++$n % 2] // 0, $protocol,
                                    'alice', 'bob', text => "n$n")];
    }

    my %frames;

    for my $reader (@readers) {
        my ($i, $kind, $r) = @$reader;

        # only VCP messages have a form in VCP
        my @wanted = grep { $kind !~ /vcp/ || $_->[0] eq 'vcp' } @sent;
        my $got = $r->ids(scalar @wanted);

        # the frame of a VCP message has a derived id, equal at each gateway
        if ($kind =~ /channel/) {
            for my $at (0 .. $#wanted) {
                next if $wanted[$at][0] ne 'vcp';
                $wanted[$at] = ['vcp', $frames{$at} //= $got->[$at] // ''];
            }
        }

        is_deeply($got, [map { $_->[1] } @wanted], "$kind, gateway $i");
    }

    # an event has one id at both
    my %places;

    push @{ $places{$_->[1]} }, $_->[2]->places
        for grep { $_->[1] =~ /stream/ } @readers;

    for my $kind (SSE) {
        is_deeply($places{$kind}[1], $places{$kind}[0], "$kind: equal ids")
            if OTHER;
    }

    my @offsets = map { /\.(\d+)$/ } @{ $places{'channel stream'}[0] };

    is_deeply(\@offsets, [map { $offsets[0] + $_ } 0 .. $#sent],
              'without holes');
    is(scalar(keys %{ { map { /^(.*)\./; ($1, 1) }
                        map { @{ $_->[0] } } values %places } }), 1,
       'and one epoch');
    $_->[2]->leave for @readers;
    is_deeply(sessions($nodes, 0, 'bob', 0), [], 'all have left');
};


subtest 'CLU-04 HUB-01 HUB-04 many senders at once, at both gateways' => sub {
    my @readers = map { my $i = $_; map { channel($i, 'bob') } 1 .. 3 } BOTH;
    my @senders = map { my $from = $_; map { "$from-$_" } 1, 2 }
                  qw(alice carol dave);

    # every second sender stays at a gateway
    my @pids = map {
        my ($from, $which) = split /-/;
        my $name = $_;

        beside(sub { publishes($from, 'bob', $name, 40,
                               at => $which == 1 ? [BOTH]
                                                 : [(BOTH)[-1]]) });
    } @senders;

    my $all = 40 * @senders;
    my @got = map { reads($_, $all) } @readers;

    for my $pid (@pids) {
        waitpid $pid, 0;
        is($?, 0, 'a sender has sent all');
    }

    is(scalar @{ $got[0] }, $all, 'each once');

    for my $name (@senders) {
        is_deeply([grep { /^$name / } @{ $got[0] }],
                  [map { "$name $_" } 1 .. 40], "$name: in its order");
    }

    is_deeply($got[$_], $got[0], "the order of reader $_ is that of the first")
        for 1 .. $#got;

    say($nodes, 0, 'channel', 'alice', 'bob', text => 'last');
    is_deeply(reads($_, 1), ['last'], 'and nothing else') for @readers;
    $_->leave for @readers;
};


subtest 'CLU-04 ACH-16 scopes, filters and sessions at the other gateway' => sub {
    my %at = map { ($_ => [
        channel($_, 'alice', session => "a$_", instrument => 'cc-one'),
        channel($_, 'alice', session => "b$_", instrument => 'cc-two'),
        channel($_, 'bob', session => "c$_"),
        channel($_, 'bob', session => "f$_", filter => 'kind:agent_broadcast'),
        channel($_, 'carol', session => "d$_")]) } BOTH;
    my @gateways = (BOTH);
    my $each = @gateways;
    my @broadcast = (kind => 'agent_broadcast',
                     payload => { broadcast_text => 'merged',
                                  event_class => 'merged' });

    for my $i (BOTH) {
        my $send = sub {
            my ($to, $scope, $text, @more) = @_;
            my $m = frame('bob', $to, text => $text, @more);
            my $answer = submit_at($nodes, $i, $m, scope => $scope);

            is($answer->{status}, 200, $text) or diag $answer->{body};

            return $answer->{json}{delivered};
        };
        my $other = (BOTH)[1 - $i] // 0;

        is($send->('acme', 'org:~acme/members/*', "org $i"), 3 * $each,
           'delivered to members at both');
        is($send->('alice', "~alice/cc-one\@a$other", "session $i"), 1,
           'to a session of the other gateway');
        is($send->('alice', '~alice/cc-two*', "instrument $i"), $each,
           'to the sessions with an instrument');
        is($send->('bob', undef, "kind $i", @broadcast), 2 * $each,
           'and a filter that admits it');
        is($send->('alice', undef, "end $i"), 2 * $each);
    }

    for my $i (BOTH) {
        my ($one, $two, $bob, $filter, $carol) = @{ $at{$i} };

        is_deeply(reads($one, 2 * $each + 1),
                  [map { ("org $_", ((BOTH)[1 - $_] // 0) == $i
                                     ? "session $_" : (), "end $_") } BOTH],
                  'the sessions with the first instrument');
        is_deeply(reads($two, 3 * $each),
                  [map { ("org $_", "instrument $_", "end $_") } BOTH],
                  'those with the second');

        my @kinds = map { $_->{json}{kind} } $bob->events(2 * $each);

        is_deeply(\@kinds, [('agent_advisory', 'agent_broadcast') x $each],
                  'bob');
        is_deeply([map { $_->{json}{kind} } $filter->events($each)],
                  [('agent_broadcast') x $each], 'the filter of bob');
        ok(!$filter->event(0.1), 'no more');
        ok(!$carol->event(0.1), 'carol is no member');
    }

    $_->leave for map { @$_ } values %at;
};


subtest 'CLU-04 VCP-22 a broadcast reaches each peer once' => sub {
    my %of = map { my $who = $_; map { ("$who $_" =>
        reader($nodes, $_, 'vcp websocket', $who, session => "b$_")) } BOTH }
        qw(bob carol);

    for my $i (BOTH) {
        my $m = share('dave', 'bob');

        $m->{recipient} = 'broadcast';
        is(submit_at($nodes, $i, $m, as => 'dave')->{status}, 200);
        is_deeply($of{$_}->ids(1), [$m->{message_id}], "$_, from gateway $i")
            for sort keys %of;
    }

    # nothing comes twice
    my $id = say($nodes, 0, 'vcp', 'dave', $_) for qw(bob carol);

    for my $name (sort keys %of) {
        my ($who) = split / /, $name;
        my ($next) = @{ $of{$name}->ids(1) };

        ok(defined $next, "$name goes on");
    }

    $_->leave for values %of;
};


for my $kind (SSE) {
    subtest "CLU-05 HUB-02 $kind: continues at the other gateway" => sub {
        my ($protocol) = split / /, $kind;
        my ($n, @sent, @got) = (0);
        my $send = sub {
            push @sent, say($nodes, (BOTH)[$n++ % 2] // 0, $protocol, 'alice',
                            'bob', text => "r$n");
        };
        my $stream = reader($nodes, 0, $kind, 'bob', session => 'r');
        my $from = $stream->place;

        # each connection reads some, and more come between two connections
        for my $round (1 .. 8) {
            my $i = $round % 2 ? OTHER : 0;

            $send->() for 1 .. 3;
            push @got, @{ $stream->ids(2) };

            my $place = $stream->place;

            $stream->leave;
            $send->();

            $stream = reader($nodes, $i, $kind, 'bob', session => 'r',
                             after => $place);
            is($stream->status, 200) or return diag $stream->answer->{body};
            is($stream->opened->{id}, undef,
               "round $round: it continues at gateway $i")
                or diag explain $stream->opened;
        }

        push @got, @{ $stream->ids(@sent - @got) };
        is_deeply(\@got, \@sent, 'each once, in order, and no gap');
        $stream->leave;

        my @all = map { reader($nodes, $_, $kind, 'bob', after => $from) } BOTH;
        my @ids = map { $_->ids(scalar @sent) } @all;

        is_deeply($ids[$_], \@sent, "and all from the first, gateway $_")
            for 0 .. $#all;
        is_deeply($all[0]->places, $all[-1]->places, 'by equal ids');
        $_->leave for @all;
    };
}


for my $protocol (qw(aee vcp channel)) {
    subtest "CLU-05 HUB-02 $protocol: a WebSocket continues at the other gateway" => sub {
        my $kind = "$protocol websocket";
        my $first = reader($nodes, 0, $kind, 'bob', session => 'w');
        my @sent = map { say($nodes, $_, $protocol, 'alice', 'bob') }
                       (BOTH) x 2;

        is_deeply($first->ids(scalar @sent), \@sent, 'live');

        my $from = $first->opened;

        $first->leave;
        push @sent, map { say($nodes, $_, $protocol, 'alice', 'bob') } BOTH;

        my $again = reader($nodes, OTHER, $kind, 'bob', session => 'w',
                           after => $from);

        is($again->opened, $from, 'it begins at that place');
        push @sent, say($nodes, 0, $protocol, 'alice', 'bob', text => 'live');
        is_deeply($again->ids(scalar @sent), \@sent, 'and has all, once');

        # the place of an event of a stream is one of a WebSocket
        my $stream = reader($nodes, 0, "$protocol stream", 'bob',
                            after => $from);

        is_deeply($stream->ids(3), [@sent[0 .. 2]]);
        $again->leave;
        $again = reader($nodes, OTHER, $kind, 'bob', session => 'w',
                        after => $stream->place);
        is_deeply($again->ids(@sent - 3), [@sent[3 .. $#sent]],
                  'from the place of a stream of the other gateway');
        $_->leave for $again, $stream;
    };
}


subtest 'CLU-05 HUB-01 a reader that changes gateways while others publish' => sub {
    my $stream = channel(0, 'bob', session => 'hop');
    my $all = 150;
    my $pid = beside(sub { publishes('alice', 'bob', 'hop', $all,
                                     pause => 0.01) });
    my @got;

    for (my $hop = 1; @got < $all; $hop++) {
        my $some = reads($stream, 1 + $hop % 13);

        last if !@$some;
        push @got, @$some;

        my $at = $stream->{at};

        # a session is also taken over without leaving
        my $old = $stream;

        $old->leave if $hop % 2;
        $stream = channel($hop % 2 ? OTHER : 0, 'bob', session => 'hop',
                          after => $at);
        last if $stream->status != 200;
    }

    waitpid $pid, 0;
    is($?, 0, 'all are accepted');
    is_deeply(\@got, [map { "hop $_" } 1 .. $all], 'each once, in order');
    $stream->leave;
};


subtest 'CLU-05 HUB-02 places of the other gateway that have no event' => sub {
    my $all = channel(0, 'dave');
    my ($epoch, $offset) = split /\./, $all->{at};

    for my $case (["$epoch." . ($offset + 50), 'a place to come'],
                  ['0123456789ab.7', 'another epoch'],
                  ['yesterday', 'no place'])
    {
        my ($last, $name) = @$case;
        my $stream = channel(OTHER, 'dave', session => 'g', after => $last);
        my $text = "after $name";

        say($nodes, 0, 'channel', 'alice', 'dave', text => $text);

        my $gap = $stream->opened->{event} ? $stream->opened : $stream->event;

        is($gap->{event}, 'gap', "$name is told");
        like($gap->{json}{first}, qr/^\Q$epoch\E\.\d+$/, 'what there is');

        my ($next) = @{ reads($stream, 1) };

        is($next, $text, 'and nothing is passed over') if $name ne 'another epoch';
        is_deeply(reads($all, 1), [$text]);
        $stream->leave;
    }

    $all->leave;
};


subtest 'HUB-10 CLU-04 a frame that is sent to both gateways' => sub {
    my @readers = map { channel($_, 'bob') } BOTH;
    my (%codes, @sent);

    for my $round (1 .. 20) {
        my $m = frame('alice', 'bob', text => "both $round");
        my @asked = map {
            Parley::Client->new(port => $nodes->plain($_), tls => 0)
                ->begin('/channel/frames', jcs($m),
                        Authorization => Parley::Gateway::bearer('alice'),
                        'Content-Type' => 'application/json')
        } (BOTH) x 2;
        my @answers = map { $_->answer } @asked;
        my @taken = grep { $_->{status} == 200 } @answers;

        # as a client does, until it is taken
        my $last;
        $nodes->wait_for(sub {
            $last = submit_at($nodes, OTHER, $m);
            return $last->{status} == 200;
        });

        is($last->{json}{delivered}, 0, "round $round: it is a duplicate")
            or diag $last->{body};
        is_deeply([grep { $_ } map { $_->{json}{delivered} } @taken],
                  [scalar @readers], 'one gateway has delivered it');
        $codes{$_->{json}{code} // $_->{status}}++ for @answers;
        push @sent, "both $round";
    }

    is_deeply(reads($_, scalar @sent), \@sent, 'and delivered once')
        for @readers;
    is_deeply([grep { !/^(200|message-in-flight)$/ } keys %codes], [],
              'a copy is in flight, or delivered to nobody')
        or diag explain \%codes;
    $_->leave for @readers;
};


subtest 'HUB-03 CLU-04 a slow reader at one gateway slows no reader of the other' => sub {
    my $slow = reader($nodes, OTHER, 'vcp stream', 'bob', session => 'slow',
                      uri => '/lag/');
    my @quick = map { reader($nodes, $_, 'vcp stream', 'bob',
                             session => "quick$_") } BOTH;
    my $cut = sub {
        return $nodes->status(OTHER)->metric(
            'parley_subscriptions_ended_total{why="slow"}');
    };
    my @sent;

    # more than the buffers of the kernel and of nginx, and the lag
    for my $n (1 .. 300) {
        my $m = share('alice', 'bob', context => 'x' x 60_000);

        push @sent, $m->{message_id};
        is(submit_at($nodes, 0, $m, as => 'alice')->{status}, 200) or last;
        is_deeply([map { @{ $_->ids(1) } } @quick], [($sent[-1]) x @quick],
                  "message $n is read") or last;
        last if $cut->();
    }

    ok($nodes->wait_for($cut), 'it is cut, after ' . @sent);

    my $got = $slow->ids(@sent + 1, 5);

    ok($slow->{ended}, 'its connection ends');
    cmp_ok(scalar @$got, '<', scalar @sent);

    my $again = reader($nodes, 0, 'vcp stream', 'bob', session => 'slow',
                       after => $slow->place);

    push @$got, @{ $again->ids(@sent - @$got) };
    is_deeply($got, \@sent, 'it has all, once, by the other gateway');
    $_->leave for $again, @quick;
};


subtest 'HUB-05 CLU-05 reloads and a stop of one gateway lose nothing' => sub {
    my $stream = channel(OTHER, 'bob', session => 'reloaded');
    my $stays = channel(0, 'bob', session => 'stays') if OTHER;
    my $all = 120;
    my $pid = beside(sub { publishes('alice', 'bob', 'reload', $all, at => [0],
                                     pause => 0.03) });
    my @got;
    my $reloads = 0;

    while (@got < $all) {
        my $some = reads($stream, 20, 10);

        last if !@$some && !$stream->{ended};
        push @got, @$some;

        $nodes->nginx(OTHER)->reload if $reloads++ < 2;
        next if !$stream->{ended};
        $stream = channel($reloads % 2 ? 0 : OTHER, 'bob',
                          session => 'reloaded', after => $stream->{at});
    }

    waitpid $pid, 0;
    is($?, 0, 'all are accepted');
    is_deeply(\@got, [map { "reload $_" } 1 .. $all], 'each once, in order');

    if (OTHER) {
        is_deeply(reads($stays, $all), \@got, 'and at the gateway that stays');
        ok($stays->is_alive, 'whose streams stay open');
        $stays->leave;
    }

    $stream->leave;
};


if (OTHER) {
    subtest 'HUB-05 CLU-05 CLU-04 a gateway that is killed, and begins again' => sub {
        my $stream = channel(1, 'bob', session => 'k1');
        my $stays = channel(0, 'bob', session => 'k0');
        my $all = 120;
        my $pid = beside(sub { publishes('alice', 'bob', 'kill', $all,
                                         pause => 0.02) });
        my $got = reads($stream, 20);

        # the senders go on at the other gateway
        $nodes->kill(1);
        ok($stream->ends, 'its streams end');
        push @$got, @{ reads($stream, $all, 0.1) };

        my $again = channel(0, 'bob', session => 'k1', after => $stream->{at});

        push @$got, @{ reads($again, 20) };
        $nodes->begin(1);

        # its new zone has no records of before
        my $back = channel(1, 'bob', session => 'k1', after => $again->{at});

        ok($again->ends, 'its session is replaced');
        push @$got, @{ reads($back, $all - @$got) };
        waitpid $pid, 0;
        is($?, 0, 'all are accepted');
        is_deeply($got, [map { "kill $_" } 1 .. $all], 'each once, in order');
        is_deeply(reads($stays, $all), $got, 'and at the gateway that stays');
        $_->leave for $stays, $back;
    };
}


for my $i ($nodes->all) {
    is($nodes->nginx($i)->logged(qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/),
       0, "no alert, gateway $i");
}

done_testing();
