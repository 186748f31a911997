# Each row of the default matrix of the draft (C2A 2026-06-02), and the bindings
# that decide about it, at a host from outside: the answer to the surface, the
# offer on the stream or the entry in the list.

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
    { sub => 'ada', handle => '~ada', c2a => 'agent:ada', roles => ['backend'],
      streams => ['backend-migration'], accounts => ['web/main/bot-ada'] },
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } qw(bo dee)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on;
                           parley_host c2a quiet=0 keepalive=20s; }
EOT

my $n = 0;
my $stream = mailbox('ada');

# Makes a channel; returns its conversation.
sub channel {
    my $c = { id => 'C' . ++$n, kind => 'channel' };

    members('web', $c, add => ['web/main/will',
                               map { "agent:$_" } qw(ada bo dee)]);

    return { %$c, @_ };
}

# Returns params with a target and the attention that the author asks for.
sub params {
    my ($target, %attention) = @_;

    return { $target ? (target => $target) : (),
             %attention ? (attention => \%attention) : () };
}

sub dm { return params({ recipient => 'agent:ada' }, @_) }
sub mentions { my @m = @{ shift() }; return params({ mentions => \@m }, @_) }

# ada says something in a conversation; returns its id.
sub says_ada {
    my ($where, %args) = @_;

    return structured(tool(ada => 'chat.send_message', {
        target => $where, idempotencyKey => 'k' . ++$n, text => 'Deploy?',
        visibility => $where->{threadId} ? 'thread' : 'channel',
        directedness => 'ambient', %args }))->{eventId};
}

# Delivers an event; returns the result for ada: row, directedness,
# policy and mode, and "offered" or "listed"; or "nothing".
sub row {
    my ($event, $who) = @_;

    my $answer = says($who // 'web', $event);
    my ($to) = grep { $_->{to} eq 'agent:ada' } @{ addressed($answer) // [] };
    my $id = $event->{params}{eventId};

    $answer->{status} == 200 or return $answer->{body};

    if ($to && $to->{mode} =~ /^(?:notify|buffered|immediate)$/) {
        my $offer = from_json($stream->event->{data});
        my $got = $offer->{params};

        acks(ada => $offer->{id});

        return join ' ', $to->{row}, $got->{target}{directedness},
                    $got->{attention}{policy}, $got->{injection}{mode},
                    $got->{knock} && !$got->{content} ? 'a knock' :
                    $got->{content} && !$got->{knock} ? 'content' : 'both',
                    $got->{eventId} eq $id ? () : 'of another event';
    }

    my $where = $event->{params}{conversation};
    my ($got) = grep { $_->{event}{eventId} eq $id }
                @{ structured(tool(ada => 'chat.list_events', {
                       conversation => { id => $where->{id} },
                       limit => 100 }))->{events} // [] };

    $got // return 'nothing';

    return join ' ', $to ? $to->{row} : '-', $got->{event}{target}{directedness},
                $got->{event}{attention}{policy},
                $got->{event}{injection}{mode}, 'listed';
}

sub in { my ($where, $params, %o) = @_;
         return event(conversation => $where, params => $params // {}, %o) }

# a thread that ada owns, as its first agent
my $thread = channel(threadId => 'T1');
says_ada($thread);


subtest 'C2A-05 C2A-04 C2A-03: directed to the agent' => sub {
    my $where = channel();
    my $own = says_ada($where);

    for (
        ['DM', event(params => dm()),
         'dm to_me must_respond buffered content'],
        ['Thanks', event(params => dm(reason => 'thanks')),
         'thanks to_me ack_only notify a knock'],
        ['Direct mention', in($where, mentions(['agent:ada'])),
         'mention to_me must_respond buffered content'],
        ['by an account', in($where, mentions(['web/main/bot-ada'])),
         'mention to_me must_respond buffered content'],
        ['urgent', in($where, mentions(['agent:ada'], priority => 'urgent')),
         'mention to_me must_respond immediate content'],
        (map { [$_, in($where, mentions(['agent:ada'], reason => $_)),
                'task to_me must_respond buffered content'] }
             qw(assignment approval blocker)),
        (map { [$_, in($where, mentions(['agent:ada'], reason => $_)),
                'task to_me must_respond immediate content'] }
             qw(cancellation safety)),
        ['Direct question',
         in($where, params({ inReplyTo => $own }, reason => 'question')),
         'question to_me must_respond buffered content'],
        ['a further mention', in($where, mentions(['agent:bo', 'agent:ada'])),
         'mention to_me may_respond notify a knock'],
    ) {
        my ($name, $event, $row) = @$_;

        is(row($event), $row, $name);
    }
};


subtest 'C2A-05 C2A-04 C2A-06: by a role, a stream or a thread' => sub {
    my $where = channel();

    for (
        ['Role mention', in($where, mentions(['role:backend'])),
         'role to_my_role may_respond notify a knock'],
        ['an owned stream', in({ %$where, streamId => 'backend-migration' }),
         'part to_my_role may_respond notify a knock'],
        ['another stream', in({ %$where, streamId => 'other' }),
         '- ambient must_not_respond tool_mailbox listed'],
        ['Thread where the agent participates', in($thread),
         'part to_my_role may_respond notify a knock'],
        ['another thread', in({ %$thread, threadId => 'T2' }),
         '- ambient must_not_respond tool_mailbox listed'],
    ) {
        my ($name, $event, $row) = @$_;

        is(row($event), $row, $name);
    }
};


subtest 'C2A-05 C2A-07 C2A-10: not for the agent' => sub {
    my $where = channel();
    my $agent = { author => 'bot-7', kind => 'agent' };

    for (
        ['Message to another agent', in($where, mentions(['agent:bo'])),
         '- to_other must_not_respond tool_mailbox listed'],
        ['to an unlisted name', in($where, mentions(['agent:nobody'])),
         '- to_other must_not_respond tool_mailbox listed'],
        ['Agent message with no task', in($where, {}, %$agent),
         '- to_other must_not_respond tool_mailbox listed'],
        ['also in its thread', in($thread, {}, %$agent),
         '- to_other must_not_respond tool_mailbox listed'],
        ['thanks of an agent: silent for its reader, and not in the mailbox',
         in($where, mentions(['agent:ada'], reason => 'thanks'), %$agent),
         '- to_other must_not_respond tool_mailbox listed'],
        ['Unmentioned channel message', in($where),
         '- ambient must_not_respond tool_mailbox listed'],
        ['a name in the text', in($where, {}, text => '@ada agent:ada help'),
         '- ambient must_not_respond tool_mailbox listed'],
        (map { [$_, in($where, mentions(['agent:ada'], reason => $_)),
                '- ambient must_not_respond digest listed'] }
             qw(log progress status)),
        ['silent', in($where, { injection => { mode => 'silent' } }), 'nothing'],
        ['a tool', in({ %$where, kind => 'tool' }, mentions(['agent:ada'])),
         'nothing'],
        ['its own', in($where, mentions(['agent:ada']), author => 'bot-ada'),
         'nothing'],
    ) {
        my ($name, $event, $row) = @$_;

        is(row($event), $row, $name);
    }
};


subtest 'C2A-05 C2A-16: reactions to a message of the agent' => sub {
    my $where = channel();
    my $own = says_ada($where);
    my $asked = says_ada($where, mentions => ['human:will'],
                         directedness => 'to_me');
    my ($other) = said(in($where));
    my $reacts = sub {
        my ($of, $signal) = @_;

        return row(in($where, { content => [],
                                reaction => { of => $of, signal => $signal } }));
    };

    for my $signal (qw(agree declined done blocked unclear)) {
        is($reacts->($own, $signal),
           'reaction to_me may_respond notify a knock', $signal);
    }

    for my $signal (qw(seen working queued claimed)) {
        my $row = $reacts->($own, $signal);

        like($row, qr/^\S+ to_me must_not_respond tool_mailbox listed$/, $signal);
    }

    is($reacts->($other, 'agree'),
       '- ambient must_not_respond tool_mailbox listed', 'to another message');
    is($reacts->($asked, 'agree'),
       'reaction to_me may_respond notify a knock', 'no human is obliged');
};


subtest 'C2A-05: between agents' => sub {
    my $where = channel();
    my $own = says_ada($where, mentions => ['agent:bo'], directedness => 'to_me');
    my $sends = sub {
        return structured(tool(bo => 'chat.send_message', {
            target => $where, idempotencyKey => 'k' . ++$n, text => 'Yes.',
            visibility => 'channel', directedness => 'to_me', @_ }))->{eventId};
    };
    my $offered = sub {
        my $offer = from_json($stream->event->{data});

        acks(ada => $offer->{id});

        return join ' ', $offer->{params}{eventId},
                    $offer->{params}{attention}{policy},
                    $offer->{params}{injection}{mode};
    };

    my $id = $sends->(inReplyTo => $own);

    is($offered->(), "$id may_respond buffered", 'an answer obliges no reader');

    $own = says_ada($where, mentions => ['agent:bo'], directedness => 'to_me');
    tool(bo => 'chat.react', { inReplyTo => $own, signal => 'agree' });
    like($offered->(), qr/^r-\S+ may_respond buffered$/,
         'the verdict of an agent that was obliged');
};

done_testing();
