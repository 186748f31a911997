# GW-17: the module builds from the source of another nginx than the installed
# one, as a dynamic module and linked in, and both work.  It also builds with
# the nginx-dev of Debian's unstable suite, the newest nginx that there is.  The
# trees stay in build/, so only the first run takes long.

use strict;
use warnings;

use lib 't/lib';

use Fcntl qw(:flock);
use HTTP::Tiny;
use Test::More;

use Parley::Env qw(build_dir root port);
use Parley::Nginx;

plan skip_all => 'another nginx is built by make test-all'
    if !$ENV{PARLEY_TEST_ALL};

my $root = root();
my ($installed) = `nginx -v 2>&1` =~ m{nginx/(\d+\.\d+)};

# the version is 1.26; if that is installed, another one, and preferably one
# that was fetched before
my @wanted = '1.26';

if (($installed // '') eq '1.26') {
    @wanted = grep { $_ ne $installed }
              map { m{/nginx-(\d+\.\d+)} }
              glob "$root/build/nginx-src/nginx-*";
    @wanted = ('newest', '1.22') if !@wanted;
}

my ($tree, $version);

for my $want (@wanted) {
    chomp($tree = `$root/tools/fetch-nginx $want`);
    ($version) = $tree =~ /nginx-(\d+\.\d+)[^\/]*$/ or next;
    last if $version ne ($installed // '');
}

ok($version, "a source tree of nginx @wanted") or do {
    diag('tools/fetch-nginx could not bring one: see above');
    done_testing;
    exit;
};

isnt($version, $installed, 'it is not the installed version');

# all builds share the trees, and their tests may run at the same time
open my $lock, '>', "$root/build/nginx-$version.lock" or die "lock: $!\n";
flock $lock, LOCK_EX or die "lock: $!\n";

my $dynamic = "$root/build/nginx-$version-dynamic";
my $static = "$root/build/nginx-$version-static";

# the second build uses the objects of the first
if (build('dynamic', $dynamic) && !-d $static) {
    system('cp', '-Rp', $dynamic, $static);
}

build('static', $static);

my $module = "$dynamic/objs/ngx_http_parley_module.so";
is(`$root/tools/check-exports $module`, '',
   "GW-17 nginx $version, dynamic: the module shows what nginx asks for, no more");

serves('dynamic', "$dynamic/objs/nginx", $module);
serves('static', "$static/objs/nginx", '');

SKIP: {
    chomp(my $newest = `$root/tools/fetch-nginx newest-dev 2>&1`);

    skip "the newest nginx-dev cannot be fetched: $newest", 2 if $?;

    ($version) = $newest =~ /nginx-(dev-[\d.]+)$/;

    my $dir = "$root/build/nginx-$version";

    build('module', $dir, $newest);
    is(`$root/tools/check-exports $dir/objs/ngx_http_parley_module.so`, '',
       "GW-17 nginx $version: the module shows what nginx asks for, no more");
}

done_testing;


sub build {
    my ($kind, $dir, $from) = @_;

    # An nginx that only starts here is not optimised: that takes a third of
    # the time.  The library knows no nginx, so the module for an nginx-dev links
    # it as it is.
    my $options = $from ? '' : '-O0';

    local $ENV{PARLEY_LIBRARY} = $from ? build_dir() . '/libparley.a' : '';

    $from //= $tree;

    my $said = `$root/tools/build-nginx $kind $from $dir $options 2>&1`;

    return is($?, 0, "GW-17 nginx $version, $kind: built") || diag($said) && 0;
}


sub serves {
    my ($kind, $binary, $load) = @_;

    local $ENV{TEST_NGINX_BINARY} = $binary;
    local $ENV{PARLEY_MODULE} = $load;

    my $nginx = eval {
        Parley::Nginx->start(http => <<'EOT');
            server {
                listen 127.0.0.1:%PORT_1%;
                return 200 "served\n";
            }
EOT
    };

    ok($nginx, "nginx $version, $kind: starts") or diag($@);

    my $url = 'http://127.0.0.1:' . port(1) . '/';
    is(HTTP::Tiny->new->get($url)->{content}, "served\n",
       "GW-17 nginx $version, $kind: answers");
}
