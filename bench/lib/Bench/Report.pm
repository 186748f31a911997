package Bench::Report;

# docs/performance.md: medians and ranges, and the targets for them.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min);

use Bench::Files qw(%bench output slurp spew);

our @EXPORT_OK = qw(median range number table reached target targets head
                    part put_part);

use constant PAGE => "$bench{root}/docs/performance.md";

my @targets;


sub median {
    my @sorted = sort { $a <=> $b } @_;
    my $n = @sorted;

    return $n % 2 ? $sorted[$n / 2]
                  : ($sorted[$n / 2 - 1] + $sorted[$n / 2]) / 2;
}


# Returns "median (least to greatest)".
sub range {
    my @values = @_;

    return sprintf '%s (%s to %s)', map { number($_) }
                   median(@values), min(@values), max(@values);
}


# Returns a number with three significant digits, and thousands apart.
sub number {
    my $n = shift;

    return sprintf '%.3f', $n if abs $n < 10 && abs $n < 1;
    return sprintf '%.2f', $n if abs $n < 10;
    return sprintf '%.1f', $n if abs $n < 100;

    my $text = sprintf '%.0f', $n;
    1 while $text =~ s/^(-?\d+)(\d{3})/$1 $2/;

    return $text;
}


sub table {
    my ($columns, @rows) = @_;

    my @align = map { s/^>// ? '---:' : '---' } my @names = @$columns;
    s/^>// for @names;

    return join '', map { "| $_ |\n" } join(' | ', @names),
                join(' | ', @align), map { join ' | ', @$_ } @rows;
}


# Returns which target a value reaches; limit is '>=' or '<='.
sub reached {
    my ($limit, $must, $more, $value) = @_;

    my ($good, $best) = map { $limit eq '>=' ? $value >= $_ : $value <= $_ }
                        $must, $more;

    return $best ? '**moonshot**' : $good ? 'must' : '**missed**';
}


# Compares a measured value with its targets, and adds a row.
sub target {
    my ($work, $measure, $limit, $must, $more, $unit, @values) = @_;

    my $value = median(@values);
    my $reached = reached($limit, $must, $more, $value);

    push @targets, {
        row => [ $work, $measure,
                 @values > 1 ? range(@values) : number($value),
                 "$limit " . number($must) . $unit,
                 "$limit " . number($more) . $unit,
                 $reached ],
        missed => $reached eq '**missed**',
        text => "$work: $measure: " . number($value) . " (must be $limit "
                . number($must) . ')',
    };
}


sub targets {
    return @targets;
}


# Returns a part of the page that another benchmark writes; "" if it is missing.
sub part {
    my $title = shift;

    my ($part) = slurp(PAGE) =~ /^(## \Q$title\E\n.*?)(?=^## |\z)/ms;

    return $part ? "\n" . $part =~ s/\n+\z/\n/r : '';
}


# Replaces a part of the page where it is, or adds it at the end.
sub put_part {
    my ($title, $text) = @_;

    my $part = "## $title\n\n" . ($text =~ s/\n+\z//r) . "\n";
    my $page = slurp(PAGE);

    $page =~ s/^## \Q$title\E\n.*?(?=(?:\n## |\z))/$part/ms
        or $page .= "\n$part";

    spew(PAGE, $page);
}


# Returns the versions and the machine.
sub head {
    my ($cpu) = slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.*)/m;
    my ($os) = slurp('/etc/os-release') =~ /^PRETTY_NAME="(.*)"/m;
    my ($memory) = slurp('/proc/meminfo') =~ /^MemTotal:\s*(\d+)/m;
    my ($load) = slurp('/proc/loadavg') =~ /^(\S+)/;
    my ($nginx) = output('sh', '-c', "$bench{nginx} -v 2>&1") =~ m{/(\S+)};
    my ($gcc) = output('gcc', '-dumpfullversion') =~ /(\S+)/;

    chomp(my $cores = `nproc`);
    chomp(my $kernel = `uname -r`);

    my $versions = output('dpkg-query', '-W', '-f',
        '${Package} ${source:Upstream-Version}, ',
        qw(libnginx-mod-http-lua lua-cjson libsodium23 openssl valgrind));
    $versions =~ s/, $//;

    return {
        machine => sprintf('%s, %d cores, %.0f GB, %s, Linux %s',
                           $cpu // 'unknown', $cores, $memory / 1e6,
                           $os // 'unknown', $kernel),
        versions => "nginx $nginx, gcc $gcc, $versions",
        load => $load,
    };
}


1;
