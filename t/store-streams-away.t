# Two gateways that share a store: streams while the store is away, after it
# returns with or without its data, and at a gateway that starts late.

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Message;
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams qw(frame texts);

# 0: both are one gateway, which tests the test
use constant OTHER => $ENV{PARLEY_ONE_GATEWAY} ? 0 : 1;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my @gateways = OTHER ? (0, 1) : 0;
my $words = 'lease=3s timeout=500ms';

# without files, and with one that keeps each write
my $redis = Parley::Redis->start(port(4));
my $kept = Parley::Redis->start(port(5),
                                conf => "appendonly yes\nappendfsync always");
my $nodes;

# text of each event id that a stream of bob had
my (%meaning, @twice);


# Returns the next n events of a stream of frames: texts, and "gap".
sub reads {
    my ($stream, $n, $seconds) = @_;

    my @texts;

    while (@texts < $n) {
        my $event = $stream->event($seconds) // last;

        $stream->{place} = $event->{id} if defined $event->{id};

        if ($event->{event}) {
            push @texts, $event->{event};
            next;
        }

        my ($text) = texts($event);

        push @texts, $text;
        push @twice, "$event->{id}: $meaning{$event->{id}}, $text"
            if ($meaning{$event->{id}} //= $text) ne $text;
    }

    return \@texts;
}


sub channel {
    my ($i, %o) = @_;

    my $stream;

    # as a client does, if the store is away
    $nodes->wait_for(sub {
        $stream = reader($nodes, $i, 'channel stream', 'bob', %o);
        return $stream->status != 503;
    });

    is($stream->status, 200, "a stream, gateway $i")
        or diag $stream->answer->{body};

    return $stream;
}


sub epoch_of { return ($_[0]->place // '') =~ s/\..*//r }


# Submits a frame, as a client does, until it is accepted; returns its text.
sub publish {
    my ($i, $text, %o) = @_;

    my $m = frame('alice', 'bob', text => $text);
    my $answer;

    $nodes->wait_for(sub {
        $answer = submit_at($nodes, $i, $m);
        return $answer->{status} == 200;
    });

    die "$text: $answer->{status} $answer->{body}\n"
        if $answer->{status} != 200;

    return $text;
}


# Publishes n frames in another process; their gateways alternate.
sub publishes {
    my ($name, $n, $pause) = @_;

    my $pid = fork // die "fork: $!\n";

    return $pid if $pid;

    eval {
        for my $k (1 .. $n) {
            publish($gateways[$k % @gateways], "$name $k");
            sleep $pause;
        }
        1;
    } or warn $@;
    POSIX::_exit($@ ? 1 : 0);
}


sub ended {
    waitpid $_[0], 0;
    is($?, 0, 'all frames are accepted');
}


# Checks that an answer is capacity, and may be tried again.
sub is_refused {
    my ($answer, $why) = @_;

    is_deeply([$answer->{status}, $answer->{body} =~ /(capacity)/i,
               $answer->{headers}{'retry-after'} ? 'Retry-After' : ()],
              [503, $answer->{body} =~ /(capacity)/i ? $1 : 'capacity',
               'Retry-After'], "$why is refused") or diag $answer->{body};
}


# Checks that submissions and new streams are refused at all gateways.
sub are_refused {
    my ($open, $place) = @_;

    for my $i (@gateways) {
        for my $protocol (qw(aee vcp channel)) {
            my $began = time;
            my $m = saying($protocol, 'alice', 'bob', text => 'away');

            is_refused(submit_at($nodes, $i, $m, as => 'alice'),
                       "a message of $protocol, gateway $i");
            cmp_ok(time - $began, '<', 0.5 + 0.1 + 1.5, 'in time');
        }

        for my $kind (KINDS) {
            is_refused(reader($nodes, $i, $kind, 'bob')->answer
                       // { status => 'open', body => '' },
                       "a new $kind, gateway $i");
        }

        is_refused(reader($nodes, $i, 'channel stream', 'bob', after => $place)
                   ->answer // { status => 'open', body => '' },
                   "a stream that continues, gateway $i");
    }

    for my $socket (grep { $_->can('ask') } @$open) {
        my $said = $socket->ask(saying('vcp', 'carol', 'alice'));

        is($said->{code}, 'capacity', 'a message of a WebSocket')
            or diag explain $said;
        last;
    }
}


# Opens readers of carol, of several kinds, at each gateway.
sub opens_all {
    return map { my $i = $_; map {
        my $reader = reader($nodes, $i, $_, 'carol', session => s/ //r . $i);

        ok($reader->is_open, "$_, gateway $i") or diag $reader->answer->{body};
        $reader } ('vcp websocket', 'vcp stream', 'aee stream') } @gateways;
}


# Publishes messages to carol, until they are accepted, and checks that each
# reader gets them, after a gap if there is one.
sub get_all {
    my ($open, $gap, $why) = @_;

    my @sent;

    for my $n (1 .. 3) {
        my $m = saying('vcp', 'alice', 'carol');

        ok($nodes->wait_for(sub {
               submit_at($nodes, $gateways[$n % @gateways], $m,
                         as => 'alice')->{status} == 200 }), 'is accepted');
        push @sent, $m->{message_id};
    }

    for my $reader (@$open) {
        my @wanted = ($gap ? 'gap' : (), @sent);

        # a gap closes a WebSocket
        @wanted = 'gap' if $gap && $reader->can('ask');

        is_deeply($reader->ids(scalar @wanted), \@wanted, $why);
    }
}


# Reads until a text comes.
sub reads_until {
    my ($stream, $last) = @_;

    my @got;

    do { push @got, @{ reads($stream, 1) } }
        until !@got || @got > 500 || $got[-1] eq $last || $stream->{ended};

    return \@got;
}


for my $mode ('fallback=refuse', 'fallback=local') {
    $nodes = undef;
    $redis->cli('FLUSHALL');
    $nodes = stream_nodes($redis, nodes => OTHER + 1, words => "$words $mode");

    subtest "CLU-08 CLU-09 $mode: streams while the store does not answer" => sub {
        my @open = opens_all();
        my @frames = map { channel($_, session => "f$_") } @gateways;

        get_all(\@open, 0, 'live');

        my $texts = [map { publish($_, "before $_") } @gateways];

        is_deeply(reads($_, scalar @$texts), $texts, 'live') for @frames;

        my $place = $frames[0]->place;

        $redis->pause;
        $nodes->wait_up(is => 0);
        are_refused(\@open, $place);

        # longer than a subscriber waits for the state
        my $until = time + 4;

        sleep 0.1 while time < $until;
        ok($_->is_alive, 'an open one stays open') for @open, @frames;

        my $began = time;

        $redis->resume;

        my $first = publish(OTHER, 'back');

        cmp_ok(time - $began, '<', 3 + 1.5, 'it is used soon');
        $nodes->wait_up;

        my $second = publish(0, 'again');

        is_deeply(reads($_, 2), [$first, $second],
                  'the streams go on, without a gap') for @frames;
        is(epoch_of($_), $place =~ s/\..*//r, 'in the same epoch') for @frames;
        is($_->place, $frames[0]->place, 'with equal ids') for @frames;
        get_all(\@open, 0, 'also by other protocols');
        is(($frames[0]->place =~ /\.(\d+)/)[0], ($place =~ /\.(\d+)/)[0] + 2,
           'and no record of a refused message');

        my $again = channel(OTHER, session => 'again', after => $place);

        is_deeply(reads($again, 2), [$first, $second], 'and continue');
        $_->leave for @open, @frames, $again;
        is_deeply(sessions($nodes, $_, 'bob', 0), [], 'all have left')
            for @gateways;
    };

    subtest "CLU-08 CLU-10 $mode: the store restarts without its data" => sub {
        my @open = opens_all();
        my @frames = map { channel($_, session => "f$_") } @gateways;
        my $before = publish(OTHER, 'before');

        is_deeply(reads($_, 1), [$before], 'live') for @frames;
        get_all(\@open, 0, 'live');

        my $place = $frames[0]->place;

        $redis->kill;
        $nodes->wait_up(is => 0);
        are_refused(\@open, $place);
        ok($_->is_alive, 'an open one stays open') for @open, @frames;
        $redis->begin;

        my @new = map { publish($_, "new $_") } @gateways;

        is_deeply(reads($_, 1 + @new), ['gap', @new], 'a gap, and new frames')
            for @frames;
        isnt(epoch_of($_), $place =~ s/\..*//r, 'in another epoch') for @frames;
        is($_->place, $frames[0]->place, 'with equal ids') for @frames;

        get_all(\@open, 1, 'a gap, and new messages');

        for my $i (@gateways) {
            my $again = channel($i, session => 'again', after => $place);
            my $gap = $again->event;

            is($gap->{event}, 'gap', 'a stream with an old id has a gap');
            like($gap->{json}{first}, qr/^[0-9a-f]+\.\d+$/, 'what there is');

            is_deeply(reads($again, scalar @new), \@new, 'and continues');
            $again->leave;
        }

        $_->leave for @open, @frames;
        is_deeply(sessions($nodes, $_, 'bob', 0), [], 'all have left')
            for @gateways;
    };
}


subtest 'CLU-10 CLU-11 the store is emptied while frames are published' => sub {
    my @frames = map { channel($_, session => "f$_") } @gateways;
    my $before = publish(0, 'full');

    is_deeply(reads($_, 1), [$before], 'live') for @frames;

    my $place = $frames[0]->place;
    my $generation = $nodes->status(0)->metric('parley_store_generation');
    my $pid = publishes('flushed', 60, 0.02);

    sleep 0.3;
    $redis->cli('FLUSHALL');
    ended($pid);
    ok($nodes->wait_for(sub {
           !grep { $nodes->status($_)->metric('parley_store_generation')
                   <= $generation } @gateways }), 'it has another generation');
    $nodes->wait_up;

    my $last = publish(OTHER, 'the last');

    for my $stream (@frames) {
        my $got = reads_until($stream, $last);
        my ($at) = grep { $got->[$_] eq 'gap' } reverse 0 .. $#$got;
        my @numbers = map { /^flushed (\d+)/ } @$got;
        my @after = map { /^flushed (\d+)/ } @$got[($at // 0) .. $#$got];

        ok(defined $at, 'a gap');
        is($got->[-1], $last, 'it goes on');
        is_deeply([grep { $numbers[$_] <= $numbers[$_ - 1] } 1 .. $#numbers],
                  [], 'each once, in order');
        is_deeply(\@after, [61 - @after .. 60],
                  'nothing after the gap is missing');
    }

    for my $i (@gateways) {
        my $again = channel($i, session => 'again', after => $place);

        is(($again->event // {})->{event}, 'gap', 'an old id has a gap');
        is(reads_until($again, $last)->[-1], $last, 'and continues');
        $again->leave;
    }

    is_deeply(\@twice, [], 'no id means two frames');
    $_->leave for @frames;
};


subtest 'CLU-04 CLU-09 CLU-11 connections that are cut while frames are published' => sub {
    my @frames = map { my $i = $_; map { channel($i, session => "c$i$_") }
                       1, 2 } @gateways;
    my $place = $frames[0]->place;
    my $all = 150;
    my $pid = publishes('cut', $all, 0.01);

    for my $n (1 .. 20) {
        $redis->cli('CLIENT', 'KILL', 'TYPE', $_, 'SKIPME', 'yes')
            for $n % 2 ? 'normal' : 'pubsub';
        sleep 0.1;
    }

    ended($pid);

    my $wanted = [map { "cut $_" } 1 .. $all];

    is_deeply(reads($_, $all), $wanted, 'each once, in order') for @frames;
    ok($_->is_alive, 'it stays open') for @frames;
    is($_->place, $frames[0]->place, 'with equal ids') for @frames;

    for my $i (@gateways) {
        my $again = channel($i, session => 'again', after => $place);

        is_deeply(reads($again, $all), $wanted, "and all again, gateway $i");
        $again->leave;
    }

    $_->leave for @frames;
};


subtest 'CLU-04 CLU-05 a gateway that starts late' => sub {
    $nodes = undef;
    $redis->cli('FLUSHALL');
    $nodes = stream_nodes($redis, only => 0, words => $words);

    my $early = channel(0, session => 'early');
    my $from = $early->place;
    my @sent = map { publish(0, "early $_") } 1 .. 30;

    is_deeply(reads($early, 30), \@sent);

    # frames are published while it starts
    my @pids;

    if (OTHER) {
        my @to = @gateways;

        @gateways = 0;
        push @pids, publishes('start', 100, 0.01);
        @gateways = @to;
    } else {
        push @pids, publishes('start', 100, 0.01);
    }

    push @sent, map { "start $_" } 1 .. 100;

    if (OTHER) {
        $nodes->begin(1);
    } else {
        sleep 0.5;
    }

    my $late = channel(OTHER, session => 'late', after => $from);

    is_deeply(reads($late, scalar @sent), \@sent,
              'it has the retained frames, and those that come');
    ended($_) for @pids;
    is_deeply(reads($early, 100), [@sent[30 .. 129]], 'as the other has');

    push @sent, map { publish($_, "both $_") } @gateways;

    is_deeply(reads($_, scalar @gateways), [@sent[130 .. $#sent]], 'and goes on')
        for $early, $late;
    is($late->place, $early->place, 'with equal ids');

    my $new = channel(OTHER, session => 'new');
    my $text = publish(0, 'for new ones');

    is_deeply(reads($new, 1), [$text], 'a new stream begins at the end');
    is(scalar @{ sessions($nodes, $_, 'bob', 3) }, 3, 'the roster') for @gateways;
    $_->leave for $early, $late, $new;
};


subtest 'CLU-08 CLU-05 a gateway that starts while the store is away' => sub {
    my $early = channel(0, session => 'early');
    my $from = $early->place;
    my @sent = map { publish(0, "away $_") } 1 .. 10;

    $nodes->stop(1) if OTHER;
    $redis->pause;

    if (OTHER) {
        $nodes->{o}{away} = 1;
        $nodes->{nginx}[1] = Parley::Nginx->start($nodes->conf(1));
    } else {
        $nodes->wait_up(is => 0);
    }

    is_refused(reader($nodes, OTHER, 'channel stream', 'bob', after => $from)
               ->answer // { status => 'open', body => '' }, 'a stream');
    is_refused(submit_at($nodes, OTHER, frame('alice', 'bob')), 'a frame');
    $redis->resume;
    $nodes->wait_up;

    my $late = channel(OTHER, session => 'late', after => $from);

    is_deeply(reads($_, 10), \@sent, 'all retained frames') for $late, $early;
    push @sent, publish(OTHER, 'then');
    is_deeply(reads($_, 1), ['then'], 'and those that come') for $late, $early;
    is($late->place, $early->place, 'with equal ids');
    $_->leave for $late, $early;
};


subtest 'CLU-10 the store restarts with its data' => sub {
    $nodes = undef;
    $nodes = stream_nodes($kept, nodes => OTHER + 1, words => $words);

    my @frames = map { channel($_, session => "f$_") } @gateways;
    my $from = $frames[0]->place;
    my @old = map { publish($gateways[$_ % @gateways], "old $_") } 1 .. 6;

    is_deeply(reads($_, 6), \@old, 'live') for @frames;

    my $place = $frames[0]->place;
    my $generation = $nodes->status(0)->metric('parley_store_generation');

    $kept->kill;
    $nodes->wait_up(is => 0);
    $kept->begin;

    my @new = map { publish($gateways[$_ % @gateways], "new $_") } 1 .. 4;

    $nodes->wait_up;
    ok($nodes->wait_for(sub {
           !grep { $nodes->status($_)->metric('parley_store_generation')
                   <= $generation } @gateways }), 'it has another generation');
    is_deeply(reads($_, 5), ['gap', @new], 'a gap, and new frames') for @frames;
    isnt(epoch_of($_), $place =~ s/\..*//r, 'in another epoch') for @frames;
    is($_->place, $frames[0]->place, 'with equal ids') for @frames;

    for my $i (@gateways) {
        my $again = channel($i, session => 'again', after => $place);

        is(($again->event // {})->{event}, 'gap', 'an old id has a gap');

        is_deeply([grep { /^new/ } @{ reads_until($again, $new[-1]) }], \@new,
                  'and continues');
        $again->leave;
    }

    is_deeply(\@twice, [], 'no id means two frames');
    $_->leave for @frames;
};


is_deeply(\@twice, [], 'CLU-10 no id means two frames');

for my $i ($nodes->all) {
    is($nodes->nginx($i)->logged(qr/\[(?:alert|emerg)\]/), 0,
       "no alert, gateway $i");
}

done_testing();
