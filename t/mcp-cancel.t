# notifications/cancelled: a held call ends, in any worker, and its place is
# free (MCP-06).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix qw(deliver);
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $client = Parley::Client->new(port => port(1), tls => 0);
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    locations => <<'EOT'));
        location = /mcp { parley_jwt on; parley_mcp channel hold=20s; }
        location = /held { parley_jwt on; parley_submit c2a hold=20s; }
EOT

# seconds for the end of a call that is held for 20 s
my $SOON = 8;


sub begin {
    my ($uri, $message, %o) = @_;

    return $client->begin($uri, jcs($message),
        Authorization => bearer($o{as} // 'alice'),
        'Content-Type' => 'application/json', @{ $o{headers} // [] });
}


sub tool {
    my ($id, $name, %arguments) = @_;

    return { jsonrpc => '2.0', id => $id, method => 'tools/call',
             params => { name => $name, arguments => \%arguments } };
}


sub cancel {
    my ($uri, $id, %o) = @_;

    return begin($uri, { jsonrpc => '2.0',
                         method => 'notifications/cancelled',
                         params => { requestId => $id, reason => 'enough' } },
                 %o)->answer;
}


# Cancels until the call is answered, as the call may not have begun yet.
sub ended {
    my ($call, $uri, $id, %o) = @_;

    my $until = time + $SOON;

    while (time < $until) {
        is(cancel($uri, $id, %o)->{status}, 202) if $uri eq '/mcp';
        cancel($uri, $id, %o) if $uri ne '/mcp';
        return 1 if $call->expect(qr/\r\n\r\n/, 0.2);
    }

    return 0;
}


subtest 'MCP-06 a call that waits for frames' => sub {
    for my $id (7, '"7"', 'a"b', 0) {
        my $call = begin('/mcp', tool($id, 'agent_subscribe'));

        ok(ended($call, '/mcp', $id), "id $id");

        my $answer = $call->answer;

        is($answer->{status}, 200);
        is($answer->{json}{id}, $id, 'its response');

        # a call that is cancelled before its stream opened has no list
        is_deeply($answer->{json}{result}{structuredContent}{frames} // [], [],
                  'with the frames that came, none');
    }
};


subtest 'MCP-06 a query' => sub {
    my $bob = listen_to('bob', session => 's1');
    my $call = begin('/mcp', tool('q', 'agent_query', recipient_handle => '~bob',
        payload => { query_text => 'who has the branch?',
                     timeout_ms => 20000, response_scope => '~alice/*' }));

    ok($bob->event, 'bob has it');
    ok(ended($call, '/mcp', 'q'), 'ends');
    is($call->answer->{json}{id}, 'q');
    $bob->leave;
};


subtest 'MCP-06 calls in all workers, each by its own id' => sub {
    my @calls = map { begin('/mcp', tool("c$_", 'agent_subscribe')) } 1 .. 10;

    ok(ended($calls[$_ - 1], '/mcp', "c$_"), "c$_") for 1 .. 10;
};


subtest 'MCP-06 a call of another client is not affected' => sub {
    my $call = begin('/mcp', tool(1, 'agent_subscribe'),
                     headers => ['Mcp-Session-Id' => 's-1']);

    # another call ends at the same time

    my $other = begin('/mcp', tool(2, 'agent_subscribe'));

    is(cancel('/mcp', 1, as => 'bob')->{status}, 202, 'another principal');
    is(cancel('/mcp', '1')->{status}, 202, 'another session');
    is(cancel('/mcp', '"1"', headers => ['Mcp-Session-Id' => 's-1'])->{status},
       202, 'another id');
    is(cancel('/mcp', $_)->{status}, 202, 'no id')
        for undef, { a => 1 }, 'x' x 2000;

    ok(ended($other, '/mcp', 2), 'the other ended');
    ok(!$call->expect(qr/HTTP/, 0.2), 'this one did not');
    ok(ended($call, '/mcp', 1, headers => ['Mcp-Session-Id' => 's-1']),
       'by its client it does');
};


subtest 'MCP-06 the place of a cancelled call is free' => sub {

    # a worker holds 16 calls of a principal

    my @calls = map { begin('/mcp', tool("p$_", 'agent_subscribe')) } 1 .. 40;
    my ($full) = grep { $_->expect(qr/capacity/, 0.2) } @calls;

    ok($full, 'there is no place any more');

    ok(ended($calls[$_ - 1], '/mcp', "p$_"), "p$_ is over") for 1 .. 40;

    for (1 .. 8) {
        my $call = begin('/mcp', tool('new', 'agent_subscribe', wait_ms => 50));

        ok(!$call->answer->{json}{result}{isError}, 'a new call is held');
    }
};


subtest 'MCP-06 C2A-24 an event that waits for its answer' => sub {
    my $bob = listen_to('bob', session => 's1');
    my $call = begin('/held', { %{ deliver() }, id => 'call-1' });

    ok($bob->event, 'bob has it');
    ok(ended($call, '/held', 'call-1'), 'ends');
    ok($call->answer->{json}{result}{accepted}, 'accepted');
    $bob->leave;
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
