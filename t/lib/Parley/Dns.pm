package Parley::Dns;

# A DNS server with some names; all other names do not exist.
#
#     my $dns = Parley::Dns->start(port(6), 'private.test' => '127.0.0.1');
#
# It ends when the object is destroyed.

use strict;
use warnings;

use IO::Socket::INET;
use POSIX ();


sub start {
    my ($class, $port, %names) = @_;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        serve($port, %names);
        POSIX::_exit(1);
    }

    return bless { pid => $pid, owner => $$ }, $class;
}


sub serve {
    my ($port, %names) = @_;

    my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Proto => 'udp',
                                  LocalPort => $port) or return;

    alarm 120;

    while ($s->recv(my $q, 512)) {
        my @labels;
        my $at = 12;

        while (my $n = ord substr $q, $at, 1) {
            push @labels, substr $q, $at + 1, $n;
            $at += 1 + $n;
        }

        my ($type) = unpack 'n', substr $q, $at + 1, 2;
        my $address = $names{lc join '.', @labels};
        my $rr = $address && $type == 1
                 ? "\xC0\x0C" . pack('nnNn', 1, 1, 0, 4)
                   . pack('C4', split /\./, $address)
                 : '';

        $s->send(substr($q, 0, 2)
                 . pack('nnnnn', $address ? 0x8180 : 0x8183, 1, $rr ne '', 0,
                        0)
                 . substr($q, 12, $at + 5 - 12) . $rr);
    }
}


sub DESTROY {
    my $self = shift;

    local $?;

    return if $self->{owner} != $$;

    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}


1;
