# Signatures of messages: valid and invalid ones.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

our $second = new_key('ed25519', 'alice-2');
our $secret = new_key('HS256', 'alice-hs');
our $stranger = new_key('ed25519', 'alice-key');

my $dir = tmp_dir();
my $http = http_config();
my $known = from_json(identities());

push @{ $known->{principals}[0]{keys} }, map { $_->{jwk} } $second, $secret;
spew("$dir/identities.json", jcs($known));

our @tls11 = (ssl => "ssl_protocols TLSv1.1 TLSv1.2 TLSv1.3;\n"
                   . "ssl_ciphers ALL:\@SECLEVEL=0;\n");

# a forgery is counted against its address
my $from = "set_real_ip_from 127.0.0.1;\nreal_ip_header X-From;\n";

with_gateway(http => $http, server => server_config() . $tls11[1] . $from,
             add =>
    location('/signed', 'parley_accept aee; parley_signature required;')
  . location('/signed-too', 'parley_accept aee; parley_jwt on; '
                          . 'parley_signature required;')
  . location('/ignored', 'parley_accept aee; parley_trusted on; '
                       . 'parley_signature off;')
  . location('/balanced', 'parley_accept aee; parley_jwt on; '
                        . 'parley_trusted on;')
  . location('/both', 'parley_accept aee vcp; parley_speak aee; '
                    . 'parley_signature required;'));


# Sends each message from its own address.
sub main::forged {
    my ($uri, @messages) = @_;
    my $i = 0;

    return map {
        $i++;
        post($uri, $_, token => 0, headers => [
            'X-From' => join '.', 10, 0, int $i / 256, $i % 256 ])
    } @messages;
}


# Returns the same JSON in another form: members in another order, white space,
# every character escaped that can be.
sub main::dressed {
    my ($value, $depth) = @_;

    $depth = ($depth // 0) + 1;
    my $blank = "\r\n" . "\t" x $depth . ' ';

    if (ref $value eq 'HASH') {
        return "{$blank" . join(" ,$blank", map {
            escaped($_) . " :$blank" . dressed($value->{$_}, $depth)
        } sort { $b cmp $a } keys %$value) . "$blank}";
    }

    return "[$blank" . join(" , ", map { dressed($_, $depth) } @$value)
           . "$blank]" if ref $value eq 'ARRAY';

    return jcs($value) if ref $value || !defined $value;

    # numbers are written in other ways, too
    return $value =~ /^\d+$/ ? "${value}0.0e-1" : $value
        if jcs($value) !~ /^"/;

    return escaped($value);
}


sub main::escaped {
    my $text = shift;

    return '"' . join('', map {
        sprintf ord > 0xffff ? '\\u%04x\\u%04x' : '\\u%04X',
            ord > 0xffff ? (0xd800 + ((ord) - 0x10000 >> 10),
                            0xdc00 + ((ord) - 0x10000 & 0x3ff)) : ord
    } split //, $text) . '"';
}


# Returns the text with one character changed, for every place: the next
# character of its kind and, for a letter, the other case.
sub main::changed {
    my $text = shift;

    return map {
        my $at = $_;
        my $old = substr $text, $at, 1;
        (my $next = $old) =~ tr/a-zA-Z0-9/b-zaB-ZA1-90/;
        (my $case = $old) =~ tr/a-zA-Z/A-Za-z/;

        $next = $old eq '_' ? '-' : '_' if $next eq $old;

        map {
            my $copy = $text;
            substr $copy, $at, 1, $_;
            $copy;
        } $next, $case ne $old ? $case : ();
    } 0 .. length($text) - 1;
}


# Returns other spellings of the base64 of the same octets; each changes its
# argument.
sub main::respelled {
    return sub { $_[0] =~ s/=+$// },
           sub { $_[0] =~ s/=$// },
           sub { $_[0] .= '=' },
           sub { $_[0] .= '====' },
           sub { $_[0] = "\n$_[0]" },
           sub { $_[0] .= "\n" },
           sub { $_[0] =~ s/^(.{40})/$1\r\n/ },
           sub { $_[0] =~ s/=/ =/ },
           \&trailing;
}


# Sets one of the unused bits of the last letter.
sub main::trailing {
    my $all = join '', 'A' .. 'Z', 'a' .. 'z', 0 .. 9, '+', '/';
    $_[0] =~ s/([^=])(=+)$/substr($all, index($all, $1) + 1, 1) . $2/e;
}


sub main::alice { person('alice')->{key} }

run_tests();

__DATA__

=== TEST 1: AEE-14 a valid Ed25519 signature passes, and the service gets the proof
--- send
post('/aee', aee(), sign => 1)
--- error_code: 202
--- got_same
--- got_headers
Parley-Verified: principal="alice"; token; signature="ed25519"; kid="alice-key"



=== TEST 2: AEE-14 a signature alone proves the sender, without a token
--- send
post('/signed', aee(), sign => 1, token => 0)
--- error_code: 202
--- got_headers
Parley-Verified: principal="alice"; signature="ed25519"; kid="alice-key"



=== TEST 3: AEE-14 kid selects the key: another one of the sender
--- send
post('/signed', sign_aee(aee(), $second), token => 0)
--- error_code: 202
--- got_headers
Parley-Verified ~ kid="alice-2"



=== TEST 4: AEE-14 HS256 with a secret of the sender passes
--- send
post('/signed', sign_aee(aee(), $secret), token => 0)
--- error_code: 202
--- got_headers
Parley-Verified ~ signature="HS256"; kid="alice-hs"



=== TEST 5: AEE-14 an invalid signature is refused, also where none is required
--- send
my $m = sign_aee(aee(), alice());
$m->{payload}{text} = 'do that';
post('/aee', $m)
--- refused: aee signature-invalid /sig



=== TEST 6: AEE-14 an invalid signature is refused where everything is trusted
--- send
my $m = sign_aee(aee(), alice());
$m->{payload}{text} = 'do that';
post('/open', $m)
--- refused: aee signature-invalid /sig



=== TEST 7: AEE-14 a kid that the sender does not have is refused
--- send
post('/aee', sign_aee(aee(), alice(), kid => 'nobody'))
--- refused: aee key-unknown /sig



=== TEST 8: AEE-14 another principal's key cannot sign for this one
--- send
post('/aee', sign_aee(aee(), person('bob')->{key}))
--- refused: aee key-unknown /sig



=== TEST 9: AEE-14 another key with the kid of the sender is refused
--- send
post('/aee', sign_aee(aee(), $stranger))
--- refused: aee signature-invalid /sig



=== TEST 10: AEE-14 the alg belongs to the key: HS256 with a public key
--- send
my $m = aee();
my $hmac = Digest::SHA::hmac_sha256(jcs($m),
               decode_base64url(alice()->{jwk}{x}));
post('/aee', { %$m, sig => { alg => 'HS256', kid => 'alice-key',
    value => MIME::Base64::encode_base64($hmac, '') } })
--- refused: aee signature-invalid /sig



=== TEST 11: AEE-14 alg none is refused
--- send
post('/aee', sign_aee(aee(), alice(), alg => 'none', value => ''))
--- refused: aee signature-invalid /sig



=== TEST 12: AEE-14 a sig that is a text is refused
--- send
post('/aee', aee(sig => 'c2lnbmF0dXJl'))
--- refused: aee signature-invalid /sig



=== TEST 13: AEE-14 a sig without value is refused
--- send
post('/aee', aee(sig => { alg => 'ed25519', kid => 'alice-key' }))
--- refused: aee signature-invalid /sig



=== TEST 14: AEE-14 an empty sig object is refused
--- send
post('/aee', aee(sig => {}))
--- refused: aee signature-invalid /sig



=== TEST 15: AEE-14 a null sig is the same as a missing one
--- send
post('/aee', aee(sig => undef))
--- error_code: 202



=== TEST 16: AEE-14 a null sig is refused where a signature is required
--- send
post('/signed-too', aee(sig => undef))
--- refused: aee signature-missing /sig



=== TEST 17: AEE-14 a signature that is cut short is invalid
--- send
post('/aee', sign_aee(aee(), alice(), value => 'c2lnbmF0dXJl'))
--- refused: aee signature-invalid /sig



=== TEST 18: AEE-14 a signature with octets after it is invalid
--- send
my $m = sign_aee(aee(), alice());
$m->{sig}{value} .= 'AAAA';
post('/aee', $m)
--- refused: aee signature-invalid /sig



=== TEST 19: AEE-15 the signature covers every field of the envelope
--- send
my $m = aee(reply_to => 'task-00000001', trace => { trace_id => 'a' },
            requires => { timeout_ms => 500 }, x_tenant => 'one');
my $signed = sign_aee($m, alice());
my %other = (id => uuid4(), ts => timestamp(-1), type => 'event',
    to => 'agent.lead', intent => 'ops.backup.stop', corr => uuid4(),
    reply_to => 'task-00000002', payload => { text => 'do it ' },
    priority => 'high', trace => { trace_id => 'b' },
    requires => { timeout_ms => 501 }, x_tenant => 'two');
[map { post('/signed', { %$signed, $_ => $other{$_} }, token => 0) }
 sort keys %other]
--- each: ^403$
--- error_code: 403
--- forwarded: 0



=== TEST 20: AEE-15 nothing can be added to a signed envelope
--- send
post('/aee', { %{ sign_aee(aee(), alice()) }, extra => 1 })
--- refused: aee signature-invalid /sig



=== TEST 21: AEE-15 another sender with the signature is refused
--- send
post('/signed', { %{ sign_aee(aee(), alice()) }, from => 'agent.bob' },
     token => 0)
--- refused: aee key-unknown /sig



=== TEST 22: AEE-14 other member order, spacing and escapes verify
--- send
my $m = sign_aee(aee(type => 'event', payload => {
    text => "h\x{e9}llo \x{20ac} \x{1f600} \x01\x1f\"\\/",
    list => [1, 20, { b => true, a => undef }], empty => {}, none => [],
    number => 2048, "" => 'x', nested => { z => 1, a => { y => 2 } } }),
    alice());
post('/signed', dressed($m), token => 0)
--- error_code: 202
--- got_same



=== TEST 23: AEE-14 numbers verify by their value
--- send
my $m = sign_aee(aee(payload => { a => 0, b => 1.5, c => 100, d => -7 }),
                 alice());
my $text = jcs($m);
$text =~ s/"a":0/"a":-0.0/; $text =~ s/"b":1.5/"b":15e-1/;
$text =~ s/"c":100/"c":1E+2/; $text =~ s/"d":-7/"d":-0.7e1/;
post('/signed', $text, token => 0)
--- error_code: 202
--- got_same



=== TEST 24: AEE-14 a number outside the range of a double has no canonical form
--- send
my $m = sign_aee(aee(payload => { a => 9007199254740992 }), alice());
post('/signed', jcs($m) =~ s/9007199254740992/9007199254740993/r, token => 0)
--- refused: aee signature-invalid



=== TEST 25: AEE-14 one changed character in any place is refused
--- send
my $m = sign_aee({ %{ aee() }, payload => { n => 1 } }, alice());
[forged('/signed', changed(jcs($m)))]
--- each: ^40[03]$
--- error_code_like: ^40[03]$
--- forwarded: 0
--- timeout: 120



=== TEST 26: VCP-16 a valid signature passes
--- send
post('/peers', vcp(), token => 0)
--- got_same
--- got_headers
Parley-Verified: principal="alice"; signature="ed25519"; kid="alice-key"



=== TEST 27: VCP-16 other member order, spacing and escapes verify
--- send
post('/peers', dressed(sign_vcp(with(vcp(), 'payload/personal_state' =>
     { cognitive => 6, energy => 7 }), alice())), token => 0)
--- got_same



=== TEST 28: VCP-16 one changed character in any place is refused
--- send
[forged('/peers', changed(jcs(sign_vcp(vcp(), alice()))))]
--- each: ^40[03]$
--- error_code_like: ^40[03]$
--- forwarded: 0
--- timeout: 120



=== TEST 29: VCP-16 another prefix is refused by the schema
--- send
my $m = sign_vcp(vcp(), alice());
$m->{signature} =~ s/^base64:/base64url:/;
post('/peers', jcs($m), token => 0)
--- refused: vcp field-invalid /signature



=== TEST 30: VCP-16 another principal's key cannot sign for this one
--- send
post('/peers', vcp(), sign => 'bob', token => 0)
--- refused: vcp signature-invalid /signature



=== TEST 31: VCP-16 an unknown sender has no key
--- send
post('/peers', vcp(sender => 'agent://ops.example/mallory'), token => 0)
--- refused: vcp key-unknown /sender



=== TEST 32: VCP-16 an HMAC secret is not an Ed25519 key: its signature does not have 64 octets
--- send
my $m = vcp();
post('/peers', jcs({ %$m, signature => 'base64:'
    . MIME::Base64::encode_base64(sign($secret, jcs($m)), '') }), token => 0)
--- refused: vcp field-invalid /signature



=== TEST 33: VCP-17 an unsigned message is refused, with or without a token
--- send
post('/vcp', jcs(vcp()))
--- refused: vcp signature-missing /signature



=== TEST 34: VCP-17 an unsigned message is refused without token
--- send
post('/peers', jcs(vcp()), token => 0)
--- refused: vcp signature-missing /signature



=== TEST 35: VCP-17 an unsigned message passes where peers are trusted
--- send
post('/open-vcp', jcs(vcp()), token => 0)
--- got_same



=== TEST 36: VCP-17 an invalid signature is refused even from trusted peers
--- send
post('/open-vcp', vcp(), sign => 'bob', token => 0)
--- refused: vcp signature-invalid /signature



=== TEST 37: VCP-19 plain HTTP is refused, signed or not
--- plain
--- send
post('/peers', vcp(), token => 0)
--- refused: vcp policy-refused



=== TEST 38: VCP-19 plain HTTP passes where peers are trusted
--- plain
--- send
post('/open-vcp', vcp(), token => 0)
--- got_same



=== TEST 39: VCP-19 TLS 1.1 is not enough
--- ssl
{ SSL_version => 'TLSv1_1', SSL_cipher_list => 'ALL:@SECLEVEL=0' }
--- send
post('/peers', vcp(), token => 0)
--- refused: vcp policy-refused



=== TEST 40: VCP-19 TLS 1.2 is enough
--- ssl
{ SSL_version => 'TLSv1_2' }
--- send
post('/peers', vcp(), token => 0)
--- got_same



=== TEST 41: AEE-37 an unsigned envelope over plain HTTP is refused
--- plain
--- send
post('/aee', aee())
--- refused: aee signature-missing /sig



=== TEST 42: AEE-37 an unsigned envelope over TLS 1.1 is refused
--- ssl
{ SSL_version => 'TLSv1_1', SSL_cipher_list => 'ALL:@SECLEVEL=0' }
--- send
post('/aee', aee())
--- refused: aee signature-missing /sig



=== TEST 43: AEE-37 a signed envelope over plain HTTP passes
--- plain
--- send
post('/aee', aee(), sign => 1)
--- error_code: 202



=== TEST 44: AEE-37 an unsigned envelope over plain HTTP passes where it is configured
--- plain
--- send
post('/open', aee(), token => 0)
--- error_code: 202
--- got_headers
! Parley-Verified



=== TEST 45: AEE-37 a required signature is required over TLS too
--- send
post('/signed-too', aee())
--- refused: aee signature-missing /sig



=== TEST 46: AEE-14 signatures are ignored only with parley_signature off
--- send
my $m = sign_aee(aee(), alice());
$m->{payload}{text} = 'do that';
post('/ignored', $m, token => 0)
--- error_code: 202
--- got_same
--- got_headers
! Parley-Verified



=== TEST 47: VCP-17 an unsigned AEE message is refused there too
--- send
post('/both', aee(), token => 0)
--- refused: aee signature-missing /sig



=== TEST 48: AEE-14 the signature is verified before the envelope is used
--- send
my $m = sign_aee(aee(ts => timestamp(-4000)), alice());
$m->{payload}{text} = 'do that';
post('/aee', $m)
--- refused: aee signature-invalid /sig



=== TEST 49: AEE-14 signatures never reach the log
--- send
post('/aee', sign_aee(aee(), alice(), kid => 'none-such',
                      value => 'SECRETSIGNATURE'))
--- refused: aee signature-invalid
--- no_error_log
SECRETSIGNATURE



=== TEST 50: AEE-14 long numbers verify by their value
--- send
my $m = sign_aee(aee(payload => { a => 0.1, b => 3 }), alice());
my $text = jcs($m);
$text =~ s/"a":0\.1/'"a":0.1000000000000000055' . '0' x 500/e;
$text =~ s/"b":3/'"b":0.' . '0' x 500 . '3e501'/e;
post('/signed', $text, token => 0)
--- error_code: 202
--- got_same



=== TEST 51: AEE-14 a signature has only one text: other base64 of it is invalid
--- send
[map { my $change = $_;
       my $m = sign_aee(aee(), alice());
       $change->($m->{sig}{value});
       post('/signed', $m, token => 0) } respelled()]
--- each: ^403$
--- refused: aee signature-invalid /sig



=== TEST 52: AEE-14 an HMAC has only one text: other base64 of it is invalid
--- send
[map { my $change = $_;
       my $m = sign_aee(aee(), $secret);
       $change->($m->{sig}{value});
       post('/signed', $m, token => 0) } respelled()]
--- each: ^403$
--- refused: aee signature-invalid /sig



=== TEST 53: VCP-16 a signature has only one text: other base64 of it is refused
--- send
[map { my $change = $_;
       my $m = sign_vcp(vcp(), alice());
       (my $text = $m->{signature}) =~ s/^base64://;
       $change->($text);
       post('/peers', jcs({ %$m, signature => "base64:$text" }), token => 0) }
 respelled()]
--- each: ^40[03]$
--- error_code_like: ^40[03]$
--- forwarded: 0



=== TEST 54: VCP-16 the error for a signature without padding names it
--- send
my $m = sign_vcp(vcp(), alice());
$m->{signature} =~ s/=+$//;
post('/peers', jcs($m), token => 0)
--- refused: vcp field-invalid /signature



=== TEST 55: VCP-16 a signature with unused bits set is invalid
--- send
my $m = sign_vcp(vcp(), alice());
trailing($m->{signature});
post('/peers', jcs($m), token => 0)
--- refused: vcp field-invalid /signature



=== TEST 56: AEE-14 the URL alphabet is another text and invalid
--- send
my $m;
do { $m = sign_aee(aee(), alice()) } until $m->{sig}{value} =~ tr{+/}{-_};
post('/signed', $m, token => 0)
--- refused: aee signature-invalid /sig



=== TEST 57: AEE-37 the error names what is missing behind a load balancer
--- plain
--- send
post('/aee', aee())
--- refused: aee signature-missing /sig
--- response_body_like: needs TLS 1\.2 or later, or parley_trusted behind



=== TEST 58: GW-02 parley_trusted behind a load balancer: the token is required
--- plain
--- send
post('/balanced', aee(), token => 0)
--- refused: aee token-missing



=== TEST 59: GW-02 with a token the message passes over plain HTTP
--- plain
--- send
post('/balanced', aee())
--- error_code: 202
--- got_same



=== TEST 60: SEC-01 a refusal is logged with the claimed sender and the intent
--- send
post('/signed', sign_aee(aee(), alice(), kid => 'none-such'), token => 0)
--- refused: aee key-unknown /sig
--- error_log eval
qr/parley: refused, key-unknown .*principal "", from "agent\.alice", intent "[a-z.]+", id "/



=== TEST 61: VCP-16 a signature has 64 octets, also where none is required
--- send
post('/open-vcp', vcp(signature => 'base64:QUFBQQ=='), sign => 0, token => 0)
--- plain
--- refused: vcp field-invalid /signature
