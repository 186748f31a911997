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
use Time::Piece ();

use Parley::Env qw(tmp_dir);

our @EXPORT = qw(@pids $seed start is_over code is_again promotions
                 store_away);

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


# Returns the code of an answer: 200, 202, an error, or 0.
sub code {
    my $answer = shift // {};
    my $json = ref $answer->{json} eq 'HASH' ? $answer->{json} : {};
    my $payload = ref $json->{payload} eq 'HASH' ? $json->{payload} : {};

    return $payload->{code} // $json->{code} // $answer->{status} // 0;
}


# Returns whether an answer is not the last one: the client sends again.
sub is_again {
    return $_[0] =~ /^(?:0|429|50\d|(?:E_)?(?:CAPACITY|MESSAGE.IN.FLIGHT
                     |RATE_LIMITED|UPSTREAM\w*|RETRY\w*))$/xi;
}


# Returns the seconds of a local time in a log.
sub seconds {
    my ($text, $format) = @_;

    return Time::Piece->strptime($text, $format)->epoch
           - Time::Piece->localtime->tzoffset;
}


# Returns the times at which an engine became the primary, of its log.
sub promotions {
    my $log = shift;

    my @at;

    while ($log =~ /^\d+:M (\d+ \w+ \d+ [\d:]+)(\.\d+) \* MASTER MODE/mg) {
        push @at, seconds($1, '%d %b %Y %H:%M:%S') + $2;
    }

    return @at;
}


# Returns the times in which each worker of a gateway was without its store, of
# the log of the gateway, which has whole seconds: [from, to], also if it is
# without it to its end.
sub store_away {
    my $log = shift;

    my %away;

    while ($log =~ m{^([\d/]+\ [\d:]+)\ \[\w+\]\ (\d+)\#.*
                     :\ the\ store\ is\ (away|in\ use)}xmg)
    {
        my ($worker, $is) = ($2, $3);
        my $at = seconds($1, '%Y/%m/%d %H:%M:%S');
        my $list = $away{$worker} //= [];
        my $open = @$list && $list->[-1][1] eq 'inf';

        if ($is eq 'away') {
            push @$list, [$at, 'inf'] if !$open;
        } elsif ($open) {
            $list->[-1][1] = $at + 1;
        }
    }

    return \%away;
}


1;
