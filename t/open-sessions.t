# A session of an MCP server stays bound to its principal as long as a stream of
# it is open.  nginx has a clock that the test sets.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Clock;
use Parley::Env qw(port);
use Parley::Existing;
use Parley::Gateway;
use Parley::Message;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $http = gateway_http(server =>
    location('/mcp', 'parley_accept c2a; parley_jwt on; '
                   . 'proxy_read_timeout 10h;'));

my $clock = Parley::Clock->new;
my $nginx = $clock->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));

existing($client, $service);


# Sends a request of a session; the service gives the session with give.
sub call {
    my ($as, $id, $give) = @_;

    my @give = $give ? "'Mcp-Session-Id' => '$id'" : ();

    $service->script("\$c->answer(200, [@give], jcs({ jsonrpc => '2.0', "
                   . 'id => $q->{json}{id}, result => {} }))');

    return $client->raw(post('/mcp', { jsonrpc => '2.0', id => 1,
        method => 'tools/list' }, as => $as,
        headers => $give ? [] : ['Mcp-Session-Id' => $id]));
}


# Opens a stream that has a comment every 50 ms, which wakes its worker.
sub opened {
    my $id = shift;

    my $stream = begin('for my $n (1 .. 2000) { $c->out(": $n\n\n"); '
                     . '$c->pause(0.05) }', GET => '/mcp',
                       headers => ['Mcp-Session-Id' => $id]);

    ok($stream->expect(qr/: 1\n/), 'open');

    return $stream;
}


# Sets the clock forward, and waits until the worker of the stream has seen it.
sub later {
    my ($stream, $seconds) = @_;

    my ($n) = $stream->expect(qr/: \d+\n\n/) =~ /.*: (\d+)\n\n/s;

    $clock->forward($seconds);
    $n += 20;
    ok($stream->expect(qr/: $n\n/), "$seconds s later");
}


subtest 'MCP-05 an open stream keeps its session' => sub {
    is(call('alice', 'kept', 1)->{status}, 200, 'a session of alice');

    my $stream = opened('kept');

    later($stream, 2400) for 1 .. 4;

    refused(call('bob', 'kept'), 404, 'session-unknown',
            'another principal after 160 minutes');
    is(call('alice', 'kept')->{status}, 200, 'its owner');
    $stream->leave;
};


subtest 'MCP-05 a session without a stream ends after an hour' => sub {
    plan skip_all => 'a store has a clock of its own'
        if $ENV{PARLEY_TEST_STORE};

    is(call('alice', 'left', 1)->{status}, 200, 'a session of alice');
    $clock->forward(4000);
    is(call('bob', 'left')->{status}, 200, 'its next user');
};


subtest 'MCP-05 a stream ends when its session does' => sub {
    is(call('alice', 'ended', 1)->{status}, 200, 'a session of alice');

    my $stream = opened('ended');
    my $n = $nginx->logged(qr/\[warn\] .*refused, session-unknown/);

    is(ask('$c->answer(204)', DELETE => '/mcp', headers =>
           ['Mcp-Session-Id' => 'ended'])->{status}, 204, 'DELETE');

    $clock->forward(120);
    like($stream->expect(qr/event: error\ndata: .*\n/, 20) // '',
         qr/session-unknown/, 'an error at its end');
    is($nginx->logged(qr/\[warn\] .*refused, session-unknown/), $n + 1,
       'one line');
};


done_testing();
