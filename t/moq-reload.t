# Reloads of nginx and killed workers on MoQ: each connection gets GOAWAY and an
# end with NO_ERROR, or a stateless reset from its worker's successor; agents come
# back at once; commands that run are answered.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port root spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

my $dir = tmp_dir();

spew("$dir/quic.key", join '', map { chr int rand 256 } 1 .. 32);
mkdir "$dir/html" or die $!;
spew("$dir/html/big", 'x' x 400_000);

# answers with the worker that asked, after the seconds that the command names
my $service = Parley::Upstream->start(port(2), <<'EOF_SCRIPT');
    my $payload = $q->{json}{payload} // {};

    $c->pause($payload->{wait}) if $payload->{wait};
    $c->answer(200, [], jcs({ action => $q->{json}{action},
                              session_id => $q->{json}{session_id},
                              status => 'approved', payload => {
                                  worker => $q->{headers}{'x-worker'} } }));
EOF_SCRIPT

my %conf = (workers => 2,
    main => 'worker_shutdown_timeout 20s;', http => moq_http(
    messages => '/service', more => 'parley_replay size=1m;',
    server => "quic_host_key $dir/quic.key;",
    locations => <<"EOF_LOCATIONS"));
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_set_header X-Worker \$pid;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /slow/ {
            alias $dir/html/;
            limit_rate 100k;
        }
EOF_LOCATIONS
my $nginx = Parley::Nginx->start(%conf);
my $moq = Parley::Moq->new;
my $number = 0;


# Connects so many agents, each with a session.
sub agents {
    my $n = shift;

    my @agents = map { $moq->connect((qw(camera viewer planner))[$_ % 3] . '#'
                                     . ++$number, token => undef) } 1 .. $n;

    return grep { $_->init } @agents;
}

# Returns the worker of a connection.
sub worker {
    my $answer = shift->call({ action => 'ping' });

    return ($answer // {})->{json}{payload}{worker} // 'none';
}

# Tells nginx to reload, and does not wait.
sub reload { kill 'HUP', $nginx->pid }

# Waits for the end of each connection; returns how often each end came.
sub ends {
    my %ends;

    for my $c (@_) {
        my $goaway = $c->message('GOAWAY') ? 'GOAWAY' : 'no GOAWAY';

        $ends{"$goaway, " . ($c->closed // 'no end')}++;
    }

    return \%ends;
}


subtest 'MOQ-17 a reload ends each connection, and each comes back' => sub {
    for my $round (1 .. 4) {
        my @agents = agents(20);
        my %workers = map { worker($_) => 1 } @agents;

        is(scalar @agents, 20, "round $round: 20 sessions");
        cmp_ok(scalar keys %workers, '>=', 2, 'in two workers');

        my $began = time;

        reload();
        is_deeply(ends(@agents), { 'GOAWAY, NO_ERROR' => 20 }, 'each end');
        cmp_ok(time - $began, '<', 5, 'at once');

        my ($back, $longest) = (0, 0);

        for (@agents) {
            my $from = time;

            $back++ if agents(1);
            $longest = time - $from if time - $from > $longest;
        }

        is($back, 20, 'each comes back');
        cmp_ok($longest, '<', 2, 'within 2 seconds');
        $_->do('drop') for @agents;
    }
};


# Sends a command of each that takes 2 seconds; returns their Stream IDs by name.
sub slow {
    return map { $_->name => $_->cmd({ action => 'slow',
                     session_id => $_->{session_id},
                     payload => { wait => 2, n => $_->name } }) } @_;
}


subtest 'MOQ-17 commands that run during a reload are answered' => sub {
    my @agents = agents(8);
    my $before = $service->count;
    my %sent = slow(@agents);

    ok($service->wait_for($before + 8), 'the service has them');
    $nginx->reload;

    # the new workers take connections while the old ones have theirs
    ok($agents[0]->message('GOAWAY'), 'GOAWAY');

    my $from = time;
    my @new = agents(4);

    is(scalar @new, 4, 'new connections');
    cmp_ok(time - $from, '<', 2, 'at once');

    # these reload again, so three generations have connections
    my %later = slow(@new);

    ok($service->wait_for($before + 12), 'the service has more');
    $nginx->reload;
    is(scalar agents(4), 4, 'new connections, again');

    my $answered = 0;

    for my $c (@agents, @new) {
        my $n = $sent{$c->name} // $later{$c->name};

        $answered++ if $c->event('cmd', sub { $_[0]{stream_id} == $n });
    }

    is($answered, 12, 'each command has its answer, on its own connection');
    is($service->count, $before + 12, 'the service got each once');
    $agents[0]->closed and shift @agents;
    is_deeply(ends(@agents, @new), { 'GOAWAY, NO_ERROR' => 11 }, 'each end');
};


# Reloads with another configuration while commands run.
sub reload_to {
    my %to = @_;

    my @agents = agents(8);
    my $before = $service->count;
    my %sent = slow(@agents);

    ok($service->wait_for($before + 8), 'the service has the commands');
    $nginx->reload(%conf, %to);

    is(scalar grep({ my $c = $_;
                     $c->event('cmd', sub { $_[0]{stream_id}
                                            == $sent{$c->name} }) } @agents),
       8, 'each is answered');
    is_deeply(ends(@agents), { 'GOAWAY, NO_ERROR' => 8 }, 'each end');
}


subtest 'MOQ-17 a reload without parley_moq' => sub {
    reload_to(http => $conf{http} =~ s/^ *parley_moq .*;$/return 404;/mr);
    $nginx->reload(%conf);
    is(scalar agents(4), 4, 'new connections, with it again');
};


subtest 'MOQ-17 a reload with another user' => sub {
    plan skip_all => 'only root can change the user' if $> != 0;

    reload_to(main => "$conf{main} user daemon;");
    is(scalar agents(4), 4, 'new connections');
    reload_to();
};


subtest 'GW-09 MOQ-18 a download over HTTP/3 outlives a reload' => sub {
    my $port = port(1);

    open my $out, '-|', '/usr/bin/python3', root() . '/t/moq/h3.py', $port,
         '/slow/big' or die $!;
    sleep 1;
    reload();

    local $/;
    my $body = <$out>;

    is(length $body, length("200 \n") + 400_000, 'it is whole');
};


subtest 'MOQ-17 a killed worker' => sub {
    my @agents = agents(16);
    my %worker = map { $_->name => worker($_) } @agents;
    my $dies = $worker{$agents[0]->name};
    my (%ends, %wanted);

    kill 'KILL', $dies;

    for my $c (@agents) {
        my $ours = $worker{$c->name} eq $dies;
        my $n = $c->cmd({ action => 'ping', session_id => $c->{session_id} });
        my $event = $moq->wait(sub {
            my $e = shift;

            return ($e->{on} // '') eq $c->name
                   && ($e->{event} eq 'stateless_reset'
                       || $e->{event} eq 'cmd' && $e->{stream_id} == $n);
        }, undef, $c->name);

        $wanted{$ours ? 'stateless_reset' : 'cmd'}++;
        $ends{$event ? $event->{event} : 'nothing'}++;
    }

    is_deeply(\%ends, \%wanted, 'its connections are reset, others go on');

    my $from = time;

    is(scalar agents(4), 4, 'new connections');
    cmp_ok(time - $from, '<', 3, 'at once');
    $_->do('drop') for @agents;
};


subtest 'MOQ-17 a worker that is killed while it leaves' => sub {
    my @agents = agents(8);
    my $worker = worker($agents[0]);
    my $before = $service->count;

    $_->cmd({ action => 'slow', session_id => $_->{session_id},
              payload => { wait => 3, n => $_->name } }) for @agents;
    ok($service->wait_for($before + 8), 'the service has the commands');
    reload();
    ok($agents[0]->message('GOAWAY'), 'GOAWAY');
    kill 'KILL', $worker;

    my $from = time;
    my @new = agents(8);

    is(scalar @new, 8, 'new connections');
    cmp_ok(time - $from, '<', 3, 'at once');
    unlike(worker($_), qr/none/, 'it works') for @new;
    $_->do('drop') for @agents, @new;
};


subtest 'MOQ-17 a worker that hangs while it leaves' => sub {
    my @agents = agents(8);
    my $worker = worker($agents[0]);
    my $before = $service->count;

    $_->cmd({ action => 'slow', session_id => $_->{session_id},
              payload => { wait => 3, n => $_->name } }) for @agents;
    ok($service->wait_for($before + 8), 'the service has the commands');
    reload();
    ok($agents[0]->message('GOAWAY'), 'GOAWAY');
    kill 'STOP', $worker;

    my $from = time;
    my @new = agents(8);

    is(scalar @new, 8, 'new connections');
    cmp_ok(time - $from, '<', 5, 'they wait for it once');
    unlike(worker($_), qr/none/, 'it works') for @new;
    like($nginx->error_log, qr/the worker before does not answer/, 'a line');
    kill 'CONT', $worker;
    $_->do('drop') for @agents, @new;
};


# Reloads so often, each time when the workers before have exited; returns the
# number of descriptors of the master then.
sub descriptors {
    for (1 .. shift) {
        my $exited = $nginx->logged(qr/worker process \d+ exited/);

        $nginx->reload;
        $nginx->wait_for(qr/worker process \d+ exited/, $exited + 2);
    }

    return scalar(() = glob '/proc/' . $nginx->pid . '/fd/*');
}


subtest 'MOQ-17 reloads leave no descriptors' => sub {
    my $before = descriptors(4);

    $nginx->reload(%conf, workers => 16);
    $nginx->reload(%conf);
    cmp_ok(descriptors(2), '<', $before + 16,
           'those of workers that have exited are closed');
};


subtest 'the gateway goes on' => sub {
    my $log = $nginx->error_log =~ s/^.*exited on signal 9\b.*\n//mgr;

    unlike($log, qr/exited on signal/, 'no process ended');
    unlike($log, qr/^.*\[(?:alert|emerg)\].*$/m, 'no alert');
};


done_testing();
