package Usage;

# The usage of a tool is the comment at its head.

use strict;
use warnings;

use Exporter 'import';
use FindBin;

our @EXPORT_OK = qw(usage);


# Prints the usage and exits: to the standard output for status 0, else as an
# error.
sub usage {
    my $status = shift;

    my $tool = "$FindBin::Bin/$FindBin::Script";
    my $out = $status ? *STDERR : *STDOUT;

    open my $in, '<', $tool or die "$tool: $!\n";

    while (<$in>) {
        last if /^use /;
        print $out $_ if s/^#(?!!) ?//;
    }

    exit $status;
}


1;
