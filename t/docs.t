# The tables of docs/mapping.md and docs/mapping/ are what the code prints.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root build_dir slurp spew tmp_dir);

my $root = root();
my $said = qx{$root/tools/print-mapping --check @{[build_dir()]} 2>&1};

is($?, 0, 'GW-06 the pages of the mapping are as the codecs have it')
    or diag($said);

my $unbuilt = qx{$root/tools/print-mapping --check @{[tmp_dir()]} 2>&1};

isnt($?, 0, 'without what prints them nothing is said of them');
like($unbuilt, qr{\A\S+/print-mapping is not built: "make build/print-mapping"},
     'but what is missing');



# the steps before an upgrade load the new module, wherever the old one is

my ($step) = slurp("$root/docs/upgrading.md")
             =~ m{^ +(so=\S+\n +sed "[^\n]+") \\\n}m;
my $loads = join '', map { "load_module $_;\n" }
    'modules/ngx_http_parley_module.so',
    '/usr/lib/nginx/modules/ngx_http_parley_module.so',
    '"/opt/modules/ngx_http_parley_module.so"', 'modules/another.so';

spew(tmp_dir() . '/nginx.conf', $loads);

my $new = '/tmp/new/usr/lib/nginx/modules/ngx_http_parley_module.so';

is(scalar qx{$step @{[tmp_dir()]}/nginx.conf},
   "load_module $new;\nload_module $new;\nload_module \"$new\";\n"
   . "load_module modules/another.so;\n", 'upgrading.md: the module\'s path');

done_testing;
