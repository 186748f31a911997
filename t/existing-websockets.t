# WebSockets of existing services: the handshake, the messages of the client and
# the texts of the service.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use File::Copy qw(copy);
use POSIX ();
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port root spew slurp tls tmp_dir);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::SocketService;
use Parley::Status;
use Parley::Streams qw(frame);
use Parley::Upstream;
use Parley::Websocket;

my $dir = tmp_dir();
my $service = Parley::Upstream->start(port(2));

sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [@_], kids => [],
                                       tokens => [] }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

revoke();

my $upgrade = 'proxy_http_version 1.1; '
            . 'proxy_set_header Upgrade $http_upgrade; '
            . 'proxy_set_header Connection $connection_upgrade;';
my $vcp = 'parley_vcp_context ctx|gateway; '
        . 'parley_vcp_constitution creed://ops.example/gateway@1;';

my $http = gateway_http(
    more => "parley_self agent.gateway;\n"
          . "parley_revocations $dir/revocations.json;\n"
          . "map \$http_upgrade \$connection_upgrade "
          . "{ default upgrade; '' close; }\n",
    server =>
      "location = /status { parley_status; allow 127.0.0.1; deny all; }\n"
    . location('/ws', "parley_accept aee; parley_jwt on; $upgrade "
                    . 'parley_deny intent=ops.wipe; parley_allow type=*; '
                    . 'parley_limits body=8k;')
    . location('/ws-vcp', "parley_accept vcp; parley_jwt on; $upgrade")
    . location('/both', "parley_accept aee vcp; parley_speak aee; "
                      . "parley_jwt on; $upgrade $vcp")
    . location('/c2a', "parley_accept c2a; parley_jwt on; $upgrade")
    . location('/channel', "parley_accept channel; parley_jwt on; $upgrade")
    . location('/cookie', 'parley_accept aee; parley_jwt on '
                        . "token=\$cookie_token; $upgrade")
    . location('/plain', 'parley_accept aee; parley_jwt on;')
    . location('/silent', "parley_accept aee; parley_jwt on; $upgrade "
                        . 'proxy_read_timeout 500ms;')
    . location('/gone', "parley_accept aee; parley_jwt on; $upgrade", port(9))
    . location('/peer', "parley_accept vcp; parley_jwt on; $upgrade", port(7))
    . location('/large', "parley_accept aee; parley_jwt on; $upgrade "
                       . 'parley_trusted on; '
                       . 'parley_limits body=256k string=128k;'));

my ($cert, $key) = tls();

$http .= "server { listen 127.0.0.1:" . port(6) . " ssl http2; "
       . "ssl_certificate $cert; ssl_certificate_key $key; "
       . location('/ws', "parley_accept aee; parley_jwt on; $upgrade") . "}\n";

my $identities = from_json(slurp("$dir/identities.json"));

$_->{handle} = "~$_->{sub}" for @{ $identities->{principals} };
spew("$dir/identities.json", jcs($identities));

my $nginx = Parley::Nginx->start(workers => 2, http => $http);

my $status = Parley::Status->new(port => port(3));
my $echo = '$c->opens; $c->serves';


# Opens a WebSocket to a service that runs the script.
sub opened {
    my ($script, $uri, %o) = @_;

    $service->script($script);
    $service->clear;

    return websocket($o{as} // 'alice', uri => $uri // '/ws', plain => 1,
                     tls => 1, %o);
}


# Checks that the service gets a close frame with this code.
sub told {
    my ($code, $what) = @_;

    my $until = time + 10;
    my @got;

    until (@got = grep { $_ eq pack 'n', $code } heard(0, 'close')) {
        last if time > $until;
        sleep 0.05;
    }

    ok(scalar @got, $what);
}


sub signed { sign_vcp($_[0], person('alice')->{key}) }


# Returns the frames that the service got: [kind, payload].
sub heard {
    my ($n, $kind) = @_;

    $service->wait_for($n + 1) if $n;

    return map { $_->{body} } grep { $_->{method} eq 'FRAME'
                                     && $_->{uri} eq ($kind // 'text') }
                                   $service->requests;
}


sub refused {
    my ($socket, $status, $code, $what) = @_;

    is($socket->status, $status, $what) or diag explain $socket;
    like($socket->answer->{body}, word($code), 'its code');
}


# Matches the word of a code, in any protocol.
sub word {
    my $code = shift;

    my $aee = 'E_' . uc($code) =~ tr/-/_/r;

    return qr/"(?:\Q$code\E|$aee)"/;
}


subtest 'GW-34 the handshake, messages and answers' => sub {
    my $alice = opened($echo, '/ws', headers => [
        'Sec-WebSocket-Extensions' => 'permessage-deflate',
        'Sec-WebSocket-Protocol' => 'agents']);

    is($alice->status, 101) or diag explain $alice;
    ok($alice->{accepted}, 'the key is answered');
    is(lc $alice->{headers}{upgrade}, 'websocket');
    is(lc $alice->{headers}{connection}, 'upgrade');

    my $task = aee();

    is_deeply($alice->ask($task)->{reply_to}, $task->{id}, 'a result');

    my ($got) = $service->requests;

    is($got->{headers}{'sec-websocket-extensions'}, undef, 'no extension');
    is($got->{headers}{'sec-websocket-protocol'}, 'agents');
    like($got->{headers}{'parley-verified'}, qr/principal="alice"; token/);
    is((heard(1))[0], jcs($task), 'as it came');
    is(($service->requests)[1]{version}, 'masked', 'masked');

    $alice->send(substr(jcs($task = aee()), 0, 20), fin => 0);
    $alice->send('a', kind => 'ping');
    $alice->send(substr(jcs($task), 20), kind => 'more');
    is($alice->frame->{payload}, 'a', 'a pong between fragments');
    is($alice->message->{json}{reply_to}, $task->{id}, 'fragments');

    $alice->close(4000, 'bye');
    is_deeply($alice->closed, [4000, 'bye'], 'the close is answered');
    is_deeply([heard(4, 'close')], [pack('n', 4000) . 'bye'], 'and passes');
    ok($alice->ends, 'the connection ends');
    is($nginx->logged(qr/\[(warn|error|alert)\](?!.*(?:neither|deprecated))/), 0,
       'no line')
        or diag(grep { /\[(?:warn|error|alert)\]/ }
                map { "$_\n" } split /\n/, $nginx->error_log);
};


subtest 'GW-34 each text of the client takes the steps' => sub {
    my $alice = opened($echo);
    my $good = aee();

    for my $by (['{', 'json-invalid'],
                [jcs(without(aee(), 'intent')), 'field-missing'],
                [jcs(aee(from => 'agent.bob')), 'sender-identity-mismatch'],
                [jcs(aee(intent => 'ops.wipe')), 'policy-refused'],
                [jcs(aee(ts => timestamp(-7200))), 'message-stale'])
    {
        my ($text, $code) = @$by;

        $alice->text($text);
        like($alice->message->{text}, word($code), $code);
    }

    is($alice->ask($good)->{type}, 'result', 'and it goes on');
    $alice->text(jcs($good));
    like($alice->message->{text}, word('message-duplicate'), 'a replay');
    is(scalar(heard(1)), 1, 'the service has one message');
};


subtest 'GW-34 only a proven caller opens one' => sub {
    refused(opened($echo, '/ws', token => 0), 401, 'token-missing',
            'no token');
    refused(opened($echo, '/ws', token => bearer('alice', exp => time - 99)),
            401, 'token-expired', 'an old one');
    refused(opened($echo, '/ws', body => '{}'), 400, 'field-invalid', 'a body');
    refused(opened($echo, '/ws', replace => { 'Sec-WebSocket-Version' => 8 }),
            426, 'protocol-unsupported', 'a version');
    refused(opened($echo, '/ws', key => 'short'), 400, 'field-invalid',
            'a key');
    refused(opened($echo, '/channel/~bob'), 403, 'scope-unauthorised',
            'the stream of another');
    is(opened($echo, '/ws', method => 'POST')->status, 400, 'POST');

    my ($token) = bearer('alice') =~ /^Bearer (.*)/;

    refused(opened($echo, '/cookie', token => 0, headers =>
                   [Cookie => "token=$token", Origin => 'http://evil.example']),
            403, 'policy-refused', 'a page of another site');
    is(opened($echo, '/cookie', token => 0, headers =>
              [Cookie => "token=$token", Origin => 'https://localhost'])
       ->status, 101, 'a page of this one');
    is(scalar(grep { $_->{method} eq 'GET' } $service->requests), 1,
       'the service got the last');
    is(opened($echo, '/channel/~alice')->status, 101, 'its own stream');
};


subtest 'GW-34 frames before the upgrade take the steps' => sub {
    my $task = aee();
    my $bad = aee(from => 'agent.bob');
    my $alice = opened("\$c->pause(0.3); $echo", '/ws',
                       behind => frame_of(jcs($bad)) . frame_of(jcs($task)));

    is($alice->status, 101);
    like($alice->message->{text}, word('sender-identity-mismatch'), 'a forged one');
    is($alice->message->{json}{reply_to}, $task->{id}, 'a good one');
    is_deeply([heard(1)], [jcs($task)], 'the service got it alone');

    my $refused = opened('$c->answer(403, [], "no")', '/ws', behind =>
        "POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");

    is($refused->status, 403, 'no upgrade');
    ok(!$refused->{connection}->fill(1), 'no other request');
    is($service->count, 1, 'one request');
};


subtest 'GW-34 a service that does not upgrade' => sub {
    my $answer = opened('$c->answer(403, ["X-Own", 1, "Content-Type", '
                      . '"text/html", "WWW-Authenticate", "Basic"], "<b>")');

    is($answer->status, 403, 'its status');
    is($answer->answer->{body}, '', 'without its body');
    is($answer->{headers}{'www-authenticate'}, undef);

    for my $by (['a page', '$c->answer(200, [], "{}")'],
                ['a redirect', '$c->answer(302, ["Location", "http://x/"])'],
                ['events', '$c->events; $c->out("data: {}\n\n")'],
                ['no accept', '$c->opens("Sec-WebSocket-Accept" => undef)'],
                ['a wrong accept', '$c->opens("Sec-WebSocket-Accept" => '
                                 . '"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")'],
                ['no upgrade', '$c->opens(Upgrade => undef)'],
                ['another', '$c->opens(Upgrade => "h2c")'],
                ['no connection', '$c->opens(Connection => undef)'],
                ['two accepts', '$c->opens("X-A" => "1\r\nSec-WebSocket-Accept: x")'],
                ['two protocols', '$c->opens("X-A" => "1\r\n'
                                . 'Sec-WebSocket-Protocol: a\r\n'
                                . 'Sec-WebSocket-Protocol: a")'],
                ['an empty protocol', '$c->opens("Sec-WebSocket-Protocol" => "")'],
                ['an extension', '$c->opens("Sec-WebSocket-Extensions" => '
                               . '"permessage-deflate")'],
                ['a protocol', '$c->opens("Sec-WebSocket-Protocol" => "x")'])
    {
        my ($name, $script) = @$by;

        refused(opened($script), 502, 'upstream-invalid', $name);
    }

    refused(opened('$q->{headers}{upgrade} ? $c->opens : $c->take', '/plain'), 502, 'upstream-invalid',
            'a location without proxy_set_header');
    refused(opened($echo, '/gone'), 502, 'upstream-unavailable', 'none');
};


subtest 'GW-34 header fields of a 101' => sub {
    my $alice = opened('$c->opens("Content-Length" => 5, "Set-Cookie" => "a=b");'
                     . ' $c->serves');
    my $task = aee();

    is($alice->status, 101) or diag explain $alice;
    is($alice->{headers}{'content-length'}, undef, 'no length of a content');
    is($alice->{headers}{'set-cookie'}, 'a=b', 'a cookie passes');
    is($alice->ask($task)->{reply_to}, $task->{id}, 'frames follow');

    $alice = opened('$c->opens("Transfer-Encoding" => "chunked"); $c->serves');
    is($alice->status, 101) or diag explain $alice;
    is($alice->{headers}{'transfer-encoding'}, undef, 'no coding');
    is($alice->ask($task = aee())->{reply_to}, $task->{id}, 'frames follow');
};


subtest 'GW-34 a 101 that the client did not ask for' => sub {
    $service->script('$c->opens');

    my $answer = Parley::Client->new(port => port(1))
                 ->raw(post('/aee', aee()));

    is($answer->{status}, 502);
    is($answer->{headers}{upgrade}, undef, 'no Upgrade');
    is($answer->{headers}{'sec-websocket-accept'}, undef);
    like($answer->{body}, word('upstream-invalid'));
};


subtest 'GW-34 texts of the service are checked' => sub {
    my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice',
                    payload => { text => 'news' });

    my $alice = opened("\$c->opens(behind => Parley::Websocket::frame_of('"
                     . jcs($event) . "', mask => '')); \$c->serves");

    is_deeply($alice->message->{json}, $event, 'a message with the 101');

    # the log has at most ten lines of a code in a second
    sleep 1.1;

    for my $by (['no JSON', 'hello'], ['not a message', '{"a":1}'],
                ['in the gateway\'s name',
                 jcs(with($event, from => 'agent.gateway'))],
                ['without an intent', jcs(without($event, 'intent'))])
    {
        my ($name, $text) = @$by;
        my $n = $nginx->logged(qr/\[warn\].*upstream-invalid/);

        $alice = opened("\$c->opens; \$c->says('$text'); \$c->serves");

        unlike($alice->message->{text} // '', qr/hello|"a":1|news/,
               "$name is withheld");
        is($alice->closed->[0], 1011, 'closed');
        is($nginx->logged(qr/\[warn\].*upstream-invalid/), $n + 1, 'one line');
        told(1008, 'the service is told');
    }

    my $task = aee();

    $alice = opened('$c->opens; my $m = $c->hears; '
                  . '$c->says(result($m->{json}, from => "agent.lead")); '
                  . '$c->hears');
    $alice->text(jcs($task));
    like($alice->message->{text}, word('upstream-invalid'),
         'SEC-08 an answer in another name is withheld');
    is($alice->closed->[0], 1011);

    $alice = opened('$c->opens; my $m = $c->hears; $c->says(""); '
                  . '$c->says(result($m->{json})); $c->hears');
    is($alice->ask($task = aee())->{reply_to}, $task->{id},
       'an empty text answers no message');
};


# Checks that the texts of the service that follow are dropped, with a line and
# a count for each, and that the WebSocket goes on: the service ends them with
# an event.
sub dropped {
    my ($alice, $n, $event, $what) = @_;

    is_deeply($alice->message->{json}, $event, $what)
        or diag $nginx->error_log;
    is(unmatched(), $n, 'each is counted');
    cmp_ok($nginx->logged(qr/\[warn\].*refused, reply-unmatched/), '>', 0,
           'and logged');
}


{
    my $before = 0;

    # Returns the dropped answers since the last call.
    sub unmatched {
        my $n = $status->metric('parley_refusals_total{code="reply-unmatched",'
                                . 'by="upstream"}') // 0;
        my $new = $n - $before;

        $before = $n;

        return $new;
    }
}


subtest 'SEC-08 an answer of a service names a message that waits for it' => sub {
    my $event = aee(type => 'event', from => 'agent.bob', to => 'agent.alice',
                    payload => { text => 'news' });
    my $then = "\$c->says('" . jcs($event) . "'); \$c->serves";
    my $task = aee(to => 'agent.lead');

    unmatched();

    # never asked

    my @never = (result($task, from => 'agent.bob'), result($task),
                 failure($task), result($task, type => 'stream'));

    my $alice = opened('$c->opens; '
                     . join('', map { "\$c->says('" . jcs($_) . "'); " } @never)
                     . $then);

    dropped($alice, scalar @never, $event, 'answers to no message');

    # answered already

    $alice = opened('$c->opens; my $m = $c->hears->{json}; '
                  . '$c->says(result($m)); $c->says(result($m)); '
                  . '$c->says(result($m, from => "agent.bob")); '
                  . '$c->says(failure($m)); ' . $then);
    $alice->text(jcs($task));
    is($alice->message->{json}{type}, 'result', 'the answer');
    dropped($alice, 3, $event, 'later answers');

    # not kept, because of 33 later messages

    $alice = opened('$c->opens; my @m = map { $c->hears->{json} } 1 .. 34; '
                  . '$c->says(result($m[0], from => "agent.bob")); '
                  . '$c->says(result($m[0])); ' . $then);
    $alice->text(jcs(aee(to => 'agent.lead'))) for 1 .. 34;
    is($alice->message->{json}{from}, 'agent.lead', 'of its responder');
    dropped($alice, 1, $event, 'of another party');
};


subtest 'SEC-08 an answer is for the caller that asked' => sub {
    my $event = aee(type => 'event', from => 'agent.lead', to => 'agent.bob',
                    payload => { text => 'news' });
    my $task = aee(to => 'agent.lead');
    my $alice = opened('$c->opens; $c->hears; $c->pause(20)');

    unmatched();
    $alice->text(jcs($task));
    heard(1);

    my $bob = opened("\$c->opens; \$c->says('" . jcs(result($task)) . "'); "
                   . "\$c->says('" . jcs($event) . "'); \$c->serves", '/ws',
                     as => 'bob');

    dropped($bob, 1, $event, 'not for another');
};


subtest 'SEC-08 progress and each answer of a group pass' => sub {
    my $alice = opened('$c->opens; my $m = $c->hears->{json}; '
                     . '$c->says(result($m, type => "stream")) for 1 .. 2; '
                     . '$c->says(result($m)); $c->serves');

    $alice->text(jcs(aee(to => 'agent.lead')));
    is(join(' ', map { $_->{json}{type} } $alice->messages(3)),
       'stream stream result', 'progress');

    $alice = opened('$c->opens; my $m = $c->hears->{json}; '
                  . '$c->says(result($m, from => "agent.$_")) '
                  . 'for "lead", "bob"; $c->serves');
    $alice->text(jcs(aee(to => 'bus.ops')));
    is(join(' ', map { $_->{json}{from} } $alice->messages(2)),
       'agent.lead agent.bob', 'a group');
    is(unmatched(), 0, 'none is dropped');
};


subtest 'SEC-08 answers to no message in other protocols' => sub {
    my $message = share('bob', 'alice');
    my $alice = opened('$c->opens; my $m = $c->hears->{json}; '
                     . '$c->says({ status => "accepted", '
                     . 'message_id => $m->{message_id} }) for 1 .. 2; '
                     . '$c->says({ status => "rejected", code => "x", '
                     . 'message_id => "' . uuid4() . '" }); '
                     . "\$c->says('" . jcs($message) . "'); \$c->serves",
                       '/ws-vcp');

    $alice->text(jcs(signed(vcp())));
    is($alice->message->{json}{status}, 'accepted', 'a receipt');
    dropped($alice, 2, $message, 'further receipts');

    my $note = { jsonrpc => '2.0', method => 'notifications/message',
                 params => { level => 'info', data => 'x' } };

    $alice = opened('$c->opens; my $m = $c->hears->{json}; '
                  . '$c->says({ jsonrpc => "2.0", id => $m->{id}, '
                  . 'result => { tools => [] } }) for 1 .. 2; '
                  . '$c->says({ jsonrpc => "2.0", id => 99, '
                  . 'error => { code => 1, message => "x" } }); '
                  . "\$c->says('" . jcs($note) . "'); \$c->serves", '/c2a');
    $alice->text('{"jsonrpc":"2.0","id":7,"method":"tools/list"}');
    is($alice->message->{json}{id}, 7, 'a response');
    dropped($alice, 2, $note, 'further responses');

    my $id = uuid4();
    my $query = frame('alice', 'lead', kind => 'agent_query', payload => {
        query_id => $id, query_text => 'ready?', timeout_ms => 30000,
        response_scope => '~alice/*' });
    my $reply = frame('lead', 'alice', kind => 'agent_response', payload => {
        query_id => $id, response_text => 'yes', responder_session_id => 's' });
    my $advice = frame('bob', 'alice');

    $alice = opened("\$c->opens; \$c->hears; "
                  . join('', map { "\$c->says('" . jcs($_) . "'); " }
                         $reply, (map { with($reply, frame_id => uuid4(),
                                             'payload/query_id' => uuid4(),
                                             sender_handle => "~$_") }
                                  qw(lead bob)), $advice)
                  . '$c->serves', '/channel');
    $alice->text(jcs($query));
    is_deeply($alice->message->{json}, $reply, 'a response to a query');
    dropped($alice, 2, $advice, 'responses to no query');

    # the service speaks AEE, and the client VCP

    my $news = aee(type => 'event', from => 'agent.bob', to => 'agent.alice',
                   intent => 'vcp.context_share', payload => { text => 'x' });

    $alice = opened("\$c->opens; \$c->says('"
                  . jcs(result(aee(to => 'agent.lead'), from => 'agent.bob'))
                  . "'); \$c->hears; \$c->says('" . jcs($news)
                  . "'); \$c->serves", '/both');

    my $until = time + 10;
    my $n = 0;

    sleep 0.05 while !($n += unmatched()) && time < $until;
    is($n, 1, 'a translated answer to no message');
    is($alice->ask(aee(to => 'agent.lead'))->{type}, 'event', 'it goes on');
};


subtest 'GW-34 frames that are not messages' => sub {
    for my $by (['binary of the client', sub { $_[0]->send('x',
                                               kind => 'binary') }, 1003],
                ['unmasked', sub { $_[0]->send('x', mask => '') }, 1002],
                ['too large', sub { $_[0]->text('x' x 9000) }, 1009],
                ['not UTF-8', sub { $_[0]->text("\xff") }, 1007])
    {
        my ($name, $send, $code) = @$by;
        my $alice = opened($echo);

        $send->($alice);
        is($alice->closed->[0], $code, $name);
        told(1001, 'the service is told');
        is(scalar(heard(0)), 0, 'and gets no text');
    }

    for my $by (['binary', '"x", kind => "binary"', 1003],
                ['masked', '"x", mask => "abcd"', 1002],
                ['too large', '"x" x 9000', 1009])
    {
        my ($name, $frame, $code) = @$by;
        my $alice = opened("\$c->opens; \$c->says($frame); \$c->serves");

        is($alice->closed->[0], 1011, "$name of the service");
        told($code, 'the service is told');
    }
};


subtest 'GW-34 ends' => sub {
    my $alice = opened('$c->opens; $c->says(pack("n", 4321) . "over", '
                     . 'kind => "close"); $c->hears');

    is_deeply($alice->closed, [4321, 'over'], 'the close of the service');

    $alice = opened('$c->opens');
    is($alice->closed->[0], 1011, 'a service that dies');
    $alice->close(1000);
    ok($alice->ends);

    $alice = opened($echo, '/silent');
    is($alice->closed->[0], 1011, 'a silent one');

    $alice = opened($echo, '/ws', token => bearer('alice', exp => time + 2));
    is($alice->closed->[0], 4401, 'SEC-15 the token expires');
    told(1001, 'the service is told');

    # nobody else uses this name: each worker reads the list by itself, and may
    # refuse it for a while
    my $carol = opened($echo, '/ws', as => 'carol');
    revoke('carol');
    is($carol->closed->[0], 4401, 'SEC-16 it is revoked');
    told(1001, 'the service is told');
    revoke();

    $alice = opened($echo);
    $alice->leave;
    told(1001, 'a client that leaves');
};


subtest 'GW-34 a message that the service did not answer is taken' => sub {
    my $alice = opened('$c->opens; $c->hears; $c->hears');
    my $task = aee();

    is($alice->status, 101);
    $alice->text(jcs($task));
    is(scalar heard(1), 1, 'the service has it');
    $alice->close(1000);
    $alice->closed;

    $alice = opened($echo);
    $alice->text(jcs($task));
    like($alice->message->{text}, word('message-duplicate'), 'not again');

    $alice = opened('$c->opens; $c->hears');
    $alice->text(jcs($task = aee()));
    $alice->closed;

    $alice = opened($echo);
    is($alice->ask($task)->{type}, 'result',
       'again after a service that died');
};


subtest 'GW-34 a WebSocket of VCP, with acknowledgments' => sub {
    my $alice = opened('$c->opens; while (my $m = $c->hears) { '
                     . 'last if $m->{kind} eq "close"; '
                     . '$c->says({ status => "accepted", '
                     . 'message_id => $m->{json}{message_id} }) }', '/ws-vcp');

    for (1 .. 40) {
        my $message = signed(vcp());
        is_deeply($alice->ask($message),
                  { status => 'accepted', message_id => $message->{message_id} },
                  'accepted');
    }

    my $message = share('bob', 'alice');
    $alice = opened("\$c->opens; \$c->says('" . jcs($message)
                  . "'); \$c->serves", '/ws-vcp');
    is_deeply($alice->message->{json}, $message, 'a message of a peer');
};


subtest 'GW-34 translated in both directions' => sub {
    my $alice = opened('$c->opens; while (my $m = $c->hears) { '
                     . 'last if $m->{kind} eq "close"; '
                     . '$c->says(result($m->{json}, from => "agent.lead", '
                     . 'to => "agent.alice", payload => { text => "x" })) }',
                       '/both');
    my $message = signed(escalation(requires_ack => true));

    $alice->text(jcs($message));

    my $answer = $alice->message;

    like($answer->{text}, qr/"status":"accepted"|vcp_message/, 'in VCP')
        or diag $nginx->error_log;
    like((heard(1))[0], qr/"v":"1"/, 'the service got AEE');
    is($alice->ask(aee(to => 'agent.lead'))->{type}, 'result', 'AEE, too');
};


subtest 'GW-34 JSON-RPC' => sub {
    my $alice = opened('$c->opens; while (my $m = $c->hears) { '
                     . 'last if $m->{kind} eq "close"; '
                     . 'next if !exists $m->{json}{id}; '
                     . '$c->says({ jsonrpc => "2.0", id => $m->{json}{id}, '
                     . 'result => { tools => [] } }) }', '/c2a');

    is_deeply($alice->ask({ jsonrpc => '2.0', id => 7,
                            method => 'tools/list' }),
              { jsonrpc => '2.0', id => 7, result => { tools => [] } });

    $alice = opened('$c->opens; $c->says({ jsonrpc => "2.0", id => 9, '
                  . 'result => {} }); $c->serves', '/c2a');
    ok(!$alice->message(0.5), 'none that was not asked');
    ok(!$alice->{close}, 'it goes on');
};


subtest 'GW-34 both directions under load, with a slow reader' => sub {
    my $text = 'x' x 50_000;
    my $alice = opened('$c->opens; my $n = 0; while (my $m = $c->hears) { '
                     . 'last if $m->{kind} eq "close"; '
                     . '$c->pause(0.5) if !$n++; '
                     . '$c->says(result($m->{json}, payload => '
                     . '{ text => "y" x 50000 })) }', '/large',
                       tls => 0, port => port(3));

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        $alice->text(jcs(aee(payload => { text => $text }))) for 1 .. 200;
        POSIX::_exit(0);
    }

    sleep 1;
    is(scalar(my @got = $alice->messages(200, 60)), 200, 'all answers');
    is(scalar(grep { $_->{json}{type} eq 'result' } @got), 200);
    waitpid $pid, 0;
};


my $node = $ENV{PARLEY_NODE} // 'node';
my $python = '/usr/bin/python3';

for my $by (['Python\'s websockets', $python, 'through.py',
             system("$python -c 'import websockets' 2>/dev/null") == 0],
            ['npm\'s ws', $node, 'through.mjs',
             -e root() . '/build/mcp/node_modules/ws'
             && system("$node --version >/dev/null 2>&1") == 0])
{
    my ($name, $command, $script, $there) = @$by;

    subtest "GW-34 $name on both sides" => sub {
        plan skip_all => "no $name: tools/install-deps test" if !$there;

        # Node finds packages beside the script
        mkdir "$dir/peers";
        copy(root() . "/t/websocket-clients/$script", "$dir/peers/$script")
            or die "copy: $!\n";
        symlink root() . '/build/mcp/node_modules', "$dir/peers/node_modules";

        my @messages = map { signed(vcp()) } 1 .. 5;

        spew("$dir/lines", join '', map { jcs($_) . "\n" } @messages);
        local $ENV{NODE_EXTRA_CA_CERTS} = $cert;

        my $token = bearer('alice');
        my @lines = `$command $dir/peers/$script @{[ port(7) ]} wss://localhost:@{[ port(1) ]}/peer "$token" $cert < $dir/lines`;
        my @said = map { from_json($_) } @lines;

        is($?, 0, 'it ends');
        is_deeply([map { $_->{message_id} // () } @said],
                  [map { $_->{message_id} } @messages], 'each acknowledged');

        my %closed = map { %$_ } grep { !$_->{message_id} } @said;

        is_deeply(\%closed, { client => [4001, 'done'],
                              service => [4001, 'done'] }, 'the close passes')
            or diag $nginx->error_log;
    };
}


subtest 'GW-34 HTTP/2 has no upgrade' => sub {
    my $connection = Parley::Client->new(port => port(6), ssl => {
        SSL_alpn_protocols => ['h2'] })->connect;

    $service->clear;
    $connection->write(h2_begin() . h2_get(1, '/ws', upgrade => 'websocket'));

    like($connection->expect(qr/over HTTP\/1\.1/) // '', qr/WebSocket must be/,
         'a clear error');
    is($service->count, 0, 'the service gets nothing');
};


subtest 'GW-34 a reload ends it with 1001' => sub {
    my $alice = opened($echo);

    is($alice->ask(aee())->{type}, 'result');
    ok($nginx->reload(workers => 2, http => $http), 'reloaded');
    is($alice->closed->[0], 1001);
    told(1001, 'the service is told');
};


is($nginx->logged(qr/\[(alert|emerg|crit)\]/), 0, 'no alert')
    or diag join "\n", grep { /\[(alert|emerg|crit)\]/ } split /\n/,
            $nginx->error_log;

done_testing();
