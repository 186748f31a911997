# AEE-29: an accepted task without an answer within its requires.timeout_ms has
# failed: its sender gets one AEE error.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;


my $service = Parley::Upstream->start(port(2));
my $peer = Parley::Upstream->start(port(3), undef, tls => 1);


sub http {
    return streams_http(
        identities => streams_identities(
            dave => { deliver => 'https://127.0.0.1:' . port(3) . '/dave' }),
        more => 'parley_retain count=100 time=1h; '
                . 'parley_deliver /_deliver hosts=127.0.0.1:' . port(3) . ';',
        locations => deliver_location() . <<"EOT");
        location = /in { parley_jwt on; parley_submit aee vcp c2a channel; }
        location = /held { parley_jwt on; parley_submit aee hold=8s; }
        location = /service {
            parley_jwt on;
            parley_accept aee;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /c2a-service {
            parley_jwt on;
            parley_accept aee;
            parley_speak c2a;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $status = Parley::Status->new(port => port(1));


sub task {
    my ($ms, %other) = @_;

    return aee(requires => { timeout_ms => $ms }, %other);
}

sub send_as {
    my ($who, $m, %o) = @_;

    return submit($m, as => $who, uri => '/in', %o);
}

sub taken {
    my ($answer, $what) = @_;

    like($answer->{status}, qr/^20[02]$/, $what // 'it is taken')
        or diag($answer->{body});
}

sub own { return listen_to($_[0], uri => '/aee/') }

# Returns the events that a stream gets in that many seconds.
sub come {
    my ($stream, $seconds) = @_;

    my @come;
    my $until = time + $seconds;

    while ((my $left = $until - time) > 0) {
        my $event = $stream->event($left) // last;
        push @come, $event->{json};
    }

    return @come;
}

sub failed {
    my ($error, $task) = @_;

    is($error->{type}, 'error', 'an error');
    is($error->{payload}{code}, 'E_TIMEOUT', 'that says that it took too long');
    is($error->{payload}{retryable}, true, 'and may be tried again');
    is($error->{reply_to}, $task->{id}, 'of the task');
    is($error->{corr}, $task->{corr}, 'in its conversation');
    is($error->{to}, $task->{from}, 'for whoever sent it');
    is($error->{from}, 'service.parley', 'from the gateway');
}

sub ended { return $status->metric("parley_deadlines_total{outcome=\"$_[0]\"}") }


subtest 'AEE-29 a task without an answer' => sub {
    my ($alice, $bob) = map { own($_) } qw(alice bob);
    my $task = task(1500);
    my $from = time;

    taken(send_as('alice', $task));

    my $error = $alice->event(6);
    my $took = time - $from;

    cmp_ok($took, '>', 1.4, 'not before its time');
    cmp_ok($took, '<', 3.5, 'but then');
    failed($error->{json}, $task);
    is_deeply([come($alice, 2)], [], 'once');
    is_deeply([map { $_->{id} } come($bob, 0.2)], [$task->{id}],
              'whom it was for hears nothing of it');

    my $late = send_as('bob', result($task));

    is($late->{status}, 409, 'an answer comes too late');
    is($late->{json}{payload}{code}, 'E_REPLY_UNMATCHED', 'and is told so');
    is_deeply([come($alice, 0.5)], [], 'nobody else hears of it');
    cmp_ok(ended('timed-out'), '>=', 1, 'it is counted');
};

subtest 'AEE-29 a task that is answered in time' => sub {
    my ($alice, $bob) = map { own($_) } qw(alice bob);
    my $task = task(1500);

    taken(send_as('alice', $task));
    taken(send_as('bob', result($task)), 'bob answers');
    is_deeply([map { $_->{type} } come($alice, 3)], ['result'],
              'the result alone comes');
    is($status->metric('parley_jobs'), 0, 'no deadline is left');

    $task = task(1500);
    taken(send_as('alice', $task));
    taken(send_as('bob', failure($task)), 'bob fails');
    is_deeply([map { $_->{payload}{code} } come($alice, 3)], ['E_BROKEN'],
              'so does a failure');
};

subtest 'AEE-29 a task without a timeout, and an event' => sub {
    my ($alice, $bob) = map { own($_) } qw(alice bob);

    taken(send_as('alice', aee()));
    taken(send_as('alice', task(500, type => 'event')));
    is_deeply([come($alice, 2)], [], 'fail by nothing');
};

subtest 'AEE-29 HUB-07 a request that is held' => sub {
    my $bob = own('bob');
    my $task = task(1500);
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post('/held', jcs($task),
                               Authorization => bearer('alice'));

    is($answer->{json}{type}, 'error', 'is answered') or diag($answer->{body});
    is($answer->{json}{payload}{code}, 'E_TIMEOUT', 'with the error');
    is($answer->{json}{reply_to}, $task->{id}, 'of its task');
};

subtest 'AEE-29 a service accepted the task, and never answers' => sub {
    my $alice = own('alice');

    $service->script('$c->take');

    for my $uri (qw(/service /c2a-service)) {
        my $task = task(1500);
        my $answer = submit($task, as => 'alice', uri => $uri);

        is($answer->{status}, 202, "$uri: it is taken")
            or diag($answer->{body});
        failed($alice->event(6)->{json}, $task);

        my $late = submit(result($task), as => 'bob', uri => '/in');

        is($late->{status}, 409, 'an answer comes too late');
    }
};

subtest 'AEE-29 HUB-09 a sender with a URL is told there' => sub {
    my $carol = own('carol');
    my $task = task(1500, from => 'agent.dave', to => 'agent.carol');

    $peer->script('$c->take');
    taken(send_as('dave', $task));
    ok($peer->wait_for(1, 8), 'it is delivered');
    failed(from_json(($peer->requests)[0]{body}), $task);
    sleep 2;
    is($peer->count, 1, 'once');
};

subtest 'AEE-29 HUB-09 its worker is killed' => sub {
    my $bob = own('bob');
    my $alice = own('alice');
    my $task = task(2500);

    taken(send_as('alice', $task));
    sleep 0.5;
    kill KILL => $nginx->workers;

    my @come;
    my $until = time + 10;

    while (!@come && time < $until) {
        my $again = eval { listen_to('alice', uri => '/aee/',
                                     last => $alice->opened->{id}) };

        @come = grep { ref $_ && ($_->{reply_to} // '') eq $task->{id} }
                     come($again, 0.5) if $again;
        sleep 0.2;
    }

    is(scalar @come, 1, 'it fails all the same, once');
    failed($come[0], $task);
};

subtest 'AEE-29 a sender that reads another protocol is told in it' => sub {
    my $bob = own('bob');
    my $alice = listen_to('alice', uri => '/c2a/');
    my $task = task(1500);

    taken(send_as('alice', $task));

    my $event = $alice->event(6);

    like($event->{data} // '', qr/E_TIMEOUT/, 'it is told');
};

ok($nginx->logged(qr/parley: delivered: the peer took the message, attempt 1, to "dave", id "/),
   'what is the gateway\'s own is from nobody in the log');

done_testing();
