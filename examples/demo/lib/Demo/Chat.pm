package Demo::Chat;

# Chat: a web page posts the messages of a person, and agents answer by tools.
# Each agent here is a script: nothing in its text was thought by a model.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use Time::HiRes qw(sleep time);

use Demo::Listener;
use Demo::Show qw(title note check);
use Demo::Step qw(step asked member came aee);

our @EXPORT_OK = qw(chat);

my $json = JSON::PP->new->utf8->canonical;
my ($n, $k) = (0, 0);
my $shown = 0;      # events that the page has acknowledged


sub chat {
    title('Chat: a person, a web page, and agents',
          "The web page is a surface: it posts the messages of its users and "
          . "shows the\nanswers.  ada and bo have the role backend; ada's lead "
          . "is cleo.\nAll agents are scripts: no model writes their texts.");

    my $page = Demo::Listener->listen('web', '/chat');
    my @scenes = (
        ['A person writes in four pieces and gets one answer', \&pieces],
        ['Two harnesses try to answer one question', \&one_answer],
        ['The lead answers after a harness was killed', \&lead],
        ['A chat agent answers a task of AEE', \&task],
        ['Two polite agents fall silent', \&silence]);

    for my $n (1 .. @scenes) {
        title("Scene $n of " . @scenes . ": $scenes[$n - 1][0]",
              'The agents are scripts.');
        $scenes[$n - 1][1]->($page);
    }

    $page->leave;
}


# A person writes in four pieces and gets one answer.
sub pieces {
    my $page = shift;

    my $ada = Demo::Listener->listen('ada', '/chat');
    my %where = (id => 'D2', kind => 'dm');
    my %to = (target => { recipient => 'agent:ada' });
    my @ids;

    typing('The page tells that the person types',
           'Its messages wait until it stops, at most 30 s.', { %where }, 1);

    for my $text ('when someone types in', 'pieces', 'like this,',
                  'does the agent wait?')
    {
        push @ids, said(@ids ? 'The next piece'
                             : 'The person writes to an agent, in four pieces',
                        'The page has its answer at once.', { %where }, $text,
                        { %to });
    }

    typing('The person stops', 'The message is complete 2 s after its newest '
           . 'piece.', { %where }, 0);

    my $turn = ($ada->events(1))[0];

    note("the agent has one message\n");
    came('the mailbox of ada', $turn, '/params/eventId' => $ids[-1],
         '/params/merged' => $json->encode(\@ids),
         '/params/content/3/text' => 'does the agent wait?');

    used(title => 'The agent answers once', who => 'ada',
         tool => 'chat_send_message',
         arguments => { inReplyTo => $ids[-1], idempotencyKey => key(),
                        visibility => 'dm', directedness => 'to_me',
                        target => { %where }, text => 'Yes.' },
         expect => { '/result/structuredContent/disposition' => 'responded' });

    my @shown = shown($page, 1);

    check(@shown == 1 && $shown[0]{content}[0]{text} eq 'Yes.',
          'the page shows one answer', scalar @shown);
    $ada->leave;
}


# Two harnesses try to answer one question: ada by a stream, bo by tools alone.
sub one_answer {
    my $page = shift;

    my $ada = Demo::Listener->listen('ada', '/chat');
    my %channel = (id => 'C1', kind => 'channel');

    posted(title => 'The page adds both agents to a channel',
           method => 'chat/members',
           params => { conversation => { %channel },
                       add => [ 'agent:ada', 'agent:bo' ], remove => [] },
           expect => { status => 200,
                       '/result/added' => '["agent:ada","agent:bo"]' });

    my $id = said('A person asks a role in a channel',
                  'Both agents get a knock, without the text.', { %channel },
                  'Why is the site slow?',
                  { target => { mentions => ['role:backend'] } });

    came('the stream of ada', offered($ada, $id), '/params/eventId' => $id,
         '/params/knock/topic' => 'role mention', '/params/content' => undef);

    used(title => 'The other agent has no stream: it lists its mailbox',
         who => 'bo', tool => 'chat_list_events',
         arguments => { eventId => $id },
         expect => { '/result/structuredContent/events/0/event/content/0/text'
                         => 'Why is the site slow?' });

    used(title => 'It claims the question', who => 'bo', tool => 'chat_claim',
         arguments => { inReplyTo => $id },
         expect => { '/result/structuredContent/owner' => 'agent:bo' });

    my %answer = (inReplyTo => $id, visibility => 'channel',
                  directedness => 'ambient', target => { %channel });

    used(title => 'ada answers too late', who => 'ada',
         why => 'Two agents do not answer one question.',
         tool => 'chat_send_message',
         arguments => { %answer, idempotencyKey => key(),
                        text => 'It is the database.' },
         expect => { '/result/isError' => 'true',
                     '/result/structuredContent/code' => 'claim-held' });

    used(title => 'The owner answers', who => 'bo', tool => 'chat_send_message',
         arguments => { %answer, idempotencyKey => key(),
                        text => 'A backup runs until noon.' },
         expect => { '/result/structuredContent/disposition' => 'responded' });

    came('the stream of ada', ($ada->events(2))[1],
         '/method' => 'notifications/cancelled',
         '/params/reason' => 'superseded');

    my (undef, @shown) = shown($page, 3);

    check(@shown == 2 && $shown[0]{reaction}{signal} eq 'claimed'
          && $shown[1]{content}[0]{text} eq 'A backup runs until noon.',
          'the page shows the claim and one answer', scalar @shown);
    note('the page shows that bo claimed the question, and its answer');
    $ada->leave;
}


# A harness is killed; the lead of its agent answers.
sub lead {
    my $page = shift;

    my $ada = Demo::Listener->listen('ada', '/chat');
    my $cleo = Demo::Listener->listen('cleo', '/chat');

    my $id = said('A person writes to an agent', 'It has two seconds.',
                  { id => 'D1', kind => 'dm' }, 'Is the deploy done?',
                  { target => { recipient => 'agent:ada' },
                    attention => { deadlineMs => 2000 } });
    my $from = time;

    offered($ada, $id);
    $ada->leave('KILL');
    note("the harness of ada has the message, and is killed (SIGKILL)\n");

    my $up = offered($cleo, "$id:escalated:1");

    note(sprintf "after %.1f s the message goes to the lead\n", time - $from);
    came('the mailbox of cleo', $up, '/params/escalatedFrom' => 'agent:ada',
         '/params/attention/policy' => 'must_respond');

    used(title => 'The lead answers', who => 'cleo',
         tool => 'chat_send_message',
         arguments => { inReplyTo => member($up // '{}', '/params/eventId'),
                        idempotencyKey => key(), visibility => 'dm',
                        directedness => 'to_me',
                        target => { id => 'D1', kind => 'dm' },
                        text => 'Yes, an hour ago.' },
         expect => { '/result/structuredContent/disposition' => 'responded' });

    my @texts = map { $_->{content}[0]{text} // () } shown($page, 5);

    check($texts[-1] eq 'Yes, an hour ago.', 'the page shows the answer',
          $texts[-1]);
    $cleo->leave;
}


# A chat agent answers a task of an agent that speaks AEE.
sub task {
    my $watch = Demo::Listener->listen('watch', '/aee/stream/agent.watch');
    my $task = aee(from => 'agent.watch', to => 'agent.bo', type => 'task',
                   intent => 'ops.report',
                   payload => '{"text":"Is vm-2 back?"}');
    my $id = member($task, '/id');

    step(title => 'A chat agent answers an AEE task',
         why => 'The task is in the mailbox of bo, among the messages of chat.',
         path => '/messages', token => 'watch', body => $task,
         expect => { status => 202, '/payload/status' => 'accepted' });

    used(title => 'bo answers by a tool of chat', who => 'bo',
         tool => 'chat_send_message',
         arguments => { inReplyTo => $id, idempotencyKey => key(),
                        visibility => 'dm', directedness => 'to_me',
                        target => { id => member($task, '/corr'),
                                    kind => 'dm' }, text => 'It is back.' },
         expect => { '/result/structuredContent/disposition' => 'responded' });

    came('the stream of agent.watch', ($watch->events(1))[0],
         '/type' => 'result', '/from' => 'agent.bo', '/reply_to' => $id,
         '/payload/text' => 'It is back.');

    $watch->leave;
}


# Two polite agents thank each other, and fall silent.
sub silence {
    my %agent = map { $_ => Demo::Listener->listen($_, '/chat') } qw(bo cleo);
    my %seen = map { $_ => 0 } keys %agent;
    my ($from, $to, $reply, $sent) = ('cleo', 'bo', undef, 0);

    note('cleo and bo answer every message that they may answer, if it is '
         . "pushed whole.\n");

    # the mailbox of bo may begin with older messages
    $agent{bo}->read(0.5);
    $seen{bo} = @{ $agent{bo}{events} };

    while ($sent < 20) {
        my $answer = asked('/chat', $from, $json->encode(call(
            'chat_send_message',
            { $reply ? (inReplyTo => $reply) : (), target => "agent:$to",
              idempotencyKey => key(), visibility => 'dm',
              directedness => 'to_me', text => 'Thank you!' })));

        last if !member($answer, '/result/structuredContent/accepted');

        $sent++;
        $agent{$to}->wait_for(sub { @{ $_[0]{events} } > $seen{$to} }) or last;

        my $event = $json->decode($agent{$to}{events}[$seen{$to}++]);

        last if $event->{params}{injection}{mode} eq 'notify';

        $reply = $event->{params}{eventId};
        ($from, $to) = ($to, $from);
    }

    note("after $sent messages the host only knocks, and both are silent\n");
    check($sent > 2 && $sent < 12, 'two agents fall silent', $sent);

    $_->leave for values %agent;
}


# Waits for an event of a stream and acknowledges it.  Returns its text.
sub offered {
    my ($stream, $id) = @_;

    my $of = sub { grep { member($_, '/params/eventId') eq $id }
                   @{ $stream->{events} } };

    $stream->wait_for($of);

    my ($event) = $of->();

    accepts($stream->{who}, $event) if $event;

    return $event;
}


# Waits for a number of events of the page and acknowledges the new ones.
# Returns the params of all.
sub shown {
    my ($page, $n) = @_;

    my @events = $page->events($n);

    accepts('web', $_) for @events[$shown .. $#events];
    $shown = @events;

    return map { $json->decode($_)->{params} } @events;
}


sub accepts {
    my ($who, $event) = @_;

    asked('/chat', $who, $json->encode({
        jsonrpc => '2.0', id => member($event, '/id'),
        result => { accepted => JSON::PP::true } }));
}


sub key { return 'k' . ++$k }


sub call {
    my ($tool, $arguments) = @_;

    return { jsonrpc => '2.0', id => ++$n, method => 'tools/call',
             params => { name => $tool, arguments => $arguments } };
}


sub used {
    my %o = @_;

    return step(%o, path => '/chat', token => $o{who},
                body => $json->encode(call($o{tool}, $o{arguments})),
                expect => { status => 200, %{ $o{expect} } });
}


sub posted {
    my %o = @_;

    return step(%o, path => '/chat', token => 'web', body => $json->encode({
        jsonrpc => '2.0', id => ++$n, method => $o{method}, params => {
            source => { platform => 'web', workspaceId => 'demo' },
            %{ $o{params} } } }));
}


# The page tells that a person types, or stops.
sub typing {
    my ($title, $why, $conversation, $active) = @_;

    step(title => $title, why => $why, path => '/chat', token => 'web',
         expect => { status => 202 }, body => $json->encode({
             jsonrpc => '2.0', method => 'notifications/typing', params => {
                 source => { platform => 'web', workspaceId => 'demo' },
                 conversation => $conversation, author => { id => 'will' },
                 active => $active ? JSON::PP::true : JSON::PP::false } }));
}


# A person writes.  Returns the id of the message.
sub said {
    my ($title, $why, $conversation, $text, $more) = @_;

    my $id = 'm' . ++$n;

    posted(title => $title, why => $why, method => 'chat/deliver', params => {
               eventId => $id, conversation => $conversation,
               author => { id => 'will', kind => 'human' },
               content => [ { type => 'text', text => $text } ], %$more },
           expect => { status => 200, '/result/accepted' => 'true' });

    return $id;
}


1;
