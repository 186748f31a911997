package Parley::Redis;

# A Redis or Valkey server of one test, without files of data.
#
#     my $redis = Parley::Redis->start(port(4));
#     $redis->url;                        # redis://127.0.0.1:PORT
#     $redis->cli('GET', 'key');          # output of redis-cli
#     $redis->pause; $redis->resume;      # SIGSTOP, SIGCONT
#     $redis->kill; $redis->begin;        # kill -9, and start again, empty
#
# On port 0 the server has its socket alone.  Options: password (of the user
# "default"), users (lines of ACL after "user"), as (the user of cli(), which
# needs no password), tls (a port with TLS, with the certificate of
# Parley::Env), conf (more lines of the configuration), sentinel (1: a
# Sentinel).  The server ends when the object is destroyed.

use strict;
use warnings;

use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

use Parley::Env qw(tmp_dir tls slurp spew);

use constant PATIENCE => 20;

my $instances = 0;


# Returns the name of the engine that is installed: redis, valkey or undef.
sub engine {
    for my $engine ($ENV{PARLEY_ENGINE} || (), qw(redis valkey)) {
        for my $dir (split(/:/, $ENV{PATH}), '/usr/sbin') {
            return $engine if -x "$dir/$engine-server";
        }
    }

    return undef;
}


sub start {
    my ($class, $port, %o) = @_;

    my $engine = engine() // die "neither redis-server nor valkey-server\n";
    my $self = bless { port => $port, owner => $$, engine => $engine,
                       password => $o{password}, tls => $o{tls},
                       as => $o{as}, sentinel => $o{sentinel},
                       dir => tmp_dir() . '/redis-' . ++$instances }, $class;

    mkdir $self->{dir} or die "$self->{dir}: $!\n";

    my @lines = ("bind 127.0.0.1", "port $port",
                 $o{sentinel} ? () : ("save ''", "appendonly no"),
                 "dir $self->{dir}", "unixsocket $self->{dir}/socket",
                 "unixsocketperm 777",
                 "logfile $self->{dir}/log", "daemonize no",
                 (map { "user $_" } @{ $o{users} // [] }), $o{conf} // ());

    push @lines, "requirepass $o{password}" if defined $o{password};

    if ($o{tls}) {
        my ($cert, $key) = tls();

        push @lines, "tls-port $o{tls}", "tls-cert-file $cert",
             "tls-key-file $key", "tls-ca-cert-file $cert",
             'tls-auth-clients optional';
    }

    spew("$self->{dir}/conf", join "\n", @lines, '');

    return $self->begin;
}


# Adds lines to the configuration of the next begin().
sub configure {
    my ($self, @lines) = @_;

    my $file = "$self->{dir}/conf";

    spew($file, join "\n", slurp($file), @lines, '');
}


# Starts the server, and waits until it answers.
sub begin {
    my $self = shift;

    $self->{pid} = fork // die "fork: $!\n";

    if ($self->{pid} == 0) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$self->{dir}/out";
        open STDERR, '>&', \*STDOUT;
        exec "$self->{engine}-server", "$self->{dir}/conf",
            $self->{sentinel} ? '--sentinel' : () or POSIX::_exit(127);
    }

    my $until = time + PATIENCE;

    while (time < $until) {
        return $self if $self->answers;
        last if waitpid($self->{pid}, WNOHANG) != 0;
        sleep 0.02;
    }

    delete $self->{pid};
    die "$self->{engine}-server does not start: " . $self->log . "\n";
}


sub answers {
    my $self = shift;

    my $s = IO::Socket::UNIX->new(Peer => $self->socket) or return 0;

    print $s "PING\r\n";

    return (<$s> // '') =~ /^(?:\+PONG|-NOAUTH|-LOADING)/;
}


sub log {
    my $self = shift;

    return join '', map { -e "$self->{dir}/$_" ? slurp("$self->{dir}/$_") : '' }
                    qw(out log);
}


sub pid { $_[0]{pid} }
sub port { $_[0]{port} || $_[0]{tls} }
sub socket { "$_[0]{dir}/socket" }

# Returns the address for parley_store.
sub url {
    my $self = shift;

    return $self->{port} ? "redis://127.0.0.1:$self->{port}"
                         : 'unix:' . $self->socket;
}


# Returns the output of redis-cli without its last newline.
sub cli {
    my ($self, @words) = @_;

    local $ENV{REDISCLI_AUTH} = $self->{password};
    delete local $ENV{REDISCLI_AUTH} if !defined $self->{password};
    local $?;

    my $pid = open(my $out, '-|') // die "fork: $!\n";

    if ($pid == 0) {
        open STDERR, '>&', \*STDOUT;
        exec "$self->{engine}-cli", '-s', $self->socket, '--no-auth-warning',
             $self->{as} ? ('--user', $self->{as}, '--pass', 'none') : (),
             @words or POSIX::_exit(127);
    }

    my $text = do { local $/; <$out> } // '';
    close $out;

    return $text =~ s/\n\z//r;
}


# Executes commands as one transaction: no other client is served between them.
sub together {
    my ($self, @commands) = @_;

    my $socket = $self->socket;

    open my $out, '|-', "$self->{engine}-cli -s '$socket' > /dev/null"
        or die "the client of the engine: $!\n";
    print $out map { "$_\n" } 'MULTI', @commands, 'EXEC';
    close $out or die "a transaction failed: $?\n";
}


# Returns a field of INFO, or an empty string.
sub info {
    my ($self, $name) = @_;

    return $self->cli('INFO') =~ /^\Q$name\E:([^\r\n]*)/m ? $1 : '';
}


# Returns the number of clients that are connected, without redis-cli.
sub clients {
    my $self = shift;

    return scalar grep { !/cmd=client/ && /\bid=/ }
                  split /\n/, $self->cli('CLIENT', 'LIST');
}


# Returns the number of gateways whose inbox is subscribed.
sub inboxes {
    my ($self, $prefix) = @_;

    return (split /\n/, $self->cli('PUBSUB', 'NUMSUB', '{'
                                   . ($prefix // 'parley') . '}f'))[1];
}


# A stopped server keeps its connections and answers nothing.
sub pause { CORE::kill 'STOP', $_[0]{pid} }
sub resume { CORE::kill 'CONT', $_[0]{pid} }

sub kill { $_[0]->end('KILL') }
sub stop { $_[0]->end('TERM') }


sub end {
    my ($self, $signal) = @_;

    my $pid = delete $self->{pid} or return;

    local $?;
    CORE::kill $signal, $pid;
    CORE::kill 'CONT', $pid;
    waitpid $pid, 0;
}


sub DESTROY {
    my $self = shift;
    $self->end('KILL') if $self->{owner} == $$;
}


1;
