# Two gateways that share a store: a request is held at one gateway and answered
# at the other, and so are deletions, deliveries and acknowledgments.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams qw(frame streams_identities);

# 0: both are one gateway, which tests the test
use constant OTHER => $ENV{PARLEY_ONE_GATEWAY} ? 0 : 1;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $redis = Parley::Redis->start(port(4));

# alice is the parent of bob, and carol the parent of alice
my $nodes = stream_nodes($redis, nodes => OTHER + 1,
    words => 'lease=3s',
    identities => streams_identities(alice => { parent => 'carol' },
                                     bob => { parent => 'alice' }));

my @gateways = OTHER ? (0, 1) : 0;

# gateway of the first party, and of the second
my @pairs = OTHER ? ([0, 1], [1, 0]) : [0, 0];


# Begins a request, whose answer is read later.
sub begins {
    my ($i, $uri, $who, $message) = @_;

    return Parley::Client->new(port => $nodes->plain($i), tls => 0)
        ->begin($uri, ref $message ? jcs($message) : $message,
                Authorization => bearer($who),
                'Content-Type' => 'application/json');
}


sub each_is { return [($_[0]) x @gateways] }


sub answer_to {
    my ($query, %payload) = @_;

    return frame('bob', 'alice', kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id},
        responder_session_id => 's1', response_text => 'done', %payload });
}


for my $pair (@pairs) {
    my ($asks, $answers) = @$pair;
    my $where = "asked at gateway $asks, answered at $answers";

    subtest "HUB-07 CLU-04 a held task: $where" => sub {
        my $bob = opens($nodes, $answers, 'channel stream', 'bob',
                        session => 's1');
        my $task = aee();
        my $request = begins($asks, '/held', 'alice', $task);
        my $event = $bob->event;

        ok($event, 'bob has it') or return;
        ok(!$request->fill(0.2), 'it is held');
        is(submit_at($nodes, $answers, answer_to($event->{json}))->{status},
           200, 'bob answers');

        my $answer = $request->answer;

        is($answer->{status}, 200) or diag $answer->{raw};
        is_deeply([@{ $answer->{json} }{qw(type reply_to corr from)}],
                  ['result', $task->{id}, $task->{corr}, 'agent.bob']);
        is(submit_at($nodes, $_, answer_to($event->{json}))->{json}{code},
           'reply-unmatched', "SEC-08 there is one answer, gateway $_")
            for @gateways;
        $bob->leave;
    };

    subtest "HUB-07 CLU-04 many held tasks: $where" => sub {
        my $bob = opens($nodes, $answers, 'aee stream', 'bob', session => 's1');
        my %of = map { my $task = aee();
                       ($task->{id} => begins($asks, '/held', 'alice', $task)) }
                 1 .. 12;

        for my $event ($bob->events(12)) {
            my $result = result($event->{json},
                                payload => { text => $event->{json}{id} });

            is(submit_at($nodes, $answers, $result, as => 'bob')->{status}, 202)
                or diag explain $event;
        }

        for my $id (sort keys %of) {
            my $json = $of{$id}->answer->{json};

            is_deeply([$json->{reply_to}, $json->{payload}{text}], [$id, $id],
                      'each has its own answer');
        }

        $bob->leave;
    };

    subtest "HUB-07 CLU-04 a held escalation, acknowledged by a WebSocket: $where" => sub {
        my $alice = opens($nodes, $answers, 'vcp websocket', 'alice',
                          session => 's1');
        my $bob = opens($nodes, $answers, 'vcp stream', 'bob', session => 'b');
        my $m = with(escalation(severity => 'critical', requires_ack => true),
                     sender => 'agent://ops.example/bob',
                     recipient => 'agent://ops.example/alice');
        my $began = time;
        my $request = begins($asks, '/held', 'bob', $m);

        is_deeply($alice->ids(1), [$m->{message_id}], 'its parent has it')
            or return;

        my $ack = with(escalation(severity => 'critical',
                                  reason => "ACK:$m->{message_id}"),
                       sender => 'agent://ops.example/alice',
                       recipient => 'agent://ops.example/bob');

        is($alice->ask($ack)->{status}, 'accepted', 'and acknowledges it');

        my $answer = $request->answer;

        is($answer->{status}, 200);
        is($answer->{json}{status}, 'accepted');
        cmp_ok(time - $began, '<', 5, 'as soon as it is acknowledged');
        is_deeply($bob->ids(1), [$ack->{message_id}],
                  'and the stream of the child has the acknowledgment');
        $_->leave for $bob, $alice;
    };

    subtest "HUB-07 CLU-04 an answer that is late: $where" => sub {
        my $bob = opens($nodes, $answers, 'channel stream', 'bob',
                        session => 's1');
        my $alice = opens($nodes, $answers, 'aee stream', 'alice',
                          session => 'a');
        my $task = aee();
        my $answer = submit_at($nodes, $asks, $task, as => 'alice',
                               uri => '/short');

        is($answer->{status}, 202, 'accepted without an answer');

        # with hold=off her stream at the other gateway is enough
        my $off = aee();

        $answer = submit_at($nodes, $asks, $off, as => 'alice', uri => '/off');
        is($answer->{status}, 202, 'and at once with hold=off')
            or diag $answer->{body};

        for my $event ($bob->events(2)) {
            is(submit_at($nodes, $answers, answer_to($event->{json}))->{status},
               200, 'bob answers');
        }

        is_deeply([map { $_->{json}{reply_to} } $alice->events(2)],
                  [$task->{id}, $off->{id}], 'her stream has the answers');
        $_->leave for $bob, $alice;
    };

    subtest "HUB-07 CLU-04 a held asker leaves, and asks again elsewhere: $where" => sub {
        my $bob = opens($nodes, $answers, 'channel stream', 'bob',
                        session => 's1');
        my $task = aee();
        my $request = begins($asks, '/held', 'alice', $task);
        my $query = $bob->event;

        ok($query, 'bob has it') or return;
        $request->leave;

        # the same message at the other gateway is a duplicate
        my $code;

        $nodes->wait_for(sub {
            $code = submit_at($nodes, $answers, $task, as => 'alice',
                              uri => '/held')->{json}{payload}{code} // '';
            return $code ne 'E_MESSAGE_IN_FLIGHT' });
        is($code, 'E_MESSAGE_DUPLICATE', 'it is not published again');
        ok(!$bob->event(0.3), 'indeed');
        $bob->leave;
    };


    subtest "ACH-27 ACH-25 CLU-04 calls of MCP: $where" => sub {
        my @bobs = map { opens($nodes, $_, 'channel stream', 'bob',
                               session => "s$_") } @gateways;
        my $tool = sub {
            my ($name, %arguments) = @_;

            return jcs({ jsonrpc => '2.0', id => 1, method => 'tools/call',
                         params => { name => $name,
                                     arguments => \%arguments } });
        };
        my $result = sub {
            my $answer = shift;

            return $answer->{json}{result}{structuredContent}
                   // { error => $answer->{raw} };
        };
        my $called = sub {
            return $result->(post_to($nodes, $_[0], '/mcp', $_[1],
                                     $tool->(@_[2 .. $#_])));
        };

        is($called->($asks, 'bob', 'agent_roster')->{count}, scalar @gateways,
           'the roster');

        # frames that a call waits for
        my $place = $called->($asks, 'carol', 'agent_subscribe', wait_ms => 50);
        my $waiting = begins($asks, '/mcp', 'carol', $tool->('agent_subscribe',
            last_event_id => $place->{last_event_id}));

        ok(!$waiting->fill(0.3), 'a call waits');
        is(submit_at($nodes, $answers, frame('bob', 'carol', text => 'f1'))
           ->{status}, 200);

        my $came = $result->($waiting->answer);

        is_deeply([map { $_->{frame}{payload}{advisory_text} }
                   @{ $came->{frames} }], ['f1'], 'it gets the frame');
        is(submit_at($nodes, $asks, frame('bob', 'carol', text => 'f2'))
           ->{status}, 200);
        $came = $called->($answers, 'carol', 'agent_subscribe',
                          last_event_id => $came->{last_event_id});
        is_deeply([map { $_->{frame}{payload}{advisory_text} }
                   @{ $came->{frames} }], ['f2'], 'and goes on elsewhere');

        # a query, whose call is repeated at the other gateway
        my %query = (recipient_handle => '~bob', frame_id => uuid4(), max => 3,
                     payload => { query_text => 'well?', query_id => uuid4(),
                                  timeout_ms => 8000 });
        my $first = begins($asks, '/mcp', 'alice',
                           $tool->('agent_query', %query));
        my @asked = map { $_->event } @bobs;

        is($asked[$_]{json}{payload}{query_id}, $query{payload}{query_id},
           "bob has it, gateway $_") for 0 .. $#bobs;

        my $says = sub {
            my ($i, $text, $session) = @_;

            is(submit_at($nodes, $i, answer_to($asked[0]{json},
                   response_text => $text, responder_session_id => $session))
               ->{status}, 200, "answer $text");
        };

        $says->($answers, 'one', 's1');
        ok(!$first->fill(0.3), 'it waits for more');
        $first->leave;

        my $again = begins($answers, '/mcp', 'alice',
                           $tool->('agent_query', %query));

        ok(!$again->fill(0.3), 'the call goes on at the other gateway');
        $says->($asks, 'two', 's2');
        $says->($answers, 'three', 's3');

        my $got = $result->($again->answer);

        is_deeply([map { $_->{payload}{response_text} }
                   @{ $got->{responses} // [] }], [qw(one two three)],
                  'it has all answers') or diag explain $got;
        ok(!$_->event(0.2), 'the query is delivered once') for @bobs;

        # a cancellation at the other gateway ends a call
        my $cancelled = begins($asks, '/mcp', 'carol',
                               $tool->('agent_subscribe'));

        ok($nodes->wait_for(sub {
               post_to($nodes, $answers, '/mcp', 'carol', jcs({
                   jsonrpc => '2.0', method => 'notifications/cancelled',
                   params => { requestId => 1 } }));
               return $cancelled->fill(0.2) }), 'MCP-06 a call is cancelled');
        $_->leave for @bobs;
    };


    subtest "ACH-28 CLU-04 deletions: $where" => sub {
        my $live = opens($nodes, $asks, 'channel stream', 'bob',
                         session => 'live');
        my $from = $live->place;
        my $said = sub { say($nodes, $_[0], 'channel', 'alice', 'bob') };
        my @sent = map { $said->($_) } ($asks, $answers) x 3;
        my $kept = sub {
            return [map {
                my $stream = opens($nodes, $_, 'channel stream', 'bob',
                                   session => 'kept', after => $from);
                my $ids = $stream->ids($_[0]);

                push @$ids, $stream->event(0.2) ? 'more' : ();
                $stream->leave;
                $ids;
            } @gateways];
        };

        is_deeply($live->ids(6), \@sent, 'live');
        is_deeply($kept->(6), each_is(\@sent), 'all are retained');
        is(erase($nodes, $answers, 'bob', 'bob', event => $live->places->[1]),
           1, 'the recipient deletes one by its event');
        splice @sent, 1, 1;
        is_deeply($kept->(5), each_is(\@sent), 'it is gone at both');
        is(erase($nodes, $asks, 'bob', 'bob', event => $live->places->[1]), 0,
           'gone is gone');
        is(erase($nodes, $asks, 'alice', 'bob', id => $sent[1]), 1,
           'its sender deletes one by its id');
        splice @sent, 1, 1;
        is_deeply($kept->(4), each_is(\@sent), 'it is gone at both');
        is(erase($nodes, $answers, 'carol', 'bob', all => 1), 0,
           'a third principal deletes nothing');
        is(erase($nodes, $answers, 'alice', 'bob', all => 1) >= 4 ? 1 : 0, 1,
           'all are deleted');
        is_deeply($kept->(0), each_is([]), 'at both');

        my $id = $said->($answers);

        is_deeply($live->ids(1), [$id], 'the stream goes on');
        is_deeply($kept->(1), each_is([$id]), 'and so does the log');
        $live->leave;
    };


    for my $kind ('vcp stream', 'vcp websocket') {
        subtest "VCP-33 CLU-04 $kind: a message is delivered once: $where" => sub {
            my $ended = sub {
                return $nodes->status($asks)->metric(
                    'parley_jobs_ended_total{how="delivered"}');
            };
            my $settled = sub {
                ok($nodes->wait_for(sub {
                       !grep { $nodes->status($_)->json->{jobs}{pending} }
                           @gateways }), $_[0]);
            };

            $settled->('nothing is due');

            my $before = $ended->();
            my $bob = opens($nodes, $answers, $kind, 'bob', session => 'had');
            my @sent = map { say($nodes, $asks, 'vcp', 'alice', 'bob') } 1 .. 3;

            is_deeply($bob->ids(3), \@sent, 'it has them');
            $settled->('the jobs of the other gateway end');
            is($ended->() - $before, 3, 'as delivered');
            $bob->leave;
            lists($nodes, 'bob', [], 'it has left');

            for my $i (@gateways) {
                my $again = opens($nodes, $i, $kind, 'bob', session => 'had');
                my $id = say($nodes, $answers, 'vcp', 'alice', 'bob');

                is_deeply($again->ids(1), [$id], 'they do not come again');
                $settled->("nothing is due, gateway $i");
                $again->leave;
                lists($nodes, 'bob', [], 'it has left');
            }
        };
    }


    subtest "VCP-24 VCP-25 CLU-04 an acknowledgment at another gateway: $where" => sub {
        my $ended = sub {
            return $nodes->status($asks)->metric(
                qq(parley_deadlines_total{outcome="$_[0]"}));
        };
        my %before = map { $_ => $ended->($_) } qw(answered raised);
        my @above = map { opens($nodes, $_, 'vcp stream', 'carol',
                                session => "up$_") } @gateways;
        my $bob = opens($nodes, $answers, 'vcp stream', 'bob',
                        session => 'acked');

        for my $kind ('vcp websocket', 'vcp stream') {
            my $alice = opens($nodes, $answers, $kind, 'alice',
                              session => 'ack');
            my $m = with(escalation(severity => 'critical',
                                    requires_ack => true),
                         sender => 'agent://ops.example/bob',
                         recipient => 'agent://ops.example/alice');
            my $ack = with(escalation(severity => 'critical',
                                      reason => "ACK:$m->{message_id}"),
                           sender => 'agent://ops.example/alice',
                           recipient => 'agent://ops.example/bob');

            is(submit_at($nodes, $asks, $m, as => 'bob', uri => '/off')
               ->{status}, 200);
            is_deeply($alice->ids(1), [$m->{message_id}], "the parent, $kind");

            my $said = $alice->can('ask') ? $alice->ask($ack)
                       : submit_at($nodes, $answers, $ack, as => 'alice',
                                   uri => '/off')->{json};

            is($said->{status}, 'accepted', 'acknowledges it')
                or diag explain $said;
            $alice->leave;
        }

        # a message without an acknowledgment is raised after five seconds
        ok(!$_->event(@above > 1 ? 3.5 : 7), 'nothing goes up') for @above;
        ok($nodes->wait_for(sub { $ended->('answered') >= $before{answered}
                                                          + 2 }),
           'the deadlines are answered');
        is($ended->('raised'), $before{raised}, 'and not raised');
        is(scalar @{ $bob->ids(2) }, 2, 'the child has the acknowledgments');
        $_->leave for $bob, @above;
    };
}


for my $i ($nodes->all) {
    is($nodes->nginx($i)->logged(qr/\[(?:alert|emerg|crit)\]/), 0,
       "no alert, gateway $i");
}

done_testing();
