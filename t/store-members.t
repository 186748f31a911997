# The gateways of a store: their list in the status, and their settings, which
# must be equal.

use strict;
use warnings;

use lib 't/lib';

use Sys::Hostname qw(hostname);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Nodes;
use Parley::Redis;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $redis = Parley::Redis->start(port(4));

my $rate = location('/rate', 'parley_accept aee; parley_jwt on; '
                             . 'parley_rate 10r/s;');
my $rules = location('/rules', 'parley_accept aee; parley_jwt on; '
                               . 'parley_allow principal=alice; '
                               . 'parley_deny principal=bob;');
my %conf = (words => 'lease=3s', server => "server_name a b; $rate $rules");
my $nodes = Parley::Nodes->start($redis, %conf);

sub differ { $nodes->status(0)->metric('parley_store_nodes_differ') }

sub list { @{ $nodes->status(0)->json->{gateways} } }


subtest 'OPS-01 CLU-15 the status lists the gateways of the store' => sub {
    ok($nodes->wait_for(sub { list() == 2 }), 'both');

    my ($own, $other) = sort { $b->{own} <=> $a->{own} } list();

    ok($own->{own} && !$other->{own}, 'one of them is this gateway');
    like($own->{node}, qr/\A[0-9a-f]{16}\z/);
    isnt($own->{node}, $other->{node});
    is($_->{host}, hostname(), 'host') for $own, $other;
    is($_->{version}, $nodes->status(0)->json->{parley}, 'version')
        for $own, $other;
    is($_->{formats}, 11, 'formats') for $own, $other;
    like($_->{settings}, qr/\A[0-9a-f]{16}\z/, 'digest') for $own, $other;
    is($own->{settings}, $other->{settings}, 'which is equal');
    ok(!$_->{differs}, 'and says so') for $own, $other;
    ok($_->{lease} > 0 && $_->{lease} <= 3, "lease $_->{lease}")
        for $own, $other;
    is(differ(), 0);
    unlike($nodes->status(0)->text, qr/\Q$own->{node}\E/,
           'the Prometheus text has no list');
};


# Reloads the second gateway with a configuration that a function has changed.
sub reload {
    my ($change, %more) = @_;

    my %http = $nodes->conf(1, %more);

    $change->() for $http{http};
    ok($nodes->nginx(1)->reload(%http), 'reload')
        or diag $nodes->nginx(1)->error_log;
    $nodes->wait_up;
}

sub settings_of { (grep { !$_->{own} } list())[0]{settings} }

my $equal = settings_of();

subtest 'CLU-15 settings that may differ' => sub {
    my $file = tmp_dir() . '/other.json';

    spew($file, slurp(tmp_dir() . '/identities.json'));

    # the order, names of files, and what concerns one gateway
    for (['locations and names', sub { s/\Q$rate\E/#here#/; s/\Q$rules\E/$rate/;
                                       s/#here#/$rules/;
                                       s/server_name a b/server_name b a/ }],
         ['a file of another name',
          sub { s/(parley_identities \s*)\S+;/$1$file;/ }],
         ['its own settings', sub { }, words => 'lease=3s timeout=500ms',
          more => 'parley_connections 30;'])
    {
        my ($name, $change, @more) = @$_;

        reload($change, @more);
        sleep 2;
        is(settings_of(), $equal, $name);
        is(differ(), 0);
    }

    is($nodes->nginx(0)->logged(qr/has other settings/), 0, 'nothing is logged');
};


subtest 'CLU-15 settings that must be equal' => sub {
    my $file = tmp_dir() . '/less.json';
    my $less = slurp(tmp_dir() . '/identities.json');
    my %seen = ($equal => 1);

    $less =~ s/"roles":\["ops"\],?// or die;
    spew($file, $less);

    for (['a limit', sub { s{10r/s}{20r/s} }],
         ['a location', sub { s{location /rate}{location /rates} }],
         ['the name of a server', sub { s/server_name a b/server_name a c/ }],
         ['the order of rules',
          sub { s/(parley_allow [^;]*;) (parley_deny [^;]*;)/$2 $1/ }],
         ['a rule', sub { s/parley_deny principal=bob;// }],
         ['the identities', sub { s/(parley_identities \s*)\S+;/$1$file;/ }],
         ['the window', sub { }, more => 'parley_window 20m;'])
    {
        my ($name, $change, @more) = @$_;

        reload($change, @more);
        ok($nodes->wait_for(sub { (settings_of() // $equal) ne $equal
                                  && !$seen{settings_of()} }), $name);
        $seen{settings_of()}++;
        is(differ(), 1, 'counted');
        ok((grep { $_->{differs} && !$_->{own} } list()) == 1, 'and marked');
    }

    my $lines = $nodes->nginx(0)->logged(
        qr/\[warn\] .*: the gateway \S+ has other settings than this one/);

    cmp_ok($lines, '>=', 1, 'logged');
    sleep 3;
    is($nodes->nginx(0)->logged(qr/has other settings than this one/), $lines,
       'once');

    reload(sub { });
    ok($nodes->wait_for(sub { settings_of() eq $equal && differ() == 0 }),
       'equal again');
};


# As "nginx -s stop" and "nginx -s quit" do.
subtest 'CLU-07 a gateway that is stopped leaves the list' => sub {
    my $count = sub {
        return $redis->cli('ZCOUNT', '{parley}m', int(1000 * time), '+inf');
    };

    $nodes->stop($_) for 0, 1;
    is($count->(), 0, 'both gateways');

    for my $signal (qw(TERM QUIT)) {
        my $two = Parley::Nodes->start($redis, %conf, workers => 2, only => 1);
        my ($first) = $two->workers(1);

        is($count->(), 1, 'a gateway of two workers');

        # nginx starts another one
        kill 'KILL', $first;
        ok($two->wait_for(sub { 2 == grep { $_ != $first } $two->workers(1) }));
        $two->wait_up;

        my $pid = delete $two->nginx(1)->{pid};

        kill $signal, $pid;
        waitpid $pid, 0;
        is($count->(), 0, "is stopped by $signal");
    }
};

done_testing();
