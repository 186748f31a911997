package Parley::Pages;

# Runs the command blocks of a page of docs/ in one shell, in their order, as a
# reader would.  A block that is run has the word "sh"; one with placeholders is
# "sh example".

use strict;
use warnings;

use Exporter 'import';
use POSIX ();
use Test::More;

use Parley::Env qw(build_dir load_module nginx_binary root tmp_dir slurp spew);

our @EXPORT = qw(blocks installs unmarked steps steps_in follow);

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


# file with the process id of the nginx that a page starts
my $pid_of_page;

# stops that nginx, regardless of the step that failed
END {
    if (defined $pid_of_page) {
        local $?;
        kill QUIT => $1 if -e $pid_of_page && slurp($pid_of_page) =~ /(\d+)/;
    }
}


# follow(page, ...): runs the commands of a tutorial unchanged, except for ports
# and pauses, and checks them.  Returns the steps.  Options: rules; folder (that
# the page makes); ports (by those of the page); sleeps; says (the output of
# steps, by their heading and their number below it: [out or err, pattern]);
# fails (steps that do); log (levels that its log has not).
sub follow {
    my ($page, %o) = @_;

    my $newcomer = tmp_dir() . '/newcomer';
    mkdir $newcomer or die "$newcomer: $!\n";
    mkdir "$newcomer/bin" or die "$newcomer/bin: $!\n";

    # the nginx under test, with the name that the reader uses
    my $nginx = nginx_binary();
    chomp($nginx = `PATH=\$PATH:/usr/sbin command -v nginx`)
        if $nginx !~ m{/};
    symlink $nginx, "$newcomer/bin/nginx";

    my @blocks = grep { !installs($_) } blocks($page, 'sh');
    my $module = load_module();

    for my $block (@blocks) {
        $block->{text} =~ s/\b$_\b/$o{ports}{$_}/g for keys %{ $o{ports} };
        $block->{text} =~ s{^MODULE=.*}{MODULE=$module}m;
        $block->{text} =~ s/^sleep $_$/sleep $o{sleeps}{$_}/m
            for keys %{ $o{sleeps} };
    }

    my $folder = "$newcomer/$o{folder}";
    $pid_of_page = "$folder/nginx.pid";

    my @steps = steps($newcomer,
        { PATH => "$newcomer/bin:" . build_dir() . ":$ENV{PATH}" },
        map { $_->{text} } @blocks);
    my (%number, %said);

    for my $i (0 .. $#blocks) {
        my $name = $blocks[$i]{heading};
        $name .= ' ' . ++$number{$name};

        is($steps[$i]{status}, $o{fails}{$name} ? 1 : 0,
           "$o{rules} the tutorial, $name")
            or diag($steps[$i]{out}, $steps[$i]{err});

        my $says = $o{says}{$name} or next;
        like($steps[$i]{ $says->[0] }, $says->[1], "$name: the output");
        $said{$name} = 1;
    }

    is_deeply([sort keys %said], [sort keys %{ $o{says} }],
              'no step is left out');

    unlike(slurp("$folder/error.log"), qr/\[(?:$o{log})\]/,
           'no error in the log');
    ok(!-e $pid_of_page || do { sleep 2; !-e $pid_of_page },
       'nginx has ended');

    return @steps;
}


1;
