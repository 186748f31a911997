package Bench::Cores;

# What the gateway's core and the client's share.  Two threads of one core
# slow each other down, code of programs more than the kernel's, and with that
# whatever a gateway adds to bare nginx.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(sleep);

use Bench::Files qw(%bench output);
use Bench::Gateway;

our @EXPORT_OK = qw(sharing);

use constant { CASE => 'aee-to-vcp', SECONDS => 0.15, LONGER => 5,
               BEFORE => 0.05, ROUNDS => 7 };


# How many times as long the library takes while the other core does the same:
# a figure for each round; none on a machine with one core.
sub sharing {
    return if `nproc` < 2;

    return map {
        my $alone = nanoseconds();

        my $pid = Bench::Gateway::spawn(
            work(Bench::Gateway::CLIENT_CORE, LONGER));
        sleep BEFORE;

        my $beside = nanoseconds();

        kill 'KILL', $pid;
        waitpid $pid, 0;

        $beside / $alone;
    } 1 .. ROUNDS;
}


sub nanoseconds {
    return output(work(Bench::Gateway::GATEWAY_CORE, SECONDS));
}


sub work {
    my ($core, $seconds) = @_;

    return (Bench::Gateway::core($core), "$bench{dir}/bench_pure", $bench{dir},
            'time', CASE, $seconds);
}


1;
