# Rules name parties, not spellings: a rule matches a party by its name in any
# protocol.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my $all = 'parley_accept aee vcp c2a channel; parley_speak aee; parley_jwt on;';
my $c2a = 'parley_accept c2a; parley_jwt on;';

# allow everything that is not denied
my %place = (
    '/aee'      => 'parley_deny to=agent.bob;',
    '/vcp'      => 'parley_deny to=agent://ops.example/bob;',
    '/c2a'      => 'parley_deny to=agent:bob;',
    '/handle'   => 'parley_deny to=~cc-bob;',
    '/sub'      => 'parley_deny to=bob;',
    '/unlisted' => 'parley_deny to=agent.secret;',
    '/agents'   => 'parley_deny to=agent.**;',
    '/human'    => 'parley_deny to=human.boss;',
    '/group'    => 'parley_deny to=bus.acme;',
    '/org'      => 'parley_deny to=~acme;',
    '/from'     => 'parley_deny principal=~cc-alice;',
    '/from-aee' => 'parley_deny principal=agent.zed;',
    '/intent'   => 'parley_deny intent=ops.delete;',
    '/type'     => 'parley_deny type=chat.deliver;',
    '/plain'    => 'parley_deny intent=c2a.chat.deliver;',
);

# allow only what is named
my %only = (
    '/only-bob'   => 'parley_allow to=~cc-bob;',
    '/only-alice' => 'parley_allow principal=agent://ops.example/alice;',
    '/only-eve'   => 'parley_allow to=agent.cc-taken;',
    '/only-ops'   => 'parley_allow intent=ops.**;',
);

my %matrix = matrix();

with_gateway(%matrix, add => join '',
    (map { location($_, "$all $place{$_} parley_allow principal=**;") }
         sort keys %place),
    (map { location($_, "$all $only{$_}") } sort keys %only),
    location('/pass', "$c2a parley_deny intent=ops.delete; "
                    . 'parley_allow principal=**;'),
    location('/open', "$c2a parley_deny type=chat.deliver; "
                    . 'parley_allow principal=**;'),
    location('/ext', $c2a));

run_tests();


# Returns a chat/deliver that carries an AEE task of that intent.
sub carried {
    my ($intent, %params) = @_;

    return deliver(content => [
        { type => 'text', text => 'please' },
        { type => 'data', mediaType => 'application/vnd.aee+json',
          form => 'task', data => { text => 'please' },
          members => { intent => $intent } }], %params);
}

__DATA__

=== TEST 1: SEC-04 a recipient denied by its AEE name is denied in C2A
--- send
post('/aee', deliver())
--- refused: c2a policy-refused



=== TEST 2: SEC-04 a recipient denied by its AEE name is denied in agent-channel
--- send
post('/aee', query())
--- refused: channel policy-refused



=== TEST 3: SEC-04 a recipient denied by its AEE name is denied in VCP
--- send
post('/aee', vcp())
--- refused: vcp policy-refused



=== TEST 4: SEC-04 a recipient denied by its AEE name is denied in AEE
--- send
post('/aee', aee())
--- refused: aee policy-refused



=== TEST 5: SEC-04 a recipient denied by its VCP name is denied in AEE
--- send
post('/vcp', aee())
--- refused: aee policy-refused



=== TEST 6: SEC-04 a recipient denied by its C2A name
--- send
post('/c2a', aee())
--- refused: aee policy-refused



=== TEST 7: SEC-04 a recipient denied by its handle
--- send
post('/handle', aee())
--- refused: aee policy-refused



=== TEST 8: SEC-04 a recipient denied by its sub
--- send
post('/sub', deliver())
--- refused: c2a policy-refused



=== TEST 9: SEC-04 other recipients pass
--- send
post('/aee', aee(to => 'agent.lead'))
--- error_code: 202



=== TEST 10: SEC-04 an unlisted name is mapped: C2A
--- send
post('/unlisted', deliver(target => { recipient => 'agent:secret',
                                      directedness => 'to_me' }))
--- refused: c2a policy-refused



=== TEST 11: SEC-04 an unlisted name is mapped: VCP, on any host
--- send
post('/unlisted', vcp(recipient => 'agent://ops.example/secret'))
--- refused: vcp policy-refused



=== TEST 12: SEC-04 an unlisted name is mapped: a handle may be of any kind
--- send
post('/unlisted', query(recipient_handle => '~secret'))
--- refused: channel policy-refused



=== TEST 13: SEC-04 a human's denied name, as a handle
--- send
post('/human', query(recipient_handle => '~boss'))
--- refused: channel policy-refused



=== TEST 14: SEC-04 a denied name in other case
--- send
post('/aee', aee(to => 'agent.BOB'))
--- refused: aee policy-refused



=== TEST 15: SEC-04 a group by its AEE name
--- send
submit('/group', 'org:~acme/members/*', query(recipient_handle => '~acme'))
--- refused: channel policy-refused



=== TEST 16: SEC-04 a group by the organisation that it belongs to
--- send
submit('/org', 'org:~acme/members/ops/*', query(recipient_handle => '~acme'))
--- refused: channel policy-refused



=== TEST 17: SEC-04 the sender by any of its names
--- send
post('/from', aee())
--- refused: aee policy-refused



=== TEST 18: SEC-04 another sender passes
--- send
post('/from', aee(from => 'agent.bob', to => 'agent.lead'), as => 'bob')
--- error_code: 202



=== TEST 19: SEC-04 a recipient allowed by its handle is allowed in AEE
--- send
post('/only-bob', aee())
--- error_code: 202



=== TEST 20: SEC-04 another recipient is not allowed
--- send
post('/only-bob', aee(to => 'agent.lead'))
--- refused: aee policy-refused



=== TEST 21: SEC-04 a sender allowed by its VCP name
--- send
post('/only-alice', aee())
--- error_code: 202



=== TEST 22: SEC-04 a name that only maps to a listed one is not allowed like it
--- send
post('/only-eve', query(recipient_handle => '~cc-taken'))
--- refused: channel policy-refused



=== TEST 23: SEC-04 an intent in upper case matches the rule
--- send
post('/intent', aee(intent => 'OPS.Delete'))
--- refused: aee policy-refused



=== TEST 24: SEC-04 an intent with a space is invalid where rules name intents
--- send
post('/intent', aee(intent => 'ops.delete '))
--- refused: aee intent-refused /intent



=== TEST 25: SEC-04 an intent with a zero-width space
--- send
post('/intent', aee(intent => "ops.\x{200b}delete"))
--- refused: aee intent-refused /intent



=== TEST 26: SEC-04 an intent in fullwidth letters
--- send
post('/intent', aee(intent => "ops.\x{ff44}elete"))
--- refused: aee intent-refused /intent



=== TEST 27: SEC-04 an intent with a NUL
--- send
post('/intent', aee(intent => "ops.delete\0"))
--- error_code_like: ^40[03]$
--- forwarded: 0



=== TEST 28: SEC-04 an allowed intent with characters that are not plain
--- send
post('/only-ops', aee(intent => "ops.caf\x{e9}"))
--- refused: aee intent-refused /intent



=== TEST 29: SEC-04 without rules about intents any intent passes
--- send
post('/aee', aee(intent => "ops.caf\x{e9}", to => 'agent.lead'))
--- error_code: 202



=== TEST 30: SEC-04 a carried message is denied by its own intent
--- send
post('/pass', main::carried('ops.delete'))
--- refused: c2a policy-refused



=== TEST 31: SEC-04 the carrying message is denied by its type, whatever it carries
--- send
post('/open', main::carried('ops.harmless'))
--- refused: c2a policy-refused



=== TEST 32: SEC-04 the carrying message is denied by its intent
--- send
post('/plain', main::carried('ops.harmless'))
--- refused: c2a policy-refused



=== TEST 33: AEE-20 a reserved intent in a carried message, without translation
--- send
post('/ext', main::carried('aee.no.such'))
--- refused: c2a intent-refused /params/content/1/members/intent



=== TEST 34: AEE-20 a reserved intent in other case
--- send
post('/ext', main::carried('AEE.no.such'))
--- refused: c2a intent-refused /params/content/1/members/intent



=== TEST 35: AEE-20 an extension passes
--- send
post('/ext', main::carried('aee.ext.mine'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1



=== TEST 36: AEE-20 one of the seven passes
--- send
post('/ext', main::carried('aee.status.ping'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1



=== TEST 37: AEE-20 a reserved intent in AEE, in other case
--- send
post('/to-aee', aee(intent => 'Aee.no.such'))
--- refused: aee intent-refused /intent



=== TEST 38: SEC-04 where rules name recipients, a name with a space after it is invalid
--- send
post('/aee', aee(to => 'agent.lead '))
--- refused: aee policy-refused /to



=== TEST 39: SEC-04 a recipient with a zero-width space
--- send
post('/aee', aee(to => "agent.\x{200b}bob"))
--- refused: aee policy-refused /to



=== TEST 40: SEC-04 a recipient in fullwidth letters
--- send
post('/aee', aee(to => "agent.\x{ff42}ob"))
--- refused: aee policy-refused /to



=== TEST 41: SEC-04 a recipient with an invalid host
--- send
post('/aee', aee(to => 'agent.bob@'))
--- refused: aee policy-refused /to



=== TEST 42: SEC-04 a recipient with an empty label
--- send
post('/aee', aee(to => 'agent..bob'))
--- refused: aee policy-refused /to



=== TEST 43: SEC-04 such a recipient in C2A
--- send
post('/c2a', deliver(target => { recipient => "agent:b\x{200b}ob",
                                 directedness => 'to_me' }))
--- refused: c2a policy-refused /params/target/recipient



=== TEST 44: SEC-04 a name in another protocol's form is not allowed like its owner
--- send
post('/only-bob', aee(to => 'agent:bob'))
--- refused: aee policy-refused



=== TEST 45: SEC-04 a name in other case is not allowed like its owner
--- send
post('/only-bob', aee(to => 'Agent.Bob'))
--- refused: aee policy-refused



=== TEST 46: SEC-04 without rules about recipients any recipient passes
--- send
post('/intent', aee(to => "agent.caf\x{e9}"))
--- error_code: 202



=== TEST 47: SEC-04 a bus is not the agent of that name
--- send
post('/agents', aee(to => 'bus.ops'))
--- error_code: 202



=== TEST 48: SEC-04 the agent of that name is denied
--- send
post('/agents', aee(to => 'agent://ops.example/zed'))
--- refused: aee policy-refused



=== TEST 49: SEC-04 an unlisted recipient is denied by its name
--- send
post('/from-aee', aee(from => 'agent.zed'), token => bearer('agent.zed'))
--- refused: aee policy-refused



=== TEST 50: SEC-04 an unlisted recipient is denied in other case
--- send
post('/from-aee', aee(from => 'AGENT.Zed'), token => bearer('AGENT.Zed'))
--- refused: aee policy-refused



=== TEST 51: SEC-04 another unlisted recipient passes
--- send
post('/from-aee', aee(from => 'agent.zeb'), token => bearer('agent.zeb'))
--- error_code: 202
