# A second state backend is a folder beside state/memory, and few other files
# name a backend.  This test makes a copy of state/memory under other names in a
# copy of the tree, where it is built into the library beside the original.  The
# unit tests of the state pass with the copy.  "make test-all" runs more of them,
# the simulation, and a gateway whose state is the copy.

use strict;
use warnings;

use lib 't/lib';

use File::Basename qw(basename dirname);
use File::Find qw(find);
use File::Path qw(make_path remove_tree);
use Test::More;

use Parley::Env qw(root build_dir slurp spew);

# files outside its folder that a backend may change
use constant CHANGED_MAX => 8;

my $all = $ENV{PARLEY_TEST_ALL};
my @unit = qw(state record log);
push @unit, qw(share rate roster feed table table_repair log_admission job job_state)
    if $all;

my $root = root();
my $tree = build_dir() . '/backend';

plan skip_all => 'built from the objects of "make build" alone'
    if build_dir() ne "$root/build" || !-d "$root/build/obj/state/memory";

chdir $root or die "$root: $!\n";
remove_tree($tree);
make_path("$tree/build");

my @copied = qw(core schemas translate auth state http moqt hub gate lib
                ngx_module tools t Makefile config sources);

system('cp', '-a', @copied, $tree) == 0 or die "the tree is not copied\n";
system('cp', '-a', 'build/obj', 'build/libparley.a', "$tree/build") == 0
    or die "the objects are not copied\n";

# symbols of the folder that do not have its name
my @symbols = `nm --defined-only build/obj/state/memory/*.o`
              =~ /^\S+ [TDBR] parley_(?!memory|table)(\w+)$/mg;
my $symbols = join '|', @symbols;

sub renamed {
    my ($text) = @_;

    $text =~ s/\b(parley|PARLEY)_(memory|table)/$1_mirror_$2/gi;
    $text =~ s{\bstate/memory\b}{state/mirror}g;
    $text =~ s/\bparley_($symbols)\b/parley_mirror_$1/g;

    return $text;
}

# the folder
for my $file (glob 'state/memory/*') {
    my $to = renamed($file);

    make_path("$tree/" . dirname($to));
    spew("$tree/$to", renamed(slurp($file)));
}

# the list of sources has both folders; other files name the copy
my $both = slurp('sources');
my @changed = 'sources';

spew("$tree/sources", $both . renamed(join '', $both =~ /^state\/memory.*\n/mg));

find({ no_chdir => 1, wanted => sub {
    return if !-f || m{^state/memory/} || !/\.(?:[ch]|def|tsv)$/;

    my $was = slurp($_);
    my $text = renamed($was);

    return if $text eq $was;

    push @changed, $_ if !m{^t/};
    spew("$tree/$_", $text);
} }, grep { -d } @copied);

note("changed: $_") for @changed;
cmp_ok(@changed, '<=', CHANGED_MAX, 'a backend changes few other files');

ok((grep { $_ eq 'tools/parley_explain_state.c' } @changed)
   && !(grep { m{^(?:core|gate|hub|state|translate)/} } @changed),
   'and none that decides');

# the simulation names the files in which a process may die
my ($read, $written) = (stat 'Makefile')[8, 9];

spew("$tree/Makefile", renamed(slurp('Makefile')));
utime $read, $written, "$tree/Makefile" or die "Makefile: $!\n";

made('both are built into one library', 'build/libparley.a',
     map { program($_) } @unit);

like(`nm --defined-only $tree/build/libparley.a`, qr/ D parley_${_}_ops$/m,
     "with the verbs of $_") for qw(memory mirror_memory);

ran("test_$_ passes with the copy", program($_)) for @unit;

if ($all) {
    made('the tool, the module and the simulation are built',
         'build', 'build/t/simulate/simulate');
    ran('the simulation passes', 'build/t/simulate/simulate -n 500 -s 1');
    ran('a gateway passes', "PARLEY_BUILD=$tree/build prove -I t/lib"
        . ' t/00-smoke.t t/window.t t/stream.t');
}

sub program { 'build/t/unit/test_' . $_[0] }

sub made {
    my ($name, @targets) = @_;

    ran($name, "make -j2 OPT=-O0 NGX_OPT_release='-O0 -g -fPIC' @targets");
}

sub ran {
    my ($name, $command) = @_;

    my $out = `cd $tree && $command 2>&1`;

    is($?, 0, $name) or diag($out);
}

done_testing;
