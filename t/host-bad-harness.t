# Harnesses that misbehave at a host of chat (parley_host), and a user of a surface
# that types without an end: the memory of the worker is bounded, and the host
# serves other principals at the same time.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(is_sanitized port slurp);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

plan skip_all => 'needs /proc/PID/status' if !-r '/proc/self/status';

use constant {
    SOON => 10,             # s, for one request on a slow machine
    GROWTH => 64 * 1024,    # KB, without the zone
};

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } }
         qw(ada bo cy dee eve)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:16m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on;
                           parley_host c2a keepalive=20s quiet=1s max=3s; }
EOT

my $client = Parley::Client->new(port => port(1), tls => 0);
my %channel = (id => 'C1', kind => 'channel');


sub worker {
    my $pid = $nginx->pid;

    return slurp("/proc/$pid/task/$pid/children") =~ s/\s+$//r;
}

sub rss {
    return slurp('/proc/' . worker() . '/status') =~ /^RssAnon:\s+(\d+)/m
           ? $1 : die;
}

# Delivers an event that begins no turn; returns its id.
sub now {
    my ($to, %o) = @_;
    my $event = to($to, %o);

    $event->{params}{attention} = { reason => 'approval', priority => 'urgent' };

    return (said($event))[0];
}

my $before = rss();
my $worker = worker();
my $other = mailbox('bo');

# Checks that another principal gets its events, and the memory of the worker.
sub others {
    my $begun = time;
    my $id = now('agent:bo');
    my $event = $other->event;

    is(from_json($event->{data})->{params}{eventId}, $id,
       'another principal has its event');
    is(acks(bo => from_json($event->{data})->{id}), 202);
    is(pending(tool(bo => 'chat.list_events')), 0);
    cmp_ok(time - $begun, '<', SOON, 'soon');
    is(worker(), $worker, 'the worker lives');

    cmp_ok(rss() - $before, '<', GROWTH, 'its memory is bounded')
        if !is_sanitized();
}


subtest 'C2A-31 a harness that answers before it reads' => sub {
    my $first = mailbox('ada');

    # a request of this name comes later

    is(acks(ada => "early#$_.5f0c77aa"), 202) for 0 .. 9;
    now('agent:ada', id => 'early');
    is(pending(tool(ada => 'chat.list_events')), 1, 'an early answer is lost');

    my $offer = from_json($first->event->{data});

    $first->leave;

    # the tag is that of each stream: the answer comes before the new one

    is(acks(ada => $offer->{id}), 202);
    is(acks(ada => $offer->{id} =~ s/#1/#2/r), 202);

    my $second = mailbox('ada');
    my $next = now('agent:ada');

    is(from_json($second->event->{data})->{params}{eventId}, $next,
       'an answered event does not come again');
    is(says(ada => { jsonrpc => '2.0', id => "$next#1.00000000", error => {
        code => -32000, message => 'no' } })->{status}, 202);
    is(pending(tool(ada => 'chat.list_events')), 1);
    $second->leave;
    others();
};


subtest 'C2A-31 HUB-03 a harness that never reads' => sub {
    my @streams = map {
        my $stream = $client->connect;

        $stream->write(stream_request($_, uri => '/chat'));
        $stream;
    } qw(cy dee);

    ok($_->expect(qr/\r\n\r\n/), 'a stream') for @streams;

    my @accepted = (0, 0);
    my %statuses;

    for my $n (1 .. 400) {
        my $answer = says(web => with(to($n % 2 ? 'agent:cy' : 'agent:dee',
                                         author => "writer $n",
                                         text => 'w' x 4000),
                                      'params/attention' => {
                                          reason => 'approval',
                                          priority => 'urgent' }));

        $statuses{$answer->{status}}++;
    }

    is_deeply([grep { !/^(?:200|503)$/ } sort keys %statuses], [],
              'accepted, or no room') or diag(jcs(\%statuses));
    others();

    # the events that it did not read are still there

    my $list = tool(cy => 'chat.list_events', { limit => 100 });

    cmp_ok(pending($list), '>=', 10, 'the events are pending');
    $_->leave for @streams;
    others();
};


subtest 'MCP-04 a harness that opens 1 000 streams of its mailbox' => sub {
    my $request = stream_request('eve', uri => '/chat');
    my @streams;

    for (1 .. 1000) {
        my $stream = $client->connect;

        $stream->write($request);
        push @streams, $stream;

        # leaves connections of the worker for others: they are streams of one
        # mailbox, and the newest one ends all others

        if (@streams > 400) {
            shift(@streams)->leave;
        }
    }

    others();

    my $id = now('agent:eve');
    my $until = time + 20;
    my @have;

    while (!@have && time < $until) {
        @have = grep { $_->expect(qr/"\Q$id\E"/, 0.005) } @streams;
    }

    $_->expect(qr/"\Q$id\E"/, 0.005) for @streams;
    @have = grep { $_->{buffer} =~ /"\Q$id\E"/ } @streams;
    is(scalar @have, 1, 'one of them has the next event');
    $_->leave for @streams;
    others();
};


subtest 'C2A-07 a reader that opens 700 streams of a conversation' => sub {
    members(web => \%channel, add => ['agent:eve', 'agent:bo']);

    my $request = stream_request('eve', uri => '/chat?conversation=web/main/C1');
    my (@streams, %statuses);

    for (1 .. 700) {
        my $stream = $client->connect;

        $stream->write($request);
        push @streams, $stream;
    }

    for (@streams) {
        $_->expect(qr/\r\n\r\n/);
        $statuses{$_->{buffer} =~ m{^HTTP/1\.1 (\d+)} ? $1 : '-'}++;
    }

    is_deeply([sort keys %statuses], [200, 429], 'a share of them')
        or diag(jcs(\%statuses));
    cmp_ok($statuses{200}, '<=', 256, 'a quarter of the connections');
    is(listen_to('bo', uri => '/chat?conversation=web/main/C1')->status, 200,
       'another reader opens one');
    others();
    $_->leave for @streams;
};


subtest 'MCP-04 C2A-21 a harness that reconnects 50 times a second' => sub {
    my $id = now('agent:eve');
    my %seen;

    for my $n (1 .. 150) {
        my $begun = time;
        my $stream = $client->connect;

        $stream->write(stream_request('eve', uri => '/chat'));

        # reads some of them

        if ($n % 10 == 0) {
            my $text = $stream->expect(qr/"\Q$id\E"/) // '';

            $seen{$id}++ if $text =~ /"\Q$id\E"/;
        }

        $stream->leave;

        my $left = 0.02 - (time - $begun);

        sleep $left if $left > 0;
    }

    is($seen{$id}, 15, 'each stream that is read has the open event');
    is(scalar(grep { $_ eq $id } @{ listed(tool(eve => 'chat.list_events',
                                                { limit => 100 })) }), 1,
       'which is in the list once');
    others();
};


subtest 'C2A-09 a person who types without an end' => sub {
    my $event = to('agent:ada', conversation => { id => 'typed',
                                                  kind => 'dm' });
    my $p = $event->{params};
    my $typing = { jsonrpc => '2.0', method => 'notifications/typing',
                   params => { %$p{qw(source conversation author)},
                               active => true } };
    my %statuses;

    said($event);

    my $begun = time;
    my $came = 0;

    # the turn ends after max=3s, though its author types on

    while (!$came && time - $begun < 30) {
        $statuses{says(web => $typing)->{status}}++;
        $statuses{says(web => with($typing, 'params/conversation/id' =>
                                   'typed ' . rand))->{status}}++;
        $came = grep { $_ eq $p->{eventId} }
                @{ listed(tool(ada => 'chat.list_events', { limit => 100 })) };
    }

    is($came, 1, 'the event came while its author typed');
    is_deeply([keys %statuses], [202], 'typing is taken')
        or diag(jcs(\%statuses));
    is(says(eve => $typing)->{status}, 403, 'another principal types for nobody');

    for my $wrong ({ active => 'yes' }, { author => undef }, { source => 7 },
                   { conversation => { id => "a\nb" } },
                   { conversation => { id => 'i' x 257 } })
    {
        my $answer = says(web => { %$typing, params => {
            %{ $typing->{params} }, %$wrong } });

        cmp_ok($answer->{status}, '<', 500, jcs($wrong));
    }

    others();
};


unlike(slurp($nginx->dir . '/access.log') =~ s/" 503 \d//gr, qr/" 5\d\d \d/,
       'no answer has a status of 5xx, except 503');
is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

$other->leave;
$nginx->stop;

done_testing();
