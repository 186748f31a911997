# An engine that lies: other errors each time, floods of messages, replies
# without an end.  The worker goes on, and serves what needs no store.

use strict;
use warnings;

use lib 't/lib';

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(is_sanitized port slurp spew tmp_dir);
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

use constant {
    SECONDS => 2,               # of each lie
    MEMORY  => 128 * 1024,      # KB that a worker has more, at most
    ANSWER  => 5,               # seconds of an answer without the store, on a
                                # busy machine
};

my $mode = tmp_dir() . '/mode';
my $redis = Parley::Redis->start(port(6));

sub lies { spew("$mode.next", shift); rename "$mode.next", $mode or die $! }

sub message {
    my ($number, $content) = @_;

    my $text = '1' . 'x' x 8 . pack('Q<L<', $number, 0) . $content;

    return "*3\r\n\$7\r\nmessage\r\n\$9\r\n{parley}f\r\n\$" . length($text)
           . "\r\n$text\r\n";
}

# what the relay sends to an inbox in each turn, and in place of a reply
my %told = (
    'inbox messages' => join('', map { message((1 << 47) + $_, '') } 1 .. 400),
    'inbox old messages' => message(5, 'x') x 400,
    'inbox a large message' => message(1 << 47, 'x' x 3_900_000),
    'inbox a line' => '+' . 'a' x 60_000,
    'inbox pongs' => "*2\r\n\$4\r\npong\r\n\$0\r\n\r\n" x 1000,
);
my %said = (
    'an endless text' => sub { "\$1073741824\r\n" . 'x' x 65536 },
    'an array' => sub { "*4096\r\n" . "\$3\r\nabc\r\n" x 4096 },
    'another reply' => sub { "$_[0]+OK\r\n:1\r\n" },
    'half of a reply' => sub { substr $_[0], 0, length($_[0]) / 2 },
    'other numbers' => sub {
        $_[0] =~ s/^\$\d{1,2}\r\n\d+\r\n/\$19\r\n9223372036854775807\r\n/gmr
    },
    'an error' => sub { "-ERR word\r\n" },
    'other errors' => sub {
        $_[0] =~ s/^\$-1\r\n/'-ERR ' . rand() . "\r\n"/gmer
    },
    'no reply' => sub { '' },
);


# The relay between the gateway and the engine.
sub serve {
    my $listener = shift;

    my $ready = IO::Select->new($listener);
    my (%peer, %inbox, %client);

    local $SIG{PIPE} = 'IGNORE';

    while (1) {
        my $how = slurp($mode);
        my $flood = $told{$how};

        for my $c (defined $flood ? values %inbox : ()) {
            $c->blocking(0);
            syswrite $c, $flood;
            $c->blocking(1);
        }

        for my $s ($ready->can_read(defined $flood ? 0 : 0.05)) {
            if ($s == $listener) {
                my $c = $listener->accept or next;
                my $e = IO::Socket::UNIX->new(Peer => $redis->socket) or next;

                @peer{$c, $e} = ($e, $c);
                $client{$c} = 1;
                $ready->add($c, $e);
                next;
            }

            my $to = $peer{$s} or next;
            my $len = sysread $s, my $octets, 65536;

            if (!$len) {
                $ready->remove($s, $to);
                delete @$_{$s, $to} for \%peer, \%inbox, \%client;
                next;
            }

            $inbox{$s} = $s if $client{$s} && $octets =~ /SUBSCRIBE/;
            $octets = $said{$how}->($octets) if $said{$how} && !$client{$s};

            while (length $octets) {
                my $n = syswrite $to, $octets or last;
                substr($octets, 0, $n) = '';
            }
        }
    }
}


lies('nothing');

my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1:' . port(4),
                                     Listen => 16, ReuseAddr => 1) or die $!;
my $relay = fork // die "fork: $!\n";

if ($relay == 0) {
    eval { serve($listener) };
    print STDERR "# relay: $@" if $@;
    POSIX::_exit(0);
}

my $owner = $$;

END {
    if ($relay && $$ == $owner) {
        local $?;
        kill 'KILL', $relay;
        waitpid $relay, 0;
    }
}

my $nodes = stream_nodes($redis, nodes => 1, workers => 1,
                         url => 'redis://127.0.0.1:' . port(4),
                         words => 'lease=3s timeout=100ms');
my ($worker) = $nodes->workers(0);

sub memory { (slurp("/proc/$worker/status") =~ /^VmRSS:\s+(\d+)/m)[0] }
sub accepted { say_at() =~ /^20/ }

sub say_at {
    return submit_at($nodes, 0, saying('aee', 'alice', 'bob'),
                     as => 'alice')->{status};
}


for my $how (sort(keys %said), sort keys %told) {
    subtest "CLU-12 $how" => sub {
        my $before = memory();
        my $log = length $nodes->nginx(0)->error_log;
        my ($most, %answers, %other) = (0);

        lies($how);

        for (my $until = time + SECONDS; time < $until; sleep 0.01) {
            my $from = time;

            $answers{$nodes->status(0)->get('/status')->{status}}++;
            $most = time - $from if time - $from > $most;
            $other{say_at()}++;
        }

        my $lines = substr $nodes->nginx(0)->error_log, $log;
        my %second;

        $second{$_}++
            for $lines =~ /^(\S+ \S+) \[(?:error|crit)\] .*parley: store /mg;

        is_deeply([keys %answers], [200], 'the status is served');
        cmp_ok($most, '<', ANSWER, 'at once');
        is_deeply([grep { !/^(?:20.|503)$/ } keys %other], [],
                  'a message is accepted or refused');
        is_deeply([grep { $second{$_} > 10 } keys %second], [],
                  'few lines in a second');
        cmp_ok(memory() - $before, '<', MEMORY, 'memory') if !is_sanitized();

        lies('nothing');
        $nodes->wait_up;
        ok($nodes->wait_for(\&accepted), 'the store is used again');
        is_deeply([$nodes->workers(0)], [$worker], 'by the same worker');
    };
}

done_testing();
