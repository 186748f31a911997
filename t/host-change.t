# Changes of messages at a host of chat (parley_host): a deleted text is in no
# answer, and an edit takes the place of its message.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'lee' } }
         qw(ada bo cy dee eve fay gus)),
    { sub => 'lee', handle => '~lee', c2a => 'agent:lee',
      accounts => ['web/main/lee'] },
    (map { { sub => $_, handle => "~$_", c2a => "human:$_",
             accounts => ["web/main/$_"] } } qw(will amy)),
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main', 'web/two'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:4m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on; parley_host c2a quiet=0 keepalive=20s; }
EOT

my $n = 0;


# Returns a change of an event: kind, new id, and members of params.
sub change {
    my ($event, $kind, %o) = @_;

    my $params = $event->{params};
    my %params = (%$params, eventId => $o{id} // 'change-' . ++$n,
                  change => { of => $params->{eventId}, kind => $kind },
                  content => [{ type => 'text', text => $o{text} // 'new' }],
                  %{ $o{params} // {} });

    delete $params{content} if $kind eq 'delete' && !defined $o{text};

    return { %$event, id => 'call-' . $params{eventId}, params => \%params };
}

# Returns the next message of a stream that a test accepts.
sub next_of {
    my ($stream, $wanted) = @_;

    while (my $event = $stream->event(30)) {
        my $json = from_json($event->{data});

        return $json if $wanted->($json);
    }

    return undef;
}

sub about { my $id = shift; return sub { ($_[0]{params}{eventId} // '') eq $id } }

sub cancels {
    my $request = shift;

    return sub { $_[0]{method} eq 'notifications/cancelled'
                 && $_[0]{params}{requestId} eq $request };
}

sub refused { return [@{ error($_[0]) }[0, 2, 3]] }

subtest 'C2A-25: a change that is not one of its message is refused' => sub {
    my $event = to('agent:ada', id => 'mine');
    my $other = with($event, 'params/author/id' => 'amy');

    said($event);
    is_deeply(refused(says(web => change($event, 'delete', params => {
                  author => { id => 'amy', kind => 'human' } }))),
              [409, 'reply-unmatched', '/params/change/of'], 'another author');
    is_deeply(refused(says(web => change($event, 'edit', params => {
                  source => { platform => 'web', workspaceId => 'two' } }))),
              [409, 'reply-unmatched', '/params/change/of'], 'another source');
    is_deeply(refused(says(web => change($event, 'delete', params => {
                  change => { of => 'none', kind => 'delete' } }))),
              [409, 'reply-unmatched', '/params/change/of'], 'unknown');
    is_deeply(refused(says(web => change($event, 'delete', params => {
                  change => { of => 'mine:reminder', kind => 'delete' } }))),
              [409, 'reply-unmatched', '/params/change/of'],
              'a form of the host');
    is_deeply(refused(says(web => change($event, 'delete', id => 'self', params => {
                  change => { of => 'self', kind => 'delete' } }))),
              [400, 'field-invalid', '/params/change/of'], 'of itself');
    is_deeply(refused(says(web => change($event, 'edit', params => {
                  reaction => { of => 'mine', signal => 'agree' } }))),
              [400, 'field-invalid', '/params/reaction'],
              'change and reaction');
    is_deeply(refused(says(web => change($event, 'edit', params => {
                  conversation => { id => 'D9', kind => 'dm' } }))),
              [400, 'field-invalid', '/params/conversation'],
              'in another conversation');
    is_deeply(refused(says(web => change($event, 'delete', text => 'words'))),
              [400, 'field-invalid', '/params/content'],
              'a deletion with content');
    is_deeply(refused(says(web => change($event, 'edit', params => {
                  change => { of => 'mine', kind => 'else' } }))),
              [400, 'field-invalid', '/params/change/kind'], 'another kind');

    said(event(id => 'nod', conversation => $event->{params}{conversation},
               params => { reaction => { of => 'mine', signal => 'agree' } }));
    is_deeply(refused(says(web => change($event, 'edit', params => {
                  change => { of => 'nod', kind => 'edit' } }))),
              [400, 'field-invalid', '/params/change/of'], 'edit of a reaction');

    said(change($event, 'edit', id => 'mine2'));
    is_deeply(refused(says(web => change($event, 'edit', params => {
                  change => { of => 'mine2', kind => 'edit' } }))),
              [400, 'field-invalid', '/params/change/of'], 'of an edit');

    my $late = to('agent:bo', id => 'late');

    is_deeply(refused(says(web => change($late, 'delete', id => 'early'))),
              [409, 'reply-unmatched', '/params/change/of'],
              'a delete before its message');
    said($late);
    is(says(web => change($late, 'delete', id => 'early'))->{status}, 200,
       'comes again after it');
    is_deeply(refused(says(web => change($late, 'delete', id => 'twice'))),
              [409, 'reply-unmatched', '/params/change/of'], 'a second one');
};


subtest 'C2A-25: a deleted message is in no answer' => sub {
    my $secret = 'octets of the secret';
    my %where = (conversation => { id => 'C1', kind => 'channel' });
    my $event = event(%where, id => 'd1', text => $secret,
                      params => { target => { mentions => ['agent:cy',
                                                           'agent:dee'] } });
    members(web => $where{conversation}, add => ['agent:cy', 'agent:dee',
                                                 'human:amy']);
    said(event(%where, id => 'd0'), $event);

    my $stream = mailbox('cy');
    my $first = $stream->event(30);
    my $offer = from_json($first->{data});

    is($offer->{params}{content}[0]{text}, $secret);
    acks(cy => $offer->{id});

    my $claim = tool(dee => 'chat.list_events', { eventId => 'd1' });
    like($claim->{body}, qr/\Q$secret\E/, 'a knock can be read');

    my $delete = change($event, 'delete', id => 'd1-gone');
    my $answer = says(web => $delete);

    is($answer->{status}, 200) or diag($answer->{body});
    is_deeply($answer->{json}{result},
              { accepted => true, eventId => 'd1-gone', addressed => [] });

    ok(next_of($stream, cancels($offer->{id})), 'the open offer is cancelled');
    $stream->leave;

    my %answers = (
        event => tool(cy => 'chat.list_events', { eventId => 'd1' }),
        list => tool(cy => 'chat.list_events'),
        'list of dee' => tool(dee => 'chat.list_events'),
        conversation => tool(amy => 'chat.list_events', {
            conversation => { id => 'C1' } }),
        thread => tool(amy => 'chat.read_thread', { target => { id => 'C1' } }),
        claim => tool(dee => 'chat.claim', { inReplyTo => 'd1' }),
        again => says(web => $event),
        'other call' => says(web => { %$event, id => 'another' }),
        'delete again' => says(web => $delete),
        'delete in another call' => says(web => { %$delete, id => 'b' }),
    );

    unlike($answers{$_}{body}, qr/\Q$secret\E/, $_) for sort keys %answers;

    is($answers{$_}{status}, 200, $_) for 'again', 'other call',
        'delete again', 'delete in another call';
    is(structured($answers{claim})->{code}, 'reply-unmatched', 'not answerable');
    is_deeply(listed($answers{conversation}), ['d0', 'd1-gone'],
              'the conversation has the deletion');
    is_deeply(structured($answers{conversation})->{events}[1]{event}{change},
              { of => 'd1', kind => 'delete' });

    said(to('agent:cy', id => 'after', text => 'the end'));

    for ([], ['Last-Event-ID' => $first->{id}], ['Last-Event-ID' => '']) {
        my $again = mailbox('cy', headers => $_);

        is(from_json($again->event(30)->{data})->{params}{eventId}, 'after',
           "the stream does not have it: @$_");
        $again->leave;
    }

    my $watch = listen_to('amy', uri => '/chat?conversation=web/main/C1',
                          last => structured($answers{conversation})
                                  ->{events}[0]{place});

    said(event(%where, id => 'last', text => 'the end'));

    my @seen;

    while (my $got = $watch->event(30)) {
        unlike($got->{data}, qr/\Q$secret\E/);
        push @seen, from_json($got->{data})->{params}{eventId};
        last if $seen[-1] eq 'last';
    }

    is_deeply(\@seen, ['d1-gone', 'last'], 'nor has the conversation');
    $watch->leave;
};


subtest 'C2A-25: a deletion ends the obligation, and its reminder' => sub {
    my $event = to('agent:eve', id => 'o1', text => 'forget this',
                   params => { target => { recipient => 'agent:eve' },
                               attention => { deadlineMs => 6000 } });
    my $reader = mailbox('eve');

    said($event);

    my $offer = next_of($reader, about('o1'));

    acks(eve => $offer->{id});
    ok(next_of($reader, about('o1:reminder')), 'reminded');
    is(says(web => change($event, 'delete', id => 'o1-gone'))->{status}, 200);
    ok(next_of($reader, cancels($offer->{id})));

    unlike(tool(eve => 'chat.list_events')->{body}, qr/o1|forget/,
           'the reminder is gone');

    said(to('agent:lee', id => 'mark'));
    sleep 5;
    unlike(tool(lee => 'chat.list_events')->{body}, qr/o1|forget/,
           'nothing went to the lead');
    $reader->leave;
};


subtest 'C2A-25: after it went up, it is gone above, too' => sub {
    my $event = to('agent:fay', id => 'u1', text => 'forget that',
                   params => { target => { recipient => 'agent:fay' },
                               attention => { deadlineMs => 1000 } });
    my $lead = mailbox('lee');

    said($event);

    my $offer = next_of($lead, about('u1:escalated:1'));

    ok($offer, 'the lead has it');
    is(says(web => change($event, 'delete', id => 'u1-gone'))->{status}, 200);
    ok(next_of($lead, cancels($offer->{id})), 'cancelled for the lead');
    unlike(tool($_ => 'chat.list_events')->{body}, qr/u1|forget/, $_)
        for qw(lee fay);
    $lead->leave;
};


subtest 'C2A-25: an edit takes the place of an open message' => sub {
    my $event = to('agent:gus', id => 'e1', text => 'the old words',
                   params => { target => { recipient => 'agent:gus' },
                               attention => { deadlineMs => 60000 } });
    my $reader = mailbox('gus');

    said($event);

    my $offer = next_of($reader, about('e1'));

    acks(gus => $offer->{id});
    sleep 1;

    my $edit = change($event, 'edit', id => 'e2', text => 'the new words',
                      params => { attention => {} });
    my $answer = says(web => $edit);

    is_deeply(addressed($answer), [{ to => 'agent:gus', row => 'dm',
              directedness => 'to_me', policy => 'must_respond',
              mode => 'buffered' }]) or diag($answer->{body});

    my $new = next_of($reader, about('e2'));

    is($new->{params}{content}[0]{text}, 'the new words');
    is_deeply($new->{params}{change}, { of => 'e1', kind => 'edit' });
    is($new->{params}{attention}{reason}, 'edited_before_response');
    is($new->{params}{attention}{policy}, 'must_respond');
    cmp_ok($new->{params}{attention}{deadlineMs}, '<', 59500,
           'the deadline is not set again');
    cmp_ok($new->{params}{attention}{deadlineMs}, '>', 10000);
    ok(next_of($reader, cancels($offer->{id})), 'the old offer is cancelled');

    unlike(tool(gus => 'chat.list_events')->{body}, qr/old words/);
    is_deeply(says(web => { %$edit, id => 'b' })->{json}{result},
              $answer->{json}{result}, 'C2A-21: repeated');

    said(change($event, 'edit', id => 'e3', text => 'the last words'));
    $new = next_of($reader, about('e3'));
    is($new->{params}{attention}{reason}, 'edited_before_response',
       'a second edit');
    is_deeply(listed(tool(gus => 'chat.list_events')), ['e3']);

    my $sent = tool(gus => 'chat.send_message', {
        target => $event->{params}{conversation}, inReplyTo => 'e1',
        idempotencyKey => 'k1', visibility => 'dm', directedness => 'to_me',
        text => 'yes' });

    is(structured($sent)->{disposition}, 'responded',
       'an answer to the old id counts for the edit') or diag($sent->{body});

    $sent = tool(gus => 'chat.send_message', {
        target => $event->{params}{conversation}, inReplyTo => 'e3',
        idempotencyKey => 'k2', visibility => 'dm', directedness => 'to_me',
        text => 'no' });
    is(structured($sent)->{code}, 'message-duplicate', 'which has one slot');

    $answer = says(web => change($event, 'edit', id => 'e4', text => 'too late'));
    is_deeply([@{ addressed($answer)->[0] }{qw(policy mode)}],
              ['may_respond', 'notify'], 'an edit after the answer');

    $new = next_of($reader, about('e4'));
    is($new->{params}{attention}{reason}, 'edited_after_response');
    is($new->{params}{attention}{policy}, 'may_respond');
    ok(!$new->{params}{content}, 'is a knock');
    $reader->leave;
};


subtest 'C2A-25: an edit keeps the deadline of its message' => sub {
    my $event = to('agent:bo', id => 'k1', text => 'until soon',
                   params => { target => { recipient => 'agent:bo' },
                               attention => { deadlineMs => 12000 } });
    my $began = time;
    my $lead = mailbox('lee');

    said($event);
    sleep 6;
    said(change($event, 'edit', id => 'k2', text => 'changed'));

    my $up = next_of($lead, about('k2:escalated:1'));

    ok($up, 'the edit goes up');
    cmp_ok(time - $began, '<', 18, 'at the deadline of the message');
    is($up->{params}{attention}{reason}, 'escalated');
    is($up->{params}{attention}{deadlineMs}, 12000, 'with its whole time');

    said(change($event, 'edit', id => 'k3', text => 'changed again'));
    ok(next_of($lead, cancels($up->{id})), 'cancelled there');
    ok(next_of($lead, about('k3:escalated:1')), 'and comes in its new form');
    unlike(tool(lee => 'chat.list_events')->{body}, qr/k2|changed"/);
    $lead->leave;
};


subtest 'C2A-25: reads show the edit of an ambient message in its own place'
        => sub {
    my %where = (conversation => { id => 'C2', kind => 'channel' });
    my ($one, $two) = map { event(%where, id => "a$_", text => "a$_ old") } 1, 2;

    members(web => $where{conversation}, add => ['human:amy']);
    said($one, $two, change($one, 'edit', id => 'a3', text => 'a1 new'));

    my $list = tool(amy => 'chat.list_events', { conversation => { id => 'C2' } });

    is_deeply(listed($list), [qw(a2 a3)]) or diag($list->{body});
    is_deeply(structured($list)->{events}[1]{event}{change},
              { of => 'a1', kind => 'edit' });
    unlike(tool(amy => 'chat.read_thread', { target => { id => 'C2' } })->{body},
           qr/a1 old/);

    said(change($one, 'delete', id => 'a4'));
    unlike(tool(amy => 'chat.read_thread', { target => { id => 'C2' } })->{body},
           qr/a1 (old|new)/, 'a deletion removes the edit');
};

subtest 'C2A-25: an old record of an event that went up has no text' => sub {
    my $at = { id => 'C-up', kind => 'channel' };

    members(web => $at, add => ['agent:ada', 'agent:lee']);

    for my $kind (qw(delete edit)) {
        my $event = to('agent:ada', id => "up-$kind", conversation => $at,
                       text => 'SECRET words');
        my $up = "up-$kind:escalated:1";
        my $stream = mailbox('lee');

        said($event);
        tool(ada => 'chat.react', { inReplyTo => "up-$kind",
                                    signal => 'declined' });

        my $offer = next_of($stream, about($up));

        $stream->leave;
        is($offer->{params}{content}[0]{text}, 'SECRET words', 'it went up');

        # the change searches the 256 newest records of the mailbox

        said(map { event(conversation => $at, text => 'x', params => {
                       target => { mentions => ['agent:lee'] },
                       attention => { reason => 'thanks' } }) } 1 .. 260);
        is(says(web => change($event, $kind))->{status}, 200, $kind);

        my $listed = tool(lee => 'chat.list_events', { eventId => $up });

        is_deeply(listed($listed), [$up]);

        my $claimed = tool(lee => 'chat.claim', { inReplyTo => $up });

        $stream = mailbox('lee');
        $offer = next_of($stream, about($up));
        $stream->leave;

        unlike($_->{body}, qr/SECRET/) for $listed, $claimed;
        ok(structured($listed)->{events}[0]{event}{knock}, 'it is a knock');

        # a stream does not wait for the state

        unlike(jcs($offer), qr/SECRET/, 'on the stream, too')
            if ($ENV{PARLEY_MODULE} // '') !~ m{/later/};

        tool(lee => 'chat.list_events', {
            ackThrough => structured(tool(lee => 'chat.list_events',
                                          { limit => 100 }))->{cursor} })
            for 1 .. 6;
    }
};

done_testing;
