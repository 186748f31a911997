# An answer that is submitted again unchanged is a duplicate.  The first one
# closed its question, and its sender may not have received the response.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port);
use Parley::Family;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [family_principals('')] }),
    locations => <<'EOT'));
        location = /in { parley_jwt on; parley_submit vcp aee channel; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b@1; }
        location /aee/ { parley_jwt on; parley_stream aee; }
EOT

my ($alice) = streams('alice');


subtest 'VCP-13 VCP-25 an acknowledgment' => sub {
    my $m = alarm_of('critical');

    says($m);

    my %ack = (%{ escalation(severity => 'critical',
                             reason => "ACK:$m->{message_id}") },
               sender => name('bob'), recipient => name('alice'));

    taken(send_as('bob', \%ack), 'it is taken');
    is_deeply([ids($alice, 1)], [$ack{message_id}], 'and comes');

    my $again = send_as('bob', \%ack);

    is($again->{status}, 200, 'again it is a duplicate');
    is($again->{json}{status}, 'duplicate', 'and is told so');

    my $other = send_as('bob', { %ack, payload => { %{ $ack{payload} },
                                                    context => 'another' } });

    is($other->{status}, 409, 'unless it says something else');
    $other = send_as('bob', { %ack, message_id => uuid7() });
    is($other->{json}{code}, 'reply-unmatched', 'a second one is none');
    $other = send_as('carol', { %ack, sender => name('carol') });
    isnt($other->{status}, 200, 'nor is it one of somebody else');
    is_deeply([ids($alice, 1)], [], 'nothing came but that');
};


subtest 'AEE-16 a result' => sub {
    my $own = listens('alice', uri => '/aee/');
    my $task = aee();

    taken(send_as('alice', $task), 'a task');

    my $result = result($task);

    taken(send_as('bob', $result), 'its result');
    is($own->event(3)->{json}{id}, $result->{id}, 'comes');

    my $again = send_as('bob', $result);

    is($again->{json}{payload}{code}, 'E_MESSAGE_DUPLICATE', 'again');
    $again = send_as('bob', result($task));
    is($again->{json}{payload}{code}, 'E_REPLY_UNMATCHED', 'another is none');
    is_deeply([ids($own, 1)], [], 'nothing came but that');
};


subtest 'VCP-26 an acknowledgment of a suspended principal' => sub {
    my $own = listens('bob', uri => '/aee/');
    my $m = alarm_of('critical');

    says($m);

    my $task;

    # skips messages of earlier tests that were waiting for bob
    do {
        $task = ($own->event(5))[0]{json};
    } until !$task || $task->{id} eq $m->{message_id};

    my $result = result($task);
    my $other = alarm_of('emergency', sender => name('bob'),
                         recipient => name('carol'));

    taken(send_as('bob', $other), 'an emergency suspends who is to answer');
    taken(send_as('bob', $result), 'it answers all the same');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(3)],
              ["ACK:$m->{message_id} done"], 'that is an acknowledgment');

    my $again = send_as('bob', $result);

    is($again->{json}{payload}{code}, 'E_MESSAGE_DUPLICATE', 'again');
    $again = send_as('bob', result($task));
    is($again->{json}{payload}{code}, 'E_REPLY_UNMATCHED', 'another is none');
    $again = send_as('bob', aee(from => 'agent.bob', to => 'agent.alice'));
    is($again->{json}{payload}{code}, 'E_AGENT_SUSPENDED',
       'nothing else passes');
    taken(ack('carol', $other), 'the end of it');
    taken(send_as('carol', vcp(type => 'context_share', sender => name('carol'),
                               recipient => name('bob'))), 'it is resumed');
};


subtest 'ACH-19 a frame' => sub {
    # only by a stream of frames: VCP has no equivalent

    $alice->leave;

    my $own = listens('alice');
    my $query = frame('alice', 'bob', kind => 'peer_diagnostic_request',
                      payload => { diagnostic_id => uuid4(),
                                   symptom => 'slow', severity => 'info' });
    my $response = frame('bob', 'alice', kind => 'peer_diagnostic_response',
                         payload => {
        diagnostic_id => $query->{payload}{diagnostic_id}, finding => 'no' });

    taken(send_as('alice', $query), 'a question');
    taken(send_as('bob', $response), 'its answer');

    my $again = send_as('bob', $response);

    is($again->{status}, 200, 'again it is a duplicate');
    is($again->{json}{delivered}, 0, 'which told nobody');
    is_deeply([ids($own, 1)], [$response->{frame_id}], 'it came once');
};

done_testing();
