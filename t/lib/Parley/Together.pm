package Parley::Together;

# Subtests that wait at the same time, each in its own process.
#
#     together('one' => sub { ... }, 'another' => sub { ... });
#
# They share everything that was started before, and must not change it.  Each
# counts as one test here.  Its output is printed after it ended, in the given
# order.

use strict;
use warnings;

use Exporter 'import';
use POSIX ();
use Test::More ();

use Parley::Env qw(tmp_dir slurp);

our @EXPORT = qw(together);

my $number = 0;


sub together {
    my @runs;

    while (my ($name, $code) = splice @_, 0, 2) {
        my $file = tmp_dir() . '/together-' . ++$number;
        my $pid = fork // die "fork: $!\n";

        run($file, $name, $code) if $pid == 0;

        push @runs, { name => $name, pid => $pid, file => $file };
    }

    for my $run (@runs) {
        waitpid $run->{pid}, 0;

        my $good = $? == 0;
        my $said = -e $run->{file} ? slurp($run->{file}) : 'nothing';

        print map { "    $_\n" } grep { !/^ok 1 / } split /\n/, $said
            if $good;

        Test::More::ok($good, $run->{name}) or Test::More::diag($said);
    }
}


sub run {
    my ($file, $name, $code) = @_;

    my $builder = Test::More->builder;

    # ends a process that hangs
    alarm 120;

    my $good = eval {
        $builder->output($file);
        $builder->failure_output($builder->output);
        Test::More::subtest($name, $code);
    };

    print STDERR "# $name: $@" if $@;

    # skips the END blocks, which would stop the parent's nginx
    POSIX::_exit($good ? 0 : 1);
}


1;
