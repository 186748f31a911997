# Answers of the service, in every possible state.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use IO::Compress::Gzip ();

plan 'no_plan';

with_gateway(add =>
    location('/small', 'parley_accept aee vcp; parley_speak aee; '
                     . 'parley_jwt on; parley_limits body=4k;')
  . location('/buffers', 'parley_accept aee vcp; parley_speak aee; '
                       . 'parley_jwt on; proxy_buffer_size 1k; '
                       . 'proxy_buffers 4 1k; proxy_busy_buffers_size 1k;')
  . location('/unbuffered', 'parley_accept aee vcp; parley_speak aee; '
                          . 'parley_jwt on; proxy_buffering off;')
  . location('/keepalive', 'parley_accept aee vcp; parley_speak aee; '
                         . 'parley_jwt on; proxy_http_version 1.1; '
                         . 'proxy_set_header Connection "";')
  . location('/chunked', 'parley_accept aee; parley_jwt on; '
                       . 'proxy_http_version 1.1; proxy_buffering off;')
  . location('/impatient', 'parley_accept aee; parley_jwt on; '
                         . 'proxy_read_timeout 300ms;')
  . location('/gzipped', 'parley_accept aee; parley_jwt on; gzip on; '
                       . 'gzip_types application/json; gzip_min_length 1;'));


run_tests();

__DATA__

=== TEST 1: GW-07 an AEE answer to AEE arrives octet for octet
--- service
$c->answer(200, [], jcs(result($q->{json}, id => 'fixed-id-1',
                               ts => '2026-01-01T00:00:00Z')) . " \n")
--- send
my $m = aee(id => 'fixed-id-0', corr => 'fixed-corr-0', ts => timestamp());
$::expected = jcs(result($m, id => 'fixed-id-1',
                         ts => '2026-01-01T00:00:00Z')) . " \n";
post('/aee', $m)
--- response_body_like: "reply_to":"fixed-id-0".*\} \n$
--- answer
/type = result
/reply_to = fixed-id-0



=== TEST 2: GW-07 an AEE answer in many small pieces
--- service
my $body = jcs(result($q->{json}, payload => { text => 'x' x 500 }));
$c->out("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        . 'Content-Length: ' . length($body) . "\r\n\r\n");
for (unpack '(a7)*', $body) { $c->out($_); $c->pause(0.002) }
--- send
post('/aee', aee())
--- answer
/type = result
/payload/text ~ ^x{500}$



=== TEST 3: GW-07 an answer with many small buffers, translated
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { text => 'on it',
    context => 'c' x 9000 })))
--- send
post('/buffers', escalation(severity => 'critical', requires_ack => true))
--- answer
/status = accepted
/reply/payload/context ~ ^c{9000}$



=== TEST 4: GW-07 an unbuffered answer
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { text => 'y' x 9000 })))
--- send
post('/unbuffered', aee())
--- answer
/payload/text ~ ^y{9000}$



=== TEST 5: GW-07 a chunked answer with many chunks
--- service
my $body = jcs(result($q->{json}, payload => { text => 'z' x 3000 }));
$c->answer(200, ['Transfer-Encoding' => 'chunked'],
    join('', map { sprintf "%x;x=y\r\n%s\r\n", length, $_ }
             unpack '(a11)*', $body) . "0\r\n\r\n");
--- send
post('/keepalive', aee())
--- answer
/payload/text ~ ^z{3000}$



=== TEST 6: GW-07 an answer without Content-Length, up to the end of the connection
--- service
$c->{keep} = 0;
$c->answer(200, ['Content-Length' => undef], jcs(result($q->{json})));
--- send
post('/aee', aee())
--- answer
/type = result



=== TEST 7: GW-07 a Content-Length that is too large: the answer ended early
--- service
$c->{keep} = 0;
my $body = jcs(result($q->{json}));
$c->answer(200, ['Content-Length' => 10 + length $body], $body);
--- send
post('/aee', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 8: GW-07 a Content-Length that is too large, unbuffered
--- service
$c->{keep} = 0;
my $body = jcs(result($q->{json}));
$c->answer(200, ['Content-Length' => 10 + length $body], $body);
--- send
post('/unbuffered', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 9: GW-07 a Content-Length that is too large, for a VCP caller
--- service
$c->{keep} = 0;
my $body = jcs(result($q->{json}));
$c->answer(200, ['Content-Length' => 10 + length $body], $body);
--- send
post('/to-aee', constraint(), as => 'lead')
--- refused: vcp upstream-invalid
--- forwarded: 1



=== TEST 10: GW-07 a Content-Length that is too small cuts the answer
--- service
$c->{keep} = 0;
my $body = jcs(result($q->{json}));
$c->answer(200, ['Content-Length' => 20], $body);
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 11: GW-07 an answer whose chunks end early
--- service
$c->{keep} = 0;
$c->answer(200, ['Transfer-Encoding' => 'chunked'], "5\r\n{\"v\":\r\n");
--- send
post('/keepalive', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 12: GW-07 a gzip'd answer is decoded
--- service
my $body = jcs(result($q->{json}, payload => { text => 'w' x 5000 }));
require IO::Compress::Gzip;
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'], $zipped);
--- send
post('/aee', aee())
--- answer
/payload/text ~ ^w{5000}$
--- answer_headers
! Content-Encoding



=== TEST 13: GW-07 a gzip'd answer is translated
--- service
my $body = jcs(result($q->{json}, payload => { text => 'x', context => 'c' }));
require IO::Compress::Gzip;
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'], $zipped);
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- answer
/reply/payload/context = c



=== TEST 14: GW-07 gzip in many small pieces
--- service
my $body = jcs(result($q->{json}, payload => { text => join ',', 1 .. 900 }));
require IO::Compress::Gzip;
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->out("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
        . 'Content-Length: ' . length($zipped) . "\r\n\r\n");
for (unpack '(a9)*', $zipped) { $c->out($_); $c->pause(0.001) }
--- send
post('/aee', aee())
--- answer
/payload/text ~ ,899,900$



=== TEST 15: GW-07 broken gzip is refused
--- service
$c->answer(200, ['Content-Encoding' => 'gzip'], 'no gzip at all');
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 16: GW-07 an incomplete gzip answer is refused
--- service
my $body = jcs(result($q->{json}, payload => { text => join ',', 1 .. 900 }));
require IO::Compress::Gzip;
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'],
           substr $zipped, 0, length($zipped) - 12);
--- send
post('/aee', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 17: GW-07 truncated gzip is not an answer, and releases the id
--- service
my $body = jcs(result($q->{json}));
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'],
           $q->{json}{priority} eq 'low' ? $zipped
                                         : substr $zipped, 0, -9);
--- send
my $m = aee();
[post('/aee', $m), post('/aee', { %$m, priority => 'low' })]
--- each: ^(?:502|200)$
--- error_code: 200
--- forwarded: 2



=== TEST 18: GW-07 gzip without its checksum is truncated too
--- service
my $body = jcs(result($q->{json}));
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'], substr $zipped, 0, -4);
--- send
post('/aee', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 19: GW-07 gzip in two members is one answer
--- service
my $body = jcs(result($q->{json}));
my ($one, $two) = unpack 'a40 a*', $body;
IO::Compress::Gzip::gzip(\$one, \my $first);
IO::Compress::Gzip::gzip(\$two, \my $second);
$c->answer(200, ['Content-Encoding' => 'gzip'], $first . $second);
--- send
post('/aee', aee())
--- answer
/type = result



=== TEST 20: GW-07 gzip with other octets after it
--- service
my $body = jcs(result($q->{json}));
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'], "$zipped and more");
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 21: GW-07 an empty gzip'd body is empty
--- service
$c->answer(202, ['Content-Encoding' => 'gzip'], '');
--- send
post('/aee', aee())
--- error_code: 202



=== TEST 22: GW-07 a small answer that inflates to a large one is refused
--- service
my $body = jcs(result($q->{json}, payload => { text => 'a' x 3_000_000 }));
require IO::Compress::Gzip;
IO::Compress::Gzip::gzip(\$body, \my $zipped);
$c->answer(200, ['Content-Encoding' => 'gzip'], $zipped);
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 23: GW-07 another coding is refused
--- service
$c->answer(200, ['Content-Encoding' => 'br'], jcs(result($q->{json})));
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 24: GW-09 the gateway asks the service for identity
--- send
post('/aee', aee(), headers => ['Accept-Encoding' => 'gzip, br'])
--- error_code: 202
--- got_headers
Accept-Encoding: identity



=== TEST 25: GW-09 gzip to the client still works
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { text => 'x' x 999 })))
--- send
post('/gzipped', aee(), headers => ['Accept-Encoding' => 'gzip'])
--- answer_headers
Content-Encoding: gzip
! Content-Length



=== TEST 26: GW-07 an answer above the limit is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { text => 'x' x 5000 })))
--- send
post('/small', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 27: GW-07 204 means that the message was taken
--- service
$c->answer(204)
--- send
post('/aee', aee(type => 'event'))
--- error_code_like: ^20[24]$
--- response_body



=== TEST 28: GW-07 202 with a body that is not JSON means that the message was taken
--- service
$c->answer(202, ['Content-Type' => 'text/plain'], 'thanks')
--- send
post('/to-aee', vcp())
--- answer
/status = accepted



=== TEST 29: GW-07 200 with a page is not an answer
--- service
$c->answer(200, ['Content-Type' => 'text/html'], '<h1>It works!</h1>')
--- send
post('/to-aee', vcp())
--- refused: vcp upstream-invalid
--- forwarded: 1



=== TEST 30: GW-10 404 with a page is reported in the caller's protocol
--- service
$c->answer(404, ['Content-Type' => 'text/html'], '<h1>Not Found</h1>')
--- send
post('/aee', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 31: GW-10 500 with a page is reported in the caller's protocol
--- service
$c->answer(500, ['Content-Type' => 'text/html'], '<h1>Oops</h1>')
--- send
post('/aee', aee())
--- refused: aee upstream-unavailable
--- forwarded: 1



=== TEST 32: GW-10 504 of the service is a timeout
--- service
$c->answer(504, [], '')
--- send
post('/to-aee', vcp())
--- refused: vcp upstream-timeout
--- forwarded: 1



=== TEST 33: GW-10 422 with an error envelope arrives unchanged
--- service
$c->answer(422, [], jcs(failure($q->{json}, code => 'E_NOT_NOW')))
--- send
post('/aee', aee())
--- error_code: 422
--- answer
/type = error
/payload/code = E_NOT_NOW



=== TEST 34: GW-10 422 with an error envelope does not answer another message
--- service
$c->answer(422, [], jcs(failure(aee(), code => 'E_NOT_NOW')))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid /corr
--- forwarded: 1



=== TEST 35: AEE-34 a result with another correlation is refused, AEE to AEE
--- service
$c->answer(200, [], jcs(result($q->{json}, corr => uuid4())))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid /corr taken
--- forwarded: 1



=== TEST 36: AEE-34 a result that answers another message is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, reply_to => uuid4())))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid /reply_to taken
--- forwarded: 1



=== TEST 37: AEE-34 an error that answers another message is refused
--- service
$c->answer(200, [], jcs({ %{ failure($q->{json}) }, reply_to => uuid4() }))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid /reply_to taken
--- forwarded: 1



=== TEST 38: AEE-34 progress with the same correlation passes
--- service
$c->answer(200, [], jcs(aee(type => 'stream', from => 'agent.bob',
    to => 'agent.alice', corr => $q->{json}{corr},
    payload => { percent => 40 })))
--- send
post('/aee', aee())
--- answer
/payload/percent = 40



=== TEST 39: GW-10 an answer with a duplicate member is refused
--- service
$c->answer(200, [], jcs(result($q->{json})) =~ s/\}$/,"v":"1"}/r)
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 40: GW-10 an answer of invalid UTF-8 is refused
--- service
$c->answer(200, [], jcs(result($q->{json})) =~ s/"done"/"\xff"/r)
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 41: GW-10 an answer that is a VCP message is not an AEE answer
--- service
$c->answer(200, [], jcs(vcp()))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 42: GW-07 other headers of the service reach the caller
--- service
$c->answer(200, ['X-Service' => 'b1', 'ETag' => '"x"', 'Last-Modified' =>
    'Wed, 21 Oct 2015 07:28:00 GMT'], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- answer_headers
X-Service: b1
! ETag



=== TEST 43: GW-09 the connection to the service is kept open
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
[post('/keepalive', aee()), post('/keepalive', aee())]
--- answer
/type = result
--- forwarded: 2



=== TEST 44: AEE-11 the text of a service's answer is not in the log
--- service
$c->answer(200, [], '{"v":"1","SECRETPAYLOAD":')
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- no_error_log
SECRETPAYLOAD



=== TEST 45: GW-07 an answer with a hundred headers
--- service
$c->answer(200, [map { ("X-H$_" => 'v') } 1 .. 100], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- answer
/type = result
--- answer_headers
X-H100: v



=== TEST 46: GW-26 an invalid chunk size: the answer ended early
--- service
$c->{keep} = 0;
$c->answer(200, ['Transfer-Encoding' => 'chunked'],
           "5\r\n{\"v\":\r\nZZZZ\r\n");
--- send
my $m = aee();
[post('/keepalive', $m), post('/keepalive', $m)]
--- refused: aee upstream-invalid
--- forwarded: 2



=== TEST 47: GW-26 an invalid later chunk size, unbuffered
--- service
$c->{keep} = 0;
$c->answer(200, ['Transfer-Encoding' => 'chunked'], "5\r\n{\"v\":\r\n");
sleep 0.1;
$c->out("ZZZZ\r\n");
--- send
my $m = aee();
[post('/chunked', $m), post('/chunked', $m)]
--- refused: aee upstream-invalid
--- forwarded: 2



=== TEST 48: GW-26 a chunk whose size is too large
--- service
$c->{keep} = 0;
$c->answer(200, ['Transfer-Encoding' => 'chunked'],
           "ffffffffffffffffff\r\n{\"v\":");
--- send
post('/keepalive', aee())
--- refused: aee upstream-invalid
--- forwarded: 1



=== TEST 49: GW-26 an answer that stops is a timeout
--- service
$c->{keep} = 0;
$c->answer(200, ['Content-Length' => 1000], '{"v":');
sleep 2;
--- send
post('/impatient', aee())
--- refused: aee upstream-timeout
--- forwarded: 1



=== TEST 50: GW-12 the connection ends inside a JSON value
--- service
$c->{keep} = 0;
my $body = jcs(result($q->{json}));
$c->answer(200, ['Content-Length' => undef], substr $body, 0, 100);
--- send
my $m = aee();
[post('/aee', $m), post('/aee', $m)]
--- refused: aee upstream-invalid
--- forwarded: 2



=== TEST 51: GW-12 the connection ends after invalid JSON
--- service
$c->{keep} = 0;
$c->answer(200, ['Content-Length' => undef], '{"v":}');
--- send
post('/aee', aee())
--- refused: aee upstream-invalid taken
--- forwarded: 1
