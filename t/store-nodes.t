# Two gateways that share a store: suspensions, gateways that die, lost
# connections, and a server that restarts.

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4));

my %conf = (words => 'lease=3s');

my $nodes = Parley::Nodes->start($redis, %conf);

sub code { $_[0]{json}{payload}{code} // $_[0]{json}{code} // $_[0]{status} }

sub sends {
    my ($i, @post) = @_;
    return code($nodes->client($i)->raw(post(@post)));
}


subtest 'CLU-14 a suspension holds at both gateways within a second' => sub {
    my $alarm = escalation(severity => 'emergency', requires_ack => true);

    is(sends(0, '/vcp', $alarm), 200, 'an emergency passes');

    my $began = time;
    my $refused = $nodes->wait_for(sub {
        sends(1, '/vcp', vcp()) eq 'agent-suspended' });

    ok($refused, 'the sender is suspended at the other gateway');
    cmp_ok(time - $began, '<', 2, 'soon');

    is(sends(1, '/vcp', constraint(), as => 'lead'), 200,
       'her parent resumes her there');
    $began = time;
    ok($nodes->wait_for(sub { sends(0, '/vcp', vcp()) eq 200 }),
       'she is resumed at the first');
    cmp_ok(time - $began, '<', 2, 'soon');
};


subtest 'CLU-11 connections that are cut while messages pass' => sub {
    $service->clear;
    my $going = 1;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        for (1 .. 40) {
            $redis->cli('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
            sleep 0.1;
        }
        POSIX::_exit(0);
    }

    my (%state, @ids, %refused);
    my $until = time + 4;

    while (time < $until) {
        my $m = aee();

        push @ids, $m->{id};

        # as a client does, until it is taken
        for my $try (1 .. 200) {
            my $code = sends($try % 2, '/aee', $m);

            last if $code eq 202 || $code eq 'E_MESSAGE_DUPLICATE';
            $refused{$code}++;
            sleep 0.02;
        }
    }

    waitpid $pid, 0;
    $nodes->wait_up;

    my %times;
    $times{$_->{json}{id}}++ for $service->requests;

    is_deeply([grep { $times{$_} != 1 } @ids], [], 'each passes once')
        or diag explain \%times;
    cmp_ok(scalar @ids, '>', 10, 'of ' . @ids);
    delete @refused{qw(E_CAPACITY E_MESSAGE_IN_FLIGHT)};
    is_deeply(\%refused, {}, 'others are told to send again');
    cmp_ok($nodes->status(0)->metric('parley_store_reconnects_total'), '>', 3);
};


subtest 'CLU-07 a worker that dies holds nothing' => sub {
    $service->script('$c->pause(60)');
    $service->clear;

    my $m = aee();
    my $asked = $nodes->client(0)->connect;

    $asked->write(post('/aee', $m));
    ok($service->wait_for(1), 'the service has it');

    my ($worker) = $nodes->nginx(0)->error_log
                   =~ /.*start worker process (\d+)/s;

    kill 'KILL', $worker;
    $service->script(undef);
    $nodes->nginx(0)->wait_for(qr/start worker process/, 2);
    $nodes->wait_up(nodes => [0]);
    ok($nodes->wait_for(sub { sends(1, '/aee', $m) eq 202 }),
       'the other gateway takes it');
};


subtest 'CLU-09 time without a store ends no lease' => sub {
    $nodes->wait_up;
    $service->script('$c->pause(12); $c->take');
    $service->clear;

    my $m = aee();
    my $asked = $nodes->client(1)->connect;

    $asked->write(post('/aee', $m));
    ok($service->wait_for(1), 'the service has it');

    # for longer than the lease

    $redis->pause;
    $nodes->wait_up(is => 0);
    sleep 5;
    $redis->resume;

    $nodes->wait_up(nodes => [0]);
    is(sends(0, '/aee', $m), 'E_MESSAGE_IN_FLIGHT',
       'the message is still that of the other gateway');
    $nodes->wait_up;
    is(sends(0, '/aee', $m), 'E_MESSAGE_IN_FLIGHT');

    is($asked->answer->{status}, 202, 'which completes it');
    $service->script(undef);
    ok($nodes->wait_for(sub { sends(0, '/aee', $m) eq 'E_MESSAGE_DUPLICATE' }),
       'and it was taken once') or diag sends(0, '/aee', $m);
    is($service->count, 1);
};


subtest 'CLU-07 a gateway that dies holds nothing after its lease' => sub {
    $nodes->wait_up;
    $service->script('$c->pause(60)');
    $service->clear;

    my $m = aee();
    my $asked = $nodes->client(1)->connect;

    $asked->write(post('/aee', $m));
    ok($service->wait_for(1), 'the service has it');

    my ($worker) = $nodes->nginx(1)->error_log
                   =~ /.*start worker process (\d+)/s;

    # first the master, so that it starts no other worker
    kill 'KILL', $nodes->nginx(1)->pid;
    kill 'KILL', $worker;
    waitpid $nodes->nginx(1)->pid, 0;

    my $began = time;

    $service->script(undef);
    is(sends(0, '/aee', $m), 'E_MESSAGE_IN_FLIGHT', 'not before');

    my $taken = $nodes->wait_for(sub {
        my $code = sends(0, '/aee', $m);
        return $code eq 202;
    });

    ok($taken, 'then the other gateway takes it');
    cmp_ok(time - $began, '<', 3 + 2 + 1, 'within the lease and two seconds');
};


subtest 'CLU-10 a server that restarts empty' => sub {
    my $alarm = escalation(severity => 'emergency', requires_ack => true);
    my $m = aee(from => person('bob')->{aee});

    is(sends(0, '/vcp', $alarm), 200);
    is(sends(0, '/aee', $m, as => 'bob'), 202);

    my $before = $nodes->status(0)->metric('parley_store_generation');

    $redis->kill;
    $nodes->wait_up(nodes => [0], is => 0);
    is(sends(0, '/vcp', vcp()), 'agent-suspended',
       'CLU-14 a suspension holds while the store is away');
    $redis->begin;
    $nodes->wait_up(nodes => [0]);

    my $status = $nodes->status(0);

    cmp_ok($status->metric('parley_store_generation'), '>', $before,
           'is another generation');
    is($status->metric('parley_store_lost_total{why="generation"}'), 1,
       'and counted');
    is($nodes->nginx(0)->logged(qr/\[warn\] .*generation/), 1, 'and logged');

    is(sends(0, '/aee', $m, as => 'bob'), 'E_MESSAGE_DUPLICATE',
       'the zone has its ids');

    # a gateway that comes later learns the suspension from the store
    my $late = Parley::Nodes->start($redis, %conf, only => 1);

    ok($late->wait_for(sub {
           code($late->client(1)->raw(post('/vcp', vcp())))
           eq 'agent-suspended' }), 'and its suspensions');
};

done_testing();
