package Parley::Tool;

# The command line tool with standard input, and helpers for tests of keys:
# base64url, and public keys in the format of OpenSSL.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use JSON::XS ();
use MIME::Base64 qw(decode_base64url encode_base64url encode_base64);
use POSIX ();

use Parley::Env qw(build_dir tmp_dir slurp spew);

our @EXPORT = qw(tool tool_ok json public_pem ecdsa_der openssl_verify);
our @EXPORT_OK = qw(decode_base64url encode_base64url);

my $json = JSON::XS->new->utf8->canonical->allow_nonref;
my $runs = 0;


# tool([{in => TEXT},] WORD...): returns (status, standard output, standard
# error).
sub tool {
    my $o = ref $_[0] eq 'HASH' ? shift : {};
    my @words = @_;
    my $base = tmp_dir() . '/tool-' . $runs++;

    spew("$base.in", $o->{in} // '');

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', "$base.in";
        open STDOUT, '>', $o->{out} // "$base.out";
        open STDERR, '>', "$base.err";
        exec { build_dir() . '/parley' } 'parley', @words
            or POSIX::_exit(127);
    }

    local $?;
    waitpid $pid, 0;

    return ($? & 127 ? 128 + ($? & 127) : $? >> 8,
            $o->{out} ? '' : slurp("$base.out"), slurp("$base.err"));
}


# Returns the output without the last newline; dies if the status is not 0.
sub tool_ok {
    my ($status, $out, $err) = tool(@_);

    die "parley: status $status: $err\n" if $status != 0;
    chomp $out;

    return $out;
}


# Converts JSON text to a value, or a value to JSON text with sorted members.
sub json { ref $_[0] ? $json->encode($_[0]) : $json->decode($_[0]) }


# Writes the file of a public JWK as SubjectPublicKeyInfo, without the library.
sub public_pem {
    my $jwk = shift;

    my %octets = map { $_ => decode_base64url($jwk->{$_} // '') }
                 qw(x y n e);
    my $der
        = $jwk->{kty} eq 'EC'
        ? pack('H*', '3059301306072a8648ce3d020106082a8648ce3d030107034200'
                     . '04') . $octets{x} . $octets{y}
        : $jwk->{kty} eq 'OKP'
        ? pack('H*', '302a300506032b6570032100') . $octets{x}
        : der(0x30, pack('H*', '300d06092a864886f70d0101010500')
                    . der(0x03, "\0" . der(0x30, integer($octets{n})
                                                 . integer($octets{e}))));

    return spew(tmp_dir() . '/public-' . $runs++ . '.pem',
                "-----BEGIN PUBLIC KEY-----\n" . encode_base64($der)
                . "-----END PUBLIC KEY-----\n");
}


# Converts r || s to the format of OpenSSL.
sub ecdsa_der {
    my $raw = shift;
    my $half = length($raw) / 2;

    return der(0x30, integer(substr $raw, 0, $half)
                     . integer(substr $raw, $half));
}


sub integer {
    my $octets = shift;

    $octets =~ s/^\0+(?=.)//s;
    $octets = "\0$octets" if ord($octets) & 0x80;

    return der(0x02, $octets);
}


sub der {
    my ($tag, $octets) = @_;
    my $n = length $octets;

    return chr($tag) . ($n < 128 ? chr $n : $n < 256 ? pack('CC', 0x81, $n)
                        : pack('Cn', 0x82, $n)) . $octets;
}


# Returns whether OpenSSL's own tool accepts a signature of these octets.
sub openssl_verify {
    my ($jwk, $octets, $signature) = @_;

    my $pem = public_pem($jwk);
    my $in = spew("$pem.in", $octets);
    my $sig = spew("$pem.sig", $jwk->{kty} eq 'EC' ? ecdsa_der($signature)
                                                   : $signature);

    my $said = $jwk->{kty} eq 'OKP'
        ? `openssl pkeyutl -verify -pubin -inkey $pem -rawin -in $in \\
           -sigfile $sig 2>&1`
        : `openssl dgst -sha256 -verify $pem -signature $sig $in 2>&1`;

    return $? == 0 && $said =~ /Verified OK|Verified Successfully/;
}


1;
