# ACH-27: the verbs of agent-channel as tools of MCP, called by the rules of
# the transport, and by the official clients of both generations.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use File::Copy qw(copy);
use JSON::PP ();

use Parley::Ajv;
use Parley::Client;
use Parley::Env qw(port tmp_dir root tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool ();
use Parley::Verbs;

my @VERBS = qw(agent_send agent_advise agent_broadcast agent_handover
               agent_lock_acquire agent_lock_release agent_lease_extend
               agent_query agent_roster agent_subscribe);

my $dir = tmp_dir();
my $nginx = Parley::Nginx->start(workers => 2, http => verbs_http());
my $client = Parley::Client->new(port => port(1), tls => 0);


# ---- requests to the server itself

subtest 'ACH-27: an unsupported version' => sub {
    my $call = sub {
        my ($text, $version) = @_;

        return mcp($text, headers => ['MCP-Protocol-Version' => $version]);
    };

    is($call->(call_text('ping'), $_)->{status}, 200, $_)
        for qw(2024-11-05 2025-06-18 2025-11-25 2026-07-28);

    my $answer = $call->(tool_text('agent_advise', recipient_handle => '~bob',
        payload => { advisory_text => 'x' }), '2025-06-19');

    is($answer->{status}, 400, 'as MCP wants it');
    is($answer->{json}{error}{code}, -32600);

    my $notice = { jsonrpc => '2.0', method => 'notifications/initialized' };

    is($call->(jcs($notice), 'x')->{status}, 400, 'a notification, too');
    ok($call->(call_text($_, { protocolVersion => '2030-01-01' }),
               '2030-01-01')->{json}{result}, $_)
        for qw(initialize server/discover);
};



subtest 'ACH-27: a client begins' => sub {
    my $answer = mcp(call_text('initialize', {
        protocolVersion => '2025-06-18', capabilities => {},
        clientInfo => { name => 't', version => '1' } }));

    is($answer->{json}{result}{protocolVersion}, '2025-06-18');
    ok($answer->{json}{result}{capabilities}{tools}, 'tools');
    is($answer->{json}{result}{serverInfo}{name}, 'parley');

    $answer = mcp(call_text('initialize', { protocolVersion => '1999-01-01' }));
    is($answer->{json}{result}{protocolVersion}, '2025-11-25',
       'of another version: one that is spoken');

    $answer = mcp(call_text('initialize', { protocolVersion => '2025-03-26' }));
    is($answer->{json}{result}{protocolVersion}, '2024-11-05',
       'C2A-01 of the one with batches: the one before');

    for my $params (undef, {}, { protocolVersion => undef },
                    { protocolVersion => 1 })
    {
        $answer = mcp(call_text('initialize', $params));
        is($answer->{json}{error}{code}, -32602, 'of none');
        is($answer->{json}{error}{data}{field}, '/params/protocolVersion');
    }

    is(mcp(jcs({ jsonrpc => '2.0', method => 'notifications/initialized' }))
       ->{status}, 202);
    is_deeply(mcp(call_text('ping'))->{json}{result}, {});
    is(mcp(call_text('resources/list'))->{json}{error}{code}, -32601);
    is(mcp(call_text('tools/call', { name => 'agent_dance' }))
       ->{json}{error}{code}, -32602, 'no such tool');

    my $tools = mcp(call_text('tools/list'))->{json}{result}{tools};

    is_deeply([map { $_->{name} } @$tools], \@VERBS, 'all ten');

    for my $tool (@$tools) {
        is($tool->{inputSchema}{type}, 'object', "$tool->{name}: input");
        ok($tool->{description}, 'described');
        unlike(jcs($tool), qr/"\$ref"/, 'needs no other document');
    }

    is_deeply($tools->[1]{inputSchema}{properties}{payload}{required},
              ['advisory_text'], 'of its kind');
};


subtest 'MCP-06 tools declare their effects' => sub {
    my $tools = mcp(call_text('tools/list'))->{json}{result}{tools};
    my %reads = map { $_ => 1 } qw(agent_roster agent_subscribe);

    for my $tool (@$tools) {
        my $reads = $reads{$tool->{name}} ? JSON::PP::true : JSON::PP::false;

        is_deeply($tool->{annotations}, { readOnlyHint => $reads,
                                          idempotentHint => $reads },
                  $tool->{name});
        unlike(jcs($tool), qr/x-words|maxOctets|"format"/, 'common keywords');
    }
};


subtest 'MCP-06 the schemas of tools compile in Ajv' => sub {
    compiles(mcp(call_text('tools/list'))->{json}{result});
};


subtest 'ACH-27: invalid calls' => sub {
    for my $case (
        ['not json', '{', 400, -32700],
        ['a batch', '[]', 400, -32600],
        ['no version', '{"id":1,"method":"ping"}', 200, -32600],
        ['no method', '{"jsonrpc":"2.0","id":1}', 200, -32600],
        ['an id that is none', '{"jsonrpc":"2.0","id":null,"method":"ping"}',
         400, -32600],
        ['params that are none',
         '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 200, -32602],
    ) {
        my ($name, $text, $status, $code) = @$case;
        my $answer = mcp($text);

        is($answer->{status}, $status, $name);
        is($answer->{json}{error}{code}, $code, "$name: $answer->{body}");
    }

    is(mcp('{"jsonrpc":"2.0","id":9,"result":{}}')->{status}, 202,
       'a response to nothing');

    my $stream = $client->get('/mcp', Authorization => bearer('alice'));

    is($stream->{status}, 405, 'no stream to GET');
    is($stream->{headers}{allow}, 'POST');
    is_deeply([@{ $stream->{json} }{qw(jsonrpc id)},
               $stream->{json}{error}{code},
               $stream->{json}{error}{data}{code}],
              ['2.0', undef, -32600, 'envelope-version-unsupported'],
              'said as JSON-RPC has it');
};


subtest 'SEC-07 ACH-27: a call without proof is refused' => sub {
    my $answer = $client->post('/mcp', call_text('tools/list'));

    is($answer->{status}, 401);
    like($answer->{headers}{'www-authenticate'}, qr/Bearer/);
    is($answer->{json}{error}{data}{code}, 'token-missing', 'of JSON-RPC, too');
};


# ---- frames

subtest 'ACH-27: each verb is a frame of its kind' => sub {
    my $bob = listen_to('bob', session => 's1');
    my $lease = uuid4();
    my @cases = (
        [agent_advise => agent_advisory => { advisory_text => 'hello' }],
        [agent_broadcast => agent_broadcast =>
         { broadcast_text => 'merged it', event_class => 'merged' }],
        [agent_handover => agent_handover =>
         { previous_session_id => 's0', handover_body => 'go on' }],
        [agent_lock_acquire => agent_lock_request =>
         { resource => 'a.c', lease_id => $lease, ttl_ms => 60000 }],
        [agent_lease_extend => agent_lease_extend =>
         { lease_id => $lease, ttl_ms => 60000 }],
        [agent_lock_release => agent_lock_release => { lease_id => $lease }],
    );

    for my $case (@cases, [agent_send => agent_advisory =>
                           { advisory_text => 'sent' },
                           kind => 'agent_advisory']) {
        my ($verb, $kind, $payload, @more) = @$case;
        my $result = tool($verb, { recipient_handle => '~bob',
                                   payload => $payload, @more });
        my $frame = $bob->event->{json};

        is($result->{delivered}, 1, "$verb: delivered");
        is($frame->{kind}, $kind);
        is($frame->{frame_id}, $result->{frame_id});
        is_deeply($frame->{payload}, $payload);
        is($frame->{sender_handle}, '~alice');
        is($frame->{acted_by}, '~alice');
        is($frame->{drafted_with}, '~cc-alice@1.0');
        is($frame->{provenance_basis}, $verb);
        is($result->{lease_id}, $lease) if $verb eq 'agent_lock_acquire';
    }

    my $made = tool('agent_lock_acquire', { recipient_handle => '~bob',
        payload => { resource => 'b.c', ttl_ms => 1000 } });

    is($bob->event->{json}{payload}{lease_id}, $made->{lease_id},
       'an id that was made is told');

    my $own = uuid4();
    my %arguments = (recipient_handle => '~bob', frame_id => $own,
        ttl_ms => 60000, provenance_method => ['thought', 'grep'],
        provenance_context_check => 'passed', provenance_basis => 'mine',
        provenance_compute_location => 'local-only',
        provenance_return_ref => 'r1', acted_by => '~alice',
        drafted_with => '~cc-alice@2.0',
        payload => { advisory_text => "\x{e4}\n\"\\" });

    tool('agent_advise', \%arguments);

    my $frame = $bob->event->{json};

    delete @arguments{qw(payload)};
    is($frame->{$_} // '', $arguments{$_}, $_)
        for grep { !ref $arguments{$_} } sort keys %arguments;
    is_deeply($frame->{provenance_method}, ['thought', 'grep']);
    is($frame->{payload}{advisory_text}, "\x{e4}\n\"\\");

    $bob->leave;
};


subtest 'ACH-27 ACH-26: a repeated frame is delivered once' => sub {
    my $bob = listen_to('bob', session => 's1');
    my %arguments = (recipient_handle => '~bob', frame_id => uuid4(),
                     payload => { advisory_text => 'once' });
    my $one = tool('agent_advise', \%arguments);

    is($one->{delivered}, 1);

    my $again = tool('agent_advise', \%arguments);

    is_deeply($again, { frame_id => $arguments{frame_id}, delivered => 0 },
              'it is taken');
    refused(mcp(tool_text('agent_advise', %arguments,
                          payload => { advisory_text => 'other' })),
            'message-duplicate', '/frame_id', 'another one');

    is($bob->event->{json}{payload}{advisory_text}, 'once');
    is($bob->event(0.3), undef, 'and no more');

    my %lock = (recipient_handle => '~bob', frame_id => uuid4(),
                payload => { resource => 'a.c', ttl_ms => 1000 });
    my ($first, $second) = map { tool('agent_lock_acquire', \%lock) } 1, 2;

    is($bob->event->{json}{payload}{lease_id}, $first->{lease_id});
    is($second->{lease_id}, $first->{lease_id}, 'an id that was made is kept');
    is($second->{delivered}, 0);
    $bob->leave;
};


subtest 'ACH-27: agent_advise without a recipient goes to the caller\'s own sessions' =>
    sub
{
    my @own = map { listen_to('alice', session => $_, instrument => "cc-$_") }
              qw(one two);
    my $bob = listen_to('bob', session => 's1');
    my %to_all = (payload => { advisory_text => 'I edit a.c' });
    my $result = tool('agent_advise', \%to_all);

    is($result->{delivered}, 2, 'to both sessions');

    for (@own) {
        my $frame = $_->event->{json};

        is($frame->{recipient_handle}, '~alice', 'addressed to its sender');
        is($frame->{frame_id}, $result->{frame_id}, 'it is the frame');
    }

    is(tool('agent_advise', { %to_all, scope => '~alice/cc-two@two' })
       ->{delivered}, 1, 'to those of its own that scope names');
    ok($own[1]->event, 'which gets it');
    refused(mcp(tool_text('agent_advise', %to_all, scope => '~bob/*')),
            'scope-unauthorised', 'scope', 'a scope of another');
    is($own[0]->event(0.2), undef, 'the other one gets no more');
    is($bob->event(0.2), undef, 'nobody else gets any');
    $_->leave for @own, $bob;
};


subtest 'ACH-27: scopes' => sub {
    my $one = listen_to('bob', session => 'one', instrument => 'cc-x');
    my $two = listen_to('bob', session => 'two', instrument => 'cc-y');
    my %arguments = (recipient_handle => '~bob',
                     payload => { advisory_text => 'to x' });

    is(tool('agent_advise', { %arguments, scope => '~bob/cc-x@one' })
       ->{delivered}, 1);
    is($one->event->{json}{payload}{advisory_text}, 'to x');
    is($two->event(0.2), undef);

    refused(mcp(tool_text('agent_advise', %arguments, scope => '~carol/*')),
            'scope-unauthorised', 'scope', 'ACH-16: of another');
    refused(mcp(tool_text('agent_advise', %arguments, scope => 'everybody')),
            'field-invalid', '/params/arguments/scope', 'ACH-15: none');
    refused(mcp(tool_text('agent_advise', %arguments,
                          recipient_handle => '~acme',
                          scope => 'org:~acme/members/ops/*'),
                uri => '/plain'),
            'scope-unimplemented', 'scope', 'ACH-17: off');
    $_->leave for $one, $two;
};


subtest 'ACH-27 ACH-18: a refused call publishes nothing, and has the reason' => sub {
    my $bob = listen_to('bob', session => 's1');
    my %good = (recipient_handle => '~bob',
                payload => { advisory_text => 'x' });
    my $at = '/params/arguments';

    for my $case (
        ['field-missing', "$at/recipient_handle", 'agent_broadcast',
         payload => { broadcast_text => 'x', event_class => 'merged' }],
        ['field-missing', "$at/recipient_handle", 'agent_query',
         payload => { query_text => 'x' }],
        ['field-missing', "$at/recipient_handle", 'agent_send',
         kind => 'agent_advisory', payload => { advisory_text => 'x' }],
        ['field-missing', "$at/payload/advisory_text", 'agent_advise',
         %good, payload => {}],
        ['field-unknown', "$at/payload/colour", 'agent_advise', %good,
         payload => { advisory_text => 'x', colour => 1 }],
        ['field-unknown', "$at/sender_handle", 'agent_advise', %good,
         sender_handle => '~carol'],
        ['field-unknown', "$at/kind", 'agent_advise', %good,
         kind => 'agent_query'],
        ['field-invalid', "$at/recipient_handle", 'agent_advise', %good,
         recipient_handle => 'bob'],
        ['field-invalid', "$at/ttl_ms", 'agent_advise', %good, ttl_ms => -1],
        ['sender-identity-mismatch', '/acted_by', 'agent_advise', %good,
         acted_by => '~carol'],
        ['sender-identity-mismatch', '/drafted_with', 'agent_advise', %good,
         drafted_with => '~cc-other'],
        ['field-missing', "$at/kind", 'agent_send', %good],
        ['kind-unknown', "$at/kind", 'agent_send', %good, kind => 'agent_x'],
        ['payload-kind-mismatch', '/payload', 'agent_send', %good,
         kind => 'agent_query'],
        ['field-invalid', "$at/max", 'agent_query', %good, max => 0,
         payload => { query_text => 'x' }],
        ['field-invalid', "$at/handle", 'agent_roster', handle => 'x/y'],
        ['filter-axis-unknown', 'filter', 'agent_subscribe',
         filter => 'colour:red'],
        ['field-invalid', 'session', 'agent_subscribe', session => 'a/b'],
        ['field-invalid', 'filter', 'agent_subscribe',
         filter => "content_type:a\nb"],
        ['field-invalid', 'last_event_id', 'agent_subscribe',
         last_event_id => "a\0"],
        ['scope-unauthorised', undef, 'agent_subscribe', handle => '~bob'],
        ['scope-unauthorised', undef, 'agent_roster', handle => '~bob'],
    ) {
        my ($code, $field, $verb, %arguments) = @$case;

        refused(mcp(tool_text($verb, %arguments)), $code, $field,
                "$verb: $code " . ($field // ''));
    }

    for my $none ({}, { arguments => undef }) {
        refused(mcp(call_text('tools/call', { name => 'agent_advise', %$none })),
                'field-missing', '/params/arguments', 'no arguments');
        is(mcp(call_text('tools/call', { name => 'agent_roster', %$none }))
           ->{json}{result}{structuredContent}{handle}, '~alice', 'nor needed');
    }

    is($bob->event(0.3), undef, 'nothing came');
    $bob->leave;
};


subtest 'ACH-27: rules apply to the frames' => sub {
    is_deeply([map { $_->{name} } @{ mcp(call_text('tools/list'),
                                         uri => '/ruled')
                                     ->{json}{result}{tools} }],
              [qw(agent_send agent_advise agent_roster agent_subscribe)],
              'tools that are of no use are not listed');

    is(tool('agent_advise', { recipient_handle => '~bob',
            payload => { advisory_text => 'x' } }, uri => '/ruled')
       ->{delivered}, 0);
    refused(mcp(tool_text('agent_handover', recipient_handle => '~bob',
                          payload => { previous_session_id => 's',
                                       handover_body => 'b' }),
                uri => '/ruled'),
            'scope-unauthorised', '/kind', 'refused by a rule');
};


# ---- parley explain takes the same steps

subtest 'ACH-27 GW-16: a call in parley explain' => sub {
    my %to_bob = (recipient_handle => '~bob');

    my $explain = sub {
        return Parley::Tool::tool({ in => $_[0] }, 'explain', '--conf',
            $nginx->dir . '/nginx.conf', '--server', 'plain',
            '--location', '= /mcp', '--token', bearer('alice'));
    };

    for my $case (
        ['serve', call_text('tools/list')],
        ['serve', tool_text('agent_subscribe')],
        ['publish', tool_text('agent_advise', %to_bob,
                              payload => { advisory_text => 'x' })],
        ['publish', tool_text('agent_query', %to_bob,
                              payload => { query_text => 'x' })],
    ) {
        my ($status, $out, $err) = $explain->($case->[1]);

        is($status, 0, $case->[1]) or diag($err);
        like($err, qr/^$case->[0] +answered/m, $case->[0]);
    }

    for my $text ('{', call_text('dance'), tool_text('agent_dance'),
        tool_text('agent_advise', %to_bob, acted_by => '~bob',
                  payload => { advisory_text => 'x' }),
        tool_text('agent_advise', %to_bob))
    {
        my ($status, $out, $err) = $explain->($text);

        is($status, 1, $text);
        is($out, mcp($text)->{body} . "\n", 'refused in the same words');
    }
};


# ---- the official clients

SKIP: {
    my $node = $ENV{PARLEY_NODE} // 'node';

    skip 'no node, or no MCP packages', 1
        if system("$node --version > /dev/null 2>&1") != 0
           || !-e root() . '/build/mcp/installed';

    my $mcp = "$dir/mcp";

    mkdir $mcp;
    symlink root() . '/build/mcp/node_modules', "$mcp/node_modules"
        or die "node_modules: $!\n";
    copy(root() . "/t/mcp/$_", "$mcp/$_") or die "$_: $!\n"
        for qw(client.mjs package.json);

    $ENV{NODE_EXTRA_CA_CERTS} = (tls())[0];

    for my $generation (qw(1 2 modern)) {
        subtest "ACH-27: the official client, generation $generation" => sub {
            my ($bob, $other) = map { listen_to('bob', session => $_) }
                                qw(s1 s2);
            my $step = sub {
                my ($name, %arguments) = @_;
                return 'call=' . jcs({ name => $name,
                                       arguments => \%arguments });
            };
            my $again = $step->('agent_query', recipient_handle => '~bob',
                max => 2, frame_id => uuid4(),
                payload => { query_text => 'still?', query_id => uuid4() })
                =~ s/^call/retry/r;

            open(my $out, '-|', $node, "$mcp/client.mjs", $generation,
                 'https://localhost:' . port(4) . '/mcp', bearer('alice'),
                 'connect', 'tools',
                 $step->('agent_advise', recipient_handle => '~bob',
                         payload => { advisory_text => 'by a client' }),
                 $step->('agent_query', recipient_handle => '~bob', max => 1,
                         payload => { query_text => 'heard?' }),
                 $step->('agent_roster', handle => '~bob'),
                 $step->('agent_subscribe', wait_ms => 100), 'heard', $again)
                or die "node: $!\n";

            is($bob->event(60)->{json}{payload}{advisory_text}, 'by a client');

            my $query = $bob->event(20)->{json};

            says('bob', $query, response_text => 'heard');

            $query = $bob->event(20)->{json};
            says('bob', $query, response_text => 'yes');
            sleep 2;
            says('bob', $query, response_text => 'still',
                 responder_session_id => 's2');

            my $text = do { local $/; <$out> };
            close $out;

            my ($hello, $tools, $advice, $asked, $roster, $frames, $heard,
                $retried)
                = @{ +eval { JSON::PP->new->utf8->decode($text) } // [] };

            diag($text) if $ENV{PARLEY_TEST_VERBOSE};

            is($hello->{server}{name}, 'parley', 'connected');
            is_deeply([map { $_->{name} } @$tools], \@VERBS, 'tools');
            is($advice->{structuredContent}{delivered}, 2);
            is($asked->{structuredContent}{responses}[0]{payload}
               {response_text}, 'heard', 'the response to its query');
            ok($roster->{isError}, 'not its roster');
            is_deeply($frames->{structuredContent}{frames}, []);
            is_deeply($heard->{errors}, [], 'nothing went wrong');
            is($retried->{first}, undef, 'one that is given up');

            my $joined = $retried->{second}{structuredContent};

            is_deeply([map { $_->{payload}{response_text} }
                       @{ $joined->{responses} }], ['yes', 'still'],
                      'and called again: all that answered it');
            ok($joined->{duplicate});
            $_->leave for $bob, $other;
        };
    }
}


unlike($nginx->error_log, qr/\[warn\].*method-not-allowed/,
       'MCP-02: a client that looks for a stream is no warning');

is(join("\n", grep { /\[(?:alert|emerg|crit|error)\]/ }
            split /\n/, $nginx->error_log), '', 'nothing alarming');

$nginx->stop;

done_testing;
