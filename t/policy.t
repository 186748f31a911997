# Rules for scopes, roles, types, intents and recipients.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

my %policy = (
    '/scope'  => 'parley_allow scope=ops:run;',
    '/two'    => 'parley_allow scope=ops:run|ops:admin;',
    '/intent' => 'parley_allow intent=ops.**;',
    '/label'  => 'parley_allow intent=ops.*.run;',
    '/type'   => 'parley_allow type=event|result;',
    '/to'     => 'parley_allow to=agent.bob;',
    '/role'   => 'parley_allow role=ops;',
    '/who'    => 'parley_allow principal=bob;',
    '/order'  => 'parley_deny intent=ops.secret.**; parley_allow intent=ops.**; '
               . 'parley_allow scope=notes type=event;',
    '/late'   => 'parley_allow intent=ops.**; parley_deny intent=ops.secret.**;',
    '/deny'   => 'parley_deny principal=bob;',
    '/all'    => 'parley_deny principal=bob; parley_allow principal=**;',
    '/vcp-only' => 'parley_allow protocol=vcp;',
);

with_gateway(add => join('', map {
    location($_, 'parley_accept aee vcp; parley_speak aee; parley_jwt on; '
               . $policy{$_})
} sort keys %policy) . <<"EOT");
    location /outer/ {
        parley_accept aee; parley_jwt on;
        parley_allow intent=ops.**;

        location /outer/inherits { proxy_pass http://127.0.0.1:${\ port(2)}; }
        location /outer/replaces {
            parley_allow intent=notes.**;
            proxy_pass http://127.0.0.1:${\ port(2)};
        }
    }
EOT

run_tests();

__DATA__

=== TEST 1: GW-04 a scope that the token grants
--- send
post('/scope', aee())
--- error_code: 202



=== TEST 2: GW-04 a scope that the token lacks
--- send
post('/scope', aee(), token => bearer('alice', scope => 'notes ops:runner'))
--- refused: aee scope-unauthorised



=== TEST 3: GW-04 a token without scopes
--- send
post('/scope', aee(), token => bearer('alice', scope => undef))
--- refused: aee scope-unauthorised



=== TEST 4: GW-04 scopes as a list
--- send
post('/scope', aee(), token => bearer('alice', scope => ['x', 'ops:run']))
--- error_code: 202



=== TEST 5: GW-04 one of two scopes
--- send
post('/two', aee(), token => bearer('alice', scope => 'ops:admin'))
--- error_code: 202



=== TEST 6: AEE-19 an intent that a rule grants
--- send
post('/intent', aee(intent => 'ops.backup.run.now'))
--- error_code: 202



=== TEST 7: AEE-19 an intent that no rule grants is refused and named
--- send
post('/intent', aee(intent => 'finance.pay'))
--- refused: aee intent-refused /intent



=== TEST 8: AEE-19 an intent that only begins like a granted one
--- send
post('/intent', aee(intent => 'opsy.backup'))
--- refused: aee intent-refused /intent



=== TEST 9: AEE-19 one star is one label
--- send
post('/label', aee(intent => 'ops.backup.run'))
--- error_code: 202



=== TEST 10: AEE-19 one star is not two labels
--- send
post('/label', aee(intent => 'ops.backup.db.run'))
--- refused: aee intent-refused /intent



=== TEST 11: SEC-04 rules compare intents without regard to ASCII case
--- send
post('/label', aee(intent => 'ops.backup.RUN'))
--- error_code: 202



=== TEST 12: GW-04 a type that a rule grants
--- send
post('/type', aee(type => 'event'))
--- error_code: 202



=== TEST 13: GW-04 a type that no rule grants
--- send
post('/type', aee())
--- refused: aee policy-refused



=== TEST 14: GW-04 a recipient that a rule grants
--- send
post('/to', aee())
--- error_code: 202



=== TEST 15: GW-04 a recipient that no rule grants
--- send
post('/to', aee(to => 'agent.lead'))
--- refused: aee policy-refused



=== TEST 16: GW-04 a role from the directory
--- send
post('/role', aee())
--- error_code: 202



=== TEST 17: GW-04 a role that the principal does not have
--- send
post('/role', aee(from => 'agent.bob'), as => 'bob')
--- refused: aee policy-refused



=== TEST 18: GW-04 a principal by name
--- send
post('/who', aee(from => 'agent.bob'), as => 'bob')
--- error_code: 202



=== TEST 19: GW-04 another principal
--- send
post('/who', aee())
--- refused: aee policy-refused



=== TEST 20: GW-04 the first rule that matches decides: deny before allow
--- send
post('/order', aee(intent => 'ops.secret.read'))
--- refused: aee policy-refused



=== TEST 21: GW-04 the first rule that matches decides: allow before deny
--- send
post('/late', aee(intent => 'ops.secret.read'))
--- error_code: 202



=== TEST 22: GW-04 all words of a rule must match
--- send
post('/order', aee(intent => 'notes.add', type => 'event'))
--- error_code: 202



=== TEST 23: GW-04 one rule, even a deny, makes deny the default
--- send
post('/deny', aee())
--- refused: aee policy-refused



=== TEST 24: GW-04 a rule for all principals grants everything
--- send
post('/all', aee(intent => 'anything.goes'))
--- error_code: 202



=== TEST 25: GW-04 a denied principal
--- send
post('/all', aee(from => 'agent.bob'), as => 'bob')
--- refused: aee policy-refused



=== TEST 26: GW-04 without a rule everything passes
--- send
post('/aee', aee(intent => 'anything.goes'))
--- error_code: 202



=== TEST 27: GW-04 a protocol that a rule grants
--- send
post('/vcp-only', vcp())
--- answer
/status = accepted



=== TEST 28: GW-04 a protocol that no rule grants
--- send
post('/vcp-only', aee())
--- refused: aee policy-refused



=== TEST 29: AEE-19 a VCP message has its own intent
--- send
post('/intent', vcp())
--- refused: vcp intent-refused /type



=== TEST 30: GW-04 rules are inherited
--- send
post('/outer/inherits', aee(intent => 'notes.add'))
--- refused: aee intent-refused /intent



=== TEST 31: GW-04 rules of a location replace those around it
--- send
post('/outer/replaces', aee())
--- refused: aee intent-refused /intent



=== TEST 32: GW-04 a refused message may be sent again where it is allowed
--- send
my $m = aee();
[post('/outer/replaces', $m), post('/outer/inherits', $m)]
--- error_code: 202
