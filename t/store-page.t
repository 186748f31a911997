# docs/cluster.md: its redis.conf and ACL file, its octets, and its faults.

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

my $page = slurp(root() . '/docs/cluster.md');


subtest 'CLU-12 the page has each line of the log' => sub {
    my ($faults) = $page =~ /^## Faults\n(.*?)^## /ms;
    my $code = join '', map { slurp($_) } glob root() . '/state/store/*.c';

    # the words of the table of errors, and the begin of other texts
    my @texts = $code =~ /^    \{ "([A-Z][^"]*)", [01], [01],/mg;

    is(scalar @texts, 15, 'errors of the engine');

    # up to the first argument of the text
    push @texts, map { s/\\"/"/gr =~ s/\s*%.*//sr =~ s/"\s*\z//r }
                 map { s/"\s+"//gr }
                 $code =~ /parley_store_(?:away|unusable|inbox_away)\(s,\s*"((?:[^"\\]|\\.|"\s+")*)"/g;
    push @texts, 'the inbox is away: ', 'the engine refuses it',
         'another engine answers',
         'the engine has restarted, or is another one',
         'is not Parley\'s; remove it, or use another prefix=',
         'no replica has confirmed a suspension, a resumption or a key of a child',
         'the zone has no room for a suspension or a key of another node',
         map { slurp(root() . "/ngx_module/worker/$_") =~ /ngx_http_parley_store_fail\([^"]*"((?:TLS handshake|connect\(\)|recv\(\)|send\(\))[^%"]*)/g }
             'ngx_http_parley_store_link.c';

    # those of a Sentinel, up to the cure
    push @texts, map { s/[:;].*//sr }
                 slurp(root() . '/state/store/parley_store_sentinel.c')
                 =~ /"((?:it|its|NO\w+:|WRONGPASS:) [^"]*?)\s*"/g;
    push @texts, slurp(root() . '/ngx_module/worker/ngx_http_parley_store_link.c')
                 =~ /"(no Sentinel has named the primary)"/;

    cmp_ok(scalar @texts, '>', 35, 'texts');

    like($faults, qr/\Q$_\E/, $_) for grep { length } @texts;
};


subtest 'CLU-10 the redis.conf and the ACL file of the page' => sub {
    my ($conf) = $page =~ /^## redis\.conf\n.*?\n\n((?:    [^\n]*\n|\n)+)/ms;
    my ($default) = $page =~ /^    (user default .*)$/m;

    like($conf, qr/noeviction/);

    # one engine, without replicas
    $conf =~ s/^ *min-replicas.*\n//mg;

    my $password = spew(tmp_dir() . '/password', "word\n");
    chmod 0600, $password or die $!;

    my $acl = spew(tmp_dir() . '/users.acl', "$default\n"
                   . tool_ok('store', 'acl', '--password', $password) . "\n");
    my $service = Parley::Upstream->start(port(2));
    my $redis = Parley::Redis->start(port(4), conf => "$conf\naclfile $acl");
    my $nodes = Parley::Nodes->start($redis,
                                     words => "user=parley password=$password");
    my $m = aee();

    is($nodes->client(0)->raw(post('/aee', $m))->{status}, 202);
    is($nodes->client(1)->raw(post('/aee', result($m), as => 'bob'))->{status},
       202);
    like($redis->cli('PING'), qr/^NOAUTH/, 'the user "default" is off');

    $redis->stop;
    $nodes->wait_up(is => 0);
    $redis->begin;
    $nodes->wait_up;
    unlike($redis->log, qr/CRITICAL/, 'the engine reads its file');

    # a gateway that begins with an empty zone
    undef $nodes;
    $nodes = Parley::Nodes->start($redis, nodes => 1,
                                  words => "user=parley password=$password");

    is($nodes->client(0)->raw(post('/aee', $m))->{json}{payload}{code},
       'E_MESSAGE_DUPLICATE', 'the id is in the file')
        or diag $redis->log;
};


subtest 'the octets of the page' => sub {
    my %page = $page =~ /^\| [^|]+ \| `(\w)`[^|]* \| (\d+) \|/mg;
    my $service = Parley::Upstream->start(port(2));
    my $redis = Parley::Redis->start(port(6));
    my $node = Parley::Nodes->start($redis, nodes => 1,
        server => 'parley_rate 600r/m burst=5;');

    ok($page{$_}, "a row of $_") for qw(i s l r);

    my $octets = <<'EOT';
local out = {}
for _, k in ipairs(redis.call('KEYS', '*')) do
    out[#out + 1] = k:sub(9, 9) .. ' ' .. redis.call('MEMORY', 'USAGE', k)
end
return table.concat(out, '\n')
EOT

    # the limit of the page is that of a short debt, which the engine soon drops
    my %is;

    ok($node->wait_for(sub {
        $node->client(0)->raw(post('/aee', aee()));
        %is = map { split ' ' } split /\n/, $redis->cli('EVAL', $octets, 0);
        return $is{i} && $is{l};
    }), 'an id and a limit') or diag $redis->cli('--scan');

    my $size = sub {
        my ($key, $octets) = @_;

        $redis->cli('SET', $key, 'x' x $octets);
        return $redis->cli('MEMORY', 'USAGE', $key);
    };

    # a record has 23 octets before its value, a slot 18
    my %size = (i => $is{i}, l => $is{l}, r => $size->('{parley}r' . 'k' x 16, 423),
                s => $size->('{parley}s' . 'k' x 16, 18));

    # Valkey keeps small values beside their keys, and reports less
    my $least = Parley::Redis->engine eq 'valkey' ? 0 : 0.8;

    for my $kind (sort keys %size) {
        cmp_ok($size{$kind}, '<', 1.2 * $page{$kind}, "$kind: $page{$kind}");
        cmp_ok($size{$kind}, '>', $least * $page{$kind}, 'and not much less');
    }
};

done_testing();
