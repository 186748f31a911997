# ACH-27: the verbs of agent-channel as tools of MCP, called as the transport
# has it, and by the official clients of both generations.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use File::Copy qw(copy);
use JSON::PP ();

use Parley::Client;
use Parley::Env qw(port tmp_dir root tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool ();

my @VERBS = qw(agent_send agent_advise agent_broadcast agent_handover
               agent_lock_acquire agent_lock_release agent_lease_extend
               agent_query agent_roster agent_subscribe);

my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(1), tls => 0);
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => 'parley_retain count=1000 time=1h;',
    locations => <<"EOT"));
        location = /mcp { parley_jwt on; parley_mcp channel hold=5s; }
        location = /short { parley_jwt on; parley_mcp channel hold=1s; }
        location = /ruled {
            parley_jwt on;
            parley_mcp channel hold=2s counts=coarse;
            parley_allow intent=channel.agent_advisory;
            parley_allow type=subscribe principal=agent.dave to=agent.alice;
            parley_allow type=roster principal=agent.dave to=agent.alice;
        }
        location = /denied {
            parley_jwt on;
            parley_mcp channel hold=1s;
            parley_deny intent=channel.agent_handover;
        }
        location = /plain { parley_jwt on; parley_mcp channel off=role; }
EOT


my $id = 0;

sub call_text {
    my ($method, $params) = @_;

    return jcs({ jsonrpc => '2.0', id => ++$id, method => $method,
                 defined $params ? (params => $params) : () });
}


sub mcp {
    my ($text, %o) = @_;

    return $client->post($o{uri} // '/mcp', $text,
        Authorization => bearer($o{as} // 'alice'),
        Accept => 'application/json, text/event-stream',
        'Content-Type' => 'application/json', @{ $o{headers} // [] });
}


sub tool_text {
    my ($name, %arguments) = @_;

    return call_text('tools/call', { name => $name,
                                     arguments => \%arguments });
}


# what a tool gave: its structured content, which its text says, too
sub tool {
    my ($name, $arguments, %o) = @_;

    my $answer = mcp(tool_text($name, %$arguments), %o);

    return outcome($answer);
}


sub outcome {
    my $answer = shift;

    is($answer->{status}, 200, 'status');
    is($answer->{json}{id}, $id, 'id');

    my $result = $answer->{json}{result} // {};

    is_deeply(eval { from_json($result->{content}[0]{text}) },
              $result->{structuredContent}, 'the text says the same')
        if !$result->{isError};

    return $result->{structuredContent}
           // diag($answer->{body}) // $answer->{json};
}


# calls that are under way
sub begin {
    my ($text, %o) = @_;

    return $client->begin($o{uri} // '/mcp', $text,
        Authorization => bearer($o{as} // 'alice'),
        'Content-Type' => 'application/json');
}


sub says {
    my ($who, $query, %payload) = @_;

    return submit(frame($who, 'alice', kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id},
        responder_session_id => 's1', response_text => 'yes', %payload }));
}


sub refused {
    my ($answer, $code, $field, $name) = @_;

    my $result = $answer->{json}{result};

    is($answer->{status}, 200, "$name: a result");
    ok($result->{isError}, 'that is an error');
    is($result->{structuredContent}{code}, $code, 'code');
    is($result->{structuredContent}{field}, $field, 'field');
    like($result->{content}[0]{text}, qr/\A\Q$code\E: ./, 'as text');
}


# ---- what is asked of the server itself

subtest 'ACH-27: a client begins' => sub {
    my $answer = mcp(call_text('initialize', {
        protocolVersion => '2025-06-18', capabilities => {},
        clientInfo => { name => 't', version => '1' } }));

    is($answer->{json}{result}{protocolVersion}, '2025-06-18');
    ok($answer->{json}{result}{capabilities}{tools}, 'tools');
    is($answer->{json}{result}{serverInfo}{name}, 'parley');

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


subtest 'ACH-27: what is no call' => sub {
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
};


subtest 'SEC-07 ACH-27: nobody calls without proof' => sub {
    my $answer = $client->post('/mcp', call_text('tools/list'));

    is($answer->{status}, 401);
    like($answer->{headers}{'www-authenticate'}, qr/Bearer/);
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


subtest 'ACH-27 ACH-26: a frame that comes again is delivered once' => sub {
    my $bob = listen_to('bob', session => 's1');
    my %arguments = (recipient_handle => '~bob', frame_id => uuid4(),
                     payload => { advisory_text => 'once' });
    my $one = tool('agent_advise', \%arguments);

    is($one->{delivered}, 1);

    # it has another time, and is another message of the same id

    sleep 0.01;
    refused(mcp(tool_text('agent_advise', %arguments,
                          payload => { advisory_text => 'other' })),
            'message-duplicate', '/frame_id', 'another one');

    is($bob->event->{json}{payload}{advisory_text}, 'once');
    is($bob->event(0.3), undef, 'and no more');
    $bob->leave;
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


subtest 'ACH-27 ACH-18: what is refused reaches nobody, and says why' => sub {
    my $bob = listen_to('bob', session => 's1');
    my %good = (recipient_handle => '~bob',
                payload => { advisory_text => 'x' });
    my $at = '/params/arguments';

    for my $case (
        ['field-missing', "$at/recipient_handle", 'agent_advise',
         payload => { advisory_text => 'x' }],
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
        ['payload-kind-mismatch', '/payload', 'agent_send', %good,
         kind => 'agent_query'],
        ['field-invalid', "$at/max", 'agent_query', %good, max => 0,
         payload => { query_text => 'x' }],
        ['field-invalid', "$at/handle", 'agent_roster', handle => 'x/y'],
        ['filter-axis-unknown', 'filter', 'agent_subscribe',
         filter => 'colour:red'],
        ['field-invalid', 'session', 'agent_subscribe', session => 'a/b'],
        ['scope-unauthorised', undef, 'agent_subscribe', handle => '~bob'],
        ['scope-unauthorised', undef, 'agent_roster', handle => '~bob'],
    ) {
        my ($code, $field, $verb, %arguments) = @$case;

        refused(mcp(tool_text($verb, %arguments)), $code, $field,
                "$verb: $code " . ($field // ''));
    }

    refused(mcp(call_text('tools/call', { name => 'agent_advise' })),
            'field-missing', '/params/arguments', 'no arguments');
    is($bob->event(0.3), undef, 'nothing came');
    $bob->leave;
};


subtest 'ACH-27: rules are of frames' => sub {
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


# ---- who listens, and what comes

subtest 'ACH-27 ACH-25: the roster' => sub {
    is(tool('agent_roster', {})->{count}, 0);

    my $alice = listen_to('alice', session => 'a1', instrument => 'cc-a');
    my $roster = tool('agent_roster', { handle => '~alice' });

    is($roster->{handle}, '~alice');
    is($roster->{count}, 1);
    is($roster->{sessions}[0]{session}, 'a1');

    my $coarse = tool('agent_roster', { handle => '~alice' },
                      uri => '/ruled', as => 'dave');

    is($coarse->{count}, 1);
    ok(!$coarse->{sessions}, 'ACH-25: others see a coarse count');
    $alice->leave;
};


subtest 'ACH-27: frames are waited for' => sub {
    my $from = time;
    my $none = tool('agent_subscribe', { wait_ms => 200 });

    cmp_ok(time - $from, '<', 3, 'no longer than it says');
    is_deeply($none->{frames}, []);
    is($none->{handle}, '~alice');
    ok($none->{session}, 'session');
    ok($none->{last_event_id}, 'a place to begin with');

    submit(frame('bob', 'alice', text => "f$_")) for 1 .. 3;

    my $some = tool('agent_subscribe', {
        last_event_id => $none->{last_event_id}, session => 'mine' });

    is_deeply([map { $_->{frame}{payload}{advisory_text} }
               @{ $some->{frames} }], [qw(f1 f2 f3)],
              'ACH-21: nothing between two calls is missed');
    is($some->{last_event_id}, $some->{frames}[2]{id});
    is($some->{session}, 'mine');

    my $two = tool('agent_subscribe', {
        last_event_id => $none->{last_event_id}, max => 2 });

    is(@{ $two->{frames} }, 2, 'max');

    my $rest = tool('agent_subscribe', {
        last_event_id => $two->{last_event_id} });

    is_deeply([map { $_->{frame}{payload}{advisory_text} }
               @{ $rest->{frames} }], ['f3'], 'and the rest of them');

    my $waiting = begin(tool_text('agent_subscribe',
        last_event_id => $rest->{last_event_id},
        filter => 'kind:agent_handover'));

    $waiting->fill(0.3);
    submit(frame('bob', 'alice', text => 'not this'));
    submit(frame('bob', 'alice', kind => 'agent_handover', payload => {
        previous_session_id => 's', handover_body => 'this' }));

    my $came = outcome($waiting->answer);

    is_deeply([map { $_->{frame}{payload}{handover_body} }
               @{ $came->{frames} }], ['this'], 'ACH-22: by its filter');

    my $lost = tool('agent_subscribe', { wait_ms => 500,
        last_event_id => 'aaaaaaaaaaaa.1' });

    ok($lost->{gap}{first}, 'HUB-02: what is gone is told');
};


subtest 'ACH-27 HUB-06: what came in another protocol' => sub {
    my $place = tool('agent_subscribe', { wait_ms => 100 });

    is(submit(frame('bob', 'alice', text => 'mine'), uri => '/channel/frames')
       ->{status}, 200);

    my $came = tool('agent_subscribe', { handle => '~alice',
        last_event_id => $place->{last_event_id} }, uri => '/ruled',
        as => 'dave');

    is($came->{frames}[0]{frame}{payload}{advisory_text}, 'mine',
       'another may where a rule says so');

    submit(frame('bob', 'alice', kind => 'agent_handover', payload => {
        previous_session_id => 's', handover_body => 'secret' }));
    submit(frame('bob', 'alice', text => 'open'));

    my $denied = tool('agent_subscribe', {
        last_event_id => $came->{last_event_id} }, uri => '/denied');

    is_deeply([map { $_->{frame}{payload}{advisory_text} }
               @{ $denied->{frames} }], ['open'], 'SEC-04: rules that deny');
};


# ---- questions

subtest 'ACH-27: a query returns what answered it' => sub {
    my @bobs = map { listen_to('bob', session => $_) } qw(s1 s2);
    my $from = time;
    my $call = begin(tool_text('agent_query', recipient_handle => '~bob',
        payload => { query_text => 'is it blocked?', timeout_ms => 2000 }));
    my $query = $bobs[0]->event->{json};

    is($query->{kind}, 'agent_query');
    is($query->{payload}{response_scope}, '~alice');
    is($query->{payload}{timeout_ms}, 2000);
    is($bobs[1]->event->{json}{frame_id}, $query->{frame_id});

    is(says('bob', $query, response_text => 'no')->{status}, 200);
    is(says('bob', $query, response_text => 'not at all',
            responder_session_id => 's2')->{status}, 200);
    is(says('carol', $query)->{json}{code}, 'reply-unmatched', 'SEC-08');

    my $result = outcome($call->answer);

    is($result->{query_id}, $query->{payload}{query_id});
    is($result->{frame_id}, $query->{frame_id});
    is($result->{delivered}, 2);
    is_deeply([map { $_->{payload}{response_text} }
               @{ $result->{responses} }], ['no', 'not at all']);
    cmp_ok(time - $from, '>', 1.5, 'it waited as long as it said');

    $call = begin(tool_text('agent_query', recipient_handle => '~bob',
        max => 1, payload => { query_text => 'and now?' }));
    $from = time;
    $query = $bobs[0]->event->{json};
    says('bob', $query);
    $result = outcome($call->answer);

    is(@{ $result->{responses} }, 1);
    cmp_ok(time - $from, '<', 4, 'max: no longer than needed');
    $_->leave for @bobs;
};


subtest 'ACH-27: a query of nobody, and one without an answer' => sub {
    my $from = time;
    my $result = tool('agent_query', { recipient_handle => '~dave',
        payload => { query_text => 'anybody?' } });

    is($result->{delivered}, 0);
    is_deeply($result->{responses}, []);
    cmp_ok(time - $from, '<', 4, 'nothing is waited for');

    my $dave = listen_to('dave', session => 'd');

    $from = time;
    $result = tool('agent_query', { recipient_handle => '~dave',
        payload => { query_text => 'you?' } }, uri => '/short');

    is($result->{delivered}, 1);
    is_deeply($result->{responses}, []);
    cmp_ok(time - $from, '>', 0.8, 'hold=');
    cmp_ok(time - $from, '<', 5);

    my $query = $dave->event->{json};

    is($query->{payload}{timeout_ms}, 1000, 'what is asked for it is told');
    $dave->leave;
};


subtest 'ACH-27: many at once, on whatever workers' => sub {
    my $bob = listen_to('bob', session => 's1');
    my @calls = map {
        [$id + 1, begin(tool_text('agent_query', recipient_handle => '~bob',
            max => 1, payload => { query_text => "q$_" }))]
    } 1 .. 12;

    for my $event ($bob->events(12)) {
        says('bob', $event->{json},
             response_text => "to $event->{json}{payload}{query_text}");
    }

    for my $i (1 .. 12) {
        my ($of, $call) = @{ $calls[$i - 1] };
        my $answer = $call->answer;

        is($answer->{json}{id}, $of);
        is($answer->{json}{result}{structuredContent}{responses}[0]{payload}
           {response_text}, "to q$i", 'its own');
    }

    # a principal has so many that wait in a worker

    my @waiting = map { begin(tool_text('agent_subscribe')) } 1 .. 40;

    sleep 0.5;

    my @full = grep { $_->fill(0.01); $_->{buffer} =~ /capacity/ } @waiting;

    cmp_ok(scalar @full, '>=', 40 - 2 * 16, 'no more than a worker holds');
    $_->leave for @waiting;
    $bob->leave;
};


# ---- parley explain takes the same steps

subtest 'ACH-27 GW-16: a call is explained' => sub {
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


# ---- the clients that there are

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
            my $bob = listen_to('bob', session => 's1');
            my $step = sub {
                my ($name, %arguments) = @_;
                return 'call=' . jcs({ name => $name,
                                       arguments => \%arguments });
            };

            open(my $out, '-|', $node, "$mcp/client.mjs", $generation,
                 'https://localhost:' . port(4) . '/mcp', bearer('alice'),
                 'connect', 'tools',
                 $step->('agent_advise', recipient_handle => '~bob',
                         payload => { advisory_text => 'by a client' }),
                 $step->('agent_query', recipient_handle => '~bob', max => 1,
                         payload => { query_text => 'heard?' }),
                 $step->('agent_roster', handle => '~bob'),
                 $step->('agent_subscribe', wait_ms => 100), 'heard')
                or die "node: $!\n";

            is($bob->event(60)->{json}{payload}{advisory_text}, 'by a client');

            my $query = $bob->event(20)->{json};

            says('bob', $query, response_text => 'heard');

            my $text = do { local $/; <$out> };
            close $out;

            my ($hello, $tools, $advice, $asked, $roster, $frames, $heard)
                = @{ +eval { JSON::PP->new->utf8->decode($text) } // [] };

            diag($text) if $ENV{PARLEY_TEST_VERBOSE};

            is($hello->{server}{name}, 'parley', 'connected');
            is_deeply([map { $_->{name} } @$tools], \@VERBS, 'tools');
            is($advice->{structuredContent}{delivered}, 1);
            is($asked->{structuredContent}{responses}[0]{payload}
               {response_text}, 'heard', 'the response to its query');
            ok($roster->{isError}, 'not its roster');
            is_deeply($frames->{structuredContent}{frames}, []);
            is_deeply($heard->{errors}, [], 'nothing went wrong');
            $bob->leave;
        };
    }
}


is(join("\n", grep { /\[(?:alert|emerg|crit|error)\]/ }
            split /\n/, $nginx->error_log), '', 'nothing alarming');

$nginx->stop;

done_testing;
