# Two gateways that share a store: windows, questions, and the store away.

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(load_module port spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4), tls => port(5),
    users => ['parley on >word ~* &* +@all']);
my $nodes = Parley::Nodes->start($redis);
my ($one, $other) = map { $nodes->client($_) } 0, 1;

sub code { $_[0]{json}{payload}{code} // $_[0]{status} }


subtest 'CLU-01 an id that both gateways get is forwarded once' => sub {
    $service->clear;
    my $m = aee();

    is($one->raw(post('/aee', $m))->{status}, 202, 'at the first');
    is(code($other->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE', 'at the other');
    is(code($one->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE', 'at the first');
    is($service->count, 1);
};


subtest 'CLU-01 ids that both gateways get at once' => sub {
    $service->clear;

    my (%seen, $taken);

    for my $n (1 .. 50) {
        my $m = aee();
        my @at = map { $_->connect } $n % 2 ? ($one, $other) : ($other, $one);

        $_->write(post('/aee', $m)) for @at;

        my @codes = map { code($_->answer) } @at;

        $taken += grep { $_ eq 202 } @codes;
        $seen{$_}++ for grep { $_ ne 202 } @codes;
    }

    is($taken, 50, 'each is taken once');
    is($service->count, 50, 'and forwarded once');
    delete @seen{qw(E_MESSAGE_DUPLICATE E_MESSAGE_IN_FLIGHT)};
    is_deeply(\%seen, {}, 'the other copy is a duplicate');
};


subtest 'CLU-02 an answer finds its question at the other gateway' => sub {
    $service->clear;
    my $m = aee();

    is($one->raw(post('/aee', $m))->{status}, 202, 'asked at the first');
    is($other->raw(post('/aee', result($m), as => 'bob'))->{status}, 202,
       'answered at the other');
    is(code($one->raw(post('/aee', result($m), as => 'bob'))),
       'E_REPLY_UNMATCHED', 'a second answer is refused');
    is(code($other->raw(post('/aee', result($m), as => 'bob'))),
       'E_REPLY_UNMATCHED', 'at both');
    is($service->count, 2);
};


subtest 'CLU-01 a gateway that reloads keeps the window' => sub {
    $service->clear;
    my $m = aee();

    is($one->raw(post('/aee', $m))->{status}, 202);
    ok($nodes->nginx(1)->reload($nodes->conf(1)));
    $nodes->wait_up;
    is(code($other->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE');
    is($service->count, 1);

    ok($nodes->wait_for(sub {
           $nodes->status(0)->metric('parley_store_nodes') == 2 }),
       'workers that exit leave the store')
        or diag $nodes->status(0)->metric('parley_store_nodes');
};


subtest 'CLU-01 a new worker uses the store from its first message' => sub {
    my $slow = Parley::Nodes->start($redis, only => 2);

    # the server answers its first commands late
    $redis->pause;
    ok($slow->nginx(2)->reload($slow->conf(2)));

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        sleep 0.4;
        $redis->resume;
        POSIX::_exit(0);
    }

    is($slow->client(2)->raw(post('/aee', aee()))->{status}, 202,
       'which it does not refuse');
    waitpid $pid, 0;
};


subtest 'CLU-08 refuse: while the store is away, messages are refused' => sub {
    $redis->kill;

    my $refused = aee();
    my $began = time;
    my $answer = $one->raw(post('/aee', $refused));

    is($answer->{status}, 503);
    ok($answer->{headers}{'retry-after'}, 'with Retry-After');
    cmp_ok(time - $began, '<', 5, 'soon');
    $nodes->wait_up(is => 0);

    my ($status, $said) = $nodes->ready(0);

    is($status, 503, 'OPS-03 the gateway is not ready');
    like($said, qr/"store":"the store is away"/);
    is((grep { $_->{json}{id} eq $refused->{id} } $service->requests), 0,
       'it is not forwarded');

    $redis->begin;
    $nodes->wait_up;
    is(($nodes->ready(0))[0], 200, 'CLU-09 the store is used again');

    my $m = aee();

    is($one->raw(post('/aee', $m))->{status}, 202);
    is(code($other->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE');
};


subtest 'CLU-08 a server that stops to answer' => sub {
    $redis->pause;

    my $began = time;

    is($one->raw(post('/aee', aee()))->{status}, 503);
    cmp_ok(time - $began, '<', 5, 'no worker waits');
    $nodes->wait_up(is => 0);
    $redis->resume;
    $nodes->wait_up;
    is($one->raw(post('/aee', aee()))->{status}, 202);
};


subtest 'CLU-08 a worker that exits while the server is stopped' => sub {
    my $before = $nodes->nginx(1)->logged(qr/exited with code 0/);
    my $began = time;

    $redis->pause;
    ok($nodes->nginx(1)->reload($nodes->conf(1)));
    ok($nodes->nginx(1)->wait_for(qr/exited with code 0/, $before + 1),
       'the old worker exits');
    cmp_ok(time - $began, '<', 10);
    $redis->resume;
    $nodes->wait_up;
};

undef $nodes;


subtest 'CLU-09 local: each gateway decides alone' => sub {
    my $local = Parley::Nodes->start($redis, words => 'fallback=local');

    $redis->kill;
    $service->clear;
    $local->wait_up(is => 0);

    is(($local->ready(0))[0], 200, 'the gateway is ready');

    my $m = aee();

    is($local->client(0)->raw(post('/aee', $m))->{status}, 202);
    is(code($local->client(0)->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE');
    is($local->client(1)->raw(post('/aee', $m))->{status}, 202,
       'a duplicate at another gateway passes');

    my $alarm = $local->client(0)->raw(post('/vcp',
        escalation(severity => 'emergency', requires_ack => true)));

    is($alarm->{json}{code}, 'capacity',
       'CLU-08 a suspension, which others could not know, is refused');
    is($alarm->{json}{message}, 'the store of the gateways is away',
       'and the text says why');
    cmp_ok($local->status(0)->metric('parley_store_fallback_total'), '>=', 1);

    $redis->begin;
    $local->wait_up;
    ok($local->wait_for(sub {
           my $n = 0;
           $n += $local->status($_)->metric('parley_store_forked_total')
               for $local->all;
           $n == 1 }), 'CLU-09 the id that both took is counted');
};


subtest 'CLU-13 TLS, a user of the ACL, a socket' => sub {
    my ($cert) = tls();
    my $password = spew(tmp_dir() . '/password', "word\n");
    chmod 0600, $password or die $!;

    my $m = aee();
    my @ways = ('rediss://localhost:' . port(5) . " trusted=$cert",
                $redis->url . " user=parley password=$password",
                'unix:' . $redis->socket);

    my @codes = map {
        my ($url, $words) = /^(\S+) ?(.*)/;
        my $node = Parley::Nodes->start($redis, nodes => 1, url => $url,
                                        words => $words);

        code($node->client(0)->raw(post('/aee', $m)));
    } @ways;

    is_deeply(\@codes, [202, ('E_MESSAGE_DUPLICATE') x $#ways]);
};


subtest 'GW-14 beside nchan, which exports another hiredis' => sub {
    my ($modules) = `nginx -V 2>&1` =~ /--modules-path=(\S+)/;
    my $nchan = ($modules // '') . '/ngx_nchan_module.so';

    plan skip_all => 'no module of nchan' if !-e $nchan || !load_module();

    # the symbols of the first module are in front
    local $ENV{PARLEY_MODULE} = "$nchan; load_module " . load_module();

    my $node = Parley::Nodes->start($redis, nodes => 1);

    is($node->client(0)->raw(post('/aee', aee()))->{status}, 202);
};


subtest 'CLU-13 a server that is not the right one' => sub {
    my ($cert) = tls();
    my $wrong = spew(tmp_dir() . '/wrong', "hunter2\n");
    chmod 0600, $wrong or die $!;

    my %ways = (
        'rediss://localhost:' . port(5) . " trusted=$cert name=other.example"
            => qr/certificate of 127\.0\.0\.1:\d+ is not for "other\.example"/,
        'rediss://localhost:' . port(5) . ' trusted='
            . Parley::Env::authority('strange')
            => qr/certificate of 127\.0\.0\.1:\d+ is not valid: self.signed/,
        $redis->url . " user=parley password=$wrong" => qr/\[crit\] .*WRONGPASS/,
    );

    for my $way (sort keys %ways) {
        my ($url, $words) = $way =~ /^(\S+) (.*)/;
        my $node = Parley::Nodes->start($redis, nodes => 1, url => $url,
                                        words => $words, away => 1);

        ok($node->nginx(0)->wait_for($ways{$way}), "$way is logged")
            or diag $node->nginx(0)->error_log;
        is($node->client(0)->raw(post('/aee', aee()))->{status}, 503,
           'and messages are refused');

        sleep 1;
        is($node->nginx(0)->logged($ways{$way}), 1, 'CLU-12 logged once');
        unlike($node->nginx(0)->error_log, qr/hunter2/, 'without the secret');
    }
};

done_testing();
