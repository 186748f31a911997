# The metrics of a host of chat (parley_host): each metric and each label, and the
# gauge of open obligations, also after a killed worker and a reload.

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
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $url = 'https://127.0.0.1:' . port(2);

$peer->script(<<'EOT');
    my %result = (uma => ['result', { accepted => \1 }],
                  una => ['error', { code => -32000, message => 'no' }],
                  ulf => ['error', { code => -32601, message => 'no' }]);
    my ($path) = $q->{uri} =~ m{^/(\w+)};

    if ($result{$path}) {
        $c->answer(200, ['Content-Type', 'application/json'],
                   jcs({ jsonrpc => '2.0', id => $q->{json}{id},
                         $result{$path}[0] => $result{$path}[1] }));
    } else {
        $c->pause(30);
    }
EOT

sub agent {
    my ($sub, %more) = @_;

    return { sub => $sub, handle => "~$sub", c2a => "agent:$sub", %more };
}

my @principals = (
    (map { agent($_, parent => 'lee') } qw(ada bo fay gus)),
    (map { agent($_, roles => ['backend']) } qw(cy di)),
    (map { agent($_, parent => 'lee', deliver => "$url/$_", speaks => 'c2a',
                 instrument => "~cc-$_\@1.0") } qw(uma una ulf)),
    agent('lee', human => 'will'),
    (map { agent($_) } qw(solo slow)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'hook', handle => '~hook', c2a => 'service:hook',
      surface => ['web/two'], deliver => "$url/hook", speaks => 'c2a' },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h; parley_deliver /_deliver '
            . 'hosts=127.0.0.1:' . port(2) . ';',
    locations => deliver_location()
                 . 'location = /chat { parley_jwt on; parley_host c2a quiet=0; }'));
my $status = Parley::Status->new(port => port(1));
my %before;


sub cell {
    my ($name, %labels) = @_;
    my $text = join ',', map { "$_=\"$labels{$_}\"" } sort keys %labels;

    return "parley_chat_$name" . ($text ne '' ? "{$text}" : '');
}

# Remembers the values of all metrics.
sub begin { %before = %{ $status->metrics } }

# Waits until the metric has risen by a number since begin().
sub rises {
    my ($n, $name, %labels) = @_;
    my $cell = cell($name, %labels);
    my $until = time + 30;
    my $rise;

    while (1) {
        $rise = ($status->metrics->{$cell} // -1) - ($before{$cell} // 0);
        last if $rise >= $n || time > $until;
        sleep 0.1;
    }

    is($rise, $n, $cell);
}

sub obligations {
    my ($n, $name) = @_;
    my $until = time + 20;

    sleep 0.1 while $status->metric('parley_chat_obligations') != $n
                    && time < $until;
    is($status->metric('parley_chat_obligations'), $n, $name);
}

# readers that must answer, and the events
my @obliged;

sub delivers {
    my ($event, $who) = @_;

    my $answer = says($who // 'web', $event);

    is($answer->{status}, 200) or diag($answer->{body});

    push @obliged, map { [$_->{to} =~ s/^\w+://r, $event->{params}{eventId}] }
                   grep { $_->{policy} eq 'must_respond' }
                   @{ addressed($answer) // [] };

    return $event->{params};
}

my $k = 0;

sub answers {
    my ($who, $m, %args) = @_;

    return structured(tool($who, 'chat.send_message', {
        idempotencyKey => 'k' . ++$k, target => $m->{conversation},
        inReplyTo => $m->{eventId}, visibility => 'dm', directedness => 'to_me',
        text => 'yes', %args }));
}

sub reacts {
    my ($who, $m, $signal) = @_;

    return structured(tool($who, 'chat.react', { inReplyTo => $m->{eventId},
                                                 signal => $signal }));
}

sub offer {
    my ($stream, $id) = @_;

    while (my $event = $stream->event(30)) {
        my $request = from_json($event->{data});

        return $request if ($request->{params}{eventId} // '') eq $id;
    }

    return undef;
}

sub fails {
    my ($who, $request, $code) = @_;

    return says($who, { jsonrpc => '2.0', id => $request->{id},
                        error => { code => $code, message => 'no' } })->{status};
}

my %channel = (conversation => { id => 'C1', kind => 'channel' });

is(members(web => $channel{conversation}, add => [
    map({ "agent:$_" } qw(ada bo cy di)), 'human:will'])->{status}, 200);


subtest 'C2A-27 OPS-02 events, by the row of each reader' => sub {
    my $ask = delivers(to('agent:ada'));
    my $said = answers('ada', $ask);

    begin();

    my %target = (target => { recipient => 'agent:ada' });
    delivers(to('agent:ada'));
    delivers(event(conversation => { id => 'X1', kind => 'tool' }));
    delivers(event(%channel, params => { attention => { reason => 'status' } }));
    delivers(event(conversation => $ask->{conversation}, params => {
        reaction => { of => $said->{eventId}, signal => 'agree' } }));
    delivers(to('agent:ada', params => { %target,
        attention => { reason => 'thanks' } }));
    delivers(to('agent:ada', params => { %target,
        attention => { reason => 'blocker' } }));
    delivers(event(conversation => $ask->{conversation}, params => {
        target => { inReplyTo => $said->{eventId} },
        attention => { reason => 'question' } }));
    delivers(event(%channel, params => {
        target => { mentions => ['agent:ada'] } }));

    my $role = delivers(event(%channel, params => {
        target => { mentions => ['role:backend'] } }));

    delivers(event(%channel, params => {
        target => { mentions => ['human:nobody'] } }));
    delivers(event(%channel));

    rises(1, 'events_total', row => $_)
        for qw(dm silent status reaction thanks task question mention other
               ambient);
    rises(2, 'events_total', row => 'role');
    rises(0, 'events_total', row => 'own');

    # events of agents: an answer to a person, a message in a channel, and one
    # in a thread where another agent has posted

    begin();
    answers('ada', delivers(to('agent:ada')));
    rises(1, 'events_total', row => 'answer');

    begin();

    my %send = (visibility => 'channel', directedness => 'ambient',
                text => 'done');

    is(tool(bo => 'chat.send_message', { %send, idempotencyKey => 'c' . ++$k,
        target => $channel{conversation} })->{json}{result}{isError}, undef);
    rises(1, 'events_total', row => 'agent');

    my %thread = (id => 'C1', kind => 'channel', threadId => 'T1');

    is(tool(bo => 'chat.send_message', { %send, idempotencyKey => 'c' . ++$k,
        target => \%thread })->{json}{result}{isError}, undef);
    begin();
    delivers(event(conversation => \%thread));
    rises(1, 'events_total', row => 'part');
};


subtest 'C2A-27 a refused or repeated event counts nothing' => sub {
    my $event = to('agent:ada');

    delivers($event);
    begin();
    is(says(web => $event)->{status}, 200, 'again');
    is(says(ada => to('agent:bo'))->{status}, 403, 'not a surface');
    is(says(web => to('agent:ada', source => [qw(web two)]))->{status}, 403);

    my $metrics = $status->metrics;

    is_deeply({ map { $_ => $metrics->{$_} } grep { /^parley_chat_/ }
                keys %$metrics },
              { map { $_ => $before{$_} } grep { /^parley_chat_/ }
                keys %before });
};


subtest 'C2A-20 C2A-27 offers, by path and result' => sub {
    my $stream = mailbox('fay');
    my ($one, $two, $three, $four);

    begin();
    $one = offer($stream, delivers(to('agent:fay'))->{eventId});
    rises(1, 'offers_total', path => 'stream', result => 'sent');
    rises(0, 'offers_total', path => 'stream', result => 'accepted');
    is(acks(fay => $one->{id}), 202) for 1, 2;
    rises(1, 'offers_total', path => 'stream', result => 'accepted');

    $two = offer($stream, delivers(to('agent:fay'))->{eventId});
    is(fails(fay => $two, -32601), 202);
    rises(1, 'offers_total', path => 'stream', result => 'unsupported');

    $three = offer($stream, delivers(to('agent:fay'))->{eventId});
    is(fails(fay => $three, -32000), 202);
    rises(1, 'offers_total', path => 'stream', result => 'failed');

    my ($list) = tool(fay => 'chat.list_events');
    my @events = @{ structured($list)->{events} };

    rises(scalar @events, 'offers_total', path => 'tool', result => 'sent');
    rises(0, 'offers_total', path => 'tool', result => 'accepted');
    tool(fay => 'chat.list_events', { ackThrough => $events[-1]{place} });

    begin();
    $four = delivers(to('agent:fay'));
    reacts('fay', $four, 'seen');
    rises(1, 'offers_total', path => 'tool', result => 'accepted');

    # at 10 s
    $four = delivers(to('agent:fay'));
    rises(1, 'offers_total', path => 'stream', result => 'again');
    reacts('fay', $four, 'done');
    $stream->leave;

    begin();
    delivers(to("agent:$_")) for qw(uma una ulf);
    rises(3, 'offers_total', path => 'url', result => 'sent');
    rises(1, 'offers_total', path => 'url', result => 'accepted');
    rises(1, 'offers_total', path => 'url', result => 'failed');
    rises(1, 'offers_total', path => 'url', result => 'unsupported');

    answers('slow', delivers(to('agent:slow', source => [qw(web two)]), 'hook'));
    rises(1, 'offers_total', path => 'url', result => 'unconfirmed');
};


subtest 'C2A-14 C2A-27 dispositions' => sub {
    my %by = (responded => 'done', acknowledged => 'agree',
              deferred => 'queued', claimed => 'working');

    for my $disposition (sort keys %by) {
        begin();

        my $m = delivers(to('agent:ada', params => {
            target => { recipient => 'agent:ada' },
            attention => { reason => 'approval' } }));

        is(reacts('ada', $m, $by{$disposition})->{disposition}, $disposition);
        rises(1, 'dispositions_total', disposition => $disposition);
        reacts('ada', $m, $by{$disposition});
        reacts('ada', $m, 'done');
        rises(1, 'dispositions_total', disposition => $disposition);
    }

    begin();

    my $m = delivers(to('agent:gus'));
    my $stream = mailbox('gus');

    is(fails(gus => offer($stream, $m->{eventId}), -32000), 202);
    $stream->leave;
    rises(1, 'dispositions_total', disposition => 'failed');

    $m = delivers(to('agent:ada'));
    delivers(event(conversation => $m->{conversation}, params => {
        change => { of => $m->{eventId}, kind => 'edit' },
        target => { recipient => 'agent:ada' } }));
    rises(1, 'dispositions_total', disposition => 'superseded');

    $m = delivers(to('agent:ada'));
    is(reacts('ada', $m, 'declined')->{disposition}, 'ignored');
    rises(1, 'dispositions_total', disposition => 'ignored');
    rises(0, 'dispositions_total', disposition => 'responded');
};


subtest 'C2A-14 C2A-19 an answer ends the event for the others' => sub {
    my $cy = mailbox('cy');
    my $di = mailbox('di');
    my $m = delivers(event(%channel, params => {
        target => { mentions => ['role:backend'] } }));
    my $id = $m->{eventId};
    my $knock = offer($di, $id);

    begin();
    is(answers('cy', $m, visibility => 'channel', directedness => 'to_my_role')
       ->{disposition}, 'responded');
    rises(1, 'dispositions_total', disposition => 'responded');
    rises(1, 'dispositions_total', disposition => 'ignored');

    my $cancelled;

    while (my $event = $di->event(20)) {
        $cancelled = from_json($event->{data});
        last if ($cancelled->{method} // '') eq 'notifications/cancelled';
    }

    is($cancelled->{params}{requestId}, $knock->{id}, 'its offer is cancelled');

    my ($event) = grep { $_->{event}{eventId} eq $id }
                  @{ structured(tool(di => 'chat.list_events',
                                     { eventId => $id }))->{events} };

    is($event->{disposition}, 'ignored', 'for a reader that did nothing');
    is(reacts('di', $m, 'agree')->{disposition}, 'ignored', 'the first counts');

    $di->leave;
    $di = mailbox('di');
    is(offer($di, delivers(event(%channel, params => {
        target => { mentions => ['role:backend'] } }))->{eventId})->{method},
       'chat/deliver', 'and it does not come again');
    $_->leave for $cy, $di;
};


subtest 'C2A-14 an answer does not end what others must or may answer' => sub {
    # the DM of one reader, and an event that obliges another
    my $m = delivers(event(%channel, params => {
        target => { mentions => ['agent:ada', 'human:will'] } }));

    begin();
    is(answers('ada', $m, visibility => 'channel')->{disposition}, 'responded');
    rises(1, 'dispositions_total', disposition => 'responded');
    rises(0, 'dispositions_total', disposition => 'ignored');
};


subtest 'C2A-18 C2A-27 claims' => sub {
    my $m = delivers(event(%channel, params => {
        target => { mentions => ['role:backend'] } }));
    my %args = (inReplyTo => $m->{eventId});

    begin();
    ok(structured(tool(cy => 'chat.claim', \%args))->{claimed});
    rises(1, 'claims_total', result => 'claimed');
    rises(0, 'claims_total', result => 'renewed');
    ok(structured(tool(cy => 'chat.claim', \%args))->{claimed});
    rises(1, 'claims_total', result => 'renewed');
    is(structured(tool(di => 'chat.claim', \%args))->{code}, 'claim-held');
    rises(1, 'claims_total', result => 'held');
    rises(1, 'claims_total', result => 'claimed');
};


subtest 'C2A-22 C2A-23 C2A-27 deadlines and obligations' => sub {
    my $stream = mailbox('bo');
    my %due = (attention => { deadlineMs => 3000 });

    begin();

    my $m = delivers(to('agent:bo', params => {
        target => { recipient => 'agent:bo' }, %due }));

    is(acks(bo => offer($stream, $m->{eventId})->{id}), 202);
    rises(1, 'deadlines_total', outcome => 'reminded');
    rises(1, 'deadlines_total', outcome => 'escalated');
    rises(0, 'deadlines_total', outcome => 'answered');
    tool(lee => 'chat.resolve', { inReplyTo => "$m->{eventId}:escalated:1" });
    rises(1, 'deadlines_total', outcome => 'answered');

    begin();
    delivers(to('agent:solo', params => {
        target => { recipient => 'agent:solo' },
        attention => { deadlineMs => 1000 } }));
    rises(1, 'deadlines_total', outcome => 'undelivered');

    $m = delivers(to('agent:ada'));
    answers('ada', $m);
    rises(1, 'deadlines_total', outcome => 'answered');
    answers('ada', $m, idempotencyKey => "k$k");
    rises(1, 'deadlines_total', outcome => 'answered');
    $stream->leave;
};


sub workers { return $nginx->workers }

subtest 'C2A-22 OPS-02 the gauge of open obligations' => sub {
    my @open;

    # the events above oblige agents and their leads
    for my $one (@obliged) {
        my ($who, $id) = @$one;

        tool($who, 'chat.resolve', { inReplyTo => $id });
        tool('lee', 'chat.resolve', { inReplyTo => "$id:escalated:1" });
    }

    obligations(0, 'none is open');

    push @open, delivers(to("agent:$_")) for qw(ada bo gus);
    obligations(3, 'three agents must answer');
    delivers(event(%channel));
    delivers(event(%channel, params => {
        target => { mentions => ['human:will'] } }));
    obligations(3, 'a human is not obliged');

    my @old = workers();

    kill KILL => @old;

    my $until = time + 20;

    sleep 0.05 until time > $until
                     || (workers() == @old
                         && !grep { my $new = $_; grep { $_ == $new } @old }
                                  workers());

    obligations(3, 'after kill -9 of each worker');
    ok($nginx->reload, 'a reload');
    obligations(3, 'after the reload');

    is(answers('ada', $open[0])->{disposition}, 'responded');
    obligations(2, 'an answer ends one at once');
    is(reacts('bo', $open[1], 'queued')->{disposition}, 'deferred');
    obligations(2, 'a deferral does not');
    is(reacts('bo', $open[1], 'done')->{disposition}, 'responded');
    obligations(1, 'its answer does');

    my $delete = event(conversation => $open[2]{conversation}, params => {
        change => { of => $open[2]{eventId}, kind => 'delete' } });

    delete $delete->{params}{content};
    delivers($delete);
    obligations(0, 'a deletion does');

    my $declined = delivers(to('agent:ada'));

    obligations(1);
    is(reacts('ada', $declined, 'declined')->{disposition}, 'ignored');

    my $up;

    $until = time + 30;

    until ($up || time > $until) {
        ($up) = grep { $_->{event}{eventId} eq "$declined->{eventId}:escalated:1" }
                @{ structured(tool('lee', 'chat.list_events'))->{events} };
        sleep 0.1;
    }

    ok($up, 'it went up');
    obligations(1, 'and obliges the lead in place of the agent');
    ok(structured(tool('lee', 'chat.resolve', {
        inReplyTo => "$declined->{eventId}:escalated:1" }))->{resolved});
    obligations(0, 'until the lead decides');
};


subtest 'OPS-01 OPS-02 fixed labels, and no id or text' => sub {
    my $text = $status->text;
    my %words;

    while ($text =~ /^parley_chat_\w+\{([^}]*)\}/mg) {
        my $labels = $1;

        $words{$1}{$2} = 1 while $labels =~ /(\w+)="([^"]*)"/g;
    }

    is_deeply({ map { $_ => [sort keys %{ $words{$_} }] } keys %words }, {
        row => [sort qw(own silent status reaction thanks task question answer
                        dm mention role other agent part ambient)],
        path => [qw(stream tool url)],
        disposition => [sort qw(responded acknowledged deferred claimed ignored
                                superseded failed)],
        result => [sort qw(sent again accepted failed unsupported unconfirmed
                           claimed renewed held)],
        outcome => [sort qw(answered reminded escalated undelivered)] });

    unlike($text, qr/agent:|human:|\bm1\b|words \d/);

    my $chat = $status->json->{chat};

    is($chat->{obligations}, 0, 'JSON');
    cmp_ok($chat->{deadlines}{escalated}, '>', 0);
    cmp_ok($chat->{events}{dm}, '>', 0);
    is(ref $chat->{offers}, 'ARRAY', 'pairs of labels');
};


$nginx->stop;

done_testing;
