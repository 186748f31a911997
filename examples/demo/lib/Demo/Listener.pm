package Demo::Listener;

# A client of an event stream: curl.  When the stream breaks off, it is started
# again with the id of the last event.

use strict;
use warnings;

use IO::Select;
use Time::HiRes qw(sleep time);

use Demo::Setup qw(%demo slurp);

use constant PATIENCE => 20;


# listen(name, path): opens a stream.  Returns when it is open.  With a body it
# posts this and returns at once; answer() has the answer later.
sub listen {
    my ($class, $who, $path, $body) = @_;

    my $self = bless { who => $who, path => $path, body => $body,
                       events => [], opened => 0 }, $class;

    $self->connect;
    $self->wait_for(sub { $_[0]{heard} }) if !defined $body;

    return $self;
}


sub connect {
    my $self = shift;

    my $token = slurp("$demo{dir}/tokens/$self->{who}.jwt");
    chomp $token;

    my @command = ('curl', '-sSN', '--cacert', "$demo{dir}/tls/server.crt",
                   '-H', "Authorization: Bearer $token",
                   defined $self->{last}
                   ? ('-H', "Last-Event-ID: $self->{last}") : (),
                   defined $self->{body}
                   ? ('-H', 'Content-Type: application/json',
                      '--data-binary', $self->{body}) : (),
                   "$demo{url}$self->{path}");

    $self->{pid} = open($self->{out}, '-|') // die "fork: $!\n";

    if ($self->{pid} == 0) {
        open STDERR, '>', '/dev/null';
        exec { $command[0] } @command or die "curl: $!\n";
    }

    $self->{text} = '';
    $self->{opened}++;
}


# Reads available octets, and opens a stream again that has ended.
sub read {
    my ($self, $seconds) = @_;

    IO::Select->new($self->{out})->can_read($seconds) or return;

    if (!sysread $self->{out}, $self->{text}, 65536, length $self->{text}) {
        close $self->{out};
        sleep 0.1;
        $self->connect;
        return;
    }

    $self->{heard} = 1;

    while ($self->{text} =~ s/\A((?:[^\n]+\n)*)\n//) {
        my $block = $1;

        $self->{last} = $1 if $block =~ /^id: (.+)$/m;
        push @{ $self->{events} }, $1
            if $block =~ /^data: (.+)$/m && $block !~ /^event: /m;
    }
}


# Returns the answer to a posted body; undef if it has not come yet.
sub answer {
    my $self = shift;

    while (IO::Select->new($self->{out})->can_read(0)) {
        next if sysread $self->{out}, $self->{text}, 65536,
                        length $self->{text};

        close $self->{out};
        return $self->{text};
    }

    return;
}


# Waits until a condition is true.  Returns 0 if it stays false.
sub wait_for {
    my ($self, $is) = @_;

    my $until = time + PATIENCE;

    while (!$is->($self)) {
        return 0 if time > $until;
        $self->read(0.1);
    }

    return 1;
}


# Waits for a number of events, and returns the data of all.
sub events {
    my ($self, $n) = @_;

    $self->wait_for(sub { @{ $_[0]{events} } >= $n });

    return @{ $self->{events} };
}


sub leave {
    my ($self, $signal) = @_;

    kill $signal // 'TERM', $self->{pid};
    close $self->{out};
}


1;
