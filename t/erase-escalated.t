# ACH-28: the recipient cannot delete a message that waits for an answer with a
# deadline (VCP-24, AEE-29).  An escalation that was raised (VCP 6.2) can be
# deleted only by the principal that it was raised to, and only there.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Family;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [family_principals(1),
                                       family_principals(2)] }),
    more => 'parley_retain count=100 time=1h; parley_self service.parley;',
    locations => <<'EOT'));
        location = /in { parley_jwt on; parley_submit vcp aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp; }
        location /aee/ { parley_jwt on; parley_stream aee; }
EOT
my $client = Parley::Client->new(port => port(1), tls => 0);

family(1);


sub erased {
    my ($by, $of, $id) = @_;

    return $client->send('DELETE', '/channel/stream/~' . who($of) . "?id=$id",
                         '', Authorization => bearer(who($by)))
               ->{json}{erased};
}


sub fetched {
    my ($by, $id) = @_;

    return send_as($by, aee(from => who("agent.$by"), to => 'service.parley',
                            intent => 'aee.context.fetch',
                            payload => { id => $id }))->{json}{type};
}


subtest 'ACH-28 VCP-24 an escalation' => sub {
    my ($bob, $carol) = streams(qw(bob carol));
    my $m = alarm_of('critical');
    my $id = $m->{message_id};

    says($m);
    is($bob->event(8)->{json}{message_id}, $id, 'it comes to bob');
    is(erased('bob', 'bob', $id), 0, 'who cannot have it forgotten');
    is($carol->event(8)->{json}{message_id}, $id, 'it comes to carol');
    is(erased('carol', 'carol', $id), 0, 'nor can she');
    taken(ack('carol', $m), 'she acknowledges it');

    is(fetched('carol', $id), 'error', 'carol may not fetch it');
    is(erased('carol', 'carol', $id), 1, 'she deletes what came to her');
    is(fetched($_, $id), 'result', "$_ may fetch it still") for qw(alice bob);

    is(erased('bob', 'bob', $id), 1, 'bob deletes what was for him');
    is(fetched($_, $id), 'error', "which $_ may fetch no more")
        for qw(alice bob);
};


subtest 'ACH-28 AEE-29 a task with a deadline' => sub {
    family(2);

    my $bob = listens('bob', uri => '/aee/');
    my $alice = listens('alice', uri => '/aee/');
    my @tasks = map { aee(from => who('agent.alice'), to => who('agent.bob'),
                          requires => { timeout_ms => $_ }) } 1500, 60000;

    for my $task (@tasks) {
        is(send_as('alice', $task)->{status}, 202);
        is($bob->event(5)->{json}{id}, $task->{id}, 'it comes to bob');
        is(erased('bob', 'bob', $task->{id}), 0, 'who cannot delete it yet');
    }

    is(erased('alice', 'bob', $tasks[1]{id}), 1, 'who sent it can');

    my $told = $alice->event(5)->{json};

    is($told->{payload}{code}, 'E_TIMEOUT', 'it is told that nobody answered');
    is($told->{reply_to}, $tasks[0]{id});
    is(erased('bob', 'bob', $tasks[0]{id}), 1, 'now bob deletes it');
};

$nginx->stop;

done_testing;
