# A loss of state is logged; the death of a worker loses nothing.

use strict;
use warnings;

use lib 't/lib';

use File::Copy qw(copy);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp spew build_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

my $http = sub {
    return gateway_http(zone => 'agents:1m',
                        server => 'location /status { parley_status; }', @_);
};
my $nginx = Parley::Nginx->start(workers => 1, http => $http->());
my $client = Parley::Client->new(port => port(1));
my $status = Parley::Status->new(port => port(3));

# Returns the number of losses of state in the status, for a reason.
sub lost {
    my $why = shift;

    return eval { $status->metric(qq(parley_state_lost_total{why="$why"})) };
}



sub try { return $client->raw(post(@_)) }
sub code { my $j = $_[0]{json} // {}; $j->{payload}{code} // '' }

sub workers {
    my $pid = shift // $nginx->pid;
    return split ' ', slurp("/proc/$pid/task/$pid/children");
}

# Returns the start time of a process, which distinguishes it from a later one
# with the same pid.
sub began {
    my $stat = eval { slurp("/proc/$_[0]/stat") } // return '';
    return (split ' ', $stat =~ s/.*\)//sr)[19];
}


sub count { return $nginx->logged($_[0]) }

my $empty = qr/\[error\].*parley_zone "agents"[^\n]* begins empty/;


# Waits until a sub returns a true value.
sub until_true {
    my $what = shift;
    my $end = time + 15;

    while (time < $end) {
        my $got = $what->();
        return $got if $got;
        sleep 0.05;
    }

    return 0;
}


# Kills only the worker; the next worker may have its pid at once.
sub ended {
    my ($signal, $worker) = @_;
    my $began = began($worker);

    kill $signal, $worker;

    return until_true(sub { began($worker) ne $began });
}


subtest 'OPS-08 a new zone is logged once' => sub {
    is(count(qr/\[notice\].*parley_zone "agents" is new and empty/), 1);
    is(count($empty), 0);
};


subtest 'GW-15 a reload keeps the zone, and logs nothing' => sub {
    my $m = aee();

    is(try('/aee', $m)->{status}, 202);
    ok($nginx->reload, 'reloaded');
    is(try('/aee', $m)->{status}, 409);
    is(count(qr/is new and empty/), 1);
    is(count($empty), 0);
};


subtest 'GW-25 reservations of a killed worker are free at once' => sub {
    my $m = aee();

    $service->script('$c->pause(30); $c->answer(202)');
    $service->clear;

    my $held = $client->connect;
    $held->write(post('/aee', $m));
    ok($service->wait_for(1), 'it is on its way');

    is(code(try('/aee', $m)), 'E_MESSAGE_IN_FLIGHT', 'in flight');

    my ($worker) = workers();
    ok(ended('KILL', $worker), 'killed');

    $service->script(undef);
    is(until_true(sub { eval { try('/aee', $m)->{status} } }), 202,
       'the retry passes');
    is(code(try('/aee', $m)), 'E_MESSAGE_DUPLICATE', 'once');
};


subtest 'GW-25 also those of an old worker that is killed after a reload' => sub {
    my $m = aee();

    $service->script('$c->pause(30); $c->answer(202)');
    $service->clear;

    my ($old) = workers();
    my $held = $client->connect;
    $held->write(post('/aee', $m));
    ok($service->wait_for(1), 'it is on its way');

    ok($nginx->reload, 'reloaded');
    is(code(try('/aee', $m)), 'E_MESSAGE_IN_FLIGHT',
       'the old worker has it still');
    ok((grep { $_ == $old } workers()), 'and lives');

    ok(ended('KILL', $old), 'no more');

    $service->script(undef);
    is(try('/aee', $m)->{status}, 202, 'without a successor');
};


my $last_pid = '/proc/sys/kernel/ns_last_pid';


# Becomes a process with that pid.
sub reuse {
    my $wanted = shift;

    for (1 .. 300) {
        spew($last_pid, $wanted - 1);

        my $pid = fork // die "fork: $!\n";

        if ($pid == 0) {
            sleep 60 if $$ == $wanted;
            POSIX::_exit(0);
        }

        return 1 if $pid == $wanted;
        waitpid $pid, 0;
    }

    return 0;
}


subtest 'GW-25 its process id belongs to another process now' => sub {
    plan skip_all => 'process ids cannot be chosen here'
        if !eval { spew($last_pid, slurp($last_pid)); 1 };

    my $m = aee();

    $service->script('$c->pause(30); $c->answer(202)');
    $service->clear;

    my ($old) = workers();
    my $held = $client->connect;
    $held->write(post('/aee', $m));
    ok($service->wait_for(1), 'it is on its way');
    ok($nginx->reload, 'reloaded');

    ok(ended('KILL', $old), 'killed');

    my $reused = eval { reuse($old) };

    ok($reused || -e "/proc/$old", 'and its number taken') or diag($@);

    $service->script(undef);
    is(try('/aee', $m)->{status}, 202, 'it is not the one that had the id');

    if ($reused) {
        kill 'KILL', $old;
        waitpid $old, 0;
    }
};


subtest 'GW-25 also those of a worker that was told to stop at once' => sub {
    my $m = aee();

    $service->script('$c->pause(30); $c->answer(202)');
    $service->clear;

    my ($old) = workers();
    my $held = $client->connect;
    $held->write(post('/aee', $m));
    ok($service->wait_for(1), 'it is on its way');

    ok(ended('TERM', $old), 'gone');

    $service->script(undef);
    is(until_true(sub { eval { try('/aee', $m)->{status} } }), 202);
};


subtest 'OPS-08 a zone with another size' => sub {
    my $m = aee();

    is(try('/aee', $m)->{status}, 202);
    ok($nginx->reload(http => $http->(zone => 'agents:2m')), 'reloaded');

    is(count($empty), 1);
    is(count(qr/parley_zone "agents" of 2097152 octets begins empty, in place /
             . qr/of "agents" of 1048576,[^\n]* loses [1-9]\d* ids/), 1,
       'it says what is lost');
    is(try('/aee', $m)->{status}, $ENV{PARLEY_TEST_STORE} ? 409 : 202,
       'which is so, but not of a store');
};


subtest 'OPS-08 a zone with another name' => sub {
    ok($nginx->reload(http => $http->(zone => 'others:2m')), 'reloaded');
    is(count(qr/\[error\].*parley_zone "others" of 2097152 octets begins /
             . qr/empty, in place of "agents" of 2097152/), 1);

    ok($nginx->reload(http => $http->(zone => 'agents:2m')), 'and back');
    is(count(qr/parley_zone "agents"[^\n]* in place of "others"/), 1);
};


# Fails on a listener that cannot be bound; nginx has created the zones by
# then.
sub refused {
    my %o = @_;

    my $taken = Parley::Env::listener(port(4));
    my $bound = count(qr/\[emerg\].*still could not bind/);

    $o{server} .= "\n    }\n    server {\n        listen 127.0.0.1:" . port(4)
                . ";";
    $nginx->reload(http => $http->(%o));

    return until_true(sub {
        $bound < count(qr/\[emerg\].*still could not bind/);
    });
}


subtest 'OPS-08 a refused reload with another size of the zone' => sub {
    my $before = count($empty);
    my $m = aee();

    is(try('/aee', $m)->{status}, 202);
    ok(refused(zone => 'agents:4m'), 'refused');
    is(count($empty), $before, 'nothing is said to be lost');
    is(try('/aee', $m)->{status}, 409, 'as nothing is');
};


subtest 'OPS-08 a refused reload with smaller bounds' => sub {
    my @more = (zone => 'agents:2m', more => 'parley_retain count=100 time=1h;');

    ok($nginx->reload(http => $http->(@more)), 'reloaded');

    my @kept = map { aee() } 1 .. 12;

    try('/aee', $_) for @kept;
    ok(refused(zone => 'agents:2m', more => 'parley_retain count=2 time=1h;'), 'refused');
    try('/aee', aee()) for 1 .. 12;

    my @there = grep {
        my $fetch = aee(intent => 'aee.context.fetch', to => 'service.parley',
                        payload => { id => $_->{id} });
        try('/aee', $fetch)->{json}{payload}{envelope};
    } @kept;

    is(scalar @there, 12, 'each is there still');
    ok($nginx->reload(http => $http->(zone => 'agents:2m')), 'and back');
};


subtest 'OPS-08 the module from another file' => sub {
    my $module = Parley::Env::load_module();

    plan skip_all => 'the module is linked in' if $module eq '';

    my $before = count($empty);
    my $other = tmp_dir() . '/another.so';

    copy($module, $other) or die "$other: $!\n";

    local $ENV{PARLEY_MODULE} = $other;
    ok($nginx->reload(http => $http->(zone => 'agents:2m')), 'reloaded');
    is(count($empty), $before + 1);
    is(count(qr/begins empty: the module was loaded from another file/), 1);
    is(lost('module'), 1, 'the status says so');
    is(try('/aee', aee())->{status}, 202);
};


subtest 'OPS-08 "nginx -t" loses nothing' => sub {
    my $before = count($empty);
    my ($status, $said) = Parley::Nginx->check(
                                      http => $http->(zone => 'agents:4m'));

    is($status, 0) or diag($said);
    unlike($said, qr/empty/);
    is(count($empty), $before);
};


# a master in the foreground ignores the signal for that
subtest 'OPS-08 another binary' => sub {
    $nginx->stop;

    my $daemon = Parley::Nginx->prepare(http => $http->());
    my $pid = sub { (eval { slurp($daemon->dir . "/nginx.pid$_[0]") } // '')
                    =~ /(\d+)/ ? $1 : 0 };

    my ($binary, @words) = $daemon->command;

    # it is started by its path
    ($binary) = grep { -x } map { "$_/$binary" } split /:/, $ENV{PATH}
        if $binary !~ m{/};

    is(system($binary, @words), 0, 'it starts');

    my $old = until_true(sub { $pid->('') }) or return;
    my $m = aee();

    is(until_true(sub { eval { try('/aee', $m)->{status} } }), 202);

    kill 'USR2', $old;

    my $new = until_true(sub { $pid->('.oldbin') && $pid->('') });

    ok($new && $new != $old, 'another runs beside it');
    is($daemon->logged(qr/\[error\] \d+#\d+: parley_zone "agents" begins /
                       . qr/empty: another binary of nginx/),
       1, 'which says that it knows of nothing');

    # either of them may answer
    ok(until_true(sub { (lost('binary') // 0) == 1 }), 'in its status, too');

    for my $master (grep { $_ } $new, $old) {
        kill 'TERM', $master;
        ok(until_true(sub { !kill 0, $master }), 'stopped');
    }

    is($daemon->logged(qr/\[(?:emerg|crit|alert)\]/), 0, 'nothing alarming');
};


is($nginx->logged(qr/\[(?:emerg|crit)\](?!.*(?:bind\(\)|could not bind))/), 0,
   'nothing alarming was logged');

done_testing;
