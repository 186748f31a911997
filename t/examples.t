# nginx accepts every configuration in examples/, and the one of README.md.
# The demo runs to its end and leaves nothing behind.

use strict;
use warnings;

use lib 't/lib';

use File::Path qw(make_path);
use IO::Socket::INET;
use POSIX ();
use Test::More;

use Parley::Client;
use Parley::Env qw(root build_dir nginx_binary load_module tmp_dir port tls
                   slurp spew authority client_certificate);
use Parley::Message;
use Parley::Nginx;
use Parley::Redis;
use Parley::Streams qw(frame);
use Parley::Tool qw(tool_ok json);
use Parley::Upstream;

my $dir = tmp_dir();
my $nginx = nginx_binary();

# the files that the examples name in /etc/parley

make_path("$dir/etc/tls", "$dir/logs");

my ($cert, $key) = tls();

spew("$dir/etc/tls/server.crt", slurp($cert));
spew("$dir/etc/tls/server.key", slurp($key));
spew("$dir/etc/tls/ca.crt", slurp(authority('fleet')));

my @agent = client_certificate('kitchen',
                               san => 'URI:spiffe://fleet.example/kitchen');

spew("$dir/etc/$_.jwk", tool_ok('keygen', '--alg', 'ed25519', '--kid', $_))
    for qw(gateway kitchen issuer);

spew("$dir/etc/jwks.json", tool_ok('jwks', "$dir/etc/issuer.jwk"));
spew("$dir/etc/identities.json", json({ principals => [
    { sub => 'home', vcp => 'agent://home.example/parent' },
    { sub => 'kitchen', vcp => 'agent://home.example/kitchen',
      aee => 'agent.kitchen', c2a => 'agent:kitchen', parent => 'home',
      handle => '~kitchen',
      keys => [ json(tool_ok('keygen', '--public',
                             "$dir/etc/kitchen.jwk")) ] },
] }));


spew("$dir/etc/fleet.json", json({ principals => [
    { sub => 'kitchen', aee => 'agent.kitchen', roles => ['fleet'],
      certificates => [{ uri => 'spiffe://fleet.example/kitchen' }] },
] }));
spew("$dir/etc/revocations.json",
     json({ principals => [], kids => [], tokens => [] }));


spew("$dir/etc/tls/quic.key", 'k' x 32);

# the key and the password of a store

for (['store.key', tool_ok('keys', 'store')], ['store.password', 'word']) {
    my $file = spew("$dir/etc/$_->[0]", "$_->[1]\n");

    chmod 0600, $file or die "$file: $!\n";
}

my $redis = Parley::Redis->engine
    && Parley::Redis->start(port(6), users => [tool_ok('store', 'acl',
        '--password', "$dir/etc/store.password") =~ s/^user //r]);

# Returns the example with paths and ports for the test.
sub example {
    my ($text, $name) = @_;
    my $module = load_module();
    my $port = port(1);

    $text =~ s/^ *load_module.*$/$module ? qq{load_module "$module";} : ''/me
        or fail("$name loads the module");
    $text =~ s{/etc/parley/}{$dir/etc/}g;
    $text =~ s{/var/log/nginx/}{$dir/logs/}g;
    $text =~ s/listen(\s+)443/listen${1}127.0.0.1:$port/g;

    # services: 9001 speaks AEE, 9002 VCP, 9003 is closed; the identity
    # provider is used without TLS here
    my %to = (9000 => port(2), 9001 => port(2), 9011 => port(2), 9002 => port(3),
              9003 => port(5));
    $text =~ s/127\.0\.0\.1:(90\d\d)/127.0.0.1:$to{$1}/g;
    $text =~ s/127\.0\.0\.1:6379/127.0.0.1:@{[ port(6) ]}/;
    $text =~ s{https://\$provider/}{http://127.0.0.1:@{[ port(4) ]}/};

    return spew("$dir/$name.conf",
                "pid $dir/nginx.pid;\nerror_log stderr warn;\n$text");
}


# the examples, and the one of README.md
my ($readme) = slurp(root() . '/README.md')
               =~ /^## An example\n\n((?: {4}.*\n|\n)+)/m;

for (['README', $readme],
     map { [m{([^/]+)\.conf$}, slurp($_)] }
         sort glob root() . '/examples/*.conf')
{
    my ($name, $text) = @$_;
    my $conf = example($text, $name);

    my $said = `$nginx -t -p $dir/ -c $conf -e stderr 2>&1`;

    if ($name eq 'moq' && !Parley::Nginx->has_quic) {
        like($said, qr/"quic"|needs an nginx with QUIC/,
             "GW-11 example $name: nginx -t says what is missing");
        next;
    }

    is($?, 0, "GW-11 example $name: nginx -t takes it") or diag($said);
    unlike($said, qr/\[(?:warn|error|emerg)\]/,
           "example $name: without a warning")
        or diag($said);
}


# Each example runs, forwards one message and refuses another.

{
    my $answer = '$c->answer(200, [], jcs($q->{json}{vcp_message} '
        . '? { status => "accepted", message_id => $q->{json}{message_id} } '
        . ': $q->{json}{jsonrpc} '
        . '? { jsonrpc => "2.0", id => $q->{json}{id}, result => {} } '
        . ': result($q->{json})))';
    my $service = Parley::Upstream->start(port(2), $answer);
    my $peers = Parley::Upstream->start(port(3), $answer);
    my $provider = Parley::Upstream->start(port(4),
        '$c->answer(200, [], q(' . slurp("$dir/etc/jwks.json") . '))');

    my %passes = examples($service, $peers);

    $_->{script} = $answer for values %passes;

    for (sort glob root() . '/examples/*.conf') {
        my ($name) = m{([^/]+)\.conf$};

        subtest "GW-11 example $name: it runs" => sub {
            my $case = $passes{$name}
                or return fail("t/examples.t has messages for $name");

            plan skip_all => 'neither redis-server nor valkey-server'
                if $case->{store} && !$redis;
            plan skip_all => 'this nginx has no QUIC'
                if $name eq 'moq' && !Parley::Nginx->has_quic;
            plan skip_all => 'a store needs a zone that answers at once'
                if $case->{store} && ($ENV{PARLEY_MODULE} // '') =~ m{/later/};

            runs(example(slurp($_), $name), $case);
        };
    }
}


# The demo has its own directory, as another run may be active.

my $build = "$dir/build";

make_path($build);
symlink build_dir() . "/$_", "$build/$_"
    for grep { -e build_dir() . "/$_" }
        qw(parley nginx ngx_http_parley_module.so);

{
    local $ENV{PARLEY_BUILD} = $build;
    local $ENV{ONCE} = 1;

    my $said = `@{[ root() ]}/examples/demo/run 2>&1`;

    is($?, 0, 'make run ONCE=1: the scenario is as it should be')
        or diag($said);
    like($said, qr/^All as it should be\.$/m, 'it says so');
    unlike($said, qr/\e\[/, 'no colours where no terminal is');

    my @scenes = $said =~ /^\d+  (Scene \d of 5: .*\n +The agents are scripts)\.$/mg;

    is(scalar @scenes, 5, 'five scenes of chat, which say that agents are scripts')
        or diag(explain(\@scenes));
    like($said, qr/^    $_/m, $_)
        for 'the agent has one message', 'the page shows that bo claimed',
            'the harness of ada has the message, and is killed',
            'after \d+ messages the host only knocks, and both are silent';

    is(processes(), '', 'nothing is left running');
}

# The scene of MoQ says what it lacks.

{
    my $bin = "$dir/bin";
    my $module = root() . '/examples/demo/lib';

    make_path($bin);

    for my $case ([1, 1, ''],
                  [0, 1, 'This nginx has no QUIC (1.25 or later, http_v3)'],
                  [1, 0, 'python3-aioquic is missing'],
                  [0, 0, 'This nginx has no QUIC (1.25 or later, http_v3), '
                         . 'and python3-aioquic is missing'])
    {
        my ($quic, $agent, $text) = @$case;

        spew("$bin/nginx", "#!/bin/sh\necho "
                           . ($quic ? '--with-http_v3_module' : '') . "\n");
        spew("$bin/python3", "#!/bin/sh\nexit " . ($agent ? 0 : 1) . "\n");
        chmod 0755, "$bin/nginx", "$bin/python3";

        local $ENV{PATH} = "$bin:$ENV{PATH}";

        is(`perl -I$module -MDemo::Setup -e 'print Demo::Setup::quic_lacks("nginx")'`,
           $text, "it lacks: $text");
    }
}

# The demo of several gateways.

SKIP: {
    skip 'neither redis-server nor valkey-server', 4 if !$redis;

    local $ENV{PARLEY_BUILD} = $build;
    local $ENV{ONCE} = 1;

    my $said = `@{[ root() ]}/examples/demo/run-cluster 2>&1`;

    is($?, 0, 'CLU-01 CLU-02 CLU-08 CLU-14 make run-cluster ONCE=1')
        or diag($said);
    like($said, qr/^All as it should be\.$/m, 'it says so');
    like($said, qr/^ *\d+  Gateway one knows the suspension$/m,
         'to the end of the scenario');
    is(processes(), '', 'nothing is left running');
}

# Runs on another port, which must be free.

{
    local $ENV{PARLEY_BUILD} = $build;
    local $ENV{ONCE} = 1;

    my $taken = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1,
                                      Proto => 'tcp');

    for (['none', qr/PORT=none is not a port/], [0, qr/PORT=0 is not a port/],
         [65536, qr/PORT=65536 is not a port/],
         [$taken->sockport, qr/PORT=\d+ is in use/])
    {
        local $ENV{PORT} = $_->[0];
        like(`@{[ root() ]}/examples/demo/run 2>&1`, $_->[1],
             "make run PORT=$_->[0]");
        isnt($?, 0, 'it does not start');
    }
}

# Runs until it is told to end.

{
    local $ENV{PARLEY_BUILD} = $build;
    delete local $ENV{ONCE};
    spew("$dir/demo.out", '');

    my $port = port(5);
    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        $ENV{PORT} = $port;
        open STDOUT, '>', "$dir/demo.out";
        open STDERR, '>&', \*STDOUT;
        exec root() . '/examples/demo/run' or POSIX::_exit(127);
    }

    for (1 .. 1800) {
        last if slurp("$dir/demo.out") =~ /Ctrl-C ends it/
                || waitpid($pid, POSIX::WNOHANG());
        select undef, undef, undef, 0.1;
    }

    like(slurp("$dir/demo.out"), qr/Ctrl-C ends it/, 'make run goes on');
    like(slurp("$dir/demo.out"), qr{^ +https://\S+:$port/parley$}m,
         'OPS-04 and says where its page is, on the port of PORT=');

    my $base = "https://localhost:$port";

    for my $page (slurp("$dir/demo.out") =~ m{^ +\Q$base\E/(\S+)$}mg) {
        is(`curl -skg -o $dir/page -w '%{http_code}' '$base/$page'`, 200,
           "its page $page");
    }

    like(slurp("$dir/demo.out"), qr{^ +\Q$base\E/chat/\?as=$_$}m, "of $_")
        for qw(will mia);
    like(`curl -skI $base/chat/`,
         qr{^Content-Security-Policy: frame-ancestors 'none'\r$}m);

    page_talks($base);

    kill INT => $pid;
    waitpid $pid, 0;

    is($?, 0, 'until Ctrl-C, status 0');
    is(processes(), '', 'nothing is left running');
}


# Posts messages as the chat page does, and waits for the answers of the agents.
sub page_talks {
    my $base = shift;

    my ($cookie) = `curl -skI $base/chat/` =~ /^Set-Cookie: (surface=[^;]+)/m;
    my %where = (source => { platform => 'web', workspaceId => 'demo' },
                 conversation => { id => 'team', kind => 'channel' });

    my $asks = sub {
        my ($method, %params) = @_;

        spew("$dir/asks", json({ jsonrpc => '2.0', id => $method,
                                 method => $method, params => \%params }));

        return json(`curl -sk -H 'Cookie: $cookie' --data-binary \@$dir/asks \\
                         -H 'Content-Type: application/json' $base/chat/host`);
    };

    $asks->('chat/members', %where, remove => [],
            add => [map { "agent:$_" } qw(ada bo dot cleo)]);

    my %answer = (ada => qr/^I read one message: for agent:ada/,
                  backend => qr/^I read one message: for role:backend/,
                  cleo => qr/^agent:dot did not answer in time/);

    # of three authors, as several messages of one become one
    for (['agent:ada', 'will', 60_000], ['role:backend', 'mia', 60_000],
         ['agent:dot', 'guest', 2000])
    {
        my ($to, $author, $deadline) = @$_;
        my $answer = $asks->('chat/deliver', %where, eventId => "page-$to",
            author => { id => $author, kind => 'human' },
            target => { mentions => [$to] },
            attention => { deadlineMs => $deadline },
            content => [{ type => 'text', text => "for $to" }]);

        ok($answer->{result}{accepted}, "the page says it to $to")
            or diag(explain($answer));
    }

    my @texts;

    for (1 .. 100) {
        my $listed = $asks->('tools/call', name => 'chat_list_events',
            arguments => { conversation => { %{ $where{conversation} },
                                             source => $where{source} } });

        @texts = map { $_->{event}{content}[0]{text} // '' }
                 grep { $_->{event}{author}{kind} eq 'agent' }
                 @{ $listed->{result}{structuredContent}{events} };

        last if !grep { my $like = $_; !grep { /$like/ } @texts }
                      values %answer;
        select undef, undef, undef, 0.2;
    }

    for my $who (sort keys %answer) {
        is(scalar(grep { /$answer{$who}/ } @texts), 1, "one answer: $who")
            or diag(explain(\@texts));
    }

    like($_, qr/I am a script/) for grep { length } @texts;
}


# Returns the messages for each example: {uri, message, token, got: of the
# service, the answer; and one that is refused; ssl: of the client}.
sub examples {
    my ($service, $peers) = @_;

    my $token = sub {
        'Bearer ' . tool_ok('token', 'mint', '--key', "$dir/etc/issuer.jwk",
                            '--iss', 'https://id.example', '--aud', 'agents',
                            '--sub', 'kitchen', '--scope', @_ ? @_ : 'ops:run');
    };

    # without identities, the sub is the name of a principal
    my $named = tool_ok('token', 'mint', '--key', "$dir/etc/issuer.jwk",
                        '--iss', 'https://id.example', '--aud', 'agents',
                        '--sub', 'agent.kitchen');

    my $task = sub {
        aee(from => 'agent.kitchen', to => 'agent.backup',
            intent => 'ops.backup.audit', @_);
    };

    my $escalation = sub {
        my $m = { %{ escalation() },
                  sender => 'agent://home.example/kitchen',
                  recipient => 'agent://home.example/parent' };

        return json(tool_ok({ in => json($m) }, 'sign', '--key',
                            "$dir/etc/kitchen.jwk"));
    };

    my %aee = (uri => '/agents/backup', message => $task->(),
               token => $token->(), service => $service,
               answer => { type => 'result' });

    my %vcp = (uri => '/.well-known/vcp/messages', message => $escalation->(),
               answer => { status => 'accepted' },
               refused => { message => { %{ $escalation->() },
                                         timestamp => timestamp(-60) } },
               code => 'signature-invalid');

    return (
        'audit' => { %vcp, service => $service },
        'minimal' => { %aee, token => "Bearer $named", refused => { token => undef },
                       code => 'E_TOKEN_MISSING' },
        'aee-behind-oidc' => {
            %aee, token => $token->('ops:run', '--claim', 'agent_name=agent.kitchen'),
            refused => { message => $task->(intent => 'ops.delete.all') },
            code => 'E_POLICY_REFUSED' },
        'c2a-behind-mcp' => {
            %aee, uri => '/mcp',
            message => { jsonrpc => '2.0', id => 7, method => 'tools/call',
                         params => { name => 'chat.send_message',
                             arguments => {
                                 target => 'agent:backup',
                                 idempotencyKey => 'send-' . uuid4(),
                                 visibility => 'thread',
                                 directedness => 'to_me',
                                 text => 'Is it blocked?' } } },
            answer => { id => 7 },
            refused => { token => $token->('none') },
            code => 'scope-unauthorised' },
        'chat' => {
            %aee, uri => '/chat', gets => 0,
            message => { jsonrpc => '2.0', id => 7, method => 'tools/call',
                         params => { name => 'chat_list_events',
                                     arguments => {} } },
            answer => { id => 7 },
            refused => { message => { jsonrpc => '2.0', id => 8,
                method => 'chat/deliver', params => { eventId => 'm1',
                    source => { platform => 'web', workspaceId => 'main' },
                    conversation => { id => 'D1', kind => 'dm' },
                    author => { id => 'will', kind => 'human' },
                    content => [] } } },
            code => 'sender-identity-mismatch' },
        'cluster' => {
            %aee, store => 1, refused => { message => $task->(from => 'agent.nobody') },
            code => 'E_SENDER_IDENTITY_MISMATCH' },
        'dry-run' => {
            %aee, refused => { token => undef }, code => 'E_TOKEN_MISSING',
            lets => $task->(intent => 'ops.delete.all') },
        'existing-streams' => {
            %aee, uri => '/mcp',
            message => { jsonrpc => '2.0', id => 7, method => 'tools/call',
                         params => { name => 'grep',
                                     arguments => { for => 'x' } } },
            answer => { id => 7 },
            refused => { message => { jsonrpc => '2.0', id => 8,
                             method => 'tools/call',
                             params => { name => 'rm', arguments => {} } } },
            code => 'intent-refused',
            streams => [['/mcp', '/mcp', { jsonrpc => '2.0',
                             method => 'notifications/message',
                             params => { level => 'info', data => 'x' } },
                         qr/"notifications\/message"/],
                        ['/channel/~kitchen', '/channel/~kitchen',
                         frame('ops', 'kitchen'), qr/"kind":"agent_advisory"/],
                        ['/agents/agent.kitchen', '/channel/~kitchen',
                         frame('ops', 'kitchen'),
                         qr/"intent":"channel\.agent_advisory"/]] },
        'fallback' => {
            %aee, refused => { message => $task->(from => 'agent.nobody') },
            code => 'E_SENDER_IDENTITY_MISMATCH' },
        'jwt-only' => {
            %aee, uri => '/api/tasks', refused => { token => undef },
            code => 'token-missing' },
        'mcp-server' => {
            %aee, uri => '/mcp',
            message => { jsonrpc => '2.0', id => 7, method => 'tools/call',
                         params => { name => 'grep',
                                     arguments => { for => 'x' } } },
            answer => { id => 7 },
            refused => { message => { jsonrpc => '2.0', id => 8,
                             method => 'tools/call',
                             params => { name => 'rm', arguments => {} } } },
            code => 'intent-refused' },
        'moq' => {
            %aee, uri => '/agents/moq', gets => 0, token => $token->('agents'),
            message => aee(type => 'event', from => 'agent.kitchen',
                           to => 'agent.backup', intent => 'ops.backup.done',
                           payload => {}),
            answer => {}, status => 202,
            refused => { token => $token->('none') },
            code => 'E_SCOPE_UNAUTHORISED' },
        'mtls-fleet' => {
            %aee, uri => '/agents/backup', token => undef,
            ssl => { SSL_cert_file => $agent[0], SSL_key_file => $agent[1] },
            refused => { ssl => undef }, code => 'token-missing' },
        'streams' => {
            %aee, uri => '/channel/frames', gets => 0,
            message => frame('kitchen', 'ops'), answer => { delivered => 0 },
            refused => { message => frame('ops', 'kitchen') },
            code => 'sender-identity-mismatch' },
        'vcp-peers' => { %vcp, service => $peers },
    );
}


# Starts nginx with an example, sends an accepted and a refused message, and
# stops it.
sub runs {
    my ($conf, $case) = @_;

    # a file, because unlike a pipe it may stay open in the daemon
    system("$nginx -p $dir/ -c $conf -e stderr > $dir/said 2>&1");

    is($?, 0, 'nginx starts') or return diag(slurp("$dir/said"));

    for my $try ($case, { %$case, %{ $case->{refused} } }) {
        my $is_refused = $try != $case;
        my $client = Parley::Client->new(port => port(1),
            $try->{ssl} ? (ssl => $try->{ssl}) : ());

        $case->{service}->clear;

        my $answer = $client->post($try->{uri}, json($try->{message}),
            defined $try->{token} ? (Authorization => $try->{token}) : ());

        if ($is_refused) {
            like($answer->{body}, qr/"\Q$case->{code}\E"/, 'it refuses')
                or diag($answer->{status});
            is($case->{service}->count, 0, 'and asks nobody');
            next;
        }

        is($answer->{status}, $case->{status} // 200, 'it passes') or diag($answer->{body});
        is($case->{service}->count, $case->{gets} // 1,
           'the service got what is for it');
        is($answer->{json}{$_}, $case->{answer}{$_}, "the answer: $_")
            for sort keys %{ $case->{answer} };
    }

    for (@{ $case->{streams} // [] }) {
        my ($uri, $asked, $event, $sees) = @$_;

        $case->{service}->script("\$c->events; \$c->out('data: "
                               . json($event) . "' . \"\\n\\n\")");

        my $answer = Parley::Client->new(port => port(1))
            ->get($uri, Authorization => $case->{token});

        like($answer->{body}, $sees, "the stream $uri")
            or diag($answer->{raw});
        is($case->{service}->last->{uri}, $asked, 'the service got');
    }

    $case->{service}->script($case->{script}) if $case->{streams};

    if ($case->{lets}) {
        $case->{service}->clear;
        Parley::Client->new(port => port(1))
            ->post($case->{uri}, json($case->{lets}),
                   Authorization => $case->{token});
        is($case->{service}->count, 1, 'what would be refused passes');
    }

    my $pid = slurp("$dir/nginx.pid") =~ /(\d+)/ ? $1 : die "no pid\n";

    kill QUIT => $pid;

    for (1 .. 200) {
        last if !-e "$dir/nginx.pid";
        select undef, undef, undef, 0.05;
    }

    ok(!-e "$dir/nginx.pid", 'and ends');

    # log lines are written after the answers: all are there after nginx ended
    like(slurp("$dir/logs/agents.log"), qr/ dry-refused policy-refused /,
         'and the log says what would be refused')
        if $case->{lets};
}


# Returns the processes that have the test's directory in their arguments.
sub processes {
    my @found;

    for my $path (glob '/proc/[0-9]*/cmdline') {
        open my $in, '<', $path or next;

        my $words = join ' ', split /\0/, <$in> // '';
        push @found, $words if $words =~ /\Q$build\E/;
    }

    return join "\n", @found;
}


# a browser asks for an icon of every page, and the demo has none

like(slurp(root() . '/examples/demo/sessions.html'),
     qr{<link rel="icon" href="data:,">}, 'the page of the demo has its icon');


done_testing();
