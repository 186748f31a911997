# A host of chat (parley_host) under stress: reloads, killed workers, and harnesses
# that die, lie and come back.  Every accepted event is accounted for: its reader
# ends it once, or it went up.
#
# SOAK_TIME is the number of seconds; make soak TIME=600 makes a long run.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp spew children);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Soak;
use Parley::Streams;

use constant DEADLINE => 3000;

my $time = $ENV{SOAK_TIME} || 5;
my $dir = tmp_dir();
my @agents = qw(ada bo cy);
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [
        (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
                 parent => 'lee', human => 'zoe' } } @agents),
        { sub => 'lee', handle => '~lee', c2a => 'agent:lee',
          human => 'zoe' },
        (map { { sub => $_, handle => "~$_", c2a => "human:$_",
                 accounts => ["web/main/$_"] } } qw(will zoe)),
        { sub => 'web', handle => '~web', c2a => 'service:web',
          surface => ['web/main'] },
    ] }),
    zone => 'streams:64m share=100%',
    more => 'parley_retain count=100000 time=1h;',
    locations => 'location = /chat { parley_jwt on; parley_host c2a '
                 . 'keepalive=1s quiet=0 loop=1000; }'));


# Repeats a call until it has an answer other than a temporary refusal.
sub insists {
    my ($call) = @_;
    my $until = time + 30;

    while (time < $until) {
        my $answer = eval { $call->() };
        my $code = $answer && ($answer->{json}{error}{data}{code}
                               // (structured($answer) // {})->{code} // '');

        return $answer if $answer && $answer->{status} =~ /^[24]/
                          && $answer->{status} != 429
                          && $code !~ /^(?:message-in-flight|capacity)$/;
        sleep 0.05;
    }

    die "no answer for 30 s\n";
}

# The surface posts direct messages, each until it is accepted.
sub posts {
    my ($out) = @_;
    my $n = 0;

    until (is_over('over')) {
        my $to = $agents[rand @agents];
        my $event = event(id => "s$$-" . ++$n,
            conversation => { id => "D-$to", kind => 'dm' },
            text => "words $n", params => {
                target => { recipient => "agent:$to" },
                attention => { deadlineMs => DEADLINE } });
        my $answer = insists(sub { says(web => $event) });

        die "$answer->{status} $answer->{body}\n" if $answer->{status} != 200;

        print $out "posted $event->{params}{eventId} $to\n";
        sleep 0.05 + rand 0.1;
    }
}

# The surface shows the answers of agents: it accepts or refuses each for good, or
# first does not answer.
sub shows {
    my ($out) = @_;
    my %said;

    reads('web', $out, sub {
        my ($offer) = @_;
        my $p = $offer->{params};

        return if rand() < 0.1;

        my $says = $said{$p->{eventId}} //= rand() < 0.1 ? 'refuses' : 'shows';

        print $out "$says $p->{eventId} ", $p->{target}{inReplyTo} // '-', ' ',
                   $p->{author}{id}, ' ',
                   $p->{reliability}{idempotencyKey} // '-', "\n";

        insists(sub { says(web => { jsonrpc => '2.0', id => $offer->{id},
            $says eq 'shows' ? (result => { accepted => true })
            : (error => { code => -32000, message => 'no' }) }) });
    });
}

# A harness: accepts, lies, does not answer, or answers by a tool.
sub works {
    my ($who, $out) = @_;
    my $n = 0;

    reads($who, $out, sub {
        my ($offer) = @_;
        my $p = $offer->{params};
        my $id = $p->{eventId};
        my $do = rand;

        return if $do < 0.15;

        if ($do < 0.35) {
            insists(sub { says($who => { jsonrpc => '2.0', id => $offer->{id},
                $do < 0.3 ? (result => { accepted => true })
                : (error => { code => $do < 0.32 ? -32601 : -32000,
                              message => 'no' }) }) });
            return;
        }

        if ($do < 0.5) {
            insists(sub { tool($who => 'chat.react', { inReplyTo => $id,
                signal => (qw(declined seen done queued))[rand 4] }) });
            return;
        }

        my %send = (inReplyTo => $id, idempotencyKey => "$$-" . ++$n,
                    target => { id => $p->{conversation}{id}, kind => 'dm' },
                    visibility => 'dm', directedness => 'to_me',
                    text => "answer $n");

        for (0 .. rand 2) {
            my $s = structured(insists(sub {
                tool($who => 'chat.send_message', \%send) }));

            print $out "answered $s->{eventId} $send{idempotencyKey}\n"
                if $s && $s->{accepted};
        }
    });
}

# Reads offers over connections that break, until all is over.
sub reads {
    my ($who, $out, $each) = @_;

    until (is_over('stop')) {
        my $stream = eval { mailbox($who) };

        if (!$stream || $stream->status != 200) {
            sleep 0.1;
            next;
        }

        my $leaves = time + 0.3 + rand 2;

        while (time < $leaves && !is_over('stop')) {
            my $event = eval { $stream->event(0.3) };

            last if !$event && $stream->{ended};
            next if !$event || !$event->{data};

            my $offer = eval { from_json($event->{data}) };

            $each->($offer) if $offer && $offer->{id}
                               && ($offer->{method} // '') eq 'chat/deliver';
        }

        eval { $stream->leave };
    }
}


my (%to, %readers);

sub posted {
    my $text = slurp("$dir/post");

    $to{$1} = $2 while $text =~ /^posted (\S+) (\w+)$/mg;
}

# Returns the readers of an event, for its author; undef if it is unknown.
sub readers {
    my ($id) = @_;

    my $answer = insists(sub {
        tool(will => 'chat.list_events', { sent => true, eventId => $id }) });
    my ($event) = @{ (structured($answer) // {})->{events} // [] };

    return $event && $event->{readers};
}

# Returns whether the agent of an event has ended it, or the event went up.
sub is_ended {
    my ($readers) = @_;

    my ($own) = grep { $_->{to} ne 'agent:lee' } @{ $readers // [] };

    return $own && (@$readers > 1
                    || ($own->{disposition} // 'claimed')
                       !~ /^(?:claimed|deferred)$/);
}

# Asks about the n oldest events that have not ended: a list has the newest events
# of a conversation only.
sub asks {
    my ($n) = @_;

    posted();

    my @open = grep { !is_ended($readers{$_}) }
               sort { ($a =~ /(\d+)$/)[0] <=> ($b =~ /(\d+)$/)[0] } keys %to;

    $readers{$_} = readers($_)
        for grep { defined } @open[0 .. ($n < @open ? $n : @open) - 1];

    return grep { !is_ended($readers{$_}) } @open;
}


start('post', \&posts);
start('show', \&shows);

for my $who (@agents, 'lee') {
    start("work-$who", sub { works($who, @_) });
}

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

    asks(40);
}

spew("$dir/over", '');
note("seed $seed, $killed workers killed, $reloaded reloads");


# ---- each event ends

my $posts = shift @pids;

waitpid $posts, 0;

my @open;

$until = time + 25 + $time / 4;

do {
    sleep 0.5;
    @open = asks(1000);
} while (@open && time < $until);

spew("$dir/stop", '');
waitpid $_, 0 for @pids;
@pids = ();

cmp_ok(scalar keys %to, '>', 0, scalar(keys %to) . ' events were accepted');
is_deeply([grep { !$readers{$_} } sort keys %to], [],
          'C2A-11 the author has each accepted event');
is_deeply(\@open, [], 'C2A-22 C2A-23 each has ended, or went up')
    or diag(jcs({ map { $_ => $readers{$_} } @open }));


my %ends;

$ends{$_ // 'open'}++ for map { $_->[0]{disposition} } grep { $_ && @$_ }
                          values %readers;
note('ends: ', join ', ', map { "$_: $ends{$_}" } sort keys %ends);


# ---- an answer is visible once

my (%refused, %ids, %answers);
my $text = slurp("$dir/show");

while ($text =~ /^(shows|refuses) (\S+) (\S+) (\S+) (\S+)$/mg) {
    my ($says, $id, $on, $author, $key) = ($1, $2, $3, $4, $5);

    $refused{$id}++ if $says eq 'refuses';
    $ids{$key}{$id}++ if $key ne '-';
    $answers{"$author $on"}{$id}++ if $on ne '-' && $key ne '-';
}

cmp_ok(scalar keys %ids, '>', 0, scalar(keys %ids) . ' answers were shown, '
       . scalar(keys %refused) . ' refused');
is_deeply([grep { keys %{ $ids{$_} } > 1 } sort keys %ids], [],
          'C2A-12 one key is one message');
is_deeply([grep { 1 < grep { !$refused{$_} } keys %{ $answers{$_} } }
           sort keys %answers], [],
          'C2A-13 C2A-35 an event has one answer, besides refused ones');

for my $name ('post', 'show', map { "work-$_" } @agents, 'lee') {
    unlike(slurp("$dir/$name"), qr/^died/m, "$name goes on");
}

is($nginx->logged(qr/\[emerg\]|exited on signal (?!9\b)\d+/), 0,
   'no worker died by itself');

done_testing();
