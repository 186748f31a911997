# Commands of MoQ that are published: a reader of each protocol gets the
# command in its own, and its answer comes back as a command.  Commands that no
# reader can get are refused.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @readers = qw(aee vcp vcp2 c2a channel);

# alice is the parent of bob, for escalations
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    submit => 'moq aee vcp vcp2 c2a channel',
    identities => streams_identities(bob => { parent => 'alice' }),
    more => 'parley_retain count=100 time=1h; parley_vcp_context ctx|hub;',
    locations => 'location = /ask { parley_jwt on; '
               . 'parley_submit moq aee vcp vcp2 c2a channel hold=20s; }'
               . join '', map { "location /read/$_ { parley_jwt on; "
                              . "parley_stream $_; }" } @readers));

my $client = Parley::Client->new(port => port(1), tls => 0);


sub command { return Parley::Matrix::command(@_) }


sub to {
    my ($name, $m, $as, $uri) = @_;

    return $client->post(($uri // '/channel/frames')
                         . (defined $name ? "?recipient=$name" : ''), jcs($m),
                         Authorization => bearer($as // 'alice'));
}


# Returns an open stream of a principal in a protocol.
sub reads {
    my ($protocol, $who) = @_;

    my %name = (aee => 'agent.', c2a => 'agent:', channel => '~',
                vcp => 'agent:%2F%2Fops.example%2F',
                vcp2 => 'agent:%2F%2Fops.example%2F');

    $who //= 'bob';

    return listen_to($who, uri => "/read/$protocol/$name{$protocol}$who");
}


# Sends a command to bob, and returns the connection, on which the request is
# held.
sub ask {
    my $m = shift;

    my $connection = $client->connect;

    $connection->write($client->request('POST', '/ask?recipient=bob', jcs($m),
                                        Authorization => bearer('alice')));

    return $connection;
}


# Returns the answer of a reader to a request in its protocol.
sub answer_to {
    my ($protocol, $m) = @_;

    return result($m, payload => { text => 'it ran' }) if $protocol eq 'aee';

    return Parley::Matrix::say(
        inReplyTo => $m->{params}{eventId}, text => 'it ran',
        target => { id => $m->{params}{conversation}{id}, kind => 'dm',
                    recipient => 'agent:alice' })
        if $protocol eq 'c2a';

    return frame('bob', 'alice', kind => 'agent_response',
                 payload => { query_id => $m->{payload}{query_id},
                              responder_session_id => 's-1',
                              response_text => 'it ran' });
}


my %got = (
    aee => sub {
        my $m = shift;

        is($m->{type}, 'task');
        is($m->{intent}, 'moq.cmd.backup.run');
        is($m->{from}, 'agent.alice');
        is($m->{payload}{text}, 'do it');
    },
    c2a => sub {
        my $m = shift;

        is($m->{params}{attention}{policy}, 'must_respond');
        is($m->{params}{author}{id}, 'alice');
        is($m->{params}{content}[1]{mediaType}, 'application/vnd.moq+json');
        is($m->{params}{content}[1]{form}, 'backup.run');
    },
    channel => sub {
        my $m = shift;

        is($m->{kind}, 'agent_query');
        is($m->{sender_handle}, '~alice');
        is($m->{provenance_basis}, 'moq');
        like($m->{payload}{query_text}, qr/^do it\n\nmoq\.backup\.run\n/);
    });

for my $protocol (sort keys %got) {
    subtest "MOQ-19 GW-37 a command for a reader of $protocol" => sub {
        my $bob = reads($protocol);
        is($bob->status, 200) or return diag($bob->answer->{body});

        my $m = command('backup.run');
        my $connection = ask($m);
        my $event = $bob->event;

        ok($event, 'is delivered') or return;
        $got{$protocol}->($event->{json});

        my $told = $client->post('/channel/frames',
                                 jcs(answer_to($protocol, $event->{json})),
                                 Authorization => bearer('bob'));

        ok($told->{status} < 300, 'it is answered') or diag($told->{body});

        my $answer = $connection->answer;

        is($answer->{status}, 200, 'the caller gets the answer')
            or diag($answer->{body});
        is($answer->{json}{action}, 'backup.run');
        is($answer->{json}{session_id}, $m->{session_id});
        is($answer->{json}{status}, 'approved');
        is($answer->{json}{$protocol}{sender} // 'bob', 'bob');
        $bob->leave;
    };
}


for my $protocol (qw(vcp vcp2)) {
    subtest "MOQ-19 GW-37 a command for a reader of $protocol alone is refused"
        => sub
    {
        my $bob = reads($protocol);
        is($bob->status, 200) or return diag($bob->answer->{body});

        my $answer = ask(command('backup.run'))->answer;

        is($answer->{status}, 422) or diag($answer->{body});
        is($answer->{json}{status}, 'error');
        is($answer->{json}{payload}{code}, 'translation-unsupported');
        is($answer->{json}{payload}{field}, '/action');
        is($bob->event(1), undef, 'and delivers nothing');
        $bob->leave;
    };

    subtest "MOQ-19 GW-37 a command that carries a message of $protocol" => sub {
        my $alice = reads($protocol, 'alice');
        is($alice->status, 200) or return diag($alice->answer->{body});

        my $v = escalation(severity => 'critical',
                           requires_ack => JSON::PP::true);
        my %capsule = (form => 'escalation', id => $v->{message_id},
                       created => $v->{timestamp}, sender => 'bob',
                       recipient => 'alice', priority => 'high');
        my $answer = to(undef, command('vcp.escalation',
            payload => $v->{payload}, $protocol => \%capsule), 'bob');

        ok($answer->{status} < 300, 'is taken') or diag($answer->{body});

        my $event = $alice->event;

        is($event->{json}{type}, 'escalation', 'and is that message');
        is($event->{json}{message_id}, $v->{message_id});
        is($event->{json}{sender}, 'agent://ops.example/bob');
        is_deeply($event->{json}{payload}, $v->{payload});

        $answer = to(undef, command('vcp.escalation',
            payload => $v->{payload},
            $protocol => { %capsule, id => uuid7(), sender => 'carol' }), 'bob');

        is($answer->{json}{payload}{code}, 'sender-identity-mismatch',
           'another sender is refused');
        is($answer->{json}{payload}{field}, "/$protocol/sender");
        $alice->leave;
    };
}


subtest 'GW-03 MOQ-19 a capsule names no other sender' => sub {
    my $bob = reads('aee');
    my %capsule = (form => 'task', id => uuid7(), recipient => 'bob',
                   created => '2026-11-30T05:43:59Z', sender => 'alice');

    # the commands embed nothing, so a reader of MoQ would get them unchanged
    my %lacks = (created => { created => '' }, a_reply_to => { reply_to => 5 },
                 the_intent => { intent => 'ops.other' });

    for my $lack (sort keys %lacks) {
        for my $sender ('carol', 'agent.alice', 5, undef) {
            my $answer = to('bob', command('backup.run', aee => {
                %capsule, %{ $lacks{$lack} }, sender => $sender }));

            is($answer->{status}, 403, "$lack, sender " . ($sender // 'null'));
            is($answer->{json}{payload}{code}, 'sender-identity-mismatch');
            is($answer->{json}{payload}{field}, '/aee/sender');
        }

        is(to('bob', command('backup.run', vcp => { sender => 'carol' },
                             aee => { %capsule, %{ $lacks{$lack} } }))
           ->{json}{payload}{field}, '/vcp/sender', 'nor another capsule');
    }

    my $answer = to('bob', command('backup.run', channel => {
        sender => 'alice', members => { sender_handle => '~carol' } }));

    is($answer->{json}{payload}{field}, '/channel/members', 'nor by a member');
    is($bob->event(1), undef, 'nothing is delivered');

    my $connection = ask(command('backup.run', aee => { %capsule,
                                                        intent => 'ops.other' }));

    ok($bob->event, 'one of the principal is');
    $connection->leave;
    $bob->leave;
};


subtest 'MOQ-19 GW-37 session commands are not published' => sub {
    my $bob = reads('aee');

    for my $m (command('session_bye'),
               command('session_init', auth_token => 'secret'),
               command('subscribe_request', track_name => 't',
                       subscriber_id => 's'))
    {
        my $answer = to('bob', $m);

        is($answer->{status}, 422, $m->{action}) or diag($answer->{body});
        is($answer->{json}{payload}{code}, 'translation-unsupported');
        is($answer->{json}{payload}{field}, '/action');
    }

    is($bob->event(1), undef, 'nothing is delivered');
    $bob->leave;
};


subtest 'MOQ-19 GW-37 a credential is not delivered' => sub {
    my %reader = map { $_ => reads($_) } sort keys %got;
    my $connection = ask(command('backup.run', auth_token => 'a-secret-token'));

    for my $protocol (sort keys %reader) {
        my $event = $reader{$protocol}->event;

        ok($event, "$protocol gets it") or next;
        unlike($event->{data}, qr/secret/, 'without it');
        $reader{$protocol}->leave;
    }

    $connection->leave;
};


done_testing();
