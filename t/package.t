# GW-17: the Debian packages, built here and unpacked: their contents work with
# this machine's nginx.  OPS-10: the commands of docs/ that build and install
# run unchanged, in a sandbox.  The test builds everything, so it runs only with
# PARLEY_PACKAGE=1, as in "make conformance".  "make matrix" also installs and
# purges the packages on Debian 12 and 13.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(root port tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Pages;
use Parley::Sandbox;

plan skip_all => 'PARLEY_PACKAGE=1 builds the packages'
    if !$ENV{PARLEY_PACKAGE};
plan skip_all => 'the module is part of this nginx, or it is not Debian\'s'
    if $ENV{TEST_NGINX_BINARY};
plan skip_all => 'no debhelper: tools/install-deps deb'
    if system('command -v dh > /dev/null') != 0;

my @sandbox = sandbox();
my $dir = tmp_dir() . '/package';
my $modules = '/usr/lib/nginx/modules';

mkdir $dir or die "$dir: $!\n";

# the commands for the sandbox: [name, commands]
my @run;


# Adds commands of the test itself.
sub own { push @run, ["the test's: $_[0]", $_[1]] }


# Adds the blocks of a page below a heading.  "make deb" is printed on each page
# and takes minutes, so only the first one runs.
sub printed {
    my ($page, $heading) = @_;

    for (grep { $_->{heading} eq $heading } blocks($page, 'sh')) {
        my $text = $_->{text};
        my $built = grep { $_->[1] =~ /^make deb$/m } @run;

        $text =~ s/^make deb$/true/m if $built;
        push @run, ["$page, $heading", $text];
    }
}


# Packages start no daemon.  apt reads "yes" for each question, and without
# package lists it downloads nothing.
own('a machine', <<"EOT");
unset MAKEFLAGS MAKELEVEL MFLAGS OUT BUILD
printf '#!/bin/sh\\nexit 101\\n' > /usr/sbin/policy-rc.d
printf '#!/bin/sh\\n[ "\$*" = "start nginx" ] && exec nginx\\n' \\
    > /usr/local/sbin/systemctl
chmod 755 /usr/sbin/policy-rc.d /usr/local/sbin/systemctl
echo 'APT::Get::Assume-Yes "true";' > /etc/apt/apt.conf.d/99parley
rm -rf /var/lib/apt/lists/* build/*.deb /etc/nginx/sites-enabled/default
cat > /etc/nginx/conf.d/parley.conf <<'END'
server { listen unix:/run/parley.sock; location / { return 204; } }
END
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
EOT

printed('tutorial.md', 'First gateway in ten minutes');
own('what was installed', <<"EOT");
cp build/*.deb $dir
printf 'parley_zone agents:1m;\\n' >> /etc/nginx/conf.d/parley.conf
nginx -t && parley --version
EOT

own('packages of an earlier version, and nginx with its module', <<"EOT");
for name in libnginx-mod-http-parley parley; do
    dpkg-deb -R build/\${name}_*.deb $dir/older &&
        sed -i 's/^Version: .*/Version: 0.0.1/' $dir/older/DEBIAN/control &&
        dpkg-deb -b $dir/older $dir/\$name.older &&
        dpkg -i --force-downgrade $dir/\$name.older && rm -r $dir/older
done
nginx && cp /run/nginx.pid $dir/first.pid
grep -c '$modules/ngx_http_parley_module.so\$' /proc/\$(cat $dir/first.pid)/maps
EOT

printed('operating.md', 'From packages');
printed('upgrading.md', 'Of Debian');
own('after the upgrade', <<"EOT");
dpkg-query -W -f '\${Version}\\n' libnginx-mod-http-parley parley
cmp /run/nginx.pid $dir/first.pid &&
    grep 'ngx_http_parley_module.so' /proc/\$(cat /run/nginx.pid)/maps
EOT

printed('upgrading.md', 'Of the module');
own('after the restart', <<"EOT");
cmp /run/nginx.pid $dir/first.pid ||
    grep 'ngx_http_parley_module.so' /proc/\$(cat /run/nginx.pid)/maps
EOT

own('without the packages', <<"EOT");
nginx -s quit
rm /etc/nginx/conf.d/parley.conf
apt remove libnginx-mod-http-parley parley
test ! -e $modules/ngx_http_parley_module.so && nginx -t
EOT

printed('operating.md', 'From source');
own('the module from source', <<"EOT");
sed -i '1i load_module modules/ngx_http_parley_module.so;' /etc/nginx/nginx.conf
printf 'parley_zone agents:1m;\\n' > /etc/nginx/conf.d/parley.conf
nginx -t && /usr/local/bin/parley -V
EOT


# Runs the commands in the sandbox; they leave the packages in $dir.
sub run_pages {
    my @steps = steps_in(\@sandbox, root(), {}, map { $_->[1] } @run);
    my %out;

    for my $i (0 .. $#run) {
        my $name = $run[$i][0];

        is($steps[$i]{status}, 0, "OPS-10 $name")
            or diag(map { substr $_, -3000 } @{ $steps[$i] }{qw(out err)});
        $out{$name} = $steps[$i]{out};
    }

    my ($upgraded, $restarted)
        = @out{"the test's: after the upgrade", "the test's: after the restart"};

    unlike($upgraded, qr/^0\.0\.1$/m, 'OPS-10 both packages are upgraded');
    like($upgraded, qr/\(deleted\)$/m,
         'OPS-10 nginx runs the old module until a restart');
    unlike($restarted, qr/\(deleted\)$/m, 'OPS-10 and then the new one');

    my %all = map { ("$_->[0], $_->[1]{heading}" => 1) }
              map { my $page = $_; map { [$page, $_] }
                                   grep { installs($_) } blocks($page, 'sh') }
              qw(tutorial.md upgrading.md operating.md);
    my %run = map { ($_->[0] => 1) } @run;

    is_deeply([grep { !$run{$_} } sort keys %all], [],
              'OPS-10 no block that builds or installs is left out');
}


# Builds the packages in a copy of the project.
sub build_packages {
    mkdir "$dir/parley" or die "$dir/parley: $!\n";
    system('cd ' . root() . ' && tar -c --exclude=./build --exclude=./.git '
           . "--exclude=./.mirror . | tar -x -C $dir/parley") == 0
        or die "the project cannot be copied\n";

    my $said = `cd $dir/parley && unset MAKEFLAGS MAKELEVEL OUT BUILD && \\
                DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b 2>&1`;

    is($?, 0, 'GW-17 the packages are built')
        or BAIL_OUT(substr $said, -3000);
}


if (@sandbox) {
    run_pages();

} else {
    build_packages();

    SKIP: {
        skip 'OPS-10 no sandbox: it needs root and mount namespaces', 1;
    }
}

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
