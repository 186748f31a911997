# The round trips to the store that a message waits for.  A relay holds the
# replies of the engine, so the answer to a request shows which of them the
# gateway has waited for.

use strict;
use warnings;

use lib 't/lib';

use IO::Select;
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::HeldReplies;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::StreamNodes;
use Parley::Streams;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4));
my $relay = Parley::HeldReplies->start(port(6), $redis);
my $nodes = Parley::Nodes->start($redis, url => $relay->url,
    more => 'parley_retain count=100 time=10m;',
    server => location('/limited', 'parley_accept aee; parley_jwt on; '
                       . 'parley_rate 1r/h;')
              . location('/exact', 'parley_accept aee; parley_jwt on; '
                         . 'parley_rate 1r/h burst=1 urgent=1r/h '
                         . 'role=ops:1r/h:1 shared=exact;')
              . location('/denied', 'parley_accept aee; parley_jwt on; '
                         . 'parley_deny intent=ops.*;'));


# Returns the status of a request and the commands of each round trip that it has
# waited for.  The last replies are held while the answer comes.  A gateway closes a connection
# that is silent for a second, so on a busy machine a case begins again.
sub trips {
    my ($i, $uri, $make, %o) = @_;

    for my $try (1 .. 5) {
        my $at = ($o{of} // $nodes)->client($i)->connect;
        my $octets = post($uri, $make->(), as => $o{as} // 'alice');
        my @awaited;

        $relay->hold(steps => $o{steps});
        $at->write($octets);

        while (!answered($at, 0.1)) {
            my @held = $relay->held(0.1) // next;

            last if answered($at, 0.15);

            while (defined(my $name = $relay->held(0))) {
                push @held, $name;
            }

            push @awaited, "@held";
            $relay->release;
        }

        my $answer = $at->answer;

        $relay->pass;
        ($o{of} // $nodes)->wait_up;

        return { status => $answer->{status}, awaited => \@awaited,
                 code => $answer->{json}{payload}{code} }
            if $answer->{status} != 503;
    }

    return {};
}


# Returns whether the answer to a request begins within seconds.  A server of TLS
# 1.3 sends tickets before it, which make the socket readable too.
sub answered {
    my ($at, $seconds) = @_;

    my $socket = $at->{socket};
    my $until = time + $seconds;

    while (!$socket->pending) {
        my $left = $until - time;

        return 0 if $left <= 0 || !IO::Select->new($socket)->can_read($left);

        $socket->blocking(0);
        my $n = $socket->peek(my $octet, 1);
        $socket->blocking(1);

        return 1 if defined $n;
    }

    return 1;
}


sub trips_are {
    my ($what, $i, $uri, $make, $status, $awaited, @o) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;

    my $got = trips($i, $uri, $make, @o);

    subtest $what => sub {
        is($got->{status}, $status);
        is_deeply($got->{awaited}, $awaited) || diag explain $got;
    };
}


# Returns a message that a gateway has taken, and that the store knows.
sub sent {
    my ($i, $uri, $m, @o) = @_;

    my $ids = keys_of('i');

    is($nodes->client($i)->raw(post($uri, $m, @o))->{status}, 202);
    ok($nodes->wait_for(sub { keys_of('i') > $ids }));

    return $m;
}

sub keys_of {
    return scalar split /\n/, $redis->cli('--scan', '--pattern',
                                          "{parley}$_[0]*");
}


subtest 'CLU-16 a message awaits one round trip' => sub {
    trips_are('an event', 0, '/aee', sub { aee(type => 'event') }, 202,
              ['SET i']);
    trips_are('a task', 0, '/aee', sub { aee() }, 202, ['SET i']);
    trips_are('VCP', 0, '/vcp', sub { vcp() }, 200, ['SET i']);
    trips_are('a message that is translated', 0, '/to-aee', sub { vcp() }, 200,
              ['SET i']);
    trips_are('a message with exact limits', 0, '/exact', sub { aee() }, 202,
              ['p1_admit']);
};


subtest 'CLU-16 CLU-02 a final answer awaits two' => sub {
    trips_are('at the gateway of the question', 0, '/aee',
              sub { result(sent(0, '/aee', aee())) }, 202,
              ['p1_admit', 'p1_settle'], as => 'bob');
    trips_are('at another gateway, which first reads the question', 1, '/aee',
              sub { result(sent(0, '/aee', aee())) }, 202,
              ['GET r', 'p1_admit', 'p1_settle'], as => 'bob');
    trips_are('an answer without a question, which is looked for twice', 0,
              '/aee', sub { result(aee()) }, 202, ['GET r', 'GET r', 'SET i'],
              as => 'bob');
};


subtest 'CLU-16 a message that the zone refuses awaits none' => sub {
    my $known = sent(0, '/aee', aee());

    trips_are('a known duplicate', 0, '/aee', sub { $known }, 409, []);

    sent(0, '/limited', aee());
    trips_are('a limit', 0, '/limited', sub { aee() }, 429, []);

    trips_are('a rule', 0, '/denied', sub { aee() }, 403, []);
};


subtest 'CLU-16 a duplicate of another gateway awaits one' => sub {
    my $known = sent(0, '/aee', aee());

    trips_are('its id', 1, '/aee', sub { $known }, 409, ['SET i']);
};


subtest 'CLU-16 a suspension awaits one more, and its notice' => sub {
    trips_are('an emergency', 0, '/vcp',
              sub { escalation(severity => 'emergency', requires_ack => true) },
              200, ['SET i', 'SET r p1_share', 'p1_append']);
};


subtest 'CLU-16 a submission awaits two' => sub {
    undef $nodes;

    my $streams = stream_nodes($redis, nodes => 1, workers => 1,
                               url => $relay->url);

    for my $protocol (qw(aee channel)) {
        my $bob = opens($streams, 0, "$protocol stream", 'bob');
        my $got;

        # the gateway also asks for steps once a second, within 20 ms for one of
        # its own whose reply is held, and adds sessions again at the beginning
        for my $try (1 .. 10) {
            $got = trips(0, '/channel/frames',
                         sub { saying($protocol, 'carol', 'bob') },
                         of => $streams, as => 'carol', steps => 1);
            last if ($got->{awaited}[0] // '') eq 'p1_feed SET i'
                    && @{ $got->{awaited} } == 2;
        }

        my ($admitted, $appended, @more) = @{ $got->{awaited} };

        like($got->{status}, qr/^20[02]$/, $protocol);
        is($admitted, 'p1_feed SET i', 'the steps of others come with its id');
        like($appended, qr/^(?:SET r )?p1_append(?: p1_feed)?$/, 'its append');
        is_deeply(\@more, [], 'and no more') || diag explain $got;
    }
};


done_testing;
