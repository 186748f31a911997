package Bench::Callgrind;

# Instruction counts: of the library alone, and of an nginx that serves
# requests.

use strict;
use warnings;

use Exporter 'import';

use Bench::Client qw(load);
use Bench::Files qw(%bench output slurp);
use Bench::Gateway;
use IO::Socket::INET;

our @EXPORT_OK = qw(count_pure count_requests count_each);

# requests that fill caches (LuaJIT compiles meanwhile), and those counted
my %requests = (warm => 300, counted => 500);

# the same where one gateway serves many kinds of requests, one after another
my %each = (warm => 50, short => 20, long => 220);


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


# The same for many kinds of requests, { name, path, options of load() }, with
# one gateway: name => instructions.  Callgrind writes a file whenever the
# worker answers a request to /mark, which calls this function of nginx's.
sub count_each {
    my ($kind, @requests) = @_;

    my $out = "$bench{dir}/$kind-each.callgrind";
    my ($marks, %counts) = 0;

    unlink glob "$out*";

    my $gateway = callgrind($kind, $out,
                            '--dump-before=ngx_http_send_response');

    for my $request (@requests) {
        my ($name, $path, %o) = @$request;
        my %count;

        for my $run (qw(warm short long)) {
            load($gateway, $path, %o, requests => $each{$run});
            mark($gateway);
            $marks++;

            $count{$run} = "$out.$marks";
        }

        $counts{$name} = \%count;
    }

    $gateway->stop;

    return map { $_ => (total($counts{$_}{long}) - total($counts{$_}{short}))
                       / ($each{long} - $each{short}) } keys %counts;
}


sub mark {
    my $gateway = shift;

    my $socket = IO::Socket::INET->new(
        PeerAddr => "127.0.0.1:$gateway->{port}") or die "bench: $!\n";

    print $socket "GET /mark HTTP/1.0\r\n\r\n";
    1 while <$socket>;
}


sub callgrind {
    my ($kind, $out, @options) = @_;

    return Bench::Gateway->start($kind, single => 1,
        by => [ qw(valgrind --tool=callgrind -q), @options,
                "--callgrind-out-file=$out" ]);
}


sub serve {
    my ($kind, $path, %o) = @_;

    my $out = "$bench{dir}/$kind.callgrind";

    my $gateway = callgrind($kind, $out);

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
