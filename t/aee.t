# AEE through the gateway: the requirements of an envelope, and that a valid
# one arrives unchanged.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

with_gateway(add => location('/mve5', 'parley_accept aee-mve5; parley_jwt on;')
  . location('/open-case', 'parley_accept aee case=open; parley_jwt on;'));

run_tests();

__DATA__

=== TEST 1: AEE-01 a complete envelope arrives octet for octet
--- send
post('/aee', aee())
--- error_code: 202
--- forwarded: 1
--- got_same
--- answer
/type = stream
/payload/status = accepted



=== TEST 2: AEE-01 a missing v is named
--- send
post('/aee', without(aee(), 'v'))
--- refused: aee field-missing /v



=== TEST 3: AEE-01 a missing id is named
--- send
post('/aee', without(aee(), 'id'))
--- refused: aee field-missing /id
--- answer
/reply_to ~ ^.{8,}$



=== TEST 4: AEE-01 a missing ts is named
--- send
post('/aee', without(aee(), 'ts'))
--- refused: aee field-missing /ts



=== TEST 5: AEE-01 a missing type is named
--- send
post('/aee', without(aee(), 'type'))
--- refused: aee field-missing /type



=== TEST 6: AEE-01 a missing from is named
--- send
post('/aee', without(aee(), 'from'))
--- refused: aee field-missing /from



=== TEST 7: AEE-01 a missing to is named
--- send
post('/aee', without(aee(), 'to'))
--- refused: aee field-missing /to



=== TEST 8: AEE-01 a missing intent is named
--- send
post('/aee', without(aee(), 'intent'))
--- refused: aee field-missing /intent



=== TEST 9: AEE-01 a missing corr is named
--- send
post('/aee', without(aee(), 'corr'))
--- refused: aee field-missing /corr



=== TEST 10: AEE-01 a missing priority is named
--- send
post('/aee', without(aee(), 'priority'))
--- refused: aee field-missing /priority



=== TEST 11: AEE-01 a missing payload is named
--- send
post('/aee', without(aee(), 'payload'))
--- refused: aee field-missing /payload



=== TEST 12: AEE-02 the number 1 is not the string "1"
--- send
post('/aee', aee(v => 1))
--- refused: aee envelope-version-unsupported /v



=== TEST 13: AEE-02 another version is refused
--- send
post('/aee', aee(v => '2'))
--- refused: aee envelope-version-unsupported /v



=== TEST 14: AEE-03 an id of 7 characters is too short
--- send
post('/aee', aee(id => 'a234567'))
--- refused: aee field-invalid /id



=== TEST 15: AEE-03 lengths are counted in characters, not octets
--- send
post('/aee', aee(id => "\x{e9}" x 7))
--- refused: aee field-invalid /id



=== TEST 16: AEE-03 an id of 8 characters outside ASCII is accepted
--- send
post('/aee', aee(id => join '', map { chr(0x400 + $_ + time % 256) } 1 .. 8))
--- error_code: 202
--- got_same



=== TEST 17: AEE-03 a ts of 9 characters is too short
--- send
post('/aee', aee(ts => '2026-01-1'))
--- refused: aee field-invalid /ts



=== TEST 18: AEE-03 an empty from is refused
--- send
post('/aee', aee(from => ''))
--- refused: aee field-invalid /from



=== TEST 19: AEE-03 an empty to is refused
--- send
post('/aee', aee(to => ''))
--- refused: aee field-invalid /to



=== TEST 20: AEE-03 an intent of 2 characters is too short
--- send
post('/aee', aee(intent => 'ab'))
--- refused: aee field-invalid /intent



=== TEST 21: AEE-03 a corr of 7 characters is too short
--- send
post('/aee', aee(corr => '1234567'))
--- refused: aee field-invalid /corr



=== TEST 22: AEE-04 an unknown type is refused
--- send
post('/aee', aee(type => 'request'))
--- refused: aee field-invalid /type



=== TEST 23: AEE-04 event is a type
--- send
post('/aee', aee(type => 'event'))
--- error_code: 202
--- got_same



=== TEST 24: AEE-04 stream is a type
--- send
post('/aee', aee(type => 'stream'))
--- error_code: 202
--- got_same



=== TEST 25: AEE-05 a result without reply_to is refused
--- send
post('/aee', aee(type => 'result'))
--- refused: aee field-missing /reply_to



=== TEST 26: AEE-05 an error without reply_to is refused
--- send
post('/aee', aee(type => 'error', payload => { code => 'E_X',
                                               message => 'x' }))
--- refused: aee field-missing /reply_to



=== TEST 27: AEE-05 a null reply_to of a result is refused
--- send
post('/aee', aee(type => 'result', reply_to => undef))
--- refused: aee field-invalid /reply_to



=== TEST 28: AEE-05 a reply_to of 7 characters is too short for a result
--- send
post('/aee', aee(type => 'result', reply_to => '1234567'))
--- refused: aee field-invalid /reply_to



=== TEST 29: AEE-05 a result with reply_to passes
--- send
post('/aee', aee(type => 'result', reply_to => 'task-0001'))
--- error_code: 202
--- got_same



=== TEST 30: AEE-05 the reply_to of a task may be null
--- send
post('/aee', aee(reply_to => undef))
--- error_code: 202
--- got_same



=== TEST 31: AEE-05 a number as the reply_to of a task is refused
--- send
post('/aee', aee(reply_to => 12345678))
--- refused: aee field-invalid /reply_to



=== TEST 32: AEE-06 an unknown priority is refused
--- send
post('/aee', aee(priority => 'critical'))
--- refused: aee field-invalid /priority



=== TEST 33: AEE-06 a priority in capitals is unknown
--- send
post('/aee', aee(priority => 'High'))
--- refused: aee field-invalid /priority



=== TEST 34: AEE-07 a payload that is a text is refused
--- send
post('/aee', aee(payload => 'do it'))
--- refused: aee field-invalid /payload



=== TEST 35: AEE-07 a payload that is a list is refused
--- send
post('/aee', aee(payload => []))
--- refused: aee field-invalid /payload



=== TEST 36: AEE-07 a payload that is null is refused
--- send
post('/aee', aee(payload => undef))
--- refused: aee field-invalid /payload



=== TEST 37: AEE-08 unknown top-level fields arrive unchanged, octet for octet
--- send
my $text = jcs(aee());
$text =~ s/\}$/ , "x_tenant" : "a\\u00e9\\\/b", "zz":\t[1.50, 1e3 , {"b":2,"a":1}],"":null}/;
post('/aee', $text)
--- error_code: 202
--- got
/x_tenant = aé/b
--- got_same



=== TEST 38: AEE-09 unknown keys of requires are ignored
--- send
post('/aee', aee(requires => { gpu => 2, timeout_ms => 5000 }))
--- error_code: 202
--- got_same



=== TEST 39: AEE-09 a timeout_ms that is not a number is refused
--- send
post('/aee', aee(requires => { timeout_ms => '5000' }))
--- refused: aee field-invalid /requires/timeout_ms



=== TEST 40: AEE-09 a human_approval that is not a boolean is refused
--- send
post('/aee', aee(requires => { human_approval => 'yes' }))
--- refused: aee field-invalid /requires/human_approval



=== TEST 41: AEE-09 an evidence that is not a boolean is refused
--- send
post('/aee', aee(requires => { evidence => 1 }))
--- refused: aee field-invalid /requires/evidence



=== TEST 42: AEE-09 a format that is not a text is refused
--- send
post('/aee', aee(requires => { format => ['json'] }))
--- refused: aee field-invalid /requires/format



=== TEST 43: AEE-09 a min_confidence above 1 is refused
--- send
my $text = jcs(aee(requires => { min_confidence => 0 }));
$text =~ s/"min_confidence":0/"min_confidence":1.01/;
post('/aee', $text)
--- refused: aee field-invalid /requires/min_confidence



=== TEST 44: AEE-10 requires as a list is refused
--- send
post('/aee', aee(requires => []))
--- refused: aee field-invalid /requires



=== TEST 45: AEE-10 requires may be null
--- send
post('/aee', aee(requires => undef, trace => undef, sig => undef))
--- error_code: 202
--- got_same



=== TEST 46: AEE-10 trace as a text is refused
--- send
post('/aee', aee(trace => 'abc'))
--- refused: aee field-invalid /trace



=== TEST 47: AEE-10 a trace_id that is not a text is refused
--- send
post('/aee', aee(trace => { trace_id => 7, span_id => 'a' }))
--- refused: aee field-invalid /trace/trace_id



=== TEST 48: AEE-10 a span_id that is not a text is refused
--- send
post('/aee', aee(trace => { trace_id => 'a', span_id => undef }))
--- refused: aee field-invalid /trace/span_id



=== TEST 49: AEE-10 sig as a list is refused
--- send
post('/aee', aee(sig => ['x']))
--- refused: aee field-invalid /sig



=== TEST 50: AEE-12 the message's trace becomes the upstream's traceparent
--- send
post('/aee', aee(trace => { trace_id => '4bf92f3577b34da6a3ce929d0e0e4736',
                            span_id => '00f067aa0ba902b7' }),
     headers => [traceparent =>
         '00-11111111111111111111111111111111-2222222222222222-01'])
--- error_code: 202
--- got_headers
traceparent ~ ^00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0[01]$
--- got_same



=== TEST 51: AEE-12 without a trace in the message the request's trace is forwarded
--- send
post('/aee', aee(), headers => [traceparent =>
    '00-11111111111111111111111111111111-2222222222222222-01'])
--- error_code: 202
--- got_headers
traceparent ~ ^00-11111111111111111111111111111111-2222222222222222-0[01]$



=== TEST 52: AEE-12 an invalid traceparent is not forwarded
--- send
post('/aee', aee(), headers => [traceparent => '00-xyz-1-01'])
--- error_code: 202
--- got_headers
! traceparent



=== TEST 53: AEE-13 an MVE-5 record is refused where envelopes are expected
--- send
post('/aee', { v => '1', id => uuid4(), type => 'event', intent => 'ops.log',
               from => 'agent.alice' })
--- refused: aee field-missing



=== TEST 54: AEE-13 an MVE-5 record passes where the location allows it
--- send
post('/mve5', { v => '1', id => uuid4(), type => 'event', intent => 'ops.log',
                from => 'agent.alice' })
--- error_code: 202
--- got_same



=== TEST 55: AEE-13 a full envelope passes there too
--- send
post('/mve5', aee())
--- error_code: 202
--- got_same



=== TEST 56: AEE-20 an aee. intent other than the seven is refused
--- send
post('/aee', aee(intent => 'aee.status.reboot'))
--- refused: aee intent-refused /intent



=== TEST 57: AEE-20 the bare word aee. is refused
--- send
post('/aee', aee(intent => 'aee.x'))
--- refused: aee intent-refused /intent



=== TEST 58: AEE-20 an intent below aee.ext. passes
--- send
post('/aee', aee(intent => 'aee.ext.acme.reboot'))
--- error_code: 202
--- got_same



=== TEST 59: AEE-20 one of the seven passes
--- send
post('/aee', aee(intent => 'aee.capability.list'))
--- error_code: 202
--- got_same



=== TEST 60: AEE-30 a reference without type is refused
--- send
post('/aee', aee(payload => { references => [{ id => 'abcdefgh' }] }))
--- refused: aee field-missing /payload/references/0/type



=== TEST 61: AEE-30 a reference without id is refused
--- send
post('/aee', aee(payload => { references => [
    { id => 'abcdefgh', type => 'aee.envelope' },
    { type => 'aee.envelope' }] }))
--- refused: aee field-missing /payload/references/1/id



=== TEST 62: AEE-30 an aee. type that is not an envelope is refused
--- send
post('/aee', aee(payload => { references => [
    { id => 'abcdefgh', type => 'aee.message' }] }))
--- refused: aee field-invalid /payload/references/0/type



=== TEST 63: AEE-30 a reference to an envelope passes
--- send
post('/aee', aee(payload => { references => [
    { id => 'abcdefgh', type => 'aee.envelope', hash => 'sha256:00' }] }))
--- error_code: 202
--- got_same



=== TEST 64: AEE-31 an envelope in a payload is data, even an invalid one
--- send
post('/aee', aee(payload => { inner => aee(v => '9', from => 'agent.mallory',
                                           intent => 'aee.nonsense') }))
--- error_code: 202
--- got_same



=== TEST 65: AEE-31 an envelope in a payload is not deduplicated
--- send
my $inner = aee();
[post('/aee', $inner), post('/aee', aee(payload => { inner => $inner })),
 post('/aee', aee(payload => { inner => $inner }))]
--- error_code: 202
--- forwarded: 3



=== TEST 66: AEE-36 a refusal answers the message: corr, reply_to and to
--- send
post('/aee', aee(id => 'task-about-it', corr => 'corr-about-it',
                 priority => 'nope'))
--- refused: aee field-invalid /priority
--- answer
/corr = corr-about-it
/reply_to = task-about-it
/to = agent.alice
/from = service.parley
/intent = ops.backup.run



=== TEST 67: AEE-35 the same refusal of the same message has the same id
--- send
my $m = aee(id => 'task-with-an-id', type => 'nope');
our $first = Parley::Client->new(port => port(1))->raw(post('/aee', $m))
             ->{json}{id};
post('/aee', $m)
--- refused: aee field-invalid /type
--- answer
/id = ${first}



=== TEST 68: AEE-35 the id of a refusal without a message is a random UUID
--- send
post('/aee', '{')
--- refused: aee json-invalid
--- answer
/id ~ ^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$
/payload/message ~ at offset 1$
--- error_log eval
qr/parley: refused, json-invalid: [^,]* at offset 1,/



=== TEST 69: AEE-08 an envelope member also in other case is refused
--- send
[post('/aee', { %{ aee() }, From => 'agent.bob' }),
 post('/aee', { %{ aee() }, FROM => 'agent.bob' })]
--- error_code: 400
--- each: ^400$
--- forwarded: 0



=== TEST 70: AEE-08 the error names the member in other case
--- send
post('/aee', { %{ aee() }, Reply_To => undef })
--- refused: aee field-unknown /Reply_To



=== TEST 71: AEE-08 an envelope member only in other case is refused
--- send
post('/aee', { %{ without(aee(), 'from') }, From => 'agent.alice' })
--- refused: aee field-unknown /From



=== TEST 72: AEE-08 an envelope member in other case with an escape is refused
--- send
my $text = jcs(aee());
$text =~ s/\}$/,"\\u0046rom":"agent.bob"}/;
post('/aee', $text)
--- refused: aee field-unknown /From



=== TEST 73: AEE-08 a member whose name only begins like an envelope member passes
--- send
post('/aee', { %{ aee() }, Froms => 1, 'From ' => 2, Payload2 => 3 })
--- error_code: 202
--- got_same



=== TEST 74: AEE-08 a service's answer with such a member is refused
--- service
$c->answer(200, [], jcs(result($q->{json}, From => 'agent.alice',
                               PAYLOAD => { sum => -9 })))
--- send
post('/aee', aee())
--- refused: aee upstream-invalid /From taken
--- forwarded: 1



=== TEST 75: AEE-08 a service's answer with a member in other case passes with case=open
--- service
$c->answer(200, [], jcs(result($q->{json}, From => 'agent.alice')))
--- send
post('/open-case', aee())
--- error_code: 200
--- forwarded: 1



=== TEST 76: AEE-08 a message with a member in other case passes with case=open
--- send
post('/open-case', { %{ aee() }, From => 'agent.bob' })
--- error_code: 202
--- got_same
