# parley store acl: a user of the engine who can use one store, and no more.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port root slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Tool;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $password = spew(tmp_dir() . '/password', "pass word\n");
chmod 0600, $password or die $!;

my $long = 'x' x 64;
my $line = tool_ok('store', 'acl', '--password', $password);
my @lines = ($line, map { tool_ok('store', 'acl', '--prefix', $_, '--user',
                                  "user-$_", '--password', $password) }
                        'other', $long);

my $service = Parley::Upstream->start(port(2));
my $redis = Parley::Redis->start(port(4),
                                 users => [map { s/^user //r } @lines]);

sub code { $_[0]{json}{payload}{code} // $_[0]{status} }

sub words { "user=$_[0] password=$password lease=1s" }

# as the user of the ACL
sub does { $redis->cli('--user', 'parley', '-a', 'pass word', @_) }


subtest 'CLU-13 the line' => sub {
    like($line, qr/^user parley on resetpass #[0-9a-f]{64} resetkeys ~\{parley\}\* resetchannels &\{parley\}\* -\@all(?: \+[a-z|]+)+$/);
    unlike($line, qr/pass word/, 'has no password');
    like($lines[1], qr/^user user-other .* ~\{other\}\* /);
    like(tool_ok('store', 'acl'), qr/^user parley on resetkeys /);

    for my $words (['--prefix', 'a*'], ['--prefix', ''], ['--prefix', 'x' x 65],
                   ['--user', ''], ['--user', 'a b'], ['--user', "a\n"], ['x'],
                   ['--password', tmp_dir() . '/none'],
                   ['--password', spew(tmp_dir() . '/empty', "\n")],
                   ['--password', spew(tmp_dir() . '/lines', "a\nb\n")])
    {
        my ($status, $out, $err) = tool('store', 'acl', @$words);

        is("$status $out", '2 ', "@$words is refused");
        isnt($err, '', 'with a reason');
    }
};


subtest 'CLU-12 the line has the commands of the functions' => sub {
    my %has = map { $_ => 1 } $line =~ /\+(\S+)/g;
    my %calls = map { lc, 1 }
                slurp(root() . '/state/store/parley_store.lua')
                =~ /redis\.call\('(\w+)'/g;

    is_deeply([grep { !$has{$_} } sort keys %calls], [], 'all');

    delete @has{'fcall', 'info', 'client|id', 'client|kill', 'function|load',
                'wait', 'subscribe', 'ping'};
    is_deeply([grep { !$calls{$_} } sort keys %has], [], 'and no other');
};


subtest 'CLU-13 it suffices for two gateways' => sub {
    my $nodes = Parley::Nodes->start($redis, words => words('parley'));
    my ($one, $other) = map { $nodes->client($_) } 0, 1;
    my $m = aee();

    is($one->raw(post('/aee', $m))->{status}, 202);
    is(code($other->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE');
    is($other->raw(post('/aee', result($m), as => 'bob'))->{status}, 202,
       'an answer at the other');
    is(code($one->raw(post('/aee', result($m), as => 'bob'))),
       'E_REPLY_UNMATCHED');

    # connections that are lost: CLIENT KILL, and the functions again
    does('FUNCTION', 'LOAD', 'x');

    # a gateway must not call a function between the two
    $redis->together('FUNCTION FLUSH', 'CLIENT KILL USER parley');
    ok($nodes->wait_for(sub { $nodes->status(0)->metric(
           'parley_store_reconnects_total') >= 1 }));
    $nodes->wait_up;
    is(code($other->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE');

    for my $nginx (map { $nodes->nginx($_) } $nodes->all) {
        is($nginx->logged(qr/\[crit\]/), 0, 'no crit line')
            or diag grep { /\[crit\]/ } split /^/, $nginx->error_log;
    }

    # by hand: the gateways skip these values, and say so
    for (['p1_share', 'f', "tagggeneq0", 'v', 1000, 'any'],
         ['p1_changes', 0], ['p1_unshare', 'f', "\1\1\1\1"],
         ['p1_put', 'k', "tagggeneq0", 'v', 1000, '', '', ''],
         ['p1_drop', 'k', 'tagg', 'gene'],
         ['p1_rates', 'k', 1000, 5, 1], ['p1_free', 'h', '', '', 0])
    {
        my ($name, @words) = @$_;
        my $said = does('FCALL', $name, 1, '{parley}', @words);

        unlike($said, qr/NOPERM|ERR/, $name);
    }

    is(does('WAIT', 0, 1), 0, 'WAIT');
    is($redis->inboxes, 2, 'both have an inbox');
};


subtest 'CLU-13 no key of another prefix' => sub {
    for my $key ('{other}i', 'x', '{parley', '{parley2}v', 'parley}v') {
        like(does('SET', $key, 'x'), qr/NOPERM/, "SET $key");
        like(does('GET', $key), qr/NOPERM/, "GET $key");
        like(does('FCALL', 'p1_changes', 1, $key, 0), qr/NOPERM/,
             "FCALL with $key");
    }

    like(does(@$_), qr/NOPERM/, "@$_")
        for ['KEYS', '*'], ['SCAN', 0], ['FLUSHALL'], ['CONFIG', 'GET', '*'],
            ['ACL', 'LIST'], ['EVAL', 'return 1', 0], ['FUNCTION', 'FLUSH'],
            ['PUBLISH', '{other}f', 'x'], ['SUBSCRIBE', '{other}f'],
            ['PSUBSCRIBE', '{parley}*'], ['CLIENT', 'LIST'],
            ['SWAPDB', 0, 1];

    my $m = aee();

    for my $prefix ('parley', 'other', $long) {
        my $user = $prefix eq 'parley' ? $prefix : "user-$prefix";
        my $node = Parley::Nodes->start($redis, nodes => 1,
            words => words($user) . " prefix=$prefix");

        is($node->client(0)->raw(post('/aee', $m))->{status}, 202,
           "the store $prefix has other ids");
    }

    my $node = Parley::Nodes->start($redis, nodes => 1, away => 1,
        words => words('parley') . ' prefix=other');

    ok($node->nginx(0)->wait_for(qr/\[crit\] .*store is not used: NOPERM .*: give the user the rules that "parley store acl" prints/),
       'a user of another prefix is not used')
        or diag $node->nginx(0)->error_log;
};


subtest 'CLU-12 a command that is missing is named' => sub {
    my $node = Parley::Nodes->start($redis, nodes => 1,
                                    words => words('parley'));
    my $nginx = $node->nginx(0);
    my $cure = qr/give the user the rules that "parley store acl" prints/;
    my $before;

    # while the connection lasts, a function cannot end its lease
    $redis->cli('ACL', 'SETUSER', 'parley', '-zadd');
    ok($nginx->wait_for(qr/\[crit\] .*: (?:ERR The user executing the script|ERR ACL failure in script:|NOPERM) .*: $cure/),
       'a function that stops in the middle')
        or diag $nginx->error_log;

    $redis->cli('ACL', 'SETUSER', 'parley', '+zadd');
    $node->wait_up;
    $redis->cli('CLIENT', 'KILL', 'USER', 'parley');

    for my $command ($line =~ /\+(\S+)/g) {
        $redis->cli('ACL', 'SETUSER', 'parley', "-$command",
                    defined $before ? "+$before" : ());
        $before = $command;

        # a connection that has entered before does not ask again
        $redis->cli('CLIENT', 'KILL', 'USER', 'parley');

        ok($nginx->wait_for(qr/\[crit\] .*(?:PARLEYPERM |')\Q$command\E'?(?: command| &\{parley\}\*)?: $cure/),
           $command)
            or diag $nginx->error_log;
    }

    $redis->cli('ACL', 'SETUSER', 'parley', "+$before");
    $node->wait_up;
    is($node->client(0)->raw(post('/aee', aee()))->{status}, 202,
       'with all commands the store is used again');

    # other channels than those of the prefix
    $redis->cli('ACL', 'SETUSER', 'parley', 'resetchannels', '&{other}*');

    my $other = Parley::Nodes->start($redis, only => 1, away => 1,
                                     words => words('parley'));

    ok($other->nginx(1)->wait_for(qr/\[crit\] .*PARLEYPERM subscribe &\{parley\}\*: $cure/),
       'a channel that is missing');
};

done_testing();
