# ACH-31: the answers of an agent_query go to its response_scope, if the asker
# may address it, and to no other scope.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;
use Parley::Verbs;
use Parley::Websocket;

my $service = Parley::Upstream->start(port(2));

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => <<'HTTP', locations => <<'SERVER'));
    parley_retain count=1000 time=1h;
    server {
        listen 127.0.0.1:%PORT_6%;
        default_type application/json;
        location / { return 202; }
    }
HTTP
        location = /in { parley_jwt on;
                         parley_submit channel aee c2a hold=8s; }
        location = /denied { parley_jwt on; parley_submit channel aee;
                             parley_deny to=agent.carol;
                             parley_allow intent=**; }
        location = /deny/member { parley_jwt on; parley_submit channel aee;
                                  parley_deny to=agent.bob;
                                  parley_allow intent=**; }
        location = /deny/tool { parley_jwt on; parley_submit channel aee;
                                parley_deny to=~cc-bob|~cc-carol;
                                parley_allow intent=**; }
        location = /deny/service { parley_accept channel; parley_jwt on;
                                   parley_deny to=agent.bob|agent.carol;
                                   parley_allow intent=**;
                                   proxy_pass http://127.0.0.1:%PORT_6%; }
        location = /allow/dave { parley_jwt on; parley_submit channel aee;
                                 parley_allow to=agent.dave; }
        location = /allow/acme { parley_jwt on; parley_submit channel aee;
                                 parley_allow to=agent.dave|~acme; }
        location = /allow/bus { parley_jwt on; parley_submit channel aee;
                                parley_allow to=agent.dave|bus.acme; }
        location = /allow/bob { parley_jwt on; parley_submit channel aee;
                                parley_allow to=agent.dave|agent.bob; }
        location = /off { parley_jwt on; parley_submit channel off=members; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=8s; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location = /ws { parley_jwt on; parley_websocket channel; }
        location = /service { parley_accept channel; parley_jwt on;
                              proxy_pass http://127.0.0.1:%PORT_6%; }
        location = /to/aee { parley_accept channel aee; parley_speak aee;
                             parley_jwt on;
                             proxy_pass http://127.0.0.1:%PORT_2%; }
        location = /to/vcp { parley_accept channel aee; parley_speak vcp;
                             parley_jwt on; parley_vcp_context ctx|gateway;
                             parley_vcp_constitution creed://a.example/b@1;
                             proxy_pass http://127.0.0.1:%PORT_2%; }
        location = /to/c2a { parley_accept channel aee; parley_speak c2a;
                             parley_jwt on;
                             proxy_pass http://127.0.0.1:%PORT_2%; }
        location = /to/channel { parley_accept channel aee;
                                 parley_speak channel; parley_jwt on;
                                 proxy_pass http://127.0.0.1:%PORT_2%; }
SERVER


sub query {
    my ($from, $to, $scope, %payload) = @_;

    return frame($from, $to, kind => 'agent_query', payload => {
        query_id => uuid4(), query_text => 'who has it?',
        response_scope => $scope, timeout_ms => 60000, %payload });
}


# Returns the query of alice as a task of AEE.
sub task {
    my ($scope, %other) = @_;

    my $task = aee(intent => 'channel.agent_query', corr => uuid4(), %other);

    $task->{payload} = { query_text => 'who has it?',
                         query_id => $task->{corr},
                         response_scope => $scope, timeout_ms => 5000 };

    return $task;
}


sub response {
    my ($from, $to, $query, %other) = @_;

    return frame($from, $to, kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id},
        responder_session_id => 's1', response_text => 'I have', %other });
}


sub code {
    my $answer = submit(@_);

    return [map { $_ // '' } $answer->{status},
            $answer->{json}{code}
                // ($answer->{json}{payload} // {})->{code},
            $answer->{json}{field}
                // ($answer->{json}{payload} // {})->{field}];
}


# Returns the messages of a stream before a mark.
sub heard {
    my ($who, $stream) = @_;

    my $mark = 'mark ' . uuid4();
    my @ids;

    submit(frame('dave', $who, text => $mark));

    while (my $event = $stream->event(10)) {
        my $m = $event->{json};

        last if jcs($m) =~ /\Q$mark\E/;
        push @ids, $m->{payload}{response_text}
                   // ($m->{payload}{query_id} ? 'query' : $m->{type})
            if ($m->{kind} // '') ne 'agent_advisory';
    }

    return \@ids;
}


sub asked {
    my ($query, @o) = @_;

    my $answer = submit($query, @o);

    is($answer->{status}, 200, 'asked') or diag $answer->{body};

    return $query;
}


my %s = (alice => listen_to('alice', session => 'a'),
         carol => listen_to('carol', session => 'c'),
         bob => listen_to('bob', session => 'b'));

sub empty { heard($_, $s{$_}) for keys %s }


subtest 'ACH-31: to another handle' => sub {
    for my $scope ('~carol/*', '~carol') {
        my $query = asked(query('alice', 'bob', $scope));

        is($s{bob}->event->{json}{payload}{response_scope}, $scope,
           'bob is told');
        is_deeply(code(response('bob', 'alice', $query)),
                  [409, 'reply-unmatched', '/recipient_handle'],
                  'not to the asker');
        is_deeply(code(response('bob', 'dave', $query)),
                  [409, 'reply-unmatched', '/recipient_handle'],
                  'nor to a third');
        is_deeply(code(response('dave', 'carol', $query))->[0], 409,
                  'nor from a third');

        my $said = submit(response('bob', 'carol', $query));

        is($said->{status}, 200, $scope) or diag $said->{body};
        is($said->{json}{delivered}, 1, 'to one stream');
        is_deeply(heard('carol', $s{carol}), ['I have'], 'carol has it');
        is_deeply(heard('alice', $s{alice}), [], 'alice has nothing');
        is_deeply(code(response('bob', 'carol', $query))->[0], 409,
                  'one of each session');
    }
};


subtest 'ACH-31: a reader sends the same query again' => sub {
    my $dave = listen_to('dave', session => 'd');

    empty();

    for my $again ('~carol/*', '~carol', '~carol/cc-x@one') {
        my $query = asked(query('alice', 'bob', '~carol/*'));
        my %same = (query_id => $query->{payload}{query_id});

        asked(query('dave', 'bob', $again, %same)) for 1 .. 3;
        asked(query('dave', 'bob', $again, %same, timeout_ms => 1));

        my $said = submit(response('bob', 'carol', $query));

        is($said->{status}, 200, "with $again") or diag $said->{body};
        is_deeply(heard('carol', $s{carol}), ['I have'], 'carol has it');
        is_deeply(heard('dave', $dave), [], 'dave has nothing');
        is(code(response('bob', 'carol', $query))->[0], 409, 'once');
        is(code(response('bob', 'dave', $query))->[0], 409,
           'nor to whom no query names');
    }

    # answers to an organisation

    my $asked = asked(query('alice', 'dave', 'org:~acme/members/ops/*'));

    asked(query('bob', 'dave', 'org:~acme/members/*',
                query_id => $asked->{payload}{query_id}));
    empty();
    is(submit(response('dave', 'acme', $asked))->{status}, 200,
       'to an organisation');
    is_deeply(heard('alice', $s{alice}), [], 'alice has no such role');
    is_deeply(heard('bob', $s{bob}), ['I have'], 'bob has');
    heard('dave', $dave);

    # a query whose answers go to its asker is independent

    my $query = asked(query('alice', 'bob', '~carol/*'));

    asked(query('dave', 'bob', '~dave/*',
                query_id => $query->{payload}{query_id}));
    is(submit(response('bob', 'dave', $query))->{status}, 200, 'to dave');
    is_deeply(heard('dave', $dave), ['I have'], 'who asked so');
    is(submit(response('bob', 'carol', $query))->{status}, 200, 'to carol');
    is_deeply(heard('carol', $s{carol}), ['I have'], 'who has hers');
    empty();
    $dave->leave;
};


subtest 'ACH-31: to one session' => sub {
    my $one = listen_to('carol', session => 'one', instrument => 'cc-x');
    my $query = asked(query('alice', 'bob', '~carol/cc-x@one'));

    empty();
    is_deeply(code(response('bob', 'carol', $query), scope => '~carol/*'),
              [409, 'reply-unmatched', '/recipient_handle'], 'not to all');
    is_deeply(code(response('bob', 'carol', $query),
                   scope => '~carol/cc-x@two'),
              [409, 'reply-unmatched', '/recipient_handle'], 'nor another');

    my $said = submit(response('bob', 'carol', $query));

    is($said->{status}, 200, 'without a scope') or diag $said->{body};
    is($said->{json}{delivered}, 1, 'to that session');
    is_deeply(heard('carol', $one), ['I have'], 'it has it');
    is_deeply(heard('carol', $s{carol}), [], 'the other has not');
    $one->leave;
};


subtest 'ACH-31: to some of the asker\'s own sessions' => sub {
    my $mine = listen_to('alice', session => 'm', instrument => 'cc-mine');

    empty();

    for my $scope ('~alice/cc-mi*', '~alice/cc-mine@m') {
        my $query = asked(query('alice', 'bob', $scope));

        is(submit(response('bob', 'alice', $query))->{status}, 200, $scope);
        is_deeply(heard('alice', $mine), ['I have'], 'there');
        is_deeply(heard('alice', $s{alice}), [], 'and not elsewhere');
    }

    $mine->leave;
};


subtest 'ACH-31: a part of the scope' => sub {
    my $one = listen_to('carol', session => 'one', instrument => 'cc-x');
    my $query = asked(query('alice', 'bob', '~carol/*'));

    empty();
    is(submit(response('bob', 'carol', $query), scope => '~carol/cc-x@one')
       ->{status}, 200, 'one session of all');
    is_deeply(heard('carol', $one), ['I have'], 'it has it');
    is_deeply(heard('carol', $s{carol}), [], 'the other has not');
    $one->leave;
};


subtest 'ACH-31: to an organisation, with the asker\'s rights' => sub {
    my $query = asked(query('alice', 'dave', 'org:~acme/members/*'));

    empty();
    is(code(response('dave', 'alice', $query))->[0], 409, 'not to the asker');

    my $said = submit(response('dave', 'acme', $query));

    is($said->{status}, 200, 'dave is no member, and answers')
        or diag $said->{body};
    is_deeply(heard('alice', $s{alice}), ['I have'], 'alice');
    is_deeply(heard('bob', $s{bob}), ['I have'], 'bob');
    is_deeply(heard('carol', $s{carol}), [], 'not carol');

    $query = asked(query('alice', 'dave', 'org:~acme/members/ops/*'));
    is(code(response('dave', 'acme', $query),
            scope => 'org:~acme/members/*')->[0], 409, 'not to all members');
    is(submit(response('dave', 'acme', $query))->{status}, 200, 'a role');
    is_deeply(heard('alice', $s{alice}), [], 'not alice');
    is_deeply(heard('bob', $s{bob}), ['I have'], 'bob');

    $query = asked(query('alice', 'dave', 'accord:~peer/grant:billing.read'));
    is(submit(response('dave', 'peer', $query))->{status}, 200, 'an accord');
    is_deeply(heard('carol', $s{carol}), ['I have'], 'carol');
};


subtest 'ACH-31: the scope with the spelling of the query' => sub {
    my %to = ('~carol' => ['carol'], '~carol/*' => ['carol'],
              'org:~acme/members/*' => ['acme', 'alice', 'bob'],
              'org:~acme/members/ops/*' => ['acme', 'bob'],
              'accord:~peer/grant:billing.read' => ['peer', 'carol']);

    empty();

    for my $scope (sort keys %to) {
        my ($to, @readers) = @{ $to{$scope} };

        @readers = ($to) if !@readers;

        my $query = asked(query('alice', 'dave', $scope));
        my $said = submit(response('dave', $to, $query), scope => $scope);

        is($said->{status}, 200, $scope) or diag $said->{body};

        for my $who (sort keys %s) {
            is_deeply(heard($who, $s{$who}), [(grep { $_ eq $who } @readers)
                                              ? 'I have' : ()], $who);
        }
    }

    my $query = asked(query('alice', 'dave', 'org:~acme/members/*'));

    is_deeply(code(response('dave', 'peer', $query),
                   scope => 'accord:~peer/grant:billing.read'),
              [409, 'reply-unmatched', '/recipient_handle'],
              'not to another organisation');
};


subtest 'ACH-31: a scope that the asker may not address' => sub {
    my $field = '/payload/response_scope';

    empty();

    for my $at ([uri => '/in'], [uri => '/service']) {
        is_deeply(code(query('dave', 'bob', 'org:~acme/members/*'), @$at),
                  [403, 'scope-unauthorised', $field], "no member, @$at");
        is_deeply(code(query('dave', 'bob',
                             'accord:~peer/grant:billing.read'), @$at),
                  [403, 'scope-unauthorised', $field], 'no grant');
        is_deeply(code(query('alice', 'bob', '~carol/'), @$at),
                  [400, 'field-invalid', $field], 'no scope');
    }

    is_deeply(code(query('alice', 'bob', '~carol/*'), uri => '/denied'),
              [403, 'scope-unauthorised', $field], 'by a rule');
    is_deeply(code(query('alice', 'bob', 'org:~acme/members/*'),
                   uri => '/off'),
              [501, 'scope-unimplemented', $field], 'switched off');
    is_deeply(heard('bob', $s{bob}), [], 'nothing was published');

    # an answer does not reach a recipient that rules deny to its sender
    my $query = asked(query('alice', 'bob', '~carol/*'));

    is(code(response('bob', 'carol', $query), uri => '/denied')->[0], 403,
       'the rules hold for the responder');
    is(submit(query('alice', 'bob', '~bob/*'), uri => '/denied')->{status},
       200, 'by the same rules another scope');
    is_deeply(heard('bob', $s{bob}), ['query', 'query'],
              'these two were published');
};


subtest 'ACH-31: rules apply to each reader of the answers' => sub {
    my %refused = (
        '/deny/member' => ['org:~acme/members/*', 'org:~acme/members/ops/*',
                           '~bob', '~bob/*', '~bob/cc-bob@b'],
        '/deny/tool' => ['org:~acme/members/*', '~bob/*', '~carol',
                         'accord:~peer/grant:billing.read'],
        '/deny/service' => ['org:~acme/members/*', '~bob/*', '~carol/*',
                            'accord:~peer/grant:billing.read'],
        '/denied' => ['accord:~peer/grant:billing.read'],
        '/allow/dave' => ['org:~acme/members/*', '~bob/*', '~carol'],
        '/allow/bob' => ['org:~acme/members/*', '~carol'],
        '/allow/acme' => ['~carol/*', '~bob/*',
                          'accord:~peer/grant:billing.read']);
    my %taken = (
        '/deny/member' => ['accord:~peer/grant:billing.read', '~carol/*'],
        '/deny/service' => ['~dave/*', '~alice/*'],
        '/denied' => ['org:~acme/members/*', '~bob/*'],
        '/allow/dave' => ['~dave/*', '~alice/*'],
        '/allow/bob' => ['~bob/*', 'org:~acme/members/ops/*'],
        '/allow/acme' => ['org:~acme/members/*', 'org:~acme/members/ops/*'],
        '/allow/bus' => ['org:~acme/members/*']);

    my $dave = listen_to('dave', session => 'rules');

    empty();

    for my $uri (sort keys %refused) {
        for my $scope (@{ $refused{$uri} }) {
            my $said = code(query('alice', 'dave', $scope), uri => $uri);

            is_deeply($said, [403, 'scope-unauthorised',
                              '/payload/response_scope'], "$scope at $uri");
        }
    }

    is_deeply(code(task('org:~acme/members/*', to => 'agent.dave'),
                   as => 'alice', uri => '/deny/member'),
              [403, 'E_POLICY_REFUSED', '/payload/response_scope'],
              'asked by AEE');
    is_deeply(heard('dave', $dave), [], 'nothing was published');

    for my $uri (sort keys %taken) {
        for my $scope (@{ $taken{$uri} }) {
            my $said = submit(query('alice', 'dave', $scope), uri => $uri);

            like($said->{status}, qr/^20[02]$/, "$scope at $uri")
                or diag $said->{body};
        }
    }

    $dave->leave;
};


subtest 'ACH-31: with a service' => sub {
    my @at = (uri => '/service');
    my $query = query('alice', 'bob', '~carol/*');

    is(submit($query, @at)->{status}, 200, 'asked');
    is_deeply(code(response('bob', 'alice', $query), @at),
              [409, 'reply-unmatched', '/recipient_handle'],
              'not to the asker');
    is(submit(response('bob', 'carol', $query), @at)->{status}, 200,
       'to carol');
};


subtest 'ACH-31: with a service of another protocol, which answers at once' => sub {
    empty();
    $service->clear;
    $service->script('$c->answer(200, [], jcs(result($q->{json})))');

    for my $to (qw(aee vcp c2a)) {
        for my $scope ('~carol/*', '~carol', '~alice/cc-mine@m',
                       'org:~acme/members/*')
        {
            my $said = submit(query('alice', 'bob', $scope),
                              uri => "/to/$to");

            is($said->{status}, 422, "$scope by $to") or diag $said->{body};
            is($said->{json}{code}, 'field-invalid', 'is refused');
            is($said->{json}{field}, '/payload/response_scope',
               'and the member named');
            is_deeply(code(task($scope), as => 'alice', uri => "/to/$to"),
                      [422, 'E_TRANSLATION_UNSUPPORTED',
                       '/payload/response_scope'], 'asked by AEE');
        }
    }

    is(scalar $service->requests, 0, 'the service has none of it');

    for my $scope ('~alice', '~alice/*') {
        my $said = submit(query('alice', 'bob', $scope), uri => '/to/aee');

        is($said->{status}, 200, $scope) or diag $said->{body};
        like($said->{body}, qr/done/, 'the answer comes to the asker');
    }

    $service->script('$c->answer(202)');
    is(submit(query('alice', 'bob', '~carol/*'), uri => '/to/aee')->{status},
       422, 'also while it takes its time');
};


subtest 'ACH-31: with a service of agent-channel that answers at once' => sub {
    empty();

    my $answer = 'my $f = $q->{json}; my $a = { %$f, frame_id => uuid4(), '
        . 'kind => "agent_response", sender_handle => "~bob", '
        . 'recipient_handle => "~TO", payload => { query_id => '
        . '$f->{payload}{query_id}, responder_session_id => "s1", '
        . 'response_text => "I have" } }; '
        . '@$a{qw(acted_by drafted_with)} = ("~bob", "~cc-bob\@1.0"); ';

    for my $to (qw(alice carol)) {
        for my $way ('$c->answer(200, [], jcs($a))',
                     '$c->answer(200, [], jcs({ frame_id => $f->{frame_id}, '
                     . 'delivered => 1, answer => $a }))')
        {
            $service->script($answer =~ s/TO/$to/r . $way);

            for my $query (query('alice', 'bob', '~carol/*'),
                           task('~carol/*'))
            {
                my $said = submit($query, as => 'alice',
                                  uri => '/to/channel');

                is($said->{status}, 502, "to $to") or diag $said->{body};
                unlike($said->{body}, qr/I have/, 'the asker does not get it');
            }

            next if $to ne 'alice';

            my $said = submit(query('alice', 'bob', '~alice/*'),
                              uri => '/to/channel');

            is($said->{status}, 200, 'to the asker') or diag $said->{body};
            like($said->{body}, qr/I have/, 'who gets it');
        }
    }

    $service->script('my $f = $q->{json}; $c->answer(200, [], '
                     . 'jcs({ frame_id => $f->{frame_id}, delivered => 1 }))');
    is(submit(query('alice', 'bob', '~carol/*'), uri => '/to/channel')
       ->{status}, 200, 'that it was taken is no answer');
};


subtest 'ACH-31: with a WebSocket' => sub {
    empty();

    my $alice = websocket('alice', uri => '/ws');
    my $bob = websocket('bob', uri => '/ws');
    my $query = query('alice', 'bob', '~carol/*');

    $alice->text(jcs($query));
    is($alice->message->{json}{delivered}, 2, 'asked');
    is($bob->message->{json}{frame_id}, $query->{frame_id}, 'bob has it');
    $bob->text(jcs(response('bob', 'carol', $query)));
    is($bob->message->{json}{delivered}, 1, 'answered');
    is_deeply(heard('carol', $s{carol}), ['I have'], 'carol has it');
    $_->leave for $alice, $bob;
};


subtest 'ACH-31: an MCP query does not wait for answers that go elsewhere' => sub {
    empty();

    for my $scope ('~carol/*', '~alice/cc-mine@m') {
        my $since = time;
        my %call = (recipient_handle => '~bob', frame_id => uuid4(),
                    payload => { query_text => 'who has it?',
                                 query_id => uuid4(), timeout_ms => 5000,
                                 response_scope => $scope });

        for my $again (0, 1) {
            my $result = tool('agent_query', { %call });

            is_deeply($result->{responses}, [], $scope);
            is($result->{duplicate} ? 1 : 0, $again, 'once');
        }

        cmp_ok(time - $since, '<', 3, 'at once');

        my $query = $s{bob}->event->{json};
        my $to = $scope =~ /^~(\w+)/ ? $1 : die;

        is(submit(response('bob', $to, $query))->{status}, 200, 'bob answers');
    }

    is_deeply(heard('carol', $s{carol}), ['I have'], 'carol has it');
    is_deeply(heard('alice', $s{alice}), [], 'alice has nothing');
};


subtest 'ACH-31: a reader of AEE answers' => sub {
    my $bob = listen_to('bob', uri => '/aee/', session => 'aee');
    my $carol = listen_to('carol', uri => '/aee/', session => 'aee');
    my $query = asked(query('alice', 'bob', '~carol/*'));
    my $task = $bob->event->{json};

    empty();
    is($task->{payload}{response_scope}, '~carol/*', 'bob is told');
    is_deeply(code(result($task), as => 'bob', uri => '/in'),
              [409, 'E_REPLY_UNMATCHED', '/to'], 'not to the asker');

    my $said = submit(result($task, to => 'agent.carol'), as => 'bob',
                      uri => '/in');

    is($said->{status}, 202, 'to carol') or diag $said->{body};

    my $got = $s{carol}->event(5);

    is($got->{json}{kind}, 'agent_response', 'carol has a frame');
    is($got->{json}{recipient_handle}, '~carol', 'to her');
    is($got->{json}{payload}{query_id}, $query->{payload}{query_id},
       'of the query');
    is($carol->event(5)->{json}{to}, 'agent.carol', 'and a result');
    is_deeply(heard('alice', $s{alice}), [], 'alice has nothing');
    $_->leave for $bob, $carol;
};


subtest 'ACH-31: a reply that is not an answer goes to its own recipient' => sub {
    my $bob = listen_to('bob', uri => '/aee/', session => 'aee');

    asked(query('alice', 'bob', '~carol/*'));

    my $task = $bob->event->{json};

    empty();

    for my $to (qw(dave carol)) {
        my $said = submit(result($task, type => 'event', to => "agent.$to",
                                 payload => { text => 'not for alice' }),
                          as => 'bob', uri => '/in');

        is($said->{status}, 409, "to $to") or diag $said->{body};
    }

    is(submit(result($task, type => 'event', payload => { text => 'x' }),
              as => 'bob', uri => '/in')->{status}, 202, 'to the asker');
    is($s{alice}->event(5)->{json}{kind}, 'agent_advisory', 'alice has it');
    is_deeply(heard('alice', $s{alice}), [], 'alice has nothing else');
    $bob->leave;
};


subtest 'ACH-31: a reader of AEE answers to an organisation' => sub {
    my $dave = listen_to('dave', uri => '/aee/', session => 'aee');
    my $alice = listen_to('alice', uri => '/aee/', session => 'aee');

    asked(query('alice', 'dave', 'org:~acme/members/ops/*'));
    empty();

    my $said = submit(result($dave->event->{json}, to => 'bus.acme'),
                      as => 'dave', uri => '/in');

    is($said->{status}, 202, 'to the group') or diag $said->{body};
    is($s{bob}->event(5)->{json}{kind}, 'agent_response', 'bob has the role');
    is_deeply(heard('alice', $s{alice}), [], 'alice has not');
    is_deeply([grep { $_ ne 'event' } @{ heard('alice', $alice) }], [],
              'by AEE either');
    $_->leave for $dave, $alice;
};


subtest 'ACH-31: a reader of C2A answers in the conversation' => sub {
    my $bob = listen_to('bob', uri => '/c2a/', session => 'c2a');

    asked(query('alice', 'bob', '~carol/*'));
    empty();

    my $p = $bob->event->{json}{params};
    my $said = submit(Parley::Matrix::say(
        inReplyTo => $p->{eventId}, sender => 'agent:bob',
        idempotencyKey => uuid4(), text => 'I have',
        target => { kind => 'dm', id => $p->{conversation}{id} }),
        as => 'bob', uri => '/in');

    is($said->{status}, 200, 'bob answers') or diag $said->{body};
    ok(!$said->{json}{error}, 'without an error') or diag $said->{body};

    my $got = $s{carol}->event(5);

    is($got->{json}{kind}, 'agent_response', 'carol has it');
    is($got->{json}{recipient_handle}, '~carol', 'to her');
    is_deeply(heard('alice', $s{alice}), [], 'alice has nothing');
    $bob->leave;
};


subtest 'ACH-31: an asker of AEE' => sub {
    empty();

    my $alice = listen_to('alice', uri => '/aee/', session => 'aee');
    my $task = aee(intent => 'channel.agent_query', corr => uuid4(),
                   requires => { timeout_ms => 5000 });

    $task->{payload} = { query_text => 'who has it?',
                         query_id => $task->{corr},
                         response_scope => '~carol/*', timeout_ms => 5000 };

    my $since = time;
    my $asked = submit($task, as => 'alice', uri => '/in');

    is($asked->{status}, 202, 'taken') or diag $asked->{body};
    cmp_ok(time - $since, '<', 3, 'at once');

    my $query = $s{bob}->event->{json};

    is(code(response('bob', 'alice', $query))->[0], 409, 'not to the asker');
    is(submit(response('bob', 'carol', $query))->{status}, 200, 'to carol');
    is_deeply(heard('carol', $s{carol}), ['I have'], 'carol has it');
    is_deeply(heard('alice', $alice), [], 'alice has nothing');

    $task = { %$task, id => uuid4(),
              payload => { %{ $task->{payload} },
                           response_scope => 'org:~peer/members/*' } };
    is_deeply(code($task, as => 'alice', uri => '/in'),
              [403, 'E_SCOPE_UNAUTHORISED', '/payload/response_scope'],
              'no member');
    $alice->leave;
};


subtest 'ACH-31: all sessions of the asker' => sub {
    for my $scope ('~alice', '~alice/*') {
        my $query = asked(query('alice', 'bob', $scope));

        empty();
        is(submit(response('bob', 'alice', $query))->{status}, 200, $scope);
        is_deeply(heard('alice', $s{alice}), ['I have'], 'as ever');
    }
};

$_->leave for values %s;
$nginx->stop;

unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nothing broke');

done_testing;
