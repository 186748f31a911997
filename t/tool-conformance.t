# tools/conformance: the results of rules from those of tests;
# tools/check-rules.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root slurp spew tmp_dir);

my $dir = tmp_dir() . '/conformance';

mkdir $_ or die "$_: $!\n"
    for $dir, "$dir/t", map { ("$dir/$_", "$dir/$_/t") } qw(one two);

# made at run time, since the tool reads this file too
my ($one, $two, $three) = map { sprintf 'GW-%02d', $_ } 1 .. 3;

spew("$dir/t/rules.tsv", "$one\tOWN\tx\tA\n$two\tOWN\tx\tB\n"
                         . "$three\tOWN\tx\tC\n");
spew("$dir/t/rules-part.tsv", "# id\tmissing\n");
spew("$dir/t/a.t", "subtest '$one of both runs' => sub {};\n"
                   . "subtest '$three and this' => sub {};\n");
spew("$dir/t/b.t", "subtest '$two of the second alone' => sub {};\n");

spew("$dir/one/t/a.t", "ok 1 - $one of both runs\nok 2 - $three and this\n"
                       . "1..2\n");
spew("$dir/one/t/b.t", "1..0 # SKIP the state answers at once\n");
spew("$dir/two/t/b.t", "ok 1 - $two of the second alone\n1..1\n");


sub results {
    my $root = root();
    my $said = `cd $dir && $root/tools/conformance @_ 2>&1`;

    return join ' ', $said =~ /^\| GW-.*\| ([^|]+) \|$/mg;
}


is(results('one'), 'pass fail pass', 'what was skipped did not run');
is(results('one', 'two'), 'pass pass pass', 'but in the second run');

spew("$dir/two/t/a.t", "not ok 1 - $one of both runs\n"
                       . "ok 2 - $three and this\n1..2\n");
is(results('one', 'two'), 'fail pass pass', 'and passes in every run, or not');

spew("$dir/two/t/a.t", "ok 1 - $one of both runs\n1..2\n");
is(results('one', 'two'), 'fail pass pass', 'a file that broke off');

spew("$dir/two/t/a.t", "ok 1 - $one of both runs\nok 2 - $three and this\n"
                       . "1..2\n");
spew("$dir/t/rules-part.tsv", "$one\tthe rest\n$two\tall but a word\n");
is(results('one', 'two'), 'part: the rest part: all but a word pass',
   'a part is named');
is(results('one'), 'part: the rest fail pass', 'a failure counts more');
like(`cd $dir && ${\ root()}/tools/conformance one two`,
     qr/^Of 3 rules 1 pass, 2 are shown in part,\n0 fail, 0 have no test/m,
     'parts are counted');

like(`cd $dir && ${\ root()}/tools/conformance none 2>&1`,
     qr/there was no run/, 'nor is nothing a run');



# Returns the errors of tools/check-rules for these files.
sub complaints {
    my ($part) = @_;
    my $root = root();

    spew("$dir/t/rules-part.tsv", $part);

    return `cd $dir && $root/tools/check-rules 2>&1`;
}


mkdir "$dir/t/unit" or die "$dir/t/unit: $!\n";
spew("$dir/t/unit/test_a.c", "parley_test(\"$one\", x)\n");

is(complaints("$two\tall but a word\n"), '', 'a part of a rule');

my $four = sprintf 'GW-%02d', 4;

spew("$dir/t/rules.tsv", slurp("$dir/t/rules.tsv") . "$four\tOWN\tx\tD\n");
like(complaints("$four\tall\n"), qr/^t\/rules-part.tsv:1: no test has the /,
     'a rule without a test has no part');
spew("$dir/t/unit/test_a.c", "parley_test(\"$four\", x)\n");
like(complaints(''), qr/^t\/rules-part.tsv: $four is shown by unit tests alone/,
     'a unit test alone is not from outside');
is(complaints("$four\ta test of nginx\n"), '', 'which is a part');
like(complaints("$four\tx\n$four\ty\n"), qr/:2: $four is there twice/, 'twice');
like(complaints(sprintf "GW-%d\tx\n", 99), qr/:1: there is no rule /, 'no rule');
like(complaints("$four\n"), qr/:1: not id, missing part/, 'no reason');

done_testing;
