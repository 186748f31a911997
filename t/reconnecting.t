# HUB-05 HUB-07: a request whose sender's stream is between two connections
# gets a temporary refusal: a reload or a killed worker must not cause a
# permanent one.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Websocket;

use constant RETRY => 3;        # s, of the streams

my $submit = 'location = /off { parley_jwt on; '
             . 'parley_submit aee vcp c2a hold=off; }';
my $retry = RETRY . 's';

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    locations => <<"EOT"));
        $submit
        location /aee/ { parley_jwt on; parley_stream aee retry=$retry; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location = /vcp/ws { parley_jwt on; parley_websocket vcp; }
        location /roster/ { parley_jwt on; parley_roster channel; }
EOT


# Requests of alice to bob, and the protocol in which alice listens.
my %by = (
    AEE => { message => sub { aee() },
             listen => sub { listen_to('alice', uri => '/aee/agent.alice') },
             code => 'E_CAPACITY', at => [qw(payload code)],
             retry => sub { $_[0]{json}{payload}{retryable}
                            && $_[0]{json}{payload}{backoff_ms}
                               == RETRY * 1000 } },
    VCP => { message => sub {
                 my $m = escalation(requires_ack => true());

                 $m->{recipient} = 'agent://ops.example/bob';
                 return $m },
             listen => sub { websocket('alice') },
             code => 'capacity', at => ['code'] },
    C2A => { message => sub { Parley::Matrix::say(sender => 'agent:alice') },
             listen => sub { listen_to('alice', uri => '/c2a/') },
             code => 'capacity', at => [qw(error data code)] },
);


sub at {
    my ($json, @path) = @_;

    $json = $json->{$_} for @path;

    return $json;
}


# Waits until no stream of alice is on the roster.
sub alone {
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $until = time + 20;

    while (time < $until) {
        my $roster = $client->get('/roster/~alice',
                                  Authorization => bearer('alice'));

        return 1 if $roster->{json} && $roster->{json}{count} == 0;
        sleep 0.05;
    }

    return 0;
}


sub kill_workers {
    my $log = $nginx->error_log;
    my %gone = map { $_ => 1 } $log =~ /worker process (\d+) exited/g;
    my @alive = grep { !$gone{$_} } $log =~ /start worker process (\d+)/g;
    my $started = $nginx->logged(qr/start worker process/);

    kill 'KILL', @alive;

    return $nginx->wait_for(qr/start worker process/, $started + @alive);
}


my %ways = ('a reload' => sub { $nginx->reload },
            'a killed worker' => \&kill_workers);

for my $name (sort keys %by) {
    my $of = $by{$name};

    for my $way (sort keys %ways) {
        subtest "HUB-05 HUB-07: $name while its sender reconnects after $way"
        => sub {
            my $alice = $of->{listen}->();

            ok($ways{$way}->(), $way);
            $alice->leave;
            ok(alone(), 'the stream of alice has ended');

            my $bob = listen_to('bob', session => 's1');
            my $message = $of->{message}->();
            my $refused = submit($message, uri => '/off', as => 'alice');

            is($refused->{status}, 503, 'it is refused for now')
                or diag $refused->{body};
            is($refused->{headers}{'retry-after'}, RETRY, 'Retry-After');
            is(at($refused->{json}, @{ $of->{at} }), $of->{code}, 'code');
            ok($of->{retry}->($refused), 'in words of the protocol')
                if $of->{retry};
            ok(!$bob->event(0.3), 'nothing was published');

            $alice = $of->{listen}->();

            my $taken = submit($message, uri => '/off', as => 'alice');

            like($taken->{status}, qr/^20[02]$/, 'the same message is taken')
                or diag $taken->{body};
            ok($bob->event, 'and delivered');
            $_->leave for $alice, $bob;
        };
    }
}


subtest 'HUB-07: AEE, and the answer comes by the new stream' => sub {
    ok(alone());

    my $bob = listen_to('bob', session => 's1');
    my $task = aee();

    is(submit($task, uri => '/off', as => 'alice')->{status}, 503, 'refused');

    my $alice = listen_to('alice', uri => '/aee/agent.alice');

    is(submit($task, uri => '/off', as => 'alice')->{status}, 202, 'taken');

    my $query = $bob->event->{json};
    my $said = submit(frame('bob', 'alice', kind => 'agent_response',
        payload => { query_id => $query->{payload}{query_id},
                     responder_session_id => 's1',
                     response_text => 'done' }));

    is($said->{status}, 200, 'bob answers') or diag $said->{body};
    is($alice->event->{json}{reply_to}, $task->{id}, 'alice has it');
    $_->leave for $alice, $bob;
};


$nginx->stop;


# ---- a configuration without a location that takes answers

my $without = Parley::Nginx->start(workers => 1, http => streams_http(
    locations => $submit)
        =~ s/^ *location \/channel\/stream \{.*?\n *\}$//gmsr);

subtest 'HUB-07: without a stream in the configuration the refusal is permanent' => sub {
    for my $name (sort keys %by) {
        my $of = $by{$name};
        my $refused = submit($of->{message}->(), uri => '/off',
                             as => 'alice');

        is($refused->{status}, 422, $name) or diag $refused->{body};
        ok(!exists $refused->{headers}{'retry-after'}, 'no Retry-After');
    }
};

$without->stop;

done_testing;
