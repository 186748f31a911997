package Parley::HeldReplies;

# A relay between gateways and a Redis or Valkey server.  It forwards commands
# at once, and can hold the replies to commands about messages.
#
#     my $relay = Parley::HeldReplies->start(port(6), $redis);
#     $relay->url;                # for parley_store
#     $relay->hold;               # from now on; hold(steps => 1): also
#                                 # those to questions for steps
#     $relay->held;               # waits until a reply is held: 'SET i'
#     $relay->release;            # lets the replies through that are held
#     $relay->pass;               # holds nothing
#     $relay->lose;               # holds nothing, and loses the messages of the
#                                 # channels
#
# A command has its name, the function of FCALL, and the letter of its key
# after the prefix.  Replies to the commands that a worker sends by itself
# are not held, except behind another reply.  The relay ends with the
# object.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use Socket qw(AF_UNIX SOCK_STREAM PF_UNSPEC);

use constant PATIENCE => 20;

# "GET k": the number of the last change
my %own = map { $_ => 1 } qw(AUTH INFO CLIENT PING FUNCTION p1_enter p1_renew
                             p1_changes p1_rates p1_order p1_feed p1_nodes
                             p1_say), 'GET k';


sub start {
    my ($class, $port, $redis) = @_;

    my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$port",
                                         Listen => 16, ReuseAddr => 1)
        or die "127.0.0.1:$port: $!\n";

    socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC)
        or die "socketpair: $!\n";
    $_->autoflush for $ours, $theirs;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        close $ours;
        eval { serve($listener, $redis->socket, $theirs) };
        print STDERR "# relay: $@" if $@;
        POSIX::_exit(0);
    }

    close $theirs;

    return bless { port => $port, pid => $pid, control => $ours, owner => $$,
                   buffer => '' }, $class;
}


sub url { "redis://127.0.0.1:$_[0]{port}" }


# Sends a word to the relay, and waits until it has acted.
sub tell {
    my ($self, $word) = @_;

    print { $self->{control} } "$word\n";

    while (defined(my $line = $self->line(PATIENCE))) {
        return if $line eq 'done';
    }

    die "the relay does not answer\n";
}

sub hold { my ($self, %o) = @_; $self->tell($o{steps} ? 'steps' : 'hold') }
sub release { $_[0]->tell('release') }
sub pass { $_[0]->tell('pass') }
sub lose { $_[0]->tell('lose') }


# Returns the name of the command whose reply is held, or undef after the time.
sub held {
    my ($self, $seconds) = @_;

    return $self->line($seconds // PATIENCE);
}


sub line {
    my ($self, $seconds) = @_;

    while ($self->{buffer} !~ /\n/) {
        IO::Select->new($self->{control})->can_read($seconds) or return undef;
        sysread($self->{control}, $self->{buffer}, 4096,
                length $self->{buffer}) or return undef;
    }

    $self->{buffer} =~ s/^(.*)\n//;

    return $1;
}


sub DESTROY {
    my $self = shift;

    return if $self->{owner} != $$;

    local $?;
    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}


# The relay itself.

sub serve {
    my ($listener, $socket, $control) = @_;

    local $SIG{PIPE} = 'IGNORE';

    my $ready = IO::Select->new($listener, $control);
    my %mode = (hold => 0, free => 0, lose => 0, control => $control);
    my %at;

    while (1) {
        for my $from ($ready->can_read) {
            if ($from == $listener) {
                my $client = $listener->accept or next;
                my $engine = IO::Socket::UNIX->new(Peer => $socket);

                if (!$engine) {
                    close $client;
                    next;
                }

                my $c = { client => $client, engine => $engine, sent => [],
                          commands => '', replies => '' };

                $at{$client} = $at{$engine} = $c;
                $ready->add($client, $engine);
                next;
            }

            my $c = $at{$from};
            my $n = sysread($from, my $octets, 65536);

            if ($from == $control) {
                return if !$n;
                $mode{hold} = $octets =~ /^(?:hold|steps|release)\n/;
                $own{p1_feed} = $octets !~ /^steps/
                    if $octets !~ /^release/;
                $mode{lose} = $octets eq "lose\n";
                $mode{free} = $octets eq "release\n";
                forward($_, \%mode) for values %at;
                $mode{free} = 0;
                print $control "done\n";
                tell_held($_, \%mode) for values %at;
                next;
            }

            next if !$c;

            if (!$n) {
                delete @at{@$c{qw(client engine)}};
                $ready->remove(@$c{qw(client engine)});
                close $c->{$_} for qw(client engine);
                next;
            }

            if ($from == $c->{client}) {
                syswrite $c->{engine}, $octets;
                $c->{commands} .= $octets;

                while (my $name = command($c)) {
                    push @{ $c->{sent} }, { name => $name };
                    $c->{inbox} = 1 if $name =~ /^SUBSCRIBE/;
                }
            } else {
                $c->{replies} .= $octets;
                forward($c, \%mode);
                tell_held($c, \%mode);
            }
        }
    }
}


# Takes the next command from the buffer; returns its name.
sub command {
    my $c = shift;

    $c->{commands} =~ /^\*(\d+)\r\n/ or return undef;

    my ($n, $at, @words) = ($1, $+[0]);

    for (1 .. $n) {
        substr($c->{commands}, $at) =~ /^\$(\d+)\r\n/ or return undef;
        $at += $+[0];
        return undef if length($c->{commands}) < $at + $1 + 2;
        push @words, substr $c->{commands}, $at, $1;
        $at += $1 + 2;
    }

    substr $c->{commands}, 0, $at, '';

    return $words[1] if $words[0] eq 'FCALL';
    return join ' ', $words[0], ($words[1] // '') =~ /^\{.*?\}(.)/s;
}


# Returns the length of the reply at an offset, or undef if it is not whole.
sub reply {
    my ($text, $at) = @_;

    substr($$text, $at) =~ /^([-+:\$*])(.*?)\r\n/ or return undef;

    my ($type, $n, $len) = ($1, $2, $+[0]);

    return $len if $type =~ /[-+:]/ || $n < 0;

    if ($type eq '$') {
        return length($$text) >= $at + $len + $n + 2 ? $len + $n + 2 : undef;
    }

    for (1 .. $n) {
        $len += reply($text, $at + $len) // return undef;
    }

    return $len;
}


# Forwards the replies that are not held.
sub forward {
    my ($c, $mode) = @_;

    while (my $len = reply(\$c->{replies}, 0)) {
        if ($c->{inbox}) {
            my $octets = substr $c->{replies}, 0, $len, '';

            syswrite $c->{client}, $octets
                if !$mode->{lose} || $octets !~ /^\*3\r\n\$7\r\nmessage\r\n/;
            next;
        }

        my $sent = $c->{sent}[0] // last;

        last if $mode->{hold} && !$own{$sent->{name}}
                && !($mode->{free} && $sent->{told});

        shift @{ $c->{sent} };
        syswrite $c->{client}, substr $c->{replies}, 0, $len, '';
    }
}


# Tells the names of the commands whose replies are held, each once.
sub tell_held {
    my ($c, $mode) = @_;

    my $at = 0;

    return if !$mode->{hold};

    for my $sent (@{ $c->{sent} }) {
        $at += reply(\$c->{replies}, $at) // last;

        if (!$sent->{told} && !$own{$sent->{name}}) {
            $sent->{told} = 1;
            print { $mode->{control} } "$sent->{name}\n";
        }
    }
}


1;
