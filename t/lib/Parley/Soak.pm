package Parley::Soak;

# Processes of a soak: clients that write their results into files of tmp_dir(),
# until the file "over" or "stop" exists.
#
#     start('post', sub { my $out = shift; until (is_over('over')) { ... } });
#     note("seed $seed");
#     spew(tmp_dir() . '/over', '');
#     waitpid $_, 0 for @pids;

use strict;
use warnings;

use Exporter 'import';
use IO::Handle;
use POSIX ();

use Parley::Env qw(tmp_dir);

our @EXPORT = qw(@pids $seed start is_over);

# processes that run; the seed of all, SOAK_SEED
our @pids;
our $seed = $ENV{SOAK_SEED} || int rand 1 << 31;

END { kill 'KILL', @pids }


# Starts a process that calls a function with its file.  The file ends with
# "died" and a reason if the function dies.
sub start {
    my ($name, $run) = @_;

    # the caller may read the file at once
    open my $out, '>', tmp_dir() . "/$name" or die "$name: $!\n";
    $out->autoflush(1);

    my $pid = fork // die "fork: $!\n";

    if ($pid) {
        push @pids, $pid;
        return;
    }

    @pids = ();
    srand($seed ^ $$);

    my $ok = eval { $run->($out); 1 };

    print $out "died $@" if !$ok;
    POSIX::_exit($ok ? 0 : 1);
}


# Returns whether a file exists.
sub is_over { -e tmp_dir() . "/$_[0]" }


1;
