package Parley::H2;

# Frames of HTTP/2, for requests that a client library cannot make: streams
# that are reset, or left open, at a moment that the test chooses.

use strict;
use warnings;

use Exporter 'import';

use Parley::Gateway;

our @EXPORT = qw(h2_begin h2_get h2_post h2_reset);


# Returns the beginning of a connection.
sub h2_begin { "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" . frame(4, 0, 0, '') }


# Returns a POST on a stream with alice's token: HEADERS, then DATA.  With
# open, DATA does not end the request.  fields are further headers.
sub h2_post {
    my ($stream, $uri, $body, %o) = @_;

    my @fields = @{ $o{fields} // [] };
    my $more = '';

    while (my ($name, $value) = splice @fields, 0, 2) {
        $more .= field($name, $value);
    }

    return frame(1, 4, $stream, fields('POST', $uri)
                                . field('content-type', 'application/json')
                                . $more)
           . frame(0, $o{open} ? 0 : 1, $stream, $body);
}


# Returns a GET on a stream with alice's token, and with further headers.
sub h2_get {
    my ($stream, $uri, @fields) = @_;

    my $more = '';

    while (my ($name, $value) = splice @fields, 0, 2) {
        $more .= field($name, $value);
    }

    return frame(1, 5, $stream, fields('GET', $uri) . $more);
}


sub fields {
    my ($method, $uri) = @_;

    my $token = bearer('alice');
    my $fields = field(':method', $method) . field(':scheme', 'https')
               . field(':path', $uri) . field(':authority', 'localhost');

    # a length of 127 octets or more needs further octets
    my ($n, $long) = (length($token) - 127, '');

    for ( ; $n >= 128; $n >>= 7) { $long .= chr($n & 127 | 128) }

    return $fields . "\0" . pack('C/a', 'authorization') . "\x7f$long"
           . chr($n) . $token;
}


# Returns a frame with which the client resets a request.
sub h2_reset { frame(3, 0, shift, pack 'N', 8) }


# Returns a frame, and below a header field as a literal that no table keeps.
sub frame {
    my ($type, $flags, $stream, $text) = @_;

    return substr(pack('N', length $text), 1)
           . pack('CCN', $type, $flags, $stream) . $text;
}

sub field { join '', "\0", map { pack('C/a', $_) } @_ }


1;
