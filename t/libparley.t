# libparley, installed into an empty root.  Its header alone is sufficient.
# The example of the documentation is built against it and runs, shared and
# static.  No other symbol is visible.

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

# the root is not the place that the pkg-config file names
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
    like(qx{$dir/$how c2a < $dir/message.json},
         qr/^aee: ops\.tea\.make\nc2a: \{"jsonrpc":"2\.0".*task-0001/,
         "$how: a message is detected and translated");
    like(qx{$dir/$how vcp < $dir/message.json 2>&1},
         qr{^translation-unsupported /intent: }, "$how: or not");
}

spew("$dir/bad.json", '{"v":"1","v":"1"}');
like(qx{$dir/shared vcp < $dir/bad.json 2>&1}, qr/^json-invalid /,
     'what is no strict JSON is refused');

spew("$dir/bad.json", $message =~ s/"normal"/"soon"/r);
like(qx{$dir/shared c2a < $dir/bad.json 2>&1}, qr{^field-invalid /priority: },
     'and what its schema does not allow');

my $lossy = "$root/t/cases/aee-to-vcp/constraint-propagate-normal-priority";
like(qx{$dir/shared vcp < $lossy/in.json}, qr{^vcp: \{.*\}\nlost: /priority$}m,
     'what is lost is said');

# a message that the tool signs, and one without a signature
spew("$dir/verify.c", <<'EOF');
#include <stdio.h>
#include <parley.h>

static char  text[2][65536];

int
main(int argc, char **argv)
{
    int              i;
    FILE            *file;
    size_t           len[2];
    parley_keys     *keys;
    parley_failure   err;
    parley_library  *library;
    parley_message  *message;

    for (i = 0; i < 2; i++) {
        file = argc == 3 ? fopen(argv[1 + i], "r") : NULL;

        if (file == NULL) {
            return 2;
        }

        len[i] = fread(text[i], 1, sizeof(text[i]), file);
        fclose(file);
    }

    if (parley_library_new(&library, &err) != 0
        || parley_keys_new(library, text[0], len[0], &keys, &err) != 0
        || parley_message_new(library, NULL, text[1], len[1], &message, &err)
           != 0
        || parley_message_verify(message, keys, &err) != 0)
    {
        printf("%s\n", err.word);
        return 1;
    }

    printf("verified\n");

    parley_message_free(message);
    parley_keys_free(keys);
    parley_library_free(library);

    return 0;
}
EOF

$said = qx{$cc $warn $flags $dir/verify.c -o $dir/verify \\
           -L$dir/root/usr/lib -lparley 2>&1};
is($?, 0, 'a program that verifies is built') or diag($said);

my $parley = "$build/parley";
system("$parley keygen --alg eddsa --kid k1 > $dir/key.jwk") == 0
    or BAIL_OUT('keygen');
spew("$dir/keys.json", '{"keys":[' . slurp("$dir/key.jwk") . ']}');
system("$parley sign --key $dir/key.jwk $dir/message.json > $dir/signed.json");

is(qx{$dir/verify $dir/keys.json $dir/signed.json}, "verified\n",
   'with keys a signature is verified');
is(qx{$dir/verify $dir/keys.json $dir/message.json}, "signature-missing\n",
   'or missing');

spew("$dir/forged.json", slurp("$dir/signed.json") =~ s/"cups":1/"cups":2/r);
is(qx{$dir/verify $dir/keys.json $dir/forged.json}, "signature-invalid\n",
   'or of another message');

spew("$dir/none.json", '{"keys":[]}');
isnt(qx{$dir/verify $dir/none.json $dir/signed.json}, "verified\n",
     'nothing passes for lack of keys');

done_testing;
