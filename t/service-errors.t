# Errors of a service of another protocol: the code, its number, the other
# members, and the wrong member if the caller has it.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());

run_tests();

__DATA__

=== TEST 1: GW-10 an AEE service's own code: its status becomes the number in C2A
--- service
$c->answer(422, [], jcs(failure($q->{json}, code => 'E_NOPE',
    message => 'no disk', retryable => true, backoff_ms => 1500,
    detail => { disk => 3 })))
--- send
post('/to-aee', deliver())
--- error_code: 422
--- answer
/id = call-1
/error/code = -31422
/error/message = no disk
/error/data = {"backoff_ms":1500,"code":"E_NOPE","retryable":true}
--- answer_headers
Parley-Loss ~ ^answer=/payload/detail$



=== TEST 2: GW-10 an AEE service's own code, for a tool call
--- service
$c->answer(409, [], jcs(failure($q->{json}, code => 'E_NOPE',
                                message => 'no disk')))
--- send
post('/to-aee', say())
--- error_code: 409
--- answer
/error/code = -31409
/error/data = {"code":"E_NOPE","retryable":false}



=== TEST 3: GW-10 the wrong member of an event, within the payload
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/content/0/text')))
--- send
post('/to-aee', deliver())
--- error_code: 400
--- answer
/error/code = -32602
/error/data/code = field-invalid
/error/data/field = /params/content/0/text
--- answer_headers
! Parley-Loss



=== TEST 4: GW-10 the wrong member of a tool call
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_MISSING',
                                field => '/payload/disk')))
--- send
post('/to-aee', say())
--- error_code: 400
--- answer
/error/data/field = /params/arguments/disk



=== TEST 5: GW-10 a member of the envelope, or of the carried data: /from
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/from')))
--- send
post('/to-aee', deliver(attention => { policy => 'must_respond',
                                       deadlineMs => 30000,
                                       priority => 'high' }))
--- error_code: 400
--- answer
/error/data/field = /params/author



=== TEST 6: GW-10 a member of the envelope, or of the carried data: /payload/c2a/conversation/id
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/c2a/conversation/id')))
--- send
post('/to-aee', deliver(attention => { policy => 'must_respond',
                                       deadlineMs => 30000,
                                       priority => 'high' }))
--- error_code: 400
--- answer
/error/data/field = /params/conversation/id



=== TEST 7: GW-10 a member of the envelope, or of the carried data: /requires/timeout_ms
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/requires/timeout_ms')))
--- send
post('/to-aee', deliver(attention => { policy => 'must_respond',
                                       deadlineMs => 30000,
                                       priority => 'high' }))
--- error_code: 400
--- answer
/error/data/field = /params/attention/deadlineMs



=== TEST 8: GW-10 a member that the caller's message does not have
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/references/0/hash')))
--- send
post('/to-aee', deliver())
--- error_code: 400
--- answer
! /error/data/field
--- answer_headers
Parley-Loss ~ ^answer=/payload/field$



=== TEST 9: GW-10 the wrong member, for a caller of VCP
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/reason')))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- error_code: 400
--- answer
/code = field-invalid
/field = /payload/reason



=== TEST 10: GW-10 the wrong member, for a caller of agent-channel
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/query_text')))
--- send
submit('/to-aee', '~cc-bob', query())
--- error_code: 400
--- answer
/code = field-invalid
/field = /payload/query_text



=== TEST 11: GW-10 a C2A service's error, for an AEE caller
--- service
$c->answer(400, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -32602, message => 'no', data => {
        code => 'field-invalid',
        field => '/params/injection/mode' } } }))
--- send
post('/to-c2a', aee(payload => { text => 'Is it full?' }))
--- error_code: 400
--- answer
/payload/code = E_FIELD_INVALID
! /payload/field



=== TEST 12: GW-10 a member within the carried data
--- service
$c->answer(400, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -32602, message => 'no', data => {
        code => 'field-invalid',
        field => '/params/content/1/data/disk' } } }))
--- send
post('/to-c2a', aee(payload => { text => 'Is it full?', disk => 3 }))
--- error_code: 400
--- answer
/payload/code = E_FIELD_INVALID
/payload/field = /payload/disk



=== TEST 13: GW-10 a C2A service's error without a code of Parley, to VCP
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -32000, message => 'no disk' } }))
--- send
post('/to-c2a', escalation(severity => 'critical', requires_ack => true))
--- error_code: 422
--- answer
/code = refused



=== TEST 14: GW-10 a C2A service's error without a code of Parley, to agent-channel
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -32000, message => 'no disk' } }))
--- send
submit('/to-c2a', '~cc-bob', query())
--- error_code: 422
--- answer
/code = refused



=== TEST 15: GW-10 a C2A service's error without a code of Parley, to AEE
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -32000, message => 'no disk' } }))
--- send
post('/to-c2a', aee())
--- error_code: 422
--- answer
/payload/code = E_REFUSED



=== TEST 16: GW-10 an error whose number has the status, to VCP
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31403, message => 'not you' } }))
--- send
post('/to-c2a', escalation(severity => 'critical', requires_ack => true))
--- error_code: 403
--- answer
/code = policy-refused



=== TEST 17: GW-10 an error whose number has the status, to agent-channel
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31403, message => 'not you' } }))
--- send
submit('/to-c2a', '~cc-bob', query())
--- error_code: 403
--- answer
/code = scope-unauthorised



=== TEST 18: GW-10 an error whose number has the status, to AEE
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31403, message => 'not you' } }))
--- send
post('/to-c2a', aee())
--- error_code: 403
--- answer
/payload/code = E_POLICY_REFUSED



=== TEST 19: GW-10 a failed tool without a code
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    result => { isError => true, content => [{ type => 'text',
                                               text => 'no disk' }] } }))
--- send
submit('/to-c2a', '~cc-bob', query())
--- error_code: 422
--- answer
/code = failed
/message = no disk



=== TEST 20: GW-10 AEE-36 a C2A service's error that allows a retry, with its time
--- service
$c->answer(422, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31422, message => 'no disk', data => {
        code => 'E_NOPE', retryable => \1, backoff_ms => 1500,
        disk => 3 } } }))
--- send
post('/to-c2a', aee())
--- error_code: 422
--- answer
/payload/code = E_NOPE
/payload/retryable = true
/payload/backoff_ms = 1500
--- answer_headers
Parley-Loss ~ ^answer=/error/data/disk$



=== TEST 21: GW-10 AEE-36 a C2A service's error that forbids a retry
--- service
$c->answer(503, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31503, message => 'no disk', data => {
        code => 'E_NOPE', retryable => \0, backoff_ms => 1500 } } }))
--- send
post('/to-c2a', aee())
--- error_code: 503
--- answer
/payload/retryable = false
! /payload/backoff_ms
--- answer_headers
Parley-Loss ~ ^answer=/error/data/backoff_ms$



=== TEST 22: GW-10 AEE-36 invalid values for the retry are lost
--- service
$c->answer(422, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31422, message => 'no disk', data => {
        code => 'E_NOPE', retryable => 'yes', backoff_ms => -1,
        message => 'more' } } }))
--- send
post('/to-c2a', aee())
--- error_code: 422
--- answer
/payload/retryable = false
/payload/message = no disk
! /payload/backoff_ms
--- answer_headers
Parley-Loss ~ data/backoff_ms.*data/message.*data/retryable$



=== TEST 23: GW-10 VCP has no equivalent for the retry
--- service
$c->answer(422, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -31422, message => 'no disk', data => {
        code => 'E_NOPE', retryable => \1, backoff_ms => 1500 } } }))
--- send
post('/to-c2a', escalation(severity => 'critical', requires_ack => true))
--- error_code: 422
--- answer
/code = E_NOPE
--- answer_headers
Parley-Loss ~ answer=/error/data/backoff_ms, answer=/error/data/retryable$



=== TEST 24: GW-10 data that is not an object is lost as a whole
--- service
$c->answer(422, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    error => { code => -32000, message => 'no disk', data => 'trace' } }))
--- send
post('/to-c2a', aee())
--- error_code: 422
--- answer_headers
Parley-Loss ~ ^answer=/error/data$



=== TEST 25: GW-10 a VCP service's refusal: members without an equivalent are lost
--- service
$c->answer(422, [], jcs({ status => 'rejected', code => 'E_NOPE',
    message_id => $q->{json}{message_id}, message => 'no disk',
    field => '/payload/context', disk => 3, hint => undef }))
--- send
post('/to-vcp', diagnostic('blocked'))
--- error_code: 422
--- answer
/code = E_NOPE
/message = no disk
! /field
--- answer_headers
Parley-Loss ~ answer=/disk, answer=/field$



=== TEST 26: GW-10 an agent-channel service's refusal: members without an equivalent are lost
--- service
$c->answer(422, [], jcs({ code => 'E_NOPE', message => 'no disk',
    field => '/payload/none', disk => { free => 3 } }))
--- send
post('/to-channel', aee())
--- error_code: 422
--- answer
/payload/code = E_NOPE
! /payload/field
--- answer_headers
Parley-Loss ~ ^answer=/disk, answer=/field$



=== TEST 27: GW-10 an agent-channel service's refusal without loss
--- service
$c->answer(422, [], jcs({ code => 'field-invalid', message => 'no',
                          field => '/recipient_handle' }))
--- send
post('/to-channel', aee())
--- error_code: 422
--- answer
/payload/field = /to
--- answer_headers
! Parley-Loss



=== TEST 28: GW-10 a pointer that does not exist is not forwarded
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/no/such/<b>thing')))
--- send
post('/to-aee', say())
--- error_code: 400
--- answer
! /error/data/field
--- answer_headers
Parley-Loss ~ ^answer=/payload/field$



=== TEST 29: GW-10 a pointer to a member that was present is not forwarded
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/payload/invented')))
--- send
post('/to-aee', say())
--- error_code: 400
--- answer
! /error/data/field
--- answer_headers
Parley-Loss ~ ^answer=/payload/field$



=== TEST 30: GW-10 a field that the caller's message does not have is not named
--- service
$c->answer(400, [], jcs(failure($q->{json}, code => 'E_FIELD_INVALID',
                                field => '/reply_to')))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- error_code: 400
--- answer
/code = field-invalid
! /field
