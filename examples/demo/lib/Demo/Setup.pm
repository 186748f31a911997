package Demo::Setup;

# The environment of the demo: a folder with keys, certificate, tokens and
# configuration; nginx and the services, which the demo also stops.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use FindBin;
use IO::Socket::INET;
use JSON::PP ();
use POSIX ();
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(%demo prepare start stop parley slurp spew run free_port
                    end_process);

# attempts to start, if other processes take the ports
use constant TRIES => 5;

my $root = abs_path("$FindBin::Bin/../..");
my $build = abs_path($ENV{PARLEY_BUILD} || "$root/build") // '';

our %demo = (root => $root, build => $build, dir => "$build/demo",
             tool => "$build/parley");

my @processes;

# reserved port without a server
my $down;

# names and claims of the tokens
my @tokens = (
    [ 'ops',          sub => 'ops', scope => 'ops:run' ],
    [ 'ops-expired',  sub => 'ops', scope => 'ops:run', exp => -60 ],
    [ 'backup',       sub => 'backup', scope => 'ops:run' ],
    [ 'lamp',         sub => 'lamp', scope => 'ops:run' ],
    [ 'worker-7',     sub => 'worker-7', scope => 'vcp:send' ],
    [ 'worker-9',     sub => 'worker-9', scope => 'vcp:send' ],
    [ 'foreman',      sub => 'foreman', scope => 'vcp:send' ],
    [ 'kitchen',      sub => 'kitchen', scope => 'vcp:send' ],
    [ 'watch',        sub => 'watch', scope => 'ops:run vcp:send' ],
    (map { [ $_, sub => $_, scope => 'chat' ] } qw(web ada bo cleo dot)),
);


sub slurp {
    my $path = shift;

    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;

    return scalar(<$in>) // '';
}


sub spew {
    my ($path, $text) = @_;

    open my $out, '>:raw', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
}


# Returns the output of the command line tool; {in => text} is its input.
sub parley {
    my $o = ref $_[0] ? shift : {};
    my $in = "$demo{dir}/tmp/input";

    spew($in, $o->{in} // '');

    my $pid = open(my $out, '-|') // die "fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', $in or POSIX::_exit(127);
        exec { $demo{tool} } $demo{tool}, @_ or POSIX::_exit(127);
    }

    my $text = do { local $/; <$out> } // '';

    close $out or die "parley @_: it failed\n";
    chomp $text;

    return $text;
}


# Makes the folder.  A function may replace configuration().
sub prepare {
    $demo{configure} = shift // \&configuration;

    -x $demo{tool} or die "$demo{tool} is missing: make build\n";

    my $dir = $demo{dir};

    remove_tree($dir);
    make_path(map { "$dir/$_" } qw(keys tls tokens logs tmp chat));

    for my $name (qw(issuer gateway worker-7 worker-9 foreman kitchen)) {
        parley('keygen', '--alg', $name eq 'issuer' ? 'es256' : 'ed25519',
               '--kid', "$name-1", '--out', "$dir/keys/$name.jwk");
        spew("$dir/keys/$name.pub.jwk",
             parley('keygen', '--public', "$dir/keys/$name.jwk") . "\n");
    }

    spew("$dir/jwks.json", parley('jwks', "$dir/keys/issuer.jwk") . "\n");
    spew("$dir/peers.json",
         parley('jwks', map { "$dir/keys/$_.jwk" } qw(gateway kitchen))
         . "\n");

    spew("$dir/$_", slurp("$FindBin::Bin/$_"))
        for 'sessions.html', map { "chat/$_" } qw(index.html chat.css chat.js);

    $down = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0,
                                  Proto => 'tcp')
        or die "no free port on 127.0.0.1\n";

    certificate();
    tokens();
    identities();
    $demo{configure}->();
}


sub certificate {
    my $dir = "$demo{dir}/tls";

    my $log = qx{openssl req -x509 -newkey ec \\
        -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \\
        -subj /CN=localhost \\
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \\
        -keyout '$dir/server.key' -out '$dir/server.crt' 2>&1};

    die "openssl: $log\n" if $?;
}


sub tokens {
    for (@tokens) {
        my ($name, %claims) = @$_;

        spew("$demo{dir}/tokens/$name.jwt", parley(
            'token', 'mint', '--key', "$demo{dir}/keys/issuer.jwk",
            '--iss', 'https://id.example', '--aud', 'agents',
            '--sub', $claims{sub}, '--scope', $claims{scope},
            '--exp', $claims{exp} // 7 * 86400) . "\n");
    }

    # A forged token: the claims of ops without a signature.

    my (undef, $claims) = split /\./, slurp("$demo{dir}/tokens/ops.jwt");

    spew("$demo{dir}/tokens/ops-none.jwt",
         'eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.' . "$claims.\n");
}


# Writes the project's identities with the new keys.
sub identities {
    my $json = JSON::PP->new->utf8->canonical->pretty;
    my $all = $json->decode(slurp("$FindBin::Bin/identities.json"));

    for (grep { $_->{keys} } @{ $all->{principals} }) {
        $_->{keys} = [ $json->decode(
            slurp("$demo{dir}/keys/$_->{sub}.pub.jwk")) ];
    }

    for (grep { $_->{deliver} } @{ $all->{principals} }) {
        $_->{deliver} =~ s/\@DOWN_PORT\@/$down->sockport/e;
    }

    spew("$demo{dir}/identities.json", $json->encode($all));
}


sub configuration {
    # Keep the ports open until all are chosen, so that they differ.
    my @held = (gateway_port(), map { free_port(0) } 1, 2);

    @demo{qw(port aee_port vcp_port)} = map { $_->sockport } @held;
    close $_ for @held;

    my %value = (
        main_lines(),
        PORT        => $demo{port},
        AEE_PORT    => $demo{aee_port},
        VCP_PORT    => $demo{vcp_port},
        DOWN_PORT   => $down->sockport,
        TOKEN       => slurp("$demo{dir}/tokens/ops.jwt") =~ s/\s+\z//r,
        SURFACE_TOKEN => slurp("$demo{dir}/tokens/web.jwt") =~ s/\s+\z//r,
        quic_lines(),
    );

    my $text = slurp("$FindBin::Bin/nginx.conf.in");

    $text =~ s/^# A gateway.*?\n\n//s;
    $text =~ s/\@(\w+)\@/$value{$1}/g;

    spew("$demo{dir}/nginx.conf", $text);

    $demo{url} = "https://localhost:$demo{port}";
}


# Returns the values of LOAD_MODULE and USER.
sub main_lines {
    my $user = getpwuid $<;
    my $module = "$demo{build}/ngx_http_parley_module.so";

    # a sanitizer build has an nginx that contains the module
    $demo{nginx} = $ENV{TEST_NGINX_BINARY}
                   || (-x "$build/nginx" ? "$build/nginx" : 'nginx');

    return (LOAD_MODULE => -e $module ? qq{load_module "$module";} : '',
            USER        => $< == 0 ? "user  $user;" : '');
}


# Returns the reason for which the scene of MoQ cannot be played, or ''.
sub quic_lacks {
    my $nginx = shift;

    my $quic = `$nginx -V 2>&1` =~ /--with-http_v3_module/
               ? '' : 'This nginx has no QUIC (1.25 or later, http_v3)';
    my $agent = system("python3 -c 'import aioquic' 2> /dev/null")
                ? 'python3-aioquic is missing' : '';

    return join ', and ', grep { length } $quic, $agent;
}


# Returns the values of QUIC and MOQ, empty without QUIC, or without the library
# of the demo's agent.
sub quic_lines {
    $demo{unquic} = quic_lacks($demo{nginx});

    return (QUIC => '', MOQ => '') if $demo{unquic};

    spew("$demo{dir}/keys/quic.key", parley('uuid') x 2);

    return (QUIC => <<"EOF" =~ s/\n\z//r, MOQ => <<"EOF" =~ s/\n\z//r);
listen               127.0.0.1:$demo{port} quic reuseport;
        quic_host_key        keys/quic.key;
EOF

        # Agents connect by MoQ on QUIC at this path, and each of their commands
        # takes the steps of a POST to the location below.

        location = /moq {
            parley_moq  messages=/agents/moq;
        }

        location = /agents/moq {
            parley_submit  moq aee hold=20s;
            parley_allow   scope=ops:run;
        }

        location = /.well-known/a2a {
            parley_jwt           off;
            parley_moq_endpoint  moqt://localhost:$demo{port}/moq;
        }

EOF
}


# Opens a socket on PORT of the environment, or on 8443, or on any port if that
# is in use.
sub gateway_port {
    my $wanted = $ENV{PORT} // '';

    return free_port(8443) if $wanted eq '';

    die "PORT=$wanted is not a port from 1 to 65535\n"
        if $wanted !~ /^[1-9][0-9]{0,4}$/ || $wanted > 65535;

    my $s = free_port($wanted);

    die "PORT=$wanted is in use on 127.0.0.1\n" if $s->sockport != $wanted;

    return $s;
}


# Opens a socket on a port, or on any port if that is in use.
sub free_port {
    my $wanted = shift;

    for my $port ($wanted, 0) {
        my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
                                      LocalPort => $port, Proto => 'tcp',
                                      Listen => 1, ReuseAddr => 1);
        return $s if $s;
    }

    die "no free port on 127.0.0.1\n";
}


# Starts all processes.  Another process may have taken a free port in between.
# A function may replace run_all().
sub start {
    my $run = shift // \&run_all;

    for my $try (1 .. TRIES) {
        return if eval { $run->(); 1 };

        my $why = $@;
        stop();

        die $why if $try == TRIES || $why !~ /Address already in use/;
        $demo{configure}->();
    }
}


sub run_all {
    my $dir = $demo{dir};

    run('aee-service', $demo{aee_port}, "$FindBin::Bin/aee-service",
        '--port', $demo{aee_port}, '--log', "$dir/logs/got", '--until-eof');

    run('vcp-service', $demo{vcp_port}, "$FindBin::Bin/vcp-service",
        '--port', $demo{vcp_port}, '--log', "$dir/logs/got", '--until-eof',
        '--keys', "$dir/peers.json", '--parley', $demo{tool});

    run('nginx', $demo{port}, $demo{nginx}, '-p', "$dir/", '-c',
        'nginx.conf', '-e', 'logs/error.log');
}


# Starts a process and waits until it listens.  Its standard input ends when the
# demo ends, for any reason.
sub run {
    my ($name, $port, @command) = @_;

    my $log = "$demo{dir}/logs/$name.out";

    pipe my $read, my $write or die "pipe: $!\n";

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        close $write;
        close $_->{stdin} for @processes;

        # Ctrl-C ends only the demo, which then stops its processes.
        POSIX::setsid();

        open STDIN, '<&', $read;
        open STDOUT, '>', $log;
        open STDERR, '>&', \*STDOUT;

        exec { $command[0] } @command or POSIX::_exit(127);
    }

    close $read;
    push @processes, { name => $name, pid => $pid, stdin => $write };

    for (my $end = time + 20; time < $end; sleep 0.05) {
        return if listens($pid, $port);

        if (waitpid($pid, POSIX::WNOHANG()) == $pid) {
            pop @processes;
            die "$name did not start:\n" . slurp($log);
        }
    }

    die "$name does not listen:\n" . slurp($log);
}


# Returns whether this process listens on the port.
sub listens {
    my ($pid, $port) = @_;

    my $address = sprintf '0100007F:%04X', $port;

    # The fields are local address, peer address, state (LISTEN), ..., inode.
    my ($inode) = slurp('/proc/net/tcp')
                  =~ /^\s*\d+: $address \S+ 0A (?:\S+\s+){5}(\d+)/m
        or return 0;

    return grep { (readlink($_) // '') eq "socket:[$inode]" }
                glob "/proc/$pid/fd/*";
}


# Returns the name of a process that has ended, or nothing.
sub ended {
    for (@processes) {
        return $_->{name} if waitpid($_->{pid}, POSIX::WNOHANG());
    }

    return;
}


# Sends a signal to a process and its children, and waits until it has ended.
sub end_process {
    my ($name, $signal) = @_;

    my ($found) = grep { $_->{name} eq $name } @processes or return;

    local $?;
    kill $signal => -$found->{pid};
    waitpid $found->{pid}, 0;
    @processes = grep { $_ != $found } @processes;
}


sub stop {
    local $?;

    for (reverse @processes) {
        kill TERM => $_->{pid};
        close $_->{stdin};

        my $end = time + 5;

        until (waitpid($_->{pid}, POSIX::WNOHANG())) {
            if (time > $end) {
                kill KILL => $_->{pid};
                waitpid $_->{pid}, 0;
                last;
            }

            sleep 0.02;
        }
    }

    @processes = ();
}


1;
