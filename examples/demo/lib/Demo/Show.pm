package Demo::Show;

# The output of the demo: requests, messages of services, answers, checks.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(title note block check pretty failures);

my %colour = (title => '1', note => '2', request => '36', got => '33',
              answer => '35', ok => '32', bad => '31;1');
my $failures = 0;
my $steps = 0;


# Adds colours if the output is a terminal.
sub paint {
    my ($what, $text) = @_;

    return $text if !-t STDOUT || defined $ENV{NO_COLOR};

    return join "\n", map { /\S/ ? "\e[$colour{$what}m$_\e[0m" : $_ }
                      split /\n/, $text, -1;
}


sub title {
    my ($text, $why) = @_;

    my $head = sprintf '%2d  %s', ++$steps, $text;

    print "\n", paint(title => $head), "\n";
    print paint(note => "    $_"), "\n" for split /\n/, $why // '';
    print "\n";
}


sub note { print paint(note => "    $_"), "\n" for split /\n/, shift }


# Prints a head line and a body, with a mark for the sender at the left.
sub block {
    my ($what, $mark, $head, $body) = @_;

    print paint($what, "    $mark $head"), "\n";

    for (split /\n/, $body // '') {
        print paint($what, "    $mark   $_" =~ s/ +$//r), "\n";
    }

    print "\n" if $mark ne '<';
}


sub check {
    my ($good, $what, $is) = @_;

    return if $good;

    $failures++;
    print paint(bad => "    WRONG: $what"), "\n";
    print paint(bad => '    value: ' . ($is // 'absent')), "\n";
}


sub failures { $failures }


# Indents JSON without a change of the order.  Small values stay on one line.
# Text that is not JSON is returned as it is.
sub pretty {
    my $text = shift;

    return $text if $text !~ /^\s*[\[{]/;

    my $scalar = qr/"(?:[^"\\]|\\.)*"|[^\s\[\]{},:"]+/;
    my $small = qr/[\[{](?:\s*(?:$scalar|[,:]))*\s*[\]}]/;
    my ($out, $depth) = ('', 0);

    while ($text =~ /\G\s*($small|$scalar|[\[\]{},:])/gc) {
        my $token = $1;

        if ($token =~ /^$small$/) {
            my $line = one_line($token, $scalar);

            if (length $line <= 56 && $depth) {
                $out .= $line;
                next;
            }

            pos($text) -= length($token) - 1;
            $token = substr $token, 0, 1;
        }

        if ($token =~ /^[\[{]$/) {
            $out .= $token . "\n" . '  ' x ++$depth;

        } elsif ($token =~ /^[\]}]$/) {
            $depth-- if $depth > 0;
            $out .= "\n" . '  ' x $depth . $token;

        } elsif ($token eq ',') {
            $out .= ",\n" . '  ' x $depth;

        } elsif ($token eq ':') {
            $out .= ': ';

        } else {
            $out .= $token;
        }
    }

    return $out;
}


# Returns a container of scalars as one line.
sub one_line {
    my ($text, $scalar) = @_;

    my @tokens = $text =~ /($scalar|[\[\]{},:])/g;
    my $line = join '', map { /^[,:]$/ ? "$_ " : $_ } @tokens;

    $line =~ s/^\{(.+)\}$/{ $1 }/;

    return $line;
}


1;
