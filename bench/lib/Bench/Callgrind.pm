package Bench::Callgrind;

# Instruction counts: of the library alone, and of an nginx that serves
# requests.

use strict;
use warnings;

use Exporter 'import';

use Bench::Client qw(load);
use Bench::Files qw(%bench output slurp);
use Bench::Gateway;

our @EXPORT_OK = qw(count_pure count_requests);

# requests that fill caches (LuaJIT compiles meanwhile), and those counted
my %requests = (warm => 300, counted => 500);


# name => { count, octets }, user instructions of one run of each case.
# Callgrind writes a file whenever bench_counted() ends.
sub count_pure {
    my $out = "$bench{dir}/pure.callgrind";
    unlink glob "$out*";

    my @lines = split "\n", output(
        qw(valgrind --tool=callgrind -q --toggle-collect=bench_counted),
        '--dump-after=bench_counted', "--callgrind-out-file=$out",
        "$bench{dir}/bench_pure", $bench{dir}, 'count');

    my %counts;

    for my $i (0 .. $#lines) {
        my ($name, $times, $octets) = split ' ', $lines[$i];

        $counts{$name} = { octets => $octets,
                           count => total("$out." . ($i + 1)) / $times };
    }

    return \%counts;
}


# User instructions of one request: the difference of a long run and a short
# one, over one connection, so that nothing of the start remains.
sub count_requests {
    my ($kind, $path, %o) = @_;

    my $warm = delete $o{warm} // $requests{warm};
    my $counted = delete $o{counted} // $requests{counted};

    my $short = serve($kind, $path, %o, requests => $warm);
    my $long = serve($kind, $path, %o, requests => $warm + $counted);

    return ($long - $short) / $counted;
}


sub serve {
    my ($kind, $path, %o) = @_;

    my $out = "$bench{dir}/$kind.callgrind";

    my $gateway = Bench::Gateway->start($kind, single => 1,
        by => [ qw(valgrind --tool=callgrind -q),
                "--callgrind-out-file=$out" ]);

    load($gateway, $path, %o);
    $gateway->stop;

    return total($out);
}


sub total {
    my $file = shift;

    my ($total) = slurp($file) =~ /^(?:totals|summary): (\d+)$/m
        or die "bench: $file has no total\n";

    return $total;
}


1;
