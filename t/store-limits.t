# Limits over two gateways that share a store: near, exact and off.

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

use constant { RATE => 8, BURST => 4, SECONDS => 20 };

# ms of an hour: the debt of one message at 1r/h
use constant HOUR => 3600 * 1000;

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4));

# equal limits share a count, so each location has its own burst
my %limits = (
    '/near' => RATE . 'r/s burst=' . BURST,
    '/start' => '1r/h burst=19',
    '/exact' => '1r/h burst=39 shared=exact',
    '/refused' => '1r/h burst=9 shared=exact',
    '/roles' => '1000r/s burst=500 role=ops:1r/h:7 shared=exact',
    '/urgent' => '1000r/s burst=600 urgent=1r/h:4 shared=exact',
    '/signed' => '1r/h burst=13 shared=exact',
    '/away' => '1r/h burst=2 shared=exact',
    '/own' => '1r/h burst=3 shared=off',
    '/open' => '1r/h burst=11',
);

my %proof = ('/open' => 'parley_accept aee; parley_trusted on;',
             '/signed' => 'parley_accept vcp; parley_signature required;');

my $server = join '', map {
    location("$_-limited", ($proof{$_} // 'parley_accept aee; parley_jwt on;')
                           . " parley_rate $limits{$_};")
} sort keys %limits;

my %conf = (words => 'lease=3s', workers => 2, server => $server);
my $nodes = Parley::Nodes->start($redis, %conf);


# Returns the status of a message at a gateway.
sub status {
    my ($i, $uri, $message, @o) = @_;

    return $nodes->client($i)->raw(post("$uri-limited", $message // aee(),
                                        @o))->{status};
}


# Returns the number of messages of n that pass, in turn at both gateways.
sub passed {
    my ($uri, $n, %aee) = @_;

    return scalar grep { status($_ % 2, $uri, aee(%aee)) == 202 } 1 .. $n;
}


# Sends n messages to each gateway by clients at once.  Returns the number of
# answers by their status.
sub at_once {
    my ($uri, $n, %aee) = @_;

    my (@out, %answers);

    for my $client (0 .. 5) {
        my $pid = open(my $out, '-|') // die "fork: $!\n";

        if ($pid == 0) {
            my @all = map { status($client % 2, $uri, aee(%aee)) } 1 .. $n / 3;
            syswrite STDOUT, "@all";
            POSIX::_exit(0);
        }

        push @out, $out;
    }

    for my $out (@out) {
        $answers{$_}++ for split ' ', do { local $/; <$out> };
        close $out;
    }

    return \%answers;
}


# Returns the ms of all debts in the store.
sub debts {
    return $redis->cli('EVAL', 'local n = 0 for _, k in ipairs(redis.call('
                       . '"KEYS", ARGV[1])) do n = n + redis.call("PTTL", k) '
                       . 'end return n', 0, '{parley}l*');
}


subtest 'CLU-03 near: both gateways pass as many as one, over 20 s' => sub {
    my @at = map { $nodes->client($_)->connect } $nodes->all;
    my ($passed, $sent, $alone, $free) = (0, 0, 0, 0);
    my $began = time;

    while (time < $began + SECONDS) {
        for my $at (@at) {
            my $now = time;

            # the decision of one gateway that gets all messages
            if ($free - $now <= BURST / RATE) {
                $free = ($free > $now ? $free : $now) + 1 / RATE;
                $alone++;
            }

            $at->write(post('/near-limited', aee(),
                            headers => [Connection => 'keep-alive']));
            $passed += $at->answer->{status} == 202;
            $at->{buffer} = '';
            $sent++;
        }

        # fewer than the requests that nginx takes by one connection
        sleep 0.04;
    }

    cmp_ok($sent, '>', 1.2 * $alone, 'enough are sent');

    # at the start each gateway passes one burst
    cmp_ok($passed, '<=', 1.05 * $alone + BURST,
           "$passed of $sent passed; a gateway alone passes $alone");
    cmp_ok($passed, '>=', 0.95 * $alone - 1, 'and not fewer');
};


subtest 'CLU-03 near: at the start each gateway passes one burst' => sub {
    my $first = grep { status(0, '/start') == 202 } 1 .. 25;
    my $other = 0;

    is($first, 20, 'the first gateway passes its burst');

    # it learns of the others with its own report
    ok($nodes->wait_for(sub {
           my $status = status(1, '/start');
           $other += $status == 202;
           sleep 0.1;
           return $status == 429;
       }), 'the other gateway refuses');
    cmp_ok($other, '<=', 20, "after $other messages");
    is(status(0, '/start'), 429, 'as the first');
};


subtest 'CLU-03 near: the limit of an address' => sub {
    my $first = grep { status(0, '/open', aee(), token => 0) == 202 } 1 .. 14;
    my $other = 0;

    is($first, 12);
    ok($nodes->wait_for(sub {
           my $status = status(1, '/open', aee(), token => 0);
           $other += $status == 202;
           sleep 0.1;
           return $status == 429;
       }), 'holds at the other gateway');
    cmp_ok($other, '<=', 12, "after $other messages");
};


subtest 'CLU-03 exact: both gateways pass what one passes' => sub {
    $service->clear;

    my $limited = sub {
        my $n = 0;
        $n += $nodes->status($_)->metric('parley_zone_limited_total') for 0, 1;
        return $n;
    };
    my $before = $limited->();

    is_deeply(at_once('/exact', 60), { 202 => 40, 429 => 80 },
              'with clients at both');
    is($limited->() - $before, 80, 'each refusal is counted');
    is($service->count, 40, 'as many are forwarded');

    my $answer = $nodes->client(1)->raw(post('/exact-limited', aee()));

    is($answer->{status}, 429);
    is($answer->{json}{payload}{code}, 'E_RATE_LIMITED');
    cmp_ok($answer->{headers}{'retry-after'}, '>', 3000,
           'Retry-After is that of all gateways');
    is(passed('/exact', 4), 0, 'none passes later');
};


subtest 'CLU-03 exact: a message that is refused later counts' => sub {
    my $before = debts();

    is(status(0, '/refused', '{"v":1'), 400, 'no JSON') for 1 .. 2;

    my $m = aee();

    is(status(0, '/refused', $m), 202);
    is(status(0, '/refused', $m), 409, 'a duplicate at the same gateway');
    is(status(1, '/refused', $m), 409, 'a duplicate at the other');

    ok($nodes->wait_for(sub { debts() > $before + 4.9 * HOUR }),
       'the store knows');
    is_deeply(at_once('/refused', 12), { 202 => 5, 429 => 19 });
};


subtest 'CLU-03 exact: the limit of a role' => sub {
    is_deeply(at_once('/roles', 12), { 202 => 8, 429 => 16 });
    is(passed('/roles', 4), 0);
};


subtest 'CLU-03 exact: a sender that a signature proves' => sub {
    is((grep { status($_ % 2, '/signed', vcp(), token => 0) == 200 } 1 .. 20),
       14);
};


subtest 'CLU-03 exact: a quota is given back' => sub {
    $service->script('$c->answer(503, [], "")');
    is(passed('/urgent', 8, priority => 'urgent'), 0,
       'the service refuses all');

    $service->script(undef);

    # a settlement is not awaited
    my $passed = 0;

    ok($nodes->wait_for(sub {
           $passed += status(0, '/urgent', aee(priority => 'urgent')) == 202;
           return $passed == 1;
       }), 'a message passes');

    my $answers = at_once('/urgent', 9, priority => 'urgent');

    is($answers->{202}, 4, 'as many pass as without the first ones');
    is($answers->{429}, 14);

    like($nodes->client(1)->raw(post('/urgent-limited',
                                     aee(priority => 'urgent')))->{body},
         qr/too many messages of priority urgent/);
    is(status(1, '/urgent'), 202, 'another priority passes');
};


subtest 'CLU-03 off: each gateway counts alone' => sub {
    is(passed('/own', 16), 8);
};


subtest 'CLU-08 exact: while the store is away, messages are refused' => sub {
    $redis->kill;
    $nodes->wait_up(is => 0);

    is(status($_, '/away'), 503) for 0, 1;

    $redis->begin;
    $nodes->wait_up;

    # each zone has counted its own message, as one gateway would
    cmp_ok(passed('/away', 8), '<=', 3, 'the limit holds afterwards');
};

undef $nodes;


subtest 'CLU-08 exact: local, each gateway decides alone' => sub {
    $nodes = Parley::Nodes->start($redis, %conf,
                                  words => 'lease=3s fallback=local');
    $redis->kill;
    $nodes->wait_up(is => 0);

    is(passed('/away', 12), 6);

    $redis->begin;
    $nodes->wait_up;
    is_deeply(at_once('/roles', 12), { 202 => 8, 429 => 16 },
              'the store decides again');
};


done_testing;
