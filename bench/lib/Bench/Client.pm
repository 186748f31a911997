package Bench::Client;

# Runs of the client against a gateway, and what the service got.

use strict;
use warnings;

use Exporter 'import';
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


# One message: what the service got, and what the client did, read; undef
# where that is nothing.
sub probe {
    my ($gateway, $path, %o) = @_;

    my $text = output(command($gateway, $path, %o, requests => 1), '-v');
    my ($got, $answer) = split "\n", $text, 2;

    # an answer may have come in chunks
    $answer =~ s/\A[^{]*|[^}]*\z//g;

    return map { $_ eq '' ? undef : JSON::PP->new->utf8->decode($_) }
               $got, $answer;
}


sub command {
    my ($gateway, $path, %o) = @_;

    my %letters = (message => 'm', size => 's', tokens => 'T', status => 'S',
                   connections => 'c', requests => 'n', seconds => 't',
                   rate => 'r');

    return (Bench::Gateway::core(Bench::Gateway::CLIENT_CORE),
            @{$o{by} || []}, "$bench{dir}/bench_client", '-p', $gateway->{port},
            '-l', $gateway->{service}, '-u', $path,
            '-P', $gateway->{worker}, '-k', $bench{seed},
            '-T', $o{tokens} // "$bench{dir}/token",
            map { defined $letters{$_} && $_ ne 'tokens'
                  ? ("-$letters{$_}", $o{$_}) : () } sort keys %o);
}


1;
