# GW-17: the Debian packages, built here and unpacked: their contents work with
# this machine's nginx.  The test builds everything, so it runs only with
# PARLEY_PACKAGE=1, as in "make conformance".  "make matrix" also installs and
# purges them.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(root port tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

plan skip_all => 'PARLEY_PACKAGE=1 builds the packages'
    if !$ENV{PARLEY_PACKAGE};
plan skip_all => 'the module is part of this nginx, or it is not Debian\'s'
    if $ENV{TEST_NGINX_BINARY};
plan skip_all => 'no debhelper: tools/install-deps deb'
    if system('command -v dh > /dev/null') != 0;

my $dir = tmp_dir() . '/package';
my $modules = '/usr/lib/nginx/modules';

mkdir $dir or die "$dir: $!\n";
mkdir "$dir/parley" or die "$dir/parley: $!\n";
system('cd ' . root() . ' && tar -c --exclude=./build --exclude=./.git '
       . "--exclude=./.mirror . | tar -x -C $dir/parley") == 0
    or die "the project cannot be copied\n";

my $said = `cd $dir/parley && unset MAKEFLAGS MAKELEVEL OUT BUILD && \\
            DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b 2>&1`;

is($?, 0, 'GW-17 the packages are built')
    or BAIL_OUT(substr $said, -3000);

my %deb = map { m{/([^/_]+)_[^/]*\.deb\z} ? ($1 => $_) : () }
          glob "$dir/*.deb";

is_deeply([grep { !/-dbgsym$/ } sort keys %deb],
          [qw(libnginx-mod-http-parley parley)], 'GW-17 both of them');

for my $name (qw(libnginx-mod-http-parley parley)) {
    is(system('dpkg-deb', '-x', $deb{$name}, "$dir/root"), 0,
       "GW-17 $name: taken apart");
}

# the module is built for one ABI of nginx, and only that nginx may load it

my $needs = `dpkg-deb -f $deb{'libnginx-mod-http-parley'} Depends`;
my ($abi) = `nginx -v 2>&1` =~ m{nginx/(\d+\.\d+\.\d+)};

like($needs, qr/\bnginx-abi-\Q$abi\E/, 'GW-17 of this nginx');
like($needs, qr/\blibjansson4\b.*\blibsodium23\b/s, 'GW-17 what it loads');

ok(-f "$dir/root$_", "GW-17 $_") for
    "$modules/ngx_http_parley_module.so",
    '/usr/share/nginx/modules-available/mod-http-parley.conf',
    '/usr/bin/parley', '/usr/share/man/man1/parley.1.gz';

like(`$dir/root/usr/bin/parley --version`, qr/^parley \d/,
     'GW-17 the tool runs');

{
    local $ENV{PARLEY_MODULE} = "$dir/root$modules/ngx_http_parley_module.so";

    my $nginx = Parley::Nginx->start(http => gateway_http(server => ''));
    my $client = Parley::Client->new(port => port(1));

    like($client->post('/aee', jcs(aee()))->{body}, qr/TOKEN.MISSING/i,
         'GW-17 the module refuses a caller without a token');
    is($client->post('/aee', jcs(aee(priority => 'x')),
                     Authorization => bearer('alice'))->{json}{payload}{code},
       'E_FIELD_INVALID', 'GW-17 and what is malformed');
    $nginx->stop;
}

done_testing;
