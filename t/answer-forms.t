# Headers of a service's answer: the type, the coding, and a header that nginx
# cannot accept.  The caller gets the right reason.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use IO::Compress::Gzip ();

plan 'no_plan';

with_gateway();
run_tests();

__DATA__

=== TEST 1: GW-39 an answer without a media type
--- service
$c->answer(200, ['Content-Type' => undef], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
Content-Type: application/json



=== TEST 2: GW-39 an answer with the media type of a page
--- service
$c->answer(200, ['Content-Type' => 'text/html; charset=utf-8'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
Content-Type: application/json



=== TEST 3: GW-39 an answer with two media types
--- service
$c->answer(200, ['Content-Type' => 'text/html', 'Content-Type' => 'text/plain'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
Content-Type: application/json



=== TEST 4: GW-39 a media type with the charset ASCII
--- service
$c->answer(200, ['Content-Type' => 'text/plain; charset=us-ascii'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
Content-Type: application/json



=== TEST 5: GW-39 a media type with a charset that extends ASCII
--- service
$c->answer(200, ['Content-Type' => 'application/json;charset=ISO-8859-1'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
Content-Type: application/json



=== TEST 6: GW-39 a VCP answer has the type of VCP
--- service
$c->answer(200, ['Content-Type' => 'text/html'], jcs({ status => 'accepted',
    message_id => $q->{json}{message_id} }))
--- send
post('/vcp', vcp())
--- error_code: 200
--- answer
/status = accepted
--- answer_headers
Content-Type: application/json; charset=utf-8



=== TEST 7: GW-39 a charset that is not ASCII-compatible: utf-7, to aee
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset=utf-7'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- error_log
the charset of the upstream's answer is not utf-8



=== TEST 8: GW-39 a charset that is not ASCII-compatible: utf-7, to vcp
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset=utf-7'], jcs(result($q->{json})))
--- send
post('/to-aee', vcp())
--- refused: vcp upstream-invalid
--- forwarded: 1
--- error_log
the charset of the upstream's answer is not utf-8



=== TEST 9: GW-39 a charset that is not ASCII-compatible: utf-16, first of two types, to aee
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset="UTF-16"',
    'Content-Type' => 'application/json'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- error_log
the charset of the upstream's answer is not utf-8



=== TEST 10: GW-39 a charset that is not ASCII-compatible: utf-16, first of two types, to vcp
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset="UTF-16"',
    'Content-Type' => 'application/json'], jcs(result($q->{json})))
--- send
post('/to-aee', vcp())
--- refused: vcp upstream-invalid
--- forwarded: 1
--- error_log
the charset of the upstream's answer is not utf-8



=== TEST 11: GW-39 a charset that extends ASCII, and octets above ASCII
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset=latin1'],
          jcs(result($q->{json}, payload => { text => "\x{e9}" })))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 12: GW-39 events in another charset
--- service
$c->answer(200, ['Content-Type' => 'text/event-stream; charset=utf-7'],
          'data: ' . jcs(result($q->{json})) . "\n\n")
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 13: GW-39 only events may have the type of events
--- service
$c->answer(200, ['Content-Type' => 'Text/Event-Stream ;charset=utf-8'],
          'data: ' . jcs(result($q->{json})) . "\n\n")
--- send
post('/aee', aee())
--- error_code: 200
--- events
/0/type = result
--- answer_headers
Content-Type: text/event-stream



=== TEST 14: GW-39 a type that only begins like that of events
--- service
$c->answer(200, ['Content-Type' => 'text/event-streams'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
Content-Type: application/json



=== TEST 15: GW-39 202 with a page, AEE to AEE: the page is not forwarded
--- service
$c->answer(202, ['Content-Type' => 'text/html'], '<h1>thanks</h1>')
--- send
post('/aee', aee())
--- error_code: 202
--- answer
/type = stream
--- answer_headers
Content-Type: application/json



=== TEST 16: GW-07 GW-39 x-gzip is the same as gzip
--- service
use IO::Compress::Gzip ();
my $zip;
IO::Compress::Gzip::gzip(\jcs(result($q->{json})), \$zip);
$c->answer(200, ['Content-Encoding' => 'X-GZip'], $zip)
--- send
post('/aee', aee())
--- error_code: 200
--- answer
/type = result
--- answer_headers
! Content-Encoding



=== TEST 17: GW-39 a header above proxy_buffer_size, to aee
--- service
$c->answer(200, ['X-Long' => 'x' x 9000], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- error_log
the header of the upstream's answer exceeds proxy_buffer_size



=== TEST 18: GW-39 a header above proxy_buffer_size, to vcp
--- service
$c->answer(200, ['X-Long' => 'x' x 9000], jcs(result($q->{json})))
--- send
post('/to-aee', vcp())
--- refused: vcp upstream-invalid
--- forwarded: 1
--- error_log
the header of the upstream's answer exceeds proxy_buffer_size



=== TEST 19: GW-39 GW-12 a message whose answer had a long header counts as taken
--- service
$c->answer(200, ['X-Long' => 'x' x 9000], jcs(result($q->{json})))
--- send
my $m = aee();
[post('/aee', $m), post('/aee', $m)]
--- refused: aee message-duplicate
--- forwarded: 1



=== TEST 20: GW-39 GW-12 a message refused with a long header does not count as taken
--- service
$c->answer(503, ['X-Long' => 'x' x 9000], '{}')
--- send
my $m = aee();
[post('/aee', $m), post('/aee', $m)]
--- refused: aee upstream-invalid
--- forwarded: 2



=== TEST 21: GW-39 an invalid header line
--- service
$c->answer(200, ["a\x01b" => 'x'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- error_log
the header of the upstream's answer is invalid



=== TEST 22: GW-39 GW-12 the connection ends before the answer
--- service
$c->{keep} = 0
--- send
post('/aee', aee())
--- refused: aee upstream-unavailable
--- forwarded: 1
--- error_log
the upstream closed the connection before it answered



=== TEST 23: GW-39 GW-12 the connection ends within the header
--- service
$c->{keep} = 0; $c->out("HTTP/1.1 200 OK\r\nX-A: b\r\n")
--- send
post('/aee', aee())
--- refused: aee upstream-unavailable
--- forwarded: 1
--- error_log
the upstream closed the connection before it answered



=== TEST 24: GW-39 a charset that is not ASCII-compatible: the first of two
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset=utf-16; charset=utf-8'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- error_log
the charset of the upstream's answer is not utf-8



=== TEST 25: GW-39 a charset that is not ASCII-compatible: before an invalid parameter
--- service
$c->answer(200, ['Content-Type' => 'application/json; charset=utf-16; x'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- error_log
the charset of the upstream's answer is not utf-8
