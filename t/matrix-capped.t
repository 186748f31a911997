# Caps hold for a message that another protocol carries.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

with_gateway(matrix());


# Returns the translation of an urgent task to a protocol.
sub main::carried {
    my ($to, %other) = @_;

    service()->script('took($c, $q)');
    Parley::Client->new(port => port(1))->raw(post("/to-$to", aee(
        from => 'agent.alice', to => 'agent.bob', priority => 'urgent',
        requires => { timeout_ms => 60_000, evidence => true }, %other)));

    return service()->last->{json};
}

run_tests();

__DATA__

=== TEST 1: AEE-28 AEE-29 C2A to AEE: a task in an event
--- send
post('/to-aee-capped', main::carried('c2a'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = task
/priority = normal
/requires = {"evidence":true,"timeout_ms":1000}



=== TEST 2: AEE-29 C2A to AEE: a task in an event without a deadline
--- send
my $m = main::carried('c2a');
delete $m->{params}{attention}{deadlineMs};
post('/to-aee-capped', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/requires = {"evidence":true}
--- answer_headers
Parley-Loss: request=/params/content/1/members/requires/timeout_ms



=== TEST 3: AEE-28 AEE-29 agent-channel to AEE: a task in a text
--- send
post('/to-aee-capped', main::carried('channel'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/type = task
/priority = normal
/requires = {"evidence":true,"timeout_ms":1000}



=== TEST 4: AEE-29 VCP to AEE: a deadline that is not in a member
--- send
post('/to-aee-capped', escalation(severity => 'critical',
                                  requires_ack => true))
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/requires = {"timeout_ms":1000}
/priority = high



=== TEST 5: AEE-28 AEE-29 C2A to AEE: a native event
--- send
post('/to-aee-capped', deliver())
--- service: took($c, $q)
--- error_code: 200
--- got
/priority = normal
/requires = {"timeout_ms":1000}
