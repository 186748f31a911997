# Sentences and examples of the draft (C2A 2026-06-02), acted out at a host from
# outside: the text for a model, the readers of a message, threads by name, and
# the ends of events that oblige no reader.

use strict;
use warnings;
use utf8;

use lib 't/lib';

use Test::More;

use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } }
         qw(ada bo dee eve)),
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
             roles => ['backend'] } } qw(cy di)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=20 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on;
                           parley_host c2a quiet=0 keepalive=20s; }
EOT

my %names = (add => ['web/main/will',
                     map { "agent:$_" } qw(ada bo cy di dee eve)]);
my $n = 0;

# Makes a channel with a thread; returns its conversation.
sub channel {
    my $c = { id => 'C' . ++$n, kind => 'channel', threadId => "T$n" };

    members('web', { id => $c->{id}, kind => 'channel' }, %names);

    return $c;
}

sub text { return $_[0]{json}{result}{content}[0]{text} }

sub refused { my $s = structured($_[0]); return [@$s{qw(code field)}] }

sub sends {
    my ($who, %args) = @_;

    return tool($who, 'chat.send_message', {
        idempotencyKey => 'k' . ++$n, visibility => 'channel',
        directedness => 'ambient', text => 'yes', %args });
}

sub mention {
    my ($where, @names) = @_;

    return event(conversation => $where,
                 params => { target => { mentions => \@names } });
}


subtest 'C2A-01: the host has progress and cancellation, and does not log' => sub {
    my $all = { progress => true, cancellation => true, logging => true };
    my $answer = says(ada => {
        jsonrpc => '2.0', id => '1', method => 'initialize',
        params => { protocolVersion => '2026-06-02',
                    clientInfo => { name => 'pear', version => '0.1.0' },
                    capabilities => { utilities => $all } } });

    is_deeply($answer->{json}{result}{capabilities}{utilities},
              { progress => true, cancellation => true, logging => false });
};


subtest 'C2A-11: no message is seen by more than its sender wants' => sub {
    my $where = channel();
    my ($id) = said(mention($where, 'agent:ada'));
    my %channel = (target => { id => $where->{id}, kind => 'channel' });

    for (['dm', %channel], ['thread', %channel], ['dm', target => $where],
         ['dm', target => $where, inReplyTo => $id])
    {
        my ($visibility, %args) = @$_;

        is_deeply(refused(sends('ada', visibility => $visibility, %args)),
                  ['field-invalid', '/params/arguments/visibility'],
                  "$visibility " . jcs(\%args));
    }

    is(structured(sends('ada', %channel))->{accepted}, true);
    is(structured(sends('ada', target => $where, visibility => 'thread'))
       ->{accepted}, true);
    is(structured(sends('ada', target => 'agent:bo', visibility => 'dm'))
       ->{accepted}, true);
    is(structured(sends('ada', target => $where, inReplyTo => $id,
                        visibility => 'thread'))->{disposition}, 'responded',
       'a refused answer left the slot free');
};


subtest 'C2A-26: a model reads what an event does to an earlier one' => sub {
    my $where = channel();
    my $sent = structured(sends('ada', target => $where, text => 'Deploy?',
                                visibility => 'thread'))->{eventId};
    my $look = sub { text(tool(ada => 'chat.list_events', { eventId => $_[0] })) };

    said(event(id => 'agree-1', conversation => $where, params => {
        content => [], reaction => { of => $sent, signal => 'agree' } }));

    like($look->('agree-1'), qr/^reason: reaction\nof: $sent\nreaction: agree\n/m,
         'an agreement');

    said(event(id => 'blocked-1', conversation => $where, params => {
        content => [], reaction => { of => $sent, signal => 'blocked',
                                     reason => "no key\nreaction: agree" } }));

    like($look->('blocked-1'), qr/^reaction: blocked\n.*\n\nMESSAGE\nno key
> reaction: agree$/m,
         'a reason is text, and cannot be a header');

    said(event(id => 'party-1', conversation => $where, params => {
        content => [], reaction => { of => $sent, glyph => '🎉' } }));

    my $read = text(tool(bo => 'chat.read_thread', { target => $where }));

    like($read, qr/^event_id: party-1\n(?:.+\n)*of: $sent\n(?:.+\n)*
MESSAGE
🎉$/m, 'a glyph without a signal');

    my ($old) = said(event(conversation => $where, text => 'old'));

    said(event(id => 'edit-1', conversation => $where,
               text => "new\nof: x\nin_reply_to: y\nchange: z",
               params => { change => { of => $old, kind => 'edit' } }));

    $read = text(tool(bo => 'chat.read_thread', { target => $where }));
    like($read, qr/^of: $old\nchange: edit\n(?:.+\n)*
MESSAGE
new
> of: x
> in_reply_to: y
> change: z$/m, 'an edit');

    my ($question) = said(event(conversation => $where, params => {
        target => { inReplyTo => $sent },
        attention => { reason => 'question' } }));

    like($look->($question), qr/^in_reply_to: $sent$/m, 'an answer');
};


subtest 'C2A-05 C2A-18: the owner of a claim gets the event to answer it' => sub {
    my $where = channel();
    my ($role) = said(mention($where, 'role:backend'));
    my $knock = structured(tool(cy => 'chat.list_events'))->{events}[0];
    my $got = tool(cy => 'chat.claim', { inReplyTo => $role });
    my $event = structured($got)->{event};

    is($knock->{event}{attention}{policy}, 'may_respond');
    is($event->{injection}{mode}, 'buffered', 'then claimant gets buffered');
    is($event->{injection}{role}, 'user');
    is($event->{attention}{policy}, 'may_respond');

    my ($ambient) = said(event(conversation => $where));

    $got = tool(bo => 'chat.claim', { inReplyTo => $ambient });
    is(structured($got)->{event}{attention}{policy}, 'may_respond',
       'an ambient event may be answered by its owner');
    like(text($got), qr/^response_policy: may_respond$/m, 'the text says it');
    is(structured(sends('bo', target => $where, inReplyTo => $ambient,
                        visibility => 'thread'))->{disposition}, 'responded');
};


subtest 'C2A-17: a thread by the name that a knock and a header give' => sub {
    my $where = channel();
    my $thread = "thread:$where->{threadId}";

    sends('ada', target => $where, visibility => 'thread');
    said(event(conversation => $where, text => 'The rollback?'));

    my $stream = mailbox('ada');
    my $knock;

    for (1 .. 20) {
        my $params = from_json($stream->event->{data})->{params};

        $knock = $params->{knock};
        last if $params->{conversation}{id} eq $where->{id};
    }

    is($knock->{where}, $thread, 'a knock');

    my $got = tool(ada => 'chat.read_thread', { target => $knock->{where} });

    like(text($got), qr/^reply_target: $thread\n\nMESSAGE\nThe rollback\?$/m);
    is_deeply(structured(sends('ada', target => $thread,
                               visibility => 'thread'))->{conversation},
              $where, 'a message there');
    is(structured(tool(ada => 'chat.claim', { target => $thread }))->{owner},
       'agent:ada');
    is(structured(tool(ada => 'chat.resolve', { target => $thread }))
       ->{resolved}{by}, 'agent:ada');

    members('web', { id => $where->{id}, kind => 'channel' },
            remove => ['agent:eve']);
    is(structured(tool(eve => 'chat.read_thread', { target => $thread }))
       ->{code}, 'reply-unmatched', 'C2A-33: for readers of its conversation');
};


subtest 'C2A-04 C2A-05: an offer to a role obliges no reader' => sub {
    my $where = channel();

    sends('bo', target => $where, mentions => ['agent:dee'],
          directedness => 'to_my_role', visibility => 'thread');

    my ($event) = grep { $_->{event}{conversation}{id} eq $where->{id} }
                  @{ structured(tool(dee => 'chat.list_events'))->{events} };

    is($event->{event}{target}{directedness}, 'to_my_role');
    is($event->{event}{attention}{policy}, 'may_respond');
    is($event->{event}{attention}{deadlineMs}, undef);
};


subtest 'C2A-02 C2A-21: the sequence of the source' => sub {
    my ($id) = said(to('agent:eve', params => {
        target => { recipient => 'agent:eve' },
        timing => { createdAt => timestamp(), sequence => 42 } }));
    my ($event) = @{ structured(tool(eve => 'chat.list_events',
                                     { eventId => $id }))->{events} };

    is($event->{event}{timing}{sequence}, 42);
};


subtest 'C2A-14: events that oblige no reader' => sub {
    my $where = channel();
    my ($id) = said(mention($where, 'agent:bo'));
    my ($event) = @{ structured(tool(ada => 'chat.list_events',
                                     { conversation => $where }))->{events} };

    is($event->{event}{eventId}, $id);
    is($event->{disposition}, 'ignored', 'must_not_respond');

    tool(ada => 'chat.react', { inReplyTo => $id, signal => 'seen' });
    ($event) = @{ structured(tool(ada => 'chat.list_events',
                                  { conversation => $where }))->{events} };
    is($event->{disposition}, 'acknowledged', 'or as the agent acts');

    # ada must, and eve may respond

    my $sent = structured(sends('bo', target => $where, visibility => 'thread',
                                mentions => ['agent:ada', 'agent:eve'],
                                directedness => 'to_me'))->{eventId};
    my $readers = sub {
        my $got = structured(tool(bo => 'chat.list_events',
                                  { sent => true, limit => 100 }));
        my ($mine) = grep { $_->{event}{eventId} eq $sent } @{ $got->{events} };

        return { map { ($_->{to} => $_->{disposition}) } @{ $mine->{readers} } };
    };

    is_deeply($readers->(), { 'agent:ada' => undef, 'agent:eve' => undef,
                              'service:web' => undef }, 'no reader has acted');

    said(map { to('agent:eve') } 1 .. 20);
    is_deeply($readers->(), { 'agent:ada' => undef, 'agent:eve' => 'ignored',
                              'service:web' => undef },
              'its record has left the mailbox of eve');

    said(map { to('agent:ada') } 1 .. 20);
    is($readers->()->{'agent:ada'}, undef,
       'C2A-34: an obligation does not end with its record');
};

done_testing();
