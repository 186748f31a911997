package Parley::Nodes;

# Several gateways of one test that share a store.
#
#     my $redis = Parley::Redis->start(port(4));
#     my $nodes = Parley::Nodes->start($redis, nodes => 2);
#     $nodes->client(0)->raw(post('/aee', $m));
#     $nodes->status(1)->metric('parley_store_up');
#
# Each node is the gateway of Parley::Gateway, with its service on port(2).
# Node 0 has port(1) and port(3), node 1 has port(7) and port(8), node 2 has
# port(9) and port(10).  Options: nodes (2), only (the number of one node),
# workers (1), url (of the store), words (more of parley_store), more and server
# as in gateway_http, main and log_level as in Parley::Nginx, away (1: does not
# wait for the store); http, a function that gets the directive of the store
# and returns all of http as streams_http does: its port 1 is plain(), and its
# port 4 is port().

use strict;
use warnings;

use IO::Socket::INET;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(spew tmp_dir);
use Parley::Gateway;
use Parley::Nginx;
use Parley::Status;

use constant PATIENCE => 20;

my @ports = ([1, 3], [7, 8], [9, 10]);


sub start {
    my ($class, $redis, %o) = @_;

    my $self = bless { redis => $redis, o => { workers => 1, %o } }, $class;

    $self->{nginx}[$_] = Parley::Nginx->start($self->conf($_))
        for $o{only} // (0 .. ($o{nodes} // 2) - 1);

    $self->wait_up if !$o{away};

    return $self;
}


# Returns the file of the key of the store.
sub key_file {
    my $file = tmp_dir() . '/nodes.key';

    if (!-e $file) {
        spew($file, 'c0ffee42' x 8 . "\n");
        chmod 0600, $file or die "$file: $!\n";
    }

    return $file;
}


# Returns the configuration of a node.  Options as for start().
sub conf {
    my ($self, $i, %more) = @_;

    my %o = (%{ $self->{o} }, %more);
    my $url = $o{url} // $self->{redis}->url;
    my $words = $o{words} // '';

    # a busy machine is slow
    $words .= ' timeout=1s' if $words !~ /\btimeout=/;

    my $key = $o{key} // key_file();
    my $more = "parley_store $url key=$key $words;" . ($o{more} // '');

    return (http => $self->placed($i, $o{http}->($more)),
            workers => $o{workers}) if $o{http};

    my $http = gateway_http(
        more => $more,
        server => ($o{server} // '') . <<'EOT');
        location = /status { parley_status; allow 127.0.0.1; deny all; }
        location = /ready { parley_health ready; }
EOT

    my @from = map { Parley::Env::port($_) } @{ $ports[0] };
    my %to = ($from[0] => $self->port($i), $from[1] => $self->plain($i));

    $http =~ s/127\.0\.0\.1:($from[0]|$from[1])\b/127.0.0.1:$to{$1}/g;

    return (http => $http, workers => $o{workers}, main => $o{main},
            log_level => $o{log_level});
}


# Replaces a node by one with another module, as an operator does who upgrades
# a gateway.
sub replace {
    my ($self, $i, $module) = @_;

    local $ENV{PARLEY_MODULE} = $module;

    $self->stop($i);
    $self->begin($i);
}


# Returns the text of streams_http() with the ports of a node.
sub placed {
    my ($self, $i, $http) = @_;

    my ($plain, $tls) = ($self->plain($i), $self->port($i));

    return $http =~ s/^.*%PORT_5%.*\n//gmr =~ s/%PORT_1%/$plain/gr
                 =~ s/%PORT_4%/$tls/gr;
}


sub port { return Parley::Env::port($ports[$_[1]][0]) }
sub plain { return Parley::Env::port($ports[$_[1]][1]) }

sub nginx { return $_[0]{nginx}[$_[1]] }
sub client { return Parley::Client->new(port => $_[0]->port($_[1])) }
sub status { return Parley::Status->new(port => $_[0]->plain($_[1])) }
sub all { my $all = $_[0]{nginx}; return grep { $all->[$_] } 0 .. $#$all }


# Returns the processes of the workers of a node.
sub workers {
    my ($self, $i) = @_;

    my $log = $self->nginx($i)->error_log;
    my %gone = map { $_ => 1 } $log =~ /worker process (\d+) exited/g;

    return grep { !$gone{$_} } $log =~ /start worker process (\d+)/g;
}


# Kills all processes of a node, and waits until they are gone.
sub kill {
    my ($self, $i) = @_;

    my $nginx = $self->{nginx}[$i];
    my @workers = $self->workers($i);

    $self->{nginx}[$i] = undef;

    # first the master, so that it starts no other worker
    for my $pid (delete $nginx->{pid}) {
        local $?;
        CORE::kill 'KILL', $pid;
        waitpid $pid, 0;
    }

    CORE::kill 'KILL', @workers;
    $self->wait_for(sub { !grep { readlink "/proc/$_/exe" } @workers })
        or die "workers of node $i do not end\n";
}


# Stops a node as an operator does.
sub stop {
    my ($self, $i) = @_;

    my $nginx = $self->{nginx}[$i];

    $self->{nginx}[$i] = undef;
    $nginx->stop;
}


# Returns whether a node takes connections.
sub accepts {
    my ($self, $i) = @_;

    return defined IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                         PeerPort => $self->plain($i));
}


# Starts a node again, with a new zone, and waits until it uses the store.
sub begin {
    my ($self, $i) = @_;

    $self->{nginx}[$i] = Parley::Nginx->start($self->conf($i));
    $self->wait_up(nodes => [$i]);
}


# Returns the status of parley_health ready, and the failed checks.
sub ready {
    my ($self, $i) = @_;

    my $answer = $self->status($i)->get('/ready');

    return ($answer->{status}, $answer->{content});
}


# Waits until all workers of these nodes, by default of all, use the store, or
# with is => 0 until none does.  Dies after the time.
sub wait_up {
    my ($self, %o) = @_;

    my $until = time + PATIENCE;

    for my $i (@{ $o{nodes} // [$self->all] }) {
        while ($self->status($i)->metric('parley_store_up')
               != ($o{is} // 1) * $self->{o}{workers})
        {
            die "the store is not " . ($o{is} // 1 ? 'up' : 'away') . ":\n"
                . $self->nginx($i)->error_log if $until < time;
            sleep 0.02;
        }
    }
}


# Waits until the condition holds; returns whether it does.
sub wait_for {
    my ($self, $condition) = @_;

    my $until = time + PATIENCE;

    while (time < $until) {
        return 1 if $condition->();
        sleep 0.02;
    }

    return 0;
}


1;
