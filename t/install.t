# "make install" puts every file in its place, and the installed files work.

use strict;
use warnings;

use lib 't/lib';

use File::Spec;
use Test::More;

use Parley::Env qw(root build_dir tmp_dir nginx_binary spew);

my $root = root();
my $build = build_dir();
my $dir = tmp_dir() . '/root';

plan skip_all => 'the module is part of this nginx'
    if !-f "$build/ngx_http_parley_module.so";

# the path of the build, and that module, so that nothing is built again
my $out = File::Spec->abs2rel($build, $root);

my $said = qx{make -C $root install OUT=$out INSTALL_LTO= DESTDIR=$dir prefix=/usr \\
                  zshdir=/usr/share/zsh/vendor-completions \
                  modulesdir=/usr/lib/nginx/modules 2>&1};

is($?, 0, 'make install') or diag($said);

my @files = qw(bin/parley lib/nginx/modules/ngx_http_parley_module.so
               share/man/man1/parley.1
               share/bash-completion/completions/parley
               share/fish/vendor_completions.d/parley.fish
               share/zsh/vendor-completions/_parley);

ok(-f "$dir/usr/$_", $_) for @files;

my @found = grep { -f } split "\n", qx{find $dir};
is(@found, @files, 'and nothing else') or diag("@found");

like(qx{$dir/usr/bin/parley --version}, qr/^parley \d/, 'the tool runs');

my ($first) = qx{gcc -nostdinc -I $root -fsyntax-only $root/tools/parley_http.c 2>&1}
              =~ /error: (.*)/;
like($first, qr/libcurl4-openssl-dev/, 'the tool needs the headers of libcurl');

spew(tmp_dir() . '/nginx.conf', <<"END");
load_module $dir/usr/lib/nginx/modules/ngx_http_parley_module.so;
error_log stderr;
pid @{[tmp_dir()]}/pid;
events { }
http { parley_zone agents:1m; }
END

$said = qx{@{[nginx_binary()]} -t -p @{[tmp_dir()]} \\
               -c @{[tmp_dir()]}/nginx.conf 2>&1};
like($said, qr/test is successful/, 'nginx takes the module');

my $lists = join "\n", map { slurp_lines($_) }
                       glob "$root/debian/*.install";

like($lists, qr{^usr/\Q$_\E$}m, "a package has $_") for @files;

done_testing;


sub slurp_lines {
    my ($path) = @_;

    open my $fh, '<', $path or die "$path: $!\n";

    return map { chomp; $_ } <$fh>;
}
