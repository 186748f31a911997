# The thread window at a host of chat (parley_host): a mention comes with the
# newest messages of its thread.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host qw(:DEFAULT change);
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $url = 'https://127.0.0.1:' . port(2);

my @agents = qw(ada bo cy dee eve fay gus hal ida jo kim lou);

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } @agents),
    { sub => 'uma', handle => '~uma', c2a => 'agent:uma',
      deliver => "$url/uma", speaks => 'c2a' },
    { sub => 'guest', handle => '~guest', c2a => 'agent:guest',
      roles => ['reading'] },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'amy', c2a => 'human:amy', accounts => ['web/main/amy'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

# Returns the http block for a host with these parameters.
sub http {
    my ($words) = @_;

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:8m',
        more => 'parley_retain count=1000 time=1h; parley_deliver /_deliver '
                . 'hosts=127.0.0.1:' . port(2) . ';',
        locations => deliver_location() . "location = /chat { parley_jwt on; "
                     . "parley_host c2a keepalive=20s $words; "
                     . 'parley_allow type=subscribe role=reading '
                     . 'to=bus.web.main.R1; parley_deny type=subscribe; '
                     . 'parley_allow to=**; }');
}

my $nginx = Parley::Nginx->start(workers => 2, http => http('quiet=0'));
my ($n, $at) = (0, undef);

# Begins a channel with members.
sub channel {
    $at = { id => $_[0], kind => 'channel' };
    members(web => $at, add => ["agent:$_[1]"]) if defined $_[1];
}

# Returns a message of the channel.
sub message {
    my ($text, %o) = @_;

    return event(id => 'w' . ++$n, conversation => $at, text => $text, %o);
}

sub mention {
    my ($who, %o) = @_;

    return message('@', %o, params => {
        target => { mentions => ["agent:$who"] }, %{ $o{params} // {} } });
}

sub texts_of { join ' ', map { $_->{content}[0]{text} }
                             @{ $_[0]{context}{window} // [] } }

# Returns the params of the next event of a stream.
sub next_of {
    my ($stream, $id) = @_;

    while (my $event = $stream->event(20)) {
        my $json = from_json($event->{data});

        return $json->{params} if !defined $id || $json->{params}{eventId} eq $id;
    }

    return {};
}

# Returns the event as the mailbox lists it.
sub from_list {
    my ($who, $id) = @_;

    return structured(tool($who => 'chat.list_events',
                           { eventId => $id }))->{events}[0]{event};
}

# Delivers events, and returns the last one as a reader gets it: on its stream,
# after a check that the list has an equal window.
sub got {
    my ($who, @events) = @_;

    my $stream = mailbox($who);

    said(@events);

    my $id = $events[-1]{params}{eventId};
    my $got = next_of($stream, $id);
    my $listed = from_list($who, $id);

    $stream->leave;
    is_deeply($listed->{context}, $got->{context}, 'the list has the same');
    is($listed->{injection}{context}, $got->{injection}{context});

    return $got;
}


subtest 'C2A-05: a mention has the messages before it' => sub {
    channel('C1', 'ada');

    my $event = got(ada => message('one'), message('two', author => 'amy'),
                    mention('ada'));

    is_deeply($event->{context}{window}, [
        { eventId => 'w1', author => { id => 'will', kind => 'human' },
          content => [{ type => 'text', text => 'one' }] },
        { eventId => 'w2', author => { id => 'amy', kind => 'human' },
          content => [{ type => 'text', text => 'two' }] }],
        'the oldest first');
    is($event->{injection}{context}, 'thread_window');
    is($event->{injection}{mode}, 'buffered');
    is_deeply($event->{content}, [{ type => 'text', text => '@' }],
              'apart from the content');

    $event = got(ada => message('three'), mention('ada'));
    is(texts_of($event), 'one two @ three', 'also an earlier mention');

    said(message('later'));
    is(texts_of(from_list('ada', $event->{eventId})), 'one two @ three',
       'and no later message');
};

subtest 'C2A-05: only the messages of its thread' => sub {
    channel('C2', 'bo');

    my @thread = (conversation => { %$at, threadId => 'T1' });
    my $event = got(bo => message('channel'), message('thread', @thread),
                    message('other', conversation => { %$at, threadId => 'T2' }),
                    mention('bo', @thread));

    is(texts_of($event), 'thread');
    is(texts_of(got(bo => mention('bo'))), 'channel',
       'a message without a thread');

    channel('C3', 'bo');
    $event = got(bo => mention('bo'));
    ok(!exists $event->{context} && !exists $event->{injection}{context},
       'the first message has none');
};

subtest 'C2A-05: at most ten messages and 2 KB' => sub {
    channel('C4', 'cy');
    is(texts_of(got(cy => (map { message("$_") } 1 .. 14), mention('cy'))),
       '5 6 7 8 9 10 11 12 13 14', 'the newest ten');

    # the JSON of a content has 27 octets more than its text

    channel('C5', 'cy');
    is(length texts_of(got(cy => message('old'), message('a' x 997),
                           message('b' x 997), mention('cy'))),
       997 + 1 + 997, '2048 octets of content');
    channel('C6', 'cy');
    is(texts_of(got(cy => message('a' x 998), message('b' x 997),
                    mention('cy'))), 'b' x 997, 'an octet more');
    channel('C7', 'cy');

    my $event = got(cy => message('old'), message('c' x 2048), mention('cy'));

    ok(!exists $event->{context} && !exists $event->{injection}{context},
       'the newest message is too long: no window with a hole');
};

subtest 'C2A-10 C2A-29: neither silent events nor the own words' => sub {
    channel('C8', 'dee');

    my $own = tool(dee => 'chat.send_message', {
        target => $at, visibility => 'channel', directedness => 'ambient',
        idempotencyKey => 'own', text => 'own words' });

    ok(structured($own)->{accepted}) or diag($own->{body});

    my $one = message('one');
    my $event = got(dee => $one,
        message('silent', params => { injection => { mode => 'silent' } }),
        message('status', params => { attention => { reason => 'status' } }),
        event(conversation => $at, id => 'w-reaction', params => {
            content => [], reaction => { of => $one->{params}{eventId},
                                         signal => 'agree' } }),
        mention('dee'));

    is(texts_of($event), 'one status');
};

subtest 'C2A-33: only a reader of the conversation' => sub {
    channel('C9');

    my $event = got(eve => message('secret'), mention('eve'));

    is($event->{eventId}, "w$n", 'a mention of a stranger comes');
    ok(!exists $event->{context}, 'without a window');
    is($event->{injection}{context}, undef);

    members(web => $at, add => ['agent:eve']);
    $event = got(eve => mention('eve'));
    is(texts_of($event), 'secret @', 'a member');

    members(web => $at, remove => ['agent:eve']);
    unlike(jcs(from_list('eve', $event->{eventId})), qr/secret|thread_window/,
           'after the removal the same event has none');

    my $stream = mailbox('eve');
    my $again = next_of($stream, $event->{eventId});

    is($again->{eventId}, $event->{eventId}, 'it comes again');
    unlike(jcs($again), qr/secret|thread_window/, 'on a new stream, neither');
    $stream->leave;

    channel('R1');
    $stream = mailbox('guest');
    said(message('secret'), mention('guest'));
    $event = next_of($stream);
    is($event->{eventId}, "w$n");
    ok(!exists $event->{context}, 'on a stream, rules do not count');
    is(texts_of(from_list('guest', "w$n")), 'secret', 'in a list, they count');
    $stream->leave;
};

subtest 'C2A-25: no deleted message, and no old text' => sub {
    channel('C10', 'fay');

    my @three = (message('gone'), message('old'), message('stays'));
    my $event = got(fay => @three, change($three[0], 'delete'),
                    change($three[1], 'edit', 'new'), mention('fay'));

    is(texts_of($event), 'stays new');

    my $stays = change($three[2], 'delete');

    said($stays);
    is(texts_of(from_list('fay', $event->{eventId})), 'new',
       'deleted after the mention was delivered');

    my $stream = mailbox('fay');
    my $again = next_of($stream, $event->{eventId});

    is(texts_of($again), 'new', 'on a new stream, too');
    $stream->leave;

    said(change($three[1], 'edit', 'newest'));
    unlike(tool(fay => 'chat.list_events')->{body}, qr/gone|old|stays|"new"/);
};

subtest 'C2A-05: urgent mentions, mentions of agents, and of humans' => sub {
    channel('C11', 'gus');

    my $event = got(gus => message('one'), mention('gus', params => {
        attention => { priority => 'urgent' } }));

    is($event->{injection}{mode}, 'immediate');
    is(texts_of($event), 'one');

    members(web => $at, add => ['agent:hal']);

    my $stream = mailbox('gus');
    my $sent = tool(hal => 'chat.send_message', {
        target => $at, visibility => 'channel', directedness => 'to_me',
        mentions => ['agent:gus'], idempotencyKey => 'k1', text => 'you' });

    ok(structured($sent)->{accepted}) or diag($sent->{body});
    $event = next_of($stream, structured($sent)->{eventId});
    is(texts_of($event), 'one @', 'a mention by an agent');
    $stream->leave;

    members(web => $at, add => ['human:will']);
    said(my $will = message('for will', author => 'amy', params => {
        target => { mentions => ['human:will'] } }));
    $event = from_list('will', $will->{params}{eventId});
    is($event->{attention}{policy}, 'may_respond');
    is(texts_of($event), 'you', 'his own words are not in it');
};

subtest 'C2A-06: a knock has none' => sub {
    channel('C12', 'ida');
    members(web => $at, add => ['agent:jo']);

    my $stream = mailbox('jo');

    said(message('secret'), message('@', params => {
        target => { mentions => ['agent:ida', 'agent:jo'] } }));

    my $knock = next_of($stream);

    is($knock->{injection}{mode}, 'notify');
    unlike(jcs($knock), qr/secret|window/, 'the second mentioned agent');
    $stream->leave;
};

subtest 'C2A-05: a URL' => sub {
    channel('C13', 'uma');

    said(message('one'), mention('uma'));

    my $until = time + 20;

    sleep 0.1 while $peer->count == 0 && time < $until;

    my $event = from_json($peer->last->{body})->{params};

    is($event->{eventId}, "w$n");
    is(texts_of($event), 'one');
};

subtest 'C2A-05 C2A-09: a turn' => sub {
    $nginx->reload(http => http('quiet=1s'));
    channel('C14', 'kim');

    my $between = message('between', author => 'amy');
    my $stream = mailbox('kim');

    said(message('before', author => 'amy'), mention('kim'), $between,
         message('and'));

    my $event = next_of($stream);

    $stream->leave;
    is_deeply($event->{merged}, ['w' . ($n - 1), "w$n"]);
    is(texts_of($event), 'before between', 'without its own fragments');
    is_deeply(from_list('kim', "w$n")->{context}, $event->{context});
};

subtest 'C2A-05: context=' => sub {
    $nginx->reload(http => http('quiet=0 context=0'));
    channel('C15', 'lou');

    my $event = got(lou => message('one'), mention('lou'));

    is($event->{eventId}, "w$n");
    ok(!exists $event->{context}, '0: none');

    $nginx->reload(http => http('quiet=0 context=64k'));
    is(length texts_of(got(lou => message('a' x 5000), mention('lou'))),
       length('one @ ') + 5000, '64k');
};


$nginx->stop;
$peer->stop;
done_testing();
