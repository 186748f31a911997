# Every configuration in examples/, and that of README.md, is one that nginx
# takes, and the demo runs to its end and leaves nothing behind.

use strict;
use warnings;

use lib 't/lib';

use File::Path qw(make_path);
use POSIX ();
use Test::More;

use Parley::Env qw(root build_dir nginx_binary load_module tmp_dir port tls
                   slurp spew);
use Parley::Tool;

my $dir = tmp_dir();
my $nginx = nginx_binary();

# what the examples name in /etc/parley

make_path("$dir/etc/tls", "$dir/logs");

my ($cert, $key) = tls();

spew("$dir/etc/tls/$_", slurp($cert)) for qw(server.crt ca.crt);
spew("$dir/etc/tls/server.key", slurp($key));

spew("$dir/etc/$_.jwk", tool_ok('keygen', '--alg', 'ed25519', '--kid', $_))
    for qw(gateway kitchen);

spew("$dir/etc/jwks.json", tool_ok('jwks', "$dir/etc/gateway.jwk"));
spew("$dir/etc/identities.json", json({ principals => [
    { sub => 'home', vcp => 'agent://home.example/parent' },
    { sub => 'kitchen', vcp => 'agent://home.example/kitchen',
      aee => 'agent.kitchen', parent => 'home',
      keys => [ json(tool_ok('keygen', '--public',
                             "$dir/etc/kitchen.jwk")) ] },
] }));


# the example as it stands, with paths and ports that a test can have
sub example {
    my ($text, $name) = @_;
    my $module = load_module();
    my $port = port(1);

    $text =~ s/^ *load_module.*$/$module ? qq{load_module "$module";} : ''/me
        or fail("$name loads the module");
    $text =~ s{/etc/parley/}{$dir/etc/}g;
    $text =~ s{/var/log/nginx/}{$dir/logs/}g;
    $text =~ s/listen(\s+)443/listen${1}127.0.0.1:$port/g;

    return spew("$dir/$name.conf",
                "pid $dir/nginx.pid;\nerror_log stderr warn;\n$text");
}


# the examples, and that of README.md
my ($readme) = slurp(root() . '/README.md')
               =~ /^## An example\n\n((?: {4}.*\n|\n)+)/m;

for (['README', $readme],
     map { [m{([^/]+)\.conf$}, slurp($_)] }
         sort glob root() . '/examples/*.conf')
{
    my ($name, $text) = @$_;
    my $conf = example($text, $name);

    my $said = `$nginx -t -p $dir/ -c $conf -e stderr 2>&1`;

    is($?, 0, "GW-11 example $name: nginx -t takes it") or diag($said);
    unlike($said, qr/\[(?:warn|error|emerg)\]/,
           "example $name: without a warning")
        or diag($said);
}


# The demo in a directory of its own: another run may be going on.

my $build = "$dir/build";

make_path($build);
symlink build_dir() . "/$_", "$build/$_"
    for grep { -e build_dir() . "/$_" }
        qw(parley nginx ngx_http_parley_module.so);

{
    local $ENV{PARLEY_BUILD} = $build;
    local $ENV{ONCE} = 1;

    my $said = `@{[ root() ]}/examples/demo/run 2>&1`;

    is($?, 0, 'make run ONCE=1: the scenario is as it should be')
        or diag($said);
    like($said, qr/^All as it should be\.$/m, 'it says so');
    unlike($said, qr/\e\[/, 'no colours where no terminal is');

    is(processes(), '', 'nothing is left running');
}

# And until it is told to end.

{
    local $ENV{PARLEY_BUILD} = $build;
    delete local $ENV{ONCE};
    spew("$dir/demo.out", '');

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$dir/demo.out";
        open STDERR, '>&', \*STDOUT;
        exec root() . '/examples/demo/run' or POSIX::_exit(127);
    }

    for (1 .. 600) {
        last if slurp("$dir/demo.out") =~ /Ctrl-C ends it/
                || waitpid($pid, POSIX::WNOHANG());
        select undef, undef, undef, 0.1;
    }

    like(slurp("$dir/demo.out"), qr/Ctrl-C ends it/, 'make run goes on');

    kill INT => $pid;
    waitpid $pid, 0;

    is($?, 0, 'until Ctrl-C, status 0');
    is(processes(), '', 'nothing is left running');
}


# what runs and has our directory among its words
sub processes {
    my @found;

    for my $path (glob '/proc/[0-9]*/cmdline') {
        open my $in, '<', $path or next;

        my $words = join ' ', split /\0/, <$in> // '';
        push @found, $words if $words =~ /\Q$build\E/;
    }

    return join "\n", @found;
}


done_testing();
