# Event streams of existing services for clients of another protocol, and the
# streams of services that speak AEE.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port spew slurp tmp_dir);
use Parley::Existing;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams ();
use Parley::Upstream;

my $dir = tmp_dir();
my $service = Parley::Upstream->start(port(2));

my $http = gateway_http(
    more => "parley_self human.gateway;\n",
    server =>
      location('/agents', 'parley_accept aee; parley_speak channel; '
                        . 'parley_jwt on; parley_limits body=4k;')
    . location('/shared', 'parley_accept aee; parley_speak channel; '
                        . 'parley_jwt on; parley_allow type=subscribe '
                        . 'principal=alice to=agent.bob;')
    . location('/peer', 'parley_accept vcp; parley_speak channel; '
                      . 'parley_jwt on; parley_vcp_context ctx|x;')
    . location('/chat', 'parley_accept c2a; parley_speak channel; '
                      . 'parley_jwt on;')
    . location('/frames', 'parley_accept channel; parley_speak aee; '
                        . 'parley_jwt on;')
    . location('/envelopes', 'parley_accept aee; parley_jwt on;')
    . "location /path { parley_accept aee; parley_speak channel; "
    . "parley_jwt on; proxy_pass http://127.0.0.1:${\ port(2)}/inner; }\n"
    . "location /uri { parley_accept aee; parley_speak channel; parley_jwt on; "
    . "proxy_pass http://127.0.0.1:${\ port(2)}\$request_uri; }\n"
    . location('/rooms', 'parley_accept aee; parley_speak c2a; '
                       . 'parley_jwt on;'));
my $identities = from_json(slurp("$dir/identities.json"));

$_->{handle} = "~$_->{sub}" for @{ $identities->{principals} };
spew("$dir/identities.json", jcs($identities));

my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));

existing($client, $service);


# Returns the data of events, each read as JSON.
sub data { map { from_json($_) } $_[0] =~ /^data: (.*)$/mg }


# Returns the ids of events.
sub ids { $_[0] =~ /^id: (.*)$/mg }


subtest 'GW-33 frames for a client of AEE' => sub {
    my $one = Parley::Streams::frame('bob', 'alice', text => 'one');
    my $two = Parley::Streams::frame('lead', 'alice', text => 'two');

    for my $path ('/agents/agent.alice', '/agents') {
        my $answer = events($path, [$one, $two], headers =>
                            ['Last-Event-ID' => 'x.1'])->answer;

        is($answer->{status}, 200, $path) or diag $answer->{raw};
        is_deeply([ids($answer->{body})], [1, 2], 'the ids');

        my @got = data($answer->{body});

        is(scalar @got, 2, 'each frame');
        is($got[0]{from}, 'agent.bob');
        is($got[0]{to}, 'agent.alice');
        is($got[0]{type}, 'event');
        is($got[0]{payload}{advisory_text}, 'one');
        is($got[0]{sig}{kid}, 'gateway-1', 'signed by the gateway');
        is($got[1]{from}, 'agent.lead');
        is($got[1]{payload}{advisory_text}, 'two');

        is($service->last->{headers}{'last-event-id'}, 'x.1');
        is($service->last->{uri}, $path =~ s/agent\./~/r, 'the path');
    }
};


subtest 'GW-33 frames for a client of C2A, envelopes for one of agent-channel'
    => sub
{
    my $frame = Parley::Streams::frame('bob', 'alice', text => 'one');
    my @got = data(events('/chat/human:alice', [$frame])->answer->{body});

    is(scalar @got, 1);
    is($got[0]{method}, 'chat/deliver');
    is($got[0]{params}{content}[0]{text}, 'one');
    is($service->last->{uri}, '/chat/~alice');

    my $envelope = aee(from => 'agent.bob', to => 'agent.alice',
                       type => 'event');

    @got = data(events('/frames/~alice', [$envelope])->answer->{body});

    is(scalar @got, 1);
    is($got[0]{kind}, 'agent_advisory');
    is($got[0]{sender_handle}, '~bob');
    is($got[0]{recipient_handle}, '~alice');
    is($service->last->{uri}, '/frames/agent.alice');
};


subtest 'GW-33 a service that speaks AEE' => sub {
    my @all = map { aee(from => 'agent.bob', to => 'agent.alice',
                        type => 'stream', payload => { seq => $_ },
                        reply_to => uuid4()) } 1, 2;
    my $answer = events('/envelopes/agent.alice', \@all)->answer;

    is($answer->{status}, 200) or diag $answer->{raw};
    is($answer->{body}, "id: 1\ndata: " . jcs($all[0]) . "\n\nid: 2\ndata: "
                        . jcs($all[1]) . "\n\n", 'each envelope, unchanged');
    is($service->last->{uri}, '/envelopes/agent.alice');
};


subtest 'GW-33 the stream of another principal' => sub {
    my $frame = Parley::Streams::frame('lead', 'bob', text => 'one');

    is(scalar(data(events('/shared/agent.bob', [$frame])->answer->{body})), 1,
       'by type=subscribe');
    is($service->last->{uri}, '/shared/~bob');

    refused(ask('$c->events', GET => '/shared/agent.lead'), 403,
            'E_SCOPE_UNAUTHORISED', 'another one');
    refused(ask('$c->events', GET => '/agents/agent.bob'), 403,
            'E_SCOPE_UNAUTHORISED', 'without a rule');
    refused(ask('$c->events', GET => '/envelopes/agent.bob'), 403,
            'E_SCOPE_UNAUTHORISED', 'of a service that speaks AEE');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'GW-33 an event that cannot be translated ends the stream' => sub {
    my $frame = Parley::Streams::frame('bob', 'alice', text => 'one');
    my $answer = events('/peer', [$frame, $frame])->answer;

    like($answer->{body}, qr/event: error\ndata: .*translation-unsupported/,
         'an error in the protocol of the client');
    is(scalar(data($answer->{body})), 1, 'nothing else');
    ok($nginx->wait_for(qr/\[warn\] .*translation-unsupported \/kind: /),
       'the log names the member');
};



# Sends a task, which the service only takes; returns the task and the frame.
sub asked {
    my %o = @_;
    my $task = aee(%o);

    $service->script(undef);
    $service->clear;

    my $answer = $client->raw(post('/agents', $task));

    is($answer->{status}, 202, 'a task') or diag $answer->{raw};

    return ($task, $service->last->{json});
}


sub response {
    my ($query, $from, %o) = @_;

    return Parley::Streams::frame($from, 'alice', kind => 'agent_response',
        payload => { query_id => $query->{payload}{query_id},
                     responder_session_id => 's1', response_text => 'done' },
        %o);
}


subtest 'GW-33 an answer on the stream names the task' => sub {
    my ($task, $query) = asked();
    my @got = data(events('/agents/agent.alice', [response($query, 'bob')])
                   ->answer->{body});

    is(scalar @got, 1) or return;
    is($got[0]{type}, 'result');
    is($got[0]{reply_to}, $task->{id});
    is($got[0]{corr}, $task->{corr});
    is($got[0]{from}, 'agent.bob');
    is($got[0]{to}, 'agent.alice');

    @got = data(events('/agents/agent.alice', [response($query, 'bob')])
                ->answer->{body});

    is($got[0]{type}, 'result', 'again, for a client that resumes');

    like(events('/agents/agent.alice', [response($query, 'lead')])
         ->answer->{body}, qr/event: error\ndata: .*E_UPSTREAM_INVALID/,
         'an answer in the name of another');
    like(events('/agents/agent.alice',
                [response({ payload => { query_id => uuid4() } }, 'bob')])
         ->answer->{body}, qr/event: error\ndata: .*E_UPSTREAM_INVALID/,
         'an answer to an unknown task');
};


subtest 'GW-33 each event before the next, with comments' => sub {
    my $one = jcs(Parley::Streams::frame('bob', 'alice', text => 'one'));
    my $two = jcs(Parley::Streams::frame('bob', 'alice', text => 'two'));
    my $stream = begin("\$c->out('id: 1' . \"\\n\" . 'data: $one' . \"\\n\\n\");"
                     . " \$c->pause(0.02) until -e '$dir/read'; "
                     . "\$c->out(\": alive\\n\\nretry: 900\\nid: 2\\ndata: \" "
                     . ". '$two' . \"\\n\\n\"); \$c->pause(20)",
                       GET => '/agents/agent.alice');

    my $text = $stream->expect(qr/"one"/);

    ok($text, 'the first');
    spew("$dir/read", 1);
    $text = $stream->expect(qr/"two"/);
    like($text, qr/^id: 1\n.*^: ?alive\n.*^id: 2\nretry: 900\ndata: /ms,
         'in order');
    $stream->leave;
};


subtest 'GW-33 an invalid event ends the stream' => sub {
    my $one = Parley::Streams::frame('bob', 'alice', text => 'one');
    my %bad = (
        'no frame' => [{ a => 1 }],
        'an envelope' => [aee(from => 'agent.bob', to => 'agent.alice')],
        'an unknown member' => [{ %$one, colour => 'red' }, '/colour'],
        'a missing member' => [{ %$one, sender_handle => undef },
                               '/sender_handle'],
        'the name of the gateway' => [{ %$one, sender_handle => '~gateway',
                                        acted_by => '~gateway' },
                                      '/sender_handle'],
        'between others' => [Parley::Streams::frame('bob', 'lead'),
                             '/recipient_handle'],
        'a long text' => [Parley::Streams::frame('bob', 'alice',
                                                 text => 'x' x 5000)],
    );

    $nginx->new_log_second;

    for my $what (sort keys %bad) {
        my ($event, $field) = @{ $bad{$what} };
        my $n = $nginx->logged(qr/\[warn\] .*refused, upstream-invalid/);
        my $answer = events('/agents/agent.alice', [$one, $event, $one])
                     ->answer;
        my @got = data($answer->{body});

        is(scalar @got, 2, $what) or diag $answer->{body};
        is($got[0]{type}, 'event', 'the event before it');
        is($got[1]{type}, 'error');
        is($got[1]{payload}{code}, 'E_UPSTREAM_INVALID');
        is($got[1]{payload}{field}, $field, 'its member') if $field;
        is_deeply([ids($answer->{body})],
                  $what eq 'a long text' ? [1] : [1, 2],
                  'a client that resumes skips it');
        is($nginx->logged(qr/\[warn\] .*refused, upstream-invalid/), $n + 1,
           'one line');
    }
};


subtest 'GW-33 ids with line ends and NUL' => sub {
    my $one = jcs(Parley::Streams::frame('bob', 'alice', text => 'one'));
    my $answer = begin("\$c->out(\"id: a\\0b\\ndata: \" . '$one' . \"\\n\\n"
                     . "id: x\\revent: y\\rdata: \" . '$one' . \"\\n\\n\")",
                       GET => '/agents/agent.alice')->answer;

    is_deeply([ids($answer->{body})], ['x'], 'an id with NUL is no id');
    unlike($answer->{body}, qr/[\0\r]/, 'no such octet');
    is(scalar(data($answer->{body})), 2, 'each event');
};


subtest 'GW-33 an answer that is not a stream' => sub {
    my $events = '"Content-Type", "text/event-stream"';
    my %bad = (
        'JSON' => '$c->answer(200, [], "{}")',
        'HTML' => '$c->answer(200, ["Content-Type", "text/html"], "<p>")',
        'a redirect' => '$c->answer(302, [Location => "/else"], "")',
        'no content' => '$c->answer(204)',
        'gzip' => "\$c->answer(200, [$events, 'Content-Encoding', 'gzip'], "
                . '"x")',
        'another charset' => '$c->answer(200, ["Content-Type", '
                           . '"text/event-stream; charset=utf-16"], "x")',
        'a refusal' => '$c->answer(403, [], jcs({ code => "x", '
                     . 'message => "y" }))',
        'status 600' => '$c->answer(600, [], "{}")',
        'X-Accel-Redirect' => '$c->answer(200, ["X-Accel-Redirect", "/x"], '
                            . '"x")',
    );

    for my $what (sort keys %bad) {
        my $answer = ask($bad{$what}, GET => '/agents/agent.alice');

        refused($answer, 502, 'E_UPSTREAM_INVALID', $what);
        is($answer->{headers}{location}, undef, 'no address');
    }

    refused(ask('$c->{keep} = 0', GET => '/agents'), 502,
            'E_UPSTREAM_UNAVAILABLE', 'nothing');
    refused(ask('$c->answer(503)', GET => '/agents'), 503, 'E_CAPACITY', 'status 503');

    for my $status (404, 405, 501) {
        refused(ask("\$c->answer($status)", GET => '/agents'), 405,
                'E_METHOD_NOT_ALLOWED', "status $status");
    }
};


subtest 'GW-33 MCP-02 a client of MCP finds no stream' => sub {
    my $n = $nginx->logged(qr/\[warn\] .*parley: refused/);

    for my $script ('$c->answer(200, [], "{}")', '$c->answer(404)',
                    '$c->answer(405)',
                    '$c->answer(200, ["Content-Type", "text/html"], "<p>")')
    {
        my $answer = ask($script, GET => '/chat');

        refused($answer, 405, 'method-not-allowed', $script);
        is($answer->{headers}{allow}, 'POST');
    }

    is($nginx->logged(qr/\[warn\] .*parley: refused/), $n, 'no warning');
};


subtest 'GW-33 the path of the service' => sub {
    my %path = ('/agents/agent%2Ealice' => '/agents/~alice',
                '/agents/x%3Fy%20/agent.alice' => '/agents/x%3Fy%20/~alice',
                '/agents/agent.alice?a=1' => '/agents/~alice?a=1',
                '/agents/a/../agent.alice' => '/agents/~alice',
                '/path/agent.alice' => '/inner/~alice',
                '/path/a%3F/agent.alice?b=%3F' => '/inner/a%3F/~alice?b=%3F',
                '/uri/agent.alice?a=1' => '/uri/~alice?a=1',
                '/agents?a=1' => '/agents?a=1');

    for my $path (sort keys %path) {
        is(ask('$c->events', GET => $path)->{status}, 200, $path);
        is($service->last->{uri}, $path{$path});
    }

    $service->clear;

    for my $path ('agent.bob/agent.alice', 'x/human.bob/y/agent.alice',
                  '~bob/agent.alice', 'agent.alice?scope=~bob', '~alice') {
        my $answer = ask('$c->events', GET => "/agents/$path");

        like($answer->{status}, qr/^40[03]$/, $path);
    }

    refused(ask('$c->events', GET => '/agents/agent.alice', token => 0), 401,
            'E_TOKEN_MISSING', 'no token');
    refused(ask('$c->events', GET => '/agents', body => 'x'), 400,
            'E_FIELD_INVALID', 'a body');
    is(ask('$c->events', DELETE => '/agents')->{status}, 405, 'DELETE');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'GW-33 a service that speaks C2A' => sub {
    my $event = jcs(from_json((events('/chat', [
        Parley::Streams::frame('bob', 'alice', text => 'one')
    ])->answer->{body} =~ /^data: (.*)$/m)[0]));
    my @got = data(begin("\$c->out('data: $event' . \"\\n\\n\")",
                         GET => '/rooms')->answer->{body});

    is($got[0]{from}, 'agent.bob') or diag jcs(\@got);
    is($got[0]{payload}{advisory_text} // $got[0]{payload}{text}, 'one');

    @got = data(begin('$c->out(q(data: {"jsonrpc":"2.0","id":1,"result":{}}) '
                    . '. "\n\n")', GET => '/rooms', headers =>
                      ['Last-Event-ID' => 'x'])->answer->{body});
    is($got[0]{payload}{code}, 'E_UPSTREAM_INVALID', 'a response');

    refused(ask('$c->events', GET => '/rooms',
                headers => ['Mcp-Session-Id' => 'never-given']), 404,
            'E_SESSION_UNKNOWN', 'an unknown session');
};


subtest 'GW-33 SEC-15 a translated stream ends with its token' => sub {
    my $one = jcs(Parley::Streams::frame('bob', 'alice', text => 'one'));
    my $stream = begin("\$c->out('data: $one' . \"\\n\\n\"); \$c->pause(8)",
                       GET => '/agents/agent.alice',
                       token => bearer('alice', exp => time + 2));

    ok($stream->expect(qr/"one"/), 'open');
    ok($stream->expect(qr/event: error\ndata: .*E_TOKEN_EXPIRED/, 15),
       'ended when it expires');
};


subtest 'GW-33 a signed envelope passes unchanged, an invalid one does not'
    => sub
{
    my $event = aee(from => 'agent.bob', to => 'agent.alice', type => 'event');
    my %bad = ('another name' => aee(from => "human.gateway",
                                     to => 'agent.alice', type => 'event'),
               'another reader' => aee(from => 'agent.lead', to => 'agent.bob'),
               'another case' => { %$event, From => 'agent.lead' },
               'no id' => { %$event, id => undef });

    my $answer = events('/envelopes', [sign_aee($event, person('bob')->{key})])
                 ->answer;

    like($answer->{body}, qr/"kid":"bob-key"/, 'with its signature')
        or diag $answer->{body};

    for my $what (sort keys %bad) {
        my @got = data(events('/envelopes', [$bad{$what}])->answer->{body});

        is($got[0]{payload}{code}, 'E_UPSTREAM_INVALID', $what)
            or diag jcs(\@got);
    }
};


done_testing();
