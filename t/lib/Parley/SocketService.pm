package Parley::SocketService;

# A service with a WebSocket, for the scripts of Parley::Upstream.  It records
# each frame that it gets, as a request with the method FRAME.
#
#     $service->script('$c->opens; while (my $m = $c->hears) { ... }');

use strict;
use warnings;

use Parley::Upstream;
use Parley::Websocket ();


package Parley::Upstream::Connection;

use Digest::SHA qw(sha1);
use MIME::Base64 qw(encode_base64);
use Time::HiRes qw(sleep time);

use Parley::Message;


# Sends the 101.  Options: NAME => VALUE replaces or adds a header, undef
# removes it; behind: octets that follow at once.
sub opens {
    my ($c, %o) = @_;

    my $behind = delete $o{behind} // '';
    my %headers = (Upgrade => 'websocket', Connection => 'Upgrade',
                   'Sec-WebSocket-Accept' => encode_base64(sha1(
                       ($c->{q}{headers}{'sec-websocket-key'} // '')
                       . Parley::Websocket::GUID()), ''), %o);

    $c->{keep} = 0;
    $c->out("HTTP/1.1 101 Switching Protocols\r\n"
            . join('', map { "$_: $headers{$_}\r\n" }
                           grep { defined $headers{$_} } sort keys %headers)
            . "\r\n$behind");
}


# Sends a text, or another frame with the options of frame_of().
sub says {
    my ($c, $text, %o) = @_;

    $c->out(Parley::Websocket::frame_of(ref $text ? jcs($text) : $text,
                                        mask => '', %o));
}


# Returns the next frame, {kind, payload, json, masked}; undef at the end.
sub hears {
    my $c = shift;

    my $frame;

    until ($frame = unmasked(\$c->{buffer})) {
        $c->fill or return undef;
    }

    $frame->{json} = eval { from_json($frame->{payload}) };
    $c->{service}->record({ method => 'FRAME', uri => $frame->{kind},
                            version => $frame->{masked} ? 'masked' : '',
                            headers => {}, list => [],
                            body => $frame->{payload}, time => time });

    return $frame;
}


sub unmasked {
    my $in = shift;

    return undef if length $$in < 2;

    my ($first, $second) = unpack 'CC', $$in;
    my $masked = $second >> 7;
    my ($at, $len) = (2, $second & 0x7f);

    if ($len >= 126) {
        my $n = $len == 126 ? 2 : 8;
        return undef if length $$in < 2 + $n;
        $at += $n;
        $len = unpack $n == 2 ? 'n' : 'Q>', substr $$in, 2, $n;
    }

    return undef if length $$in < $at + 4 * $masked + $len;

    my $mask = $masked ? substr $$in, $at, 4 : '';
    $at += 4 * $masked;

    my $payload = Parley::Websocket::masked(substr($$in, $at, $len), $mask);

    substr $$in, 0, $at + $len, '';

    my %names = (0 => 'more', 1 => 'text', 2 => 'binary', 8 => 'close',
                 9 => 'ping', 10 => 'pong');

    return { kind => $names{$first & 15}, payload => $payload,
             masked => $masked };
}


# Answers each task until the client closes, with the result of it.
sub serves {
    my ($c, %o) = @_;

    while (my $m = $c->hears) {
        if ($m->{kind} eq 'close') {
            $c->says($m->{payload}, kind => 'close');
            return;
        }

        $c->says(result($m->{json})) if $m->{kind} eq 'text'
                                        && ($m->{json}{type} // '') eq 'task';
    }
}


1;
