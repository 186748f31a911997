# The tables of docs/mapping.md and docs/mapping/ are what the code prints.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root build_dir);

my $root = root();
my $said = qx{$root/tools/print-mapping --check @{[build_dir()]} 2>&1};

is($?, 0, 'GW-06 the pages of the mapping are as the codecs have it')
    or diag($said);

done_testing;
