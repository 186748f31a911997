package Parley::Env;

# The environment of a test: the files that were built, and a directory, ports
# and a certificate of its own.  The directory is removed when the test ends.

use strict;
use warnings;

use Cwd ();
use Exporter 'import';
use File::Basename qw(dirname);
use File::Temp ();
use IO::Socket::INET;
use POSIX ();

our @EXPORT_OK = qw(root build_dir is_sanitized nginx_binary load_module tmp_dir
                    port tls authority client_certificate
                    parley parley_try section slurp spew children);

# the gateways of tests listen at 127.0.0.1, and Node 18 tries ::1 for
# "localhost" alone
$ENV{NODE_OPTIONS} = join ' ', $ENV{NODE_OPTIONS} // (),
                     '--dns-result-order=ipv4first';

use constant PORTS => 20;

my $root = Cwd::abs_path(dirname(__FILE__) . '/../../..');
my $build = Cwd::abs_path($ENV{PARLEY_BUILD} || "$root/build");
my $owner = $$;
my ($tmp, $lock, $base, %tls);

# so END blocks run and stop nginx if the test is interrupted
$SIG{$_} = sub { exit 1 } for qw(HUP INT TERM);


# Returns the root folder of the project.
sub root { $root }


# Returns the folder of the tested build: build, build/debug, build/sanitize.
sub build_dir { $build }

# Returns whether sanitizers are in the tested build.  They keep freed memory,
# so that no test can measure memory.
sub is_sanitized { return $build =~ m{/sanitize$} }


# Returns the nginx under test.  A sanitizer build has its own nginx that
# contains the module; otherwise it is TEST_NGINX_BINARY or the installed one.
sub nginx_binary {
    return $ENV{TEST_NGINX_BINARY} if $ENV{TEST_NGINX_BINARY};
    return -x "$build/nginx" ? "$build/nginx" : 'nginx';
}


# Returns the module to load into nginx, or '' if nginx contains it.
sub load_module {
    return $ENV{PARLEY_MODULE} if defined $ENV{PARLEY_MODULE};
    return -x "$build/nginx" ? '' : "$build/ngx_http_parley_module.so";
}


# Returns the directory of this test.  Workers that run as another user can
# enter it.
sub tmp_dir {
    if (!defined $tmp) {
        $tmp = File::Temp->newdir('parley-test-XXXXXX', TMPDIR => 1);
        chmod 0755, "$tmp";
        sanitizer_options("$tmp");
    }

    return "$tmp";
}


# port(1) .. port(19): free ports of loopback, reserved for this process.  They
# are below the ports that the system gives to clients.  The first port of the
# range is held open, which reserves the whole range.
sub port {
    my $n = shift;

    die "port($n): there are ports 1 to " . (PORTS - 1) . "\n"
        if $n < 1 || $n >= PORTS;

    take_ports() if !defined $base;

    return $base + $n;
}


sub take_ports {
    my $ranges = int(20000 / PORTS);
    my $start = int(rand($ranges));

    RANGE:
    for my $i (0 .. $ranges - 1) {
        my $first = 10000 + PORTS * (($start + $i) % $ranges);
        my $held = listener($first) or next;

        for my $n (1 .. PORTS - 1) {
            listener($first + $n) or next RANGE;
        }

        ($lock, $base) = ($held, $first);
        return;
    }

    die "no free range of ports on 127.0.0.1\n";
}


sub listener {
    return IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => shift,
                                 Proto => 'tcp', Listen => 1);
}


# Returns the files of a self-signed certificate for localhost: (cert, key).
sub tls {
    if (!%tls) {
        %tls = (cert => tmp_dir() . '/tls.crt', key => tmp_dir() . '/tls.key');

        my $log = `openssl req -x509 -newkey ec \\
            -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \\
            -subj /CN=localhost -addext subjectAltName=DNS:localhost \\
            -keyout $tls{key} -out $tls{cert} 2>&1`;
        die "openssl: $log\n" if $?;
    }

    return @tls{qw(cert key)};
}


# Returns the file of an authority for client certificates, made once for each
# name.
sub authority {
    my $name = shift;

    my $file = tmp_dir() . "/$name-ca";

    run_openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
                . "-nodes -days 2 -subj '/CN=$name authority' "
                . "-keyout $file.key -out $file.crt") if !-e "$file.crt";

    return "$file.crt";
}


# Returns a client certificate of an authority: (cert, key).  Options: ca,
# subject (/CN=x), san (DNS:x,URI:y), past (it has expired).
sub client_certificate {
    my ($name, %o) = @_;

    my $file = tmp_dir() . "/client-$name";
    my $ca = authority($o{ca} // 'fleet') =~ s/\.crt$//r;
    my $subject = $o{subject} // "/CN=$name";

    spew("$file.ext", join "\n", 'basicConstraints=CA:FALSE',
         $o{san} ? "subjectAltName=$o{san}" : (), '');

    run_openssl("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
                . "-subj '$subject' -keyout $file.key -out $file.csr");

    if ($o{past}) {
        # since OpenSSL 3.4 "x509" refuses to sign an expired certificate

        spew("$file.cnf", join "\n", '[ca]', 'default_ca = any', '[any]',
             "database = $file.db", "serial = $file.serial",
             'policy = any_name', '[any_name]',
             'commonName = supplied', '');
        spew("$file.serial", "02\n");
        spew("$file.db", '');

        run_openssl("ca -batch -notext -config $file.cnf -cert $ca.crt "
                    . "-keyfile $ca.key -md sha256 "
                    . "-startdate 20200101000000Z -enddate 20200102000000Z "
                    . "-outdir " . tmp_dir() . " -extfile $file.ext "
                    . "-in $file.csr -out $file.crt");
    } else {
        run_openssl("x509 -req -in $file.csr -CA $ca.crt -CAkey $ca.key "
                    . "-CAcreateserial -days 2 -extfile $file.ext "
                    . "-out $file.crt");
    }

    return ("$file.crt", "$file.key");
}


sub run_openssl {
    my $log = `openssl $_[0] 2>&1`;

    die "openssl $_[0]: $log\n" if $?;
}


# Runs the command line tool.  Returns its standard output; dies if it fails.
sub parley {
    my ($status, $out, $err) = parley_try(@_);

    die "parley @_: status $status: $err\n" if $status != 0;

    return $out;
}


# Runs the tool: (status, standard output, standard error).
sub parley_try {
    my $out = File::Temp->new;
    my $err = File::Temp->new;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>&', $out;
        open STDERR, '>&', $err;
        exec "$build/parley", @_ or POSIX::_exit(127);
    }

    # keeps the status of the test itself in END blocks
    local $?;
    waitpid $pid, 0;

    return ($? & 127 ? 128 + ($? & 127) : $? >> 8,
            slurp($out->filename), slurp($err->filename));
}


# Returns a section of the file "case" of a directory of t/cases, or ''.
sub section {
    my ($case, $name) = @_;

    return '' if !-e "$case/case";

    my ($before, %section) = split /^--- (\w+)\n/m, slurp("$case/case"), -1;

    return $section{$name} // '';
}


sub slurp {
    my $path = shift;

    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;

    return scalar <$in> // '';
}


sub spew {
    my ($path, $text) = @_;

    open my $out, '>:raw', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";

    return $path;
}


# Returns the processes of a process, from /proc: a minimal root has no pgrep.
sub children {
    my $pid = shift;

    my $path = "/proc/$pid/task/$pid/children";

    die "$path: missing\n" if -e "/proc/$pid" && !-e $path;

    open my $in, '<', $path or return;

    return split ' ', <$in> // '';
}


# Sanitizers write into files, because the standard error of nginx is lost.
# Leaks are not reported: nginx does not free memory that lives as long as the
# process.
sub sanitizer_options {
    my $log = shift() . '/sanitizer';

    $ENV{ASAN_OPTIONS} = "detect_leaks=0,detect_odr_violation=0,"
                         . "log_path=$log";
    $ENV{UBSAN_OPTIONS} = "print_stacktrace=1,log_path=$log";
}


# Fails a test in which a sanitizer reported an error.  Shows the first report
# only, as one error may be reported many times.
END {
    if (defined $tmp && $$ == $owner) {
        my @reports = sort glob "$tmp/sanitizer*";

        if (@reports) {
            my $report = slurp($reports[0]);
            $report =~ s/^/# /mg;
            print STDERR $report;
            printf STDERR "# %d reports of sanitizers\n", scalar @reports;
            $? = 1;
        }
    }
}


1;
