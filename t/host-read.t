# Reading at a host of chat (parley_host): a conversation that a principal may
# not read does not exist for it.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

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
    { sub => 'full', handle => '~full', c2a => 'agent:full' },
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
            parley_host c2a keepalive=20s;
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

    members(web => { id => 'F1', kind => 'channel' }, remove => ['agent:full']);
    $answer = members(web => { id => 'F257', kind => 'channel' },
                      add => ['agent:full']);
    is_deeply($answer->{json}{result}{added}, ['agent:full'],
              'a removed one makes room');
};

$nginx->stop;

done_testing();
