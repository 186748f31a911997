package Parley::Upstream;

# A service behind the gateway that runs a script of the test, and records its
# requests.
#
#     my $service = Parley::Upstream->start(port(2));
#     $service->script('$c->answer(200, [], jcs(result($q->{json})))');
#     ...
#     is($service->count, 1);
#     is($service->last->{headers}{'parley-verified'}, ...);
#
# With tls => 1 the service uses TLS.
#
# A script is Perl code that sees the request $q ({method, uri, headers, list,
# body, json}) and the connection $c (answer, out, pause).  Each connection has
# its own process, so that a slow answer delays no other connection.

use strict;
use warnings;

use Fcntl qw(:flock SEEK_SET);
use IO::Socket::INET;
use JSON::XS ();
use POSIX ();
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(tmp_dir slurp spew tls);
use Parley::Message;

my $json = JSON::XS->new->ascii->canonical->allow_nonref;
my $number = 0;


sub start {
    my ($class, $port, $script, %o) = @_;

    my $self = bless { port => $port, owner => $$, tls => $o{tls},
                       dir => tmp_dir() . '/service-' . ++$number }, $class;

    # one certificate for all processes
    tls() if $o{tls};

    mkdir $self->{dir} or die "$self->{dir}: $!\n";
    $self->script($script);
    $self->clear;
    $self->listen;

    return $self;
}


sub listen {
    my $self = shift;

    my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
                                         LocalPort => $self->{port},
                                         Proto => 'tcp', Listen => 128,
                                         ReuseAddr => 1)
        or die "127.0.0.1:$self->{port}: $!\n";

    $self->{pid} = fork // die "fork: $!\n";

    if ($self->{pid} == 0) {
        $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM);
        $SIG{CHLD} = 'IGNORE';
        POSIX::setpgid(0, 0);

        my $parent = getppid;

        $SIG{ALRM} = sub { POSIX::_exit(0) if getppid != $parent; alarm 2 };
        alarm 2;

        while (1) {
            my $socket = $listener->accept or next;
            my $pid = fork // POSIX::_exit(1);

            if ($pid == 0) {
                alarm 0;
                $SIG{CHLD} = 'DEFAULT';
                close $listener;
                eval { $self->serve($socket) };
                print STDERR "# service: $@" if $@;
                POSIX::_exit(0);
            }

            close $socket;
        }
    }

    # the parent and the child both do this, as either may run first
    POSIX::setpgid($self->{pid}, $self->{pid});
    close $listener;
}


# Stops the service and ends its connections.
sub stop {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    local $?;
    kill 'KILL', -$pid;
    kill 'KILL', $pid;
    waitpid $pid, 0;
}


sub DESTROY {
    my $self = shift;
    $self->stop if $self->{owner} == $$;
}


# Sets the script for later requests; undef: accept every message.
sub script {
    my ($self, $text) = @_;

    my $file = "$self->{dir}/script";

    spew("$file.new", $text // '$c->take');
    rename "$file.new", $file or die "$file: $!\n";
}


sub clear { spew("$_[0]{dir}/requests", '') }


# Returns the requests: a list of {method, uri, headers, list, body, json,
# time}.
sub requests {
    my $self = shift;

    open my $in, '<', "$self->{dir}/requests" or die "requests: $!\n";
    flock $in, LOCK_SH;

    my @requests = map { $json->decode($_) } <$in>;

    $_->{json} = eval { from_json($_->{body}) } for @requests;

    return @requests;
}


sub count { scalar(my @all = $_[0]->requests) }
sub last  { ($_[0]->requests)[-1] }


# Waits until that many requests came; returns 0 after the time.
sub wait_for {
    my ($self, $n, $seconds) = @_;

    my $until = time + ($seconds // 10);

    while ($self->count < $n) {
        return 0 if time > $until;
        sleep 0.01;
    }

    return 1;
}


sub serve {
    my ($self, $socket) = @_;

    binmode $socket;

    if ($self->{tls}) {
        require IO::Socket::SSL;

        my ($cert, $key) = tls();

        $socket = IO::Socket::SSL->start_SSL($socket, SSL_server => 1,
            SSL_cert_file => $cert, SSL_key_file => $key) or return;
    }

    my $c = bless { socket => $socket, buffer => '', keep => 1,
                    service => $self },
                  'Parley::Upstream::Connection';

    while ($c->{keep}) {
        my $q = $c->read_request or return;

        $c->{q} = $q;
        $c->{keep} = ($q->{headers}{connection} // '') !~ /close/i
                     && $q->{version} eq '1.1';

        # reads the script first: after the record the test may write another
        # script

        my $script = slurp("$self->{dir}/script");

        $self->record($q);

        my $run = eval "package Parley::Upstream::Script; "
                     . "sub { my (\$q, \$c) = \@_; $script }";

        die "$@\n" if !$run;

        $run->($q, $c);
    }
}


sub record {
    my ($self, $q) = @_;

    my %record = %$q;
    delete $record{json};

    open my $out, '>>', "$self->{dir}/requests" or die "requests: $!\n";
    flock $out, LOCK_EX;
    print $out $json->encode(\%record), "\n";
    close $out;
}


package Parley::Upstream::Script;

use Parley::Message;
use Time::HiRes qw(sleep time);


package Parley::Upstream::Connection;

use Time::HiRes qw(sleep time);

use Parley::Message;

my %reason = (200 => 'OK', 202 => 'Accepted', 204 => 'No Content');


sub read_request {
    my $c = shift;

    until ($c->{buffer} =~ /\r\n\r\n/) {
        $c->fill or return;
    }

    $c->{buffer} =~ s/^(.*?\r\n)\r\n//s;
    my $head = $1;
    my ($method, $uri, $version) = $head =~ m{^(\S+) (\S+) HTTP/(\S+)\r\n};
    my (%headers, @list);

    while ($head =~ /^([^:\r\n]+):[ \t]*([^\r\n]*)\r$/mg) {
        push @list, [$1, $2];
        $headers{lc $1} = exists $headers{lc $1} ? "$headers{lc $1}, $2" : $2;
    }

    my $body = '';

    if (($headers{'transfer-encoding'} // '') =~ /chunked/i) {
        until ($c->{buffer} =~ /(?:^|\r\n)0\r\n\r\n/) {
            $c->fill or return;
        }

        ($body) = Parley::Client::Connection::unchunk($c->{buffer});
        $c->{buffer} = '';

    } else {
        my $n = $headers{'content-length'} // 0;

        while (length $c->{buffer} < $n) {
            $c->fill or return;
        }

        $body = substr $c->{buffer}, 0, $n, '';
    }

    return { method => $method, uri => $uri, version => $version,
             headers => \%headers, list => \@list, body => $body,
             json => scalar(eval { from_json($body) }), time => time };
}


sub fill {
    my $c = shift;

    my $n = sysread $c->{socket}, my $octets, 65536 or return;
    $c->{buffer} .= $octets;

    return $n;
}


sub out {
    my ($c, $octets) = @_;

    while (length $octets) {
        my $n = syswrite $c->{socket}, $octets or return;
        substr $octets, 0, $n, '';
    }
}


sub pause { sleep $_[1] }


# Sends a status, headers as a list, and a body; Content-Length is added if it
# is missing.
sub answer {
    my ($c, $status, $headers, $body) = @_;

    my @headers = @{ $headers // [] };
    my %have;

    $have{lc $headers[2 * $_]}++ for 0 .. @headers / 2 - 1;

    push @headers, 'Content-Type', 'application/json'
        if defined $body && !$have{'content-type'};
    push @headers, 'Content-Length', length($body // '')
        if !$have{'content-length'} && !$have{'transfer-encoding'}
           && $status != 204;

    my $head = "HTTP/1.1 $status " . ($reason{$status} // 'Status') . "\r\n";

    while (my ($name, $value) = splice @headers, 0, 2) {
        $head .= "$name: $value\r\n" if defined $value;
    }

    $head .= "Connection: close\r\n" if !$c->{keep};

    $c->out("$head\r\n" . ($body // ''));
}


# Accepts the message without an answer, in the form of its protocol.
sub take {
    my $c = shift;

    my $id = ref $c->{q}{json} eq 'HASH' ? $c->{q}{json}{message_id} : undef;

    return $c->answer(202) if !defined $id;

    return $c->answer(200, ['Content-Type', 'application/json; charset=utf-8'],
                      jcs({ status => 'accepted', message_id => $id }));
}


# Begins an answer that is a stream of events.
sub events {
    my $c = shift;

    $c->{keep} = 0;
    $c->out("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            . "Connection: close\r\n\r\n");
}


1;
