# ACH-27: the verbs of agent-channel that wait: for the frames of a handle, and
# for the responses to a query; and the principals that may read them.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Verbs;

my $nginx = Parley::Nginx->start(workers => 2, http => verbs_http());


subtest 'ACH-27 ACH-25: the roster' => sub {
    is(tool('agent_roster', {})->{count}, 0);

    my $alice = listen_to('alice', session => 'a1', instrument => 'cc-a');
    my $roster = tool('agent_roster', { handle => '~alice' });

    is($roster->{handle}, '~alice');
    is($roster->{count}, 1);
    is($roster->{sessions}[0]{session}, 'a1');

    my $coarse = tool('agent_roster', { handle => '~alice' },
                      uri => '/ruled', as => 'dave');

    is($coarse->{count}, 1);
    ok(!$coarse->{sessions}, 'ACH-25: others see a coarse count');
    $alice->leave;
};


subtest 'ACH-27: frames that a call waits for' => sub {
    my $from = time;
    my $none = tool('agent_subscribe', { wait_ms => 200 });

    cmp_ok(time - $from, '<', 3, 'no longer than it says');
    is_deeply($none->{frames}, []);
    is($none->{handle}, '~alice');
    ok($none->{session}, 'session');
    ok($none->{last_event_id}, 'a place to begin with');

    submit(frame('bob', 'alice', text => "f$_")) for 1 .. 3;

    my $some = tool('agent_subscribe', {
        last_event_id => $none->{last_event_id}, session => 'mine' });

    is_deeply([map { $_->{frame}{payload}{advisory_text} }
               @{ $some->{frames} }], [qw(f1 f2 f3)],
              'ACH-21: nothing between two calls is missed');
    is($some->{last_event_id}, $some->{frames}[2]{id});
    is($some->{session}, 'mine');

    my $two = tool('agent_subscribe', {
        last_event_id => $none->{last_event_id}, max => 2 });

    is(@{ $two->{frames} }, 2, 'max');

    my $rest = tool('agent_subscribe', {
        last_event_id => $two->{last_event_id} });

    is_deeply([map { $_->{frame}{payload}{advisory_text} }
               @{ $rest->{frames} }], ['f3'], 'and the rest of them');

    my $nothing = tool('agent_subscribe', { wait_ms => 100,
        last_event_id => $rest->{last_event_id} });

    is($nothing->{last_event_id}, $rest->{last_event_id},
       'where nothing came the place is kept');

    my $waiting = begin(tool_text('agent_subscribe',
        last_event_id => $rest->{last_event_id},
        filter => 'kind:agent_handover'));

    $waiting->fill(0.3);
    submit(frame('bob', 'alice', text => 'not this'));
    submit(frame('bob', 'alice', kind => 'agent_handover', payload => {
        previous_session_id => 's', handover_body => 'this' }));

    my $came = outcome($waiting->answer);

    is_deeply([map { $_->{frame}{payload}{handover_body} }
               @{ $came->{frames} }], ['this'], 'ACH-22: by its filter');

    my $lost = tool('agent_subscribe', { wait_ms => 500,
        last_event_id => 'aaaaaaaaaaaa.1' });

    ok($lost->{gap}{first}, 'HUB-02: what is gone is told');
};


subtest 'ACH-27 SEC-04: frames that another principal may read' => sub {
    my $place = tool('agent_subscribe', { wait_ms => 100 });

    is(submit(frame('bob', 'alice', text => 'mine'), uri => '/channel/frames')
       ->{status}, 200);

    my $came = tool('agent_subscribe', { handle => '~alice',
        last_event_id => $place->{last_event_id} }, uri => '/ruled',
        as => 'dave');

    is($came->{frames}[0]{frame}{payload}{advisory_text}, 'mine',
       'another may where a rule says so');

    submit(frame('bob', 'alice', kind => 'agent_handover', payload => {
        previous_session_id => 's', handover_body => 'secret' }));
    submit(frame('bob', 'alice', text => 'open'));

    my $denied = tool('agent_subscribe', {
        last_event_id => $came->{last_event_id} }, uri => '/denied');

    is_deeply([map { $_->{frame}{payload}{advisory_text} }
               @{ $denied->{frames} }], ['open'], 'SEC-04: rules that deny');
};


subtest 'ACH-27 HUB-06: frames from another protocol' => sub {
    my $place = tool('agent_subscribe', { wait_ms => 100 });
    my $bob = listen_to('bob', uri => '/aee/agent.bob', session => 'asks');
    my $task = aee(from => 'agent.bob', to => 'agent.alice',
                   payload => { text => 'in AEE' });

    is(submit($task, as => 'bob', uri => '/any')->{status}, 202, 'accepted');

    my $came = tool('agent_subscribe', {
        last_event_id => $place->{last_event_id} });
    my $frame = $came->{frames}[0]{frame};

    is($frame->{envelope_version}, '1.0', 'is a frame');
    is($frame->{sender_handle}, '~bob');
    is($frame->{kind}, 'agent_query');
    like($frame->{payload}{query_text}, qr/in AEE/);
    $bob->leave;
};


subtest 'ACH-27: a large frame does not end the call' => sub {
    my $place = tool('agent_subscribe', { wait_ms => 100 });

    submit(frame('bob', 'alice', kind => 'agent_handover', payload => {
        previous_session_id => 's', handover_body => 'z' x 50_000 }));
    submit(frame('bob', 'alice', text => 'behind it'));

    my $large = tool('agent_subscribe', {
        last_event_id => $place->{last_event_id} }, uri => '/small');

    is(@{ $large->{frames} }, 1, 'alone');
    is(length $large->{frames}[0]{frame}{payload}{handover_body}, 50_000);

    my $next = tool('agent_subscribe', {
        last_event_id => $large->{last_event_id} }, uri => '/small');

    is($next->{frames}[0]{frame}{payload}{advisory_text}, 'behind it');
};


# ---- questions

subtest 'ACH-27: a query returns its answers' => sub {
    my @bobs = map { listen_to('bob', session => $_) } qw(s1 s2);
    my $from = time;
    my $call = begin(tool_text('agent_query', recipient_handle => '~bob',
        payload => { query_text => 'is it blocked?', timeout_ms => 2000 }));
    my $query = $bobs[0]->event->{json};

    is($query->{kind}, 'agent_query');
    is($query->{payload}{response_scope}, '~alice');
    is($query->{payload}{timeout_ms}, 2000);
    is($bobs[1]->event->{json}{frame_id}, $query->{frame_id});

    is(says('bob', $query, response_text => 'no')->{status}, 200);
    is(says('bob', $query, response_text => 'not at all',
            responder_session_id => 's2')->{status}, 200);
    is(says('carol', $query)->{json}{code}, 'reply-unmatched', 'SEC-08');

    my $result = outcome($call->answer);

    is($result->{query_id}, $query->{payload}{query_id});
    is($result->{frame_id}, $query->{frame_id});
    is($result->{delivered}, 2);
    is_deeply([map { $_->{payload}{response_text} }
               @{ $result->{responses} }], ['no', 'not at all']);
    cmp_ok(time - $from, '>', 1.5, 'it waited as long as it said');

    $call = begin(tool_text('agent_query', recipient_handle => '~bob',
        max => 1, payload => { query_text => 'and now?' }));
    $from = time;
    $query = $bobs[0]->event->{json};
    says('bob', $query);
    $result = outcome($call->answer);

    is(@{ $result->{responses} }, 1);
    cmp_ok(time - $from, '<', 4, 'max: no longer than needed');
    $_->leave for @bobs;
};


subtest 'ACH-27 ACH-26: a repeated query joins the collection' => sub {
    my ($bob, $other) = map { listen_to('bob', session => $_) } qw(s1 s2);
    my %query = (recipient_handle => '~bob', frame_id => uuid4(), max => 2,
                 payload => { query_text => 'is it open?', timeout_ms => 4000,
                              query_id => uuid4() });
    my $texts = sub {
        return [map { $_->{payload}{response_text} } @{ $_[0]{responses} }];
    };

    my $lost = begin(tool_text('agent_query', %query));
    my $asked = $bob->event->{json};

    says('bob', $asked, response_text => 'one');
    sleep 0.3;
    $lost->leave;

    my $again = begin(tool_text('agent_query', %query));

    sleep 0.3;
    says('bob', $asked, response_text => 'two', responder_session_id => 's2');

    my $result = outcome($again->answer);

    is_deeply($texts->($result), ['one', 'two'],
              'what came before its connection broke, and after');
    ok($result->{duplicate}, 'it says that it came before');
    is($result->{query_id}, $query{payload}{query_id});
    is($result->{delivered}, 0, 'it is delivered once');
    is($bob->event(0.3), undef, 'indeed');

    is_deeply($texts->(tool('agent_query', \%query)), ['one', 'two'],
              'and later');

    # without a frame_id its id is the query_id

    delete $query{frame_id};
    %query = (%query, payload => { %{ $query{payload} }, query_id => uuid4() });

    my $text = tool_text('agent_query', %query);
    my @calls = begin($text);

    $asked = $bob->event->{json};
    says('bob', $asked, response_text => 'one');
    sleep 0.3;
    push @calls, begin($text);

    $result = outcome($calls[0]->answer);
    is_deeply($texts->($result), ['one'], 'the first ends where it is');
    ok(!$result->{duplicate});

    says('bob', $asked, response_text => 'two', responder_session_id => 's2');
    is_deeply($texts->(outcome($calls[1]->answer)), ['one', 'two'],
              'the second goes on');
    is($bob->event(0.3), undef, 'it is delivered once as well');

    $query{payload}{query_text} = 'is it closed?';
    refused(mcp(tool_text('agent_query', %query)), 'message-duplicate',
            '/frame_id', 'another question');

    $_->leave for $bob, $other;
};


subtest 'ACH-27 HUB-06: a query that is answered in another protocol' => sub {
    my $bob = listen_to('bob', uri => '/aee/agent.bob', session => 'aee');
    my $call = begin(tool_text('agent_query', recipient_handle => '~bob',
        max => 1, payload => { query_text => 'is it done?' }));
    my $task = $bob->event->{json};

    is($task->{type}, 'task');
    is(submit(aee(type => 'result', from => 'agent.bob', to => 'agent.alice',
                  corr => $task->{corr}, reply_to => $task->{id},
                  payload => { text => 'it is' }),
              as => 'bob', uri => '/any')->{status}, 202);

    my $result = outcome($call->answer);

    is($result->{responses}[0]{kind}, 'agent_response');
    is($result->{responses}[0]{payload}{query_id}, $result->{query_id});
    like($result->{responses}[0]{payload}{response_text}, qr/it is/);
    $bob->leave;
};


subtest 'ACH-27: a query without a recipient, and one without an answer' => sub {
    my $from = time;
    my $result = tool('agent_query', { recipient_handle => '~dave',
        payload => { query_text => 'anybody?' } });

    is($result->{delivered}, 0);
    is_deeply($result->{responses}, []);
    cmp_ok(time - $from, '<', 4, 'nothing is waited for');

    my $dave = listen_to('dave', session => 'd');

    $from = time;
    $result = tool('agent_query', { recipient_handle => '~dave',
        payload => { query_text => 'you?' } }, uri => '/short');

    is($result->{delivered}, 1);
    is_deeply($result->{responses}, []);
    cmp_ok(time - $from, '>', 0.8, 'hold=');
    cmp_ok(time - $from, '<', 5);

    my $query = $dave->event->{json};

    is($query->{payload}{timeout_ms}, 1000, 'what is asked for it is told');
    $dave->leave;
};


subtest 'ACH-27: many at once, in any worker' => sub {
    my $bob = listen_to('bob', session => 's1');
    my @calls = map {
        my $text = tool_text('agent_query', recipient_handle => '~bob',
                             max => 1, payload => { query_text => "q$_" });
        [from_json($text)->{id}, begin($text)]
    } 1 .. 12;

    for my $event ($bob->events(12)) {
        says('bob', $event->{json},
             response_text => "to $event->{json}{payload}{query_text}");
    }

    for my $i (1 .. 12) {
        my ($of, $call) = @{ $calls[$i - 1] };
        my $answer = $call->answer;

        is($answer->{json}{id}, $of);
        is($answer->{json}{result}{structuredContent}{responses}[0]{payload}
           {response_text}, "to q$i", 'its own');
    }

    # the number of waiting calls of a principal in a worker is limited

    my @waiting = map { begin(tool_text('agent_subscribe')) } 1 .. 40;

    sleep 0.5;

    my @full = grep { $_->fill(0.01); $_->{buffer} =~ /capacity/ } @waiting;

    cmp_ok(scalar @full, '>=', 40 - 2 * 16, 'no more than a worker holds');
    $_->leave for @waiting;
    $bob->leave;
};


is(join("\n", grep { /\[(?:alert|emerg|crit|error)\]/ }
            split /\n/, $nginx->error_log), '', 'nothing alarming');

$nginx->stop;

done_testing;
