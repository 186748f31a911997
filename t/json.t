# The body must be strict JSON within limits.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use IO::Compress::Gzip qw(gzip);

plan 'no_plan';

with_gateway(add =>
    join('', map { location("/$_-alone", "parley_accept $_; parley_jwt on;") }
             qw(aee vcp c2a channel moq)) .
    location('/both', 'parley_accept aee vcp; parley_speak aee; '
                    . 'parley_jwt on;')
  . location('/small', 'parley_accept aee; parley_jwt on; '
                     . 'parley_limits body=2k depth=5 string=512 members=20;'));

# Returns an AEE message with this text as a member of the payload.
sub main::inside {
    my $text = shift;
    return jcs(aee(payload => { mark => 1 })) =~ s/"mark":1/$text/r;
}

run_tests();

__DATA__

=== TEST 1: GW-10 a body that is not JSON
--- send
post('/aee', 'hello')
--- refused: aee json-invalid



=== TEST 2: GW-10 an unknown protocol gets problem details
--- send
post('/both', 'hello')
--- refused: problem json-invalid
--- answer
/type = about:blank
/offset = 0



=== TEST 3: GW-10 the error has the offset
--- send
post('/both', '{"v":"1","id":"x" "ts":"y"}')
--- refused: problem json-invalid
--- answer
/offset = 18



=== TEST 4: GW-10 a VCP caller gets the error in VCP
--- send
post('/vcp', '{"vcp_message":')
--- refused: vcp json-invalid



=== TEST 5: GW-10 an empty body is refused
--- send
post('/aee', '')
--- refused: aee json-invalid



=== TEST 6: GW-10 a body of blanks is refused
--- send
post('/aee', "  \n ")
--- refused: aee json-invalid



=== TEST 7: GW-10 a list is not a message
--- send
post('/aee', '[1,2]')
--- refused: aee field-invalid



=== TEST 8: GW-10 a text is not a message
--- send
post('/both', '"v"')
--- refused: problem protocol-unsupported



=== TEST 9: GW-10 trailing octets are refused
--- send
post('/aee', jcs(aee()) . 'x')
--- refused: aee json-invalid



=== TEST 10: GW-10 a second message after the first is refused
--- send
post('/aee', jcs(aee()) . "\n" . jcs(aee()))
--- refused: aee json-invalid



=== TEST 11: GW-10 a byte order mark is refused
--- send
post('/aee', "\xef\xbb\xbf" . jcs(aee()))
--- refused: aee json-invalid



=== TEST 12: GW-10 white space around the message passes
--- send
post('/aee', "\r\n\t " . jcs(aee()) . " \n")
--- error_code: 202
--- got_same



=== TEST 13: GW-10 a duplicate member is refused and named
--- send
post('/aee', inside('"a":1,"a":2'))
--- refused: aee json-invalid /payload/a



=== TEST 14: GW-10 a duplicate member in two spellings is refused
--- send
post('/aee', inside('"ab":1,"\u0061b":2'))
--- refused: aee json-invalid



=== TEST 15: GW-10 a duplicate envelope member is refused
--- send
post('/aee', jcs(aee()) =~ s/\}$/,"from":"agent.bob"}/r)
--- refused: aee json-invalid /from



=== TEST 16: GW-10 a comma before the end is refused
--- send
post('/aee', inside('"a":[1,2,]'))
--- refused: aee json-invalid



=== TEST 17: GW-10 comments are refused
--- send
post('/aee', inside('/* x */ "a":1'))
--- refused: aee json-invalid



=== TEST 18: GW-10 NaN is not a number
--- send
post('/aee', inside('"a":NaN'))
--- refused: aee json-invalid



=== TEST 19: GW-10 a number with a leading zero is refused
--- send
post('/aee', inside('"a":012'))
--- refused: aee json-invalid



=== TEST 20: GW-10 a number with a plus is refused
--- send
post('/aee', inside('"a":+1'))
--- refused: aee json-invalid



=== TEST 21: GW-10 a number out of range is refused
--- send
post('/aee', inside('"a":1e999'))
--- refused: aee json-invalid



=== TEST 22: GW-10 a lone high surrogate is refused
--- send
post('/aee', inside('"a":"\ud83d"'))
--- refused: aee json-invalid



=== TEST 23: GW-10 a lone low surrogate is refused
--- send
post('/aee', inside('"a":"\ude00\ud83d"'))
--- refused: aee json-invalid



=== TEST 24: GW-10 invalid UTF-8 is refused
--- send
post('/aee', inside(qq("a":"\xff")))
--- refused: aee json-invalid



=== TEST 25: GW-10 overlong UTF-8 is refused
--- send
post('/aee', inside(qq("a":"\xc0\xaf")))
--- refused: aee json-invalid



=== TEST 26: GW-10 a surrogate in UTF-8 is refused
--- send
post('/aee', inside(qq("a":"\xed\xa0\x80")))
--- refused: aee json-invalid



=== TEST 27: GW-10 a zero octet is refused
--- send
post('/aee', inside(qq("a":"\0")))
--- refused: aee json-invalid



=== TEST 28: GW-10 a tab in a string is refused
--- send
post('/aee', inside(qq("a":"\t")))
--- refused: aee json-invalid



=== TEST 29: GW-10 an unknown escape is refused
--- send
post('/aee', inside('"a":"\x41"'))
--- refused: aee json-invalid



=== TEST 30: GW-10 single quotes are refused
--- send
post('/aee', inside("'a':1"))
--- refused: aee json-invalid



=== TEST 31: GW-10 an incomplete message is refused
--- send
post('/aee', substr jcs(aee()), 0, -1)
--- refused: aee json-invalid



=== TEST 32: GW-10 32 levels pass
--- send
post('/aee', inside('"a":' . '[' x 30 . ']' x 30))
--- error_code: 202
--- got_same



=== TEST 33: GW-10 33 levels are too deep
--- send
post('/aee', inside('"a":' . '[' x 31 . ']' x 31))
--- refused: aee message-too-large



=== TEST 34: GW-10 a hundred thousand levels cost nothing
--- send
post('/aee', '[' x 100_000)
--- refused: aee message-too-large



=== TEST 35: GW-10 the depth is configurable
--- send
post('/small', inside('"a":[[[[]]]]'))
--- refused: aee message-too-large



=== TEST 36: GW-10 a string above the limit is refused
--- send
post('/small', inside('"a":"' . 'x' x 513 . '"'))
--- refused: aee message-too-large



=== TEST 37: GW-10 a string at the limit passes
--- send
post('/small', inside('"a":"' . 'x' x 512 . '"'))
--- error_code: 202
--- got_same



=== TEST 38: GW-10 too many members are refused
--- send
post('/small', inside('"a":[' . join(',', 1 .. 21) . ']'))
--- refused: aee message-too-large



=== TEST 39: GW-10 a body above the limit is refused
--- send
post('/small', inside('"a":["' . join('","', ('x' x 500) x 4) . '"]'))
--- refused: aee message-too-large



=== TEST 40: GW-10 a body with a too large Content-Length is refused before it arrives
--- send
my $request = post('/small', 'x' x 5000);
$request =~ s/\r\n\r\n.*/\r\n\r\nx/s;
$request
--- refused: aee message-too-large



=== TEST 41: GW-10 a compressed body is refused
--- send
my $plain = jcs(aee());
gzip(\$plain, \my $zipped);
post('/aee', $zipped, headers => ['Content-Encoding' => 'gzip'])
--- refused: aee protocol-unsupported



=== TEST 42: GW-10 identity is not compression
--- send
post('/aee', aee(), headers => ['Content-Encoding' => 'identity'])
--- error_code: 202
--- got_same



=== TEST 43: GW-10 GET cannot send a message
--- send
Parley::Client->new->request('GET', '/open', undef,
                             Authorization => bearer('alice'))
--- refused: aee method-not-allowed
--- answer_headers
Allow: POST



=== TEST 44: GW-10 PUT cannot send a message
--- send
post('/aee', aee(), method => 'PUT')
--- refused: aee method-not-allowed
--- answer_headers
Allow: POST, GET



=== TEST 45: GW-10 a message of a protocol that is not accepted here
--- send
post('/both', { jsonrpc => '2.0', id => 1, method => 'chat/deliver',
                params => {} })
--- refused: problem protocol-unsupported
--- answer
/detail ~ ^the message looks like one of C2A; accepted here is AEE or VCP$



=== TEST 46: GW-10 a VCP message where only AEE is accepted
--- send
post('/aee', vcp())
--- refused: aee field-invalid /type
--- answer
/payload/message ~ it looks like a message of VCP, and only AEE is accepted here$



=== TEST 47: GW-10 text of a message cannot end a line of the log
--- send
post('/aee', aee(id => "evil\nid parley: passed \"x\"", type => 'nope'))
--- refused: aee field-invalid /type
--- error_log
id "evil%0Aid%20parley:%20passed%20%22x%22", client



=== TEST 48: GW-10 a member name cannot end a line of the log
--- send
post('/vcp', vcp("evil\nname\x{202e}" => 1))
--- refused: vcp field-unknown
--- no_error_log eval
qr/^name/m



=== TEST 49: GW-10 a number may have any length
--- send
post('/aee', inside(join ',', '"a":0.' . '0' x 99 . '1', '"b":' . '7' x 300,
    '"c":1.' . '3' x 100_000, '"d":0.' . '0' x 5000 . '1e5000'))
--- error_code: 202
--- got_same



=== TEST 50: GW-10 a long number out of range is refused
--- send
post('/aee', inside('"a":1' . '0' x 100_000))
--- refused: aee json-invalid



=== TEST 51: GW-10 noncharacters are refused, in values and in names
--- send
[map { post('/aee', inside($_)) }
 map { (qq("a":"$_"), qq("$_":1)) }
 "\xef\xb7\x90", "x\xef\xbf\xbe", "\xf4\x8f\xbf\xbf", '\\uFFFF', 'x\\ufdef',
 '\\ud83f\\udffe']
--- each: ^400$
--- refused: aee json-invalid



=== TEST 52: GW-10 code points next to noncharacters pass
--- send
post('/aee', inside(qq("a":"\xef\xb7\x8f\xef\xbf\xbd\\ufdf0\\ud83f\\udffd")))
--- error_code: 202
--- got_same



=== TEST 53: GW-10 the place of the error, for a caller of aee
--- send
post('/aee-alone', '{"v":"1","id":"x" "ts":"y"}')
--- refused: aee json-invalid
--- answer
/payload/message ~ at offset 18$



=== TEST 54: GW-10 the place of the error, for a caller of vcp
--- send
post('/vcp-alone', '{"v":"1","id":"x" "ts":"y"}')
--- refused: vcp json-invalid
--- answer
/message ~ at offset 18$



=== TEST 55: GW-10 the place of the error, for a caller of c2a
--- send
post('/c2a-alone', '{"v":"1","id":"x" "ts":"y"}')
--- refused: c2a json-invalid
--- answer
/error/message ~ at offset 18$



=== TEST 56: GW-10 the place of the error, for a caller of channel
--- send
post('/channel-alone', '{"v":"1","id":"x" "ts":"y"}')
--- refused: channel json-invalid
--- answer
/message ~ at offset 18$



=== TEST 57: GW-10 the place of the error, for a caller of moq
--- send
post('/moq-alone', '{"v":"1","id":"x" "ts":"y"}')
--- refused: moq json-invalid
--- answer
/payload/message ~ at offset 18$
