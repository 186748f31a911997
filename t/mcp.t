# The official clients of MCP, of both generations, with services of other
# protocols, and with services that are MCP servers themselves.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use File::Copy qw(copy);
use JSON::PP ();

use Parley::Ajv;
use Parley::Client;
use Parley::Env qw(port tmp_dir root tls slurp spew);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $packages = root() . '/build/mcp/node_modules';
my $node = $ENV{PARLEY_NODE} // 'node';

plan skip_all => 'no node: install nodejs'
    if system("$node --version > /dev/null 2>&1") != 0;
plan skip_all => 'no MCP packages: tools/install-deps test gets them by npm'
    if !-e root() . '/build/mcp/installed';

my @TOOLS = qw(chat_list_events chat_read_thread chat_send_message chat_react
               chat_claim chat_defer chat_resolve);

my $dir = tmp_dir() . '/mcp';
my @TO_VCP = qw(chat_send_message chat_react chat_resolve);
my (%heard, @servers);

mkdir $dir;
symlink $packages, "$dir/node_modules" or die "node_modules: $!\n";
copy(root() . "/t/mcp/$_", "$dir/$_") or die "$_: $!\n"
    for qw(client.mjs server.mjs package.json);


# ---- services, and the gateway in front of them

sub serve {
    my ($generation, $port) = @_;

    my $file = $heard{$generation} = "$dir/heard-$generation";

    spew($file, '');

    my $pid = open(my $out, '-|', $node, "$dir/server.mjs", $generation,
                   $port, $file) // die "node: $!\n";
    my $line = <$out>;

    die "the MCP server did not start\n" if ($line // '') ne "ready\n";
    push @servers, [$pid, $out];
}


END { kill 'TERM', map { $_->[0] } @servers }


my $service = Parley::Upstream->start(port(2));

serve(1, port(4));
serve(2, port(5));

my %matrix = matrix();
my ($cert, $key) = tls();
my $server = 'listen 127.0.0.1:' . port(1) . " ssl;\n"
           . "ssl_certificate $cert;\nssl_certificate_key $key;\n";

$ENV{NODE_EXTRA_CA_CERTS} = $cert;

$server .= location("/to-$_", "parley_accept c2a; parley_speak $_; "
                            . 'parley_jwt on;'
                            . ($_ eq 'vcp' ? 'parley_vcp_context ctx;' : ''))
    for qw(aee vcp channel);
$server .= location('/ruled', 'parley_accept c2a; parley_speak aee; '
                            . 'parley_jwt on; '
                            . 'parley_allow intent=c2a.chat.react;')
         . location('/slow', 'parley_accept c2a; parley_speak aee; '
                           . 'parley_jwt on; parley_rate 1000r/s '
                           . 'normal=1r/h:2;');
$server .= location("/mcp-$_", 'parley_accept c2a; parley_jwt on;',
                    port($_ + 3))
         . location("/ruled-mcp-$_", 'parley_accept c2a; parley_jwt on; '
                                   . 'parley_allow intent=c2a.tools.list; '
                                   . 'parley_allow intent=c2a.add;',
                    port($_ + 3))
    for 1, 2;

my $nginx = Parley::Nginx->start(http => "$matrix{http}\nserver {\n"
                                       . "$server\n}\n");


# Returns the result of each step of a client.
sub harness {
    my ($generation, $uri, @steps) = @_;

    my $url = 'https://localhost:' . port(1) . $uri;

    open(my $out, '-|', $node, "$dir/client.mjs", $generation, $url,
         bearer('alice'), @steps) or die "node: $!\n";

    my $text = do { local $/; <$out> };
    close $out;

    my $results = eval { JSON::PP->new->utf8->decode($text) } // [];

    is(scalar @$results, scalar @steps, "$generation $uri: all steps");
    diag($text) if $ENV{PARLEY_TEST_VERBOSE};

    return @$results;
}


sub tool {
    my ($name, %arguments) = @_;

    return 'call=' . jcs({ name => $name, arguments => \%arguments });
}


sub message_to {
    my ($to) = @_;

    return tool('chat_send_message', target => $to, visibility => 'dm',
                directedness => 'to_me', text => 'Is it blocked?',
                idempotencyKey => 'k-' . uuid4());
}


# ---- a service that speaks another protocol

for my $generation (qw(1 2 modern)) {
    for my $speak (qw(aee vcp channel)) {
        my $name = "MCP-01 MCP-02 a client of generation $generation, "
                 . "a service that speaks $speak";

        subtest $name => sub {
            $service->clear;
            $service->script('took($c, $q)');

            my ($hello, $ping, $tools, $unknown, $bad, $heard, $again) =
                harness($generation, "/to-$speak", 'connect',
                        $generation eq 'modern' ? 'tools' : 'ping', 'tools',
                        'resources',
                        tool('chat_react', inReplyTo => 'evt_1',
                             signal => 'hurrah'),
                        'heard', 'connect');

            is($hello->{server}{name}, 'parley', 'connected');
            is($hello->{version}, $generation eq 'modern' ? '2026-07-28'
                                                          : '2025-11-25',
               'version');
            ok($hello->{capabilities}{tools}, 'has tools');
            ok(!$hello->{session}, 'and no session');
            ok(!eval { $ping->{error} }, 'pinged');

            is_deeply([map { $_->{name} } @$tools],
                      $speak eq 'vcp' ? \@TO_VCP : \@TOOLS, 'the tools');

            my ($react) = grep { $_->{name} eq 'chat_react' } @$tools;

            is_deeply($react->{inputSchema}{required},
                      [qw(inReplyTo signal)], 'their input');

            is($unknown->{error}{code}, -32601, 'no such method')
                if ref $unknown eq 'HASH' && $unknown->{error};

            ok($bad->{isError}, 'a call that is not valid');
            like($bad->{content}[0]{text}, qr/field-invalid.*signal/,
                 'says why');

            is_deeply($heard->{errors}, [], 'nothing went wrong');
            is($again->{server}{name}, 'parley', 'connected again');
            is(scalar(grep { $_->{method} ne 'GET' } $service->requests), 0,
               'no message reached the service');
        };
    }
}


# Returns the gateway's own answer to a call of MCP.
sub own {
    my ($method, $params, $uri) = @_;

    return Parley::Client->new(port => port(1))->raw(
        post($uri // '/to-aee', { jsonrpc => '2.0', id => 1, method => $method,
                                  params => $params // {} }))->{json}{result};
}


subtest 'MCP-06 C2A-36 the declarations of the tools' => sub {
    my $listed = own('tools/list');
    my %reads = map { $_ => 1 } qw(chat_list_events chat_read_thread);

    for my $tool (@{ $listed->{tools} }) {
        my $name = $tool->{name};

        is_deeply($tool->{annotations}, {
            readOnlyHint => $reads{$name} ? JSON::PP::true : JSON::PP::false,
            idempotentHint => $reads{$name} || $name eq 'chat_send_message'
                              ? JSON::PP::true : JSON::PP::false }, $name);
        unlike(jcs($tool), qr/x-words|maxOctets|"format"/, 'common keywords');
    }

    compiles($listed);
};


subtest 'C2A-01 initialize promises only supported features' => sub {
    for my $speak (qw(aee vcp channel)) {
        my $result = own('initialize', {
            protocolVersion => '2026-06-02',
            clientInfo => { name => 'harness', version => '1' },
            capabilities => {
                delivery => { ack => \1, redelivery => \1 },
                injection => { immediate => \1, notify => \1,
                               tool_mailbox => \1, digest => \1,
                               interrupt => \1 },
                chatTools => { sendMessage => \1, claim => \1 } } },
            "/to-$speak");

        my $can = $result->{capabilities};

        ok($can->{$_->[0]}{$_->[1]}, "$speak: $_->[1]")
            for ['delivery', 'ack'], ['injection', 'immediate'],
                ['chatTools', 'sendMessage'];
        is($can->{$_->[0]}{$_->[1]}, JSON::PP::false, "$speak: not $_->[1]")
            for ['delivery', 'redelivery'], ['injection', 'notify'],
                ['injection', 'tool_mailbox'], ['injection', 'digest'],
                ['injection', 'interrupt'];
    }

    is(own('initialize', { protocolVersion => '2025-03-26',
                           capabilities => {} })->{protocolVersion},
       '2024-11-05', 'no version with batches is agreed to');
};


subtest 'MCP-01 an answer that a model reads' => sub {
    $service->script('answered($c, $q, "it is not blocked")');

    for my $generation (qw(1 2 modern)) {
        my ($hello, $sent, $dotted) = harness($generation, '/to-aee',
            'connect', message_to('agent:bob'),
            tool('chat.list_events', limit => 3));

        is_deeply($sent->{content}, [{ type => 'text',
                                       text => 'it is not blocked' }],
                  "$generation: content");
        ok(!$sent->{isError}, 'is no error');
        is($sent->{structuredContent}{disposition}, 'responded',
           'structure');
        is($sent->{structuredContent}{message}{content}[0]{text},
           'it is not blocked', 'and the message in it');
        is($dotted->{content}[0]{text}, 'it is not blocked',
           'a name with a dot');
    }
};


subtest 'MCP-01 a payload without text, and a failure' => sub {
    $service->script('$c->answer(200, [], jcs(result($q->{json}, '
                   . 'payload => { events => [1, 2] })))');

    my ($hello, $listed) = harness(1, '/to-aee', 'connect',
                                   tool('chat_list_events'));

    is(scalar @{ $listed->{content} }, 2, 'two parts');
    is_deeply(JSON::PP->new->decode($listed->{content}[1]{text}),
              { events => [1, 2] }, 'the second is the payload');

    $service->script('$c->answer(200, [], jcs(failure($q->{json}, '
                   . 'code => "E_DISK", message => "the disk is full")))');

    my ($again, $failed) = harness(1, '/to-aee', 'connect',
                                   message_to('agent:bob'));

    ok($failed->{isError}, 'a failure is an error');
    is($failed->{content}[0]{text}, 'E_DISK: the disk is full', 'in words');
};


subtest 'MCP-01 C2A-24 progress has the token of the client' => sub {
    $service->script('events($c, $q)');

    for my $generation (qw(1 2)) {
        my ($hello, $said) = harness($generation, '/to-aee', 'connect',
            'follow=' . jcs({ name => 'chat_send_message', arguments => {
                target => 'agent:bob', visibility => 'dm',
                directedness => 'to_me', text => 'Is it?',
                idempotencyKey => uuid4() } }));

        is($said->{result}{content}[0]{text}, 'it is done',
           "$generation: the result");
        is(scalar @{ $said->{progress} }, 1, 'and before it progress');
        is($said->{progress}[0]{message}, 'half', 'in words');
    }
};


subtest 'MCP-01 a client is told of a denied call' => sub {
    $service->clear;
    $service->script('took($c, $q)');

    for my $generation (qw(1 2)) {
        my ($hello, $tools, $list, $resources) =
            harness($generation, '/ruled', 'connect', 'tools',
                    tool('chat_list_events'), 'resources');

        is($hello->{server}{name}, 'parley', "$generation: connected");
        is_deeply([map { $_->{name} } @$tools], ['chat_react'],
                  'the one tool that the rules allow');
        ok($list->{isError}, 'another is an error');
        like($list->{content}[0]{text}, qr/^intent-refused: /, 'says why');
    }

    is(scalar(grep { $_->{method} ne 'GET' } $service->requests), 0,
       'no message reached the service');
};


subtest 'MCP-01 a client above its rate is told' => sub {
    $service->script('took($c, $q)');

    my @slow = harness(1, '/slow', 'connect',
                       map { message_to('agent:bob') } 1 .. 4);

    my @told = grep { $_->{isError} } @slow;

    # with a store, it may be the call before the last one

    is(scalar @told, 1, 'an error') or diag(jcs(\@slow));
    like($told[0]{content}[0]{text}, qr/too many messages/, 'in words');
};


# ---- a service that is an MCP server

for my $generation (1, 2) {
    for my $behind (1, 2) {
        subtest "MCP-01 a client of generation $generation, a server of "
              . "generation $behind" => sub
        {
            spew($heard{$behind}, '');

            my ($hello, $ping, $tools, $sum, $failed, $close) =
                harness($generation, "/mcp-$behind", 'connect', 'ping',
                        'tools', tool('add', a => 2, b => 3), tool('fail'),
                        'close');

            is($hello->{server}{name}, "service-$behind", 'connected');
            is(!!$hello->{session}, $behind == 1, 'its session');
            ok(!$ping->{error}, 'pinged');
            is_deeply([map { $_->{name} } @$tools],
                      $behind == 1 ? [qw(add fail talk)] : [qw(add fail)],
                      'its tools');
            is($sum->{content}[0]{text}, '5', 'a result');
            is($sum->{structuredContent}{sum}, 5, 'its structure');
            ok($failed->{isError}, 'a failure');
            is($failed->{content}[0]{text}, 'no such thing', 'in its words');

            my $got = slurp($heard{$behind});

            like($got, qr/^notifications\/initialized /m, 'initialized');
            $behind == 1 ? like($got, qr/^GET /m, 'its stream is opened')
                         : ok(1, 'it has no stream');
        };
    }
}


subtest 'MCP-01 without a session on both sides' => sub {
    my ($hello, $tools, $sum) =
        harness('modern', '/mcp-2', 'connect', 'tools',
                tool('add', a => 2, b => 3));

    is($hello->{server}{name}, 'service-2', 'connected');
    is($hello->{version}, '2026-07-28', 'by server/discover');
    is($tools->[0]{name}, 'add', 'its tools');
    is($sum->{structuredContent}{sum}, 5, 'a result');
};


# a request of the server that the client answers with "no such method"
subtest 'MCP-01 a server that sends a request to the client' => sub {
    for my $generation (1, 2) {
        spew($heard{1}, '');

        my ($hello, $said, $ping, $heard) =
            harness($generation, '/mcp-1', 'connect',
                    'follow=' . jcs({ name => 'talk', arguments => {} }),
                    'ping', 'heard');

        is($said->{result}{content}[0]{text}, 'said',
           "$generation: the result");
        is($said->{progress}[0]{progress}, 1, 'progress passes');
        is_deeply($heard->{errors}, [], 'nothing went wrong');
        ok(!$ping->{error}, 'and nothing is amiss after it');
        unlike(slurp($heard{1}), qr/^response/m,
               'the client\'s response is taken, and dropped');
    }
};


subtest 'MCP-01 rules see the tools of an MCP server' => sub {
    for my $generation (1, 2) {
        spew($heard{$generation}, '');

        my ($hello, $tools, $sum, $failed, $resources) =
            harness($generation, "/ruled-mcp-$generation", 'connect', 'tools',
                    tool('add', a => 1, b => 1), tool('fail'), 'resources');

        is($hello->{server}{name}, "service-$generation", 'connected');
        is($sum->{content}[0]{text}, '2', 'c2a.add is allowed');
        ok($failed->{isError}, 'c2a.fail is not');
        like($failed->{content}[0]{text}, qr/^intent-refused/, 'in words');
        unlike(slurp($heard{$generation}), qr/^resources/m,
               'nor what no rule names');
    }
};


done_testing;
