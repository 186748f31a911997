package Parley::Message;

# Messages, keys, signatures and tokens, made without the library under test:
# by JSON::XS, OpenSSL's command line tool, and CryptX, which signs faster than
# a process for each signature.

use strict;
use warnings;

use Crypt::PK::ECC ();
use Crypt::PK::Ed25519 ();
use Crypt::PK::RSA ();
use Digest::SHA qw(sha256 hmac_sha256 hmac_sha384 hmac_sha512);
use Exporter 'import';
use JSON::PP ();
use JSON::XS ();
use MIME::Base64 qw(encode_base64 decode_base64 encode_base64url
                    decode_base64url);
use POSIX qw(strftime);
use Time::HiRes ();

use Parley::Env qw(tmp_dir slurp spew);

our @EXPORT = qw(aee vcp vcp2 as_vcp2 escalation constraint announce result
                 failure with without
                 uuid4 uuid7 derived_id timestamp jcs from_json true false null
                 new_key public_jwk private_jwk jwks sign sign_aee sign_vcp
                 verify token raw_token
                 encode_base64url decode_base64url);

my $canonical = JSON::XS->new->utf8->canonical->allow_nonref;
my $made = 0;


sub true  { JSON::PP::true }
sub false { JSON::PP::false }
sub null  { undef }


# Sorted members, no white space: this is RFC 8785 as long as names are ASCII
# and numbers are whole, as in these tests.
sub jcs { $canonical->encode($_[0]) }

sub from_json { $canonical->decode($_[0]) }


sub random_octets {
    my $n = shift;

    open my $in, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
    read($in, my $octets, $n) == $n or die "/dev/urandom: $!\n";

    return $octets;
}


sub uuid {
    my ($version, $octets) = @_;

    my @o = unpack 'C16', $octets;
    $o[6] = $o[6] & 0x0f | $version << 4;
    $o[8] = $o[8] & 0x3f | 0x80;

    return join '-', unpack 'A8 A4 A4 A4 A12', unpack 'H*', pack 'C16', @o;
}


sub uuid4 { uuid(4, random_octets(16)) }


# Returns the UUIDv8 of AEE for an id of another protocol.  It includes the
# name of the protocol and the principal.
sub derived_id {
    my ($proto, $owner, $id) = @_;

    return uuid(8, substr(sha256(pack '(N/a)*', 'parley', $proto, $owner, $id,
                                      'id'), 0, 16));
}


sub uuid7 {
    my $ms = int(Time::HiRes::time() * 1000);

    return uuid(7, substr(pack('Q>', $ms), 2) . random_octets(10));
}


# Returns a time in that many seconds, as RFC 3339 in UTC.
sub timestamp {
    my $at = Time::HiRes::time() + ($_[0] // 0);

    return strftime('%Y-%m-%dT%H:%M:%S', gmtime int $at)
           . sprintf '.%03dZ', ($at - int $at) * 1000;
}


# Returns an AEE task from alice to bob, as a hash; members are added or
# replaced.
sub aee {
    my %other = @_;

    return { v => '1', id => uuid4(), ts => timestamp(), type => 'task',
             from => 'agent.alice', to => 'agent.bob',
             intent => 'ops.backup.run', corr => uuid4(),
             priority => 'normal', payload => { text => 'do it' }, %other };
}


# Returns a VCP message from alice to bob: context_share by default.
sub vcp {
    my %other = @_;

    return { vcp_message => '1.2', type => 'context_share',
             message_id => uuid7(), sender => 'agent://ops.example/alice',
             recipient => 'agent://ops.example/bob', timestamp => timestamp(),
             payload => { context => 'ctx|home',
                          constitution_ref =>
                              'creed://creed.space/family.safe@1.2.0' },
             %other };
}


# Returns a message of VCP 2.0.
sub vcp2 { as_vcp2(vcp(), @_) }


# Converts a message of 1.2 to 2.0, with a new id.
sub as_vcp2 {
    my ($m, %other) = @_;

    return { %$m, vcp_message => '2.0', message_id => uuid4(), %other };
}


# These return the other types of VCP; their arguments go into the payload.
sub escalation {
    my %payload = @_;

    return vcp(type => 'escalation', recipient => 'agent://ops.example/lead',
               payload => { severity => 'warning', reason => 'disk is full',
                            context => 'ctx|work', requires_ack => false,
                            %payload });
}


sub constraint {
    my %payload = @_;

    return vcp(type => 'constraint_propagate',
               sender => 'agent://ops.example/lead',
               recipient => 'agent://ops.example/alice',
               payload => { propagation_mode => 'merge',
                            constraints => [
                                { type => 'token_limit', value => 2048,
                                  source_constitution_ref =>
                                     'creed://creed.space/family.safe@1.2.0' }
                            ], %payload });
}


sub announce {
    my %payload = @_;

    return vcp(type => 'constitution_announce', recipient => 'broadcast',
               payload => { constitution_ref =>
                                'creed://creed.space/family.safe@1.2.0',
                            manifest_hash => 'sha256:' . 'ab' x 32,
                            %payload });
}


# Returns the result, or error, with which an AEE service answers a task.
sub result {
    my ($task, %other) = @_;

    return aee(type => 'result', from => $task->{to}, to => $task->{from},
               intent => $task->{intent}, corr => $task->{corr},
               reply_to => $task->{id}, payload => { text => 'done' },
               %other);
}


sub failure {
    my ($task, %payload) = @_;

    return result($task, type => 'error',
                  payload => { code => 'E_BROKEN', message => 'it broke',
                               retryable => false, %payload });
}


# Returns a copy with replaced members; "payload/context" is a path.
sub with {
    my ($message, %change) = @_;

    my $copy = from_json(jcs($message));

    for my $path (sort keys %change) {
        my @names = split m{/}, $path;
        my $last = pop @names;
        my $at = $copy;

        $at = ref $at eq 'ARRAY' ? $at->[$_] : $at->{$_} for @names;

        if (ref $at eq 'ARRAY') { $at->[$last] = $change{$path} }
        else                    { $at->{$last} = $change{$path} }
    }

    return $copy;
}


sub without {
    my ($message, @paths) = @_;

    my $copy = from_json(jcs($message));

    for my $path (@paths) {
        my @names = split m{/}, $path;
        my $last = pop @names;
        my $at = $copy;

        $at = ref $at eq 'ARRAY' ? $at->[$_] : $at->{$_} for @names;
        delete $at->{$last};
    }

    return $copy;
}


sub openssl {
    my $command = join ' ', map { "'$_'" } 'openssl', @_;
    my $out = `$command 2>/dev/null`;

    die "$command: status $?\n" if $?;

    return $out;
}


# Returns a key, {kid, alg, file, jwk, private}, for ed25519, HS256.., RS256..,
# PS256.., ES256..
sub new_key {
    my ($alg, $kid) = @_;

    my $file = tmp_dir() . '/key-' . $$ . '-' . ++$made . '.pem';
    my $key = { alg => $alg, kid => $kid // "key-$made", file => $file };
    my %jwk = (kid => $key->{kid});

    if ($alg =~ /^HS(\d+)/) {
        $key->{secret} = random_octets($1 / 8);
        %jwk = (%jwk, kty => 'oct', alg => $alg,
                k => encode_base64url($key->{secret}));
        $key->{jwk} = $key->{private} = \%jwk;

        return $key;
    }

    if ($alg =~ /^ed/i) {
        openssl(qw(genpkey -algorithm ed25519 -out), $file);
        my $public = openssl(qw(pkey -pubout -outform DER -in), $file);
        my $private = openssl(qw(pkey -outform DER -in), $file);

        %jwk = (%jwk, kty => 'OKP', crv => 'Ed25519', alg => 'EdDSA',
                x => encode_base64url(substr $public, -32));
        $key->{private} = { %jwk, d => encode_base64url(substr $private,
                                                        -32) };

    } elsif ($alg =~ /^ES(\d+)/) {
        my ($curve, $name, $n) = @{ { 256 => ['P-256', 'prime256v1', 32],
                                      384 => ['P-384', 'secp384r1', 48],
                                      512 => ['P-521', 'secp521r1', 66] }->{$1}
                                  };
        openssl(qw(genpkey -algorithm EC -pkeyopt),
                "ec_paramgen_curve:$name", '-out', $file);
        my $public = openssl(qw(pkey -pubout -outform DER -in), $file);

        %jwk = (%jwk, kty => 'EC', crv => $curve, alg => $alg,
                x => encode_base64url(substr $public, -2 * $n, $n),
                y => encode_base64url(substr $public, -$n));

    } else {
        openssl(qw(genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out),
                $file);
        my ($hex) = openssl(qw(rsa -noout -modulus -in), $file)
                    =~ /=([0-9A-F]+)/;

        %jwk = (%jwk, kty => 'RSA', alg => $alg, e => 'AQAB',
                n => encode_base64url(pack 'H*', $hex));
    }

    $key->{jwk} = \%jwk;
    $key->{public_pem} = openssl(qw(pkey -pubout -in), $file);

    return $key;
}


sub public_jwk  { $_[0]{jwk} }
sub private_jwk { jcs($_[0]{private}) }
sub jwks        { jcs({ keys => [map { $_->{jwk} } @_] }) }


# Returns the JOSE signature of octets by the key, with its alg or another one.
sub sign {
    my ($key, $octets, $alg) = @_;

    $alg //= $key->{alg};

    if ($alg =~ /^HS(\d+)/) {
        my $secret = $key->{secret} // $key->{public_pem};

        return $1 == 256 ? hmac_sha256($octets, $secret)
             : $1 == 384 ? hmac_sha384($octets, $secret)
             :             hmac_sha512($octets, $secret);
    }

    return private_key($key, 'Ed25519')->sign_message($octets)
        if $alg =~ /^ed/i;

    my ($kind, $bits) = $alg =~ /^(..)(\d+)$/;

    return private_key($key, 'ECC')->sign_message_rfc7518($octets,
                                                          "SHA$bits")
        if $kind eq 'ES';

    return private_key($key, 'RSA')->sign_message(
        $octets, "SHA$bits", $kind eq 'PS' ? ('pss', $bits / 8) : 'v1.5');
}


# each key is read once
sub private_key {
    my ($key, $type) = @_;

    return $key->{object} //= "Crypt::PK::$type"->new($key->{file});
}


# Returns whether an Ed25519 signature (octets) of octets is valid.
sub verify {
    my ($key, $octets, $signature) = @_;

    my $pem = spew(tmp_dir() . "/verify-$$.pem", $key->{public_pem});
    my $in = spew(tmp_dir() . "/verify-$$", $octets);
    my $sig = spew(tmp_dir() . "/verify-$$.sig", $signature);

    `openssl pkeyutl -verify -pubin -inkey $pem -rawin -in $in \\
        -sigfile $sig 2>&1`;

    return $? == 0;
}


# Returns a signed copy of an AEE message.
sub sign_aee {
    my ($message, $key, %sig) = @_;

    my $copy = without($message, 'sig');
    my $word = $key->{alg} =~ /^ed/i ? 'ed25519' : $key->{alg};

    return { %$copy,
             sig => { alg => $word, kid => $key->{kid},
                      value => encode_base64(sign($key, jcs($copy)), ''),
                      %sig } };
}


sub sign_vcp {
    my ($message, $key) = @_;

    my $copy = without($message, 'signature');

    return { %$copy,
             signature => 'base64:' . encode_base64(sign($key, jcs($copy)),
                                                    '') };
}


# Returns a token with these claims; undef leaves a claim out.  @header adds
# header members.
sub token {
    my ($key, $claims, @header) = @_;

    my %header = (typ => 'JWT', kid => $key->{kid},
                  alg => $key->{alg} =~ /^ed/i ? 'EdDSA' : $key->{alg},
                  @header);
    my %claims = (exp => time + 600, %$claims);

    delete $header{kid} if !defined $header{kid};
    delete @claims{grep { !defined $claims{$_} } keys %claims};

    return raw_token(\%header, \%claims, $key);
}


sub raw_token {
    my ($header, $claims, $key, $alg) = @_;

    my $input = encode_base64url(jcs($header)) . '.'
              . encode_base64url(jcs($claims));

    return "$input." . ($key ? encode_base64url(sign($key, $input,
                                                     $alg // $header->{alg}))
                             : '');
}


1;
