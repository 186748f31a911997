package Bench::Client;

# Runs the client with a gateway, and reads the messages of the service.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();

use Bench::Files qw(%bench output);
use Bench::Gateway;

our @EXPORT_OK = qw(load probe);


# Does one run, and returns the client's figures as a hash.  A wrong answer is
# an error.
sub load {
    my ($gateway, $path, %o) = @_;

    my $line = output(command($gateway, $path, %o));
    my %figures = $line =~ /(\w+)=(\S+)/g;

    return \%figures;
}


# Sends one message.  Returns the decoded message of the service and the decoded
# answer of the client; undef for an empty one.
sub probe {
    my ($gateway, $path, %o) = @_;

    my $text = output(command($gateway, $path, %o, requests => 1), '-v');
    my ($got, $answer) = split "\n", $text, 2;

    # The answer may be chunked.
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
