package Parley::Client;

# An HTTP/1.1 client over TLS or plain TCP that can break the protocol: stop in
# the middle of a request, close the connection early, send octets that are not
# HTTP.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use IO::Socket::SSL;
use JSON::XS ();
use Time::HiRes qw(sleep time);

use constant PATIENCE => 20;

$SIG{PIPE} = 'IGNORE';

# the client verifies no certificate, so it needs no CA file
my %tls = (SSL_verify_mode => IO::Socket::SSL::SSL_VERIFY_NONE,
           SSL_ca_file => '', SSL_alpn_protocols => ['http/1.1']);
my $context;


# a context takes longer to make than a connection
sub context { $context //= IO::Socket::SSL::SSL_Context->new(%tls) }


# Options: port; tls (default 1); headers for every request; from, the address
# of the client.
sub new {
    my ($class, %o) = @_;

    return bless { tls => 1, headers => [], %o }, $class;
}


# Opens a connection.  Tries again while the server is starting.
sub connect {
    my $self = shift;

    my $until = time + PATIENCE;

    while (1) {
        my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                           PeerPort => $self->{port},
                                           LocalAddr => $self->{from},
                                           Proto => 'tcp');

        if ($socket && $self->{tls}) {
            $socket = IO::Socket::SSL->start_SSL($socket,
                $self->{ssl} ? (%tls, %{ $self->{ssl} })
                             : (SSL_reuse_ctx => context()));
        }

        if ($socket) {
            return bless { socket => $socket, buffer => '' },
                         'Parley::Client::Connection';
        }

        die "127.0.0.1:$self->{port}: $! $SSL_ERROR\n" if time > $until;
        sleep 0.05;
    }
}


# Returns the octets of a request.
sub request {
    my ($self, $method, $uri, $body, @headers) = @_;

    my @all = (@{ $self->{headers} }, @headers);
    my %have;
    my $head = "$method $uri HTTP/1.1\r\n";

    while (my ($name, $value) = splice @all, 0, 2) {
        $have{lc $name}++;
        $head .= "$name: $value\r\n" if defined $value;
    }

    $head .= "Host: localhost\r\n" if !$have{host};
    $head .= "Connection: close\r\n" if !$have{connection};
    $head .= "Content-Type: application/json\r\n"
        if defined $body && !$have{'content-type'};
    $head .= 'Content-Length: ' . length($body) . "\r\n"
        if defined $body && !$have{'content-length'}
           && !$have{'transfer-encoding'};

    return "$head\r\n" . ($body // '');
}


# Sends a request and returns its answer.
sub send {
    my ($self, $method, $uri, $body, @headers) = @_;

    return $self->raw($self->request($method, $uri, $body, @headers));
}


sub post { my ($self, @o) = @_; return $self->send('POST', @o) }
sub get  { my ($self, $uri, @o) = @_;
            return $self->send("GET", $uri, undef, @o) }


sub raw {
    my ($self, $octets) = @_;

    my $connection = $self->connect;

    $connection->write($octets);

    return $connection->answer;
}


# Sends a request and returns the connection; the answer is read later.
sub begin {
    my ($self, @o) = @_;

    my $connection = $self->connect;

    $connection->write($self->request('POST', @o));

    return $connection;
}


package Parley::Client::Connection;

use Time::HiRes qw(sleep time);


sub write {
    my ($self, $octets) = @_;

    while (length $octets) {
        my $n = $self->{socket}->syswrite($octets);
        return 0 if !$n;
        substr $octets, 0, $n, '';
    }

    return 1;
}


# Reads the available octets, and waits at most that many seconds for the
# first.  Returns 0 at the end.
sub fill {
    my ($self, $seconds) = @_;

    my $socket = $self->{socket};
    my $pending = $socket->can('pending') ? $socket->pending : 0;

    if (!$pending) {
        IO::Select->new($socket)->can_read($seconds // 20) or return;
    }

    my $n = $socket->sysread(my $octets, 65536);
    return 0 if !$n;

    $self->{buffer} .= $octets;

    return $n;
}


# Waits until the received text matches.  Returns all received text, or undef
# after the time.
sub expect {
    my ($self, $pattern, $seconds) = @_;

    my $until = time + ($seconds // 20);

    while ($self->{buffer} !~ $pattern) {
        my $left = $until - time;
        return undef if $left <= 0 || !$self->fill($left);
    }

    return $self->{buffer};
}


# Reads the answer: {status, headers, list, body, json, raw, complete}.
sub answer {
    my $self = shift;

    my $until = time + 20;

    while (time < $until) {
        my $answer = $self->parse;
        return $answer if $answer && $answer->{complete};
        last if !$self->fill($until - time);
    }

    my $answer = $self->parse(1) // { status => 0, headers => {}, list => [],
                                      body => '', raw => $self->{buffer} };

    return $answer;
}


sub parse {
    my ($self, $ended) = @_;

    my $raw = $self->{buffer};
    1 while $raw =~ s{^HTTP/1\.[01] 1\d\d [^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n}{};

    my ($head, $rest) = $raw =~ /^(HTTP\/.*?\r\n\r\n)(.*)$/s or return;
    my ($status) = $head =~ /^HTTP\/\S+ (\d+)/;
    my (%headers, @list);

    while ($head =~ /^([^:\r\n]+):[ \t]*([^\r\n]*)\r$/mg) {
        push @list, [$1, $2];
        $headers{lc $1} = exists $headers{lc $1} ? "$headers{lc $1}, $2" : $2;
    }

    my ($body, $complete) = ($rest, $ended);

    if (($headers{'transfer-encoding'} // '') =~ /chunked/i) {
        ($body, my $last) = unchunk($rest);
        $complete = $last;

    } elsif ($status == 204 || $status == 304) {
        ($body, $complete) = ('', 1);

    } elsif (defined $headers{'content-length'}) {
        $complete = length $rest >= $headers{'content-length'};
    }

    return { status => $status, headers => \%headers, list => \@list,
             body => $body, complete => $complete, raw => $self->{buffer},
             json => scalar(eval { JSON::XS->new->utf8->decode($body) }) };
}


sub unchunk {
    my $rest = shift;

    my $body = '';

    while ($rest =~ s/^([0-9a-fA-F]+)[^\r\n]*\r\n//) {
        my $n = hex $1;
        return ($body, 1) if $n == 0;
        $body .= substr $rest, 0, $n;
        return ($body, 0) if length $rest < $n + 2;
        substr $rest, 0, $n + 2, '';
    }

    return ($body, 0);
}


# Closes the connection without the closing message of TLS.  seen: waits at most
# that many seconds until the gateway has closed it, too.
sub leave {
    my ($self, %o) = @_;

    my $socket = delete $self->{socket} or return;

    $socket = $socket->stop_SSL(SSL_no_shutdown => 1) && $socket
        if $socket->isa('IO::Socket::SSL');

    if ($o{seen} && shutdown $socket, 1) {
        my $until = time + $o{seen};
        my $select = IO::Select->new($socket);

        while ((my $left = $until - time) > 0) {
            last if $select->can_read($left) && !sysread $socket, my $in, 65536;
        }
    }

    close $socket;
}


1;
