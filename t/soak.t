# Streams under stress: reloads, killed workers, readers that are slow, that
# leave and come back, a zone that becomes full.  Every accepted frame comes to
# every reader, once and in the order of its sender.
#
# SOAK_TIME is the number of seconds; make soak TIME=600 makes a long run.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);
use POSIX ();

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp spew tls children);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Soak;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;

my $time = $ENV{SOAK_TIME} || 8;
my $dir = tmp_dir();
my @readers = qw(alice alice alice carol carol carol);
my @writers = qw(bob carol);

# a slow reader's records are kept; another principal fills the zone
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    zone => 'streams:64m share=15%', stream => 'channel lag=64k keepalive=1s',
    more => 'parley_retain count=100000 time=60s;',
    locations => 'location /roster/ { parley_jwt on; '
               . 'parley_roster channel; }'));


# Runs a request, and reports an answer that took too long.
sub ask {
    my ($out, $what, $ask) = @_;

    my $from = time;
    my $answer = eval { $ask->() };

    printf $out "late %s: %.1f s, %s\n", $what, time - $from, $@ || 'answered'
        if time - $from > 18;

    return $answer;
}


# Sends frames to two handles in turn, each until it is answered.  The id is
# the same each time, so the frame is delivered once.
sub writes {
    my ($who, $out) = @_;

    my $n = 0;

    until (is_over('over')) {
        my $to = qw(alice carol)[$n++ % 2];
        my $frame = frame($who, $to, text => "$who $n " . 'x' x rand 1500);

        while (1) {
            my $answer = ask($out, $frame->{frame_id},
                             sub { submit($frame) }) // {};

            if (($answer->{status} // 0) == 200) {
                print $out "$to $n\n";
                last;
            }

            print $out "again $n\n" if ($answer->{status} // 0) !~ /^4/;

            # refused for another reason than missing room or a temporary state
            if (($answer->{status} // 0) =~ /^4/ && $answer->{status} != 429
                && ($answer->{json}{code} // '') ne 'message-in-flight')
            {
                die "$answer->{status} $answer->{body}\n";
            }

            return if is_over('stop');
            sleep 0.05;
        }

        sleep rand 0.02;
    }
}


# Reads all events, over connections that break, with the id of the last event.
sub reads {
    my ($who, $session, $out) = @_;

    my ($last, $quiet) = (undef, 0);
    my @over = rand() < 0.5 ? (port => port(4), tls => 1) : ();

    while (1) {
        my $stream = ask($out, $session, sub {
            listen_to($who, session => $session, @over,
                      defined $last ? (last => $last) : ());
        });

        if (!$stream || $stream->status != 200) {
            sleep 0.1;
            next;
        }

        my $leaves = time + 0.2 + rand 2;
        my $event = $stream->opened;

        while (1) {
            if ($event) {
                $last = $event->{id} if defined $event->{id};
                print $out "gap $event->{data}\n"
                    if ($event->{event} // '') eq 'gap';
                print $out "ready $last\n"
                    if ($event->{event} // '') eq 'ready';
                print $out "$1 $2 $last\n"
                    if ($event->{data} // '') =~ /"advisory_text":"(\w+) (\d+)/;
                $quiet = 0;
            }

            sleep rand 0.05 if rand() < 0.05;

            # the writers have ended, and all their frames came
            if (is_over('stop')) {
                return if $quiet >= 6;

            } elsif (time > $leaves && rand() < 0.3) {
                last;
            }

            $event = $stream->event(0.5);

            last if !$event && $stream->{ended};
            $quiet++ if !$event;
        }

        eval { $stream->leave };
    }
}


start("read-$_", do {
    my ($who, $i) = ($readers[$_], $_);
    sub { reads($who, "soak-$i", @_) }
}) for 0 .. $#readers;

# waits until all readers are ready for the first frame
for my $i (0 .. $#readers) {
    my $until = time + 20;
    sleep 0.02 while time < $until && slurp("$dir/read-$i") !~ /^ready/m;
}

start("write-$_", do { my $who = $_; sub { writes($who, @_) } })
    for @writers;

# fills the zone up to the share of one account, which alone is refused
start('fill', sub {
    my $out = shift;

    until (is_over('over')) {
        my $answer = ask($out, 'fill', sub {
            submit(frame('dave', 'bob', kind => 'agent_handover', payload => {
                previous_session_id => 's', handover_body => 'y' x 100_000 }));
        }) // {};

        print $out(($answer->{status} // 0) . "\n");
        sleep 0.05 if ($answer->{status} // 0) != 200;
    }
});


# ---- stress during the run

srand $seed;

my $until = time + $time;
my ($killed, $reloaded) = (0, 0);

while (time < $until) {
    sleep 0.4 + rand 1;

    if (rand() < 0.6) {
        my $pid = $nginx->pid;
        my @workers = children($pid);

        kill 'KILL', $workers[rand @workers] if @workers;
        $killed++;

    } else {
        $nginx->reload;
        $reloaded++;
    }
}

spew("$dir/over", '');
sleep 1;
spew("$dir/stop", '');

my @left = @pids;

$until = time + 60 + $time / 4;
@left = grep { waitpid($_, POSIX::WNOHANG()) == 0 } @left
    while @left && time < $until && sleep 0.05;

is(scalar @left, 0, 'everybody has come to an end');


# ---- every accepted frame is counted

note("seed $seed, $killed workers killed, $reloaded reloads");

# A frame that came again after a lost answer is delivered once too.
my (%accepted, $total, $again);

for my $who (@writers) {
    my $text = slurp("$dir/write-$who");

    unlike($text, qr/^died/m, "$who writes");
    push @{ $accepted{$1}{$who} }, $2
        while $text =~ /^(alice|carol) (\d+)$/mg;
    $again += () = $text =~ /^again \d+$/mg;
}

for my $i (0 .. $#readers) {
    my $text = slurp("$dir/read-$i");
    my %came;

    unlike($text, qr/^died/m, "reader $i of $readers[$i]");
    unlike($text, qr/^gap/m, 'nothing is said to be gone');
    push @{ $came{$1} }, $2 while $text =~ /^(bob|carol) (\d+) /mg;

    for my $who (@writers) {
        my @sent = @{ $accepted{$readers[$i]}{$who} // [] };
        my @got = @{ $came{$who} // [] };
        my %got;

        $got{$_}++ for @got;

        $total += @sent;
        is(scalar(grep { !$got{$_} } @sent), 0, "HUB-01: all of $who");
        is(join(' ', grep { $got{$_} > 1 } sort keys %got), '',
           'HUB-10: each once');
        is_deeply(\@got, [sort { $a <=> $b } @got], 'in their order');
    }
}

cmp_ok($total, '>', 0, "$total frames were accepted");
note("$again came again after a lost answer");

my %status;

$status{$_}++ for slurp("$dir/fill") =~ /^(\d+)$/mg;
note('of what fills: ', join ', ', map { "$_: $status{$_}" }
                                   sort keys %status);
ok($status{200}, 'what fills the zone is taken, as far as there is room');
cmp_ok($status{503} // 0, '>', 0, 'and refused beyond its share')
    if $time >= 60;

is(join('', map { slurp($_) =~ /^(late .*)$/mg } glob "$dir/{read,write,fill}*"),
   '', 'nobody waits for long');

is($nginx->logged(qr/\[emerg\]|exited on signal (?!9\b)\d+/), 0,
   'no worker died by itself');

my $roster = sub {
    Parley::Client->new(port => port(1), tls => 0)
        ->get("/roster/~$_[0]", Authorization => bearer($_[0]))->{json}{count};
};

for my $who ('alice', 'carol') {
    my $until = time + 20;

    sleep 0.05 while $roster->($who) && time < $until;
    is($roster->($who), 0, "HUB-04: nobody is left who listens to $who");
}

$nginx->stop;


# ---- deliveries and escalations to peers with any behaviour: carol has a
# ---- URL, the parent of alice is bob, and the parent of bob is carol

subtest 'VCP-21 VCP-24 peers that answer late, wrongly or never' => sub {
    my ($cert) = tls();
    my $peer = Parley::Upstream->start(port(2), <<'EOT', tls => 1);
        my $do = int rand 6;
        return $c->take if $do < 2;
        if ($do == 2) { $c->pause(rand 0.8); return $c->take }
        return $c->answer(503, [], '{}') if $do == 3;
        return $c->answer(404, [], 'what?') if $do == 4;
        $c->pause(2);
EOT

    my $gateway = Parley::Nginx->start(workers => 2, http => streams_http(
        identities => streams_identities(
            alice => { parent => 'bob' },
            bob => { parent => 'carol' },
            carol => {},
            dave => { deliver => 'https://127.0.0.1:' . port(2) . '/dave' }),
        more => 'parley_retain count=1000 time=1h; parley_deliver /_deliver '
                . 'hosts=127.0.0.1:' . port(2) . ';',
        locations => <<"EOT"));
        location = /vcp/in { parley_jwt on; parley_submit vcp; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b\@1; }
        location = /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate $cert;
            proxy_ssl_name localhost;
            proxy_read_timeout 1s;
        }
EOT

    my $status = Parley::Status->new(port => port(1));
    my $stream = listen_to('carol', uri => '/vcp/');
    my $name = sub { "agent://ops.example/$_[0]" };
    my $end = time + ($time < 60 ? 1.5 : $time / 4);
    my ($n, $sent) = (0, 0);
    my (%asked, %acked);

    my $say = sub {
        my ($who, $m) = @_;
        my $until = time + 10;
        my $answer;

        # the worker that has the connection may be killed
        do {
            $answer = eval { submit($m, as => $who, uri => '/vcp/in') } // {};
            sleep 0.05 if ($answer->{status} // 0) != 200;
        } while (($answer->{status} // 0) != 200 && time < $until);

        return ($answer->{status} // 0) == 200;
    };

    while (time < $end) {
        my $who = (qw(alice bob carol))[$n++ % 3];

        $sent++ if $say->($who, vcp(sender => $name->($who),
                                    recipient => $name->('dave')));

        my $alarm = escalation(severity => 'critical', requires_ack => true);

        @$alarm{qw(sender recipient)} = map { $name->($_) } qw(alice bob);

        if ($say->('alice', $alarm)) {
            $asked{ $alarm->{message_id} } = 1;
        }

        # one of three is acknowledged
        if (rand() < 0.3) {
            my $ack = escalation(severity => 'critical',
                                 reason => "ACK:$alarm->{message_id}");

            @$ack{qw(sender recipient)} = map { $name->($_) } qw(bob alice);
            $acked{ $alarm->{message_id} } = 1 if $say->('bob', $ack);
        }

        my @workers = $gateway->workers;

        kill 'KILL', $workers[rand @workers] if @workers && rand() < 0.1;
        sleep 0.3;
    }

    # four attempts take 11 s, and so do those of the next job in its lane
    my ($over, %came) = (0);
    my $until = time + ($time < 60 ? 45 : 600);
    my $last;

    while (time < $until) {
        if (!$stream || $stream->{ended}) {
            $stream = eval { listen_to('carol', uri => '/vcp/',
                                       defined $last ? (last => $last) : ()) };
            sleep 0.05;
            next;
        }

        my $event = $stream->event(0.2);

        if ($event) {
            $last = $event->{id} if defined $event->{id};
            $came{ $event->{json}{message_id} }++ if $event->{json};
        }

        $over = 0;
        $over += $status->metric(qq(parley_jobs_ended_total{how="$_"}))
            for qw(delivered refused given_up);

        last if $over >= $sent && !grep { !$came{$_} && !$acked{$_} }
                                        keys %asked;
    }

    cmp_ok($sent, '>', 0, "$sent messages and " . keys(%asked)
                          . ' escalations, of which ' . keys(%acked)
                          . ' are acknowledged');
    cmp_ok($over, '>=', $sent,
           'VCP-21 what was accepted is delivered, refused or given '
           . 'up');
    is(scalar(grep { !$came{$_} && !$acked{$_} } keys %asked), 0,
       'VCP-24 what nobody acknowledged came to who is above');
    is(scalar(grep { $came{$_} } keys %acked), 0,
       'and what somebody did to nobody');
    is($gateway->logged(qr/\[emerg\]|exited on signal (?!9\b)\d+/), 0,
       'no worker died by itself');
    $gateway->stop;
};

done_testing;
