# Two versions of the module, whose values have neighbouring formats, share a
# store.

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(build_dir load_module port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Upstream;

# "make test-programs" builds it
my $next = build_dir() . '/next/ngx_http_parley_module.so';

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;
plan skip_all => "no $next" if !-e $next;

my $this = load_module();
my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4));
my $nodes = Parley::Nodes->start($redis, words => 'lease=3s');

# the balancer: the gateways that get requests
my $in_use = tmp_dir() . '/in-use';
my $told = tmp_dir() . '/told';

sub code { $_[0]{json}{payload}{code} // $_[0]{json}{code} // $_[0]{status} }

sub sends {
    my ($i, @post) = @_;
    return code($nodes->client($i)->raw(post(@post)));
}

sub balances { spew("$in_use.new", "@_"); rename "$in_use.new", $in_use or die $! }
sub format_of { $redis->cli('HGET', '{parley}v', 'format') }


# Returns the numbers of ids in the store, by format.
sub ids {
    my %n;

    for (split /\n/, $redis->cli('EVAL', <<'EOT', 0)) {
        local n = {}
        for _, k in ipairs(redis.call('KEYS', '{parley}i*')) do
            local f = redis.call('GET', k):sub(1, 1)
            n[f] = (n[f] or 0) + 1
        end
        local ret = {}
        for f, count in pairs(n) do ret[#ret + 1] = f .. ' ' .. count end
        return ret
EOT
        $n{$1} = $2 if /^(.) (\d+)$/;
    }

    return \%n;
}


# Sends tasks, copies, answers and second answers until it is stopped; writes
# a line for each that was not answered as one gateway does.
sub run_clients {
    my $pid = fork // die "fork: $!\n";

    return $pid if $pid;

    my ($stop, $n, @sent) = (0, 0);

    $SIG{TERM} = sub { $stop = 1 };
    open my $out, '>', $told or POSIX::_exit(1);
    $out->autoflush(1);

    my $at = sub {
        my @in_use = split ' ', slurp($in_use);
        return $in_use[rand @in_use];
    };

    my $expect = sub {
        my ($what, $code, @post) = @_;
        my ($i, $got);

        # a gateway answers without waiting until the store has the end of a
        # message, so a copy at the other can be in flight
        for (1 .. 100) {
            $i = $at->();
            $got = sends($i, @post);
            last if $got ne 'E_MESSAGE_IN_FLIGHT';
            sleep 0.01;
        }

        # the signal interrupts the last request
        print $out "wrong $what at $i: $got, not $code\n"
            if $got ne $code && !$stop;
    };

    while (!$stop) {
        my $m = aee();
        my $answer = result($m);

        $expect->('task', 202, '/aee', $m);
        $expect->('copy', 'E_MESSAGE_DUPLICATE', '/aee', $m);
        $expect->('answer', 202, '/aee', $answer, as => 'bob');
        $expect->('second answer', 'E_REPLY_UNMATCHED', '/aee', result($m),
                  as => 'bob');

        push @sent, $m, $answer;

        my $old = $sent[rand @sent];

        $expect->('old copy', 'E_MESSAGE_DUPLICATE', '/aee', $old,
                  as => $old == $answer || $old->{from} =~ /bob/ ? 'bob'
                                                                  : 'alice');

        # the signal may have come before one of them was sent
        print $out 'sent ', ++$n, ' ', $m->{id}, ' ', $answer->{id}, "\n"
            if !$stop;
    }

    POSIX::_exit(0);
}

sub passed { return () = slurp($told) =~ /^sent /mg }

sub pass_more {
    my $n = passed() + $_[0];
    return $nodes->wait_for(sub { passed() >= $n });
}


subtest 'CLU-15 gateways are replaced one by one while requests run' => sub {
    is(format_of(), 1, 'format');

    balances(0, 1);
    spew($told, '');
    my $clients = run_clients();

    ok(pass_more(10), 'messages pass');

    for my $i (0, 1) {
        balances(1 - $i);

        # the last request to it is over
        ok(pass_more(2));
        $nodes->replace($i, $next);
        balances(0, 1);
        ok(pass_more(10), "gateway $i is of the next version");

        next if $i == 1;

        # for longer than a lease: the other one still reads one format
        sleep 4;
        is(format_of(), 1, 'both write the format of this version');
        is_deeply([keys %{ ids() }], [1], 'and no other');

        is_deeply([sort map { $_->{formats} }
                   @{ $nodes->status(1)->json->{gateways} }], [11, 12],
                  'OPS-01 the status lists their formats');
    }

    ok($nodes->wait_for(sub { format_of() eq 2 }),
       'without the old gateway they write the format of the next version');
    ok(pass_more(20), 'messages pass');

    my $ids = ids();

    ok($ids->{1} && $ids->{2}, 'and the store has ids of both')
        or diag explain $ids;

    kill 'TERM', $clients;
    waitpid $clients, 0;

    is_deeply([slurp($told) =~ /^(wrong .*)$/mg], [],
              'no message was refused or repeated');

    my %times;
    $times{$_->{json}{id}}++ for $service->requests;
    my @sent = map { /^sent \d+ (\S+) (\S+)/ ? ($1, $2) : () }
               split /\n/, slurp($told);

    is_deeply({ map { $_ => $times{$_} // 0 }
                grep { ($times{$_} // 0) != 1 } @sent }, {},
              'the service has each once, of ' . @sent);
};


subtest 'CLU-15 a gateway goes back to this version' => sub {
    my $new = aee();

    is(sends(0, '/aee', $new), 202, 'an id of the next format');
    $nodes->replace(1, $this);
    is(format_of(), 1, 'the format is that of this version');
    ok($nodes->wait_for(sub {
           my $m = aee();
           return sends(0, '/aee', $m) eq 202
                  && sends(1, '/aee', $m) eq 'E_MESSAGE_DUPLICATE';
       }), 'which the other gateway writes too');

    $service->clear;

    my $lost = sub { $nodes->status(1)->metric(
                         'parley_store_lost_total{why="format"}') };
    my $before = $lost->();

    is(sends(1, '/aee', $new), 'E_CAPACITY', 'a copy of the new id is refused');
    is(sends(1, '/aee', result($new), as => 'bob'), 'E_CAPACITY',
       'and an answer to its question');
    is($service->count, 0, 'neither is forwarded');
    cmp_ok($lost->(), '>', $before, 'CLU-12 counted');
    is($nodes->nginx(1)->logged(qr/\[crit\] .*a value is skipped: it has a format that this version does not read; install the version/),
       1, 'and logged once, with the cure');
    is(sends(0, '/aee', $new), 'E_MESSAGE_DUPLICATE',
       'the next version knows it');
    is(sends(0, '/aee', result($new), as => 'bob'), 202, 'and takes an answer');
};


subtest 'CLU-15 CLU-14 a suspension holds at both versions' => sub {
    my $alarm = escalation(severity => 'emergency', requires_ack => true);

    is(sends(0, '/vcp', $alarm), 200, 'suspended at the next version');
    ok($nodes->wait_for(sub { sends(1, '/vcp', vcp()) eq 'agent-suspended' }),
       'and at this one');
    is(sends(1, '/vcp', constraint(), as => 'lead'), 200, 'resumed at this one');
    ok($nodes->wait_for(sub { sends(0, '/vcp', vcp()) eq 200 }),
       'and at the next one');
};


subtest 'CLU-15 a format that is two versions away' => sub {
    $nodes->nginx($_)->stop for 0, 1;
    $redis->cli('HSET', '{parley}v', 'format', 3);

    my $late = Parley::Nodes->start($redis, words => 'lease=3s', only => 2,
                                    away => 1);

    ok($late->nginx(2)->wait_for(qr/\[crit\] .*store is not used: PARLEYFORMAT \d: another version of Parley has written this format; upgrade one version at a time, or use another prefix=/),
       'is not used');
};

done_testing();
