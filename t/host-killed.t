# Workers that are killed at any moment, reloads, a new zone, and the flood of one
# author at a host of chat (parley_host): no accepted event is lost or doubled,
# and no obligation of another author ends early.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'lee',
             roles => ['crew'] } } qw(ada bo cy)),
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } qw(lee spam)),
    { sub => 'fay', handle => '~fay', c2a => 'agent:fay', parent => 'lee' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

sub conf {
    my ($retain) = @_;

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:8m',
        more => "parley_retain $retain;",
        locations => 'location = /chat { parley_jwt on; parley_host c2a '
                     . 'keepalive=20s quiet=0; }');
}

my $nginx = Parley::Nginx->start(workers => 2,
                                 http => conf('count=1000 time=1h'));
my $client = Parley::Client->new(port => port(1), tls => 0);
my $k = 0;


sub workers {
    my $pid = $nginx->pid;

    return split ' ', slurp("/proc/$pid/task/$pid/children");
}

sub begin {
    my ($who, $doc) = @_;

    return $client->begin('/chat', jcs($doc), Authorization => bearer($who));
}

sub call {
    my ($name, %args) = @_;

    return { jsonrpc => '2.0', id => 'c' . ++$k, method => 'tools/call',
             params => { name => "chat.$name", arguments => \%args } };
}

# Repeats a request until it has an answer.  Without one, the test ends.
sub insists {
    my ($who, $doc) = @_;
    my $until = time + 30;

    while (time < $until) {
        my $answer = eval { says($who, $doc) };

        return $answer if $answer && $answer->{status} != 0
                          && $answer->{status} < 500;
        sleep 0.1;
    }

    die "no answer\n";
}

# Returns the number of each event in a list that is read to its end.
sub counts {
    my ($who, %args) = @_;
    my (%n, $after);

    while (1) {
        my @events = @{ structured(insists($who, call('list_events', %args,
            limit => 100, $after ? (after => $after) : ())))->{events} };

        last if !@events;
        $n{$_->{event}{eventId}}++ for @events;
        $after = $events[-1]{place};
    }

    return \%n;
}


subtest 'C2A-20 a worker is killed between append and answer' => sub {
    my (@events, %first);

    for my $round (1 .. 12) {
        my @now = map { to('agent:ada') } 1 .. 10;
        my @calls = map { $client->connect } @now;
        my @texts = map { $client->request('POST', '/chat', jcs($_),
                              Authorization => bearer('web')) } @now;

        $calls[$_]->write($texts[$_]) for 0 .. $#calls;
        sleep 0.0003 * ($round - 1);
        kill KILL => workers();

        for (@calls) {
            my $answer = $_->answer;
            my $json = eval { from_json($answer->{body}) };

            $first{$json->{result}{eventId}} = $json->{result}
                if $answer->{status} == 200 && $json;
        }

        push @events, @now;
        kill HUP => $nginx->pid if $round % 4 == 0;
    }

    my $lost = @events - keys %first;

    note("$lost of " . @events . ' answers are lost');

    for my $event (@events) {
        my $id = $event->{params}{eventId};
        my $one = insists(web => $event);
        my $two = insists(web => { %$event, id => 'again' });

        is($one->{status}, 200, $id) or diag($one->{body});
        is_deeply($two->{json}{result}, $one->{json}{result}, 'one answer');
        is_deeply($one->{json}{result}, $first{$id}, 'the first one')
            if $first{$id};
        is(scalar @{ addressed($one) // [] }, 1, 'with its reader')
            or diag($one->{body});
    }

    my $n = counts('ada');

    is_deeply([grep { ($n->{$_->{params}{eventId}} // 0) != 1 }
               map { { params => { eventId => $_->{params}{eventId} } } }
               @events], [], 'each event is in the mailbox once');
    is(scalar keys %$n, scalar @events, 'and nothing else');
};


subtest 'C2A-12 C2A-18 a worker is killed between a claim and a send' => sub {
    my %place = (id => 'C1', kind => 'channel');

    members(web => \%place, add => ['agent:ada', 'agent:bo', 'agent:cy']);

    for my $round (1 .. 8) {
        my ($id) = said(event(conversation => \%place, params => {
            target => { mentions => ['role:crew'] } }));
        my $claim = insists(bo => call('claim', inReplyTo => $id));

        is(structured($claim)->{owner}, 'agent:bo', $id)
            or diag($claim->{body});

        my %send = (inReplyTo => $id, target => \%place,
                    visibility => 'channel', directedness => 'to_me');
        my $send = call('send_message', %send, text => "of bo $id",
                        idempotencyKey => "bo $id");
        my $sends = begin(bo => $send);
        my $rival = begin(cy => call('send_message', %send,
            text => "of cy $id", idempotencyKey => "cy $id"));

        sleep 0.0004 * $round;
        kill KILL => workers();
        $_->answer for $sends, $rival;

        my $refused = insists(cy => call('send_message', %send,
            text => "of cy $id", idempotencyKey => "cy $id"));

        is(structured($refused)->{code}, 'claim-held', 'the claim holds')
            or diag($refused->{body});

        my $one = insists(bo => $send);
        my $two = insists(bo => $send);

        is(structured($one)->{disposition}, 'responded')
            or diag($one->{body});
        is_deeply(structured($two), structured($one), 'one result');
    }

    my @texts = map { $_->{event}{content}[0]{text} // () }
                grep { $_->{event}{target}{inReplyTo} }
                @{ structured(insists(ada => call('list_events',
                    conversation => \%place, limit => 100)))->{events} };
    my %n;

    $n{$_}++ for @texts;
    is(scalar(grep { /^of bo/ } keys %n), 8, 'each answer is visible');
    is_deeply([grep { $n{$_} > 1 || /^of cy/ } keys %n], [],
              'once, and that of no other agent');
};


subtest 'MCP-04 C2A-21 a new zone' => sub {
    my $session = says(bo => { jsonrpc => '2.0', id => 1,
        method => 'initialize', params => { protocolVersion => '2026-06-02',
            clientInfo => { name => 'x', version => '1' },
            capabilities => { delivery => { ack => true },
                              injection => { buffered => true } } } })
        ->{headers}{'mcp-session-id'};
    my @in = (headers => ['Mcp-Session-Id' => $session]);
    my $event = to('agent:bo', id => 'kept');

    said($event);

    my ($place) = map { $_->{place} }
                  grep { $_->{event}{eventId} eq 'kept' }
                  @{ structured(tool(bo => 'chat.list_events',
                                     { limit => 100 }))->{events} };
    my $stream = mailbox('bo', @in);

    is($stream->status, 200);
    $nginx->stop;
    ok($stream->ends, 'nginx stops');
    $nginx = Parley::Nginx->start(workers => 2,
                                  http => conf('count=1000 time=1h'));

    is(says(bo => { jsonrpc => '2.0', id => 2, method => 'ping' }, @in)
       ->{status}, 200, 'the session is known');
    is(says(cy => { jsonrpc => '2.0', id => 2, method => 'ping' }, @in)
       ->{status}, 404, 'and that of its principal alone');

    $stream = mailbox('bo', @in);
    is($stream->status, 200, 'it has its stream');
    is(says(web => $event)->{status}, 200, 'the surface delivers again');

    my $offer = from_json($stream->event->{data});

    is($offer->{params}{eventId}, 'kept');

    my $old = tool(bo => 'chat.list_events', { ackThrough => $place });

    is(structured($old)->{field}, '/params/arguments/ackThrough',
       'a place of the old zone is not one of the new zone');
    is(pending(tool(bo => 'chat.list_events')), 1);
    is(acks(bo => $offer->{id}, ), 202);
    is(pending(tool(bo => 'chat.list_events')), 0);
    $stream->leave;

    # a stream begins after the last acknowledged event

    said(to('agent:bo', id => 'next'));
    $stream = mailbox('bo', @in);
    is(from_json($stream->event->{data})->{params}{eventId}, 'next');

    my $new = mailbox('bo');

    ok($stream->ends, 'a newer session has the mailbox');
    is(mailbox('bo', @in)->status, 405, 'the older one is told so');
    $new->leave;
};


$nginx->stop;
$nginx = Parley::Nginx->start(workers => 2, http => conf('count=20 time=1h'));

subtest 'C2A-34 a flood of one author, and the obligations of another' => sub {
    my $answered = to('agent:fay', id => 'answered');
    my $silent = to('agent:fay', id => 'silent');

    $answered->{params}{attention} = { deadlineMs => 600000 };
    $silent->{params}{attention} = { deadlineMs => 20000 };
    said($answered, $silent);

    my $begun = time;
    my %statuses;

    # the flood of an account that no principal lists, and of an agent

    for my $n (1 .. 300) {
        my $answer = says(web => to('agent:fay', author => 'flood',
            text => 'f' x 2000, conversation => { id => 'F', kind => 'dm' }));

        $statuses{$answer->{status}}++;
        $statuses{agent}{structured(tool(spam => 'chat.send_message', {
            target => 'agent:fay', idempotencyKey => "spam $n", text => 's',
            visibility => 'dm', directedness => 'to_me' }))->{code} // 'ok'}++;
    }

    note(jcs(\%statuses));

    my $ids = jcs(listed(tool(fay => 'chat.list_events', { limit => 100 })));

    unlike($ids, qr/"answered"/, 'the log has dropped the records');

    # the zone has room for others

    is(says(web => to('agent:ada'))->{status}, 200, 'another author delivers');

    my $sent = tool(fay => 'chat.send_message', {
        inReplyTo => 'answered', target => $answered->{params}{conversation},
        idempotencyKey => 'fay', visibility => 'dm', directedness => 'to_me',
        text => 'in time' });

    is(structured($sent)->{disposition}, 'responded', 'its reader answers')
        or diag($sent->{body});

    my $up;

    while (!$up && time - $begun < 60) {
        ($up) = grep { $_->{event}{eventId} =~ /^(?:silent|answered):esc/ }
                @{ structured(tool(lee => 'chat.list_events',
                                   { limit => 100 }))->{events} };
        sleep 0.2;
    }

    is($up->{event}{eventId}, 'silent:escalated:1',
       'the one without an answer goes up');
    cmp_ok(time - $begun, '>', 19, 'at its deadline, and not before');
    is($up->{event}{attention}{policy}, 'must_respond');
    unlike(jcs(listed(tool(lee => 'chat.list_events', { limit => 100 }))),
           qr/"answered:/, 'the answered one does not');
};


$nginx->stop;

done_testing();
