# libparley, installed into an empty root: its header alone is enough, the
# example of the documentation is built against it and runs, shared and
# static; no other symbol is seen.

use strict;
use warnings;

use lib 't/lib';

use File::Spec;
use Test::More;

use Parley::Env qw(root build_dir tmp_dir slurp spew);

my $root = root();
my $build = build_dir();
my $dir = tmp_dir();

plan skip_all => 'a library with sanitizers needs a program with them'
    if $build =~ m{/sanitize$};

my $out = File::Spec->abs2rel($build, $root);

my $said = qx{make -C $root install-lib OUT=$out DESTDIR=$dir/root \\
                  prefix=/usr 2>&1};
is($?, 0, 'make install-lib') or diag($said);

my $header = slurp("$root/lib/parley.h") =~ s{/\*.*?\*/}{}gsr;
my %declared = map { $_ => 1 } $header =~ /\b(parley_[a-z_]+)\(/g;
my @declared = sort keys %declared;

cmp_ok(@declared, '>=', 20, 'functions are declared');

for my $library ('libparley.so', 'libparley.a') {
    my $option = $library =~ /so$/ ? '-D' : '-g';
    my @seen = sort grep { /^parley_/ } map { (split)[2] =~ s/\@.*//r }
               split "\n", qx{nm $option --defined-only $dir/root/usr/lib/$library \\
                              | grep ' T '};

    is("@seen", "@declared", "$library shows them and nothing else");
}

is(qx{nm -g --defined-only $dir/root/usr/lib/libparley.a \\
      | grep -c ' [BDRT] '}, @declared . "\n", 'and no data');

# the root is not where pkg-config says that things are
$ENV{PKG_CONFIG_PATH} = "$dir/root/usr/lib/pkgconfig";
$ENV{PKG_CONFIG_SYSROOT_DIR} = "$dir/root";
$ENV{LD_LIBRARY_PATH} = "$dir/root/usr/lib";

my $cc = $ENV{CC} // 'cc';
my $source = "$root/examples/libparley/translate.c";
my $warn = '-std=c99 -Wall -Wextra -Wpedantic -Werror';
my $flags = "-I$dir/root/usr/include";
my $more = qx{env -u PKG_CONFIG_SYSROOT_DIR pkg-config --libs jansson \\
              libsodium libpcre2-8 libcrypto};
chomp $more;

like(qx{pkg-config --cflags --libs libparley 2>&1},
     qr{-I$dir/root/usr/include.*-lparley}, 'pkg-config knows it');

$said = qx{$cc $warn \$(pkg-config --cflags libparley) $source -o $dir/shared \\
           -L$dir/root/usr/lib -lparley 2>&1};
is($?, 0, 'the example is built, shared') or diag($said);

$said = qx{$cc $warn $flags $source -o $dir/static \\
           $dir/root/usr/lib/libparley.a $more -lm 2>&1};
is($?, 0, 'and static') or diag($said);

my $message = '{"v":"1","id":"task-0001","ts":"2026-02-15T10:30:00Z",'
              . '"type":"task","from":"agent.x1","to":"agent.x2",'
              . '"intent":"ops.tea.make","corr":"task-0001","reply_to":null,'
              . '"priority":"normal","requires":null,"payload":{"cups":1}}';

spew("$dir/message.json", $message);

for my $how ('shared', 'static') {
    like(qx{$dir/$how c2a < $dir/message.json}, qr/^\{"jsonrpc":"2\.0".*task-0001/,
         "$how: a message is translated");
    like(qx{$dir/$how vcp < $dir/message.json 2>&1},
         qr{^translation-unsupported /intent: }, "$how: or not");
}

spew("$dir/bad.json", '{"v":"1","v":"1"}');
like(qx{$dir/shared vcp < $dir/bad.json 2>&1}, qr/^json-invalid /,
     'what is no strict JSON is refused');

# a message that the tool signs, and one that nobody does
my $parley = "$build/parley";
system("$parley keygen --alg eddsa --kid k1 > $dir/key.jwk") == 0
    or BAIL_OUT('keygen');
spew("$dir/keys.json", '{"keys":[' . slurp("$dir/key.jwk") . ']}');
system("$parley sign --key $dir/key.jwk $dir/message.json > $dir/signed.json");

like(qx{$dir/shared c2a $dir/keys.json < $dir/signed.json 2>&1},
     qr/^\{"jsonrpc"/, 'with keys a signature is verified');
like(qx{$dir/shared c2a $dir/keys.json < $dir/message.json 2>&1},
     qr/^signature-missing /, 'or missing');
unlike(qx{$dir/shared c2a $dir/none.json < $dir/message.json 2>&1},
       qr/jsonrpc/, 'nothing passes for lack of keys');

done_testing;
