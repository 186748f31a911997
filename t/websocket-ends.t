# WebSockets: their end, and resumption.

use strict;
use warnings;

use lib 't/lib';

use IO::Select;
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Websocket;

my $dir = tmp_dir();

my $vcp = 'parley_vcp_context ctx|sockets;'
        . ' parley_vcp_constitution creed://acme/sockets@1;';

revoke();

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $status = Parley::Status->new(port => port(1));


sub http {
    return streams_http(
        zone => 'sockets:128m', submit => 'vcp',
        more => <<"EOT", locations => <<"EOT");
    parley_retain      count=1000 time=1h;
    parley_revocations $dir/revocations.json;
EOT
        location = /vcp/ws { parley_jwt on; parley_websocket vcp; $vcp }
        location = /quick { parley_jwt on; $vcp
                            parley_websocket vcp keepalive=1s; }
        location = /aged { parley_jwt on; $vcp parley_websocket vcp age=2s; }
        location = /lag { parley_jwt on; $vcp
                          parley_websocket vcp lag=64k keepalive=30s; }
EOT
}


sub revoke {
    spew("$dir/revocations.new",
         jcs({ principals => [], kids => [], tokens => [], @_ }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}


# Returns the answer to a request that opens no WebSocket: [status, code].
sub refused {
    my $answer = websocket(@_)->answer or return [101];

    return [$answer->{status}, $answer->{json}{code}];
}


subtest 'VCP-20: closes' => sub {
    my $alice = websocket('alice');

    $alice->close(1000, 'bye');
    is_deeply($alice->closed, [1000, 'bye'], 'the same comes back');
    ok($alice->ends(2), 'and then the end');

    $alice = websocket('alice');
    $alice->close;
    is_deeply($alice->closed, [1005, ''], 'one without a code');
    ok($alice->ends(2));

    # messages before the close are handled and answered
    $alice = websocket('alice');
    $alice->raw(frame_of(jcs(share('alice', 'bob')))
                . frame_of(pack('n', 1001), kind => 'close'));
    is($alice->message->{json}{status}, 'accepted');
    is($alice->closed->[0], 1001);

    # a client that disappears leaves nothing
    my $before = $status->metric('parley_subscribers');

    websocket('alice', session => "gone$_")->leave for 1 .. 5;
    $alice->leave;

    my $until = time + 10;

    while ($status->metric('parley_subscribers') > $before && time < $until) {
        sleep 0.2;
    }

    cmp_ok($status->metric('parley_subscribers'), '<=', $before);
};


subtest 'VCP-20: pings, and a client that does not answer them' => sub {
    my $alive = websocket('alice', uri => '/quick', session => 'alive');
    my $deaf = websocket('alice', uri => '/quick', session => 'deaf');

    $deaf->{deaf} = 1;

    my $begun = time;

    while (time < $begun + 8 && !$deaf->{ended}) {
        $_->message(0.2) for $alive, $deaf;
    }

    ok($deaf->{ended}, 'who answers no ping is cut');
    cmp_ok(time - $begun, '<', 6);
    is($deaf->closed, undef, 'without a word');

    is($alive->message(3), undef);
    ok(!$alive->{ended}, 'who answers stays');
    cmp_ok(scalar @{ $alive->{pings} }, '>=', 3);
    is($alive->{pings}[-1], $alive->opened, 'a ping tells the place');

    my ($sent) = send_to('alice', 1);

    is_deeply([ids($alive->message)], [ids($sent)]);
    is($alive->message(2), undef);
    isnt($alive->{pings}[-1], $alive->opened, 'the next one the next');

    # messages do not replace pings
    my $pings = @{ $alive->{pings} };

    for (1 .. 6) {
        send_to('alice', 1);
        $alive->message(0.5);
        sleep 0.5;
    }

    $alive->message(1);
    cmp_ok(@{ $alive->{pings} } - $pings, '>=', 2);
};


subtest 'HUB-02: a WebSocket is resumed' => sub {
    my $alice = websocket('alice', session => 'r');
    my $from = $alice->opened;
    my @sent = send_to('alice', 3);

    is_deeply([ids($alice->messages(3))], [ids(@sent)]);
    $alice->leave;

    push @sent, send_to('alice', 2);

    my $again = websocket('alice', session => 'r', last_event_id => $from);

    is($again->opened, $from);
    is_deeply([ids($again->messages(5))], [ids(@sent)],
              'from the last place that was told');

    # a second WebSocket of a session ends the first
    my $third = websocket('alice', session => 'r');

    is_deeply($again->closed, [4409, 'another WebSocket has this session']);
    is($third->status, 101);

    my $gone = websocket('alice', last_event_id => '00000000abcd.1');
    my $close = $gone->closed;

    is($close->[0], 4410, 'what is gone is told');
    like($close->[1], qr/^last_event_id=[0-9a-f]{12}\.\d+~$/);

    my $back = websocket('alice', more => $close->[1]);

    is_deeply([(ids($back->messages(1000, 1)))[-1]], [(ids(@sent))[-1]],
              'and where it goes on');
};


subtest 'SEC-15: it ends when its token expires' => sub {
    my $short = websocket('alice', session => 'short',
                          token => bearer('alice', exp => time + 3));
    my $begun = time;

    is($short->ask(share('alice', 'bob'))->{status}, 'accepted');

    my ($sent) = send_to('alice', 1);

    is_deeply([ids($short->message)], [ids($sent)]);

    my $close = $short->closed;

    is($close->[0], 4401);
    cmp_ok(time - $begun, '<', 6);
    like($close->[1], qr/^last_event_id=/, 'and says how it is resumed');

    $short->close(4401);
    ok($short->ends(4));

    my @missed = send_to('alice', 2);
    my $again = websocket('alice', session => 'short', more => $close->[1]);

    is_deeply([ids($again->messages(2))], [ids(@missed)], 'nothing is missed');
};


subtest 'SEC-15 SEC-16: it ends when its token is revoked' => sub {
    my %by = (iss => 'https://id.example', jti => 'lost');
    my $claims = token(idp(), { sub => 'alice', %by });
    my $lost = websocket('alice', token => "Bearer $claims");
    my $kept = websocket('alice', session => 'kept');

    is($lost->ask(share('alice', 'bob'))->{status}, 'accepted');

    revoke(tokens => [\%by]);

    is($lost->closed(5)->[0], 4401);
    is($kept->ask(share('alice', 'bob'))->{status}, 'accepted',
       'another token stays');

    # every worker has the new list by then
    my $by_then = time + 3;

    while (time < $by_then
           && grep { refused('alice', token => "Bearer $claims")->[0] == 101 }
                  1 .. 8)
    {
        sleep 0.1;
    }

    is_deeply(refused('alice', token => "Bearer $claims"),
              [401, 'token-invalid']);

    revoke(principals => ['alice']);
    is($kept->closed(5)->[0], 4401);
    revoke();

    # each worker checks twice a second: waits until none refuses
    my ($until, $since) = (time + 10, time);

    while (time < $until && time < $since + 1.5) {
        $since = time if refused('alice')->[0] != 101;
        sleep 0.05;
    }

    is(websocket('alice')->status, 101);
};


subtest 'HUB-03: a slow reader is cut off, and delays no other reader' => sub {
    my $slow = websocket('alice', uri => '/lag', session => 'slow');
    my $quick = websocket('alice', uri => '/lag', session => 'quick');

    is($_->status, 101) for $slow, $quick;

    my $from = $slow->opened;
    my $sent = 0;

    # more than the buffers of the kernel and of nginx, and the lag
    for (1 .. 400) {
        send_to('alice', 1, context => 'x' x 60_000);
        $sent++;
        last if !$quick->message(10);
        last if $status->metric(
            'parley_subscriptions_ended_total{why="slow"}');
    }

    cmp_ok($status->metric('parley_subscriptions_ended_total{why="slow"}'),
           '>=', 1, "it is cut, after $sent");

    my ($last) = send_to('alice', 1);

    is_deeply([ids($quick->message)], [ids($last)], 'the other is not behind');

    my $n = 0;
    $n++ while $slow->message(5);
    ok($slow->{ended}, 'the connection ends');
    cmp_ok($n, '<', $sent);

    my $again = websocket('alice', session => 'slow', last_event_id => $from);
    my @all = $again->messages($sent + 1);

    is(scalar @all, $sent + 1, 'and it can be resumed');
    is_deeply([ids($all[-1])], [ids($last)]);
};


subtest 'VCP-20: a client that sends and reads nothing is not read from' => sub {
    my $alice = websocket('alice', session => 'deaf');
    my $socket = $alice->{connection}{socket};
    my $octets = frame_of('"' . 'x' x 100 . '"') x 1000;
    my $written = 0;

    $socket->blocking(0);

    for (1 .. 4000) {
        my $n = $socket->syswrite($octets);

        if (!defined $n) {
            IO::Select->new($socket)->can_write(1) or last;
            next;
        }

        # frames must be complete: sends the rest first
        while ($n < length $octets) {
            IO::Select->new($socket)->can_write(1) or last;
            my $more = $socket->syswrite(substr $octets, $n);
            $n += $more // 0;
        }

        $written += $n;
        last if $n < length $octets;
    }

    cmp_ok($written, '<', 4000 * length $octets, 'it is stopped');

    $socket->blocking(1);

    my ($answers, $code) = (0, '');

    while ($answers < 5000) {
        my $message = $alice->message(5) or last;
        $code = $message->{json}{code};
        $answers++;
    }

    is($answers, 5000, 'and goes on when it reads');
    is($code, 'field-invalid');
};


subtest 'GW-15 HUB-05: a reload' => sub {
    my @who = map { { ws => websocket('alice', session => "reload$_") } } 1 .. 6;
    my $bob = websocket('bob', session => 'reload');
    my @sent = send_to('alice', 2);

    $_->{seen} = [ids($_->{ws}->messages(2))] for @who;

    ok($nginx->reload, 'a reload');

    # an old worker accepts and delivers messages until its end
    push @sent, share('bob', 'alice');
    my $answer = $bob->ask($sent[-1]);

    # bob has messages of others, too
    $answer = ($bob->message // {})->{json} while $answer && !$answer->{status};
    pop @sent if !$answer || $answer->{status} ne 'accepted';

    push @sent, send_to('alice', 2);

    for my $one (@who) {
        my $close = $one->{ws}->closed;

        push @{ $one->{seen} }, ids(@{ $one->{ws}{passed} // [] });
        is($close->[0], 1001);
        $one->{ws}->close(1001);

        my $again = websocket('alice', session => $one->{ws}{headers}
                                                      {'parley-session'},
                              more => $close->[1]);

        push @{ $one->{seen} },
            ids($again->messages(@sent - @{ $one->{seen} }, 5));

        is_deeply($one->{seen}, [ids(@sent)], 'nothing is missed, or twice');
    }

    ok($nginx->wait_for(qr/worker process \d+ exited with code 0/, 2),
       'and the old workers leave');
};


subtest 'GW-15: a worker that is killed' => sub {
    my $alice = websocket('alice', session => 'killed');
    my $bob = websocket('bob', session => 'killed');
    my $place = $alice->opened;
    my @sent = map { share('bob', 'alice') } 1 .. 20;

    is($bob->ask($_)->{status}, 'accepted') for @sent[0 .. 9];
    is(scalar($alice->messages(10)), 10);

    my %gone = map { $_ => 1 }
                   $nginx->error_log =~ /worker process (\d+) exited/g;
    my @alive = grep { !$gone{$_} }
                     $nginx->error_log =~ /start worker process (\d+)/g;
    my $started = $nginx->logged(qr/start worker process/);

    kill 'KILL', @alive;

    ok($alice->ends && $bob->ends, 'connections end with it');
    ok($nginx->wait_for(qr/start worker process/, $started + @alive));

    $bob = websocket('bob', session => 'killed');
    is($bob->ask($sent[3])->{status}, 'duplicate', 'what it took is taken');
    is($bob->ask($_)->{status}, 'accepted') for @sent[10 .. 19];

    my $again = websocket('alice', session => 'killed',
                          last_event_id => $place);

    is_deeply([ids($again->messages(20))], [ids(@sent)], 'GW-15 none is lost');
};


subtest 'VCP-20: it ends at age=' => sub {
    my $alice = websocket('alice', uri => '/aged');
    my $begun = time;

    is($alice->closed->[0], 1000);
    cmp_ok(time - $begun, '<', 5);
    like($alice->closed->[1], qr/^last_event_id=/);
};


# ---- without a log

my $said = $nginx->error_log;

$nginx->stop;

subtest 'VCP-20 HUB-02 without parley_retain nothing is resumed' => sub {
    my $bare = Parley::Nginx->start(http => streams_http(
        submit => 'vcp', locations => <<"EOT"));
        location = /vcp/ws { parley_jwt on; parley_websocket vcp; $vcp }
EOT

    my $alice = websocket('alice');

    ok(!$alice->{headers}{'parley-resume'}, 'one that begins');

    my $place = $alice->opened;

    send_to('alice', 3);
    is(scalar($alice->messages(3)), 3, 'it gets what comes');
    $alice->leave;

    # resumes again and again
    for my $from ($place, 'ffffffffffff.3', 'no place at all') {
        my @owed = send_to('alice', 2);

        my $again = websocket('alice', last_event_id => $from =~ s/ /%20/gr);

        is($again->status, 101, "from $from");
        is($again->{headers}{'parley-resume'}, 'none', 'it says so');
        like($again->opened, qr/^[0-9a-f]{12}\.\d+$/, 'with its place');
        isnt($again->opened, $from, 'which is another one');

        my @sent = send_to('alice', 3);

        is_deeply([ids($again->messages(5))], [ids(@owed, @sent)],
                  'VCP-33 the messages of its absence, then new ones');
        ok(!$again->{close}, 'and it stays');
        $place = $again->opened;
        $again->leave;
    }

    $said .= $bare->error_log;
    $bare->stop;
};


unlike($said . $nginx->error_log, qr/\[(?:alert|emerg|crit)\](?!.*signal 9)/,
       'nothing is wrong');


subtest 'HUB-02: a client resumes after more records are gone than it was told' => sub {
    my $few = Parley::Nginx->start(workers => 2, http => streams_http(
        submit => 'aee', more => 'parley_retain count=20 time=1h;',
        locations => 'location = /ws { parley_jwt on; '
                   . 'parley_websocket aee; }'));
    my $open = sub { websocket('bob', uri => '/ws', @_) };
    my $say = sub {
        map {
            my $m = aee(type => 'event');

            is(submit($m, as => 'alice')->{status}, 202);
            $m->{id};
        } 1 .. $_[0];
    };

    my $bob = $open->();
    my $from = $bob->opened;

    $bob->leave;
    $say->(25);

    my $close = $open->(last_event_id => $from)->closed;

    is($close->[0], 4410, 'what is gone is told');

    my @sent = $say->(25);
    my $back = $open->(more => $close->[1]);

    is_deeply([map { $_->{json}{id} } $back->messages(20)], [@sent[5 .. 24]],
              'once: what is left comes')
        or diag explain $back->closed(1);

    my ($next) = $say->(1);

    is($back->message->{json}{id}, $next, 'and what comes');
    $back->leave;

    my $place = $close->[1] =~ s/^last_event_id=|~$//gr;

    is($open->(last_event_id => $place)->closed->[0], 4410,
       'a client that was not told is told');
    is($open->(last_event_id => '00000000abcd.1~')->closed->[0], 4410,
       'and so is one that had another log');
    $few->stop;
};

done_testing;
