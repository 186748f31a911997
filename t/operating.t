# OPS-10: the commands of docs/upgrading.md and docs/operating.md run
# unchanged, on files in the layout of Debian's nginx and the packages.
# t/package.t runs the commands that build and install.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(build_dir load_module nginx_binary port tls tmp_dir slurp
                   spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Pages;

plan skip_all => 'the module is part of this nginx' if load_module() eq '';
plan skip_all => "no $_" for grep { system("command -v $_ > /dev/null") != 0 }
                             qw(jq curl dpkg-deb);

is_deeply([map { unmarked($_) } qw(tutorial.md upgrading.md operating.md)], [],
          'OPS-10 each command is in a block that is run, or is an example');

my $so = 'modules/ngx_http_parley_module.so';
my $dir = tmp_dir() . '/debian';
my $etc = "$dir/etc/nginx";

# the directories that the pages name, moved below $dir
my @moved = (['/etc/nginx', $etc], ['/etc/parley', "$dir/etc/parley"],
             ['/tmp/new', "$dir/new"], ['/var/backups', "$dir/backups"],
             ['/run/nginx.pid', "$dir/nginx.pid"]);
my ($cert, $cert_key) = tls();

system('mkdir', '-p', map { "$dir/$_" }
       qw(etc/nginx/modules-enabled etc/nginx/parley.d etc/parley bin backups
          share/modules-available logs)) == 0 or die "mkdir: $?\n";


# Debian's layout: nginx.conf includes links to files that load modules
spew("$dir/share/modules-available/mod-http-parley.conf",
     "load_module $so;\n");
symlink "$dir/share/modules-available/mod-http-parley.conf",
        "$etc/modules-enabled/50-mod-http-parley.conf";
# files that are not Debian's have other spellings
spew("$etc/others.conf", join '', map { "load_module $_;\n" }
     "/usr/lib/nginx/$so", qq("/opt/$so"), 'modules/another.so');
spew("$dir/etc/parley/jwks.json", jwks(idp()));
spew("$dir/etc/parley/revocations.json",
     '{"principals":[],"kids":[],"tokens":[]}');
spew("$dir/etc/parley/token.jwt",
     token(idp(), { sub => 'alice', iss => 'https://id', jti => 'b1' }));
spew("$dir/token.jwt", slurp("$dir/etc/parley/token.jwt"));
spew("$dir/message.json", jcs(aee(from => 'agent.alice')));
spew("$dir/etc/parley/identities.json",
     jcs({ principals => [{ sub => 'alice', aee => 'agent.alice' },
                          { sub => 'bob', aee => 'agent.bob' },
                          { sub => 'worker-7', parent => 'alice' }] }));
spew("$etc/nginx.conf", <<"EOT");
pid $dir/nginx.pid;
error_log $dir/logs/error.log;
include /etc/nginx/modules-enabled/*.conf;
events { }
http {
    access_log off;
    client_body_temp_path $dir/b; proxy_temp_path $dir/p;
    fastcgi_temp_path $dir/f; uwsgi_temp_path $dir/u; scgi_temp_path $dir/s;
    parley_zone        agents:1m;
    parley_identities  /etc/parley/identities.json;
    parley_jwks        /etc/parley/jwks.json;
    parley_revocations /etc/parley/revocations.json;
    server {
        listen 127.0.0.1:@{[ port(1) ]};
        location /agents/ {
            parley_accept aee; parley_jwt on; parley_trusted on;
            include parley.d/*.conf;
            proxy_pass http://127.0.0.1:@{[ port(2) ]};
        }
    }
    server {
        listen 127.0.0.1:@{[ port(3) ]} ssl;
        ssl_certificate $cert; ssl_certificate_key $cert_key;
        location = /parley/keys { parley_keys; parley_jwt on; }
    }
}
EOT


# Returns a text of a page, or a file, with the directories of this test.
sub moved {
    my $text = shift;

    $text =~ s/(?<![\w.])\Q$_->[0]\E/$_->[1]/g for @moved;

    return $text;
}


spew("$etc/nginx.conf", moved(slurp("$etc/nginx.conf")));

# nginx by its name, with the prefix and the configuration of Debian's.  The
# installed module is not Parley's: if nginx loads it the test fails.
my $binary = nginx_binary();
chomp($binary = `PATH=\$PATH:/usr/sbin command -v nginx`) if $binary !~ m{/};
system('mkdir', '-p', "$dir/prefix/modules") == 0 or die;
spew("$dir/prefix/$so", 'an older module, which nginx cannot load');
spew("$dir/bin/nginx", <<"EOT");
#!/bin/sh
case " \$* " in *" -c "*) conf= ;; *) conf="-c $etc/nginx.conf" ;; esac
exec $binary -p $dir/prefix \$conf "\$@"
EOT

# systemctl only starts nginx; curl finds the gateway by the page's name
spew("$dir/bin/systemctl", <<"EOT");
#!/bin/sh
[ "\$*" = "start nginx" ] && exec nginx
EOT
spew("$dir/bin/curl", <<"EOT");
#!/bin/sh
PATH=$ENV{PATH}
exec curl -sk --connect-to gateway.example:443:127.0.0.1:@{[ port(3) ]} "\$@"
EOT
chmod 0755, map { "$dir/bin/$_" } qw(nginx systemctl curl);

my %env = (PATH => "$dir/bin:" . build_dir() . ":$ENV{PATH}",
           TOKEN => slurp("$dir/token.jwt"));

# page and heading of each block that ran
my %run;


# Runs the blocks of a page below a heading, in $dir.
sub run_blocks {
    my ($page, $heading) = @_;

    my @texts = map { moved($_->{text}) }
                grep { $_->{heading} eq $heading } blocks($page, 'sh');

    ok(scalar @texts, "$page, $heading: has commands");
    $run{"$page, $heading"} = 1;

    my @steps = steps($dir, \%env, @texts);

    for (@steps) {
        is($_->{status}, 0, "$page, $heading: each works")
            or diag($_->{out}, $_->{err});
    }

    return @steps;
}


# a package in Debian's form, without a build
subtest 'OPS-10 upgrading.md, Before: the new module is the one that is tested'
    => sub
{
    system('mkdir', '-p', "$dir/pkg/DEBIAN", "$dir/pkg/usr/lib/nginx/modules");
    spew("$dir/pkg/DEBIAN/control", "Package: libnginx-mod-http-parley\n"
         . "Version: 1\nArchitecture: all\nMaintainer: x <x\@example>\n"
         . "Description: x\n");
    system('cp', load_module(), "$dir/pkg/usr/lib/nginx/$so");
    is(system("dpkg-deb -b $dir/pkg $dir/libnginx-mod-http-parley_1_all.deb "
              . '> /dev/null'), 0, 'a package');

    my $before = slurp("$etc/nginx.conf");
    my ($test, $explained) = run_blocks('upgrading.md', 'Before');

    like($test->{out}, qr{^load_module $dir/new/usr/lib/nginx/$so;}m,
         'it is loaded from its own place');
    is(slurp("$dir/new/conf/others.conf"),
       "load_module $dir/new/usr/lib/nginx/$so;\n"
       . "load_module \"$dir/new/usr/lib/nginx/$so\";\n"
       . "load_module modules/another.so;\n", 'however its path is written');
    like($test->{err}, qr/test is successful/);
    like($explained->{out}, qr/"from":"agent\.alice"/, 'the message passes');
    is(slurp("$etc/nginx.conf"), $before, 'the configuration is as it was');
    is(slurp("$dir/share/modules-available/mod-http-parley.conf"),
       "load_module $so;\n", 'so is what loads the module');

    spew("$dir/new/conf/nginx.conf",
         slurp("$dir/new/conf/nginx.conf") =~ s/parley_zone/parley_zome/r);
    like(`$dir/bin/nginx -t -c $dir/new/conf/nginx.conf 2>&1`,
         qr/unknown directive "parley_zome"/, 'its directives are asked for');
};

# from here on the installed module is the one that was built
system('cp', load_module(), "$dir/prefix/$so");
is(system("$dir/bin/nginx 2> $dir/logs/start"), 0, 'it starts')
    or diag(slurp("$dir/logs/start"));

END {
    if (defined $dir && -e "$dir/nginx.pid"
        && slurp("$dir/nginx.pid") =~ /(\d+)/)
    {
        local $?;
        kill QUIT => $1;
    }
}

# Returns the status of alice's message.
sub status {
    my $client = Parley::Client->new(port => port(1), tls => 0);

    return $client->post('/agents/', jcs(aee(from => 'agent.alice', @_)),
                         Authorization => "Bearer "
                             . slurp("$dir/etc/parley/token.jwt"))->{status};
}


# Waits until alice's message has that status.
sub becomes {
    my ($want, $name, @o) = @_;

    my $got;

    for (1 .. 100) {
        $got = status(@o);
        last if $got == $want;
        select undef, undef, undef, 0.1;
    }

    is($got, $want, $name);
}


subtest 'OPS-10 operating.md, Backup' => sub {
    my ($saved) = run_blocks('operating.md', 'Backup');

    like(`tar -tzf $dir/backups/parley.tar.gz`, qr{/revocations\.json$}m,
         'the list of what is revoked is in it');
};


subtest 'OPS-10 operating.md, Keys' => sub {
    my ($added) = run_blocks('operating.md', 'Keys');

    like($added->{out}, qr/"w7-2"/, 'the key of the child is added');
};


subtest 'OPS-10 operating.md, The gateway\'s own key' => sub {
    for my $kid (qw(gateway next)) {
        is(system(build_dir() . "/parley keygen --alg ed25519 --kid $kid"
                  . " --out $dir/$kid.jwk"), 0, $kid);
    }

    run_blocks('operating.md', 'The gateway\'s own key');

    my @set = @{ from_json(slurp("$dir/gateway-keys.json"))->{keys} };

    is("@{[map { $_->{kid} } @set]}", 'next gateway', 'the next key signs');
    ok($set[0]{d} && !$set[1]{d}, 'the old one is public');
    is_deeply([map { [@$_{qw(kid d)}] }
               @{ from_json(slurp("$dir/gateway-public.json"))->{keys} }],
              [['gateway', undef], ['next', undef]], 'both are published');
};


subtest 'OPS-10 operating.md, Limiting one tenant' => sub {
    is(status(), 502, 'a message passes; there is no service');
    run_blocks('operating.md', 'Limiting one tenant');

    spew("$etc/parley.d/limit.conf",
         slurp("$etc/parley.d/limit.conf") =~ s/mallory/alice/r);
    is(system("$dir/bin/nginx -s reload 2> /dev/null"), 0, 'of alice');
    becomes(403, 'her ops. intents are refused', intent => 'ops.x.y');
    becomes(502, 'others pass', intent => 'docs.x.y');
};


subtest 'OPS-10 upgrading.md, Of the module' => sub {
    my $old = slurp("$dir/nginx.pid");

    run_blocks('upgrading.md', 'Of the module');
    isnt(slurp("$dir/nginx.pid"), $old, 'another nginx runs');
    becomes(502, 'with an empty window', intent => 'docs.x.y');
};


subtest 'OPS-10 operating.md, Revocation' => sub {
    run_blocks('operating.md', 'Revocation');
    is_deeply(from_json(slurp("$dir/etc/parley/revocations.json")),
              { principals => ['mallory'], kids => [], tokens => [] },
              'mallory is revoked, and the list is whole');
};


subtest 'OPS-10 operating.md, One token' => sub {
    run_blocks('operating.md', 'One token');
    becomes(401, 'the token is revoked', intent => 'docs.x.y');
};


# Each block runs, here or in t/package.t.
for my $page (qw(upgrading.md operating.md)) {
    my %all = map { ("$page, $_->{heading}" => 1) }
              grep { !installs($_) } blocks($page, 'sh');

    is_deeply([sort grep { /^\Q$page\E/ } keys %run], [sort keys %all],
              "OPS-10 $page: no block is left out");
}

done_testing;
