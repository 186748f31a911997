# The WebSocket to a peer that two gateways open: one of them has it at a time
# (CLU-06, VCP-32).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Peer;
use Parley::Redis;
use Parley::Streams;

use constant LEASE => 3;        # seconds

plan skip_all => 'no python3-websockets' if !has_peer();
plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

start_peer();

my $redis = Parley::Redis->start(port(4));
my $nodes = Parley::Nodes->start($redis, workers => 2,
    words => 'lease=' . LEASE . 's',
    http => sub { return peer_http(zone => 'nodes:64m',
        more => "$_[0] parley_retain count=1000 time=1h;") });
my @sent;


# Returns the gateways that have the WebSocket open.
sub open_at {
    return grep { $nodes->status($_)->metric('parley_peers{state="open"}') }
           $nodes->all;
}

# Sends a message at each gateway.
sub says {
    for my $i ($nodes->all) {
        my $m = vcp(sender => 'agent://ops.example/alice',
                    recipient => 'agent://ops.example/bob');

        ok($nodes->wait_for(sub {
            submit($m, as => 'alice', uri => '/vcp/in',
                   port => $nodes->plain($i))->{status} == 200 }),
           "gateway $i accepts a message");
        push @sent, $m->{message_id};
    }
}

# Returns the ids of the messages of alice that came to the peer.
sub ids {
    return map { $_->{message_id} } grep { $_->{sender} =~ /alice/ } texts_of();
}

sub each_once {
    my ($name) = @_;

    ok($nodes->wait_for(sub { ids() >= @sent }), "$name: all come");
    sleep 1;
    is_deeply([sort(ids())], [sort @sent], "$name: once");
}

# Sends a signal to all processes of a gateway.
sub signals {
    my ($signal, $i) = @_;

    kill $signal => $nodes->nginx($i)->pid, $nodes->workers($i);
}


ok($nodes->wait_for(sub { open_at() == 1 }), 'one gateway opens it');

subtest 'CLU-06 VCP-32: one gateway has the WebSocket' => sub {
    says();
    each_once('by both');

    my ($first) = open_at();

    sleep 6;                    # each gateway plans again
    is_deeply([open_at()], [$first], 'the same one');
    is(scalar(came('open')), 1, 'the peer has one WebSocket');
};

subtest 'CLU-06 CLU-07: the gateway is killed' => sub {
    my ($first) = open_at();

    $nodes->kill($first);
    ok($nodes->wait_for(sub { open_at() == 1 }), 'the other opens it');
    says();
    each_once('by the other');

    $nodes->begin($first);
    says();
    each_once('by both again');
    is_deeply([open_at()], [1 - $first], 'the other keeps it');
};

subtest 'CLU-06: the gateway stops for longer than its lease' => sub {
    my ($first) = open_at();

    signals(STOP => $first);
    ok($nodes->wait_for(sub {
        $nodes->status(1 - $first)->metric('parley_peers{state="open"}') }),
       'the other opens it');
    signals(CONT => $first);

    ok($nodes->wait_for(sub { "@{[ open_at() ]}" eq 1 - $first }),
       'the stopped one has left it');
    $nodes->wait_up;
    says();
    each_once('by both');
    is_deeply([open_at()], [1 - $first]);
};

$nodes->stop($_) for $nodes->all;
stop_peer();

done_testing();
