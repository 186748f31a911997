package Parley::Status;

# What parley_status and parley_health say, over plain HTTP.
#
#     my $status = Parley::Status->new(port => port(3));
#     $status->json->{zone}{left};
#     $status->metric('parley_refusals_total{code="capacity",by="gateway"}');

use strict;
use warnings;

use HTTP::Tiny;
use JSON::PP;


# uri: of parley_status
sub new {
    my ($class, %o) = @_;

    # each of the workers may be asked
    my $http = HTTP::Tiny->new(timeout => 10, keep_alive => 0);

    return bless { uri => '/status', http => $http, %o }, $class;
}


# the whole response, see HTTP::Tiny
sub get {
    my ($self, $uri, %headers) = @_;

    return $self->ask('GET', $uri, %headers);
}


sub ask {
    my ($self, $method, $uri, %headers) = @_;

    return $self->{http}->request($method,
                                  "http://127.0.0.1:$self->{port}$uri",
                                  { headers => \%headers });
}


sub json {
    my $self = shift;
    my $r = $self->get("$self->{uri}?format=json");

    die "$r->{status} $r->{content}\n" if $r->{status} != 200;

    return JSON::PP->new->utf8->decode($r->{content});
}


sub text {
    my $self = shift;
    my $r = $self->get("$self->{uri}?format=prometheus");

    die "$r->{status} $r->{content}\n" if $r->{status} != 200;

    return $r->{content};
}


# all samples: name with its labels => value
sub metrics { return { $_[0]->text =~ /^([^#\s]+(?:\{[^}]*\})?) (\S+)$/mg } }


# one of them; what is not there is 0
sub metric { return $_[0]->metrics->{$_[1]} // 0 }


# how many were refused with a code
sub refused {
    my ($self, $code, $by) = @_;

    $by //= 'gateway';

    return $self->metric(qq(parley_refusals_total{code="$code",by="$by"}));
}


# how many got a verdict
sub verdicts {
    my ($self, $accepted, $spoken, $verdict) = @_;

    return $self->metric(qq(parley_messages_total{accepted="$accepted",)
                         . qq(spoken="$spoken",verdict="$verdict"}));
}


1;
