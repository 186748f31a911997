package Demo::Http;

# A small HTTP/1.1 server for the demo's services: one process, persistent
# connections, bodies with a length or in chunks.  It prints its requests.  With
# a log, it also writes them to this file, one JSON object per line.

use strict;
use warnings;

use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use JSON::PP ();
use POSIX qw(strftime);
use Time::HiRes ();

our @EXPORT_OK = qw(serve respond respond_json events now uuid4 uuid7);

use constant { BODY_MAX => 4 << 20, HEAD_MAX => 64 << 10, PATIENCE => 10 };

my $json = JSON::PP->new->utf8->canonical;

my %reason = (200 => 'OK', 202 => 'Accepted', 400 => 'Bad Request',
              405 => 'Method Not Allowed', 503 => 'Service Unavailable');


# serve(port =>, log =>, name =>, handler => sub ($socket, $request) { ... },
#       until_eof =>)
#
# The handler answers with respond(), respond_json() or events().  With
# until_eof, serve() returns when standard input ends.
sub serve {
    my %o = @_;

    my $listener = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => $o{port}, Proto => 'tcp',
        Listen => 64, ReuseAddr => 1
    ) or die "$o{name}: port $o{port}: $!\n";

    $SIG{PIPE} = 'IGNORE';
    $SIG{TERM} = $SIG{INT} = sub { exit 0 };
    $| = 1;

    print "$o{name}: listening on 127.0.0.1:", $listener->sockport, "\n";

    my $ready = IO::Select->new($listener);
    $ready->add(\*STDIN) if $o{until_eof};

    for (;;) {
        for my $socket ($ready->can_read) {
            if ($socket == $listener) {
                my $client = $listener->accept or next;
                $ready->add($client);
                next;
            }

            if ($o{until_eof} && $socket == \*STDIN) {
                sysread(STDIN, my $ignored, 4096) or return;
                next;
            }

            if (!exchange($socket, \%o)) {
                $ready->remove($socket);
                close $socket;
            }
        }
    }
}


# Reads a request and answers it.  Returns false if the connection has ended.
sub exchange {
    my ($socket, $o) = @_;

    my $request = eval {
        local $SIG{ALRM} = sub { die "the client is too slow\n" };
        alarm PATIENCE;
        my $r = read_request($socket);
        alarm 0;
        $r;
    };

    alarm 0;
    return 0 if !$request;

    record($request, $o);

    eval { $o->{handler}->($socket, $request); 1 } or do {
        print "$o->{name}: $@";
        respond($socket, 400, 'text/plain', "$@");
        return 0;
    };

    return lc($request->{headers}{connection} // '') ne 'close'
           && $request->{version} ne '1.0';
}


sub read_request {
    my $socket = shift;

    my $buffer = '';

    until ($buffer =~ /\r\n\r\n/) {
        return if length $buffer > HEAD_MAX;
        sysread($socket, $buffer, 8192, length $buffer) or return;
    }

    my ($head, $body) = split /\r\n\r\n/, $buffer, 2;
    my ($line, @lines) = split /\r\n/, $head;

    $line =~ m{^([A-Z]+) (\S+) HTTP/(1\.[01])$} or return;

    my %r = (method => $1, path => $2, version => $3, headers => {});

    for (@lines) {
        my ($name, $value) = /^([^:]+):\s*(.*?)\s*$/ or return;
        $r{headers}{lc $name} = $value;
    }

    $r{body} = lc($r{headers}{'transfer-encoding'} // '') eq 'chunked'
               ? read_chunks($socket, $body)
               : read_length($socket, $body,
                             $r{headers}{'content-length'} // 0);

    return defined $r{body} ? \%r : undef;
}


sub read_length {
    my ($socket, $body, $length) = @_;

    return if $length > BODY_MAX;

    while (length $body < $length) {
        sysread($socket, $body, $length - length $body, length $body)
            or return;
    }

    return $body;
}


sub read_chunks {
    my ($socket, $rest) = @_;

    my $body = '';

    for (;;) {
        if ($rest =~ s/^([0-9a-fA-F]{1,8})[^\r\n]*\r\n//) {
            my $size = hex $1;

            return if length($body) + $size > BODY_MAX;

            while (length $rest < $size + 2) {
                sysread($socket, $rest, 8192, length $rest) or return;
            }

            $body .= substr $rest, 0, $size;
            substr($rest, 0, $size + 2) = '';

            return $body if $size == 0;
            next;
        }

        sysread($socket, $rest, 8192, length $rest) or return;
    }
}


sub record {
    my ($request, $o) = @_;

    print "$o->{name}: $request->{method} $request->{path}\n";
    print "  $_\n" for split /\n/, $request->{body};

    return if !defined $o->{log};

    open my $log, '>>:raw', $o->{log} or die "$o->{log}: $!\n";
    syswrite $log, $json->encode({ service => $o->{name}, %$request }) . "\n";
    close $log;
}


sub respond {
    my ($socket, $status, $type, $body) = @_;

    put($socket, "HTTP/1.1 $status " . ($reason{$status} // 'Unknown')
        . "\r\n"
        . (length $body ? "Content-Type: $type\r\n" : '')
        . 'Content-Length: ' . length($body) . "\r\n\r\n" . $body);
}


sub respond_json {
    my ($socket, $status, $value, $type) = @_;

    respond($socket, $status, $type // 'application/json',
            $json->encode($value));
}


# Begins a stream of server-sent events.  The returned function sends a value;
# without a value it ends the stream.
sub events {
    my $socket = shift;

    put($socket, "HTTP/1.1 200 OK\r\n"
        . "Content-Type: text/event-stream\r\n"
        . "Cache-Control: no-store\r\n"
        . "Transfer-Encoding: chunked\r\n\r\n");

    return sub {
        my ($value, $pause) = @_;

        if (!defined $value) {
            put($socket, "0\r\n\r\n");
            return;
        }

        Time::HiRes::sleep($pause) if $pause;

        my $text = 'data: ' . $json->encode($value) . "\n\n";

        put($socket, sprintf "%x\r\n%s\r\n", length $text, $text);
    };
}


sub put {
    my ($socket, $octets) = @_;

    while (length $octets) {
        my $n = syswrite $socket, $octets or return;
        substr($octets, 0, $n) = '';
    }
}


# Returns the time, RFC 3339 in UTC.
sub now { strftime('%Y-%m-%dT%H:%M:%SZ', gmtime(time + (shift // 0))) }


# Returns a UUID of RFC 9562.  Its random part need not be secret.
sub uuid7 {
    my $ms = int(Time::HiRes::time() * 1000);

    return sprintf '%08x-%04x-7%03x-%04x-%04x%08x', $ms >> 16, $ms & 0xffff,
                   rand 0x1000, 0x8000 | rand 0x4000, rand 0x10000,
                   rand 0xffffffff;
}


sub uuid4 {
    return sprintf '%08x-%04x-4%03x-%04x-%04x%08x', rand 0xffffffff,
                   rand 0x10000, rand 0x1000, 0x8000 | rand 0x4000,
                   rand 0x10000, rand 0xffffffff;
}


1;
