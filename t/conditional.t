# Conditions and ranges in requests: nginx's filters and services would answer
# 304, 412 or 206 after the message was taken.  They have no effect (GW-36).

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $proxy = 'proxy_pass http://127.0.0.1:' . port(2) . ';';
my $nginx = Parley::Nginx->start(http => streams_http(
    identities => streams_identities(bob => { parent => 'alice' }),
    more => "parley_vcp_context ctx|gateway;\n"
          . "parley_vcp_constitution creed://ops.example/gateway\@1;",
    locations => <<"EOT"));
        location = /aee { parley_jwt on; parley_submit aee c2a; }
        location = /keys { parley_jwt on; parley_keys; }
        location = /control { parley_jwt on; parley_control;
                              parley_allow type=control principal=agent.alice; }
        location /roster/ { parley_jwt on; parley_roster channel; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=1s; }
        location = /forward { parley_jwt on; parley_accept aee; $proxy }
        location = /to-aee { parley_jwt on; parley_accept vcp; parley_speak aee;
                             proxy_force_ranges on; $proxy }
        location = /to-c2a { parley_jwt on; parley_accept aee; parley_speak c2a;
                             proxy_force_ranges on; $proxy }
        location = /dry { parley_jwt on; parley_accept aee; parley_dry_run on;
                          $proxy }
EOT
my $client = Parley::Client->new(port => port(1), tls => 0);

my @conditions = (['If-None-Match' => '*'], ['If-Match' => '"x"'],
                  ['If-Unmodified-Since' => 'Sat, 29 Oct 1994 19:43:31 GMT'],
                  ['If-Modified-Since' => 'Sat, 29 Oct 2094 19:43:31 GMT'],
                  ['Range' => 'bytes=0-1'],
                  ['Range' => 'bytes=0-1', 'If-Range' => '"etag"']);

# a service that answers with these: a resource that has them
my $RESULT = <<'EOT';
    my $etag = ['Content-Type', 'application/json', 'ETag', '"etag"',
                'Last-Modified', 'Sat, 29 Oct 2000 19:43:31 GMT'];
    $c->answer(200, $etag, jcs(result($q->{json})));
EOT

my $event = { type => 'event' };


sub call {
    my ($method, %params) = @_;
    return { jsonrpc => '2.0', id => 1, method => $method,
             params => \%params };
}


# each: name, method, URI, code that makes a body, the status
my @requests = (
    ['a submission', 'POST', '/aee', sub { aee(%$event, to => 'agent.bob') },
     202],
    ['a frame', 'POST', '/channel/frames?scope=~bob',
     sub { frame('alice', 'bob') }, 200],
    ['a refusal of JSON-RPC', 'POST', '/aee', sub { call('chat/none') }, 400],
    ['initialize', 'POST', '/mcp',
     sub { call('initialize', protocolVersion => '2025-11-25') }, 200],
    ['a refusal of MCP', 'POST', '/mcp',
     sub { call('tools/call', name => 'none') }, 200],
    ['tools/list', 'POST', '/mcp', sub { call('tools/list') }, 200],
    ['the roster', 'GET', '/roster/~alice', undef, 200],
    ['suspensions', 'GET', '/control', undef, 200],
    ['keys', 'GET', '/keys?sub=bob', undef, 200],
    ['the status', 'GET', '/status', undef, 200],
    ['an answer that passes', 'POST', '/forward', sub { aee() }, 200],
    ['an answer to VCP', 'POST', '/to-aee',
     sub { vcp(sender => 'agent://ops.example/alice',
               recipient => 'agent://ops.example/bob') }, 200],
);

for (@requests) {
    my ($what, $method, $uri, $make, $status) = @$_;

    subtest "GW-36 $what" => sub {
        $service->script($RESULT);

        my $plain = send_one($method, $uri, $make);

        is($plain->{status}, $status, 'without a condition')
            or diag($plain->{body});

        for my $condition (@conditions) {
            $service->clear;

            my $answer = send_one($method, $uri, $make, @$condition);

            is($answer->{status}, $plain->{status}, "@$condition")
                or diag($answer->{body});
            is(length $answer->{body}, length $plain->{body})
                if $uri ne '/status';
            is($answer->{headers}{$_}, $plain->{headers}{$_}, $_)
                for qw(content-type content-range);
            is_deeply([grep { /^(?:if-|range)/ }
                       map { keys %{ $_->{headers} } } $service->requests], [],
                      'the service gets none');
        }
    };
}


sub send_one {
    my ($method, $uri, $make, @headers) = @_;

    return $client->send($method, $uri, $make ? jcs($make->()) : undef,
                         Authorization => bearer('alice'), @headers);
}


subtest 'GW-36 a stream' => sub {
    for my $condition (@conditions) {
        my $stream = listen_to('alice', headers => $condition);

        is($stream->status, 200, "@$condition");
        is($stream->{headers}{'content-range'}, undef);
        $stream->leave;
    }
};


subtest 'GW-36 an answer of events' => sub {
    for my $uri ('/forward', '/to-c2a') {
        for my $condition (@conditions) {
            $service->script('$c->answer(200, ["Content-Type", '
                . '"text/event-stream", "ETag", "\"etag\""], "")');
            is(send_one('POST', $uri, sub { aee() }, @$condition)->{status},
               200, "$uri @$condition");
        }
    }
};


subtest 'GW-36 SEC-20 a dry run leaves the headers unchanged' => sub {
    $service->script($RESULT);
    $service->clear;
    send_one('POST', '/dry', sub { aee() }, 'If-None-Match' => '"etag"');
    is($service->last->{headers}{'if-none-match'}, '"etag"');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
