# The key and the password of a store are in no core, command line, environment,
# log or status.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Env qw(is_sanitized port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

sub random_hex {
    open my $in, '<:raw', '/dev/urandom' or die "/dev/urandom: $!\n";
    read $in, my $octets, $_[0] or die "/dev/urandom: $!\n";
    return unpack 'H*', $octets;
}

my $dir = tmp_dir();
my ($password, $digits) = (random_hex(20), random_hex(32));
my %file = (password => spew("$dir/password", "$password\n"),
            key => spew("$dir/store.key", "$digits\n"));

for (values %file) {
    chmod 0600, $_ or die "$_: $!\n";
}

# a part is a leak too
my %secret = (password => substr($password, 4, 32),
              'the key in digits' => substr($digits, 0, 32),
              'the key' => substr(pack('H*', $digits), 0, 24));

mkdir "$dir/cores" or die $!;
chmod 0777, "$dir/cores" or die $!;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4), tls => port(5),
    users => ["parley on >$password ~* &* +\@all"]);
my $nodes = Parley::Nodes->start($redis, nodes => 1, key => $file{key},
    words => "user=parley password=$file{password}", log_level => 'debug',
    main => "worker_rlimit_core 2g; working_directory $dir/cores;",
    more => 'parley_retain count=10 time=10m;');
my $nginx = $nodes->nginx(0);
my $m = aee(payload => { text => 'a message that the zone keeps' });

sub code { $_[0]{json}{payload}{code} // $_[0]{json}{code} // $_[0]{status} }


# Checks that a text has no secret.
sub hides {
    my ($text, $name) = @_;

    is_deeply([grep { index($text, $secret{$_}) >= 0 } sort keys %secret], [],
              $name);
}


# Returns the workers, the newest last.
sub workers { $nginx->error_log =~ /start worker process (\d+)/g }


# Does what uses the secrets: connects again, and reads the files again.
sub uses {
    is(code($nodes->client(0)->raw(post('/aee', $m))), 202, 'a message');
    $redis->cli('CLIENT', 'KILL', 'USER', 'parley');
    ok($nginx->wait_for(qr/the store is away/), 'a lost connection');
    $nodes->wait_up;
    ok($nginx->reload, 'a reload');
    $nodes->wait_up;
    $redis->kill;
    $nodes->wait_up(is => 0);
    $redis->begin;
    $nodes->wait_up;
    is(code($nodes->client(0)->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE',
       'its copy');
}


# Ends the worker, and returns its core.
sub core_of {
    my @workers = workers();

    kill 'ABRT', $workers[-1];

    # nginx starts another worker when the core is complete
    ok($nginx->wait_for(qr/start worker process \d+/, @workers + 1),
       'the worker ends, and another begins');

    my ($file) = glob "$dir/cores/core*";

    return undef if !defined $file;

    my $core = slurp($file);

    unlink $file;

    return $core;
}


subtest 'CLU-13 a core of a worker' => sub {
    my $pattern = slurp('/proc/sys/kernel/core_pattern');

    plan skip_all => "the kernel writes cores elsewhere: $pattern"
        if $pattern =~ m{[|/]};
    plan skip_all => 'a core with a sanitizer has terabytes'
        if is_sanitized();

    uses();

    my $core = core_of();

    if (!defined $core) {
        plan skip_all => 'the kernel writes no core';
        return;
    }

    cmp_ok(length $core, '>', 1 << 20, 'octets: ' . length $core);
    cmp_ok(index($core, 'a message that the zone keeps'), '>=', 0,
           'it has the memory of the worker');
    hides($core, 'but no secret');

    # the first worker, and one that has seen no other password
    $nodes->wait_up;
    hides(core_of() // '', 'nor has one of a new worker');
    $nodes->wait_up;
};


subtest 'CLU-13 a password that the engine refuses' => sub {
    $redis->cli('ACL', 'SETUSER', 'parley', 'resetpass', '>other');
    $redis->cli('CLIENT', 'KILL', 'USER', 'parley');
    ok($nginx->wait_for(qr/\[crit\] .*WRONGPASS: correct user= and password=/),
       'is logged');

    my $core = core_of();

    hides($core, 'a core does not have it') if defined $core;

    $redis->cli('ACL', 'SETUSER', 'parley', 'resetpass', ">$password");
    $nodes->wait_up;
};


subtest 'CLU-13 processes, logs, status' => sub {
    for my $pid ($nginx->pid, (workers())[-1]) {
        hides(slurp("/proc/$pid/$_"), "$_ of $pid") for qw(cmdline environ);
    }

    cmp_ok($nginx->logged(qr/\[debug\]/), '>', 100, 'a log with details');
    hides($nginx->error_log, 'has no secret');
    hides(slurp($nginx->dir . '/access.log'), 'nor has the access log');
    hides($nodes->status(0)->get("/status?format=$_")->{content},
          "nor has the status as $_") for qw(json prometheus html);
    hides(($nodes->ready(0))[1], 'nor parley_health');
};

done_testing();
