# Gateways that share a store, under stress: reloads, killed workers, gateways
# and engines, stopped engines, failovers, cut connections.  Every id, frame and
# job is accounted for.
#
# SOAK_TIME is the number of seconds; make soak-store TIME=600 makes a long run.
# SOAK_ACTS has the names of the faults, by default all.

use strict;
use warnings;

use lib 't/lib';

use List::Util qw(shuffle);
use Test::More;
use Time::HiRes qw(sleep time);
use POSIX ();

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Redis;
use Parley::Sentinels;
use Parley::Soak;
use Parley::StreamNodes;
use Parley::Streams;
use Parley::Upstream;

use constant {
    NODES => 3, WORKERS => 2, LEASE => 3,

    # seconds: the lag of a failover (min-replicas-max-lag), and the time in
    # which a killed process may not have told the store of an answer
    LAG => 1, UNTOLD => 1,

    SILENT => 3,        # after which a worker that has no answers is away

    PROMOTED => 3,      # a primary that was replaced loses its replicas
    PATIENCE => 60,     # a client gives a message up
};

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $time = $ENV{SOAK_TIME} || 8;
my $dir = tmp_dir();
my $deliver = '127.0.0.1:' . port(15);

# Returns a service that notes how it has answered, in the file NAME: taken or
# refused, the message, its question, the worker and the time of the request.
sub service {
    my ($port, $name, %o) = @_;

    spew("$dir/$name", '');

    return Parley::Upstream->start($port, <<"EOT", %o);
        srand($seed ^ (\$\$ << 8) ^ length \$q->{body});

        my \$m = \$q->{json};
        my \$began = time;
        my \$how = rand() < 0.1 ? 'refused' : 'taken';

        sleep rand 0.4 if rand() < 0.1;
        open my \$out, '>>', '$dir/$name' or die;
        syswrite \$out, join(' ', \$how, \$m->{id} // \$m->{message_id},
                             \$m->{reply_to} // '-', \$q->{headers}{'x-worker'},
                             \$began) . "\\n";
        return \$how eq 'taken' ? \$c->take : \$c->answer(503, [], '{}');
EOT
}

my $service = service(port(2), 'forwarded');
my $peer = service(port(15), 'delivered', tls => 1);
my $set = Parley::Sentinels->start(
    engines => [map { port($_) } 4, 5, 6], sentinels => [port(11)],
    conf => "min-replicas-to-write 1\nmin-replicas-max-lag 1\n"
            . "appendonly yes\nappendfsync everysec\n");

my $nodes = stream_nodes(undef, url => $set->url, nodes => NODES,
    workers => WORKERS, words => 'lease=' . LEASE . 's timeout=500ms',
    identities => streams_identities(
        alice => { parent => 'lee' },
        lee => { parent => 'frank', instrument => undef },
        frank => { instrument => undef },
        dave => { deliver => "https://$deliver/dave", speaks => 'vcp' }),
    retain => 'parley_retain count=100000 time=2m;',
    with => "parley_deliver /_deliver hosts=$deliver;",
    locations => deliver_location() =~ s/\}/proxy_set_header X-Worker \$pid; }/r
                 . <<"EOT");
        location = /forward {
            parley_accept aee;
            parley_jwt on;
            proxy_set_header X-Worker \$pid;
            proxy_pass http://127.0.0.1:${\port(2)};
        }
EOT


# ---- clients

# Returns the numbers of n gateways that accept connections.
sub gateways {
    my $n = shift;

    my @up;

    sleep 0.05
        until @up = grep { $nodes->accepts($_) } shuffle 0 .. NODES - 1;

    return @up[0 .. ($n < @up ? $n : @up) - 1];
}


# Sends octets to gateways at the same time; returns the codes of the answers.
sub codes {
    my ($n, @octets) = @_;

    my @connections = map {
        my ($i, $octets) = ($_, @octets > 1 ? shift @octets : $octets[0]);
        my $c = eval {
            Parley::Client->new(port => $nodes->plain($i), tls => 0)->connect };

        $c->write($octets) if $c;
        $c } gateways($n);

    return map { code($_ && eval { $_->answer }) } @connections;
}


# Sends a message until it has a last answer; returns its code and the time of the
# first try.
sub insists {
    my ($out, $id, $octets, $at_once) = @_;

    my ($began, $again, @codes) = (time, '');
    my $until = $began + PATIENCE;

    while (time < $until) {
        @codes = codes($at_once ? 2 : 1, $octets);

        my ($last) = grep { !is_again($_) } @codes;

        return "$last $began" if defined $last;
        $again = "@codes";
        sleep 0.05;
    }

    print $out "stuck $id $again ", time, "\n";

    return "stuck $began";
}


# Sends events and tasks to the service: some to two gateways at once, and some
# again after they were taken.  A task gets two results at once.
sub asks {
    my $out = shift;

    my @before;
    my $post = sub {
        my ($m, $as) = @_;
        return post('/forward', $m, as => $as);
    };

    until (is_over('over')) {
        my $task = rand() < 0.3;
        my $m = aee(type => $task ? 'task' : 'event');
        my $octets = $post->($m, 'alice');
        my $code = insists($out, $m->{id}, $octets, rand() < 0.3);

        print $out ($task ? 'task' : 'event'), " $m->{id} $code ", time, "\n";

        if ($task) {
            my @results = map { result($m) } 1, 2;
            my @codes = (0, 0);
            my $began = time;
            my $until = $began + PATIENCE;

            while (time < $until && grep { is_again($_) } @codes) {
                @codes = codes(2, map { $post->($_, 'bob') } @results);
                sleep 0.05 if grep { is_again($_) } @codes;
                push @codes, 0 if @codes < 2;
            }

            my $how = grep({ is_again($_) } @codes) ? 'stuck' : 'results';

            print $out "$how $m->{id} @codes $began ", time, "\n";
        }

        push @before, $octets;
        shift @before if @before > 50;
        codes(1 + int rand 2, $before[rand @before]) if rand() < 0.3;
        sleep rand 0.1;
    }
}


# Publishes frames to bob and carol in turn, each until it is accepted.
sub writes {
    my ($who, $out) = @_;

    my $n = 0;

    until (is_over('over')) {
        my $to = qw(bob carol)[$n++ % 2];

        my $size = rand() < 0.05 ? 2000 : rand 1500;
        my $m = frame($who, $to, text => "$who $n " . 'x' x $size);
        my $octets = Parley::Client->new(port => 0)->request('POST',
            '/channel/frames', jcs($m), Authorization => bearer($who));
        my $code = insists($out, $n, $octets);

        print $out "$to $n $code ", time, "\n";
        sleep rand 0.1;
    }
}


# Submits messages of VCP: each goes to a URL, or goes up after its deadline.
sub submits {
    my ($to, $pause, $out) = @_;

    until (is_over('over')) {
        my $m = $to eq 'dave' ? saying('vcp', 'alice', 'dave')
                : escalation(severity => 'critical', requires_ack => true);

        $m->{sender} = 'agent://ops.example/alice';
        $m->{recipient} = "agent://ops.example/$to";

        my $octets = Parley::Client->new(port => 0)->request('POST',
            '/channel/frames', jcs($m), Authorization => bearer('alice'));
        my $code = insists($out, $m->{message_id}, $octets);

        print $out "sent $m->{message_id} $code ", time, "\n";
        sleep rand $pause;
    }
}


# Reads all events at any gateway, over connections that break, with the id of
# the last event.
sub reads {
    my ($who, $kind, $session, $out) = @_;

    my ($last, $quiet) = (undef, 0);

    until (is_over('stop') && $quiet >= 10) {
        my ($i) = gateways(1);
        my $stream = eval {
            reader($nodes, $i, $kind, $who, session => $session,
                   defined $last ? (after => $last) : ()) };

        if (!$stream || !$stream->is_open) {
            sleep 0.1;
            next;
        }

        print $out "opened $i ", $last // '-', ' ', time, "\n";

        my $leaves = time + 0.5 + rand 4;
        my $event = $stream->opened;

        while (1) {
            if ($event) {
                my $m = $event->{json} // {};

                $last = $event->{id} if defined $event->{id};
                $quiet = 0;
                print $out "$event->{event} $last ", time, "\n"
                    if defined $event->{event};
                print $out "$1 $2 $last\n"
                    if ($event->{data} // '') =~ /"advisory_text":"(\w+) (\d+)/;
                print $out "escalation $m->{message_id} $last\n"
                    if ($m->{type} // '') eq 'escalation';
            }

            last if is_over('stop') ? $quiet >= 10
                                    : time > $leaves && rand() < 0.3;
            $event = $stream->event(0.5);
            last if !$event && $stream->{ended};
            $quiet++ if !$event;
        }

        eval { $stream->leave };
    }
}


my %kind = (bob => 'channel stream', carol => 'channel stream',
            frank => 'vcp stream', lee => 'vcp stream');
my @readers = qw(bob bob carol carol frank lee);

for my $i (0 .. $#readers) {
    my $who = $readers[$i];

    start("read-$i", sub { reads($who, $kind{$who}, "soak-$i", @_) });
}

for my $i (0 .. $#readers) {
    ok($nodes->wait_for(sub { slurp("$dir/read-$i") =~ /^ready/m }),
       "reader $i is ready");
}

start("ask-$_", \&asks) for 1, 2;
start("write-$_", do { my $who = $_; sub { writes($who, @_) } })
    for qw(alice dave);
start('deliver', sub { submits('dave', 0.6, @_) });
start('raise', sub { submits('lee', 2, @_) });


# ---- faults

# The time of the death of each worker; the gateways that never died; the times
# in which the store was away, in which the primary was dead, and in which data
# may be lost: also by a replaced primary that goes on, until it has no replicas.
my (%died, %lives, @away, @dead, @lag, %done);
my ($generations, $promoted) = (0, 0);

$lives{$_} = 1 for 0 .. NODES - 1;

sub generation {
    my @all = map { $nodes->status($_)->metric('parley_store_generation') }
              $nodes->all;

    return (sort { $b <=> $a } @all)[0];
}

sub lost {
    my ($i, $why) = @_;
    return $nodes->status($i)
                 ->metric(qq(parley_store_lost_total{why="$why"}));
}

# Waits until the primary has its replicas, and all workers use it.
sub settle {
    Parley::Sentinels::wait_for('two replicas', sub {
        my $primary = $set->primary or return 0;
        return 2 == (() = $primary->cli('INFO', 'replication')
                          =~ /state=online/g);
    });

    for my $i ($nodes->all) {
        Parley::Sentinels::wait_for("gateway $i with the store", sub {
            return $nodes->status($i)->metric('parley_store_up') >= WORKERS });
    }
}

sub kill_worker {
    my $i = ($nodes->all)[rand $nodes->all];
    my @workers = $nodes->workers($i);
    my $pid = $workers[rand @workers] or return;

    $died{$pid} = time if kill 'KILL', $pid;
}

# fails: the primary acknowledges nothing afterwards.
sub away {
    my ($act, $fails) = @_;
    my $from = time;

    $act->();
    kill_worker() if rand() < 0.2;
    settle();
    push @away, [$from, time];
    push @dead, [$from, time] if $fails;
    push @lag, [$from - LAG, $from + LAG, 'failure'] if $fails;
}

my %acts = (
    reload => sub { $nodes->nginx(($nodes->all)[rand $nodes->all])->reload },

    worker => \&kill_worker,

    gateway => sub {
        my $i = ($nodes->all)[rand $nodes->all];
        my @workers = $nodes->workers($i);
        my $now = time;

        $nodes->kill($i);
        delete $lives{$i};
        $died{$_} = $now for @workers;
        sleep rand LEASE + 2;
        $nodes->begin($i);
    },

    cut => sub {
        my $type = (qw(normal normal pubsub replica))[rand 4];

        away(sub { $set->primary->cli('CLIENT', 'KILL', 'TYPE', $type,
                                      'SKIPME', 'yes') });
    },

    pause => sub {
        away(sub {
            my $primary = $set->primary;

            $primary->pause;
            sleep 0.1 + rand 0.8;
            $primary->resume;
        });
    },

    restart => sub {        # its file may lack the last second
        push @lag, [time - LAG, time + LAG, 'restart'];
        away(sub {
            my $primary = $set->primary;

            $primary->kill;
            $primary->begin;
            $generations++;
        });
    },

    replica => sub {
        away(sub {
            my ($replica) = grep { $_->port != $set->primary->port }
                            shuffle $set->engines;
            $replica->kill;
            sleep rand 1;
            $replica->begin;
        });
    },

    killed => sub {
        away(sub {
            my $old = $set->primary;

            $old->kill;
            $set->wait_switch($old);
            $old->begin;
            $generations++;
        }, 1);
    },

    stopped => sub {
        away(sub {
            my $old = $set->primary;

            $old->pause;
            $set->wait_switch($old);
            push @lag, [time, time + LAG, 'resumed'];   # answers at once
            $old->resume;
            $generations++;
        }, 1);
    },

    hand => sub {
        away(sub { $set->switch($set->primary); $generations++ });
    },
);

srand $seed;

my $before = generation();
my %counted = map { $_ => lost($_, 'generation') } $nodes->all;
my $until = time + $time;
my @names = $ENV{SOAK_ACTS} ? split /[ ,]/, $ENV{SOAK_ACTS} : sort keys %acts;

# a short run has one failover
my @next = $ENV{SOAK_ACTS} || $time >= 60 ? shuffle @names
           : (shuffle(qw(reload worker gateway cut)),
              (qw(killed stopped))[rand 2]);

while (time < $until || @next) {
    my $name = shift @next // $names[rand @names];
    my $began = time;

    $done{$name}++;

    eval { $acts{$name}->(); 1 } or die "$name: $@";
    note(sprintf 'at %.1f s: %s, %.1f s', $began - $^T, $name, time - $began)
        if $time >= 60;
    sleep 0.2 + rand 1;
}

settle();
spew("$dir/over", '');
note("seed $seed: ", join ', ', map { "$done{$_} $_" } sort keys %done);

my $deadline = time + PATIENCE + 20;
my @clients = splice @pids, scalar @readers;

@clients = grep { waitpid($_, POSIX::WNOHANG()) == 0 } @clients
    while @clients && time < $deadline && sleep 0.05;
is(scalar @clients, 0, 'the senders have come to an end');

sub lines { return map { [split / /] } split /\n/, slurp("$dir/$_[0]") }

# Returns messages that were accepted: the id, the times of the first try and of
# the answer.
sub accepted {
    my ($file, $word) = @_;
    return map { [@$_[1, 3, 4]] }
           grep { $_->[0] eq $word && $_->[2] =~ /^2/ } lines($file);
}

my @sent = accepted('deliver', 'sent');
my @raised = accepted('raise', 'sent');

# jobs end one after another, with four attempts and the pauses between them
$nodes->wait_for(sub {
    return !grep { $nodes->status($_)->json->{jobs}{pending} } $nodes->all;
}) for 1 .. 6;

spew("$dir/stop", '');

my @left = @pids;

$deadline = time + 60;
@left = grep { waitpid($_, POSIX::WNOHANG()) == 0 } @left
    while @left && time < $deadline && sleep 0.05;
is(scalar @left, 0, 'and the readers');

for my $file (qw(ask-1 ask-2 write-alice write-dave deliver raise),
              map { "read-$_" } 0 .. $#readers)
{
    my $text = slurp("$dir/$file");

    unlike($text, qr/^died/m, "$file goes on");
    is(join('; ', $text =~ /^(stuck .*)$/mg), '', 'no message waits for long');
}


# ---- each loss and each message that passed twice has a reason

# A primary that is alive while a replica is promoted, also after a restart, acks
# messages for some time.  Both may begin a generation of the same number.
for my $at (map { promotions($_->log) } $set->engines) {
    next if overlapped($at, $at, @dead);
    push @lag, [$at - LAG, $at + PROMOTED, 'promotion'];
    $promoted++;
}

my %lost;

# Returns those times that two times, or one, overlap.
sub overlapped {
    my ($from, $to, @times) = @_;
    return grep { $_->[0] <= $to && $from <= $_->[1] } @times;
}

# Returns whether a message that passed a worker at a time may pass again: the
# worker died before it told the store, or a failover lost it.
sub may_repeat {
    my ($worker, $at) = @_;

    my $died = $died{$worker};

    return 1 if defined $died && $died > $at - UNTOLD
                && ($died < $at + UNTOLD
                    || grep { $_->[0] < $at + UNTOLD && $died < $_->[1] } @away);
    return may_miss($at);
}

# Returns whether a message may be lost that was sent and accepted at these times:
# a gateway that knows its id also accepts it after the failover.
sub may_miss {
    my ($from, $to) = @_;

    my ($lag) = overlapped($from, $to // $from, @lag);

    $lost{$lag->[2]}++ if $lag;

    return defined $lag;
}

my $logs = join '', map { slurp($_) } glob "$dir/nginx-*/error.log";
my $out = store_away($logs);

# Returns whether the other gateways may not know a question that passed a worker
# at a time, when an answer passes: a failover lost it, or its worker lost the
# store before it was answered, and has not sent it again.
sub may_be_unknown {
    my ($worker, $at, $answered) = @_;

    return 1 if may_miss($at);

    my ($out) = grep { $_->[0] >= int $at && $_->[0] <= $at + SILENT
                       && $answered <= $_->[1] } @{ $out->{$worker} // [] };

    $lost{'late question'}++ if $out;

    return defined $out;
}

# Returns the times at which messages passed a service, by a field of a line.  A
# service notes a message when it has answered.
sub passed {
    my ($file, $how, $field) = @_;
    my %passed;

    for my $line (lines($file)) {
        push @{ $passed{$line->[$field]} }, $line if $line->[0] eq $how;
    }

    $_ = [sort { $a->[4] <=> $b->[4] } @$_] for values %passed;

    return \%passed;
}

my $taken = passed('forwarded', 'taken', 1);

my @twice = grep { my @all = @{ $taken->{$_} };
                   pop @all;
                   grep { !may_repeat(@$_[3, 4]) } @all } sort keys %$taken;
my @asked = map { accepted($_, 'event'), accepted($_, 'task') } 'ask-1', 'ask-2';

cmp_ok(scalar @asked, '>', 0, @asked . ' messages were accepted');
is_deeply([map { join '; ', map { "@$_" } @{ $taken->{$_} } } @twice], [],
          'CLU-01 CLU-10 the service gets each id once');
is_deeply([grep { !$taken->{$_->[0]} } @asked], [],
          'CLU-01 and gets each accepted one');

my @codes = grep { /^(?:event|task) \S+ (?!202|E_MESSAGE_DUPLICATE)/ }
            map { split /\n/, slurp("$dir/$_") } 'ask-1', 'ask-2';

is_deeply(\@codes, [], 'other answers say that it is to be sent again');
is_deeply([grep { !$taken->{(split / /)[1]} }
           map { slurp("$dir/$_") =~ /^(\w+ \S+ E_MESSAGE_DUPLICATE .*)$/mg }
               'ask-1', 'ask-2'], [],
          'CLU-01 a duplicate is one of a message that was forwarded');

# a result that was taken again after a lost answer counts once
my (%final, @finals);

for my $line (map { @$_ } values %$taken) {
    push @{ $final{$line->[2]}{$line->[1]} }, $line if $line->[2] ne '-';
}

for my $line (map { lines($_) } 'ask-1', 'ask-2') {
    next if $line->[0] ne 'results';

    my ($task) = @{ $taken->{$line->[1]} // [] };
    my @taken = sort { $a->[4] <=> $b->[4] }
                map { $_->[-1] } values %{ $final{$line->[1]} // {} };

    if (!@taken) {
        push @finals, "none: @$line" if !$task
            || !may_miss($task->[4], $line->[-1]);

    } else {
        pop @taken;
        push @finals, map { "two: @$_; @$line; task @{$task // []}" }
                      grep { !may_repeat(@$_[3, 4])
                             && !($task && may_be_unknown(@$task[3, 4],
                                                          $_->[4])) } @taken;
    }
}

is_deeply(\@finals, [], 'CLU-02 a task has one final answer');


# ---- jobs

my $delivered = passed('delivered', 'taken', 1);
my $refused = passed('delivered', 'refused', 1);
my $repeated = 0;
my @jobs;

# a worker that died, or that the engine could not tell of the end
sub may_attempt {
    my ($worker, $at) = @_;

    return may_repeat($worker, $at)
           || overlapped($at, $at, map { [$_->[0] - UNTOLD, $_->[1]] } @away);
}

for my $job (@sent) {
    my ($id, @at) = @$job;
    my @yes = @{ $delivered->{$id} // [] };
    my @all = sort { $a->[4] <=> $b->[4] } @yes, @{ $refused->{$id} // [] };
    my @again = @all > 4 ? grep { may_attempt(@$_[3, 4]) } @all : ();

    if (!@yes) {
        push @jobs, "lost: $id at @at: " . join '; ', map { "@$_" } @all
            if !($logs =~ /undelivered.*\Q$id\E/ && @all >= 4)
               && !may_miss(@at);

    } else {
        pop @yes;
        push @jobs, map { "twice: @$_" } grep { !may_attempt(@$_[3, 4]) } @yes;
        $repeated += @yes;
    }

    push @jobs, "too often: $id: " . join '; ', map { "@$_" } @all
        if @all > 4 + @again;
}

cmp_ok(scalar @sent, '>', 0, @sent . ' messages to a URL');
is_deeply(\@jobs, [], 'CLU-06 HUB-09 each is delivered once, or reported');


# ---- frames

my (%accepted, %meaning, @places, @frames);

# Returns the faults of a reader: a frame comes twice or in another order only
# after a gap, and is missing only if there is one, within the lag of a failover.
sub faults {
    my ($reader, $sender, $accepted) = @_;

    my (%came, @faults, $highest, $gap);

    for my $line (lines("read-$reader")) {
        my ($word, $n, $place) = @$line;

        if ($word eq 'gap') {
            ($highest, $gap) = (undef, 1);
            next;
        }

        next if $word ne $sender;

        my $what = "$sender $n";

        push @places, "$place: $meaning{$place}, $what"
            if ($meaning{$place} //= $what) ne $what;
        push @faults, "again or late: $n at $place"
            if defined $highest && $n <= $highest;
        $highest = $n;
        $came{$n} = 1;
    }

    push @faults, map { "missing: $_->[0] at $_->[2]" }
                  grep { !$came{$_->[0]} && !($gap && may_miss(@$_[1, 2])) }
                  @$accepted;

    return map { "reader $reader, $sender: $_" } @faults;
}

for my $i (0 .. 3) {
    for my $who (qw(alice dave)) {
        my @accepted = map { [@$_[1, 3, 4]] }
                       grep { $_->[0] eq $readers[$i] && $_->[2] =~ /^2/ }
                       lines("write-$who");

        cmp_ok(scalar @accepted, '>', 0, @accepted . " of $who for reader $i");
        push @frames, faults($i, $who, \@accepted);
    }
}

is_deeply(\@frames, [], 'CLU-04 CLU-05 HUB-01 each reader has each frame once, '
          . 'in order, or a gap');
is_deeply(\@places, [], 'CLU-10 no event id means two frames');

cmp_ok(scalar @raised, '>', 0, @raised . ' escalations');

for my $i (4, 5) {
    my %came = map { $_->[1] => 1 } grep { $_->[0] eq 'escalation' }
               lines("read-$i");

    is_deeply([grep { !$came{$_->[0]} && !may_miss(@$_[1, 2]) } @raised], [],
              "CLU-06 VCP-24 $readers[$i] gets each");
}


# ---- reports

my $grown = generation() - $before;

cmp_ok($grown, '>=', $generations, "$grown generations");

# the workers that used the store before and after it report it
my %reported = map { $_ => 1 } $logs =~
    /the engine has restarted, or is another one: .*\(generation (\d+)\)/g;

is_deeply([grep { !$reported{$_} } $before + 1 .. $before + $grown], [],
          'CLU-10 each is logged');

for my $i (sort keys %lives) {
    cmp_ok(lost($i, 'generation') - $counted{$i}, '>', 0,
           "and counted by gateway $i") if $grown;
}

for my $i (0 .. $#readers) {
    my @gaps = slurp("$dir/read-$i") =~ /^gap/mg;

    cmp_ok(scalar @gaps, '<=', $grown + $promoted, "reader $i has no other gap");
}

note('lost or passed twice within the lag of failovers: ',
     join(', ', map { "$lost{$_} $_" } sort keys %lost) || 'nothing',
     "; $repeated deliveries came twice");

for my $i ($nodes->all) {
    is($nodes->status($i)->json->{jobs}{pending}, 0, "gateway $i has no job");
    is(lost($i, $_), 0, "nothing is lost: $_") for qw(id format);
}

is_deeply(sessions($nodes, 0, $_, 0), [], "CLU-07 no session of $_ is left")
    for sort keys %kind;
unlike($logs, qr/out of memory/, 'a message that is refused says why');
unlike($logs, qr/\[emerg\]|exited on signal (?!9\b)\d+/,
       'no worker died by itself');

$nodes->stop($_) for $nodes->all;

done_testing();
