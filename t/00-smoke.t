# The module loads and has no effect where it is off.  Its main purpose works:
# AEE and VCP over TLS, with tokens and signatures, in both directions.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

with_gateway();

run_tests();

__DATA__

=== TEST 1: a location without Parley is not affected
--- http_config
--- config
    location /plain {
        return 200 "untouched\n";
    }
--- request
GET /plain
--- response_body
untouched
--- no_error_log
[error]



=== TEST 2: a location that turns Parley off is not affected
--- config
    parley_accept aee;
    parley_jwt on;

    location /plain {
        parley_accept off;
        return 200 "untouched\n";
    }
--- request
POST /plain
anything
--- response_body
untouched
--- no_error_log
[error]



=== TEST 3: GW-09 AEE to AEE, with a token
--- service
$c->answer(200, [], jcs(result($q->{json})))
--- send
post('/aee', aee())
--- got_same
--- answer
/type = result



=== TEST 4: GW-09 VCP to VCP, with a token and a signature
--- send
post('/vcp', vcp())
--- got_same
--- answer
/status = accepted



=== TEST 5: GW-07 a VCP client and an AEE service
--- service
$c->answer(200, [], jcs(result($q->{json}, payload =>
    { text => 'on it', context => 'ctx|night' })))
--- send
post('/to-aee', escalation(severity => 'critical', requires_ack => true))
--- got
/v = 1
/intent = vcp.escalation
--- answer
/status = accepted
/reply/vcp_message = 1.2
/reply/payload/reason ~ ^ACK:



=== TEST 6: GW-07 an AEE client and a VCP service
--- send
post('/to-vcp', aee(type => 'task', intent => 'vcp.escalation',
     to => 'agent.lead', payload => escalation(severity => 'critical',
         requires_ack => true)->{payload}), sign => 1)
--- error_code: 202
--- got
/vcp_message = 1.2
/type = escalation
--- answer
/v = 1
/type = stream
/payload/status = accepted
