# Escalations that nobody acknowledges go up (VCP-24), emergencies at once
# (VCP-27).  Of alice bob is the parent, of bob carol, of carol dave.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port tmp_dir tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;

my %above = (alice => 'bob', bob => 'carol', carol => 'dave');
my ($cert) = tls();

my $service = Parley::Upstream->start(port(2));
my $peer = Parley::Upstream->start(port(3), undef, tls => 1);


sub http {
    my %of = @_;

    return streams_http(
        identities => streams_identities(
            map { my $p = $_;
                  ($p => { parent => $above{$p}, %{ $of{$p} // {} } }) }
                qw(alice bob carol dave)),
        more => 'parley_retain count=100 time=1h; '
                . 'parley_deliver /_deliver hosts=127.0.0.1:' . port(3) . ';',
        locations => <<"EOT");
        location = /in { parley_jwt on; parley_submit vcp aee c2a channel; }
        location = /pausing { parley_jwt on; parley_submit channel;
                              parley_vcp_critical pause; }
        location = /service {
            parley_jwt on;
            parley_accept vcp;
            proxy_pass http://127.0.0.1:%PORT_2%;
            proxy_read_timeout 2s;
        }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b\@1; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location = /control { parley_jwt on; parley_control;
                              parley_allow type=control scope=ops:control; }
        location = /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate $cert;
            proxy_ssl_name localhost;
        }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $status = Parley::Status->new(port => port(1));


sub name { return "agent://ops.example/$_[0]" }

sub alarm_of {
    my ($severity, %other) = @_;

    my $m = escalation(severity => $severity, requires_ack => true);

    return { %$m, sender => name('alice'), recipient => name('bob'), %other };
}

sub send_as {
    my ($who, $m, %o) = @_;

    return submit($m, as => $who, uri => '/in', %o);
}

sub says {
    my ($m, %o) = @_;

    my $answer = send_as('alice', $m, %o);

    is($answer->{status}, 200, 'it is taken') or diag($answer->{body});
    return time;
}

# what is acknowledged by whom, in VCP
sub ack {
    my ($who, $m, %o) = @_;

    my $ack = escalation(severity => $m->{payload}{severity},
                         reason => "ACK:$m->{message_id}");

    return send_as($who, { %$ack, sender => name($who),
                           recipient => name('alice') }, %o);
}

sub taken {
    my ($answer, $what) = @_;

    like($answer->{status}, qr/^20[02]$/, $what) or diag($answer->{body});
}

# the ids of the messages that came by a stream within so many seconds
sub ids {
    my ($stream, $seconds) = @_;

    my @ids;
    my $until = time + $seconds;

    while ((my $left = $until - time) > 0) {
        my $event = $stream->event($left) // last;
        push @ids, $event->{json}{message_id} // $event->{json}{id}
                   // $event->{json}{frame_id};
    }

    return @ids;
}

sub streams { return map { listen_to($_, uri => "/vcp/") } @_ }

sub workers { return split /\n/, `pgrep -P $nginx->{pid}` }

sub ended { return $status->metric("parley_deadlines_total{outcome=\"$_[0]\"}") }

sub free {
    my $client = Parley::Client->new(port => port(1), tls => 0);

    my $held = $client->get('/control', Authorization =>
                            bearer('dave', scope => 'ops:control'));

    for my $s (@{ $held->{json}{suspensions} // [] }) {
        $client->send('DELETE', "/control?sub=$s->{sub}", '', Authorization =>
                      bearer('dave', scope => 'ops:control'));
    }
}


subtest 'VCP-24 what is acknowledged in time goes to nobody else' => sub {
    my ($bob, $carol) = streams(qw(bob carol));
    my $m = alarm_of('critical');

    says($m);
    is_deeply([ids($bob, 1)], [$m->{message_id}], 'the parent has it');
    taken(ack('bob', $m), 'and acknowledges it');
    is_deeply([ids($carol, 5)], [], 'nobody above has it');
    cmp_ok(ended('answered'), '>', 0, 'it is counted');
};

subtest 'VCP-24 what is not goes up after five seconds, and again' => sub {
    my ($alice, $carol, $dave) = streams(qw(alice carol dave));
    my $m = alarm_of('critical');
    my $from = says($m);

    is_deeply([ids($carol, 4.5)], [], 'nothing comes sooner');

    my $event = $carol->event(3);

    is_deeply($event->{json}, $m, 'it comes as it was');
    cmp_ok(time - $from, '<', 7, 'in time');

    is_deeply([ids($dave, 4)], [], 'the next has five seconds, too');
    is_deeply([ids($dave, 3)], [$m->{message_id}], 'and then the next');

    like($nginx->error_log, qr/was not acknowledged and goes up to "carol", from "alice"/,
         'it is logged');
    cmp_ok(ended('raised'), '>=', 2, 'and counted');

    taken(ack('dave', $m), 'whoever is above acknowledges it');
    is_deeply([map { $_->{json}{sender} } $alice->event(2)], [name('dave')],
              'and the child hears of it');
};

subtest 'VCP-24 nobody is above the last' => sub {
    my $before = ended('unacknowledged');
    my $m = alarm_of('critical');

    says($m);
    ok($nginx->wait_for(qr/nobody is above "dave" who can be reached: from "alice", id "$m->{message_id}"/),
       'it is logged');
    is(ended('unacknowledged'), $before + 1, 'and counted');
};

subtest 'VCP-24 the first acknowledgment ends it' => sub {
    my ($carol, $dave) = streams(qw(carol dave));
    my $m = alarm_of('critical');

    says($m);
    is_deeply([ids($carol, 6)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged');

    my $late = ack('bob', $m);

    is($late->{status}, 409, 'the second is too late');
    like($late->{body}, qr/reply-unmatched/, 'and says so');
    is_deeply([ids($dave, 5)], [], 'nobody else gets it');
};

subtest 'VCP-24 VCP-30 nobody else may acknowledge it' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    says($m);

    # alice herself, to herself; and a child of nobody here
    isnt(ack('alice', $m)->{status}, 200, 'not who sent it');

    my $other = alarm_of('critical', sender => name('carol'),
                         recipient => name('dave'));

    taken(send_as('carol', $other), 'one of carol');

    my $below = escalation(severity => 'critical',
                           reason => "ACK:$other->{message_id}");

    isnt(send_as('bob', { %$below, sender => name('bob'),
                          recipient => name('carol') })->{status}, 200,
         'not who is below');
    is_deeply([ids($carol, 6)], [$m->{message_id}], 'it goes up all the same');
    taken(ack('carol', $m), 'the end of it');
    taken(send_as('dave', { %$below, sender => name('dave'),
                            recipient => name('carol') }), 'of both');
};

subtest 'VCP-24 a refusal of the parent acknowledges nothing' => sub {
    my ($carol) = streams('carol');
    my $aee = listen_to('bob', uri => '/aee/');
    my $m = alarm_of('critical');

    says($m);

    my $task = $aee->event(2)->{json};

    is($task->{type}, 'task', 'to a parent that speaks AEE it is a task');
    send_as('bob', failure($task));
    is_deeply([ids($carol, 6)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged there');
};

subtest 'VCP-24 VCP-25 an AEE result acknowledges, of whoever is asked' => sub {
    my ($alice) = streams('alice');
    my ($bob, $carol, $dave) = map { listen_to($_, uri => '/aee/') }
                                   qw(bob carol dave);
    my $m = alarm_of('critical');

    says($m);
    taken(send_as('bob', result($bob->event(2)->{json})), 'of the parent');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(2)],
              ["ACK:$m->{message_id} done"], 'it is an acknowledgment');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');

    $m = alarm_of('critical');
    says($m);

    my $task = $carol->event(7)->{json};

    is($task->{to}, 'agent.bob', 'it is said whom it was for');
    taken(send_as('carol', result($task, from => 'agent.carol')),
          'of who is above');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(2)],
              ["ACK:$m->{message_id} done"], 'the same');
    is_deeply([ids($dave, 5)], [], 'nothing goes on');
};

subtest 'VCP-24 C2A-15 agreeing acknowledges' => sub {
    my ($carol) = streams('carol');
    my $bob = listen_to('bob', uri => '/c2a/');
    my $m = alarm_of('critical');

    says($m);

    my $call = $bob->event(2)->{json};
    my $arguments = $call->{params}{arguments} // $call;
    my $id = $arguments->{id} // $arguments->{messageId} // $call->{id};

    my $react = {
        jsonrpc => '2.0', id => 7, method => 'tools/call',
        params => { name => 'chat.react', arguments => {
            sender => 'agent:bob', target => 'agent:alice',
            recipient => 'agent:alice', inReplyTo => $id, signal => 'agree',
            idempotencyKey => uuid4() } } };

    my $answer = send_as('bob', $react);

    taken($answer, 'bob agrees');
    diag(jcs($call), $answer->{body}) if $answer->{body} =~ /error/;
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

subtest 'VCP-24 C2A-15 agreeing acknowledges what came in AEE, too' => sub {
    my ($alice, $carol) = (listen_to('alice', uri => '/aee/'),
                           streams('carol'));
    my $bob = listen_to('bob', uri => '/c2a/');
    my $task = aee(intent => 'vcp.escalation', priority => 'high',
                   payload => alarm_of('critical')->{payload});

    taken(send_as('alice', $task), 'it is taken');
    $bob->event(2);

    taken(send_as('bob', {
        jsonrpc => '2.0', id => 7, method => 'tools/call',
        params => { name => 'chat.react', arguments => {
            sender => 'agent:bob', target => 'agent:alice',
            recipient => 'agent:alice', inReplyTo => $task->{id},
            signal => 'agree', idempotencyKey => uuid4() } } }), 'bob agrees');
    is($alice->event(2)->{json}{type}, 'result', 'that is the result');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

subtest 'VCP-24 a peer_diagnostic_response acknowledges' => sub {
    my ($carol) = streams('carol');
    my $bob = listen_to('bob');
    my $m = alarm_of('critical');

    says($m);

    my $asked = $bob->event(2)->{json};

    is($asked->{kind}, 'peer_diagnostic_request', 'as a frame it asks');

    my $answer = send_as('bob', frame('bob', 'alice',
        kind => 'peer_diagnostic_response',
        payload => { diagnostic_id => $asked->{payload}{diagnostic_id},
                     finding => 'seen' }));

    taken($answer, 'bob answers');
    diag(jcs($asked)) if $answer->{status} != 200;
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

sub report {
    my ($from, $to, %other) = @_;

    return frame($from, $to, kind => 'peer_diagnostic_request',
                 payload => { diagnostic_id => uuid4(),
                              symptom => 'disk is full',
                              severity => 'blocked' }, %other);
}

subtest 'VCP-24 VCP-30 a frame is an escalation to the own parent alone' =>
sub {
    my ($bob, $carol, $dave) = map { listen_to($_) } qw(bob carol dave);
    my $m = report('alice', 'bob');

    taken(send_as('alice', report('alice', 'dave')), 'to a peer');
    taken(send_as('bob', report('bob', 'alice')), 'to a child');
    taken(send_as('alice', $m), 'to the parent');
    is(scalar ids($dave, 1), 1, 'the peer has it');
    is_deeply([ids($bob, 1)], [$m->{frame_id}], 'the parent, too');
    is_deeply([ids($carol, 5)], [$m->{frame_id}], 'what the parent got goes up');
    is_deeply([ids($dave, 1)], [], 'nothing else does');
    taken(send_as('carol', frame('carol', 'alice',
        kind => 'peer_diagnostic_response',
        payload => { diagnostic_id => $m->{payload}{diagnostic_id},
                     finding => 'seen' })), 'it is acknowledged');
};

subtest 'VCP-26 an escalation of who is suspended passes as a frame' => sub {
    my $m = alarm_of('emergency');

    taken(send_as('alice', $m), 'an emergency');
    taken(ack('bob', $m), 'which is acknowledged');

    my $answer = send_as('alice', frame('alice', 'bob'));

    is($answer->{json}{code}, 'agent-suspended', 'a frame does not pass');
    $answer = send_as('alice', report('alice', 'dave'));
    is($answer->{json}{code}, 'agent-suspended', 'nor a report to a peer');
    taken(send_as('alice', report('alice', 'bob', payload => {
        diagnostic_id => uuid4(), symptom => 'still full',
        severity => 'info' })), 'one to the parent does');
    free();
};

subtest 'VCP-28 what a frame reports pauses its sender' => sub {
    my $m = report('alice', 'bob');

    taken(send_as('alice', $m, uri => '/pausing'), 'a report');

    my $answer = send_as('alice', frame('alice', 'bob'));

    is($answer->{json}{code}, 'agent-suspended', 'who made it is paused');
    taken(send_as('bob', frame('bob', 'alice',
        kind => 'peer_diagnostic_response',
        payload => { diagnostic_id => $m->{payload}{diagnostic_id},
                     finding => 'seen' })), 'it is acknowledged');
    free();
};

subtest 'VCP-27 an emergency goes up at once' => sub {
    my ($bob, $carol, $dave) = streams(qw(bob carol dave));
    my $m = alarm_of('emergency');

    says($m);
    is_deeply([ids($bob, 1)], [$m->{message_id}], 'the parent has it');
    is_deeply([ids($carol, 0.5)], [$m->{message_id}],
              "and the parent's parent, once");
    is_deeply([ids($dave, 2)], [], 'nobody else yet');
    taken(ack('bob', $m), 'the parent acknowledges it');
    is_deeply([ids($dave, 5)], [], 'and it ends');
    is_deeply([ids($carol, 0.1)], [], 'there, too');
    like($nginx->error_log, qr/an emergency goes up to "carol", from "alice"/,
         'it is logged');
    free();
};

subtest 'VCP-24 VCP-27 nobody acknowledges an emergency' => sub {
    my ($carol, $dave) = streams(qw(carol dave));
    my $m = alarm_of('emergency');

    says($m);
    is_deeply([ids($carol, 1)], [$m->{message_id}], "the parent's parent");
    is_deeply([ids($dave, 6)], [$m->{message_id}], 'five seconds later, his');
    taken(ack('dave', $m), 'the end of it');
    free();
};

subtest 'VCP-24 VCP-27 one that AEE calls an event goes up, too' => sub {
    my ($bob, $carol) = streams(qw(bob carol));

    my $event = sub {
        my ($severity, %other) = @_;

        return aee(type => 'event', intent => 'vcp.escalation',
                   payload => alarm_of($severity)->{payload}, %other);
    };

    taken(send_as('alice', $event->('critical')), 'what is critical');

    my $m = $bob->event(2)->{json};

    ok($m->{payload}{requires_ack}, 'the parent is to acknowledge it');
    is_deeply([ids($carol, 4)], [], 'nothing comes sooner');
    is_deeply([ids($carol, 3)], [$m->{message_id}], 'it goes up');
    taken(ack('bob', $m), 'and is acknowledged');

    taken(send_as('alice', $event->('emergency')), 'an emergency');
    $m = $bob->event(2)->{json};
    is_deeply([ids($carol, 1)], [$m->{message_id}], 'goes up at once');
    taken(ack('bob', $m), 'and is acknowledged');
    free();

    taken(send_as('alice', $event->('warning')), 'a warning');
    is(scalar ids($bob, 1), 1, 'the parent has it');
    is_deeply([ids($carol, 5.5)], [], 'and nobody else');
};

subtest 'VCP-24 what is sent on to a service that is down' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    $service->script('$c->answer(503, [], "{}")');

    my $answer = submit($m, as => 'alice', uri => '/service');

    isnt($answer->{status}, 200, 'the child is told so');

    # it tries again, as it may
    submit($m, as => 'alice', uri => '/service');

    is_deeply([ids($carol, 4)], [], 'nothing comes sooner');
    is_deeply([ids($carol, 4)], [$m->{message_id}],
              'once, however often it was tried');
};

subtest 'VCP-24 what a service took, and did not acknowledge' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    $service->script('$c->take');
    taken(submit($m, as => 'alice', uri => '/service'), 'it is taken');
    is_deeply([ids($carol, 6.5)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged');

    $m = alarm_of('critical');
    taken(submit($m, as => 'alice', uri => '/service'), 'another');
    taken(ack('bob', $m), 'which the parent acknowledges');
    is_deeply([ids($carol, 5.5)], [], 'goes to nobody');
};

subtest 'VCP-27 an emergency whose service hangs' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('emergency');

    $service->script('$c->pause(10)');

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $from = time;
    my $hangs = $client->begin('/service', jcs($m),
                               Authorization => bearer('alice'),
                               'Content-Type' => 'application/json');

    is($carol->event(2)->{json}{message_id}, $m->{message_id}, 'it goes up');
    cmp_ok(time - $from, '<', 1.5, 'nobody waits for the service');
    $hangs->answer;
    free();
};

subtest 'VCP-24 the worker that has it is killed' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    says($m);

    for (1 .. 4) {
        sleep 1;
        kill KILL => (workers())[0];
    }

    # the stream may have gone with its worker
    my @ids;
    my $until = time + 8;

    while (!@ids && time < $until) {
        my $again = eval { listen_to('carol', uri => '/vcp/',
                                     last => $carol->opened->{id}) };
        @ids = grep { ($_ // "") eq $m->{message_id} } ids($again, 0.5) if $again;
        sleep 0.2;
    }

    ok(scalar @ids, 'it goes up all the same');
};

$nginx->stop;
$nginx = Parley::Nginx->start(workers => 2, http => http(
    carol => { deliver => 'https://127.0.0.1:' . port(3) . '/carol',
               speaks => 'aee' }));

subtest 'VCP-24 whoever is above is reached by a URL' => sub {
    my $m = alarm_of('critical');

    $peer->script('$c->take');
    says($m);

    ok($peer->wait_for(1, 9), 'it is delivered');

    my $task = from_json(($peer->requests)[0]{body});

    is($task->{type}, 'task', 'in the protocol that is spoken there');
    taken(send_as('carol', result($task, from => 'agent.carol')),
          'and acknowledged');
    sleep 6;
    is(scalar(my @all = $peer->requests), 1, 'once');
};

subtest 'VCP-24 a stream is before a URL' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('emergency');

    $peer->clear;
    says($m);
    is_deeply([ids($carol, 1)], [$m->{message_id}], 'by the stream');
    is(scalar(my @all = $peer->requests), 0, 'by nothing else');
};

done_testing();
