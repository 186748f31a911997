# Turns at a host of chat (parley_host): the fragments of a person come to a
# reader as one event.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $url = 'https://127.0.0.1:' . port(2);

my @agents = qw(ada bo cy dee eve fay gus hal ida jo kim lou max ned oda pam
                quin ray sam tia vic);

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'lee' } }
         @agents),
    { sub => 'lee', handle => '~lee', c2a => 'agent:lee' },
    { sub => 'uma', handle => '~uma', c2a => 'agent:uma', parent => 'lee',
      deliver => "$url/uma", speaks => 'c2a' },
    (map { { sub => $_, handle => "~$_", c2a => "human:$_",
             accounts => ["web/main/$_"] } } qw(will amy)),
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'chat', handle => '~chat', c2a => 'service:chat',
      surface => ['chat/other'] },
);

# Returns the http block for a host with these parameters.
sub http {
    my ($words) = @_;

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:8m',
        more => 'parley_retain count=1000 time=1h; parley_deliver /_deliver '
                . 'hosts=127.0.0.1:' . port(2) . ';',
        locations => deliver_location() . "location = /chat { parley_jwt on; parley_host c2a "
                     . "keepalive=20s $words; }");
}

my $nginx = Parley::Nginx->start(workers => 2, http => http('quiet=1s max=4s'));
my $n = 0;


# Returns the next request of a stream that the test accepts.
sub next_of {
    my ($stream, $wanted) = @_;

    while (my $event = $stream->event(30)) {
        my $json = from_json($event->{data});

        return $json if !$wanted || $wanted->($json);
    }

    return undef;
}

sub about { my $id = shift; return sub { ($_[0]{params}{eventId} // '') eq $id } }

sub words { return join ' ', map { $_->{text} } @{ $_[0]{params}{content} } }

# Returns the fragments of a direct message, in one conversation.
sub pieces {
    my ($to, $texts, %o) = @_;

    my $dm = { id => 'DM' . ++$n, kind => 'dm' };
    my $i = 0;

    return map { to("agent:$to", conversation => $dm, id => "t$n." . ++$i,
                    text => "$_", %o) } @$texts;
}

sub workers { return $nginx->workers }

# Returns a change of an event.
sub change {
    my ($event, $kind, $id, $text) = @_;

    my %params = (%{ $event->{params} }, eventId => $id,
                  change => { of => $event->{params}{eventId}, kind => $kind });

    if ($kind eq 'delete') {
        delete $params{content};

    } else {
        $params{content} = [{ type => 'text', text => $text }];
    }

    return { %$event, id => "call-$id", params => \%params };
}

sub typing {
    my ($event, $active, %o) = @_;

    my ($who, %params) = ($o{who} // 'web', %{ $o{params} // {} });
    my $params = $event->{params};

    return says($who, {
        jsonrpc => '2.0', method => 'notifications/typing', params => {
            source => $params->{source},
            conversation => { id => $params->{conversation}{id},
                              kind => $params->{conversation}{kind} },
            author => { id => $params->{author}{id} },
            active => $active ? \1 : \0, %params } });
}

# Returns the disposition of an event for a reader of its conversation.
sub disposed {
    my ($who, $event) = @_;

    my $answer = tool($who => 'chat.list_events', {
        conversation => { id => $event->{params}{conversation}{id} },
        eventId => $event->{params}{eventId} });

    return (map { $_->{disposition} } @{ structured($answer)->{events} })[0];
}


subtest 'C2A-09: four pieces are one event' => sub {
    my $stream = mailbox('ada');
    my @four = pieces(ada => [qw(someone types in pieces)]);
    my $begun = time;
    my $answer = says(web => $four[0]);

    is_deeply(addressed($answer), [{
        to => 'agent:ada', row => 'dm', directedness => 'to_me',
        policy => 'must_respond', mode => 'buffered' }],
        'the surface has its answer before the turn');
    said(@four[1 .. 3]);

    my $turn = next_of($stream);
    my $params = $turn->{params};

    cmp_ok(time - $begun, '>=', 0.9, 'after the time of quiet');
    is($params->{eventId}, 't1.4', 'the id of the newest fragment');
    is_deeply($params->{merged}, [map { "t1.$_" } 1 .. 4]);
    is(words($turn), 'someone types in pieces');
    like($turn->{id}, qr/^t1\.4#1\.[0-9a-f]{8}$/);
    is($params->{reliability}{idempotencyKey}, 't1.4:agent:ada');
    is($params->{attention}{reason}, 'direct_message');
    is($params->{attention}{policy}, 'must_respond');
    ok(!exists $params->{change} && !exists $params->{knock});

    is_deeply(listed(tool(ada => 'chat.list_events')), ['t1.4'],
              'the mailbox has one event');
    is_deeply(listed(tool(ada => 'chat.list_events', {
                  conversation => { id => 'DM1' } })),
              [map { "t1.$_" } 1 .. 4], 'the conversation has each message');
    is(disposed(ada => $four[$_]), 'superseded', "piece $_") for 0 .. 2;
    is(disposed(ada => $four[3]), undef, 'the turn is open');

    is(acks(ada => $turn->{id}), 202);
    is(pending(tool(ada => 'chat.list_events')), 0, 'acknowledged');

    my %answer = (target => { id => 'DM1', kind => 'dm' }, visibility => 'dm',
                  directedness => 'to_me', text => 'Yes.');

    my $sent = tool(ada => 'chat.send_message', {
        %answer, inReplyTo => 't1.2', idempotencyKey => 'k1' });

    is(structured($sent)->{disposition}, 'responded',
       'a reference to any fragment finds the turn') or diag($sent->{body});
    is(disposed(ada => $four[3]), 'responded');

    $sent = tool(ada => 'chat.send_message', {
        %answer, inReplyTo => 't1.4', idempotencyKey => 'k2' });
    is(structured($sent)->{code}, 'message-duplicate', 'one answer');

    is_deeply(addressed(says(web => $four[1])), addressed($answer),
              'a repeated fragment has its answer');
    said(my ($after) = pieces(ada => ['after']));
    is(next_of($stream)->{params}{eventId}, $after->{params}{eventId},
       'and makes no event');
    $stream->leave;
};

subtest 'C2A-09: a single message comes as it is' => sub {
    my ($one) = pieces(bo => ['alone']);
    my $stream = mailbox('bo');

    said($one);

    my $event = next_of($stream);

    is($event->{params}{eventId}, $one->{params}{eventId});
    ok(!exists $event->{params}{merged});
    is(words($event), 'alone');
    $stream->leave;
};

subtest 'C2A-09: a fast writer does not hold a turn longer than max' => sub {
    my $stream = mailbox('cy');
    my @many = pieces(cy => [1 .. 40]);
    my ($begun, $sent) = (time, 0);

    while (@many && time - $begun < 7) {
        said(shift @many);
        $sent++;
        sleep 0.4;
    }

    my @turns;
    my $got = 0;

    while ($got < $sent) {
        my $turn = next_of($stream) or last;

        push @turns, $turn;
        $got += @{ $turn->{params}{merged} // [1] };
    }

    cmp_ok(scalar @turns, '>', 1, 'more than one turn');
    is(join(' ', map { words($_) } @turns), join(' ', 1 .. $sent),
       'each message is in one turn, in order');
    $stream->leave;
};

subtest 'C2A-09: fifty fragments at most' => sub {
    my $stream = mailbox('dee');

    said(pieces(dee => [1 .. 52]));

    my $first = next_of($stream);
    my $second = next_of($stream);

    is(words($first) . ' ' . words($second), join(' ', 1 .. 52));
    cmp_ok(scalar @{ $first->{params}{merged} }, '<=', 50);
    $stream->leave;
};

subtest 'C2A-09: typing holds a turn' => sub {
    my $stream = mailbox('eve');
    my ($one, $two) = pieces(eve => [qw(one two)]);

    is(typing($one, 1)->{status}, 202);
    said($one);

    my $begun = time;

    is($stream->event(2), undef, 'held');
    typing($one, 1);
    said($two);
    is(typing($two, 0)->{status}, 202, 'the author stops');

    my $turn = next_of($stream);

    is(words($turn), 'one two');
    cmp_ok(time - $begun, '>=', 2);

    my ($third) = pieces(eve => ['three']);
    my ($other) = pieces(eve => ['other']);

    typing($other, 1);
    typing($third, 1, params => { author => { id => 'amy' } });
    said($third);
    $begun = time;
    is(words(next_of($stream)), 'three');
    cmp_ok(time - $begun, '<', 3.5,
           'typing elsewhere, or of another author, holds nothing');

    ($third) = pieces(eve => ['endless']);
    said($third);
    $begun = time;

    my $got;

    for (1 .. 60) {
        typing($third, 1);
        $got = $stream->event(0.5) and last;
    }

    is(words(from_json($got->{data})), 'endless', 'not longer than max');
    cmp_ok(time - $begun, '>', 2.5, 'but until then');
    $stream->leave;
};

subtest 'C2A-09: errors of typing' => sub {
    my ($event) = pieces(ada => ['never sent']);
    my @mismatch = (403, 'sender-identity-mismatch', '/params/source');

    is_deeply([@{ error(typing($event, 1, who => $_)) }[0, 2, 3]], \@mismatch,
              "$_ is not its surface") for qw(ada will chat);
    is_deeply([@{ error(typing($event, 1, params => {
                  source => { platform => 'chat', workspaceId => 'other' } }))
              }[0, 2, 3]], \@mismatch, 'an account of another platform');

    for (['active', undef, '/params/active'], ['active', 'yes', '/params/active'],
         ['author', undef, '/params/author'], ['author', {}, '/params/author/id'],
         ['author', { id => 'x' x 257 }, '/params/author/id'],
         ['source', undef, '/params/source'],
         ['conversation', undef, '/params/conversation'],
         ['conversation', { kind => 'dm' }, '/params/conversation/id'])
    {
        my ($name, $value, $field) = @$_;
        my %doc = (source => $event->{params}{source},
                   conversation => $event->{params}{conversation},
                   author => $event->{params}{author}, active => \1,
                   $name => $value);

        delete $doc{$name} if !defined $value;

        my $answer = says(web => { jsonrpc => '2.0', params => \%doc,
                                   method => 'notifications/typing' });

        is($answer->{status}, 400, "$name " . jcs([$value]));
        is(error($answer)->[3], $field);
    }

    is(says(web => { jsonrpc => '2.0', id => 1, method => 'notifications/typing',
                     params => { source => $event->{params}{source},
                                 conversation => $event->{params}{conversation},
                                 author => $event->{params}{author},
                                 active => \1 } })->{status}, 400,
       'a notification has no id');
};

subtest 'C2A-09 C2A-25: an edit and a deletion before the offer' => sub {
    my $stream = mailbox('fay');
    my @four = pieces(fay => ['first', 'secret octets', 'third', 'fourth']);
    my $id = $four[0]{params}{eventId} =~ s/\.1$//r;

    said(@four, change($four[0], 'edit', "$id.e", 'FIRST'));
    is(says(web => change($four[1], 'delete', "$id.d"))->{status}, 200);
    said(change($four[3], 'edit', "$id.f", 'last'));

    my $turn = next_of($stream);

    is(words($turn), 'FIRST third last', 'the new text, at the old place');
    is_deeply($turn->{params}{merged}, ["$id.1", "$id.3", "$id.4"]);
    is($turn->{params}{eventId}, "$id.4", 'new to its reader');
    is($turn->{params}{attention}{reason}, 'direct_message', 'not as an edit');
    ok(!exists $turn->{params}{change});

    unlike(tool(fay => 'chat.list_events', $_)->{body}, qr/secret|fourth/)
        for {}, { conversation => { id => $four[0]{params}{conversation}{id} } };
    is_deeply(listed(tool(fay => 'chat.list_events')), ["$id.4"]);

    my $done = tool(fay => 'chat.react', { inReplyTo => "$id.e",
                                           signal => 'done' });
    is(structured($done)->{disposition}, 'responded',
       'a reference to the edit finds the turn') or diag($done->{body});

    my @gone = pieces(fay => ['all gone']);
    my ($next) = pieces(fay => ['next']);

    said(@gone, change($gone[0], 'delete', 'gone.d'), $next);
    is(words(next_of($stream)), 'next', 'nothing is left: no event');

    my ($first, $second) = pieces(fay => ['one', 'two']);

    said($first, $second, change($second, 'delete', 'two.d'));
    $turn = next_of($stream);
    is(words($turn), 'one');
    is($turn->{params}{eventId}, $first->{params}{eventId},
       'the newest fragment that is left');
    $stream->leave;
};

subtest 'C2A-09 C2A-25: an edit of a fragment of an offered turn' => sub {
    my $stream = mailbox('gus');
    my ($one, $two) = pieces(gus => ['the old', 'words']);

    said($one, $two);

    my $turn = next_of($stream);

    is(words($turn), 'the old words');
    is(says(web => change($one, 'edit', 'edit.1', 'the new'))->{status}, 200);

    my %got;

    for (1 .. 2) {
        my $next = next_of($stream);

        $got{$next->{method}} = $next;
    }

    is($got{'notifications/cancelled'}{params}{requestId}, $turn->{id},
       'the offer is cancelled');

    my $again = $got{'chat/deliver'};

    is($again->{params}{eventId}, 'edit.1', 'the turn has the id of the edit');
    is(words($again), 'the new words');
    is($again->{params}{attention}{reason}, 'edited_before_response');
    is_deeply($again->{params}{merged}, [map { $_->{params}{eventId} } $one, $two]);
    is_deeply(listed(tool(gus => 'chat.list_events')), ['edit.1']);
    unlike(tool(gus => 'chat.list_events')->{body}, qr/the old/);

    my $done = tool(gus => 'chat.react', {
        inReplyTo => $two->{params}{eventId}, signal => 'done' });

    is(structured($done)->{disposition}, 'responded') or diag($done->{body});

    is(says(web => change($two, 'edit', 'edit.2', 'late'))->{status}, 200);

    my $late = next_of($stream);

    is($late->{params}{eventId}, 'edit.2');
    is($late->{params}{injection}{mode}, 'notify', 'after the answer: a knock');
    is($late->{params}{attention}{reason}, 'edited_after_response');
    is($late->{params}{attention}{policy}, 'may_respond');
    $stream->leave;
};

subtest 'C2A-09 C2A-25: a deletion of a fragment of an offered turn' => sub {
    my $stream = mailbox('hal');
    my @three = pieces(hal => ['keep', 'secret octets', 'this']);

    said(@three);

    my $turn = next_of($stream);

    is(words($turn), 'keep secret octets this');
    acks(hal => $turn->{id});
    is(says(web => change($three[1], 'delete', 'del.1'))->{status}, 200);
    unlike(tool(hal => 'chat.list_events', { limit => 100, %$_ })->{body},
           qr/secret/, 'gone with the answer')
        for {}, { eventId => $three[2]{params}{eventId} },
            { conversation => { id => $three[0]{params}{conversation}{id} } };

    my $again = next_of($stream, sub { $_[0]{method} eq 'chat/deliver' });

    is($again->{params}{eventId}, 'del.1');
    is(words($again), 'keep this');
    is_deeply($again->{params}{merged},
              [map { $three[$_]{params}{eventId} } 0, 2]);
    is($again->{params}{attention}{policy}, 'must_respond', 'still open');
    is($again->{params}{attention}{reason}, 'fragment_deleted');
    $stream->leave;

    my $resumed = mailbox('hal');

    is(words(next_of($resumed)), 'keep this', 'a new stream has no more');
    $resumed->leave;

    # the jobs of an author in a thread are done in their order

    my $end = to('agent:hal', conversation => $three[0]{params}{conversation},
                 id => 'del.end', text => 'the end');

    said(change($three[0], 'delete', 'del.2'),
         change($three[2], 'delete', 'del.3'), $end);
    $resumed = mailbox('hal');
    ok(next_of($resumed, about('del.end')), 'the end came');
    is_deeply(listed(tool(hal => 'chat.list_events')), ['del.end'],
              'nothing else is left');
    $resumed->leave;
};

subtest 'C2A-09 C2A-25: deletions of a whole turn, at once' => sub {
    my @three = pieces(quin => [map { "secret $_" } 1 .. 3]);
    my $first = $three[0]{params}{conversation};
    my $stream = mailbox('quin');

    $three[1]{params}{target} = { recipient => 'agent:ray' };
    said(@three);

    my $turn = next_of($stream);
    my $other = mailbox('ray');

    is(words($turn), 'secret 1 secret 2 secret 3', 'both readers');
    is(words(next_of($other)), words($turn));

    my $i = 0;

    said(map { change($_, 'delete', 'all.' . ++$i) } @three);
    $_->leave for $stream, $other;

    # the jobs of an author in a thread are done in their order

    my $end = to('agent:quin', conversation => $first, id => 'all.end',
                 text => 'the end', params => { target => {
                     recipient => 'agent:quin', mentions => ['agent:ray'] } });

    said($end);

    for my $who (qw(quin ray)) {
        my $again = mailbox($who);

        ok(next_of($again, about('all.end')), "the end came to $who");
        my $list = tool($who => 'chat.list_events', { limit => 100 });

        is_deeply(listed($list), ['all.end'], 'nothing else is left');
        unlike($list->{body}, qr/secret/, 'no text');
        $again->leave;
    }
};

subtest 'C2A-09 C2A-25: a deletion after the escalation' => sub {
    my $where = { id => 'LEE', kind => 'channel' };

    members(web => $where, add => ['agent:lee', 'agent:sam']);

    my $lee = mailbox('lee');
    my @two = map { event(conversation => $where, id => "up$_",
                          text => "secret $_", params => {
                        target => { mentions => ['agent:sam'] },
                        attention => { deadlineMs => 6000 } }) } 1, 2;

    said(@two);

    my $up = next_of($lee, about('up2:escalated:1'));

    is(words($up), 'secret 1 secret 2', 'the lead has the turn');
    is_deeply($up->{params}{merged}, [qw(up1 up2)]);
    said(change($two[1], 'delete', 'up.d'));
    unlike(tool(lee => 'chat.list_events', { limit => 100, %$_ })->{body},
           qr/secret 2/, 'the text is gone')
        for {}, { eventId => 'up2:escalated:1' }, { conversation => $where };

    my $again = next_of($lee, sub { ($_[0]{params}{eventId} // '')
                                    =~ /^up\.d:escalated:1$/ });

    is(words($again), 'secret 1', 'the rest goes up at once');
    $lee->leave;

    my $done = tool(lee => 'chat.react', {
        inReplyTo => 'up.d:escalated:1', signal => 'done' });

    is(structured($done)->{disposition}, 'responded') or diag($done->{body});
};

subtest 'C2A-09: an edit of a message that was in no turn' => sub {
    my $where = { id => 'OLD', kind => 'channel' };
    my $stream = mailbox('kim');
    my @plain = map { event(conversation => $where, id => "old$_",
                            text => "plain $_") } 1 .. 3;

    said(@plain, change($plain[0], 'edit', 'old.e1', 'edited'));

    my $edit = change($plain[1], 'edit', 'old.e2', 'asks now');

    $edit->{params}{target} = { mentions => ['agent:kim'] };
    said($edit);

    my $turn = next_of($stream);

    like(words($turn), qr/asks now/, 'an edit begins a turn');
    is(scalar(grep { $_ eq 'old2' } @{ $turn->{params}{merged} // [] }), 1);
    is_deeply(listed(tool(kim => 'chat.list_events')),
              [$turn->{params}{eventId}], 'one event');
    acks(kim => $turn->{id});
    $stream->leave;
};

subtest 'C2A-09: an author that no principal lists' => sub {
    my $stream = mailbox('tia');
    my ($one, $two) = pieces(tia => [qw(by pat)], author => 'pat');

    typing($one, 1);
    said($one);
    is($stream->event(2), undef, 'held');
    said($two);
    typing($one, 0);

    my $turn = next_of($stream);

    is(words($turn), 'by pat');
    is($turn->{params}{author}{id}, 'web.main.pat');
    $stream->leave;
};

subtest 'C2A-09: a URL, and a call that waits, get the turn' => sub {
    my $from = $peer->count;

    said(pieces(uma => [qw(to the url)]));

    my $until = time + 20;

    sleep 0.1 while $peer->count == $from && time < $until;

    my @got = map { from_json($_->{body}) } ($peer->requests)[$from .. $peer->count - 1];

    is(words($got[0]), 'to the url');
    is(scalar @{ $got[0]{params}{merged} }, 3);

    said(pieces(vic => [qw(for a waiting call)]));

    my $answer = tool(vic => 'chat.list_events', { waitMs => 20000 });

    is_deeply([map { $_->{text} }
                   @{ structured($answer)->{events}[-1]{event}{content} }],
              [qw(for a waiting call)]) or diag($answer->{body});
};

subtest 'C2A-09: authors, threads and conversations do not mix' => sub {
    my $stream = mailbox('ida');
    my @mine = pieces(ida => ['a', 'b']);
    my @other = pieces(ida => ['x', 'y']);
    my %channel = (conversation => { id => 'CH', kind => 'channel' },
                   params => { target => { mentions => ['agent:ida'] } });
    my $one = event(%channel, id => 'ch1', text => 'p');
    my $two = event(%channel, id => 'ch2', text => 'q', author => 'amy');
    my $three = event(%channel, id => 'ch3', text => 'r');
    my $thread = event(%channel, id => 'ch4', text => 's', conversation => {
        id => 'CH', kind => 'channel', threadId => 'T1' });
    my $plain = event(id => 'ch5', text => 't',
                      conversation => $channel{conversation});

    said($mine[0], $other[0], $one, $two, $three, $thread, $plain, $mine[1],
         $other[1]);

    my %got = map { my $turn = next_of($stream);
                    $turn->{params}{eventId} => words($turn) } 1 .. 5;

    is_deeply(\%got, { $mine[1]{params}{eventId} => 'a b',
                       $other[1]{params}{eventId} => 'x y', ch2 => 'q',
                       ch4 => 's', ch5 => 'p r t' },
              'a later message belongs to the turn, addressed or not')
        or diag(explain(\%got));
    $stream->leave;
};

subtest 'C2A-07 C2A-09: only buffered messages of people wait' => sub {
    my $stream = mailbox('jo');
    my $where = { id => 'JO', kind => 'channel' };

    members(web => $where, add => ['agent:jo', 'human:amy']);
    my $uri = '/chat?conversation=web/main/JO';
    my %open = map { $_ => listen_to($_, uri => $uri) } qw(jo amy web);

    my %mention = (conversation => $where,
                   params => { target => { mentions => ['agent:jo'] } });
    my $wait = event(%mention, id => 'jo1', text => 'waits');
    my %urgent = (%mention, params => {
        %{ $mention{params} }, attention => { priority => 'urgent' } });
    my $now = event(%urgent, id => 'jo2', text => 'now');
    my $last = event(%mention, id => 'jo4', text => 'and goes on');
    my $agent = event(%mention, id => 'jo3', author => 'bot', kind => 'agent',
                      text => 'from an agent');

    said($wait, $now, $agent, $last);

    my @got = map { next_of($stream) } 1 .. 3;

    is_deeply([map { $_->{params}{eventId} } @got], [qw(jo2 jo3 jo4)],
              'an urgent message and one of an agent do not wait');
    is(words($got[2]), 'waits and goes on', 'each content comes once');
    said(event(%urgent, id => 'jo6'));
    for (['jo', 2, 3, 6], ['amy', 1 .. 4, 6], ['web', 1 .. 4, 6]) {
        my ($who, @wanted) = @$_;
        my @ids = map { from_json($_->{data})->{params}{eventId} }
                  $open{$who}->events(scalar @wanted);

        is_deeply([sort @ids], [map { "jo$_" } @wanted],
                  "$who: pieces of a turn, but none for the agent");
    }

    $_->leave for $stream, values %open;

    my $second = mailbox('kim');

    said(event(conversation => $where, id => 'jo5', text => 'two',
               params => { target => { mentions => ['agent:lou',
                                                    'agent:kim'] } }));

    my $knock = next_of($second);

    is($knock->{params}{injection}{mode}, 'notify');
    is($knock->{params}{eventId}, 'jo5', 'a knock does not wait');
    $second->leave;

    my $first = mailbox('lou');

    is(words(next_of($first)), 'two');
    $first->leave;
};

subtest 'C2A-09 C2A-22: the deadline counts from the first acceptance' => sub {
    my $stream = mailbox('max');
    my $lee = mailbox('lee');
    my ($one, $two) = pieces(max => ['first', 'second'], params => {
        target => { recipient => 'agent:max' },
        attention => { deadlineMs => 8000 } });
    my $begun = time;

    said($one);
    sleep 0.5;
    said($two);

    my $turn = next_of($stream);

    cmp_ok($turn->{params}{attention}{deadlineMs}, '<=', 7100, 'what is left');
    cmp_ok($turn->{params}{attention}{deadlineMs}, '>', 1000);

    my $up = next_of($lee, about("$two->{params}{eventId}:escalated:1"));

    cmp_ok(time - $begun, '>', 7.5, 'up at the deadline');
    is($up->{params}{escalatedFrom}, 'agent:max');
    $_->leave for $stream, $lee;

    my ($short) = pieces(max => ['short'], params => {
        target => { recipient => 'agent:max' },
        attention => { deadlineMs => 1600 } });

    $stream = mailbox('max');
    said($short);
    $turn = next_of($stream, about($short->{params}{eventId}));
    cmp_ok($turn->{params}{attention}{deadlineMs}, '>=', 400,
           'no turn waits longer than a quarter of its deadline');
    $stream->leave;
};

subtest 'C2A-09: an answer before the offer' => sub {
    my ($one) = pieces(ned => ['question']);
    my ($two) = pieces(ned => ['another']);
    my $stream = mailbox('ned');

    said($one);

    my $done = tool(ned => 'chat.react', {
        inReplyTo => $one->{params}{eventId}, signal => 'done' });

    is(structured($done)->{disposition}, 'responded') or diag($done->{body});
    said($two);
    is(next_of($stream)->{params}{eventId}, $two->{params}{eventId},
       'an answered message is not offered');
    $stream->leave;
};

subtest 'C2A-09 C2A-21: killed workers and a reload lose no fragment' => sub {
    my $stream;

    for my $how (qw(kill reload)) {
        my ($one, $two) = pieces(oda => ["before $how", 'after']);

        typing($one, 1);
        said($one);

        if ($how eq 'kill') {
            kill KILL => workers();

        } else {
            $nginx->reload;
        }

        my $until = time + 20;
        my $said;

        while (time < $until) {
            $said = eval { says(web => $two) };
            last if $said && $said->{status} == 200;
            sleep 0.2;
        }

        is($said->{status}, 200, 'accepted again');
        eval { typing($two, 0) };

        $stream = mailbox('oda');

        my ($text, $turn) = ('');

        while ($text !~ /after$/) {
            $turn = next_of($stream) or last;
            $text .= ($text eq '' ? '' : ' ') . words($turn);
            acks(oda => $turn->{id});
        }

        is($text, "before $how after", $how);
        $stream->leave;
    }
};

subtest 'C2A-09: quiet=0 turns turns off' => sub {
    my ($waiting) = pieces(pam => ['before the reload']);

    typing($waiting, 1);
    said($waiting);
    $nginx->reload(http => http('quiet=0'));

    my $stream = mailbox('pam');

    is(words(next_of($stream)), 'before the reload', 'a job is left');

    my @two = pieces(pam => [qw(one two)]);

    said(@two);
    is(next_of($stream)->{params}{eventId}, $_->{params}{eventId}) for @two;
    is(typing($two[0], 1)->{status}, 202, 'typing has no effect');
    $stream->leave;
};


$nginx->stop;
$peer->stop;
done_testing();
