# Deliveries and deadlines of two gateways that share a store (CLU-06, HUB-09).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Redis;
use Parley::Status;
use Parley::StreamNodes;
use Parley::Streams;
use Parley::Upstream;
use Parley::Websocket;

use constant LEASE => 3;        # seconds

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $dir = tmp_dir();
my $redis = Parley::Redis->start(port(4));
my $peer = Parley::Upstream->start(port(2), undef, tls => 1);

spew("$dir/gateway.jwk", private_jwk(gateway_key()));

# carol is above alice, and frank above carol; bob, dave and erin have URLs, and
# nobody listens at those of dave and erin at first

my $hosts = join ',', map { '127.0.0.1:' . port($_) } 2, 11, 12;
my $nodes = stream_nodes($redis, words => 'lease=' . LEASE . 's',
    identities => streams_identities(
        alice => { parent => 'carol' }, carol => { parent => 'frank' },
        frank => { instrument => undef },
        bob => { deliver => 'https://127.0.0.1:' . port(2) . '/bob',
                 speaks => 'vcp' },
        dave => { deliver => 'https://127.0.0.1:' . port(11) . '/dave',
                  speaks => 'vcp', orgs => ['~acme'] },
        erin => { deliver => 'https://127.0.0.1:' . port(12) . '/erin',
                  speaks => 'vcp', orgs => ['~acme'], instrument => undef }),
    retain => "parley_retain count=1000 time=1h; parley_audit $dir/audit.log;",
    with => "parley_deliver /_deliver hosts=$hosts;"
            . " parley_signing_key $dir/gateway.jwk;",
    locations => deliver_location());


# Returns the ids of the messages that a peer was sent.
sub sent_to {
    my ($upstream) = @_;

    return map { $_->{json}{message_id} } $upstream->requests;
}

# Returns the sum of a counter of all gateways.
sub counted {
    my ($metric) = @_;
    my $n = 0;

    $n += $nodes->status($_)->metric($metric) for $nodes->all;

    return $n;
}

# Returns a pattern of the audit line about a gateway that has left.
sub left {
    my ($how) = @_;

    return qr/"event":"gateway","host":"[^"]+","node":"[0-9a-f]{16}","outcome":"$how"/;
}

sub ended { return counted(qq(parley_jobs_ended_total{how="$_[0]"})) }

sub waits { return map { $nodes->status($_)->json->{jobs}{pending} }
                   $nodes->all }


subtest 'CLU-06 HUB-09: each message goes to a URL once' => sub {
    my @ids = map { say($nodes, $_ % 2, 'vcp', 'alice', 'bob') } 1 .. 20;

    ok($nodes->wait_for(sub { sent_to($peer) >= 20 }), 'they come');
    ok($nodes->wait_for(sub { ended('delivered') == 20 }),
       'each end is counted once');
    sleep 1.5;
    is_deeply([sort(sent_to($peer))], [sort @ids], 'and none twice');
    is_deeply([waits()], [0, 0], 'nothing is left');
};


subtest 'CLU-06 CLU-07: the jobs of a gateway that was killed' => sub {
    my @ids = map { say($nodes, 0, 'vcp', 'alice', 'dave') } 1 .. 3;
    my $second = say($nodes, 1, 'vcp', 'alice', 'erin');

    $nodes->kill(0);

    my $killed = time;
    my $dave = Parley::Upstream->start(port(11), undef, tls => 1);

    ok($nodes->wait_for(sub { sent_to($dave) >= 3 }), 'the other has them');

    my $first = ($dave->requests)[0]{time} - $killed;

    cmp_ok($first, '>', LEASE / 2, 'not before the lease is over');
    cmp_ok($first, '<', LEASE + 6, 'and soon after');
    is_deeply([sent_to($dave)], \@ids, 'in their order, once');

    ok($nodes->wait_for(sub { $nodes->nginx(1)->logged(
           qr/\[warn\] .*the lease of the gateway \S+ \([0-9a-f]{16}\) is/) }),
       'the end of its lease is logged');
    like(slurp("$dir/audit.log"), left('lease-over'), 'and audited');

    $nodes->begin(0);
    ok($nodes->wait_for(sub { (waits())[0] == 0 }), 'it begins again');

    my $erin = Parley::Upstream->start(port(12), undef, tls => 1);

    ok($nodes->wait_for(sub { sent_to($erin) >= 1 }));
    sleep LEASE;
    is_deeply([sent_to($erin)], [$second], 'a job of the living gateway');
    is_deeply([sent_to($dave)], \@ids, 'none comes again');
    is_deeply([waits()], [0, 0]);
    $_->stop for $dave, $erin;
};


# A reload continues the gateway, with or without workers of the configuration
# before; a stop ends it.
subtest 'CLU-06 CLU-07: the jobs of a gateway that is stopped' => sub {
    my @ids = map { say($nodes, 0, 'vcp', 'alice', 'dave') } 1 .. 3;
    my $members = sub {
        $redis->cli('ZCOUNT', '{parley}m', int(1000 * time), '+inf') };
    my $least = $members->();
    my %conf = $nodes->conf(0);

    for (1 .. 3) {
        ok($nodes->nginx(0)->reload(%conf), 'reload');

        my $until = time + 1.5;

        while (time < $until) {
            my $n = $members->();

            $least = $n if $n < $least;
            sleep 0.005;
        }
    }

    is($least, 2, 'a reload releases nothing');
    is_deeply([waits()], [3, 0], 'the jobs are those of the gateway');

    $nodes->wait_up;
    $nodes->stop(0);

    my $stopped = time;

    is($members->(), 1, 'a stop is told to the store');

    my $dave = Parley::Upstream->start(port(11), undef, tls => 1);

    ok($nodes->wait_for(sub { (waits())[0] == 3 }), 'the other has its jobs');
    cmp_ok(time - $stopped, '<', LEASE, 'before its lease would be over');
    ok($nodes->wait_for(sub { sent_to($dave) >= 3 }), 'and does them');
    is_deeply([sent_to($dave)], \@ids, 'in their order, once');
    ok($nodes->wait_for(sub { $nodes->nginx(1)->logged(
           qr/\[notice\] .*the gateway \S+ \([0-9a-f]{16}\) has stopped/) }),
       'which is logged');
    like(slurp("$dir/audit.log"), left('stopped'), 'and audited');

    $nodes->begin(0);
    ok($nodes->wait_for(sub { $members->() == 2 }), 'it begins again');
    sleep 2;
    is_deeply([sent_to($dave)], \@ids, 'none comes again');
    is_deeply([waits()], [0, 0]);
    $dave->stop;
};


subtest 'CLU-04 CLU-06: a reader at the other gateway has the message' => sub {
    my $delivered = ended('delivered');
    my $reader = opens($nodes, 1, 'vcp stream', 'dave');
    my $id = say($nodes, 0, 'vcp', 'alice', 'dave');

    is_deeply($reader->ids(1), [$id], 'a stream has it');
    ok($nodes->wait_for(sub { join(',', waits()) eq '0,0' }),
       'no attempt remains');
    is(ended('delivered'), $delivered + 1, 'it is counted once');
    $reader->leave;
};


subtest 'CLU-06 VCP-24: a deadline of a gateway that was killed' => sub {
    my ($carol, $frank) = map { opens($nodes, 1, 'vcp stream', $_) }
                          qw(carol frank);
    my $m = escalation(severity => 'critical');

    $m->{$_->[0]} = "agent://ops.example/$_->[1]"
        for [sender => 'alice'], [recipient => 'carol'];
    $m->{payload}{requires_ack} = JSON::PP::true;

    is(submit_at($nodes, 0, $m, as => 'alice')->{status}, 200);
    is_deeply($carol->ids(1), [$m->{message_id}]);
    $nodes->kill(0);

    is_deeply($frank->ids(1), [$m->{message_id}],
              'the other gateway raises it');

    my $raised = 'parley_deadlines_total{outcome="raised"}';

    ok($nodes->wait_for(sub { counted($raised) == 1 }), 'and counts it');
    $nodes->begin(0);

    my $unmet = 'parley_deadlines_total{outcome="unacknowledged"}';

    ok($nodes->wait_for(sub { counted($unmet) == 1 }), 'and reports the end');
    is_deeply($frank->ids(1, LEASE + 2), [], 'once');
    is(counted($unmet), 1, 'both');
    $_->leave for $carol, $frank;
};


subtest 'CLU-06 HUB-09: a refused message is reported once' => sub {
    $peer->script('$c->answer(400, [], "{}")');

    my @ids = map { say($nodes, $_, 'vcp', 'alice', 'bob') } 0, 1;

    ok($nodes->wait_for(sub { ended('refused') == 2 }), 'each is counted');
    ok($nodes->wait_for(sub { join(',', waits()) eq '0,0' }));

    for my $id (@ids) {
        my $lines = 0;

        $lines += () = $nodes->nginx($_)->error_log =~ /undelivered.*\Q$id\E/g
            for $nodes->all;
        is($lines, 1, 'one gateway logs it, once');
    }
};


subtest 'CLU-06: all gateways stop, and one begins' => sub {
    my $id = say($nodes, 0, 'vcp', 'alice', 'erin');

    $nodes->stop($_) for 1, 0;

    my $erin = Parley::Upstream->start(port(12), undef, tls => 1);

    $nodes->begin(1);
    ok($nodes->wait_for(sub { sent_to($erin) >= 1 }), 'the message comes');
    is_deeply([sent_to($erin)], [$id]);
    ok($nodes->wait_for(sub { join(',', waits()) eq '0' }));
};


$nodes->stop($_) for $nodes->all;

done_testing();
