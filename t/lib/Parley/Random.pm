package Parley::Random;

# Random choices that a seed repeats on any machine.
#
#     my $r = Parley::Random->new(42);
#     $r->below(6); $r->one('a', 'b'); $r->chance(0.1);

use strict;
use warnings;

use integer;


sub new {
    my ($class, $seed) = @_;

    my $self = bless { state => 0x2545f491 }, $class;

    for (my $i = 0; $i < 4; $i++) {
        $self->{state} += $seed;
        $self->next;
    }

    return $self;
}


# Returns 0 to 2^31 - 1, by Knuth's MMIX generator.
sub next {
    my $self = shift;

    $self->{state} = $self->{state} * 6364136223846793005
                     + 1442695040888963407;

    return ($self->{state} >> 32) & 0x7fffffff;
}


sub below { my ($self, $n) = @_; return $self->next % $n }

sub one { my $self = shift; return $_[$self->below(scalar @_)] }


# Returns true with that probability.
sub chance {
    my ($self, $p) = @_;
    no integer;

    return $self->next < $p * 2 ** 31;
}


# Chooses each element of a list with that probability, and at least one.
sub some {
    my ($self, $p, @list) = @_;

    my @some = grep { $self->chance($p) } @list;

    return @some ? @some : $self->one(@list);
}


# Returns that many octets.
sub octets {
    my ($self, $n) = @_;

    return pack 'C*', map { $self->below(256) } 1 .. $n;
}


1;
