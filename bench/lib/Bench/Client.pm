package Bench::Client;

# Runs of the client against a gateway, and what the service got.

use strict;
use warnings;

use Exporter 'import';
use HTTP::Tiny;
use JSON::PP ();

use Bench::Files qw(%bench output);
use Bench::Gateway;

our @EXPORT_OK = qw(load probe);


# One run; the figures that the client prints as a hash.  It fails where one
# answer is not what it must be.
sub load {
    my ($gateway, $path, %o) = @_;

    my $line = output(command($gateway, $path, %o));
    my %figures = $line =~ /(\w+)=(\S+)/g;

    return \%figures;
}


# One message: what the service got, and what the client did, read.
sub probe {
    my ($gateway, $path, %o) = @_;

    my $answer = output(command($gateway, $path, %o, requests => 1), '-v');
    my $port = Bench::Gateway::service_port();
    my $got = HTTP::Tiny->new->get("http://127.0.0.1:$port/last");

    # an answer may have come in chunks
    $answer =~ s/\A[^{]*|[^}]*\z//g;

    return map { JSON::PP->new->utf8->decode($_) } $got->{content}, $answer;
}


sub command {
    my ($gateway, $path, %o) = @_;

    my %letters = (message => 'm', size => 's', tokens => 'T', status => 'S',
                   connections => 'c', requests => 'n', seconds => 't',
                   rate => 'r');

    return (Bench::Gateway::core(Bench::Gateway::CLIENT_CORE),
            "$bench{dir}/bench_client", '-p', $gateway->{port}, '-u', $path,
            '-P', $gateway->{worker}, '-k', $bench{seed},
            '-T', $o{tokens} // "$bench{dir}/token",
            map { defined $letters{$_} && $_ ne 'tokens'
                  ? ("-$letters{$_}", $o{$_}) : () } sort keys %o);
}


1;
