# VCP through the gateway: the requirements of an envelope, and the caller's
# answer.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

with_gateway(add => location('= /.well-known/vcp/messages',
                             'parley_accept vcp; parley_signature required;'));

run_tests();

__DATA__

=== TEST 1: VCP-01 a complete envelope arrives octet for octet
--- send
post('/vcp', vcp())
--- forwarded: 1
--- got_same



=== TEST 2: VCP-18 the well-known location answers accepted, with its media type
--- send
post('/.well-known/vcp/messages', vcp(message_id => ($::id = uuid7())),
     token => 0)
--- answer
/status = accepted
/message_id = ${id}
--- answer_headers
Content-Type: application/json; charset=utf-8
--- got_same



=== TEST 3: VCP-18 the answer is the same if the service has no body
--- service
$c->answer(202)
--- send
post('/vcp', vcp(message_id => ($::id = uuid7())))
--- answer
/status = accepted
/message_id = ${id}
--- answer_headers
Content-Type: application/json; charset=utf-8



=== TEST 4: VCP-01 an unknown field of the envelope is refused and named
--- send
post('/vcp', vcp(priority => 'high'))
--- refused: vcp field-unknown /priority



=== TEST 5: VCP-01 an unknown field of the payload is refused and named
--- send
post('/vcp', with(vcp(), 'payload/colour' => 'red'))
--- refused: vcp field-unknown /payload/colour



=== TEST 6: VCP-01 an unknown field of personal_state is refused and named
--- send
post('/vcp', with(vcp(), 'payload/personal_state' => { mood => 5 }))
--- refused: vcp field-unknown /payload/personal_state/mood



=== TEST 7: VCP-01 an unknown field of emotional is refused and named
--- send
post('/vcp', with(vcp(), 'payload/personal_state' =>
     { emotional => { valence => 5, arousal => 5, tension => 5 } }))
--- refused: vcp field-unknown /payload/personal_state/emotional/tension



=== TEST 8: VCP-01 an unknown field of body is refused and named
--- send
post('/vcp', with(vcp(), 'payload/personal_state' => { body => { heat => 5 } }))
--- refused: vcp field-unknown /payload/personal_state/body/heat



=== TEST 9: VCP-01 an unknown field of scope is refused and named
--- send
post('/vcp', announce(scope => { regions => ['eu'] }))
--- refused: vcp field-unknown /payload/scope/regions



=== TEST 10: VCP-01 an unknown field of a constraint is refused and named
--- send
post('/vcp', with(constraint(), 'payload/constraints/0/note' => 'x'),
     as => 'lead')
--- refused: vcp field-unknown /payload/constraints/0/note



=== TEST 11: VCP-01 an unknown field of an escalation is refused and named
--- send
post('/vcp', escalation(level => 3))
--- refused: vcp field-unknown /payload/level



=== TEST 12: VCP-01 a missing vcp_message is named
--- send
post('/vcp', jcs(without(vcp(), 'vcp_message')))
--- refused: vcp field-missing /vcp_message



=== TEST 13: VCP-01 a missing type is named
--- send
post('/vcp', without(vcp(), 'type'))
--- refused: vcp field-missing /type



=== TEST 14: VCP-01 a missing message_id is named
--- send
post('/vcp', without(vcp(), 'message_id'))
--- refused: vcp field-missing /message_id



=== TEST 15: VCP-01 a missing sender is named
--- send
post('/vcp', without(vcp(), 'sender'))
--- refused: vcp field-missing /sender



=== TEST 16: VCP-01 a missing recipient is named
--- send
post('/vcp', without(vcp(), 'recipient'))
--- refused: vcp field-missing /recipient



=== TEST 17: VCP-01 a missing timestamp is named
--- send
post('/vcp', without(vcp(), 'timestamp'))
--- refused: vcp field-missing /timestamp



=== TEST 18: VCP-01 a missing payload is named
--- send
post('/vcp', without(vcp(), 'payload'))
--- refused: vcp field-missing /payload



=== TEST 19: VCP-01 another version is refused
--- send
post('/vcp', vcp(vcp_message => '1.1'))
--- refused: vcp envelope-version-unsupported /vcp_message



=== TEST 20: VCP-01 the number 1.2 is not a version
--- send
my $text = jcs(sign_vcp(vcp(), person('alice')->{key}));
$text =~ s/"vcp_message":"1.2"/"vcp_message":1.2/;
post('/vcp', $text)
--- refused: vcp envelope-version-unsupported /vcp_message



=== TEST 21: VCP-02 an unknown type is refused
--- send
post('/vcp', vcp(type => 'greeting'))
--- refused: vcp field-invalid /type



=== TEST 22: VCP-02 a constitution_announce passes
--- send
post('/vcp', announce())
--- got_same



=== TEST 23: VCP-02 a constraint_propagate passes
--- send
post('/vcp', constraint(), as => 'lead')
--- got_same



=== TEST 24: VCP-02 an escalation passes
--- send
post('/vcp', escalation())
--- got_same



=== TEST 25: VCP-03 a UUIDv4 is refused as message_id
--- send
post('/vcp', vcp(message_id => uuid4()))
--- refused: vcp field-invalid /message_id



=== TEST 26: VCP-03 a UUIDv7 in upper case is refused as message_id
--- send
post('/vcp', vcp(message_id => '019502A4-7E5C-7000-8000-00000000000A'))
--- refused: vcp field-invalid /message_id



=== TEST 27: VCP-03 a UUIDv7 of another variant is refused as message_id
--- send
post('/vcp', vcp(message_id => '019502a4-7e5c-7000-c000-000000000001'))
--- refused: vcp field-invalid /message_id



=== TEST 28: VCP-03 a message_id with more characters is refused
--- send
post('/vcp', vcp(message_id => uuid7() . "\n"))
--- refused: vcp field-invalid /message_id



=== TEST 29: VCP-04 an empty sender is refused
--- send
post('/vcp', vcp(sender => ''))
--- refused: vcp field-invalid /sender



=== TEST 30: VCP-04 an empty recipient is refused
--- send
post('/vcp', vcp(recipient => ''))
--- refused: vcp field-invalid /recipient



=== TEST 31: VCP-04 the recipient may be broadcast
--- send
post('/vcp', vcp(recipient => 'broadcast'))
--- got
/recipient = broadcast



=== TEST 32: VCP-05 a timestamp with an offset is refused
--- send
post('/vcp', vcp(timestamp => timestamp() =~ s/Z$/+00:00/r))
--- refused: vcp field-invalid /timestamp



=== TEST 33: VCP-05 a timestamp without zone is refused
--- send
post('/vcp', vcp(timestamp => timestamp() =~ s/Z$//r))
--- refused: vcp field-invalid /timestamp



=== TEST 34: VCP-05 a date that does not exist is refused
--- send
post('/vcp', vcp(timestamp => '2026-02-30T10:30:00Z'))
--- refused: vcp field-invalid /timestamp



=== TEST 35: VCP-05 an hour that does not exist is refused
--- send
post('/vcp', vcp(timestamp => '2026-02-20T24:30:00Z'))
--- refused: vcp field-invalid /timestamp



=== TEST 36: VCP-05 fractions of a second pass
--- send
post('/vcp', vcp(timestamp => timestamp() =~ s/\.\d+Z$/.123456789Z/r))
--- got_same



=== TEST 37: VCP-06 a payload of another type is refused
--- send
post('/vcp', vcp(type => 'escalation'))
--- refused: vcp field-unknown /payload/constitution_ref



=== TEST 38: VCP-06 a missing member of the payload is named
--- send
post('/vcp', without(vcp(), 'payload/context'))
--- refused: vcp field-missing /payload/context



=== TEST 39: VCP-06 an empty context is refused
--- send
post('/vcp', with(vcp(), 'payload/context' => ''))
--- refused: vcp field-invalid /payload/context



=== TEST 40: VCP-07 personal_state from 1 to 9 passes
--- send
post('/vcp', with(vcp(), 'payload/personal_state' => { cognitive => 1,
     emotional => { valence => 9, arousal => 1 }, energy => 9, urgency => 5,
     body => { pain => 1, comfort => 9 } }))
--- got_same



=== TEST 41: VCP-07 0 is below the range
--- send
post('/vcp', with(vcp(), 'payload/personal_state' => { cognitive => 0 }))
--- refused: vcp field-invalid /payload/personal_state/cognitive



=== TEST 42: VCP-07 10 is above the range
--- send
post('/vcp', with(vcp(), 'payload/personal_state' =>
     { emotional => { valence => 10, arousal => 5 } }))
--- refused: vcp field-invalid /payload/personal_state/emotional/valence



=== TEST 43: VCP-07 a number slightly above 9 is above the range
--- send
my $text = jcs(sign_vcp(with(vcp(), 'payload/personal_state' =>
                             { energy => 9 }), person('alice')->{key}));
$text =~ s/"energy":9/"energy":9.0000001/;
post('/vcp', $text)
--- refused: vcp field-invalid /payload/personal_state/energy



=== TEST 44: VCP-07 emotional has a member arousal
--- send
post('/vcp', with(vcp(), 'payload/personal_state' =>
     { emotional => { valence => 5 } }))
--- refused: vcp field-missing /payload/personal_state/emotional/arousal



=== TEST 45: VCP-07 body numbers have the range too
--- send
post('/vcp', with(vcp(), 'payload/personal_state' => { body => { pain => 11 } }))
--- refused: vcp field-invalid /payload/personal_state/body/pain



=== TEST 46: VCP-08 a constitution_ref that is not a creed:// URI is refused
--- send
post('/vcp', with(vcp(), 'payload/constitution_ref' => 'https://x.example/c'))
--- refused: vcp field-invalid /payload/constitution_ref



=== TEST 47: VCP-08 a creed:// URI without a name is refused
--- send
post('/vcp', with(vcp(), 'payload/constitution_ref' => 'creed://x.example/'))
--- refused: vcp field-invalid /payload/constitution_ref



=== TEST 48: VCP-08 source_constitution_ref must be a creed:// URI too
--- send
post('/vcp', with(constraint(),
     'payload/constraints/0/source_constitution_ref' => 'creed:x'),
     as => 'lead')
--- refused: vcp field-invalid /payload/constraints/0/source_constitution_ref



=== TEST 49: VCP-09 a manifest_hash of another algorithm is refused
--- send
post('/vcp', announce(manifest_hash => 'sha512:' . 'ab' x 32))
--- refused: vcp field-invalid /payload/manifest_hash



=== TEST 50: VCP-09 a manifest_hash in upper case is refused
--- send
post('/vcp', announce(manifest_hash => 'sha256:' . 'AB' x 32))
--- refused: vcp field-invalid /payload/manifest_hash



=== TEST 51: VCP-09 a short manifest_hash is refused
--- send
post('/vcp', announce(manifest_hash => 'sha256:' . 'ab' x 31))
--- refused: vcp field-invalid /payload/manifest_hash



=== TEST 52: VCP-10 a scope with all its forms passes
--- send
post('/vcp', announce(scope => { model_families => ['claude-*', 'gpt-*'],
     purposes => ['general-assistant'],
     environments => [qw(production staging development testing)] }))
--- got_same



=== TEST 53: VCP-10 a model family with a blank is refused
--- send
post('/vcp', announce(scope => { model_families => ['claude 3'] }))
--- refused: vcp field-invalid /payload/scope/model_families/0



=== TEST 54: VCP-10 a purpose in upper case is refused
--- send
post('/vcp', announce(scope => { purposes => ['ok', 'Coding'] }))
--- refused: vcp field-invalid /payload/scope/purposes/1



=== TEST 55: VCP-10 an unknown environment is refused
--- send
post('/vcp', announce(scope => { environments => ['canary'] }))
--- refused: vcp field-invalid /payload/scope/environments/0



=== TEST 56: VCP-11 an empty list of constraints is refused
--- send
post('/vcp', constraint(constraints => []), as => 'lead')
--- refused: vcp field-invalid /payload/constraints



=== TEST 57: VCP-11 an unknown propagation_mode is refused
--- send
post('/vcp', constraint(propagation_mode => 'replace'), as => 'lead')
--- refused: vcp field-invalid /payload/propagation_mode



=== TEST 58: VCP-11 override is a propagation_mode
--- send
post('/vcp', constraint(propagation_mode => 'override'), as => 'lead')
--- got_same



=== TEST 59: VCP-11 a constraint without value is refused
--- send
post('/vcp', without(constraint(), 'payload/constraints/0/value'),
     as => 'lead')
--- refused: vcp field-missing /payload/constraints/0/value



=== TEST 60: VCP-12 an unknown severity is refused
--- send
post('/vcp', escalation(severity => 'fatal'))
--- refused: vcp field-invalid /payload/severity



=== TEST 61: VCP-12 an empty reason is refused
--- send
post('/vcp', escalation(reason => ''))
--- refused: vcp field-invalid /payload/reason



=== TEST 62: VCP-12 a reason of 4096 characters passes
--- send
post('/vcp', escalation(reason => "\x{e9}" x 4096))
--- got_same



=== TEST 63: VCP-12 a reason of 4097 characters is refused
--- send
post('/vcp', escalation(reason => 'a' x 4097))
--- refused: vcp field-invalid /payload/reason



=== TEST 64: VCP-12 an escalation without a context is refused
--- send
post('/vcp', without(escalation(), 'payload/context'))
--- refused: vcp field-missing /payload/context



=== TEST 65: VCP-12 a critical escalation must ask for an acknowledgment
--- send
post('/vcp', escalation(severity => 'critical'))
--- refused: vcp field-invalid /payload/requires_ack



=== TEST 66: VCP-12 an emergency must ask for an acknowledgment
--- send
post('/vcp', escalation(severity => 'emergency'))
--- refused: vcp field-invalid /payload/requires_ack



=== TEST 67: VCP-12 an emergency that asks for an acknowledgment passes
--- send
post('/vcp', escalation(severity => 'emergency', requires_ack => true))
--- got_same



=== TEST 68: VCP-25 an acknowledgment of a critical escalation passes
--- send
post('/vcp', { %{ escalation(severity => 'critical',
                             reason => 'ACK:' . uuid7() . ' seen',
                             requires_ack => false) },
               sender => person('lead')->{vcp},
               recipient => person('alice')->{vcp} }, as => 'lead')
--- got_same



=== TEST 69: VCP-25 a reason that only begins similarly acknowledges nothing
--- send
post('/vcp', escalation(severity => 'critical', reason => 'ACK:019502a4',
                        requires_ack => false))
--- refused: vcp field-invalid



=== TEST 70: VCP-25 a message that asks for an acknowledgment is an escalation, not an acknowledgment
--- send
post('/vcp', { %{ escalation(severity => 'critical',
                             reason => 'ACK:' . uuid7(),
                             requires_ack => true) },
               recipient => person('bob')->{vcp} })
--- refused: vcp direction-refused /recipient



=== TEST 71: VCP-30 a child cannot constrain its parent
--- send
post('/vcp', { %{ constraint() }, sender => person('alice')->{vcp},
               recipient => person('lead')->{vcp} })
--- refused: vcp direction-refused /recipient



=== TEST 72: VCP-30 only its parent can constrain a child
--- send
post('/vcp', { %{ constraint() }, sender => person('bob')->{vcp},
               recipient => person('alice')->{vcp} }, as => 'bob')
--- refused: vcp direction-refused /recipient
--- error_log
sub 'bob' is not the parent of the recipient



=== TEST 73: VCP-30 a child can escalate only to its parent
--- send
post('/vcp', { %{ escalation() }, recipient => person('bob')->{vcp} })
--- refused: vcp direction-refused /recipient
--- error_log
sub 'alice' has 'parent' 'lead'



=== TEST 74: VCP-30 without a known hierarchy an escalation passes
--- send
post('/vcp', { %{ escalation() }, sender => person('bob')->{vcp},
               recipient => person('alice')->{vcp} }, as => 'bob')
--- forwarded: 1



=== TEST 75: VCP-30 a parent cannot escalate to its child
--- send
post('/vcp', { %{ escalation() }, sender => person('lead')->{vcp},
               recipient => person('alice')->{vcp} }, as => 'lead')
--- refused: vcp direction-refused /recipient



=== TEST 76: GW-10 a refusal of VCP has the id of the refused message
--- send
post('/vcp', vcp(message_id => ($::id = uuid7()), extra => 1))
--- refused: vcp field-unknown /extra
--- answer
/message_id = ${id}
/status = rejected
/message exists
--- error_log
parley: refused, field-unknown /extra



=== TEST 77: VCP-25 an acknowledgment must have the severity of its escalation
--- send
my $m = escalation(severity => 'critical', requires_ack => true);
[post('/vcp', $m),
 post('/vcp', { %{ escalation(severity => 'info', requires_ack => false,
                       reason => 'ACK:' . $m->{message_id} . ' seen') },
        sender => person('lead')->{vcp},
        recipient => person('alice')->{vcp} }, as => 'lead')]
--- each: ^(?:20[02]|400)$
--- forwarded: 1
--- refused: vcp field-invalid /payload/severity



=== TEST 78: VCP-25 an acknowledgment with that severity passes, without translation
--- send
my $m = escalation(severity => 'critical', requires_ack => true);
[post('/vcp', $m),
 post('/vcp', { %{ escalation(severity => 'critical', requires_ack => false,
                       reason => 'ACK:' . $m->{message_id} . ' seen') },
        sender => person('lead')->{vcp},
        recipient => person('alice')->{vcp} }, as => 'lead')]
--- each: ^20[02]$
--- forwarded: 2



=== TEST 79: VCP-25 an acknowledgment with another severity in the answer
--- service
my $m = $q->{json};
$c->answer(200, [], jcs({ status => 'accepted', message_id => $m->{message_id},
    reply => { %{ escalation(severity => 'warning', requires_ack => false,
                             reason => "ACK:$m->{message_id} seen") },
               sender => $m->{recipient}, recipient => $m->{sender} } }))
--- send
post('/vcp', escalation(severity => 'critical', requires_ack => true))
--- refused: vcp upstream-invalid /reply/payload/severity taken
--- forwarded: 1



=== TEST 80: VCP-04 the error describes the required form in words, not as a pattern
--- send
post('/vcp', vcp(message_id => uuid4()))
--- refused: vcp field-invalid /message_id
--- answer
/message ~ must be a UUID of version 7, in lower case$
