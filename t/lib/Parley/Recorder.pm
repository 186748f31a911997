package Parley::Recorder;

# A service that accepts every message, one at a time, and records its octets.
# Parley::Upstream can do more and is slower.  A function can make the body of
# the answer, which is 200 then.
#
#     my $recorder = Parley::Recorder->start(port(2));
#     my $peer = Parley::Recorder->start(port(3), sub { my $octets = shift; });
#     ...
#     my @bodies = $recorder->got;

use strict;
use warnings;

use IO::Socket::INET;
use POSIX ();

use Parley::Env qw(tmp_dir spew);

my $number = 0;


sub start {
    my ($class, $port, $answer) = @_;

    my $file = tmp_dir() . '/recorded-' . ++$number;
    my $self = bless { file => $file, at => 0, owner => $$ }, $class;

    spew($file, '');
    open $self->{in}, '<:raw', $file or die "$file: $!\n";

    my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
                                         LocalPort => $port, Proto => 'tcp',
                                         Listen => 128, ReuseAddr => 1)
        or die "127.0.0.1:$port: $!\n";

    $self->{pid} = fork // die "fork: $!\n";

    if ($self->{pid} == 0) {
        $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM);

        my $parent = getppid;

        $SIG{ALRM} = sub { POSIX::_exit(0) if getppid != $parent; alarm 2 };
        alarm 2;

        open my $out, '>>:raw', $file or POSIX::_exit(1);

        while (1) {
            my $socket = $listener->accept or next;
            take($socket, $out, $answer);
            close $socket;
        }
    }

    return $self;
}


sub take {
    my ($socket, $out, $answer) = @_;

    my $octets = '';

    while ($octets !~ /\r\n\r\n/) {
        sysread $socket, $octets, 65536, length $octets or return;
    }

    my $head = index($octets, "\r\n\r\n") + 4;
    my ($n) = substr($octets, 0, $head) =~ /^Content-Length: *(\d+)/mi;

    $n //= 0;

    while (length $octets < $head + $n) {
        sysread $socket, $octets, 65536, length $octets or return;
    }

    my $body = substr $octets, $head, $n;
    my $said = $answer ? $answer->($body) : '';

    # before the answer: a client that has the answer finds the record
    syswrite $out, pack('N', $n) . $body;
    syswrite $socket, 'HTTP/1.1 ' . ($answer ? '200 OK' : '202 Accepted')
                      . "\r\nContent-Type: application/json\r\n"
                      . 'Content-Length: ' . length($said) . "\r\n"
                      . "Connection: close\r\n\r\n$said";
}


# Returns the bodies that came since the last call.
sub got {
    my $self = shift;

    seek $self->{in}, $self->{at}, 0;

    my @bodies;

    while (read($self->{in}, my $n, 4) == 4) {
        $n = unpack 'N', $n;
        read($self->{in}, my $body, $n) == $n or last if $n;
        push @bodies, $n ? $body : '';
        $self->{at} += 4 + $n;
    }

    return @bodies;
}


sub stop {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    local $?;
    kill 'KILL', $pid;
    waitpid $pid, 0;
}


sub DESTROY {
    my $self = shift;
    $self->stop if $self->{owner} == $$;
}


1;
