# Event streams and sessions of existing services: GET and DELETE without a
# message, for proven callers.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(is_sanitized port spew slurp tmp_dir);
use Parley::Existing;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams ();
use Parley::Upstream;

my $dir = tmp_dir();
my $service = Parley::Upstream->start(port(2));

sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [@_], kids => [],
                                       tokens => [] }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

revoke();

my $http = gateway_http(
    more => "parley_self ~gateway;\nparley_revocations $dir/revocations.json;\n"
          . "parley_audit $dir/audit.log;\n"
          . "proxy_cache_path $dir/cache keys_zone=answers:1m;\n",
    server =>
      location('/mcp', 'parley_accept c2a; parley_jwt on; '
                     . 'parley_limits body=2k;')
    . location('/both', 'parley_accept aee c2a; parley_speak c2a; '
                      . 'parley_jwt on;')
    . location('/ruled', 'parley_accept c2a; parley_jwt on; '
                       . 'parley_deny principal=bob; '
                       . 'parley_allow intent=c2a.tools.list;')
    . location('/paged', 'parley_accept c2a; parley_jwt on; '
                       . 'proxy_intercept_errors on; '
                       . 'error_page 500 = @else;')
    . location('@else', 'parley_accept c2a; parley_jwt on;')
    . location('/short', 'parley_accept c2a; parley_jwt on; '
                       . 'proxy_read_timeout 300ms;')
    . location('/unproven', 'parley_accept c2a; parley_trusted on;')
    . location('/argument', 'parley_accept c2a; parley_jwt on '
                          . 'token=$arg_key;')
    . location('/frames', 'parley_accept channel; parley_jwt on; '
                        . 'parley_limits body=4k;')
    . location('/shared', 'parley_accept channel; parley_jwt on; '
                        . 'parley_allow type=subscribe principal=alice '
                        . 'to=~bob;')
    . location('= /exact/~bob', 'parley_accept channel; parley_jwt on;')
    . location('/cached', 'parley_accept c2a; parley_jwt on; '
                        . 'proxy_cache answers; proxy_cache_valid any 1m; '
                        . 'proxy_ignore_headers Cache-Control Expires; '
                        . 'proxy_cache_key $uri;')
    . location('/spoken', 'parley_accept aee vcp; parley_speak channel; '
                        . 'parley_jwt on;')
    . location('/gone', 'parley_accept c2a; parley_jwt on;', port(9)));
my $identities = from_json(slurp("$dir/identities.json"));

$_->{handle} = "~$_->{sub}" for @{ $identities->{principals} };
spew("$dir/identities.json", jcs($identities));

my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));


existing($client, $service);


# Makes the service give a session to a principal.
sub session {
    my ($as, $id, $uri) = @_;

    $service->script('$c->answer(200, ["Mcp-Session-Id" => "' . $id . '"], '
                   . 'jcs({ jsonrpc => "2.0", id => $q->{json}{id}, '
                   . 'result => { protocolVersion => "2025-06-18" } }))');

    my $answer = $client->raw(post($uri // '/mcp', { jsonrpc => '2.0', id => 1,
        method => 'initialize', params => { protocolVersion => '2025-06-18',
        capabilities => {}, clientInfo => { name => 'x', version => '1' } } },
        as => $as));

    is($answer->{headers}{'mcp-session-id'}, $id, "$as gets $id")
        or diag $answer->{raw};

    return (headers => ['Mcp-Session-Id' => $id]);
}


my $note = '{"jsonrpc":"2.0","method":"notifications/message",'
         . '"params":{"level":"info","data":"one"}}';
my $roots = '{"jsonrpc":"2.0","id":"r-1","method":"roots/list"}';
my $result = '{"jsonrpc":"2.0","id":7,"result":{"tools":[]}}';


subtest 'MCP-05 a GET opens the stream of the server' => sub {
    my @of = session('alice', 'stream-1');
    my $stream = begin("\$c->out(\"id: 1\\ndata: \\n\\n\"); "
                     . "\$c->out(\"id: a/2\\nevent: message\\nretry: 900\\n"
                     . "data: \" . '$note' . \"\\n\\n\"); \$c->pause(1); "
                     . "\$c->out(\": alive\\n\\ndata: \" . '$roots' . "
                     . "\"\\n\\n\"); \$c->pause(1)", GET => '/mcp', @of);
    my $text = $stream->expect(qr/"one"/);

    like($text, qr/^HTTP\/1\.1 200 /, 'open');
    like($text, qr/^Content-Type: text\/event-stream\r$/m, 'its type');
    like($text, qr/^id: 1\ndata: ?\n\n/m, 'an id without data');
    like($text, qr/^id: a\/2\n/m, 'its id');
    like($text, qr/^event: message\n/m, 'its name');
    like($text, qr/^retry: 900\n/m, 'its retry');
    like($text, qr/^data: \Q$note\E\n/m, 'its data');
    unlike($text, qr/roots/, 'before the next one is sent');

    $text = $stream->expect(qr/roots/);

    like($text, qr/^: ?alive\n/m, 'a comment');
    like($text, qr/^data: \Q$roots\E\n/m, 'a request of the server');

    my $got = $service->last;

    is($got->{method}, 'GET');
    is($got->{headers}{'mcp-session-id'}, 'stream-1');
    is($got->{headers}{accept}, 'text/event-stream');
    like($got->{headers}{'parley-verified'}, qr/principal="alice"; token/,
         'the proof');
    is($got->{headers}{'content-type'}, undef, 'no type of a body');
    is($got->{body}, '', 'no body');
    is($nginx->logged(qr/\[warn\] .*parley: (refused|answer|upstream)/), 0,
       'no line');
};


subtest 'GW-33 MCP-05 the header does not wait for the first event' => sub {
    for my $uri ('/mcp', '/frames/~alice') {
        my $stream = begin('$c->pause(30)', GET => $uri);

        ok($stream->expect(qr/^HTTP.1\.1 200 .*\r\n\r\n/s, 15), $uri);
        $stream->leave;
    }
};


subtest 'MCP-05 Last-Event-ID passes, and the rest of an answer' => sub {
    my @of = session('alice', 'stream-2');
    my $event = "\$c->out(\"id: 9\\ndata: \" . '$result' . \"\\n\\n\")";

    push @{ $of[1] }, 'Last-Event-ID' => 'a/2';

    my $stream = begin($event, GET => '/mcp', @of);

    like($stream->expect(qr/"tools"/) // '',
         qr/^id: 9\ndata: \Q$result\E\n\n/m, 'the response');
    is($service->last->{headers}{'last-event-id'}, 'a/2');
    unlike($stream->answer->{body}, qr/event: error/, 'a proper end');

    my $n = $nginx->logged(qr/\[warn\] .*refused, upstream-invalid \/method/);
    my $answer = begin($event, GET => '/mcp', session('alice', 'stream-3'))
                 ->answer;

    unlike($answer->{body}, qr/"tools"/, 'a response without Last-Event-ID');
    like($answer->{body}, qr/^event: error\ndata: .*upstream-invalid/m,
         'an error instead');
    is($nginx->logged(qr/\[warn\] .*refused, upstream-invalid \/method/),
       $n + 1, 'one line');
};


subtest 'MCP-05 a session belongs to its principal' => sub {
    my @of = session('alice', 'stream-4');
    my $script = '$c->answer(204)';

    for my $method (qw(GET DELETE)) {
        my $n = $service->count;

        refused(ask($script, $method => '/mcp', @of, as => 'bob'),
                404, 'session-unknown', "$method of another principal");
        refused(ask($script, $method => '/both', @of, as => 'bob'),
                404, 'session-unknown', "$method at another location");
        refused(ask($script, $method => '/mcp',
                    headers => ['Mcp-Session-Id' => 'never-given']),
                404, 'session-unknown', "$method of an unknown session");
        refused(ask($script, $method => '/mcp', headers =>
                    ['Mcp-Session-Id' => 'stream-4', 'Mcp-Session-Id' => 'x']),
                404, 'session-unknown', "$method of two sessions");
        is($service->count, 0, 'the service has nothing of it');
    }

    refused(ask($script, DELETE => '/mcp'), 404, 'session-unknown',
            'DELETE without a session');

    like(begin("\$c->out(\"data: \" . '$note' . \"\\n\\n\")",
               GET => '/mcp')->expect(qr/"one"/) // '',
         qr/200/, 'GET without a session');
};


subtest 'MCP-05 a DELETE ends the record of the session' => sub {
    my @of = session('alice', 'stream-5');

    my $answer = ask('$c->answer(405, ["Content-Type", "text/plain"], "no")',
                     DELETE => '/mcp', @of);

    refused($answer, 405, 'method-not-allowed', 'a server that ends none');
    is($answer->{headers}{allow}, 'POST', 'what it takes');

    $answer = ask('$c->answer(200, ["Content-Type", "text/plain"], "gone")',
                  DELETE => '/mcp', @of);

    is($answer->{status}, 200, 'ended');
    is($answer->{body}, '', 'nothing unchecked passes');
    is($service->last->{method}, 'DELETE');

    refused(ask('$c->answer(204)', DELETE => '/mcp', @of), 404,
            'session-unknown', 'again');

    @of = session('alice', 'stream-6');
    is(ask('$c->answer(204)', DELETE => '/mcp', @of)->{status}, 204,
       'without content');
    refused(ask('$c->answer(204)', GET => '/mcp', @of), 404,
            'session-unknown', 'its stream');
};


subtest 'MCP-05 the server refuses in its own words' => sub {
    my $error = '{"jsonrpc":"2.0","error":{"code":-32000,'
              . '"message":"Method not allowed."},"id":null}';
    my $n = $nginx->logged(qr/\[warn\] .*parley: refused/);
    my $answer = ask("\$c->answer(405, [Allow => 'POST'], '$error')",
                     GET => '/mcp');

    is($answer->{status}, 405, '405 passes');
    is($answer->{body}, $error, 'with its error');
    is($answer->{headers}{allow}, 'POST');

    $answer = ask('$c->answer(405, ["Content-Type", "text/html"], "<p>")',
                  GET => '/mcp');

    refused($answer, 405, 'method-not-allowed', '405 with another body');
    is($answer->{headers}{allow}, 'POST');
    is($nginx->logged(qr/\[warn\] .*parley: refused/), $n, 'no warning');

    is(ask("\$c->answer(409, [], '$error')", GET => '/mcp')->{status}, 409,
       'a conflict');
    refused(ask('$c->answer(404)', GET => '/mcp'), 404, 'session-unknown',
            'the status 404');
    refused(ask('$c->answer(403, [], "no")', GET => '/mcp'), 502,
            'upstream-invalid', '403 without an error');
    refused(ask('$c->answer(503)', GET => '/mcp'), 503, 'capacity',
            'the status 503');
};


subtest 'MCP-05 an answer that is not a stream' => sub {
    my %bad = (
        'JSON' => "\$c->answer(200, [], '$note')",
        'HTML' => '$c->answer(200, ["Content-Type", "text/html"], "<p>")',
        'a redirect' => '$c->answer(302, [Location => "/else"], "")',
        'no content' => '$c->answer(204)',
        'no type' => '$c->answer(200, ["Content-Type", undef], "x")',
        'another status' => '$c->answer(202, ["Content-Type", '
                          . '"text/event-stream"], "data: 1\n\n")',
        'gzip' => '$c->answer(200, ["Content-Type", "text/event-stream", '
                . '"Content-Encoding", "gzip"], "x")',
        'another charset' => '$c->answer(200, ["Content-Type", '
                           . '"text/event-stream; charset=utf-16"], "x")',
        'X-Accel-Redirect' => '$c->answer(200, ["X-Accel-Redirect", "/mcp"], '
                            . '"x")',
        'nothing' => '$c->{keep} = 0',
    );

    for my $what (sort keys %bad) {
        my $answer = ask($bad{$what}, GET => '/mcp');

        refused($answer, 502, $what eq 'nothing' ? 'upstream-unavailable'
                                                 : 'upstream-invalid', $what);
        is($answer->{headers}{location}, undef, 'no address');
    }

    refused(ask('1', GET => '/gone'), 502, 'upstream-unavailable',
            'no service');
    refused(ask('$c->answer(500)', GET => '/paged'), 502,
            'upstream-unavailable', 'a page of errors');
    refused(ask('$c->pause(2)', GET => '/short'), 504, 'upstream-timeout',
            'silence');
};


subtest 'MCP-05 an invalid event ends the stream' => sub {
    my %bad = (
        'not JSON' => 'data: {\n\n',
        'another protocol' => 'data: {\"a\":1}\n\n',
        'a name twice' => 'data: {\"jsonrpc\":\"2.0\",\"method\":\"a\",'
                        . '\"method\":\"b\"}\n\n',
        'a batch' => 'data: [{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]\n\n',
        'not 2.0' => 'data: {\"jsonrpc\":\"1.0\",\"method\":\"a\"}\n\n',
        'a long line' => 'data: " . ("x" x 9000) . "',
        'a long event' => '" . ("data: 1\n" x 3000) . "\n',
        'no events' => '<html>\n',
        'a cut' => 'data: {\"jsonrpc\":',
    );

    $nginx->new_log_second;

    for my $what (sort keys %bad) {
        my $n = $nginx->logged(qr/\[warn\] .*refused, upstream-invalid/);
        my $answer = begin("\$c->out(\"data: \" . '$note' . \"\\n\\n"
                         . "$bad{$what}\"); \$c->pause(0.3); "
                         . "\$c->out(\"data: \" . '$roots' . \"\\n\\n\")",
                           GET => '/mcp')->answer;
        my @data = $answer->{body} =~ /^data: (.*)$/mg;

        is($answer->{status}, 200, $what);
        is($data[0], $note, 'the event before it');
        like($answer->{body}, qr/\nevent: error\ndata: .*upstream-invalid.*\n\n$/,
             'an error at its end') or diag $answer->{body};
        is(scalar @data, 2, 'nothing else');
        is($nginx->logged(qr/\[warn\] .*refused, upstream-invalid/), $n + 1,
           'one line');
    }
};


subtest 'MCP-05 line ends in an id begin no field' => sub {
    my $answer = begin("\$c->out(\"id: a\\rdata: x\\n\\n\")",
                       GET => '/mcp')->answer;

    unlike($answer->{body}, qr/^data: x/m, 'the data is checked');
    like($answer->{body}, qr/^event: error/m);
};


subtest 'MCP-05 a stream ends with its token' => sub {
    my $stream = begin("\$c->out(\"data: \" . '$note' . \"\\n\\n\"); "
                     . '$c->pause(8)', GET => '/mcp',
                       token => bearer('alice', exp => time + 2));

    ok($stream->expect(qr/"one"/), 'open');
    like($stream->expect(qr/event: error\ndata: .*token-expired/, 15) // '',
         qr/token-expired/, 'ended when it expires');

    $stream = begin("\$c->out(\"data: \" . '$note' . \"\\n\\n\"); "
                  . '$c->pause(15)', GET => '/mcp', as => 'lead');

    ok($stream->expect(qr/"one"/), 'open');
    revoke('lead');
    like($stream->expect(qr/event: error\ndata: .*token-invalid/, 15) // '',
         qr/token-invalid/, 'ended when it is revoked');
    ok($nginx->wait_for(qr/1 revocations of .* are in force/), 'logged');
    revoke();
};


subtest 'MCP-05 no unproven caller, no other method' => sub {
    my $script = '$c->events';

    for my $method (qw(GET DELETE)) {
        refused(ask($script, $method => '/mcp', token => 0), 401,
                'token-missing', "$method without a token");
        refused(ask($script, $method => '/mcp', token => 'Bearer e30.e30.e30'),
                401, 'token-invalid', "$method with a forged token");
        refused(ask($script, $method => '/mcp', body => 'x'), 400,
                'field-invalid', "$method with a body");
        refused(ask($script, $method => '/ruled', as => 'bob'), 403,
                'policy-refused', "$method of a denied caller");
        refused(ask($script, $method => '/to-vcp'), 405, 'method-not-allowed',
                "$method where the service has no streams");
        refused(ask($script, $method => '/unproven', token => 0), 405,
                'method-not-allowed', "$method where no token proves");
    }

    for my $method (qw(PUT OPTIONS PATCH)) {
        my $answer = ask($script, $method => '/mcp');

        refused($answer, 405, 'method-not-allowed', $method);
        is($answer->{headers}{allow}, 'POST, GET, DELETE');
    }

    is(ask($script, HEAD => '/mcp')->{status}, 405, 'HEAD');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'MCP-05 a token in the query stays here' => sub {
    my $token = bearer('alice') =~ s/^Bearer //r;
    my $stream = begin("\$c->out(\"data: \" . '$note' . \"\\n\\n\")",
                       GET => "/argument?a=1&key=$token", token => 0);

    ok($stream->expect(qr/"one"/), 'open');
    is($service->last->{uri}, '/argument?a=1');
};


subtest 'MCP-05 a client that leaves ends the stream' => sub {
    my $stream = begin("\$c->out(\"data: \" . '$note' . \"\\n\\n\"); "
                     . 'for (1 .. 100) { $c->pause(0.1); '
                     . 'last if !defined $c->out(": x\n\n") && $!{EPIPE} } '
                     . "\$c->out('')", GET => '/mcp');

    ok($stream->expect(qr/"one"/), 'open');
    $stream->leave;
    sleep 0.5;
    unlike($nginx->error_log, qr/the answer to its message is still awaited/,
           'nothing is awaited');
};


subtest 'GW-33 a caller reads its own stream' => sub {
    my $one = Parley::Streams::frame('bob', 'alice', text => 'one');
    my $two = Parley::Streams::frame('lead', 'alice', text => 'two');

    for my $uri ('/frames/~alice', '/frames') {
        my $answer = events($uri, [$one, $two], headers =>
                            ['Last-Event-ID' => 'x.1'])->answer;

        is($answer->{status}, 200, $uri) or diag $answer->{raw};
        is($answer->{body}, "id: 1\ndata: " . jcs($one) . "\n\nid: 2\ndata: "
                            . jcs($two) . "\n\n", 'each frame, with its id');
        is($service->last->{headers}{'last-event-id'}, 'x.1');
        is($service->last->{uri}, $uri);
    }
};


subtest 'GW-33 a rule lets a caller read the stream of another' => sub {
    my $one = Parley::Streams::frame('lead', 'bob', text => 'one');

    like(events('/shared/~bob', [$one])->answer->{body}, qr/"one"/,
         'by type=subscribe');

    refused(ask('$c->events', GET => '/shared/~lead'), 403,
            'scope-unauthorised', 'another one');
    refused(ask('$c->events', GET => '/shared/~alice', as => 'lead'), 403,
            'scope-unauthorised', 'another caller');
    refused(ask('$c->events', GET => '/frames/~bob'), 403,
            'scope-unauthorised', 'without a rule');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'GW-33 a location whose own path has a name' => sub {
    refused(ask('$c->events', GET => '/exact/~bob'), 400, 'field-invalid',
            'a path that the service reads as the stream of another');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'MCP-05 a cache of nginx gives no answer to another caller' => sub {
    for my $as (qw(alice bob)) {
        my @of = session($as, "cached-$as", '/cached');
        my $error = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,'
                  . '"message":"for ' . $as . '"}}';

        for (1, 2) {
            my $answer = ask("\$c->answer(409, [], '$error')",
                             GET => '/cached', as => $as, @of);

            is($answer->{body}, $error, "the service answers $as");
            is($service->count, 1, 'each time');
        }
    }
};


subtest 'SEC-15 an event that comes with the end of the token' => sub {
    my $stream = begin("\$c->pause(3.5); \$c->out(\"data: \" . '$note' . "
                     . '"\n\n"); $c->pause(8)', GET => '/mcp',
                       token => bearer('alice', exp => time + 2));
    my $answer = $stream->answer;

    unlike($answer->{raw}, qr/"one"/, 'no event after the end');
};


subtest 'GW-33 a path that a service could read otherwise' => sub {
    for my $path ('', '~bob/', '~alice/', 'x/', '~bob/~alice', '%7Ealice', '~bob%2f..%2f~alice',
                  './~alice', 'x/../~alice', '/~alice', '~alice?scope=~bob/*')
    {
        refused(ask('$c->events', GET => "/frames/$path"), 400,
                'field-invalid', $path);
    }

    refused(ask('$c->events', GET => '/frames/alice'), 400, 'field-invalid',
            'not a name');
    refused(ask('$c->events', GET => '/frames/~alice', body => 'x'), 400,
            'field-invalid', 'a body');
    refused(ask('$c->events', GET => '/frames/~alice', token => 0), 401,
            'token-missing', 'no token');
    refused(ask('$c->events', GET => '/spoken/~alice'), 405,
            'method-not-allowed', 'several protocols of clients');
    refused(ask('$c->events', DELETE => '/frames/~alice'), 405,
            'envelope-version-unsupported', 'DELETE');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'GW-33 an invalid frame ends the stream' => sub {
    my $one = Parley::Streams::frame('bob', 'alice', text => 'one');
    my %bad = (
        'no frame' => { a => 1 },
        'an unknown member' => { %$one, colour => 'red' },
        'a missing member' => { %$one, sender_handle => undef },
        'the name of the gateway' => { %$one,
                                       sender_handle => '~gateway' },
        'a long text' => Parley::Streams::frame('bob', 'alice',
                                                text => 'x' x 5000),
    );

    $nginx->new_log_second;

    for my $what (sort keys %bad) {
        my $n = $nginx->logged(qr/\[warn\] .*refused, upstream-invalid/);
        my $answer = events('/frames/~alice', [$one, $bad{$what}, $one])
                     ->answer;

        my ($error) = $answer->{body} =~
                      /^id: 1\ndata: \Q${\ jcs($one)}\E\n\n(.*)/s;
        my $id = $what eq 'a long text' ? '' : "id: 2\n";

        # the id lets a client that resumes skip the event

        like($error,
             qr/^${id}event: error\ndata: .*upstream-invalid.*\n\n$/, $what)
            or diag $answer->{body};
        is($nginx->logged(qr/\[warn\] .*refused, upstream-invalid/), $n + 1,
           'one line');
    }
};


subtest 'GW-33 a frame between two other parties ends the stream' => sub {
    my $foreign = Parley::Streams::frame('lead', 'bob', text => 'secret');
    my $answer = events('/frames/~alice', [$foreign])->answer;

    unlike($answer->{body}, qr/secret/, 'nobody else\'s frame');
    like($answer->{body}, qr/event: error\ndata: .*"\/recipient_handle"/,
         'the member at fault');

    my $sent = Parley::Streams::frame('alice', 'bob', text => 'echo');

    like(events('/frames/~alice', [$sent])->answer->{body}, qr/"echo"/,
         'a frame of the owner');
    like(events('/shared/~bob', [$foreign])->answer->{body}, qr/"secret"/,
         'a frame for the owner, read by another');
};


subtest 'GW-33 an event without its blank line, a comment with NUL' => sub {
    my $one = jcs(Parley::Streams::frame('bob', 'alice', text => 'one'));
    my $answer = begin("\$c->out(': a' . chr(0) . \"b\\n\\n: kept\\n\\n"
                     . "id: 1\\ndata: \" . '$one' . \"\\n\\nid: 2\\ndata: \""
                     . " . '$one' . \"\\n\")", GET => '/frames/~alice')->answer;
    my @data = $answer->{body} =~ /^data: (.*)$/mg;

    is($data[0], $one, 'the whole event');
    is(scalar @data, 2, 'not the other one');
    like($data[1], qr/upstream-invalid/, 'the stream ended early');
    unlike($answer->{body}, qr/\0/, 'no NUL');
    like($answer->{body}, qr/^:\n/m, 'a keepalive');
    like($answer->{body}, qr/^: kept\n/m, 'another comment');

    $answer = begin("\$c->out(\"data: \" . '$one' . \"\")",
                    GET => '/frames/~alice')->answer;
    unlike($answer->{body}, qr/"one"/, 'cut in its line');
};


subtest 'GW-33 headers of the service' => sub {
    my @bad = ('Content-Digest' => 'sha-256=:x:', Digest => 'x',
               'Content-MD5' => 'x', Refresh => '0; url=http://x/',
               'WWW-Authenticate' => 'Basic realm=x', Signature => 'a=:x:',
               'Signature-Input' => 'a=()', Location => 'http://x/',
               'Parley-Verified' => 'principal="x"', Trailer => 'x',
               ETag => '"x"', 'Last-Modified' => 'x', Link => '<x>; rel=y',
               'Content-Location' => '/x', 'Accept-Ranges' => 'bytes');
    my @good = ('Mcp-Session-Id' => 'given-1', 'Cache-Control' => 'no-store',
                'X-Other' => '1');
    my $list = join ', ', map { "'$_'" } @bad, @good;

    for my $uri ('/mcp', '/frames/~alice') {
        my $answer = ask("\$c->answer(200, ['Content-Type', "
                       . "'text/event-stream', $list], '')", GET => $uri);

        is($answer->{status}, 200, $uri) or diag $answer->{raw};
        is($answer->{headers}{lc $bad[2 * $_]}, undef, $bad[2 * $_])
            for 0 .. @bad / 2 - 1;
        is($answer->{headers}{'cache-control'}, 'no-store');
        is($answer->{headers}{'x-other'}, 1);
        is($answer->{headers}{'mcp-session-id'},
           $uri eq '/mcp' ? 'given-1' : undef, 'a header of the protocol');
    }

    my $result = jcs({ jsonrpc => '2.0', id => 1, result => {} });

    $service->script("\$c->answer(200, ['Content-Type', 'text/event-stream', "
                   . "$list], 'data: $result' . \"\\n\\n\")");

    my $answer = $client->raw(post('/mcp', { jsonrpc => '2.0', id => 1,
                                             method => 'tools/list' }));

    like($answer->{body}, qr/"result"/, 'events that answer a POST');
    is($answer->{headers}{lc $bad[2 * $_]}, undef, $bad[2 * $_])
        for 0 .. @bad / 2 - 1;
    is($answer->{headers}{'mcp-session-id'}, 'given-1');
};


subtest 'GW-33 MCP-05 a status that HTTP does not have' => sub {
    my $error = '{"jsonrpc":"2.0","error":{"code":-32000,"message":"x"},'
              . '"id":null}';

    for my $status (600, 999, 299, 304, 199, 101) {
        my $answer = ask("\$c->answer($status, [], '$error')", GET => '/mcp');

        refused($answer, 502, 'upstream-invalid', "$status to a GET");

        next if $status == 299 || $status == 304;

        $service->script("\$c->answer($status, [], '$error')");
        refused($client->raw(post('/mcp', { jsonrpc => '2.0', id => 1,
                                            method => 'tools/list' })),
                502, 'upstream-invalid', "$status to a POST");
    }
};


subtest 'GW-33 a service that never ends a line' => sub {
    $nginx->new_log_second;

    my $n = $nginx->logged(qr/\[warn\] .*refused, upstream-invalid/);
    my $answer = begin("\$SIG{PIPE} = 'IGNORE'; for (1 .. 1600) { "
                     . "syswrite(\$c->{socket}, 'x' x 65536) or last }",
                       GET => '/frames/~alice')->answer;

    like($answer->{body}, qr/^event: error\ndata: .*upstream-invalid/m,
         '100 MB');
    is(length($answer->{body}) < 1000, 1, 'nothing of it');
    is($nginx->logged(qr/\[warn\] .*refused, upstream-invalid/), $n + 1,
       'one line');
};


# Returns the resident memory of a process, in kB.
sub rss { slurp("/proc/$_[0]/status") =~ /^VmRSS:\s+(\d+)/m ? $1 : 0 }


subtest 'GW-33 a slow client bounds what a fast service sends' => sub {
    my $frame = jcs(Parley::Streams::frame('bob', 'alice', text => 'x' x 900));
    my $stream = begin("open my \$out, '>', '$dir/sent'; "
                     . "my \$e = 'data: $frame' . \"\\n\\n\"; "
                     . 'for my $n (1 .. 60000) { $c->out($e); '
                     . 'next if $n % 100; sysseek $out, 0, 0; '
                     . 'syswrite $out, $n }', GET => '/frames/~alice');

    ok($stream->expect(qr/data: \{/), 'open');

    # the service stops when the buffers of the sockets are full

    my ($last, $same) = (-1, 0);

    for (1 .. 200) {
        my $now = -s "$dir/sent" ? slurp("$dir/sent") : -1;
        $same = $now == $last ? $same + 1 : 0;
        $last = $now;
        last if $same == 10;
        sleep 0.1;
    }

    cmp_ok($last, '<', 60000, "the service waits after $last events");

    my ($worst) = sort { $b <=> $a } map { rss($_) } split / /,
                  slurp("/proc/${\ $nginx->pid}/task/${\ $nginx->pid}/children");

    SKIP: {
        skip 'memory is not measured under sanitizers', 1 if is_sanitized();
        cmp_ok($worst, '<', 100_000, "kB of a worker");
    }
    $stream->leave;
};


subtest 'GW-33 a reload leaves an open stream' => sub {
    my $one = jcs(Parley::Streams::frame('bob', 'alice', text => 'one'));
    my $two = jcs(Parley::Streams::frame('bob', 'alice', text => 'two'));
    my $stream = begin("\$c->out('data: $one' . \"\\n\\n\"); "
                     . "\$c->pause(0.05) until -e '$dir/go'; "
                     . "\$c->out('data: $two' . \"\\n\\n\")",
                       GET => '/frames/~alice');

    ok($stream->expect(qr/"one"/), 'open');
    ok($nginx->reload, 'a reload');
    spew("$dir/go", 1);
    like($stream->answer->{body}, qr/"two"/, 'the rest of the stream');
};


subtest 'GW-33 an answer that is not a stream, and the end of a token' => sub {
    refused(ask('$c->answer(200, [], "{}")', GET => '/frames/~alice'), 502,
            'upstream-invalid', 'JSON');
    refused(ask('$c->answer(405)', GET => '/frames/~alice'), 405,
            'envelope-version-unsupported', 'no stream');

    my $one = Parley::Streams::frame('bob', 'alice', text => 'one');
    my $stream = begin("\$c->out('data: " . jcs($one) . "\n\n'); "
                     . '$c->pause(8)', GET => '/frames/~alice',
                       token => bearer('alice', exp => time + 2));

    ok($stream->expect(qr/"one"/), 'open');
    ok($stream->expect(qr/event: error\ndata: .*token-expired/, 15),
       'ended when it expires');
};


subtest 'MCP-05 the audit log names the stream' => sub {
    my @lines = map { from_json($_) } split /\n/, slurp("$dir/audit.log");

    ok((grep { ($_->{type} // '') eq 'stream'
               && ($_->{principal} // '') eq 'alice'
               && ($_->{verdict} // '') eq 'passed' } @lines), 'GET');
    ok((grep { ($_->{type} // '') eq 'session'
               && ($_->{verdict} // '') eq 'passed' } @lines), 'DELETE');
};


done_testing();
