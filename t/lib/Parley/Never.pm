package Parley::Never;

# Verbs of the state that do not complete, for tests of the module whose state
# answers later.  With another module such a test is skipped.

use strict;
use warnings;

use Exporter 'import';
use Test::More ();

use Parley::Env qw(spew tmp_dir);

our @EXPORT = qw(never);

Test::More::plan(skip_all => 'the state answers at once')
    unless ($ENV{PARLEY_MODULE} // '') =~ m{/later/};

$ENV{PARLEY_LATER_NEVER} = tmp_dir() . '/never';


# From now on only these verbs do not complete.  Without arguments all complete
# again, also those that wait.
sub never { spew($ENV{PARLEY_LATER_NEVER}, join '', map { "$_\n" } @_) }

never();


1;
