# The states of the server of parley_store that an operator must mend: each is
# logged once in a minute with its cure, messages are refused, and the store is
# used again without a reload.

use strict;
use warnings;

use lib 't/lib';

use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4), conf => join "\n",
    'dbfilename dump.rdb', 'enable-protected-configs yes',
    'busy-reply-threshold 50');

sub code { $_[0]{json}{payload}{code} // $_[0]{status} }

my ($node, $nginx, $client);

# Each state has a gateway with an empty log.
sub begins {
    my (%o) = @_;

    undef $_ for $node, $nginx;
    $node = Parley::Nodes->start($redis, only => 0,
                                  words => 'lease=1s', %o);
    ($nginx, $client) = ($node->nginx(0), $node->client(0));
}


# Checks that a line comes once, that messages are refused, and that with the
# cure the store is used again; the id that was refused was not taken.
sub is_logged {
    my ($line, $cure) = @_;

    my $m = aee();

    $service->clear;
    ok($nginx->wait_for($line), 'logged with its cure')
        or diag $nginx->error_log;
    $node->wait_up(is => 0);
    is($client->raw(post('/aee', $m))->{status}, 503, 'messages are refused');
    sleep 1.5;
    is($nginx->logged($line), 1, 'logged once');

    return if !$cure;

    $cure->();
    $node->wait_up;
    is(code($client->raw(post('/aee', $m))), 202, 'used again');
    is($service->count, 1, 'the message is forwarded once');
}


sub conf { is($redis->cli('CONFIG', 'SET', @_), 'OK', "@_") }


subtest 'CLU-12 a server without replicas' => sub {
    begins();
    conf('min-replicas-to-write', 1);
    is_logged(qr/\[error\] .*store is away: NOREPLICAS: too few replicas; see min-replicas-to-write$/m,
              sub { conf('min-replicas-to-write', 0) });
};


subtest 'CLU-12 a replica' => sub {
    begins();
    is($redis->cli('REPLICAOF', '127.0.0.1', port(15)), 'OK');
    is_logged(qr/\[error\] .*store is away: the engine is a replica$/m,
              sub { $redis->cli('REPLICAOF', 'NO', 'ONE') });
};


subtest 'CLU-12 a replica without a primary' => sub {
    begins();
    conf('replica-serve-stale-data', 'no');
    is($redis->cli('REPLICAOF', '127.0.0.1', port(15)), 'OK');
    ok($nginx->wait_for(qr/\[error\] .*store is away: (?:MASTERDOWN: it is a replica without a primary|the engine is a replica)$/m))
        or diag $nginx->error_log;
    $redis->cli('REPLICAOF', 'NO', 'ONE');
    conf('replica-serve-stale-data', 'yes');
    $node->wait_up;
    is($client->raw(post('/aee', aee()))->{status}, 202);
};


subtest 'CLU-12 a server that cannot write its disk' => sub {
    begins();

    # the name of the file is taken
    mkdir "$redis->{dir}/dump.rdb" or die $!;
    mkdir "$redis->{dir}/dump.rdb/x" or die $!;
    conf('save', '900 1');
    $redis->cli('BGSAVE');
    is_logged(qr/\[error\] .*store is away: MISCONF: it cannot write its disk$/m,
              sub {
        rmdir "$redis->{dir}/dump.rdb/x";
        rmdir "$redis->{dir}/dump.rdb" or die $!;
        ok($node->wait_for(sub { $redis->cli('BGSAVE');
                                 $redis->info('rdb_last_bgsave_status')
                                 eq 'ok' }), 'mended');
        conf('save', '');
    });
    unlink "$redis->{dir}/dump.rdb";
};


subtest 'CLU-12 a script of another client' => sub {
    begins();

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        $redis->cli('EVAL', 'while true do end', 0);
        POSIX::_exit(0);
    }

    is_logged(qr/\[error\] .*store is away: BUSY: a script of another client runs$/m,
              sub {
        is($redis->cli('SCRIPT', 'KILL'), 'OK');
        waitpid $pid, 0;
    });
};


subtest 'CLU-12 a server that evicts' => sub {
    begins();
    conf('maxmemory-policy', 'allkeys-lru', 'maxmemory', '100mb');
    $redis->cli('CLIENT', 'KILL', 'TYPE', 'normal');
    is_logged(qr/\[crit\] .*store is not used: the engine evicts keys \(maxmemory-policy allkeys-lru\); set noeviction$/m,
              sub { conf('maxmemory-policy', 'noeviction', 'maxmemory', 0) });
};


subtest 'CLU-12 a full server' => sub {
    begins();

    # accepted before; the service takes one, and fails for the other, while the
    # server is full
    my ($m, $failed) = (aee(), aee());
    my ($asked, $asked_too) = map { $client->connect } 1, 2;

    $service->clear;
    $service->script('$c->pause(2)');
    $asked_too->write(post('/aee', $failed));
    ok($service->wait_for(1), 'the service has one');
    $service->script('$c->pause(2); $c->take');
    $asked->write(post('/aee', $m));
    ok($service->wait_for(2), 'and the other');
    $service->script(undef);
    conf('maxmemory', 1);

    my $refused = $client->raw(post('/aee', aee()));

    is($refused->{status}, 503, 'a new message is refused');
    is(code($refused), 'E_CAPACITY');
    is($asked->answer->{status}, 202, 'an earlier one is completed');
    is($asked_too->answer->{status}, 502, 'the other is given back');
    is($node->status(0)->metric('parley_store_up'), 1, 'the store is not away');

    my $other = Parley::Nodes->start($redis, only => 1);

    is($other->client(1)->raw(post('/aee', $m))->{status}, 503,
       'the other gateway cannot ask for its id');
    conf('maxmemory', 0);
    is(code($other->client(1)->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE',
       'with room again it is a duplicate there');
    is(code($other->client(1)->raw(post('/aee', $failed))), 202,
       'the one that was given back is free there');
    is(scalar(grep { $_->{json}{id} eq $m->{id} } $service->requests), 1,
       'it was forwarded once');
};


subtest 'CLU-12 a server that reads its data' => sub {
    begins();

    my $taken = aee();

    is($client->raw(post('/aee', $taken))->{status}, 202);
    $redis->cli('EVAL', <<'EOT', 0);
for i = 1, 20000 do redis.call('SET', 'x' .. i, 'x') end
EOT
    is($redis->cli('SAVE'), 'OK');
    $redis->kill;
    $redis->configure('key-load-delay 200',
                      'loading-process-events-interval-bytes 1024');
    $redis->begin;
    is_logged(qr/\[error\] .*store is away: LOADING: it reads its data$/m);
    ok($node->wait_for(sub { $redis->info('loading') eq 0 }), 'it has read it');
    $node->wait_up;
    is(code($client->raw(post('/aee', $taken))), 'E_MESSAGE_DUPLICATE');
};


subtest 'CLU-12 another key' => sub {
    my $key = spew(tmp_dir() . '/other.key', 'ab' x 32 . "\n");

    chmod 0600, $key or die $!;
    begins();
    begins(key => $key, away => 1);
    is_logged(qr/\[crit\] .*store is not used: PARLEYKEY: its data was written with another key=; use that key, or another prefix=$/m);
};


subtest 'CLU-12 Cluster mode' => sub {
    my $cluster = Parley::Redis->start(port(5), conf => 'cluster-enabled yes');

    begins(url => $cluster->url, away => 1);
    is_logged(qr/\[crit\] .*store is not used: the engine runs in Cluster mode; use one primary with replicas$/m);
};


subtest 'CLU-12 a server that is too old' => sub {
    my $info = "redis_version:6.2.14\r\nredis_mode:standalone\r\nrun_id:x\r\n";
    my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16,
                                  LocalPort => port(6), ReuseAddr => 1)
        or die $!;
    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        alarm 60;

        while (my $c = $s->accept) {
            my $line = <$c>;
            print $c '$' . length($info) . "\r\n$info\r\n";
        }
        POSIX::_exit(0);
    }

    begins(url => 'redis://127.0.0.1:' . port(6), away => 1);
    is_logged(qr/\[crit\] .*store is not used: the engine has version 6\.2\.14; Redis 7\.0 or Valkey 8 is needed$/m);
    kill 'KILL', $pid;
    waitpid $pid, 0;
};

done_testing();
