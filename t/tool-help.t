# The manual of the command line tool matches its commands and options.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root slurp);
use Parley::Tool;

my $manual = root() . '/docs/parley.1';

my @commands = tool_ok('--help') =~ /^  ([a-z]+(?: [a-z]+)?)  /mg;
my %options = map {
    my $text = tool_ok(split(/ /), '--help');
    $_ => [ $text =~ /^ +(?:-[a-z], )?(--[a-z0-9-]+)/mg ]
} @commands;


subtest 'GW-16 the manual names every command and option' => sub {
    my $text = slurp($manual);

    for my $command (@commands) {
        like($text, qr/^\.It Nm Cm \Q$command\E\b/m, $command);

        for my $option (@{ $options{$command} }) {
            my $name = $option =~ s/^-//r;
            like($text, qr/(?:^|[ ,])\Q$name\E(?:$|[ ,])/m,
                 "$command $option");
        }
    }

    my %known = map { $_ => 1, map { $_ => 1 } @{ $options{$_} } } @commands;
    my @named = map { "-$_" } $text =~ /(?:Fl|,) (-[a-z-]+)/g;

    is_deeply([ grep { !$known{$_} && $_ ne '--version' } @named ], [],
              'and none that there is not');
};


subtest 'GW-16 the description of explain names each of its options' => sub {
    my ($item) = slurp($manual) =~ /^(\.It Nm Cm explain .*?)^\.It Nm Cm /ms;

    for my $option (grep { $_ ne '--help' } @{ $options{explain} }) {
        my $name = $option =~ s/^-//r;
        like($item, qr/(?:^|[ ,])\Q$name\E(?:$|[ ,])/m, $option);
    }
};


subtest 'GW-16 the manual is well-formed' => sub {
    plan skip_all => 'no man' if system('man --version >/dev/null 2>&1') != 0;

    my $said = `LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 \\
                -l '$manual' 2>&1 >/dev/null`;

    is($said, '', 'man has no warnings');
};


done_testing();
