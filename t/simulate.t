# The hub and the host of chat in a simulated world where processes die,
# connections are slow and time passes: seeded histories, and mutants of the hub
# and of the host, which must be found.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Parley::Env qw(build_dir root);

use constant {
    HISTORIES => 4000,
    HOSTED    => 400,           # histories of the host
    SEED      => 20260653,      # PARLEY_TEST_SEED gives others
    MUTANT    => 8000,          # histories in which a mutant is found, of the
    HOST      => 6000,          # hub and of the host
    EDGES     => 600,           # at which a process may die
    ACK       => 7,             # the verb that it is in the midst of, of
    VERBS     => 9,             # those that it may die in
};

my $build = build_dir();

chdir root() or die "cannot change to the project's root: $!\n";

my $seed = $ENV{PARLEY_TEST_SEED} // SEED;

my ($status, $out) = simulate('simulate', '-n', HISTORIES, '-s', $seed);

is($status, 0, 'HUB-08 ' . HISTORIES . " histories from seed $seed on")
    or diag($out);

# the output names the broken promise

for my $promise ('HUB-01 what was accepted comes, once and in order',
                 'HUB-02 a gap is told where one is, and only there',
                 'HUB-03 who is slow takes a bounded amount of memory',
                 'HUB-04 what one process accepts reaches those of all',
                 'HUB-06 each gets its own protocol',
                 'HUB-09 a job is one process\'s at a time, and ends once',
                 'VCP-21 attempts are four, and not too early',
                 'VCP-23 no job overtakes another of its lane',
                 'VCP-24 what nobody acknowledges goes up, in time, to all above',
                 'VCP-26 who is suspended is, until its parent resumes it',
                 'VCP-32 a peer has one job and, in time, one process, until it is removed',
                 'VCP-33 what is owed to the owner of a log comes, or is given up',
                 'AEE-29 a task that nobody answers times out, once',
                 'SEC-08 and never with an answer',
                 'ACH-26 what was over when one came is not for it',
                 'ACH-19 it is told how many subscriptions it was emitted to')
{
    my ($rule) = $promise =~ /^(\S+)/;

    ok($status == 0 || $out =~ /^seed/ && $out !~ /\b$rule\b/, $promise);
}

($status, $out) = simulate('simulate', '-c', '-n', HOSTED, '-s', $seed);

is($status, 0, 'C2A-20 ' . HOSTED . " histories of the host from seed $seed on")
    or diag($out);

for my $promise ('C2A-14 C2A-22 one disposition ends an event for a reader',
                 'C2A-11 C2A-12 one key is one visible message',
                 'C2A-13 C2A-35 one answer is in a slot, until it failed',
                 'C2A-18 C2A-19 a claim has one owner, also at the answer',
                 'C2A-33 no content comes to a reader without permission',
                 'C2A-25 no content comes after the deletion',
                 'C2A-09 the order within a conversation, and each turn once',
                 'C2A-20 C2A-21 only its reader acknowledges an event',
                 'C2A-23 no deadline is lost or reset, with the records or not')
{
    my ($rules) = $promise =~ /^((?:C2A-\d+ )+)/;
    my $any = join '|', split ' ', $rules;

    ok($status == 0 || $out =~ /^seed/ && $out !~ /\b(?:$any)\b/, $promise);
}

# an answer is settled long after its admission, and its process dies then

my @admitted = qw(ask:571b45d0c9ced56d ack:7a5c21d7dd218c11
                  sleep:a31f79e33939e1d0);
my @broken;

for my $edge (0 .. EDGES - 1) {

    # the process is number 1, and these bits are the verb
    my $low = (ACK - ($edge << 28)) % VERBS << 4 | 1;
    my ($status, $out) = simulate('simulate', '-s', 106003800, @admitted,
                                  sprintf 'crash:%x', $edge << 32 | $low);

    push @broken, "edge $edge: $out" if $status != 0;
}

is("@broken", '', 'SEC-08 an answer dies whole, or not at all');

SKIP: {
    skip 'mutants are part of make test-all', 1 if !$ENV{PARLEY_TEST_ALL};
    skip 'mutants are of the release build', 1 if $build !~ m{/build$};

    # t/simulate-store.t and t/simulate-link.t have the others

    my @mutants = grep { !/^(?:store|link)-/ } split ' ', `t/simulate/mutate --list`;
    my $made = `make -s mutants 2>&1`;

    is($?, 0, 'the mutants are built') or diag($made);

    for my $mutant (@mutants) {
        my ($found, $says) = simulate("mutant-$mutant", $mutant =~ /^host-/
                                      ? ('-c', '-n', HOST) : ('-n', MUTANT));

        # the broken state may also end the process

        ok($found != 0, "HUB-08 the mutant $mutant is found") or diag($says);
    }
}

done_testing();


sub simulate {
    my ($name, @args) = @_;

    -x "$build/t/simulate/$name" or die "$build/t/simulate/$name is not built\n";

    my $out = `$build/t/simulate/$name @args 2>&1`;

    return ($?, $out);
}
