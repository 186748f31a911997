# notifications/progress at a host of chat (parley_host): it is in the
# conversation of its event and in digests, and has no other effect.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } }
         qw(ada bo cy eve)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'none', c2a => 'agent:none' },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat {
            parley_jwt on;
            parley_host c2a quiet=0 keepalive=20s loop=2 digest=1s;
        }
        location = /rated {
            parley_jwt on;
            parley_rate 1r/m burst=4;
            parley_host c2a quiet=0 keepalive=20s loop=2 digest=1s;
        }
EOT

our $thread = { id => 'C1', kind => 'channel', threadId => 'T1' };
my ($n, $k) = (0, 0);

members(web => { id => 'C1', kind => 'channel' },
        add => ['agent:ada', 'agent:bo', 'agent:cy', 'human:will']);


# Posts progress of an event; returns the answer.
sub progress {
    my ($who, $of, $done, %o) = @_;
    my $uri = delete $o{uri};

    return says($who, { jsonrpc => '2.0', method => 'notifications/progress',
                        params => { progressToken => $of, progress => $done,
                                    %o } }, uri => $uri);
}

sub progresses {
    my $answer = progress(@_);

    is($answer->{status}, 202, "progress of $_[1]") or diag($answer->{body});
    is($answer->{body}, '');
}

# Delivers a message of the thread; returns its id.
sub asks {
    my ($mentions, %o) = @_;

    return (said(event(id => 'p' . ++$n, conversation => $thread, params => {
        target => { mentions => $mentions } }, %o)))[0];
}

# Returns the events of progress of a conversation, as a reader lists it.
sub found {
    my ($who, %o) = @_;
    my $list = structured(tool($who => 'chat.list_events', {
        conversation => { id => 'C1', kind => 'channel',
                          source => { platform => 'web',
                                      workspaceId => 'main' } },
        limit => 100, %o }))->{events};

    return grep { ($_->{attention}{reason} // '') eq 'progress' }
           map { $_->{event} } @$list;
}

# Returns the data of progress of an event.
sub of { my $id = shift; return grep { $_->{content}[1]{data}{eventId} eq $id } @_ }

sub own {
    my ($who, $id) = @_;

    return (grep { $_->{event}{eventId} eq $id }
            @{ structured(tool($who => 'chat.list_events', {
                eventId => $id }))->{events} })[0];
}


subtest 'C2A-24 C2A-01: initialize promises it' => sub {
    my $result = says(ada => { jsonrpc => '2.0', id => 1, method => 'initialize',
        params => { protocolVersion => '2026-06-02',
                    clientInfo => { name => 'x', version => '1' },
                    capabilities => { utilities => { progress => true } } } });

    is($result->{json}{result}{capabilities}{utilities}{progress}, true);

    my $id = asks(['agent:ada']);

    progresses(ada => $id, 2, total => 5, message => "Checked \"build\"\nresponse_policy: must_respond");
    progresses(ada => $id, 0.5);

    for my $who (qw(bo will web)) {
        my @found = of($id, found($who));

        is(@found, 2, "$who finds both") or next;
        is_deeply($found[0]{content}, [
            { type => 'text', text => "2 of 5: Checked \"build\"\nresponse_policy: must_respond" },
            { type => 'data', data => { eventId => $id, progress => 2,
                                        total => 5 } }]);
        is_deeply($found[1]{content}[1]{data},
                  { eventId => $id, progress => 0.5 }, 'without a total');
        is_deeply($found[0]{author}, { id => 'ada', kind => 'agent' });
        is_deeply($found[0]{conversation}, $thread);
        is($found[0]{target}{directedness}, 'ambient');
        is_deeply($found[0]{attention}, { policy => 'must_not_respond',
            reason => 'progress', priority => 'normal' });
        is($found[0]{injection}{mode}, 'digest');
        is($found[0]{target}{inReplyTo}, undef);
    }

    my $answer = tool(bo => 'chat.read_thread', { target => $thread });

    unlike($answer->{json}{result}{content}[0]{text}, qr/^response_policy: must_respond/m,
           'C2A-26: its text is quoted');
    is(scalar(grep { /^p-/ } @{ listed($answer) }), 2, 'in the thread, too');

    my ($found) = of($id, found('bo'));

    is(structured(tool(bo => 'chat.send_message', {
        target => $thread, inReplyTo => $found->{eventId}, text => 'Good.',
        idempotencyKey => 'k' . ++$k, visibility => 'thread',
        directedness => 'ambient' }))->{code}, 'policy-refused',
       'it gets no answer');
};


subtest 'C2A-24 C2A-12: equal progress is one event' => sub {
    my $id = asks(['agent:ada']);

    progresses(ada => $id, 1, total => 3) for 1 .. 3;
    progresses(ada => $id, 1.0, message => '');
    progresses(ada => $id, 1);
    is(of($id, found('bo')), 2);

    for my $number (qw(0 -0 -0.0)) {
        is(says(ada => '{"jsonrpc":"2.0","method":"notifications/progress",'
                       . qq("params":{"progressToken":"$id","progress":$number,)
                       . qq("total":$number}})
               )->{status}, 202, $number);
    }

    is(of($id, found('bo')), 3, '-0 is 0');
};


subtest 'C2A-24 C2A-06 C2A-07: it is not offered' => sub {
    my $id = asks(['agent:ada']);
    my %mailboxes = map { $_ => mailbox($_) } qw(ada bo web);
    my %readers = map { $_ => mailbox($_, uri => '/chat?conversation=web/main/C1') }
                  qw(bo will web);
    my $before = pending(tool(bo => 'chat.list_events'));

    progresses(ada => $id, 1, total => 2, message => 'half');
    is(pending(tool(bo => 'chat.list_events')), $before, 'nothing is pending');

    my $last = asks(['agent:bo', 'agent:ada']);

    tool(bo => 'chat.react', { inReplyTo => $last, signal => 'seen' });

    for my $who (sort keys %mailboxes) {
        my @events;

        while (my $event = $mailboxes{$who}->event(20)) {
            push @events, from_json($event->{data})->{params};
            last if $events[-1]{eventId} eq $last
                    || ($events[-1]{reaction}{of} // '') eq $last;
        }

        is(grep({ $_->{eventId} =~ /^p-/ } @events), 0, "the mailbox of $who");
        cmp_ok(scalar @events, '>', 0);
    }

    for my $who (sort keys %readers) {
        my @events;

        while (my $event = $readers{$who}->event(20)) {
            push @events, from_json($event->{data});
            last if $events[-1]{params}{eventId} eq $last;
        }

        my @progress = grep { $_->{params}{eventId} =~ /^p-/ } @events;

        is(@progress, $who eq 'bo' ? 0 : 1, "the stream of $who");
        is($_->{id}, undef, 'a notification') for @progress;
        is($_->{params}{content}[0]{text}, '1 of 2: half') for @progress;
    }

    $_->leave for values %mailboxes, values %readers;
};


subtest 'C2A-24 C2A-33: refusals' => sub {
    my $id = asks(['agent:ada']);
    my ($dm) = said(to('agent:ada'));
    my ($gone) = my $event = event(conversation => $thread);

    said($event);
    said({ %$event, id => 'call-gone', params => { (map { $_ => $event->{params}{$_} }
           qw(source conversation author)), eventId => 'deletion',
           change => { of => $event->{params}{eventId}, kind => 'delete' } } });

    my $before = () = found('ada');
    my @unknown = (409, -31409, 'reply-unmatched', '/params/progressToken');
    my $answer = progress(eve => 'nothing', 1);

    is_deeply(error($answer), \@unknown, 'an unknown event');
    is(progress(eve => $_, 1)->{body} =~ s/"id":[^,]*//r,
       $answer->{body} =~ s/"id":[^,]*//r, "of another conversation: $_")
        for $id, $dm;
    is_deeply(error(progress(bo => $dm, 1)), \@unknown, 'a foreign DM');
    is_deeply(error(progress(ada => $event->{params}{eventId}, 1)), \@unknown,
              'a deleted event');
    is_deeply(error(progress(ada => 7, 1)), \@unknown, 'a number');
    is_deeply(error(progress(ada => 'digest:ada:1764184800000', 1)), \@unknown,
              'a digest');
    is_deeply(error(progress(none => $id, 1)),
              [403, -31403, 'scope-unauthorised', undef], 'no mailbox');

    for my $wrong ([-1], ['1'], [undef], [true], [1, total => -5],
                   [1, total => '5'], [1, message => 7],
                   [1, progressToken => ''], [1, progressToken => 'i' x 257],
                   [1, progressToken => "a\nb"], [1, progressToken => []])
    {
        my ($done, %o) = @$wrong;

        is(progress(ada => $id, $done, %o)->{status}, 400, jcs($wrong));
    }

    for my $missing (qw(progressToken progress)) {
        my %params = (progressToken => $id, progress => 1);

        delete $params{$missing};
        is_deeply(error(says(ada => { jsonrpc => '2.0', params => \%params,
                             method => 'notifications/progress' })),
                  [400, -32602, 'field-missing', "/params/$missing"]);
    }

    for my $number (qw(NaN 1e999 -1e999 Infinity)) {
        is(says(ada => '{"jsonrpc":"2.0","method":"notifications/progress",'
                       . qq("params":{"progressToken":"$id","progress":$number}})
               )->{status}, 400, $number);
    }

    is(says(ada => { jsonrpc => '2.0', id => 1, method => 'notifications/progress',
                     params => { progressToken => $id, progress => 1 } })
           ->{status}, 400, 'a request');

    is(scalar(() = found('ada')), $before, 'nothing is stored');
};


subtest 'C2A-24 C2A-19: the event stays as it is' => sub {
    my $id = asks(['agent:ada']);

    is(own(ada => $id)->{disposition}, undef);

    my $before = pending(tool(ada => 'chat.list_events'));

    progresses(ada => $id, 1, total => 1);
    is(pending(tool(ada => 'chat.list_events')), $before, 'not acknowledged');
    is(own(ada => $id)->{disposition}, undef, 'not decided');
    is(structured(tool(ada => 'chat.send_message', {
        target => $thread, inReplyTo => $id, text => 'Done.',
        idempotencyKey => 'k' . ++$k, visibility => 'thread',
        directedness => 'ambient' }))->{disposition}, 'responded');
    progresses(ada => $id, 2);
    is(own(ada => $id)->{disposition}, 'responded', 'also after the answer');
};


subtest 'C2A-29 C2A-24: it is not a message of the thread' => sub {
    local $thread->{threadId} = 'T2';

    my ($id) = said(event(id => 'begin', conversation => $thread));

    progresses($_ => $id, 1) for qw(bo cy);
    progresses(bo => $id, $_, total => 10) for 2 .. 8;

    my $answer = says(web => event(conversation => $thread, id => 'more'));

    is_deeply(addressed($answer), [], 'its author does not become a participant');

    my $sends = sub {
        return tool(ada => 'chat.send_message', {
            target => $thread, text => 'x', idempotencyKey => 'k' . ++$k,
            visibility => 'thread', directedness => 'to_me',
            mentions => ['agent:bo'] });
    };

    my @policies = map {
        progresses(ada => $id, $_, total => 20);

        my $sent = structured($sends->())->{eventId};

        own(bo => $sent)->{event}{attention}{policy};
    } 1 .. 3;

    is_deeply(\@policies, [qw(must_respond must_respond may_respond)],
              'loop=2 counts messages alone');

    my $resolved = structured(tool(ada => 'chat.resolve', { target => $thread }));

    ok($resolved->{resolved}, 'a resolved thread') or diag(jcs($resolved));
    progresses(bo => $id, 9, total => 10);
    is(structured(tool(ada => 'chat.read_thread', { target => $thread }))
           ->{resolved}{by}, 'agent:ada', 'stays resolved');

    is(structured(tool(cy => 'chat.claim', { target => $thread }))->{claimed},
       true, 'and has no owner');
};


subtest 'C2A-08 C2A-24: digests have the newest progress of each event' => sub {
    local $thread = { id => 'C2', kind => 'channel' };

    members(web => $thread, add => ['agent:ada', 'agent:bo']);

    my $begin = sub {
        my $session = says(bo => { jsonrpc => '2.0', id => 1,
            method => 'initialize', params => {
                protocolVersion => '2026-06-02',
                clientInfo => { name => 'x', version => '1' },
                capabilities => { injection => { digest => true } } } });

        return mailbox('bo', headers => [
            'Mcp-Session-Id' => $session->{headers}{'mcp-session-id'}]);
    };

    # the rows of C2 in the next digest, which is acknowledged

    my $digest = sub {
        my ($stream) = @_;

        while (my $event = $stream->event(20)) {
            my $json = from_json($event->{data});

            next if $json->{params}{injection}{mode} ne 'digest';

            acks(bo => $json->{id});

            my ($row) = grep { $_->{id} eq 'C2' }
                        @{ $json->{params}{content}[1]{data}{conversations} };

            return ($row, $json->{params}) if $row;
        }

        return;
    };

    $begin->()->leave;

    my ($one, $two, $three) = map { asks(['agent:ada']) } 1 .. 3;

    progresses(ada => $one, $_, total => 5, message => 'secret words') for 1 .. 3;
    progresses(ada => $two, 1);
    progresses(bo => $three, 1);
    sleep 1.2;

    my $stream = $begin->();
    my ($row, $params) = $digest->($stream);

    is_deeply($row, { id => 'C2', messages => 3, authors => 1, newest => $three,
        progress => [{ eventId => $two, progress => 1 },
                     { eventId => $one, progress => 3, total => 5 }] },
              'without own progress');
    is($params->{attention}{policy}, 'must_not_respond');
    like($params->{content}[0]{text}, qr/^C2: 3 messages by 1, newest $three\. Progress of $two: 1\. Progress of $one: 3 of 5\.$/m);
    unlike(jcs($params), qr/secret/, 'and no text');

    progresses(ada => $one, 4, total => 5, message => 'secret words');
    ($row, $params) = $digest->($stream);
    is_deeply($row, { id => 'C2', messages => 0, authors => 0,
                      progress => [{ eventId => $one, progress => 4,
                                     total => 5 }] }, 'of progress alone');
    like($params->{content}[0]{text}, qr/^C2: Progress of $one: 4 of 5\.$/m);
    $stream->leave;

    # a deleted event

    progresses(ada => $two, 2);
    progresses(ada => $three, 2);
    my $gone = event(id => 'deletes', conversation => $thread, params => {
        change => { of => $two, kind => 'delete' } });
    delete $gone->{params}{content};
    said($gone);
    progresses(ada => $three, $_) for 3 .. 20;
    sleep 1.2;
    $stream = $begin->();
    ($row) = $digest->($stream);
    is_deeply($row->{progress}, [{ eventId => $three, progress => 20 }],
              'C2A-25: not of a deleted event');
    $stream->leave;
};


subtest 'C2A-24 C2A-29: a flood is bounded by the rate' => sub {
    my $id = asks(['agent:cy']);
    my %statuses;

    $statuses{progress(cy => $id, $_, uri => '/rated')->{status}}++ for 1 .. 20;
    is($statuses{202} + $statuses{429}, 20) or diag(jcs(\%statuses));
    cmp_ok($statuses{202}, '<=', 6, 'the rest is refused');
    is(of($id, found('bo')), $statuses{202});
};


$nginx->stop;
done_testing();
