# Reading at a host of chat (parley_host): a conversation that a principal may
# not read does not exist for it.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } }
         qw(ada bo cy dee eve)),
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
             roles => ['backend'] } } qw(ron sue)),
    { sub => 'guest', handle => '~guest', c2a => 'agent:guest',
      roles => ['reading', 'backend'] },
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } qw(full busy)),
    { sub => 'plain', handle => '~plain' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'amy', c2a => 'human:amy', accounts => ['web/main/amy'] },
    { sub => 'web', c2a => 'service:web', surface => ['web/main', 'web/two'] },
    { sub => 'slack', c2a => 'service:slack', surface => ['slack/T1'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:4m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat {
            parley_jwt on;
            parley_host c2a quiet=0 keepalive=20s;
            parley_allow type=subscribe role=reading to=bus.web.main.R1;
            parley_allow type=subscribe role=reading to=bus.web.main.R%2E2;
            parley_deny type=subscribe to=bus.**;
            parley_allow to=**;
        }
EOT

my %c1 = (conversation => { id => 'C1', kind => 'channel' });

sub mentions {
    my ($names, %o) = @_;

    return event(%c1, %o, params => { target => { mentions => $names },
                                      %{ $o{params} // {} } });
}

sub readers { return [map { $_->{to} } @{ addressed($_[0]) }] }


subtest 'C2A-33: only the surface of a source changes its members' => sub {
    my $answer = members(web => $c1{conversation},
                         add => ['agent:ron', 'web/main/will', 'agent:none',
                                 'agent:ron', 'plain', 'web/main/nobody']);

    is($answer->{status}, 200) or diag($answer->{body});
    is_deeply($answer->{json}{result},
              { added => ['agent:ron', 'web/main/will', 'agent:ron'],
                removed => [],
                unknown => ['agent:none', 'plain', 'web/main/nobody'] });

    for (['ada'], ['slack'], ['will'], ['web', [qw(web three)]],
         ['web', [qw(slack T1)]])
    {
        my ($who, $source) = @$_;

        is_deeply(error(members($who => $c1{conversation}, add => ["agent:ada"],
                                source => $source // [qw(web main)])),
                  [403, -31403, 'scope-unauthorised', '/params/source'],
                  "$who " . join('/', @{ $source // [] }));
    }

    is_deeply(error(members(web => { kind => 'channel' }, add => [])),
              [400, -32602, 'field-missing', '/params/conversation/id']);
    is(says(web => { jsonrpc => '2.0', method => 'chat/members', params => {
                     source => { platform => 'web', workspaceId => 'main' },
                     %c1, add => ['agent:sue'] } })->{status}, 202,
       'a notification has no answer');
    members(web => $c1{conversation}, remove => ['agent:sue']);
};


subtest 'C2A-33: an event that is not addressed to a reader needs the '
        . 'permission' => sub {
    is_deeply(readers(says(web => mentions(['role:backend']))), ['agent:ron'],
              'a mention of a role');
    is_deeply(readers(says(web => mentions(['role:backend'],
                           conversation => { id => 'C2', kind => 'channel' }))),
              [], 'in another channel');
    is_deeply(readers(says(web => mentions(['role:backend'],
                           source => [qw(web two)], author => 'U1'))),
              [], 'in the channel of this id in another workspace');
    is_deeply(readers(says(web => mentions(['agent:ada', 'role:backend'],
                           id => 'to-ada'))), ['agent:ada', 'agent:ron'],
              'an event that is addressed to a reader does not');

    for (qw(R1 R.2)) {
        is_deeply(readers(says(web => mentions(['role:backend'],
                               conversation => { id => $_,
                                                 kind => 'channel' }))),
                  ['agent:guest'], "a rule gives the permission: $_");
    }

    is_deeply(readers(says(web => mentions(['role:backend'],
                           conversation => { id => 'R1x',
                                             kind => 'channel' }))),
              [], 'for this name alone');

    my %thread = (conversation => { id => 'C3', kind => 'channel',
                                    threadId => 'T1' });

    said(event(%thread, author => 'ada', kind => 'agent'));
    is_deeply(readers(says(web => event(%thread))), [],
              'an author of the thread that is not listed has no mailbox');
};


subtest 'C2A-33: a reader that is removed loses what is not addressed to it'
        => sub {
    members(web => $c1{conversation}, add => ['agent:sue', 'agent:bo']);

    said(mentions(['role:backend'], id => 'role1'),
         mentions(['agent:sue'], id => 'me1'));

    my $list = tool(sue => 'chat.list_events');

    is_deeply(listed($list), [qw(role1 me1)]) or diag($list->{body});
    is(pending($list), 2);
    is(structured($list)->{events}[0]{event}{content}[0]{text} =~ /words/, 1,
       'C2A-17: a reader of the channel has the content of a knock');

    my $answer = members(web => $c1{conversation}, remove => ['agent:sue']);

    is_deeply($answer->{json}{result}{removed}, ['agent:sue']);

    $list = tool(sue => 'chat.list_events');
    is_deeply(listed($list), ['me1'], 'the event addressed to it stays');
    is(pending($list), 1, 'and no count tells of another');
    is_deeply(listed(tool(sue => 'chat.list_events', { eventId => 'role1' })),
              []);
    is_deeply(listed(tool(sue => 'chat.list_events',
                          { after => structured($list)->{events}[0]{place}
                                     =~ s/\d+$/0/r })), ['me1']);

    my $reader = mailbox('sue');
    my $event = from_json($reader->event->{data});

    is($event->{params}{eventId}, 'me1', 'a stream begins without it');
    is(acks(sue => $event->{id}), 202);
    is(pending(tool(sue => 'chat.list_events')), 0,
       'it does not hold the cursor');
    $reader->leave;

    is_deeply(readers(says(web => mentions(['role:backend']))), ['agent:ron'],
              'later events do not come');
};


subtest 'C2A-33: inReplyTo needs the permission, too' => sub {
    my %answers = (params => { target => { mentions => ['agent:bo', 'agent:ada'],
                                           inReplyTo => 'role1' } });

    said(event(%c1, %answers, id => 'reply1'));
    said(event(id => 'far', conversation => { id => 'C8', kind => 'channel' }),
         event(%c1, id => 'reply2', params => {
             target => { mentions => ['agent:bo'], inReplyTo => 'far' } }));

    my %of;

    for my $who (qw(bo ada)) {
        my $list = tool($who => 'chat.list_events');

        $of{$who}{ $_->{event}{eventId} } = $_->{event}{target}
            for @{ structured($list)->{events} };
    }

    is($of{bo}{reply1}{inReplyTo}, 'role1', 'a reader of the channel');
    ok($of{ada}{reply1}, 'an addressed reader has the event');
    ok(!exists $of{ada}{reply1}{inReplyTo}, 'without the other event');
    ok(!exists $of{bo}{reply2}{inReplyTo}, 'an event of another channel');

    my $reader = mailbox('bo');
    my @targets = map { from_json($_->{data})->{params}{target} }
                  $reader->events(2);

    is($targets[0]{inReplyTo}, 'role1', 'on a stream');
    ok(!exists $targets[1]{inReplyTo});
    $reader->leave;
};


subtest 'C2A-33: the 257th conversation of a reader is unknown' => sub {
    for (1 .. 256) {
        my $answer = members(web => { id => "F$_", kind => 'channel' },
                             add => ['agent:full']);

        next if @{ $answer->{json}{result}{added} // [] } == 1;

        fail("conversation $_");
        diag($answer->{body});
        last;
    }

    my $answer = members(web => { id => 'F257', kind => 'channel' },
                         add => ['agent:full']);

    is_deeply($answer->{json}{result}{unknown}, ['agent:full']);

    $answer = members(slack => { id => 'F257', kind => 'channel' },
                      source => [qw(slack T1)], add => ['agent:full']);
    is_deeply($answer->{json}{result}{added}, ['agent:full'],
              'a channel of another source');

    members(web => { id => 'F1', kind => 'channel' }, remove => ['agent:full']);
    $answer = members(web => { id => 'F257', kind => 'channel' },
                      add => ['agent:full']);
    is_deeply($answer->{json}{result}{added}, ['agent:full'],
              'a removed one makes room');
};


subtest 'C2A-33: direct messages leave room for a channel' => sub {
    my $long = 'l' x 240;

    said(to('agent:busy', conversation => { id => 'oldest', kind => 'dm' }));
    members(web => { id => "$_ $long", kind => 'dm' }, add => ['agent:busy'])
        for 1 .. 240;

    my $answer = members(web => { id => 'B1', kind => 'channel' },
                         add => ['agent:busy']);

    is_deeply($answer->{json}{result}{added}, ['agent:busy'])
        or diag($answer->{body});

    my $list = structured(tool(busy => 'chat.list_events'))->{conversations};
    my $octets = 0;

    $octets += 31 + length $_->{id} for @$list;
    cmp_ok($octets, '<=', 64 * 1024, 'the list is bounded');
    cmp_ok(scalar @$list, '>', 200);
    is_deeply([map { $_->{id} } @$list[-2, -1]], ["240 $long", 'B1'],
              'it has the newest ones');

    my $oldest = tool(busy => 'chat.read_thread', { target => {
        id => 'oldest', source => { platform => 'web',
                                    workspaceId => 'main' } } });

    is(scalar @{ listed($oldest) }, 1, 'a party reads the oldest one, too')
        or diag($oldest->{body});
};

my %main = (platform => 'web', workspaceId => 'main');

# Lists or reads a conversation.
sub reads {
    my ($who, $place, %o) = @_;

    return tool($who => 'chat.list_events', { conversation => $place, %o });
}

sub thread {
    my ($who, $place, %o) = @_;

    return tool($who => 'chat.read_thread', { target => $place, %o });
}


subtest 'C2A-17 C2A-07: a reader lists a conversation' => sub {
    my %c5 = (conversation => { id => 'C5', kind => 'channel' });

    members(web => $c5{conversation}, add => ['agent:dee', 'human:amy']);

    said(event(%c5, id => 'c5-1', text => 'first words'),
         event(%c5, id => 'c5-2', author => 'amy', params => {
             target => { mentions => ['agent:dee'] } }),
         event(conversation => { %{ $c5{conversation} }, threadId => 'T5',
                                 streamId => 'S5' }, id => 'c5-3',
               params => { target => { inReplyTo => 'c5-1' } }));

    my $list = reads(dee => { id => 'C5' });

    is_deeply(listed($list), [qw(c5-1 c5-2 c5-3)]) or diag($list->{body});
    is(pending($list), 1, 'the mailbox is counted as ever');

    my @events = @{ structured($list)->{events} };

    is($events[0]{event}{content}[0]{text}, 'first words', 'with its content');
    is($events[0]{event}{attention}{policy}, 'must_not_respond');
    is($events[1]{event}{attention}{policy}, 'must_respond',
       'an event of the mailbox has its row');
    is($events[2]{event}{target}{inReplyTo}, 'c5-1');
    is_deeply([grep { $_->{id} eq 'C5' } @{ structured($list)->{conversations} }],
              [{ id => 'C5', kind => 'channel', source => \%main }],
              'the conversations of the caller');

    for ([{ limit => 1 }, ['c5-3']], [{ policy => 'must_respond' }, ['c5-2']],
         [{ streamId => 'S5' }, ['c5-3']], [{ eventId => 'c5-1' }, ['c5-1']],
         [{ since => '2100-01-01T00:00:00.000Z' }, []],
         [{ after => $events[0]{place} }, [qw(c5-2 c5-3)]],
         [{ after => $events[0]{place}, limit => 1 }, ['c5-2']])
    {
        is_deeply(listed(reads(dee => { id => 'C5' }, %{ $_->[0] })), $_->[1],
                  jcs($_->[0]));
    }

    is_deeply(listed(reads(dee => { id => 'C5', threadId => 'T5' })), ['c5-3'],
              'a thread');
    is_deeply(listed(reads(amy => { id => 'C5', source => \%main })),
              [qw(c5-1 c5-3)], 'a human without a mailbox, without its own');
    is_deeply(listed(reads(web => { id => 'C5', source => \%main })),
              [qw(c5-1 c5-2 c5-3)], 'the surface');
    is_deeply(listed(tool(dee => 'chat.list_events', { streamId => 'S5' })), [],
              'streamId filters the mailbox');

    $list = thread(amy => { id => 'C5' }, limit => 2);
    is_deeply(listed($list), [qw(c5-2 c5-3)], 'read_thread has the last ones');
    ok(!exists structured($list)->{conversations});
    is_deeply(listed(thread(dee => { id => 'C5', threadId => 'T5' })),
              ['c5-3']);
    is_deeply(listed(thread(dee => 'channel:C5')), [qw(c5-1 c5-2 c5-3)],
              'a target that is a text');
};


subtest 'C2A-33: the parties of a direct message read it' => sub {
    my %d5 = (conversation => { id => 'D5', kind => 'dm' });

    said(event(%d5, id => 'd5-1', params => { target => {
             recipient => 'agent:cy', mentions => ['agent:eve'] } }),
         event(conversation => { %{ $d5{conversation} }, threadId => 'T' },
               id => 'd5-2', params => { target => {
             recipient => 'agent:cy' } }));

    is_deeply(listed(thread($_ => { id => 'D5' })), [qw(d5-1 d5-2)], $_)
        for qw(cy will);
    is_deeply(error_of(thread(eve => { id => 'D5', source => \%main })),
              'reply-unmatched', 'a mentioned principal is not a party');
    is_deeply(listed(tool(eve => 'chat.list_events', { eventId => 'd5-1' })),
              ['d5-1'], 'but has the event');

    members(web => $d5{conversation}, remove => ['agent:cy']);
    is_deeply(error_of(thread(cy => { id => 'D5', source => \%main })),
              'reply-unmatched', 'a removed party');
};

sub error_of {
    my ($answer) = @_;

    return $answer->{json}{error}{data}{code} // structured($answer)->{code};
}


subtest 'C2A-33: an unreadable conversation has the answer of an unknown one'
        => sub {
    my %secret = (conversation => { id => 'SEC', kind => 'channel' });

    members(web => $secret{conversation}, add => ['agent:bo']);
    said(event(%secret, id => 'secret', params => { target => {
             mentions => ['agent:bo'] } }));

    my ($place) = map { $_->{place} }
                  @{ structured(reads(bo => { id => 'SEC' }))->{events} };
    my ($seen) = map { $_->{place} }
                 @{ structured(tool(ada => 'chat.list_events'))->{events} };

    my @arguments = ({}, { limit => 100 }, { eventId => 'secret' },
                     { after => $place }, { after => $seen },
                     { after => 'ffff.1' }, { streamId => 'S' },
                     { policy => 'must_respond' }, { waitMs => 0 },
                     { ackThrough => $seen },
                     { since => '2020-01-01T00:00:00.000Z' });

    for my $who (qw(ada guest amy)) {
        for my $more (@arguments) {
            my @answers = map { reads($who => { id => $_, source => \%main },
                                      %$more)->{body} =~ s/"tool-\d+"/"T"/r }
                          qw(SEC NON);

            is($answers[0], $answers[1], "$who " . jcs($more));
            like($answers[0], qr/reply-unmatched/);
        }

        for my $form (sub { { id => $_[0] } }, sub { "channel:$_[0]" },
                      sub { "dm:$_[0]" }, sub { "thread:$_[0]" },
                      sub { $_[0] }, sub { { id => $_[0], threadId => 'T',
                                             source => \%main } },
                      sub { { threadId => $_[0] } },
                      sub { { recipient => $_[0] } },
                      sub { { id => $_[0], source => {
                              platform => 'web', workspaceId => 'no' } } })
        {
            my @answers = map { thread($who => $form->($_), limit => 1)->{body}
                                =~ s/"tool-\d+"/"T"/r } qw(SEC NON);

            is($answers[0], $answers[1], "$who read_thread " . jcs([$form->('X')]));
            like($answers[0], qr/reply-unmatched/);
        }
    }

    my $list = tool(ada => 'chat.list_events', { eventId => 'secret' });

    is_deeply(listed($list), []);
    unlike($list->{body}, qr/SEC/);
    is(error_of(reads(slack => { id => 'SEC', source => \%main })),
       'reply-unmatched', 'the surface of another source');
};


subtest 'C2A-10: a silent event is stored, and is in no answer' => sub {
    my %c6 = (conversation => { id => 'C6', kind => 'channel' });
    my %d6 = (conversation => { id => 'D6', kind => 'dm' });

    members(web => $c6{conversation}, add => ['agent:eve', 'human:amy']);

    my %silent = (injection => { mode => 'silent' });

    said(event(%c6, id => 'hush1', params => { %silent, target => {
             mentions => ['agent:eve', 'role:backend'] } }),
         event(%d6, id => 'hush2', params => { %silent, target => {
             recipient => 'agent:eve' } }),
         event(conversation => { id => 'C6', kind => 'tool' }, id => 'hush3',
               params => { target => { mentions => ['agent:eve'] } }),
         event(%c6, id => 'loud6', params => { target => {
             mentions => ['agent:eve'] } }));

    my $again = event(%c6, id => 'hush1', params => { %silent, target => {
                    mentions => ['agent:eve'] } }, text => 'else');

    is_deeply(error(says(web => $again))->[2], 'message-duplicate',
              'it is stored');

    my $all = '';

    for my $who (qw(eve amy web will)) {
        for my $id ('C6', 'D6') {
            my $place = { id => $id, source => \%main };

            $all .= reads($who => $place, %$_)->{body}
                for {}, map { { eventId => "hush$_" } } 1 .. 3;
            $all .= thread($who => $place)->{body};
        }
    }

    for my $more ({}, map { { eventId => "hush$_" } } 1 .. 3) {
        $all .= tool($_ => 'chat.list_events', $more)->{body} for qw(eve ron);
    }

    my $reader = mailbox('eve');

    $all .= $_->{data} for $reader->events(1 + grep { /d5-1/ } $all);
    $reader->leave;

    like($all, qr/loud6/, 'another event is there');
    unlike($all, qr/hush/);
};


subtest 'C2A-07 C2A-33: GET of a conversation' => sub {
    my %c7 = (conversation => { id => 'C7', kind => 'channel' });
    my $uri = '/chat?conversation=web/main/C7';

    members(web => $c7{conversation}, add => ['agent:dee', 'human:amy']);
    said(event(%c7, id => 'c7-0'));

    my %open = map { $_ => listen_to($_, uri => $uri) } qw(dee amy web);

    is($_->status, 200) for values %open;

    my @refused = map { [$_->[0], says_get(@$_)] }
                  map { [$_, 'web/main/C7'], [$_, 'web/main/NON'], [$_, 'x'] }
                  qw(ada guest slack);

    for my $r (@refused) {
        is($r->[1]{status}, 403, $r->[0]);
        is($r->[1]{body}, $refused[0][1]{body}, 'one answer for all');
    }

    said(event(%c7, id => 'c7-1', text => 'ambient words'),
         event(%c7, id => 'c7-2', params => { injection => {
                                                  mode => 'silent' } }),
         event(%c7, id => 'c7-3', params => { target => {
             mentions => ['agent:dee'] } }));

    my $event = from_json($open{dee}->event->{data});

    is($event->{params}{eventId}, 'c7-3', 'an agent has no ambient event');
    ok(!exists $event->{id}, 'a notification');

    for my $who (qw(amy web)) {
        my @events = map { from_json($_->{data}) } $open{$who}->events(2);

        is_deeply([map { $_->{params}{eventId} } @events], [qw(c7-1 c7-3)], $who);
        is($events[0]{params}{content}[0]{text}, 'ambient words');
    }

    my ($last) = map { $_->{place} }
                 @{ structured(reads(amy => { id => 'C7' }))->{events} };
    my $late = listen_to('amy', uri => $uri, last => $last);

    is_deeply([map { from_json($_->{data})->{params}{eventId} } $late->events(2)],
              [qw(c7-1 c7-3)], 'Last-Event-ID counts');
    $late->leave;

    members(web => $c7{conversation}, remove => ['human:amy']);
    said(event(%c7, id => 'c7-4', text => 'after the removal'));
    is(from_json($open{web}->event->{data})->{params}{eventId}, 'c7-4');
    is(says_get(amy => 'web/main/C7')->{status}, 403);
    members(web => $c7{conversation}, add => ['human:amy']);

    $late = listen_to('amy', uri => $uri);
    is($late->status, 200, 'added again');
    said(event(%c7, id => 'c7-5'));
    is(from_json($late->event->{data})->{params}{eventId}, 'c7-5');
    $open{amy}->fill(0.2);
    unlike($open{amy}{text}, qr/c7-[45]/, 'an open stream has no more events');
    $_->leave for $late, values %open;
};

sub says_get {
    my ($who, $conversation) = @_;

    return Parley::Client->new(port => port(1), tls => 0)->get(
        "/chat?conversation=$conversation", Authorization => bearer($who),
        Accept => 'text/event-stream');
}

$nginx->stop;

done_testing();
