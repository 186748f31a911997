# The table of attention of docs/chat.md, by "parley attention": each row, each
# cap, and each refusal of a submission.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root slurp spew tmp_dir);
use Parley::Tool;

my $ids = spew(tmp_dir() . '/identities.json', json({ principals => [
    { sub => 'ada', handle => '~cc-ada', c2a => 'agent:ada', roles => ['backend', 'ops'],
      streams => ['migration'], accounts => ['web/main/ada'] },
    { sub => 'bo', handle => '~cc-bo', c2a => 'agent:bo', roles => ['backend'] },
    { sub => 'cy', c2a => 'agent:cy' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will', 'slack/T1/U9'] },
    { sub => 'ned', aee => 'human.ned', accounts => ['web/main/ned'] },
    { sub => 'ann', handle => '~ann', c2a => 'human:ann' },
    map {; { sub => "w$_", handle => "~cc-w$_", c2a => "agent:w$_", roles => ['many'] } } 0 .. 69,
] }));


# An event of will in a channel.  %with replaces members of params; a value
# undef removes one.
sub event {
    my %with = @_;

    my %params = (eventId => 'm1',
                  source => { platform => 'web', workspaceId => 'main' },
                  conversation => { id => 'C1', kind => 'channel' },
                  author => { id => 'will', kind => 'human' },
                  content => [{ type => 'text', text => '@ada @bo C2A EVENT' }], %with);

    delete $params{$_} for grep { !defined $params{$_} } keys %params;

    return json({ jsonrpc => '2.0', id => 1, method => 'chat/deliver', params => \%params });
}

my $dm = { id => 'D1', kind => 'dm' };
my $by_agent = { id => 'bot', kind => 'agent' };
my $thread = { id => 'C1', kind => 'channel', threadId => 'T1' };

sub mentions { return { mentions => [@_] } }
sub reason { return { reason => $_[0], priority => $_[1] // 'normal' } }

sub attention { return tool_ok({ in => $_[0] }, 'attention', '--identities', $ids, @_[1 .. $#_]) }

# shows the verdict about ada, or about all that get the event
sub ada {
    my ($event, @options) = @_;
    return attention($event, '--reader', 'ada', @options) =~ s/^agent:ada //r;
}

my @subject = ('--subject', 'ada');


# Runs the examples of a page: "$ cat FILE" shows a file, and each other command
# is followed by its output.
subtest 'the examples of docs/chat.md' => sub {
    my $page = slurp(root() . '/docs/chat.md');
    my $dir = tmp_dir() . '/page';
    my $ran = 0;

    mkdir $dir or die $!;

    $page =~ s/ \\\n +/ /g;

    while ($page =~ /^    \$ (.+)\n((?:    (?!\$ ).*\n)*)/mg) {
        my ($command, $out) = ($1, $2);

        $out =~ s/^    //mg;

        if ($command =~ /^cat (\S+)$/) {
            spew("$dir/$1", $out);
            next;
        }

        my @words = map { -e "$dir/$_" ? "$dir/$_" : $_ } split ' ', $command;

        is(shift @words, 'parley', 'a command of the tool');
        is(tool_ok({}, @words) . "\n", $out, $command);
        $ran++;
    }

    cmp_ok($ran, '>', 1, 'there are examples');
};


subtest 'C2A-03 C2A-04 C2A-05 each row of the table' => sub {
    my @rows = (
        ['own', event(author => { id => 'ada', kind => 'agent' }, target => mentions('agent:ada')),
         'own ambient must_not_respond silent - -'],
        ['own, as itself', event(target => mentions('agent:ada')),
         'own ambient must_not_respond silent - -', '--author', 'ada'],
        ['a tool', event(conversation => { id => 'C1', kind => 'tool' },
                         target => mentions('agent:ada')),
         'silent ambient must_not_respond silent - -'],
        ['asked for silent', event(injection => { mode => 'silent' }, target => mentions('agent:ada')),
         'silent ambient must_not_respond silent - -'],
        (map { [$_, event(attention => reason($_), target => mentions('agent:ada')),
                'status ambient must_not_respond digest - -'] } qw(status progress log)),
        (map { ["$_ of an obliged actor",
                event(reaction => { of => 'm0', signal => $_ }, content => undef),
                'reaction to_me may_respond buffered - -', @subject, '--obliged'],
               [$_, event(reaction => { of => 'm0', signal => $_ }, content => undef),
                'reaction to_me may_respond notify - -', @subject] } qw(agree declined)),
        (map { [$_, event(reaction => { of => 'm0', signal => $_ }, content => undef),
                'reaction to_me may_respond notify - -', @subject, '--obliged'] }
             qw(done blocked unclear)),
        (map { [$_, event(reaction => { of => 'm0', signal => $_ }, content => undef),
                'reaction to_me must_not_respond tool_mailbox - -', @subject] }
             qw(seen working queued claimed)),
        ['on a message of another', event(reaction => { of => 'm0', signal => 'agree' },
                                          target => mentions('agent:ada')),
         'reaction ambient must_not_respond tool_mailbox - -', '--subject', 'bo'],
        ['a glyph without a signal', event(reaction => { of => 'm0', glyph => "\x{1F389}" }),
         'reaction ambient must_not_respond tool_mailbox - -', @subject],
        ['a glyph with a signal', event(reaction => { of => 'm0', glyph => "\x{1F44D}" }),
         'reaction to_me may_respond notify - -', @subject],
        ['thanks', event(attention => reason('thanks'), target => mentions('agent:ada')),
         'thanks to_me ack_only notify - -'],
        ['thanks of an agent', event(attention => reason('thanks'), author => $by_agent,
                                     target => mentions('agent:ada')),
         'thanks to_me ack_only silent - -'],
        (map { [$_, event(attention => reason($_), target => mentions('agent:ada')),
                'task to_me must_respond buffered 300000 -'] } qw(approval assignment blocker)),
        (map { [$_, event(attention => reason($_), target => mentions('agent:bo', 'agent:ada')),
                'task to_me must_respond immediate 300000 -'] } qw(cancellation safety)),
        (map { ["an assignment, $_", event(attention => reason('assignment', $_),
                                           target => mentions('agent:ada')),
                'task to_me must_respond immediate 300000 -'] } qw(high urgent)),
        ['a question', event(attention => reason('question'), target => { inReplyTo => 'm0' }),
         'question to_me must_respond buffered 300000 -', @subject],
        ['a question to another', event(attention => reason('question'),
                                        target => { inReplyTo => 'm0' }),
         'ambient ambient must_not_respond tool_mailbox - -', '--subject', 'bo'],
        ['C2A-29 an answer of an agent', event(author => $by_agent, target => { inReplyTo => 'm0' }),
         'answer to_me may_respond buffered - -', @subject],
        ['a DM to its recipient', event(conversation => $dm, target => { recipient => 'agent:ada' }),
         'dm to_me must_respond buffered 300000 -'],
        ['a DM to its only other party', event(conversation => $dm),
         'dm to_me must_respond buffered 300000 -', qw(--party will --party ada)],
        ['a DM with a third party', event(conversation => $dm),
         'ambient ambient must_not_respond tool_mailbox - -',
         qw(--party will --party ada --party bo)],
        ['a DM to another', event(conversation => $dm, target => { recipient => 'agent:bo' }),
         'other to_other must_not_respond tool_mailbox - -', qw(--party will --party ada)],
        ['the first mention', event(target => mentions('agent:ada', 'agent:bo')),
         'mention to_me must_respond buffered 300000 -'],
        ['an urgent mention', event(target => mentions('agent:ada'), attention => reason('', 'urgent')),
         'mention to_me must_respond immediate 300000 -'],
        ['an account', event(target => mentions('web/main/ada')),
         'mention to_me must_respond buffered 300000 -'],
        ['after an agent without a mailbox', event(target => mentions('agent:cy', 'agent:ada')),
         'mention to_me must_respond buffered 300000 -'],
        ['the second agent', event(target => mentions('agent:bo', 'agent:ada')),
         'mention to_me may_respond notify - -'],
        ['a recipient in a channel', event(target => { recipient => 'agent:ada', mentions => ['agent:bo'] }),
         'mention to_me must_respond buffered 300000 -'],
        ['a role', event(target => mentions('role:backend')),
         'role to_my_role may_respond notify - -'],
        ['another role', event(target => mentions('role:frontend')),
         'other to_other must_not_respond tool_mailbox - -'],
        (map { ["to $_", event(target => mentions($_)),
                'other to_other must_not_respond tool_mailbox - -'] }
             ('agent:bo', 'human:ann', 'agent:unlisted', 'agent:Ada', 'ada', 'slack/T1/UX', 'role:')),
        ['of an agent', event(author => $by_agent, conversation => $thread),
         'agent to_other must_not_respond tool_mailbox - -', '--owner', 'ada'],
        ['of an agent to a role', event(author => $by_agent, conversation => $thread,
                                        target => { directedness => 'to_my_role' }),
         'part to_my_role may_respond notify - -', '--owner', 'ada'],
        ['the owner of the thread', event(conversation => $thread),
         'part to_my_role may_respond notify - -', '--owner', 'ada'],
        ['C2A-04 of a human without a name in C2A',
         event(author => { id => 'ned', kind => 'human' }, conversation => $thread),
         'part to_my_role may_respond notify - -', '--owner', 'ada'],
        ['a participant', event(conversation => $thread),
         'part to_my_role may_respond notify - -', qw(--participant bo --participant ada)],
        ['the owner of the work stream', event(conversation => { id => 'C1', kind => 'channel',
                                                                 streamId => 'migration' }),
         'part to_my_role may_respond notify - -'],
        ['without a thread', event(), 'ambient ambient must_not_respond tool_mailbox - -',
         qw(--owner ada --participant ada)],
        ['C2A-32 the text alone', event(), 'ambient ambient must_not_respond tool_mailbox - -'],
        ['C2A-32 an unknown reason', event(attention => reason('please_answer')),
         'ambient ambient must_not_respond tool_mailbox - -'],
    );

    is(ada(@$_[1, 3 .. $#$_]), $_->[2], $_->[0]) for @rows;
};


subtest 'C2A-04 the readers that get an event' => sub {
    my %got = map { /^(\S+) (.*)/ ? ($1 => $2) : () } split /\n/,
        attention(event(target => mentions('role:backend', 'human:ann', 'human:will', 'agent:cy')));

    is_deeply(\%got, { 'agent:ada' => 'role to_my_role may_respond notify - -',
                       'agent:bo' => 'role to_my_role may_respond notify - -',
                       'human:ann' => 'mention to_me may_respond buffered - human' },
              'neither its author nor a principal without a mailbox');

    my @many = split /\n/, attention(event(target => mentions('role:many')));
    is(@many, 64, 'a role means its first 64 principals');
    like($many[-1], qr/^agent:w63 /);

    my ($status, $out, $err) = tool({ in => event() }, 'attention', '--identities', $ids);
    is("$status$out", '0', 'no reader');
    like($err, qr/no principal gets the event/);

    my $json = json(attention(event(target => mentions('agent:ada', 'agent:bo')), '--json'));
    is_deeply([map { [@$_{qw(to row policy deadlineMs)}, map { $_ ? 1 : 0 } @$_{qw(gets claims window)}] }
                   @{ $json->{readers} }],
              [['agent:ada', 'mention', 'must_respond', 300000, 1, 0, 1],
               ['agent:bo', 'mention', 'may_respond', undef, 1, 1, 0]], 'as JSON');
};


subtest 'C2A-03 each cap makes the result weaker' => sub {
    my $task = reason('assignment', 'urgent');
    my $to_ada = mentions('agent:ada');
    my %task = (attention => $task, target => $to_ada);

    is(attention(event(attention => $task, target => mentions('human:ann'))),
       'human:ann task to_me may_respond immediate - human', 'a human is never obliged');
    is(ada(event(%task), '--unreadable'), 'task ambient must_not_respond silent - read',
       'a reader without permission gets nothing');

    is(ada(event(attention => { %$task, policy => 'may_respond' }, target => $to_ada)),
       'task to_me may_respond immediate - declared', 'a declared policy');
    is(ada(event(%task, injection => { mode => 'notify' })),
       'task to_me must_respond notify 300000 declared', 'a declared mode');
    is(ada(event(%task, target => { %$to_ada, directedness => 'to_my_role' })),
       'task to_my_role may_respond notify - declared',
       'a declared directedness: an offer obliges no reader');
    is(ada(event(%task, target => { %$to_ada, directedness => 'ambient' })),
       'task ambient must_not_respond tool_mailbox - declared',
       'an event that is not in the mailbox obliges no reader');
    is(ada(event(target => { directedness => 'to_me' }, attention => { policy => 'must_respond' },
                 injection => { mode => 'immediate' })),
       'ambient ambient must_not_respond tool_mailbox - -', 'nothing declared makes it stronger');

    my @by_agent = (author => $by_agent, %task);
    is(ada(event(@by_agent), qw(--agents 5)), 'task to_me must_respond immediate 300000 -',
       'C2A-29 before the loop cap');
    is(ada(event(@by_agent), qw(--agents 6)), 'task to_me may_respond notify - loop',
       'C2A-29 after six messages of agents');
    is(ada(event(@by_agent), qw(--agents 12)), 'agent to_other must_not_respond tool_mailbox - loop',
       'C2A-29 after twice as many');
    is(ada(event(@by_agent), qw(--agents 4294967295 --loop 0)),
       'task to_me must_respond immediate 300000 -', 'C2A-29 without a loop cap');
    is(ada(event(%task), qw(--agents 100)), 'task to_me must_respond immediate 300000 -',
       'C2A-29 a message of a human');

    my $old = { createdAt => '2026-06-02T19:10:00Z' };
    my @at = ('--at', '2026-06-02T19:15:01Z');
    is(ada(event(%task, timing => $old), @at), 'task to_me may_respond notify - stale',
       'an event that is older than the deadline');
    is(ada(event(%task, timing => $old), @at, '--deadline', '302'),
       'task to_me must_respond immediate 302000 -', 'one that is not');
    is(ada(event(%task, timing => $old, attention => { %$task, deadlineMs => 1 }),
           '--at', '2026-06-02T19:10:01Z'),
       'task to_me may_respond notify - stale', 'its own deadline counts');
    is(ada(event(%task, timing => { createdAt => '2027-06-02T19:10:00Z' }), @at),
       'task to_me must_respond immediate 300000 -', 'a time of next year');
    is(ada(event(attention => { %$task, deadlineMs => 9007199254740991 }, target => $to_ada)),
       'task to_me must_respond immediate 86400000 -', 'a deadline is at most a day');

    is(ada(event(%task), '--modes', 'buffered,notify'), 'task to_me must_respond buffered 300000 mode');
    is(ada(event(%task), qw(--modes notify)), 'task to_me must_respond notify 300000 mode');
    is(ada(event(%task), qw(--modes digest)), 'task to_me must_respond tool_mailbox 300000 mode');
};


subtest 'C2A-37 what asks for a hard interrupt' => sub {
    my $asks = sub {
        my ($attention, @options) = @_;
        my $said = json(attention(event(target => mentions('agent:ada'), attention => $attention),
                                  '--json', @options));
        return $said->{readers}[0]{interrupt} ? 1 : 0;
    };

    is($asks->(reason('assignment', 'urgent'), '--interrupt'), 1, 'urgent');
    is($asks->(reason('cancellation'), '--interrupt'), 1, 'a cancellation');
    is($asks->(reason('safety'), '--interrupt'), 0, 'not safety alone');
    is($asks->(reason('assignment', 'high'), '--interrupt'), 0, 'not a high priority');
    is($asks->(reason('cancellation', 'urgent')), 0, 'not without the session');
    is($asks->(reason('cancellation', 'urgent'), '--interrupt', '--modes', 'buffered'), 0,
       'not in another mode');
};


subtest 'C2A-04 refused submissions' => sub {
    my $of = { of => 'm0', signal => 'agree' };

    my @refused = (
        ['field-missing', '/params/conversation/id', conversation => { kind => 'dm' }],
        ['field-missing', '/params/conversation/kind', conversation => { id => 'D1' }],
        ['field-missing', '/params/source', source => undef],
        ['field-missing', '/params/source/workspaceId', source => { platform => 'web' }],
        ['field-missing', '/params/author', author => undef],
        ['field-missing', '/params/content', content => undef],
        ['field-missing', '/params/eventId', eventId => undef],
        (map { ['field-invalid', '/params/eventId', eventId => $_] }
             '', 'x' x 257, 'digest:ada:1764184800000', 'm:reminder', 'm:failed', 'm:free', 'm:escalated:1', 'm:escalated:27',
             ':free', "a\nb", "a\0b", "a\x{2028}b", 7),
        ['field-invalid', '/params/conversation/kind', conversation => { id => 'C', kind => 'room' }],
        ['field-invalid', '/params/conversation/id', conversation => { id => "\x{e9}" x 129, kind => 'dm' }],
        ['field-invalid', '/params/target/directedness', target => { directedness => 'to_all' }],
        ['field-invalid', '/params/target/mentions', target => mentions(map { "agent:$_" } 1 .. 65)],
        ['field-invalid', '/params/target/mentions', target => mentions(('agent:ada') x 257)],
        ['field-invalid', '/params/target/mentions/1', target => mentions('agent:ada', '')],
        ['field-invalid', '/params/target/recipient', target => { recipient => 'x' x 257 }],
        ['identity-unmappable', '/params/target/recipient', target => { recipient => 'agent:cy' }],
        (map { ['field-invalid', '/params/attention/deadlineMs', attention => { deadlineMs => $_ }] }
             0, -1, 9007199254740992, 1.5, '5'),
        ['field-invalid', '/params/attention/policy', attention => { policy => 'should' }],
        ['field-invalid', '/params/attention/priority', attention => { priority => 'top' }],
        ['field-invalid', '/params/attention/reason', attention => { reason => 7 }],
        ['field-invalid', '/params/injection/mode', injection => { mode => 'loud' }],
        ['field-invalid', '/params/timing/createdAt', timing => { createdAt => 'yesterday' }],
        ['field-invalid', '/params/change/of', change => { of => 'm1', kind => 'edit' }],
        ['field-invalid', '/params/reaction/of', reaction => { of => 'm1', signal => 'agree' }],
        ['field-missing', '/params/change/of', change => { kind => 'edit' }],
        ['field-invalid', '/params/change/kind', change => { of => 'm0', kind => 'undo' }],
        ['field-invalid', '/params/reaction', reaction => $of, change => { of => 'm0', kind => 'edit' }],
        ['field-invalid', '/params/reaction/signal', reaction => { of => 'm0', signal => 'shrug' }],
        ['field-missing', '/params/reaction/signal', reaction => { of => 'm0' }],
        ['field-invalid', '/params/reaction/glyph', reaction => { %$of, glyph => 'x' }],
        ['field-invalid', '/params/eventId', change => { of => 'm0', kind => 'delete' }, content => undef],
        ['field-unknown', '/params/EventId', EventId => 'm2'],
    );

    for my $case (@refused) {
        my ($code, $field, @with) = @$case;
        my ($status, $out) = tool({ in => event(@with) }, 'attention', '--json', '--identities', $ids);
        my $said = json($out);

        is_deeply([$status, @$said{qw(code field)}], [1, $code, $field], "$code $field")
            or diag(event(@with));
    }

    for my $ok ('m#1', 'm:%', 'm:reminder:2', "\x{202e}m", 'm"', 'x' x 256, ':escalated:',
                'digest:ada', 'a digest:ada:1') {
        is(ada(event(eventId => $ok, target => mentions(('agent:ada') x 65))),
           'mention to_me must_respond buffered 300000 -', "an id \"$ok\"") if $ok !~ /[^\x20-\x7e]/;
    }

    my ($status, $out) = tool({ in => event(target => mentions(map { "role:$_" } 'many', 'backend')) },
                              'attention', '--json', '--identities', $ids);
    is($status, 0, 'two roles');
};


subtest 'GW-16 the options' => sub {
    my $wrong = sub {
        my ($says, @words) = @_;
        my ($status, $out, $err) = tool({ in => event() }, 'attention', @words);
        is($status, 2, "@words");
        like($err, $says);
    };

    $wrong->(qr/--identities/);
    $wrong->(qr/nowhere/, '--identities', '/nowhere');
    $wrong->(qr/--reader: "zed" is not the sub/, '--identities', $ids, '--reader', 'zed');
    $wrong->(qr/--author: "zed"/, '--identities', $ids, '--author', 'zed');
    $wrong->(qr/--modes: "loud"/, '--identities', $ids, '--modes', 'notify,loud');
    $wrong->(qr/--agents/, '--identities', $ids, '--agents', '-1');
    $wrong->(qr/--deadline/, '--identities', $ids, '--deadline', '0');
    $wrong->(qr/--at/, '--identities', $ids, '--at', 'noon');
};


done_testing;
