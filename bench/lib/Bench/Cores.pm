package Bench::Cores;

# Checks how even the machine is: the same work repeatedly, alone and
# simultaneously with equal work on the other core.  If the times differ, other
# processes use the machine, or its cores are threads of one core.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(sleep);

use Bench::Files qw(%bench output);
use Bench::Gateway;

our @EXPORT_OK = qw(evenness);

use constant { CASE => 'aee-to-vcp', SECONDS => 0.15, LONGER => 5,
               BEFORE => 0.05, ROUNDS => 9 };


# Returns { alone, beside }: us of CPU of one translation, a figure for each
# round.  beside is empty on a machine with one core.
sub evenness {
    my %took = (alone => [], beside => []);

    for (1 .. ROUNDS) {
        push @{$took{alone}}, microseconds();
        push @{$took{beside}}, beside() if `nproc` > 1;
    }

    return \%took;
}


sub beside {
    my $pid = Bench::Gateway::spawn(work(Bench::Gateway::CLIENT_CORE,
                                         LONGER));
    sleep BEFORE;

    my $took = microseconds();

    kill 'KILL', $pid;
    waitpid $pid, 0;

    return $took;
}


sub microseconds {
    return output(work(Bench::Gateway::GATEWAY_CORE, SECONDS)) / 1000;
}


sub work {
    my ($core, $seconds) = @_;

    return (Bench::Gateway::core($core), "$bench{dir}/bench_pure", $bench{dir},
            'time', CASE, $seconds);
}


1;
