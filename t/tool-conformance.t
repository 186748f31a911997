# tools/conformance: what of a run counts for a rule.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root spew tmp_dir);

my $dir = tmp_dir() . '/conformance';

mkdir $_ or die "$_: $!\n"
    for $dir, "$dir/t", map { ("$dir/$_", "$dir/$_/t") } qw(one two);

# made, since the tool reads this file, too
my ($one, $two, $three) = map { sprintf 'GW-%02d', $_ } 1 .. 3;

spew("$dir/t/rules.tsv", "$one\tOWN\tx\tA\n$two\tOWN\tx\tB\n"
                         . "$three\tOWN\tx\tC\n");
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

    return join ' ', $said =~ /^\| GW-.*\| (\w+) \|$/mg;
}


is(results('one'), 'pass fail pass', 'what was skipped did not run');
is(results('one', 'two'), 'pass pass pass', 'but in the second run');

spew("$dir/two/t/a.t", "not ok 1 - $one of both runs\n"
                       . "ok 2 - $three and this\n1..2\n");
is(results('one', 'two'), 'fail pass pass', 'and passes in every run, or not');

spew("$dir/two/t/a.t", "ok 1 - $one of both runs\n1..2\n");
is(results('one', 'two'), 'fail pass pass', 'a file that broke off');

like(`cd $dir && ${\ root()}/tools/conformance none 2>&1`,
     qr/there was no run/, 'nor is nothing a run');

done_testing;
