# Identities: the sender of a message is the principal of its token, under the
# principal's name in each protocol.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

our $oddkey = new_key('ed25519', 'odd-1');
our $claimed = new_key('ed25519', 'device-1');

my $dir = tmp_dir();
my $http = http_config();
my $known = from_json(identities());

# names that no syntax would map to each other
push @{ $known->{principals} },
    { sub => 'odd', aee => 'agent.watchman', vcp => 'agent://night.example/w1',
      keys => [$oddkey->{jwk}] },
    { sub => 'long', aee => 'agent.' . 'w' x 40 },
    { sub => 'device-17', keys => [$claimed->{jwk}] };
spew("$dir/identities.json", jcs($known));

with_gateway(http => $http, server => server_config(), add =>
    location('/claims', 'parley_accept aee vcp; parley_speak aee; '
                      . 'parley_jwt on; parley_claims aee=agent_name '
                      . 'vcp=/names/vcp roles=roles;')
  . location('/to-channel', 'parley_accept aee channel; '
                          . 'parley_speak channel; parley_jwt on;'));


# Returns a token with only these claims.
sub main::claims {
    my %claims = @_;
    return 'Bearer ' . token(idp(), { %claims });
}

run_tests();

__DATA__

=== TEST 1: AEE-18 the principal's own name passes
--- send
post('/aee', aee())
--- error_code: 202
--- got_headers
Parley-Verified: principal="alice"; token



=== TEST 2: AEE-18 another principal's name is an impersonation
--- send
post('/aee', aee(from => 'agent.bob'))
--- refused: aee sender-identity-mismatch /from
--- answer
/payload/message ~ principal of the token: sub "alice" is "agent.alice" here$



=== TEST 3: AEE-18 an unlisted name is an impersonation too
--- send
post('/aee', aee(from => 'agent.nobody'))
--- refused: aee sender-identity-mismatch /from



=== TEST 4: AEE-18 names are case-sensitive
--- send
post('/aee', aee(from => 'agent.Alice'))
--- refused: aee sender-identity-mismatch /from



=== TEST 5: AEE-18 a name with more characters is another name
--- send
post('/aee', aee(from => 'agent.alice@host'))
--- refused: aee sender-identity-mismatch /from



=== TEST 6: AEE-18 a name with escapes is the same name
--- send
post('/aee', jcs(aee()) =~ s/agent\.alice/\\u0061gent.alice/r)
--- error_code: 202
--- got_same



=== TEST 7: AEE-18 SEC-01 a zero octet does not end a name
--- send
post('/aee', aee(from => "agent.alice\0x"))
--- refused: aee field-invalid /from



=== TEST 8: AEE-18 another principal's signature does not help the owner of the token
--- send
post('/aee', aee(from => 'agent.bob'), sign => 'bob')
--- refused: aee sender-identity-mismatch /from



=== TEST 9: GW-03 the principal's name in VCP passes
--- send
post('/vcp', vcp())
--- forwarded: 1



=== TEST 10: GW-03 another principal's name in VCP is an impersonation
--- send
post('/vcp', vcp(sender => person('bob')->{vcp}))
--- refused: vcp sender-identity-mismatch /sender



=== TEST 11: GW-03 the AEE name is not the VCP name
--- send
post('/vcp', vcp(sender => 'agent.alice'))
--- refused: vcp sender-identity-mismatch /sender



=== TEST 12: GW-03 the directory's names are used in translation
--- send
post('/to-aee', sign_vcp(vcp(sender => "agent://night.example/w1"),
                         $main::oddkey),
     as => 'odd', sign => 0)
--- got
/from = agent.watchman
/to = agent.bob
/intent = vcp.context_share



=== TEST 13: GW-03 the directory's names are used in the way back
--- send
post('/to-vcp', aee(from => 'agent.watchman', type => 'event',
     intent => 'vcp.context_share', to => 'agent.watchman',
     payload => vcp()->{payload}), as => 'odd')
--- error_code: 202
--- got
/sender = agent://night.example/w1
/recipient = agent://night.example/w1



=== TEST 14: GW-03 a name without an entry is mapped by its syntax
--- send
post('/to-aee', vcp(recipient => 'agent://far.example/x1'))
--- got
/to = agent.x1@far.example



=== TEST 15: GW-03 the names of a human and a service are mapped too
--- send
post('/to-aee', vcp(recipient => 'human://dana'))
--- got
/to = human.dana



=== TEST 16: GW-03 broadcast is mapped to the bus
--- send
post('/to-aee', vcp(recipient => 'broadcast'))
--- got
/to ~ ^bus\.



=== TEST 17: GW-03 an unlisted agent does not become a listed one
--- send
post('/to-aee', vcp(recipient => 'watchman'))
--- refused: vcp identity-unmappable /recipient



=== TEST 18: GW-03 the same in the other direction
--- send
post('/to-vcp', aee(type => 'event', intent => 'vcp.context_share',
     to => 'agent.w1@night.example', payload => vcp()->{payload}))
--- refused: aee identity-unmappable /to



=== TEST 19: GW-03 an unlisted token's sub is its name
--- send
post('/aee', aee(from => 'agent.carol'), as => 'agent.carol')
--- error_code: 202
--- got_headers
Parley-Verified: principal="agent.carol"; token



=== TEST 20: GW-03 a sub is mapped to VCP by its syntax
--- send
post('/to-vcp', aee(from => 'agent.carol@ops', type => 'event',
     intent => 'vcp.context_share', payload => vcp()->{payload}),
     as => 'agent.carol@ops')
--- error_code: 202
--- got
/sender = agent://ops/carol



=== TEST 21: GW-03 a sub cannot take the name of a listed principal
--- send
post('/aee', aee(from => 'agent.bob'), as => 'agent.bob')
--- refused: aee sender-identity-mismatch /from



=== TEST 22: GW-03 names from claims
--- send
post('/claims', aee(from => 'agent.fleet-17'),
     token => claims(sub => 'device-17', agent_name => 'agent.fleet-17'))
--- error_code: 202
--- got_headers
Parley-Verified: principal="device-17"; token



=== TEST 23: GW-03 names from nested claims
--- send
post('/claims', sign_vcp(vcp(sender => 'agent://fleet/17'), $main::claimed),
     sign => 0, token => claims(sub => 'device-17',
         names => { vcp => 'agent://fleet/17' }))
--- got
/from = agent.17@fleet



=== TEST 24: GW-03 the sub is not a name if a claim gives one
--- send
post('/claims', aee(from => 'device-17'),
     token => claims(sub => 'device-17', agent_name => 'agent.fleet-17'))
--- refused: aee sender-identity-mismatch /from



=== TEST 25: GW-03 a claim cannot take the name of a listed principal
--- send
post('/claims', aee(from => 'agent.bob'),
     token => claims(sub => 'device-17', agent_name => 'agent.bob'))
--- refused: problem token-invalid agent_name



=== TEST 26: GW-03 a claim cannot rename a listed principal
--- send
post('/claims', aee(from => 'agent.boss'),
     token => claims(sub => 'alice', agent_name => 'agent.boss'))
--- refused: aee sender-identity-mismatch /from



=== TEST 27: GW-03 the claims of one map are not used by another
--- send
my $token = claims(sub => 'device-18', agent_name => 'agent.fleet-18');
[post('/claims', aee(from => 'agent.fleet-18'), token => $token),
 post('/aee', aee(from => 'agent.fleet-18'), token => $token)]
--- refused: aee sender-identity-mismatch /from
--- forwarded: 1



=== TEST 28: GW-03 a sub with quotes cannot forge Parley-Verified
--- send
post('/aee', aee(from => qq(x";signature="ed25519)),
     token => claims(sub => qq(x";signature="ed25519)))
--- error_code: 202
--- got_headers
Parley-Verified: principal="x%22%3Bsignature=%22ed25519"; token



=== TEST 29: GW-03 a sub with a line end is invalid
--- send
post('/aee', aee(from => "x\r\nX-Evil: 1"),
     token => claims(sub => "x\r\nX-Evil: 1"))
--- refused: aee token-invalid sub



=== TEST 30: GW-08 a client's own Parley- headers never arrive
--- send
post('/aee', aee(), headers => ['Parley-Verified' => 'principal="bob"',
     'parley-anything' => '1', 'PARLEY-LOSS' => 'x', 'Parley-' => 'y',
     'X-Kept' => 'yes'])
--- error_code: 202
--- got_headers
Parley-Verified: principal="alice"; token
! Parley-Anything
! Parley-Loss
! Parley-
X-Kept: yes



=== TEST 31: GW-08 a client's own Parley- headers do not arrive without a proof either
--- send
post('/open', aee(), token => 0,
     headers => ['Parley-Verified' => 'principal="bob"'])
--- error_code: 202
--- got_headers
! Parley-Verified



=== TEST 32: GW-03 GW-06 the error for a principal without a name there has its sub and what is missing
--- send
post('/to-channel', aee(from => 'agent.' . 'w' x 40, to => 'agent.bob'),
     as => 'long')
--- refused: aee identity-unmappable /from
--- answer
/payload/message ~ sub "long" has no "handle", and no name of agent-channel can be derived



=== TEST 33: SEC-08 GW-03 no token makes its subject the gateway
--- send
post('/aee', aee(from => 'service.parley'), as => 'service.parley')
--- refused: aee sender-identity-mismatch /from
--- answer
/payload/message ~ "service.parley" is the gateway's own name



=== TEST 34: SEC-08 GW-03 no claim makes a token's subject the gateway
--- send
post('/claims', aee(from => 'service.parley'),
     token => main::claims(sub => 'x9', agent_name => 'service.parley'))
--- refused: aee sender-identity-mismatch /from



=== TEST 35: SEC-08 GW-03 no name that maps to the gateway's, in other case
--- send
post('/claims', aee(from => 'Service.Parley'),
     token => main::claims(sub => 'x9', names => { vcp => 'Service://Parley' }, agent_name => 'Service.Parley'))
--- refused: aee sender-identity-mismatch /from



=== TEST 36: SEC-08 GW-03 no name in the message's protocol
--- send
post('/claims', aee(from => 'agent.x9'),
     token => main::claims(sub => 'x9', agent_name => 'agent.x9',
                           names => { vcp => 'service://parley' }))
--- refused: aee sender-identity-mismatch /from



=== TEST 37: SEC-08 GW-03 no token makes its subject a bus
--- send
post('/aee', aee(from => 'bus.ops'), as => 'bus.ops')
--- refused: aee sender-identity-mismatch /from
--- answer
/payload/message ~ "bus.ops" is the name of a group, which cannot send



=== TEST 38: SEC-08 GW-03 no claim makes a token's subject all peers of VCP
--- send
post('/claims', aee(from => 'agent.x9'),
     token => main::claims(sub => 'x9', agent_name => 'agent.x9',
                           names => { vcp => 'broadcast' }))
--- refused: aee sender-identity-mismatch /from



=== TEST 39: SEC-08 GW-03 without proven callers, a message cannot claim such a name either
--- send
post('/open', aee(from => 'service.parley'), token => 0)
--- refused: aee sender-identity-mismatch /from



=== TEST 40: SEC-08 GW-03 a name that only begins like it is allowed
--- send
post('/aee', aee(from => 'service.parley2'), as => 'service.parley2')
--- error_code: 202
