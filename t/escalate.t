# Escalations without an acknowledgment are raised (VCP-24), emergencies at
# once (VCP-27).  The parent of alice is bob, the parent of bob is carol, and
# the parent of carol is dave.  They are a family, and each case has its own
# family, so that all cases wait together.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir);
use Parley::Family;
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Together;
use Parley::Upstream;

use constant FAMILIES => 27;

# family of this process
my $family = 0;

# services that accept everything, are down, hang, and acknowledge; and peers,
# whose URLs the last families have
my $service = Parley::Upstream->start(port(2));
my $down = Parley::Upstream->start(port(6), '$c->answer(503, [], "{}")');
my $hung = Parley::Upstream->start(port(7), '$c->pause(10)');
my $answers = Parley::Upstream->start(port(9),
                                      '$c->answer(200, [], jcs(result($q->{json})))');
my %peer = map { (FAMILIES - $_,
                  Parley::Upstream->start(port((3, 8, 10)[$_]), undef,
                                          tls => 1)) } 0 .. 2;


sub principals {
    my $n = shift;

    return family_principals($n, carol => !$peer{$n} ? {}
        : { deliver => "https://127.0.0.1:$peer{$n}{port}/carol",
            speaks => 'aee' });
}

sub http {
    my $services = join '', map { <<"EOT" } 2, 6, 7;
        location = /service/$_ {
            parley_jwt on;
            parley_accept vcp;
            proxy_pass http://127.0.0.1:%PORT_$_%;
            proxy_read_timeout 2s;
        }
EOT

    $services .= <<'EOT';
        location = /service/aee {
            parley_jwt on;
            parley_accept vcp;
            parley_speak aee;
            parley_vcp_context ctx|deliver;
            parley_vcp_constitution creed://a/b@1;
            proxy_pass http://127.0.0.1:%PORT_9%;
        }
EOT

    return streams_http(
        identities => jcs({ principals =>
                                [map { principals($_) } 1 .. FAMILIES] }),
        more => 'parley_retain count=100 time=1h; parley_deliver /_deliver hosts='
                . join(',', map { "127.0.0.1:$_->{port}" } values %peer) . ';',
        locations => deliver_location() . <<"EOT");
        $services
        location = /in { parley_jwt on; parley_submit vcp aee c2a channel; }
        location = /held { parley_jwt on; parley_submit vcp hold=4s; }
        location = /pausing { parley_jwt on; parley_submit channel;
                              parley_vcp_critical pause; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b\@1; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $status = Parley::Status->new(port => port(1));


sub serve_as { return submit($_[1], as => who('alice'), uri => "/service/$_[0]") }

sub workers { return $nginx->workers }

sub ended { return $status->metric("parley_deadlines_total{outcome=\"$_[0]\"}") }

# Checks that the error log has the pattern, or gets it.
sub logs {
    my ($pattern, $name) = @_;

    my $until = time + 30;

    sleep 0.1 while !$nginx->logged($pattern) && time < $until;
    ok($nginx->logged($pattern), $name);
}


# cases that wait together, each in its own family
my ($families, @cases) = (0);

sub case {
    my ($name, $code, $number) = @_;

    $number //= ++$families;
    push @cases, $name, sub { family($family = $number); $code->() };
}


case 'VCP-24 an escalation acknowledged in time is not raised' => sub {
    my ($bob, $carol) = streams(qw(bob carol));
    my $m = alarm_of('critical');

    says($m);
    is_deeply([ids($bob, 2)], [$m->{message_id}], 'the parent has it');
    taken(ack('bob', $m), 'and acknowledges it');
    is_deeply([ids($carol, 5)], [], 'nobody above has it');
    cmp_ok(ended('answered'), '>', 0, 'it is counted');
};

case 'VCP-24 an escalation without an acknowledgment is raised after five seconds, and again' => sub {
    my ($alice, $carol, $dave) = streams(qw(alice carol dave));
    my $m = alarm_of('critical');
    my $from = says($m);

    is_deeply([ids($carol, 4.5)], [], 'nothing comes sooner');

    my $event = $carol->event(6);

    is_deeply($event->{json}, $m, 'it comes as it was');
    cmp_ok(time - $from, '<', 7, 'in time');

    is_deeply([ids($dave, 3.5)], [], 'the next has five seconds, too');
    is_deeply([ids($dave, 4)], [$m->{message_id}], 'and then the next');

    like($nginx->error_log, qr/was not acknowledged and goes up to "@{[
         who('carol') ]}", from "@{[ who('alice') ]}"/, 'it is logged');
    cmp_ok(ended('raised'), '>=', 2, 'and counted');

    taken(ack('dave', $m), 'whoever is above acknowledges it');
    is_deeply([map { $_->{json}{sender} } $alice->event(10)], [name('dave')],
              'and the child hears of it');
};

case 'VCP-24 the last principal has no parent' => sub {
    my $before = ended('unacknowledged');
    my $m = alarm_of('critical');

    says($m);
    logs(qr/no principal above "@{[ who('dave') ]}" can be reached, from "@{[
         who('alice') ]}", id "$m->{message_id}"/, 'it is logged');
    is(ended('unacknowledged'), $before + 1, 'and counted');
};

case 'VCP-24 the first acknowledgment ends the escalation' => sub {
    my ($carol, $dave) = streams(qw(carol dave));
    my $m = alarm_of('critical');

    says($m);
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged');

    my $late = ack('bob', $m);

    is($late->{status}, 409, 'the second is too late');
    like($late->{body}, qr/reply-unmatched/, 'and says so');
    is_deeply([ids($dave, 5)], [], 'nobody else gets it');
};

case 'VCP-25 an acknowledgment that is not asked for' => sub {
    my ($alice, $carol) = streams(qw(alice carol));

    for my $severity (qw(info warning)) {
        my $m = alarm_of($severity);

        $m->{payload}{requires_ack} = JSON::PP::false;
        says($m);
        isnt(ack('carol', $m)->{status}, 200, 'not of who was not told');
        taken(ack('bob', $m), "of $severity");
        is_deeply([map { $_->{json}{payload}{reason} } $alice->event(3)],
                  ["ACK:$m->{message_id}"], 'its sender has it');
        is(ack('bob', $m)->{status}, 409, 'once');
    }

    is_deeply([ids($carol, 5.5)], [], 'and nothing goes up');
};

case 'VCP-24 VCP-30 no other principal can acknowledge it' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    says($m);

    # alice cannot acknowledge it herself, and carol's alarm is from outside
    # the family
    isnt(ack('alice', $m)->{status}, 200, 'not who sent it');

    my $other = alarm_of('critical', sender => name('carol'),
                         recipient => name('dave'));

    taken(send_as('carol', $other), 'one of carol');

    my $below = escalation(severity => 'critical',
                           reason => "ACK:$other->{message_id}");

    isnt(send_as('bob', { %$below, sender => name('bob'),
                          recipient => name('carol') })->{status}, 200,
         'not who is below');

    my $above = escalation(severity => 'critical',
                           reason => $below->{payload}{reason});

    taken(send_as('dave', { %$above, sender => name('dave'),
                            recipient => name('carol') }), 'the end of one');
    is_deeply([ids($carol, 7)], [map { $_->{message_id} } $above, $m],
              'the other goes up all the same');
    taken(ack('carol', $m), 'the end of it');
};

case 'VCP-24 VCP-25 an AEE result of the parent acknowledges' => sub {
    my ($alice) = streams('alice');
    my ($bob, $carol) = map { listens($_, uri => '/aee/') } qw(bob carol);
    my $m = alarm_of('critical');

    says($m);
    taken(send_as('bob', result($bob->event(10)->{json})), 'of the parent');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(10)],
              ["ACK:$m->{message_id} done"], 'it is an acknowledgment');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

case 'VCP-24 VCP-25 an AEE result of the grandparent acknowledges' => sub {
    my ($alice) = streams('alice');
    my ($carol, $dave) = map { listens($_, uri => '/aee/') } qw(carol dave);
    my $m = alarm_of('critical');

    says($m);

    my $task = $carol->event(12)->{json};

    is($task->{to}, who('agent.bob'), 'it is said whom it was for');
    taken(send_as('carol', result($task, from => who('agent.carol'))),
          'of who is above');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(10)],
              ["ACK:$m->{message_id} done"], 'the same');
    is_deeply([ids($dave, 5)], [], 'nothing goes on');
};

case 'VCP-24 C2A-15 "agree" acknowledges' => sub {
    my ($carol) = streams('carol');
    my $bob = listens('bob', uri => '/c2a/');
    my $m = alarm_of('critical');

    says($m);

    my $call = $bob->event(10)->{json};
    my $arguments = $call->{params}{arguments} // $call;
    my $id = $arguments->{id} // $arguments->{messageId} // $call->{id};

    my $react = {
        jsonrpc => '2.0', id => 7, method => 'tools/call',
        params => { name => 'chat.react', arguments => {
            sender => who('agent:bob'), target => who('agent:alice'),
            recipient => who('agent:alice'), inReplyTo => $id, signal => 'agree',
            idempotencyKey => uuid4() } } };

    taken(send_as('bob', $react), 'bob agrees');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

case 'VCP-24 C2A-15 "agree" acknowledges an escalation that came in AEE' => sub {
    my ($alice, $carol) = (listens('alice', uri => '/aee/'),
                           streams('carol'));
    my $bob = listens('bob', uri => '/c2a/');
    my $task = aee(from => who('agent.alice'), to => who('agent.bob'),
                   intent => 'vcp.escalation', priority => 'high',
                   payload => alarm_of('critical')->{payload});

    taken(send_as('alice', $task), 'it is taken');
    $bob->event(2);

    taken(send_as('bob', {
        jsonrpc => '2.0', id => 7, method => 'tools/call',
        params => { name => 'chat.react', arguments => {
            sender => who('agent:bob'), target => who('agent:alice'),
            recipient => who('agent:alice'), inReplyTo => $task->{id},
            signal => 'agree', idempotencyKey => uuid4() } } }), 'bob agrees');
    is($alice->event(2)->{json}{type}, 'result', 'that is the result');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

case 'VCP-24 C2A-15 "agree" acknowledges an escalation that came as a frame' => sub {
    my ($alice, $carol) = (listens('alice'), streams('carol'));
    my $bob = listens('bob', uri => '/c2a/');
    my $m = report('alice', 'bob');

    taken(send_as('alice', $m), 'it is taken');

    my $id = $bob->event(5)->{json}{params}{eventId};

    taken(send_as('bob', Parley::Matrix::react('agree', inReplyTo => $id,
        sender => who('agent:bob'), target => who('agent:alice'),
        recipient => who('agent:alice'), idempotencyKey => uuid4())),
        'bob agrees');

    my $finding = $alice->event(5)->{json};

    is($finding->{kind}, 'peer_diagnostic_response', 'that is the answer');
    is($finding->{payload}{diagnostic_id}, $m->{payload}{diagnostic_id},
       'to what was asked');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

case 'VCP-24 a peer_diagnostic_response acknowledges' => sub {
    my ($carol) = streams('carol');
    my $bob = listens('bob');
    my $m = alarm_of('critical');

    says($m);

    my $asked = $bob->event(10)->{json};

    is($asked->{kind}, 'peer_diagnostic_request', 'as a frame it asks');
    taken(send_as('bob', frame(who('bob'), who('alice'),
        kind => 'peer_diagnostic_response',
        payload => { diagnostic_id => $asked->{payload}{diagnostic_id},
                     finding => 'seen' })), 'bob answers');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

sub report {
    my ($from, $to, %other) = @_;

    return frame(who($from), who($to), kind => 'peer_diagnostic_request',
                 payload => { diagnostic_id => uuid4(),
                              symptom => 'disk is full',
                              severity => 'blocked' }, %other);
}

case 'VCP-24 VCP-30 a frame is an escalation only to the own parent' => sub {
    my ($bob, $carol, $dave) = map { listens($_) } qw(bob carol dave);
    my $m = report('alice', 'bob');

    taken(send_as('alice', report('alice', 'dave')), 'to a peer');
    taken(send_as('bob', report('bob', 'alice')), 'to a child');
    taken(send_as('alice', $m), 'to the parent');
    is(scalar ids($dave, 1), 1, 'the peer has it');
    is_deeply([ids($bob, 1)], [$m->{frame_id}], 'the parent, too');
    is_deeply([ids($carol, 5)], [$m->{frame_id}], 'what the parent got goes up');
    is_deeply([ids($dave, 1)], [], 'nothing else does');
    taken(send_as('carol', frame(who('carol'), who('alice'),
        kind => 'peer_diagnostic_response',
        payload => { diagnostic_id => $m->{payload}{diagnostic_id},
                     finding => 'seen' })), 'it is acknowledged');
};

case 'VCP-26 an escalation as a frame of a suspended principal passes' => sub {
    my $m = alarm_of('emergency');

    taken(send_as('alice', $m), 'an emergency');
    taken(ack('bob', $m), 'which is acknowledged');

    my $answer = send_as('alice', frame(who('alice'), who('bob')));

    is($answer->{json}{code}, 'agent-suspended', 'a frame does not pass');
    $answer = send_as('alice', report('alice', 'dave'));
    is($answer->{json}{code}, 'agent-suspended', 'nor a report to a peer');
    taken(send_as('alice', report('alice', 'bob', payload => {
        diagnostic_id => uuid4(), symptom => 'still full',
        severity => 'info' })), 'one to the parent does');
};

case 'VCP-28 a frame with an escalation pauses its sender' => sub {
    my $m = report('alice', 'bob');

    taken(send_as('alice', $m, uri => '/pausing'), 'a report');

    my $answer = send_as('alice', frame(who('alice'), who('bob')));

    is($answer->{json}{code}, 'agent-suspended', 'who made it is paused');
    taken(send_as('bob', frame(who('bob'), who('alice'),
        kind => 'peer_diagnostic_response',
        payload => { diagnostic_id => $m->{payload}{diagnostic_id},
                     finding => 'seen' })), 'it is acknowledged');
};

case 'VCP-27 an emergency is raised at once' => sub {
    my ($bob, $carol, $dave) = streams(qw(bob carol dave));
    my $m = alarm_of('emergency');

    says($m);
    is_deeply([ids($bob, 1)], [$m->{message_id}], 'the parent has it');
    is_deeply([ids($carol, 0.5)], [$m->{message_id}],
              "and the parent's parent, once");
    is_deeply([ids($dave, 1.5)], [], 'nobody else yet');
    taken(ack('bob', $m), 'the parent acknowledges it');
    is_deeply([ids($dave, 5)], [], 'and it ends');
    is_deeply([ids($carol, 0.1)], [], 'there, too');
    like($nginx->error_log, qr/an emergency goes up to "@{[
         who('carol') ]}", from "@{[ who('alice') ]}"/, 'it is logged');
};

case 'VCP-24 VCP-27 an emergency without an acknowledgment' => sub {
    my ($carol, $dave) = streams(qw(carol dave));
    my $m = alarm_of('emergency');

    says($m);
    is_deeply([ids($carol, 2)], [$m->{message_id}], "the parent's parent");
    is_deeply([ids($dave, 5)], [$m->{message_id}], 'five seconds later, his');
    taken(ack('dave', $m), 'the end of it');
};

case 'VCP-24 VCP-27 an AEE event with an escalation is raised too' => sub {
    my ($bob, $carol) = streams(qw(bob carol));

    my $event = sub {
        my ($severity, %other) = @_;

        return aee(type => 'event', from => who('agent.alice'),
                   to => who('agent.bob'), intent => 'vcp.escalation',
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

    taken(send_as('alice', $event->('warning')), 'a warning');
    is(scalar ids($bob, 1), 1, 'the parent has it');
    is_deeply([ids($carol, 5.5)], [], 'and nobody else');
};

case 'VCP-24 C2A-13 a C2A reader can answer such an AEE event' =>
sub {
    my ($alice, $carol) = (listens('alice', uri => '/aee/'),
                           streams('carol'));
    my $bob = listens('bob', uri => '/c2a/');
    my $event = aee(type => 'event', from => who('agent.alice'),
                    to => who('agent.bob'), intent => 'vcp.escalation',
                    payload => alarm_of('critical')->{payload});

    taken(send_as('alice', $event), 'it is taken');

    my $params = $bob->event(5)->{json}{params};

    is($params->{attention}{policy}, 'must_respond', 'an answer is asked for');
    is($params->{injection}{mode}, 'immediate');

    taken(send_as('bob', Parley::Matrix::say(
        inReplyTo => $params->{eventId}, sender => who('agent:bob'),
        target => who('agent:alice'), recipient => who('agent:alice'),
        idempotencyKey => uuid4())), 'bob answers');
    is($alice->event(5)->{json}{reply_to}, $event->{id}, 'which comes');
    is_deeply([ids($carol, 5.5)], [], 'nothing goes up');
};

case 'VCP-24 a service accepted an escalation and did not acknowledge it' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    taken(serve_as(2, $m), 'it is taken');
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged');
};

case 'VCP-24 a service accepted an escalation, and its parent acknowledged' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    taken(serve_as(2, $m), 'it is taken');
    taken(ack('bob', $m), 'the parent acknowledges it');
    is_deeply([ids($carol, 5.5)], [], 'it goes to nobody');
};

case 'VCP-24 a child with only a URL gets the acknowledgment there' => sub {
    my $peer = $peer{$family};
    my $m = alarm_of('warning', sender => name('carol'),
                     recipient => name('dave'));

    taken(submit($m, as => who('carol'), uri => '/service/aee'), 'it is sent');
    ok($peer->wait_for(1), 'it is delivered');
    is_deeply([@{ from_json(($peer->requests)[0]{body}) }{qw(type reply_to)}],
              ['result', $m->{message_id}], 'in the protocol spoken there');
}, FAMILIES - 2;

case 'VCP-24 the grandparent is reached by a URL' => sub {
    my $peer = $peer{$family};
    my $m = alarm_of('critical');

    says($m);

    ok($peer->wait_for(1, 9), 'it is delivered');

    my $task = from_json(($peer->requests)[0]{body});

    is($task->{type}, 'task', 'in the protocol that is spoken there');
    taken(send_as('carol', result($task, from => who('agent.carol'))),
          'and acknowledged');
    sleep 6;
    is(scalar(my @all = $peer->requests), 1, 'once');
}, FAMILIES - 1;

case 'VCP-24 a stream has priority over a URL' => sub {
    my $peer = $peer{$family};
    my ($carol) = streams('carol');
    my $m = alarm_of('emergency');

    says($m);
    is_deeply([ids($carol, 3)], [$m->{message_id}], 'by the stream');
    is(scalar(my @all = $peer->requests), 0, 'by nothing else');
    taken(ack('carol', $m), 'the end of it');
}, FAMILIES;

together(@cases);


# cases that the count above does not include

@cases = ();

case 'VCP-24 an escalation forwarded to a service that is down' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    my $answer = serve_as(6, $m);

    isnt($answer->{status}, 200, 'the child is told so');

    # the child may try again
    serve_as(6, $m);

    is_deeply([ids($carol, 3.5)], [], 'nothing comes sooner');
    is_deeply([ids($carol, 6)], [$m->{message_id}],
              'once, however often it was tried');
    taken(ack('carol', $m), 'and whoever is above acknowledges it');
};

case 'VCP-27 an emergency whose service hangs' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('emergency');

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $from = time;
    my $hangs = $client->begin('/service/7', jcs($m),
                               Authorization => bearer(who('alice')),
                               'Content-Type' => 'application/json');

    is($carol->event(10)->{json}{message_id}, $m->{message_id}, 'it goes up');
    cmp_ok(time - $from, '<', 1.5, 'nobody waits for the service');
    $hangs->answer;
};

together(@cases);


subtest 'VCP-24 the worker with the deadline is killed' => sub {
    family(++$families);

    my ($carol) = streams('carol');
    my $m = alarm_of('critical');

    says($m);

    for (1 .. 4) {
        sleep 1;
        kill KILL => (workers())[0];
    }

    # the stream may have ended with its worker
    my @ids;
    my $until = time + 8;

    while (!@ids && time < $until) {
        my $again = eval { listens('carol', uri => '/vcp/',
                                     last => $carol->opened->{id}) };
        @ids = grep { ($_ // "") eq $m->{message_id} } ids($again, 0.5) if $again;
        sleep 0.2;
    }

    ok(scalar @ids, 'it goes up all the same');
};

done_testing();
