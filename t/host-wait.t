# chat.list_events with waitMs at a host of chat: a call whose list is empty
# waits for an event, or until its time is over.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

use constant LONG => 40000;     # ms, more than a test waits for an answer
use constant SOON => 12;        # s

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } }
         qw(ada bo cy dee)),
    { sub => 'reader', c2a => 'human:reader' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', c2a => 'service:web', surface => ['web/main'] },
);

sub conf {
    my ($host) = @_;

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:4m',
        more => 'parley_retain count=1000 time=1h;',
        locations => "location = /chat { parley_jwt on; parley_host c2a quiet=0 "
                     . "$host; }\nlocation = /submit { parley_jwt on; "
                     . "parley_submit c2a; }");
}

my $nginx = Parley::Nginx->start(workers => 2, http => conf(''));
my $client = Parley::Client->new(port => port(1), tls => 0);
my $calls = 0;


# Begins a call that waits.
sub waits {
    my ($who, $args, %o) = @_;

    return $client->begin('/chat', jcs({
        jsonrpc => '2.0', id => $o{id} // 'wait-' . ++$calls,
        method => 'tools/call',
        params => { name => 'chat.list_events',
                    arguments => { waitMs => LONG, %{ $args // {} } } } }),
        Authorization => $o{token} // bearer($who), @{ $o{headers} // [] });
}

# Returns the answer to a call.
sub answer {
    my ($call) = @_;
    my $answer = $call->answer;

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}

# Returns the number of requests that wait, in all workers.
sub held {
    my $answer = $client->get('/status?format=prometheus');

    return $answer->{body} =~ /^parley_held (\d+)/m ? $1 : -1;
}

# Waits until that many requests wait.
sub held_are {
    my ($n) = @_;

    my $until = time + SOON;

    while (held() != $n) {
        return 0 if time > $until;
        sleep 0.1;
    }

    return 1;
}

sub cancel {
    my ($who, $id, %o) = @_;

    return says($who, { jsonrpc => '2.0', method => 'notifications/cancelled',
                        params => { requestId => $id } }, %o)->{status};
}


subtest 'C2A-20 an event ends the wait' => sub {
    my %dm = (conversation => { id => 'wait', kind => 'dm' });

    # the first event of a DM is in the mailbox before the DM is in the list
    said(to('agent:ada', %dm));

    my $first = structured(tool(ada => 'chat.list_events'));

    tool(ada => 'chat.list_events',
         { ackThrough => $first->{events}[0]{place} });

    my $call = waits('ada');

    ok(held_are(1), 'it waits') or return;
    ok(!$call->expect(qr/HTTP/, 0.1), 'and has no answer');

    my ($id) = said(to('agent:ada', %dm));
    my $answer = answer($call);

    is($answer->{status}, 200);
    is_deeply(listed($answer), [$id], 'the event') or diag($answer->{body});
    is(pending($answer), 1, 'it is counted');

    my $fresh = tool(ada => 'chat.list_events');

    is_deeply(structured($answer), structured($fresh), 'as a fresh call');
    is_deeply(listed(answer(waits('ada'))), [$id],
              'a list with an event does not wait');

    # the acknowledgment of the call itself makes the list empty

    my $next = waits(ada => {
        ackThrough => structured($answer)->{events}[0]{place} });

    ok(held_are(1), 'it acknowledges before it waits');
    ($id) = said(to('agent:ada'));
    $answer = answer($next);
    is_deeply(listed($answer), [$id], 'and has the next event');
    tool(ada => 'chat.list_events',
         { ackThrough => structured($answer)->{events}[0]{place} });
    ok(held_are(0), 'no place is left over');
};


subtest 'C2A-20 in each worker' => sub {
    my @all = map { waits('bo') } 1 .. 8;

    ok(held_are(8)) or return;

    my ($id) = said(to('agent:bo'));

    is_deeply(listed(answer($_)), [$id]) for @all;
    tool(bo => 'chat.list_events',
         { ackThrough => structured(tool(bo => 'chat.list_events'))
                         ->{events}[0]{place} });
};


subtest 'C2A-20 the time ends the wait' => sub {
    my $begun = time;
    my $answer = answer(waits(ada => { waitMs => 700 }));

    is($answer->{status}, 200);
    is_deeply(listed($answer), [], 'an empty list');
    cmp_ok(time - $begun, '>=', 0.6, 'after its time');

    $begun = time;
    is_deeply(listed(answer(waits(ada => { waitMs => 0 }))), []);
    is_deeply(structured(answer(waits(ada => { eventId => 'none',
                                               waitMs => 1 })))->{events}, []);
};


subtest 'C2A-28 invalid times' => sub {
    for my $wrong (-1, '1e99', '1.5', '"5"', 'true', '[1]', '{}') {
        my $answer = says(ada => '{"jsonrpc":"2.0","id":1,"method":'
            . '"tools/call","params":{"name":"chat.list_events","arguments":'
            . "{\"waitMs\":$wrong}}}");

        my $result = $answer->{json}{result};

        ok($result->{isError}, "waitMs $wrong") or diag($answer->{body});
        like(structured($answer)->{code}, qr/^field-/);
        is(structured($answer)->{field}, '/params/arguments/waitMs');
    }

    # longer than the host lets a call wait

    my $call = waits(ada => { waitMs => 9007199254740991 });

    ok(held_are(1), 'the largest number waits');
    $call->leave;
    ok(held_are(0), 'C2A-20 a client that leaves frees its place');
};


subtest 'C2A-33 an event for somebody else does not end the wait' => sub {
    my %c1 = (conversation => { id => 'C1', kind => 'channel' });

    members(web => $c1{conversation}, add => ['agent:ada', 'agent:cy',
                                              'human:reader']);

    my $mailbox = waits('ada');
    my $filter = waits(ada => { policy => 'ack_only' });
    my $stream = waits(ada => { streamId => 'S1' });
    my $channel = waits(cy => { conversation => { id => 'C1' } });
    my $thread = waits(cy => { conversation => { id => 'C1',
                                                 threadId => 'T1' } });
    my $reader = waits(reader => { conversation => { id => 'C1' } });

    ok(held_are(6), 'six calls wait') or return;

    said(to('agent:bo'));
    said(event(conversation => { id => 'C2', kind => 'channel' }));
    tool(cy => 'chat.send_message',
         { target => { id => 'C2', kind => 'channel' }, idempotencyKey => 'k',
           visibility => 'channel', directedness => 'ambient', text => 'x' });
    is(cancel('bo', 'none'), 202);
    sleep 0.5;
    is(held(), 6, 'none has ended');

    # an ambient event, which is in no mailbox

    my ($id) = said(event(%c1));

    is_deeply(listed(answer($channel)), [$id], 'the conversation');
    is_deeply(listed(answer($reader)), [$id], 'also without a mailbox');
    ok(held_are(4));
    ok(!$_->expect(qr/HTTP/, 0.05), 'the others wait')
        for $mailbox, $filter, $stream, $thread;

    ($id) = said(event(conversation => { id => 'C1', kind => 'channel',
                                         threadId => 'T1' }));
    is_deeply(listed(answer($thread)), [$id], 'the thread') if ok(held_are(3));

    ($id) = said(to('agent:ada'));
    is_deeply(listed(answer($mailbox)), [$id], 'the mailbox');
    ok(held_are(2));
    ok(!$_->expect(qr/HTTP/, 0.05), 'the filters wait') for $filter, $stream;

    $_->leave for $filter, $stream;
    ok(held_are(0));
};


subtest 'C2A-33 a removed reader' => sub {
    my %c3 = (id => 'C3', kind => 'channel');
    my $unknown = sub {
        my $answer = answer(shift);

        delete $answer->{json}{id};
        return [$answer->{status}, $answer->{json}];
    };

    members(web => \%c3, add => ['agent:dee', 'agent:cy']);

    my ($dee, $cy) = map { waits($_ => { conversation => { id => 'C3' } }) }
                         qw(dee cy);

    ok(held_are(2)) or return;
    members(web => \%c3, remove => ['agent:dee']);
    is_deeply($unknown->($dee),
              $unknown->(waits(dee => { conversation => { id => 'C0' } })),
              'has the answer of an unknown conversation');
    ok(!$cy->expect(qr/HTTP/, 0.2), 'the other one waits');
    $cy->leave;
    ok(held_are(0));
};


subtest 'C2A-20 no event is lost between the list and the wait' => sub {
    for (1 .. 30) {
        my $call = waits('dee');
        my ($id) = said(to('agent:dee'));
        my $answer = answer($call);

        is_deeply(listed($answer), [$id]) or return;
        tool(dee => 'chat.list_events',
             { ackThrough => structured($answer)->{events}[0]{place} });
    }
};


subtest 'MCP-06 notifications/cancelled' => sub {
    my @session = (headers => ['Mcp-Session-Id' =>
        says(cy => { jsonrpc => '2.0', id => 1, method => 'initialize',
                     params => { protocolVersion => '2026-06-02',
                                 capabilities => {},
                                 clientInfo => { name => 'x', version => '1' }
                     } })->{headers}{'mcp-session-id'}]);

    for my $id (7, '7', 'a"b', 0) {
        # a number that is part of a text would become a text
        my $shown = $id;
        my $call = waits(cy => {}, id => $id, @session);

        ok(held_are(1), "id $shown") or return;
        is(cancel('cy', $id), 202, 'another session');
        is(cancel('bo', $id), 202, 'another principal');
        is(cancel('cy', "x$shown", @session), 202, 'another id');
        ok(!$call->expect(qr/HTTP/, 0.3), 'have no effect');

        my $begun = time;

        is(cancel('cy', $id, @session), 202, 'its client');

        my $answer = answer($call);

        cmp_ok(time - $begun, '<', 5, 'within 2 s, on an idle machine');
        is($answer->{json}{id}, $shown, 'the answer');
        is_deeply(listed($answer), [], 'an empty list');
    }

    my $call = waits('cy', {}, id => 'one');
    my $other = waits('cy', {}, id => 'two');

    ok(held_are(2));
    cancel('cy', 'one');
    is(answer($call)->{json}{id}, 'one');
    ok(!$other->expect(qr/HTTP/, 0.2), 'another call waits');
    $other->leave;
    ok(held_are(0));
    is_deeply(listed(tool(cy => 'chat.list_events')), [], 'nothing else');
};


subtest 'C2A-20 sixteen waiting calls of a principal in a worker' => sub {
    my @calls = map { waits('ada', { eventId => 'none' }) } 1 .. 40;
    my ($full) = grep { $_->expect(qr/capacity/, 0.2) } @calls;

    ok($full, 'another one is refused') or return;

    my $answer = answer($full);

    ok($answer->{json}{result}{isError}) or diag($answer->{body});
    is(structured($answer)->{code}, 'capacity', 'for now');

    my $held = held();

    cmp_ok($held, '>=', 16);
    cmp_ok($held, '<=', 32);
    is_deeply(listed(answer(waits(cy => { waitMs => 1 }))), [],
              'another principal waits');
    $_->leave for @calls;
    ok(held_are(0), 'the places are free');
};


subtest 'HUB-07 a waiting call is no listener' => sub {
    my $call = waits('cy');

    ok(held_are(1)) or return;
    like(says(web => to('agent:cy', id => 'count'))->{body}, qr/"row":"dm"/);
    is_deeply(listed(answer($call)), ['count']);
};


subtest 'HUB-05 a reload answers waiting calls' => sub {
    my $before = structured(tool(bo => 'chat.list_events'))->{events};

    tool(bo => 'chat.list_events', { ackThrough => $before->[-1]{place} })
        if @$before;

    my @calls = map { waits('bo') } 1 .. 4;

    ok(held_are(4)) or return;
    ok($nginx->reload, 'a reload');

    my ($id) = said(to('agent:bo', id => 'during'));

    # on a slow machine the old worker leaves before the event comes

    for (@calls) {
        my $ids = listed(answer($_));

        ok(!@$ids || "@$ids" eq $id, 'the event after it, or no event');
    }

    tool(bo => 'chat.list_events',
         { ackThrough => structured(tool(bo => 'chat.list_events'))
                         ->{events}[0]{place} });

    @calls = map { waits('bo') } 1 .. 4;
    ok(held_are(4)) or return;

    my $begun = time;

    ok($nginx->reload(http => conf('wait=300ms')), 'another reload');

    for (@calls) {
        my $answer = answer($_);

        is($answer->{status}, 200, 'without an event');
        is_deeply(listed($answer), []);
    }

    cmp_ok(time - $begun, '<', SOON, 'as its worker leaves');

    $begun = time;
    is_deeply(listed(answer(waits('bo'))), [], 'wait= limits waitMs');
    cmp_ok(time - $begun, '<', 20);

    ok($nginx->reload(http => conf('wait=0')), 'and a third one');
    is_deeply(listed(answer(waits('bo'))), [], 'wait=0: no call waits');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
