package Parley::Nginx;

# An nginx for one test, with master and workers, for tests that Test::Nginx
# cannot express: reloads, several clients at once, "nginx -t".
#
#     my $nginx = Parley::Nginx->start(http => <<'EOT', workers => 2);
#         server { listen 127.0.0.1:%PORT_1%; ... }
#     EOT
#     $nginx->reload;
#     like($nginx->error_log, qr/.../);
#
# %PORT_1% to %PORT_19%, %TLS_CERT%, %TLS_KEY%, %TMP% and %ROOT% are replaced.
# nginx stops when the object is destroyed, at the latest when the test ends.

use strict;
use warnings;

use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

use Parley::Env qw(nginx_binary load_module tmp_dir port tls root slurp spew
                   children);

use constant PATIENCE => 20;

my $instances = 0;


sub start {
    my ($class, %conf) = @_;

    my $self = $class->prepare(%conf);
    my $errors = "$self->{dir}/stderr";

    $self->{pid} = fork // die "fork: $!\n";

    if ($self->{pid} == 0) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', $errors;
        exec $self->command('-g', 'daemon off;') or POSIX::_exit(127);
    }

    $self->{owner} = $$;

    return $self
        if $self->wait_for(qr/start worker process \d+/, 1)
        && $self->wait_for_stores($self->{workers});

    my $why = slurp($errors) . $self->error_log;
    $self->stop;
    die "nginx does not start: $why\n";
}


# Runs "nginx -t" with a configuration: (exit status, messages).
sub check {
    my ($class, %conf) = @_;

    my $self = $class->prepare(%conf);
    my $command = join ' ', map { "'$_'" } $self->command('-t');
    my $said = `$command 2>&1`;

    return ($? >> 8, $said);
}


# Returns whether nginx is built with QUIC.
sub has_quic {
    my $nginx = nginx_binary();

    return `'$nginx' -V 2>&1` =~ /--with-http_v3_module/;
}


# Sends HUP.  Returns 1 when the new workers run and the old ones have stopped
# accepting.  Returns 0 if the configuration was refused, which changes
# nothing.
sub reload {
    my ($self, %conf) = @_;

    my $old = $self->{workers};
    my $started = $self->logged(qr/start worker process \d+/);
    my $leaving = $self->logged(qr/gracefully shutting down/);
    my $refused = $self->logged(qr/\[emerg\]/);

    $self->write_conf(%conf) if %conf;
    my $stores = $self->logged(qr/the store is in use/);

    kill 'HUP', $self->{pid};

    my $until = time + PATIENCE;

    while (time < $until) {
        if ($refused < $self->logged(qr/\[emerg\]/)) {
            $self->{workers} = $old;
            return 0;
        }

        return $self->wait_for_stores($stores + $self->{workers})
            if $started + $self->{workers}
               <= $self->logged(qr/start worker process \d+/)
            && $leaving + $old <= $self->logged(qr/gracefully shutting down/);

        sleep 0.02;
    }

    die "nginx does not reload: " . $self->error_log . "\n";
}


sub stop {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    # a signal, and the seconds that it may take
    for my $try (['QUIT', 5], ['TERM', 5], ['KILL', 5]) {
        kill $try->[0], $pid;
        my $until = time + $try->[1];

        while (time < $until) {
            # keeps the status of the test itself in END blocks
            local $?;
            return if waitpid($pid, WNOHANG) != 0;
            sleep 0.02;
        }
    }
}


sub pid { $_[0]{pid} }
sub dir { $_[0]{dir} }

# Returns the worker processes, also old ones that have not exited.
sub workers { return children($_[0]{pid}) }


sub error_log {
    my $self = shift;
    my $file = "$self->{dir}/error.log";

    return -e $file ? slurp($file) : '';
}


# Returns the octets of the log, and the text after that many octets.  A test
# with many requests does not read the whole log for each.
sub error_log_size { -s "$_[0]{dir}/error.log" // 0 }

sub error_log_after {
    my ($self, $octets) = @_;

    open my $in, '<', "$self->{dir}/error.log" or return '';
    seek $in, $octets, 0;
    local $/;

    return <$in> // '';
}


# Returns the number of matches in the error log.
sub logged {
    my ($self, $pattern) = @_;

    my $n = 0;
    my $log = $self->error_log;

    $n++ while $log =~ /$pattern/g;

    return $n;
}


# Waits until the error log takes each refusal again: it has at most ten lines
# of a code in a second.  A test calls it before it counts lines.
sub new_log_second { sleep 1.1 }


# Waits until the error log has that many matches; returns 0 after the time.
sub wait_for {
    my ($self, $pattern, $count) = @_;

    my $until = time + PATIENCE;

    while (time < $until) {
        return 1 if ($count // 1) <= $self->logged($pattern);
        return 0 if waitpid($self->{pid}, WNOHANG) != 0;
        sleep 0.02;
    }

    return 0;
}


sub prepare {
    my ($class, %conf) = @_;

    my $self = bless { dir => tmp_dir() . '/nginx-' . ++$instances }, $class;

    mkdir $self->{dir} or die "$self->{dir}: $!\n";
    $self->write_conf(%conf);

    return $self;
}


sub command {
    my $self = shift;

    return (nginx_binary(), '-p', "$self->{dir}/",
            '-e', "$self->{dir}/error.log", '-c', "$self->{dir}/nginx.conf",
            @_);
}


# Writes the configuration.  main and http are the text of these contexts; the
# other options have defaults.
sub write_conf {
    my ($self, %conf) = @_;

    my ($cert, $key) = tls();
    my %value = (TLS_CERT => $cert, TLS_KEY => $key, TMP => tmp_dir(),
                 ROOT => root(), map { ("PORT_$_" => port($_)) } 1 .. 19);

    $self->{workers} = $conf{workers} // 1;

    my $dir = $self->{dir};
    my $module = load_module();
    my $load = $module ne '' ? "load_module $module;" : '';
    my $level = $self->{level} = $conf{log_level} // 'info';
    my $main = $conf{main} // '';
    my $connections = $conf{connections} // 1024;
    my $http = $conf{http} // '';

    $http = $self->store . $http
        if $ENV{PARLEY_TEST_STORE} && $http =~ /\bparley_zone\b/
           && $http !~ /\bparley_store\b/;

    my $text = <<"EOT";
$load
$main
worker_processes $self->{workers};
pid $dir/nginx.pid;
error_log $dir/error.log $level;
events { worker_connections $connections; }
http {
    access_log $dir/access.log;
    client_body_temp_path $dir/client_body_temp;
    proxy_temp_path $dir/proxy_temp;
    fastcgi_temp_path $dir/fastcgi_temp;
    uwsgi_temp_path $dir/uwsgi_temp;
    scgi_temp_path $dir/scgi_temp;

$http
}
EOT

    $text =~ s/%([A-Z0-9_]+)%/$value{$1} \/\/ die "unknown: %$1%\n"/eg;

    spew("$dir/nginx.conf", $text);
}


# Returns the directive of a store that this nginx alone uses, for a run of all
# files with a store ("make test-store").
sub store {
    my $self = shift;

    if (!$self->{store}) {
        spew("$self->{dir}/store.key", '0123456789abcdef' x 4 . "\n");
        chmod 0600, "$self->{dir}/store.key";
        my $prefix = $self->{dir} =~ s/[^a-z0-9-]//gir;

        $self->{store} = "parley_store unix:$ENV{PARLEY_TEST_STORE}/socket "
                       . "key=$self->{dir}/store.key prefix=$prefix "
                       . "timeout=1s;\n";
    }

    return $self->{store};
}


# Waits until workers use the store of store().  Returns 1.
sub wait_for_stores {
    my ($self, $n) = @_;

    $self->wait_for(qr/the store is in use/, $n)
        if $self->{store} && $self->{level} =~ /^(?:info|notice|debug)/;

    return 1;
}


sub DESTROY {
    my $self = shift;
    $self->stop if $self->{pid} && $self->{owner} == $$;
}


1;
