# The host of chat (parley_host): surfaces deliver events, and agents get them in
# their mailboxes and acknowledge them.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool ();

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
             instrument => "~cc-$_\@1.0" } }
         qw(ada bo dee eve fay gil)),
    { sub => 'cy', handle => '~cy', c2a => 'agent:cy', roles => ['backend'] },
    { sub => 'nobox', c2a => 'agent:nobox' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'helper', handle => '~helper', c2a => 'agent:helper',
      accounts => ['web/main/helper'] },
    { sub => 'web', c2a => 'service:web', surface => ['web/main', 'web/two'] },
    { sub => 'slack', c2a => 'service:slack', surface => ['slack/T1'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:4m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on; parley_host c2a quiet=0 keepalive=20s; }
        location = /ruled { parley_jwt on; parley_host c2a quiet=0 keepalive=20s;
                            parley_deny to=agent:ada; parley_allow to=**; }
        location /streams/ { parley_jwt on; parley_stream c2a; }
        location /watch/ { parley_jwt on; parley_stream c2a;
                           parley_allow type=subscribe to=agent:gil; }
        location /frames/ { parley_jwt on; parley_stream channel; }
EOT

my ($n, $k) = (0, 0);


# Returns an event of a surface.  Options: id, source, conversation, author,
# kind, text, and members of params.
sub event {
    my %o = (id => 'm' . ++$n, source => [qw(web main)], author => 'will',
             kind => 'human', text => "words $n", @_);

    return {
        jsonrpc => '2.0', id => 'call-' . ++$k, method => 'chat/deliver',
        params => {
            eventId => $o{id},
            source => { platform => $o{source}[0],
                        workspaceId => $o{source}[1] },
            conversation => $o{conversation} // { id => "D$n", kind => 'dm' },
            author => { id => $o{author}, kind => $o{kind} },
            content => [{ type => 'text', text => $o{text} }],
            %{ $o{params} // {} },
        },
    };
}

sub to { my $to = shift; return event(params => { target => { recipient => $to } }, @_) }


# Posts a document; returns the answer with its JSON.
sub says {
    my ($who, $doc, %o) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post($o{uri} // '/chat', ref $doc ? jcs($doc) : $doc,
                               Authorization => $o{token} // bearer($who),
                               @{ $o{headers} // [] });

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}


# Returns the error of an answer: [status, number, code, field].
sub error {
    my ($answer) = @_;
    my $e = $answer->{json}{error};

    return [$answer->{status}, $e->{code}, $e->{data}{code}, $e->{data}{field}];
}

sub addressed { $_[0]{json}{result}{addressed} }


sub mailbox { my ($who, %o) = @_; return listen_to($who, uri => '/chat', %o) }

# Acknowledges an offer; returns the status.
sub acks {
    my ($who, $id, %more) = @_;

    return says($who, { jsonrpc => '2.0', id => $id,
                        result => { accepted => true }, %more })->{status};
}


subtest 'C2A-01 C2A-03 a direct message is accepted, and the answer tells its '
        . 'readers' => sub {
    my $answer = says(web => to('agent:ada', id => 'first'));

    is($answer->{status}, 200) or diag($answer->{body});
    is_deeply($answer->{json}{result}, {
        accepted => true, eventId => 'first',
        addressed => [{ to => 'agent:ada', row => 'dm',
                        directedness => 'to_me', policy => 'must_respond',
                        mode => 'buffered' }] });

    $answer = says(web => event(conversation => { id => 'C1',
                                                  kind => 'channel' }));
    is_deeply(addressed($answer), [], 'an ambient event is in no mailbox');

    $answer = says(web => {
        jsonrpc => '2.0', id => 1, method => 'chat/members',
        params => { source => { platform => 'web', workspaceId => 'main' },
                    conversation => { id => 'C1', kind => 'channel' },
                    add => ['agent:cy'] } });
    is_deeply($answer->{json}{result}{added}, ['agent:cy'])
        or diag($answer->{body});

    $answer = says(web => event(
        conversation => { id => 'C1', kind => 'channel' },
        params => { target => { mentions => ['agent:bo', 'agent:ada',
                                             'role:backend'] } }));
    is_deeply([map { "$_->{to} $_->{row} $_->{policy} $_->{mode}" }
               sort { $a->{to} cmp $b->{to} } @{ addressed($answer) }],
              ['agent:ada mention may_respond notify',
               'agent:bo mention must_respond buffered',
               'agent:cy role may_respond notify'], 'C2A-04: mentions');
};


subtest 'C2A-20: a repeated event has the same answer, and is stored once' => sub {
    my $event = to('agent:bo', id => 'again');
    my $first = says(web => $event);
    my $reader = mailbox('bo');
    my @all = map { from_json($_->{data}) } $reader->events(2);

    is_deeply([map { $_->{params}{eventId} } @all], ['m3', 'again']);

    $event->{id} = 'another call';

    my $second = says(web => $event);

    is($second->{status}, 200);
    is($second->{json}{id}, 'another call');
    is_deeply($second->{json}{result}, $first->{json}{result}, 'by the window');

    my $other = with($event, 'params/content' => [{ type => 'text',
                                                    text => 'else' }]);

    is_deeply(error(says(web => $other)),
              [409, -31409, 'message-duplicate', '/params/eventId'],
              'other content under the id');

    $other = with($event, 'params/target' => { recipient => 'agent:ada' });
    is_deeply(error(says(web => $other)),
              [409, -31409, 'message-duplicate', '/params/eventId'],
              'another recipient under the id');

    my $two = says(web => with($event, 'params/source/workspaceId' => 'two',
                               'params/author/id' => 'U2'));

    is($two->{status}, 200, 'the id in another workspace is another event');
    is(from_json($reader->event->{data})->{params}{source}{workspaceId}, 'two',
       'and nothing else came');
    $reader->leave;
};


subtest 'C2A-38: only the surface of a source delivers for it' => sub {
    is_deeply([@{ error(says($_->[0] => $_->[1])) }[0, 2]],
              [403, 'sender-identity-mismatch'], $_->[2])
        for [ada => to('agent:bo'), 'an agent'],
            [ada => to('agent:bo', author => 'ada', kind => 'agent'),
             'an agent in its own name'],
            [will => to('agent:bo'), 'the author'],
            [slack => to('agent:bo'), 'the surface of another source'],
            [web => to('agent:bo', source => [qw(web three)]),
             'another workspace'],
            [web => to('agent:bo', author => 'WILL'),
             'an account that differs only in case'];

    my $answer = says(web => to('agent:bo', author => 'U9'));

    is($answer->{status}, 200, 'an account that no principal lists');
};


subtest 'C2A-01: what is invalid is refused, and names the member' => sub {
    is_deeply([@{ error(says(web => $_->[0])) }[0, 2, 3]], [@$_[1 .. 3]], $_->[4])
        for [to('agent:ada', id => 'x:reminder'), 400, 'field-invalid',
             '/params/eventId', 'an id of the host'],
            [to('agent:ada', id => 'x:escalated:1'), 400, 'field-invalid',
             '/params/eventId', 'another id of the host'],
            [to('agent:ada', id => 'i' x 257), 400, 'field-invalid',
             '/params/eventId', '257 octets'],
            [to('agent:ada', id => "a\nb"), 400, 'field-invalid',
             '/params/eventId', 'a line end'],
            [without(to('agent:ada'), 'params/source'), 400, 'field-missing',
             '/params/source', 'no source'],
            [with(to('agent:ada'), 'params/target/mentions' =>
                  [map { "agent:a$_" } 1 .. 65]), 400, 'field-invalid',
             '/params/target/mentions', '65 mentions'],
            [with(to('agent:ada'), 'params/change' => { of => 'first',
                                                        kind => 'edit' }),
             400, 'field-invalid', '/params/conversation',
             'an edit in another conversation'],
            [with(to('agent:ada'), 'params/target/inReplyTo' => 'none'),
             409, 'reply-unmatched', '/params/target/inReplyTo',
             'an answer to an unknown event'],
            [with(to('agent:ada'), 'params/reaction' => { of => 'none',
                                                          signal => 'agree' }),
             409, 'reply-unmatched', '/params/reaction/of',
             'a reaction to an unknown event'],
            [to('agent:nobox'), 422, 'identity-unmappable',
             '/params/target/recipient', 'an agent without a mailbox'],
            ['[]', 400, 'field-invalid', undef, 'a batch'],
            [{ jsonrpc => '2.0', id => 1, method => 'chat/none' }, 400,
             'kind-unknown', '/method', 'an unknown method'];

    my $answer = says(web => to('agent:nobox', id => 'i1'));

    $answer = says(web => to('agent:bo', id => 'i1'));
    is($answer->{status}, 200, 'a refused event does not take its id');
};


subtest 'MCP-04: the mailbox gives the view of its owner' => sub {
    my $reader = mailbox('ada');
    my ($first, $knock) = map { from_json($_->{data}) } $reader->events(2);

    like($first->{id}, qr/^first#1\.[0-9a-f]{8}$/, 'a request');
    is_deeply($first->{params}, {
        eventId => 'first', source => { platform => 'web',
                                        workspaceId => 'main' },
        conversation => { id => 'D1', kind => 'dm' },
        author => { id => 'will', kind => 'human' },
        target => { recipient => 'agent:ada', directedness => 'to_me' },
        content => [{ type => 'text', text => 'words 1' }],
        attention => { policy => 'must_respond', reason => 'direct_message',
                       priority => 'normal', deadlineMs => 300000 },
        injection => { mode => 'buffered', role => 'user' },
        reliability => { attempt => 1, idempotencyKey => 'first:agent:ada' },
    }) or diag(jcs($first));

    ok(!exists $knock->{params}{content}, 'C2A-06: a knock has no content');
    is($knock->{params}{knock}{topic}, 'mention');
    unlike(jcs($knock), qr/words/, 'nor a word of the message');
    $reader->leave;

    my $channel = listen_to('ada', uri => '/streams/');
    says(web => to('agent:ada', id => 'live'));
    is(from_json($channel->event->{data})->{params}{reliability}{idempotencyKey},
       'live:agent:ada', 'HUB-06: a stream of C2A has the view, too');
    $channel->leave;

    my $foreign = listen_to('bo', uri => '/streams/agent:ada');
    is($foreign->status, 403, 'no other principal reads the mailbox');
    is(listen_to('web', uri => '/chat')->status, 403,
              'nor has a principal without a handle one');
};


subtest 'C2A-20 MCP-03: an event comes again until its request is answered' => sub {
    my $reader = mailbox('ada');
    my @got = map { from_json($_->{data}) } $reader->events(3);

    is_deeply([map { $_->{params}{eventId} } @got], ['first', 'm3', 'live'],
              'written octets are not a delivery');

    is(acks(bo => $got[0]{id}), 202, 'the answer of another principal');
    is(acks(ada => $got[0]{id} =~ s/\..*/.00000000/r), 202, 'another tag');
    is(acks(ada => 'none#1.5f0c77aa'), 202, 'an unknown request');
    is(acks(ada => 7), 202, 'an id of another form');
    is(acks(ada => undef), 202, 'no id');

    $reader->leave;
    $reader = mailbox('ada');
    @got = map { from_json($_->{data}) } $reader->events(3);
    is($got[0]{params}{eventId}, 'first', 'all these changed nothing');

    is(acks(ada => $got[1]{id}), 202, 'one beyond a hole');
    is(acks(ada => $got[0]{id}), 202, 'and the hole');
    $reader->leave;

    $reader = mailbox('ada');
    is(from_json($reader->event->{data})->{params}{eventId}, 'live',
       'the stream begins after the cursor');

    is(says(ada => { jsonrpc => '2.0', id => $got[2]{id},
                     error => { code => -31503, message => 'later',
                                data => { retryable => true } } })->{status},
       202, 'a retryable error');
    $reader->leave;
    $reader = mailbox('ada', last => '3f09c2a1b47e.99');
    is(from_json($reader->event->{data})->{params}{eventId}, 'live',
       'is not an answer, and Last-Event-ID does not count');

    is(acks(ada => $got[2]{id}), 202);
    is(acks(ada => $got[2]{id}), 202, 'twice');
    says(web => to('agent:ada', id => 'last'));
    is(from_json($reader->event->{data})->{params}{eventId}, 'last');
    $reader->leave;

    $reader = mailbox('ada');
    is(from_json($reader->event->{data})->{params}{eventId}, 'last',
       'only the open event comes again');
    $reader->leave;
};


subtest 'MCP-01 MCP-02: a session says what it negotiated' => sub {
    my $begin = { jsonrpc => '2.0', id => 1, method => 'initialize', params => {
        protocolVersion => '2026-06-02', clientInfo => { name => 'x',
                                                         version => '1' },
        capabilities => { delivery => { ack => true },
                          injection => { buffered => false,
                                         immediate => false, notify => true,
                                         digest => true, interrupt => true },
                          chatTools => { sendMessage => true, claim => true },
                          utilities => { progress => true,
                                         cancellation => true,
                                         logging => true } } } };
    my $answer = says(ada => $begin);
    my $result = $answer->{json}{result};
    my $session = $answer->{headers}{'mcp-session-id'};

    is($answer->{status}, 200) or diag($answer->{body});
    like($session, qr/^c2a1\.[A-Za-z0-9_-]{30}$/);
    is($result->{protocolVersion}, '2026-06-02');
    ok(!$result->{capabilities}{injection}{$_}, "$_ is not promised")
        for qw(buffered immediate digest);
    ok($result->{capabilities}{injection}{$_}, "$_ is")
        for qw(notify interrupt);
    is_deeply([grep { $result->{capabilities}{chatTools}{$_} }
               sort keys %{ $result->{capabilities}{chatTools} }],
              [qw(claim sendMessage)], 'the tools that both sides have');
    like($result->{instructions}, qr/\AC2A RESPONSE RULES\n- Obey response_policy\.\n/);

    is(says(ada => { jsonrpc => '2.0', id => 2, method => 'ping' },
            headers => ['Mcp-Session-Id' => $session])->{status}, 200);
    is(says(ada => { jsonrpc => '2.0', method => 'notifications/initialized' },
            headers => ['Mcp-Session-Id' => $session])->{status}, 202);

    for ([bo => $session, 'of another principal'],
         [ada => substr($session, 0, -1), 'that is cut'],
         [ada => "${session}A", 'that is padded'],
         [ada => 'c2a1.' . 'A' x 30, 'that is made up'],
         [ada => 'x', 'of another form'])
    {
        my ($who, $id, $what) = @$_;

        is_deeply(error(says($who => { jsonrpc => '2.0', id => 2,
                                       method => 'ping' },
                             headers => ['Mcp-Session-Id' => $id])),
                  [404, -31404, 'session-unknown', undef], "a session $what");
        is(mailbox($who, headers => ['Mcp-Session-Id' => $id])->status, 404,
           'has no stream');
    }

    my $old = mailbox('ada', headers => ['Mcp-Session-Id' => $session]);
    my $event = from_json($old->event->{data});

    is($event->{params}{injection}{mode}, 'notify',
       'C2A-03: a mode that was not negotiated becomes weaker');
    ok($event->{params}{knock}, 'and the event a knock');

    my $plain = says(ada => with($begin, 'params/protocolVersion' => '2025-06-18',
                                 'params/capabilities' => {}));

    is(mailbox('ada', headers => ['Mcp-Session-Id' =>
                                  $plain->{headers}{'mcp-session-id'}])->status,
       405, 'a session of MCP alone has no stream');

    my $new = mailbox('ada');

    ok($old->ends, 'a newer session ends the stream');
    is(mailbox('ada', headers => ['Mcp-Session-Id' => $session])->status, 405,
       'and the older one gets 405');
    $new->leave;
};


# Calls a tool; returns its result.
sub tool {
    my ($who, $name, $args, %o) = @_;

    return says($who, { jsonrpc => '2.0', id => 'tool-' . ++$k,
                        method => 'tools/call',
                        params => { name => $name,
                                    arguments => $args // {} } }, %o);
}


subtest 'C2A-11 MCP-03: tools alone read a mailbox and acknowledge' => sub {
    my $list = says(cy => { jsonrpc => '2.0', id => 1, method => 'tools/list' });

    is_deeply([map { $_->{name} } @{ $list->{json}{result}{tools} }],
              [map { "chat_$_" } qw(list_events read_thread send_message react
                                    claim defer resolve)]);

    for (1 .. 3) {
        says(web => to('agent:cy', id => "cy$_", text => "for cy $_"));
    }

    my $result = tool(cy => 'chat.list_events')->{json}{result};
    my @events = @{ $result->{structuredContent}{events} };

    is_deeply([map { $_->{event}{eventId} } @events], [qw(m3 cy1 cy2 cy3)])
        or diag(jcs($result));
    is($result->{_meta}{'c2a/mailbox'}{pending}, 4);
    is($events[0]{event}{content}[0]{text}, 'words 3',
       'C2A-17: a mention of a role has its content for a reader of the channel');
    is($events[1]{event}{content}[0]{text}, 'for cy 1');
    is($events[1]{event}{attention}{policy}, 'must_respond');

    $result = tool(cy => 'chat_list_events',
                   { ackThrough => $events[1]{place}, limit => 1 })
              ->{json}{result};
    is_deeply([map { $_->{event}{eventId} }
               @{ $result->{structuredContent}{events} }], ['cy2'],
              'ackThrough moves the cursor, and limit holds');
    is($result->{structuredContent}{pending}, 2);

    $result = tool(cy => 'chat.list_events', { after => $events[2]{place} })
              ->{json}{result};
    is_deeply([map { $_->{event}{eventId} }
               @{ $result->{structuredContent}{events} }], ['cy3'], 'after');

    my $reader = mailbox('cy');
    is(from_json($reader->event->{data})->{params}{eventId}, 'cy2',
       'the stream begins after the cursor, too');
    $reader->leave;

    my ($epoch) = $events[0]{place} =~ /^(.*)\./;
    my ($other) = tool(ada => 'chat.list_events')->{json}{result}
                  {structuredContent}{events}[0]{place} =~ /^(.*)\./;

    for my $place ("$epoch.9999", "$other.1", 'ffff.1', 'x') {
        $result = tool(cy => 'chat.list_events', { ackThrough => $place })
                  ->{json};
        is($result->{error}{data}{field} // $result->{result}{structuredContent}
           {field}, '/params/arguments/ackThrough', "the place $place")
            or diag(jcs($result));
    }

    is(tool(cy => 'chat.list_events')->{json}{result}{_meta}{'c2a/mailbox'}
       {pending}, 2, 'which changed nothing');
    is(tool(web => 'chat.list_events')->{status}, 403,
       'a caller without a mailbox');
    like(tool(cy => 'chat.none')->{body}, qr/kind-unknown/, 'an unknown tool');
};


# Returns the ids of the events in a result of chat.list_events.
sub listed {
    my ($answer) = @_;

    return [map { $_->{event}{eventId} }
            @{ $answer->{json}{result}{structuredContent}{events} }];
}

sub pending { $_[0]{json}{result}{_meta}{'c2a/mailbox'}{pending} }


subtest 'C2A-20 C2A-21: two sources with one id have two offers' => sub {
    my %to = (id => 'same', params => { target => { recipient => 'agent:dee' } });

    is(says(web => event(%to))->{status}, 200);
    is(says(web => event(%to, source => [qw(web two)], author => 'U2'))
       ->{status}, 200);

    my $reader = mailbox('dee');
    my @got = map { from_json($_->{data}) } $reader->events(2);

    is_deeply([map { $_->{params}{source}{workspaceId} } @got],
              [qw(main two)]);
    isnt($got[0]{id}, $got[1]{id}, 'the ids of the requests differ');
    is_deeply([map { $_->{params}{reliability}{idempotencyKey} } @got],
              ['same:agent:dee', 'web/two/same:agent:dee'],
              'the key of the second one has the source');

    is(acks(dee => $got[1]{id}), 202);

    my $list = tool(dee => 'chat.list_events');

    is(pending($list), 1, 'the answer to one acknowledges that one');
    is(acks(dee => $got[0]{id}), 202);
    is(pending(tool(dee => 'chat.list_events')), 0, 'and to the other this');
    $reader->leave;
};


subtest 'C2A-20: other records of the log do not stop the cursor' => sub {
    is(submit(frame('bo', 'eve'))->{status}, 200) for 1 .. 65;

    says(web => to('agent:eve', id => 'behind'));

    my $reader = mailbox('eve');
    my ($event) = grep { ($_->{params}{eventId} // '') eq 'behind' }
                  map { from_json($_->{data}) } $reader->events(66);

    is(acks(eve => $event->{id}), 202);
    is(pending(tool(eve => 'chat.list_events')), 0, 'it is acknowledged');
    $reader->leave;

    submit(frame('bo', 'eve')) for 1 .. 210;
    says(web => to('agent:eve', id => 'beyond'));

    my $list = tool(eve => 'chat.list_events', { policy => 'must_respond' });

    is_deeply(listed($list), ['beyond'], 'list_events reads on');
    is(pending($list), 1);

    my $place = $list->{json}{result}{structuredContent}{events}[0]{place};

    $list = tool(eve => 'chat.list_events', { ackThrough => $place });
    is(pending($list), 0, 'and so does ackThrough');
    is($list->{json}{result}{structuredContent}{cursor}, $place);
};


subtest 'C2A-07: an acknowledged knock can be pulled' => sub {
    my %to = (conversation => { id => 'C1', kind => 'channel' },
              params => { target => { mentions => ['agent:bo', 'agent:fay'] } });

    says(web => event(%to, id => 'knock', text => 'pull me'));
    says(web => to('agent:fay', id => 'open'));

    my $reader = mailbox('fay');
    my $knock = from_json($reader->event->{data});

    ok(exists $knock->{params}{knock}, 'a knock') or diag(jcs($knock));
    is(acks(fay => $knock->{id}), 202);
    $reader->leave;

    my $list = tool(fay => 'chat.list_events');
    is_deeply(listed($list), ['open'], 'it is no longer in the list');

    $list = tool(fay => 'chat.list_events', { eventId => 'knock' });
    is_deeply(listed($list), ['knock'], 'eventId');
    is(pending($list), 1, 'the cursor alone counts');

    my ($event) = @{ $list->{json}{result}{structuredContent}{events} };

    is($event->{event}{content}[0]{text}, 'pull me', 'with its content');

    my $before = $event->{place} =~ s/\d+$/0/r;

    $list = tool(fay => 'chat.list_events', { after => $before });
    is_deeply(listed($list), ['knock', 'open'], 'after');
    is(pending($list), 1);
    is_deeply(listed(tool(fay => 'chat.list_events',
                          { after => $before, limit => 1 })), ['knock']);
    is_deeply(listed(tool(fay => 'chat.list_events',
                          { after => $event->{place}, eventId => 'knock' })),
              [], 'an event that is not after the place');
    is_deeply(listed(tool(fay => 'chat.list_events', { eventId => 'first' })),
              [], 'the event of another mailbox');
};


subtest 'C2A-07 C2A-20: an event for tools is listed, and not pushed' => sub {
    for my $mode (qw(tool_mailbox digest)) {
        my $answer = says(web => event(
            id => "quiet-$mode",
            params => { target => { recipient => 'agent:gil' },
                        injection => { mode => $mode } }));

        is(addressed($answer)->[0]{mode}, $mode) or diag($answer->{body});
    }

    my $list = tool(gil => 'chat.list_events');

    is_deeply(listed($list), [qw(quiet-tool_mailbox quiet-digest)]);
    is(pending($list), 0, 'they need no acknowledgment');

    says(web => to('agent:gil', id => 'loud'));

    my $reader = mailbox('gil');
    my $event = from_json($reader->event->{data});

    is($event->{params}{eventId}, 'loud', 'a stream has the other one alone');
    is(acks(gil => $event->{id}), 202);

    $list = tool(gil => 'chat.list_events');
    is_deeply(listed($list), [], 'the cursor passes them');
    is_deeply(listed(tool(gil => 'chat.list_events',
                          { eventId => 'quiet-digest' })), ['quiet-digest']);
    $reader->leave;
};


subtest 'C2A-33: a view is written for the owner of the mailbox alone' => sub {
    my $own = mailbox('gil');
    my $watcher = listen_to('bo', uri => '/watch/agent:gil');

    is($watcher->status, 200) or return;

    says(web => to('agent:gil', id => 'private'));
    is(from_json($own->event->{data})->{params}{eventId}, 'private');
    is(submit(frame('bo', 'gil', text => 'for all'))->{status}, 200);

    my $event = $watcher->event;

    like($event->{data}, qr/for all/, 'another subscriber has other messages');
    unlike($event->{data}, qr/private/);
    $_->leave for $own, $watcher;
};


subtest 'MCP-02: other methods' => sub {
    my $client = Parley::Client->new(port => port(1), tls => 0);

    for my $method (qw(DELETE PUT)) {
        my $answer = $client->send($method, '/chat', '',
                                   Authorization => bearer('ada'));

        is($answer->{status}, 405, $method);
        is($answer->{headers}{allow}, 'GET, POST');
    }

    is(says(web => to('agent:bo'), token => 'Bearer x')->{status}, 401,
       'without a valid token');
    is(mailbox('ada', token => 'Bearer x')->status, 401);
};


subtest 'C2A-33: a rule that denies a reader keeps the event from it' => sub {
    my $answer = says(web => event(
        conversation => { id => 'C1', kind => 'channel' },
        params => { target => { mentions => ['agent:ada', 'agent:bo'] } }),
        uri => '/ruled');

    is_deeply([map { $_->{to} } @{ addressed($answer) // [] }], ['agent:bo'])
        or diag($answer->{body});
};


subtest 'C2A-29: agents that talk alone fall silent' => sub {
    my @policies;

    for (1 .. 13) {
        my $answer = says(web => event(
            author => 'helper', kind => 'agent',
            conversation => { id => 'C9', kind => 'channel', threadId => 'T' },
            params => { target => { mentions => ['agent:bo'] } }));

        my ($r) = @{ addressed($answer) };

        push @policies, $r ? "$r->{policy} $r->{mode}" : '-';
    }

    is_deeply(\@policies, [('must_respond buffered') x 6,
                           ('may_respond notify') x 6, '-'])
        or diag(explain(\@policies));

    says(web => event(conversation => { id => 'C9', kind => 'channel',
                                        threadId => 'T' }));

    my $answer = says(web => event(
        author => 'helper', kind => 'agent',
        conversation => { id => 'C9', kind => 'channel', threadId => 'T' },
        params => { target => { mentions => ['agent:bo'] } }));

    is(addressed($answer)->[0]{policy}, 'must_respond',
       'a message of a human resets the count');
};


subtest 'OPS-07: parley explain runs the steps of a host' => sub {
    my $token = bearer('web') =~ s/^Bearer //r;
    my ($status, $out, $err) = Parley::Tool::tool({ in => jcs(to('agent:ada')) }, 'explain',
        '--conf', $nginx->dir . '/nginx.conf', '--server', 'plain', '--location', '= /chat',
        '--token-file', spew(tmp_dir() . '/token', $token), '--plain');

    is($status, 0) or diag($err);
    like($err, qr/^host +answered\b/m) or diag($err);
    unlike($err, qr/^(?:translate|publish|forward) +passed/m);
};


subtest 'HUB-05: sessions, mailboxes and ids survive a reload' => sub {
    my $event = to('agent:bo', id => 'reloaded');
    my $first = says(web => $event);

    $nginx->reload;

    is_deeply(says(web => $event)->{json}{result}, $first->{json}{result});

    my $reader = mailbox('ada');
    is(from_json($reader->event->{data})->{params}{eventId}, 'last',
       'the cursor is kept');
    $reader->leave;
};

$nginx->stop;

done_testing();
