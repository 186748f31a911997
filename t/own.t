# The gateway answers messages to itself: the aee.* intents.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use Parley::Tool qw(tool);

plan 'no_plan';

my $intents = tmp_dir() . '/intents';

mkdir $intents or die "$intents: $!\n";

sub schema {
    my ($name, $text) = @_;
    spew("$intents/$name.schema.json", $text);
}

schema('ops.backup.run.task', '{"type": "object", "required": ["target"],
    "properties": {"target": {"type": "string", "minLength": 1},
                   "keep": {"type": "integer", "maximum": 30}}}');
schema('ops.backup.run.result', '{"type": "object", "required": ["octets"]}');
schema('ops.backup.run.error', '{"required": ["code", "volume"]}');
schema('docs.summarize.task', '{"required": ["text"]}');
schema('opsx.list.task', 'true');

with_gateway(
    more => "parley_intents $intents;",
    add => location('/ops', 'parley_accept aee; parley_jwt on;
                             parley_allow intent=ops.**;
                             parley_allow intent=aee.capability.list;
                             parley_allow intent=aee.status.*;')
         . location('/scoped', 'parley_accept aee; parley_jwt on;
                                parley_deny  intent=docs.**;
                                parley_allow scope=notes intent=**;')
         . location('/to-vcp-too', 'parley_accept aee; parley_speak vcp;
                                    parley_jwt on;')
         . location('/dry', 'parley_accept aee; parley_jwt on;
                             parley_dry_run on;'));

# Returns a task for the gateway.
sub own {
    my ($intent, $payload, %other) = @_;

    return aee(to => 'service.parley', intent => "aee.$intent",
               payload => $payload // {}, %other);
}

sub client { return Parley::Client->new(port => port(1)) }

# "valid": the tool says that the answer is a valid envelope
add_response_body_check(sub {
    my ($block, $body) = @_;

    return if !defined $block->valid;

    my ($status, $out, $err) = tool({ in => $body }, 'validate', '--as',
                                    'aee');

    Test::More::is($status, 0, $block->name . " - a valid envelope $err");
});

run_tests();

__DATA__

=== TEST 1: AEE-21 a ping is answered
--- send
post('/aee', $::ping = own('status.ping', {}, priority => 'high',
     trace => { trace_id => '4bf92f3577b34da6a3ce929d0e0e4736',
                span_id => '00f067aa0ba902b7' }))
--- error_code: 200
--- forwarded: 0
--- valid
--- response_headers
Content-Type: application/json
--- answer
/type = result
/from = service.parley
/to = agent.alice
/intent = aee.status.ping
/priority = high
/payload = {"pong":true}
/trace/trace_id = 4bf92f3577b34da6a3ce929d0e0e4736



=== TEST 2: AEE-21 the answer refers to the question
--- send
post('/aee', own('status.ping', {}, id => 'ping-number-one',
                 corr => 'all-the-pings'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/reply_to = ping-number-one
/corr = all-the-pings
/id ~ ^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$



=== TEST 3: AEE-21 a ping to another recipient is forwarded to the service
--- send
post('/aee', own('status.ping', {}, to => 'agent.bob'))
--- error_code: 202
--- forwarded: 1
--- got_same



=== TEST 4: AEE-21 a ping is answered if the upstream speaks another protocol
--- send
post('/to-vcp-too', own('status.ping'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/pong = true



=== TEST 5: AEE-21 a ping of a trusted sender without a token
--- send
post('/open', own('status.ping', {}, from => 'agent.nobody'), token => 0)
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/to = agent.nobody



=== TEST 6: AEE-21 another configured name of the gateway
--- http_config eval
main::http_config(more => 'parley_self service.border;')
--- send
post('/aee', own('status.ping', {}, to => 'service.border'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/from = service.border
/payload/pong = true



=== TEST 7: AEE-21 the default name belongs to others if another is configured
--- http_config eval
main::http_config(more => 'parley_self service.border;')
--- send
post('/aee', own('status.ping'))
--- error_code: 202
--- forwarded: 1



=== TEST 8: AEE-21 in a dry run the service gets the ping
--- send
post('/dry', own('status.ping'))
--- error_code: 202
--- forwarded: 1
--- got_same



=== TEST 9: GW-20 a read-only question is answered each time
--- send
my $m = own('status.ping', {}, id => 'ping-twice-' . time);
[post('/aee', $m), post('/aee', $m)]
--- each: 200
--- forwarded: 0



=== TEST 10: AEE-18 a question with another principal's name is refused
--- send
post('/aee', own('status.ping', {}, from => 'agent.bob'))
--- refused: aee sender-identity-mismatch /from



=== TEST 11: AEE-20 an unknown aee. intent is refused
--- send
post('/aee', own('status.reboot'))
--- refused: aee intent-refused /intent



=== TEST 12: AEE-20 the gateway refuses a task with another intent
--- send
post('/aee', aee(to => 'service.parley', payload => { target => 'db' }))
--- refused: aee intent-refused /intent



=== TEST 13: AEE-20 the id of a refused question is not recorded
--- send
my $m = aee(to => 'service.parley', payload => { target => 'db' });
[post('/aee', $m), post('/aee', { %$m, to => 'agent.bob' })]
--- error_code: 202
--- forwarded: 1



=== TEST 14: AEE-21 an event asks the gateway nothing
--- send
post('/aee', own('status.ping', {}, type => 'event'))
--- refused: aee intent-refused /intent



=== TEST 15: AEE-21 a result asks the gateway nothing
--- send
post('/aee', own('status.ping', { pong => true }, type => 'result',
                 reply_to => 'some-ping'))
--- refused: aee intent-refused /intent



=== TEST 16: AEE-22 health: everything is well
--- send
post('/aee', own('status.health'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload = {"checks":{"keys":"ok","zone":"ok"},"status":"healthy"}



=== TEST 17: AEE-22 health: a zone that is nearly full
--- http_config eval
main::http_config(zone => 'small:512k share=100%')
--- send
# each of them is recorded until its reply comes
my $to = 'agent://ops.example/' . 'x' x 1500;
my ($sent, @seen) = (0);

for (1 .. 400) {
    my $a = client()->raw(post('/to-aee', { %{ escalation(requires_ack => true)
        }, recipient => $to, sender => person('bob')->{vcp} }, as => 'bob'));

    last if $a->{status} != 200;
    $sent++;

    $a = client()->raw(post('/aee', own('status.health')));
    push @seen, $a->{json}{payload}{status};
    last if $seen[-1] ne 'healthy';
}

Test::More::is($seen[0], 'healthy', 'it was well before');
Test::More::cmp_ok($sent, '>', 20, 'for a while');
service()->clear;
post('/aee', own('status.health'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/status = degraded
/payload/checks/zone = low
/payload/checks/keys = ok



=== TEST 18: AEE-22 health: no token can be verified
--- http_config
    parley_zone keyless:1m;
    parley_jwks_request /_jwks;
--- config
    location /open { parley_accept aee; parley_trusted on; }
    location = /_jwks { internal; return 503; }
--- plain
--- send
post('/open', own('status.health'), token => 0)
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload = {"checks":{"keys":"none","zone":"ok"},"status":"degraded"}



=== TEST 19: AEE-23 versions and extensions
--- send
post('/aee', own('spec.query'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/aee_version = 1
/payload/extensions ~ "parley\.vcp"



=== TEST 20: AEE-24 all intents, without a policy
--- send
post('/aee', own('capability.list'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/intents = ["aee.status.ping","aee.status.health","aee.spec.query","aee.capability.list","aee.context.fetch","aee.context.refute","aee.validate.payload","docs.summarize","ops.backup.run","opsx.list"]



=== TEST 21: AEE-24 the intents that the policy grants
--- send
post('/ops', own('capability.list'))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/intents = ["aee.status.ping","aee.status.health","aee.capability.list","ops.backup.run"]



=== TEST 22: AEE-24 the intents that the policy grants this caller
--- send
post('/scoped', own('capability.list', { namespace_filter => 'docs' }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/intents = []



=== TEST 23: AEE-24 AEE-19 a caller without granted intents gets none
--- send
post('/scoped', own('capability.list', {}, from => 'agent.bob'), as => 'bob',
     token => bearer('bob', scope => 'other'))
--- refused: aee scope-unauthorised



=== TEST 24: AEE-24 AEE-19 an intent of the gateway that is not granted is refused
--- send
post('/ops', own('context.fetch', { id => 'some-message' }))
--- refused: aee intent-refused /intent



=== TEST 25: AEE-24 a namespace matches whole labels only
--- send
post('/aee', own('capability.list', { namespace_filter => 'ops' }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/intents = ["ops.backup.run"]



=== TEST 26: AEE-24 a namespace with a dot at its end
--- send
post('/aee', own('capability.list', { namespace_filter => 'ops.backup.' }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/intents = ["ops.backup.run"]



=== TEST 27: AEE-24 a namespace as a pattern
--- send
post('/aee', own('capability.list', { namespace_filter => 'aee.context.*' }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/intents = ["aee.context.fetch","aee.context.refute"]



=== TEST 28: AEE-24 an unknown namespace
--- send
post('/aee', own('capability.list', { namespace_filter => 'infra' }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/intents = []



=== TEST 29: AEE-24 a namespace that is not a text
--- send
post('/aee', own('capability.list', { namespace_filter => ['ops'] }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/type = error
/payload/code = E_FIELD_INVALID
/payload/field = /payload/namespace_filter



=== TEST 30: AEE-27 a payload that is valid for its intent
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run',
     payload_to_validate => { target => 'db', keep => 7 } }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload = {"errors":[],"valid":true}



=== TEST 31: AEE-27 a missing member
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run',
     payload_to_validate => { keep => 7 } }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/type = result
/payload/valid = false
/payload/errors/0/pointer = /target
/payload/errors/0/keyword = required
/payload/errors/0/message exists



=== TEST 32: AEE-27 a value that is too large
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run',
     payload_to_validate => { target => 'db', keep => 31 } }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/valid = false
/payload/errors/0/pointer = /keep
/payload/errors/0/keyword = maximum



=== TEST 33: AEE-27 a payload that is not an object
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run',
     payload_to_validate => 'db' }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/valid = false
/payload/errors/0/pointer ~ ^$
/payload/errors/0/keyword = type



=== TEST 34: AEE-27 the payload of a result
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run',
     type => 'result', payload_to_validate => { target => 'db' } }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/valid = false
/payload/errors/0/pointer = /octets



=== TEST 35: AEE-27 the payload of an error
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run',
     type => 'error', payload_to_validate => { code => 'E_X' } }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/valid = false
/payload/errors/0/pointer = /volume



=== TEST 36: AEE-27 AEE-33 without a schema every payload is valid
--- send
post('/aee', own('validate.payload', { intent => 'ops.unheard.of',
     payload_to_validate => { anything => 1 } }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload = {"errors":[],"schema":null,"valid":true}



=== TEST 37: AEE-27 without a schema a null payload is valid
--- send
post('/aee', own('validate.payload', { intent => 'opsx.list',
     payload_to_validate => undef }))
--- error_code: 200
--- forwarded: 0
--- answer
/payload/valid = true



=== TEST 38: AEE-27 nothing to validate
--- send
post('/aee', own('validate.payload', { intent => 'ops.backup.run' }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/type = error
/reply_to exists
/payload/code = E_FIELD_MISSING
/payload/retryable = false



=== TEST 39: AEE-27 an intent that is not a text
--- send
post('/aee', own('validate.payload', { intent => 7,
                                       payload_to_validate => {} }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/payload/code = E_FIELD_MISSING



=== TEST 40: SEC-11 an id of the gateway's answer depends on the asker
--- send
my $m = own('spec.query', {}, id => 'spec-query-again');
our $first = Parley::Client->new(port => port(1))->raw(post('/aee', $m))
             ->{json}{id};
post('/aee', { %$m, from => 'agent.bob' }, as => 'bob')
--- error_code: 200
--- forwarded: 0
--- answer
/id ~ ^(?!${first})[0-9a-f-]{36}$
/to = agent.bob



=== TEST 41: AEE-25 without parley_retain nothing is retained
--- send
my $m = aee(payload => { target => 'db' });
client()->raw(post('/aee', $m));
service()->clear;
post('/aee', own('context.fetch', { id => $m->{id} }))
--- error_code: 200
--- forwarded: 0
--- valid
--- answer
/type = error
/payload/code = E_NOT_FOUND
/payload/retryable = false
