# Each fuzz target reads each of its seeds: a check of a target that no longer
# holds fails here, not after hours of "make fuzz".

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root build_dir tmp_dir slurp);

chdir root() or die "chdir: $!\n";

my $out = tmp_dir() . '/seeds';
my @names = map { m{([^/]+)\.c$} } glob 't/fuzz/fuzz_*.c';

cmp_ok(@names, '>', 20, 'there are fuzz targets');

for my $name (@names) {
    my $program = build_dir() . "/t/fuzz/$name";
    my @seeds = grep { -d } 't/cases', "t/fuzz/seeds/$name";

    my $status = system "$program @seeds > $out.txt 2> $out.err";
    my @read = split "\n", slurp("$out.txt");

    ok($status == 0, "$name: each seed is read")
        or diag('at ', $read[-1] // 'no seed', "\n", slurp("$out.err"));
    cmp_ok(@read, '>', 1000, "$name: many seeds are read");
}

done_testing;
