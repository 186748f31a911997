package Parley::Pages;

# Runs the command blocks of a page of docs/ in one shell, in their order, as a
# reader would.  A block that is run has the word "sh"; one with placeholders is
# "sh example".

use strict;
use warnings;

use Exporter 'import';
use POSIX ();

use Parley::Env qw(root tmp_dir slurp spew);

our @EXPORT = qw(blocks installs unmarked steps steps_in);

# how a line of commands begins, other than the output of the same program
my $command = qr/(?:make|apt|apt-get|dpkg(?:-deb)?|systemctl|nginx|parley|jq
                    |tar|cp|mv|mkdir|cd|cat|sed|grep|curl|openssl|python3|sh)
                 (?:[ ]|$)/x;


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


# Returns whether a block builds or installs; t/package.t runs such blocks.
sub installs { $_[0]{text} =~ /^(?:make|apt) /m }


# Returns the lines of a page that have commands outside of blocks for a shell.
sub unmarked {
    my $page = shift;

    my (@lines, $fence);
    my $n = 0;

    for my $line (split /^/, slurp(root() . "/docs/$page")) {
        $n++;

        if ($line =~ /^\s*```(.*)/) {
            $fence = defined $fence ? undef : $1;
            push @lines, "$page:$n: $line" if $line =~ /^\s+```\s*sh/;

        } elsif (defined $fence ? $fence !~ /^sh(?: example)?$/
                                  && $line =~ /^\s*$command/
                                : $line =~ /^\s{4,}$command/)
        {
            push @lines, "$page:$n: $line";
        }
    }

    return @lines;
}


# steps(directory, environment, blocks): runs the blocks in one shell, each also
# after one that failed.  Returns {out, err, status} for each.
sub steps { return steps_in(['sh'], @_) }


# As steps(), with the command of another shell.
sub steps_in {
    my ($shell, $dir, $env, @texts) = @_;

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
        exec @$shell, "$at.sh" or POSIX::_exit(127);
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
