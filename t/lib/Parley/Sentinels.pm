package Parley::Sentinels;

# A primary, its replicas and its Sentinels, for one test.
#
#     my $set = Parley::Sentinels->start(engines => [port(4), port(5)],
#                                        sentinels => [port(11)]);
#     $set->url;                  # sentinel://127.0.0.1:PORT/parley
#     $set->primary->kill;        # the engine that the Sentinels name
#     $set->wait_switch($old);    # until they name another
#
# The first engine is the primary at first.  Options: quorum (the majority), tls
# (1: the ports are those of TLS alone), conf (lines of each engine), sentinel
# (lines of each Sentinel), as (the user of cli()).

use strict;
use warnings;

use Time::HiRes qw(sleep time);

use Parley::Redis;

# seconds of the longest wait, and of failover-timeout
use constant { PATIENCE => 30, FAILOVER => 3 };


sub start {
    my ($class, %o) = @_;

    my ($first, @others) = @{ $o{engines} };
    my $quorum = $o{quorum} // int(@{ $o{sentinels} } / 2) + 1;
    my $self = bless { ports => $o{sentinels} }, $class;
    my $tls = $o{tls} ? "tls-replication yes\n" : '';
    my $start = sub {
        my ($port, %more) = @_;

        return Parley::Redis->start($o{tls} ? (0, tls => $port) : $port,
                                    as => $o{as}, %more,
                                    conf => "$tls$more{conf}");
    };

    for my $port ($first, @others) {
        my $of = $port == $first ? '' : "replicaof 127.0.0.1 $first\n";

        push @{ $self->{engines} },
             $start->($port, conf => "repl-diskless-sync-delay 0\n$of"
                                     . ($o{conf} // ''));
    }

    # a Sentinel asks for the replicas at once, then every 10 s
    wait_for('replicas', sub {
        return @others == (() = $self->engine(0)->cli('INFO', 'replication')
                                =~ /state=online/g);
    });

    my $monitor = "sentinel monitor parley 127.0.0.1 $first $quorum\n"
                  . "sentinel down-after-milliseconds parley 1000\n"
                  . 'sentinel failover-timeout parley ' . FAILOVER * 1000
                  . "\n" . ($o{sentinel} // '');

    push @{ $self->{sentinels} },
         $start->($_, sentinel => 1, conf => $monitor)
        for @{ $o{sentinels} };

    # Sentinels look at the engines every 10 s, and at each other every 2 s
    $_->cli('SENTINEL', 'DEBUG', 'INFO-PERIOD', 500, 'PUBLISH-PERIOD', 500)
        for $self->sentinels;

    $self->wait_known(scalar @others);

    return $self;
}


sub engine { $_[0]{engines}[$_[1]] }
sub engines { @{ $_[0]{engines} } }
sub sentinel { $_[0]{sentinels}[$_[1]] }
sub sentinels { @{ $_[0]{sentinels} } }


# Returns the address for parley_store.
sub url {
    my $self = shift;

    return 'sentinel://' . join(',', map { "127.0.0.1:$_" } @{ $self->{ports} })
           . '/parley';
}


# Returns the engine that a Sentinel names.
sub primary {
    my ($self, $sentinel) = @_;

    my (undef, $port) = split /\n/,
        ($sentinel // $self->sentinel(0))->cli('SENTINEL',
                                               'GET-MASTER-ADDR-BY-NAME',
                                               'parley');

    return (grep { $_->port == ($port // 0) } $self->engines)[0];
}


# Waits until all Sentinels know each other and n replicas that run.
sub wait_known {
    my ($self, $n) = @_;

    for my $sentinel ($self->sentinels) {
        wait_for('Sentinels', sub {
            my %is = split /\n/, $sentinel->cli('SENTINEL', 'MASTER', 'parley');

            return ($is{'num-other-sentinels'} // -1) == $self->sentinels - 1
                && $is{'num-slaves'} >= $n && $is{flags} eq 'master';
        });
    }
}


# Waits until all Sentinels name another primary, which accepts writes.
sub wait_switch {
    my ($self, $old) = @_;

    for my $sentinel ($self->sentinels) {
        wait_for('a switch', sub {
            my $primary = $self->primary($sentinel);
            return $primary && $primary->port != $old->port
                && $primary->info('role') eq 'master';
        });
    }

    return $self->primary;
}


# Switches to a replica, as an operator does.  A Sentinel that finds no replica
# in a good state gives up, and is told again.
sub switch {
    my ($self, $old) = @_;

    my $told = 0;

    wait_for('a switch by hand', sub {
        my $primary = $self->primary;

        return 1 if $primary && $primary->port != $old->port;

        if (time - $told > FAILOVER + 1) {
            $told = time;
            $self->sentinel(0)->cli('SENTINEL', 'FAILOVER', 'parley');
        }

        return 0;
    });

    return $self->wait_switch($old);
}


# Waits until n replicas of the primary have all that it has now.
sub wait_replicated {
    my ($self, $n) = @_;

    my $primary = $self->primary;
    my $offset = $primary->info('master_repl_offset');

    wait_for('the replicas', sub {
        my @at = $primary->cli('INFO', 'replication')
                 =~ /state=online,offset=(\d+)/g;
        return $n <= grep { $_ >= $offset } @at;
    });
}


sub wait_for {
    my ($what, $condition) = @_;

    my $until = time + PATIENCE;

    until ($condition->()) {
        die "$what: not in time\n" if time > $until;
        sleep 0.05;
    }
}


1;
