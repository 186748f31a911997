# Agents over MoQ under stress: they die, reset streams, lose their connection and
# resume, while nginx is reloaded, workers are killed, and the service answers
# late, refuses, or dies.  Every CMD and every message of a mailbox is accounted
# for, and memory stays flat.
#
# SOAK_TIME is the number of seconds; make soak-moq TIME=600 makes a long run.
# SOAK_ACTS has the names of the faults, by default all.

use strict;
use warnings;

use lib 't/lib';

use List::Util qw(max min shuffle);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(is_sanitized port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Soak;
use Parley::Status;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

use constant {
    PATIENCE => 40,         # seconds for the last answers, after the faults
    GROWTH => 6 << 10,      # KB that a worker may grow by, and a tenth
};

my $time = $ENV{SOAK_TIME} || 12;
my $steady = max(4, $time / 4);         # the last part, without reloads
my $dir = tmp_dir();
my @agents = qw(camera viewer planner lamp);
my @readers = qw(reader door);

spew("$dir/quic.key", join '', map { chr int rand 256 } 1 .. 32);
spew("$dir/service", '');

# notes each CMD with the worker that sent it, before it answers
my $service = Parley::Upstream->start(port(2), <<"EOF_SCRIPT");
    srand($seed ^ (\$\$ << 8) ^ length \$q->{body});

    my \$n = \$q->{json}{payload}{n};
    my \$how = rand() < 0.05 ? 'dies' : rand() < 0.05 ? 'refused' : 'taken';
    my \$began = time;
    my \$token = "\$\$." . int rand 1 << 30;

    sleep rand 1.5 if rand() < 0.2;
    open my \$out, '>>', '$dir/service' or die;
    syswrite \$out, "\$how \$n \$q->{headers}{'x-worker'} \$began "
                    . time . " \$token\\n";

    POSIX::_exit(0) if \$how eq 'dies';
    return \$c->answer(503, [], '{}') if \$how eq 'refused';
    \$c->answer(200, [], jcs({ action => \$q->{json}{action},
                              session_id => \$q->{json}{session_id},
                              status => 'approved',
                              payload => { n => \$n, token => \$token,
                                           pad => 'y' x rand 3000 } }));
EOF_SCRIPT

# a task keeps a question for 10 minutes, which counts to the sender's share
my $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
    identities => moq_identities(map { $_ => {} } @agents, @readers),
    zone => 'agents:' . (32 + int $time / 4) . 'm', messages => '/service',
    more => 'parley_retain count=100000 time=1h; parley_replay size=16m;',
    server => "quic_host_key $dir/quic.key; keepalive_timeout 5s;",
    locations => <<'EOF_LOCATIONS'));
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_set_header X-Worker $pid;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOF_LOCATIONS
my $status = Parley::Status->new(port => port(3));


# ---- agents

# Opens a connection and an agent session; returns undef if it has none.
sub opens {
    my ($moq, $who, $out, %ids) = @_;

    my $began = time;
    my $c = $moq->connect("$who#1", token => undef, idle => 8);
    my $ack = eval { $c->setup && $c->init(%ids) };

    printf $out "opened %.2f %.3f\n", time - $began, time if $ack;

    return $c if $ack && $ack->{json}{status} eq 'approved';

    my $end = $c->event('closed', undef, 0);

    printf $out "unopened %.2f %s %.3f\n", time - $began,
           $ack ? jcs($ack->{json}) : $end ? "$end->{code} $end->{reason}"
                                           : 'nothing', time;
    $c->do('drop');
    sleep 0.1;

    return undef;
}


# Ends a connection: the agent dies, or closes it.
sub leaves {
    my $c = shift;

    return if $c->moq->{over}{$c->name};

    $c->do('close') if rand() < 0.4;
    $c->do('drop');
    $c->moq->sync;
}


# Opens a stream, and resets it at any octet of a CMD.
sub resets {
    my ($c, $cmd) = @_;

    my $frame = frame_octets(jcs($cmd), session => pack('H16', $c->{id}),
                             stream => 1 + int rand 1 << 20);
    my $name = 'reset' . ++$c->{resets};

    if (rand() < 0.2) {
        $c->do('open', as => $name, kind => 'uni', octets => substr
               "\x18" . chr($c->{track}) . "\x00\x80\x00", 0, 1 + int rand 5);

    } else {
        $c->do('stream', as => $name,
               header => { track_alias => $c->{track},
                           group => 100000 + $c->{resets} },
               objects => [{ length => length $frame,
                             payload => substr $frame, 0,
                                               int rand length $frame }]);
    }

    $c->do('reset', stream => $name, code => int rand 4);
}


# Sends commands, each until it is approved, over connections that end.
sub commands {
    my ($who, $out) = @_;

    my $moq = Parley::Moq->new;
    my %ids = (session_id => uuid4(), id => sprintf '%016x', 1 + int rand 1 << 31);
    my ($n, $give_up) = (0);
    my (%open, @done);      # commands by Stream ID; some that were approved

    while (1) {
        $give_up //= time + PATIENCE if is_over('over');
        last if is_over('over') && !%open || time > ($give_up // time);

        my $c = opens($moq, $who, $out, %ids) or next;

        # a connection repeats what has no answer
        my %due = map { $_ => 0 } keys %open;
        my $until = time + 0.2 + rand 4;

        $c->do('keepalive', every => 1);

        while (!$moq->{over}{$c->name}) {
            my $now = time;

            last if $now > $until && !is_over('over')
                    || is_over('over') && !%open
                    || $now > ($give_up // $now);

            if (!is_over('over') && keys %open < 20 && rand() < 0.6) {
                $n++;
                $open{$n} = { action => 'act', session_id => $ids{session_id},
                              payload => { n => "$who-$n", pad => 'x' x
                                  (rand() < 0.2 ? rand 5000 : rand 200) } };
                $due{$n} = 0;
            }

            for my $id (shuffle grep { $due{$_} <= $now } keys %due) {
                printf $out "sent %s-%d %.3f\n", $who, $id, $now;
                $c->cmd($open{$id}, stream_id => 0 + $id);
                delete $due{$id};
            }

            if (@done && rand() < 0.1) {
                my ($id, $cmd) = @{ $done[rand @done] };

                printf $out "again %s-%d %.3f\n", $who, $id, $now;
                $c->cmd($cmd, stream_id => 0 + $id);
            }

            resets($c, { action => 'act', session_id => $ids{session_id},
                         payload => { n => "$who-reset" } })
                if rand() < 0.1;

            my $wait = rand 0.2;

            while (my $e = $c->event('cmd', undef, $wait)) {
                my $json = $e->{json} // {};
                my $payload = ref $json->{payload} eq 'HASH'
                              ? $json->{payload} : {};
                my $id = $e->{stream_id};

                printf $out "answer %s %s %s %s %.3f\n", "$who-$id",
                       $json->{status} // '-', $json->{error_code} // '-',
                       join('/', map { $payload->{$_} // '-' } qw(n token)),
                       time;
                $wait = 0;

                my $cmd = $open{$id} // next;

                if (($json->{status} // '') eq 'approved') {
                    push @done, [$id, delete $open{$id}];
                    shift @done if @done > 20;
                    delete $due{$id};
                } else {
                    $due{$id} = time + 0.3;
                }
            }
        }

        leaves($c);
    }

    print $out "stuck $who-$_ ", time, "\n" for sort keys %open;
    $moq->stop;
}


sub place { my $at = shift; return $at->{group} * 256
                                   + int($at->{object} / 65536) }


# Notes a message of the mailbox; returns its place.
sub got {
    my ($out, $e, $how) = @_;

    my $text = ref $e->{json}{payload} eq 'HASH' ? $e->{json}{payload}{text}
                                                 : undef;

    printf $out "got %s %d %s %.3f\n", $text // '- 0', place($e), $how, time;

    return place($e);
}


# Reads a mailbox, over connections that end, from the place after the last one.
sub reads {
    my ($who, $out) = @_;

    my $moq = Parley::Moq->new;
    my ($last, $mailbox, $give_up) = (-1, '');

    until (is_over('stop')) {
        my $c = opens($moq, $who, $out) or next;

        $c->do('keepalive', every => 1);
        print $out "epoch $c->{mailbox}\n" if $mailbox ne $c->{mailbox};
        $mailbox = $c->{mailbox};

        my $ok = $c->subscribe($mailbox, parameters => [
            { type => 'SUBSCRIPTION_FILTER', filter => 'LARGEST_OBJECT' } ]);

        if (!$ok || $ok->{message} ne 'SUBSCRIBE_OK') {
            print $out 'unsubscribed ', $ok ? jcs($ok) : 'nothing', "\n";
            leaves($c);
            next;
        }

        my ($largest) = map { $_->{location} } grep {
            $_->{type} eq 'LARGEST_OBJECT' } @{ $ok->{parameters} };
        my $whole = 1;

        if ($largest && place($largest) > $last) {
            my $first = $last + 1;
            my $answer = $c->ask('FETCH', fetch_type => 1,
                track_namespace => ['a2a', 'parley'], track_name => $mailbox,
                start_location => { group => $first >> 8,
                                    object => ($first & 255) << 16 },
                end_location => { group => $largest->{group},
                                  object => $largest->{object} + 1 });

            print $out 'gap ', jcs($answer), "\n"
                if $answer && $answer->{message} ne 'FETCH_OK';
            $whole = $answer && $answer->{message} eq 'FETCH_OK';

            my $id = $whole ? $answer->{request_id} : -1;
            my $fin = $whole && $c->event('fin', sub {
                ($_[0]{header}{request_id} // -1) == $id });

            # what came in order is read, also of a stream that broke
            while (my $e = $c->event('cmd', sub {
                ($_[0]{request_id} // -1) == $id }, 0))
            {
                $last = got($out, $e, 'fetched');
            }

            $whole = 0 if !$fin;
        }

        my $until = time + 0.2 + rand 4;

        while ($whole && !is_over('stop') && time < $until) {
            my $e = $c->event('cmd', sub { !defined $_[0]{request_id}
                && $_[0]{session_id} eq '0' x 16 }, 0.3);

            $last = got($out, $e, 'live') if $e;
            last if !$e && $moq->{over}{$c->name};
        }

        leaves($c);
    }

    $moq->stop;
}


# Posts messages of AEE to each reader in turn, each until it is accepted.
sub writes {
    my ($who, $out) = @_;

    my $client = Parley::Client->new(port => port(3), tls => 0);
    my $n = 0;

    until (is_over('over')) {
        my $to = $readers[$n++ % @readers];
        my $m = aee(from => "agent.$who", to => "agent.$to", type => 'task',
                    payload => { text => "$who/$to $n",
                                 pad => 'z' x (rand() < 0.1 ? 3000 : 10) });
        my $give_up = time + PATIENCE;
        my $code = 0;

        while (time < $give_up) {
            my $answer = eval {
                $client->post('/agents/aee', jcs($m),
                              Authorization => bearer($who)) } // {};

            $code = $answer->{status} // 0;
            last if $code =~ /^2/ || ($answer->{body} // '')
                                     =~ /E_MESSAGE_DUPLICATE/;
            sleep 0.05;
            $code = "stuck:$code:" . (($answer->{body} // '') =~ s/\s+/_/gr);
        }

        printf $out "%s %d %s %.3f\n", $to, $n, $code, time;
        sleep rand 0.1;
    }
}


note("seed $seed");

start("reads-$_", do { my $who = $_; sub { reads($who, @_) } }) for @readers;
start("agent-$_", do { my $who = $_; sub { commands($who, @_) } }) for @agents;
start('writes-camera', sub { writes('camera', @_) });
start('writes-lamp', sub { writes('lamp', @_) });


# ---- faults

srand $seed;

sub workers { return $nginx->workers }

my (%killed, @stopped, %acts);

# A worker that was killed does not tell that it leaves: waits for the new ones.
sub reload {
    my $started = $nginx->logged(qr/start worker process \d+/);

    kill 'HUP', $nginx->pid;
    $nginx->wait_for(qr/start worker process \d+/, $started + 2);
}

my %acts_of = (
    reload => \&reload,
    kill => sub {
        my @workers = workers();
        my $worker = $workers[rand @workers] // return;

        $killed{$worker} = time;
        kill 'KILL', $worker;
    },
    service => sub {
        push @stopped, time;
        $service->stop;
        sleep rand 1;
        $service->listen;
    },
);

my @acts = split ' ', $ENV{SOAK_ACTS} || 'reload reload reload kill service';
my $until = time + $time - $steady;

while (time < $until) {
    sleep 0.5 + rand 3;

    my $act = $acts[rand @acts];

    $acts_of{$act}->();
    $acts{$act}++;
}

# each worker is a new one after the last reload; its memory is taken after a
# third of the time that is left
sub memory {
    my $pid = shift;

    return -e "/proc/$pid/status"
           && slurp("/proc/$pid/status") =~ /RssAnon:\s+(\d+)/ ? $1 : 0;
}

reload();
sleep $steady / 3;

my %memory = map { $_ => memory($_) } workers();

sleep $steady * 2 / 3;

my %after = map { $_ => memory($_) } keys %memory;

spew("$dir/over", '');

# the readers go on until the others have ended
for my $pid (@pids[@readers .. $#pids]) {
    waitpid $pid, 0;
}

sleep 2;
spew("$dir/stop", '');
waitpid $_, 0 for @pids[0 .. $#readers];
@pids = ();


# ---- commands

sub lines { return map { [split / /] } split /\n/, slurp("$dir/$_[0]") }


# Prints all that is known of a command or a message.
sub history {
    my ($n, @files) = @_;

    diag("seed $seed, $n:");

    for my $file (@files) {
        diag("  $file: $_") for grep { / \Q$n\E(?: |$)/ }
                                split /\n/, slurp("$dir/$file");
    }

    diag("  worker $_ was killed at $killed{$_}") for sort keys %killed;
    diag("  the service stopped at $_") for @stopped;
}


my %taken;

for my $line (lines('service')) {
    push @{ $taken{$line->[1]} }, $line;
}

my (@faults, %codes);
my ($sent, $approved) = (0, 0);

for my $who (@agents) {
    my %of;

    for my $line (lines("agent-$who")) {
        my ($word, $n) = @$line;

        push @faults, ["@$line"] if $word eq 'died';
        push @{ $of{$n}{$word} }, $line if $word =~ /^(?:sent|answer|stuck)$/;
    }

    for my $n (sort keys %of) {
        my @answers = @{ $of{$n}{answer} // [] };
        my @yes = grep { $_->[2] eq 'approved' } @answers;
        my %tokens = map { $_->[4] => 1 } @yes;
        my @taken = grep { $_->[0] eq 'taken' } @{ $taken{$n} // [] };

        $sent++;
        $approved++ if @yes;
        $codes{"$_->[2] $_->[3]"}++ for @answers;

        push @faults, ["no answer: $n", $n, $who]
            if !@yes || $of{$n}{stuck};
        push @faults, ["two answers: @{[sort keys %tokens]}", $n, $who]
            if keys %tokens > 1;
        push @faults, ["of another: @{[%tokens]}", $n, $who]
            if grep { !/^\Q$n\E\// } keys %tokens;
        push @faults, ["an unknown error: @$_", $n, $who]
            for grep { $_->[2] ne 'approved'
                       && $_->[3] !~ /^(?:409|429|50\d)$/ } @answers;

        # a repeat is allowed after an error, and after the death of the service
        # or of the worker, whose request the service may read later
        my @sorted = sort { $a->[3] <=> $b->[3] } @taken;

        pop @sorted;

        for my $line (@sorted) {
            my ($worker, $began, $at) = @$line[2 .. 4];
            my $death = $killed{$worker} // 0;

            push @faults, ["the service got it twice: @$line", $n, $who]
                if !(grep({ $_->[2] ne 'approved' && $_->[3] =~ /^50/
                            && $_->[5] > $began } @answers)
                     || $death > $began - 5 && $death < $at + 1
                     || grep { $_ > $began - 0.2 && $_ < $at + 2 } @stopped);
        }
    }

    push @faults, ["a stream that was reset was used: $who"]
        if $taken{"$who-reset"};
}

cmp_ok($approved, '>', $time, "$approved of $sent commands were approved");
is_deeply([map { $_->[0] } @faults], [],
          'MOQ-14 MOQ-17 each command has one answer, the service gets it once');
history($_->[1], "agent-$_->[2]", 'service')
    for grep { defined $_->[1] } @faults[0 .. min(2, $#faults)];
note('answers: ', join ', ', map { "$_: $codes{$_}" } sort keys %codes);
note('faults: ', join ', ', map { "$_: $acts{$_}" } sort keys %acts);


# ---- mailboxes

my @mail;

# Prints the first faults, and the beginning of what each reader noted.
sub shows {
    diag("seed $seed");
    diag("  $_") for @_[0 .. min(9, $#_)];

    for my $reader (@readers) {
        my @noted = map { "reads-$reader: @$_" } lines("reads-$reader");

        diag("  $_") for @noted[0 .. min(30, $#noted)];
    }
}

for my $reader (@readers) {
    my @lines = lines("reads-$reader");
    my (%came, %highest, %places);

    push @mail, map { "@$_" } grep { $_->[0] =~ /^(?:died|gap)$/ } @lines;

    for my $line (grep { $_->[0] eq 'got' } @lines) {
        my (undef, $from, $n, $place) = @$line;

        push @mail, "of another: @$line" if $from !~ m{^\w+/\Q$reader\E$};
        push @mail, "again or late: @$line"
            if $n <= ($highest{$from} // 0)
               || $place <= ($highest{place} // -1);
        $highest{$from} = $n;
        $highest{place} = $place;
        $came{$from}{$n} = 1;
    }

    for my $writer (qw(camera lamp)) {
        my @sent = grep { $_->[0] eq $reader } lines("writes-$writer");

        cmp_ok(scalar @sent, '>', 0, @sent . " of $writer for $reader");
        push @mail, map { "stuck: @$_" } grep { $_->[2] =~ /stuck/ } @sent;
        push @mail, map { "missing at $reader, of $writer: @$_" }
                    grep { !$came{"$writer/$reader"}{$_->[1]} } @sent;
    }

    my %epochs = map { $_->[1] => 1 } grep { $_->[0] eq 'epoch' } @lines;

    is(scalar keys %epochs, 1, "$reader has one mailbox");
}

is_deeply(\@mail, [], 'MOQ-15 each message comes once, in order')
    or shows(@mail);


# ---- the gateway

# Waits until a gauge is zero.
sub zero {
    my $metric = shift;

    my $until = time + 20;

    sleep 0.2 while $status->metric($metric) != 0 && time < $until;

    is($status->metric($metric), 0, "$metric is 0 again");
}

zero($_) for qw(parley_moq_connections parley_moq_sessions);

# ASan keeps memory that was freed
for my $pid (is_sanitized() ? () : sort keys %memory) {
    my ($before, $after) = ($memory{$pid}, $after{$pid});

    cmp_ok($after, '<=', $before + $before / 10 + GROWTH,
           "a worker had $before KB, and has $after KB") if $after;
}

# the workers that were killed leave a report
my $log = $nginx->error_log =~ s/^.*exited on signal 9\b.*\n//mgr;

unlike($log, qr/^.*\[(?:alert|emerg)\].*$/m, 'no alert');
unlike($log, qr/exited on signal/, 'no worker died by itself');

$nginx->stop;

unlike($nginx->error_log, qr/AddressSanitizer|runtime error/, 'no report');

done_testing();
