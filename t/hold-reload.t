# HUB-10 HUB-07: requests that wait for an answer during a reload of nginx, or
# whose worker must end soon.  Each ends in time, with its answer or an
# explanation.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Verbs;

use constant DRAIN => 5;        # s in which streams end that are open

sub conf {
    return streams_http(more => 'parley_retain count=100 time=1h;',
                        locations => <<'EOT');
        location = /held { parley_jwt on; parley_submit aee hold=20s; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=20s; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => conf());
my $client = Parley::Client->new(port => port(1), tls => 0);

# Returns a query by MCP as its recipient sees it.
sub query {
    my (%o) = @_;

    return (recipient_handle => '~bob', frame_id => uuid4(), max => 1,
            payload => { query_text => 'is it open?', query_id => uuid4(),
                         timeout_ms => 15000 }, %o);
}


# bob's stream, which bob opens again when it ends
my $bob;

sub bob_listens {
    $bob->leave if $bob;
    $bob = listen_to('bob', session => 's1');
}

sub bob_gets {
    my ($id) = @_;

    my $until = time + 20;

    while (time < $until) {
        my $event = $bob->event(0.5);

        return $event if $event && ($event->{json}{frame_id} // '') eq $id;

        bob_listens() if $bob->{ended};
    }

    return undef;
}


subtest 'HUB-07 an agent_query outlives a reload' => sub {
    bob_listens();

    my %query = query();
    my $call = begin(tool_text('agent_query', %query));
    my $asked = bob_gets($query{frame_id});

    ok($asked, 'it is asked') or return;
    ok($nginx->reload, 'a reload');

    # longer than an open stream
    sleep DRAIN + 1.5;
    ok(!$call->fill(0.1), 'nothing is said before the answer');

    my $said = says('bob', $asked->{json}, response_text => 'it is');

    is($said->{status}, 200, 'bob answers') or diag($said->{body});

    my $result = outcome($call->answer);

    is(scalar @{ $result->{responses} }, 1, 'its response comes');
    is($result->{responses}[0]{payload}{response_text}, 'it is', 'that one');
};


subtest 'HUB-07 an AEE task outlives a reload' => sub {
    bob_listens();

    my $task = aee(from => 'agent.alice', to => 'agent.bob');
    my $held = $client->begin('/held', jcs($task),
                              Authorization => bearer('alice'));
    my $until = time + 20;
    my $asked;

    while (!$asked && time < $until) {
        my $event = $bob->event(0.5);

        $asked = $event->{json}
            if $event && ($event->{json}{kind} // '') eq 'agent_query';
        bob_listens() if $bob->{ended};
    }

    ok($asked, 'it is asked') or return;
    ok($nginx->reload, 'a reload');
    sleep DRAIN + 1.5;

    my $said = says('bob', $asked, response_text => 'it is');

    is($said->{status}, 200, 'bob answers') or diag($said->{body});

    my $answer = $held->answer;

    is($answer->{status}, 200, 'its answer comes') or diag($answer->{body});
    is($answer->{json}{type}, 'result', 'a result');
    is($answer->{json}{reply_to}, $task->{id}, 'of the task');
};


subtest 'HUB-07 a call for frames ends, and continues in another worker' => sub {
    my $call = begin(tool_text('agent_subscribe', wait_ms => 15000,
                               session => 'mine'), as => 'dave');

    sleep 0.5;
    ok($nginx->reload, 'a reload');

    my $since = time;
    my $result = outcome($call->answer);

    cmp_ok(time - $since, '<', DRAIN + 2, 'soon');
    is_deeply($result->{frames}, [], 'with what came');
    ok($result->{last_event_id} || $result->{session}, 'and it goes on');
};


$bob->leave;
$nginx->stop;


# ---- workers that must end before a request's time is over

my $brief = Parley::Nginx->start(workers => 2, http => conf(),
                                 main => 'worker_shutdown_timeout 4s;');

subtest 'HUB-10 a query whose worker must end' => sub {
    bob_listens();

    my %query = query();
    my $text = tool_text('agent_query', %query);
    my $call = begin($text);
    my $asked = bob_gets($query{frame_id});

    ok($asked, 'it is asked') or return;

    my $since = time;

    ok($brief->reload, 'a reload');

    my $answer = $call->answer;
    my $result = $answer->{json}{result};

    cmp_ok(time - $since, '<', 4, 'it is answered in time');
    ok($result->{isError}, 'with an error') or diag($answer->{body});
    is($result->{structuredContent}{code}, 'capacity', 'code');
    ok($result->{structuredContent}{retryable}, 'retryable');
    like($result->{structuredContent}{message}, qr/\Q$query{frame_id}\E/,
         'it names the id');

    my $again = begin($text);

    sleep 0.3;
    says('bob', $asked->{json}, response_text => 'it is');

    $result = outcome($again->answer);
    ok($result->{duplicate}, 'the same call is a duplicate');
    is(scalar @{ $result->{responses} }, 1, 'that has the response');
    ok(!bob_gets_now($query{frame_id}), 'it is delivered once');
};

sub bob_gets_now {
    my ($id) = @_;

    bob_listens() if $bob->{ended};

    my $event = $bob->event(0.5);

    return $event && ($event->{json}{frame_id} // '') eq $id;
}


subtest 'HUB-07 a task whose worker must end' => sub {
    bob_listens();

    my $task = aee(from => 'agent.alice', to => 'agent.bob');
    my $held = $client->begin('/held', jcs($task),
                              Authorization => bearer('alice'));

    sleep 0.5;

    my $since = time;

    ok($brief->reload, 'a reload');

    my $answer = $held->answer;

    cmp_ok(time - $since, '<', 4, 'it is answered in time');
    is($answer->{status}, 202, 'it was taken') or diag($answer->{body});
};


for ($nginx, $brief) {
    unlike($_->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nothing broke');
}

done_testing;
