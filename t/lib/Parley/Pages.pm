package Parley::Pages;

# Runs the command blocks of a page of docs/ in one shell, in their order, as a
# reader would.

use strict;
use warnings;

use Exporter 'import';
use POSIX ();

use Parley::Env qw(root tmp_dir slurp spew);

our @EXPORT = qw(blocks steps);


# blocks(page, language): returns {text, heading, line} of each block,
# unchanged.
sub blocks {
    my ($page, $language) = @_;

    my (@blocks, $heading, $block);
    my $n = 0;

    for my $line (split /^/, slurp(root() . "/docs/$page")) {
        $n++;

        if ($block) {
            if ($line =~ /^```$/) {
                push @blocks, $block;
                $block = undef;
            } else {
                $block->{text} .= $line;
            }

        } elsif ($line =~ /^```\Q$language\E$/) {
            $block = { text => '', heading => $heading, line => $n };

        } elsif ($line =~ /^#+ (.*)/) {
            $heading = $1;
        }
    }

    die "$page: a block of $language has no end\n" if $block;

    return @blocks;
}


# steps(directory, environment, blocks): runs the blocks in one shell, which
# stops at the first error.  Returns {out, err, status} for each; out is
# without its last line, which has the status.
sub steps {
    my ($dir, $env, @texts) = @_;

    my $at = tmp_dir() . '/steps';
    my $script = "cd '$dir' || exit 1\n";

    for my $i (0 .. $#texts) {
        spew("$at.$i.sh", $texts[$i]);
        $script .= ". '$at.$i.sh' > '$at.$i.out' 2> '$at.$i.err'\n"
                   . "echo \$? > '$at.$i.status'\n";
    }

    spew("$at.sh", $script);

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        @ENV{keys %$env} = values %$env;
        open STDIN, '<', '/dev/null';
        exec 'sh', "$at.sh" or POSIX::_exit(127);
    }

    waitpid $pid, 0;

    return map {
        my $i = $_;
        my ($out, $err, $status)
            = map { -e "$at.$i.$_" ? slurp("$at.$i.$_") : '' }
                  qw(out err status);
        { out => $out, err => $err,
          status => $status =~ /(\d+)/ ? $1 : 'not run' };
    } 0 .. $#texts;
}


1;
