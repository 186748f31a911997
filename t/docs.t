# The tables of docs/mapping.md and docs/mapping/ are equal to the output of
# the code.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root build_dir tmp_dir);

my $root = root();
my $said = qx{$root/tools/print-mapping --check @{[build_dir()]} 2>&1};

is($?, 0, 'GW-06 the pages of the mapping are as the codecs have it')
    or diag($said);

my $unbuilt = qx{$root/tools/print-mapping --check @{[tmp_dir()]} 2>&1};

isnt($?, 0, 'without what prints them nothing is said of them');
like($unbuilt, qr{\A\S+/print-mapping is not built: "make build/print-mapping"},
     'but what is missing');


done_testing;
