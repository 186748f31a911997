package Parley::Family;

# Families of principals for escalations.  The parent of alice is bob, the
# parent of bob is carol, and the parent of carol is dave.  There may be
# several families, which do not know each other; each process uses one.
#
#     family_principals($n, carol => { deliver => ... })    for identities
#     family($n);                     later calls use this family
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

# number of the family; empty if there is only one
my $family = '';


sub family { $family = $_[0] }

# Returns the members of a family, with more fields from %of.  undef removes a
# field.
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


# Return the name of a member in this family, and its name in VCP.
sub who { return "$_[0]$family" }

sub name { return 'agent://ops.example/' . who($_[0]) }

# Returns an escalation from alice to bob.
sub alarm_of {
    my ($severity, %other) = @_;

    my $m = escalation(severity => $severity, requires_ack => true);

    return { %$m, sender => name('alice'), recipient => name('bob'), %other };
}

sub send_as {
    my ($who, $m, %o) = @_;

    return submit($m, as => who($who), uri => '/in', %o);
}

# Sends a message as alice and returns the time.
sub says {
    my ($m, %o) = @_;

    taken(send_as('alice', $m, %o), 'it is taken');

    return time;
}

# Acknowledges a message of VCP as a member.
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

# Opens streams of VCP for members.
sub streams { return map { listens($_, uri => '/vcp/') } @_ }

# Returns the ids of the messages that a stream receives in that many seconds,
# or of the first n.
sub ids {
    my ($stream, $seconds, $n) = @_;

    my @ids;
    my $until = time + $seconds;

    while (@ids < ($n // 1e9) && (my $left = $until - time) > 0) {
        my $event = $stream->event($left) // last;
        push @ids, $event->{json}{message_id} // $event->{json}{id}
                   // $event->{json}{frame_id};
    }

    return @ids;
}


1;
