# Two gateways that share a store: the roster, counts and names of sessions hold
# over both, and workers and gateways may die.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Message;
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams qw(frame);

# 0: both are one gateway, which tests the test
use constant OTHER => $ENV{PARLEY_ONE_GATEWAY} ? 0 : 1;
use constant LEASE => 3;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $redis = Parley::Redis->start(port(4));
my $nodes = stream_nodes($redis, nodes => OTHER + 1,
                         words => 'lease=' . LEASE . 's');

my @gateways = OTHER ? (0, 1) : 0;

# gateway of the first party, and of the second
my @pairs = OTHER ? ([0, 1], [1, 0]) : [0, 0];


# Returns the numbers of subscribers that frames to bob have at each gateway.
sub delivered {
    my $who = shift // 'bob';

    return [map { submit_at($nodes, $_, frame('alice', $who, text => 'count'))
                  ->{json}{delivered} } @gateways];
}


sub each_is { return [($_[0]) x @gateways] }


subtest 'CLU-04 ACH-25 the roster and the counts are those of both gateways' => sub {
    lists($nodes, 'bob', [], 'nobody listens');
    is_deeply(delivered(), each_is(0), 'and nobody is counted');

    my (%of, @kinds) = ();

    for my $i (@gateways) {
        for my $kind (KINDS) {
            my $name = $kind =~ s/ /-/r . "-$i";

            $of{$name} = opens($nodes, $i, $kind, 'bob', session => $name);
        }
    }

    my @names = sort keys %of;

    lists($nodes, 'bob', \@names, 'all are listed');
    is_deeply(roster($nodes, OTHER, 'bob'), roster($nodes, 0, 'bob'),
              'with equal members');

    # frames have no form in VCP
    is_deeply(delivered(), each_is(@names * 2 / 3), 'and counted');

    my $by_rule = opens($nodes, OTHER, 'channel stream', 'bob',
                        session => 'own', uri => '/ruled/~alice');
    my $own = opens($nodes, 0, 'channel stream', 'alice', session => 'own');

    lists($nodes, 'alice', ['bob/own', 'own'],
          'a reader by a rule is another session');
    ok($own->is_alive, 'and does not replace the own one');
    $_->leave for $by_rule, $own;

    my $gone = delete $of{'aee-stream-0'};

    $gone->leave;
    @names = sort keys %of;
    lists($nodes, 'bob', \@names, 'one has left');
    $_->leave for values %of;
    lists($nodes, 'bob', [], 'all have left');
    lists($nodes, 'alice', [], 'of alice too');
    is_deeply(delivered(), each_is(0), 'and none is counted');
};


subtest 'CLU-04 HUB-06 a message that only readers of the other gateway can get' => sub {
    my $vcp = opens($nodes, 0, 'vcp stream', 'bob', session => 'vcp');

    lists($nodes, 'bob', ['vcp'], 'one reader, of VCP');

    my $refused = submit_at($nodes, OTHER, frame('alice', 'bob'));

    is($refused->{status}, 422, 'a frame has no form for it')
        or diag $refused->{body};

    my $frames = opens($nodes, OTHER, 'channel stream', 'bob',
                       session => 'frames');

    lists($nodes, 'bob', ['frames', 'vcp'], 'and one of frames');

    for my $i (@gateways) {
        my $m = frame('alice', 'bob', text => "from $i");
        my $answer = submit_at($nodes, $i, $m);

        is($answer->{status}, 200, "a frame, gateway $i")
            or diag $answer->{body};
        is($answer->{json}{delivered}, 1, 'is delivered to one');
        is_deeply($frames->ids(1), [$m->{frame_id}]);
    }

    ok(!$vcp->event(0.1), 'and not to the other');
    $_->leave for $vcp, $frames;
    lists($nodes, 'bob', [], 'all have left');
};


# Checks that another connection has taken the session of a reader.
sub is_replaced {
    my $old = shift;

    return ok($old->ends, 'the session before ends') if !$old->can('closed');

    is_deeply($old->closed, [4409, 'another WebSocket has this session'],
              'the session before is closed');
}


for my $kind (KINDS) {
    subtest "CLU-04 ACH-20 $kind: a name has one session at both gateways" => sub {
        my ($protocol) = split / /, $kind;
        my $other = opens($nodes, 0, $kind, 'carol', session => 'only');
        my $old = opens($nodes, 0, $kind, 'bob', session => 'only');

        # both directions, more than once
        for my $i (OTHER, 0, OTHER, OTHER, 0, 0, OTHER) {
            my $new = opens($nodes, $i, $kind, 'bob', session => 'only');

            is_replaced($old);
            lists($nodes, 'bob', ['only'], 'one is listed');

            my $id = say($nodes, 0, $protocol, 'alice', 'bob');

            is_deeply($new->ids(1), [$id], 'the new one gets messages');
            $old = $new;
        }

        # several at once
        my @all = map { opens($nodes, $_, $kind, 'bob', session => 'only') }
                  (@gateways) x 3;

        is_replaced($old);
        lists($nodes, 'bob', ['only'], 'of several one is left');
        ok($nodes->wait_for(sub {
               $_->can('fill') ? $_->fill(0.01) : $_->message(0.01)
                   for grep { $_->is_open } @all;
               return 1 == grep { $_->is_open } @all }), 'and the others end');

        my ($left) = grep { $_->is_open } @all;

        ok($left && $left->is_alive, 'it works');
        ok($other->is_alive, "another principal's is not replaced");
        $_->leave for $other, @all;
        lists($nodes, 'bob', [], 'none is left');
    };
}


subtest 'CLU-07 ACH-25 the sessions of a worker that dies leave at once' => sub {
    my @here = OTHER ? opens($nodes, 0, 'channel stream', 'bob',
                             session => 'here') : ();
    my %of = map { my $kind = (KINDS)[$_ % KINDS];
                   ("n$_" => opens($nodes, OTHER, $kind, 'bob',
                                   session => "n$_")) }
             10 .. 21;

    # the worker with most connections
    my %files = map { $_ => scalar(() = glob "/proc/$_/fd/*") }
                $nodes->workers(OTHER);
    my ($worker) = sort { $files{$b} <=> $files{$a} } keys %files;

    lists($nodes, 'bob', [sort keys %of, @here ? 'here' : ()],
          'all are listed');

    my $began = time;

    kill 'KILL', $worker;

    # until its connections are closed
    my @left;

    $nodes->wait_for(sub {
        @left = grep { !is_gone($of{$_}) } sort keys %of;
        return @left <= keys(%of) / 2;
    });

    lists($nodes, 'bob', [sort @left, @here ? 'here' : ()],
          'the sessions of the other worker are left');
    cmp_ok(time - $began, '<', 4, 'soon');
    ok($_->is_alive, 'another stream stays') for @of{@left}, @here;

    # the worker that begins again
    $nodes->wait_up(nodes => [OTHER]);

    my @new = map { opens($nodes, OTHER, 'channel stream', 'bob',
                          session => "x$_") } 1 .. 4;

    lists($nodes, 'bob',
          [sort @left, (@here ? 'here' : ()), map { "x$_" } 1 .. 4], 'new ones are listed');

    my $id = say($nodes, 0, 'channel', 'alice', 'bob');

    is_deeply($_->ids(1), [$id], 'and get messages') for @new, @here;
    $_->leave for values %of, @new, @here;
    lists($nodes, 'bob', [], 'none is left');
};


subtest 'CLU-07 CLU-09 a gateway that is stopped for longer than its lease' => sub {
    my $stream = opens($nodes, OTHER, 'channel stream', 'bob',
                       session => 'frozen');
    my @workers = $nodes->workers(OTHER);

    kill 'STOP', @workers;

    if (OTHER) {
        is_deeply(sessions($nodes, 0, 'bob', 0), [],
                  'its sessions leave the roster');
    } else {
        sleep LEASE + 2;
    }

    my @sent = OTHER ? map { say($nodes, 0, 'channel', 'alice', 'bob') } 1 .. 3
                     : ();

    kill 'CONT', @workers;
    $nodes->wait_up;
    push @sent, say($nodes, OTHER, 'channel', 'alice', 'bob');

    my $got = $stream->ids(scalar @sent, 10);

    # its stream goes on, or ends and continues at the other gateway
    if ($stream->{ended}) {
        my $again = opens($nodes, 0, 'channel stream', 'bob',
                          session => 'frozen', after => $stream->place);

        push @$got, @{ $again->ids(@sent - @$got) };
        $stream = $again;
    }

    is_deeply($got, \@sent, 'each message once, in order');
    lists($nodes, 'bob', ['frozen'], 'the stream that is open is listed');
    $stream->leave;
    lists($nodes, 'bob', [], 'and leaves');
};


if (OTHER) {
    subtest 'CLU-07 ACH-25 the sessions of a gateway that ends leave at once' => sub {
        my @here = map { opens($nodes, 0, 'channel stream', 'bob',
                               session => "h$_") } 1, 2;
        my @there = map { opens($nodes, 1, $_, 'bob', session => s/ //r) }
                    KINDS;

        is_deeply(sessions($nodes, 0, 'bob', 8),
                  [sort qw(h1 h2), map { s/ //r } KINDS], 'all are listed');

        $nodes->stop(1);

        my $began = time;

        is_deeply(sessions($nodes, 0, 'bob', 2), [qw(h1 h2)],
                  'then the others');
        cmp_ok(time - $began, '<', LEASE - 1, 'without waiting for the lease');
        ok($_->is_alive) for @here;
        $_->leave for @here, @there;
        $nodes->begin(1);
        lists($nodes, 'bob', [], 'none is left');
    };


    subtest 'CLU-07 ACH-25 the sessions of a gateway that is killed leave after its lease' => sub {
        my @here = map { opens($nodes, 0, 'channel stream', 'bob',
                               session => "h$_") } 1, 2;
        my @there = map { opens($nodes, 1, 'channel stream', 'bob',
                                session => "t$_") } 1 .. 3;

        lists($nodes, 'bob', [qw(h1 h2 t1 t2 t3)], 'all are listed');
        $nodes->kill(1);

        my $began = time;

        is_deeply(sessions($nodes, 0, 'bob', 5), [qw(h1 h2 t1 t2 t3)],
                  'not before');

        # a name of the dead gateway can be used at once
        my $again = opens($nodes, 0, 'channel stream', 'bob', session => 't3');

        is_deeply(sessions($nodes, 0, 'bob', 3), [qw(h1 h2 t3)],
                  'then the others');

        my $took = time - $began;

        cmp_ok($took, '>', 1, 'not before the end of the lease');
        cmp_ok($took, '<', LEASE + 2 + 1, 'within the lease and two seconds');
        is(submit_at($nodes, 0, frame('alice', 'bob'))->{json}{delivered}, 3,
           'and they are not counted');
        $nodes->begin(1);

        my $back = opens($nodes, 1, 'channel stream', 'bob', session => 't1');

        lists($nodes, 'bob', [qw(h1 h2 t1 t3)], 'it begins again');
        $_->leave for @here, $again, $back;
        lists($nodes, 'bob', [], 'none is left');
    };
}


no_alerts();


# ---- without retained messages

$nodes = undef;
$nodes = stream_nodes($redis, nodes => OTHER + 1, retain => '',
                      words => 'prefix=bare lease=' . LEASE . 's');

for my $pair (@pairs) {
    my ($from, $to) = @$pair;

    subtest "CLU-04 VCP-33 nothing is retained: published at gateway $from, read at $to" => sub {
        my $ended = sub {
            return $nodes->status($from)->metric(
                'parley_jobs_ended_total{how="delivered"}');
        };
        my $before = $ended->();
        my @readers = map { opens($nodes, $to, $_, 'bob', session => s/ //r) }
                      ('channel stream', 'vcp websocket', 'vcp stream',
                       'channel websocket');
        my ($frames) = @readers;

        is($frames->opened->{json}{retention}{count}, 0, 'it is told');

        my @sent = map { (say($nodes, $from, 'vcp', 'alice', 'bob'),
                          say($nodes, $from, 'channel', 'alice', 'bob')) }
                   1 .. 10;
        my @vcp = @sent[grep { $_ % 2 == 0 } 0 .. $#sent];
        my $got = $frames->ids(scalar @sent);

        is_deeply([@$got[grep { $_ % 2 } 0 .. $#sent]],
                  [@sent[grep { $_ % 2 } 0 .. $#sent]], 'frames');
        is_deeply($_->ids(scalar @vcp), \@vcp, 'messages of VCP')
            for @readers[1, 2];
        ok($nodes->wait_for(sub { $ended->() - $before == @vcp }),
           'which are delivered');

        # what comes while it is away is gone, which it is told
        my $place = $frames->place;

        $frames->leave;
        say($nodes, $from, 'channel', 'alice', 'bob', text => 'gone');
        ok($nodes->wait_for(sub {
               my $again = opens($nodes, $to, 'channel stream', 'bob',
                                 session => 'a', after => $place);
               my $first = $again->event(1);

               $again->leave;
               return $first && ($first->{event} // '') eq 'gap' }), 'a gap');
        $_->leave for @readers[1 .. 3];
        lists($nodes, 'bob', [], 'all have left');
    };
}

no_alerts();


sub no_alerts {
    for my $i ($nodes->all) {
        is($nodes->nginx($i)->logged(
               qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/),
           0, "no alert, gateway $i");
    }
}

done_testing();
