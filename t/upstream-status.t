# 429 and 503 of a service keep their meaning, and Retry-After (GW-29).

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: GW-29 429 without a body, for an AEE caller
--- service
$c->answer(429, ['Retry-After' => 7])
--- send
post('/to-aee', aee())
--- refused: aee rate-limited
--- forwarded: 1
--- answer
/payload/backoff_ms = 7000
--- answer_headers
Retry-After: 7



=== TEST 2: GW-29 503 with a page, for an AEE caller
--- service
$c->answer(503, ['Retry-After' => 120, 'Content-Type' => 'text/html'],
           '<h1>later</h1>')
--- send
post('/to-aee', aee())
--- refused: aee capacity
--- forwarded: 1
--- answer
/payload/backoff_ms = 120000
--- answer_headers
Retry-After: 120



=== TEST 3: GW-29 a Retry-After with a date, forwarded unchanged
--- service
my @t = gmtime(time + 61);
my $date = sprintf '%s, %02d %s %d %02d:%02d:%02d GMT',
    (qw(Sun Mon Tue Wed Thu Fri Sat))[$t[6]], $t[3],
    (qw(Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec))[$t[4]],
    1900 + $t[5], @t[2, 1, 0];
$c->answer(503, ['Retry-After' => $date])
--- send
post('/to-aee', aee())
--- refused: aee capacity
--- forwarded: 1
--- answer
/payload/backoff_ms ~ ^(?:5[5-9]|6[01])000$
--- answer_headers
Retry-After ~ GMT$



=== TEST 4: GW-29 an invalid Retry-After
--- service
$c->answer(503, ['Retry-After' => 'soon'])
--- send
post('/to-aee', aee())
--- refused: aee capacity
--- forwarded: 1
--- answer
! /payload/backoff_ms



=== TEST 5: GW-29 without Retry-After
--- service
$c->answer(429)
--- send
post('/to-aee', aee())
--- refused: aee rate-limited
--- forwarded: 1
--- answer_headers
! Retry-After



=== TEST 6: GW-29 429 for a VCP caller
--- service
$c->answer(429, ['Retry-After' => 7])
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp rate-limited
--- forwarded: 1
--- answer_headers
Retry-After: 7



=== TEST 7: GW-29 429 for a C2A caller
--- service
$c->answer(503, ['Retry-After' => 7], 'x')
--- send
post('/to-aee', deliver())
--- refused: c2a capacity
--- forwarded: 1
--- answer_headers
Retry-After: 7



=== TEST 8: GW-29 429 for an agent-channel caller
--- service
$c->answer(429, ['Retry-After' => 7])
--- send
submit('/to-aee', '~cc-bob', query())
--- refused: channel rate-limited
--- forwarded: 1
--- answer_headers
Retry-After: 7



=== TEST 9: GW-29 429 for a MoQ caller
--- service
$c->answer(503, ['Retry-After' => 7])
--- send
post('/to-aee?recipient=bob', command('reboot'))
--- refused: moq capacity
--- forwarded: 1
--- answer_headers
Retry-After: 7



=== TEST 10: GW-29 with the body of an AEE service, to AEE: unchanged
--- service
$c->answer(429, ['Retry-After' => 7],
           jcs(failure($q->{json}, code => 'E_RATE_LIMITED',
                       retryable => true, backoff_ms => 7000)))
--- send
post('/to-aee', aee())
--- error_code: 429
--- answer
/payload/code = E_RATE_LIMITED
/payload/backoff_ms = 7000
--- answer_headers
Retry-After: 7



=== TEST 11: GW-29 with the body of an AEE service, to VCP
--- service
$c->answer(429, ['Retry-After' => 7],
           jcs(failure($q->{json}, code => 'E_RATE_LIMITED',
                       retryable => true)))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- error_code: 429
--- answer
/status = rejected
--- answer_headers
Retry-After: 7



=== TEST 12: GW-29 with the body of a VCP service, to AEE
--- service
refused($c, $q, 503, 'busy')
--- send
post('/to-vcp', aee(to => 'agent.lead', intent => 'vcp.escalation',
    priority => 'high', payload => escalation(severity => 'critical',
                                              requires_ack => true)
                                   ->{payload}))
--- error_code: 503
--- answer
/type = error
/payload/code = E_BUSY
/payload/retryable = true



=== TEST 13: GW-29 a VCP service that is busy, with status 200
--- service
$c->answer(200, ['Retry-After' => 3], jcs({ status => 'busy',
    message_id => $q->{json}{message_id}, message => 'later' }))
--- send
post('/to-vcp', aee(to => 'agent.lead', intent => 'vcp.escalation',
    priority => 'high', payload => escalation(severity => 'critical',
                                              requires_ack => true)
                                   ->{payload}))
--- error_code: 503
--- answer
/type = error
/payload/code = E_BUSY
/payload/message = later
/payload/retryable = true



=== TEST 14: GW-29 with the body of a C2A service, to AEE
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31429, message => 'slowly' } }))
--- send
post('/to-c2a', aee())
--- error_code: 429
--- answer
/type = error
/payload/code = E_RATE_LIMITED
/payload/retryable = true



=== TEST 15: GW-12 GW-29 a message may come again after 429
--- service
$c->answer($q->{json}{priority} eq 'low' ? 202 : 429)
--- send
my $m = aee();
[post('/to-aee', $m), post('/to-aee', { %$m, priority => 'low' })]
--- each: ^(?:429|202)$
--- error_code: 202
--- forwarded: 2



=== TEST 16: GW-29 other statuses of 4xx and 5xx are not answers
--- service
$c->answer({ low => 404, normal => 500, high => 502 }->{$q->{json}{priority}},
           ['Retry-After' => 7], '<p>')
--- send
[map { post('/to-aee', aee(priority => $_)) } qw(low normal high)]
--- each: ^502$
--- error_code: 502
--- forwarded: 3
