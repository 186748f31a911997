package Parley::Websocket;

# A client of WebSocket (RFC 6455) that can break the protocol.  It builds each
# frame itself: masked or not, in fragments, with any bits.
#
#     my $alice = websocket('alice', uri => '/vcp/ws');
#     is($alice->status, 101);
#     $alice->text(jcs(vcp()));
#     is($alice->message->{json}{status}, 'accepted');
#     is_deeply($alice->closed, [1001, 'last_event_id=...']);

use strict;
use warnings;

use Digest::SHA qw(sha1);
use Exporter 'import';
use MIME::Base64 qw(encode_base64);
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Streams qw(submit);

our @EXPORT = qw(websocket frame_of masked share send_to ids);

use constant GUID => '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';


# Returns the octets of a frame.  Options: kind (text), fin (1), rsv (0), mask
# (four octets, or '' for none), length (the announced length, and its form: 7,
# 16 or 64 bits).
sub frame_of {
    my ($payload, %o) = @_;

    my %kinds = (more => 0, text => 1, binary => 2, close => 8, ping => 9,
                 pong => 10);
    my $kind = $kinds{$o{kind} // 'text'} // $o{kind};
    my $mask = $o{mask} // pack 'N', int rand 2 ** 32;
    my $len = $o{announced} // length $payload;
    my $bits = $o{bits} // ($len < 126 ? 7 : $len < 65536 ? 16 : 64);

    return pack('CC', ($o{fin} // 1) << 7 | ($o{rsv} // 0) << 4 | $kind,
                (length $mask ? 0x80 : 0)
                | ($bits == 7 ? $len : $bits == 16 ? 126 : 127))
           . ($bits == 16 ? pack('n', $len) : $bits == 64 ? pack('Q>', $len)
                                                          : '')
           . $mask . masked($payload, $mask);
}


sub masked {
    my ($payload, $mask) = @_;

    return $payload if !length $mask;

    my $n = length $payload;

    return $payload ^ substr $mask x ($n / 4 + 1), 0, $n;
}


# Returns a context_share from one principal to another.
sub share {
    my ($from, $to, %payload) = @_;

    return vcp(sender => "agent://ops.example/$from",
               recipient => "agent://ops.example/$to",
               payload => { context => 'ctx|home', constitution_ref =>
                                'creed://creed.space/family.safe@1.2.0',
                            %payload });
}


# Sends messages by HTTP, from bob by default.
sub send_to {
    my ($to, $n, %payload) = @_;

    my @sent;

    for (1 .. $n) {
        push @sent, share('bob', $to, %payload);

        my $answer = submit($sent[-1], as => 'bob');

        die "$answer->{status} $answer->{body}\n" if $answer->{status} != 200;
    }

    return @sent;
}


sub ids { map { ref $_ ? $_->{message_id} // $_->{json}{message_id} : $_ } @_ }


# Opens a WebSocket, or returns the refusal.  Options: uri, session,
# last_event_id, more (of the query), headers, token, port, tls, key, version;
# behind: octets that are sent together with the request.
sub websocket {
    my ($who, %o) = @_;

    my $client = Parley::Client->new(port => $o{port} // port(1),
                                     tls => $o{tls} // 0,
                                     %{ $o{client} // {} });
    my $self = bless { connection => $client->connect, pings => [],
                       key => $o{key} // encode_base64(rand_octets(16), '') },
                     __PACKAGE__;

    my $uri = $o{uri} // '/vcp/ws';
    my @args = map { defined $o{$_} ? "$_=$o{$_}" : () }
                   qw(session last_event_id filter);

    push @args, $o{more} if defined $o{more};
    $uri .= '?' . join '&', @args if @args;

    my @headers = ('Upgrade' => 'websocket', 'Connection' => 'Upgrade',
                   'Sec-WebSocket-Version' => '13',
                   'Sec-WebSocket-Key' => $self->{key});

    # [NAME => VALUE] replaces a header; undef removes it
    my %of = %{ $o{replace} // {} };

    for (my $i = 0; $i < @headers; $i += 2) {
        $headers[$i + 1] = $of{$headers[$i]} if exists $of{$headers[$i]};
    }

    push @headers, @{ $o{headers} // [] };

    unshift @headers, Authorization => $o{token} // bearer($who)
        if !defined $o{token} || $o{token};

    $self->{connection}->write($client->request($o{method} // 'GET', $uri,
                                                $o{body}, @headers)
                               . ($o{behind} // ''));

    $self->{connection}->expect(qr/\r\n\r\n/) // die "no answer\n";

    my ($status) = $self->{connection}{buffer} =~ m{^HTTP/1.1 (\d+)};

    $self->{status} = $status;

    if ($status != 101) {
        $self->{answer} = $self->{connection}->answer;
        $self->{headers} = $self->{answer}{headers};
        return $self;
    }

    $self->{connection}{buffer} =~ s/^(.*?\r\n)\r\n//s;

    my %headers;
    my $head = $1;

    while ($head =~ /^([^:\r\n]+):[ \t]*([^\r\n]*)\r$/mg) {
        $headers{lc $1} = exists $headers{lc $1} ? "$headers{lc $1}, $2" : $2;
    }

    $self->{headers} = \%headers;
    $self->{accepted} = $headers{'sec-websocket-accept'}
                        eq encode_base64(sha1($self->{key} . GUID), '');

    # a service's own WebSocket begins without a ping
    return $self if $o{plain};

    # reads the first ping, so later counts begin after it
    $self->{opened} = ($self->frame // {})->{payload};
    $self->pong($self->{opened});

    return $self;
}


sub rand_octets { return join '', map { chr int rand 256 } 1 .. $_[0] }


sub status { $_[0]{status} }
sub answer { $_[0]{answer} }

# Returns the place in the first ping.
sub opened { $_[0]{opened} }

sub raw {
    my ($self, $octets) = @_;

    return $self->{connection}->write($octets);
}

sub send { my ($self, @o) = @_; return $self->raw(frame_of(@o)) }
sub text { my ($self, $text, %o) = @_; return $self->send($text, %o) }
sub pong { my ($self, $text) = @_; return $self->send($text, kind => 'pong') }

sub close {
    my ($self, $code, $reason) = @_;

    return $self->send(defined $code ? pack('n', $code) . ($reason // '') : '',
                       kind => 'close');
}

# Closes the connection without a close frame.
sub leave { $_[0]{connection}->leave }


# Returns the next frame, {kind, fin, payload}, or undef after the time.
sub frame {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);
    my $in = \$self->{connection}{buffer};

    while (1) {
        my $frame = taken($in);
        return $frame if $frame;

        my $left = $until - time;
        return undef if $left <= 0 || $self->{ended};

        my $n = $self->{connection}->fill($left);
        $self->{ended} = 1 if defined $n && $n == 0;
    }
}


sub taken {
    my $in = shift;

    return undef if length $$in < 2;

    my ($first, $second) = unpack 'CC', $$in;
    my ($at, $len) = (2, $second & 0x7f);

    die "a server masks nothing\n" if $second & 0x80;

    if ($len >= 126) {
        my $n = $len == 126 ? 2 : 8;

        return undef if length $$in < 2 + $n;

        $at += $n;
        $len = unpack $n == 2 ? 'n' : 'Q>', substr $$in, 2, $n;
    }

    return undef if length $$in < $at + $len;

    my $payload = substr $$in, $at, $len;

    substr $$in, 0, $at + $len, '';

    my %names = (0 => 'more', 1 => 'text', 2 => 'binary', 8 => 'close',
                 9 => 'ping', 10 => 'pong');

    return { fin => $first >> 7, rsv => $first >> 4 & 7,
             kind => $names{$first & 15} // $first & 15,
             payload => $payload };
}


# Returns the next text, {text, json}.  Pings before it are answered and kept.
# Returns undef after the time, or if a close comes.
sub message {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);

    while (1) {
        my $left = $until - time;
        my $frame = $self->frame($left > 0 ? $left : 0) // return undef;

        if ($frame->{kind} eq 'ping') {
            push @{ $self->{pings} }, $frame->{payload};
            $self->pong($frame->{payload}) if !$self->{deaf};
            next;
        }

        next if $frame->{kind} eq 'pong';

        if ($frame->{kind} eq 'close') {
            $self->{close} = close_of($frame);
            return undef;
        }

        return { %$frame, text => $frame->{payload},
                 json => scalar eval { from_json($frame->{payload}) } };
    }
}


# Returns that many messages.
sub messages {
    my ($self, $n, $seconds) = @_;

    my @messages;

    while (@messages < $n) {
        push @messages, $self->message($seconds) // last;
    }

    return @messages;
}


sub close_of {
    my $frame = shift;

    return [1005, ''] if length $frame->{payload} < 2;
    return [unpack('n', $frame->{payload}), substr $frame->{payload}, 2];
}


# Returns [code, reason] of the close.  Texts before it are skipped and
# counted.  Returns undef after the time.
sub closed {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);

    while (!$self->{close}) {
        my $left = $until - time;

        last if $left <= 0 || $self->{ended};
        push @{ $self->{passed} }, $self->message($left) // next;
    }

    return $self->{close};
}


# Returns whether the connection itself ends.
sub ends {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);

    while (!$self->{ended}) {
        my $left = $until - time;
        return 0 if $left <= 0;
        $self->frame($left);
    }

    return 1;
}


# Sends a message and returns its answer; messages before the answer are kept.
sub ask {
    my ($self, $message, %o) = @_;

    $self->text(ref $message ? jcs($message) : $message, %o);

    return ($self->message // {})->{json};
}


1;
