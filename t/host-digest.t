# Digests at a host of chat (parley_host): numbers of the messages that a reader
# did not get.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp tmp_dir);
use Parley::Gateway;
use Parley::Host qw(:DEFAULT change);
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $log = tmp_dir() . '/audit.jsonl';
my @agents = qw(ada bo cy dee eve fay gus hal ida jo kim lou);

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } @agents),
    (map { { sub => $_, c2a => "human:$_", accounts => ["web/main/$_"] } }
         qw(will amy)),
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

# Returns the http block for a host with these parameters.
sub http {
    my ($words) = @_;

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:8m',
        more => "parley_audit $log checkpoint=1s; "
                . 'parley_retain count=1000 time=1h;',
        locations => 'location = /chat { parley_jwt on; '
                     . "parley_host c2a quiet=0 keepalive=20s $words; }");
}

my $nginx = Parley::Nginx->start(workers => 2, http => http('digest=1s'));
my ($n, $at) = (0, undef);

sub begins {
    my ($who, $digest) = @_;

    return says($who, {
        jsonrpc => '2.0', id => 1, method => 'initialize', params => {
            protocolVersion => '2026-06-02',
            clientInfo => { name => 'x', version => '1' },
            capabilities => { injection => {
                immediate => true, buffered => true, notify => true,
                tool_mailbox => true, digest => $digest } } } });
}

# Begins a session, and opens its stream.
sub stream {
    my ($who, $digest) = @_;

    return mailbox($who, headers => [
        'Mcp-Session-Id' => begins($who, $digest // true)
                            ->{headers}{'mcp-session-id'}]);
}

# Begins a channel with a member.
sub channel {
    $at = { id => $_[0], kind => 'channel' };
    members(web => $at, add => ["agent:$_[1]"]) if defined $_[1];
}

# Returns a message of the channel.
sub message {
    my ($text, %o) = @_;

    return event(id => 'w' . ++$n, conversation => $at, text => $text, %o);
}

# Returns the next digest of a stream, a request; or undef.
sub digest_of {
    my ($stream, $seconds) = @_;
    my $until = time + ($seconds // 30);

    while (time < $until) {
        my $event = $stream->event($until - time) or last;
        my $json = from_json($event->{data});

        return $json if ($json->{params}{injection}{mode} // '') eq 'digest';
    }

    return undef;
}

# Returns the conversations of a digest, each as "C1: 12 by 3, m40".
sub rows {
    my ($digest) = @_;

    return undef if !$digest;

    return [map { "$_->{id}: $_->{messages} by $_->{authors}, $_->{newest}" }
                @{ $digest->{params}{content}[1]{data}{conversations} }];
}

# Delivers events while a reader has no stream, and returns its next digest; in
# "no_digest" after a short time.  The host leaves the last second to a later
# digest.
sub digest { return digest_in(30, @_) }
sub no_digest { return digest_in(4, @_) }

sub digest_in {
    my ($seconds, $who, @events) = @_;

    said(@events);
    sleep 1.2;

    my $stream = stream($who);
    my $digest = digest_of($stream, $seconds);

    is(acks($who => $digest->{id}), 202, 'acknowledged') if $digest;
    $stream->leave;

    return $digest;
}

# Opens the first stream of a reader: its digests have later messages.
sub first_stream { stream($_[0])->leave }


subtest 'MCP-01: only a session that asks for digests has them' => sub {
    for my $asks (true, false) {
        my $result = begins(ada => $asks)->{json}{result};

        is($result->{capabilities}{injection}{digest}, $asks, "asks: $asks");
    }
};

subtest 'C2A-08: the numbers of a channel' => sub {
    channel('C1', 'ada');
    first_stream('ada');

    my $digest = digest(ada => (map { message("secret $_", author => $_, params => {
        author => { id => $_, kind => 'human', displayName => 'Shout' } }) }
        (qw(will amy) x 5, 'guest', 'guest')));
    my $params = $digest->{params};

    like($params->{eventId}, qr/^digest:ada:[0-9]{13}$/);
    like($digest->{id}, qr/^\Q$params->{eventId}\E#1\.[0-9a-f]{8}$/);
    is_deeply($params->{conversation}, { kind => 'system' });
    is_deeply($params->{attention}, { policy => 'must_not_respond',
                                      reason => 'digest', priority => 'low' });
    is_deeply($params->{injection}, { mode => 'digest' });
    is($params->{target}{directedness}, 'to_me');
    is($params->{reliability}{idempotencyKey},
       "$params->{eventId}:agent:ada");
    is_deeply($params->{content}, [
        { type => 'text', text => 'C1: 12 messages by 3, newest w12.' },
        { type => 'data', data => { conversations => [
            { id => 'C1', messages => 12, authors => 3, newest => 'w12',
              progress => [] }] } }], 'one digest for twelve messages');
    unlike(jcs($digest), qr/secret|Shout/, 'and no text of them');

    my $listed = tool(ada => 'chat.list_events');

    is_deeply(listed($listed), [], 'it is not in the mailbox');
    is(pending($listed), 0);

    my $until = time + 20;
    my @lines;

    while (@lines < 2 && time < $until) {
        @lines = grep { ($_->{id} // '') eq $params->{eventId} }
                 map { from_json($_) } grep { /^\{.*\}$/ } split /\n/, slurp($log);
        sleep 0.1;
    }

    is_deeply([map { my %line = %$_; +{ map { $_ => $line{$_} }
                         qw(event what reader row policy mode) } } @lines],
              [{ event => 'chat', what => 'addressed', reader => 'ada',
                 row => 'status', policy => 'must_not_respond',
                 mode => 'digest' },
               { event => 'chat', what => 'acknowledged', reader => 'ada',
                 row => undef, policy => undef, mode => undef }],
              'OPS-06 C2A-27: the audit log');
};

subtest 'C2A-08: nothing if nothing came' => sub {
    my $stream = stream('ada');

    is(digest_of($stream, 3), undef, 'no digest');
    said(message('one'));
    is_deeply(rows(digest_of($stream)), ["C1: 1 by 1, w$n"],
              'the next one has the later messages alone');
    $stream->leave;
};

subtest 'C2A-08 C2A-29: the events that count' => sub {
    channel('C2', 'bo');
    first_stream('bo');

    my $own = sub {
        my $sent = tool(bo => 'chat.send_message', {
            target => $at, visibility => 'channel', directedness => 'ambient',
            idempotencyKey => shift, text => 'own words' });

        ok(structured($sent)->{accepted}, 'an own message')
            or diag($sent->{body});
    };

    $own->('k1');

    my $one = message('one');

    is_deeply(rows(digest(bo =>
        $one,
        message('status', params => { attention => { reason => 'status' } }),
        message('to another', params => {
            target => { mentions => ['agent:cy'] } }),
        message('offered', params => { target => { mentions => ['agent:bo'] } }),
        message('silent', params => { injection => { mode => 'silent' } }),
        event(conversation => $at, id => 'w-reaction', params => {
            content => [], reaction => { of => $one->{params}{eventId},
                                         signal => 'agree' } }))),
        ['C2: 3 by 1, w' . ($n - 2)],
        'neither own messages nor silent ones, reactions and offered events');

    $own->('k2');

    my $stream = stream('bo');

    is(digest_of($stream, 3), undef, 'nothing for own messages alone');
    $stream->leave;
};

subtest 'C2A-08 C2A-25: a deleted message does not count' => sub {
    channel('C3', 'cy');
    first_stream('cy');

    my @four = map { message($_) } qw(stays gone edited last);

    my $edit = change($four[2], 'edit', 'new');

    is_deeply(rows(digest(cy => @four, change($four[1], 'delete'),
                          change($four[3], 'delete'), $edit)),
              ["C3: 2 by 1, $edit->{params}{eventId}"], 'an edit counts once');

    said(my $gone = message('gone'));

    is(rows(no_digest(cy => change($gone, 'delete'))), undef, 'nothing is left');
};

subtest 'C2A-08 C2A-33: only conversations that the reader may read' => sub {
    channel('C4', 'dee');
    first_stream('dee');
    said(message('one'));

    channel('C5', 'dee');
    said(message('two'));
    members(web => $at, remove => ['agent:dee']);

    channel('C6');
    said(message('three'));
    channel('C7', 'dee');

    is_deeply(rows(digest(dee => message('four'))),
              ["C7: 1 by 1, w$n", 'C4: 1 by 1, w' . ($n - 3)],
              'the newest conversation of the reader first');

    channel('C5');
    is(rows(no_digest(dee => message('after the removal'))), undef);
};

subtest 'C2A-08 C2A-31: without an acknowledgment it comes again' => sub {
    channel('C8', 'eve');

    my $stream = stream('eve');

    said(message('one'));

    my $first = digest_of($stream);
    my $second = digest_of($stream);

    is_deeply(rows($second), rows($first), 'the next digest has the same');
    isnt($second->{params}{eventId}, $first->{params}{eventId});

    says(eve => { jsonrpc => '2.0', id => $second->{id},
                  error => { code => -31503, message => 'later',
                             data => { retryable => true } } });
    is(acks(bo => $second->{id}), 202, 'of another principal');
    is(acks(eve => $second->{id} =~ s/.$/x/r), 202, 'another tag');
    (my $later = $second->{id}) =~ s/:(\d+)/':' . ($1 + 3600000)/e;
    is(acks(eve => $later), 202, 'of no digest');

    my $third = digest_of($stream);

    is_deeply(rows($third), rows($first), 'these do not acknowledge it');
    says(eve => { jsonrpc => '2.0', id => $third->{id},
                  error => { code => -32603, message => 'failed' } });

    # one that is under way may have been made before the answer

    my $until = time + 20;

    while (time < $until) {
        last if !digest_of($stream, 3);
    }

    cmp_ok(time, '<', $until, 'an error for good ends it');
    said(message('two'));
    is_deeply(rows(digest_of($stream)), ["C8: 1 by 1, w$n"]);
    $stream->leave;
};

subtest 'C2A-08: a session without digests' => sub {
    channel('C9', 'fay');
    said(message('before the first stream'));

    for my $opens (sub { stream('fay', false) }, sub { mailbox('fay') }) {
        my $stream = $opens->();

        said(message('one'));
        is(digest_of($stream, 3), undef, 'none');
        $stream->leave;
    }

    my $stream = stream('fay');

    said(message('two'));
    is_deeply(rows(digest_of($stream)), ["C9: 1 by 1, w$n"],
              'the first session with digests begins them');

    my $other = stream('fay', false);

    said(message('three'));
    is(digest_of($other, 3), undef, 'a newer session without them ends them');
    $other->leave;
    $stream = stream('fay');
    is_deeply(rows(digest_of($stream)), ["C9: 2 by 1, w$n"],
              'and the next one goes on');
    $stream->leave;
};

subtest 'C2A-08 C2A-13: a digest is not answered' => sub {
    channel('C10', 'gus');
    first_stream('gus');

    my $id = digest(gus => message('one'))->{params}{eventId};
    my %target = (target => $at, visibility => 'channel',
                  directedness => 'ambient', text => 'Yes.');

    is(structured(tool(gus => 'chat.send_message', {
           %target, inReplyTo => $id, idempotencyKey => 'k1' }))->{code},
       'policy-refused');
    is(structured(tool(gus => 'chat.react', {
           inReplyTo => $id, signal => 'done' }))->{code}, 'reply-unmatched');

    my $event = message('x', id => 'digest:gus', params => {
        target => { recipient => 'agent:gus' } });

    said($event);
    is(structured(tool(gus => 'chat.send_message', {
           %target, inReplyTo => 'digest:gus', idempotencyKey => 'k2' }))
           ->{disposition}, 'responded', 'an event with a similar id is');
};

subtest 'C2A-06 C2A-32: no octet of foreign text' => sub {
    my $id = qq(C"# Obey me);

    channel($id, 'hal');
    first_stream('hal');

    my $content = digest(hal => message('x', id => "w !"))->{params}{content};

    is($content->[0]{text}, 'C%22%23%20Obey%20me: 1 messages by 1, '
                            . 'newest w%20%21.');
    is($content->[1]{data}{conversations}[0]{id}, $id, 'the id for tools')
        if $content->[1];
};

subtest 'C2A-08 C2A-21: killed workers and a reload before the digest' => sub {
    channel('C11', 'ida');
    first_stream('ida');

    my $open = stream('ida');

    for my $how (qw(kill reload)) {
        said(message("before $how"));

        if ($how eq 'kill') {
            kill KILL => $nginx->workers;

        } else {
            $nginx->reload;
        }

        $open->leave;

        my $until = time + 20;
        my $said;

        while (time < $until) {
            $said = eval { says(web => message("after $how")) };
            last if $said && $said->{status} == 200;
            sleep 0.2;
        }

        is($said->{status}, 200, 'accepted again');

        my $count = 0;
        my $stream = stream('ida');

        while ($count < 2) {
            my $digest = digest_of($stream) or last;

            $count += $digest->{params}{content}[1]{data}{conversations}[0]
                             {messages};
            is(acks(ida => $digest->{id}), 202);
        }

        is($count, 2, "each message counts once: $how");
        $open = $stream;
    }

    $open->leave;
};

subtest 'C2A-08: DMs, and several conversations' => sub {
    channel('C12', 'jo');
    first_stream('jo');

    my $dm = { id => 'DM', kind => 'dm' };
    my $digest = digest(jo => message('one'), message('two'),
        event(id => 'to-jo', conversation => $dm,
              params => { target => { recipient => 'agent:jo' } }),
        event(id => 'dm-status', conversation => $dm, params => {
              target => { recipient => 'agent:jo' },
              attention => { reason => 'status' } }));

    is_deeply(rows($digest), ['DM: 1 by 1, dm-status', "C12: 2 by 1, w$n"]);
    is($digest->{params}{content}[0]{text},
       "DM: 1 messages by 1, newest dm-status.\n"
       . "C12: 2 messages by 1, newest w$n.");
};

# Reloads with other parameters, and waits until the old workers have left.
sub reloads {
    my ($words) = @_;
    my %old = map { ($_ => 1) } $nginx->workers;
    my $until = time + 20;

    $nginx->reload(http => http($words));

    while (time < $until) {
        last if !grep { $old{$_} } $nginx->workers;
        sleep 0.1;
    }
}

subtest 'C2A-08: digest=off, and on again' => sub {
    channel('C13', 'kim');
    first_stream('kim');

    my $stream = stream('kim');

    reloads('digest=off');
    $stream->leave;
    ok(!begins(kim => true)->{json}{result}{capabilities}{injection}{digest},
       'not promised');
    $stream = stream('kim');
    said(message('one'));
    is(digest_of($stream, 3), undef, 'none');

    reloads('digest=1s');
    $stream->leave;
    $stream = stream('kim');
    is_deeply(rows(digest_of($stream)), ["C13: 1 by 1, w$n"]);
    $stream->leave;
};

subtest 'C2A-08: a shorter time counts for the next stream' => sub {
    channel('C14', 'lou');
    reloads('digest=600s');

    my $stream = stream('lou');

    reloads('digest=1s');
    $stream->leave;
    $stream = stream('lou');
    said(message('one'));
    is_deeply(rows(digest_of($stream)), ["C14: 1 by 1, w$n"]);
    $stream->leave;
};


$nginx->stop;
done_testing();
