package Demo::Websocket;

# A WebSocket client (RFC 6455) that speaks VCP: each text frame is a message.
# openssl provides TLS.

use strict;
use warnings;

use IO::Select;
use IPC::Open2 qw(open2);
use MIME::Base64 qw(encode_base64);
use Time::HiRes qw(time);

use Demo::Setup qw(%demo slurp);

use constant { TEXT => 1, CLOSE => 8, PING => 9, PONG => 10 };


# open(name, path): returns when the WebSocket is open.
sub open {
    my ($class, $who, $path) = @_;

    my $self = bless { who => $who, buffer => '', texts => [] }, $class;
    my $token = slurp("$demo{dir}/tokens/$who.jwt");
    my $key = encode_base64(join('', map { chr int rand 256 } 1 .. 16), '');

    chomp $token;

    $self->{pid} = open2($self->{out}, $self->{in},
                         qw(openssl s_client -quiet -verify_quiet
                            -verify_return_error),
                         '-CAfile', "$demo{dir}/tls/server.crt",
                         '-servername', 'localhost', '-connect',
                         "127.0.0.1:$demo{port}");

    $self->write(join "\r\n", "GET $path HTTP/1.1",
                 "Host: localhost:$demo{port}", "Authorization: Bearer $token",
                 'Upgrade: websocket', 'Connection: Upgrade',
                 'Sec-WebSocket-Version: 13', "Sec-WebSocket-Key: $key",
                 '', '');

    my $until = time + 20;

    $self->read(0.1) while $self->{buffer} !~ /\r\n\r\n/ && time < $until;

    $self->{buffer} =~ s{\AHTTP/1\.1 101 .*?\r\n\r\n}{}s
        or die "no WebSocket of $who: $self->{buffer}\n";

    return $self;
}


sub write {
    my ($self, $octets) = @_;

    while (length $octets) {
        my $n = syswrite($self->{in}, $octets) // die "openssl: $!\n";
        substr $octets, 0, $n, '';
    }
}


sub read {
    my ($self, $seconds) = @_;

    IO::Select->new($self->{out})->can_read($seconds) or return;

    sysread $self->{out}, $self->{buffer}, 65536, length $self->{buffer}
        or die "the WebSocket of $self->{who} has ended\n";
}


# Sends a frame, which is masked as for every client.
sub frame {
    my ($self, $kind, $payload) = @_;

    my $n = length $payload;
    my $mask = pack 'N', int rand 2 ** 32;

    $self->write(pack('C', 0x80 | $kind)
                 . ($n < 126 ? pack('C', 0x80 | $n)
                             : pack('Cn', 0x80 | 126, $n))
                 . $mask . ($payload ^ substr $mask x ($n / 4 + 1), 0, $n));
}


sub say { $_[0]->frame(TEXT, $_[1]) }


# Removes complete frames from the buffer, and answers pings.
sub frames {
    my $self = shift;

    my $in = \$self->{buffer};

    while (length $$in >= 2) {
        my ($kind, $n) = unpack 'CC', $$in;
        my $at = $n < 126 ? 2 : $n == 126 ? 4 : 10;

        last if length $$in < $at;

        $n = unpack $n == 126 ? 'x2 n' : 'x2 Q>', $$in if $n >= 126;

        last if length $$in < $at + $n;

        my $payload = substr $$in, $at, $n;
        substr $$in, 0, $at + $n, '';

        $kind &= 15;

        push @{ $self->{texts} }, $payload if $kind == TEXT;
        $self->frame(PONG, $payload) if $kind == PING;
    }
}


# Returns the next text; undef if none arrives within this number of seconds.
sub text {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);

    for (;;) {
        $self->frames;
        return shift @{ $self->{texts} } if @{ $self->{texts} };

        my $left = $until - time;

        return undef if $left <= 0;
        $self->read($left);
    }
}


sub leave {
    my $self = shift;

    local $?;

    $self->frame(CLOSE, pack 'n', 1000);
    close $self->{in};
    close $self->{out};
    kill TERM => $self->{pid};
    waitpid $self->{pid}, 0;
}


1;
