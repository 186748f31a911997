package Parley::Status;

# Reads parley_status and parley_health over plain HTTP.
#
#     my $status = Parley::Status->new(port => port(3));
#     $status->json->{zone}{left};
#     $status->metric('parley_refusals_total{code="capacity",by="gateway"}');

use strict;
use warnings;

use HTTP::Tiny;
use JSON::PP;


# Options: uri, the location of parley_status.
sub new {
    my ($class, %o) = @_;

    # without keepalive, so that any of the workers may answer
    my $http = HTTP::Tiny->new(timeout => 10, keep_alive => 0);

    return bless { uri => '/status', http => $http, %o }, $class;
}


# Returns the whole response of HTTP::Tiny.
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


# Returns all samples: name with its labels => value.
sub metrics { return { $_[0]->text =~ /^([^#\s]+(?:\{[^}]*\})?) (\S+)$/mg } }


# Returns one sample; a missing one is 0.
sub metric { return $_[0]->metrics->{$_[1]} // 0 }


# Returns the number of refusals with a code.
sub refused {
    my ($self, $code, $by) = @_;

    $by //= 'gateway';

    return $self->metric(qq(parley_refusals_total{code="$code",by="$by"}));
}


# Returns the number of messages with a verdict.
sub verdicts {
    my ($self, $accepted, $spoken, $verdict) = @_;

    return $self->metric(qq(parley_messages_total{accepted="$accepted",)
                         . qq(spoken="$spoken",verdict="$verdict"}));
}


1;
