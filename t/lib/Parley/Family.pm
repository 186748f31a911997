package Parley::Family;

# Escalations of one to another: of alice bob is the parent, of bob carol, of
# carol dave.  There may be several such families, which know nothing of each
# other; each process is of one.
#
#     family_principals($n, carol => { deliver => ... })    for identities
#     family($n);                     from now on all is said of that one
#     send_as('alice', alarm_of('critical'));
#     taken(ack('bob', $m), 'bob acknowledges it');

use strict;
use warnings;

use Exporter 'import';
use Test::More ();
use Time::HiRes qw(time);

use Parley::Message;
use Parley::Streams;

our @EXPORT = qw(family family_principals who name alarm_of send_as says ack
                 taken ids listens streams);

my %above = (alice => 'bob', bob => 'carol', carol => 'dave');

# without a number where there is one family
my $family = '';


sub family { $family = $_[0] }

# its members, and what else is known of them; undef: that is not there
sub family_principals {
    my ($n, %of) = @_;

    return map {
        my %p = (sub => "$_$n", handle => "~$_$n", aee => "agent.$_$n",
                 vcp => "agent://ops.example/$_$n", c2a => "agent:$_$n",
                 instrument => "~cc-$_$n\@1.0",
                 $above{$_} ? (parent => "$above{$_}$n") : (),
                 %{ $of{$_} // {} });

        delete @p{ grep { !defined $p{$_} } keys %p };
        \%p;
    } qw(alice bob carol dave);
}


# who somebody is in this family, and in VCP
sub who { return "$_[0]$family" }

sub name { return 'agent://ops.example/' . who($_[0]) }

# of alice to bob
sub alarm_of {
    my ($severity, %other) = @_;

    my $m = escalation(severity => $severity, requires_ack => true);

    return { %$m, sender => name('alice'), recipient => name('bob'), %other };
}

sub send_as {
    my ($who, $m, %o) = @_;

    return submit($m, as => who($who), uri => '/in', %o);
}

# when it was
sub says {
    my ($m, %o) = @_;

    taken(send_as('alice', $m, %o), 'it is taken');

    return time;
}

# what is acknowledged by whom, in VCP
sub ack {
    my ($who, $m, %o) = @_;

    my $ack = escalation(severity => $m->{payload}{severity},
                         reason => "ACK:$m->{message_id}");

    return send_as($who, { %$ack, sender => name($who),
                           recipient => $m->{sender} }, %o);
}

sub taken {
    my ($answer, $what) = @_;

    Test::More::like($answer->{status}, qr/^20[02]$/, $what)
        or Test::More::diag($answer->{body});
}

sub listens { return listen_to(who($_[0]), @_[1 .. $#_]) }

# those of VCP
sub streams { return map { listens($_, uri => '/vcp/') } @_ }

# the ids of the messages that came by a stream within so many seconds
sub ids {
    my ($stream, $seconds) = @_;

    my @ids;
    my $until = time + $seconds;

    while ((my $left = $until - time) > 0) {
        my $event = $stream->event($left) // last;
        push @ids, $event->{json}{message_id} // $event->{json}{id}
                   // $event->{json}{frame_id};
    }

    return @ids;
}


1;
