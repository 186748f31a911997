# Gateways of one store: limits, suspensions, gateways and workers that die, an
# engine that restarts, and connections that are lost.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(parley_try port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4));
my $file = from_json(identities());

# lead is the parent of alice
$_->{parent} = 'lead' for grep { $_->{sub} eq 'alice' } @{ $file->{principals} };
spew(tmp_dir() . '/nodes.json', jcs($file));

my $nodes = Parley::Nodes->start($redis, words => 'lease=2s timeout=1s',
    server => <<'EOT');
        location /limited {
            parley_accept aee;
            parley_jwt on;
            parley_rate 20r/s burst=5;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }

        location /slow {
            parley_accept aee;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
            proxy_read_timeout 60s;
        }
EOT

my @clients = map { $nodes->client($_) } 0, 1;

sub code {
    my ($answer) = @_;
    my $json = $answer->{json} // {};

    return $json->{payload}{code} // $json->{code} // $answer->{status};
}

# Returns a message of bob, since alice is suspended.
sub by_bob { aee(from => 'agent.bob', to => 'agent.alice') }

# Posts a message to a gateway; returns the code of its refusal or the status.
sub at {
    my ($i, $uri, $m, %o) = @_;

    return code($clients[$i]->raw(post($uri, $m, %o)));
}


subtest 'CLU-03 GW-05: a limit holds over both gateways' => sub {
    my ($passed, $began) = (0, time);
    my $n = 0;

    while (time - $began < 8) {
        $passed++ if at($n++ % 2, '/limited', aee()) eq 202;
        sleep 0.005;
    }

    my $most = (time - $began) * 20 + 5;

    cmp_ok($passed, '>=', $most * 0.9, "$passed of $n pass, $most of one");
    cmp_ok($passed, '<=', $most * 1.05 + 5, 'one more burst at most');
};


subtest 'CLU-14 VCP-26: a suspension holds at the other gateway' => sub {
    my $m = escalation(severity => 'emergency', requires_ack => \1);

    is(at(0, "/vcp", $m), 200, "the emergency is taken");

    my $began = time;

    ok($nodes->wait_for(sub { at(1, '/vcp', vcp()) =~ /suspended/i }),
       'its sender is suspended at the other');
    cmp_ok(time - $began, '<', 3);
    like(at(0, '/vcp', vcp()), qr/suspended/i, 'as at the first');

    $redis->pause;
    $nodes->wait_up(is => 0);
    like(at(1, '/vcp', vcp()), qr/suspended/i,
         'and while the store is away');
    $redis->resume;
    $nodes->wait_up;
};


# Begins a message that its service does not answer; returns the message.
sub in_flight {
    my ($i) = @_;
    my $m = by_bob();
    my $c = $clients[$i]->connect;

    $service->clear;
    $service->script('sleep 60');
    $c->write(post('/slow', $m, as => 'bob'));
    ok($nodes->wait_for(sub { $service->count == 1 }), 'it is forwarded');
    $service->script(undef);

    return ($m, $c);
}

subtest 'CLU-07: a worker of a living gateway dies' => sub {
    my ($m, $c) = in_flight(0);

    is(at(1, '/slow', $m, as => 'bob'), 'E_MESSAGE_IN_FLIGHT');

    my ($worker) = $nodes->workers(0);
    kill 'KILL', $worker;

    my $began = time;

    ok($nodes->wait_for(sub { at(1, '/slow', $m, as => 'bob') eq 202 }),
       'the other gateway forwards it');
    cmp_ok(time - $began, '<', 10);
    $nodes->wait_up;
};


subtest 'CLU-07: a gateway dies' => sub {
    my ($m, $c) = in_flight(0);
    my @dead = ($nodes->nginx(0)->pid, $nodes->workers(0));

    kill 'KILL', @dead;

    my $began = time;

    is(at(1, '/slow', $m, as => 'bob'), 'E_MESSAGE_IN_FLIGHT',
       'its lease is not over');
    ok($nodes->wait_for(sub { at(1, '/slow', $m, as => 'bob') eq 202 }),
       'the other gateway forwards it later');
    cmp_ok(time - $began, '>=', 0.5);
    cmp_ok(time - $began, '<', 8, 'soon after the lease');

    $nodes->begin(0);
    is(at(0, '/slow', $m, as => 'bob'), 'E_MESSAGE_DUPLICATE',
       'it knows the message when it is back');
};


subtest 'CLU-10: the engine restarts without its data' => sub {
    my $losses = 'parley_store_lost_total{why="generation"}';
    my $lost = $nodes->status(0)->metric($losses);
    my $generation = $nodes->status(0)->metric('parley_store_generation');

    $redis->kill;
    $nodes->wait_up(is => 0);
    $redis->begin;
    $nodes->wait_up;

    like($nodes->nginx(0)->error_log, qr/engine has restarted.*generation/);
    cmp_ok($nodes->status(0)->metric($losses), '>', $lost);
    cmp_ok($nodes->status(0)->metric('parley_store_generation'), '>',
           $generation);
    like(at(1, '/vcp', vcp()), qr/suspended/i,
         'CLU-14 the suspension is back in the store');
    is($redis->cli('HLEN', '{parley}y') + 0, 1);
};


subtest 'CLU-11: connections that are cut while messages pass' => sub {
    $service->clear;

    my (%taken, $refused);

    for my $n (1 .. 150) {
        my $m = by_bob();

        $redis->cli('CLIENT', 'KILL', 'TYPE', 'normal') if $n % 5 == 0;

        for (1 .. 50) {
            my $code = at($n % 2, '/aee', $m, as => 'bob');

            last if $code eq 202 || $code eq 'E_MESSAGE_DUPLICATE';
            $refused++;
            sleep 0.1;
        }

        is(at(1 - $n % 2, '/aee', $m, as => 'bob'), 'E_MESSAGE_DUPLICATE')
            if $nodes->wait_for(sub {
                   at(1 - $n % 2, '/aee', $m, as => 'bob') !~ /^503|CAPACITY/ });
    }

    is($service->count, 150, "each is forwarded once ("
                             . ($refused // 0) . " refusals)");
};


done_testing;
