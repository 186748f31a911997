# A state that does not answer verbs of logs and the roster.  A request to
# publish, listen, read the roster or delete is refused at the deadline, with
# capacity, and nothing is held afterwards.  Only for the module whose state
# answers later (make test-later).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Never;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Websocket;

# seconds that a message waits for the state, and that a subscriber waits at
# most
use constant DEADLINE => 1.0;
use constant PATIENCE => 2.5;

my $nginx = Parley::Nginx->start(http => streams_http(
    more => 'parley_retain count=100 time=1h;',
    locations => <<'EOT'));
        location = /held { parley_jwt on; parley_submit aee hold=20s; }
        location = /brief { parley_jwt on; parley_submit aee hold=1s; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=20s; }
        location /roster/ { parley_jwt on; parley_roster channel; }
        location = /ws { parley_jwt on; parley_websocket channel; }
EOT

my $client = Parley::Client->new(port => port(1), tls => 0);
my $status = Parley::Status->new(port => port(1));


# Returns the answer while the verbs do not complete, and its time; the verbs
# complete before the return.
sub while_silent {
    my ($verbs, $ask) = @_;

    never(split ' ', $verbs);

    my $since = time;
    my $answer = $ask->();
    my $took = time - $since;

    never();
    sleep 0.2;

    return ($answer, $took);
}


sub is_capacity {
    my ($answer, $took, $deadline) = @_;

    $deadline //= DEADLINE;

    is($answer->{status}, 503, 'refused');
    like($answer->{body}, qr/capacity/i, 'with capacity');
    is($answer->{headers}{'retry-after'}, 1, 'in a second');
    # a timer counts from the last time that its worker looked at the clock
    cmp_ok($took, '>=', DEADLINE * 0.5, 'not before the deadline');
    cmp_ok($took, '<', $deadline * 4, 'nor long after it');
}


sub roster_of {
    my $who = shift;

    return $client->get("/roster/~$who", Authorization => bearer($who));
}


# Returns the sessions on the roster, once it has that many.
sub there {
    my ($who, $n) = @_;

    my $until = time + 10;
    my $count;

    do {
        $count = roster_of($who)->{json}{count};
    } while ($count != $n && time < $until && sleep 0.05);

    return $count;
}


sub erase {
    return $client->send('DELETE', "/channel/stream/~$_[0]?all=1", '',
                         Authorization => bearer($_[0]));
}


subtest 'HUB-01 a publication: capacity, and it may come again' => sub {
    my $alice = listen_to('alice');
    my $frame = frame('bob', 'alice');

    is_capacity(while_silent('append', sub { submit($frame) }));

    is(submit($frame)->{status}, 200, 'it is taken then');
    is(submit($frame)->{json}{delivered}, 0, 'once');
    is($alice->event->{json}{frame_id}, $frame->{frame_id}, 'delivered');
    ok(!$alice->event(0.5), 'once');
    $alice->leave;
};


subtest 'HUB-10 a message is settled and appended in one step' => sub {
    my $alice = listen_to('alice');
    my $frame = frame('bob', 'alice');
    my ($answer, $took) = while_silent('settle', sub { submit($frame) });

    is($answer->{status}, 200, 'it is taken');
    is($answer->{json}{delivered}, 1, 'and was told');
    cmp_ok($took, '<', DEADLINE, 'without another answer of the state');
    is(submit($frame)->{json}{delivered}, 0, 'and counts as taken');
    is($alice->event->{json}{frame_id}, $frame->{frame_id}, 'delivered');
    ok(!$alice->event(0.5), 'once');
    $alice->leave;
};


# The worker dies when the message is delivered.  The message comes again,
# whether or not its sender got a response.
subtest 'HUB-10 a worker is killed between an append and its answer' => sub {
    my $alice = listen_to('alice');
    my $frame = frame('bob', 'alice');
    my $event;

    while_silent('settle', sub {
        my $submitter = $client->connect;

        $submitter->write($client->request(
            'POST', '/channel/frames', jcs($frame),
            Authorization => bearer('bob')));

        $event = $alice->event;
        kill 'KILL', $nginx->workers;
    });

    is($event->{json}{frame_id}, $frame->{frame_id}, 'delivered');

    my $later = listen_to('alice', last => $event->{id});
    my $again = submit($frame);

    is($again->{status}, 200, 'it comes again') or diag($again->{body});
    is($again->{json}{delivered}, 0, 'and is a duplicate');
    ok(!$later->event(0.5), 'delivered once');
    $later->leave;
};


for my $verb (qw(join feed)) {

    subtest "HUB-02 a request to listen: $verb" => sub {
        is(there('alice', 0), 0, 'nobody listens');

        my ($stream, $took) = while_silent($verb, sub { listen_to('alice') });

        is_capacity($stream->answer, $took, PATIENCE);
        is(there('alice', 0), 0, 'nobody is on the roster');

        my ($socket, $then) = while_silent($verb, sub {
            websocket('alice', uri => '/ws')
        });

        is_capacity($socket->answer, $then, PATIENCE);
        is(there('alice', 0), 0, 'nobody is on the roster');

        # a client that leaves at the same time
        while_silent($verb, sub {
            my $gone = $client->connect;

            $gone->write(stream_request('alice'));
            sleep 0.1;
            $gone->leave;
            sleep 0.1;
        });

        is(there('alice', 0), 0, 'nor one that has gone');

        my $alice = listen_to('alice');

        is($alice->status, 200, 'it opens then');
        is(there('alice', 1), 1, 'and is there once');
        submit(frame('bob', 'alice', text => "after $verb"));
        is_deeply([texts($alice->event)], ["after $verb"], 'and is fed');
        $alice->leave;
    };
}


subtest 'HUB-02 a subscriber is told of the messages in between' => sub {
    is(there('alice', 0), 0, 'nobody listens');

    my $alice = listen_to('alice');

    while_silent('feed', sub {
        is(submit(frame('bob', 'alice', text => 'unfed'))->{status}, 200);
        ok(!$alice->event(3), 'nothing comes');
    });

    is_deeply([texts($alice->event)], ['unfed'], 'and then it does');
    $alice->leave;
};


subtest 'HUB-03 a subscriber that resumes ends if its read does not complete' => sub {
    my $alice = listen_to('alice');

    submit(frame('bob', 'alice', text => "f$_")) for 1 .. 3;

    my ($first) = $alice->events(3);

    $alice->leave;

    while_silent('read', sub {
        my $since = time;
        my $again = listen_to('alice', last => $first->{id});

        is($again->status, 200, 'it begins');
        ok($again->ends(10), 'and ends');
        cmp_ok(time - $since, '<', PATIENCE * 3, 'soon');
    });

    is($status->metric('parley_subscriptions_ended_total{why="silent"}') >= 1,
       1, 'it is counted as what it is');

    my $again = listen_to('alice', last => $first->{id});

    is_deeply([texts($again->events(2))], [qw(f2 f3)], 'it has the rest then');
    $again->leave;
};


subtest 'HUB-07 a request to hold: capacity' => sub {
    my $bob = listen_to('bob');
    my $task = aee();
    my $ask = sub { submit($task, as => 'alice', uri => '/held') };

    is(there('alice', 0), 0, 'nobody listens');
    is_capacity((while_silent('join', $ask)), PATIENCE);
    is(there('alice', 0), 0, 'nobody is held');
    ok(!$bob->event(0.3), 'and nothing was told');

    is_capacity(while_silent('append', $ask));
    is(there('alice', 0), 0, 'nobody is held');
    ok(!$bob->event(0.3), 'and nothing was told');

    my $held = $client->begin('/held', jcs($task),
                              Authorization => bearer('alice'),
                              'Content-Type' => 'application/json');
    my $query = $bob->event->{json};

    is($query->{kind}, 'agent_query', 'it is told then');

    submit(frame('bob', 'alice', kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id}, response_text => 'done',
        responder_session_id => 's1' }));

    is($held->answer->{json}{reply_to}, $task->{id}, 'and answered');
    $bob->leave;
};


subtest 'HUB-07 a request whose hold ends during its publication' => sub {
    my $bob = listen_to('bob');
    my $task = aee();

    never('join');

    my $brief = $client->begin('/brief', jcs($task),
                               Authorization => bearer('alice'),
                               'Content-Type' => 'application/json');

    # it is held for a second, and its publication takes longer

    sleep 0.8;
    never('append');
    sleep 0.6;
    never();

    is($brief->answer->{status}, 202, 'it is taken, not answered');
    is($bob->event->{json}{kind}, 'agent_query', 'it was told');
    ok(!$bob->event(0.3), 'once');
    is(submit($task, as => 'alice', uri => '/brief')->{status}, 409,
       'and counts as taken');
    $bob->leave;
};


subtest 'ACH-27 a call of MCP that waits for frames' => sub {
    my $call = sub {
        return $client->post('/mcp', jcs({
            jsonrpc => '2.0', id => 1, method => 'tools/call',
            params => { name => 'agent_subscribe',
                        arguments => { wait_ms => 5000 } } }),
            Authorization => bearer('alice'),
            'Content-Type' => 'application/json',
            Accept => 'application/json, text/event-stream');
    };

    my ($answer, $took) = while_silent('join', $call);

    like($answer->{body}, qr/capacity/i, 'capacity');
    cmp_ok($took, '<', PATIENCE * 2, 'soon');
    is(there('alice', 0), 0, 'and nobody is there');
};


subtest 'ACH-25 a request for the roster: capacity' => sub {
    is_capacity(while_silent('roster', sub { roster_of('alice') }));
    is(roster_of('alice')->{status}, 200, 'it is told then');
};


for my $verb (qw(read drop erase)) {

    subtest "ACH-28 a deletion: $verb" => sub {
        submit(frame('bob', 'carol'));

        is_capacity(while_silent($verb, sub { erase('carol') }));
        like(erase('carol')->{body}, qr/"erased":[0-9]/, 'it is then');
        is(erase('carol')->{json}{erased}, 0, 'and is gone');
    };
}


subtest 'HUB-02 a subscriber can leave without an answer of the state' => sub {
    my $alice = listen_to('alice');

    is(there('alice', 1), 1, 'it is there');

    while_silent('leave keep', sub {
        $alice->leave;
        is(there('alice', 1), 1, 'nobody has heard');
    });

    is(there('alice', 0), 0, 'and then all have');
};


subtest 'HUB-05 a worker ends although the state does not answer' => sub {
    my $alice = listen_to('alice');

    never(qw(append read feed join leave keep roster erase));
    ok($nginx->reload, 'reloaded');
    ok($alice->ends(10), 'its streams end');
    never();

    my $again = listen_to('alice');

    submit(frame('bob', 'alice', text => 'new'));
    is_deeply([texts($again->event)], ['new'], 'and go on in another');
    is(there('alice', 1), 1, 'which is the only one there');
};


subtest 'HUB-01 the state works afterwards' => sub {
    unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/,
           'nothing');
};


done_testing;
